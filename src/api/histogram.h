#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ histogram */

/* out[c * bins + b] = how many samples of channel c are in bin b; with `weights`, the sum of their weights

       even bins   b = floor((x - lower) * bins / (upper - lower))        lower <= x < upper
       edges       edges[b] <= x < edges[b+1]                             found by binary search

   A sample below the first bin, at or above the end of the last one, or NaN, is not counted.
   Even bins are equal parts of [lower, upper). Bounds are .i64 for all signed types, .u64 for all unsigned
   ones, .f64 for floats, so that `upper` may be one more than the type holds (256); low and high of gp_random
   are given in the same way. Bins of integers are exact, for any bounds. Bins of floats are computed in the
   sample's type (halves: f32) as (x - lower) * (bins / (upper - lower)), rounded after each operation; a
   sample that is rounded up to `bins` is in the last bin.
   Edges are bins + 1 rising numbers of the samples' type. Equal neighbours make an empty bin. If edges fall,
   samples are counted in any bins.
   With `map`, element i's sample is map(in[i]). Without an input (`in` NULL, `type` 0) the map uses only
   the index. Such maps, and maps of records, require map_type.
   With `channels`, an element is a pixel of 1 to 4 samples, which lie together. Each channel has `bins`
   counts of its own, one channel after the other; only the first channels_out channels are counted (colours
   without alpha). Weights are integers, signed or not and of any width, one per element, for all its
   channels.

   Result: counts or sums of out_type, modulo 2^32 or 2^64.
   Order: independent of the order of the input: the same result every time, on every device.
   Aliasing: `out` overlaps nothing.
   Count 0: writes zeros; with `accumulate`, `out` keeps its contents.
   Scratch: on CPUs with many bins, a table for each core, but no more counts than samples; otherwise none.
   Cost: reads the input once. If bins are few, each group counts them in a table of its own, in one launch;
     many bins take atomics, or on CPUs a table for each core. A command clears `out` first, unless
     `accumulate`.
   Limits: memory; 2^32 - 2 bins. Bounds of floats, rounded to the type in which bins are computed (f32 for
     halves), need lower < upper, upper - lower <= FLT_MAX and bins / (upper - lower) <= FLT_MAX; for f64
     DBL_MAX. Others are GP_ERROR_INVALID_ARGUMENT.
   Example: examples/17_buckets.c, examples/tour.c */
typedef struct gp_histogram_desc {
    cl_mem in;           /* NULL, with type 0 and a map: no input */
    size_t in_offset;    /* in elements, as all offsets */
    size_t count;        /* number of elements; with count_buffer, its upper bound */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;            /* type of the input; without a map, of the samples */
    const gp_record *record; /* of the input, instead of type; requires a map and map_type */
    const char *map;         /* a sample: expression in x and i; NULL: the element itself */
    const gp_arg *args;      /* values and buffers that the map names; NULL: none */
    size_t arg_count;        /* at most GP_ARGS_MAX */
    gp_type map_type;        /* type of the map's value, which is the sample; 0: `type` */
    uint32_t channels;       /* samples per element, 1 to 4; 0: 1. More than 1 only with samples of 8 bits and
                                without a map */
    uint32_t channels_out;   /* number of channels that are counted, from the first on; 0: all */
    size_t bins;             /* bins per channel, at most 2^32 - 2; 0: 256, only with types of 8 bits */
    gp_value lower;          /* lower bound of even bins: .i64 for signed types, .u64 for unsigned ones, .f64
                                for floats */
    gp_value upper;          /* as lower; both 0: the whole range of an integer type */
    cl_mem edges; /* bins + 1 numbers of the samples' type, instead of lower and upper; NULL: even bins */
    size_t edges_offset;
    cl_mem weights; /* `count` integers; NULL: 1 each */
    size_t weights_offset;
    gp_type weight_type; /* an integer type */
    cl_mem out;          /* channels_out * bins counts */
    size_t out_offset;
    gp_type out_type; /* GP_U32 or GP_U64; 0: GP_U32 */
    bool accumulate;  /* adds to what `out` holds */
    cl_mem scratch;   /* gp_histogram_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_histogram_desc;

GP_API gp_result gp_histogram(gp_context *gp, const gp_histogram_desc *desc);

/* Sets *bytes to the scratch that gp_histogram needs with this desc, which can be 0. The buffers of the desc
   may be NULL; `weights` and `edges` may be NULL only if they are NULL in the call. */
GP_API gp_result gp_histogram_scratch_size(gp_context *gp, const gp_histogram_desc *desc, size_t *bytes);
