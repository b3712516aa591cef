#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""validation/jobs/campaign.py: predicts before it measures, goes on where it was, and says where it is out of its bounds.
usage: campaign_test.py SOURCE COLLCAST LAUNCHER..."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

JOB = {"name": "steps", "dimensions": {"data": 2}, "roles": [{"do": [
    {"do": "compute", "time_s": 0.001},
    {"do": "allreduce", "algorithm": "ring", "bytes": 100000},
    {"do": "compute", "name": "end", "time_s": 0.001, "after": ["allreduce"]}]}]}


class Campaign(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name) / "out"
        self.jobs = pathlib.Path(self.scratch.name) / "jobs"
        self.jobs.mkdir()
        self.write(JOB)

    def write(self, job):
        (self.jobs / "steps.json").write_text(json.dumps(job))

    def campaign(self, *words):
        return subprocess.run([str(SOURCE / "validation/jobs/campaign.py"), *map(str, words)], capture_output=True, text=True, check=False)

    def run_jobs(self, *launcher):
        return self.campaign("run", COLLCAST, SOURCE / "platforms/data/testbed.json", self.jobs, self.folder, "--", *launcher)

    def read(self, name):
        return [json.loads(line) for line in (self.folder / name).read_text().splitlines()]

    def test_predicts_then_measures(self):
        failed = self.run_jobs("false")
        self.assertEqual(failed.returncode, 1)
        self.assertEqual(failed.stderr.splitlines()[-1], "steps: exit code 1")
        predicted = self.read("prediction.jsonl")[0]
        # On two hosts of 12.5 MB/s, 2.02 ms apart, a ring's two steps of 50 kB take 12.04 ms, and adding them up at 5 GB/s 10 us;
        # 1 ms is hidden.
        self.assertAlmostEqual(predicted["time_s"], 0.01305, delta=1e-6)
        self.assertAlmostEqual(predicted["controls"]["serial"], 0.01405, delta=1e-6)
        self.assertAlmostEqual(predicted["controls"]["bandwidth"], 0.00901, delta=1e-6)
        self.assertAlmostEqual(predicted["controls"]["compute"], 0.002, delta=1e-9)
        self.assertFalse((self.folder / "measured.jsonl").exists())
        self.assertEqual(self.campaign("report", self.folder).returncode, 1)

        self.assertEqual(self.run_jobs(*LAUNCHER, "-np", "{ranks}", "{seats}").returncode, 0)
        measured = self.read("measured.jsonl")
        self.assertTrue(measured[0]["checked"])
        self.assertGreaterEqual(measured[0]["time_s"], 0.002)
        self.assertEqual(self.run_jobs("false").returncode, 0)  # nothing is left to do
        self.assertEqual(self.read("measured.jsonl"), measured)

    def test_holds_errors_against_bounds(self):
        self.assertEqual(self.run_jobs(*LAUNCHER, "-np", "{ranks}", "{seats}").returncode, 0)
        lines = self.read("measured.jsonl")
        for measured, bounds, code in (0.01305, "kept", 0), (0.01305 / 1.04, "missed", 1):
            (self.folder / "measured.jsonl").write_text(json.dumps({**lines[0], "time_s": measured}) + "\n")
            report = self.campaign("report", self.folder)
            self.assertEqual(report.returncode, code, report.stderr)
            self.assertIn(bounds, report.stdout)
        self.assertIn("+4.00 %", report.stdout)

    def test_keeps_to_its_jobs(self):
        self.assertEqual(self.run_jobs("false").returncode, 1)
        (self.jobs / "more.json").write_text(json.dumps(JOB))
        self.assertIn("holds predictions of other jobs", self.run_jobs("false").stderr)

    def test_refuses_bad_jobs(self):
        self.write({**JOB, "rolse": []})
        self.assertRegex(self.run_jobs("false").stderr, r"^collcast: [^\n]*steps.json: the job has no 'rolse'[^\n]*\n$")


if __name__ == "__main__":
    SOURCE, COLLCAST, LAUNCHER = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    unittest.main(argv=sys.argv[:1])
