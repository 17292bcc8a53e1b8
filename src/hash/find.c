/* find.c - gp_hash_find, gp_hash_contains and gp_hash_erase, on batches of keys. */
#include "base/error.h"
#include "hash/hash.h"

#include <string.h>

/* ------------------------------------------------------------------ find, contains */

static gp_result gpi_hash_check_find(gp_context *gp, gpi_hash_batch *batch, const gp_hash_find_desc *d)
{
    const size_t k = batch->table->key_size, v = batch->table->value_size, n = d->count;
    const int keys = k == v ? GPI_READS_OR_OUT : GPI_READS;
    if (!d->keys) return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "keys is NULL");
    if (!d->values && !d->found)
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER,
                        "values and found are NULL: at least one output is required");
    if (v == 0 && (d->values || d->absent)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "values is given but the table is a set");
    }
    gpi_hash_use(batch, "keys", d->keys, d->keys_offset, n, k, keys);
    gpi_hash_use(batch, "values", d->values, d->values_offset, n, v, GPI_WRITES);
    gpi_hash_use(batch, "found", d->found, d->found_offset, n, 1, GPI_WRITES);
    return gpi_hash_uses_end(batch, NULL, 0);
}

static gp_result gpi_hash_launch_find(gpi_call *call, const gpi_hash_batch *batch, const gp_hash_find_desc *d)
{
    const gpi_table *table = batch->table;
    const cl_ulong absent = d->absent ? gpi_hash_load_value(d->absent, table->value_size) : table->absent;
    gpi_call_kernel(call, batch->program, "gp_hash_find_keys");
    gpi_hash_arg_table(call, table);
    gpi_hash_arg_array(call, d->keys, d->keys_offset);
    gpi_hash_arg_array(call, d->values, d->values_offset);
    gpi_hash_arg_array(call, d->found, d->found_offset);
    GPI_CALL_ARG(call, absent);
    gpi_call_arg_uint(call, gpi_hash_widths(table));
    gpi_call_arg_uint(call, (d->values ? GPI_WANTS_VALUES : 0) | (d->found ? GPI_WANTS_FOUND : 0));
    return gpi_hash_launch_batch(call, batch, &batch->count);
}

static gp_result gpi_hash_find(gp_context *gp, gp_hash handle, const gp_hash_find_desc *desc)
{
    gpi_hash_batch batch;
    gpi_call call;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    result = gpi_hash_batch_open(gp, handle, desc->count, desc->count_buffer, desc->count_offset,
                                 desc->count_type, &batch);
    if (result == GP_OK && desc->count > 0) result = gpi_hash_check_find(gp, &batch, desc);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK && desc->count > 0) result = gpi_hash_launch_find(&call, &batch, desc);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_hash_find(gp_context *gp, gp_hash table, const gp_hash_find_desc *desc)
{
    return gpi_hash_find(gpi_enter(gp, __func__), table, desc);
}

GP_API gp_result gp_hash_contains(gp_context *gp, gp_hash table, const gp_hash_find_desc *desc)
{
    gpi_enter(gp, __func__);
    if (gp && desc && (desc->values || desc->absent)) {
        if (desc->done) *desc->done = NULL;
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "values and absent must be NULL");
    }
    return gpi_hash_find(gp, table, desc);
}

/* ------------------------------------------------------------------ erase */

/* A call of gp_hash_erase, and the order in which it handles its keys. */
typedef struct gpi_hash_removal {
    const gp_hash_erase_desc *desc;
    gpi_hash_order order;
} gpi_hash_removal;

/* Checks and plans a call, except for its buffers. Afterwards the size of the scratch is known. A batch with results
   is not partitioned, since results are in the order of the caller's keys. */
static gp_result gpi_hash_plan_erase(gp_context *gp, gp_hash handle, gpi_hash_batch *batch,
                                     gpi_hash_removal *removal)
{
    const gp_hash_erase_desc *d = removal->desc;
    gp_result result =
        gpi_hash_batch_open(gp, handle, d->count, d->count_buffer, d->count_offset, d->count_type, batch);
    if (result == GP_OK) result = gpi_hash_check_strategy(gp, d->strategy);
    if (result != GP_OK || d->results || !gpi_hash_order_suits(batch, d->strategy)) return result;
    removal->order.desc.keys = d->keys;
    removal->order.desc.keys_offset = d->keys_offset;
    return gpi_hash_order_plan(gp, batch, &removal->order);
}

static gp_result gpi_hash_check_erase(gp_context *gp, gpi_hash_batch *batch, const gpi_hash_removal *removal)
{
    const gp_hash_erase_desc *d = removal->desc;
    if (!d->keys) return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "keys is NULL");
    gpi_hash_use(batch, "keys", d->keys, d->keys_offset, d->count, batch->table->key_size, GPI_READS);
    gpi_hash_use(batch, "results", d->results, d->results_offset, d->count, 1, GPI_WRITES);
    return gpi_hash_uses_end(batch, d->scratch, removal->order.bytes);
}

static gp_result gpi_hash_launch_erase(gpi_call *call, const gpi_hash_batch *batch, gpi_hash_removal *removal)
{
    const gp_hash_erase_desc *d = removal->desc;
    const gp_sort_desc *ordered = &removal->order.desc;
    cl_uint wants = d->results ? GPI_WANTS_RESULTS : 0;
    cl_mem scratch;
    if (removal->order.wanted) {
        gp_result result = gpi_call_scratch(call, d->scratch, removal->order.bytes, &scratch);
        if (result == GP_OK) result = gpi_hash_order_launch(call, &removal->order, scratch);
        if (result != GP_OK) return result;
        wants |= GPI_IS_CHECKED;
    }
    gpi_call_kernel(call, batch->program, "gp_hash_erase_keys");
    gpi_hash_arg_table(call, batch->table);
    if (removal->order.wanted) gpi_hash_arg_array(call, ordered->keys_out, ordered->keys_out_offset);
    else gpi_hash_arg_array(call, d->keys, d->keys_offset);
    gpi_hash_arg_array(call, d->results, d->results_offset);
    gpi_call_arg_uint(call, gpi_hash_widths(batch->table));
    GPI_CALL_ARG(call, wants);
    return gpi_hash_launch_batch(call, batch, &batch->count);
}

GP_API gp_result gp_hash_erase(gp_context *gp, gp_hash handle, const gp_hash_erase_desc *desc)
{
    gpi_hash_batch batch;
    gpi_hash_removal removal;
    gpi_call call;
    gp_result result;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    memset(&removal, 0, sizeof removal);
    removal.desc = desc;
    result = gpi_hash_plan_erase(gp, handle, &batch, &removal);
    if (result == GP_OK && desc->count > 0) result = gpi_hash_check_erase(gp, &batch, &removal);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK && desc->count > 0) result = gpi_hash_launch_erase(&call, &batch, &removal);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_hash_erase_scratch_size(gp_context *gp, gp_hash table, const gp_hash_erase_desc *desc,
                                            size_t *bytes)
{
    gpi_hash_batch batch;
    gpi_hash_removal removal;
    gp_result result;
    gpi_enter(gp, __func__);
    if (bytes) *bytes = 0;
    if (!gp || !desc || !bytes) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    memset(&removal, 0, sizeof removal);
    removal.desc = desc;
    result = gpi_hash_plan_erase(gp, table, &batch, &removal);
    if (result == GP_OK) *bytes = removal.order.bytes;
    return result;
}
