/* stats.c - gp_hash_stats_read: measures how far keys are from their home slots. */
#include "base/error.h"
#include "hash/hash.h"

#include <string.h>

enum { GPI_STATS_WORDS = GPI_STATS_BINS + 2 * GPI_LENGTH_BINS };

static uint64_t gpi_hash_wide(const cl_uint *words, size_t at)
{
    return (uint64_t)words[at + 1] << 32 | words[at];
}

static gp_result gpi_hash_measure(gpi_call *call, const gpi_table *table, cl_uint words[GPI_STATS_WORDS])
{
    const size_t bytes = GPI_STATS_WORDS * sizeof *words;
    gpi_plan plan;
    gpi_program *program;
    cl_mem stats = NULL;
    gp_result result = gpi_hash_program(call->gp, GPI_HASH, table, "", &plan, &program);
    if (result == GP_OK) result = gpi_call_scratch(call, NULL, bytes, &stats);
    if (result == GP_OK) result = gpi_call_fill(call, stats, 0, bytes);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, program, "gp_hash_measure_slots");
    gpi_hash_arg_table(call, table);
    GPI_CALL_ARG(call, stats);
    result = gpi_hash_launch_slots(call, table, &plan, true);
    return result == GP_OK ? gpi_call_read(call, stats, 0, bytes, words) : result;
}

GP_API gp_result gp_hash_stats_read(gp_context *gp, gp_hash handle, gp_hash_stats *out)
{
    gpi_table *table = gpi_hash_of(gpi_enter(gp, __func__), handle);
    cl_uint words[GPI_STATS_WORDS];
    uint64_t counts[GPI_COUNTS];
    gpi_call call;
    gp_result result;
    size_t b;
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    if (!out) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "out is NULL");
    result = gpi_hash_read_counts(gp, table, counts); /* fails if the buffer holds no table */
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, NULL, 0, NULL);
    if (result == GP_OK) result = gpi_hash_measure(&call, table, words);
    result = gpi_call_end_within(&call, result);
    if (result != GP_OK) return result;
    memset(out, 0, sizeof *out);
    out->capacity = (uint64_t)table->mask + 1;
    out->live = gpi_hash_wide(words, GPI_STATS_LIVE);
    out->dead = gpi_hash_wide(words, GPI_STATS_DEAD);
    out->load = (double)(out->live + out->dead) / (double)out->capacity;
    out->max_depth = words[GPI_STATS_MAX];
    if (out->live > 0) out->mean_depth = (double)gpi_hash_wide(words, GPI_STATS_DEPTHS) / (double)out->live;
    for (b = 0; b < GP_HASH_BINS; b++) out->depths[b] = gpi_hash_wide(words, GPI_STATS_BINS + 2 * b);
    return GP_OK;
}
