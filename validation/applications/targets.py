#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What published effects of offloading (ISC'21: alltoall, P3DFFT) and of MPI under k-means (MLHPC'20) come to here, over
the plausible range of each input that the publications do not state.

Usage: targets.py COLLCAST
"""
import itertools
import json
import subprocess
import sys

# Platforms, and by how much their Arm cores' costs are scaled: they are guessed as 4 and 2 times the host's, of 2 to 4.
BLUEFIELDS = {"bluefield-1-cluster": [1, 0.5], "bluefield-2-cluster": [1, 2]}
NODES = [(4, 16), (8, 20)]                # nodes, ranks on each, as published
PAIR = [256, 4096, 65536, 262144]         # bytes of a pair of ranks
INSIDE = [12, 24]                         # GB/s between adapter and Arm memory
PIECES = [[1], [1, 8]]                    # in which a DPU's software pipelines what it plays: the fastest of these
EFFICIENCY = [0.4, 0.7, 0.9]
FIELDS = [2, 4]
ARM_COSTS = ["software.in_node.dpu.overhead_us", "software.in_node.dpu.receive_overhead_us",
             "software.between_nodes.dpu.overhead_us", "software.between_nodes.dpu.receive_overhead_us",
             "software.dpu_copy.overhead_us"]


def ask(*words):
    run = subprocess.run([sys.argv[1], *map(str, words), "--format", "json"], capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    return json.loads(run.stdout)


def settings(platform, ppn, inside, arm):
    """--set of a node, its adapter and its Arm cores."""
    words = ["--set", f"node.ranks_per_node={ppn}", "--set", f"node.link_kinds.inside.bandwidth_GBps={inside}"]
    if arm != 1:
        costs = {p["parameter"]: p["value"] for p in ask("platforms", platform)["parameters"]}
        words += [w for path in ARM_COSTS for w in ("--set", f"{path}={costs[path] * arm}")]
    return words


def span(gains):
    return f"{min(gains):+.0%} to {max(gains):+.0%}"


def alltoall(platform, nodes, ppn, inside, pieces, arm):
    """Gains where both compute as long as the DPU takes, and where each computes as long as its own (OSU's rule)."""
    ranks = nodes * ppn
    sizes = ",".join(str(ranks * pair) for pair in PAIR)
    words = ["predict", "alltoall", "--platform", platform, "--ranks", ranks, "--size", sizes, *settings(platform, ppn, inside, arm)]
    host = [p["time_s"] for p in ask(*words)["predictions"]]
    dpu = [[p["time_s"] for p in ask(*words, "--offload", "dpu", "--pieces", k)["predictions"]] for k in pieces]
    pairs = list(zip(host, map(min, zip(*dpu))))
    return [1 - d / (d + h) for h, d in pairs], [1 - d / (2 * h) for h, d in pairs]


def p3dfft(platform, nodes, ppn, inside, pieces):
    gains = []
    for efficiency, fields in itertools.product(EFFICIENCY, FIELDS):
        words = ["--platform", platform, "--ranks", nodes * ppn, *settings(platform, ppn, inside, 1)]
        text = f"p3dfft:fields={fields},efficiency={efficiency},mode="
        time = lambda mode, k: ask("job", text + mode, "--pieces", k, *words)["rows"][0]["step_s"]
        blocking = time("blocking", 1)
        gains += [1 - min(time(mode, k) for k in pieces) / blocking for mode in ("offload", "offload,offloaded=column")]
    return gains


def kmeans(platform, policy):
    gains = []
    for points, shape in itertools.product(["1e6", "1e7"], ["features=50,clusters=8", "features=100,clusters=20"]):
        times = [ask("job", f"kmeans:points={points},{shape}", "--platform", platform, "--ranks", "8,16,32", "--policy", p)["rows"]
                 for p in ("nccl-2.8", policy)]
        gains += [nccl["step_s"] / mpi["step_s"] for nccl, mpi in zip(*times)]
    return f"{min(gains):.2f} to {max(gains):.2f} times as fast as NCCL"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for inside, pieces in itertools.product(INSIDE, PIECES):
        cases = [alltoall(platform, *n, inside, pieces, arm) for platform, arms in BLUEFIELDS.items() for arm in arms for n in NODES]
        print(f"alltoall, inside {inside} GB/s, {' or '.join(map(str, pieces))} pieces: equal computation {span(sum((c[0] for c in cases), []))}, "
              f"OSU's rule {span(sum((c[1] for c in cases), []))}")
        gains = sum((p3dfft(platform, *n, inside, pieces) for platform in BLUEFIELDS for n in NODES), [])
        print(f"P3DFFT, the same: {span(gains)}")
    for platform, policy in itertools.product(["abci-v", "summit"], ["fastest", "openmpi-4.0"]):
        print(f"k-means, {platform}, {policy}: {kmeans(platform, policy)}")


if __name__ == "__main__":
    main()
