"""plots.py - draws plots by gnuplot, as SVG within a page, with the page's variables as colours, and the page's symbols."""

import collections
import math
import re
import subprocess

import text
from page import escape

WIDTH = 460
OWN, VARIANT, LIMIT, PEER = range(4)
PEER_COLOURS = 6

# The definitions for gnuplot's symbols, once per page: circles, squares, triangles, diamonds, pentagons; even numbers
# are filled.
SYMBOLS = """<svg class="symbols" aria-hidden="true" focusable="false"><defs>
<path id="gpPt0" stroke-width=".3" d="M-1,0 h2 M0,-1 v2"/><path id="gpPt1" stroke-width=".3" d="M-1,-1 L1,1 M1,-1 L-1,1"/>
<path id="gpPt2" stroke-width=".3" d="M-1,0 L1,0 M0,-1 L0,1 M-1,-1 L1,1 M-1,1 L1,-1"/>
<rect id="gpPt3" stroke-width=".3" x="-1" y="-1" width="2" height="2"/><use href="#gpPt3" id="gpPt4" fill="currentColor"/>
<circle id="gpPt5" stroke-width=".3" r="1"/><use href="#gpPt5" id="gpPt6" fill="currentColor"/>
<path id="gpPt7" stroke-width=".3" d="M0,-1.33 L-1.33,.67 L1.33,.67 z"/><use href="#gpPt7" id="gpPt8" fill="currentColor"/>
<use href="#gpPt7" id="gpPt9" transform="rotate(180)"/><use href="#gpPt9" id="gpPt10" fill="currentColor"/>
<use href="#gpPt3" id="gpPt11" transform="rotate(45)"/><use href="#gpPt11" id="gpPt12" fill="currentColor"/>
<path id="gpPt13" stroke-width=".3" d="M0,1.33 L1.265,.411 L.782,-1.067 L-.782,-1.076 L-1.265,.411 z"/>
<use href="#gpPt13" id="gpPt14" fill="currentColor"/>
</defs></svg>"""
POINTS = (5, 9, 11, 13, 15, 4, 8, 10, 12, 14, 6, 2, 3)  # gnuplot counts them from 1


# A line of a plot: its name, its kind (OWN, VARIANT, LIMIT, PEER), and its points (x, y).
Series = collections.namedtuple("Series", "name role points")


def role_of(row):
    if row["variant"] == "gpuprim":
        return OWN
    return VARIANT if row["kind"] == "gpuprim" or row["variant"].startswith("gpuprim:") else PEER


Style = collections.namedtuple("Style", "colour point width")  # a colour is the number of one of the page's colour variables


def styles(series):
    seen = [0] * 4
    for s in series:
        k = seen[s.role]
        seen[s.role] += 1
        if s.role == LIMIT:
            yield Style(3, 1, 1.5)
        elif s.role == OWN:
            yield Style(1, 7, 2.5)
        else:
            yield Style(2 if s.role == VARIANT else 4 + k % PEER_COLOURS, POINTS[k % len(POINTS)], 1.2)


def line_of(style):
    dashed = " dt 2" if style.colour == 3 else ""
    return f"with linespoints lw {style.width} pt {style.point} ps .55 lc rgb {style.colour}{dashed}"


def dot_of(style):
    return f"with points lw 1.5 pt {style.point} ps .9 lc rgb {style.colour}"


def key_of(series, lines):
    """Returns the key, which is below the plot and wraps as text does."""
    items = []
    for s, style in zip(series, styles(series)):
        dashes = ' stroke-dasharray="3 3"' if style.colour == 3 else ""
        line = f'<path d="M0,7 h28" stroke="var(--c{style.colour})" stroke-width="{style.width}"{dashes}/>' if lines else ""
        items.append(
            f'<li><svg aria-hidden="true" viewBox="0 0 28 14" width="28" height="14">{line}<use href="#gpPt{style.point - 1}" '
            f'transform="translate(14 7) scale(4)" color="var(--c{style.colour})"/></svg>{escape(s.name)}</li>'
        )
    return '<ul class="key">' + "".join(items) + "</ul>\n"


def inline(svg):
    """Returns gnuplot's file without the parts that the page has already (header, symbols, fonts, titles), and with the
    page's colours."""
    svg = svg[svg.index('<g id="gnuplot_canvas">') :]
    svg = re.sub(r"<defs>.*?</defs>|<title>.*?</title>|<rect [^>]*/>", "", svg, flags=re.S)
    svg = re.sub(r" (id|font-family|class|stroke-linecap|stroke-linejoin)=([\"']).*?\2", "", svg)
    svg = re.sub(r"rgb\( *0, *0, *(\d+)\)", r"var(--c\1)", svg)
    svg = re.sub(r"([\"'])black\1", r"\1currentColor\1", svg)
    svg = svg.replace(' color="currentColor"', "").replace("xlink:href", "href")
    while True:
        shorter = re.sub(r"<g[^>]*>\s*</g>\s*", "", svg)
        if shorter == svg:
            return re.sub(r"\s*\n\s*", "\n", svg)
        svg = shorter


def gnuplot(script, height, label):
    script = f'set terminal svg size {WIDTH},{height} dynamic font ",13"\n' + script
    done = subprocess.run(["gnuplot"], input=script, capture_output=True, text=True)
    if done.returncode or done.stderr:
        raise SystemExit(f"{label}: gnuplot: {done.stderr}")
    return f'<svg role="img" aria-label="{escape(label)}" viewBox="0 0 {WIDTH} {height}">\n' + inline(done.stdout)


def quoted(name):
    """Returns the text in single quotes, because gnuplot runs text in backquotes within double quotes."""
    return "'" + name.replace("'", "''").replace("\n", " ") + "'"


def scale_of(axis, values, most):
    """Returns an axis: logarithmic if values differ much, else from 0, with at most so many tics, at 1, 2 or 5 times a
    power of ten."""
    low, high = min(values), max(values)
    form = '"%.0s %c"\n' if low >= 1 else '"%g"\n'
    if high > 15 * low:
        return f"set logscale {axis} 10\nset {axis}range [{low / 1.4}:{high * 1.4}]\nset format {axis} " + form
    high *= 1.08
    power = 10 ** math.floor(math.log10(high / most))
    step = next(k * power for k in (1, 2, 5, 10) if k * power * most >= high)
    tics = ", ".join(f"{quoted(text.short(k * step))} {k * step}" for k in range(int(high / step) + 1))
    return f"set {axis}tics ({tics})\nset {axis}range [0:{high}]\n"


def data_of(series):
    lines = []
    for i, s in enumerate(series):
        lines += [f"$d{i} << EOD"] + [f"{x} {y}" for x, y in s.points] + ["EOD"]
    return "\n".join(lines) + "\n"


AXES = "set encoding utf8\nset key off\nset border 3 lc rgb 0\nset tics nomirror\nset grid lt 1 lw .5 lc rgb 10\n"


def power_tics(values):
    def tic(v):
        k = v.bit_length() - 1
        return f'"2^{{{k}}}" {v}' if v == 1 << k and v >= 1024 else f'"{v}" {v}'

    wanted = sorted(set(values))
    return "set xtics (" + ", ".join(tic(v) for v in wanted) + ")\n"


def curve(series, label, x_label, y_label, log_x=True, x_tics=None):
    """Draws y against x, with a line for each series. x_tics: numbers; powers of two are written as such."""
    series = [s for s in series if s.points]
    xs = [x for s in series for x, _ in s.points]
    x0, x1 = (min(xs) / 1.3, max(xs) * 1.3) if log_x else (min(xs) - 0.03, max(xs) + 0.03)
    plots = [f"$d{i} using 1:2 {line_of(style)}" for i, style in enumerate(styles(series))]
    return gnuplot(
        data_of(series)
        + AXES
        + ("set logscale x 2\n" if log_x else "")
        + (power_tics(x_tics) if x_tics else "")
        + f"set xrange [{x0}:{x1}]\n"
        + scale_of("y", [y for s in series for _, y in s.points], 6)
        + f"set xlabel {quoted(x_label)} offset 0,.4\nset ylabel {quoted(y_label)}\nplot "
        + ", ".join(plots)
        + "\n",
        290,
        label,
    ) + key_of(series, True)


def dots(series, names, label, x_label):
    """Draws a line for each name, with a dot for each series, whose points are (x, number of the name)."""
    series = [s for s in series if s.points]
    tics = ", ".join(f"{quoted(name.replace('%', '%%'))} {i}" for i, name in enumerate(names))
    plots = [f"$d{i} using 1:2 {dot_of(style)}" for i, style in enumerate(styles(series))]
    return gnuplot(
        data_of(series)
        + AXES
        + scale_of("x", [x for s in series for x, _ in s.points], 5 if max(map(len, names)) < 16 else 3)
        + f"set yrange [{len(names) - .4}:-.6]\nset ytics noenhanced ({tics})\nset xlabel {quoted(x_label)} offset 0,.4\n"
        + "plot "
        + ", ".join(reversed(plots))
        + "\n",
        80 + 26 * len(names),
        label,
    ) + key_of(series, False)
