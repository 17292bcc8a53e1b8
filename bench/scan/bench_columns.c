/* bench_columns.c - gpbench columns: sums of the columns of a square matrix, a tall one and a wide one, against the fastest loop that
   reads, and what plain C and NumPy offer. */
#include "../harness/bench.h"

#include <stdio.h>

static bool run(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_segmented_reduce(c->b->gp, &v->with.segmented_reduce);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return gp_finish(c->b->gp) == GP_OK || bench_fail(v, "gp_finish failed");
}

static bool check(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, c->work.n / c->work.segments);
}

static void sum_columns(bench *b, size_t rows, size_t columns)
{
    const size_t n = rows * columns;
    char name[64];
    const bench_case_desc desc = {.name = name,
                                  .primitive = BENCH_COLUMNS,
                                  .type = GP_F32,
                                  .out_type = GP_F32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = columns * 4,
                                  .expected_bytes = columns * 4,
                                  .bytes = (double)n * 4};
    bench_case c;
    snprintf(name, sizeof name, "columns of %zu x %zu", rows, columns);
    if (n == 0 || !bench_case_open(b, &c, &desc)) return;
    float *in = c.in.host, *expected = c.expected;
    for (size_t i = 0; i < n; i++) in[i] = (float)(i * 2654435761u >> 13 & 1); /* sums are exact */
    bench_case_upload(&c, &c.in);
    c.word_sum = 0;
    for (size_t i = 0; i < c.in.bytes / 4; i++) c.word_sum += ((const uint32_t *)c.in.host)[i];
    for (size_t i = 0; i < columns; i++) expected[i] = 0;
    for (size_t i = 0; i < n; i++) expected[i % columns] += in[i];
    c.work.segments = rows;
    bench_variant *v = bench_variant_add(&c, BENCH_GPUPRIM, "gpuprim");
    v->run = run;
    v->check = check;
    v->out_bytes = columns * 4;
    v->with.segmented_reduce = (gp_segmented_reduce_desc){.in = c.work.in,
                                                          .row_length = rows,
                                                          .row_stride = 1,
                                                          .element_stride = columns,
                                                          .segment_count = columns,
                                                          .out = c.work.out,
                                                          .type = GP_F32,
                                                          .op = GP_SUM};
    bench_add_limits(&c, STREAM_READ, "limit:");
    bench_add_peers(&c, check, columns * 4);
    bench_case_run(&c);
    bench_case_close(&c);
}

void bench_columns(bench *b)
{
    const size_t n = b->options.n ? b->options.n : (size_t)1 << 24;
    size_t side = 32;
    while (4 * side * side <= n) side *= 2; /* all matrices have as many elements */
    sum_columns(b, side, side);
    sum_columns(b, side * side / 32, 32);
    sum_columns(b, 32, side * side / 32);
    sum_columns(b, side * side / 4, 4);
}
