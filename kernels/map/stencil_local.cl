/* stencil_local.cl - stencils in the local shape: an element an item. */
#ifndef GPI_MAP_STENCIL_LOCAL_CL
#define GPI_MAP_STENCIL_LOCAL_CL
#include "base/args.cl"
#include "base/platform.cl"
#include "map/stencil_picture.cl"

#define GPI_STENCIL_LANES 1                                /* elements that an item makes side by side */
#define GPI_STENCIL_STEPS (GPI_TILE_X / GPI_STENCIL_LANES) /* of a row */

/* The tile whose first element is at (e, y), with its rim. */
static void gpi_stage(gpi_picture in, long e, long y, GPI_NEAR GPI_X *near)
{
    for (uint k = (uint)get_local_id(0); k < GPI_STENCIL_ROWS * GPI_ROW; k += GPI_WG)
        near[k] = gpi_read_any(in, e - GPI_RIM + k % GPI_ROW, y + k / GPI_ROW - GPI_RY);
}

GPI_INLINE GPI_LANE gpi_stencil_elements(gpi_picture in, GPI_NEAR const GPI_X *here, ulong e,
                                         ulong y GPI_WEIGHT_PARAMETER)
{
    (void)in;
#if GPI_WEIGHTS
    GPI_SUM sum = 0;
    for (int dy = -GPI_RY; dy <= GPI_RY; dy++) {
        for (int dx = -GPI_RX; dx <= GPI_RX; dx++)
            sum += (GPI_SUM)*weight++ * (GPI_SUM)here[dy * GPI_ROW + dx * GPI_CHANNELS];
    }
    return GPI_ROUND(sum);
#else
    return gpi_map(GPI_ARGS_OF(in) here, here[0], e / GPI_CHANNELS, y);
#endif
}

GPI_INLINE void gpi_write(__global GPI_OUT *out, GPI_LANE v, uint count)
{
    (void)count;
    GPI_STENCIL_WRITE(out, 0, v);
}
#endif
