/* histogram.c - gp_host_histogram: counts each chunk on a device, and adds up the devices' counts. */
#include "base/chunks.h"
#include "base/error.h"
#include "base/run.h"
#include "base/text.h"

#include <string.h>

enum { GPI_HOST_BINS, GPI_HOST_EDGES };

typedef struct gpi_host_histogram {
    const gp_host_histogram_desc *desc;
    gpi_host_text map;
    gpi_host_args args;
    gp_histogram_desc chunk; /* the fields that are the same for all chunks */
    size_t out_bytes;
} gpi_host_histogram;

static gp_result gpi_host_histogram_types(gp_context *gp, const char *function, gpi_host_histogram *h,
                                          gpi_host_chunks *c)
{
    const gp_host_histogram_desc *desc = h->desc;
    const gp_type sample = desc->map_type ? desc->map_type : desc->type;
    const size_t channels = desc->channels ? desc->channels : 1,
                 counted = desc->channels_out ? desc->channels_out : channels;
    const size_t bins = desc->bins ? desc->bins : 256, size = desc->out_type == GP_U64 ? 8 : 4;
    size_t edge_bytes;
    gp_result result = GP_OK;
    if (!desc->record) result = gpi_host_check_type(gp, function, "type", desc->type);
    if (result == GP_OK && desc->weights)
        result = gpi_host_check_type(gp, function, "weight_type", desc->weight_type);
    if (result == GP_OK && desc->edges) result = gpi_host_check_type(gp, function, "map_type", sample);
    if (result != GP_OK) return result;
    if (channels > 4 || counted > channels)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                             "%s: channels = %zu, channels_out = %zu: at most 4, and at most channels",
                             function, channels, counted);
    if (bins > 0xfffffffeu)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: bins = %zu is more than 2^32 - 2", function,
                             bins);
    h->out_bytes = counted * bins * size;
    edge_bytes = desc->edges ? (bins + 1) * gpi_host_size_of(sample) : 0;
    c->arrays[0].in = (const char *)desc->in;
    c->arrays[0].size = channels * (desc->record ? desc->record->size : gpi_host_size_of(desc->type));
    c->arrays[1].in = (const char *)desc->weights;
    c->arrays[1].size = desc->weights ? gpi_host_size_of(desc->weight_type) : 0;
    c->owns[GPI_HOST_BINS].bytes = h->out_bytes;
    c->owns[GPI_HOST_EDGES].bytes = edge_bytes;
    c->owns[GPI_HOST_EDGES].data = desc->edges;
    c->fixed = h->out_bytes + edge_bytes;
    result = gpi_host_check_array(gp, function, "in", desc->in, desc->count, c->arrays[0].size);
    if (result == GP_OK) result = gpi_host_check_array(gp, function, "out", desc->out, 1, 1);
    if (result != GP_OK) return result;
    if (gpi_host_overlap(desc->in, desc->count * c->arrays[0].size, desc->out, h->out_bytes) ||
        gpi_host_overlap(desc->weights, desc->count * c->arrays[1].size, desc->out, h->out_bytes) ||
        gpi_host_overlap(desc->edges, edge_bytes, desc->out, h->out_bytes))
        return gpi_host_fail(gp, GP_ERROR_OVERLAP, "%s: out overlaps an input", function);
    return GP_OK;
}

static gp_result gpi_host_histogram_prepare(gp_context *gp, const char *function, gpi_host_histogram *h)
{
    const gp_host_histogram_desc *desc = h->desc;
    gp_result result = gpi_host_text_make(gp, function, "", desc->map, "", &h->map);
    if (result == GP_OK)
        result = gpi_host_args_make(gp, function, desc->args, desc->arg_count, h->map.has_index, &h->args);
    if (result != GP_OK) return result;
    if (h->map.has_index) (void)gpi_host_args_add(&h->args, "chunk_first", GP_U64, &h->args.first);
    h->chunk.type = desc->type;
    h->chunk.record = desc->record;
    h->chunk.map = h->map.text;
    h->chunk.args = h->args.count ? h->args.args : NULL;
    h->chunk.arg_count = h->args.count;
    h->chunk.map_type = desc->map_type;
    h->chunk.channels = desc->channels;
    h->chunk.channels_out = desc->channels_out;
    h->chunk.bins = desc->bins;
    h->chunk.lower = desc->lower;
    h->chunk.upper = desc->upper;
    h->chunk.weight_type = desc->weight_type;
    h->chunk.out_type = desc->out_type;
    h->chunk.accumulate = true;
    return GP_OK;
}

static gp_result gpi_host_histogram_scratch(gpi_host_chunks *c, size_t count, size_t *bytes)
{
    const gpi_host_histogram *h = (const gpi_host_histogram *)c->call;
    gp_histogram_desc desc = h->chunk;
    desc.count = count;
    desc.edges = c->owns[GPI_HOST_EDGES].buffer;
    desc.weights = h->desc->weights ? c->owns[GPI_HOST_BINS].buffer : NULL; /* a placeholder */
    return gp_histogram_scratch_size(c->gp, &desc, bytes);
}

static gp_result gpi_host_histogram_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_histogram *h = (gpi_host_histogram *)c->call;
    gp_histogram_desc desc = h->chunk;
    gp_result result;
    h->args.first = chunk->first;
    desc.in = c->arrays[0].buffers[chunk->slot];
    desc.weights = c->arrays[1].buffers[chunk->slot];
    desc.edges = c->owns[GPI_HOST_EDGES].buffer;
    desc.out = c->owns[GPI_HOST_BINS].buffer;
    desc.count = chunk->count;
    desc.scratch = c->scratch;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_histogram(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

/* Sets a context's counts to zeros, or to `counts` if that is not NULL. */
static gp_result gpi_host_histogram_begin(gpi_host_chunks *c, const void *counts)
{
    gp_fill_desc zeros;
    gp_result result;
    if (counts)
        return gpi_host_put(c, counts, c->owns[GPI_HOST_BINS].buffer, 0, c->owns[GPI_HOST_BINS].bytes);
    memset(&zeros, 0, sizeof zeros);
    zeros.out = c->owns[GPI_HOST_BINS].buffer;
    zeros.element_size = 4;
    zeros.count = c->owns[GPI_HOST_BINS].bytes / 4;
    zeros.done = &c->done;
    result = gp_fill(c->gp, &zeros);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

static gp_result gpi_host_histogram_read(gpi_host_chunks *c, void *to)
{
    cl_int error;
    /* A context without chunks has only written zeros, for which the queue for copies waits. */
    (void)clFlush(gp_cl_queue(c->gp));
    error = clEnqueueReadBuffer(c->copies, c->owns[GPI_HOST_BINS].buffer, CL_TRUE, 0,
                                c->owns[GPI_HOST_BINS].bytes, to, c->wait_count, gpi_host_waits(c), NULL);
    return error == CL_SUCCESS ? GP_OK : gpi_host_fail_cl(c->gp, c->function, "clEnqueueReadBuffer", error);
}

/* Adds another context's counts to the output. */
static void gpi_host_histogram_add(const gpi_host_histogram *h, const void *more)
{
    const bool wide = h->desc->out_type == GP_U64;
    const size_t count = h->out_bytes / (wide ? 8 : 4);
    size_t i;
    for (i = 0; i < count; i++) {
        if (wide) ((uint64_t *)h->desc->out)[i] += ((const uint64_t *)more)[i];
        else ((uint32_t *)h->desc->out)[i] += ((const uint32_t *)more)[i];
    }
}

static gp_result gpi_host_histogram_join(gpi_host_chunks *c, const gpi_host_histogram *h)
{
    gp_result result = gpi_host_of(c, c, gpi_host_histogram_read(c, h->desc->out));
    void *more;
    size_t k;
    if (c->devices == 1 || result != GP_OK) return result;
    more = GPI_HOST_MALLOC(h->out_bytes);
    if (!more)
        return gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu bytes of counts",
                             c->function, h->out_bytes);
    for (k = 1; k < c->devices && result == GP_OK; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        result = gpi_host_of(c, device, gpi_host_histogram_read(device, more));
        if (result == GP_OK) gpi_host_histogram_add(h, more);
    }
    GPI_HOST_FREE(more);
    return result;
}

static gp_result gpi_host_histogram_run(gpi_host_chunks *c, gpi_host_histogram *h)
{
    gp_result result = gpi_host_chunks_open(c);
    size_t k;
    for (k = 0; k < c->devices && result == GP_OK; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        const void *counts = h->desc->accumulate && k == 0 ? h->desc->out : NULL;
        result = gpi_host_of(c, device, gpi_host_histogram_begin(device, counts));
    }
    if (result == GP_OK) result = gpi_host_chunks_run(c);
    return result == GP_OK ? gpi_host_histogram_join(c, h) : result;
}

GP_HOST_API gp_result gp_host_histogram(gp_context *gp, const gp_host_histogram_desc *desc)
{
    static const char function[] = "gp_host_histogram";
    gpi_host_histogram h;
    gpi_host_chunks c;
    gp_result result = gpi_host_check(gp, function, desc);
    if (result != GP_OK) return result;
    memset(&h, 0, sizeof h);
    h.desc = desc;
    gpi_host_chunks_set(&c, gp, function, desc->count, desc->budget, desc->progress, desc->progress_user);
    c.compute = gpi_host_histogram_compute;
    c.scratch_size = gpi_host_histogram_scratch;
    c.call = &h;
    result = gpi_host_chunks_share(&c, desc->others, desc->other_count, desc->args, desc->arg_count);
    if (result == GP_OK) result = gpi_host_histogram_types(gp, function, &h, &c);
    if (result == GP_OK) result = gpi_host_histogram_prepare(gp, function, &h);
    if (result == GP_OK) result = gpi_host_histogram_run(&c, &h);
    result = gpi_host_chunks_close(&c, result);
    gpi_host_text_free(&h.map);
    return result;
}
