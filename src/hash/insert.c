/* insert.c - gp_hash_insert, gp_hash_insert_or_assign and gp_hash_insert_or_apply, on batches of keys. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/type.h"
#include "hash/hash.h"

#include <string.h>

enum { GPI_CHANGE_APPLY = GPI_CHANGE_ADD }; /* a placeholder until gpi_hash_check_apply sets the change */

/* A call that puts keys into a table: the change to values, the source of values, and the outputs. */
typedef struct gpi_hash_put {
    const gp_hash_insert_desc *desc;
    cl_uint change, source, wants;
    cl_ulong operand;
    gpi_table judge; /* with GP_HASH_FIRST or GP_HASH_LAST: a table from each key of the batch to an index */
    gpi_hash_order order;
    size_t scratch_bytes; /* the scratch of `judge` or of `order`; a call has at most one of them */
} gpi_hash_put;

/* Returns the change that an operation makes to values of a type; 0: there is none. */
static cl_uint gpi_hash_change_of(gp_op op, gp_type type)
{
    enum { GPI_UNSIGNED, GPI_SIGNED, GPI_FLOATING };
    static const struct {
        gp_op op;
        cl_uint change[3];
    } rows[] = {{GP_SUM, {GPI_CHANGE_ADD, GPI_CHANGE_ADD, GPI_CHANGE_ADD_F}},
                {GP_AND, {GPI_CHANGE_AND, GPI_CHANGE_AND, 0}},
                {GP_OR, {GPI_CHANGE_OR, GPI_CHANGE_OR, 0}},
                {GP_XOR, {GPI_CHANGE_XOR, GPI_CHANGE_XOR, 0}},
                {GP_MIN, {GPI_CHANGE_MIN_U, GPI_CHANGE_MIN_I, GPI_CHANGE_MIN_F}},
                {GP_MAX, {GPI_CHANGE_MAX_U, GPI_CHANGE_MAX_I, GPI_CHANGE_MAX_F}}};
    const int kind = gpi_is_float(type) ? GPI_FLOATING : gpi_is_signed(type) ? GPI_SIGNED : GPI_UNSIGNED;
    size_t i;
    for (i = 0; i < GPI_COUNT_OF(rows); i++) {
        if (rows[i].op == op) return rows[i].change[kind];
    }
    return 0;
}

/* Checks type and operation of gp_hash_insert_or_apply, and sets the change that they make to values. */
static gp_result gpi_hash_check_apply(gp_context *gp, const gpi_hash_batch *batch, gpi_hash_put *put)
{
    const gp_hash_insert_desc *desc = put->desc;
    const size_t size = batch->table->value_size;
    const gp_type type = desc->type ? desc->type : size == 8 ? GP_U64 : GP_U32;
    if (size == 0)
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "the table is a set: there are no values to combine");
    if (gpi_type_size(type) != size) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE,
                        "type = %d, must have the size of the table's values, %zu bytes", (int)desc->type,
                        size);
    }
    if (type == GP_F64 && !gp->info.fp64)
        return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "type = GP_F64 needs cl_khr_fp64: %s", gp->info.name);
    if (!desc->op) return gpi_fail(gp, GP_ERROR_INVALID_OP, "op is not set");
    put->change = gpi_hash_change_of(desc->op, type);
    if (put->change == 0) {
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "op = %d does not combine values of type %d", (int)desc->op,
                        (int)type);
    }
    if (size == 8) put->change |= GPI_WIDE_VALUE;
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
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "duplicates = %d %s", (int)desc->duplicates,
                        apply ? "has no meaning where values of equal keys are combined"
                              : "is not a gp_hash_duplicates");
    }
    if (!apply && desc->op) {
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "op = %d is for gp_hash_insert_or_apply", (int)desc->op);
    }
    if (!apply && desc->type) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "type = %d is for gp_hash_insert_or_apply",
                        (int)desc->type);
    }
    if ((desc->failed_keys == NULL) != (desc->failed_count == NULL) ||
        (desc->failed_values && !desc->failed_keys)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "failed_keys is %s, failed_count %s, failed_values %s: give keys and count, or none",
                        desc->failed_keys ? "given" : "NULL", desc->failed_count ? "given" : "NULL",
                        desc->failed_values ? "given" : "NULL");
    }
    if (batch->table->value_size == 0 && (desc->values || desc->failed_values)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "values is given but the table is a set");
    }
    if (desc->count > UINT32_MAX - 1 && (desc->duplicates || desc->failed_keys)) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT,
                        "count = %zu: duplicates and failed_keys take 2^32 - 2 keys at most", desc->count);
    }
    return apply ? gpi_hash_check_apply(gp, batch, put) : GP_OK;
}

/* Plans `judge`, if the call needs it: a temporary table from each key of the batch to the index of the element that
   is inserted for this key. */
static gp_result gpi_hash_plan_judge(gp_context *gp, const gpi_hash_batch *batch, gpi_hash_put *put)
{
    gpi_table *judge = &put->judge;
    if (!put->desc->duplicates || put->desc->count == 0) return GP_OK;
    *judge = *batch->table;
    judge->buffer = NULL;
    judge->loud = false;
    judge->reserved = judge->wide && !judge->packed ? UINT64_MAX : UINT32_MAX;
    put->wants |= GPI_IS_JUDGED;
    return gpi_hash_capacity(gp, 0, put->desc->count, 0.5, &judge->mask);
}

/* Plans to partition the batch if that pays or the caller asks for it. A call with `results` or `duplicates` is not
   partitioned, because both refer to the batch's own order. */
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

/* Checks and plans a call, except for its buffers. Afterwards the size of the scratch is known. */
static gp_result gpi_hash_plan_put(gp_context *gp, gp_hash handle, gpi_hash_batch *batch, gpi_hash_put *put,
                                   cl_uint change)
{
    const gp_hash_insert_desc *desc = put->desc;
    const bool apply = change == GPI_CHANGE_APPLY;
    gp_result result = gpi_hash_batch_open(gp, handle, desc->count, desc->count_buffer, desc->count_offset,
                                           desc->count_type, batch);
    put->change = change;
    if (result == GP_OK) result = gpi_hash_check_strategy(gp, desc->strategy);
    if (result == GP_OK) result = gpi_hash_check_put(gp, batch, put, apply);
    if (result == GP_OK) result = gpi_hash_plan_judge(gp, batch, put);
    if (result != GP_OK) return result;
    if (batch->table->value_size == 0) put->source = GPI_SOURCE_ONE; /* every key has the value 0 */
    if (desc->results) put->wants |= GPI_WANTS_RESULTS;
    if (desc->failed_keys) put->wants |= GPI_WANTS_FAILED;
    if (!desc->results && !desc->failed_keys) put->wants |= GPI_TELLS_FULL;
    if (desc->failed_values) put->wants |= GPI_WANTS_FAILED_VALUES;
    if (put->wants & GPI_IS_JUDGED) put->scratch_bytes = gpi_hash_bytes(&put->judge);
    return gpi_hash_plan_order(gp, batch, put);
}

static gp_result gpi_hash_check_put_buffers(gp_context *gp, gpi_hash_batch *batch, const gpi_hash_put *put)
{
    const gp_hash_insert_desc *d = put->desc;
    const size_t k = batch->table->key_size, v = batch->table->value_size, n = d->count;
    if (!d->keys) return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "keys is NULL");
    if (put->source == GPI_SOURCE_BUFFER && !d->values)
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "values is NULL");
    gpi_hash_use(batch, "keys", d->keys, d->keys_offset, n, k, GPI_READS);
    gpi_hash_use(batch, "values", d->values, d->values_offset, n, v, GPI_READS);
    gpi_hash_use(batch, "results", d->results, d->results_offset, n, 1, GPI_WRITES);
    gpi_hash_use(batch, "failed_keys", d->failed_keys, d->failed_keys_offset, n, k, GPI_WRITES);
    gpi_hash_use(batch, "failed_values", d->failed_values, d->failed_values_offset, n, v, GPI_WRITES);
    gpi_hash_use(batch, "failed_count", d->failed_count, d->failed_count_offset, 1, 4, GPI_WRITES);
    return gpi_hash_uses_end(batch, d->scratch, put->scratch_bytes);
}

/* Passes the arguments for GPI_PUT_PARAMETERS of hash/batch_keys.cl. */
static void gpi_hash_arg_put(gpi_call *call, const gpi_hash_batch *batch, const gpi_hash_put *put,
                             bool judging)
{
    const gp_hash_insert_desc *d = put->desc;
    const cl_uint source = judging ? (cl_uint)GPI_SOURCE_INDEX : put->source;
    const cl_uint chosen = d->duplicates == GP_HASH_FIRST ? GPI_CHANGE_MIN_U : GPI_CHANGE_MAX_U;
    const cl_uint wide = batch->table->wide && !batch->table->packed ? GPI_WIDE_VALUE : 0;
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
    gpi_call_arg_uint(call, judging ? chosen | wide : put->change);
    gpi_call_arg_uint(call, gpi_hash_widths(batch->table));
    gpi_call_arg_uint(call, judging ? 0 : put->wants);
}

/* Launches the kernel that puts the batch into the table, or, if `judging`, the batch's indices into `judge`. */
static gp_result gpi_hash_launch_put(gpi_call *call, const gpi_hash_batch *batch, const gpi_hash_put *put,
                                     bool judging)
{
    const gp_hash_insert_desc *d = put->desc;
    gpi_call_kernel(call, batch->program, "gp_hash_put_keys");
    gpi_hash_arg_put(call, batch, put, judging);
    gpi_hash_arg_table(call, put->wants & GPI_IS_JUDGED ? &put->judge : batch->table);
    gpi_hash_arg_array(call, d->results, d->results_offset);
    gpi_hash_arg_array(call, d->failed_keys, d->failed_keys_offset);
    gpi_hash_arg_array(call, d->failed_values, d->failed_values_offset);
    gpi_hash_arg_array(call, d->failed_count, d->failed_count_offset);
    return gpi_hash_launch_batch(call, batch, &batch->count);
}

/* Returns true if each group combines equal keys before it accesses the table: `change` is an operation, and neither results
   nor failed keys are wanted. */
static bool gpi_hash_combines(const gpi_hash_put *put)
{
    return put->change > GPI_CHANGE_ASSIGN && !(put->wants & (GPI_WANTS_RESULTS | GPI_WANTS_FAILED));
}

static gp_result gpi_hash_launch_combine(gpi_call *call, const gpi_hash_batch *batch, const gpi_hash_put *put)
{
    gpi_call_kernel(call, batch->program, "gp_hash_combine_keys");
    gpi_hash_arg_put(call, batch, put, false);
    return gpi_hash_launch_combining(call, batch, &batch->count);
}

/* Clears `judge` and puts the batch's indices into it. For each distinct key, `judge` keeps the index of the element to
   use. */
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

static gp_result gpi_hash_insert(gp_context *gp, gp_hash handle, const gp_hash_insert_desc *desc,
                                 cl_uint change)
{
    gpi_hash_batch batch;
    gpi_hash_put put;
    gpi_call call;
    uint64_t released;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    released = gp->released;
    memset(&put, 0, sizeof put);
    put.desc = desc;
    result = gpi_hash_plan_put(gp, handle, &batch, &put, change);
    if (result == GP_OK && (desc->count > 0 || desc->failed_count))
        result = gpi_hash_check_put_buffers(gp, &batch, &put);
    if (result == GP_OK) result = gpi_hash_make_room(gp, batch.table, desc->count);
    gp->released = released; /* a rehash releases programs at its end, but this call still needs them */
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_hash_put_all(&call, &batch, &put);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_hash_insert(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc)
{
    return gpi_hash_insert(gpi_enter(gp, __func__), table, desc, GPI_CHANGE_KEEP);
}

GP_API gp_result gp_hash_insert_or_assign(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc)
{
    return gpi_hash_insert(gpi_enter(gp, __func__), table, desc, GPI_CHANGE_ASSIGN);
}

GP_API gp_result gp_hash_insert_or_apply(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc)
{
    return gpi_hash_insert(gpi_enter(gp, __func__), table, desc, GPI_CHANGE_APPLY);
}

GP_API gp_result gp_hash_insert_scratch_size(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc,
                                             size_t *bytes)
{
    gpi_hash_batch batch;
    gpi_hash_put put;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    memset(&put, 0, sizeof put);
    put.desc = desc;
    result = gpi_hash_plan_put(gp, table, &batch, &put, desc->op ? GPI_CHANGE_APPLY : GPI_CHANGE_KEEP);
    *bytes = result == GP_OK ? put.scratch_bytes : 0;
    return result;
}
