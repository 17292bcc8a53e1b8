/* unique.c - gp_unique, gp_unique_by_key and gp_run_length_encode: converts their descs to the form that compact.c
   runs. */
#include "base/type.h"
#include "program/user_text.h"
#include "element/element.h"
#include "select/select.h"

/* Sets and checks the condition under which neighbours are equal. Records require a condition. */
static gp_result gpi_unique_equal(gp_context *gp, gpi_compact *c, const char *equal)
{
    c->equal = equal;
    c->args.operands = "x y";
    if (c->record && !equal) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "equal is NULL: it says which records are equal");
    }
    return gpi_check_text(gp, "equal", equal);
}

/* Describes gp_unique, or gp_unique_by_key if `values`. */
static gp_result gpi_unique_any_describe(gp_context *gp, const gp_unique_desc *d, bool values, gpi_compact *c)
{
    gp_type count_type = d->count_out_type;
    gp_result r;
    GPI_COMPACT_BEGIN(c, d);
    c->select_by = GPI_SELECT_BY_UNIQUE;
    c->index_type = d->index_type;
    r = gpi_compact_type_or_record(gp, c, "key_", d->key_type, d->key_size, "record", d->record);
    if (r == GP_OK) r = gpi_unique_equal(gp, c, d->equal);
    if (r == GP_OK) r = gpi_check_value_size(gp, d->value_size);
    if (r == GP_OK && values != (d->value_size != 0)) {
        r = gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                     "value_size = %zu: gp_unique takes 0, "
                     "gp_unique_by_key 1, 2, 4, 8 or 16",
                     d->value_size);
    }
    if (r == GP_OK && !values && (d->values || d->values_out)) {
        r = gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s is only used by gp_unique_by_key",
                     d->values ? "values" : "values_out");
    }
    if (r == GP_OK) r = gpi_compact_number(gp, "index_type", &c->index_type, d->indices_out ? d->count : 0);
    if (r == GP_OK) r = gpi_compact_number(gp, "count_out_type", &count_type, d->count_out ? d->count : 0);
    if (r != GP_OK) return r;
    c->value_size = d->value_size;
    c->wide = d->count > UINT32_MAX || c->index_type == GP_U64;
    gpi_compact_array_set(c, GPI_COMPACT_IN, "keys", d->keys, d->keys_offset, d->count, c->size, true);
    gpi_compact_array_set(c, GPI_COMPACT_VALUES, "values", d->values, d->values_offset, d->count,
                          d->value_size, values);
    gpi_compact_array_set(c, GPI_COMPACT_OUT, "keys_out", d->keys_out, d->keys_out_offset, d->count, c->size,
                          false);
    gpi_compact_array_set(c, GPI_COMPACT_VALUES_OUT, "values_out", d->values_out, d->values_out_offset,
                          d->count, d->value_size, values);
    if (!values) c->array[GPI_COMPACT_VALUES].used = c->array[GPI_COMPACT_VALUES_OUT].used = false;
    gpi_compact_array_set(c, GPI_COMPACT_INDEX_OUT, "indices_out", d->indices_out, d->indices_out_offset,
                          d->count, gpi_type_size(c->index_type), false);
    gpi_compact_array_set(c, GPI_COMPACT_COUNTS, "count_out", d->count_out, d->count_out_offset, 1,
                          gpi_type_size(count_type), false);
    return gpi_compact_plan(gp, c);
}

static gp_result gpi_unique_describe(gp_context *gp, const gp_unique_desc *d, gpi_compact *c)
{
    return gpi_unique_any_describe(gp, d, false, c);
}

static gp_result gpi_unique_by_key_describe(gp_context *gp, const gp_unique_desc *d, gpi_compact *c)
{
    return gpi_unique_any_describe(gp, d, true, c);
}

/* Describes gp_unique_by_key if the desc has values, else gp_unique. */
static gp_result gpi_unique_either_describe(gp_context *gp, const gp_unique_desc *d, gpi_compact *c)
{
    return gpi_unique_any_describe(gp, d, d->value_size != 0, c);
}

/* Fails if offsets_end is set without offsets_out, or with repeated_only: if runs are left out, the next offset is not
   the end of the run before it. */
static gp_result gpi_check_offsets_end(gp_context *gp, const gp_run_length_encode_desc *d)
{
    if (!d->offsets_end || (d->offsets_out && !d->repeated_only)) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "offsets_end %s",
                    d->repeated_only ? "and repeated_only: there are gaps between such runs"
                                     : "needs offsets_out, which is NULL");
}

static gp_result gpi_run_length_encode_describe(gp_context *gp, const gp_run_length_encode_desc *d,
                                                gpi_compact *c)
{
    gp_type count_type = d->count_out_type;
    gp_result r;
    GPI_COMPACT_BEGIN(c, d);
    c->select_by = GPI_SELECT_BY_RUNS;
    c->repeated_only = d->repeated_only;
    c->closed = d->offsets_end;
    c->index_type = d->index_type;
    r = gpi_compact_type_or_record(gp, c, "", d->type, d->element_size, "record", d->record);
    if (r == GP_OK) r = gpi_unique_equal(gp, c, d->equal);
    if (r == GP_OK) r = gpi_check_offsets_end(gp, d);
    if (r == GP_OK) {
        r = gpi_compact_number(gp, "index_type", &c->index_type,
                               d->lengths_out || d->offsets_out ? d->count : 0);
    }
    if (r == GP_OK) r = gpi_compact_number(gp, "count_out_type", &count_type, d->count_out ? d->count : 0);
    if (r != GP_OK) return r;
    c->wide = d->count >= UINT32_MAX || c->index_type == GP_U64;
    gpi_compact_array_set(c, GPI_COMPACT_IN, "in", d->in, d->in_offset, d->count, c->size, true);
    gpi_compact_array_set(c, GPI_COMPACT_OUT, "out", d->out, d->out_offset, d->count, c->size, false);
    gpi_compact_array_set(c, GPI_COMPACT_LENGTHS, "lengths_out", d->lengths_out, d->lengths_out_offset,
                          d->count, gpi_type_size(c->index_type), false);
    gpi_compact_array_set(c, GPI_COMPACT_INDEX_OUT, "offsets_out", d->offsets_out, d->offsets_out_offset,
                          d->count + c->closed, gpi_type_size(c->index_type), false);
    gpi_compact_array_set(c, GPI_COMPACT_COUNTS, "count_out", d->count_out, d->count_out_offset, 1,
                          gpi_type_size(count_type), false);
    return gpi_compact_plan(gp, c);
}

GPI_COMPACT_DEFINE(unique, unique, gpi_unique_describe, count)
GPI_COMPACT_DEFINE(unique_by_key, unique, gpi_unique_by_key_describe, count)
GPI_COMPACT_DEFINE(run_length_encode, run_length_encode, gpi_run_length_encode_describe, count)
GPI_COMPACT_DEFINE_SIZE(unique, gpi_unique_either_describe)
GPI_COMPACT_DEFINE_SIZE(run_length_encode, gpi_run_length_encode_describe)
