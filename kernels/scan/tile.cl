/* tile.cl - what a group does with its tile, in each shape.

   A tile is GPI_TILE consecutive elements, owned by one group. Every function here is collective: all
   items of the group call it, with the same arguments unless said otherwise, and all get the result.

       serial   GPI_WG = 1: a long tile and a vector loop. For CPUs.
       local    GPI_WG items, GPI_PER_ITEM elements each, exchanged through local memory. For GPUs.

   The local shape's tile of GPI_WG * GPI_PER_ITEM elements: loads and stores are striped (item l takes
   l, l + GPI_WG, ...: neighbours read neighbours), the scan is blocked (item l owns
   l * GPI_PER_ITEM ... + GPI_PER_ITEM - 1: input order); `stage` turns one into the other.

   Parameters
       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1
       GPI_TILE, GPI_PER_ITEM                elements of a tile, of an item
       GPI_TILES_ABREAST                     serial: how many groups run at the same time             */
#ifndef GPI_SCAN_TILE_CL
#define GPI_SCAN_TILE_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/monoid.cl"

/* gp_select and its like include select/input.cl first, which stands in its place. */
#ifndef GPI_SOURCE_SET
#include "element/input.cl"
#endif

/* Reductions and scans of elements: gpi_items_reduce and so on. */
#define GPI_GROUP gpi_items
#define GPI_GROUP_T GPI_T
#define GPI_GROUP_COMBINE(a, b) gpi_combine(a, b)
#define GPI_GROUP_IDENTITY gpi_identity()
#define GPI_GROUP_SIZE GPI_WG
#define GPI_GROUP_ITEM ((uint)get_local_id(0))
#define GPI_GROUP_ALONE GPI_SHAPE_SERIAL
#include "group/collectives.cl"

#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1
#error "exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1"
#endif
#if GPI_TILE != GPI_WG * GPI_PER_ITEM
#error "GPI_TILE must be GPI_WG * GPI_PER_ITEM"
#endif
#if GPI_SHAPE_SERIAL && GPI_WG != 1
#error "the serial shape has one item a group"
#endif
#if GPI_TILE % GPI_LANES
#error "GPI_TILE must be a multiple of GPI_LANES"
#endif

/* Elements of the tile that begins at `base`: GPI_TILE, fewer in the last one, none behind it (where the
   device's own count is below the bound for which groups were launched). */
static uint gpi_tile_length(gpi_source source, ulong base)
{
    return base < source.count ? (uint)min((ulong)GPI_TILE, source.count - base) : 0;
}

#if GPI_SHAPE_SERIAL
/* ------------------------------------------------------------------ serial */

typedef struct gpi_tile_memory {
    uint word;
} gpi_tile_memory;
typedef gpi_tile_memory *gpi_tile_shared;

static GPI_T gpi_broadcast_element(GPI_T x, gpi_tile_shared shared)
{
    (void)shared;
    return x;
}

static GPI_T gpi_group_reduce(GPI_T x, gpi_tile_shared shared)
{
    (void)shared;
    return x;
}

/* The product of x over the items before this one; *total over all. */
static GPI_T gpi_group_scan(GPI_T x, GPI_T *total, gpi_tile_shared shared)
{
    (void)shared;
    *total = x;
    return gpi_identity();
}

/* Prefetching pays because the hardware's own stops at every page's end. GPI_TILE_AHEAD is how far ahead of the
   vector at hand, in bytes; a scan besides calls in what its next tile will need, one tile a running group
   ahead. Addresses behind the buffer's end are harmless to hint at. */
#define GPI_TILE_AHEAD 2048
#define GPI_TILE_LINE 64

#define GPI_PREFETCH_LINES(hint, p, bytes) \
    _Pragma("unroll") for (uint k = 0; k < (bytes); k += GPI_TILE_LINE) hint((__global const char *)(p) + k)

/* Elements [i, i + elements), not all of them there. */
static void gpi_prefetch_read(gpi_source source, ulong i, uint elements)
{
    const ulong position = GPI_REVERSE ? source.count - i - elements : i;
#if GPI_INPUTS > 0
    GPI_PREFETCH_LINES(GPI_PREFETCH_READ, source.in + position, elements * sizeof(GPI_IN));
#endif
#if GPI_INPUTS == 2
    GPI_PREFETCH_LINES(GPI_PREFETCH_READ, source.in2 + position, elements * sizeof(GPI_IN2));
#endif
#if GPI_HEADS
    GPI_PREFETCH_LINES(GPI_PREFETCH_READ, source.heads + position, elements * sizeof(GPI_HEADS_TYPE));
#endif
}

#if !GPI_BY_MASKS /* else select/masks.cl has the rest */
/* Elements that stand alone, one after the other, in chains side by side: each chain waits for its own last
   operation only. The tile is that many runs, equal and consecutive; the last one takes the rest too. */
#if GPI_LANES > 1 || GPI_SEGMENTED || GPI_SIZE > 16
#define GPI_TILE_RUNS 1
#else
#define GPI_TILE_RUNS 3
#endif

/* A cache line's elements, and how long the runs are: whole lines, and less than a share of the tile so that
   the runs do not all meet in the same sets of the cache. */
#define GPI_LINE_ELEMENTS (sizeof(GPI_IN) < GPI_TILE_LINE ? GPI_TILE_LINE / sizeof(GPI_IN) : 1)

static uint gpi_run_length(uint length)
{
    const uint each = (length - length / 64) / GPI_TILE_RUNS;
    return GPI_TILE_RUNS == 1 ? length : each - each % GPI_LINE_ELEMENTS;
}

typedef struct gpi_tile {
    GPI_T run[GPI_TILE_RUNS]; /* the products of the runs */
} gpi_tile;

#if GPI_SEGMENTED
/* Only what follows the last head counts: from the end back to it. */
static GPI_T gpi_reduce_back(gpi_source source, ulong base)
{
    ulong i = base + gpi_tile_length(source, base);
    GPI_T sum = gpi_identity();
#if GPI_LANES > 1
    gpi_lanes lanes = gpi_lanes_identity(sum.value);
    for (; i >= base + 1 + GPI_LANES; i -= GPI_LANES) { /* element 0 is a head whatever its flag says */
        if (any(gpi_read_heads(source, i - GPI_LANES))) break;
        lanes = gpi_lanes_combine(lanes, gpi_lanes_make(gpi_read_vector(source, i - GPI_LANES), 0));
    }
    sum.value = gpi_lanes_fold(lanes, sum.value, 0);
#endif
    while (i > base && !sum.head) sum = gpi_combine(gpi_load(source, --i), sum);
    return sum;
}

static void gpi_tile_open(gpi_tile *tile, gpi_source source, ulong base, gpi_tile_shared shared)
{
    (void)shared;
    tile->run[0] = gpi_reduce_back(source, base);
}

#elif GPI_LANES > 1
#define GPI_ACCUMULATORS (GPI_FIELD_COUNT > 1 ? 2 : 4) /* hide the operation's latency */

static void gpi_tile_open(gpi_tile *tile, gpi_source source, ulong base, gpi_tile_shared shared)
{
    const ulong end = base + gpi_tile_length(source, base);
    const uint step = GPI_ACCUMULATORS * GPI_LANES;
    gpi_lanes sum[GPI_ACCUMULATORS];
    ulong i = base;
    GPI_T rest = gpi_identity();
    (void)shared;
    for (uint k = 0; k < GPI_ACCUMULATORS; k++) sum[k] = gpi_lanes_identity(rest);
    for (; i + step <= end; i += step) {
        gpi_prefetch_read(source, i + GPI_TILE_AHEAD / sizeof(GPI_IN), step);
#pragma unroll
        for (uint k = 0; k < GPI_ACCUMULATORS; k++) {
            const ulong at = i + k * GPI_LANES;
            const gpi_lanes x = gpi_lanes_make(gpi_read_vector(source, at), (uint)(at - base));
            sum[k] = gpi_lanes_combine(sum[k], x);
        }
    }
#pragma unroll
    for (uint k = 1; k < GPI_ACCUMULATORS; k++) sum[0] = gpi_lanes_combine(sum[0], sum[k]);
    for (; i < end; i++) rest = gpi_combine(rest, gpi_load(source, i));
    tile->run[0] = gpi_combine(gpi_lanes_fold(sum[0], gpi_identity(), base), rest);
}

#else
/* Out of line: inlined, LLVM makes vectors of the chains, and of their products slow 64-bit ones. */
GPI_NOINLINE void gpi_tile_open(gpi_tile *tile, gpi_source source, ulong base, gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(source, base), each = gpi_run_length(length);
    uint i = 0;
    (void)shared;
#pragma unroll
    for (uint k = 0; k < GPI_TILE_RUNS; k++) tile->run[k] = gpi_identity();
    for (; i + GPI_LINE_ELEMENTS <= each; i += GPI_LINE_ELEMENTS) {
#pragma unroll
        for (uint k = 0; k < GPI_TILE_RUNS; k++) {
            gpi_prefetch_read(source, base + k * each + i + GPI_TILE_AHEAD / sizeof(GPI_IN),
                              GPI_LINE_ELEMENTS);
        }
        for (uint j = i; j < i + GPI_LINE_ELEMENTS; j++) {
#pragma unroll
            for (uint k = 0; k < GPI_TILE_RUNS; k++) {
                tile->run[k] = gpi_combine(tile->run[k], gpi_load(source, base + k * each + j));
            }
        }
    }
    for (i += (GPI_TILE_RUNS - 1) * each; i < length; i++) {
        tile->run[GPI_TILE_RUNS - 1] = gpi_combine(tile->run[GPI_TILE_RUNS - 1], gpi_load(source, base + i));
    }
}
#endif

static GPI_T gpi_tile_aggregate(const gpi_tile *tile)
{
    GPI_T sum = tile->run[0];
#pragma unroll
    for (uint k = 1; k < GPI_TILE_RUNS; k++) sum = gpi_combine(sum, tile->run[k]);
    return sum;
}

/* The product of the tile's elements. */
static GPI_T gpi_tile_reduce(gpi_source source, ulong base, gpi_tile_shared shared)
{
    gpi_tile tile;
    gpi_tile_open(&tile, source, base, shared);
    return gpi_tile_aggregate(&tile);
}
#endif

#else
/* ------------------------------------------------------------------ local */

/* One unused cell after every 32 keeps items that stride by GPI_PER_ITEM off one another's banks. */
#define GPI_TILE_PAD(i) ((i) + (i) / 32)

typedef struct gpi_tile_memory {
    GPI_T stage[GPI_TILE_PAD(GPI_TILE)];
    GPI_T value[2][GPI_WG];
    uint word;
} gpi_tile_memory;
typedef __local gpi_tile_memory *gpi_tile_shared;

typedef struct gpi_tile {
    GPI_T item[GPI_PER_ITEM]; /* this item's own elements */
    GPI_T before;             /* product of the items before this one */
    GPI_T aggregate;          /* of the whole tile */
} gpi_tile;

/* Item 0's x. */
static GPI_T gpi_broadcast_element(GPI_T x, gpi_tile_shared shared)
{
    if (get_local_id(0) == 0) shared->value[0][0] = x;
    gpi_sync(); /* value is written */
    x = shared->value[0][0];
    gpi_sync(); /* value is read: the next collective may overwrite it */
    return x;
}

/* The product of every item's x, in item order (group/collectives.cl). */
static GPI_T gpi_group_reduce(GPI_T x, gpi_tile_shared shared)
{
    return gpi_items_reduce(x, shared->value[0]);
}

/* The product of x over the items before this one; *total over all. */
static GPI_T gpi_group_scan(GPI_T x, GPI_T *total, gpi_tile_shared shared)
{
    return gpi_items_scan_exclusive(x, total, shared->value[0]);
}

/* The product of the tile's elements. */
static GPI_T gpi_tile_reduce(gpi_source source, ulong base, gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(source, base);
    const uint l = (uint)get_local_id(0);
    GPI_T sum = gpi_identity();
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
        const uint i = GPI_COMMUTATIVE ? j * GPI_WG + l : l * GPI_PER_ITEM + j;
        if (i < length) sum = gpi_combine(sum, gpi_load(source, base + i));
    }
    return gpi_group_reduce(sum, shared);
}

/* Reads the tile, once: every item keeps its own elements and what is before them. */
static void gpi_tile_open(gpi_tile *tile, gpi_source source, ulong base, gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(source, base);
    const uint l = (uint)get_local_id(0);
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
        const uint i = j * GPI_WG + l;
        shared->stage[GPI_TILE_PAD(i)] = i < length ? gpi_load(source, base + i) : gpi_identity();
    }
    gpi_sync(); /* the stage is filled */
    GPI_T sum = gpi_identity();
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
        tile->item[j] = shared->stage[GPI_TILE_PAD(l * GPI_PER_ITEM + j)];
        sum = gpi_combine(sum, tile->item[j]);
    }
    tile->before = gpi_group_scan(sum, &tile->aggregate, shared); /* its barriers free the stage */
}

static GPI_T gpi_tile_aggregate(const gpi_tile *tile) { return tile->aggregate; }
#endif
#endif
