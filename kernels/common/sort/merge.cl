/* merge.cl - merges two sorted sequences stably

       out = all of a and b, in order; equal keys of a come before those of b, and each sequence keeps its order

   A merge is a path through the grid of a by b, with a step for each element of the output: down for an element of a,
   right for an element of b. After d steps, of which i were down and d - i right, the path crosses diagonal d. This
   crossing i can be found by bisection, without following the path: a[i] is among the first d elements exactly if it
   comes before b[d - 1 - i]. So every group finds its part of the path by itself, and no group waits for another.

           b0 b1 b2 b3
       a0  +--+
       a1     |              crossing(d) = least i in [max(0, d - |b|), min(d, |a|)]
       a2     +--+--+               with i at its end, or not order(a[i]) <= order(b[d - 1 - i])
       a3           |

   (Odeh, Green, Mwassi, Shmueli & Birk, Merge Path, 2012.)

       CPUs     one item merges a tile as several runs side by side (sort/merge_tile.cl)
       GPUs     a group merges a tile in local memory (sort/merge_tile.cl)

   If the input is not sorted, a crossing is an arbitrary number in its range. All indices stay in range for any
   crossings, and all loops end. The output's keys are then wrong, but no other memory is touched. */
#ifndef GPI_SORT_MERGE_CL
#define GPI_SORT_MERGE_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "sort/merge_pair.cl"

#include "sort/merge_tile.cl"

/* Merges: each group writes one tile of `span` elements of the output. */
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
