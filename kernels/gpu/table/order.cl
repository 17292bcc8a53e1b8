/* order.cl - finds the rows of each key of a right table (table/join.cl), whose rows the host has sorted by the first row of their
   key. */
#ifndef GPI_TABLE_ORDER_CL
#define GPI_TABLE_ORDER_CL
#include "base/platform.cl"
#include "base/span.cl"
#include "table/constants.cl"

/* Returns the number of the run of the key whose first row is `first`. */
static ulong gpi_run_of(uint first, ulong most)
{
    (void)most;
    return first;
}

/* Writes where each key's run begins and ends. `firsts` has the first row with the key of each row, sorted. */
GPI_KERNEL void gp_join_runs(__global const uint *firsts, ulong firsts_at, __global const uint *state,
                             ulong state_at, __global uint2 *runs, ulong runs_at, ulong span)
{
    const ulong n = state[state_at + GPI_ROWS_MANY];
    __global uint *ends = (__global uint *)(runs + runs_at);
    ulong begin, end;
    gpi_span(n, span, &begin, &end);
    firsts += firsts_at;
    for (ulong i = begin + GPI_LOCAL_ID; i < end; i += GPI_WG) {
        const uint first = firsts[i];
        if (i == 0 || firsts[i - 1] != first) ends[2 * (ulong)first] = (uint)i;
        if (i + 1 == n || firsts[i + 1] != first) ends[2 * (ulong)first + 1] = (uint)i + 1;
    }
}
#endif
