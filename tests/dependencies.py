#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders depend in one direction, sub-folders too: fails on an #include that points the other way, or that is relative. Fails
on a fraction that is read or written as the locale has it, too: support/decimal.hpp has the functions."""
import pathlib
import re
import sys

# What each folder may include besides itself; a longer name overrides a shorter one.
ALLOWED = {
    "support": "",
    "model": "support",
    "algorithms": "support model",
    "algorithms/exchange": "support model algorithms",
    "platforms/description": "support model",
    "platforms/network": "support model platforms/description",
    "platforms/machine": "support model platforms/description platforms/network",
    "platforms/exchange": "support model platforms/description platforms/network platforms/machine",
    "platforms/picture": "support model platforms/description platforms/network platforms/machine",
    "libraries": "support model algorithms platforms",
    "engines": "support model algorithms engines/player engines/contention engines/simgrid",
    "engines/player": "support model",
    "engines/contention": "support model engines/player",
    "engines/simgrid": "support model engines/player",
    "engines/smpi": "support model",
    "forecast": "support model algorithms platforms libraries engines",
    "replay/trace": "support model",
    "replay/recorder": "support model replay/trace",
    "replay/source": "support model",
    "replay/formats": "support model replay/source replay/trace",
    "replay/application": "support model algorithms platforms libraries engines forecast replay/source",
    "workloads": "support model algorithms platforms replay/source",
    "workloads/playing": "support model algorithms platforms libraries engines forecast replay workloads",
    "execution/mpi": "support model algorithms",
    "execution/check": "support model algorithms execution/mpi",
    "execution/offload": "support model algorithms execution/mpi execution/check",
    "execution/job": "support model algorithms workloads execution/mpi execution/check execution/offload",
    "execution/cuda": "support model algorithms execution/mpi execution/check",
    "validation": "support model algorithms platforms libraries engines forecast replay workloads",
    "cli": "support model algorithms platforms libraries engines forecast replay workloads validation",
    "cli/mpi": "support model algorithms workloads execution",
    "cli/measure": "support model algorithms execution",
    "python": "support model algorithms platforms libraries engines forecast replay workloads validation",
    "bench": "support model algorithms platforms libraries engines forecast replay execution",
}
ONLY_IN = {"simgrid/": ("engines/simgrid/", "bench/"), "mpi.h": ("execution/", "replay/recorder/", "cli/", "bench/"),
           "sqlite3.h": ("forecast/sweep/", "replay/formats/", "tests/replay/formats/"), "cuda": ("execution/cuda/",), "nccl.h": ("execution/cuda/",)}
BY_LOCALE = re.compile(r"\b(strto[df]|stod|as_double)\(|snprintf\([^;]*%[-+ #0-9.*]*[aefgAEFG]")


def home(name):
    """The longest entry of ALLOWED that `name` lies in."""
    return max((f for f in ALLOWED if name == f or name.startswith(f + "/")), key=len, default=None)


def wrong_include(name, line):
    if own := re.match(r'\s*#\s*include "(.*)"', line):
        here, there = home(name), home(own[1])
        if there is None:
            return own[1] != "commit.hpp"  # made by the build
        return here != there and not any(there == f or there.startswith(f + "/") for f in ALLOWED[here].split())
    if library := re.match(r"\s*#\s*include <(.*)>", line):
        return any(library[1].startswith(prefix) and not name.startswith(homes) for prefix, homes in ONLY_IN.items())
    return False


root = pathlib.Path(sys.argv[1])
files = [p for top in sorted({f.split("/")[0] for f in ALLOWED}) for p in sorted((root / top).rglob("*"))
         if p.suffix in {".hpp", ".cpp", ".cu", ".c"}]
wrong = [f"{name}: {line.strip()}" for p in files for name in [p.relative_to(root).as_posix()]
         for line in p.read_text().splitlines() if wrong_include(name, line) or BY_LOCALE.search(line)]
print("\n".join(wrong) or f"every include of {len(files)} files points the right way")
sys.exit(bool(wrong))
