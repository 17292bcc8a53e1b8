/* scan.c - gp_mpi_scan: reduces each part, then scans it from the product of all elements before it. */
#include "base/buffers.h"
#include "base/call.h"
#include "base/error.h"
#include "base/ranks.h"

#include <string.h>

/* Writes to `before` the product of all elements before this part (in reverse: after it), starting from the initial value. */
static gp_result gpi_mpi_before(gp_mpi *all, const char *function, const gp_scan_desc *desc, gp_type type,
                                const void *total, size_t size, void *before)
{
    gp_scan_desc parts;
    cl_mem totals = NULL;
    gp_result result = gpi_mpi_gather(all, function, total, size, &totals);
    memset(&parts, 0, sizeof parts);
    if (result == GP_OK) {
        parts.in = parts.out = totals;
        parts.count = (size_t)all->ranks;
        if (!desc->monoid) parts.type = parts.out_type = type;
        parts.op = desc->op;
        parts.monoid = desc->monoid;
        if (desc->monoid && desc->monoid->takes_args) {
            parts.args = desc->args;
            parts.arg_count = desc->arg_count;
        }
        parts.initial = desc->initial;
        parts.exclusive = true;
        parts.reverse = desc->reverse;
        parts.deterministic = true;
        result = gp_scan(all->gp, &parts);
    }
    if (result == GP_OK) result = gp_finish(all->gp);
    if (result == GP_OK)
        result = gpi_mpi_cl(all, function, "clEnqueueReadBuffer",
                            clEnqueueReadBuffer(gp_cl_queue(all->gp), totals, CL_TRUE,
                                                size * (size_t)all->rank, size, before, 0, NULL, NULL));
    if (totals) (void)clReleaseMemObject(totals);
    return result;
}

GP_MPI_API gp_result gp_mpi_scan(gp_mpi *all, const gp_scan_desc *desc)
{
    static const char function[] = "gp_mpi_scan";
    gpi_mpi_terms terms = gpi_mpi_terms_of(function);
    unsigned char total[64], before[64];
    gp_reduce_desc sum;
    gp_scan_desc part;
    gp_type type = (gp_type)0;
    size_t size = 0;
    gp_result result = gpi_mpi_begin(&all, function, desc, "desc");
    if (!all) return result;
    if (result == GP_OK) {
        GPI_MPI_REFUSE_COMMON;
        GPI_MPI_REFUSE(segments);
        GPI_MPI_REFUSE(op == GP_ARGMIN);
        GPI_MPI_REFUSE(op == GP_ARGMAX);
        type = desc->out_type ? desc->out_type : desc->type;
        size = desc->monoid ? desc->monoid->size : gpi_mpi_size_of(type);
        gpi_mpi_term(&terms, "type", desc->type);
        gpi_mpi_term(&terms, "out_type", type);
        gpi_mpi_term(&terms, "monoid", size);
        gpi_mpi_term(&terms, "op", desc->op);
        gpi_mpi_term(&terms, "exclusive", desc->exclusive);
        gpi_mpi_term(&terms, "reverse", desc->reverse);
        gpi_mpi_term(&terms, "deterministic", desc->deterministic);
    }
    result = gpi_mpi_same(all, function, result, &terms);
    if (result == GP_OK) {
        if (size > sizeof total) size = 0; /* gp_reduce reports why */
        memset(&sum, 0, sizeof sum);
        sum.in = desc->in;
        sum.in_offset = desc->in_offset;
        sum.count = desc->count;
        sum.type = desc->type;
        sum.record = desc->record;
        if (!desc->monoid) sum.out_type = type;
        sum.op = desc->op;
        sum.monoid = desc->monoid;
        sum.map = desc->map;
        sum.args = desc->args;
        sum.arg_count = desc->arg_count;
        result = gp_reduce_read(all->gp, &sum, total);
    }
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_before(all, function, desc, type, total, size, before);
    if (result == GP_OK && desc->count > 0) {
        part = *desc;
        part.initial = before;
        result = gp_scan(all->gp, &part);
    }
    if (result == GP_OK) result = gp_finish(all->gp);
    return gpi_mpi_end(all, gpi_mpi_agree(all, function, result));
}
