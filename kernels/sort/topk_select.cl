/* topk_select.cl - which key comes rank-th, digit by digit from the highest.

       select(rank) = the least x with |{i : order(key[i]) <= x}| >= rank

   Each digit's histogram counts the keys that agree with this one in all digits before. From a sample one
   group selects alone; from all keys a launch a digit, each of which goes on from the state
   (sort/topk_state.cl).
   (Radix selection: Alabi et al. 2012.)

   Parameters: those of sort/rank.cl. */
#ifndef GPI_SORT_TOPK_SELECT_CL
#define GPI_SORT_TOPK_SELECT_CL
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"
#include "sort/topk_state.cl"

/* The digits of the keys in [begin, end) whose higher digits are `prefix`, into shared->count. */
static void gpi_count_matching(__global const gpi_key *key, ulong begin, ulong end, gpi_digit digit,
                               gpi_key_bits prefix, gpi_rank_shared shared)
{
    GPI_EACH_BIN(d) shared->count[d] = 0;
    gpi_sync(); /* the counters are zero */
    for (ulong i = begin + get_local_id(0); i < end; i += GPI_WG) {
        const gpi_key_bits high = gpi_key_order(key[i], digit.flip) >> digit.shift;
        if (high >> 8 != prefix) continue;
        GPI_NEAR_INC(&shared->count[high & digit.mask]);
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

/* Writes it down for the kernels after this one. One item. */
static void gpi_topk_write_selected(gpi_topk topk, uint level, gpi_selected s)
{
    __global ulong *known = topk.number + GPI_TOPK_SELECT + 4 * level;
    known[0] = s.prefix;
    known[1] = s.rest;
    known[2] = s.threshold;
    known[3] = s.decided;
}
#endif
