#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What talks and abstracts state of training and of P3DFFT against forecasts, as Markdown: each input that a source does
not state is assumed, and varied over its plausible range; none is chosen to meet a figure.

Usage: sources.py COLLCAST > docs/generated/training.md
       sources.py --check PAGE COLLCAST: whether the quick rows of the page are today's
"""
import argparse
import concurrent.futures
import dataclasses
import functools
import itertools
import json
import subprocess
import sys
import tempfile
from typing import Callable, Optional

PROGRAM = ""                      # collcast
JOBS = tempfile.TemporaryDirectory()

NOISE = [0.02, 0, 0.05]           # standard deviation of ranks' computation: no published figure fits all machines
REQUEST = ["0.5us", "0.2us", "2us"]  # rank 0's time for one tensor of one rank: bench/requests.cpp took 0.3 to 0.6 us


@functools.lru_cache(None)
def ask(*words):
    run = subprocess.run([PROGRAM, *words, "--format", "json"], capture_output=True, text=True, check=False)
    if not run.stdout or run.returncode not in (0, 1):
        raise RuntimeError(" ".join(words) + ": " + run.stderr.strip())
    return json.loads(run.stdout)["rows"][0]


def train(model, platform, ranks, framework, sets=(), **flags):
    words = ["train", "--model", model, "--platform", platform, "--ranks", ranks, "--framework", framework]
    for key, value in flags.items():
        words += ["--" + key, value]
    for one in sets:
        words += ["--set", one]
    return ask(*map(str, words))


def job(what, platform, ranks, sets=(), **flags):
    words = ["job", what, "--platform", platform, "--ranks", ranks]
    for key, value in flags.items():
        words += ["--" + key, value]
    for one in sets:
        words += ["--set", one]
    return ask(*map(str, words))["step_s"]


# One function a row; its parameters are what is assumed.

def resnet_6144(noise, version):
    return train("resnet50", "summit", 6144, f"horovod:version={version}", batch=256, throughput=1200, precision="amp",
                 policy="nccl-2.7", noise=noise)["efficiency"]


def resnet_1536(noise, batch):
    return train("resnet50", "summit", 1536, "horovod:version=0.19", batch=batch, throughput=300, policy="mvapich2-gdr",
                 noise=noise)["samples_per_s"]


def resnet_2(framework, policy, bandwidth, slowdown):
    row = train("resnet50", "summit", 2, framework, ["node.gpus=1", f"network.bandwidth_GBps={bandwidth}"], batch=64,
                throughput=334, policy=policy, slowdown=slowdown)
    return row["exposed_communication_s"] + row["bubble_s"]


def negotiation(ranks, model, request):
    row = train(model, "summit", ranks, f"horovod:version=0.15,hierarchical=1,request={request}", batch=32, policy="nccl-2.7")
    return row["agreement_s"] / row["communication_s"]


def at_27600(model, step, framework, noise=0):
    return train(model, "summit", 27600, framework, batch=1, throughput=1 / step, precision="amp", policy="nccl-2.7",
                 noise=noise)["efficiency"]


def coordination(model, step, request, groups):
    return (at_27600(model, step, f"horovod:version=0.19,groups={groups}")
            / at_27600(model, step, f"horovod:version=0.15,request={request}"))


def inverse_problem(model, step, noise, groups):
    return at_27600(model, step, f"horovod:version=0.19,groups={groups}", noise)


def segmentation(knobs, batch, policy, version, slowdown):
    return train("deeplabv3plus-xception65", "summit", 132, f"horovod:version={version},{knobs}", batch=batch, throughput=6.7,
                 policy=policy, slowdown=slowdown)["efficiency"]


DEFAULT, TUNED = "fusion=64MiB,cycle=3.5ms", "fusion=128MiB,cycle=5ms"


def tuning(**assumed):
    return segmentation(TUNED, **assumed) - segmentation(DEFAULT, **assumed)


def nodes_of(hosts, inside):
    nodes, ppn = hosts
    return nodes * ppn, [f"node.ranks_per_node={ppn}", f"node.link_kinds.inside.bandwidth_GBps={inside}"]


def ialltoall(pair, platform, hosts, inside, pieces, delivery):
    """Each computes as long as its own collective takes, as OSU's benchmark has it."""
    ranks, sets = nodes_of(hosts, inside)

    def alone(offload, **flags):
        one = {"do": "alltoall", "bytes": pair * ranks} | offload
        text = json.dumps({"name": "alltoall", "dimensions": {"all": "*"}, "roles": [{"do": [one]}]})
        return job(file_of(text), platform, ranks, sets, **flags)

    return 1 - alone({"offload": "dpu"}, pieces=pieces, delivery=delivery) / (2 * alone({}))


@functools.lru_cache(None)
def file_of(text):
    with tempfile.NamedTemporaryFile("w", suffix=".json", dir=JOBS.name, delete=False) as file:
        file.write(text)
    return file.name


def p3dfft(efficiency, fields, platform, hosts, inside, pieces, offloaded, delivery):
    ranks, sets = nodes_of(hosts, inside)
    what = f"p3dfft:fields={fields},efficiency={efficiency}"
    return 1 - (job(f"{what},mode=offload,offloaded={offloaded}", platform, ranks, sets, pieces=pieces, delivery=delivery)
                / job(what, platform, ranks, sets))


def climate(precision, model, request=None):
    """Images of as many pixels as 768 x 1152."""
    version = f"0.15,request={request}" if request else "0.19"
    return train(model + ":image=940", "summit", 27360, f"horovod:version={version},hierarchical=1",
                 batch={"amp": 2, "fp32": 1}[precision], precision=precision, policy="nccl-2.7")


def flops(precision, model):
    return climate(precision, model)["flops_per_s"]


def climate_efficiency(model, noise):
    return train(model + ":image=940", "summit", 27360, "horovod:version=0.19,hierarchical=1", batch=1, policy="nccl-2.7",
                 noise=noise)["efficiency"]


def fed(input_):
    return train("resnet50", "summit", 27648, "horovod:version=0.19", batch=256, throughput=1200, policy="nccl-2.7",
                 input=input_)["efficiency"]


def gems(model, policy, each, replicas, ranks=4, noise=0):
    """Samples a second of pipelines over the four GPUs of a node; `each` sample of a replica in a pass."""
    return train(model, "summit", ranks, f"gems:pp=4,replicas={replicas},micro-batches={replicas}", ["node.gpus=4"],
                 batch=each * replicas, policy=policy, noise=noise)["samples_per_s"]


def gems_gain(replicas, ranks=4, **assumed):
    return gems(replicas=replicas, ranks=ranks, **assumed) / gems(replicas=1, **assumed)


def gems_scaling(image, policy, noise):
    model = f"resnet-v2:layers=1001,image={image}"
    few, many = (gems(model, policy, 1, 8, ranks, noise) for ranks in (4, 1024))
    return many / few / 256


def shared_gpu(processes, model, batch, precision, ranks):
    one, several = (train(model, "dgx-a100", ranks, f"ddp:per-gpu={k}", batch=batch // k, precision=precision)["samples_per_s"]
                    for k in (1, processes))
    return several / one - 1


def percent(x):
    return f"{100 * x:.1f} %" if abs(x) < 0.9995 else f"{100 * x:.0f} %"


def times(x):
    return f"{x:.2f}" if x < 10 else f"{x:.0f}"


def milliseconds(x):
    return f"{1e3 * x:.1f} ms"


def exaflops(x):
    return f"{x / 1e18:.2f} EF"


def thousands(x):
    return f"{x / 1e3:,.0f} k/s"


@dataclasses.dataclass
class Row:
    name: str
    stated: str                      # what the source says
    forecast: Callable
    text: Callable                   # of a number
    assumed: dict                    # by parameter: the middle of the forecast, then what else is plausible
    target: float
    none: float = 0                  # what it would be without the effect
    bars: Optional[tuple] = None     # the source's, or those of its rounding
    up_to: bool = False              # the best of several cases, which are not told
    quick: bool = False              # takes a moment: a test looks at it
    apart: bool = False              # what is assumed is varied one by one: of slow rows


DLV3 = ["deeplabv3plus-resnet101", "deeplabv3plus-xception65"]
BLUEFIELD = {"platform": ["bluefield-2-cluster", "bluefield-1-cluster"], "hosts": [(4, 16), (8, 20)], "inside": [12.8, 24],
             "pieces": [8, 1]}
NETWORKS = ["resnet-v2:image=1024", "resnet-v2:layers=164,image=1024", "resnet50:image=1024"]

ROWS = [
    Row("T1 ResNet-50, 6,144 V100 of Summit", "87 %", resnet_6144, percent,
        {"noise": NOISE, "version": ["0.16", "0.15"]}, 0.87, 1),
    Row("T2 ResNet-50, 1,536 of them, MVAPICH2-GDR", "3 s an epoch: 427 k/s", resnet_1536, thousands,
        {"noise": NOISE, "batch": [64, 32, 128]}, 427e3, 0, (427e3 / 1.17, 427e3 / 0.83)),
    Row("T4 ResNet-50, 2 V100 on two nodes: exposed", "10.7 +- 1.4 ms", resnet_2, milliseconds,
        {"framework": ["horovod:version=0.16", "horovod:version=0.28", "one"], "policy": ["mvapich2-gdr", "nccl-2.7"],
         "bandwidth": [11.5, 6.2], "slowdown": [0, 0.4]}, 10.7e-3, 0, (9.3e-3, 12.1e-3), quick=True),
    Row("T6 Horovod without a cache: negotiation, of allreduce", "11 times; 57 without NCCL's initialisation", negotiation, times,
        {"ranks": [6144, 96, 1536, 27600], "model": ["resnet50", "deeplabv3plus-xception65"], "request": REQUEST}, 11, 1, (11, 57),
        apart=True),
    Row("T7 bit vector and groups instead, 27,600 GPUs", "8 times the efficiency", coordination, times,
        {"model": ["deeplabv3plus-resnet101", "resnet50"], "step": [0.5, 0.15, 1.5], "request": REQUEST, "groups": [5, 0]}, 8, 1,
        apart=True),
    Row("T7 with them", "0.93", inverse_problem, percent,
        {"model": ["deeplabv3plus-resnet101", "resnet50"], "step": [0.5, 0.15, 1.5], "noise": NOISE, "groups": [5, 0]}, 0.93, 1,
        apart=True),
    Row("T8 DeepLabv3+, 132 GPUs: 64 MiB, 3.5 ms to 128 MiB, 5 ms", "68 to 92 %: +23.9 points", tuning, percent,
        {"batch": [8, 1, 2], "policy": ["mvapich2-gdr", "openmpi-4.0"], "version": ["0.16", "0.15"], "slowdown": [0, 0.4]}, 0.239),
    Row("T8 tuned", "92 %", functools.partial(segmentation, TUNED), percent,
        {"batch": [8, 1, 2], "policy": ["mvapich2-gdr", "openmpi-4.0"], "version": ["0.16", "0.15"], "slowdown": [0, 0.4]}, 0.92, 1),
    Row("T9 MPI_Ialltoall on BlueField: total time less", "up to 44 %", ialltoall, percent,
        {"pair": [65536, 256, 4096, 262144]} | BLUEFIELD | {"delivery": ["direct", "staged"]}, 0.44, up_to=True),
    Row("T9 P3DFFT, workers write to the receivers' memory", "up to 30 % less", functools.partial(p3dfft, delivery="direct"),
        percent, {"efficiency": [0.7, 0.2, 0.4, 0.9], "fields": [2, 4]} | BLUEFIELD | {"offloaded": ["column", "both"]}, 0.30,
        up_to=True),
    Row("T9 the same by way of the receivers' DPUs", "up to 30 % less", functools.partial(p3dfft, delivery="staged"),
        percent, {"efficiency": [0.7, 0.2, 0.4, 0.9], "fields": [2, 4]} | BLUEFIELD | {"offloaded": ["column", "both"]}, 0.30,
        up_to=True),
    Row("T12 climate DeepLabv3+, 27,360 V100, 16 bits", "0.999 EF", functools.partial(flops, "amp"), exaflops,
        {"model": DLV3}, 0.999e18),
    Row("T12 in 32 bits", "0.326 EF", functools.partial(flops, "fp32"), exaflops, {"model": DLV3}, 0.3258e18),
    Row("T12 16 bits, of 32", "3.07 times", lambda model: flops("amp", model) / flops("fp32", model), times, {"model": DLV3}, 3.07, 1),
    Row("T12 in 32 bits, efficiency", "90.7 %", climate_efficiency, percent, {"model": DLV3, "noise": NOISE}, 0.907, 1),
    Row("T13 27,648 GPUs fed from GPFS, of 1,200 images/s each", "2.5 of 19.98 TB/s", lambda: fed("packed:shared=2500"), percent, {},
        2.5 / 19.98, 1, (0.124, 0.126)),
    Row("T13 fed from the nodes' disks, 27.6 TB/s", "enough", lambda: fed("packed:local=6"), percent, {}, 1, 0, (0.95, 1)),
    Row("T15 GEMS-MAST, 4 GPUs", "7.25 to 6.28 h: 1.15 times", functools.partial(gems_gain, 2), times,
        {"model": NETWORKS, "policy": ["mvapich2-gdr", "nccl-2.7"], "each": [1, 2]}, 7.25 / 6.28, 1, quick=True),
    Row("T15 GEMS-MASTER, 4 GPUs", "7.25 to 4.21 h: 1.72 times", gems_gain, times,
        {"replicas": [8, 4, 32], "model": NETWORKS, "policy": ["mvapich2-gdr", "nccl-2.7"], "each": [1, 2]}, 7.25 / 4.21, 1),
    Row("T15 the same on 128 GPUs", "7.25 h to 27 min: 16.1 times", functools.partial(gems_gain, ranks=128), times,
        {"replicas": [8, 4, 32], "model": NETWORKS, "policy": ["mvapich2-gdr", "nccl-2.7"], "each": [1, 2]}, 16.1, 1),
    Row("T15 ResNet-1001, 1,024 V100", "97.32 %", gems_scaling, percent,
        {"image": [224, 112], "policy": ["mvapich2-gdr", "nccl-2.7"], "noise": NOISE}, 0.9732, 1),
    Row("T16 AccDP, several processes on an A100", "up to 58 % more", functools.partial(shared_gpu, ranks=1), percent,
        {"processes": [4, 2, 8], "model": ["resnet50", "resnet50:image=64", "vgg16"], "batch": [64, 32, 128],
         "precision": ["tf32", "amp"]}, 0.58, up_to=True, quick=True),
    Row("T16 on each of 16", "up to 62 % more", functools.partial(shared_gpu, ranks=16), percent,
        {"processes": [4, 2, 8], "model": ["resnet50", "resnet50:image=64", "vgg16"], "batch": [64, 32, 128],
         "precision": ["tf32", "amp"]}, 0.62, up_to=True),
]


def verdict(row, low, middle, high):
    if row.bars:
        first, last = row.bars
        if first <= middle <= last:
            return "within its bars"
        if low <= last and high >= first:
            return "within its bars for part of the range"
        return "outside its bars"
    share = lambda x: (x - row.none) / (row.target - row.none)
    best = max(share(low), share(high))
    judged = best if row.up_to else share(middle)
    words = f"{judged:.0%} of the effect" + (" at best" if row.up_to else "")
    if judged >= 0.5:
        return words
    if judged <= 0:
        words = "wrong direction" if judged < -0.01 else "no effect"
    return "**missed**: " + words + (f"; {best:.0%} at the end of the range" if not row.up_to and best > judged + 0.01 else "")


def listed(value):
    return f"{value[0]} x {value[1]}" if isinstance(value, tuple) else str(value)


def cases_of(row):
    """What is assumed, the middle first."""
    if not row.apart:
        return [dict(zip(row.assumed, one)) for one in itertools.product(*row.assumed.values())]
    middle = {key: values[0] for key, values in row.assumed.items()}
    return [middle] + [middle | {key: one} for key, values in row.assumed.items() for one in values[1:]]


def line(row):
    cases = cases_of(row)
    all_ = [row.forecast(**case) for case in cases]
    low, middle, high = min(all_), all_[0], max(all_)
    span = row.text(middle) if low == high else f"{row.text(low)} - {row.text(middle)} - {row.text(high)}"
    assumed = "; ".join(f"{key} {listed(values[0])}" + (f" ({', '.join(map(listed, values[1:]))})" if len(values) > 1 else "")
                        for key, values in row.assumed.items())
    return f"| {row.name} | {row.stated} | {span} | {assumed} | {verdict(row, low, middle, high)} |"


def check(page):
    with open(page, encoding="utf-8") as file:
        known = file.read().splitlines()
    moved = [now for now in map(line, (row for row in ROWS if row.quick)) if now not in known]
    if moved:
        sys.exit(f"{page} is out of date (validation/training/sources.py writes it); today:\n" + "\n".join(moved))


def main():
    global PROGRAM
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", metavar="PAGE")
    parser.add_argument("collcast")
    options = parser.parse_args()
    PROGRAM = options.collcast
    if options.check:
        return check(options.check)
    print("""# Published effects

Written by `validation/training/sources.py COLLCAST`. The forecasts are the lowest, the middle and the highest over all
combinations of what is assumed (T6 and T7: one assumption at a time). The middle takes the first value of each assumption;
the other values stand in brackets. None is chosen to meet a figure. An effect is the difference from what would be without
it; it is missed where the middle has less than half of it. "Up to" is the best of cases that a source does not list, and is
compared with the best of the range. [training-accuracy.md](../training-accuracy.md#published-effects) says what the rows
mean, and why some are missed.

| | published | forecast | assumed | |
|---|---|---|---|---|""")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for text in pool.map(line, ROWS):
            print(text, flush=True)


if __name__ == "__main__":
    main()
