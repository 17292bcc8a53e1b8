/* scan.c - gp_host_scan: scans chunk after chunk. The product before a chunk, its carry, is passed on the device as one
   more element.

   A chunk's buffer has room for an element at each end. In a forward scan (a reverse scan exchanges both ends):

       carry  in[first] ... in[first + count - 1]  end

   The scan of a chunk includes the carry. An exclusive scan also includes the element at the end, whose result is the
   sum of all elements. The last result is the next chunk's carry. If elements of the input and sums differ, because
   there is a map, or because their types differ, the map returns the carry instead of the elements at the ends.

   Several contexts first reduce all chunks. The first context scans these sums, which yields each chunk's carry. So
   chunks can be scanned in any order. */
#include "base/chunks.h"
#include "base/error.h"
#include "base/run.h"
#include "base/text.h"

#include <string.h>

typedef struct gpi_host_scan {
    const gp_host_scan_desc *desc;
    size_t out_size;
    bool maps; /* the map returns the carry, which is not an element of the input */
    gpi_host_text map;
    gpi_host_args args;
    cl_ulong lead, count; /* values of args: position of the chunk's elements in the scan; their number */
    gp_record carry_record;
    gp_scan_desc chunk; /* the fields that are the same for all chunks */
    bool carried;

    /* several contexts */
    gpi_host_text element; /* the map without the carry */
    gpi_host_args element_args;
    gp_reduce_desc sum;
    char *sums; /* each chunk's sum, later its carry */
} gpi_host_scan;

/* Fails if there is no map and sums are narrower than the elements, or are integers while elements are floats. gp_scan
   refuses these types, too; here they are refused with one context and with several. */
static gp_result gpi_host_scan_width(gp_context *gp, const char *function, const gp_host_scan_desc *desc)
{
    const gp_type out_type = desc->out_type ? desc->out_type : desc->type;
    const bool floats = gpi_host_is_float(desc->type) && !gpi_host_is_float(out_type);
    if (desc->map || desc->monoid || desc->record) return GP_OK;
    if (!floats && gpi_host_size_of(out_type) >= gpi_host_size_of(desc->type)) return GP_OK;
    return gpi_host_fail(
        gp, GP_ERROR_INVALID_TYPE,
        "%s: elements of type = %d cannot be summed as out_type = %d, which is %s: give a map that "
        "converts them",
        function, (int)desc->type, (int)out_type, floats ? "an integer" : "narrower");
}

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
    if (result == GP_OK) result = gpi_host_scan_width(gp, function, desc);
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

/* Returns the text to put before a map. It converts the map's value to the type of sums, which is the carry's type. */
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

/* Makes the map and args of the scan. The map returns the carry instead of the elements at the ends. */
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
    gp_reduce_desc sum = s->sum;
    size_t summing = 0;
    gp_result result;
    desc.count = count + 2;
    sum.count = count;
    result = gp_scan_scratch_size(c->gp, &desc, bytes);
    if (result == GP_OK && c->devices > 1) result = gp_reduce_scratch_size(c->gp, &sum, &summing);
    if (summing > *bytes) *bytes = summing;
    return result;
}

/* Writes the product before the chunk to the carry of `slot`. Before the first chunk, writes the identity or zeros,
   which no result includes. */
static gp_result gpi_host_scan_carry(gpi_host_chunks *c, const gpi_host_chunk *chunk, bool carried,
                                     size_t slot)
{
    static const char zeros[8] = {0};
    gpi_host_scan *s = (gpi_host_scan *)c->call;
    const void *identity = s->desc->monoid ? s->desc->monoid->identity : zeros;
    if (s->maps) {
        s->args.args[s->args.count - 1].buffer = c->owns[0].buffer;
        s->args.args[s->args.count - 1].offset = slot;
    }
    if (carried && !s->sums) return GP_OK; /* the previous chunk has written the carry */
    return gpi_host_put(c, carried ? s->sums + chunk->index * s->out_size : identity, c->owns[0].buffer,
                        slot * s->out_size, s->out_size);
}

static gp_result gpi_host_scan_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_scan *s = (gpi_host_scan *)c->call;
    const bool reverse = s->desc->reverse, exclusive = s->desc->exclusive;
    const bool carried = s->sums ? chunk->index != (reverse ? c->number - 1 : 0) : s->carried;
    const size_t before = reverse ? exclusive : carried, after = reverse ? carried : exclusive;
    const size_t slot = s->sums ? (size_t)chunk->slot : 0, size = s->out_size;
    const cl_mem carry = c->owns[0].buffer;
    cl_mem in = c->arrays[0].buffers[chunk->slot];
    cl_mem out = c->arrays[1].size ? c->arrays[1].buffers[chunk->slot] : in;
    const size_t begin = 1 - before, end = 1 + chunk->count + after;
    gp_scan_desc desc = s->chunk;
    gp_result result = gpi_host_scan_carry(c, chunk, carried, slot);
    if (!s->maps && before && result == GP_OK) result = gpi_host_copy(c, carry, slot * size, in, 0, size);
    if (!s->maps && after && result == GP_OK)
        result = gpi_host_copy(c, carry, slot * size, in, (1 + chunk->count) * size, size);
    if (result != GP_OK) return result;
    s->lead = before;
    s->count = chunk->count;
    s->args.first = (cl_ulong)chunk->first - before;
    desc.in = in;
    desc.out = out;
    desc.in_offset = desc.out_offset = begin;
    desc.count = end - begin;
    desc.initial = carried ? NULL : s->desc->initial;
    desc.scratch = c->scratch;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_scan(c->gp, &desc);
    if (result != GP_OK) return result;
    gpi_host_then(c);
    s->carried = true;
    return s->sums ? GP_OK : gpi_host_copy(c, out, (reverse ? begin : end - 1) * size, carry, 0, size);
}

/* ------------------------------------------------------------------ several contexts */

static gp_result gpi_host_scan_prepare_sums(gp_context *gp, const char *function, gpi_host_scan *s)
{
    const gp_host_scan_desc *desc = s->desc;
    gp_result result = gpi_host_text_make(gp, function, "", desc->map, "", &s->element);
    if (result == GP_OK)
        result = gpi_host_args_make(gp, function, desc->args, desc->arg_count, s->element.has_index,
                                    &s->element_args);
    if (result != GP_OK) return result;
    if (s->element.has_index)
        (void)gpi_host_args_add(&s->element_args, "chunk_first", GP_U64, &s->element_args.first);
    s->sum.type = desc->type;
    s->sum.record = desc->record;
    s->sum.out_type = desc->monoid ? GP_TYPE_NONE : desc->out_type ? desc->out_type : desc->type;
    s->sum.op = desc->op;
    s->sum.monoid = desc->monoid;
    s->sum.map = s->element.text;
    s->sum.args = s->element_args.count ? s->element_args.args : NULL;
    s->sum.arg_count = s->element_args.count;
    return GP_OK;
}

static gp_result gpi_host_scan_sum(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_scan *s = (gpi_host_scan *)c->call;
    gp_reduce_desc desc = s->sum;
    gp_result result;
    s->element_args.first = chunk->first;
    desc.in = c->arrays[0].buffers[chunk->slot];
    desc.in_offset = c->lead;
    desc.count = chunk->count;
    desc.out = c->owns[0].buffer;
    desc.out_offset = (size_t)chunk->slot;
    desc.scratch = c->scratch;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_reduce(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

static gp_result gpi_host_scan_read_sum(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    const gpi_host_scan *s = (const gpi_host_scan *)c->call;
    return gpi_host_read(c, chunk, c->owns[0].buffer, (size_t)chunk->slot * s->out_size, s->out_size,
                         s->sums + chunk->index * s->out_size);
}

/* Scans the chunks' sums, which yields the carry of each chunk. */
static gp_result gpi_host_scan_sums(const gpi_host_chunks *c, const gpi_host_scan *s)
{
    gp_host_scan_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.in = desc.out = s->sums;
    desc.count = c->number;
    desc.type = s->sum.out_type;
    desc.op = s->sum.op;
    desc.monoid = s->sum.monoid;
    if (desc.monoid && desc.monoid->takes_args) {
        desc.args = s->desc->args;
        desc.arg_count = s->desc->arg_count;
    }
    desc.exclusive = true;
    desc.reverse = s->desc->reverse;
    desc.deterministic = s->desc->deterministic;
    desc.initial = s->desc->initial;
    desc.budget = s->desc->budget;
    return gp_host_scan(c->gp, &desc);
}

/* Computes the carries of all chunks of `c`, if there are several chunks, by a separate run over the same chunks. */
static gp_result gpi_host_scan_carries(gpi_host_chunks *c, gpi_host_scan *s)
{
    gpi_host_chunks sums = *c;
    gp_result result;
    sums.progress_total = 2 * (uint64_t)c->count;
    sums.compute = gpi_host_scan_sum;
    sums.download = gpi_host_scan_read_sum;
    result = gpi_host_chunks_open(&sums);
    if (result == GP_OK && sums.number > 1) {
        if (sums.number <= SIZE_MAX / s->out_size)
            s->sums = (char *)GPI_HOST_MALLOC(sums.number * s->out_size);
        result = s->sums ? gpi_host_chunks_run(&sums)
                         : gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu sums",
                                         c->function, sums.number);
    }
    result = gpi_host_chunks_close(&sums, result);
    if (result != GP_OK || !s->sums) return result;
    c->progress_done = sums.progress_done;
    c->progress_total = sums.progress_total;
    return gpi_host_scan_sums(&sums, s);
}

/* ------------------------------------------------------------------ the call */

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
    result = gpi_host_chunks_share(&c, desc->others, desc->other_count, desc->args, desc->arg_count);
    if (result == GP_OK) result = gpi_host_scan_types(gp, function, &s, &c);
    if (result == GP_OK) result = gpi_host_scan_prepare(gp, function, &s);
    c.fixed = c.owns[0].bytes = (c.devices > 1 ? GPI_HOST_SLOTS : 1) * s.out_size;
    if (result == GP_OK && c.devices > 1) {
        result = gpi_host_scan_prepare_sums(gp, function, &s);
        if (result == GP_OK) result = gpi_host_scan_carries(&c, &s);
    }
    if (result == GP_OK) result = gpi_host_chunks_open(&c);
    if (result == GP_OK) result = gpi_host_chunks_run(&c);
    result = gpi_host_chunks_close(&c, result);
    gpi_host_text_free(&s.map);
    gpi_host_text_free(&s.element);
    GPI_HOST_FREE(s.sums);
    return result;
}
