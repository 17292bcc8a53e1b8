/* random.c - gp_random: computes random numbers from a counter, in one launch. */
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

#include <float.h>
#include <string.h>

enum { GPI_RANDOM_SERIAL_SPAN_MIN = 8192 /* fewest elements of a group */ };

/* A checked call of gp_random, ready to run. */
typedef struct gpi_random {
    const gp_random_desc *desc;
    unsigned words;       /* random words per element: 1 or 2 */
    cl_ulong argument[2]; /* bits of low and range, or of mean and deviation */
    gpi_plan plan;
    gpi_program *program;
    gpi_count count;
} gpi_random;

/* ------------------------------------------------------------------ describe */

static gp_result gpi_random_range(gp_context *gp, gpi_random *random)
{
    const uint64_t low = random->desc->low.u64, high = random->desc->high.u64;
    random->argument[0] = low;
    random->argument[1] = high - low;
    return gpi_check_bounds(gp, "low", low, "high", high, random->desc->type);
}

static gp_result gpi_random_normal(gp_context *gp, gpi_random *random)
{
    const double most = random->desc->type == GP_F64 ? DBL_MAX : FLT_MAX;
    const gp_random_desc *d = random->desc;
    const double numbers[2] = {d->mean, d->deviation == 0 ? 1 : d->deviation};
    size_t k;
    if (!(numbers[0] >= -most && numbers[0] <= most && numbers[1] >= 0 && numbers[1] <= most)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "mean = %.17g and deviation = %.17g: must be finite as %s, deviation not negative",
                        d->mean, d->deviation, gpi_type_cl(gpi_operand(d->type)));
    }
    for (k = 0; k < 2; k++) {
        const float narrow = (float)numbers[k];
        random->argument[k] = 0;
        if (d->type == GP_F64) memcpy(&random->argument[k], &numbers[k], sizeof numbers[k]);
        else memcpy(&random->argument[k], &narrow, sizeof narrow);
    }
    return GP_OK;
}

static gp_result gpi_random_describe(gp_context *gp, gpi_random *random)
{
    const gp_random_desc *d = random->desc;
    const bool floats = d->kind == GP_RANDOM_UNIFORM || d->kind == GP_RANDOM_NORMAL;
    const gp_result result = gpi_check_type(gp, "type", d->type);
    if (result != GP_OK) return result;
    if ((unsigned)d->kind >= GP_RANDOM_KIND_COUNT) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "kind = %d is not a gp_random_kind", (int)d->kind);
    }
    if (gpi_is_float(d->type) != floats) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "type %s, kind %d is of %s", gpi_type_cl(d->type),
                        (int)d->kind, floats ? "floats" : "integers");
    }
    if (d->count > UINT64_MAX - d->first_element) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "first_element = %llu and count = %zu are over 2^64",
                        (unsigned long long)d->first_element, d->count);
    }
    random->words = gpi_type_size(d->type) == 8 || d->kind == GP_RANDOM_RANGE ? 2 : 1;
    if (d->kind == GP_RANDOM_NORMAL) return gpi_random_normal(gp, random);
    return d->kind == GP_RANDOM_RANGE ? gpi_random_range(gp, random) : GP_OK;
}

/* ------------------------------------------------------------------ program, plan */

/* Returns the number of bits in a uniform fraction: the precision that the type has in all of [0, 1). */
static unsigned gpi_random_fraction(gp_type type, gp_random_kind kind)
{
    return type == GP_F64 ? 53 : type == GP_F16 && kind == GP_RANDOM_UNIFORM ? 11 : 24;
}

static void gpi_random_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                               gpi_text *text)
{
    const gpi_random *random = (const gpi_random *)description;
    const gp_type type = random->desc->type;
    gpi_prelude_apart(gp, plan, text);
    gpi_text_add(text, "#define GPI_WORDS %u\n#define GPI_KIND %d\n", random->words, (int)random->desc->kind);
    gpi_text_add(text, "#define GPI_OUT %s\n#define GPI_OUT_HALF %d\n#define GPI_LANE %s\n",
                 gpi_type_cl(type), type == GP_F16, gpi_type_cl(gpi_operand(type)));
    gpi_text_add(text, "#define GPI_FRACTION %u\n#define GPI_AS_LANE(x) %s\n",
                 gpi_random_fraction(type, random->desc->kind),
                 type == GP_F64 ? "as_double(x)" : "as_float((uint)(x))");
}

/* Checks and plans a call, except for its buffers. Local memory holds, for each item, the elements of a block. */
static gp_result gpi_random_plan(gp_context *gp, gpi_random *random)
{
    const gp_random_desc *d = random->desc;
    gp_result result = gpi_random_describe(gp, random);
    random->count = gpi_count_make(d->count, d->count_buffer, d->count_offset, d->count_type);
    if (result == GP_OK) result = gpi_plan_make_map(gp, 16, &random->plan);
    if (result != GP_OK) return result;
    return gpi_program_get(gp, GPI_RANDOM, gpi_random_prelude, random, &random->plan, &random->program);
}

/* ------------------------------------------------------------------ check */

static gp_result gpi_random_check(gp_context *gp, const gpi_random *random)
{
    const gp_random_desc *d = random->desc;
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, GP_OK);
    gpi_use_count(&uses, "count_buffer", &random->count);
    gpi_use_buffer(&uses, "out", d->out, d->out_offset, d->count, gpi_type_size(d->type), GPI_WRITES);
    return gpi_uses_end(&uses, NULL, NULL, 0);
}

/* ------------------------------------------------------------------ launch, API */

static gp_result gpi_random_launch(gpi_call *call, const gpi_random *random)
{
    const gp_random_desc *d = random->desc;
    const size_t per_block = 4 / random->words, n = d->count + d->first_element % per_block;
    const bool serial = random->plan.shape == GP_SHAPE_SERIAL;
    const cl_ulong span = serial ? gpi_serial_span(call->gp, &random->plan, n, GPI_RANDOM_SERIAL_SPAN_MIN)
                                 : gpi_plan_tile(&random->plan) * per_block;
    const cl_ulong out_at = d->out_offset, seed = d->seed, stream = d->stream, first = d->first_element;
    if (d->count == 0) return GP_OK;
    gpi_call_kernel(call, random->program, "gp_random_tiles");
    GPI_CALL_ARG(call, d->out);
    GPI_CALL_ARG(call, out_at);
    GPI_CALL_ARG(call, seed);
    GPI_CALL_ARG(call, stream);
    GPI_CALL_ARG(call, first);
    GPI_CALL_ARG(call, random->argument[0]);
    GPI_CALL_ARG(call, random->argument[1]);
    GPI_CALL_ARG(call, span);
    gpi_call_arg_count(call, &random->count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &random->plan, gpi_ceil_div(n, (size_t)span));
}

static gp_result gpi_random_call(gp_context *gp, const gp_random_desc *desc)
{
    gpi_random random;
    gpi_call call;
    gp_result result;
    memset(&random, 0, sizeof random);
    random.desc = desc;
    result = gpi_random_plan(gp, &random);
    if (result == GP_OK && desc->count > 0) result = gpi_random_check(gp, &random);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_random_launch(&call, &random);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_random(gp_context *gp, const gp_random_desc *desc)
{
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    return gpi_random_call(gp, desc);
}

/* Makes one number, in a temporary buffer. */
static gp_result gpi_random_warm_up(gp_context *gp, const gp_random_desc *desc)
{
    gp_random_desc probe;
    gp_result result;
    memset(&probe, 0, sizeof probe);
    probe.type = desc->type;
    probe.kind = desc->kind;
    probe.high.u8 = 1;
    probe.count = 1;
    result = gpi_alloc_zeros(gp, sizeof(cl_ulong), &probe.out);
    if (result == GP_OK) result = gpi_random_call(gp, &probe);
    if (probe.out) (void)clReleaseMemObject(probe.out);
    return result;
}
