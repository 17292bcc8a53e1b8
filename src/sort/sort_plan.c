/* sort_plan.c - gp_sort, gp_argsort: describes a sort, sizes its launches and its scratch, and checks its buffers. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/type.h"
#include "element/element.h"
#include "sort/sort.h"

#include <string.h>

/* ------------------------------------------------------------------ describe */

static gp_result gpi_sort_check_types(gp_context *gp, const gpi_sort *sort)
{
    const gp_sort_desc *desc = sort->desc;
    const size_t v = sort->value_size;
    gp_result result = gpi_check_key_type(gp, desc->key_type);
    if (result == GP_OK) result = gpi_check_value_size(gp, v);
    if (result != GP_OK) return result;
    if (desc->count > SIZE_MAX / GPI_SORT_BYTES_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "count = %zu is more than any memory holds", desc->count);
    }
    if (sort->indices && v != 4 && v != 8) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "value_size = %zu, an index has 4 or 8 bytes", v);
    }
    if (sort->indices && v == 4 && desc->count > UINT32_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "count = %zu does not fit indices of 4 bytes", desc->count);
    }
    if (v == 0 && (desc->values || desc->values_out || desc->values_tmp)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "values is given but value_size is 0");
    }
    if (sort->indices && desc->values) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "values is given, but indices are generated, not read");
    }
    if (sort->indices && !desc->values_out) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "values_out is NULL: the indices are written there");
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
                        "begin_bit = %u, end_bit = %u: not a window of a key's %u bits (end_bit 0: %u)",
                        sort->begin_bit, sort->desc->end_bit, width, width);
    }
    sort->passes = (sort->end_bit - sort->begin_bit + GPI_SORT_DIGIT_BITS - 1) / GPI_SORT_DIGIT_BITS;
    return GP_OK;
}

/* Sets whether keys and values are sorted in place. */
static gp_result gpi_sort_check_places(gp_context *gp, gpi_sort *sort)
{
    const gp_sort_desc *d = sort->desc;
    bool keys = true, values = true;
    gp_result result = GP_OK;
    sort->keys_unwanted = sort->indices && !d->keys_out;
    if (d->keys_out)
        result = gpi_is_in_place(gp, "keys", d->keys, d->keys_offset, d->keys_out, d->keys_out_offset,
                                 sort->key_size, &keys);
    if (result == GP_OK && d->values_out && sort->value_size && !sort->indices)
        result = gpi_is_in_place(gp, "values", d->values, d->values_offset, d->values_out,
                                 d->values_out_offset, sort->value_size, &values);
    sort->keys_in_place = keys && !sort->keys_unwanted;
    sort->values_in_place = values && sort->value_size && !sort->indices;
    return result;
}

/* Checks the desc, and sets sizes and bits, and whether keys and values are sorted in place. */
static gp_result gpi_sort_describe(gp_context *gp, gpi_sort *sort)
{
    const gp_sort_desc *desc = sort->desc;
    gp_result result = gpi_sort_check_types(gp, sort);
    if (result != GP_OK) return result;
    sort->key_size = gpi_type_size(desc->key_type);
    result = gpi_sort_check_bits(gp, sort);
    if (result == GP_OK)
        result =
            gpi_plan_make_sort(gp, GPI_SORT, sort->key_size, sort->value_size, desc->strategy, &sort->plan);
    sort->count.bound = desc->count;
    sort->count.buffer = desc->count_buffer;
    sort->count.offset = desc->count_offset;
    sort->count.type = desc->count_type;
    sort->flip = sort->hash ? sort->seed : gpi_key_flip(desc->key_type, desc->descending);
    return result == GP_OK ? gpi_sort_check_places(gp, sort) : result;
}

/* ------------------------------------------------------------------ plan */

static void gpi_sort_spans_serial(const gp_context *gp, gpi_sort *sort)
{
    const size_t n = sort->desc->count;
    sort->tile_span = gpi_serial_span(gp, &sort->plan, n, GPI_SORT_SERIAL_SPAN_MIN);
    sort->block_span = sort->tile_span;
    if (n / sort->block_span >= GPI_SORT_BLOCKS_MAX) sort->block_span = n / (GPI_SORT_BLOCKS_MAX - 1);
}

/* Sets tile_span and block_span in the local shape, whose blocks are whole tiles. Fails if loops are limited and a block
   would have too many tiles. */
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
                        "count = %zu is more than %s can sort: its loops are limited", sort->desc->count,
                        gp->info.name);
    }
    sort->tile_span = gpi_plan_tile(&sort->plan);
    sort->block_span = (each ? each : 1) * sort->tile_span;
    return GP_OK;
}

/* Sets portion, the number of keys of one onesweep launch, and portions, the number of these launches. A portion
   consists of whole tiles, and has no more keys than a word can count. */
static void gpi_sort_portions(const gp_context *gp, gpi_sort *sort)
{
    const uint64_t words = sort->plan.words == GP_WORDS_WIDE ? 0xffffffffu : 0x3fffffffu;
    const uint64_t most = gp->desc.tuning.sort_portion;
    const uint64_t keys = most && most < words ? most : words;
    const uint64_t tiles = keys / sort->tile_span ? keys / sort->tile_span : 1;
    sort->portion = (size_t)(tiles * sort->tile_span);
    sort->portions = (cl_uint)gpi_ceil_div(sort->desc->count, sort->portion);
}

/* Returns the most keys that one group sorts alone in the serial shape. */
static size_t gpi_sort_few(const gpi_sort *sort)
{
    const size_t most = GPI_SORT_SERIAL_SMALL;
    return sort->plan.per_item < most ? sort->plan.per_item : most;
}

static gp_result gpi_sort_spans(gp_context *gp, gpi_sort *sort)
{
    const size_t n = sort->desc->count;
    gp_result result = GP_OK;
    if (sort->plan.shape == GP_SHAPE_SERIAL) {
        gpi_sort_spans_serial(gp, sort);
    } else {
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

/* Appends a part of the scratch and returns where it begins, in bytes. */
static size_t gpi_sort_part(gpi_sort *sort, size_t bytes)
{
    const size_t begin = sort->at.end;
    sort->at.end += gpi_ceil_div(bytes, GPI_SORT_ALIGNMENT) * GPI_SORT_ALIGNMENT;
    return begin;
}

static bool gpi_sort_in_place(const gpi_sort *sort) { return sort->keys_in_place || sort->values_in_place; }

/* Returns true if the sort needs a second buffer. It does not if one pass out of place suffices, or if one group sorts in local
   memory. */
static bool gpi_sort_needs_tmp(const gpi_sort *sort)
{
    if (sort->few && sort->plan.shape == GP_SHAPE_LOCAL) return false;
    return sort->passes > 1 || (sort->passes == 1 && gpi_sort_in_place(sort));
}

static bool gpi_sort_is_nothing(const gpi_sort *sort)
{
    return sort->desc->count == 0 ||
           (sort->passes == 0 && sort->keys_in_place && (sort->values_in_place || !sort->value_size));
}

/* Appends the arrays of keys and values that the caller does not give. */
static void gpi_sort_lay_out_arrays(gpi_sort *sort)
{
    const gp_sort_desc *desc = sort->desc;
    const size_t n = desc->count;
    if (sort->keys_unwanted) sort->at.key_out = gpi_sort_part(sort, n * sort->key_size);
    if (!gpi_sort_needs_tmp(sort)) return;
    if (!desc->keys_tmp) sort->at.key_tmp = gpi_sort_part(sort, n * sort->key_size);
    if (!desc->values_tmp) sort->at.value_tmp = gpi_sort_part(sort, n * sort->value_size);
}

static void gpi_sort_lay_out(gpi_sort *sort)
{
    const size_t launches = (size_t)sort->passes * (sort->onesweep ? sort->portions : 1);
    const size_t bins = GPI_SORT_BINS;
    memset(&sort->at, 0, sizeof sort->at);
    if (gpi_sort_is_nothing(sort)) return;
    if (sort->shares) {
        (void)gpi_sort_part(sort, sort->shares * 4 * sizeof(cl_ulong)); /* 4 is 1 + GPI_SHARE_PIECES */
    } else if (!sort->few) {
        const size_t histogram = sort->onesweep ? sort->passes * GPI_SORT_BINS * 8 : 0;
        (void)gpi_sort_part(sort, (GPI_STATE_LAUNCHES + 2 * launches) * 4);
        sort->at.histogram = gpi_sort_part(sort, histogram);
        sort->at.bases = gpi_sort_part(sort, (sort->onesweep ? launches : 1) * bins * 8);
        sort->at.table = gpi_sort_part(sort, sort->blocks * bins * 8);
        sort->at.map = gpi_sort_part(sort, sort->buckets ? GPI_BIN_MAP_BYTES : 0);
        sort->at.rows = gpi_sort_part(sort, sort->onesweep ? gpi_sort_rows_bytes(sort) : 0);
    }
    gpi_sort_lay_out_arrays(sort);
}

/* ------------------------------------------------------------------ buffers */

static gp_result gpi_sort_check(gp_context *gp, gpi_sort *sort)
{
    const gp_sort_desc *d = sort->desc;
    const size_t n = d->count, k = sort->key_size, v = sort->value_size;
    const bool tmp = gpi_sort_needs_tmp(sort);
    const int keys = sort->keys_in_place ? GPI_BOTH : GPI_READS;
    const int values = sort->values_in_place ? GPI_BOTH : GPI_READS;
    const int out = tmp ? GPI_BOTH : GPI_WRITES; /* passes alternate between two buffers */
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, GP_OK);
    gpi_use_buffer(&uses, "keys", d->keys, d->keys_offset, n, k, keys);
    if (!sort->keys_in_place && !sort->keys_unwanted)
        gpi_use_buffer(&uses, "keys_out", d->keys_out, d->keys_out_offset, n, k, out);
    if (d->keys_tmp && tmp)
        gpi_use_buffer(&uses, "keys_tmp", d->keys_tmp, d->keys_tmp_offset, n, k, GPI_BOTH);
    if (v && !sort->indices) gpi_use_buffer(&uses, "values", d->values, d->values_offset, n, v, values);
    if (v && !sort->values_in_place)
        gpi_use_buffer(&uses, "values_out", d->values_out, d->values_out_offset, n, v, out);
    if (v && d->values_tmp && tmp)
        gpi_use_buffer(&uses, "values_tmp", d->values_tmp, d->values_tmp_offset, n, v, GPI_BOTH);
    gpi_use_count(&uses, "count_buffer", &sort->count);
    if (sort->offsets.segments) gpi_use_offsets(&uses, &sort->offsets);
    return gpi_uses_end(&uses, NULL, d->scratch, sort->at.end);
}

static void gpi_sort_set(gpi_sort_array *array, cl_mem buffer, size_t offset)
{
    array->buffer = buffer;
    array->offset = offset;
}

/* Sets the three arrays of keys and of values. If no second buffer is needed, sets a placeholder, which is never
   read. */
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
