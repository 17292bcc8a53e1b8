/* search.c - gp_search: lower or upper bounds of many needles, in one launch. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/type.h"
#include "element/element.h"
#include "sort/sort.h"

#include <string.h>

enum {
    GPI_SEARCH_SERIAL_SPAN_MIN = 1024, /* needles of a group, when there are few */
    GPI_SEARCH_SERIAL_SAMPLES = 1024,  /* most samples of a group */
    GPI_SEARCH_PER_SAMPLE = 8 /* needles that pay for reading a sample, where one item reads them all */
};

/* A checked call, ready to run. */
typedef struct gpi_search {
    const gp_search_desc *desc;
    const char *function;
    size_t key_size, out_size;
    gpi_plan plan;
    gpi_program *program;
    gpi_count keys, needles;
} gpi_search;

enum {
    GPI_SEARCH_KEYS,
    GPI_SEARCH_NEEDLES_IN,
    GPI_SEARCH_COUNTER,
    GPI_SEARCH_NEEDLE_COUNTER,
    GPI_SEARCH_OUT, /* written */
    GPI_SEARCH_RANGES
};

static const char *const gpi_search_names[GPI_SEARCH_RANGES] = {"keys", "needles", "count_buffer",
                                                                "needle_count_buffer", "out"};

static gp_result gpi_search_check_types(gp_context *gp, gpi_search *search)
{
    const gp_search_desc *d = search->desc;
    const gp_type out = d->out_type ? d->out_type : GP_U64;
    const gp_result result = gpi_check_key_type(gp, search->function, d->key_type);
    if (result != GP_OK) return result;
    if (out != GP_U32 && out != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: out_type = %d, must be GP_U32 or GP_U64",
                        search->function, (int)out);
    }
    if (out == GP_U32 && d->count > UINT32_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: count = %zu does not fit positions of GP_U32",
                        search->function, d->count);
    }
    search->key_size = gpi_type_size(d->key_type);
    search->out_size = gpi_type_size(out);
    return GP_OK;
}

/* Most samples that a group keeps: in the local shape as many as a tile's elements, for which local memory
   was fitted. */
static cl_uint gpi_search_samples(const gpi_plan *plan)
{
    return plan->shape == GP_SHAPE_LOCAL ? (cl_uint)gpi_plan_tile(plan) : (cl_uint)GPI_SEARCH_SERIAL_SAMPLES;
}

/* Everything but the buffers. */
static gp_result gpi_search_plan(gp_context *gp, gpi_search *search)
{
    const gp_search_desc *d = search->desc;
    gp_result result = gpi_search_check_types(gp, search);
    if (result != GP_OK) return result;
    search->keys.bound = d->count;
    search->keys.buffer = d->count_buffer;
    search->keys.offset = d->count_offset;
    search->keys.type = d->count_type;
    search->needles.bound = d->needle_count;
    search->needles.buffer = d->needle_count_buffer;
    search->needles.offset = d->needle_count_offset;
    search->needles.type = d->needle_count_type;
    result = gpi_plan_make_keys(gp, search->function, GPI_SEARCH, search->key_size, &search->plan);
    if (result != GP_OK) return result;
    return gpi_key_program(gp, search->function, GPI_SEARCH, d->key_type, search->out_size, "", &search->plan,
                           &search->program);
}

static gp_result gpi_search_check(gp_context *gp, const gpi_search *search)
{
    const gp_search_desc *d = search->desc;
    const char *const *names = gpi_search_names;
    const char *f = search->function;
    gpi_range used[GPI_SEARCH_RANGES];
    gp_result r = GP_OK;
    memset(used, 0, sizeof used);
    if (d->count > 0)
        r = gpi_check_buffer(gp, f, names[GPI_SEARCH_KEYS], d->keys, d->keys_offset, d->count,
                             search->key_size, GPI_READS, &used[GPI_SEARCH_KEYS]);
    if (r == GP_OK)
        r = gpi_check_buffer(gp, f, names[GPI_SEARCH_NEEDLES_IN], d->needles, d->needles_offset,
                             d->needle_count, search->key_size, GPI_READS, &used[GPI_SEARCH_NEEDLES_IN]);
    if (r == GP_OK)
        r = gpi_check_buffer(gp, f, names[GPI_SEARCH_OUT], d->out, d->out_offset, d->needle_count,
                             search->out_size, GPI_WRITES, &used[GPI_SEARCH_OUT]);
    if (r == GP_OK) r = gpi_check_count(gp, f, &search->keys, &used[GPI_SEARCH_COUNTER]);
    if (r == GP_OK)
        r = gpi_check_count_named(gp, f, "needle_", &search->needles, &used[GPI_SEARCH_NEEDLE_COUNTER]);
    return r == GP_OK ? gpi_check_apart(gp, f, names, used, GPI_SEARCH_OUT, GPI_SEARCH_RANGES) : r;
}

/* A serial group with few needles keeps few samples; a local one reads them all at once. */
static cl_uint gpi_search_wanted(const gpi_search *search, size_t span)
{
    const cl_uint most = gpi_search_samples(&search->plan);
    const size_t paid = span / GPI_SEARCH_PER_SAMPLE;
    if (search->plan.shape == GP_SHAPE_LOCAL || paid >= most) return most;
    return paid ? (cl_uint)paid : 1;
}

static gp_result gpi_search_launch(gpi_call *call, const gpi_search *search)
{
    const gp_search_desc *d = search->desc;
    const bool serial = search->plan.shape == GP_SHAPE_SERIAL;
    const size_t n = d->needle_count;
    const cl_ulong span = serial ? gpi_serial_span(call->gp, &search->plan, n, GPI_SEARCH_SERIAL_SPAN_MIN)
                                 : gpi_plan_tile(&search->plan);
    const cl_ulong keys_at = d->count ? d->keys_offset : 0, needles_at = d->needles_offset;
    const cl_ulong out_at = d->out_offset, flip = gpi_key_flip(d->key_type, d->descending);
    const cl_mem keys = d->count ? d->keys : d->needles; /* of no keys, none is looked at */
    const cl_uint upper = d->upper;
    const cl_uint samples = gpi_search_wanted(search, n < span ? n : (size_t)span);
    if (n == 0) return GP_OK;
    gpi_call_kernel(call, search->program, "gp_search_needles");
    GPI_CALL_ARG(call, keys);
    GPI_CALL_ARG(call, keys_at);
    GPI_CALL_ARG(call, d->needles);
    GPI_CALL_ARG(call, needles_at);
    GPI_CALL_ARG(call, d->out);
    GPI_CALL_ARG(call, out_at);
    GPI_CALL_ARG(call, flip);
    GPI_CALL_ARG(call, upper);
    GPI_CALL_ARG(call, samples);
    GPI_CALL_ARG(call, span);
    gpi_call_arg_count(call, &search->keys);
    gpi_call_arg_count(call, &search->needles);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &search->plan, gpi_ceil_div(n, (size_t)span));
}

static gp_result gpi_search_call(gp_context *gp, const char *function, const gp_search_desc *desc)
{
    gpi_search search;
    gpi_call call;
    gp_result result;
    memset(&search, 0, sizeof search);
    search.desc = desc;
    search.function = function;
    result = gpi_search_plan(gp, &search);
    if (result == GP_OK && desc->needle_count > 0) result = gpi_search_check(gp, &search);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_search_launch(&call, &search);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_search(gp_context *gp, const gp_search_desc *desc)
{
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_search: gp or desc is NULL");
    return gpi_search_call(gp, "gp_search", desc);
}

/* Searches zeros of the context's own for a zero. */
static gp_result gpi_search_warm_up(gp_context *gp, const gp_search_desc *desc)
{
    gp_search_desc probe;
    gp_result result;
    memset(&probe, 0, sizeof probe);
    probe.key_type = desc->key_type;
    probe.out_type = desc->out_type;
    probe.count = probe.needle_count = 1;
    result = gpi_alloc_zeros(gp, sizeof(cl_ulong), &probe.keys);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, sizeof(cl_ulong), &probe.out);
    probe.needles = probe.keys;
    if (result == GP_OK) result = gpi_search_call(gp, "gp_warmup", &probe);
    if (probe.keys) (void)clReleaseMemObject(probe.keys);
    if (probe.out) (void)clReleaseMemObject(probe.out);
    return result;
}
