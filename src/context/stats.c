/* stats.c - reads and resets counters and kernel times. */
#include "base/context.h"
#include "base/error.h"

#include <string.h>

GP_API gp_result gp_stats_read(gp_context *gp, gp_stats *out)
{
    cl_uint counters[GPI_CONTEXT_COUNTERS];
    cl_int error;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !out) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or out is NULL");
    result = gp_finish(gp);
    if (result != GP_OK) return result;
    error =
        clEnqueueReadBuffer(gp->queue, gp->counters, CL_TRUE, 0, sizeof counters, counters, 0, NULL, NULL);
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, "clEnqueueReadBuffer");
    *out = gp->stats;
    out->fallbacks = counters[GPI_COUNT_FALLBACKS];
    out->abandoned = counters[GPI_COUNT_ABANDONED];
    out->clamped = counters[GPI_COUNT_CLAMPED];
    out->bad_offsets = counters[GPI_COUNT_BAD];
    out->skipped = counters[GPI_COUNT_SKIPPED];
    return GP_OK;
}

GP_API gp_result gp_stats_kernels(gp_context *gp, gp_kernel_times *out, size_t capacity, size_t *count)
{
    gp_result result;
    size_t i;
    gpi_enter(gp, __func__);
    if (!gp || !count || (!out && capacity > 0)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, count or out is NULL");
    }
    result = gp_finish(gp);
    *count = gp->kernel_count;
    for (i = 0; i < gp->kernel_count && i < capacity; i++) out[i] = gp->kernels[i];
    return result;
}

GP_API gp_result gp_stats_reset(gp_context *gp)
{
    const cl_uint zero[GPI_CONTEXT_COUNTERS] = {0};
    cl_int error;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp) return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "gp is NULL");
    result = gp_finish(gp);
    if (result != GP_OK) return result;
    error = clEnqueueWriteBuffer(gp->queue, gp->counters, CL_TRUE, 0, sizeof zero, zero, 0, NULL, NULL);
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, "clEnqueueWriteBuffer");
    memset(&gp->stats, 0, sizeof gp->stats);
    gp->stats.scratch_bytes = gp->scratch_size;
    gp->kernel_count = 0;
    return GP_OK;
}
