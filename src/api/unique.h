#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ unique, runs */

/* keys_out[r] = the first key of run r        values_out[r] = its value        indices_out[r] = its index

   Writes the first key of each run. A run is a range of neighbouring keys each of which equals the one before
   it. Keys need not be sorted, and keys of different runs may be equal. gp_unique_by_key moves a value with
   each key; gp_unique takes no values.
   Integers and bytes are compared by value, floats and halves as numbers: -0 equals +0, and NaN equals
   nothing. `equal` replaces this comparison: an expression in x and y, a key and the one before it, such as
   "fabs(x - y) < 1e-3f" or "x / 10 == y / 10". In `equal`, keys of key_size bytes are uchar, ushort, uint,
   ulong or uint4 ("all(x.xy == y.xy)" compares the first 8 of 16 bytes). Keys of type `record` may have any
   size, and require `equal`: "x.id == y.id".

   Result: keys, their indices, the number of runs, and with gp_unique_by_key values; at least one of these is
     required, with room for `count` elements. gp_unique_by_key requires values_out.
   Order: input order; stable. The same input gives the same result every time, on every device.
   Aliasing: outputs overlap nothing.
   Count 0: only count_out is written.
   Scratch: as for gp_select.
   Cost: a single pass reads once, and writes the first element of each run. Multi-pass reads the keys twice.
     One launch for up to one tile. Records of other sizes than 1, 2, 4, 8 and 16 bytes cost as in gp_select.
   Limits: 2^31 - 1 tiles; 2^32 - 1 elements with indices or counts of GP_U32. Checked.
   Source: as for gp_select. */
typedef struct gp_unique_desc {
    cl_mem keys;
    size_t keys_offset; /* in elements, as all offsets */
    cl_mem keys_out;    /* NULL: not wanted */
    size_t keys_out_offset;
    cl_mem values; /* only for gp_unique_by_key */
    size_t values_offset;
    cl_mem values_out; /* only for gp_unique_by_key */
    size_t values_out_offset;
    cl_mem indices_out; /* NULL: not wanted */
    size_t indices_out_offset;
    gp_type index_type; /* GP_U32 (also 0) or GP_U64 */
    cl_mem count_out;   /* the number of runs; NULL: not wanted */
    size_t count_out_offset;
    gp_type count_out_type; /* GP_U32 (also 0) or GP_U64 */
    size_t count;           /* number of elements; with count_buffer, its upper bound */
    cl_mem count_buffer;    /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type key_type;        /* set key_type or key_size */
    size_t key_size;         /* bytes of a key: 1, 2, 4, 8, 16 */
    const gp_record *record; /* instead of both: the type of keys in `equal` */
    size_t value_size;       /* bytes of a value, only for gp_unique_by_key: 1, 2, 4, 8, 16 */
    const char *equal;       /* NULL: x == y; required for records */
    const gp_arg *args;      /* values and buffers that expressions name; NULL: none */
    size_t arg_count;        /* at most GP_ARGS_MAX */
    gp_strategy strategy;
    cl_mem scratch; /* gp_unique_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_unique_desc;

GP_API gp_result gp_unique(gp_context *gp, const gp_unique_desc *desc);
GP_API gp_result gp_unique_by_key(gp_context *gp, const gp_unique_desc *desc);

/* Call gp_unique or gp_unique_by_key, block, and set *count to the number of runs. */
GP_API gp_result gp_unique_read(gp_context *gp, const gp_unique_desc *desc, uint64_t *count);
GP_API gp_result gp_unique_by_key_read(gp_context *gp, const gp_unique_desc *desc, uint64_t *count);

/* Sets *bytes to the scratch that either call needs with this desc, which can be 0. The buffers of the desc
   may be NULL; outputs may be NULL only if they are NULL in the call. */
GP_API gp_result gp_unique_scratch_size(gp_context *gp, const gp_unique_desc *desc, size_t *bytes);

/* out[r] = the first key of run r        lengths_out[r] = its length        offsets_out[r] = where it begins

   Finds the runs of equal neighbours. With `repeated_only`, runs of one element are left out, so that lengths
   are 2 and more ("non-trivial runs"). Runs and `equal` are defined as for gp_unique.

   With `offsets_end`, offsets_out[runs] is the number of elements, and run r is [offsets_out[r],
   offsets_out[r+1]). Such offsets, with count_out as count_buffer, are an input of gp_segmented_reduce and
   gp_segmented_sort.

   Result: keys, lengths, offsets (the index of each run's first element), the number of runs. At least one of
     these is required. Each array needs room for `count` elements, offsets_out for count + 1 with
     `offsets_end`.
   Order: as for gp_unique.
   Aliasing: as for gp_unique.
   Count 0: only count_out is written, and with `offsets_end` offsets_out[0] = 0.
   Scratch: 16 bytes per tile, twice that with lengths or offsets of GP_U64.
   Cost: as for gp_unique.
   Limits: as for gp_unique.
   Source: as for gp_select.
   Example: examples/11_compact.c, examples/17_buckets.c */
typedef struct gp_run_length_encode_desc {
    cl_mem in;
    size_t in_offset; /* in elements, as all offsets */
    cl_mem out;       /* one key per run; NULL: not wanted */
    size_t out_offset;
    cl_mem lengths_out; /* NULL: not wanted */
    size_t lengths_out_offset;
    cl_mem offsets_out; /* index of each run's first element; NULL: not wanted */
    size_t offsets_out_offset;
    gp_type index_type; /* type of lengths and offsets: GP_U32 (also 0) or GP_U64 */
    cl_mem count_out;   /* the number of runs; NULL: not wanted */
    size_t count_out_offset;
    gp_type count_out_type; /* GP_U32 (also 0) or GP_U64 */
    size_t count;           /* number of elements; with count_buffer, its upper bound */
    cl_mem count_buffer;    /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;            /* type of elements; set type or element_size */
    size_t element_size;     /* bytes of an element: 1, 2, 4, 8, 16 */
    const gp_record *record; /* instead of both: the type of elements in `equal` */
    const char *equal;       /* NULL: x == y; required for records */
    const gp_arg *args;      /* values and buffers that expressions name; NULL: none */
    size_t arg_count;        /* at most GP_ARGS_MAX */
    bool repeated_only;
    bool offsets_end; /* offsets_out also gets the end of the last run; not with repeated_only */
    gp_strategy strategy;
    cl_mem scratch; /* gp_run_length_encode_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_run_length_encode_desc;

GP_API gp_result gp_run_length_encode(gp_context *gp, const gp_run_length_encode_desc *desc);

/* Calls gp_run_length_encode, blocks, and sets *count to the number of runs written. */
GP_API gp_result gp_run_length_encode_read(gp_context *gp, const gp_run_length_encode_desc *desc,
                                           uint64_t *count);

/* Sets *bytes to the scratch that gp_run_length_encode needs with this desc, which can be 0. The buffers of
   the desc may be NULL; outputs may be NULL only if they are NULL in the call. */
GP_API gp_result gp_run_length_encode_scratch_size(gp_context *gp, const gp_run_length_encode_desc *desc,
                                                   size_t *bytes);
