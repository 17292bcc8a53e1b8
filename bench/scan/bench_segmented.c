/* bench_segmented.c - gpbench segmented: a scan in segments by keys and by flags, against the fastest loop
   that reads two streams and writes one. */
#include "../harness/bench.h"
#include "../harness/data.h"

#include <stdlib.h>

enum { MEAN = 30 }; /* elements of a segment */

static bool run(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_scan(c->b->gp, &v->with.scan);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return clFinish(c->b->queue) == CL_SUCCESS || bench_fail(v, "clFinish failed");
}

static bool check(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, c->work.n);
}

/* Keys that change at random, and what the scan must be. */
static bool make_keys(bench_case *c)
{
    uint32_t *keys = calloc(c->in2.bytes, 1), *expected = c->expected;
    const uint32_t *in = c->in.host;
    if (keys == NULL) return false;
    for (size_t i = 0; i < c->work.n; i++) {
        const bool head = i == 0 || (in[i] >> 7) % MEAN == 0;
        keys[i] = i == 0 ? 1 : keys[i - 1] + head;
        expected[i] = head ? in[i] : expected[i - 1] + in[i];
    }
    const bool done = bench_case_input2(c, keys);
    free(keys);
    return done;
}

/* The same segments as flags of a byte each. */
static cl_mem make_flags(const bench_case *c)
{
    const uint32_t *keys = c->in2.host;
    uint8_t *flags = calloc(c->work.n, 1);
    cl_mem buffer = NULL;
    for (size_t i = 1; flags != NULL && i < c->work.n; i++) flags[i] = keys[i] != keys[i - 1];
    if (flags != NULL) gp_buffer_create(c->b->gp, c->work.n, flags, &buffer);
    free(flags);
    return buffer;
}

static void add_variant(bench_case *c, const char *name, gp_segments segments, cl_mem heads, gp_type type)
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "%s", name);
    v->run = run;
    v->check = check;
    v->out_bytes = c->work.n * sizeof(uint32_t);
    v->with.scan = (gp_scan_desc){.in = c->work.in,
                                  .out = c->work.out,
                                  .count = c->work.n,
                                  .type = GP_U32,
                                  .op = GP_SUM,
                                  .segments = segments,
                                  .heads = heads,
                                  .heads_type = type};
}

void bench_segmented(bench *b)
{
    const size_t n = b->options.n > 0 ? b->options.n : (size_t)1 << 24, bytes = n * sizeof(uint32_t);
    bench_case c;
    const bench_case_desc desc = {.name = "segmented",
                                  .primitive = BENCH_STREAM,
                                  .type = GP_U32,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = bytes,
                                  .expected_bytes = bytes,
                                  .bytes = 3 * (double)bytes,
                                  .second_input = true};
    if (!bench_case_open(b, &c, &desc)) return;
    if (make_keys(&c)) {
        const cl_mem flags = make_flags(&c);
        add_variant(&c, "gpuprim:keys", GP_SEGMENTS_BY_KEYS, c.in2.mem, GP_U32);
        if (flags != NULL) add_variant(&c, "gpuprim:flags-u8", GP_SEGMENTS_BY_FLAGS, flags, GP_U8);
        bench_add_limits(&c, STREAM_ADD, "limit:");
        bench_case_run(&c);
        if (flags != NULL) clReleaseMemObject(flags);
    }
    bench_case_close(&c);
}
