"""model.py - how near a copy's bandwidth a call should come, by its counters. A guess: no GPU has been asked.

An element takes the time of its bytes (memory), instructions (issue), local wavefronts (banks) and of its tile's waiting,
joined by a p-norm, because they overlap only in part. A tile waits for its loads, as many at a time as are in flight, and
where tiles look back, for its turn; a multiprocessor has so many of them at once as there is room for (Little's law).

P and LOOK_BACK, chosen by hand, fit PUBLISHED within 9 %, CUB's rates; nothing of ours is in them. What comes out for CUB is printed
beside these.
"""
P = 1.8
COPY = 0.91  # of the peak bandwidth
LATENCY = 700  # ns, of a load of global memory
LOOK_BACK = 2000  # ns, of a tile, with everything else that tiles do one after the other

# class, multiprocessors, GHz, work-items that a multiprocessor issues an integer instruction for in a cycle, peak bandwidth
# (bytes/ns). No machine code of ours is for the B200: sm_90's stands in for its.
DEVICES = {
    "h200": ("nvidia", 132, 1.98, 64, 4800),
    "h100": ("nvidia", 132, 1.98, 64, 3352),
    "b200": ("nvidia", 148, 1.965, 64, 7672),
    "a100": ("nvidia-sm_80", 108, 1.41, 64, 1555),
    "rx7900xtx": ("amd32", 48, 2.5, 128, 960),
}
PREDICTED = ("h200", "a100", "rx7900xtx")

# Of CUB: work, device, elements (keys) in a ns, where it is published. All of 2^28.
PUBLISHED = (
    ("reduce-u32", "h200", 1077, "NVIDIA/cccl pull request 9722, I32: 249.3 us"),
    ("reduce-u32", "b200", 1541, "NVIDIA/cccl issue 9817, F32: 174.2 us"),
    ("scan-u32", "h100", 318, "NVIDIA/cub pull request 712, I32: 49.091 us are 5.49 % of the time before"),
    ("sort-u32", "a100", 29.4, "Adinets & Merrill 2022"),
    ("sort-u32", "b200", 44.0, "NVIDIA/cccl pull request 3611, F32: 6.094 ms"),
    ("partition-u32", "b200", 336, "NVIDIA/cccl pull request 3617, partition.if, I32, before its tuning: 798.1 us"),
)

# Bytes that an element must take: input and output once; sorts: a read for the counts, then a read and a write a pass.
BYTES = {"reduce-u32": 4, "scan-u32": 8, "select-u32": 6, "sort-u32": 36, "sort-pairs-u32": 68, "histogram-u8": 1,
         "merge-u32": 8, "gather-u32": 12, "transpose-u32": 8, "transform-u32": 8, "partition-u32": 8, "unique-u32": 5, "rle-u32": 6,
         "segmented-scan-u32": 12, "stencil-f32": 8}
LOOKS_BACK = ("scan-u32", "select-u32", "sort-u32", "sort-pairs-u32", "partition-u32", "unique-u32", "rle-u32",
              "segmented-scan-u32")
PASSES = 4


def rate(work, device, moved, counted, compiled, per_item, group):
    """Elements in a ns. moved: bytes of global memory for each; counted, compiled: counters by name."""
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
    """Of a copy's bandwidth, with so many elements in a ns."""
    return elements * BYTES[work] / (COPY * DEVICES[device][4])
