/* batch.c - the parts that all batches of keys share: checks of buffers, arguments, partitioning. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "hash/hash.h"

#include <string.h>

enum {
    GPI_HASH_ITEM_MAX = 15,       /* most keys of an item in the local shape */
    GPI_HASH_COMBINE_MAX = 32768, /* most keys that a group combines; counts have 16 bits */
    GPI_HASH_GROUPS_EACH = 8      /* groups that a multiprocessor runs at a time */
};

/* The smallest table and batch for which it pays to partition the batch first. Measured on PoCL. */
#define GPI_HASH_PARTITION_BYTES ((size_t)16 << 20)
#define GPI_HASH_PARTITION_KEYS ((size_t)1 << 16)

/* ------------------------------------------------------------------ checks */

/* Adds a buffer to the batch's uses, and checks it. Does nothing if the buffer is NULL. */
static void gpi_hash_use(gpi_hash_batch *batch, const char *name, cl_mem buffer, size_t offset, size_t count,
                         size_t size, int access)
{
    if (buffer) gpi_use_buffer(&batch->uses, name, buffer, offset, count, size, access);
}

/* Fails if a buffer that the batch writes overlaps another one, or if any buffer overlaps the table or the caller's scratch. */
static gp_result gpi_hash_uses_end(gpi_hash_batch *batch, cl_mem scratch, size_t bytes)
{
    gpi_uses *uses = &batch->uses;
    gpi_range counter; /* not used, because batch->uses has the count buffer already */
    if (uses->result == GP_OK)
        uses->result = gpi_check_count(uses->gp, "count_buffer", &batch->count, &counter);
    return gpi_uses_end(uses, NULL, scratch, bytes);
}

/* Sets the batch's table, plan, program and count, and adds the table's memory and the count to batch->uses. */
static gp_result gpi_hash_batch_open(gp_context *gp, gp_hash handle, size_t count, cl_mem count_buffer,
                                     size_t count_offset, gp_type count_type, gpi_hash_batch *batch)
{
    gp_result result;
    memset(batch, 0, sizeof *batch);
    batch->table = gpi_hash_of(gp, handle);
    if (!batch->table) return GP_ERROR_INVALID_ARGUMENT;
    batch->count.bound = count;
    batch->count.buffer = count_buffer;
    batch->count.offset = count_offset;
    batch->count.type = count_type;
    result = gpi_hash_program(gp, GPI_HASH, batch->table, "", &batch->plan, &batch->program);
    gpi_uses_begin(&batch->uses, gp, result);
    gpi_hash_use(batch, "the table", batch->table->buffer, 0, gpi_hash_bytes(batch->table), 1, GPI_READS);
    batch->uses.use[0].access = GPI_BOTH; /* gpi_check_buffer refuses writes to tables */
    if (count_buffer) gpi_use_count(&batch->uses, "count_buffer", &batch->count);
    return batch->uses.result;
}

/* ------------------------------------------------------------------ arguments, launch */

static cl_uint gpi_hash_widths(const gpi_table *table)
{
    return (table->key_size == 8 ? GPI_WIDE_KEYS : 0) | (table->value_size == 8 ? GPI_WIDE_VALUES : 0);
}

/* Passes an array and its offset. If the array is NULL, passes the context's counters as a placeholder. */
static void gpi_hash_arg_array(gpi_call *call, cl_mem buffer, size_t offset)
{
    gpi_call_arg_array(call, buffer ? buffer : call->gp->counters, buffer ? offset : 0);
}

/* Returns the number of keys of a group. In the serial shape the groups of a small batch have fewer keys, so that all cores
   have work. In the local shape an item has no more keys than its counters can count (hash/batch.cl), and only one if loops
   are limited, because each key may take a long probe. */
static size_t gpi_hash_span(const gp_context *gp, const gpi_plan *plan, size_t count)
{
    const size_t cores = gp->info.compute_units ? gp->info.compute_units : 1, least = 1024;
    const size_t share = count / (4 * cores), most = plan->per_item;
    if (plan->shape == GP_SHAPE_LOCAL) {
        const size_t each =
            plan->per_item < (size_t)GPI_HASH_ITEM_MAX ? plan->per_item : (size_t)GPI_HASH_ITEM_MAX;
        return plan->group * (gp->info.loop_limit ? 1 : each);
    }
    if (gp->desc.tuning.tile || share >= most) return most;
    return share > least ? share : least;
}

/* Passes the last arguments of a batch's kernel, and launches groups of `span` keys. */
static gp_result gpi_hash_launch_spans(gpi_call *call, const gpi_hash_batch *batch, const gpi_count *count,
                                       size_t span)
{
    gpi_call_arg_ulong(call, span);
    gpi_call_arg_count(call, count);
    gpi_hash_arg_counters(call);
    return gpi_call_launch(call, &batch->plan, gpi_ceil_div(count->bound, span));
}

static gp_result gpi_hash_launch_batch(gpi_call *call, const gpi_hash_batch *batch, const gpi_count *count)
{
    return gpi_hash_launch_spans(call, batch, count, gpi_hash_span(call->gp, &batch->plan, count->bound));
}

/* Launches a batch whose groups combine equal keys. Each group adds its sums to the table once. So in the local shape there
   are only as many groups as the device runs at a time, unless tuning or a limit requires more. */
static gp_result gpi_hash_launch_combining(gpi_call *call, const gpi_hash_batch *batch,
                                           const gpi_count *count)
{
    const gp_context *gp = call->gp;
    const gpi_plan *plan = &batch->plan;
    const size_t cores = gp->info.compute_units ? gp->info.compute_units : 1;
    const size_t least = gpi_hash_span(gp, plan, count->bound);
    size_t span = gpi_ceil_div(count->bound, cores * GPI_HASH_GROUPS_EACH);
    if (plan->shape != GP_SHAPE_LOCAL || gp->info.loop_limit || gp->desc.tuning.tile || span < least)
        span = least;
    else if (span > GPI_HASH_COMBINE_MAX) span = GPI_HASH_COMBINE_MAX;
    return gpi_hash_launch_spans(call, batch, count, gpi_round_up(span, plan->group));
}

/* ------------------------------------------------------------------ partitioned batches */

static gp_result gpi_hash_check_strategy(gp_context *gp, gp_strategy strategy)
{
    if ((unsigned)strategy < GP_STRATEGY_COUNT) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "strategy = %d is not a gp_strategy", (int)strategy);
}

/* Returns true if the batch is to be partitioned, because partitioning pays or because the caller's strategy asks for
   it. */
static bool gpi_hash_order_suits(const gpi_hash_batch *batch, gp_strategy strategy)
{
    const size_t count = batch->count.bound;
    const bool large =
        gpi_hash_bytes(batch->table) >= GPI_HASH_PARTITION_BYTES && count >= GPI_HASH_PARTITION_KEYS;
    return (strategy ? strategy : batch->plan.strategy) == GP_STRATEGY_MULTI_PASS && (large || strategy) &&
           batch->table->mask >= GPI_SORT_BINS && count > 0;
}

/* Plans the sort pass that partitions the batch. order->desc already has the caller's keys, and the values if these
   are moved with the keys. */
static gp_result gpi_hash_order_plan(gp_context *gp, const gpi_hash_batch *batch, gpi_hash_order *order)
{
    const gpi_table *table = batch->table;
    gp_sort_desc *d = &order->desc;
    gp_result result;
    uint32_t bits = 0;
    while (table->mask >> bits) bits++;
    d->keys_out = table->buffer; /* a placeholder: any buffer other than the keys */
    if (d->value_size) d->values_out = table->buffer;
    d->count = batch->count.bound;
    d->count_buffer = batch->count.buffer;
    d->count_offset = batch->count.offset;
    d->count_type = batch->count.type;
    d->key_type = table->key_size == 8 ? GP_U64 : GP_U32;
    d->end_bit = bits;
    d->begin_bit = bits > GPI_SORT_DIGIT_BITS ? bits - GPI_SORT_DIGIT_BITS : 0;
    d->strategy = GP_STRATEGY_MULTI_PASS;
    gpi_sort_init(&order->sort, d, GPI_INDICES_NONE);
    order->wanted = true;
    order->sort.hash = table->wide && !table->packed ? 64 : 32;
    order->sort.seed = order->sort.hash == 64 ? table->seed : (uint32_t)(table->seed ^ table->seed >> 32);
    result = gpi_sort_plan(gp, &order->sort);
    order->keys_at = order->sort.at.end;
    order->values_at = gpi_round_up(order->keys_at + d->count * table->key_size, GPI_SORT_ALIGNMENT);
    order->bytes = order->values_at + d->count * d->value_size;
    return result;
}

/* Enqueues the pass that partitions the batch into the scratch. */
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
