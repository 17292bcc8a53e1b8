/* launch.c - buffers checked, scratch handed out, commands chained. */
#include "internal.h"

/* ------------------------------------------------------------------ buffers */

/* The outermost buffer that holds `buffer`, and where in it. */
static cl_int gpi_range_resolve(cl_mem buffer, gpi_range *range)
{
    cl_mem parent = NULL;
    size_t origin = 0;
    cl_int error = clGetMemObjectInfo(buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL);
    if (error == CL_SUCCESS && parent)
        error = clGetMemObjectInfo(buffer, CL_MEM_OFFSET, sizeof origin, &origin, NULL);
    range->root = parent ? parent : buffer;
    range->begin += origin;
    range->end += origin;
    return error;
}

/* What OpenCL tells of a buffer. */
typedef struct gpi_buffer_info {
    cl_mem_object_type type;
    cl_mem_flags flags;
    cl_context context;
    size_t bytes;
} gpi_buffer_info;

static cl_int gpi_buffer_ask(cl_mem buffer, gpi_buffer_info *info)
{
    cl_int error = clGetMemObjectInfo(buffer, CL_MEM_TYPE, sizeof info->type, &info->type, NULL);
    if (error == CL_SUCCESS)
        error = clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof info->flags, &info->flags, NULL);
    if (error == CL_SUCCESS)
        error = clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof info->context, &info->context, NULL);
    if (error == CL_SUCCESS)
        error = clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof info->bytes, &info->bytes, NULL);
    return error;
}

static gp_result gpi_check_buffer_kind(gp_context *gp, const char *function, const char *field,
                                       const gpi_buffer_info *info, int access)
{
    if (info->context != gp->context) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: %s belongs to another cl_context", function, field);
    }
    if ((access != GPI_READS && (info->flags & CL_MEM_READ_ONLY)) ||
        (access != GPI_WRITES && (info->flags & CL_MEM_WRITE_ONLY))) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: %s was created %s", function, field,
                        info->flags & CL_MEM_READ_ONLY ? "CL_MEM_READ_ONLY" : "CL_MEM_WRITE_ONLY");
    }
    return GP_OK;
}

/* A buffer that cannot be asked: because it is none, or for another reason. */
static gp_result gpi_fail_buffer(gp_context *gp, const char *function, const char *field, cl_int error)
{
    char call[96];
    if (error == CL_SUCCESS || error == CL_INVALID_MEM_OBJECT) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER,
                        "%s: %s is not a buffer: clGetMemObjectInfo returned %s (%d)", function, field,
                        error ? gpi_cl_error_name(error) : "another type", (int)error);
    }
    (void)snprintf(call, sizeof call, "%s: clGetMemObjectInfo", field);
    return gpi_fail_cl(gp, error, function, call);
}

/* Checks that elements [offset, offset + count) of `size` bytes are inside; tells where they are. */
static gp_result gpi_check_buffer(gp_context *gp, const char *function, const char *field, cl_mem buffer,
                                  size_t offset, size_t count, size_t size, int access, gpi_range *range)
{
    gpi_buffer_info info;
    gp_result result;
    cl_int error;
    if (!buffer) return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: %s is NULL", function, field);
    error = gpi_buffer_ask(buffer, &info);
    if (error != CL_SUCCESS || info.type != CL_MEM_OBJECT_BUFFER)
        return gpi_fail_buffer(gp, function, field, error);
    result = gpi_check_buffer_kind(gp, function, field, &info, access);
    if (result != GP_OK) return result;
    if (offset > info.bytes / size || count > info.bytes / size - offset) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER,
                        "%s: %s has %zu bytes, too few for offset %zu and %zu elements of %zu bytes",
                        function, field, info.bytes, offset, count, size);
    }
    range->begin = offset * size;
    range->end = (offset + count) * size;
    range->host = NULL;
    error = gpi_range_resolve(buffer, range);
    if (error == CL_SUCCESS && (info.flags & CL_MEM_USE_HOST_PTR))
        error = clGetMemObjectInfo(range->root, CL_MEM_HOST_PTR, sizeof range->host, &range->host, NULL);
    if (error != CL_SUCCESS) return gpi_fail_buffer(gp, function, field, error);
    return access == GPI_READS ? GP_OK : gpi_hash_check_apart_from_tables(gp, function, field, range);
}

static gpi_count gpi_count_make(size_t bound, cl_mem buffer, size_t offset, gp_type type)
{
    gpi_count count;
    count.bound = bound;
    count.buffer = buffer;
    count.offset = offset;
    count.type = type;
    return count;
}

/* A number that lives on the device: of 32 or 64 bits, and inside its buffer. `prefix`: of its fields. */
static gp_result gpi_check_count_named(gp_context *gp, const char *function, const char *prefix,
                                       const gpi_count *count, gpi_range *range)
{
    char field[64];
    memset(range, 0, sizeof *range);
    if (!count->buffer && count->type) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: %scount_type = %d, and %scount_buffer is NULL",
                        function, prefix, (int)count->type, prefix);
    }
    if (!count->buffer) return GP_OK;
    if (count->type && count->type != GP_U32 && count->type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: %scount_type = %d, must be GP_U32 or GP_U64",
                        function, prefix, (int)count->type);
    }
    (void)snprintf(field, sizeof field, "%scount_buffer", prefix);
    return gpi_check_buffer(gp, function, field, count->buffer, count->offset, 1,
                            count->type == GP_U64 ? 8 : 4, GPI_READS, range);
}

static gp_result gpi_check_count(gp_context *gp, const char *function, const gpi_count *count,
                                 gpi_range *range)
{
    return gpi_check_count_named(gp, function, "", count, range);
}

/* Of `count` ranges the first `read` ones are only read. The others may touch nothing else. */
static gp_result gpi_check_apart(gp_context *gp, const char *function, const char *const *names,
                                 const gpi_range *used, size_t read, size_t count)
{
    size_t a, b;
    for (a = read; a < count; a++) {
        for (b = 0; b < a; b++) {
            if (!used[a].root || !gpi_overlap(&used[a], &used[b])) continue;
            return gpi_fail_overlap(gp, function, names[b], &used[b], names[a], &used[a]);
        }
    }
    return GP_OK;
}

static bool gpi_same(const gpi_range *a, const gpi_range *b)
{
    return a->root == b->root && a->begin == b->begin && a->end == b->end;
}

static bool gpi_overlap(const gpi_range *a, const gpi_range *b)
{
    const bool on_host = a->host && b->host;
    const uintptr_t a_at = on_host ? (uintptr_t)a->host : 0, b_at = on_host ? (uintptr_t)b->host : 0;
    return (a->root == b->root || on_host) && a_at + a->begin < b_at + b->end &&
           b_at + b->begin < a_at + a->end;
}

static gp_result gpi_fail_overlap(gp_context *gp, const char *function, const char *a_name,
                                  const gpi_range *a, const char *b_name, const gpi_range *b)
{
    return gpi_fail(gp, GP_ERROR_OVERLAP, "%s: %s is bytes [%zu, %zu) and %s [%zu, %zu) of %s: they overlap",
                    function, a_name, a->begin, a->end, b_name, b->begin, b->end,
                    a->root == b->root ? "one buffer" : "buffers on one host memory (CL_MEM_USE_HOST_PTR)");
}

/* The caller's scratch, if any: large enough, and apart from what the call reads and writes. */
static gp_result gpi_check_scratch(gp_context *gp, const char *function, cl_mem scratch, size_t bytes,
                                   const gpi_range *used, size_t used_count)
{
    gpi_range range;
    gp_result result;
    size_t i;
    if (!scratch || bytes == 0) return GP_OK;
    result = gpi_check_buffer(gp, function, "scratch", scratch, 0, bytes, 1, GPI_BOTH, &range);
    for (i = 0; i < used_count && result == GP_OK; i++) {
        if (!gpi_overlap(&range, &used[i])) continue;
        result = gpi_fail_overlap(gp, function, "scratch", &range, "an input or output", &used[i]);
    }
    return result;
}

/* A read-write buffer; sizes that the device cannot give are refused before the driver sees them,
   because one implementation aborts the process. */
static gp_result gpi_alloc(gp_context *gp, const char *function, size_t bytes, cl_mem *out)
{
    cl_int error;
    *out = NULL;
    if (bytes == 0) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: a buffer of 0 bytes", function);
    if (bytes > gp->info.max_alloc_size) {
        return gpi_fail(gp, GP_ERROR_OUT_OF_DEVICE_MEMORY, "%s: %zu bytes, one buffer of %s can have %llu",
                        function, bytes, gp->info.name, (unsigned long long)gp->info.max_alloc_size);
    }
    *out = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(gp, error, function, "clCreateBuffer");
}

GP_API gp_result gp_buffer_create(gp_context *gp, size_t bytes, const void *data, cl_mem *out)
{
    gp_result result;
    cl_int error;
    if (!gp || !out) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_buffer_create: gp or out is NULL");
    result = gpi_alloc(gp, "gp_buffer_create", bytes, out);
    if (result != GP_OK || !data) return result;
    error = clEnqueueWriteBuffer(gp->queue, *out, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
    if (error == CL_SUCCESS) return GP_OK;
    (void)clReleaseMemObject(*out);
    *out = NULL;
    return gpi_fail_cl(gp, error, "gp_buffer_create", "clEnqueueWriteBuffer");
}

static gp_result gpi_alloc_zeros(gp_context *gp, size_t bytes, cl_mem *out)
{
    void *zeros = calloc(bytes, 1);
    const gp_result result = zeros ? gp_buffer_create(gp, bytes, zeros, out)
                                   : gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "gp_warmup: no memory");
    free(zeros);
    return result;
}

/* Input for a warm-up: elements that the caller's own functions can be trusted with. */
static gp_result gpi_alloc_neutral(gp_context *gp, const gpi_element *element, size_t count, cl_mem *out)
{
    unsigned char *elements;
    gp_result result;
    size_t i;
    if (element->operation.type) return gpi_alloc_zeros(gp, count * element->in_size, out);
    elements = (unsigned char *)malloc(count * element->base_size);
    if (!elements) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "gp_warmup: no memory");
    for (i = 0; i < count; i++)
        memcpy(elements + i * element->base_size, element->identity, element->base_size);
    result = gp_buffer_create(gp, count * element->base_size, elements, out);
    free(elements);
    return result;
}

/* ------------------------------------------------------------------ a call's chain of commands */

static gp_result gpi_check_events(gp_context *gp, const char *function, const cl_event *wait, cl_uint count)
{
    cl_uint i;
    if ((wait == NULL) != (count == 0)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: wait is %s and wait_count is %u", function,
                        wait ? "given" : "NULL", count);
    }
    for (i = 0; i < count; i++) {
        cl_context context = NULL;
        cl_int error;
        if (!wait[i]) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: wait[%u] is NULL", function, i);
        error = clGetEventInfo(wait[i], CL_EVENT_CONTEXT, sizeof context, &context, NULL);
        if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, function, "wait: clGetEventInfo");
        if (context != gp->context) {
            return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: wait[%u] belongs to another cl_context",
                            function, i);
        }
        if (gpi_event_status(wait[i]) < 0) {
            return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: wait[%u] has failed: %s (%d)", function, i,
                            gpi_cl_error_name(gpi_event_status(wait[i])), (int)gpi_event_status(wait[i]));
        }
    }
    return GP_OK;
}

static gp_result gpi_call_begin(gpi_call *call, gp_context *gp, const char *function, const cl_event *wait,
                                cl_uint wait_count, cl_event *done)
{
    memset(call, 0, sizeof *call);
    call->gp = gp;
    call->function = function;
    call->wait = wait;
    call->wait_count = wait_count;
    call->done = done;
    gpi_throttle(gp);
    gpi_programs_save_run(gp);
    return gpi_check_events(gp, function, wait, wait_count);
}

/* The first command must also wait for the previous user of the scratch: out-of-order queues only. */
static gp_result gpi_call_merge_busy(gpi_call *call)
{
    const cl_uint n = call->wait_count;
    cl_uint i;
    if (call->gp->scratch_busy && gpi_event_status(call->gp->scratch_busy) < 0) {
        (void)clReleaseEvent(call->gp->scratch_busy); /* it failed: waiting for it would fail this call too */
        call->gp->scratch_busy = NULL;
    }
    if (!call->gp->scratch_busy) return GP_OK;
    call->merged = (cl_event *)malloc((n + 1) * sizeof *call->merged);
    if (!call->merged) {
        return gpi_fail(call->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for a wait list",
                        call->function);
    }
    for (i = 0; i < n; i++) call->merged[i] = call->wait[i];
    call->merged[n] = call->gp->scratch_busy;
    call->wait = call->merged;
    call->wait_count = n + 1;
    return GP_OK;
}

/* `bytes` of scratch in *out: the caller's own buffer when there is one, else the context's, grown.
   A buffer that is replaced lives on until the commands that use it have ended. */
static gp_result gpi_call_scratch(gpi_call *call, cl_mem own, size_t bytes, cl_mem *out)
{
    gp_context *gp = call->gp;
    gp_result result;
    cl_mem grown;
    *out = own;
    if (own) return GP_OK; /* gpi_check_scratch has seen it */
    if (bytes > gp->scratch_size) {
        const size_t minimum = 65536;
        const size_t size = bytes < minimum ? minimum : bytes;
        result = gpi_alloc(gp, call->function, size, &grown);
        if (result != GP_OK) return result;
        if (gp->scratch) (void)clReleaseMemObject(gp->scratch);
        gp->scratch = grown;
        gp->scratch_size = size;
        gp->profile.scratch_bytes = size;
    }
    *out = gp->scratch;
    call->uses_scratch = true;
    return gpi_call_merge_busy(call);
}

/* After a command: it is what the next one waits for, where the queue does not keep order itself. Where it
   does, all of the call's commands wait for the caller's events. When one of these fails, Intel's CPU runtime
   and Mesa skip only the commands that wait for it: later ones would run on what the first ones have not
   written. */
static gp_result gpi_call_enqueued(gpi_call *call, cl_int error, const char *what, const char *kernel,
                                   cl_event event)
{
    if (error != CL_SUCCESS) return gpi_fail_cl(call->gp, error, call->function, what);
    gpi_watch(call->gp, call->function, kernel, event);
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

/* Prepares a kernel: its arguments follow in order, then its launch. */
static void gpi_call_kernel(gpi_call *call, gpi_program *program, size_t kernel)
{
    call->program = program;
    call->kernel = kernel;
    call->arg_count = 0;
    call->arg_error = CL_SUCCESS;
}

static void gpi_call_arg(gpi_call *call, size_t size, const void *value)
{
    const cl_int error = clSetKernelArg(call->program->kernel[call->kernel], call->arg_count++, size, value);
    if (call->arg_error == CL_SUCCESS) call->arg_error = error;
}

/* GPI_COUNT_PARAMETERS of base/count.cl. Where nothing is to be read, some buffer has to stand in. */
static void gpi_call_arg_count(gpi_call *call, const gpi_count *count)
{
    const cl_ulong bound = count->bound, offset = count->offset;
    const cl_mem wanted = count->buffer ? count->buffer : call->gp->counters;
    const cl_uint words = !count->buffer ? 0 : count->type == GP_U64 ? 2 : 1;
    GPI_CALL_ARG(call, bound);
    GPI_CALL_ARG(call, wanted);
    GPI_CALL_ARG(call, offset);
    GPI_CALL_ARG(call, words);
}

/* gpi_argument of element/monoid.cl: a single field as it is, else whole words. */
static void gpi_call_arg_initial(gpi_call *call, const gpi_element *element)
{
    const size_t size = element->base_size;
    gpi_call_arg(call, element->field_count == 1 ? size : gpi_round_up(size, 4), element->initial);
}

static gp_result gpi_call_launch(gpi_call *call, const gpi_plan *plan, size_t groups)
{
    gp_context *gp = call->gp;
    const size_t local = plan->group, global = groups * plan->group;
    cl_event event;
    cl_int error = call->arg_error;
    gp_result result;
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, call->function, "clSetKernelArg");
    error = clEnqueueNDRangeKernel(gp->queue, call->program->kernel[call->kernel], 1, NULL, &global, &local,
                                   call->wait_count, call->wait, &event);
    result = gpi_call_enqueued(call, error, "clEnqueueNDRangeKernel",
                               gpi_kernel_name(call->program->primitive, call->kernel), event);
    if (result != GP_OK) return result;
    gpi_program_launched(gp, call->program, call->kernel, event);
    gp->profile.launches++;
    return GP_OK;
}

/* Copies a result to the host once the call's commands have ended; waits for these and for nothing else that
   the queue may hold. */
static gp_result gpi_call_read_now(gpi_call *call, cl_mem buffer, size_t offset, size_t size, void *to)
{
    gp_context *gp = call->gp;
    cl_event event;
    cl_int error = clEnqueueReadBuffer(gp->queue, buffer, CL_FALSE, offset, size, to, call->wait_count,
                                       call->wait, &event);
    gp_result result = gpi_call_enqueued(call, error, "clEnqueueReadBuffer", NULL, event);
    if (result != GP_OK) return result;
    error = clWaitForEvents(1, &call->last);
    /* a wait that fails by itself leaves a copy behind that is still to come, to memory that is the caller's
     */
    if (error != CL_SUCCESS && gpi_event_status(call->last) > CL_COMPLETE) (void)clFinish(gp->queue);
    gpi_settle(gp);
    result = gpi_async_result(gp); /* the reason, where the wait has failed too */
    if (result == GP_OK && error == CL_SUCCESS && !gp->out_of_order) result = gpi_hash_result(gp);
    if (result != GP_OK || error == CL_SUCCESS) return result;
    return gpi_fail_cl(gp, error, call->function, "clWaitForEvents");
}

/* The same from any buffer: what the host may not read is copied on the device first. */
static gp_result gpi_call_read(gpi_call *call, cl_mem buffer, size_t offset, size_t size, void *to)
{
    cl_mem_flags flags;
    cl_mem copy;
    gp_result result;
    const cl_int error = clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    if (error != CL_SUCCESS) return gpi_fail_cl(call->gp, error, call->function, "clGetMemObjectInfo");
    if (!(flags & (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY)))
        return gpi_call_read_now(call, buffer, offset, size, to);
    result = gpi_alloc(call->gp, call->function, size, &copy);
    if (result != GP_OK) return result;
    result = gpi_call_copy(call, buffer, offset, copy, 0, size);
    if (result == GP_OK) result = gpi_call_read_now(call, copy, 0, size, to);
    (void)clReleaseMemObject(copy);
    return result;
}

/* Hands `done` over, also for a call that had nothing to enqueue, and lets go of the rest. For commands in
   the middle of a call of the API: on_async_error is told at its end. */
static gp_result gpi_call_end_within(gpi_call *call, gp_result result)
{
    gp_context *gp = call->gp;
    if (result == GP_OK && call->done && !call->last) {
        const cl_int error = clEnqueueMarkerWithWaitList(gp->queue, call->wait_count, call->wait, call->done);
        if (error != CL_SUCCESS)
            result = gpi_fail_cl(gp, error, call->function, "clEnqueueMarkerWithWaitList");
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
    free(call->merged);
    gp->released = gp->fetches;
    return result;
}

/* The same as the last thing that a call of the API does. */
static gp_result gpi_call_end(gpi_call *call, gp_result result)
{
    result = gpi_call_end_within(call, result);
    gpi_tell_failures(call->gp);
    return result;
}
