/* count_passes.cl - one item counts the digits of a range of keys for all passes at once. */
#ifndef GPI_SORT_COUNT_PASSES_CL
#define GPI_SORT_COUNT_PASSES_CL
#include "base/platform.cl"
#include "element/key.cl"
#include "sort/count_key.cl"
#include "sort/digit.cl"

/* Counts the digits of keys [begin, end) for all passes. `passes` is a constant in the most frequent call, so that the loop over
   passes is unrolled. */
GPI_INLINE void gpi_count_passes(__global const gpi_key *key, ulong begin, ulong end, gpi_digit_bits bits,
                                 const uint passes, GPI_NEAR uint *count)
{
    for (ulong i = begin; i < end; i++) gpi_count_key(key[i], bits, passes, count);
}
#endif
