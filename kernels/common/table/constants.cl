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
/* Number of groups if they are too many for cells (table/group_results.cl); number of rows of a right table in which a key repeats
   (table/join.cl). 0: rows need not be listed or sorted. */
#define GPI_ROWS_MANY 3
#define GPI_ROWS_BASE 4 /* first slot of the table that was large enough */
#define GPI_ROWS_SIZE 5 /* its number of slots */
#define GPI_ROWS_MARK 6 /* of a right table (table/join.cl): what it was built for */
#define GPI_ROWS_SEED 7 /* two uints: the seed of its hashes */
#define GPI_ROWS_STATE 9

#define GPI_RANGES 256 /* rows are distributed over as many ranges (table/ranges.cl) */

/* Kinds of joins: values of gp_join_kind. */
#define GPI_JOIN_LEFT 1
#define GPI_JOIN_FULL 2
#define GPI_JOIN_SEMI 3
#define GPI_JOIN_ANTI 4
#endif
