/* constants.cl - constants that the host and kernels share: hash tables of rows (table/rows.cl). */
#ifndef GPI_TABLE_CONSTANTS_CL
#define GPI_TABLE_CONSTANTS_CL

#define GPI_ROWS_TABLES \
    4 /* the most tables that are tried, one after the other, each larger than the one before */
#define GPI_ROWS_EMPTY 0xffffffffu /* a slot without a row */
#define GPI_ROWS_PROBES 256        /* slots searched for a row before the table counts as too small */

/* The state, in uints. */
#define GPI_ROWS_SMALL 0  /* number of tables that were too small */
#define GPI_ROWS_GROUPS 1 /* number of groups of rows */
#define GPI_ROWS_COUNT 2  /* number of rows */
#define GPI_ROWS_MANY 3 /* number of groups if they are too many for cells (table/group_results.cl); else 0 */
#define GPI_ROWS_STATE 4

#define GPI_RANGES 256 /* groups are distributed over as many ranges (table/group_results.cl) */
#endif
