/* bench_group_by.c - gpbench group-by: the sum of each key's values, keys anywhere, by how many different
   ones there are; by a hash table, by a sort, and by a table of rows, against the fastest loop that reads keys and values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/data.h"
#include "hash_published.h"

/* Of the case. The table has room for the keys, as for a caller who knows about how many there are. */
static struct {
    size_t groups;
    gp_hash table;
    cl_mem live, keys, values; /* keys and values: also the order of rows, and offsets */
    cl_mem rows;
} own;

static bool done(bench_case *c, bench_variant *v, gp_result r)
{
    if (r == GP_OK) r = gp_finish(c->b->gp);
    return r == GP_OK || bench_fail_gp(c, v, r);
}

static bool run_hash(bench_case *c, bench_variant *v)
{
    gp_context *gp = c->b->gp;
    const size_t n = c->work.n;
    const gp_hash_clear_desc clear = {0};
    const gp_hash_insert_desc insert = {
        .keys = c->work.in, .values = c->work.in2, .count = n, .op = GP_SUM, .type = GP_U32};
    const gp_hash_retrieve_desc retrieve = {
        .keys = c->work.out, .values = c->work.out, .values_offset = n, .room = n, .live_count = own.live};
    gp_result r = gp_hash_clear(gp, own.table, &clear);
    if (r == GP_OK) r = gp_hash_insert_or_apply(gp, own.table, &insert);
    if (r == GP_OK) r = gp_hash_retrieve(gp, own.table, &retrieve);
    return done(c, v, r);
}

static bool run_sort(bench_case *c, bench_variant *v)
{
    const gp_sort_desc sort = {.keys = c->work.in,
                               .keys_out = own.keys,
                               .values = c->work.in2,
                               .values_out = own.values,
                               .count = c->work.n,
                               .key_type = GP_U32,
                               .value_size = 4};
    const gp_reduce_by_key_desc reduce = {.keys = own.keys,
                                          .in = own.values,
                                          .keys_out = c->work.out,
                                          .out = c->work.out,
                                          .out_offset = c->work.n,
                                          .count = c->work.n,
                                          .key_type = GP_U32,
                                          .type = GP_U32,
                                          .out_type = GP_U32,
                                          .op = GP_SUM};
    gp_result r = gp_sort(c->b->gp, &sort);
    if (r == GP_OK) r = gp_reduce_by_key(c->b->gp, &reduce);
    return done(c, v, r);
}

/* Blocks for the number of groups. */
static bool run_group_by(bench_case *c, bench_variant *v)
{
    const gp_key_column column = {.in = c->work.in, .type = GP_U32};
    const gp_arg value = {.name = "value", .type = GP_U32, .buffer = c->work.in2};
    const gp_group_result sum = {.op = GP_SUM,
                                 .map = "value[i]",
                                 .map_type = GP_U32,
                                 .out_type = GP_U32,
                                 .out = c->work.out,
                                 .out_offset = c->work.n};
    const gp_group_by_desc group = {.columns = &column,
                                    .column_count = 1,
                                    .count = c->work.n,
                                    .rows_out = own.rows,
                                    .results = &sum,
                                    .result_count = 1,
                                    .args = &value,
                                    .arg_count = 1};
    gp_gather_desc keys = {
        .in = c->work.in, .indices = own.rows, .out = c->work.out, .element_size = 4, .limit = c->work.n};
    uint64_t groups = 0;
    gp_result r = gp_group_by_read(c->b->gp, &group, &groups);
    keys.count = (size_t)groups;
    if (r == GP_OK) r = gp_gather(c->b->gp, &keys);
    return done(c, v, r);
}

/* ------------------------------------------------------------------ input, expected result */

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Any order will do. */
static bool check(bench_case *c, bench_variant *v, const void *out)
{
    const uint32_t *keys = out, *sums = keys + c->work.n;
    uint64_t *got = malloc(own.groups * sizeof *got);
    bool right = got != NULL;
    for (size_t g = 0; g < own.groups && right; g++) got[g] = (uint64_t)keys[g] << 32 | sums[g];
    if (right) qsort(got, own.groups, sizeof *got, compare);
    right = right && memcmp(got, c->expected, own.groups * sizeof *got) == 0;
    free(got);
    return right || bench_fail(v, "wrong keys or sums");
}

/* Numbers below `most`, all as often, or by Zipf's law: the k-th most frequent one in proportion to 1 / k. */
static uint32_t number_of(uint32_t i, size_t most, bool zipf)
{
    const double u = (bench_hash_key(i) + .5) / 4294967296.;
    const size_t number = (size_t)(zipf ? pow((double)most + 1, u) - 1 : u * (double)most);
    return (uint32_t)(number < most ? number : most - 1);
}

static bool fill(bench_case *c, size_t most, bool zipf)
{
    uint32_t *keys = c->in.host, *values = c->in2.host, *sums = calloc(most, sizeof *sums);
    uint64_t *expected = c->expected;
    own.groups = 0;
    c->word_sum = 0;
    for (size_t i = 0; i < c->work.n && sums; i++) {
        const uint32_t number = number_of((uint32_t)i, most, zipf);
        keys[i] = bench_hash_key(number);
        values[i] = 1 + (uint32_t)i % 16;
        sums[number] += values[i];
        c->word_sum += keys[i];
    }
    for (size_t number = 0; number < most && sums; number++)
        if (sums[number] != 0)
            expected[own.groups++] = (uint64_t)bench_hash_key((uint32_t)number) << 32 | sums[number];
    qsort(expected, own.groups, sizeof *expected, compare);
    free(sums);
    return sums != NULL;
}

/* ------------------------------------------------------------------ cases */

static bool open_own(const bench_case *c)
{
    gp_context *gp = c->b->gp;
    const gp_hash_desc table = {.key_size = 4, .value_size = 4, .expected_count = own.groups};
    return gp_hash_create(gp, &table, &own.table) == GP_OK &&
           gp_buffer_create(gp, 4, NULL, &own.live) == GP_OK &&
           gp_buffer_create(gp, 4 * c->work.n, NULL, &own.keys) == GP_OK &&
           gp_buffer_create(gp, 4 * c->work.n, NULL, &own.rows) == GP_OK &&
           gp_buffer_create(gp, 4 * c->work.n + 4, NULL, &own.values) == GP_OK;
}

static void close_own(const bench_case *c)
{
    const cl_mem all[] = {own.live, own.keys, own.values, own.rows};
    if (own.table.id) gp_hash_destroy(c->b->gp, own.table);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) clReleaseMemObject(all[i]);
    memset(&own, 0, sizeof own);
}

static void add(bench_case *c, const char *name, bool (*run)(bench_case *, bench_variant *))
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "%s", name);
    v->run = run;
    v->check = check;
    v->out_bytes = 8 * c->work.n;
}

static void group_by(bench *b, size_t n, size_t most, bool zipf)
{
    char name[BENCH_NAME_MAX + 16], count[32];
    bench_case c;
    const bench_case_desc desc = {.name = name,
                                  .primitive = BENCH_GROUP_BY,
                                  .type = GP_U32,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = 8 * n,
                                  .expected_bytes = 8 * (most < n ? most : n),
                                  .bytes = 8.0 * (double)n,
                                  .second_input = true};
    snprintf(name, sizeof name, "group by, %s keys%s", report_count(most, count), zipf ? ", zipf" : "");
    if (!bench_case_open(b, &c, &desc)) return;
    if (fill(&c, most, zipf) && open_own(&c)) {
        bench_case_upload(&c, &c.in);
        bench_case_upload(&c, &c.in2);
        add(&c, "gpuprim", run_hash);
        add(&c, "gpuprim:sort", run_sort);
        add(&c, "gpuprim:group_by", run_group_by);
        bench_add_limits(&c, STREAM_READ2, "limit:");
        bench_add_peers(&c, check, 8 * n);
        bench_case_run(&c);
    } else {
        report_failure(b, &desc, "not enough memory");
    }
    close_own(&c);
    bench_case_close(&c);
}

void bench_group_by(bench *b)
{
    const size_t n = b->options.n ? b->options.n : (size_t)1 << 24;
    group_by(b, n, 64, false);
    group_by(b, n, (size_t)1 << 10, false);
    group_by(b, n, (size_t)1 << 20, false);
    group_by(b, n, (size_t)1 << 20, true);
}
