#!/usr/bin/env python3
"""Puts together what Sphinx reads: the manual, documents of the project and a page for each example.

usage: manual/stage.py OUT

Links are those of the repository, and become those of the site; a link to a file that is no page of it becomes text.
The lists of links in index.md and reference/index.md are the site's contents, too.
"""
import pathlib
import posixpath
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENTS = ["CHANGELOG.md", "CONTRIBUTING.md", "bench/README.md", "python/README.md", "tunings/README.md"]
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
ENTRIES = re.compile(r"(?:^## (.+)\n\n)?((?:^- .*\n(?:  .*\n)*)+)", re.M)


def with_contents(text):
    """A hidden list of pages after each list of links, which Sphinx's sidebar takes."""

    def contents(match):
        caption, listed = match.groups()
        pages = re.findall(r"^- \[([^\]]+)\]\((\S+)\.md\)", listed, re.M)
        if not pages:
            return match.group(0)
        caption = f":caption: {caption}\n" if caption else ""
        entries = "\n".join(f"{title} <{page}>" for title, page in pages)
        return f"{match.group(0)}\n```{{toctree}}\n:hidden:\n{caption}\n{entries}\n```\n"

    return ENTRIES.sub(contents, text)


def with_links(text, place, page, pages):
    """`pages` has the site's page of each file; `place` is the text's file, `page` its page."""

    def link(match):
        image, words, target, anchor = match.groups()
        if re.match(r"\w+:", target) or not target or image:
            return match.group(0)
        file = posixpath.normpath(posixpath.join(posixpath.dirname(place), target))
        if file not in pages:
            return words
        return f"[{words}]({posixpath.relpath(pages[file], posixpath.dirname(page) or '.')}{anchor or ''})"

    return LINK.sub(link, text)


def example_page(path):
    language = "c" if path.suffix == ".c" else "cpp"
    return f"# {path.name}\n\n```{{literalinclude}} {path.name}\n:language: {language}\n```\n"


def examples():
    return [path for path in sorted((ROOT / "examples").glob("*.c*")) if path.suffix in (".c", ".cpp")]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    shutil.rmtree(out, ignore_errors=True)
    texts = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "manual").rglob("*.md")}
    texts |= {path.relative_to(ROOT).as_posix(): path for path in ROOT.glob("docs/*.md")}
    texts |= {place: ROOT / place for place in DOCUMENTS}
    pages = {place: place.removeprefix("manual/") for place in texts}
    pages |= {f"examples/{path.name}": f"examples/{path.stem}.md" for path in examples()}
    pages |= {"README.md": "index.md", "manual": "index.md"}
    pages |= {"manual/reference": "reference/index.md", "examples": "examples/index.md"}
    for place, path in texts.items():
        page = out / pages[place]
        page.parent.mkdir(parents=True, exist_ok=True)
        text = with_links(path.read_text(encoding="utf-8"), place, pages[place], pages)
        if place in ("manual/index.md", "manual/reference/index.md"):
            text = with_contents(text)
        page.write_text(text, encoding="utf-8")
    (out / "examples").mkdir()
    listed = ""
    for path in examples():
        shutil.copy(path, out / "examples")
        (out / f"examples/{path.stem}.md").write_text(example_page(path), encoding="utf-8")
        listed += f"- [{path.name}]({path.stem}.md)\n"
    text = f"# Examples\n\nEach program is one file; `make examples` builds all of them.\n\n{listed}"
    (out / "examples/index.md").write_text(with_contents(text), encoding="utf-8")
    shutil.copy(ROOT / "docs/hash.svg", out / "docs")


if __name__ == "__main__":
    main()
