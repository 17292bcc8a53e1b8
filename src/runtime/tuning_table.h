/* tuning_table.h - how each class of device runs each primitive. tuning.c fits a row to a call. */
#pragma once

/* clang-format off */

/* X(primitive, class of device, shape, group, bytes, words, strategy, polls)

   group: work-items of a group. bytes: bytes of an item's elements. words AUTO: wide if the device has 64-bit atomics.
   polls: how often a group reads the states of late tiles (gp_brackets: of one late tile) before it computes such a
   tile itself. On a fair device all polls together last at least four times as long as a tile takes; if waiting is
   pointless, polls are few. On PoCL a thread may lose its core for milliseconds: 2^19 polls with a pause after each
   take 12 ms on a Zen 5.
   The order of rows does not matter. A device without a row of its own uses the row of UNKNOWN, which assumes nothing:
   no sub-groups, no group that waits for another. PoCL's rows were measured (docs/PERFORMANCE.md). The others are
   derived from counters (docs/gpu-cost.md) and from vendors' documents:

   NVIDIA     Lanes load 16 bytes, 8 times in parallel. An H200 needs some 25 KB in flight per multiprocessor (latency times
              bandwidth); six groups have 192 KB in flight, or half of that if local memory is small (tuning.c). A scan keeps
              half of its tile in registers, half in local memory. Its groups are smaller, with twice the bytes per item, so
              that the fixed work of an item is shared by more elements. Groups that have started keep running, so that
              others may wait for them.
   AMD        A compute unit has 64 KB of local memory, at most 32 KB for a group.
   INTEL_GPU  Each of a thread's 16 lanes has 64 words of registers; 8 of them hold elements.
   MALI       Local memory is cached main memory (Arm, "OpenCL Developer Guide", 7.3.2), so groups are small.
   ADRENO     Waves have 64 or 128 lanes; local memory has 32 KB.
   APPLE      No group is guaranteed to keep running while another waits (Smith, Levien & Owens 2025, 2). The platform
              has OpenCL 1.2, and so no sub-groups. Local memory has 32 KB; groups of 256 consist of SIMD-groups of 32
              lanes. */
#define GPI_TUNING(X) \
    X(REDUCE,     POCL,      SERIAL,      1,  262144, AUTO,   MULTI_PASS,  1)         \
    X(REDUCE,     INTEL_CPU, SERIAL,      1,  262144, AUTO,   MULTI_PASS,  1)         \
    X(REDUCE,     LLVMPIPE,  LOCAL,     256,      64, NARROW, MULTI_PASS,  1)         \
    X(REDUCE,     NVIDIA,    SUB_GROUP, 256,     128, AUTO,   MULTI_PASS,  1)         \
    X(REDUCE,     AMD,       SUB_GROUP, 256,     128, AUTO,   MULTI_PASS,  1)         \
    X(REDUCE,     INTEL_GPU, SUB_GROUP, 256,     128, AUTO,   MULTI_PASS,  1)         \
    X(REDUCE,     MALI,      LOCAL,      64,      64, AUTO,   MULTI_PASS,  1)         \
    X(REDUCE,     ADRENO,    LOCAL,     128,      64, AUTO,   MULTI_PASS,  1)         \
    X(REDUCE,     APPLE,     LOCAL,     256,      64, AUTO,   MULTI_PASS,  1)         \
    X(REDUCE,     UNKNOWN,   LOCAL,     128,      32, AUTO,   MULTI_PASS,  1)         \
    X(SCAN,       POCL,      SERIAL,      1,  131072, AUTO,   SINGLE_PASS, 1 << 19)   \
    X(SCAN,       INTEL_CPU, SERIAL,      1,   65536, AUTO,   SINGLE_PASS, 1 << 20)   \
    X(SCAN,       LLVMPIPE,  LOCAL,     256,      32, NARROW, MULTI_PASS,  200)       \
    X(SCAN,       NVIDIA,    SUB_GROUP, 128,     256, AUTO,   SINGLE_PASS, 1 << 14)   \
    X(SCAN,       AMD,       SUB_GROUP, 256,      64, AUTO,   SINGLE_PASS, 1 << 14)   \
    X(SCAN,       INTEL_GPU, SUB_GROUP, 256,      32, AUTO,   SINGLE_PASS, 1 << 14)   \
    X(SCAN,       MALI,      LOCAL,      64,      32, AUTO,   MULTI_PASS,  1 << 12)   \
    X(SCAN,       ADRENO,    LOCAL,     128,      32, AUTO,   MULTI_PASS,  1 << 12)   \
    X(SCAN,       APPLE,     LOCAL,     256,      32, AUTO,   MULTI_PASS,  1 << 12)   \
    X(SCAN,       UNKNOWN,   LOCAL,     128,      32, AUTO,   MULTI_PASS,  1 << 12)   \
    X(SELECT,     POCL,      SERIAL,      1,  131072, AUTO,   SINGLE_PASS, 1 << 19)   \
    X(SELECT,     INTEL_CPU, SERIAL,      1,   65536, AUTO,   SINGLE_PASS, 1 << 20)   \
    X(SELECT,     LLVMPIPE,  LOCAL,     256,      32, NARROW, MULTI_PASS,  200)       \
    X(SELECT,     NVIDIA,    SUB_GROUP, 256,     128, AUTO,   SINGLE_PASS, 1 << 14)   \
    X(SELECT,     AMD,       SUB_GROUP, 256,      64, AUTO,   SINGLE_PASS, 1 << 14)   \
    X(SELECT,     INTEL_GPU, SUB_GROUP, 256,      32, AUTO,   SINGLE_PASS, 1 << 14)   \
    X(SELECT,     MALI,      LOCAL,      64,      32, AUTO,   MULTI_PASS,  1 << 12)   \
    X(SELECT,     ADRENO,    LOCAL,     128,      32, AUTO,   MULTI_PASS,  1 << 12)   \
    X(SELECT,     APPLE,     LOCAL,     256,      32, AUTO,   MULTI_PASS,  1 << 12)   \
    X(SELECT,     UNKNOWN,   LOCAL,     128,      32, AUTO,   MULTI_PASS,  1 << 12)   \
    X(SORT,       POCL,      SERIAL,      1, 1 << 20, AUTO,   MULTI_PASS,  1 << 21)   \
    X(SORT,       INTEL_CPU, SERIAL,      1, 1 << 20, AUTO,   MULTI_PASS,  1 << 24)   \
    X(SORT,       LLVMPIPE,  LOCAL,     256,      32, NARROW, MULTI_PASS,  200)       \
    X(SORT,       NVIDIA,    SUB_GROUP, 256,      64, AUTO,   SINGLE_PASS, 1 << 20)   \
    X(SORT,       AMD,       SUB_GROUP, 256,      32, AUTO,   SINGLE_PASS, 1 << 20)   \
    X(SORT,       INTEL_GPU, SUB_GROUP, 256,      32, AUTO,   SINGLE_PASS, 1 << 20)   \
    X(SORT,       ADRENO,    LOCAL,     128,      16, AUTO,   MULTI_PASS,  1 << 12)   \
    X(SORT,       UNKNOWN,   LOCAL,     128,      32, AUTO,   MULTI_PASS,  1 << 12)   \
    X(SORT_TILE,  LLVMPIPE,  LOCAL,     256,      32, NARROW, MULTI_PASS,  1)         \
    X(SORT_TILE,  NVIDIA,    SUB_GROUP, 512,      28, AUTO,   MULTI_PASS,  1)         \
    X(SORT_TILE,  AMD,       SUB_GROUP, 256,      28, AUTO,   MULTI_PASS,  1)         \
    X(SORT_TILE,  INTEL_GPU, SUB_GROUP, 256,      28, AUTO,   MULTI_PASS,  1)         \
    X(SORT_TILE,  UNKNOWN,   LOCAL,     128,      32, AUTO,   MULTI_PASS,  1)         \
    X(MERGE,      POCL,      SERIAL,      1, 1 << 20, AUTO,   MULTI_PASS,  1)         \
    X(MERGE,      INTEL_CPU, SERIAL,      1, 1 << 20, AUTO,   MULTI_PASS,  1)         \
    X(MERGE,      LLVMPIPE,  LOCAL,     256,      32, NARROW, MULTI_PASS,  1)         \
    X(MERGE,      NVIDIA,    SUB_GROUP, 256,      92, AUTO,   MULTI_PASS,  1)         \
    X(MERGE,      AMD,       SUB_GROUP, 256,      92, AUTO,   MULTI_PASS,  1)         \
    X(MERGE,      INTEL_GPU, SUB_GROUP, 256,      60, AUTO,   MULTI_PASS,  1)         \
    X(MERGE,      UNKNOWN,   LOCAL,     128,      32, AUTO,   MULTI_PASS,  1)         \
    X(SEARCH,     POCL,      SERIAL,      1, 1 << 16, AUTO,   MULTI_PASS,  1)         \
    X(SEARCH,     INTEL_CPU, SERIAL,      1, 1 << 16, AUTO,   MULTI_PASS,  1)         \
    X(SEARCH,     LLVMPIPE,  LOCAL,     256,      32, NARROW, MULTI_PASS,  1)         \
    X(SEARCH,     NVIDIA,    LOCAL,     256,      64, AUTO,   MULTI_PASS,  1)         \
    X(SEARCH,     AMD,       LOCAL,     256,      64, AUTO,   MULTI_PASS,  1)         \
    X(SEARCH,     INTEL_GPU, LOCAL,     256,      32, AUTO,   MULTI_PASS,  1)         \
    X(SEARCH,     UNKNOWN,   LOCAL,     128,      32, AUTO,   MULTI_PASS,  1)         \
    X(BRACKETS,   POCL,      SERIAL,      1,  131072, AUTO,   MULTI_PASS,  1 << 19)   \
    X(BRACKETS,   INTEL_CPU, SERIAL,      1,  131072, AUTO,   MULTI_PASS,  1)         \
    X(BRACKETS,   LLVMPIPE,  LOCAL,     256,      64, AUTO,   MULTI_PASS,  200)       \
    X(BRACKETS,   NVIDIA,    SUB_GROUP, 256,     128, AUTO,   MULTI_PASS,  1 << 12)   \
    X(BRACKETS,   AMD,       SUB_GROUP, 256,      64, AUTO,   MULTI_PASS,  1 << 12)   \
    X(BRACKETS,   INTEL_GPU, SUB_GROUP, 256,      64, AUTO,   MULTI_PASS,  1 << 12)   \
    X(BRACKETS,   UNKNOWN,   LOCAL,     256,      64, AUTO,   MULTI_PASS,  1 << 12)   \
    X(STACK_SCAN, POCL,      SERIAL,      1,   16384, AUTO,   MULTI_PASS,  1)         \
    X(STACK_SCAN, INTEL_CPU, SERIAL,      1,   16384, AUTO,   MULTI_PASS,  1)         \
    X(STACK_SCAN, NVIDIA,    SUB_GROUP, 256,      64, AUTO,   MULTI_PASS,  1)         \
    X(STACK_SCAN, AMD,       SUB_GROUP, 256,      64, AUTO,   MULTI_PASS,  1)         \
    X(STACK_SCAN, INTEL_GPU, SUB_GROUP, 256,      64, AUTO,   MULTI_PASS,  1)         \
    X(STACK_SCAN, UNKNOWN,   LOCAL,     256,      64, AUTO,   MULTI_PASS,  1)         \
    X(TREE,       POCL,      SERIAL,      1,   65536, AUTO,   MULTI_PASS,  1)         \
    X(TREE,       INTEL_CPU, SERIAL,      1,   65536, AUTO,   MULTI_PASS,  1)         \
    X(TREE,       NVIDIA,    SUB_GROUP, 128,      64, AUTO,   MULTI_PASS,  1)         \
    X(TREE,       AMD,       SUB_GROUP, 128,      64, AUTO,   MULTI_PASS,  1)         \
    X(TREE,       INTEL_GPU, SUB_GROUP, 128,      64, AUTO,   MULTI_PASS,  1)         \
    X(TREE,       UNKNOWN,   LOCAL,     128,      64, AUTO,   MULTI_PASS,  1)         \
    X(HASH,       POCL,      SERIAL,      1,   65536, AUTO,   MULTI_PASS,  1)         \
    X(HASH,       INTEL_CPU, SERIAL,      1,   65536, AUTO,   MULTI_PASS,  1)         \
    X(HASH,       LLVMPIPE,  LOCAL,     256,       4, NARROW, SINGLE_PASS, 1)         \
    X(HASH,       NVIDIA,    LOCAL,     256,      16, AUTO,   SINGLE_PASS, 1)         \
    X(HASH,       AMD,       LOCAL,     256,      16, AUTO,   SINGLE_PASS, 1)         \
    X(HASH,       INTEL_GPU, LOCAL,     256,      16, AUTO,   SINGLE_PASS, 1)         \
    X(HASH,       UNKNOWN,   LOCAL,     128,      16, AUTO,   SINGLE_PASS, 1)         \
    X(HISTOGRAM,  POCL,      SERIAL,      1, 1 << 22, AUTO,   MULTI_PASS,  1)         \
    X(HISTOGRAM,  INTEL_CPU, SERIAL,      1, 1 << 22, AUTO,   MULTI_PASS,  1)         \
    X(HISTOGRAM,  UNKNOWN,   LOCAL,     256,      64, AUTO,   MULTI_PASS,  1)         \
    X(MAP,        POCL,      SERIAL,      1, 1 << 20, AUTO,   MULTI_PASS,  1)         \
    X(MAP,        INTEL_CPU, SERIAL,      1, 1 << 20, AUTO,   MULTI_PASS,  1)         \
    X(MAP,        NVIDIA,    LOCAL,     256,      64, AUTO,   MULTI_PASS,  1)         \
    X(MAP,        AMD,       LOCAL,     256,      64, AUTO,   MULTI_PASS,  1)         \
    X(MAP,        UNKNOWN,   LOCAL,     256,      16, AUTO,   MULTI_PASS,  1)

/* clang-format on */
