/* rank.cl - a group counts the digits of a range of keys, or moves these keys stably.

   Every function is collective: all items of the group call it. `next[d]` is the position to which the next key of
   digit d is moved.

   sort/count_passes.cl, in each wing, defines gpi_count_passes for several passes. sort/rank_keys.cl, in each wing, defines

       gpi_rank_memory, gpi_rank_shared   memory that the group shares to count: count[d], word
       GPI_NEAR, GPI_NEAR_INC(p)          address space of counters, and their increment
       gpi_count_range                    counts the digits of a range in `count`
       gpi_move_memory, gpi_move_shared   memory that the group shares to move keys: next[d], word
       gpi_move_range                     moves the keys of a range to the positions in `next` */
#ifndef GPI_SORT_RANK_CL
#define GPI_SORT_RANK_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/count_key.cl"
#include "sort/count_passes.cl"
#include "sort/digit.cl"
#include "sort/rank_keys.cl"

/* Counts the digits of keys [begin, end) for all passes at once, in count[pass][digit][copy]. Must be called by all
   items. */
static void gpi_count_all(__global const gpi_key *key, ulong begin, ulong end, gpi_digit_bits bits,
                          GPI_NEAR uint *count)
{
    for (uint c = (uint)GPI_LOCAL_ID; c < bits.passes * GPI_BINS * GPI_COUNT_COPIES; c += GPI_WG)
        count[c] = 0;
    gpi_sync(); /* the counters are zero */
    if (bits.passes == sizeof(gpi_key)) gpi_count_passes(key, begin, end, bits, sizeof(gpi_key), count);
    else gpi_count_passes(key, begin, end, bits, bits.passes, count);
    gpi_sync(); /* all keys are counted */
}
#endif
