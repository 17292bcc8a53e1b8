/* bench_map.c - gpbench transform, fill: elements made one by one, against a copy. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_N ((size_t)1 << 24)

static bool done(bench_case *c, bench_variant *v, gp_result r)
{
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return clFinish(c->b->queue) == CL_SUCCESS || bench_fail(v, "clFinish failed");
}

static bool check(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, c->work.n);
}

static bench_variant *add(bench_case *c, const char *name, bool (*run)(bench_case *c, bench_variant *v))
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "%s", name);
    v->run = run;
    v->check = check;
    v->out_bytes = c->work.n * sizeof(uint32_t);
    return v;
}

/* ------------------------------------------------------------------ transform: x * 3 + 1 */

static bool run_transform(bench_case *c, bench_variant *v)
{
    return done(c, v, gp_transform(c->b->gp, &v->with.transform));
}

void bench_transform(bench *b)
{
    const size_t n = b->options.n ? b->options.n : DEFAULT_N, bytes = n * sizeof(uint32_t);
    const bench_case_desc desc = {.name = "transform",
                                  .primitive = BENCH_TRANSFORM,
                                  .type = GP_U32,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = bytes,
                                  .expected_bytes = bytes,
                                  .bytes = 2.0 * (double)bytes};
    bench_case c;
    if (!bench_case_open(b, &c, &desc)) return;
    const uint32_t *in = c.in.host;
    uint32_t *expected = c.expected;
    for (size_t i = 0; i < n; i++) expected[i] = in[i] * 3u + 1u;
    add(&c, "gpuprim", run_transform)->with.transform = (gp_transform_desc){
        .in = c.work.in, .type = GP_U32, .out = c.work.out, .map = "x * 3 + 1", .count = n};
    bench_add_limits(&c, STREAM_COPY, "limit:");
    bench_add_peers(&c, check, bytes);
    bench_case_run(&c);
    bench_case_close(&c);
}

/* ------------------------------------------------------------------ fill: 42 */

static bool run_fill(bench_case *c, bench_variant *v) { return done(c, v, gp_fill(c->b->gp, &v->with.fill)); }

static bool run_fill_buffer(bench_case *c, bench_variant *v)
{
    const uint32_t value = 42;
    const cl_int e = clEnqueueFillBuffer(c->b->queue, c->work.out, &value, sizeof value, 0,
                                         c->work.n * sizeof value, 0, NULL, NULL);
    if (e != CL_SUCCESS) return bench_fail(v, "clEnqueueFillBuffer: %d", (int)e);
    return clFinish(c->b->queue) == CL_SUCCESS || bench_fail(v, "clFinish failed");
}

void bench_fill(bench *b)
{
    static const uint32_t value = 42;
    const size_t n = b->options.n ? b->options.n : DEFAULT_N, bytes = n * sizeof value;
    const bench_case_desc desc = {.name = "fill",
                                  .primitive = BENCH_FILL,
                                  .type = GP_U32,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = bytes,
                                  .expected_bytes = bytes,
                                  .bytes = (double)bytes};
    bench_case c;
    if (!bench_case_open(b, &c, &desc)) return;
    uint32_t *expected = c.expected;
    for (size_t i = 0; i < n; i++) expected[i] = value;
    add(&c, "gpuprim", run_fill)->with.fill =
        (gp_fill_desc){.out = c.work.out, .element_size = 4, .value = &value, .count = n};
    bench_variant *other = bench_variant_add(&c, BENCH_PEER, "peer:fill-buffer");
    other->run = run_fill_buffer;
    other->check = check;
    other->out_bytes = bytes;
    bench_add_peers(&c, check, bytes);
    bench_case_run(&c);
    bench_case_close(&c);
}
