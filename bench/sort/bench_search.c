/* bench_search.c - gpbench search: as many random needles as there are sorted keys; sorted needles; against a
   copy of the needles. */
#include "../harness/bench.h"
#include "sorted.h"

#include <stdlib.h>
#include <string.h>

static bool run(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_search(c->b->gp, &v->with.search);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return clFinish(c->b->queue) == CL_SUCCESS || bench_fail(v, "clFinish failed");
}

/* The needles' order by keys: a needle of the same part of the range is near its own index, so that what is
   expected is found without searching. */
static uint32_t position(const uint32_t *keys, size_t n, uint32_t needle, size_t near)
{
    while (near > 0 && keys[near - 1] >= needle) near--;
    while (near < n && keys[near] < needle) near++;
    return (uint32_t)near;
}

/* Needles are other keys of the same kind, shuffled unless `in_order`. */
static bool make_needles(bench_case *c, bool in_order)
{
    const size_t n = c->work.n;
    uint32_t *needles = calloc(c->in2.bytes, 1), *expected = c->expected;
    uint64_t state = 88172645463325252u;
    if (!needles) return false;
    sorted_fill(GP_U32, 2, needles, n);
    for (size_t i = 0; i < n; i++) expected[i] = position(c->in.host, n, needles[i], i);
    for (size_t i = n; i > 1 && !in_order; i--) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const size_t j = state % i;
        const uint32_t needle = needles[i - 1], at = expected[i - 1];
        needles[i - 1] = needles[j];
        expected[i - 1] = expected[j];
        needles[j] = needle;
        expected[j] = at;
    }
    const bool done = bench_case_input2(c, needles);
    free(needles);
    return done;
}

static bool check(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, c->work.n);
}

static void add(bench_case *c)
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "gpuprim");
    v->run = run;
    v->check = check;
    v->out_bytes = c->work.n * sizeof(uint32_t);
    v->with.search = (gp_search_desc){.keys = c->work.in,
                                      .count = c->work.n,
                                      .needles = c->work.in2,
                                      .needle_count = c->work.n,
                                      .out = c->work.out,
                                      .out_type = GP_U32,
                                      .key_type = GP_U32};
}

static void search_case(bench *b, size_t n, bool in_order)
{
    const size_t bytes = n * sizeof(uint32_t);
    const bench_case_desc desc = {.name = in_order ? "search, needles in order" : "search",
                                  .primitive = BENCH_SEARCH,
                                  .type = GP_U32,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = bytes,
                                  .expected_bytes = bytes,
                                  .bytes = 2.0 * (double)bytes,
                                  .second_input = true};
    bench_case c;
    if (!bench_case_open(b, &c, &desc)) return;
    sorted_fill(GP_U32, 1, c.in.host, n);
    bench_case_upload(&c, &c.in);
    if (make_needles(&c, in_order)) {
        add(&c);
        bench_add_limits(&c, STREAM_COPY, "limit:");
        bench_add_peers(&c, check, bytes);
        bench_case_run(&c);
    }
    bench_case_close(&c);
}

void bench_search(bench *b)
{
    static const unsigned bits[] = {12, 16, 20, 22};
    for (size_t i = 0; i < sizeof bits / sizeof *bits && !b->options.n; i++)
        search_case(b, (size_t)1 << bits[i], false);
    if (b->options.n) search_case(b, b->options.n, false);
    search_case(b, b->options.n ? b->options.n : (size_t)1 << 22, true);
}
