/* device.c - OpenCL with one device, which a file describes and which runs nothing: linked instead of the loader, it lets the
   library compose its programs as for that device, and keeps their texts.

   GPU_DEVICE    the description, lines of a key and its value: build.c writes one of a device that is there
   GPU_PROGRAMS  a folder; the n-th program that is built becomes n.cl, with its options in n.op

   Every call succeeds. Kernels leave memory as it is, and what is read are zeros: the check of sub-groups finds them right. */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Queries of later versions and of extensions, as in src/runtime/device.c. */
enum {
    MAX_NUM_SUB_GROUPS = 0x105C,
    ATOMIC_MEMORY_CAPABILITIES = 0x1063,
    WARP_SIZE_NV = 0x4003,
    WAVEFRONT_WIDTH_AMD = 0x4043,
    SUB_GROUP_SIZES_INTEL = 0x4108
};
enum { TEXT = 1 << 14, SIZES = 16 };

/* A program has its text, a buffer its size; of all others there is one. */
struct _cl_mem {
    size_t size, origin;
    cl_mem_flags flags;
    cl_mem parent;
};
struct _cl_program {
    char *text;
};
#define HANDLE(type) ((type)(void *)&handles)
static char handles;

/* ------------------------------------------------------------------ the description */

static char description[TEXT];

/* The value of a key, up to the line's end; "" where there is none. */
static const char *value_of(const char *key)
{
    static char value[TEXT];
    const size_t length = strlen(key);
    const char *line = description;
    if (!*description) {
        const char *path = getenv("GPU_DEVICE");
        FILE *file = path ? fopen(path, "rb") : NULL;
        if (!file || fread(description, 1, sizeof description - 1, file) == 0) {
            fprintf(stderr, "device: cannot read GPU_DEVICE\n");
            exit(1);
        }
        fclose(file);
    }
    value[0] = '\0';
    while (line && (strncmp(line, key, length) != 0 || line[length] != ' ')) {
        line = strchr(line, '\n');
        if (line) line++;
    }
    if (line) sprintf(value, "%.*s", (int)strcspn(line + length + 1, "\n"), line + length + 1);
    return value;
}

static cl_int give(const void *value, size_t size, size_t room, void *out, size_t *size_out)
{
    if (size_out) *size_out = size;
    if (!out) return CL_SUCCESS;
    if (room < size) return CL_INVALID_VALUE;
    memcpy(out, value, size);
    return CL_SUCCESS;
}

static cl_int give_text(const char *key, size_t room, void *out, size_t *size_out)
{
    const char *value = value_of(key);
    return give(value, strlen(value) + 1, room, out, size_out);
}

/* A number of `size` bytes; unknown where the description has none. */
static cl_int give_number(const char *key, size_t size, size_t room, void *out, size_t *size_out)
{
    const char *value = value_of(key);
    const cl_ulong number = strtoull(value, NULL, 10);
    const cl_uint word = (cl_uint)number;
    if (!*value) return CL_INVALID_VALUE;
    return size == sizeof word ? give(&word, size, room, out, size_out)
                               : give(&number, size, room, out, size_out);
}

static cl_int give_sizes(const char *key, size_t room, void *out, size_t *size_out)
{
    size_t sizes[SIZES], count = 0;
    const char *value = value_of(key);
    char *end;
    while (count < SIZES && (sizes[count] = strtoul(value, &end, 10), end != value)) {
        value = end;
        count++;
    }
    return count ? give(sizes, count * sizeof *sizes, room, out, size_out) : CL_INVALID_VALUE;
}

cl_int CL_API_CALL clGetPlatformIDs(cl_uint room, cl_platform_id *out, cl_uint *count)
{
    if (out && room) *out = HANDLE(cl_platform_id);
    if (count) *count = 1;
    return CL_SUCCESS;
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t room, void *out,
                                     size_t *size)
{
    (void)platform;
    return give_text(what == CL_PLATFORM_NAME ? "platform_name" : "platform_version", room, out, size);
}

cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room,
                                  cl_device_id *out, cl_uint *count)
{
    (void)platform, (void)type;
    if (out && room) *out = HANDLE(cl_device_id);
    if (count) *count = 1;
    return CL_SUCCESS;
}

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *out,
                                   size_t *size)
{
    (void)device;
    switch (what) {
    case CL_DEVICE_NAME: return give_text("name", room, out, size);
    case CL_DEVICE_VENDOR: return give_text("vendor", room, out, size);
    case CL_DEVICE_VERSION: return give_text("version", room, out, size);
    case CL_DRIVER_VERSION: return give_text("driver_version", room, out, size);
    case CL_DEVICE_EXTENSIONS: return give_text("extensions", room, out, size);
    case CL_DEVICE_TYPE: return give_number("type", 8, room, out, size);
    case CL_DEVICE_MAX_COMPUTE_UNITS: return give_number("compute_units", 4, room, out, size);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return give_number("max_work_group_size", sizeof(size_t), room, out, size);
    case CL_DEVICE_GLOBAL_MEM_SIZE: return give_number("global_mem_size", 8, room, out, size);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return give_number("max_alloc_size", 8, room, out, size);
    case CL_DEVICE_LOCAL_MEM_SIZE: return give_number("local_mem_size", 8, room, out, size);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: return give_number("global_cache_size", 8, room, out, size);
    case CL_DEVICE_LOCAL_MEM_TYPE: return give_number("local_mem_type", 4, room, out, size);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN: return give_number("mem_base_addr_align", 4, room, out, size);
    case MAX_NUM_SUB_GROUPS: return give_number("max_num_sub_groups", 4, room, out, size);
    case ATOMIC_MEMORY_CAPABILITIES: return give_number("atomic_memory_capabilities", 8, room, out, size);
    case WARP_SIZE_NV: return give_number("warp_size_nv", 4, room, out, size);
    case WAVEFRONT_WIDTH_AMD: return give_number("wavefront_width_amd", 4, room, out, size);
    case SUB_GROUP_SIZES_INTEL: return give_sizes("sub_group_sizes", room, out, size);
    default: return CL_INVALID_VALUE;
    }
}

/* ------------------------------------------------------------------ contexts, queues, buffers */

#define GOOD(error) \
    if (error) *error = CL_SUCCESS

cl_context CL_API_CALL clCreateContext(const cl_context_properties *properties, cl_uint count,
                                       const cl_device_id *devices,
                                       void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                       void *user, cl_int *error)
{
    (void)properties, (void)count, (void)devices, (void)notify, (void)user;
    GOOD(error);
    return HANDLE(cl_context);
}

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue_properties properties, cl_int *error)
{
    (void)context, (void)device, (void)properties;
    GOOD(error);
    return HANDLE(cl_command_queue);
}

cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                                  cl_int *error)
{
    cl_mem made = (cl_mem)calloc(1, sizeof *made);
    (void)context, (void)host;
    if (error) *error = made ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (made) made->size = size, made->flags = flags ? flags : CL_MEM_READ_WRITE;
    return made;
}

cl_mem CL_API_CALL clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type,
                                     const void *region, cl_int *error)
{
    const cl_buffer_region *part = (const cl_buffer_region *)region;
    cl_mem made = clCreateBuffer(NULL, flags ? flags : parent->flags, part->size, NULL, error);
    (void)type;
    if (made) made->parent = parent, made->origin = part->origin;
    return made;
}

cl_int CL_API_CALL clGetMemObjectInfo(cl_mem buffer, cl_mem_info what, size_t room, void *out, size_t *size)
{
    const cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
    const cl_context context = HANDLE(cl_context);
    switch (what) {
    case CL_MEM_TYPE: return give(&type, sizeof type, room, out, size);
    case CL_MEM_FLAGS: return give(&buffer->flags, sizeof buffer->flags, room, out, size);
    case CL_MEM_SIZE: return give(&buffer->size, sizeof buffer->size, room, out, size);
    case CL_MEM_CONTEXT: return give(&context, sizeof context, room, out, size);
    case CL_MEM_ASSOCIATED_MEMOBJECT: return give(&buffer->parent, sizeof buffer->parent, room, out, size);
    case CL_MEM_OFFSET: return give(&buffer->origin, sizeof buffer->origin, room, out, size);
    default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info what, size_t room, void *out,
                                    size_t *size)
{
    const cl_device_id device = HANDLE(cl_device_id);
    (void)context;
    return what == CL_CONTEXT_DEVICES ? give(&device, sizeof device, room, out, size) : CL_INVALID_VALUE;
}

cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info what, size_t room,
                                         void *out, size_t *size)
{
    const cl_command_queue_properties none = 0;
    void *handle = &handles;
    (void)queue;
    if (what == CL_QUEUE_PROPERTIES) return give(&none, sizeof none, room, out, size);
    return give(&handle, sizeof handle, room, out, size);
}

/* ------------------------------------------------------------------ programs, kernels */

cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                                 const size_t *lengths, cl_int *error)
{
    cl_program made = (cl_program)calloc(1, sizeof *made);
    (void)context, (void)count;
    if (made) made->text = lengths ? strndup(texts[0], lengths[0]) : strdup(texts[0]);
    if (error) *error = made && made->text ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    return made;
}

cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                 const cl_device_id *devices, const size_t *lengths,
                                                 const unsigned char **binaries, cl_int *status,
                                                 cl_int *error)
{
    (void)context, (void)count, (void)devices, (void)lengths, (void)binaries, (void)status;
    *error = CL_INVALID_BINARY;
    return NULL;
}

static void keep(int number, const char *ending, const char *text)
{
    char path[1 << 12];
    FILE *file;
    snprintf(path, sizeof path, "%s/%d.%s", getenv("GPU_PROGRAMS"), number, ending);
    file = fopen(path, "wb");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        fprintf(stderr, "device: cannot write %s\n", path);
        exit(1);
    }
}

cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                                  const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                  void *user)
{
    static int built;
    (void)count, (void)devices, (void)notify, (void)user;
    built++;
    keep(built, "cl", program->text);
    keep(built, "op", options ? options : "");
    return CL_SUCCESS;
}

cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info what, size_t room, void *out,
                                    size_t *size)
{
    (void)program, (void)what, (void)room, (void)out, (void)size;
    return CL_INVALID_VALUE; /* no binaries */
}

cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info what,
                                         size_t room, void *out, size_t *size)
{
    (void)program, (void)device, (void)what;
    return give("", 1, room, out, size);
}

cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char *name, cl_int *error)
{
    (void)name;
    GOOD(error);
    return (cl_kernel)(void *)program; /* which is never freed */
}

cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                            cl_kernel_work_group_info what, size_t room, void *out,
                                            size_t *size)
{
    (void)kernel, (void)device;
    if (what == CL_KERNEL_COMPILE_WORK_GROUP_SIZE) {
        const size_t group[3] = {0, 0, 0};
        return give(group, sizeof group, room, out, size);
    }
    if (what != CL_KERNEL_WORK_GROUP_SIZE) return CL_INVALID_VALUE;
    return give_number("max_work_group_size", sizeof(size_t), room, out, size);
}

/* The sub-groups that the program pins its kernels to; else the first of the device's sizes. */
static cl_int CL_API_CALL kernel_sub_group(cl_kernel kernel, cl_device_id device, cl_uint what,
                                           size_t input_size, const void *input, size_t room, void *out,
                                           size_t *size)
{
    const char *text = ((cl_program)(void *)kernel)->text, *lanes = strstr(text, "#define GPI_SUB_GROUP ");
    const bool pinned = lanes && strstr(text, "#define GPI_SUB_GROUP_PINNED 1\n");
    const size_t answer =
        strtoul(pinned ? lanes + strlen("#define GPI_SUB_GROUP ") : value_of("sub_group_sizes"), NULL, 10);
    (void)device, (void)what, (void)input_size, (void)input;
    return give(&answer, sizeof answer, room, out, size);
}

/* That of the function above: nothing else is asked for. */
void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    cl_int(CL_API_CALL * query)(cl_kernel, cl_device_id, cl_uint, size_t, const void *, size_t, void *,
                                size_t *) = kernel_sub_group;
    void *address;
    (void)platform, (void)name;
    memcpy(&address, &query, sizeof address);
    return address;
}

cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    (void)kernel, (void)index, (void)size, (void)value;
    return CL_SUCCESS;
}

/* ------------------------------------------------------------------ commands, all of which have ended */

static cl_int ended(cl_event *event)
{
    if (event) *event = HANDLE(cl_event);
    return CL_SUCCESS;
}

#define WAITS cl_uint waits, const cl_event *wait, cl_event *event

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                          const size_t *offset, const size_t *global, const size_t *local,
                                          WAITS)
{
    (void)queue, (void)kernel, (void)dimensions, (void)offset, (void)global, (void)local, (void)waits,
        (void)wait;
    return ended(event);
}

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool now, size_t offset,
                                       size_t size, void *out, WAITS)
{
    (void)queue, (void)buffer, (void)now, (void)offset, (void)waits, (void)wait;
    memset(out, 0, size);
    return ended(event);
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool now, size_t offset,
                                        size_t size, const void *data, WAITS)
{
    (void)queue, (void)buffer, (void)now, (void)offset, (void)size, (void)data, (void)waits, (void)wait;
    return ended(event);
}

cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                                       size_t pattern_size, size_t offset, size_t size, WAITS)
{
    (void)queue, (void)buffer, (void)pattern, (void)pattern_size, (void)offset, (void)size, (void)waits,
        (void)wait;
    return ended(event);
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                                       size_t to_offset, size_t size, WAITS)
{
    (void)queue, (void)from, (void)to, (void)from_offset, (void)to_offset, (void)size, (void)waits,
        (void)wait;
    return ended(event);
}

cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, WAITS)
{
    (void)queue, (void)waits, (void)wait;
    return ended(event);
}

cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info what, size_t room, void *out, size_t *size)
{
    const cl_int complete = CL_COMPLETE;
    const cl_context context = HANDLE(cl_context);
    (void)event;
    if (what == CL_EVENT_CONTEXT) return give(&context, sizeof context, room, out, size);
    return give(&complete, sizeof complete, room, out, size);
}

cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t room, void *out,
                                           size_t *size)
{
    (void)event, (void)what, (void)room, (void)out, (void)size;
    return CL_PROFILING_INFO_NOT_AVAILABLE;
}

cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event *events)
{
    (void)count, (void)events;
    return CL_SUCCESS;
}

#define SUCCEEDS(name, type)        \
    cl_int CL_API_CALL name(type x) \
    {                               \
        (void)x;                    \
        return CL_SUCCESS;          \
    }
SUCCEEDS(clFinish, cl_command_queue)
SUCCEEDS(clFlush, cl_command_queue)
SUCCEEDS(clRetainCommandQueue, cl_command_queue)
SUCCEEDS(clReleaseCommandQueue, cl_command_queue)
SUCCEEDS(clRetainContext, cl_context)
SUCCEEDS(clReleaseContext, cl_context)
SUCCEEDS(clRetainEvent, cl_event)
SUCCEEDS(clReleaseEvent, cl_event)
SUCCEEDS(clReleaseKernel, cl_kernel)
SUCCEEDS(clRetainMemObject, cl_mem)
SUCCEEDS(clReleaseMemObject, cl_mem)
SUCCEEDS(clRetainProgram, cl_program)
SUCCEEDS(clReleaseProgram, cl_program)
