#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ group by */

/* A column of keys: numbers, records or strings, one for each row. */
typedef struct gp_key_column {
    cl_mem in; /* `count` numbers or records; strings: their bytes */
    size_t in_offset;
    gp_type type; /* of numbers. -0 and 0 are equal, and so are all NaNs */
    size_t
        element_size; /* instead of type: bytes of a record, 1 to 64, all of which are compared, padding too */
    /* strings, instead of both: string i is the bytes from offsets[i] up to offsets[i + 1], counted from in_offset */
    cl_mem offsets; /* count + 1 numbers; NULL: no strings */
    size_t offsets_offset;
    gp_type offsets_type; /* GP_U32 or GP_U64 */
    size_t byte_count;    /* bytes of all strings: no offset is larger */
} gp_key_column;

/* A result for each group: out[g] = op of map(i) over the rows i of group g. */
typedef struct gp_group_result {
    /* A gp_op, or GP_COUNT (number of rows), GP_MEAN, GP_VARIANCE (mean squared distance from the mean), GP_FIRST or
       GP_LAST (value of the first or last row). GP_ARGMIN and GP_ARGMAX give a row's number. */
    gp_op op;
    const char *map;   /* expression in i, the row, and args: "price[i] * quantity[i]"; NULL for GP_COUNT */
    gp_type map_type;  /* the map's value is converted to this type: GP_F64 for sums in double */
    const char *where; /* expression in i: only rows for which it is not 0 count; NULL: all rows */
    cl_mem out;        /* one result for each group, with room for `count` */
    size_t out_offset;
    /* 0: for sums and products of integers 64 bits; GP_U64 for argmin and argmax, GP_U32 for GP_COUNT; for means and
       variances GP_F32 unless map_type is GP_F64; else map_type. Not GP_F16 */
    gp_type out_type;
} gp_group_result;

enum { GP_KEY_COLUMNS_MAX = 8, GP_GROUP_RESULTS_MAX = 32 };

/* groups_out[i] = the group of row i: groups are numbered in the order of their first rows

       keys          b a b c a b
       groups_out    0 1 0 2 1 0
       rows_out      0 1 3              the first row of each group
       order_out     0 2 5  1 4  3      the rows of each group
       offsets_out   0      3    5  6   where each group begins in order_out
       a count       3 2 1              results, one for each group

   Groups the rows of a table by key, and reduces each group to any number of results, as SQL's "group by" does.
   Two rows are in one group if they are equal in all columns; -0 equals 0, and all NaNs are equal. Keys need not be
   sorted. The keys of the groups are those of rows_out (gp_gather). Without results the call does what others call
   factorize, distinct, or unique with an inverse. Other reductions of groups, by a monoid for example: pass
   order_out as `in` and offsets_out as `offsets` to gp_segmented_reduce, with a map that reads the row x of a column.

   Result: groups_out, rows_out, order_out, offsets_out and count_out have numbers of U32. Every output may be NULL,
     but not all of them, except in gp_group_by_read. Elements beyond the last row, group or offset are not written.
     The same result every time, floats bit for bit. Where no row of a group counts, a result is the operation's
     identity, such as infinity for the minimum of floats; for argmin and argmax all bits are set; for means and
     variances it is NaN, for first and last 0. Sums of floats are computed in out_type: take GP_F64 for large groups.
     Means and variances are computed in f64 if the device has it.
   Order: order_out lists the rows of a group in ascending order.
   Aliasing: outputs overlap nothing.
   Count 0: writes 0 to count_out and to the only offset.
   Scratch: 8 to 12 bytes per row, 16 MiB if rows are many, and 4 bytes more per row for groups_out or rows_out that
     are NULL but needed. For order_out or offsets_out also 8 bytes per row, and that of gp_sort; for results on CPUs
     8 to 24 bytes per row, on GPUs 12 and that of gp_sort.
   Cost: each row finds its key in a hash table with slots of 4 bytes, and compares it with that of one other row, or
     of a few. Then groups_out is read and written once; order_out is a sort of groups_out. Results read the columns
     in their maps once: in the order of rows on CPUs if groups are few, else group by group or nearly so. A program
     is compiled per list of types, and one for up to eight results.
   Limits: 2^30 rows, 8 columns, 32 results.
   Errors: a string that ends before it begins, or beyond byte_count, counts as empty, and nothing outside is read;
     gp_stats.bad_offsets counts the call. On devices that end long loops too early (gp_device_info.loop_limit), a
     call with strings of more than some hundred bytes finds no group: gp_stats.abandoned counts it, and
     gp_group_by_read returns GP_ERROR_UNSUPPORTED.
   Example: examples/16_csv.c, examples/21_group_by.c */
typedef struct gp_group_by_desc {
    const gp_key_column *columns; /* column_count columns, read during the call */
    size_t column_count;          /* 1 to GP_KEY_COLUMNS_MAX */
    cl_mem groups_out;            /* `count` numbers: the group of each row; NULL: not wanted */
    size_t groups_out_offset;
    cl_mem rows_out; /* the first row of each group, with room for `count`; NULL: not wanted */
    size_t rows_out_offset;
    cl_mem order_out; /* `count` numbers: the rows, group by group; NULL: not wanted */
    size_t order_out_offset;
    cl_mem offsets_out; /* one number per group and one more, with room for count + 1; NULL: not wanted */
    size_t offsets_out_offset;
    cl_mem count_out; /* the number of groups; NULL: not wanted */
    size_t count_out_offset;
    const gp_group_result *results; /* result_count results, read during the call; NULL: none */
    size_t result_count;            /* at most GP_GROUP_RESULTS_MAX */
    const gp_arg *args;             /* values and buffers that the results' expressions name; NULL: none */
    size_t arg_count;               /* at most GP_ARGS_MAX */
    size_t count;                   /* number of rows; with count_buffer, its upper bound */
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    cl_mem scratch; /* gp_group_by_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_group_by_desc;

GP_API gp_result gp_group_by(gp_context *gp, const gp_group_by_desc *desc);

/* Calls gp_group_by, blocks, and sets *count to the number of groups. */
GP_API gp_result gp_group_by_read(gp_context *gp, const gp_group_by_desc *desc, uint64_t *count);

/* Sets *bytes to the scratch that gp_group_by needs with this desc. Set each output that the call will have, to any buffer. */
GP_API gp_result gp_group_by_scratch_size(gp_context *gp, const gp_group_by_desc *desc, size_t *bytes);
