/* reduce_then_scan.cl - the sweeps of a multi-pass scan, for the kernels of gp_scan and gp_select.

       partials   | 0 | 1 | ... |   gpi_sweep_up: writes each tile's product; group per tile
       partials   | 0 | 1 | ... |   gpi_sweep_spine: replaces it by the product before the tile; one group   */
#ifndef GPI_SCAN_REDUCE_THEN_SCAN_CL
#define GPI_SCAN_REDUCE_THEN_SCAN_CL
#include "base/platform.cl"
#include "element/monoid.cl"
#include "scan/tile.cl"
#include "scan/tile_input.cl"

static void gpi_sweep_up(gpi_input input, __global GPI_T *partials, gpi_tile_shared shared)
{
    const uint tile = (uint)get_group_id(0);
    const GPI_T sum = gpi_tile_reduce(input, (ulong)tile * GPI_TILE, shared);
    if (GPI_LOCAL_ID == 0) partials[tile] = sum;
}

/* Replaces partials[t] by begin . partials[0] ... partials[t-1]. Returns begin . all partials. */
static GPI_T gpi_sweep_spine(GPI_COMBINE_PARAMETER __global GPI_T *partials, uint tiles, GPI_T begin,
                             gpi_tile_shared shared)
{
    GPI_T carry = begin;
    for (uint base = 0; base < tiles; base += GPI_WG) {
        const uint i = base + (uint)GPI_LOCAL_ID;
        GPI_T total;
        const GPI_T x = i < tiles ? partials[i] : gpi_identity();
        const GPI_T before = gpi_group_scan(GPI_COMBINE_PASSED x, &total, shared);
        if (i < tiles) partials[i] = gpi_combine(GPI_COMBINE_PASSED carry, before);
        carry = gpi_combine(GPI_COMBINE_PASSED carry, total);
    }
    return carry;
}
#endif
