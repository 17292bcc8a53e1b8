/* call.c - runs a call as a chain of commands: gets scratch, launches kernels, reads results. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/use.h"
#include "runtime/events.h"
#include "launch/launch.h"

#include <string.h>

static gp_result gpi_check_events(gp_context *gp, const cl_event *wait, cl_uint count, const cl_event *done)
{
    cl_uint i;
    if ((wait == NULL) != (count == 0)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "wait is %s and wait_count is %u",
                        wait ? "given" : "NULL", count);
    }
    for (i = 0; i < count; i++) {
        cl_context context = NULL;
        cl_int error;
        if (done == &wait[i])
            return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                            "done is wait[%u] itself: they must be two variables", i);
        if (!wait[i]) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "wait[%u] is NULL", i);
        error = clGetEventInfo(wait[i], CL_EVENT_CONTEXT, sizeof context, &context, NULL);
        if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, "wait: clGetEventInfo");
        if (context != gp->context) {
            return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "wait[%u] belongs to another cl_context", i);
        }
        if (gpi_event_status(wait[i]) < 0) {
            return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "wait[%u] has failed: %s (%d)", i,
                            gpi_cl_error_name(gpi_event_status(wait[i])), (int)gpi_event_status(wait[i]));
        }
    }
    return GP_OK;
}

static gp_result gpi_call_begin(gpi_call *call, gp_context *gp, const cl_event *wait, cl_uint wait_count,
                                cl_event *done)
{
    gp_result result;
    cl_int error;
    memset(call, 0, sizeof *call);
    call->gp = gp;
    call->wait = wait;
    call->wait_count = wait_count;
    call->done = done;
    result = gpi_check_use(gp);
    if (result != GP_OK) return result;
    gpi_throttle(gp);
    error = gpi_restore_order(gp);
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, "clEnqueueMarkerWithWaitList");
    gpi_scratch_settle(gp, false);
    gpi_programs_save_run(gp);
    return gpi_check_events(gp, wait, wait_count, done);
}

/* In an out-of-order queue, makes the call's first command also wait for the last command that uses the scratch. */
static gp_result gpi_call_merge_busy(gpi_call *call)
{
    const cl_uint n = call->wait_count;
    cl_uint i;
    if (!call->gp->scratch_busy) return GP_OK;
    call->merged = (cl_event *)GP_MALLOC((n + 1) * sizeof *call->merged);
    if (!call->merged) {
        return gpi_fail(call->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory for a wait list");
    }
    for (i = 0; i < n; i++) call->merged[i] = call->wait[i];
    call->merged[n] = call->gp->scratch_busy;
    call->wait = call->merged;
    call->wait_count = n + 1;
    return GP_OK;
}

/* Retires the scratch if the last command that used it has failed, so that this call gets a new one. Waiting for that
   command would make this call fail, too; without a wait, earlier commands may still use the scratch. */
static gp_result gpi_call_leave_failed(gpi_call *call)
{
    gp_context *gp = call->gp;
    cl_int error;
    if (!gp->scratch_busy || gpi_event_status(gp->scratch_busy) >= CL_COMPLETE) return GP_OK;
    error = gpi_scratch_retire(gp);
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, "clEnqueueMarkerWithWaitList");
    (void)clReleaseEvent(gp->scratch_busy);
    gp->scratch_busy = NULL;
    return GP_OK;
}

/* Sets *out to `bytes` of scratch: the caller's buffer `own` if there is one, else the context's, which may grow. */
static gp_result gpi_call_scratch(gpi_call *call, cl_mem own, size_t bytes, cl_mem *out)
{
    gp_context *gp = call->gp;
    gp_result result;
    *out = own;
    if (own) return GP_OK; /* gpi_uses_scratch has checked it */
    result = gpi_call_leave_failed(call);
    if (result == GP_OK) result = gpi_scratch_grow(gp, bytes);
    if (result != GP_OK) return result;
    *out = gp->scratch;
    call->uses_scratch = true;
    return gpi_call_merge_busy(call);
}

/* Adds an enqueued command to the call, or fails if it could not be enqueued. In an out-of-order queue the next command
   waits for this one. In an in-order queue all commands of the call wait for the caller's events. If one of these
   events fails, Intel's CPU runtime and Mesa skip only the commands that wait for it. Commands that do not wait for it
   would run on data that the skipped commands have not written. */
static gp_result gpi_call_enqueued(gpi_call *call, cl_int error, const char *what, const char *kernel,
                                   cl_event event)
{
    if (error != CL_SUCCESS) return gpi_fail_cl(call->gp, error, what);
    gpi_watch(call->gp, kernel, event);
    if (call->last) (void)clReleaseEvent(call->last);
    call->last = event;
    if (call->gp->out_of_order) {
        call->wait = &call->last;
        call->wait_count = 1;
    }
    return GP_OK;
}

static gp_result gpi_call_fill(gpi_call *call, cl_mem buffer, size_t offset, size_t bytes)
{
    const cl_uint zero = 0;
    cl_event event;
    const cl_int error = clEnqueueFillBuffer(call->gp->queue, buffer, &zero, sizeof zero, offset, bytes,
                                             call->wait_count, call->wait, &event);
    return gpi_call_enqueued(call, error, "clEnqueueFillBuffer", NULL, event);
}

static gp_result gpi_call_copy(gpi_call *call, cl_mem from, size_t from_offset, cl_mem to, size_t to_offset,
                               size_t bytes)
{
    cl_event event;
    const cl_int error = clEnqueueCopyBuffer(call->gp->queue, from, to, from_offset, to_offset, bytes,
                                             call->wait_count, call->wait, &event);
    return gpi_call_enqueued(call, error, "clEnqueueCopyBuffer", NULL, event);
}

/* Begins the launch of kernel `name`. The caller sets its arguments next, in order, and then calls gpi_call_launch. */
static void gpi_call_kernel(gpi_call *call, gpi_program *program, const char *name)
{
    call->program = program;
    call->kernel = 0;
    while (strcmp(program->names[call->kernel], name) != 0) call->kernel++;
    call->arg_count = 0;
    call->arg_error = CL_SUCCESS;
}

static void gpi_call_arg(gpi_call *call, size_t size, const void *value)
{
    const cl_int error = clSetKernelArg(call->program->kernel[call->kernel], call->arg_count++, size, value);
    if (call->arg_error == CL_SUCCESS) call->arg_error = error;
}

static void gpi_call_arg_ulong(gpi_call *call, size_t x)
{
    const cl_ulong value = x;
    GPI_CALL_ARG(call, value);
}

/* Passes a buffer and the offset of its first element. */
static void gpi_call_arg_array(gpi_call *call, cl_mem buffer, size_t offset)
{
    GPI_CALL_ARG(call, buffer);
    gpi_call_arg_ulong(call, offset);
}

static void gpi_call_arg_uint(gpi_call *call, size_t x)
{
    const cl_uint value = (cl_uint)x;
    GPI_CALL_ARG(call, value);
}

/* Passes the arguments for GPI_COUNT_PARAMETERS of base/count.cl. Without a count on the device, passes another
   buffer as a placeholder. In a warm-up the device reads a count of 0: all kernels are launched as for `bound`
   elements, but no expression is evaluated on made-up elements. */
static void gpi_call_arg_count(gpi_call *call, const gpi_count *count)
{
    const bool none = call->gp->warming_up;
    const cl_ulong bound = count->bound, offset = none ? (size_t)GPI_COUNT_ZERO : count->offset;
    const cl_mem wanted = count->buffer && !none ? count->buffer : call->gp->counters;
    const cl_uint words = none ? 1 : !count->buffer ? 0 : count->type == GP_U64 ? 2 : 1;
    GPI_CALL_ARG(call, bound);
    GPI_CALL_ARG(call, wanted);
    GPI_CALL_ARG(call, offset);
    GPI_CALL_ARG(call, words);
}

static gp_result gpi_call_launch(gpi_call *call, const gpi_plan *plan, size_t groups)
{
    gp_context *gp = call->gp;
    const size_t local = plan->group, global = groups * plan->group;
    cl_event event;
    cl_int error = call->arg_error;
    gp_result result;
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, "clSetKernelArg");
    error = clEnqueueNDRangeKernel(gp->queue, call->program->kernel[call->kernel], 1, NULL, &global, &local,
                                   call->wait_count, call->wait, &event);
    result =
        gpi_call_enqueued(call, error, "clEnqueueNDRangeKernel", call->program->names[call->kernel], event);
    if (result != GP_OK) return result;
    gpi_program_launched(gp, call->program, call->kernel, event);
    gp->stats.launches++;
    return GP_OK;
}

/* Copies a result to the host after the call's commands, and waits for the copy. In an out-of-order queue, waits for no
   other call's commands. Fails if a command of any call has failed, or, in an in-order queue, if hash tables have
   errors to report. */
static gp_result gpi_call_read_now(gpi_call *call, cl_mem buffer, size_t offset, size_t size, void *to)
{
    gp_context *gp = call->gp;
    cl_event event;
    cl_int error = clEnqueueReadBuffer(gp->queue, buffer, CL_FALSE, offset, size, to, call->wait_count,
                                       call->wait, &event);
    gp_result result = gpi_call_enqueued(call, error, "clEnqueueReadBuffer", NULL, event);
    if (result != GP_OK) return result;
    error = clWaitForEvents(1, &call->last);
    /* if only the wait has failed, the copy to the caller's memory may still be in progress */
    if (error != CL_SUCCESS && gpi_event_status(call->last) > CL_COMPLETE) (void)clFinish(gp->queue);
    gpi_settle(gp);
    result = gpi_async_result(gp); /* a command's failure explains why the wait failed */
    if (result == GP_OK && error == CL_SUCCESS && !gp->out_of_order && gp->hash)
        result = gp->hash->result(gp);
    if (result != GP_OK || error == CL_SUCCESS) return result;
    return gpi_fail_cl(gp, error, "clWaitForEvents");
}

/* Copies a result from any buffer to the host, and waits for the copy. If the host may not read the buffer, the device copies the
   result to another buffer first. */
static gp_result gpi_call_read(gpi_call *call, cl_mem buffer, size_t offset, size_t size, void *to)
{
    cl_mem_flags flags;
    cl_mem copy;
    gp_result result;
    const cl_int error = clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    if (error != CL_SUCCESS) return gpi_fail_cl(call->gp, error, "clGetMemObjectInfo");
    if (!(flags & (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY)))
        return gpi_call_read_now(call, buffer, offset, size, to);
    result = gpi_alloc(call->gp, size, &copy);
    if (result != GP_OK) return result;
    result = gpi_call_copy(call, buffer, offset, copy, 0, size);
    if (result == GP_OK) result = gpi_call_read_now(call, copy, 0, size, to);
    (void)clReleaseMemObject(copy);
    return result;
}

/* Ends a chain of commands in the middle of a call of the API. Sets *done, even if nothing was enqueued, and releases
   everything else that belongs to the chain. Does not call on_async_error. */
static gp_result gpi_call_end_within(gpi_call *call, gp_result result)
{
    gp_context *gp = call->gp;
    if (result == GP_OK && call->done && !call->last) {
        const cl_int error = clEnqueueMarkerWithWaitList(gp->queue, call->wait_count, call->wait, call->done);
        if (error != CL_SUCCESS) result = gpi_fail_cl(gp, error, "clEnqueueMarkerWithWaitList");
    } else if (result == GP_OK && call->done) {
        (void)clRetainEvent(call->last);
        *call->done = call->last;
    }
    if (call->uses_scratch && gp->out_of_order && call->last) {
        if (gp->scratch_busy) (void)clReleaseEvent(gp->scratch_busy);
        gp->scratch_busy = call->last;
        call->last = NULL;
    }
    if (call->last) (void)clReleaseEvent(call->last);
    GP_FREE(call->merged);
    gp->released = gp->fetches;
    return result;
}

/* Ends a call of the API as gpi_call_end_within does, and then calls on_async_error for failures kept so far. If
   gp_warmup made the call, later failures name gp_warmup again. */
static gp_result gpi_call_end(gpi_call *call, gp_result result)
{
    result = gpi_call_end_within(call, result);
    gpi_tell_failures(call->gp);
    if (call->gp->warming_up) gpi_enter(call->gp, "gp_warmup");
    return result;
}
