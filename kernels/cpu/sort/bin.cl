/* bin.cl - the bins to which keys are moved: digits, or parts of the keys' range that have about equally many keys.

       bin(key) = table[min(f(x) >> shift, GPI_BIN_ENTRIES - 1)]       x = max(window of the key - base, 0)
       f(x) = x, or, if keys are crowded near the least one, a number that grows with log2(x + 1)

   sort/buckets.cl makes the table from a sample of the keys.

   Parameters
       GPI_SAMPLED_BINS   1: bins are parts of the range; 0: they are digits                             */
#ifndef GPI_SORT_BIN_CL
#define GPI_SORT_BIN_CL
#include "base/platform.cl"
#include "element/key.cl"
#include "sort/digit.cl"

#ifndef GPI_SAMPLED_BINS
#define GPI_SAMPLED_BINS 0
#endif

#define GPI_BIN_BLOCK 256u /* keys whose entries are computed at once */

typedef ushort gpi_entry; /* index in the table, or a digit */

#if GPI_SAMPLED_BINS
typedef struct gpi_bin_map {
    gpi_digit_bits bits;
    gpi_key_bits base;
    uint shift, crowded; /* crowded: 1 if f grows with the logarithm */
    __global const uchar *table;
} gpi_bin_map;

/* Returns f(x) for the window of a key. The bits of a float, read as a number, grow with its logarithm. */
static gpi_key_bits gpi_bin_scale(gpi_key_bits window, gpi_bin_map bin)
{
    const gpi_key_bits x = window > bin.base ? window - bin.base : 0;
    return bin.crowded ? as_uint((float)x + 1.0f) - as_uint(1.0f) : x;
}

static uint gpi_bin_entry(gpi_key_bits window, gpi_bin_map bin)
{
    return (uint)min(gpi_bin_scale(window, bin) >> bin.shift, (gpi_key_bits)(GPI_BIN_ENTRIES - 1));
}

/* Writes to `entry` the entries of n keys. n is at most GPI_BIN_BLOCK. Has a loop for each value of bin.crowded, so that both are
   vectorized. */
GPI_INLINE void gpi_bin_entries(__global const gpi_key *key, uint n, gpi_bin_map bin,
                                gpi_entry *restrict entry)
{
    if (bin.crowded) {
        GPI_AT_ONCE
        for (uint k = 0; k < n; k++)
            entry[k] = (gpi_entry)gpi_bin_entry(gpi_window_of(key[k], bin.bits), bin);
    } else {
        GPI_AT_ONCE
        for (uint k = 0; k < n; k++)
            entry[k] = (gpi_entry)gpi_bin_entry(gpi_window_of(key[k], bin.bits), bin);
    }
}

static uint gpi_bin_of(gpi_entry entry, gpi_bin_map bin) { return bin.table[entry]; }
#else
typedef gpi_digit gpi_bin_map;

GPI_INLINE void gpi_bin_entries(__global const gpi_key *key, uint n, gpi_bin_map bin,
                                gpi_entry *restrict entry)
{
    GPI_AT_ONCE
    for (uint k = 0; k < n; k++) entry[k] = (gpi_entry)gpi_digit_of(key[k], bin);
}

static uint gpi_bin_of(gpi_entry entry, gpi_bin_map bin)
{
    (void)bin;
    return entry;
}
#endif
#endif
