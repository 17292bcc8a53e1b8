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

#define GPI_BINS_ARE_CROWDED 1
#define GPI_BINS_ARE_DIGITS 2

#define GPI_BIN_PARAMETERS GPI_DIGIT_PARAMETERS, ulong map_at
#define GPI_BIN_SET(bin, state, when)                               \
    do {                                                            \
        gpi_digit digit;                                            \
        GPI_DIGIT_SET(digit);                                       \
        (bin) = gpi_bin_load(gpi_part(state, map_at), digit, when); \
    } while (0)

/* Returns the bins that gpi_bin_store (sort/buckets.cl) has written to the scratch: base, shift, kind, end of the window, and the
   table. For a classic pass, returns the digits as bins; their table follows the other one. */
static gpi_bin_map gpi_bin_load(__global const ulong *map, gpi_digit digit, uint when)
{
    const bool sampled = when == GPI_WHEN_BUCKETS;
    const uint end = sampled ? (uint)map[3] : digit.shift + popcount(digit.mask);
    const gpi_digit_bits bits = {digit.flip, digit.shift, end, 0};
    gpi_bin_map bin;
    bin.bits = bits;
    bin.base = sampled ? (gpi_key_bits)map[0] : 0;
    bin.shift = sampled ? (uint)map[1] : 0;
    bin.crowded = sampled && map[2] == GPI_BINS_ARE_CROWDED;
    bin.table = (__global const uchar *)(map + GPI_BIN_TABLE) + (sampled ? 0 : GPI_BIN_ENTRIES);
    return bin;
}

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
GPI_NOINLINE void gpi_bin_entries(__global const gpi_key *key, uint n, gpi_bin_map bin,
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
#define GPI_BIN_PARAMETERS GPI_DIGIT_PARAMETERS
#define GPI_BIN_SET(bin, state, when) GPI_DIGIT_SET(bin)

GPI_NOINLINE void gpi_bin_entries(__global const gpi_key *key, uint n, gpi_bin_map bin,
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
