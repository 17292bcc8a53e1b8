/* sort_records.c - gp_sort_records: packs columns into keys, and sorts keys with the records or with their indices. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/type.h"
#include "program/user_text.h"
#include "element/element.h"
#include "sort/sort.h"

#include <stdio.h>
#include <string.h>

enum {
    GPI_RECORDS_KEY_BITS = 64,
    GPI_RECORDS_SERIAL_SPAN_MIN = 8192, /* fewest records of a group */
    GPI_RECORDS_PLAN_BYTES = 16,        /* the largest word that an item moves at a time */
    GPI_RECORDS_PASSES_OF_16 = 2        /* most passes that move records of 16 bytes */
};

/* A key of several columns side by side, and the sort by it. */
typedef struct gpi_records_key {
    size_t first, end; /* columns [first, end) */
    cl_uint bits;
    cl_ulong flip; /* bits to invert: element/key.cl */
    gpi_plan plan;
    gpi_program *program;
    gp_sort_desc desc;
    gpi_sort sort;
} gpi_records_key;

/* A checked call of gp_sort_records, ready to run. */
typedef struct gpi_records {
    const gp_sort_records_desc *desc;
    gpi_args args;
    gpi_count count;
    size_t size;       /* bytes of a record; 0: there are no records */
    size_t index_size; /* bytes of an index */
    bool moves, in_place;
    bool direct; /* the sort by the only key moves the records as its values */
    gpi_records_key key[GP_SORT_COLUMNS_MAX];
    size_t keys, being_planned;
    size_t keys_at, keys_tmp_at, index_at, index_tmp_at, copy_at; /* bytes, after the sorts' scratch */
    size_t scratch;
} gpi_records;

/* ------------------------------------------------------------------ describe */

static gp_result gpi_records_check_column(gp_context *gp, const gpi_records *s, size_t k)
{
    const gp_sort_column *column = &s->desc->columns[k];
    char field[40];
    gp_result result;
    (void)snprintf(field, sizeof field, "columns[%u].type", (unsigned)k);
    result = gpi_check_type(gp, field, column->type);
    if (result != GP_OK) return result;
    (void)snprintf(field, sizeof field, "columns[%u].map", (unsigned)k);
    if (column->map) return gpi_check_text(gp, field, column->map);
    if (s->desc->type) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s is NULL: a key by which %s are ordered is wanted",
                    field, s->desc->record ? "records" : "indices");
}

/* Checks the records' type, and that the wanted outputs suit it. */
static gp_result gpi_records_check_elements(gp_context *gp, const gpi_records *s)
{
    const gp_sort_records_desc *d = s->desc;
    if (d->record && d->type) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "type = %d and a record are given: give one of them",
                        (int)d->type);
    }
    if (d->type || d->in) {
        const gp_result result = d->record ? GP_OK : gpi_check_type(gp, "type", d->type);
        if (result != GP_OK) return result;
    } else if (!d->record && (d->out || !d->indices_out)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "there are no records (type = 0, record NULL): out must be NULL, and indices_out "
                        "is wanted");
    }
    if (d->index_type && d->index_type != GP_U32 && d->index_type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "index_type = %d, must be GP_U32 or GP_U64",
                        (int)d->index_type);
    }
    return GP_OK;
}

static gp_result gpi_records_check_desc(gp_context *gp, const gpi_records *s)
{
    const gp_sort_records_desc *d = s->desc;
    gp_result result = gpi_records_check_elements(gp, s);
    size_t k;
    if (result != GP_OK) return result;
    if (d->column_count == 0 || d->column_count > GP_SORT_COLUMNS_MAX || !d->columns) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "column_count = %zu, must be 1 to %d, and columns is %s", d->column_count,
                        (int)GP_SORT_COLUMNS_MAX, d->columns ? "given" : "NULL");
    }
    for (k = 0; k < d->column_count && result == GP_OK; k++) result = gpi_records_check_column(gp, s, k);
    if (result == GP_OK) result = gpi_args_check(gp, &s->args);
    if (result != GP_OK) return result;
    if (d->count > SIZE_MAX / ((int)GPI_SORT_BYTES_MAX + GP_RECORD_BYTES)) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "count = %zu is more than any memory holds", d->count);
    }
    if (s->index_size == 4 && d->count > UINT32_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "count = %zu does not fit indices of GP_U32", d->count);
    }
    return GP_OK;
}

/* Packs columns into keys, starting with the last column. A key has as many columns as fit. */
static void gpi_records_pack(gpi_records *s)
{
    const gp_sort_column *columns = s->desc->columns;
    size_t k = s->desc->column_count;
    s->keys = 0;
    while (k > 0) {
        gpi_records_key *key = &s->key[s->keys++];
        key->end = k;
        key->bits = 0;
        key->flip = 0;
        while (k > 0) {
            const cl_uint width = (cl_uint)(8 * gpi_type_size(columns[k - 1].type));
            if (key->bits + width > GPI_RECORDS_KEY_BITS) break;
            k--;
            key->flip |= gpi_key_flip(columns[k].type, columns[k].descending) << key->bits;
            key->bits += width;
        }
        key->first = k;
    }
}

static gp_type gpi_records_key_type(const gpi_records_key *key)
{
    return key->bits <= 8 ? GP_U8 : key->bits <= 16 ? GP_U16 : key->bits <= 32 ? GP_U32 : GP_U64;
}

/* Returns true if the sort moves the records as values of their keys. That requires a single key and no indices, and is
   done for small records, for which it costs less than a gather at the end. These limits were measured on PoCL, and for
   GPUs computed from the bytes moved. */
static bool gpi_records_is_direct(const gpi_records *s)
{
    const size_t passes = gpi_ceil_div(s->key[0].bits, GPI_SORT_DIGIT_BITS);
    if (!s->moves || s->desc->indices_out || s->keys > 1 || s->size & (s->size - 1)) return false;
    return s->size <= 8 || (s->size == 16 && passes <= GPI_RECORDS_PASSES_OF_16);
}

static gp_result gpi_records_describe(gp_context *gp, gpi_records *s, const gp_sort_records_desc *d)
{
    gp_result result;
    memset(s, 0, sizeof *s);
    s->desc = d;
    s->args = gpi_args_make(d->args, d->arg_count, d->type || d->record ? "x i" : "i");
    gpi_args_add_record(&s->args, "record", d->record);
    s->count = gpi_count_make(d->count, d->count_buffer, d->count_offset, d->count_type);
    s->index_size = d->index_type == GP_U64 || (!d->indices_out && d->count > UINT32_MAX) ? 8 : 4;
    s->moves = d->out || !d->indices_out;
    result = gpi_records_check_desc(gp, s);
    if (result != GP_OK) return result;
    s->size = d->record ? d->record->size : gpi_type_size(d->type);
    s->in_place = s->moves;
    if (d->out)
        result = gpi_is_in_place(gp, "in", d->in, d->in_offset, d->out, d->out_offset, s->size, &s->in_place);
    if (result != GP_OK) return result;
    gpi_records_pack(s);
    s->direct = gpi_records_is_direct(s);
    return GP_OK;
}

/* ------------------------------------------------------------------ programs */

/* Adds the function of column `k` to `text`. The expression gets its own lines, so that it may end in a comment. */
static void gpi_records_prelude_column(const gpi_records *s, size_t k, gpi_text *text)
{
    const gp_sort_column *column = &s->desc->columns[k];
    const char *x = s->size ? "x" : "gpi_x", *lane = gpi_type_cl(gpi_operand(column->type));
    gpi_text_add(text,
                 "static %s gpi_column_%u(%sconst GPI_X %s, const ulong i)\n{\n    (void)%s, (void)i;\n",
                 lane, (unsigned)k, gpi_args_parameter(&s->args), x, x);
    gpi_args_name(&s->args, text);
    gpi_text_add(
        text, "#line 1 \"columns[%u].map\"\n    return (%s)(\n#line 1 \"columns[%u].map\"\n%s\n    );\n}\n",
        (unsigned)k, lane, (unsigned)k, column->map ? column->map : "x");
}

static void gpi_records_prelude_key(const gpi_records *s, const gpi_records_key *key, gpi_text *text)
{
    static const char *const names[] = {"",
#define GPI_TYPE_NAME(name, value, cl, bytes) #name,
                                        GP_TYPES(GPI_TYPE_NAME)
#undef GPI_TYPE_NAME
    };
    cl_uint at = key->bits;
    size_t k;
    for (k = key->first; k < key->end; k++) gpi_records_prelude_column(s, k, text);
    gpi_text_add(text, "#define GPI_RECORD_KEY(args, x, i) (");
    for (k = key->first; k < key->end; k++) {
        const gp_type type = s->desc->columns[k].type;
        at -= (cl_uint)(8 * gpi_type_size(type));
        gpi_text_add(text, "%sGPI_COLUMN_%s(gpi_column_%u(args x, i)) << %u", k > key->first ? " | " : "",
                     names[type] + 3, (unsigned)k, at);
    }
    gpi_text_add(text, ")\n");
}

static void gpi_records_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                                gpi_text *text)
{
    const gpi_records *s = (const gpi_records *)description;
    const gpi_records_key *key = &s->key[s->being_planned];
    const gp_type type = s->desc->type;
    const gp_record *record = s->desc->record;
    const size_t size = s->size ? s->size : 1, word = gpi_word_of(size);
    static const char *const words[] = {"uchar", "ushort", "uint", "ulong", "ulong2"};
    size_t log = 0;
    while ((size_t)1 << log < word) log++;
    gpi_prelude_apart(gp, plan, text);
    gpi_text_add(text, "#define GPI_INPUTS %d\n#define GPI_IN %s\n#define GPI_HALF %d\n#define GPI_X %s\n",
                 s->size > 0, record ? record->cl_type : gpi_type_cl(type), type == GP_F16,
                 record ? record->cl_type
                 : type ? gpi_type_cl(gpi_operand(type))
                        : "int");
    gpi_text_add(text, "#define GPI_WORD %s\n#define GPI_WORDS %u\n", words[log], (unsigned)(size / word));
    gpi_text_add(text, "#define GPI_KEY_SIZE %u\n#define GPI_KEY_FLOAT 0\n#define GPI_VALUE_SIZE %u\n",
                 (unsigned)gpi_type_size(gpi_records_key_type(key)), (unsigned)s->index_size);
    gpi_args_define(&s->args, text);
    gpi_records_prelude_key(s, key, text);
}

/* ------------------------------------------------------------------ plan */

/* Sets the desc of the sort by `key`. The values of this sort are the records or their indices. The first key's sort
   makes the indices; later sorts move the indices of the previous sort. All other arrays are in `scratch`. */
static void gpi_records_sort_desc(gpi_records *s, gpi_records_key *key, cl_mem scratch)
{
    const gp_sort_records_desc *d = s->desc;
    gp_sort_desc *sort = &key->desc;
    const bool indices = !s->direct && key == s->key;
    const size_t key_size = gpi_type_size(gpi_records_key_type(key));
    sort->key_type = gpi_records_key_type(key);
    sort->end_bit = key->bits;
    sort->count = d->count;
    sort->count_buffer = d->count_buffer;
    sort->count_offset = d->count_offset;
    sort->count_type = d->count_type;
    sort->strategy = d->strategy;
    sort->scratch = sort->keys = sort->keys_out = sort->keys_tmp = scratch;
    sort->keys_offset = sort->keys_out_offset = s->keys_at / key_size;
    sort->keys_tmp_offset = s->keys_tmp_at / key_size;
    if (s->direct) {
        sort->value_size = s->size;
        sort->values = d->in;
        sort->values_offset = d->in_offset;
        sort->values_out = d->out;
        sort->values_out_offset = d->out_offset;
        return;
    }
    sort->value_size = s->index_size;
    sort->values_out = d->indices_out ? d->indices_out : scratch;
    sort->values_out_offset = d->indices_out ? d->indices_out_offset : s->index_at / s->index_size;
    if (!indices) {
        sort->values = sort->values_out;
        sort->values_offset = sort->values_out_offset;
    }
    sort->values_tmp = scratch;
    sort->values_tmp_offset = s->index_tmp_at / s->index_size;
}

static gp_result gpi_records_plan_key(gp_context *gp, gpi_records *s, size_t k)
{
    gpi_records_key *key = &s->key[k];
    gp_result result;
    /* only sizes matter here: gp->counters is a placeholder for the scratch */
    gpi_records_sort_desc(s, key, gp->counters);
    gpi_sort_init(&key->sort, &key->desc, !s->direct && k == 0 ? GPI_INDICES_ARRAY : GPI_INDICES_NONE);
    result = gpi_sort_plan(gp, &key->sort);
    key->sort.flip = key->flip;
    if (result == GP_OK) result = gpi_plan_make_map(gp, GPI_RECORDS_PLAN_BYTES, &key->plan);
    s->being_planned = k;
    if (result != GP_OK) return result;
    return gpi_program_get(gp, GPI_SORT_RECORDS, gpi_records_prelude, s, &key->plan, &key->program);
}

/* Appends a part of the scratch and returns where it begins, in bytes. */
static size_t gpi_records_part(gpi_records *s, size_t bytes)
{
    const size_t begin = s->scratch;
    s->scratch += gpi_round_up(bytes, GPI_SORT_ALIGNMENT);
    return begin;
}

static void gpi_records_lay_out(gpi_records *s)
{
    const size_t n = s->desc->count;
    size_t k, key_size = 0;
    bool tmp = false;
    if (n == 0) return;
    for (k = 0; k < s->keys; k++) {
        const gpi_sort *sort = &s->key[k].sort;
        if (sort->at.end > s->scratch) s->scratch = sort->at.end;
        if (sort->key_size > key_size) key_size = sort->key_size;
        tmp = tmp || gpi_sort_needs_tmp(sort);
    }
    s->keys_at = gpi_records_part(s, n * key_size);
    s->keys_tmp_at = gpi_records_part(s, tmp ? n * key_size : 0);
    if (s->direct) return;
    s->index_at = gpi_records_part(s, s->desc->indices_out ? 0 : n * s->index_size);
    s->index_tmp_at = gpi_records_part(s, tmp ? n * s->index_size : 0);
    s->copy_at = gpi_records_part(s, s->in_place ? n * s->size : 0);
}

/* Checks and plans a call, except for its buffers. Afterwards the size of the scratch is known. */
static gp_result gpi_records_plan(gp_context *gp, gpi_records *s, const gp_sort_records_desc *d)
{
    gp_result result = gpi_records_describe(gp, s, d);
    size_t k;
    for (k = 0; k < s->keys && result == GP_OK; k++) result = gpi_records_plan_key(gp, s, k);
    if (result == GP_OK) gpi_records_lay_out(s);
    return result;
}

/* ------------------------------------------------------------------ check */

static gp_result gpi_records_check(gp_context *gp, const gpi_records *s)
{
    const gp_sort_records_desc *d = s->desc;
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, GP_OK);
    gpi_use_count(&uses, "count_buffer", &s->count);
    if (s->size)
        gpi_use_buffer(&uses, "in", d->in, d->in_offset, d->count, s->size,
                       s->in_place ? GPI_BOTH : GPI_READS);
    if (s->moves && !s->in_place)
        gpi_use_buffer(&uses, "out", d->out, d->out_offset, d->count, s->size, GPI_BOTH);
    if (d->indices_out)
        gpi_use_buffer(&uses, "indices_out", d->indices_out, d->indices_out_offset, d->count, s->index_size,
                       GPI_BOTH);
    return gpi_uses_end(&uses, &s->args, d->scratch, s->scratch);
}

/* ------------------------------------------------------------------ launches */

static cl_ulong gpi_records_span(const gp_context *gp, const gpi_records *s, const gpi_plan *plan)
{
    return plan->shape == GP_SHAPE_SERIAL
               ? gpi_serial_span(gp, plan, s->desc->count, GPI_RECORDS_SERIAL_SPAN_MIN)
               : gpi_plan_tile(plan);
}

static gp_result gpi_records_launch_keys(gpi_call *call, const gpi_records *s, const gpi_records_key *key)
{
    const cl_ulong span = gpi_records_span(call->gp, s, &key->plan);
    const cl_uint through = key != s->key;
    gpi_call_kernel(call, key->program, "gp_records_keys");
    gpi_call_args(call, &s->args);
    if (s->size) {
        GPI_CALL_ARG(call, s->desc->in);
        gpi_call_arg_ulong(call, s->desc->in_offset);
    }
    GPI_CALL_ARG(call, key->desc.keys);
    gpi_call_arg_ulong(call, key->desc.keys_offset);
    GPI_CALL_ARG(call, key->desc.values_out); /* the same array for all keys */
    gpi_call_arg_ulong(call, key->desc.values_out_offset);
    GPI_CALL_ARG(call, through);
    GPI_CALL_ARG(call, span);
    gpi_call_arg_count(call, &s->count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &key->plan, gpi_ceil_div(s->desc->count, (size_t)span));
}

/* Enqueues the gather of records into sorted order. In place, the gather reads from a copy, since a group may overwrite
   records that other groups have not read. */
static gp_result gpi_records_move(gpi_call *call, const gpi_records *s, cl_mem scratch)
{
    const gp_sort_records_desc *d = s->desc;
    const gpi_records_key *key = s->key;
    const size_t word = gpi_word_of(s->size), words = s->size / word;
    const cl_ulong span = gpi_records_span(call->gp, s, &key->plan);
    const cl_mem in = s->in_place ? scratch : d->in, out = s->in_place ? d->in : d->out;
    if (s->in_place) {
        const gp_result result =
            gpi_call_copy(call, d->in, d->in_offset * s->size, scratch, s->copy_at, d->count * s->size);
        if (result != GP_OK) return result;
    }
    gpi_call_kernel(call, key->program, "gp_records_move");
    GPI_CALL_ARG(call, in);
    gpi_call_arg_ulong(call, s->in_place ? s->copy_at / word : d->in_offset * words);
    GPI_CALL_ARG(call, out);
    gpi_call_arg_ulong(call, (s->in_place ? d->in_offset : d->out_offset) * words);
    GPI_CALL_ARG(call, key->desc.values_out);
    gpi_call_arg_ulong(call, key->desc.values_out_offset);
    GPI_CALL_ARG(call, span);
    gpi_call_arg_count(call, &s->count);
    return gpi_call_launch(call, &key->plan, gpi_ceil_div(d->count, (size_t)span));
}

static gp_result gpi_records_launch(gpi_call *call, gpi_records *s)
{
    cl_mem scratch = NULL;
    size_t k;
    gp_result result = gpi_call_scratch(call, s->desc->scratch, s->scratch, &scratch);
    for (k = 0; k < s->keys && result == GP_OK; k++) {
        gpi_records_sort_desc(s, &s->key[k], scratch);
        result = gpi_records_launch_keys(call, s, &s->key[k]);
        if (result == GP_OK) result = gpi_sort_launch(call, &s->key[k].sort);
    }
    return result == GP_OK && s->moves && !s->direct ? gpi_records_move(call, s, scratch) : result;
}

/* ------------------------------------------------------------------ API */

static gp_result gpi_records_call(gp_context *gp, const gp_sort_records_desc *desc)
{
    gpi_records records;
    gpi_call call;
    gp_result result = gpi_records_plan(gp, &records, desc);
    if (result == GP_OK && desc->count > 0) result = gpi_records_check(gp, &records);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK && desc->count > 0) result = gpi_records_launch(&call, &records);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_sort_records(gp_context *gp, const gp_sort_records_desc *desc)
{
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    return gpi_records_call(gp, desc);
}

GP_API gp_result gp_sort_records_scratch_size(gp_context *gp, const gp_sort_records_desc *desc, size_t *bytes)
{
    gpi_records records;
    gp_result result;
    gpi_enter(gp, __func__);
    if (bytes) *bytes = 0;
    if (!gp || !desc || !bytes) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    result = gpi_records_plan(gp, &records, desc);
    if (result == GP_OK) *bytes = records.scratch;
    return result;
}

/* Warms up the sorts that gp_sort_records uses, then sorts one zero in temporary buffers. */
static gp_result gpi_sort_records_warm_up(gp_context *gp, const gp_sort_records_desc *desc)
{
    gp_sort_records_desc probe = *desc;
    gpi_records records;
    gp_result result;
    size_t k;
    cl_mem in = NULL, out = NULL, indices = NULL;
    probe.in_offset = probe.out_offset = probe.indices_out_offset = probe.count_offset = 0;
    probe.count_buffer = probe.scratch = NULL;
    probe.count_type = GP_TYPE_NONE;
    probe.wait = NULL;
    probe.wait_count = 0;
    probe.done = NULL;
    result = gpi_records_plan(gp, &records, desc);
    for (k = 0; k < records.keys && result == GP_OK; k++) result = gpi_sort_warm_up(gp, &records.key[k].desc);
    if (result == GP_OK && records.size) result = gpi_alloc_zeros(gp, GP_RECORD_BYTES, &in);
    if (result == GP_OK && records.moves && !records.in_place)
        result = gpi_alloc_zeros(gp, GP_RECORD_BYTES, &out);
    if (result == GP_OK && desc->indices_out) result = gpi_alloc_zeros(gp, records.index_size, &indices);
    probe.count = 1;
    probe.in = in;
    probe.out = records.moves && records.in_place ? in : out;
    probe.indices_out = indices;
    if (result == GP_OK) result = gpi_records_call(gp, &probe);
    if (in) (void)clReleaseMemObject(in);
    if (out) (void)clReleaseMemObject(out);
    if (indices) (void)clReleaseMemObject(indices);
    return result;
}
