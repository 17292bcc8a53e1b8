/* map_tile.cl - a range of elements mapped by one item. */
#ifndef GPI_MAP_MAP_TILE_CL
#define GPI_MAP_MAP_TILE_CL
#include "base/platform.cl"
#include "map/operands.cl"

/* How far ahead the next elements are asked for, in bytes: the hardware's own prefetching stops at every
   page's end. Once a cache line: a vector of small elements is less than one. */
#define GPI_MAP_AHEAD(p, i, hint) \
    if (sizeof *(p) >= 4 || (i) % 64 < 16) GPI_PREFETCH_##hint((p) + (i) + 2048 / sizeof *(p))

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
#else /* a cache line */
#define GPI_MAP_STEP (sizeof(GPI_OUT) < 64 ? 64 / sizeof(GPI_OUT) : 1)
#endif

/* Elements i .. i + GPI_MAP_STEP - 1, i > 0 with GPI_LAG. */
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
