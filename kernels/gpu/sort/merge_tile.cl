/* merge_tile.cl - a group merges one tile of the output.

   The tile's keys are staged in local memory, in the form that orders them as numbers (gpi_key_order). Every item merges
   GPI_PER_ITEM keys into registers and writes them back to the stage. Neighbouring items then write neighbouring keys to the
   output. In gp_merge GPI_PER_ITEM is odd, so that items that read their own elements access different banks.

   Parameters
       GPI_SUB_GROUP                    work-items of a sub-group, 0: none
       GPI_WG, GPI_PER_ITEM, GPI_TILE   items of a group, elements of an item, of a tile                  */
#ifndef GPI_SORT_MERGE_TILE_CL
#define GPI_SORT_MERGE_TILE_CL
#include "base/platform.cl"
#include "group/sub_group.cl"
#include "group/striped.cl"
#include "group/sync.cl"
#include "group/team.cl"
#include "element/key.cl"
#include "sort/merge_pair.cl"

#if GPI_WG < 4 || GPI_TILE != GPI_WG * GPI_PER_ITEM || GPI_TILE > 32768
#error "GPI_WG must be 4 at least, GPI_TILE must be GPI_WG * GPI_PER_ITEM, and at most 32768"
#endif

/* The first team searches for the tile's two crossings: each half of the team searches for one. */
#define GPI_PROBES (GPI_TEAM / 2)

typedef struct gpi_merge_memory {
    gpi_key stage[1 + GPI_TILE + GPI_PER_ITEM]; /* see gpi_merge_stage */
#if GPI_VALUE_SIZE
    ushort order[GPI_TILE]; /* order[d]: index on the stage of the d-th merged element */
#endif
#if GPI_SUB_GROUP
    gpi_sg_memory sub_group;
#else
    uchar before[GPI_WG]; /* before[l]: item l's probe comes before the crossing */
    uint passed[2][2];    /* number of probes before the crossing, by round (even or odd) and diagonal */
#endif
    ulong crossing[2];
} gpi_merge_memory;

typedef __local gpi_merge_memory *gpi_merge_shared;

/* Returns the stage: the tile's elements of a, then those of b. Merges may also read the element before the stage, which is 0
   (any value would do), and the GPI_PER_ITEM elements after the stage, which are the greatest number. */
static __local gpi_key *gpi_merge_stage(gpi_merge_shared shared) { return shared->stage + 1; }

/* Returns how many elements of a are in a tile of `length` elements between the crossings `begin` and `end`. If the input is not
   sorted, the crossings are arbitrary, but the result is still in [0, length]. */
static ulong gpi_share(ulong begin, ulong end, ulong length) { return min(max(begin, end) - begin, length); }

/* ------------------------------------------------------------------ crossings

   gpi_cross writes the crossings of diagonals `begin` and `end` to shared->crossing. Each round makes GPI_PROBES probes at equal
   distances, and the next round continues between two of them. Distances are powers of two, so that many groups probe the same
   cache lines. */

/* Returns the distance between the probes of the first round. It is so large that the last probe is beyond the range of possible
   crossings. */
static ulong gpi_first_distance(gpi_pair pair)
{
    const int bits = 31 - (int)clz((uint)GPI_PROBES);
    return 1ul << (63 - (int)clz(min(pair.a_count, pair.b_count) | 1)) / bits * bits;
}

/* Returns whether the crossing of diagonal d is at least `steps` after the diagonal's least crossing. */
static bool gpi_has_passed(gpi_pair pair, ulong d, ulong steps)
{
    const ulong least = gpi_crossing_least(pair, d);
    return steps <= gpi_crossing_most(pair, d) - least &&
           gpi_is_before((pair.a + least - 1)[steps], (pair.b + (d - least))[-(long)steps], pair.flip);
}

#if GPI_SUB_GROUP
static void gpi_cross(gpi_pair pair, ulong begin, ulong end, gpi_merge_shared shared)
{
    const uint side = gpi_sg_lane() / GPI_PROBES, p = gpi_sg_lane() % GPI_PROBES;
    const gpi_sg_mask below = gpi_sg_below(GPI_PROBES), mine = side ? ~below : below;
    const ulong d = side ? end : begin;
    if (gpi_sg_index() == 0 || GPI_SG_ALL) {
        ulong steps = 0;
        GPI_ROLLED
        for (ulong distance = gpi_first_distance(pair); distance > 0; distance /= GPI_PROBES) {
            const bool passed = gpi_sg_index() == 0 && gpi_has_passed(pair, d, steps + (p + 1) * distance);
            steps += gpi_sg_count(gpi_sg_ballot(passed, &shared->sub_group) & mine) * distance;
        }
        if (gpi_sg_index() == 0 && p == 0) shared->crossing[side] = gpi_crossing_least(pair, d) + steps;
    }
    gpi_sync(); /* both crossings are written */
}
#else
static void gpi_cross(gpi_pair pair, ulong begin, ulong end, gpi_merge_shared shared)
{
    const uint l = (uint)get_local_id(0), side = l / GPI_PROBES, p = l % GPI_PROBES;
    const ulong d = side ? end : begin;
    ulong steps = 0;
    uint round = 0;
    for (ulong distance = gpi_first_distance(pair); distance > 0; distance /= GPI_PROBES) {
        shared->before[l] = gpi_has_passed(pair, d, steps + (p + 1) * distance);
        if (p == 0) shared->passed[round][side] = 0;
        gpi_sync(); /* all items have probed, and `passed` is zero */
        /* PoCL 3.1 loses the item's own result unless it is read back. */
        if (shared->before[l] && !shared->before[l + 1])
            (void)atomic_max(&shared->passed[round][side], p + 1);
        gpi_sync(); /* the last probe before the crossing is known; `before` may be overwritten */
        steps += shared->passed[round][side] * distance;
        round = 1 - round; /* items may read this round's word until the next round's first barrier */
    }
    if (p == 0) shared->crossing[side] = gpi_crossing_least(pair, d) + steps;
    gpi_sync(); /* both crossings are written */
}
#endif

/* ------------------------------------------------------------------ the tile */

/* Stages the tile's `length` elements: `a_length` elements of a from index i on, then elements of b from index j on. */
static void gpi_merge_load(gpi_pair pair, ulong i, ulong j, int a_length, int length, gpi_merge_shared shared)
{
    const int l = (int)get_local_id(0), a_left = a_length - l, left = length - l;
    __global const gpi_key *a = pair.a + i + l, *b = pair.b + j - a_length + l;
    __local gpi_key *stage = gpi_merge_stage(shared) + l;
    gpi_key x[GPI_PER_ITEM];
    if (length == GPI_TILE) {
        GPI_UNROLL
        for (int s = 0; s < GPI_TURNS(GPI_TILE); s += GPI_WG) x[s / GPI_WG] = (s < a_left ? a : b)[s];
        GPI_UNROLL
        for (int s = 0; s < GPI_TURNS(GPI_TILE); s += GPI_WG)
            stage[s] = (gpi_key)gpi_key_order(x[s / GPI_WG], pair.flip);
    } else {
        GPI_UNROLL
        for (int s = 0; s < GPI_TURNS(GPI_TILE); s += GPI_WG) {
            if (s < left) stage[s] = (gpi_key)gpi_key_order((s + l < a_length ? a : b)[s], pair.flip);
        }
    }
    GPI_UNROLL
    for (int s = 0; s < GPI_TURNS(GPI_PER_ITEM); s += GPI_WG) {
        if (s + l < GPI_PER_ITEM) stage[length + s] = (gpi_key)~0ul;
    }
    if (l == 0) stage[-1] = 0;
    gpi_sync(); /* the tile is staged */
}

/* Returns the staged key at an offset of `bytes`. (With an index, each access would need a shift.) */
static gpi_key gpi_merge_at(__local const gpi_key *stage, int bytes)
{
    return *(__local const gpi_key *)((__local const uchar *)stage + bytes);
}

/* Returns the length of the part of the first sequence that precedes the crossing of the merge path with diagonal d of the staged
   tile. All lengths are in bytes. Once low has reached high, further iterations change nothing. */
static int gpi_merge_begin(int d, int a_length, int length, __local const gpi_key *stage)
{
    const int high = min(d, a_length);
    int low = max(d - (length - a_length), 0);
    GPI_UNROLL
    for (int most = (int)GPI_TURNS(GPI_TILE / 2); most > 0; most /= 2) { /* most >= high - low */
        const int i = min(low + (most + 1) / 2 * GPI_KEY_SIZE, high);
        low = gpi_merge_at(stage - 1, i) <= gpi_merge_at(stage, a_length + d - i) ? i : low;
    }
    return low;
}

/* Merges this item's elements of the staged tile and writes them back to the stage. Lengths are in bytes. */
static void gpi_merge_item(int a_length, int length, gpi_merge_shared shared)
{
    __local gpi_key *stage = gpi_merge_stage(shared);
    const int own = (int)get_local_id(0) * GPI_PER_ITEM, d = min(own * GPI_KEY_SIZE, length);
    gpi_key x[GPI_PER_ITEM];
    int i = gpi_merge_begin(d, a_length, length, stage);
    gpi_key a = gpi_merge_at(stage, i), b = gpi_merge_at(stage, a_length + d - i);
    GPI_EACH_OWN(k) {
        const bool first = i < a_length && a <= b; /* the greatest number follows b's last key */
        const int at = first ? i : a_length + d + (int)k * GPI_KEY_SIZE - i;
        const gpi_key next = gpi_merge_at(stage + 1, at);
        x[k] = first ? a : b;
#if GPI_VALUE_SIZE
        (shared->order + own)[k] = (ushort)(at / GPI_KEY_SIZE);
#endif
        a = first ? next : a;
        b = first ? b : next;
        i += first ? GPI_KEY_SIZE : 0;
    }
    gpi_sync(); /* the stage is read */
    GPI_EACH_OWN(k) (stage + own)[k] = x[k];
    gpi_team_sync(); /* the team's merged elements are written */
}

/* Writes the `length` merged elements to the output from index `begin` on. Every team writes the elements that its own items have
   merged. */
static void gpi_merge_store(gpi_pair pair, ulong i, ulong j, ulong begin, int a_length, int length,
                            gpi_merge_shared shared)
{
    const int l = (int)get_local_id(0);
    const int first = l / GPI_TEAM * GPI_TEAM * GPI_PER_ITEM + l % GPI_TEAM, left = length - first;
    __local const gpi_key *stage = gpi_merge_stage(shared) + first;
    __global gpi_key *out = pair.out + begin + first;
    if (length == GPI_TILE) {
        GPI_EACH_OWN(k) out[k * GPI_TEAM] = gpi_key_of_order(stage[k * GPI_TEAM], pair.flip);
    } else {
        GPI_EACH_STRIPED(k, GPI_TEAM, left)
            out[k * GPI_TEAM] = gpi_key_of_order(stage[k * GPI_TEAM], pair.flip);
    }
#if GPI_VALUE_SIZE
    GPI_EACH_STRIPED(k, GPI_TEAM, left) {
        const uint at = (shared->order + first)[k * GPI_TEAM];
        (pair.value_out + begin + first)[k * GPI_TEAM] =
            *((int)at < a_length ? pair.a_value + i + at : pair.b_value + j + at - a_length);
    }
#endif
}

/* Writes elements [begin, end) of the output. Must be called by all items of the group. */
static void gpi_merge_tile(gpi_pair pair, ulong begin, ulong end, gpi_merge_shared shared)
{
    const int length = (int)(end - begin);
    gpi_cross(pair, begin, end, shared);
    const ulong i = shared->crossing[0], j = begin - i;
    const int a_length = (int)gpi_share(i, shared->crossing[1], (ulong)length);
    gpi_merge_load(pair, i, j, a_length, length, shared);
    gpi_merge_item(a_length * GPI_KEY_SIZE, length * GPI_KEY_SIZE, shared);
    gpi_merge_store(pair, i, j, begin, a_length, length, shared);
}
#endif
