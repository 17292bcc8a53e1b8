/* gather.cl - elements by index

       gather     out[i] = in[index[i]]
       scatter    out[index[i]] = in[i]
       unpack     out[i] = in[index[i]] where flag i is set; the others stay. index[i]: how many are set before i

   `limit` is how many elements the indexed array has. An element whose index is not below it is skipped, and
   counted. Where a flag is not set, the index is not looked at.

   In the serial shape the line of each element is asked for GPI_FETCH elements before it is used: as many
   misses overlap as a core can have under way, and their number never falls, as it does at the end of a
   batch.

   Parameters, which the host writes ahead
       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1: an item has a span of elements, or every GPI_WG-th of a tile
       GPI_WG, GPI_PER_ITEM                  items of a group; local: elements of an item
       GPI_OUT                               an element: 1, 2, 4, 8 or 16 bytes that nobody looks into
       GPI_INDEX                             uint or ulong
       GPI_FLAG                              type of a flag; not defined: there are none
       GPI_SCATTER                           1: the output is what is indexed                            */
#ifndef GPI_MAP_GATHER_CL
#define GPI_MAP_GATHER_CL
#include "base/count.cl"
#include "base/platform.cl"

#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1
#error "exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1"
#endif
#if GPI_SHAPE_SERIAL && GPI_WG != 1
#error "the serial shape has one item a group"
#endif
#if !defined(GPI_SCATTER)
#error "GPI_SCATTER must be 0 or 1"
#endif

/* What a call is about. */
typedef struct gpi_moves {
    __global const GPI_OUT *in;
    __global GPI_OUT *out;
    __global const GPI_INDEX *index;
#ifdef GPI_FLAG
    __global const GPI_FLAG *flag;
#endif
    ulong limit;
} gpi_moves;

#ifdef GPI_FLAG
#define GPI_FLAG_PARAMETERS __global const GPI_FLAG *flag, ulong flag_offset,
#define GPI_FLAG_SET(m) (m).flag = flag + flag_offset;
#define GPI_WANTED(m, i) ((m).flag[i] != 0)
#else
#define GPI_FLAG_PARAMETERS
#define GPI_FLAG_SET(m)
#define GPI_WANTED(m, i) 1
#endif

/* True if the indexed array has element `at`. Compares in the index's own type on CPUs, where LLVM 18 loses comparisons of a
   widened index (docs/drivers.md). */
GPI_INLINE bool gpi_gather_has(gpi_moves m, GPI_INDEX at)
{
    return GPI_ON_CPU ? (m.limit > (GPI_INDEX)-1) | (at < (GPI_INDEX)m.limit) : at < m.limit;
}

/* Moves element i; 1 where it was skipped for its index. */
GPI_INLINE uint gpi_gather_move(gpi_moves m, ulong i)
{
    GPI_INDEX at;
    if (!GPI_WANTED(m, i)) return 0;
    at = m.index[i];
    if (!gpi_gather_has(m, at)) return 1;
#if GPI_SCATTER
    m.out[at] = m.in[i];
#else
    m.out[i] = m.in[at];
#endif
    return 0;
}

#if GPI_SHAPE_SERIAL
#define GPI_FETCH 64       /* elements ahead, where the index says */
#define GPI_GATHER_STEP 16 /* elements of an unrolled turn */
#define GPI_GATHER_AHEAD \
    2048 /* bytes, of what lies in a row: the hardware's prefetching stops at page ends */

/* An address is made of any index, in range or not; a hint that leads nowhere does no harm. */
GPI_INLINE void gpi_gather_ask(gpi_moves m, ulong i)
{
#ifndef GPI_FLAG
#if GPI_SCATTER
    GPI_PREFETCH_WRITE(m.out + m.index[i]);
#else
    GPI_PREFETCH_READ(m.in + m.index[i]);
#endif
#endif
}

/* Large elements have several lines a turn, which the hardware fetches well enough. */
GPI_INLINE void gpi_ask_row(gpi_moves m, ulong i)
{
    if (sizeof(GPI_OUT) > 4) return;
    GPI_PREFETCH_READ(m.index + i + GPI_GATHER_AHEAD / sizeof(GPI_INDEX));
#if GPI_SCATTER
    GPI_PREFETCH_READ(m.in + i + GPI_GATHER_AHEAD / sizeof(GPI_OUT));
#else
    GPI_PREFETCH_WRITE(m.out + i + GPI_GATHER_AHEAD / sizeof(GPI_OUT));
#endif
}

GPI_NOINLINE uint gpi_gather_tile(gpi_moves m, ulong first, ulong end)
{
    uint skipped = 0;
    ulong i = first;
    for (; i + GPI_FETCH + GPI_GATHER_STEP <= end; i += GPI_GATHER_STEP) {
        gpi_ask_row(m, i);
#pragma unroll
        for (uint k = 0; k < GPI_GATHER_STEP; k++) {
            gpi_gather_ask(m, i + k + GPI_FETCH);
            skipped += gpi_gather_move(m, i + k);
        }
    }
    for (; i < end; i++) skipped += gpi_gather_move(m, i);
    return skipped;
}
#else
#define GPI_GATHER_STEP (GPI_PER_ITEM < 8 ? GPI_PER_ITEM : 8)

/* An item's elements i, i + GPI_WG, ...: each kind of reading is under way for all of them together. In place of an
   element that is left out the first one is read. */
static uint gpi_gather_step(gpi_moves m, ulong i)
{
    GPI_INDEX at[GPI_GATHER_STEP];
    GPI_OUT x[GPI_GATHER_STEP];
    uint skipped = 0;
    GPI_UNROLL
    for (uint k = 0; k < GPI_GATHER_STEP; k++) at[k] = m.index[i + k * GPI_WG];
    GPI_UNROLL
    for (uint k = 0; k < GPI_GATHER_STEP; k++)
        x[k] = m.in[GPI_SCATTER ? i + k * GPI_WG : gpi_gather_has(m, at[k]) ? at[k] : 0];
    GPI_UNROLL
    for (uint k = 0; k < GPI_GATHER_STEP; k++) {
        if (!GPI_WANTED(m, i + k * GPI_WG)) continue;
        if (gpi_gather_has(m, at[k])) m.out[GPI_SCATTER ? at[k] : i + k * GPI_WG] = x[k];
        else skipped++;
    }
    return skipped;
}

static uint gpi_gather_tile(gpi_moves m, ulong first, ulong end)
{
    const ulong begin = first + GPI_LOCAL_ID;
    uint skipped = 0;
    if (first + GPI_WG * GPI_PER_ITEM <= end) {
        for (uint k = 0; k < GPI_PER_ITEM; k += GPI_GATHER_STEP)
            skipped += gpi_gather_step(m, begin + k * GPI_WG);
    } else {
        for (ulong i = begin; i < end; i += GPI_WG) skipped += gpi_gather_move(m, i);
    }
    return skipped;
}
#endif

GPI_KERNEL void gp_gather_tiles(__global const GPI_OUT *in, ulong in_offset, __global GPI_OUT *out,
                                ulong out_offset, __global const GPI_INDEX *index, ulong index_offset,
                                GPI_FLAG_PARAMETERS ulong limit, ulong span, GPI_COUNT_PARAMETERS,
                                volatile __global uint *counters)
{
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const ulong first = get_group_id(0) * span;
    gpi_moves m;
    uint skipped;
    m.in = in + in_offset;
    m.out = out + out_offset;
    m.index = index + index_offset;
    m.limit = limit;
    GPI_FLAG_SET(m)
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    if (first >= n) return;
    skipped = gpi_gather_tile(m, first, min(n, first + span));
    if (skipped) (void)atomic_add(counters + GPI_COUNT_SKIPPED, skipped);
}
#endif
