/* segments.cl - the segments of gp_segmented_reduce: where they are in the input, and the list of large ones.

   State, in uints: | rows | large segments | bad segments | unused |, then the list, with an entry | segment | first row | rows |
   unused | for each large segment, then for each row the index of its segment in the list. */
#ifndef GPI_SCAN_SEGMENTS_CL
#define GPI_SCAN_SEGMENTS_CL
#include "base/count.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "element/ops.cl"
#include "scan/constants.cl"
#include "scan/tile_input.cl"

#define GPI_NO_OWNER (~0u)

/* The state and the partials in the scratch, and how many large segments and rows they have room for. */
typedef struct gpi_list {
    volatile __global uint *state;
    __global uint *large, *owner;
    __global GPI_T *partials; /* of the rows */
    uint large_room, row_room;
} gpi_list;

#define GPI_LIST_PARAMETERS volatile __global uint *state, ulong partials_at, uint large_room, uint row_room
#define GPI_LIST_SET(list)                                                                             \
    (list).state = state;                                                                              \
    (list).large = (__global uint *)state + GPI_SEGMENTS_HEADER;                                       \
    (list).owner = (__global uint *)state + GPI_SEGMENTS_HEADER + (ulong)GPI_LARGE_WORDS * large_room; \
    (list).partials = (__global GPI_T *)((__global char *)state + partials_at);                        \
    (list).large_room = large_room;                                                                    \
    (list).row_room = row_room

/* The caller's offsets. Each is a number of `words` 32-bit words. */
typedef struct gpi_offsets {
    __global const uint *at;
    uint words;
    ulong count; /* of the input */
} gpi_offsets;

#define GPI_OFFSETS_PARAMETERS __global const uint *offsets, ulong offsets_at, uint offset_words, ulong count
#define GPI_OFFSETS_SET(o)                               \
    (o).at = offsets + offsets_at * (ulong)offset_words; \
    (o).words = offset_words;                            \
    (o).count = count

/* Returns the part of the input that is segment s. Sets *bad to whether the offsets of s are bad; then the result is empty. */
static gpi_input gpi_segment_of(gpi_input input, gpi_offsets offsets, ulong s, bool *bad)
{
    const ulong begin = gpi_number(offsets.at, s, offsets.words),
                end = gpi_number(offsets.at, s + 1, offsets.words);
    gpi_input segment = input;
    *bad = end < begin || end > offsets.count;
    segment.count = *bad ? 0 : end - begin;
    segment.in = input.in + (*bad ? 0 : begin);
    return segment;
}

static void gpi_segment_put(GPI_COMBINE_PARAMETER __global GPI_OUT *out, ulong s, GPI_BASE initial, GPI_T sum)
{
    GPI_WRITE(out, s, GPI_BASE_RESULT(gpi_base_combine(GPI_COMBINE_PASSED initial, sum)));
}

/* Enters segment s, of `length` elements, into the list. Returns false if there is no room, which happens only if bad offsets
   let segments overlap. */
static bool gpi_large_add(gpi_list list, ulong s, ulong length)
{
    const uint rows = (uint)((length + GPI_TILE - 1) / GPI_TILE);
    if (atomic_or(list.state + GPI_SEGMENTS_ROWS, 0u) >= list.row_room) return false;
    const uint k = atomic_inc(list.state + GPI_SEGMENTS_LARGE);
    if (k >= list.large_room) return false;
    const uint row = atomic_add(list.state + GPI_SEGMENTS_ROWS, rows);
    const bool fits = row <= list.row_room && rows <= list.row_room - row;
    list.large[GPI_LARGE_WORDS * k] = (uint)s;
    list.large[GPI_LARGE_WORDS * k + 1] = row;
    list.large[GPI_LARGE_WORDS * k + 2] = fits ? rows : 0;
    for (uint r = row; r < list.row_room && r - row < rows; r++) list.owner[r] = fits ? k : GPI_NO_OWNER;
    return fits;
}

static void gpi_bad_add(gpi_list list, volatile __global uint *counters)
{
    if (atomic_inc(list.state + GPI_SEGMENTS_BAD) == 0) (void)atomic_inc(counters + GPI_COUNT_BAD);
}
#endif
