#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ reduce by key */

/* keys_out[r] = the first key of run r        out[r] = initial . in[b] ... in[e-1]        . is op or monoid

   Reduces the elements of each run of equal keys, by any gp_op (sum, product, min, max, argmin, argmax; and,
   or, xor of integers) or a monoid. With `map`, the elements are map(in[i]). A run is a maximal range of
   neighbouring keys each of which equals the one before it. Run r covers elements b to e - 1; run r + 1
   begins at e.
   `equal` is an OpenCL C expression in x and y, two neighbouring keys, as for gp_unique. Keys that are
   records (`key_record`) require `equal`. It may call functions that the source of `key_record` defines;
   `map` may call those of `record`'s source. If both expressions use a type, both sources define it.
   To group by key, sort by key first, so that equal keys are neighbours. To count the elements of each run,
   use gp_run_length_encode; for several results per group, see manual/choosing.md; for groups in a hash
   table, use gp_hash_insert_or_apply.

   Result: a key and a reduction per run, and the number of runs in count_out. The index i in a map, and the
     results of argmin and argmax, count from the run's first element.
   Order: as for gp_segmented_reduce: a monoid that is not commutative is applied in input order. Float
     results repeat bit for bit with either strategy.
   Aliasing: outputs overlap nothing.
   Count 0: writes 0 to count_out.
   Scratch: some bytes per tile; in two steps also 4 bytes per element.
   Cost: a single pass is one launch, which reads keys and values once. Two steps read the keys as gp_unique
     does and the values once; they write 4 bytes per run to scratch and read them again. Maps of i, argmin,
     argmax and keys of GP_F16, among others, take two steps whatever `strategy` says.
   Limits: 2^32 - 2 elements. */
typedef struct gp_reduce_by_key_desc {
    cl_mem keys;
    size_t keys_offset; /* in elements, as all offsets */
    cl_mem in;          /* the elements that are reduced, one per key */
    size_t in_offset;
    cl_mem keys_out; /* one key per run, with room for `count`; NULL: not wanted */
    size_t keys_out_offset;
    cl_mem out; /* one result per run, with room for `count` */
    size_t out_offset;
    cl_mem count_out; /* the number of runs; NULL: not wanted */
    size_t count_out_offset;
    gp_type count_out_type; /* GP_U32 (also 0) or GP_U64 */
    size_t count;           /* number of elements; with count_buffer, its upper bound */
    cl_mem count_buffer;    /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type key_type;            /* set key_type or key_size */
    size_t key_size;             /* bytes of a key: 1, 2, 4, 8, 16 */
    const gp_record *key_record; /* instead of both: the type of keys in `equal` */
    const char *equal;           /* NULL: x == y; required for records */
    gp_type type;                /* type of `in`; 0 with a monoid and no map */
    /* Instead of type. Requires a map, and out_type or a monoid; not with argmin, argmax. */
    const gp_record *record;
    gp_type out_type;        /* 0: as in gp_reduce_desc */
    gp_op op;                /* set op or monoid */
    const gp_monoid *monoid; /* instead of out_type and op */
    const char *map;         /* expression in x and i; NULL: the element itself */
    const gp_arg *args;      /* values and buffers that expressions name; NULL: none */
    size_t arg_count;        /* at most GP_ARGS_MAX */
    const void *initial;     /* one element of out_type, read during the call; NULL: the identity */
    gp_strategy strategy;    /* multi-pass: in two steps, and runs are found in two passes */
    cl_mem scratch; /* gp_reduce_by_key_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_reduce_by_key_desc;

GP_API gp_result gp_reduce_by_key(gp_context *gp, const gp_reduce_by_key_desc *desc);

/* Calls gp_reduce_by_key, blocks, and sets *count to the number of runs. */
GP_API gp_result gp_reduce_by_key_read(gp_context *gp, const gp_reduce_by_key_desc *desc, uint64_t *count);

/* Sets *bytes to the scratch that gp_reduce_by_key needs with this desc. The buffers of the desc may be NULL;
   keys_out may be NULL only if it is NULL in the call. */
GP_API gp_result gp_reduce_by_key_scratch_size(gp_context *gp, const gp_reduce_by_key_desc *desc,
                                               size_t *bytes);
