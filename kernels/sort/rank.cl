/* rank.cl - what a group does with a range of keys, in each shape: count digits, move keys stably.

       serial   one item: loops over the range. Moving writes through lines: a 64-byte line is gathered for
                each digit, and written, past the caches, when it is whole.
       local    tiles of GPI_TILE keys in local memory, put in the order of their digits (stable) by two
                rounds of four bits, then written: neighbours write neighbours.

   Every function is collective: all items of the group call it. `next[d]` is where the next key of digit d
   goes, kept for the whole range.

   Parameters
       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1
       GPI_WG, GPI_PER_ITEM, GPI_TILE           local: items of a group, keys of an item, keys of a tile
       GPI_RANK_AHEAD                             serial: how far ahead to prefetch, in bytes               */
#ifndef GPI_SORT_RANK_CL
#define GPI_SORT_RANK_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/digit.cl"

#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1
#error "exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1"
#endif
#if GPI_SHAPE_SERIAL && GPI_WG != 1
#error "the serial shape has one item a group"
#endif
#if GPI_SHAPE_LOCAL && (GPI_TILE != GPI_WG * GPI_PER_ITEM || GPI_TILE > 32768)
#error "GPI_TILE must be GPI_WG * GPI_PER_ITEM, and at most 32768"
#endif

/* The memory of a group. */
#if GPI_SHAPE_SERIAL
#define GPI_NEAR __private
#define GPI_NEAR_INC(p) (void)(++*(p))
#else
#define GPI_NEAR __local
#define GPI_NEAR_INC(p) (void)atomic_inc(p)
#endif

/* Digits d of this item: for (uint d = first; d < GPI_BINS; d += GPI_WG). */
#define GPI_EACH_BIN(d) for (uint d = (uint)get_local_id(0); d < GPI_BINS; d += GPI_WG)

#if GPI_SHAPE_SERIAL
/* ------------------------------------------------------------------ serial */

typedef struct gpi_rank_memory {
    uint count[GPI_BINS]; /* of a range */
    ulong next[GPI_BINS];
    uint word;
} gpi_rank_memory;
typedef gpi_rank_memory *gpi_rank_shared;

#ifndef GPI_RANK_AHEAD
#define GPI_RANK_AHEAD 2048
#endif
#define GPI_RANK_STEP 16 /* keys of an unrolled step */

/* The digits of [begin, end) into shared->count. Four tables: equal digits in a row do not wait for each
   other's store. */
static void gpi_count_range(__global const gpi_key *key, ulong begin, ulong end, gpi_digit digit,
                            gpi_rank_shared shared)
{
    uint h[4][GPI_BINS];
    ulong i = begin;
    for (uint d = 0; d < GPI_BINS; d++) h[0][d] = h[1][d] = h[2][d] = h[3][d] = 0;
    for (; i + GPI_RANK_STEP <= end; i += GPI_RANK_STEP) {
        GPI_PREFETCH_READ((__global const char *)(key + i) + GPI_RANK_AHEAD);
#pragma unroll
        for (uint k = 0; k < GPI_RANK_STEP; k++) h[k % 4][gpi_digit_of(key[i + k], digit)]++;
    }
    for (; i < end; i++) h[0][gpi_digit_of(key[i], digit)]++;
    for (uint d = 0; d < GPI_BINS; d++) shared->count[d] = h[0][d] + h[1][d] + h[2][d] + h[3][d];
}

/* Element i, of digit d, to where the next one of its digit goes. */
static void gpi_rank_place(gpi_move move, ulong i, uint d, gpi_rank_shared shared)
{
    const ulong j = shared->next[d];
    shared->next[d] = j + 1;
    gpi_move_one(move, i, j);
}

static void gpi_move_direct(gpi_move move, ulong begin, ulong end, gpi_digit digit, gpi_rank_shared shared)
{
    ulong i = begin;
    for (; i + GPI_RANK_STEP <= end; i += GPI_RANK_STEP) {
#pragma unroll
        for (uint k = 0; k < GPI_RANK_STEP; k++)
            gpi_rank_place(move, i + k, gpi_digit_of(move.key[i + k], digit), shared);
    }
    for (; i < end; i++) gpi_rank_place(move, i, gpi_digit_of(move.key[i], digit), shared);
}

#define GPI_RANK_LINE 64
#define GPI_KEY_LINE (GPI_RANK_LINE / GPI_KEY_SIZE)
#if GPI_VALUE_SIZE
#define GPI_VALUE_LINE (GPI_RANK_LINE / GPI_VALUE_SIZE)
#else
#define GPI_VALUE_LINE GPI_KEY_LINE
#endif
#define GPI_SHORT_LINE (GPI_VALUE_LINE < GPI_KEY_LINE ? GPI_VALUE_LINE : GPI_KEY_LINE)

/* A line for each digit. Positions are counted from the line's boundary before the output's first key, so
   that position % GPI_KEY_LINE is the place in a line. The output's values may not stand alike in theirs:
   then they are gathered all the same, and written one by one. */
typedef struct gpi_lines {
    union {
        uint16 line[GPI_BINS];
        gpi_key key[GPI_BINS * GPI_KEY_LINE];
    } k;
#if GPI_VALUE_SIZE
    union {
        uint16 line[GPI_BINS];
        gpi_value value[GPI_BINS * GPI_VALUE_LINE];
    } v;
    __global gpi_value *value_to; /* where position 0's value would go */
    bool alike;
#endif
    __global gpi_key *key_to; /* where position 0 would go */
    ulong next[GPI_BINS], first[GPI_BINS];
} gpi_lines;

/* Writes digit d's keys up to position `end`, which ends a line or the range: of the last line, nothing
   before the range's own first key. */
static void gpi_flush_keys(gpi_lines *lines, uint d, ulong end)
{
    const ulong begin = (end - 1) / GPI_KEY_LINE * GPI_KEY_LINE;
    if (lines->first[d] <= begin && end - begin == GPI_KEY_LINE) {
        GPI_STREAM_STORE(lines->k.line[d], (__global uint16 *)(lines->key_to + begin));
        return;
    }
    for (ulong j = max(begin, lines->first[d]); j < end; j++)
        lines->key_to[j] = lines->k.key[d * GPI_KEY_LINE + j % GPI_KEY_LINE];
}

#if GPI_VALUE_SIZE
static void gpi_flush_values(gpi_lines *lines, uint d, ulong end)
{
    const ulong begin = (end - 1) / GPI_VALUE_LINE * GPI_VALUE_LINE;
    if (lines->alike && lines->first[d] <= begin && end - begin == GPI_VALUE_LINE) {
        GPI_STREAM_STORE(lines->v.line[d], (__global uint16 *)(lines->value_to + begin));
        return;
    }
    for (ulong j = max(begin, lines->first[d]); j < end; j++)
        lines->value_to[j] = lines->v.value[d * GPI_VALUE_LINE + j % GPI_VALUE_LINE];
}
#endif

/* Element i, of digit d, into its line, and the line out when it is whole. */
static void gpi_rank_put(gpi_lines *lines, gpi_move move, ulong i, uint d)
{
    const ulong j = lines->next[d];
    lines->next[d] = j + 1;
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

static void gpi_put_range(gpi_lines *lines, gpi_move move, ulong begin, ulong end, gpi_digit digit)
{
    ulong i = begin;
    for (; i + GPI_RANK_STEP <= end; i += GPI_RANK_STEP) {
        GPI_PREFETCH_READ((__global const char *)(move.key + i) + GPI_RANK_AHEAD);
#if GPI_VALUE_SIZE
        GPI_PREFETCH_READ((__global const char *)(move.value + i) + GPI_RANK_AHEAD);
#endif
#pragma unroll
        for (uint k = 0; k < GPI_RANK_STEP; k++)
            gpi_rank_put(lines, move, i + k, gpi_digit_of(move.key[i + k], digit));
    }
    for (; i < end; i++) gpi_rank_put(lines, move, i, gpi_digit_of(move.key[i], digit));
}

static void gpi_move_lines(gpi_move move, ulong begin, ulong end, gpi_digit digit, gpi_rank_shared shared)
{
    gpi_lines lines;
    const ulong offset = (ulong)(size_t)move.key_to % GPI_RANK_LINE / GPI_KEY_SIZE;
    lines.key_to = move.key_to - offset;
#if GPI_VALUE_SIZE
    lines.value_to = move.value_to - offset;
    lines.alike = (ulong)(size_t)lines.value_to % GPI_RANK_LINE == 0;
#endif
    for (uint d = 0; d < GPI_BINS; d++) lines.next[d] = lines.first[d] = shared->next[d] + offset;
    gpi_put_range(&lines, move, begin, end, digit);
    for (uint d = 0; d < GPI_BINS; d++) {
        const ulong rest = lines.next[d] > lines.first[d] ? lines.next[d] : 0;
        if (rest % GPI_KEY_LINE) gpi_flush_keys(&lines, d, rest);
#if GPI_VALUE_SIZE
        if (rest % GPI_VALUE_LINE) gpi_flush_values(&lines, d, rest);
#endif
    }
}

/* Moves [begin, end) to where shared->next says. `lines`: by lines, for more than the caches hold. */
static void gpi_move_range(gpi_move move, ulong begin, ulong end, gpi_digit digit, bool lines,
                           gpi_rank_shared shared)
{
    if (lines) gpi_move_lines(move, begin, end, digit, shared);
    else gpi_move_direct(move, begin, end, digit, shared);
}

#else
/* ------------------------------------------------------------------ local */

/* order[i] of a tile: the digit of the key that comes i-th, and where in the tile it is. */
#define GPI_ORDER(d, i) ((d) << 16 | (i))
#define GPI_ORDER_DIGIT(o) ((o) >> 16)
#define GPI_ORDER_INDEX(o) ((o)&0xffffu)

typedef struct gpi_rank_memory {
    gpi_key stage[GPI_TILE];
    uint order[GPI_TILE];
    ushort nibble[16 * GPI_WG]; /* value, item: how many of the item's keys have it; then, where they go */
    uint sum[2][GPI_WG];
    uint count[GPI_BINS]; /* of a range, or of a tile */
    uint start[GPI_BINS]; /* where a digit begins in the ordered tile */
    ulong next[GPI_BINS];
    uint word;
} gpi_rank_memory;
typedef __local gpi_rank_memory *gpi_rank_shared;

/* The sum of x over the items before this one. Each step doubles the reach. */
static uint gpi_group_before(uint x, gpi_rank_shared shared)
{
    const uint l = (uint)get_local_id(0), own = x;
    uint from = 0;
    shared->sum[0][l] = x;
    gpi_sync(); /* row 0 is complete */
    for (uint d = 1; d < GPI_WG; d *= 2) {
        if (l >= d) x += shared->sum[from][l - d];
        from = 1 - from;
        shared->sum[from][l] = x;
        gpi_sync(); /* this step's row is complete; the other one is no longer read */
    }
    return x - own;
}

/* The digits of [begin, end) into shared->count. */
static void gpi_count_range(__global const gpi_key *key, ulong begin, ulong end, gpi_digit digit,
                            gpi_rank_shared shared)
{
    GPI_EACH_BIN(d) shared->count[d] = 0;
    gpi_sync(); /* the counters are zero */
    for (ulong i = begin + get_local_id(0); i < end; i += GPI_WG)
        (void)atomic_inc(&shared->count[gpi_digit_of(key[i], digit)]);
    gpi_sync(); /* all is counted */
}

/* Puts shared->order in the order of four bits of the digits, stably: items own consecutive entries, count
   them by value, and the counters' running sum says where each goes. */
static void gpi_order_nibble(gpi_rank_shared shared, uint shift)
{
    const uint l = (uint)get_local_id(0);
    uint entry[GPI_PER_ITEM], rank[GPI_PER_ITEM], sum = 0;
    for (uint v = 0; v < GPI_TURNS(16); v++) shared->nibble[v * GPI_WG + l] = 0;
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
        entry[j] = shared->order[l * GPI_PER_ITEM + j];
        rank[j] = shared->nibble[(entry[j] >> shift & 15) * GPI_WG + l]++;
    }
    gpi_sync(); /* all items have counted, and read their entries */
    for (uint k = 0; k < GPI_TURNS(16); k++) {
        const uint x = shared->nibble[l * 16 + k];
        shared->nibble[l * 16 + k] = (ushort)sum;
        sum += x;
    }
    sum = gpi_group_before(sum, shared);
    for (uint k = 0; k < GPI_TURNS(16); k++) shared->nibble[l * 16 + k] += (ushort)sum;
    gpi_sync(); /* the running sum is complete */
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++)
        shared->order[shared->nibble[(entry[j] >> shift & 15) * GPI_WG + l] + rank[j]] = entry[j];
    gpi_sync(); /* the new order is written */
}

/* Puts shared->order in the order of its digits, stably. The one place for a device's own way to rank. */
static void gpi_order_digits(gpi_rank_shared shared, uint mask)
{
    gpi_sync(); /* the entries are written */
    gpi_order_nibble(shared, 16);
    if (mask > 15) gpi_order_nibble(shared, 20);
}

/* The tile at `base` into the stage, its digits into `order`; behind its end the highest digit, which a
   stable order leaves there. */
static void gpi_tile_load(__global const gpi_key *key, ulong base, uint length, gpi_digit digit,
                          gpi_rank_shared shared)
{
    for (uint i = (uint)get_local_id(0); i < GPI_TURNS(GPI_TILE); i += GPI_WG) {
        uint d = GPI_BINS - 1;
        if (i < length) {
            const gpi_key k = key[base + i];
            shared->stage[i] = k;
            d = gpi_digit_of(k, digit);
        }
        shared->order[i] = GPI_ORDER(d, i);
    }
}

/* The loaded tile's digits into shared->count. */
static void gpi_tile_count(uint length, gpi_rank_shared shared)
{
    GPI_EACH_BIN(d) shared->count[d] = 0;
    gpi_sync(); /* the counters are zero, the entries written */
    for (uint i = (uint)get_local_id(0); i < length; i += GPI_WG)
        (void)atomic_inc(&shared->count[GPI_ORDER_DIGIT(shared->order[i])]);
    gpi_sync(); /* all is counted */
}

/* Writes the ordered tile to where shared->next says. */
static void gpi_tile_write(gpi_move move, ulong base, uint length, gpi_rank_shared shared)
{
    for (uint p = (uint)get_local_id(0); p < length; p += GPI_WG) {
        const uint d = GPI_ORDER_DIGIT(shared->order[p]);
        if (p == 0 || GPI_ORDER_DIGIT(shared->order[p - 1]) != d) shared->start[d] = p;
    }
    gpi_sync(); /* the digits' starts are written, by one item each */
    for (uint p = (uint)get_local_id(0); p < length; p += GPI_WG) {
        const uint o = shared->order[p], d = GPI_ORDER_DIGIT(o), i = GPI_ORDER_INDEX(o);
        const ulong j = shared->next[d] + (p - shared->start[d]);
        move.key_to[j] = shared->stage[i];
#if GPI_VALUE_SIZE
        move.value_to[j] = gpi_value_at(move, base + i);
#endif
    }
}

/* Moves next[d] behind what the tile has written of digit d. */
static void gpi_tile_advance(uint length, gpi_rank_shared shared)
{
    gpi_sync(); /* all have used `next` */
    for (uint p = (uint)get_local_id(0); p < length; p += GPI_WG) {
        const uint d = GPI_ORDER_DIGIT(shared->order[p]);
        if (p == length - 1 || GPI_ORDER_DIGIT(shared->order[p + 1]) != d)
            shared->next[d] += p + 1 - shared->start[d];
    }
    gpi_sync(); /* `next` is moved, and the tile is no longer read */
}

/* Moves [begin, end) to where shared->next says, tile by tile. */
static void gpi_move_range(gpi_move move, ulong begin, ulong end, gpi_digit digit, bool lines,
                           gpi_rank_shared shared)
{
    (void)lines;
    for (ulong base = begin; base < end; base += GPI_TILE) {
        const uint length = (uint)min((ulong)GPI_TILE, end - base);
        gpi_tile_load(move.key, base, length, digit, shared);
        gpi_order_digits(shared, digit.mask);
        gpi_tile_write(move, base, length, shared);
        gpi_tile_advance(length, shared);
    }
}
#endif

/* ------------------------------------------------------------------ both */

/* Called with a constant where that is frequent, so that the loop over passes is unrolled. */
GPI_INLINE void gpi_count_passes(__global const gpi_key *key, ulong begin, ulong end, gpi_digit_bits bits,
                                 const uint passes, GPI_NEAR uint *count)
{
    for (ulong i = begin + get_local_id(0); i < end; i += GPI_WG) {
        gpi_key_bits k = gpi_window_of(key[i], bits);
        for (uint p = 0; p < passes; p++, k >>= 8)
            GPI_NEAR_INC(count + p * GPI_BINS + (uint)(k & (GPI_BINS - 1)));
    }
}

/* The digits of all passes at once, into count[pass][digit]. */
static void gpi_count_all(__global const gpi_key *key, ulong begin, ulong end, gpi_digit_bits bits,
                          GPI_NEAR uint *count)
{
    for (uint c = (uint)get_local_id(0); c < bits.passes * GPI_BINS; c += GPI_WG) count[c] = 0;
    gpi_sync(); /* the counters are zero */
    if (bits.passes == sizeof(gpi_key)) gpi_count_passes(key, begin, end, bits, sizeof(gpi_key), count);
    else gpi_count_passes(key, begin, end, bits, bits.passes, count);
    gpi_sync(); /* all is counted */
}
#endif
