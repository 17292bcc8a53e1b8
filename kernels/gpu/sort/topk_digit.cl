/* topk_digit.cl - a group finds the digit of the key that has a given rank. */
#ifndef GPI_SORT_TOPK_DIGIT_CL
#define GPI_SORT_TOPK_DIGIT_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "sort/digit.cl"

#define GPI_GROUP gpi_ranks
#define GPI_GROUP_T ulong
#define GPI_GROUP_COMBINE(a, b) ((a) + (b))
#define GPI_GROUP_IDENTITY 0ul
#define GPI_GROUP_SIZE GPI_WG
#define GPI_GROUP_ITEM ((uint)GPI_LOCAL_ID)
#define GPI_GROUP_TURNS(n) GPI_TURNS(n)
#define GPI_GROUP_ALONE 0
#if GPI_SUB_GROUP
#include "group/sub_group_collectives.cl"
#else
#include "group/collectives.cl"
#endif
#undef GPI_GROUP_SIZE
#undef GPI_GROUP_ITEM
#undef GPI_GROUP_TURNS
#undef GPI_GROUP_ALONE

/* Local memory of a group. */
typedef struct gpi_topk_memory {
    ulong next[GPI_BINS];
    uint count[GPI_BINS];
    ulong sum[GPI_WG + GPI_WG / 32 + 1];
    uint word;
} gpi_topk_memory;
typedef GPI_GROUP_SPACE gpi_topk_memory *gpi_topk_shared;

/* Returns the digit of the key that has the given rank, counted from 1. shared->next[d] must be the number of keys with digit d.
   Sets *below to the number of keys with a lower digit than the result, and *with to the number of keys with the same digit. Each
   item handles consecutive digits. */
static uint gpi_choose(ulong rank, ulong *below, ulong *with, gpi_topk_shared shared)
{
    const uint l = (uint)GPI_LOCAL_ID, each = (GPI_BINS + GPI_WG - 1) / GPI_WG;
    const uint begin = min(l * each, (uint)GPI_BINS), end = min(begin + each, (uint)GPI_BINS);
    ulong sum = 0, total;
    gpi_sync(); /* the counts are written */
    for (uint d = begin; d < end; d++) sum += shared->next[d];
    if (l == 0) shared->word = 0;
    sum = gpi_ranks_scan_exclusive(sum, &total, shared->sum);
    for (uint d = begin; d < end; d++) {
        const ulong x = shared->next[d];
        if (sum < rank && rank <= sum + x) { /* true for one digit only */
            shared->word = d;
            shared->sum[0] = sum;
        }
        sum += x;
    }
    gpi_sync(); /* the digit is written */
    const uint chosen = shared->word;
    *below = shared->sum[0];
    *with = shared->next[chosen];
    gpi_sync(); /* all is read: the next level's counts may overwrite it */
    return chosen;
}

/* Returns the sum of all items' x to each of them. */
static uint gpi_topk_sum(uint x, gpi_topk_shared shared)
{
    if (GPI_LOCAL_ID == 0) shared->count[0] = 0;
    gpi_sync(); /* the sum is zero */
    if (x) (void)atomic_add(&shared->count[0], x);
    gpi_sync(); /* all items have added */
    const uint sum = shared->count[0];
    gpi_sync(); /* the sum is read: what follows may overwrite it */
    return sum;
}
#endif
