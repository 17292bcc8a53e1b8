/* tree.c - gp_tree: handles runs of elements, builds a tree of runs, and completes the results that depend on other runs. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/type.h"
#include "program/user_text.h"
#include "nest/nest.h"

#include <string.h>

/* A checked call of gp_tree, ready to run. */
typedef struct gpi_tree {
    const gp_tree_desc *desc;
    gpi_args args; /* arguments that the map names */
    size_t index_size;
    gpi_plan plan;
    gpi_program *program;
    gpi_count count;
    cl_uint tiles, leaves;   /* tiles for the count's bound; number of runs, rounded up to a power of 2 */
    size_t own_at, marks_at; /* where parts of the scratch begin, in bytes */
    size_t scratch_size;
} gpi_tree;

static gp_result gpi_tree_check_types(gp_context *gp, gpi_tree *t)
{
    const gp_tree_desc *d = t->desc;
    gp_result result;
    if (d->index_type != GP_TYPE_NONE && d->index_type != GP_U32 && d->index_type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "index_type = %d, must be GP_U32 or GP_U64",
                        (int)d->index_type);
    }
    t->index_size = d->index_type == GP_U64 ? 8 : 4;
    if (t->index_size == 4 && (uint64_t)d->count > UINT32_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "count = %zu needs index_type = GP_U64", d->count);
    }
    if (!d->type && (d->in || d->map)) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s is given but type is 0", d->in ? "in" : "map");
    }
    result = gpi_check_text(gp, "map", d->map);
    if (result != GP_OK) return result;
    if (d->type && (!gpi_type_size(d->type) || gpi_is_float(d->type))) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "type = %d is not an integer type", (int)d->type);
    }
    t->args = gpi_args_make(d->args, d->arg_count, "x i");
    return gpi_args_check(gp, &t->args);
}

static void gpi_tree_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                             gpi_text *text)
{
    const gpi_tree *t = (const gpi_tree *)description;
    const gp_tree_desc *d = t->desc;
    const char *symbol = d->type ? gpi_type_cl(d->type) : "uchar";
    gpi_brackets_add_shape(plan, text);
    gpi_text_sub_group(gp, plan, text);
    gpi_text_add(text, "#define GPI_SYMBOL %s\n#define GPI_INDEX_SIZE %u\n", symbol, (unsigned)t->index_size);
    gpi_text_add(text,
                 "#define GPI_KINDS 0\n#define GPI_MATCH 0\n#define GPI_LOOKBACK 0\n#define GPI_SELECT %d\n",
                 d->type != 0);
    gpi_text_add(text, "#define GPI_MAP_BY_BYTE %d\n",
                 gpi_map_is_by_byte(gp, plan, d->type, d->map, &t->args));
    gpi_args_define(&t->args, text);
    gpi_text_add(text, "static uint gpi_counted(%sconst %s x, const ulong i)\n{\n",
                 gpi_args_parameter(&t->args), symbol);
    gpi_args_name(&t->args, text);
    gpi_text_add(text, "    return (\n#line 1 \"map\"\n%s\n    ) != 0;\n}\n", d->map ? d->map : "x");
}

/* Returns the size, in bytes, of the marks (nest/tree_tile.cl) in the scratch. */
static size_t gpi_tree_marks(const gpi_tree *t)
{
    const size_t rows = (t->plan.per_item + 15) / 16;
    if (t->plan.shape == GP_SHAPE_LOCAL) return 8 * (size_t)t->tiles * t->plan.group;
    return gpi_round_up(2 * t->tiles * rows, 4);
}

/* Sets the sizes of the tree of runs and of the scratch, and the count. See nest/tree_runs.cl. */
static gp_result gpi_tree_divide(gp_context *gp, gpi_tree *t)
{
    const gp_tree_desc *d = t->desc;
    const gp_result result = gpi_plan_tiles(gp, &t->plan, d->count, &t->tiles);
    uint64_t runs;
    if (result != GP_OK) return result;
    runs = (uint64_t)t->tiles * t->plan.group;
    if (runs > GPI_TILES_MAX / 4) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "count = %zu is more runs than a tree can hold", d->count);
    }
    for (t->leaves = 1; t->leaves < runs;) t->leaves *= 2;
    t->count.bound = d->count;
    t->count.buffer = d->count_buffer;
    t->count.offset = d->count_offset;
    t->count.type = d->count_type;
    t->own_at = gpi_round_up(2 * (size_t)t->leaves * 2 * t->index_size, 64);
    t->marks_at = t->own_at + gpi_round_up((t->plan.shape == GP_SHAPE_LOCAL ? 1 : 2) * (size_t)d->count, 64);
    t->scratch_size = t->tiles ? t->marks_at + gpi_tree_marks(t) : 0;
    return GP_OK;
}

/* Checks and plans a call, except for its buffers. Afterwards the size of the scratch is known. */
static gp_result gpi_tree_plan(gp_context *gp, gpi_tree *t, const gp_tree_desc *desc)
{
    gp_result result;
    memset(t, 0, sizeof *t);
    t->desc = desc;
    result = gpi_tree_check_types(gp, t);
    if (result == GP_OK)
        result = gpi_plan_make_brackets(gp, GPI_TREE, t->index_size, GP_STRATEGY_AUTO, &t->plan);
    if (result == GP_OK) result = gpi_program_get(gp, GPI_TREE, gpi_tree_prelude, t, &t->plan, &t->program);
    return result == GP_OK ? gpi_tree_divide(gp, t) : result;
}

static gp_result gpi_tree_check(gp_context *gp, const gpi_tree *t)
{
    const gp_tree_desc *d = t->desc;
    const size_t n = d->count, size = t->index_size;
    gpi_uses uses;
    if (!d->index && !d->children && !d->end) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER,
                        "index, children and end are NULL: at least one output is required");
    }
    gpi_uses_begin(&uses, gp, GP_OK);
    gpi_use_buffer(&uses, "parent", d->parent, d->parent_offset, n, size, GPI_READS);
    if (d->type) gpi_use_buffer(&uses, "in", d->in, d->in_offset, n, gpi_type_size(d->type), GPI_READS);
    gpi_use_count(&uses, "count_buffer", &t->count);
    if (d->index) gpi_use_buffer(&uses, "index", d->index, d->index_offset, n, size, GPI_WRITES);
    if (d->children) gpi_use_buffer(&uses, "children", d->children, d->children_offset, n, size, GPI_WRITES);
    if (d->end) gpi_use_buffer(&uses, "end", d->end, d->end_offset, n, size, GPI_WRITES);
    return gpi_uses_end(&uses, &t->args, d->scratch, t->scratch_size);
}

/* Sets the kernel and passes the arguments for GPI_TREE_PARAMETERS (nest/tree_runs.cl). */
static void gpi_tree_kernel(gpi_call *call, const gpi_tree *t, const char *kernel, cl_mem scratch)
{
    const gp_tree_desc *d = t->desc;
    const cl_mem in = d->type ? d->in : d->parent;
    const cl_ulong in_at = d->type ? d->in_offset : 0, parent_at = d->parent_offset;
    const cl_ulong own = t->own_at / 4, marks = t->marks_at / 4;
    const cl_uint outputs = (d->index ? (cl_uint)GPI_TREE_INDEX : 0) |
                            (d->children ? (cl_uint)GPI_TREE_CHILDREN : 0) |
                            (d->end ? (cl_uint)GPI_TREE_END : 0);
    gpi_call_kernel(call, t->program, kernel);
    gpi_call_args(call, &t->args);
    GPI_CALL_ARG(call, in);
    GPI_CALL_ARG(call, in_at);
    GPI_CALL_ARG(call, d->parent);
    GPI_CALL_ARG(call, parent_at);
    gpi_call_arg_count(call, &t->count);
    gpi_brackets_arg_out(call, d->index, d->index_offset);
    gpi_brackets_arg_out(call, d->children, d->children_offset);
    gpi_brackets_arg_out(call, d->end, d->end_offset);
    GPI_CALL_ARG(call, outputs);
    GPI_CALL_ARG(call, scratch);
    GPI_CALL_ARG(call, own);
    GPI_CALL_ARG(call, marks);
    GPI_CALL_ARG(call, t->leaves);
}

static gp_result gpi_tree_grow(gpi_call *call, const gpi_tree *t, cl_mem scratch, cl_uint bottom,
                               cl_uint groups)
{
    gpi_tree_kernel(call, t, "gp_tree_grow", scratch);
    GPI_CALL_ARG(call, bottom);
    return gpi_call_launch(call, &t->plan, groups);
}

static gp_result gpi_tree_launch(gpi_call *call, const gpi_tree *t)
{
    const cl_uint leaves = t->leaves / t->plan.group; /* tiles; the first launch builds each tile's subtree */
    const cl_uint parts = gpi_brackets_parts(leaves);
    cl_mem scratch;
    gp_result r = gpi_call_scratch(call, t->desc->scratch, t->scratch_size, &scratch);
    if (r != GP_OK) return r;
    gpi_tree_kernel(call, t, "gp_tree_runs", scratch);
    GPI_CALL_ARG(call, call->gp->counters);
    r = gpi_call_launch(call, &t->plan, t->tiles);
    if (r == GP_OK) r = gpi_tree_grow(call, t, scratch, leaves, parts);
    if (r == GP_OK && parts > 1) r = gpi_tree_grow(call, t, scratch, parts, 1);
    if (r != GP_OK) return r;
    gpi_tree_kernel(call, t, "gp_tree_join", scratch);
    return gpi_call_launch(call, &t->plan, t->tiles);
}

GP_API gp_result gp_tree(gp_context *gp, const gp_tree_desc *desc)
{
    gpi_tree t;
    gpi_call call;
    gp_result result;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    result = gpi_tree_plan(gp, &t, desc);
    if (result == GP_OK && desc->count > 0) result = gpi_tree_check(gp, &t);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK && desc->count > 0) result = gpi_tree_launch(&call, &t);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_tree_scratch_size(gp_context *gp, const gp_tree_desc *desc, size_t *bytes)
{
    gpi_tree t;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !desc || !bytes) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    result = gpi_tree_plan(gp, &t, desc);
    *bytes = result == GP_OK ? t.scratch_size : 0;
    return result;
}

/* Runs the call's kernels on one element, in temporary buffers. */
static gp_result gpi_tree_warm_up(gp_context *gp, const gp_tree_desc *desc)
{
    gp_tree_desc probe;
    gp_result result;
    memset(&probe, 0, sizeof probe);
    probe.type = desc->type;
    probe.map = desc->map;
    probe.args = desc->args;
    probe.arg_count = desc->arg_count;
    probe.index_type = desc->index_type;
    probe.count = 1;
    probe.end_offset = 1;
    result = gpi_alloc_zeros(gp, 8, &probe.parent);
    if (result == GP_OK && probe.type) result = gpi_alloc_zeros(gp, 8, &probe.in);
    if (result == GP_OK) result = gpi_alloc(gp, 16, &probe.end);
    if (result == GP_OK) result = gp_tree(gp, &probe);
    if (probe.parent) (void)clReleaseMemObject(probe.parent);
    if (probe.in) (void)clReleaseMemObject(probe.in);
    if (probe.end) (void)clReleaseMemObject(probe.end);
    return result;
}
