/* histogram.c - gp_histogram: counts samples by bin. If there are few bins, each group counts in its own table. With
   many bins, groups of the local shape count in the output by atomics; groups of the serial shape count in their own
   slices of the scratch, and a second launch adds up the slices. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/type.h"
#include "runtime/tuning.h"
#include "program/program.h"
#include "program/user_text.h"
#include "launch/launch.h"
#include "element/element.h"

#include <string.h>

enum {
    GPI_HISTOGRAM_SERIAL_CELLS = 16384, /* serial: number of counts in a group's four tables together */
    GPI_HISTOGRAM_LOCAL_CELLS = 4096,   /* local: most counts in a group's tables, 16 KiB */
    GPI_HISTOGRAM_LEAST_CELLS = 1024,   /* local: fewest counts in a group's tables, four channels of 256 */
    GPI_HISTOGRAM_SPAN_MIN = 32768,     /* serial: fewest samples of a group */
    GPI_HISTOGRAM_JOIN_SPAN = 4096      /* serial: number of bins whose counts one group adds up */
};

/* A checked call of gp_histogram, ready to run. */
typedef struct gpi_histogram {
    const gp_histogram_desc *desc;
    gp_type type, out_type; /* type of samples (of the map's value, if there is a map), type of counts */
    size_t size, out_size, weight_size; /* bytes of a sample, a count, a weight */
    size_t in_size;                     /* bytes of an element in memory */
    bool indices;                       /* there is no input: the map takes only the index */
    gpi_args args;                      /* arguments that the map may name */
    size_t channels, wanted;            /* channels of an element; channels that are counted */
    size_t bins;
    cl_ulong lower, limit, scale[3]; /* for even bins: members of gpi_bins (histogram/bins.cl) */
    cl_uint shift;
    gpi_plan plan;
    gpi_program *program;
    gpi_count count;
    size_t near_cells;
    bool is_near;
    size_t span; /* elements of a group */
    cl_uint groups, copies;
} gpi_histogram;

/* ------------------------------------------------------------------ bins */

/* Returns floor(x * 2^64 / range) for x < range, and sets *rest to the remainder. A range of 0 means 2^64. */
static cl_ulong gpi_fraction(cl_ulong x, cl_ulong range, cl_ulong *rest)
{
    cl_ulong q = 0;
    int k;
    *rest = 0;
    if (range == 0) return x;
    for (k = 0; k < 64; k++) {
        const bool carry = (x >> 63) != 0;
        x <<= 1;
        q <<= 1;
        if (!carry && x < range) continue;
        x -= range;
        q |= 1;
    }
    *rest = x;
    return q;
}

/* Returns the s below `bits` with range = bins * 2^s, or ~0 if there is none. A range of 0 means 2^64. */
static cl_uint gpi_bins_shift(cl_ulong range, cl_ulong bins, cl_uint bits)
{
    cl_uint s;
    for (s = 0; s < bits; s++) {
        const cl_ulong shifted = bins << s;
        if (shifted == range && (range ? shifted >> s == bins : bins == (cl_ulong)1 << 63 >> (s - 1)))
            return s;
    }
    return ~(cl_uint)0;
}

/* Sets the members from which kernels compute even bins of integers exactly (histogram/bins.cl). */
static void gpi_bins_integer(gpi_histogram *h, cl_ulong lower, cl_ulong limit)
{
    const cl_ulong range = limit + 1, bins = h->bins; /* range 0: 2^64 */
    const cl_ulong part = range ? bins % range : bins;
    cl_ulong rest, high = gpi_fraction(part, range, &rest);
    cl_ulong low = gpi_fraction(rest, range, &rest) + 1;
    if (h->size < 8) high++; /* kernels then use only `high`, which is rounded up */
    else if (low == 0) high++;
    h->lower = lower;
    h->limit = limit;
    h->scale[0] = range ? bins / range : 0;
    h->scale[1] = high;
    h->scale[2] = low;
    h->shift = gpi_bins_shift(range, bins, h->size < 8 ? 32 : 64);
}

/* Returns true if only the first four bytes of a bound are set, as if .f32 had been set in place of .f64. */
static bool gpi_is_f32_bound(gp_value bound) { return bound.f32 != 0 && bound.u64 <= UINT32_MAX; }

static gp_result gpi_bins_float(gp_context *gp, gpi_histogram *h)
{
    const double lower = h->desc->lower.f64, upper = h->desc->upper.f64;
    const float low = (float)lower, high = (float)upper, scale = (float)h->bins / (high - low);
    const double wide = (double)h->bins / (upper - lower);
    const bool good = h->size == 8 ? lower < upper && upper - lower < 1e308 * 10 && wide < 1e308 * 10
                                   : low < high && high - low < 1e38f * 10 && scale < 1e38f * 10;
    if (gpi_is_f32_bound(h->desc->lower) || gpi_is_f32_bound(h->desc->upper)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "bounds of floats are lower.f64 and upper.f64, but .f32 is set");
    }
    if (!good) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "lower = %.17g and upper = %.17g: as %s, lower must be less than upper, and upper - "
                        "lower and bins / (upper - lower) must be finite",
                        lower, upper, gpi_type_cl(gpi_operand(h->type)));
    }
    if (h->size == 8) {
        memcpy(&h->lower, &lower, 8);
        memcpy(&h->limit, &upper, 8);
        memcpy(&h->scale[0], &wide, 8);
        return GP_OK;
    }
    memcpy(&h->lower, &low, 4);
    memcpy(&h->limit, &high, 4);
    memcpy(&h->scale[0], &scale, 4);
    return GP_OK;
}

static gp_result gpi_bins_even(gp_context *gp, gpi_histogram *h)
{
    const gp_histogram_desc *d = h->desc;
    const cl_ulong all = ~(cl_ulong)0 >> (64 - 8 * h->size); /* the size of the type's range, minus 1 */
    const cl_ulong lower = d->lower.u64, upper = d->upper.u64;
    gp_result result;
    if (gpi_is_float(h->type)) return gpi_bins_float(gp, h);
    if (lower == 0 && upper == 0) {
        gpi_bins_integer(h, gpi_is_signed(h->type) ? ~(all >> 1) : 0, all);
        return GP_OK;
    }
    result = gpi_check_bounds(gp, "lower", lower, "upper", upper, h->type);
    if (result != GP_OK) return result;
    gpi_bins_integer(h, lower, upper - lower - 1);
    return GP_OK;
}

/* ------------------------------------------------------------------ plan */

static gp_result gpi_histogram_check_map(gp_context *gp, const gpi_histogram *h)
{
    const gp_histogram_desc *d = h->desc;
    const bool has_type = !d->record && !h->indices;
    gp_result result = gpi_check_text(gp, "map", d->map);
    if (result == GP_OK) result = gpi_args_check(gp, &h->args);
    if (result != GP_OK) return result;
    if (d->record && (d->type || !d->map)) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE,
                        "record is given, and type = %d, and map is %s: records take a map, and no type",
                        (int)d->type, d->map ? "given" : "NULL");
    }
    if (d->map_type && !d->map) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "map_type = %d, and map is NULL", (int)d->map_type);
    }
    if (d->map && h->channels > 1) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "channels = %u and a map, which makes one sample of an element", d->channels);
    }
    if (has_type) result = gpi_check_type(gp, "type", d->type);
    if (result == GP_OK && d->map && (d->map_type || !has_type))
        result = gpi_check_type(gp, "map_type", d->map_type);
    return result;
}

static gp_result gpi_histogram_check_types(gp_context *gp, const gpi_histogram *h)
{
    const gp_histogram_desc *d = h->desc;
    if (h->out_type != GP_U32 && h->out_type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "out_type = %d, must be GP_U32 or GP_U64",
                        (int)h->out_type);
    }
    if (d->weights ? !h->weight_size || gpi_is_float(d->weight_type) : d->weight_type != GP_TYPE_NONE) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "weight_type = %d %s", (int)d->weight_type,
                        d->weights ? "is not an integer type" : "and weights is NULL");
    }
    return GP_OK;
}

static gp_result gpi_histogram_check_bins(gp_context *gp, const gpi_histogram *h)
{
    const gp_histogram_desc *d = h->desc;
    if (h->channels > 4 || (h->channels > 1 && h->size > 1) || h->wanted > h->channels) {
        return gpi_fail(
            gp, GP_ERROR_INVALID_ARGUMENT,
            "channels = %u and channels_out = %u: at most 4, and more than 1 only for samples of 8 bits",
            d->channels, d->channels_out);
    }
    if (h->bins == 0 || h->bins >= UINT32_MAX) {
        return gpi_fail(gp, h->bins ? GP_ERROR_COUNT_LIMIT : GP_ERROR_INVALID_ARGUMENT,
                        "bins = %zu, must be 1 .. 2^32 - 2", h->bins);
    }
    if (d->edges && (d->lower.u64 || d->upper.u64)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "edges is given: lower and upper must be 0");
    }
    return GP_OK;
}

/* Adds the type of elements, and the map as a function, as element/prelude.c does. */
static void gpi_histogram_prelude_map(const gpi_histogram *h, gpi_text *text)
{
    const gp_histogram_desc *d = h->desc;
    const char *in = d->record ? d->record->cl_type : gpi_type_cl(h->indices ? h->type : d->type);
    gpi_text_add(text,
                 "#define GPI_INPUTS %d\n#define GPI_MAPPED %d\n#define GPI_IN %s\n#define GPI_IN_HALF %d\n",
                 !h->indices, d->map != NULL, in, d->type == GP_F16);
    gpi_args_define(&h->args, text);
    if (!d->map) return;
    gpi_text_add(text, "static GPI_OPERAND gpi_map(%s", gpi_args_parameter(&h->args));
    if (!h->indices) gpi_text_add(text, "const %s x, ", d->record ? in : gpi_type_cl(gpi_operand(d->type)));
    gpi_text_add(text, "const ulong i)\n{\n");
    gpi_args_name(&h->args, text);
    gpi_text_add(text, "#line 1 \"map\"\n    return (\n#line 1 \"map\"\n%s\n    );\n}\n", d->map);
}

static void gpi_histogram_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                                  gpi_text *text)
{
    const gpi_histogram *h = (const gpi_histogram *)description;
    const gp_histogram_desc *d = h->desc;
    gpi_text_plan(gp, plan, text);
    gpi_text_add(text, "#define GPI_FP64 %d\n#define GPI_SAMPLE %s\n#define GPI_OPERAND %s\n",
                 d->map ? gp->info.fp64 : d->type == GP_F64, gpi_type_cl(h->type),
                 gpi_type_cl(gpi_operand(h->type)));
    gpi_text_add(text,
                 "#define GPI_SAMPLE_SIZE %u\n#define GPI_SAMPLE_FLOAT %d\n#define GPI_SAMPLE_HALF %d\n",
                 (unsigned)h->size, gpi_is_float(h->type), h->type == GP_F16);
    gpi_text_add(text, "#define GPI_CHANNELS %u\n#define GPI_EDGES %d\n#define GPI_COUNT_WIDE %d\n",
                 (unsigned)h->channels, d->edges != NULL, h->out_size == 8);
    gpi_text_add(text, "#define GPI_WEIGHTS %d\n#define GPI_WEIGHT %s\n#define GPI_NEAR_CELLS %u\n",
                 d->weights != NULL, gpi_type_cl(d->weights ? d->weight_type : GP_U32),
                 (unsigned)h->near_cells);
    gpi_histogram_prelude_map(h, text);
}

/* Sets near_cells, the number of counts in a group's own tables, and is_near, which is true if groups use such tables.
   Samples of 8 bits are counted by value, so groups use their own tables for them, however many bins there are. */
static void gpi_histogram_near_cells(const gp_context *gp, gpi_histogram *h)
{
    const bool serial = h->plan.shape == GP_SHAPE_SERIAL;
    size_t cells = serial ? GPI_HISTOGRAM_SERIAL_CELLS : GPI_HISTOGRAM_LOCAL_CELLS;
    while (!serial && cells > GPI_HISTOGRAM_LEAST_CELLS && cells * 4 > gp->info.local_mem_size / 2)
        cells /= 2;
    h->near_cells = cells;
    h->is_near = h->size == 1 || (serial ? 4 * (h->bins + 1) <= cells : h->bins <= cells);
}

/* Sets, in the local shape, the span of a group and the number of copies of its table. Each compute unit gets several
   groups. */
static void gpi_histogram_spans_local(const gp_context *gp, gpi_histogram *h)
{
    const size_t n = h->desc->count, own = h->size == 1 ? 256 * h->channels : h->bins;
    const size_t tile = gp->desc.tuning.tile ? gpi_plan_tile(&h->plan) : 16 * (size_t)h->plan.group;
    size_t groups = 8 * (size_t)(gp->info.compute_units ? gp->info.compute_units : 1);
    if (groups < n >> 31) groups = n >> 31; /* counts of a group have 32 bits */
    h->span = gpi_ceil_div(gpi_ceil_div(n, groups), tile) * tile;
    if (gp->desc.tuning.tile) h->span = tile;
    while (gp->info.loop_limit && h->span * h->channels / h->plan.group > gp->info.loop_limit / 2)
        h->span = gpi_ceil_div(h->span / 2, tile) * tile;
    h->copies = (cl_uint)(h->is_near ? h->near_cells / own : 1);
    if (h->copies > h->plan.group) h->copies = h->plan.group;
}

/* Sets the spans and groups. In the serial shape, if groups do not use their own tables, each group has a slice with
   counts for all bins. So there are at most as many groups as cores, and at most as many as samples per bin. */
static void gpi_histogram_spans(const gp_context *gp, gpi_histogram *h)
{
    const size_t n = h->desc->count, units = gp->info.compute_units ? gp->info.compute_units : 1;
    size_t groups = n / h->bins;
    if (h->plan.shape == GP_SHAPE_LOCAL) {
        gpi_histogram_spans_local(gp, h);
    } else if (h->is_near) {
        h->span = gpi_serial_span(gp, &h->plan, n, GPI_HISTOGRAM_SPAN_MIN);
    } else {
        if (groups > units) groups = units;
        if (groups < 1) groups = 1;
        h->span = gpi_ceil_div(n, groups);
    }
    if (h->span == 0) h->span = 1;
    h->groups = (cl_uint)gpi_ceil_div(n, h->span);
}

static size_t gpi_histogram_scratch(const gpi_histogram *h)
{
    if (h->plan.shape == GP_SHAPE_LOCAL || h->is_near || h->groups <= 1) return 0;
    return (h->groups - 1) * h->bins * h->out_size;
}

/* Checks and plans a call, except for its buffers. Afterwards the size of the scratch is known. */
static gp_result gpi_histogram_plan(gp_context *gp, const gp_histogram_desc *d, gpi_histogram *h)
{
    gp_result result;
    memset(h, 0, sizeof *h);
    h->desc = d;
    h->out_type = d->out_type ? d->out_type : GP_U32;
    h->type = d->map && d->map_type ? d->map_type : d->type;
    h->indices = d->map && !d->in && !d->type && !d->record;
    h->args = gpi_args_make(d->args, d->arg_count, !d->map ? "" : h->indices ? "i" : "x i");
    gpi_args_add_record(&h->args, "record", d->record);
    h->size = gpi_type_size(h->type);
    h->in_size = d->record ? d->record->size : gpi_type_size(d->type);
    h->out_size = gpi_type_size(h->out_type);
    h->weight_size = gpi_type_size(d->weight_type);
    h->channels = d->channels ? d->channels : 1;
    h->wanted = d->channels_out ? d->channels_out : h->channels;
    h->bins = d->bins || h->size != 1 ? d->bins : 256;
    h->count.bound = d->count;
    h->count.buffer = d->count_buffer;
    h->count.offset = d->count_offset;
    h->count.type = d->count_type;
    result = gpi_histogram_check_map(gp, h);
    if (result == GP_OK) result = gpi_histogram_check_types(gp, h);
    if (result == GP_OK) result = gpi_histogram_check_bins(gp, h);
    if (result == GP_OK && !d->edges) result = gpi_bins_even(gp, h);
    if (result == GP_OK) result = gpi_plan_make_keys(gp, GPI_HISTOGRAM, h->size, &h->plan);
    if (result != GP_OK) return result;
    gpi_histogram_near_cells(gp, h);
    result = gpi_program_get(gp, GPI_HISTOGRAM, gpi_histogram_prelude, h, &h->plan, &h->program);
    if (result == GP_OK) gpi_histogram_spans(gp, h);
    return result;
}

static gp_result gpi_histogram_check(gp_context *gp, gpi_histogram *h)
{
    const gp_histogram_desc *d = h->desc;
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, GP_OK);
    if (d->count > 0 && !h->indices)
        gpi_use_buffer(&uses, "in", d->in, d->in_offset, d->count, h->in_size * h->channels, GPI_READS);
    if (d->count > 0 && d->weights)
        gpi_use_buffer(&uses, "weights", d->weights, d->weights_offset, d->count, h->weight_size, GPI_READS);
    if (d->edges) gpi_use_buffer(&uses, "edges", d->edges, d->edges_offset, h->bins + 1, h->size, GPI_READS);
    gpi_use_count(&uses, "count_buffer", &h->count);
    gpi_use_buffer(&uses, "out", d->out, d->out_offset, h->wanted * h->bins, h->out_size, GPI_BOTH);
    return gpi_uses_end(&uses, &h->args, d->scratch, gpi_histogram_scratch(h));
}

/* ------------------------------------------------------------------ launches */

/* Passes the arguments for GPI_SAMPLES_PARAMETERS (histogram/samples.cl) and GPI_BINS_PARAMETERS (histogram/bins.cl),
   and the output. */
static void gpi_histogram_args(gpi_call *call, const gpi_histogram *h)
{
    const gp_histogram_desc *d = h->desc;
    const cl_ulong in_at = d->in_offset * h->channels, weights_at = d->weights_offset, span = h->span;
    const cl_ulong edges_at = d->edges ? d->edges_offset : 0, out_at = d->out_offset;
    const cl_mem edges = d->edges ? d->edges : d->out; /* a placeholder if there are no edges */
    const cl_uint bins = (cl_uint)h->bins;
    size_t k;
    gpi_call_args(call, &h->args);
    if (!h->indices) {
        GPI_CALL_ARG(call, d->in);
        GPI_CALL_ARG(call, in_at);
    }
    if (d->weights) {
        GPI_CALL_ARG(call, d->weights);
        GPI_CALL_ARG(call, weights_at);
    }
    gpi_call_arg_count(call, &h->count);
    GPI_CALL_ARG(call, span);
    GPI_CALL_ARG(call, bins);
    GPI_CALL_ARG(call, h->lower);
    GPI_CALL_ARG(call, h->limit);
    for (k = 0; k < 3; k++) GPI_CALL_ARG(call, h->scale[k]);
    GPI_CALL_ARG(call, h->shift);
    GPI_CALL_ARG(call, edges);
    GPI_CALL_ARG(call, edges_at);
    GPI_CALL_ARG(call, d->out);
    GPI_CALL_ARG(call, out_at);
}

static gp_result gpi_histogram_near(gpi_call *call, const gpi_histogram *h)
{
    const cl_uint channels = (cl_uint)h->wanted;
    gpi_call_kernel(call, h->program, "gp_histogram_near");
    gpi_histogram_args(call, h);
    GPI_CALL_ARG(call, h->copies);
    GPI_CALL_ARG(call, channels);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &h->plan, h->groups);
}

/* Returns true if the kernel for many bins clears `out`, in which its first group counts. */
static bool gpi_histogram_clears(const gpi_histogram *h)
{
    return h->plan.shape == GP_SHAPE_SERIAL && !h->is_near && h->groups > 0 && !h->desc->accumulate;
}

static gp_result gpi_histogram_far(gpi_call *call, const gpi_histogram *h, cl_mem scratch)
{
    const cl_ulong bins = h->bins, out_at = h->desc->out_offset, span = GPI_HISTOGRAM_JOIN_SPAN;
    const cl_uint slices = h->groups - 1, clears = gpi_histogram_clears(h);
    gp_result result;
    gpi_call_kernel(call, h->program, "gp_histogram_far");
    gpi_histogram_args(call, h);
    GPI_CALL_ARG(call, scratch);
    GPI_CALL_ARG(call, clears);
    GPI_CALL_ARG(call, call->gp->counters);
    result = gpi_call_launch(call, &h->plan, h->groups);
    if (result != GP_OK || gpi_histogram_scratch(h) == 0) return result;
    gpi_call_kernel(call, h->program, "gp_histogram_join");
    GPI_CALL_ARG(call, h->desc->out);
    GPI_CALL_ARG(call, out_at);
    GPI_CALL_ARG(call, scratch);
    GPI_CALL_ARG(call, slices);
    GPI_CALL_ARG(call, bins);
    GPI_CALL_ARG(call, span);
    return gpi_call_launch(call, &h->plan, gpi_ceil_div(h->bins, GPI_HISTOGRAM_JOIN_SPAN));
}

static gp_result gpi_histogram_launch(gpi_call *call, const gpi_histogram *h)
{
    const size_t size = h->out_size;
    gp_result result = GP_OK;
    cl_mem scratch = h->desc->out; /* a placeholder if there are no slices */
    if (h->groups > 0 && gpi_histogram_scratch(h))
        result = gpi_call_scratch(call, h->desc->scratch, gpi_histogram_scratch(h), &scratch);
    if (result == GP_OK && !h->desc->accumulate && !gpi_histogram_clears(h))
        result = gpi_call_fill(call, h->desc->out, h->desc->out_offset * size, h->wanted * h->bins * size);
    if (result != GP_OK || h->groups == 0) return result;
    return h->is_near ? gpi_histogram_near(call, h) : gpi_histogram_far(call, h, scratch);
}

/* ------------------------------------------------------------------ API */

GP_API gp_result gp_histogram(gp_context *gp, const gp_histogram_desc *desc)
{
    gpi_histogram histogram;
    gpi_call call;
    gp_result result;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    result = gpi_histogram_plan(gp, desc, &histogram);
    if (result == GP_OK) result = gpi_histogram_check(gp, &histogram);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_histogram_launch(&call, &histogram);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_histogram_scratch_size(gp_context *gp, const gp_histogram_desc *desc, size_t *bytes)
{
    gpi_histogram histogram;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    result = gpi_histogram_plan(gp, desc, &histogram);
    *bytes = result == GP_OK ? gpi_histogram_scratch(&histogram) : 0;
    return result;
}

/* Counts zeros in temporary buffers, first in few bins and then in many, so that each kernel runs. */
static gp_result gpi_histogram_warm_up(gp_context *gp, const gp_histogram_desc *desc)
{
    const size_t n = 3 * GPI_HISTOGRAM_SERIAL_CELLS, bins = n / 3 + 1;
    const size_t size = desc->record ? desc->record->size : gpi_type_size(desc->type);
    const gp_type type = desc->map && desc->map_type ? desc->map_type : desc->type;
    gp_histogram_desc probe;
    gp_result result = GP_OK;
    memset(&probe, 0, sizeof probe);
    probe.type = desc->type;
    probe.record = desc->record;
    probe.map = desc->map;
    probe.map_type = desc->map_type;
    probe.args = desc->args;
    probe.arg_count = desc->arg_count;
    probe.channels = desc->channels;
    probe.out_type = desc->out_type;
    probe.weight_type = desc->weight_type;
    probe.upper.f64 = gpi_is_float(type) ? 1.0 : 0.0;
    probe.count = n;
    probe.bins = 16;
    if (size) result = gpi_alloc_zeros(gp, n * 4 * size, &probe.in);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, 4 * bins * sizeof(cl_ulong), &probe.out);
    if (desc->weight_type && result == GP_OK)
        result = gpi_alloc_zeros(gp, n * sizeof(cl_ulong), &probe.weights);
    if (desc->edges) {
        if (result == GP_OK) result = gpi_alloc_zeros(gp, (bins + 1) * sizeof(cl_ulong), &probe.edges);
        probe.upper.u64 = 0;
    }
    if (result == GP_OK) result = gp_histogram(gp, &probe);
    probe.bins = bins;
    if (result == GP_OK) result = gp_histogram(gp, &probe);
    if (probe.in) (void)clReleaseMemObject(probe.in);
    if (probe.out) (void)clReleaseMemObject(probe.out);
    if (probe.weights) (void)clReleaseMemObject(probe.weights);
    if (probe.edges) (void)clReleaseMemObject(probe.edges);
    return result;
}
