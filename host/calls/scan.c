/* scan.c - gp_host_scan: what is before a chunk is carried to it on the device, as an element more.

   A chunk's buffer has room for an element at each end. Forward (in reverse the other way round):

       carry  in[first] ... in[first + count - 1]  end

   The scan takes the carry with the elements, and where it is exclusive the element at the end, which only makes room
   for the sum of all. What it leaves in its last element is the next chunk's carry. The input's elements may not be sums yet:
   then the map gives the carry in place of what is at the ends. */
#include "base/chunks.h"
#include "base/error.h"
#include "base/text.h"

#include <string.h>

typedef struct gpi_host_scan {
    const gp_host_scan_desc *desc;
    size_t out_size;
    bool maps; /* the carry is what the map gives, not an element of the input */
    gpi_host_text map;
    gpi_host_args args;
    cl_ulong lead, count; /* args: where the chunk's elements begin in the scan, and how many they are */
    gp_record carry_record;
    cl_mem carry;
    gp_scan_desc chunk; /* as far as it is the same for all chunks */
    bool carried;
} gpi_host_scan;

static gp_result gpi_host_scan_types(gp_context *gp, const char *function, gpi_host_scan *s,
                                     gpi_host_chunks *c)
{
    const gp_host_scan_desc *desc = s->desc;
    const bool bare = desc->monoid && !desc->map;
    const gp_type out_type = desc->out_type ? desc->out_type : desc->type;
    size_t in_size;
    gp_result result = GP_OK;
    if (desc->op == GP_ARGMIN || desc->op == GP_ARGMAX)
        return gpi_host_fail(gp, GP_ERROR_INVALID_OP, "%s: op = %d: argmin and argmax are not taken",
                             function, (int)desc->op);
    if (!bare && !desc->record) result = gpi_host_check_type(gp, function, "type", desc->type);
    if (result == GP_OK && !desc->monoid) result = gpi_host_check_type(gp, function, "out_type", out_type);
    if (result != GP_OK) return result;
    s->out_size = desc->monoid ? desc->monoid->size : gpi_host_size_of(out_type);
    in_size = bare ? s->out_size : desc->record ? desc->record->size : gpi_host_size_of(desc->type);
    result = gpi_host_check_array(gp, function, "in", desc->in, desc->count, in_size);
    if (result == GP_OK)
        result = gpi_host_check_array(gp, function, "out", desc->out, desc->count, s->out_size);
    if (result != GP_OK) return result;
    s->maps = !bare && (desc->map || out_type != desc->type);
    c->arrays[0].in = (const char *)desc->in;
    c->arrays[0].size = in_size;
    if (in_size == s->out_size) {
        c->arrays[0].out = (char *)desc->out;
    } else {
        c->arrays[1].out = (char *)desc->out;
        c->arrays[1].size = s->out_size;
    }
    if (gpi_host_overlap(desc->in, desc->count * in_size, desc->out, desc->count * s->out_size) &&
        (desc->in != desc->out || in_size != s->out_size))
        return gpi_host_fail(gp, GP_ERROR_OVERLAP, "%s: in and out overlap, and are not the same elements",
                             function);
    return GP_OK;
}

/* Converted to a sum's type before the carry stands beside it. */
static const char *gpi_host_conversion(gp_type type)
{
    switch (type) {
#define GPI_HOST_CONVERSION_CASE(name, value, cl, bytes) \
    case name: return "i - chunk_lead < chunk_count ? (" cl ")(";
        GP_TYPES(GPI_HOST_CONVERSION_CASE)
#undef GPI_HOST_CONVERSION_CASE
    default: return "i - chunk_lead < chunk_count ? (";
    }
}

/* The map, and the carry in place of what is at the ends. */
static gp_result gpi_host_scan_map(gp_context *gp, const char *function, gpi_host_scan *s)
{
    const gp_host_scan_desc *desc = s->desc;
    const gp_type type = desc->monoid ? GP_TYPE_NONE : desc->out_type ? desc->out_type : desc->type;
    const bool half = type == GP_F16;
    gp_arg *carry;
    gp_result result;
    if (!s->maps) return gpi_host_args_make(gp, function, desc->args, desc->arg_count, 0, &s->args);
    result = gpi_host_text_make(gp, function, gpi_host_conversion(half ? GP_F32 : type),
                                desc->map ? desc->map : "x",
                                half ? "\n) : vload_half(0, chunk_carry)" : "\n) : chunk_carry[0]", &s->map);
    if (result == GP_OK) result = gpi_host_args_make(gp, function, desc->args, desc->arg_count, 4, &s->args);
    if (result != GP_OK) return result;
    (void)gpi_host_args_add(&s->args, "chunk_first", GP_U64, &s->args.first);
    (void)gpi_host_args_add(&s->args, "chunk_lead", GP_U64, &s->lead);
    (void)gpi_host_args_add(&s->args, "chunk_count", GP_U64, &s->count);
    carry = gpi_host_args_add(&s->args, "chunk_carry", type, NULL);
    if (!desc->monoid) return GP_OK;
    s->carry_record.cl_type = desc->monoid->type;
    s->carry_record.size = desc->monoid->size;
    s->carry_record.source = desc->monoid->source;
    carry->record = &s->carry_record;
    return GP_OK;
}

static gp_result gpi_host_scan_prepare(gp_context *gp, const char *function, gpi_host_scan *s)
{
    const gp_host_scan_desc *desc = s->desc;
    const gp_result result = gpi_host_scan_map(gp, function, s);
    if (result != GP_OK) return result;
    s->chunk.type = desc->type;
    s->chunk.record = desc->record;
    s->chunk.out_type = desc->out_type;
    s->chunk.op = desc->op;
    s->chunk.monoid = desc->monoid;
    s->chunk.map = s->map.text;
    s->chunk.args = s->args.count ? s->args.args : NULL;
    s->chunk.arg_count = s->args.count;
    s->chunk.exclusive = desc->exclusive;
    s->chunk.reverse = desc->reverse;
    s->chunk.deterministic = desc->deterministic;
    return GP_OK;
}

static gp_result gpi_host_scan_scratch(gpi_host_chunks *c, size_t count, size_t *bytes)
{
    gpi_host_scan *s = (gpi_host_scan *)c->call;
    gp_scan_desc desc = s->chunk;
    desc.count = count + 2;
    return gp_scan_scratch_size(c->gp, &desc, bytes);
}

/* A copy of the carry is the element `at` of the input. */
static gp_result gpi_host_scan_put(gpi_host_chunks *c, const gpi_host_scan *s, cl_mem in, size_t at)
{
    return gpi_host_copy(c, s->carry, 0, in, at * s->out_size, s->out_size);
}

static gp_result gpi_host_scan_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_scan *s = (gpi_host_scan *)c->call;
    const bool reverse = s->desc->reverse, exclusive = s->desc->exclusive;
    const size_t before = reverse ? exclusive : s->carried, after = reverse ? s->carried : exclusive;
    cl_mem in = c->arrays[0].buffers[chunk->slot];
    cl_mem out = c->arrays[1].size ? c->arrays[1].buffers[chunk->slot] : in;
    const size_t begin = 1 - before, end = 1 + chunk->count + after;
    gp_scan_desc desc = s->chunk;
    gp_result result = GP_OK;
    if (!s->maps && before) result = gpi_host_scan_put(c, s, in, 0);
    if (!s->maps && after && result == GP_OK) result = gpi_host_scan_put(c, s, in, 1 + chunk->count);
    if (result != GP_OK) return result;
    s->lead = before;
    s->count = chunk->count;
    s->args.first = (cl_ulong)chunk->first - before;
    desc.in = in;
    desc.out = out;
    desc.in_offset = desc.out_offset = begin;
    desc.count = end - begin;
    desc.initial = s->carried ? NULL : s->desc->initial;
    desc.scratch = c->scratch;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_scan(c->gp, &desc);
    if (result != GP_OK) return result;
    gpi_host_then(c);
    s->carried = true;
    return gpi_host_copy(c, out, (reverse ? begin : end - 1) * s->out_size, s->carry, 0, s->out_size);
}

/* Until the first chunk's end the carry is an element that no sum has. */
static gp_result gpi_host_scan_carry(gpi_host_chunks *c, gpi_host_scan *s)
{
    static const char zeros[8] = {0};
    const void *data = s->desc->monoid ? s->desc->monoid->identity : zeros;
    const gp_result result = gp_buffer_create(c->gp, s->out_size, data, &s->carry);
    if (s->maps) s->args.args[s->args.count - 1].buffer = s->carry;
    return result;
}

GP_HOST_API gp_result gp_host_scan(gp_context *gp, const gp_host_scan_desc *desc)
{
    static const char function[] = "gp_host_scan";
    gpi_host_scan s;
    gpi_host_chunks c;
    gp_result result = gpi_host_check(gp, function, desc);
    if (result != GP_OK) return result;
    memset(&s, 0, sizeof s);
    s.desc = desc;
    gpi_host_chunks_set(&c, gp, function, desc->count, desc->budget, desc->progress, desc->progress_user);
    c.lead = c.tail = 1;
    c.reverse = desc->reverse;
    c.compute = gpi_host_scan_compute;
    c.scratch_size = gpi_host_scan_scratch;
    c.call = &s;
    result = gpi_host_scan_types(gp, function, &s, &c);
    if (result == GP_OK) result = gpi_host_scan_prepare(gp, function, &s);
    c.fixed = s.out_size;
    if (result == GP_OK) result = gpi_host_chunks_open(&c);
    if (result == GP_OK) result = gpi_host_scan_carry(&c, &s);
    if (result == GP_OK) result = gpi_host_chunks_run(&c);
    result = gpi_host_chunks_close(&c, result);
    if (s.carry) clReleaseMemObject(s.carry);
    gpi_host_text_free(&s.map);
    return result;
}
