/* segments.cl - makes an input of each segment of gp_segmented_reduce. */
#ifndef GPI_SCAN_SEGMENTS_CL
#define GPI_SCAN_SEGMENTS_CL
#include "base/segments.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "element/ops.cl"
#include "scan/tile_input.cl"

/* 1: the result depends on the position of elements in their segment. */
#define GPI_PLACES (GPI_MAPPED || GPI_FIELD_COUNT > 1 || (GPI_FIELD_COUNT == 1 && GPI_OP_0 >= GPI_ARGMIN))

/* Returns segment s as an input. Sets *bad to whether the segment is bad; a bad segment is empty. */
static gpi_input gpi_segment_of(gpi_input input, gpi_offsets offsets, ulong s, bool *bad)
{
    const gpi_extent found = gpi_segment_find(offsets, s);
    gpi_input segment = input;
    *bad = found.bad;
    segment.count = found.length;
    segment.in = input.in + found.begin;
    return segment;
}

static void gpi_segment_put(GPI_COMBINE_PARAMETER __global GPI_OUT *out, ulong s, GPI_BASE initial, GPI_T sum)
{
    GPI_WRITE(out, s, GPI_BASE_RESULT(gpi_base_combine(GPI_COMBINE_PASSED initial, sum)));
}
#endif
