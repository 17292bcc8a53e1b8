/* create.c - creates, shares, clears and destroys hash tables. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/use.h"
#include "hash/hash.h"

#include <string.h>

#define GPI_HASH_CAPACITY_MAX ((uint64_t)1 << 31)

/* ------------------------------------------------------------------ create */

static gp_result gpi_hash_check_sizes(gp_context *gp, const gp_hash_desc *desc)
{
    const size_t k = desc->key_size, v = desc->value_size;
    if (k != 4 && k != 8) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "key_size = %zu, must be 4 or 8", k);
    if (v != 0 && v != 4 && v != 8)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "value_size = %zu, must be 0, 4 or 8", v);
    if ((k == 8 || v == 8) && !gp->info.int64_base_atomics) {
        return gpi_fail(gp, GP_ERROR_UNSUPPORTED,
                        "key_size = %zu, value_size = %zu: 64 bits need 64-bit atomics: %s", k, v,
                        gp->info.name);
    }
    if (v == 0 && desc->reserved)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "reserved is given but the table is a set");
    return GP_OK;
}

/* Sets *mask to the capacity minus 1. The capacity is the least power of two that is at least `capacity` slots, or that holds
   `expected` keys at `max_load`. */
static gp_result gpi_hash_capacity(gp_context *gp, uint64_t capacity, uint64_t expected, double max_load,
                                   uint32_t *mask)
{
    uint64_t power = 1;
    double wanted = (double)capacity;
    if (!(max_load > 0 && max_load <= 1)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "max_load = %g, must be in (0, 1]", max_load);
    }
    if (capacity && expected) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "capacity = %llu and expected_count = %llu: give one of them",
                        (unsigned long long)capacity, (unsigned long long)expected);
    }
    if (expected) wanted = (double)expected / max_load;
    if (wanted > (double)GPI_HASH_CAPACITY_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT,
                        "capacity = %llu, expected_count = %llu: %.0f slots, more than %llu",
                        (unsigned long long)capacity, (unsigned long long)expected, wanted,
                        (unsigned long long)GPI_HASH_CAPACITY_MAX);
    }
    while ((double)power < wanted) power *= 2;
    *mask = (uint32_t)(power - 1);
    return GP_OK;
}

static uint64_t gpi_hash_load_value(const void *from, size_t size)
{
    uint32_t narrow;
    uint64_t wide;
    if (size == 8) {
        memcpy(&wide, from, sizeof wide);
        return wide;
    }
    memcpy(&narrow, from, sizeof narrow);
    return narrow;
}

/* Sets table->absent and, if the form needs one, table->reserved, the value in the slot of an absent key. If the caller has
   chosen no reserved value, derives from the seed a value that hardly ever occurs: a signalling NaN, which no arithmetic
   returns, and which is a large number as an integer. */
static void gpi_hash_reserve(const gp_hash_desc *desc, gpi_table *table)
{
    const bool wide = table->wide && !table->packed;
    const uint64_t mixed = gpi_fnv1a(GPI_FNV1A_SEED, &table->seed, sizeof table->seed);
    table->absent = table->value_size == 8 ? UINT64_MAX : UINT32_MAX;
    if (desc->reserved) table->absent = gpi_hash_load_value(desc->reserved, desc->value_size);
    table->reserved = wide ? UINT64_MAX : UINT32_MAX; /* no value equals it if values are narrower */
    if (table->packed || table->value_size != (wide ? 8 : 4)) return;
    table->loud = !desc->reserved;
    table->reserved = !table->loud ? table->absent
                      : wide       ? (uint64_t)0x7ff4 << 48 | mixed >> 16
                                   : 0x7fa00000u | mixed >> 43;
}

/* Sets the members packed, wide and limited of the table. A table is packed if one word can hold key and value, and
   the device has atomic operations on such words. */
static gp_result gpi_hash_form(gp_context *gp, gpi_table *table)
{
    const bool narrow = table->key_size == 4 && table->value_size <= 4;
    gpi_plan plan;
    const gp_result result = gpi_plan_make_hash(gp, GP_STRATEGY_AUTO, &plan);
    if (result != GP_OK) return result;
    table->packed = narrow && plan.words == GP_WORDS_WIDE;
    table->wide = !narrow || table->packed;
    table->limited = gp->info.loop_limit != 0;
    return GP_OK;
}

/* Checks the desc and sets all members of the table except its memory. */
static gp_result gpi_hash_describe(gp_context *gp, const gp_hash_desc *desc, gpi_table *table)
{
    gp_result result = gpi_hash_check_sizes(gp, desc);
    memset(table, 0, sizeof *table);
    if (result != GP_OK) return result;
    if (desc->capacity == 0 && desc->expected_count == 0) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "capacity and expected_count are 0");
    }
    table->key_size = desc->key_size;
    table->value_size = desc->value_size;
    table->max_load = desc->max_load != 0 ? (double)desc->max_load : 0.5;
    table->grow = desc->grow;
    table->seed = desc->seed;
    result = gpi_hash_capacity(gp, desc->capacity, desc->expected_count, table->max_load, &table->mask);
    if (result == GP_OK) result = gpi_hash_form(gp, table);
    if (result == GP_OK) gpi_hash_reserve(desc, table);
    return result;
}

static size_t gpi_hash_bytes(const gpi_table *table)
{
    return GPI_HEADER * sizeof(cl_uint) + gpi_hash_slots(table) * (table->wide && !table->packed ? 16 : 8);
}

/* Sets the table's memory: the caller's buffer `own`, which is retained, or else a new one. */
static gp_result gpi_hash_allocate(gp_context *gp, cl_mem own, gpi_table *table)
{
    const size_t bytes = gpi_hash_bytes(table);
    gp_result result;
    if (own) {
        result = gpi_check_buffer(gp, "buffer", own, 0, bytes, 1, GPI_BOTH, &table->range);
        if (result != GP_OK) return result;
        (void)clRetainMemObject(own);
        table->buffer = own;
        return GP_OK;
    }
    result = gpi_alloc(gp, bytes, &table->buffer);
    if (result != GP_OK) return result;
    return gpi_check_buffer(gp, "buffer", table->buffer, 0, bytes, 1, GPI_READS, &table->range);
}

GP_API gp_result gp_hash_create(gp_context *gp, const gp_hash_desc *desc, gp_hash *out)
{
    gpi_table *table;
    gpi_call call;
    gp_result result;
    gpi_enter(gp, __func__);
    if (out) out->id = 0;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc || !out) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or table is NULL");
    table = (gpi_table *)GP_MALLOC(sizeof *table);
    if (!table) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory for a table");
    result = gpi_hash_describe(gp, desc, table);
    if (result == GP_OK) result = gpi_hash_allocate(gp, desc->buffer, table);
    if (result == GP_OK) result = gpi_hash_handle_make(gp, table, out);
    if (result != GP_OK) {
        gpi_hash_free(table);
        return result;
    }
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_hash_clear_slots(&call, table, NULL);
    result = gpi_call_end(&call, result);
    if (result != GP_OK) {
        (void)gp_hash_destroy(gp, *out);
        out->id = 0;
    }
    return result;
}

GP_API gp_result gp_hash_buffer_size(gp_context *gp, const gp_hash_desc *desc, size_t *bytes)
{
    gpi_table table;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    result = gpi_hash_describe(gp, desc, &table);
    *bytes = result == GP_OK ? gpi_hash_bytes(&table) : 0;
    return result;
}

/* ------------------------------------------------------------------ share, destroy, clear */

GP_API gp_result gp_hash_share(gp_context *gp, gp_context *from, gp_hash handle, gp_hash *out)
{
    gpi_table *table;
    gp_result result;
    gpi_enter(gp, __func__);
    if (out) out->id = 0;
    if (!gp || !from || !out) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, from or out is NULL");
    result = gpi_check_use(gp);
    if (result != GP_OK) return result;
    table = gpi_hash_of(gpi_enter(from, __func__), handle);
    if (!table) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "table = %llx is not a table of from, or was destroyed",
                        (unsigned long long)handle.id);
    }
    if (gp->context != from->context)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "the contexts have different cl_contexts");
    if (table->grow)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "a table that grows by itself cannot be shared");
    if (table->wide && !gp->info.int64_base_atomics)
        return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "the table needs 64-bit atomics: %s", gp->info.name);
    return gpi_hash_handle_make(gp, table, out);
}

GP_API gp_result gp_hash_destroy(gp_context *gp, gp_hash handle)
{
    gpi_table *table = gpi_hash_of(gpi_enter(gp, __func__), handle);
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    gp->handles[(uint32_t)handle.id - 1].table = NULL;
    gpi_hash_release(table);
    return GP_OK;
}

GP_API cl_mem gp_hash_buffer(const gp_context *gp, gp_hash handle)
{
    const uint32_t place = (uint32_t)handle.id;
    if (!gp || place == 0 || place > gp->handle_count || !gp->handles[place - 1].table ||
        gp->handles[place - 1].generation != (uint32_t)(handle.id >> 32)) {
        return NULL;
    }
    return gp->handles[place - 1].table->buffer;
}

GP_API gp_result gp_hash_clear(gp_context *gp, gp_hash handle, const gp_hash_clear_desc *desc)
{
    gpi_table *table = gpi_hash_of(gpi_enter(gp, __func__), handle);
    gpi_call call;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    if (!desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "desc is NULL");
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_hash_clear_slots(&call, table, NULL);
    if (result == GP_OK) table->taken = 0;
    return gpi_call_end(&call, result);
}
