/* hash.c - batches of keys: what they all need, and gp_hash_insert and its kin. */
#include "internal.h"

/* Of hash/table.cl and hash/batch.cl. */
enum {
    GPI_CHANGE_KEEP,
    GPI_CHANGE_ASSIGN,
    GPI_CHANGE_APPLY /* and which */,
    GPI_CHANGE_MIN_U = 6,
    GPI_CHANGE_MAX_U = 7,
    GPI_CHANGE_WIDE = 16
};
enum { GPI_SOURCE_BUFFER, GPI_SOURCE_ONE, GPI_SOURCE_INDEX };
enum {
    GPI_WANTS_RESULTS = 1,
    GPI_WANTS_FAILED = 2,
    GPI_WANTS_FAILED_VALUES = 4,
    GPI_IS_JUDGED = 8,
    GPI_IS_CHECKED = 16
};
enum { GPI_WANTS_VALUES = 1, GPI_WANTS_FOUND = 2 };
enum { GPI_WIDE_KEYS = 1, GPI_WIDE_VALUES = 2 };

/* From how many bytes of table on, and keys, it pays to partition a batch first. Measured on PoCL. */
#define GPI_HASH_PARTITION_BYTES ((size_t)16 << 20)
#define GPI_HASH_PARTITION_KEYS ((size_t)1 << 16)

/* A buffer of the call's. */
typedef struct gpi_hash_use {
    const char *name;
    gpi_range range; /* root NULL: not there */
    bool written;
} gpi_hash_use;

enum { GPI_HASH_USES = 8 };

/* A checked batch, ready to run. */
typedef struct gpi_hash_batch {
    const char *function;
    gpi_table *table;
    gpi_plan plan;
    gpi_program *program;
    gpi_count count;
    gpi_hash_use uses[GPI_HASH_USES];
    size_t use_count;
} gpi_hash_batch;

/* ------------------------------------------------------------------ checks */

/* A buffer of `count` elements of `size` bytes; NULL is left out. */
static gp_result gpi_hash_use_buffer(gp_context *gp, gpi_hash_batch *batch, const char *name, cl_mem buffer,
                                     size_t offset, size_t count, size_t size, int access)
{
    gpi_hash_use *use = &batch->uses[batch->use_count];
    if (!buffer) return GP_OK;
    use->name = name;
    use->written = access == GPI_WRITES;
    batch->use_count++;
    return gpi_check_buffer(gp, batch->function, name, buffer, offset, count, size, access, &use->range);
}

/* What is written overlaps nothing, and nothing overlaps the table. */
static gp_result gpi_hash_check_apart(gp_context *gp, const gpi_hash_batch *batch)
{
    size_t a, b;
    gpi_range counter; /* one that is there is among the uses */
    const gp_result result = gpi_check_count(gp, batch->function, &batch->count, &counter);
    if (result != GP_OK) return result;
    for (a = 0; a < batch->use_count; a++) {
        for (b = 0; b < a; b++) {
            const gpi_hash_use *x = &batch->uses[a], *y = &batch->uses[b];
            if (!(x->written || y->written) || !gpi_overlap(&x->range, &y->range)) continue;
            return gpi_fail_overlap(gp, batch->function, y->name, &y->range, x->name, &x->range);
        }
    }
    return GP_OK;
}

/* The batch's table, program, count and the table's own memory. */
static gp_result gpi_hash_batch_open(gp_context *gp, const char *function, gp_hash handle, size_t count,
                                     cl_mem count_buffer, size_t count_offset, gp_type count_type,
                                     gpi_hash_batch *batch)
{
    gp_result result;
    memset(batch, 0, sizeof *batch);
    batch->function = function;
    batch->table = gpi_hash_of(gp, function, handle);
    if (!batch->table) return GP_ERROR_INVALID_ARGUMENT;
    batch->count.bound = count;
    batch->count.buffer = count_buffer;
    batch->count.offset = count_offset;
    batch->count.type = count_type;
    result = gpi_hash_program(gp, function, GPI_HASH, batch->table, "", &batch->plan, &batch->program);
    if (result == GP_OK)
        result = gpi_hash_use_buffer(gp, batch, "the table", batch->table->buffer, 0,
                                     gpi_hash_bytes(batch->table), 1, GPI_READS);
    batch->uses[0].written = true;
    if (result != GP_OK || !count_buffer) return result;
    batch->uses[batch->use_count].name = "count_buffer";
    return gpi_check_count(gp, function, &batch->count, &batch->uses[batch->use_count++].range);
}

/* ------------------------------------------------------------------ arguments, launch */

static cl_uint gpi_hash_widths(const gpi_table *table)
{
    return (table->key_size == 8 ? GPI_WIDE_KEYS : 0) | (table->value_size == 8 ? GPI_WIDE_VALUES : 0);
}

/* An array and its offset; where there is none, the context's counters stand in. */
static void gpi_hash_arg_array(gpi_call *call, cl_mem buffer, size_t offset)
{
    const cl_ulong at = buffer ? offset : 0;
    const cl_mem array = buffer ? buffer : call->gp->counters;
    GPI_CALL_ARG(call, array);
    GPI_CALL_ARG(call, at);
}

/* Keys of a group. In the serial shape fewer when there are few, so that all cores have some; one an item
   where loops are limited, because each may mean a long probe. */
static size_t gpi_hash_span(const gp_context *gp, const gpi_plan *plan, size_t count)
{
    const size_t cores = gp->info.compute_units ? gp->info.compute_units : 1, least = 1024;
    const size_t share = count / (4 * cores), most = plan->items;
    if (plan->shape == GP_SHAPE_LOCAL) return gp->info.loop_limit ? plan->group : gpi_plan_tile(plan);
    if (gp->desc.tuning.tile || share >= most) return most;
    return share > least ? share : least;
}

/* The last arguments of a batch's kernels, and the launch. */
static gp_result gpi_hash_launch_batch(gpi_call *call, const gpi_hash_batch *batch, const gpi_count *count)
{
    const size_t span = gpi_hash_span(call->gp, &batch->plan, count->bound);
    gpi_sort_arg_long(call, span);
    gpi_call_arg_count(call, count);
    gpi_hash_arg_counters(call);
    return gpi_call_launch(call, &batch->plan, gpi_ceil_div(count->bound, span));
}

/* ------------------------------------------------------------------ partitioned batches */

/* A batch in the order of its home slots' highest digit, if it goes to the table like that: so that a table
   larger than the caches is walked through piece by piece. */
typedef struct gpi_hash_order {
    bool wanted; /* then: */
    gp_sort_desc desc;
    gpi_sort sort;
    size_t keys_at, values_at; /* where the partitioned batch is, in bytes of the scratch */
    size_t bytes;              /* of scratch */
} gpi_hash_order;

static gp_result gpi_hash_check_strategy(gp_context *gp, const char *function, gp_strategy strategy)
{
    if ((unsigned)strategy < GP_STRATEGY_COUNT) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: strategy = %d is not a gp_strategy", function,
                    (int)strategy);
}

/* Whether it pays, or the caller wants it. */
static bool gpi_hash_order_suits(const gpi_hash_batch *batch, gp_strategy strategy)
{
    const size_t count = batch->count.bound;
    const bool large =
        gpi_hash_bytes(batch->table) >= GPI_HASH_PARTITION_BYTES && count >= GPI_HASH_PARTITION_KEYS;
    return (strategy ? strategy : batch->plan.strategy) == GP_STRATEGY_MULTI_PASS && (large || strategy) &&
           batch->table->mask >= GPI_SORT_BINS && count > 0;
}

/* The pass of a sort that does it. The desc has the caller's keys, and values if they go along. */
static gp_result gpi_hash_order_plan(gp_context *gp, const gpi_hash_batch *batch, gpi_hash_order *order)
{
    const gpi_table *table = batch->table;
    gp_sort_desc *d = &order->desc;
    gp_result result;
    uint32_t bits = 0;
    while (table->mask >> bits) bits++;
    d->keys_out = table->buffer; /* until the scratch is there: something else than the keys */
    if (d->value_size) d->values_out = table->buffer;
    d->count = batch->count.bound;
    d->count_buffer = batch->count.buffer;
    d->count_offset = batch->count.offset;
    d->count_type = batch->count.type;
    d->key_type = table->key_size == 8 ? GP_U64 : GP_U32;
    d->end_bit = bits;
    d->begin_bit = bits > GPI_SORT_DIGIT_BITS ? bits - GPI_SORT_DIGIT_BITS : 0;
    d->strategy = GP_STRATEGY_MULTI_PASS;
    gpi_sort_init(&order->sort, batch->function, d, false);
    order->wanted = true;
    order->sort.hash = table->wide && !table->packed ? 64 : 32;
    order->sort.seed = order->sort.hash == 64 ? table->seed : (uint32_t)(table->seed ^ table->seed >> 32);
    result = gpi_sort_plan(gp, &order->sort);
    order->keys_at = order->sort.at.end;
    order->values_at = gpi_round_up(order->keys_at + d->count * table->key_size, GPI_SORT_ALIGNMENT);
    order->bytes = order->values_at + d->count * d->value_size;
    return result;
}

/* The batch, partitioned, into the scratch. */
static gp_result gpi_hash_order_launch(gpi_call *call, gpi_hash_order *order, cl_mem scratch)
{
    gp_sort_desc *d = &order->desc;
    d->scratch = d->keys_out = scratch;
    d->keys_out_offset = order->keys_at / order->sort.key_size;
    if (d->value_size) {
        d->values_out = scratch;
        d->values_out_offset = order->values_at / d->value_size;
    }
    return gpi_sort_launch(call, &order->sort);
}

/* The caller's scratch: large enough, and apart from all of the batch's buffers. */
static gp_result gpi_hash_check_scratch(gp_context *gp, const gpi_hash_batch *batch, cl_mem scratch,
                                        size_t bytes)
{
    gpi_range used[GPI_HASH_USES];
    size_t i;
    for (i = 0; i < batch->use_count; i++) used[i] = batch->uses[i].range;
    return gpi_check_scratch(gp, batch->function, scratch, bytes, used, batch->use_count);
}

/* ------------------------------------------------------------------ insert, assign, apply */

/* What is put, and how. */
typedef struct gpi_hash_put {
    const gp_hash_insert_desc *desc;
    cl_uint change, source, wants;
    cl_ulong operand;
    gpi_table judge; /* FIRST, LAST: the batch's own table of indices */
    gpi_hash_order order;
    size_t scratch_bytes; /* of judge or order: never both */
} gpi_hash_put;

/* The device's word for an operation on values of a type: GPI_ADD ... of hash/table.cl; 0: there is none. */
static cl_uint gpi_hash_change_of(gp_op op, gp_type type)
{
    enum { UNSIGNED, SIGNED, FLOAT };
    static const struct {
        gp_op op;
        cl_uint change[3];
    } rows[] = {{GP_SUM, {2, 2, 10}}, {GP_AND, {3, 3, 0}},  {GP_OR, {4, 4, 0}},
                {GP_XOR, {5, 5, 0}},  {GP_MIN, {6, 8, 11}}, {GP_MAX, {7, 9, 12}}};
    const int kind = gpi_is_float(type) ? FLOAT : gpi_is_signed(type) ? SIGNED : UNSIGNED;
    size_t i;
    for (i = 0; i < GPI_COUNT_OF(rows); i++) {
        if (rows[i].op == op) return rows[i].change[kind];
    }
    return 0;
}

/* Type and operation of insert_or_apply. */
static gp_result gpi_hash_check_apply(gp_context *gp, const gpi_hash_batch *batch, gpi_hash_put *put)
{
    const gp_hash_insert_desc *desc = put->desc;
    const size_t size = batch->table->value_size;
    const gp_type type = desc->type ? desc->type : size == 8 ? GP_U64 : GP_U32;
    if (size == 0)
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "%s: the table is a set: there are no values to combine",
                        batch->function);
    if (gpi_type_size(type) != size) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE,
                        "%s: type = %d is no type of the table's values of %zu bytes", batch->function,
                        (int)desc->type, size);
    }
    if (type == GP_F64 && !gp->info.fp64)
        return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "%s: type = GP_F64 needs cl_khr_fp64: %s", batch->function,
                        gp->info.name);
    if (!desc->op) return gpi_fail(gp, GP_ERROR_INVALID_OP, "%s: op is not set", batch->function);
    put->change = gpi_hash_change_of(desc->op, type);
    if (put->change == 0) {
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "%s: op = %d does not combine values of type %d",
                        batch->function, (int)desc->op, (int)type);
    }
    if (size == 8) put->change |= GPI_CHANGE_WIDE;
    if (desc->values) return GP_OK;
    put->source = GPI_SOURCE_ONE;
    put->operand = type == GP_F32 ? 0x3f800000u : type == GP_F64 ? 0x3ff0000000000000u : 1;
    return GP_OK;
}

static gp_result gpi_hash_check_put(gp_context *gp, const gpi_hash_batch *batch, gpi_hash_put *put,
                                    bool apply)
{
    const gp_hash_insert_desc *desc = put->desc;
    if ((unsigned)desc->duplicates >= GP_HASH_DUPLICATES_COUNT || (apply && desc->duplicates)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: duplicates = %d %s", batch->function,
                        (int)desc->duplicates,
                        apply ? "means nothing where equal keys combine" : "is not a gp_hash_duplicates");
    }
    if (!apply && desc->op) {
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "%s: op = %d is for gp_hash_insert_or_apply",
                        batch->function, (int)desc->op);
    }
    if (!apply && desc->type) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: type = %d is for gp_hash_insert_or_apply",
                        batch->function, (int)desc->type);
    }
    if ((desc->failed_keys == NULL) != (desc->failed_count == NULL) ||
        (desc->failed_values && !desc->failed_keys)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "%s: failed_keys is %s, failed_count %s, failed_values %s: they go together",
                        batch->function, desc->failed_keys ? "given" : "NULL",
                        desc->failed_count ? "given" : "NULL", desc->failed_values ? "given" : "NULL");
    }
    if (batch->table->value_size == 0 && (desc->values || desc->failed_values)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: there are values, and the table is a set",
                        batch->function);
    }
    if (desc->count > UINT32_MAX - 1 && (desc->duplicates || desc->failed_keys)) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT,
                        "%s: count = %zu: duplicates and failed_keys take 2^32 - 2 keys at most",
                        batch->function, desc->count);
    }
    return apply ? gpi_hash_check_apply(gp, batch, put) : GP_OK;
}

/* The table that says which of equal keys stands for all: of keys of the same width, with indices as values.
 */
static gp_result gpi_hash_plan_judge(gp_context *gp, const gpi_hash_batch *batch, gpi_hash_put *put)
{
    gpi_table *judge = &put->judge;
    if (!put->desc->duplicates || put->desc->count == 0) return GP_OK;
    *judge = *batch->table;
    judge->buffer = NULL;
    judge->loud = false;
    judge->reserved = judge->wide && !judge->packed ? UINT64_MAX : UINT32_MAX;
    put->wants |= GPI_IS_JUDGED;
    return gpi_hash_capacity(gp, batch->function, 0, put->desc->count, 0.5, &judge->mask);
}

/* Whether the batch is partitioned. Results and indices belong to the order that it came in. */
static gp_result gpi_hash_plan_order(gp_context *gp, const gpi_hash_batch *batch, gpi_hash_put *put)
{
    const gp_hash_insert_desc *d = put->desc;
    gp_sort_desc *order = &put->order.desc;
    gp_result result;
    if (d->results || d->duplicates || !gpi_hash_order_suits(batch, d->strategy)) return GP_OK;
    order->keys = d->keys;
    order->keys_offset = d->keys_offset;
    if (put->source == GPI_SOURCE_BUFFER) {
        order->value_size = batch->table->value_size;
        order->values = d->values;
        order->values_offset = d->values_offset;
    }
    result = gpi_hash_order_plan(gp, batch, &put->order);
    put->scratch_bytes = put->order.bytes;
    return result;
}

/* Everything but the buffers: enough to know the scratch. */
static gp_result gpi_hash_plan_put(gp_context *gp, const char *function, gp_hash handle,
                                   gpi_hash_batch *batch, gpi_hash_put *put, cl_uint change)
{
    const gp_hash_insert_desc *desc = put->desc;
    const bool apply = change == GPI_CHANGE_APPLY;
    gp_result result = gpi_hash_batch_open(gp, function, handle, desc->count, desc->count_buffer,
                                           desc->count_offset, desc->count_type, batch);
    put->change = change;
    if (result == GP_OK) result = gpi_hash_check_strategy(gp, function, desc->strategy);
    if (result == GP_OK) result = gpi_hash_check_put(gp, batch, put, apply);
    if (result == GP_OK) result = gpi_hash_plan_judge(gp, batch, put);
    if (result != GP_OK) return result;
    if (batch->table->value_size == 0) put->source = GPI_SOURCE_ONE; /* of value 0 */
    if (desc->results) put->wants |= GPI_WANTS_RESULTS;
    if (desc->failed_keys) put->wants |= GPI_WANTS_FAILED;
    if (desc->failed_values) put->wants |= GPI_WANTS_FAILED_VALUES;
    if (put->wants & GPI_IS_JUDGED) put->scratch_bytes = gpi_hash_bytes(&put->judge);
    return gpi_hash_plan_order(gp, batch, put);
}

static gp_result gpi_hash_check_put_buffers(gp_context *gp, gpi_hash_batch *batch, const gpi_hash_put *put)
{
    const gp_hash_insert_desc *d = put->desc;
    const size_t k = batch->table->key_size, v = batch->table->value_size, n = d->count;
    gp_result r = GP_OK;
    if (!d->keys) r = gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: keys is NULL", batch->function);
    if (r == GP_OK && put->source == GPI_SOURCE_BUFFER && !d->values)
        r = gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: values is NULL", batch->function);
    if (r == GP_OK) r = gpi_hash_use_buffer(gp, batch, "keys", d->keys, d->keys_offset, n, k, GPI_READS);
    if (r == GP_OK)
        r = gpi_hash_use_buffer(gp, batch, "values", d->values, d->values_offset, n, v, GPI_READS);
    if (r == GP_OK)
        r = gpi_hash_use_buffer(gp, batch, "results", d->results, d->results_offset, n, 1, GPI_WRITES);
    if (r == GP_OK)
        r = gpi_hash_use_buffer(gp, batch, "failed_keys", d->failed_keys, d->failed_keys_offset, n, k,
                                GPI_WRITES);
    if (r == GP_OK)
        r = gpi_hash_use_buffer(gp, batch, "failed_values", d->failed_values, d->failed_values_offset, n, v,
                                GPI_WRITES);
    if (r == GP_OK)
        r = gpi_hash_use_buffer(gp, batch, "failed_count", d->failed_count, d->failed_count_offset, 1, 4,
                                GPI_WRITES);
    if (r == GP_OK) r = gpi_hash_check_apart(gp, batch);
    return r == GP_OK ? gpi_hash_check_scratch(gp, batch, d->scratch, put->scratch_bytes) : r;
}

/* GPI_PUT_PARAMETERS of hash/batch.cl. */
static void gpi_hash_arg_put(gpi_call *call, const gpi_hash_batch *batch, const gpi_hash_put *put,
                             bool judging)
{
    const gp_hash_insert_desc *d = put->desc;
    const cl_uint source = judging ? (cl_uint)GPI_SOURCE_INDEX : put->source;
    const cl_uint chosen = d->duplicates == GP_HASH_FIRST ? GPI_CHANGE_MIN_U : GPI_CHANGE_MAX_U;
    const cl_uint wide = batch->table->wide && !batch->table->packed ? GPI_CHANGE_WIDE : 0;
    gpi_hash_arg_table(call, judging ? &put->judge : batch->table);
    if (put->order.wanted) {
        gpi_hash_arg_array(call, put->order.desc.keys_out, put->order.desc.keys_out_offset);
        gpi_hash_arg_array(call, put->order.desc.values_out, put->order.desc.values_out_offset);
    } else {
        gpi_hash_arg_array(call, d->keys, d->keys_offset);
        gpi_hash_arg_array(call, d->values, d->values_offset);
    }
    GPI_CALL_ARG(call, source);
    GPI_CALL_ARG(call, put->operand);
    gpi_sort_arg_uint(call, judging ? chosen | wide : put->change);
    gpi_sort_arg_uint(call, gpi_hash_widths(batch->table));
    gpi_sort_arg_uint(call, judging ? 0 : put->wants);
}

/* One launch: the batch into the table, or its indices into the judge. */
static gp_result gpi_hash_launch_put(gpi_call *call, const gpi_hash_batch *batch, const gpi_hash_put *put,
                                     bool judging)
{
    const gp_hash_insert_desc *d = put->desc;
    gpi_call_kernel(call, batch->program, GPI_HASH_PUT);
    gpi_hash_arg_put(call, batch, put, judging);
    gpi_hash_arg_table(call, put->wants & GPI_IS_JUDGED ? &put->judge : batch->table);
    gpi_hash_arg_array(call, d->results, d->results_offset);
    gpi_hash_arg_array(call, d->failed_keys, d->failed_keys_offset);
    gpi_hash_arg_array(call, d->failed_values, d->failed_values_offset);
    gpi_hash_arg_array(call, d->failed_count, d->failed_count_offset);
    return gpi_hash_launch_batch(call, batch, &batch->count);
}

/* Equal keys of a group first combine there: where nothing is wanted of each key by itself. */
static bool gpi_hash_combines(const gpi_hash_put *put)
{
    return put->change > GPI_CHANGE_ASSIGN && !(put->wants & (GPI_WANTS_RESULTS | GPI_WANTS_FAILED));
}

static gp_result gpi_hash_launch_combine(gpi_call *call, const gpi_hash_batch *batch, const gpi_hash_put *put)
{
    gpi_call_kernel(call, batch->program, GPI_HASH_COMBINE);
    gpi_hash_arg_put(call, batch, put, false);
    return gpi_hash_launch_batch(call, batch, &batch->count);
}

/* Which index stands for each key. */
static gp_result gpi_hash_judge(gpi_call *call, const gpi_hash_batch *batch, gpi_hash_put *put,
                                cl_mem scratch)
{
    gp_result result;
    put->judge.buffer = scratch;
    result = gpi_hash_clear_slots(call, &put->judge, NULL);
    if (result == GP_OK) result = gpi_hash_launch_put(call, batch, put, true);
    put->wants |= GPI_IS_CHECKED;
    return result;
}

static gp_result gpi_hash_put_all(gpi_call *call, gpi_hash_batch *batch, gpi_hash_put *put)
{
    const gp_hash_insert_desc *d = put->desc;
    gp_result result = GP_OK;
    cl_mem scratch = NULL;
    if (d->failed_count) result = gpi_call_fill(call, d->failed_count, 4 * d->failed_count_offset, 4);
    if (result != GP_OK || d->count == 0) return result;
    if (put->scratch_bytes > 0) result = gpi_call_scratch(call, d->scratch, put->scratch_bytes, &scratch);
    if (result == GP_OK && (put->wants & GPI_IS_JUDGED)) result = gpi_hash_judge(call, batch, put, scratch);
    if (result == GP_OK && put->order.wanted) {
        put->wants |= GPI_IS_CHECKED;
        result = gpi_hash_order_launch(call, &put->order, scratch);
    }
    if (result != GP_OK) return result;
    return gpi_hash_combines(put) ? gpi_hash_launch_combine(call, batch, put)
                                  : gpi_hash_launch_put(call, batch, put, false);
}

static gp_result gpi_hash_insert(gp_context *gp, const char *function, gp_hash handle,
                                 const gp_hash_insert_desc *desc, cl_uint change)
{
    gpi_hash_batch batch;
    gpi_hash_put put;
    gpi_call call;
    uint64_t released;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp or desc is NULL", function);
    released = gp->released;
    memset(&put, 0, sizeof put);
    put.desc = desc;
    result = gpi_hash_plan_put(gp, function, handle, &batch, &put, change);
    if (result == GP_OK && (desc->count > 0 || desc->failed_count))
        result = gpi_hash_check_put_buffers(gp, &batch, &put);
    if (result == GP_OK) result = gpi_hash_make_room(gp, function, batch.table, desc->count);
    gp->released = released; /* a rehash is a call of its own, and this one's programs are still needed */
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_hash_put_all(&call, &batch, &put);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_hash_insert(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc)
{
    return gpi_hash_insert(gp, "gp_hash_insert", table, desc, GPI_CHANGE_KEEP);
}

GP_API gp_result gp_hash_insert_or_assign(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc)
{
    return gpi_hash_insert(gp, "gp_hash_insert_or_assign", table, desc, GPI_CHANGE_ASSIGN);
}

GP_API gp_result gp_hash_insert_or_apply(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc)
{
    return gpi_hash_insert(gp, "gp_hash_insert_or_apply", table, desc, GPI_CHANGE_APPLY);
}

GP_API gp_result gp_hash_insert_scratch_size(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc,
                                             size_t *bytes)
{
    gpi_hash_batch batch;
    gpi_hash_put put;
    gp_result result;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "gp_hash_insert_scratch_size: gp, desc or bytes is NULL");
    }
    memset(&put, 0, sizeof put);
    put.desc = desc;
    result = gpi_hash_plan_put(gp, "gp_hash_insert_scratch_size", table, &batch, &put,
                               desc->op ? GPI_CHANGE_APPLY : GPI_CHANGE_KEEP);
    *bytes = result == GP_OK ? put.scratch_bytes : 0;
    return result;
}
