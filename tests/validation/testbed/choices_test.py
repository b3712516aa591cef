#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of validation/choices' tuned.py and synthesized.py say what was measured, and where a bar is missed. usage: choices_test.py SOURCE"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1])
TUNED = "collective,message_bytes,play,algorithm,segment_bytes,forecast_s,measured_s,low_s,high_s,rounds,disturbed"
MADE = "collective,message_bytes,play,algorithm,segments,barred,forecast_s,measured_s,low_s,high_s,rounds,disturbed"


def report(what, *files):
    command = [sys.executable, "-B", SOURCE / f"validation/choices/{what}.py", "report", *files]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Choices(unittest.TestCase):
    def of(self, what, head, *rows):
        with tempfile.TemporaryDirectory() as scratch:
            file = pathlib.Path(scratch) / f"testbed-{what}.csv"
            file.write_text("\n".join([head, *rows]) + "\n")
            return report(what, file)

    def test_pages_are_what_was_measured(self):
        for campaign in ("tuned", "tuned-mpich", "synthesized"):
            page = report(campaign.removesuffix("-mpich"), SOURCE / f"validation/data/testbed-{campaign}.csv").stdout
            self.assertEqual(page, (SOURCE / f"docs/generated/testbed-{campaign}.md").read_text(), campaign)

    def test_a_table_of_no_grid(self):
        done = report("tuned", "other.csv")
        self.assertEqual((done.returncode, done.stderr), (2, "tuned.py: other.csv: there is no other.json in validation/choices\n"))

    def tuned(self, default, by_file, best):
        return self.of("tuned", TUNED, f"reduce,4096,default,binary,0,{default},{default},1,1,2,0",
                       f"reduce,4096,tuned,linear,0,{by_file},{by_file},1,1,2,0", f"reduce,4096,chain,chain,0,,{best},1,1,2,0")

    def test_bars_of_tune(self):
        # Of the 10 ms that the best saves the file gets 9.6; its regret is 4 %.
        done = self.tuned(0.020, 0.0104, 0.010)
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 of 1 points (100 % of all); 96 % at worst, 96 % in the mean | kept", done.stdout)
        self.assertIn("4.00 %; 4.0 % at worst | missed", done.stdout)
        self.assertIn("| reduce | 4 KiB | binary | 20 ms | +0.0 % | linear | 10.4 ms | +0.0 % | chain | 10 ms | - | 2.00 | 96 % | +4.0 % |", done.stdout)
        self.assertEqual(self.tuned(0.020, 0.0102, 0.010).returncode, 0)
        self.assertIn("0 of 1 points (100 % of all); 80 % at worst, 80 % in the mean | missed", self.tuned(0.020, 0.012, 0.010).stdout)
        slower = self.tuned(0.010, 0.011, 0.010).stdout
        self.assertIn("0 of 1 points; at worst 1.100 of its time | missed", slower)
        self.assertIn("0 of 0 points (0 % of all) | kept", slower)

    def synthesized(self, default, made, best, forecast):
        return self.of("synthesized", MADE, f"alltoall,1048576,default,linear,,1,0.1,{default},1,1,2,0",
                       f"alltoall,1048576,synthesized,paths,1,1,{forecast},{made},1,1,2,0",
                       f"alltoall,1048576,catalogue,bruck,,1,0.1,{best},1,1,2,0", "alltoall,1048576,catalogue,linear,,1,0.1,0.9,1,1,2,1")

    def test_bars_of_synthesis(self):
        done = self.synthesized(0.2, 0.104, 0.1, 0.1)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("1 of 1 points; 1.040 of its time in the mean, 1.040 at worst | kept", done.stdout)
        self.assertIn("1 of 1 points; 3.8 % in the mean, -3.8 % at worst | kept", done.stdout)
        self.assertIn("0 of 1 points; 1.060 of its time", self.synthesized(0.1, 0.106, 0.2, 0.106).stdout)
        self.assertIn("0 of 1 points; 10.0 % in the mean, +10.0 % at worst | missed", self.synthesized(0.2, 0.1, 0.1, 0.11).stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
