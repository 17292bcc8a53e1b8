/* bench_run_length_decode.c - gpbench rle-decode: keys repeated by offsets of runs, against the fastest way to fill the output. */
#include "../harness/bench.h"
#include "../harness/pool.h"

#include <stdio.h>
#include <string.h>

static const uint32_t filler = 42;

static bool done(bench_case *c, bench_variant *v, gp_result r)
{
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return clFinish(c->b->queue) == CL_SUCCESS || bench_fail(v, "clFinish failed");
}

static bool run_decode(bench_case *c, bench_variant *v)
{
    return done(c, v, gp_run_length_decode(c->b->gp, &v->with.rle_decode));
}

static bool run_fill(bench_case *c, bench_variant *v) { return done(c, v, gp_fill(c->b->gp, &v->with.fill)); }

static void set_part(void *user, unsigned thread, unsigned threads)
{
    const bench_work *work = user;
    const size_t begin = work->n * thread / threads, end = work->n * (thread + 1) / threads;
    memset((uint32_t *)work->host_out + begin, (int)filler, (end - begin) * sizeof filler);
}

static bool run_memset(bench_case *c, bench_variant *v)
{
    (void)v;
    pool_run(c->b->pool, set_part, &c->work);
    return true;
}

static bool check(bench_case *c, bench_variant *v, const void *out)
{
    return memcmp(out, c->expected, c->work.n * sizeof filler) == 0 || bench_fail(v, "wrong elements");
}

/* What limits write: words of 42, or bytes. */
static bool check_filled(bench_case *c, bench_variant *v, const void *out)
{
    const unsigned char *byte = out;
    for (size_t i = 0; i < c->work.n * 4; i += 4) {
        if (byte[i] != filler) return bench_fail(v, "wrong elements");
    }
    return true;
}

static bench_variant *add(bench_case *c, bench_kind kind, const char *name,
                          bool (*run)(bench_case *, bench_variant *),
                          bool (*right)(bench_case *, bench_variant *, const void *))
{
    bench_variant *v = bench_variant_add(c, kind, "%s", name);
    v->run = run;
    v->check = right;
    v->out_bytes = c->work.n * sizeof filler;
    return v;
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Runs of 1 to 2 * length - 1 elements; `empty`: or of 0 to 2 * length. */
static void make_runs(bench_case *c, size_t length, bool empty)
{
    uint32_t state = 88172645u, *offsets = c->in2.host, *expected = c->expected;
    const uint32_t *keys = c->in.host;
    const size_t n = c->work.n;
    size_t at = 0, runs = 0;
    while (at < n) {
        const size_t any =
            empty ? next_random(&state) % (2 * length + 1) : 1 + next_random(&state) % (2 * length - 1);
        const size_t size = runs + 2 >= n || any > n - at ? n - at : any;
        offsets[runs] = (uint32_t)at;
        for (size_t i = 0; i < size; i++) expected[at + i] = keys[runs];
        at += size;
        runs++;
    }
    offsets[runs] = (uint32_t)n;
    c->work.segments = runs;
    c->work.host_offsets = offsets;
}

static void decode_case(bench *b, size_t n, size_t length, bool empty)
{
    char name[BENCH_NAME_MAX];
    const bench_case_desc desc = {.name = name,
                                  .primitive = BENCH_RLE_DECODE,
                                  .type = GP_U32,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = 4 * n,
                                  .expected_bytes = 4 * n,
                                  .bytes = 4.0 * (double)n,
                                  .second_input = true};
    bench_case c;
    snprintf(name, sizeof name, "rle-decode, runs of %s%zu", empty ? "0 to " : "",
             empty ? 2 * length : length);
    if (!bench_case_open(b, &c, &desc)) return;
    make_runs(&c, length, empty);
    bench_case_upload(&c, &c.in);
    bench_case_upload(&c, &c.in2);
    add(&c, BENCH_GPUPRIM, "gpuprim", run_decode, check)->with.rle_decode =
        (gp_run_length_decode_desc){.in = c.work.in,
                                    .offsets = c.work.in2,
                                    .offsets_type = GP_U32,
                                    .run_count = c.work.segments,
                                    .out = c.work.out,
                                    .count = n,
                                    .type = GP_U32};
    add(&c, BENCH_LIMIT, "limit:fill", run_fill, check_filled)->with.fill =
        (gp_fill_desc){.out = c.work.out, .element_size = 4, .value = &filler, .count = n};
    if (b->pool != NULL && b->on_cpu) {
        bench_variant *v = add(&c, BENCH_LIMIT, "limit:memset", run_memset, check_filled);
        v->on_host = v->pooled = true;
        v->shape = "host";
    }
    bench_add_peers(&c, check, 4 * n);
    bench_case_run(&c);
    bench_case_close(&c);
}

void bench_rle_decode(bench *b)
{
    static const size_t lengths[] = {1, 3, 16, 1000};
    const size_t n = b->options.n ? b->options.n : (size_t)1 << 24;
    for (size_t k = 0; k < 4; k++) decode_case(b, n, lengths[k], false);
    decode_case(b, n, 1, true);
}
