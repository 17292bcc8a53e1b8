/* rehash.c - reads a table's counts, and moves its keys to new slots, for gp_hash_rehash and for tables that grow. */
#include "base/context.h"
#include "base/error.h"
#include "hash/hash.h"

#include <string.h>

/* Reads the table's counts, and waits for them. `counts` is indexed by GPI_COUNT_... and by gp_hash_result. */
static gp_result gpi_hash_read_counts(gp_context *gp, const gpi_table *table, uint64_t counts[GPI_COUNTS])
{
    const bool unread = gp->hash_unread;
    cl_uint header[GPI_HEADER];
    const cl_uint *words = header + GPI_HEADER_COUNTS;
    cl_ulong facts[4];
    gpi_call call;
    gp_result result;
    size_t i;
    gp->hash_unread = false; /* keys refused by earlier calls must not make this call fail */
    result = gp->out_of_order ? gpi_finish(gp) : GP_OK;
    if (result == GP_OK) {
        result = gpi_call_begin(&call, gp, NULL, 0, NULL);
        if (result == GP_OK) result = gpi_call_read(&call, table->buffer, 0, sizeof header, header);
        result = gpi_call_end_within(&call, result);
    }
    gp->hash_unread = unread;
    gpi_hash_facts(table, facts);
    if (result == GP_OK && memcmp(header, facts, sizeof facts) != 0) result = gpi_hash_fail_strange(gp);
    for (i = 0; i < GPI_COUNTS && result == GP_OK; i++)
        counts[i] = (uint64_t)words[2 * i + 1] << 32 | words[2 * i];
    return result;
}

static uint64_t gpi_hash_live(const uint64_t *counts)
{
    return counts[GP_HASH_INSERTED] - counts[GP_HASH_ERASED];
}

/* Moves the live keys of `from` into `to`, whose memory is allocated. */
static gp_result gpi_hash_move(gp_context *gp, const gpi_table *from, gpi_table *to)
{
    uint64_t counts[GPI_COUNTS];
    gpi_plan plan;
    gpi_program *program;
    gpi_call call;
    gp_result result = gpi_hash_program(gp, GPI_HASH, to, "", &plan, &program);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, NULL, 0, NULL);
    if (result == GP_OK) result = gpi_hash_clear_slots(&call, to, from);
    if (result == GP_OK) {
        gpi_call_kernel(&call, program, "gp_hash_move_slots");
        gpi_hash_arg_table(&call, to);
        gpi_hash_arg_table(&call, from);
        result = gpi_hash_launch_slots(&call, from, &plan, true);
    }
    result = gpi_call_end_within(&call, result);
    if (result == GP_OK) result = gpi_hash_read_counts(gp, to, counts);
    if (result != GP_OK) return result;
    if (counts[GPI_COUNT_LOST] > 0) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%llu keys do not fit into %llu slots",
                        (unsigned long long)counts[GPI_COUNT_LOST], (unsigned long long)to->mask + 1);
    }
    to->taken = counts[GPI_COUNT_CLAIMED];
    return GP_OK;
}

/* Moves the table to mask + 1 other slots, in `own` or, if that is NULL, in new memory. On failure the table is
   unchanged. */
static gp_result gpi_hash_rehash(gp_context *gp, gpi_table *table, uint32_t mask, cl_mem own)
{
    const cl_mem before = table->buffer;
    gpi_table next = *table;
    gp_result result;
    next.mask = mask;
    next.buffer = NULL;
    result = gpi_hash_allocate(gp, own, &next);
    if (result == GP_OK) result = gpi_hash_move(gp, table, &next);
    if (result == GP_OK) (void)clReleaseMemObject(before);
    else if (next.buffer) (void)clReleaseMemObject(next.buffer);
    if (result == GP_OK) {
        next.references = table->references;
        *table = next;
    }
    return result;
}

/* Makes room for `count` more keys in a table with `grow`. If the upper bound of occupied slots plus `count` exceeds
   max_load, reads the number of occupied slots from the device. If this number plus `count` also exceeds max_load,
   rehashes the table. */
static gp_result gpi_hash_make_room(gp_context *gp, gpi_table *table, size_t count)
{
    uint64_t counts[GPI_COUNTS];
    const double most = table->max_load * ((double)table->mask + 1);
    uint32_t mask;
    gp_result result;
    if (!table->grow) return GP_OK;
    if ((double)table->taken + (double)count <= most) {
        table->taken += count;
        return GP_OK;
    }
    result = gpi_hash_read_counts(gp, table, counts);
    if (result != GP_OK) return result;
    table->taken = counts[GPI_COUNT_CLAIMED];
    if ((double)table->taken + (double)count > most) {
        const uint64_t wanted = gpi_hash_live(counts) + count;
        result = gpi_hash_capacity(gp, 0, wanted, table->max_load, &mask);
        if (result == GP_OK)
            result = gpi_hash_rehash(gp, table, mask > table->mask ? mask : table->mask, NULL);
    }
    if (result == GP_OK) table->taken += count;
    return result;
}

GP_API gp_result gp_hash_rehash(gp_context *gp, gp_hash handle, const gp_hash_rehash_desc *desc)
{
    gpi_table *table = gpi_hash_of(gpi_enter(gp, __func__), handle);
    uint64_t counts[GPI_COUNTS];
    uint32_t mask;
    gp_result result = GP_OK;
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    if (!desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "desc is NULL");
    mask = table->mask;
    if (desc->capacity || desc->expected_count)
        result = gpi_hash_capacity(gp, desc->capacity, desc->expected_count, table->max_load, &mask);
    if (result == GP_OK) result = gpi_hash_read_counts(gp, table, counts);
    if (result != GP_OK) return result;
    if (gpi_hash_live(counts) > (uint64_t)mask + 1 + gpi_hash_side_slots(table)) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "capacity = %llu, too few for %llu live keys",
                        (unsigned long long)mask + 1, (unsigned long long)gpi_hash_live(counts));
    }
    return gpi_hash_rehash(gp, table, mask, desc->buffer);
}

static gp_result gpi_hash_count_all(gp_context *gp, gp_hash handle, gp_hash_counts *out)
{
    const gpi_table *table = gpi_hash_of(gp, handle);
    uint64_t counts[GPI_COUNTS];
    gp_result result;
    memset(out, 0, sizeof *out);
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    result = gpi_hash_read_counts(gp, table, counts);
    if (result != GP_OK) return result;
    out->capacity = (uint64_t)table->mask + 1;
    out->live = gpi_hash_live(counts);
    out->inserted = counts[GP_HASH_INSERTED];
    out->existed = counts[GP_HASH_EXISTED];
    out->failed = counts[GP_HASH_FAILED];
    out->refused = counts[GP_HASH_REFUSED];
    out->superseded = counts[GP_HASH_SUPERSEDED];
    out->erased = counts[GP_HASH_ERASED];
    /* A live key in a side slot claims no slot, so each such key makes the difference one too small. */
    out->dead = counts[GPI_COUNT_CLAIMED] > out->live ? counts[GPI_COUNT_CLAIMED] - out->live : 0;
    return gpi_hash_result(gp);
}

GP_API gp_result gp_hash_counts_read(gp_context *gp, gp_hash table, gp_hash_counts *out)
{
    gpi_enter(gp, __func__);
    if (!out) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "out is NULL");
    return gpi_hash_count_all(gp, table, out);
}

GP_API gp_result gp_hash_size_read(gp_context *gp, gp_hash table, size_t *live)
{
    gp_hash_counts counts;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!live) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "live is NULL");
    result = gpi_hash_count_all(gp, table, &counts);
    *live = (size_t)counts.live; /* 0 on failure */
    return result;
}
