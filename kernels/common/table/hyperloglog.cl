/* hyperloglog.cl - registers from which the number of distinct keys is estimated: the first bits of a key's hash choose a register, which keeps
   the largest position of the first 1 among the hash's other bits.

   Parameters: those of table/keys.cl. */
#ifndef GPI_TABLE_HYPERLOGLOG_CL
#define GPI_TABLE_HYPERLOGLOG_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "base/span.cl"
#include "table/keys.cl"
#include "table/row_checks.cl"
#include "table/rows.cl"

/* Adds the keys of all rows to 2^precision registers. */
GPI_KERNEL void gp_hyperloglog_put(GPI_COLUMNS_PARAMETERS(columns), volatile __global uint *registers,
                                   ulong registers_at, uint precision, ulong longest, ulong span,
                                   GPI_COUNT_PARAMETERS, uint call, volatile __global uint *counters)
{
    ulong begin, end;
    gpi_key_columns columns;
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    gpi_span(gpi_count(bound, wanted, wanted_offset, wanted_words), span, &begin, &end);
    GPI_COLUMNS_SET(columns);
    gpi_rows_count_strings(columns, begin, end, longest, call, counters);
    registers += registers_at;
    for (ulong i = begin + GPI_LOCAL_ID; i < end; i += GPI_WG) {
        const ulong hash = gpi_row_hash(columns, i);
        const uint rank = (uint)clz(hash << precision | 1ul << (precision - 1)) + 1;
        volatile __global uint *to = registers + (hash >> (64 - precision));
        if (gpi_slot_load(to) < rank) (void)atomic_max(to, rank);
    }
}
#endif
