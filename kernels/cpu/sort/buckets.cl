/* buckets.cl - sorts many long keys by the highest digit first, into one bucket for each digit, which the caches hold.

       to[base(d) + rank(i)] = from[i]       d = highest digit of key i, as in sort/sort.cl
       then one group sorts bucket d: a large one first by its next digit, and the rest as few keys are sorted
       (sort/single_tile.cl)

   Each key is read from memory and written two or three times, however many digits it has. This pays only if no bucket
   is much larger than others, which the device checks first:

       gp_buckets_sample   one group: samples keys; is any bucket likely to be too large?
       gp_sort_count       a group a block, as in a classic pass (sort/sort.cl)
       gp_buckets_spine    one group: bases of the buckets; is any too large, or were the keys in order before?
       gp_sort_scatter     a group a block
       gp_buckets_sort     a group a bucket

   If the answer is yes, the rest of these kernels do nothing. If it is no, the passes after them do nothing. Serial shape
   only.
   The program also has the sort of fewer keys by shares (sort/shares.cl).
   (Stehle & Jacobsen, A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs, 2017.)                      */
#ifndef GPI_SORT_BUCKETS_CL
#define GPI_SORT_BUCKETS_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "sort/bases.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"
#include "sort/shares.cl"
#include "sort/single_tile.cl"

#define GPI_SAMPLES 128
#define GPI_SAMPLE 8u      /* keys of a sample */
#define GPI_SAMPLE_SLACK 4 /* the samples may overestimate a bucket by this factor */

static ulong gpi_largest(gpi_bases_shared shared)
{
    ulong largest = 0;
    for (uint d = 0; d < GPI_BINS; d++) largest = max(largest, shared->next[d]);
    return largest;
}

/* Decides from samples whether buckets are worth trying: no bucket may have more than about GPI_SAMPLE_SLACK * `most` keys. One
   group. */
GPI_KERNEL void gp_buckets_sample(GPI_PLACES_PARAMETERS, GPI_DIGIT_PARAMETERS, gpi_state state, ulong most)
{
    GPI_SHARED(gpi_bases_memory, shared);
    gpi_places places;
    gpi_digit digit;
    const ulong n = gpi_state_count(state), step = n / GPI_SAMPLES;
    GPI_PLACES_SET(places);
    GPI_DIGIT_SET(digit);
    const gpi_move move = gpi_move_make(places, gpi_from(state, 0), GPI_PLACE_OUT);
    GPI_EACH_BIN(d) shared->next[d] = 0;
    for (uint s = 0; s < GPI_SAMPLES && step >= GPI_SAMPLE; s++) {
        for (uint k = 0; k < GPI_SAMPLE; k++) shared->next[gpi_digit_of(move.key[s * step + k], digit)]++;
    }
    state[GPI_STATE_FROM + GPI_PASS_BUCKETS] = gpi_from(state, 0);
    state[GPI_STATE_BUCKETS] =
        gpi_largest(shared) * (n / (GPI_SAMPLES * GPI_SAMPLE)) <= GPI_SAMPLE_SLACK * most;
}

/* Writes the bases of the buckets, or gives up if a bucket has more than `most` keys or the keys are in order. `to`: the place of
   the buckets; `passes`: those of the whole sort. One group. */
GPI_KERNEL void gp_buckets_spine(gpi_state state, uint to, uint passes, uint blocks, ulong table_at,
                                 ulong bases_at, ulong most)
{
    GPI_SHARED(gpi_bases_memory, shared);
    __global ulong *bases = gpi_part(state, bases_at);
    if (gpi_is_idle(state, GPI_PASS_BUCKETS, GPI_WHEN_BUCKETS)) return;
    gpi_columns(gpi_part(state, table_at), blocks, shared);
    if (gpi_largest(shared) > most || state[GPI_STATE_ORDER] == GPI_IN_ORDER) {
        state[GPI_STATE_BUCKETS] = 0;
        return;
    }
    (void)gpi_bases_of(shared);
    GPI_EACH_BIN(d) bases[d] = shared->next[d];
    state[GPI_STATE_FROM + GPI_PASS_BUCKETS + 1] = to;
    state[GPI_STATE_FROM + passes] = GPI_PLACE_OUT;
}

/* Sorts keys [base, base + n), n > 0, from place `from` into the output. */
static void gpi_bucket_sort(gpi_places places, ulong base, ulong n, gpi_digit_bits bits, uint from,
                            gpi_rank_shared shared)
{
    if (n > GPI_SINGLE_TILE_FEW) gpi_single_tile_range(places, base, n, bits, from, 0, shared);
    else gpi_single_tile_few(gpi_move_make(places, from, GPI_PLACE_OUT), base, (uint)n, bits);
}

/* Sorts as gpi_bucket_sort does, but more keys than the caches hold: splits the bucket into buckets of the next digit first. */
GPI_NOINLINE void gpi_bucket_split(gpi_places places, ulong base, ulong n, gpi_digit_bits bits, uint from,
                                   uint lines, gpi_rank_shared shared)
{
    const gpi_digit digit = gpi_digit_highest(bits);
    const uint to = gpi_place_next(from, GPI_PLACE_OUT);
    const gpi_move move = gpi_move_make(places, from, to);
    uint count[GPI_BINS];
    ulong sum = base;
    gpi_count_range(move.key, base, base + n, digit, shared);
    for (uint d = 0; d < GPI_BINS; d++) {
        count[d] = shared->count[d];
        shared->next[d] = sum;
        sum += count[d];
    }
    gpi_move_range(move, base, base + n, digit, lines, shared);
    bits.end = digit.shift;
    bits.passes--;
    for (uint d = 0; d < GPI_BINS; d++) {
        if (count[d]) gpi_bucket_sort(places, base, count[d], bits, to, shared);
        base += count[d];
    }
}

/* Sorts the buckets: a group a bucket. The window does not contain the highest digit. `few`: how many keys the caches hold;
   `lines`: which keys a split moves through lines (GPI_LINES_..., sort/constants.cl). */
GPI_KERNEL void gp_buckets_sort(GPI_PLACES_PARAMETERS, GPI_BITS_PARAMETERS, gpi_state state, ulong bases_at,
                                ulong few, uint lines)
{
    GPI_SHARED(gpi_rank_memory, shared);
    gpi_places places;
    gpi_digit_bits bits;
    __global const ulong *bases = gpi_part(state, bases_at);
    const uint d = (uint)get_group_id(0), from = gpi_from(state, GPI_PASS_BUCKETS + 1);
    GPI_PLACES_SET(places);
    GPI_BITS_SET(bits);
    if (gpi_is_idle(state, GPI_PASS_BUCKETS, GPI_WHEN_BUCKETS)) return;
    const ulong base = bases[d], n = (d + 1 < GPI_BINS ? bases[d + 1] : gpi_state_count(state)) - base;
    if (n > few) gpi_bucket_split(places, base, n, bits, from, lines, shared);
    else if (n > 0) gpi_bucket_sort(places, base, n, bits, from, shared);
}
#endif
