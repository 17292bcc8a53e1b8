/* bench_reduce.c - gpbench reduce, against the fastest loop that reads the input. */
#include "../harness/bench.h"
#include "../harness/data.h"

static bool run(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_reduce(c->b->gp, &v->with.reduce);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return clFinish(c->b->queue) == CL_SUCCESS || bench_fail(v, "clFinish failed");
}

static bool check(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, 1);
}

/* With out_type = type: the low part of the expected result, which is exact in this type as well. */
static bool check_narrow(bench_case *c, bench_variant *v, const void *out)
{
    uint64_t expected;
    data_reduce(c->work.type, c->work.type, c->work.op, c->in.host, c->work.n, &expected);
    if (data_difference(c->work.type, out, &expected, 1) == 1) return true;
    char got[32], wanted[32];
    data_print(c->work.type, out, 0, got, sizeof got);
    data_print(c->work.type, &expected, 0, wanted, sizeof wanted);
    return bench_fail(v, "wrong result: %s, should be %s", got, wanted);
}

static gp_reduce_desc reduce_desc(const bench_case *c, gp_type out_type)
{
    return (gp_reduce_desc){.in = c->work.in,
                            .out = c->work.out,
                            .count = c->work.n,
                            .type = c->work.type,
                            .out_type = out_type,
                            .op = c->work.op};
}

static void add_several(bench_case *c)
{
    static const gp_op ops[] = {GP_SUM, GP_MIN, GP_MAX, GP_ARGMAX};
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "gpuprim:sum-min-max-argmax");
    v->run = run;
    v->check = check; /* the first of the results */
    v->out_bytes = sizeof ops / sizeof *ops * sizeof(gp_value);
    v->with.reduce = reduce_desc(c, GP_TYPE_NONE);
    v->with.reduce.op = GP_OP_NONE;
    v->with.reduce.ops = ops;
    v->with.reduce.op_count = sizeof ops / sizeof *ops;
}

/* The same bytes, as records of four. */
static void add_records(bench_case *c)
{
    static const gp_record uint4 = {.cl_type = "uint4", .size = 16};
    static const gp_record float4 = {.cl_type = "float4", .size = 16};
    const bool floats = c->work.type == GP_F32;
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, floats ? "gpuprim:float4" : "gpuprim:uint4");
    v->run = run;
    v->check = check;
    v->out_bytes = data_size(c->out_type);
    v->with.reduce = reduce_desc(c, c->out_type);
    v->with.reduce.type = GP_TYPE_NONE;
    v->with.reduce.record = floats ? &float4 : &uint4;
    v->with.reduce.map = floats ? "x.x + x.y + x.z + x.w" : "(ulong)x.x + x.y + x.z + x.w";
    v->with.reduce.count = c->work.n / 4;
}

static void add_variants(bench_case *c)
{
    const gp_type type = c->work.type;
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "gpuprim");
    v->run = run;
    v->check = check;
    v->out_bytes = data_size(c->out_type);
    v->with.reduce = reduce_desc(c, GP_TYPE_NONE);
    if (data_is_float(type) && c->work.op == GP_SUM) {
        v = bench_variant_add(c, BENCH_GPUPRIM, "gpuprim:compensated");
        v->run = run;
        v->check = check;
        v->out_bytes = data_size(c->out_type);
        v->with.reduce = reduce_desc(c, GP_TYPE_NONE);
        v->with.reduce.compensated = true;
    }
    if (c->work.op == GP_SUM) add_several(c);
    if (c->work.op == GP_SUM && (type == GP_U32 || type == GP_F32) && c->work.n % 4 == 0) add_records(c);
    if (c->out_type == type) return;
    v = bench_variant_add(c, BENCH_GPUPRIM, "gpuprim:%s-%s", data_type_name(type), data_op_name(c->work.op));
    v->run = run;
    v->check = check_narrow;
    v->out_bytes = data_size(type);
    v->with.reduce = reduce_desc(c, type);
}

static void reduce(bench *b, gp_type type, size_t n)
{
    const gp_op op = b->options.op != GP_OP_NONE ? b->options.op : GP_SUM;
    const size_t size = data_size(type);
    bench_case c;
    const bench_case_desc desc = {.name = "reduce",
                                  .primitive = BENCH_REDUCE,
                                  .type = type,
                                  .out_type = data_reduce_type(type, op),
                                  .op = op,
                                  .n = n,
                                  .out_bytes = GP_OPS_MAX * sizeof(gp_value),
                                  .expected_bytes = sizeof(uint64_t),
                                  .bytes = (double)n * (double)size};
    if (!bench_case_open(b, &c, &desc)) return;
    data_reduce(type, c.out_type, op, c.in.host, n, c.expected);
    add_variants(&c);
    bench_add_limits(&c, STREAM_READ, "limit:");
    bench_add_peers(&c, check_narrow, size);
    bench_case_run(&c);
    bench_case_close(&c);
}

void bench_reduce(bench *b) { bench_sweep(b, reduce); }
