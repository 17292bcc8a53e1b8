/* stencil.c - gp_stencil: computes each element from its neighbours in one launch, by tiles with a rim or by rows. */
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
    GPI_STENCIL_RADIUS_MAX = 8,
    GPI_STENCIL_CHANNELS_MAX = 4,
    GPI_STENCIL_SERIAL_ROW = 256,   /* serial: elements of a tile's row */
    GPI_STENCIL_SERIAL_LINE = 4096, /* serial: elements of a tile in one dimension */
    GPI_STENCIL_LOCAL_ROW = 64,     /* local: elements of a tile's row */
    GPI_STENCIL_TILE_ROWS = 32,     /* rows of a tile */
    GPI_STENCIL_BY_ROWS = 64,       /* serial, with weights: elements of a tile, which is a part of one row */
    GPI_STENCIL_SPAN_ROW = 4096,    /* serial, with weights: most elements per row of a group's span */
    GPI_STENCIL_SPAN_MIN = 8192     /* serial, with weights: fewest elements of a group */
};

/* A call of gp_stencil, ready to be checked and run. */
typedef struct gpi_stencil {
    const gp_stencil_desc *desc;
    gpi_args args; /* arguments that the map may name */
    gp_type out_type;
    size_t height, channels, in_pitch, out_pitch; /* as in the desc, with defaults in place of 0 */
    size_t in_count, out_count;                   /* number of elements from the first to the last one */
    size_t weights;                               /* number of weights; 0: there is a map instead */
    unsigned tile_x, tile_y; /* size of a tile without rims; a group handles one or several tiles */
    bool in_place;           /* a copy of the input is needed */
    gpi_plan plan;
    gpi_program *program;
} gpi_stencil;

/* ------------------------------------------------------------------ describe */

static gp_result gpi_stencil_check_numbers(gp_context *gp, const gpi_stencil *s)
{
    const gp_stencil_desc *d = s->desc;
    if (d->radius_x > GPI_STENCIL_RADIUS_MAX || d->radius_y > GPI_STENCIL_RADIUS_MAX) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "radius_x = %u and radius_y = %u, must be at most %d",
                        d->radius_x, d->radius_y, GPI_STENCIL_RADIUS_MAX);
    }
    if (d->channels > GPI_STENCIL_CHANNELS_MAX) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "channels = %u, must be at most %d", d->channels,
                        GPI_STENCIL_CHANNELS_MAX);
    }
    if ((unsigned)d->border >= GP_BORDER_COUNT) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "border = %d is not a gp_border", (int)d->border);
    }
    if (d->map && d->weights)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "map and weights are both given: give one of them");
    return gpi_check_text(gp, "map", d->map);
}

/* Sets *count to the number of elements from the first to the last one of a picture. Returns false if this number
   does not fit in a size_t. */
static bool gpi_stencil_extent(size_t row, size_t height, size_t pitch, size_t *count)
{
    *count = 0;
    if (row == 0 || height == 0) return true;
    if (height - 1 > (SIZE_MAX / 16 - row) / pitch) return false;
    *count = (height - 1) * pitch + row;
    return true;
}

static gp_result gpi_stencil_describe(gp_context *gp, gpi_stencil *s)
{
    const gp_stencil_desc *d = s->desc;
    gp_result result = gpi_check_type(gp, "type", d->type);
    size_t row;
    s->out_type = d->out_type ? d->out_type : d->type;
    if (result == GP_OK) result = gpi_check_type(gp, "out_type", s->out_type);
    if (result == GP_OK) result = gpi_stencil_check_numbers(gp, s);
    s->args = gpi_args_make(d->args, d->arg_count, d->map ? "at x i j" : "");
    if (result == GP_OK) result = gpi_args_check(gp, &s->args);
    if (result != GP_OK) return result;
    s->height = d->height ? d->height : 1;
    s->channels = d->channels ? d->channels : 1;
    row = d->width > SIZE_MAX / 64 ? SIZE_MAX / 16 : d->width * s->channels;
    s->in_pitch = d->in_pitch ? d->in_pitch : row;
    s->out_pitch = d->out_pitch ? d->out_pitch : row;
    s->weights = d->map ? 0 : (size_t)(2 * d->radius_x + 1) * (2 * d->radius_y + 1);
    if (s->in_pitch < row || s->out_pitch < row) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "in_pitch = %zu or out_pitch = %zu is less than a row of %zu elements", s->in_pitch,
                        s->out_pitch, row);
    }
    if (!gpi_stencil_extent(row, s->height, s->in_pitch, &s->in_count) ||
        !gpi_stencil_extent(row, s->height, s->out_pitch, &s->out_count)) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT,
                        "height = %zu rows of %zu elements, in_pitch = %zu, out_pitch = %zu: more than %zu "
                        "elements from the first to the last",
                        s->height, row, s->in_pitch, s->out_pitch, (size_t)(SIZE_MAX / 16));
    }
    return GP_OK;
}

/* ------------------------------------------------------------------ program, plan */

/* Adds the macro at(dx, dy), and the map as a function. The expression gets its own lines. */
static void gpi_stencil_prelude_map(const gpi_stencil *s, gpi_text *text)
{
    const gp_stencil_desc *d = s->desc;
    gpi_text_add(text,
                 "#define at(dx, dy) gpi_here[clamp((int)(dy), -%u, %u) * GPI_ROW + "
                 "clamp((int)(dx), -%u, %u) * GPI_CHANNELS]\n",
                 d->radius_y, d->radius_y, d->radius_x, d->radius_x);
    gpi_text_add(text,
                 "static GPI_LANE gpi_map(%sGPI_NEAR const GPI_X *gpi_here, const GPI_X x, "
                 "const ulong i, const ulong j)\n{\n    (void)gpi_here, (void)x, (void)i, (void)j;\n",
                 gpi_args_parameter(&s->args));
    gpi_args_name(&s->args, text);
    gpi_text_add(text, "    return (GPI_LANE)(\n#line 1 \"map\"\n%s\n    );\n}\n", d->map);
}

static void gpi_stencil_prelude_types(const gpi_stencil *s, gpi_text *text)
{
    const gp_type type = s->desc->type, out = s->out_type;
    const bool wide = type == GP_F64 || out == GP_F64;
    const char *lane = gpi_type_cl(gpi_operand(out)), *rounding = gpi_is_float(out) ? "" : "_sat_rte";
    gpi_text_add(text, "#define GPI_IN %s\n#define GPI_IN_HALF %d\n#define GPI_X %s\n", gpi_type_cl(type),
                 type == GP_F16, gpi_type_cl(gpi_operand(type)));
    gpi_text_add(text, "#define GPI_OUT %s\n#define GPI_OUT_HALF %d\n#define GPI_LANE %s\n", gpi_type_cl(out),
                 out == GP_F16, gpi_type_cl(gpi_operand(out)));
    gpi_text_add(text, "#define GPI_SUM %s\n", wide ? "double" : "float");
    gpi_text_add(
        text, "#define GPI_ROUND(sum) convert_%s%s(sum)\n#define GPI_ROUND_16(sums) convert_%s16%s(sums)\n",
        lane, rounding, lane, rounding);
}

/* Returns the number of elements in a tile's row with its rims. In the local shape rims are whole vectors of four. */
static unsigned gpi_stencil_row_near(const gpi_stencil *s)
{
    const unsigned rim = s->desc->radius_x * (unsigned)s->channels;
    return s->tile_x + 2 * (s->plan.shape == GP_SHAPE_LOCAL ? (rim + 3) / 4 * 4 : rim);
}

static void gpi_stencil_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                                gpi_text *text)
{
    const gpi_stencil *s = (const gpi_stencil *)description;
    const gp_stencil_desc *d = s->desc;
    gpi_prelude_apart(gp, plan, text);
    gpi_stencil_prelude_types(s, text);
    gpi_text_add(text, "#define GPI_RX %u\n#define GPI_RY %u\n#define GPI_CHANNELS %u\n", d->radius_x,
                 d->radius_y, (unsigned)s->channels);
    gpi_text_add(text, "#define GPI_TILE_X %u\n#define GPI_TILE_Y %u\n#define GPI_ROW %u\n", s->tile_x,
                 s->tile_y, gpi_stencil_row_near(s));
    gpi_text_add(text, "#define GPI_BORDER %d\n#define GPI_WEIGHTS %d\n#define GPI_NEAR %s\n", (int)d->border,
                 s->weights > 0, plan->shape == GP_SHAPE_LOCAL ? "__local" : "__private");
    gpi_args_define(&s->args, text);
    if (d->map) gpi_stencil_prelude_map(s, text);
}

/* Returns the number of elements in a tile with its rims, which local memory holds. */
static size_t gpi_stencil_near(const gpi_stencil *s)
{
    return (size_t)gpi_stencil_row_near(s) * (s->tile_y + 2 * s->desc->radius_y);
}

static bool gpi_stencil_by_rows(const gpi_stencil *s)
{
    return s->plan.shape == GP_SHAPE_SERIAL && s->weights > 0;
}

/* Chooses a tile that fits in local memory. It has one row if the input has one, or if groups work by rows. */
static void gpi_stencil_choose_tile(const gp_context *gp, gpi_stencil *s)
{
    const bool serial = s->plan.shape == GP_SHAPE_SERIAL, flat = s->desc->radius_y == 0 && s->height == 1;
    const size_t size = gpi_type_size(gpi_operand(s->desc->type));
    s->tile_y = flat || gpi_stencil_by_rows(s) ? 1 : (unsigned)GPI_STENCIL_TILE_ROWS;
    if (gpi_stencil_by_rows(s)) s->tile_x = GPI_STENCIL_BY_ROWS;
    else if (serial) s->tile_x = flat ? GPI_STENCIL_SERIAL_LINE : GPI_STENCIL_SERIAL_ROW;
    else s->tile_x = flat ? 4 * s->plan.group : (unsigned)GPI_STENCIL_LOCAL_ROW;
    while (!serial && s->tile_y > 1 && gpi_stencil_near(s) * size > gp->info.local_mem_size / 2)
        s->tile_y /= 2;
}

/* Checks and plans a call, except for its buffers. */
static gp_result gpi_stencil_plan(gp_context *gp, gpi_stencil *s)
{
    gp_result result = gpi_stencil_describe(gp, s);
    if (result == GP_OK) result = gpi_plan_make_map(gp, gpi_type_size(s->desc->type), &s->plan);
    if (result != GP_OK) return result;
    gpi_stencil_choose_tile(gp, s);
    return gpi_program_get(gp, GPI_STENCIL, gpi_stencil_prelude, s, &s->plan, &s->program);
}

static size_t gpi_stencil_scratch(const gpi_stencil *s)
{
    return s->in_place ? s->in_count * gpi_type_size(s->desc->type) : 0;
}

/* ------------------------------------------------------------------ check */

static gp_result gpi_stencil_check(gp_context *gp, gpi_stencil *s)
{
    const gp_stencil_desc *d = s->desc;
    const gpi_range *in, *out;
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, GP_OK);
    in = gpi_use_buffer(&uses, "in", d->in, d->in_offset, s->in_count, gpi_type_size(d->type),
                        s->in_pitch == s->out_pitch ? GPI_READS_OR_OUT : GPI_READS);
    if (s->weights) gpi_use_buffer(&uses, "weights", d->weights, d->weights_offset, s->weights, 4, GPI_READS);
    out = gpi_use_buffer(&uses, "out", d->out, d->out_offset, s->out_count, gpi_type_size(s->out_type),
                         GPI_WRITES);
    gpi_uses_apart(&uses);
    gpi_uses_args(&uses, &s->args);
    s->in_place = gpi_same(in, out);
    return gpi_uses_scratch(&uses, d->scratch, gpi_stencil_scratch(s));
}

/* ------------------------------------------------------------------ launch */

/* Passes the constant border as an operand, an f32 if the input has halves. */
static void gpi_stencil_arg_border(gpi_call *call, const gpi_stencil *s)
{
    const gp_value value = s->desc->border_value;
    const float half = value.f32;
    if (s->desc->type == GP_F16) gpi_call_arg(call, sizeof half, &half);
    else gpi_call_arg(call, gpi_type_size(s->desc->type), &value);
}

/* Sets the size of the part of the output that a group computes: a tile, or, if groups work by rows, several rows of
   limited length. */
static void gpi_stencil_span(const gp_context *gp, const gpi_stencil *s, cl_ulong *span_x, cl_ulong *span_y)
{
    const size_t row = s->desc->width * s->channels;
    size_t span;
    *span_x = s->tile_x;
    *span_y = s->tile_y;
    if (!gpi_stencil_by_rows(s)) return;
    span = gpi_serial_span(gp, &s->plan, row * s->height, GPI_STENCIL_SPAN_MIN);
    *span_x = s->height > 1 ? (size_t)GPI_STENCIL_SPAN_ROW : gpi_round_up(span, GPI_STENCIL_BY_ROWS);
    if (row < *span_x) *span_x = gpi_round_up(row, GPI_STENCIL_BY_ROWS);
    *span_y = span > *span_x ? span / *span_x : 1;
}

static gp_result gpi_stencil_launch(gpi_call *call, const gpi_stencil *s, cl_mem in, cl_ulong in_at)
{
    const gp_stencil_desc *d = s->desc;
    const cl_ulong width = d->width, height = s->height, in_pitch = s->in_pitch, out_pitch = s->out_pitch;
    const cl_ulong out_at = d->out_offset, weights_at = d->weights_offset;
    cl_ulong span_x, span_y, across;
    size_t groups;
    gpi_stencil_span(call->gp, s, &span_x, &span_y);
    across = gpi_ceil_div(d->width * s->channels, (size_t)span_x);
    groups = (size_t)across * gpi_ceil_div(s->height, (size_t)span_y);
    if (call->gp->warming_up) span_x = span_y = 0; /* the map is not evaluated in a warm-up */
    gpi_call_kernel(call, s->program, "gp_stencil_tiles");
    gpi_call_args(call, &s->args);
    GPI_CALL_ARG(call, in);
    GPI_CALL_ARG(call, in_at);
    GPI_CALL_ARG(call, in_pitch);
    GPI_CALL_ARG(call, d->out);
    GPI_CALL_ARG(call, out_at);
    GPI_CALL_ARG(call, out_pitch);
    if (s->weights) {
        GPI_CALL_ARG(call, d->weights);
        GPI_CALL_ARG(call, weights_at);
    }
    GPI_CALL_ARG(call, width);
    GPI_CALL_ARG(call, height);
    GPI_CALL_ARG(call, span_x);
    GPI_CALL_ARG(call, span_y);
    GPI_CALL_ARG(call, across);
    gpi_stencil_arg_border(call, s);
    return gpi_call_launch(call, &s->plan, groups);
}

/* Launches the stencil on a copy of the input, since neighbours are overwritten in place. */
static gp_result gpi_stencil_launch_in_place(gpi_call *call, const gpi_stencil *s)
{
    const gp_stencil_desc *d = s->desc;
    cl_mem copy = NULL;
    gp_result result = gpi_call_scratch(call, d->scratch, gpi_stencil_scratch(s), &copy);
    if (result == GP_OK)
        result = gpi_call_copy(call, d->in, d->in_offset * gpi_type_size(d->type), copy, 0,
                               gpi_stencil_scratch(s));
    return result == GP_OK ? gpi_stencil_launch(call, s, copy, 0) : result;
}

static gp_result gpi_stencil_call(gp_context *gp, const gp_stencil_desc *desc)
{
    gpi_stencil s;
    gpi_call call;
    gp_result result;
    memset(&s, 0, sizeof s);
    s.desc = desc;
    result = gpi_stencil_plan(gp, &s);
    if (result == GP_OK && desc->width > 0) result = gpi_stencil_check(gp, &s);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK && desc->width > 0) {
        result = s.in_place ? gpi_stencil_launch_in_place(&call, &s)
                            : gpi_stencil_launch(&call, &s, desc->in, desc->in_offset);
    }
    return gpi_call_end(&call, result);
}

/* ------------------------------------------------------------------ API */

GP_API gp_result gp_stencil(gp_context *gp, const gp_stencil_desc *desc)
{
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    return gpi_stencil_call(gp, desc);
}

GP_API gp_result gp_stencil_scratch_size(gp_context *gp, const gp_stencil_desc *desc, size_t *bytes)
{
    gpi_stencil s;
    gp_result result;
    gpi_enter(gp, __func__);
    if (bytes) *bytes = 0;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    memset(&s, 0, sizeof s);
    s.desc = desc;
    result = gpi_stencil_describe(gp, &s);
    if (result == GP_OK)
        result = gpi_is_in_place(gp, "in", desc->in, desc->in_offset, desc->out, desc->out_offset,
                                 gpi_type_size(desc->type), &s.in_place);
    s.in_place = s.in_place && s.in_pitch == s.out_pitch && s.in_count == s.out_count &&
                 gpi_type_size(desc->type) == gpi_type_size(s.out_type);
    if (result == GP_OK) *bytes = gpi_stencil_scratch(&s);
    return result;
}

/* Runs the stencil on one or two pixels, in temporary buffers, with weights of zero. */
static gp_result gpi_stencil_warm_up(gp_context *gp, const gp_stencil_desc *desc)
{
    enum { GPI_LARGEST = 17 * 17 * 4 }; /* most bytes of the weights */
    gp_stencil_desc probe = *desc;
    gp_result result = gpi_alloc_zeros(gp, GPI_LARGEST, &probe.in);
    probe.out = NULL;
    if (result == GP_OK) result = gpi_alloc_zeros(gp, GPI_LARGEST, &probe.out);
    probe.weights = desc->map ? NULL : probe.in;
    probe.in_offset = probe.out_offset = probe.weights_offset = 0;
    probe.in_pitch = probe.out_pitch = 0;
    probe.width = 1;
    probe.height = desc->height > 1 ? 2 : 1;
    probe.scratch = NULL;
    probe.wait = NULL;
    probe.wait_count = 0;
    probe.done = NULL;
    if (result == GP_OK) result = gpi_stencil_call(gp, &probe);
    if (probe.in) (void)clReleaseMemObject(probe.in);
    if (probe.out) (void)clReleaseMemObject(probe.out);
    return result;
}
