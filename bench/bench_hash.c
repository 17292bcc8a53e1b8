/* bench_hash.c - gpbench hash: gp_hash against tables on the host, by load and size; and the published rows.

   A round empties every table, then times each operation of each table in turn; rates are medians over
   rounds. All answers are compared with what the keys' values are. Without --n: 2^17 slots, which caches
   hold, and 2^23, which they do not; --n is the number of slots. --csv and --json print a row an operation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "peers/hashes.h"

enum { INSERT, FIND_HIT, FIND_MISS, ERASE, OPERATIONS, ENTRANTS_MAX = 8, ROUNDS_MAX = 101 };
static const char *const operations[OPERATIONS] = {"insert", "find hit", "find miss", "erase"};

/* The same keys for all, on the host and on the device. */
typedef struct input {
    bench *b;
    size_t capacity, n;
    double load;
    uint32_t *keys, *values, *misses, *out;
    cl_mem d_keys, d_values, d_misses, d_out;
} input;

/* A table in the race: the library's, in one of its ways, or a peer. */
typedef struct entrant {
    const char *name;
    const hash_peer *peer; /* NULL: gp_hash with */
    gp_strategy strategy;
    gp_hash table;
    void *host;
    double seconds[OPERATIONS][ROUNDS_MAX];
    char error[BENCH_ERROR_MAX];
} entrant;

/* ------------------------------------------------------------------ input */

/* A bijection: different numbers give different keys. */
static uint32_t key_of(uint32_t i)
{
    i *= 0x9e3779b1u;
    i ^= i >> 15;
    return i * 0x85ebca77u;
}

static void input_close(input *in)
{
    const cl_mem all[] = {in->d_keys, in->d_values, in->d_misses, in->d_out};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) clReleaseMemObject(all[i]);
    free(in->keys);
    free(in->values);
    free(in->misses);
    free(in->out);
}

static bool input_open(bench *b, input *in, size_t capacity, double load)
{
    const size_t n = (size_t)((double)capacity * load), bytes = (n ? n : 1) * sizeof(uint32_t);
    *in = (input){.b = b, .capacity = capacity, .n = n ? n : 1, .load = load};
    in->keys = malloc(bytes);
    in->values = malloc(bytes);
    in->misses = malloc(bytes);
    in->out = malloc(bytes);
    if (!in->keys || !in->values || !in->misses || !in->out) return false;
    for (size_t i = 0; i < in->n; i++) {
        in->keys[i] = key_of((uint32_t)(2 * i));
        in->misses[i] = key_of((uint32_t)(2 * i + 1));
        in->values[i] = (uint32_t)i;
        in->out[i] = 0;
    }
    return gp_buffer_create(b->gp, bytes, in->keys, &in->d_keys) == GP_OK &&
           gp_buffer_create(b->gp, bytes, in->values, &in->d_values) == GP_OK &&
           gp_buffer_create(b->gp, bytes, in->misses, &in->d_misses) == GP_OK &&
           gp_buffer_create(b->gp, bytes, in->out, &in->d_out) == GP_OK;
}

/* ------------------------------------------------------------------ entrants */

static bool failed(entrant *e, const bench *b, const char *what)
{
    snprintf(e->error, sizeof e->error, "%s: %s", what, e->peer ? "failed" : gp_last_error(b->gp));
    return false;
}

static bool entrant_open(entrant *e, const input *in)
{
    gp_hash_desc desc = {.key_size = 4, .value_size = 4, .capacity = in->capacity};
    if (e->peer)
        return (e->host = e->peer->open(in->capacity, in->b->pool)) != NULL || failed(e, in->b, "open");
    return gp_hash_create(in->b->gp, &desc, &e->table) == GP_OK || failed(e, in->b, "gp_hash_create");
}

static void entrant_close(entrant *e, const input *in)
{
    if (e->host) e->peer->close(e->host);
    if (e->table.id) gp_hash_destroy(in->b->gp, e->table);
}

static bool empty(entrant *e, const input *in)
{
    const gp_hash_clear_desc desc = {0};
    if (e->peer) e->peer->clear(e->host);
    return e->peer || (gp_hash_clear(in->b->gp, e->table, &desc) == GP_OK && gp_finish(in->b->gp) == GP_OK) ||
           failed(e, in->b, "gp_hash_clear");
}

static void peer_operation(entrant *e, const input *in, int operation)
{
    if (operation == INSERT) e->peer->insert(e->host, in->keys, in->values, in->n);
    if (operation == FIND_HIT) e->peer->find(e->host, in->keys, in->out, in->n);
    if (operation == FIND_MISS) e->peer->find(e->host, in->misses, in->out, in->n);
    if (operation == ERASE) e->peer->erase(e->host, in->keys, in->n);
}

static gp_result gp_operation(entrant *e, const input *in, int operation)
{
    const gp_hash_insert_desc insert = {
        .keys = in->d_keys, .values = in->d_values, .count = in->n, .strategy = e->strategy};
    const gp_hash_find_desc find = {
        .keys = operation == FIND_HIT ? in->d_keys : in->d_misses, .values = in->d_out, .count = in->n};
    const gp_hash_erase_desc erase = {.keys = in->d_keys, .count = in->n};
    gp_result result = operation == INSERT  ? gp_hash_insert(in->b->gp, e->table, &insert)
                       : operation == ERASE ? gp_hash_erase(in->b->gp, e->table, &erase)
                                            : gp_hash_find(in->b->gp, e->table, &find);
    return result == GP_OK ? gp_finish(in->b->gp) : result;
}

/* What a find has found is what was put in, or nothing. */
static bool answers_are_right(entrant *e, const input *in, int operation)
{
    if (operation != FIND_HIT && operation != FIND_MISS) return true;
    if (!e->peer) clEnqueueReadBuffer(in->b->queue, in->d_out, CL_TRUE, 0, in->n * 4, in->out, 0, NULL, NULL);
    for (size_t i = 0; i < in->n; i++) {
        if (in->out[i] != (operation == FIND_HIT ? in->values[i] : UINT32_MAX))
            return failed(e, in->b, operations[operation]);
    }
    return true;
}

static bool skips(const entrant *e, int operation)
{
    return e->peer && operation == ERASE && !e->peer->erase;
}

static bool timed(entrant *e, const input *in, int operation, double *seconds)
{
    if (e->peer && e->peer->pooled) pool_arm(in->b->pool);
    const double start = bench_now();
    if (e->peer) peer_operation(e, in, operation);
    else if (gp_operation(e, in, operation) != GP_OK) return failed(e, in->b, operations[operation]);
    *seconds = bench_now() - start;
    return true;
}

/* ------------------------------------------------------------------ a race */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *seconds, unsigned n)
{
    qsort(seconds, n, sizeof *seconds, compare);
    return n % 2 ? seconds[n / 2] : (seconds[n / 2 - 1] + seconds[n / 2]) / 2;
}

/* Round 0 is not timed: it builds kernels, touches pages, and checks. */
static void round_of(entrant *all, size_t count, const input *in, unsigned round)
{
    for (size_t i = 0; i < count; i++)
        if (!all[i].error[0]) empty(&all[i], in);
    for (int o = 0; o < OPERATIONS; o++) {
        for (size_t i = 0; i < count; i++) {
            entrant *e = &all[i];
            double seconds = 0;
            if (e->error[0] || skips(e, o)) continue;
            if (!timed(e, in, o, &seconds) || (round == 0 && !answers_are_right(e, in, o))) continue;
            if (round > 0) e->seconds[o][round - 1] = seconds;
        }
    }
}

static void print_table(entrant *all, size_t count, const input *in, unsigned rounds)
{
    double first[OPERATIONS] = {0};
    char text[32];
    printf("\nhash u32 -> u32, %s slots, load %.2f: M keys/s (times %s)\n  %-22s",
           report_count(in->capacity, text), in->load, hash_peer_c.name, "table");
    for (int o = 0; o < OPERATIONS; o++) printf(" %18s", operations[o]);
    puts("");
    for (size_t i = 0; i < count; i++)
        for (int o = 0; o < OPERATIONS && all[i].peer == &hash_peer_c; o++)
            first[o] = median(all[i].seconds[o], rounds);
    for (size_t i = 0; i < count; i++) {
        printf("  %-22s", all[i].name);
        for (int o = 0; o < OPERATIONS && !all[i].error[0]; o++) {
            const double s = median(all[i].seconds[o], rounds);
            if (skips(&all[i], o)) printf(" %18s", "-");
            else if (first[o] > 0) printf(" %9.1f (%6.2f)", (double)in->n / s * 1e-6, first[o] / s);
            else printf(" %18.1f", (double)in->n / s * 1e-6);
        }
        printf("%s%s\n", all[i].error[0] ? " ERROR: " : "", all[i].error);
    }
    fflush(stdout);
}

static void print_rows(entrant *all, size_t count, const input *in, unsigned rounds)
{
    const bool json = in->b->options.format == BENCH_JSON;
    if (!json && !in->b->reported)
        puts("primitive,variant,operation,capacity,load,n,median_s,elements_per_s,error");
    in->b->reported = true;
    for (size_t i = 0; i < count; i++) {
        for (int o = 0; o < OPERATIONS; o++) {
            const double s = all[i].error[0] || skips(&all[i], o) ? 0 : median(all[i].seconds[o], rounds);
            printf(json ? "{\"primitive\": \"hash\", \"variant\": \"%s\", \"operation\": \"%s\", "
                          "\"capacity\": %zu, "
                          "\"load\": %g, \"n\": %zu, \"median_s\": %g, \"elements_per_s\": %g, \"error\": "
                          "\"%s\"}\n"
                        : "hash,%s,%s,%zu,%g,%zu,%g,%g,%s\n",
                   all[i].name, operations[o], in->capacity, in->load, in->n, s,
                   s > 0 ? (double)in->n / s : 0, all[i].error[0] ? "failed" : "");
        }
    }
    fflush(stdout);
}

static void note_failures(const entrant *all, size_t count, bench *b)
{
    for (size_t i = 0; i < count; i++) b->failed |= all[i].error[0] && !all[i].peer;
}

static void race(bench *b, size_t capacity, double load)
{
    static entrant all[ENTRANTS_MAX];
    unsigned rounds = b->options.repeats ? b->options.repeats : capacity > ((size_t)1 << 20) ? 5 : 21;
    size_t count = 0;
    input in;
    if (rounds > ROUNDS_MAX) rounds = ROUNDS_MAX;
    memset(all, 0, sizeof all);
    all[count++] = (entrant){.name = "gpuprim"};
    all[count++] = (entrant){.name = "gpuprim:direct", .strategy = GP_STRATEGY_SINGLE_PASS};
    all[count++] = (entrant){.name = "gpuprim:partitioned", .strategy = GP_STRATEGY_MULTI_PASS};
    for (size_t i = 0; bench_hash_peers[i] && b->on_cpu && !b->options.no_peers; i++) {
        if (b->options.only && !strstr(bench_hash_peers[i]->name, b->options.only)) continue;
        all[count++] = (entrant){.name = bench_hash_peers[i]->name, .peer = bench_hash_peers[i]};
    }
    if (!input_open(b, &in, capacity, load)) {
        fprintf(stderr, "gpbench: hash: no memory for %zu keys: %s\n", in.n, gp_last_error(b->gp));
        b->failed = true;
    } else {
        for (size_t i = 0; i < count; i++) (void)entrant_open(&all[i], &in);
        for (unsigned r = 0; r <= rounds; r++) {
            bench_progress(b, "hash %zu slots, load %.2f: round %u of %u", capacity, load, r, rounds);
            round_of(all, count, &in, r);
        }
        bench_progress_end(b);
        if (b->options.format == BENCH_TABLE) print_table(all, count, &in, rounds);
        else print_rows(all, count, &in, rounds);
        note_failures(all, count, b);
        for (size_t i = 0; i < count; i++) entrant_close(&all[i], &in);
    }
    input_close(&in);
}

/* ------------------------------------------------------------------ the published rows */

/* Farrell, "A simple GPU hash table" (2020): 128 Mi slots on a GTX 1060, batches of 4 Mi keys, M keys/s at
   the load that a batch finds. Here: 1/32 of the slots a batch, whatever their number. */
static const struct {
    int batch;
    const char *rate;
} published[] = {{0, "361"},  {4, "342"},  {8, "325"}, {16, "285"}, {20, "251"},
                 {24, "186"}, {26, "131"}, {28, "68"}, {30, "17"}};

static const char *published_rate(int batch)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        if (published[i].batch == batch) return published[i].rate;
    return "";
}

static void print_depths(const bench *b, gp_hash table, const char *is)
{
    gp_hash_stats s;
    if (gp_hash_stats_read(b->gp, table, &s) == GP_OK)
        printf("  probe depth at load %.2f: mean %.2f, max %llu (published %s)\n", s.load, s.mean_depth,
               (unsigned long long)s.max_depth, is);
}

static void fill_up(bench *b, size_t capacity)
{
    const gp_hash_desc desc = {.key_size = 4, .value_size = 4, .capacity = capacity};
    const size_t n = capacity / 32;
    gp_hash table;
    input in;
    char text[32];
    if (!input_open(b, &in, capacity, 31. / 32) || gp_hash_create(b->gp, &desc, &table) != GP_OK ||
        gp_finish(b->gp) != GP_OK) {
        fprintf(stderr, "gpbench: hash: %s\n", gp_last_error(b->gp));
        b->failed = true;
        input_close(&in);
        return;
    }
    printf("\nhash, %s slots filled in batches of 1/32: M keys/s by load; published: 2^27 slots, GTX 1060\n"
           "  %6s %10s %10s\n",
           report_count(capacity, text), "load", "gpuprim", "published");
    for (int batch = 0; batch < 31; batch++) {
        const gp_hash_insert_desc insert = {.keys = in.d_keys,
                                            .values = in.d_values,
                                            .keys_offset = n * batch,
                                            .values_offset = n * batch,
                                            .count = n};
        const double start = bench_now();
        if (gp_hash_insert(b->gp, table, &insert) != GP_OK || gp_finish(b->gp) != GP_OK) b->failed = true;
        printf("  %6.2f %10.1f %10s\n", batch / 32., (double)n / (bench_now() - start) * 1e-6,
               published_rate(batch));
        if (batch == 15) print_depths(b, table, "0.48, max 60 at .50");
    }
    print_depths(b, table, "10.2, max 6474 at .97");
    fflush(stdout);
    gp_hash_destroy(b->gp, table);
    input_close(&in);
}

void bench_hash(bench *b)
{
    static const double loads[] = {.25, .5, .75, .9, .95};
    const size_t sizes[] = {b->options.n ? b->options.n : (size_t)1 << 17,
                            b->options.n ? 0 : (size_t)1 << 23};
    for (size_t s = 0; s < 2; s++) {
        size_t capacity = 64;
        while (sizes[s] && capacity < sizes[s]) capacity *= 2;
        for (size_t l = 0; l < sizeof loads / sizeof *loads && sizes[s]; l++) race(b, capacity, loads[l]);
        if (sizes[s] && b->options.format == BENCH_TABLE && s == (b->options.n ? 0 : 1)) fill_up(b, capacity);
    }
}
