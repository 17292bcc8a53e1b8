/* handle.c - creates and destroys a gp_mpi, which joins the contexts of ranks. */
#include "base/error.h"
#include "base/handle.h"

#include <string.h>

#if defined(_WIN32)
#define GPI_MPI_PROCESS() 0
#else
#include <unistd.h>
#define GPI_MPI_PROCESS() ((long)getpid())
#endif

/* Returns the reason why MPI would end a process that calls it now, or NULL. */
static const char *gpi_mpi_absence(void)
{
    int begun = 0, ended = 0;
    (void)MPI_Initialized(&begun);
    (void)MPI_Finalized(&ended);
    if (!begun) return "MPI has not begun: MPI_Init";
    return ended ? "MPI has ended: call it before MPI_Finalize" : NULL;
}

/* Fails in a process that was forked after the library's first use, because MPI would wait for ever in it. */
static gp_result gpi_mpi_check_process(gp_context *gp)
{
    size_t count;
    if (gp && gp_cl_queue(gp)) return GP_OK;
    return gp_devices(NULL, 0, &count) == GP_ERROR_INVALID_ARGUMENT
               ? gp_set_error(
                     gp, GP_ERROR_INVALID_ARGUMENT,
                     "gp_mpi_create: this process was forked, and neither OpenCL nor MPI works here: fork "
                     "before their first use, or exec")
               : GP_OK;
}

GP_MPI_API gp_result gp_mpi_create(gp_context *gp, MPI_Comm comm, gp_mpi **out)
{
    static const char function[] = "gp_mpi_create";
    gp_mpi made, *all;
    gp_result result;
    int between = 0; /* whether `comm` is between two groups of ranks */
    memset(&made, 0, sizeof made);
    made.gp = gp;
    made.process = GPI_MPI_PROCESS();
    if (out) *out = NULL;
    result = gpi_mpi_check_process(gp);
    if (result != GP_OK) return result;
    if (gpi_mpi_absence()) return gpi_mpi_fail(&made, GP_ERROR_MPI, function, gpi_mpi_absence());
    if (comm == MPI_COMM_NULL)
        return gpi_mpi_fail(&made, GP_ERROR_INVALID_ARGUMENT, function, "comm is MPI_COMM_NULL");
    result = gpi_mpi_did(&made, function, "MPI_Comm_test_inter", MPI_Comm_test_inter(comm, &between));
    if (result == GP_OK && between)
        result = gpi_mpi_fail(&made, GP_ERROR_INVALID_ARGUMENT, function, "comm is an intercommunicator");
    if (result != GP_OK) return result;
    result = gpi_mpi_did(&made, function, "MPI_Comm_dup", MPI_Comm_dup(comm, &made.comm));
    if (result != GP_OK) return result;
    (void)MPI_Comm_set_errhandler(made.comm, MPI_ERRORS_RETURN);
    (void)MPI_Comm_rank(made.comm, &made.rank);
    (void)MPI_Comm_size(made.comm, &made.ranks);
    all = (gp_mpi *)GPI_MPI_MALLOC(sizeof *all);
    if (!gp || !out)
        result = gpi_mpi_fail(&made, GP_ERROR_INVALID_ARGUMENT, function, gp ? "out is NULL" : "gp is NULL");
    else if (!all) result = gpi_mpi_fail(&made, GP_ERROR_OUT_OF_HOST_MEMORY, function, "no memory");
    result = gpi_mpi_agree(&made, function, result);
    if (result != GP_OK) {
        (void)MPI_Comm_free(&made.comm);
        GPI_MPI_FREE(all);
        return result;
    }
    *all = made;
    *out = all;
    return GP_OK;
}

/* Returns the reason why no call with *all can begin on this rank, whatever other ranks do, or NULL. Messages that a
   forked process or a callback sends would be mistaken for messages of the rank's current call. */
static const char *gpi_mpi_refusal(const gp_mpi *all)
{
    if (!all) return "all is NULL";
    if (all->process != GPI_MPI_PROCESS())
        return "this process was forked, and MPI does not work here: fork before MPI_Init, or exec";
    if (gpi_mpi_absence()) return gpi_mpi_absence();
    return all->busy ? "a callback called it with the gp_mpi whose call is still at work" : NULL;
}

GP_MPI_API void gp_mpi_destroy(gp_mpi *all)
{
    if (gpi_mpi_refusal(all)) return;
    (void)MPI_Comm_free(&all->comm);
    GPI_MPI_FREE(all);
}
