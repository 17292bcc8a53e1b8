/* self_test_cases.c - cases of gp_self_test. Each case makes inputs, computes the expected results by plain loops, and calls the
   library. */
#include "base/context.h"
#include "base/error.h"
#include "context/self_test.h"

#include <string.h>

/* ------------------------------------------------------------------ inputs, expected results */

/* Copies the inputs to the device. Every case that has inputs calls this after it has changed them. */
static gp_result gpi_self_test_upload(gpi_self_test *t)
{
    size_t k;
    for (k = 0; k < GPI_SELF_TEST_INPUTS; k++) {
        const cl_int error = clEnqueueWriteBuffer(t->gp->queue, t->in_buffer[k], CL_TRUE, 0, t->count * 4,
                                                  t->in[k], 0, NULL, NULL);
        if (error != CL_SUCCESS) return gpi_fail_cl(t->gp, error, "clEnqueueWriteBuffer");
    }
    return GP_OK;
}

static void gpi_self_test_expect(gpi_self_test *t, size_t output, uint32_t value)
{
    t->expected[output][t->expected_count[output]++] = value;
}

static void gpi_self_test_expect_count(gpi_self_test *t, size_t output, size_t counted)
{
    gpi_self_test_expect(t, output, (uint32_t)t->expected_count[counted]);
}

/* Clears the bits of the first input that are not in `mask`. */
static void gpi_self_test_mask(gpi_self_test *t, uint32_t mask)
{
    size_t i;
    for (i = 0; i < t->count; i++) t->in[0][i] &= mask;
}

/* Turns the second input into offsets of segments, some of them empty. Returns the number of segments. */
static size_t gpi_self_test_cut(gpi_self_test *t)
{
    size_t at = 0, segments = 0;
    while (at < t->count && segments < t->count - 1) {
        const uint32_t length = t->in[1][segments] % 400;
        t->in[1][segments++] = (uint32_t)at;
        at += length < 100 ? 0 : length * (length % 50 == 0 ? 50u : 1u);
    }
    t->in[1][segments] = (uint32_t)t->count;
    return segments;
}

/* ------------------------------------------------------------------ reduce, scan */

static gp_result gpi_self_test_reduce(gpi_self_test *t)
{
    gp_result result = gpi_self_test_upload(t);
    gp_reduce_desc d;
    uint32_t sum = 0;
    size_t i;
    for (i = 0; i < t->count; i++) sum += t->in[0][i];
    gpi_self_test_expect(t, 0, sum);
    memset(&d, 0, sizeof d);
    d.in = t->in_buffer[0];
    d.out = t->out_buffer[0];
    d.count = t->count;
    d.type = d.out_type = GP_U32;
    d.op = GP_SUM;
    return result == GP_OK ? gp_reduce(t->gp, &d) : result;
}

static gp_result gpi_self_test_segmented_reduce(gpi_self_test *t)
{
    const size_t segments = gpi_self_test_cut(t);
    gp_result result = gpi_self_test_upload(t);
    gp_segmented_reduce_desc d;
    size_t s, i;
    for (s = 0; s < segments; s++) {
        uint32_t most = 0;
        for (i = t->in[1][s]; i < t->in[1][s + 1]; i++)
            if (t->in[0][i] > most) most = t->in[0][i];
        gpi_self_test_expect(t, 0, most);
    }
    memset(&d, 0, sizeof d);
    d.in = t->in_buffer[0];
    d.count = t->count;
    d.offsets = t->in_buffer[1];
    d.offsets_type = GP_U32;
    d.segment_count = segments;
    d.out = t->out_buffer[0];
    d.type = GP_U32;
    d.op = GP_MAX;
    return result == GP_OK ? gp_segmented_reduce(t->gp, &d) : result;
}

/* Reduces three columns, which are cut into parts if they are long. */
static gp_result gpi_self_test_columns(gpi_self_test *t)
{
    const gp_result result = gpi_self_test_upload(t);
    gp_segmented_reduce_desc d;
    size_t s, i;
    memset(&d, 0, sizeof d);
    d.in = t->in_buffer[0];
    d.out = t->out_buffer[0];
    d.row_length = t->count / 3;
    d.element_stride = d.segment_count = 3;
    d.type = d.out_type = GP_U32;
    d.op = GP_SUM;
    for (s = 0; s < 3 && d.row_length; s++) {
        uint32_t sum = 0;
        for (i = 0; i < d.row_length; i++) sum += t->in[0][3 * i + s];
        gpi_self_test_expect(t, 0, sum);
    }
    if (result != GP_OK || d.row_length == 0) return result;
    return gp_segmented_reduce(t->gp, &d);
}

static gp_result gpi_self_test_segmented_scan(gpi_self_test *t)
{
    const size_t segments = gpi_self_test_cut(t);
    gp_result result = gpi_self_test_upload(t);
    gp_segmented_scan_desc d;
    size_t s, i;
    for (s = 0; s < segments; s++) {
        uint32_t sum = 0;
        for (i = t->in[1][s]; i < t->in[1][s + 1]; i++) gpi_self_test_expect(t, 0, sum += t->in[0][i]);
    }
    memset(&d, 0, sizeof d);
    d.in = t->in_buffer[0];
    d.count = t->count;
    d.offsets = t->in_buffer[1];
    d.offsets_type = GP_U32;
    d.segment_count = segments;
    d.out = t->out_buffer[0];
    d.type = GP_U32;
    d.op = GP_SUM;
    return result == GP_OK ? gp_segmented_scan(t->gp, &d) : result;
}

/* Scans three columns, which are cut into parts if they are long. */
static gp_result gpi_self_test_scan_columns(gpi_self_test *t)
{
    const gp_result result = gpi_self_test_upload(t);
    gp_segmented_scan_desc d;
    uint32_t sums[3] = {0, 0, 0};
    size_t i;
    memset(&d, 0, sizeof d);
    d.in = t->in_buffer[0];
    d.out = t->out_buffer[0];
    d.row_length = t->count / 3;
    d.element_stride = d.segment_count = 3;
    d.type = GP_U32;
    d.op = GP_SUM;
    for (i = 0; i < 3 * d.row_length; i++) gpi_self_test_expect(t, 0, sums[i % 3] += t->in[0][i]);
    if (result != GP_OK || d.row_length == 0) return result;
    return gp_segmented_scan(t->gp, &d);
}

static gp_result gpi_self_test_scan(gpi_self_test *t)
{
    gp_result result = gpi_self_test_upload(t);
    gp_scan_desc d;
    uint32_t sum = 0;
    size_t i;
    for (i = 0; i < t->count; i++) gpi_self_test_expect(t, 0, sum += t->in[0][i]);
    memset(&d, 0, sizeof d);
    d.in = t->in_buffer[0];
    d.out = t->out_buffer[0];
    d.count = t->count;
    d.type = GP_U32;
    d.op = GP_SUM;
    d.strategy = t->strategy;
    return result == GP_OK ? gp_scan(t->gp, &d) : result;
}

/* ------------------------------------------------------------------ select, partition, runs */

static gp_result gpi_self_test_select(gpi_self_test *t)
{
    gp_result result = gpi_self_test_upload(t);
    gp_select_desc d;
    size_t i;
    for (i = 0; i < t->count; i++)
        if (t->in[0][i] % 3 == 0) gpi_self_test_expect(t, 0, t->in[0][i]);
    gpi_self_test_expect_count(t, 1, 0);
    memset(&d, 0, sizeof d);
    d.in = t->in_buffer[0];
    d.out = t->out_buffer[0];
    d.count_out = t->out_buffer[1];
    d.count = t->count;
    d.type = GP_U32;
    d.predicate = "x % 3 == 0";
    d.strategy = t->strategy;
    return result == GP_OK ? gp_select(t->gp, &d) : result;
}

static gp_result gpi_self_test_partition(gpi_self_test *t)
{
    gp_result result = gpi_self_test_upload(t);
    gp_partition_desc d;
    size_t i;
    for (i = 0; i < t->count; i++) gpi_self_test_expect(t, t->in[0][i] % 3 == 0 ? 0 : 1, t->in[0][i]);
    gpi_self_test_expect_count(t, 2, 0);
    gpi_self_test_expect_count(t, 2, 1);
    memset(&d, 0, sizeof d);
    d.in = t->in_buffer[0];
    d.out = t->out_buffer[0];
    d.rest = t->out_buffer[1];
    d.counts_out = t->out_buffer[2];
    d.count = t->count;
    d.type = GP_U32;
    d.predicate = "x % 3 == 0";
    d.strategy = t->strategy;
    return result == GP_OK ? gp_partition(t->gp, &d) : result;
}

static gp_result gpi_self_test_unique(gpi_self_test *t)
{
    gp_result result;
    gp_unique_desc d;
    size_t i;
    gpi_self_test_mask(t, 3);
    result = gpi_self_test_upload(t);
    for (i = 0; i < t->count; i++) {
        if (i > 0 && t->in[0][i] == t->in[0][i - 1]) continue;
        gpi_self_test_expect(t, 0, t->in[0][i]);
        gpi_self_test_expect(t, 1, (uint32_t)i);
    }
    gpi_self_test_expect_count(t, 2, 0);
    memset(&d, 0, sizeof d);
    d.keys = t->in_buffer[0];
    d.keys_out = t->out_buffer[0];
    d.indices_out = t->out_buffer[1];
    d.count_out = t->out_buffer[2];
    d.count = t->count;
    d.key_type = GP_U32;
    d.strategy = t->strategy;
    return result == GP_OK ? gp_unique(t->gp, &d) : result;
}

static gp_result gpi_self_test_run_length_decode(gpi_self_test *t)
{
    const size_t runs = gpi_self_test_cut(t);
    gp_result result = gpi_self_test_upload(t);
    gp_run_length_decode_desc d;
    uint32_t r, i;
    for (r = 0; r < runs; r++) {
        for (i = t->in[1][r]; i < t->in[1][r + 1]; i++) {
            gpi_self_test_expect(t, 0, t->in[0][r]);
            gpi_self_test_expect(t, 1, r);
            gpi_self_test_expect(t, 2, i - t->in[1][r]);
        }
    }
    memset(&d, 0, sizeof d);
    d.in = t->in_buffer[0];
    d.offsets = t->in_buffer[1];
    d.offsets_type = d.type = GP_U32;
    d.run_count = runs;
    d.out = t->out_buffer[0];
    d.runs_out = t->out_buffer[1];
    d.positions_out = t->out_buffer[2];
    d.count = t->count;
    return result == GP_OK ? gp_run_length_decode(t->gp, &d) : result;
}

/* Groups rows by two columns, a number and its bytes. */
static gp_result gpi_self_test_group_by(gpi_self_test *t)
{
    gp_key_column columns[2];
    gp_group_by_desc d;
    gp_result result;
    uint32_t group;
    size_t i;
    gpi_self_test_mask(t, 31);
    result = gpi_self_test_upload(t);
    for (i = 0; i < t->count; i++) {
        for (group = 0; group < t->expected_count[1]; group++)
            if (t->in[0][t->expected[1][group]] == t->in[0][i]) break;
        if (group == t->expected_count[1]) gpi_self_test_expect(t, 1, (uint32_t)i);
        gpi_self_test_expect(t, 0, group);
    }
    for (group = 0; group < t->expected_count[1]; group++)
        for (i = 0; i < t->count; i++)
            if (t->expected[0][i] == group) gpi_self_test_expect(t, 2, (uint32_t)i);
    memset(columns, 0, sizeof columns);
    columns[0].in = columns[1].in = t->in_buffer[0];
    columns[0].type = GP_U32;
    columns[1].element_size = 4;
    memset(&d, 0, sizeof d);
    d.columns = columns;
    d.column_count = 2;
    d.groups_out = t->out_buffer[0];
    d.rows_out = t->out_buffer[1];
    d.order_out = t->out_buffer[2];
    d.count = t->count;
    return result == GP_OK ? gp_group_by(t->gp, &d) : result;
}

/* Computes the sum of each group's rows, their number, and the last of them. */
static gp_result gpi_self_test_group_results(gpi_self_test *t)
{
    gp_key_column column;
    gp_group_result results[3];
    gp_arg x;
    gp_group_by_desc d;
    gp_result result;
    size_t i, j;
    gpi_self_test_mask(t, 31);
    result = gpi_self_test_upload(t);
    for (i = 0; i < t->count; i++) {
        uint32_t count = 0, last = 0;
        size_t first = 0;
        while (t->in[0][first] != t->in[0][i]) first++;
        if (first < i) continue; /* not the first row of its group */
        for (j = i; j < t->count; j++) {
            if (t->in[0][j] != t->in[0][i]) continue;
            count++;
            last = (uint32_t)j;
        }
        gpi_self_test_expect(t, 0, count * t->in[0][i]);
        gpi_self_test_expect(t, 1, count);
        gpi_self_test_expect(t, 2, last);
    }
    memset(&column, 0, sizeof column);
    column.in = t->in_buffer[0];
    column.type = GP_U32;
    memset(&x, 0, sizeof x);
    x.name = "column";
    x.type = GP_U32;
    x.buffer = t->in_buffer[0];
    memset(results, 0, sizeof results);
    results[0].op = GP_SUM;
    results[0].map = "column[i]";
    results[0].out_type = GP_U32;
    results[1].op = GP_COUNT;
    results[2].op = GP_LAST;
    results[2].map = "i";
    for (i = 0; i < 3; i++) {
        if (results[i].map) results[i].map_type = GP_U32;
        results[i].out = t->out_buffer[i];
    }
    memset(&d, 0, sizeof d);
    d.columns = &column;
    d.column_count = 1;
    d.count = t->count;
    d.results = results;
    d.result_count = 3;
    d.args = &x;
    d.arg_count = 1;
    return result == GP_OK ? gp_group_by(t->gp, &d) : result;
}

/* Joins the first rows, as many as the outputs have room for, with all rows. */
static gp_result gpi_self_test_join(gpi_self_test *t)
{
    gp_key_column column;
    gp_join_desc d;
    gp_result result;
    size_t i, j, pairs = 0;
    gpi_self_test_mask(t, 31);
    result = gpi_self_test_upload(t);
    memset(&d, 0, sizeof d);
    for (i = 0; i < t->count; i++) {
        size_t partners = 0;
        for (j = 0; j < t->count; j++) partners += t->in[0][i] == t->in[0][j];
        if (pairs + partners > t->count) break;
        pairs += partners;
        for (j = 0; j < t->count; j++) {
            if (t->in[0][i] != t->in[0][j]) continue;
            gpi_self_test_expect(t, 0, (uint32_t)i);
            gpi_self_test_expect(t, 1, (uint32_t)j);
        }
    }
    memset(&column, 0, sizeof column);
    column.in = t->in_buffer[0];
    column.type = GP_U32;
    d.left = d.right = &column;
    d.column_count = 1;
    d.left_count = i;
    d.right_count = d.capacity = t->count;
    d.left_out = t->out_buffer[0];
    d.right_out = t->out_buffer[1];
    return result == GP_OK ? gp_join(t->gp, &d) : result;
}

/* Returns the high half of a product. */
static uint64_t gpi_self_test_high(uint64_t a, uint64_t b)
{
    const uint64_t low = (a & 0xffffffffu) * (b & 0xffffffffu);
    const uint64_t middle = (a >> 32) * (b & 0xffffffffu) + (low >> 32);
    const uint64_t other = (a & 0xffffffffu) * (b >> 32) + (middle & 0xffffffffu);
    return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
}

static uint64_t gpi_self_test_mix(uint64_t hash, uint64_t x, uint64_t seed)
{
    const uint64_t a = hash ^ x, b = seed | 1;
    return (a * b) ^ gpi_self_test_high(a, b);
}

/* Returns the hash of a row of one number (table/keys.cl), with the seed that belongs to 0. */
static uint64_t gpi_self_test_row_hash(uint32_t key)
{
    const uint64_t seed = 0xe220a8397b1dcdafu;
    return gpi_self_test_mix(gpi_self_test_mix(seed, key, seed), 0, 0xbf58476d1ce4e5b9u);
}

/* Describes a column of the first input, and writes `words` zeros to an output. */
static gp_result gpi_self_test_sketch(gpi_self_test *t, gp_key_column *column, size_t output, size_t words)
{
    const cl_uint zero = 0;
    cl_int error;
    memset(column, 0, sizeof *column);
    column->in = t->in_buffer[0];
    column->type = GP_U32;
    error = clEnqueueFillBuffer(t->gp->queue, t->out_buffer[output], &zero, sizeof zero, 0, 4 * words, 0,
                                NULL, NULL);
    return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(t->gp, error, "clEnqueueFillBuffer");
}

/* Adds all rows to a filter of some blocks, and finds them. */
static gp_result gpi_self_test_bloom(gpi_self_test *t)
{
    static const uint32_t odd[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                    0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
    enum { GPI_BLOCKS = 100 };
    gp_key_column column;
    gp_bloom_desc d;
    gp_result result;
    size_t i, w;
    gpi_self_test_mask(t, 255);
    result = gpi_self_test_upload(t);
    if (result == GP_OK) result = gpi_self_test_sketch(t, &column, 1, 8 * GPI_BLOCKS);
    for (i = 0; i < 8 * GPI_BLOCKS; i++) gpi_self_test_expect(t, 1, 0);
    for (i = 0; i < t->count; i++) {
        const uint64_t hash = gpi_self_test_row_hash(t->in[0][i]);
        uint32_t *block = t->expected[1] + 8 * ((hash >> 32) * GPI_BLOCKS >> 32);
        for (w = 0; w < 8; w++) block[w] |= (uint32_t)1 << ((uint32_t)hash * odd[w] >> 27);
    }
    for (i = 0; i < t->count / 4; i++) gpi_self_test_expect(t, 0, 0x01010101); /* four rows */
    memset(&d, 0, sizeof d);
    d.columns = &column;
    d.column_count = 1;
    d.count = t->count;
    d.filter = t->out_buffer[1];
    d.block_count = GPI_BLOCKS;
    if (result == GP_OK) result = gp_bloom_add(t->gp, &d);
    d.found = t->out_buffer[0];
    return result == GP_OK ? gp_bloom_contains(t->gp, &d) : result;
}

static gp_result gpi_self_test_hyperloglog(gpi_self_test *t)
{
    enum { GPI_PRECISION = 9 };
    gp_key_column column;
    gp_hyperloglog_desc d;
    size_t i;
    gp_result result = gpi_self_test_upload(t);
    if (result == GP_OK) result = gpi_self_test_sketch(t, &column, 0, (size_t)1 << GPI_PRECISION);
    for (i = 0; i < (size_t)1 << GPI_PRECISION; i++) gpi_self_test_expect(t, 0, 0);
    for (i = 0; i < t->count; i++) {
        const uint64_t hash = gpi_self_test_row_hash(t->in[0][i]);
        uint32_t *to = t->expected[0] + (hash >> (64 - GPI_PRECISION)), rank = 1;
        while (rank < 65 - GPI_PRECISION && !(hash << GPI_PRECISION << (rank - 1) >> 63)) rank++;
        if (*to < rank) *to = rank;
    }
    memset(&d, 0, sizeof d);
    d.columns = &column;
    d.column_count = 1;
    d.count = t->count;
    d.registers = t->out_buffer[0];
    d.precision = GPI_PRECISION;
    return result == GP_OK ? gp_hyperloglog_add(t->gp, &d) : result;
}

static gp_result gpi_self_test_reduce_by_key(gpi_self_test *t)
{
    gp_result result;
    gp_reduce_by_key_desc d;
    size_t i;
    gpi_self_test_mask(t, 3);
    result = gpi_self_test_upload(t);
    for (i = 0; i < t->count; i++) {
        if (i == 0 || t->in[0][i] != t->in[0][i - 1]) {
            gpi_self_test_expect(t, 0, t->in[0][i]);
            gpi_self_test_expect(t, 1, 0);
        }
        t->expected[1][t->expected_count[1] - 1] += t->in[1][i];
    }
    gpi_self_test_expect_count(t, 2, 0);
    memset(&d, 0, sizeof d);
    d.keys = t->in_buffer[0];
    d.in = t->in_buffer[1];
    d.keys_out = t->out_buffer[0];
    d.out = t->out_buffer[1];
    d.count_out = t->out_buffer[2];
    d.count = t->count;
    d.key_type = d.type = d.out_type = GP_U32;
    d.op = GP_SUM;
    d.strategy = t->strategy;
    return result == GP_OK ? gp_reduce_by_key(t->gp, &d) : result;
}

/* ------------------------------------------------------------------ nests */

/* Turns the first input into random codes of brackets, nested some hundred deep. Computes the expected match, parent and
   depth. */
static void gpi_self_test_nest(gpi_self_test *t)
{
    uint32_t *match = t->expected[0], *stack = (uint32_t *)t->order, height = 0, i;
    for (i = 0; i < t->count; i++) {
        const uint32_t code = t->in[0][i] % 3; /* 0: closer; 1: other; 2: opener */
        t->in[0][i] = code - 1;
        gpi_self_test_expect(t, 0, UINT32_MAX);
        gpi_self_test_expect(t, 1, height > 0 ? stack[height - 1] : UINT32_MAX);
        gpi_self_test_expect(t, 2, height);
        if (code == 2) stack[height++] = i;
        if (code != 0 || height == 0) continue;
        match[i] = stack[--height];
        match[match[i]] = i;
    }
}

static gp_result gpi_self_test_brackets(gpi_self_test *t)
{
    gp_result result;
    gp_brackets_desc d;
    gpi_self_test_nest(t);
    result = gpi_self_test_upload(t);
    memset(&d, 0, sizeof d);
    d.in = t->in_buffer[0];
    d.count = t->count;
    d.type = GP_I32;
    d.match = t->out_buffer[0];
    d.parent = t->out_buffer[1];
    d.depth = t->out_buffer[2];
    d.strategy = t->strategy;
    return result == GP_OK ? gp_brackets(t->gp, &d) : result;
}

/* Scans stacks with sums: an opener adds its value, and its closer subtracts it. */
static gp_result gpi_self_test_stack_scan(gpi_self_test *t)
{
    gp_result result;
    gp_stack_scan_desc d;
    uint32_t sum = 0;
    size_t i;
    gpi_self_test_nest(t);
    result = gpi_self_test_upload(t);
    for (i = 0; i < t->count; i++) {
        const uint32_t code = t->in[0][i], match = t->expected[0][i];
        if (code == 1) sum += t->in[1][i];
        else if (match != UINT32_MAX) sum -= t->in[1][match];
        t->expected[0][i] = sum;
    }
    t->expected_count[1] = t->expected_count[2] = 0;
    memset(&d, 0, sizeof d);
    d.in = t->in_buffer[0];
    d.values = t->in_buffer[1];
    d.out = t->out_buffer[0];
    d.count = t->count;
    d.type = GP_I32;
    d.value_type = GP_U32;
    d.op = GP_SUM;
    return result == GP_OK ? gp_stack_scan(t->gp, &d) : result;
}

/* Builds a tree from the parents in the random nest. */
static gp_result gpi_self_test_tree(gpi_self_test *t)
{
    uint32_t *index = t->expected[0], *children = t->expected[1], *end = t->expected[2], roots = 0;
    gp_result result;
    gp_tree_desc d;
    size_t i;
    gpi_self_test_nest(t);
    memcpy(t->in[0], t->expected[1], t->count * 4);
    result = gpi_self_test_upload(t);
    for (i = 0; i < t->count; i++) {
        const uint32_t parent = t->in[0][i];
        index[i] = parent == UINT32_MAX ? roots++ : children[parent]++;
        children[i] = 0;
        end[i] = (uint32_t)i + 1;
    }
    for (i = t->count; i-- > 0;) {
        const uint32_t parent = t->in[0][i];
        if (parent != UINT32_MAX && end[parent] < end[i]) end[parent] = end[i];
    }
    memset(&d, 0, sizeof d);
    d.parent = t->in_buffer[0];
    d.count = t->count;
    d.index = t->out_buffer[0];
    d.children = t->out_buffer[1];
    d.end = t->out_buffer[2];
    return result == GP_OK ? gp_tree(t->gp, &d) : result;
}

/* ------------------------------------------------------------------ maps */

/* Transforms with two arguments: a value, and a buffer. */
static gp_result gpi_self_test_transform(gpi_self_test *t)
{
    const uint32_t factor = 3;
    gp_result result = gpi_self_test_upload(t);
    gp_transform_desc d;
    gp_arg args[2];
    size_t i;
    memset(args, 0, sizeof args);
    args[0].name = "factor";
    args[0].type = GP_U32;
    args[0].value = &factor;
    args[1].name = "other";
    args[1].type = GP_U32;
    args[1].buffer = t->in_buffer[1];
    for (i = 0; i < t->count; i++) gpi_self_test_expect(t, 0, t->in[0][i] * 3 + t->in[1][i] - (uint32_t)i);
    memset(&d, 0, sizeof d);
    d.in = t->in_buffer[0];
    d.out = t->out_buffer[0];
    d.type = GP_U32;
    d.map = "x * factor + other[i] - (uint)i";
    d.args = args;
    d.arg_count = 2;
    d.count = t->count;
    return result == GP_OK ? gp_transform(t->gp, &d) : result;
}

static gp_result gpi_self_test_gather(gpi_self_test *t)
{
    gp_result result;
    gp_gather_desc d;
    size_t i;
    for (i = 0; i < t->count; i++) {
        t->in[1][i] %= (uint32_t)t->count;
        gpi_self_test_expect(t, 0, t->in[0][t->in[1][i]]);
    }
    result = gpi_self_test_upload(t);
    memset(&d, 0, sizeof d);
    d.in = t->in_buffer[0];
    d.indices = t->in_buffer[1];
    d.out = t->out_buffer[0];
    d.element_size = 4;
    d.limit = d.count = t->count;
    return result == GP_OK ? gp_gather(t->gp, &d) : result;
}

/* Transposes a nearly square matrix, which is a part of the input. */
static gp_result gpi_self_test_transpose(gpi_self_test *t)
{
    const gp_result result = gpi_self_test_upload(t);
    gp_transpose_desc d;
    size_t r, c;
    memset(&d, 0, sizeof d);
    d.in = t->in_buffer[0];
    d.out = t->out_buffer[0];
    d.element_size = 4;
    while ((d.columns + 2) * (d.columns + 2) <= t->count) d.columns++;
    d.in_stride = d.columns + 1;
    d.rows = d.columns + 1;
    for (c = 0; c < d.columns; c++)
        for (r = 0; r < d.rows; r++) gpi_self_test_expect(t, 0, t->in[0][r * d.in_stride + c]);
    return result == GP_OK ? gp_transpose(t->gp, &d) : result;
}

/* Computes in[i-1] + 2 in[i] + in[i+1] in floats, which are exact here. */
static gp_result gpi_self_test_stencil(gpi_self_test *t)
{
    const float weights[3] = {1, 2, 1};
    const uint32_t *in = t->in[0];
    gp_result result;
    gp_stencil_desc d;
    size_t i;
    gpi_self_test_mask(t, 0xfffff);
    memcpy(t->in[1], weights, sizeof weights);
    result = gpi_self_test_upload(t);
    for (i = 0; i < t->count; i++)
        gpi_self_test_expect(t, 0, in[i > 0 ? i - 1 : 0] + 2 * in[i] + in[i + 1 < t->count ? i + 1 : i]);
    memset(&d, 0, sizeof d);
    d.in = t->in_buffer[0];
    d.out = t->out_buffer[0];
    d.type = GP_U32;
    d.width = t->count;
    d.radius_x = 1;
    d.weights = t->in_buffer[1];
    return result == GP_OK ? gp_stencil(t->gp, &d) : result;
}

/* Computes a block of four words: Philox4x32-10 with the key (seed, 0) and the counter (block, 0, 0, 0). */
static void gpi_self_test_philox(uint32_t seed, uint32_t block, uint32_t out[4])
{
    uint32_t key = seed, weyl = 0;
    int round;
    memset(out, 0, 16);
    out[0] = block;
    for (round = 0; round < 10; round++) {
        const uint64_t p = (uint64_t)out[0] * 0xd2511f53u, q = (uint64_t)out[2] * 0xcd9e8d57u;
        out[0] = (uint32_t)(q >> 32) ^ out[1] ^ key;
        out[1] = (uint32_t)q;
        out[2] = (uint32_t)(p >> 32) ^ out[3] ^ weyl;
        out[3] = (uint32_t)p;
        key += 0x9e3779b9u;
        weyl += 0xbb67ae85u;
    }
}

static gp_result gpi_self_test_random(gpi_self_test *t)
{
    gp_random_desc d;
    uint32_t words[4];
    size_t i;
    memset(&d, 0, sizeof d);
    d.out = t->out_buffer[0];
    d.type = GP_U32;
    d.seed = 7;
    d.count = t->count;
    for (i = 0; i < t->count; i++) {
        if (i % 4 == 0) gpi_self_test_philox((uint32_t)d.seed, (uint32_t)(i / 4), words);
        gpi_self_test_expect(t, 0, words[i % 4]);
    }
    return gp_random(t->gp, &d);
}
