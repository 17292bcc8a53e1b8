/* bench_segmented_sort.c - gpbench segmented-sort: keys of one segment, of many of one length, of lengths by Zipf's law; and the
   order of the rows of a matrix, as indices. */
#include "../harness/bench.h"
#include "../harness/data.h"

#include <stdlib.h>
#include <string.h>

typedef enum lengths {
    ONE,
    THOUSANDS,
    SIXTEENS,
    ZIPF,
    ROWS_OF_32,
    ROWS_OF_4096,
    ROWS_OF_2_20,
    LENGTHS
} lengths;

static const char *const names[LENGTHS] = {"segments: one",
                                           "segments of 1000",
                                           "segments of 16",
                                           "segments: zipf",
                                           "segments: order of rows of 32",
                                           "segments: order of rows of 4096",
                                           "segments: order of rows of 2^20"};

static size_t length_of(lengths how, size_t n)
{
    static const size_t all[LENGTHS] = {0, 1000, 16, 0, 32, 4096, (size_t)1 << 20};
    return all[how] > 0 && all[how] < n ? all[how] : n;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* n elements in 65536 segments, the k-th longest of which has a share of 1 / k, in random order. */
static size_t fill_zipf(uint32_t *offsets, size_t n)
{
    enum { SEGMENTS = 65536 };
    const size_t m = n < SEGMENTS ? n : SEGMENTS;
    double harmonic = 0;
    uint64_t state = 1;
    size_t sum = 0;
    for (size_t k = 1; k <= m; k++) harmonic += 1.0 / (double)k;
    for (size_t k = 0; k < m; k++) offsets[k] = (uint32_t)((double)n / harmonic / (double)(k + 1));
    for (size_t k = m - 1; k > 0; k--) {
        const size_t other = next_random(&state) % (k + 1);
        const uint32_t length = offsets[k];
        offsets[k] = offsets[other];
        offsets[other] = length;
    }
    for (size_t k = 0; k < m; k++) {
        const uint32_t length = offsets[k];
        offsets[k] = (uint32_t)sum;
        sum += length;
    }
    offsets[m] = (uint32_t)n; /* the last one also takes what rounding left */
    return m;
}

/* How many segments there are. */
static size_t fill_offsets(lengths how, uint32_t *offsets, size_t n)
{
    const size_t length = length_of(how, n);
    size_t m = 0;
    if (how == ZIPF) return fill_zipf(offsets, n);
    for (size_t at = 0; at < n; at += length) offsets[m++] = (uint32_t)at;
    offsets[m] = (uint32_t)n;
    return m;
}

/* ------------------------------------------------------------------ case */

static int compare_keys(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int compare_entries(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Writes the stable order of each row. Keys are floats that are not negative, so that their bits have their order. */
static void fill_expected_order(bench_case *c)
{
    const uint32_t *offsets = c->work.host_offsets, *keys = c->in.host;
    uint64_t *entries = malloc((c->work.n + 1) * sizeof *entries);
    if (entries == NULL) return;
    for (size_t s = 0; s < c->work.segments; s++) {
        const size_t begin = offsets[s], length = offsets[s + 1] - begin;
        for (size_t i = 0; i < length; i++) entries[i] = (uint64_t)keys[begin + i] << 32 | i;
        qsort(entries, length, sizeof *entries, compare_entries);
        for (size_t i = 0; i < length; i++) ((uint32_t *)c->expected)[begin + i] = (uint32_t)entries[i];
    }
    free(entries);
}

static void fill_expected(bench_case *c)
{
    const uint32_t *offsets = c->work.host_offsets;
    uint32_t *keys = c->expected;
    memcpy(keys, c->in.host, c->work.n * sizeof *keys);
    for (size_t s = 0; s < c->work.segments; s++)
        qsort(keys + offsets[s], offsets[s + 1] - offsets[s], sizeof *keys, compare_keys);
}

static void fill_keys(bench_case *c)
{
    uint32_t *keys = c->in.host;
    uint64_t state = 2;
    for (size_t i = 0; i < c->work.n; i++)
        keys[i] = (uint32_t)(next_random(&state) << 8 ^ next_random(&state));
    for (size_t i = 0; i < c->work.n && c->work.type == GP_F32; i++)
        ((float *)c->in.host)[i] = (float)(keys[i] >> 8) / 16777216.0f;
    if (!c->b->on_cpu)
        clEnqueueWriteBuffer(c->b->queue, c->in.mem, CL_TRUE, 0, c->in.bytes, keys, 0, NULL, NULL);
}

static bool run(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_segmented_sort(c->b->gp, &v->with.segmented_sort);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return clFinish(c->b->queue) == CL_SUCCESS || bench_fail(v, "clFinish failed");
}

static bool run_order(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_segmented_argsort(c->b->gp, &v->with.segmented_sort);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return clFinish(c->b->queue) == CL_SUCCESS || bench_fail(v, "clFinish failed");
}

static bool check(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, c->work.n);
}

static void add_variant(bench_case *c, cl_mem offsets)
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "gpuprim");
    v->run = run;
    v->check = check;
    v->out_bytes = c->work.n * sizeof(uint32_t);
    v->with.segmented_sort = (gp_segmented_sort_desc){.keys = c->work.in,
                                                      .keys_out = c->work.out,
                                                      .count = c->work.n,
                                                      .offsets = offsets,
                                                      .offsets_type = GP_U32,
                                                      .segment_count = c->work.segments,
                                                      .key_type = GP_U32};
}

static void add_order(bench_case *c, size_t columns)
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "gpuprim");
    v->run = run_order;
    v->check = check;
    v->out_bytes = c->work.n * sizeof(uint32_t);
    v->with.segmented_sort = (gp_segmented_sort_desc){.keys = c->work.in,
                                                      .values_out = c->work.out,
                                                      .count = c->work.n,
                                                      .row_length = columns,
                                                      .segment_count = c->work.segments,
                                                      .key_type = GP_F32};
}

static void run_case(bench_case *c, lengths how)
{
    uint32_t *offsets = malloc((c->work.n + 1) * sizeof *offsets);
    cl_mem buffer = NULL;
    if (offsets == NULL) return;
    c->work.segments = fill_offsets(how, offsets, c->work.n);
    c->work.host_offsets = offsets;
    gp_buffer_create(c->b->gp, (c->work.segments + 1) * sizeof *offsets, offsets, &buffer);
    if (buffer != NULL) {
        fill_keys(c);
        if (how < ROWS_OF_32) {
            fill_expected(c);
            add_variant(c, buffer);
        } else {
            fill_expected_order(c);
            add_order(c, length_of(how, c->work.n));
        }
        bench_add_peers(c, check, c->work.n * sizeof(uint32_t));
        bench_case_run(c);
        clReleaseMemObject(buffer);
    }
    free(offsets);
}

void bench_segmented_sort(bench *b)
{
    const size_t every = b->options.n > 0 ? b->options.n : (size_t)1 << 24;
    for (int how = 0; how < LENGTHS; how++) {
        bench_case c;
        const size_t n = how < ROWS_OF_32 ? every : every - every % length_of((lengths)how, every);
        const size_t bytes = n * sizeof(uint32_t);
        const bench_case_desc desc = {.name = names[how],
                                      .primitive = BENCH_SEGMENTED_SORT,
                                      .type = how < ROWS_OF_32 ? GP_U32 : GP_F32,
                                      .out_type = GP_U32,
                                      .op = GP_SUM,
                                      .n = n,
                                      .out_bytes = bytes,
                                      .expected_bytes = bytes,
                                      .bytes = 2 * (double)bytes};
        if (!bench_case_open(b, &c, &desc)) continue;
        run_case(&c, (lengths)how);
        bench_case_close(&c);
    }
}
