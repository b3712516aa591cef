#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `collcast validate --run` started ends with it, even where it is killed: killed_test.py COLLCAST MPIRUN..."""
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

COLLCAST, *MPIRUN = sys.argv[1:]
PR_SET_CHILD_SUBREAPER = 36


def commands(word):
    """Command lines, by process, that hold the word or run in a folder whose name does."""
    found = {}
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            command = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            folder = os.readlink(f"/proc/{pid}/cwd") + "/"
        except OSError:
            continue
        if command and (word in command or word in folder):
            found[int(pid)] = command
    return found


def until(condition, seconds=60):
    for _ in range(int(seconds / 0.02)):
        if condition():
            return True
        time.sleep(0.02)
    return False


def reap():
    """Whether this process has no children any more, adopted ones included."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return True
    return False


class Killed(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()

    def tearDown(self):
        for pid in commands(self.folder):
            os.kill(pid, signal.SIGKILL)
        until(reap)
        shutil.rmtree(self.folder, ignore_errors=True)

    def kill_at(self, program, number, campaign):
        file = pathlib.Path(self.folder, "campaign.json")
        file.write_text(campaign)
        errors = pathlib.Path(self.folder, "errors")
        with errors.open("w") as stream:
            run = subprocess.Popen([COLLCAST, "validate", "--platform", "flat", "--run", "--campaign", file, "-o",
                                    f"{self.folder}/results", "--", *MPIRUN], stdout=subprocess.DEVNULL, stderr=stream)
        self.assertTrue(until(lambda: any(program in c.split()[0] for c in commands(f"{self.folder}/results/").values())),
                        f"no {program} was seen")
        run.send_signal(number)
        code = run.wait(20)
        self.assertTrue(until(reap, 20), commands(self.folder))
        self.assertEqual(commands(self.folder), {})
        if number != signal.SIGKILL:
            self.assertEqual(code, 130)
            self.assertEqual(errors.read_text(), "\ncollcast: interrupted; what was measured is kept, and the same command "
                             f"continues from {self.folder}/results\n")

    def test_while_it_measures(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                self.kill_at("collcast-measure", number, """{"ranks": 2, "sizes": 8, "measure": {"least": 1000000},
                    "points": {"collective": "allreduce", "algorithm": "ring"}}""")
                shutil.rmtree(f"{self.folder}/results")

    @unittest.skipUnless(shutil.which("smpirun"), "there is no smpirun")
    def test_while_smpi_predicts(self):
        self.kill_at("smpimain", signal.SIGKILL, """{"ranks": 256, "sizes": "1MiB",
            "points": {"collective": "allreduce", "algorithm": "ring"}}""")


ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)  # orphans become this process's children
unittest.main(argv=sys.argv[:1], verbosity=2)
