/* run_length_decode.c - gp_run_length_decode: decodes in one launch, in which each group writes a span of the
   output. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/type.h"
#include "select/select.h"

#include <string.h>

enum { GPI_DECODE_SPAN_MIN = 16384 /* serial: fewest elements of a group */ };

/* A checked call of gp_run_length_decode, ready to run. */
typedef struct gpi_decode {
    const gp_run_length_decode_desc *desc;
    size_t element_size, offset_size, index_size; /* bytes; element_size 0: no keys are wanted */
    gpi_count runs;
    gpi_plan plan;
    gpi_program *program;
} gpi_decode;

/* ------------------------------------------------------------------ describe, plan, program */

static gp_result gpi_decode_describe(gp_context *gp, const gp_run_length_decode_desc *d, gpi_decode *decode)
{
    gp_type index_type = d->index_type;
    gpi_compact keys; /* only its type is used */
    gp_result result = GP_OK;
    memset(decode, 0, sizeof *decode);
    decode->desc = d;
    if (!d->out && (d->in || d->type || d->element_size)) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "out is NULL, and in, type or element_size is given");
    }
    if (d->out) result = gpi_compact_type(gp, &keys, "", d->type, d->element_size);
    decode->element_size = d->out && result == GP_OK ? keys.size : 0;
    if (result == GP_OK && d->offsets_type != GP_U32 && d->offsets_type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "offsets_type = %d, must be GP_U32 or GP_U64",
                        (int)d->offsets_type);
    }
    if (result == GP_OK)
        result = gpi_compact_number(gp, "index_type", &index_type, d->positions_out ? d->count : 0);
    if (result != GP_OK) return result;
    if (d->run_count >= UINT32_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "run_count = %zu, at most 2^32 - 2", d->run_count);
    }
    if (!d->out && !d->runs_out && !d->positions_out) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER,
                        "out, runs_out and positions_out are NULL: at least one output is required");
    }
    decode->offset_size = gpi_type_size(d->offsets_type);
    decode->index_size = gpi_type_size(index_type);
    decode->runs = gpi_count_make(d->run_count, d->count_buffer, d->count_offset, d->count_type);
    return GP_OK;
}

static void gpi_decode_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                               gpi_text *text)
{
    const gpi_decode *decode = (const gpi_decode *)description;
    const gp_run_length_decode_desc *d = decode->desc;
    gpi_prelude_plan(gp, plan, text);
    gpi_text_add(text, "#define GPI_ELEMENT %s\n#define GPI_OFFSET %s\n#define GPI_RUN_INDEX %s\n",
                 gpi_compact_record(decode->element_size), gpi_compact_record(decode->offset_size),
                 gpi_compact_record(decode->index_size));
    gpi_text_add(text,
                 "#define GPI_WANTS_KEYS %d\n#define GPI_WANTS_RUNS %d\n#define GPI_WANTS_POSITIONS %d\n",
                 d->out != NULL, d->runs_out != NULL, d->positions_out != NULL);
}

/* Checks and plans a call, except for its buffers. */
static gp_result gpi_decode_plan(gp_context *gp, const gp_run_length_decode_desc *desc, gpi_decode *decode)
{
    gp_result result = gpi_decode_describe(gp, desc, decode);
    if (result == GP_OK)
        result = gpi_plan_make_sized(gp, GPI_RUN_LENGTH_DECODE, 4, GP_STRATEGY_MULTI_PASS, &decode->plan);
    if (result != GP_OK) return result;
    return gpi_program_get(gp, GPI_RUN_LENGTH_DECODE, gpi_decode_prelude, decode, &decode->plan,
                           &decode->program);
}

/* ------------------------------------------------------------------ check, launch */

static gp_result gpi_decode_check(gp_context *gp, const gpi_decode *decode)
{
    const gp_run_length_decode_desc *d = decode->desc;
    const size_t n = d->count;
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, GP_OK);
    if (d->out) {
        gpi_use_buffer(&uses, "in", d->in, d->in_offset, d->run_count, decode->element_size, GPI_READS);
        gpi_use_buffer(&uses, "out", d->out, d->out_offset, n, decode->element_size, GPI_WRITES);
    }
    gpi_use_buffer(&uses, "offsets", d->offsets, d->offsets_offset, d->run_count + 1, decode->offset_size,
                   GPI_READS);
    gpi_use_count(&uses, "count_buffer", &decode->runs);
    if (d->runs_out)
        gpi_use_buffer(&uses, "runs_out", d->runs_out, d->runs_out_offset, n, decode->index_size, GPI_WRITES);
    if (d->positions_out)
        gpi_use_buffer(&uses, "positions_out", d->positions_out, d->positions_out_offset, n,
                       decode->index_size, GPI_WRITES);
    return gpi_uses_end(&uses, NULL, NULL, 0);
}

static gp_result gpi_decode_launch(gpi_call *call, const gpi_decode *decode)
{
    const gp_run_length_decode_desc *d = decode->desc;
    const gpi_plan *plan = &decode->plan;
    const size_t most = d->count > d->run_count ? d->count : d->run_count + 1; /* elements or offsets */
    const size_t span = plan->shape == GP_SHAPE_SERIAL
                            ? gpi_serial_span(call->gp, plan, most, GPI_DECODE_SPAN_MIN)
                            : gpi_plan_tile(plan);
    const size_t groups = gpi_ceil_div(most, span);
    gpi_call_kernel(call, decode->program, "gp_decode_runs");
    gpi_call_arg_array(call, d->offsets, d->offsets_offset);
    gpi_call_arg_array(call, d->in ? d->in : call->gp->counters, d->in ? d->in_offset : 0);
    if (d->out) gpi_call_arg_array(call, d->out, d->out_offset);
    if (d->runs_out) gpi_call_arg_array(call, d->runs_out, d->runs_out_offset);
    if (d->positions_out) gpi_call_arg_array(call, d->positions_out, d->positions_out_offset);
    gpi_call_arg_ulong(call, d->count);
    gpi_call_arg_ulong(call, span);
    gpi_call_arg_ulong(call, gpi_ceil_div(d->run_count + 1, groups));
    gpi_call_arg_count(call, &decode->runs);
    gpi_call_arg_uint(call, (size_t)call->gp->stats.launches + 1); /* unique number of the launch */
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, plan, groups);
}

/* ------------------------------------------------------------------ API, warm-up */

GP_API gp_result gp_run_length_decode(gp_context *gp, const gp_run_length_decode_desc *desc)
{
    gpi_decode decode;
    gpi_call call;
    gp_result result;
    bool some;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    some = desc->run_count > 0 && desc->count > 0;
    result = gpi_decode_plan(gp, desc, &decode);
    if (result == GP_OK && some) result = gpi_decode_check(gp, &decode);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK && some) result = gpi_decode_launch(&call, &decode);
    return gpi_call_end(&call, result);
}

/* Decodes one empty run, in temporary buffers. */
static gp_result gpi_run_length_decode_warm_up(gp_context *gp, const gp_run_length_decode_desc *desc)
{
    enum { GPI_LARGEST = 16 }; /* most bytes of two offsets, or of an element */
    gp_run_length_decode_desc probe;
    cl_mem buffer[4] = {NULL, NULL, NULL, NULL};
    gp_result result = GP_OK;
    size_t k;
    for (k = 0; k < 4 && result == GP_OK; k++) result = gpi_alloc_zeros(gp, GPI_LARGEST, &buffer[k]);
    memset(&probe, 0, sizeof probe);
    probe.offsets = buffer[0];
    probe.in = desc->out ? buffer[0] : NULL;
    probe.out = desc->out ? buffer[1] : NULL;
    probe.runs_out = desc->runs_out ? buffer[2] : NULL;
    probe.positions_out = desc->positions_out ? buffer[3] : NULL;
    probe.offsets_type = desc->offsets_type;
    probe.index_type = desc->index_type;
    probe.type = desc->type;
    probe.element_size = desc->element_size;
    probe.run_count = probe.count = 1;
    if (result == GP_OK) result = gp_run_length_decode(gp, &probe);
    for (k = 0; k < 4; k++)
        if (buffer[k]) (void)clReleaseMemObject(buffer[k]);
    return result;
}
