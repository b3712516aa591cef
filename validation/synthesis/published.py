#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Schedules that TE-CCL and TACCL published against ours on the same links, as Markdown.

usage: published.py COLLCAST > docs/generated/published-schedules.md
       published.py --check PAGE COLLCAST   exit code 1 if the page is out of date, or a bar at 1 GB is missed
"""
import functools
import json
import pathlib
import subprocess
import sys
from typing import NamedTuple

FOLDER = pathlib.Path(__file__).resolve().parent
BAR = 0.995  # of the published bandwidth, at a gigabyte
ENGINES = ("path", "contention")


class Case(NamedTuple):
    name: str
    platform: str
    ranks: int
    collective: str
    published: dict  # GB/s by the bytes of the message


# microsoft/TE-CCL c128bf2, experiments/output_provided and, for TACCL, experiments_output/tables; TACCL's are rounded there
CASES = [
    Case("TE-CCL, fast epochs", "dgx-2-x2", 32, "allgather", {10**9: 129.03, 10**6: 93.02, 64 * 10**3: 14.81}),
    Case("TE-CCL, early stop", "dgx-2-x2", 32, "allgather", {2 * 10**9: 93.02, 2 * 10**6: 102.6, 128 * 10**3: 27.6}),
    Case("TE-CCL, fast epochs", "dgx-2-x2", 32, "alltoall", {10**9: 12.42, 10**6: 11.87, 64 * 10**3: 7.56}),
    Case("TE-CCL, slow epochs", "ndv2-x4", 32, "allgather", {10**9: 15.385, 10**6: 13.33, 64 * 10**3: 7.02}),
    Case("TE-CCL, fast epochs", "ndv2-x4", 32, "allgather", {10**9: 15.094, 10**6: 14.41, 64 * 10**3: 7.69}),
    Case("TACCL", "ndv2-x2", 16, "allgather", {10**9: 18.60, 10**6: 16.09, 64 * 10**3: 4.89}),
    Case("TACCL", "ndv2-x2", 16, "alltoall", {10**9: 3.125, 10**6: 2.786, 64 * 10**3: 1.271}),
]

PAGE = """# Published schedules against ours

Written by `validation/synthesis/published.py COLLCAST`. Algorithm bandwidths in GB/s (1 GB = 1e9 bytes) of schedules that
TE-CCL and TACCL published, and of the fastest that collcast synthesises for the same links and size, by critical path and
with contention (`collcast gap --engine`). `ratio` is ours with contention over theirs.

| machine, in [validation/synthesis](../../validation/synthesis) | collective | published by | size | published | by path | with contention | bound | ratio | |
|---|---|---|---|---|---|---|---|---|---|"""

NOTES = """
Nothing was fitted. What is the same, and what is not:

- **Links.** Each GPU has the links of the published topology, of the bandwidth and with the alpha given there; some carry
  data one way only (`"ways": 1` in the platform file). Messages have no other cost, and GPUs pass on only what has
  arrived completely. So it is in TE-CCL's allgather, too; in its alltoall, a linear program, data go on as they come.
- **Time.** TE-CCL counts epochs: the time in which the fastest (or slowest) link carries one rank's share. Alpha is rounded up to
  whole epochs. Ours is continuous. Neither sends more over a link than it carries.
- **Parts.** TE-CCL sends a rank's share as one part. Ours may be cut into segments and trees.
- **Switches.** TE-CCL's may copy what they receive to several ports; ours do not.
- **Order.** TE-CCL's solver chooses the order in which a link carries parts. By path, a port sends trees in the order of
  their steps; with contention, in the order in which messages are ready, and those that meet at a receiver share its link.
- **Early stop.** Its outputs are of twice the size that their names say: shares are a sixteenth of it, but there are
  32 ranks (`generate_dgx2` in `json_gen.py` states 8 GPUs a node; the epochs and bandwidths agree with that). They are compared at
  their real size.
- **Left out.** TE-CCL's outputs for two NDv2: a GPU is taken for a switch there, so 15 ranks take part. TACCL's solutions
  were published by TE-CCL's authors; whether their link between nodes has an alpha of 1.3 us, as here, is not stated."""


@functools.lru_cache(None)
def ours(collcast, platform, ranks, collective, sizes):
    """By size: the bound, and by engine our fastest schedule and its bandwidth."""
    found = {size: {} for size in sizes}
    for engine in ENGINES:
        run = subprocess.run([collcast, "gap", collective, "--platform", FOLDER / f"{platform}.json", "--ranks", str(ranks),
                              "--size", ",".join(map(str, sizes)), "--engine", engine, "--format", "json"],
                             capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise RuntimeError(f"{platform} {collective}: {run.stderr.strip()}")
        for row in json.loads(run.stdout)["gaps"]:
            if row["schedule"] == "bound":
                found[row["message_bytes"]]["bound"] = row["algbw_GBps"]
            elif row["schedule"] == "synthesized":
                found[row["message_bytes"]][engine] = row["algbw_GBps"], row["algorithm"]
    return found


def words(size):
    for unit, bytes_ in (("GB", 10**9), ("MB", 10**6)):
        if size >= bytes_:
            return f"{size // bytes_} {unit}"
    return f"{size // 1000} KB"


def lines(collcast):
    """The rows of the table, and which bars are missed."""
    all_, missed = [], []
    for case in CASES:
        found = ours(collcast, case.platform, case.ranks, case.collective, tuple(case.published))
        for size, published in case.published.items():
            own = found[size]
            by = [own[engine][0] for engine in ENGINES]
            ratio = by[-1] / published
            verdict = "better" if ratio > 2 - BAR else "worse" if ratio < BAR else "equal"
            row = (f"| {case.platform} | {case.collective} | {case.name} | {words(size)} | {published:.4g} | "
                   + " | ".join(f"{own[engine][0]:.4g} ({own[engine][1]})" for engine in ENGINES)
                   + f" | {own['bound']:.4g} | {ratio:.3f} | {verdict} |")
            all_.append(row)
            if max(by) > own["bound"] * (1 + 1e-6) or (size >= 10**9 and ratio < BAR):
                missed.append(row)
    return all_, missed


def main():
    if len(sys.argv) not in (2, 4) or (len(sys.argv) == 4 and sys.argv[1] != "--check"):
        sys.exit(__doc__)
    rows, missed = lines(sys.argv[-1])
    page = "\n".join([PAGE, *rows, NOTES]) + "\n"
    if len(sys.argv) == 2:
        print(page, end="")
    elif page != pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"):
        sys.exit(f"{sys.argv[2]} is out of date (validation/synthesis/published.py writes it); today:\n" + "\n".join(rows))
    if missed:
        sys.exit("below 0.995 of what is published at 1 GB, or above the bound:\n" + "\n".join(missed))


if __name__ == "__main__":
    main()
