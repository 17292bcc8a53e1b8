/* error.c - makes the texts of failures, and lets ranks agree on one result. */
#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* Bytes of this library's texts, and of the text of a failed call, which may contain a build log. */
enum { GPI_MPI_TEXT = 512, GPI_MPI_LOG = 8192 };

static gp_result gpi_mpi_fail(gp_mpi *all, gp_result result, const char *function, const char *text)
{
    char line[2 * GPI_MPI_TEXT];
    (void)snprintf(line, sizeof line, "%s: %s", function, text);
    return gp_set_error(all->gp, result, line);
}

/* Fails if `code`, which the MPI function `call` has returned, is an error. */
static gp_result gpi_mpi_did(gp_mpi *all, const char *function, const char *call, int code)
{
    char line[GPI_MPI_TEXT], reason[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == MPI_SUCCESS) return GP_OK;
    (void)MPI_Error_string(code, reason, &length);
    (void)snprintf(line, sizeof line, "%s returned %d: %.*s", call, code, 300, reason);
    return gpi_mpi_fail(all, GP_ERROR_MPI, function, line);
}

static gp_result gpi_mpi_cl(gp_mpi *all, const char *function, const char *call, cl_int error)
{
    char line[GPI_MPI_TEXT];
    gp_result result = GP_ERROR_OPENCL;
    if (error == CL_SUCCESS) return GP_OK;
    if (error == CL_OUT_OF_HOST_MEMORY) result = GP_ERROR_OUT_OF_HOST_MEMORY;
    if (error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES)
        result = GP_ERROR_OUT_OF_DEVICE_MEMORY;
    (void)snprintf(line, sizeof line, "%s returned %s (%d)", call, gp_cl_error_string(error), (int)error);
    return gpi_mpi_fail(all, result, function, line);
}

/* Returns the same result on all ranks: the failure of the lowest rank that has failed, with its text. Every collective of a call
   comes after such an agreement, so that no rank waits for one that has failed. Once ranks have agreed on a failure, the call
   ends without another agreement. */
static gp_result gpi_mpi_agree(gp_mpi *all, const char *function, gp_result result)
{
    struct {
        int failed, rank;
    } own, first;
    char text[GPI_MPI_LOG] = "", line[GPI_MPI_LOG + 64];
    gp_result sent = result;
    int told = (int)result;
    if (all->failed) return result;
    own.failed = result == GP_OK; /* 0: failed, so that MPI_MINLOC finds it first */
    own.rank = all->rank;
    sent = gpi_mpi_did(all, function, "MPI_Allreduce",
                       MPI_Allreduce(&own, &first, 1, MPI_2INT, MPI_MINLOC, all->comm));
    if (sent != GP_OK) return result != GP_OK ? result : sent;
    if (first.failed == 1) return GP_OK;
    all->failed = true;
    if (first.rank == all->rank) {
        const char *reason = gp_last_error(all->gp);
        const char *after = strstr(reason, ": "); /* the result's name, which gp_set_error writes again */
        (void)snprintf(text, sizeof text, "%.*s", GPI_MPI_LOG - 1, after ? after + 2 : reason);
    }
    sent = gpi_mpi_did(all, function, "MPI_Bcast", MPI_Bcast(&told, 1, MPI_INT, first.rank, all->comm));
    if (sent == GP_OK)
        sent = gpi_mpi_did(all, function, "MPI_Bcast",
                           MPI_Bcast(text, (int)sizeof text, MPI_CHAR, first.rank, all->comm));
    if (sent != GP_OK) return sent;
    (void)snprintf(line, sizeof line, "rank %d of %d: %s", first.rank, all->ranks, text);
    return gp_set_error(all->gp, (gp_result)told, line);
}
