/* fetch.cl - computes the hashes of a block of rows, and fetches what a search in a hash table of rows (table/rows.cl) reads first. */
#ifndef GPI_TABLE_FETCH_CL
#define GPI_TABLE_FETCH_CL
#include "base/platform.cl"
#include "table/keys.cl"
#include "table/rows.cl"

#define GPI_ROWS_BLOCK 16 /* rows of a block */

/* Computes the hashes of a block's rows. If `fetches`, fetches the slots where their searches begin. */
GPI_NOINLINE void gpi_rows_hash(gpi_rows t, gpi_key_columns columns, ulong first, ulong end, bool fetches,
                                __private ulong *hash)
{
    const uint n = first < end ? (uint)min((ulong)GPI_ROWS_BLOCK, end - first) : 0;
    for (uint k = 0; k < n; k++) hash[k] = gpi_row_hash(columns, first + k);
    if (fetches)
        for (uint k = 0; k < n; k++) GPI_PREFETCH_READ(t.slots + gpi_rows_home(t, hash[k]));
}

/* Fetches the keys with which a block's rows will be compared first. */
GPI_INLINE void gpi_rows_fetch(gpi_rows t, gpi_key_columns columns, ulong first, ulong end,
                               __private const ulong *hash)
{
    for (uint k = 0; k < GPI_ROWS_BLOCK && first + k < end; k++) {
        const uint seen = gpi_slot_load(t.slots + gpi_rows_home(t, hash[k]));
        gpi_row_prefetch(columns, seen & t.row_mask);
    }
}
#endif
