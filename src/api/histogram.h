#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ histogram */

/* out[c * bins + b] = how many samples of channel c are in bin b, or, with weights, the sum of their weights.

   Even bins: lower <= x < upper is cut into `bins` equal parts, b = floor((x - lower) * bins / (upper -
   lower)). Bounds are .i64 for all signed types, .u64 for all unsigned ones, .f64 for floats, so that `upper`
   may be one more than the type holds (256); as the low and high of gp_random. Integers: exact, for any
   bounds. Floats: computed in the sample's type (halves: f32) as (x - lower) * (bins / (upper - lower)),
   rounded each time; what that rounds up to `bins` is in the last bin. Edges: bins + 1 rising numbers of
   `type`; bin b is edges[b] <= x < edges[b+1], found by binary search. Equal ones make an empty bin. Where
   they do not rise, samples go into any bins. Outside, NaN: a sample below the first bin, at or above the end
   of the last one, or NaN, is not counted. Channels: an element is a pixel of 1 to 4 samples, which lie
   together; each channel has `bins` counts of its own, one channel after the other. channels_out counts the
   first ones only (colours without alpha). Weights: integers, one an element, for all its channels. Counts
   and sums are modulo 2^32 or 2^64. Order has no influence: the same result every time, on every device.
   count 0 gives zeros, or leaves `out` as it is (accumulate). Cost: reads the input once. Few bins (local
   memory: 1024 to 4096; CPUs: 4095) and all samples of 8 bits: one launch, counted in tables of each group's
   own. More: atomics, or on CPUs a table for each core in the scratch. Besides, unless `accumulate`, `out` is
   cleared by a command. Largest count: what fits in memory. Aliasing: `out` overlaps nothing. */
typedef struct gp_histogram_desc {
    cl_mem in;
    size_t in_offset;    /* elements, as all offsets */
    size_t count;        /* of elements, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;          /* of samples */
    uint32_t channels;     /* samples of an element; 0: 1; more than 1 with types of 8 bits only */
    uint32_t channels_out; /* of these, counted; 0: all */
    size_t bins;           /* of a channel, at most 2^32 - 2; 0: 256, with types of 8 bits */
    gp_value lower;        /* even bins: .i64 of signed types, .u64 of unsigned ones, .f64 of floats; */
    gp_value upper;        /* ... both 0: the whole range of an integer type */
    cl_mem edges;          /* bins + 1 elements of `type`, instead of lower and upper; NULL: even bins */
    size_t edges_offset;
    cl_mem weights; /* `count` integers; NULL: 1 each */
    size_t weights_offset;
    gp_type weight_type; /* an integer type */
    cl_mem out;          /* channels_out * bins counts */
    size_t out_offset;
    gp_type out_type; /* GP_U32 or GP_U64; 0: GP_U32 */
    bool accumulate;  /* adds to what `out` holds */
    cl_mem scratch;   /* of gp_histogram_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_histogram_desc;

GP_API gp_result gp_histogram(gp_context *gp, const gp_histogram_desc *desc);

/* Bytes of scratch that gp_histogram with this desc needs. Of the buffers only this is looked at: whether
   `weights` and `edges` are there. Can be 0. */
GP_API gp_result gp_histogram_scratch_size(gp_context *gp, const gp_histogram_desc *desc, size_t *bytes);
