#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Published training steps against `collcast train`: a Markdown table per study. Only one GPU's throughput is taken from
the tables; nothing is fitted to several. usage: compare.py COLLCAST FOLDER, which holds the published tables."""
import collections
import csv
import json
import pathlib
import re
import statistics
import subprocess
import sys

NETWORK = {"10GbE with TCP/IP": ["network.bandwidth_GBps=1.17", "network.latency_us=15"],
           "100GbE with TCP/IP": ["network.bandwidth_GBps=2.5", "network.latency_us=15"], "100GbIB with RDMA": []}
HKBU_MODEL = {"resnet50v1.5": "resnet50", "bert_base": "bert-base:sequence=64,masked=64",
              "bert_large": "bert-large:sequence=64,masked=64"}
# Horovod with fusion threshold, response cache and cycle 0; the script's own bucket, of 536,870,912 elements. MG-WFBP
# merges tensors by its own model of times, from constants and a profile of the layers: taken as a fusion of 8 MiB
HKBU_METHOD = {"WFBP-A2A": "horovod:version=0.19,fusion=0,cycle=0,cache=0",
               "BSP-A2A": "horovod:version=0.19,fusion=2GiB,cycle=0,cache=0,grouped=1",
               "MG-WFBP": "horovod:version=0.19,fusion=8MiB,cycle=0,cache=0"}
# BytePS (byteps/launch.sh): as many servers as nodes of 4 workers, on nodes of their own; pieces of 4,096,000 B; BSP: one
# bucket; both wait for all parameters before they update, which ByteScheduler does not
HKBU_SERVERS = {"WFBP-PS": "parameter-server:servers={nodes},overlap=backward",
                "BSP-PS": "parameter-server:servers={nodes},overlap=none",
                "ByteScheduler-PS": "parameter-server:servers={nodes},overlap=forward"}
# what the tables call a network: ours, and their units in a sample of it
EXAMPLES = {("resnet50v1.5", ""): ("resnet50", 1), ("RN50v1.5", ""): ("resnet50", 1),
            ("BERT", "fine-tune"): ("bert-large:sequence=384,masked=1", 1),
            ("BERT", "fine-tune SQuAD"): ("bert-large:sequence=384,masked=1", 1),
            ("Transformer", ""): ("transformer-big", 32)}
# biobert_finetune_train_benchmark.sh: two epochs of BC5CDR, a few dozen steps, of which the published mean leaves out one
# (LogTrainRunHook of 2019); the later hook leaves out 100, while XLA compiles
SHORT_RUNS = {("biobert", "fine-tune NER"): ("bert-base:sequence=128,masked=1", 1)}
# containers of before November 2020, when Horovod 0.21 changed its defaults
HOROVOD = {"19.08": "0.16", "20.06": "0.19", "20.12": "0.20"}
DATA = pathlib.Path(__file__).parent.parent / "data"
NODE = {"V100-SXM2-16GB": "dgx-1v", "V100-SXM2-32GB": "dgx-1v", "V100-SXM3-32GB": "dgx-2"}


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def train(collcast, **flags):
    command = [collcast, "train", "--format", "json"]
    for key, value in flags.items():
        for one in value if isinstance(value, list) else [value]:
            command += ["--" + key, str(one)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1):
        raise RuntimeError(run.stderr.strip())
    return json.loads(run.stdout)["rows"][0]


def hkbu_rows(collcast, folder, methods):
    for r in rows(folder / "hkbu_step_times_dev.csv"):
        if r["method"] not in methods or int(r["gpus"]) > 16:
            continue
        alone = float(r["one_gpu_ms"]) / 1e3
        framework = methods[r["method"]].format(nodes=int(r["gpus"]) // 4)
        answer = train(collcast, model=HKBU_MODEL[r["model"]], platform="hkbu-v100", ranks=r["gpus"], batch=r["batch"],
                       throughput=float(r["batch"]) / alone, framework=framework, policy="nccl-2.7",
                       set=NETWORK[r["network"]])
        yield (r["method"], r["model"], r["gpus"], r["network"]), float(r["step_ms"]) / 1e3, answer


def hkbu(collcast, folder):
    return hkbu_rows(collcast, folder, HKBU_METHOD)


def hkbu_servers(collcast, folder):
    return hkbu_rows(collcast, folder, HKBU_SERVERS)


def horovod_of(framework):
    return "horovod:version=" + next(v for release, v in HOROVOD.items() if release in framework)


def examples(collcast, folder, networks=None):
    networks = networks or EXAMPLES
    table = [r for r in rows(folder / "throughput_dev.csv")
             if "DeepLearningExamples" in r["source"] and r["trust"] == "A" and r["gpu_type"] in NODE
             and (r["model"], r["variant"]) in networks and r["nodes"] == "1" and r["grad_accum"] == ""]
    key = lambda r: tuple(r[k] for k in ("source", "model", "framework", "precision", "gpu_type", "variant"))
    # the same batch on each GPU, but for words of a Transformer, of which a batch of so many is seldom full
    alone = {(key(r), r["batch_per_gpu"]): float(r["throughput"]) for r in table if r["gpus"] == "1"}
    for r in table:
        if r["gpus"] == "1" or (key(r), r["batch_per_gpu"]) not in alone:
            continue
        model, of_a_sample = networks[r["model"], r["variant"]]
        batch = int(r["batch_per_gpu"].split()[0]) // of_a_sample
        throughput = alone[key(r), r["batch_per_gpu"]] / of_a_sample
        answer = train(collcast, model=model, platform=NODE[r["gpu_type"]], ranks=r["gpus"], batch=batch,
                       throughput=throughput, precision="amp" if r["precision"] == "mixed" else "fp32",
                       framework="ddp" if r["framework"].startswith("PyTorch") else horovod_of(r["framework"]))
        yield (model.split(":")[0], r["framework"], r["precision"], r["gpus"], r["gpu_type"]), \
            batch * int(r["gpus"]) / (float(r["throughput"]) / of_a_sample), answer


def short_runs(collcast, folder):
    return examples(collcast, folder, SHORT_RUNS)


def vtrain(collcast, folder):
    for i, r in enumerate(rows(folder / "vtrain_single_dev.csv")):
        if i % 8:
            continue  # every eighth: they are alike
        tp, dp, pp = (int(r[k + " parallelism"]) for k in ("tensor", "data", "pipeline"))
        batch = int(r["global batch"]) // dp
        model = (f"gpt:layers={r['# layers']},hidden={r['hidden size']},heads={r['attention heads']},"
                 f"sequence={r['sequence length']},vocabulary=51200")
        framework = f"megatron:tp={tp},pp={pp},micro-batches={batch // int(r['micro batch'])}"
        answer = train(collcast, model=model, platform="dgx-a100", ranks=tp * dp * pp, batch=batch, precision="amp",
                       framework=framework)
        yield (f"tp={tp} dp={dp} pp={pp}", r["hidden size"], r["# layers"]), \
            float(r["iteration time (ms)"]) / 1e3, answer


def layers_of_modules(collcast, model):
    """How many of our layers each module is that torchgpipe's benchmarks cut between (benchmarks/models, flattened)."""
    table = subprocess.run([collcast, "models", model], capture_output=True, text=True, check=True).stdout
    names = [r["name"] for r in csv.DictReader(table.splitlines())]
    if model.startswith("amoebanet-d"):  # a module is a cell
        return list(collections.Counter(name.split(".")[0] for name in names).values())
    counts, shortcut = [], 0
    for name in names:
        if re.search(r"^fc$|\.down$|^layer.*\.conv1$", name):
            counts.append(0)  # flattens, or stores what a later module fetches
        if ".downsample." in name:
            shortcut += 1  # within the module that adds up
        else:
            counts.append(1 + shortcut)
            shortcut = 0
    return counts


def torchgpipe(collcast, folder):
    """Batches, chunks and balances: benchmarks/{unet,resnet101,amoebanetd}-speed/main.py; checkpoints: its README."""
    settings = {(r["model"], r["experiment"]): r for r in rows(DATA / "torchgpipe.csv")}
    table = [r for r in rows(folder / "throughput_dev.csv") if r["framework"].startswith("torchgpipe")]
    alone = {r["model"]: r["throughput"] for r in table if r["framework"].endswith("baseline")}
    for r in table:
        network, *sizes = r["model"].split("_")
        model = {"unet": "unet:convs={},channels={}", "amoebanetd": "amoebanet-d:layers={},filters={}"}.get(
            network, network).format(*sizes)
        experiment = r["framework"].removeprefix("torchgpipe ")
        how = settings[network, experiment]
        chunks, modules = int(how["chunks"]), layers_of_modules(collcast, model)
        micro = -(-int(how["batch"]) // chunks)  # the last may be smaller
        balance, at = [], 0
        for count in map(int, how["balance"].split("/")):
            balance.append(sum(modules[at:at + count]))
            at += count
        recompute = 0 if experiment == "baseline" else 1 if chunks == 1 else "except-last"
        pipeline = "" if r["gpus"] == "1" and chunks == 1 else "schedule=gpipe,"
        answer = train(collcast, model=model, platform="p40-node", ranks=r["gpus"], batch=micro * chunks,
                       throughput=alone.get(r["model"], []),
                       framework=f"one:pp={r['gpus']},{pipeline}micro-batches={chunks},recompute={recompute},"
                                 f"balance={'/'.join(map(str, balance))}")
        yield (r["model"], experiment), micro * chunks / float(r["throughput"]), answer


def one_gpu(collcast, _):
    """What amp is calibrated on: NVIDIA/DeepLearningExamples 729963d, NVIDIA/Megatron-LM 5281919 (images/tables.tex). Batches
    of accumulated gradients are the published ones, or some hundred micro-batches, where no more are stated."""
    for r in rows(DATA / "amp-one-gpu.csv"):
        framework = f"one:micro-batches={r['micro_batches']},recompute={r['recompute']}"
        answer = train(collcast, model=r["model"], platform=r["platform"], ranks=1, batch=r["batch"], precision="amp",
                       framework=framework)
        yield ("CNN" if r["model"] == "resnet50" else "transformer", r["model"], r["software"], r["platform"],
               str(int(r["batch"]) // int(r["micro_batches"]))), float(r["step_ms"]) / 1e3, answer


def one_h100(collcast, _):
    """PyTorch 2.11, cuDNN 9.19, SGD with momentum, data in GPU memory, torchvision's and transformers' models: measured by us."""
    for r in rows(DATA / "h100-steps.csv"):
        answer = train(collcast, model=r["model"], platform="dgx-h100", ranks=1, batch=r["batch"], precision=r["precision"])
        yield (f"{r['precision']}, {r['memory_format']}", r["model"], r["batch"]), float(r["step_ms"]) / 1e3, answer


def transformers(collcast, _):
    """PyTorch 2.11, AdamW (fused), measured by us. `plain` calls PyTorch's own kernels; `transformers` is release 5.17 of that
    package, which composes norms, activations and rotary embeddings. Parameters of 16 bits are held as Megatron-LM does."""
    for r in rows(DATA / "h100-transformers.csv"):
        code, _, recompute = r["code"].partition("+")
        framework = "one" if r["parameters"] == "fp32" else "megatron"
        answer = train(collcast, model=r["model"], platform="dgx-h100", ranks=1, batch=r["batch"], precision="amp",
                       framework=framework + (":recompute=1" if recompute else ""))
        odd = any(width in r["model"] for width in ("=50257", "=13653"))
        kind = "widths that are no multiples of 8" if odd else f"{code}, {r['parameters']} parameters"
        yield (kind, r["model"], r["attention"], r["code"], r["parameters"], r["batch"]), float(r["step_ms"]) / 1e3, answer


def large_models(collcast, _):
    """Nothing is calibrated on these. mosaicml/llm-foundry 061f2c7 scripts/train/benchmarking; Narayanan et al. 2021, table 1
    (micro-batches: NVIDIA/Megatron-LM 79a3bb6 examples/sc21/run_table_1.sh); Korthikanti et al. 2022, times of
    iterations as a secondary copy has them; NeMo 24.07 and 25.11 on DGX-H100 in fp8 (NVIDIA/NeMo 070a0bb
    docs/source/performance, NVIDIA-NeMo/Megatron-Bridge 0a25f91 performance-summary-archive.md), sizes of the
    networks as published, their overlaps as communication-overlap.md there recommends."""
    for r in rows(DATA / "large-models.csv"):
        answer = train(collcast, model=r["model"], platform=r["platform"], ranks=r["ranks"], batch=r["batch"],
                       precision=r["precision"], framework=r["framework"])
        yield (r["study"], r["ranks"], r["model"], r["framework"]), float(r["step_ms"]) / 1e3, answer


STUDIES = {"HKBU, 4 to 16 V100 over PCIe": hkbu, "HKBU, parameter servers": hkbu_servers,
           "DeepLearningExamples on one node of V100": examples,
           "DeepLearningExamples, runs of a few dozen steps": short_runs,
           "vTrain, GPT on 2 and 4 A100": vtrain,
           "torchgpipe on 1 to 8 P40": torchgpipe, "amp on one V100 or A100": one_gpu, "PyTorch 2.11 on one H100": one_h100,
           "Transformers on one H100": transformers,
           "Large models on A100 and H100": large_models}


def main():
    collcast, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    print("# Published training steps\n\nWritten by `validation/training/compare.py COLLCAST FOLDER`; what the rows are, and what "
          "the errors come\nfrom, is in [training-accuracy.md](../training-accuracy.md).\n")
    for title, study in STUDIES.items():
        by_kind, exposed = collections.defaultdict(list), []
        print(f"## {title}\n\n| case | measured | forecast | error | without communication |\n|---|---|---|---|---|")
        for case, measured, answer in study(collcast, folder):
            error = answer["step_s"] / measured - 1
            naive = answer["compute_s"] / measured - 1
            by_kind[case[0]].append((error, naive))
            here = measured - answer["compute_s"]
            exposed.append(abs(answer["step_s"] - measured) <= max(0.005, 0.2 * here))
            print(f"| {', '.join(case)} | {measured * 1e3:.1f} ms | {answer['step_s'] * 1e3:.1f} ms | {100 * error:+.1f} % "
                  f"| {100 * naive:+.1f} % |", flush=True)
        print()
        if study in (hkbu, hkbu_servers):
            print(f"Exposed communication within 20 % or 5 ms: {sum(exposed)} of {len(exposed)} steps.\n")
        for kind, errors in [("all", sum(by_kind.values(), []))] + sorted(by_kind.items()):
            mean = [statistics.mean(abs(e[i]) for e in errors) for i in (0, 1)]
            print(f"{kind}: {len(errors)} steps, mean |error| {100 * mean[0]:.1f} %; {100 * mean[1]:.1f} % without "
                  "communication.\n")


if __name__ == "__main__":
    main()
