/* select.cl - the passes of gp_select, gp_partition, gp_unique, gp_unique_by_key and gp_run_length_encode: a scan that
   counts selected elements (select/input.cl), whose tiles write elements instead of sums (select/compact.cl).

   Single pass (look-back):

       in    | tile 0 | tile 1 | ... |     gp_select_look_back: group per tile, tiles by ticket
       out   | selected | selected | ... |

   Multi-pass, no group waits for another:

       in        | tile 0 | tile 1 | ... |         gp_select_upsweep: group per tile
       partials  |   0    |   1    | ... | total |  gp_select_spine: one group
       out       | selected | selected | ... |         gp_select_downsweep: group per tile

   A single tile needs only the downsweep. A partition that puts its parts side by side in one array is multi-pass,
   because the second part begins where the first one ends, which must be known first.
   (Merrill & Garland 2016; Billeter, Olsson & Assarsson 2009 for compaction by tiles.)              */
#ifndef GPI_SELECT_SELECT_CL
#define GPI_SELECT_SELECT_CL
#include "select/input.cl" /* included first, because it replaces element/input.cl */
#include "select/tile.cl"  /* included second, because it replaces parts of scan/tile.cl */
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/monoid.cl"
#include "scan/lookback.cl"
#include "scan/reduce_then_scan.cl"
#include "scan/tile.cl"
#include "scan/tile_states.cl"
#include "select/compact.cl"

/* Writes the counts if the tile at `base` ends the input, or if the input is empty and the tile is the first. `total` has the
   counts up to the tile's end. */
static void gpi_tell_counts(gpi_input input, gpi_sink sink, ulong base, GPI_T total)
{
    const bool last = base < input.count ? base + GPI_TILE >= input.count : base == 0;
    if (last && GPI_LOCAL_ID == 0) gpi_counts_write(sink, total, input.count);
}

GPI_KERNEL void gp_select_look_back(GPI_INPUT_PARAMETERS, GPI_SINK_PARAMETERS, volatile __global uint *state,
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
    if (base >= input.count && id > 0) return; /* all later tiles return, too: no group waits for it */
    gpi_tile_open(&tile, input, base, shared);
    const GPI_T aggregate = gpi_tile_aggregate(&tile);
    const GPI_T prefix = gpi_look_back(state, id, aggregate, input, polls, counters, shared);
    /* The counts are written before the last barrier, because PoCL hangs in kernels that return early and branch after a barrier
       (docs/drivers.md). */
    gpi_tell_counts(input, sink, base, gpi_combine(prefix, aggregate));
    gpi_tile_compact(&tile, prefix, input, base, gpi_sink_open(sink, prefix, input.count), shared);
}

GPI_KERNEL void gp_select_upsweep(GPI_INPUT_PARAMETERS, __global GPI_T *partials)
{
    GPI_SHARED(gpi_tile_memory, shared);
    gpi_input input;
    GPI_INPUT_SET(input);
    gpi_sweep_up(input, partials, shared);
}

GPI_KERNEL void gp_select_spine(__global GPI_T *partials, uint tiles)
{
    GPI_SHARED(gpi_tile_memory, shared);
    const GPI_T total = gpi_sweep_spine(partials, tiles, gpi_identity(), shared);
    if (GPI_LOCAL_ID == 0) partials[tiles] = total;
}

/* Compacts a tile. partials[tile] elements are selected before it. If there is only one tile, `partials` is not read. */
GPI_KERNEL void gp_select_downsweep(GPI_INPUT_PARAMETERS, GPI_SINK_PARAMETERS, __global const GPI_T *partials,
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
    const GPI_T aggregate = gpi_tile_aggregate(&tile);
    const GPI_T prefix = tiles > 1 ? partials[id] : gpi_identity();
    const GPI_T total = tiles > 1 ? partials[tiles] : aggregate;
    gpi_tile_compact(&tile, prefix, input, base, gpi_sink_open(sink, total, input.count), shared);
    gpi_tell_counts(input, sink, base, gpi_combine(prefix, aggregate));
}
#endif
