/* buckets.cl - sorts many keys: moves them to buckets that fit the caches. Then one group sorts each bucket.

       to[base(b) + rank(i)] = from[i]       b = bucket of key i: the part of the keys' range that it is in (sort/bin.cl)

   The parts are chosen from a sample, so that they have about equally many keys. Only a part of a single value may have more.
   Each key is read from memory and written two or three times, whatever its width.

       gp_buckets_sample    one group: chooses the parts, and decides whether any is likely to be too large
       gp_sort_count        group per block: counts table[block][b], and checks whether keys are in order already
       gp_buckets_spine     one group: computes the bases of the buckets
       gp_sort_scatter      group per block: moves keys to their buckets
       gp_buckets_sort      group per bucket: divides a large bucket once more, and sorts the parts
                            (sort/single_tile.cl)

   If a part would be too large, the kernels after gp_buckets_sample do nothing, and classic passes follow
   (sort/classic.cl). Otherwise the classic passes do nothing. For CPUs only. The program also has the sort of fewer keys by
   shares (sort/shares.cl).

   Parameters: GPI_SAMPLED_BINS 1 (sort/bin.cl).
   (Frazer & McKellar, Samplesort, 1970; Stehle & Jacobsen, A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs, 2017.) */
#ifndef GPI_SORT_BUCKETS_CL
#define GPI_SORT_BUCKETS_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/bases.cl"
#include "sort/bin.cl"
#include "sort/classic.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"
#include "sort/shares.cl"
#include "sort/single_tile.cl"

#define GPI_SAMPLE_MOST 4096u  /* the most keys of a sample */
#define GPI_SAMPLE_LEAST 1024u /* the fewest keys of a sample */
#define GPI_SAMPLE_EACH 512u   /* a sample has one key for this many keys, within these bounds */
#define GPI_LARGE_PART 16u     /* no buckets if one would have more than 1 / GPI_LARGE_PART of the keys */
#define GPI_EVEN_PART 64u      /* if no bin has more than 1 / GPI_EVEN_PART, no other scale is tried */

/* ------------------------------------------------------------------ bins from a sample */

/* Returns bins for windows in [least, most], without a table. The first and the last entry are reserved for windows outside
   this range. If `crowded`, only the last entry is reserved. */
static gpi_bin_map gpi_bin_make(gpi_digit_bits bits, gpi_key_bits least, gpi_key_bits most, uint crowded)
{
    gpi_bin_map bin;
    bin.bits = bits;
    bin.base = least - (least > 0);
    bin.shift = 0;
    bin.crowded = crowded;
    bin.table = 0;
    while (gpi_bin_scale(most, bin) >> bin.shift >= GPI_BIN_ENTRIES - 2) bin.shift++;
    if (!crowded) bin.base = least - min(least, (gpi_key_bits)1 << bin.shift);
    return bin;
}

#define GPI_UNLIKE (1u << 31)

/* Counts in count[e] the sample's windows with entry e, and adds GPI_UNLIKE if these windows are not all equal. */
static void gpi_sample_count(const gpi_key_bits *sample, uint size, gpi_bin_map bin, uint *count)
{
    gpi_key_bits first[GPI_BIN_ENTRIES];
    for (uint e = 0; e < GPI_BIN_ENTRIES; e++) count[e] = 0;
    for (uint k = 0; k < size; k++) {
        const uint e = gpi_bin_entry(sample[k], bin);
        if (count[e] == 0) first[e] = sample[k];
        if (first[e] != sample[k]) count[e] |= GPI_UNLIKE;
        count[e]++;
    }
}

/* Divides the entries into bins that have about equally many keys of the sample: table[e] is the bin of entry e.
   Returns the number of keys in the largest of the bins whose keys are not all equal. An entry begins a new bin if its
   keys would make the current bin exceed its share of the remaining keys, or if every entry has a single value and
   there are enough bins. */
static uint gpi_bin_divide(const gpi_key_bits *sample, uint size, gpi_bin_map bin, uchar *table)
{
    uint count[GPI_BIN_ENTRIES];
    uint b = 0, keys = 0, left = size, largest = 0, unlike = 0, entries = 0, mixed = 0;
    gpi_sample_count(sample, size, bin, count);
    for (uint e = 0; e < GPI_BIN_ENTRIES; e++) {
        entries += count[e] > 0;
        mixed |= count[e] & GPI_UNLIKE;
    }
    const bool few = entries <= GPI_BINS && !mixed;
    for (uint e = 0; e < GPI_BIN_ENTRIES; e++) {
        const uint n = count[e] & ~GPI_UNLIKE;
        if (n && keys && (few || (keys + n) * (GPI_BINS - b) > left)) {
            if (unlike) largest = max(largest, keys);
            left -= keys;
            keys = unlike = 0;
            b++;
        }
        unlike |= (count[e] & GPI_UNLIKE) | (n && keys);
        keys += n;
        table[e] = (uchar)b;
    }
    return unlike ? max(largest, keys) : largest;
}

/* Writes the bins of buckets to the scratch, from which gpi_bin_load reads them. */
static void gpi_bin_store(__global ulong *map, gpi_bin_map bin, const uchar *table)
{
    __global uchar *to = (__global uchar *)(map + GPI_BIN_TABLE);
    map[0] = bin.base;
    map[1] = bin.shift;
    map[2] = bin.crowded;
    map[3] = bin.bits.end;
    for (uint e = 0; e < GPI_BIN_ENTRIES; e++) to[e] = table[e];
}

/* Returns whether the window's highest eight bits divide the sample into about equal parts. If so, writes these digits to the
   scratch as bins. */
static bool gpi_bin_digits(const gpi_key_bits *sample, uint size, gpi_digit_bits bits, __global ulong *map)
{
    uint count[GPI_BINS];
    uchar table[GPI_BIN_ENTRIES];
    const uint shift = bits.end - bits.begin - GPI_SORT_DIGIT_BITS;
    uint largest = 0;
    for (uint d = 0; d < GPI_BINS; d++) count[d] = 0;
    for (uint k = 0; k < size; k++) largest = max(largest, ++count[sample[k] >> shift]);
    if (largest > size / GPI_EVEN_PART) return false;
    gpi_bin_map bin = gpi_bin_make(bits, 0, 0, 0);
    bin.shift = shift;
    for (uint e = 0; e < GPI_BIN_ENTRIES; e++) table[e] = (uchar)e;
    gpi_bin_store(map, bin, table);
    map[2] = GPI_BINS_ARE_DIGITS;
    return true;
}

/* Chooses bins from a sample of the n keys. If entries have even width, they leave out the least and the greatest key
   of the sample, because these may be far from all other keys. (The bits of a float 0, for example, are far from those
   of 1.) Writes the bins to the scratch, and returns whether no bin is likely to be too large. */
static bool gpi_bin_sample(__global const gpi_key *key, ulong n, gpi_digit_bits bits, __global ulong *map)
{
    const uint size = (uint)clamp(n / GPI_SAMPLE_EACH, (ulong)GPI_SAMPLE_LEAST, (ulong)GPI_SAMPLE_MOST);
    gpi_key_bits sample[GPI_SAMPLE_MOST], least = ~(gpi_key_bits)0, most = 0, second = least, last = 0;
    uchar table[2][GPI_BIN_ENTRIES];
    for (uint k = 0; k < size; k++) {
        sample[k] = gpi_window_of(key[gpi_share_place(k, size, n)], bits);
        least = min(least, sample[k]);
        most = max(most, sample[k]);
    }
    if (gpi_bin_digits(sample, size, bits, map)) return true;
    for (uint k = 0; k < size; k++) {
        if (sample[k] > least) second = min(second, sample[k]);
        if (sample[k] < most) last = max(last, sample[k]);
    }
    second = min(second, most);
    const gpi_bin_map even = gpi_bin_make(bits, second, max(second, last), 0);
    const gpi_bin_map crowded = gpi_bin_make(bits, least, most, 1);
    const uint largest = gpi_bin_divide(sample, size, even, table[0]);
    uint other = size;
    if (largest > size / GPI_EVEN_PART) other = gpi_bin_divide(sample, size, crowded, table[1]);
    if (other < largest) gpi_bin_store(map, crowded, table[1]);
    else gpi_bin_store(map, even, table[0]);
    return min(largest, other) <= size / GPI_LARGE_PART;
}

/* ------------------------------------------------------------------ kernels */

/* Decides whether buckets are likely to be worthwhile, and writes the bins of both kinds of passes. Launched with one
   group. */
GPI_KERNEL void gp_buckets_sample(GPI_PLACES_PARAMETERS, GPI_BITS_PARAMETERS, gpi_state state, ulong map_at)
{
    gpi_places places;
    gpi_digit_bits bits;
    const ulong n = gpi_state_count(state);
    const uint from = gpi_from(state, 0);
    GPI_PLACES_SET(places);
    GPI_BITS_SET(bits);
    for (uint d = 0; d < GPI_BINS; d++)
        ((__global uchar *)(gpi_part(state, map_at) + GPI_BIN_TABLE))[GPI_BIN_ENTRIES + d] = (uchar)d;
    state[GPI_STATE_FROM + GPI_PASS_BUCKETS] = from;
    state[GPI_STATE_BUCKETS] =
        n >= GPI_SAMPLE_LEAST &&
        gpi_bin_sample(gpi_move_make(places, from, GPI_PLACE_OUT).key, n, bits, gpi_part(state, map_at));
}

/* Writes the bases of the buckets, and records the places that later kernels read. The buckets are in place `to`, or, if keys are
   in order, still in the input's place. gp_sort_copy reads the place recorded for pass `passes`, which is the output or the
   input's place. Launched with one group. */
GPI_KERNEL void gp_buckets_spine(gpi_state state, uint to, uint passes, uint blocks, ulong table_at,
                                 ulong bases_at)
{
    GPI_SHARED(gpi_bases_memory, shared);
    __global ulong *bases = gpi_part(state, bases_at);
    const uint from = gpi_from(state, GPI_PASS_BUCKETS);
    const bool in_order = state[GPI_STATE_ORDER] == GPI_IN_ORDER;
    if (gpi_is_idle(state, GPI_PASS_BUCKETS, GPI_WHEN_BUCKETS)) return;
    state[GPI_STATE_FROM + GPI_PASS_BUCKETS + 1] = in_order ? from : to;
    state[GPI_STATE_FROM + passes] = in_order ? from : GPI_PLACE_OUT;
    gpi_columns(gpi_part(state, table_at), blocks, shared);
    (void)gpi_bases_of(shared);
    GPI_EACH_BIN(d) bases[d] = shared->next[d];
}

/* Sorts keys [base, base + n), n > 0, of place `from` into the output. `range` must contain them. */
static void gpi_bucket_sort(gpi_places places, ulong base, ulong n, gpi_range range, uint from)
{
    if (n > GPI_SINGLE_TILE_FEW) gpi_single_tile_range(places, base, n, range, from, 0);
    else gpi_single_tile_few(gpi_move_make(places, from, GPI_PLACE_OUT), base, (uint)n, range.bits);
}

/* Sorts keys [base, base + n) of place `from` into the output, if the keys are too many for the caches: distributes them by
   equal parts of their range of values, and sorts each part by itself. */
GPI_NOINLINE void gpi_bucket_split(gpi_places places, ulong base, ulong n, gpi_range range, uint from)
{
    uint next[GPI_BINS], begin = 0;
    const uint to = gpi_place_next(from, GPI_PLACE_OUT);
    const uint width = min((uint)GPI_SORT_DIGIT_BITS, range.end - range.begin);
    const gpi_move move = gpi_move_make(places, from, to);
    const gpi_range high = {range.bits, range.least, range.end - width, range.end};
    (void)gpi_single_tile_count(move.key, base, n, high, width, 1, next);
    gpi_top_pass(move, base, n, gpi_range_digit_make(range, high.begin, width), 1u << width, next);
    for (uint d = 0; d < 1u << width; d++) {
        const uint keys = next[d] - begin;
        if (keys > GPI_SINGLE_TILE_FEW) gpi_single_tile_sort(places, base + begin, keys, range.bits, to, 0);
        else if (keys) gpi_bucket_sort(places, base + begin, keys, range, to);
        begin = next[d];
    }
}

/* Sorts the buckets, one group per bucket. `few`: the number of keys that fit the caches. */
GPI_KERNEL void gp_buckets_sort(GPI_PLACES_PARAMETERS, GPI_BITS_PARAMETERS, gpi_state state, ulong map_at,
                                ulong bases_at, ulong few)
{
    gpi_places places;
    gpi_digit_bits bits;
    __global const ulong *bases = gpi_part(state, bases_at), *map = gpi_part(state, map_at);
    const uint d = (uint)get_group_id(0), from = gpi_from(state, GPI_PASS_BUCKETS + 1);
    GPI_PLACES_SET(places);
    GPI_BITS_SET(bits);
    if (gpi_is_idle(state, GPI_PASS_BUCKETS, GPI_WHEN_BUCKETS) || gpi_is_trivial(state, GPI_PASS_BUCKETS))
        return;
    const ulong base = bases[d], n = (d + 1 < GPI_BINS ? bases[d + 1] : gpi_state_count(state)) - base;
    if (n == 0) return;
    if (map[2] == GPI_BINS_ARE_DIGITS) bits.end -= GPI_SORT_DIGIT_BITS;
    gpi_range range = {bits, 0, bits.begin, bits.end};
    if (map[2] != GPI_BINS_ARE_DIGITS)
        range = gpi_range_of(gpi_move_make(places, from, GPI_PLACE_OUT).key, base, n, bits);
    if (n > few && range.end > range.begin) gpi_bucket_split(places, base, n, range, from);
    else gpi_bucket_sort(places, base, n, range, from);
}
#endif
