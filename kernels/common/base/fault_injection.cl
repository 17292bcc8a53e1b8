/* fault_injection.cl - groups that misbehave on purpose, in builds of the tests; nothing in any other.

   The words through which a group tells others of its tile go past gpi_tells. Built with GPI_FAULT = k,
   one tile in k, the first among them, is told of

       never                              as if its group did not run
       late    GPI_FAULT_PAUSE = n     each word only after n turns of waiting: a state's words come apart
       torn    GPI_FAULT_TORN          by every other word only; where a state is written twice, by those
                                          that were left out the first time: its words never agree

   and of a sort's passes in all, or in one: GPI_FAULT_PASS (sort/lookback.cl).

   Internal: by gp_context_desc.build_options, as tests/base/test_fault_injection.c does. Calls that wait without
   bound (in place on a fair device) must not be made so. */
#ifndef GPI_BASE_FAULT_INJECTION_CL
#define GPI_BASE_FAULT_INJECTION_CL
#include "base/platform.cl"

/* Returns whether the group may write word k of the tile's state to *p. For a tile with an injected fault it first wastes time, or
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
