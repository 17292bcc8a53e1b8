/* topk.cl - the k first keys in order, and where they were, without sorting the rest

       out = the first k of (order(key[i]), i), sorted      order: element/key.cl, the lowest comes first

   A sample gives a threshold t that about k keys, and a few more, are not above. One reading keeps the keys
   below t, of equal ones t only as many as are still needed, the first ones; what is kept is sorted.

       gp_topk_sample      one group: the threshold, by the rank that k has among keys picked at random
       gp_topk_filter      a group a tile: keys below the threshold go to wherever there is room
       gp_topk_histogram   each digit from the highest; only if too few or too many keys passed: digits of the
                           keys that agree with the k-th one so far, until those that are left fit; then
       gp_topk_filter      once more, with the threshold that this has found
       gp_topk_gather      a group a tile: what it kept, to where it belongs; of equal ones what is missing
       (sort/sort.cl)           sorts those, stably, of which there are `found`
       gp_topk_take        the first k of them

   No group waits for another. Whatever the sample was, the result is the same: only the cost differs. Each
   histogram's groups choose the digit of the one before for themselves, so that a choice costs no launch.
   (Radix selection: Alabi et al. 2012; a threshold from a sample: Floyd & Rivest 1975.)

   State, in ulongs; the host computes where the rest of the scratch begins:

       | count | k | found | threshold of each round | cursor of each round (uints) | equals (round 0) | - |
       | select: after digit 0 ... GPI_KEY_SIZE: prefix, rest, threshold, decided |
       | histogram: digit, bin | blocks: round, GPI_TOPK_BLOCK tiles: keys below, equal (uints) |

   The directory has for each tile: where its kept keys begin, how many they are, how many equal t.

   Parameters: those of sort/rank.cl. */
#ifndef GPI_SORT_TOPK_CL
#define GPI_SORT_TOPK_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/hash_function.cl"
#include "element/key.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"
#include "sort/topk_filter.cl"

#define GPI_TOPK_COUNT 0
#define GPI_TOPK_K 1
#define GPI_TOPK_FOUND 2
#define GPI_TOPK_THRESHOLD 3
#define GPI_TOPK_CURSOR 5
#define GPI_TOPK_EQUALS 6
#define GPI_TOPK_SELECT 8
#define GPI_TOPK_HISTOGRAM 48
#define GPI_TOPK_BLOCKS (GPI_TOPK_HISTOGRAM + GPI_KEY_SIZE * GPI_BINS)
#define GPI_TOPK_BLOCK 128

#if GPI_TOPK_SELECT + 4 * (GPI_PASSES_MAX + 1) > GPI_TOPK_HISTOGRAM
#error "the state's parts overlap"
#endif

/* What all kernels share. `blocks`: of GPI_TOPK_BLOCK tiles; `room`: how many keys may be kept. */
typedef struct gpi_topk {
    __global ulong *number;
    volatile __global uint *cursor, *equals;
    ulong room;
    uint blocks;
} gpi_topk;

#define GPI_TOPK_PARAMETERS __global ulong *scratch, ulong state_at, ulong room, uint blocks
#define GPI_TOPK_SET(topk)                                                       \
    (topk).number = scratch + state_at;                                          \
    (topk).cursor = (volatile __global uint *)((topk).number + GPI_TOPK_CURSOR); \
    (topk).equals = (volatile __global uint *)((topk).number + GPI_TOPK_EQUALS); \
    (topk).room = room;                                                          \
    (topk).blocks = blocks

/* Keys below and equal to the threshold in a block of tiles. */
static volatile __global uint *gpi_topk_block(gpi_topk topk, uint round, uint block)
{
    return (volatile __global uint *)(topk.number + GPI_TOPK_BLOCKS + (ulong)round * topk.blocks + block);
}

static volatile __global uint *gpi_topk_bin(gpi_topk topk, uint level, uint d)
{
    return (volatile __global uint *)(topk.number + GPI_TOPK_HISTOGRAM + level * GPI_BINS + d);
}

/* The first round's threshold has let too many keys pass, or too few. Known after its filter. */
static bool gpi_topk_missed(gpi_topk topk)
{
    const ulong kept = topk.cursor[0], equals = (ulong)topk.equals[1] << 32 | topk.equals[0];
    return kept > topk.room || kept + equals < topk.number[GPI_TOPK_K];
}

/* ------------------------------------------------------------------ selection by digits */

/* The digits of the keys in [begin, end) whose higher digits are `prefix`, into shared->count. */
static void gpi_count_matching(__global const gpi_key *key, ulong begin, ulong end, gpi_digit digit,
                               gpi_key_bits prefix, gpi_rank_shared shared)
{
    GPI_EACH_BIN(d) shared->count[d] = 0;
    gpi_sync(); /* the counters are zero */
    for (ulong i = begin + get_local_id(0); i < end; i += GPI_WG) {
        const gpi_key_bits high = gpi_key_order(key[i], digit.flip) >> digit.shift;
        if (high >> 8 != prefix) continue;
#if GPI_SHAPE_SERIAL
        shared->count[high & digit.mask]++;
#else
        (void)atomic_inc(&shared->count[high & digit.mask]);
#endif
    }
    gpi_sync(); /* all is counted */
}

static gpi_digit gpi_topk_digit(uint level, ulong flip)
{
    gpi_digit digit;
    digit.flip = (gpi_key_bits)flip;
    digit.shift = 8 * (GPI_KEY_SIZE - 1 - level);
    digit.mask = GPI_BINS - 1;
    return digit;
}

/* The digit of the key that comes rank-th (from 1) among those counted in shared->next. Leaves in next[0] how
   many have lower digits, in next[1] how many have this one. */
static uint gpi_choose(ulong rank, gpi_rank_shared shared)
{
    uint chosen = 0;
    gpi_sync(); /* the counts are there */
    if (get_local_id(0) == 0) {
        ulong sum = 0;
        while (chosen < GPI_BINS - 1 && sum + shared->next[chosen] < rank) sum += shared->next[chosen++];
        shared->next[1] = shared->next[chosen];
        shared->next[0] = sum;
    }
    return gpi_broadcast(chosen, &shared->word);
}

/* The order that comes rank-th among n keys; one group. */
static gpi_key_bits gpi_select(__global const gpi_key *key, uint n, ulong rank, ulong flip,
                               gpi_rank_shared shared)
{
    gpi_key_bits prefix = 0;
    for (uint level = 0; level < GPI_KEY_SIZE; level++) {
        gpi_count_matching(key, 0, n, gpi_topk_digit(level, flip), prefix, shared);
        GPI_EACH_BIN(d) shared->next[d] = shared->count[d];
        prefix = prefix << 8 | gpi_choose(rank, shared);
        rank -= shared->next[0];
        gpi_sync(); /* next[0] is read: the next level's counts may overwrite it */
    }
    return prefix;
}

/* What is known of the k-th key's order: its highest digits; how many of the keys with those come before and
   with it; once those keys fit, a threshold. */
typedef struct gpi_selected {
    ulong prefix, rest, threshold, decided;
} gpi_selected;

/* The same after `level` digits: from what was known before, and the histogram of the digit. Every group
   computes it. */
static gpi_selected gpi_topk_selected(gpi_topk topk, uint level, gpi_rank_shared shared)
{
    __global ulong *known = topk.number + GPI_TOPK_SELECT + 4 * (level > 0 ? level - 1 : 0);
    gpi_selected s;
    s.prefix = known[0];
    s.rest = known[1];
    s.threshold = known[2];
    s.decided = known[3];
    if (level == 0) return s;
    if (!s.decided) {
        const uint below = 8 * (GPI_KEY_SIZE - level);
        GPI_EACH_BIN(d)
        {
            volatile __global uint *bin = gpi_topk_bin(topk, level - 1, d);
            shared->next[d] = (ulong)bin[1] << 32 | bin[0];
        }
        s.prefix = s.prefix << 8 | gpi_choose(s.rest, shared);
        s.rest -= shared->next[0];
        s.threshold = s.prefix << below | (((ulong)1 << below) - 1);
        s.decided = below == 0 || topk.number[GPI_TOPK_K] - s.rest + shared->next[1] <= topk.room;
    }
    return s;
}

/* Writes it down for the kernels behind. One item. */
static void gpi_topk_write_selected(gpi_topk topk, uint level, gpi_selected s)
{
    __global ulong *known = topk.number + GPI_TOPK_SELECT + 4 * level;
    known[0] = s.prefix;
    known[1] = s.rest;
    known[2] = s.threshold;
    known[3] = s.decided;
}

/* ------------------------------------------------------------------ sample */

/* A number below n, any. */
static ulong gpi_somewhere(uint i, ulong n) { return mul_hi((ulong)gpi_hash_32(i) << 32, n); }

/* The rank among s of n keys below which k of the n hardly ever are: with x expected, x + 4 sqrt(x). */
static uint gpi_sample_rank(ulong k, ulong n, uint s)
{
    const float x = (float)(k - 1) * ((float)s / (float)n);
    return min(s, 1 + (uint)(x + 4.0f * sqrt(x) + 0.75f));
}

/* One group. Zeroes `zeros` ulongs of the state and begins it: count, k, first threshold. One key is picked
   from each of `samples` equal stretches, anywhere in it, so that no period of the input is met. */
GPI_KERNEL void gp_topk_sample(__global const gpi_key *key, ulong key_at, GPI_TOPK_PARAMETERS, ulong flip,
                               ulong k, uint zeros, __global gpi_key *sample, ulong sample_at, uint samples,
                               GPI_COUNT_PARAMETERS, volatile __global uint *counters)
{
    GPI_SHARED(gpi_rank_memory, shared);
    gpi_topk topk;
    GPI_TOPK_SET(topk);
    const uint l = (uint)get_local_id(0);
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words), most = min(k, n);
    const ulong stretch = max(n / samples, (ulong)1);
    const uint s = (uint)min(n, (ulong)samples);
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
    for (uint i = l; i < s; i += GPI_WG) sample[i] = key[i * stretch + gpi_somewhere(i, stretch)];
    gpi_sync_all(); /* the sample is there, and the first threshold that is now overwritten */
    gpi_key_bits t = gpi_select(sample, s, gpi_sample_rank(most, n, s), flip, shared);
#ifdef GPI_FAULT /* tests: next to nothing passes where k is odd, next to everything where it is even */
    t = k % 2 ? 0 : (gpi_key_bits)(~(ulong)0 >> (64 - 8 * GPI_KEY_SIZE));
#endif
    if (l == 0) topk.number[GPI_TOPK_THRESHOLD] = t;
}

/* ------------------------------------------------------------------ filter */

static gpi_topk_tile gpi_tile_make(__global const gpi_key *key, ulong n, ulong base, uint span, ulong flip,
                                   ulong threshold)
{
    gpi_topk_tile tile;
    tile.key = key + base;
    tile.length = base < n ? (uint)min((ulong)span, n - base) : 0;
    tile.flip = (gpi_key_bits)flip;
    tile.threshold = (gpi_key_bits)threshold;
    return tile;
}

/* Room for `keys` keys. One item. Once there is none left, the cursor stays where it is, above `room`. */
static uint gpi_topk_claim(gpi_topk topk, uint round, uint keys)
{
    volatile __global uint *cursor = topk.cursor + round;
    return atomic_or(cursor, 0u) > topk.room ? ~0u : atomic_add(cursor, keys);
}

/* Tells what a tile has. One item. */
static void gpi_topk_note(gpi_topk topk, uint round, uint number, uint below, uint equal)
{
    volatile __global uint *block = gpi_topk_block(topk, round, number / GPI_TOPK_BLOCK);
    if (below) (void)atomic_add(block, below);
    if (equal) (void)atomic_add(block + 1, equal);
    if (equal && round == 0) gpi_add_wide(topk.equals, equal);
}

GPI_KERNEL void gp_topk_filter(__global const gpi_key *key, ulong key_at, GPI_TOPK_PARAMETERS, ulong flip,
                               uint round, uint span, __global uint4 *directory, ulong directory_at,
                               __global gpi_key *kept_key, ulong kept_key_at, __global gpi_value *kept_index,
                               ulong kept_index_at)
{
    GPI_SHARED(gpi_rank_memory, shared);
    gpi_topk topk;
    gpi_topk_kept to;
    uint below, equal, start = 0;
    const uint number = (uint)get_group_id(0);
    const ulong base = (ulong)number * span;
    GPI_TOPK_SET(topk);
    ulong threshold = topk.number[GPI_TOPK_THRESHOLD];
    if (round > 0) {
        if (!gpi_topk_missed(topk)) return;
        threshold = gpi_topk_selected(topk, GPI_KEY_SIZE, shared).threshold;
    }
    const gpi_topk_tile tile =
        gpi_tile_make(key + key_at, topk.number[GPI_TOPK_COUNT], base, span, flip, threshold);
    const ulong found = gpi_tile_survey(tile, &below, &equal, shared);
    if (get_local_id(0) == 0) {
        gpi_topk_note(topk, round, number, below, equal);
        if (below) start = gpi_topk_claim(topk, round, below);
        directory[directory_at + number] = (uint4)(start, below, equal, 0);
        /* Not in the branch above: PoCL 3.1 loses what one item writes behind barriers there. */
        if (round > 0 && number == 0) topk.number[GPI_TOPK_THRESHOLD + 1] = threshold;
    }
    if (below == 0) return;
    start = gpi_broadcast(start, &shared->word);
    if ((ulong)start + below > room) return; /* the round is missed */
    to.key = kept_key + kept_key_at + start;
    to.index = kept_index + kept_index_at + start;
    gpi_tile_keep(tile, found, to, base, shared);
}

GPI_KERNEL void gp_topk_histogram(__global const gpi_key *key, ulong key_at, GPI_TOPK_PARAMETERS, ulong flip,
                                  uint level, ulong span, volatile __global uint *counters)
{
    GPI_SHARED(gpi_rank_memory, shared);
    gpi_topk topk;
    GPI_TOPK_SET(topk);
    if (!gpi_topk_missed(topk)) return;
    const gpi_selected s = gpi_topk_selected(topk, level, shared);
    if (level > 0 && get_group_id(0) == 0 && get_local_id(0) == 0) gpi_topk_write_selected(topk, level, s);
    if (s.decided) return;
    const ulong n = topk.number[GPI_TOPK_COUNT];
    const ulong begin = min(n, span * get_group_id(0)), end = min(n, begin + span);
    if (level == 0 && get_group_id(0) == 0 && get_local_id(0) == 0)
        atomic_inc(counters + GPI_COUNT_FALLBACKS);
    gpi_count_matching(key + key_at, begin, end, gpi_topk_digit(level, flip), (gpi_key_bits)s.prefix, shared);
    GPI_EACH_BIN(d)
    {
        if (shared->count[d]) gpi_add_wide(gpi_topk_bin(topk, level, d), shared->count[d]);
    }
}

/* ------------------------------------------------------------------ gather, take */

/* How many keys below the threshold the tiles before this one have. All items call, and get it. */
static uint gpi_topk_before(gpi_topk topk, uint round, uint number, __global const uint4 *directory,
                            gpi_rank_shared shared)
{
    const uint l = (uint)get_local_id(0), block = number / GPI_TOPK_BLOCK;
    uint sum = 0;
    for (uint b = l; b < block; b += GPI_WG) sum += gpi_topk_block(topk, round, b)[0];
    for (uint i = block * GPI_TOPK_BLOCK + l; i < number; i += GPI_WG) sum += directory[i].y;
#if GPI_SHAPE_LOCAL
    if (l == 0) shared->count[0] = 0;
    gpi_sync(); /* the sum is zero */
    if (sum) (void)atomic_add(&shared->count[0], sum);
    gpi_sync(); /* all have added */
    sum = shared->count[0];
    gpi_sync(); /* the sum is read: marking may overwrite it */
#endif
    return sum;
}

/* How many keys equal to the threshold the tiles before this one have, `enough` at most. One item. */
static ulong gpi_topk_equal_before(gpi_topk topk, uint round, uint number, __global const uint4 *directory,
                                   ulong enough)
{
    const uint block = number / GPI_TOPK_BLOCK;
    ulong sum = 0;
    for (uint b = 0; b < block && sum < enough; b++) sum += gpi_topk_block(topk, round, b)[1];
    for (uint i = block * GPI_TOPK_BLOCK; i < number && sum < enough; i++) sum += directory[i].z;
    return min(sum, enough);
}

/* Behind all that are below the threshold: those that equal it and are still missing, in order. */
GPI_KERNEL void gp_topk_gather(__global const gpi_key *key, ulong key_at, GPI_TOPK_PARAMETERS, ulong flip,
                               uint span, __global const uint4 *directory, ulong directory_at,
                               __global const gpi_key *kept_key, ulong kept_key_at,
                               __global const gpi_value *kept_index, ulong kept_index_at,
                               __global gpi_key *found_key, ulong found_key_at,
                               __global gpi_value *found_index, ulong found_index_at)
{
    GPI_SHARED(gpi_rank_memory, shared);
    gpi_topk topk;
    gpi_topk_kept to;
    GPI_TOPK_SET(topk);
    const uint number = (uint)get_group_id(0), l = (uint)get_local_id(0);
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
        /* A loop that all items go through alike: behind barriers in a branch, PoCL 3.1 takes the first
           item's answer to "l < own.y" for everybody's. */
        for (uint begin = 0; begin < own.y; begin += GPI_WG) {
            const uint i = begin + l;
            if (i >= own.y) continue;
            to.key[at + i] = kept_key[kept_key_at + own.x + i];
            to.index[at + i] = kept_index[kept_index_at + own.x + i];
        }
    }
    if (own.z && missing) {
        uint before = 0; /* `missing` is below 2^31: k has room */
        if (l == 0) before = (uint)gpi_topk_equal_before(topk, round, number, directory, missing);
        before = gpi_broadcast(before, &shared->word);
        const gpi_topk_tile tile =
            gpi_tile_make(key + key_at, topk.number[GPI_TOPK_COUNT], (ulong)number * span, span, flip,
                          topk.number[GPI_TOPK_THRESHOLD + round]);
        if (before >= missing) return;
        to.key += below + before;
        to.index += below + before;
        gpi_tile_keep_equal(tile, missing - before, to, (ulong)number * span, shared);
    }
}

#define GPI_TOPK_WANTS_KEYS 1
#define GPI_TOPK_WANTS_INDICES 2

/* Sorted elements to the outputs that are wanted: k, or as many as there are. */
GPI_KERNEL void gp_topk_take(__global const gpi_key *key, ulong key_at, __global const gpi_value *index,
                             ulong index_at, __global gpi_key *key_out, ulong key_out_at,
                             __global gpi_value *index_out, ulong index_out_at, uint wants, ulong k,
                             GPI_COUNT_PARAMETERS)
{
    const ulong n = min(k, gpi_count(bound, wanted, wanted_offset, wanted_words));
    const ulong step = (ulong)get_num_groups(0) * GPI_WG;
    for (ulong i = (ulong)get_group_id(0) * GPI_WG + get_local_id(0); i < n; i += step) {
        if (wants & GPI_TOPK_WANTS_KEYS) key_out[key_out_at + i] = key[key_at + i];
        if (wants & GPI_TOPK_WANTS_INDICES) index_out[index_out_at + i] = index[index_at + i];
    }
}
#endif
