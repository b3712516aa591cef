#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the code of every notebook. Usage: notebooks.py FOLDER; the program is $COLLCAST."""
import json
import pathlib
import sys

try:
    import matplotlib
except ImportError:
    print("skipped: python3-matplotlib is not installed")
    sys.exit(77)
matplotlib.use("Agg")

folder = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(folder))
for path in sorted(folder.glob("*.ipynb")):
    names = {}
    for number, cell in enumerate(json.loads(path.read_text())["cells"]):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), names)
    print(f"{path.name}: ran")
