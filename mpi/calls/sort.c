/* sort.c - gp_mpi_sort: sorts each part, exchanges keys at exact splits, and sorts what each rank has received. */
#include "base/buffers.h"
#include "base/call.h"
#include "base/error.h"
#include "base/exchange.h"
#include "base/ranks.h"
#include "base/split.h"

#include <string.h>

/* Checks the arrays to which keys and values are written, as gp_sort does. `received` is the desc of the sort of
   received elements, in place. */
static gp_result gpi_mpi_sort_check(gp_mpi *all, const char *function, const gp_sort_desc *desc,
                                    const gp_sort_desc *received, size_t key_size)
{
    const size_t value_size = desc->value_size, count = value_size ? received->count : 0;
    const gpi_mpi_span keys = gpi_mpi_span_of("keys", desc->keys, desc->keys_offset, desc->count, key_size);
    const gpi_mpi_span values = gpi_mpi_span_of("values", desc->values, desc->values_offset,
                                                value_size ? desc->count : 0, value_size);
    const gpi_mpi_span keys_to = gpi_mpi_span_of(desc->keys_out ? "keys_out" : "keys", received->keys,
                                                 received->keys_offset, received->count, key_size);
    const gpi_mpi_span values_to =
        gpi_mpi_span_of(desc->values_out ? "values_out" : "values", received->values, received->values_offset,
                        count, value_size);
    gp_result result = gpi_mpi_check_written(all, function, &keys_to, true);
    if (result == GP_OK && value_size) result = gpi_mpi_check_written(all, function, &values_to, true);
    if (result == GP_OK) result = gpi_mpi_check_apart(all, function, &keys_to, &values_to, false);
    if (result == GP_OK) result = gpi_mpi_check_apart(all, function, &keys, &keys_to, true);
    if (result == GP_OK) result = gpi_mpi_check_apart(all, function, &values, &values_to, true);
    if (result == GP_OK) result = gpi_mpi_check_apart(all, function, &keys, &values_to, false);
    if (result == GP_OK) result = gpi_mpi_check_apart(all, function, &values, &keys_to, false);
    return result;
}

static gp_result gpi_mpi_sort_run(gp_mpi *all, const char *function, const gp_sort_desc *desc,
                                  gpi_mpi_split *s, cl_mem sorted_values, uint64_t first)
{
    gp_sort_desc own = *desc;
    gp_result result;
    own.keys_out = s->keys;
    own.values_out = sorted_values;
    own.keys_out_offset = own.values_out_offset = 0;
    result = gp_sort(all->gp, &own);
    if (result == GP_OK) result = gp_finish(all->gp);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_split_run(all, function, s, first);
    own = *desc;
    own.keys_out = own.values_out = NULL; /* sorts received elements in place */
    if (desc->keys_out) {
        own.keys = desc->keys_out;
        own.keys_offset = desc->keys_out_offset;
    }
    if (desc->values_out) {
        own.values = desc->values_out;
        own.values_offset = desc->values_out_offset;
    }
    own.count = s->moves.received;
    if (result == GP_OK)
        result = gpi_mpi_agree(all, function, gpi_mpi_sort_check(all, function, desc, &own, s->key_size));
    if (result == GP_OK)
        result = gpi_mpi_exchange(all, function, &s->moves, s->keys, own.keys, own.keys_offset, s->key_size);
    if (result == GP_OK && desc->value_size)
        result = gpi_mpi_exchange(all, function, &s->moves, sorted_values, own.values, own.values_offset,
                                  desc->value_size);
    if (result == GP_OK) result = gp_sort(all->gp, &own); /* stable: received keys are in rank order */
    return result == GP_OK ? gp_finish(all->gp) : result;
}

GP_MPI_API gp_result gp_mpi_sort(gp_mpi *all, const gp_sort_desc *desc, gp_mpi_part *part)
{
    static const char function[] = "gp_mpi_sort";
    gpi_mpi_terms terms = gpi_mpi_terms_of(function);
    gpi_mpi_split s;
    gp_mpi_part place;
    cl_mem values = NULL;
    gp_result result = gpi_mpi_begin(&all, function, desc, "desc");
    if (!all) return result;
    memset(&s, 0, sizeof s);
    if (result == GP_OK) {
        GPI_MPI_REFUSE_COMMON;
        GPI_MPI_REFUSE(begin_bit);
        GPI_MPI_REFUSE(end_bit);
        GPI_MPI_REFUSE(keys_tmp);
        GPI_MPI_REFUSE(values_tmp);
        gpi_mpi_term(&terms, "key_type", desc->key_type);
        gpi_mpi_term(&terms, "value_size", desc->value_size);
        gpi_mpi_term(&terms, "descending", desc->descending);
        if (result == GP_OK && gpi_mpi_size_of(desc->key_type) == 0)
            result = gpi_mpi_fail(all, GP_ERROR_INVALID_TYPE, function, "key_type is not an element type");
    }
    result = gpi_mpi_same(all, function, result, &terms);
    if (result == GP_OK) {
        s.key_type = desc->key_type;
        s.descending = desc->descending;
        s.count = desc->count;
        result = gpi_mpi_split_open(all, function, &s);
    }
    if (result == GP_OK) result = gpi_mpi_buffer(all, desc->count * s.key_size, &s.keys);
    if (result == GP_OK && desc->value_size)
        result = gpi_mpi_buffer(all, desc->count * desc->value_size, &values);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_even(all, function, desc->count, &place);
    if (result == GP_OK) result = gpi_mpi_sort_run(all, function, desc, &s, values, place.first);
    if (s.keys) (void)clReleaseMemObject(s.keys);
    if (values) (void)clReleaseMemObject(values);
    gpi_mpi_split_close(&s);
    if (result == GP_OK && part) *part = place;
    return gpi_mpi_end(all, gpi_mpi_agree(all, function, result));
}
