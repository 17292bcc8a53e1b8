/* brackets.c - gp_brackets: matches brackets in one look-back launch, or in launches that pair brackets in tiles, build a tree of
   tiles, and pair brackets across tiles. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/type.h"
#include "nest/nest.h"

#include <string.h>

enum {
    GPI_BRACKETS_NOTE_BYTES = 32, /* sizeof(gpi_note) in nest/tile_summary.cl */
    GPI_BRACKETS_LEAVES = 4096    /* leaves of the subtree whose nodes one group computes */
};

/* ------------------------------------------------------------------ plan */

/* Returns the most loop iterations of an item that looks back. The item waits at most once for every tile, and three
   times for each of its elements: once for an entry with the element's opener, and twice for the opener's tile. A
   wait takes at most all polls, one reading of a tile, and a search. */
static uint64_t gpi_brackets_turns(const gpi_brackets *b)
{
    const uint64_t tile = gpi_plan_tile(&b->plan), tiles = (uint64_t)b->desc->count / tile + 1;
    return (tiles + 3 * (uint64_t)b->plan.per_item) * (b->plan.polls + tile + 128);
}

/* Returns true if the call looks back: the strategy asks for it, and there is more than one tile. The serial shape also requires
   fences, and groups that keep running (nest/lookback.cl). A device that ends long loops too early looks back over few tiles
   only. */
static bool gpi_brackets_looks_back(const gp_context *gp, const gpi_brackets *b)
{
    if (b->plan.strategy != GP_STRATEGY_SINGLE_PASS || b->desc->count <= gpi_plan_tile(&b->plan))
        return false;
    if (b->plan.shape == GP_SHAPE_SERIAL) return gpi_has_fences(&gp->info);
    return !gp->info.loop_limit || gpi_brackets_turns(b) < gp->info.loop_limit;
}

/* Gets the program and sets b->back. Whether the call looks back depends on the plan, which may change with the program. */
static gp_result gpi_brackets_program(gp_context *gp, gpi_brackets *b)
{
    gp_result result;
    do {
        b->back = gpi_brackets_looks_back(gp, b);
        result = gpi_program_get(gp, b->back ? GPI_BRACKETS_BACK : GPI_BRACKETS, gpi_brackets_prelude, b,
                                 &b->plan, &b->program);
    } while (result == GP_OK && b->back != gpi_brackets_looks_back(gp, b));
    return result;
}

static gp_result gpi_brackets_index(gp_context *gp, gpi_brackets *b)
{
    const gp_type type = b->desc->index_type;
    const bool wide = (uint64_t)b->desc->count > UINT32_MAX;
    if (type != GP_TYPE_NONE && type != GP_U32 && type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "index_type = %d, must be GP_U32 or GP_U64", (int)type);
    }
    if (type == GP_U32 && wide) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "count = %zu does not fit indices of 32 bits",
                        b->desc->count);
    }
    b->index_size = type == GP_U64 || (type == GP_TYPE_NONE && wide) ? 8 : 4;
    return GP_OK;
}

/* Returns true if cells (nest/tile_summary.cl) have 16 bits, one of which shows whether the cell is written. Such
   cells must be zeroed beforehand. */
static bool gpi_brackets_has_halves(const gpi_brackets *b)
{
    return b->back && b->plan.shape == GP_SHAPE_LOCAL;
}

/* Sets the size of the scratch, and the positions of its parts, which nest/tile_summary.cl describes. */
static void gpi_brackets_lay_out(gpi_brackets *b)
{
    const size_t cell = gpi_brackets_has_halves(b) ? 2 : 4;
    const size_t node = b->back ? (size_t)GPI_NODE_WORDS * 4 : 2 * b->index_size;
    b->notes_at = gpi_round_up(b->desc->count * cell, 64);
    b->tree_at = b->notes_at + gpi_round_up((size_t)b->tiles * GPI_BRACKETS_NOTE_BYTES, 64);
    b->scratch_size = b->tiles ? b->tree_at + 2 * (size_t)b->leaves * node : 0;
}

/* Sets the number of tiles, the number of leaves of their tree, and the count. Fails if a tree cannot hold the tiles. */
static gp_result gpi_brackets_divide(gp_context *gp, gpi_brackets *b)
{
    const gp_brackets_desc *d = b->desc;
    const gp_result result = gpi_plan_tiles(gp, &b->plan, d->count, &b->tiles);
    if (result != GP_OK) return result;
    if (b->tiles > GPI_TILES_MAX / 4) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "count = %zu is %u tiles, more than a tree can hold",
                        d->count, b->tiles);
    }
    for (b->leaves = 1; b->leaves < b->tiles;) b->leaves *= 2;
    b->count.bound = d->count;
    b->count.buffer = d->count_buffer;
    b->count.offset = d->count_offset;
    b->count.type = d->count_type;
    return GP_OK;
}

/* Checks and plans a call, except for its buffers. Afterwards the size of the scratch is known. */
static gp_result gpi_brackets_plan(gp_context *gp, gpi_brackets *b)
{
    gp_result result = gpi_brackets_codes(gp, b);
    if (result == GP_OK) result = gpi_brackets_index(gp, b);
    if (result == GP_OK)
        result = gpi_plan_make_brackets(gp, GPI_BRACKETS, b->index_size, b->desc->strategy, &b->plan);
    if (result == GP_OK) result = gpi_brackets_program(gp, b);
    if (result == GP_OK) result = gpi_brackets_divide(gp, b);
    if (result == GP_OK) gpi_brackets_lay_out(b);
    return result;
}

/* ------------------------------------------------------------------ buffers */

static gp_result gpi_brackets_check(gp_context *gp, const gpi_brackets *b)
{
    const gp_brackets_desc *d = b->desc;
    const size_t n = d->count, size = b->index_size;
    gpi_uses uses;
    if (n > 0 && !d->match && !d->parent && !d->depth && !b->errors) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER,
                        "match, parent, depth and errors are NULL: at least one output is required");
    }
    gpi_uses_begin(&uses, gp, GP_OK);
    if (n) gpi_use_buffer(&uses, "in", d->in, d->in_offset, n, gpi_type_size(d->type), GPI_READS);
    gpi_use_count(&uses, "count_buffer", &b->count);
    if (n && d->match) gpi_use_buffer(&uses, "match", d->match, d->match_offset, n, size, GPI_WRITES);
    if (n && d->parent) gpi_use_buffer(&uses, "parent", d->parent, d->parent_offset, n, size, GPI_WRITES);
    if (n && d->depth) gpi_use_buffer(&uses, "depth", d->depth, d->depth_offset, n, size, GPI_WRITES);
    if (b->errors)
        gpi_use_buffer(&uses, "errors", b->errors, b->errors_offset, 1, sizeof(gp_brackets_errors),
                       GPI_WRITES);
    return gpi_uses_end(&uses, &b->args, d->scratch, b->scratch_size);
}

/* ------------------------------------------------------------------ launches */

/* Passes an output and its offset. If the output is not wanted, passes another buffer as a placeholder. */
static void gpi_brackets_arg_out(gpi_call *call, cl_mem out, size_t offset)
{
    const cl_mem buffer = out ? out : call->gp->counters;
    const cl_ulong at = out ? offset : 0;
    GPI_CALL_ARG(call, buffer);
    GPI_CALL_ARG(call, at);
}

/* Passes the arguments for GPI_NEST_PARAMETERS (nest/cross_tile.cl). `polls`: how often a group that looks back reads
   the state of a late tile. */
static void gpi_brackets_arg_nest(gpi_call *call, const gpi_brackets *b, cl_mem scratch, cl_uint polls)
{
    const cl_ulong notes = b->notes_at / 4, tree = b->tree_at / 4;
    GPI_CALL_ARG(call, scratch);
    GPI_CALL_ARG(call, notes);
    GPI_CALL_ARG(call, tree);
    GPI_CALL_ARG(call, b->leaves);
    if (!b->back) return;
    GPI_CALL_ARG(call, polls);
    GPI_CALL_ARG(call, call->gp->counters);
}

/* Passes the arguments for GPI_NEST_PARAMETERS (nest/cross_tile.cl) to a kernel that waits for no tile. */
static void gpi_brackets_arg_scratch(gpi_call *call, const gpi_brackets *b, cl_mem scratch)
{
    gpi_brackets_arg_nest(call, b, scratch, 0);
}

/* Returns the number of groups in kernels whose serial groups handle several tiles each. */
static size_t gpi_brackets_groups(const gpi_brackets *b)
{
    const size_t each = b->plan.shape == GP_SHAPE_SERIAL ? GPI_GROUP_TILES_SERIAL : 1;
    return (b->tiles + each - 1) / each;
}

static gp_result gpi_brackets_pair(gpi_call *call, const gpi_brackets *b, cl_mem scratch)
{
    const cl_uint cells = b->desc->match || b->desc->parent || b->errors;
    gpi_call_kernel(call, b->program, "gp_brackets_pair");
    gpi_brackets_arg_input(call, b);
    gpi_brackets_arg_out(call, b->desc->match, b->desc->match_offset);
    gpi_brackets_arg_scratch(call, b, scratch);
    GPI_CALL_ARG(call, cells);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &b->plan, gpi_brackets_groups(b));
}

/* Launches `groups` groups that multiply the tree's nodes, from the level of `bottom` nodes up to the level of `groups` nodes. */
static gp_result gpi_brackets_tree(gpi_call *call, const gpi_brackets *b, cl_mem scratch, cl_uint bottom,
                                   cl_uint groups)
{
    gpi_call_kernel(call, b->program, "gp_brackets_tree");
    gpi_call_arg_count(call, &b->count);
    gpi_brackets_arg_scratch(call, b, scratch);
    GPI_CALL_ARG(call, bottom);
    return gpi_call_launch(call, &b->plan, groups);
}

static gp_result gpi_brackets_join(gpi_call *call, const gpi_brackets *b, cl_mem scratch)
{
    gpi_call_kernel(call, b->program, "gp_brackets_join");
    gpi_brackets_arg_input(call, b);
    gpi_brackets_arg_out(call, b->desc->match, b->desc->match_offset);
    gpi_brackets_arg_scratch(call, b, scratch);
    return gpi_call_launch(call, &b->plan, b->tiles);
}

/* Passes the outputs for parents and depths, each with a flag that is 1 if the output is wanted. */
static void gpi_brackets_arg_around(gpi_call *call, const gpi_brackets *b)
{
    const gp_brackets_desc *d = b->desc;
    const cl_uint parents = d->parent != NULL, depths = d->depth != NULL;
    gpi_brackets_arg_out(call, d->parent, d->parent_offset);
    GPI_CALL_ARG(call, parents);
    gpi_brackets_arg_out(call, d->depth, d->depth_offset);
    GPI_CALL_ARG(call, depths);
}

static gp_result gpi_brackets_enclose(gpi_call *call, const gpi_brackets *b, cl_mem scratch)
{
    gpi_call_kernel(call, b->program, "gp_brackets_enclose");
    gpi_brackets_arg_input(call, b);
    gpi_brackets_arg_around(call, b);
    gpi_brackets_arg_scratch(call, b, scratch);
    return gpi_call_launch(call, &b->plan, gpi_brackets_groups(b));
}

static gp_result gpi_brackets_measure(gpi_call *call, const gpi_brackets *b, cl_mem scratch)
{
    gpi_call_kernel(call, b->program, "gp_brackets_measure");
    gpi_brackets_arg_input(call, b);
    gpi_brackets_arg_scratch(call, b, scratch);
    return gpi_call_launch(call, &b->plan, b->tiles);
}

static gp_result gpi_brackets_report(gpi_call *call, const gpi_brackets *b, cl_mem scratch)
{
    const cl_ulong at = b->errors_offset;
    gpi_call_kernel(call, b->program, "gp_brackets_report");
    gpi_brackets_arg_input(call, b);
    GPI_CALL_ARG(call, b->errors);
    GPI_CALL_ARG(call, at);
    gpi_brackets_arg_scratch(call, b, scratch);
    return gpi_call_launch(call, &b->plan, 1);
}

/* Returns the number of groups of the tree's first launch. */
static cl_uint gpi_brackets_parts(cl_uint leaves)
{
    return leaves > GPI_BRACKETS_LEAVES ? leaves / GPI_BRACKETS_LEAVES : 1;
}

static gp_result gpi_brackets_look_back(gpi_call *call, const gpi_brackets *b, cl_mem scratch)
{
    gpi_call_kernel(call, b->program, "gp_brackets_look_back");
    gpi_brackets_arg_input(call, b);
    gpi_brackets_arg_out(call, b->desc->match, b->desc->match_offset);
    gpi_brackets_arg_around(call, b);
    gpi_brackets_arg_nest(call, b, scratch, b->plan.polls);
    return gpi_call_launch(call, &b->plan, gpi_brackets_groups(b));
}

static gp_result gpi_brackets_rest(gpi_call *call, const gpi_brackets *b, cl_mem scratch)
{
    gpi_call_kernel(call, b->program, "gp_brackets_rest");
    gpi_brackets_arg_input(call, b);
    gpi_brackets_arg_out(call, b->desc->match, b->desc->match_offset);
    gpi_brackets_arg_scratch(call, b, scratch);
    return gpi_call_launch(call, &b->plan, b->tiles);
}

/* Enqueues the single pass (nest/brackets_single_pass.cl). In the local shape a second launch writes "none" for openers
   without a partner, which are known only after the first launch. */
static gp_result gpi_brackets_single_pass(gpi_call *call, const gpi_brackets *b, cl_mem scratch)
{
    const bool halves = gpi_brackets_has_halves(b);
    const size_t from = halves ? 0 : b->tree_at;
    gp_result r = gpi_call_fill(call, scratch, from, b->scratch_size - from);
    if (r == GP_OK) r = gpi_brackets_look_back(call, b, scratch);
    if (r == GP_OK && halves && b->desc->match) r = gpi_brackets_rest(call, b, scratch);
    if (r == GP_OK && b->errors) r = gpi_brackets_report(call, b, scratch);
    return r;
}

static gp_result gpi_brackets_launch(gpi_call *call, const gpi_brackets *b)
{
    const gp_brackets_desc *d = b->desc;
    const bool more = d->parent || d->depth || b->errors;
    const cl_uint parts = gpi_brackets_parts(b->leaves);
    cl_mem scratch = call->gp->counters; /* a placeholder if no kernel reads the scratch */
    gp_result r = GP_OK;
    if (b->tiles == 0) return b->errors ? gpi_brackets_report(call, b, scratch) : GP_OK;
    if (!d->match && !more) return GP_OK;
    r = gpi_call_scratch(call, d->scratch, b->scratch_size, &scratch);
    if (r == GP_OK && b->back) return gpi_brackets_single_pass(call, b, scratch);
    if (r == GP_OK) r = gpi_brackets_pair(call, b, scratch);
    if (b->tiles == 1 && !more) return r;
    if (r == GP_OK) r = gpi_brackets_tree(call, b, scratch, b->leaves, parts);
    if (r == GP_OK && parts > 1) r = gpi_brackets_tree(call, b, scratch, parts, 1);
    if (r == GP_OK && b->tiles > 1 && (d->match || b->errors)) r = gpi_brackets_join(call, b, scratch);
    if (r == GP_OK && (d->parent || d->depth)) r = gpi_brackets_enclose(call, b, scratch);
    if (r == GP_OK && b->errors) r = gpi_brackets_measure(call, b, scratch);
    if (r == GP_OK && b->errors) r = gpi_brackets_report(call, b, scratch);
    return r;
}

/* ------------------------------------------------------------------ API */

static void gpi_brackets_init(gpi_brackets *b, const gp_brackets_desc *desc)
{
    memset(b, 0, sizeof *b);
    b->desc = desc;
    b->args = gpi_args_make(desc->args, desc->arg_count, desc->map || desc->type == GP_I32 ? "x i" : "");
    b->errors = desc->errors;
    b->errors_offset = desc->errors_offset;
}

static gp_result gpi_brackets_call(gp_context *gp, gpi_brackets *b, gp_brackets_errors *errors)
{
    const gp_brackets_desc *desc = b->desc;
    gpi_call call;
    gp_result result = gpi_brackets_plan(gp, b);
    if (result == GP_OK) result = gpi_brackets_check(gp, b);
    if (result == GP_OK) result = gpi_brackets_classes(gp, b);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_brackets_launch(&call, b);
    if (result == GP_OK && errors)
        result = gpi_call_read(&call, b->errors, b->errors_offset * sizeof *errors, sizeof *errors, errors);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_brackets(gp_context *gp, const gp_brackets_desc *desc)
{
    gpi_brackets b;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    gpi_brackets_init(&b, desc);
    return gpi_brackets_call(gp, &b, NULL);
}

GP_API gp_result gp_brackets_read(gp_context *gp, const gp_brackets_desc *desc, gp_brackets_errors *errors)
{
    gpi_brackets b;
    cl_mem own = NULL;
    gp_result result = GP_OK;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc || !errors) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or errors is NULL");
    }
    gpi_brackets_init(&b, desc);
    if (!b.errors) {
        result = gpi_alloc(gp, sizeof *errors, &own);
        b.errors = own;
        b.errors_offset = 0;
    }
    if (result == GP_OK) result = gpi_brackets_call(gp, &b, errors);
    if (own) (void)clReleaseMemObject(own);
    return result;
}

GP_API gp_result gp_brackets_scratch_size(gp_context *gp, const gp_brackets_desc *desc, size_t *bytes)
{
    gpi_brackets b;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    gpi_brackets_init(&b, desc);
    result = gpi_brackets_plan(gp, &b);
    *bytes = result == GP_OK ? b.scratch_size : 0;
    return result;
}

/* Runs the call's kernels on zeros in temporary buffers, once with one tile and once with two. */
static gp_result gpi_brackets_warm_up(gp_context *gp, const gp_brackets_desc *desc)
{
    gp_brackets_desc probe;
    gpi_brackets b;
    gp_result result;
    size_t n;
    cl_mem out = NULL;
    memset(&probe, 0, sizeof probe);
    probe.type = desc->type;
    probe.pairs = desc->pairs;
    probe.table = desc->table;
    probe.map = desc->map;
    probe.args = desc->args;
    probe.arg_count = desc->arg_count;
    probe.match = desc->match;
    probe.errors = desc->errors;
    probe.index_type = desc->index_type;
    probe.strategy = desc->strategy;
    gpi_brackets_init(&b, &probe);
    result = gpi_brackets_plan(gp, &b);
    if (result != GP_OK) return result;
    n = gpi_plan_tile(&b.plan) + 1;
    result = gpi_alloc_zeros(gp, n * gpi_type_size(probe.type), &probe.in);
    if (result == GP_OK) result = gpi_alloc(gp, 3 * n * b.index_size + 2 * sizeof(gp_brackets_errors), &out);
    if (desc->match) probe.match = out;
    if (desc->parent) probe.parent = out;
    probe.parent_offset = n;
    if (desc->depth) probe.depth = out;
    probe.depth_offset = 2 * n;
    if (desc->errors) probe.errors = out;
    probe.errors_offset = 3 * n * b.index_size / sizeof(gp_brackets_errors) + 1;
    for (probe.count = 1; probe.count <= n && result == GP_OK; probe.count += n - 1)
        result = gp_brackets(gp, &probe); /* one tile uses several launches, whichever strategy is set */
    if (probe.in) (void)clReleaseMemObject(probe.in);
    if (out) (void)clReleaseMemObject(out);
    return result;
}
