#pragma once

/* ------------------------------------------------------------------ histogram */

/* out[c * bins + b] = how many samples of channel c are in bin b; with `weights`, the sum of their weights

   Counts the elements of an array in host memory, as gp_histogram does. Bins, edges, bounds, channels and weights have
   the same meaning as there.

   Result: counts or sums of out_type, modulo 2^32 or 2^64.
   Order: the result is the same every time, on every device, and for any order of the input.
   Aliasing: `out` overlaps nothing.
   Count 0: all counts are 0; with `accumulate`, `out` stays as it is.
   Cost: copies the input to the device once.
   Limits: memory (for the counts, that of the device); 2^32 - 2 bins. */
typedef struct gp_host_histogram_desc {
    const void *in;
    size_t count;            /* of elements */
    gp_type type;            /* of the input; without a map, of samples */
    const gp_record *record; /* of the input, instead of type; needs a map and map_type */
    const char *map;         /* a sample: expression in x and i; NULL: the element itself */
    const gp_arg *args;      /* values and device buffers that the map names; NULL: none */
    size_t arg_count;        /* at most GP_ARGS_MAX, with those that the call adds */
    gp_type map_type;        /* of the map's value, which is the sample; 0: `type` */
    uint32_t channels;       /* samples per element, 1 to 4; 0: 1 */
    uint32_t channels_out;   /* how many of these are counted, from the first on; 0: all */
    size_t bins;             /* per channel; 0: 256, only with types of 8 bits */
    gp_value lower;      /* of even bins: .i64 for signed types, .u64 for unsigned ones, .f64 for floats */
    gp_value upper;      /* in the same member as `lower`; both 0: the whole range of an integer type */
    const void *edges;   /* bins + 1 of the samples' type, instead of lower and upper; NULL: even bins */
    const void *weights; /* `count` integers; NULL: 1 each */
    gp_type weight_type; /* an integer type */
    void *out;           /* channels_out * bins counts */
    gp_type out_type;    /* GP_U32 or GP_U64; 0: GP_U32 */
    bool accumulate;     /* adds to what `out` holds */
    size_t budget;       /* bytes of device memory; 0: a quarter of the device's */
    gp_host_progress progress; /* NULL: none; total is count */
    void *progress_user;       /* for progress */
    gp_context *const *others; /* further contexts that share the work; NULL: none */
    size_t other_count;        /* the number of others */
} gp_host_histogram_desc;

GP_HOST_API gp_result gp_host_histogram(gp_context *gp, const gp_host_histogram_desc *desc);
