/* input_vectors.cl - reads the elements of element/input.cl four at a time (GPI_QUADS). */
#ifndef GPI_ELEMENT_INPUT_VECTORS_CL
#define GPI_ELEMENT_INPUT_VECTORS_CL
#include "base/args.cl"
#include "base/paste.cl"
#include "base/platform.cl"
#include "element/input.cl"
#include "element/monoid.cl"

/* 1: elements can be read four at a time. */
#if GPI_INPUTS > 0 && !GPI_IN_RECORD && !GPI_MAPS && (GPI_MAPPED || GPI_FIELD_COUNT > 0) && !GPI_IN_HALF && \
    !(GPI_INPUTS == 2 && GPI_IN2_HALF) && !GPI_REVERSE && (!GPI_HEADS || GPI_KEYED)
#define GPI_QUADS 1
#if GPI_MAPPED && GPI_INPUTS == 2
#define GPI_QUAD_Y(k) gpi_map(GPI_ARGS_OF(input) x.s##k, y.s##k, i + k)
#elif GPI_MAPPED
#define GPI_QUAD_Y(k) gpi_map(GPI_ARGS_OF(input) x.s##k, i + k)
#else
#define GPI_QUAD_Y(k) x.s##k
#endif
#define GPI_QUAD_SET(k) out[k] = GPI_BASE_MAKE(GPI_QUAD_Y(k), i + k)

/* Loads elements i ... i + 3 into out. `aligned`: element i is aligned as a vector of four. */
static void gpi_load_quad(gpi_input input, ulong i, const bool aligned, GPI_LOADED *out)
{
    const GPI_QUAD(GPI_IN) x = GPI_READ_QUAD(GPI_IN, input.in + i, aligned);
#if GPI_INPUTS == 2
    const GPI_QUAD(GPI_IN2) y = GPI_READ_QUAD(GPI_IN2, input.in2 + i, aligned);
#endif
    GPI_QUAD_SET(0);
    GPI_QUAD_SET(1);
    GPI_QUAD_SET(2);
    GPI_QUAD_SET(3);
}

/* True if vector loads are aligned at every multiple of four. */
static bool gpi_quads_aligned(gpi_input input)
{
#if GPI_INPUTS == 2
    return GPI_IS_QUAD(GPI_IN, input.in) && GPI_IS_QUAD(GPI_IN2, input.in2);
#else
    return GPI_IS_QUAD(GPI_IN, input.in);
#endif
}
#else
#define GPI_QUADS 0
#endif
#endif
