"""counts.py - the memory accesses of kernel launches, counted under Oclgrind by plugin.cpp."""
import json
import os
import shutil

import programs

# The device of each class, and the lanes of its sub-groups.
CLASSES = {"nvidia": ("nvidia", 32), "amd32": ("amd", 32), "amd64": ("amd", 64), "intel": ("intel", 16)}

# A device without sub-groups, and the same with emulated ones (emulated.py).
WITHOUT, EMULATED = "without", "emulated"
DEVICES = {**CLASSES, WITHOUT: ("unknown", 32), EMULATED: ("unknown", 32)}

WORKS = ("reduce-u32 scan-u32 select-u32 sort-u32 sort-few-u32 sort-pairs-u32 histogram-u8 hash-insert hash-find hash-combine "
         "brackets-u8 merge-u32 topk-u32 segmented-topk-u32 nth-element-u32 segmented-sort-u32 segmented-reduce-u32 reduce-columns-u32 "
         "scan-segments-u32 scan-columns-u32 gather-u32 transpose-u32 transform-u32 partition-u32 unique-u32 rle-u32 rle-decode-u32 reduce-by-key-u32 segmented-scan-u32 group-by-u32 join-u32 "
         "bloom-contains-u32 hyperloglog-u32 "
         "search-u32 sort-strings stack-scan-u8 tree-u32 stencil-f32 sort-records reduce-records select-records").split()
# The same kernels on input that is not random, for one class only, and without machine code.
SKEWED = {work + "-" + skew: work for work, skews in {"sort-u32": ("constant", "zipf", "sorted", "reversed"),
                                                      "histogram-u8": ("constant", "zipf")}.items() for skew in skews}
SKEWED_CLASS = "nvidia"
SORTS = ("sort-u32", "sort-pairs-u32")

# The device that Oclgrind pretends to be: an H200's multiprocessors, and the limits of a group. If the number of groups
# depends on the number of multiprocessors, the device has one, so that a group's share of a small input is as large as
# in a large call.
DEVICE = "--num-threads 1 --local-mem-size 49152 --max-wgsize 1024 --compute-units".split()
UNITS = {"reduce-u32": 1, "histogram-u8": 1, "hash-combine": 1}
# Bytes of an element, if it is not a word.
ELEMENT_BYTES = {"histogram-u8": 1, "reduce-records": 16, "select-records": 16, "sort-records": 16}


class Run:
    """The launches of one call, for one class of devices."""

    def __init__(self, work, name, dump, elements, launches):
        self.work, self.name, self.dump, self.elements, self.launches = work, name, dump, elements, launches
        self.element_bytes = ELEMENT_BYTES.get(work, 4)
        # The kernel that moves the most bytes, its group, and the elements of a work-item.
        hot = max(self.launches, key=sectors)
        self.hot, self.group = hot["kernel"], hot["group"]
        self.per_item = max(1, self.elements / (hot["groups"] * hot["group"]))

    def hot_launches(self):
        return [launch for launch in self.launches if launch["kernel"] == self.hot]


def run(work, name, folder):
    """Returns the Run of a call for a class, or for another of the DEVICES."""
    (device, lanes), dump = DEVICES[name], os.path.join(folder, work + "-" + name)
    shutil.rmtree(dump, ignore_errors=True)
    os.makedirs(dump)
    path = os.path.join(dump, "launches.jsonl")
    environment = dict(os.environ, GPU_COST_OUT=path, GPU_COST_LANES=str(lanes))
    units = str(UNITS.get(SKEWED.get(work, work), 132))
    call = json.loads(programs.output_of("oclgrind", *DEVICE, units, "--plugins", folder + "/plugin.so",
                                         folder + "/calls", work, device, "0" if name == WITHOUT else str(lanes), dump,
                                         env=environment))
    with open(path) as lines:
        launches = [json.loads(line) for line in lines]
    return Run(work, name, dump, call["elements"], launches[call["before"]:])


def longest_program(run):
    """Returns the lines of the longest program that the call builds."""
    names = [name for name in os.listdir(run.dump) if name.endswith(".cl") and not name.startswith("form")]
    return max(lines_of(os.path.join(run.dump, name)) for name in names)


def lines_of(path):
    with open(path) as lines:
        return sum(1 for _ in lines)


def sectors(launch):
    return launch["global_load"]["units"] + launch["global_store"]["units"]


def total(launches, part, *kinds):
    return sum(launch[kind][part] for launch in launches for kind in kinds)


def moved(run):
    """Returns the bytes of global memory moved for each element. Loads move whole sectors; stores are combined in the
    cache."""
    return (32 * total(run.launches, "units", "global_load") + total(run.launches, "bytes", "global_store")) / run.elements


LOCAL = ("local_load", "local_store", "local_atomic")


def counters(run):
    """Returns the counters of a run by name."""
    all_, hot, n = run.launches, run.hot_launches(), run.elements
    found = {
        "launches_per_call": len(all_),
        "idle_launches_per_call": sum(launch["idle"] for launch in all_),
        "barriers_per_tile": sum(h["barriers"] for h in hot) / sum(h["groups"] for h in hot),
        "local_wavefronts_per_element": total(all_, "units", *LOCAL) / n,
        "load_sectors_per_element": total(all_, "units", "global_load") / n,
        "load_requests_per_element": total(all_, "requests", "global_load") / n,
        "store_sectors_per_element": total(all_, "units", "global_store") / n,
        "store_requests_per_element": total(all_, "requests", "global_store") / n,
        "atomics_per_element": total(all_, "lanes", "global_atomic") / n,
        "subgroup_ops_per_element": total(all_, "requests", "subgroup_op") / n,
    }
    if run.work in SORTS:
        found["local_wavefronts_per_key_pass"] = total(hot, "units", *LOCAL) / n / len(hot)
        found["sectors_per_key_pass"] = total(hot, "units", "global_load", "global_store") / n / len(hot)
    if run.work == "scan-u32":
        found["lookback_tiles_per_step"] = max(h["global_atomic"]["widest"] for h in hot)
    return found


def values_of_pairs(runs, name):
    """Returns the bytes that a sort of pairs moves in addition to those of a sort of the same keys."""
    of = {run.work: total(run.launches, "units", "global_load", "global_store") / run.elements
          for run in runs if run.name == name and run.work in SORTS}
    return {"value_sectors_per_element": of["sort-pairs-u32"] - of["sort-u32"]}
