#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The published JSON Schema, a real validator and the loader agree on every shipped platform, and on broken ones.

Usage: schema_test.py COLLCAST SOURCE_DIR
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

collcast, source = sys.argv[1], pathlib.Path(sys.argv[2])
schema = json.loads((source / "docs/platform.schema.json").read_text())
made = json.loads(subprocess.run([collcast, "platforms", "--schema"], capture_output=True, check=True).stdout)
assert schema == made, "docs/platform.schema.json is not what `collcast platforms --schema` prints"
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
scratch = tempfile.TemporaryDirectory()


def loads(platform):
    path = pathlib.Path(scratch.name) / "mutated.json"
    path.write_text(json.dumps(platform))
    run = subprocess.run([collcast, "platforms", str(path), "--format", "csv"], capture_output=True, text=True)
    assert run.returncode in (0, 2), run
    assert run.returncode == 0 or run.stderr.count("\n") == 1, run.stderr
    return run.returncode == 0


files = sorted((source / "platforms/data").glob("*.json"))
for file in files:
    errors = list(validator.iter_errors(json.loads(file.read_text())))
    assert not errors, f"{file.name}: {errors[0].message}"

GUESS = {"value": 1, "source": "a test", "stamp": "guess"}
MUTATIONS = [
    ("unknown key", lambda p: p["network"].update(bandwith_GBps=GUESS)),
    ("unknown unit", lambda p: p["network"].update(bandwidth_Gbps=GUESS)),
    ("missing key", lambda p: p.pop("protocol")),
    ("negative bandwidth", lambda p: p["network"]["bandwidth_GBps"].update(value=-1)),
    ("zero bandwidth", lambda p: p["network"]["bandwidth_GBps"].update(value=0)),
    ("text for a number", lambda p: p["network"]["bandwidth_GBps"].update(value="12")),
    ("bare number", lambda p: p["network"].update(bandwidth_GBps=12)),
    ("no source", lambda p: p["network"]["bandwidth_GBps"].pop("source")),
    ("empty source", lambda p: p["network"]["bandwidth_GBps"].update(source="")),
    ("unknown stamp", lambda p: p["network"]["bandwidth_GBps"].update(stamp="sure")),
    ("unknown network", lambda p: p["network"].update(kind="hypercube")),
    ("no such vertex kind", lambda p: p["node"]["vertices"]["gpu0"].update(kind="tpu")),
    ("fractional count", lambda p: p.update(max_nodes=1.5)),
    ("no nodes", lambda p: p.update(max_nodes=0)),
    ("list for an object", lambda p: p.update(node=[])),
    ("name with a dot", lambda p: p["node"]["vertices"].update({"gpu.9": {"kind": "gpu"}})),
    ("too large", lambda p: p["network"]["bandwidth_GBps"].update(value=1e30)),
]
summit = json.loads((source / "platforms/data/summit.json").read_text())
assert loads(summit)
for what, mutate in MUTATIONS:
    broken = copy.deepcopy(summit)
    mutate(broken)
    assert not validator.is_valid(broken), f"the schema accepts: {what}"
    assert not loads(broken), f"the loader accepts: {what}"

overlay = {"base": "summit", "network": {"bandwidth_GBps": {"value": 5}, "multicast": None}}
assert validator.is_valid(overlay) and loads(overlay)
assert not validator.is_valid({"base": 3}) and not loads({"base": 3})
print(f"{len(files)} platforms valid, {len(MUTATIONS) + 1} broken ones refused by schema and loader")
