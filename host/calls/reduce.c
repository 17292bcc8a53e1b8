/* reduce.c - gp_host_reduce: reduces each chunk to a partial result, and the partial results to one.

   A single context keeps partial results on the device. Several contexts send them to host memory, and then the first
   context reduces them. */
#include "base/chunks.h"
#include "base/error.h"
#include "base/run.h"
#include "base/text.h"

#include <string.h>

/* The number of partial results that are kept before they are reduced to one. */
enum { GPI_HOST_PARTIALS = 32 };

typedef struct gpi_host_reduce {
    const gp_host_reduce_desc *desc;
    gp_type out_type; /* unused with a monoid */
    size_t out_size;
    gpi_host_text map;
    gpi_host_args args;
    gp_reduce_desc chunk, partials; /* the device's calls: fields that all chunks share */
    size_t kept;
    char *sums; /* with several contexts: the partial results of all chunks */
} gpi_host_reduce;

static gp_result gpi_host_reduce_types(gp_context *gp, const char *function, gpi_host_reduce *r,
                                       gpi_host_chunks *c)
{
    const gp_host_reduce_desc *desc = r->desc;
    const bool bare = desc->monoid && !desc->map; /* the input is the monoid's elements */
    gp_result result = GP_OK;
    if (desc->op == GP_ARGMIN || desc->op == GP_ARGMAX)
        return gpi_host_fail(gp, GP_ERROR_INVALID_OP, "%s: op = %d: argmin and argmax are not taken",
                             function, (int)desc->op);
    if (!bare && !desc->record) result = gpi_host_check_type(gp, function, "type", desc->type);
    if (result == GP_OK && desc->type2) result = gpi_host_check_type(gp, function, "type2", desc->type2);
    r->out_type = desc->out_type ? desc->out_type : gpi_host_sum_type(desc->op, desc->type);
    if (result == GP_OK && !desc->monoid) result = gpi_host_check_type(gp, function, "out_type", r->out_type);
    if (result != GP_OK) return result;
    r->out_size = desc->monoid ? desc->monoid->size : gpi_host_size_of(r->out_type);
    c->arrays[0].in = (const char *)desc->in;
    c->arrays[0].size = bare           ? desc->monoid->size
                        : desc->record ? desc->record->size
                                       : gpi_host_size_of(desc->type);
    result = gpi_host_check_array(gp, function, "in", desc->in, desc->count, c->arrays[0].size);
    if (result == GP_OK) result = gpi_host_check_array(gp, function, "out", desc->out, 1, r->out_size);
    if (result != GP_OK || !desc->in2) return result;
    c->arrays[1].in = (const char *)desc->in2;
    c->arrays[1].size = gpi_host_size_of(desc->type2 ? desc->type2 : desc->type);
    if (!c->arrays[1].size)
        return gpi_host_fail(gp, GP_ERROR_INVALID_TYPE, "%s: in2 without type2", function);
    return gpi_host_check_array(gp, function, "in2", desc->in2, desc->count, c->arrays[1].size);
}

static gp_result gpi_host_reduce_prepare(gp_context *gp, const char *function, gpi_host_reduce *r)
{
    const gp_host_reduce_desc *desc = r->desc;
    gp_result result = gpi_host_text_make(gp, function, "", desc->map, "", &r->map);
    if (result == GP_OK)
        result = gpi_host_args_make(gp, function, desc->args, desc->arg_count, r->map.has_index, &r->args);
    if (result != GP_OK) return result;
    if (r->map.has_index) (void)gpi_host_args_add(&r->args, "chunk_first", GP_U64, &r->args.first);
    r->chunk.type = desc->type;
    r->chunk.record = desc->record;
    r->chunk.out_type = desc->out_type;
    r->chunk.op = desc->op;
    r->chunk.monoid = desc->monoid;
    r->chunk.map = r->map.text;
    r->chunk.args = r->args.count ? r->args.args : NULL;
    r->chunk.arg_count = r->args.count;
    r->chunk.type2 = desc->in2 && !desc->type2 ? desc->type : desc->type2;
    if (!desc->monoid) r->partials.type = r->partials.out_type = r->out_type;
    r->partials.op = desc->op;
    r->partials.monoid = desc->monoid;
    if (desc->monoid && desc->monoid->takes_args) {
        r->partials.args = desc->args;
        r->partials.arg_count = desc->arg_count;
    }
    return GP_OK;
}

static gp_result gpi_host_reduce_scratch(gpi_host_chunks *c, size_t count, size_t *bytes)
{
    gpi_host_reduce *r = (gpi_host_reduce *)c->call;
    gp_reduce_desc desc = r->chunk;
    desc.count = count;
    return gp_reduce_scratch_size(c->gp, &desc, bytes);
}

/* Reduces the kept partial results to one, which replaces the first of them. */
static gp_result gpi_host_reduce_partials(gpi_host_chunks *c, gpi_host_reduce *r)
{
    gp_reduce_desc desc = r->partials;
    gp_result result;
    desc.in = desc.out = c->owns[0].buffer;
    desc.count = r->kept;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_reduce(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    r->kept = 1;
    return result;
}

static gp_result gpi_host_reduce_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_reduce *r = (gpi_host_reduce *)c->call;
    gp_reduce_desc desc = r->chunk;
    gp_result result;
    r->args.first = chunk->first;
    desc.in = c->arrays[0].buffers[chunk->slot];
    desc.in2 = c->arrays[1].buffers[chunk->slot];
    desc.count = chunk->count;
    desc.out = c->owns[0].buffer;
    desc.out_offset = r->sums ? (size_t)chunk->slot : r->kept++;
    desc.scratch = c->scratch;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_reduce(c->gp, &desc);
    if (result != GP_OK) return result;
    gpi_host_then(c);
    return r->kept == GPI_HOST_PARTIALS ? gpi_host_reduce_partials(c, r) : GP_OK;
}

/* With several contexts, reads a chunk's partial result. */
static gp_result gpi_host_reduce_download(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    const gpi_host_reduce *r = (const gpi_host_reduce *)c->call;
    return gpi_host_read(c, chunk, c->owns[0].buffer, (size_t)chunk->slot * r->out_size, r->out_size,
                         r->sums + chunk->index * r->out_size);
}

static gp_result gpi_host_reduce_sums(gpi_host_chunks *c, gpi_host_reduce *r)
{
    c->download = gpi_host_reduce_download;
    if (c->number <= SIZE_MAX / r->out_size) r->sums = (char *)GPI_HOST_MALLOC(c->number * r->out_size);
    if (r->sums) return GP_OK;
    return gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu partial results",
                         c->function, c->number);
}

/* Reduces the partial results of all contexts, on the first one. */
static gp_result gpi_host_reduce_join(const gpi_host_chunks *c, const gpi_host_reduce *r)
{
    gp_host_reduce_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.in = r->sums;
    desc.out = r->desc->out;
    desc.count = c->number;
    desc.type = r->partials.type;
    desc.out_type = r->partials.out_type;
    desc.op = r->partials.op;
    desc.monoid = r->partials.monoid;
    desc.args = r->partials.args;
    desc.arg_count = r->partials.arg_count;
    desc.initial = r->desc->initial;
    desc.budget = r->desc->budget;
    return gp_host_reduce(c->gp, &desc);
}

static gp_result gpi_host_reduce_run(gpi_host_chunks *c, gpi_host_reduce *r)
{
    gp_reduce_desc desc;
    gp_result result = gpi_host_chunks_open(c);
    if (result == GP_OK && c->devices > 1) result = gpi_host_reduce_sums(c, r);
    if (result == GP_OK) result = gpi_host_chunks_run(c);
    if (result != GP_OK || r->sums) return result;
    desc = r->partials;
    desc.in = c->owns[0].buffer;
    desc.count = r->kept;
    desc.initial = r->desc->initial;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    return gp_reduce_read(c->gp, &desc, r->desc->out);
}

GP_HOST_API gp_result gp_host_reduce(gp_context *gp, const gp_host_reduce_desc *desc)
{
    static const char function[] = "gp_host_reduce";
    gpi_host_reduce r;
    gpi_host_chunks c;
    gp_result result = gpi_host_check(gp, function, desc);
    if (result != GP_OK) return result;
    memset(&r, 0, sizeof r);
    r.desc = desc;
    gpi_host_chunks_set(&c, gp, function, desc->count, desc->budget, desc->progress, desc->progress_user);
    c.compute = gpi_host_reduce_compute;
    c.scratch_size = gpi_host_reduce_scratch;
    c.call = &r;
    result = gpi_host_chunks_share(&c, desc->others, desc->other_count, desc->args, desc->arg_count);
    if (result == GP_OK) result = gpi_host_reduce_types(gp, function, &r, &c);
    if (result == GP_OK) result = gpi_host_reduce_prepare(gp, function, &r);
    c.fixed = c.owns[0].bytes = GPI_HOST_PARTIALS * r.out_size;
    if (result == GP_OK) result = gpi_host_reduce_run(&c, &r);
    result = gpi_host_chunks_close(&c, result);
    if (result == GP_OK && r.sums) result = gpi_host_reduce_join(&c, &r);
    GPI_HOST_FREE(r.sums);
    gpi_host_text_free(&r.map);
    return result;
}
