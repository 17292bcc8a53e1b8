/* segments.cl - segments of an array, given by offsets or as rows of one length, and a list of the large segments.

       by offsets   segment s is [offsets[s], offsets[s+1])
       rows         segment s is [s * row_stride, s * row_stride + row_length)

   A segment is bad if its offsets decrease or exceed the array's count. It is reported, and treated as empty. A large segment is
   cut into parts, so that several groups share it.

   State, in uints:

       | parts | large segments | bad segments | ticket | list | owners |
       list      for each large segment: | segment | first part | parts | unused |
       owners    for each part: the index of its segment in the list              */
#ifndef GPI_BASE_SEGMENTS_CL
#define GPI_BASE_SEGMENTS_CL
#include "base/constants.cl"
#include "base/count.cl"
#include "base/platform.cl"

/* ------------------------------------------------------------------ segments */

/* The positions of segments. `words`: 32-bit words of an offset; 0: segments are rows. */
typedef struct gpi_offsets {
    __global const uint *at;
    uint words;
    ulong row_length, row_stride;
    ulong count; /* elements of the array */
} gpi_offsets;

#define GPI_OFFSETS_PARAMETERS                                                                             \
    __global const uint *offsets, ulong offsets_at, uint offset_words, ulong row_length, ulong row_stride, \
        ulong count
#define GPI_OFFSETS_SET(o)                               \
    (o).at = offsets + offsets_at * (ulong)offset_words; \
    (o).words = offset_words;                            \
    (o).row_length = row_length;                         \
    (o).row_stride = row_stride;                         \
    (o).count = count

/* Returns offset i, or the position at which row i begins. */
static ulong gpi_offset(gpi_offsets offsets, ulong i)
{
    return offsets.words ? gpi_number(offsets.at, i, offsets.words) : i * offsets.row_stride;
}

typedef struct gpi_extent {
    ulong begin, length;
    bool bad;
} gpi_extent;

/* Returns segment s. If it is bad, begin and length are 0. */
static gpi_extent gpi_segment_find(gpi_offsets offsets, ulong s)
{
    const ulong begin = gpi_offset(offsets, s);
    const ulong end = offsets.words ? gpi_offset(offsets, s + 1) : begin + offsets.row_length;
    gpi_extent segment;
    segment.bad = end < begin || end > offsets.count;
    segment.begin = segment.bad ? 0 : begin;
    segment.length = segment.bad ? 0 : end - begin;
    return segment;
}

/* ------------------------------------------------------------------ large segments */

#define GPI_NO_OWNER (~0u)

/* The list of large segments and the results of the parts, both in the scratch. There is room for large_room segments
   and part_room parts. */
typedef struct gpi_list {
    volatile __global uint *state;
    __global uint *large, *owner;
    __global char *partials;
    uint large_room, part_room;
} gpi_list;

#define GPI_LIST_PARAMETERS volatile __global uint *state, ulong partials_at, uint large_room, uint part_room
#define GPI_LIST_SET(list)                                                                             \
    (list).state = state;                                                                              \
    (list).large = (__global uint *)state + GPI_SEGMENTS_HEADER;                                       \
    (list).owner = (__global uint *)state + GPI_SEGMENTS_HEADER + (ulong)GPI_LARGE_WORDS * large_room; \
    (list).partials = (__global char *)state + partials_at;                                            \
    (list).large_room = large_room;                                                                    \
    (list).part_room = part_room

/* Enters segment s, of `length` elements, into the list, with parts of `span` elements. Returns false if there is no room, which
   happens only if bad offsets let segments overlap. */
static bool gpi_large_add(gpi_list list, ulong s, ulong length, ulong span)
{
    const uint parts = (uint)((length + span - 1) / span);
    if (atomic_or(list.state + GPI_SEGMENTS_PARTS, 0u) >= list.part_room) return false;
    const uint k = atomic_inc(list.state + GPI_SEGMENTS_LARGE);
    if (k >= list.large_room) return false;
    const uint first = atomic_add(list.state + GPI_SEGMENTS_PARTS, parts);
    const bool fits = first <= list.part_room && parts <= list.part_room - first;
    list.large[GPI_LARGE_WORDS * k] = (uint)s;
    list.large[GPI_LARGE_WORDS * k + 1] = first;
    list.large[GPI_LARGE_WORDS * k + 2] = fits ? parts : 0;
    for (uint p = first; p < list.part_room && p - first < parts; p++)
        list.owner[p] = fits ? k : GPI_NO_OWNER;
    return fits;
}

/* gpi_list_parts returns the number of parts in the list, gpi_list_large the number of large segments. */
static uint gpi_list_parts(gpi_list list)
{
    return min(list.part_room, atomic_or(list.state + GPI_SEGMENTS_PARTS, 0u));
}

static uint gpi_list_large(gpi_list list)
{
    return min(list.large_room, atomic_or(list.state + GPI_SEGMENTS_LARGE, 0u));
}

/* Returns the elements of part p, as a segment. The part is empty if its segment found no room in the list. Sets *from
   to the part's first position within its segment. */
static gpi_extent gpi_part_find(gpi_list list, gpi_offsets offsets, uint p, ulong span, ulong *from)
{
    const uint owner = list.owner[p], k = owner == GPI_NO_OWNER ? 0 : owner;
    gpi_extent part = gpi_segment_find(offsets, list.large[GPI_LARGE_WORDS * k]);
    *from = (ulong)(p - list.large[GPI_LARGE_WORDS * k + 1]) * span;
    part.length = owner == GPI_NO_OWNER || *from >= part.length ? 0 : min(span, part.length - *from);
    part.begin += part.length ? *from : 0;
    return part;
}

static void gpi_bad_add(gpi_list list, volatile __global uint *counters)
{
    if (atomic_inc(list.state + GPI_SEGMENTS_BAD) == 0) (void)atomic_inc(counters + GPI_COUNT_BAD);
}
#endif
