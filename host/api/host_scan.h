#pragma once

/* ------------------------------------------------------------------ scan */

/* inclusive            out[i] = initial . in[0] ... in[i]               . is op or monoid
   exclusive            out[i] = initial . in[0] ... in[i-1]
   reverse              out[i] = in[i] ... in[count-1] . initial
   reverse, exclusive   out[i] = in[i+1] ... in[count-1] . initial

   Computes running products of an array in host memory, as gp_scan does. With `map`, scans map(in[i]).

   Result: elements of out_type. The product before a chunk is passed to it as an element of out_type: with GP_F16 it is
     rounded.
   Order: input order. Float sums may have other bits each time, as with gp_scan. To get the same bits each time, set
     `deterministic`, and the same budget. With `others`, their number must be the same, too, and all devices must be
     alike.
   Aliasing: in place (`in` and `out` are the same, of types of one size), or no overlap.
   Count 0: does nothing.
   Cost: copies the input to the device and the output from it once. With `others` the input is copied twice, because
     chunks are first reduced, then scanned. This is worthwhile for maps that cost more than the copies, and for devices
     that share the host's memory.
   Limits: memory. Segments, GP_ARGMIN and GP_ARGMAX are not supported. Without a map, out_type must not be narrower
     than `type`, and not be an integer if `type` is a float, as with gp_scan. */
typedef struct gp_host_scan_desc {
    const void *in;
    void *out;               /* count elements of out_type */
    size_t count;            /* of elements */
    gp_type type;            /* of the input; with a monoid but no map: leave 0 */
    const gp_record *record; /* instead of type; needs a map, and out_type or a monoid */
    gp_type out_type;        /* of sums and output; 0: `type` */
    gp_op op;                /* set op or monoid */
    const gp_monoid *monoid; /* instead of out_type and op */
    const char *map;         /* expression in x and i; NULL: the element itself */
    const gp_arg *args;      /* values and device buffers that expressions name; NULL: none */
    size_t arg_count;        /* at most GP_ARGS_MAX, with those that the call adds */
    bool exclusive;
    bool reverse;              /* from the last element to the first */
    bool deterministic;        /* the same bits every time, also for floats and monoids that are not exact */
    const void *initial;       /* one element of out_type; NULL: the identity */
    size_t budget;             /* bytes of device memory; 0: a quarter of the device's */
    gp_host_progress progress; /* NULL: none; total is count, or 2 * count with others and several chunks */
    void *progress_user;       /* for progress */
    gp_context *const *others; /* further contexts that share the work; NULL: none */
    size_t other_count;        /* the number of others */
} gp_host_scan_desc;

GP_HOST_API gp_result gp_host_scan(gp_context *gp, const gp_host_scan_desc *desc);
