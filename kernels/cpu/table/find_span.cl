/* find_span.cl - one item finds the partners of a span of rows. While it finds those of one block, it fetches the right keys of the next
   block, and the slots of the block after that. */
#ifndef GPI_TABLE_FIND_SPAN_CL
#define GPI_TABLE_FIND_SPAN_CL
#include "base/platform.cl"
#include "table/fetch.cl"
#include "table/joined.cl"
#include "table/rows.cl"

/* Finds the partners of a block. */
GPI_NOINLINE void gpi_join_find_block(gpi_join j, ulong first, ulong end, __private const ulong *hash)
{
    const uint n = (uint)min((ulong)GPI_ROWS_BLOCK, end - first);
    uint found[GPI_ROWS_BLOCK];
    for (uint k = 0; k < n; k++) {
        found[k] = gpi_rows_find(j.table, j.left, first + k, hash[k], j.right);
        if (j.has_runs) GPI_PREFETCH_READ(j.runs + gpi_run_of(found[k], j.most));
    }
    for (uint k = 0; k < n; k++) gpi_join_put(j, first + k, found[k]);
}

/* Finds the partners of the left rows [first, end). */
GPI_NOINLINE void gpi_join_find_span(gpi_join j, ulong first, ulong end)
{
    ulong hash[3][GPI_ROWS_BLOCK];
    uint now = 0;
    gpi_rows_hash(j.table, j.left, first, end, true, hash[0]);
    gpi_rows_hash(j.table, j.left, first + GPI_ROWS_BLOCK, end, true, hash[1]);
    for (; first < end; first += GPI_ROWS_BLOCK) {
        const uint next = now == 2 ? 0 : now + 1, after = next == 2 ? 0 : next + 1;
        gpi_rows_hash(j.table, j.left, first + 2 * GPI_ROWS_BLOCK, end, true, hash[after]);
        gpi_rows_fetch(j.table, j.right, first + GPI_ROWS_BLOCK, end, hash[next]);
        gpi_join_find_block(j, first, end, hash[now]);
        now = next;
    }
}
#endif
