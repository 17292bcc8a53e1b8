/* reduce_segments.cl - reduces small segments. A team of `team` items (a power of two) reduces one segment at a time, and a group
   has GPI_WG / team teams. */
#ifndef GPI_SCAN_REDUCE_SEGMENTS_CL
#define GPI_SCAN_REDUCE_SEGMENTS_CL
#include "base/platform.cl"
#include "base/segments.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/reduce_tile.cl"
#include "scan/segments.cl"

/* Returns the product of this item's share of its team's segment. The share is every `team`-th element if the operation commutes,
   and consecutive elements otherwise. */
static GPI_T gpi_segment_share(gpi_input segment, uint lane, uint team)
{
    const ulong run = (segment.count + team - 1) / team;
    GPI_T sum = gpi_identity();
    for (ulong j = 0; j < run; j++) {
        const ulong i = GPI_COMMUTATIVE ? j * team + lane : lane * run + j;
        if (i < segment.count) sum = gpi_combine(GPI_COMBINE_OF(segment) sum, gpi_load(segment, i));
    }
    return sum;
}

#if GPI_SUB_GROUP
/* Returns to the team's first item the product of the x of all the team's items, in item order. Items of a sub-group combine
   by shuffles. Then the sub-groups of a larger team combine through local memory. Before the step for d, `sum` of item l is
   the product of d items, from item l on. */
static GPI_T gpi_team_reduce(GPI_COMBINE_PARAMETER GPI_T x, uint lane, uint team, gpi_tile_shared shared)
{
    __local GPI_T *value = shared->value + ((uint)get_local_id(0) - lane);
    GPI_T sum = x;
    for (uint d = 1; d < min(team, (uint)GPI_SUB_GROUP); d *= 2)
        sum = gpi_combine(GPI_COMBINE_PASSED sum, gpi_items_down(sum, d, shared->value));
    for (uint d = GPI_SUB_GROUP; d < team; d *= 2) {
        value[lane] = sum;
        gpi_sync(); /* the products are written */
        if (lane + d < team) sum = gpi_combine(GPI_COMBINE_PASSED sum, value[lane + d]);
        gpi_sync(); /* the products are read: the next iteration may overwrite them */
    }
    return sum;
}

#else
/* Returns the product of the x of all items of the team, in item order. Combines them by a binary tree in local memory. */
static GPI_T gpi_team_reduce(GPI_COMBINE_PARAMETER GPI_T x, uint lane, uint team, gpi_tile_shared shared)
{
    __local GPI_T *value = shared->value + ((uint)get_local_id(0) - lane);
    value[lane] = x;
    for (uint d = 1; d < team; d *= 2) {
        const uint i = 2 * d * lane;
        gpi_sync(); /* the products of the last step are written */
        if (i + d < team) value[i] = gpi_combine(GPI_COMBINE_PASSED value[i], value[i + d]);
    }
    gpi_sync(); /* the root is written */
    x = value[0];
    gpi_sync(); /* the root is read: the next segments may overwrite it */
    return x;
}
#endif

/* Flags of a group's items. The flag of a team's first item says whether the team's segment is in the list of large
   segments. */
typedef __local uint *gpi_listed_shared;
#define GPI_LISTED_SHARED(name) __local uint name[GPI_WG]

/* Reduces segments [first, last), GPI_WG / team at a time, and writes their results. A segment of more than `small` elements is
   entered in the list of large segments instead. Segments with bad offsets are counted. */
static void gpi_segments_block(gpi_input input, gpi_offsets offsets, gpi_list list, ulong first, ulong last,
                               uint small, uint team, gpi_outputs outputs, volatile __global uint *counters,
                               gpi_tile_shared shared, gpi_listed_shared listed)
{
    const uint l = (uint)get_local_id(0), lane = l % team;
    for (ulong base = first; base < last; base += GPI_WG / team) {
        const ulong s = min(base + l / team, last - 1);
        const bool mine = base + l / team < last;
        bool bad;
        gpi_input segment = gpi_segment_of(input, offsets, s, &bad);
        if (mine && lane == 0) {
            if (bad) gpi_bad_add(list, counters);
            listed[l] = segment.count > small && gpi_large_add(list, s, segment.count, GPI_TILE);
        }
        gpi_sync(); /* `listed` is written */
        const bool skip = !mine || listed[l - lane];
#if GPI_SUB_GROUP
        gpi_sync(); /* `listed` is read: the next segments may overwrite it */
#endif
        segment.count = skip ? 0 : segment.count;
        const GPI_T sum =
            gpi_team_reduce(GPI_COMBINE_OF(input) gpi_segment_share(segment, lane, team), lane, team, shared);
        if (!skip && lane == 0) gpi_segment_put(outputs, s, sum);
    }
}
#endif
