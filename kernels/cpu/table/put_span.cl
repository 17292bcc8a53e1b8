/* put_span.cl - one item puts a span of rows into a hash table of rows (table/rows.cl).

   It handles the rows in blocks. While it puts the rows of one block, it prefetches for later blocks: for the next
   block the keys of the rows in its first slots, and for the block after that the first slots. */
#ifndef GPI_TABLE_PUT_SPAN_CL
#define GPI_TABLE_PUT_SPAN_CL
#include "base/platform.cl"
#include "table/fetch.cl"
#include "table/keys.cl"
#include "table/rows.cl"

#define GPI_ROWS_FEW 8           /* slots that are searched without a call */
#define GPI_ROWS_NEAR (1u << 12) /* slots that stay in a core's caches */

/* Puts the rows of a block, and writes their slots, counted from `base`. Returns false if the table was too small. */
GPI_NOINLINE bool gpi_rows_put_block(gpi_rows t, gpi_key_columns columns, ulong first, ulong end,
                                     __private const ulong *hash, __global uint *slot_of, uint base)
{
    for (uint k = 0; k < GPI_ROWS_BLOCK && first + k < end; k++) {
        const ulong i = first + k;
        uint slot = gpi_rows_home(t, hash[k]), seen = gpi_slot_load(t.slots + slot);
        for (uint probe = 1;
             !gpi_rows_may_be(t, seen, hash[k]) && seen != GPI_ROWS_EMPTY && probe < GPI_ROWS_FEW; probe++) {
            slot = slot + 1 < t.size ? slot + 1 : 0;
            seen = gpi_slot_load(t.slots + slot);
        }
        if ((seen & t.row_mask) > i || !gpi_rows_equal(columns, i, columns, seen & t.row_mask))
            slot = gpi_rows_put(t, columns, i, hash[k]);
        if (slot == GPI_ROWS_NONE) return false;
        slot_of[i] = base + slot;
    }
    return true;
}

/* Puts rows [first, end), and writes their slots, counted from `base`. Stops as soon as *too_small, the number of tables
   that were too small, is not `table`. Returns whether the table was too small. */
GPI_NOINLINE bool gpi_rows_put_span(gpi_rows t, gpi_key_columns columns, ulong first, ulong end,
                                    __global uint *slot_of, uint base, volatile __global uint *too_small,
                                    uint table)
{
    ulong hash[3][GPI_ROWS_BLOCK];
    if (t.size <= GPI_ROWS_NEAR) {
        for (; first < end; first += GPI_ROWS_BLOCK) {
            if (gpi_slot_load(too_small) != table) return false;
            gpi_rows_hash(t, columns, first, end, false, hash[0]);
            if (!gpi_rows_put_block(t, columns, first, end, hash[0], slot_of, base)) return true;
        }
        return false;
    }
    uint now = 0;
    gpi_rows_hash(t, columns, first, end, true, hash[0]);
    gpi_rows_hash(t, columns, first + GPI_ROWS_BLOCK, end, true, hash[1]);
    for (; first < end; first += GPI_ROWS_BLOCK) {
        const uint next = now == 2 ? 0 : now + 1, after = next == 2 ? 0 : next + 1;
        if (gpi_slot_load(too_small) != table) return false;
        gpi_rows_hash(t, columns, first + 2 * GPI_ROWS_BLOCK, end, true, hash[after]);
        gpi_rows_fetch(t, columns, first + GPI_ROWS_BLOCK, end, hash[next]);
        if (!gpi_rows_put_block(t, columns, first, end, hash[now], slot_of, base)) return true;
        now = next;
    }
    return false;
}
#endif
