#pragma once

/* ------------------------------------------------------------------ select */

/* Selects elements of an array in host memory, and packs them in their order, as gp_select does:

       predicate   in[i] for each i at which the expression in x (the element) and i (ulong, from 0 on) holds
       flags       in[i] for each i at which flags[i] is not 0

   Exactly one of the two must be given. Elements are those of gp_select.

   Result: the selected elements in `out`, their positions in `indices_out`, their number in *selected; at least one of
     these is required. The arrays must have room for `count` elements and indices. Beyond the selected elements nothing
     is written; with `others`, the rest is undefined.
   Order: input order; stable. The same input gives the same result every time.
   Aliasing: outputs overlap nothing.
   Count 0: only *selected is written.
   Cost: copies the input to the device, and the selected elements from it.
   Limits: memory; 2^32 - 1 elements with indices of GP_U32. */
typedef struct gp_host_select_desc {
    const void *in;
    void *out;                 /* NULL: not wanted */
    void *indices_out;         /* positions; NULL: not wanted */
    uint64_t *selected;        /* their number; NULL: not wanted */
    size_t count;              /* of elements */
    gp_type type;              /* of elements; set type or element_size */
    size_t element_size;       /* bytes of an element: 1, 2, 4, 8, 16 */
    const gp_record *record;   /* instead of type and element_size: the type that a predicate sees */
    const char *predicate;     /* set predicate or flags */
    const gp_arg *args;        /* values and device buffers that expressions name; NULL: none */
    size_t arg_count;          /* at most GP_ARGS_MAX, with those that the call adds */
    const void *flags;         /* count flags */
    gp_type flags_type;        /* 0: GP_U8 */
    gp_type index_type;        /* of indices_out: GP_U32 (also 0) or GP_U64 */
    size_t budget;             /* bytes of device memory; 0: a quarter of the device's */
    gp_host_progress progress; /* NULL: none; total is count */
    void *progress_user;       /* for progress */
    gp_context *const *others; /* further contexts that share the work; NULL: none */
    size_t other_count;        /* the number of others */
} gp_host_select_desc;

GP_HOST_API gp_result gp_host_select(gp_context *gp, const gp_host_select_desc *desc);
