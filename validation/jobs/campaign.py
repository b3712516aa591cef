#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Described jobs, predicted and then measured. Those of OFFLOADED also with a worker for each rank that plays its collectives.

usage: campaign.py run COLLCAST PLATFORM JOBS FOLDER -- LAUNCHER...   predicts the job files in JOBS on a calibrated platform,
           writes FOLDER/prediction.jsonl, then measures by `LAUNCHER... collcast-mpi job` what FOLDER/measured.jsonl lacks.
           In LAUNCHER, {ranks} becomes the number of processes, and {seats} `--per-host 2` where there are workers
       campaign.py report FOLDER...                                   a table of these runs, in Markdown; exit code 1 if one
           is out of its bounds"""
import json
import os
import pathlib
import statistics
import subprocess
import sys

MEAN, WORST = 0.03, 0.10
REPETITIONS = 11
OFFLOADED = ["p3dfft-nonblocking"]
LATE_US = 50  # a switch that is later on average disqualifies the session (docs/testbed.md)
CONTROLS = {"serial": "nothing overlaps: one stream", "bandwidth": "only bytes take time", "compute": "communication is free"}
WITHOUT_TIMES = ["network.latency_us=0", "network.switch_latency_us=0"]


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def forecast(collcast, platform, job, *settings):
    command = [collcast, "job", str(job), "--platform", str(platform), "--format", "json"]
    run = subprocess.run([*command, *(word for s in settings for word in ("--set", s))], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise SystemExit(run.stderr.strip())
    return json.loads(run.stdout)["rows"][0]


def serial(job):
    """All of a role's activities one after the other, in the order of the file."""
    def flat(activities):
        return [{**a, "do": flat(a["do"])} if "repeat" in a else {k: v for k, v in a.items() if k != "stream"} for a in activities]
    return {**job, "streams": ["all"], "roles": [{**role, "do": flat(role["do"])} for role in job["roles"]]}


def cases(folder):
    """(name, job file, workers of each rank)"""
    jobs = sorted(pathlib.Path(folder).resolve().glob("*.json"))
    return [(job.stem, job, 0) for job in jobs] + [(job.stem + "-by-workers", job, 1) for job in jobs if job.stem in OFFLOADED]


def predict(collcast, platform, name, job, folder):
    one_stream = folder / f"serial-{job.name}"
    one_stream.write_text(json.dumps(serial(json.loads(job.read_text()))))
    row = forecast(collcast, platform, job)
    return {"job": name, "ranks": row["ranks"], "time_s": row["step_s"], "compute_s": row["compute_s"],
            "controls": {"serial": forecast(collcast, platform, one_stream)["step_s"],
                         "bandwidth": forecast(collcast, platform, job, *WITHOUT_TIMES)["step_s"],
                         "compute": row["compute_s"]}}


def started(launcher, ranks, workers):
    seats = {"{seats}": ["--per-host", str(1 + workers)] if workers else []}
    return [w.replace("{ranks}", str(ranks * (1 + workers))) for word in launcher for w in seats.get(word, [word])]


def measure(player, launcher, name, job, ranks, workers):
    command = [*started(launcher, ranks, workers), player, "job", str(job), "--check", "--repetitions", str(REPETITIONS),
               "--format", "json", *(["--workers", str(workers)] if workers else [])]
    before = os.getloadavg()[0]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise SystemExit(f"{name}: {run.stderr.strip() or f'exit code {run.returncode}'}")
    return {**json.loads(run.stdout), "job": name, "load": [before, os.getloadavg()[0]]}


def run(collcast, platform, jobs, folder, launcher):
    folder.mkdir(parents=True, exist_ok=True)
    predictions, measured = folder / "prediction.jsonl", folder / "measured.jsonl"
    if not predictions.exists():
        text = "".join(json.dumps(predict(collcast, platform, name, job, folder)) + "\n" for name, job, _ in cases(jobs))
        predictions.write_text(text)
    ranks = {p["job"]: p["ranks"] for p in lines(predictions)}
    if set(ranks) != {name for name, _, _ in cases(jobs)}:
        raise SystemExit(f"{folder} holds predictions of other jobs")
    done = {m["job"] for m in lines(measured)}
    player = str(pathlib.Path(collcast).resolve().parent / "collcast-mpi")
    for name, job, workers in cases(jobs):
        if name in done:
            continue
        print(f"measuring {name}", file=sys.stderr)
        answer = measure(player, launcher, name, job, ranks[name], workers)
        with measured.open("a") as file:
            file.write(json.dumps(answer) + "\n")


def error(predicted, measured):
    return predicted / measured - 1


def percent(share):
    return f"{100 * share:+.2f} %"


def table(head, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]) + "\n"


def report(folders):
    rows, summary, kept = [], [], True
    for folder in folders:
        name = "/".join(folder.parts[-2:])
        predicted = {p["job"]: p for p in lines(folder / "prediction.jsonl")}
        measured = lines(folder / "measured.jsonl")
        if len(measured) != len(predicted):
            raise SystemExit(f"{folder} is not complete: {len(measured)} of {len(predicted)} jobs were measured")
        errors = {"collcast": [], **{control: [] for control in CONTROLS}}
        for m in measured:
            p = predicted[m["job"]]
            errors["collcast"].append(error(p["time_s"], m["time_s"]))
            for control in CONTROLS:
                errors[control].append(error(p["controls"][control], m["time_s"]))
            low, high = m["interval_s"]
            rows.append([name, m["job"], f"{1e3 * p['time_s']:.1f} ms", f"{1e3 * m['time_s']:.1f} ms",
                         f"{1e3 * low:.1f} to {1e3 * high:.1f} ms", percent(errors["collcast"][-1]),
                         *(percent(errors[c][-1]) for c in CONTROLS), str(m["late_starts"])])
        mean = {who: statistics.mean(map(abs, e)) for who, e in errors.items()}
        worst = max(errors["collcast"], key=abs)
        holds = mean["collcast"] <= MEAN and abs(worst) <= WORST
        kept = kept and holds
        loads = [load for m in measured for load in m["load"]]
        late = lateness(folder)
        summary.append([name, str(len(measured)), f"{100 * mean['collcast']:.2f} %", percent(worst),
                        "kept" if holds else "missed", *(f"{100 * mean[c]:.1f} %" for c in CONTROLS),
                        f"{min(loads):.1f} to {max(loads):.1f}", f"{late:.0f} us" + (" (reject)" if late > LATE_US else "") if late else "-"])
    words = "; ".join(f"{name}: {what}" for name, what in CONTROLS.items())
    print(f"Error is (predicted - measured) / measured. Bounds: mean {100 * MEAN:g} %, worst {100 * WORST:g} %. Controls: {words}.\n")
    print(table(["run", "jobs", "mean \\|error\\|", "worst", "bounds", *(f"{c}: mean" for c in CONTROLS), "load", "switch late"], summary))
    print(table(["run", "job", "predicted", "measured", "95 % interval", "error", *CONTROLS, "late starts"], rows))
    return 0 if kept else 1


def lateness(folder):
    status = folder / "switch.json"
    return json.loads(status.read_text())["statistics"]["lateness_mean_us"] if status.exists() else None


def main(arguments):
    if arguments[:1] == ["run"] and len(arguments) > 6 and arguments[5] == "--":
        return run(arguments[1], arguments[2], arguments[3], pathlib.Path(arguments[4]), arguments[6:]) or 0
    if arguments[:1] == ["report"] and len(arguments) > 1:
        return report([pathlib.Path(folder) for folder in arguments[1:]])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
