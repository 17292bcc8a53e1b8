/* input_vectors.cl - reads the elements of element/input.cl, and writes results, 16 at a time, if GPI_LANES is 16. */
#ifndef GPI_ELEMENT_INPUT_VECTORS_CL
#define GPI_ELEMENT_INPUT_VECTORS_CL
#include "base/paste.cl"
#include "base/platform.cl"
#include "element/input.cl"

#if GPI_LANES > 1
#if !GPI_IN_HALF && !GPI_MAPPED
typedef __attribute__((aligned(sizeof(GPI_IN)))) GPI_VECTOR(GPI_IN) gpi_in_row;
#endif
#if GPI_OUT_HALF
#define GPI_WRITE_VECTOR(out, i, v) vstore_half16(v, 0, (out) + (i))
#else
typedef GPI_VECTOR(GPI_OUT) gpi_out_vector __attribute__((aligned(sizeof(GPI_OUT))));
#define GPI_WRITE_VECTOR(out, i, v) GPI_STORE_VECTOR(gpi_out_vector, v, (out) + (i))
#endif

/* Returns input elements i ... i + 15, mapped. */
static GPI_VECTOR(GPI_Y) gpi_read_vector(gpi_input input, ulong i)
{
#if GPI_MAPPED
    GPI_Y lane[16];
    GPI_AT_ONCE
    for (uint k = 0; k < 16; k++) lane[k] = gpi_read(input, gpi_position(input, i + k));
    return vload16(0, lane);
#else
    const ulong position = GPI_REVERSE ? input.count - i - 16 : i;
#if GPI_IN_HALF
    const float16 v = vload_half16(0, input.in + position);
#else
    const GPI_VECTOR(GPI_IN) v = GPI_LOAD_VECTOR(gpi_in_row, input.in + position);
#endif
    return GPI_REVERSE ? GPI_TURNED(v) : v;
#endif
}

#ifndef GPI_HEAD_LANE
#if GPI_HEADS
#define GPI_HEAD_LANE GPI_HEAD
#else
#define GPI_HEAD_LANE GPI_INDEX_0
#endif
#endif
typedef GPI_VECTOR(GPI_HEAD_LANE) gpi_lane_heads;

#if GPI_HEADS
/* Returns -1 for each of the elements i ... i + 15 that begins a segment, and 0 for the others. i must not be 0. */
static gpi_lane_heads gpi_read_heads(gpi_input input, ulong i)
{
    __global const GPI_HEADS_TYPE *at = input.heads + (GPI_REVERSE ? input.count - i - 15 : i);
#if GPI_HEADS == 1
    const gpi_lane_heads heads =
        GPI_CONVERT(GPI_HEAD_LANE, vload16(0, at) != (GPI_VECTOR(GPI_HEADS_TYPE))(0));
#elif GPI_HEADS == 2
    const gpi_lane_heads heads = GPI_CONVERT(GPI_HEAD_LANE, vload16(0, at) != vload16(0, at - 1));
#elif GPI_PLAIN
    const gpi_lane_heads heads =
        GPI_CONVERT(GPI_HEAD_LANE, GPI_KEYS_OF(vload16(0, at)) != GPI_KEYS_OF(vload16(0, at - 1)));
#else
    GPI_HEAD_LANE lane[16];
    GPI_AT_ONCE
    for (uint k = 0; k < 16; k++) lane[k] = GPI_KEYS_DIFFER(input, at[k], at[(int)k - 1]) ? -1 : 0;
    const gpi_lane_heads heads = vload16(0, lane);
#endif
    return GPI_REVERSE ? GPI_TURNED(heads) : heads;
}
#endif
#endif
#endif
