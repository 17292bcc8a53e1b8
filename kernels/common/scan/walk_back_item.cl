/* walk_back_item.cl - combines states of tiles, one after the other, by one item. */
#ifndef GPI_SCAN_WALK_BACK_ITEM_CL
#define GPI_SCAN_WALK_BACK_ITEM_CL
#include "base/platform.cl"
#include "element/monoid.cl"
#include "scan/tile.cl"
#include "scan/tile_states.cl"

/* True if this item walks back; 1: the others call gpi_walk_back, too. */
#define GPI_WALKS_BACK (GPI_LOCAL_ID == 0)
#define GPI_WALKS_ALL 0

#if GPI_ORDERED
/* As gpi_observe, of a tile that has told something, or will. Ends because the tile has started and is let run. */
static uint gpi_await(volatile __global uint *state, uint tile, GPI_T *value)
{
    uint flag = gpi_observe(state, tile, value);
    while (flag == GPI_EMPTY) {
        GPI_PAUSE();
        flag = gpi_observe(state, tile, value);
    }
    return flag;
}

/* In *product that of the tiles before `next` from their anchor on. Returns 0 if all are in it, else the anchor.
   Ends because each turn goes one tile back, or forth again. */
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

/* Combines the states of the tiles before `next` to the left of *prefix, as far as they are published.
   Returns 0 when *prefix is complete, else n > 0: tile n-1 is late. One item calls.
   Ends because each turn either goes one tile back or uses up one of *polls. If polls are not counted, it ends because
   tile next-1 has been started and is let run (ticket order, fair device). (lookback.pml: `alive`, `right`, and the
   mutation BUG_TICKET; POLLS and SILENT show why the bound is needed.) */
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
    return next; /* not 0 also when a device dropped out of the loop: never taken for an answer */
}
#endif
