/* put_span.cl - a work-group puts a span of rows into a hash table of rows (table/rows.cl). An item handles one row at
   a time, and neighbouring items handle neighbouring rows. */
#ifndef GPI_TABLE_PUT_SPAN_CL
#define GPI_TABLE_PUT_SPAN_CL
#include "base/platform.cl"
#include "table/keys.cl"
#include "table/rows.cl"

/* Puts rows [first, end), and writes their slots, counted from `base`. Stops as soon as *too_small, the number of tables
   that were too small, is not `table`. Returns whether the table was too small for a row of this item. */
static bool gpi_rows_put_span(gpi_rows t, gpi_key_columns columns, ulong first, ulong end,
                              __global uint *slot_of, uint base, volatile __global uint *too_small,
                              uint table)
{
    for (ulong i = first + get_local_id(0); i < end; i += GPI_WG) {
        if (gpi_slot_load(too_small) != table) return false;
        const uint slot = gpi_rows_put(t, columns, i, gpi_row_hash(columns, i));
        if (slot == GPI_ROWS_NONE) return true;
        slot_of[i] = base + slot;
    }
    return false;
}
#endif
