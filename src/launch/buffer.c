/* buffer.c - checks buffers, counts and overlap; allocates buffers. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/use.h"
#include "launch/launch.h"

#include <stdio.h>
#include <string.h>

/* Sets range->root to the outermost buffer that contains `buffer`, and moves the range to its position in that
   buffer. */
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

/* The properties of a buffer that OpenCL reports. */
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

static gp_result gpi_check_buffer_kind(gp_context *gp, const char *field, const gpi_buffer_info *info,
                                       int access)
{
    if (info->context != gp->context) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s belongs to another cl_context", field);
    }
    if ((access >= GPI_WRITES && (info->flags & CL_MEM_READ_ONLY)) ||
        (access != GPI_WRITES && (info->flags & CL_MEM_WRITE_ONLY))) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s was created %s", field,
                        info->flags & CL_MEM_READ_ONLY ? "CL_MEM_READ_ONLY" : "CL_MEM_WRITE_ONLY");
    }
    return GP_OK;
}

/* Fails because a buffer could not be queried: it is not a buffer, or the query failed for another reason. */
static gp_result gpi_fail_buffer(gp_context *gp, const char *field, cl_int error)
{
    char call[96];
    if (error == CL_SUCCESS || error == CL_INVALID_MEM_OBJECT) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER,
                        "%s is not a buffer: clGetMemObjectInfo returned %s (%d)", field,
                        error ? gpi_cl_error_name(error) : "another type", (int)error);
    }
    (void)snprintf(call, sizeof call, "%s: clGetMemObjectInfo", field);
    return gpi_fail_cl(gp, error, call);
}

/* Checks that `buffer` contains elements [offset, offset + count) of `size` bytes and allows `access`. Sets *range to these
   bytes. */
static gp_result gpi_check_buffer(gp_context *gp, const char *field, cl_mem buffer, size_t offset,
                                  size_t count, size_t size, int access, gpi_range *range)
{
    gpi_buffer_info info;
    gp_result result;
    cl_int error;
    if (!buffer) return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s is NULL", field);
    result = gpi_check_use(gp);
    if (result != GP_OK) return result;
    error = gpi_buffer_ask(buffer, &info);
    if (error != CL_SUCCESS || info.type != CL_MEM_OBJECT_BUFFER) return gpi_fail_buffer(gp, field, error);
    result = gpi_check_buffer_kind(gp, field, &info, access);
    if (result != GP_OK) return result;
    if (offset > info.bytes / size || count > info.bytes / size - offset) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER,
                        "%s has %zu bytes, too few for offset %zu and %zu elements of %zu bytes", field,
                        info.bytes, offset, count, size);
    }
    range->begin = offset * size;
    range->end = (offset + count) * size;
    range->host = NULL;
    error = gpi_range_resolve(buffer, range);
    if (error == CL_SUCCESS && (info.flags & CL_MEM_USE_HOST_PTR))
        error = clGetMemObjectInfo(range->root, CL_MEM_HOST_PTR, sizeof range->host, &range->host, NULL);
    if (error != CL_SUCCESS) return gpi_fail_buffer(gp, field, error);
    if (access < GPI_WRITES || !gp->hash) return GP_OK;
    return gp->hash->check_apart(gp, field, range);
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

/* Checks a count in a buffer on the device: it must have 32 or 64 bits and be inside its buffer. `name` is the buffer's field,
   which ends in count_buffer. */
static gp_result gpi_check_count(gp_context *gp, const char *name, const gpi_count *count, gpi_range *range)
{
    const int prefix = (int)(strlen(name) - strlen("count_buffer"));
    memset(range, 0, sizeof *range);
    if (!count->buffer && count->type) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%.*scount_type = %d but %s is NULL", prefix, name,
                        (int)count->type, name);
    }
    if (!count->buffer) return GP_OK;
    if (count->type && count->type != GP_U32 && count->type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%.*scount_type = %d, must be GP_U32 or GP_U64", prefix,
                        name, (int)count->type);
    }
    return gpi_check_buffer(gp, name, count->buffer, count->offset, 1, count->type == GP_U64 ? 8 : 4,
                            GPI_READS, range);
}

static bool gpi_same(const gpi_range *a, const gpi_range *b)
{
    return a->root == b->root && a->begin == b->begin && a->end == b->end;
}

/* Sets *in_place to true if element in_offset of `in` and element out_offset of `out`, both of `size` bytes, have the
   same position in one buffer, or in its sub-buffers. Two NULLs count as one buffer. `field` is the input's name
   in messages; the output's name there is "out" if `field` is "in", else `field` followed by _out. */
static gp_result gpi_is_in_place(gp_context *gp, const char *field, cl_mem in, size_t in_offset, cl_mem out,
                                 size_t out_offset, size_t size, bool *in_place)
{
    char out_field[32];
    gpi_range from, to;
    gp_result result;
    cl_int error;
    *in_place = in == out && in_offset == out_offset;
    if (in == out || !in || !out) return GP_OK;
    result = gpi_check_use(gp);
    if (result != GP_OK) return result;
    from.begin = from.end = in_offset * size;
    to.begin = to.end = out_offset * size;
    error = gpi_range_resolve(in, &from);
    if (error != CL_SUCCESS) return gpi_fail_buffer(gp, field, error);
    error = gpi_range_resolve(out, &to);
    (void)snprintf(out_field, sizeof out_field, strcmp(field, "in") ? "%s_out" : "out", field);
    if (error != CL_SUCCESS) return gpi_fail_buffer(gp, out_field, error);
    *in_place = gpi_same(&from, &to);
    return GP_OK;
}

static bool gpi_overlap(const gpi_range *a, const gpi_range *b)
{
    const bool on_host = a->host && b->host;
    const uintptr_t a_at = on_host ? (uintptr_t)a->host : 0, b_at = on_host ? (uintptr_t)b->host : 0;
    if (a->begin == a->end || b->begin == b->end) return false;
    return (a->root == b->root || on_host) && a_at + a->begin < b_at + b->end &&
           b_at + b->begin < a_at + a->end;
}

/* Creates a read-write buffer. Refuses sizes that the device does not allow, since one implementation aborts the process
   for them. */
static gp_result gpi_alloc(gp_context *gp, size_t bytes, cl_mem *out)
{
    const gp_result result = gpi_check_use(gp);
    cl_int error;
    *out = NULL;
    if (result != GP_OK) return result;
    if (bytes == 0) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "a buffer of 0 bytes");
    if (bytes > gp->info.max_alloc_size) {
        return gpi_fail(gp, GP_ERROR_OUT_OF_DEVICE_MEMORY,
                        "%zu bytes, but a buffer on %s can have at most %llu", bytes, gp->info.name,
                        (unsigned long long)gp->info.max_alloc_size);
    }
    *out = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(gp, error, "clCreateBuffer");
}

static gp_result gpi_buffer_create(gp_context *gp, size_t bytes, const void *data, cl_mem *out)
{
    const gp_result result = gpi_alloc(gp, bytes, out);
    cl_int error;
    if (result != GP_OK || !data) return result;
    error = clEnqueueWriteBuffer(gp->queue, *out, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
    if (error == CL_SUCCESS) return GP_OK;
    (void)clReleaseMemObject(*out);
    *out = NULL;
    return gpi_fail_cl(gp, error, "clEnqueueWriteBuffer");
}

/* Creates a buffer. Public calls that use this function keep their own names in messages. */
GP_API gp_result gp_buffer_create(gp_context *gp, size_t bytes, const void *data, cl_mem *out)
{
    const char *const outer = gp ? gp->function : NULL;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !out) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or out is NULL");
    result = gpi_buffer_create(gp, bytes, data, out);
    gp->function = outer;
    return result;
}

static gp_result gpi_alloc_zeros(gp_context *gp, size_t bytes, cl_mem *out)
{
    void *zeros = GP_CALLOC(bytes, 1);
    const gp_result result = zeros ? gp_buffer_create(gp, bytes, zeros, out)
                                   : gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory");
    GP_FREE(zeros);
    return result;
}
