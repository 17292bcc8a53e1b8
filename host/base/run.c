/* run.c - sends chunks through one context, or distributes them to several: see run.h. */
#include "base/run.h"
#include "base/chunks.h"
#include "base/error.h"

/* The most polls of all contexts, while no context has finished a chunk. After these polls, the host waits for one of
   the contexts. */
#ifndef GPI_HOST_ASKS
#define GPI_HOST_ASKS 16384
#endif

/* ------------------------------------------------------------------ choice of a context */

/* Returns true if `device` gets the next chunk. A context that has not finished any chunk gets one only if it has none
   in progress. Any other context gets the chunk, unless the other contexts together could finish all remaining elements
   before it would finish this chunk. The context that would finish the chunk first always gets it. */
static bool gpi_host_takes(gpi_host_chunks *c, const gpi_host_chunks *device)
{
    const gpi_host_chunk chunk = gpi_host_chunk_of(c, c->next);
    const double next = (double)chunk.count;
    const double mine = ((double)device->holds + next) / (double)device->speed; /* estimated time */
    double others = 0, soonest = 0, all;
    size_t k;
    if (c->may_begin && !c->may_begin(c, &chunk)) return false;
    if (!device->speed) return device->taken == device->finished;
    for (k = 0; k < c->devices; k++) {
        const gpi_host_chunks *other = gpi_host_device(c, k);
        double its;
        if (other == device || !other->speed) continue;
        its = ((double)other->holds + next) / (double)other->speed;
        if (others == 0 || its < soonest) soonest = its;
        others += (double)other->speed;
    }
    if (others == 0) return true;
    all = ((double)c->left - (double)device->holds) / others;
    return mine <= (all > soonest ? all : soonest);
}

/* ------------------------------------------------------------------ steps */

static bool gpi_host_complete(const gpi_host_chunks *device, cl_event event)
{
    cl_int status = CL_QUEUED;
    const cl_int error =
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return error != CL_SUCCESS || status <= CL_COMPLETE || event == device->waited;
}

static gp_result gpi_host_take(gpi_host_chunks *c, gpi_host_chunks *device)
{
    const int slot = (int)(device->taken % GPI_HOST_SLOTS);
    gpi_host_chunk *chunk = &device->held[slot];
    gp_result result;
    *chunk = gpi_host_chunk_of(c, c->next++);
    chunk->slot = slot;
    device->taken++;
    device->holds += chunk->count;
    result = gpi_host_upload(device, chunk);
    return result == GP_OK ? gpi_host_compute(device, chunk) : result;
}

static gp_result gpi_host_finish_chunk(gpi_host_chunks *c, gpi_host_chunks *device)
{
    const gpi_host_chunk *chunk = &device->held[device->finished % GPI_HOST_SLOTS];
    const gp_result result = gpi_host_of(c, device, gpi_host_end(device, chunk));
    if (result != GP_OK) return result;
    device->waited = NULL;
    device->finished++;
    device->holds -= chunk->count;
    device->speed += chunk->count;
    c->left -= chunk->count;
    if (c->ended) c->ended(device, chunk);
    return gpi_host_tell(c, c->again ? 0 : chunk->count);
}

/* Returns the event that the context waits for before its next step; NULL: none. */
static cl_event gpi_host_awaits(const gpi_host_chunks *device)
{
    const gpi_host_chunk *first = &device->held[device->finished % GPI_HOST_SLOTS];
    if (device->finished < device->sent) return gpi_host_end_of(device, first);
    return device->sent < device->taken ? device->counted[first->slot] : NULL;
}

/* Performs the steps that the context can do without waiting, and sets *moved to true if there are any. A chunk is
   downloaded only after the upload of the next one, because the queue for copies is in order. If there is no next
   chunk for this context now, the chunk is downloaded at once. */
static gp_result gpi_host_device_step(gpi_host_chunks *c, gpi_host_chunks *device, bool *moved)
{
    gp_result result = GP_OK;
    bool idle = false;
    if (device->finished < device->sent && gpi_host_complete(device, gpi_host_awaits(device))) {
        *moved = true;
        result = gpi_host_finish_chunk(c, device);
    }
    if (result == GP_OK && device->taken - device->finished < c->depth) {
        idle = c->next >= c->number || !gpi_host_takes(c, device);
        if (!idle) {
            *moved = true;
            result = gpi_host_of(c, device, gpi_host_take(c, device));
        }
    }
    while (result == GP_OK && device->sent + !idle < device->taken) {
        const gpi_host_chunk *chunk = &device->held[device->sent % GPI_HOST_SLOTS];
        const cl_event counted = device->counted[chunk->slot];
        if (counted && !gpi_host_complete(device, counted)) break;
        *moved = true;
        device->waited = NULL;
        device->sent++;
        result = gpi_host_of(c, device, gpi_host_download(device, chunk));
        (void)clFlush(device->copies);
    }
    return result;
}

/* Blocks until the fastest context with a chunk in progress can continue. (Events of several contexts cannot be waited
   for together. Meanwhile, the other contexts have one or two more chunks each.) */
static gp_result gpi_host_share_wait(gpi_host_chunks *c)
{
    gpi_host_chunks *fastest = NULL;
    cl_event event;
    cl_int error;
    size_t k;
    for (k = 0; k < c->devices; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        if (gpi_host_awaits(device) && (!fastest || device->speed > fastest->speed)) fastest = device;
    }
    if (!fastest) return gpi_host_fail(c->gp, GP_ERROR_OPENCL, "%s: no device goes on", c->function);
    event = fastest->waited = gpi_host_awaits(fastest);
    error = clWaitForEvents(1, &event);
    if (error == CL_SUCCESS) return GP_OK;
    return gpi_host_of(c, fastest, gpi_host_fail_cl(fastest->gp, c->function, "clWaitForEvents", error));
}

/* ------------------------------------------------------------------ several contexts */

/* Begins a run: copies the fields that the call has set since the last run to all contexts. */
static void gpi_host_share_begin(gpi_host_chunks *c)
{
    size_t k;
    int a;
    c->next = 0;
    c->left = c->count;
    for (k = 0; k < c->devices; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        device->taken = device->sent = device->finished = 0;
        device->holds = 0;
        device->waited = NULL;
        device->count = c->count;
        device->number = c->number;
        device->again = c->again;
        device->upload = c->upload;
        device->compute = c->compute;
        device->download = c->download;
        for (a = 0; a < GPI_HOST_ARRAYS; a++) {
            device->arrays[a].in = c->arrays[a].in;
            device->arrays[a].out = c->arrays[a].out;
        }
    }
}

static bool gpi_host_share_done(gpi_host_chunks *c)
{
    size_t k;
    for (k = 0; k < c->devices; k++) {
        const gpi_host_chunks *device = gpi_host_device(c, k);
        if (device->finished < device->taken) return false;
    }
    return c->next >= c->number;
}

static gp_result gpi_host_run_several(gpi_host_chunks *c)
{
    gp_result result = GP_OK;
    size_t asks = 0, k;
    gpi_host_share_begin(c);
    while (result == GP_OK && !gpi_host_share_done(c)) {
        bool moved = false, measured = false;
        for (k = 0; k < c->devices && result == GP_OK; k++) {
            gpi_host_chunks *device = gpi_host_device(c, k);
            result = gpi_host_device_step(c, device, &moved);
            measured = measured || device->speed;
        }
        /* Until a context has finished a chunk, the fastest context is not known. */
        if (!moved && !measured && asks++ < GPI_HOST_ASKS) continue;
        if (!moved && result == GP_OK) result = gpi_host_share_wait(c);
    }
    return result;
}

/* ------------------------------------------------------------------ one context */

static gp_result gpi_host_run_one(gpi_host_chunks *c)
{
    gp_result result = GP_OK;
    size_t turn;
    for (turn = 0; turn < c->number + 2 && c->number && result == GP_OK; turn++) {
        if (turn < c->number) {
            const gpi_host_chunk next = gpi_host_chunk_of(c, turn);
            result = gpi_host_upload(c, &next);
            if (result == GP_OK) result = gpi_host_compute(c, &next);
        }
        if (result == GP_OK && turn >= 1 && turn - 1 < c->number) {
            const gpi_host_chunk computed = gpi_host_chunk_of(c, turn - 1);
            result = gpi_host_download(c, &computed);
        }
        if (result == GP_OK && turn >= 2) {
            const gpi_host_chunk ending = gpi_host_chunk_of(c, turn - 2);
            result = gpi_host_end(c, &ending);
            if (result == GP_OK) result = gpi_host_tell(c, c->again ? 0 : ending.count);
        }
    }
    return result;
}

static gp_result gpi_host_chunks_run(gpi_host_chunks *c)
{
    const gp_result result = c->devices > 1 ? gpi_host_run_several(c) : gpi_host_run_one(c);
    size_t k;
    int s;
    /* The next run may need other views of the same memory. */
    for (k = 0; k < c->devices && result == GP_OK; k++) {
        for (s = 0; s < GPI_HOST_SLOTS; s++) gpi_host_free_views(gpi_host_device(c, k), s);
    }
    return result;
}
