/* bench_by_key.c - gpbench by-key: runs of equal keys reduced, by how long they are; the same with the runs
 * given as offsets, against the fastest loop that reads keys and values. */
#include "../harness/bench.h"
#include "../harness/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t runs; /* of the case */

static bool done(bench_case *c, bench_variant *v, gp_result r)
{
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return clFinish(c->b->queue) == CL_SUCCESS || bench_fail(v, "clFinish failed");
}

static bool run_by_key(bench_case *c, bench_variant *v)
{
    return done(c, v, gp_reduce_by_key(c->b->gp, &v->with.reduce_by_key));
}

static bool run_segmented(bench_case *c, bench_variant *v)
{
    return done(c, v, gp_segmented_reduce(c->b->gp, &v->with.segmented_reduce));
}

static bool check_sums(bench_case *c, bench_variant *v, const void *out)
{
    const size_t n = c->work.n;
    const uint32_t *got = out, *want = c->expected;
    return memcmp(got + n, want + n, runs * 4) == 0 || bench_fail(v, "wrong sums");
}

static bool check(bench_case *c, bench_variant *v, const void *out)
{
    return (memcmp(out, c->expected, runs * 4) == 0 || bench_fail(v, "wrong keys")) && check_sums(c, v, out);
}

static bench_variant *add(bench_case *c, const char *name, bool (*run)(bench_case *, bench_variant *))
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "%s", name);
    v->run = run;
    v->check = check;
    v->out_bytes = 8 * c->work.n;
    return v;
}

static void add_by_key(bench_case *c, const char *name, gp_strategy strategy)
{
    bench_variant *v = add(c, name, run_by_key);
    v->strategy = strategy == GP_STRATEGY_MULTI_PASS ? "multi-pass" : "auto";
    v->with.reduce_by_key = (gp_reduce_by_key_desc){.keys = c->work.in,
                                                    .in = c->work.in2,
                                                    .keys_out = c->work.out,
                                                    .out = c->work.out,
                                                    .out_offset = c->work.n,
                                                    .count = c->work.n,
                                                    .key_type = GP_U32,
                                                    .type = GP_U32,
                                                    .out_type = GP_U32,
                                                    .op = GP_SUM,
                                                    .strategy = strategy};
}

static void add_segmented(bench_case *c, cl_mem offsets)
{
    bench_variant *v = add(c, "gpuprim:segmented", run_segmented);
    v->check = check_sums;
    v->with.segmented_reduce = (gp_segmented_reduce_desc){.in = c->work.in2,
                                                          .count = c->work.n,
                                                          .offsets = offsets,
                                                          .offsets_type = GP_U32,
                                                          .segment_count = runs,
                                                          .out = c->work.out,
                                                          .out_offset = c->work.n,
                                                          .type = GP_U32,
                                                          .out_type = GP_U32,
                                                          .op = GP_SUM};
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Keys in runs of `length` on average (1 and n: exactly), values, what is to come out, and where runs begin. */
static void fill(bench_case *c, size_t length, uint32_t *offsets)
{
    const size_t n = c->work.n;
    uint32_t state = 88172645u, key = 0, *keys = c->in.host, *values = c->in2.host, *expected = c->expected;
    runs = 0;
    for (size_t i = 0; i < n; i++) {
        const bool begins = i == 0 || length == 1 || (length < n && next_random(&state) % length == 0);
        key += begins;
        keys[i] = key;
        values[i] = next_random(&state) % 1000;
        if (begins) {
            expected[runs] = key;
            expected[n + runs] = 0;
            offsets[runs++] = (uint32_t)i;
        }
        expected[n + runs - 1] += values[i];
    }
    offsets[runs] = (uint32_t)n;
    c->word_sum = 0;
    for (size_t i = 0; i < n; i++) c->word_sum += keys[i];
}

static void by_key_case(bench *b, size_t n, size_t length)
{
    char name[BENCH_NAME_MAX];
    bench_case c;
    cl_mem offsets = NULL;
    uint32_t *starts = malloc((n + 1) * sizeof *starts);
    snprintf(name, sizeof name, "by key, runs of %zu", length);
    const bench_case_desc desc = {.name = name,
                                  .primitive = BENCH_BY_KEY,
                                  .type = GP_U32,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = 8 * n,
                                  .expected_bytes = 8 * n,
                                  .bytes = 8.0 * (double)n,
                                  .second_input = true};
    if (starts && bench_case_open(b, &c, &desc)) {
        fill(&c, length, starts);
        bench_case_upload(&c, &c.in);
        bench_case_upload(&c, &c.in2);
        add_by_key(&c, "gpuprim", GP_STRATEGY_AUTO);
        add_by_key(&c, "gpuprim:multi-pass", GP_STRATEGY_MULTI_PASS);
        if (gp_buffer_create(b->gp, (runs + 1) * sizeof *starts, starts, &offsets) == GP_OK)
            add_segmented(&c, offsets);
        bench_add_limits(&c, STREAM_READ2, "limit:");
        bench_add_peers(&c, check, 8 * n);
        bench_case_run(&c);
        bench_case_close(&c);
        if (offsets) (void)clReleaseMemObject(offsets);
    }
    free(starts);
}

void bench_by_key(bench *b)
{
    const size_t n = b->options.n ? b->options.n : (size_t)1 << 24, lengths[] = {1, 3, 16, 1000, n};
    for (size_t k = 0; k < 5; k++) by_key_case(b, n, lengths[k]);
}
