/* bench_select.c - gpbench select, unique, rle: elements brought together, by how many of them are kept and
   how long runs are, against the fastest copy of the input. */
#include "../harness/bench.h"
#include "../harness/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ what is to come out */

/* Elements, and behind room for n of them what else there is: the rest of a partition, lengths of runs.
   Sizes of both parts in elements. */
typedef struct packed {
    size_t first, second;
} packed;

static packed expected_of;

static packed expect_select(bench_case *c, bool partition)
{
    const uint32_t *in = c->in.host;
    uint32_t *out = c->expected;
    packed p = {0, 0};
    for (size_t i = 0; i < c->work.n; i++) {
        if (in[i] < c->work.k) out[p.first++] = in[i];
        else if (partition) out[c->work.n + p.second++] = in[i];
    }
    return p;
}

static packed expect_runs(bench_case *c, bool lengths)
{
    const uint32_t *in = c->in.host;
    uint32_t *out = c->expected;
    packed p = {0, 0};
    for (size_t i = 0; i < c->work.n; i++) {
        if (i == 0 || in[i] != in[i - 1]) {
            out[p.first++] = in[i];
            out[c->work.n + p.first - 1] = 0;
        }
        out[c->work.n + p.first - 1]++;
    }
    p.second = lengths ? p.first : 0;
    return p;
}

static bool check(bench_case *c, bench_variant *v, const void *out)
{
    const uint32_t *got = out, *want = c->expected;
    const size_t n = c->work.n;
    if (memcmp(got, want, expected_of.first * 4) != 0) return bench_fail(v, "wrong elements");
    return memcmp(got + n, want + n, expected_of.second * 4) == 0 || bench_fail(v, "wrong second part");
}

/* The second part stands behind the first. */
static bool check_behind(bench_case *c, bench_variant *v, const void *out)
{
    const uint32_t *got = out, *want = c->expected;
    const size_t first = expected_of.first;
    return (memcmp(got, want, first * 4) == 0 &&
            memcmp(got + first, want + c->work.n, expected_of.second * 4) == 0) ||
           bench_fail(v, "wrong elements");
}

/* ------------------------------------------------------------------ the library's */

static bool done(bench_case *c, bench_variant *v, gp_result r)
{
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return clFinish(c->b->queue) == CL_SUCCESS || bench_fail(v, "clFinish failed");
}

static bool run_select(bench_case *c, bench_variant *v)
{
    return done(c, v, gp_select(c->b->gp, &v->with.select));
}

static bool run_partition(bench_case *c, bench_variant *v)
{
    return done(c, v, gp_partition(c->b->gp, &v->with.partition));
}

static bool run_unique(bench_case *c, bench_variant *v)
{
    return done(c, v, gp_unique(c->b->gp, &v->with.unique));
}

static bool run_rle(bench_case *c, bench_variant *v)
{
    return done(c, v, gp_run_length_encode(c->b->gp, &v->with.rle));
}

static bench_variant *add(bench_case *c, const char *name, bool (*run)(bench_case *, bench_variant *))
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "%s", name);
    v->run = run;
    v->check = check;
    v->out_bytes = 2 * c->work.n * sizeof(uint32_t);
    return v;
}

static void add_select(bench_case *c, const char *name, const char *predicate, gp_strategy strategy,
                       bool flags, bool indices)
{
    const size_t n = c->work.n;
    bench_variant *v = add(c, name, run_select);
    v->strategy = strategy == GP_STRATEGY_MULTI_PASS ? "multi-pass" : "auto";
    v->with.select = (gp_select_desc){.in = c->work.in,
                                      .out = c->work.out,
                                      .count = n,
                                      .type = GP_U32,
                                      .predicate = flags ? NULL : predicate,
                                      .flags = flags ? c->work.in2 : NULL,
                                      .indices_out = indices ? c->work.out : NULL,
                                      .indices_out_offset = n,
                                      .strategy = strategy};
}

static void add_partition(bench_case *c, const char *name, const char *predicate, bool apart)
{
    bench_variant *v = add(c, name, run_partition);
    v->with.partition = (gp_partition_desc){.in = c->work.in,
                                            .out = c->work.out,
                                            .rest = apart ? c->work.out : NULL,
                                            .rest_offset = c->work.n,
                                            .count = c->work.n,
                                            .type = GP_U32,
                                            .predicate = predicate};
    if (!apart) v->check = check_behind;
}

/* ------------------------------------------------------------------ cases */

static bool open_case(bench *b, bench_case *c, const char *name, bench_primitive primitive, size_t n)
{
    const bench_case_desc desc = {.name = name,
                                  .primitive = primitive,
                                  .type = GP_U32,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = 8 * n,
                                  .expected_bytes = 8 * n,
                                  .bytes = 8.0 * (double)n,
                                  .second_input = primitive == BENCH_SELECT};
    return bench_case_open(b, c, &desc);
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void run_case(bench_case *c)
{
    bench_case_upload(c, &c->in);
    c->word_sum = 0;
    for (size_t i = 0; i < c->in.bytes / 4; i++) c->word_sum += ((const uint32_t *)c->in.host)[i];
    bench_add_peers(c, check, 8 * c->work.n);
    bench_case_run(c);
    bench_case_close(c);
}

/* Of random elements below a million those below k, which are `share` of them. */
static void select_case(bench *b, size_t n, double share, bool partition)
{
    char name[BENCH_NAME_MAX], predicate[32];
    bench_case c;
    uint32_t state = 88172645u;
    snprintf(name, sizeof name, "%s %g %%", partition ? "partition" : "select", 100 * share);
    if (!open_case(b, &c, name, partition ? BENCH_PARTITION : BENCH_SELECT, n)) return;
    c.work.k = (size_t)(1000000 * share);
    for (size_t i = 0; i < n; i++) ((uint32_t *)c.in.host)[i] = next_random(&state) % 1000000;
    for (size_t i = 0; !partition && i < n; i++)
        ((uint8_t *)c.in2.host)[i] = ((const uint32_t *)c.in.host)[i] < c.work.k;
    if (!partition) bench_case_upload(&c, &c.in2);
    snprintf(predicate, sizeof predicate, "x < %zuu", c.work.k);
    expected_of = expect_select(&c, partition);
    if (partition) {
        add_partition(&c, "gpuprim:apart", predicate, true);
        add_partition(&c, "gpuprim:behind", predicate, false);
    } else {
        add_select(&c, "gpuprim", predicate, GP_STRATEGY_AUTO, false, false);
        add_select(&c, "gpuprim:multi-pass", predicate, GP_STRATEGY_MULTI_PASS, false, false);
        add_select(&c, "gpuprim:flags", predicate, GP_STRATEGY_AUTO, true, false);
        add_select(&c, "gpuprim:and-indices", predicate, GP_STRATEGY_AUTO, false, true);
    }
    bench_add_limits(&c, STREAM_COPY, "limit:");
    run_case(&c);
}

/* Runs of `length` elements on average; 1 and n: exactly. */
static void runs_case(bench *b, size_t n, size_t length, bool lengths)
{
    char name[BENCH_NAME_MAX];
    bench_case c;
    uint32_t state = 88172645u, key = 0;
    snprintf(name, sizeof name, "%s, runs of %zu", lengths ? "rle" : "unique", length);
    if (!open_case(b, &c, name, lengths ? BENCH_RLE : BENCH_UNIQUE, n)) return;
    for (size_t i = 0; i < n; i++) {
        key += length == 1 || (length < n && next_random(&state) % length == 0);
        ((uint32_t *)c.in.host)[i] = key;
    }
    expected_of = expect_runs(&c, lengths);
    if (lengths) {
        bench_variant *v = add(&c, "gpuprim", run_rle);
        v->with.rle = (gp_run_length_encode_desc){.in = c.work.in,
                                                  .out = c.work.out,
                                                  .lengths_out = c.work.out,
                                                  .lengths_out_offset = n,
                                                  .count = n,
                                                  .type = GP_U32};
    } else {
        bench_variant *v = add(&c, "gpuprim", run_unique);
        v->with.unique =
            (gp_unique_desc){.keys = c.work.in, .keys_out = c.work.out, .count = n, .key_type = GP_U32};
    }
    bench_add_limits(&c, STREAM_COPY, "limit:");
    run_case(&c);
}

static size_t size_of(const bench *b) { return b->options.n ? b->options.n : (size_t)1 << 24; }

void bench_select(bench *b)
{
    static const double shares[] = {0, 0.01, 0.5, 0.99, 1};
    for (int partition = 0; partition < 2; partition++)
        for (size_t k = 0; k < 5; k++) select_case(b, size_of(b), shares[k], partition);
}

void bench_unique(bench *b)
{
    const size_t n = size_of(b), lengths[] = {1, 3, 16, 1000, n};
    for (size_t k = 0; k < 5; k++) runs_case(b, n, lengths[k], false);
}

void bench_rle(bench *b)
{
    const size_t n = size_of(b), lengths[] = {1, 3, 16, 1000, n};
    for (size_t k = 0; k < 5; k++) runs_case(b, n, lengths[k], true);
}
