/* scan_segments.cl - scans small segments, one after the other, or, if they are short, GPI_SEGMENTS_BATCH at a time. */
#ifndef GPI_SCAN_SCAN_SEGMENTS_CL
#define GPI_SCAN_SCAN_SEGMENTS_CL
#include "base/platform.cl"
#include "base/segments.cl"
#include "element/input.cl"
#include "element/input_vectors.cl"
#include "element/monoid.cl"
#include "scan/lanes_scan.cl"
#include "scan/segment_batch.cl"
#include "scan/segments.cl"
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

#if GPI_LANES > 1 && !GPI_PLACES
#define GPI_SCANS_BATCHES 1
#define GPI_BATCH_SCANNED \
    (20 * GPI_SEGMENTS_BATCH) /* the most elements of a batch: longer segments take less time one by one */

/* Scans GPI_SEGMENTS_BATCH short segments. `batch` and `sink` begin with the first segment, and `at` has the segments'
   bounds, counted from there. The scan of a vector begins anew at each head. */
GPI_INLINE void gpi_batch_scan(gpi_input batch, const uint *at, gpi_sink sink, const bool exclusive)
{
    GPI_HEAD_LANE head[GPI_BATCH_MOST + 16];
    const uint n = at[GPI_SEGMENTS_BATCH];
    const GPI_T e = gpi_identity();
    GPI_T sum = e;
    uint i = 0;
    for (uint k = 0; k <= n; k += 16) vstore16((gpi_lane_heads)(0), 0, head + k);
    for (uint k = 0; k < GPI_SEGMENTS_BATCH; k++)
        head[GPI_REVERSE ? n - at[k + 1] : at[k]] = ~(GPI_HEAD_LANE)0;
    for (; i + GPI_LANES <= n; i += GPI_LANES) {
        const gpi_lane_heads heads = vload16(0, head + i);
        gpi_lane_heads begun = heads;
        gpi_lanes v = gpi_lanes_scan_segments(gpi_lanes_make(gpi_read_vector(batch, i), 0), e, &begun);
        v = select(gpi_lanes_combine((gpi_lanes)(sum), v), v, begun);
        const GPI_T next = GPI_LAST(v);
        if (exclusive) v = select(GPI_SHIFT(gpi_lanes, v, sum), (gpi_lanes)(e), heads);
        gpi_put_vector(batch, sink, i, gpi_lanes_combine((gpi_lanes)(sink.initial), v));
        sum = next;
    }
    for (; i < n; i++) {
        const GPI_T before = head[i] ? e : sum;
        sum = gpi_combine(GPI_COMBINE_OF(batch) before, gpi_load(batch, i));
        gpi_put(sink, gpi_position(batch, i),
                gpi_combine(GPI_COMBINE_OF(batch) sink.initial, exclusive ? before : sum));
    }
}
#else
#define GPI_SCANS_BATCHES 0
#endif

/* Scans the segments [s, s + GPI_SEGMENTS_BATCH) as a batch. Does nothing and returns false if they are rows, are not short, or
   have bad offsets. */
GPI_INLINE bool gpi_segments_batch(gpi_input input, gpi_offsets offsets, ulong s, gpi_sink sink)
{
#if GPI_SCANS_BATCHES
    uint at[GPI_SEGMENTS_BATCH + 1];
    gpi_input batch = input;
    gpi_sink to = sink;
    const ulong begin = gpi_offset(offsets, s);
    if (offsets.words == 0 || gpi_offset(offsets, s + GPI_SEGMENTS_BATCH) - begin > GPI_BATCH_SCANNED ||
        !gpi_batch_open(offsets, s, begin, at))
        return false;
    batch.in += begin;
    batch.count = at[GPI_SEGMENTS_BATCH];
    to.out += begin;
    if (sink.exclusive) gpi_batch_scan(batch, at, to, true);
    else gpi_batch_scan(batch, at, to, false);
    return true;
#else
    return false;
#endif
}

typedef uint gpi_listed_shared; /* one item shares nothing */
#define GPI_LISTED_SHARED(name) const gpi_listed_shared name = 0

/* Scans segments [first, last). A segment of more than `small` elements is entered in the list of large segments instead.
   Segments with bad offsets are counted. */
GPI_NOINLINE void gpi_segments_scan(gpi_input input, gpi_offsets offsets, gpi_list list, ulong first,
                                    ulong last, uint small, uint team, gpi_sink sink,
                                    volatile __global uint *counters, gpi_tile_shared shared,
                                    gpi_listed_shared listed)
{
    (void)team;
    (void)listed;
    for (ulong s = first; s < last; s++) {
        if (s + GPI_SEGMENTS_BATCH <= last && gpi_segments_batch(input, offsets, s, sink)) {
            s += GPI_SEGMENTS_BATCH - 1;
            continue;
        }
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
