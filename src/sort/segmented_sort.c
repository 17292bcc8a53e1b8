/* segmented_sort.c - gp_segmented_sort, gp_segmented_argsort: the device checks offsets and lists large segments. For each window, one
   group sorts the small segments; classic passes sort all large segments together. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "element/element.h"
#include "sort/sort.h"

#include <string.h>

enum {
    GPI_SEGMENTS_LARGE_BYTES = 32, /* sizeof(gpi_large), in the kernels */
    GPI_SEGMENTS_BLOCKS_MAX = 1024,
    GPI_SEGMENTS_SERIAL_SMALL = 16384, /* most keys of a small segment, which one item sorts */
    GPI_SEGMENTS_WINDOW_MIN = 1024, /* serial: least positions of a window, before they are a power of two */
    GPI_SEGMENTS_WINDOW_TILES = 8   /* local: most tiles of a window */
};

/* ------------------------------------------------------------------ checks, plan */

/* Initializes *s from the desc. `argsort`: values are generated, not read. */
static void gpi_segments_init(gpi_segments *s, const gp_segmented_sort_desc *d, bool argsort)
{
    const cl_uint indices = d->array_indices ? GPI_INDICES_ARRAY : GPI_INDICES_SEGMENT;
    gp_sort_desc *k = &s->keys;
    memset(s, 0, sizeof *s);
    s->desc = d;
    k->keys = d->keys;
    k->keys_offset = d->keys_offset;
    k->keys_out = d->keys_out;
    k->keys_out_offset = d->keys_out_offset;
    k->values = d->values;
    k->values_offset = d->values_offset;
    k->values_out = d->values_out;
    k->values_out_offset = d->values_out_offset;
    k->keys_tmp = d->keys_tmp;
    k->keys_tmp_offset = d->keys_tmp_offset;
    k->values_tmp = d->values_tmp;
    k->values_tmp_offset = d->values_tmp_offset;
    k->count = d->count;
    k->key_type = d->key_type;
    k->value_size = d->value_size;
    k->begin_bit = d->begin_bit;
    k->end_bit = d->end_bit;
    k->descending = d->descending;
    k->strategy = GP_STRATEGY_MULTI_PASS;
    k->scratch = d->scratch;
    gpi_sort_init(&s->sort, k, argsort ? indices : GPI_INDICES_NONE);
}

static gp_result gpi_segments_check_offsets(gp_context *gp, gpi_segments *s)
{
    const gp_segmented_sort_desc *d = s->desc;
    gpi_offsets *o = &s->sort.offsets;
    o->buffer = d->offsets;
    o->offset = d->offsets_offset;
    o->type = d->offsets_type;
    o->row_length = d->row_length;
    o->segments = d->segment_count;
    o->count = d->count;
    if (d->row_length && d->segment_count && d->count == 0) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "count is 0, and there are %zu rows",
                        d->segment_count);
    }
    s->sort.count.bound = d->segment_count;
    s->sort.count.buffer = d->count_buffer;
    s->sort.count.offset = d->count_offset;
    s->sort.count.type = d->count_type;
    return gpi_offsets_check(gp, o);
}

static bool gpi_segments_wide(const gpi_sort *sort) { return sort->desc->count > UINT32_MAX; }

static gp_result gpi_segments_program(gp_context *gp, gpi_sort *sort)
{
    const char *cell = gpi_segments_wide(sort) ? "#define GPI_CELL_WIDE 1\n" : "#define GPI_CELL_WIDE 0\n";
    return gpi_key_program(gp, GPI_SEGMENTED_SORT, sort->desc->key_type, sort->value_size, cell, &sort->plan,
                           &sort->program);
}

static bool gpi_segments_is_nothing(const gpi_segments *s)
{
    return s->desc->count == 0 || s->desc->segment_count == 0;
}

/* Returns the number of elements of a group if `n` elements are divided among eight groups per core. */
static size_t gpi_segments_share(const gp_context *gp, size_t n)
{
    return n / (8 * (size_t)(gp->info.compute_units ? gp->info.compute_units : 1));
}

/* Sets small_size, the most keys of a small segment, and the work of each kernel's groups: shift, windows, large, rows, groups. */
static gp_result gpi_segments_spans(gp_context *gp, gpi_segments *s)
{
    gpi_sort *sort = &s->sort;
    const size_t n = s->desc->count, share = gpi_segments_share(gp, n);
    const bool local = sort->plan.shape == GP_SHAPE_LOCAL;
    size_t window;
    gp_result result = GP_OK;
    if (local) {
        const size_t tile = gpi_plan_tile(&sort->plan);
        s->small_size = tile;
        window = gpi_clamp(share / tile, 1, GPI_SEGMENTS_WINDOW_TILES) * tile;
        result = gpi_sort_spans_local(gp, sort);
    } else {
        s->small_size = gpi_clamp(sort->plan.per_item, 1, GPI_SEGMENTS_SERIAL_SMALL);
        window = gpi_clamp(share, gpi_clamp(s->small_size, 1, GPI_SEGMENTS_WINDOW_MIN), s->small_size);
        gpi_sort_spans_serial(gp, sort);
    }
    while (window >> s->shift > 1) s->shift++;
    s->windows = (cl_uint)gpi_ceil_div(n, (size_t)1 << s->shift);
    sort->few = n <= s->small_size;
    s->large = s->desc->row_length && s->desc->row_length <= s->small_size ? 0 : n / (s->small_size + 1);
    s->rows = s->large ? n / sort->block_span + s->large : 0;
    s->groups = (cl_uint)gpi_clamp(16 * (size_t)gp->info.compute_units, 64, GPI_SEGMENTS_BLOCKS_MAX);
    if (s->groups > s->rows || gp->info.loop_limit) s->groups = (cl_uint)s->rows;
    return result;
}

/* Sets block, the number of offsets of a group, and blocks, the number of groups. There are several blocks for each core, none
   of them too small, and not so many that a search through them takes long. */
static void gpi_segments_blocks(const gp_context *gp, gpi_segments *s)
{
    const size_t entries = s->desc->segment_count + 1, least = s->sort.plan.group == 1 ? 4096 : 1024;
    size_t block = gpi_clamp(gpi_segments_share(gp, entries), least, entries < least ? least : entries);
    if (entries / block >= GPI_SEGMENTS_BLOCKS_MAX) block = gpi_ceil_div(entries, GPI_SEGMENTS_BLOCKS_MAX);
    s->block = block;
    s->blocks = (cl_uint)gpi_ceil_div(entries, block);
}

static void gpi_segments_lay_out(gpi_segments *s)
{
    gpi_sort *sort = &s->sort;
    const size_t cell = gpi_segments_wide(sort) ? 8 : 4;
    memset(&sort->at, 0, sizeof sort->at);
    if (gpi_segments_is_nothing(s)) return;
    (void)gpi_sort_part(sort, GPI_SEGMENTS_WORDS * 4);
    s->maxima_at = gpi_sort_part(sort, s->blocks * cell);
    s->bounds_at = gpi_sort_part(sort, (s->desc->segment_count + 1) * cell);
    s->first_at = gpi_sort_part(sort, ((size_t)s->windows + 1) * 4);
    s->large_at = gpi_sort_part(sort, s->large * GPI_SEGMENTS_LARGE_BYTES);
    s->owner_at = gpi_sort_part(sort, s->rows * 4);
    sort->at.table = gpi_sort_part(sort, s->rows * 256 * cell);
    gpi_sort_lay_out_arrays(sort);
}

/* Returns a scratch size that suffices for any subset of the elements and segments of `s`. Fewer elements can need more windows
   and more rows, because their windows and blocks are smaller. A window has more than half of GPI_SEGMENTS_WINDOW_MIN positions. The number of rows is bounded, because a block has at least small_size keys, and there are at
   most GPI_SEGMENTS_BLOCKS_MAX blocks. */
static size_t gpi_segments_scratch_most(const gpi_segments *s)
{
    gpi_segments most = *s;
    const size_t blocks = s->desc->count / s->small_size;
    if (gpi_segments_is_nothing(s)) return 0;
    most.blocks = GPI_SEGMENTS_BLOCKS_MAX + 1;
    most.windows = (cl_uint)(2 * s->desc->count / gpi_clamp(s->small_size, 1, GPI_SEGMENTS_WINDOW_MIN) + 1);
    if (most.large) most.rows = most.large + gpi_clamp(blocks, 1, GPI_SEGMENTS_BLOCKS_MAX + 1);
    gpi_segments_lay_out(&most);
    return most.sort.at.end;
}

/* Checks and plans a call, except for its buffers. Afterwards the size of the scratch is known. */
static gp_result gpi_segments_plan(gp_context *gp, gpi_segments *s)
{
    gp_result result = gpi_sort_describe(gp, &s->sort);
    if (result == GP_OK && s->desc->array_indices && !s->sort.indices)
        result = gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                          "array_indices is set, but only gp_segmented_argsort makes indices");
    if (result == GP_OK) result = gpi_segments_check_offsets(gp, s);
    if (result == GP_OK) result = gpi_segments_program(gp, &s->sort);
    if (result == GP_OK) result = gpi_segments_spans(gp, s);
    if (result != GP_OK) return result;
    gpi_segments_blocks(gp, s);
    gpi_segments_lay_out(s);
    return GP_OK;
}

/* ------------------------------------------------------------------ launches */

/* Passes the arguments for GPI_SEGMENTS_PARAMETERS (sort/segments_state.cl). */
static void gpi_segments_arg_state(gpi_call *call, const gpi_segments *s, cl_mem state)
{
    GPI_CALL_ARG(call, state);
    gpi_sort_arg_at(call, s->maxima_at);
    gpi_sort_arg_at(call, s->bounds_at);
    gpi_sort_arg_at(call, s->first_at);
    gpi_sort_arg_at(call, s->large_at);
    gpi_sort_arg_at(call, s->owner_at);
    gpi_sort_arg_at(call, s->sort.at.table);
}

/* Passes the arguments for GPI_OFFSETS_PARAMETERS (base/segments.cl), and the number of offsets in a block. */
static void gpi_segments_arg_offsets(gpi_call *call, const gpi_segments *s)
{
    gpi_call_arg_offsets(call, &s->sort.offsets);
    gpi_call_arg_ulong(call, s->block);
}

static gp_result gpi_segments_list(gpi_call *call, gpi_segments *s, cl_mem state)
{
    gp_result result;
    gpi_call_kernel(call, s->sort.program, "gp_segments_bounds");
    gpi_segments_arg_state(call, s, state);
    gpi_segments_arg_offsets(call, s);
    gpi_call_arg_count(call, &s->sort.count);
    GPI_CALL_ARG(call, call->gp->counters);
    result = gpi_call_launch(call, &s->sort.plan, s->blocks);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, s->sort.program, "gp_segments_list");
    gpi_segments_arg_state(call, s, state);
    gpi_segments_arg_offsets(call, s);
    gpi_call_arg_ulong(call, s->small_size);
    gpi_call_arg_ulong(call, s->sort.block_span);
    gpi_call_arg_uint(call, gpi_sort_from(&s->sort));
    GPI_CALL_ARG(call, s->shift);
    GPI_CALL_ARG(call, s->windows);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &s->sort.plan, s->blocks);
}

static gp_result gpi_segments_small(gpi_call *call, gpi_segments *s, cl_mem state)
{
    gpi_call_kernel(call, s->sort.program, "gp_segments_small");
    gpi_sort_arg_places(call, &s->sort);
    gpi_sort_arg_bits(call, &s->sort);
    gpi_segments_arg_state(call, s, state);
    gpi_call_arg_uint(call, s->small_size);
    gpi_call_arg_uint(call, gpi_sort_from(&s->sort));
    gpi_call_arg_uint(call, gpi_sort_in_place(&s->sort));
    return gpi_call_launch(call, &s->sort.plan, s->windows);
}

/* Sets the kernel and the arguments that count and scatter share. */
static void gpi_segments_prepare(gpi_call *call, gpi_segments *s, cl_mem state, const char *kernel,
                                 cl_uint pass)
{
    gpi_call_kernel(call, s->sort.program, kernel);
    gpi_sort_arg_places(call, &s->sort);
    gpi_sort_arg_digit(call, &s->sort, gpi_sort_shift(&s->sort, pass));
    gpi_segments_arg_state(call, s, state);
    GPI_CALL_ARG(call, pass);
    gpi_call_arg_ulong(call, s->sort.block_span);
}

static gp_result gpi_segments_spine(gpi_call *call, gpi_segments *s, cl_mem state, cl_uint pass,
                                    cl_uint first_place)
{
    const size_t spines = s->large < s->groups ? s->large : s->groups;
    gpi_call_kernel(call, s->sort.program, "gp_segments_spine");
    gpi_segments_arg_state(call, s, state);
    GPI_CALL_ARG(call, pass);
    GPI_CALL_ARG(call, first_place);
    return gpi_call_launch(call, &s->sort.plan, spines);
}

/* Enqueues pass `pass` over the large segments. In the local shape there is no spine: the groups of the scatter scan the
   counts. */
static gp_result gpi_segments_pass(gpi_call *call, gpi_segments *s, cl_mem state, cl_uint pass)
{
    const gpi_sort *sort = &s->sort;
    const bool out_first = sort->passes % 2 && !gpi_sort_in_place(sort);
    const cl_uint first_place = out_first ? GPI_PLACE_OUT : GPI_PLACE_TMP;
    const size_t lines_from = gpi_sort_lines_from(call->gp, sort->key_size + sort->value_size);
    gp_result result;
    gpi_segments_prepare(call, s, state, "gp_segments_count", pass);
    result = gpi_call_launch(call, &sort->plan, s->groups);
    if (result == GP_OK && sort->plan.shape == GP_SHAPE_SERIAL)
        result = gpi_segments_spine(call, s, state, pass, first_place);
    if (result != GP_OK) return result;
    gpi_segments_prepare(call, s, state, "gp_segments_scatter", pass);
    GPI_CALL_ARG(call, first_place);
    gpi_call_arg_ulong(call, lines_from);
    gpi_call_arg_uint(call, gpi_sort_lines_which(call->gp));
    return gpi_call_launch(call, &sort->plan, s->groups);
}

static gp_result gpi_segments_large(gpi_call *call, gpi_segments *s, cl_mem state)
{
    gp_result result = GP_OK;
    cl_uint pass;
    for (pass = 0; pass < s->sort.passes && result == GP_OK; pass++)
        result = gpi_segments_pass(call, s, state, pass);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, s->sort.program, "gp_segments_copy");
    gpi_sort_arg_places(call, &s->sort);
    gpi_segments_arg_state(call, s, state);
    GPI_CALL_ARG(call, s->sort.passes);
    gpi_call_arg_ulong(call, s->sort.block_span);
    return gpi_call_launch(call, &s->sort.plan, s->groups);
}

/* Enqueues a planned and checked call. Sets *state to the scratch, which holds the report; NULL: nothing was enqueued. */
static gp_result gpi_segments_launch(gpi_call *call, gpi_segments *s, cl_mem *state)
{
    gp_result result;
    *state = NULL;
    if (gpi_segments_is_nothing(s)) return GP_OK;
    result = gpi_call_scratch(call, s->desc->scratch, s->sort.at.end, state);
    if (result != GP_OK) return result;
    gpi_sort_place(&s->sort, *state);
    result = gpi_segments_list(call, s, *state);
    if (result == GP_OK) result = gpi_segments_small(call, s, *state);
    if (result == GP_OK && s->large > 0) result = gpi_segments_large(call, s, *state);
    return result;
}

/* ------------------------------------------------------------------ API */

static gp_result gpi_segments_report(gpi_call *call, cl_mem state, gp_segmented_sort_report *report)
{
    cl_uint words[2] = {0, 0};
    gp_result result = GP_OK;
    if (state) result = gpi_call_read(call, state, GPI_SORT_SEGMENTS_BAD * 4, sizeof words, words);
    report->bad_offsets = words[0];
    report->first_bad = words[0] ? words[1] : 0;
    return result;
}

static gp_result gpi_segments_call(gp_context *gp, const gp_segmented_sort_desc *desc, bool argsort,
                                   gp_segmented_sort_report *report)
{
    gpi_segments segments;
    gpi_call call;
    cl_mem state = NULL;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    gpi_segments_init(&segments, desc, argsort);
    result = gpi_segments_plan(gp, &segments);
    if (result == GP_OK && !gpi_segments_is_nothing(&segments)) result = gpi_sort_check(gp, &segments.sort);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_segments_launch(&call, &segments, &state);
    if (result == GP_OK && report) result = gpi_segments_report(&call, state, report);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_segmented_sort(gp_context *gp, const gp_segmented_sort_desc *desc)
{
    return gpi_segments_call(gpi_enter(gp, __func__), desc, false, NULL);
}

GP_API gp_result gp_segmented_argsort(gp_context *gp, const gp_segmented_sort_desc *desc)
{
    return gpi_segments_call(gpi_enter(gp, __func__), desc, true, NULL);
}

GP_API gp_result gp_segmented_sort_read(gp_context *gp, const gp_segmented_sort_desc *desc,
                                        gp_segmented_sort_report *report)
{
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!report) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "report is NULL");
    return gpi_segments_call(gp, desc, false, report);
}

static gp_result gpi_segments_size(gp_context *gp, const gp_segmented_sort_desc *desc, bool argsort,
                                   size_t *bytes)
{
    gpi_segments segments;
    gp_result result;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    gpi_segments_init(&segments, desc, argsort);
    result = gpi_segments_plan(gp, &segments);
    *bytes = result == GP_OK ? segments.sort.at.end : 0;
    return result;
}

GP_API gp_result gp_segmented_sort_scratch_size(gp_context *gp, const gp_segmented_sort_desc *desc,
                                                size_t *bytes)
{
    return gpi_segments_size(gpi_enter(gp, __func__), desc, false, bytes);
}

GP_API gp_result gp_segmented_argsort_scratch_size(gp_context *gp, const gp_segmented_sort_desc *desc,
                                                   size_t *bytes)
{
    return gpi_segments_size(gpi_enter(gp, __func__), desc, true, bytes);
}

/* Sorts zeros in temporary buffers: a large segment and a small one. */
static gp_result gpi_segmented_sort_warm_up(gp_context *gp, const gp_segmented_sort_desc *desc)
{
    gp_segmented_sort_desc probe;
    gpi_segments segments;
    cl_uint offsets[3] = {0, 0, 0};
    gp_result result;
    memset(&probe, 0, sizeof probe);
    probe.key_type = desc->key_type;
    probe.value_size = desc->value_size;
    probe.offsets_type = GP_U32;
    probe.segment_count = 2;
    gpi_segments_init(&segments, &probe, false);
    result = gpi_segments_plan(gp, &segments);
    if (result != GP_OK) return result;
    offsets[1] = (cl_uint)segments.small_size + 1;
    offsets[2] = offsets[1] + 100;
    probe.count = offsets[2];
    result = gp_buffer_create(gp, sizeof offsets, offsets, &probe.offsets);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, probe.count * segments.sort.key_size, &probe.keys);
    if (result == GP_OK && probe.value_size)
        result = gpi_alloc_zeros(gp, probe.count * probe.value_size, &probe.values);
    if (result == GP_OK) result = gp_segmented_sort(gp, &probe);
    if (probe.offsets) (void)clReleaseMemObject(probe.offsets);
    if (probe.keys) (void)clReleaseMemObject(probe.keys);
    if (probe.values) (void)clReleaseMemObject(probe.values);
    return result;
}
