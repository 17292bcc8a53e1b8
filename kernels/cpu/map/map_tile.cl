/* map_tile.cl - one item maps a range of elements. */
#ifndef GPI_MAP_MAP_TILE_CL
#define GPI_MAP_MAP_TILE_CL
#include "base/platform.cl"
#include "map/operands.cl"

/* Prefetches 2048 bytes ahead of element i of p, because the hardware's own prefetching stops at the end of each page. Prefetches
   each line once: 16 small elements are less than a line. */
#define GPI_MAP_AHEAD(p, i, hint) \
    if ((i) * sizeof *(p) % 64 < 16 * sizeof *(p)) GPI_PREFETCH_##hint((p) + (i) + 2048 / sizeof *(p))

static void gpi_prefetch(gpi_inputs in, __global GPI_OUT *out, ulong i)
{
#if GPI_INPUTS > 0
    GPI_MAP_AHEAD(in.x, i, READ);
#endif
#if GPI_INPUTS > 1 && !GPI_LAG
    GPI_MAP_AHEAD(in.y, i, READ);
#endif
#if GPI_INPUTS > 2
    GPI_MAP_AHEAD(in.z, i, READ);
#endif
    GPI_MAP_AHEAD(out, i, WRITE);
}

#ifdef GPI_OUT_VECTOR
#define GPI_MAP_STEP 16
#else /* a step has the elements of a cache line */
#define GPI_MAP_STEP (sizeof(GPI_OUT) < 64 ? 64 / sizeof(GPI_OUT) : 1)
#endif

/* Writes elements i .. i + GPI_MAP_STEP - 1 of the output; with GPI_LAG i > 0. */
GPI_INLINE void gpi_map_step(gpi_inputs in, __global GPI_OUT *out, ulong i)
{
    gpi_prefetch(in, out, i);
#ifdef GPI_OUT_VECTOR
    GPI_LANE lane[GPI_MAP_STEP] __attribute__((aligned(64)));
    GPI_AT_ONCE
    for (uint k = 0; k < GPI_MAP_STEP; k++) lane[k] = gpi_map_value(in, i + k);
#if GPI_OUT_HALF
    vstore_half16(vload16(0, lane), 0, out + i);
#else
    GPI_STORE_VECTOR(gpi_out_vector, GPI_LOAD_PRIVATE(gpi_out_vector, lane), out + i);
#endif
#else
#pragma unroll
    for (uint k = 0; k < GPI_MAP_STEP; k++) GPI_MAP_WRITE(out, i + k, gpi_map_value(in, i + k));
#endif
}

GPI_INLINE void gpi_map_tile(gpi_inputs in, __global GPI_OUT *out, ulong first, ulong end)
{
    ulong i = first;
    if (GPI_LAG && i == 0 && end > 0) {
        GPI_MAP_WRITE(out, 0, gpi_value_any(in, 0));
        i = 1;
    }
    for (; i + GPI_MAP_STEP <= end; i += GPI_MAP_STEP) gpi_map_step(in, out, i);
    for (; i < end; i++) GPI_MAP_WRITE(out, i, gpi_map_value(in, i));
}
#endif
