/* merge.cl - two sorted sequences become one, stably

       out = all of a and b, in order; of equal keys those of a first, and each sequence's own in its order

   Taking one element after the other is a path through the grid of a by b: down for an element of a, right
   for one of b. After d elements it crosses diagonal d, i down and d - i right, and where that is can be
   found by halving, without walking the path: a[i] is among the first d elements exactly if it comes before
   b[d - 1 - i]. So every group finds its piece of the path by itself, and no group waits for another.

           b0 b1 b2 b3
       a0  +--+
       a1     |              crossing(d) = least i in [max(0, d - |b|), min(d, |a|)]
       a2     +--+--+               with i at its end, or not order(a[i]) <= order(b[d - 1 - i])
       a3           |

   (Odeh, Green, Mwassi, Shmueli & Birk, Merge Path, 2012.)

       serial   one item: a tile in GPI_MERGE_RUNS runs of one length, merged side by side, because a step of one
                run waits for the comparison before it. No branch depends on keys.
       local    a tile in local memory: items merge GPI_PER_ITEM elements each, as their places in the tile,
   then keys and values go out, neighbours by neighbours.

   Where the input is not sorted, a crossing is any number in its range. All indices are kept in range for
   any crossings, and all loops end: keys are wrong, nothing else.

   Parameters
       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1
       GPI_WG, GPI_PER_ITEM, GPI_TILE           local: items of a group, elements of an item, of a tile
       GPI_MERGE_RUNS                              serial: runs of a tile                                     */
#ifndef GPI_SORT_MERGE_CL
#define GPI_SORT_MERGE_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"

#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1
#error "exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1"
#endif
#if GPI_SHAPE_SERIAL && GPI_WG != 1
#error "the serial shape has one item a group"
#endif
#if GPI_SHAPE_LOCAL && (GPI_WG < 4 || GPI_TILE != GPI_WG * GPI_PER_ITEM || GPI_TILE > 32768)
#error "GPI_WG must be 4 at least, GPI_TILE must be GPI_WG * GPI_PER_ITEM, and at most 32768"
#endif

/* What is merged. */
typedef struct gpi_pair {
    __global const gpi_key *a, *b;
    ulong a_count, b_count;
    gpi_key_bits flip;
#if GPI_VALUE_SIZE
    __global const gpi_value *a_value, *b_value;
    __global gpi_value *value_out;
#endif
    __global gpi_key *out;
} gpi_pair;

#define GPI_PAIR_KEYS                                                                                    \
    __global const gpi_key *a, ulong a_at, __global const gpi_key *b, ulong b_at, __global gpi_key *out, \
        ulong out_at, ulong flip
#define GPI_PAIR_SET_KEYS(pair)          \
    (pair).a = a + a_at;                 \
    (pair).b = b + b_at;                 \
    (pair).out = out + out_at;           \
    (pair).flip = (gpi_key_bits)(flip);  \
    (pair).a_count = GPI_COUNT_NAMED(a); \
    (pair).b_count = GPI_COUNT_NAMED(b)

#if GPI_VALUE_SIZE
#define GPI_PAIR_PARAMETERS                                                                                \
    GPI_PAIR_KEYS, __global const gpi_value *a_value, ulong a_value_at, __global const gpi_value *b_value, \
        ulong b_value_at, __global gpi_value *value_out, ulong value_out_at
#define GPI_PAIR_SET(pair)                 \
    GPI_PAIR_SET_KEYS(pair);               \
    (pair).a_value = a_value + a_value_at; \
    (pair).b_value = b_value + b_value_at; \
    (pair).value_out = value_out + value_out_at
#else
#define GPI_PAIR_PARAMETERS GPI_PAIR_KEYS
#define GPI_PAIR_SET(pair) GPI_PAIR_SET_KEYS(pair)
#endif

/* Whether x of a comes before y of b. */
static bool gpi_is_before(gpi_key x, gpi_key y, gpi_key_bits flip)
{
    return gpi_key_order(x, flip) <= gpi_key_order(y, flip);
}

/* The least and the largest crossing of diagonal d. */
static ulong gpi_crossing_least(gpi_pair pair, ulong d) { return d > pair.b_count ? d - pair.b_count : 0; }
static ulong gpi_crossing_most(gpi_pair pair, ulong d) { return min(d, pair.a_count); }

#if GPI_SHAPE_SERIAL
/* ------------------------------------------------------------------ serial */

#ifndef GPI_MERGE_RUNS
#define GPI_MERGE_RUNS 8
#endif
#ifndef GPI_MERGE_AHEAD
#define GPI_MERGE_AHEAD 1024 /* how far ahead to prefetch, in bytes */
#endif
#define GPI_MERGE_STEP 16 /* elements of a run between prefetches */

/* Runs side by side. Run r begins at diagonal d[r]; after s steps it has reached i[r] in a. */
typedef struct gpi_runs {
    ulong d[GPI_MERGE_RUNS], i[GPI_MERGE_RUNS];
} gpi_runs;

/* The crossing of diagonal d, which is in [low, high]. */
static ulong gpi_crossing(gpi_pair pair, ulong d, ulong low, ulong high)
{
    while (low < high) {
        const ulong i = low + (high - low) / 2;
        if (gpi_is_before(pair.a[i], pair.b[d - 1 - i], pair.flip)) low = i + 1;
        else high = i;
    }
    return low;
}

/* Runs of `length` elements from diagonal `begin` on. */
static void gpi_runs_begin(gpi_pair pair, gpi_runs *runs, ulong begin, ulong length)
{
    ulong low = 0, high = ~0ul;
    for (uint r = 0; r < GPI_MERGE_RUNS; r++) {
        const ulong d = begin + r * length;
        low = max(low, gpi_crossing_least(pair, d));
        high = min(high, gpi_crossing_most(pair, d));
        low = gpi_crossing(pair, d, low, high);
        high = low + length;
        runs->d[r] = d;
        runs->i[r] = low;
    }
}

/* How many steps all runs, at step s, are sure to be short of the ends of a and b. */
static ulong gpi_runs_room(gpi_pair pair, const gpi_runs *runs, ulong s)
{
    ulong room = ~0ul;
    for (uint r = 0; r < GPI_MERGE_RUNS; r++) {
        const ulong i = runs->i[r], j = runs->d[r] + s - i;
        room = min(room, min(pair.a_count - i, pair.b_count - j));
    }
    return room;
}

/* Steps [s, end) of all runs: a whole number of GPI_MERGE_STEP, all of them short of the ends. */
static void gpi_runs_go(gpi_pair pair, gpi_runs *runs, ulong s, ulong end)
{
    ulong i[GPI_MERGE_RUNS];
    for (uint r = 0; r < GPI_MERGE_RUNS; r++) i[r] = runs->i[r];
    for (; s < end; s += GPI_MERGE_STEP) {
#pragma unroll
        for (uint r = 0; r < GPI_MERGE_RUNS; r++) {
            const ulong d = runs->d[r] + s;
            GPI_PREFETCH_READ((__global const char *)(pair.a + i[r]) + GPI_MERGE_AHEAD);
            GPI_PREFETCH_READ((__global const char *)(pair.b + (d - i[r])) + GPI_MERGE_AHEAD);
            GPI_PREFETCH_WRITE((__global char *)(pair.out + d) + GPI_MERGE_AHEAD);
#if GPI_VALUE_SIZE
            GPI_PREFETCH_READ((__global const char *)(pair.a_value + i[r]) + GPI_MERGE_AHEAD);
            GPI_PREFETCH_READ((__global const char *)(pair.b_value + (d - i[r])) + GPI_MERGE_AHEAD);
            GPI_PREFETCH_WRITE((__global char *)(pair.value_out + d) + GPI_MERGE_AHEAD);
#endif
        }
        for (ulong t = s; t < s + GPI_MERGE_STEP; t++) {
#pragma unroll
            for (uint r = 0; r < GPI_MERGE_RUNS; r++) {
                const ulong d = runs->d[r] + t, j = d - i[r];
                const gpi_key x = pair.a[i[r]], y = pair.b[j];
                const bool first = gpi_is_before(x, y, pair.flip);
                pair.out[d] = first ? x : y;
#if GPI_VALUE_SIZE
                pair.value_out[d] = *(first ? pair.a_value + i[r] : pair.b_value + j);
#endif
                i[r] += first;
            }
        }
    }
    for (uint r = 0; r < GPI_MERGE_RUNS; r++) runs->i[r] = i[r];
}

/* One element, anywhere: d of the output, i of a. Where i is afterwards. Neither a nor b is empty. */
static ulong gpi_merge_step(gpi_pair pair, ulong d, ulong i)
{
    const ulong j = d - i, i_in = min(i, pair.a_count - 1), j_in = min(j, pair.b_count - 1);
    const gpi_key x = pair.a[i_in], y = pair.b[j_in];
    const bool first = (j > j_in) | ((i == i_in) & gpi_is_before(x, y, pair.flip));
    pair.out[d] = first ? x : y;
#if GPI_VALUE_SIZE
    pair.value_out[d] = *(first ? pair.a_value + i_in : pair.b_value + j_in);
#endif
    return i + first;
}

/* GPI_MERGE_STEP steps of all runs from s on, anywhere. */
static void gpi_runs_creep(gpi_pair pair, gpi_runs *runs, ulong s)
{
    for (ulong t = s; t < s + GPI_MERGE_STEP; t++) {
#pragma unroll
        for (uint r = 0; r < GPI_MERGE_RUNS; r++)
            runs->i[r] = gpi_merge_step(pair, runs->d[r] + t, runs->i[r]);
    }
}

/* Elements [begin, end) of the output. */
static void gpi_merge_tile(gpi_pair pair, ulong begin, ulong end)
{
    const ulong length = (end - begin) / (GPI_MERGE_RUNS * GPI_MERGE_STEP) * GPI_MERGE_STEP;
    gpi_runs runs;
    gpi_runs_begin(pair, &runs, begin, length);
    for (ulong s = 0; s < length;) {
        const ulong room = min(length - s, gpi_runs_room(pair, &runs, s)) / GPI_MERGE_STEP * GPI_MERGE_STEP;
        if (room) gpi_runs_go(pair, &runs, s, s + room);
        else gpi_runs_creep(pair, &runs, s);
        s += room ? room : GPI_MERGE_STEP;
    }
    ulong i = runs.i[GPI_MERGE_RUNS - 1];
    for (ulong d = begin + GPI_MERGE_RUNS * length; d < end; d++) i = gpi_merge_step(pair, d, i);
}

/* One of the two is empty: elements [begin, end) are the other's. */
static void gpi_copy_tile(gpi_pair pair, ulong begin, ulong end)
{
    const bool first = pair.a_count > 0;
    for (ulong d = begin; d < end; d++) {
        pair.out[d] = first ? pair.a[d] : pair.b[d];
#if GPI_VALUE_SIZE
        pair.value_out[d] = first ? pair.a_value[d] : pair.b_value[d];
#endif
    }
}

GPI_KERNEL void gp_merge_tiles(GPI_PAIR_PARAMETERS, GPI_COUNT_PARAMETERS_NAMED(a),
                               GPI_COUNT_PARAMETERS_NAMED(b), ulong span, volatile __global uint *counters)
{
    gpi_pair pair;
    GPI_PAIR_SET(pair);
    const ulong n = pair.a_count + pair.b_count, begin = min(n, span * get_group_id(0));
    GPI_COUNT_CHECK_NAMED(a, get_group_id(0) == 0, counters);
    GPI_COUNT_CHECK_NAMED(b, get_group_id(0) == 0, counters);
    if (pair.a_count > 0 && pair.b_count > 0) gpi_merge_tile(pair, begin, min(n, begin + span));
    else gpi_copy_tile(pair, begin, min(n, begin + span));
}

#else
/* ------------------------------------------------------------------ local */

/* Where entry i of `order` is: items write theirs GPI_PER_ITEM apart, and should meet different banks. */
#define GPI_MERGE_PAD(i) ((i) + (i) / 32)
#define GPI_HALF (GPI_WG / 2)

typedef struct gpi_local {
    gpi_key stage[GPI_TILE + 1]; /* the tile's elements of a, then those of b; one more may be read */
    ushort order[GPI_MERGE_PAD(GPI_TILE)]; /* order[d]: where in the stage the element is that comes d-th */
    uchar before[GPI_WG];                  /* what the items have found at their probes */
    uint passed[2][2]; /* by round, even or odd, and diagonal: probes before the crossing */
    ulong crossing[2];
} gpi_local;

/* Elements of a in a tile of `length` between two crossings, which are any when the input is not sorted. */
static ulong gpi_share(ulong begin, ulong end, ulong length) { return min(max(begin, end) - begin, length); }

/* The crossings of diagonals `begin` and `end` into shared->crossing. Each half of the group looks for one. A
   round probes one point an item, at equal distances, and leaves the gap between two of them: a range of
   `most` at most becomes one of most / GPI_HALF. */
static void gpi_cross(gpi_pair pair, ulong begin, ulong end, __local gpi_local *shared)
{
    const uint l = (uint)get_local_id(0), side = l / GPI_HALF, p = l % GPI_HALF;
    const ulong d = side ? end : begin;
    ulong low = gpi_crossing_least(pair, d), high = gpi_crossing_most(pair, d);
    uint round = 0;
    for (ulong most = min(pair.a_count, pair.b_count); most > 0; most /= GPI_HALF) {
        const ulong stride = (high - low) / GPI_HALF + 1, i = low + (p + 1) * stride - 1;
        shared->before[l] = i < high && gpi_is_before(pair.a[i], pair.b[d - 1 - i], pair.flip);
        if (p == 0) shared->passed[round][side] = 0;
        gpi_sync(); /* all have probed, and nothing has passed yet */
        /* The last item's probe is beyond `high`. PoCL 3.1 loses the item's own answer, if it is not read
         * back. */
        if (shared->before[l] && !shared->before[l + 1])
            (void)atomic_max(&shared->passed[round][side], p + 1);
        gpi_sync(); /* the last probe before the crossing is known; `before` may be overwritten */
        low += shared->passed[round][side] * stride;
        high = min(high, low + stride - 1);
        round = 1 - round; /* this round's word is read until the next round's first barrier */
    }
    if (p == 0) shared->crossing[side] = low;
    gpi_sync(); /* both crossings are there */
}

/* Merges this item's elements of the staged tile, `length` of them in the tile and `a_length` from a. */
static void gpi_merge_item(gpi_key_bits flip, uint a_length, uint length, __local gpi_local *shared)
{
    const uint d = min((uint)get_local_id(0) * GPI_PER_ITEM, length), b_length = length - a_length;
    uint low = d > b_length ? d - b_length : 0, high = min(d, a_length);
    while (low < high) {
        const uint i = (low + high) / 2;
        if (gpi_is_before(shared->stage[i], shared->stage[a_length + d - 1 - i], flip)) low = i + 1;
        else high = i;
    }
    uint i = low, j = a_length + d - low;
    gpi_key x = shared->stage[i], y = shared->stage[j];
    for (uint k = d; k < min(d + GPI_PER_ITEM, length); k++) {
        const bool first = j >= length || (i < a_length && gpi_is_before(x, y, flip));
        shared->order[GPI_MERGE_PAD(k)] = (ushort)(first ? i : j);
        const gpi_key next = shared->stage[(first ? i : j) + 1];
        if (first) i++, x = next;
        else j++, y = next;
    }
}

/* A group a tile of the output. */
GPI_KERNEL void gp_merge_tiles(GPI_PAIR_PARAMETERS, GPI_COUNT_PARAMETERS_NAMED(a),
                               GPI_COUNT_PARAMETERS_NAMED(b), ulong span, volatile __global uint *counters)
{
    __local gpi_local shared;
    gpi_pair pair;
    GPI_PAIR_SET(pair);
    const ulong n = pair.a_count + pair.b_count, begin = span * get_group_id(0);
    GPI_COUNT_CHECK_NAMED(a, get_group_id(0) == 0, counters);
    GPI_COUNT_CHECK_NAMED(b, get_group_id(0) == 0, counters);
    if (begin >= n) return;
    const ulong end = min(n, begin + span);
    gpi_cross(pair, begin, end, &shared);
    const uint l = (uint)get_local_id(0), length = (uint)(end - begin);
    const ulong i = shared.crossing[0], j = begin - i;
    const uint a_length = (uint)gpi_share(i, shared.crossing[1], length);
    for (uint k = l; k < length; k += GPI_WG)
        shared.stage[k] = k < a_length ? pair.a[i + k] : pair.b[j + (k - a_length)];
    gpi_sync(); /* the tile is staged */
    gpi_merge_item(pair.flip, a_length, length, &shared);
    gpi_sync(); /* its order is known */
    for (uint k = l; k < length; k += GPI_WG) {
        const uint from = shared.order[GPI_MERGE_PAD(k)];
        pair.out[begin + k] = shared.stage[from];
#if GPI_VALUE_SIZE
        pair.value_out[begin + k] =
            from < a_length ? pair.a_value[i + from] : pair.b_value[j + (from - a_length)];
#endif
    }
}
#endif
#endif
