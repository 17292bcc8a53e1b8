/* topk_select.cl - finds the key that has a given rank, digit by digit from the highest.

       select(rank) = the least x with |{i : order(key[i]) <= x}| >= rank

   Each digit's histogram counts the keys that agree with the result in all higher digits. One group alone selects from a sample.
   A selection from all keys needs a launch for each digit. Each launch continues from the state of the previous launch
   (sort/topk_state.cl). (Radix selection: Alabi et al. 2012.)

   Parameters: those of sort/rank.cl. */
#ifndef GPI_SORT_TOPK_SELECT_CL
#define GPI_SORT_TOPK_SELECT_CL
#include "base/platform.cl"
#include "group/range.cl"
#include "group/striped.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"
#include "sort/topk_state.cl"
#include "sort/topk_tile.cl"

static void gpi_count_match(gpi_key key, gpi_digit digit, gpi_key_bits prefix, gpi_topk_shared shared)
{
    const gpi_key_bits high = gpi_key_order(key, digit.flip) >> digit.shift;
    if (high >> 8 == prefix) GPI_NEAR_INC(&shared->count[high & digit.mask]);
}

/* Counts, in shared->count, the digits of the keys in [begin, end) whose higher digits are `prefix`. */
GPI_NOINLINE void gpi_count_matching(__global const gpi_key *key, ulong begin, ulong end, gpi_digit digit,
                                     gpi_key_bits prefix, gpi_topk_shared shared)
{
    GPI_EACH_BIN(d) shared->count[d] = 0;
    gpi_sync(); /* the counters are zero */
    ulong i = begin + GPI_LOCAL_ID;
    GPI_EACH_BATCH(i, GPI_LOADS, end) {
        gpi_key x[GPI_LOADS];
        GPI_LOAD_STRIPED(x, GPI_LOADS, key + i, GPI_WG);
        GPI_EACH(j, GPI_TURNS(GPI_LOADS)) gpi_count_match(x[j], digit, prefix, shared);
    }
    GPI_EACH_LEFT(i, end) gpi_count_match(key[i], digit, prefix, shared);
    gpi_sync(); /* all keys are counted */
}

static gpi_digit gpi_topk_digit(uint level, ulong flip)
{
    gpi_digit digit;
    digit.flip = (gpi_key_bits)flip;
    digit.shift = 8 * (GPI_KEY_SIZE - 1 - level);
    digit.mask = GPI_BINS - 1;
    return digit;
}

/* Returns order(key) of the key with the given rank, counted from 1, among n keys. Called by one group only. */
static gpi_key_bits gpi_select(__global const gpi_key *key, uint n, ulong rank, ulong flip,
                               gpi_topk_shared shared)
{
    gpi_key_bits prefix = 0;
    for (uint level = 0; level < GPI_KEY_SIZE; level++) {
        ulong below, with;
        gpi_count_matching(key, 0, n, gpi_topk_digit(level, flip), prefix, shared);
        GPI_EACH_BIN(d) shared->next[d] = shared->count[d];
        prefix = prefix << 8 | gpi_choose(rank, &below, &with, shared);
        rank -= below;
    }
    return prefix;
}

/* What is known about the k-th key. prefix: the highest digits of order(key); rest: the key's rank among the keys with
   this prefix; threshold: the greatest order(key) with this prefix; decided: 1 if all keys up to the threshold fit in
   the room for them. */
typedef struct gpi_selected {
    ulong prefix, rest, threshold, decided;
} gpi_selected;

/* Returns the selection after `level` digits, computed from the selection after `level` - 1 digits and the last histogram. Every
   group computes it, without a branch around barriers (docs/drivers.md). */
GPI_NOINLINE gpi_selected gpi_topk_selected(gpi_topk topk, uint level, gpi_topk_shared shared)
{
    const uint before = level > 0 ? level - 1 : 0, bits = 8 * (GPI_KEY_SIZE - 1 - before);
    __global ulong *known = topk.number + GPI_TOPK_SELECT + 4 * before;
    gpi_selected s;
    ulong below, with;
    s.prefix = known[0];
    s.rest = known[1];
    s.threshold = known[2];
    s.decided = known[3];
    GPI_EACH_BIN(d)
    {
        volatile __global uint *bin = gpi_topk_bin(topk, before, d);
        shared->next[d] = level > 0 ? (ulong)bin[1] << 32 | bin[0] : 0; /* level 0: no histogram yet */
    }
    const uint digit = gpi_choose(s.rest, &below, &with, shared);
    if (level > 0 && !s.decided) {
        s.prefix = s.prefix << 8 | digit;
        s.rest -= below;
        s.threshold = s.prefix << bits | (((ulong)1 << bits) - 1);
        s.decided = bits == 0 || topk.number[GPI_TOPK_K] - s.rest + with <= topk.room;
    }
    return s;
}

/* Writes `s`, the selection after `level` digits, for later kernels. Called by one item only. */
static void gpi_topk_write_selected(gpi_topk topk, uint level, gpi_selected s)
{
    __global ulong *known = topk.number + GPI_TOPK_SELECT + 4 * level;
    known[0] = s.prefix;
    known[1] = s.rest;
    known[2] = s.threshold;
    known[3] = s.decided;
}
#endif
