/* classic.cl - the kernels of a sort that count and move keys by their bins, and those that begin and end every sort.

   A bin is a digit, or a part of the keys' range (sort/buckets.cl). sort/sort.cl lists the kernels. */
#ifndef GPI_SORT_CLASSIC_CL
#define GPI_SORT_CLASSIC_CL
#include "base/constants.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/bases.cl"
#include "sort/bin.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"

/* ------------------------------------------------------------------ begin, end */

/* Zeroes `zeros` uints of the state, and writes to it the count and the place (sort/digit.cl) that the first pass
   reads. Launched with one group. */
GPI_KERNEL void gp_sort_begin(gpi_state state, uint zeros, uint from, GPI_COUNT_PARAMETERS,
                              volatile __global uint *counters)
{
    const uint l = (uint)GPI_LOCAL_ID;
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);
    GPI_COUNT_CHECK(true, counters);
    for (uint i = l; i < zeros; i += GPI_WG) {
        uint x = 0;
        if (i == 0) x = (uint)n;
        if (i == 1) x = (uint)(n >> 32);
        if (i == GPI_STATE_FROM) x = from;
        state[i] = x;
    }
}

/* Computes the block of this group: [*begin, *end). */
static void gpi_sort_block(gpi_state state, ulong span, ulong *begin, ulong *end)
{
    const ulong n = gpi_state_count(state);
    *begin = min(n, span * get_group_id(0));
    *end = min(n, *begin + span);
}

/* Copies elements [begin, end) to the output from the place that the last pass wrote, unless that place is the output. */
GPI_NOINLINE void gpi_sort_copy(gpi_places places, gpi_state state, uint passes, ulong begin, ulong end)
{
    const uint from = gpi_from(state, passes);
    const gpi_move move = gpi_move_make(places, from, GPI_PLACE_OUT);
    for (ulong i = begin + GPI_LOCAL_ID; i < end && from != GPI_PLACE_OUT; i += GPI_WG)
        gpi_move_one(move, i, i);
}

/* Copies the result to the output, one group per block. */
GPI_KERNEL void gp_sort_copy(GPI_PLACES_PARAMETERS, gpi_state state, uint passes, ulong span)
{
    gpi_places places;
    ulong begin, end;
    GPI_PLACES_SET(places);
    gpi_sort_block(state, span, &begin, &end);
    gpi_sort_copy(places, state, passes, begin, end);
}

/* ------------------------------------------------------------------ classic */

/* Returns whether this group has nothing to do. One item reads the state. */
static bool gpi_group_is_idle(gpi_state state, uint pass, uint when, GPI_GROUP_SPACE uint *word)
{
    uint idle = 0;
    if (GPI_LOCAL_ID == 0) idle = gpi_is_idle(state, pass, when);
    return gpi_broadcast(idle, word) != 0;
}

/* Counts the bins of each group's block in the group's row of the table. If the kernel also has to check whether keys are in
   order, `order_end` is the end of the window of all passes; otherwise it is 0. */
GPI_KERNEL void gp_sort_count(GPI_PLACES_PARAMETERS, GPI_BIN_PARAMETERS, gpi_state state, uint pass,
                              uint when, uint order_end, ulong span, ulong table_at)
{
    GPI_SHARED(gpi_rank_memory, shared);
    gpi_places places;
    gpi_bin_map bin;
    ulong begin, end;
    __global ulong *row = gpi_part(state, table_at) + (ulong)get_group_id(0) * GPI_BINS;
    GPI_PLACES_SET(places);
    if (gpi_group_is_idle(state, pass, when, &shared->word)) return;
    GPI_BIN_SET(bin, state, when);
    const gpi_move move = gpi_move_make(places, gpi_from(state, pass), GPI_PLACE_OUT);
    gpi_sort_block(state, span, &begin, &end);
    const gpi_digit_bits window = {flip, shift, order_end, 0};
    const uint order = gpi_count_block(move.key, begin, end, bin, window, row, shared);
    if (order) (void)atomic_or(state + GPI_STATE_ORDER, order);
}

/* Replaces table[block][d] by the sum of the entries above it, and writes to bases[d] the number of keys with a lower digit.
   Writes to the state the place that the next pass reads. If pass 0 has found all keys in order, writes the places of all passes,
   so that no pass moves keys. If the pass repeats an abandoned pass, counts a fallback instead, because the state already has the
   places. Launched with one group. */
GPI_KERNEL void gp_sort_spine(gpi_state state, uint pass, uint when, uint first, uint blocks, ulong table_at,
                              ulong bases_at, volatile __global uint *counters)
{
    GPI_SHARED(gpi_bases_memory, shared);
    __global ulong *bases = gpi_part(state, bases_at);
    if (gpi_group_is_idle(state, pass, when, &shared->word)) return;
    gpi_columns(gpi_part(state, table_at), blocks, shared);
    const bool few = gpi_hashes_are_few(shared), trivial = gpi_bases_of(shared) || few;
    if (GPI_LOCAL_ID == 0) {
        const uint from = gpi_from(state, pass);
        if (when == GPI_WHEN_ABANDONED) atomic_inc(counters + GPI_COUNT_FALLBACKS);
        else if (pass == 0 && state[GPI_STATE_ORDER] == GPI_IN_ORDER)
            for (uint p = 1; p <= GPI_PASSES_MAX; p++) state[GPI_STATE_FROM + p] = from;
        else state[GPI_STATE_FROM + pass + 1] = trivial ? from : gpi_place_next(from, first);
    }
    GPI_EACH_BIN(d) bases[d] = shared->next[d];
}

/* Moves the keys that gp_sort_count has counted. `lines`: which keys are moved through lines (GPI_LINES_...,
   sort/constants.cl). */
GPI_KERNEL void gp_sort_scatter(GPI_PLACES_PARAMETERS, GPI_BIN_PARAMETERS, gpi_state state, uint pass,
                                uint when, ulong span, uint lines, ulong table_at, ulong bases_at)
{
    GPI_SHARED(gpi_move_memory, shared);
    gpi_places places;
    gpi_bin_map bin;
    ulong begin, end;
    __global const ulong *bases = gpi_part(state, bases_at);
    __global const ulong *row = gpi_part(state, table_at) + (ulong)get_group_id(0) * GPI_BINS;
    GPI_PLACES_SET(places);
    if (gpi_is_trivial(state, pass)) return;
    if (gpi_group_is_idle(state, pass, when, &shared->word)) return;
    GPI_BIN_SET(bin, state, when);
    const gpi_move move = gpi_move_make(places, gpi_from(state, pass), gpi_from(state, pass + 1));
    gpi_sort_block(state, span, &begin, &end);
    GPI_EACH_BIN(d) shared->next[d] = bases[d] + row[d];
    gpi_move_range(move, begin, end, bin, lines, shared);
}
#endif
