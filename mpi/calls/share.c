/* share.c - gp_mpi_share: returns this rank's part of an evenly divided array. */
#include "base/call.h"
#include "base/error.h"
#include "base/ranks.h"

GP_MPI_API gp_result gp_mpi_share(gp_mpi *all, size_t count, gp_mpi_part *part)
{
    static const char function[] = "gp_mpi_share";
    gpi_mpi_terms terms = gpi_mpi_terms_of(function);
    gp_result result = gpi_mpi_begin(&all, function, part, "part");
    if (!all) return result;
    if (result == GP_OK && count > UINT64_MAX / (uint64_t)all->ranks)
        result =
            gpi_mpi_fail(all, GP_ERROR_COUNT_LIMIT, function, "the counts of all ranks may be over 2^64 - 1");
    result = gpi_mpi_same(all, function, result, &terms);
    return gpi_mpi_end(all, result == GP_OK ? gpi_mpi_even(all, function, count, part) : result);
}
