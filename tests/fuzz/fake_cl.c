/* fake_cl.c - see fake_cl.h. */
#include "fake_cl.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t fake_live, fake_errors, fake_offered_size, fake_offers;
const char *fake_error = "";
unsigned char *fake_offered;

/* ------------------------------------------------------------------ objects */

/* The first member is what the ICD loader wants of an object; nobody looks at it here. */
typedef struct fake_object {
    const void *dispatch;
    unsigned references;
} fake_object;

struct _cl_platform_id {
    const char *name;
};

struct _cl_device_id {
    struct _cl_platform_id *platform;
    const char *name, *vendor, *extensions;
    cl_device_type type;
    size_t group;
    cl_ulong local;
};

struct _cl_context {
    fake_object object;
    cl_device_id device;
};

struct _cl_command_queue {
    fake_object object;
    cl_context context;
    cl_command_queue_properties properties;
};

struct _cl_mem {
    fake_object object;
    cl_context context;
    cl_mem parent;
    size_t origin, size;
    cl_mem_flags flags;
    cl_mem_object_type type;
    unsigned char *data;
};

struct _cl_event {
    fake_object object;
    cl_context context;
    cl_int status;
};

struct _cl_program {
    fake_object object;
    cl_context context;
    bool built;
};

enum { FAKE_ARGUMENTS = 64 };

struct _cl_kernel {
    fake_object object;
    cl_program program;
    uint64_t set; /* bit k: argument k */
    unsigned launched_with;
    bool is_check; /* of sub-groups: the one kernel that does something, which is to find nothing wrong */
    cl_mem found;  /* its argument */
};

static cl_int fail(cl_int error, const char *text)
{
    fake_errors++;
    fake_error = text;
    return error;
}

static void *make(size_t size)
{
    fake_object *object = calloc(1, size);
    if (!object) abort();
    object->references = 1;
    fake_live++;
    return object;
}

/* True when that was the last reference. */
static bool release(void *p)
{
    fake_object *object = p;
    if (--object->references > 0) return false;
    fake_live--;
    return true;
}

static cl_int retain(void *p)
{
    ((fake_object *)p)->references++;
    return CL_SUCCESS;
}

/* What every clGet...Info does with a value. */
static cl_int give(const void *value, size_t value_size, size_t size, void *to, size_t *needed)
{
    if (needed) *needed = value_size;
    if (!to) return CL_SUCCESS;
    if (size < value_size) return fail(CL_INVALID_VALUE, "too little room for a value");
    memcpy(to, value, value_size);
    return CL_SUCCESS;
}
#define GIVE(value) give(&(value), sizeof(value), size, to, needed)
#define GIVE_TEXT(text) give(text, strlen(text) + 1, size, to, needed)

/* ------------------------------------------------------------------ platform, devices */

#define BASE "cl_khr_int64_base_atomics"
static struct _cl_platform_id platforms[] = {
    {"Portable Computing Language"}, {"A platform of GPUs"}, {"rusticl"}};
static struct _cl_device_id devices[FAKE_DEVICES] = {
    {&platforms[0], "cpu", "AuthenticAMD", BASE " cl_khr_int64_extended_atomics cl_khr_fp64",
     CL_DEVICE_TYPE_CPU, 4096, 512 << 10},
    {&platforms[1], "gpu", "NVIDIA Corporation", BASE " cl_khr_fp64 cl_khr_fp16 cl_nv_device_attribute_query",
     CL_DEVICE_TYPE_GPU, 1024, 48 << 10},
    {&platforms[1], "gpu of 32 bits", "ARM", "cl_khr_byte_addressable_store", CL_DEVICE_TYPE_GPU, 256,
     16 << 10},
    {&platforms[2], "llvmpipe", "Mesa", BASE, CL_DEVICE_TYPE_CPU, 1024, 32 << 10},
};

cl_device_id fake_device(int which) { return &devices[which]; }

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *out, cl_uint *count)
{
    const cl_uint n = sizeof platforms / sizeof *platforms;
    cl_uint i;
    for (i = 0; out && i < room && i < n; i++) out[i] = &platforms[i];
    if (count) *count = n;
    return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size, void *to,
                         size_t *needed)
{
    (void)what;
    return GIVE_TEXT(platform->name);
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id *out,
                      cl_uint *count)
{
    cl_uint n = 0;
    size_t i;
    (void)type;
    for (i = 0; i < FAKE_DEVICES; i++) {
        if (devices[i].platform != platform) continue;
        if (out && n < room) out[n] = &devices[i];
        n++;
    }
    if (count) *count = n;
    return CL_SUCCESS;
}

static cl_int give_device_number(cl_device_id device, cl_device_info what, size_t size, void *to,
                                 size_t *needed)
{
    const cl_uint units = 4, warp = 32,
                  local_type = device->type == CL_DEVICE_TYPE_GPU ? CL_LOCAL : CL_GLOBAL;
    const cl_ulong memory = (cl_ulong)64 << 20, alloc = FAKE_MAX_ALLOC, cache = 1 << 20;
    switch (what) {
    case CL_DEVICE_PLATFORM: return GIVE(device->platform);
    case CL_DEVICE_TYPE: return GIVE(device->type);
    case CL_DEVICE_MAX_COMPUTE_UNITS: return GIVE(units);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: return GIVE(device->group);
    case CL_DEVICE_GLOBAL_MEM_SIZE: return GIVE(memory);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return GIVE(alloc);
    case CL_DEVICE_LOCAL_MEM_SIZE: return GIVE(device->local);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: return GIVE(cache);
    case CL_DEVICE_LOCAL_MEM_TYPE: return GIVE(local_type);
    case CL_DEVICE_WARP_SIZE_NV: return GIVE(warp);
    default: return CL_INVALID_VALUE; /* a newer standard's */
    }
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *to, size_t *needed)
{
    switch (what) {
    case CL_DEVICE_NAME: return GIVE_TEXT(device->name);
    case CL_DEVICE_VENDOR: return GIVE_TEXT(device->vendor);
    case CL_DEVICE_VERSION: return GIVE_TEXT("OpenCL 1.2 fake");
    case CL_DRIVER_VERSION: return GIVE_TEXT("1");
    case CL_DEVICE_EXTENSIONS: return GIVE_TEXT(device->extensions);
    default: return give_device_number(device, what, size, to, needed);
    }
}

/* ------------------------------------------------------------------ contexts, queues */

cl_context clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *device,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
                           cl_int *error)
{
    cl_context context = make(sizeof *context);
    (void)properties;
    (void)count;
    (void)notify;
    (void)user;
    context->device = device[0];
    if (error) *error = CL_SUCCESS;
    return context;
}

cl_int clRetainContext(cl_context context) { return retain(context); }

cl_int clReleaseContext(cl_context context)
{
    if (release(context)) free(context);
    return CL_SUCCESS;
}

cl_int clGetContextInfo(cl_context context, cl_context_info what, size_t size, void *to, size_t *needed)
{
    if (what != CL_CONTEXT_DEVICES) return fail(CL_INVALID_VALUE, "clGetContextInfo");
    return GIVE(context->device);
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *error)
{
    cl_command_queue queue = make(sizeof *queue);
    (void)device;
    (void)retain(context);
    queue->context = context;
    queue->properties = properties;
    if (error) *error = CL_SUCCESS;
    return queue;
}

cl_int clRetainCommandQueue(cl_command_queue queue) { return retain(queue); }

cl_int clReleaseCommandQueue(cl_command_queue queue)
{
    cl_context context = queue->context;
    if (release(queue)) {
        (void)clReleaseContext(context);
        free(queue);
    }
    return CL_SUCCESS;
}

cl_int clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info what, size_t size, void *to,
                             size_t *needed)
{
    switch (what) {
    case CL_QUEUE_CONTEXT: return GIVE(queue->context);
    case CL_QUEUE_DEVICE: return GIVE(queue->context->device);
    case CL_QUEUE_PROPERTIES: return GIVE(queue->properties);
    default: return fail(CL_INVALID_VALUE, "clGetCommandQueueInfo");
    }
}

cl_int clFlush(cl_command_queue queue)
{
    (void)queue;
    return CL_SUCCESS;
}

cl_int clFinish(cl_command_queue queue)
{
    (void)queue;
    return CL_SUCCESS;
}

/* ------------------------------------------------------------------ buffers */

static cl_mem make_mem(cl_context context, cl_mem_flags flags, size_t size)
{
    cl_mem mem = make(sizeof *mem);
    (void)retain(context);
    mem->context = context;
    mem->flags = flags;
    mem->size = size;
    mem->type = CL_MEM_OBJECT_BUFFER;
    return mem;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *error)
{
    cl_mem mem;
    if (size == 0 || size > FAKE_MAX_ALLOC) {
        *error = fail(CL_INVALID_BUFFER_SIZE, "clCreateBuffer: a size that no device can give");
        return NULL;
    }
    mem = make_mem(context, flags, size);
    mem->data = calloc(size, 1);
    if (!mem->data) abort();
    if (host) memcpy(mem->data, host, size);
    *error = CL_SUCCESS;
    return mem;
}

cl_mem clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
                         cl_int *error)
{
    const cl_buffer_region *region = info;
    cl_mem mem;
    *error = CL_SUCCESS;
    if (type != CL_BUFFER_CREATE_TYPE_REGION || parent->parent || parent->type != CL_MEM_OBJECT_BUFFER)
        *error = fail(CL_INVALID_MEM_OBJECT, "clCreateSubBuffer: of no buffer, or of a part");
    else if (region->size == 0 || region->origin > parent->size ||
             region->size > parent->size - region->origin)
        *error = fail(CL_INVALID_VALUE, "clCreateSubBuffer: outside");
    else if (region->origin % FAKE_ALIGNMENT)
        *error = fail(CL_MISALIGNED_SUB_BUFFER_OFFSET, "clCreateSubBuffer: alignment");
    if (*error != CL_SUCCESS) return NULL;
    mem = make_mem(parent->context, flags ? flags : parent->flags, region->size);
    (void)retain(parent);
    mem->parent = parent;
    mem->origin = region->origin;
    mem->data = parent->data + region->origin;
    return mem;
}

cl_mem fake_image(cl_context context)
{
    cl_mem mem = make_mem(context, CL_MEM_READ_WRITE, 64);
    mem->type = CL_MEM_OBJECT_IMAGE2D;
    mem->data = calloc(64, 1);
    if (!mem->data) abort();
    return mem;
}

cl_int clRetainMemObject(cl_mem mem) { return retain(mem); }

cl_int clReleaseMemObject(cl_mem mem)
{
    cl_context context = mem->context;
    cl_mem parent = mem->parent;
    if (!release(mem)) return CL_SUCCESS;
    if (!parent) free(mem->data);
    free(mem);
    if (parent) (void)clReleaseMemObject(parent);
    return clReleaseContext(context);
}

cl_int clGetMemObjectInfo(cl_mem mem, cl_mem_info what, size_t size, void *to, size_t *needed)
{
    switch (what) {
    case CL_MEM_TYPE: return GIVE(mem->type);
    case CL_MEM_FLAGS: return GIVE(mem->flags);
    case CL_MEM_SIZE: return GIVE(mem->size);
    case CL_MEM_CONTEXT: return GIVE(mem->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT: return GIVE(mem->parent);
    case CL_MEM_OFFSET: return GIVE(mem->origin);
    default: return fail(CL_INVALID_VALUE, "clGetMemObjectInfo");
    }
}

/* ------------------------------------------------------------------ events */

cl_event fake_event(cl_context context, cl_int status)
{
    cl_event event = make(sizeof *event);
    (void)retain(context);
    event->context = context;
    event->status = status;
    return event;
}

cl_int clRetainEvent(cl_event event) { return retain(event); }

cl_int clReleaseEvent(cl_event event)
{
    cl_context context = event->context;
    if (!release(event)) return CL_SUCCESS;
    free(event);
    return clReleaseContext(context);
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *to, size_t *needed)
{
    switch (what) {
    case CL_EVENT_CONTEXT: return GIVE(event->context);
    case CL_EVENT_COMMAND_EXECUTION_STATUS: return GIVE(event->status);
    default: return fail(CL_INVALID_VALUE, "clGetEventInfo");
    }
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t size, void *to, size_t *needed)
{
    const cl_ulong time = what == CL_PROFILING_COMMAND_END ? 2 : 1;
    (void)event;
    return GIVE(time);
}

static cl_int check_wait(cl_context context, cl_uint count, const cl_event *wait)
{
    cl_uint i;
    if ((count == 0) != (wait == NULL)) return fail(CL_INVALID_EVENT_WAIT_LIST, "a wait list and its length");
    for (i = 0; i < count; i++) {
        if (!wait[i] || wait[i]->object.references == 0) return fail(CL_INVALID_EVENT_WAIT_LIST, "an event");
        if (wait[i]->context != context) return fail(CL_INVALID_CONTEXT, "an event of another context");
        if (wait[i]->status < 0) return fail(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "a failed event");
    }
    return CL_SUCCESS;
}

cl_int clWaitForEvents(cl_uint count, const cl_event *events)
{
    return count ? check_wait(events[0]->context, count, events) : fail(CL_INVALID_VALUE, "clWaitForEvents");
}

/* ------------------------------------------------------------------ commands */

static cl_int enqueued(cl_command_queue queue, cl_event *event)
{
    if (event) *event = fake_event(queue->context, CL_COMPLETE);
    return CL_SUCCESS;
}

static bool is_inside(cl_mem mem, size_t offset, size_t size)
{
    return mem->type == CL_MEM_OBJECT_BUFFER && size > 0 && offset <= mem->size && size <= mem->size - offset;
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset, size_t size,
                           void *to, cl_uint count, const cl_event *wait, cl_event *event)
{
    const cl_int error = check_wait(queue->context, count, wait);
    (void)blocking;
    if (error) return error;
    if (!is_inside(mem, offset, size)) return fail(CL_INVALID_VALUE, "clEnqueueReadBuffer");
    if (mem->flags & (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY))
        return fail(CL_INVALID_OPERATION, "clEnqueueReadBuffer");
    memcpy(to, mem->data + offset, size);
    return enqueued(queue, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset, size_t size,
                            const void *from, cl_uint count, const cl_event *wait, cl_event *event)
{
    const cl_int error = check_wait(queue->context, count, wait);
    (void)blocking;
    if (error) return error;
    if (!is_inside(mem, offset, size)) return fail(CL_INVALID_VALUE, "clEnqueueWriteBuffer");
    if (mem->flags & (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_READ_ONLY))
        return fail(CL_INVALID_OPERATION, "clEnqueueWriteBuffer");
    memcpy(mem->data + offset, from, size);
    return enqueued(queue, event);
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem mem, const void *pattern, size_t pattern_size,
                           size_t offset, size_t size, cl_uint count, const cl_event *wait, cl_event *event)
{
    const cl_int error = check_wait(queue->context, count, wait);
    size_t i;
    if (error) return error;
    if (!is_inside(mem, offset, size) || pattern_size == 0 || offset % pattern_size || size % pattern_size)
        return fail(CL_INVALID_VALUE, "clEnqueueFillBuffer");
    for (i = 0; i < size; i += pattern_size) memcpy(mem->data + offset + i, pattern, pattern_size);
    return enqueued(queue, event);
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                           size_t to_offset, size_t size, cl_uint count, const cl_event *wait,
                           cl_event *event)
{
    const cl_int error = check_wait(queue->context, count, wait);
    const unsigned char *a;
    unsigned char *b;
    if (error) return error;
    if (!is_inside(from, from_offset, size) || !is_inside(to, to_offset, size))
        return fail(CL_INVALID_VALUE, "clEnqueueCopyBuffer");
    a = from->data + from_offset;
    b = to->data + to_offset;
    if (a < b + size && b < a + size) return fail(CL_MEM_COPY_OVERLAP, "clEnqueueCopyBuffer: overlap");
    memcpy(b, a, size);
    return enqueued(queue, event);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *wait,
                                   cl_event *event)
{
    const cl_int error = check_wait(queue->context, count, wait);
    return error ? error : enqueued(queue, event);
}

/* Every argument below the highest one is set, and as many as at the launch before. */
cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local, cl_uint count,
                              const cl_event *wait, cl_event *event)
{
    const cl_int error = check_wait(queue->context, count, wait);
    unsigned arguments = 0;
    if (error) return error;
    while (kernel->set >> arguments & 1) arguments++;
    if (arguments == 0 || kernel->set >> arguments)
        return fail(CL_INVALID_KERNEL_ARGS, "an argument is not set");
    if (kernel->launched_with && kernel->launched_with != arguments)
        return fail(CL_INVALID_KERNEL_ARGS, "other arguments than before");
    kernel->launched_with = arguments;
    if (dimensions != 1 || offset || global[0] == 0) return fail(CL_INVALID_GLOBAL_WORK_SIZE, "global size");
    if (local[0] == 0 || local[0] > queue->context->device->group || global[0] % local[0])
        return fail(CL_INVALID_WORK_GROUP_SIZE, "group size");
    if (kernel->is_check) memset(kernel->found->data, 0, kernel->found->size);
    return enqueued(queue, event);
}

/* ------------------------------------------------------------------ programs */

static const char binary[] = "a binary of the fake OpenCL";

static cl_program make_program(cl_context context)
{
    cl_program program = make(sizeof *program);
    (void)retain(context);
    program->context = context;
    return program;
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                     const size_t *lengths, cl_int *error)
{
    *error = CL_SUCCESS;
    if (count != 1 || !texts[0] || lengths) {
        *error = fail(CL_INVALID_VALUE, "clCreateProgramWithSource");
        return NULL;
    }
    return make_program(context);
}

void fake_forget_offers(void)
{
    free(fake_offered);
    fake_offered = NULL;
    fake_offered_size = fake_offers = 0;
}

/* Takes its own binaries only. */
cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id *device,
                                     const size_t *sizes, const unsigned char **binaries, cl_int *status,
                                     cl_int *error)
{
    (void)count;
    (void)device;
    free(fake_offered);
    fake_offered = malloc(sizes[0] ? sizes[0] : 1);
    if (!fake_offered) abort();
    memcpy(fake_offered, binaries[0], sizes[0]);
    fake_offered_size = sizes[0];
    fake_offers++;
    *status = *error = CL_SUCCESS;
    if (sizes[0] == sizeof binary && memcmp(binaries[0], binary, sizeof binary) == 0)
        return make_program(context);
    *status = CL_INVALID_BINARY; /* as a driver may: no fault of the caller's */
    if (sizes[0] % 2) return make_program(context);
    *error = CL_INVALID_BINARY;
    return NULL;
}

cl_int clRetainProgram(cl_program program) { return retain(program); }

cl_int clReleaseProgram(cl_program program)
{
    cl_context context = program->context;
    if (!release(program)) return CL_SUCCESS;
    free(program);
    return clReleaseContext(context);
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *device, const char *options,
                      void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
    (void)count;
    (void)device;
    (void)options;
    (void)notify;
    (void)user;
    program->built = true;
    return CL_SUCCESS;
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info what, size_t size,
                             void *to, size_t *needed)
{
    (void)program;
    (void)device;
    (void)what;
    return GIVE_TEXT("");
}

cl_int clGetProgramInfo(cl_program program, cl_program_info what, size_t size, void *to, size_t *needed)
{
    const cl_uint one = 1;
    const size_t binary_size = sizeof binary;
    switch (what) {
    case CL_PROGRAM_NUM_DEVICES: return GIVE(one);
    case CL_PROGRAM_DEVICES: return GIVE(program->context->device);
    case CL_PROGRAM_BINARY_SIZES: return GIVE(binary_size);
    case CL_PROGRAM_BINARIES:
        if (needed) *needed = sizeof(unsigned char *);
        if (to && size < sizeof(unsigned char *)) return fail(CL_INVALID_VALUE, "CL_PROGRAM_BINARIES");
        if (to && *(unsigned char **)to) memcpy(*(unsigned char **)to, binary, sizeof binary);
        return CL_SUCCESS;
    default: return fail(CL_INVALID_VALUE, "clGetProgramInfo");
    }
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *error)
{
    cl_kernel kernel;
    *error = CL_SUCCESS;
    if (!program->built || strncmp(name, "gp_", 3) != 0) {
        *error = fail(CL_INVALID_KERNEL_NAME, "clCreateKernel");
        return NULL;
    }
    kernel = make(sizeof *kernel);
    (void)retain(program);
    kernel->program = program;
    kernel->is_check = strcmp(name, "gp_sub_group_check") == 0;
    return kernel;
}

cl_int clReleaseKernel(cl_kernel kernel)
{
    cl_program program = kernel->program;
    if (!release(kernel)) return CL_SUCCESS;
    free(kernel);
    return clReleaseProgram(program);
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
                                size_t size, void *to, size_t *needed)
{
    (void)kernel;
    if (what != CL_KERNEL_WORK_GROUP_SIZE) return fail(CL_INVALID_VALUE, "clGetKernelWorkGroupInfo");
    return GIVE(device->group);
}

void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    (void)platform;
    (void)name;
    return NULL;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint k, size_t size, const void *value)
{
    if (k >= FAKE_ARGUMENTS || size == 0 || !value) return fail(CL_INVALID_ARG_VALUE, "clSetKernelArg");
    kernel->set |= (uint64_t)1 << k;
    if (kernel->is_check) memcpy(&kernel->found, value, sizeof kernel->found);
    return CL_SUCCESS;
}
