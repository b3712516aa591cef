#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""job_schema.py COLLCAST SOURCE_DIR: docs/job.schema.json is what `collcast job --schema` prints. It and the program take all
jobs that are shipped, shown or described by applications, and refuse the same broken ones."""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: there is no jsonschema (python3-jsonschema)")
    sys.exit(77)

collcast, source = sys.argv[1], pathlib.Path(sys.argv[2])
run = lambda *arguments: subprocess.run([collcast, "job", *arguments], capture_output=True, text=True)
schema = json.loads((source / "docs/job.schema.json").read_text())
assert schema == json.loads(run("--schema").stdout), "docs/job.schema.json is not what `collcast job --schema` prints"
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)

jobs = {str(p): json.loads(p.read_text()) for folder in ("docs/examples/jobs", "validation/jobs")
        for p in sorted((source / folder).rglob("*.json"))}
for i, block in enumerate(re.findall(r"^```\w*\n(\{.*?)^```", (source / "docs/jobs.md").read_text(), re.DOTALL | re.MULTILINE)):
    jobs[f"jobs.md, {i}"] = json.loads(block)
for what in ("p3dfft:n=64,mode=offload", "p3dfft:n=64,mode=nonblocking", "kmeans", "stencil:residual=5,overlap=1", "pbt:quantiles=2"):
    jobs[what] = json.loads(run(what, "--platform", "bluefield-2-cluster", "--ranks", "4", "--describe").stdout)
assert len(jobs) >= 12, list(jobs)


def taken(job):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "j.json"
        file.write_text(json.dumps(job))
        sizes = job.get("dimensions", {}).values() if isinstance(job.get("dimensions"), dict) else []
        ranks = ["--ranks", "32"] if "*" in sizes else []
        answer = run(str(file), "--platform", "bluefield-2-cluster", "--policy", "openmpi-4.0", *ranks, "--describe")
        assert answer.returncode in (0, 2) and (answer.returncode == 0 or answer.stderr.count("\n") == 1), answer
        return answer.returncode == 0


wrong = []
for name, job in jobs.items():
    wrong += [f"{name}: {e.message}" for e in validator.iter_errors(job)]
    if not taken(job):
        wrong.append(f"{name}: the program refuses it")
whole = {"name": "n", "dimensions": {"row": 2, "column": "*"}, "groups": {"grid": ["row", "column"]}, "streams": ["a", "b"], "slowdown": 0.1,
         "roles": [{"name": "r", "do": [{"do": "compute", "name": "c", "time_s": 1}, {"do": "barrier", "stream": "a"},
                                        {"do": "allreduce", "bytes": 8, "group": "grid", "algorithm": "ring", "progress": "host", "after": ["c"]},
                                        {"repeat": 2, "do": [{"do": "halo-2d", "bytes": 8, "offload": "dpu"}]}]}]}
do = whole["roles"][0]["do"]
MUTATIONS = [lambda j: None, lambda j: j.pop("roles"), lambda j: j.pop("dimensions"), lambda j: j.update(rolls=[]), lambda j: j.update(streams=[]),
             lambda j: j.update(slowdown=-1), lambda j: j.update(dimensions={}), lambda j: j["dimensions"].update(row=0),
             lambda j: j["dimensions"].update(row="all"), lambda j: j.update(roles=[]), lambda j: j.update(groups=["row"])]
for at, key, value in [(0, "time_s", -1), (0, "time_s", "1s"), (0, "time", 1), (0, "bytes", 1), (1, "bytes", 0), (1, "bytes", 1), (2, "bytes", -8),
                       (2, "bytes", None), (2, "do", "frobnicate"), (2, "after", "c"), (2, "progress", "gpu"), (2, "offload", "dpu"),
                       (2, "to", "r"), (2, "group", 3), (3, "repeat", 1.5), (3, "repeat", -1), (3, "name", "x"), (3, "do", "compute")]:
    MUTATIONS.append(lambda j, at=at, key=key, value=value: j["roles"][0]["do"][at].update({key: value}))
for mutate in MUTATIONS:
    job = copy.deepcopy(whole)
    mutate(job)
    if taken(job) != validator.is_valid(job):
        wrong.append(f"the program {'takes' if taken(job) else 'refuses'} {json.dumps(job)}")
print("\n".join(wrong) or f"{len(jobs)} jobs and {len(MUTATIONS)} variants agree")
sys.exit(bool(wrong))
