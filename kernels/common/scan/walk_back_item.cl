/* walk_back_item.cl - combines the states of earlier tiles, one after the other, by one item. */
#ifndef GPI_SCAN_WALK_BACK_ITEM_CL
#define GPI_SCAN_WALK_BACK_ITEM_CL
#include "base/platform.cl"
#include "element/monoid.cl"
#include "scan/tile.cl"
#include "scan/tile_states.cl"

/* GPI_WALKS_BACK is true if this item walks back. GPI_WALKS_ALL 1: the other items must call gpi_walk_back, too. */
#define GPI_WALKS_BACK (GPI_LOCAL_ID == 0)
#define GPI_WALKS_ALL 0

#if GPI_ORDERED
/* Waits until `tile` has published a state. Returns the state's flag, and sets *value. Ends because the tile's group has started,
   and the device keeps it running. */
static uint gpi_await(volatile __global uint *state, uint tile, GPI_T *value)
{
    uint flag = gpi_observe(state, tile, value);
    while (flag == GPI_EMPTY) {
        GPI_PAUSE();
        flag = gpi_observe(state, tile, value);
    }
    return flag;
}

/* Sets *product to the product of tiles anchor ... next - 1 (scan/lookback.cl: Ordered). Returns 0 if that is the product of all
   tiles before `next`, else the anchor. Ends because the first loop counts down to 0 at most, and the second loop counts up to
   `next`. */
static uint gpi_fold_back(GPI_COMBINE_PARAMETER volatile __global uint *state, uint next, GPI_T *product)
{
    uint anchor = next;
    bool inclusive = false;
    GPI_T seen = *product;
    while (anchor > 0 && (anchor == next || (!inclusive && seen.head == 0)))
        inclusive = gpi_await(state, --anchor, &seen) == GPI_INCLUSIVE;
    *product = seen;
    for (uint k = anchor + 1; k < next; k++) {
        const bool whole = gpi_await(state, k, &seen) == GPI_INCLUSIVE;
        *product = whole ? seen : gpi_combine(GPI_COMBINE_PASSED * product, seen);
        inclusive = inclusive || whole;
    }
    return inclusive ? 0 : anchor;
}
#endif

/* Prepends to *prefix the states of the tiles before `next`, back to the first one that is not published yet. Returns 0
   when *prefix is complete, else n > 0: tile n-1 is late. Called by one item only. Ends because each iteration either
   moves one tile back or uses up one of *polls. If not `bounded`, ends because the group of tile next-1 has started
   (tickets) and is kept running (fair device). (lookback.pml: `alive`, `right`, and the mutation BUG_TICKET; POLLS and
   SILENT show why the bound is needed.) */
static uint gpi_walk_back(GPI_COMBINE_PARAMETER volatile __global uint *state, uint next, GPI_T *prefix,
                          uint *polls, bool bounded, gpi_tile_shared shared)
{
    (void)shared;
#if GPI_ORDERED
    if (next > 0) next = gpi_fold_back(GPI_COMBINE_PASSED state, next, prefix);
#endif
    while (next > 0) {
        GPI_T seen = *prefix;
        const uint flag = gpi_observe(state, next - 1, &seen);
        if (flag == GPI_EMPTY) {
            if (bounded && *polls == 0) break;
            *polls -= 1;
            GPI_PAUSE();
            continue;
        }
        *prefix = gpi_combine(GPI_COMBINE_PASSED seen, *prefix);
        next = flag == GPI_INCLUSIVE ? 0 : next - 1;
    }
    return next; /* not 0 if a device wrongly left the loop early, so that an incomplete prefix is not used */
}
#endif
