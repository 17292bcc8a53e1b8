/* topk_filter_local.cl - the filter of a tile in the local shape. The survey only counts: few tiles have keys that
   pass. Those are read again, and each key that passes sets a bit; the bits before it say where it goes.

   Parameters: those of sort/rank.cl and sort/topk_tile.cl. */
#ifndef GPI_SORT_TOPK_FILTER_LOCAL_CL
#define GPI_SORT_TOPK_FILTER_LOCAL_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/bases.cl"
#include "sort/topk_tile.cl"

#define GPI_SPAN_MAX GPI_TILE

#define GPI_MASKS_EACH ((GPI_MASKS + GPI_WG - 1) / GPI_WG)

/* Adds a key to the counters of those below and equal to the threshold. */
static void gpi_key_count(gpi_topk_tile tile, gpi_key key, uint *below, uint *equal)
{
    const gpi_key_bits c = gpi_key_order(key, tile.flip);
    *below += c < tile.threshold;
    *equal += c == tile.threshold;
}

/* Marks the keys that equal the threshold (`equals`), or that are below it. */
static void gpi_tile_mark(gpi_topk_tile tile, bool equals, gpi_topk_shared shared)
{
    const uint l = (uint)get_local_id(0);
    for (uint i = l; i < GPI_MASKS; i += GPI_WG) shared->mask[i] = 0;
    gpi_sync(); /* the masks are zero */
    for (uint i = l; i < tile.length; i += GPI_WG) {
        const gpi_key_bits c = gpi_key_order(tile.key[i], tile.flip);
        if (equals ? c == tile.threshold : c < tile.threshold)
            (void)atomic_or(&shared->mask[i / 32], 1u << i % 32);
    }
    gpi_sync(); /* all is marked */
}

/* shared->before[w]: how many keys are marked in the masks before w. */
static void gpi_masks_rank(gpi_topk_shared shared)
{
    const uint first = (uint)get_local_id(0) * GPI_MASKS_EACH;
    uint sum = 0;
    ulong total;
    for (uint w = first; w < first + GPI_MASKS_EACH && w < GPI_MASKS; w++) sum += popcount(shared->mask[w]);
    sum = (uint)gpi_bin_sums_scan_exclusive(sum, &total, shared->sum);
    for (uint w = first; w < first + GPI_MASKS_EACH && w < GPI_MASKS; w++) {
        shared->before[w] = (ushort)sum;
        sum += popcount(shared->mask[w]);
    }
    gpi_sync(); /* the ranks are written */
}

/* Writes the first `most` marked keys to `to`, in order. */
static void gpi_tile_keep_marked(gpi_topk_tile tile, ulong most, gpi_topk_kept to, ulong base,
                                 gpi_topk_shared shared)
{
    gpi_masks_rank(shared);
    for (uint i = (uint)get_local_id(0); i < tile.length; i += GPI_WG) {
        const uint mask = shared->mask[i / 32], bit = 1u << i % 32;
        const uint rank = shared->before[i / 32] + popcount(mask & (bit - 1));
        if (!(mask & bit) || rank >= most) continue;
        to.key[rank] = tile.key[i];
        to.index[rank] = GPI_VALUE_OF(base + i);
    }
}

static ulong gpi_tile_survey(gpi_topk_tile tile, uint *below, uint *equal, gpi_topk_shared shared)
{
    const uint l = (uint)get_local_id(0);
    __global const gpi_key *key = tile.key + l;
    uint less = 0, same = 0;
    if (l == 0) shared->count[0] = shared->count[1] = 0;
    gpi_sync(); /* the counters are zero */
    if (tile.length == GPI_TILE) {
        gpi_key x[GPI_PER_ITEM];
        GPI_UNROLL
        for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) x[j] = key[j * GPI_WG];
        GPI_UNROLL
        for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) gpi_key_count(tile, x[j], &less, &same);
    } else {
        GPI_ROLLED
        for (uint i = l; i < tile.length; i += GPI_WG) gpi_key_count(tile, tile.key[i], &less, &same);
    }
    if (less) (void)atomic_add(&shared->count[0], less);
    if (same) (void)atomic_add(&shared->count[1], same);
    gpi_sync(); /* all is counted */
    *below = shared->count[0];
    *equal = shared->count[1];
    return 0;
}

static void gpi_tile_keep(gpi_topk_tile tile, ulong found, gpi_topk_kept to, ulong base,
                          gpi_topk_shared shared)
{
    (void)found;
    gpi_tile_mark(tile, false, shared);
    gpi_tile_keep_marked(tile, GPI_TILE, to, base, shared);
}

static void gpi_tile_keep_equal(gpi_topk_tile tile, ulong most, gpi_topk_kept to, ulong base,
                                gpi_topk_shared shared)
{
    gpi_tile_mark(tile, true, shared);
    gpi_tile_keep_marked(tile, most, to, base, shared);
}
#endif
