/* walk_back.cl - combines the states of earlier tiles: by the lanes of a sub-group, or by one item if there are no sub-groups. */
#ifndef GPI_SCAN_WALK_BACK_CL
#define GPI_SCAN_WALK_BACK_CL
#include "base/platform.cl"
#include "group/sub_group.cl"
#include "element/monoid.cl"
#include "scan/tile.cl"
#include "scan/tile_states.cl"

#if GPI_SUB_GROUP
/* GPI_WALKS_BACK is true if this item walks back. GPI_WALKS_ALL 1: the other items must call gpi_walk_back, too. */
#define GPI_WALKS_BACK (gpi_sg_index() == 0)
#define GPI_WALKS_ALL GPI_SG_ALL

#if GPI_ORDERED
/* Computes the product of `seen` over lanes anchor, anchor - 1, ... 0, in this order, and returns it to lane 0. In each
   of `anchor` iterations, every lane below `anchor` sets its product to that of the lane above, times its own
   `seen`. */
static GPI_T gpi_fold_lanes(GPI_COMBINE_PARAMETER GPI_T seen, uint anchor, gpi_tile_shared shared)
{
    const uint l = gpi_sg_lane();
    GPI_T sum = seen;
    for (uint k = 0; gpi_sg_vote(k < anchor, &shared->sub_group); k++) {
        const GPI_T above = gpi_items_down(sum, 1, shared->value);
        if (l < anchor) sum = gpi_combine(GPI_COMBINE_PASSED above, seen);
    }
    return sum;
}
#endif

/* Prepends to *prefix the states of the tiles before `next`, back to the first one that is not published yet. Returns 0
   when *prefix is complete, else n > 0: tile n-1 is late. Lane 0's *prefix is the result. Differs from
   scan/walk_back_item.cl in that a whole sub-group calls it, and lane l reads the state of tile next-1-l. Each
   iteration combines the states of the nearest tiles: it stops after an inclusive state, or before a late tile. If
   sub-groups are emulated, all items of the group must call it. Items of other sub-groups pass `next` 0. (lookback.pml:
   LANES.) */
static uint gpi_walk_back(GPI_COMBINE_PARAMETER volatile __global uint *state, uint next, GPI_T *prefix,
                          uint *polls, bool bounded, gpi_tile_shared shared)
{
    const uint l = gpi_sg_lane();
    bool more = next > 0;
#if GPI_ORDERED
    bool anchored = false;
#endif
    while (gpi_sg_vote(more, &shared->sub_group)) {
        GPI_T seen = gpi_identity();
        uint flag = GPI_INCLUSIVE; /* the flag of a lane without a tile */
        if (l < next) flag = gpi_observe(state, next - 1 - l, &seen);
        const uint inclusive = gpi_sg_first(gpi_sg_ballot(flag == GPI_INCLUSIVE, &shared->sub_group));
        const uint late = gpi_sg_first(gpi_sg_ballot(flag == GPI_EMPTY, &shared->sub_group));
        uint told = min(inclusive + 1, late);
        GPI_T sum = gpi_identity();
#if GPI_ORDERED
        const bool anchors = flag == GPI_INCLUSIVE || (flag == GPI_AGGREGATE && seen.head > 0);
        const uint anchor = gpi_sg_first(gpi_sg_ballot(anchors, &shared->sub_group));
        if (!anchored && anchor >= told) told = 0;
        const GPI_T folded =
            gpi_fold_lanes(GPI_COMBINE_PASSED seen, anchored || told == 0 ? 0 : anchor, shared);
#endif
        if (l < told) sum = seen;
        GPI_UNROLL
        for (uint d = 1; d < GPI_STRUCT_TURNS(GPI_SUB_GROUP); d *= 2)
            sum = gpi_combine(GPI_COMBINE_PASSED gpi_items_down(sum, d, shared->value),
                              sum); /* lane 0 has the product of lanes 0 to 2 d - 1 */
#if GPI_ORDERED
        if (!anchored) sum.value = folded.value;
        if (told > 0) *prefix = anchored ? gpi_combine(GPI_COMBINE_PASSED sum, *prefix) : sum;
        anchored = anchored || told > 0;
        next = told > 0 && inclusive < late ? 0 : next - told;
#else
        *prefix = gpi_combine(GPI_COMBINE_PASSED sum, *prefix);
        next = inclusive < late ? 0 : next - told;
#endif
        more = next > 0 && (told > 0 || !bounded || *polls > 0);
        if (more && told == 0) {
            *polls -= 1;
            gpi_sg_pause();
        }
    }
    return next; /* not 0 if a device wrongly left the loop early, so that an incomplete prefix is not used */
}
#else
#include "scan/walk_back_item.cl"
#endif
#endif
