/* topk_filter.cl - a group filters a tile: it writes the keys that pass a threshold. Every item reads its keys once, in
   runs of consecutive keys, and keeps order(key) of each key (element/key.cl) in registers:

       tile   | run 0 of item 0 | of item 1 | ... | run 1 of item 0 | of item 1 | ...

   If keys pass, the group scans the numbers of passing keys in all runs, which yields the positions at which these keys
   are written.

   Parameters: those of sort/rank.cl and sort/topk_tile.cl. */
#ifndef GPI_SORT_TOPK_FILTER_CL
#define GPI_SORT_TOPK_FILTER_CL
#include "base/paste.cl"
#include "base/platform.cl"
#include "group/striped.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/topk_tile.cl"

#define GPI_TOPK_SPARE \
    2.75f /* added to the threshold's rank in the sample; large, because one group alone repairs a miss */

/* Keys of a run, and runs of an item. There are at most four runs, so that a ulong has room for their counts, of 16 bits each. */
#define GPI_KEY_RUN (GPI_PER_ITEM < 4 ? GPI_PER_ITEM : GPI_PER_ITEM < 16 ? 4 : GPI_PER_ITEM / 4)
#define GPI_KEY_RUNS (GPI_PER_ITEM / GPI_KEY_RUN)
#if GPI_KEY_RUNS > 4 || GPI_TILE > 65535 || GPI_PER_ITEM > 255
#error "a ulong has room for four counts of 16 bits, a uint for four of 8 bits"
#endif

/* order(key) of each of an item's keys; then how many keys of each run are below the threshold, 8 bits each. */
typedef gpi_key_bits gpi_found;
#define GPI_FOUND (GPI_PER_ITEM + 1)

/* The greatest order(key). Elements beyond the tile's end get this number, because it is below no threshold. */
#define GPI_BEYOND (~(gpi_key_bits)0)

/* Distance in the tile from the first key of an item's first run to the item's key j. */
#define GPI_KEY_RUN_AT(j) ((j) / GPI_KEY_RUN * (GPI_KEY_RUN * GPI_WG) + (j) % GPI_KEY_RUN)

GPI_INLINE_GPU void gpi_tile_read(gpi_topk_tile tile, gpi_found *order)
{
    const uint first = (uint)get_local_id(0) * GPI_KEY_RUN;
    __global const gpi_key *key = tile.key + first;
#if GPI_KEY_RUN >= 4
    if (tile.length == GPI_TILE && GPI_IS_QUAD(gpi_key, key)) {
        GPI_EACH_CHUNK(j, GPI_TURNS(GPI_PER_ITEM), 4) {
            const GPI_QUAD(gpi_key) quad = GPI_READ_QUAD(gpi_key, key + GPI_KEY_RUN_AT(j), true);
            order[j] = gpi_key_order(quad.s0, tile.flip);
            order[j + 1] = gpi_key_order(quad.s1, tile.flip);
            order[j + 2] = gpi_key_order(quad.s2, tile.flip);
            order[j + 3] = gpi_key_order(quad.s3, tile.flip);
        }
        return;
    }
#endif
    GPI_EACH_OWN(j) {
        const bool inside = first + GPI_KEY_RUN_AT(j) < tile.length;
        order[j] = inside ? gpi_key_order(key[GPI_KEY_RUN_AT(j)], tile.flip) : GPI_BEYOND;
    }
}

static bool gpi_passes(gpi_topk_tile tile, gpi_key_bits order, const bool equals)
{
    return equals ? order == tile.threshold : order < tile.threshold;
}

/* Returns how many of the item's keys pass, of each run: 8 bits each. */
GPI_INLINE_GPU uint gpi_runs_passing(gpi_topk_tile tile, const gpi_found *order, const bool equals)
{
    uint counts = 0;
    GPI_EACH(r, GPI_TURNS(GPI_KEY_RUNS)) {
        uint count = 0;
        GPI_EACH(k, GPI_KEY_RUN) count += gpi_passes(tile, order[r * GPI_KEY_RUN + k], equals);
        counts |= count << 8 * r;
    }
    return counts;
}

static uint gpi_runs_sum(uint counts) { return counts * 0x01010101u >> 24; }

GPI_INLINE_GPU void gpi_tile_survey(gpi_topk_tile tile, gpi_found *found, uint *below, uint *equal,
                                    gpi_topk_shared shared)
{
    gpi_key_bits least = GPI_BEYOND;
    gpi_tile_read(tile, found);
    if (get_local_id(0) == 0) shared->count[0] = shared->count[1] = 0;
    gpi_sync(); /* the counters are zero */
    GPI_EACH_OWN(j) least = min(least, found[j]);
    found[GPI_PER_ITEM] = 0;
    if (least <= tile.threshold) {
        const uint less = gpi_runs_passing(tile, found, false), same = gpi_runs_passing(tile, found, true);
        if (less) (void)atomic_add(&shared->count[0], gpi_runs_sum(less));
        if (same) (void)atomic_add(&shared->count[1], gpi_runs_sum(same));
        found[GPI_PER_ITEM] = less;
    }
    gpi_sync(); /* all keys are counted */
    *below = shared->count[0];
    *equal = shared->count[1] - (tile.threshold == GPI_BEYOND ? GPI_TILE - tile.length : 0);
}

/* Writes the keys that pass to `to`, in the order of the input: those below the threshold, or, if `equals`, the first `most`
   that equal it. `found` has their numbers. */
GPI_INLINE_GPU void gpi_tile_keep_passing(gpi_topk_tile tile, const gpi_found *found, const bool equals,
                                          uint most, gpi_topk_kept to, ulong base, gpi_topk_shared shared)
{
    const uint first = (uint)get_local_id(0) * GPI_KEY_RUN;
    __global const gpi_key *key = tile.key + first;
    ulong counts = 0, all;
    GPI_EACH(r, GPI_TURNS(GPI_KEY_RUNS))
        counts |= (ulong)((uint)found[GPI_PER_ITEM] >> 8 * r & 0xff) << 16 * r;
    ulong ranks = gpi_ranks_scan_exclusive(counts, &all, shared->sum);
    ranks += (all << 16) + (all << 32) + (all << 48); /* adds to each run the totals of all earlier runs */
    if (counts == 0) return;
    base += first;
    GPI_EACH(r, GPI_TURNS(GPI_KEY_RUNS)) {
        uint rank = (uint)(ranks >> 16 * r) & 0xffff;
        GPI_EACH(k, GPI_KEY_RUN) {
            const uint j = r * GPI_KEY_RUN + k;
            const bool passes = gpi_passes(tile, found[j], equals) && (!equals || rank < most);
            if (passes) {
                to.key[rank] = key[GPI_KEY_RUN_AT(j)];
                to.index[rank] = GPI_VALUE_OF(base + GPI_KEY_RUN_AT(j));
            }
            rank += passes;
        }
    }
}

GPI_INLINE_GPU void gpi_tile_keep(gpi_topk_tile tile, const gpi_found *found, gpi_topk_kept to, ulong base,
                                  gpi_topk_shared shared)
{
    gpi_tile_keep_passing(tile, found, false, 0, to, base, shared);
}

GPI_INLINE_GPU void gpi_tile_keep_equal(gpi_topk_tile tile, ulong most, gpi_topk_kept to, ulong base,
                                        gpi_topk_shared shared)
{
    gpi_found found[GPI_FOUND];
    gpi_tile_read(tile, found);
    found[GPI_PER_ITEM] = gpi_runs_passing(tile, found, true);
    gpi_tile_keep_passing(tile, found, true, (uint)min(most, (ulong)GPI_TILE), to, base, shared);
}
#endif
