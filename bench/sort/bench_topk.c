/* bench_topk.c - gpbench topk: the k largest keys and their indices, against the fastest loop that reads, a
   whole sort, and what the standard library offers. */
#include "../harness/bench.h"
#include "../harness/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t ks[] = {1, 10, 1000, 100000};

/* Random words; as floats: random in [0, 1), of 24 bits. */
static void fill(gp_type type, void *keys, size_t n)
{
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint32_t x = (uint32_t)(state >> 32);
        if (type == GP_F32) ((float *)keys)[i] = (float)(x >> 8) / 16777216.0f;
        else ((uint32_t *)keys)[i] = x;
    }
}

/* Descending by key, ascending by index: as one number, upside down. No float is negative. */
static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* All keys' order: keys, then indices. */
static bool make_expected(bench_case *c)
{
    const size_t n = c->work.n;
    const uint32_t *keys = c->in.host; /* floats that are not negative are ordered as their bits are */
    uint64_t *all = malloc(n * sizeof *all);
    if (all == NULL) return false;
    for (size_t i = 0; i < n; i++) all[i] = (uint64_t)keys[i] << 32 | (uint32_t)~i;
    qsort(all, n, sizeof *all, compare);
    uint32_t *expected = c->expected;
    for (size_t i = 0; i < n; i++) {
        expected[i] = (uint32_t)(all[i] >> 32);
        expected[n + i] = ~(uint32_t)all[i];
    }
    free(all);
    return true;
}

/* `out` has the keys and, from the library, the indices n elements behind. */
static bool check(bench_case *c, bench_variant *v, const void *out)
{
    const size_t n = c->work.n, bytes = c->work.k * 4;
    const char *expected = c->expected;
    if (memcmp(out, expected, bytes) != 0) return bench_fail(v, "wrong result: keys");
    if (v->kind == BENCH_PEER) return true;
    return memcmp((const char *)out + n * 4, expected + n * 4, bytes) == 0 ||
           bench_fail(v, "wrong result: indices");
}

static bool run(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_topk(c->b->gp, &v->with.topk);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return gp_finish(c->b->gp) == GP_OK || bench_fail(v, "gp_finish failed");
}

static bool run_sort(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_argsort(c->b->gp, &v->with.sort.desc);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return gp_finish(c->b->gp) == GP_OK || bench_fail(v, "gp_finish failed");
}

static void add_own(bench_case *c)
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "gpuprim");
    v->run = run;
    v->check = check;
    v->out_bytes = c->work.n * 8;
    v->with.topk = (gp_topk_desc){.keys = c->work.in,
                                  .keys_out = c->work.out,
                                  .indices_out = c->work.out,
                                  .indices_out_offset = c->work.n,
                                  .count = c->work.n,
                                  .k = c->work.k,
                                  .key_type = c->work.type};
    v = bench_variant_add(c, BENCH_GPUPRIM, "gpuprim:argsort");
    v->run = run_sort;
    v->check = check;
    v->out_bytes = c->work.n * 8;
    v->with.sort.gp = c->b->gp;
    v->with.sort.desc = (gp_sort_desc){.keys = c->work.in,
                                       .keys_out = c->work.out,
                                       .values_out = c->work.out,
                                       .values_out_offset = c->work.n,
                                       .count = c->work.n,
                                       .key_type = c->work.type,
                                       .descending = true};
}

/* The input and its order are made once; each k is a table. */
static void topk(bench *b, gp_type type, size_t n)
{
    char name[32];
    bench_case c;
    const bench_case_desc desc = {.name = name,
                                  .primitive = BENCH_TOPK,
                                  .type = type,
                                  .out_type = type,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = n * 8,
                                  .expected_bytes = n * 8,
                                  .bytes = (double)n * 4};
    snprintf(name, sizeof name, "topk");
    if (!bench_case_open(b, &c, &desc)) return;
    fill(type, c.in.host, n);
    if (!b->on_cpu) clEnqueueWriteBuffer(b->queue, c.in.mem, CL_TRUE, 0, n * 4, c.in.host, 0, NULL, NULL);
    c.word_sum = 0;
    for (size_t i = 0; i < c.in.bytes / 4; i++) c.word_sum += ((const uint32_t *)c.in.host)[i];
    const bool made = make_expected(&c);
    for (size_t i = 0; i < sizeof ks / sizeof ks[0] && ks[i] <= n && made; i++) {
        c.work.k = ks[i];
        c.count = 0;
        snprintf(name, sizeof name, "topk %zu", ks[i]);
        add_own(&c);
        bench_add_limits(&c, STREAM_READ, "limit:");
        bench_add_peers(&c, check, ks[i] * 4);
        bench_case_run(&c);
        for (size_t k = 0; k < c.count; k++) {
            if (c.variants[k].kernel != NULL) clReleaseKernel(c.variants[k].kernel);
        }
        c.count = 0;
    }
    bench_case_close(&c);
}

void bench_topk(bench *b)
{
    const size_t n = b->options.n ? b->options.n : (size_t)1 << 24;
    if (!b->options.type || b->options.type == GP_U32) topk(b, GP_U32, n);
    if (!b->options.type || b->options.type == GP_F32) topk(b, GP_F32, n);
}
