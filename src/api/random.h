#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ random */

typedef enum gp_random_kind {
    GP_RANDOM_BITS = 0, /* integers: all bits random */
    GP_RANDOM_UNIFORM,  /* floats in [0, 1), multiples of 2^-24 (f16: 2^-11, f64: 2^-53) */
    GP_RANDOM_RANGE,    /* integers in [low, high), each with its probability to within 2^-64 */
    GP_RANDOM_NORMAL,   /* floats, normally distributed (Box-Muller) */
    GP_RANDOM_KIND_COUNT
} gp_random_kind;

/* out[i] = element first_element + i of a stream of random numbers

   `seed` and `stream` select the stream. Each element uses the next 32-bit words of the generator's blocks,
   low words first: two words for types of 8 bytes and for ranges, else one. GP_RANDOM_BITS of types shorter
   than a word are the word's low bits.

   Result: elements of `type`, by `kind`. Bounds of a range are .i64 for all signed types and .u64 for all
   unsigned ones, so that `high` may be one more than the type holds (256); lower and upper of gp_histogram
   are given in the same way. Normal numbers are computed in pairs.
   Order: the same numbers on every device and in every shape, however many calls write the stream; normal
   numbers up to the rounding of the device's log, sqrt, sinpi and cospi.
   Aliasing: the number in count_buffer lies outside of `out`.
   Cost: writes once; one launch, no scratch, no state. A program is compiled per type and kind.
   Limits: first_element + count is below 2^64. Not for secrets: the seed can be found from the numbers.
   Source: Philox4x32-10 of Salmon, Moraes, Dror and Shaw, SC11, with the seed as its key, and a block's
   number and the stream as its counter. */
typedef struct gp_random_desc {
    cl_mem out; /* `count` elements of `type` */
    size_t out_offset;
    gp_type type;
    gp_random_kind kind;
    uint64_t seed;
    uint64_t stream;        /* different streams have different numbers for the same seed */
    uint64_t first_element; /* index of the first element; a call can continue where another one ended */
    gp_value low;           /* begin of a range: .i64 for signed types, .u64 for unsigned ones */
    gp_value high;          /* end of a range, not in it: .i64 or .u64, as low */
    double mean;            /* mean of normal numbers; finite, also when converted to `type` */
    double deviation;       /* standard deviation of normal numbers, finite, not negative; 0: 1 */
    size_t count;           /* number of elements; with count_buffer, its upper bound */
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_random_desc;

GP_API gp_result gp_random(gp_context *gp, const gp_random_desc *desc);
