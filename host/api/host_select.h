#pragma once

/* ------------------------------------------------------------------ select */

/* Selects elements of an array in host memory, and packs them in their order, as gp_select does:

       predicate   in[i] for each i at which the expression in x (the element) and i (ulong, from 0 on) holds
       flags       in[i] for each i at which flags[i] is not 0

   Exactly one of the two is given. Elements are as for gp_select.

   Result: elements in `out`, their positions in `indices_out`, how many in *selected; at least one of these is required. There
     must be room for `count` elements and indices, of which only those that are selected are written; with `others`
     the rest is undefined.
   Order: input order; stable. The same input gives the same result every time.
   Aliasing: outputs overlap nothing.
   Count 0: only *selected is written.
   Cost: copies the input to the device, and what is selected from it.
   Limits: memory; 2^32 - 1 elements with indices of GP_U32. */
typedef struct gp_host_select_desc {
    const void *in;
    void *out;                 /* NULL: not wanted */
    void *indices_out;         /* positions; NULL: not wanted */
    uint64_t *selected;        /* how many; NULL: not wanted */
    size_t count;              /* of elements */
    gp_type type;              /* of elements; set type or element_size */
    size_t element_size;       /* bytes of an element: 1, 2, 4, 8, 16 */
    const gp_record *record;   /* instead of both: as the predicate sees an element */
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
    size_t other_count;        /* how many these are */
} gp_host_select_desc;

GP_HOST_API gp_result gp_host_select(gp_context *gp, const gp_host_select_desc *desc);
