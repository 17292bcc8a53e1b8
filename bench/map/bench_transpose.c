/* bench_transpose.c - gpbench transpose: a square matrix, a wide one and a tall one, against the fastest copy, and what plain C and
   NumPy offer. */
#include "../harness/bench.h"

#include <stdio.h>

static bool run(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_transpose(c->b->gp, &v->with.transpose);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return gp_finish(c->b->gp) == GP_OK || bench_fail(v, "gp_finish failed");
}

static bool check(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, c->work.n);
}

static void transpose(bench *b, const char *name, size_t rows, size_t columns)
{
    const size_t n = rows * columns, bytes = n * sizeof(uint32_t);
    const bench_case_desc desc = {.name = name,
                                  .primitive = BENCH_TRANSPOSE,
                                  .type = GP_U32,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = bytes,
                                  .expected_bytes = bytes,
                                  .bytes = 2.0 * (double)bytes};
    bench_case c;
    if (n == 0 || !bench_case_open(b, &c, &desc)) return;
    const uint32_t *in = c.in.host;
    uint32_t *expected = c.expected;
    for (size_t i = 0; i < n; i++) expected[i % columns * rows + i / columns] = in[i];
    c.work.segments = rows;
    bench_variant *v = bench_variant_add(&c, BENCH_GPUPRIM, "gpuprim");
    v->run = run;
    v->check = check;
    v->out_bytes = bytes;
    v->with.transpose = (gp_transpose_desc){
        .in = c.work.in, .out = c.work.out, .rows = rows, .columns = columns, .element_size = 4};
    bench_add_limits(&c, STREAM_COPY, "limit:");
    bench_add_peers(&c, check, bytes);
    bench_case_run(&c);
    bench_case_close(&c);
}

void bench_transpose(bench *b)
{
    const size_t n = b->options.n ? b->options.n : (size_t)1 << 24;
    size_t side = 16;
    while (4 * side * side <= n) side *= 2; /* all matrices have as many elements */
    transpose(b, "transpose, square", side, side);
    transpose(b, "transpose, 16 rows", 16, side * side / 16);
    transpose(b, "transpose, 8 columns", side * side / 8, 8);
}
