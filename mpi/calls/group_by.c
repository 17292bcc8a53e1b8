/* group_by.c - gp_mpi_group_by: groups elements of all ranks by key, and reduces each group. */
#include "base/buffers.h"
#include "base/call.h"
#include "base/error.h"
#include "base/exchange.h"
#include "base/ranks.h"
#include "base/split.h"
#include "calls/group_by.h"
#include "calls/reduce.h"
#include "calls/select.h"

#include <string.h>

/* Temporary keys and values in three stages: sorted, grouped, received. */
typedef struct gpi_mpi_groups {
    cl_mem keys[3], values[3];
    size_t in_size, out_size;
    gp_type out_type; /* unused with a monoid */
} gpi_mpi_groups;

/* Returns true if gp_sort can move values of `size` bytes. */
static bool gpi_mpi_moves_alone(size_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

static gp_result gpi_mpi_group_check(gp_mpi *all, const char *function, const gp_reduce_by_key_desc *desc,
                                     gpi_mpi_groups *g)
{
    const gp_type key = desc->key_type;
    gp_result result = GP_OK;
    GPI_MPI_REFUSE_COMMON;
    GPI_MPI_REFUSE(count_out);
    GPI_MPI_REFUSE(key_size);
    GPI_MPI_REFUSE(key_record);
    GPI_MPI_REFUSE(equal);
    GPI_MPI_REFUSE(op == GP_ARGMIN);
    GPI_MPI_REFUSE(op == GP_ARGMAX);
    if (result != GP_OK) return result;
    if (gpi_mpi_size_of(key) == 0 || key == GP_F16 || key == GP_F32 || key == GP_F64)
        return gpi_mpi_fail(all, GP_ERROR_INVALID_TYPE, function, "key_type is not an integer type");
    g->out_type = desc->out_type ? desc->out_type : gpi_mpi_sum_type(desc->op, desc->type);
    g->out_size = desc->monoid ? desc->monoid->size : gpi_mpi_size_of(g->out_type);
    g->in_size = desc->monoid && !desc->map ? desc->monoid->size
                 : desc->record             ? desc->record->size
                                            : gpi_mpi_size_of(desc->type);
    if (gpi_mpi_moves_alone(g->in_size) && gpi_mpi_moves_alone(g->out_size)) return GP_OK;
    return gpi_mpi_fail(all, GP_ERROR_INVALID_TYPE, function,
                        "elements of `in` and results do not both have 1, 2, 4, 8 or 16 bytes");
}

/* Creates the buffers of a stage for `count` keys with values of `size` bytes. */
static gp_result gpi_mpi_group_room(gp_mpi *all, const gp_reduce_by_key_desc *desc, gpi_mpi_groups *g,
                                    int stage, size_t count, size_t size)
{
    const gp_result result = gpi_mpi_buffer(all, count * gpi_mpi_size_of(desc->key_type), &g->keys[stage]);
    return result == GP_OK ? gpi_mpi_buffer(all, count * size, &g->values[stage]) : result;
}

static void gpi_mpi_group_free(gpi_mpi_groups *g, int stage)
{
    if (g->keys[stage]) (void)clReleaseMemObject(g->keys[stage]);
    if (g->values[stage]) (void)clReleaseMemObject(g->values[stage]);
    g->keys[stage] = g->values[stage] = NULL;
}

/* Sorts this rank's elements into the first stage, and reduces them by key into the second stage. */
static gp_result gpi_mpi_group_own(gp_mpi *all, const gp_reduce_by_key_desc *desc, gpi_mpi_groups *g,
                                   uint64_t *count)
{
    gp_reduce_by_key_desc own = *desc;
    gp_sort_desc sort;
    gp_result result = gpi_mpi_group_room(all, desc, g, 0, desc->count, g->in_size);
    if (result == GP_OK) result = gpi_mpi_group_room(all, desc, g, 1, desc->count, g->out_size);
    if (result != GP_OK) return result;
    memset(&sort, 0, sizeof sort);
    sort.keys = desc->keys;
    sort.keys_offset = desc->keys_offset;
    sort.keys_out = g->keys[0];
    sort.values = desc->in;
    sort.values_offset = desc->in_offset;
    sort.values_out = g->values[0];
    sort.count = desc->count;
    sort.key_type = desc->key_type;
    sort.value_size = g->in_size;
    result = gp_sort(all->gp, &sort);
    if (result == GP_OK) result = gp_finish(all->gp);
    if (result != GP_OK) return result;
    own.keys = g->keys[0];
    own.in = g->values[0];
    own.keys_out = g->keys[1];
    own.out = g->values[1];
    own.keys_offset = own.in_offset = own.keys_out_offset = own.out_offset = 0;
    own.initial = NULL;
    result = gp_reduce_by_key_read(all->gp, &own, count);
    gpi_mpi_group_free(g, 0);
    return result;
}

/* Checks that results do not overlap inputs. gp_reduce_by_key cannot check this here, because it sees only copies. */
static gp_result gpi_mpi_group_apart(gp_mpi *all, const char *function, const gp_reduce_by_key_desc *desc,
                                     const gpi_mpi_groups *g, size_t received)
{
    const size_t key_size = gpi_mpi_size_of(desc->key_type);
    const gpi_mpi_span read[] = {
        gpi_mpi_span_of("keys", desc->keys, desc->keys_offset, desc->count, key_size),
        gpi_mpi_span_of("in", desc->in, desc->in_offset, desc->count, g->in_size)};
    const gpi_mpi_span written[] = {
        gpi_mpi_span_of("keys_out", desc->keys_out, desc->keys_out_offset, received, key_size),
        gpi_mpi_span_of("out", desc->out, desc->out_offset, received, g->out_size)};
    gp_result result = GP_OK;
    int i, k;
    for (k = 0; k < 2 && result == GP_OK; k++) {
        for (i = 0; i < 2 && result == GP_OK; i++)
            result = gpi_mpi_check_apart(all, function, &read[i], &written[k], false);
        if (result == GP_OK)
            result = gpi_mpi_check_args_apart(all, function, desc->args, desc->arg_count, &written[k]);
    }
    return result;
}

/* Sorts the received groups of the third stage and reduces them by key, into the caller's buffers. */
static gp_result gpi_mpi_group_received(gp_mpi *all, const gp_reduce_by_key_desc *desc,
                                        const gpi_mpi_groups *g, size_t received, uint64_t *count)
{
    gp_reduce_by_key_desc own = *desc;
    gp_sort_desc sort;
    gp_result result;
    memset(&sort, 0, sizeof sort);
    sort.keys = g->keys[2];
    sort.values = g->values[2];
    sort.count = received;
    sort.key_type = desc->key_type;
    sort.value_size = g->out_size;
    result = gp_sort(all->gp, &sort);
    if (result == GP_OK) result = gp_finish(all->gp);
    if (result != GP_OK) return result;
    own.keys = g->keys[2];
    own.in = g->values[2];
    own.keys_offset = own.in_offset = 0;
    own.count = received;
    own.type = own.out_type = desc->monoid ? (gp_type)0 : g->out_type;
    own.record = NULL;
    own.map = NULL;
    if (!desc->monoid || !desc->monoid->takes_args) {
        own.args = NULL;
        own.arg_count = 0;
    }
    return gp_reduce_by_key_read(all->gp, &own, count);
}

static gp_result gpi_mpi_group_run(gp_mpi *all, const char *function, const gp_reduce_by_key_desc *desc,
                                   gpi_mpi_groups *g, gpi_mpi_split *s, gp_mpi_part *place)
{
    uint64_t count = 0;
    gp_result result = gpi_mpi_group_own(all, desc, g, &count);
    s->key_type = desc->key_type;
    s->whole = true;
    s->keys = g->keys[1];
    s->count = (size_t)count;
    if (result == GP_OK) result = gpi_mpi_split_open(all, function, s);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_even(all, function, (size_t)count, place);
    if (result == GP_OK) result = gpi_mpi_split_run(all, function, s, place->first);
    if (result != GP_OK) return result;
    result = gpi_mpi_group_room(all, desc, g, 2, s->moves.received, g->out_size);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK)
        result = gpi_mpi_exchange(all, function, &s->moves, g->keys[1], g->keys[2], 0, s->key_size);
    if (result == GP_OK)
        result = gpi_mpi_exchange(all, function, &s->moves, g->values[1], g->values[2], 0, g->out_size);
    if (result == GP_OK) result = gpi_mpi_group_apart(all, function, desc, g, s->moves.received);
    if (result == GP_OK) result = gpi_mpi_group_received(all, desc, g, s->moves.received, &count);
    result = gpi_mpi_agree(all, function, result);
    return result == GP_OK ? gpi_mpi_place(all, function, count, place) : result;
}

GP_MPI_API gp_result gp_mpi_group_by(gp_mpi *all, const gp_reduce_by_key_desc *desc, gp_mpi_part *part)
{
    static const char function[] = "gp_mpi_group_by";
    gpi_mpi_terms terms = gpi_mpi_terms_of(function);
    gpi_mpi_groups groups;
    gpi_mpi_split s;
    gp_mpi_part place;
    gp_result result = gpi_mpi_begin(&all, function, desc, "desc");
    int i;
    if (!all) return result;
    memset(&groups, 0, sizeof groups);
    memset(&s, 0, sizeof s);
    if (result == GP_OK) result = gpi_mpi_group_check(all, function, desc, &groups);
    if (result == GP_OK) {
        gpi_mpi_term(&terms, "key_type", desc->key_type);
        gpi_mpi_term(&terms, "type", desc->type);
        gpi_mpi_term(&terms, "out_type", groups.out_type);
        gpi_mpi_term(&terms, "monoid", groups.out_size);
        gpi_mpi_term(&terms, "op", desc->op);
    }
    result = gpi_mpi_same(all, function, result, &terms);
    if (result == GP_OK) result = gpi_mpi_group_run(all, function, desc, &groups, &s, &place);
    for (i = 0; i < 3; i++) gpi_mpi_group_free(&groups, i);
    gpi_mpi_split_close(&s);
    if (result == GP_OK && part) *part = place;
    return gpi_mpi_end(all, gpi_mpi_agree(all, function, result));
}
