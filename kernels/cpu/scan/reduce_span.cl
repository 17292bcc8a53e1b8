/* reduce_span.cl - reduces a span of gp_reduce: one tile, by one group. */
#ifndef GPI_SCAN_REDUCE_SPAN_CL
#define GPI_SCAN_REDUCE_SPAN_CL
#include "base/platform.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/reduce_tile.cl"

static uint gpi_spans(ulong count) { return (uint)((count + GPI_TILE - 1) / GPI_TILE); }

static GPI_T gpi_span_reduce(gpi_input input, uint span, gpi_tile_shared shared)
{
    return gpi_tile_reduce(input, (ulong)span * GPI_TILE, shared);
}

/* Returns whether this group is the last one of its launch to call this function. If it is, the other groups' writes before their
   calls are visible, and the counter is 0 again for the next launch, which must not run at the same time. */
static bool gpi_last_group(volatile __global uint *arrived)
{
    GPI_RELEASE();
    if (atomic_inc(arrived) + 1 != get_num_groups(0)) return false;
    GPI_ACQUIRE();
    *arrived = 0;
    return true;
}
#endif
