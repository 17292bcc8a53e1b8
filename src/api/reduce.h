#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ reduce */

/* out[0] = initial . in[0] . in[1] ... in[count-1]        (. is op or monoid; with map: of map(in[i]))

   Order: input order for a monoid that is not commutative; any order otherwise, but always the same
   one for the same count on the same device, so float results repeat bit for bit.
   count 0 gives `initial`. Largest count: 2^31 - 1 tiles, checked.
   Several at once: with `ops` and `op_count` the result is op_count gp_values, one an operation, and the
   input is read once for all of them. out_offset counts such results, `initial` stays NULL, and halves come
   out as floats. Compensated: float sums carry along what rounding takes from them (Neumaier), and are as if
   summed in about twice the precision; no gain where values are infinite or NaN. Without an input (`in` NULL,
   `type` 0) the map is of the index alone, and out_type is needed; with several operations, argmin or argmax
   map_type, which says as what the map's values are compared. Cost: reads the input once; one launch up to
   one tile, two beyond. Aliasing: `out` may be inside `in`. */
typedef struct gp_reduce_desc {
    cl_mem in;        /* NULL and type 0: no input */
    size_t in_offset; /* elements */
    cl_mem out;       /* one result; may be NULL in gp_reduce_read */
    size_t out_offset;
    size_t count;        /* of elements, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;     /* of the input; with a monoid but no map: leave 0 */
    gp_type out_type; /* 0: 64 bits for sums and products of integers, GP_U64 for argmin and argmax, f32
                         for sums and products of halves, else `type`; not narrower than `type` without
                         a map */
    gp_op op;         /* or: */
    const gp_op *ops; /* several, op_count of 1..GP_OPS_MAX, instead of op and out_type; or: */
    const gp_monoid *monoid;  /* instead of out_type and op */
    const gp_type *out_types; /* of each of ops; NULL, or 0 in it: as for out_type */
    size_t op_count;
    bool compensated; /* float sums */
    const char *map;  /* expression in x, y, i; NULL: the element itself */
    gp_type map_type; /* of the map's value: with ops (0: `type`); and without `in` for ops, argmin, argmax */
    cl_mem in2;       /* second input, count elements, for map's y; NULL: none */
    size_t in2_offset;
    gp_type type2;       /* of the second input; 0: `type` */
    const void *initial; /* one element of out_type, read during the call; NULL: the identity */
    cl_mem scratch;      /* of gp_reduce_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_reduce_desc;

GP_API gp_result gp_reduce(gp_context *gp, const gp_reduce_desc *desc);

/* The same, then blocks and copies the result (one element of out_type, or op_count gp_values) to `result`.
 */
GP_API gp_result gp_reduce_read(gp_context *gp, const gp_reduce_desc *desc, void *result);

/* Bytes of scratch that gp_reduce with this desc needs; buffers in it may be NULL. Can be 0. */
GP_API gp_result gp_reduce_scratch_size(gp_context *gp, const gp_reduce_desc *desc, size_t *bytes);
