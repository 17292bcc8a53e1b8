/* fault_injection.cl - makes groups misbehave on purpose, in builds of the tests. In other builds it does nothing.

   Before a group writes a word that publishes its tile, it calls gpi_tells. In a build with GPI_FAULT = k, about one tile in k,
   tile 0 among them, is published

       never                           as if its group did not run
       late    GPI_FAULT_PAUSE = n     each word only after n iterations of a loop: a state's words are written at
                                          different times
       torn    GPI_FAULT_TORN          only every other word. The second write of a state writes the words that the
                                       first one left out, so that a state's words never agree

   In a sort this applies to all passes, or only to pass GPI_FAULT_PASS (sort/lookback.cl).

   Only tests enable it, by gp_context_desc.build_options (tests/base/test_fault_injection.c). Calls that wait without
   bound (in place on a fair device) must not be built with GPI_FAULT. */
#ifndef GPI_BASE_FAULT_INJECTION_CL
#define GPI_BASE_FAULT_INJECTION_CL
#include "base/platform.cl"

/* Returns whether the group may write word k of the tile's state to *p. For a tile with an injected fault, first wastes time or
   returns false. */
static bool gpi_tells(volatile __global gpi_word *p, uint tile, uint k)
{
#ifdef GPI_FAULT
    if ((tile * 2654435761u >> 16) % GPI_FAULT == 0) {
#if defined(GPI_FAULT_PAUSE)
        for (uint turn = 0; turn < GPI_FAULT_PAUSE; turn++) (void)gpi_word_read(p);
#elif defined(GPI_FAULT_TORN)
        return k % 2 != 0;
#else
        return false;
#endif
    }
#endif
    (void)p;
    (void)tile;
    (void)k;
    return true;
}
#endif
