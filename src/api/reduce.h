#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ reduce */

/* out[0] = initial . in[0] . in[1] ... in[count-1]        . is op or monoid

   Reduces the input to one value, by any gp_op (sum, product, min, max, argmin, argmax; and, or, xor of
   integers) or a monoid. With `map`, the elements are map(in[i]). Without an input (`in` NULL, `type` 0) the
   map is of the index alone, and out_type is required; argmin, argmax and several operations require map_type
   instead, the type to which the map's value is converted.

   Result: one element of out_type. With `ops` and op_count, the input is read once for all operations, and
     the result is op_count gp_values, one per operation; out_offset counts such results, `initial` stays
     NULL, and halves become floats.
     With `compensated`, float sums also add up their rounding errors (Neumaier), which gives about twice the
     precision unless values are infinite or NaN.
   Order: input order for a monoid that is not commutative; otherwise any order, but always the same one for
     the same count on the same device, so float results repeat bit for bit.
   Aliasing: `out` may lie inside `in`.
   Count 0: the result is `initial`.
   Cost: reads the input once. One launch for up to one tile, else two; on PoCL with an in-order queue always
   one.
   Limits: 2^31 - 1 tiles, checked. A tile is 256 KiB of results on PoCL, and at least 1 KiB on GPUs.
   Source: Neumaier 1974 (compensated sums).
   Example: examples/02_reduce.c */
typedef struct gp_reduce_desc {
    cl_mem in;        /* NULL and type 0: no input */
    size_t in_offset; /* in elements, as all offsets of inputs */
    cl_mem out;       /* one result; may be NULL in gp_reduce_read */
    size_t out_offset;
    size_t count;        /* number of elements; with count_buffer, its upper bound */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type; /* type of the input; 0 with a monoid and no map */
    /* The type of the input, instead of `type`. Requires a map, and out_type or a monoid; ops, argmin and
       argmax require map_type; in2 requires type2. */
    const gp_record *record;
    gp_type out_type; /* 0: 64 bits for sums and products of integers, GP_U64 for argmin and argmax, f32
                         for sums and products of halves, else `type`; not narrower than `type` without
                         a map */
    gp_op op;         /* set one of op, ops and monoid */
    const gp_op *ops; /* op_count operations, 1..GP_OPS_MAX, instead of op and out_type */
    const gp_monoid *monoid;  /* instead of out_type and op */
    const gp_type *out_types; /* result types of ops; NULL, or 0 for an operation: the default of out_type */
    size_t op_count;
    bool compensated;   /* float sums in about twice the precision */
    const char *map;    /* expression in x, y, i; NULL: the element itself */
    const gp_arg *args; /* values and buffers that expressions name; NULL: none */
    size_t arg_count;   /* at most GP_ARGS_MAX */
    gp_type map_type;   /* type of the map's value: with ops (0: `type`), and for argmin and argmax without
                           `in` */
    cl_mem in2;         /* second input, count elements, for map's y; NULL: none */
    size_t in2_offset;
    gp_type type2;       /* type of the second input; 0: `type` */
    const void *initial; /* one element of out_type, read during the call; NULL: the identity */
    cl_mem scratch;      /* gp_reduce_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_reduce_desc;

GP_API gp_result gp_reduce(gp_context *gp, const gp_reduce_desc *desc);

/* Calls gp_reduce, blocks, and copies the result to `result`: one element of out_type, or op_count
   gp_values. */
GP_API gp_result gp_reduce_read(gp_context *gp, const gp_reduce_desc *desc, void *result);

/* Sets *bytes to the scratch that gp_reduce needs with this desc, which can be 0. The buffers of the desc may
   be NULL; in2 may be NULL only if type2 is set. */
GP_API gp_result gp_reduce_scratch_size(gp_context *gp, const gp_reduce_desc *desc, size_t *bytes);
