/* brackets.c - gp_host_brackets: matches chunk after chunk, each together with openers that are still open before it.

   The positions of open openers are a stack in host memory. The topmost openers, as many as the chunk could close, are
   copied to the buffer, in front of the chunk's elements. So the device's call also finds the partners, parents and
   mismatches of these openers:

       stack 0 3 4 9 | 12 17 20   buffer   ( [ (  ) ] x ( { ) (        elements 12, 17, 20, then the chunk
               below | lead

   Then the device selects the openers without a partner, which are the new stack above `below`, and converts indices in
   the buffer to indices in the whole input. While the next chunk is copied to the device, the host waits for the stack,
   and writes the partners of openers in earlier chunks. */
#include "base/chunks.h"
#include "base/error.h"
#include "base/run.h"
#include "base/text.h"

#include <string.h>

enum {
    GPI_HOST_NEST_IN,
    GPI_HOST_NEST_MATCH,
    GPI_HOST_NEST_PARENT,
    GPI_HOST_NEST_DEPTH,
    GPI_HOST_NEST_STACK, /* positions of the lead's openers */
    GPI_HOST_NEST_OPEN   /* indices, in the buffer, of openers without a partner */
};

typedef struct gpi_host_nest {
    const gp_host_brackets_desc *desc;
    size_t size, index_size; /* bytes of an element, of an index */
    gp_type index_type;

    /* the device's calls: the fields that are the same for all chunks */
    gp_brackets_desc brackets;
    gp_select_desc select;
    gpi_host_text map, opens;
    gpi_host_args map_args, opens_args;
    gp_arg index_args[3]; /* the args chunk_first, chunk_lead and chunk_stack */
    gp_arg *match_arg;    /* the arg chunk_match */
    cl_mem counts, errors, codes;

    uint64_t *stack;
    size_t height, room;
    char *indices, *lead_in; /* room for a buffer's indices, and for a lead's elements */

    /* the chunk that is being computed */
    gpi_host_chunk chunk;
    cl_ulong first,
        lead;       /* the chunk's first position minus `lead`, modulo 2^64; number of elements in the lead */
    cl_ulong below; /* number of open openers that are not in the buffer */
    bool under_way;

    gp_brackets_errors total;
} gpi_host_nest;

/* ------------------------------------------------------------------ the stack */

static uint64_t gpi_host_nest_index(const gpi_host_nest *b, size_t i)
{
    uint32_t narrow;
    uint64_t wide;
    if (b->index_size == 8) {
        memcpy(&wide, b->indices + i * 8, 8);
        return wide;
    }
    memcpy(&narrow, b->indices + i * 4, 4);
    return narrow;
}

/* Reads from a buffer. Blocks until the chunk in progress is computed. */
static gp_result gpi_host_nest_read(gpi_host_chunks *c, cl_mem buffer, size_t at, size_t bytes, void *to)
{
    const gpi_host_nest *b = (const gpi_host_nest *)c->call;
    const cl_int error = bytes ? clEnqueueReadBuffer(c->copies, buffer, CL_TRUE, at, bytes, to, 1,
                                                     &c->computed[b->chunk.slot], NULL)
                               : CL_SUCCESS;
    return error == CL_SUCCESS ? GP_OK : gpi_host_fail_cl(c->gp, c->function, "clEnqueueReadBuffer", error);
}

static gp_result gpi_host_nest_grow(gpi_host_chunks *c, gpi_host_nest *b, size_t height)
{
    size_t room = height > 2 * b->room ? height : 2 * b->room;
    uint64_t *stack;
    if (height <= b->room) return GP_OK;
    if (room > b->desc->count) room = b->desc->count;
    stack = (uint64_t *)GPI_HOST_MALLOC(room * sizeof *stack);
    if (!stack)
        return gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu open brackets",
                             c->function, room);
    if (b->height) memcpy(stack, b->stack, b->height * sizeof *stack);
    GPI_HOST_FREE(b->stack);
    b->stack = stack;
    b->room = room;
    return GP_OK;
}

/* Writes the partners of the lead's openers from number `kept` on, which this chunk has closed. Earlier copies to the
   caller's memory cannot overwrite them, because the queue for copies is in order: these copies have ended. */
static gp_result gpi_host_nest_partners(gpi_host_chunks *c, const gpi_host_nest *b, size_t kept,
                                        char *partners)
{
    const size_t lead = (size_t)b->lead, size = b->index_size;
    const gp_result result =
        gpi_host_nest_read(c, c->arrays[GPI_HOST_NEST_MATCH].buffers[b->chunk.slot],
                           (c->lead - lead + kept) * size, (lead - kept) * size, partners);
    size_t i;
    for (i = kept; i < lead && result == GP_OK; i++)
        memcpy((char *)b->desc->match + (size_t)b->stack[b->below + i] * size, partners + (i - kept) * size,
               size);
    return result;
}

static gp_result gpi_host_nest_errors(gpi_host_chunks *c, gpi_host_nest *b)
{
    gp_brackets_errors e, *total = &b->total;
    const gp_result result = gpi_host_nest_read(c, b->errors, (size_t)b->chunk.slot * sizeof e, sizeof e, &e);
    if (result != GP_OK) return result;
    if (e.unmatched_closers && !total->unmatched_closers)
        total->first_unmatched_closer = e.first_unmatched_closer + b->first;
    if (e.mismatches && !total->mismatches) total->first_mismatch = e.first_mismatch + b->first;
    total->unmatched_closers += e.unmatched_closers;
    total->mismatches += e.mismatches;
    if (e.max_depth + b->below > total->max_depth) total->max_depth = e.max_depth + b->below;
    total->joined += e.joined;
    total->searches += e.searches;
    return GP_OK;
}

/* Updates the stack, the partners and the errors for the openers that the chunk in progress has closed and added. */
static gp_result gpi_host_nest_settle(gpi_host_chunks *c, gpi_host_nest *b)
{
    const int slot = b->chunk.slot;
    uint64_t open = 0;
    size_t kept = 0, i;
    gp_result result;
    if (!b->under_way) return GP_OK;
    b->under_way = false;
    result = gpi_host_nest_read(c, b->counts, (size_t)slot * sizeof open, sizeof open, &open);
    if (result == GP_OK)
        result = gpi_host_nest_read(c, c->arrays[GPI_HOST_NEST_OPEN].buffers[slot], 0,
                                    (size_t)open * b->index_size, b->indices);
    if (result == GP_OK) result = gpi_host_nest_grow(c, b, (size_t)(b->below + open));
    if (result == GP_OK && b->errors) result = gpi_host_nest_errors(c, b);
    if (result != GP_OK) return result;
    while (kept < open && gpi_host_nest_index(b, kept) < b->lead) kept++;
    if (b->desc->match)
        result = gpi_host_nest_partners(c, b, kept, b->indices + (size_t)open * b->index_size);
    b->height = (size_t)b->below + kept;
    for (i = kept; i < open; i++) b->stack[b->height++] = gpi_host_nest_index(b, i) + b->first;
    return result;
}

/* ------------------------------------------------------------------ a chunk */

/* Uploads the chunk, then the openers in front of it, which are known when the previous chunk is computed. */
static gp_result gpi_host_nest_upload(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_nest *b = (gpi_host_nest *)c->call;
    const char *in = (const char *)b->desc->in;
    const cl_mem buffer = c->arrays[GPI_HOST_NEST_IN].buffers[chunk->slot];
    size_t lead, i;
    gp_result result = gpi_host_write(c, chunk, buffer, c->lead * b->size, chunk->count * b->size,
                                      in + chunk->first * b->size);
    if (result == GP_OK) result = gpi_host_nest_settle(c, b);
    if (result != GP_OK) return result;
    lead = b->height < chunk->count ? b->height : chunk->count;
    b->chunk = *chunk;
    b->under_way = true;
    b->lead = lead;
    b->first = (cl_ulong)chunk->first - lead;
    b->below = b->height - lead;
    if (!lead) return GP_OK;
    for (i = 0; i < lead; i++)
        memcpy(b->lead_in + i * b->size, in + (size_t)b->stack[b->below + i] * b->size, b->size);
    result = gpi_host_write(c, chunk, buffer, (c->lead - lead) * b->size, lead * b->size, b->lead_in);
    if (result != GP_OK) return result;
    return gpi_host_write(c, chunk, c->arrays[GPI_HOST_NEST_STACK].buffers[chunk->slot], 0,
                          lead * sizeof *b->stack, b->stack + b->below);
}

static gp_result gpi_host_nest_scratch(gpi_host_chunks *c, size_t count, size_t *bytes)
{
    const gpi_host_nest *b = (const gpi_host_nest *)c->call;
    gp_brackets_desc brackets = b->brackets;
    gp_select_desc select = b->select;
    size_t selecting = 0;
    gp_result result;
    *bytes = SIZE_MAX / 2; /* more than any budget */
    if (count < c->count && b->index_size == 4 && count > 0x7fffffffu) return GP_OK;
    brackets.count = select.count = count < c->count ? 2 * count : count;
    select.count_out = select.indices_out = b->counts; /* a placeholder: any buffer suffices */
    brackets.match = b->counts;                        /* which outputs are set determines the program */
    brackets.parent = b->desc->parent ? b->counts : NULL;
    brackets.depth = b->desc->depth ? b->counts : NULL;
    brackets.errors = b->errors;
    result = gp_brackets_scratch_size(c->gp, &brackets, bytes);
    if (result == GP_OK) result = gp_select_scratch_size(c->gp, &select, &selecting);
    if (selecting > *bytes) *bytes = selecting;
    return result;
}

static gp_result gpi_host_nest_match(gpi_host_chunks *c, gpi_host_nest *b, size_t at, size_t count)
{
    gp_brackets_desc desc = b->brackets;
    const int slot = b->chunk.slot;
    size_t scratch;
    gp_result result;
    desc.in = c->arrays[GPI_HOST_NEST_IN].buffers[slot];
    desc.match = c->arrays[GPI_HOST_NEST_MATCH].buffers[slot];
    desc.parent = c->arrays[GPI_HOST_NEST_PARENT].buffers[slot];
    desc.depth = c->arrays[GPI_HOST_NEST_DEPTH].buffers[slot];
    desc.in_offset = desc.match_offset = desc.parent_offset = desc.depth_offset = at;
    desc.count = count;
    desc.errors = b->errors;
    desc.errors_offset = (size_t)slot;
    result = gp_brackets_scratch_size(c->gp, &desc, &scratch);
    if (result != GP_OK) return result;
    desc.scratch = scratch <= c->scratch_bytes ? c->scratch : NULL;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_brackets(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

static gp_result gpi_host_nest_select(gpi_host_chunks *c, gpi_host_nest *b, size_t at, size_t count)
{
    gp_select_desc desc = b->select;
    const int slot = b->chunk.slot;
    gp_result result;
    b->match_arg->buffer = c->arrays[GPI_HOST_NEST_MATCH].buffers[slot];
    b->match_arg->offset = at;
    desc.in = c->arrays[GPI_HOST_NEST_IN].buffers[slot];
    desc.in_offset = at;
    desc.indices_out = c->arrays[GPI_HOST_NEST_OPEN].buffers[slot];
    desc.count_out = b->counts;
    desc.count_out_offset = (size_t)slot;
    desc.count = count;
    desc.scratch = c->scratch;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_select(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

/* Converts an output's elements, from element `at` on, from indices and depths in the buffer to those in the whole
   input. `map` is the expression that converts one of them. */
static gp_result gpi_host_nest_shift(gpi_host_chunks *c, const gpi_host_nest *b, int array, size_t at,
                                     size_t count, const char *map, const gp_arg *args, size_t arg_count)
{
    gp_transform_desc desc;
    gp_result result;
    memset(&desc, 0, sizeof desc);
    desc.in = desc.out = c->arrays[array].buffers[b->chunk.slot];
    desc.in_offset = desc.out_offset = at;
    desc.type = b->index_type;
    desc.map = map;
    desc.args = args;
    desc.arg_count = arg_count;
    desc.count = count;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_transform(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

static gp_result gpi_host_nest_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    static const char indices[] = "~x ? x < chunk_lead ? chunk_stack[x] : x + chunk_first : x";
    gpi_host_nest *b = (gpi_host_nest *)c->call;
    const size_t lead = (size_t)b->lead, at = c->lead - lead, count = lead + chunk->count;
    gp_arg below;
    gp_result result;
    memset(&below, 0, sizeof below);
    below.name = "chunk_below";
    below.type = GP_U64;
    below.value = &b->below;
    b->index_args[2].buffer = c->arrays[GPI_HOST_NEST_STACK].buffers[chunk->slot];
    if (b->map.has_index) {
        b->map_args.args[b->map_args.count - 1] = b->index_args[2];
        b->opens_args.args[b->opens_args.count - 1] = b->index_args[2];
    }
    result = gpi_host_nest_match(c, b, at, count);
    if (result == GP_OK) result = gpi_host_nest_select(c, b, at, count);
    if (result == GP_OK && chunk->first && b->desc->match)
        result = gpi_host_nest_shift(c, b, GPI_HOST_NEST_MATCH, at, count, indices, b->index_args, 3);
    if (result == GP_OK && chunk->first && b->desc->parent)
        result =
            gpi_host_nest_shift(c, b, GPI_HOST_NEST_PARENT, c->lead, chunk->count, indices, b->index_args, 3);
    if (result == GP_OK && b->below && b->desc->depth)
        result = gpi_host_nest_shift(c, b, GPI_HOST_NEST_DEPTH, c->lead, chunk->count, "x + chunk_below",
                                     &below, 1);
    return result;
}

/* ------------------------------------------------------------------ the call */

static gp_result gpi_host_nest_types(gp_context *gp, const char *function, gpi_host_nest *b,
                                     gpi_host_chunks *c)
{
    const gp_host_brackets_desc *desc = b->desc;
    const bool wide = (uint64_t)desc->count > UINT32_MAX;
    const gp_result result = gpi_host_check_type(gp, function, "type", desc->type);
    if (result != GP_OK) return result;
    b->index_type = desc->index_type ? desc->index_type : wide ? GP_U64 : GP_U32;
    if (b->index_type != GP_U32 && b->index_type != GP_U64)
        return gpi_host_fail(gp, GP_ERROR_INVALID_TYPE, "%s: index_type = %d is not GP_U32 or GP_U64",
                             function, (int)desc->index_type);
    if (b->index_type == GP_U32 && wide)
        return gpi_host_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: count = %zu does not fit indices of 32 bits",
                             function, desc->count);
    if (!desc->match && !desc->parent && !desc->depth && !desc->errors)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: match, parent, depth and errors are NULL",
                             function);
    b->size = gpi_host_size_of(desc->type);
    b->index_size = gpi_host_size_of(b->index_type);
    c->arrays[GPI_HOST_NEST_IN].size = b->size;
    c->arrays[GPI_HOST_NEST_MATCH].size = c->arrays[GPI_HOST_NEST_OPEN].size = b->index_size;
    c->arrays[GPI_HOST_NEST_PARENT].size = desc->parent ? b->index_size : 0;
    c->arrays[GPI_HOST_NEST_DEPTH].size = desc->depth ? b->index_size : 0;
    c->arrays[GPI_HOST_NEST_STACK].size = sizeof *b->stack;
    c->arrays[GPI_HOST_NEST_MATCH].out = (char *)desc->match;
    c->arrays[GPI_HOST_NEST_PARENT].out = (char *)desc->parent;
    c->arrays[GPI_HOST_NEST_DEPTH].out = (char *)desc->depth;
    return GP_OK;
}

static gp_result gpi_host_nest_check(gp_context *gp, const char *function, const gpi_host_nest *b)
{
    const gp_host_brackets_desc *desc = b->desc;
    const struct {
        const char *name;
        const void *array;
        size_t count, size;
    } arrays[] = {{"in", desc->in, desc->count, b->size},
                  {"match", desc->match, desc->count, b->index_size},
                  {"parent", desc->parent, desc->count, b->index_size},
                  {"depth", desc->depth, desc->count, b->index_size},
                  {"errors", desc->errors, 1, sizeof *desc->errors}};
    size_t i, k;
    gp_result result = GP_OK;
    for (i = 0; i < 5 && result == GP_OK; i++) {
        if (i > 0 && !arrays[i].array) continue;
        result = gpi_host_check_array(gp, function, arrays[i].name, arrays[i].array, arrays[i].count,
                                      arrays[i].size);
        for (k = 0; k < i && result == GP_OK; k++) {
            if (gpi_host_overlap(arrays[k].array, arrays[k].count * arrays[k].size, arrays[i].array,
                                 arrays[i].count * arrays[i].size))
                result = gpi_host_fail(gp, GP_ERROR_OVERLAP, "%s: %s and %s overlap", function,
                                       arrays[k].name, arrays[i].name);
        }
    }
    return result;
}

/* Creates the table that says which bytes are openers. Errors in `pairs` are reported by the device's call. */
static gp_result gpi_host_nest_codes(gp_context *gp, gpi_host_nest *b)
{
    const gp_host_brackets_desc *desc = b->desc;
    const char *pair = desc->pairs ? desc->pairs : "()[]{}";
    int8_t codes[256] = {0};
    if (desc->type != GP_U8 || desc->map) return GP_OK;
    for (; pair[0] && pair[1]; pair += 2) codes[(unsigned char)pair[0]] = 1;
    return gp_buffer_create(gp, sizeof codes, desc->table ? desc->table : codes, &b->codes);
}

static void gpi_host_nest_index_args(gpi_host_nest *b)
{
    gp_arg *args = b->index_args;
    memset(args, 0, sizeof b->index_args);
    args[0].name = "chunk_first";
    args[0].value = &b->first;
    args[1].name = "chunk_lead";
    args[1].value = &b->lead;
    args[2].name = "chunk_stack";
    args[0].type = args[1].type = args[2].type = GP_U64;
}

/* Makes the map and args for gp_brackets from the caller's map and args. Makes those for gp_select in the same way,
   with chunk_match as a further arg. */
static gp_result gpi_host_nest_texts(gp_context *gp, const char *function, gpi_host_nest *b)
{
    static const char index[] = "(i < chunk_lead ? chunk_stack[i] : i + chunk_first)";
    const gp_host_brackets_desc *desc = b->desc;
    size_t more, k;
    gp_result result = gpi_host_text_index(gp, function, "", desc->map, "", index, &b->map);
    if (result == GP_OK)
        result = gpi_host_text_index(gp, function, "(int)(", desc->map, "\n) > 0 && !~chunk_match[i]", index,
                                     &b->opens);
    more = b->map.has_index ? 3 : 0;
    if (result == GP_OK)
        result = gpi_host_args_make(gp, function, desc->args, desc->arg_count, more + 2, &b->map_args);
    if (result != GP_OK) return result;
    b->opens_args = b->map_args;
    b->match_arg = gpi_host_args_add(&b->opens_args, "chunk_match", b->index_type, NULL);
    if (b->codes) gpi_host_args_add(&b->opens_args, "chunk_codes", GP_I8, NULL)->buffer = b->codes;
    gpi_host_nest_index_args(b);
    for (k = 0; k < more; k++) {
        b->map_args.args[b->map_args.count++] = b->index_args[k];
        b->opens_args.args[b->opens_args.count++] = b->index_args[k];
    }
    return GP_OK;
}

static void gpi_host_nest_descs(gpi_host_nest *b)
{
    const gp_host_brackets_desc *desc = b->desc;
    b->brackets.type = b->select.type = desc->type;
    b->brackets.pairs = desc->pairs;
    b->brackets.table = desc->table;
    b->brackets.map = b->map.text;
    b->brackets.args = b->map_args.count ? b->map_args.args : NULL;
    b->brackets.arg_count = b->map_args.count;
    b->brackets.index_type = b->select.index_type = b->index_type;
    b->select.predicate = b->map.text ? b->opens.text
                          : b->codes  ? "chunk_codes[x] > 0 && !~chunk_match[i]"
                                      : "x > 0 && !~chunk_match[i]";
    b->select.args = b->opens_args.args;
    b->select.arg_count = b->opens_args.count;
    b->select.count_out_type = GP_U64;
    b->total.first_unmatched_closer = b->total.first_unmatched_opener = b->total.first_mismatch = UINT64_MAX;
}

static gp_result gpi_host_nest_room(gpi_host_chunks *c, gpi_host_nest *b)
{
    const size_t indices = (c->lead + c->chunk) * b->index_size, lead = c->lead * b->size;
    b->indices = (char *)GPI_HOST_MALLOC(indices ? indices : 1);
    b->lead_in = (char *)GPI_HOST_MALLOC(lead ? lead : 1);
    if (b->indices && b->lead_in) return GP_OK;
    return gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu bytes beside the arrays",
                         c->function, indices + lead);
}

static gp_result gpi_host_nest_run(gpi_host_chunks *c, gpi_host_nest *b)
{
    const size_t slot_count = GPI_HOST_SLOTS, errors = slot_count * sizeof b->total;
    gp_result result = gpi_host_buffer(c, slot_count * sizeof(uint64_t), &b->counts);
    if (result == GP_OK && b->desc->errors) result = gpi_host_buffer(c, errors, &b->errors);
    c->fixed = slot_count * sizeof(uint64_t) + (b->errors ? errors : 0) + (b->codes ? 256 : 0);
    if (result == GP_OK) result = gpi_host_chunks_open(c);
    if (result == GP_OK) result = gpi_host_nest_room(c, b);
    if (result == GP_OK) result = gpi_host_chunks_run(c);
    return result == GP_OK ? gpi_host_nest_settle(c, b) : result;
}

static void gpi_host_nest_free(gpi_host_nest *b)
{
    if (b->counts) clReleaseMemObject(b->counts);
    if (b->errors) clReleaseMemObject(b->errors);
    if (b->codes) clReleaseMemObject(b->codes);
    gpi_host_text_free(&b->map);
    gpi_host_text_free(&b->opens);
    GPI_HOST_FREE(b->stack);
    GPI_HOST_FREE(b->indices);
    GPI_HOST_FREE(b->lead_in);
}

GP_HOST_API gp_result gp_host_brackets(gp_context *gp, const gp_host_brackets_desc *desc)
{
    static const char function[] = "gp_host_brackets";
    gpi_host_nest b;
    gpi_host_chunks c;
    gp_result result = gpi_host_check(gp, function, desc);
    if (result != GP_OK) return result;
    memset(&b, 0, sizeof b);
    b.desc = desc;
    gpi_host_chunks_set(&c, gp, function, desc->count, desc->budget, desc->progress, desc->progress_user);
    c.lead_of_chunk = true;
    c.upload = gpi_host_nest_upload;
    c.compute = gpi_host_nest_compute;
    c.scratch_size = gpi_host_nest_scratch;
    c.call = &b;
    result = gpi_host_nest_types(gp, function, &b, &c);
    if (result == GP_OK) result = gpi_host_nest_check(gp, function, &b);
    if (result == GP_OK) result = gpi_host_nest_codes(gp, &b);
    if (result == GP_OK) result = gpi_host_nest_texts(gp, function, &b);
    if (result == GP_OK) gpi_host_nest_descs(&b);
    if (result == GP_OK) result = gpi_host_nest_run(&c, &b);
    result = gpi_host_chunks_close(&c, result);
    b.total.unmatched_openers = b.height;
    if (b.height) b.total.first_unmatched_opener = b.stack[0];
    if (result == GP_OK && desc->errors) *desc->errors = b.total;
    gpi_host_nest_free(&b);
    return result;
}
