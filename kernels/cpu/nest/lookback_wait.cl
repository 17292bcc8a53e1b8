/* lookback_wait.cl - waits for the leaf of a tile whose group has started earlier. */
#ifndef GPI_NEST_LOOKBACK_WAIT_CL
#define GPI_NEST_LOOKBACK_WAIT_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "nest/lookback_nodes.cl"
#include "nest/stack_monoid.cl"
#include "nest/symbols.cl"

#if GPI_LOOKBACK
/* Waits for leaf x, and returns it. Ends because the tile's group publishes the leaf before it waits for anything. (back.pml:
   `alive`.) */
static gpi_node gpi_lookback_wait(gpi_lookback back, uint x)
{
    gpi_node node;
    while (!gpi_lookback_look(back, x, &node)) {
    }
    return node;
}
#endif
#endif
