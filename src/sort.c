/* sort.c - gp_sort, gp_argsort: radix sort, lowest digit first. Which passes are launched, and with what. */
#include "internal.h"

enum {
    GPI_SORT_SMALL,
    GPI_SORT_BEGIN,
    GPI_SORT_COPY,
    GPI_SORT_COUNT,
    GPI_SORT_SPINE,
    GPI_SORT_SCATTER,
    GPI_SORT_HISTOGRAM,
    GPI_SORT_BASES,
    GPI_SORT_ONESWEEP
};

enum {
    GPI_SORT_BLOCKS_MAX = 1024, /* rows of the classic table */
    GPI_SORT_BYTES_MAX = 256,   /* of scratch for a key: sizes must not overflow */
    GPI_SORT_STATE_WORDS = 16,  /* GPI_STATE_LAUNCHES of digit.cl */
    GPI_SORT_ALIGNMENT = 256,
    GPI_SORT_SERIAL_SMALL = 8192,     /* keys that one item sorts faster than several launches */
    GPI_SORT_SERIAL_SPAN_MIN = 16384, /* keys of a group, when there are few */
    GPI_SORT_TILES_PER_BLOCK = 200    /* where loops are limited: a tile takes some 300 turns */
};

/* Bytes that passes write, from which on it pays to write lines past the caches. Measured on PoCL. */
#define GPI_SORT_LINES_BYTES ((size_t)8 << 20)

/* ------------------------------------------------------------------ checks */

static gp_result gpi_sort_check_types(gp_context *gp, const gpi_sort *sort)
{
    const gp_sort_desc *desc = sort->desc;
    const size_t v = sort->value_size;
    gp_result result = gpi_check_key_type(gp, sort->function, desc->key_type);
    if (result == GP_OK) result = gpi_check_value_size(gp, sort->function, v);
    if (result != GP_OK) return result;
    if (desc->count > SIZE_MAX / GPI_SORT_BYTES_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: count = %zu is more than any memory holds",
                        sort->function, desc->count);
    }
    if (sort->indices && v != 4 && v != 8) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: value_size = %zu, an index has 4 or 8 bytes",
                        sort->function, v);
    }
    if (sort->indices && v == 4 && desc->count > UINT32_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: count = %zu does not fit indices of 4 bytes",
                        sort->function, desc->count);
    }
    if (v == 0 && (desc->values || desc->values_out || desc->values_tmp)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: there are values, and value_size is 0",
                        sort->function);
    }
    if (sort->indices && desc->values) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: values is given: indices are made, not read",
                        sort->function);
    }
    if (sort->indices && !desc->values_out) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: values_out is NULL: that is where the indices go",
                        sort->function);
    }
    return GP_OK;
}

static gp_result gpi_sort_check_bits(gp_context *gp, gpi_sort *sort)
{
    const cl_uint width = (cl_uint)(8 * sort->key_size);
    sort->begin_bit = sort->desc->begin_bit;
    sort->end_bit = sort->desc->end_bit ? sort->desc->end_bit : width;
    if (sort->end_bit > width || sort->begin_bit > sort->end_bit) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "%s: begin_bit = %u, end_bit = %u: not a window of a key's %u bits (end_bit 0: %u)",
                        sort->function, sort->begin_bit, sort->desc->end_bit, width, width);
    }
    sort->passes = (sort->end_bit - sort->begin_bit + GPI_SORT_DIGIT_BITS - 1) / GPI_SORT_DIGIT_BITS;
    return GP_OK;
}

/* ------------------------------------------------------------------ plan */

static uint32_t gpi_or_default(uint32_t value, uint32_t fallback) { return value ? value : fallback; }

static gp_result gpi_sort_program(gp_context *gp, gpi_sort *sort)
{
    const gp_tuning *tuning = &gp->desc.tuning;
    char ring[200];
    (void)snprintf(ring, sizeof ring,
                   "#define GPI_RING_ROWS %uu\n#define GPI_RING_REACH %uu\n#define GPI_RING_BLOCK %uu\n",
                   sort->ring_rows, gpi_or_default(tuning->ring_reach, 64),
                   gpi_or_default(tuning->ring_block, 32));
    if (sort->hash) {
        const size_t used = strlen(ring);
        (void)snprintf(ring + used, sizeof ring - used, "#define GPI_KEY_HASH %u\n", sort->hash);
    }
    return gpi_key_program(gp, sort->function, GPI_SORT, sort->desc->key_type, sort->value_size, ring,
                           &sort->plan, &sort->program);
}

static void gpi_sort_spans_serial(const gp_context *gp, gpi_sort *sort)
{
    const size_t n = sort->desc->count;
    sort->tile_span = gpi_serial_span(gp, &sort->plan, n, GPI_SORT_SERIAL_SPAN_MIN);
    sort->block_span = sort->tile_span;
    if (n / sort->block_span >= GPI_SORT_BLOCKS_MAX) sort->block_span = n / (GPI_SORT_BLOCKS_MAX - 1);
}

/* Local: blocks are whole tiles. */
static gp_result gpi_sort_spans_local(gp_context *gp, gpi_sort *sort)
{
    const size_t tiles = gpi_ceil_div(sort->desc->count, gpi_plan_tile(&sort->plan));
    size_t blocks = 16 * (size_t)gp->info.compute_units, each;
    if (blocks < 64) blocks = 64;
    if (gp->info.loop_limit && blocks < gpi_ceil_div(tiles, GPI_SORT_TILES_PER_BLOCK))
        blocks = gpi_ceil_div(tiles, GPI_SORT_TILES_PER_BLOCK);
    if (blocks > GPI_SORT_BLOCKS_MAX) blocks = GPI_SORT_BLOCKS_MAX;
    each = gpi_ceil_div(tiles, blocks);
    if (gp->info.loop_limit && each > GPI_SORT_TILES_PER_BLOCK) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT,
                        "%s: count = %zu is more than %s can sort: its loops are limited", sort->function,
                        sort->desc->count, gp->info.name);
    }
    sort->tile_span = gpi_plan_tile(&sort->plan);
    sort->block_span = (each ? each : 1) * sort->tile_span;
    return GP_OK;
}

/* A launch's keys: fewer than a word can count, in whole tiles. */
static void gpi_sort_portions(const gp_context *gp, gpi_sort *sort)
{
    const uint64_t words = sort->plan.words == GP_WORDS_WIDE ? 0xffffffffu : 0x3fffffffu;
    const uint64_t most = gpi_or_default(gp->desc.tuning.sort_portion, 0);
    const uint64_t keys = most && most < words ? most : words;
    const uint64_t tiles = keys / sort->tile_span ? keys / sort->tile_span : 1;
    sort->portion = (size_t)(tiles * sort->tile_span);
    sort->portions = (cl_uint)gpi_ceil_div(sort->desc->count, sort->portion);
}

static gp_result gpi_sort_spans(gp_context *gp, gpi_sort *sort)
{
    const size_t n = sort->desc->count;
    gp_result result = GP_OK;
    if (sort->plan.shape == GP_SHAPE_SERIAL) {
        const size_t most = sort->plan.items < (size_t)GPI_SORT_SERIAL_SMALL ? sort->plan.items
                                                                             : (size_t)GPI_SORT_SERIAL_SMALL;
        sort->small = n <= most;
        gpi_sort_spans_serial(gp, sort);
    } else {
        sort->small = n <= gpi_plan_tile(&sort->plan);
        result = gpi_sort_spans_local(gp, sort);
    }
    sort->blocks = (cl_uint)gpi_ceil_div(n, sort->block_span);
    gpi_sort_portions(gp, sort);
    return result;
}

/* ------------------------------------------------------------------ scratch */

static size_t gpi_sort_tiles(const gpi_sort *sort, cl_uint portion)
{
    const size_t begin = portion * sort->portion, rest = sort->desc->count - begin;
    return gpi_ceil_div(rest < sort->portion ? rest : sort->portion, sort->tile_span);
}

static size_t gpi_sort_rows_bytes(const gpi_sort *sort)
{
    const bool wide = sort->plan.words == GP_WORDS_WIDE;
    size_t rows = sort->portions ? gpi_sort_tiles(sort, 0) : 0;
    if (wide && rows > sort->ring_rows) rows = sort->ring_rows;
    return rows * GPI_SORT_BINS * (wide ? 8 : 4);
}

/* Appends a part; where it begins. */
static size_t gpi_sort_part(gpi_sort *sort, size_t bytes)
{
    const size_t begin = sort->at.end;
    sort->at.end += gpi_ceil_div(bytes, GPI_SORT_ALIGNMENT) * GPI_SORT_ALIGNMENT;
    return begin;
}

static bool gpi_sort_in_place(const gpi_sort *sort) { return sort->keys_in_place || sort->values_in_place; }

/* A second buffer is needed: unless one pass does it all, or one group in its local memory. */
static bool gpi_sort_needs_tmp(const gpi_sort *sort)
{
    if (sort->small && sort->plan.shape == GP_SHAPE_LOCAL) return false;
    return sort->passes > 1 || (sort->passes == 1 && gpi_sort_in_place(sort));
}

static bool gpi_sort_is_nothing(const gpi_sort *sort)
{
    return sort->desc->count == 0 ||
           (sort->passes == 0 && sort->keys_in_place && (sort->values_in_place || !sort->value_size));
}

static void gpi_sort_lay_out(gpi_sort *sort)
{
    const gp_sort_desc *desc = sort->desc;
    const size_t launches = (size_t)sort->passes * (sort->onesweep ? sort->portions : 1);
    const size_t n = desc->count;
    memset(&sort->at, 0, sizeof sort->at);
    if (gpi_sort_is_nothing(sort)) return;
    if (!sort->small) {
        const size_t histogram = sort->onesweep ? sort->passes * GPI_SORT_BINS * 8 : 0;
        (void)gpi_sort_part(sort, (GPI_SORT_STATE_WORDS + 2 * launches) * 4);
        sort->at.histogram = gpi_sort_part(sort, histogram);
        sort->at.bases = gpi_sort_part(sort, (sort->onesweep ? launches : 1) * GPI_SORT_BINS * 8);
        sort->at.table = gpi_sort_part(sort, sort->blocks * GPI_SORT_BINS * 8);
        sort->at.rows = gpi_sort_part(sort, sort->onesweep ? gpi_sort_rows_bytes(sort) : 0);
    }
    if (sort->keys_unwanted) sort->at.key_out = gpi_sort_part(sort, n * sort->key_size);
    if (!gpi_sort_needs_tmp(sort)) return;
    if (!desc->keys_tmp) sort->at.key_tmp = gpi_sort_part(sort, n * sort->key_size);
    if (!desc->values_tmp) sort->at.value_tmp = gpi_sort_part(sort, n * sort->value_size);
}

/* What is sorted, how, and what is in place. */
static gp_result gpi_sort_describe(gp_context *gp, gpi_sort *sort)
{
    const gp_sort_desc *desc = sort->desc;
    gp_result result = gpi_sort_check_types(gp, sort);
    if (result != GP_OK) return result;
    sort->key_size = gpi_type_size(desc->key_type);
    result = gpi_sort_check_bits(gp, sort);
    if (result == GP_OK)
        result = gpi_plan_make_sort(gp, sort->function, sort->key_size, desc->strategy, &sort->plan);
    sort->count.bound = desc->count;
    sort->count.buffer = desc->count_buffer;
    sort->count.offset = desc->count_offset;
    sort->count.type = desc->count_type;
    sort->flip = sort->hash ? sort->seed : gpi_key_flip(desc->key_type, desc->descending);
    sort->keys_unwanted = sort->indices && !desc->keys_out;
    sort->keys_in_place =
        !sort->keys_unwanted &&
        (!desc->keys_out || (desc->keys_out == desc->keys && desc->keys_out_offset == desc->keys_offset));
    sort->values_in_place = sort->value_size && !sort->indices &&
                            (!desc->values_out || (desc->values_out == desc->values &&
                                                   desc->values_out_offset == desc->values_offset));
    return result;
}

/* Everything but the buffers: enough to know the scratch. */
static gp_result gpi_sort_plan(gp_context *gp, gpi_sort *sort)
{
    gp_result result = gpi_sort_describe(gp, sort);
    if (result != GP_OK) return result;
    sort->ring_rows = gpi_or_default(gp->desc.tuning.ring_rows, 1024);
    sort->onesweep = sort->plan.strategy == GP_STRATEGY_SINGLE_PASS;
    result = gpi_sort_program(gp, sort);
    if (result == GP_OK) result = gpi_sort_spans(gp, sort);
    if (result == GP_OK) result = gpi_buckets_plan(gp, sort);
    if (result == GP_OK) gpi_sort_lay_out(sort);
    return result;
}

/* ------------------------------------------------------------------ buffers */

enum {
    GPI_SORT_KEYS,
    GPI_SORT_KEYS_OUT,
    GPI_SORT_KEYS_TMP,
    GPI_SORT_VALUES,
    GPI_SORT_VALUES_OUT,
    GPI_SORT_VALUES_TMP,
    GPI_SORT_COUNTER,
    GPI_SORT_OFFSETS,
    GPI_SORT_RANGES
};

static const char *const gpi_sort_names[GPI_SORT_RANGES] = {
    "keys", "keys_out", "keys_tmp", "values", "values_out", "values_tmp", "count_buffer", "offsets"};

/* Nothing that is written may touch anything else; in place, output and input are one range, noted once. */
static gp_result gpi_sort_check_apart(gp_context *gp, const gpi_sort *sort, const gpi_range *used)
{
    bool written[GPI_SORT_RANGES];
    size_t a, b;
    for (a = 0; a < GPI_SORT_RANGES; a++) written[a] = a < GPI_SORT_COUNTER;
    written[GPI_SORT_KEYS] = sort->keys_in_place;
    written[GPI_SORT_VALUES] = sort->values_in_place;
    for (a = 0; a < GPI_SORT_RANGES; a++) {
        for (b = 0; b < a; b++) {
            if (!used[a].root || !gpi_overlap(&used[a], &used[b]) || (!written[a] && !written[b])) continue;
            return gpi_fail(gp, GP_ERROR_OVERLAP,
                            "%s: %s is bytes [%zu, %zu) and %s [%zu, %zu) of one buffer", sort->function,
                            gpi_sort_names[b], used[b].begin, used[b].end, gpi_sort_names[a], used[a].begin,
                            used[a].end);
        }
    }
    return GP_OK;
}

/* One of the six arrays, when it is there; `into` learns of it. */
static gp_result gpi_sort_check_array(gp_context *gp, const gpi_sort *sort, int name, cl_mem buffer,
                                      size_t offset, size_t size, int access, gpi_range *used)
{
    return gpi_check_buffer(gp, sort->function, gpi_sort_names[name], buffer, offset, sort->desc->count, size,
                            access, &used[name]);
}

static gp_result gpi_sort_check(gp_context *gp, gpi_sort *sort)
{
    const gp_sort_desc *d = sort->desc;
    const size_t k = sort->key_size, v = sort->value_size;
    const bool tmp = gpi_sort_needs_tmp(sort);
    const int keys = sort->keys_in_place ? GPI_BOTH : GPI_READS;
    const int values = sort->values_in_place ? GPI_BOTH : GPI_READS;
    const int out = tmp ? GPI_BOTH : GPI_WRITES; /* passes go back and forth */
    gpi_range used[GPI_SORT_RANGES];
    gp_result r;
    memset(used, 0, sizeof used);
    r = gpi_sort_check_array(gp, sort, GPI_SORT_KEYS, d->keys, d->keys_offset, k, keys, used);
    if (r == GP_OK && !sort->keys_in_place && !sort->keys_unwanted)
        r = gpi_sort_check_array(gp, sort, GPI_SORT_KEYS_OUT, d->keys_out, d->keys_out_offset, k, out, used);
    if (r == GP_OK && v && !sort->indices)
        r = gpi_sort_check_array(gp, sort, GPI_SORT_VALUES, d->values, d->values_offset, v, values, used);
    if (r == GP_OK && v && !sort->values_in_place)
        r = gpi_sort_check_array(gp, sort, GPI_SORT_VALUES_OUT, d->values_out, d->values_out_offset, v, out,
                                 used);
    if (r == GP_OK && d->keys_tmp && tmp)
        r = gpi_sort_check_array(gp, sort, GPI_SORT_KEYS_TMP, d->keys_tmp, d->keys_tmp_offset, k, GPI_BOTH,
                                 used);
    if (r == GP_OK && v && d->values_tmp && tmp)
        r = gpi_sort_check_array(gp, sort, GPI_SORT_VALUES_TMP, d->values_tmp, d->values_tmp_offset, v,
                                 GPI_BOTH, used);
    if (r == GP_OK) r = gpi_check_count(gp, sort->function, &sort->count, &used[GPI_SORT_COUNTER]);
    if (r == GP_OK && sort->offset_count)
        r = gpi_check_buffer(gp, sort->function, "offsets", sort->offsets.buffer, sort->offsets.offset,
                             sort->offset_count, sort->offset_size, GPI_READS, &used[GPI_SORT_OFFSETS]);
    if (r == GP_OK) r = gpi_sort_check_apart(gp, sort, used);
    if (r != GP_OK) return r;
    return gpi_check_scratch(gp, sort->function, d->scratch, sort->at.end, used, GPI_SORT_RANGES);
}

static void gpi_sort_set(gpi_sort_array *array, cl_mem buffer, size_t offset)
{
    array->buffer = buffer;
    array->offset = offset;
}

/* The three places. A second buffer that is not needed is never looked at: something stands in. */
static void gpi_sort_place(gpi_sort *sort, cl_mem scratch)
{
    const gp_sort_desc *d = sort->desc;
    gpi_sort_array *k = sort->key, *v = sort->value;
    const bool tmp = gpi_sort_needs_tmp(sort);
    gpi_sort_set(&k[0], d->keys, d->keys_offset);
    k[1] = k[0];
    if (sort->keys_unwanted) gpi_sort_set(&k[1], scratch, sort->at.key_out / sort->key_size);
    else if (!sort->keys_in_place) gpi_sort_set(&k[1], d->keys_out, d->keys_out_offset);
    k[2] = k[1];
    if (tmp && d->keys_tmp) gpi_sort_set(&k[2], d->keys_tmp, d->keys_tmp_offset);
    else if (tmp) gpi_sort_set(&k[2], scratch, sort->at.key_tmp / sort->key_size);
    if (!sort->value_size) return;
    if (!sort->values_in_place) gpi_sort_set(&v[1], d->values_out, d->values_out_offset);
    else gpi_sort_set(&v[1], d->values, d->values_offset);
    v[0] = v[2] = v[1];
    if (!sort->indices) gpi_sort_set(&v[0], d->values, d->values_offset);
    if (tmp && d->values_tmp) gpi_sort_set(&v[2], d->values_tmp, d->values_tmp_offset);
    else if (tmp) gpi_sort_set(&v[2], scratch, sort->at.value_tmp / sort->value_size);
}

/* ------------------------------------------------------------------ arguments */

/* GPI_PLACES_PARAMETERS */
static void gpi_sort_arg_places(gpi_call *call, const gpi_sort *sort)
{
    const cl_uint indices = sort->indices;
    int p;
    for (p = 0; p < 3; p++) {
        GPI_CALL_ARG(call, sort->key[p].buffer);
        GPI_CALL_ARG(call, sort->key[p].offset);
    }
    if (!sort->value_size) return;
    for (p = 0; p < 3; p++) {
        GPI_CALL_ARG(call, sort->value[p].buffer);
        GPI_CALL_ARG(call, sort->value[p].offset);
    }
    GPI_CALL_ARG(call, indices);
}

static cl_uint gpi_sort_shift(const gpi_sort *sort, cl_uint pass)
{
    return sort->begin_bit + GPI_SORT_DIGIT_BITS * pass;
}

/* GPI_DIGIT_PARAMETERS */
static void gpi_sort_arg_digit(gpi_call *call, const gpi_sort *sort, cl_uint shift)
{
    const cl_uint left = sort->end_bit - shift, whole = GPI_SORT_DIGIT_BITS;
    const cl_uint mask = (1u << (left < whole ? left : whole)) - 1;
    GPI_CALL_ARG(call, sort->flip);
    GPI_CALL_ARG(call, shift);
    GPI_CALL_ARG(call, mask);
}

static void gpi_sort_arg_bits(gpi_call *call, const gpi_sort *sort)
{
    GPI_CALL_ARG(call, sort->flip);
    GPI_CALL_ARG(call, sort->begin_bit);
    GPI_CALL_ARG(call, sort->end_bit);
    GPI_CALL_ARG(call, sort->passes);
}

/* Bytes as the kernels count them. */
static void gpi_sort_arg_at(gpi_call *call, size_t bytes)
{
    const cl_ulong words = bytes / 4;
    GPI_CALL_ARG(call, words);
}

static void gpi_sort_arg_long(gpi_call *call, size_t x)
{
    const cl_ulong value = x;
    GPI_CALL_ARG(call, value);
}

static void gpi_sort_arg_uint(gpi_call *call, size_t x)
{
    const cl_uint value = (cl_uint)x;
    GPI_CALL_ARG(call, value);
}

/* Where the keys are before the first pass. */
static cl_uint gpi_sort_from(const gpi_sort *sort)
{
    const bool all = sort->keys_in_place && (sort->values_in_place || !sort->value_size);
    return all ? GPI_PLACE_OUT : GPI_PLACE_IN;
}

/* Passes that write more than the caches hold write lines. */
static cl_uint gpi_sort_lines(const gpi_sort *sort)
{
    return sort->desc->count * (sort->key_size + sort->value_size) >= GPI_SORT_LINES_BYTES;
}

/* ------------------------------------------------------------------ launches */

static gp_result gpi_sort_small(gpi_call *call, gpi_sort *sort)
{
    gpi_call_kernel(call, sort->program, GPI_SORT_SMALL);
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_bits(call, sort);
    gpi_sort_arg_uint(call, gpi_sort_from(sort));
    gpi_sort_arg_uint(call, gpi_sort_in_place(sort));
    gpi_call_arg_count(call, &sort->count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &sort->plan, 1);
}

static gp_result gpi_sort_begin(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gpi_call_kernel(call, sort->program, GPI_SORT_BEGIN);
    GPI_CALL_ARG(call, state);
    gpi_sort_arg_uint(call, sort->at.bases / 4); /* state and histogram */
    gpi_sort_arg_uint(call, gpi_sort_from(sort));
    gpi_call_arg_count(call, &sort->count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &sort->plan, 1);
}

static gp_result gpi_sort_copy(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gpi_call_kernel(call, sort->program, GPI_SORT_COPY);
    gpi_sort_arg_places(call, sort);
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, sort->passes);
    return gpi_call_launch(call, &sort->plan, sort->blocks);
}

static gp_result gpi_sort_count(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass, cl_uint shift,
                                cl_uint when)
{
    gpi_call_kernel(call, sort->program, GPI_SORT_COUNT);
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_digit(call, sort, shift);
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, pass);
    GPI_CALL_ARG(call, when);
    gpi_sort_arg_long(call, sort->block_span);
    gpi_sort_arg_at(call, sort->at.table);
    return gpi_call_launch(call, &sort->plan, sort->blocks);
}

static gp_result gpi_sort_spine(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass, cl_uint when)
{
    const bool out_first = sort->passes % 2 && !gpi_sort_in_place(sort);
    gpi_call_kernel(call, sort->program, GPI_SORT_SPINE);
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, pass);
    GPI_CALL_ARG(call, when);
    gpi_sort_arg_uint(call, out_first ? GPI_PLACE_OUT : GPI_PLACE_TMP);
    GPI_CALL_ARG(call, sort->blocks);
    gpi_sort_arg_at(call, sort->at.table);
    gpi_sort_arg_at(call, sort->at.bases);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &sort->plan, 1);
}

static gp_result gpi_sort_scatter(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass, cl_uint shift,
                                  cl_uint when)
{
    gpi_call_kernel(call, sort->program, GPI_SORT_SCATTER);
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_digit(call, sort, shift);
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, pass);
    GPI_CALL_ARG(call, when);
    gpi_sort_arg_long(call, sort->block_span);
    gpi_sort_arg_uint(call, gpi_sort_lines(sort));
    gpi_sort_arg_at(call, sort->at.table);
    gpi_sort_arg_at(call, sort->at.bases);
    return gpi_call_launch(call, &sort->plan, sort->blocks);
}

/* One pass of the classic way. */
static gp_result gpi_sort_classic_pass(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass,
                                       gpi_sort_when when)
{
    const cl_uint shift = gpi_sort_shift(sort, pass);
    gp_result result = gpi_sort_count(call, sort, state, pass, shift, when);
    if (result == GP_OK) result = gpi_sort_spine(call, sort, state, pass, when);
    return result == GP_OK ? gpi_sort_scatter(call, sort, state, pass, shift, when) : result;
}

static gp_result gpi_sort_classic(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gp_result result = sort->buckets ? gpi_buckets_launch(call, sort, state) : GP_OK;
    cl_uint pass;
    for (pass = 0; pass < sort->passes && result == GP_OK; pass++)
        result =
            gpi_sort_classic_pass(call, sort, state, pass, sort->buckets ? GPI_UNLESS_BUCKETS : GPI_ALWAYS);
    return result;
}

/* Counts all digits; bases of each pass, and where it reads and writes. */
static gp_result gpi_sort_histogram(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gp_result result;
    gpi_call_kernel(call, sort->program, GPI_SORT_HISTOGRAM);
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_bits(call, sort);
    GPI_CALL_ARG(call, state);
    gpi_sort_arg_long(call, sort->block_span);
    gpi_sort_arg_at(call, sort->at.histogram);
    result = gpi_call_launch(call, &sort->plan, sort->blocks);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, sort->program, GPI_SORT_BASES);
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, sort->passes);
    GPI_CALL_ARG(call, sort->portions);
    gpi_sort_arg_uint(call, gpi_sort_in_place(sort));
    gpi_sort_arg_at(call, sort->at.histogram);
    gpi_sort_arg_at(call, sort->at.bases);
    return gpi_call_launch(call, &sort->plan, 1);
}

/* Whether the rows may hold words that a launch could take for its own (ring.cl, "Clearing"). */
static bool gpi_sort_must_clear(const gpi_sort *sort, cl_uint pass, cl_uint portion)
{
    const cl_uint before = portion > 0 ? portion - 1 : sort->portions - 1;
    if (sort->plan.words != GP_WORDS_WIDE || sort->count.buffer) return true;
    return (pass == 0 && portion == 0) || gpi_sort_tiles(sort, before) < 2 * (size_t)sort->ring_rows;
}

static gp_result gpi_sort_onesweep_launch(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass,
                                          cl_uint portion)
{
    const cl_uint launch = pass * sort->portions + portion;
    const size_t begin = portion * sort->portion;
    if (gpi_sort_must_clear(sort, pass, portion)) {
        const gp_result result = gpi_call_fill(call, state, sort->at.rows, gpi_sort_rows_bytes(sort));
        if (result != GP_OK) return result;
    }
    gpi_call_kernel(call, sort->program, GPI_SORT_ONESWEEP);
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_digit(call, sort, gpi_sort_shift(sort, pass));
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, pass);
    GPI_CALL_ARG(call, launch);
    gpi_sort_arg_long(call, begin);
    gpi_sort_arg_long(call, begin + sort->portion);
    gpi_sort_arg_long(call, sort->tile_span);
    gpi_sort_arg_uint(call, gpi_sort_lines(sort));
    gpi_sort_arg_at(call, sort->at.bases + (size_t)launch * GPI_SORT_BINS * 8);
    gpi_sort_arg_uint(call, portion + 1 < sort->portions);
    gpi_sort_arg_at(call, sort->at.rows);
    GPI_CALL_ARG(call, sort->plan.polls);
    return gpi_call_launch(call, &sort->plan, gpi_sort_tiles(sort, portion));
}

static gp_result gpi_sort_onesweep(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    cl_uint pass, portion;
    gp_result result = gpi_sort_histogram(call, sort, state);
    for (pass = 0; pass < sort->passes && result == GP_OK; pass++) {
        for (portion = 0; portion < sort->portions && result == GP_OK; portion++)
            result = gpi_sort_onesweep_launch(call, sort, state, pass, portion);
        if (result == GP_OK) result = gpi_sort_classic_pass(call, sort, state, pass, GPI_WHEN_ABANDONED);
    }
    return result;
}

static gp_result gpi_sort_launch(gpi_call *call, gpi_sort *sort)
{
    cl_mem scratch = NULL;
    gp_result result = GP_OK;
    if (gpi_sort_is_nothing(sort)) return GP_OK;
    if (sort->at.end > 0) result = gpi_call_scratch(call, sort->desc->scratch, sort->at.end, &scratch);
    if (result != GP_OK) return result;
    gpi_sort_place(sort, scratch);
    if (sort->small) return gpi_sort_small(call, sort);
    result = gpi_sort_begin(call, sort, scratch);
    if (result == GP_OK) {
        result = sort->onesweep && sort->passes ? gpi_sort_onesweep(call, sort, scratch)
                                                : gpi_sort_classic(call, sort, scratch);
    }
    return result == GP_OK ? gpi_sort_copy(call, sort, scratch) : result;
}

/* ------------------------------------------------------------------ API */

static void gpi_sort_init(gpi_sort *sort, const char *function, const gp_sort_desc *desc, bool indices)
{
    memset(sort, 0, sizeof *sort);
    sort->desc = desc;
    sort->function = function;
    sort->indices = indices;
    sort->value_size = indices && !desc->value_size ? 4 : desc->value_size;
}

static gp_result gpi_sort_call(gp_context *gp, const char *function, const gp_sort_desc *desc, bool indices)
{
    gpi_sort sort;
    gpi_call call;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp or desc is NULL", function);
    gpi_sort_init(&sort, function, desc, indices);
    result = gpi_sort_plan(gp, &sort);
    if (result == GP_OK && desc->count > 0) result = gpi_sort_check(gp, &sort);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_sort_launch(&call, &sort);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_sort(gp_context *gp, const gp_sort_desc *desc)
{
    return gpi_sort_call(gp, "gp_sort", desc, false);
}

GP_API gp_result gp_argsort(gp_context *gp, const gp_sort_desc *desc)
{
    return gpi_sort_call(gp, "gp_argsort", desc, true);
}

static gp_result gpi_sort_size(gp_context *gp, const char *function, const gp_sort_desc *desc, bool indices,
                               size_t *bytes)
{
    gpi_sort sort;
    gp_result result;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp, desc or bytes is NULL", function);
    }
    gpi_sort_init(&sort, function, desc, indices);
    result = gpi_sort_plan(gp, &sort);
    *bytes = result == GP_OK ? sort.at.end : 0;
    return result;
}

GP_API gp_result gp_sort_scratch_size(gp_context *gp, const gp_sort_desc *desc, size_t *bytes)
{
    return gpi_sort_size(gp, "gp_sort_scratch_size", desc, false, bytes);
}

GP_API gp_result gp_argsort_scratch_size(gp_context *gp, const gp_sort_desc *desc, size_t *bytes)
{
    return gpi_sort_size(gp, "gp_argsort_scratch_size", desc, true, bytes);
}

/* Sorts zeros of the context's own: few, and as many as take all kernels of the strategy. */
static gp_result gpi_sort_warm_up(gp_context *gp, const gp_sort_desc *desc)
{
    gp_sort_desc probe;
    gpi_sort sort;
    gp_result result;
    size_t counts[3] = {1, 0, 0}, i; /* one group; passes; buckets */
    memset(&probe, 0, sizeof probe);
    probe.key_type = desc->key_type;
    probe.value_size = desc->value_size;
    probe.strategy = desc->strategy;
    gpi_sort_init(&sort, "gp_warmup", &probe, false);
    result = gpi_sort_plan(gp, &sort);
    if (result != GP_OK) return result;
    counts[1] =
        sort.plan.shape == GP_SHAPE_SERIAL ? GPI_SORT_SERIAL_SMALL + 1 : gpi_plan_tile(&sort.plan) + 1;
    if (sort.plan.shape == GP_SHAPE_SERIAL) counts[2] = gpi_buckets_count_min(&sort);
    result = gpi_alloc_zeros(gp, (counts[1] + counts[2]) * sort.key_size, &probe.keys);
    if (result == GP_OK && probe.value_size)
        result = gpi_alloc_zeros(gp, (counts[1] + counts[2]) * probe.value_size, &probe.values);
    for (i = 0; i < 3 && result == GP_OK; i++) {
        if (desc->count && (desc->count < counts[i] || (i == 0 && desc->count >= counts[1]))) continue;
        probe.count = counts[i];
        result = gp_sort(gp, &probe);
    }
    if (probe.keys) (void)clReleaseMemObject(probe.keys);
    if (probe.values) (void)clReleaseMemObject(probe.values);
    return result;
}
