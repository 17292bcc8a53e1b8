/* buffers.c - checks the room in buffers and their overlap, maps buffers, and copies elements. */
#include "base/buffers.h"
#include "base/error.h"

#include <stdio.h>

/* Returns the bytes of an element; 0: `type` is not a gp_type. */
static size_t gpi_mpi_size_of(gp_type type)
{
    switch (type) {
#define GPI_MPI_TYPE_CASE(name, value, cl, bytes) \
    case name: return bytes;
        GP_TYPES(GPI_MPI_TYPE_CASE)
#undef GPI_MPI_TYPE_CASE
    default: return 0;
    }
}

static gp_result gpi_mpi_buffer(gp_mpi *all, size_t bytes, cl_mem *out)
{
    return gp_buffer_create(all->gp, bytes ? bytes : 1, NULL, out);
}

/* Fails unless the buffer has room for `count` elements of `size` bytes at `offset`. */
static gp_result gpi_mpi_room(gp_mpi *all, const char *function, const char *name, cl_mem buffer,
                              size_t offset, size_t count, size_t size)
{
    char line[128];
    size_t bytes = 0;
    gp_result result = GP_OK;
    if (count == 0) return GP_OK;
    if (buffer)
        result = gpi_mpi_cl(all, function, "clGetMemObjectInfo",
                            clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    if (result != GP_OK || (buffer && bytes / size >= count && bytes / size - count >= offset)) return result;
    if (!buffer) (void)snprintf(line, sizeof line, "%s is NULL", name);
    else
        (void)snprintf(line, sizeof line,
                       "%s has %zu bytes, too few for offset %zu and %zu elements of %zu bytes", name, bytes,
                       offset, count, size);
    return gpi_mpi_fail(all, GP_ERROR_INVALID_BUFFER, function, line);
}

static cl_int gpi_mpi_bytes_of(cl_mem buffer, size_t offset, size_t count, size_t size, gpi_mpi_bytes *bytes)
{
    cl_mem parent = NULL;
    cl_mem_flags flags = 0;
    size_t origin = 0;
    void *host = NULL;
    cl_int error = clGetMemObjectInfo(buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL);
    if (error == CL_SUCCESS && parent)
        error = clGetMemObjectInfo(buffer, CL_MEM_OFFSET, sizeof origin, &origin, NULL);
    bytes->root = parent ? parent : buffer;
    if (error == CL_SUCCESS)
        error = clGetMemObjectInfo(bytes->root, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    if (error == CL_SUCCESS && (flags & CL_MEM_USE_HOST_PTR))
        error = clGetMemObjectInfo(bytes->root, CL_MEM_HOST_PTR, sizeof host, &host, NULL);
    bytes->host = (uintptr_t)host;
    bytes->begin = origin + offset * size;
    bytes->end = bytes->begin + count * size;
    return error;
}

static bool gpi_mpi_overlap(const gpi_mpi_bytes *a, const gpi_mpi_bytes *b)
{
    if (a->begin == a->end || b->begin == b->end) return false;
    if (a->root == b->root) return a->begin < b->end && b->begin < a->end;
    return a->host && b->host && a->host + a->begin < b->host + b->end &&
           b->host + b->begin < a->host + a->end;
}

static gpi_mpi_span gpi_mpi_span_of(const char *name, cl_mem buffer, size_t offset, size_t count, size_t size)
{
    gpi_mpi_span span;
    span.name = name;
    span.buffer = buffer;
    span.offset = offset;
    span.count = count;
    span.size = size;
    return span;
}

/* Sets span->count so that the span ends where the buffer ends. */
static gp_result gpi_mpi_span_end(gp_mpi *all, const char *function, gpi_mpi_span *span)
{
    size_t bytes = 0;
    const cl_int error = clGetMemObjectInfo(span->buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    if (error == CL_SUCCESS && bytes / span->size > span->offset)
        span->count = bytes / span->size - span->offset;
    return gpi_mpi_cl(all, function, "clGetMemObjectInfo", error);
}

/* Fails unless the elements are in their buffer, which belongs to the context, and kernels may write them. If
   `also_read`, kernels must be allowed to read them, too. */
static gp_result gpi_mpi_check_written(gp_mpi *all, const char *function, const gpi_mpi_span *to,
                                       bool also_read)
{
    const cl_mem_flags refused = CL_MEM_READ_ONLY | (also_read ? CL_MEM_WRITE_ONLY : 0);
    char line[128];
    cl_context context = NULL;
    cl_mem_flags flags = 0;
    cl_int error;
    gp_result result = gpi_mpi_room(all, function, to->name, to->buffer, to->offset, to->count, to->size);
    if (result != GP_OK || to->count == 0) return result;
    error = clGetMemObjectInfo(to->buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (error == CL_SUCCESS) error = clGetMemObjectInfo(to->buffer, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    result = gpi_mpi_cl(all, function, "clGetMemObjectInfo", error);
    if (result != GP_OK || (context == gp_cl_context(all->gp) && !(flags & refused))) return result;
    if (context != gp_cl_context(all->gp))
        (void)snprintf(line, sizeof line, "%s belongs to another cl_context", to->name);
    else
        (void)snprintf(line, sizeof line, "%s was created %s", to->name,
                       flags & CL_MEM_READ_ONLY ? "CL_MEM_READ_ONLY" : "CL_MEM_WRITE_ONLY");
    return gpi_mpi_fail(all, GP_ERROR_INVALID_BUFFER, function, line);
}

/* Fails if the elements of `a` overlap the elements that are written to `to`. `in_place`: both may begin at the same
   byte. */
static gp_result gpi_mpi_check_apart(gp_mpi *all, const char *function, const gpi_mpi_span *a,
                                     const gpi_mpi_span *to, bool in_place)
{
    gpi_mpi_bytes from, written;
    char line[128];
    cl_int error;
    gp_result result;
    if (!a->buffer || !to->buffer || a->count == 0 || to->count == 0) return GP_OK;
    error = gpi_mpi_bytes_of(a->buffer, a->offset, a->count, a->size, &from);
    if (error == CL_SUCCESS) error = gpi_mpi_bytes_of(to->buffer, to->offset, to->count, to->size, &written);
    result = gpi_mpi_cl(all, function, "clGetMemObjectInfo", error);
    if (result != GP_OK || !gpi_mpi_overlap(&from, &written)) return result;
    if (in_place && from.root == written.root && from.begin == written.begin) return GP_OK;
    (void)snprintf(line, sizeof line, "%s and %s overlap", a->name, to->name);
    return gpi_mpi_fail(all, GP_ERROR_OVERLAP, function, line);
}

/* Fails if the elements that are written to `to` overlap those of an argument. */
static gp_result gpi_mpi_check_args_apart(gp_mpi *all, const char *function, const gp_arg *args,
                                          size_t arg_count, const gpi_mpi_span *to)
{
    gp_result result = GP_OK;
    size_t k;
    for (k = 0; k < arg_count && result == GP_OK; k++) {
        const gp_arg *arg = &args[k];
        const size_t size = arg->record ? arg->record->size : gpi_mpi_size_of(arg->type);
        char name[32];
        gpi_mpi_span span;
        if (!arg->buffer || size == 0) continue;
        (void)snprintf(name, sizeof name, "args[%u].buffer", (unsigned)k);
        span = gpi_mpi_span_of(name, arg->buffer, arg->offset, arg->count, size);
        if (!arg->count) result = gpi_mpi_span_end(all, function, &span);
        if (result == GP_OK) result = gpi_mpi_check_apart(all, function, &span, to, false);
    }
    return result;
}

static gp_result gpi_mpi_map(gp_mpi *all, const char *function, cl_mem buffer, cl_map_flags flags,
                             size_t offset, size_t bytes, void **out)
{
    cl_int error;
    *out = NULL;
    if (bytes == 0) return GP_OK;
    *out = clEnqueueMapBuffer(gp_cl_queue(all->gp), buffer, CL_TRUE, flags, offset, bytes, 0, NULL, NULL,
                              &error);
    return gpi_mpi_cl(all, function, "clEnqueueMapBuffer", error);
}

/* Waits for a command that `call` has enqueued, since later commands may not wait for it. Fails if `error` is set. */
static gp_result gpi_mpi_wait(gp_mpi *all, const char *function, const char *call, cl_int error,
                              cl_event event)
{
    if (error != CL_SUCCESS) return gpi_mpi_cl(all, function, call, error);
    error = clWaitForEvents(1, &event);
    (void)clReleaseEvent(event);
    return gpi_mpi_cl(all, function, "clWaitForEvents", error);
}

static gp_result gpi_mpi_unmap(gp_mpi *all, const char *function, cl_mem buffer, void *mapped)
{
    cl_event event = NULL;
    cl_int error;
    if (!mapped) return GP_OK;
    error = clEnqueueUnmapMemObject(gp_cl_queue(all->gp), buffer, mapped, 0, NULL, &event);
    return gpi_mpi_wait(all, function, "clEnqueueUnmapMemObject", error, event);
}

static gp_result gpi_mpi_copy(gp_mpi *all, const char *function, cl_mem from, size_t from_byte, cl_mem to,
                              size_t to_byte, size_t bytes)
{
    cl_event event = NULL;
    cl_int error;
    if (bytes == 0) return GP_OK;
    error = clEnqueueCopyBuffer(gp_cl_queue(all->gp), from, to, from_byte, to_byte, bytes, 0, NULL, &event);
    return gpi_mpi_wait(all, function, "clEnqueueCopyBuffer", error, event);
}
