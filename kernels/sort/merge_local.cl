/* merge_local.cl - a merge in the local shape: what a group does with its tile.

   The tile is staged in local memory: items merge GPI_PER_ITEM elements each, as their places in the tile,
   then keys and values go out, neighbours by neighbours.

   Parameters
       GPI_SHAPE_LOCAL                  1
       GPI_WG, GPI_PER_ITEM, GPI_TILE   items of a group, elements of an item, of a tile                  */
#ifndef GPI_SORT_MERGE_LOCAL_CL
#define GPI_SORT_MERGE_LOCAL_CL
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/merge_pair.cl"

#if !GPI_SHAPE_LOCAL || GPI_WG < 4 || GPI_TILE != GPI_WG * GPI_PER_ITEM || GPI_TILE > 32768
#error "GPI_WG must be 4 at least, GPI_TILE must be GPI_WG * GPI_PER_ITEM, and at most 32768"
#endif

/* Where entry i of `order` is: items write theirs GPI_PER_ITEM apart, and should meet different banks. */
#define GPI_MERGE_PAD(i) ((i) + (i) / 32)
#define GPI_HALF (GPI_WG / 2)

typedef struct gpi_merge_memory {
    gpi_key stage[GPI_TILE + 1]; /* the tile's elements of a, then those of b; one more may be read */
    ushort order[GPI_MERGE_PAD(GPI_TILE)]; /* order[d]: where in the stage the element is that comes d-th */
    uchar before[GPI_WG];                  /* what the items have found at their probes */
    uint passed[2][2]; /* by round, even or odd, and diagonal: probes before the crossing */
    ulong crossing[2];
} gpi_merge_memory;

typedef __local gpi_merge_memory *gpi_merge_shared;

/* Elements of a in a tile of `length` between two crossings, which are any when the input is not sorted. */
static ulong gpi_share(ulong begin, ulong end, ulong length) { return min(max(begin, end) - begin, length); }

/* The crossings of diagonals `begin` and `end` into shared->crossing. Each half of the group looks for one. A
   round probes one point an item, at equal distances, and leaves the gap between two of them: a range of
   `most` at most becomes one of most / GPI_HALF. */
static void gpi_cross(gpi_pair pair, ulong begin, ulong end, gpi_merge_shared shared)
{
    const uint l = (uint)get_local_id(0), side = l / GPI_HALF, p = l % GPI_HALF;
    const ulong d = side ? end : begin;
    ulong low = gpi_crossing_least(pair, d), high = gpi_crossing_most(pair, d);
    uint round = 0;
    for (ulong most = min(pair.a_count, pair.b_count); most > 0; most /= GPI_HALF) {
        const ulong stride = (high - low) / GPI_HALF + 1, i = low + (p + 1) * stride - 1;
        shared->before[l] = i < high && gpi_is_before(pair.a[i], pair.b[d - 1 - i], pair.flip);
        if (p == 0) shared->passed[round][side] = 0;
        gpi_sync(); /* all have probed, and nothing has passed yet */
        /* The last item's probe is beyond `high`. PoCL 3.1 loses the item's own answer, if it is not read
         * back. */
        if (shared->before[l] && !shared->before[l + 1])
            (void)atomic_max(&shared->passed[round][side], p + 1);
        gpi_sync(); /* the last probe before the crossing is known; `before` may be overwritten */
        low += shared->passed[round][side] * stride;
        high = min(high, low + stride - 1);
        round = 1 - round; /* this round's word is read until the next round's first barrier */
    }
    if (p == 0) shared->crossing[side] = low;
    gpi_sync(); /* both crossings are there */
}

/* Merges this item's elements of the staged tile, `length` of them in the tile and `a_length` from a. */
static void gpi_merge_item(gpi_key_bits flip, uint a_length, uint length, gpi_merge_shared shared)
{
    const uint d = min((uint)get_local_id(0) * GPI_PER_ITEM, length), b_length = length - a_length;
    uint low = d > b_length ? d - b_length : 0, high = min(d, a_length);
    while (low < high) {
        const uint i = (low + high) / 2;
        if (gpi_is_before(shared->stage[i], shared->stage[a_length + d - 1 - i], flip)) low = i + 1;
        else high = i;
    }
    uint i = low, j = a_length + d - low;
    gpi_key x = shared->stage[i], y = shared->stage[j];
    for (uint k = d; k < min(d + GPI_PER_ITEM, length); k++) {
        const bool first = j >= length || (i < a_length && gpi_is_before(x, y, flip));
        shared->order[GPI_MERGE_PAD(k)] = (ushort)(first ? i : j);
        const gpi_key next = shared->stage[(first ? i : j) + 1];
        if (first) i++, x = next;
        else j++, y = next;
    }
}

/* Elements [begin, end) of the output. All items call. */
static void gpi_merge_tile(gpi_pair pair, ulong begin, ulong end, gpi_merge_shared shared)
{
    const uint l = (uint)get_local_id(0), length = (uint)(end - begin);
    gpi_cross(pair, begin, end, shared);
    const ulong i = shared->crossing[0], j = begin - i;
    const uint a_length = (uint)gpi_share(i, shared->crossing[1], length);
    for (uint k = l; k < length; k += GPI_WG)
        shared->stage[k] = k < a_length ? pair.a[i + k] : pair.b[j + (k - a_length)];
    gpi_sync(); /* the tile is staged */
    gpi_merge_item(pair.flip, a_length, length, shared);
    gpi_sync(); /* its order is known */
    for (uint k = l; k < length; k += GPI_WG) {
        const uint from = shared->order[GPI_MERGE_PAD(k)];
        pair.out[begin + k] = shared->stage[from];
#if GPI_VALUE_SIZE
        pair.value_out[begin + k] =
            from < a_length ? pair.a_value[i + from] : pair.b_value[j + (from - a_length)];
#endif
    }
}
#endif
