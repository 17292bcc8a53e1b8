/* shares.cl - sorts keys that are too many for one group and too few for many launches: each group sorts a share of them.

       share(g) = keys whose windows are in [bound(g), bound(g + 1))     bound(g): from a sample, the same in all groups

   A bound may divide equal keys, by their positions. The equal keys that a bound divides become separate pieces of the two
   shares, and these pieces need no sorting.

       in      7 2 9 4 1 8 3 6        each group reads all keys, finds its own, and counts those before its share
       out     2 4 1 3 | 7 9 8 6      each group moves its own keys to where they belong ...
               1 2 3 4 | 6 7 8 9      ... and sorts them (sort/single_tile.cl)

   This takes one launch, or two if the sort is in place: in one launch, a group would overwrite keys that another group
   still reads. For CPUs only. */
#ifndef GPI_SORT_SHARES_CL
#define GPI_SORT_SHARES_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "vector/lanes.cl"
#include "element/key.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"
#include "sort/single_tile.cl"

#define GPI_SHARE_SAMPLE 512 /* keys of the sample */
#define GPI_SHARE_NEAR \
    32u /* keys of the sample: a bound may be this far from its quantile, to keep equal keys together */
#define GPI_SHARE_BLOCK 256u /* keys of a block: the share's keys in it are found at once */

/* A bound between shares. A key is before the bound if the key's window is smaller, or if the windows are equal and the key's
   block begins before `at`. */
typedef struct gpi_share_bound {
    gpi_key_bits window;
    ulong at;
} gpi_share_bound;

/* Pieces of a share: piece 0 has the keys whose window is that of the share's first bound, if this bound divides them, piece 2
   has those of its last bound, and piece 1 has all other keys. */
#define GPI_SHARE_PIECES 3

typedef struct gpi_key_share {
    gpi_share_bound bound[GPI_SHARE_PIECES + 1];
    ulong base, n[GPI_SHARE_PIECES];
} gpi_key_share;

static uint gpi_share_below(const gpi_key_bits *sample, gpi_key_bits x)
{
    uint below = 0;
    for (uint k = 0; k < GPI_SHARE_SAMPLE; k++) below += sample[k] < x;
    return below;
}

/* Returns the position of key k of a sample of `size` of n keys. The position is in part k of `size` equal parts. Its offset in
   the part, a multiple of 1/512 of the part, follows the golden ratio, so that the sample has no period. */
static ulong gpi_share_place(uint k, uint size, ulong n)
{
    return (512 * (ulong)k + (k * 2654435769u >> 23)) * n / (512 * size);
}

/* Returns a bound with about `rank` keys of the sample before it. The sample was taken from n keys. The bound's window is the
   greatest one that has at most `rank` sample keys below it (found bit by bit), or the next window. If neither window is
   within GPI_SHARE_NEAR sample keys of the rank, the bound divides the keys of the first window by position. */
static gpi_share_bound gpi_share_bound_of(const gpi_key_bits *sample, uint rank, uint width, ulong n)
{
    const gpi_key_bits greatest = ~(gpi_key_bits)0 >> (8 * sizeof(gpi_key_bits) - width);
    gpi_share_bound bound = {0, 0};
    for (uint b = width; b > 0; b--) {
        const gpi_key_bits more = bound.window | (gpi_key_bits)1 << (b - 1);
        if (gpi_share_below(sample, more) <= rank) bound.window = more;
    }
    const uint below = gpi_share_below(sample, bound.window);
    const uint up_to = bound.window < greatest ? gpi_share_below(sample, bound.window + 1) : GPI_SHARE_SAMPLE;
    if (rank - below <= min(up_to - rank, GPI_SHARE_NEAR)) return bound;
    if (up_to - rank <= GPI_SHARE_NEAR) {
        if (bound.window < greatest) bound.window++;
        else bound.at = n;
        return bound;
    }
    for (uint k = 0, equal = 0; equal <= rank - below; k++) {
        if (sample[k] != bound.window) continue;
        bound.at = gpi_share_place(k, GPI_SHARE_SAMPLE, n);
        equal++;
    }
    return bound;
}

/* Computes the bounds of share g and of its pieces. The n keys, n > 0, are divided into `shares` shares. */
static void gpi_share_bounds(gpi_key_share *share, __global const gpi_key *key, ulong n, gpi_digit_bits bits,
                             uint g, uint shares)
{
    const uint width = bits.end - bits.begin;
    gpi_key_bits sample[GPI_SHARE_SAMPLE];
    for (uint k = 0; k < GPI_SHARE_SAMPLE; k++)
        sample[k] = gpi_window_of(key[gpi_share_place(k, GPI_SHARE_SAMPLE, n)], bits);
    gpi_share_bound begin = {0, 0}, end = {~(gpi_key_bits)0 >> (8 * sizeof(gpi_key_bits) - width), n};
    share->bound[1] = begin;
    share->bound[2] = end;
    if (g > 0) {
        begin = gpi_share_bound_of(sample, GPI_SHARE_SAMPLE * g / shares, width, n);
        share->bound[1].window = begin.window + (begin.at > 0);
    }
    if (g + 1 < shares) {
        end = gpi_share_bound_of(sample, GPI_SHARE_SAMPLE * (g + 1) / shares, width, n);
        share->bound[2].window = end.window;
        share->bound[2].at = 0;
    }
    if (begin.window == end.window && begin.at > 0) share->bound[1] = share->bound[2] = end;
    share->bound[0] = begin;
    share->bound[3] = end;
}

/* Returns whether any window is before `bound` in the block at i, and writes the greatest such window to *last. */
static bool gpi_share_before(gpi_share_bound bound, ulong i, gpi_key_bits *last)
{
    *last = bound.window - (i >= bound.at);
    return i < bound.at || bound.window > 0;
}

static ulong gpi_share_count_before(__global const gpi_key *key, ulong n, gpi_digit_bits bits,
                                    gpi_share_bound bound)
{
    ulong sum = 0;
    for (ulong i = 0; i < n; i += GPI_SHARE_BLOCK) {
        const uint length = (uint)min((ulong)GPI_SHARE_BLOCK, n - i);
        gpi_key_bits last;
        uint before = 0;
        if (!gpi_share_before(bound, i, &last)) continue;
        for (uint k = 0; k < length; k++) before += gpi_window_of(key[i + k], bits) <= last;
        sum += before;
    }
    return sum;
}

/* Windows [first, first + more]. */
typedef struct gpi_share_windows {
    gpi_key_bits first, more;
} gpi_share_windows;

/* Writes to *windows the range of windows that keys between the two bounds have in the block at i. Returns false, and writes
   nothing, if the range is empty. */
static bool gpi_share_windows_at(gpi_share_bound begin, gpi_share_bound end, ulong i,
                                 gpi_share_windows *windows)
{
    gpi_key_bits before, last;
    const bool any = gpi_share_before(begin, i, &before);
    if (!gpi_share_before(end, i, &last) || (any && before >= last)) return false;
    windows->first = any ? before + 1 : 0;
    windows->more = last - windows->first;
    return true;
}

static uint gpi_share_has(gpi_share_windows windows, gpi_key_bits window)
{
    return (gpi_key_bits)(window - windows.first) <= windows.more;
}

/* Finds the keys of a whole block whose windows are in `windows`. Writes their indices in the block to `own`, and returns their
   number. */
static uint gpi_share_find(gpi_share_windows windows, __global const gpi_key *key, gpi_digit_bits bits,
                           uint *own)
{
    uint is_own[GPI_SHARE_BLOCK], n = 0;
    GPI_AT_ONCE
    for (uint k = 0; k < GPI_SHARE_BLOCK; k++)
        is_own[k] = gpi_share_has(windows, gpi_window_of(key[k], bits));
#if GPI_PACKS
    const uint16 iota = (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (uint k = 0; k < GPI_SHARE_BLOCK / 16; k++) {
        const uint mask = gpi_mask_of(vload16(k, is_own));
        gpi_pack_near_4((uchar *)(own + n), iota + 16 * k, mask);
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

/* Moves the keys between two bounds to consecutive positions from `first` on, and returns their number. */
static ulong gpi_share_gather(gpi_share_bound begin, gpi_share_bound end, gpi_move move, ulong first, ulong n,
                              gpi_digit_bits bits)
{
    uint own[GPI_SHARE_BLOCK];
    ulong to = first;
    for (ulong i = 0; i < n; i += GPI_SHARE_BLOCK) {
        gpi_share_windows windows;
        if (!gpi_share_windows_at(begin, end, i, &windows)) continue;
        if (i + GPI_SHARE_BLOCK <= n) {
            const uint found = gpi_share_find(windows, move.key + i, bits, own);
            for (uint k = 0; k < found; k++) gpi_move_one(move, i + own[k], to + k);
            to += found;
        } else {
            for (ulong k = i; k < n; k++)
                if (gpi_share_has(windows, gpi_window_of(move.key[k], bits))) gpi_move_one(move, k, to++);
        }
    }
    return to - first;
}

/* Finds the keys of share g of `shares`, and moves them to consecutive positions. If all keys are already in order, makes the
   share empty, and only copies the group's part of the keys to the output, unless they are already there. */
GPI_NOINLINE void gpi_share_take(gpi_key_share *share, gpi_places places, ulong n, gpi_digit_bits bits,
                                 uint from, uint to, uint g, uint shares)
{
    const gpi_move move = gpi_move_make(places, from, to);
    share->base = share->n[0] = share->n[1] = share->n[2] = 0;
    if (n == 0) return;
    if (gpi_is_in_order(move.key, 0, n, bits)) {
        const ulong begin = n * g / shares, end = n * (g + 1) / shares;
        if (from != GPI_PLACE_OUT) gpi_single_tile_end(places, begin, end - begin, from);
        return;
    }
    gpi_share_bounds(share, move.key, n, bits, g, shares);
    if (g > 0) share->base = gpi_share_count_before(move.key, n, bits, share->bound[0]);
    ulong first = share->base;
    for (uint k = 0; k < GPI_SHARE_PIECES; k++) {
        share->n[k] = gpi_share_gather(share->bound[k], share->bound[k + 1], move, first, n, bits);
        first += share->n[k];
    }
}

/* Sorts by shares, one group per share. `steps`: GPI_SHARES_TAKE, GPI_SHARES_SORT, or both. Between two launches `parts` holds
   each share's base and the numbers of keys of its pieces. With two launches (if the sort is in place), shares are gathered in
   the second buffer. */
GPI_KERNEL void gp_sort_shares(GPI_PLACES_PARAMETERS, GPI_BITS_PARAMETERS, __global ulong *parts, uint from,
                               uint steps, GPI_COUNT_PARAMETERS, volatile __global uint *counters)
{
    __global ulong *part = parts + (1 + GPI_SHARE_PIECES) * get_group_id(0);
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const uint to = steps == (GPI_SHARES_TAKE | GPI_SHARES_SORT) ? GPI_PLACE_OUT : GPI_PLACE_TMP;
    gpi_places places;
    gpi_digit_bits bits;
    gpi_key_share share;
    GPI_PLACES_SET(places);
    GPI_BITS_SET(bits);
    if (steps & GPI_SHARES_TAKE) {
        GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
        gpi_share_take(&share, places, n, bits, from, to, (uint)get_group_id(0), (uint)get_num_groups(0));
        part[0] = share.base;
        for (uint k = 0; k < GPI_SHARE_PIECES; k++) part[1 + k] = share.n[k];
    }
    if (steps & GPI_SHARES_SORT) {
        const ulong first = part[0] + part[1], last = first + part[2];
        gpi_single_tile_end(places, part[0], part[1], to);
        if (part[2]) gpi_single_tile_sort(places, first, part[2], bits, to, 1);
        gpi_single_tile_end(places, last, part[3], to);
    }
}
#endif
