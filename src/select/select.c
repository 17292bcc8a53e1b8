/* select.c - gp_select and gp_partition: converts their descs to the form that compact.c runs. */
#include "base/type.h"
#include "program/user_text.h"
#include "element/element.h"
#include "select/select.h"

/* Sets whether a predicate, flags or indices select the elements. Fails unless exactly one of them is given. */
static gp_result gpi_select_by(gp_context *gp, gpi_compact *c, const char *predicate, cl_mem flags,
                               cl_mem indices)
{
    const int given = (predicate != NULL) + (flags != NULL) + (indices != NULL);
    c->select_by = predicate ? GPI_SELECT_BY_PREDICATE : flags ? GPI_SELECT_BY_FLAGS : GPI_SELECT_BY_INDICES;
    c->predicate = predicate;
    if (predicate) c->args.operands = "x i";
    if (given != 1) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "exactly one of predicate, flags and indices must be given, not %d", given);
    }
    return gpi_check_text(gp, "predicate", predicate);
}

/* Sets the buffer and the type of the flags, which may be any gp_type; 0 means GP_U8. */
static gp_result gpi_select_flags(gp_context *gp, gpi_compact *c, cl_mem flags, size_t offset, gp_type type,
                                  size_t count)
{
    gp_result result;
    c->flags_type = type ? type : GP_U8;
    if (c->select_by != GPI_SELECT_BY_FLAGS) {
        if (!type) return GP_OK;
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "flags_type = %d but flags is NULL", (int)type);
    }
    result = gpi_check_type(gp, "flags_type", c->flags_type);
    if (result != GP_OK) return result;
    gpi_compact_array_set(c, GPI_COMPACT_DECIDES, "flags", flags, offset, count, gpi_type_size(c->flags_type),
                          true);
    return GP_OK;
}

static gp_result gpi_select_describe(gp_context *gp, const gp_select_desc *d, gpi_compact *c)
{
    gp_type count_type = d->count_out_type;
    gp_result r;
    GPI_COMPACT_BEGIN(c, d);
    c->index_type = d->index_type;
    r = gpi_compact_type_or_record(gp, c, "", d->type, d->element_size, "record", d->record);
    if (r == GP_OK) r = gpi_select_by(gp, c, d->predicate, d->flags, d->indices);
    if (r == GP_OK) r = gpi_select_flags(gp, c, d->flags, d->flags_offset, d->flags_type, d->count);
    if (r == GP_OK) r = gpi_compact_number(gp, "index_type", &c->index_type, d->indices_out ? d->count : 0);
    if (r == GP_OK) r = gpi_compact_number(gp, "count_out_type", &count_type, d->count_out ? d->count : 0);
    if (r != GP_OK) return r;
    if (d->in_count && !d->indices) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "in_count = %zu but indices is NULL", d->in_count);
    }
    c->wide = d->count > UINT32_MAX || c->index_type == GP_U64;
    if (d->indices) {
        gpi_compact_array_set(c, GPI_COMPACT_DECIDES, "indices", d->indices, d->indices_offset, d->count,
                              gpi_type_size(c->index_type), true);
    }
    gpi_compact_array_set(c, GPI_COMPACT_IN, "in", d->in, d->in_offset, d->indices ? d->in_count : d->count,
                          c->size, d->predicate || d->out);
    if (d->indices && d->in_count == 0) c->array[GPI_COMPACT_IN].used = false;
    gpi_compact_array_set(c, GPI_COMPACT_OUT, "out", d->out, d->out_offset, d->count, c->size, false);
    gpi_compact_array_set(c, GPI_COMPACT_INDEX_OUT, "indices_out", d->indices_out, d->indices_out_offset,
                          d->count, gpi_type_size(c->index_type), false);
    gpi_compact_array_set(c, GPI_COMPACT_COUNTS, "count_out", d->count_out, d->count_out_offset, 1,
                          gpi_type_size(count_type), false);
    return gpi_compact_plan(gp, c);
}

static gp_result gpi_partition_check(gp_context *gp, const gpi_compact *c, const gp_partition_desc *d)
{
    const gp_result result = gpi_check_text(gp, "predicate2", d->predicate2);
    if (result != GP_OK) return result;
    if (d->predicate2 && !d->predicate)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "predicate2 is given but predicate is NULL");
    if (d->predicate2 ? !d->second != !d->rest : d->second != NULL) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "second %s and rest %s, with %d parts",
                        d->second ? "is given" : "is NULL", d->rest ? "is given" : "is NULL", c->parts);
    }
    if (d->reversed && (d->rest || d->predicate2)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "reversed needs two parts in out");
    }
    return GP_OK;
}

static gp_result gpi_partition_describe(gp_context *gp, const gp_partition_desc *d, gpi_compact *c)
{
    gp_type count_type = d->counts_out_type;
    gp_result r;
    GPI_COMPACT_BEGIN(c, d);
    c->parts = d->predicate2 ? 3 : 2;
    c->predicate2 = d->predicate2;
    c->where = d->rest ? GPI_WHERE_APART : d->reversed ? GPI_WHERE_REVERSED : GPI_WHERE_AFTER;
    c->index_type = GP_U32;
    r = gpi_compact_type_or_record(gp, c, "", d->type, d->element_size, "record", d->record);
    if (r == GP_OK) r = gpi_select_by(gp, c, d->predicate, d->flags, NULL);
    if (r == GP_OK) r = gpi_select_flags(gp, c, d->flags, d->flags_offset, d->flags_type, d->count);
    if (r == GP_OK) r = gpi_partition_check(gp, c, d);
    if (r == GP_OK) r = gpi_compact_number(gp, "counts_out_type", &count_type, d->counts_out ? d->count : 0);
    if (r != GP_OK) return r;
    c->wide = d->count > UINT32_MAX || count_type == GP_U64;
    gpi_compact_array_set(c, GPI_COMPACT_IN, "in", d->in, d->in_offset, d->count, c->size, true);
    gpi_compact_array_set(c, GPI_COMPACT_OUT, "out", d->out, d->out_offset, d->count, c->size, true);
    gpi_compact_array_set(c, GPI_COMPACT_SECOND, "second", d->second, d->second_offset, d->count, c->size,
                          false);
    gpi_compact_array_set(c, GPI_COMPACT_REST, "rest", d->rest, d->rest_offset, d->count, c->size, false);
    gpi_compact_array_set(c, GPI_COMPACT_COUNTS, "counts_out", d->counts_out, d->counts_out_offset,
                          (size_t)c->parts, gpi_type_size(count_type), false);
    return gpi_compact_plan(gp, c);
}

GPI_COMPACT_DEFINE(select, select, gpi_select_describe, count)
GPI_COMPACT_DEFINE(partition, partition, gpi_partition_describe, counts)
GPI_COMPACT_DEFINE_SIZE(select, gpi_select_describe)
GPI_COMPACT_DEFINE_SIZE(partition, gpi_partition_describe)
