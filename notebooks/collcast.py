# SPDX-License-Identifier: Apache-2.0
"""Runs collcast and gives back its JSON: `ask("predict", "allreduce", platform="summit", ranks=96, size="4KiB")`."""
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("COLLCAST", str(ROOT / "build/release/collcast"))


def ask(*words, **options):
    """Lists become comma-separated; raises RuntimeError with collcast's own line if it refuses."""
    command = [PROGRAM, *map(str, words), "--format", "json"]
    for name, value in options.items():
        text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        command += ["--" + name.replace("_", "-"), text]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)
