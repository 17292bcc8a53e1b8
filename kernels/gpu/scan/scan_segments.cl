/* scan_segments.cl - scans small segments. A team of `team` items (a power of two) scans one segment at a time, in steps of `team`
   elements, and a group has GPI_WG / team teams. */
#ifndef GPI_SCAN_SCAN_SEGMENTS_CL
#define GPI_SCAN_SCAN_SEGMENTS_CL
#include "base/platform.cl"
#include "base/segments.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/team_scan.cl"
#include "scan/tile.cl"
#include "scan/tile_sink.cl"

#if GPI_TILE_PAD(GPI_TILE_STAGE) < GPI_WG
#error "the stage has a cell for each item"
#endif

/* Flags of a group's items: the flag of a team's first item says whether the team scans. The last element is the
   greatest number of steps that any team of the group has needed so far. */
typedef __local uint *gpi_listed_shared;
#define GPI_LISTED_SHARED(name) __local uint name[GPI_WG + 1]

/* Scans a segment by its team. All teams take `steps` steps. */
static void gpi_segment_scan(gpi_input segment, gpi_sink sink, uint lane, uint team, uint steps,
                             __local GPI_T *cell)
{
    GPI_T carry = sink.initial;
    for (uint step = 0; step < steps; step++) {
        const ulong i = (ulong)step * team + lane;
        const bool inside = i < segment.count;
        GPI_T total;
        const GPI_T x = inside ? gpi_load(segment, i) : gpi_identity();
        const GPI_T within = gpi_team_scan(GPI_COMBINE_OF(segment) x, lane, team, 1, &total, cell);
        const GPI_T before = gpi_combine(GPI_COMBINE_OF(segment) carry, within);
        const GPI_T next = gpi_combine(GPI_COMBINE_OF(segment) before, x);
        if (inside) gpi_put(sink, gpi_position(segment, i), sink.exclusive ? before : next);
        carry = gpi_combine(GPI_COMBINE_OF(segment) carry, total);
    }
}

/* Scans segments [first, last), GPI_WG / team at a time. A segment of more than `small` elements is entered in the list of large
   segments instead. Segments with bad offsets are counted. */
static void gpi_segments_scan(gpi_input input, gpi_offsets offsets, gpi_list list, ulong first, ulong last,
                              uint small, uint team, gpi_sink sink, volatile __global uint *counters,
                              gpi_tile_shared shared, gpi_listed_shared listed)
{
    const uint l = (uint)get_local_id(0), lane = l % team;
    if (l == 0) listed[GPI_WG] = 0;
    for (ulong base = first; base < last; base += GPI_WG / team) {
        const bool mine = base + l / team < last;
        const gpi_extent extent = gpi_segment_find(offsets, min(base + l / team, last - 1));
        gpi_input segment = input;
        gpi_sink to = sink;
        gpi_sync(); /* the previous flags are read; at first: listed[GPI_WG] is 0 */
        if (lane == 0) {
            const uint needed = (uint)min((extent.length + team - 1) / team, (ulong)UINT_MAX);
            if (mine && extent.bad) gpi_bad_add(list, counters);
            listed[l] = mine && (extent.length <= small ||
                                 !gpi_large_add(list, base + l / team, extent.length, GPI_TILE));
            if (listed[l]) (void)atomic_max(listed + GPI_WG, needed);
        }
        gpi_sync(); /* the flags are written */
        segment.in = input.in + extent.begin;
        segment.count = listed[l - lane] ? extent.length : 0;
        to.out = sink.out + extent.begin;
        gpi_segment_scan(segment, to, lane, team, listed[GPI_WG], shared->stage);
    }
}
#endif
