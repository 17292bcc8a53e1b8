"""cases.py - shows rows of gpbench as tables and plots: by n, by case, by variant."""

import os

import page
import plots
import results
import text

PER_S = "elements per second"


def row_of(row):
    if row["error"]:
        return [results.name_of(row), row["error"]] + [""] * 4
    return [
        results.name_of(row),
        text.seconds(row["median_s"]),
        text.rate(results.rate(row)),
        digits_or_blank(row.get("gb_per_s", 0)),
        text.fraction(row.get("fraction", 0)),
        f"{100 * row.get('spread', 0):.0f} %",
    ]


def digits_or_blank(x):
    return text.digits(x) if x else ""


def is_own(row):
    return row[0] == "gpuprim"


def table_of_case(title, rows):
    return page.table(title, ["variant", "time", "elements/s", "GB/s", "of limit", "spread"], map(row_of, rows), is_own)


def tables_of(rows):
    """Returns a table for each case and size. Tables of one type and case are under one summary."""
    parts = []
    for (primitive, kind), case in results.grouped(rows, "primitive", "type").items():
        sizes = results.grouped(case, "n")
        inside = "".join(table_of_case(f"{primitive}, {kind}, n = {text.count(n)}", of_n) for (n,), of_n in sizes.items())
        parts.append(page.details(f"Table: {primitive}, {kind}", inside))
    return "".join(parts)


# ---- plots


def said(series, x=None):
    """Returns the points of each series at x, or its last point, as the plot's text."""

    def value(s):
        return next((y for at, y in s.points if at == x), s.points[-1][1])

    return ", ".join(f"{s.name} {text.rate(value(s))}" for s in series if s.points)


def is_variant(row):
    return row["variant"].split(":")[0] == "gpuprim" or row["kind"] == "gpuprim"


def first_own(rows):
    """Returns the name of the row that represents the library if there is no row `gpuprim`."""
    return next((r["variant"] for r in rows if is_variant(r)), "gpuprim")


def by_name(rows, x, y, own):
    """Returns a series for each name."""
    series = []
    for (name,), of_name in results.grouped(rows, "variant").items():
        role = plots.OWN if name == own else plots.role_of(of_name[0])
        series.append(plots.Series(name.partition(":")[2] or name, role, [(x(r), y(r)) for r in of_name]))
    return series


def limit_of(rows, x, y):
    points = {(x(r), y(r)): True for r in rows if r.get("limit_per_s")}
    return [plots.Series("limit", plots.LIMIT, list(points))] if points else []


def selections(rows):
    """Returns the rows of each plot: the library with limit and peers, and the library's variants."""
    own = first_own(rows)
    if not any(map(is_variant, rows)):
        yield "", rows, own
        return
    beside = [r for r in rows if r["variant"] == own or (r["kind"] != "limit" and not is_variant(r))]
    variants = [r for r in rows if is_variant(r)]
    yield "", beside, own
    if len({r["variant"] for r in variants}) > 1:
        yield ": variants", variants, own


def curves_by_n(primitive, kind, rows, with_variants):
    """Draws throughput against n."""
    ns = sorted({r["n"] for r in rows})
    for suffix, some, own in list(selections(rows))[: 2 if with_variants else 1]:
        series = by_name(some, lambda r: r["n"], results.rate, own) + limit_of(
            rows, lambda r: r["n"], lambda r: r["limit_per_s"]
        )
        title = f"{primitive}, {kind}{suffix}"
        label = f"{title}: {PER_S} against n. At n = {text.count(ns[-1])}: {said(series)}."
        yield title, plots.curve(series, label, "n", PER_S, x_tics=ns[::2] if len(ns) > 5 else ns)


def label_of_case(names):
    """Returns the names without their common parts."""
    common = os.path.commonprefix(names) if len(names) > 1 else ""
    common = common[: max(common.rfind(" "), common.rfind(":")) + 1]
    return [name[len(common) :].strip() for name in names]


def dots_by_case(title, rows):
    """Draws throughput by kind of input, at one size."""
    cases = list(results.grouped(rows, "primitive", "type"))
    kinds = {kind for _, kind in cases}
    names = label_of_case([f"{primitive}, {kind}" if len(kinds) > 1 else primitive for primitive, kind in cases])

    def y(row):
        return cases.index((row["primitive"], row["type"]))

    for suffix, some, own in selections(rows):
        series = by_name(some, results.rate, y, own) + limit_of(rows, lambda r: r["limit_per_s"], y)
        words = "; ".join(
            f"{name}: " + ", ".join(f"{s.name} {text.rate(x)}" for s in series for x, at in s.points if at == i)
            for i, name in enumerate(names)
        )
        n = text.count(max(r["n"] for r in rows))
        yield f"{title}, n = {n}{suffix}", plots.dots(series, names, f"{title}{suffix}, {PER_S}. {words}.", PER_S)


def dots_by_variant(title, rows, value=results.rate, unit=PER_S):
    """Draws one case at one size, with a line for each row."""
    roles = (
        ("gpuprim", plots.OWN, ("gpuprim",)),
        ("others", plots.PEER, ("peer", "info")),
        ("limit", plots.LIMIT, ("limit",)),
    )
    series = [
        plots.Series(name, role, [(value(r), i) for i, r in enumerate(rows) if r["kind"] in kinds])
        for name, role, kinds in roles
    ]
    names = [r["variant"] for r in rows]
    words = "; ".join(f"{name} {text.rate(value(r))}" for name, r in zip(names, rows))
    title = f"{title}, n = {text.count(rows[0]['n'])}"
    return title, plots.dots(series, names, f"{title}, {unit}: {words}.", unit)


def figures_of(section, rows):
    """Returns titles and plots: against n if there are several sizes, else a dot for each row."""
    good = results.measured(rows)
    if not good:
        return
    cases = results.grouped(good, "primitive", "type")
    first = next(iter(cases))
    for (primitive, kind), case in cases.items():
        if primitive == first[0] and len({r["n"] for r in case}) > 1:
            yield from curves_by_n(primitive, kind, case, (primitive, kind) == first)
    n = results.usual_n(good)
    at_n = [r for r in good if r["n"] == n]
    if len(results.grouped(at_n, "primitive", "type")) == 1 and len({r["n"] for r in good}) == 1:
        yield dots_by_variant(section.title, at_n)
    elif len(results.grouped(at_n, "primitive")) > 1 or len({r["n"] for r in good}) == 1:
        yield from dots_by_case(section.title, at_n)


def figures_and_tables(section, rows):
    return list(figures_of(section, rows)), tables_of(rows)
