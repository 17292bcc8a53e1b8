#!/usr/bin/env python3
"""readme.py - tables of figures from bench/results/ (`make readme-figures`): the newest file's in README, those of the newest
file of each device in docs/PERFORMANCE.md.

usage: readme.py [--check]

With --check it changes nothing, and fails where a document says something else than the files.
"""

import glob
import re
import statistics
import sys

import results
import text

BEGIN, END = "<!-- figures: make readme-figures -->\n", "<!-- /figures -->\n"


def figures(head, rows):
    spread = statistics.median(r["spread"] for r in results.measured(rows) if "spread" in r)
    lines = [
        f"{head['device']}, {head['platform']}, driver {head['driver']}, {head['date'][:10]}; half of the rows spread by less than"
        f" {100 * spread:.0f} %:",
        "",
        "| | n | G elements/s | of limit | fastest peer | times as fast as it |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for label, _, n, rate, fraction, peer, times in results.headlines(rows):
        cells = (label, text.count(n), f"{rate / 1e9:.3g}", text.fraction(fraction), peer, text.digits(times) if peer else "")
        lines.append(f"| {' | '.join(cells)} |")
    return re.sub(r" +\|", " |", "\n".join(lines)) + "\n"


def newest_of_devices(pattern):
    """The newest file of each device and driver, the newest first."""
    files = sorted((results.load(path) for path in glob.glob(pattern)), key=lambda file: file[0]["date"])
    if not files:
        raise SystemExit(f"readme: no results file in {pattern}")
    devices = {(head["platform"], head["device"], head["driver"]): (head, rows) for head, rows in files}
    return sorted(devices.values(), key=lambda file: file[0]["date"], reverse=True)


def with_figures(path, document, made):
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"readme: {path} has no lines {BEGIN.strip()} and {END.strip()}")
    return before + begin + "\n" + made + "\n" + end + after


def main():
    tables = [figures(*file) for file in newest_of_devices("bench/results/*.jsonl")]
    for path, made in ("README.md", tables[0]), ("docs/PERFORMANCE.md", "\n".join(tables)):
        with open(path, encoding="utf-8") as file:
            is_there = file.read()
        wanted = with_figures(path, is_there, made)
        if sys.argv[1:] != ["--check"]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(wanted)
        elif wanted != is_there:
            raise SystemExit(f"readme: {path} has not the figures of bench/results: make readme-figures")


if __name__ == "__main__":
    main()
