/* count_key.cl - counts the digits of one key, for all passes.

   Parameters, from sort/rank_keys.cl in each wing
       GPI_NEAR, GPI_NEAR_INC(p)   address space of counters, and their increment
       GPI_COUNT_COPIES            copies of each counter: item l increments copy l % GPI_COUNT_COPIES */
#ifndef GPI_SORT_COUNT_KEY_CL
#define GPI_SORT_COUNT_KEY_CL
#include "base/platform.cl"
#include "element/key.cl"
#include "sort/digit.cl"
#include "sort/rank_keys.cl"

/* Number of counters for all passes' digits. */
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
    for (uint p = 0; p < passes; p++) GPI_NEAR_INC(count + gpi_counter_of(p, k >> GPI_SORT_DIGIT_BITS * p));
}
#endif
