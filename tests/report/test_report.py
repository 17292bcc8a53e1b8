#!/usr/bin/env python3
"""test_report.py - is the page of tools/report whole, well-formed and true to its results file, and README's table, too?

usage: test_report.py [RESULTS]      (small.jsonl, in which every section has rows)
"""

import copy
import html.parser
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../tools/report"))
import readme  # noqa: E402
import report  # noqa: E402
import results  # noqa: E402
import text  # noqa: E402

VOID = {"meta", "br", "link", "img", "input", "hr"}
checks = 0


def check(right, *what):
    global checks
    checks += 1
    if not right:
        raise SystemExit("report: FAILED: " + " ".join(map(str, what)))


class Page(html.parser.HTMLParser):
    """What a page has: its elements with the section they are in, and their text."""

    def __init__(self, source):
        super().__init__()
        self.open, self.elements, self.section, self.ids = [], [], None, []
        self.feed(source)
        check(not self.open, "not closed:", self.open)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "section":
            self.section = attributes.get("id")
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.elements.append([tag, attributes, self.section, ""])
        if tag not in VOID:
            self.open.append((tag, len(self.elements) - 1))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_data(self, data):
        for _, i in self.open:
            self.elements[i][3] += data

    def handle_endtag(self, tag):
        check(self.open and self.open[-1][0] == tag, f"</{tag}> closes", self.open[-3:])
        self.open.pop()
        self.section = None if tag == "section" else self.section

    def all(self, tag, section=None):
        return [e for e in self.elements if e[0] == tag and section in (None, e[2])]


def check_form(source):
    page = Page(source)
    check(len(set(page.ids)) == len(page.ids), "ids twice:", sorted(i for i in page.ids if page.ids.count(i) > 1)[:5])
    check(not re.search(r"https?:|url\(|@import|<(script|link|img|iframe)\b", source), "something from outside")
    for tag, attributes, _, _ in page.elements:
        for name in ("href", "src", "xlink:href", "aria-labelledby"):
            target = attributes.get(name)
            check(target is None or target.removeprefix("#") in page.ids, tag, name, target)
    check([e[3] for e in page.all("h1")] != [] and page.all("html")[0][1].get("lang") == "en", "no title or language")
    check(
        len(page.all("caption")) == len(page.all("table")) and all(e[3].strip() for e in page.all("caption")),
        "a table without a caption",
    )
    for _, attributes, section, heading in page.all("th"):
        check(attributes.get("scope") in ("col", "row") and heading, section, "a heading of a table without scope or text")
    for tag, attributes, section, _ in page.all("svg"):
        check(
            attributes.get("aria-hidden") == "true"
            or (attributes.get("role") == "img" and len(attributes.get("aria-label", "")) > 20),
            section,
            "a plot without a text",
        )
    check(re.search(r"rgb\(|=[\"'](black|white)[\"']", source) is None, "a colour that is not the page's")
    return page


def check_sections(page, rows, all_there):
    links = [e[1]["href"].removeprefix("#") for e in page.all("a")]
    for section, some in results.by_section(rows):
        check(section.key in page.ids and section.key in links, section.key, "is not there, or not in the contents")
        drawn = [e for e in page.all("svg", section.key) if e[1].get("role") == "img"]
        check(drawn or not results.measured(some), section.key, "has no plot")
        tables = " ".join(e[3] for e in page.all("caption", section.key))
        for row in some:
            check(row["primitive"].split(",")[0] in tables, row["primitive"], "has no table")
    missing = [s.key for s in results.SECTIONS if s not in dict(results.by_section(rows))]
    check(not (all_there and missing), "no rows for", missing)
    check(
        results.OTHER not in dict(results.by_section(rows)),
        "no section for",
        {r["primitive"] for r in dict(results.by_section(rows)).get(results.OTHER, [])},
    )
    check("overview" in links and "gpu-cost" in links, "no overview or no cost on GPUs")


def check_values(page, rows):
    """Each measured row's time is in a table of its section, and each headline in the overview."""
    for section, some in results.by_section(rows):
        cells = {e[3] for e in page.all("td", section.key)}
        for row in results.measured(some):
            check(
                text.seconds(row["median_s"]) in cells or (section.key == "ladder" and row["kind"] == "limit"),
                section.key,
                row,
            )
    cells = {e[3] for e in page.all("td", "overview")}
    for label, _, _, rate, _, peer, _ in results.headlines(rows):
        check(text.rate(rate) in cells and (not peer or peer in cells), "overview:", label)


def check_failures(head, rows):
    """A row that failed, one of a new kind, names with signs that HTML has."""
    rows, head = copy.deepcopy(rows[:40]), dict(head, device='<b>&"')
    own = next(r for r in rows if r["kind"] == "gpuprim")
    own["error"] = "<a>element 7 is wrong"
    next(r for r in rows if r["kind"] == "peer")["variant"] = "peer:`exit 1`'\"%{}\\\n<x>"
    rows.append(dict(next(r for r in rows if r["kind"] == "peer"), primitive="a new one"))
    source = report.report(head, rows, None)
    page = check_form(source)
    check(any("1 of the library's rows failed" in e[3] for e in page.all("p")), "a failed row is not told of")
    check(any(e[3] == own["error"] for e in page.all("td")), "an error is not told of")
    check(
        "other" in page.ids and any("a new one" in e[3] for e in page.all("caption", "other")), "no place for a new primitive"
    )
    check(page.all("h1")[0][3].endswith(head["device"]), "the device's name")


def check_verdict(head):
    info = f"{head['device']}\n  driver            {head['driver']}\nself-test: {{}} of 9 cases passed; 1.0 s\n"
    check(report.verdict(head, info.format(9)).startswith("9 of 9"), "a self-test that passes")
    check("fails" not in report.describe(head, [], info.format(9)), "a self-test that passes is told to fail")
    check("fails" in report.describe(head, [], info.format(8)), "a self-test that fails")
    check("did not end" in report.verdict(head, info.split("self-test")[0]), "a self-test that crashes")
    check("duckdb 2" in report.describe(dict(head, peers="duckdb 2"), [], None), "the libraries that were there")
    check("tbb (no" in report.describe(dict(head, skipped="tbb (no tbb.h)"), [], None), "those that were missing")
    check("another device" in report.verdict(dict(head, driver="0"), info), "another device's self-test")
    check(report.verdict(head, None) == "not run", "no self-test")


def check_readme(head, rows):
    made = readme.figures(head, rows)
    old = "a\n" + readme.BEGIN + "old\n" + readme.END + "b\n"
    new = readme.with_figures("README.md", old, made)
    check(new == readme.with_figures("README.md", new, made) and made in new and "old" not in new and new.endswith("b\n"), "README's table")
    check(made.count("\n") == 4 + len(list(results.headlines(rows))), "README's lines")


def main():
    small = len(sys.argv) == 1
    head, rows = results.load(os.path.join(HERE, "small.jsonl") if small else sys.argv[1])
    page = check_form(report.report(head, rows, None))
    check_sections(page, rows, small)
    check_values(page, rows)
    if small:
        check(len(list(results.headlines(rows))) == len(results.HEADLINES), "headlines without rows")
        check_failures(head, rows)
        check_verdict(head)
        check_readme(head, rows)
    print(f"report: {checks} checks passed")


if __name__ == "__main__":
    main()
