/* sort.c - gp_sort, gp_argsort: sorts by digits, the lowest first. Chooses the passes and launches them. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "element/element.h"
#include "sort/sort.h"

#include <stdio.h>
#include <string.h>

static gp_result gpi_sort_program(gp_context *gp, gpi_sort *sort, gpi_primitive primitive, gpi_plan *plan)
{
    const gp_tuning *tuning = &gp->desc.tuning;
    char more[200] = "";
    size_t used;
    if (primitive == GPI_SORT) {
        (void)snprintf(more, sizeof more,
                       "#define GPI_RING_ROWS %uu\n#define GPI_RING_REACH %uu\n#define GPI_RING_BLOCK %uu\n",
                       sort->ring_rows, gpi_or_default(tuning->ring_reach, GPI_RING_REACH),
                       gpi_or_default(tuning->ring_block, GPI_RING_BLOCK));
    }
    if (primitive == GPI_BUCKETS) (void)snprintf(more, sizeof more, "#define GPI_SAMPLED_BINS 1\n");
    used = strlen(more);
    if (sort->hash) (void)snprintf(more + used, sizeof more - used, "#define GPI_KEY_HASH %u\n", sort->hash);
    return gpi_key_program(gp, primitive, sort->desc->key_type, sort->value_size, more, plan, &sort->program);
}

/* Plans a sort by a single group of the local shape, if the keys fit in its tile: sets `few`, `plan` and `program`. */
static gp_result gpi_sort_plan_tile(gp_context *gp, gpi_sort *sort)
{
    gpi_plan tile;
    gp_result result = gpi_plan_make_sort(gp, GPI_SORT_TILE, sort->key_size, sort->value_size,
                                          GP_STRATEGY_MULTI_PASS, &tile);
    if (result != GP_OK || sort->desc->count > gpi_plan_tile(&tile)) return result;
    result = gpi_sort_program(gp, sort, GPI_SORT_TILE, &tile);
    if (result != GP_OK) return result;
    sort->few = sort->desc->count <= gpi_plan_tile(&tile); /* the group may have become smaller */
    if (sort->few) sort->plan = tile;
    else sort->program = NULL;
    return GP_OK;
}

/* Returns the number of shares, each of which one group sorts; 0: shares are not used. They are used only in the serial shape, on at
   least two cores, and if the caller has set neither a strategy nor the tuning of buckets or lines. The count must be above the most
   keys that one group sorts alone, and below the fewest for which buckets pay. A sort must take at least two passes. */
static cl_uint gpi_sort_shares_of(const gp_context *gp, const gpi_sort *sort)
{
    const gp_tuning *tuning = &gp->desc.tuning;
    const cl_uint units = gp->info.compute_units;
    const size_t n = sort->desc->count, few = gpi_sort_few(sort);
    if (sort->plan.shape != GP_SHAPE_SERIAL || sort->onesweep || sort->hash || units < 2) return 0;
    if (sort->desc->strategy || gp->desc.strategy || tuning->sort_bucket || tuning->sort_lines) return 0;
    if (n <= few || n / GPI_SORT_SHARES_SPAN > few || n >= gpi_buckets_count_min(sort)) return 0;
    if (sort->passes < 2) return 0;
    return units < GPI_SORT_SHARES_MAX ? units : (cl_uint)GPI_SORT_SHARES_MAX;
}

/* Checks and plans a call, except for its buffers. Afterwards the size of the scratch is known. */
static gp_result gpi_sort_plan(gp_context *gp, gpi_sort *sort)
{
    gp_result result = gpi_sort_describe(gp, sort);
    if (result != GP_OK) return result;
    sort->ring_rows = gpi_or_default(gp->desc.tuning.ring_rows, GPI_RING_ROWS);
    sort->onesweep = sort->plan.strategy ==
                     GP_STRATEGY_SINGLE_PASS; /* chosen by the call, the context or the tuning row */
    sort->shares = gpi_sort_shares_of(gp, sort);
    if (sort->plan.shape == GP_SHAPE_LOCAL) result = gpi_sort_plan_tile(gp, sort);
    else sort->few = sort->desc->count <= gpi_sort_few(sort);
    sort->buckets = gpi_buckets_suit(gp, sort);
    if (result == GP_OK && !sort->program)
        result = gpi_sort_program(gp, sort,
                                  sort->few                       ? GPI_SORT_TILE
                                  : sort->shares || sort->buckets ? GPI_BUCKETS
                                                                  : GPI_SORT,
                                  &sort->plan);
    if (result == GP_OK) result = gpi_sort_spans(gp, sort);
    if (result == GP_OK) gpi_sort_lay_out(sort);
    return result;
}

/* ------------------------------------------------------------------ launches */

/* Enqueues a sort by a single group. In the local shape it reads all keys before it writes any. */
static gp_result gpi_sort_tile(gpi_call *call, gpi_sort *sort)
{
    gpi_call_kernel(call, sort->program, "gp_sort_tile");
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_bits(call, sort);
    gpi_call_arg_uint(call, gpi_sort_from(sort));
    gpi_call_arg_uint(call, gpi_sort_in_place(sort));
    GPI_CALL_ARG(call, sort->most);
    gpi_call_arg_count(call, &sort->count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &sort->plan, 1);
}

static gp_result gpi_sort_shares_step(gpi_call *call, gpi_sort *sort, cl_mem parts, cl_uint steps)
{
    gpi_call_kernel(call, sort->program, "gp_sort_shares");
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_bits(call, sort);
    GPI_CALL_ARG(call, parts);
    gpi_call_arg_uint(call, gpi_sort_from(sort));
    GPI_CALL_ARG(call, steps);
    gpi_call_arg_count(call, &sort->count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &sort->plan, sort->shares);
}

static gp_result gpi_sort_shares(gpi_call *call, gpi_sort *sort, cl_mem parts)
{
    gp_result result;
    if (!gpi_sort_in_place(sort))
        return gpi_sort_shares_step(call, sort, parts, GPI_SHARES_TAKE | GPI_SHARES_SORT);
    result = gpi_sort_shares_step(call, sort, parts, GPI_SHARES_TAKE);
    return result == GP_OK ? gpi_sort_shares_step(call, sort, parts, GPI_SHARES_SORT) : result;
}

static gp_result gpi_sort_begin(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gpi_call_kernel(call, sort->program, "gp_sort_begin");
    GPI_CALL_ARG(call, state);
    gpi_call_arg_uint(call, sort->at.bases / 4); /* words of state and histogram */
    gpi_call_arg_uint(call, gpi_sort_from(sort));
    gpi_call_arg_count(call, &sort->count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &sort->plan, 1);
}

static gp_result gpi_sort_copy(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gpi_call_kernel(call, sort->program, "gp_sort_copy");
    gpi_sort_arg_places(call, sort);
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, sort->passes);
    gpi_call_arg_ulong(call, sort->block_span);
    return gpi_call_launch(call, &sort->plan, sort->blocks);
}

/* Enqueues classic pass `pass`: count, spine, scatter. */
static gp_result gpi_sort_classic_pass(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass,
                                       cl_uint when)
{
    const cl_uint shift = gpi_sort_shift(sort, pass);
    gp_result result = gpi_sort_count(call, sort, state, pass, shift, when);
    if (result == GP_OK) result = gpi_sort_spine(call, sort, state, pass, when);
    return result == GP_OK ? gpi_sort_scatter(call, sort, state, pass, shift, when) : result;
}

static gp_result gpi_sort_classic(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gp_result result = GP_OK;
    cl_uint pass;
    if (sort->buckets) result = gpi_buckets_launch(call, sort, state);
    for (pass = 0; pass < sort->passes && result == GP_OK; pass++)
        result =
            gpi_sort_classic_pass(call, sort, state, pass, sort->buckets ? GPI_UNLESS_BUCKETS : GPI_ALWAYS);
    return result == GP_OK ? gpi_sort_copy(call, sort, state) : result;
}

/* Enqueues two kernels: one counts the digits of all passes, the other computes each pass's bases, input and
   output. */
static gp_result gpi_sort_histogram(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gp_result result;
    gpi_call_kernel(call, sort->program, "gp_sort_histogram");
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_bits(call, sort);
    GPI_CALL_ARG(call, state);
    gpi_call_arg_ulong(call, sort->block_span);
    gpi_sort_arg_at(call, sort->at.histogram);
    result = gpi_call_launch(call, &sort->plan, sort->blocks);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, sort->program, "gp_sort_bases");
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, sort->passes);
    GPI_CALL_ARG(call, sort->portions);
    gpi_call_arg_uint(call, gpi_sort_in_place(sort));
    gpi_sort_arg_at(call, sort->at.histogram);
    gpi_sort_arg_at(call, sort->at.bases);
    return gpi_call_launch(call, &sort->plan, sort->passes);
}

/* Returns true if the ring's rows may hold words of earlier launches that this launch could mistake for its own
   (sort/lookback.cl, "Clearing"). */
static bool gpi_sort_must_clear(const gpi_sort *sort, cl_uint pass, cl_uint portion)
{
    const cl_uint before = portion > 0 ? portion - 1 : sort->portions - 1;
    if (sort->plan.words != GP_WORDS_WIDE || sort->count.buffer) return true;
    return (pass == 0 && portion == 0) || gpi_sort_tiles(sort, before) < 2 * (size_t)sort->ring_rows;
}

static gp_result gpi_sort_onesweep_launch(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass,
                                          cl_uint portion)
{
    const cl_uint launch = pass * sort->portions + portion;
    const size_t begin = portion * sort->portion;
    if (gpi_sort_must_clear(sort, pass, portion)) {
        const gp_result result = gpi_call_fill(call, state, sort->at.rows, gpi_sort_rows_bytes(sort));
        if (result != GP_OK) return result;
    }
    gpi_call_kernel(call, sort->program, "gp_sort_onesweep");
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_digit(call, sort, gpi_sort_shift(sort, pass));
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, pass);
    GPI_CALL_ARG(call, launch);
    gpi_call_arg_ulong(call, begin);
    gpi_call_arg_ulong(call, begin + sort->portion);
    gpi_call_arg_ulong(call, sort->tile_span);
    gpi_call_arg_uint(call, gpi_sort_lines(call->gp, sort));
    gpi_sort_arg_at(call, sort->at.bases + (size_t)launch * GPI_SORT_BINS * 8);
    gpi_call_arg_uint(call, portion + 1 < sort->portions);
    gpi_sort_arg_at(call, sort->at.rows);
    GPI_CALL_ARG(call, sort->plan.polls);
    return gpi_call_launch(call, &sort->plan, gpi_sort_tiles(sort, portion));
}

/* Enqueues the end of a onesweep sort: if a pass was abandoned, one group repeats it and runs all later passes. The kernel also
   copies the result to the output, as gpi_sort_copy does. */
static gp_result gpi_sort_resume(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gpi_call_kernel(call, sort->program, "gp_sort_resume");
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_bits(call, sort);
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, sort->portions);
    gpi_call_arg_uint(call, gpi_sort_lines(call->gp, sort));
    gpi_sort_arg_at(call, sort->at.bases);
    gpi_call_arg_ulong(call, sort->block_span);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &sort->plan, sort->blocks);
}

/* Returns true if gpi_sort_resume ends the sort. If false, classic kernels after each pass repeat the pass if it was abandoned
   (docs/adr/010). */
static bool gpi_sort_resumes(const gp_context *gp, const gpi_sort *sort)
{
    return gp->info.fair && sort->desc->count <= (size_t)GPI_SORT_RESUME_MOST / sort->passes;
}

static gp_result gpi_sort_onesweep(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    const bool resumes = gpi_sort_resumes(call->gp, sort);
    cl_uint pass, portion;
    gp_result result = gpi_sort_histogram(call, sort, state);
    for (pass = 0; pass < sort->passes && result == GP_OK; pass++) {
        for (portion = 0; portion < sort->portions && result == GP_OK; portion++)
            result = gpi_sort_onesweep_launch(call, sort, state, pass, portion);
        if (result == GP_OK && !resumes)
            result = gpi_sort_classic_pass(call, sort, state, pass, GPI_WHEN_ABANDONED);
    }
    if (result != GP_OK) return result;
    return resumes ? gpi_sort_resume(call, sort, state) : gpi_sort_copy(call, sort, state);
}

static gp_result gpi_sort_launch(gpi_call *call, gpi_sort *sort)
{
    cl_mem scratch = NULL;
    gp_result result = GP_OK;
    if (gpi_sort_is_nothing(sort)) return GP_OK;
    if (sort->at.end > 0) result = gpi_call_scratch(call, sort->desc->scratch, sort->at.end, &scratch);
    if (result != GP_OK) return result;
    gpi_sort_place(sort, scratch);
    if (sort->few) return gpi_sort_tile(call, sort);
    if (sort->shares) return gpi_sort_shares(call, sort, scratch);
    result = gpi_sort_begin(call, sort, scratch);
    if (result != GP_OK) return result;
    return sort->onesweep && sort->passes ? gpi_sort_onesweep(call, sort, scratch)
                                          : gpi_sort_classic(call, sort, scratch);
}

/* ------------------------------------------------------------------ API */

static void gpi_sort_init(gpi_sort *sort, const gp_sort_desc *desc, cl_uint indices)
{
    memset(sort, 0, sizeof *sort);
    sort->desc = desc;
    sort->indices = indices;
    sort->most = UINT32_MAX;
    sort->value_size = indices && !desc->value_size ? 4 : desc->value_size;
}

static gp_result gpi_sort_call(gp_context *gp, const gp_sort_desc *desc, cl_uint indices)
{
    gpi_sort sort;
    gpi_call call;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    gpi_sort_init(&sort, desc, indices);
    result = gpi_sort_plan(gp, &sort);
    if (result == GP_OK && desc->count > 0) result = gpi_sort_check(gp, &sort);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_sort_launch(&call, &sort);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_sort(gp_context *gp, const gp_sort_desc *desc)
{
    return gpi_sort_call(gpi_enter(gp, __func__), desc, GPI_INDICES_NONE);
}

GP_API gp_result gp_argsort(gp_context *gp, const gp_sort_desc *desc)
{
    return gpi_sort_call(gpi_enter(gp, __func__), desc, GPI_INDICES_ARRAY);
}

static gp_result gpi_sort_size(gp_context *gp, const gp_sort_desc *desc, cl_uint indices, size_t *bytes)
{
    gpi_sort sort;
    gp_result result;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    gpi_sort_init(&sort, desc, indices);
    result = gpi_sort_plan(gp, &sort);
    *bytes = result == GP_OK ? sort.at.end : 0;
    return result;
}

GP_API gp_result gp_sort_scratch_size(gp_context *gp, const gp_sort_desc *desc, size_t *bytes)
{
    return gpi_sort_size(gpi_enter(gp, __func__), desc, GPI_INDICES_NONE, bytes);
}

GP_API gp_result gp_argsort_scratch_size(gp_context *gp, const gp_sort_desc *desc, size_t *bytes)
{
    return gpi_sort_size(gpi_enter(gp, __func__), desc, GPI_INDICES_ARRAY, bytes);
}

/* Sorts zeros in temporary buffers: first few of them, then enough to run the kernels of every other method. Does not
   run kernels that only very many keys need (gpi_sort_resumes). */
static gp_result gpi_sort_warm_up(gp_context *gp, const gp_sort_desc *desc)
{
    gp_sort_desc probe;
    gpi_sort sort;
    gp_result result;
    size_t counts[3] = {1, 0, 0}, i; /* counts that use one group; shares or passes; buckets */
    memset(&probe, 0, sizeof probe);
    probe.key_type = desc->key_type;
    probe.value_size = desc->value_size;
    probe.begin_bit = desc->begin_bit; /* the bits and the count determine the width of digits */
    probe.end_bit = desc->end_bit;
    probe.strategy = desc->strategy;
    gpi_sort_init(&sort, &probe, GPI_INDICES_NONE);
    result = gpi_sort_plan(gp, &sort);
    if (result != GP_OK) return result;
    probe.count = sort.plan.shape == GP_SHAPE_SERIAL ? gpi_sort_few(&sort) : gpi_plan_tile(&sort.plan);
    probe.count++;
    counts[1] = probe.count;
    if (sort.plan.shape == GP_SHAPE_SERIAL) counts[2] = gpi_buckets_count_min(&sort);
    result = gpi_alloc_zeros(gp, (counts[1] + counts[2]) * sort.key_size, &probe.keys);
    if (result == GP_OK && probe.value_size)
        result = gpi_alloc_zeros(gp, (counts[1] + counts[2]) * probe.value_size, &probe.values);
    for (i = 0; i < 3 && result == GP_OK; i++) {
        if (desc->count && (desc->count < counts[i] || (i < 1 && desc->count >= counts[1]))) continue;
        probe.count = counts[i];
        result = gp_sort(gp, &probe);
    }
    if (probe.keys) (void)clReleaseMemObject(probe.keys);
    if (probe.values) (void)clReleaseMemObject(probe.values);
    return result;
}
