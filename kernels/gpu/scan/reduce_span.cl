/* reduce_span.cl - reduces a span of gp_reduce: several tiles, by one group. */
#ifndef GPI_SCAN_REDUCE_SPAN_CL
#define GPI_SCAN_REDUCE_SPAN_CL
#include "base/platform.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/constants.cl"
#include "scan/reduce_tile.cl"

#define GPI_REDUCE_SPANS (GPI_REDUCE_SPANS_EACH * GPI_TILES_ABREAST) /* enough to keep the device busy */

static uint gpi_span_tiles(ulong count)
{
    const uint tiles = (uint)((count + GPI_TILE - 1) / GPI_TILE);
    return clamp((tiles + GPI_REDUCE_SPANS - 1) / GPI_REDUCE_SPANS, 1u, (uint)GPI_REDUCE_SPAN);
}

static uint gpi_spans(ulong count)
{
    const uint tiles = (uint)((count + GPI_TILE - 1) / GPI_TILE);
    return min(tiles, max((tiles + GPI_REDUCE_SPAN - 1) / GPI_REDUCE_SPAN, (uint)GPI_REDUCE_SPANS));
}

static GPI_T gpi_span_reduce(gpi_input input, uint span, gpi_tile_shared shared)
{
    const uint tiles = gpi_span_tiles(input.count);
#if GPI_COMMUTATIVE
    const ulong base = (ulong)span * GPI_SHARE_APART, apart = (ulong)gpi_spans(input.count) * GPI_SHARE_APART;
    const ulong limit = input.count;
#else
    const ulong base = (ulong)span * tiles * GPI_TILE, apart = GPI_SHARE_APART;
    const ulong limit = min(base + tiles * GPI_TILE, input.count);
#endif
    return gpi_group_reduce(
        GPI_COMBINE_OF(input) gpi_share_reduce(input, base, limit, tiles * GPI_PER_ITEM, apart), shared);
}

/* Returns whether this group is to combine the partials. Here it never is, because a launch of gp_reduce_partials always follows.
   */
static bool gpi_last_group(volatile __global uint *arrived)
{
    (void)arrived;
    return false;
}
#endif
