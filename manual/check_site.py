#!/usr/bin/env python3
"""Is every link of the built site whole, with its anchor, and does no page load anything from the network?

usage: manual/check_site.py SITE
"""
import html.parser
import pathlib
import re
import sys
import urllib.parse

LOADS = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src")}


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.ids, self.links = {""}, []  # (target, whether the page loads it)
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name"):
                self.ids.add(value)
            elif name in ("href", "src"):
                self.links.append((value, (tag, name) in LOADS))


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in site.rglob("*.html")}
    wrong, links = [], 0
    for path, page in pages.items():
        for target, loads in page.links:
            links += 1
            url = urllib.parse.urlsplit(target)
            if url.scheme or url.netloc:
                if loads and url.scheme != "data":
                    wrong.append(f"{path}: loads {target}")
                continue
            there = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
            if not there.is_file():
                wrong.append(f"{path}: no file {target}")
            elif there in pages and urllib.parse.unquote(url.fragment) not in pages[there].ids:
                wrong.append(f"{path}: no anchor {target}")
    for path in site.rglob("*.css"):
        if re.search(r"(@import|url\()\s*[\"']?(https?:)?//", path.read_text(encoding="utf-8")):
            wrong.append(f"{path}: loads from the network")
    print("\n".join(wrong + [f"site: {len(pages)} pages, {links} links, {len(wrong)} wrong"]))
    return 1 if wrong or not links else 0


if __name__ == "__main__":
    sys.exit(main())
