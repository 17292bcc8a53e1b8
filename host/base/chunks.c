/* chunks.c - passes chunks through the device. */
#include "base/chunks.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* With several contexts: the number of chunks per context, and the fewest elements of a chunk. */
enum { GPI_HOST_SHARES = 32, GPI_HOST_LEAST = 1 << 16 };

static void gpi_host_release(cl_event *event)
{
    if (*event) clReleaseEvent(*event);
    *event = NULL;
}

/* Releases the event *at, and stores `event` there. */
static void gpi_host_keep(cl_event *at, cl_event event)
{
    gpi_host_release(at);
    *at = event;
}

/* ------------------------------------------------------------------ contexts */

static gpi_host_chunks *gpi_host_device(gpi_host_chunks *c, size_t k) { return k ? &c->rest[k - 1] : c; }

static gp_result gpi_host_chunks_share(gpi_host_chunks *c, gp_context *const *others, size_t other_count,
                                       const gp_arg *args, size_t arg_count)
{
    size_t k, i;
    if (!other_count) return GP_OK;
    if (!others)
        return gpi_host_fail(c->gp, GP_ERROR_INVALID_ARGUMENT, "%s: others is NULL, other_count = %zu",
                             c->function, other_count);
    for (k = 0; k < other_count; k++) {
        if (!others[k])
            return gpi_host_fail(c->gp, GP_ERROR_INVALID_ARGUMENT, "%s: others[%zu] is NULL", c->function, k);
        if (others[k] == c->gp)
            return gpi_host_fail(c->gp, GP_ERROR_INVALID_ARGUMENT, "%s: others[%zu] is gp", c->function, k);
        for (i = 0; i < k; i++) {
            if (others[i] == others[k])
                return gpi_host_fail(c->gp, GP_ERROR_INVALID_ARGUMENT, "%s: others[%zu] is others[%zu]",
                                     c->function, k, i);
        }
    }
    for (i = 0; args && i < arg_count; i++) {
        if (!args[i].value)
            return gpi_host_fail(
                c->gp, GP_ERROR_INVALID_ARGUMENT,
                "%s: args[%zu] is a buffer, which belongs to one context: with others only values",
                c->function, i);
    }
    c->more = others;
    c->devices = 1 + other_count;
    return GP_OK;
}

/* Creates the structs of the further contexts, as copies of the first context's struct. */
static gp_result gpi_host_devices(gpi_host_chunks *c)
{
    size_t k;
    if (!c->count) c->devices = 1;
    if (c->devices == 1) return GP_OK;
    if (c->devices - 1 <= SIZE_MAX / sizeof *c)
        c->rest = (gpi_host_chunks *)GPI_HOST_MALLOC((c->devices - 1) * sizeof *c);
    if (!c->rest)
        return gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu contexts",
                             c->function, c->devices);
    for (k = 1; k < c->devices; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        *device = *c;
        device->gp = c->more[k - 1];
        device->rest = NULL;
    }
    return GP_OK;
}

static gp_result gpi_host_of(gpi_host_chunks *c, const gpi_host_chunks *device, gp_result result)
{
    const char *text, *colon;
    const size_t name = strlen(c->function);
    char where[32] = "gp";
    if (result == GP_OK || c->devices == 1) return result;
    if (device != c) (void)snprintf(where, sizeof where, "others[%zu]", (size_t)(device - c->rest));
    text = gp_last_error(device->gp);
    colon = strstr(text, ": "); /* skips the result's name, which gp_set_error writes again */
    if (colon) text = colon + 2;
    if (strncmp(text, c->function, name) == 0 && strncmp(text + name, ": ", 2) == 0) text += name + 2;
    return gpi_host_fail(c->gp, result, "%s: %s (%s): %s", c->function, where,
                         gp_context_info(device->gp)->name, text);
}

/* ------------------------------------------------------------------ sizes */

static size_t gpi_host_budget(const gp_context *gp, size_t budget)
{
    const gp_device_info *info = gp_context_info(gp);
    cl_ulong most = info->global_mem_size / 4;
    if (budget) return budget;
    if (most > info->max_alloc_size) most = info->max_alloc_size;
    return most > SIZE_MAX ? SIZE_MAX : (size_t)most;
}

static size_t gpi_host_number(const gpi_host_chunks *c, size_t chunk)
{
    return c->count / chunk + (c->count % chunk > 0);
}

/* Sets *bytes to the scratch for a chunk of `chunk` elements, or, if it is larger, the scratch for the last chunk,
   which is shorter but may need more. */
static gp_result gpi_host_scratch(gpi_host_chunks *c, size_t chunk, size_t *bytes)
{
    const size_t rest = c->count % chunk;
    size_t last = 0;
    gp_result result = c->scratch_size(c, chunk, bytes);
    if (result == GP_OK && rest) result = c->scratch_size(c, rest, &last);
    if (last > *bytes) *bytes = last;
    return result;
}

/* Sets *fits to true if chunks of `chunk` elements are within the budget, and their buffers within the device's
   limit. */
static gp_result gpi_host_fits(gpi_host_chunks *c, size_t chunk, size_t budget, bool *fits)
{
    const size_t slot_count = chunk < c->count || c->devices > 1 ? GPI_HOST_SLOTS : 1;
    const size_t lead = c->lead_of_chunk && slot_count > 1 ? chunk : c->lead, room = lead + chunk + c->tail;
    size_t element = 0, largest = 0, used = 0;
    gp_result result = GP_OK;
    int a;
    for (a = 0; a < GPI_HOST_ARRAYS; a++) {
        element += c->arrays[a].size;
        if (c->arrays[a].size > largest) largest = c->arrays[a].size;
    }
    *fits =
        room <= SIZE_MAX / (element * slot_count) && room * largest <= gp_context_info(c->gp)->max_alloc_size;
    if (*fits) *fits = room * element * slot_count <= budget;
    if (!*fits) return GP_OK;
    if (c->scratch_size) result = gpi_host_scratch(c, chunk, &used);
    *fits = used < SIZE_MAX / 2 && used + c->fixed + room * element * slot_count <= budget;
    return result;
}

/* Returns the number of elements of a chunk if there are several contexts: small enough to balance uneven devices, but
   large enough to keep a device busy. */
static size_t gpi_host_piece(const gpi_host_chunks *c)
{
    const size_t piece = c->count / GPI_HOST_SHARES / c->devices, least = GPI_HOST_LEAST;
    return piece > least ? (piece + 1023) / 1024 * 1024 : least;
}

/* Chooses the largest chunk that fits: all elements, or else a number found by bisection. Rounds a number above 1024
   down to a multiple of 1024 if the result fits, too, since fewer elements may need more scratch. With several
   contexts, chunks are no larger than gpi_host_piece, unless `large` is set. */
static gp_result gpi_host_choose(gpi_host_chunks *c)
{
    const size_t budget = gpi_host_budget(c->gp, c->budget);
    const size_t share = c->devices > 1 && !c->large ? gpi_host_piece(c) : c->count;
    const size_t most = share < c->count ? share : c->count;
    size_t low = 0, high = most + 1;
    bool fits;
    gp_result result;
    while (high - low > 1) {
        const size_t middle = low == 0 && high == most + 1 ? most : low + (high - low) / 2;
        result = gpi_host_fits(c, middle, budget, &fits);
        if (result != GP_OK) return result;
        if (fits) low = middle;
        else high = middle;
    }
    if (!low)
        return gpi_host_fail(c->gp, GP_ERROR_INVALID_ARGUMENT,
                             "%s: budget = %zu bytes is not enough for chunks of one element", c->function,
                             budget);
    c->chunk = low < c->count && low > 1024 ? low / 1024 * 1024 : low;
    result = gpi_host_fits(c, c->chunk, budget, &fits);
    if (result != GP_OK) return result;
    if (!fits) c->chunk = low;
    c->piece = c->chunk;
    c->number = gpi_host_number(c, c->piece);
    if (c->lead_of_chunk && c->number > 1) c->lead = c->chunk;
    return GP_OK;
}

/* Sets the size of chunks of all contexts to the smallest one among them, so that all have the same chunks. */
static void gpi_host_agree(gpi_host_chunks *c)
{
    const size_t share = gpi_host_piece(c);
    size_t chunk = c->chunk, k;
    for (k = 1; k < c->devices; k++) {
        if (gpi_host_device(c, k)->chunk < chunk) chunk = gpi_host_device(c, k)->chunk;
    }
    for (k = 0; k < c->devices; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        device->chunk = chunk;
        device->piece = share < chunk ? share : chunk;
        device->number = gpi_host_number(c, device->piece);
    }
}

/* ------------------------------------------------------------------ life */

static gp_result gpi_host_buffer(gpi_host_chunks *c, size_t bytes, cl_mem *out)
{
    return gp_buffer_create(c->gp, bytes ? bytes : 1, NULL, out);
}

static gp_result gpi_host_owns(gpi_host_chunks *c)
{
    gp_result result = GP_OK;
    int i;
    for (i = 0; i < GPI_HOST_OWNS && result == GP_OK; i++) {
        gpi_host_own *own = &c->owns[i];
        if (own->bytes) result = gp_buffer_create(c->gp, own->bytes, own->data, &own->buffer);
    }
    return result;
}

static gp_result gpi_host_buffers(gpi_host_chunks *c)
{
    const int slot_count = c->number < 2 && c->devices == 1 ? (int)c->number : GPI_HOST_SLOTS;
    size_t whole = 0;
    gp_result result = GP_OK;
    int a, s;
    for (a = 0; a < GPI_HOST_ARRAYS; a++) {
        for (s = 0; s < slot_count && c->arrays[a].size && result == GP_OK; s++)
            result = gpi_host_buffer(c, (c->lead + c->chunk + c->tail) * c->arrays[a].size,
                                     &c->arrays[a].buffers[s]);
    }
    if (result == GP_OK && c->scratch_size && c->number)
        result = gpi_host_scratch(c, c->piece, &c->scratch_bytes);
    if (result == GP_OK && c->piece < c->chunk && c->scratch_size)
        result = c->scratch_size(c, c->chunk, &whole);
    if (whole > c->scratch_bytes) c->scratch_bytes = whole; /* chunk_of may return larger chunks */
    if (result == GP_OK && c->scratch_bytes) result = gpi_host_buffer(c, c->scratch_bytes, &c->scratch);
    return result;
}

static void gpi_host_chunks_set(gpi_host_chunks *c, gp_context *gp, const char *function, size_t count,
                                size_t budget, gp_host_progress progress, void *progress_user)
{
    memset(c, 0, sizeof *c);
    c->gp = gp;
    c->function = function;
    c->count = count;
    c->budget = budget;
    c->progress = progress;
    c->progress_user = progress_user;
    c->progress_total = count;
    c->devices = 1;
    c->depth = GPI_HOST_SLOTS;
}

static gp_result gpi_host_open_device(gpi_host_chunks *c)
{
    cl_int error;
    c->copies = clCreateCommandQueue(gp_cl_context(c->gp), gp_cl_device(c->gp), 0, &error);
    if (!c->copies) return gpi_host_fail_cl(c->gp, c->function, "clCreateCommandQueue", error);
    return gpi_host_buffers(c);
}

static gp_result gpi_host_chunks_open(gpi_host_chunks *c)
{
    gp_result result = gpi_host_devices(c);
    size_t k;
    for (k = 0; k < c->devices && result == GP_OK; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        result = gpi_host_owns(device);
        if (result == GP_OK && c->count) result = gpi_host_choose(device);
        result = gpi_host_of(c, device, result);
    }
    if (result == GP_OK && c->devices > 1) gpi_host_agree(c);
    for (k = 0; k < c->devices && result == GP_OK; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        result = gpi_host_of(c, device, gpi_host_open_device(device));
    }
    return result;
}

static void gpi_host_free_events(gpi_host_chunks *c)
{
    int s;
    for (s = 0; s < GPI_HOST_SLOTS; s++) {
        gpi_host_release(&c->uploaded[s]);
        gpi_host_release(&c->computed[s]);
        gpi_host_release(&c->downloaded[s]);
        gpi_host_release(&c->counted[s]);
    }
    gpi_host_release(&c->last);
    c->wait_count = 0;
}

static gp_result gpi_host_finish_device(gpi_host_chunks *c)
{
    gp_result result;
    cl_int error;
    int s;
    /* The context's commands may wait for uploads that a failed call has left unflushed. */
    if (c->copies) (void)clFlush(c->copies);
    /* The context's commands may wait for the copies, and may access the caller's memory. */
    result = gp_finish(c->gp);
    /* On Mesa 22.3, commands may still run after clFinish: docs/drivers.md. */
    if (c->last) (void)clWaitForEvents(1, &c->last);
    for (s = 0; s < GPI_HOST_SLOTS; s++) {
        if (c->uploaded[s]) (void)clWaitForEvents(1, &c->uploaded[s]);
        if (c->downloaded[s]) (void)clWaitForEvents(1, &c->downloaded[s]);
        if (c->counted[s]) (void)clWaitForEvents(1, &c->counted[s]);
    }
    error = c->copies ? clFinish(c->copies) : CL_SUCCESS;
    if (result == GP_OK && error != CL_SUCCESS)
        result = gpi_host_fail_cl(c->gp, c->function, "clFinish", error);
    return result;
}

static gp_result gpi_host_finish(gpi_host_chunks *c, gp_result result)
{
    size_t k;
    for (k = 0; k < c->devices; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        const gp_result finished = gpi_host_finish_device(device);
        if (result == GP_OK) result = gpi_host_of(c, device, finished);
    }
    return result;
}

static void gpi_host_free_buffer(cl_mem *buffer)
{
    if (*buffer) clReleaseMemObject(*buffer);
    *buffer = NULL;
}

static void gpi_host_free_views(gpi_host_chunks *c, int slot)
{
    int a;
    for (a = 0; a < GPI_HOST_ARRAYS; a++) {
        gpi_host_free_buffer(&c->arrays[a].from[slot]);
        gpi_host_free_buffer(&c->arrays[a].to[slot]);
    }
}

static void gpi_host_close_device(gpi_host_chunks *c)
{
    int a, s;
    gpi_host_free_events(c);
    for (s = 0; s < GPI_HOST_SLOTS; s++) gpi_host_free_views(c, s);
    for (a = 0; a < GPI_HOST_ARRAYS; a++) {
        for (s = 0; s < GPI_HOST_SLOTS; s++) gpi_host_free_buffer(&c->arrays[a].buffers[s]);
    }
    for (a = 0; a < GPI_HOST_OWNS; a++) gpi_host_free_buffer(&c->owns[a].buffer);
    gpi_host_free_buffer(&c->scratch);
    if (c->copies) clReleaseCommandQueue(c->copies);
    c->copies = NULL;
}

static gp_result gpi_host_chunks_close(gpi_host_chunks *c, gp_result result)
{
    size_t k;
    if (c->devices > 1 && !c->rest) c->devices = 1; /* the call failed before the others were created */
    result = gpi_host_finish(c, result);
    for (k = 0; k < c->devices; k++) gpi_host_close_device(gpi_host_device(c, k));
    GPI_HOST_FREE(c->rest);
    c->rest = NULL;
    c->devices = 1;
    return result;
}

/* ------------------------------------------------------------------ commands */

static const cl_event *gpi_host_waits(const gpi_host_chunks *c) { return c->wait_count ? c->wait : NULL; }

static void gpi_host_then(gpi_host_chunks *c)
{
    gpi_host_keep(&c->last, c->done);
    c->done = NULL;
    c->commands++;
    c->wait[0] = c->last;
    c->wait_count = 1;
}

static gp_result gpi_host_copy(gpi_host_chunks *c, cl_mem from, size_t from_byte, cl_mem to, size_t to_byte,
                               size_t bytes)
{
    const cl_int error = clEnqueueCopyBuffer(gp_cl_queue(c->gp), from, to, from_byte, to_byte, bytes,
                                             c->wait_count, c->wait_count ? c->wait : NULL, &c->done);
    if (error != CL_SUCCESS) return gpi_host_fail_cl(c->gp, c->function, "clEnqueueCopyBuffer", error);
    gpi_host_then(c);
    return GP_OK;
}

static gp_result gpi_host_put(gpi_host_chunks *c, const void *from, cl_mem to, size_t to_byte, size_t bytes)
{
    const cl_int error = clEnqueueWriteBuffer(gp_cl_queue(c->gp), to, CL_FALSE, to_byte, bytes, from,
                                              c->wait_count, gpi_host_waits(c), &c->done);
    if (error != CL_SUCCESS) return gpi_host_fail_cl(c->gp, c->function, "clEnqueueWriteBuffer", error);
    gpi_host_then(c);
    return GP_OK;
}

static gp_result gpi_host_count(gpi_host_chunks *c, const gpi_host_chunk *chunk, cl_mem counts)
{
    uint64_t *count = &c->count_of[chunk->slot];
    cl_event counted;
    cl_int error;
    if (c->devices == 1) return GP_OK;
    error = clEnqueueReadBuffer(gp_cl_queue(c->gp), counts, CL_FALSE, (size_t)chunk->slot * sizeof *count,
                                sizeof *count, count, c->wait_count, gpi_host_waits(c), &counted);
    if (error != CL_SUCCESS) return gpi_host_fail_cl(c->gp, c->function, "clEnqueueReadBuffer", error);
    gpi_host_keep(&c->counted[chunk->slot], counted);
    return GP_OK;
}

static gp_result gpi_host_counted(gpi_host_chunks *c, const gpi_host_chunk *chunk, cl_mem counts)
{
    uint64_t *count = &c->count_of[chunk->slot];
    gp_result result = GP_OK;
    cl_int error;
    if (!c->counted[chunk->slot])
        result = gpi_host_read(c, chunk, counts, (size_t)chunk->slot * sizeof *count, sizeof *count, count);
    if (result != GP_OK) return result;
    error =
        clWaitForEvents(1, c->counted[chunk->slot] ? &c->counted[chunk->slot] : &c->downloaded[chunk->slot]);
    return error == CL_SUCCESS ? GP_OK : gpi_host_fail_cl(c->gp, c->function, "clWaitForEvents", error);
}

/* Enqueues a command of an upload, which waits for the upload's previous command. If one command fails, all later ones
   fail, so that the last event shows the failure. */
static gp_result gpi_host_write(gpi_host_chunks *c, const gpi_host_chunk *chunk, cl_mem buffer, size_t at,
                                size_t bytes, const void *from)
{
    cl_event *uploaded = &c->uploaded[chunk->slot], written;
    const cl_int error = clEnqueueWriteBuffer(c->copies, buffer, CL_FALSE, at, bytes, from, *uploaded != NULL,
                                              *uploaded ? uploaded : NULL, &written);
    if (error != CL_SUCCESS) return gpi_host_fail_cl(c->gp, c->function, "clEnqueueWriteBuffer", error);
    gpi_host_keep(uploaded, written);
    return GP_OK;
}

static gp_result gpi_host_read(gpi_host_chunks *c, const gpi_host_chunk *chunk, cl_mem buffer, size_t at,
                               size_t bytes, void *to)
{
    cl_event *downloaded = &c->downloaded[chunk->slot], read;
    const cl_event *wait = *downloaded ? downloaded : &c->computed[chunk->slot];
    const cl_int error = clEnqueueReadBuffer(c->copies, buffer, CL_FALSE, at, bytes, to, 1, wait, &read);
    if (error != CL_SUCCESS) return gpi_host_fail_cl(c->gp, c->function, "clEnqueueReadBuffer", error);
    gpi_host_keep(downloaded, read);
    return GP_OK;
}

static gp_result gpi_host_map(gpi_host_chunks *c, cl_mem buffer, size_t bytes, void **memory)
{
    cl_int error;
    *memory = clEnqueueMapBuffer(c->copies, buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes, 0,
                                 NULL, NULL, &error);
    return *memory ? GP_OK : gpi_host_fail_cl(c->gp, c->function, "clEnqueueMapBuffer", error);
}

static gp_result gpi_host_unmap(gpi_host_chunks *c, const gpi_host_chunk *chunk, cl_mem buffer, void *memory)
{
    cl_event *uploaded = &c->uploaded[chunk->slot], unmapped;
    const cl_int error = clEnqueueUnmapMemObject(c->copies, buffer, memory, *uploaded != NULL,
                                                 *uploaded ? uploaded : NULL, &unmapped);
    if (error != CL_SUCCESS) return gpi_host_fail_cl(c->gp, c->function, "clEnqueueUnmapMemObject", error);
    gpi_host_keep(uploaded, unmapped);
    return GP_OK;
}

/* ------------------------------------------------------------------ views */

/* Returns true if views can be used. Kernels need elements aligned to their size. PoCL uses the caller's memory itself,
   wherever it begins. Other implementations may copy it, to memory that the budget does not include. */
static bool gpi_host_has_views(const gpi_host_chunks *c)
{
    const gp_device_info *info = gp_context_info(c->gp);
    int a;
    if (!c->views || info->device_class != GP_DEVICE_CLASS_POCL || !(info->device_type & CL_DEVICE_TYPE_CPU))
        return false;
    for (a = 0; a < GPI_HOST_ARRAYS; a++) {
        const gpi_host_array *array = &c->arrays[a];
        if (!array->size) continue;
        if ((uintptr_t)array->in % array->size || (uintptr_t)array->out % array->size) return false;
        if (array->in && array->in == array->out) return false; /* two views would use the same memory */
    }
    return true;
}

static gp_result gpi_host_view(gpi_host_chunks *c, const gpi_host_chunk *chunk, cl_mem_flags flags,
                               size_t size, const char *memory, cl_mem *view)
{
    cl_int error;
    if (!memory) return GP_OK;
    *view = clCreateBuffer(gp_cl_context(c->gp), flags | CL_MEM_USE_HOST_PTR, chunk->count * size,
                           (void *)(uintptr_t)(memory + chunk->first * size), &error);
    return *view ? GP_OK : gpi_host_fail_cl(c->gp, c->function, "clCreateBuffer", error);
}

/* Creates the chunk's views, if they can be used. The earlier chunk of the slot must have ended. */
static gp_result gpi_host_make_views(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gp_result result = GP_OK;
    int a;
    gpi_host_free_views(c, chunk->slot);
    if (!gpi_host_has_views(c)) return GP_OK;
    for (a = 0; a < GPI_HOST_ARRAYS && result == GP_OK; a++) {
        gpi_host_array *array = &c->arrays[a];
        if (!array->size) continue;
        result = gpi_host_view(c, chunk, CL_MEM_READ_ONLY, array->size, array->in, &array->from[chunk->slot]);
        if (result == GP_OK)
            result =
                gpi_host_view(c, chunk, CL_MEM_READ_WRITE, array->size, array->out, &array->to[chunk->slot]);
    }
    return result;
}

/* Maps and unmaps a view, after which the caller's memory contains what was written to the view. */
static gp_result gpi_host_read_view(gpi_host_chunks *c, const gpi_host_chunk *chunk, cl_mem view,
                                    size_t bytes)
{
    cl_event *downloaded = &c->downloaded[chunk->slot], mapped, unmapped;
    const cl_event *wait = *downloaded ? downloaded : &c->computed[chunk->slot];
    cl_int error;
    void *memory =
        clEnqueueMapBuffer(c->copies, view, CL_FALSE, CL_MAP_READ, 0, bytes, 1, wait, &mapped, &error);
    if (!memory) return gpi_host_fail_cl(c->gp, c->function, "clEnqueueMapBuffer", error);
    gpi_host_keep(downloaded, mapped);
    error = clEnqueueUnmapMemObject(c->copies, view, memory, 1, downloaded, &unmapped);
    if (error != CL_SUCCESS) return gpi_host_fail_cl(c->gp, c->function, "clEnqueueUnmapMemObject", error);
    gpi_host_keep(downloaded, unmapped);
    return GP_OK;
}

static cl_mem gpi_host_from(const gpi_host_chunks *c, const gpi_host_chunk *chunk, int array)
{
    const gpi_host_array *a = &c->arrays[array];
    return a->from[chunk->slot] ? a->from[chunk->slot] : a->buffers[chunk->slot];
}

static cl_mem gpi_host_to(const gpi_host_chunks *c, const gpi_host_chunk *chunk, int array)
{
    const gpi_host_array *a = &c->arrays[array];
    return a->to[chunk->slot] ? a->to[chunk->slot] : a->buffers[chunk->slot];
}

/* ------------------------------------------------------------------ chunks */

static gpi_host_chunk gpi_host_chunk_of(const gpi_host_chunks *c, size_t turn)
{
    gpi_host_chunk chunk;
    if (c->chunk_of) return c->chunk_of(c, turn);
    chunk.index = c->reverse ? c->number - 1 - turn : turn;
    chunk.first = chunk.index * c->piece;
    chunk.count = c->count - chunk.first < c->piece ? c->count - chunk.first : c->piece;
    chunk.slot = (int)(turn % GPI_HOST_SLOTS);
    return chunk;
}

static gp_result gpi_host_upload(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gp_result result = GP_OK;
    int a;
    gpi_host_release(&c->uploaded[chunk->slot]);
    gpi_host_release(&c->counted[chunk->slot]);
    result = gpi_host_make_views(c, chunk);
    if (result == GP_OK && c->upload) return c->upload(c, chunk);
    for (a = 0; a < GPI_HOST_ARRAYS && result == GP_OK; a++) {
        const gpi_host_array *array = &c->arrays[a];
        if (!array->in || array->from[chunk->slot]) continue;
        result = gpi_host_write(c, chunk, array->buffers[chunk->slot], c->lead * array->size,
                                chunk->count * array->size, array->in + chunk->first * array->size);
    }
    return result;
}

/* Computes a chunk after its upload. The queue for copies is in order, so that waiting for its last event is enough. */
static gp_result gpi_host_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gp_result result;
    cl_event event;
    c->wait_count = 0;
    c->commands = 0;
    if (c->last) c->wait[c->wait_count++] = c->last;
    if (c->uploaded[chunk->slot]) c->wait[c->wait_count++] = c->uploaded[chunk->slot];
    result = c->compute(c, chunk);
    if (result != GP_OK) return result;
    event = c->commands ? c->last : c->uploaded[chunk->slot];
    clRetainEvent(event);
    gpi_host_keep(&c->computed[chunk->slot], event);
    clFlush(c->copies);
    clFlush(gp_cl_queue(c->gp));
    return GP_OK;
}

static gp_result gpi_host_download(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gp_result result = GP_OK;
    int a;
    gpi_host_release(&c->downloaded[chunk->slot]);
    if (c->download) return c->download(c, chunk);
    for (a = 0; a < GPI_HOST_ARRAYS && result == GP_OK; a++) {
        const gpi_host_array *array = &c->arrays[a];
        if (!array->out) continue;
        if (array->to[chunk->slot])
            result = gpi_host_read_view(c, chunk, array->to[chunk->slot], chunk->count * array->size);
        else
            result = gpi_host_read(c, chunk, array->buffers[chunk->slot], c->lead * array->size,
                                   chunk->count * array->size, array->out + chunk->first * array->size);
    }
    clFlush(c->copies);
    return result;
}

static int gpi_host_report(gp_context *gp, gp_context *const *others, size_t other_count,
                           gp_host_progress progress, uint64_t done, uint64_t total, void *user)
{
    size_t k;
    int canceled;
    gp_set_callback(gp, "progress");
    for (k = 0; k < other_count; k++) gp_set_callback(others[k], "progress");
    canceled = progress(done, total, user);
    gp_set_callback(gp, NULL);
    for (k = 0; k < other_count; k++) gp_set_callback(others[k], NULL);
    return canceled;
}

static gp_result gpi_host_tell(gpi_host_chunks *c, uint64_t more)
{
    c->progress_done += more;
    if (!c->progress || !gpi_host_report(c->gp, c->more, c->devices - 1, c->progress, c->progress_done,
                                         c->progress_total, c->progress_user))
        return GP_OK;
    return gpi_host_fail(c->gp, GP_ERROR_CANCELED, "%s: progress canceled the call after %llu of %llu",
                         c->function, (unsigned long long)c->progress_done,
                         (unsigned long long)c->progress_total);
}

static cl_event gpi_host_end_of(const gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    return c->downloaded[chunk->slot] ? c->downloaded[chunk->slot] : c->computed[chunk->slot];
}

static gp_result gpi_host_end(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    const cl_event event = gpi_host_end_of(c, chunk);
    const cl_int error = clWaitForEvents(1, &event);
    return error == CL_SUCCESS ? GP_OK : gpi_host_fail_cl(c->gp, c->function, "clWaitForEvents", error);
}
