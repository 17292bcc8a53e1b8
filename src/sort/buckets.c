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

/* Returns the fewest keys for which buckets pay. Fewer keys are sorted by shares or by one group. */
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

/* Enqueues the kernel that samples keys and decides whether buckets are likely to pay. */
static gp_result gpi_buckets_sample(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gpi_call_kernel(call, sort->program, "gp_buckets_sample");
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_bits(call, sort);
    GPI_CALL_ARG(call, state);
    gpi_sort_arg_at(call, sort->at.map);
    return gpi_call_launch(call, &sort->plan, 1);
}

static gp_result gpi_buckets_spine(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gpi_call_kernel(call, sort->program, "gp_buckets_spine");
    GPI_CALL_ARG(call, state);
    gpi_call_arg_uint(call, gpi_sort_in_place(sort) ? GPI_PLACE_TMP : GPI_PLACE_OUT); /* the buckets' place */
    GPI_CALL_ARG(call, sort->passes);
    GPI_CALL_ARG(call, sort->blocks);
    gpi_sort_arg_at(call, sort->at.table);
    gpi_sort_arg_at(call, sort->at.bases);
    return gpi_call_launch(call, &sort->plan, 1);
}

static gp_result gpi_buckets_sort(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gpi_call_kernel(call, sort->program, "gp_buckets_sort");
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_bits(call, sort);
    GPI_CALL_ARG(call, state);
    gpi_sort_arg_at(call, sort->at.map);
    gpi_sort_arg_at(call, sort->at.bases);
    gpi_call_arg_ulong(call, gpi_buckets_few(call->gp, sort));
    return gpi_call_launch(call, &sort->plan, GPI_SORT_BINS);
}

/* Enqueues a sort by buckets. The caller must enqueue classic passes after it: the device skips one of the two
   sorts. */
static gp_result gpi_buckets_launch(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    const cl_uint pass = GPI_PASS_BUCKETS, shift = sort->begin_bit;
    gp_result result = gpi_buckets_sample(call, sort, state);
    if (result == GP_OK) result = gpi_sort_count(call, sort, state, pass, shift, GPI_WHEN_BUCKETS);
    if (result == GP_OK) result = gpi_buckets_spine(call, sort, state);
    if (result == GP_OK) result = gpi_sort_scatter(call, sort, state, pass, shift, GPI_WHEN_BUCKETS);
    return result == GP_OK ? gpi_buckets_sort(call, sort, state) : result;
}
