/* segment_parts.cl - the parts of large segments (base/segments.cl). Each is a tile of its segment. */
#ifndef GPI_SCAN_SEGMENT_PARTS_CL
#define GPI_SCAN_SEGMENT_PARTS_CL
#include "base/platform.cl"
#include "base/segments.cl"
#include "element/input.cl"

/* A part, as a tile of its segment. */
typedef struct gpi_segment_part {
    gpi_extent segment; /* empty if the segment found no room in the list */
    uint first;         /* the segment's first part */
    ulong base;         /* the part's first position in its segment */
} gpi_segment_part;

static gpi_segment_part gpi_part_of(gpi_list list, gpi_offsets offsets, uint p)
{
    const uint owner = list.owner[p], k = owner == GPI_NO_OWNER ? 0 : owner;
    gpi_segment_part part;
    part.segment = gpi_segment_find(offsets, list.large[GPI_LARGE_WORDS * k]);
    part.first = list.large[GPI_LARGE_WORDS * k + 1];
    part.base = (ulong)(p - part.first) * GPI_TILE;
    if (owner == GPI_NO_OWNER || part.base >= part.segment.length) part.segment.length = part.base = 0;
    return part;
}

/* Returns the part's segment, as an input. Positions are counted from the segment's first element. */
static gpi_input gpi_part_input(gpi_input input, gpi_segment_part part)
{
    gpi_input segment = input;
    segment.in = input.in + part.segment.begin;
    segment.count = part.segment.length;
    return segment;
}
#endif
