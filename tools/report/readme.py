#!/usr/bin/env python3
"""readme.py - README's table of figures, from the newest results file in bench/results/ (`make readme-figures`).

usage: readme.py [--check]

With --check it changes nothing, and fails where README says something else than that file.
"""

import glob
import re
import statistics
import sys

import results
import text

README = "README.md"
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


def newest(pattern):
    files = [results.load(path) for path in glob.glob(pattern)]
    if not files:
        raise SystemExit(f"readme: no results file in {pattern}")
    return max(files, key=lambda file: file[0]["date"])


def with_figures(readme, made):
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"readme: {README} has no lines {BEGIN.strip()} and {END.strip()}")
    return before + begin + "\n" + made + "\n" + end + after


def main():
    with open(README, encoding="utf-8") as file:
        is_there = file.read()
    wanted = with_figures(is_there, figures(*newest("bench/results/*.jsonl")))
    if sys.argv[1:] == ["--check"]:
        if wanted != is_there:
            raise SystemExit(f"readme: {README} has not the figures of the newest file in bench/results: make readme-figures")
        return
    with open(README, "w", encoding="utf-8") as file:
        file.write(wanted)


if __name__ == "__main__":
    main()
