/* tile_sink.cl - writes a scan's results. */
#ifndef GPI_SCAN_TILE_SINK_CL
#define GPI_SCAN_TILE_SINK_CL
#include "base/paste.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "element/ops.cl"

typedef struct gpi_sink {
    GPI_COMBINE_MEMBER
    __global GPI_OUT *out;
    GPI_BASE initial; /* precedes each segment; unused without segments */
    uint exclusive;
} gpi_sink;

#define GPI_SINK_PARAMETERS __global GPI_OUT *out, ulong out_offset, gpi_argument initial, uint exclusive
#define GPI_SINK_SET(sink)                 \
    GPI_COMBINE_SET(sink)                  \
    (sink).out = out + out_offset;         \
    (sink).initial = gpi_base_of(initial); \
    (sink).exclusive = exclusive

/* Returns the exclusive scan's result for x. `sum` is the product of everything before x. */
static GPI_T gpi_before(GPI_T sum, GPI_T x)
{
#if GPI_SEGMENTED
    if (x.head) return gpi_identity();
#endif
    return sum;
}

static void gpi_put(gpi_sink sink, ulong position, GPI_T x)
{
#if GPI_SEGMENTED
    GPI_WRITE(sink.out, position,
              GPI_BASE_RESULT(gpi_base_combine(GPI_COMBINE_OF(sink) sink.initial, x.value)));
#else
    GPI_WRITE(sink.out, position, GPI_BASE_RESULT(x));
#endif
}

/* GPI_PUT_QUADS 1: four results can be written at once. */
#if !GPI_REVERSE && !GPI_OUT_HALF && GPI_FIELD_COUNT == 1
#define GPI_PUT_QUADS 1
#if GPI_SEGMENTED
#define GPI_PUT_RESULT(k) GPI_BASE_RESULT(gpi_base_combine(GPI_COMBINE_OF(sink) sink.initial, x[k].value))
#else
#define GPI_PUT_RESULT(k) GPI_BASE_RESULT(x[k])
#endif

/* Writes x[0] ... x[3] as results i ... i + 3. gpi_put_aligned(sink) must hold. */
static void gpi_put_quad(gpi_sink sink, ulong i, const GPI_T *x)
{
    *(__global GPI_QUAD(GPI_OUT) *)(sink.out + i) =
        (GPI_QUAD(GPI_OUT))(GPI_PUT_RESULT(0), GPI_PUT_RESULT(1), GPI_PUT_RESULT(2), GPI_PUT_RESULT(3));
}

/* True if vector stores are aligned at every multiple of four. */
static bool gpi_put_aligned(gpi_sink sink) { return GPI_IS_QUAD(GPI_OUT, sink.out); }
#else
#define GPI_PUT_QUADS 0
#endif
#endif
