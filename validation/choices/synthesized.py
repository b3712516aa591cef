#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are synthesised schedules as fast as forecast, and faster than what there is? Beside Open MPI's default and the catalogue's fastest.

usage: synthesized.py run COLLCAST PLATFORM GRID FOLDER TESTBED   synthesises for the calibrated platform and forecasts, then measures on
           the testbed of that name, and writes FOLDER/testbed-synthesized.csv; goes on where it was
       synthesized.py report TABLE...                             such tables as docs/generated/testbed-synthesized.md; exit code 1 if a bar is missed"""
import json
import pathlib
import statistics
import sys

from measuring import (Testbed, asked, bytes_of, footnote, forecast, health, measure, percent, read_table, size, spoken, summary, table, took,
                       write_table)

NOISE = 0.05  # of a measured time
PAGE = """# Synthesised schedules beside Open MPI and the catalogue

Two racks of 4 hosts behind thin uplinks on the emulated [testbed](../testbed.md). `collcast synthesize` made a schedule for each collective and
size from a ping-pong of two hosts and the racks' wiring, `collcast-mpi --import` played it, beside Open MPI's default and the catalogue's
algorithms without multicasts that are forecast within 1.3 of its fastest (by `predict --engine contention`; of these the fastest *measured* is shown). The grid
([testbed-synthesized.json](../../validation/choices/testbed-synthesized.json)) was fixed before anything was measured (but for multicasts, left
out after a first session: never the fastest, they kept the switch from being in time); forecasts come first; times are medians, of each round's repetitions and then of the rounds; `forecast` is its error, (predicted - measured) / measured. Nothing was
fitted to these times. Repeat it by `scripts/validate-testbed DIR synthesized`; the times are in
[testbed-synthesized.csv](../../validation/data/testbed-synthesized.csv).
"""
KEYS = ("collective", "algorithm", "parameters", "root", "message_bytes")
ENGINE = ("--engine", "contention")


def predict(collcast, platform, grid, folder):
    """A row for each play of each point, with what measures it; made once."""
    told = folder / "forecast.json"
    if not told.exists():
        points = [(name, bytes_of(s)) for name in grid["collectives"] for s in grid["sizes"]]
        rows = [row for name, message in points for row in plays(collcast, platform, grid, folder, name, message)]
        told.write_text(json.dumps(rows, indent=1) + "\n")
    return json.loads(told.read_text())


def plays(collcast, platform, grid, folder, name, message):
    site = ("--platform", platform, "--ranks", grid["ranks"], "--size", message)
    point = {"collective": name, "message_bytes": message}

    def price(*words):
        return forecast(collcast, "predict", *words, *ENGINE)["predictions"]

    default = price(name, *site, "--policy", "openmpi-4.1")[0]
    yield {**point, "play": "default", "algorithm": default["algorithm"], "forecast_s": default["time_s"]}

    file = folder / f"{name}-{message}.json"
    spoken([collcast, "synthesize", name, *site, "-o", file])
    made = price("--import", file, "--platform", platform, "--size", message)[0]
    yield {**point, "play": "synthesized", "algorithm": kind(file), "forecast_s": made["time_s"], "file": str(file),
           "segments": made["parameters"].get("segments", 1)}

    there = sorted(price(name, *site, "--algorithm", "all", "--ranks-per-node", grid["ranks_per_node"]), key=lambda p: p["time_s"])
    for p, before in zip(there, [{"time_s": None}, *there]):
        if p["algorithm"] != "multicast" and p["time_s"] != before["time_s"] and p["time_s"] <= grid["rivals"] * there[0]["time_s"]:
            yield {**point, "play": "catalogue", "algorithm": label(p), "forecast_s": p["time_s"], "request": {k: p[k] for k in KEYS}}


def label(p):
    """With its parameters: `chain segments=16`."""
    return " ".join([p["algorithm"], *(f"{k}={v}" for k, v in p["parameters"].items() if k != "segment")])


def kind(file):
    made = json.loads(file.read_text())
    if "steps" in made:
        return f"{made['name']}, {len(made['steps'])} steps"
    depth = max(map(longest, made["trees"]))
    return f"{sum(t['count'] for t in made['trees'])} trees of depth {depth}"


def longest(tree):
    depth = {tree["root"]: 0}
    for parent, child in tree["edges"]:
        depth[child] = depth[parent] + 1
    return max(depth.values())


def run(collcast, platform, grid, folder, name):
    grid = json.loads(pathlib.Path(grid).read_text())
    folder.mkdir(parents=True, exist_ok=True)
    rows = predict(collcast, platform, grid, folder)
    testbed = Testbed(name, collcast, grid["ranks"], folder)

    def imported(row):
        segment = -(-row["message_bytes"] // row["segments"])
        answer = json.loads(testbed.play(["collcast-mpi", "--import", row["file"], "--size", row["message_bytes"], "--segment", segment, "--check",
                                      "--repetitions", grid["measure"]["least"], "--format", "json"]))["measurements"][0]
        return {k: answer[k] for k in ("time_s", "repetitions", "late_starts")}

    units = {f"{size(r['message_bytes'])} {r['collective']} {r['algorithm'] if r['play'] == 'catalogue' else r['play']}": r
             for r in sorted(rows, key=lambda r: r["message_bytes"])}

    def play(unit):
        r = units[unit]
        point = {k: r[k] for k in ("collective", "message_bytes", "play", "algorithm")}
        native = {"collective": r["collective"], "algorithm": "library", "message_bytes": r["message_bytes"]}
        times = imported(r) if r["play"] == "synthesized" else testbed.points([r.get("request", native)], grid["measure"])[0]
        return [{**point, **{k: times[k] for k in ("time_s", "repetitions", "late_starts")}}]

    measure(testbed, units, grid["rounds"], play)
    print(json.dumps(health(folder)), file=sys.stderr)
    times = summary(folder, lambda m: (m["collective"], m["message_bytes"], m["play"], m["algorithm"]))
    barred = bytes_of(grid["bar_from"])
    write_table(folder / "testbed-synthesized.csv",
                [{**{k: r[k] for k in ("collective", "message_bytes", "play", "algorithm")}, "segments": r.get("segments", ""),
                  "barred": int(r["message_bytes"] >= barred), "forecast_s": r["forecast_s"],
                  **times[r["collective"], r["message_bytes"], r["play"], r["algorithm"]]} for r in rows])


def points_of(rows):
    points = {}
    for row in rows:
        points.setdefault((row["collective"], row["message_bytes"]), []).append(row)
    for (name, message), all_plays in points.items():
        default, made, *catalogue = all_plays
        best = min(catalogue, key=lambda r: r["measured_s"])
        rival = min(default["measured_s"], best["measured_s"])
        yield {"collective": name, "message": message, "default": default, "made": made, "best": best, "rivals": len(catalogue),
               "barred": bool(made["barred"]), "ratio": made["measured_s"] / rival, "error": made["forecast_s"] / made["measured_s"] - 1}


def cells(row):
    return [row["algorithm"], took(row), percent(row["forecast_s"] / row["measured_s"] - 1)]


def report(files):
    kept = True
    print(PAGE)
    for file in files:
        points = list(points_of(rows := read_table(file)))
        barred = [p for p in points if p["barred"]]
        slow, off = [p for p in barred if p["ratio"] > 1 + NOISE], [p for p in barred if abs(p["error"]) > NOISE]
        least = size(min(p["message"] for p in barred))
        bars = [(f"at least as fast as the best of default and catalogue from {least}, within {100 * NOISE:.0f} %",
                 f"{len(barred) - len(slow)} of {len(barred)} points; {statistics.geometric_mean(p['ratio'] for p in barred):.3f} of its time in "
                 f"the mean, {max(p['ratio'] for p in barred):.3f} at worst", not slow),
                (f"forecast within {100 * NOISE:.0f} %",
                 f"{len(barred) - len(off)} of {len(barred)} points; {100 * statistics.mean(abs(p['error']) for p in barred):.1f} % in the mean, "
                 f"{percent(max((p['error'] for p in barred), key=abs))} at worst", not off)]
        kept = kept and all(holds for _, _, holds in bars)
        print(table(["bar", "measured", ""], [[what, how, "kept" if holds else "missed"] for what, how, holds in bars]))
        footnote(rows)
        print(table(["collective", "message", "Open MPI's default", "measured", "forecast", "catalogue's fastest", "measured", "forecast",
                     "synthesised", "segments", "measured", "forecast", "of the best's time"],
                    [[p["collective"], size(p["message"]), *cells(p["default"]), *cells(p["best"]), p["made"]["algorithm"],
                      f"{p['made']['segments']:.0f}", *cells(p["made"])[1:], f"{p['ratio']:.3f}"] for p in points]), end="")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(asked(sys.argv[1:], run, report, __doc__))
