/* device_text.c - writes the source with which the caller's kernels access a hash table. */
#include "base/error.h"
#include "base/memory.h"
#include "hash/hash.h"

/* Adds, for gp_device_source, the source with which the caller's kernels handle one key at a time. */
static gp_result gpi_hash_device_text(gp_context *gp, gp_hash handle, gpi_text *text)
{
    const gpi_table *table = gpi_hash_of(gp, handle);
    gpi_plan plan;
    gpi_hash_of_program of;
    gp_result result;
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    result = gpi_plan_make_hash(gp, GP_STRATEGY_AUTO, &plan);
    if (result != GP_OK) return result;
    plan.group = 1;
    of.table = table;
    of.more =
        table->value_size == 8 ? "#define GPI_VALUE_WIDTH GPI_WIDE_VALUE\n" : "#define GPI_VALUE_WIDTH 0\n";
    gpi_hash_prelude(gp, &plan, &of, text);
    gpi_text_add_kernels(text, "hash/device.cl");
    return GP_OK;
}
