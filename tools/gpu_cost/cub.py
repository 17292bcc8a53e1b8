"""cub.py - the same counters of CUB's hot kernels, from their machine code for sm_90.

Oclgrind cannot run them: what a pass of a sort asks of local memory comes from a simulation of its steps on random digits.
"""
import collections
import os
import random
import re
import shutil
import subprocess

import machine
import nvidia
import programs

HERE = os.path.dirname(os.path.abspath(__file__))
CHIP = "sm_90"
NVCC = shutil.which("nvcc")  # the toolkit's: PyPI's, which main() puts before it, has no CUB

# work: unit of cub.cu, kernel, elements of a work-item, work-items of a group, as CUB 3.0's tuning has them. 0: its groups
# stride over the input, so that a work-item's share is not known.
WORKS = {
    "reduce-u32": ("CUB_REDUCE", "DeviceReduceKernel", 0, 256),
    "scan-u32": ("CUB_SCAN", "DeviceScanKernel", 24, 128),
    "select-u32": ("CUB_SELECT", "DeviceSelectSweepKernel", 17, 384),
    "sort-u32": ("CUB_SORT", "DeviceRadixSortOnesweepKernel", 19, 384),
    "sort-pairs-u32": ("CUB_SORT_PAIRS", "DeviceRadixSortOnesweepKernel", 17, 384),
}


def is_there():
    return NVCC is not None and programs.has("cuobjdump")


def output_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout


def wavefronts(words):
    banks = collections.Counter(word % 32 for word in set(words))
    return max(banks.values())


def wavefronts_of_onesweep(per_item, group, pairs):
    """Of local memory, for each key of a tile."""
    warps, keys, total = group // 32, per_item * group, 0
    digits = random.Random(1).choices(range(256), k=keys)
    ranks = [0] * keys
    for rank, i in enumerate(sorted(range(keys), key=digits.__getitem__)):
        ranks[i] = rank
    in_order = sorted(digits)
    for row in range(0, keys, 32):
        lanes = slice(row, row + 32)
        total += 2 * wavefronts(digits[lanes]) + 1  # early counts; the running counts of the warp; a leader's, shared
        offsets = [2 * digit + half for digit in in_order[lanes] for half in (0, 1)]
        total += (wavefronts(ranks[lanes]) + 1 + wavefronts(offsets)) * (2 if pairs else 1)  # scatter, read back
    total += 4 * warps * 8 + 72  # 256 counts of each warp cleared, read and written; their scan
    return total / keys


def count(work, folder):
    """Counters by name, as the rows of class nvidia have them."""
    unit, part, per_item, group = WORKS[work]
    path = os.path.join(folder, unit + ".cubin")
    subprocess.run([NVCC, "-std=c++17", "-arch=" + CHIP, "-cubin", "-D" + unit, "-o", path, os.path.join(HERE, "cub.cu")],
                   check=True)
    listing, usage = output_of("cuobjdump", "-sass", path), output_of("cuobjdump", "-res-usage", path)
    kernel = next(name for name in re.findall(r"Function : (\S+)", listing) if part in name)
    used = usage[usage.index("Function %s:" % kernel):]
    registers, local = nvidia.number(r"REG:(\d+)", used), nvidia.number(r"SHARED:(\d+)", used)
    code = nvidia.code_of(listing, kernel)
    instructions, barriers = machine.Path(code, per_item or 1).executed()
    found = {
        "registers": registers,
        "private_bytes": nvidia.number(r"STACK:(\d+)", used),
        "local_bytes": local,
        "resident_groups": nvidia.resident_groups(CHIP, group, registers, local),
        "loads_in_flight": machine.loads_in_flight(code),
        "widest_load_bytes": max(i.bytes for i in code if i.kind == "load"),
    }
    if "sort" in work:
        found["local_wavefronts_per_key_pass"] = wavefronts_of_onesweep(per_item, group, "pairs" in work)
    if per_item:
        found["barriers_per_tile"] = barriers
        found["instructions_per_key_pass" if "sort" in work else "instructions_per_element"] = instructions / per_item
    return found
