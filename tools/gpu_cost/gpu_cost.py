#!/usr/bin/env python3
"""gpu_cost.py - what the kernels would cost on a GPU, counted without one (docs/gpu-cost.md).

usage: gpu_cost.py [--check] FOLDER

FOLDER has plugin.so and calls, and takes what is made on the way. Prints a table, and writes bench/gpu_cost.json; with
--check it compares with that file instead, and fails when a counter is more than 2 % worse.
"""
import argparse
import concurrent.futures
import json
import os
import sys

import counts

BASELINE = "bench/gpu_cost.json"
TOLERANCE = 0.02
MORE_IS_BETTER = ("lookback_tiles_per_step",)


def runs(folder):
    """Every work on every class, under Oclgrind: slow, so several at a time."""
    cases = [(work, name, folder) for work in counts.WORKS for name in counts.CLASSES]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda case: counts.Run(*case), cases))


def rows_of(work, name, source, found):
    for counter, value in found.items():
        yield {"work": work, "class": name, "counter": counter, "value": round(value, 4), "cub": None, "source": source}


def rows_of_counts(all_runs):
    for run in all_runs:
        yield from rows_of(run.work, run.name, "oclgrind", counts.counters(run))
    for name in counts.CLASSES:
        yield from rows_of("sort-pairs-u32", name, "oclgrind", counts.values_of_pairs(all_runs, name))


def key(row):
    return row["work"], row["class"], row["counter"]


def print_table(rows):
    """For each work and counter a line, with a column for each class."""
    names = sorted({row["class"] for row in rows})
    values = {key(row): row for row in rows}
    print("%-22s%-34s%s%12s" % ("work", "counter", "".join("%12s" % name for name in names), "CUB"))
    for work, counter in dict.fromkeys((row["work"], row["counter"]) for row in rows):
        cells = [values.get((work, name, counter)) for name in names]
        cub = next((c["cub"] for c in cells if c and c["cub"] is not None), None)
        line = "".join("%12s" % ("%g" % c["value"] if c else "") for c in cells)
        print("%-22s%-34s%s%12s" % (work, counter, line, "" if cub is None else "%g" % cub))


def is_worse(row, before):
    change = row["value"] - before["value"]
    if row["counter"] in MORE_IS_BETTER:
        change = -change
    return change > TOLERANCE * abs(before["value"])


def check(rows, baseline):
    """What is wrong, a line each. Of the baseline only the sources count that have counted now."""
    found = {key(row): row for row in rows}
    sources = {row["source"] for row in rows}
    for before in baseline:
        what = "%s, %s: %s" % key(before)
        row = found.get(key(before))
        if before["source"] not in sources:
            continue
        if not row:
            yield what + " is in the baseline, and was not counted"
        elif is_worse(row, before):
            yield "%s is %g; the baseline has %g" % (what, row["value"], before["value"])
    known = {key(row) for row in baseline}
    for row in rows:
        if key(row) not in known:
            yield "%s, %s: %s is not in the baseline" % key(row)


def write(rows, baseline):
    """Rows whose source has not counted now stay as they were."""
    sources = {row["source"] for row in rows}
    rows = sorted(rows + [row for row in baseline if row["source"] not in sources], key=key)
    with open(BASELINE, "w") as out:
        out.write("[\n%s\n]\n" % ",\n".join(json.dumps(row) for row in rows))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("folder")
    arguments = parser.parse_args()
    rows = list(rows_of_counts(runs(arguments.folder)))
    baseline = []
    if os.path.exists(BASELINE):
        with open(BASELINE) as lines:
            baseline = json.load(lines)
    print_table(rows)
    if not arguments.check:
        write(rows, baseline)
        return 0
    wrong = list(check(rows, baseline))
    for line in wrong:
        print("gpu-cost: " + line, file=sys.stderr)
    if wrong:
        print("gpu-cost: where that is meant, commit what `make gpu-cost` makes of %s" % BASELINE, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
