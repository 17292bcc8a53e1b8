/* find_span.cl - a work-group finds the partners of a span of rows. Neighbouring items handle neighbouring rows. */
#ifndef GPI_TABLE_FIND_SPAN_CL
#define GPI_TABLE_FIND_SPAN_CL
#include "base/platform.cl"
#include "table/joined.cl"
#include "table/keys.cl"
#include "table/rows.cl"

/* Finds the partners of the left rows [first, end). */
static void gpi_join_find_span(gpi_join j, ulong first, ulong end)
{
    for (ulong i = first + GPI_LOCAL_ID; i < end; i += GPI_WG)
        gpi_join_put(j, i, gpi_rows_find(j.table, j.left, i, gpi_row_hash(j.left, i), j.right));
}
#endif
