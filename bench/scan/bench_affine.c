/* bench_affine.c - gpbench affine: x -> a x + b, a monoid of 8 bytes that does not commute, scanned and
   reduced, against the fastest loops that copy and read as much. */
#include "../harness/bench.h"
#include "../harness/data.h"

#include <stdio.h>
#include <string.h>

typedef struct affine {
    uint32_t a, b;
} affine;

static const affine one = {1, 0};
static const gp_monoid monoid = {"affine",
                                 "typedef struct { uint a, b; } affine;\n"
                                 "affine then(affine f, affine g)\n"
                                 "{\n"
                                 "    affine h;\n"
                                 "    h.a = f.a * g.a;\n"
                                 "    h.b = g.a * f.b + g.b;\n"
                                 "    return h;\n"
                                 "}\n",
                                 "then",
                                 &one,
                                 sizeof one,
                                 false,
                                 true,
                                 false};

static bool finish(bench_case *c, bench_variant *v, gp_result r)
{
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return clFinish(c->b->queue) == CL_SUCCESS || bench_fail(v, "clFinish failed");
}

static bool run_scan(bench_case *c, bench_variant *v)
{
    return finish(c, v, gp_scan(c->b->gp, &v->with.scan));
}

static bool run_reduce(bench_case *c, bench_variant *v)
{
    return finish(c, v, gp_reduce(c->b->gp, &v->with.reduce));
}

static bool check_scan(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, c->work.n);
}

static bool check_reduce(bench_case *c, bench_variant *v, const void *out)
{
    const affine *all = c->expected;
    return memcmp(out, all + c->work.n - 1, sizeof *all) == 0 || bench_fail(v, "wrong result");
}

/* The input's 8 bytes are a map each; the arrays are compared as what they hold. */
static void make_expected(bench_case *c)
{
    const affine *in = c->in.host;
    affine *out = c->expected, f = one;
    for (size_t i = 0; i < c->work.n; i++) {
        f = (affine){f.a * in[i].a, in[i].a * f.b + in[i].b};
        out[i] = f;
    }
}

static bool open_case(bench *b, bench_case *c, const char *name, double arrays)
{
    const size_t n = b->options.n > 0 ? b->options.n : (size_t)1 << 24;
    const bench_case_desc desc = {.name = name,
                                  .primitive = BENCH_STREAM,
                                  .type = GP_U64,
                                  .out_type = GP_U64,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = n * sizeof(affine),
                                  .expected_bytes = n * sizeof(affine),
                                  .bytes = arrays * (double)n * sizeof(affine)};
    if (!bench_case_open(b, c, &desc)) return false;
    make_expected(c);
    return true;
}

static void add_scan(bench_case *c, const char *name, gp_strategy strategy)
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "%s", name);
    v->run = run_scan;
    v->check = check_scan;
    v->out_bytes = c->work.n * sizeof(affine);
    v->with.scan = (gp_scan_desc){
        .in = c->work.in, .out = c->work.out, .count = c->work.n, .monoid = &monoid, .strategy = strategy};
}

void bench_affine(bench *b)
{
    bench_case c;
    if (open_case(b, &c, "affine-scan", 2)) {
        add_scan(&c, "gpuprim", GP_STRATEGY_AUTO);
        add_scan(&c, "gpuprim:multi-pass", GP_STRATEGY_MULTI_PASS);
        bench_add_limits(&c, STREAM_COPY, "limit:");
        bench_case_run(&c);
        bench_case_close(&c);
    }
    if (open_case(b, &c, "affine-reduce", 1)) {
        bench_variant *v = bench_variant_add(&c, BENCH_GPUPRIM, "gpuprim");
        v->run = run_reduce;
        v->check = check_reduce;
        v->out_bytes = sizeof(affine);
        v->with.reduce =
            (gp_reduce_desc){.in = c.work.in, .out = c.work.out, .count = c.work.n, .monoid = &monoid};
        bench_add_limits(&c, STREAM_READ, "limit:");
        bench_case_run(&c);
        bench_case_close(&c);
    }
}
