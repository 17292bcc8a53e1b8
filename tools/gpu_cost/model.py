"""model.py - how near a copy's bandwidth a call should come, by its counters. A guess: no GPU has been asked.

An element takes the time of its bytes (memory), instructions (issue), local wavefronts (banks) and of waiting for loads
(Little's law), joined by a p-norm, because they overlap only in part. P is calibrated on CUB's onesweep of 32-bit keys
(74 instructions, .47 wavefronts and 8 bytes a key and pass): 29.4 Gkeys/s on an A100 are published (Adinets & Merrill
2022), 28 come out; 22.4 on an RTX 5080, 23 come out.
"""
P = 1.65
COPY = 0.91  # of the peak bandwidth
LATENCY = 700  # ns, of a load of global memory

# class, multiprocessors, GHz, work-items that a multiprocessor issues for in a cycle, peak bandwidth (bytes/ns)
DEVICES = {
    "h200": ("nvidia", 132, 1.98, 128, 4800),
    "a100": ("nvidia-sm_80", 108, 1.41, 128, 1555),
    "rx7900xtx": ("amd32", 48, 2.5, 128, 960),
}

# Bytes that an element must take: input and output once; sorts: a read for the counts, then a read and a write a pass.
BYTES = {"reduce-u32": 4, "scan-u32": 8, "select-u32": 6, "sort-u32": 36, "sort-pairs-u32": 68, "histogram-u8": 1,
         "merge-u32": 8, "gather-u32": 12, "transform-u32": 8}
PASSES = 4


def predict(work, device, counted, compiled, group):
    """The fraction of a copy's bandwidth. counted: Oclgrind's counters; compiled: the machine code's."""
    _, multiprocessors, clock, issued, bandwidth = DEVICES[device]
    sort = "sort" in work
    moved = 32 * (counted["load_sectors_per_element"] + counted["store_sectors_per_element"])
    instructions = compiled["instructions_per_key_pass"] * PASSES if sort else compiled["instructions_per_element"]
    waiting = compiled["resident_groups"] * group * compiled["loads_in_flight"] * compiled["widest_load_bytes"]
    times = (moved / bandwidth,
             instructions / (multiprocessors * issued * clock),
             counted["local_wavefronts_per_element"] / (multiprocessors * clock),
             32 * counted["load_sectors_per_element"] * LATENCY / (waiting * multiprocessors) if waiting else 0)
    time = sum(t ** P for t in times) ** (1 / P)
    return BYTES[work] / time / (COPY * bandwidth)
