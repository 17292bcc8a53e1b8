/* row_checks.cl - counts calls whose strings have bad offsets, or are too long for the device. */
#ifndef GPI_TABLE_ROW_CHECKS_CL
#define GPI_TABLE_ROW_CHECKS_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "table/keys.cl"

/* Counts the call, number `call`, once: as one with bad offsets of strings, or as abandoned, if a string has more than `longest` bytes. */
static void gpi_rows_check_strings(gpi_key_columns columns, ulong begin, ulong end, ulong longest, uint call,
                                   volatile __global uint *counters)
{
    bool has_long = false;
    const bool bad = gpi_columns_are_bad(columns, begin, end, longest, &has_long);
    if (bad && atomic_xchg(counters + GPI_COUNT_BAD_CALL, call) != call)
        (void)atomic_inc(counters + GPI_COUNT_BAD);
    if (has_long && atomic_xchg(counters + GPI_COUNT_LONG_CALL, call) != call)
        (void)atomic_inc(counters + GPI_COUNT_ABANDONED);
}
#endif
