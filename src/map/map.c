/* map.c - gp_transform, gp_fill, gp_iota and gp_adjacent_difference: compute each element independently, in one
   launch. */
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
    GPI_MAP_INPUTS_MAX = 3,
    GPI_MAP_SERIAL_SPAN_MIN = 16384 /* fewest elements of a group */
};

typedef struct gpi_map_input {
    cl_mem buffer;
    size_t offset;
    gp_type type;
    const gp_record *record; /* NULL: elements are of `type` */
} gpi_map_input;

/* A call of gp_transform, gp_fill, gp_iota or gp_adjacent_difference, ready to be checked and run. */
typedef struct gpi_map {
    const char *text; /* the expression */
    gpi_args args;    /* arguments that the expression may name */
    gpi_map_input in[GPI_MAP_INPUTS_MAX];
    size_t inputs;
    bool lag; /* the second input is the first one, shifted by one element */
    cl_mem out;
    size_t out_offset, out_size;
    const char *out_cl; /* the output's type in memory */
    gp_type out_type;   /* 0: elements are untyped, or of type out_record */
    const gp_record *out_record;
    cl_ulong constant[2]; /* gpi_a and gpi_b of map/map.cl */
    gpi_count count;
    gpi_plan plan;
    gpi_program *program;
    bool in_place; /* with `lag`: a copy of the input is needed */
} gpi_map;

/* ------------------------------------------------------------------ describe */

static void gpi_map_set_out(gpi_map *map, cl_mem buffer, size_t offset, gp_type type)
{
    map->out = buffer;
    map->out_offset = offset;
    map->out_type = type;
    map->out_cl = gpi_type_cl(type);
    map->out_size = gpi_type_size(type);
}

static void gpi_map_set_out_record(gpi_map *map, const gp_record *record)
{
    map->out_record = record;
    map->out_cl = record->cl_type;
    map->out_size = record->size;
    gpi_args_add_record(&map->args, "out_record", record);
}

static void gpi_map_add_input(gpi_map *map, cl_mem buffer, size_t offset, gp_type type,
                              const gp_record *record)
{
    static const char *const fields[GPI_MAP_INPUTS_MAX] = {"record", "record2", "record3"};
    gpi_map_input *in = &map->in[map->inputs];
    in->buffer = buffer;
    in->offset = offset;
    in->type = type;
    in->record = record;
    gpi_args_add_record(&map->args, fields[map->inputs++], record);
}

static size_t gpi_map_input_size(const gpi_map_input *in)
{
    return in->record ? in->record->size : gpi_type_size(in->type);
}

/* Fails unless exactly one of `type` and `record` is given and can be used. */
static gp_result gpi_map_check_type(gp_context *gp, const char *field, gp_type type, const gp_record *record)
{
    if (!record) return gpi_check_type(gp, field, type);
    if (!type) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s = %d and a record are given: give one of them", field,
                    (int)type);
}

static gp_result gpi_map_check_types(gp_context *gp, gpi_map *map)
{
    static const char *const operands[GPI_MAP_INPUTS_MAX + 1] = {"i", "x i", "x y i", "x y z i"};
    static const char *const names[GPI_MAP_INPUTS_MAX] = {"type", "type2", "type3"};
    gp_result result = GP_OK;
    size_t k;
    for (k = 0; k < map->inputs && result == GP_OK; k++)
        result = gpi_map_check_type(gp, names[k], map->in[k].type, map->in[k].record);
    if (result == GP_OK) result = gpi_map_check_type(gp, "out_type", map->out_type, map->out_record);
    map->args.operands = operands[map->inputs];
    return result == GP_OK ? gpi_args_check(gp, &map->args) : result;
}

/* Returns the type of an input or output, which is that of the first input if neither `type` nor `record` is given. */
static gp_type gpi_map_type(const gp_transform_desc *d, gp_type type, const gp_record *record)
{
    return type || record ? type : d->type;
}

static const gp_record *gpi_map_record(const gp_transform_desc *d, gp_type type, const gp_record *record)
{
    return type || record ? record : d->record;
}

static gp_result gpi_map_of_transform(gp_context *gp, const gp_transform_desc *d, gpi_map *map)
{
    const bool third = d->in3 || d->type3 || d->record3, second = d->in2 || d->type2 || d->record2 || third;
    const gp_record *out_record = gpi_map_record(d, d->out_type, d->out_record);
    gp_result result;
    memset(map, 0, sizeof *map);
    map->text = d->map;
    map->args = gpi_args_make(d->args, d->arg_count, "");
    if (!d->map) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "map is NULL");
    result = gpi_check_text(gp, "map", d->map);
    if (result != GP_OK) return result;
    if (d->in || d->type || d->record || second)
        gpi_map_add_input(map, d->in, d->in_offset, d->type, d->record);
    if (second)
        gpi_map_add_input(map, d->in2, d->in2_offset, gpi_map_type(d, d->type2, d->record2),
                          gpi_map_record(d, d->type2, d->record2));
    if (third)
        gpi_map_add_input(map, d->in3, d->in3_offset, gpi_map_type(d, d->type3, d->record3),
                          gpi_map_record(d, d->type3, d->record3));
    gpi_map_set_out(map, d->out, d->out_offset, gpi_map_type(d, d->out_type, d->out_record));
    if (out_record) gpi_map_set_out_record(map, out_record);
    map->count = gpi_count_make(d->count, d->count_buffer, d->count_offset, d->count_type);
    return gpi_map_check_types(gp, map);
}

/* Makes the map of a fill. An element of 16 bytes is stored as two numbers, any other as one. */
static gp_result gpi_map_of_fill(gp_context *gp, const gp_fill_desc *d, gpi_map *map)
{
    const size_t size = d->element_size;
    memset(map, 0, sizeof *map);
    if (size == 0 || size > 16 || (size & (size - 1))) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "element_size = %zu, must be 1, 2, 4, 8 or 16", size);
    }
    if (d->value) memcpy(map->constant, d->value, size);
    gpi_map_set_out(map, d->out, d->out_offset,
                    size == 1   ? GP_U8
                    : size == 2 ? GP_U16
                    : size == 4 ? GP_U32
                                : GP_U64);
    map->text = "gpi_a";
    if (size == 16) {
        map->out_type = GP_TYPE_NONE;
        map->out_cl = "ulong2";
        map->out_size = size;
        map->text = "gpi_a, gpi_b";
    }
    map->count = gpi_count_make(d->count, d->count_buffer, d->count_offset, d->count_type);
    return GP_OK;
}

/* Returns `step`, or one if all bits of `step` are zero. */
static gp_value gpi_iota_step(gp_type type, gp_value step)
{
    if (step.u64 != 0) return step;
    if (type == GP_F64) step.f64 = 1.0;
    else if (gpi_is_float(type)) step.f32 = 1.0f;
    else step.u64 = 1;
    return step;
}

static gp_result gpi_map_of_iota(gp_context *gp, const gp_iota_desc *d, gpi_map *map)
{
    const gp_value step = gpi_iota_step(d->type, d->step);
    const gp_result result = gpi_check_type(gp, "type", d->type);
    memset(map, 0, sizeof *map);
    map->constant[0] = d->start.u64;
    map->constant[1] = step.u64;
    map->text = d->type == GP_F64       ? "as_double(gpi_a) + (double)i * as_double(gpi_b)"
                : gpi_is_float(d->type) ? "as_float((uint)gpi_a) + (float)i * as_float((uint)gpi_b)"
                                        : "gpi_a + i * gpi_b";
    gpi_map_set_out(map, d->out, d->out_offset, d->type);
    map->count = gpi_count_make(d->count, d->count_buffer, d->count_offset, d->count_type);
    return result;
}

static gp_result gpi_map_of_difference(gp_context *gp, const gp_adjacent_difference_desc *d, gpi_map *map)
{
    gp_result result = gpi_check_text(gp, "map", d->map);
    memset(map, 0, sizeof *map);
    map->lag = true;
    map->text = d->map ? d->map : "x - y";
    map->args = gpi_args_make(d->args, d->arg_count, "");
    if (result != GP_OK) return result;
    gpi_map_add_input(map, d->in, d->in_offset, d->type, NULL);
    gpi_map_add_input(map, d->in, d->in_offset, d->type, NULL);
    gpi_map_set_out(map, d->out, d->out_offset, d->out_type ? d->out_type : d->type);
    map->count = gpi_count_make(d->count, d->count_buffer, d->count_offset, d->count_type);
    return gpi_map_check_types(gp, map);
}

/* ------------------------------------------------------------------ program, plan */

/* Adds the map as a function. The expression gets its own lines, so that it may end in a comment. It can name only inputs
   that exist. */
static void gpi_map_prelude_function(const gpi_map *map, const char *lane, gpi_text *text)
{
    static const char *const names[GPI_MAP_INPUTS_MAX] = {"x", "y", "z"};
    const char *const x = map->inputs > 0 ? names[0] : "gpi_x", *const y =
                                                                    map->inputs > 1 ? names[1] : "gpi_y";
    const char *const z = map->inputs > 2 ? names[2] : "gpi_z";
    gpi_text_add(text,
                 "static GPI_LANE gpi_map(%sconst GPI_X %s, const GPI_Y %s, const GPI_Z %s, const ulong i, "
                 "ulong gpi_a, ulong gpi_b)\n{\n    (void)%s, (void)%s, (void)%s, (void)i, (void)gpi_a, "
                 "(void)gpi_b;\n",
                 gpi_args_parameter(&map->args), x, y, z, x, y, z);
    gpi_args_name(&map->args, text);
    gpi_text_add(text,
                 map->out_record ? "#line 1 \"map\"\n    return (\n" : "#line 1 \"map\"\n    return (%s)(\n",
                 lane);
    gpi_text_add(text, "#line 1 \"map\"\n%s\n    );\n}\n", map->text);
}

/* Returns true if a group of the local shape moves elements by vectors of four. All elements must have at most four bytes, so
   that their vectors have the same alignment. */
static bool gpi_map_has_quads(const gpi_map *map, const gpi_plan *plan)
{
    bool has =
        plan->per_item >= 4 && !map->lag && !map->out_record && map->out_type != GP_F16 && map->out_size <= 4;
    size_t k;
    for (k = 0; k < map->inputs; k++)
        has = has && !map->in[k].record && map->in[k].type != GP_F16 && gpi_type_size(map->in[k].type) <= 4;
    return has;
}

static void gpi_map_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                            gpi_text *text)
{
    const gpi_map *map = (const gpi_map *)description;
    const char *lane = map->out_type ? gpi_type_cl(gpi_operand(map->out_type)) : map->out_cl;
    unsigned k;
    gpi_prelude_apart(gp, plan, text);
    gpi_text_add(text, "#define GPI_INPUTS %u\n#define GPI_LAG %d\n", (unsigned)map->inputs, map->lag);
    for (k = 0; k < GPI_MAP_INPUTS_MAX; k++) {
        const gp_type type = k < map->inputs ? map->in[k].type : GP_TYPE_NONE;
        const gp_record *record = k < map->inputs ? map->in[k].record : NULL;
        gpi_text_add(text, "#define GPI_IN_%u %s\n#define GPI_HALF_%u %d\n", k,
                     record ? record->cl_type : gpi_type_cl(type), k, type == GP_F16);
        gpi_text_add(text, "#define GPI_%c %s\n", "XYZ"[k],
                     record ? record->cl_type
                     : type ? gpi_type_cl(gpi_operand(type))
                            : "int");
        if (record) gpi_record_parts(record, k == 0 ? "0" : k == 1 ? "1" : "2", text);
    }
    gpi_text_add(text, "#define GPI_OUT %s\n#define GPI_OUT_HALF %d\n#define GPI_LANE %s\n", map->out_cl,
                 map->out_type == GP_F16, lane);
    gpi_text_add(text, "#define GPI_OUT_RECORD %d\n", map->out_record != NULL);
    if (map->out_type) gpi_text_add(text, "#define GPI_OUT_VECTOR %s16\n", lane);
    if (plan->shape == GP_SHAPE_LOCAL)
        gpi_text_add(text, "#define GPI_CHUNK %d\n", gpi_map_has_quads(map, plan) ? 4 : 1);
    gpi_args_define(&map->args, text);
    gpi_map_prelude_function(map, lane, text);
}

/* Plans a call, except for its buffers. */
static gp_result gpi_map_plan(gp_context *gp, gpi_map *map)
{
    size_t k, size = map->out_size;
    gp_result result;
    for (k = 0; k < map->inputs; k++) {
        if (gpi_map_input_size(&map->in[k]) > size) size = gpi_map_input_size(&map->in[k]);
    }
    result = gpi_plan_make_map(gp, size, &map->plan);
    if (result != GP_OK) return result;
    return gpi_program_get(gp, GPI_MAP, gpi_map_prelude, map, &map->plan, &map->program);
}

/* ------------------------------------------------------------------ check */

/* Checks the buffers. The output may be exactly one of the inputs. Sets map->in_place if the output is an input and the
   second input is the first one shifted, in which case a copy is needed. */
static gp_result gpi_map_check(gp_context *gp, gpi_map *map, cl_mem scratch)
{
    static const char *const names[GPI_MAP_INPUTS_MAX] = {"in", "in2", "in3"};
    const size_t n = map->count.bound;
    const gpi_range *out;
    gpi_uses uses;
    size_t k;
    gpi_uses_begin(&uses, gp, GP_OK);
    for (k = 0; k < map->inputs; k++)
        gpi_use_buffer(&uses, names[k], map->in[k].buffer, map->in[k].offset, n,
                       gpi_map_input_size(&map->in[k]), GPI_READS_OR_OUT);
    gpi_use_count(&uses, "count_buffer", &map->count);
    out = gpi_use_buffer(&uses, "out", map->out, map->out_offset, n, map->out_size, GPI_WRITES);
    for (k = 0; k < map->inputs; k++)
        if (map->lag && gpi_same(&uses.use[k].range, out)) map->in_place = true;
    return gpi_uses_end(&uses, &map->args, scratch, map->in_place ? n * gpi_type_size(map->in[0].type) : 0);
}

/* ------------------------------------------------------------------ launch */

static gp_result gpi_map_launch(gpi_call *call, const gpi_map *map)
{
    const size_t n = map->count.bound;
    const bool serial = map->plan.shape == GP_SHAPE_SERIAL;
    const cl_ulong span = serial ? gpi_serial_span(call->gp, &map->plan, n, GPI_MAP_SERIAL_SPAN_MIN)
                                 : gpi_plan_tile(&map->plan);
    const cl_ulong out_at = map->out_offset;
    size_t k;
    if (n == 0) return GP_OK;
    gpi_call_kernel(call, map->program, "gp_map_tiles");
    gpi_call_args(call, &map->args);
    for (k = 0; k < map->inputs; k++) {
        const cl_ulong at = map->in[k].offset;
        GPI_CALL_ARG(call, map->in[k].buffer);
        GPI_CALL_ARG(call, at);
    }
    GPI_CALL_ARG(call, map->out);
    GPI_CALL_ARG(call, out_at);
    GPI_CALL_ARG(call, map->constant[0]);
    GPI_CALL_ARG(call, map->constant[1]);
    GPI_CALL_ARG(call, span);
    gpi_call_arg_count(call, &map->count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &map->plan, gpi_ceil_div(n, (size_t)span));
}

/* Copies the input to the scratch, and makes the copy the second, shifted input, since an element may be overwritten before its
   successor is computed. */
static gp_result gpi_map_copy_late(gpi_call *call, gpi_map *map, cl_mem scratch)
{
    const size_t size = gpi_type_size(map->in[0].type), bytes = map->count.bound * size;
    cl_mem copy = NULL;
    gp_result result = gpi_call_scratch(call, scratch, bytes, &copy);
    if (result == GP_OK)
        result = gpi_call_copy(call, map->in[0].buffer, map->in[0].offset * size, copy, 0, bytes);
    map->in[1].buffer = copy;
    map->in[1].offset = 0;
    return result;
}

/* Plans, checks and enqueues a map. */
static gp_result gpi_map_run(gp_context *gp, gpi_map *map, cl_mem scratch, const cl_event *wait,
                             cl_uint wait_count, cl_event *done)
{
    gpi_call call;
    gp_result result = gpi_map_plan(gp, map);
    if (result == GP_OK && map->count.bound > 0) result = gpi_map_check(gp, map, scratch);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, wait, wait_count, done);
    if (result == GP_OK && map->in_place) result = gpi_map_copy_late(&call, map, scratch);
    if (result == GP_OK) result = gpi_map_launch(&call, map);
    return gpi_call_end(&call, result);
}

/* ------------------------------------------------------------------ API */

#define GPI_MAP_BEGIN(gp, desc)                       \
    gpi_enter(gp, __func__);                          \
    if ((desc) && (desc)->done) *(desc)->done = NULL; \
    if (!(gp) || !(desc)) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL")

GP_API gp_result gp_transform(gp_context *gp, const gp_transform_desc *desc)
{
    gpi_map map;
    gp_result result;
    GPI_MAP_BEGIN(gp, desc);
    result = gpi_map_of_transform(gp, desc, &map);
    if (result != GP_OK) return result;
    return gpi_map_run(gp, &map, NULL, desc->wait, desc->wait_count, desc->done);
}

GP_API gp_result gp_fill(gp_context *gp, const gp_fill_desc *desc)
{
    gpi_map map;
    gp_result result;
    GPI_MAP_BEGIN(gp, desc);
    result = gpi_map_of_fill(gp, desc, &map);
    if (result != GP_OK) return result;
    return gpi_map_run(gp, &map, NULL, desc->wait, desc->wait_count, desc->done);
}

GP_API gp_result gp_iota(gp_context *gp, const gp_iota_desc *desc)
{
    gpi_map map;
    gp_result result;
    GPI_MAP_BEGIN(gp, desc);
    result = gpi_map_of_iota(gp, desc, &map);
    if (result != GP_OK) return result;
    return gpi_map_run(gp, &map, NULL, desc->wait, desc->wait_count, desc->done);
}

GP_API gp_result gp_adjacent_difference(gp_context *gp, const gp_adjacent_difference_desc *desc)
{
    gpi_map map;
    gp_result result;
    GPI_MAP_BEGIN(gp, desc);
    result = gpi_map_of_difference(gp, desc, &map);
    if (result != GP_OK) return result;
    return gpi_map_run(gp, &map, desc->scratch, desc->wait, desc->wait_count, desc->done);
}

GP_API gp_result gp_adjacent_difference_scratch_size(gp_context *gp, const gp_adjacent_difference_desc *desc,
                                                     size_t *bytes)
{
    gpi_map map;
    gp_result result;
    gpi_enter(gp, __func__);
    if (bytes) *bytes = 0;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    result = gpi_map_of_difference(gp, desc, &map);
    if (result == GP_OK)
        result = gpi_is_in_place(gp, "in", desc->in, desc->in_offset, desc->out, desc->out_offset,
                                 map.out_size, &map.in_place);
    map.in_place = map.in_place && map.out_size == gpi_type_size(desc->type);
    if (result == GP_OK && map.in_place) *bytes = desc->count * map.out_size;
    return result;
}

/* ------------------------------------------------------------------ warm-up */

/* Runs a described map on one zero, in temporary buffers. If `result` is an error, only returns it. */
static gp_result gpi_map_warm_up(gp_context *gp, gpi_map *map, gp_result result)
{
    enum { GPI_LARGEST = GP_RECORD_BYTES }; /* most bytes of an element */
    cl_mem in = NULL, out = NULL;
    size_t k;
    if (result == GP_OK) result = gpi_alloc_zeros(gp, GPI_LARGEST, &in);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, GPI_LARGEST, &out);
    for (k = 0; k < map->inputs; k++) {
        map->in[k].buffer = in;
        map->in[k].offset = 0;
    }
    map->out = out;
    map->out_offset = 0;
    map->count = gpi_count_make(1, NULL, 0, GP_TYPE_NONE);
    if (result == GP_OK) result = gpi_map_run(gp, map, NULL, NULL, 0, NULL);
    if (in) (void)clReleaseMemObject(in);
    if (out) (void)clReleaseMemObject(out);
    return result;
}

static gp_result gpi_transform_warm_up(gp_context *gp, const gp_transform_desc *desc)
{
    gpi_map map;
    return gpi_map_warm_up(gp, &map, gpi_map_of_transform(gp, desc, &map));
}

static gp_result gpi_fill_warm_up(gp_context *gp, const gp_fill_desc *desc)
{
    gpi_map map;
    return gpi_map_warm_up(gp, &map, gpi_map_of_fill(gp, desc, &map));
}

static gp_result gpi_iota_warm_up(gp_context *gp, const gp_iota_desc *desc)
{
    gpi_map map;
    return gpi_map_warm_up(gp, &map, gpi_map_of_iota(gp, desc, &map));
}

static gp_result gpi_adjacent_difference_warm_up(gp_context *gp, const gp_adjacent_difference_desc *desc)
{
    gpi_map map;
    return gpi_map_warm_up(gp, &map, gpi_map_of_difference(gp, desc, &map));
}
