/* count.cl - reads the number of elements of a call, and adds to the context's counters. */
#ifndef GPI_BASE_COUNT_CL
#define GPI_BASE_COUNT_CL
#include "base/constants.cl"
#include "base/platform.cl"

/* The number of elements of a call. If `wanted_words` is 0, it is `bound`, which the host knows. Otherwise it is entry
   `wanted_offset` of the array `wanted` in device memory, but at most `bound`. An entry has `wanted_words` 32-bit words. */
#define GPI_COUNT_PARAMETERS ulong bound, __global const uint *wanted, ulong wanted_offset, uint wanted_words

/* Returns number i of an array whose numbers have one or two words. */
static ulong gpi_number(__global const uint *numbers, ulong i, uint words)
{
    numbers += i * words;
    return words == 1 ? numbers[0] : (ulong)numbers[1] << 32 | numbers[0];
}

static ulong gpi_count_wanted(ulong bound, __global const uint *wanted, ulong wanted_offset,
                              uint wanted_words)
{
    return wanted_words == 0 ? bound : gpi_number(wanted, wanted_offset, wanted_words);
}

static ulong gpi_count(ulong bound, __global const uint *wanted, ulong wanted_offset, uint wanted_words)
{
    return min(bound, gpi_count_wanted(bound, wanted, wanted_offset, wanted_words));
}

/* Counts the call as clamped, in the context's counters, if it wanted more elements than its bound. Only item 0 of the
   group for which `first_group` is true does so. */
#define GPI_COUNT_CHECK(first_group, counters)                                \
    if ((first_group) && GPI_LOCAL_ID == 0 &&                                 \
        gpi_count_wanted(bound, wanted, wanted_offset, wanted_words) > bound) \
    atomic_inc((counters) + GPI_COUNT_CLAMPED)

/* GPI_COUNT_PARAMETERS, gpi_count and GPI_COUNT_CHECK for calls with several counts. The parameters of count x are
   x_bound, x_wanted, ... */
#define GPI_COUNT_PARAMETERS_NAMED(x) \
    ulong x##_bound, __global const uint *x##_wanted, ulong x##_wanted_offset, uint x##_wanted_words
#define GPI_COUNT_NAMED(x) gpi_count(x##_bound, x##_wanted, x##_wanted_offset, x##_wanted_words)
#define GPI_COUNT_CHECK_NAMED(x, first_group, counters)                                           \
    if ((first_group) && GPI_LOCAL_ID == 0 &&                                                     \
        gpi_count_wanted(x##_bound, x##_wanted, x##_wanted_offset, x##_wanted_words) > x##_bound) \
    atomic_inc((counters) + GPI_COUNT_CLAMPED)

/* Returns the number of elements, and counts the call as clamped if it wanted more than its bound. GPI_COUNT_CHECKED_NAMED reads
   the number once for both purposes. */
static ulong gpi_count_checked(ulong bound, ulong wanted, bool first_group, volatile __global uint *counters)
{
    if (wanted > bound && first_group && GPI_LOCAL_ID == 0) atomic_inc(counters + GPI_COUNT_CLAMPED);
    return min(bound, wanted);
}
#define GPI_COUNT_CHECKED_NAMED(x, first_group, counters)                                           \
    gpi_count_checked(x##_bound,                                                                    \
                      gpi_count_wanted(x##_bound, x##_wanted, x##_wanted_offset, x##_wanted_words), \
                      first_group, counters)

/* Adds x to a count of 64 bits, by atomics of 32 bits. The item whose addition makes the low half overflow adds 1 to the high
   half. */
static void gpi_add_wide(volatile __global uint *count, uint x)
{
    const uint old = atomic_add(count, x);
    if (old + x < old) (void)atomic_inc(count + 1);
}
#endif
