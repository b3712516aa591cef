#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What shares of a V100's peaks PyTorch's kernels reached: PipeDream's times of single layers (fp32, batch 64), kind by kind.
Convolutions of 1x1 and of 3x3: most x c / (c + half) of c channels, the geometric mean of in and out.
usage: kernels.py FOLDER, which holds pipedream_NETWORK.csv and pipedream_NETWORK_edges.csv."""
import collections
import csv
import math
import pathlib
import re
import sys

FLOPS, BANDWIDTH = 15.7e12, 900e9
SYNCHRONIZATION_MS = (0.35, 0.04)  # in each time, forward and backward
LEAST_MS = (0.1, 0.05)             # shorter times say little beside it
NETWORKS = "resnet50 resnet101 vgg16 inception_v3 alexnet squeezenet1_0 densenet121".split()
# passes over what a layer reads and writes, forward and backward, as workloads/compute/processor.cpp counts them
PASSES = {"BatchNorm2d": ((2, 1), (3, 2)), "ReLU": ((1, 1), (1, 2)), "MaxPool2d": ((1, 1), (2, 1)), "AvgPool2d": ((1, 1), (2, 1))}


def layers(folder, network):
    """(description, forward ms, backward ms, bytes read, bytes written) of each layer."""
    nodes = {r["node"]: r for r in csv.DictReader(open(folder / f"pipedream_{network}.csv", newline=""))}
    sources = collections.defaultdict(list)
    for r in csv.DictReader(open(folder / f"pipedream_{network}_edges.csv", newline="")):
        sources[r["to"]].append(r["from"])
    size = {n: float(r["activation_bytes_for_batch"]) for n, r in nodes.items()
            if re.fullmatch(r"[\d.]+", r["activation_bytes_for_batch"])}
    for n, r in nodes.items():
        forward, backward = (float(r[k]) - s for k, s in zip(("fwd_ms", "bwd_ms"), SYNCHRONIZATION_MS))
        if n in size and sources[n] and all(s in size for s in sources[n]) and forward > LEAST_MS[0] and backward > LEAST_MS[1]:
            yield r["layer"], forward, backward, sum(size[s] for s in sources[n]), size[n]


def memory_kernels(folder):
    spent = collections.defaultdict(lambda: [0, 0])
    for network in NETWORKS:
        for what, forward, backward, read, written in layers(folder, network):
            for passes in [PASSES[what.split("(")[0]]] if what.split("(")[0] in PASSES else []:
                moved = sum(r * read + w * written for r, w in passes)
                spent[what.split("(")[0]][0] += moved / BANDWIDTH
                spent[what.split("(")[0]][1] += (forward + backward) / 1e3
    for kind, (least, taken) in spent.items():
        print(f"{kind}: {least / taken:.2f} of the bandwidth")


def convolutions(folder):
    """By kind: (channels, least seconds at the peak, measured seconds)."""
    kinds = collections.defaultdict(list)
    for network in NETWORKS:
        for what, forward, backward, _, written in layers(folder, network):
            match = re.match(r"Conv2d\((\d+), (\d+), kernel_size=\((\d+), (\d+)\), stride=\((\d+)", what)
            if not match or "groups" in what or int(match[1]) <= 3:
                continue
            into, out, height, width, stride = map(int, match.groups())
            kind = "1x1" if height * width == 1 else "3x3" if (height, width, stride) == (3, 3, 1) else "others"
            seconds = 3 * 2 * written / 4 * into * height * width / FLOPS
            kinds[kind].append((math.sqrt(into * out), seconds, (forward + backward) / 1e3))
    return kinds


def fit(cases, half):
    """The share `most` whose errors cancel, weighed by time, and their mean size (logarithms)."""
    total = sum(t for _, _, t in cases)
    errors = [(math.log(least * (c + half) / c / taken), taken) for c, least, taken in cases]
    mean = sum(e * t for e, t in errors) / total
    return math.exp(mean), sum(abs(e - mean) * t for e, t in errors) / total


def main():
    folder = pathlib.Path(sys.argv[1])
    memory_kernels(folder)
    for kind, cases in convolutions(folder).items():
        halves = [0] if kind == "others" else [0, 100, 160, 200, 250, 300, 350, 400]
        for half in halves:
            most, error = fit(cases, half)
            print(f"{kind}, {len(cases)} layers, half at {half} channels: most {most:.2f}, mean error {100 * error:.0f} %")


if __name__ == "__main__":
    main()
