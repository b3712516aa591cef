# SPDX-License-Identifier: Apache-2.0
"""The Python module answers as the program does. Usage: module_test.py MODULE_FOLDER PROGRAM SOURCE"""
import json
import subprocess
import sys
import threading

folder, program, source = sys.argv[1:]
sys.path.insert(0, folder)
import collcast  # noqa: E402


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
                    (lambda: collcast.replay("/nowhere.cct", "flat"), "/nowhere.cct")]:
    try:
        call()
    except collcast.InputError as e:
        assert isinstance(e, ValueError) and words in str(e) and "\n" not in str(e), e
    else:
        raise AssertionError(words)

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
