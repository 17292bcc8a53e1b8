/* merge.c - gp_merge: merges two sorted sequences in one launch. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/type.h"
#include "element/element.h"
#include "sort/sort.h"

#include <string.h>

enum {
    GPI_MERGE_SERIAL_SPAN_MIN = 16384, /* fewest elements of a group */
    GPI_MERGE_PAGE = 4096 /* addresses at this distance are in the same set of a first-level cache */
};

/* A checked call of gp_merge, ready to run. */
typedef struct gpi_merge {
    const gp_merge_desc *desc;
    size_t key_size;
    gpi_plan plan;
    gpi_program *program;
    gpi_count a, b;
} gpi_merge;

/* Checks and plans a call, except for its buffers. */
static gp_result gpi_merge_plan(gp_context *gp, gpi_merge *merge)
{
    const gp_merge_desc *d = merge->desc;
    gp_result result = gpi_check_key_type(gp, d->key_type);
    if (result == GP_OK) result = gpi_check_value_size(gp, d->value_size);
    if (result != GP_OK) return result;
    if (!d->value_size && (d->a_values || d->b_values || d->values_out)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "values is given but value_size is 0");
    }
    merge->key_size = gpi_type_size(d->key_type);
    merge->a.bound = d->a_count;
    merge->a.buffer = d->a_count_buffer;
    merge->a.offset = d->a_count_offset;
    merge->a.type = d->a_count_type;
    merge->b.bound = d->b_count;
    merge->b.buffer = d->b_count_buffer;
    merge->b.offset = d->b_count_offset;
    merge->b.type = d->b_count_type;
    result = gpi_plan_make_keys(gp, GPI_MERGE, merge->key_size, &merge->plan);
    if (result != GP_OK) return result;
    if (merge->plan.shape == GP_SHAPE_LOCAL) /* odd, against bank conflicts: sort/merge_tile.cl */
        merge->plan.per_item = (merge->plan.per_item - 1) | 1;
    return gpi_key_program(gp, GPI_MERGE, d->key_type, d->value_size, "", &merge->plan, &merge->program);
}

/* ------------------------------------------------------------------ buffers */

static gp_result gpi_merge_check(gp_context *gp, const gpi_merge *merge)
{
    const gp_merge_desc *d = merge->desc;
    const size_t k = merge->key_size, v = d->value_size, a = d->a_count, b = d->b_count;
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, GP_OK);
    if (a) gpi_use_buffer(&uses, "a_keys", d->a_keys, d->a_keys_offset, a, k, GPI_READS);
    if (b) gpi_use_buffer(&uses, "b_keys", d->b_keys, d->b_keys_offset, b, k, GPI_READS);
    if (a && v) gpi_use_buffer(&uses, "a_values", d->a_values, d->a_values_offset, a, v, GPI_READS);
    if (b && v) gpi_use_buffer(&uses, "b_values", d->b_values, d->b_values_offset, b, v, GPI_READS);
    gpi_use_count(&uses, "a_count_buffer", &merge->a);
    gpi_use_count(&uses, "b_count_buffer", &merge->b);
    /* both counts fit in memory: their sum does not overflow */
    gpi_use_buffer(&uses, "keys_out", d->keys_out, d->keys_out_offset, a + b, k, GPI_WRITES);
    if (v) gpi_use_buffer(&uses, "values_out", d->values_out, d->values_out_offset, a + b, v, GPI_WRITES);
    return gpi_uses_end(&uses, NULL, NULL, 0);
}

/* ------------------------------------------------------------------ launch */

/* Passes an array and its offset. If the array is empty, passes `instead` as a placeholder. */
static void gpi_merge_arg_array(gpi_call *call, size_t count, cl_mem buffer, size_t offset, cl_mem instead)
{
    const cl_ulong at = count ? offset : 0;
    const cl_mem some = count ? buffer : instead;
    GPI_CALL_ARG(call, some);
    GPI_CALL_ARG(call, at);
}

/* Returns the number of elements of a group. In the serial shape a group writes the runs of its tile side by side. Distances
   between runs must not be multiples of GPI_MERGE_PAGE, or the cache would have room for only a few of the runs. */
static size_t gpi_merge_span(const gp_context *gp, const gpi_merge *merge, size_t n)
{
    const size_t page = GPI_MERGE_PAGE / (GPI_MERGE_STEP * merge->key_size),
                 steps_of_runs = GPI_MERGE_STEP * GPI_MERGE_RUNS_MOST;
    size_t span, steps;
    if (merge->plan.shape == GP_SHAPE_LOCAL) return gpi_plan_tile(&merge->plan);
    span = gpi_serial_span(gp, &merge->plan, n, GPI_MERGE_SERIAL_SPAN_MIN);
    steps = span / steps_of_runs;
    return steps < page ? span : (steps / page * page + page / GPI_MERGE_RUNS_MOST) * steps_of_runs;
}

static gp_result gpi_merge_launch(gpi_call *call, const gpi_merge *merge)
{
    const gp_merge_desc *d = merge->desc;
    const size_t n = d->a_count + d->b_count;
    const cl_ulong span = gpi_merge_span(call->gp, merge, n);
    const cl_ulong flip = gpi_key_flip(d->key_type, d->descending);
    if (n == 0) return GP_OK;
    gpi_call_kernel(call, merge->program, "gp_merge_tiles");
    gpi_merge_arg_array(call, d->a_count, d->a_keys, d->a_keys_offset, d->b_keys);
    gpi_merge_arg_array(call, d->b_count, d->b_keys, d->b_keys_offset, d->a_keys);
    gpi_merge_arg_array(call, n, d->keys_out, d->keys_out_offset, NULL);
    GPI_CALL_ARG(call, flip);
    if (d->value_size) {
        gpi_merge_arg_array(call, d->a_count, d->a_values, d->a_values_offset, d->b_values);
        gpi_merge_arg_array(call, d->b_count, d->b_values, d->b_values_offset, d->a_values);
        gpi_merge_arg_array(call, n, d->values_out, d->values_out_offset, NULL);
    }
    gpi_call_arg_count(call, &merge->a);
    gpi_call_arg_count(call, &merge->b);
    GPI_CALL_ARG(call, span);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &merge->plan, gpi_ceil_div(n, (size_t)span));
}

/* ------------------------------------------------------------------ API */

static gp_result gpi_merge_call(gp_context *gp, const gp_merge_desc *desc)
{
    gpi_merge merge;
    gpi_call call;
    gp_result result;
    memset(&merge, 0, sizeof merge);
    merge.desc = desc;
    result = gpi_merge_plan(gp, &merge);
    if (result == GP_OK && (desc->a_count > 0 || desc->b_count > 0)) result = gpi_merge_check(gp, &merge);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_merge_launch(&call, &merge);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_merge(gp_context *gp, const gp_merge_desc *desc)
{
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    return gpi_merge_call(gp, desc);
}

/* Merges two zeros in temporary buffers. */
static gp_result gpi_merge_warm_up(gp_context *gp, const gp_merge_desc *desc)
{
    enum { GPI_LARGEST = 16 }; /* most bytes of a key or a value */
    gp_merge_desc probe;
    cl_mem in = NULL, out = NULL;
    gp_result result;
    memset(&probe, 0, sizeof probe);
    probe.key_type = desc->key_type;
    probe.value_size = desc->value_size;
    probe.a_count = probe.b_count = 1;
    result = gpi_alloc_zeros(gp, GPI_LARGEST, &in);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, 4 * GPI_LARGEST, &out);
    probe.a_keys = probe.b_keys = in;
    probe.keys_out = out;
    if (probe.value_size) {
        probe.a_values = probe.b_values = in;
        probe.values_out = out;
        probe.values_out_offset = 2 * GPI_LARGEST / probe.value_size;
    }
    if (result == GP_OK) result = gpi_merge_call(gp, &probe);
    if (in) (void)clReleaseMemObject(in);
    if (out) (void)clReleaseMemObject(out);
    return result;
}
