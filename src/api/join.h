#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"
#include "api/group_by.h"

/* ------------------------------------------------------------------ join */

/* Which pairs of a left and a right row a join has. */
typedef enum gp_join_kind {
    GP_JOIN_INNER = 0, /* those with equal keys */
    GP_JOIN_LEFT,      /* also each left row without a partner */
    GP_JOIN_FULL,      /* also each left and each right row without a partner */
    GP_JOIN_SEMI,      /* left rows that have a partner, once each; no right rows */
    GP_JOIN_ANTI,      /* left rows that have no partner; no right rows */
    GP_JOIN_KIND_COUNT /* no kind, but how many kinds there are */
} gp_join_kind;

/* all pairs (l, r) with the key of left row l equal to the key of right row r

       left keys     b d a          right keys    b a b c

                     inner    left       full          semi   anti
       left_out      0 0 2    0 0 1 2    0 0 1 2 -     0 2    1
       right_out     0 2 1    0 2 - 1    0 2 - 1 3

   Joins two tables by one or several key columns, as SQL's "join ... using" does. A key may occur any number of times
   in both tables. Two keys are equal if they are equal in all columns; -0 equals 0, and all NaNs are equal: for SQL's
   rule, that null equals nothing, leave out such rows (gp_select), or give them keys that the other table does not
   have. The columns of the result are gp_gather of the tables' columns by left_out and right_out. For a right join swap
   the tables.

   If the right table stays the same, gp_join_build makes it once, and gp_join with `table` uses it. Such a table is also a
   multimap, from a key to the right rows that have it: offsets_out and right_out are the rows of each key of `left`.

   Result: row numbers, U32, in left_out and right_out; in place of a partner that does not exist (- above) all bits are
     set, which gp_gather skips. The number of pairs in count_out, as GP_U64: give calls that take it count_type
     = GP_U64. If there are more pairs than `capacity`, the first ones are written, and count_out has the number of
     all. Without left_out and right_out the pairs are only counted. Elements beyond the last pair are not written.
     offsets_out[l] is where the pairs of left row l begin, whatever the capacity; its last number is where they end,
     and where those of right rows without a partner begin. The same result every time.
   Order: by left row, then by right row; a full join's right rows without a partner come last, in their order.
   Aliasing: outputs overlap nothing.
   Count 0: either table may be empty; its columns need types, but no buffers. Without pairs only count_out and
     offsets_out are written.
   Scratch: 16 bytes per left row. Per right row 12 to 24 bytes in semi and anti joins, 32 to 48 in others (with `table`
     none), and 20 more in full ones. 16 MiB from some 10^6 right rows on. 4 bytes per pair of `capacity` if one of left_out
     and right_out is NULL. On GPUs also that of gp_sort.
   Cost: the right rows are put into a hash table, so make the smaller table the right one. If a right key repeats,
     right rows are sorted by key. Each left row finds its key's rows in the hash table; then a scan of their numbers,
     and one write of each pair. Time is linear in rows and pairs, however keys repeat.
   Limits: 2^30 rows in each table, 8 columns.
   Errors: a string with bad offsets counts as empty; gp_stats.bad_offsets counts the call. On devices that end long
     loops too early (gp_device_info.loop_limit), a call with strings of more than some hundred bytes finds no pair:
     gp_stats.abandoned counts it, and gp_join_read returns GP_ERROR_UNSUPPORTED. A call whose `table` was not built for
     right columns of these types and this right_count finds no pair, either, whatever its kind: gp_stats.abandoned
     counts it, and gp_join_read returns GP_ERROR_INVALID_BUFFER. Whether the right columns' contents are still those
     of gp_join_build is not checked: if not, pairs are missing.
   Example: examples/09_group_by.c */
typedef struct gp_join_desc {
    const gp_key_column *left;  /* the left table's column_count key columns, read during the call */
    const gp_key_column *right; /* the right table's, in the same order and of the same types */
    size_t column_count;        /* 1 to GP_KEY_COLUMNS_MAX */
    gp_join_kind kind;
    cl_mem left_out; /* a left row per pair, with room for `capacity`; NULL: not wanted */
    size_t left_out_offset;
    cl_mem right_out; /* a right row per pair; NULL: not wanted, as in semi and anti joins */
    size_t right_out_offset;
    size_t capacity; /* pairs for which left_out and right_out have room; 0 without both */
    cl_mem
        offsets_out; /* where the pairs of each left row begin, GP_U64, left_count + 1 numbers; NULL: not wanted */
    size_t offsets_out_offset;
    cl_mem count_out; /* the number of pairs, GP_U64; NULL: not wanted */
    size_t count_out_offset;
    size_t left_count; /* rows of the left table; with left_count_buffer, its upper bound */
    cl_mem left_count_buffer;
    size_t left_count_offset;
    gp_type left_count_type;
    size_t right_count; /* of the right table */
    cl_mem right_count_buffer;
    size_t right_count_offset;
    gp_type right_count_type;
    cl_mem table;   /* the right table that gp_join_build has made; NULL: the call makes it */
    cl_mem scratch; /* gp_join_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_join_desc;

GP_API gp_result gp_join(gp_context *gp, const gp_join_desc *desc);

/* Writes the right table to `table`, a buffer of gp_join_table_size bytes: a hash table of its keys, and its rows in the order of
   keys. Of the desc it reads right, column_count, right_count with its buffer, kind, table, scratch and what to wait for; the rest may
   be 0. Joins with the table must be given the same right columns and right_count, in a context with the same device and
   tuning: they read the keys from the columns' buffers, which must not change. The table serves joins of all kinds. `kind` only
   decides which program is compiled: one for semi and anti joins, another for all others. */
GP_API gp_result gp_join_build(gp_context *gp, const gp_join_desc *desc);

/* Sets *bytes to the size of `table` for the right table of this desc, whose buffers may be NULL. The scratch that gp_join_build needs is no
   larger. */
GP_API gp_result gp_join_table_size(gp_context *gp, const gp_join_desc *desc, size_t *bytes);

/* Calls gp_join, blocks, and sets *count to the number of pairs. If outputs are given that have no room for all pairs, sets
   *count, and returns GP_ERROR_INVALID_BUFFER. */
GP_API gp_result gp_join_read(gp_context *gp, const gp_join_desc *desc, uint64_t *count);

/* Sets *bytes to the scratch that gp_join needs with this desc. Set left_out, right_out and table as in the call; other buffers may be
   NULL. */
GP_API gp_result gp_join_scratch_size(gp_context *gp, const gp_join_desc *desc, size_t *bytes);
