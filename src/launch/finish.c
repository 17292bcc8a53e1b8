/* finish.c - waits for all commands in the queue. */
#include "base/context.h"
#include "base/error.h"
#include "base/use.h"
#include "runtime/events.h"
#include "launch/launch.h"

/* Waits for all commands. In an in-order queue one wait covers both the commands and the read of the hash tables' counts. */
static gp_result gpi_finish_queue(gp_context *gp)
{
    const gpi_hash_hooks *hash = gp->hash;
    const cl_int asked = gp->out_of_order || !hash ? CL_SUCCESS : hash->read_told(gp, CL_FALSE);
    const cl_int error = clFinish(gp->queue);
    gp_result result;
    gpi_settle_all(gp);
    gpi_scratch_settle(gp, error == CL_SUCCESS);
    if (gp->scratch_busy) (void)clReleaseEvent(gp->scratch_busy);
    gp->scratch_busy = NULL;
    if (error == CL_SUCCESS) gpi_programs_save(gp);
    result = gpi_async_result(gp); /* a command's failure explains why clFinish failed */
    if (result != GP_OK) return result;
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, "clFinish");
    if (asked != CL_SUCCESS) return gpi_fail_cl(gp, asked, "clEnqueueReadBuffer");
    if (!hash) return GP_OK;
    return gp->out_of_order ? hash->result(gp) : hash->tell(gp);
}

/* Finishes as gp_finish does, but without calling on_async_error. Error texts name gp_finish, whichever call waits. */
static gp_result gpi_finish(gp_context *gp)
{
    const char *const outer = gp ? gp->function : NULL;
    gp_result result;
    gpi_enter(gp, "gp_finish");
    if (!gp) return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "gp is NULL");
    result = gpi_check_use(gp);
    if (result == GP_OK) result = gpi_finish_queue(gp);
    gp->function = outer;
    return result;
}

GP_API gp_result gp_finish(gp_context *gp)
{
    const gp_result result = gpi_finish(gp);
    if (gp) gpi_tell_failures(gp);
    return result;
}
