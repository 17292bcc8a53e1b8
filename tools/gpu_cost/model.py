"""model.py - estimates from a call's counters how close it comes to a copy's bandwidth. The estimate was not checked on
a GPU.

The time of an element is the p-norm of the times for its bytes (memory), its instructions (issue), its local wavefronts
(banks) and its tile's waiting, because these overlap only in part. A tile waits for its loads, several of which are in
flight at a time, and, if tiles look back, for its turn. A multiprocessor runs as many tiles at once as it has room for
(Little's law).

P and LOOK_BACK were chosen by hand to fit CUB's published rates (PUBLISHED), within 9 %; they do not depend on this
library. The model's rates for CUB are printed next to the published ones.
"""
P = 1.8
COPY = 0.91  # of the peak bandwidth
LATENCY = 700  # latency of a load of global memory, in ns
LOOK_BACK = 2000  # ns per tile, for look-back and everything else that tiles do one after another

# class, multiprocessors, GHz, work-items that a multiprocessor issues an integer instruction for in a cycle, peak
# bandwidth (bytes/ns). For the B200, sm_90's machine code is used.
DEVICES = {
    "h200": ("nvidia", 132, 1.98, 64, 4800),
    "h100": ("nvidia", 132, 1.98, 64, 3352),
    "b200": ("nvidia", 148, 1.965, 64, 7672),
    "a100": ("nvidia-sm_80", 108, 1.41, 64, 1555),
    "rx7900xtx": ("amd32", 48, 2.5, 128, 960),
}
PREDICTED = ("h200", "a100", "rx7900xtx")

# CUB's rates: work, device, elements (keys) per ns, source. All for 2^28 elements.
PUBLISHED = (
    ("reduce-u32", "h200", 1077, "NVIDIA/cccl pull request 9722, I32: 249.3 us"),
    ("reduce-u32", "b200", 1541, "NVIDIA/cccl issue 9817, F32: 174.2 us"),
    ("scan-u32", "h100", 318, "NVIDIA/cub pull request 712, I32: 49.091 us are 5.49 % of the time before"),
    ("sort-u32", "a100", 29.4, "Adinets & Merrill 2022"),
    ("sort-u32", "b200", 44.0, "NVIDIA/cccl pull request 3611, F32: 6.094 ms"),
    ("partition-u32", "b200", 336, "NVIDIA/cccl pull request 3617, partition.if, I32, before its tuning: 798.1 us"),
)

# The fewest bytes per element: input and output once; for sorts a read for the counts, then a read and a write for each
# pass.
BYTES = {"reduce-u32": 4, "scan-u32": 8, "select-u32": 6, "sort-u32": 36, "sort-pairs-u32": 68, "histogram-u8": 1,
         "merge-u32": 8, "gather-u32": 12, "transpose-u32": 8, "transform-u32": 8, "partition-u32": 8, "unique-u32": 5, "rle-u32": 6,
         "segmented-scan-u32": 12, "stencil-f32": 8}
LOOKS_BACK = ("scan-u32", "select-u32", "sort-u32", "sort-pairs-u32", "partition-u32", "unique-u32", "rle-u32",
              "segmented-scan-u32")
PASSES = 4


def rate(work, device, moved, counted, compiled, per_item, group):
    """Returns the elements per ns. moved: bytes of global memory per element; counted, compiled: counters by name."""
    _, multiprocessors, clock, issued, bandwidth = DEVICES[device]
    passes = PASSES if "sort" in work else 1
    each = "%s_per_key_pass" if "sort" in work else "%s_per_element"
    element = 1 if work == "histogram-u8" else 4
    in_flight = min(compiled["loads_in_flight"] * compiled["widest_load_bytes"], per_item * element) or element
    waits = per_item * element / in_flight * LATENCY + (LOOK_BACK if work in LOOKS_BACK else 0)
    times = (moved / (COPY * bandwidth),
             passes * compiled[each % "instructions"] / (multiprocessors * issued * clock),
             passes * counted[each % "local_wavefronts"] / (multiprocessors * clock),
             passes * waits / (compiled["resident_groups"] * group * per_item * multiprocessors))
    return sum(t ** P for t in times) ** (-1 / P)


def fraction(work, device, elements):
    """Returns the fraction of a copy's bandwidth for a rate in elements per ns."""
    return elements * BYTES[work] / (COPY * DEVICES[device][4])
