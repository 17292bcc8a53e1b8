/* events.c - commands in flight: detects failures, and measures times.

   Each command's event is kept here until the command has ended. Ended commands are settled at gp_finish, at blocking reads, and
   whenever the list is full: failures are kept for gp_finish and for the handler (on_async_error), and times are added to the
   profile. All this happens on the caller's thread.

   The handler may call the library again. So it is called at the end of a call or of gp_finish, when no call is in
   progress. It is never called from within itself: failures that it causes wait for a later call.

   Commands that are enqueued faster than they run would pile up without bound, here and in the driver. So a call waits
   when GPI_IN_FLIGHT_MAX commands are in flight. The call must not wait for a user event, which only the caller can
   complete, nor, in an in-order queue, for a command behind one that waits for a user event. No query shows whether a
   command waits for a user event, so a call waits only for a command that runs. If a command does not begin to run for
   a while, it counts as stalled, together with all commands in flight at that time. Stalled commands do not count
   towards the limit. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "runtime/events.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define GPI_IN_FLIGHT_MAX 1024 /* most commands in flight */

/* A command that may not have ended yet. */
typedef struct gpi_pending {
    cl_event event;
    const char *function; /* the function of the API that enqueued the command; static text */
    const char *kernel;   /* name of the kernel, static text; NULL: the command is no kernel */
    bool failed;          /* the failure was reported, but the event is kept for PoCL */
} gpi_pending;

/* A command that has failed after it was enqueued. */
typedef struct gpi_failure {
    const char *function, *kernel; /* as in gpi_pending */
    cl_int status;
} gpi_failure;

enum { GPI_SETTLED_AT_ONCE = 64 }; /* commands whose statuses are queried together */

/* ------------------------------------------------------------------ times */

static gp_kernel_times *gpi_kernel_profile_of(gp_context *gp, const char *name)
{
    size_t k = 0;
    while (k < gp->kernel_count && strcmp(gp->kernels[k].name, name) != 0) k++;
    if (k == GPI_KERNEL_PROFILES) return NULL;
    if (k == gp->kernel_count) {
        memset(&gp->kernels[k], 0, sizeof gp->kernels[k]);
        (void)snprintf(gp->kernels[k].name, GP_NAME_MAX, "%s", name);
        gp->kernel_count++;
    }
    return &gp->kernels[k];
}

static void gpi_profile_add(gp_kernel_times *profile, uint64_t ns)
{
    if (profile->launches == 0 || ns < profile->min_ns) profile->min_ns = ns;
    if (ns > profile->max_ns) profile->max_ns = ns;
    profile->total_ns += ns;
    profile->launches++;
}

static void gpi_profile_event(gp_context *gp, const char *kernel, cl_event event)
{
    gp_kernel_times *profile = gpi_kernel_profile_of(gp, kernel);
    cl_ulong start = 0, end = 0;
    cl_int error = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    if (!error) error = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    if (!error && end >= start && profile) gpi_profile_add(profile, end - start);
}

/* ------------------------------------------------------------------ failures */

static void gpi_failure_text(const gpi_failure *failure, char text[GPI_ASYNC_TEXT_MAX])
{
    (void)snprintf(text, GPI_ASYNC_TEXT_MAX, "%s: %s failed after it was enqueued: %s (%d)",
                   failure->function, failure->kernel ? failure->kernel : "a command",
                   gpi_cl_error_name(failure->status), (int)failure->status);
}

/* Keeps a failure for the handler. If there is no memory, only gp_finish reports it. */
static void gpi_failure_keep(gp_context *gp, const gpi_failure *failure)
{
    if (gp->failure_count == gp->failure_capacity) {
        const size_t capacity = gp->failure_capacity ? 2 * gp->failure_capacity : 16;
        gpi_failure *grown = (gpi_failure *)GP_REALLOC(gp->failures, capacity * sizeof *grown);
        if (!grown) return;
        gp->failures = grown;
        gp->failure_capacity = capacity;
    }
    gp->failures[gp->failure_count++] = *failure;
}

/* Records that a command failed after it was enqueued: logs the failure, keeps the first failure for gp_finish, and
   keeps all failures for the handler. */
static void gpi_async_fail(gp_context *gp, const gpi_pending *pending, cl_int status)
{
    char text[GPI_ASYNC_TEXT_MAX];
    gpi_failure failure;
    failure.function = pending->function;
    failure.kernel = pending->kernel;
    failure.status = status;
    gpi_failure_text(&failure, text);
    if (gp->async_text[0] == '\0') memcpy(gp->async_text, text, sizeof text);
    gpi_log(gp, GP_LOG_ERROR, "%s", text);
    if (gp->desc.on_async_error) gpi_failure_keep(gp, &failure);
}

/* Calls the handler for each failure kept so far. Failures caused by the handler wait for the next call of this function;
   otherwise a handler that always causes a failure would be called for ever. Afterwards restores gp->error and gp->function, which the
   handler's own calls may have changed. */
static void gpi_tell_failures(gp_context *gp)
{
    char text[GPI_ASYNC_TEXT_MAX], error[GPI_ERROR_MAX];
    const char *const function = gp->function;
    const size_t count = gp->failure_count;
    size_t told;
    if (count == 0 || gp->telling || gp->callback) return;
    memcpy(error, gp->error, sizeof error);
    gp->telling = true;
    for (told = 0; told < count; told++) {
        gpi_failure_text(&gp->failures[told], text);
        gp->desc.on_async_error(GP_ERROR_OPENCL, text, gp->desc.async_error_user);
    }
    gp->telling = false;
    gp->failure_count -= count;
    memmove(gp->failures, gp->failures + count, gp->failure_count * sizeof *gp->failures);
    gp->function = function;
    memcpy(gp->error, error, sizeof error);
}

/* Fails if a command has failed since the last call of this function. The text is that of the first such failure. */
static gp_result gpi_async_result(gp_context *gp)
{
    char text[GPI_ASYNC_TEXT_MAX];
    if (gp->async_text[0] == '\0') return GP_OK;
    memcpy(text, gp->async_text, sizeof text);
    gp->async_text[0] = '\0';
    return gpi_fail_text(gp, GP_ERROR_OPENCL, "%s", text);
}

/* ------------------------------------------------------------------ the list */

static cl_int gpi_event_said(cl_event event)
{
    cl_int status = CL_QUEUED; /* if the query fails, a later one may succeed */
    (void)clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return status;
}

/* Returns true if a command failed although all events report CL_COMPLETE. Intel's CPU runtime reports CL_COMPLETE for
   a command that it skipped because an event in its wait list failed. A wait for such a command takes no time and
   returns the error. */
static bool gpi_events_failed(const cl_event *events, cl_uint count)
{
    return count > 0 && clWaitForEvents(count, events) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}

static cl_int gpi_event_status(cl_event event)
{
    const cl_int status = gpi_event_said(event);
    if (status != CL_COMPLETE || !gpi_events_failed(&event, 1)) return status;
    return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}

/* Finds the statuses of the first GPI_SETTLED_AT_ONCE commands. Checks all ended commands with one wait, since on Mesa
   one wait per command takes ten times as long. */
static void gpi_pending_statuses(const gpi_pending *pending, size_t count, cl_int *statuses)
{
    cl_event ended[GPI_SETTLED_AT_ONCE];
    cl_uint ended_count = 0;
    size_t i;
    if (count > GPI_SETTLED_AT_ONCE) count = GPI_SETTLED_AT_ONCE;
    for (i = 0; i < count; i++) {
        statuses[i] = gpi_event_said(pending[i].event);
        if (statuses[i] == CL_COMPLETE) ended[ended_count++] = pending[i].event;
    }
    if (!gpi_events_failed(ended, ended_count)) return;
    for (i = 0; i < count; i++) {
        if (statuses[i] == CL_COMPLETE) statuses[i] = gpi_event_status(pending[i].event);
    }
}

/* Reports or profiles a command that has ended, and releases its event. Returns true if the event is kept instead: PoCL (3.1)
   still accesses a failed command when earlier commands end. */
static bool gpi_pending_end(gp_context *gp, gpi_pending *pending, cl_int status, bool first)
{
    if (status < 0 && !pending->failed) {
        gpi_async_fail(gp, pending, status);
        gp->order_lost = pending->failed = true;
    } else if (status == CL_COMPLETE && gp->desc.profile && pending->kernel) {
        gpi_profile_event(gp, pending->kernel, pending->event);
    }
    if (status < 0 && !first && gpi_is_pocl(&gp->info)) return true;
    (void)clReleaseEvent(pending->event);
    return false;
}

/* Settles the commands that have ended, and keeps the others. */
static void gpi_settle(gp_context *gp)
{
    cl_int statuses[GPI_SETTLED_AT_ONCE];
    size_t i, kept = 0, stalled = 0;
    for (i = 0; i < gp->pending_count; i++) {
        gpi_pending pending = gp->pending[i];
        const size_t at = i % GPI_SETTLED_AT_ONCE;
        if (at == 0) gpi_pending_statuses(&gp->pending[i], gp->pending_count - i, statuses);
        if (statuses[at] > CL_COMPLETE || gpi_pending_end(gp, &pending, statuses[at], kept == 0)) {
            if (i < gp->pending_stalled) stalled++;
            gp->pending[kept++] = pending;
        }
    }
    gp->pending_count = kept;
    gp->pending_stalled = stalled;
    if (kept == 0) gp->order_lost = false;
}

/* Settles all commands. The caller has finished the queue, but on Mesa an event's status can still change after clFinish has
   returned. */
static void gpi_settle_all(gp_context *gp)
{
    size_t i;
    gpi_settle(gp);
    for (i = 0; i < gp->pending_count; i++) (void)clWaitForEvents(1, &gp->pending[i].event);
    gpi_settle(gp);
}

/* Frees the lists at a context's end, and releases events of commands that could not be waited for. */
static void gpi_pending_free(gp_context *gp)
{
    while (gp->pending_count > 0) (void)clReleaseEvent(gp->pending[--gp->pending_count].event);
    GP_FREE(gp->pending);
    GP_FREE(gp->failures);
}

/* Waits until the command has ended. Returns false if the command did not begin to run within a time limit, since it
   may never begin. Mesa reports a running command as submitted until all commands flushed with it have ended. */
static bool gpi_wait_if_running(const gp_context *gp, cl_event event)
{
    const cl_int begun = strcmp(gp->info.platform_name, "rusticl") == 0 ? CL_SUBMITTED : CL_RUNNING;
    const clock_t begin = clock(), limit = CLOCKS_PER_SEC / 50;
    for (;;) {
        const cl_int status = gpi_event_said(event);
        const clock_t now = clock();
        if (status <= CL_COMPLETE) return true;
        if (status <= begun) {
            (void)clWaitForEvents(1, &event);
            return true;
        }
        if (now == (clock_t)-1 || now - begin > limit) return false;
    }
}

/* Waits for the older half of the commands in flight if there are too many. Each call begins with this wait. */
static void gpi_throttle(gp_context *gp)
{
    size_t i;
    if (gp->pending_count - gp->pending_stalled < GPI_IN_FLIGHT_MAX) return;
    gpi_settle(gp);
    if (gp->pending_count - gp->pending_stalled <= GPI_IN_FLIGHT_MAX / 2) return;
    (void)clFlush(gp->queue);
    for (i = gp->pending_stalled; i < gp->pending_count - GPI_IN_FLIGHT_MAX / 2; i++) {
        if (gpi_wait_if_running(gp, gp->pending[i].event)) continue;
        gp->pending_stalled = gp->pending_count;
        break;
    }
    gpi_settle(gp);
}

/* Makes room for one more command: settles commands that have ended, and grows the list if it is still more than half
   full. Returns false if there is no room. */
static bool gpi_pending_reserve(gp_context *gp)
{
    const size_t capacity = gp->pending_capacity ? 2 * gp->pending_capacity : 64;
    gpi_pending *grown;
    if (gp->pending_count == gp->pending_capacity) gpi_settle(gp);
    if (gp->pending_capacity > 0 && gp->pending_count <= gp->pending_capacity / 2) return true;
    grown = (gpi_pending *)GP_REALLOC(gp->pending, capacity * sizeof *grown);
    if (!grown) return gp->pending_count < gp->pending_capacity;
    gp->pending = grown;
    gp->pending_capacity = capacity;
    return true;
}

/* Adds a command to the list. If there is no memory, the command is not watched. */
static void gpi_watch(gp_context *gp, const char *kernel, cl_event event)
{
    gpi_pending *pending;
    if (gp->pending_count == gp->pending_capacity && !gpi_pending_reserve(gp)) return;
    (void)clRetainEvent(event);
    pending = &gp->pending[gp->pending_count++];
    pending->event = event;
    pending->function = gp->function;
    pending->kernel = kernel;
    pending->failed = false;
}

/* Makes the next call's commands wait for all commands in flight, if a command has failed in an in-order queue of PoCL. There,
   a command enqueued after a failed one does not wait for commands before the failed one. */
static cl_int gpi_restore_order(gp_context *gp)
{
    size_t last = gp->pending_count;
    cl_event marker;
    cl_int error;
    if (gp->out_of_order || last == 0 || !gpi_is_pocl(&gp->info)) return CL_SUCCESS;
    if (!gp->pending[last - 1].failed && gpi_event_said(gp->pending[last - 1].event) < 0) gpi_settle(gp);
    if (!gp->order_lost) return CL_SUCCESS;
    for (last = gp->pending_count; last > 0 && gp->pending[last - 1].failed; last--) continue;
    if (last > 0) {
        error = clEnqueueMarkerWithWaitList(gp->queue, 1, &gp->pending[last - 1].event, &marker);
        if (error != CL_SUCCESS) return error;
        gpi_watch(gp, NULL, marker);
        (void)clReleaseEvent(marker);
    }
    gp->order_lost = false;
    return CL_SUCCESS;
}
