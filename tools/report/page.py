"""page.py - the parts of an HTML page."""

import html
import os

with open(os.path.join(os.path.dirname(__file__), "page.css"), encoding="utf-8") as file:
    STYLE = file.read()


def escape(text):
    return html.escape(str(text), quote=True)


class Html(str):
    """Text that needs no escapes."""


def link(key, text):
    return Html(f'<a href="#{key}">{escape(text)}</a>')


def table(caption, head, rows, own=lambda row: False, text=(0,)):
    """Returns a table. The first column has the rows' names; columns in `text` are left-aligned."""

    def cell(tag, i, x, attributes=""):
        left = ' class="text"' if i in text else ""
        return f"<{tag}{attributes}{left}>{x if isinstance(x, Html) else escape(x)}</{tag}>"

    name = escape(caption)
    lines = [f'<div class="scroll" role="region" tabindex="0" aria-label="{name}"><table><caption>{name}</caption>']
    lines.append(
        "<thead><tr>" + "".join(cell("th", i, x, ' scope="col"') for i, x in enumerate(head)) + "</tr></thead><tbody>"
    )
    for row in rows:
        cells = cell("th", 0, row[0], ' scope="row"') + "".join(cell("td", i, x) for i, x in enumerate(row) if i)
        lines.append(('<tr class="own">' if own(row) else "<tr>") + cells + "</tr>")
    return "\n".join(lines) + "\n</tbody></table></div>\n"


def figure(title, svg):
    return f"<figure><figcaption>{escape(title)}</figcaption>\n{svg}</figure>\n"


def plots(figures):
    return '<div class="plots">\n' + "".join(figures) + "</div>\n" if figures else ""


def details(summary, inside):
    return f"<details><summary>{escape(summary)}</summary>\n{inside}</details>\n"


def section(key, title, about, inside):
    """Returns a section: its address, its title, and its HTML."""
    head = f'<section id="{key}" aria-labelledby="{key}-title">\n<h2 id="{key}-title">{escape(title)}</h2>\n'
    return key, title, f'{head}<p class="soft">{escape(about)}</p>\n{inside}</section>\n'


def facts(pairs):
    return "<dl>\n" + "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>\n" for name, value in pairs) + "</dl>\n"


def page(title, head, sections):
    """Returns the page with these sections, which section() returned."""
    contents = "".join(f"<li>{link(key, name)}</li>\n" for key, name, _ in sections)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n"
        + '<a class="skip" href="#main">Skip to the figures</a>\n'
        + f"<header>\n<h1>{escape(title)}</h1>\n{head}</header>\n"
        + f'<nav aria-labelledby="contents"><h2 id="contents">Contents</h2>\n<ul>\n{contents}</ul></nav>\n'
        + '<main id="main">\n'
        + "".join(body for _, _, body in sections)
        + "</main>\n</body>\n</html>\n"
    )
