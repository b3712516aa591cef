#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders depend in one direction: fails on an #include that points the other way."""
import pathlib
import re
import sys

ALLOWED = {
    "model": {"model"},
    "algorithms": {"model", "algorithms"},
    "platforms": {"model", "platforms"},
    "replay": {"model", "algorithms", "platforms", "replay"},
    "validation": {"model", "algorithms", "platforms", "replay", "validation"},
    "cli": {"model", "algorithms", "platforms", "replay", "validation", "cli"},
}
ONLY_IN = {"simgrid/": "replay/simgrid/", "mpi.h": "replay/"}  # substrates stay in their folder

root = pathlib.Path(sys.argv[1])
wrong = []
for folder, allowed in ALLOWED.items():
    for path in [*(root / folder).rglob("*.hpp"), *(root / folder).rglob("*.cpp")]:
        name = path.relative_to(root).as_posix()
        for line in path.read_text().splitlines():
            if own := re.match(r'#include "(\w+)/', line):
                if own[1] not in allowed:
                    wrong.append(f"{name}: {line}")
            elif library := re.match(r"#include <(.*)>", line):
                wrong += [f"{name}: {line}" for prefix, home in ONLY_IN.items()
                          if library[1].startswith(prefix) and not name.startswith(home)]
print("\n".join(wrong) or "every include points the right way")
sys.exit(bool(wrong))
