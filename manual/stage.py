#!/usr/bin/env python3
"""Puts together the site's source: the chapters, documents of the project, and pages made from headers and examples.

usage: manual/stage.py OUT                              what Sphinx reads
       manual/stage.py --readme examples | program      README's code: a program that runs its examples; its program

In a chapter, a line "{{ README.md: Scratch }}" stands for that section's text, "{{ README.md: }}" for what comes before
the contents, and "{{ README.md? From C++ }}" for a section that may be missing. "{{ code/memory.c: scratch }}" is
what stands between [scratch] and [/scratch] in that program, "{{ code/memory.c }}" all of it. Links are those that README
would have: to docs/RELIABILITY.md, or #scratch. A link to a file that is no page of the site becomes text.
"""
import json
import pathlib
import posixpath
import re
import shutil
import sys
import textwrap

import doc_comments

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = ["CHANGELOG.md", "CONTRIBUTING.md", "bench/README.md", "tunings/README.md"]
INCLUDE = re.compile(r"^\{\{ ([\w/]+\.md)([:?]) ?(.*?) \}\}$", re.M)
CODE = re.compile(r"^\{\{ (code/\w+\.[ch])(?:: ([\w-]+))? \}\}$", re.M)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
HEADING = re.compile(r"(#+) (.+)")


def slug(heading):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def section(path, title):
    """The text below a heading, to the next one of its level; None where there is no such heading."""
    found, level, fence = [], 0, False
    for line in (ROOT / path).read_text(encoding="utf-8").split("\n"):
        fence ^= line.startswith("```")
        match = None if fence else HEADING.match(line)
        if match and level and len(match.group(1)) <= level:
            break
        if level:
            found.append(line)
        if match and match.group(2) == title:
            level = len(match.group(1))
    return "\n".join(found).strip() if level else None


def introduction():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return text[text.index("\n") : text.index("**Contents**")].strip()


def include(match):
    path, must, title = match.groups()
    text = section(path, title) if title else introduction()
    if text is None and must == ":":
        sys.exit(f"stage: {path} has no section {title!r}")
    if text is None:
        return "Not yet in this version."
    if not title:
        return text
    return f"({slug(title)})=\n\n{text}"


def include_code(match):
    path, part = match.groups()
    between = f":start-after: [{part}]\n:end-before: [/{part}]\n" if part else ""
    return f"```{{literalinclude}} /{path}\n:language: c\n:dedent:\n{between}```"


def with_links(text, path, staged):
    """README's anchors are labels of the site, and links to what is no page become text."""

    def link(match):
        image, words, target, anchor = match.groups()
        if re.match(r"\w+:", target) or not target:
            return match.group(0)
        place = posixpath.normpath((path.parent / target).as_posix())
        if place == "README.md":
            return f"[{words}]({anchor or '/index.md'})"
        if place in staged or image or not (ROOT / place).exists():
            return match.group(0)
        return words

    return LINK.sub(link, text)


def first_program():
    return re.search(r"```c\n(.*?)```", section("README.md", "A first program"), re.S).group(1)


def readme_examples():
    """(heading, text of the example) of each section of README's reference."""
    reference = section("README.md", "Reference")
    for part in re.split(r"^### ", reference, flags=re.M)[1:]:
        heading, body = part.split("\n", 1)
        if "- **Example:**" in body:
            lines = body.split("- **Example:**", 1)[1].strip("\n").split("\n")
            yield heading, [line[2:] if line.startswith("  ") else line.strip() for line in lines]


def fenced(lines):
    """Code that is indented becomes code between fences, in C, and the text begins with a capital."""
    text = "\n".join(lines).strip("\n") + "\n"
    text = re.sub(
        r"(?:^(?: {4}.*)?\n)*^ {4}.*\n",
        lambda code: f"\n```c\n{textwrap.dedent(code.group(0)).strip()}\n```\n",
        text,
        flags=re.M,
    )
    return text[0].upper() + text[1:]


def reference(out):
    """Writes reference/: a page for each call, and one with their list."""
    paths = [*sorted((ROOT / "src/api").glob("*.h")), *sorted((ROOT / "host/api").glob("*.h"))]
    sources = {path.name: path.read_text(encoding="utf-8") for path in paths}
    order = re.findall(r'"api/(\w+\.h)"', sources["gpuprim.h"] + sources["gpuprim_host.h"])
    pages = [page for name in order if name != "base.h" for page in doc_comments.pages_of(name, sources[name])]
    headings = {heading: fenced(lines) for heading, lines in readme_examples()}
    names = {function: target for page in pages for function, target in page.targets()}
    missing = set(re.findall(r"^GP_(?:HOST_)?API [\w *]*?\b(gp_\w+)\(", "".join(sources.values()), re.M)) - set(names)
    if missing:
        raise SystemExit(f"stage: no page has {missing}")
    out.mkdir(parents=True)
    (out / "rules.md").write_text(doc_comments.rules_text(sources["gpuprim.h"], names), encoding="utf-8")
    for page in pages:
        heading = next((h for h in headings if set(h.split(", ")) & set(page.title.split(", "))), None)
        known = {name: target for name, target in names.items() if target.split("#")[0] != f"{page.name}.md"}
        text = doc_comments.page_text(page, heading and slug(heading), headings.get(heading), known)
        (out / f"{page.name}.md").write_text(text, encoding="utf-8")
    listed = "\n".join(["rules", *(page.name for page in pages)])
    (out / "index.md").write_text(REFERENCE.format(listed=listed), encoding="utf-8")


REFERENCE = """(reference)=

# Reference

A page for each call, made from the comments in the header. [Rules for every call](rules.md) come first. Examples assume
a context `gp`, a `size_t n`, and `cl_mem` buffers that are large enough: `a` and `b` are inputs.

```{{toctree}}
:maxdepth: 1

{listed}
```
"""


def examples(out):
    """Writes examples/: a page for each program, with its source."""
    out.mkdir(parents=True)
    names = []
    for path in sorted((ROOT / "examples").glob("*.c*")):
        if path.suffix not in (".c", ".cpp"):
            continue
        shutil.copy(path, out)
        language = "c" if path.suffix == ".c" else "cpp"
        page = f"# {path.name}\n\n```{{literalinclude}} {path.name}\n:language: {language}\n```\n"
        (out / f"{path.stem}.md").write_text(page, encoding="utf-8")
        names.append(path.stem)
    listed = "\n".join(names)
    (out / "index.md").write_text(EXAMPLES.format(listed=listed), encoding="utf-8")


EXAMPLES = """# Examples

Each program is one file; `make examples` builds all of them.

```{{toctree}}
:maxdepth: 1

{listed}
```
"""


def stage(out):
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    chapters = {path.relative_to(ROOT / "manual").as_posix(): path for path in (ROOT / "manual").rglob("*.md")}
    documents = {path.relative_to(ROOT).as_posix(): path for path in ROOT.glob("docs/*.md")}
    documents |= {place: ROOT / place for place in DOCUMENTS}
    reference(out / "reference")
    examples(out / "examples")
    pages = {**chapters, **documents}
    staged = {*pages, *(path.relative_to(out).as_posix() for path in out.rglob("*.md"))}
    for place, path in pages.items():
        text = CODE.sub(include_code, INCLUDE.sub(include, path.read_text(encoding="utf-8")))
        (out / place).parent.mkdir(parents=True, exist_ok=True)
        (out / place).write_text(with_links(text, pathlib.PurePosixPath(place), staged), encoding="utf-8")
    shutil.copytree(ROOT / "manual/code", out / "code")
    (out / "code/first_program.c").write_text(first_program(), encoding="utf-8")
    shutil.copy(ROOT / "docs/hash.svg", out / "docs")


# Pieces of README that end before the call.
CALLS = {
    "bright": "gp_select(gp, &bright);",
    "heaviest": "heaviest.out = out;\ngp_reduce(gp, &heaviest);",
}


def readme_code():
    """(heading, C code) of README's examples and of its other pieces of code, without the program."""
    for heading, lines in readme_examples():
        for code in re.findall(r"```c\n(.*?)```", fenced(lines), re.S):
            yield heading, code
    title = "Types, expressions, monoids"
    for code in re.findall(r"```c\n(.*?)```", section("README.md", title), re.S):
        yield title, code + next(call for name, call in CALLS.items() if name in code)


def quoted(kernel):
    return "\n".join(json.dumps(line + "\n") for line in kernel.split("\n"))


def program_of_examples():
    """A C program that runs each of them. What a kernel is, is compiled after the text of the desc before it."""
    text, functions = '#include "readme.h"\n', []
    for heading, code in readme_code():
        code, _, kernel = code.partition("__kernel")
        if kernel:
            desc = re.findall(r"gp_device_source_desc (\w+)", code)[-1]
            code += f"build(&{desc}, {quoted('__kernel' + kernel)});\n"
        functions.append(f"example_{len(functions)}")
        text += f"\nstatic void {functions[-1]}(void)\n{{\n{code}\ncheck({json.dumps(heading)}, GP_OK);\n}}\n"
    calls = "\n".join(f"{name}();" for name in functions)
    return f"{text}\nint main(void)\n{{\nprepare();\n{calls}\nend();\n}}\n"


def main():
    if len(sys.argv) == 2:
        stage(pathlib.Path(sys.argv[1]))
    elif sys.argv[1:] == ["--readme", "examples"]:
        print(program_of_examples())
    elif sys.argv[1:] == ["--readme", "program"]:
        print(first_program())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
