/* buckets.c - sorts many keys in the serial shape: distributes them to buckets, then sorts each bucket in the caches. */
#include "base/context.h"
#include "element/element.h"
#include "sort/sort.h"

/* GPI_BUCKET_BYTES, GPI_BUCKET_BYTES_AMD: the most bytes, of keys and values, of a bucket that is sorted without another split.
   GPI_BUCKETS_SPLIT_ELEMENT: the bytes of the smallest element for which another split pays. GPI_BUCKETS_DIGITS_MIN: the fewest
   passes for which buckets pay. Measured on PoCL, on Xeons and on an EPYC (Zen 5). */
#define GPI_BUCKET_BYTES ((size_t)320 << 10)
#define GPI_BUCKET_BYTES_AMD ((size_t)640 << 10)
#define GPI_BUCKETS_SPLIT_ELEMENT 8
#define GPI_BUCKETS_DIGITS_MIN 3

static size_t gpi_sort_element(const gpi_sort *sort) { return sort->key_size + sort->value_size; }

/* Returns the fewest keys for which buckets pay: more than shares can have. */
static size_t gpi_buckets_count_min(const gpi_sort *sort)
{
    return GPI_SORT_SHARES_SPAN * gpi_sort_few(sort) + 1;
}

/* Returns the most keys of a small bucket, which is not split again. */
static size_t gpi_buckets_few(const gp_context *gp, const gpi_sort *sort)
{
    const uint32_t tuned = gp->desc.tuning.sort_bucket;
    const size_t bytes = gpi_sort_is_on_amd(gp) ? GPI_BUCKET_BYTES_AMD : GPI_BUCKET_BYTES;
    return tuned ? tuned : bytes / gpi_sort_element(sort);
}

/* Returns true if buckets may pay. The host decides by sizes; on the device, a sample of the keys decides
   (gpi_buckets_sample). */
static bool gpi_buckets_suit(const gp_context *gp, const gpi_sort *sort)
{
    const uint32_t tuned = gp->desc.tuning.sort_bucket;
    if (sort->plan.shape != GP_SHAPE_SERIAL || sort->onesweep || sort->few || sort->hash) return false;
    if (sort->desc->count > UINT32_MAX) return false; /* a bucket's keys are counted in 32 bits */
    if (tuned) return tuned > 1 && sort->passes > 1;
    return sort->passes >= GPI_BUCKETS_DIGITS_MIN && sort->desc->count >= gpi_buckets_count_min(sort) &&
           (gpi_sort_element(sort) >= GPI_BUCKETS_SPLIT_ELEMENT ||
            sort->desc->count / GPI_SORT_BINS <= gpi_buckets_few(gp, sort));
}

static gp_result gpi_buckets_plan(gp_context *gp, gpi_sort *sort)
{
    if (!gpi_buckets_suit(gp, sort)) return GP_OK;
    return gpi_key_program(gp, GPI_BUCKETS, sort->desc->key_type, sort->value_size, GPI_BUCKETS_PARAMETERS,
                           &sort->plan, &sort->buckets);
}

/* Enqueues the kernel that samples keys and decides whether buckets are likely to pay. */
static gp_result gpi_buckets_sample(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gpi_call_kernel(call, sort->buckets, "gp_buckets_sample");
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_bits(call, sort);
    GPI_CALL_ARG(call, state);
    gpi_sort_arg_at(call, sort->at.map);
    return gpi_call_launch(call, &sort->plan, 1);
}

/* Passes the bits of a pass over all keys: all compared bits for the pass to buckets, else one digit. */
static void gpi_buckets_arg_pass(gpi_call *call, const gpi_sort *sort, cl_mem state, cl_uint pass,
                                 cl_uint when)
{
    const cl_uint begin = when == GPI_WHEN_BUCKETS ? sort->begin_bit : gpi_sort_shift(sort, pass);
    const cl_uint left = sort->end_bit - begin;
    const bool whole = when == GPI_WHEN_BUCKETS || left < GPI_SORT_DIGIT_BITS;
    GPI_CALL_ARG(call, sort->flip);
    GPI_CALL_ARG(call, begin);
    gpi_call_arg_uint(call, whole ? sort->end_bit : begin + GPI_SORT_DIGIT_BITS);
    GPI_CALL_ARG(call, sort->passes);
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, pass);
    GPI_CALL_ARG(call, when);
}

static gp_result gpi_buckets_count(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass, cl_uint when)
{
    const bool asks = when == GPI_WHEN_BUCKETS || gpi_sort_asks_order(sort, pass, when);
    gpi_call_kernel(call, sort->buckets, "gp_buckets_count");
    gpi_sort_arg_places(call, sort);
    gpi_buckets_arg_pass(call, sort, state, pass, when);
    gpi_call_arg_uint(call, asks ? sort->end_bit : 0);
    gpi_sort_arg_at(call, sort->at.map);
    gpi_call_arg_ulong(call, sort->block_span);
    gpi_sort_arg_at(call, sort->at.table);
    return gpi_call_launch(call, &sort->plan, sort->blocks);
}

static gp_result gpi_buckets_spine(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gpi_call_kernel(call, sort->buckets, "gp_buckets_spine");
    GPI_CALL_ARG(call, state);
    gpi_call_arg_uint(call, gpi_sort_in_place(sort) ? GPI_PLACE_TMP : GPI_PLACE_OUT); /* two passes follow */
    GPI_CALL_ARG(call, sort->passes);
    GPI_CALL_ARG(call, sort->blocks);
    gpi_sort_arg_at(call, sort->at.table);
    gpi_sort_arg_at(call, sort->at.bases);
    return gpi_call_launch(call, &sort->plan, 1);
}

static gp_result gpi_buckets_scatter(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass, cl_uint when)
{
    gpi_call_kernel(call, sort->buckets, "gp_buckets_scatter");
    gpi_sort_arg_places(call, sort);
    gpi_buckets_arg_pass(call, sort, state, pass, when);
    gpi_sort_arg_at(call, sort->at.map);
    gpi_call_arg_ulong(call, sort->block_span);
    gpi_call_arg_uint(call, gpi_sort_lines(call->gp, sort));
    gpi_sort_arg_at(call, sort->at.table);
    gpi_sort_arg_at(call, sort->at.bases);
    return gpi_call_launch(call, &sort->plan, sort->blocks);
}

static gp_result gpi_buckets_sort(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gpi_call_kernel(call, sort->buckets, "gp_buckets_sort");
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_bits(call, sort);
    GPI_CALL_ARG(call, state);
    gpi_sort_arg_at(call, sort->at.map);
    gpi_sort_arg_at(call, sort->at.bases);
    gpi_call_arg_ulong(call, gpi_buckets_few(call->gp, sort));
    return gpi_call_launch(call, &sort->plan, GPI_SORT_BINS);
}

/* Enqueues a sort by buckets and a sort by classic passes. The device skips one of them. */
static gp_result gpi_buckets_launch(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    cl_uint pass;
    gp_result result = gpi_buckets_sample(call, sort, state);
    if (result == GP_OK) result = gpi_buckets_count(call, sort, state, GPI_PASS_BUCKETS, GPI_WHEN_BUCKETS);
    if (result == GP_OK) result = gpi_buckets_spine(call, sort, state);
    if (result == GP_OK) result = gpi_buckets_scatter(call, sort, state, GPI_PASS_BUCKETS, GPI_WHEN_BUCKETS);
    if (result == GP_OK) result = gpi_buckets_sort(call, sort, state);
    for (pass = 0; pass < sort->passes && result == GP_OK; pass++) {
        result = gpi_buckets_count(call, sort, state, pass, GPI_UNLESS_BUCKETS);
        if (result == GP_OK) result = gpi_sort_spine(call, sort, state, pass, GPI_UNLESS_BUCKETS);
        if (result == GP_OK) result = gpi_buckets_scatter(call, sort, state, pass, GPI_UNLESS_BUCKETS);
    }
    return result;
}
