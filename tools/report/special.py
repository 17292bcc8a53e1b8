"""special.py - the sections whose plots are neither against n nor by case. The arguments of each function are the
section's rows and all rows; it returns figures and the HTML of tables."""

import cases
import page
import plots
import results
import text

PER_S = cases.PER_S
PUBLISHED = "published: 2^27 slots, GTX 1060"
WHOLE_PROGRAM = ("inserts", "deletes", "both", "with transfers")


def launch(rows, _):
    good = results.measured(rows)
    figures = [cases.dots_by_variant("launch", good, lambda r: 1e6 * r["median_s"], "microseconds")] if good else []
    return figures, cases.tables_of(rows)


def ladder(rows, _):
    """Returns figures and tables of the steps, the library, and the fastest loop that reads."""
    figures, tables = [], []
    for (n,), of_n in results.grouped(results.measured(rows), "n").items():
        limits = sorted((r for r in of_n if r["kind"] == "limit"), key=results.rate)
        shown = [r for r in of_n if r["kind"] != "limit"] + limits[-1:]
        times = [r["median_s"] for r in shown]
        lines = [
            [r["variant"], text.seconds(t), text.digits(r["gb_per_s"]), text.digits(before / t), text.digits(times[0] / t)]
            for r, t, before in zip(shown, times, times[:1] + times)
        ]
        head = ["variant", "time", "GB/s", "over the one before", "over the first"]
        figures.append(cases.dots_by_variant("ladder, f32", shown))
        tables.append(page.details(f"Table: ladder, n = {n}", page.table(f"ladder, n = {n}", head, lines, cases.is_own)))
    return figures, "".join(tables)


def entropy(rows, all_rows):
    """Returns figures and tables of sorts by entropy. Keys of entropy 1, without skew, are those of the plain sort of the same size."""

    def x(row):
        return float(row["primitive"].partition("entropy ")[2] or 1)

    plain = [r for r in all_rows if r["primitive"] == "sort" and r["type"] == "u32"]
    figures = []
    for (n,), of_n in results.grouped(results.measured(rows), "n").items():
        for suffix, some, own in cases.selections(results.measured(r for r in plain if r["n"] == n) + of_n):
            series = cases.by_name(some, x, results.rate, own)
            title = f"sort by entropy, u32, n = {text.count(n)}{suffix}"
            label = f"{title}: {PER_S} against the entropy of a bit. At entropy 0: {cases.said(series, 0)}."
            figures.append((title, plots.curve(series, label, "entropy of a bit", PER_S, log_x=False)))
    return figures, cases.tables_of(rows)


def tiles(rows, _):
    figures, tables = [], []
    for (primitive, n), of in results.grouped(results.measured(rows), "primitive", "n").items():
        title = f"{primitive}, n = {text.count(n)}"
        series = [
            plots.Series("whole", plots.OWN, [(r["tile"], n / r["median_s"]) for r in of]),
            plots.Series("inside tiles", plots.VARIANT, [(r["tile"], n / r["inside_s"]) for r in of if r["inside_s"] > 0]),
        ]
        words = "; ".join(f"{r['tile']}: {text.rate(n / r['median_s'])}" for r in of)
        label = f"{title}: {PER_S} against elements of a tile. {words}."
        x_tics = [r["tile"] for r in of]
        figures.append((title, plots.curve(series, label, "elements of a tile", PER_S, x_tics=x_tics)))
        lines = [
            [text.count(r["tile"]), text.seconds(r["median_s"]), text.seconds(r["inside_s"]), share_inside(r)] for r in of
        ]
        table = page.table(title, ["tile", "whole", "inside tiles", "of the whole"], lines)
        tables.append(page.details(f"Table: {title}", table))
    return figures, "".join(tables)


def share_inside(row):
    return f"{row['inside_s'] / row['median_s']:.2f}"


# ---- hash tables


def hash_line(row):
    if row["error"] or row["median_s"] == 0:
        measured = [row["error"] or "n/a", "", ""]
    else:
        published = text.rate(row["published_per_s"]) if row["published_per_s"] else ""
        measured = [text.seconds(row["median_s"]), text.rate(results.rate(row)), published]
    bits, load = f"{8 * row['bytes']}", f"{row['load']:.2f}"
    return [results.name_of(row), text.count(row["capacity"]), row["keys"], bits, load, text.count(row["n"])] + measured


def hash_table(title, rows):
    head = ["variant", "slots", "keys", "bits", "load", "n", "time", "elements/s", "published"]
    return page.details(f"Table: {title}", page.table(title, head, map(hash_line, rows), cases.is_own))


def by_load(rows):
    """Returns a plot for each operation, on distinct 32-bit keys, in the table with the most rows, or the largest of
    these."""
    figures, tables = [], []
    for (operation,), of in results.grouped(rows, "operation").items():
        tables.append(hash_table(f"hash, {operation}", of))
        drawn = [r for r in results.measured(of) if (r["keys"], r["bytes"]) == ("unique", 4)]
        if drawn:
            (most,), drawn = max(results.grouped(drawn, "capacity").items(), key=lambda group: (len(group[1]), group[0]))
            series = cases.by_name(drawn, lambda r: r["load"], results.rate, "gpuprim")
            title = f"{operation}, {text.count(most)} slots"
            label = f"{title}: {PER_S} against load. At load .5: {cases.said(series, .5)}."
            figures.append((title, plots.curve(series, label, "load", PER_S, log_x=False)))
    return figures, tables


def filled_up(rows):
    figures, tables = [], []
    for (capacity,), of in results.grouped(results.measured(rows), "capacity").items():
        series = [
            plots.Series("here", plots.OWN, [(r["load"], results.rate(r)) for r in of]),
            plots.Series("published", plots.PEER, [(r["load"], r["published_per_s"]) for r in of if r["published_per_s"]]),
        ]
        title = f"filled up, {text.count(capacity)} slots"
        label = f"{title}: {PER_S} against the load that a batch finds; {PUBLISHED}. At load .5: {cases.said(series, .5)}."
        figures.append((title, plots.curve(series, label, "load that a batch finds", PER_S, log_x=False)))
        tables.append(hash_table(f"hash, {title}; {PUBLISHED}", of))
    return figures, tables


def hashes(rows, _):
    programs = [r for r in rows if r["operation"] in WHOLE_PROGRAM]
    filled = [r for r in rows if r["variant"] == "gpuprim:fill"]
    figures, tables = by_load([r for r in rows if r not in programs and r not in filled])
    more_figures, more_tables = filled_up(filled)
    if programs:
        more_tables.append(hash_table(f"hash, whole program; {PUBLISHED}", programs))
    return figures + more_figures, "".join(tables + more_tables)
