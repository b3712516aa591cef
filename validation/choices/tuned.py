#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does `collcast tune` make Open MPI or MPICH faster? Its collectives by default, by the file, and as each of its algorithms.

usage: tuned.py run COLLCAST PLATFORM GRID FOLDER TESTBED   tunes for the calibrated platform, then measures on the testbed of that
           name, and writes FOLDER/GRID's name.csv; goes on where it was
       tuned.py report TABLE...                             such a table as docs/generated/ has it; exit code 1 if a bar is missed"""
import json
import pathlib
import statistics
import sys

from measuring import (Testbed, asked, bytes_of, footnote, forecast, health, measure, percent, read_table, size, summary, table, took,
                       write_table)

NOISE = 1.05   # the file is at least as fast as the default within this
GAIN = 1.3     # where the best is so many times as fast as the default,
SHARE = 0.90   # the file gets so much of what that saves
REGRET = 0.03  # over the best, in the mean
PAGE = """# {title} by the file of `collcast tune`

Native collectives of {title} on the emulated [testbed](../testbed.md): by default, by the file that `collcast tune --for {library}`
wrote from a ping-pong of two hosts, and made to play each algorithm that {has}. The grid
([{grid}.json](../../validation/choices/{grid}.json)) was fixed before anything was measured; forecasts come first; times are
medians, of each round's repetitions and then of the rounds. `best measured` is the fastest of all plays of a point, whatever the catalogue
has; `forecast` is its error, (predicted - measured) / measured. Nothing was fitted to these times. Repeat it by
`scripts/validate-testbed DIR {campaign}`; the times are in [{grid}.csv](../../validation/data/{grid}.csv).
"""


def parameters(values):
    """Open MPI's, as words of `testbed run`."""
    return [word for key, value in {"coll_tuned_use_dynamic_rules": "1", **values}.items() for word in ("--mca", key, value)]


def variables(values):
    return [word for key, value in values.items() for word in ("-x", f"{key}={value}")]


# How a library is told what to play, and what `tune` writes before the names of its algorithms.
LIBRARIES = {
    "openmpi": {"title": "Open MPI", "has": "`coll/tuned` has, whole and in segments", "told": parameters,
                "file": "coll_tuned_dynamic_rules_filename", "algorithm": "coll_tuned_{}_algorithm", "prefix": ""},
    "mpich": {"title": "MPICH", "has": "`MPIR_CVAR_*_INTRA_ALGORITHM` names, except `nb` and `smp`", "told": variables,
              "file": "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", "algorithm": "MPIR_CVAR_{}_INTRA_ALGORITHM", "prefix": "MPIR_{}_intra_"},
}


def plays(name, grid, rules):
    """(play, segment in bytes, what the library is told, sizes)"""
    sizes = [bytes_of(s) for s in grid["sizes"]]
    of, library = grid["collectives"][name], LIBRARIES[grid["library"]]
    told, parameter = library["told"], library["algorithm"].format(of["name"])
    yield "default", 0, [], sizes
    yield "tuned", 0, told({library["file"]: str(rules)}), sizes
    for algorithm in [*of["whole"], *of["segmented"]]:
        yield algorithm, 0, told({parameter: algorithm}), sizes
    for algorithm in of["segmented"]:
        for segment in map(bytes_of, grid["segments"]):
            longer = [s for s in sizes if s > segment]
            if longer:
                yield algorithm, segment, told({parameter: algorithm, f"{parameter}_segmentsize": str(segment)}), longer


def predict(collcast, platform, grid, folder):
    """What the file says, and all times as they are forecast; made once."""
    rules, told = folder / "rules.txt", folder / "forecast.json"
    if not told.exists():
        answer = forecast(collcast, "tune", "--for", grid["library"], "--platform", platform, "--ranks", grid["ranks"], "--size",
                          ",".join(grid["sizes"]), "--collective", ",".join(grid["collectives"]), "--all", "-o", rules)
        told.write_text(json.dumps(answer, indent=1) + "\n")
    return rules, json.loads(told.read_text())


def run(collcast, platform, grid, folder, name):
    file, grid = pathlib.Path(grid), json.loads(pathlib.Path(grid).read_text())
    folder.mkdir(parents=True, exist_ok=True)
    rules, forecasts = predict(collcast, platform, grid, folder)
    testbed = Testbed(name, collcast, grid["ranks"], folder, grid["library"])

    units = {f"{name} {who} {segment}": (name, who, segment, told, sizes)
             for name in grid["collectives"] for who, segment, told, sizes in plays(name, grid, rules)}

    def play(unit):
        name, who, segment, told, sizes = units[unit]
        requests = [{"collective": name, "algorithm": "library", "message_bytes": s} for s in sizes]
        return [{"play": who, "segment_bytes": segment, **m} for m in testbed.points(requests, grid["measure"], told)]

    measure(testbed, units, grid["rounds"], play)
    print(json.dumps(health(folder)), file=sys.stderr)
    write_table(folder / f"{file.stem}.csv", joined(folder, forecasts, grid))


def joined(folder, forecasts, grid):
    """A row for each play of each point, with its forecast."""
    def own(name, algorithm):
        return algorithm.removeprefix(LIBRARIES[grid["library"]]["prefix"].format(grid["collectives"][name]["name"].capitalize()))
    able = {(a["collective"], a["message_bytes"], own(a["collective"], a["algorithm"]), a["segment_bytes"] or 0): a["time_s"]
            for a in forecasts["able"]}
    points = {(p["collective"], p["message_bytes"]): p for p in forecasts["points"]}
    rows = []
    for key, times in summary(folder, lambda m: (m["collective"], m["message_bytes"], m["play"], m["segment_bytes"])).items():
        name, message, who, segment = key
        point = points[name, message]
        algorithm, time = who, able.get(key)
        if who == "default":
            algorithm, time = point["default"], point["default_s"]
        if who == "tuned":
            algorithm, time = (point["best"], point["time_s"]) if point["told"] else ("default", point["default_s"])
        rows.append({"collective": name, "message_bytes": message, "play": who, "algorithm": own(name, algorithm), "segment_bytes": segment,
                     "forecast_s": time, **times})
    order = list(points)
    return sorted(rows, key=lambda r: (order.index((r["collective"], r["message_bytes"])), r["play"] != "default", r["play"] != "tuned"))


def words(row):
    return row["algorithm"] + (f" segment {size(row['segment_bytes'])}" if row["segment_bytes"] else "")


def error(row):
    return "-" if row["forecast_s"] is None else percent(row["forecast_s"] / row["measured_s"] - 1)


def points_of(rows):
    points = {}
    for row in rows:
        points.setdefault((row["collective"], row["message_bytes"]), []).append(row)
    return points


def verdict(rows):
    """Each point's default, file and best; and the bars."""
    points = []
    for (name, message), all_plays in points_of(rows).items():
        by = {r["play"]: r for r in all_plays[:2]}
        best = min(all_plays, key=lambda r: r["measured_s"])
        default, tuned = by["default"]["measured_s"], by["tuned"]["measured_s"]
        saved = (default - tuned) / (default - best["measured_s"]) if default >= GAIN * best["measured_s"] else None
        points.append({"collective": name, "message": message, "default": by["default"], "tuned": by["tuned"], "best": best,
                       "slower": tuned / default, "gain": default / best["measured_s"], "saved": saved,
                       "regret": tuned / best["measured_s"] - 1})
    return points


def report(files):
    kept = True
    for file in files:
        grid = pathlib.Path(__file__).with_name(f"{file.stem}.json")
        if not grid.exists():
            print(f"tuned.py: {file}: there is no {grid.name} in validation/choices", file=sys.stderr)
            return 2
        library = json.loads(grid.read_text())["library"]
        print(PAGE.format(**LIBRARIES[library], library=library, grid=grid.stem, campaign=grid.stem.removeprefix("testbed-")))
        points = verdict(rows := read_table(file))
        slower = [p for p in points if p["slower"] > NOISE]
        gains = [p for p in points if p["saved"] is not None]
        missed = [p for p in gains if p["saved"] < SHARE]
        regret = statistics.mean(p["regret"] for p in points)
        errors = [abs(r["forecast_s"] / r["measured_s"] - 1) for r in rows if r["forecast_s"]]
        bars = [(f"at least as fast as the default, within {100 * (NOISE - 1):.0f} %",
                 f"{len(points) - len(slower)} of {len(points)} points; at worst {max(p['slower'] for p in points):.3f} of its time", not slower),
                (f"at least {100 * SHARE:.0f} % of the gain where the best is {GAIN} times as fast as the default",
                 f"{len(gains) - len(missed)} of {len(gains)} points ({100 * len(gains) / len(points):.0f} % of all)"
                 + (f"; {100 * min(p['saved'] for p in gains):.0f} % at worst, {100 * statistics.mean(p['saved'] for p in gains):.0f} % in the mean"
                    if gains else ""), not missed),
                (f"regret against the measured best at most {100 * REGRET:.0f} % in the mean",
                 f"{100 * regret:.2f} %; {100 * max(p['regret'] for p in points):.1f} % at worst", regret <= REGRET)]
        kept = kept and all(holds for _, _, holds in bars)
        print(table(["bar", "measured", ""], [[what, how, "kept" if holds else "missed"] for what, how, holds in bars]))
        print(f"{len(rows)} plays; forecasts of the {len(errors)} that the catalogue has are off by {100 * statistics.mean(errors):.1f} % in the "
              f"mean of |error|, {100 * statistics.median(errors):.1f} % in the median, {100 * max(errors):.0f} % at worst.\n")
        print("## Points\n")
        print(table(["collective", "message", "default", "measured", "forecast", "by the file", "measured", "forecast", "best measured", "measured",
                     "forecast", "default / best", "gain kept", "regret"],
                    [[p["collective"], size(p["message"]), *(cell for who in ("default", "tuned", "best")
                      for cell in (words(p[who]), took(p[who]), error(p[who]))), f"{p['gain']:.2f}",
                      "-" if p["saved"] is None else f"{100 * p['saved']:.0f} %", percent(p["regret"])] for p in points]))
        footnote(rows)
        print("## Forecasts of each algorithm\n")
        print(table(["collective", "algorithm", "segment", "points", "mean \\|error\\|", "worst"], by_algorithm(rows)), end="")
    return 0 if kept else 1


def by_algorithm(rows):
    """How well each forced algorithm was forecast."""
    forced = {}
    for r in rows:
        if r["play"] not in ("default", "tuned"):
            forced.setdefault((r["collective"], r["algorithm"], r["segment_bytes"]), []).append(r)
    for (name, algorithm, segment), plays_of in forced.items():
        errors = [r["forecast_s"] / r["measured_s"] - 1 for r in plays_of if r["forecast_s"]]
        yield [name, algorithm, size(segment) if segment else "whole", str(len(plays_of)),
               *([f"{100 * statistics.mean(map(abs, errors)):.1f} %", percent(max(errors, key=abs))] if errors else ["not forecast", "-"])]


if __name__ == "__main__":
    sys.exit(asked(sys.argv[1:], run, report, __doc__))
