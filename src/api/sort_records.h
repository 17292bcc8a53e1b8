#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ sort of records */

enum { GP_SORT_COLUMNS_MAX = 8 };

/* One column of a sort's key. */
typedef struct gp_sort_column {
    const char *map; /* expression in x and i: the key of record x, at index i; NULL: x itself, a number */
    gp_type type;    /* the type to which the map's value is converted, and as which it is compared */
    bool descending;
} gp_sort_column;

/* out[i] = the record that comes i-th by columns[0]; if equal there, by columns[1]; and so on
   indices_out[i] = its index in `in`, from 0 on

   Sorts records of any size by their fields, or by expressions of them:

       const gp_sort_column columns[] = {{.map = "x.level", .type = GP_U8, .descending = true},
                                         {.map = "x.name[0] | (ulong)x.name[1] << 32", .type = GP_U64}};

   A key of 128 bits is two columns of GP_U64, the high half first. Without an input (`in` NULL, `type` 0,
   `record` NULL) keys are expressions of i and of `args`, so that columns can be buffers of their own: {.map
   = "age[i]", .type = GP_U16}.

   Result: records, their indices, or both. With indices_out and without `out` records are not moved.
   Order: each column is ordered as by gp_sort: integers by value; floats by a total order, -NaN before -inf,
     -0 before +0, +NaN last; `descending` reverses it. Stable: records whose columns are all equal keep their
     input order. The same result every time, on every device.
   Aliasing: in place, with `out` the same elements as `in`, or with both outputs NULL; or no overlap, and the
     input keeps its contents. Outputs are read, too. The number in count_buffer lies outside of what the call
     writes.
   Count 0: does nothing.
   Scratch: that of a gp_sort of pairs, which is two keys and two indices per record (two records in place of
     two indices if records move with their keys). A gather in place also needs a copy of the records.
   Cost: columns that have 64 bits together, from the last one on, are one key. A launch reads the records and
     writes their keys, then a gp_sort sorts (key, index) pairs. Each further key reads the records in the
     order so far. At the end one launch gathers the records. If there is a single key and no indices_out,
     records of 1, 2, 4 and 8 bytes move with their keys instead, and so do records of 16 bytes if the key has
     at most 16 bits. Each key has a program of its own; another `descending`, or other values of args,
     compile nothing.
   Limits: records of GP_RECORD_BYTES; GP_SORT_COLUMNS_MAX columns; memory; 2^32 - 1 records if index_type is
     GP_U32. */
typedef struct gp_sort_records_desc {
    cl_mem in; /* `count` elements of `type`; NULL and type 0: no input */
    size_t in_offset;
    gp_type type;
    const gp_record *record; /* instead of type */
    cl_mem out;              /* NULL: in place; with indices_out: not wanted */
    size_t out_offset;
    cl_mem indices_out; /* NULL: not wanted */
    size_t indices_out_offset;
    gp_type index_type;            /* GP_U32 (also 0) or GP_U64 */
    const gp_sort_column *columns; /* the columns, the most significant one first */
    size_t column_count;           /* at most GP_SORT_COLUMNS_MAX */
    const gp_arg *args;            /* values and buffers that expressions name; NULL: none */
    size_t arg_count;              /* at most GP_ARGS_MAX */
    size_t count;                  /* number of records; with count_buffer, its upper bound */
    cl_mem count_buffer;           /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_strategy strategy;
    cl_mem scratch; /* gp_sort_records_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_sort_records_desc;

GP_API gp_result gp_sort_records(gp_context *gp, const gp_sort_records_desc *desc);

/* Sets *bytes to the scratch that gp_sort_records needs with this desc, which can be 0. Buffers matter in two
   ways: which of them are NULL, and whether `out` differs from `in`. */
GP_API gp_result gp_sort_records_scratch_size(gp_context *gp, const gp_sort_records_desc *desc,
                                              size_t *bytes);
