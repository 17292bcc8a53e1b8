#!/usr/bin/env python3
"""gpu_compilers.py - compiles every program of the calls with the compilers of GPUs that are not present (docs/gpu-cost.md).

usage: gpu_compilers.py [--check] [--devices NAME,...] [--forms] FOLDER

FOLDER has calls and build. Temporary files, and the results of compiling, are kept there. Prints a table, and writes
bench/gpu_compilers.json. With --check, compares with that file instead, and fails if a program is not built, if kernels
do not have the program's sizes of groups and sub-groups, or if they spill more, or use more private memory, than in
that file. With --forms, also compiles every program of `make lint` in the local shape; these are not in the file.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "gpu_cost"))

import counts  # noqa: E402
import forms  # noqa: E402
import intel  # noqa: E402
import mesa  # noqa: E402

BASELINE = "bench/gpu_compilers.json"
RUNNER = os.path.join(HERE, "..", "next_run.sh")
DEVICES = [*intel.DEVICES, *mesa.DEVICES]
# Numbers of gp_device_class.
CLASSES = {1: "unknown", 4: "llvmpipe", 5: "nvidia", 6: "amd", 7: "intel_gpu", 8: "mali", 9: "adreno", 10: "apple"}
LONGEST = 384 << 10  # of a program's text, in bytes
GROWTH = ("spilled_bytes", "private_bytes")
AT_ONCE = 8  # programs of one process
SLOWEST = 4  # programs of a device that are printed

Program = collections.namedtuple("Program", "device class_ work path text options lanes group")


def number_in(text, name):
    found = re.search(r"^#define %s (\d+)$" % name, text, re.M)
    return int(found.group(1)) if found else 0


def read(path):
    with open(path) as lines:
        return lines.read()


def programs_of(device, description, folder):
    """Returns the programs that the library builds on a device for all works: each text once, for the first work that
    has it."""
    own = os.path.join(folder, device)
    shutil.rmtree(own, ignore_errors=True)
    os.makedirs(own)
    path = os.path.join(own, "description")
    with open(path, "w") as out:
        out.write(description)
    found = {}
    for work in counts.WORKS:
        dump = os.path.join(own, work)
        os.makedirs(dump)
        environment = dict(os.environ, GPU_DEVICE=path, GPU_PROGRAMS=dump)
        call = json.loads(subprocess.run([folder + "/calls", work, "own", "0", "-"], stdout=subprocess.PIPE, env=environment,
                                         check=True).stdout)
        for name in sorted(name for name in os.listdir(dump) if name.endswith(".cl")):
            source = os.path.join(dump, name)
            text, options = read(source), read(source.replace(".cl", ".op"))
            found.setdefault((text, options), Program(device, CLASSES[call["class"]], work, source, text, options,
                                                      number_in(text, "GPI_SUB_GROUP"), number_in(text, "GPI_WG")))
    return list(found.values())


def forms_of(device, description, calls, folder):
    """Returns the programs of `make lint` for a device, with the sub-groups and options of the programs of its calls."""
    own = os.path.join(folder, device, "forms")
    os.makedirs(own)
    plain = next(p for p in calls if not p.lanes)
    grouped = next((p for p in calls if p.lanes), None)
    found = []
    for name, text, options in forms.composed(re.search("^extensions (.*)", description, re.M).group(1).split(),
                                              plain[4:6], grouped and grouped[4:6]):
        path = os.path.join(own, "%d.cl" % len(found))
        for place, what in ((path, text), (path.replace(".cl", ".op"), options)):
            with open(place, "w") as out:
                out.write(what)
        found.append(Program(device, plain.class_, name, path, text, options, number_in(text, "GPI_SUB_GROUP"),
                             number_in(text, "GPI_WG")))
    return found


def kept(program, source, folder):
    """Returns the path of the stored result of compiling a program."""
    readers = read(os.path.join(HERE, "intel.py")) + read(os.path.join(HERE, "mesa.py"))
    key = hashlib.sha256("\0".join([program.text, program.options, program.device, source, readers]).encode()).hexdigest()
    return os.path.join(folder, "kept", key[:32] + ".json")


def build_on_intel(program):
    try:
        kernels, seconds = intel.build(RUNNER, program.device, program.path)
        return [(kernels, seconds, "")]
    except intel.Failure as failure:
        return [(None, 0, str(failure))]


def build_on_mesa(programs, folder):
    """Builds programs on Mesa. If the driver ends the process, another process builds the rest."""
    found = {path: rest for path, *rest in
             mesa.build(RUNNER, folder + "/build", programs[0].device, [p.path for p in programs])}
    missing = [p for p in programs if p.path not in found]
    if missing:
        found[missing[0].path] = (None, 0, "the driver ends the process")
        if missing[1:]:
            found.update(zip([p.path for p in missing[1:]], build_on_mesa(missing[1:], folder)))
    return [found[p.path] for p in programs]


def parts(sequence, size):
    return [sequence[i:i + size] for i in range(0, len(sequence), size)]


def build(programs, sources, folder):
    """Returns for each program [kernels' counters by name, seconds of the CPU, log]; no kernels: it was not built."""
    os.makedirs(os.path.join(folder, "kept"), exist_ok=True)
    places = {p.path: kept(p, sources[p.device], folder) for p in programs}
    todo = [p for p in programs if not os.path.exists(places[p.path])]
    jobs = [([p], lambda p=p: build_on_intel(p)) for p in todo if p.device in intel.DEVICES]
    for device in mesa.DEVICES:
        jobs += [(part, lambda part=part: build_on_mesa(part, folder))
                 for part in parts([p for p in todo if p.device == device], AT_ONCE)]
    found = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for part, results in zip([job[0] for job in jobs], pool.map(lambda job: job[1](), jobs)):
            for program, result in zip(part, results):
                found[program.path] = result
                if result[0] is not None:
                    with open(places[program.path], "w") as out:
                        json.dump(result, out)
    return [found[p.path] if p.path in found else json.loads(read(places[p.path])) for p in programs]


def rows_of(program, source, kernels):
    for name, counters in sorted((kernels or {}).items()):
        counters.pop("group", None)
        yield dict({"class": program.class_, "device": program.device, "work": program.work, "kernel": name, "source": source,
                    "group": program.group}, **counters)


def faults_of(program, kernels, log):
    """Returns a line for each fault of a program that does not depend on the baseline."""
    what = "%s, %s (%s)" % (program.device, program.work, program.path)
    if len(program.text) > LONGEST:
        yield "%s: a text of %d bytes, more than %d" % (what, len(program.text), LONGEST)
    if kernels is None:
        yield "%s: is not built: %s" % (what, log)
        return
    lanes = {kernel["lanes"] for kernel in kernels.values()}
    if program.lanes and lanes != {program.lanes}:
        yield "%s: kernels have sub-groups of %s; the program is for %d" % (what, sorted(lanes), program.lanes)
    for name, kernel in kernels.items():
        if kernel.get("group_max", program.group) < program.group:
            yield "%s: %s takes groups of %d; the program is for %d" % (what, name, kernel["group_max"], program.group)


def key(row):
    return row["class"], row["device"], row["work"], row["kernel"]


def compare(rows, baseline):
    """Returns a line for each program that spills more or uses more private memory than in the baseline, or that is not
    in the baseline and does either."""
    before = {key(row): row for row in baseline}
    sources = {row["device"]: row["source"] for row in baseline}
    for row in rows:
        if sources.get(row["device"], row["source"]) != row["source"]:
            continue
        known = before.get(key(row), {})
        for counter in GROWTH:
            if row[counter] > known.get(counter, 0):
                yield "%s, %s, %s: %s: %s is %d; the baseline has %s" % (*key(row), counter, row[counter],
                                                                        known.get(counter, "no such kernel"))


def slowest_of(pairs):
    """Returns the works of the slowest programs with their seconds, as text; `pairs` are programs and their results."""
    pairs = sorted(pairs, key=lambda pair: -pair[1][1])[:SLOWEST]
    return ", ".join("%s %.1f" % (program.work, result[1]) for program, result in pairs)


def print_devices(programs, results, rows):
    print("%-10s%-10s%10s%10s%12s%12s%10s   %s" % ("device", "class", "programs", "kernels", "that spill", "with private",
                                                  "seconds", "of which the slowest programs"))
    for device in dict.fromkeys(p.device for p in programs):
        mine = [(p, r) for p, r in zip(programs, results) if p.device == device]
        own = [row for row in rows if row["device"] == device]
        print("%-10s%-10s%10d%10d%12d%12d%10.1f   %s" %
              (device, mine[0][0].class_, len(mine), len(own), sum(row["spilled_bytes"] > 0 for row in own),
               sum(row["private_bytes"] > 0 for row in own), sum(r[1] for _, r in mine), slowest_of(mine)))
    print("seconds are of the CPU, when a program was compiled last; the longest text: %d bytes" %
          max(len(p.text) for p in programs))


def print_spills(rows):
    names = sorted({key(row)[2:] for row in rows if any(row[counter] for counter in GROWTH)})
    columns = list(dict.fromkeys(row["device"] for row in rows))
    values = {(row["device"], row["work"], row["kernel"]): row for row in rows}
    wide = max([20, *(len(work) for work, _ in names)])
    print("\nbytes a work-item spilled / private\n%-*s  %-30s%s" % (wide, "work", "kernel", "".join("%13s" % c for c in columns)))
    for work, kernel in names:
        cells = [values.get((device, work, kernel)) for device in columns]
        line = "".join("%13s" % ("%d / %d" % (c["spilled_bytes"], c["private_bytes"]) if c else "") for c in cells)
        print("%-*s  %-30s%s" % (wide, work, kernel, line))


def write(rows, baseline):
    """Writes the rows. Rows of devices that were not compiled for in this run are unchanged."""
    devices = {row["device"] for row in rows}
    rows = sorted(rows + [row for row in baseline if row["device"] not in devices], key=key)
    with open(BASELINE, "w") as out:
        out.write("[\n%s\n]\n" % ",\n".join(json.dumps(row) for row in rows))


def describe(devices, folder):
    """Returns descriptions of the devices by their drivers, and the compilers' names, for the drivers that work."""
    descriptions, sources = {}, {}
    for device in devices:
        try:
            if device in intel.DEVICES:
                descriptions[device], sources[device] = intel.description(device), intel.source_name(RUNNER)
            else:
                descriptions[device] = mesa.description(RUNNER, folder + "/build", device)
                sources[device] = mesa.source_name(descriptions[device])
        except (mesa.Failure, subprocess.CalledProcessError) as failure:
            print("gpu-compilers: %s is left out: %s" % (device, failure))
    return descriptions, sources


def compile_and_print(programs, sources, folder):
    """Returns the kernels' rows, and a line for each fault."""
    results = build(programs, sources, folder)
    rows = [row for p, r in zip(programs, results) for row in rows_of(p, sources[p.device], r[0])]
    print_devices(programs, results, rows)
    print_spills(rows)
    return rows, [line for p, r in zip(programs, results) for line in faults_of(p, r[0], r[2])]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--devices", default=",".join(DEVICES))
    parser.add_argument("--forms", action="store_true")
    parser.add_argument("folder")
    arguments = parser.parse_args()
    folder = arguments.folder
    baseline = json.loads(read(BASELINE)) if os.path.exists(BASELINE) else []
    descriptions, sources = describe(arguments.devices.split(","), folder)
    if not descriptions:
        sys.exit("gpu-compilers: no device answers")
    programs = [p for device, text in descriptions.items() for p in programs_of(device, text, folder)]
    rows, faults = compile_and_print(programs, sources, folder)
    if arguments.check:
        faults += compare(rows, baseline)
    else:
        write(rows, baseline)
    if arguments.forms:
        print("\nthe programs of `make lint`")
        forms_ = [form for device, text in descriptions.items()
                  for form in forms_of(device, text, [p for p in programs if p.device == device], folder)]
        faults += compile_and_print(forms_, sources, folder)[1]
    for line in faults:
        print("gpu-compilers: " + line, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
