# SPDX-License-Identifier: Apache-2.0
"""Sweeps and campaigns on a real Slurm. Usage: slurm_test.py BINARY_FOLDER"""
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile

import cluster as slurm

binaries = pathlib.Path(sys.argv[1])
program = str(binaries / "collcast")
os.environ |= {"COLLCAST": program, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
TASKS = 4
SWEEP = {"platform": "summit", "ranks": "192:288:+48", "collective": "allreduce", "algorithm": ["ring", "rabenseifner"],
         "size": "64KiB:640KiB:+64KiB"}  # 60 points of a fiftieth of a second
LONGER = SWEEP | {"ranks": 1536, "size": "64KiB:1280KiB:+64KiB"}  # 40 points of a sixth of a second
CAMPAIGN = {"ranks": 2, "sizes": ["1KiB", "64KiB"], "points": [{"collective": "allreduce", "algorithm": name} for name in ("ring", "library")],
            "measure": {"least": 3, "most": 6, "limit_s": 2},
            "bounds": {"path": {"mean": 9, "worst": 9}}}


def collcast(*words, launcher=()):
    done = subprocess.run([*launcher, program, *words], capture_output=True, text=True)
    assert done.returncode == 0, f"{words}: {done.returncode} {done.stderr}"
    return done


def submitted(*words):
    """The number of the job."""
    note = collcast(*words).stderr
    return re.fullmatch(r"note: job (\d+) was submitted; .*\n", note).group(1)


def parts(folder):
    return [folder / f"part-{task}" for task in range(TASKS)]


def finished(part):
    """The points of a journal that nobody has open; from here on one that is asked again is an error."""
    journal = sqlite3.connect(part / "journal.sqlite")
    journal.execute("""CREATE TRIGGER IF NOT EXISTS once BEFORE INSERT ON points WHEN new.number IN (SELECT number FROM points)
                       BEGIN SELECT RAISE(ABORT, 'a finished point was asked again'); END""")
    numbers = {number for number, in journal.execute("SELECT number FROM points")}
    journal.close()
    return numbers


def stop_in_the_middle(job, tasks, part):
    """Each task stops when its journal has grown twice."""
    sizes = {task: set() for task in tasks}

    def stopped():
        for task in list(sizes):
            log = part[task] / "journal.sqlite-wal"
            if log.exists():
                sizes[task].add(log.stat().st_size)
            if len(sizes[task]) > 2:
                os.kill(processes(job, task)[1], signal.SIGSTOP)
                del sizes[task]
        return not sizes
    slurm.until(stopped, 60, f"{part} grow")


def processes(job, task):
    """Of a task: what Slurm started it with, it, and its own."""
    mine = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            environment = pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if {f"SLURM_ARRAY_JOB_ID={job}".encode(), f"SLURM_ARRAY_TASK_ID={task}".encode()} <= set(environment):
            mine.append(int(process))
    mine.sort()
    parent = int(re.search(r"PPid:\s*(\d+)", pathlib.Path(f"/proc/{mine[0]}/status").read_text()).group(1))
    return [parent, *mine]


def sweep_is_the_same_everywhere(folder):
    """On one core, on two, on the ranks of mpirun, as a job array; what it says."""
    asked = folder / "s.json"
    asked.write_text(json.dumps(SWEEP))
    rows = collcast("sweep", asked, "-j", "1", "--format", "csv", "-o", folder / "one").stdout
    assert rows.count("\n") == 61, rows
    assert collcast("sweep", asked, "-j", "2", "--format", "csv", "-o", folder / "two").stdout == rows
    ranks = ["mpirun", "--oversubscribe", "-np", "3"]
    assert collcast("sweep", asked, "--mpi", "--format", "csv", "-o", folder / "mpi", launcher=ranks).stdout == rows
    job = submitted("sweep", asked, "--slurm", "--tasks", str(TASKS), "-o", folder / "it's")
    assert slurm.wait(job, 120) == ["COMPLETED"] * TASKS, slurm.states(job)
    merged = collcast("sweep", "--merge", *parts(folder / "it's"), "--format", "csv", "-o", folder / "all")
    assert merged.stdout == rows


def nothing_is_lost_or_repeated(cluster, folder):
    """A task is killed, the node of another dies; that one Slurm starts again, the first the user."""
    asked = folder / "longer.json"
    asked.write_text(json.dumps(LONGER))
    rows = collcast("sweep", asked, "--format", "csv", "-o", folder / "longer").stdout
    job = submitted("sweep", asked, "--slurm", "--tasks", str(TASKS), "-o", folder / "lost")
    part = parts(folder / "lost")
    killed, orphaned = 1, 2
    stop_in_the_middle(job, [killed, orphaned], part)
    os.kill(processes(job, killed)[1], signal.SIGKILL)
    node = slurm.said("squeue", "--noheader", f"--job={job}_{orphaned}", "--format=%N").strip()
    cluster.lose(node, processes(job, orphaned))
    before = {task: finished(part[task]) for task in (killed, orphaned)}
    for task, numbers in before.items():
        assert 0 < len(numbers) < 40 // TASKS, f"task {task} was not in the middle: {numbers}"
    assert sorted(slurm.wait(job, 120)) == ["COMPLETED"] * 3 + ["FAILED"], slurm.states(job)
    whole = [finished(p) for p in part]
    assert [len(numbers) for numbers in whole] == [10, len(before[killed]), 10, 10], whole
    again = slurm.said("sbatch", "--parsable", folder / "lost/sweep.sbatch").strip()
    assert slurm.wait(again, 120) == ["COMPLETED"] * TASKS, slurm.states(again)
    merged = collcast("sweep", "--merge", *part, "--format", "csv", "-o", folder / "all-lost")
    assert merged.stdout == rows


def told_by(folder):
    """What the programs of a campaign printed."""
    return "\n".join(f"{file.relative_to(folder)}: {file.read_text().strip()}"
                     for file in [folder / "job.txt", folder / "skipped.txt", *sorted(folder.rglob("*.errors"))])


def campaign_is_measured_in_an_allocation(folder, nodes, launcher):
    asked, there = folder / "c.json", folder / launcher[0]
    asked.write_text(json.dumps(CAMPAIGN))
    job = submitted("validate", "--platform", "localhost", "--script", there, "--slurm", "--campaign", asked,
                    f"--sbatch=--nodes={nodes}", "--sbatch=--overcommit", "--", *launcher)
    assert slurm.wait(job, 120) == ["COMPLETED"], (there / "job.txt").read_text()
    assert len((there / "topology/nodes.txt").read_text().split()) == nodes
    skipped = (there / "skipped.txt").read_text()
    assert "scontrol failed: topology/slurm.txt.errors has its words\n" in skipped, skipped  # "No topology information available"
    laptop = there.rename(folder / f"{launcher[0]} elsewhere")
    told = json.loads(collcast("validate", "--report", laptop, "--format", "json").stdout)
    assert len(told["points"]) == 2 and told["not_measured"] == 0, told
    pairs = sorted(laptop.glob("calibration/*.jsonl"))
    assert [file.name.split(".")[0] for file in pairs] == ["far", "near"][2 - nodes:], told_by(laptop)
    own = folder / "own.json"
    collcast("calibrate", "--base", laptop / "platform.json", "--from", *pairs, "-o", own)
    told = json.loads(collcast("validate", "--platform", own, "--measurements", laptop / "measured.jsonl", "--format", "json").stdout)
    assert len(told["points"]) == 4 and told["left_out"] == [], told  # the library's own choice is forecast by the policy


def a_refusal_is_one_line(folder):
    refused = subprocess.run([program, "sweep", folder / "s.json", "--slurm", "--sbatch=--partition=none", "-o", folder / "none"],
                             capture_output=True, text=True)
    assert refused.returncode == 3, refused
    assert refused.stderr == ("collcast: sbatch ended with code 1: sbatch: error: Batch job submission failed: "
                              "Invalid partition name specified\n"), refused


def main():
    slurm.enter()
    with tempfile.TemporaryDirectory(prefix="collcast-slurm-") as name:
        folder = pathlib.Path(name)
        for own in ("slurm", "tmp"):
            (folder / own).mkdir()
        os.environ["TMPDIR"] = str(folder / "tmp")
        try:
            cluster = slurm.Cluster(folder / "slurm")
            sweep_is_the_same_everywhere(folder)
            nothing_is_lost_or_repeated(cluster, folder)
            campaign_is_measured_in_an_allocation(folder, 2, ["mpirun"])
            campaign_is_measured_in_an_allocation(folder, 1, ["srun", "--mpi=pmix", "-n", "{ranks}"])
            a_refusal_is_one_line(folder)
        except AssertionError:
            print((folder / "slurm/slurmctld.log").read_text())
            raise
        finally:
            slurm.leave()


if __name__ == "__main__":
    try:
        main()
    except slurm.Unavailable as reason:
        print(f"skipped: {reason}")
        sys.exit(77)
