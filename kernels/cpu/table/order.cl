/* order.cl - lists the rows of each key of a right table (table/join.cl): those of a range of keys next to each other, in the order of
   rows for each key. */
#ifndef GPI_TABLE_ORDER_CL
#define GPI_TABLE_ORDER_CL
#include "base/platform.cl"
#include "table/ranges.cl"

/* Returns the number of the run of the key whose first row is `first`. A range has at most `most` keys. */
static ulong gpi_run_of(uint first, ulong most) { return first % GPI_RANGES * most + first / GPI_RANGES; }

/* Orders the rows of some ranges by key, and writes where each key's run begins and ends. Each work-group has `most` cells. `ends`:
   where ranges end in the list. */
GPI_KERNEL void gp_ranges_order(__global const uint *state, ulong state_at, __global const uint *ends,
                                ulong ends_at, __global const uint2 *list, ulong list_at,
                                __global uint *cells, ulong cells_at, __global uint2 *runs, ulong runs_at,
                                __global uint *order, ulong order_at, ulong most)
{
    __global uint *cell = cells + cells_at + most * get_group_id(0);
    const uint rows = state[state_at + GPI_ROWS_MANY];
    if (rows == 0) return;
    ends += ends_at;
    list += list_at;
    order += order_at;
    for (uint r = (uint)get_group_id(0); r < GPI_RANGES; r += (uint)get_num_groups(0)) {
        const uint width = (rows + GPI_RANGES - 1 - r) / GPI_RANGES, first = r ? ends[r - 1] : 0;
        uint begin = first;
        for (uint k = 0; k < width; k++) cell[k] = 0;
        for (uint p = first; p < ends[r]; p++) cell[list[p].y]++;
        for (uint k = 0; k < width; k++) {
            const uint end = begin + cell[k];
            runs[runs_at + r * most + k] = (uint2)(begin, end);
            cell[k] = begin;
            begin = end;
        }
        for (uint p = first; p < ends[r]; p++) order[cell[list[p].y]++] = list[p].x;
    }
}
#endif
