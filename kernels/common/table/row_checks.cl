/* row_checks.cl - checks the strings of rows. */
#ifndef GPI_TABLE_ROW_CHECKS_CL
#define GPI_TABLE_ROW_CHECKS_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "table/keys.cl"

/* Counts the call, number `call`, once if strings of rows [begin, end) have bad offsets. Returns whether this item finds a string of more than
   `longest` bytes. */
static bool gpi_rows_check_strings(gpi_key_columns columns, ulong begin, ulong end, ulong longest, uint call,
                                   volatile __global uint *counters)
{
    bool has_long = false;
    if (gpi_columns_are_bad(columns, begin, end, longest, &has_long) &&
        atomic_xchg(counters + GPI_COUNT_BAD_CALL, call) != call)
        (void)atomic_inc(counters + GPI_COUNT_BAD);
    return has_long;
}

/* Checks as gpi_rows_check_strings does, and counts the call as abandoned, once, if a string is too long. */
static void gpi_rows_count_strings(gpi_key_columns columns, ulong begin, ulong end, ulong longest, uint call,
                                   volatile __global uint *counters)
{
    if (gpi_rows_check_strings(columns, begin, end, longest, call, counters) &&
        atomic_xchg(counters + GPI_COUNT_LONG_CALL, call) != call)
        (void)atomic_inc(counters + GPI_COUNT_ABANDONED);
}
#endif
