/* hash_slots.c - what goes over a whole hash table: retrieve, for_each, rehash, counts, statistics; and its
   source for kernels of the caller's own. */
#include "internal.h"

/* Of hash/slots.cl, in uints. */
enum {
    GPI_STATS_LIVE = 0,
    GPI_STATS_DEAD = 2,
    GPI_STATS_DEPTHS = 4,
    GPI_STATS_MAX = 6,
    GPI_STATS_BINS = 8,
    GPI_STATS_WORDS = GPI_STATS_BINS + 2 * GP_HASH_BINS
};

/* ------------------------------------------------------------------ retrieve */

/* The sort behind a retrieve with sort_type: in place, as many keys as were found. */
static gp_sort_desc gpi_hash_sort_desc(const gpi_table *table, const gp_hash_retrieve_desc *desc)
{
    gp_sort_desc sort;
    memset(&sort, 0, sizeof sort);
    sort.keys = desc->keys;
    sort.keys_offset = desc->keys_offset;
    sort.values = desc->values;
    sort.values_offset = desc->values_offset;
    sort.count = desc->room;
    sort.count_buffer = desc->live_count;
    sort.count_offset = desc->live_count_offset;
    sort.count_type = GP_U32;
    sort.key_type = desc->sort_type;
    sort.value_size = desc->values ? table->value_size : 0;
    sort.descending = desc->descending;
    sort.scratch = desc->scratch;
    return sort;
}

static gp_result gpi_hash_check_retrieve(gp_context *gp, gpi_hash_batch *batch,
                                         const gp_hash_retrieve_desc *d)
{
    const size_t k = batch->table->key_size, v = batch->table->value_size;
    gp_result r;
    if (d->sort_type && gpi_type_size(d->sort_type) != k) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE,
                        "%s: sort_type = %d is no type of the table's keys of %zu bytes", batch->function,
                        (int)d->sort_type, k);
    }
    if (v == 0 && d->values) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: there are values, and the table is a set",
                        batch->function);
    }
    if (d->descending && !d->sort_type) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: descending is set, and sort_type is 0",
                        batch->function);
    }
    if (!d->live_count)
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: live_count is NULL", batch->function);
    if (!d->keys && d->room > 0)
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: keys is NULL", batch->function);
    r = gpi_hash_use_buffer(gp, batch, "keys", d->keys, d->keys_offset, d->room, k, GPI_WRITES);
    if (r == GP_OK)
        r = gpi_hash_use_buffer(gp, batch, "values", d->values, d->values_offset, d->room, v, GPI_WRITES);
    if (r == GP_OK)
        r = gpi_hash_use_buffer(gp, batch, "live_count", d->live_count, d->live_count_offset, 1, 4,
                                GPI_WRITES);
    return r == GP_OK ? gpi_hash_check_apart(gp, batch) : r;
}

/* Behind the check: where the sort's scratch stands apart from all that. */
static gp_result gpi_hash_plan_retrieve(gp_context *gp, const gpi_hash_batch *batch,
                                        const gp_sort_desc *sort_desc, gpi_sort *sort)
{
    gpi_range used[GPI_HASH_USES];
    size_t i;
    gp_result result;
    gpi_sort_init(sort, batch->function, sort_desc, false);
    if (!sort_desc->key_type) return GP_OK;
    result = gpi_sort_plan(gp, sort);
    if (result != GP_OK) return result;
    for (i = 0; i < batch->use_count; i++) used[i] = batch->uses[i].range;
    return gpi_check_scratch(gp, batch->function, sort_desc->scratch, sort->at.end, used, batch->use_count);
}

static gp_result gpi_hash_collect(gpi_call *call, const gpi_hash_batch *batch, const gp_hash_retrieve_desc *d)
{
    const gp_result result = gpi_call_fill(call, d->live_count, 4 * d->live_count_offset, 4);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, batch->program, GPI_HASH_COLLECT);
    gpi_hash_arg_table(call, batch->table);
    gpi_hash_arg_array(call, d->keys, d->keys_offset);
    gpi_hash_arg_array(call, d->values, d->values_offset);
    gpi_hash_arg_array(call, d->live_count, d->live_count_offset);
    gpi_sort_arg_long(call, d->room);
    gpi_sort_arg_uint(call, gpi_hash_widths(batch->table));
    gpi_sort_arg_uint(call, d->values ? GPI_WANTS_VALUES : 0);
    return gpi_hash_launch_slots(call, batch->table, &batch->plan, true);
}

GP_API gp_result gp_hash_retrieve(gp_context *gp, gp_hash table, const gp_hash_retrieve_desc *desc)
{
    static const char function[] = "gp_hash_retrieve";
    gpi_hash_batch batch;
    gp_sort_desc sort_desc;
    gpi_sort sort;
    gpi_call call;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp or desc is NULL", function);
    result = gpi_hash_batch_open(gp, function, table, 0, NULL, 0, GP_TYPE_NONE, &batch);
    if (result == GP_OK) result = gpi_hash_check_retrieve(gp, &batch, desc);
    if (result != GP_OK) return result;
    sort_desc = gpi_hash_sort_desc(batch.table, desc);
    result = gpi_hash_plan_retrieve(gp, &batch, &sort_desc, &sort);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_hash_collect(&call, &batch, desc);
    if (result == GP_OK && desc->sort_type) result = gpi_sort_launch(&call, &sort);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_hash_retrieve_scratch_size(gp_context *gp, gp_hash table,
                                               const gp_hash_retrieve_desc *desc, size_t *bytes)
{
    static const char function[] = "gp_hash_retrieve_scratch_size";
    gpi_hash_batch batch;
    gp_sort_desc sort_desc;
    gpi_sort sort;
    gp_result result;
    if (bytes) *bytes = 0;
    if (!gp || !desc || !bytes)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp, desc or bytes is NULL", function);
    result = gpi_hash_batch_open(gp, function, table, 0, NULL, 0, GP_TYPE_NONE, &batch);
    if (result != GP_OK) return result;
    sort_desc = gpi_hash_sort_desc(batch.table, desc);
    sort_desc.scratch = NULL;
    result = gpi_hash_plan_retrieve(gp, &batch, &sort_desc, &sort);
    if (result == GP_OK) *bytes = sort.at.end;
    return result;
}

/* ------------------------------------------------------------------ for_each */

/* How a type's values come from a slot's bits: "as_float((uint)(bits))". */
static void gpi_each_define(gpi_text *text, const char *what, gp_type type)
{
    const char *name = gpi_type_cl(type), *bits = gpi_type_size(type) == 8 ? "ulong" : "uint";
    gpi_text_add(text, "#define GPI_EACH_%s %s\n#define GPI_EACH_%s_OF(bits) as_%s((%s)(bits))\n", what, name,
                 what, name, bits);
}

static void gpi_each_function(gpi_text *text, const char *type, const char *name, const char *expression,
                              bool has_value)
{
    gpi_text_add(text, "static %s gpi_each_%s(const GPI_EACH_KEY k, const GPI_EACH_VALUE %s)\n{\n", type,
                 name, has_value ? "v" : "gpi_none");
    gpi_text_add(text, "    (void)k;\n    (void)%s;\n", has_value ? "v" : "gpi_none");
    gpi_text_add(text, "    return (%s)(\n#line 1 \"%s\"\n%s\n    );\n}\n", type, name, expression);
}

/* The caller's expressions as functions; to be freed. */
static char *gpi_each_prelude(const gp_hash_for_each_desc *desc, gp_type key, gp_type value, bool is_set)
{
    const char *where = desc->where ? desc->where : "1", *map = desc->map ? desc->map : is_set ? "0" : "v";
    gpi_text text;
    memset(&text, 0, sizeof text);
    gpi_each_define(&text, "KEY", key);
    gpi_each_define(&text, "VALUE", value);
    gpi_text_add(&text, "#define GPI_EACH_BITS(x) as_%s(x)\n#define GPI_EACH_ERASE %d\n",
                 gpi_type_size(value) == 8 ? "ulong" : "uint", desc->erase);
    gpi_each_function(&text, "bool", "where", where, !is_set);
    gpi_each_function(&text, gpi_type_cl(value), "map", map, !is_set);
    if (!text.failed) return text.data;
    free(text.data);
    return NULL;
}

static gp_result gpi_each_check(gp_context *gp, const char *function, const gpi_table *table,
                                const gp_hash_for_each_desc *desc, gp_type *key, gp_type *value)
{
    gp_result result;
    *key = desc->key_type ? desc->key_type : table->key_size == 8 ? GP_U64 : GP_U32;
    *value = desc->value_type ? desc->value_type : table->value_size == 8 ? GP_U64 : GP_U32;
    if ((desc->map != NULL) == desc->erase) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: map is %s and erase is %s: either one", function,
                        desc->map ? "given" : "NULL", desc->erase ? "true" : "false");
    }
    result = gpi_check_text(gp, function, "map", desc->map);
    if (result == GP_OK) result = gpi_check_text(gp, function, "where", desc->where);
    if (result != GP_OK) return result;
    if (table->value_size == 0 && (desc->map || desc->value_type))
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: the table is a set: it has no values to map",
                        function);
    if (gpi_type_size(*key) != table->key_size ||
        (table->value_size && gpi_type_size(*value) != table->value_size)) {
        return gpi_fail(
            gp, GP_ERROR_INVALID_TYPE,
            "%s: key_type = %d, value_type = %d: the table has keys of %zu and values of %zu bytes", function,
            (int)desc->key_type, (int)desc->value_type, table->key_size, table->value_size);
    }
    if ((*key == GP_F64 || *value == GP_F64) && !gp->info.fp64)
        return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "%s: GP_F64 needs cl_khr_fp64: %s", function,
                        gp->info.name);
    return GP_OK;
}

static gp_result gpi_each_program(gp_context *gp, const char *function, const gpi_table *table,
                                  const gp_hash_for_each_desc *desc, gpi_plan *plan, gpi_program **program)
{
    gp_type key, value;
    char *more;
    gp_result result = gpi_each_check(gp, function, table, desc, &key, &value);
    if (result != GP_OK) return result;
    more = gpi_each_prelude(desc, key, value, table->value_size == 0);
    if (!more) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for a program", function);
    result = gpi_hash_program(gp, function, GPI_HASH_EACH, table, more, plan, program);
    free(more);
    return result;
}

GP_API gp_result gp_hash_for_each(gp_context *gp, gp_hash handle, const gp_hash_for_each_desc *desc)
{
    static const char function[] = "gp_hash_for_each";
    gpi_table *table = gpi_hash_of(gp, function, handle);
    gpi_plan plan;
    gpi_program *program;
    gpi_call call;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    if (!desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: desc is NULL", function);
    result = gpi_each_program(gp, function, table, desc, &plan, &program);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) {
        gpi_call_kernel(&call, program, 0);
        gpi_hash_arg_table(&call, table);
        result = gpi_hash_launch_slots(&call, table, &plan, true);
    }
    return gpi_call_end(&call, result);
}

/* ------------------------------------------------------------------ counts, rehash */

/* The table's counts, by GPI_COUNT_... and gp_hash_result. Blocks. */
static gp_result gpi_hash_read_counts(gp_context *gp, const char *function, const gpi_table *table,
                                      uint64_t counts[GPI_HASH_COUNTS])
{
    const bool unread = gp->hash_unread;
    cl_uint header[GPI_HASH_HEADER_BYTES / 4];
    const cl_uint *words = header + GPI_HASH_COUNTS_AT / 4;
    cl_ulong facts[4];
    gpi_call call;
    gp_result result;
    size_t i;
    gp->hash_unread = false; /* what was refused before does not keep a table from growing */
    result = gp->out_of_order ? gpi_finish(gp) : GP_OK;
    if (result == GP_OK) {
        result = gpi_call_begin(&call, gp, function, NULL, 0, NULL);
        if (result == GP_OK) result = gpi_call_read(&call, table->buffer, 0, sizeof header, header);
        result = gpi_call_end_within(&call, result);
    }
    gp->hash_unread = unread;
    gpi_hash_facts(table, facts);
    if (result == GP_OK && memcmp(header, facts, sizeof facts) != 0)
        result = gpi_hash_fail_strange(gp, function);
    for (i = 0; i < GPI_HASH_COUNTS && result == GP_OK; i++)
        counts[i] = (uint64_t)words[2 * i + 1] << 32 | words[2 * i];
    return result;
}

static uint64_t gpi_hash_live(const uint64_t *counts)
{
    return counts[GP_HASH_INSERTED] - counts[GP_HASH_ERASED];
}

/* Moves the live keys of `from` into `to`, which has its memory. */
static gp_result gpi_hash_move(gp_context *gp, const char *function, const gpi_table *from, gpi_table *to)
{
    uint64_t counts[GPI_HASH_COUNTS];
    gpi_plan plan;
    gpi_program *program;
    gpi_call call;
    gp_result result = gpi_hash_program(gp, function, GPI_HASH, to, "", &plan, &program);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, NULL, 0, NULL);
    if (result == GP_OK) result = gpi_hash_clear_slots(&call, to, from);
    if (result == GP_OK) {
        gpi_call_kernel(&call, program, GPI_HASH_MOVE);
        gpi_hash_arg_table(&call, to);
        gpi_hash_arg_table(&call, from);
        result = gpi_hash_launch_slots(&call, from, &plan, true);
    }
    result = gpi_call_end_within(&call, result);
    if (result == GP_OK) result = gpi_hash_read_counts(gp, function, to, counts);
    if (result != GP_OK) return result;
    if (counts[GPI_HASH_LOST] > 0) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: %llu keys would find no place in %llu slots", function,
                        (unsigned long long)counts[GPI_HASH_LOST], (unsigned long long)to->mask + 1);
    }
    to->taken = counts[GPI_HASH_CLAIMED];
    return GP_OK;
}

/* The table gets other slots, in `own` or memory of its own; or stays as it is. */
static gp_result gpi_hash_rehash(gp_context *gp, const char *function, gpi_table *table, uint32_t mask,
                                 cl_mem own)
{
    const cl_mem before = table->buffer;
    gpi_table next = *table;
    gp_result result;
    next.mask = mask;
    next.buffer = NULL;
    result = gpi_hash_allocate(gp, function, own, &next);
    if (result == GP_OK) result = gpi_hash_move(gp, function, table, &next);
    if (result == GP_OK) (void)clReleaseMemObject(before);
    else if (next.buffer) (void)clReleaseMemObject(next.buffer);
    if (result == GP_OK) {
        next.references = table->references;
        *table = next;
    }
    return result;
}

/* A table that grows gets more slots before `count` keys might take more than it may have: only then is the
   device asked how many are taken. */
static gp_result gpi_hash_make_room(gp_context *gp, const char *function, gpi_table *table, size_t count)
{
    uint64_t counts[GPI_HASH_COUNTS];
    const double most = table->max_load * ((double)table->mask + 1);
    uint32_t mask;
    gp_result result;
    if (!table->grow) return GP_OK;
    if ((double)table->taken + (double)count <= most) {
        table->taken += count;
        return GP_OK;
    }
    result = gpi_hash_read_counts(gp, function, table, counts);
    if (result != GP_OK) return result;
    table->taken = counts[GPI_HASH_CLAIMED];
    if ((double)table->taken + (double)count > most) {
        const uint64_t wanted = gpi_hash_live(counts) + count;
        result = gpi_hash_capacity(gp, function, 0, wanted, table->max_load, &mask);
        if (result == GP_OK)
            result = gpi_hash_rehash(gp, function, table, mask > table->mask ? mask : table->mask, NULL);
    }
    if (result == GP_OK) table->taken += count;
    return result;
}

GP_API gp_result gp_hash_rehash(gp_context *gp, gp_hash handle, const gp_hash_rehash_desc *desc)
{
    static const char function[] = "gp_hash_rehash";
    gpi_table *table = gpi_hash_of(gp, function, handle);
    uint64_t counts[GPI_HASH_COUNTS];
    uint32_t mask;
    gp_result result = GP_OK;
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    if (!desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: desc is NULL", function);
    mask = table->mask;
    if (desc->capacity || desc->expected_count)
        result =
            gpi_hash_capacity(gp, function, desc->capacity, desc->expected_count, table->max_load, &mask);
    if (result == GP_OK) result = gpi_hash_read_counts(gp, function, table, counts);
    if (result != GP_OK) return result;
    if (gpi_hash_live(counts) > (uint64_t)mask + 1 + gpi_hash_side_slots(table)) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: capacity = %llu, too few for %llu live keys", function,
                        (unsigned long long)mask + 1, (unsigned long long)gpi_hash_live(counts));
    }
    return gpi_hash_rehash(gp, function, table, mask, desc->buffer);
}

static gp_result gpi_hash_count_all(gp_context *gp, const char *function, gp_hash handle, gp_hash_counts *out)
{
    const gpi_table *table = gpi_hash_of(gp, function, handle);
    uint64_t counts[GPI_HASH_COUNTS];
    gp_result result;
    memset(out, 0, sizeof *out);
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    result = gpi_hash_read_counts(gp, function, table, counts);
    if (result != GP_OK) return result;
    out->capacity = (uint64_t)table->mask + 1;
    out->live = gpi_hash_live(counts);
    out->inserted = counts[GP_HASH_INSERTED];
    out->existed = counts[GP_HASH_EXISTED];
    out->failed = counts[GP_HASH_FAILED];
    out->refused = counts[GP_HASH_REFUSED];
    out->superseded = counts[GP_HASH_SUPERSEDED];
    out->erased = counts[GP_HASH_ERASED];
    /* Keys behind the table take no slot: where one is live, there is a dead one more than this tells. */
    out->dead = counts[GPI_HASH_CLAIMED] > out->live ? counts[GPI_HASH_CLAIMED] - out->live : 0;
    return gpi_hash_result(gp);
}

GP_API gp_result gp_hash_counts_read(gp_context *gp, gp_hash table, gp_hash_counts *out)
{
    if (!out) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_hash_counts_read: out is NULL");
    return gpi_hash_count_all(gp, "gp_hash_counts_read", table, out);
}

GP_API gp_result gp_hash_size_read(gp_context *gp, gp_hash table, size_t *live)
{
    gp_hash_counts counts;
    gp_result result;
    if (!live) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_hash_size_read: live is NULL");
    result = gpi_hash_count_all(gp, "gp_hash_size_read", table, &counts);
    *live = (size_t)counts.live; /* 0 on failure */
    return result;
}

/* ------------------------------------------------------------------ statistics */

static uint64_t gpi_hash_wide(const cl_uint *words, size_t at)
{
    return (uint64_t)words[at + 1] << 32 | words[at];
}

static gp_result gpi_hash_measure(gpi_call *call, const gpi_table *table, cl_uint words[GPI_STATS_WORDS])
{
    const size_t bytes = GPI_STATS_WORDS * sizeof *words;
    gpi_plan plan;
    gpi_program *program;
    cl_mem stats = NULL;
    gp_result result = gpi_hash_program(call->gp, call->function, GPI_HASH, table, "", &plan, &program);
    if (result == GP_OK) result = gpi_call_scratch(call, NULL, bytes, &stats);
    if (result == GP_OK) result = gpi_call_fill(call, stats, 0, bytes);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, program, GPI_HASH_MEASURE);
    gpi_hash_arg_table(call, table);
    GPI_CALL_ARG(call, stats);
    result = gpi_hash_launch_slots(call, table, &plan, true);
    return result == GP_OK ? gpi_call_read(call, stats, 0, bytes, words) : result;
}

GP_API gp_result gp_hash_stats_read(gp_context *gp, gp_hash handle, gp_hash_stats *out)
{
    static const char function[] = "gp_hash_stats_read";
    gpi_table *table = gpi_hash_of(gp, function, handle);
    cl_uint words[GPI_STATS_WORDS];
    uint64_t counts[GPI_HASH_COUNTS];
    gpi_call call;
    gp_result result;
    size_t b;
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    if (!out) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: out is NULL", function);
    result = gpi_hash_read_counts(gp, function, table, counts); /* is there a table? */
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, NULL, 0, NULL);
    if (result == GP_OK) result = gpi_hash_measure(&call, table, words);
    result = gpi_call_end_within(&call, result);
    if (result != GP_OK) return result;
    memset(out, 0, sizeof *out);
    out->capacity = (uint64_t)table->mask + 1;
    out->live = gpi_hash_wide(words, GPI_STATS_LIVE);
    out->dead = gpi_hash_wide(words, GPI_STATS_DEAD);
    out->load = (double)(out->live + out->dead) / (double)out->capacity;
    out->max_depth = words[GPI_STATS_MAX];
    if (out->live > 0) out->mean_depth = (double)gpi_hash_wide(words, GPI_STATS_DEPTHS) / (double)out->live;
    for (b = 0; b < GP_HASH_BINS; b++) out->depths[b] = gpi_hash_wide(words, GPI_STATS_BINS + 2 * b);
    return GP_OK;
}

/* ------------------------------------------------------------------ source, warm-up */

/* For gp_device_source: the layers that a kernel of the caller's needs, as gpi_source_compose has them, up to
   one key. */
static gp_result gpi_hash_device_text(gp_context *gp, const char *function, gp_hash handle, gpi_text *text)
{
    const gpi_table *table = gpi_hash_of(gp, function, handle);
    gpi_plan plan;
    char *prelude;
    gp_result result;
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    result = gpi_plan_make_hash(gp, function, GP_STRATEGY_AUTO, &plan);
    if (result != GP_OK) return result;
    plan.group = 1;
    prelude = gpi_hash_prelude(gp, table, &plan,
                               table->value_size == 8 ? "#define GPI_VALUE_WIDTH GPI_WIDE_VALUE\n"
                                                      : "#define GPI_VALUE_WIDTH 0\n");
    if (!prelude) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for a text", function);
    gpi_text_add(text, "%s", prelude);
    free(prelude);
    gpi_text_add_kernels(text, "hash/device.cl");
    return GP_OK;
}

/* Every kernel once, on a small table of the context's own. */
static gp_result gpi_hash_warm_up(gp_context *gp, const gp_hash_desc *desc)
{
    gp_hash_desc small;
    gp_hash table;
    gp_hash_insert_desc insert;
    gp_hash_find_desc find;
    gp_hash_erase_desc erase;
    gp_hash_retrieve_desc retrieve;
    gp_hash_rehash_desc again;
    gp_hash_stats stats;
    gp_result result;
    memset(&small, 0, sizeof small);
    memset(&insert, 0, sizeof insert);
    memset(&find, 0, sizeof find);
    memset(&erase, 0, sizeof erase);
    memset(&retrieve, 0, sizeof retrieve);
    memset(&again, 0, sizeof again);
    small.key_size = desc->key_size;
    small.value_size = desc->value_size;
    small.capacity = 64;
    result = gpi_hash_check_sizes(gp, "gp_warmup", &small);
    if (result == GP_OK) result = gp_hash_create(gp, &small, &table);
    if (result != GP_OK) return result;
    result = gpi_alloc_zeros(gp, 64, &insert.keys);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, 64, &find.found);
    if (small.value_size) insert.values = insert.keys;
    find.keys = erase.keys = insert.keys;
    retrieve.live_count = find.found;
    insert.count = find.count = erase.count = 1;
    if (result == GP_OK) result = gp_hash_insert(gp, table, &insert);
    insert.op = GP_SUM;
    if (result == GP_OK && small.value_size) result = gp_hash_insert_or_apply(gp, table, &insert);
    if (result == GP_OK) result = gp_hash_find(gp, table, &find);
    if (result == GP_OK) result = gp_hash_retrieve(gp, table, &retrieve);
    if (result == GP_OK) result = gp_hash_stats_read(gp, table, &stats);
    if (result == GP_OK) result = gp_hash_rehash(gp, table, &again);
    if (result == GP_OK) result = gp_hash_erase(gp, table, &erase);
    if (insert.keys) (void)clReleaseMemObject(insert.keys);
    if (find.found) (void)clReleaseMemObject(find.found);
    (void)gp_hash_destroy(gp, table);
    return result;
}
