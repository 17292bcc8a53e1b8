/* sort_strings.c - gp_sort_strings: sorts by keys of seven bytes, then compacts ties and sorts them by their next bytes,
   in rounds. After each round the host reads how many ties are left. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "element/element.h"
#include "scan/scan.h"
#include "sort/sort.h"

#include <string.h>

enum {
    GPI_STRINGS_BYTES = 4 * GPI_STRINGS_WORDS, /* bytes of the state */
    GPI_STRINGS_ITEMS = 4,                     /* local: elements that one item handles */
    GPI_STRINGS_SERIAL_LEAST = 256,
    GPI_STRINGS_SERIAL_MOST = 16384,
    GPI_STRINGS_ALIGNMENT = 65536 /* alignment of the nested sorts' scratch: no device requires more */
};

/* A checked call of gp_sort_strings, ready to run. */
typedef struct gpi_strings {
    const gp_sort_strings_desc *desc;
    size_t index_size, offset_size;
    gpi_count count;
    gpi_plan plan; /* the plan for gpi_strings.program */
    gpi_program *program;
    /* the sort of all strings, the sort of ties, and the scan that finds each tie's new position */
    gp_sort_desc all_desc;
    gpi_sort all;
    gp_segmented_sort_desc ties_desc;
    gpi_segments ties;
    gp_scan_desc scan_desc;
    gpi_scan scan;
    size_t room;                         /* number of uints in each array of a set (sort/sort_strings.cl) */
    size_t keys_at, flags_at, set_at[2]; /* where parts of the scratch begin, in bytes */
    size_t own, nested, scratch;         /* bytes of scratch: the call's own parts, the nested sorts, both */
    cl_mem parts, nested_scratch;        /* sub-buffers of the scratch */
} gpi_strings;

/* The device's report at the end of a round. */
typedef struct gpi_strings_state {
    cl_uint bad, first_bad, tied, groups;
} gpi_strings_state;

/* ------------------------------------------------------------------ plan */

static gp_result gpi_strings_check_desc(gp_context *gp, gpi_strings *s)
{
    const gp_sort_strings_desc *d = s->desc;
    if (d->offsets_type != GP_U32 && d->offsets_type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "offsets_type = %d, must be GP_U32 or GP_U64",
                        (int)d->offsets_type);
    }
    if (d->index_type && d->index_type != GP_U32 && d->index_type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "index_type = %d, must be GP_U32 or GP_U64",
                        (int)d->index_type);
    }
    if (d->count > UINT32_MAX - 2) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "count = %zu, at most 2^32 - 3", d->count);
    }
    s->index_size = d->index_type == GP_U64 ? 8 : 4;
    s->offset_size = d->offsets_type == GP_U32 ? 4 : 8;
    s->count.bound = d->count;
    s->count.buffer = d->count_buffer;
    s->count.offset = d->count_offset;
    s->count.type = d->count_type;
    return GP_OK;
}

static gp_result gpi_strings_plan_all(gp_context *gp, gpi_strings *s)
{
    gp_sort_desc *d = &s->all_desc;
    d->count = s->desc->count;
    d->count_buffer = s->desc->count_buffer;
    d->count_offset = s->desc->count_offset;
    d->count_type = s->desc->count_type;
    d->key_type = GP_U64;
    d->value_size = 4;
    d->descending = s->desc->descending;
    d->keys = s->parts;
    d->keys_out = s->parts ? s->parts : gp->counters; /* if only sizes matter, `counters` is a placeholder */
    d->keys_offset = s->set_at[1] / 8;                /* set 1 is not in use yet */
    d->keys_out_offset = s->keys_at / 8;
    d->values_out = d->keys_out;
    d->values_out_offset = s->set_at[0] / 4;
    d->scratch = s->nested_scratch;
    gpi_sort_init(&s->all, d, GPI_INDICES_ARRAY);
    return gpi_sort_plan(gp, &s->all);
}

static gp_result gpi_strings_plan_ties(gp_context *gp, gpi_strings *s, size_t tied, size_t groups,
                                       const size_t *set_at)
{
    gp_segmented_sort_desc *d = &s->ties_desc;
    d->count = tied;
    d->segment_count = groups;
    d->offsets_type = GP_U32;
    d->key_type = GP_U64;
    d->value_size = 4;
    d->descending = s->desc->descending;
    d->keys = s->parts;
    d->keys_offset = s->keys_at / 8;
    d->values = s->parts;
    d->values_offset = *set_at / 4;
    d->offsets = s->parts;
    d->offsets_offset = *set_at / 4 + 3 * s->room;
    d->scratch = s->nested_scratch;
    gpi_segments_init(&s->ties, d, false);
    return gpi_segments_plan(gp, &s->ties);
}

static gp_result gpi_strings_plan_scan(gp_context *gp, gpi_strings *s, size_t elements)
{
    gp_scan_desc *d = &s->scan_desc;
    d->in = d->out = s->parts;
    d->in_offset = d->out_offset = s->flags_at / 8;
    d->count = elements + 1;
    d->type = GP_U64;
    d->op = GP_SUM;
    d->exclusive = true;
    d->scratch = s->nested_scratch;
    return gpi_scan_plan(gp, d, &s->scan);
}

/* Appends a part of the scratch and returns where it begins, in bytes. */
static size_t gpi_strings_part(gpi_strings *s, size_t bytes)
{
    const size_t begin = s->own;
    s->own += gpi_round_up(bytes, 256);
    return begin;
}

static void gpi_strings_lay_out(gpi_strings *s)
{
    const size_t n = s->desc->count;
    s->room = gpi_round_up(n + 2, 64);
    (void)gpi_strings_part(s, GPI_STRINGS_BYTES);
    s->keys_at = gpi_strings_part(s, n * 8);
    s->flags_at = gpi_strings_part(s, (n + 1) * 8);
    s->set_at[0] = gpi_strings_part(s, s->room * 4 * GPI_STRINGS_SET_PARTS);
    s->set_at[1] = gpi_strings_part(s, s->room * 4 * GPI_STRINGS_SET_PARTS);
}

static size_t gpi_larger(size_t a, size_t b) { return a > b ? a : b; }

/* Checks and plans a call, except for its buffers. Afterwards the size of the scratch is known. Plans the sort of
   ties for the worst case: all n strings are tied, in n / 2 groups. */
static gp_result gpi_strings_plan(gp_context *gp, gpi_strings *s)
{
    const size_t n = s->desc->count;
    gp_result result = gpi_strings_check_desc(gp, s);
    if (result != GP_OK) return result;
    gpi_strings_lay_out(s);
    result = gpi_strings_plan_all(gp, s);
    if (result == GP_OK) result = gpi_plan_make_sort(gp, GPI_SORT_STRINGS, 8, 4, GP_STRATEGY_AUTO, &s->plan);
    if (result == GP_OK) result = gpi_key_program(gp, GPI_SORT_STRINGS, GP_U64, 4, "", &s->plan, &s->program);
    if (result == GP_OK) result = gpi_strings_plan_ties(gp, s, n, n / 2, &s->set_at[0]);
    if (result == GP_OK) result = gpi_strings_plan_scan(gp, s, n);
    if (result != GP_OK || n == 0) return result;
    s->nested = gpi_larger(gpi_segments_scratch_most(&s->ties), gpi_scan_scratch(&s->scan));
    s->nested = gpi_larger(gpi_larger(s->nested, s->all.at.end), GPI_STRINGS_BYTES); /* not 0 */
    s->own = gpi_round_up(s->own, GPI_STRINGS_ALIGNMENT);
    s->scratch = s->own + s->nested;
    return GP_OK;
}

/* ------------------------------------------------------------------ buffers */

static gp_result gpi_strings_check(gp_context *gp, const gpi_strings *s)
{
    const gp_sort_strings_desc *d = s->desc;
    const gpi_range *out;
    gpi_uses uses;
    size_t i;
    gpi_uses_begin(&uses, gp, GP_OK);
    gpi_use_buffer(&uses, "bytes", d->bytes, d->bytes_offset, d->byte_count, 1, GPI_READS);
    gpi_use_buffer(&uses, "offsets", d->offsets, d->offsets_offset, d->count + 1, s->offset_size, GPI_READS);
    out = gpi_use_buffer(&uses, "out", d->out, d->out_offset, d->count, s->index_size, GPI_WRITES);
    gpi_use_count(&uses, "count_buffer", &s->count);
    for (i = 0; i < uses.count && uses.result == GP_OK; i++) {
        if (&uses.use[i].range != out && gpi_overlap(&uses.use[i].range, out))
            uses.result = gpi_fail(gp, GP_ERROR_OVERLAP, "%s and out overlap", uses.use[i].name);
    }
    return gpi_uses_scratch(&uses, d->scratch, s->scratch);
}

static gp_result gpi_strings_sub_buffer(gp_context *gp, cl_mem scratch, size_t begin, size_t bytes,
                                        cl_mem *out)
{
    gpi_range range;
    cl_buffer_region region;
    cl_int error;
    range.begin = begin;
    range.end = begin + bytes;
    /* the caller's scratch may be a sub-buffer, which cannot have sub-buffers */
    error = gpi_range_resolve(scratch, &range);
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, "scratch: clGetMemObjectInfo");
    region.origin = range.begin;
    region.size = bytes;
    *out = clCreateSubBuffer(range.root, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(gp, error, "clCreateSubBuffer");
}

/* Splits the scratch into two sub-buffers, since kernels use their buffers from the first byte on. */
static gp_result gpi_strings_open(gpi_call *call, gpi_strings *s)
{
    cl_mem scratch = NULL;
    gp_result result = gpi_call_scratch(call, s->desc->scratch, s->scratch, &scratch);
    if (result == GP_OK) result = gpi_strings_sub_buffer(call->gp, scratch, 0, s->own, &s->parts);
    if (result == GP_OK)
        result = gpi_strings_sub_buffer(call->gp, scratch, s->own, s->nested, &s->nested_scratch);
    return result == GP_OK ? gpi_strings_plan_all(call->gp, s) : result;
}

static void gpi_strings_close(gpi_strings *s)
{
    if (s->parts) (void)clReleaseMemObject(s->parts);
    if (s->nested_scratch) (void)clReleaseMemObject(s->nested_scratch);
}

/* ------------------------------------------------------------------ launches */

/* Returns the number of elements of a group, if there are `many` in all. Serial: few enough that all cores have groups. Local:
   GPI_STRINGS_ITEMS per work-item, or one if loops are limited. */
static size_t gpi_strings_span(const gp_context *gp, const gpi_strings *s, size_t many)
{
    const size_t cores = gp->info.compute_units ? gp->info.compute_units : 1, group = s->plan.group;
    if (group > 1) return gp->info.loop_limit ? group : group * GPI_STRINGS_ITEMS;
    return gpi_clamp(many / (8 * cores), GPI_STRINGS_SERIAL_LEAST, GPI_STRINGS_SERIAL_MOST);
}

/* Sets the kernel and passes the arguments for GPI_ROUND_PARAMETERS (sort/sort_strings.cl). `from`: the number of the
   set that the kernel reads, 0 or 1. */
static void gpi_strings_prepare(gpi_call *call, const gpi_strings *s, const char *kernel, size_t keys_at,
                                int from)
{
    gpi_call_kernel(call, s->program, kernel);
    GPI_CALL_ARG(call, s->parts);
    gpi_call_arg_ulong(call, s->room);
    gpi_sort_arg_at(call, keys_at);
    gpi_sort_arg_at(call, s->flags_at);
    gpi_sort_arg_at(call, s->set_at[from]);
    gpi_sort_arg_at(call, s->set_at[1 - from]);
}

/* Passes the arguments for GPI_TEXT_PARAMETERS (sort/sort_strings.cl). */
static void gpi_strings_arg_text(gpi_call *call, const gpi_strings *s)
{
    GPI_CALL_ARG(call, s->desc->bytes);
    gpi_call_arg_ulong(call, s->desc->bytes_offset);
    gpi_call_arg_ulong(call, s->desc->byte_count);
    GPI_CALL_ARG(call, s->desc->offsets);
    gpi_call_arg_ulong(call, s->desc->offsets_offset);
    gpi_call_arg_uint(call, s->offset_size / 4);
}

static gp_result gpi_strings_launch(gpi_call *call, const gpi_strings *s, size_t elements)
{
    return gpi_call_launch(call, &s->plan, gpi_ceil_div(elements, gpi_strings_span(call->gp, s, elements)));
}

/* Enqueues the sort of all strings by their first bytes. */
static gp_result gpi_strings_sort_all(gpi_call *call, gpi_strings *s)
{
    const size_t n = s->desc->count;
    gp_result result = gpi_call_fill(call, s->parts, 0, GPI_STRINGS_BYTES);
    if (result != GP_OK) return result;
    gpi_strings_prepare(call, s, "gp_strings_keys_first", s->set_at[1], 0);
    gpi_strings_arg_text(call, s);
    gpi_call_arg_ulong(call, gpi_strings_span(call->gp, s, n));
    gpi_call_arg_count(call, &s->count);
    GPI_CALL_ARG(call, call->gp->counters);
    result = gpi_strings_launch(call, s, n);
    return result == GP_OK ? gpi_sort_launch(call, &s->all) : result;
}

/* Enqueues the sort of the ties in set `from` by their next bytes, each group of ties separately. */
static gp_result gpi_strings_sort_ties(gpi_call *call, gpi_strings *s, const gpi_strings_state *state,
                                       int from)
{
    static const char *const kernels[] = {"gp_strings_skip", "gp_strings_keys"};
    const size_t many = state->tied, span = gpi_strings_span(call->gp, s, many);
    cl_mem report;
    size_t k;
    gp_result result = GP_OK;
    for (k = 0; k < GPI_COUNT_OF(kernels) && result == GP_OK; k++) {
        gpi_strings_prepare(call, s, kernels[k], s->keys_at, from);
        gpi_strings_arg_text(call, s);
        gpi_call_arg_ulong(call, many);
        gpi_call_arg_ulong(call, span);
        result = gpi_strings_launch(call, s, many);
    }
    if (result == GP_OK) result = gpi_strings_plan_ties(call->gp, s, many, state->groups, &s->set_at[from]);
    return result == GP_OK ? gpi_segments_launch(call, &s->ties, &report) : result;
}

/* Writes the order of `many` sorted elements of set `from`, moves the tied ones to the other set, and reads their number
   into *state. */
static gp_result gpi_strings_find_ties(gpi_call *call, gpi_strings *s, size_t many, bool first, int from,
                                       gpi_strings_state *state)
{
    gp_result result;
    gpi_strings_prepare(call, s, "gp_strings_ties", s->keys_at, from);
    gpi_call_arg_ulong(call, many);
    gpi_call_arg_uint(call, first);
    gpi_call_arg_ulong(call, gpi_strings_span(call->gp, s, many + 1));
    GPI_CALL_ARG(call, s->desc->out);
    gpi_call_arg_ulong(call, s->desc->out_offset);
    gpi_call_arg_uint(call, s->index_size / 4);
    result = gpi_strings_launch(call, s, many + 1);
    if (result == GP_OK) result = gpi_strings_plan_scan(call->gp, s, many);
    if (result != GP_OK) return result;
    gpi_scan_choose(call->gp, &s->scan, true);
    result = gpi_scan_launch(call, &s->scan);
    if (result != GP_OK) return result;
    gpi_strings_prepare(call, s, "gp_strings_compact", s->keys_at, from);
    gpi_call_arg_ulong(call, many);
    gpi_call_arg_uint(call, first);
    gpi_call_arg_ulong(call, gpi_strings_span(call->gp, s, many));
    result = gpi_strings_launch(call, s, many);
    return result == GP_OK ? gpi_call_read(call, s->parts, 0, sizeof *state, state) : result;
}

/* Sorts all strings, then ties in rounds until none are left. The rounds end, because each round makes a tie's group
   smaller or compares later bytes of its strings. */
static gp_result gpi_strings_rounds(gpi_call *call, gpi_strings *s, gpi_strings_state *state)
{
    int from = 0;
    gp_result result = gpi_strings_sort_all(call, s);
    if (result == GP_OK) result = gpi_strings_find_ties(call, s, s->desc->count, true, from, state);
    while (result == GP_OK && state->tied > 0) {
        from = 1 - from;
        result = gpi_strings_sort_ties(call, s, state, from);
        if (result == GP_OK) result = gpi_strings_find_ties(call, s, state->tied, false, from, state);
    }
    return result;
}

static gp_result gpi_strings_verdict(gp_context *gp, const gpi_strings *s, const gpi_strings_state *state)
{
    if (state->bad == 0) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                    "offsets: %u strings end before they begin or after byte_count = %zu, the first one "
                    "is string %u",
                    state->bad, s->desc->byte_count, ~state->first_bad);
}

/* ------------------------------------------------------------------ API */

static void gpi_strings_init(gpi_strings *s, const gp_sort_strings_desc *desc)
{
    memset(s, 0, sizeof *s);
    s->desc = desc;
}

GP_API gp_result gp_sort_strings(gp_context *gp, const gp_sort_strings_desc *desc)
{
    gpi_strings strings;
    gpi_strings_state state = {0, 0, 0, 0};
    gpi_call call;
    gp_result result;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    gpi_strings_init(&strings, desc);
    result = gpi_strings_plan(gp, &strings);
    if (result == GP_OK && desc->count > 0) result = gpi_strings_check(gp, &strings);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK && desc->count > 0) {
        result = gpi_strings_open(&call, &strings);
        if (result == GP_OK) result = gpi_strings_rounds(&call, &strings, &state);
        if (result == GP_OK) result = gpi_strings_verdict(gp, &strings, &state);
        gpi_strings_close(&strings);
    }
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_sort_strings_scratch_size(gp_context *gp, const gp_sort_strings_desc *desc, size_t *bytes)
{
    gpi_strings strings;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    gpi_strings_init(&strings, desc);
    result = gpi_strings_plan(gp, &strings);
    *bytes = result == GP_OK ? strings.scratch : 0;
    return result;
}

/* Warms up the sorts and the scan that gp_sort_strings uses, then sorts a few strings, some of which are equal. */
static gp_result gpi_sort_strings_warm_up(gp_context *gp, const gp_sort_strings_desc *desc)
{
    static const char text[] = "abcdefghijklabcdefghijklabcdefghijk";
    static const cl_uint offsets[] = {0, 12, 24, 35};
    gp_sort_strings_desc probe;
    gp_sort_desc all;
    gp_segmented_sort_desc ties;
    gp_scan_desc scan;
    gp_result result;
    (void)desc;
    memset(&probe, 0, sizeof probe);
    memset(&all, 0, sizeof all);
    memset(&ties, 0, sizeof ties);
    memset(&scan, 0, sizeof scan);
    all.key_type = ties.key_type = GP_U64;
    all.value_size = ties.value_size = 4;
    scan.type = GP_U64;
    scan.op = GP_SUM;
    probe.byte_count = sizeof text - 1;
    probe.offsets_type = GP_U32;
    probe.count = 3;
    result = gpi_sort_warm_up(gp, &all);
    if (result == GP_OK) result = gpi_segmented_sort_warm_up(gp, &ties);
    if (result == GP_OK) result = gpi_scan_warm_up(gp, &scan);
    if (result == GP_OK) result = gp_buffer_create(gp, sizeof text, text, &probe.bytes);
    if (result == GP_OK) result = gp_buffer_create(gp, sizeof offsets, offsets, &probe.offsets);
    if (result == GP_OK) result = gpi_alloc(gp, 3 * sizeof(cl_uint), &probe.out);
    if (result == GP_OK) result = gp_sort_strings(gp, &probe);
    if (probe.bytes) (void)clReleaseMemObject(probe.bytes);
    if (probe.offsets) (void)clReleaseMemObject(probe.offsets);
    if (probe.out) (void)clReleaseMemObject(probe.out);
    return result;
}
