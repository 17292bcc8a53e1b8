"""cub.py - determines the same counters for CUB's hot kernels, from their machine code for sm_90.

Oclgrind cannot run these kernels. The local memory accesses of a sort's pass and of a histogram are simulated on random
digits; those of other kernels are read from the code, as if there were no bank conflicts. CUB has no gather, hash
table, brackets, stack scan, tree or stencil; its search and its sort of strings are not counted.
"""
import collections
import glob
import hashlib
import os
import random
import re
import shutil

import counts
import machine
import model
import nvidia
import programs

HERE = os.path.dirname(os.path.abspath(__file__))
CHIP = "sm_90"  # the class to whose counters CUB's are compared
NVCC = shutil.which("nvcc")  # the toolkit's nvcc: PyPI's, which is found later, has no CUB

# unit of cub.cu; pattern of the hot kernel's name; elements of a work-item and work-items of a group, as CUB 3.0 is
# tuned for sm_90 (cub/device/dispatch/tuning); kernels launched (cub/device/dispatch). Without elements, groups stride
# over the input, and only the hot loop's instructions are counted.
Work = collections.namedtuple("Work", "unit kernel per_item group launches")
WORKS = {
    "reduce-u32": Work("CUB_REDUCE", "DeviceReduceKernel", None, 256, 2),
    "scan-u32": Work("CUB_SCAN", "DeviceScanKernel", 24, 128, 2),
    "select-u32": Work("CUB_SELECT", "DeviceSelectSweepKernel", 17, 384, 2),
    # Histogram, its scan, and four passes; clearing is added.
    "sort-u32": Work("CUB_SORT", "DeviceRadixSortOnesweepKernel", 19, 384, 6),
    "sort-pairs-u32": Work("CUB_SORT_PAIRS", "DeviceRadixSortOnesweepKernel", 17, 384, 6),
    "histogram-u8": Work("CUB_HISTOGRAM", "DeviceHistogramSweepKernel.*jii", None, 768, 2),  # 32-bit offsets
    "merge-u32": Work("CUB_MERGE", "device_merge_kernel", 15, 512, 2),
    "topk-u32": Work("CUB_TOPK", "DeviceTopKKernel", None, 512, 4),
    # Of 500 segments and more, 16 work-items sort one of 64 elements. Two launches separate small segments from large
    # ones.
    "segmented-sort-u32": Work("CUB_SEGMENTED_SORT", "DeviceSegmentedSortKernelSmall", 4, 256, 3),
    # A group for each segment: most of its work-items are idle, which the path of a full tile does not show.
    "segmented-reduce-u32": Work("CUB_SEGMENTED_REDUCE", "DeviceSegmentedReduceKernel", None, 256, 1),
    # The host chooses the tile's size so that 48 KB are in flight on a multiprocessor; a bulk copy loads the tile.
    "transform-u32": Work("CUB_TRANSFORM", "transform_kernel", 6, 256, 1),
    "partition-u32": Work("CUB_PARTITION", "DeviceSelectSweepKernel", 14, 256, 2),
    "unique-u32": Work("CUB_UNIQUE", "DeviceSelectSweepKernel", 17, 384, 2),
    "rle-u32": Work("CUB_RLE", "ReduceByKeyKernel", 14, 192, 2),
    "reduce-by-key-u32": Work("CUB_REDUCE_BY_KEY", "ReduceByKeyKernel", 18, 256, 2),
    "segmented-scan-u32": Work("CUB_SEGMENTED_SCAN", "DeviceScanByKeyKernel", 14, 288, 2),
}
# CUB 3.0 has no top-k, so PyPI's CUB 3.5 is used, which tools/deps.sh installs.
NEWER = glob.glob("build/ptxas/lib/python3*/site-packages/nvidia/cu13/include/cccl")
# Numbers that follow from the algorithms: sectors loaded and stored if each element is moved once; tiles at which a
# warp looks back.
MOVED = {"reduce-u32": (1 / 8, 0), "scan-u32": (1 / 8, 1 / 8), "select-u32": (1 / 8, 1 / 16), "merge-u32": (1 / 8, 1 / 8),
         "transform-u32": (1 / 8, 1 / 8), "partition-u32": (1 / 8, 1 / 8), "unique-u32": (1 / 8, 1 / 32),
         "rle-u32": (1 / 8, 2 / 32), "reduce-by-key-u32": (2 / 8, 2 / 32), "segmented-scan-u32": (2 / 8, 1 / 8)}
LOOK_BACK = {"scan-u32": 32}
TUNED = {("sort-u32", "sm_80"): 21}  # elements of a work-item, if they differ


def is_there():
    return NVCC is not None and programs.has("cuobjdump")


def works():
    """Returns the works that can be compiled."""
    return [work for work in WORKS if work != "topk-u32" or NEWER]


def wavefronts(words):
    banks = collections.Counter(word % 32 for word in set(words))
    return max(banks.values())


def onesweep(per_item, group, pairs):
    """Returns, for each key of a tile, the wavefronts of local memory and the sectors of global memory."""
    warps, keys, total, stored, arrays = group // 32, per_item * group, 0, 0, 2 if pairs else 1
    digits = random.Random(1).choices(range(256), k=keys)
    ranks = [0] * keys
    for rank, i in enumerate(sorted(range(keys), key=digits.__getitem__)):
        ranks[i] = rank
    in_order = sorted(digits)
    starts = [random.Random(digit).randrange(1 << 20) for digit in range(256)]
    places = [starts[digit] + i for i, digit in enumerate(in_order)]
    for row in range(0, keys, 32):
        lanes = slice(row, row + 32)
        total += 2 * wavefronts(digits[lanes]) + 1  # early counts; the warp's running counts; a leader's count, shared
        offsets = [2 * digit + half for digit in in_order[lanes] for half in (0, 1)]
        total += (wavefronts(ranks[lanes]) + 1 + wavefronts(offsets)) * arrays  # scatter, read back
        stored += len({place // 8 for place in places[lanes]}) * arrays
    total += 4 * warps * 8 + 72  # 256 counts of each warp cleared, read and written; their scan
    return {"local_wavefronts_per_key_pass": total / keys, "sectors_per_key_pass": arrays / 8 + stored / keys}


def wavefronts_of_bins():
    """Returns the wavefronts per random byte of counting in bins, if each group has one set of bins."""
    rows = 1000
    digits = random.Random(1).choices(range(256), k=32 * rows)
    busiest = (max(collections.Counter(d % 32 for d in digits[i:i + 32]).values()) for i in range(0, 32 * rows, 32))
    return sum(busiest) / (32 * rows)


def compiled(unit, chip, folder):
    """Returns a unit's machine code, which is compiled once for each text and version of nvcc."""
    source = os.path.join(HERE, "cub.cu")
    with open(source, "rb") as text:
        name = hashlib.sha256(text.read() + programs.output_of(NVCC, "--version").encode()).hexdigest()[:16]
    path = os.path.join(folder, "%s-%s-%s.cubin" % (unit, chip, name))
    if not os.path.exists(path):
        newer = ["-I", NEWER[0]] if unit == "CUB_TOPK" else []
        programs.output_of(NVCC, "-std=c++17", "-arch=" + chip, "-cubin", *newer, "-D" + unit, "-o", path + ".new", source)
        os.replace(path + ".new", path)
    return path


def per_item_of(work, chip, elements, groups):
    """Returns the elements of a work-item. If groups stride over the input, these are the elements in a call with that
    many per multiprocessor."""
    return TUNED.get((work, chip)) or WORKS[work].per_item or elements / (groups * WORKS[work].group)


def count(work, elements, folder, chip=CHIP):
    """Returns the counters by name, as in the rows of class nvidia."""
    unit, pattern, tiled, group, launches = WORKS[work]
    path, sort = compiled(unit, chip, folder), work in counts.SORTS
    usage = programs.output_of("cuobjdump", "-res-usage", path)
    kernel = next(name for name in re.findall(r"Function (\S+):", usage) if re.search(pattern, name))
    used = usage[usage.index("Function %s:" % kernel):]
    code = nvidia.code_of(programs.output_of("cuobjdump", "-sass", "-fun", kernel, path), kernel)
    registers, local = nvidia.number(r"REG:(\d+)", used), nvidia.number(r"SHARED:(\d+)", used)
    loads, widest = machine.loads_in_flight(code), max((i.bytes for i in code if i.kind == "load"), default=0)
    if work == "transform-u32":
        local, loads, widest = local + 4 * tiled * group, tiled, 4
    groups = nvidia.resident_groups(chip, group, registers, local)
    found = {
        "launches_per_call": launches,
        "registers": registers,
        "private_bytes": nvidia.number(r"STACK:(\d+)", used),
        "local_bytes": local,
        "resident_groups": groups,
        "loads_in_flight": loads,
        "widest_load_bytes": widest,
    }
    if work in MOVED:
        found["load_sectors_per_element"], found["store_sectors_per_element"] = MOVED[work]
    if work in LOOK_BACK:
        found["lookback_tiles_per_step"] = LOOK_BACK[work]
    if work == "segmented-reduce-u32":
        return found
    per_item = per_item_of(work, chip, elements, groups)
    path = machine.Path(code, per_item, counts.ELEMENT_BYTES.get(work, 4))
    instructions, found["barriers_per_tile"], turns = path.executed()
    found["instructions_per_key_pass" if sort else "instructions_per_element"] = (
        instructions / per_item if tiled else path.of_the_hot_loop())
    if sort:
        found.update(onesweep(per_item, group, work == "sort-pairs-u32"))
        if work == "sort-pairs-u32":
            found["value_sectors_per_element"] = model.PASSES * found["sectors_per_key_pass"] / 2
    else:
        found["local_wavefronts_per_element"] = wavefronts_of_bins() if work == "histogram-u8" else turns / 32 / per_item
    return found


def rate(work, device, elements, folder, counted=None):
    """Returns the model's rate, in elements per ns."""
    chip = model.DEVICES[device][0].partition("-")[2] or CHIP
    counted = counted or count(work, elements, folder, chip)
    per_item = per_item_of(work, chip, elements, counted["resident_groups"])
    return model.rate(work, device, model.BYTES[work], counted, counted, per_item, WORKS[work].group)
