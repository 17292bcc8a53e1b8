/* sort.cl - sorts by the least significant digit first: for each digit of eight bits, from the lowest, a
             stable distribution of all keys

       to[base(d) + rank(i)] = from[i]       d = digit of key i
       base(d)  keys with a lower digit      rank(i)  keys of digit d before i

   Onesweep: the keys are read once to count the digits of all passes; then each pass reads and writes all keys once.

       gp_sort_histogram   group per block of keys: counts the digits of all passes
       gp_sort_bases       group per pass: computes the base of every digit, and decides which passes have nothing to do
       gp_sort_onesweep    each pass, group per tile: counts, looks back (sort/lookback.cl), and moves keys

   Classic (sort/classic.cl): each pass reads the keys twice and writes them once; no group waits for another.

       gp_sort_count       group per block: counts table[block][d]; on CPUs, the first pass also checks the keys' order
       gp_sort_spine       one group: computes running sums down the table's columns, and the base of every digit
       gp_sort_scatter     group per block: moves keys

   Both begin with gp_sort_begin and end with gp_sort_copy, which does nothing if the last pass wrote the output.
   An abandoned onesweep pass and the passes after it are repeated in one of two ways: by gp_sort_resume, which
   replaces gp_sort_copy, or by classic kernels after each pass, which otherwise do nothing.
   Few keys are sorted by one group in one launch: gp_sort_tile, in a program of its own (sort/sort_tile.cl).
   On CPUs, most sorts of more keys use the program of sort/buckets.cl, which has the classic kernels, too.
   (Adinets & Merrill, Onesweep, 2022; Satish, Harris & Garland 2009 for the classic form.)             */
#ifndef GPI_SORT_SORT_CL
#define GPI_SORT_SORT_CL
#include "base/constants.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/bases.cl"
#include "sort/classic.cl"
#include "sort/count_key.cl"
#include "sort/digit.cl"
#include "sort/lookback.cl"
#include "sort/onesweep.cl"
#include "sort/rank.cl"

/* ------------------------------------------------------------------ onesweep */

GPI_KERNEL void gp_sort_histogram(GPI_PLACES_PARAMETERS, GPI_BITS_PARAMETERS, gpi_state state, ulong span,
                                  ulong histogram_at)
{
    GPI_NEAR uint count[GPI_COUNTERS];
    gpi_places places;
    gpi_digit_bits bits;
    ulong begin, end;
    GPI_PLACES_SET(places);
    GPI_BITS_SET(bits);
    const gpi_move move = gpi_move_make(places, gpi_from(state, 0), GPI_PLACE_OUT);
    gpi_sort_block(state, span, &begin, &end);
    gpi_count_all(move.key, begin, end, bits, count);
    for (uint c = (uint)GPI_LOCAL_ID; c < passes * GPI_BINS; c += GPI_WG) {
        uint sum = 0;
        for (uint k = 0; k < GPI_COUNT_COPIES; k++) sum += count[c * GPI_COUNT_COPIES + k];
        if (sum) gpi_add_wide(state + histogram_at + 2 * c, sum);
    }
}

/* Writes the bases of each pass's first launch, one group per pass. The last group to report whether its pass is trivial also
   writes which places all passes read and write. `tmp_first` is 0 if the first pass may write the output. In this case the place
   that the first pass writes is chosen so that the last pass writes the output. */
GPI_KERNEL void gp_sort_bases(gpi_state state, uint passes, uint portions, uint tmp_first, ulong histogram_at,
                              ulong bases_at)
{
    GPI_SHARED(gpi_bases_memory, shared);
    const uint pass = (uint)get_group_id(0), all = passes << GPI_PASSES_MAX;
    volatile __global uint *histogram = state + histogram_at + (ulong)pass * GPI_BINS * 2;
    __global ulong *bases = gpi_part(state, bases_at) + (ulong)pass * portions * GPI_BINS;
    uint from = gpi_from(state, 0), trivial = 1u << GPI_PASSES_MAX, moves = 0;
    GPI_EACH_BIN(d)
    shared->next[d] = (ulong)histogram[2 * d + 1] << 32 | histogram[2 * d];
    gpi_sync(); /* the counts are loaded */
    if (gpi_bases_of(shared)) trivial |= 1u << pass;
    GPI_EACH_BIN(d) bases[d] = shared->next[d];
    if (GPI_LOCAL_ID != 0) return;
    trivial += atomic_add(state + GPI_STATE_TRIVIAL, trivial);
    if (trivial < all) return;
    for (uint p = 0; p < passes; p++) moves += 1 - (trivial >> p & 1);
    const uint first = tmp_first || moves % 2 == 0 ? GPI_PLACE_TMP : GPI_PLACE_OUT;
    for (uint p = 0; p < passes; p++) {
        if (!(trivial >> p & 1)) from = gpi_place_next(from, first);
        state[GPI_STATE_FROM + p + 1] = from;
    }
}

/* Moves the keys [portion, portion_end), which are fewer than a word can count. If `more` launches follow in this pass, the last
   tile writes the bases of the next launch. */
GPI_KERNEL void gp_sort_onesweep(GPI_PLACES_PARAMETERS, GPI_DIGIT_PARAMETERS, gpi_state state, uint pass,
                                 uint launch, ulong portion, ulong portion_end, ulong span, uint lines,
                                 ulong bases_at, uint more, ulong rows_at, uint polls)
{
    GPI_SHARED(gpi_move_memory, shared);
    gpi_places places;
    gpi_digit digit;
    uint tile = 0;
    const gpi_ring ring = gpi_ring_make(state, pass, launch, rows_at, polls);
    __global ulong *bases = gpi_part(state, bases_at);
    GPI_PLACES_SET(places);
    GPI_DIGIT_SET(digit);
    if (gpi_is_trivial(state, pass)) return;
    const ulong stop = min(portion_end, gpi_state_count(state));
    const gpi_move move = gpi_move_make(places, gpi_from(state, pass), gpi_from(state, pass + 1));
    if (GPI_LOCAL_ID == 0) tile = gpi_is_abandoned(state) ? ~0u : atomic_inc(ring.ticket);
    tile = gpi_broadcast(tile, &shared->word);
    const ulong begin = portion + tile * span, end = min(stop, begin + span);
    if (begin >= stop) return; /* all later tiles return, too: no group waits for this one */
    __global ulong *bases_after = end == stop && more ? bases + GPI_BINS : 0;
    gpi_onesweep_tile(move, ring, tile, begin, (uint)(end - begin), digit, lines, bases, bases_after, shared);
}

/* Copies the result to the output, one group per block. If a pass was abandoned, the first group first repeats this pass and
   those after it, from the bases of gp_sort_bases, and then copies all keys. */
GPI_KERNEL void gp_sort_resume(GPI_PLACES_PARAMETERS, GPI_BITS_PARAMETERS, gpi_state state, uint portions,
                               uint lines, ulong bases_at, ulong span, volatile __global uint *counters)
{
    GPI_SHARED(gpi_move_memory, shared);
    gpi_places places;
    gpi_digit_bits bits;
    ulong begin, end;
    const uint abandoned = state[GPI_STATE_ABANDONED];
    const bool resumes = abandoned != 0 && get_group_id(0) == 0;
    GPI_PLACES_SET(places);
    GPI_BITS_SET(bits);
    for (uint p = resumes ? abandoned - 1 : passes; p < passes; p++) {
        __global const ulong *bases = gpi_part(state, bases_at) + (ulong)p * portions * GPI_BINS;
        const gpi_move move = gpi_move_make(places, gpi_from(state, p), gpi_from(state, p + 1));
        if (!gpi_is_trivial(state, p)) {
            GPI_EACH_BIN(d) shared->next[d] = bases[d];
            gpi_move_range(move, 0, gpi_state_count(state), gpi_digit_of_pass(p, bits), lines, shared);
            if (GPI_LOCAL_ID == 0) atomic_inc(counters + GPI_COUNT_FALLBACKS);
            gpi_sync_all(); /* the pass is written: the next one reads it, and overwrites `next` */
        }
    }
    gpi_sort_block(state, abandoned ? gpi_state_count(state) : span, &begin, &end);
    gpi_sort_copy(places, state, passes, begin, end);
}
#endif
