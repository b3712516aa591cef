#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every notebook's code and fails where it prints something else than the notebook shows. Pictures are drawn, not compared.
Usage: notebooks.py [--update] FOLDER [NAME...]; --update writes what was printed and drawn into the notebooks. The module
`collcast` is found as Python finds it (PYTHONPATH), else in the release build."""
import base64
import contextlib
import difflib
import io
import json
import os
import pathlib
import sys
import time

try:
    import matplotlib
    import numpy  # noqa: F401
except ImportError as e:
    print(f"skipped: {e}")
    sys.exit(77)
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def drawn(figure):
    """As a picture of few colours, which takes a third of the place."""
    from PIL import Image
    raw, small = io.BytesIO(), io.BytesIO()
    figure.savefig(raw, format="png", dpi=110, bbox_inches="tight")
    Image.open(raw).convert("RGB").quantize(64, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    return base64.b64encode(small.getvalue()).decode()


class Cell:
    """Runs a cell and keeps what it prints and, if asked to, what it draws, in this order."""

    def __init__(self, source, names, where, keep_pictures):
        self.outputs, self.said, self.keep_pictures = [], io.StringIO(), keep_pictures
        plt.show = lambda: self.show()  # matplotlib wants a plain function
        with contextlib.redirect_stdout(self.said):
            exec(compile(source, where, "exec"), names)
        self.take_text()

    def take_text(self):
        if text := self.said.getvalue():
            self.outputs.append({"name": "stdout", "output_type": "stream", "text": text.splitlines(True)})
        self.said.seek(0), self.said.truncate()

    def show(self):
        self.take_text()
        for number in plt.get_fignums():
            if not self.keep_pictures:
                plt.figure(number).canvas.draw()
                continue
            data = {"image/png": drawn(plt.figure(number)), "text/plain": ["<Figure>"]}
            self.outputs.append({"data": data, "metadata": {}, "output_type": "display_data"})
        plt.close("all")


def printed(outputs):
    return [line for o in outputs if o["output_type"] == "stream" for line in o["text"]]


def run(path, update):
    """What the notebook prints otherwise than it shows, as a diff."""
    notebook, names, changes = json.loads(path.read_text()), {}, []
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] != "code":
            continue
        where = f"{path.name}, cell {number}"
        ran = Cell("".join(cell["source"]), names, where, update)
        changes += difflib.unified_diff(printed(cell["outputs"]), printed(ran.outputs), where + ", as committed", "as run")
        cell["outputs"] = ran.outputs
    if update:
        path.write_text(json.dumps(notebook, indent=1) + "\n")
        return []
    return changes


words = [w for w in sys.argv[1:] if w != "--update"]
folder = pathlib.Path(words[0]).resolve()
paths = [p for p in sorted(folder.glob("*.ipynb")) if len(words) == 1 or p.stem in words[1:]]
assert paths, f"no notebook in {folder}"
os.chdir(folder)
differ = False
for path in paths:
    start = time.monotonic()
    plt.rcdefaults()
    changes = run(path, len(words) < len(sys.argv) - 1)
    differ = differ or bool(changes)
    print("".join(changes) + f"{path.name}: ran in {time.monotonic() - start:.1f} s")
sys.exit(differ)
