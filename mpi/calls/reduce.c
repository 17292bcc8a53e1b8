/* reduce.c - gp_mpi_reduce: reduces each part, then the results of all ranks. */
#include "base/buffers.h"
#include "base/call.h"
#include "base/error.h"
#include "base/ranks.h"
#include "calls/reduce.h"

#include <string.h>

/* Returns the type that gp_reduce uses if out_type is 0. */
static gp_type gpi_mpi_sum_type(gp_op op, gp_type type)
{
    const bool sums = op == GP_SUM || op == GP_PROD;
    if (!sums || type == GP_F32 || type == GP_F64) return type;
    if (type == GP_F16) return GP_F32;
    return type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64 ? GP_I64 : GP_U64;
}

GP_MPI_API gp_result gp_mpi_reduce(gp_mpi *all, const gp_reduce_desc *desc, void *result_out)
{
    static const char function[] = "gp_mpi_reduce";
    gpi_mpi_terms terms = gpi_mpi_terms_of(function);
    unsigned char own[64];
    gp_reduce_desc part, parts;
    gp_type type = (gp_type)0;
    size_t size = 0;
    cl_mem gathered = NULL;
    gp_result result = gpi_mpi_begin(&all, function, desc, "desc");
    if (!all) return result;
    memset(&parts, 0, sizeof parts);
    if (result == GP_OK && !result_out)
        result = gpi_mpi_fail(all, GP_ERROR_INVALID_ARGUMENT, function, "result is NULL");
    if (result == GP_OK) {
        GPI_MPI_REFUSE_COMMON;
        GPI_MPI_REFUSE(op_count);
        GPI_MPI_REFUSE(out);
        GPI_MPI_REFUSE(op == GP_ARGMIN);
        GPI_MPI_REFUSE(op == GP_ARGMAX);
        type = desc->out_type ? desc->out_type : gpi_mpi_sum_type(desc->op, desc->type);
        size = desc->monoid ? desc->monoid->size : gpi_mpi_size_of(type);
        gpi_mpi_term(&terms, "type", desc->type);
        gpi_mpi_term(&terms, "type2", desc->type2 ? desc->type2 : desc->type);
        gpi_mpi_term(&terms, "out_type", type);
        gpi_mpi_term(&terms, "monoid", size);
        gpi_mpi_term(&terms, "op", desc->op);
        gpi_mpi_term(&terms, "compensated", desc->compensated);
        terms.second = desc->in2 || desc->type2;
    }
    result = gpi_mpi_same(all, function, result, &terms);
    if (result == GP_OK) {
        part = *desc;
        part.initial = NULL;
        if (terms.second && !part.type2) part.type2 = part.type; /* so that y has a type even if count is 0 */
        if (size > sizeof own) size = 0;                         /* gp_reduce reports why */
        result = gp_reduce_read(all->gp, &part, own);
    }
    result = gpi_mpi_agree(all, function, result);
    if (result != GP_OK) return gpi_mpi_end(all, result);
    result = gpi_mpi_gather(all, function, own, size, &gathered);
    if (result == GP_OK) {
        parts.in = gathered;
        parts.count = (size_t)all->ranks;
        if (!desc->monoid) parts.type = parts.out_type = type;
        parts.op = desc->op;
        parts.monoid = desc->monoid;
        if (desc->monoid && desc->monoid->takes_args) {
            parts.args = desc->args;
            parts.arg_count = desc->arg_count;
        }
        parts.initial = desc->initial;
        parts.compensated = desc->compensated;
        result = gp_reduce_read(all->gp, &parts, result_out);
    }
    if (gathered) (void)clReleaseMemObject(gathered);
    result = gpi_mpi_agree(all, function, result);
    if (result != GP_OK)
        return gpi_mpi_end(all, result); /* the broadcast is needed: devices may add up in different orders */
    return gpi_mpi_end(all, gpi_mpi_did(all, function, "MPI_Bcast",
                                        MPI_Bcast(result_out, (int)size, MPI_BYTE, 0, all->comm)));
}
