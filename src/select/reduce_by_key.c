/* reduce_by_key.c - gp_reduce_by_key: runs in one look-back launch (by_key_pass.c), or in two steps. The first step
   finds where runs of equal keys begin (compact.c), the second reduces each run as a segment (segmented_reduce.c). */
#include "base/math.h"
#include "base/type.h"
#include "element/element.h"
#include "scan/scan.h"
#include "select/select.h"

#include <string.h>

/* A checked call of gp_reduce_by_key, ready to run. */
typedef struct gpi_by_key {
    const gp_reduce_by_key_desc *desc;
    gpi_by_key_pass pass;
    /* the two steps */
    gpi_compact runs;
    gp_segmented_reduce_desc segments;
    gpi_segmented reduce;
    size_t offsets_at, count_at; /* in bytes: where the offsets of runs and the number of runs begin in the
                                    scratch; the scratch of either step begins at 0 */
    size_t scratch;
} gpi_by_key;

/* ------------------------------------------------------------------ plan */

/* Plans the first step: it finds each run's first key and offset, and appends the end of the last run. */
static gp_result gpi_by_key_runs(gp_context *gp, gpi_by_key *b)
{
    const gp_reduce_by_key_desc *d = b->desc;
    gpi_compact *c = &b->runs;
    gpi_compact_array_set(c, GPI_COMPACT_IN, "keys", d->keys, d->keys_offset, d->count, c->size, true);
    gpi_compact_array_set(c, GPI_COMPACT_OUT, "keys_out", d->keys_out, d->keys_out_offset, d->count, c->size,
                          false);
    gpi_compact_array_set(c, GPI_COMPACT_INDEX_OUT, "offsets", NULL, 0, d->count + 1, 4, true);
    gpi_compact_array_set(c, GPI_COMPACT_COUNTS, "count_out", NULL, 0, 1, 4, true);
    return gpi_compact_plan(gp, c);
}

static gp_result gpi_by_key_keys(gp_context *gp, gpi_by_key *b)
{
    const gp_reduce_by_key_desc *d = b->desc;
    gpi_compact *c = &b->runs;
    gp_result r;
    GPI_COMPACT_BEGIN(c, d);
    c->select_by = GPI_SELECT_BY_UNIQUE;
    c->index_type = GP_U32;
    c->closed = true;
    r = gpi_compact_type_or_record(gp, c, "key_", d->key_type, d->key_size, "key_record", d->key_record);
    return r == GP_OK ? gpi_unique_equal(gp, c, d->equal) : r;
}

static gp_result gpi_by_key_segments(gp_context *gp, gpi_by_key *b)
{
    const gp_reduce_by_key_desc *d = b->desc;
    gp_segmented_reduce_desc *s = &b->segments;
    memset(s, 0, sizeof *s);
    s->in = d->in;
    s->in_offset = d->in_offset;
    s->count = s->segment_count = d->count;
    s->offsets_type = s->count_type = GP_U32;
    s->out = d->out;
    s->out_offset = d->out_offset;
    s->type = d->type;
    s->out_type = d->out_type;
    s->op = d->op;
    s->monoid = d->monoid;
    s->map = d->map;
    s->record = d->record;
    s->args = d->args;
    s->arg_count = d->arg_count;
    s->initial = d->initial;
    return gpi_segmented_plan(gp, s, NULL, &b->reduce);
}

/* Checks and plans a call, except for its buffers. Afterwards the size of the scratch is known. */
static gp_result gpi_by_key_plan(gp_context *gp, const gp_reduce_by_key_desc *d, gpi_by_key *b)
{
    size_t own;
    gp_result r;
    b->desc = d;
    if (d->count >= UINT32_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "count = %zu, at most 2^32 - 2", d->count);
    }
    r = gpi_by_key_keys(gp, b);
    if (r == GP_OK) r = gpi_args_check(gp, &b->runs.args);
    if (r == GP_OK) r = gpi_by_key_pass_plan(gp, d, &b->runs, false, &b->pass);
    if (r != GP_OK) return r;
    if (b->pass.program) {
        b->scratch = gpi_by_key_pass_scratch(&b->pass);
        return GP_OK;
    }
    r = gpi_by_key_runs(gp, b);
    if (r == GP_OK) r = gpi_by_key_segments(gp, b);
    if (r != GP_OK) return r;
    own = gpi_compact_scratch(&b->runs);
    if (b->reduce.list.bytes > own) own = b->reduce.list.bytes;
    b->count_at = gpi_round_up(own, 64);
    b->offsets_at = b->count_at + 64;
    b->scratch = d->count ? b->offsets_at + (d->count + 1) * 4 : 0;
    return GP_OK;
}

static const gpi_element *gpi_by_key_element(const gpi_by_key *b)
{
    return b->pass.program ? &b->pass.element : &b->reduce.element;
}

/* ------------------------------------------------------------------ checks */

static gp_type gpi_by_key_count_type(const gp_reduce_by_key_desc *d)
{
    return d->count_out_type ? d->count_out_type : GP_U32;
}

static gp_result gpi_by_key_check(gp_context *gp, const gpi_by_key *b)
{
    const gp_reduce_by_key_desc *d = b->desc;
    const size_t n = d->count, key = b->runs.size;
    const gpi_element *e = gpi_by_key_element(b);
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, gpi_check_positions(gp, e, n));
    if (n) gpi_use_buffer(&uses, "keys", d->keys, d->keys_offset, n, key, GPI_READS);
    if (n) gpi_use_buffer(&uses, "in", d->in, d->in_offset, n, e->in_size, GPI_READS);
    gpi_use_count(&uses, "count_buffer", &b->runs.count);
    if (n && d->keys_out)
        gpi_use_buffer(&uses, "keys_out", d->keys_out, d->keys_out_offset, n, key, GPI_WRITES);
    if (n) gpi_use_buffer(&uses, "out", d->out, d->out_offset, n, e->out_size, GPI_WRITES);
    if (d->count_out)
        gpi_use_buffer(&uses, "count_out", d->count_out, d->count_out_offset, 1,
                       gpi_type_size(gpi_by_key_count_type(d)), GPI_WRITES);
    return gpi_uses_end(&uses, &b->runs.args, d->scratch, b->scratch);
}

static gp_result gpi_by_key_check_count_type(gp_context *gp, const gpi_by_key *b)
{
    const gp_type type = gpi_by_key_count_type(b->desc);
    if (type == GP_U32 || type == GP_U64) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "count_out_type = %d, must be GP_U32 or GP_U64", (int)type);
}

/* ------------------------------------------------------------------ launches */

/* Enqueues a write of the number of runs to count_out, if the caller wants it. Without scratch the number is 0. If
   the count is a u64, its upper half becomes 0. */
static gp_result gpi_by_key_tell(gpi_call *call, const gpi_by_key *b, cl_mem scratch)
{
    const gp_reduce_by_key_desc *d = b->desc;
    const size_t size = gpi_type_size(gpi_by_key_count_type(d));
    if (!d->count_out) return GP_OK;
    if (!scratch) return gpi_call_fill(call, d->count_out, d->count_out_offset * size, size);
    return gpi_call_copy(call, scratch, b->count_at, d->count_out, d->count_out_offset * size, size);
}

static gp_result gpi_by_key_two_steps(gpi_call *call, gpi_by_key *b, cl_mem scratch)
{
    gpi_compact *c = &b->runs;
    gp_result r;
    c->scratch = b->segments.scratch = scratch;
    c->array[GPI_COMPACT_INDEX_OUT].buffer = c->array[GPI_COMPACT_COUNTS].buffer = scratch;
    c->array[GPI_COMPACT_INDEX_OUT].offset = b->offsets_at / 4;
    c->array[GPI_COMPACT_COUNTS].offset = b->count_at / 4;
    b->reduce.offsets.buffer = b->reduce.count.buffer = scratch;
    b->reduce.offsets.offset = b->offsets_at / 4;
    b->reduce.count.offset = b->count_at / 4;
    b->reduce.count.type = GP_U32;
    r = gpi_call_fill(call, scratch, b->count_at, 8); /* the upper half of a u64 count */
    if (r == GP_OK) r = gpi_compact_launch(call, c);
    if (r == GP_OK) r = gpi_segmented_launch(call, &b->reduce);
    return r == GP_OK ? gpi_by_key_tell(call, b, scratch) : r;
}

/* Enqueues the planned call. `to` receives the number of runs on the host; NULL: not wanted. */
static gp_result gpi_by_key_launch(gpi_call *call, gpi_by_key *b, cl_uint *to)
{
    const gp_reduce_by_key_desc *d = b->desc;
    const size_t size = gpi_type_size(gpi_by_key_count_type(d));
    cl_mem number = d->count_out, scratch = NULL;
    size_t at = d->count_out_offset * size;
    gp_result r;
    if (d->count == 0) return gpi_by_key_tell(call, b, NULL);
    if (b->scratch) {
        r = gpi_call_scratch(call, d->scratch, b->scratch, &scratch);
        if (r != GP_OK) return r;
    }
    if (!number) {
        number = b->pass.program ? call->gp->result : scratch;
        at = b->pass.program ? 0 : b->count_at;
    }
    if (b->pass.program) {
        const cl_ulong offset = d->count_out ? d->count_out_offset : 0;
        const cl_uint words = d->count_out ? (cl_uint)(size / 4) : to ? 1 : 0;
        r = gpi_by_key_pass_launch(call, d, &b->pass, scratch, number, offset, words);
    } else {
        r = gpi_by_key_two_steps(call, b, scratch);
    }
    return r == GP_OK && to ? gpi_call_read(call, number, at, sizeof *to, to) : r;
}

/* Plans, checks and runs a call. `to` receives the number of runs on the host; NULL: the call does not block. */
static gp_result gpi_by_key_call(gp_context *gp, const gp_reduce_by_key_desc *desc, uint64_t *to)
{
    gpi_by_key b;
    gpi_call call;
    cl_uint runs = 0;
    gp_result r;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    r = gpi_by_key_plan(gp, desc, &b);
    if (r == GP_OK) r = gpi_by_key_check_count_type(gp, &b);
    if (r == GP_OK) r = gpi_by_key_check(gp, &b);
    if (r != GP_OK) return r;
    r = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (r == GP_OK) r = gpi_by_key_launch(&call, &b, to ? &runs : NULL);
    if (to && r == GP_OK) *to = runs;
    return gpi_call_end(&call, r);
}

/* ------------------------------------------------------------------ API */

GP_API gp_result gp_reduce_by_key(gp_context *gp, const gp_reduce_by_key_desc *desc)
{
    return gpi_by_key_call(gpi_enter(gp, __func__), desc, NULL);
}

GP_API gp_result gp_reduce_by_key_read(gp_context *gp, const gp_reduce_by_key_desc *desc, uint64_t *count)
{
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!count) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "count is NULL");
    return gpi_by_key_call(gp, desc, count);
}

GP_API gp_result gp_reduce_by_key_scratch_size(gp_context *gp, const gp_reduce_by_key_desc *desc,
                                               size_t *bytes)
{
    gpi_by_key b;
    gp_result r;
    gpi_enter(gp, __func__);
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    r = gpi_by_key_plan(gp, desc, &b);
    *bytes = r == GP_OK ? b.scratch : 0;
    return r;
}

/* Warms up the single pass, or the two steps if a single pass cannot run the call. */
static gp_result gpi_reduce_by_key_warm_up(gp_context *gp, const gp_reduce_by_key_desc *desc)
{
    gp_reduce_by_key_desc probe = *desc;
    gpi_by_key b;
    gp_result r;
    probe.count = 0;
    probe.count_buffer = NULL;
    r = gpi_by_key_plan(gp, &probe, &b);
    if (r != GP_OK) return r;
    if (b.pass.program) return gpi_by_key_pass_warm_up(gp, &probe, &b.pass);
    r = gpi_compact_warm_up(gp, &b.runs);
    return r == GP_OK ? gpi_segmented_reduce_warm_up(gp, &b.segments) : r;
}
