/* bench_map.c - gpbench transform, fill, random, gather, stencil: elements made one by one. */
#include "../harness/bench.h"

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

static const gp_record uint4 = {.cl_type = "uint4", .size = 16};

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
    if (n % 4 == 0)
        add(&c, "gpuprim:uint4", run_transform)->with.transform = (gp_transform_desc){
            .in = c.work.in, .record = &uint4, .out = c.work.out, .map = "x * 3 + 1", .count = n / 4};
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

/* ------------------------------------------------------------------ random: words */

static bool run_random(bench_case *c, bench_variant *v)
{
    return done(c, v, gp_random(c->b->gp, &v->with.random));
}

/* Plain Philox4x32-10, a block at a time: what is expected, and a peer on each thread. */
static void philox(uint64_t block, uint64_t seed, uint32_t out[4])
{
    uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32), 0, 0};
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        const uint64_t p = (uint64_t)c[0] * 0xd2511f53u, q = (uint64_t)c[2] * 0xcd9e8d57u;
        c[0] = (uint32_t)(q >> 32) ^ c[1] ^ k0;
        c[1] = (uint32_t)q;
        c[2] = (uint32_t)(p >> 32) ^ c[3] ^ k1;
        c[3] = (uint32_t)p;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    memcpy(out, c, sizeof c);
}

static void philox_all(uint32_t *out, size_t n)
{
    for (size_t i = 0; i < n; i += 4) {
        uint32_t words[4];
        philox(i / 4, 1, words);
        memcpy(out + i, words, (n - i < 4 ? n - i : 4) * sizeof *words);
    }
}

static bool run_philox(bench_case *c, bench_variant *v)
{
    (void)v;
    philox_all(c->out.host, c->work.n);
    return true;
}

void bench_random(bench *b)
{
    const size_t n = b->options.n ? b->options.n : DEFAULT_N, bytes = n * sizeof(uint32_t);
    const bench_case_desc desc = {.name = "random",
                                  .primitive = BENCH_STREAM,
                                  .type = GP_U32,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = bytes,
                                  .expected_bytes = bytes,
                                  .bytes = (double)bytes};
    bench_case c;
    if (!bench_case_open(b, &c, &desc)) return;
    philox_all(c.expected, n);
    add(&c, "gpuprim", run_random)->with.random =
        (gp_random_desc){.out = c.work.out, .type = GP_U32, .seed = 1, .count = n};
    if (b->on_cpu && !b->options.no_peers) {
        bench_variant *host = bench_variant_add(&c, BENCH_PEER, "peer:c-philox-one-thread");
        host->on_host = true;
        host->shape = "host";
        host->strategy = "";
        host->run = run_philox;
        host->check = check;
        host->out_bytes = bytes;
    }
    bench_case_run(&c);
    bench_case_close(&c);
}

/* ------------------------------------------------------------------ gather: shuffled */

static bool run_gather(bench_case *c, bench_variant *v)
{
    return done(c, v, gp_gather(c->b->gp, &v->with.gather));
}

/* Each index once, shuffled. */
static bool make_indices(bench_case *c)
{
    uint32_t *indices = calloc(c->in2.bytes, 1);
    uint64_t state = 88172645463325252u;
    if (!indices) return false;
    for (size_t i = 0; i < c->work.n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const size_t j = state % (i + 1);
        indices[i] = indices[j];
        indices[j] = (uint32_t)i;
    }
    const bool made = bench_case_input2(c, indices);
    free(indices);
    return made;
}

void bench_gather(bench *b)
{
    const size_t n = b->options.n ? b->options.n : DEFAULT_N, bytes = n * sizeof(uint32_t);
    const bench_case_desc desc = {.name = "gather",
                                  .primitive = BENCH_GATHER,
                                  .type = GP_U32,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = bytes,
                                  .expected_bytes = bytes,
                                  .bytes = 3.0 * (double)bytes,
                                  .second_input = true};
    bench_case c;
    if (!bench_case_open(b, &c, &desc)) return;
    if (make_indices(&c)) {
        const uint32_t *in = c.in.host, *at = c.in2.host;
        uint32_t *expected = c.expected;
        for (size_t i = 0; i < n; i++) expected[i] = in[at[i]];
        add(&c, "gpuprim", run_gather)->with.gather = (gp_gather_desc){.in = c.work.in,
                                                                       .indices = c.work.in2,
                                                                       .out = c.work.out,
                                                                       .element_size = 4,
                                                                       .limit = n,
                                                                       .count = n};
        bench_add_limits(&c, STREAM_COPY, "limit:");
        bench_add_peers(&c, check, bytes);
        bench_case_run(&c);
    }
    bench_case_close(&c);
}

/* ------------------------------------------------------------------ stencil: 3 x 3 weights */

static const float stencil_weights[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};

static bool run_stencil(bench_case *c, bench_variant *v)
{
    return done(c, v, gp_stencil(c->b->gp, &v->with.stencil));
}

/* A square picture of whole numbers, whose sums are exact, and what is expected with clamped borders. */
static void make_picture(bench_case *c, size_t side)
{
    float *in = c->in.host, *expected = c->expected;
    for (size_t i = 0; i < side * side; i++) in[i] = (float)(i * 2654435761u >> 7 & 63);
    for (size_t y = 0; y < side; y++) {
        for (size_t x = 0; x < side; x++) {
            float sum = 0;
            for (size_t k = 0; k < 9; k++) {
                const size_t sx = x + k % 3, sy = y + k / 3; /* 1 too many */
                const size_t px = sx == 0 ? 0 : sx > side ? side - 1 : sx - 1;
                const size_t py = sy == 0 ? 0 : sy > side ? side - 1 : sy - 1;
                sum += stencil_weights[k] * in[py * side + px];
            }
            expected[y * side + x] = sum;
        }
    }
    bench_case_upload(c, &c->in);
}

void bench_stencil(bench *b)
{
    const size_t wanted = b->options.n ? b->options.n : DEFAULT_N;
    size_t side = 1;
    while ((side + 1) * (side + 1) <= wanted) side++;
    const size_t n = side * side, bytes = n * sizeof(float);
    const bench_case_desc desc = {.name = "stencil, 3 x 3 weights",
                                  .primitive = BENCH_STENCIL,
                                  .type = GP_F32,
                                  .out_type = GP_F32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = bytes,
                                  .expected_bytes = bytes,
                                  .bytes = 2.0 * (double)bytes};
    bench_case c;
    cl_mem weights;
    if (gp_buffer_create(b->gp, sizeof stencil_weights, stencil_weights, &weights) != GP_OK) return;
    if (bench_case_open(b, &c, &desc)) {
        make_picture(&c, side);
        c.work.k = side;
        add(&c, "gpuprim", run_stencil)->with.stencil = (gp_stencil_desc){.in = c.work.in,
                                                                          .out = c.work.out,
                                                                          .type = GP_F32,
                                                                          .width = side,
                                                                          .height = side,
                                                                          .radius_x = 1,
                                                                          .radius_y = 1,
                                                                          .weights = weights};
        bench_add_limits(&c, STREAM_COPY, "limit:");
        bench_add_peers(&c, check, bytes);
        bench_case_run(&c);
        bench_case_close(&c);
    }
    clReleaseMemObject(weights);
}
