#!/usr/bin/env python3
"""report.py - writes a results file of gpbench as one page, build/report.html (`make report`).

usage: report.py RESULTS PAGE [INFO]

RESULTS was written by `gpbench all --results RESULTS`. INFO is the output of `make info`: the page shows its verdict if
it is for the same device. Needs gnuplot.
"""

import concurrent.futures
import os
import re
import sys

import cases
import cost
import page
import plots
import results
import special
import text

DRAWN = {
    "launch": special.launch,
    "ladder": special.ladder,
    "entropy": special.entropy,
    "tiles": special.tiles,
    "hash": special.hashes,
}


def section_of(section, rows, all_rows):
    figures, tables = DRAWN[section.key](rows, all_rows) if section.key in DRAWN else cases.figures_and_tables(section, rows)
    drawn = page.plots([page.figure(*f) for f in figures])
    return page.section(section.key, section.title, section.about, drawn + tables)


def overview(rows):
    lines = [
        [page.link(key, label), text.count(n), text.rate(rate), text.fraction(fraction), peer, f"{times:.2f}" if times else ""]
        for label, key, n, rate, fraction, peer, times in results.headlines(rows)
    ]
    head = ["primitive", "n", "elements/s", "of limit", "fastest peer", "times as fast as it"]
    return page.section(
        "overview",
        "Overview",
        "At the size nearest to 2^24. Of limit: the speed divided by that of the fastest loop that moves the same bytes.",
        page.table("Each primitive, beside its limit and the fastest peer", head, lines, text=(0, 4)),
    )


def verdict(head, info):
    """Returns the verdict of the self-test in `info`, or a text that says why there is none."""
    if info is None:
        return "not run"
    lines = info.splitlines()
    if not {head["device"], head["driver"]} <= {line.removeprefix("  driver").strip() for line in lines}:
        return "not run: these results are another device's"
    return next((line.removeprefix("self-test: ") for line in lines if line.startswith("self-test: ")), "did not end")


def describe(head, rows, info):
    wrong = [r for r in rows if r["error"] and r["kind"] == "gpuprim"]
    result = verdict(head, info)
    facts = page.facts(
        [
            ("device", head["device"]),
            ("platform", head["platform"]),
            ("OpenCL", head["opencl"]),
            ("driver", head["driver"]),
            ("features of the CPU that were hidden", head.get("hidden") or "none"),
            ("compute units", head["compute_units"]),
            ("memory", f"{head['memory_bytes'] / 2**30:.1f} GiB"),
            ("gpuprim", head["gpbench"]),
            ("measured", head["date"]),
            ("command", head["command"]),
            ("peers", head.get("peers") or "none but plain C"),
            ("peers that are missing", head.get("skipped") or "none"),
            ("self-test", result),
        ]
    )
    if re.match(r"(\d+) of (?!\1 )|did not", result):
        facts += '<p class="bad">The self-test fails on this device: do not trust its results.</p>\n'
    if wrong:
        facts += f'<p class="bad">{len(wrong)} of the library\'s rows failed: see their tables.</p>\n'
    return facts


def report(head, rows, info):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        sections = list(pool.map(lambda s: section_of(*s, rows), results.by_section(rows)))
    body = page.page(
        f"gpuprim on {head['device']}", describe(head, rows, info), [overview(rows)] + sections + [cost.section()]
    )
    return body.replace('<main id="main">\n', '<main id="main">\n' + plots.SYMBOLS + "\n", 1)


def main():
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__.split("\n\n")[1])
    head, rows = results.load(sys.argv[1])
    info = None
    if len(sys.argv) == 4:
        with open(sys.argv[3], encoding="utf-8") as file:
            info = file.read()
    html = report(head, rows, info)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(html)


if __name__ == "__main__":
    main()
