/* histogram.c - gp_mpi_histogram: counts each part, and adds up the counts of all ranks. */
#include "base/buffers.h"
#include "base/call.h"
#include "base/error.h"

GP_MPI_API gp_result gp_mpi_histogram(gp_mpi *all, const gp_histogram_desc *desc)
{
    static const char function[] = "gp_mpi_histogram";
    gpi_mpi_terms terms = gpi_mpi_terms_of(function);
    size_t counts = 0, size = 0;
    void *mapped = NULL;
    gp_result result = gpi_mpi_begin(&all, function, desc, "desc"), unmapped;
    if (!all) return result;
    if (result == GP_OK) {
        const uint32_t channels = desc->channels ? desc->channels : 1;
        const uint32_t counted = desc->channels_out ? desc->channels_out : channels;
        const size_t bins = desc->bins ? desc->bins : 256;
        counts = counted * bins;
        size = desc->out_type == GP_U64 ? 8 : 4;
        gpi_mpi_term(&terms, "type", desc->type);
        gpi_mpi_term(&terms, "map_type", desc->map_type ? desc->map_type : desc->type);
        gpi_mpi_term_if(&terms, "weight_type", desc->weight_type, desc->weights || desc->weight_type);
        gpi_mpi_term(&terms, "channels or channels_out", (uint64_t)channels << 32 | counted);
        gpi_mpi_term(&terms, "bins", bins);
        gpi_mpi_term(&terms, "lower", desc->lower.u64);
        gpi_mpi_term(&terms, "upper", desc->upper.u64);
        gpi_mpi_term(&terms, "whether there are edges", desc->edges != NULL);
        gpi_mpi_term(&terms, "out_type", size);
        GPI_MPI_REFUSE(count_buffer);
        GPI_MPI_REFUSE(wait_count);
        GPI_MPI_REFUSE(done);
        GPI_MPI_REFUSE(accumulate);
    }
    if (result == GP_OK && counts > INT32_MAX)
        result = gpi_mpi_fail(all, GP_ERROR_COUNT_LIMIT, function, "more than 2^31 - 1 counts");
    result = gpi_mpi_same(all, function, result, &terms);
    if (result == GP_OK) {
        gp_histogram_desc own = *desc;
        if (!own.count && !own.weights) own.weight_type = (gp_type)0;
        result = gp_histogram(all->gp, &own);
    }
    if (result == GP_OK) result = gp_finish(all->gp);
    if (result == GP_OK)
        result = gpi_mpi_map(all, function, desc->out, CL_MAP_READ | CL_MAP_WRITE, desc->out_offset * size,
                             counts * size, &mapped);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Allreduce",
                             MPI_Allreduce(MPI_IN_PLACE, mapped, (int)counts,
                                           size == 8 ? MPI_UINT64_T : MPI_UINT32_T, MPI_SUM, all->comm));
    unmapped = mapped ? gpi_mpi_unmap(all, function, desc->out, mapped) : GP_OK;
    return gpi_mpi_end(all, gpi_mpi_agree(all, function, result == GP_OK ? unmapped : result));
}
