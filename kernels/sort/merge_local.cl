/* merge_local.cl - a merge in the local shape: what a group does with its tile.

   The tile is staged in local memory. Every item merges GPI_PER_ITEM elements of it into registers; they go back
   to the stage, and from there out, neighbours by neighbours.

   Parameters
       GPI_SHAPE_LOCAL                  1
       GPI_SUB_GROUP                    work-items of a sub-group, 0: none
       GPI_WG, GPI_PER_ITEM, GPI_TILE   items of a group, elements of an item, of a tile                  */
#ifndef GPI_SORT_MERGE_LOCAL_CL
#define GPI_SORT_MERGE_LOCAL_CL
#include "base/platform.cl"
#include "group/sub_group.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/merge_pair.cl"

#if !GPI_SHAPE_LOCAL || GPI_WG < 4 || GPI_TILE != GPI_WG * GPI_PER_ITEM || GPI_TILE > 32768
#error "GPI_WG must be 4 at least, GPI_TILE must be GPI_WG * GPI_PER_ITEM, and at most 32768"
#endif

/* Where merged element k is: items put theirs GPI_PER_ITEM apart, and should meet different banks. For x below a
   power of two that divides y, the place of x + y is the sum of theirs. */
#define GPI_MERGE_PAD(k) ((k) + (k) / 32)

typedef struct gpi_merge_memory {
    gpi_key stage[GPI_MERGE_PAD(GPI_TILE) + GPI_PER_ITEM]; /* the tile's elements of a, then those of b; the
                                                              last item reads beyond them */
#if GPI_VALUE_SIZE
    ushort order[GPI_MERGE_PAD(GPI_TILE)]; /* where on the stage the element was that comes d-th */
#endif
#if GPI_SUB_GROUP
    gpi_sg_memory sub_group;
#else
    uchar before[GPI_WG]; /* what the items have found at their probes */
    uint passed[2][2];    /* by round, even or odd, and diagonal: probes before the crossing */
#endif
    ulong crossing[2];
} gpi_merge_memory;

typedef __local gpi_merge_memory *gpi_merge_shared;

/* Elements of a in a tile of `length` between two crossings, which are any when the input is not sorted. */
static ulong gpi_share(ulong begin, ulong end, ulong length) { return min(max(begin, end) - begin, length); }

/* Does probe i, of a range that ends at `high`, come before the crossing of diagonal d? */
static bool gpi_has_passed(gpi_pair pair, ulong d, ulong i, ulong high)
{
    return i < high && gpi_is_before(pair.a[i], pair.b[d - 1 - i], pair.flip);
}

/* The crossings of diagonals `begin` and `end` into shared->crossing, by rounds of GPI_PROBES at equal distances,
   which leave the gap between two: a range of `most` at most becomes one of most / GPI_PROBES. The last probe is
   beyond the range. */
#if GPI_SUB_GROUP
#define GPI_PROBES (GPI_SUB_GROUP / 2) /* each half of sub-group 0 looks for one */
static void gpi_cross(gpi_pair pair, ulong begin, ulong end, gpi_merge_shared shared)
{
    const uint side = gpi_sg_lane() / GPI_PROBES, p = gpi_sg_lane() % GPI_PROBES;
    const gpi_sg_mask below = gpi_sg_below(GPI_PROBES), mine = side ? ~below : below;
    const ulong d = side ? end : begin;
    ulong low = gpi_crossing_least(pair, d), high = gpi_crossing_most(pair, d);
    if (gpi_sg_index() == 0 || GPI_SG_ALL) {
        for (ulong most = min(pair.a_count, pair.b_count); most > 0; most /= GPI_PROBES) {
            const ulong stride = (high - low) / GPI_PROBES + 1;
            const bool passed =
                gpi_sg_index() == 0 && gpi_has_passed(pair, d, low + (p + 1) * stride - 1, high);
            low += gpi_sg_count(gpi_sg_ballot(passed, &shared->sub_group) & mine) * stride;
            high = min(high, low + stride - 1);
        }
        if (gpi_sg_index() == 0 && p == 0) shared->crossing[side] = low;
    }
    gpi_sync(); /* both crossings are there */
}
#else
#define GPI_PROBES (GPI_WG / 2) /* each half of the group looks for one */
static void gpi_cross(gpi_pair pair, ulong begin, ulong end, gpi_merge_shared shared)
{
    const uint l = (uint)get_local_id(0), side = l / GPI_PROBES, p = l % GPI_PROBES;
    const ulong d = side ? end : begin;
    ulong low = gpi_crossing_least(pair, d), high = gpi_crossing_most(pair, d);
    uint round = 0;
    for (ulong most = min(pair.a_count, pair.b_count); most > 0; most /= GPI_PROBES) {
        const ulong stride = (high - low) / GPI_PROBES + 1, i = low + (p + 1) * stride - 1;
        shared->before[l] = gpi_has_passed(pair, d, i, high);
        if (p == 0) shared->passed[round][side] = 0;
        gpi_sync(); /* all have probed, and nothing has passed yet */
        /* PoCL 3.1 loses the item's own answer, if it is not read back. */
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
#endif

/* Stages the tile's elements of a, `a_length` of them from i on, then those of b, from j on. */
static void gpi_merge_load(gpi_pair pair, ulong i, ulong j, uint a_length, uint length,
                           gpi_merge_shared shared)
{
    const int l = (int)get_local_id(0), a_left = (int)a_length - l, left = (int)length - l;
    __global const gpi_key *a = pair.a + i + l, *b = pair.b + j - a_length + l;
    __local gpi_key *stage = shared->stage + l;
    gpi_key x[GPI_PER_ITEM];
    if (length == GPI_TILE) {
        GPI_UNROLL
        for (int s = 0; s < GPI_TURNS(GPI_TILE); s += GPI_WG) x[s / GPI_WG] = (s < a_left ? a : b)[s];
        GPI_UNROLL
        for (int s = 0; s < GPI_TURNS(GPI_TILE); s += GPI_WG) stage[s] = x[s / GPI_WG];
    } else {
        GPI_ROLLED
        for (int s = 0; s < left; s += GPI_WG) stage[s] = (s < a_left ? a : b)[s];
    }
    gpi_sync(); /* the tile is staged */
}

/* Merges this item's elements of the staged tile into x; `from`: where they are on the stage. */
static void gpi_merge_item(gpi_key_bits flip, uint a_length, uint length, gpi_key *x, ushort *from,
                           gpi_merge_shared shared)
{
    const uint d = min((uint)get_local_id(0) * GPI_PER_ITEM, length), b_length = length - a_length;
    uint low = d > b_length ? d - b_length : 0, high = min(d, a_length);
    while (low < high) {
        const uint i = (low + high) / 2;
        if (gpi_is_before(shared->stage[i], shared->stage[a_length + d - 1 - i], flip)) low = i + 1;
        else high = i;
    }
    uint i = low; /* of b comes a_length + d + k - i, when k are merged */
    gpi_key a = shared->stage[i], b = shared->stage[a_length + d - i];
    GPI_UNROLL
    for (uint k = 0; k < GPI_TURNS(GPI_PER_ITEM); k++) {
        const uint j = a_length + d + k - i;
        const bool first = j >= length || (i < a_length && gpi_is_before(a, b, flip));
        x[k] = first ? a : b;
        from[k] = (ushort)(first ? i : j);
        const gpi_key next = (shared->stage + 1)[first ? i : j];
        a = first ? next : a;
        b = first ? b : next;
        i += first;
    }
    gpi_sync(); /* the stage is read */
}

/* Writes the merged elements out, from `begin` on. */
static void gpi_merge_store(gpi_pair pair, ulong i, ulong j, ulong begin, uint a_length, uint length,
                            gpi_merge_shared shared)
{
    const uint l = (uint)get_local_id(0);
    const int left = (int)length - (int)l;
    __global gpi_key *out = pair.out + begin + l;
    __local const gpi_key *stage = shared->stage + GPI_MERGE_PAD(l);
    GPI_UNROLL
    for (int s = 0; s < GPI_TURNS(GPI_TILE); s += GPI_WG) {
        if (s >= left) continue;
        out[s] = stage[GPI_MERGE_PAD(s)];
#if GPI_VALUE_SIZE
        const uint at = (shared->order + GPI_MERGE_PAD(l))[GPI_MERGE_PAD(s)];
        (pair.value_out + begin + l)[s] =
            *(at < a_length ? pair.a_value + i + at : pair.b_value + j + (at - a_length));
#endif
    }
}

/* Elements [begin, end) of the output. All items call. */
static void gpi_merge_tile(gpi_pair pair, ulong begin, ulong end, gpi_merge_shared shared)
{
    const uint l = (uint)get_local_id(0), length = (uint)(end - begin), own = GPI_MERGE_PAD(l * GPI_PER_ITEM);
    gpi_key x[GPI_PER_ITEM];
    ushort from[GPI_PER_ITEM];
    gpi_cross(pair, begin, end, shared);
    const ulong i = shared->crossing[0], j = begin - i;
    const uint a_length = (uint)gpi_share(i, shared->crossing[1], length);
    gpi_merge_load(pair, i, j, a_length, length, shared);
    gpi_merge_item(pair.flip, a_length, length, x, from, shared);
    GPI_UNROLL
    for (uint k = 0; k < GPI_TURNS(GPI_PER_ITEM); k++) {
        (shared->stage + own)[GPI_MERGE_PAD(k)] = x[k];
#if GPI_VALUE_SIZE
        (shared->order + own)[GPI_MERGE_PAD(k)] = from[k];
#endif
    }
    gpi_sync(); /* the merged elements are there */
    gpi_merge_store(pair, i, j, begin, a_length, length, shared);
}
#endif
