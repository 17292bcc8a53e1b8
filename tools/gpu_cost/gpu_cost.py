#!/usr/bin/env python3
"""gpu_cost.py - counts, without a GPU, the cost of the kernels on a GPU (docs/gpu-cost.md).

usage: gpu_cost.py [--check [--class NAME]...] FOLDER

FOLDER has plugin.so and calls; temporary files are written to it. Prints a table, and writes bench/gpu_cost.json. With
--check, compares with that file instead, and fails if a counter is more than 2 % worse. --class selects classes of
GPUs. Counters whose tools are missing are left out.
"""
import argparse
import concurrent.futures
import fcntl
import json
import os
import sys

import amd
import counts
import cub
import model
import nvidia
import programs

BASELINE = "bench/gpu_cost.json"
TOLERANCE = 0.02
MORE_IS_BETTER = ("lookback_tiles_per_step", "loads_in_flight", "widest_load_bytes", "resident_groups")
REGISTERS_AT_ONCE = 8  # the unit of allocation, or a divisor of it
MODEL = "model"  # a source that is not compared


def abreast(function, cases):
    """Returns the function's results for all items. Several calls run at the same time."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, cases))


def runs(folder, classes):
    cases = [(work, name) for work in counts.WORKS for name in classes]
    if counts.SKEWED_CLASS in classes:
        cases += [(work, counts.SKEWED_CLASS) for work in counts.SKEWED]
    return abreast(lambda case: counts.run(*case, folder), cases)


def rows_of(work, name, source, found):
    for counter, value in found.items():
        if counter == "instructions_per_element" and work in counts.SORTS:
            counter = "instructions_per_key_pass"
        yield {"work": work, "class": name, "counter": counter, "value": round(value, 4), "cub": None, "source": source}


def rows_of_counts(all_runs):
    for run in all_runs:
        yield from rows_of(run.work, run.name, "oclgrind", counts.counters(run))
    for name in dict.fromkeys(run.name for run in all_runs):
        yield from rows_of("sort-pairs-u32", name, "oclgrind", counts.values_of_pairs(all_runs, name))


def compiled_runs(all_runs, name):
    return [run for run in all_runs if run.name == name and run.work not in counts.SKEWED]


def rows_of_texts(all_runs):
    """Returns rows of one class only, because the texts of other classes differ only in values."""
    for run in compiled_runs(all_runs, nvidia.CLASS):
        yield from rows_of(run.work, run.name, "text", {"longest_program_lines": counts.longest_program(run)})


def rows_of_nvidia(all_runs):
    if not nvidia.is_there():
        print("gpu-cost: no NVIDIA machine code: it takes clang-15, libclc-15, ptxas and cuobjdump")
        return
    source, chosen = nvidia.source_name(), compiled_runs(all_runs, nvidia.CLASS)
    for run, chips in zip(chosen, abreast(lambda run: list(nvidia.count(run)), chosen)):
        for name, found in chips:
            yield from rows_of(run.work, name, source, found)


def rows_of_amd(all_runs):
    for chip, properties in amd.CHIPS.items():
        if not amd.is_there(chip):
            print("gpu-cost: no machine code of %s: it takes %s and libclc-15" % (chip, properties.clang))
            continue
        source, chosen = amd.source_name(chip), compiled_runs(all_runs, properties.class_)
        for run, found in zip(chosen, abreast(lambda run, chip=chip: amd.count(run, chip), chosen)):
            yield from rows_of(run.work, amd.class_of(chip), source, found)


def rows_of_model(all_runs, rows):
    """Returns the model's rows for works whose counters are all known."""
    found = {}
    for row in rows:
        found.setdefault((row["work"], row["class"]), {})[row["counter"]] = row["value"]
    for run in all_runs:
        for device in model.PREDICTED:
            name = model.DEVICES[device][0]
            compiled = found.get((run.work, name), {})
            if run.work in model.BYTES and run.name == name.partition("-")[0] and "registers" in compiled:
                rate = model.rate(run.work, device, counts.moved(run), found[run.work, run.name], compiled, run.per_item,
                                  run.group)
                yield from rows_of(run.work, name, MODEL, {"copy_fraction_" + device: model.fraction(run.work, device, rate)})


def count(all_runs):
    rows = [*rows_of_counts(all_runs), *rows_of_texts(all_runs), *rows_of_nvidia(all_runs), *rows_of_amd(all_runs)]
    return [*rows, *rows_of_model(all_runs, rows)]


def rows_of_cub(all_runs, folder):
    """Returns CUB's values by the keys of their rows."""
    works, elements = cub.works(), {run.work: run.elements for run in all_runs}
    found = dict(zip(works, abreast(lambda work: cub.count(work, elements[work], folder), works)))
    for work, values in found.items():
        if work in model.BYTES:
            values["copy_fraction_h200"] = model.fraction(work, "h200", cub.rate(work, "h200", elements[work], folder, values))
    return {(work, "nvidia", counter): round(value, 4) for work, values in found.items() for counter, value in values.items()}


def print_published(all_runs, folder):
    """Prints the model's rates for CUB, and CUB's published rates."""
    elements = {run.work: run.elements for run in all_runs}
    for work, device, known, source in model.PUBLISHED:
        rate = cub.rate(work, device, elements[work], folder)
        print("model: CUB's %s on %s: %.4g elements a ns, %+.0f %% of the published %.4g (%s)" %
              (work, device, rate, 100 * (rate / known - 1), known, source))


def add_cub(rows, baseline, all_runs, folder):
    """Adds CUB's values to the rows that CUB has: those counted now, or those of the baseline."""
    known = {key(row): row["cub"] for row in baseline}
    if cub.is_there():
        known = {k: value for k, value in known.items() if k[0] not in cub.works()}
        known.update(rows_of_cub(all_runs, folder))
    for row in rows:
        row["cub"] = known.get(key(row))


def key(row):
    return row["work"], row["class"], row["counter"]


def print_table(rows):
    """Prints a line for each work and counter, with a column for each class."""
    names = sorted({row["class"] for row in rows})
    values = {key(row): row for row in rows}
    print("%-22s%-34s%s%15s" % ("work", "counter", "".join("%15s" % name for name in names), "CUB"))
    for work, counter in dict.fromkeys((row["work"], row["counter"]) for row in rows):
        cells = [values.get((work, name, counter)) for name in names]
        cub = next((c["cub"] for c in cells if c and c["cub"] is not None), None)
        line = "".join("%15s" % ("%g" % c["value"] if c else "") for c in cells)
        print("%-22s%-34s%s%15s" % (work, counter, line, "" if cub is None else "%g" % cub))


def print_beside_cub(rows):
    """Prints, for each work that CUB has, sm_90's counters, with CUB's in brackets."""
    values = {key(row): row for row in rows}
    counters = {"instructions": "instructions_per_%s", "local wavefronts": "local_wavefronts_per_%s",
                "barriers": "barriers_per_tile", "launches": "launches_per_call", "groups": "resident_groups",
                "of a copy, H200": "copy_fraction_h200"}
    print("\nnvidia, sm_90, beside CUB\n%-22s%s" % ("work", "".join("%20s" % name for name in counters)))
    for work in counts.WORKS:
        part = "key_pass" if work in counts.SORTS else "element"
        cells = [values.get((work, "nvidia", name % part if "%" in name else name)) for name in counters.values()]
        if any(cell and cell["cub"] is not None for cell in cells):
            print("%-22s%s" % (work, "".join("%20s" % beside(cell) for cell in cells)))


def print_skew(rows):
    """Prints the cost of skewed input as a multiple of the cost of random input."""
    values = {key(row): row["value"] for row in rows}

    def ratio(work, *counters):
        asked, random = (sum(values[w, counts.SKEWED_CLASS, counter] for counter in counters) for w in (work, counts.SKEWED[work]))
        return asked / random

    print("\n%s, of random input's\n%-24s%18s%18s%18s" % (counts.SKEWED_CLASS, "work", "local wavefronts", "sectors", "atomics"))
    for work in counts.SKEWED:
        print("%-24s%18.2f%18.2f%18.2f" % (work, ratio(work, "local_wavefronts_per_element"),
                                           ratio(work, "load_sectors_per_element", "store_sectors_per_element"),
                                           ratio(work, "atomics_per_element")))


def beside(cell):
    if not cell:
        return ""
    return "%.3g (%s)" % (cell["value"], "-" if cell["cub"] is None else "%.3g" % cell["cub"])


def compared(row):
    if row["counter"] == "registers":
        return -(-row["value"] // REGISTERS_AT_ONCE) * REGISTERS_AT_ONCE
    return row["value"]


def is_worse(row, before):
    change = compared(row) - compared(before)
    if row["counter"] in MORE_IS_BETTER:
        change = -change
    return change > TOLERANCE * abs(before["value"])


def plant(rows):
    """Returns the rows, with the first one 3 % worse."""
    factor = 0.97 if rows[0]["counter"] in MORE_IS_BETTER else 1.03
    return [dict(rows[0], value=rows[0]["value"] * factor), *rows[1:]]


def check(rows, baseline):
    """Returns a line for each fault. Compares only with the baseline's rows from sources that have counted now."""
    found = {key(row): row for row in rows}
    sources = {row["source"] for row in rows}
    for before in baseline:
        what = "%s, %s: %s" % key(before)
        row = found.get(key(before))
        if before["source"] not in sources or before["source"] == MODEL:
            continue
        if not row:
            yield what + " is in the baseline, and was not counted"
        elif is_worse(row, before):
            yield "%s is %g; the baseline has %g" % (what, row["value"], before["value"])
    known = {key(row) for row in baseline}
    for row in rows:
        if key(row) not in known and row["source"] != MODEL:
            yield "%s, %s: %s is not in the baseline" % key(row)


def write(rows, baseline):
    """Writes the rows. Rows whose source has not counted now are unchanged."""
    sources = {row["source"] for row in rows}
    rows = sorted(rows + [row for row in baseline if row["source"] not in sources], key=key)
    with open(BASELINE, "w") as out:
        out.write("[\n%s\n]\n" % ",\n".join(json.dumps(row) for row in rows))


def read_baseline():
    """Reads the baseline. Called before anything is counted, which takes minutes."""
    if not os.path.exists(BASELINE):
        return []
    with open(BASELINE) as lines:
        try:
            rows = json.load(lines)
        except ValueError as error:
            sys.exit("gpu-cost: %s is no JSON: %s" % (BASELINE, error))
    if not all({"work", "class", "counter", "value", "cub", "source"} <= set(row) for row in rows):
        sys.exit("gpu-cost: %s has a row without one of its fields" % BASELINE)
    return rows


def take(folder):
    """Locks the folder for this run. Returns the locked file."""
    lock = open(os.path.join(folder, "lock"), "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        print("gpu-cost: waiting for another run in %s" % folder, flush=True)
        fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def run(arguments):
    """Counts and prints. Returns the exit status."""
    baseline = [row for row in read_baseline() if row["class"].partition("-")[0] in arguments.classes]
    programs.find_cuda()
    all_runs = runs(arguments.folder, arguments.classes)
    rows = count(all_runs)
    if not arguments.check:
        add_cub(rows, baseline, all_runs, arguments.folder)
    print_table(rows)
    if counts.SKEWED_CLASS in arguments.classes:
        print_skew(rows)
    if not arguments.check:
        if cub.is_there():
            print_published(all_runs, arguments.folder)
        print_beside_cub(rows)
        write(rows, baseline)
        return 0
    if not list(check(plant(rows), rows)):
        sys.exit("gpu-cost: a planted rise was not found")
    for source in sorted({row["source"] for row in baseline} - {row["source"] for row in rows}):
        print("gpu-cost: not compared: what %s has counted for the baseline" % source)
    wrong = list(check(rows, baseline))
    for line in wrong:
        print("gpu-cost: " + line, file=sys.stderr)
    if wrong:
        print("gpu-cost: where that is meant, commit what `make gpu-cost` makes of %s" % BASELINE, file=sys.stderr)
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--class", dest="classes", action="append", choices=list(counts.CLASSES))
    parser.add_argument("folder")
    arguments = parser.parse_args()
    if arguments.classes and not arguments.check:
        sys.exit("gpu-cost: --class is for --check: the baseline has all classes")
    arguments.classes = arguments.classes or list(counts.CLASSES)
    for name in ("plugin.so", "calls"):
        if not os.path.exists(os.path.join(arguments.folder, name)):
            sys.exit("gpu-cost: no %s in %s: `make gpu-cost` makes it" % (name, arguments.folder))
    if not programs.has("oclgrind"):
        sys.exit("gpu-cost: no oclgrind here: tools/deps.sh installs it")
    with take(arguments.folder):
        return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
