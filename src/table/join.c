/* join.c - gp_join: puts the right rows into a hash table, finds the partners of each left row in it, and writes the pairs. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/type.h"
#include "runtime/tuning.h"
#include "program/program.h"
#include "table/table.h"

#include <stdio.h>
#include <string.h>

enum {
    GPI_PAIRS_SPAN_MIN = 16384, /* serial: fewest pairs of a group */
    GPI_PAIRS_STEP = 4096       /* serial: pairs that are decoded and finished in a core's cache */
};

/* A checked call of gp_join, ready to run. */
typedef struct gpi_join {
    const gp_join_desc *desc;
    gpi_rows right; /* the right table */
    gpi_keys left;
    gpi_count left_count;
    bool pairs;  /* pairs have a right row */
    bool orders; /* right rows are ordered by key */
    bool sorts;  /* by gp_sort; else range by range (table/ranges.cl) */
    bool strings;
    bool builds;  /* gp_join_build: only the right table is wanted */
    cl_mem table; /* the buffer that has the right table: the caller's, or the scratch */
    cl_uint mark; /* what the table is built for */
    size_t runs;  /* left rows; in a full join also as many as there are right rows */
    gpi_plan plan;
    gpi_program *program;
    gp_sort_desc sort_desc;
    gpi_sort sort;
    gp_scan_desc scan_desc;
    gpi_scan scan;
    gpi_ranges ranges;
    /* where parts of the table begin, in bytes, besides those of `right` */
    size_t firsts_at, order_at, runs_at, table_size;
    /* where parts of the scratch begin; the nested calls' scratch is at 0 */
    size_t sorted_at, cells_at, failed_at, begins_at, lengths_at, offsets_at, left_at, right_at, partners_at,
        scratch;
} gpi_join;

/* ------------------------------------------------------------------ plan */

/* Adds the parameters of table/join.cl. */
static void gpi_join_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                             gpi_text *text)
{
    const gpi_join *j = (const gpi_join *)description;
    gpi_prelude_plan(gp, plan, text);
    gpi_keys_prelude(&j->right.keys, text);
    gpi_text_add(text,
                 "#define GPI_ELEMENT uint\n#define GPI_OFFSET ulong\n#define GPI_RUN_INDEX uint\n"
                 "#define GPI_WANTS_KEYS 0\n#define GPI_WANTS_RUNS 1\n#define GPI_WANTS_POSITIONS %d\n",
                 j->pairs);
}

/* Writes what a column has to `text`: "uint", "12 bytes", "strings with offsets of ulong". */
static void gpi_join_name_type(const gp_key_column *c, char *text, size_t size)
{
    if (c->type) (void)snprintf(text, size, "%s", gpi_type_cl(c->type));
    else if (c->element_size) (void)snprintf(text, size, "%zu bytes", c->element_size);
    else (void)snprintf(text, size, "strings with offsets of %s", gpi_type_cl(c->offsets_type));
}

/* Checks that the right columns have the left columns' types. */
static gp_result gpi_join_check_types(gp_context *gp, const gp_join_desc *d)
{
    size_t k;
    for (k = 0; k < d->column_count; k++) {
        const gp_key_column *l = &d->left[k], *r = &d->right[k];
        char left[40], right[40];
        if (l->type == r->type && l->element_size == r->element_size && l->offsets_type == r->offsets_type)
            continue;
        gpi_join_name_type(l, left, sizeof left);
        gpi_join_name_type(r, right, sizeof right);
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE,
                        "left[%zu] is a column of %s, right[%zu] of %s: they must be of one type", k, left, k,
                        right);
    }
    return GP_OK;
}

static gp_result gpi_join_describe(gp_context *gp, const gp_join_desc *d, bool builds, gpi_join *j)
{
    gp_result result = GP_OK;
    memset(j, 0, sizeof *j);
    j->desc = d;
    j->builds = builds;
    j->pairs = d->kind != GP_JOIN_SEMI && d->kind != GP_JOIN_ANTI;
    j->orders = builds || (j->pairs && !d->table);
    j->left_count =
        gpi_count_make(d->left_count, d->left_count_buffer, d->left_count_offset, d->left_count_type);
    j->right.count =
        gpi_count_make(d->right_count, d->right_count_buffer, d->right_count_offset, d->right_count_type);
    if ((unsigned)d->kind >= GP_JOIN_KIND_COUNT)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "kind = %d is not a gp_join_kind", (int)d->kind);
    result = gpi_rows_check_count(gp, "left_count", d->left_count);
    if (result == GP_OK) result = gpi_rows_check_count(gp, "right_count", d->right_count);
    if (result == GP_OK && !builds) result = gpi_keys_make(gp, "left", d->left, d->column_count, &j->left);
    if (result == GP_OK) result = gpi_keys_make(gp, "right", d->right, d->column_count, &j->right.keys);
    if (result == GP_OK && !builds) result = gpi_join_check_types(gp, d);
    j->runs = d->left_count + (d->kind == GP_JOIN_FULL ? d->right_count : 0);
    return result;
}

/* Plans the scan of the numbers of partners. The last offset is the number of pairs. */
static gp_result gpi_join_plan_scan(gp_context *gp, gpi_join *j)
{
    gp_scan_desc *s = &j->scan_desc;
    s->count = j->runs + 1;
    s->type = GP_U32;
    s->out_type = GP_U64;
    s->op = GP_SUM;
    s->exclusive = true;
    return gpi_scan_plan(gp, s, &j->scan);
}

/* Lays out the right table. `order`: it has the order of rows. */
static void gpi_join_lay_out_table(gpi_join *j, bool order, size_t *end)
{
    const size_t right = j->desc->right_count;
    j->right.state_at = gpi_rows_part(end, true, 4 * GPI_ROWS_STATE);
    j->firsts_at = gpi_rows_part(end, true, 4 * right);
    j->order_at = gpi_rows_part(end, order, 4 * right);
    j->runs_at = gpi_rows_part(end, order, 8 * (j->sorts ? right : GPI_RANGES * j->ranges.cells));
    j->right.slots_at = gpi_rows_part(end, true, (size_t)j->right.slot_count * 4);
}

static void gpi_join_lay_out(gpi_join *j)
{
    const size_t right = j->desc->right_count, runs = j->runs;
    const size_t scan = gpi_scan_scratch(&j->scan), sort = j->orders && j->sorts ? j->sort.at.end : 0;
    const bool joins = !j->builds;
    size_t *end = &j->scratch;
    gpi_join_lay_out_table(j, true, &j->table_size);
    if (joins && runs == 0) return;
    (void)gpi_rows_part(end, true, scan > sort ? scan : sort);
    if (!j->desc->table) gpi_join_lay_out_table(j, j->orders, end);
    j->sorted_at = gpi_rows_part(end, j->orders && j->sorts, 4 * right);
    j->cells_at = gpi_rows_part(end, j->orders && !j->sorts, 4 * j->ranges.cells * j->ranges.groups);
    if (j->orders && !j->sorts) gpi_ranges_lay_out(&j->ranges, end);
    j->failed_at = gpi_rows_part(end, joins, 4);
    j->begins_at = gpi_rows_part(end, joins, 4 * runs);
    j->lengths_at = gpi_rows_part(end, joins, 4 * (runs + 1));
    j->offsets_at = gpi_rows_part(end, joins, 8 * (runs + 1));
    j->left_at = gpi_rows_part(end, joins && !j->desc->left_out, 4 * j->desc->capacity);
    j->right_at = gpi_rows_part(end, joins && j->pairs && !j->desc->right_out, 4 * j->desc->capacity);
    j->partners_at = gpi_rows_part(end, joins && j->desc->kind == GP_JOIN_FULL, 4 * right);
}

/* Returns a number that tells tables apart that were built for columns of other types, for another number of rows, or by kernels that lay
   them out otherwise. */
static cl_uint gpi_join_mark(const gpi_join *j)
{
    const gp_join_desc *d = j->desc;
    const uint64_t facts[] = {GP_VERSION, d->column_count, d->right_count, j->sorts};
    uint64_t hash = gpi_fnv1a(GPI_FNV1A_SEED, facts, sizeof facts);
    size_t k;
    for (k = 0; k < d->column_count; k++) {
        const uint64_t column[] = {(uint64_t)d->right[k].type, d->right[k].element_size,
                                   (uint64_t)d->right[k].offsets_type};
        hash = gpi_fnv1a(hash, column, sizeof column);
    }
    return d->right_count ? (cl_uint)(hash ^ hash >> 32) | 1 : 0; /* 0: nothing is built */
}

/* Checks and plans a call, except for its buffers. Afterwards the size of the scratch is known. */
static gp_result gpi_join_plan(gp_context *gp, const gp_join_desc *d, bool builds, gpi_join *j)
{
    gp_result result = gpi_join_describe(gp, d, builds, j);
    size_t k;
    if (result == GP_OK) result = gpi_rows_plan(gp, &j->right);
    if (result == GP_OK) result = gpi_plan_make_sized(gp, GPI_JOIN, 4, GP_STRATEGY_MULTI_PASS, &j->plan);
    if (result == GP_OK) result = gpi_program_get(gp, GPI_JOIN, gpi_join_prelude, j, &j->plan, &j->program);
    if (result == GP_OK && !builds) result = gpi_join_plan_scan(gp, j);
    if (result != GP_OK) return result;
    for (k = 0; k < d->column_count; k++) j->strings = j->strings || d->right[k].offsets_type;
    j->sorts = j->plan.shape != GP_SHAPE_SERIAL;
    if (j->orders && j->sorts) result = gpi_rows_plan_sort(gp, d->right_count, &j->sort_desc, &j->sort);
    gpi_ranges_plan(gp, &j->plan, d->right_count, &j->ranges);
    j->mark = gpi_join_mark(j);
    gpi_join_lay_out(j);
    return result;
}

/* ------------------------------------------------------------------ check */

static gp_result gpi_join_check_outputs(gp_context *gp, const gpi_join *j, bool reads)
{
    const gp_join_desc *d = j->desc;
    if (!d->left_out && !d->right_out && !d->offsets_out && !d->count_out && !reads) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "all outputs are NULL: at least one is required");
    }
    if (!d->left_out && !d->right_out && d->capacity) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "capacity = %zu, but left_out and right_out are NULL",
                        d->capacity);
    }
    if (!d->right_out || j->pairs) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_BUFFER,
                    "right_out is given, but semi and anti joins have only left rows");
}

static gp_result gpi_join_check(gp_context *gp, const gpi_join *j, bool reads)
{
    const gp_join_desc *d = j->desc;
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, j->builds ? GP_OK : gpi_join_check_outputs(gp, j, reads));
    if (d->right_count) gpi_use_keys(&uses, &j->right.keys, d->right_count);
    gpi_use_count(&uses, "right_count_buffer", &j->right.count);
    if (d->table || j->builds)
        gpi_use_buffer(&uses, "table", d->table, 0, j->table_size, 1, j->builds ? GPI_BOTH : GPI_READS);
    if (j->builds) return gpi_uses_end(&uses, NULL, d->scratch, j->scratch);
    if (d->left_count) gpi_use_keys(&uses, &j->left, d->left_count);
    gpi_use_count(&uses, "left_count_buffer", &j->left_count);
    if (d->left_out && d->capacity)
        gpi_use_buffer(&uses, "left_out", d->left_out, d->left_out_offset, d->capacity, 4, GPI_BOTH);
    if (d->right_out && d->capacity)
        gpi_use_buffer(&uses, "right_out", d->right_out, d->right_out_offset, d->capacity, 4, GPI_BOTH);
    if (d->offsets_out)
        gpi_use_buffer(&uses, "offsets_out", d->offsets_out, d->offsets_out_offset, d->left_count + 1, 8,
                       GPI_WRITES);
    if (d->count_out) gpi_use_buffer(&uses, "count_out", d->count_out, d->count_out_offset, 1, 8, GPI_WRITES);
    return gpi_uses_end(&uses, NULL, d->scratch, j->scratch);
}

/* ------------------------------------------------------------------ launches */

static void gpi_join_arg_state(gpi_call *call, const gpi_join *j)
{
    gpi_call_arg_array(call, j->table, j->right.state_at / 4);
}

/* Passes the first row with the key of each right row. */
static void gpi_join_arg_firsts(gpi_call *call, const gpi_join *j)
{
    gpi_call_arg_array(call, j->table, j->firsts_at / 4);
}

/* Enqueues the hash table of the right rows, and the first row with each row's key. */
static gp_result gpi_join_put(gpi_call *call, const gpi_join *j)
{
    size_t groups;
    gp_result result;
    if (j->desc->right_count == 0)
        return gpi_call_fill(call, j->table, j->right.state_at, 4 * GPI_ROWS_STATE);
    result = gpi_rows_put(call, &j->right, j->table, j->firsts_at / 4, j->table);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, j->program, "gp_join_firsts");
    gpi_call_arg_array(call, j->table, j->right.slots_at / 4);
    gpi_join_arg_firsts(call, j);
    GPI_CALL_ARG(call, j->right.row_mask);
    gpi_join_arg_state(call, j);
    GPI_CALL_ARG(call, j->mark);
    GPI_CALL_ARG(call, j->right.keys.seed);
    groups = gpi_rows_arg_span(call, &j->plan, j->desc->right_count);
    return gpi_call_launch(call, &j->plan, groups);
}

/* Enqueues the order of right rows by a sort, and the runs of keys. */
static gp_result gpi_join_sort(gpi_call *call, gpi_join *j, cl_mem scratch)
{
    gp_sort_desc *s = &j->sort_desc;
    size_t groups;
    gp_result result;
    s->scratch = s->keys_out = scratch;
    s->keys = s->values_out = j->table;
    s->keys_offset = j->firsts_at / 4;
    s->keys_out_offset = j->sorted_at / 4;
    s->values_out_offset = j->order_at / 4;
    j->sort.count =
        gpi_count_make(j->desc->right_count, j->table, j->right.state_at / 4 + GPI_ROWS_MANY, GP_U32);
    result = gpi_sort_launch(call, &j->sort);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, j->program, "gp_join_runs");
    gpi_call_arg_array(call, scratch, j->sorted_at / 4);
    gpi_join_arg_state(call, j);
    gpi_call_arg_array(call, j->table, j->runs_at / 8);
    groups = gpi_rows_arg_span(call, &j->plan, j->desc->right_count);
    return gpi_call_launch(call, &j->plan, groups);
}

/* Enqueues the order of right rows range by range, and the runs of keys. */
static gp_result gpi_join_list(gpi_call *call, const gpi_join *j, cl_mem scratch)
{
    gp_result result = gpi_ranges_list(call, j->program, &j->plan, &j->ranges, j->table, j->firsts_at / 4,
                                       j->table, j->right.state_at, scratch);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, j->program, "gp_ranges_order");
    gpi_join_arg_state(call, j);
    gpi_ranges_arg(call, &j->ranges, scratch);
    gpi_call_arg_array(call, scratch, j->cells_at / 4);
    gpi_call_arg_array(call, j->table, j->runs_at / 8);
    gpi_call_arg_array(call, j->table, j->order_at / 4);
    gpi_call_arg_ulong(call, j->ranges.cells);
    return gpi_call_launch(call, &j->plan, j->ranges.groups);
}

/* Enqueues the right table. */
static gp_result gpi_join_build(gpi_call *call, gpi_join *j, cl_mem scratch)
{
    const gp_result result = gpi_join_put(call, j);
    if (result != GP_OK || !j->orders || j->desc->right_count == 0) return result;
    return j->sorts ? gpi_join_sort(call, j, scratch) : gpi_join_list(call, j, scratch);
}

static void gpi_join_arg_failed(gpi_call *call, const gpi_join *j, cl_mem scratch)
{
    gpi_call_arg_array(call, scratch, j->failed_at / 4);
}

/* Enqueues the check of the right table and of the left rows' strings. */
static gp_result gpi_join_check_table(gpi_call *call, const gpi_join *j, cl_mem scratch)
{
    size_t groups;
    gpi_call_kernel(call, j->program, "gp_join_check");
    gpi_call_arg_keys(call, &j->left);
    gpi_join_arg_state(call, j);
    GPI_CALL_ARG(call, j->right.tables);
    GPI_CALL_ARG(call, j->mark);
    gpi_join_arg_failed(call, j, scratch);
    gpi_rows_arg_longest(call, &j->plan);
    groups = gpi_rows_arg_span(call, &j->plan, j->strings && j->desc->left_count ? j->desc->left_count : 1);
    gpi_call_arg_count(call, &j->left_count);
    GPI_CALL_ARG(call, j->right.number);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &j->plan, groups);
}

/* Enqueues the search for each left row's partners. */
static gp_result gpi_join_find(gpi_call *call, const gpi_join *j, cl_mem scratch)
{
    const gp_join_desc *d = j->desc;
    const cl_uint kind = (cl_uint)d->kind;
    size_t groups;
    gpi_call_kernel(call, j->program, "gp_join_find");
    gpi_call_arg_keys(call, &j->left);
    gpi_call_arg_keys(call, &j->right.keys);
    gpi_call_arg_array(call, j->table, j->right.slots_at / 4);
    GPI_CALL_ARG(call, j->right.row_mask);
    gpi_join_arg_state(call, j);
    GPI_CALL_ARG(call, j->right.tables);
    gpi_join_arg_failed(call, j, scratch);
    gpi_call_arg_array(call, j->table, j->runs_at / 8);
    gpi_call_arg_ulong(call, j->ranges.cells);
    gpi_call_arg_array(call, scratch, j->begins_at / 4);
    gpi_call_arg_array(call, scratch, j->lengths_at / 4);
    gpi_call_arg_array(call, scratch, j->partners_at / 4);
    GPI_CALL_ARG(call, kind);
    gpi_call_arg_ulong(call, d->left_count);
    groups = gpi_rows_arg_span(call, &j->plan, d->left_count);
    gpi_call_arg_count(call, &j->left_count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &j->plan, groups);
}

/* Enqueues the right rows without a partner, which follow the left rows. */
static gp_result gpi_join_rest(gpi_call *call, const gpi_join *j, cl_mem scratch)
{
    const gp_join_desc *d = j->desc;
    size_t groups;
    gpi_call_kernel(call, j->program, "gp_join_rest");
    gpi_join_arg_firsts(call, j);
    gpi_join_arg_state(call, j);
    gpi_join_arg_failed(call, j, scratch);
    gpi_call_arg_array(call, scratch, j->partners_at / 4);
    gpi_call_arg_array(call, scratch, j->begins_at / 4 + d->left_count);
    gpi_call_arg_array(call, scratch, j->lengths_at / 4 + d->left_count);
    gpi_call_arg_ulong(call, d->right_count);
    groups = gpi_rows_arg_span(call, &j->plan, d->right_count);
    return gpi_call_launch(call, &j->plan, groups);
}

/* Enqueues the sums of partners: where each row's pairs begin. */
static gp_result gpi_join_scan(gpi_call *call, gpi_join *j, cl_mem scratch)
{
    gp_scan_desc *s = &j->scan_desc;
    s->in = s->out = s->scratch = scratch;
    s->in_offset = j->lengths_at / 4;
    s->out_offset = j->offsets_at / 8;
    gpi_scan_choose(call->gp, &j->scan, false);
    return gpi_scan_launch(call, &j->scan);
}

/* Enqueues the writes of pairs. */
static gp_result gpi_join_pairs(gpi_call *call, const gpi_join *j, cl_mem scratch)
{
    const gp_join_desc *d = j->desc;
    const bool serial = j->plan.shape == GP_SHAPE_SERIAL;
    const size_t span = serial ? gpi_serial_span(call->gp, &j->plan, d->capacity, GPI_PAIRS_SPAN_MIN)
                               : gpi_plan_tile(&j->plan);
    gpi_call_kernel(call, j->program, "gp_join_pairs");
    gpi_call_arg_array(call, scratch, j->offsets_at / 8);
    gpi_call_arg_array(call, scratch, j->begins_at / 4);
    gpi_call_arg_array(call, j->table, j->order_at / 4);
    gpi_join_arg_state(call, j);
    gpi_call_arg_array(call, d->left_out ? d->left_out : scratch,
                       d->left_out ? d->left_out_offset : j->left_at / 4);
    if (j->pairs)
        gpi_call_arg_array(call, d->right_out ? d->right_out : scratch,
                           d->right_out ? d->right_out_offset : j->right_at / 4);
    gpi_call_arg_uint(call, d->left_count);
    gpi_call_arg_uint(call, d->right_count);
    gpi_call_arg_ulong(call, j->runs);
    gpi_call_arg_ulong(call, d->capacity);
    gpi_call_arg_ulong(call, serial ? (size_t)GPI_PAIRS_STEP : span);
    gpi_call_arg_ulong(call, span);
    return gpi_call_launch(call, &j->plan, gpi_ceil_div(d->capacity, span));
}

/* Reads the number of pairs. Fails if outputs have no room for them, if the device ended loops too early, or if the table is not this
   call's. */
static gp_result gpi_join_read_count(gpi_call *call, const gpi_join *j, cl_mem scratch, uint64_t *to)
{
    cl_uint state[GPI_ROWS_STATE], failed;
    cl_ulong pairs;
    gp_result result = gpi_call_read(call, scratch, j->offsets_at + 8 * j->runs, sizeof pairs, &pairs);
    if (result == GP_OK) result = gpi_call_read(call, scratch, j->failed_at, sizeof failed, &failed);
    if (result == GP_OK) result = gpi_call_read(call, j->table, j->right.state_at, sizeof state, state);
    if (result != GP_OK) return result;
    if (failed && state[GPI_ROWS_MARK] != j->mark) {
        return gpi_fail(
            call->gp, GP_ERROR_INVALID_BUFFER,
            "table was not built by gp_join_build for right columns of these types and this right_count");
    }
    if (failed) return gpi_rows_fail_long(call->gp);
    *to = pairs;
    if ((!j->desc->left_out && !j->desc->right_out) || pairs <= j->desc->capacity) return GP_OK;
    return gpi_fail(call->gp, GP_ERROR_INVALID_BUFFER, "%llu pairs, but capacity = %zu",
                    (unsigned long long)pairs, j->desc->capacity);
}

/* Enqueues the results of a call without rows. */
static gp_result gpi_join_none(gpi_call *call, const gp_join_desc *d)
{
    gp_result result = GP_OK;
    if (d->offsets_out) result = gpi_call_fill(call, d->offsets_out, 8 * d->offsets_out_offset, 8);
    if (d->count_out && result == GP_OK)
        result = gpi_call_fill(call, d->count_out, 8 * d->count_out_offset, 8);
    return result;
}

/* Enqueues the planned call. `to` receives the number of pairs on the host; NULL: not wanted. */
static gp_result gpi_join_launch(gpi_call *call, gpi_join *j, uint64_t *to)
{
    const gp_join_desc *d = j->desc;
    const bool left = d->left_count > 0, right = d->right_count > 0, full = d->kind == GP_JOIN_FULL;
    cl_mem scratch;
    gp_result result;
    j->right.number = (cl_uint)call->gp->stats.launches + 1;
    if (j->builds) {
        result = gpi_call_scratch(call, d->scratch, j->scratch, &scratch);
        j->table = d->table;
        return result == GP_OK ? gpi_join_build(call, j, scratch) : result;
    }
    if (j->runs == 0) {
        if (to) *to = 0;
        return gpi_join_none(call, d);
    }
    result = gpi_call_scratch(call, d->scratch, j->scratch, &scratch);
    j->table = d->table ? d->table : scratch;
    if (result == GP_OK && !d->table) result = gpi_join_build(call, j, scratch);
    if (result == GP_OK) result = gpi_call_fill(call, scratch, j->failed_at, 4);
    if (result == GP_OK && (j->strings || d->table)) result = gpi_join_check_table(call, j, scratch);
    if (result == GP_OK && full && right)
        result = gpi_call_fill(call, scratch, j->partners_at, 4 * d->right_count);
    if (result == GP_OK && left) result = gpi_join_find(call, j, scratch);
    if (result == GP_OK && full && right) result = gpi_join_rest(call, j, scratch);
    if (result == GP_OK) result = gpi_join_scan(call, j, scratch);
    if (result == GP_OK && d->capacity) result = gpi_join_pairs(call, j, scratch);
    if (result == GP_OK && d->offsets_out)
        result = gpi_call_copy(call, scratch, j->offsets_at, d->offsets_out, 8 * d->offsets_out_offset,
                               8 * (d->left_count + 1));
    if (result == GP_OK && d->count_out)
        result = gpi_call_copy(call, scratch, j->offsets_at + 8 * j->runs, d->count_out,
                               8 * d->count_out_offset, 8);
    return result == GP_OK && to ? gpi_join_read_count(call, j, scratch, to) : result;
}

/* ------------------------------------------------------------------ API, warm-up */

/* Plans, checks and runs a call, or with `builds` only the right table. `to` receives the number of pairs on the host; NULL: the call
   does not block. */
static gp_result gpi_join_call(gp_context *gp, const gp_join_desc *desc, bool builds, uint64_t *to)
{
    gpi_join j;
    gpi_call call;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    result = gpi_join_plan(gp, desc, builds, &j);
    if (result == GP_OK) result = gpi_join_check(gp, &j, to != NULL);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_join_launch(&call, &j, to);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_join(gp_context *gp, const gp_join_desc *desc)
{
    return gpi_join_call(gpi_enter(gp, __func__), desc, false, NULL);
}

GP_API gp_result gp_join_read(gp_context *gp, const gp_join_desc *desc, uint64_t *count)
{
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!count) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "count is NULL");
    return gpi_join_call(gp, desc, false, count);
}

GP_API gp_result gp_join_build(gp_context *gp, const gp_join_desc *desc)
{
    return gpi_join_call(gpi_enter(gp, __func__), desc, true, NULL);
}

/* Sets *bytes to the size of the table, or to that of a join's scratch. */
static gp_result gpi_join_size(gp_context *gp, const gp_join_desc *desc, bool table, size_t *bytes)
{
    gpi_join j;
    gp_result result;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    result = gpi_join_plan(gp, desc, table, &j);
    *bytes = result != GP_OK ? 0 : table ? j.table_size : j.scratch;
    return result;
}

GP_API gp_result gp_join_table_size(gp_context *gp, const gp_join_desc *desc, size_t *bytes)
{
    return gpi_join_size(gpi_enter(gp, __func__), desc, true, bytes);
}

GP_API gp_result gp_join_scratch_size(gp_context *gp, const gp_join_desc *desc, size_t *bytes)
{
    return gpi_join_size(gpi_enter(gp, __func__), desc, false, bytes);
}

/* Joins two rows of zeros with themselves, in temporary buffers, and warms up the sort and the scan. */
static gp_result gpi_join_warm_up(gp_context *gp, const gp_join_desc *desc)
{
    gp_key_column columns[GP_KEY_COLUMNS_MAX];
    gp_join_desc probe;
    gpi_join j;
    cl_mem in = NULL, out[3] = {NULL, NULL, NULL};
    size_t k;
    gp_result result = gpi_join_plan(gp, desc, false, &j);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, 2 * GP_RECORD_BYTES, &in);
    for (k = 0; k < 3 && result == GP_OK; k++) result = gpi_alloc_zeros(gp, 16, &out[k]);
    memset(&probe, 0, sizeof probe);
    if (result == GP_OK) gpi_keys_warm_up(&j.left, in, columns);
    probe.left = probe.right = columns;
    probe.column_count = desc->column_count;
    probe.kind = desc->kind;
    probe.left_count = probe.right_count = 2;
    probe.left_out = out[0];
    probe.right_out = j.pairs ? out[1] : NULL;
    probe.count_out = out[2];
    probe.capacity = 4;
    if (result == GP_OK) result = gp_join(gp, &probe);
    if (result == GP_OK) result = gpi_scan_warm_up(gp, &j.scan_desc);
    if (result == GP_OK && j.orders && j.sorts) result = gpi_sort_warm_up(gp, &j.sort_desc);
    if (in) (void)clReleaseMemObject(in);
    for (k = 0; k < 3; k++)
        if (out[k]) (void)clReleaseMemObject(out[k]);
    return result;
}
