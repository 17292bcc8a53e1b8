/* counters.cl - counters that a group's items increment together.

       gpi_shared_increment(p)      adds 1 to *p, which is in the memory that the group shares
       gpi_claim(n, total, shared)  adds the sum of all items' n to *total, by one atomic operation; returns the first of the n
                                    indices that are now this item's. Must be called by all items */
#ifndef GPI_GROUP_COUNTERS_CL
#define GPI_GROUP_COUNTERS_CL
#include "base/platform.cl"
#include "group/sync.cl"

GPI_INLINE void gpi_shared_increment(__local uint *p) { (void)atomic_inc((volatile __local uint *)p); }

typedef struct gpi_claim_memory {
    uint sum, first;
} gpi_claim_memory;

static uint gpi_claim(uint n, volatile __global uint *total, __local gpi_claim_memory *shared)
{
    if (GPI_LOCAL_ID == 0) shared->sum = 0;
    gpi_sync(); /* the sum is zero */
    const uint before = atomic_add(&shared->sum, n);
    gpi_sync(); /* all items have added */
    if (GPI_LOCAL_ID == 0) shared->first = atomic_add(total, shared->sum);
    gpi_sync(); /* the group's first index is known */
    return shared->first + before;
}
#endif
