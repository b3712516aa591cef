#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`collcast calibrate --run` from end to end, on this machine's own ranks: calibrated_test.py COLLCAST MPIRUN..."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

COLLCAST, *MPIRUN = sys.argv[1:]


class Calibrated(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.platform = os.path.join(self.folder.name, "here.json")
        self.journal = pathlib.Path(self.platform + ".ping-pong.jsonl")

    def tearDown(self):
        self.folder.cleanup()

    def calibrate(self, *options, ranks=()):
        return subprocess.run([COLLCAST, "calibrate", "--run", "--base", "localhost", "-o", self.platform, "--size", "1,1KiB,64KiB",
                               *options, "--format", "json", "--", *MPIRUN, *ranks], text=True, capture_output=True, timeout=280)

    def kinds(self):
        lines = [json.loads(line) for line in self.journal.read_text().splitlines()]
        return [(line["collective"], line["ranks"]) for line in lines]

    def test_pairs_and_stars(self):
        done = self.calibrate()
        self.assertEqual(done.returncode, 0, done.stderr)
        kinds = self.kinds()
        # 4 sizes, windows of 1 and of several.
        for kind in (("fan-out", 2), ("exchange", 2), ("fan-out", 4), ("fan-in", 4), ("exchange", 4)):
            self.assertEqual(kinds.count(kind), 8, kind)
        self.assertEqual(kinds.count(("latency", 2)), 3)
        (path,) = json.loads(done.stdout)["paths"]
        self.assertEqual(path["path"], "in a node, host to host")
        self.assertEqual(path["together"]["measurements"], 40)
        platform = json.loads(pathlib.Path(self.platform).read_text())
        self.assertEqual(platform["software"]["in_node"]["host"]["latency_us"]["stamp"], "calibrated")
        before = self.journal.read_text()
        again = self.calibrate()
        self.assertEqual(again.returncode, 0)
        self.assertIn(f"43 of 43 measurements were already in {self.journal}", again.stderr)
        self.assertEqual(self.journal.read_text(), before, "what was measured is not measured again")
        other = self.calibrate(ranks=["-np", "2"])
        self.assertEqual(other.returncode, 2)
        self.assertIn("holds measurements by another command", other.stderr)

    def test_a_command_for_two_ranks(self):
        done = self.calibrate(ranks=["-np", "2"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({ranks for _, ranks in self.kinds()}, {2})
        done = self.calibrate("--star", "3", ranks=["-np", "2"])
        self.assertEqual(done.returncode, 3)
        self.assertIn("a star of 3 ranks needs so many, not 2", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)  # beside what was there already


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
