/* compact.c - runs gp_select, gp_partition, gp_unique and gp_run_length_encode in one look-back launch or in three sweeps,
   and a single tile in one sweep. */
#include "base/context.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/type.h"
#include "scan/scan.h"
#include "select/select.h"

#include <string.h>

/* ------------------------------------------------------------------ description */

/* Sets the type of elements to `type`, or makes elements untyped, with `size` bytes each. Fails unless exactly one of
   type and size is given. `prefix` is the beginning of the fields' names in messages. */
static gp_result gpi_compact_type(gp_context *gp, gpi_compact *c, const char *prefix, gp_type type,
                                  size_t size)
{
    const char *record = *prefix ? prefix : "element_";
    c->type = type;
    c->size = type ? gpi_type_size(type) : size;
    if ((type != 0) == (size != 0)) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%stype = %d and %ssize = %zu: give one of them", prefix,
                        (int)type, record, size);
    }
    if (type && !c->size) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%stype = %d is not a gp_type", prefix, (int)type);
    }
    if (type == GP_F64 && !gp->info.fp64) {
        return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "%stype = GP_F64 needs cl_khr_fp64", prefix);
    }
    if (c->size > 16 || (c->size & (c->size - 1))) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%ssize = %zu, must be 1, 2, 4, 8 or 16", record,
                        size);
    }
    return GP_OK;
}

/* Sets the type of elements as gpi_compact_type does, or to `record`, which is the field `field` of the desc. */
static gp_result gpi_compact_type_or_record(gp_context *gp, gpi_compact *c, const char *prefix, gp_type type,
                                            size_t size, const char *field, const gp_record *record)
{
    if (!record) return gpi_compact_type(gp, c, prefix, type, size);
    c->record = record;
    c->size = record->size;
    gpi_args_add_record(&c->args, field, record);
    if (!type && !size) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%stype = %d, %ssize = %zu, and %s is given: give one", prefix,
                    (int)type, *prefix ? prefix : "element_", size, field);
}

/* Checks a type of counts or indices, and replaces 0 by GP_U32. Fails if the type cannot hold `most`. */
static gp_result gpi_compact_number(gp_context *gp, const char *field, gp_type *type, size_t most)
{
    if (!*type) *type = GP_U32;
    if (*type != GP_U32 && *type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s = %d, must be GP_U32 or GP_U64", field, (int)*type);
    }
    if (*type == GP_U32 && most > UINT32_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "count = %zu needs GP_U64 as %s", most, field);
    }
    return GP_OK;
}

static void gpi_compact_array_set(gpi_compact *c, int role, const char *name, cl_mem buffer, size_t offset,
                                  size_t count, size_t size, bool needed)
{
    gpi_compact_array *a = &c->array[role];
    a->name = name;
    a->buffer = buffer;
    a->offset = offset;
    a->count = count;
    a->size = size;
    a->used = needed || buffer;
}

/* ------------------------------------------------------------------ program */

static size_t gpi_compact_number_size(const gpi_compact *c) { return c->wide ? 8 : 4; }

/* Returns true if each tile has two counts instead of one (select/input.cl). */
static bool gpi_compact_is_pair(const gpi_compact *c)
{
    return c->parts == 3 || c->select_by == GPI_SELECT_BY_RUNS;
}

static size_t gpi_compact_element_size(const gpi_compact *c)
{
    return gpi_compact_number_size(c) * (gpi_compact_is_pair(c) ? 2 : 1);
}

/* Adds the macros that element/op.cl and element/monoid.cl need: the type of tiles' counts, and how counts are
   combined. */
static void gpi_compact_prelude_counts(const gpi_compact *c, const gpi_plan *plan, gpi_text *text)
{
    const bool pair = gpi_compact_is_pair(c);
    const char *number = c->wide ? "ulong" : "uint";
    const size_t words = gpi_compact_element_size(c) / 4;
    size_t k;
    gpi_text_add(text, "#define GPI_SIZE %u\n#define GPI_IDENTITY_WORDS 0",
                 (unsigned)gpi_compact_element_size(c));
    for (k = 1; k < words; k++) gpi_text_add(text, ", 0");
    gpi_text_add(text, "\n#define GPI_COMMUTATIVE 1\n#define GPI_EXACT 1\n#define GPI_LANES %d\n",
                 plan->shape == GP_SHAPE_SERIAL && !pair ? 16 : 1);
    gpi_text_add(text, "#define GPI_REVERSE 0\n#define GPI_SEGMENTED 0\n#define GPI_HEADS 0\n"
                       "#define GPI_INPUTS 1\n#define GPI_Y uint\n");
    gpi_text_add(text, "#define GPI_NUMBER %s\n#define GPI_FIELD_COUNT %d\n", number, !pair);
    if (pair) {
        gpi_text_add(text, "typedef struct gpi_user {\n    GPI_NUMBER n, m;\n} gpi_user;\n");
        gpi_text_add(text,
                     "static gpi_user gpi_user_combine(gpi_user a, gpi_user b)\n{\n    gpi_user c;\n"
                     "    c.n = a.n + b.n;\n    c.m = %s;\n    return c;\n}\n",
                     c->parts == 3 ? "a.m + b.m" : "a.m > b.m ? a.m : b.m");
        return;
    }
    gpi_text_add(text, "#define GPI_OP_0 GPI_SUM\n#define GPI_VALUE_0 %s\n#define GPI_FLOAT_0 0\n", number);
    gpi_text_add(text, "#define GPI_RESULT_0 %s\n#define GPI_COMPENSATED_0 0\n#define GPI_LANE_0 uint\n",
                 number);
    gpi_text_add(text, "#define GPI_INDEX_0 %s\n", number);
}

static void gpi_compact_prelude_elements(const gpi_compact *c, gpi_text *text)
{
    const char *record = gpi_compact_moved(c->size);
    const bool half = c->type == GP_F16;
    const char *element = half        ? "float"
                          : c->record ? c->record->cl_type
                          : c->type   ? gpi_type_cl(c->type)
                                      : record;
    const bool elements = c->select_by != GPI_SELECT_BY_FLAGS && c->select_by != GPI_SELECT_BY_INDICES;
    const char *equal = c->equal ? c->equal : c->size == 16 ? "all(x == y)" : "x == y";
    const bool plain = c->select_by >= GPI_SELECT_BY_UNIQUE && !c->equal && c->size <= 8;
    const char *flag = c->flags_type == GP_F16 ? "ushort" : gpi_type_cl(c->flags_type);
    const char *in = c->select_by == GPI_SELECT_BY_FLAGS     ? flag
                     : c->select_by == GPI_SELECT_BY_INDICES ? gpi_type_cl(c->index_type)
                     : half                                  ? "half"
                                                             : element;
    gpi_text_add(text, "#define GPI_SELECT_BY %d\n#define GPI_PARTS %d\n#define GPI_SINGLES %d\n",
                 c->select_by, c->parts, !c->repeated_only);
    gpi_text_add(text, "#define GPI_PLAIN %d\n#define GPI_ALIKE %d\n", plain,
                 plain && !gpi_is_float(c->type));
    gpi_text_add(text, "#define GPI_IN %s\n#define GPI_IN_HALF %d\n#define GPI_X %s\n", in, elements && half,
                 element);
    gpi_text_add(text, "#define GPI_IN_NUMBER %d\n", !c->record);
    gpi_compact_prelude_moved(c->size, text);
    gpi_text_add(text, "#define GPI_RECORD %s\n#define GPI_RECORD_SIZE %u\n", record, (unsigned)c->size);
    gpi_args_define(&c->args, text);
    gpi_compact_prelude_function(c, "gpi_predicate", "const GPI_X x, const ulong i", "predicate",
                                 c->predicate, text);
    gpi_compact_prelude_function(c, "gpi_predicate2", "const GPI_X x, const ulong i", "predicate2",
                                 c->predicate2, text);
    if (c->select_by == GPI_SELECT_BY_UNIQUE || c->select_by == GPI_SELECT_BY_RUNS)
        gpi_compact_prelude_function(c, "gpi_equal", "const GPI_X x, const GPI_X y", "equal", equal, text);
}

static void gpi_compact_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                                gpi_text *text)
{
    const gpi_compact *c = (const gpi_compact *)description;
    gpi_prelude_plan(gp, plan, text);
    gpi_compact_prelude_counts(c, plan, text);
    gpi_compact_prelude_elements(c, text);
    gpi_text_add(
        text, "#define GPI_OUT %d\n#define GPI_INDEX_OUT %d\n#define GPI_CLOSED %d\n#define GPI_LENGTHS %d\n",
        c->array[GPI_COMPACT_OUT].used, c->array[GPI_COMPACT_INDEX_OUT].used, c->closed,
        c->array[GPI_COMPACT_LENGTHS].used);
    gpi_text_add(
        text,
        "#define GPI_PLACE %s\n#define GPI_PLACE_SIZE %u\n#define GPI_VALUE_SIZE %u\n#define GPI_BESIDE %s\n",
        gpi_type_cl(c->index_type), (unsigned)gpi_type_size(c->index_type), (unsigned)c->value_size,
        gpi_compact_record(c->value_size));
}

/* Plans run-length encoding, without offsets, as a reduction by key, if a single pass can run it. */
static gp_result gpi_compact_plan_by_key(gp_context *gp, gpi_compact *c)
{
    gp_reduce_by_key_desc *d = &c->by_key;
    gp_result result;
    if (c->select_by != GPI_SELECT_BY_RUNS || c->repeated_only || c->array[GPI_COMPACT_INDEX_OUT].used ||
        !c->array[GPI_COMPACT_LENGTHS].used) {
        return GP_OK;
    }
    d->keys_out = c->array[GPI_COMPACT_OUT].buffer;
    d->count = c->count.bound;
    d->key_type = c->type;
    d->out_type = c->index_type;
    d->op = GP_SUM;
    d->strategy = c->strategy;
    result = gpi_by_key_pass_plan(gp, d, c, true, &c->pass);
    c->plan = c->pass.plan;
    c->tiles = c->pass.tiles;
    return result;
}

/* Checks and plans a call, except for its buffers. Afterwards the size of the scratch is known. */
static gp_result gpi_compact_plan(gp_context *gp, gpi_compact *c)
{
    const size_t element = gpi_compact_element_size(c), moved = c->size < 16 ? c->size : 16;
    gp_result result = gpi_args_check(gp, &c->args);
    if (result == GP_OK) result = gpi_compact_plan_by_key(gp, c);
    if (result != GP_OK || c->pass.program) return result;
    result = gpi_plan_make_select(gp, moved > element ? moved : element, c->strategy, &c->plan);
    if (result == GP_OK)
        result = gpi_program_get(gp, GPI_SELECT, gpi_compact_prelude, c, &c->plan, &c->program);
    if (result == GP_OK) result = gpi_plan_tiles(gp, &c->plan, c->count.bound, &c->tiles);
    if (result != GP_OK) return result;
    /* A device that ends long loops too early can look back over few tiles only. */
    if (gp->info.loop_limit && c->tiles > GPI_LOOK_BACK_FEW) c->plan.strategy = GP_STRATEGY_MULTI_PASS;
    if (c->where == GPI_WHERE_AFTER) c->plan.strategy = GP_STRATEGY_MULTI_PASS;
    return GP_OK;
}

/* ------------------------------------------------------------------ checks, scratch */

static size_t gpi_compact_state_bytes(const gpi_compact *c)
{
    return gpi_look_back_bytes(c->tiles, gpi_compact_element_size(c));
}

/* Returns the scratch that suffices for either strategy. */
static size_t gpi_compact_scratch(const gpi_compact *c)
{
    const size_t partials = ((size_t)c->tiles + 1) * gpi_compact_element_size(c);
    const size_t state = gpi_compact_state_bytes(c);
    if (c->tiles <= 1) return 0;
    if (c->pass.program) return gpi_look_back_bytes(c->tiles, c->pass.element.size);
    return state > partials ? state : partials;
}

static bool gpi_compact_wants_any(const gpi_compact *c)
{
    int k = GPI_COMPACT_OUT;
    while (k < GPI_COMPACT_ROLES && !c->array[k].used) k++;
    return k < GPI_COMPACT_ROLES;
}

/* Fails to compile unless gpi_uses has an entry for each buffer, each argument and the scratch. */
typedef char
    gpi_a_call_has_too_many_buffers[(int)GPI_COMPACT_ROLES + GP_ARGS_MAX + 1 <= (int)GPI_USES_MAX ? 1 : -1];

/* Checks the buffers. If there are no elements, checks only the counts and, if c->closed, the output for indices. */
static gp_result gpi_compact_check(gp_context *gp, const gpi_compact *c)
{
    gpi_uses uses;
    int k;
    if (c->count.bound > 0 && !gpi_compact_wants_any(c)) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "all outputs are NULL: at least one output is required");
    }
    gpi_uses_begin(&uses, gp, GP_OK);
    for (k = 0; k < GPI_COMPACT_ROLES; k++) {
        const gpi_compact_array *a = &c->array[k];
        const bool counted = k == GPI_COMPACT_COUNTS || (k == GPI_COMPACT_INDEX_OUT && c->closed);
        if (k == GPI_COMPACT_COUNTER) gpi_use_count(&uses, "count_buffer", &c->count);
        else if (a->used && (c->count.bound > 0 || counted))
            gpi_use_buffer(&uses, a->name, a->buffer, a->offset, a->count, a->size,
                           k < GPI_COMPACT_OUT ? GPI_READS : GPI_WRITES);
    }
    return gpi_uses_end(&uses, &c->args, c->scratch, gpi_compact_scratch(c));
}

/* ------------------------------------------------------------------ launches */

/* Passes a buffer and its offset. If the buffer is not used, passes another one as a placeholder. */
static void gpi_compact_arg(gpi_call *call, const gpi_compact *c, int role)
{
    const gpi_compact_array *a = &c->array[role];
    const bool there = a->used && a->buffer;
    const cl_mem buffer = there ? a->buffer : call->gp->counters;
    const cl_ulong offset = there ? a->offset : 0;
    GPI_CALL_ARG(call, buffer);
    GPI_CALL_ARG(call, offset);
}

static void gpi_compact_arg_source(gpi_call *call, const gpi_compact *c)
{
    const cl_ulong in_count = c->array[GPI_COMPACT_IN].count;
    gpi_call_args(call, &c->args);
    gpi_compact_arg(call, c, c->array[GPI_COMPACT_DECIDES].used ? GPI_COMPACT_DECIDES : GPI_COMPACT_IN);
    gpi_compact_arg(call, c, GPI_COMPACT_IN);
    GPI_CALL_ARG(call, in_count);
    gpi_call_arg_count(call, &c->count);
}

static void gpi_compact_arg_sink(gpi_call *call, const gpi_compact *c)
{
    const gpi_compact_array *counts = &c->array[GPI_COMPACT_COUNTS];
    const cl_uint where = (cl_uint)c->where, count_words = counts->used ? (cl_uint)(counts->size / 4) : 0;
    gpi_compact_arg(call, c, GPI_COMPACT_OUT);
    gpi_compact_arg(call, c, GPI_COMPACT_INDEX_OUT);
    if (c->value_size) gpi_compact_arg(call, c, GPI_COMPACT_VALUES);
    if (c->value_size) gpi_compact_arg(call, c, GPI_COMPACT_VALUES_OUT);
    if (c->select_by == GPI_SELECT_BY_RUNS) gpi_compact_arg(call, c, GPI_COMPACT_LENGTHS);
    if (c->parts > 1) {
        gpi_compact_arg(call, c, GPI_COMPACT_SECOND);
        gpi_compact_arg(call, c, GPI_COMPACT_REST);
        GPI_CALL_ARG(call, where);
    }
    gpi_compact_arg(call, c, GPI_COMPACT_COUNTS);
    GPI_CALL_ARG(call, count_words);
}

static gp_result gpi_compact_single_pass(gpi_call *call, gpi_compact *c, cl_mem state)
{
    const gp_result result = gpi_call_fill(call, state, 0, gpi_compact_state_bytes(c));
    if (result != GP_OK) return result;
    gpi_call_kernel(call, c->program, "gp_select_look_back");
    gpi_compact_arg_source(call, c);
    gpi_compact_arg_sink(call, c);
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, c->plan.polls);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &c->plan, c->tiles);
}

/* Enqueues upsweep and spine, which write to `partials` the counts before each tile, and the total. */
static gp_result gpi_compact_sums(gpi_call *call, gpi_compact *c, cl_mem partials)
{
    gp_result result;
    gpi_call_kernel(call, c->program, "gp_select_upsweep");
    gpi_compact_arg_source(call, c);
    GPI_CALL_ARG(call, partials);
    result = gpi_call_launch(call, &c->plan, c->tiles);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, c->program, "gp_select_spine");
    GPI_CALL_ARG(call, partials);
    GPI_CALL_ARG(call, c->tiles);
    return gpi_call_launch(call, &c->plan, 1);
}

static gp_result gpi_compact_downsweep(gpi_call *call, gpi_compact *c, cl_mem partials)
{
    gpi_call_kernel(call, c->program, "gp_select_downsweep");
    gpi_compact_arg_source(call, c);
    gpi_compact_arg_sink(call, c);
    GPI_CALL_ARG(call, partials);
    GPI_CALL_ARG(call, c->tiles);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &c->plan, c->tiles);
}

static gp_result gpi_compact_by_key(gpi_call *call, gpi_compact *c, cl_mem state)
{
    const gpi_compact_array *counts = &c->array[GPI_COMPACT_COUNTS];
    const cl_mem number = counts->used ? counts->buffer : call->gp->result; /* not written */
    gp_reduce_by_key_desc *d = &c->by_key;
    d->keys = c->array[GPI_COMPACT_IN].buffer;
    d->keys_offset = c->array[GPI_COMPACT_IN].offset;
    d->keys_out = c->array[GPI_COMPACT_OUT].buffer;
    d->keys_out_offset = c->array[GPI_COMPACT_OUT].offset;
    d->out = c->array[GPI_COMPACT_LENGTHS].buffer;
    d->out_offset = c->array[GPI_COMPACT_LENGTHS].offset;
    c->pass.tiles = c->tiles;
    c->pass.count = c->count;
    return gpi_by_key_pass_launch(call, d, &c->pass, state, number, counts->used ? counts->offset : 0,
                                  counts->used ? (cl_uint)(counts->size / 4) : 0);
}

/* Fills an output with zeros, if there is one. */
static gp_result gpi_compact_zero(gpi_call *call, const gpi_compact_array *a)
{
    return a->used ? gpi_call_fill(call, a->buffer, a->offset * a->size, a->count * a->size) : GP_OK;
}

static gp_result gpi_compact_launch(gpi_call *call, gpi_compact *c)
{
    cl_mem scratch = NULL;
    gp_result result;
    if (c->tiles == 0) {
        result = c->closed ? gpi_compact_zero(call, &c->array[GPI_COMPACT_INDEX_OUT]) : GP_OK;
        return result == GP_OK ? gpi_compact_zero(call, &c->array[GPI_COMPACT_COUNTS]) : result;
    }
    if (c->tiles == 1 && c->pass.program) return gpi_compact_by_key(call, c, NULL);
    if (c->tiles == 1) return gpi_compact_downsweep(call, c, call->gp->counters);
    result = gpi_call_scratch(call, c->scratch, gpi_compact_scratch(c), &scratch);
    if (result != GP_OK) return result;
    if (c->pass.program) return gpi_compact_by_key(call, c, scratch);
    if (c->plan.strategy == GP_STRATEGY_SINGLE_PASS) return gpi_compact_single_pass(call, c, scratch);
    result = gpi_compact_sums(call, c, scratch);
    return result == GP_OK ? gpi_compact_downsweep(call, c, scratch) : result;
}

/* ------------------------------------------------------------------ calls */

/* Checks and runs a planned call. `to` receives the counts on the host, one for each part; NULL: the call does not block. */
static gp_result gpi_compact_run(gp_context *gp, gpi_compact *c, uint64_t *to)
{
    gpi_compact_array *counts = &c->array[GPI_COMPACT_COUNTS];
    unsigned char bytes[3 * sizeof(uint64_t)];
    gpi_call call;
    gp_result result;
    size_t k;
    if (to && !counts->used) {
        gpi_compact_array_set(c, GPI_COMPACT_COUNTS, "count", gp->result, 0, (size_t)c->parts,
                              sizeof(cl_ulong), true);
    }
    result = gpi_compact_check(gp, c);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, c->wait, c->wait_count, c->done);
    if (result == GP_OK) result = gpi_compact_launch(&call, c);
    if (result == GP_OK && to) {
        result = gpi_call_read(&call, counts->buffer, counts->offset * counts->size,
                               counts->count * counts->size, bytes);
    }
    for (k = 0; result == GP_OK && to && k < counts->count; k++) {
        uint32_t narrow;
        memcpy(&narrow, bytes + k * counts->size, sizeof narrow);
        to[k] = narrow;
        if (counts->size == 8) memcpy(&to[k], bytes + k * 8, 8);
    }
    return gpi_call_end(&call, result);
}

/* Runs the planned call's kernels on zeros in temporary buffers, once with one tile and once with two. */
static gp_result gpi_compact_warm_up(gp_context *gp, gpi_compact *c)
{
    const size_t tile = gpi_plan_tile(&c->plan), n = tile + 1, room = n * (c->size > 16 ? c->size : 16);
    cl_mem in = NULL, out = NULL;
    gpi_call call;
    gp_result result = gpi_alloc_zeros(gp, room, &in);
    int k;
    if (result == GP_OK) result = gpi_alloc(gp, room * GPI_COMPACT_ROLES, &out);
    for (k = 0; k < GPI_COMPACT_ROLES; k++) {
        gpi_compact_array *a = &c->array[k];
        if (!a->used) continue;
        a->buffer = k < GPI_COMPACT_OUT ? in : out;
        a->count = k == GPI_COMPACT_COUNTS ? (size_t)c->parts : n;
        a->offset = k < GPI_COMPACT_OUT ? 0 : (size_t)k * (room / a->size);
    }
    memset(&c->count, 0, sizeof c->count);
    c->scratch = NULL;
    for (c->count.bound = 1; c->count.bound <= n && result == GP_OK; c->count.bound += tile) {
        result = gpi_plan_tiles(gp, &c->plan, c->count.bound, &c->tiles);
        if (result == GP_OK) result = gpi_call_begin(&call, gp, NULL, 0, NULL);
        if (result == GP_OK) result = gpi_call_end_within(&call, gpi_compact_launch(&call, c));
    }
    if (in) (void)clReleaseMemObject(in);
    if (out) (void)clReleaseMemObject(out);
    return result;
}
