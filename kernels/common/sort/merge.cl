/* merge.cl - two sorted sequences become one, stably

       out = all of a and b, in order; of equal keys those of a first, and each sequence's own in its order

   Taking one element after the other is a path through the grid of a by b: down for an element of a, right
   for one of b. After d elements it crosses diagonal d, i down and d - i right, and where that is can be
   found by halving, without walking the path: a[i] is among the first d elements exactly if it comes before
   b[d - 1 - i]. So every group finds its piece of the path by itself, and no group waits for another.

           b0 b1 b2 b3
       a0  +--+
       a1     |              crossing(d) = least i in [max(0, d - |b|), min(d, |a|)]
       a2     +--+--+               with i at its end, or not order(a[i]) <= order(b[d - 1 - i])
       a3           |

   (Odeh, Green, Mwassi, Shmueli & Birk, Merge Path, 2012.)

       serial   one item: a tile in runs side by side (sort/merge_tile.cl)
       local    a tile in local memory (sort/merge_tile.cl)

   Where the input is not sorted, a crossing is any number in its range. All indices are kept in range for
   any crossings, and all loops end: keys are wrong, nothing else. */
#ifndef GPI_SORT_MERGE_CL
#define GPI_SORT_MERGE_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "sort/merge_pair.cl"

#include "sort/merge_tile.cl"

/* A group a tile of the output. */
GPI_KERNEL void gp_merge_tiles(GPI_PAIR_PARAMETERS, GPI_COUNT_PARAMETERS_NAMED(a),
                               GPI_COUNT_PARAMETERS_NAMED(b), ulong span, volatile __global uint *counters)
{
    GPI_SHARED(gpi_merge_memory, shared);
    gpi_pair pair;
    GPI_PAIR_SET(pair);
    pair.a_count = GPI_COUNT_CHECKED_NAMED(a, get_group_id(0) == 0, counters);
    pair.b_count = GPI_COUNT_CHECKED_NAMED(b, get_group_id(0) == 0, counters);
    const ulong n = pair.a_count + pair.b_count, begin = span * get_group_id(0);
    if (begin >= n) return;
    gpi_merge_tile(pair, begin, min(n, begin + span), shared);
}
#endif
