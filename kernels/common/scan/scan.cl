/* scan.cl - inclusive  out[i] = initial . in[0] ... in[i]
             exclusive  out[i] = initial . in[0] ... in[i-1]

   Single pass (look-back), 2 n elements moved:

       in   | tile 0 | tile 1 | ... |      gp_scan_look_back: group per tile, tiles by ticket
       out  | tile 0 | tile 1 | ... |

   Multi-pass (reduce, then scan), 3 n elements moved; no group waits for another:

       in       | tile 0 | tile 1 | ... |  gp_scan_upsweep: group per tile
       partials |   0    |   1    | ... |  gp_scan_spine: one group, exclusive scan in place
       out      | tile 0 | tile 1 | ... |  gp_scan_downsweep: group per tile

   A single tile needs only the downsweep. In a segmented scan `initial` precedes each segment, and the call's first element is
   always a head.
   (Merrill & Garland 2016; Sengupta et al. 2007 for the sweeps.)                                     */
#ifndef GPI_SCAN_SCAN_CL
#define GPI_SCAN_SCAN_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/lookback.cl"
#include "scan/reduce_then_scan.cl"
#include "scan/tile.cl"
#include "scan/tile_scan.cl"
#include "scan/tile_states.cl"

/* Returns the product before the first tile. */
static GPI_T gpi_scan_begin(GPI_BASE initial)
{
#if GPI_SEGMENTED
    return gpi_identity(); /* gpi_put (scan/tile_sink.cl) puts `initial` before each segment */
#else
    return initial;
#endif
}

GPI_KERNEL void gp_scan_look_back(GPI_INPUT_PARAMETERS, GPI_SINK_PARAMETERS, volatile __global uint *state,
                                  uint polls, volatile __global uint *counters)
{
    GPI_SHARED(gpi_tile_memory, shared);
    gpi_tile tile;
    gpi_input input;
    gpi_sink sink;
    GPI_INPUT_SET(input);
    GPI_SINK_SET(sink);
    const uint id = gpi_take_ticket(state, shared);
    const ulong base = (ulong)id * GPI_TILE;
    GPI_COUNT_CHECK(id == 0, counters);
    if (base >= input.count) return; /* all later tiles return, too: no group waits for this one */
    gpi_tile_open(&tile, input, base, shared);
    const GPI_T aggregate = gpi_tile_aggregate(&tile);
    const GPI_T prefix = gpi_look_back(state, id, aggregate, input, polls, counters, shared);
    gpi_tile_scan(&tile, gpi_combine(GPI_COMBINE_OF(input) gpi_scan_begin(sink.initial), prefix), input, base,
                  sink, shared);
}

GPI_KERNEL void gp_scan_upsweep(GPI_INPUT_PARAMETERS, __global GPI_T *partials)
{
    GPI_SHARED(gpi_tile_memory, shared);
    gpi_input input;
    GPI_INPUT_SET(input);
    gpi_sweep_up(input, partials, shared);
}

/* Replaces partials[t] by initial . partials[0] ... partials[t-1]. */
GPI_KERNEL void gp_scan_spine(GPI_COMBINE_PARAMETERS __global GPI_T *partials, uint tiles,
                              gpi_argument initial)
{
    GPI_SHARED(gpi_tile_memory, shared);
    (void)gpi_sweep_spine(GPI_COMBINE_HERE partials, tiles, gpi_scan_begin(gpi_base_of(initial)), shared);
}

/* Scans the group's tile. The product before the tile is partials[tile], or `initial` if there is only one tile: then `partials`
   is not read. */
GPI_KERNEL void gp_scan_downsweep(GPI_INPUT_PARAMETERS, GPI_SINK_PARAMETERS, __global const GPI_T *partials,
                                  uint tiles, volatile __global uint *counters)
{
    GPI_SHARED(gpi_tile_memory, shared);
    gpi_tile tile;
    gpi_input input;
    gpi_sink sink;
    const uint id = (uint)get_group_id(0);
    const ulong base = (ulong)id * GPI_TILE;
    GPI_INPUT_SET(input);
    GPI_SINK_SET(sink);
    GPI_COUNT_CHECK(id == 0, counters);
    gpi_tile_open(&tile, input, base, shared);
    const GPI_T prefix = tiles > 1 ? partials[id] : gpi_scan_begin(sink.initial);
    gpi_tile_scan(&tile, prefix, input, base, sink, shared);
}
#endif
