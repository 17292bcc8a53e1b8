/* select.c - gp_host_select: packs each chunk's selected elements on the device, and copies them to the output after
   those of the chunks before.

   Several contexts end their chunks in any order. While an earlier chunk is in progress, a chunk's position in the
   output is not known. Its elements are then copied to the chunk's position in the input, which is never before the
   position in the output, and are moved later:

       chunk 0 1 2 3   selected   aaa..    ..... in progress cc...    d....      a chunk's room
                       later      aaabb cc d                 all are in place */
#include "base/chunks.h"
#include "base/error.h"
#include "base/run.h"
#include "base/text.h"

#include <string.h>

enum { GPI_HOST_IN, GPI_HOST_FLAGS, GPI_HOST_OUT, GPI_HOST_INDICES };

typedef struct gpi_host_select {
    const gp_host_select_desc *desc;
    gpi_host_text predicate;
    gpi_host_args args;
    gp_select_desc chunk; /* the fields that are the same for all chunks */
    char *outs[2];        /* the call's outputs */
    uint64_t selected;    /* number of elements that are at their final positions */
    uint64_t *
        ended; /* several contexts: 1 + the number of each chunk's elements that must be moved; 0: not yet known */
    size_t placed; /* number of chunks whose elements are at their final positions */
} gpi_host_select;

static gp_result gpi_host_select_types(gp_context *gp, const char *function, const gp_host_select_desc *desc,
                                       gpi_host_chunks *c)
{
    const size_t size = desc->record         ? desc->record->size
                        : desc->element_size ? desc->element_size
                                             : gpi_host_size_of(desc->type);
    const gp_type flags = desc->flags_type ? desc->flags_type : GP_U8,
                  index = desc->index_type ? desc->index_type : GP_U32;
    gp_result result = GP_OK;
    if (!desc->record && !desc->element_size) result = gpi_host_check_type(gp, function, "type", desc->type);
    if (result == GP_OK) result = gpi_host_check_type(gp, function, "flags_type", flags);
    if (result != GP_OK) return result;
    if (index != GP_U32 && index != GP_U64)
        return gpi_host_fail(gp, GP_ERROR_INVALID_TYPE, "%s: index_type = %d is not GP_U32 or GP_U64",
                             function, (int)index);
    if (!desc->predicate == !desc->flags)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: set one of predicate and flags", function);
    if (!desc->out && !desc->indices_out && !desc->selected)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: out, indices_out and selected are NULL",
                             function);
    if (desc->indices_out && index == GP_U32 && desc->count > 0xffffffffu)
        return gpi_host_fail(gp, GP_ERROR_COUNT_LIMIT,
                             "%s: count = %zu is more than indices of GP_U32 can tell", function,
                             desc->count);
    c->arrays[GPI_HOST_IN].in = (const char *)desc->in;
    c->arrays[GPI_HOST_IN].size = size;
    c->arrays[GPI_HOST_FLAGS].in = (const char *)desc->flags;
    c->arrays[GPI_HOST_FLAGS].size = desc->flags ? gpi_host_size_of(flags) : 0;
    c->arrays[GPI_HOST_OUT].size = desc->out ? size : 0;
    c->arrays[GPI_HOST_INDICES].size = desc->indices_out ? gpi_host_size_of(index) : 0;
    return gpi_host_check_array(gp, function, "in", desc->in, desc->count, size);
}

static gp_result gpi_host_select_overlap(gp_context *gp, const char *function,
                                         const gp_host_select_desc *desc, const gpi_host_chunks *c)
{
    static const char *const names[] = {"in", "flags", "out", "indices_out"};
    const void *arrays[4];
    int a, b;
    arrays[0] = desc->in;
    arrays[1] = desc->flags;
    arrays[2] = desc->out;
    arrays[3] = desc->indices_out;
    for (a = GPI_HOST_OUT; a <= GPI_HOST_INDICES; a++) {
        for (b = 0; b < a; b++) {
            if (gpi_host_overlap(arrays[a], desc->count * c->arrays[a].size, arrays[b],
                                 desc->count * c->arrays[b].size))
                return gpi_host_fail(gp, GP_ERROR_OVERLAP, "%s: %s and %s overlap", function, names[b],
                                     names[a]);
        }
    }
    return GP_OK;
}

static gp_result gpi_host_select_prepare(gp_context *gp, const char *function, gpi_host_select *s)
{
    const gp_host_select_desc *desc = s->desc;
    gp_result result = gpi_host_text_make(gp, function, "", desc->predicate, "", &s->predicate);
    if (result == GP_OK)
        result =
            gpi_host_args_make(gp, function, desc->args, desc->arg_count, s->predicate.has_index, &s->args);
    if (result != GP_OK) return result;
    if (s->predicate.has_index) (void)gpi_host_args_add(&s->args, "chunk_first", GP_U64, &s->args.first);
    s->chunk.count_out_type = GP_U64;
    s->chunk.type = desc->type;
    s->chunk.element_size = desc->element_size;
    s->chunk.record = desc->record;
    s->chunk.predicate = s->predicate.text;
    s->chunk.args = s->args.count ? s->args.args : NULL;
    s->chunk.arg_count = s->args.count;
    s->chunk.flags_type = desc->flags_type;
    s->chunk.index_type = desc->indices_out ? desc->index_type : GP_TYPE_NONE;
    return GP_OK;
}

/* Sets *bytes to the scratch for a chunk. The size depends on which outputs are given, so other buffers are passed as
   placeholders for them. */
static gp_result gpi_host_select_scratch(gpi_host_chunks *c, size_t count, size_t *bytes)
{
    const gpi_host_select *s = (const gpi_host_select *)c->call;
    gp_select_desc desc = s->chunk;
    const cl_mem any = c->owns[0].buffer;
    desc.count = count;
    desc.count_out = any;
    if (s->desc->flags) desc.flags = any;
    if (s->desc->out) desc.out = any;
    if (s->desc->indices_out) desc.indices_out = any;
    return gp_select_scratch_size(c->gp, &desc, bytes);
}

/* Converts positions in the chunk to positions in the whole input. */
static gp_result gpi_host_select_shift(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    const gpi_host_select *s = (const gpi_host_select *)c->call;
    const cl_ulong first = chunk->first;
    gp_transform_desc desc;
    gp_arg arg;
    gp_result result;
    memset(&desc, 0, sizeof desc);
    memset(&arg, 0, sizeof arg);
    arg.name = "chunk_first";
    arg.type = GP_U64;
    arg.value = &first;
    desc.in = desc.out = c->arrays[GPI_HOST_INDICES].buffers[chunk->slot];
    desc.type = s->desc->index_type ? s->desc->index_type : GP_U32;
    desc.map = "x + chunk_first";
    desc.args = &arg;
    desc.arg_count = 1;
    desc.count = chunk->count;
    desc.count_buffer = c->owns[0].buffer;
    desc.count_offset = (size_t)chunk->slot;
    desc.count_type = GP_U64;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_transform(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

static gp_result gpi_host_select_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_select *s = (gpi_host_select *)c->call;
    gp_select_desc desc = s->chunk;
    gp_result result;
    s->args.first = chunk->first;
    desc.in = c->arrays[GPI_HOST_IN].buffers[chunk->slot];
    desc.flags = c->arrays[GPI_HOST_FLAGS].buffers[chunk->slot];
    desc.out = c->arrays[GPI_HOST_OUT].buffers[chunk->slot];
    desc.indices_out = c->arrays[GPI_HOST_INDICES].buffers[chunk->slot];
    desc.count_out = c->owns[0].buffer;
    desc.count_out_offset = (size_t)chunk->slot;
    desc.count = chunk->count;
    desc.scratch = c->scratch;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_select(c->gp, &desc);
    if (result != GP_OK) return result;
    gpi_host_then(c);
    if (s->desc->indices_out) result = gpi_host_select_shift(c, chunk);
    return result == GP_OK ? gpi_host_count(c, chunk, c->owns[0].buffer) : result;
}

/* Copies the chunk's selected elements to the outputs, from element `at` on. */
static gp_result gpi_host_select_copy(gpi_host_chunks *c, const gpi_host_chunk *chunk, uint64_t at)
{
    const gpi_host_select *s = (const gpi_host_select *)c->call;
    const size_t count = (size_t)c->count_of[chunk->slot];
    gp_result result = GP_OK;
    int a;
    for (a = GPI_HOST_OUT; a <= GPI_HOST_INDICES && count && result == GP_OK; a++) {
        const gpi_host_array *array = &c->arrays[a];
        if (!array->size) continue;
        result = gpi_host_read(c, chunk, array->buffers[chunk->slot], 0, count * array->size,
                               s->outs[a - GPI_HOST_OUT] + (size_t)at * array->size);
    }
    return result;
}

/* Moves the elements of chunks that have ended to their positions in the output, as far as these are known. */
static void gpi_host_select_place(const gpi_host_chunks *c, gpi_host_select *s)
{
    for (; s->ended && s->placed < c->number && s->ended[s->placed]; s->placed++) {
        const size_t from = s->placed * c->piece, count = (size_t)s->ended[s->placed] - 1;
        int a;
        for (a = 0; a < 2; a++) {
            const size_t size = c->arrays[GPI_HOST_OUT + a].size;
            if (size)
                memmove(s->outs[a] + (size_t)s->selected * size, s->outs[a] + from * size, count * size);
        }
        s->selected += count;
    }
}

static void gpi_host_select_ended(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_select *s = (gpi_host_select *)c->call;
    if (chunk->index < s->placed) return;
    s->ended[chunk->index] = 1 + c->count_of[chunk->slot];
    gpi_host_select_place(c, s);
}

/* Reads the count, then copies the elements. A single context waits for the count while the next chunk is computed. */
static gp_result gpi_host_select_download(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_select *s = (gpi_host_select *)c->call;
    const bool known = !s->ended || chunk->index == s->placed;
    gp_result result = gpi_host_counted(c, chunk, c->owns[0].buffer);
    if (result == GP_OK) result = gpi_host_select_copy(c, chunk, known ? s->selected : chunk->first);
    if (result != GP_OK || !known) return result;
    s->selected += c->count_of[chunk->slot];
    s->placed++;
    gpi_host_select_place(c, s);
    return GP_OK;
}

static gp_result gpi_host_select_run(gpi_host_chunks *c, gpi_host_select *s)
{
    gp_result result = gpi_host_chunks_open(c);
    if (result == GP_OK && c->devices > 1) {
        c->ended = gpi_host_select_ended;
        if (c->number <= SIZE_MAX / sizeof *s->ended)
            s->ended = (uint64_t *)GPI_HOST_MALLOC(c->number * sizeof *s->ended);
        if (!s->ended)
            return gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY,
                                 "%s: no memory for the counts of %zu chunks", c->function, c->number);
        memset(s->ended, 0, c->number * sizeof *s->ended);
    }
    return result == GP_OK ? gpi_host_chunks_run(c) : result;
}

GP_HOST_API gp_result gp_host_select(gp_context *gp, const gp_host_select_desc *desc)
{
    static const char function[] = "gp_host_select";
    gpi_host_select s;
    gpi_host_chunks c;
    gp_result result = gpi_host_check(gp, function, desc);
    if (result != GP_OK) return result;
    memset(&s, 0, sizeof s);
    s.desc = desc;
    gpi_host_chunks_set(&c, gp, function, desc->count, desc->budget, desc->progress, desc->progress_user);
    c.fixed = c.owns[0].bytes = GPI_HOST_SLOTS * sizeof(uint64_t);
    s.outs[0] = (char *)desc->out;
    s.outs[1] = (char *)desc->indices_out;
    c.compute = gpi_host_select_compute;
    c.download = gpi_host_select_download;
    c.scratch_size = gpi_host_select_scratch;
    c.call = &s;
    result = gpi_host_chunks_share(&c, desc->others, desc->other_count, desc->args, desc->arg_count);
    if (result == GP_OK) result = gpi_host_select_types(gp, function, desc, &c);
    if (result == GP_OK) result = gpi_host_select_overlap(gp, function, desc, &c);
    if (result == GP_OK) result = gpi_host_select_prepare(gp, function, &s);
    if (result == GP_OK) result = gpi_host_select_run(&c, &s);
    result = gpi_host_chunks_close(&c, result);
    GPI_HOST_FREE(s.ended);
    gpi_host_text_free(&s.predicate);
    if (result == GP_OK && desc->selected) *desc->selected = s.selected;
    return result;
}
