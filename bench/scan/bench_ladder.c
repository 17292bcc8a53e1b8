/* bench_ladder.c - gpbench ladder: the steps by which textbooks make a reduction fast, each a kernel of its
   own, beside gp_reduce and the fastest loop that reads.

   A launch leaves a partial sum a group. The same kernel reduces those, until one is left; the time is
   that of all launches. */
#include <stdio.h>

#include "../harness/bench.h"
#include "../harness/data.h"
#include "ladder_cl.h"

#define DEFAULT_N ((size_t)10485760)
#define MOST_N ((size_t)1 << 31)

enum {
    GROUP = 256,
    ITEMS_PER_UNIT = 2048,        /* of the last step: fills a GPU's compute unit */
    MANY_MIN = 16 * GROUP,        /* elements of a group in the last step */
    MANY_MAX = 2 * GROUP * 32768, /* llvmpipe leaves loops after 65535 rounds, whatever their condition */
    STEPS = 6
};

static const struct {
    const char *kernel;
    const char *name;
    size_t per_group; /* elements; 0: by the number of compute units */
} steps[STEPS] = {{"modulo", "step1:modulo", GROUP},         {"strided", "step2:strided", GROUP},
                  {"sequential", "step3:sequential", GROUP}, {"first_add", "step4:first-add", 2 * GROUP},
                  {"unrolled", "step5:unrolled", 2 * GROUP}, {"many", "step6:many-an-item", 0}};

static size_t groups_of(size_t n, size_t each) { return n / each + (n % each != 0); }

/* As many groups as run at once. */
static size_t many(const bench *b, size_t n)
{
    const size_t each = groups_of(n, (size_t)b->info->compute_units * ITEMS_PER_UNIT / GROUP);
    if (each < MANY_MIN) return MANY_MIN;
    return each < MANY_MAX ? each : MANY_MAX;
}

/* ------------------------------------------------------------------ runs */

static unsigned passes_of(size_t n, size_t per_group)
{
    unsigned passes = 0;
    do {
        n = groups_of(n, per_group);
        passes++;
    } while (n > 1);
    return passes;
}

static cl_int run_pass(bench_case *c, bench_variant *v, cl_mem in, size_t n, cl_mem out)
{
    const size_t group = GROUP, global = groups_of(n, v->with.passes.per_group) * group;
    const cl_uint count = (cl_uint)n;
    cl_int e = clSetKernelArg(v->kernel, 0, sizeof in, &in);
    e |= clSetKernelArg(v->kernel, 1, sizeof count, &count);
    e |= clSetKernelArg(v->kernel, 2, sizeof out, &out);
    if (e != CL_SUCCESS) return e;
    return clEnqueueNDRangeKernel(c->b->queue, v->kernel, 1, NULL, &global, &group, 0, NULL, NULL);
}

/* Partial sums go back and forth between the spare buffer and the output, where the last pass ends. */
static bool run(bench_case *c, bench_variant *v)
{
    const bench_passes *p = &v->with.passes;
    cl_mem in = c->in.mem;
    cl_int e = CL_SUCCESS;
    size_t n = c->work.n;
    for (unsigned left = passes_of(n, p->per_group); left > 0 && e == CL_SUCCESS; left--) {
        cl_mem out = left % 2 == 1 ? c->out.mem : p->spare;
        e = run_pass(c, v, in, n, out);
        n = groups_of(n, p->per_group);
        in = out;
    }
    if (e == CL_SUCCESS) e = clFinish(c->b->queue);
    return e == CL_SUCCESS || bench_fail(v, "OpenCL error %d", (int)e);
}

static bool run_library(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_reduce(c->b->gp, &v->with.reduce);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return clFinish(c->b->queue) == CL_SUCCESS || bench_fail(v, "clFinish failed");
}

static bool check(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, 1);
}

/* ------------------------------------------------------------------ variants */

static void add_step(bench_case *c, size_t step, cl_program program, cl_mem spare)
{
    cl_int e;
    bench_variant *v = bench_variant_add(c, BENCH_INFO, "%s", steps[step].name);
    v->shape = "local";
    v->strategy = "";
    v->run = run;
    v->check = check;
    v->out_bytes = sizeof(float);
    v->with.passes.per_group = steps[step].per_group > 0 ? steps[step].per_group : many(c->b, c->work.n);
    v->with.passes.spare = spare;
    v->kernel = clCreateKernel(program, steps[step].kernel, &e);
    if (v->kernel == NULL) bench_fail(v, "clCreateKernel(%s): %d", steps[step].kernel, (int)e);
}

static void add_library(bench_case *c)
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "gpuprim");
    v->run = run_library;
    v->check = check;
    v->out_bytes = sizeof(float);
    v->with.reduce = (gp_reduce_desc){
        .in = c->work.in, .out = c->work.out, .count = c->work.n, .type = GP_F32, .op = GP_SUM};
}

/* ------------------------------------------------------------------ table */

static double ratio(double a, double b) { return b > 0 ? a / b : 0; }

/* "-" for 0: there is nothing to compare with. */
static const char *ratio_text(double value, const char *unit, char text[32])
{
    if (value > 0) snprintf(text, 32, "%.3f%s", value, unit);
    else snprintf(text, 32, "-");
    return text;
}

static void print_row(const bench_case *c, const bench_variant *v, const char *launches, double previous)
{
    char time[32], over_previous[32], over_first[32], of_limit[32];
    printf("  %-24s %8s %12s %8.2f %14s %12s %8s\n", v->name, launches, report_time(v->median, time),
           c->bytes / v->median * 1e-9, ratio_text(ratio(previous, v->median), "x", over_previous),
           ratio_text(ratio(c->variants[0].median, v->median), "x", over_first),
           ratio_text(ratio((double)c->work.n / v->median, c->limit_per_s), "", of_limit));
}

/* The steps come first among the variants. The library's row and the limit's have no previous one. */
static void print_ladder(const bench_case *c)
{
    printf("\n  %-24s %8s %12s %8s %14s %12s %8s\n", "step", "launches", "time", "GB/s", "over previous",
           "over step 1", "of limit");
    for (size_t i = 0; i < c->count; i++) {
        const bench_variant *v = &c->variants[i];
        char launches[32] = "";
        if (v->median <= 0 || (v->kind == BENCH_LIMIT && v != c->limit)) continue;
        if (i < STEPS)
            snprintf(launches, sizeof launches, "%u", passes_of(c->work.n, v->with.passes.per_group));
        print_row(c, v, launches, i > 0 && i < STEPS ? c->variants[i - 1].median : 0);
    }
    fflush(stdout);
}

/* ------------------------------------------------------------------ the case */

static void climb(bench_case *c, cl_program program, cl_mem spare)
{
    data_reduce(GP_F32, GP_F32, GP_SUM, c->in.host, c->work.n, c->expected);
    for (size_t i = 0; i < STEPS; i++) add_step(c, i, program, spare);
    add_library(c);
    bench_add_limits(c, STREAM_READ, "limit:");
    bench_case_run(c);
    if (c->b->options.format == BENCH_TABLE) print_ladder(c);
}

/* The program and the spare buffer, around the case. */
static void ladder(bench *b, const bench_case_desc *desc)
{
    char error[BENCH_ERROR_MAX];
    bench_case c;
    cl_program program = bench_build(b, ladder_cl, sizeof ladder_cl / sizeof ladder_cl[0], error);
    if (program == NULL) {
        report_failure(b, desc, error);
        b->failed = true;
        return;
    }
    if (bench_case_open(b, &c, desc)) {
        cl_mem spare = clCreateBuffer(b->context, CL_MEM_READ_WRITE, c.out.bytes, NULL, NULL);
        if (spare != NULL) climb(&c, program, spare);
        else report_failure(b, desc, "not enough memory");
        bench_case_close(&c);
        if (spare != NULL) clReleaseMemObject(spare);
    }
    clReleaseProgram(program);
}

void bench_ladder(bench *b)
{
    const size_t n = b->options.n > 0 ? b->options.n : DEFAULT_N;
    const bench_case_desc desc = {.name = "ladder",
                                  .primitive = BENCH_REDUCE,
                                  .type = GP_F32,
                                  .out_type = GP_F32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = groups_of(n, GROUP) * sizeof(float),
                                  .expected_bytes = sizeof(float),
                                  .bytes = (double)n * sizeof(float)};
    if (b->planning) (void)bench_begin(b, n);
    else if (n > MOST_N) report_failure(b, &desc, "the ladder takes 2^31 elements at most");
    else if (b->info->max_work_group_size < GROUP) report_failure(b, &desc, "the ladder needs groups of 256");
    else ladder(b, &desc);
}
