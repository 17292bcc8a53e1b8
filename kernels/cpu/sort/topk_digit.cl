/* topk_digit.cl - one item finds the digit of the key that has a given rank. */
#ifndef GPI_SORT_TOPK_DIGIT_CL
#define GPI_SORT_TOPK_DIGIT_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "sort/digit.cl"

/* Memory of a group. */
typedef struct gpi_topk_memory {
    ulong next[GPI_BINS];
    uint count[GPI_BINS];
    uint word;
} gpi_topk_memory;
typedef GPI_GROUP_SPACE gpi_topk_memory *gpi_topk_shared;

/* Returns the digit of the key with this rank, counted from 1. shared->next[d] must be the number of keys with digit d. Writes to
   *below the number of keys with a lower digit, and to *with the number of keys with this digit. */
static uint gpi_choose(ulong rank, ulong *below, ulong *with, gpi_topk_shared shared)
{
    uint d = 0;
    *below = 0;
    while (d < GPI_BINS - 1 && *below + shared->next[d] < rank) *below += shared->next[d++];
    *with = shared->next[d];
    return d;
}

/* Returns the sum of all items' x, which is x, because there is one item. */
static uint gpi_topk_sum(uint x, gpi_topk_shared shared)
{
    (void)shared;
    return x;
}
#endif
