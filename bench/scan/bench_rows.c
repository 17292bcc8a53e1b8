/* bench_rows.c - gpbench rows: sums and scans of the rows of matrices, and scans of columns. Sums are beside the fastest loop that reads
   and gp_reduce, scans beside the fastest copy, gp_scan, and what plain C and NumPy offer. */
#include "../harness/bench.h"

#include <stdio.h>

typedef struct rows_call {
    const char *what;
    bench_primitive primitive;
    size_t rows, columns;
    bool sums, down; /* reduces the rows; scans the columns */
} rows_call;

static bool ended(bench_case *c, bench_variant *v, gp_result r)
{
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return gp_finish(c->b->gp) == GP_OK || bench_fail(v, "gp_finish failed");
}

static bool run_sums(bench_case *c, bench_variant *v)
{
    return ended(c, v, gp_segmented_reduce(c->b->gp, &v->with.segmented_reduce));
}

static bool run_reduce(bench_case *c, bench_variant *v)
{
    return ended(c, v, gp_reduce(c->b->gp, &v->with.reduce));
}

static bool run_scans(bench_case *c, bench_variant *v)
{
    return ended(c, v, gp_segmented_scan(c->b->gp, &v->with.segmented_scan));
}

static bool run_scan(bench_case *c, bench_variant *v)
{
    return ended(c, v, gp_scan(c->b->gp, &v->with.scan));
}

static bool check(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, v->out_bytes / 4);
}

/* What is beside the call: one sum or scan of all elements. */
static bool check_nothing(bench_case *c, bench_variant *v, const void *out)
{
    (void)c;
    (void)v;
    (void)out;
    return true;
}

static void expect(const rows_call *r, bench_case *c)
{
    const size_t n = r->rows * r->columns;
    float *in = c->in.host, *expected = c->expected;
    for (size_t i = 0; i < n; i++) in[i] = (float)(i * 2654435761u >> 13 & 1); /* sums are exact */
    bench_case_upload(c, &c->in);
    c->word_sum = 0;
    for (size_t i = 0; i < c->in.bytes / 4; i++) c->word_sum += ((const uint32_t *)c->in.host)[i];
    for (size_t i = 0; i < n; i++) {
        const bool first = r->down ? i < r->columns : i % r->columns == 0;
        if (r->sums) expected[i / r->columns] = in[i] + (first ? 0 : expected[i / r->columns]);
        else expected[i] = in[i] + (first ? 0 : expected[i - (r->down ? r->columns : 1)]);
    }
}

static void add_sums(bench_case *c, const rows_call *r)
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "gpuprim");
    v->run = run_sums;
    v->check = check;
    v->out_bytes = r->rows * 4;
    v->with.segmented_reduce = (gp_segmented_reduce_desc){.in = c->work.in,
                                                          .row_length = r->columns,
                                                          .segment_count = r->rows,
                                                          .out = c->work.out,
                                                          .type = GP_F32,
                                                          .op = GP_SUM};
    v = bench_variant_add(c, BENCH_GPUPRIM, "gp_reduce of all");
    v->run = run_reduce;
    v->check = check_nothing;
    v->out_bytes = 4;
    v->with.reduce = (gp_reduce_desc){
        .in = c->work.in, .out = c->work.out, .count = c->work.n, .type = GP_F32, .op = GP_SUM};
    bench_add_limits(c, STREAM_READ, "limit:");
}

static void add_scans(bench_case *c, const rows_call *r)
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "gpuprim");
    v->run = run_scans;
    v->check = check;
    v->out_bytes = c->work.n * 4;
    v->with.segmented_scan = (gp_segmented_scan_desc){.in = c->work.in,
                                                      .out = c->work.out,
                                                      .row_length = r->down ? r->rows : r->columns,
                                                      .element_stride = r->down ? r->columns : 0,
                                                      .segment_count = r->down ? r->columns : r->rows,
                                                      .type = GP_F32,
                                                      .op = GP_SUM};
    v = bench_variant_add(c, BENCH_GPUPRIM, "gp_scan of all");
    v->run = run_scan;
    v->check = check_nothing;
    v->out_bytes = 4;
    v->with.scan = (gp_scan_desc){
        .in = c->work.in, .out = c->work.out, .count = c->work.n, .type = GP_F32, .op = GP_SUM};
    bench_add_limits(c, STREAM_COPY, "limit:");
    bench_add_peers(c, check, c->work.n * 4);
}

static void one(bench *b, const rows_call *r)
{
    const size_t n = r->rows * r->columns, results = r->sums ? r->rows : n;
    char name[64];
    const bench_case_desc desc = {.name = name,
                                  .primitive = r->primitive,
                                  .type = GP_F32,
                                  .out_type = GP_F32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = results * 4,
                                  .expected_bytes = results * 4,
                                  .bytes = (double)(n + results) * 4};
    bench_case c;
    snprintf(name, sizeof name, "%s of %zu x %zu", r->what, r->rows, r->columns);
    if (n == 0 || !bench_case_open(b, &c, &desc)) return;
    expect(r, &c);
    c.work.segments = r->rows;
    if (r->sums) add_sums(&c, r);
    else add_scans(&c, r);
    bench_case_run(&c);
    bench_case_close(&c);
}

void bench_rows(bench *b)
{
    const size_t least = 16 * 4000; /* rows of every length are whole */
    const size_t wanted = b->options.n ? b->options.n : (size_t)1 << 24,
                 n = wanted < least ? least : wanted / least * least;
    const size_t lengths[] = {32, 100, 1000, n / 16};
    size_t side = 32, k;
    while (4 * side * side <= wanted) side *= 2;
    for (k = 0; k < 4; k++)
        one(b, &(rows_call){"sums of rows", BENCH_ROW_SUMS, n / lengths[k], lengths[k], true, false});
    for (k = 0; k < 4; k++)
        one(b, &(rows_call){"scans of rows", BENCH_SCAN_ROWS, n / lengths[k], lengths[k], false, false});
    for (k = side; k >= 4; k = k == side && side > 32 ? 32 : k / 8)
        one(b, &(rows_call){"scans of columns", BENCH_SCAN_COLUMNS, side * side / k, k, false, true});
}
