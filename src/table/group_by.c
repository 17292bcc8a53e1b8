/* group_by.c - gp_group_by: puts rows into a hash table, selects the first row of each key, and sorts rows by group.
   Results of groups are in results.c. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/type.h"
#include "runtime/tuning.h"
#include "program/program.h"
#include "select/select.h"
#include "sort/sort.h"
#include "table/table.h"

#include <stdio.h>
#include <string.h>

/* A checked call of gp_group_by, ready to run. */
typedef struct gpi_group_by {
    const gp_group_by_desc *desc;
    gpi_rows table;
    bool numbers, sorts; /* groups are numbered; rows are sorted by group */
    gpi_compact firsts;  /* selects the first row of each group */
    gp_arg args[2];      /* of its predicate */
    gp_sort_desc sort_desc;
    gpi_sort sort;
    gpi_results results;
    size_t result_size[GP_GROUP_RESULTS_MAX]; /* bytes of a group's result */
    /* where parts of the scratch begin, in bytes; the nested calls' scratch is at 0 */
    size_t slot_of_at, rows_at, sorted_at, order_at, offsets_at, scratch;
    /* where the slots, later groups, and the first rows are */
    cl_mem slot_of, rows;
    size_t slot_of_offset, rows_offset;
} gpi_group_by;

/* ------------------------------------------------------------------ plan */

/* Plans the selection of the first row of each group: the rows that are in their own slots. */
static gp_result gpi_groups_plan_firsts(gp_context *gp, gpi_group_by *g)
{
    const size_t n = g->desc->count;
    gpi_compact *c = &g->firsts;
    gp_result result;
    g->args[0].name = "slots";
    g->args[0].type = g->args[1].type = GP_U32;
    g->args[1].name = "row_mask";
    g->args[1].value = &g->table.row_mask;
    c->parts = 1;
    c->count = g->table.count;
    c->select_by = GPI_SELECT_BY_PREDICATE;
    c->predicate = "(slots[x] & row_mask) == i";
    c->args = gpi_args_make(g->args, 2, "x i");
    c->index_type = GP_U32;
    result = gpi_compact_type(gp, c, "", GP_U32, 0);
    if (result != GP_OK) return result;
    gpi_compact_array_set(c, GPI_COMPACT_IN, "slot_of", NULL, 0, n, 4, true);
    gpi_compact_array_set(c, GPI_COMPACT_INDEX_OUT, "rows_out", NULL, 0, n, 4, true);
    gpi_compact_array_set(c, GPI_COMPACT_COUNTS, "groups", NULL, 0, 1, 4, true);
    return gpi_compact_plan(gp, c);
}

/* Plans all batches of results. Returns to *scratch and *cells the scratch that the largest ones need. */
static gp_result gpi_groups_plan_results(gp_context *gp, gpi_group_by *g, size_t *scratch, size_t *cells)
{
    const gp_group_by_desc *d = g->desc;
    gpi_results *r = &g->results;
    gp_result result = GP_OK;
    size_t first, k;
    r->desc.in = r->desc.offsets = gp->counters; /* placeholders */
    r->in_cells = g->table.plan.shape == GP_SHAPE_SERIAL;
    r->cells = r->in_cells ? GPI_CELLS_MOST : 0;
    for (first = 0; first < d->result_count && result == GP_OK; first += r->batch.element.field_count) {
        result = gpi_results_plan(gp, d, first, r);
        if (result != GP_OK) break;
        for (k = 0; k < r->batch.element.field_count; k++)
            g->result_size[first + k] = gpi_type_size(r->batch.element.fields[k].out);
        if (r->batch.scratch > *scratch) *scratch = r->batch.scratch;
        if (r->cells_bytes > *cells) *cells = r->cells_bytes;
    }
    return result;
}

/* Lays out the scratch. `nested`, `cells`: bytes that results need, for their segments and for cells. */
static void gpi_groups_lay_out(gpi_group_by *g, size_t nested, size_t cells)
{
    const gp_group_by_desc *d = g->desc;
    const size_t n = d->count, select = gpi_compact_scratch(&g->firsts), sort = g->sorts ? g->sort.at.end : 0;
    if (n == 0) return;
    if (nested < select) nested = select;
    (void)gpi_rows_part(&g->scratch, true, nested > sort ? nested : sort);
    g->table.state_at = gpi_rows_part(&g->scratch, true, 4 * GPI_ROWS_STATE);
    g->slot_of_at = gpi_rows_part(&g->scratch, !d->groups_out, 4 * n);
    g->rows_at = gpi_rows_part(&g->scratch, !d->rows_out, 4 * n);
    g->sorted_at = gpi_rows_part(&g->scratch, g->sorts, 4 * n);
    g->order_at = gpi_rows_part(&g->scratch, g->sorts && !d->order_out, 4 * n);
    g->offsets_at = gpi_rows_part(&g->scratch, g->sorts && d->results && !d->offsets_out, 4 * (n + 1));
    g->results.state_at = g->table.state_at;
    g->results.cells_at = gpi_rows_part(&g->scratch, cells > 0, cells);
    if (cells) gpi_ranges_lay_out(&g->results.ranges, &g->scratch);
    g->table.slots_at = gpi_rows_part(&g->scratch, true, (size_t)g->table.slot_count * 4);
}

/* Checks and plans a call, except for its buffers. Afterwards the size of the scratch is known. */
static gp_result gpi_groups_plan(gp_context *gp, const gp_group_by_desc *d, gpi_group_by *g)
{
    gp_result result;
    size_t nested = 0, cells = 0;
    memset(g, 0, sizeof *g);
    g->desc = d;
    g->table.count = gpi_count_make(d->count, d->count_buffer, d->count_offset, d->count_type);
    g->numbers = d->order_out || d->offsets_out || d->results || d->groups_out;
    result = gpi_rows_check_count(gp, "count", d->count);
    if (result != GP_OK) return result;
    if (!d->results != !d->result_count) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "results is %s, but result_count = %zu",
                        d->results ? "given" : "NULL", d->result_count);
    }
    if (d->result_count > GP_GROUP_RESULTS_MAX) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "result_count = %zu, at most %d", d->result_count,
                        (int)GP_GROUP_RESULTS_MAX);
    }
    result = gpi_keys_make(gp, "columns", d->columns, d->column_count, &g->table.keys);
    if (result == GP_OK) result = gpi_rows_plan(gp, &g->table);
    g->sorts = d->order_out || d->offsets_out || (d->results && g->table.plan.shape != GP_SHAPE_SERIAL);
    if (result == GP_OK) result = gpi_groups_plan_firsts(gp, g);
    if (result == GP_OK && g->sorts) result = gpi_rows_plan_sort(gp, d->count, &g->sort_desc, &g->sort);
    if (result == GP_OK) result = gpi_groups_plan_results(gp, g, &nested, &cells);
    if (result != GP_OK) return result;
    gpi_groups_lay_out(g, nested, cells);
    return GP_OK;
}

/* ------------------------------------------------------------------ check */

static gp_result gpi_groups_check(gp_context *gp, const gpi_group_by *g, bool reads)
{
    const gp_group_by_desc *d = g->desc;
    const gpi_args args = gpi_args_make(d->args, d->arg_count, "i");
    const size_t n = d->count;
    char names[GP_GROUP_RESULTS_MAX][32];
    gpi_uses uses;
    size_t k;
    if (!g->numbers && !d->rows_out && !d->count_out && !reads) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "all outputs are NULL: at least one is required");
    }
    gpi_uses_begin(&uses, gp, GP_OK);
    if (n) gpi_use_keys(&uses, &g->table.keys, n);
    gpi_use_count(&uses, "count_buffer", &g->table.count);
    if (n && d->groups_out)
        gpi_use_buffer(&uses, "groups_out", d->groups_out, d->groups_out_offset, n, 4, GPI_BOTH);
    if (n && d->rows_out) gpi_use_buffer(&uses, "rows_out", d->rows_out, d->rows_out_offset, n, 4, GPI_BOTH);
    if (n && d->order_out)
        gpi_use_buffer(&uses, "order_out", d->order_out, d->order_out_offset, n, 4, GPI_BOTH);
    if (d->offsets_out)
        gpi_use_buffer(&uses, "offsets_out", d->offsets_out, d->offsets_out_offset, n + 1, 4, GPI_WRITES);
    if (d->count_out) gpi_use_buffer(&uses, "count_out", d->count_out, d->count_out_offset, 1, 4, GPI_WRITES);
    for (k = 0; k < d->result_count && n; k++) {
        const gp_group_result *r = &d->results[k];
        (void)snprintf(names[k], sizeof names[k], "results[%u].out", (unsigned)k);
        gpi_use_buffer(&uses, names[k], r->out, r->out_offset, n, g->result_size[k], GPI_WRITES);
    }
    return gpi_uses_end(&uses, &args, d->scratch, g->scratch);
}

/* ------------------------------------------------------------------ launches */

/* Enqueues the selection of each group's first row. */
static gp_result gpi_groups_select(gpi_call *call, gpi_group_by *g, cl_mem scratch, const gpi_count *count)
{
    gpi_compact *c = &g->firsts;
    c->count = *count;
    c->scratch = scratch;
    g->args[0].buffer = scratch;
    g->args[0].offset = g->table.slots_at / 4;
    c->array[GPI_COMPACT_IN].buffer = g->slot_of;
    c->array[GPI_COMPACT_IN].offset = g->slot_of_offset;
    c->array[GPI_COMPACT_INDEX_OUT].buffer = g->rows;
    c->array[GPI_COMPACT_INDEX_OUT].offset = g->rows_offset;
    c->array[GPI_COMPACT_COUNTS].buffer = scratch;
    c->array[GPI_COMPACT_COUNTS].offset = g->table.state_at / 4 + GPI_ROWS_GROUPS;
    return gpi_compact_launch(call, c);
}

/* Enqueues the writes of group numbers: to slots, then to the rows. */
static gp_result gpi_groups_number(gpi_call *call, const gpi_group_by *g, cl_mem scratch,
                                   const gpi_count *count)
{
    size_t groups;
    gp_result result;
    gpi_call_kernel(call, g->table.program, "gp_rows_number");
    gpi_call_arg_array(call, scratch, g->table.slots_at / 4);
    gpi_call_arg_array(call, g->slot_of, g->slot_of_offset);
    gpi_call_arg_array(call, g->rows, g->rows_offset);
    gpi_call_arg_array(call, scratch, g->table.state_at / 4);
    GPI_CALL_ARG(call, g->results.cells);
    groups = gpi_rows_arg_span(call, &g->table.plan, g->desc->count);
    result = gpi_call_launch(call, &g->table.plan, groups);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, g->table.program, "gp_rows_groups");
    gpi_call_arg_array(call, scratch, g->table.slots_at / 4);
    gpi_call_arg_array(call, g->slot_of, g->slot_of_offset);
    groups = gpi_rows_arg_span(call, &g->table.plan, g->desc->count);
    gpi_call_arg_count(call, count);
    return gpi_call_launch(call, &g->table.plan, groups);
}

/* Enqueues the sort of rows by group, and the writes of offsets. */
static gp_result gpi_groups_sort(gpi_call *call, gpi_group_by *g, cl_mem scratch, const gpi_count *count)
{
    const gp_group_by_desc *d = g->desc;
    gp_sort_desc *s = &g->sort_desc;
    size_t groups;
    gp_result result;
    s->scratch = s->keys_out = scratch;
    s->keys = g->slot_of;
    s->keys_offset = g->slot_of_offset;
    s->keys_out_offset = g->sorted_at / 4;
    s->values_out = d->order_out ? d->order_out : scratch;
    s->values_out_offset = d->order_out ? d->order_out_offset : g->order_at / 4;
    g->sort.count = *count;
    result = gpi_sort_launch(call, &g->sort);
    if (result != GP_OK || (!d->offsets_out && (!d->results || g->results.in_cells))) return result;
    gpi_call_kernel(call, g->table.program, "gp_rows_offsets");
    gpi_call_arg_array(call, scratch, g->sorted_at / 4);
    gpi_call_arg_array(call, d->offsets_out ? d->offsets_out : scratch,
                       d->offsets_out ? d->offsets_out_offset : g->offsets_at / 4);
    groups = gpi_rows_arg_span(call, &g->table.plan, d->count);
    gpi_call_arg_count(call, count);
    return gpi_call_launch(call, &g->table.plan, groups);
}

/* Enqueues the reductions of groups to results. */
static gp_result gpi_groups_reduce(gpi_call *call, gpi_group_by *g, cl_mem scratch)
{
    const gp_group_by_desc *d = g->desc;
    gpi_results *r = &g->results;
    r->desc.in = g->sort_desc.values_out;
    r->desc.in_offset = g->sort_desc.values_out_offset;
    r->desc.offsets = d->offsets_out ? d->offsets_out : scratch;
    r->desc.offsets_offset = d->offsets_out ? d->offsets_out_offset : g->offsets_at / 4;
    r->desc.count_buffer = r->desc.scratch = scratch;
    r->desc.count_offset = g->table.state_at / 4 + GPI_ROWS_MANY;
    r->group_of = g->slot_of;
    r->group_of_offset = g->slot_of_offset;
    return gpi_results_launch(call, d, r);
}

/* Enqueues the results of a call without rows. */
static gp_result gpi_groups_none(gpi_call *call, const gp_group_by_desc *d)
{
    gp_result result = GP_OK;
    if (d->offsets_out) result = gpi_call_fill(call, d->offsets_out, 4 * d->offsets_out_offset, 4);
    if (d->count_out && result == GP_OK)
        result = gpi_call_fill(call, d->count_out, 4 * d->count_out_offset, 4);
    return result;
}

/* Enqueues the planned call. `to` receives the number of groups on the host; NULL: not wanted. */
static gp_result gpi_groups_launch(gpi_call *call, gpi_group_by *g, cl_uint *to)
{
    const gp_group_by_desc *d = g->desc;
    gpi_count count; /* that of the rows, on the device */
    cl_mem scratch;
    gp_result result;
    cl_uint state[GPI_ROWS_STATE];
    if (d->count == 0) return gpi_groups_none(call, d);
    result = gpi_call_scratch(call, d->scratch, g->scratch, &scratch);
    if (result != GP_OK) return result;
    g->slot_of = d->groups_out ? d->groups_out : scratch;
    g->slot_of_offset = d->groups_out ? d->groups_out_offset : g->slot_of_at / 4;
    g->rows = d->rows_out ? d->rows_out : scratch;
    g->rows_offset = d->rows_out ? d->rows_out_offset : g->rows_at / 4;
    count = gpi_count_make(d->count, scratch, g->table.state_at / 4 + GPI_ROWS_COUNT, GP_U32);
    g->table.number = (cl_uint)call->gp->stats.launches + 1;
    result = gpi_rows_put(call, &g->table, g->slot_of, g->slot_of_offset, scratch);
    if (result == GP_OK) result = gpi_groups_select(call, g, scratch, &count);
    if (result == GP_OK && g->numbers) result = gpi_groups_number(call, g, scratch, &count);
    if (result == GP_OK && g->sorts) result = gpi_groups_sort(call, g, scratch, &count);
    if (result == GP_OK && d->results) result = gpi_groups_reduce(call, g, scratch);
    if (result == GP_OK && d->count_out)
        result = gpi_call_copy(call, scratch, g->table.state_at + 4 * GPI_ROWS_GROUPS, d->count_out,
                               4 * d->count_out_offset, 4);
    if (result == GP_OK && to) result = gpi_rows_read(call, &g->table, scratch, state);
    if (result == GP_OK && to) *to = state[GPI_ROWS_GROUPS];
    return result;
}

/* ------------------------------------------------------------------ API, warm-up */

/* Plans, checks and runs a call. `to` receives the number of groups on the host; NULL: the call does not block. */
static gp_result gpi_groups_call(gp_context *gp, const gp_group_by_desc *desc, uint64_t *to)
{
    gpi_group_by g;
    gpi_call call;
    cl_uint groups = 0;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    result = gpi_groups_plan(gp, desc, &g);
    if (result == GP_OK) result = gpi_groups_check(gp, &g, to != NULL);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_groups_launch(&call, &g, to ? &groups : NULL);
    if (to && result == GP_OK) *to = groups;
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_group_by(gp_context *gp, const gp_group_by_desc *desc)
{
    return gpi_groups_call(gpi_enter(gp, __func__), desc, NULL);
}

GP_API gp_result gp_group_by_read(gp_context *gp, const gp_group_by_desc *desc, uint64_t *count)
{
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!count) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "count is NULL");
    return gpi_groups_call(gp, desc, count);
}

GP_API gp_result gp_group_by_scratch_size(gp_context *gp, const gp_group_by_desc *desc, size_t *bytes)
{
    gpi_group_by g;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    result = gpi_groups_plan(gp, desc, &g);
    *bytes = result == GP_OK ? g.scratch : 0;
    return result;
}

/* Groups one row of zeros, in temporary buffers, and warms up the selection and the sort. */
static gp_result gpi_group_by_warm_up(gp_context *gp, const gp_group_by_desc *desc)
{
    gp_key_column columns[GP_KEY_COLUMNS_MAX];
    gp_group_by_desc probe;
    gpi_group_by g;
    gp_group_result results[GP_GROUP_RESULTS_MAX];
    cl_mem in = NULL, out = NULL;
    size_t k;
    gp_result result = gpi_groups_plan(gp, desc, &g);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, GP_RECORD_BYTES, &in);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, 8 * (3 + GP_GROUP_RESULTS_MAX), &out);
    memset(&probe, 0, sizeof probe);
    if (result == GP_OK) gpi_keys_warm_up(&g.table.keys, in, columns);
    probe.columns = columns;
    probe.column_count = desc->column_count;
    probe.count = 1;
    probe.groups_out = probe.rows_out = probe.order_out = probe.offsets_out = out;
    probe.rows_out_offset = 1;
    probe.order_out_offset = 2;
    probe.offsets_out_offset = 3;
    if (!g.sorts) probe.order_out = probe.offsets_out = NULL;
    for (k = 0; k < desc->result_count && result == GP_OK; k++) {
        results[k] = desc->results[k];
        results[k].out = out;
        results[k].out_offset = 8 / g.result_size[k] * (3 + k);
    }
    if (desc->results) probe.results = results;
    probe.result_count = desc->result_count;
    probe.args = desc->args;
    probe.arg_count = desc->arg_count;
    if (result == GP_OK) result = gp_group_by(gp, &probe);
    if (result == GP_OK) result = gpi_compact_warm_up(gp, &g.firsts);
    if (result == GP_OK && g.sorts) result = gpi_sort_warm_up(gp, &g.sort_desc);
    if (in) (void)clReleaseMemObject(in);
    if (out) (void)clReleaseMemObject(out);
    return result;
}
