/* topk.cl - finds the first k keys in order, and their indices, without sorting the rest

       out = the first k of (order(key[i]), i), sorted      order: element/key.cl, the lowest comes first

   A sample yields a threshold t such that slightly more than k keys are probably <= t. One pass over the input keeps the
   keys below t. If these are fewer than k, the first keys equal to t are added, until there are k. Then all these keys
   are sorted.

       gp_topk_sample      one group: finds the threshold among keys picked at random, by the rank that corresponds to k
       gp_topk_filter      group per tile: appends the keys below the threshold to the kept keys
       gp_topk_resume      one group, if too few or too many keys passed: finds the k-th key and filters again.
                           On CPUs, and for very many keys, the next two kernels replace it:
       gp_topk_histogram   for each digit from the highest, until all keys up to the threshold fit: counts this digit of
                           the keys that agree with the k-th key in all higher digits
       gp_topk_filter_again   group per tile: filters with the threshold that the histograms have found
       gp_topk_gather      group per tile: copies its kept keys to their final positions, then missing keys equal to t
       (sort/sort.cl)      sorts these `found` keys stably
       gp_topk_take        copies the first k of them. Not launched if one group of a GPU sorts, because that group
                           writes only the first k

   No group waits for another. The result does not depend on the sample, only the cost does. Every group of a launch
   evaluates the previous launch's histogram by itself, so that no further launch is needed.
   (A threshold from a sample: Floyd & Rivest 1975.)

   The directory has for each tile: where its kept keys begin, their number, and the number of its keys equal to t.
   sort/topk_state.cl describes the rest of the state that kernels share.

   Parameters: those of sort/rank.cl. */
#ifndef GPI_SORT_TOPK_CL
#define GPI_SORT_TOPK_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/range.cl"
#include "group/striped.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"
#include "sort/sample.cl"
#include "sort/topk_filter.cl"
#include "sort/topk_select.cl"
#include "sort/topk_state.cl"
#include "sort/topk_tile.cl"

/* ------------------------------------------------------------------ sample */

/* Returns the rank of the threshold in a sample of s of n keys. The sample's key of this rank is almost never below the k-th of
   all keys. If x samples are expected to come before the k-th key, the rank is x + 4 sqrt(x) and a few more. */
static uint gpi_sample_rank(ulong k, ulong n, uint s)
{
    const float x = (float)(k - 1) * ((float)s / (float)n);
    return min(s, 1 + (uint)(x + 4.0f * sqrt(x) + GPI_TOPK_SPARE));
}

/* Copies s of the n keys to `sample`, one from each stretch. Several loads are in flight at a time. */
static void gpi_sample_take(__global const gpi_key *key, ulong n, uint s, __global gpi_key *sample)
{
    const ulong stretch = n / s, longer = n % s;
    uint i = (uint)GPI_LOCAL_ID;
    GPI_EACH_BATCH(i, GPI_LOADS, s) {
        gpi_key x[GPI_LOADS];
        GPI_EACH(j, GPI_TURNS(GPI_LOADS)) x[j] = key[gpi_sample_place(i + j * GPI_WG, stretch, longer)];
        GPI_EACH(j, GPI_TURNS(GPI_LOADS)) sample[i + j * GPI_WG] = x[j];
    }
    GPI_EACH_LEFT(i, s) sample[i] = key[gpi_sample_place(i, stretch, longer)];
}

/* Zeroes `zeros` ulongs of the state, and writes to it count, k and the first threshold. The keys are divided into `samples`
   stretches, and one key is picked at random from each, so that a periodic input does not bias the sample. Launched with one
   group. */
GPI_KERNEL void gp_topk_sample(__global const gpi_key *key, ulong key_at, GPI_TOPK_PARAMETERS, ulong flip,
                               ulong k, uint zeros, __global gpi_key *sample, ulong sample_at, uint samples,
                               GPI_COUNT_PARAMETERS, volatile __global uint *counters)
{
    GPI_SHARED(gpi_topk_memory, shared);
    gpi_topk topk;
    GPI_TOPK_SET(topk);
    const uint l = (uint)GPI_LOCAL_ID;
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words), most = min(k, n);
    GPI_COUNT_CHECK(true, counters);
    key += key_at;
    sample += sample_at;
    for (uint i = l; i < zeros; i += GPI_WG) {
        ulong x = 0;
        if (i == GPI_TOPK_COUNT) x = n;
        if (i == GPI_TOPK_K || i == GPI_TOPK_SELECT + 1) x = most;
        if (i == GPI_TOPK_THRESHOLD) x = ~(ulong)0 >> (64 - 8 * GPI_KEY_SIZE);
        topk.number[i] = x;
    }
    if (n <= room || most == 0) return; /* all keys fit */
    const uint s = (uint)min(n, (ulong)samples);
    gpi_sample_take(key, n, s, sample);
    gpi_sync_all(); /* the sample and the first threshold are written; the threshold is replaced below */
    gpi_key_bits t = gpi_select(sample, s, gpi_sample_rank(most, n, s), flip, shared);
#ifdef GPI_FAULT /* tests: almost no key passes if k is odd, almost every key if k is even */
    t = k % 2 ? 0 : (gpi_key_bits)(~(ulong)0 >> (64 - 8 * GPI_KEY_SIZE));
#endif
    if (l == 0) topk.number[GPI_TOPK_THRESHOLD] = t;
}

/* ------------------------------------------------------------------ filter */

/* Reserves room for `keys` kept keys, and returns where it begins. If the cursor is already above `room`, leaves it as it is and
   returns ~0u. Called by one item only. */
static uint gpi_topk_claim(gpi_topk topk, uint round, uint keys)
{
    volatile __global uint *cursor = topk.cursor + round;
    return atomic_or(cursor, 0u) > topk.room ? ~0u : atomic_add(cursor, keys);
}

/* Enters a tile in the directory. The tile has `below` keys below the threshold, and `equal` keys equal to it. Adds these numbers
   to the counts of the tile's block, reserves room for the keys below, and writes the tile's entry. Returns where the room
   begins, or ~0u if none is left. Called by one item only. */
static uint gpi_topk_enter(gpi_topk topk, uint round, uint number, uint below, uint equal,
                           __global uint4 *directory)
{
    uint start = 0;
    volatile __global uint *block = gpi_topk_block(topk, round, number / GPI_TOPK_BLOCK);
    if (below) (void)atomic_add(block, below);
    if (equal) (void)atomic_add(block + 1, equal);
    if (equal && round == 0) gpi_add_wide(topk.equals, equal);
    if (below) start = gpi_topk_claim(topk, round, below);
    directory[number] = (uint4)(start, below, equal, 0);
    return start;
}

#define GPI_TOPK_KEPT_PARAMETERS                                                                  \
    __global uint4 *directory, ulong directory_at, __global gpi_key *kept_key, ulong kept_key_at, \
        __global gpi_value *kept_index, ulong kept_index_at
#define GPI_TOPK_KEPT_SET(to, directory)     \
    (to).key = kept_key + kept_key_at;       \
    (to).index = kept_index + kept_index_at; \
    (directory) += directory_at

/* Filters the group's tile: enters its counts in the directory, and keeps its keys below the threshold if there is room. */
GPI_INLINE void gpi_topk_filter(gpi_topk topk, uint round, gpi_topk_tile tile, ulong base,
                                __global uint4 *directory, gpi_topk_kept to, gpi_topk_shared shared)
{
    const uint number = (uint)get_group_id(0);
    uint below, equal, start = 0;
    gpi_found found[GPI_FOUND];
    gpi_tile_survey(tile, found, &below, &equal, shared);
    if (GPI_LOCAL_ID == 0) start = gpi_topk_enter(topk, round, number, below, equal, directory);
    if (below == 0) return;
    start = gpi_broadcast_once(start, &shared->word);
    if ((ulong)start + below > topk.room) return; /* the round has too many keys */
    to.key += start;
    to.index += start;
    gpi_tile_keep(tile, found, to, base, shared);
}

GPI_KERNEL void gp_topk_filter(__global const gpi_key *key, ulong key_at, GPI_TOPK_PARAMETERS, ulong flip,
                               uint span, GPI_TOPK_KEPT_PARAMETERS)
{
    GPI_SHARED(gpi_topk_memory, shared);
    gpi_topk topk;
    gpi_topk_kept to;
    const ulong base = (ulong)get_group_id(0) * span;
    GPI_TOPK_SET(topk);
    GPI_TOPK_KEPT_SET(to, directory);
    const gpi_topk_tile tile = gpi_tile_make(key + key_at, topk.number[GPI_TOPK_COUNT], base, span, flip,
                                             topk.number[GPI_TOPK_THRESHOLD]);
    gpi_topk_filter(topk, 0, tile, base, directory, to, shared);
}

GPI_KERNEL void gp_topk_filter_again(__global const gpi_key *key, ulong key_at, GPI_TOPK_PARAMETERS,
                                     ulong flip, uint span, GPI_TOPK_KEPT_PARAMETERS)
{
    GPI_SHARED(gpi_topk_memory, shared);
    gpi_topk topk;
    gpi_topk_kept to;
    const ulong base = (ulong)get_group_id(0) * span;
    GPI_TOPK_SET(topk);
    GPI_TOPK_KEPT_SET(to, directory);
    if (!gpi_topk_missed(topk)) return;
    const gpi_selected s = gpi_topk_selected(topk, GPI_KEY_SIZE, shared);
    if (get_group_id(0) == 0 && GPI_LOCAL_ID == 0) topk.number[GPI_TOPK_THRESHOLD + 1] = s.threshold;
    const gpi_topk_tile tile =
        gpi_tile_make(key + key_at, topk.number[GPI_TOPK_COUNT], base, span, flip, s.threshold);
    gpi_topk_filter(topk, 1, tile, base, directory, to, shared);
}

/* If the first round has missed, filters all tiles again, with the k-th key as the threshold, and counts a fallback. Fewer than k
   keys are below this threshold. Launched with one group. */
GPI_KERNEL void gp_topk_resume(__global const gpi_key *key, ulong key_at, GPI_TOPK_PARAMETERS, ulong flip,
                               uint span, GPI_TOPK_KEPT_PARAMETERS, volatile __global uint *counters)
{
    GPI_SHARED(gpi_topk_memory, shared);
    gpi_topk topk;
    gpi_topk_kept to, from;
    GPI_TOPK_SET(topk);
    GPI_TOPK_KEPT_SET(to, directory);
    if (!gpi_topk_missed(topk)) return;
    const ulong n = topk.number[GPI_TOPK_COUNT];
    const gpi_key_bits t = gpi_select(key + key_at, (uint)n, topk.number[GPI_TOPK_K], flip, shared);
    for (uint number = 0; (ulong)number * span < n; number++) {
        const ulong base = (ulong)number * span;
        const gpi_topk_tile tile = gpi_tile_make(key + key_at, n, base, span, flip, t);
        gpi_found found[GPI_FOUND];
        uint below, equal, start = 0;
        gpi_tile_survey(tile, found, &below, &equal, shared);
        if (GPI_LOCAL_ID == 0) start = gpi_topk_enter(topk, 1, number, below, equal, directory);
        start = gpi_broadcast(start, &shared->word);
        from.key = to.key + start;
        from.index = to.index + start;
        gpi_tile_keep(tile, found, from, base, shared); /* its barriers precede the next gpi_tile_survey */
    }
    if (GPI_LOCAL_ID == 0) {
        topk.number[GPI_TOPK_THRESHOLD + 1] = t;
        atomic_inc(counters + GPI_COUNT_FALLBACKS);
    }
}

GPI_KERNEL void gp_topk_histogram(__global const gpi_key *key, ulong key_at, GPI_TOPK_PARAMETERS, ulong flip,
                                  uint level, ulong span, volatile __global uint *counters)
{
    GPI_SHARED(gpi_topk_memory, shared);
    gpi_topk topk;
    GPI_TOPK_SET(topk);
    if (!gpi_topk_missed(topk)) return;
    const gpi_selected s = gpi_topk_selected(topk, level, shared);
    if (level > 0 && get_group_id(0) == 0 && GPI_LOCAL_ID == 0) gpi_topk_write_selected(topk, level, s);
    if (s.decided) return;
    const ulong n = topk.number[GPI_TOPK_COUNT];
    const ulong begin = min(n, span * get_group_id(0)), end = min(n, begin + span);
    if (level == 0 && get_group_id(0) == 0 && GPI_LOCAL_ID == 0) atomic_inc(counters + GPI_COUNT_FALLBACKS);
    gpi_count_matching(key + key_at, begin, end, gpi_topk_digit(level, flip), (gpi_key_bits)s.prefix, shared);
    GPI_EACH_BIN(d)
    {
        if (shared->count[d]) gpi_add_wide(gpi_topk_bin(topk, level, d), shared->count[d]);
    }
}

/* ------------------------------------------------------------------ gather, take */

/* Returns the number of keys below the threshold in all tiles before tile `number`. Must be called by all items, which
   all get the same result. */
GPI_NOINLINE uint gpi_topk_before(gpi_topk topk, uint round, uint number, __global const uint4 *directory,
                                  gpi_topk_shared shared)
{
    const uint l = (uint)GPI_LOCAL_ID, block = number / GPI_TOPK_BLOCK;
    uint sum = 0;
    for (uint b = l; b < block; b += GPI_WG) sum += gpi_topk_block(topk, round, b)[0];
    for (uint i = block * GPI_TOPK_BLOCK + l; i < number; i += GPI_WG) sum += directory[i].y;
    return gpi_topk_sum(sum, shared);
}

/* Returns the number of keys equal to the threshold in all tiles before tile `number`, but at most `enough`. Called by
   one item only. */
GPI_NOINLINE ulong gpi_topk_equal_before(gpi_topk topk, uint round, uint number,
                                         __global const uint4 *directory, ulong enough)
{
    const uint block = number / GPI_TOPK_BLOCK;
    ulong sum = 0;
    for (uint b = 0; b < block && sum < enough; b++) sum += gpi_topk_block(topk, round, b)[1];
    for (uint i = block * GPI_TOPK_BLOCK; i < number && sum < enough; i++) sum += directory[i].z;
    return min(sum, enough);
}

/* Copies each tile's kept keys to their final positions. If these are fewer than k, writes after them the first keys equal
   to the threshold, in order. */
GPI_KERNEL void gp_topk_gather(__global const gpi_key *key, ulong key_at, GPI_TOPK_PARAMETERS, ulong flip,
                               uint span, __global const uint4 *directory, ulong directory_at,
                               __global const gpi_key *kept_key, ulong kept_key_at,
                               __global const gpi_value *kept_index, ulong kept_index_at,
                               __global gpi_key *found_key, ulong found_key_at,
                               __global gpi_value *found_index, ulong found_index_at)
{
    GPI_SHARED(gpi_topk_memory, shared);
    gpi_topk topk;
    gpi_topk_kept to;
    GPI_TOPK_SET(topk);
    const uint number = (uint)get_group_id(0), l = (uint)GPI_LOCAL_ID;
    const uint round = gpi_topk_missed(topk);
    const ulong below = topk.cursor[round], most = topk.number[GPI_TOPK_K];
    const ulong missing = most > below ? most - below : 0;
    const uint4 own = directory[directory_at + number];
    if (number == 0 && l == 0) topk.number[GPI_TOPK_FOUND] = below + missing;
    to.key = found_key + found_key_at;
    to.index = found_index + found_index_at;
    directory += directory_at;
    if (own.y) {
        const ulong at = gpi_topk_before(topk, round, number, directory, shared);
        /* All items run this loop equally often: after barriers in a branch, PoCL 3.1 applies the first item's
           result of "l < own.y" to all items. */
        for (uint begin = 0; begin < own.y; begin += GPI_WG) {
            const uint i = begin + l;
            if (i >= own.y) continue;
            to.key[at + i] = kept_key[kept_key_at + own.x + i];
            to.index[at + i] = kept_index[kept_index_at + own.x + i];
        }
    }
    if (own.z && missing) {
        uint before = 0; /* fits a uint, since before <= missing <= k */
        if (l == 0) before = (uint)gpi_topk_equal_before(topk, round, number, directory, missing);
        before = gpi_broadcast(before, &shared->word);
        const gpi_topk_tile tile =
            gpi_tile_make(key + key_at, topk.number[GPI_TOPK_COUNT], (ulong)number * span, span, flip,
                          topk.number[GPI_TOPK_THRESHOLD + round]);
        if (before >= missing) return;
        to.key += below + before;
        to.index += below + before;
        gpi_tile_keep_equal(tile, min(missing - before, (ulong)own.z), to, (ulong)number * span, shared);
    }
}

/* Copies the first k sorted elements, or all if there are fewer, to the outputs that are wanted. */
GPI_KERNEL void gp_topk_take(__global const gpi_key *key, ulong key_at, __global const gpi_value *index,
                             ulong index_at, __global gpi_key *key_out, ulong key_out_at,
                             __global gpi_value *index_out, ulong index_out_at, uint wants, ulong k,
                             GPI_COUNT_PARAMETERS)
{
    const ulong n = min(k, gpi_count(bound, wanted, wanted_offset, wanted_words));
    const ulong step = (ulong)get_num_groups(0) * GPI_WG;
    for (ulong i = (ulong)get_group_id(0) * GPI_WG + GPI_LOCAL_ID; i < n; i += step) {
        if (wants & GPI_TOPK_WANTS_KEYS) key_out[key_out_at + i] = key[key_at + i];
        if (wants & GPI_TOPK_WANTS_INDICES) index_out[index_out_at + i] = index[index_at + i];
    }
}
#endif
