#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every example of every --help is taken by the program, and every verb's JSON and CSV are what their readers expect.

Usage: first_contact.py [--every=N] COLLCAST SOURCE_DIR   (only every Nth verb)
An example that works for more than a second was taken; one may lack a file that only its user has.
"""
import csv
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile

VERBS = [
    "algorithms", "platforms", "platforms summit", "prove allreduce --algorithm ring --ranks 8",
    "predict allreduce,bcast -p summit,flat -n 6,12 -s 1KiB,1MiB", "predict barrier -p summit -n 12",
    "predict allreduce -p summit -n 12 -s 1MiB -a all --explain", "inspect traces/hpcc-8.cct",
    "replay traces/hpcc-8.cct -p summit,flat --engine path", "compare allreduce -s 1MiB -n 8 --on summit --on flat --algorithm ring,swing",
    "models", "models resnet50", "train -m resnet50 -p summit -n 6,12", "job", "job p3dfft -p summit -n 12",
    "plan -m resnet50 --framework ddp --samples 1e6 -p dgx-a100 -n 8,16", "explain",
    "tune --for openmpi -p frontera -n 8 -s 1KiB,1MiB -o rules.txt", "synthesize allgather -p dgx-1v -n 8",
    "gap allreduce -p dgx-1v -n 8 -s 1MiB",
]


def run(words, folder):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True)


def strict(text):
    """JSON without NaN and infinities, which it does not have."""
    def refuse(constant):
        raise ValueError(constant)
    return json.loads(text, parse_constant=refuse)


def unreadable(collcast, folder, every):
    """What a reader of JSON or CSV would complain of."""
    for verb in VERBS[::every]:
        for form in ("json", "csv"):
            answer = run([collcast, *verb.split(), "--format", form], folder)
            if answer.returncode:
                yield f"{verb} --format {form}: exit code {answer.returncode}: {answer.stderr.strip()}"
            elif form == "json":
                try:
                    strict(answer.stdout)
                except ValueError as e:
                    yield f"{verb}: no JSON: {e}"
            else:
                rows = list(csv.reader(io.StringIO(answer.stdout), strict=True))
                if len(rows) < 2 or len({len(r) for r in rows}) != 1 or len(set(rows[0])) != len(rows[0]):
                    yield f"{verb}: no table: {answer.stdout[:200]}"


def refused(collcast, folder, every):
    """Examples that the program refuses, and verbs without any."""
    verbs = re.findall(r"^  ([a-z]+) ", run([collcast, "--help"], folder).stdout.split("Subcommands:")[1], re.M)
    for verb in verbs[::every]:
        text = run([collcast, verb, "--help"], folder).stdout
        examples = re.findall(r"^(?:Example:|        ) (collcast .*)$", text.replace(" \\\n    ", " "), re.M)
        if not examples and verb != "completion" and not text.startswith("Not in this build"):
            yield f"{verb} --help shows no example"
        for example in examples:
            if " mpirun " in example or " --script " in example:
                continue
            command = re.sub(r"\bcollcast (?=[a-z])", f"timeout 1 {collcast} ", example.split(" | ")[0])
            answer = run(["bash", "-c", command], folder)
            if answer.returncode not in (0, 124) and "cannot be read: No such file" not in answer.stderr:
                yield f"{example}: exit code {answer.returncode}: {answer.stderr.strip()}"


def main():
    every = int(sys.argv.pop(1).removeprefix("--every=")) if len(sys.argv) == 4 else 1
    collcast, source = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        for name in ("traces", "docs"):
            (pathlib.Path(folder) / name).symlink_to(source / name)
        found = [*unreadable(collcast, folder, every), *refused(collcast, folder, every)]
    for complaint in found:
        print(complaint)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
