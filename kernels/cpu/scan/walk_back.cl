/* walk_back.cl - combines states of tiles, by the group's only item. */
#ifndef GPI_SCAN_WALK_BACK_CL
#define GPI_SCAN_WALK_BACK_CL
#include "base/platform.cl"
#include "element/monoid.cl"
#include "scan/tile.cl"
#include "scan/walk_back_item.cl"

/* Combines the states of the tiles before `next` to the left of *prefix, as far as they are published. Returns 0 when *prefix is
   complete, else n > 0: tile n-1 is late. (scan/walk_back_item.cl) */
static uint gpi_walk_back(GPI_COMBINE_PARAMETER volatile __global uint *state, uint next, GPI_T *prefix,
                          uint *polls, bool bounded, gpi_tile_shared shared)
{
    (void)shared;
    return gpi_walk_back_item(GPI_COMBINE_PASSED state, next, prefix, polls, bounded);
}
#endif
