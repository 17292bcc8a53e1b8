/* ranks.c - gathers values of all ranks, and divides arrays evenly over the ranks. */
#include "base/error.h"
#include "base/ranks.h"

/* Creates a buffer with each rank's value of `size` bytes, in the order of ranks. */
static gp_result gpi_mpi_gather(gp_mpi *all, const char *function, const void *value, size_t size,
                                cl_mem *out)
{
    char *values = (char *)GPI_MPI_MALLOC(size * (size_t)all->ranks);
    gp_result result = GP_OK;
    *out = NULL;
    if (!values) result = gpi_mpi_fail(all, GP_ERROR_OUT_OF_HOST_MEMORY, function, "no memory");
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Allgather",
                             MPI_Allgather((void *)(uintptr_t)value, (int)size, MPI_BYTE, values, (int)size,
                                           MPI_BYTE, all->comm));
    if (result == GP_OK) result = gp_buffer_create(all->gp, size * (size_t)all->ranks, values, out);
    GPI_MPI_FREE(values);
    return result;
}

/* Divides an array evenly over the ranks, and sets *part to this rank's part. This rank has `count` of the array's
   elements; other ranks may have other numbers. */
static gp_result gpi_mpi_even(gp_mpi *all, const char *function, size_t count, gp_mpi_part *part)
{
    uint64_t own = count, total = 0, each, more, rank = (uint64_t)all->rank;
    const gp_result result = gpi_mpi_did(all, function, "MPI_Allreduce",
                                         MPI_Allreduce(&own, &total, 1, MPI_UINT64_T, MPI_SUM, all->comm));
    each = total / (uint64_t)all->ranks;
    more = total % (uint64_t)all->ranks;
    part->total = total;
    part->count = each + (rank < more);
    part->first = each * rank + (rank < more ? rank : more);
    return result;
}
