/* sample.cl - picks keys at random, one from each stretch of the input, so that a periodic input does not bias the
   sample. */
#ifndef GPI_SORT_SAMPLE_CL
#define GPI_SORT_SAMPLE_CL
#include "base/platform.cl"
#include "element/hash_function.cl"

/* Returns the i-th pseudo-random number, which is below n. */
static ulong gpi_somewhere(uint i, ulong n) { return mul_hi((ulong)gpi_hash_32(i) << 32, n); }

/* Returns the position of sample i: a random position in stretch i. A stretch has `stretch` keys, and the first `longer`
   stretches have one more. */
GPI_INLINE_GPU ulong gpi_sample_place(uint i, ulong stretch, ulong longer)
{
    return i * stretch + min((ulong)i, longer) + gpi_somewhere(i, stretch + (i < longer ? 1 : 0));
}
#endif
