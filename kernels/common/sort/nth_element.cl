/* nth_element.cl - finds the keys of up to GPI_NTH_RANKS ranks, without sorting

       out[r] = the least key x with |{i : order(key[i]) <= order(x)}| > rank[r]      order: element/key.cl

   A sample yields for each rank an interval that probably holds its key. One pass over the keys counts those below and within
   each interval, and keeps those within: a few percent. The next level reads only the kept keys, and the counts yield the ranks
   among them. After the last level few keys are left, and the wanted keys are found digit by digit, from the highest. If an
   interval has missed its key, or if too many keys were kept, this search by digits reads all keys instead.

       gp_nth_sample   copies a sample of the level's keys
       gp_nth_split    group per rank, or one on CPUs: finds the interval around its rank in the sample
       gp_nth_filter   range of the level's keys per group: counts keys, and keeps those within intervals
       gp_nth_digits   range of keys per group: counts digit d of the keys that agree with a rank's key in all higher digits. After
                       the last digit, one group writes the result

   For an interval of one value, no keys are kept: this value is the result if the counts confirm it. Intervals that overlap
   are merged. Kept keys are not in order. No group waits for another. Each group evaluates the previous launches' counts by
   itself.
   (A threshold from a sample: Floyd & Rivest 1975. Radix selection: Alabi et al. 2012.)

   State, in ulongs; the counts are uints in ulongs, the histogram has uints:

       | cursor of each level | rank, lo, hi, below, inside: level, rank or interval | known: digit, rank: prefix, rest |
       | histogram: digit, rank, bin |

   Parameters: those of element/key.cl and sort/nth_tile.cl. */
#ifndef GPI_SORT_NTH_ELEMENT_CL
#define GPI_SORT_NTH_ELEMENT_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/constants.cl"
#include "sort/digit.cl"
#include "sort/nth_sample.cl"
#include "sort/nth_search.cl"
#include "sort/sample.cl"

/* A call. n: its number of keys; room: the most keys that a level keeps. */
typedef struct gpi_nth {
    __global const gpi_key *key;
    __global gpi_key *kept[2];
    __global ulong *state;
    ulong n, room[GPI_NTH_LEVELS + 1], rank[GPI_NTH_RANKS];
    gpi_key_bits flip;
    uint ranks;
} gpi_nth;

#define GPI_NTH_PARAMETERS                                                                                   \
    __global const gpi_key *key, ulong key_at, __global gpi_key *even, ulong even_at, __global gpi_key *odd, \
        ulong odd_at, __global ulong *scratch, ulong state_at, ulong4 room, ulong16 rank, uint ranks,        \
        ulong flip, GPI_COUNT_PARAMETERS
#define GPI_NTH_SET(nth)                                             \
    (nth).key = key + key_at;                                        \
    (nth).kept[0] = even + even_at;                                  \
    (nth).kept[1] = odd + odd_at;                                    \
    (nth).state = scratch + state_at;                                \
    (nth).n = gpi_count(bound, wanted, wanted_offset, wanted_words); \
    vstore4(room, 0, (nth).room);                                    \
    vstore16(rank, 0, (nth).rank);                                   \
    (nth).flip = (gpi_key_bits)flip;                                 \
    (nth).ranks = ranks

/* Returns the address of a number of the state: entry i of `level`, in the part at `at`. */
static __global ulong *gpi_nth_at(gpi_nth nth, uint at, uint level, uint i)
{
    return nth.state + at + level * GPI_NTH_RANKS + i;
}

/* Returns the number of keys that a level reads: all keys, or those that the previous level has kept. */
static ulong gpi_nth_count(gpi_nth nth, uint level)
{
    return level == 0 ? nth.n : min(nth.state[GPI_NTH_CURSOR + level - 1], nth.room[level - 1]);
}

static __global const gpi_key *gpi_nth_keys(gpi_nth nth, uint level)
{
    return level == 0 ? nth.key : nth.kept[(level - 1) % 2];
}

/* ------------------------------------------------------------------ ranks of a level */

/* Merges a level's overlapping intervals, in shared->tile, and assigns each rank to its interval. Called by one item
   only. */
static void gpi_nth_merge(gpi_nth nth, uint level, gpi_nth_shared shared)
{
    uint m = 0;
    for (uint r = 0; r < nth.ranks; r++) {
        const gpi_key_bits lo = (gpi_key_bits)*gpi_nth_at(nth, GPI_NTH_LO, level, r);
        const gpi_key_bits hi = (gpi_key_bits)*gpi_nth_at(nth, GPI_NTH_HI, level, r);
        if (*gpi_nth_at(nth, GPI_NTH_RANK, level, r) == GPI_NTH_FOUND) continue;
        if (m == 0 || lo > shared->tile.hi[m - 1]) {
            shared->tile.lo[m] = lo;
            shared->tile.hi[m++] = hi;
        } else {
            shared->tile.hi[m - 1] = max(hi, shared->tile.hi[m - 1]);
        }
        shared->of[r] = m - 1;
    }
    shared->tile.intervals = m;
}

/* Sets shared->rest[r] to rank r among the keys that `level` reads, from the counts of the previous level. If the previous level
   has found the rank's key, sets shared->rest[r] to GPI_NTH_FOUND and shared->value[r] to the key. Sets shared->valid to whether
   each interval contains its ranks' keys, and all kept keys had room. Called by one item only. */
GPI_NOINLINE void gpi_nth_arrive(gpi_nth nth, uint level, gpi_nth_shared shared)
{
    ulong kept = 0;
    uint g = 0;
    shared->valid = nth.n > 0;
    for (uint r = 0; r < nth.ranks; r++)
        shared->rest[r] = level ? *gpi_nth_at(nth, GPI_NTH_RANK, level - 1, r) : min(nth.rank[r], nth.n - 1);
    if (level == 0 || nth.n == 0) return;
    shared->valid =
        shared->rest[0] != GPI_NTH_MISSED && nth.state[GPI_NTH_CURSOR + level - 1] <= nth.room[level - 1];
    if (shared->valid) gpi_nth_merge(nth, level - 1, shared);
    for (uint r = 0; r < nth.ranks && shared->valid; r++) {
        shared->value[r] = (gpi_key_bits)*gpi_nth_at(nth, GPI_NTH_LO, level - 1, r);
        if (shared->rest[r] == GPI_NTH_FOUND) continue;
        for (; g < shared->of[r]; g++)
            if (shared->tile.lo[g] != shared->tile.hi[g])
                kept += *gpi_nth_at(nth, GPI_NTH_INSIDE, level - 1, g);
        const ulong below = *gpi_nth_at(nth, GPI_NTH_BELOW, level - 1, g);
        if (shared->rest[r] - below >= *gpi_nth_at(nth, GPI_NTH_INSIDE, level - 1, g)) shared->valid = false;
        shared->rest[r] =
            shared->tile.lo[g] == shared->tile.hi[g] ? GPI_NTH_FOUND : shared->rest[r] - below + kept;
    }
}

/* ------------------------------------------------------------------ kernels */

GPI_KERNEL void gp_nth_sample(GPI_NTH_PARAMETERS, uint level, __global gpi_key *sample, ulong sample_at,
                              uint samples, volatile __global uint *counters)
{
    gpi_nth nth;
    GPI_NTH_SET(nth);
    if (level == 0) GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    const ulong n = gpi_nth_count(nth, level);
    const uint s = (uint)min(n, (ulong)samples), step = GPI_WG * (uint)get_num_groups(0);
    if (s == 0) return;
    for (uint i = (uint)get_group_id(0) * GPI_WG + (uint)GPI_LOCAL_ID; i < s; i += step)
        sample[sample_at + i] = gpi_nth_keys(nth, level)[((ulong)i * n + gpi_somewhere(i, n)) / s];
}

/* Writes each rank among the level's keys, and its interval. The interval's bounds are the keys of the sample a few standard
   deviations below and above the position that corresponds to the rank. If the sample has all keys, both bounds are the rank's
   own key. */
GPI_KERNEL void gp_nth_split(GPI_NTH_PARAMETERS, uint level, __global gpi_key *sample, ulong sample_at,
                             uint samples)
{
    GPI_SHARED(gpi_nth_memory, shared);
    gpi_nth nth;
    GPI_NTH_SET(nth);
    const ulong n = gpi_nth_count(nth, level);
    const uint s = (uint)min(n, (ulong)samples);
    if (GPI_LOCAL_ID == 0) gpi_nth_arrive(nth, level, shared);
    gpi_nth_sample_sort(sample + sample_at, samples, s, nth.flip);
    gpi_sync(); /* the ranks are written */
    for (uint r = (uint)get_group_id(0); r < ranks; r += (uint)get_num_groups(0)) {
        const ulong own = shared->valid ? shared->rest[r] : GPI_NTH_MISSED;
        gpi_key_bits lo = shared->value[r], hi = lo;
        if (own < n) {
            const float at = (float)own * ((float)s / (float)n);
            const float away = 4.0f * sqrt(at * (1 - at / (float)(s + 1))) + 2;
            const bool all = s == n, first = at < away, last = at + away >= (float)s;
            const uint from = all ? (uint)own : first ? 0 : (uint)(at - away);
            const uint to = all ? (uint)own : last ? s - 1 : (uint)(at + away);
            gpi_nth_bounds(sample + sample_at, samples, s, nth.flip, from, to, &lo, &hi, shared);
            const bool open = !all && lo != hi; /* if lo == hi, this value is frequent */
            if (open && first) lo = 0;
            if (open && last) hi = GPI_LAST_ORDER;
        }
#ifdef GPI_FAULT /* tests: the first level misses */
        if (level == 0) lo = hi = 0;
#endif
        if (GPI_LOCAL_ID != 0) continue;
        *gpi_nth_at(nth, GPI_NTH_RANK, level, r) = own;
        *gpi_nth_at(nth, GPI_NTH_LO, level, r) = lo;
        *gpi_nth_at(nth, GPI_NTH_HI, level, r) = hi;
    }
}

GPI_KERNEL void gp_nth_filter(GPI_NTH_PARAMETERS, uint level)
{
    GPI_SHARED(gpi_nth_memory, shared);
    gpi_nth nth;
    GPI_NTH_SET(nth);
    if (*gpi_nth_at(nth, GPI_NTH_RANK, level, 0) == GPI_NTH_MISSED) return;
    const ulong n = gpi_nth_count(nth, level), groups = get_num_groups(0), group = get_group_id(0);
    const ulong tiles = (n + GPI_NTH_TILE - 1) / GPI_NTH_TILE;
    const ulong begin = tiles * group / groups, end = tiles * (group + 1) / groups;
    if (GPI_LOCAL_ID == 0) gpi_nth_merge(nth, level, shared);
    gpi_nth_clear(&shared->tile);
    if (shared->tile.intervals == 0) return;
    for (ulong t = begin; t < end; t++) {
        const ulong base = t * GPI_NTH_TILE;
        gpi_nth_tile(gpi_nth_keys(nth, level) + base, (uint)min((ulong)GPI_NTH_TILE, n - base), nth.flip,
                     nth.kept[level % 2], (volatile __global uint *)(nth.state + GPI_NTH_CURSOR + level),
                     nth.room[level], &shared->tile);
    }
    gpi_nth_total(&shared->tile);
    for (uint g = (uint)GPI_LOCAL_ID; g < shared->tile.intervals; g += GPI_WG) {
        const uint below = shared->tile.below[g], inside = shared->tile.inside[g];
        if (below)
            (void)atomic_add((volatile __global uint *)gpi_nth_at(nth, GPI_NTH_BELOW, level, g), below);
        if (inside)
            (void)atomic_add((volatile __global uint *)gpi_nth_at(nth, GPI_NTH_INSIDE, level, g), inside);
    }
}

/* Continues the search after `levels` levels: evaluates the counts of digit d - 1, and counts digit d. If there is no digit d,
   writes the keys to key_out, at the positions in `place`. */
GPI_KERNEL void gp_nth_digits(GPI_NTH_PARAMETERS, uint levels, uint d, __global gpi_key *key_out,
                              ulong key_out_at, uint16 place, volatile __global uint *counters)
{
    GPI_SHARED(gpi_nth_memory, shared);
    gpi_nth nth;
    GPI_NTH_SET(nth);
    const ulong group = get_group_id(0), groups = get_num_groups(0);
    __global ulong *known = nth.state + GPI_NTH_KNOWN + 2 * GPI_NTH_RANKS * d;
    __global uint *bins = (__global uint *)(nth.state + GPI_NTH_HISTOGRAM) + d * ranks * GPI_BINS;
    if (levels == 0 && d == 0) GPI_COUNT_CHECK(group == 0, counters);
    if (GPI_LOCAL_ID == 0) {
        gpi_nth_arrive(nth, levels, shared);
        if (!shared->valid && levels) {
            gpi_nth_arrive(nth, 0, shared);
            if (shared->valid && d == 0 && group == 0) atomic_inc(counters + GPI_COUNT_FALLBACKS);
            shared->valid = false;
        }
        for (uint r = 0; r < ranks; r++) {
            __global const ulong *before = known + 2 * r;
            shared->prefix[r] = 0;
            if (d == 0) continue;
            before -= 2 * GPI_NTH_RANKS;
            shared->prefix[r] = (gpi_key_bits)before[0];
            shared->rest[r] = before[1];
        }
    }
    gpi_sync(); /* the state of the previous launch is loaded */
    const uint level = shared->valid ? levels : 0;
    if (d > 0) gpi_nth_choose(d - 1, ranks, bins - ranks * GPI_BINS, shared);
    if (d == GPI_KEY_SIZE) {
        uint to[GPI_NTH_RANKS];
        vstore16(place, 0, to);
        for (uint r = 0; r < ranks; r++)
            if (GPI_LOCAL_ID == 0 && nth.rank[r] < nth.n)
                key_out[key_out_at + to[r]] = gpi_key_of_order((gpi_key)shared->prefix[r], nth.flip);
        return;
    }
    if (group == 0 && GPI_LOCAL_ID == 0)
        for (uint r = 0; r < ranks; r++) {
            known[2 * r] = shared->prefix[r];
            known[2 * r + 1] = shared->rest[r];
        }
    const ulong n = gpi_nth_count(nth, level), each = n / groups + 1;
    const ulong begin = min(n, each * group), end = min(n, begin + each);
    if (begin == end) return;
    gpi_nth_count_digits(gpi_nth_keys(nth, level), begin, end, nth.flip, d, ranks, shared);
    for (uint i = (uint)GPI_LOCAL_ID; i < ranks * GPI_BINS; i += GPI_WG)
        if (shared->count[i]) (void)atomic_add((volatile __global uint *)bins + i, shared->count[i]);
}
#endif
