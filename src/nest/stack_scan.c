/* stack_scan.c - gp_stack_scan: computes, one after the other, the products of each tile's openers, a tree of tiles,
   the value before each tile, and the scan. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/type.h"
#include "element/element.h"
#include "nest/nest.h"

#include <string.h>

/* A checked call of gp_stack_scan, ready to run. */
typedef struct gpi_stack_scan {
    const gp_stack_scan_desc *desc;
    gp_brackets_desc symbols; /* the part of the desc that is about brackets */
    gpi_brackets nest;        /* the checked brackets, with the call's plan, program and tiles */
    gpi_element element;
    size_t joints_at, bases_at, cells_at; /* where parts of the scratch begin, in bytes */
    size_t scratch_size;
} gpi_stack_scan;

/* ------------------------------------------------------------------ plan */

static void gpi_stack_init(gpi_stack_scan *s, const gp_stack_scan_desc *desc)
{
    gp_brackets_desc *b = &s->symbols;
    memset(s, 0, sizeof *s);
    s->desc = desc;
    b->count = desc->count;
    b->count_buffer = desc->count_buffer;
    b->count_offset = desc->count_offset;
    b->count_type = desc->count_type;
    b->in = desc->in;
    b->in_offset = desc->in_offset;
    b->type = desc->type;
    b->pairs = desc->pairs;
    b->table = desc->table;
    b->map = desc->map;
    b->args = desc->args;
    b->arg_count = desc->arg_count;
    gpi_brackets_init(&s->nest, b);
    /* the map of codes may use macros of the monoid's source */
    s->nest.args.pasted = desc->monoid ? desc->monoid->source : NULL;
}

static gp_result gpi_stack_element(gp_context *gp, gpi_stack_scan *s)
{
    const gp_stack_scan_desc *d = s->desc;
    gpi_operation o;
    memset(&o, 0, sizeof o);
    o.type_field = "value_type";
    o.map_field = "value_map";
    o.type = d->value_type;
    o.out_type = d->out_type;
    if (!o.out_type && !d->monoid) o.out_type = gpi_is_arg(d->op) ? GP_U64 : d->value_type;
    o.op = d->op;
    o.monoid = d->monoid;
    o.map = d->value_map;
    o.args = s->nest.args;
    o.initial = d->initial;
    return gpi_element_make(gp, &o, &s->element);
}

static void gpi_stack_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                              gpi_text *text)
{
    const gpi_stack_scan *s = (const gpi_stack_scan *)description;
    gpi_prelude_plan(gp, plan, text);
    gpi_element_prelude(&s->element, GPI_STACK_SCAN, plan, text);
    gpi_brackets_add_nest(gp, plan, &s->nest, text);
}

/* Sets the size of the scratch, and the positions of its parts, which nest/stack_scan.cl describes. */
static void gpi_stack_lay_out(gpi_stack_scan *s)
{
    const size_t size = s->element.size, leaves = s->nest.leaves, tiles = s->nest.tiles;
    s->joints_at = gpi_round_up(2 * leaves * 2 * s->nest.index_size, 64);
    s->bases_at = s->joints_at + gpi_round_up(leaves * size, 64);
    s->cells_at = s->bases_at + gpi_round_up(tiles * size, 64);
    s->scratch_size = tiles ? s->cells_at + gpi_round_up((s->desc->count + tiles) * size, 4) : 0;
}

/* Checks and plans a call, except for its buffers. Afterwards the size of the scratch is known. */
static gp_result gpi_stack_plan(gp_context *gp, gpi_stack_scan *s)
{
    gp_result r = gpi_brackets_codes(gp, &s->nest);
    if (r == GP_OK) r = gpi_brackets_index(gp, &s->nest);
    if (r == GP_OK) r = gpi_stack_element(gp, s);
    if (r == GP_OK)
        r = gpi_plan_make_brackets(gp, GPI_STACK_SCAN, s->element.size, GP_STRATEGY_AUTO, &s->nest.plan);
    if (r == GP_OK)
        r = gpi_program_get(gp, GPI_STACK_SCAN, gpi_stack_prelude, s, &s->nest.plan, &s->nest.program);
    if (r == GP_OK) r = gpi_brackets_divide(gp, &s->nest);
    if (r == GP_OK) gpi_stack_lay_out(s);
    return r;
}

static gp_result gpi_stack_check(gp_context *gp, const gpi_stack_scan *s)
{
    const gp_stack_scan_desc *d = s->desc;
    const gpi_element *e = &s->element;
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, gpi_check_positions(gp, e, d->count));
    gpi_use_buffer(&uses, "in", d->in, d->in_offset, d->count, gpi_type_size(d->type), GPI_READS);
    gpi_use_buffer(&uses, "values", d->values, d->values_offset, d->count, e->in_size, GPI_READS);
    gpi_use_count(&uses, "count_buffer", &s->nest.count);
    gpi_use_buffer(&uses, "out", d->out, d->out_offset, d->count, e->out_size, GPI_WRITES);
    return gpi_uses_end(&uses, &s->nest.args, d->scratch, s->scratch_size);
}

/* ------------------------------------------------------------------ launches */

/* Passes the arguments for GPI_STACK_VALUES_PARAMETERS (nest/stack_scan.cl). */
static void gpi_stack_arg_values(gpi_call *call, const gpi_stack_scan *s)
{
    const cl_ulong offset = s->desc->values_offset;
    GPI_CALL_ARG(call, s->desc->values);
    GPI_CALL_ARG(call, offset);
    gpi_brackets_arg_input(call, &s->nest);
}

/* Passes the arguments for GPI_STACK_PARAMETERS (nest/stack_products.cl). */
static void gpi_stack_arg_scratch(gpi_call *call, const gpi_stack_scan *s, cl_mem scratch)
{
    const cl_ulong joints = s->joints_at / 4, bases = s->bases_at / 4, cells = s->cells_at / 4;
    GPI_CALL_ARG(call, scratch);
    GPI_CALL_ARG(call, joints);
    GPI_CALL_ARG(call, bases);
    GPI_CALL_ARG(call, cells);
    GPI_CALL_ARG(call, s->nest.leaves);
}

static gp_result gpi_stack_pair(gpi_call *call, const gpi_stack_scan *s, cl_mem scratch)
{
    gpi_call_kernel(call, s->nest.program, "gp_stack_pair");
    gpi_stack_arg_values(call, s);
    gpi_stack_arg_scratch(call, s, scratch);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &s->nest.plan, gpi_brackets_groups(&s->nest));
}

/* Launches groups that multiply nodes of the tree, as gpi_brackets_tree does. */
static gp_result gpi_stack_tree(gpi_call *call, const gpi_stack_scan *s, cl_mem scratch, cl_uint bottom,
                                cl_uint groups)
{
    gpi_call_kernel(call, s->nest.program, "gp_stack_tree");
    gpi_call_combine_args(call, &s->element);
    gpi_call_arg_count(call, &s->nest.count);
    gpi_stack_arg_scratch(call, s, scratch);
    GPI_CALL_ARG(call, bottom);
    return gpi_call_launch(call, &s->nest.plan, groups);
}

static gp_result gpi_stack_base(gpi_call *call, const gpi_stack_scan *s, cl_mem scratch)
{
    gpi_call_kernel(call, s->nest.program, "gp_stack_base");
    gpi_call_combine_args(call, &s->element);
    gpi_call_arg_count(call, &s->nest.count);
    gpi_stack_arg_scratch(call, s, scratch);
    gpi_call_arg_initial(call, &s->element);
    return gpi_call_launch(call, &s->nest.plan, gpi_ceil_div(s->nest.tiles, s->nest.plan.group));
}

static gp_result gpi_stack_fold(gpi_call *call, const gpi_stack_scan *s, cl_mem scratch)
{
    const cl_ulong offset = s->desc->out_offset;
    const cl_uint exclusive = s->desc->exclusive;
    gpi_call_kernel(call, s->nest.program, "gp_stack_fold");
    gpi_stack_arg_values(call, s);
    GPI_CALL_ARG(call, s->desc->out);
    GPI_CALL_ARG(call, offset);
    gpi_call_arg_initial(call, &s->element);
    GPI_CALL_ARG(call, exclusive);
    gpi_stack_arg_scratch(call, s, scratch);
    return gpi_call_launch(call, &s->nest.plan, gpi_brackets_groups(&s->nest));
}

static gp_result gpi_stack_launch(gpi_call *call, const gpi_stack_scan *s)
{
    const cl_uint leaves = s->nest.leaves, parts = gpi_brackets_parts(s->nest.leaves);
    cl_mem scratch;
    gp_result r = gpi_call_scratch(call, s->desc->scratch, s->scratch_size, &scratch);
    if (r == GP_OK) r = gpi_stack_pair(call, s, scratch);
    if (r == GP_OK) r = gpi_stack_tree(call, s, scratch, leaves, parts);
    if (r == GP_OK && parts > 1) r = gpi_stack_tree(call, s, scratch, parts, 1);
    if (r == GP_OK) r = gpi_stack_base(call, s, scratch);
    if (r == GP_OK) r = gpi_stack_fold(call, s, scratch);
    return r;
}

/* ------------------------------------------------------------------ API */

GP_API gp_result gp_stack_scan(gp_context *gp, const gp_stack_scan_desc *desc)
{
    gpi_stack_scan s;
    gpi_call call;
    gp_result result;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    gpi_stack_init(&s, desc);
    result = gpi_stack_plan(gp, &s);
    if (result == GP_OK && desc->count > 0) result = gpi_stack_check(gp, &s);
    if (result == GP_OK) result = gpi_brackets_classes(gp, &s.nest);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK && desc->count > 0) result = gpi_stack_launch(&call, &s);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_stack_scan_scratch_size(gp_context *gp, const gp_stack_scan_desc *desc, size_t *bytes)
{
    gpi_stack_scan s;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    gpi_stack_init(&s, desc);
    result = gpi_stack_plan(gp, &s);
    *bytes = result == GP_OK ? s.scratch_size : 0;
    return result;
}

/* Runs the call's kernels on one element, in temporary buffers. */
static gp_result gpi_stack_scan_warm_up(gp_context *gp, const gp_stack_scan_desc *desc)
{
    gp_stack_scan_desc probe;
    gpi_stack_scan s;
    gp_result result;
    memset(&probe, 0, sizeof probe);
    probe.type = desc->type;
    probe.pairs = desc->pairs;
    probe.table = desc->table;
    probe.map = desc->map;
    probe.args = desc->args;
    probe.arg_count = desc->arg_count;
    probe.value_type = desc->value_type;
    probe.value_map = desc->value_map;
    probe.out_type = desc->out_type;
    probe.op = desc->op;
    probe.monoid = desc->monoid;
    gpi_stack_init(&s, &probe);
    result = gpi_stack_plan(gp, &s);
    if (result != GP_OK) return result;
    probe.count = 1;
    result = gpi_alloc_zeros(gp, gpi_type_size(probe.type), &probe.in);
    if (result == GP_OK) result = gpi_alloc_neutral(gp, &s.element, 1, &probe.values);
    if (result == GP_OK) result = gpi_alloc(gp, s.element.out_size, &probe.out);
    if (result == GP_OK) result = gp_stack_scan(gp, &probe);
    if (probe.in) (void)clReleaseMemObject(probe.in);
    if (probe.values) (void)clReleaseMemObject(probe.values);
    if (probe.out) (void)clReleaseMemObject(probe.out);
    return result;
}
