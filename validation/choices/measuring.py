# SPDX-License-Identifier: Apache-2.0
"""What tuned.py and synthesized.py share: forecasts, ranks on the testbed, rounds that a disturbance does not count in."""
import csv
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LATE_US = 50  # a switch that is later on average disqualifies what was measured meanwhile (docs/testbed.md)
ATTEMPTS = 2
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}


def spoken(command):
    """What the command printed; ends with its last words where it fails."""
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        words = run.stderr.strip().splitlines() or [f"exit code {run.returncode}"]
        raise SystemExit(f"{' '.join(map(str, command[:3]))}...: {words[-1]}")
    return run.stdout


def forecast(collcast, *words):
    return json.loads(spoken([collcast, *words, "--format", "json"]))


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class Testbed:
    """A testbed that is up, and the programs that measure on it."""

    def __init__(self, name, collcast, ranks, folder, library="openmpi"):
        self.command = [ROOT / "scripts/testbed", "--name", name]
        self.programs = pathlib.Path(collcast).resolve().parent
        self.measure = os.environ.get("COLLCAST_MEASURE", self.programs / "collcast-measure")  # as `collcast calibrate` finds it
        self.ranks, self.folder, self.library = ranks, folder, library

    def play(self, program, told=()):
        """What the program prints; `told` are words of `testbed run`."""
        return spoken([*self.command, "run", "--library", self.library, "--ranks", self.ranks, *told, "--",
                       self.programs / program[0], *program[1:]])

    def points(self, requests, effort, told=()):
        """The points of collcast-measure."""
        file = self.folder / "requests.jsonl"
        file.write_text("".join(json.dumps({"id": i, "ranks": self.ranks, **r}) + "\n" for i, r in enumerate(requests)))
        words = [word for key, value in effort.items() for word in (f"--{key}", value)]
        answers = [json.loads(line) for line in self.play([self.measure, file, *words], told).splitlines()]
        file.unlink()
        return [{**r, **{key: a[key] for key in ("time_s", "repetitions", "late_starts")}} for r, a in zip(requests, answers, strict=True)]

    def switch(self):
        counted = json.loads(spoken([*self.command, "status", "--format", "json"]))["statistics"]
        return counted["frames_delivered"], counted["frames_delivered"] * counted["lateness_mean_us"]


def measure(testbed, units, rounds, play):
    """`rounds` times each unit, in turn forwards and backwards; `play(unit)` gives its measurements. Repeats a unit during which the switch was
    late. Goes on where it was."""
    file = testbed.folder / "measured.jsonl"
    done = {(line["round"], line["unit"]) for line in lines(file) if not line["disturbed"]}
    for turn in range(rounds):
        for unit in list(units) if turn % 2 == 0 else reversed(list(units)):
            for attempt in range(ATTEMPTS):
                if (turn, unit) in done:
                    break
                print(f"round {turn + 1} of {rounds}: {unit}" + (", again" if attempt else ""), file=sys.stderr)
                before = testbed.switch()
                measured = play(unit)
                frames, late = (b - a for a, b in zip(before, testbed.switch()))
                line = {"round": turn, "unit": unit, "switch_late_us": late / frames, "disturbed": late / frames > LATE_US, "measured": measured}
                with file.open("a") as out:
                    out.write(json.dumps(line) + "\n")
                if not line["disturbed"]:
                    done.add((turn, unit))


def summary(folder, key):
    """By `key(measurement)`: median, least and largest of the rounds' medians, how many rounds, and the share of repetitions that began late.
    Disturbed ones count where there are no others, and are marked."""
    read = lines(folder / "measured.jsonl")
    calm = {line["unit"] for line in read if not line["disturbed"]}
    times, disturbed, begun = {}, {}, {}
    for line in read:
        if line["disturbed"] and line["unit"] in calm:
            continue
        for m in line["measured"]:
            times.setdefault(key(m), []).append(m["time_s"])
            disturbed[key(m)] = int(line["disturbed"])
            begun.setdefault(key(m), []).append((m.get("late_starts", 0), m["repetitions"]))
    return {k: {"measured_s": statistics.median(t), "low_s": min(t), "high_s": max(t), "rounds": len(t), "disturbed": disturbed[k],
                "late": sum(late for late, _ in begun[k]) / sum(all_of for _, all_of in begun[k])}
            for k, t in times.items()}


def took(row):
    """With a star where all attempts were disturbed, and a cross where most repetitions began late."""
    return seconds(row["measured_s"]) + (" \\*" if row["disturbed"] else "") + (" †" if began_late(row) else "")


def began_late(row):
    return (row.get("late") or 0) >= 0.5


def footnote(rows):
    if any(r["disturbed"] for r in rows):
        print(f"\\* In every attempt the switch was more than {LATE_US} us late on average: rejected as a measurement, shown, and counted above.\n")
    if any(map(began_late, rows)):
        print("† At least half of the repetitions began late on some rank, and their times contain that: shown, and counted above.\n")


def health(folder):
    read = lines(folder / "measured.jsonl")
    late = [line["switch_late_us"] for line in read if not line["disturbed"]]
    return {"units": len(read), "disturbed": sum(line["disturbed"] for line in read), "switch_late_us": statistics.mean(late) if late else None}


def write_table(path, rows):
    with path.open("w", newline="") as file:
        out = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        out.writeheader()
        out.writerows({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows)


def read_table(path):
    def value(text):
        try:
            return float(text)
        except ValueError:
            return text or None
    with path.open(newline="") as file:
        return [{k: value(v) for k, v in row.items()} for row in csv.DictReader(file)]


def bytes_of(text):
    unit = text.lstrip("0123456789.")
    return int(float(text[:-len(unit)]) * UNITS[unit])


def size(count):
    for unit, many in reversed(UNITS.items()):
        if count >= many:
            return f"{count / many:g} {unit}"
    return "0 B"


def seconds(value):
    return "-" if value is None else f"{value * 1e3:.3g} ms" if value < 0.9995 else f"{value:.3g} s"


def percent(share):
    return f"{100 * share:+.1f} %"


def table(head, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]) + "\n"


def asked(arguments, run, report, usage):
    """`run COLLCAST PLATFORM GRID FOLDER TESTBED` or `report FILE...`; the exit code."""
    if arguments[:1] == ["run"] and len(arguments) == 6:
        return run(*arguments[1:4], pathlib.Path(arguments[4]), arguments[5]) or 0
    if arguments[:1] == ["report"] and len(arguments) > 1:
        return report([pathlib.Path(file) for file in arguments[1:]])
    print(usage, file=sys.stderr)
    return 2
