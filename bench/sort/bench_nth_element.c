/* bench_nth_element.c - gpbench nth-element: the median and nine quantiles of floats, against the fastest loop that reads, and what
   the standard library and NumPy offer. */
#include "../harness/bench.h"
#include "../harness/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"uniform", "normal", "below 256", "all equal", "random bits"};

static float make_float(size_t kind, uint64_t random)
{
    const uint32_t word = (uint32_t)(random >> 32);
    const float uniform = (float)(word >> 8) / 16777216.0f;
    float x;
    switch (kind) {
    case 0: return uniform;
    case 1:
        return sqrtf(-2 * logf(1 - uniform)) *
               cosf(6.2831853f * (float)(random >> 8 & 0xffffff) / 16777216.0f);
    case 2: return (float)(word >> 24);
    case 3: return 0.5f;
    default: memcpy(&x, &word, sizeof x); return x == x && x != 0 ? x : 1.0f;
    }
}

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static bool check(bench_case *c, bench_variant *v, const void *out)
{
    return memcmp(out, c->expected, c->work.k * 4) == 0 || bench_fail(v, "wrong result");
}

static bool run(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_nth_element(c->b->gp, &v->with.nth_element);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return gp_finish(c->b->gp) == GP_OK || bench_fail(v, "gp_finish failed");
}

/* Times `quantiles` ranks, of a case whose keys are there sorted. */
static void quantiles(bench_case *c, size_t ranks, const float *sorted)
{
    uint64_t rank[16];
    c->work.k = ranks;
    c->count = 0;
    for (size_t r = 0; r < ranks; r++) {
        rank[r] = (r + 1) * (uint64_t)(c->work.n - 1) / (ranks + 1);
        ((float *)c->expected)[r] = sorted[rank[r]];
    }
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "gpuprim");
    v->run = run;
    v->check = check;
    v->out_bytes = ranks * 4;
    v->with.nth_element = (gp_nth_element_desc){.keys = c->work.in,
                                                .keys_out = c->work.out,
                                                .count = c->work.n,
                                                .ranks = rank,
                                                .rank_count = ranks,
                                                .key_type = GP_F32};
    bench_add_limits(c, STREAM_READ, "limit:");
    bench_add_peers(c, check, ranks * 4);
    bench_case_run(c);
    for (size_t k = 0; k < c->count; k++) {
        if (c->variants[k].kernel != NULL) clReleaseKernel(c->variants[k].kernel);
    }
    c->count = 0;
}

static void nth_element(bench *b, size_t kind, size_t n)
{
    char name[64];
    bench_case c;
    const bench_case_desc desc = {.name = name,
                                  .primitive = BENCH_NTH_ELEMENT,
                                  .type = GP_F32,
                                  .out_type = GP_F32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = 64,
                                  .expected_bytes = 64,
                                  .bytes = (double)n * 4};
    snprintf(name, sizeof name, "median, %s", kinds[kind]);
    if (!bench_case_open(b, &c, &desc)) return;
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        ((float *)c.in.host)[i] = make_float(kind, state);
    }
    if (!b->on_cpu) clEnqueueWriteBuffer(b->queue, c.in.mem, CL_TRUE, 0, n * 4, c.in.host, 0, NULL, NULL);
    c.word_sum = 0;
    for (size_t i = 0; i < c.in.bytes / 4; i++) c.word_sum += ((const uint32_t *)c.in.host)[i];
    float *sorted = malloc(n * sizeof *sorted);
    if (sorted != NULL) {
        memcpy(sorted, c.in.host, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, compare);
        quantiles(&c, 1, sorted);
        snprintf(name, sizeof name, "9 quantiles, %s", kinds[kind]);
        quantiles(&c, 9, sorted);
        free(sorted);
    }
    bench_case_close(&c);
}

void bench_nth_element(bench *b)
{
    const size_t n = b->options.n ? b->options.n : (size_t)1 << 24;
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) nth_element(b, kind, n);
}
