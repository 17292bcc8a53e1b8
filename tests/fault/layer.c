/* layer.c - an OpenCL layer that fails calls on purpose, and counts live objects. See fault.h.

   OPENCL_LAYERS names this library to the ICD loader (ocl-icd 2.3 and later), which then sends each call here
   first. Every function that gpuprim calls has its wrapper (tools/fault.sh compares the lists); others go by.

   A failing call touches nothing, but for the event that it would have made: that is set to a value which
   no one may use. Releases and retains cannot fail in reality: they are counted, and go on. */
#include <CL/cl_layer.h>

#include "fault.h"

extern fault_state fault_layer_state;
fault_state fault_layer_state;

static const cl_icd_dispatch *next; /* the implementations, by the loader */
static cl_icd_dispatch layer;

static void count_live(int kind, long change)
{
    (void)__atomic_add_fetch(&fault_layer_state.live[kind], change, __ATOMIC_RELAXED);
}

static void count_call(void)
{
    if (fault_layer_state.armed) (void)__atomic_add_fetch(&fault_layer_state.all_calls, 1, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ errors of calls */

/* What a call can fail with, by turns; 0 ends a list. */
enum { ERRORS_MAX = 4 };
typedef const cl_int error_list[ERRORS_MAX];

static error_list errors_query = {CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES};
static error_list errors_platforms = {CL_OUT_OF_HOST_MEMORY, -1001 /* no platform */};
static error_list errors_devices = {CL_OUT_OF_HOST_MEMORY, CL_DEVICE_NOT_FOUND, CL_OUT_OF_RESOURCES};
static error_list errors_context = {CL_OUT_OF_HOST_MEMORY, CL_DEVICE_NOT_AVAILABLE, CL_OUT_OF_RESOURCES};
static error_list errors_queue = {CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, CL_INVALID_QUEUE_PROPERTIES};
static error_list errors_buffer = {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY,
                                   CL_INVALID_BUFFER_SIZE, CL_OUT_OF_RESOURCES};
static error_list errors_source = {CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES};
static error_list errors_binary = {CL_INVALID_BINARY, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES};
static error_list errors_build = {CL_BUILD_PROGRAM_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_COMPILER_NOT_AVAILABLE,
                                  CL_OUT_OF_RESOURCES};
static error_list errors_kernel = {CL_OUT_OF_RESOURCES, CL_INVALID_KERNEL_DEFINITION, CL_OUT_OF_HOST_MEMORY};
static error_list errors_argument = {CL_OUT_OF_HOST_MEMORY, CL_INVALID_ARG_SIZE, CL_OUT_OF_RESOURCES};
static error_list errors_launch = {CL_OUT_OF_RESOURCES, CL_MEM_OBJECT_ALLOCATION_FAILURE,
                                   CL_OUT_OF_HOST_MEMORY, CL_INVALID_WORK_GROUP_SIZE};
static error_list errors_transfer = {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES,
                                     CL_OUT_OF_HOST_MEMORY};
static error_list errors_wait = {CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY};

/* CL_SUCCESS, or what the call has to fail with. */
static cl_int fault(const char *function, error_list errors)
{
    cl_int count = 0;
    count_call();
    if (!fault_hits(&fault_layer_state, FAULT_CALL, function)) return CL_SUCCESS;
    while (count < ERRORS_MAX && errors[count]) count++;
    fault_layer_state.error = errors[fault_layer_state.turn % (unsigned)count];
    return fault_layer_state.error;
}

/* ------------------------------------------------------------------ commands that fail */

/* Events of commands that have not been run. Few live at a time: one call's chain. */
enum { DROPPED_MAX = 4096 };
static cl_event dropped[DROPPED_MAX];
static unsigned dropped_count;
static bool dropping; /* from the command that fails to the next wait */

static bool is_dropped(cl_event event)
{
    unsigned i = 0;
    while (i < dropped_count && dropped[i] != event) i++;
    return i < dropped_count;
}

static void forget(cl_event event)
{
    unsigned i;
    for (i = 0; i < dropped_count; i++) {
        if (dropped[i] == event) dropped[i--] = dropped[--dropped_count];
    }
}

/* A new event: it may have the handle of a dropped one, to which the implementation still held a reference
   when the last of ours was released. */
static void count_event(cl_event event)
{
    forget(event);
    count_live(FAULT_EVENT, 1);
}

/* A command that waits for one that has failed does not run either. */
static bool waits_in_vain(cl_uint count, const cl_event *wait)
{
    cl_uint i = 0;
    while (i < count && !is_dropped(wait[i])) i++;
    return i < count;
}

/* Is this command one that does not run? One without an event, that nobody waits for, would fail unseen. */
static bool drops(const char *function, cl_uint count, const cl_event *wait, cl_event *event)
{
    if (event && waits_in_vain(count, wait)) return true;
    if (event && fault_hits(&fault_layer_state, FAULT_COMMAND, function)) {
        fault_layer_state.error = CL_OUT_OF_RESOURCES;
        dropping = true;
    }
    return dropping && event;
}

/* In the command's place: what it waits for is waited for, and its event will have failed. */
static cl_int drop(cl_command_queue queue, cl_uint count, const cl_event *wait, cl_event *event)
{
    const cl_int error = next->clEnqueueMarkerWithWaitList(queue, count, wait, event);
    if (error == CL_SUCCESS) {
        count_event(*event);
        if (dropped_count < DROPPED_MAX) dropped[dropped_count++] = *event;
    }
    return error;
}

/* ------------------------------------------------------------------ kinds of wrappers */

#define QUERY(name, errors, parameters, arguments)    \
    static cl_int CL_API_CALL layer_##name parameters \
    {                                                 \
        const cl_int fails = fault(#name, errors);    \
        return fails ? fails : next->name arguments;  \
    }

#define CREATE(name, type, kind, errors, parameters, arguments) \
    static type CL_API_CALL layer_##name parameters             \
    {                                                           \
        const cl_int fails = fault(#name, errors);              \
        type object = NULL;                                     \
        if (fails) {                                            \
            if (error) *error = fails;                          \
            return NULL;                                        \
        }                                                       \
        object = next->name arguments;                          \
        if (object) count_live(kind, 1);                        \
        return object;                                          \
    }

#define RETAIN(name, type, kind)                        \
    static cl_int CL_API_CALL layer_##name(type object) \
    {                                                   \
        const cl_int error = next->name(object);        \
        count_call();                                   \
        if (error == CL_SUCCESS) count_live(kind, 1);   \
        return error;                                   \
    }

#define RELEASE(name, type, kind)                       \
    static cl_int CL_API_CALL layer_##name(type object) \
    {                                                   \
        const cl_int error = next->name(object);        \
        count_call();                                   \
        if (error == CL_SUCCESS) count_live(kind, -1);  \
        return error;                                   \
    }

/* Parameters end with count, wait, event. A blocking command that does not run returns what one does whose
   wait list holds a failure. */
#define COMMAND(name, errors, blocks, parameters, arguments)                          \
    static cl_int CL_API_CALL layer_##name parameters                                 \
    {                                                                                 \
        cl_int result = fault(#name, errors);                                         \
        if (result) {                                                                 \
            if (event) *event = (cl_event)(size_t)0xdead;                             \
            return result;                                                            \
        }                                                                             \
        if (drops(#name, count, wait, event)) return drop(queue, count, wait, event); \
        if ((blocks) && dropping) {                                                   \
            dropping = false;                                                         \
            return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;                      \
        }                                                                             \
        result = next->name arguments;                                                \
        if (result == CL_SUCCESS && event) count_event(*event);                       \
        return result;                                                                \
    }

/* ------------------------------------------------------------------ platforms, devices, contexts, queues */

QUERY(clGetPlatformIDs, errors_platforms, (cl_uint n, cl_platform_id *ids, cl_uint *count), (n, ids, count))
QUERY(clGetPlatformInfo, errors_query,
      (cl_platform_id platform, cl_platform_info what, size_t size, void *value, size_t *needed),
      (platform, what, size, value, needed))
QUERY(clGetDeviceIDs, errors_devices,
      (cl_platform_id platform, cl_device_type type, cl_uint n, cl_device_id *ids, cl_uint *count),
      (platform, type, n, ids, count))
QUERY(clGetDeviceInfo, errors_query,
      (cl_device_id device, cl_device_info what, size_t size, void *value, size_t *needed),
      (device, what, size, value, needed))
CREATE(clCreateContext, cl_context, FAULT_CONTEXT, errors_context,
       (const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *error),
       (properties, n, devices, notify, user, error))
RETAIN(clRetainContext, cl_context, FAULT_CONTEXT)
RELEASE(clReleaseContext, cl_context, FAULT_CONTEXT)
QUERY(clGetContextInfo, errors_query,
      (cl_context context, cl_context_info what, size_t size, void *value, size_t *needed),
      (context, what, size, value, needed))
CREATE(clCreateCommandQueue, cl_command_queue, FAULT_QUEUE, errors_queue,
       (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *error),
       (context, device, properties, error))
RETAIN(clRetainCommandQueue, cl_command_queue, FAULT_QUEUE)
RELEASE(clReleaseCommandQueue, cl_command_queue, FAULT_QUEUE)
QUERY(clGetCommandQueueInfo, errors_query,
      (cl_command_queue queue, cl_command_queue_info what, size_t size, void *value, size_t *needed),
      (queue, what, size, value, needed))

/* ------------------------------------------------------------------ buffers, programs, kernels */

CREATE(clCreateBuffer, cl_mem, FAULT_BUFFER, errors_buffer,
       (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *error),
       (context, flags, size, host, error))
CREATE(clCreateSubBuffer, cl_mem, FAULT_BUFFER, errors_buffer,
       (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *region, cl_int *error),
       (buffer, flags, type, region, error))
RETAIN(clRetainMemObject, cl_mem, FAULT_BUFFER)
RELEASE(clReleaseMemObject, cl_mem, FAULT_BUFFER)
QUERY(clGetMemObjectInfo, errors_query,
      (cl_mem buffer, cl_mem_info what, size_t size, void *value, size_t *needed),
      (buffer, what, size, value, needed))
CREATE(clCreateProgramWithSource, cl_program, FAULT_PROGRAM, errors_source,
       (cl_context context, cl_uint n, const char **strings, const size_t *lengths, cl_int *error),
       (context, n, strings, lengths, error))
CREATE(clCreateProgramWithBinary, cl_program, FAULT_PROGRAM, errors_binary,
       (cl_context context, cl_uint n, const cl_device_id *devices, const size_t *lengths,
        const unsigned char **binaries, cl_int *status, cl_int *error),
       (context, n, devices, lengths, binaries, status, error))
RETAIN(clRetainProgram, cl_program, FAULT_PROGRAM)
RELEASE(clReleaseProgram, cl_program, FAULT_PROGRAM)
QUERY(clBuildProgram, errors_build,
      (cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
       void(CL_CALLBACK *notify)(cl_program, void *), void *user),
      (program, n, devices, options, notify, user))
QUERY(clGetProgramInfo, errors_query,
      (cl_program program, cl_program_info what, size_t size, void *value, size_t *needed),
      (program, what, size, value, needed))
QUERY(clGetProgramBuildInfo, errors_query,
      (cl_program program, cl_device_id device, cl_program_build_info what, size_t size, void *value,
       size_t *needed),
      (program, device, what, size, value, needed))
CREATE(clCreateKernel, cl_kernel, FAULT_KERNEL, errors_kernel,
       (cl_program program, const char *name, cl_int *error), (program, name, error))
RELEASE(clReleaseKernel, cl_kernel, FAULT_KERNEL)
QUERY(clSetKernelArg, errors_argument, (cl_kernel kernel, cl_uint index, size_t size, const void *value),
      (kernel, index, size, value))
QUERY(clGetKernelWorkGroupInfo, errors_query,
      (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t size, void *value,
       size_t *needed),
      (kernel, device, what, size, value, needed))

static void *CL_API_CALL layer_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                                        const char *name)
{
    if (fault("clGetExtensionFunctionAddressForPlatform", errors_query)) return NULL;
    return next->clGetExtensionFunctionAddressForPlatform(platform, name);
}

/* ------------------------------------------------------------------ commands */

COMMAND(clEnqueueReadBuffer, errors_transfer, blocking,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, void *to,
         cl_uint count, const cl_event *wait, cl_event *event),
        (queue, buffer, blocking, offset, size, to, count, wait, event))
COMMAND(clEnqueueWriteBuffer, errors_transfer, blocking,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
         const void *from, cl_uint count, const cl_event *wait, cl_event *event),
        (queue, buffer, blocking, offset, size, from, count, wait, event))
COMMAND(clEnqueueFillBuffer, errors_transfer, false,
        (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size, size_t offset,
         size_t size, cl_uint count, const cl_event *wait, cl_event *event),
        (queue, buffer, pattern, pattern_size, offset, size, count, wait, event))
COMMAND(clEnqueueCopyBuffer, errors_transfer, false,
        (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t size,
         cl_uint count, const cl_event *wait, cl_event *event),
        (queue, from, to, from_offset, to_offset, size, count, wait, event))
/* One that does not run is done all the same, at once: the caller has memory to unmap. */
static void *CL_API_CALL layer_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                                  cl_map_flags flags, size_t offset, size_t size,
                                                  cl_uint count, const cl_event *wait, cl_event *event,
                                                  cl_int *error)
{
    const cl_int fails = fault("clEnqueueMapBuffer", errors_transfer);
    void *memory;
    if (fails) {
        if (error) *error = fails;
        return NULL;
    }
    if (drops("clEnqueueMapBuffer", count, wait, event)) {
        memory = next->clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, 0, NULL, NULL, error);
        if (memory && drop(queue, count, wait, event) != CL_SUCCESS) abort();
        return memory;
    }
    memory =
        next->clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, count, wait, event, error);
    if (memory && event) count_event(*event);
    return memory;
}
/* Where it fails it is done all the same: PoCL leaks what stays mapped. */
static cl_int CL_API_CALL layer_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer, void *memory,
                                                        cl_uint count, const cl_event *wait, cl_event *event)
{
    cl_int result = fault("clEnqueueUnmapMemObject", errors_transfer);
    if (result) (void)next->clEnqueueUnmapMemObject(queue, buffer, memory, 0, NULL, NULL);
    if (result) return result;
    if (drops("clEnqueueUnmapMemObject", count, wait, event)) {
        (void)next->clEnqueueUnmapMemObject(queue, buffer, memory, 0, NULL, NULL);
        return drop(queue, count, wait, event);
    }
    result = next->clEnqueueUnmapMemObject(queue, buffer, memory, count, wait, event);
    if (result == CL_SUCCESS && event) count_event(*event);
    return result;
}
COMMAND(clEnqueueNDRangeKernel, errors_launch, false,
        (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *begin,
         const size_t *global, const size_t *local, cl_uint count, const cl_event *wait, cl_event *event),
        (queue, kernel, dimensions, begin, global, local, count, wait, event))
COMMAND(clEnqueueMarkerWithWaitList, errors_transfer, false,
        (cl_command_queue queue, cl_uint count, const cl_event *wait, cl_event *event),
        (queue, count, wait, event))

/* ------------------------------------------------------------------ events, waits */

RETAIN(clRetainEvent, cl_event, FAULT_EVENT)
QUERY(clGetEventProfilingInfo, errors_query,
      (cl_event event, cl_profiling_info what, size_t size, void *value, size_t *needed),
      (event, what, size, value, needed))
QUERY(clFlush, errors_wait, (cl_command_queue queue), (queue))

static cl_int CL_API_CALL layer_clReleaseEvent(cl_event event)
{
    cl_uint references = 0;
    cl_int error =
        next->clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL);
    if (error == CL_SUCCESS && references == 1) forget(event);
    error = next->clReleaseEvent(event);
    count_call();
    if (error == CL_SUCCESS) count_live(FAULT_EVENT, -1);
    return error;
}

static cl_int CL_API_CALL layer_clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *value,
                                               size_t *needed)
{
    cl_int *status = (cl_int *)value;
    const cl_int fails = fault("clGetEventInfo", errors_query);
    const cl_int error = fails ? fails : next->clGetEventInfo(event, what, size, value, needed);
    if (error == CL_SUCCESS && what == CL_EVENT_COMMAND_EXECUTION_STATUS && status &&
        *status == CL_COMPLETE && is_dropped(event))
        *status = CL_OUT_OF_RESOURCES;
    return error;
}

static cl_int CL_API_CALL layer_clWaitForEvents(cl_uint count, const cl_event *events)
{
    cl_int error = fault("clWaitForEvents", errors_wait);
    cl_uint i;
    if (error) return error;
    error = next->clWaitForEvents(count, events);
    dropping = false;
    for (i = 0; i < count && error == CL_SUCCESS; i++) {
        if (is_dropped(events[i])) error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    return error;
}

static cl_int CL_API_CALL layer_clFinish(cl_command_queue queue)
{
    const cl_int error = fault("clFinish", errors_wait);
    if (error) return error;
    dropping = false;
    return next->clFinish(queue);
}

/* ------------------------------------------------------------------ the loader's side */

/* clang-format off */
#define WRAPPED(X) \
    X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs) X(clGetDeviceInfo) X(clCreateContext) \
    X(clRetainContext) X(clReleaseContext) X(clGetContextInfo) X(clCreateCommandQueue) \
    X(clRetainCommandQueue) X(clReleaseCommandQueue) X(clGetCommandQueueInfo) X(clCreateBuffer) \
    X(clCreateSubBuffer) X(clRetainMemObject) X(clReleaseMemObject) X(clGetMemObjectInfo) \
    X(clCreateProgramWithSource) X(clCreateProgramWithBinary) X(clRetainProgram) X(clReleaseProgram) \
    X(clBuildProgram) X(clGetProgramInfo) X(clGetProgramBuildInfo) X(clCreateKernel) X(clReleaseKernel) \
    X(clSetKernelArg) X(clGetKernelWorkGroupInfo) X(clGetExtensionFunctionAddressForPlatform) \
    X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer) X(clEnqueueFillBuffer) X(clEnqueueCopyBuffer) X(clEnqueueNDRangeKernel) \
    X(clEnqueueMapBuffer) X(clEnqueueUnmapMemObject) \
    X(clEnqueueMarkerWithWaitList) X(clRetainEvent) X(clReleaseEvent) X(clGetEventInfo) \
    X(clGetEventProfilingInfo) X(clWaitForEvents) X(clFlush) X(clFinish)
/* clang-format on */

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value, size_t *needed)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (what != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
    if (value && size < sizeof version) return CL_INVALID_VALUE;
    if (value) *(cl_layer_api_version *)value = version;
    if (needed) *needed = sizeof version;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target,
                                            cl_uint *entries_out, const cl_icd_dispatch **out)
{
    if (!target || !entries_out || !out || entries < sizeof layer / sizeof(void *)) return CL_INVALID_VALUE;
    next = target;
    layer = *target;
#define SET(name) layer.name = layer_##name;
    WRAPPED(SET)
#undef SET
    *entries_out = sizeof layer / sizeof(void *);
    *out = &layer;
    return CL_SUCCESS;
}
