/* rank_keys.cl - one item counts or moves a range of keys by their bins (sort/bin.cl), in a loop over the range.

   Keys are moved in one of two ways. One by one: each key is stored at its position, and the cache lines that will be
   written next may be prefetched. Through lines: the keys of each bin are gathered in a line, as long as two cache lines,
   which is written past the caches when it is full.

   Parameters
       GPI_RANK_AHEAD     distance of prefetches, in bytes                                             */
#ifndef GPI_SORT_RANK_KEYS_CL
#define GPI_SORT_RANK_KEYS_CL
#include "base/platform.cl"
#include "element/key.cl"
#include "sort/bin.cl"
#include "sort/digit.cl"

#ifndef GPI_RANK_AHEAD
#define GPI_RANK_AHEAD 2048
#endif
#define GPI_RANK_STEP 16 /* keys of an unrolled step */
#define GPI_PUT_STEP 8   /* keys of an unrolled step that moves them: 16 compile longer, and run no faster */
#define GPI_CACHE_LINE 64

/* GPI_NEAR is the memory in which a group counts, GPI_NEAR_INC increments a counter in it. */
#define GPI_NEAR __private
#define GPI_NEAR_INC(p) (void)(++*(p))
#define GPI_COUNT_COPIES 1 /* copies of each counter */

typedef struct gpi_rank_memory {
    uint count[GPI_BINS]; /* counts of a range */
    ulong next[GPI_BINS];
    uint word;
} gpi_rank_memory;
typedef gpi_rank_memory *gpi_rank_shared;
typedef gpi_rank_memory gpi_move_memory;
typedef gpi_rank_shared gpi_move_shared;

/* Counts the bins of keys [begin, end) in shared->count. Counts in several tables, so that consecutive keys of the same bin do
   not wait for each other's store. */
#define GPI_COUNT_TABLES 4
GPI_NOINLINE void gpi_count_range(__global const gpi_key *key, ulong begin, ulong end, gpi_bin_map bin,
                                  gpi_rank_shared restrict shared)
{
    uint h[GPI_COUNT_TABLES][GPI_BINS];
    gpi_entry entry[GPI_BIN_BLOCK];
    for (uint t = 0; t < GPI_COUNT_TABLES; t++)
        for (uint d = 0; d < GPI_BINS; d++) h[t][d] = 0;
    for (ulong i = begin; i < end; i += GPI_BIN_BLOCK) {
        const uint n = (uint)min((ulong)GPI_BIN_BLOCK, end - i);
        uint k = 0;
        gpi_bin_entries(key + i, n, bin, entry);
        for (; k + GPI_RANK_STEP <= n; k += GPI_RANK_STEP) {
            GPI_PREFETCH_READ((__global const char *)(key + i + k) + GPI_RANK_AHEAD);
#pragma unroll
            for (uint j = 0; j < GPI_RANK_STEP; j++) h[j % GPI_COUNT_TABLES][gpi_bin_of(entry[k + j], bin)]++;
        }
        for (; k < n; k++) h[0][gpi_bin_of(entry[k], bin)]++;
    }
    for (uint d = 0; d < GPI_BINS; d++) {
        shared->count[d] = 0;
        for (uint t = 0; t < GPI_COUNT_TABLES; t++) shared->count[d] += h[t][d];
    }
}

/* Returns whether the keys [begin, end), and the one before them, are in order by the window `bits`. */
static bool gpi_is_in_order(__global const gpi_key *key, ulong begin, ulong end, gpi_digit_bits bits)
{
    ulong i = begin > 0 ? begin - 1 : 0;
    for (; i + GPI_RANK_STEP < end; i += GPI_RANK_STEP) {
        uint worse = 0;
        for (uint k = 0; k < GPI_RANK_STEP; k++)
            worse |= gpi_window_of(key[i + k], bits) > gpi_window_of(key[i + k + 1], bits);
        if (worse) return false;
    }
    for (; i + 1 < end; i++)
        if (gpi_window_of(key[i], bits) > gpi_window_of(key[i + 1], bits)) return false;
    return true;
}

#define GPI_ORDER_PIECE 65536ul /* keys of a piece */

/* Counts the bins of keys [begin, end) in `row`, and returns whether these keys, and the one before them, are in order by the
   window `bits`. Reads each key twice, and therefore works in pieces that fit the caches. */
GPI_NOINLINE bool gpi_count_in_order(__global const gpi_key *key, ulong begin, ulong end, gpi_bin_map bin,
                                     gpi_digit_bits bits, __global ulong *row, gpi_rank_shared shared)
{
    bool in_order = true;
    for (uint d = 0; d < GPI_BINS; d++) row[d] = 0;
    for (ulong i = begin; i < end; i += GPI_ORDER_PIECE) {
        const ulong stop = min(end, i + GPI_ORDER_PIECE);
        gpi_count_range(key, i, stop, bin, shared);
        for (uint d = 0; d < GPI_BINS; d++) row[d] += shared->count[d];
        in_order = in_order && gpi_is_in_order(key, i, stop, bits);
    }
    return in_order;
}

/* Counts the bins of keys [begin, end) in `row`. Unless `window` is empty, returns GPI_IN_ORDER or GPI_OUT_OF_ORDER, according to
   whether these keys, and the one before them, are in order by that window. */
static uint gpi_count_block(__global const gpi_key *key, ulong begin, ulong end, gpi_bin_map bin,
                            gpi_digit_bits window, __global ulong *row, gpi_rank_shared shared)
{
    if (window.end)
        return gpi_count_in_order(key, begin, end, bin, window, row, shared) ? GPI_IN_ORDER
                                                                             : GPI_OUT_OF_ORDER;
    gpi_count_range(key, begin, end, bin, shared);
    for (uint d = 0; d < GPI_BINS; d++) row[d] = shared->count[d];
    return 0;
}

/* ------------------------------------------------------------------ one by one */

/* Returns the position of the next element of bin d, and advances next[d]. */
static ulong gpi_rank_next(ulong *next, uint d)
{
    const ulong j = next[d];
    next[d] = j + 1;
    return j;
}

/* Returns the positions of the next element of bin d and of an element of bin e after it, and advances both. If d == e, the
   second position does not wait for the store of the first. */
static ulong2 gpi_rank_next_two(ulong *next, uint d, uint e)
{
    const ulong j = next[d], k = next[e] + (d == e);
    next[d] = j + 1;
    next[e] = k + 1;
    return (ulong2)(j, k);
}

/* Prefetches the cache line after that of position j, to which the bin's later keys will be written. */
static void gpi_fetch_next(gpi_move move, ulong j)
{
    GPI_PREFETCH_WRITE((__global char *)(move.key_to + j) + GPI_CACHE_LINE);
#if GPI_VALUE_SIZE
    GPI_PREFETCH_WRITE((__global char *)(move.value_to + j) + GPI_CACHE_LINE);
#endif
}

/* Moves keys [begin, end) one by one. If `fetch`, prefetches, at every second key, the cache lines that will be written
   next. (This is often enough.) */
GPI_NOINLINE void gpi_move_direct(gpi_move move, ulong begin, ulong end, gpi_bin_map bin, bool fetch,
                                  gpi_rank_shared restrict shared)
{
    gpi_entry entry[GPI_BIN_BLOCK];
    for (ulong i = begin; i < end; i += GPI_BIN_BLOCK) {
        const uint n = (uint)min((ulong)GPI_BIN_BLOCK, end - i);
        uint k = 0;
        gpi_bin_entries(move.key + i, n, bin, entry);
#pragma unroll 4
        for (; k + 2 <= n; k += 2) {
            const ulong2 to =
                gpi_rank_next_two(shared->next, gpi_bin_of(entry[k], bin), gpi_bin_of(entry[k + 1], bin));
            gpi_move_one(move, i + k, to.x);
            gpi_move_one(move, i + k + 1, to.y);
            if (fetch) gpi_fetch_next(move, to.y);
        }
        if (k < n) gpi_move_one(move, i + k, gpi_rank_next(shared->next, gpi_bin_of(entry[k], bin)));
    }
}

/* ------------------------------------------------------------------ lines */

#define GPI_LINE_PARTS \
    2 /* cache lines that a bin's line fills: with two, a full line is mispredicted half as often as with one */
#define GPI_RANK_LINE (GPI_CACHE_LINE * GPI_LINE_PARTS)
#define GPI_KEY_LINE (GPI_RANK_LINE / GPI_KEY_SIZE)
#if GPI_VALUE_SIZE
#define GPI_VALUE_LINE (GPI_RANK_LINE / GPI_VALUE_SIZE)
#else
#define GPI_VALUE_LINE GPI_KEY_LINE
#endif
#define GPI_SHORT_LINE (GPI_VALUE_LINE < GPI_KEY_LINE ? GPI_VALUE_LINE : GPI_KEY_LINE)

/* A line for each bin. Positions are counted from the line boundary before the output's first key, so that position %
   GPI_KEY_LINE is the index in a line. `alike`: position 0 of the values is at a line boundary, too. If not, values are also
   gathered in lines, but written one by one. */
typedef struct gpi_lines {
    union {
        uint16 part[GPI_BINS * GPI_LINE_PARTS];
        gpi_key key[GPI_BINS * GPI_KEY_LINE];
    } k;
#if GPI_VALUE_SIZE
    union {
        uint16 part[GPI_BINS * GPI_LINE_PARTS];
        gpi_value value[GPI_BINS * GPI_VALUE_LINE];
    } v;
    __global gpi_value *value_to; /* address of position 0's value */
    bool alike;
#endif
    __global gpi_key *key_to; /* address of position 0's key */
    ulong next[GPI_BINS], first[GPI_BINS];
} gpi_lines;

static void gpi_stream_line(const uint16 *part, __global void *to)
{
    for (uint p = 0; p < GPI_LINE_PARTS; p++) GPI_STREAM_STORE(part[p], (__global uint16 *)to + p);
}

/* Writes bin d's line up to position `end`, the end of the line or of the range. Does not write positions before the range's
   first key of the bin. Not inlined, because it is called rarely, and from many places. */
GPI_NOINLINE void gpi_flush_keys(gpi_lines *lines, uint d, ulong end)
{
    const ulong begin = (end - 1) / GPI_KEY_LINE * GPI_KEY_LINE;
    if (lines->first[d] <= begin && end - begin == GPI_KEY_LINE)
        gpi_stream_line(lines->k.part + GPI_LINE_PARTS * d, lines->key_to + begin);
    else
        for (ulong j = max(begin, lines->first[d]); j < end; j++)
            lines->key_to[j] = lines->k.key[d * GPI_KEY_LINE + j % GPI_KEY_LINE];
}

#if GPI_VALUE_SIZE
GPI_NOINLINE void gpi_flush_values(gpi_lines *lines, uint d, ulong end)
{
    const ulong begin = (end - 1) / GPI_VALUE_LINE * GPI_VALUE_LINE;
    if (lines->alike && lines->first[d] <= begin && end - begin == GPI_VALUE_LINE)
        gpi_stream_line(lines->v.part + GPI_LINE_PARTS * d, lines->value_to + begin);
    else
        for (ulong j = max(begin, lines->first[d]); j < end; j++)
            lines->value_to[j] = lines->v.value[d * GPI_VALUE_LINE + j % GPI_VALUE_LINE];
}
#endif

/* Moves element i, of bin d, to position j of its line, and writes the line when it is full. */
static void gpi_rank_put(gpi_lines *lines, gpi_move move, ulong i, uint d, ulong j)
{
    lines->k.key[d * GPI_KEY_LINE + j % GPI_KEY_LINE] = move.key[i];
#if GPI_VALUE_SIZE
    lines->v.value[d * GPI_VALUE_LINE + j % GPI_VALUE_LINE] = gpi_value_at(move, i);
#endif
    if (j % GPI_SHORT_LINE != GPI_SHORT_LINE - 1) return;
#if GPI_VALUE_SIZE
    if (j % GPI_VALUE_LINE == GPI_VALUE_LINE - 1) gpi_flush_values(lines, d, j + 1);
#endif
    if (j % GPI_KEY_LINE == GPI_KEY_LINE - 1) gpi_flush_keys(lines, d, j + 1);
}

static void gpi_put_one(gpi_lines *lines, gpi_move move, ulong i, uint d)
{
    gpi_rank_put(lines, move, i, d, gpi_rank_next(lines->next, d));
}

static void gpi_put_two(gpi_lines *lines, gpi_move move, ulong i, uint d, uint e)
{
    const ulong2 to = gpi_rank_next_two(lines->next, d, e);
    gpi_rank_put(lines, move, i, d, to.x);
    gpi_rank_put(lines, move, i + 1, e, to.y);
}

static void gpi_put_ahead(gpi_move move, ulong i)
{
    GPI_PREFETCH_READ((__global const char *)(move.key + i) + GPI_RANK_AHEAD);
#if GPI_VALUE_SIZE
    GPI_PREFETCH_READ((__global const char *)(move.value + i) + GPI_RANK_AHEAD);
#endif
}

/* Moves keys [begin, end) through lines. If `spread`, two consecutive keys hardly ever have the same bin, and keys are moved one
   by one. Otherwise they are moved two by two. */
static void gpi_put_range(gpi_lines *lines, gpi_move move, ulong begin, ulong end, gpi_bin_map bin,
                          bool spread)
{
    gpi_entry entry[GPI_BIN_BLOCK];
    for (ulong i = begin; i < end; i += GPI_BIN_BLOCK) {
        const uint n = (uint)min((ulong)GPI_BIN_BLOCK, end - i);
        uint k = 0;
        gpi_bin_entries(move.key + i, n, bin, entry);
        for (; spread && k + GPI_PUT_STEP <= n; k += GPI_PUT_STEP) {
            gpi_put_ahead(move, i + k);
#pragma unroll 2
            for (uint j = k; j < k + GPI_PUT_STEP; j++)
                gpi_put_one(lines, move, i + j, gpi_bin_of(entry[j], bin));
        }
        for (; k + GPI_PUT_STEP <= n; k += GPI_PUT_STEP) {
            gpi_put_ahead(move, i + k);
#pragma unroll 2
            for (uint j = k; j < k + GPI_PUT_STEP; j += 2)
                gpi_put_two(lines, move, i + j, gpi_bin_of(entry[j], bin), gpi_bin_of(entry[j + 1], bin));
        }
        for (; k < n; k++) gpi_put_one(lines, move, i + k, gpi_bin_of(entry[k], bin));
    }
}

static void gpi_move_lines(gpi_move move, ulong begin, ulong end, gpi_bin_map bin, bool spread,
                           gpi_rank_shared shared)
{
    gpi_lines lines;
    const ulong offset = (ulong)(size_t)move.key_to % GPI_RANK_LINE / GPI_KEY_SIZE;
    lines.key_to = move.key_to - offset;
#if GPI_VALUE_SIZE
    lines.value_to = move.value_to - offset;
    lines.alike = (ulong)(size_t)lines.value_to % GPI_RANK_LINE == 0;
#endif
    for (uint d = 0; d < GPI_BINS; d++) lines.next[d] = lines.first[d] = shared->next[d] + offset;
    gpi_put_range(&lines, move, begin, end, bin, spread);
    for (uint d = 0; d < GPI_BINS; d++) {
        const ulong rest = lines.next[d] > lines.first[d] ? lines.next[d] : 0;
        if (rest % GPI_KEY_LINE) gpi_flush_keys(&lines, d, rest);
#if GPI_VALUE_SIZE
        if (rest % GPI_VALUE_LINE) gpi_flush_values(&lines, d, rest);
#endif
    }
}

/* Estimates from a few keys whether two keys of the range hardly ever have the same bin. In that case a bin's line of the
   output has left the caches before the bin's next key is written. */
#define GPI_SPREAD_LOOKS 8
static bool gpi_is_spread(__global const gpi_key *key, ulong begin, ulong end, gpi_bin_map bin)
{
    const ulong apart = (end - begin) / GPI_SPREAD_LOOKS;
    uchar count[GPI_BINS];
    gpi_entry entry[GPI_RANK_STEP];
    uint pairs = 0;
    if (apart < GPI_RANK_STEP) return false;
    for (uint d = 0; d < GPI_BINS; d++) count[d] = 0;
    for (uint k = 0; k < GPI_SPREAD_LOOKS; k++) {
        gpi_bin_entries(key + begin + k * apart, GPI_RANK_STEP, bin, entry);
        for (uint j = 0; j < GPI_RANK_STEP; j++) pairs += count[gpi_bin_of(entry[j], bin)]++;
    }
    return pairs < GPI_SPREAD_LOOKS * GPI_RANK_STEP / 2; /* equally frequent bins have half as many */
}

/* Returns whether the next positions of many bins map to the same set of the first-level cache, as happens with keys that count
   up or down. The cache then evicts a line before it is written again. An address modulo 4 KiB determines the set. If positions
   are random, at most about ten of 256 share a set. */
#define GPI_SETS 64
#define GPI_SET_MOST 24
static bool gpi_places_collide(gpi_move move, const ulong *next)
{
    uint count[GPI_SETS];
    uint most = 0;
    ulong before = 0;
    for (uint s = 0; s < GPI_SETS; s++) count[s] = 0;
    for (uint d = 0; d < GPI_BINS; d++) {
        const ulong line = (ulong)(size_t)(move.key_to + next[d]) / GPI_CACHE_LINE;
        if (line != before) most = max(most, ++count[line % GPI_SETS]);
        before = line;
    }
    return most > GPI_SET_MOST;
}

/* Moves elements [begin, end), each to the next position of its bin. The positions of bin d begin at shared->next[d]. `lines`:
   GPI_LINES_... */
GPI_NOINLINE void gpi_move_range(gpi_move move, ulong begin, ulong end, gpi_bin_map bin, uint lines,
                                 gpi_rank_shared restrict shared)
{
    const bool always = lines == GPI_LINES_ALWAYS;
    const bool spread = always && gpi_is_spread(move.key, begin, end, bin);
    const bool fetch = lines == GPI_LINES_FETCH;
    const bool collide = fetch && gpi_places_collide(move, shared->next);
    if (always || collide) gpi_move_lines(move, begin, end, bin, spread, shared);
    else gpi_move_direct(move, begin, end, bin, fetch, shared);
}
#endif
