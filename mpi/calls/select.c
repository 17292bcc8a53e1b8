/* select.c - gp_mpi_select: selects elements of each part, and divides them evenly over the ranks. */
#include "base/buffers.h"
#include "base/call.h"
#include "base/error.h"
#include "base/exchange.h"
#include "calls/select.h"

#include <string.h>

/* Sets the moves that divide an array evenly over the ranks. At first *part is the part that this rank has now; sets
   *part to its even part. */
static gp_result gpi_mpi_divide(gp_mpi *all, const char *function, gp_mpi_part *part, gpi_mpi_moves *moves)
{
    const uint64_t ranks = (uint64_t)all->ranks, begin = part->first, end = begin + part->count;
    const uint64_t each = part->total / ranks, more = part->total % ranks;
    uint64_t r;
    for (r = 0; r < ranks; r++) {
        const uint64_t first = each * r + (r < more ? r : more), last = first + each + (r < more);
        const uint64_t from = first > begin ? first : begin, to = last < end ? last : end;
        moves->sends[r] = from < to ? (int)(to - from) : 0;
        if (r != (uint64_t)all->rank) continue;
        part->first = first;
        part->count = last - first;
    }
    return gpi_mpi_moves_tell(all, function, moves);
}

/* Sets *part to the position of this rank's `count` elements in the whole array. */
static gp_result gpi_mpi_place(gp_mpi *all, const char *function, uint64_t count, gp_mpi_part *part)
{
    gp_result result = gpi_mpi_did(all, function, "MPI_Allreduce",
                                   MPI_Allreduce(&count, &part->total, 1, MPI_UINT64_T, MPI_SUM, all->comm));
    part->first = 0;
    part->count = count;
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Exscan",
                             MPI_Exscan(&count, &part->first, 1, MPI_UINT64_T, MPI_SUM, all->comm));
    if (all->rank == 0) part->first = 0; /* MPI_Exscan leaves it undefined */
    return result;
}

/* Checks the output of the part's `received` elements, of `size` bytes each, as gp_select does. */
static gp_result gpi_mpi_select_check(gp_mpi *all, const char *function, const gp_select_desc *desc,
                                      size_t received, size_t size)
{
    const gp_type flags = desc->flags_type ? desc->flags_type : GP_U8;
    const gpi_mpi_span out = gpi_mpi_span_of("out", desc->out, desc->out_offset, received, size);
    gpi_mpi_span other = gpi_mpi_span_of("in", desc->in, desc->in_offset, desc->count, size);
    gp_result result = gpi_mpi_check_written(all, function, &out, false);
    if (result == GP_OK) result = gpi_mpi_check_apart(all, function, &other, &out, false);
    other = gpi_mpi_span_of("flags", desc->flags, desc->flags_offset, desc->count, gpi_mpi_size_of(flags));
    if (result == GP_OK) result = gpi_mpi_check_apart(all, function, &other, &out, false);
    if (result == GP_OK) result = gpi_mpi_check_args_apart(all, function, desc->args, desc->arg_count, &out);
    return result;
}

GP_MPI_API gp_result gp_mpi_select(gp_mpi *all, const gp_select_desc *desc, gp_mpi_part *part)
{
    static const char function[] = "gp_mpi_select";
    gpi_mpi_terms terms = gpi_mpi_terms_of(function);
    gpi_mpi_moves moves;
    gp_mpi_part place;
    int *memory = NULL;
    cl_mem chosen = NULL;
    size_t size = 0;
    uint64_t count = 0;
    gp_result result = gpi_mpi_begin(&all, function, desc, "desc");
    if (!all) return result;
    memset(&moves, 0, sizeof moves);
    if (result == GP_OK) {
        GPI_MPI_REFUSE_COMMON;
        GPI_MPI_REFUSE(indices_out);
        GPI_MPI_REFUSE(count_out);
        GPI_MPI_REFUSE(indices);
        size = desc->record ? desc->record->size
               : desc->type ? gpi_mpi_size_of(desc->type)
                            : desc->element_size;
        gpi_mpi_term(&terms, "type", desc->type);
        gpi_mpi_term(&terms, "type, record or element_size", size);
        gpi_mpi_term_if(&terms, "flags_type", desc->flags_type ? desc->flags_type : GP_U8,
                        desc->flags || desc->flags_type);
    }
    if (result == GP_OK && desc->count > INT32_MAX)
        result = gpi_mpi_fail(all, GP_ERROR_COUNT_LIMIT, function, "more than 2^31 - 1 elements in a part");
    result = gpi_mpi_same(all, function, result, &terms);
    if (result == GP_OK) {
        memory = (int *)GPI_MPI_MALLOC(gpi_mpi_moves_bytes(all));
        if (!memory) result = gpi_mpi_fail(all, GP_ERROR_OUT_OF_HOST_MEMORY, function, "no memory");
        else result = gpi_mpi_buffer(all, desc->count * size, &chosen);
    }
    if (result == GP_OK && (desc->count || desc->flags || desc->predicate)) {
        gp_select_desc own = *desc;
        own.out = chosen;
        own.out_offset = 0;
        result = gp_select_read(all->gp, &own, &count);
    }
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_place(all, function, count, &place);
    if (result == GP_OK) {
        gpi_mpi_moves_at(all, &moves, memory);
        result = gpi_mpi_divide(all, function, &place, &moves);
    }
    if (result == GP_OK) {
        result = gpi_mpi_select_check(all, function, desc, moves.received, size);
        result = gpi_mpi_agree(all, function, result);
    }
    if (result == GP_OK)
        result = gpi_mpi_exchange(all, function, &moves, chosen, desc->out, desc->out_offset, size);
    if (chosen) (void)clReleaseMemObject(chosen);
    GPI_MPI_FREE(memory);
    if (result == GP_OK && part) *part = place;
    return gpi_mpi_end(all, gpi_mpi_agree(all, function, result));
}
