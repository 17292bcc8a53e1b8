/* segments.cl - makes an input of each segment of a segmented reduction, and writes the results of segments. */
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

/* Where results go. GPI_OUTPUTS_PARAMETERS are the parameters of a kernel that writes results, and GPI_OUTPUTS_SET
   makes a gpi_outputs of them. */
#if GPI_MAPS
#define GPI_OUTPUT_PARAMETER(n) __global GPI_RESULT_##n *out##n, ulong out##n##_at,
#define GPI_OUTPUT_MEMBER(n) __global GPI_RESULT_##n *f##n;
#define GPI_OUTPUT_SET(n) outputs.f##n = out##n + out##n##_at;
#define GPI_OUTPUT_PUT(n) outputs.f##n[s] = gpi_field_result_##n(sum.f##n);
typedef struct gpi_outputs {
    GPI_FIELDS(GPI_OUTPUT_MEMBER)
} gpi_outputs;
#define GPI_OUTPUTS_PARAMETERS GPI_FIELDS(GPI_OUTPUT_PARAMETER)
#define GPI_OUTPUTS_SET(outputs) GPI_FIELDS(GPI_OUTPUT_SET)

static void gpi_segment_put(gpi_outputs outputs, ulong s, GPI_T sum) { GPI_FIELDS(GPI_OUTPUT_PUT) }

#else
typedef struct gpi_outputs {
    __global GPI_OUT *out;
    GPI_BASE initial;
    GPI_COMBINE_MEMBER
} gpi_outputs;
#define GPI_OUTPUTS_PARAMETERS __global GPI_OUT *out, ulong out_offset, gpi_argument initial,
#define GPI_OUTPUTS_SET(outputs)              \
    (outputs).out = out + out_offset;         \
    (outputs).initial = gpi_base_of(initial); \
    GPI_COMBINE_SET(outputs)

static void gpi_segment_put(gpi_outputs outputs, ulong s, GPI_T sum)
{
    GPI_WRITE(outputs.out, s,
              GPI_BASE_RESULT(gpi_base_combine(GPI_COMBINE_OF(outputs) outputs.initial, sum)));
}
#endif
#endif
