#!/usr/bin/env python3
"""readme.py - writes tables of figures from bench/results/ (`make readme-figures`): in README the newest file of each
instruction set, side by side, and in docs/PERFORMANCE.md the newest file of each device.

usage: readme.py [--check]

With --check it changes nothing, and fails if a document differs from the files.
"""

import glob
import re
import statistics
import sys

import results
import text

BEGIN, END = "<!-- figures: make readme-figures -->\n", "<!-- /figures -->\n"


def source(head, rows):
    """Returns a text that says what was measured, when, and how much the rows vary."""
    spread = statistics.median(r["spread"] for r in results.measured(rows) if "spread" in r)
    hidden = f" without {head['hidden'].replace(',', ', ')}" if head.get("hidden") else ""
    return (
        f"{head['device']}{hidden}, {head['platform']}, driver {head['driver']}, {head['date'][:10]}; half of the rows spread by less than"
        f" {100 * spread:.0f} %"
    )


def table(lines):
    return re.sub(r" +\|", " |", "\n".join(f"| {' | '.join(cells)} |" for cells in lines)) + "\n"


def figures(head, rows):
    lines = [("", "n", "G elements/s", "of limit", "fastest peer", "times as fast as it"), ["---"] * 6]
    for label, _, n, rate, fraction, peer, times in results.headlines(rows):
        lines.append((label, text.count(n), f"{rate / 1e9:.3g}", text.fraction(fraction), peer, text.digits(times) if peer else ""))
    return f"{source(head, rows)}:\n\n{table(lines)}"


def side_by_side(files):
    """Returns the speeds and peers of several files, for the rows of the first file. Another file may have measured a
    row at another n."""
    marks = [chr(ord("A") + i) for i in range(len(files))]
    lines = [["", "n"] + [f"{mark}: {what}" for mark in marks for what in ("G elements/s", "fastest peer", "times as fast as it")]]
    lines.append(["---"] * len(lines[0]))
    columns = [{label: row for label, *row in results.headlines(rows)} for _, rows in files]
    for label, row in columns[0].items():
        cells = [label, text.count(row[1])]
        for column in columns:
            _, n, rate, _, peer, times = column.get(label) or (None, row[1], None, None, "", 0)
            at = "" if n == row[1] else f" at {text.count(n)}"
            cells += [f"{rate / 1e9:.3g}{at}" if rate else "", peer, text.digits(times) if peer else ""]
        lines.append(cells)
    sources = "\n".join(f"{mark}: {source(*file)}." for mark, file in zip(marks, files))
    return f"{sources}\n\n{table(lines)}"


def newest(files, *keys):
    """Returns the newest file for each value of these keys of the head, the newest file first."""
    ascending = sorted(files, key=lambda file: file[0]["date"])
    last = {tuple(head[key] for key in keys): (head, rows) for head, rows in ascending}
    return sorted(last.values(), key=lambda file: file[0]["date"], reverse=True)


def with_figures(path, document, made):
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"readme: {path} has no lines {BEGIN.strip()} and {END.strip()}")
    return before + begin + "\n" + made + "\n" + end + after


def main():
    files = [results.load(path) for path in glob.glob("bench/results/*.jsonl")]
    if not files:
        raise SystemExit("readme: no results file in bench/results")
    # PoCL names the instruction set in its version.
    short = side_by_side(newest(files, "platform", "opencl"))
    tables = [figures(*file) for file in newest(files, "platform", "device", "driver")]
    for path, made in ("README.md", short), ("docs/PERFORMANCE.md", "\n".join(tables)):
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
