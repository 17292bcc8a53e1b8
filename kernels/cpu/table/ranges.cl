/* ranges.cl - distributes rows over ranges: number g is cell g / GPI_RANGES of range g % GPI_RANGES, so that a range's cells stay in
   a core's caches. Numbers are those of groups, or of rows.

       gp_ranges_count     work-group per span of rows: counts the rows of each range
       gp_ranges_place     one work-group: where each span's rows of each range begin in the list
       gp_ranges_list      work-group per span of rows: lists rows and cells, range by range, in the order of rows */
#ifndef GPI_TABLE_RANGES_CL
#define GPI_TABLE_RANGES_CL
#include "base/platform.cl"
#include "base/span.cl"
#include "table/constants.cl"

/* Counts a span's rows of each range, unless the state says that no list is needed. `places` has GPI_RANGES numbers for each span. */
GPI_KERNEL void gp_ranges_count(__global const uint *group_of, ulong group_of_at, __global const uint *state,
                                ulong state_at, __global uint *places, ulong places_at, ulong span)
{
    uint count[GPI_RANGES];
    ulong begin, end;
    if (state[state_at + GPI_ROWS_MANY] == 0) return;
    gpi_span(state[state_at + GPI_ROWS_COUNT], span, &begin, &end);
    group_of += group_of_at;
    for (uint r = 0; r < GPI_RANGES; r++) count[r] = 0;
    for (ulong i = begin; i < end; i++) count[group_of[i] % GPI_RANGES]++;
    places += places_at + GPI_RANGES * get_group_id(0);
    for (uint r = 0; r < GPI_RANGES; r++) places[r] = count[r];
}

/* Replaces the counts of `spans` spans by where these rows begin in the list. One span more gets where ranges end. */
GPI_KERNEL void gp_ranges_place(__global const uint *state, ulong state_at, __global uint *places,
                                ulong places_at, uint spans)
{
    uint at = 0;
    if (state[state_at + GPI_ROWS_MANY] == 0) return;
    places += places_at;
    for (uint r = 0; r < GPI_RANGES; r++) {
        for (uint s = 0; s < spans; s++) {
            const uint count = places[s * GPI_RANGES + r];
            places[s * GPI_RANGES + r] = at;
            at += count;
        }
        places[spans * GPI_RANGES + r] = at;
    }
}

/* Lists a span's rows: each with the number of its group's cell. */
GPI_KERNEL void gp_ranges_list(__global const uint *group_of, ulong group_of_at, __global const uint *state,
                               ulong state_at, __global const uint *places, ulong places_at,
                               __global uint2 *list, ulong list_at, ulong span)
{
    uint at[GPI_RANGES];
    ulong begin, end;
    if (state[state_at + GPI_ROWS_MANY] == 0) return;
    gpi_span(state[state_at + GPI_ROWS_COUNT], span, &begin, &end);
    group_of += group_of_at;
    places += places_at + GPI_RANGES * get_group_id(0);
    list += list_at;
    for (uint r = 0; r < GPI_RANGES; r++) at[r] = places[r];
    for (ulong i = begin; i < end; i++) {
        const uint g = group_of[i];
        list[at[g % GPI_RANGES]++] = (uint2)((uint)i, g / GPI_RANGES);
    }
}
#endif
