/* bench_dot.c - gpbench dot: a reduction of x * y, against the fastest loop that reads two streams. */
#include "../harness/bench.h"
#include "../harness/data.h"

static bool run(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_reduce(c->b->gp, &v->with.reduce);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return clFinish(c->b->queue) == CL_SUCCESS || bench_fail(v, "clFinish failed");
}

/* Multiples of 1/4 whose sum stays exact in doubles; in floats it rounds. */
static bool check(bench_case *c, bench_variant *v, const void *out)
{
    const float *x = c->in.host, *y = c->in2.host, *got = out;
    double expected = 0;
    for (size_t i = 0; i < c->work.n; i++) expected += (double)x[i] * y[i];
    const double error = (*got - expected) / expected;
    return (error < 1e-5 && error > -1e-5) || bench_fail(v, "wrong result: %g, should be %g", *got, expected);
}

static void dot(bench *b, gp_type type, size_t n)
{
    bench_case c;
    const bench_case_desc desc = {.name = "dot",
                                  .primitive = BENCH_DOT,
                                  .type = type,
                                  .out_type = type,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = sizeof(uint64_t),
                                  .bytes = 2.0 * (double)n * (double)data_size(type),
                                  .second_input = true};
    if (!bench_case_open(b, &c, &desc)) return;
    bench_variant *v = bench_variant_add(&c, BENCH_GPUPRIM, "gpuprim");
    v->run = run;
    v->check = check;
    v->out_bytes = data_size(type);
    v->with.reduce = (gp_reduce_desc){.in = c.work.in,
                                      .in2 = c.in2.mem,
                                      .out = c.work.out,
                                      .count = n,
                                      .type = type,
                                      .op = GP_SUM,
                                      .map = "x * y"};
    bench_add_limits(&c, STREAM_READ2, "limit:");
    bench_add_peers(&c, check, data_size(type));
    bench_case_run(&c);
    bench_case_close(&c);
}

void bench_dot(bench *b) { dot(b, GP_F32, b->options.n > 0 ? b->options.n : (size_t)1 << 24); }
