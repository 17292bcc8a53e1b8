/* scratch.c - the context's scratch: allocates it from the caller's pool or from OpenCL, and frees it when no command uses it.
   OpenCL keeps a released buffer until the commands that use it have ended; a pool does not. So a marker is enqueued after these
   commands, and the buffer is returned to the pool when the marker has ended. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "runtime/events.h"
#include "launch/launch.h"

typedef struct gpi_retired {
    cl_mem buffer;
    cl_event ended; /* completes when no command uses the buffer any more */
} gpi_retired;

static void gpi_scratch_free(gp_context *gp, cl_mem buffer)
{
    if (!gp->desc.scratch_free) {
        (void)clReleaseMemObject(buffer);
        return;
    }
    gp->callback = "scratch_free";
    gp->desc.scratch_free(buffer, gp->desc.scratch_user);
    gp->callback = NULL;
}

static gp_result gpi_scratch_alloc(gp_context *gp, size_t bytes, cl_mem *out)
{
    gpi_range range;
    gp_result result;
    if (!gp->desc.scratch_alloc) return gpi_alloc(gp, bytes, out);
    gp->callback = "scratch_alloc";
    *out = gp->desc.scratch_alloc(bytes, gp->desc.scratch_user);
    gp->callback = NULL;
    if (!*out) return gpi_fail(gp, GP_ERROR_OUT_OF_DEVICE_MEMORY, "scratch_alloc has no %zu bytes", bytes);
    result = gpi_check_buffer(gp, "what scratch_alloc gave", *out, 0, bytes, 1, GPI_BOTH, &range);
    if (result != GP_OK) gpi_scratch_free(gp, *out);
    return result;
}

/* Makes room for one more retired buffer. Returns false if there is no memory. */
static bool gpi_retired_grow(gp_context *gp)
{
    const size_t capacity = gp->retired_capacity ? 2 * gp->retired_capacity : 4;
    gpi_retired *grown;
    if (gp->retired_count < gp->retired_capacity) return true;
    grown = (gpi_retired *)GP_REALLOC(gp->retired, capacity * sizeof *grown);
    if (!grown) return false;
    gp->retired = grown;
    gp->retired_capacity = capacity;
    return true;
}

/* Detaches the scratch from the context. The caller's pool gets it back once the commands that use it have ended. After
   an error the context keeps the scratch. */
static cl_int gpi_scratch_retire(gp_context *gp)
{
    cl_int error = CL_SUCCESS;
    if (!gp->scratch) return CL_SUCCESS;
    if (!gp->desc.scratch_free) {
        (void)clReleaseMemObject(gp->scratch);
    } else {
        cl_event ended = NULL;
        if (!gpi_retired_grow(gp)) return CL_OUT_OF_HOST_MEMORY;
        error = clEnqueueMarkerWithWaitList(gp->queue, 0, NULL, &ended);
        if (error != CL_SUCCESS) return error;
        gp->retired[gp->retired_count].buffer = gp->scratch;
        gp->retired[gp->retired_count++].ended = ended;
    }
    gp->scratch = NULL;
    gp->scratch_size = 0;
    gp->stats.scratch_bytes = 0;
    return CL_SUCCESS;
}

/* Returns retired buffers to the pool: those that no command uses, or, if `all`, every one, because the queue has
   finished. A failed marker does not show that its commands have ended: the marker fails when one of them fails, while
   others may still be running. */
static void gpi_scratch_settle(gp_context *gp, bool all)
{
    size_t k, kept = 0;
    for (k = 0; k < gp->retired_count; k++) {
        const gpi_retired retired = gp->retired[k];
        if (!all && gpi_event_status(retired.ended) != CL_COMPLETE) {
            gp->retired[kept++] = retired;
        } else {
            (void)clReleaseEvent(retired.ended);
            gpi_scratch_free(gp, retired.buffer);
        }
    }
    gp->retired_count = kept;
}

/* Replaces the context's scratch by one of at least `bytes`. */
static gp_result gpi_scratch_replace(gp_context *gp, size_t bytes)
{
    const size_t limit = gp->desc.scratch_limit, least = 65536;
    const size_t size = bytes >= least || (limit && limit < least) ? bytes : least;
    cl_mem grown;
    cl_int error;
    gp_result result;
    if (limit && bytes > limit) {
        return gpi_fail(gp, GP_ERROR_OUT_OF_DEVICE_MEMORY,
                        "needs %zu bytes of scratch, and scratch_limit is %zu", bytes, limit);
    }
    result = gpi_scratch_alloc(gp, size, &grown);
    if (result != GP_OK) return result;
    error = gpi_scratch_retire(gp);
    if (error != CL_SUCCESS) {
        gpi_scratch_free(gp, grown);
        return gpi_fail_cl(gp, error, "clEnqueueMarkerWithWaitList");
    }
    gp->scratch = grown;
    gp->scratch_size = size;
    gp->stats.scratch_bytes = size;
    gp->stats.scratch_allocs++;
    return GP_OK;
}

/* Grows gp->scratch to at least `bytes`, if it is smaller. */
static gp_result gpi_scratch_grow(gp_context *gp, size_t bytes)
{
    const gp_result result = bytes > gp->scratch_size ? gpi_scratch_replace(gp, bytes) : GP_OK;
    if (result == GP_OK && bytes > gp->stats.scratch_most) gp->stats.scratch_most = bytes;
    return result;
}

static void gpi_scratch_close(gp_context *gp)
{
    gpi_scratch_settle(gp, true);
    if (gp->scratch) gpi_scratch_free(gp, gp->scratch);
    gp->scratch = NULL;
    GP_FREE(gp->retired);
}
