/* topk_filter_local.cl - the filter of a tile in the local shape: a bit for each key that passes, set by its
   item; the bits before it say where it goes.

   Parameters: those of sort/rank_tile.cl. */
#ifndef GPI_SORT_TOPK_FILTER_LOCAL_CL
#define GPI_SORT_TOPK_FILTER_LOCAL_CL
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/rank.cl"
#include "sort/topk_tile.cl"

#define GPI_SPAN_MAX GPI_TILE

/* A bit for each of the tile's keys, in shared->order; how many are set before a word, in shared->nibble.part. */
#define GPI_MASKS ((GPI_TILE + 31) / 32)
#define GPI_MASKS_EACH ((GPI_MASKS + GPI_WG - 1) / GPI_WG)
#if GPI_MASKS > 16 * GPI_WG
#error "GPI_PER_ITEM must be 512 at most"
#endif

/* Marks the keys that equal the threshold (`equals`), or that are below it; counts both kinds. */
static void gpi_tile_mark(gpi_topk_tile tile, bool equals, uint *below, uint *equal, gpi_rank_shared shared)
{
    const uint l = (uint)get_local_id(0);
    uint less = 0, same = 0;
    for (uint i = l; i < GPI_MASKS; i += GPI_WG) shared->order[i] = 0;
    if (l == 0) shared->count[0] = shared->count[1] = 0;
    gpi_sync(); /* masks and counters are zero */
    for (uint j = 0; j < GPI_PER_ITEM; j++) {
        const uint i = j * GPI_WG + l;
        const gpi_key_bits c = i < tile.length ? gpi_key_order(tile.key[i], tile.flip) : 0;
        const bool is_less = i < tile.length && c < tile.threshold;
        const bool is_same = i < tile.length && c == tile.threshold;
        less += is_less;
        same += is_same;
        if (equals ? is_same : is_less) (void)atomic_or(&shared->order[i / 32], 1u << i % 32);
    }
    if (less) (void)atomic_add(&shared->count[0], less);
    if (same) (void)atomic_add(&shared->count[1], same);
    gpi_sync(); /* all is marked and counted */
    *below = shared->count[0];
    *equal = shared->count[1];
}

/* shared->nibble.part[w]: how many keys are marked in the masks before w. */
static void gpi_masks_rank(gpi_rank_shared shared)
{
    const uint first = (uint)get_local_id(0) * GPI_MASKS_EACH;
    uint sum = 0, total;
    for (uint w = first; w < first + GPI_MASKS_EACH && w < GPI_MASKS; w++) sum += popcount(shared->order[w]);
    sum = gpi_group_before(sum, &total, shared);
    for (uint w = first; w < first + GPI_MASKS_EACH && w < GPI_MASKS; w++) {
        shared->nibble.part[w] = (ushort)sum;
        sum += popcount(shared->order[w]);
    }
    gpi_sync(); /* the ranks are written */
}

/* Writes the first `most` marked keys to `to`, in order. */
static void gpi_tile_keep_marked(gpi_topk_tile tile, ulong most, gpi_topk_kept to, ulong base,
                                 gpi_rank_shared shared)
{
    gpi_masks_rank(shared);
    for (uint i = (uint)get_local_id(0); i < tile.length; i += GPI_WG) {
        const uint mask = shared->order[i / 32], bit = 1u << i % 32;
        const uint rank = shared->nibble.part[i / 32] + popcount(mask & (bit - 1));
        if (!(mask & bit) || rank >= most) continue;
        to.key[rank] = tile.key[i];
        to.index[rank] = GPI_VALUE_OF(base + i);
    }
}

static ulong gpi_tile_survey(gpi_topk_tile tile, uint *below, uint *equal, gpi_rank_shared shared)
{
    gpi_tile_mark(tile, false, below, equal, shared);
    return 0;
}

static void gpi_tile_keep(gpi_topk_tile tile, ulong found, gpi_topk_kept to, ulong base,
                          gpi_rank_shared shared)
{
    (void)found;
    gpi_tile_keep_marked(tile, GPI_TILE, to, base, shared);
}

static void gpi_tile_keep_equal(gpi_topk_tile tile, ulong most, gpi_topk_kept to, ulong base,
                                gpi_rank_shared shared)
{
    uint below, equal;
    gpi_tile_mark(tile, true, &below, &equal, shared);
    gpi_tile_keep_marked(tile, most, to, base, shared);
}
#endif
