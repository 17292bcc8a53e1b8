/* nth_tile.cl - a group counts and keeps the keys of a tile by intervals. Each item finds its keys' intervals in local memory,
   and increments counters. Neighbouring items increment different copies of a counter.

   Parameters
       GPI_WG, GPI_PER_ITEM, GPI_TILE   items of a group, keys of an item and of a tile                  */
#ifndef GPI_SORT_NTH_TILE_CL
#define GPI_SORT_NTH_TILE_CL
#include "base/platform.cl"
#include "group/counters.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/constants.cl"

#define GPI_NTH_TILE ((uint)GPI_TILE)
#define GPI_NTH_COPIES 32u /* copies of each counter: neighbouring items increment different banks */

#if GPI_PER_ITEM > 64
#error "a ulong has a bit for each key of an item"
#endif

/* Ascending intervals [lo, hi], and how many keys are below each and within it. In `count`, counter 2 s counts the keys
   between intervals s - 1 and s, and counter 2 s + 1 the keys within interval s - 1. */
typedef struct gpi_nth_tile_memory {
    gpi_key_bits lo[GPI_NTH_RANKS], hi[GPI_NTH_RANKS];
    uint below[GPI_NTH_RANKS], inside[GPI_NTH_RANKS];
    uint count[2 * (GPI_NTH_RANKS + 1) * GPI_NTH_COPIES];
    uint intervals;
    gpi_claim_memory claim;
} gpi_nth_tile_memory;
typedef GPI_GROUP_SPACE gpi_nth_tile_memory *gpi_nth_tile_shared;

static void gpi_nth_clear(gpi_nth_tile_shared shared)
{
    for (uint i = (uint)GPI_LOCAL_ID; i < 2 * (GPI_NTH_RANKS + 1) * GPI_NTH_COPIES; i += GPI_WG)
        shared->count[i] = 0;
    gpi_sync(); /* the intervals are written, and the counters are zero */
}

static void gpi_nth_total(gpi_nth_tile_shared shared)
{
    gpi_sync(); /* all keys are counted */
    for (uint g = (uint)GPI_LOCAL_ID; g < shared->intervals; g += GPI_WG) {
        uint below = 0, inside = 0;
        for (uint i = 0; i < 2 * (g + 1) * GPI_NTH_COPIES; i++) below += shared->count[i];
        for (uint c = 0; c < GPI_NTH_COPIES; c++)
            inside += shared->count[(2 * (g + 1) + 1) * GPI_NTH_COPIES + c];
        shared->below[g] = below;
        shared->inside[g] = inside;
    }
}

/* Counts the keys of a tile. Copies those within intervals of more than one value to kept[*cursor ...], if there is room. */
GPI_INLINE_GPU void gpi_nth_tile(__global const gpi_key *key, uint length, gpi_key_bits flip,
                                 __global gpi_key *kept, volatile __global uint *cursor, ulong room,
                                 gpi_nth_tile_shared shared)
{
    const uint l = (uint)GPI_LOCAL_ID, m = shared->intervals;
    gpi_key x[GPI_PER_ITEM];
    ulong keep = 0;
    uint top = 1, n = 0;
    while (2 * top <= m) top *= 2;
    GPI_UNROLL
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) x[j] = key[min(l + j * GPI_WG, length - 1)];
    GPI_UNROLL
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
        const gpi_key_bits order = gpi_key_order(x[j], flip);
        uint s = 0;
        for (uint step = top; step > 0; step /= 2)
            if (s + step <= m && shared->lo[s + step - 1] <= order) s += step;
        const bool within = s > 0 && order <= shared->hi[s - 1];
        if (l + j * GPI_WG >= length) continue;
        gpi_shared_increment(&shared->count[(2 * s + within) * GPI_NTH_COPIES + l % GPI_NTH_COPIES]);
        if (within && shared->lo[s - 1] != shared->hi[s - 1]) keep |= (ulong)1 << j;
    }
    uint to = gpi_claim((uint)popcount(keep), cursor, &shared->claim);
    GPI_UNROLL
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
        if ((keep >> j & 1) == 0) continue;
        if (to + n < room) kept[to + n] = x[j];
        n++;
    }
}
#endif
