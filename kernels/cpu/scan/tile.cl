/* tile.cl - one item handles a tile, with the functions that gpu/scan/tile.cl has for a group. gpi_tile_open only reduces the
   tile. A scan reads it again, from the caches.

       vectors   GPI_LANES elements at a time, in several accumulators
       chains    elements without vectors: the tile is split into runs, which are reduced side by side

   Parameters
       GPI_TILES_ABREAST   how many groups run at the same time
       GPI_BY_MASKS        1: select/masks.cl replaces gpi_tile and the functions that open and reduce it */
#ifndef GPI_SCAN_TILE_CL
#define GPI_SCAN_TILE_CL
#include "base/paste.cl"
#include "base/platform.cl"
#include "vector/lanes.cl"
#include "element/monoid.cl"
#include "scan/tile_input.cl"

typedef struct gpi_tile_memory {
    uint word;
} gpi_tile_memory;
typedef gpi_tile_memory *gpi_tile_shared;

static GPI_T gpi_broadcast_element(GPI_T x, gpi_tile_shared shared)
{
    (void)shared;
    return x;
}

static GPI_T gpi_group_reduce(GPI_COMBINE_PARAMETER GPI_T x, gpi_tile_shared shared)
{
    (void)shared;
    return x;
}

/* Returns the product of x over the items before this one, and writes the product over all items to *total. With one item, these
   are the identity and x. */
static GPI_T gpi_group_scan(GPI_COMBINE_PARAMETER GPI_T x, GPI_T *total, gpi_tile_shared shared)
{
    (void)shared;
    *total = x;
    return gpi_identity();
}

/* Prefetching helps because the hardware's own prefetcher stops at the end of every page. GPI_TILE_AHEAD is the distance
   ahead of the current vector, in bytes. A scan also prefetches its next tile, which is GPI_TILES_ABREAST tiles ahead. A
   prefetch of addresses past the buffer's end does no harm. */
#define GPI_TILE_AHEAD 2048
#define GPI_TILE_LINE 64

#define GPI_PREFETCH_LINES(hint, p, bytes) \
    _Pragma("unroll") for (uint k = 0; k < (bytes); k += GPI_TILE_LINE) hint((__global const char *)(p) + k)

/* Prefetches elements [i, i + elements) of the input. Some of them may be past its end. */
static void gpi_prefetch_read(gpi_input input, ulong i, uint elements)
{
    const ulong position = GPI_REVERSE ? input.count - i - elements : i;
#if GPI_INPUTS > 0
    GPI_PREFETCH_LINES(GPI_PREFETCH_READ, input.in + position, elements * sizeof(GPI_IN));
#endif
#if GPI_INPUTS == 2
    GPI_PREFETCH_LINES(GPI_PREFETCH_READ, input.in2 + position, elements * sizeof(GPI_IN2));
#endif
#if GPI_HEADS
    GPI_PREFETCH_LINES(GPI_PREFETCH_READ, input.heads + position, elements * sizeof(GPI_HEADS_TYPE));
#endif
}

#if !GPI_BY_MASKS /* else select/masks.cl has the rest */
/* Elements without vectors are combined one by one, in chains side by side: each chain waits only for its own last
   operation. A chain combines one of GPI_TILE_RUNS consecutive runs of equal length. The last run also has the tile's rest. */
#if GPI_LANES > 1 || GPI_SEGMENTED || GPI_SIZE > 16
#define GPI_TILE_RUNS 1
#else
#define GPI_TILE_RUNS 4
#endif

/* GPI_LINE_ELEMENTS is the number of elements of a cache line. gpi_run_length returns the length of a run in a tile of `length`
   elements. If there are several runs, this is a whole number of lines, and less than length / GPI_TILE_RUNS, so that the runs
   do not all begin in the same set of the cache. */
#define GPI_LINE_ELEMENTS (sizeof(GPI_IN) < GPI_TILE_LINE ? GPI_TILE_LINE / sizeof(GPI_IN) : 1)

static uint gpi_run_length(uint length)
{
    const uint each = (length - length / 64) / GPI_TILE_RUNS;
    return GPI_TILE_RUNS == 1 ? length : each - each % GPI_LINE_ELEMENTS;
}

typedef struct gpi_tile {
    GPI_COMBINE_MEMBER
    GPI_T run[GPI_TILE_RUNS]; /* the products of the runs */
} gpi_tile;

#if GPI_SEGMENTED
#if GPI_LANES > 1
static bool gpi_any_head(gpi_lane_heads heads)
{
    const ulong2 bytes = as_ulong2(GPI_CONVERT(char, heads));
    return (bytes.x | bytes.y) != 0;
}
#endif

#if GPI_HEADS == 3
/* Returns the number of the tile's heads, and the product of its elements from the last head on. The product begins anew after
   each block that has a head. The elements from the last head to the end of its block are added at the end. */
static GPI_T gpi_reduce_back(gpi_input input, ulong base)
{
    const ulong end = base + gpi_tile_length(input, base);
    ulong i = base, from = base;
    GPI_T sum = gpi_identity();
    GPI_HEAD heads = 0;
#if GPI_LANES > 1
    const uint step = 4 * GPI_LANES;
    const gpi_lanes none = gpi_lanes_identity(sum.value);
    gpi_lanes after = none;
    GPI_VECTOR(GPI_HEAD) found = 0;
    GPI_HEAD lane[16];
    if (i == 0 && i < end) from = ++i;
    for (; i + step <= end; i += step) {
        gpi_lane_heads any = 0;
        gpi_lanes x = none;
        gpi_prefetch_read(input, i + GPI_TILE_AHEAD / sizeof(GPI_HEADS_TYPE), step);
#pragma unroll
        for (uint k = 0; k < step; k += GPI_LANES) {
            const gpi_lane_heads h = gpi_read_heads(input, i + k);
            any |= h;
            found += GPI_CONVERT(GPI_HEAD, h & (GPI_HEAD_LANE)1);
            x = gpi_lanes_combine(x, gpi_lanes_make(gpi_read_vector(input, i + k), 0));
        }
        if (gpi_any_head(any)) {
            from = i + step;
            after = none;
        } else {
            after = gpi_lanes_combine(after, x);
        }
    }
    vstore16(found, 0, lane);
    for (uint k = 0; k < 16; k++) heads += lane[k];
    heads += base == 0 && end > 0;
    sum.value = gpi_lanes_fold(after, sum.value, 0);
#endif
    for (; i < end; i++) {
        const GPI_T x = gpi_load(input, i);
        heads += x.head;
        sum = gpi_combine(GPI_COMBINE_OF(input) sum, x);
    }
    while (from > base && !sum.head) sum = gpi_combine(GPI_COMBINE_OF(input) gpi_load(input, --from), sum);
    sum.head = heads;
    return sum;
}
#else
/* Returns the product of the tile's elements from the last head on, reduced from the end backwards. */
static GPI_T gpi_reduce_back(gpi_input input, ulong base)
{
    ulong i = base + gpi_tile_length(input, base);
    GPI_T sum = gpi_identity();
#if GPI_LANES > 1
    gpi_lanes lanes = gpi_lanes_identity(sum.value);
    for (; i >= base + 1 + GPI_LANES; i -= GPI_LANES) { /* element 0 is a head, whatever its flag */
        if (gpi_any_head(gpi_read_heads(input, i - GPI_LANES))) break;
        lanes = gpi_lanes_combine(lanes, gpi_lanes_make(gpi_read_vector(input, i - GPI_LANES), 0));
    }
    sum.value = gpi_lanes_fold(lanes, sum.value, 0);
#endif
    while (i > base && !sum.head) sum = gpi_combine(GPI_COMBINE_OF(input) gpi_load(input, --i), sum);
    return sum;
}
#endif

static void gpi_tile_open(gpi_tile *tile, gpi_input input, ulong base, gpi_tile_shared shared)
{
    (void)shared;
    GPI_COMBINE_COPY(*tile, input)
    tile->run[0] = gpi_reduce_back(input, base);
}

#elif GPI_LANES > 1
/* Several accumulators hide the operation's latency. They occupy no more than half of the registers, which have 2 KiB with
   AVX-512, and 512 bytes with AVX2 and NEON. */
#define GPI_REGISTERS_FOR(n) (n * sizeof(gpi_lanes) <= (GPI_VECTOR_BYTES == 64 ? 1024 : 256))
#define GPI_ACCUMULATORS (GPI_REGISTERS_FOR(4) ? 4 : GPI_REGISTERS_FOR(2) ? 2 : 1)

static void gpi_tile_open(gpi_tile *tile, gpi_input input, ulong base, gpi_tile_shared shared)
{
    const ulong end = base + gpi_tile_length(input, base);
    const uint step = GPI_ACCUMULATORS * GPI_LANES;
    gpi_lanes sum[GPI_ACCUMULATORS];
    ulong i = base;
    GPI_T rest = gpi_identity();
    (void)shared;
    for (uint k = 0; k < GPI_ACCUMULATORS; k++) sum[k] = gpi_lanes_identity(rest);
    for (; i + step <= end; i += step) {
        gpi_prefetch_read(input, i + GPI_TILE_AHEAD / sizeof(GPI_IN), step);
#pragma unroll
        for (uint k = 0; k < GPI_ACCUMULATORS; k++) {
            const ulong at = i + k * GPI_LANES;
            const gpi_lanes x = gpi_lanes_make(gpi_read_vector(input, at), (uint)(at - base));
            sum[k] = gpi_lanes_append(sum[k], x);
        }
    }
    for (; i + GPI_LANES <= end; i += GPI_LANES)
        sum[0] = gpi_lanes_append(sum[0], gpi_lanes_make(gpi_read_vector(input, i), (uint)(i - base)));
#pragma unroll
    for (uint k = 1; k < GPI_ACCUMULATORS; k++) sum[0] = gpi_lanes_combine(sum[0], sum[k]);
    if (i > base) rest = gpi_lanes_fold(sum[0], rest, base);
    for (; i < end; i++) rest = gpi_combine(GPI_COMBINE_OF(input) rest, gpi_load(input, i));
    tile->run[0] = rest;
}

#else
/* Reduces the tile's runs. Not inlined, because LLVM would then turn the chains into vectors, with slow 64-bit products. */
GPI_NOINLINE void gpi_tile_open(gpi_tile *tile, gpi_input input, ulong base, gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(input, base), each = gpi_run_length(length);
    uint i = 0;
    (void)shared;
    GPI_COMBINE_COPY(*tile, input)
#pragma unroll
    for (uint k = 0; k < GPI_TILE_RUNS; k++) tile->run[k] = gpi_identity();
    for (; i + GPI_LINE_ELEMENTS <= each; i += GPI_LINE_ELEMENTS) {
#pragma unroll
        for (uint k = 0; k < GPI_TILE_RUNS; k++) {
            gpi_prefetch_read(input, base + k * each + i + GPI_TILE_AHEAD / sizeof(GPI_IN),
                              GPI_LINE_ELEMENTS);
        }
        for (uint j = i; j < i + GPI_LINE_ELEMENTS; j++) {
#pragma unroll
            for (uint k = 0; k < GPI_TILE_RUNS; k++) {
                tile->run[k] =
                    gpi_combine(GPI_COMBINE_OF(input) tile->run[k], gpi_load(input, base + k * each + j));
            }
        }
    }
    for (i += (GPI_TILE_RUNS - 1) * each; i < length; i++) {
        tile->run[GPI_TILE_RUNS - 1] =
            gpi_combine(GPI_COMBINE_OF(input) tile->run[GPI_TILE_RUNS - 1], gpi_load(input, base + i));
    }
}
#endif

static GPI_T gpi_tile_aggregate(const gpi_tile *tile)
{
    GPI_T sum = tile->run[0];
#pragma unroll
    for (uint k = 1; k < GPI_TILE_RUNS; k++) sum = gpi_combine(GPI_COMBINE_OF(*tile) sum, tile->run[k]);
    return sum;
}

/* Returns the product of the tile's elements. */
static GPI_T gpi_tile_reduce(gpi_input input, ulong base, gpi_tile_shared shared)
{
    gpi_tile tile;
    gpi_tile_open(&tile, input, base, shared);
    return gpi_tile_aggregate(&tile);
}
#endif
#endif
