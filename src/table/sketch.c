/* sketch.c - gp_bloom_... and gp_hyperloglog_...: sketches of sets of keys. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "runtime/tuning.h"
#include "program/program.h"
#include "table/table.h"

#include <string.h>

enum { GPI_BLOCK_BYTES = 32, GPI_PRECISION_MIN = 4, GPI_PRECISION_MAX = 18, GPI_RANKS = 65 };

/* A checked call on the keys of rows. */
typedef struct gpi_sketch {
    gpi_keys keys;
    gpi_count count;
    gpi_plan plan;
    gpi_program *program;
} gpi_sketch;

/* ------------------------------------------------------------------ keys of rows */

static void gpi_sketch_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                               gpi_text *text)
{
    gpi_prelude_plan(gp, plan, text);
    gpi_keys_prelude((const gpi_keys *)description, text);
}

/* Plans a call on s->count rows. */
static gp_result gpi_sketch_plan(gp_context *gp, gpi_primitive primitive, const gp_key_column *columns,
                                 size_t column_count, uint64_t seed, gpi_sketch *s)
{
    gp_result result = gpi_rows_check_count(gp, "count", s->count.bound);
    if (result == GP_OK) result = gpi_keys_make(gp, "columns", columns, column_count, &s->keys);
    if (result == GP_OK) result = gpi_plan_make_sized(gp, primitive, 4, GP_STRATEGY_MULTI_PASS, &s->plan);
    if (result == GP_OK)
        result = gpi_program_get(gp, primitive, gpi_sketch_prelude, &s->keys, &s->plan, &s->program);
    s->keys.seed = gpi_keys_mix_seed(seed);
    return result;
}

/* Passes the arguments after those of the sketch itself, and launches the kernel. */
static gp_result gpi_sketch_launch(gpi_call *call, const gpi_sketch *s)
{
    size_t groups;
    gpi_rows_arg_longest(call, &s->plan);
    groups = gpi_rows_arg_span(call, &s->plan, s->count.bound);
    gpi_call_arg_count(call, &s->count);
    gpi_call_arg_uint(call, (size_t)call->gp->stats.launches + 1); /* other launches have other numbers */
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &s->plan, groups);
}

/* ------------------------------------------------------------------ Bloom filter */

static gp_result gpi_bloom_plan(gp_context *gp, const gp_bloom_desc *d, gpi_sketch *s)
{
    memset(s, 0, sizeof *s);
    s->count = gpi_count_make(d->count, d->count_buffer, d->count_offset, d->count_type);
    if (d->block_count == 0 || d->block_count > INT32_MAX) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "block_count = %zu, must be 1 to 2^31 - 1",
                        d->block_count);
    }
    return gpi_sketch_plan(gp, GPI_BLOOM, d->columns, d->column_count, d->seed, s);
}

static gp_result gpi_bloom_check(gp_context *gp, const gp_bloom_desc *d, const gpi_sketch *s, bool finds)
{
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, GP_OK);
    gpi_use_keys(&uses, &s->keys, d->count);
    gpi_use_count(&uses, "count_buffer", &s->count);
    gpi_use_buffer(&uses, "filter", d->filter, d->filter_offset, d->block_count, GPI_BLOCK_BYTES,
                   finds ? GPI_READS : GPI_BOTH);
    if (finds) gpi_use_buffer(&uses, "found", d->found, d->found_offset, d->count, 1, GPI_WRITES);
    return gpi_uses_end(&uses, NULL, NULL, 0);
}

static gp_result gpi_bloom_launch(gpi_call *call, const gp_bloom_desc *d, const gpi_sketch *s, bool finds)
{
    gpi_call_kernel(call, s->program, finds ? "gp_bloom_find" : "gp_bloom_put");
    gpi_call_arg_keys(call, &s->keys);
    gpi_call_arg_array(call, d->filter, d->filter_offset);
    gpi_call_arg_ulong(call, d->block_count);
    if (finds) gpi_call_arg_array(call, d->found, d->found_offset);
    return gpi_sketch_launch(call, s);
}

static gp_result gpi_bloom_call(gp_context *gp, const gp_bloom_desc *desc, bool finds)
{
    gpi_sketch s;
    gpi_call call;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    if (!finds && desc->found)
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "found is given: it is gp_bloom_contains's");
    result = gpi_bloom_plan(gp, desc, &s);
    if (result == GP_OK && desc->count) result = gpi_bloom_check(gp, desc, &s, finds);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK && desc->count) result = gpi_bloom_launch(&call, desc, &s, finds);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_bloom_add(gp_context *gp, const gp_bloom_desc *desc)
{
    return gpi_bloom_call(gpi_enter(gp, __func__), desc, false);
}

GP_API gp_result gp_bloom_contains(gp_context *gp, const gp_bloom_desc *desc)
{
    return gpi_bloom_call(gpi_enter(gp, __func__), desc, true);
}

/* Returns the fraction of other keys that are found if blocks have `load` keys on average. How many a block has follows Poisson's
   distribution, whose terms are computed from the most frequent one on, since the first ones may be too small for a double. */
static double gpi_bloom_rate(double load)
{
    const size_t middle = (size_t)load;
    double sum = 0, found = 0, term = 1, middle_unset = 1, unset, set;
    size_t i;
    for (i = 0; i < middle; i++) middle_unset *= 31. / 32;
    unset = middle_unset; /* the probability that i keys leave a bit of a word unset */
    for (i = middle; term > 1e-18; i++) {
        set = (1 - unset) * (1 - unset);
        set *= set;
        sum += term;
        found += term * set * set;
        unset *= 31. / 32;
        term *= load / (double)(i + 1);
    }
    unset = middle_unset;
    term = 1;
    for (i = middle; i > 0 && term > 1e-18; i--) {
        term *= (double)i / load;
        unset *= 32. / 31;
        set = (1 - unset) * (1 - unset);
        set *= set;
        sum += term;
        found += term * set * set;
    }
    return found / sum;
}

/* Returns whether so many blocks suffice. With more than 4096 keys each, all bits are set. */
static bool gpi_bloom_suffices(size_t blocks, size_t count, double rate)
{
    const double load = (double)count / (double)blocks;
    return load <= 4096 && gpi_bloom_rate(load) <= rate;
}

GP_API size_t gp_bloom_blocks(size_t count, double rate)
{
    size_t low = 0, high = 1; /* low: too few */
    if (!(rate > 0 && rate < 1)) return 0;
    while (high < INT32_MAX && !gpi_bloom_suffices(high, count, rate)) {
        low = high;
        high = high < INT32_MAX / 2 ? 2 * high : INT32_MAX;
    }
    if (!gpi_bloom_suffices(high, count, rate)) return 0;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (gpi_bloom_suffices(middle, count, rate)) high = middle;
        else low = middle;
    }
    return high;
}

/* Adds and looks up one key of zeros, in temporary buffers. */
static gp_result gpi_bloom_warm_up(gp_context *gp, const gp_bloom_desc *desc)
{
    gp_key_column columns[GP_KEY_COLUMNS_MAX];
    gp_bloom_desc probe = *desc;
    gpi_sketch s;
    cl_mem in = NULL, out[2] = {NULL, NULL};
    gp_result result;
    probe.block_count = probe.count = 1;
    probe.count_buffer = probe.found = NULL;
    probe.wait = NULL;
    probe.wait_count = 0;
    probe.done = NULL;
    probe.filter_offset = probe.found_offset = 0;
    result = gpi_bloom_plan(gp, &probe, &s);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, 2 * GP_RECORD_BYTES, &in);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, GPI_BLOCK_BYTES, &out[0]);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, GPI_BLOCK_BYTES, &out[1]);
    if (result == GP_OK) gpi_keys_warm_up(&s.keys, in, columns);
    probe.columns = columns;
    probe.filter = out[0];
    if (result == GP_OK) result = gp_bloom_add(gp, &probe);
    probe.found = out[1];
    if (result == GP_OK) result = gp_bloom_contains(gp, &probe);
    if (in) (void)clReleaseMemObject(in);
    if (out[0]) (void)clReleaseMemObject(out[0]);
    if (out[1]) (void)clReleaseMemObject(out[1]);
    return result;
}

/* ------------------------------------------------------------------ HyperLogLog */

static gp_result gpi_hyperloglog_check_precision(gp_context *gp, size_t precision)
{
    if (precision >= GPI_PRECISION_MIN && precision <= GPI_PRECISION_MAX) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "precision = %zu, must be %d to %d", precision,
                    (int)GPI_PRECISION_MIN, (int)GPI_PRECISION_MAX);
}

static gp_result gpi_hyperloglog_plan(gp_context *gp, const gp_hyperloglog_desc *d, gpi_sketch *s)
{
    const gp_result result = gpi_hyperloglog_check_precision(gp, d->precision);
    memset(s, 0, sizeof *s);
    s->count = gpi_count_make(d->count, d->count_buffer, d->count_offset, d->count_type);
    if (result != GP_OK) return result;
    return gpi_sketch_plan(gp, GPI_HYPERLOGLOG, d->columns, d->column_count, d->seed, s);
}

static gp_result gpi_hyperloglog_check(gp_context *gp, const gp_hyperloglog_desc *d, const gpi_sketch *s)
{
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, GP_OK);
    gpi_use_keys(&uses, &s->keys, d->count);
    gpi_use_count(&uses, "count_buffer", &s->count);
    gpi_use_buffer(&uses, "registers", d->registers, d->registers_offset, (size_t)1 << d->precision, 4,
                   GPI_BOTH);
    return gpi_uses_end(&uses, NULL, NULL, 0);
}

GP_API gp_result gp_hyperloglog_add(gp_context *gp, const gp_hyperloglog_desc *desc)
{
    gpi_sketch s;
    gpi_call call;
    gp_result result;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    result = gpi_hyperloglog_plan(gp, desc, &s);
    if (result == GP_OK && desc->count) result = gpi_hyperloglog_check(gp, desc, &s);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK && desc->count) {
        gpi_call_kernel(&call, s.program, "gp_hyperloglog_put");
        gpi_call_arg_keys(&call, &s.keys);
        gpi_call_arg_array(&call, desc->registers, desc->registers_offset);
        gpi_call_arg_uint(&call, desc->precision);
        result = gpi_sketch_launch(&call, &s);
    }
    return gpi_call_end(&call, result);
}

/* Returns the sum of x^(2^k) 2^(k-1) over all k from 0 on, with x itself in place of the first term. */
static double gpi_hyperloglog_sigma(double x)
{
    double y = 1, z = x, before = -1;
    while (z > before) {
        before = z;
        x *= x;
        z += x * y;
        y += y;
    }
    return z;
}

/* Returns Ertl's estimate from how many registers have each value. */
static double gpi_hyperloglog_estimate_of(const size_t *counts, size_t precision)
{
    const double m = (double)((size_t)1 << precision), two_ln2 = 1.3862943611198906;
    double z = 0;
    size_t k;
    if (counts[0] == (size_t)1 << precision) return 0;
    for (k = 65 - precision; k > 0; k--) z = (z + (double)counts[k]) / 2;
    z += m * gpi_hyperloglog_sigma((double)counts[0] / m);
    return m / two_ln2 * m / z;
}

GP_API gp_result gp_hyperloglog_estimate(gp_context *gp, const gp_hyperloglog_desc *desc, double *estimate)
{
    size_t counts[GPI_RANKS + 1], n, i;
    cl_uint *registers = NULL;
    gpi_uses uses;
    gpi_call call;
    gp_result result;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc || !estimate)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or estimate is NULL");
    gpi_uses_begin(&uses, gp, gpi_hyperloglog_check_precision(gp, desc->precision));
    n = (size_t)1 << (desc->precision & 31);
    gpi_use_buffer(&uses, "registers", desc->registers, desc->registers_offset, n, 4, GPI_READS);
    result = gpi_uses_end(&uses, NULL, NULL, 0);
    if (result != GP_OK) return result;
    registers = (cl_uint *)malloc(n * sizeof *registers);
    if (!registers) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%zu bytes", n * sizeof *registers);
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK)
        result = gpi_call_read(&call, desc->registers, 4 * desc->registers_offset, n * sizeof *registers,
                               registers);
    result = gpi_call_end(&call, result);
    memset(counts, 0, sizeof counts);
    for (i = 0; i < n && result == GP_OK; i++) {
        const cl_uint most = (cl_uint)(65 - desc->precision);
        counts[registers[i] < most ? registers[i] : most]++;
    }
    if (result == GP_OK) *estimate = gpi_hyperloglog_estimate_of(counts, desc->precision);
    free(registers);
    return result;
}

/* Adds one key of zeros, in temporary buffers. */
static gp_result gpi_hyperloglog_warm_up(gp_context *gp, const gp_hyperloglog_desc *desc)
{
    gp_key_column columns[GP_KEY_COLUMNS_MAX];
    gp_hyperloglog_desc probe;
    gpi_sketch s;
    cl_mem in = NULL, out = NULL;
    gp_result result;
    memset(&probe, 0, sizeof probe);
    probe.columns = desc->columns;
    probe.column_count = desc->column_count;
    probe.precision = GPI_PRECISION_MIN;
    probe.count = 1;
    result = gpi_hyperloglog_plan(gp, &probe, &s);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, 2 * GP_RECORD_BYTES, &in);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, 4 << GPI_PRECISION_MIN, &out);
    if (result == GP_OK) gpi_keys_warm_up(&s.keys, in, columns);
    probe.columns = columns;
    probe.registers = out;
    if (result == GP_OK) result = gp_hyperloglog_add(gp, &probe);
    if (in) (void)clReleaseMemObject(in);
    if (out) (void)clReleaseMemObject(out);
    return result;
}
