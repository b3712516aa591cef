#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every scenario of scenarios.txt and compares what the program answers with what stands there, at 9 digits.

Usage: check.py [--update] [--without-simgrid] [--every N] COLLCAST SOURCE_DIR
--update writes today's answers into the file; a scenario whose answer moved loses its reason and needs a new one.
"""
import argparse
import dataclasses
import json
import pathlib
import re
import shlex
import subprocess
import sys

# What a scenario records of each object of the answer; keys that an answer lacks are left out.
ROW = ["collective", "algorithm", "parameters", "ranks", "root", "message_bytes", "time_s", "low_s", "high_s", "lower_bound_s",
       "limited_by", "calibrated", "workers", "compute_s", "total_s", "overlap_percent"]
PROOF = ["collective", "algorithm", "ranks", "holds", "message_bytes", "steps", "messages", "bytes_on_wire",
         "max_messages_per_rank_sent", "max_bytes_per_rank_sent"]
REPLAY = ["ranks", "time_s", "compute_s", "communication_s", "exposed_communication_s", "recorded_time_s", "limited_by"]
OPERATION = ["operation", "count", "bytes", "time_s", "algorithm", "reason"]
STEP = ["ranks", "step_s", "low_s", "high_s", "compute_s", "exposed_communication_s", "bubble_s", "communication_s", "agreement_s",
        "memory_B", "limited_by"]
RUN = ["platform", "time_s", "compute_s", "exposed_communication_s", "dearest_collective", "dearest_collective_s", "limited_by"]

RECORDED = {
    "predict": lambda a: [(ROW, r) for r in a["predictions"]],
    "prove": lambda a: [(PROOF, a)],
    "replay": lambda a: [(REPLAY, a)] + [(OPERATION, o) for o in a["operations"] + a["not_modelled"]],
    "train": lambda a: [(STEP, r) for r in a["rows"]],
    "job": lambda a: [(STEP, r) for r in a["rows"]],
    "compare": lambda a: [(RUN, r) for r in a["runs"]],
}


@dataclasses.dataclass
class Scenario:
    """`[name]`, `$ collcast ...`, `why: ...`, then a line of JSON for each row of the answer."""
    name: str
    command: str
    why: str
    was: str    # the reason of the numbers before, as --update leaves it; empty in a finished file
    rows: list
    tail: list  # blank lines, comments and headings up to the next scenario


def parse(text):
    """The lines before the first scenario, and the scenarios."""
    scenarios, head, field = [], [], None
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.fullmatch(r"\[(.+)\]", line):
            scenarios.append(Scenario(match[1], "", "", "", [], []))
            field = None
        elif not scenarios:
            head.append(line)
        elif line.startswith("$ collcast "):
            scenarios[-1].command = line.removeprefix("$ collcast ")
        elif match := re.match(r"(why|was):(.*)", line):
            field = match[1]
            setattr(scenarios[-1], field, match[2].strip())
        elif line.startswith("  ") and field:
            setattr(scenarios[-1], field, f"{getattr(scenarios[-1], field)} {line.strip()}".strip())
        elif line.startswith("{"):
            scenarios[-1].rows.append(line)
        elif not line or line.startswith("#"):
            scenarios[-1].tail.append(line)
            field = None
        else:
            sys.exit(f"scenarios.txt, line {number}: '{line}' is no [name], '$ collcast', why, was, row or # comment")
    return head, scenarios


def wrapped(key, text):
    """`why: ...` in lines of at most 118 columns."""
    lines, line = [], f"{key}:"
    for word in text.split():
        if len(line) + 1 + len(word) > 118:
            lines.append(line)
            line = " "
        line += f" {word}"
    return lines + [line]


def render(head, scenarios):
    lines = list(head)
    for s in scenarios:
        lines += [f"[{s.name}]", f"$ collcast {s.command}", *wrapped("why", s.why)]
        lines += wrapped("was", s.was) if s.was else []
        lines += s.rows + s.tail
    return "\n".join(lines) + "\n"


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {key: rounded(v) for key, v in value.items()}
    return value


def answer(collcast, source, scenario):
    """The rows of the answer as lines of JSON, numbers at 9 digits; or what went wrong."""
    arguments = shlex.split(scenario.command)
    run = subprocess.run([collcast, *arguments, "--format", "json"], capture_output=True, text=True, cwd=source)
    if run.returncode:
        return None, f"exit code {run.returncode}: {run.stderr.strip()}"
    rows = []
    for keys, found in RECORDED[arguments[0]](json.loads(run.stdout)):
        rows.append(json.dumps({k: rounded(found[k]) for k in keys if found.get(k) is not None}))
    return rows, ""


def differences(old, new):
    """One line for each value that is another one now."""
    if len(old) != len(new):
        yield f"{len(old)} rows stand in the file, {len(new)} came"
        return
    for number, (before, now) in enumerate(zip(map(json.loads, old), map(json.loads, new)), 1):
        label = " ".join(str(now[k]) for k in ("operation", "platform", "algorithm", "message_bytes") if k in now)
        for key in [*before, *(k for k in now if k not in before)]:
            a, b = before.get(key), now.get(key)
            if a != b:
                moved = f" ({100 * (b - a) / a:+.3g} %)" if isinstance(a, float) and isinstance(b, float) and a else ""
                yield f"row {number}, {label}: {key} was {json.dumps(a)}, is {json.dumps(b)}{moved}"


def unexplained(scenario):
    """What is missing of its reason."""
    if not scenario.why:
        yield "no reason: write behind 'why:' why these numbers are right" + (" now, and delete 'was:'" if scenario.was else "")
    elif scenario.was:
        yield "the reason of the old numbers still stands under 'was:'" + (", and is the new one's" if scenario.was == scenario.why else "")


def uncovered(collcast, scenarios):
    """Platforms and collectives that no scenario asks about."""
    def listed(verb, key):
        run = subprocess.run([collcast, verb, "--format", "json"], capture_output=True, text=True, check=True)
        return {entry[key] for entry in json.loads(run.stdout)}

    words = {word.split(",")[0] for s in scenarios for word in s.command.split()}
    for what in sorted(listed("platforms", "platform") - words):
        yield f"no scenario runs on platform {what}"
    for what in sorted(listed("algorithms", "collective") - words):
        yield f"no scenario has collective {what}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--without-simgrid", action="store_true")
    parser.add_argument("--every", type=int, default=1, help="runs every Nth scenario only")
    parser.add_argument("collcast", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    options = parser.parse_args()
    collcast, file = options.collcast.resolve(), pathlib.Path(__file__).with_name("scenarios.txt")
    head, scenarios = parse(file.read_text())
    wrong, skipped = list(uncovered(collcast, scenarios)), 0
    names = [s.name for s in scenarios]
    wrong += [f"two scenarios are named '{name}'" for name in sorted({n for n in names if names.count(n) > 1})]
    for s in scenarios[::options.every]:
        if options.without_simgrid and "--engine simgrid" in s.command:
            print(f"skipped: {s.name}: this build has no SimGrid")
            skipped += 1
            continue
        rows, error = answer(collcast, options.source, s)
        complaints = [error] if error else list(differences(s.rows, rows))
        if options.update and rows is not None and rows != s.rows:
            print(f"updated: {s.name}")
            if s.rows:
                s.why, s.was = "", s.why or s.was
            s.rows, complaints = rows, []
        wrong += [f"{s.name}: {line}" for line in [*complaints, *unexplained(s)]]
    if options.update:
        file.write_text(render(head, scenarios))
    print(*wrong, sep="\n")
    rows = sum(len(s.rows) for s in scenarios[::options.every])
    print(f"{len(scenarios[::options.every])} scenarios, {rows} rows, {skipped} scenarios skipped, {len(wrong)} complaints")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
