/* nth_sample.cl - one item sorts the numbers order(key) of a sample's keys, by digits from the lowest. */
#ifndef GPI_SORT_NTH_SAMPLE_CL
#define GPI_SORT_NTH_SAMPLE_CL
#include "base/platform.cl"
#include "element/key.cl"
#include "sort/digit.cl"
#include "sort/nth_search.cl"

/* Replaces the s keys of the sample by order(key) of each, sorted. The sorted numbers begin at `sample`, or, if a key
   is one byte, at sample + room. */
GPI_NOINLINE void gpi_nth_sample_sort(__global gpi_key *sample, uint room, uint s, gpi_key_bits flip)
{
    uint count[GPI_KEY_SIZE][GPI_BINS];
    for (uint d = 0; d < GPI_KEY_SIZE; d++)
        for (uint bin = 0; bin < GPI_BINS; bin++) count[d][bin] = 0;
    for (uint i = 0; i < s; i++) {
        const gpi_key_bits x = gpi_key_order(sample[i], flip);
        sample[i] = (gpi_key)x;
        for (uint d = 0; d < GPI_KEY_SIZE; d++) count[d][x >> 8 * d & (GPI_BINS - 1)]++;
    }
    for (uint d = 0; d < GPI_KEY_SIZE; d++) {
        __global const gpi_key *from = sample + d % 2 * room;
        __global gpi_key *to = sample + (1 - d % 2) * room;
        uint next = 0;
        for (uint bin = 0; bin < GPI_BINS; bin++) {
            const uint here = count[d][bin];
            count[d][bin] = next;
            next += here;
        }
        for (uint i = 0; i < s; i++)
            to[count[d][(gpi_key_bits)from[i] >> 8 * d & (GPI_BINS - 1)]++] = from[i];
    }
}

/* Sets *lo and *hi to the numbers with ranks `from` and `to` in the sorted sample. */
static void gpi_nth_bounds(__global const gpi_key *sample, uint room, uint s, gpi_key_bits flip, uint from,
                           uint to, gpi_key_bits *lo, gpi_key_bits *hi, gpi_nth_shared shared)
{
    (void)s;
    (void)flip;
    (void)shared;
    if (GPI_KEY_SIZE == 1) sample += room;
    *lo = sample[from];
    *hi = sample[to];
}
#endif
