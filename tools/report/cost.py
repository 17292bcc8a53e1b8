"""cost.py - the section on costs that are counted without a GPU, bench/gpu_cost.json (docs/gpu-cost.md)."""

import json
import os

import page
import plots
import results

GPU_COST = os.path.join(os.path.dirname(__file__), "../../bench/gpu_cost.json")
LOAD, STORE = "load_sectors_per_element", "store_sectors_per_element"


def section():
    """Returns the section on the cost of the kernels on GPUs, which cannot be measured here."""
    with open(GPU_COST, encoding="utf-8") as file:
        counted = json.load(file)
    parts, figures = [], []
    shown = [
        ("launches_per_call", "launches"),
        (LOAD, "load sectors"),
        (STORE, "store sectors"),
        ("atomics_per_element", "atomics"),
        ("local_wavefronts_per_element", "local wavefronts"),
        ("instructions_per_element", "instructions"),
        ("registers", "registers"),
        ("resident_groups", "resident groups"),
    ]
    for (name,), of in results.grouped(counted, "class").items():
        works = results.grouped(of, "work")
        values = {work: {r["counter"]: r for r in rows} for (work,), rows in works.items()}
        lines = [[work] + [value_of(v.get(c)) for c, _ in shown] for work, v in values.items()]
        parts.append(
            page.details(
                f"Table: {name}",
                page.table(
                    f"Class {name}: counts of a call; sectors to instructions: for each element; in brackets: CUB's",
                    ["work"] + [s for _, s in shown],
                    lines,
                ),
            )
        )
        if name == "nvidia":
            figures.append(sectors_figure(values))
    return page.section(
        "gpu-cost",
        "Cost on GPUs",
        "Counted without a GPU (bench/gpu_cost.json), not measured on this device: what a call asks of each class of GPU. "
        "A sector is 32 bytes: 0.125 for each element of 4 bytes moves each once.",
        page.plots([page.figure(*f) for f in figures]) + "".join(parts),
    )


def value_of(row):
    if row is None:
        return ""
    return f"{row['value']:.4g}" + (f" ({row['cub']:.4g})" if row["cub"] is not None else "")


def sectors_figure(values):
    works = [w for w, v in values.items() if LOAD in v]
    series = [
        plots.Series(name, role, [(values[w][c]["value"], i) for i, w in enumerate(works) if values[w][c]["value"] > 0])
        for name, role, c in (("load", plots.OWN, LOAD), ("store", plots.PEER, STORE))
    ]
    words = "; ".join(f"{w}: load {values[w][LOAD]['value']:.3g}, store {values[w][STORE]['value']:.3g}" for w in works)
    return "sectors an element, class nvidia", plots.dots(
        series, works, f"Sectors of 32 bytes an element. {words}.", "sectors an element"
    )
