/* reduce_segments.cl - reduces small segments: one by one, or, if they are short, GPI_SEGMENTS_BATCH at a time. If each
   short segment had its own loop, the loop's end would be mispredicted, unless all segments have the same length.

       at       | 0     | 3 | 4 | 4         | 8       where segments begin, counted from the first element
       head     | 1 0 0 | 1 |   | 1 0 0 0   |
       sum      | products since the last head  |     sum[0] is for empty segments, sum[i + 1] of element i */
#ifndef GPI_SCAN_REDUCE_SEGMENTS_CL
#define GPI_SCAN_REDUCE_SEGMENTS_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "base/segments.cl"
#include "element/input.cl"
#include "element/input_vectors.cl"
#include "element/monoid.cl"
#include "element/ops.cl"
#include "scan/reduce_tile.cl"
#include "scan/segment_batch.cl"
#include "scan/segments.cl"

#define GPI_SEGMENTS_FEW 64 /* segments of fewer elements are reduced without vectors */

static GPI_T gpi_segment_reduce(gpi_input segment, gpi_tile_shared shared)
{
    GPI_T sum = gpi_identity();
    for (ulong i = 0; i < segment.count && segment.count < GPI_SEGMENTS_FEW; i++)
        sum = gpi_combine(GPI_COMBINE_OF(segment) sum, gpi_load(segment, i));
    for (ulong base = 0; base < segment.count && segment.count >= GPI_SEGMENTS_FEW; base += GPI_TILE)
        sum = gpi_combine(GPI_COMBINE_OF(segment) sum, gpi_tile_reduce(segment, base, shared));
    return sum;
}

/* Reduces GPI_SEGMENTS_BATCH short segments, from segment s on. `input` begins with segment s, and `at` has the
   segments' bounds, counted from the first element of segment s. */
static void gpi_batch_reduce(gpi_input input, const uint *at, gpi_outputs outputs, ulong s)
{
    uchar head[GPI_BATCH_MOST + 16];
    GPI_T sum[GPI_BATCH_MOST + 1];
    gpi_input segment = input;
    uint begin = 0; /* where the segment begins */
    for (uint i = 0; i <= at[GPI_SEGMENTS_BATCH]; i += 16) vstore16((uchar16)(0), 0, head + i);
    for (uint k = 0; k < GPI_SEGMENTS_BATCH; k++) head[at[k]] = 1;
    sum[0] = gpi_identity();
    GPI_T last = sum[0];
    for (uint i = 0; i < at[GPI_SEGMENTS_BATCH]; i++) {
#if GPI_PLACES
        begin = head[i] ? i : begin;
        segment.in = input.in + begin;
#endif
        last = gpi_combine(GPI_COMBINE_OF(segment) head[i] ? sum[0] : last, gpi_load(segment, i - begin));
        sum[i + 1] = last;
    }
    for (uint k = 0; k < GPI_SEGMENTS_BATCH; k++)
        gpi_segment_put(outputs, s + k, sum[at[k + 1] > at[k] ? at[k + 1] : 0]);
}

/* Reduces GPI_SEGMENTS_BATCH segments of `length` elements each, from segment s on, each `stride` elements after the previous
   segment. `input` begins with segment s. */
GPI_INLINE void gpi_batch_reduce_even(gpi_input input, uint length, ulong stride, gpi_outputs outputs,
                                      ulong s)
{
    gpi_input segment = input;
    for (uint k = 0; k < GPI_SEGMENTS_BATCH; k++) {
        GPI_T sum = gpi_identity();
        uint i = 0;
        segment.in = input.in + k * stride;
#if GPI_LANES > 1
        gpi_lanes lanes = gpi_lanes_identity(sum);
        for (; i + GPI_LANES <= length; i += GPI_LANES)
            lanes = gpi_lanes_append(lanes, gpi_lanes_make(gpi_read_vector(segment, i), i));
        if (i > 0) sum = gpi_lanes_fold(lanes, sum, 0);
#endif
        for (; i < length; i++) sum = gpi_combine(GPI_COMBINE_OF(segment) sum, gpi_load(segment, i));
        gpi_segment_put(outputs, s + k, sum);
    }
}

/* Reduces the segments [s, s + GPI_SEGMENTS_BATCH). Does nothing and returns false if they are not short or an offset
   is bad. */
static bool gpi_segments_batch(gpi_input input, gpi_offsets offsets, ulong s, gpi_outputs outputs)
{
    uint at[GPI_SEGMENTS_BATCH + 1];
    gpi_input batch = input;
    uint uneven = 0;
    const bool rows = offsets.words == 0;
    const ulong begin = gpi_offset(offsets, s);
    if (rows ? offsets.row_length > GPI_BATCH_MOST / GPI_SEGMENTS_BATCH
             : !gpi_batch_open(offsets, s, begin, at))
        return false;
    batch.in += begin;
    if (rows) at[1] = (uint)offsets.row_length;
    for (uint k = 0; k < GPI_SEGMENTS_BATCH && !rows; k++) uneven |= at[k + 1] ^ (k + 1) * at[1];
    const ulong stride = rows ? offsets.row_stride : at[1];
    if (uneven) gpi_batch_reduce(batch, at, outputs, s);
    else if (at[1] == 1) gpi_batch_reduce_even(batch, 1, stride, outputs, s); /* without an inner loop */
    else gpi_batch_reduce_even(batch, at[1], stride, outputs, s);
    return true;
}

typedef uint gpi_listed_shared; /* one item shares nothing */
#define GPI_LISTED_SHARED(name) const gpi_listed_shared name = 0

GPI_NOINLINE void gpi_segments_block(gpi_input input, gpi_offsets offsets, gpi_list list, ulong first,
                                     ulong last, uint small, uint team, gpi_outputs outputs,
                                     volatile __global uint *counters, gpi_tile_shared shared,
                                     gpi_listed_shared listed)
{
    (void)team;
    (void)listed;
    for (ulong s = first; s < last;) {
        const ulong end = min(last, s + GPI_SEGMENTS_BATCH);
        if (end - s == GPI_SEGMENTS_BATCH && gpi_segments_batch(input, offsets, s, outputs)) s = end;
        for (; s < end; s++) {
            bool bad;
            const gpi_input segment = gpi_segment_of(input, offsets, s, &bad);
            if (bad) gpi_bad_add(list, counters);
            if (segment.count > small && gpi_large_add(list, s, segment.count, GPI_TILE)) continue;
            gpi_segment_put(outputs, s, gpi_segment_reduce(segment, shared));
        }
    }
}
#endif
