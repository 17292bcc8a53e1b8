/* bench_histogram.c - gpbench histogram: few and many bins, random and constant, against plain C with four
   tables a thread and the fastest loop that reads. */
#include "../harness/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A histogram to measure: u8 by value, u32 and floats over all their range. */
typedef struct histogram_kind {
    const char *name;
    gp_type type;
    size_t bins;
    bool constant;
} histogram_kind;

static const histogram_kind kinds[] = {
    {"u8 random", GP_U8, 256, false},      {"u8 constant", GP_U8, 256, true},
    {"256 bins", GP_U32, 256, false},      {"256 bins const", GP_U32, 256, true},
    {"2^20 bins", GP_U32, 1 << 20, false}, {"2^20 bins const", GP_U32, 1 << 20, true},
};

static void fill(const histogram_kind *kind, void *in, size_t n)
{
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++) {
        if (!kind->constant) state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint32_t x = kind->constant ? 0xab123456u : (uint32_t)(state >> 32);
        if (kind->type == GP_U8) ((uint8_t *)in)[i] = (uint8_t)(x >> 24);
        else ((uint32_t *)in)[i] = x;
    }
}

static void make_expected(bench_case *c, const histogram_kind *kind)
{
    uint32_t *expected = c->expected;
    unsigned shift = 32;
    for (size_t b = kind->bins; b > 1; b /= 2) shift--;
    memset(expected, 0, kind->bins * sizeof *expected);
    for (size_t i = 0; i < c->work.n; i++) {
        if (kind->type == GP_U8) expected[((const uint8_t *)c->in.host)[i]]++;
        else expected[((const uint32_t *)c->in.host)[i] >> shift]++;
    }
}

static bool check(bench_case *c, bench_variant *v, const void *out)
{
    return memcmp(out, c->expected, c->work.segments * 4) == 0 || bench_fail(v, "wrong result");
}

static bool run(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_histogram(c->b->gp, &v->with.histogram);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return gp_finish(c->b->gp) == GP_OK || bench_fail(v, "gp_finish failed");
}

static void add_own(bench_case *c)
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "gpuprim");
    v->run = run;
    v->check = check;
    v->out_bytes = c->work.segments * 4;
    v->with.histogram = (gp_histogram_desc){.in = c->work.in,
                                            .out = c->work.out,
                                            .count = c->work.n,
                                            .type = c->work.type,
                                            .bins = c->work.segments};
}

static void histogram(bench *b, const histogram_kind *kind, size_t n)
{
    char name[32];
    bench_case c;
    const bench_case_desc desc = {.name = name,
                                  .primitive = BENCH_HISTOGRAM,
                                  .type = kind->type,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = kind->bins * 4,
                                  .expected_bytes = kind->bins * 4,
                                  .bytes = (double)n * (kind->type == GP_U8 ? 1 : 4)};
    snprintf(name, sizeof name, "%s", kind->name);
    if (!bench_case_open(b, &c, &desc)) return;
    fill(kind, c.in.host, n);
    bench_case_upload(&c, &c.in);
    c.word_sum = 0;
    for (size_t i = 0; i < c.in.bytes / 4; i++) c.word_sum += ((const uint32_t *)c.in.host)[i];
    c.work.segments = kind->bins;
    make_expected(&c, kind);
    add_own(&c);
    bench_add_limits(&c, STREAM_READ, "limit:");
    bench_add_peers(&c, check, kind->bins * 4);
    bench_case_run(&c);
    bench_case_close(&c);
}

void bench_histogram(bench *b)
{
    const size_t n = b->options.n ? b->options.n : (size_t)1 << 24;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!b->options.type || b->options.type == kinds[i].type) histogram(b, &kinds[i], n);
    }
}
