/* bench_topk_rows.c - gpbench topk-rows: the k largest keys of each row of a matrix and their columns, against the fastest loop
   that reads, and what the standard library and NumPy offer. */
#include "../harness/bench.h"
#include "../harness/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    size_t columns, k;
} shapes[] = {{5000, 10}, {5000, 1000}, {50000, 16}, {100, 10}, {32, 4}};

enum { WHOLE_ROWS = 400000 }; /* a multiple of all these columns */

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* Writes each row's k largest keys, in order. */
static bool make_expected(bench_case *c)
{
    const size_t columns = c->work.n / c->work.segments, k = c->work.k;
    float *row = malloc(columns * sizeof *row);
    if (row == NULL) return false;
    for (size_t s = 0; s < c->work.segments; s++) {
        memcpy(row, (const float *)c->in.host + s * columns, columns * sizeof *row);
        qsort(row, columns, sizeof *row, compare);
        memcpy((float *)c->expected + s * k, row, k * sizeof *row);
    }
    free(row);
    return true;
}

/* Compares the keys; and for the library, whose columns follow, what is there. */
static bool check(bench_case *c, bench_variant *v, const void *out)
{
    const size_t results = c->work.segments * c->work.k, columns = c->work.n / c->work.segments;
    const float *in = c->in.host, *keys = out;
    const uint32_t *at = (const uint32_t *)out + results;
    if (memcmp(out, c->expected, results * 4) != 0) return bench_fail(v, "wrong result: keys");
    for (size_t i = 0; i < results && v->kind == BENCH_GPUPRIM; i++) {
        const bool right = at[i] < columns && in[i / c->work.k * columns + at[i]] == keys[i];
        if (!right) return bench_fail(v, "wrong result: columns");
    }
    return true;
}

static bool run(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_segmented_topk(c->b->gp, &v->with.segmented_topk);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return gp_finish(c->b->gp) == GP_OK || bench_fail(v, "gp_finish failed");
}

static void add_own(bench_case *c)
{
    const size_t results = c->work.segments * c->work.k;
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "gpuprim");
    v->run = run;
    v->check = check;
    v->out_bytes = results * 8;
    v->with.segmented_topk = (gp_segmented_topk_desc){.keys = c->work.in,
                                                      .row_length = c->work.n / c->work.segments,
                                                      .segment_count = c->work.segments,
                                                      .keys_out = c->work.out,
                                                      .indices_out = c->work.out,
                                                      .indices_out_offset = results,
                                                      .k = c->work.k,
                                                      .key_type = GP_F32};
}

/* A matrix of at most n keys. */
static void topk_rows(bench *b, size_t shape, size_t n)
{
    const size_t columns = shapes[shape].columns, k = shapes[shape].k, rows = n / columns;
    char name[64];
    bench_case c;
    const bench_case_desc desc = {.name = name,
                                  .primitive = BENCH_TOPK_ROWS,
                                  .type = GP_F32,
                                  .out_type = GP_F32,
                                  .op = GP_SUM,
                                  .n = rows * columns,
                                  .out_bytes = rows * k * 8,
                                  .expected_bytes = rows * k * 4,
                                  .bytes = (double)(rows * columns) * 4};
    if (rows == 0) return;
    snprintf(name, sizeof name, "top %zu of rows of %zu", k, columns);
    if (!bench_case_open(b, &c, &desc)) return;
    uint64_t state = 1;
    for (size_t i = 0; i < rows * columns; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        ((float *)c.in.host)[i] = (float)(uint32_t)(state >> 40) / 16777216.0f;
    }
    if (!b->on_cpu)
        clEnqueueWriteBuffer(b->queue, c.in.mem, CL_TRUE, 0, rows * columns * 4, c.in.host, 0, NULL, NULL);
    c.word_sum = 0;
    for (size_t i = 0; i < c.in.bytes / 4; i++) c.word_sum += ((const uint32_t *)c.in.host)[i];
    c.work.segments = rows;
    c.work.k = k;
    if (make_expected(&c)) {
        add_own(&c);
        bench_add_limits(&c, STREAM_READ, "limit:");
        bench_add_peers(&c, check, rows * k * 4);
        bench_case_run(&c);
    }
    bench_case_close(&c);
}

void bench_topk_rows(bench *b)
{
    size_t n = b->options.n ? b->options.n : (size_t)1 << 24;
    if (n > WHOLE_ROWS) n -= n % WHOLE_ROWS; /* all matrices have as many keys */
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) topk_rows(b, i, n);
}
