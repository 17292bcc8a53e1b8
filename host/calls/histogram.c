/* histogram.c - gp_host_histogram: all chunks add to counts on the device. */
#include "base/chunks.h"
#include "base/error.h"
#include "base/text.h"

#include <string.h>

typedef struct gpi_host_histogram {
    const gp_host_histogram_desc *desc;
    gpi_host_text map;
    gpi_host_args args;
    gp_histogram_desc chunk; /* as far as it is the same for all chunks */
    cl_mem out, edges;
    size_t out_bytes, edge_bytes;
} gpi_host_histogram;

static gp_result gpi_host_histogram_types(gp_context *gp, const char *function, gpi_host_histogram *h,
                                          gpi_host_chunks *c)
{
    const gp_host_histogram_desc *desc = h->desc;
    const gp_type sample = desc->map_type ? desc->map_type : desc->type;
    const size_t channels = desc->channels ? desc->channels : 1,
                 counted = desc->channels_out ? desc->channels_out : channels;
    const size_t bins = desc->bins ? desc->bins : 256, size = desc->out_type == GP_U64 ? 8 : 4;
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
    h->edge_bytes = desc->edges ? (bins + 1) * gpi_host_size_of(sample) : 0;
    c->arrays[0].in = (const char *)desc->in;
    c->arrays[0].size = channels * (desc->record ? desc->record->size : gpi_host_size_of(desc->type));
    c->arrays[1].in = (const char *)desc->weights;
    c->arrays[1].size = desc->weights ? gpi_host_size_of(desc->weight_type) : 0;
    c->fixed = h->out_bytes + h->edge_bytes;
    result = gpi_host_check_array(gp, function, "in", desc->in, desc->count, c->arrays[0].size);
    if (result == GP_OK) result = gpi_host_check_array(gp, function, "out", desc->out, 1, 1);
    if (result != GP_OK) return result;
    if (gpi_host_overlap(desc->in, desc->count * c->arrays[0].size, desc->out, h->out_bytes) ||
        gpi_host_overlap(desc->weights, desc->count * c->arrays[1].size, desc->out, h->out_bytes) ||
        gpi_host_overlap(desc->edges, h->edge_bytes, desc->out, h->out_bytes))
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
    desc.edges = h->edges;
    desc.weights = h->desc->weights ? h->out : NULL; /* any buffer will do */
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
    desc.edges = h->edges;
    desc.out = h->out;
    desc.count = chunk->count;
    desc.scratch = c->scratch;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_histogram(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

/* The counts begin with zeros, or with what the output holds. */
static gp_result gpi_host_histogram_run(gpi_host_chunks *c, gpi_host_histogram *h)
{
    const gp_host_histogram_desc *desc = h->desc;
    gp_fill_desc zeros;
    cl_int error;
    gp_result result = gp_buffer_create(c->gp, h->out_bytes, desc->accumulate ? desc->out : NULL, &h->out);
    memset(&zeros, 0, sizeof zeros);
    zeros.out = h->out;
    zeros.element_size = 4;
    zeros.count = h->out_bytes / 4;
    zeros.done = &c->done;
    if (result == GP_OK && h->edge_bytes)
        result = gp_buffer_create(c->gp, h->edge_bytes, desc->edges, &h->edges);
    if (result == GP_OK) result = gpi_host_chunks_open(c);
    if (result == GP_OK && !desc->accumulate) {
        result = gp_fill(c->gp, &zeros);
        if (result == GP_OK) gpi_host_then(c);
    }
    if (result == GP_OK) result = gpi_host_chunks_run(c);
    if (result != GP_OK) return result;
    error = clEnqueueReadBuffer(c->copies, h->out, CL_TRUE, 0, h->out_bytes, desc->out, c->wait_count,
                                gpi_host_waits(c), NULL);
    return error == CL_SUCCESS ? GP_OK : gpi_host_fail_cl(c->gp, c->function, "clEnqueueReadBuffer", error);
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
    result = gpi_host_histogram_types(gp, function, &h, &c);
    if (result == GP_OK) result = gpi_host_histogram_prepare(gp, function, &h);
    if (result == GP_OK) result = gpi_host_histogram_run(&c, &h);
    result = gpi_host_chunks_close(&c, result);
    if (h.out) clReleaseMemObject(h.out);
    if (h.edges) clReleaseMemObject(h.edges);
    gpi_host_text_free(&h.map);
    return result;
}
