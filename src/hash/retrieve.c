/* retrieve.c - gp_hash_retrieve: writes all live keys of a table. */
#include "base/error.h"
#include "base/type.h"
#include "hash/hash.h"

#include <string.h>

/* Returns the desc of the sort after a retrieval with sort_type. The sort is in place, and sorts the retrieved keys. */
static gp_sort_desc gpi_hash_sort_desc(const gpi_table *table, const gp_hash_retrieve_desc *desc)
{
    gp_sort_desc sort;
    memset(&sort, 0, sizeof sort);
    sort.keys = desc->keys;
    sort.keys_offset = desc->keys_offset;
    sort.values = desc->values;
    sort.values_offset = desc->values_offset;
    sort.count = desc->room;
    sort.count_buffer = desc->live_count;
    sort.count_offset = desc->live_count_offset;
    sort.count_type = GP_U32;
    sort.key_type = desc->sort_type;
    sort.value_size = desc->values ? table->value_size : 0;
    sort.descending = desc->descending;
    sort.scratch = desc->scratch;
    return sort;
}

static gp_result gpi_hash_check_retrieve(gp_context *gp, gpi_hash_batch *batch,
                                         const gp_hash_retrieve_desc *d)
{
    const size_t k = batch->table->key_size, v = batch->table->value_size;
    if (d->sort_type && gpi_type_size(d->sort_type) != k) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE,
                        "sort_type = %d, must have the size of the table's keys, %zu bytes",
                        (int)d->sort_type, k);
    }
    if (v == 0 && d->values) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "values is given but the table is a set");
    }
    if (d->descending && !d->sort_type) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "descending is set but sort_type is 0");
    }
    if (!d->live_count) return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "live_count is NULL");
    if (!d->keys && d->room > 0) return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "keys is NULL");
    gpi_hash_use(batch, "keys", d->keys, d->keys_offset, d->room, k, GPI_WRITES);
    gpi_hash_use(batch, "values", d->values, d->values_offset, d->room, v, GPI_WRITES);
    gpi_hash_use(batch, "live_count", d->live_count, d->live_count_offset, 1, 4, GPI_WRITES);
    return gpi_hash_uses_end(batch, NULL, 0);
}

/* Plans the sort after a retrieve, if any, and checks its scratch, which must not overlap the batch's buffers. */
static gp_result gpi_hash_plan_retrieve(gp_context *gp, gpi_hash_batch *batch, const gp_sort_desc *sort_desc,
                                        gpi_sort *sort)
{
    gp_result result;
    gpi_sort_init(sort, sort_desc, GPI_INDICES_NONE);
    if (!sort_desc->key_type) return GP_OK;
    result = gpi_sort_plan(gp, sort);
    if (result != GP_OK) return result;
    return gpi_uses_scratch(&batch->uses, sort_desc->scratch, sort->at.end);
}

static gp_result gpi_hash_collect(gpi_call *call, const gpi_hash_batch *batch, const gp_hash_retrieve_desc *d)
{
    const gp_result result = gpi_call_fill(call, d->live_count, 4 * d->live_count_offset, 4);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, batch->program, "gp_hash_collect_slots");
    gpi_hash_arg_table(call, batch->table);
    gpi_hash_arg_array(call, d->keys, d->keys_offset);
    gpi_hash_arg_array(call, d->values, d->values_offset);
    gpi_hash_arg_array(call, d->live_count, d->live_count_offset);
    gpi_call_arg_ulong(call, d->room);
    gpi_call_arg_uint(call, gpi_hash_widths(batch->table));
    gpi_call_arg_uint(call, d->values ? GPI_WANTS_VALUES : 0);
    return gpi_hash_launch_slots(call, batch->table, &batch->plan, true);
}

GP_API gp_result gp_hash_retrieve(gp_context *gp, gp_hash table, const gp_hash_retrieve_desc *desc)
{
    gpi_hash_batch batch;
    gp_sort_desc sort_desc;
    gpi_sort sort;
    gpi_call call;
    gp_result result;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    result = gpi_hash_batch_open(gp, table, 0, NULL, 0, GP_TYPE_NONE, &batch);
    if (result == GP_OK) result = gpi_hash_check_retrieve(gp, &batch, desc);
    if (result != GP_OK) return result;
    sort_desc = gpi_hash_sort_desc(batch.table, desc);
    result = gpi_hash_plan_retrieve(gp, &batch, &sort_desc, &sort);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_hash_collect(&call, &batch, desc);
    if (result == GP_OK && desc->sort_type) result = gpi_sort_launch(&call, &sort);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_hash_retrieve_scratch_size(gp_context *gp, gp_hash table,
                                               const gp_hash_retrieve_desc *desc, size_t *bytes)
{
    gpi_hash_batch batch;
    gp_sort_desc sort_desc;
    gpi_sort sort;
    gp_result result;
    gpi_enter(gp, __func__);
    if (bytes) *bytes = 0;
    if (!gp || !desc || !bytes) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    result = gpi_hash_batch_open(gp, table, 0, NULL, 0, GP_TYPE_NONE, &batch);
    if (result != GP_OK) return result;
    sort_desc = gpi_hash_sort_desc(batch.table, desc);
    sort_desc.scratch = NULL;
    result = gpi_hash_plan_retrieve(gp, &batch, &sort_desc, &sort);
    if (result == GP_OK) *bytes = sort.at.end;
    return result;
}
