#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sweep_schema.py COLLCAST SOURCE_DIR: docs/sweep.schema.json takes what the program takes, and refuses forms that it refuses."""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: there is no jsonschema (python3-jsonschema)")
    sys.exit(77)

collcast, source = sys.argv[1], pathlib.Path(sys.argv[2])
schema = json.loads((source / "docs/sweep.schema.json").read_text())
small = {"platform": "flat", "ranks": 4, "collective": "allreduce", "size": 1, "algorithm": "ring"}
CASES = [small, {**small, "set": {"network.bandwidth_GBps": [1, 2]}}, {**small, "sample": {"random": 2}, "size": {"from": 1, "to": 9}},
         {**small, "ask": "frobnicate"}, {**small, "rank": 3}, {**small, "ranks": []}, {**small, "size": {"from": 1}},
         {**small, "sample": "sobol"}, {**small, "sample": {"random": 2, "sead": 1}}, {**small, "set": 3}, {**small, "about": 3},
         {**small, "ranks": [2, 4], "stop": {"along": "ranks", "when": "time_s", "above": 1}},
         {**small, "ranks": [2, 4], "stop": {"along": "ranks", "when": "time_s"}},
         {"ask": "replay", "platform": "flat", "trace": str(source / "traces/hpcc-8.cct"), "engine": "path"}, {"ask": "replay", "platform": "flat"},
         {"ask": "replay", "platform": "flat", "trace": str(source / "traces/lammps-melt-8.cct"), "engine": "path", "nonblocking": ["none", "all"]},
         {"ask": "job", "platform": "frontera", "job": "p3dfft:n=64", "ranks": 4}, {"ask": "job", "platform": "frontera"},
         {**small, "policy": "nccl-2.28", "algorithm": "auto", "policy.proto": ["LL", "Simple"]}, {**small, "radix.x": 2},
         {"ask": "train", "platform": "summit", "ranks": 6, "model": "resnet50", "framework": "horovod", "framework.fusion": "16MiB:64MiB:x2"},
         {"ask": "train", "platform": "summit", "ranks": 6, "model": "resnet50", "framework": "horovod", "framework.fusion": []},
         {"ask": "train", "platform": "summit", "ranks": 6, "model": "resnet50", "framework": "horovod",
          "framework.cycle": {"from": "1ms", "to": "5ms"}, "sample": {"random": 2}},
         {**small, "platform": {"from": 1, "to": 2}}, {k: v for k, v in small.items() if k != "platform"}]
wrong = []
for example in sorted((source / "docs/examples").glob("*.json")):
    jsonschema.validate(json.loads(example.read_text()), schema)
for case in CASES:
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "s.json"
        file.write_text(json.dumps(case))
        taken = subprocess.run([collcast, "sweep", file, "-o", folder + "/j"], capture_output=True).returncode != 2
    if taken != jsonschema.Draft7Validator(schema).is_valid(case):
        wrong.append(f"{case}: the program {'takes' if taken else 'refuses'} it")
print("\n".join(wrong) or f"{len(CASES)} cases agree")
sys.exit(bool(wrong))
