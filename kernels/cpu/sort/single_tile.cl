/* single_tile.cl - one item sorts few keys.

   Up to GPI_SINGLE_TILE_FEW keys are sorted by their ranks, sixteen at a time:

       rank(i) = |{j : k(j) < k(i)  or  k(j) = k(i), j < i}|

   More keys are sorted by the bits in which they differ: first by two digits at the top of these bits, after which few keys
   have equal digits, and then by insertion:

       n = 1024:    | digit of 8 bits | digit of 8 bits | the rest |

   If the two digits contain all of the bits, no insertion is needed. If too many keys have equal digits, or insertion takes too
   many steps, keys are sorted by passes over all of the bits. All passes move keys from place to place (sort/digit.cl). */
#ifndef GPI_SORT_SINGLE_TILE_CL
#define GPI_SORT_SINGLE_TILE_CL
#include "base/platform.cl"
#include "element/key.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"
#include "vector/features.cl"

/* Copies keys [base, base + n) from place `from` to the output, unless they are there. */
GPI_NOINLINE void gpi_single_tile_end(gpi_places places, ulong base, ulong n, uint from)
{
    const gpi_move move = gpi_move_make(places, from, GPI_PLACE_OUT);
    for (ulong i = base; i < base + n && from != GPI_PLACE_OUT; i++) gpi_move_one(move, i, i);
}

/* The bits that distinguish the keys of a range: bits [begin, end) of order(key) - least. */
typedef struct gpi_range {
    gpi_digit_bits bits; /* the window */
    gpi_key_bits least;  /* the least order(key), with only the bits in the window */
    uint begin, end;
} gpi_range;

/* Returns the range of keys [base, base + n). n must not be 0. */
static gpi_range gpi_range_of(__global const gpi_key *key, ulong base, ulong n, gpi_digit_bits bits)
{
    const gpi_key_bits any = gpi_window_of(key[base], bits);
    gpi_key_bits least = any, most = any, differ = 0;
    for (ulong i = base; i < base + n; i++) {
        const gpi_key_bits window = gpi_window_of(key[i], bits);
        least = min(least, window);
        most = max(most, window);
        differ |= window ^ any;
    }
    const uint width = 8 * sizeof differ, low = width - 1 - (uint)clz(differ & ((gpi_key_bits)0 - differ));
    const gpi_range range = {bits, least << bits.begin, bits.begin + (differ ? low : 0),
                             bits.begin + width - (uint)clz(most - least)};
    return range;
}

/* A digit: (order(key) - least) >> shift & mask. */
typedef struct gpi_range_digit {
    gpi_key_bits flip, least;
    uint shift, mask;
} gpi_range_digit;

static gpi_range_digit gpi_range_digit_make(gpi_range range, uint shift, uint width)
{
    const gpi_range_digit digit = {(gpi_key_bits)range.bits.flip, range.least, shift, (1u << width) - 1};
    return digit;
}

static uint gpi_range_digit_of(gpi_key key, gpi_range_digit digit)
{
    return (uint)((gpi_key_order(key, digit.flip) - digit.least) >> digit.shift) & digit.mask;
}

/* ------------------------------------------------------------------ the highest bits, then insertion */

/* Inserts element i of the output into the elements [base, i), which are in order, but moves it by at most `steps` positions.
   Returns the number of positions by which it was moved. */
static ulong gpi_insert_one(gpi_move move, ulong base, ulong i, ulong steps, gpi_digit_bits bits)
{
    const gpi_key key = move.key_to[i];
    const gpi_key_bits k = gpi_window_of(key, bits);
    const ulong least = i - base > steps ? i - steps : base;
    ulong j = i;
#if GPI_VALUE_SIZE
    const gpi_value value = move.value_to[i];
#endif
    for (; j > least && gpi_window_of(move.key_to[j - 1], bits) > k; j--) {
        move.key_to[j] = move.key_to[j - 1];
#if GPI_VALUE_SIZE
        move.value_to[j] = move.value_to[j - 1];
#endif
    }
    move.key_to[j] = key;
#if GPI_VALUE_SIZE
    move.value_to[j] = value;
#endif
    return i - j;
}

/* Sorts elements [base, base + n) of the output, which are nearly in order, by insertion. Returns false if that took too many
   steps. In that case the elements are not sorted, but equal elements have kept their order. */
static bool gpi_insert_range(gpi_move move, ulong base, ulong n, gpi_digit_bits bits)
{
    const ulong end = base + n;
    ulong steps = n;
    for (ulong i = base; i + 1 < end && steps > 0; i += GPI_RANK_STEP) {
        const ulong stop = min(i + GPI_RANK_STEP, end - 1);
        if (gpi_is_in_order(move.key_to, i + 1, stop + 1, bits)) continue;
        for (ulong k = i + 1; k <= stop; k++) steps -= gpi_insert_one(move, base, k, steps, bits);
    }
    return steps > 0;
}

/* The two digits at the top of the window have enough bits that few of n random keys are equal in both. */
#define GPI_TOP_BITS_MAX 11
#define GPI_TOP_BINS (1 << GPI_TOP_BITS_MAX)
#define GPI_TOP_MORE 5 /* how many bits more than log2(n) */
#define GPI_TOP_MOST ((1ul << (2 * GPI_TOP_BITS_MAX - GPI_TOP_MORE)) - 1) /* the most keys sorted so */

/* Returns how many bits a digit has in passes over all bits. Few keys get short digits, because clearing the counters of long
   digits takes long. */
static uint gpi_single_tile_width(ulong n) { return n < GPI_TOP_BINS ? 8 : GPI_TOP_BITS_MAX; }

typedef struct gpi_top {
    gpi_range_digit low, high;
    uint bins;
    uint next[2][GPI_TOP_BINS]; /* of the low and the high digit: counts, then positions of the next keys */
} gpi_top;

/* Counts both digits of keys [base, base + n), and prefetches the output that the passes will write. */
static void gpi_top_count(gpi_top *top, gpi_move move, ulong base, ulong n)
{
    for (uint d = 0; d < top->bins; d++) top->next[0][d] = top->next[1][d] = 0;
    for (ulong i = base; i < base + n; i++) {
        top->next[0][gpi_range_digit_of(move.key[i], top->low)]++;
        top->next[1][gpi_range_digit_of(move.key[i], top->high)]++;
        if (i % GPI_RANK_STEP) continue;
        GPI_PREFETCH_WRITE(move.key_to + i);
#if GPI_VALUE_SIZE
        GPI_PREFETCH_READ(move.value + i);
        GPI_PREFETCH_WRITE(move.value_to + i);
#endif
    }
}

/* Returns whether few keys are likely to be equal in both digits. Assumes that the two digits are independent. */
static bool gpi_top_parts(const gpi_top *top, ulong n)
{
    float alike[2] = {0, 0};
    for (uint d = 0; d < top->bins; d++) {
        alike[0] += (float)top->next[0][d] * top->next[0][d];
        alike[1] += (float)top->next[1][d] * top->next[1][d];
    }
    return (alike[0] - n) * (alike[1] - n) * (1 << (GPI_TOP_MORE - 1)) < (float)n * n * n;
}

/* Moves keys [base, base + n) by a digit of `bins` values. next[d] must be the number of keys with digit d. On return it is the
   end of these keys, counted from `base`. */
GPI_NOINLINE void gpi_top_pass(gpi_move move, ulong base, ulong n, gpi_range_digit digit, uint bins,
                               uint *restrict next)
{
    ulong i = base;
    uint sum = 0;
    for (uint d = 0; d < bins; d++) {
        const uint x = next[d];
        next[d] = sum;
        sum += x;
    }
    for (; i + GPI_PUT_STEP <= base + n; i += GPI_PUT_STEP) {
#pragma unroll
        for (uint k = 0; k < GPI_PUT_STEP; k++)
            gpi_move_one(move, i + k, base + next[gpi_range_digit_of(move.key[i + k], digit)]++);
    }
    for (; i < base + n; i++) gpi_move_one(move, i, base + next[gpi_range_digit_of(move.key[i], digit)]++);
}

/* Sorts keys [base, base + n) of place `*from` into the output by two digits and insertion, if this is likely to be
   fast. Returns whether the keys are sorted. If not, they may have been moved: *from is then the place to which they
   were moved, and equal keys have kept their order. */
GPI_INLINE bool gpi_single_tile_top(gpi_places places, ulong base, ulong n, gpi_range range, uint *from)
{
    gpi_top top;
    const uint to = gpi_place_next(*from, GPI_PLACE_TMP), all = range.end - range.begin;
    const uint wide = (64 - (uint)clz(n) + GPI_TOP_MORE + 1) / 2, width = min(wide, (all + 1) / 2);
    const bool exact = all <= 2 * width;
    if (n > GPI_TOP_MOST || all <= gpi_single_tile_width(n)) return false;
    top.bins = 1u << width;
    top.high = gpi_range_digit_make(range, range.end - width, width);
    top.low = gpi_range_digit_make(range, exact ? range.begin : range.end - 2 * width,
                                   width); /* the digits may share a bit */
    const gpi_move move = gpi_move_make(places, *from, to);
    gpi_top_count(&top, move, base, n);
    if (!exact && !gpi_top_parts(&top, n)) return false;
    gpi_top_pass(move, base, n, top.low, top.bins, top.next[0]);
    *from = gpi_place_next(to, GPI_PLACE_TMP);
    gpi_top_pass(gpi_move_make(places, to, *from), base, n, top.high, top.bins, top.next[1]);
    gpi_single_tile_end(places, base, n, *from);
    *from = GPI_PLACE_OUT;
    return exact || gpi_insert_range(gpi_move_make(places, to, GPI_PLACE_OUT), base, n, range.bits);
}

/* ------------------------------------------------------------------ all bits */

#define GPI_SINGLE_TILE_COUNTERS ((8 * GPI_KEY_SIZE + GPI_TOP_BITS_MAX - 1) / GPI_TOP_BITS_MAX * GPI_TOP_BINS)

/* Counts the digits of keys [base, base + n) for all passes; a digit has `width` bits, and next[(p << width) + d] counts digit d
   of pass p. Returns a mask of the passes in which all keys have the same digit. */
static uint gpi_single_tile_count(__global const gpi_key *key, ulong base, ulong n, gpi_range range,
                                  uint width, uint passes, uint *next)
{
    const gpi_range_digit all = gpi_range_digit_make(range, 0, 0);
    const gpi_key_bits whole = ~(gpi_key_bits)0 >> (8 * sizeof(gpi_key_bits) - (range.end - range.begin));
    const uint mask = (1u << width) - 1;
    uint same = 0;
    for (uint c = 0; c < passes << width; c++) next[c] = 0;
    for (ulong i = base; i < base + n; i++) {
        const gpi_key_bits k = (gpi_key_order(key[i], all.flip) - all.least) >> range.begin & whole;
        for (uint p = 0; p < passes; p++) next[(p << width) + ((uint)(k >> width * p) & mask)]++;
    }
    for (uint p = 0; p < passes; p++) same |= (uint)(next[p << width] == n) << p; /* the least has digit 0 */
    return same;
}

/* Sorts keys [base, base + n), n > 0, of place `from` into the output, in passes over all bits. `tmp_first` is 0 if the first
   pass may write the output. In this case the last pass always writes the output, and nothing is copied. */
static void gpi_single_tile_passes(gpi_places places, ulong base, ulong n, gpi_range range, uint from,
                                   uint tmp_first)
{
    uint next[GPI_SINGLE_TILE_COUNTERS];
    const uint width = gpi_single_tile_width(n), passes = (range.end - range.begin + width - 1) / width;
    const uint same = gpi_single_tile_count(gpi_move_make(places, from, GPI_PLACE_OUT).key, base, n, range,
                                            width, passes, next);
    const uint moves = passes - popcount(same);
    const uint first = tmp_first || moves % 2 == 0 ? GPI_PLACE_TMP : GPI_PLACE_OUT;
    for (uint p = 0; p < passes; p++) {
        const uint shift = range.begin + width * p;
        const gpi_range_digit digit = gpi_range_digit_make(range, shift, min(width, range.end - shift));
        const uint to = gpi_place_next(from, first);
        if (same >> p & 1) continue;
        gpi_top_pass(gpi_move_make(places, from, to), base, n, digit, 1u << width, next + (p << width));
        from = to;
    }
    gpi_single_tile_end(places, base, n, from);
}

/* Sorts keys [base, base + n), n > 0, of place `from` into the output. `range` must contain them. `tmp_first`: see
   gpi_single_tile_passes. */
GPI_NOINLINE void gpi_single_tile_range(gpi_places places, ulong base, ulong n, gpi_range range, uint from,
                                        uint tmp_first)
{
    if (range.end == range.begin) gpi_single_tile_end(places, base, n, from);
    else if (!gpi_single_tile_top(places, base, n, range, &from))
        gpi_single_tile_passes(places, base, n, range, from, tmp_first);
}

/* Sorts keys [base, base + n), n > 0, of place `from` into the output: finds their range, and calls
   gpi_single_tile_range. */
GPI_NOINLINE void gpi_single_tile_sort(gpi_places places, ulong base, ulong n, gpi_digit_bits bits, uint from,
                                       uint tmp_first)
{
    const gpi_range range = gpi_range_of(gpi_move_make(places, from, GPI_PLACE_OUT).key, base, n, bits);
    gpi_single_tile_range(places, base, n, range, from, tmp_first);
}

#define GPI_SINGLE_TILE_FEW (GPI_VECTOR_BYTES == 64 ? 128 : 64)

#if GPI_KEY_SIZE == 8
typedef ulong16 gpi_bits16;
typedef long16 gpi_rank16;
#else
typedef uint16 gpi_bits16;
typedef int16 gpi_rank16;
#endif
#define GPI_IOTA16 ((gpi_rank16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

/* The windows (gpi_window_of) of a few keys, one by one and as vectors. */
typedef union gpi_few {
    gpi_key_bits one[GPI_SINGLE_TILE_FEW];
    gpi_bits16 sixteen[GPI_SINGLE_TILE_FEW / 16];
} gpi_few;

/* Returns the ranks of keys 16 * b to 16 * b + 15. A comparison of vectors is -1 in lanes in which it is true. */
static gpi_rank16 gpi_few_ranks(const gpi_few *few, uint b, uint n)
{
    const gpi_bits16 own = few->sixteen[b];
    const uint begin = 16 * b, end = min(n, begin + 16);
    gpi_rank16 rank = 0;
    for (uint i = 0; i < begin; i++) rank -= (gpi_bits16)(few->one[i]) <= own;
    for (uint i = begin; i < end; i++) {
        const gpi_bits16 k = (gpi_bits16)(few->one[i]);
        rank -= (k < own) | ((k == own) & (GPI_IOTA16 > (gpi_rank16)(i - begin)));
    }
    for (uint i = end; i < n; i++) rank -= (gpi_bits16)(few->one[i]) < own;
    return rank;
}

/* Sorts keys [base, base + n), n <= GPI_SINGLE_TILE_FEW. Reads all of them before it writes any. */
GPI_NOINLINE void gpi_single_tile_few(gpi_move move, ulong base, uint n, gpi_digit_bits bits)
{
    union {
        gpi_rank16 sixteen[GPI_SINGLE_TILE_FEW / 16];
#if GPI_KEY_SIZE == 8
        long one[GPI_SINGLE_TILE_FEW];
#else
        int one[GPI_SINGLE_TILE_FEW];
#endif
    } rank;
    gpi_few few;
    gpi_key key[GPI_SINGLE_TILE_FEW];
#if GPI_VALUE_SIZE
    gpi_value value[GPI_SINGLE_TILE_FEW];
#endif
    few.sixteen[(n - 1) / 16] = 0; /* also defines the elements after the end */
    for (uint i = 0; i < n; i++) {
        key[i] = move.key[base + i];
        few.one[i] = gpi_window_of(key[i], bits);
#if GPI_VALUE_SIZE
        value[i] = gpi_value_at(move, base + i);
#endif
    }
    for (uint b = 0; b <= (n - 1) / 16; b++) rank.sixteen[b] = gpi_few_ranks(&few, b, n);
    for (uint i = 0; i < n; i++) {
        move.key_to[base + (ulong)rank.one[i]] = key[i];
#if GPI_VALUE_SIZE
        move.value_to[base + (ulong)rank.one[i]] = value[i];
#endif
    }
}
#endif
