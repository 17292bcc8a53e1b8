/* search.c - gp_search: finds lower or upper bounds of many needles in one launch. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/type.h"
#include "program/user_text.h"
#include "element/element.h"
#include "sort/sort.h"

#include <string.h>

enum {
    GPI_SEARCH_SERIAL_SPAN_MIN = 1024, /* fewest needles of a group */
    GPI_SEARCH_PER_SAMPLE = 8 /* serial: fewest needles per sample for which reading the sample pays */
};

/* The source of keys or needles: keys of key_type in memory, or an expression that computes them from elements. */
typedef struct gpi_searched {
    const char *macro;       /* name of the macro to define: GPI_HAY or GPI_NEEDLE */
    const char *name, *lane; /* names of the expression's field in the desc, and of its function */
    const char *map;         /* NULL: keys are read from memory as they are */
    const gp_record *record; /* NULL: elements are keys, or there is no buffer and the map uses only i */
    bool present;            /* there is a buffer */
    size_t size;             /* bytes of an element */
} gpi_searched;

/* A checked call of gp_search, ready to run. */
typedef struct gpi_search {
    const gp_search_desc *desc;
    size_t key_size, out_size;
    gpi_args args;
    gpi_searched hay, needle;
    gpi_plan plan;
    gpi_program *program;
    gpi_count keys, needles;
} gpi_search;

static gp_result gpi_search_check_types(gp_context *gp, gpi_search *search)
{
    const gp_search_desc *d = search->desc;
    const gp_type out = d->out_type ? d->out_type : GP_U64;
    const gp_result result = gpi_check_key_type(gp, d->key_type);
    if (result != GP_OK) return result;
    if (out != GP_U32 && out != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "out_type = %d, must be GP_U32 or GP_U64", (int)out);
    }
    if (out == GP_U32 && d->count > UINT32_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "count = %zu does not fit positions of GP_U32", d->count);
    }
    search->key_size = gpi_type_size(d->key_type);
    search->out_size = gpi_type_size(out);
    return GP_OK;
}

/* ------------------------------------------------------------------ keys and needles by expression */

static gp_result gpi_searched_check(gp_context *gp, const char *field, const char *map,
                                    const char *record_field, const gp_record *record)
{
    if (map || !record) return gpi_check_text(gp, field, map);
    return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s is given, and %s is NULL: it makes keys of records",
                    record_field, field);
}

/* Returns the description of keys or needles. It ignores `map` and `record` if `count` is 0. */
static gpi_searched gpi_searched_make(const gpi_search *search, size_t count, cl_mem buffer, const char *map,
                                      const gp_record *record)
{
    gpi_searched s;
    memset(&s, 0, sizeof s);
    s.map = count ? map : NULL;
    s.record = count ? record : NULL;
    s.present = !s.map || s.record || buffer;
    s.size = s.record ? s.record->size : search->key_size;
    return s;
}

/* Returns the names that the expressions of `d` may use. */
static const char *gpi_search_operands(const gp_search_desc *d)
{
    if ((d->map && (d->keys || d->record)) || (d->needle_map && (d->needles || d->needle_record)))
        return "x i";
    return d->map || d->needle_map || !d->needles ? "i" : "";
}

static gp_result gpi_search_describe(gp_context *gp, gpi_search *search)
{
    const gp_search_desc *d = search->desc;
    const bool implicit = !d->needles && !d->needle_map && !d->needle_record;
    gp_result r = gpi_searched_check(gp, "map", d->map, "record", d->record);
    if (r == GP_OK)
        r = gpi_searched_check(gp, "needle_map", d->needle_map, "needle_record", d->needle_record);
    search->args = gpi_args_make(d->args, d->arg_count, gpi_search_operands(d));
    gpi_args_add_record(&search->args, "record", d->record);
    gpi_args_add_record(&search->args, "needle_record", d->needle_record);
    if (r == GP_OK) r = gpi_args_check(gp, &search->args);
    search->hay = gpi_searched_make(search, d->count, d->keys, d->map, d->record);
    search->needle = gpi_searched_make(search, d->needle_count, d->needles, implicit ? "i" : d->needle_map,
                                       d->needle_record);
    search->hay.macro = "GPI_HAY";
    search->hay.name = "map";
    search->hay.lane = "gpi_hay_lane";
    search->needle.macro = "GPI_NEEDLE";
    search->needle.name = "needle_map";
    search->needle.lane = "gpi_needle_lane";
    return r;
}

/* Adds the macros and the function of `s` to `text`. The expression gets its own lines, so that it may end in a comment. */
static void gpi_searched_prelude(const gpi_search *search, const gpi_searched *s, gpi_text *text)
{
    const gp_type type = search->desc->key_type;
    const char *lane = gpi_type_cl(gpi_operand(type));
    const bool half = s->map && !s->record && type == GP_F16;
    gpi_text_add(text, "#define %s_MAPPED %d\n#define %s_PRESENT %d\n#define %s_HALF %d\n", s->macro,
                 s->map != NULL, s->macro, s->present, s->macro, half);
    gpi_text_add(text, "#define %s %s\n", s->macro,
                 s->record                      ? s->record->cl_type
                 : s->map && s->present && half ? "half"
                 : s->map && s->present         ? gpi_type_cl(type)
                                                : "gpi_key");
    if (!s->map) return;
    gpi_text_add(text, "static %s %s(%s", lane, s->lane, gpi_args_parameter(&search->args));
    if (s->present) gpi_text_add(text, "const %s x, ", s->record ? s->record->cl_type : lane);
    gpi_text_add(text, "const ulong i)\n{\n    (void)i;\n");
    gpi_args_name(&search->args, text);
    gpi_text_add(text, "#line 1 \"%s\"\n    return (%s)(\n#line 1 \"%s\"\n%s\n    );\n}\n", s->name, lane,
                 s->name, s->map);
}

static bool gpi_search_is_mapped(const gpi_search *search) { return search->hay.map || search->needle.map; }

/* Returns the part of the prelude that defines the expressions. NULL: no memory. */
static char *gpi_search_prelude(const gp_context *gp, const gpi_search *search)
{
    const gp_type type = search->desc->key_type;
    static const char *const bits[] = {"as_uchar", "as_ushort", "as_uint", "as_ulong"};
    size_t log = 0;
    gpi_text text;
    memset(&text, 0, sizeof text);
    while ((size_t)1 << log < search->key_size) log++;
    gpi_text_add(&text, "#undef GPI_FP64\n#define GPI_FP64 %d\n", gp->info.fp64);
    gpi_text_add(&text, "#define GPI_LANE_BITS(v) %s(v)\n", type == GP_F16 ? "gpi_half_bits" : bits[log]);
    gpi_args_define(&search->args, &text);
    gpi_searched_prelude(search, &search->hay, &text);
    gpi_searched_prelude(search, &search->needle, &text);
    return gpi_text_take(&text);
}

/* ------------------------------------------------------------------ plan */

/* Returns the most samples that a group keeps. In the local shape that is the number of a tile's elements, which fit in
   local memory. */
static cl_uint gpi_search_samples(const gpi_plan *plan)
{
    return plan->shape == GP_SHAPE_LOCAL ? (cl_uint)gpi_plan_tile(plan) : (cl_uint)GPI_SEARCH_SAMPLES_SERIAL;
}

/* Checks and plans a call, except for its buffers. */
static gp_result gpi_search_plan(gp_context *gp, gpi_search *search)
{
    const gp_search_desc *d = search->desc;
    char *more = NULL;
    gp_result result = gpi_search_check_types(gp, search);
    if (result == GP_OK) result = gpi_search_describe(gp, search);
    if (result != GP_OK) return result;
    search->keys.bound = d->count;
    search->keys.buffer = d->count_buffer;
    search->keys.offset = d->count_offset;
    search->keys.type = d->count_type;
    search->needles.bound = d->needle_count;
    search->needles.buffer = d->needle_count_buffer;
    search->needles.offset = d->needle_count_offset;
    search->needles.type = d->needle_count_type;
    result = gpi_plan_make_keys(gp, GPI_SEARCH, search->key_size, &search->plan);
    if (result != GP_OK) return result;
    if (gpi_search_is_mapped(search)) {
        more = gpi_search_prelude(gp, search);
        if (!more) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory");
    }
    result = gpi_key_program(gp, GPI_SEARCH, d->key_type, search->out_size, more ? more : "", &search->plan,
                             &search->program);
    GP_FREE(more);
    return result;
}

/* ------------------------------------------------------------------ check */

static gp_result gpi_search_check(gp_context *gp, const gpi_search *search)
{
    const gp_search_desc *d = search->desc;
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, GP_OK);
    if (d->count > 0 && search->hay.present)
        gpi_use_buffer(&uses, "keys", d->keys, d->keys_offset, d->count, search->hay.size, GPI_READS);
    if (search->needle.present)
        gpi_use_buffer(&uses, "needles", d->needles, d->needles_offset, d->needle_count, search->needle.size,
                       GPI_READS);
    gpi_use_count(&uses, "count_buffer", &search->keys);
    gpi_use_count(&uses, "needle_count_buffer", &search->needles);
    gpi_use_buffer(&uses, "out", d->out, d->out_offset, d->needle_count, search->out_size, GPI_WRITES);
    return gpi_uses_end(&uses, &search->args, NULL, 0);
}

/* ------------------------------------------------------------------ launch */

/* Passes a buffer of elements and its offset. If the buffer is NULL, passes another one as a placeholder. */
static void gpi_searched_arg(gpi_call *call, cl_mem buffer, size_t offset)
{
    const cl_mem given = buffer ? buffer : call->gp->counters;
    GPI_CALL_ARG(call, given);
    gpi_call_arg_ulong(call, buffer ? offset : 0);
}

/* Returns how many samples a group of `span` needles keeps. In the serial shape, few needles use fewer samples. In the
   local shape the work-items read all samples at once. */
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
    const cl_ulong out_at = d->out_offset, flip = gpi_key_flip(d->key_type, d->descending);
    const cl_uint upper = d->upper;
    const cl_uint samples = gpi_search_wanted(search, n < span ? n : (size_t)span);
    if (n == 0) return GP_OK;
    gpi_call_kernel(call, search->program, "gp_search_needles");
    if (gpi_search_is_mapped(search)) gpi_call_args(call, &search->args);
    gpi_searched_arg(call, d->count ? d->keys : NULL, d->keys_offset); /* without keys, none is read */
    gpi_searched_arg(call, d->needles, d->needles_offset);
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

static gp_result gpi_search_call(gp_context *gp, const gp_search_desc *desc)
{
    gpi_search search;
    gpi_call call;
    gp_result result;
    memset(&search, 0, sizeof search);
    search.desc = desc;
    result = gpi_search_plan(gp, &search);
    if (result == GP_OK && desc->needle_count > 0) result = gpi_search_check(gp, &search);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_search_launch(&call, &search);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_search(gp_context *gp, const gp_search_desc *desc)
{
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    return gpi_search_call(gp, desc);
}

/* Searches zeros for a zero, in temporary buffers. Without maps, needles are keys in memory. */
static gp_result gpi_search_warm_up(gp_context *gp, const gp_search_desc *desc)
{
    gp_search_desc probe = *desc;
    gp_result result;
    cl_mem in = NULL, out = NULL;
    probe.keys_offset = probe.needles_offset = probe.out_offset = 0;
    probe.count_buffer = probe.needle_count_buffer = NULL;
    probe.count_type = probe.needle_count_type = GP_TYPE_NONE;
    probe.wait = NULL;
    probe.wait_count = 0;
    probe.done = NULL;
    probe.count = probe.needle_count = 1;
    result = gpi_alloc_zeros(gp, GP_RECORD_BYTES, &in);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, sizeof(cl_ulong), &out);
    if (!desc->map || desc->record || desc->keys) probe.keys = in;
    if (!desc->needle_map || desc->needle_record || desc->needles) probe.needles = in;
    probe.out = out;
    if (result == GP_OK) result = gpi_search_call(gp, &probe);
    if (in) (void)clReleaseMemObject(in);
    if (out) (void)clReleaseMemObject(out);
    return result;
}
