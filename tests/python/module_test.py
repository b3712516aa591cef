# SPDX-License-Identifier: Apache-2.0
"""The Python module answers as the program does. Usage: module_test.py MODULE_FOLDER PROGRAM SOURCE"""
import ast
import json
import re
import subprocess
import sys
import threading

folder, program, source = sys.argv[1:]
sys.path.insert(0, folder)
import collcast  # noqa: E402
import numpy  # noqa: E402


def said(*words):
    return json.loads(subprocess.run([program, *words, "--format", "json"], capture_output=True, check=True).stdout)


assert collcast.platforms() == said("platforms")
assert {a["algorithm"] for a in collcast.algorithms("all_reduce")} == {
    a["algorithm"] for a in said("algorithms", "allreduce")}

words = ["predict", "allreduce", "--platform", "summit", "--ranks", "6,12", "--size", "64KiB", "--algorithm", "ring",
         "--engine", "path"]
assert collcast.predict("allreduce", "summit", [6, 12], "64KiB", algorithm="ring") == said(*words)["predictions"]
assert collcast.predict("bcast", "flat", 4, 1024)[0]["message_bytes"] == 1024

assert collcast.prove("allreduce", "ring", 8)["holds"]
assert collcast.prove("broadcast", "knomial", 9, root=3, radix=3)["messages"] == 8

trace = source + "/traces/qe-si-8.cct"
replayed = collcast.replay(trace, "flat", algorithms={"bcast": "chain"}, engine="path")
told = said("replay", trace, "--platform", "flat", "--algorithm", "bcast=chain", "--engine", "path")
assert replayed["time_s"] == told["time_s"]

for call, words in [(lambda: collcast.predict("allredcue", "flat", 4, 1), "did you mean 'allreduce'?"),
                    (lambda: collcast.predict("allreduce", "sumit", 4, 1), "did you mean summit?"),
                    (lambda: collcast.predict("allreduce", "flat", 4, "4QB"), "is not understood"),
                    (lambda: collcast.predict("all\nreduce", "flat", 4, 1), "all\\nreduce"),
                    (lambda: collcast.times("allreduce", "flat", 4, 1, algorithm="all"), "takes one algorithm"),
                    (lambda: collcast.calibrate("/nowhere.txt", "flat"), "/nowhere.txt"),
                    (lambda: collcast.replay("/nowhere.cct", "flat"), "/nowhere.cct")]:
    try:
        call()
    except collcast.InputError as e:
        assert isinstance(e, ValueError) and words in str(e) and "\n" not in str(e), e
    else:
        raise AssertionError(words)

# Times as an array: axes of what is a list, and of time, low and high.
rows = collcast.predict("allreduce", "summit", [6, 12], ["1KiB", "1MiB", "8MiB"], algorithm="ring")
array = collcast.times("allreduce", "summit", [6, 12], ["1KiB", "1MiB", "8MiB"], algorithm="ring")
assert array.shape == (2, 3, 3)
assert array.reshape(6, 3).tolist() == [[r["time_s"], r["low_s"], r["high_s"]] for r in rows]
assert collcast.times("allreduce", "flat", 4, 1024).shape == (3,)
# A barrier has no size; it was three numbers written into an array of none.
assert collcast.times("barrier", "flat", [4, 8]).shape == (2, 3)
assert collcast.predict("barrier", "flat", 4)[0]["time_s"] == collcast.times("barrier", "flat", 4, [])[0] > 0
sizes = 2 ** numpy.arange(10, 13)  # numpy's own numbers are sizes and ranks as well
assert collcast.times("allreduce", ["flat", "summit"], numpy.array([4]), sizes).shape == (2, 1, 3, 3)

told = said("inspect", trace)
inspected = collcast.inspect(trace)
assert inspected["operations"] == told["operations"] and inspected["ranks"] == told["ranks"] == 8

table = source + "/tests/python/latency.txt"
calibrated = collcast.calibrate(table + ":nodes=2,buffers=host", "edr-cluster")
latency = calibrated["platform"]["software"]["between_nodes"]["host"]["latency_us"]
assert latency["stamp"] == "calibrated" and "latency.txt" in latency["source"]

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
