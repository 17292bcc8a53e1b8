/* topk_filter.cl - one item filters a tile: it writes the keys that pass a threshold, in two loops.

   The first loop compares vectors, and marks stretches in which keys pass. The second loop reads only these stretches
   again, while they are still in the cache.

   Parameters: those of sort/rank_keys.cl. */
#ifndef GPI_SORT_TOPK_FILTER_CL
#define GPI_SORT_TOPK_FILTER_CL
#include "base/platform.cl"
#include "element/key.cl"
#include "sort/constants.cl"
#include "sort/key_vectors.cl"
#include "sort/rank.cl"
#include "sort/topk_tile.cl"

#define GPI_TOPK_SPARE 0.75f /* added to the threshold's rank in the sample */

#define GPI_STRETCH \
    (GPI_TOPK_SPAN_MAX / 64) /* keys of a stretch, so that a ulong has a bit for each stretch of a tile */

/* A bit for each stretch that has keys below the threshold. */
typedef ulong gpi_found;
#define GPI_FOUND 1

/* Adds to *below and *equal the numbers of keys in [begin, end) that are below the threshold and equal to it. Returns whether
   any key is below. */
static bool gpi_stretch_count(gpi_topk_tile tile, uint begin, uint end, uint *below, uint *equal)
{
    const gpi_key flip = (gpi_key)tile.flip, t = (gpi_key)tile.threshold;
    const uint before = *below;
    gpi_flags less = 0, same = 0;
    uint i = begin;
    for (; i + 16 <= end; i += 16) {
        const gpi_keys c = gpi_codes_of(vload16(0, tile.key + i), flip);
        GPI_PREFETCH_READ((__global const char *)(tile.key + i) + GPI_RANK_AHEAD);
        less += c < (gpi_keys)t;
        same += c == (gpi_keys)t;
    }
    if (any(less | same)) {
        *below += gpi_flags_count(less);
        *equal += gpi_flags_count(same);
    }
    for (; i < end; i++) {
        const gpi_key_bits c = gpi_key_order(tile.key[i], tile.flip);
        *below += c < tile.threshold;
        *equal += c == tile.threshold;
    }
    return *below != before;
}

GPI_NOINLINE void gpi_tile_survey(gpi_topk_tile tile, gpi_found *found, uint *below, uint *equal,
                                  gpi_topk_shared shared)
{
    gpi_found stretches = 0;
    (void)shared;
    *below = *equal = 0;
    for (uint i = 0; i < tile.length; i += GPI_STRETCH) {
        const uint end = min(tile.length, i + GPI_STRETCH);
        if (gpi_stretch_count(tile, i, end, below, equal)) stretches |= (ulong)1 << (i / GPI_STRETCH);
    }
    *found = stretches;
}

GPI_NOINLINE void gpi_tile_keep(gpi_topk_tile tile, const gpi_found *found, gpi_topk_kept to, ulong base,
                                gpi_topk_shared shared)
{
    uint j = 0;
    (void)shared;
    for (gpi_found left = *found; left; left &= left - 1) {
        const uint begin = (63 - (uint)clz(left & (~left + 1))) * GPI_STRETCH;
        const uint end = min(tile.length, begin + GPI_STRETCH);
        for (uint i = begin; i < end; i++) {
            if (gpi_key_order(tile.key[i], tile.flip) >= tile.threshold) continue;
            to.key[j] = tile.key[i];
            to.index[j++] = GPI_VALUE_OF(base + i);
        }
    }
}

GPI_NOINLINE void gpi_tile_keep_equal(gpi_topk_tile tile, ulong most, gpi_topk_kept to, ulong base,
                                      gpi_topk_shared shared)
{
    ulong j = 0;
    (void)shared;
    for (uint i = 0; i < tile.length && j < most; i++) {
        if (gpi_key_order(tile.key[i], tile.flip) != tile.threshold) continue;
        to.key[j] = tile.key[i];
        to.index[j++] = GPI_VALUE_OF(base + i);
    }
}
#endif
