#!/usr/bin/env python3
"""Writes what the manual and README have from other files, in place.

usage: manual/write.py             writes
       manual/write.py --check     says what is not up to date, and which links lead nowhere

  - reference/: a page for each call, from its doc comment in src/api/, host/api/ or gpuprim_mpi.h and its example in
    code/reference.c, code/mpi_reference.c or code/mpi_join.c.
  - The block of code after a line "<!-- code/memory.c: scratch -->" is what stands between [scratch] and [/scratch] in
    that program, after "<!-- code/first_program.c -->" all of it. `make check-site` compiles and runs these programs.
"""
import pathlib
import re
import sys
import textwrap

import doc_comments

ROOT = pathlib.Path(__file__).resolve().parent.parent
MANUAL = ROOT / "manual"
REFERENCE = MANUAL / "reference"
BLOCK = re.compile(r"^<!-- (code/[\w.]+)(?:: ([\w-]+))? -->\n```(\w+)\n.*?^```$", re.M | re.S)
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s#]*)(#[^)\s]*)?\)")

INDEX = """# Reference

There is a page for each call, made from the comments in `gpuprim.h`, `gpuprim_host.h` and `gpuprim_mpi.h`. Read [Rules
for every call](rules.md) first. Examples assume a context
`gp`, a `size_t n`, and `cl_mem` buffers that are large enough. They do not check results, as your program should
([First program](../first-program.md#when-something-goes-wrong)).

## For every call

- [Rules for every call](rules.md)
"""

# Headings in the index, each before the page that it names.
HEADINGS = {
    "gp_reduce": "Reduce and scan",
    "gp_select": "Select, partition, runs",
    "gp_sort": "Sort, merge, search, count",
    "gp_brackets": "Nested structures",
    "gp_hash": "Hash tables, and parts for kernels of your own",
    "gp_transform": "Element by element",
    "gp_warmup": "Programs, statistics, self-test",
    "gp_host_reduce": "Arrays in host memory: gpuprim_host.h",
    "gp_mpi": "Arrays across MPI ranks: gpuprim_mpi.h",
}


def part_of(path, part):
    text = (MANUAL / path).read_text(encoding="utf-8")
    if part:
        found = re.search(rf"^ *[/*]+ \[{part}\][ */]*\n(.*?)^ *[/*]+ \[/{part}\]", text, re.M | re.S)
        if not found:
            sys.exit(f"write: {path} has no part {part}")
        text = found.group(1)
    return textwrap.dedent(text).strip("\n")


def with_code(text):
    def block(match):
        path, part, language = match.groups()
        begin = f"<!-- {path}{f': {part}' if part else ''} -->"
        return f"{begin}\n```{language}\n{part_of(path, part)}\n```"

    new, blocks = BLOCK.subn(block, text)
    if blocks != len(re.findall(r"^<!-- code/", text, re.M)):
        sys.exit("write: no block of code after <!-- code/... --> in:\n" + text)
    return new


def reference():
    """The reference's pages, by path."""
    paths = [*sorted((ROOT / "src/api").glob("*.h")), *sorted((ROOT / "host/api").glob("*.h"))]
    sources = {path.name: path.read_text(encoding="utf-8") for path in paths}
    order = re.findall(r'"api/(\w+\.h)"', sources["gpuprim.h"] + sources["gpuprim_host.h"])
    mpi = (ROOT / "gpuprim_mpi.h").read_text(encoding="utf-8").split("#ifdef GP_MPI_IMPLEMENTATION")[0]
    sources["gpuprim_mpi.h"] = re.search(r"/\* A context of each rank.*?(?=#ifdef)", mpi, re.S).group()
    order.append("gpuprim_mpi.h")
    pages = [page for name in order if name != "base.h" for page in doc_comments.pages_of(name, sources[name])]
    names = {name: target for page in pages for name, target in page.targets()}
    functions = re.findall(r"^GP_(?:HOST_|MPI_)?API [\w *]*?\b(gp_\w+)\(", "".join(sources.values()), re.M)
    missing = set(functions) - set(names)
    if missing:
        sys.exit(f"write: no page has {missing}")
    programs = ("code/reference.c", "code/mpi_reference.c", "code/mpi_join.c")
    examples = [(path, (MANUAL / path).read_text(encoding="utf-8")) for path in programs]
    yield REFERENCE / "rules.md", doc_comments.rules_text(sources["gpuprim.h"], names)
    index = INDEX
    for page in pages:
        name = "join" if page.name == "gp_mpi_join" else page.name  # of code/mpi_join.c, which mpi.md shows, too
        parts = [(path, part) for path, text in examples for part in re.findall(rf"/\* \[({name}(?:-\d)?)\]", text)]
        example = "\n\n".join(part_of(path, part) for path, part in parts)
        known = {name: target for name, target in names.items() if target != f"{page.name}.md"}
        yield REFERENCE / f"{page.name}.md", doc_comments.page_text(page, example, known)
        own = [name for name in functions if names[name].split("#")[0] == f"{page.name}.md"]
        others = ", ".join(f"`{name}`" for name in own if name not in page.calls)
        index += f"\n## {HEADINGS[page.name]}\n\n" if page.name in HEADINGS else ""
        index += f"- [{page.title}]({page.name}.md){': ' if others else ''}{others}\n"
    yield REFERENCE / "index.md", index


def anchors_of(path):
    """As GitHub makes them of headings."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def wrong_links(path, text):
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.M | re.S)
    for target, anchor in LINK.findall(text):
        place = path.parent / target if target else path
        if re.match(r"\w+:", target):
            continue
        if not place.exists() or anchor and place.suffix == ".md" and anchor[1:] not in anchors_of(place):
            yield f"{path.relative_to(ROOT)}: no {target}{anchor}"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    pages = dict(reference())
    for path in (ROOT / "README.md", *MANUAL.glob("*.md"), *MANUAL.glob("porting/*.md")):
        pages[path] = with_code(path.read_text(encoding="utf-8"))
    old = {path: path.read_text(encoding="utf-8") for path in (*pages, *REFERENCE.glob("*.md")) if path.exists()}
    changed = [path.relative_to(ROOT) for path in sorted({*pages, *old}) if pages.get(path) != old.get(path)]
    wrong = [f"{path}: not up to date: make manual" for path in changed]
    if not sys.argv[1:]:
        REFERENCE.mkdir(exist_ok=True)
        for path in old.keys() - pages.keys():
            path.unlink()
        for path, text in pages.items():
            path.write_text(text, encoding="utf-8")
        wrong = []
    others = (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/README.md"))
    for path in sorted({*pages, *others}):
        wrong += wrong_links(path, path.read_text(encoding="utf-8")) if path.exists() else []
    print("\n".join(wrong + [f"manual: {len(pages)} pages, {len(wrong)} faults"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
