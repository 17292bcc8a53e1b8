/* topk_tile.cl - a tile of keys to compare with a threshold, and the arrays for the keys that pass.

   Parameters
       GPI_WG, GPI_TILE   on GPUs: items of a group, keys of a tile                                */
#ifndef GPI_SORT_TOPK_TILE_CL
#define GPI_SORT_TOPK_TILE_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/digit.cl"
#include "sort/topk_digit.cl"

/* A tile's keys, and the threshold that they are compared with. */
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

/* The arrays for the keys that pass, and for their indices. */
typedef struct gpi_topk_kept {
    __global gpi_key *key;
    __global gpi_value *index;
} gpi_topk_kept;
#endif
