/* topk_tile.cl - a tile of keys that are compared with a threshold, and what is written of it.

   Parameters
       GPI_WG, GPI_TILE   in the local shape: items of a group, keys of a tile                                */
#ifndef GPI_SORT_TOPK_TILE_CL
#define GPI_SORT_TOPK_TILE_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/digit.cl"

#if GPI_SHAPE_LOCAL
#define GPI_GROUP gpi_ranks
#define GPI_GROUP_T ulong
#define GPI_GROUP_COMBINE(a, b) ((a) + (b))
#define GPI_GROUP_IDENTITY 0ul
#define GPI_GROUP_SIZE GPI_WG
#define GPI_GROUP_ITEM ((uint)GPI_LOCAL_ID)
#define GPI_GROUP_TURNS(n) GPI_TURNS(n)
#define GPI_GROUP_ALONE 0
#if GPI_SUB_GROUP
#include "group/sub_group_collectives.cl"
#else
#include "group/collectives.cl"
#endif
#undef GPI_GROUP_SIZE
#undef GPI_GROUP_ITEM
#undef GPI_GROUP_TURNS
#undef GPI_GROUP_ALONE
#endif

/* What a group shares. */
typedef struct gpi_topk_memory {
    ulong next[GPI_BINS];
    uint count[GPI_BINS];
#if GPI_SHAPE_LOCAL
    ulong sum[GPI_WG + GPI_WG / 32 + 1];
#endif
    uint word;
} gpi_topk_memory;
typedef GPI_GROUP_SPACE gpi_topk_memory *gpi_topk_shared;

/* A tile's keys, and what they are compared with. */
typedef struct gpi_topk_tile {
    __global const gpi_key *key;
    uint length;
    gpi_key_bits flip, threshold;
} gpi_topk_tile;

static gpi_topk_tile gpi_tile_make(__global const gpi_key *key, ulong n, ulong base, uint span, ulong flip,
                                   ulong threshold)
{
    gpi_topk_tile tile;
    tile.key = key + base;
    tile.length = base < n ? (uint)min((ulong)span, n - base) : 0;
    tile.flip = (gpi_key_bits)flip;
    tile.threshold = (gpi_key_bits)threshold;
    return tile;
}

/* Where its keys and their indices are written to. */
typedef struct gpi_topk_kept {
    __global gpi_key *key;
    __global gpi_value *index;
} gpi_topk_kept;
#endif
