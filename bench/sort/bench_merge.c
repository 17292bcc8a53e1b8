/* bench_merge.c - gpbench merge: two sorted halves of the input become one, keys and pairs, against the
   fastest copy. */
#include "../harness/bench.h"
#include "sorted.h"

#include <string.h>

static bool run(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_merge(c->b->gp, &v->with.merge);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return clFinish(c->b->queue) == CL_SUCCESS || bench_fail(v, "clFinish failed");
}

static uint64_t key_at(gp_type type, const void *keys, size_t i)
{
    const size_t size = data_size(type);
    uint64_t x = 0;
    memcpy(&x, (const char *)keys + i * size, size);
    return x;
}

/* Keys, then values, which are the indices of the input. Keys are not negative: bits are in their order. */
static void make_expected(bench_case *c)
{
    const size_t n = c->work.n, a = n / 2, size = data_size(c->work.type);
    uint32_t *values = (uint32_t *)((char *)c->expected + n * size);
    size_t i = 0, j = a;
    for (size_t k = 0; k < n; k++) {
        const bool first =
            j == n || (i < a && key_at(c->work.type, c->in.host, i) <= key_at(c->work.type, c->in.host, j));
        const size_t from = first ? i++ : j++;
        memcpy((char *)c->expected + k * size, (const char *)c->in.host + from * size, size);
        if (c->work.value_size) values[k] = (uint32_t)from;
    }
}

/* Exact, values too: all of them are stable. */
static bool check(bench_case *c, bench_variant *v, const void *out)
{
    const size_t bytes = c->work.n * (data_size(c->work.type) + c->work.value_size);
    return memcmp(out, c->expected, bytes) == 0 || bench_fail(v, "wrong result");
}

static void add(bench_case *c)
{
    const size_t n = c->work.n;
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "gpuprim");
    gp_merge_desc *d = &v->with.merge;
    v->run = run;
    v->check = check;
    v->out_bytes = n * (data_size(c->work.type) + c->work.value_size);
    memset(d, 0, sizeof *d);
    d->a_keys = d->b_keys = c->work.in;
    d->b_keys_offset = n / 2;
    d->a_count = n / 2;
    d->b_count = n - n / 2;
    d->keys_out = c->work.out;
    d->key_type = c->work.type;
    if (!c->work.value_size) return;
    d->value_size = c->work.value_size;
    d->a_values = d->b_values = c->work.in2;
    d->b_values_offset = n / 2;
    d->values_out = c->work.out;
    d->values_out_offset = n;
}

static void merge_case(bench *b, gp_type type, size_t n, bool pairs)
{
    const size_t size = data_size(type), bytes = n * (size + (pairs ? 4 : 0));
    const bench_case_desc desc = {.name = pairs ? "merge pairs" : "merge",
                                  .primitive = BENCH_MERGE,
                                  .type = type,
                                  .out_type = type,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = bytes,
                                  .expected_bytes = bytes,
                                  .bytes = 2.0 * (double)bytes,
                                  .second_input = pairs};
    bench_case c;
    if (!bench_case_open(b, &c, &desc)) return;
    c.work.value_size = pairs ? 4 : 0;
    sorted_fill(type, 1, c.in.host, n / 2);
    sorted_fill(type, 2, (char *)c.in.host + n / 2 * size, n - n / 2);
    bench_case_upload(&c, &c.in);
    for (size_t i = 0; pairs && i < n; i++) ((uint32_t *)c.in2.host)[i] = (uint32_t)i;
    if (pairs) bench_case_upload(&c, &c.in2);
    make_expected(&c);
    add(&c);
    if (!pairs) bench_add_limits(&c, STREAM_COPY, "limit:");
    bench_add_peers(&c, check, bytes);
    bench_case_run(&c);
    bench_case_close(&c);
}

static void keys_of(bench *b, gp_type type, size_t n)
{
    if (data_size(type) >= 4) merge_case(b, type, n, false); /* narrow keys are nearly all equal */
}

void bench_merge(bench *b)
{
    bench_sweep(b, keys_of);
    if (!b->options.type || b->options.type == GP_U32)
        merge_case(b, GP_U32, b->options.n ? b->options.n : (size_t)1 << 24, true);
}
