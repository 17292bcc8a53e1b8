/* bench_scan.c - gpbench scan, against the fastest copy with ordinary stores. */
#include "../harness/bench.h"
#include "../harness/data.h"

static bool run(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_scan(c->b->gp, &v->with.scan);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return clFinish(c->b->queue) == CL_SUCCESS || bench_fail(v, "clFinish failed");
}

static bool check_inclusive(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, c->work.n);
}

/* The inclusive result moved by one, behind the identity. */
static bool check_exclusive(bench_case *c, bench_variant *v, const void *out)
{
    const gp_type type = c->work.type;
    uint64_t first = 0;
    data_identity(type, c->work.op, &first);
    if (data_difference(type, out, &first, 1) == 0) return bench_fail(v, "wrong result: element 0");
    return bench_check_elements(c, v, (const char *)out + data_size(type), c->work.n - 1);
}

static void add_variant(bench_case *c, const char *name, gp_strategy strategy, bool exclusive)
{
    static const char *const strategies[GP_STRATEGY_COUNT] = {"auto", "single-pass", "multi-pass"};
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "%s", name);
    v->strategy = strategies[strategy];
    v->run = run;
    v->check = exclusive ? check_exclusive : check_inclusive;
    v->out_bytes = c->work.n * data_size(c->work.type);
    v->with.scan = (gp_scan_desc){.in = c->work.in,
                                  .out = c->work.out,
                                  .count = c->work.n,
                                  .type = c->work.type,
                                  .op = c->work.op,
                                  .exclusive = exclusive,
                                  .strategy = strategy};
}

static void scan(bench *b, gp_type type, size_t n)
{
    const gp_op op = b->options.op != GP_OP_NONE ? b->options.op : GP_SUM;
    const size_t bytes = n * data_size(type);
    bench_case c;
    const bench_case_desc desc = {.name = "scan",
                                  .primitive = BENCH_SCAN,
                                  .type = type,
                                  .out_type = type,
                                  .op = op,
                                  .n = n,
                                  .out_bytes = bytes,
                                  .expected_bytes = bytes,
                                  .bytes = 2 * (double)bytes};
    if (!bench_case_open(b, &c, &desc)) return;
    data_scan(type, op, c.in.host, n, c.expected);
    add_variant(&c, "gpuprim", GP_STRATEGY_AUTO, false);
    add_variant(&c, "gpuprim:single-pass", GP_STRATEGY_SINGLE_PASS, false);
    add_variant(&c, "gpuprim:multi-pass", GP_STRATEGY_MULTI_PASS, false);
    add_variant(&c, "gpuprim:exclusive", GP_STRATEGY_AUTO, true);
    bench_add_limits(&c, STREAM_COPY, "limit:");
    bench_add_peers(&c, check_inclusive, bytes);
    bench_case_run(&c);
    bench_case_close(&c);
}

void bench_scan(bench *b) { bench_sweep(b, scan); }
