/* counters.cl - counters of a group of one item. gpi_claim adds n to *total, and returns the old value of *total. */
#ifndef GPI_GROUP_COUNTERS_CL
#define GPI_GROUP_COUNTERS_CL
#include "base/platform.cl"
#include "group/sync.cl"

GPI_INLINE void gpi_shared_increment(__private uint *p) { ++*p; }

typedef uint gpi_claim_memory;

GPI_INLINE uint gpi_claim(uint n, volatile __global uint *total, __private gpi_claim_memory *shared)
{
    (void)shared;
    return atomic_add(total, n);
}
#endif
