/* gather.c - gp_gather, gp_scatter and gp_unpack: move elements by index. An unpack scans its flags to get the indices. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/type.h"
#include "runtime/tuning.h"
#include "program/program.h"
#include "launch/launch.h"
#include "element/element.h"
#include "scan/scan.h"

#include <string.h>

enum { GPI_GATHER_SERIAL_SPAN_MIN = 8192 /* fewest elements of a group */ };

/* A call of gp_gather, gp_scatter or gp_unpack, ready to be checked and run. */
typedef struct gpi_gather {
    size_t element_size;
    cl_mem in, out, index, flag; /* index NULL: an unpack, whose indices are the ranks of flags */
    size_t in_offset, out_offset, index_offset, flag_offset;
    size_t in_count, out_count; /* elements of `in` and of `out` */
    gp_type index_type, flag_type;
    bool scatter;
    gpi_count count;
    gpi_plan plan;
    gpi_program *program;
    gp_scan_desc scan_desc; /* unpack: the scan that computes the ranks of flags */
    gpi_scan scan;
    size_t ranks_at; /* where the ranks begin, in bytes */
} gpi_gather;

/* ------------------------------------------------------------------ describe */

static void gpi_gather_init(gpi_gather *gather, const gp_gather_desc *d, bool scatter)
{
    memset(gather, 0, sizeof *gather);
    gather->element_size = d->element_size;
    gather->scatter = scatter;
    gather->in = d->in;
    gather->in_offset = d->in_offset;
    gather->in_count = scatter ? d->count : d->limit;
    gather->out = d->out;
    gather->out_offset = d->out_offset;
    gather->out_count = scatter ? d->limit : d->count;
    gather->index = d->indices;
    gather->index_offset = d->indices_offset;
    gather->index_type = d->index_type ? d->index_type : GP_U32;
    gather->count = gpi_count_make(d->count, d->count_buffer, d->count_offset, d->count_type);
}

/* Describes an unpack. The rank of a flag is the number of set flags before it. It has 32 bits if these suffice. */
static void gpi_gather_init_unpack(gpi_gather *gather, const gp_unpack_desc *d)
{
    memset(gather, 0, sizeof *gather);
    gather->element_size = d->element_size;
    gather->in = d->in;
    gather->in_offset = d->in_offset;
    gather->in_count = d->in_count;
    gather->out = d->out;
    gather->out_offset = d->out_offset;
    gather->out_count = d->count;
    gather->flag = d->flags;
    gather->flag_offset = d->flags_offset;
    gather->flag_type = d->flags_type ? d->flags_type : GP_U8;
    gather->index_type = d->count > UINT32_MAX ? GP_U64 : GP_U32;
    gather->count = gpi_count_make(d->count, d->count_buffer, d->count_offset, d->count_type);
}

/* ------------------------------------------------------------------ program, plan */

/* Returns the unsigned type in which an element of `size` bytes is moved. */
static const char *gpi_gather_element_cl(size_t size)
{
    return size == 1 ? "uchar" : size == 2 ? "ushort" : size == 4 ? "uint" : size == 8 ? "ulong" : "ulong2";
}

static void gpi_gather_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                               gpi_text *text)
{
    const gpi_gather *gather = (const gpi_gather *)description;
    gpi_prelude_apart(gp, plan, text);
    gpi_text_add(text, "#define GPI_OUT %s\n#define GPI_INDEX %s\n#define GPI_SCATTER %d\n",
                 gpi_gather_element_cl(gather->element_size), gpi_type_cl(gather->index_type),
                 gather->scatter);
    if (gather->flag_type) {
        gpi_text_add(text, "#define GPI_FLAG %s\n",
                     gather->flag_type == GP_F16 ? "ushort" : gpi_type_cl(gather->flag_type));
    }
}

/* Plans the scan that computes, for each flag, the number of set flags before it. */
static gp_result gpi_gather_plan_scan(gp_context *gp, gpi_gather *gather)
{
    gp_scan_desc *d = &gather->scan_desc;
    gp_result result;
    d->in = gather->flag;
    d->in_offset = gather->flag_offset;
    d->type = gather->flag_type;
    d->map = "x != 0";
    d->out_type = gather->index_type;
    d->op = GP_SUM;
    d->exclusive = true;
    d->count = gather->count.bound;
    result = gpi_scan_plan(gp, d, &gather->scan);
    if (result != GP_OK) return result;
    gather->ranks_at = gpi_round_up(gpi_scan_scratch(&gather->scan), 64);
    d->out_offset = gather->ranks_at / gpi_type_size(gather->index_type);
    return GP_OK;
}

static size_t gpi_gather_scratch(const gpi_gather *gather)
{
    if (!gather->flag_type || gather->count.bound == 0) return 0;
    return gather->ranks_at + gather->count.bound * gpi_type_size(gather->index_type);
}

/* Checks and plans a call, except for its buffers. */
static gp_result gpi_gather_plan(gp_context *gp, gpi_gather *gather)
{
    const size_t size = gather->element_size;
    gp_result result = GP_OK;
    if (size == 0 || size > 16 || (size & (size - 1))) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "element_size = %zu, must be 1, 2, 4, 8 or 16", size);
    }
    if (gather->index_type != GP_U32 && gather->index_type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "index_type = %d, must be GP_U32 or GP_U64",
                        (int)gather->index_type);
    }
    if (gather->flag_type) {
        result = gpi_check_type(gp, "flags_type", gather->flag_type);
        if (result == GP_OK) result = gpi_gather_plan_scan(gp, gather);
    }
    if (result == GP_OK) result = gpi_plan_make_map(gp, size, &gather->plan);
    if (result != GP_OK) return result;
    return gpi_program_get(gp, GPI_GATHER, gpi_gather_prelude, gather, &gather->plan, &gather->program);
}

/* ------------------------------------------------------------------ check */

static gp_result gpi_gather_check(gp_context *gp, const gpi_gather *g, cl_mem scratch)
{
    const size_t n = g->count.bound;
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, GP_OK);
    if (g->in_count)
        gpi_use_buffer(&uses, "in", g->in, g->in_offset, g->in_count, g->element_size, GPI_READS);
    if (n && g->flag_type)
        gpi_use_buffer(&uses, "flags", g->flag, g->flag_offset, n, gpi_type_size(g->flag_type), GPI_READS);
    else if (n)
        gpi_use_buffer(&uses, "indices", g->index, g->index_offset, n, gpi_type_size(g->index_type),
                       GPI_READS);
    gpi_use_count(&uses, "count_buffer", &g->count);
    if (g->out_count)
        gpi_use_buffer(&uses, "out", g->out, g->out_offset, g->out_count, g->element_size, GPI_WRITES);
    return gpi_uses_end(&uses, NULL, scratch, gpi_gather_scratch(g));
}

/* ------------------------------------------------------------------ launch */

/* Passes an array and its offset. If the array is empty, passes another buffer as a placeholder. */
static void gpi_gather_arg_array(gpi_call *call, size_t count, cl_mem buffer, size_t offset)
{
    const cl_ulong at = count ? offset : 0;
    const cl_mem some = count ? buffer : call->gp->counters;
    GPI_CALL_ARG(call, some);
    GPI_CALL_ARG(call, at);
}

static gp_result gpi_gather_launch(gpi_call *call, const gpi_gather *g)
{
    const size_t n = g->count.bound;
    const bool serial = g->plan.shape == GP_SHAPE_SERIAL;
    const cl_ulong span =
        serial ? gpi_serial_span(call->gp, &g->plan, n, GPI_GATHER_SERIAL_SPAN_MIN) : gpi_plan_tile(&g->plan);
    const cl_ulong limit = g->scatter ? g->out_count : g->in_count;
    gpi_call_kernel(call, g->program, "gp_gather_tiles");
    gpi_gather_arg_array(call, g->in_count, g->in, g->in_offset);
    gpi_gather_arg_array(call, g->out_count, g->out, g->out_offset);
    gpi_gather_arg_array(call, n, g->index, g->index_offset);
    if (g->flag_type) gpi_gather_arg_array(call, n, g->flag, g->flag_offset);
    GPI_CALL_ARG(call, limit);
    GPI_CALL_ARG(call, span);
    gpi_call_arg_count(call, &g->count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &g->plan, gpi_ceil_div(n, (size_t)span));
}

/* Enqueues the scan of the flags into the scratch. The next launch uses the output as indices. */
static gp_result gpi_gather_rank(gpi_call *call, gpi_gather *gather, cl_mem own)
{
    gp_scan_desc *d = &gather->scan_desc;
    gp_result result = gpi_call_scratch(call, own, gpi_gather_scratch(gather), &d->scratch);
    if (result != GP_OK) return result;
    d->out = gather->index = d->scratch;
    gather->index_offset = d->out_offset;
    gpi_scan_choose(call->gp, &gather->scan, false);
    return gpi_scan_launch(call, &gather->scan);
}

static gp_result gpi_gather_run(gp_context *gp, gpi_gather *gather, cl_mem scratch, const cl_event *wait,
                                cl_uint wait_count, cl_event *done)
{
    const bool some = gather->count.bound > 0;
    gpi_call call;
    gp_result result = gpi_gather_plan(gp, gather);
    if (result == GP_OK && some) result = gpi_gather_check(gp, gather, scratch);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, wait, wait_count, done);
    if (result == GP_OK && some && gather->flag_type) result = gpi_gather_rank(&call, gather, scratch);
    if (result == GP_OK && some) result = gpi_gather_launch(&call, gather);
    return gpi_call_end(&call, result);
}

/* ------------------------------------------------------------------ API */

static gp_result gpi_gather_call(gp_context *gp, const gp_gather_desc *desc, bool scatter)
{
    gpi_gather gather;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    gpi_gather_init(&gather, desc, scatter);
    return gpi_gather_run(gp, &gather, NULL, desc->wait, desc->wait_count, desc->done);
}

GP_API gp_result gp_gather(gp_context *gp, const gp_gather_desc *desc)
{
    return gpi_gather_call(gpi_enter(gp, __func__), desc, false);
}

GP_API gp_result gp_scatter(gp_context *gp, const gp_gather_desc *desc)
{
    return gpi_gather_call(gpi_enter(gp, __func__), desc, true);
}

GP_API gp_result gp_unpack(gp_context *gp, const gp_unpack_desc *desc)
{
    gpi_gather gather;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    gpi_gather_init_unpack(&gather, desc);
    return gpi_gather_run(gp, &gather, desc->scratch, desc->wait, desc->wait_count, desc->done);
}

GP_API gp_result gp_unpack_scratch_size(gp_context *gp, const gp_unpack_desc *desc, size_t *bytes)
{
    gpi_gather gather;
    gp_result result;
    gpi_enter(gp, __func__);
    if (bytes) *bytes = 0;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    gpi_gather_init_unpack(&gather, desc);
    result = gpi_gather_plan(gp, &gather);
    if (result == GP_OK) *bytes = gpi_gather_scratch(&gather);
    return result;
}

/* ------------------------------------------------------------------ warm-up */

/* Moves one zero, in temporary buffers. */
static gp_result gpi_gather_warm_up_one(gp_context *gp, gpi_gather *gather)
{
    enum { GPI_LARGEST = 16 }; /* most bytes of an element, an index or a flag */
    cl_mem in = NULL, out = NULL;
    gp_result result = gpi_alloc_zeros(gp, GPI_LARGEST, &in);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, GPI_LARGEST, &out);
    gather->in = gather->index = gather->flag = in;
    gather->out = out;
    gather->in_offset = gather->out_offset = gather->index_offset = gather->flag_offset = 0;
    gather->in_count = gather->out_count = 1;
    gather->count = gpi_count_make(1, NULL, 0, GP_TYPE_NONE);
    if (result == GP_OK) result = gpi_gather_run(gp, gather, NULL, NULL, 0, NULL);
    if (in) (void)clReleaseMemObject(in);
    if (out) (void)clReleaseMemObject(out);
    return result;
}

static gp_result gpi_gather_warm_up(gp_context *gp, const gp_gather_desc *desc)
{
    gpi_gather gather;
    gpi_gather_init(&gather, desc, false);
    return gpi_gather_warm_up_one(gp, &gather);
}

static gp_result gpi_scatter_warm_up(gp_context *gp, const gp_gather_desc *desc)
{
    gpi_gather gather;
    gpi_gather_init(&gather, desc, true);
    return gpi_gather_warm_up_one(gp, &gather);
}

static gp_result gpi_unpack_warm_up(gp_context *gp, const gp_unpack_desc *desc)
{
    gpi_gather gather;
    gp_scan_desc scan; /* also warmed up separately, for several tiles */
    gp_result result;
    gpi_gather_init_unpack(&gather, desc);
    memset(&scan, 0, sizeof scan);
    scan.type = gather.flag_type;
    scan.map = "x != 0";
    scan.out_type = gather.index_type;
    scan.op = GP_SUM;
    result = gpi_scan_warm_up(gp, &scan);
    return result == GP_OK ? gpi_gather_warm_up_one(gp, &gather) : result;
}
