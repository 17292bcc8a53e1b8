/* bench_join.c - gpbench join: each row of one table finds the row of another one that has its key. The
   second table's keys are there once, all keys are found, and what is wanted is a column of the second
   table for each row of the first. Each run makes the hash table anew. */
#include <stdio.h>
#include <string.h>

#include "../harness/data.h"
#include "hash_published.h"

/* Of the case. */
static struct {
    gp_hash table;
    cl_mem rows, found; /* row numbers: of the second table, and those that were found */
    cl_mem lefts;       /* of the first table, for each pair */
} own;

static bool done(bench_case *c, bench_variant *v, gp_result r)
{
    if (r == GP_OK) r = gp_finish(c->b->gp);
    return r == GP_OK || bench_fail_gp(c, v, r);
}

static gp_result look_up(bench_case *c, cl_mem values, size_t values_offset, cl_mem out)
{
    gp_context *gp = c->b->gp;
    const gp_hash_clear_desc clear = {0};
    const gp_hash_insert_desc insert = {
        .keys = c->work.in2, .values = values, .values_offset = values_offset, .count = c->work.k};
    const gp_hash_find_desc find = {.keys = c->work.in, .values = out, .count = c->work.n};
    gp_result r = gp_hash_clear(gp, own.table, &clear);
    if (r == GP_OK) r = gp_hash_insert(gp, own.table, &insert);
    return r == GP_OK ? gp_hash_find(gp, own.table, &find) : r;
}

/* Gathers a column of the second table by the rows that were found. */
static gp_result gather(bench_case *c)
{
    const gp_gather_desc gather = {.in = c->work.in2,
                                   .in_offset = c->work.k,
                                   .out = c->work.out,
                                   .indices = own.found,
                                   .element_size = 4,
                                   .limit = c->work.k,
                                   .count = c->work.n};
    return gp_gather(c->b->gp, &gather);
}

/* Any number of columns could be gathered by one search. */
static bool run_gather(bench_case *c, bench_variant *v)
{
    const gp_iota_desc iota = {.out = own.rows, .type = GP_U32, .count = c->work.k};
    gp_result r = gp_iota(c->b->gp, &iota);
    if (r == GP_OK) r = look_up(c, own.rows, 0, own.found);
    return done(c, v, r == GP_OK ? gather(c) : r);
}

/* The column itself is in the hash table. */
static bool run_column(bench_case *c, bench_variant *v)
{
    return done(c, v, look_up(c, c->work.in2, c->work.k, c->work.out));
}

/* All pairs, however often keys occur. */
static bool run_join(bench_case *c, bench_variant *v)
{
    const gp_key_column left = {.in = c->work.in, .type = GP_U32},
                        right = {.in = c->work.in2, .type = GP_U32};
    const gp_join_desc join = {.left = &left,
                               .right = &right,
                               .column_count = 1,
                               .left_out = own.lefts,
                               .right_out = own.found,
                               .capacity = c->work.n,
                               .left_count = c->work.n,
                               .right_count = c->work.k};
    uint64_t pairs;
    gp_result r = gp_join_read(c->b->gp, &join, &pairs);
    return done(c, v, r == GP_OK ? gather(c) : r);
}

static bool check(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, c->work.n);
}

static void fill(bench_case *c)
{
    const size_t k = c->work.k;
    uint32_t *keys = c->in.host, *keys2 = c->in2.host, *column = keys2 + k, *expected = c->expected;
    for (size_t i = 0; i < k; i++) {
        keys2[i] = bench_hash_key((uint32_t)i);
        column[i] = (uint32_t)(3 * i);
    }
    for (size_t i = 0; i < c->work.n; i++) {
        const uint32_t row = bench_hash_key((uint32_t)(i + k)) % (uint32_t)k;
        keys[i] = keys2[row];
        expected[i] = column[row];
    }
}

static bool open_own(const bench_case *c)
{
    gp_context *gp = c->b->gp;
    const gp_hash_desc table = {.key_size = 4, .value_size = 4, .expected_count = c->work.k};
    return gp_hash_create(gp, &table, &own.table) == GP_OK &&
           gp_buffer_create(gp, 4 * c->work.k, NULL, &own.rows) == GP_OK &&
           gp_buffer_create(gp, 4 * c->work.n, NULL, &own.found) == GP_OK &&
           gp_buffer_create(gp, 4 * c->work.n, NULL, &own.lefts) == GP_OK;
}

static void close_own(const bench_case *c)
{
    if (own.table.id) gp_hash_destroy(c->b->gp, own.table);
    if (own.rows) clReleaseMemObject(own.rows);
    if (own.found) clReleaseMemObject(own.found);
    if (own.lefts) clReleaseMemObject(own.lefts);
    memset(&own, 0, sizeof own);
}

static void add(bench_case *c, const char *name, bool (*run)(bench_case *, bench_variant *))
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "%s", name);
    v->run = run;
    v->check = check;
    v->out_bytes = 4 * c->work.n;
}

/* A table of n rows with one of k. */
static void join(bench *b, size_t n, size_t k)
{
    char name[BENCH_NAME_MAX + 16], count[32];
    bench_case c;
    const bench_case_desc desc = {.name = name,
                                  .primitive = BENCH_JOIN,
                                  .type = GP_U32,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = 4 * n,
                                  .expected_bytes = 4 * n,
                                  .bytes = 8.0 * (double)(n + k),
                                  .second_input = true};
    snprintf(name, sizeof name, "join, %s rows", report_count(k, count));
    if (!bench_case_open(b, &c, &desc)) return;
    c.work.k = k;
    fill(&c);
    if (open_own(&c)) {
        bench_case_upload(&c, &c.in);
        bench_case_upload(&c, &c.in2);
        add(&c, "gpuprim", run_gather);
        add(&c, "gpuprim:column", run_column);
        add(&c, "gpuprim:join", run_join);
        bench_add_peers(&c, check, 4 * n);
        bench_case_run(&c);
    } else {
        report_failure(b, &desc, "not enough memory");
    }
    close_own(&c);
    bench_case_close(&c);
}

/* With a small table, and with a large one. */
void bench_join(bench *b)
{
    const size_t asked = b->options.n ? b->options.n : (size_t)1 << 24, n = asked < 2 ? 2 : asked;
    const size_t most = (size_t)1 << 20;
    join(b, n, n / 2 < 1024 ? n / 2 : 1024);
    if (n >= 4096) join(b, n, n / 4 < most ? n / 4 : most);
}
