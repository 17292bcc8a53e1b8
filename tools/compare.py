#!/usr/bin/env python3
"""Compares two results files of gpbench: prints which of the library's rows became slower or faster, beyond noise.

usage: tools/compare.py [--all] [--in-turns] [--threshold PERCENT] A B

A file may hold several runs, one after another; the first of A is compared with the first of B, and so on. A row's
change is its time in B divided by its time in A, and divided by the change of the case's other rows (limits, peers),
which is due to the machine; runs that took turns (tools/against.sh) need no such correction. A change counts if the
median of all pairs of runs is beyond the threshold (5 %), and their mean differs from no change by more than chance
explains (with seven or more pairs, chance explains this for less than one row in 250). With a single pair, the spread
of its runs is added to the threshold.

Exit status: 0; 1 if a row is slower; 2 for wrong usage or files.
"""
import argparse
import json
import math
import statistics
import sys

CASE = ("primitive", "type", "op", "n", "operation", "keys", "bytes", "capacity", "load", "tile")


def load(path):
    """Returns the runs of a file. A run has the rows that did not fail, by case and variant."""
    runs = []
    with open(path, encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if "gpbench" in row:
                runs.append({})
            elif not row["error"] and row["median_s"] > 0:
                case = tuple(row.get(field) for field in CASE)
                runs[-1][case, row["variant"]] = row
    return runs


def ratio(before, after, key):
    return after[key]["median_s"] / before[key]["median_s"]


def drift(before, after, case):
    """Returns the change of a case's rows that are not the library's."""
    others = [key for key, row in before.items()
              if key[0] == case and row["kind"] != "gpuprim" and key in after]
    return statistics.median(ratio(before, after, key) for key in others) if others else 1


def noise(run, key):
    row = run[key]
    return row.get("spread", 0) / max(row.get("runs", 1), 1) ** 0.5


def certainty(ratios):
    """Returns Student's t of the changes' logarithms, divided by a bound for it. Beyond -1 or 1, chance hardly explains
    the change."""
    logs = [math.log(ratio) for ratio in ratios]
    error = max(statistics.stdev(logs), 1e-9) / len(logs) ** 0.5
    return statistics.mean(logs) / error / (3 + 10 / (len(logs) - 1))


def changes(befores, afters, threshold, in_turns):
    """Returns (verdict, median change, key) for each row, in the order of the first run."""
    pairs = list(zip(befores, afters))
    for key, row in befores[0].items():
        if row["kind"] != "gpuprim" or not all(key in b and key in a for b, a in pairs):
            continue
        ratios = [ratio(b, a, key) / (1 if in_turns else drift(b, a, key[0])) for b, a in pairs]
        change, beyond = statistics.median(ratios), 1 + threshold
        if len(pairs) == 1:
            beyond += noise(befores[0], key) + noise(afters[0], key)
            sure = math.copysign(1, change - 1)
        else:
            sure = certainty(ratios)
        if sure >= 1 and change > beyond:
            yield "slower", change, key
        elif sure <= -1 and change < 1 / beyond:
            yield "faster", change, key
        else:
            yield "same", change, key


def name_of(case, variant):
    words = [value for value in case[:3] if value]
    sizes = [f"{field} {value}" for field, value in zip(CASE[3:], case[3:]) if value is not None]
    return " ".join(words + [variant]) + ": " + ", ".join(sizes)


def main():
    usage = argparse.ArgumentParser(usage=__doc__)
    usage.add_argument("--all", action="store_true")
    usage.add_argument("--in-turns", action="store_true")
    usage.add_argument("--threshold", type=float, default=5)
    usage.add_argument("a")
    usage.add_argument("b")
    options = usage.parse_args()
    try:
        found = list(changes(load(options.a), load(options.b), options.threshold / 100, options.in_turns))
    except (OSError, ValueError, LookupError, TypeError) as error:
        print(f"compare: {error}", file=sys.stderr)
        return 2
    if not found:
        print("compare: the files have no row in common", file=sys.stderr)
        return 2
    for verdict, change, key in found:
        if verdict != "same" or options.all:
            print(f"{verdict}  {change:6.3f}  {name_of(*key)}")
    slower, faster = (sum(verdict == which for verdict, _, _ in found) for which in ("slower", "faster"))
    print(f"compare: {len(found)} rows, {slower} slower, {faster} faster")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
