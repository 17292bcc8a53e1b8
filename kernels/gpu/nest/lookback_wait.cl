/* lookback_wait.cl - waits for the leaf of a tile whose group has started earlier. */
#ifndef GPI_NEST_LOOKBACK_WAIT_CL
#define GPI_NEST_LOOKBACK_WAIT_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "nest/lookback_nodes.cl"
#include "nest/stack_monoid.cl"
#include "nest/symbols.cl"

#if GPI_LOOKBACK
/* Computes the node of `tile` from the input, and publishes it. Counts a fallback. */
static gpi_node gpi_lookback_leaf(gpi_lookback back, uint tile)
{
    const ulong begin = gpi_tile_begin(tile);
    const uint length = gpi_tile_length_of(back.n, tile);
    gpi_node node = gpi_node_make(0, 0);
    for (uint i = 0; i < length; i++) {
        const int sign = gpi_sign(back.in, begin + i);
        if (sign > 0) node.pushes++;
        else if (sign < 0 && node.pushes > 0) node.pushes--;
        else if (sign < 0) node.pops++;
    }
    (void)atomic_inc(back.counters + GPI_COUNT_FALLBACKS);
    gpi_lookback_write(back, back.leaves + tile, node);
    return node;
}

/* Finds in the input the opener that `tile` leaves open with `above` other such openers above it. Returns its index in the
   tile. */
GPI_NOINLINE uint gpi_lookback_opener(gpi_lookback back, uint tile, uint above)
{
    const ulong begin = gpi_tile_begin(tile);
    uint closers = 0, i = gpi_tile_length_of(back.n, tile);
    bool found = false;
    while (!found && i > 0) {
        i--;
        const int sign = gpi_sign(back.in, begin + i);
        if (sign < 0) closers++;
        else if (sign > 0 && closers > 0) closers--;
        else if (sign > 0) found = above-- == 0;
    }
    return i;
}

/* Waits for leaf x, and returns it. After back.polls polls the item computes the leaf itself. (back.pml: `alive`.) */
static gpi_node gpi_lookback_wait(gpi_lookback back, uint x)
{
    gpi_node node;
    bool there = false;
    for (uint looks = back.polls; looks > 0 && !there; looks--) there = gpi_lookback_look(back, x, &node);
    if (!there) node = gpi_lookback_leaf(back, x - back.leaves);
    return node;
}
#endif
#endif
