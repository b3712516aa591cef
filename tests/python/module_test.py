# SPDX-License-Identifier: Apache-2.0
"""The Python module answers as the program does. Usage: module_test.py MODULE_FOLDER PROGRAM SOURCE"""
import ast
import gzip
import inspect
import json
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import warnings

folder, program, source = sys.argv[1:]
sys.path.insert(0, folder)
import collcast  # noqa: E402
import numpy  # noqa: E402


def said(*words):
    return json.loads(subprocess.run([program, *words, "--format", "json"], capture_output=True, check=True).stdout)


assert collcast.platforms() == said("platforms")
assert collcast.algorithms() == said("algorithms")
assert collcast.algorithms("all_reduce") == said("algorithms", "allreduce")

words = ["predict", "allreduce", "--platform", "summit", "--ranks", "6,12", "--size", "64KiB", "--algorithm", "ring",
         "--engine", "path"]
assert collcast.predict("allreduce", "summit", [6, 12], "64KiB", algorithm="ring") == said(*words)["predictions"]
assert collcast.predict("bcast", "flat", 4, 1024)[0]["message_bytes"] == 1024
both = collcast.predict("allreduce", "flat", 4, 1024, algorithm=["ring", "rabenseifner"])
assert [row["algorithm"] for row in both] == ["ring", "rabenseifner"], both

# Each option of the program is an argument of that name.
bluefield = ["predict", "alltoall", "--platform", "bluefield-2-cluster", "--ranks", "16", "--size", "64KiB"]
for words, row in [
        (["predict", "broadcast", "--platform", "flat", "--ranks", "27", "--size", "1MiB", "--algorithm", "knomial",
          "--radix", "3", "--root", "2"], collcast.predict("broadcast", "flat", 27, "1MiB", algorithm="knomial", radix=3, root=2)),
        (["predict", "allreduce", "--platform", "summit", "--ranks", "12", "--size", "1MiB", "--memory", "host",
          "--explain", "--placement", "round-robin"],
         collcast.predict("allreduce", "summit", 12, 1 << 20, memory="host", explain=True, placement="round-robin")),
        (["predict", "allreduce", "--platform", "dgx-1v", "--ranks", "8", "--size", "1MiB", "--algorithm", "ring",
          "--transport", "nccl:LL128", "--sensitivity"],
         collcast.predict("allreduce", "dgx-1v", 8, "1MiB", algorithm="ring", transport="nccl:LL128", sensitivity=True)),
        (["predict", "gatherv", "--platform", "flat", "--ranks", "3", "--counts", "1KiB,0,5"],
         collcast.predict("gatherv", "flat", 3, counts=["1KiB", 0, 5])),
        (["predict", "broadcast", "--platform", "flat", "--ranks", "4", "--size", "1MiB", "--algorithm", "chain",
          "--segment", "65536"], collcast.predict("broadcast", "flat", 4, "1MiB", algorithm="chain", segment=65536)),
        (bluefield + ["--offload", "dpu", "--workers", "4", "--pieces", "2", "--compute", "0.001"],
         collcast.predict("alltoall", "bluefield-2-cluster", 16, "64KiB", offload="dpu", workers=4, pieces=2, compute=1e-3))]:
    assert row == said(*words)["predictions"], words
whole = collcast.predict("allreduce", "summit", 12, "1MiB", explain=True)[0]
assert abs(sum(part["time_s"] for part in whole["explanation"]) - whole["time_s"]) < 1e-9 * whole["time_s"]
both = collcast.predict("allgather", "dgx-1v", 8, "1MiB", algorithm="all", with_synthesized=True)
assert both == said("predict", "allgather", "--platform", "dgx-1v", "--ranks", "8", "--size", "1MiB", "--algorithm",
                    "all", "--with-synthesized")["predictions"]
with tempfile.TemporaryDirectory() as scratch:
    schedule = scratch + "/s.json"
    subprocess.run([program, "synthesize", "allgather", "--platform", "dgx-1v", "--ranks", "8", "--size", "1MiB", "-o",
                    schedule], check=True, capture_output=True)
    read = collcast.predict("allgather", "dgx-1v", 8, "1MiB", import_=schedule, timeline=scratch + "/t.json.gz")
    assert read == said("predict", "--import", schedule, "--platform", "dgx-1v", "--size", "1MiB")["predictions"]
    try:
        collcast.predict("allgather", "dgx-1v", 8, "1MiB", import_=schedule, algorithm="ring")
        raise AssertionError("an algorithm besides that of the file")
    except collcast.InputError as refused:
        assert "excludes import_" in str(refused), refused
    drawn = json.load(gzip.open(scratch + "/t.json.gz"))["traceEvents"]
    assert max(e["ts"] + e["dur"] for e in drawn if e["ph"] == "X") <= read[0]["time_s"] * 1e6 * (1 + 1e-9)

assert collcast.prove("allreduce", "ring", 8)["holds"]
assert collcast.prove("broadcast", "knomial", 9, root=3, radix=3)["messages"] == 8

trace = source + "/traces/qe-si-8.cct"
replayed = collcast.replay(trace, "flat", algorithm={"bcast": "chain"}, engine="path")
told = said("replay", trace, "--platform", "flat", "--algorithm", "bcast=chain", "--engine", "path")
assert replayed["time_s"] == told["time_s"]
with tempfile.TemporaryDirectory() as scratch:
    spread = collcast.replay(trace, "abci-v", engine="path", placement="round-robin", timeline=scratch + "/t.json.gz")
    drawn = json.load(gzip.open(scratch + "/t.json.gz"))
assert spread["time_s"] == said("replay", trace, "--platform", "abci-v", "--engine", "path", "--placement",
                                "round-robin")["time_s"]
assert max(e["ts"] + e["dur"] for e in drawn["traceEvents"] if e["ph"] == "X") <= spread["time_s"] * 1e6 * (1 + 1e-9)

asked = dict(algorithm={"bcast": "chain"}, engine="path", nonblocking="allreduce", memory="host", compute_scale=2)
more = collcast.replay(trace, "edr-cluster", explain=True, **asked)
told = said("replay", trace, "--platform", "edr-cluster", "--algorithm", "bcast=chain", "--engine", "path",
            "--nonblocking", "allreduce", "--memory", "host", "--compute-scale", "2", "--explain")
for key in ("time_s", "low_s", "high_s", "operations", "not_modelled", "explanation"):
    assert more[key] == told[key], key

small = source + "/traces/hpcc-8.cct"
told = said("replay", small, "--platform", "flat", "--engine", "path", "--sensitivity")
assert collcast.replay(small, "flat", engine="path", sensitivity=True)["sensitivity"] == told["sensitivity"]

# Training steps and jobs: the program's rows, with the keys of its sweeps.
rows = collcast.train(["resnet50", "vgg16"], "summit", [6, 96], batch=64, framework="horovod:fusion=32MiB", noise=0.02)
told = said("train", "--model", "vgg16", "--platform", "summit", "--ranks", "6,96", "--batch", "64", "--framework",
            "horovod:fusion=32MiB", "--noise", "0.02")["rows"]
assert rows[2:] == [{"platform": "summit", "model": "vgg16", **row} for row in told]
assert [(row["model"], row["ranks"]) for row in rows[:2]] == [("resnet50", 6), ("resnet50", 96)]
measured = collcast.train("resnet50", "summit", 1, throughput=320)[0]  # 32 samples at 320 a second
assert abs(measured["step_s"] - 0.1) < 1e-12 and measured["exposed_communication_s"] == 0
said_of_steps = ["train", "--model", "resnet50", "--platform", "summit", "--ranks", "8"]
with tempfile.TemporaryDirectory() as scratch:
    table = scratch + "/steps.csv"
    open(table, "w").write("batch,steps\n32,1000\n1024,100\n")
    row = collcast.train("resnet50", "summit", 8, steps=table, explain=True, sensitivity=True)[0]
    told = said(*said_of_steps, "--steps", table, "--explain", "--sensitivity")
assert row["time_to_accuracy_s"] == told["rows"][0]["time_to_accuracy_s"] > 0
assert [{"ranks": 8, **part} for part in row["explanation"]] == told["activities"]
assert row["sensitivity"] == told["sensitivity"]
played = collcast.train("resnet50", "summit", 8, engine="path", explain=True)[0]["explanation"]
assert played == said(*said_of_steps, "--engine", "path", "--explain")["explanation"][0]["causes"]
told = said("job", "p3dfft:n=256", "--platform", "frontera", "--ranks", "64", "--samples", "3")["rows"]
assert collcast.job("p3dfft:n=256", "frontera", 64, samples=3) == [{"platform": "frontera", "job": "p3dfft:n=256", **told[0]}]
assert [row["platform"] for row in collcast.job("p3dfft:n=256", ["frontera", "summit"], 64)] == ["frontera", "summit"]

# What the program notes on its standard error is a warning.
with warnings.catch_warnings(record=True) as notes:
    warnings.simplefilter("always")
    collcast.train("gpt3-13b", "summit", 6, batch=1)
assert any("gpt3-13b on 6 ranks does not fit: a rank needs" in str(n.message) for n in notes), notes
with warnings.catch_warnings(record=True) as notes:
    warnings.simplefilter("always")
    collcast.train("gpt3-13b", "dgx-a100", [64, 128], framework="megatron:tp=8,pp=4,micro-batches=32", precision="amp")
told = said("train", "--model", "gpt3-13b", "--platform", "dgx-a100", "--ranks", "64,128", "--precision", "amp",
            "--framework", "megatron:tp=8,pp=4,micro-batches=32")["notes"]
assert told and [str(n.message) for n in notes] == told, notes
assert any("1000 is more than a port" in note
           for note in collcast.replay(trace, "edr-cluster", engine="path", set={"network.bandwidth_GBps": 1000})["notes"])

for call, words in [(lambda: collcast.predict("allredcue", "flat", 4, 1), "did you mean 'allreduce'?"),
                    (lambda: collcast.predict("allreduce", "sumit", 4, 1), "did you mean summit?"),
                    (lambda: collcast.predict("allreduce", "flat", 4, "4QB"), "is not understood"),
                    (lambda: collcast.predict("all\nreduce", "flat", 4, 1), "all\\nreduce"),
                    (lambda: collcast.times("allreduce", "flat", 4, 1, algorithm="all"), "takes one algorithm"),
                    (lambda: collcast.predict("allreduce", "flat", 4, 1, algorithm=[]), "algorithm: the list is empty"),
                    (lambda: collcast.predict("allreduce", "flat", 4, 1, memory="gpu"), "expected host or device"),
                    (lambda: collcast.predict("allreduce", "flat", 4, 1, workers=2), "go with offload"),
                    (lambda: collcast.predict("allreduce", "flat", 4, 1, offload="gpu"), "expected dpu or none"),
                    (lambda: collcast.predict("allreduce", "flat", 4, [1, 2], timeline="t.json"), "takes a single"),
                    (lambda: collcast.predict("allreduce", "flat", 4, 1, import_=trace), "a recorded application"),
                    (lambda: collcast.replay(trace, "flat", pieces=2), "go with offload"),
                    (lambda: collcast.replay(trace, "flat", fusion="1MiB"), "Horovod"),
                    (lambda: collcast.train("resnet5", "flat", 4), "resnet50"),
                    (lambda: collcast.train("resnet50", "p40-node", 9), "p40-node holds 8 ranks, not 9"),
                    (lambda: collcast.train("resnet50", "dgx-1v", 8, noise=-1), "noise must not be negative"),
                    (lambda: collcast.train("resnet50", "dgx-1v", 8, noise=float("nan")), "noise 'nan' is not a number"),
                    (lambda: collcast.train("resnet50", "dgx-1v", 8, throughput=1e-320), "throughput must be from 1e-9"),
                    (lambda: collcast.predict("all\0reduce", "flat", 4, 1), "'all\\x00reduce' holds a NUL"),
                    (lambda: collcast.predict("allreduce", "flat", 4, 1, set=["a\0b=1"]), "holds a NUL"),
                    (lambda: collcast.predict("allreduce", "flat", 4, 1, set={"network.latency_us": True}),
                     "set: network.latency_us is True; expected a number or text"),
                    (lambda: collcast.predict("allreduce", "flat", 4, 1, set={"network.latency_us": None}),
                     "set: network.latency_us is None; expected a number or text"),
                    (lambda: collcast.predict("allreduce", "flat", 4, float("nan")), "size must be from 0 to 1e18 bytes"),
                    (lambda: collcast.train("resnet50", "dgx-1v", 0), "number of ranks '0' is not"),
                    (lambda: collcast.train([], "dgx-1v", 8), "model: the list is empty"),
                    (lambda: collcast.train("resnet50", [], 8), "platform: the list is empty"),
                    (lambda: collcast.train("resnet50", "dgx-1v", []), "ranks: the list is empty"),
                    (lambda: collcast.job([], "frontera", 4), "what: the list is empty"),
                    (lambda: collcast.job("p3dfft:n=64", "frontera", -3), "number of ranks '-3' is not"),
                    (lambda: collcast.job("p3dfft:n=64", "frontera", 4, samples=-5), "samples"),
                    (lambda: collcast.job("p3dfft:n=64", "frontera", 4, samples=float("nan")), "samples"),
                    (lambda: collcast.calibrate([], "edr-cluster"), "tables: the list is empty"),
                    (lambda: collcast.job("p3dfft:n=64", "frontera"), "--ranks is required"),
                    (lambda: collcast.job("p3dfft:n=64", "frontera", 4, pieces=2), "has none"),
                    (lambda: collcast.job("p3dfft:n=64", "frontera", 4, delivery="fast"), "takes staged or direct"),
                    (lambda: collcast.job("/nowhere.json", "flat", 4), "/nowhere.json"),
                    (lambda: collcast.calibrate("/nowhere.txt", "flat"), "/nowhere.txt"),
                    (lambda: collcast.validate([], "flat"), "tables: the list is empty"),
                    (lambda: collcast.replay(trace, "flat", placement="best"), "best"),
                    (lambda: collcast.replay(trace, "flat", timeline="t.txt"), "t.txt"),
                    (lambda: collcast.replay("/nowhere.cct", "flat"), "/nowhere.cct")]:
    try:
        call()
    except collcast.InputError as e:
        assert isinstance(e, ValueError) and words in str(e) and "\n" not in str(e), e
    else:
        raise AssertionError(words)

# What the program notes is a warning.
with warnings.catch_warnings(record=True) as noted:
    warnings.simplefilter("always")
    collcast.predict("barrier", "flat", 4, 1024)
assert any("--size changes nothing" in str(w.message) for w in noted), noted

# Times as an array: axes of what is a list, and of time, low and high.
rows = collcast.predict("allreduce", "summit", [6, 12], ["1KiB", "1MiB", "8MiB"], algorithm="ring")
array = collcast.times("allreduce", "summit", [6, 12], ["1KiB", "1MiB", "8MiB"], algorithm="ring")
assert array.shape == (2, 3, 3)
assert array.reshape(6, 3).tolist() == [[r["time_s"], r["low_s"], r["high_s"]] for r in rows]
assert collcast.times("allreduce", "flat", 4, 1024).shape == (3,)
# A barrier has no size; it was three numbers written into an array of none.
assert collcast.times("barrier", "flat", [4, 8]).shape == (2, 3)
assert collcast.predict("barrier", "flat", 4)[0]["time_s"] == collcast.times("barrier", "flat", 4, [])[0] > 0
assert collcast.times("allreduce", "flat", numpy.array(4), numpy.array(1024)).shape == (3,)  # no length, one number
assert collcast.times("allreduce", "flat", 4, "1KiB:4KiB").shape == (3, 3)  # a range is an axis, of one size as well
assert collcast.times("allreduce", "flat", 4, "1KiB:1KiB").shape == (1, 3)
assert [r["message_bytes"] for r in collcast.predict("allreduce", "flat", 4, ["8:16:+4", 8])] == [8, 12, 16, 8]
sizes = 2 ** numpy.arange(10, 13)  # numpy's own numbers are sizes and ranks as well
assert collcast.times("allreduce", ["flat", "summit"], numpy.array([4]), sizes).shape == (2, 1, 3, 3)

with tempfile.TemporaryDirectory() as made:  # the first half of a recording
    with open(source + "/traces/hpcc-8.cct", "rb") as whole, open(made + "/half.cct", "wb") as half:
        half.write(whole.read(20000))
    cut = collcast.replay(made + "/half.cct", "edr-cluster", engine="path")
assert cut["stopped_short"] and any("ends where the trace does" in note for note in cut["notes"]), cut

told = said("inspect", trace)
inspected = collcast.inspect(trace)
assert inspected["operations"] == told["operations"] and inspected["ranks"] == told["ranks"] == 8

table = source + "/tests/python/latency.txt"
calibrated = collcast.calibrate(table + ":nodes=2,buffers=host", "edr-cluster")
latency = calibrated["platform"]["software"]["between_nodes"]["host"]["latency_us"]
assert latency["stamp"] == "calibrated"
with tempfile.TemporaryDirectory() as made:
    file = made + "/fitted.json"
    said("calibrate", "--from", table + ":nodes=2,buffers=host", "--base", "edr-cluster", "-o", file)
    assert calibrated["platform"] == json.load(open(file))  # the day of the table, too

tables = table + ":nodes=2,buffers=host"
assert collcast.validate(tables, "edr-cluster") == said("validate", "--measurements", tables, "--platform", "edr-cluster")

# The stub has the module's functions, their arguments and defaults.
stub = {f.name: f.args for f in ast.parse(open(source + "/python/collcast.pyi").read()).body
        if isinstance(f, ast.FunctionDef)}
functions = [n for n, f in vars(collcast).items() if type(f).__name__ == "builtin_function_or_method"]
assert sorted(stub) == sorted(functions), functions
for name, arguments in stub.items():
    line = getattr(collcast, name).__doc__.splitlines()[0]
    for argument in arguments.args + arguments.kwonlyargs:
        assert re.search(rf"\b{argument.arg}: ", line), (name, argument.arg, line)
    assert len(re.findall(r"(\w+): ", line)) == len(arguments.args + arguments.kwonlyargs), line
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        assert f" = {ast.unparse(default)}" in line, (name, argument.arg, line)

# A plan, and a space of cases: a dictionary, a file, arrays and paths in it; here and in other processes.
words = ["--model", "resnet50", "--samples", "1e6", "--framework", "ddp,zero1", "--batch", "32,64", "--precision", "amp",
         "--time", "2h", "--price", "summit=20", "--set", "network.bandwidth_GBps=50"]
assert said("plan", "-p", "summit", "-n", "12", *words) == collcast.plan(
    "summit", [12], model="resnet50", samples=1e6, framework=["ddp", "zero1"], batch=[32, 64], precision="amp",
    time=7200, price={"summit": 20}, set={"network.bandwidth_GBps": 50})
small = "gpt:layers=2,hidden=256,heads=4,sequence=256"
step = ["-m", small, "--samples", "64", "--global-batch", "16", "--layouts", "--max-tp", "2"]
assert said("plan", "-p", "dgx-a100", "-n", "8", *step) == collcast.plan(
    "dgx-a100", 8, model=small, samples=64, global_batch=16, layouts=True, max_tp=2)
assert said("plan", "-p", "flat,summit", "-n", "4", "--job", "kmeans", "--runs", "10", "--aim", "time") == collcast.plan(
    ["flat", "summit"], 4, job="kmeans", runs=10, aim="time")
space = {"platform": ["flat", "summit"], "ranks": numpy.array([4, 8]), "collective": "allreduce", "size": ["1KiB", 1 << 20]}
with tempfile.TemporaryDirectory() as scratch:
    file = pathlib.Path(scratch, "space.json")
    file.write_text(json.dumps({**space, "ranks": [4, 8]}))
    swept = said("sweep", str(file), "-o", scratch + "/folder")
    assert swept == collcast.sweep(file) == collcast.sweep(space) == collcast.sweep(space, jobs=2)
    assert len(swept["rows"]) == 8 and swept["failed"] == []
    steps = collcast.sweep({"ask": "replay", "platform": "flat", "trace": pathlib.Path(trace)})
    assert steps["rows"][0]["time_s"] == said("replay", trace, "-p", "flat")["time_s"]
for call, words in [(lambda: collcast.plan("summit", 6), "exactly one of"),
                    (lambda: collcast.plan("summit", 6, job="kmeans", batch=8), "batch goes with a model"),
                    (lambda: collcast.plan("summit", 6, model="resnet50", samples=1e6, runs=2), "runs are of a trace"),
                    (lambda: collcast.sweep({"platform": "flat"}), "sweep: \"ranks\" is missing"),
                    (lambda: collcast.sweep({**space, "rank": 4}), '"rank" is not a key'),
                    (lambda: collcast.sweep(space, jobs=0), "jobs '0'"),
                    (lambda: collcast.sweep("no such file"), "no such file")]:
    try:
        call()
    except collcast.InputError as e:
        assert words in str(e), e
    else:
        raise AssertionError(words)

# How far from the bound, a schedule for a machine, and what a library is best told; the files that go with them.
asked = ["-p", "dgx-1v", "-n", "8", "--set", "network.bandwidth_GBps=20"]
assert said("gap", "allgather", *asked, "-s", "1KiB:1MiB:x32", "--policy", "nccl-2.8") == collcast.gap(
    "allgather", "dgx-1v", 8, "1KiB:1MiB:x32", policy="nccl-2.8", set={"network.bandwidth_GBps": 20})
assert said("gap", "bcast", *asked, "-s", "1KiB", "--root", "3", "--memory", "host", "--engine", "path") == collcast.gap(
    "bcast", "dgx-1v", 8, 1024, root=3, memory="host", engine="path", set="network.bandwidth_GBps=20")
assert said("gap", "allgather", "-p", "dgx-1v", "-n", "8", "-s", "1MiB", "--transport", "nccl:LL") == collcast.gap(
    "allgather", "dgx-1v", 8, "1MiB", transport="nccl:LL")
with tempfile.TemporaryDirectory() as scratch:
    for form in ["json", "xml"]:
        told = said("synthesize", "reduce", *asked, "-s", "64KiB,1MiB", "--root", "2", "--trees", "1", "-o",
                    f"{scratch}/s.{form}")
        made = collcast.synthesize("reduce", "dgx-1v", 8, ["64KiB", 1 << 20], root=2, trees=1, form=form, set=["network.bandwidth_GBps=20"])
        assert made.pop("file") == open(f"{scratch}/s.{form}").read() and made == told
    told = said("tune", "--for", "openmpi", "-p", "edr-cluster", "-n", "8", "-s", "1KiB:64KiB:x8", "--collective", "bcast",
                "--all", "--set", "network.bandwidth_GBps=5", "-o", scratch + "/rules.txt")
    tuned = collcast.tune("openmpi", "edr-cluster", 8, "1KiB:64KiB:x8", collective="bcast",
                          set={"network.bandwidth_GBps": 5})
    assert tuned.pop("file") == open(scratch + "/rules.txt").read() and tuned == told
for call, words in [(lambda: collcast.synthesize("allgather", "dgx-1v", 8, form="yaml"), "expected json or xml"),
                    (lambda: collcast.synthesize("allgather", "dgx-1v", 8, trees=65), "trees: 65; expected 0 to 64"),
                    (lambda: collcast.gap("allgather", "dgx-1v", 0), "number of ranks '0'"),
                    (lambda: collcast.synthesize("allgather", "dgx-1v", 8, transport="nccl:LL64"), "nccl:LL64"),
                    (lambda: collcast.gap("allgather", "dgx-1v", 8, "4KiB:1KiB"), "begins after its end"),
                    (lambda: collcast.tune("gloo", "flat", 4, 1), "gloo"),
                    (lambda: collcast.tune("openmpi", "flat", 4, [2, 1]), "ascending")]:
    try:
        call()
    except collcast.InputError as e:
        assert words in str(e), e
    else:
        raise AssertionError(words)

# What does not move the answer is said, and what binds instead.
for call, words in [(lambda: collcast.predict("allreduce", "dgx-1v", 8, "1MiB", set={"network.bandwidth_GBps": 25}), "network.bandwidth_GBps"),
                    (lambda: collcast.times("allreduce", "dgx-1v", 8, "1MiB", set={"network.bandwidth_GBps": 25}), "network.bandwidth_GBps"),
                    (lambda: collcast.train("resnet50", "summit", 6, set={"network.bandwidth_GBps": 50}), "network.bandwidth_GBps"),
                    (lambda: collcast.job("kmeans", "frontera", 56, set={"network.bandwidth_GBps": 50}), "network.bandwidth_GBps")]:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        call()
    assert any(words in str(w.message) and "\n" not in str(w.message) for w in heard), [str(w.message) for w in heard]
assert collcast.replay(trace, "flat")["unbound"] == []
assert said("replay", trace, "-p", "edr-cluster", "--engine", "path", "--set", "max_nodes=99")["unbound"] == collcast.replay(
    trace, "edr-cluster", engine="path", set={"max_nodes": 99})["unbound"] != []

# A mistake in the arguments is one line as well, and names the argument.
for call, words in [(lambda: collcast.predict("allreduce", "flat", rank=4), "no argument 'rank'; did you mean 'ranks'"),
                    (lambda: collcast.predict("allreduce", "flat"), "predict(): needs 'ranks'"),
                    (lambda: collcast.predict("allreduce", "flat", 4.0, 1), "ranks is a float, 4.0; expected Union[int"),
                    (lambda: collcast.predict("allreduce", "flat", 2**31, 1), "ranks is 2147483648; expected a number of at most 2147483647"),
                    (lambda: collcast.predict("allreduce", "flat", 4, None), "size is a NoneType"),
                    (lambda: collcast.predict("allreduce", "flat", 4, 1, "ring"), "takes 4 arguments without names, not 5"),
                    (lambda: collcast.predict("allreduce", "flat", 4, ranks=4), "is given 'ranks' twice"),
                    (lambda: collcast.replay(trace, "flat", algorithm="ring"), "algorithm is a str"),
                    (lambda: collcast.plan("flat", 4, job="kmeans", price=3), "price is a int, 3"),
                    (lambda: collcast.sweep(3), "space is a int, 3"),
                    (lambda: collcast.sweep({"platform": b"flat"}), "sweep(): space holds a bytes; expected text"),
                    (lambda: collcast.platforms(1), "takes 0 arguments")]:
    try:
        call()
    except TypeError as e:
        assert words in str(e) and "\n" not in str(e), e
    else:
        raise AssertionError(words)
endless, with_path = [], [pathlib.Path(".")]
endless.append(endless)
with_path.append(with_path)
for call in [lambda: collcast.predict("allreduce", "flat", endless), lambda: collcast.predict("allreduce", with_path, 4),
             lambda: collcast.sweep({"platform": endless})]:
    try:
        call()
    except RecursionError as e:
        assert "recursion depth" in str(e), e
    else:
        raise AssertionError("an endless list is taken")

# Paths, parameters as a dictionary, functions that go to other processes, signatures.
where = pathlib.Path(trace)
assert collcast.inspect(where) == collcast.inspect([where]) == inspected
one = collcast.predict("allreduce", "edr-cluster", 4, 1024, set="network.bandwidth_GBps=5")
assert one == collcast.predict("allreduce", "edr-cluster", 4, 1024, set=["network.bandwidth_GBps=5"])
assert one == collcast.predict("allreduce", "edr-cluster", 4, 1024, set={"network.bandwidth_GBps": 5})
assert pickle.loads(pickle.dumps(collcast.predict)) is collcast.predict
assert list(inspect.signature(collcast.times).parameters)[:4] == ["collective", "platform", "ranks", "size"]
assert str(inspect.signature(collcast.platforms)) == "()"

# Ctrl-C ends a call, and only that one.
large = {**space, "platform": "summit", "ranks": "6:6000:+6", "algorithm": "all"}
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collcast.predict("allreduce", "summit", [48 * n for n in range(1, 60)], 1 << 26, algorithm="all")
except KeyboardInterrupt:
    assert collcast.predict("bcast", "flat", 4, 1024)[0]["message_bytes"] == 1024
else:
    raise AssertionError("nobody heard the interrupt")

for long in [lambda: collcast.sweep(large), lambda: collcast.sweep(large, jobs=2),
             lambda: collcast.gap("allreduce", "summit", 48, "1KiB:1GiB:+64KiB"),
             lambda: collcast.train("resnet50", "summit", [6 * n for n in range(1, 500)]),
             lambda: collcast.job("kmeans", "frontera", [56 * n for n in range(1, 500)]),
             lambda: collcast.tune("openmpi", "frontera", 448, "1KiB:64KiB:+16")]:
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        long()
    except KeyboardInterrupt:
        pass
    else:
        raise AssertionError("nobody heard the interrupt")

# Threads predict at once: the interpreter's lock is free meanwhile.
answers = []
threads = [threading.Thread(target=lambda: answers.append(collcast.predict("allreduce", "summit", 96, 1 << 20)))
           for _ in range(3)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(answers) == 3 and answers[0] == answers[1] == answers[2]
assert collcast.predict.__doc__ and collcast.__doc__
print("the module answers as the program does")
