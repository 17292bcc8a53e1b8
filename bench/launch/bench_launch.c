/* bench_launch.c - gpbench launch: what a call costs beyond its work, in bare launches.

   A bare launch is: enqueue an empty kernel, wait for it. A call with a thousand elements may take two of
   them and 20 %. A threshold that is an argument, another one each time, must cost no more. In CSV and JSON the fraction is that bar divided by the time: 1 or more is within it. */
#include <stdio.h>
#include <string.h>

#include "../harness/bench.h"
#include "../harness/data.h"

enum { ELEMENTS = 1000, ROUNDS = 501 };
static const double BAR = 2 * 1.2; /* bare launches */

static bool finish(bench_case *c, bench_variant *v)
{
    return clFinish(c->b->queue) == CL_SUCCESS || bench_fail(v, "clFinish failed");
}

static bool run_two(bench_case *c, bench_variant *v)
{
    const size_t one = 1;
    for (int i = 0; i < 2; i++)
        if (clEnqueueNDRangeKernel(c->b->queue, v->kernel, 1, NULL, &one, &one, 0, NULL, NULL) != CL_SUCCESS)
            return bench_fail(v, "clEnqueueNDRangeKernel failed");
    return finish(c, v);
}

static bool run_reduce(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_reduce(c->b->gp, &v->with.reduce);
    return r == GP_OK ? finish(c, v) : bench_fail_gp(c, v, r);
}

static uint32_t threshold;
static const gp_arg threshold_arg = {.name = "limit", .type = GP_U32, .value = &threshold};

static bool run_threshold(bench_case *c, bench_variant *v)
{
    threshold += 1u << 20;
    return run_reduce(c, v);
}

static bool run_scan(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_scan(c->b->gp, &v->with.scan);
    return r == GP_OK ? finish(c, v) : bench_fail_gp(c, v, r);
}

static bool check_nothing(bench_case *c, bench_variant *v, const void *out)
{
    (void)c, (void)v, (void)out;
    return true;
}

static bool check_reduce(bench_case *c, bench_variant *v, const void *out)
{
    uint64_t sum;
    data_reduce(GP_U32, GP_U64, GP_SUM, c->in.host, ELEMENTS, &sum);
    return memcmp(out, &sum, sizeof sum) == 0 || bench_fail(v, "wrong result");
}

/* And another threshold takes no program of its own. */
static bool check_threshold(bench_case *c, bench_variant *v, const void *out)
{
    const uint32_t *in = c->in.host;
    uint64_t above = 0;
    gp_stats before, after;
    for (size_t i = 0; i < ELEMENTS; i++) above += in[i] > threshold;
    if (memcmp(out, &above, sizeof above) != 0) return bench_fail(v, "wrong result");
    if (gp_stats_read(c->b->gp, &before) != GP_OK || !run_threshold(c, v) ||
        gp_stats_read(c->b->gp, &after) != GP_OK)
        return bench_fail(v, "a call or its statistics failed");
    return before.programs_built + before.programs_loaded == after.programs_built + after.programs_loaded ||
           bench_fail(v, "a threshold has taken a program of its own");
}

static bool check_scan(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, ELEMENTS);
}

static void add_bare(bench_case *c, const char *name, bool (*run)(bench_case *, bench_variant *))
{
    bench_variant *v = bench_variant_add(c, BENCH_INFO, "%s", name);
    v->run = run;
    v->check = check_nothing;
    v->out_bytes = sizeof(cl_uint);
    v->with.launch = (bench_launch){.groups = 1, .group_size = 1};
    bench_variant_kernel(c, v, "nothing");
}

static void add_calls(bench_case *c)
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "gp_reduce");
    v->run = run_reduce;
    v->check = check_reduce;
    v->out_bytes = sizeof(uint64_t);
    v->with.reduce = (gp_reduce_desc){
        .in = c->work.in, .out = c->work.out, .count = ELEMENTS, .type = GP_U32, .op = GP_SUM};
    v = bench_variant_add(c, BENCH_GPUPRIM, "gp_reduce, thresholds");
    v->run = run_threshold;
    v->check = check_threshold;
    v->out_bytes = sizeof(uint64_t);
    v->with.reduce = (gp_reduce_desc){.in = c->work.in,
                                      .out = c->work.out,
                                      .count = ELEMENTS,
                                      .type = GP_U32,
                                      .out_type = GP_U64,
                                      .op = GP_SUM,
                                      .map = "x > limit",
                                      .args = &threshold_arg,
                                      .arg_count = 1};
    v = bench_variant_add(c, BENCH_GPUPRIM, "gp_scan");
    v->run = run_scan;
    v->check = check_scan;
    v->out_bytes = ELEMENTS * sizeof(uint32_t);
    v->with.scan =
        (gp_scan_desc){.in = c->work.in, .out = c->work.out, .count = ELEMENTS, .type = GP_U32, .op = GP_SUM};
}

/* Row 0 is the bare launch. */
static void print_table(const bench_case *c)
{
    const double bare = c->variants[0].median;
    printf("\nlaunch and finish, %d elements; the bar for calls is %.1f bare launches\n", ELEMENTS, BAR);
    printf("  %-24s %12s %12s %12s\n", "variant", "time", "fastest", "bare ones");
    for (size_t i = 0; i < c->count; i++) {
        const bench_variant *v = &c->variants[i];
        if (v->taken == 0 || bare <= 0) {
            printf("  %-24s ERROR: %s\n", v->name, v->error);
            continue;
        }
        const double ratio = v->median / bare;
        const char *verdict = v->kind != BENCH_GPUPRIM ? "" : ratio <= BAR ? "  within" : "  OVER";
        printf("  %-24s %9.2f us %9.2f us %12.2f%s\n", v->name, v->median * 1e6, v->seconds[0] * 1e6, ratio,
               verdict);
    }
}

static void report(bench_case *c)
{
    const bool table = c->b->options.format == BENCH_TABLE;
    if (table) print_table(c);
    if (c->variants[0].median > 0) c->limit_per_s = ELEMENTS / (BAR * c->variants[0].median);
    if (table) report_results(c);
    else report_rows(c);
}

void bench_launch_cost(bench *b)
{
    const unsigned repeats = b->options.repeats;
    const size_t bytes = ELEMENTS * sizeof(uint32_t);
    const bench_case_desc desc = {.name = "launch",
                                  .primitive = BENCH_LAUNCH,
                                  .type = GP_U32,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .n = ELEMENTS,
                                  .out_bytes = bytes,
                                  .expected_bytes = bytes,
                                  .bytes = (double)bytes};
    bench_case c;
    if (!bench_case_open(b, &c, &desc)) return;
    if (repeats == 0) b->options.repeats = ROUNDS;
    data_scan(GP_U32, GP_SUM, c.in.host, ELEMENTS, c.expected);
    add_bare(&c, "bare", bench_run_kernel);
    add_bare(&c, "bare, two in a batch", run_two);
    add_calls(&c);
    bench_case_measure(&c);
    bench_case_note_failures(&c);
    report(&c);
    bench_case_close(&c);
    b->options.repeats = repeats;
}
