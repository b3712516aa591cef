#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The output that README.md and docs/ show behind `$ collcast ...`, and the demo's table, are what the program prints.

Usage: documents.py [--without-simgrid] [--every N] [--update] COLLCAST SOURCE_DIR
A shown output with a line `...` is some of the printed lines, in their order; a command behind which nothing is shown is
not run. --update writes what is printed into the pages, but for outputs with `...`.
"""
import argparse
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

COMMAND = re.compile(r"\$ (?:build/release/)?collcast ((?:.*\\\n)*.*)\n")
LEFT_OUT = "..."
DEMO = re.compile(r"`scripts/demo` ends with\n\n```\n(.*?)```", re.DOTALL)


def examples(text):
    """(arguments, shown output) of each command in a console block that shows what it prints."""
    for block in re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^(?=\$ )", block, flags=re.MULTILINE):
            match = COMMAND.match(part)
            if match and part[match.end():].strip():
                yield match[1], part[match.end():]


def demo(source):
    """The arguments with which scripts/demo ends, its trace being the usual one."""
    script = (source / "scripts/demo").read_text()
    trace = re.search(r"trace=\$\{1:-(.*)\}", script)[1]
    return re.search(r"^exec build/release/collcast (.*)", script, re.DOTALL | re.MULTILINE)[1].replace('"$trace"', trace)


def run(collcast, folder, arguments):
    return subprocess.run(f"{collcast} {arguments}", shell=True, capture_output=True, text=True, cwd=folder)


def differences(run, shown):
    """A diff from what is shown to what is printed; nothing where they agree."""
    if run.returncode:
        return [f"exit code {run.returncode}: {run.stderr.strip()}"]
    wanted, printed = shown.rstrip().splitlines(), run.stdout.rstrip().splitlines()
    if LEFT_OUT in wanted:
        rest = iter(printed)
        return [f"not printed here: {line}" for line in wanted if line != LEFT_OUT and line not in rest]
    return list(difflib.unified_diff(wanted, printed, "shown", "printed", lineterm="", n=0))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--without-simgrid", action="store_true")
    parser.add_argument("--every", type=int, default=1, help="runs every Nth example only")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("collcast", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    options = parser.parse_args()
    collcast, source = options.collcast.resolve(), options.source.resolve()
    shown = [(page, *example) for page in [source / "README.md", *sorted(source.glob("docs/**/*.md"))]
             for example in examples(page.read_text())]
    if options.without_simgrid:
        print("skipped: scripts/demo: this build has no SimGrid")
    else:
        shown.append((source / "README.md", demo(source), DEMO.search((source / "README.md").read_text())[1]))
    shown, wrong = shown[::options.every], 0
    with tempfile.TemporaryDirectory() as folder:  # what an example writes is left here
        for entry in source.iterdir():
            (pathlib.Path(folder) / entry.name).symlink_to(entry)
        for page, arguments, output in shown:
            printed = run(collcast, folder, arguments)
            if found := differences(printed, output):
                if options.update and printed.returncode == 0 and LEFT_OUT not in output.splitlines():
                    page.write_text(page.read_text().replace(output.rstrip(), printed.stdout.rstrip()))
                    continue
                wrong += 1
                print(f"{page.relative_to(source)}: $ collcast {arguments.strip()}", *found, sep="\n  ")
    print(f"{len(shown)} examples, {wrong} that the program does not print")
    return 1 if wrong or not shown else 0


if __name__ == "__main__":
    sys.exit(main())
