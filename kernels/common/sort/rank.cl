/* rank.cl - a group counts the digits of a range of keys, or moves these keys stably.

   Every function is collective: all items of the group call it. `next[d]` is the position to which the next key of
   digit d is moved.

   sort/rank_keys.cl defines in each wing

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
#include "sort/digit.cl"
#include "sort/rank_keys.cl"

/* Number of counters for all passes' digits. The local shape has several copies of each counter: with one copy, neighbouring
   items would wait for one another if keys are in order, or equal. */
#if GPI_SHAPE_LOCAL
#define GPI_COUNT_COPIES (GPI_KEY_SIZE < 8 ? 4 : 2)
#else
#define GPI_COUNT_COPIES 1
#endif
#define GPI_COUNTERS (GPI_KEY_SIZE * GPI_BINS * GPI_COUNT_COPIES)

/* Returns the index of this item's counter of pass p, for the digit in the lowest bits of `digit`. */
static uint gpi_counter_of(uint p, gpi_key_bits digit)
{
    return (p * GPI_BINS + (uint)(digit & (GPI_BINS - 1))) * GPI_COUNT_COPIES +
           (uint)GPI_LOCAL_ID % GPI_COUNT_COPIES;
}

GPI_INLINE void gpi_count_key(gpi_key key, gpi_digit_bits bits, const uint passes, GPI_NEAR uint *count)
{
    const gpi_key_bits k = gpi_window_of(key, bits);
    for (uint p = 0; p < passes; p++) GPI_NEAR_INC(count + gpi_counter_of(p, k >> GPI_DIGIT_BITS * p));
}

#if GPI_SHAPE_LOCAL
#define GPI_COUNT_LOADS 8 /* under way at a time */

/* Counts the digits of GPI_COUNT_LOADS keys. A digit that all of these keys have is counted by one addition. */
GPI_INLINE void gpi_count_keys(const gpi_key *key, gpi_digit_bits bits, const uint passes,
                               GPI_NEAR uint *count)
{
    gpi_key_bits k[GPI_COUNT_LOADS], differ = 0;
    GPI_UNROLL
    for (uint j = 0; j < GPI_TURNS(GPI_COUNT_LOADS); j++) {
        k[j] = gpi_window_of(key[j], bits);
        differ |= k[j] ^ k[0];
    }
    for (uint p = 0; p < passes; p++) {
        if ((differ >> GPI_DIGIT_BITS * p & (GPI_BINS - 1)) == 0) {
            (void)atomic_add(count + gpi_counter_of(p, k[0] >> GPI_DIGIT_BITS * p), (uint)GPI_COUNT_LOADS);
            continue;
        }
        GPI_UNROLL
        for (uint j = 0; j < GPI_TURNS(GPI_COUNT_LOADS); j++)
            GPI_NEAR_INC(count + gpi_counter_of(p, k[j] >> GPI_DIGIT_BITS * p));
    }
}
#endif

/* Counts the digits of keys [begin, end) of all passes. `passes` is a constant in the most frequent call, so that the loop over
   passes is unrolled. */
GPI_INLINE void gpi_count_passes(__global const gpi_key *key, ulong begin, ulong end, gpi_digit_bits bits,
                                 const uint passes, GPI_NEAR uint *count)
{
    ulong i = begin + GPI_LOCAL_ID;
#if GPI_SHAPE_LOCAL
    for (; i + (GPI_COUNT_LOADS - 1) * GPI_WG < end; i += GPI_COUNT_LOADS * GPI_WG) {
        gpi_key x[GPI_COUNT_LOADS];
        GPI_UNROLL
        for (uint j = 0; j < GPI_TURNS(GPI_COUNT_LOADS); j++) x[j] = (key + i)[j * GPI_WG];
        gpi_count_keys(x, bits, passes, count);
    }
#endif
    for (; i < end; i += GPI_WG) gpi_count_key(key[i], bits, passes, count);
}

/* Counts the digits of keys [begin, end) for all passes at once, in count[pass][digit][copy]. */
static void gpi_count_all(__global const gpi_key *key, ulong begin, ulong end, gpi_digit_bits bits,
                          GPI_NEAR uint *count)
{
    for (uint c = (uint)GPI_LOCAL_ID; c < bits.passes * GPI_BINS * GPI_COUNT_COPIES; c += GPI_WG)
        count[c] = 0;
    gpi_sync(); /* the counters are zero */
    if (bits.passes == sizeof(gpi_key)) gpi_count_passes(key, begin, end, bits, sizeof(gpi_key), count);
    else gpi_count_passes(key, begin, end, bits, bits.passes, count);
    gpi_sync(); /* all is counted */
}
#endif
