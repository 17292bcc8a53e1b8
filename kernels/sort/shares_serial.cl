/* shares_serial.cl - keys that are too many for one group and too few for many launches: each group sorts a share of them.

       share(g) = keys whose window is in [bound(g), bound(g + 1))     bound(g): from a sample, the same in all groups

       in      7 2 9 4 1 8 3 6        each group reads all of it: which keys are its own, and how many are below them
       out     2 4 1 3 | 7 9 8 6      each brings its own together, where they belong, ...
               1 2 3 4 | 6 7 8 9      ... and sorts them: by two digits and insertion
                                (sort/single_tile_serial.cl), or by all digits, wide ones

   One launch. In place two: what one group reads another one would overwrite. Serial shape only. */
#ifndef GPI_SORT_SHARES_SERIAL_CL
#define GPI_SORT_SHARES_SERIAL_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "element/key.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"
#include "sort/single_tile_sort.cl"

#if !GPI_SHAPE_SERIAL
#error "shares are for the serial shape"
#endif

#define GPI_SHARE_SAMPLE 512 /* keys */
#define GPI_SHARE_BLOCK 256u /* keys, of which those of the share are found together */

typedef struct gpi_key_share {
    gpi_key_bits first, last; /* of its windows */
    ulong base, n;
} gpi_key_share;

static uint gpi_share_below(const gpi_key_bits *sample, gpi_key_bits x)
{
    uint below = 0;
    for (uint k = 0; k < GPI_SHARE_SAMPLE; k++) below += sample[k] < x;
    return below;
}

/* A number of the window that about `rank` of the sample are below: the greatest that no more are below, found bit by bit,
   or the next one, if the window has it. */
static gpi_key_bits gpi_share_bound(const gpi_key_bits *sample, uint rank, uint width)
{
    const gpi_key_bits greatest = ~(gpi_key_bits)0 >> (8 * sizeof(gpi_key_bits) - width);
    gpi_key_bits x = 0;
    for (uint b = width; b > 0; b--) {
        const gpi_key_bits more = x | (gpi_key_bits)1 << (b - 1);
        if (gpi_share_below(sample, more) <= rank) x = more;
    }
    if (x == greatest) return x;
    return gpi_share_below(sample, x + 1) + gpi_share_below(sample, x) < 2 * rank ? x + 1 : x;
}

/* Share g of `shares`; false: nothing is in it. n > 0. */
static bool gpi_share_bounds(gpi_key_share *share, __global const gpi_key *key, ulong n, gpi_digit_bits bits,
                             uint g, uint shares)
{
    const uint width = bits.end - bits.begin;
    gpi_key_bits sample[GPI_SHARE_SAMPLE];
    share->first = 0;
    share->last = ~(gpi_key_bits)0 >> (8 * sizeof(gpi_key_bits) - width);
    for (ulong k = 0; k < GPI_SHARE_SAMPLE; k++) {
        /* Where in the k-th of 512 parts, in 512ths of it: by the golden ratio, so that the sample has no period. */
        const uint within = (uint)k * 2654435769u >> 23;
        sample[k] = gpi_window_of(key[(512 * k + within) * n / (512 * GPI_SHARE_SAMPLE)], bits);
    }
    if (g > 0) share->first = gpi_share_bound(sample, GPI_SHARE_SAMPLE * g / shares, width);
    if (g + 1 == shares) return true;
    const gpi_key_bits next = gpi_share_bound(sample, GPI_SHARE_SAMPLE * (g + 1) / shares, width);
    share->last = next - 1;
    return share->first < next;
}

static ulong gpi_share_count_below(__global const gpi_key *key, ulong n, gpi_digit_bits bits,
                                   gpi_key_bits first)
{
    ulong sum = 0;
    for (ulong i = 0; i < n; i += GPI_SHARE_BLOCK) {
        const uint length = (uint)min((ulong)GPI_SHARE_BLOCK, n - i);
        uint below = 0;
        for (uint k = 0; k < length; k++) below += gpi_window_of(key[i + k], bits) < first;
        sum += below;
    }
    return sum;
}

static uint gpi_share_has(const gpi_key_share *share, gpi_key_bits window)
{
    return (gpi_key_bits)(window - share->first) <= (gpi_key_bits)(share->last - share->first);
}

/* Which of a whole block's keys are the share's: their numbers into `own`, of GPI_SHARE_BLOCK. How many. */
static uint gpi_share_find(const gpi_key_share *share, __global const gpi_key *key, gpi_digit_bits bits,
                           uint *own)
{
    uint is_own[GPI_SHARE_BLOCK], n = 0;
    GPI_AT_ONCE
    for (uint k = 0; k < GPI_SHARE_BLOCK; k++) is_own[k] = gpi_share_has(share, gpi_window_of(key[k], bits));
#if GPI_PACKS
    const uint16 iota = (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (uint k = 0; k < GPI_SHARE_BLOCK / 16; k++) {
        const uint mask = gpi_mask_of(vload16(k, is_own));
        vstore16(gpi_pack_lanes(iota + 16 * k, mask), 0, own + n);
        n += popcount(mask);
    }
#else
    for (uint k = 0; k < GPI_SHARE_BLOCK; k++) {
        own[n] = k;
        n += is_own[k];
    }
#endif
    return n;
}

/* Brings the share's keys together, from share->base on, and counts them. */
static void gpi_share_gather(gpi_key_share *share, gpi_move move, ulong n, gpi_digit_bits bits)
{
    uint own[GPI_SHARE_BLOCK];
    ulong i = 0, to = share->base;
    for (; i + GPI_SHARE_BLOCK <= n; i += GPI_SHARE_BLOCK) {
        const uint found = gpi_share_find(share, move.key + i, bits, own);
        for (uint k = 0; k < found; k++) gpi_move_one(move, i + own[k], to + k);
        to += found;
    }
    for (; i < n; i++)
        if (gpi_share_has(share, gpi_window_of(move.key[i], bits))) gpi_move_one(move, i, to++);
    share->n = to - share->base;
}

/* Finds this group's share and brings it together. Keys that are in order already are not moved but to the output. */
static void gpi_share_take(gpi_key_share *share, gpi_places places, ulong n, gpi_digit_bits bits, uint from,
                           uint to)
{
    const uint g = (uint)get_group_id(0), shares = (uint)get_num_groups(0);
    const gpi_move move = gpi_move_make(places, from, to);
    share->base = share->n = 0;
    if (n == 0) return;
    if (gpi_is_in_order(move.key, 0, n, bits)) {
        const ulong begin = n * g / shares, end = n * (g + 1) / shares;
        if (from != GPI_PLACE_OUT) (void)gpi_single_tile_end(places, begin, end - begin, from);
        return;
    }
    if (!gpi_share_bounds(share, move.key, n, bits, g, shares)) return;
    if (share->first > 0) share->base = gpi_share_count_below(move.key, n, bits, share->first);
    gpi_share_gather(share, move, n, bits);
}

#define GPI_SHARE_PASSES ((8 * GPI_KEY_SIZE + GPI_TOP_BITS_MAX - 1) / GPI_TOP_BITS_MAX)

/* Called with a constant where that is frequent, so that the loop over passes is unrolled. */
GPI_INLINE void gpi_share_count(__global const gpi_key *key, ulong begin, ulong end, gpi_digit_bits bits,
                                const uint passes, uint (*next)[GPI_TOP_BINS])
{
    for (ulong i = begin; i < end; i++) {
        const gpi_key_bits k = gpi_window_of(key[i], bits);
        for (uint p = 0; p < passes; p++) next[p][k >> GPI_TOP_BITS_MAX * p & (GPI_TOP_BINS - 1)]++;
    }
}

/* Keys [base, base + n) from place `from` to the output, in passes over wide digits. n > 0. */
static void gpi_share_passes(gpi_places places, ulong base, ulong n, gpi_digit_bits bits, uint from)
{
    uint next[GPI_SHARE_PASSES][GPI_TOP_BINS];
    const uint passes = (bits.end - bits.begin + GPI_TOP_BITS_MAX - 1) / GPI_TOP_BITS_MAX;
    gpi_move move = gpi_move_make(places, from, GPI_PLACE_OUT);
    const gpi_key any = move.key[base];
    for (uint p = 0; p < passes; p++)
        for (uint d = 0; d < GPI_TOP_BINS; d++) next[p][d] = 0;
    if (passes == GPI_SHARE_PASSES) gpi_share_count(move.key, base, base + n, bits, GPI_SHARE_PASSES, next);
    else gpi_share_count(move.key, base, base + n, bits, passes, next);
    for (uint p = 0; p < passes; p++) {
        const uint shift = bits.begin + GPI_TOP_BITS_MAX * p, left = bits.end - shift;
        const gpi_digit digit = {(gpi_key_bits)bits.flip, shift,
                                 (1u << min(left, (uint)GPI_TOP_BITS_MAX)) - 1};
        const uint to = gpi_place_next(from, GPI_PLACE_TMP);
        if (next[p][gpi_digit_of(any, digit)] == n) continue;
        gpi_top_pass(gpi_move_make(places, from, to), base, n, digit, GPI_TOP_BINS, next[p]);
        from = to;
    }
    (void)gpi_single_tile_end(places, base, n, from);
}

/* The window without the bits above the highest one in which keys [base, base + n) differ. */
static gpi_digit_bits gpi_share_narrow(__global const gpi_key *key, ulong base, ulong n, gpi_digit_bits bits)
{
    const gpi_key_bits any = gpi_window_of(key[base], bits);
    gpi_key_bits differ = 0;
    for (ulong i = base; i < base + n; i++) differ |= gpi_window_of(key[i], bits) ^ any;
    bits.end = bits.begin + 8 * sizeof differ - (uint)clz(differ);
    return bits;
}

/* Sorts keys [base, base + n), which are in place `from`, into the output. n > 0. */
static void gpi_share_sort(gpi_places places, ulong base, ulong n, gpi_digit_bits bits, uint from)
{
    bits = gpi_share_narrow(gpi_move_make(places, from, GPI_PLACE_OUT).key, base, n, bits);
    if (!gpi_single_tile_top(places, base, n, bits, &from)) gpi_share_passes(places, base, n, bits, from);
}

#define GPI_SHARES_TAKE 1u
#define GPI_SHARES_SORT 2u

/* A group a share. `steps`: one of those above, or both; between launches `parts` has each share's base and number of
   keys. In place, keys are brought together in the second buffer. */
GPI_KERNEL void gp_sort_shares(GPI_PLACES_PARAMETERS, GPI_BITS_PARAMETERS, __global ulong *parts, uint from,
                               uint steps, GPI_COUNT_PARAMETERS, volatile __global uint *counters)
{
    __global ulong *part = parts + 2 * get_group_id(0);
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const uint to = steps == (GPI_SHARES_TAKE | GPI_SHARES_SORT) ? GPI_PLACE_OUT : GPI_PLACE_TMP;
    gpi_places places;
    gpi_digit_bits bits;
    gpi_key_share share;
    GPI_PLACES_SET(places);
    GPI_BITS_SET(bits);
    if (steps & GPI_SHARES_TAKE) {
        GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
        gpi_share_take(&share, places, n, bits, from, to);
        part[0] = share.base;
        part[1] = share.n;
    }
    if (steps & GPI_SHARES_SORT && part[1] > 0) gpi_share_sort(places, part[0], part[1], bits, to);
}
#endif
