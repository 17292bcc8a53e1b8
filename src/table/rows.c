/* rows.c - puts the rows of a table into a hash table by key (table/rows.cl), and sorts rows by number. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "runtime/tuning.h"
#include "program/program.h"
#include "table/table.h"

enum {
    GPI_ROWS_SPAN_MIN = 4096, /* serial: fewest rows of a group */
    GPI_ROWS_SLOTS = 2,       /* slots for each row of the last table */
    GPI_ROWS_ROOMY = 1 << 16, /* the most rows with twice as many slots, which stay in a core's caches */
    GPI_ROWS_LOOPS = 6,       /* iterations of loops for each byte of a string, at most */
    GPI_ROWS_COUNT_MAX = 1 << 30
};

/* ------------------------------------------------------------------ plan */

static gp_result gpi_rows_check_count(gp_context *gp, const char *name, size_t count)
{
    if (count <= GPI_ROWS_COUNT_MAX) return GP_OK;
    return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s = %zu, at most 2^30", name, count);
}

/* Chooses the tables: of 4 Ki, 128 Ki and 4 Mi slots if these are at most an eighth of the last one's, and the last one. */
static void gpi_rows_tables(gpi_rows *r)
{
    const size_t rows = r->count.bound + 32;
    const size_t roomy = rows <= GPI_ROWS_ROOMY ? 2 : 1, last = roomy * GPI_ROWS_SLOTS * rows;
    size_t size = 4096;
    for (; r->tables + 1 < GPI_ROWS_TABLES && size <= last / 8; size *= 32) {
        gpi_rows_table *t = &r->table[r->tables++];
        t->base = r->slot_count;
        t->size = (cl_uint)size;
        t->probes = GPI_ROWS_PROBES;
        r->slot_count += t->size;
    }
    r->table[r->tables].base = r->slot_count;
    r->table[r->tables].size = r->table[r->tables].probes = (cl_uint)last;
    r->tables++;
    r->slot_count += (cl_uint)last;
    r->row_mask = 1;
    while (r->row_mask < r->count.bound) r->row_mask = 2 * r->row_mask + 1;
}

static void gpi_rows_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                             gpi_text *text)
{
    gpi_prelude_plan(gp, plan, text);
    gpi_keys_prelude((const gpi_keys *)description, text);
}

/* Plans the table of r->count rows with r->keys. */
static gp_result gpi_rows_plan(gp_context *gp, gpi_rows *r)
{
    gp_result result = gpi_plan_make_sized(gp, GPI_GROUP_BY, 4, GP_STRATEGY_MULTI_PASS, &r->plan);
    if (result == GP_OK)
        result = gpi_program_get(gp, GPI_GROUP_BY, gpi_rows_prelude, &r->keys, &r->plan, &r->program);
    gpi_rows_tables(r);
    return result;
}

/* Plans a sort of `count` row numbers by other numbers below `count`, such as those of groups. */
static gp_result gpi_rows_plan_sort(gp_context *gp, size_t count, gp_sort_desc *s, gpi_sort *sort)
{
    s->keys = gp->counters; /* placeholders */
    s->keys_out = s->values_out = gp->result;
    s->count = count;
    s->count_buffer = gp->counters;
    s->count_type = GP_U32;
    s->key_type = GP_U32;
    s->value_size = 4;
    for (s->end_bit = 8; s->end_bit < 32 && (count == 0 || count > (size_t)1 << s->end_bit);) s->end_bit += 8;
    gpi_sort_init(sort, s, GPI_INDICES_ARRAY);
    return gpi_sort_plan(gp, sort);
}

/* Appends a part to the scratch, whose size is *end, and returns where it begins. */
static size_t gpi_rows_part(size_t *end, bool wanted, size_t bytes)
{
    const size_t begin = *end;
    if (wanted) *end += gpi_round_up(bytes, 256);
    return begin;
}

/* ------------------------------------------------------------------ launches */

/* Passes the number of rows of a group, and returns the number of groups. */
static size_t gpi_rows_arg_span(gpi_call *call, const gpi_plan *plan, size_t rows)
{
    const size_t span = plan->shape == GP_SHAPE_SERIAL
                            ? gpi_serial_span(call->gp, plan, rows, GPI_ROWS_SPAN_MIN)
                            : gpi_plan_tile(plan);
    gpi_call_arg_ulong(call, span);
    return gpi_ceil_div(rows, span);
}

/* Passes the bytes of the longest string that the device's loops can read. */
static void gpi_rows_arg_longest(gpi_call *call, const gpi_plan *plan)
{
    const size_t limit = call->gp->info.loop_limit;
    gpi_call_arg_ulong(call, limit ? limit / (GPI_ROWS_LOOPS * plan->per_item) : ~(size_t)0);
}

/* Passes a table's slots and their number, and the number of its first slot. */
static void gpi_rows_arg_table(gpi_call *call, const gpi_rows *r, const gpi_rows_table *t, cl_mem scratch)
{
    gpi_call_arg_array(call, scratch, r->slots_at / 4 + t->base);
    GPI_CALL_ARG(call, t->size);
    GPI_CALL_ARG(call, t->base);
}

/* Enqueues the use of a table: it is emptied, and all rows are put into it. `slot_of` gets their slots. */
static gp_result gpi_rows_try(gpi_call *call, const gpi_rows *r, cl_uint number, cl_mem slot_of,
                              size_t slot_of_offset, cl_mem scratch)
{
    const gpi_rows_table *t = &r->table[number];
    size_t groups;
    gp_result result;
    gpi_call_kernel(call, r->program, "gp_rows_clear");
    gpi_rows_arg_table(call, r, t, scratch);
    gpi_call_arg_array(call, scratch, r->state_at / 4);
    GPI_CALL_ARG(call, number);
    groups = gpi_rows_arg_span(call, &r->plan, t->size);
    result = gpi_call_launch(call, &r->plan, groups);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, r->program, "gp_rows_put");
    gpi_call_arg_keys(call, &r->keys);
    gpi_rows_arg_table(call, r, t, scratch);
    GPI_CALL_ARG(call, r->row_mask);
    GPI_CALL_ARG(call, t->probes);
    gpi_call_arg_array(call, slot_of, slot_of_offset);
    gpi_call_arg_array(call, scratch, r->state_at / 4);
    GPI_CALL_ARG(call, number);
    gpi_rows_arg_longest(call, &r->plan);
    groups = gpi_rows_arg_span(call, &r->plan, r->count.bound);
    gpi_call_arg_count(call, &r->count);
    GPI_CALL_ARG(call, r->number);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &r->plan, groups);
}

/* Enqueues the write of the number of rows for the next launches. */
static gp_result gpi_rows_close(gpi_call *call, const gpi_rows *r, cl_mem scratch)
{
    gpi_call_kernel(call, r->program, "gp_rows_close");
    gpi_call_arg_array(call, scratch, r->state_at / 4);
    GPI_CALL_ARG(call, r->tables);
    gpi_call_arg_count(call, &r->count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &r->plan, 1);
}

/* Enqueues the table of at least one row: the smallest one that is large enough, the slot of each row, and the state. */
static gp_result gpi_rows_put(gpi_call *call, const gpi_rows *r, cl_mem slot_of, size_t slot_of_offset,
                              cl_mem scratch)
{
    gp_result result = gpi_call_fill(call, scratch, r->state_at, 4 * GPI_ROWS_STATE);
    cl_uint number;
    for (number = 0; number < r->tables && result == GP_OK; number++)
        result = gpi_rows_try(call, r, number, slot_of, slot_of_offset, scratch);
    return result == GP_OK ? gpi_rows_close(call, r, scratch) : result;
}

/* Fails because the device ended loops too early. */
static gp_result gpi_rows_fail_long(gp_context *gp)
{
    return gpi_fail(gp, GP_ERROR_UNSUPPORTED,
                    "a string is too long for this device, which ends loops after %u iterations",
                    (unsigned)gp->info.loop_limit);
}

/* Reads the state. Fails if the device ended loops too early. */
static gp_result gpi_rows_read(gpi_call *call, const gpi_rows *r, cl_mem scratch, cl_uint *state)
{
    const gp_result result = gpi_call_read(call, scratch, r->state_at, 4 * GPI_ROWS_STATE, state);
    if (result != GP_OK || state[GPI_ROWS_SMALL] < r->tables) return result;
    return gpi_rows_fail_long(call->gp);
}
