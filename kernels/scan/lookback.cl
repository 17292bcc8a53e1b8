/* lookback.cl - decoupled look-back: how a group learns the product of all tiles before its own.

       prefix(t) = aggregate(0) . aggregate(1) ... aggregate(t-1)

   A group publishes its tile's aggregate, walks back over its predecessors, combining what they
   published, until it meets an inclusive prefix, and publishes its own.
   (Merrill & Garland 2016; fallback: Smith, Levien & Owens 2025.)

   State buffer, zeroed before the launch:

       uint ticket, 3 x unused | tile 0: GPI_STATE_WORDS words | tile 1: ... |

       wide word     payload 32 bits in the low half, flag in the top two bits
       narrow word   payload 16 bits in the low half, flag in the top two bits

   An element's payload is spread over its words and each word repeats the flag: a reader believes a
   state only when all its words show the same flag, so no order between the words is needed and every
   access is a relaxed atomic. Flags only ever rise: empty < aggregate < inclusive.

   Waiting. Of scans and selections, only this file waits for other groups.
     - Tiles are handed out by ticket: whoever waits, waits for groups that have already started.
     - A wait is bounded: after `polls` looks at tiles that are late, the group computes each further
       late tile itself, from the input, and goes on (`polls` 0: wait for ever; the host says so only
       on devices that are known to let every started group go on running).

   Ordered (GPI_ORDERED 1, of segments whose heads are counted): products do not depend on when states are seen. Each is
   put together from left to right, from the last head or an inclusive one, which has been put together so: the anchor.
   No tile counts before there is one among those that are seen, and the caller waits without a bound.

   tests/models/lookback.pml checks this: stores that land in any order, both numbers of words, the fallback. */
#ifndef GPI_SCAN_LOOKBACK_CL
#define GPI_SCAN_LOOKBACK_CL
#include "base/count.cl"
#include "base/fault_injection.cl"
#include "base/platform.cl"
#include "group/sub_group.cl"
#include "group/sync.cl"
#include "element/monoid.cl"
#include "scan/constants.cl"
#include "scan/tile.cl"

#define GPI_EMPTY 0u
#define GPI_AGGREGATE 1u
#define GPI_INCLUSIVE 2u

#if GPI_WIDE
#define GPI_STATE_WORDS GPI_WORDS
#define GPI_FLAG_SHIFT 62
#else
#define GPI_STATE_WORDS (2 * GPI_WORDS)
#define GPI_FLAG_SHIFT 30
#endif

typedef volatile __global gpi_word *gpi_state_words;

/* The tile of this group. All items call; the order of tickets is the order of tiles. */
static uint gpi_take_ticket(volatile __global uint *state, gpi_tile_shared shared)
{
    uint ticket = 0;
    if (GPI_LOCAL_ID == 0) ticket = atomic_inc(state);
    return gpi_broadcast_once(ticket, &shared->word); /* the tile is read before the next broadcast */
}

static gpi_state_words gpi_state_of(volatile __global uint *state, uint tile)
{
    return (gpi_state_words)(state + GPI_STATE_HEADER) + (ulong)tile * GPI_STATE_WORDS;
}

/* Word k of a state: the flag and the k-th piece of the payload. */
static gpi_word gpi_pack(uint flag, const gpi_bits *bits, uint k)
{
#if GPI_WIDE
    return (gpi_word)flag << GPI_FLAG_SHIFT | bits->word[k];
#else
    return flag << GPI_FLAG_SHIFT | (bits->word[k / 2] >> 16 * (k % 2) & 0xffffu);
#endif
}

static void gpi_publish(volatile __global uint *state, uint tile, uint flag, GPI_T value)
{
    const gpi_bits bits = gpi_bits_of(value);
    gpi_state_words words = gpi_state_of(state, tile);
    for (uint k = 0; k < GPI_STATE_WORDS; k++) {
        if (gpi_tells(words + k, tile, k + (flag == GPI_INCLUSIVE)))
            gpi_word_write(words + k, gpi_pack(flag, &bits, k));
    }
}

/* One look at a tile's state: its flag, and in *value what the words say, which is a value if that flag is
   not GPI_EMPTY. Written in either case: PoCL 6 aborts on the choice (docs/drivers.md). (lookback.pml:
   `whole`, and the mutation BUG_AGREE.) */
static uint gpi_observe(volatile __global uint *state, uint tile, GPI_T *value)
{
    gpi_state_words words = gpi_state_of(state, tile);
    gpi_bits bits = gpi_bits_of(*value);
    const gpi_word first = gpi_word_load(words);
    const uint flag = (uint)(first >> GPI_FLAG_SHIFT);
    bool agree = true;
    gpi_word w = first;
    for (uint k = 0; k < GPI_STATE_WORDS; k++) {
        if (k > 0) w = gpi_word_load(words + k);
        agree = agree && (uint)(w >> GPI_FLAG_SHIFT) == flag;
#if GPI_WIDE
        bits.word[k] = (uint)w;
#else
        bits.word[k / 2] = k % 2 ? bits.word[k / 2] | w << 16 : w & 0xffffu;
#endif
    }
    *value = gpi_bits_value(bits);
    return agree ? flag : GPI_EMPTY;
}

/* Publishes another tile's aggregate for it, word by word, where nothing is published yet. Right only
   for bit-exact monoids: the owner may be writing the same words at the same time. (lookback.pml: `whole`,
   and the mutations BUG_POST and BUG_EXACT.) */
static void gpi_post(volatile __global uint *state, uint tile, GPI_T aggregate)
{
#if GPI_EXACT
    const gpi_bits bits = gpi_bits_of(aggregate);
    gpi_state_words words = gpi_state_of(state, tile);
    for (uint k = 0; k < GPI_STATE_WORDS; k++) {
        gpi_word_replace(words + k, (gpi_word)0, gpi_pack(GPI_AGGREGATE, &bits, k));
    }
#else
    (void)state;
    (void)tile;
    (void)aggregate;
#endif
}

#if GPI_ORDERED && GPI_SUB_GROUP
/* The product of lanes anchor, anchor - 1 ... 0, in lane 0: each adds its own to what the lane above it has. Ends because
   every turn is one of `anchor`. */
static GPI_T gpi_fold_lanes(GPI_COMBINE_PARAMETER GPI_T seen, uint anchor, gpi_tile_shared shared)
{
    const uint l = gpi_sg_lane();
    GPI_T sum = seen;
    for (uint k = 0; gpi_sg_vote(k < anchor, &shared->sub_group); k++) {
        const GPI_T above = gpi_items_down(sum, 1, shared->value);
        if (l < anchor) sum = gpi_combine(GPI_COMBINE_PASSED above, seen);
    }
    return sum;
}

#elif GPI_ORDERED
/* As gpi_observe, of a tile that has told something, or will. Ends because the tile has started and is let run. */
static uint gpi_await(volatile __global uint *state, uint tile, GPI_T *value)
{
    uint flag = gpi_observe(state, tile, value);
    while (flag == GPI_EMPTY) {
        GPI_PAUSE();
        flag = gpi_observe(state, tile, value);
    }
    return flag;
}

/* In *product that of the tiles before `next` from their anchor on. Returns 0 if all are in it, else the anchor.
   Ends because each turn goes one tile back, or forth again. */
static uint gpi_fold_back(GPI_COMBINE_PARAMETER volatile __global uint *state, uint next, GPI_T *product)
{
    uint anchor = next;
    bool inclusive = false;
    GPI_T seen = *product;
    while (anchor > 0 && (anchor == next || (!inclusive && seen.head == 0)))
        inclusive = gpi_await(state, --anchor, &seen) == GPI_INCLUSIVE;
    *product = seen;
    for (uint k = anchor + 1; k < next; k++) {
        const bool whole = gpi_await(state, k, &seen) == GPI_INCLUSIVE;
        *product = whole ? seen : gpi_combine(GPI_COMBINE_PASSED * product, seen);
        inclusive = inclusive || whole;
    }
    return inclusive ? 0 : anchor;
}
#endif

#if GPI_SUB_GROUP
/* Combines the states of the tiles before `next`, as the function below does, by a whole sub-group: each lane looks at another
   tile. The nearest inclusive state, or the nearest late tile, decides how many lanes count. Lane 0's *prefix is the result.
   If sub-groups are emulated, all of the group call, the others with `next` 0. (lookback.pml: LANES.) */
static uint gpi_walk_back(GPI_COMBINE_PARAMETER volatile __global uint *state, uint next, GPI_T *prefix,
                          uint *polls, bool bounded, gpi_tile_shared shared)
{
    const uint l = gpi_sg_lane();
    bool more = next > 0;
#if GPI_ORDERED
    bool anchored = false;
#endif
    while (gpi_sg_vote(more, &shared->sub_group)) {
        GPI_T seen = gpi_identity();
        uint flag = GPI_INCLUSIVE; /* of what is before the first tile */
        if (l < next) flag = gpi_observe(state, next - 1 - l, &seen);
        const uint inclusive = gpi_sg_first(gpi_sg_ballot(flag == GPI_INCLUSIVE, &shared->sub_group));
        const uint late = gpi_sg_first(gpi_sg_ballot(flag == GPI_EMPTY, &shared->sub_group));
        uint told = min(inclusive + 1, late);
        GPI_T sum = gpi_identity();
#if GPI_ORDERED
        const bool anchors = flag == GPI_INCLUSIVE || (flag == GPI_AGGREGATE && seen.head > 0);
        const uint anchor = gpi_sg_first(gpi_sg_ballot(anchors, &shared->sub_group));
        if (!anchored && anchor >= told) told = 0;
        const GPI_T folded =
            gpi_fold_lanes(GPI_COMBINE_PASSED seen, anchored || told == 0 ? 0 : anchor, shared);
#endif
        if (l < told) sum = seen;
        GPI_UNROLL
        for (uint d = 1; d < GPI_STRUCT_TURNS(GPI_SUB_GROUP); d *= 2)
            sum = gpi_combine(GPI_COMBINE_PASSED gpi_items_down(sum, d, shared->value),
                              sum); /* lane 0: of the first 2 d */
#if GPI_ORDERED
        if (!anchored) sum.value = folded.value;
        if (told > 0) *prefix = anchored ? gpi_combine(GPI_COMBINE_PASSED sum, *prefix) : sum;
        anchored = anchored || told > 0;
        next = told > 0 && inclusive < late ? 0 : next - told;
#else
        *prefix = gpi_combine(GPI_COMBINE_PASSED sum, *prefix);
        next = inclusive < late ? 0 : next - told;
#endif
        more = next > 0 && (told > 0 || !bounded || *polls > 0);
        if (more && told == 0) {
            *polls -= 1;
            gpi_sg_pause();
        }
    }
    return next; /* not 0 also when a device dropped out of the loop: never taken for an answer */
}

#else
/* Combines the states of the tiles before `next` to the left of *prefix, as far as they are published.
   Returns 0 when *prefix is complete, else n > 0: tile n-1 is late. One item calls.
   Ends because each turn either goes one tile back or uses up one of *polls. If polls are not counted, it ends because
   tile next-1 has been started and is let run (ticket order, fair device). (lookback.pml: `alive`, `right`, and the
   mutation BUG_TICKET; POLLS and SILENT show why the bound is needed.) */
static uint gpi_walk_back(GPI_COMBINE_PARAMETER volatile __global uint *state, uint next, GPI_T *prefix,
                          uint *polls, bool bounded)
{
#if GPI_ORDERED
    if (next > 0) next = gpi_fold_back(GPI_COMBINE_PASSED state, next, prefix);
#endif
    while (next > 0) {
        GPI_T seen = *prefix;
        const uint flag = gpi_observe(state, next - 1, &seen);
        if (flag == GPI_EMPTY) {
            if (bounded && *polls == 0) break;
            *polls -= 1;
            GPI_PAUSE();
            continue;
        }
        *prefix = gpi_combine(GPI_COMBINE_PASSED seen, *prefix);
        next = flag == GPI_INCLUSIVE ? 0 : next - 1;
    }
    return next; /* not 0 also when a device dropped out of the loop: never taken for an answer */
}
#endif

/* The product of all tiles before `tile`. All items call; `aggregate` is the tile's own.
   Ends because each turn of the loop brings `next` nearer to 0. (lookback.pml: `alive`; `kept`: why the host
   lets no call in place come here with polls.) */
static GPI_T gpi_look_back(volatile __global uint *state, uint tile, GPI_T aggregate, gpi_input input,
                           uint polls, volatile __global uint *counters, gpi_tile_shared shared)
{
    const bool leader = GPI_LOCAL_ID == 0;
    const bool bounded = polls > 0;
    GPI_T prefix = gpi_identity();
    uint next = tile;

    if (leader && tile > 0) gpi_publish(state, tile, GPI_AGGREGATE, aggregate);
    while (next > 0) {
#if GPI_SUB_GROUP
        const bool first = gpi_sg_index() == 0;
        if (first || GPI_SG_ALL)
            next = gpi_walk_back(GPI_COMBINE_OF(input) state, first ? next : 0, &prefix, &polls, bounded,
                                 shared);
#else
        if (leader) next = gpi_walk_back(GPI_COMBINE_OF(input) state, next, &prefix, &polls, bounded);
#endif
        next = gpi_broadcast_once(next, &shared->word); /* gpi_tile_reduce has barriers */
        if (next == 0) break;
        /* fallback: tile next - 1 is late, and this group computes it */
        const GPI_T late = gpi_tile_reduce(input, (ulong)(next - 1) * GPI_TILE, shared);
        next -= 1;
        if (leader) {
            prefix = gpi_combine(GPI_COMBINE_OF(input) late, prefix);
            gpi_post(state, next, late);
            atomic_inc(counters + GPI_COUNT_FALLBACKS);
        }
    }
    if (leader && next == 0)
        gpi_publish(state, tile, GPI_INCLUSIVE, gpi_combine(GPI_COMBINE_OF(input) prefix, aggregate));
    if (leader && next != 0) atomic_inc(counters + GPI_COUNT_ABANDONED);
    return gpi_broadcast_element(prefix, shared);
}
#endif
