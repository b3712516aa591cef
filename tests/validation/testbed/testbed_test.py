#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/testbed from end to end: testbed_test.py SOURCE_DIR BUILD_DIR. Skipped, with the reason, where it may not run."""
import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE, BUILD = map(pathlib.Path, sys.argv[1:3])
NAME = f"test{os.getpid()}"
SMALL = ["--hosts", "4", "--rate", "100Mbit", "--latency", "1ms", "--build", str(BUILD)]


def testbed(*arguments, prefix=(), timeout=60):
    return subprocess.run([*prefix, SOURCE / "scripts/testbed", "--name", NAME, *arguments], text=True,
                          capture_output=True, timeout=timeout)


def why_not():
    """Why namespaces and TAP devices cannot be made here; None if they can."""
    if os.geteuid() != 0:
        return "no root"
    if not os.path.exists("/dev/net/tun"):
        return "no /dev/net/tun"
    probe = f"collcast-{NAME}-probe"
    try:
        made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, text=True)
    except FileNotFoundError:
        return "no ip (Debian's iproute2)"
    subprocess.run(["ip", "netns", "delete", probe], capture_output=True)
    if made.returncode != 0:
        return f"no network namespaces: {made.stderr.strip()}"
    real_time = subprocess.run(["chrt", "--fifo", "20", "true"], capture_output=True, text=True)
    return None if real_time.returncode == 0 else f"no real-time scheduling: {real_time.stderr.strip()}"


def left_over():
    namespaces = [f for f in os.listdir("/run/netns") if f.startswith(f"collcast-{NAME}-")] if os.path.isdir("/run/netns") else []
    return namespaces + ([f"/run/collcast/{NAME}"] if os.path.exists(f"/run/collcast/{NAME}") else [])


def processes(word):
    """Of this testbed's hosts that have the word on their command line."""
    inside = {os.stat(f"/run/netns/{f}").st_ino for f in os.listdir("/run/netns") if f.startswith(f"collcast-{NAME}-h")}
    found = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            if os.stat(f"/proc/{pid}/ns/net").st_ino in inside and word in pathlib.Path(f"/proc/{pid}/cmdline").read_text():
                found.append(int(pid))
        except OSError:
            pass
    return found


class BadInput(unittest.TestCase):
    """Each is one line, and exit code 2; none needs root."""

    def refused(self, words, *arguments):
        done = testbed(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(words, done.stderr.splitlines()[-1])

    def test_flags(self):
        up = ["up", "--hosts", "8", "--rate", "100Mbit", "--latency", "1ms"]
        for words, *arguments in (
                ("unrecognized arguments: --speed", *up, "--speed", "3"),
                ("unrecognized arguments: --lat", *up, "--lat", "3"),
                ("'100' is not understood; 100Mbit or 2.5Gbit would be", "up", "--hosts", "8", "--rate", "100", "--latency", "1ms"),
                ("'1' is not understood; 1ms or 250us would be", "up", "--hosts", "8", "--rate", "1Gbit", "--latency", "1"),
                ("'1' must be a whole number from 2 to 250", "up", "--hosts", "1", "--rate", "1Gbit", "--latency", "1ms"),
                ("'1.5' must be at least 0 and less than 1", *up, "--loss", "1.5"),
                ("8 hosts cannot be 3 equal racks", *up, "--racks", "3"),
                ("--uplink is the racks'", *up, "--uplink", "1Gbit"),
                ("invalid choice: 'lifo'", *up, "--queue", "lifo"),
                ("'maybe' must be on or off", *up, "--multicast", "maybe"),
                ("the following arguments are required: --latency", "up", "--hosts", "8", "--rate", "100Mbit"),
                ("run needs a program", "run"),
                ("'3-' is not understood; 0-3,6 would be", "run", "--hosts", "3-", "--", "true"),
                ("'1,1' must name hosts, each once", "run", "--hosts", "1,1", "--", "true"),
                ("'64k' is not understood; 64KiB or 1MiB would be", "run", "--eager-limit", "64k", "--", "true"),
                ("--mca is Open MPI's; mpich takes variables, by -x", "run", "--library", "mpich", "--mca", "btl", "tcp", "--", "true"),
                ("invalid choice: 'mvapich2'", "run", "--library", "mvapich2", "--", "true"),
                ("required: up|run|status|down",),
        ):
            with self.subTest(words):
                self.refused(words, *arguments)

    def test_nothing_is_up(self):
        self.refused("not up; `scripts/testbed up", "run", "--", "true")
        done = testbed("status")
        self.assertEqual((done.returncode, done.stdout[:16]), (1, "testbed: not up;"))


class Testbed(unittest.TestCase):
    def setUp(self):
        if reason := why_not():
            self.skipTest(reason)

    def tearDown(self):
        testbed("down")
        self.assertEqual(left_over(), [])

    def up(self, *arguments):
        done = testbed("up", *SMALL, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)

    def run_on(self, host, *command):
        done = testbed("run", "--on", str(host), "--", *command)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_ranks_have_hosts_of_their_own(self):
        self.up()
        done = testbed("run", "--", "hostname")
        self.assertEqual(sorted(done.stdout.split()), ["h0", "h1", "h2", "h3"], done.stderr)
        done = testbed("run", "--hosts", "1-3", "--ranks", "3", "--per-host", "2", "--", "hostname")
        self.assertEqual(sorted(done.stdout.split()), ["h1", "h1", "h2"], done.stderr)

    def test_a_collective_is_right(self):
        self.up()
        done = testbed("run", "--", str(BUILD / "collcast-mpi"), "allreduce", "--algorithm", "ring", "--size", "100kB",
                       "--check", "--repetitions", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\nring +4 +100000 .* ok\n")

    def test_open_mpi_reads_the_file_of_tune(self):
        grid = {"library": "openmpi", "ranks": 4, "sizes": ["64KiB"], "rounds": 1, "measure": {"least": 1, "most": 1}, "segments": ["16KiB"],
                "collectives": {"broadcast": {"name": "bcast", "whole": [], "segmented": ["pipeline"]}}}
        rows = self.campaign("tuned", "testbed", grid)
        self.assertEqual([(r["play"], r["segment_bytes"]) for r in rows],
                         [("default", "0"), ("tuned", "0"), ("pipeline", "0"), ("pipeline", "16384")])
        # A chain of three hosts of 64 KiB each, 5.24 ms apart in bandwidth and 2.02 ms in latency.
        self.assertAlmostEqual(float(rows[2]["forecast_s"]), 3 * (65536 / 12.5e6 + 2.02e-3), delta=1e-4)

    def test_mpich_reads_the_file_of_tune(self):
        if not shutil.which("mpicc.mpich") or not shutil.which("mpiexec.hydra"):
            self.skipTest("no MPICH (Debian's libmpich-dev)")
        self.up()
        with tempfile.TemporaryDirectory() as scratch:
            source, program, rules = (pathlib.Path(scratch) / name for name in ("ends.c", "ends", "rules.json"))
            source.write_text("#include <mpi.h>\nint main(void) {\n  MPI_Init(0, 0);\n  MPI_Barrier(MPI_COMM_WORLD);\n  MPI_Finalize();\n}\n")
            subprocess.run(["mpicc.mpich", "-o", program, source], check=True)
            subprocess.run([BUILD / "collcast", "tune", "--for", "mpich", "--platform", "testbed", "--ranks", "4", "--size", "64KiB",
                            "-o", rules], check=True, capture_output=True)
            run = ["run", "--library", "mpich", "-x", f"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE={rules}", "--", str(program)]
            done = testbed(*run)
            self.assertEqual(done.returncode, 0, done.stderr)
            rules.write_text(rules.read_text().replace("MPIR_Bcast_intra_binomial", "MPIR_Bcast_intra_nothing"))
            done = testbed(*run)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("unrecognized key algorithm=MPIR_Bcast_intra_nothing", done.stdout + done.stderr)

    def test_a_synthesised_schedule_is_played(self):
        grid = {"ranks": 4, "sizes": ["16KiB"], "bar_from": "16KiB", "rounds": 1, "rivals": 1.01, "ranks_per_node": 2,
                "measure": {"least": 1, "most": 1}, "collectives": ["allgather"]}
        rows = self.campaign("synthesized", "testbed", grid)
        self.assertEqual([r["play"] for r in rows[:3]], ["default", "synthesized", "catalogue"])

    def campaign(self, what, platform, grid):
        """The rows that validation/choices writes, and turns into Markdown."""
        self.up()
        with tempfile.TemporaryDirectory() as scratch:
            folder, file = pathlib.Path(scratch), pathlib.Path(scratch) / f"testbed-{what}.json"
            file.write_text(json.dumps(grid))
            script = [sys.executable, "-B", SOURCE / f"validation/choices/{what}.py"]
            run = subprocess.run([*script, "run", BUILD / "collcast", platform, file, folder, NAME], text=True, capture_output=True, timeout=120)
            self.assertEqual(run.returncode, 0, run.stderr)
            table = folder / f"testbed-{what}.csv"
            with table.open(newline="") as lines:
                rows = list(csv.DictReader(lines))
            for row in rows:
                self.assertGreater(float(row["measured_s"]), 0)
            report = subprocess.run([*script, "report", table], text=True, capture_output=True, timeout=60)
            self.assertIn(report.returncode, (0, 1), report.stderr)
            self.assertIn("| bar | measured |", report.stdout)
        return rows

    def test_twice(self):
        self.up()
        again = testbed("up", *SMALL)
        self.assertEqual(again.returncode, 2)
        self.assertEqual(again.stderr, "testbed: already up; `scripts/testbed status` shows it, `scripts/testbed down` ends it\n")
        self.assertEqual(len(testbed("run", "--", "hostname").stdout.split()), 4)

    def test_no_root(self):
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        self.up()
        for verb in (["up", *SMALL], ["run", "--", "true"], ["run", "--on", "1", "--", "true"], ["status"], ["down"]):
            done = testbed(*verb, prefix=nobody)
            self.assertEqual((done.returncode, done.stderr), (2, "testbed: needs root, for network namespaces and TAP devices\n"))

    def test_hosts_that_are_not_there(self):
        self.up()
        for arguments, words in ((["--on", "4"], "no host 4; there are 0 to 3"), (["--hosts", "2-9"], "no host 4;"),
                                 (["--ranks", "5"], "5 ranks do not fit on 4 hosts with 1 each; see --per-host")):
            done = testbed("run", *arguments, "--", "true")
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)

    def test_a_failed_up_leaves_nothing(self):
        busy = f"collcast-{NAME}-h3"
        subprocess.run(["ip", "netns", "add", busy], check=True)
        done = testbed("up", *SMALL)
        self.assertEqual(done.returncode, 3)
        self.assertIn("File exists", done.stderr)
        self.assertEqual(left_over(), [])

    def test_down_ends_what_runs_on_the_hosts(self):
        self.up()
        stubborn = subprocess.Popen(["ip", "netns", "exec", f"collcast-{NAME}-h2", "sh", "-c", "trap '' TERM; while :; do sleep 1; done"])
        self.assertEqual(testbed("down").returncode, 0)
        self.assertEqual(stubborn.wait(timeout=60), -signal.SIGKILL)
        self.assertEqual(left_over(), [])
        self.assertEqual(testbed("down").stdout, "testbed: nothing was up\n")

    def test_the_switch_dies(self):
        self.up()
        run = subprocess.Popen([SOURCE / "scripts/testbed", "--name", NAME, "run", "--", "sleep", "100"], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.until(lambda: len(processes("sleep")) >= 4)
        os.kill(int(pathlib.Path(f"/run/collcast/{NAME}/switch.pid").read_text()), signal.SIGKILL)
        words = run.communicate(timeout=60)[1]
        self.assertEqual(run.returncode, 3)
        self.assertIn("testbed: the switch has died (it left no message), and the program was ended\n", words)
        self.until(lambda: not processes("sleep"))
        done = testbed("status")
        self.assertEqual(done.returncode, 3)
        self.assertIn("the switch has died", done.stderr)

    def test_a_rank_dies(self):
        self.up()
        run = subprocess.Popen([SOURCE / "scripts/testbed", "--name", NAME, "run", "--", str(BUILD / "collcast-mpi"), "allreduce",
                                "--algorithm", "ring", "--size", "64MiB"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.until(lambda: len(processes("collcast-mpi")) >= 4)
        time.sleep(1)
        victim = next(p for p in processes("collcast-mpi") if pathlib.Path(f"/proc/{p}/comm").read_text() == "collcast-mpi\n")
        os.kill(victim, signal.SIGKILL)
        words = run.communicate(timeout=60)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("signal 9", "".join(words))
        self.until(lambda: not processes("collcast-mpi"))

    def test_statistics_count_bytes(self):
        self.up()
        before = self.statistics()
        script = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x' * 1000, ('10.101.0.2', 9))"
        self.run_on(0, "python3", "-c", script)
        self.until(lambda: self.statistics()["frames_delivered"] > before["frames_delivered"])
        after = self.statistics()
        sent = {b["link"]: b["bytes"] - a["bytes"] for a, b in zip(before["links"], after["links"])}
        self.assertEqual((sent["h0 out"], sent["h1 in"], sent["h2 in"]), (1042, 1042, 0))  # 14 Ethernet, 20 IP, 8 UDP

    def test_multicast_crosses_each_link_once(self):
        self.up("--racks", "2")
        sent = self.multicast(datagrams=20)
        self.assertEqual(sent["received"], [20, 20, 20])
        self.assertEqual([sent[link] for link in ("h0 out", "h0 in", "h1 in", "h2 in", "h3 in", "rack 0 up", "rack 1 down", "rack 1 up")],
                         [20, 0, 20, 20, 20, 20, 20, 0])

    def test_loss_is_counted(self):
        self.up("--loss", "0.5")
        sent = self.multicast(datagrams=200)
        self.assertEqual(sum(sent["received"]) + sent["lost"], 600)
        self.assertTrue(200 < sent["lost"] < 400, sent["lost"])
        self.assertEqual(sent["h1 in"], 200)

    def multicast(self, datagrams):
        """Sends from host 0 to all others; what they received, what was lost, and frames by link."""
        receiver = ("import socket, struct, sys; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('', 5007));"
                    "s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, struct.pack('4s4s', socket.inet_aton('239.1.1.1'),"
                    "socket.inet_aton('10.101.0.%d'))); s.settimeout(30); print('listening', flush=True); n = 0\n"
                    "try:\n  while s.recv(9000): n += 1; s.settimeout(3)\nexcept TimeoutError: print(n)")
        receivers = [subprocess.Popen([SOURCE / "scripts/testbed", "--name", NAME, "run", "--on", str(h), "--", "python3", "-c",
                                       receiver % (h + 1)], text=True, stdout=subprocess.PIPE) for h in (1, 2, 3)]
        for r in receivers:
            self.assertEqual(r.stdout.readline(), "listening\n")
        time.sleep(0.2)  # the kernels' own reports of the group
        before = self.statistics()
        self.run_on(0, "python3", "-c", "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                    f"for i in range({datagrams}): s.sendto(b'x' * 1000, ('239.1.1.1', 5007))")
        counts = [int(r.communicate(timeout=60)[0]) for r in receivers]
        after = self.statistics()
        # 1042 bytes each; what hosts say of the group is smaller.
        sent = {b["link"]: (b["bytes"] - a["bytes"]) // 1042 for a, b in zip(before["links"], after["links"])}
        return {"received": counts, "lost": after["datagrams_lost"] - before["datagrams_lost"], **sent}

    def statistics(self):
        return json.loads(testbed("status", "--format", "json").stdout)["statistics"]

    def until(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.05)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
