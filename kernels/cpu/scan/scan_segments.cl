/* scan_segments.cl - scans small segments, one after the other. */
#ifndef GPI_SCAN_SCAN_SEGMENTS_CL
#define GPI_SCAN_SCAN_SEGMENTS_CL
#include "base/platform.cl"
#include "base/segments.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/tile.cl"
#include "scan/tile_scan.cl"
#include "scan/tile_sink.cl"

/* Scans a segment. The chains of scan/tile.cl need a tile that was opened. */
GPI_INLINE void gpi_segment_scan(gpi_input segment, gpi_sink sink, const bool exclusive,
                                 gpi_tile_shared shared)
{
    GPI_T sum = sink.initial;
    for (ulong base = 0; base < segment.count; base += GPI_TILE) {
        gpi_tile tile;
        if (GPI_TILE_RUNS > 1) gpi_tile_open(&tile, segment, base, shared);
        sum = gpi_scan_serial(&tile, segment, base, sum, sink, exclusive, GPI_TILE_AHEAD / sizeof(GPI_IN));
    }
}

typedef uint gpi_listed_shared; /* one item shares nothing */
#define GPI_LISTED_SHARED(name) const gpi_listed_shared name = 0

/* Scans segments [first, last). A segment of more than `small` elements is entered in the list of large ones instead. Segments with
   bad offsets are counted. */
GPI_NOINLINE void gpi_segments_scan(gpi_input input, gpi_offsets offsets, gpi_list list, ulong first,
                                    ulong last, uint small, uint team, gpi_sink sink,
                                    volatile __global uint *counters, gpi_tile_shared shared,
                                    gpi_listed_shared listed)
{
    (void)team;
    (void)listed;
    for (ulong s = first; s < last; s++) {
        const gpi_extent extent = gpi_segment_find(offsets, s);
        gpi_input segment = input;
        gpi_sink to = sink;
        segment.in = input.in + extent.begin;
        segment.count = extent.length;
        to.out = sink.out + extent.begin;
        if (extent.bad) gpi_bad_add(list, counters);
        if (segment.count > small && gpi_large_add(list, s, segment.count, GPI_TILE)) continue;
        if (sink.exclusive) gpi_segment_scan(segment, to, true, shared);
        else gpi_segment_scan(segment, to, false, shared);
    }
}
#endif
