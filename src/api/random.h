#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ random */

typedef enum gp_random_kind {
    GP_RANDOM_BITS = 0, /* integers: all bits random */
    GP_RANDOM_UNIFORM,  /* floats: [0, 1), multiples of 2^-24 (f16: 2^-11, f64: 2^-53) */
    GP_RANDOM_RANGE,    /* integers: [low, high), each value to within 2^-64 of its chance */
    GP_RANDOM_NORMAL,   /* floats: normal, by Box and Muller */
    GP_RANDOM_KIND_COUNT
} gp_random_kind;

/* out[i] = element first_element + i of a stream of random numbers

   The stream is named by `seed` and `stream`, and is the same on every device, in every shape and for however
   many calls it is made: Philox4x32-10 (Salmon, Moraes, Dror & Shaw, SC11) with the seed as its key, and as
   its counter a block's number and the stream. An element takes words of 32 bits from the blocks in a row,
   low words first: two for types of 8 bytes and for ranges, else one; BITS of shorter types are the word's
   low bits. Bounds of a range are .i64 for all signed types, .u64 for all unsigned ones, so that `high` may
   be one more than the type holds (256); as the lower and upper of gp_histogram. Normal numbers come in pairs
   and are the same up to what the device's log, sqrt, sinpi and cospi round. Aliasing: count_buffer's number
   apart from `out`. Cost: one launch, no scratch; writes once. */
typedef struct gp_random_desc {
    cl_mem out; /* count elements of `type` */
    size_t out_offset;
    gp_type type;
    gp_random_kind kind;
    uint64_t seed;
    uint64_t stream;        /* another one: other numbers for the same seed */
    uint64_t first_element; /* so that a call may go on where one ended */
    gp_value low;           /* of a range: .i64 of signed types, .u64 of unsigned ones */
    gp_value high;          /* the same; itself not in the range */
    double mean;            /* normal; finite, as `type` too */
    double deviation;       /* normal: standard deviation, finite, not negative; 0: 1 */
    size_t count;           /* of elements, or their bound with count_buffer */
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_random_desc;

/* One program for each type and kind. */
GP_API gp_result gp_random(gp_context *gp, const gp_random_desc *desc);
