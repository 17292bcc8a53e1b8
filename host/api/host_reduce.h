#pragma once

/* ------------------------------------------------------------------ reduce */

/* out[0] = initial . in[0] . in[1] ... in[count-1]        . is op or monoid

   Reduces an array in host memory to one value, as gp_reduce does. With `map`, reduces map(in[i]).

   Result: one element of out_type.
   Order: each chunk is reduced as by gp_reduce, then the chunks' results are combined in input order. Float results
     repeat bit for bit for the same count and budget on the same device. With `others`, their number must be the same,
     too, and all devices must be alike.
   Aliasing: `out` may be anywhere.
   Count 0: the result is `initial`.
   Cost: copies the input to the device once.
   Limits: memory. GP_ARGMIN and GP_ARGMAX are not supported. */
typedef struct gp_host_reduce_desc {
    const void *in;
    void *out;                 /* one element of out_type */
    size_t count;              /* of elements */
    gp_type type;              /* of the input; with a monoid but no map: leave 0 */
    const gp_record *record;   /* instead of type; needs a map, and out_type or a monoid */
    gp_type out_type;          /* 0: as in gp_reduce_desc */
    gp_op op;                  /* set op or monoid */
    const gp_monoid *monoid;   /* instead of out_type and op */
    const char *map;           /* expression in x, y and i; NULL: the element itself */
    const gp_arg *args;        /* values and device buffers that expressions name; NULL: none */
    size_t arg_count;          /* at most GP_ARGS_MAX, with those that the call adds */
    const void *in2;           /* second input, count elements, for map's y; NULL: none */
    gp_type type2;             /* of the second input; 0: `type` */
    const void *initial;       /* one element of out_type; NULL: the identity */
    size_t budget;             /* bytes of device memory; 0: a quarter of the device's */
    gp_host_progress progress; /* NULL: none; total is count */
    void *progress_user;       /* for progress */
    gp_context *const *others; /* further contexts that share the work; NULL: none */
    size_t other_count;        /* the number of others */
} gp_host_reduce_desc;

GP_HOST_API gp_result gp_host_reduce(gp_context *gp, const gp_host_reduce_desc *desc);
