/* bench_host.c - gpbench host: gpuprim_host.h's calls on arrays in host memory, within a budget of device memory, beside
   the device's call on as much as fits into the budget, which is the limit, and beside host code. */
#define _POSIX_C_SOURCE 200809L
#define GP_HOST_IMPLEMENTATION
#include "../../gpuprim_host.h"
#include "../harness/bench.h"
#include "../harness/data.h"

#include "../nest/nests.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 256, KEYS = 1 << 20 };

/* A call, on the host's arrays and on [first, first + count) of the device's. */
typedef struct host_call {
    const char *name;
    bench_primitive primitive;
    gp_type type;
    unsigned in_bytes, out_bytes; /* that an element costs at the least, for GB/s; in the output */
    bool second_input;
    bool (*expect)(bench_case *c); /* false: no memory */
    gp_result (*on_host)(bench_case *c, size_t budget);
    gp_result (*on_device)(bench_case *c, size_t first, size_t count);
    bool (*check)(bench_case *c, bench_variant *v, const void *out);
} host_call;

/* Of the case at hand. */
static struct {
    const host_call *call;
    size_t budget;
    void *out;       /* the host's output: the case's own where the device is a CPU */
    size_t kept;     /* of select and group-by: elements of the output */
    uint64_t sum;    /* of keys, and of what each is mixed to */
    cl_mem spare[2]; /* sorted keys and values of a piece */
    cl_mem result;
} own;

/* ------------------------------------------------------------------ reduce, scan */

static bool expect_reduce(bench_case *c)
{
    data_reduce(GP_U32, GP_U32, GP_SUM, c->in.host, c->work.n, c->expected);
    return true;
}

static bool check_reduce(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, 1);
}

static gp_result host_reduce(bench_case *c, size_t budget)
{
    const gp_host_reduce_desc desc = {.in = c->in.host,
                                      .out = own.out,
                                      .count = c->work.n,
                                      .type = GP_U32,
                                      .out_type = GP_U32,
                                      .op = GP_SUM,
                                      .budget = budget};
    return gp_host_reduce(c->b->gp, &desc);
}

static gp_result device_reduce(bench_case *c, size_t first, size_t count)
{
    const gp_reduce_desc desc = {.in = c->work.in,
                                 .in_offset = first,
                                 .out = own.result,
                                 .count = count,
                                 .type = GP_U32,
                                 .out_type = GP_U32,
                                 .op = GP_SUM};
    return gp_reduce(c->b->gp, &desc);
}

static bool expect_scan(bench_case *c)
{
    data_scan(GP_U32, GP_SUM, c->in.host, c->work.n, c->expected);
    return true;
}

static bool check_scan(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, c->work.n);
}

static gp_result host_scan(bench_case *c, size_t budget)
{
    const gp_host_scan_desc desc = {
        .in = c->in.host, .out = own.out, .count = c->work.n, .type = GP_U32, .op = GP_SUM, .budget = budget};
    return gp_host_scan(c->b->gp, &desc);
}

static gp_result device_scan(bench_case *c, size_t first, size_t count)
{
    const gp_scan_desc desc = {.in = c->work.in,
                               .in_offset = first,
                               .out = c->work.out,
                               .out_offset = first,
                               .count = count,
                               .type = GP_U32,
                               .op = GP_SUM};
    return gp_scan(c->b->gp, &desc);
}

/* ------------------------------------------------------------------ sort */

static uint64_t sum_of_keys(const uint32_t *keys, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += keys[i] + ((uint64_t)keys[i] * keys[i] ^ keys[i] >> 3);
    return sum;
}

static void fill_random(uint32_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++) words[i] = (uint32_t)data_random_bits(i);
}

static bool expect_sort(bench_case *c)
{
    fill_random(c->in.host, c->work.n);
    own.sum = sum_of_keys(c->in.host, c->work.n);
    return true;
}

static bool check_sort(bench_case *c, bench_variant *v, const void *out)
{
    const uint32_t *keys = out;
    for (size_t i = 1; i < c->work.n; i++)
        if (keys[i - 1] > keys[i]) return bench_fail(v, "wrong order at %zu", i);
    return sum_of_keys(keys, c->work.n) == own.sum || bench_fail(v, "other keys than the input's");
}

static gp_result host_sort(bench_case *c, size_t budget)
{
    const gp_host_sort_desc desc = {.keys = c->in.host,
                                    .keys_out = own.out,
                                    .keys_tmp = c->expected,
                                    .count = c->work.n,
                                    .key_type = GP_U32,
                                    .budget = budget};
    return gp_host_sort(c->b->gp, &desc);
}

static gp_result device_sort(bench_case *c, size_t first, size_t count)
{
    const gp_sort_desc desc = {.keys = c->work.in,
                               .keys_offset = first,
                               .keys_out = c->work.out,
                               .keys_out_offset = first,
                               .count = count,
                               .key_type = GP_U32};
    return gp_sort(c->b->gp, &desc);
}

/* ------------------------------------------------------------------ select, histogram */

static bool expect_select(bench_case *c)
{
    uint32_t *in = c->in.host, *out = c->expected;
    fill_random(in, c->work.n);
    c->work.k = (size_t)1 << 31;
    own.kept = 0;
    for (size_t i = 0; i < c->work.n; i++)
        if (in[i] < c->work.k) out[own.kept++] = in[i];
    return true;
}

static bool check_select(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, own.kept);
}

static gp_result host_select(bench_case *c, size_t budget)
{
    const gp_host_select_desc desc = {.in = c->in.host,
                                      .out = own.out,
                                      .count = c->work.n,
                                      .type = GP_U32,
                                      .predicate = "x < 0x80000000u",
                                      .budget = budget};
    return gp_host_select(c->b->gp, &desc);
}

static gp_result device_select(bench_case *c, size_t first, size_t count)
{
    const gp_select_desc desc = {.in = c->work.in,
                                 .in_offset = first,
                                 .out = c->work.out,
                                 .out_offset = first,
                                 .count = count,
                                 .type = GP_U32,
                                 .predicate = "x < 0x80000000u"};
    return gp_select(c->b->gp, &desc);
}

static bool expect_histogram(bench_case *c)
{
    uint32_t *in = c->in.host, *out = c->expected;
    fill_random(in, c->work.n);
    c->work.segments = BINS;
    for (size_t i = 0; i < c->work.n; i++) out[in[i] >> 24]++;
    return true;
}

static bool check_histogram(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, BINS);
}

static gp_result host_histogram(bench_case *c, size_t budget)
{
    const gp_host_histogram_desc desc = {
        .in = c->in.host, .out = own.out, .count = c->work.n, .type = GP_U32, .bins = BINS, .budget = budget};
    return gp_host_histogram(c->b->gp, &desc);
}

static gp_result device_histogram(bench_case *c, size_t first, size_t count)
{
    const gp_histogram_desc desc = {.in = c->work.in,
                                    .in_offset = first,
                                    .out = own.result,
                                    .count = count,
                                    .type = GP_U32,
                                    .bins = BINS};
    return gp_histogram(c->b->gp, &desc);
}

/* ------------------------------------------------------------------ group by */

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* An odd factor: different numbers are different keys. */
static uint32_t key_of(size_t number) { return (uint32_t)number * 2654435769u; }

static bool expect_group_by(bench_case *c)
{
    uint32_t *keys = c->in.host, *values = c->in2.host, *sums = calloc(KEYS, sizeof *sums);
    uint64_t *out = c->expected;
    own.kept = 0;
    for (size_t i = 0; i < c->work.n && sums; i++) {
        const size_t number = data_random_bits(i) % KEYS;
        keys[i] = key_of(number);
        values[i] = 1 + (uint32_t)i % 16;
        sums[number] += values[i];
    }
    for (size_t number = 0; number < KEYS && sums; number++)
        if (sums[number]) out[own.kept++] = (uint64_t)key_of(number) << 32 | sums[number];
    qsort(out, own.kept, sizeof *out, compare);
    free(sums);
    return sums != NULL;
}

/* Peers have them in any order. */
static bool check_group_by(bench_case *c, bench_variant *v, const void *out)
{
    const uint32_t *keys = out, *sums = keys + c->work.n;
    uint64_t *got = malloc((own.kept + 1) * sizeof *got);
    bool right = got != NULL;
    for (size_t g = 0; g < own.kept && right; g++) got[g] = (uint64_t)keys[g] << 32 | sums[g];
    if (right && v->kind == BENCH_PEER) qsort(got, own.kept, sizeof *got, compare);
    right = right && memcmp(got, c->expected, own.kept * sizeof *got) == 0;
    free(got);
    return right || bench_fail(v, "wrong keys or sums");
}

static gp_result host_group_by(bench_case *c, size_t budget)
{
    const gp_host_group_by_desc desc = {.keys = c->in.host,
                                        .in = c->in2.host,
                                        .keys_out = own.out,
                                        .out = (uint32_t *)own.out + c->work.n,
                                        .count = c->work.n,
                                        .key_type = GP_U32,
                                        .type = GP_U32,
                                        .out_type = GP_U32,
                                        .op = GP_SUM,
                                        .budget = budget};
    return gp_host_group_by(c->b->gp, &desc);
}

static gp_result device_group_by(bench_case *c, size_t first, size_t count)
{
    const gp_sort_desc sort = {.keys = c->work.in,
                               .keys_offset = first,
                               .keys_out = own.spare[0],
                               .values = c->work.in2,
                               .values_offset = first,
                               .values_out = own.spare[1],
                               .count = count,
                               .key_type = GP_U32,
                               .value_size = 4};
    const gp_reduce_by_key_desc reduce = {.keys = own.spare[0],
                                          .in = own.spare[1],
                                          .keys_out = c->work.out,
                                          .keys_out_offset = first,
                                          .out = c->work.out,
                                          .out_offset = c->work.n + first,
                                          .count = count,
                                          .key_type = GP_U32,
                                          .type = GP_U32,
                                          .out_type = GP_U32,
                                          .op = GP_SUM};
    const gp_result result = gp_sort(c->b->gp, &sort);
    return result == GP_OK ? gp_reduce_by_key(c->b->gp, &reduce) : result;
}

/* ------------------------------------------------------------------ brackets */

static bool expect_brackets(bench_case *c)
{
    const unsigned char *text = c->in.host;
    uint32_t *match = c->expected, *stack = malloc(c->work.n * sizeof *stack);
    size_t height = 0;
    nest_inputs[0].fill(c->in.host, c->work.n);
    for (size_t i = 0; i < c->work.n && stack; i++) {
        match[i] = UINT32_MAX;
        if (nest_signs[text[i]] > 0) stack[height++] = (uint32_t)i;
        if (nest_signs[text[i]] >= 0 || height == 0) continue;
        match[i] = stack[--height];
        match[match[i]] = (uint32_t)i;
    }
    free(stack);
    c->work.signs = nest_signs;
    return stack != NULL;
}

static gp_result host_brackets(bench_case *c, size_t budget)
{
    const gp_host_brackets_desc desc = {.in = c->in.host,
                                        .match = own.out,
                                        .count = c->work.n,
                                        .type = GP_U8,
                                        .pairs = "()[]{}",
                                        .budget = budget};
    return gp_host_brackets(c->b->gp, &desc);
}

static gp_result device_brackets(bench_case *c, size_t first, size_t count)
{
    const gp_brackets_desc desc = {.in = c->work.in,
                                   .in_offset = first,
                                   .match = c->work.out,
                                   .match_offset = first,
                                   .count = count,
                                   .type = GP_U8,
                                   .pairs = "()[]{}"};
    return gp_brackets(c->b->gp, &desc);
}

static const host_call calls[] = {
    {"host reduce", BENCH_REDUCE, GP_U32, 4, 0, false, expect_reduce, host_reduce, device_reduce,
     check_reduce},
    {"host scan", BENCH_SCAN, GP_U32, 4, 4, false, expect_scan, host_scan, device_scan, check_scan},
    {"host sort", BENCH_SORT, GP_U32, 4, 4, false, expect_sort, host_sort, device_sort, check_sort},
    {"host select", BENCH_SELECT, GP_U32, 4, 4, false, expect_select, host_select, device_select,
     check_select},
    {"host histogram", BENCH_HISTOGRAM, GP_U32, 4, 0, false, expect_histogram, host_histogram,
     device_histogram, check_histogram},
    {"host group by", BENCH_GROUP_BY, GP_U32, 8, 8, true, expect_group_by, host_group_by, device_group_by,
     check_group_by},
    {"host brackets", BENCH_BRACKETS, GP_U8, 1, 4, false, expect_brackets, host_brackets, device_brackets,
     check_scan},
};

/* ------------------------------------------------------------------ variants */

static bool run_host(bench_case *c, bench_variant *v)
{
    const gp_result r = own.call->on_host(c, own.budget);
    return r == GP_OK || bench_fail_gp(c, v, r);
}

/* Elements that the device's call has room for within the budget: input, output, and as much again as scratch. */
static size_t piece_of(const bench_case *c)
{
    const size_t bytes = 2 * (own.call->in_bytes + own.call->out_bytes);
    const size_t piece = own.budget / (bytes < 16 ? 16 : bytes);
    return piece < c->work.n ? piece ? piece : 1 : c->work.n;
}

/* Piece by piece, of data that is on the device: the rate of what fits. */
static bool run_device(bench_case *c, bench_variant *v)
{
    const size_t n = c->work.n, piece = piece_of(c);
    for (size_t first = 0; first < n; first += piece) {
        const gp_result r = own.call->on_device(c, first, n - first < piece ? n - first : piece);
        if (r != GP_OK) return bench_fail_gp(c, v, r);
    }
    return gp_finish(c->b->gp) == GP_OK || bench_fail(v, "gp_finish failed");
}

/* The calls themselves are checked by their own sub-commands. */
static bool check_nothing(bench_case *c, bench_variant *v, const void *out)
{
    (void)c, (void)v, (void)out;
    return true;
}

static bench_variant *add(bench_case *c, bench_kind kind, const char *name)
{
    bench_variant *v = bench_variant_add(c, kind, "%s", name);
    v->on_host = kind == BENCH_GPUPRIM;
    v->run = kind == BENCH_GPUPRIM ? run_host : run_device;
    v->check = kind == BENCH_GPUPRIM ? own.call->check : check_nothing;
    v->out_bytes = own.call->out_bytes ? c->work.n * own.call->out_bytes : 8;
    return v;
}

/* ------------------------------------------------------------------ memory */

/* Bytes, of this process: "VmRSS:", "VmHWM:" (the most). 0: not told. */
static size_t memory_of(const char *name)
{
    char line[256];
    size_t kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, name, strlen(name)) == 0) kib = strtoul(line + strlen(name), NULL, 10);
    if (f) fclose(f);
    return kib << 10;
}

/* One more run, after Linux has been told to forget the most so far, and the C library to give back what is free. */
static void report_memory(bench_case *c, bench_variant *v)
{
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
    FILE *f = fopen("/proc/self/clear_refs", "w");
    const bool told = f != NULL && fputs("5", f) >= 0;
    const size_t before = memory_of("VmRSS:");
    if (f) fclose(f);
    if (c->b->options.format != BENCH_TABLE || !told || !before || v->error[0] || !run_host(c, v)) return;
    const size_t most = memory_of("VmHWM:");
    printf("    %-22s most memory beside the arrays: %.1f MiB, budget %.1f MiB%s\n", v->name,
           most > before ? (double)(most - before) / (1 << 20) : 0, (double)own.budget / (1 << 20),
           own.call->primitive == BENCH_SORT ? ", and keys_tmp, as large as the keys" : "");
    fflush(stdout);
}

/* ------------------------------------------------------------------ cases */

static bool open_own(bench_case *c)
{
    const size_t piece = piece_of(c);
    own.out = c->out.host ? c->out.host : calloc(c->out.bytes, 1);
    c->out.host = own.out; /* checks of what runs on the host read it; freed with the case */
    if (!own.out || gp_buffer_create(c->b->gp, BINS * 4, NULL, &own.result) != GP_OK) return false;
    for (int i = 0; i < 2 && own.call->second_input; i++)
        if (gp_buffer_create(c->b->gp, 4 * piece, NULL, &own.spare[i]) != GP_OK) return false;
    return own.call->expect(c);
}

static void close_own(void)
{
    const cl_mem all[] = {own.result, own.spare[0], own.spare[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) clReleaseMemObject(all[i]);
    memset(&own, 0, sizeof own);
}

static void host_case(bench *b, const host_call *call, size_t n)
{
    const size_t out = call->out_bytes ? n * call->out_bytes : BINS * 4;
    bench_case c;
    const bench_case_desc desc = {.name = call->name,
                                  .primitive = call->primitive,
                                  .type = call->type,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = out,
                                  .expected_bytes = call->primitive == BENCH_GROUP_BY ? 8 * KEYS : out,
                                  .bytes = (double)n * (call->in_bytes + call->out_bytes),
                                  .second_input = call->second_input};
    if (!bench_case_open(b, &c, &desc)) return;
    own.call = call;
    own.budget = b->options.budget ? b->options.budget : (size_t)64 << 20;
    if (open_own(&c)) {
        bench_case_upload(&c, &c.in);
        if (call->second_input) bench_case_upload(&c, &c.in2);
        bench_variant *v = add(&c, BENCH_GPUPRIM, "gpuprim");
        add(&c, BENCH_LIMIT, "limit:device");
        bench_add_peers(&c, call->check, v->out_bytes);
        bench_case_run(&c);
        report_memory(&c, v);
    } else {
        report_failure(b, &desc, "not enough memory");
    }
    close_own();
    bench_case_close(&c);
}

void bench_host(bench *b)
{
    const size_t n = b->options.n ? b->options.n : (size_t)1 << 26;
    const char *only = b->options.call ? b->options.call : "";
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strstr(calls[i].name, only)) host_case(b, &calls[i], n);
}
