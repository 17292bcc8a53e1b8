#!/usr/bin/env python3
"""emulated.py - measures whether kernels need a form for devices without sub-groups in addition to emulated sub-groups.

usage: emulated.py FOLDER [WORK...]

FOLDER has plugin.so and calls. Prints, for each work, the barriers of a tile of the hot kernel, and the local
wavefronts and sectors of global memory per element: without sub-groups, with emulated sub-groups of 32 work-items, and
the second as a multiple of the first.
"""
import os
import sys

import counts
from gpu_cost import abreast

WORKS = ("reduce-u32 scan-u32 segmented-scan-u32 select-u32 partition-u32 unique-u32 reduce-by-key-u32 sort-u32 sort-pairs-u32 "
         "segmented-sort-u32 segmented-reduce-u32 merge-u32 topk-u32 brackets-u8 stack-scan-u8 tree-u32").split()
NAMES = "barriers_per_tile", "local_wavefronts_per_element", "sectors_per_element"


def counters(run):
    found = counts.counters(run)
    found["sectors_per_element"] = found["load_sectors_per_element"] + found["store_sectors_per_element"]
    return [found[name] for name in NAMES]


def main():
    folder, works = sys.argv[1], sys.argv[2:] or WORKS
    os.environ["GPU_COST_EMULATED"] = "1"
    cases = [(work, name) for work in works for name in (counts.WITHOUT, counts.EMULATED)]
    found = iter(abreast(lambda case: counters(counts.run(*case, folder)), cases))
    print("%-22s%s" % ("work", "".join("%32s" % name for name in NAMES)))
    for work, without, emulated in zip(works, found, found):
        cells = ["%.3g, %.3g: %.2f" % (a, b, b / a) for a, b in zip(without, emulated)]
        print("%-22s%s" % (work, "".join("%32s" % cell for cell in cells)))


if __name__ == "__main__":
    main()
