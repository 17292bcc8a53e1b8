/* segments_state.cl - the state that the kernels of sort/segmented_sort.cl share.

   State, in uints: | rows | large segments | bad offsets | first bad one | segments | - |, 16 in all.

   Parameters
       GPI_CELL_WIDE   1: positions take 64 bits, 0: 32                                                   */
#ifndef GPI_SORT_SEGMENTS_STATE_CL
#define GPI_SORT_SEGMENTS_STATE_CL
#include "sort/digit.cl"

#ifndef GPI_CELL_WIDE
#error "GPI_CELL_WIDE must be defined"
#endif
#if GPI_CELL_WIDE
typedef ulong gpi_sort_cell;
#else
typedef uint gpi_sort_cell;
#endif

/* A large segment, for which the host reserves 32 bytes. from[p % 2] is the place that pass p reads. */
typedef struct gpi_large {
    ulong begin, length;
    uint row, rows, from[2];
} gpi_large;

/* The parts of the state buffer, which the host has laid out. */
typedef struct gpi_segments {
    gpi_state state;
    __global gpi_sort_cell *maxima; /* maximum of each block of offsets */
    __global gpi_sort_cell *bounds; /* P of sort/segmented_sort.cl */
    __global uint *first;           /* first segment that begins in or after each window of positions */
    __global gpi_large *large;
    __global uint *owner;          /* index of each row's large segment */
    __global gpi_sort_cell *table; /* an entry for each row and digit */
} gpi_segments;

#define GPI_SEGMENTS_PARAMETERS                                                                        \
    gpi_state state, ulong maxima_at, ulong bounds_at, ulong first_at, ulong large_at, ulong owner_at, \
        ulong table_at
#define GPI_SEGMENTS_SET(segments)                                     \
    (segments).state = state;                                          \
    (segments).maxima = (__global gpi_sort_cell *)(state + maxima_at); \
    (segments).bounds = (__global gpi_sort_cell *)(state + bounds_at); \
    (segments).first = (__global uint *)(state + first_at);            \
    (segments).large = (__global gpi_large *)(state + large_at);       \
    (segments).owner = (__global uint *)(state + owner_at);            \
    (segments).table = (__global gpi_sort_cell *)(state + table_at)

/* Returns the places of a segment that begins at `begin`. */
static gpi_places gpi_segment_places(gpi_places places, ulong begin)
{
#if GPI_VALUE_SIZE
    if (places.indices == GPI_INDICES_SEGMENT) places.origin = begin;
#else
    (void)begin;
#endif
    return places;
}

/* A row of the table: its keys are [begin, end), which belong to segment `large`. */
typedef struct gpi_sort_row {
    __global gpi_large *large;
    ulong begin, end;
} gpi_sort_row;

static gpi_sort_row gpi_row_find(gpi_segments segments, uint r, ulong span)
{
    gpi_sort_row row;
    row.large = segments.large + segments.owner[r];
    row.begin = row.large->begin + span * (r - row.large->row);
    row.end = min(row.begin + span, row.large->begin + row.large->length);
    return row;
}
#endif
