/* bench_sort.c - gpbench sort: keys, pairs and records, by size and entropy; onesweep, classic and chained in one
 * table. */
#include "../harness/bench.h"
#include "../harness/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the ANDs of random words leave of 32 bits of entropy, as a fraction; the last one: all keys the same. */
static const char *const entropies[] = {"1.0", ".811", ".544", ".337", ".201", "0"};
enum { ENTROPIES = sizeof entropies / sizeof *entropies };
enum { ENTROPY_N_MAX = 1 << 24 }; /* beyond, a row takes minutes */

/* A way to sort in a context of its own: tuning belongs to the context. */
typedef struct way {
    const char *name;
    gp_strategy strategy;
    gp_tuning tuning;
    gp_context *gp; /* NULL: the device cannot, or not yet */
} way;

static way ways[] = {
    /* only passes over all keys */
    {"gpuprim:classic", GP_STRATEGY_MULTI_PASS, {.sort_bucket = 1}, NULL},
    /* the naive tail: strictly in order */
    {"gpuprim:onesweep:ordered", GP_STRATEGY_SINGLE_PASS, {.ring_block = 1}, NULL},
    /* waits for the tile before */
    {"gpuprim:onesweep:chained", GP_STRATEGY_SINGLE_PASS, {.ring_reach = 1}, NULL},
};
enum { WAYS = sizeof ways / sizeof *ways };

static void open_ways(bench *b)
{
    for (size_t i = 0; i < WAYS; i++) {
        gp_context_desc desc = {.queue = b->queue, .tuning = b->options.tuning};
        desc.tuning.ring_block = ways[i].tuning.ring_block;
        desc.tuning.ring_reach = ways[i].tuning.ring_reach;
        desc.tuning.sort_bucket = ways[i].tuning.sort_bucket;
        if (gp_context_create(&desc, &ways[i].gp) != GP_OK) ways[i].gp = NULL;
    }
}

static void close_ways(void)
{
    for (size_t i = 0; i < WAYS; i++) {
        gp_context_destroy(ways[i].gp);
        ways[i].gp = NULL;
    }
}

/* ------------------------------------------------------------------ input, expected result */

/* What keys are like. */
typedef enum content {
    RANDOM,  /* bits, of one of the entropies */
    UNIFORM, /* floats in [0, 1) */
    NORMAL,  /* floats: sums of twelve such, around 0 */
    SMALL,   /* integers below 256 */
    ZIPF,    /* integers to n, x as often as 1 / x, about */
    NEARLY   /* in order, but for one in a hundred */
} content;
static const char *const contents[] = {"", ", uniform", ", normal", ", mod 256", ", Zipf", ", nearly sorted"};

static uint64_t random_word(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Random bits; floats get no NaN, which std::sort cannot take. */
static void fill_keys(gp_type type, int entropy, void *keys, size_t n)
{
    const size_t size = data_size(type);
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++) {
        uint64_t x = entropy == ENTROPIES - 1 ? 0x1234567 : random_word(&state);
        for (int k = 0; k < entropy && entropy < ENTROPIES - 1; k++) x &= random_word(&state);
        if (type == GP_F32 && (x >> 23 & 255) == 255) x ^= 1 << 23;
        if (type == GP_F64 && (x >> 52 & 2047) == 2047) x ^= UINT64_C(1) << 52;
        memcpy((char *)keys + i * size, &x, size); /* little-endian, as devices are */
    }
}

static void fill_contents(gp_type type, content content, void *keys, size_t n)
{
    uint64_t state = 1;
    for (size_t i = 0; i < n; i++) {
        double x = (double)(random_word(&state) >> 40) / 16777216.0;
        if (content == NORMAL) {
            for (int k = 1; k < 12; k++) x += (double)(random_word(&state) >> 40) / 16777216.0;
            x -= 6.0;
        } else if (content == SMALL) {
            x = floor(x * 256.0);
        } else if (content == ZIPF) {
            x = floor(pow((double)n, x));
        } else if (content == NEARLY) {
            x = x < .01 ? (double)(random_word(&state) % n) : (double)i;
        }
        if (type == GP_F32) ((float *)keys)[i] = (float)x;
        else ((uint32_t *)keys)[i] = (uint32_t)x;
    }
}

/* The key as an unsigned number that is ordered as the keys are. */
static uint64_t order_of(gp_type type, uint64_t x)
{
    const unsigned width = 8 * (unsigned)data_size(type);
    const uint64_t ones = ~UINT64_C(0) >> (64 - width), sign = UINT64_C(1) << (width - 1);
    if (data_is_float(type)) return x & sign ? ~x & ones : x | sign;
    return type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64 ? x ^ sign : x;
}

static uint64_t key_at(gp_type type, const void *keys, size_t i)
{
    const size_t size = data_size(type);
    uint64_t x = 0;
    memcpy(&x, (const char *)keys + i * size, size);
    return x;
}

/* The order of the keys, stable, by 16 bits at a time. False: no memory. */
static bool sort_indices(gp_type type, const void *keys, size_t n, uint32_t *order)
{
    uint32_t *other = malloc(n * sizeof *other), *from = order, *to = other;
    size_t *next = malloc(65536 * sizeof *next);
    for (size_t i = 0; i < n && other && next; i++) order[i] = (uint32_t)i;
    for (unsigned shift = 0; shift < (data_size(type) == 8 ? 64u : 32u) && other && next; shift += 16) {
        size_t sum = 0;
        memset(next, 0, 65536 * sizeof *next);
        for (size_t i = 0; i < n; i++) next[order_of(type, key_at(type, keys, i)) >> shift & 65535]++;
        for (size_t d = 0; d < 65536; d++) {
            const size_t x = next[d];
            next[d] = sum;
            sum += x;
        }
        for (size_t i = 0; i < n; i++)
            to[next[order_of(type, key_at(type, keys, from[i])) >> shift & 65535]++] = from[i];
        uint32_t *const swap = from;
        from = to;
        to = swap;
    }
    free(next);
    free(other); /* an even number of passes ends in `order` */
    return other && next;
}

/* Keys in their order, then the values, which are the indices. */
static bool make_expected(bench_case *c, gp_type type, bool pairs)
{
    const size_t n = c->work.n, size = data_size(type);
    uint32_t *order = malloc(n * sizeof *order);
    const bool made = order && sort_indices(type, c->in.host, n, order);
    for (size_t i = 0; i < n && made; i++)
        memcpy((char *)c->expected + i * size, (const char *)c->in.host + order[i] * size, size);
    if (pairs && made) memcpy((char *)c->expected + n * size, order, n * sizeof *order);
    free(order);
    return made;
}

/* ------------------------------------------------------------------ variants */

static bool run(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_sort(v->with.sort.gp, &v->with.sort.desc);
    if (r != GP_OK && v->with.sort.gp != c->b->gp) return bench_fail(v, "%s", gp_last_error(v->with.sort.gp));
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return gp_finish(v->with.sort.gp) == GP_OK || bench_fail(v, "gp_finish failed");
}

/* Exact; an unstable peer's values only have to belong to their keys. */
static bool check(bench_case *c, bench_variant *v, const void *out)
{
    const size_t n = c->work.n, size = data_size(c->work.type);
    const uint32_t *values = (const uint32_t *)((const char *)out + n * size);
    if (memcmp(out, c->expected, n * size) != 0) return bench_fail(v, "wrong result: keys");
    if (!c->work.value_size) return true;
    if (v->kind == BENCH_GPUPRIM && memcmp(values, (const char *)c->expected + n * size, n * 4) != 0)
        return bench_fail(v, "wrong result: values, or not stable");
    for (size_t i = 0; i < n; i++) {
        if (values[i] >= n || key_at(c->work.type, c->in.host, values[i]) != key_at(c->work.type, out, i))
            return bench_fail(v, "wrong result: value %zu is not its key's", i);
    }
    return true;
}

static bench_variant *add(bench_case *c, const char *name, gp_context *gp, gp_strategy strategy)
{
    static const char *const strategies[GP_STRATEGY_COUNT] = {"auto", "single-pass", "multi-pass"};
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "%s", name);
    gp_sort_desc *d = &v->with.sort.desc;
    v->strategy = strategies[strategy];
    v->run = run;
    v->check = check;
    v->out_bytes = c->work.n * (data_size(c->work.type) + c->work.value_size);
    v->with.sort.gp = gp;
    memset(d, 0, sizeof *d);
    d->keys = c->work.in;
    d->keys_out = c->work.out;
    d->count = c->work.n;
    d->key_type = c->work.type;
    d->value_size = c->work.value_size;
    d->strategy = strategy;
    if (c->work.value_size) {
        d->values = c->work.in2;
        d->values_out = c->work.out;
        d->values_out_offset = c->work.n;
    }
    return v;
}

static void report_scratch(bench_case *c, const bench_variant *v)
{
    size_t bytes = 0;
    const size_t second = c->work.n * (data_size(c->work.type) + c->work.value_size);
    if (c->b->options.format != BENCH_TABLE || v->unsupported) return;
    if (gp_sort_scratch_size(c->b->gp, &v->with.sort.desc, &bytes) == GP_OK && bytes >= second)
        printf("    %-26s scratch besides the second buffers: %zu bytes\n", v->name, bytes - second);
}

static void sort_case(bench *b, gp_type type, size_t n, bool pairs, int entropy, content content)
{
    const size_t size = data_size(type), bytes = n * (size + (pairs ? 4 : 0));
    char name[32];
    bench_case c;
    snprintf(name, sizeof name, "sort%s%s%s%s", pairs ? " pairs" : "", entropy ? ", entropy " : "",
             entropy ? entropies[entropy] : "", contents[content]);
    const bench_case_desc desc = {.name = name,
                                  .primitive = BENCH_SORT,
                                  .type = type,
                                  .out_type = type,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = bytes,
                                  .expected_bytes = bytes,
                                  .bytes = (double)n * (size + 2.0 * size * (size + (pairs ? 4 : 0))),
                                  .second_input = pairs};
    if (!bench_case_open(b, &c, &desc)) return;
    c.work.value_size = pairs ? 4 : 0;
    if (content == RANDOM) fill_keys(type, entropy, c.in.host, n);
    else fill_contents(type, content, c.in.host, n);
    bench_case_upload(&c, &c.in);
    for (size_t i = 0; pairs && i < n; i++) ((uint32_t *)c.in2.host)[i] = (uint32_t)i;
    if (pairs) bench_case_upload(&c, &c.in2);
    if (make_expected(&c, type, pairs)) {
        add(&c, "gpuprim", b->gp, GP_STRATEGY_AUTO);
        const bench_variant *onesweep = add(&c, "gpuprim:onesweep", b->gp, GP_STRATEGY_SINGLE_PASS);
        const bench_variant *multi = add(&c, "gpuprim:multi-pass", b->gp, GP_STRATEGY_MULTI_PASS);
        for (size_t i = 0; i < WAYS; i++)
            if (ways[i].gp) add(&c, ways[i].name, ways[i].gp, ways[i].strategy);
        bench_add_peers(&c, check, bytes);
        bench_case_run(&c);
        report_scratch(&c, onesweep);
        report_scratch(&c, multi);
    }
    bench_case_close(&c);
}

/* ------------------------------------------------------------------ records */

/* Four words: a float, two random ones, the record's index. */
enum { RECORD_WORDS = 4, RECORD_BYTES = 16 };

static bool run_records(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_sort_records(c->b->gp, &v->with.sort_records);
    return r == GP_OK ? gp_finish(c->b->gp) == GP_OK || bench_fail(v, "gp_finish failed")
                      : bench_fail_gp(c, v, r);
}

/* Exact; of an unstable peer's records only the keys, and that each is one of the input. */
static bool check_records(bench_case *c, bench_variant *v, const void *out)
{
    const uint32_t *in = c->in.host, *expected = c->expected, *got = out;
    const size_t n = c->work.n / RECORD_WORDS;
    if (memcmp(out, c->expected, n * RECORD_BYTES) == 0) return true;
    if (v->kind == BENCH_GPUPRIM) return bench_fail(v, "wrong result, or not stable");
    for (size_t i = 0; i < n; i++, got += RECORD_WORDS, expected += RECORD_WORDS) {
        const size_t at = got[3];
        if (got[0] != expected[0] || at >= n || memcmp(got, in + at * RECORD_WORDS, RECORD_BYTES) != 0)
            return bench_fail(v, "wrong result: record %zu", i);
    }
    return true;
}

/* Expected records; keys alone in the second input. False: no memory. */
static bool make_records(bench_case *c)
{
    const size_t n = c->work.n / RECORD_WORDS;
    uint32_t *in = c->in.host, *keys = c->in2.host, *order = malloc(n * sizeof *order);
    for (size_t i = 0; i < n; i++) {
        in[i * RECORD_WORDS + 3] = (uint32_t)i;
        keys[i] = in[i * RECORD_WORDS];
    }
    const bool made = order && sort_indices(GP_F32, keys, n, order);
    for (size_t i = 0; i < n && made; i++)
        memcpy((char *)c->expected + i * RECORD_BYTES, in + order[i] * RECORD_WORDS, RECORD_BYTES);
    free(order);
    return made;
}

static void records_case(bench *b, size_t words)
{
    static const gp_record record = {.cl_type = "item",
                                     .size = RECORD_BYTES,
                                     .source = "typedef struct { float key; uint a, b, index; } item;"};
    static const gp_sort_column by_key = {"x.key", GP_F32, false};
    const size_t n = words / RECORD_WORDS, bytes = n * RECORD_BYTES;
    bench_case c;
    const bench_case_desc desc = {.name = "sort records (a quarter)",
                                  .primitive = BENCH_SORT_RECORDS,
                                  .type = GP_F32,
                                  .out_type = GP_F32,
                                  .op = GP_SUM,
                                  .n = n * RECORD_WORDS,
                                  .out_bytes = bytes + n * 4,
                                  .expected_bytes = bytes,
                                  .bytes = 2.0 * (double)bytes,
                                  .second_input = true};
    if (n == 0 || !bench_case_open(b, &c, &desc)) return;
    fill_keys(GP_F32, 0, c.in.host, n * RECORD_WORDS);
    if (make_records(&c)) {
        bench_case_upload(&c, &c.in);
        bench_case_upload(&c, &c.in2);
        bench_variant *v = bench_variant_add(&c, BENCH_GPUPRIM, "gpuprim");
        v->run = run_records;
        v->check = check_records;
        v->out_bytes = bytes;
        v->strategy = "auto";
        v->with.sort_records = (gp_sort_records_desc){.in = c.work.in,
                                                      .record = &record,
                                                      .out = c.work.out,
                                                      .columns = &by_key,
                                                      .column_count = 1,
                                                      .count = n};
        /* the same bytes: keys, and records as values */
        v = add(&c, "gpuprim:pairs", b->gp, GP_STRATEGY_AUTO);
        v->check = check_records;
        v->out_bytes = bytes;
        v->with.sort.desc = (gp_sort_desc){.keys = c.work.in2,
                                           .keys_out = c.work.out,
                                           .keys_out_offset = n * RECORD_WORDS,
                                           .values = c.work.in,
                                           .values_out = c.work.out,
                                           .count = n,
                                           .key_type = GP_F32,
                                           .value_size = RECORD_BYTES};
        bench_add_peers(&c, check_records, bytes);
        bench_case_run(&c);
    }
    bench_case_close(&c);
}

static void keys_of(bench *b, gp_type type, size_t n) { sort_case(b, type, n, false, 0, RANDOM); }

void bench_sort(bench *b)
{
    const size_t n = b->options.n ? b->options.n : (size_t)1 << 24;
    if (!b->planning) open_ways(b);
    bench_sweep(b, keys_of);
    if (!b->options.type || b->options.type == GP_F32) {
        for (int k = UNIFORM; k <= SMALL && n <= ENTROPY_N_MAX; k++)
            sort_case(b, GP_F32, n, false, 0, (content)k);
        records_case(b, n);
    }
    if (!b->options.type || b->options.type == GP_U32) {
        sort_case(b, GP_U32, n, true, 0, RANDOM);
        for (int e = 1; e < ENTROPIES && n <= ENTROPY_N_MAX; e++) sort_case(b, GP_U32, n, false, e, RANDOM);
        for (int k = SMALL; k <= NEARLY && n <= ENTROPY_N_MAX; k++)
            sort_case(b, GP_U32, n, false, 0, (content)k);
    }
    close_ways();
}
