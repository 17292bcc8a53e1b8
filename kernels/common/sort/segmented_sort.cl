/* segmented_sort.cl - sorts each segment [P[s], P[s+1]) by itself, stably, with

       P[s] = max of offsets[t], t <= s, offsets[t] <= count; of rows: offsets[t] = t * row_length

   P equals the offsets if they are valid. P never decreases and never exceeds `count`, so that segments are inside the
   array and do not overlap, whatever the offsets contain. An offset with offsets[s] != P[s] is bad, and is counted.

       gp_segments_bounds    group per block of offsets: finds their maximum
       gp_segments_list      group per block of offsets: writes P and the first segment of each window, and lists the large
                             segments
       gp_segments_small     group per window of positions: sorts the small segments that begin there
       gp_segments_count     each pass, all rows: counts the digits of a row's keys
       gp_segments_spine     each pass, all large segments: computes running sums down the columns of a segment's rows.
                             (Only on CPUs. On GPUs, each group of gp_segments_scatter adds up the columns itself. Another
                             launch would cost time even without large segments, and one group would have to sum many rows
                             alone.)
       gp_segments_scatter   each pass, all rows: moves a row's keys
       gp_segments_copy      copies large segments to the output, if the last pass has left them in another place

   A segment is large if one group should not, or cannot, sort it alone (sort/single_tile.cl). Each pass handles all
   large segments. A large segment is cut into blocks of `span` keys, and each block has a row in the table, with an
   entry for each digit:

       keys    |  small ..  |      large 0      |small|       large 1       |
       rows                 | 0    | 1    | 2 |       | 3    | 4    | 5  |

   (Count, scan, scatter: Satish, Harris & Garland 2009.)

   sort/sort_segments.cl, in each wing, describes how one group sorts small segments. sort/segments_state.cl describes
   the state that the kernels share.

   Parameters: those of sort/rank.cl and sort/segments_state.cl. */
#ifndef GPI_SORT_SEGMENTED_SORT_CL
#define GPI_SORT_SEGMENTED_SORT_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "base/segments.cl"
#include "group/sync.cl"
#include "sort/bases.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"
#include "sort/row_bases.cl"
#include "sort/segments_state.cl"
#include "sort/single_tile.cl"
#include "sort/sort_segments.cl"

/* ------------------------------------------------------------------ offsets */

/* Writes the maximum of the offsets <= count in each block of `span` offsets. The first group initializes the state. */
GPI_KERNEL void gp_segments_bounds(GPI_SEGMENTS_PARAMETERS, GPI_OFFSETS_PARAMETERS, ulong span,
                                   GPI_COUNT_PARAMETERS, volatile __global uint *counters)
{
    GPI_MAXIMA_SHARED(row);
    gpi_segments segments;
    gpi_offsets numbers;
    gpi_sort_cell most = 0, total;
    const uint l = (uint)GPI_LOCAL_ID, m = (uint)gpi_count(bound, wanted, wanted_offset, wanted_words);
    const ulong entries = m ? (ulong)m + 1 : 0, begin = min(entries, span * get_group_id(0)),
                end = min(entries, begin + span);
    GPI_SEGMENTS_SET(segments);
    GPI_OFFSETS_SET(numbers);
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    for (uint i = l; i < GPI_SEGMENTS_WORDS && get_group_id(0) == 0; i += GPI_WG)
        state[i] = i == GPI_SEGMENTS_FIRST_BAD ? ~0u : i == GPI_SEGMENTS_COUNT ? m : 0;
    for (ulong i = begin + l; i < end; i += GPI_WG) {
        const ulong x = gpi_offset(numbers, i);
        if (x <= count) most = max(most, (gpi_sort_cell)x);
    }
    (void)gpi_max_before(most, &total, row);
    if (l == 0) segments.maxima[get_group_id(0)] = total;
}

/* Enters the segment [begin, begin + length) in the list of large segments, with rows of `span` keys each. */
static void gpi_sort_large_add(gpi_segments segments, ulong begin, ulong length, ulong span, uint from)
{
    const uint rows = (uint)((length + span - 1) / span);
    const uint k = atomic_inc(segments.state + GPI_SORT_SEGMENTS_LARGE);
    const uint row = atomic_add(segments.state + GPI_SORT_SEGMENTS_ROWS, rows);
    __global gpi_large *large = segments.large + k;
    large->begin = begin;
    large->length = length;
    large->row = row;
    large->rows = rows;
    large->from[0] = from;
    for (uint r = 0; r < rows; r++) segments.owner[row + r] = k;
}

static void gpi_sort_bad_add(gpi_state state, uint i, volatile __global uint *counters)
{
    if (atomic_inc(state + GPI_SORT_SEGMENTS_BAD) == 0) (void)atomic_inc(counters + GPI_COUNT_BAD);
    (void)atomic_min(state + GPI_SEGMENTS_FIRST_BAD, i);
}

/* Writes `s` as the first segment of each window that begins after `before` and not after `own`; if `s` is past all segments,
   of all windows that begin after `before`. Segment 0 is also the first one of the window that begins with 0. */
static void gpi_windows_add(gpi_segments segments, ulong before, ulong own, uint s, uint shift, uint windows)
{
    const uint end = s == segments.state[GPI_SEGMENTS_COUNT] ? windows : (uint)(own >> shift);
    for (uint w = s ? (uint)(before >> shift) + 1 : 0; w <= end; w++) segments.first[w] = s;
}

/* Writes P for the group's block of `span` offsets, and counts the bad offsets. Writes the first segments of the `windows` of
   2^shift positions. Lists the large segments, of more than `small` keys, that end in this block. */
GPI_KERNEL void gp_segments_list(GPI_SEGMENTS_PARAMETERS, GPI_OFFSETS_PARAMETERS, ulong span, ulong small,
                                 ulong row_span, uint from, uint shift, uint windows,
                                 volatile __global uint *counters)
{
    GPI_MAXIMA_SHARED(row);
    gpi_segments segments;
    gpi_offsets numbers;
    gpi_sort_cell carry = 0, total;
    const uint l = (uint)GPI_LOCAL_ID, m = state[GPI_SEGMENTS_COUNT];
    const ulong entries = m ? (ulong)m + 1 : 0, begin = min(entries, span * get_group_id(0)),
                end = min(entries, begin + span);
    GPI_SEGMENTS_SET(segments);
    GPI_OFFSETS_SET(numbers);
    for (uint g = l; g < get_group_id(0); g += GPI_WG) carry = max(carry, segments.maxima[g]);
    (void)gpi_max_before(carry, &total, row);
    carry = total;
    for (ulong base = begin; base < end; base += GPI_WG) {
        const ulong i = base + l, x = i < end ? gpi_offset(numbers, i) : 0;
        const gpi_sort_cell good = x <= count ? (gpi_sort_cell)x : 0;
        const gpi_sort_cell before = max(carry, gpi_max_before(good, &total, row)), own = max(before, good);
        carry = max(carry, total);
        if (i < end) segments.bounds[i] = own;
        if (i < end) gpi_windows_add(segments, before, own, (uint)i, shift, windows);
        if (i < end && x != own) gpi_sort_bad_add(state, (uint)i, counters);
        if (i < end && i > 0 && own - before > small)
            gpi_sort_large_add(segments, before, own - before, row_span, from);
    }
}

/* ------------------------------------------------------------------ small */

/* Sorts the small segments that begin in the group's window of positions. A segment is small if it has at most `small` keys (on
   GPUs, a tile). */
GPI_KERNEL void gp_segments_small(GPI_PLACES_PARAMETERS, GPI_BITS_PARAMETERS, GPI_SEGMENTS_PARAMETERS,
                                  uint small, uint from, uint tmp_first)
{
    GPI_SHARED(gpi_segments_memory, shared);
    gpi_segments segments;
    gpi_places places;
    gpi_digit_bits bits;
    const uint window = (uint)get_group_id(0);
    GPI_SEGMENTS_SET(segments);
    GPI_PLACES_SET(places);
    GPI_BITS_SET(bits);
    if (state[GPI_SEGMENTS_COUNT] == 0) return; /* no window has a first segment */
    gpi_segments_sort(segments, places, bits, small, from, tmp_first, segments.first[window],
                      segments.first[window + 1], shared);
}

/* ------------------------------------------------------------------ large */

/* Loops over the rows r of this group. */
#define GPI_EACH_ROW(r, state) \
    for (uint r = (uint)get_group_id(0); r < (state)[GPI_SORT_SEGMENTS_ROWS]; r += (uint)get_num_groups(0))

GPI_KERNEL void gp_segments_count(GPI_PLACES_PARAMETERS, GPI_DIGIT_PARAMETERS, GPI_SEGMENTS_PARAMETERS,
                                  uint pass, ulong span)
{
    GPI_SHARED(gpi_rank_memory, shared);
    gpi_segments segments;
    gpi_places places;
    gpi_digit digit;
    GPI_SEGMENTS_SET(segments);
    GPI_PLACES_SET(places);
    GPI_DIGIT_SET(digit);
    GPI_EACH_ROW(r, state)
    {
        const gpi_sort_row row = gpi_row_find(segments, r, span);
        const gpi_move move = gpi_move_make(places, row.large->from[pass % 2], GPI_PLACE_OUT);
        gpi_count_range(move.key, row.begin, row.end, digit, shared);
        GPI_EACH_BIN(d) segments.table[(ulong)r * GPI_BINS + d] = shared->count[d];
        gpi_sync(); /* the counts are read: the next row's may overwrite them */
    }
}

/* Replaces each count in the table by the position of the row's first key of that digit, counted from the segment's
   first key. Also records, for each segment, the place that the next pass reads. */
GPI_KERNEL void gp_segments_spine(GPI_SEGMENTS_PARAMETERS, uint pass, uint first_place)
{
    GPI_SHARED(gpi_bases_memory, shared);
    gpi_segments segments;
    GPI_SEGMENTS_SET(segments);
    for (uint k = (uint)get_group_id(0); k < state[GPI_SORT_SEGMENTS_LARGE]; k += (uint)get_num_groups(0)) {
        __global gpi_large *large = segments.large + k;
        __global gpi_sort_cell *table = segments.table + (ulong)large->row * GPI_BINS;
        const uint rows = large->rows;
        GPI_EACH_BIN(d)
        {
            ulong sum = 0;
            for (uint r = 0; r < rows; r++) sum += table[(ulong)r * GPI_BINS + d];
            shared->next[d] = sum;
        }
        gpi_sync(); /* the columns' sums are complete */
        const bool trivial = gpi_bases_of(shared);
        if (GPI_LOCAL_ID == 0) {
            const uint from = large->from[pass % 2];
            large->from[1 - pass % 2] = trivial ? from : gpi_place_next(from, first_place);
        }
        GPI_EACH_BIN(d)
        {
            ulong sum = shared->next[d];
            for (uint r = 0; r < rows; r++) {
                const gpi_sort_cell x = table[(ulong)r * GPI_BINS + d];
                table[(ulong)r * GPI_BINS + d] = (gpi_sort_cell)sum;
                sum += x;
            }
        }
        gpi_sync(); /* the bases are read: the next segment's may overwrite them */
    }
}

/* Moves the keys of each row. In segments of at least `lines_from` keys, `lines` says which keys are moved through lines
   (GPI_LINES_..., sort/constants.cl). */
GPI_KERNEL void gp_segments_scatter(GPI_PLACES_PARAMETERS, GPI_DIGIT_PARAMETERS, GPI_SEGMENTS_PARAMETERS,
                                    uint pass, ulong span, uint first_place, ulong lines_from, uint lines)
{
    GPI_SHARED(gpi_scatter_memory, shared);
    gpi_segments segments;
    gpi_places places;
    gpi_digit digit;
    GPI_SEGMENTS_SET(segments);
    GPI_PLACES_SET(places);
    GPI_DIGIT_SET(digit);
    GPI_EACH_ROW(r, state)
    {
        const gpi_sort_row row = gpi_row_find(segments, r, span);
        const uint from = row.large->from[pass % 2];
        const uint to = gpi_row_bases(segments, row, r, pass, first_place, shared);
        const uint how = row.large->length >= lines_from ? lines : GPI_LINES_NEVER;
        if (from != to) {
            const gpi_places own = gpi_segment_places(places, row.large->begin);
            gpi_move_range(gpi_move_make(own, from, to), row.begin, row.end, digit, how,
                           GPI_SCATTER_MOVE(shared));
        }
        gpi_sync(); /* all items have used `next` */
    }
}

GPI_KERNEL void gp_segments_copy(GPI_PLACES_PARAMETERS, GPI_SEGMENTS_PARAMETERS, uint passes, ulong span)
{
    gpi_segments segments;
    gpi_places places;
    GPI_SEGMENTS_SET(segments);
    GPI_PLACES_SET(places);
    GPI_EACH_ROW(r, state)
    {
        const gpi_sort_row row = gpi_row_find(segments, r, span);
        const uint from = row.large->from[passes % 2];
        const gpi_move move =
            gpi_move_make(gpi_segment_places(places, row.large->begin), from, GPI_PLACE_OUT);
        for (ulong i = row.begin + GPI_LOCAL_ID; i < row.end && from != GPI_PLACE_OUT; i += GPI_WG)
            gpi_move_one(move, i, i);
    }
}
#endif
