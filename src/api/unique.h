#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ unique, runs */

/* The first of each run of equal keys. A run is as many neighbours as are equal, each to the one before it;
   keys need not be sorted, and those of different runs may be equal.

   Equal: integers and records by value, floats as numbers (-0 equals +0, NaN nothing, halves too); or
   `equal`, an expression in x and y, a key and the one before it: "fabs(x - y) < 1e-3f", "x / 10 == y / 10".
   Records are uchar, ushort, uint, ulong or uint4 in it: "all(x.xy == y.xy)" compares the first 8 bytes
   of 16. gp_unique_by_key moves a value with each key; gp_unique has none. Results: keys, values, the keys'
   indices, how many; at least one is required, with room for `count` elements. Stability, count 0,
   limits, aliasing, cost: as for gp_select. */
typedef struct gp_unique_desc {
    cl_mem keys;
    size_t keys_offset; /* elements, as all offsets */
    cl_mem keys_out;    /* NULL: not wanted */
    size_t keys_out_offset;
    cl_mem values; /* gp_unique_by_key */
    size_t values_offset;
    cl_mem values_out; /* NULL: not wanted */
    size_t values_out_offset;
    cl_mem indices_out; /* NULL: not wanted */
    size_t indices_out_offset;
    gp_type index_type; /* GP_U32 (also 0) or GP_U64 */
    cl_mem count_out;   /* one number; NULL: not wanted */
    size_t count_out_offset;
    gp_type count_out_type; /* GP_U32 (also 0) or GP_U64 */
    size_t count;           /* of elements, or their bound with count_buffer */
    cl_mem count_buffer;    /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type key_type;  /* or: */
    size_t key_size;   /* bytes of a record: 1, 2, 4, 8, 16 */
    size_t value_size; /* gp_unique_by_key: 1, 2, 4, 8, 16 */
    const char *equal; /* NULL: x == y */
    gp_strategy strategy;
    cl_mem scratch; /* of gp_unique_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_unique_desc;

GP_API gp_result gp_unique(gp_context *gp, const gp_unique_desc *desc);
GP_API gp_result gp_unique_by_key(gp_context *gp, const gp_unique_desc *desc);

/* The same, then block and tell how many there are. */
GP_API gp_result gp_unique_read(gp_context *gp, const gp_unique_desc *desc, uint64_t *count);
GP_API gp_result gp_unique_by_key_read(gp_context *gp, const gp_unique_desc *desc, uint64_t *count);

/* Bytes of scratch that either call with this desc needs; buffers in it may be NULL, but those that are
   optional. Can be 0. */
GP_API gp_result gp_unique_scratch_size(gp_context *gp, const gp_unique_desc *desc, size_t *bytes);

/* Each run's key (its first one), length, and index of its first element. `repeated_only`: runs of one
   element are left out, so that lengths are 2 and more ("non-trivial runs").

   Runs, `equal`, stability, count 0, limits, aliasing, cost: as for gp_unique. At least one result is
   required, with room for `count` elements. Scratch: 16 bytes a tile, twice that with numbers of GP_U64. */
typedef struct gp_run_length_encode_desc {
    cl_mem in;
    size_t in_offset; /* elements, as all offsets */
    cl_mem out;       /* a key a run; NULL: not wanted */
    size_t out_offset;
    cl_mem lengths_out; /* NULL: not wanted */
    size_t lengths_out_offset;
    cl_mem offsets_out; /* where runs begin; NULL: not wanted */
    size_t offsets_out_offset;
    gp_type index_type; /* of lengths and offsets: GP_U32 (also 0) or GP_U64 */
    cl_mem count_out;   /* one number, of runs; NULL: not wanted */
    size_t count_out_offset;
    gp_type count_out_type; /* GP_U32 (also 0) or GP_U64 */
    size_t count;           /* of elements, or their bound with count_buffer */
    cl_mem count_buffer;    /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;        /* of elements; or: */
    size_t element_size; /* bytes of a record: 1, 2, 4, 8, 16 */
    const char *equal;   /* NULL: x == y */
    bool repeated_only;
    gp_strategy strategy;
    cl_mem scratch; /* of gp_run_length_encode_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_run_length_encode_desc;

GP_API gp_result gp_run_length_encode(gp_context *gp, const gp_run_length_encode_desc *desc);

/* The same, then blocks and tells how many runs were written. */
GP_API gp_result gp_run_length_encode_read(gp_context *gp, const gp_run_length_encode_desc *desc,
                                           uint64_t *count);

/* Bytes of scratch that gp_run_length_encode with this desc needs; buffers in it may be NULL, but those that
   are optional. Can be 0. */
GP_API gp_result gp_run_length_encode_scratch_size(gp_context *gp, const gp_run_length_encode_desc *desc,
                                                   size_t *bytes);
