/* count_passes.cl - a group counts the digits of a range of keys for all passes at once. */
#ifndef GPI_SORT_COUNT_PASSES_CL
#define GPI_SORT_COUNT_PASSES_CL
#include "base/platform.cl"
#include "group/range.cl"
#include "group/striped.cl"
#include "element/key.cl"
#include "sort/count_key.cl"
#include "sort/digit.cl"

/* Counts the digits of GPI_LOADS keys. A digit that all of these keys have is counted by one addition. */
GPI_INLINE void gpi_count_keys(const gpi_key *key, gpi_digit_bits bits, const uint passes,
                               GPI_NEAR uint *count)
{
    gpi_key_bits k[GPI_LOADS], differ = 0;
    GPI_EACH(j, GPI_TURNS(GPI_LOADS)) {
        k[j] = gpi_window_of(key[j], bits);
        differ |= k[j] ^ k[0];
    }
    for (uint p = 0; p < passes; p++) {
        if ((differ >> GPI_SORT_DIGIT_BITS * p & (GPI_BINS - 1)) == 0) {
            (void)atomic_add(count + gpi_counter_of(p, k[0] >> GPI_SORT_DIGIT_BITS * p), (uint)GPI_LOADS);
            continue;
        }
        GPI_EACH(j, GPI_TURNS(GPI_LOADS))
            GPI_NEAR_INC(count + gpi_counter_of(p, k[j] >> GPI_SORT_DIGIT_BITS * p));
    }
}

/* Counts the digits of keys [begin, end) for all passes. `passes` is a constant in the most frequent call, so that the loop over
   passes is unrolled. */
GPI_INLINE void gpi_count_passes(__global const gpi_key *key, ulong begin, ulong end, gpi_digit_bits bits,
                                 const uint passes, GPI_NEAR uint *count)
{
    ulong i = begin + GPI_LOCAL_ID;
    GPI_EACH_BATCH(i, GPI_LOADS, end) {
        gpi_key x[GPI_LOADS];
        GPI_LOAD_STRIPED(x, GPI_LOADS, key + i, GPI_WG);
        gpi_count_keys(x, bits, passes, count);
    }
    GPI_EACH_LEFT(i, end) gpi_count_key(key[i], bits, passes, count);
}
#endif
