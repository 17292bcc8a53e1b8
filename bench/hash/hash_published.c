/* hash_published.c - gpbench hash-published: the figures of Farrell, "A simple GPU hash table" (2020), on a
   GTX 1060, and the same work here.

   By load: 128 Mi slots, filled in batches of 4 Mi keys. Whole program: into as many slots, 64 Mi inserts,
   then 32 Mi deletes; with the data on the device, and from host memory and back to it. --n is the number of
   slots; without it there are 2^27, or fewer where memory does not suffice. */
#include "hash_published.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../peers/hashes.h"

enum { BATCHES = 32, RUNS_MAX = 101 };

/* Keys and values on both sides; the table. */
typedef struct ground {
    bench *b;
    size_t capacity, n; /* keys */
    uint32_t *keys, *values;
    cl_mem d_keys, d_values;
    gp_hash table;
} ground;

uint32_t bench_hash_key(uint32_t i)
{
    i *= 0x9e3779b1u;
    i ^= i >> 15;
    return i * 0x85ebca77u;
}

/* ------------------------------------------------------------------ rows */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_hash_median(double *seconds, unsigned n)
{
    qsort(seconds, n, sizeof *seconds, compare);
    return n % 2 ? seconds[n / 2] : (seconds[n / 2 - 1] + seconds[n / 2]) / 2;
}

void bench_hash_row(bench *b, const bench_hash_result *r)
{
    const double n = (double)r->n, per_s = r->seconds > 0 ? n / r->seconds : 0;
    const double published = r->published > 0 ? n / r->published : 0;
    const char *error = r->failed ? "failed" : "";
    if (b->options.format == BENCH_CSV && !b->reported)
        puts("primitive,variant,operation,keys,bytes,capacity,load,n,median_s,min_s,elements_per_s,"
             "published_per_s,error");
    b->reported = true;
    if (b->options.format == BENCH_CSV)
        printf("hash,%s,%s,%s,%zu,%zu,%g,%zu,%g,%g,%g,%g,%s\n", r->variant, r->operation, r->keys, r->size,
               r->capacity, r->load, r->n, r->seconds, r->fastest, per_s, published, error);
    report_json(b,
                "{\"primitive\": \"hash\", \"variant\": \"%s\", \"kind\": \"%s\", \"operation\": \"%s\", "
                "\"keys\": \"%s\", \"bytes\": %zu, \"capacity\": %zu, \"load\": %g, \"n\": %zu, "
                "\"median_s\": %g, \"min_s\": %g, \"elements_per_s\": %g, \"published_per_s\": %g, "
                "\"error\": \"%s\"}\n",
                r->variant, strncmp(r->variant, "peer:", 5) == 0 ? "peer" : "gpuprim", r->operation, r->keys,
                r->size, r->capacity, r->load, r->n, r->seconds, r->fastest, per_s, published, error);
    fflush(stdout);
}

/* ------------------------------------------------------------------ data */

static void ground_close(ground *g)
{
    if (g->table.id) gp_hash_destroy(g->b->gp, g->table);
    if (g->d_keys) clReleaseMemObject(g->d_keys);
    if (g->d_values) clReleaseMemObject(g->d_values);
    free(g->keys);
    free(g->values);
}

static bool ground_fails(ground *g, const char *what)
{
    fprintf(stderr, "gpbench: hash: %s: %s\n", what, gp_last_error(g->b->gp));
    g->b->failed = true;
    ground_close(g);
    return false;
}

static bool ground_open(bench *b, ground *g, size_t capacity, size_t n)
{
    const gp_hash_desc desc = {.key_size = 4, .value_size = 4, .capacity = capacity};
    const size_t bytes = n * sizeof(uint32_t);
    *g = (ground){.b = b, .capacity = capacity, .n = n};
    g->keys = malloc(bytes);
    g->values = malloc(bytes);
    if (!g->keys || !g->values) return ground_fails(g, "no memory");
    for (size_t i = 0; i < n; i++) {
        g->keys[i] = bench_hash_key((uint32_t)i);
        g->values[i] = (uint32_t)i;
    }
    if (gp_buffer_create(b->gp, bytes, g->keys, &g->d_keys) != GP_OK ||
        gp_buffer_create(b->gp, bytes, g->values, &g->d_values) != GP_OK ||
        gp_hash_create(b->gp, &desc, &g->table) != GP_OK || gp_finish(b->gp) != GP_OK)
        return ground_fails(g, "no memory on the device");
    return true;
}

static gp_result emptied(const ground *g)
{
    const gp_hash_clear_desc d = {0};
    const gp_result result = gp_hash_clear(g->b->gp, g->table, &d);
    return result == GP_OK ? gp_finish(g->b->gp) : result;
}

/* ------------------------------------------------------------------ by load */

static double batch_seconds[BATCHES][RUNS_MAX];

static const struct {
    int batch;
    double rate; /* M keys/s at the load that the batch finds */
} published[] = {{0, 361},  {4, 342},  {8, 325}, {16, 285}, {20, 251},
                 {24, 186}, {26, 131}, {28, 68}, {30, 17}};

static double published_rate(int batch)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        if (published[i].batch == batch) return published[i].rate;
    return 0;
}

static void print_batch(const ground *g, int batch, size_t n, unsigned runs)
{
    const double rate = published_rate(batch), load = (double)batch / BATCHES;
    const double seconds = bench_hash_median(batch_seconds[batch], runs);
    char text[32] = "";
    bench_hash_row(g->b, &(bench_hash_result){.variant = "gpuprim:fill",
                                              .operation = "insert",
                                              .keys = "unique",
                                              .size = 4,
                                              .capacity = g->capacity,
                                              .load = load,
                                              .n = n,
                                              .seconds = seconds,
                                              .fastest = batch_seconds[batch][0],
                                              .published = rate > 0 ? (double)n / rate * 1e-6 : 0});
    if (g->b->options.format != BENCH_TABLE) return;
    if (rate > 0) snprintf(text, sizeof text, "%.0f", rate);
    printf("  %6.2f %10.1f %10s\n", load, (double)n / seconds * 1e-6, text);
}

static void print_depths(const ground *g, const char *is)
{
    gp_hash_stats s;
    if (g->b->options.format == BENCH_TABLE && gp_hash_stats_read(g->b->gp, g->table, &s) == GP_OK)
        printf("  probe depth at load %.2f: mean %.2f, max %llu (published %s)\n", s.load, s.mean_depth,
               (unsigned long long)s.max_depth, is);
}

static bool fill_batch(const ground *g, size_t n, int batch, double *seconds)
{
    const gp_hash_insert_desc insert = {.keys = g->d_keys,
                                        .values = g->d_values,
                                        .keys_offset = n * (size_t)batch,
                                        .values_offset = n * (size_t)batch,
                                        .count = n};
    const double start = bench_now();
    if (gp_hash_insert(g->b->gp, g->table, &insert) != GP_OK || gp_finish(g->b->gp) != GP_OK) return false;
    *seconds = bench_now() - start;
    return true;
}

static unsigned runs_of(const bench *b)
{
    const unsigned wanted = b->options.repeats ? b->options.repeats : 3;
    return wanted < RUNS_MAX ? wanted : RUNS_MAX;
}

/* All batches, one after another, into the emptied table. */
static bool fill_once(const ground *g, size_t n, unsigned run)
{
    if (emptied(g) != GP_OK) return false;
    for (int batch = 0; batch < BATCHES - 1; batch++) {
        if (!fill_batch(g, n, batch, &batch_seconds[batch][run])) return false;
    }
    return true;
}

/* The depths at the load of one half: of a table that is filled so far and no further. */
static void print_half(const ground *g, size_t n)
{
    double seconds;
    if (g->b->options.format != BENCH_TABLE || emptied(g) != GP_OK) return;
    for (int batch = 0; batch < BATCHES / 2; batch++) (void)fill_batch(g, n, batch, &seconds);
    print_depths(g, "0.48, max 60 at .50");
}

/* Medians over runs; the first run, which builds kernels and touches pages, is not timed. */
void bench_hash_fill(bench *b, size_t capacity)
{
    const size_t n = capacity / BATCHES;
    const unsigned runs = runs_of(b);
    char text[32];
    ground g;
    bool right = true;
    if (!bench_begin(b, capacity) || !ground_open(b, &g, capacity, n * (BATCHES - 1))) return;
    for (unsigned run = 0; run <= runs && right; run++) right = fill_once(&g, n, run ? run - 1 : 0);
    if (!right) {
        (void)ground_fails(&g, "filling up");
        return;
    }
    if (b->options.format == BENCH_TABLE)
        printf(
            "\nhash, %s slots filled in batches of 1/32: M keys/s by load; published: 2^27 slots, GTX 1060\n"
            "  %6s %10s %10s\n",
            report_count(capacity, text), "load", "gpuprim", "published");
    for (int batch = 0; batch < BATCHES - 1; batch++) print_batch(&g, batch, n, runs);
    print_depths(&g, "10.2, max 6474 at .97");
    print_half(&g, n);
    fflush(stdout);
    ground_close(&g);
}

/* ------------------------------------------------------------------ whole program */

/* Parts of the program, and their seconds by run. */
enum { INSERTS, DELETES, BOTH, BOTH_AND_TRANSFERS, PARTS };
static const char *const parts[PARTS] = {"inserts", "deletes", "both", "with transfers"};
static const double published_seconds[PARTS] = {.210, .064, .274, 0};

typedef struct program {
    const char *name;
    double seconds[PARTS][RUNS_MAX];
} program;

static gp_result inserts(const ground *g)
{
    const gp_hash_insert_desc d = {.keys = g->d_keys, .values = g->d_values, .count = g->n};
    const gp_result result = gp_hash_insert(g->b->gp, g->table, &d);
    return result == GP_OK ? gp_finish(g->b->gp) : result;
}

/* The middle half of the keys goes. */
static gp_result deletes(const ground *g)
{
    const gp_hash_erase_desc d = {.keys = g->d_keys, .keys_offset = g->n / 4, .count = g->n / 2};
    const gp_result result = gp_hash_erase(g->b->gp, g->table, &d);
    return result == GP_OK ? gp_finish(g->b->gp) : result;
}

/* Pairs to the device, in, keys to the device, out, what is left to the host. */
static bool with_transfers(const ground *g, uint32_t *left, cl_mem d_left)
{
    const size_t bytes = g->n * 4, part = g->n / 2 * 4;
    const cl_command_queue q = g->b->queue;
    const gp_hash_retrieve_desc d = {.keys = d_left,
                                     .values = d_left,
                                     .values_offset = g->n,
                                     .room = g->n,
                                     .live_count = d_left,
                                     .live_count_offset = 2 * g->n};
    return clEnqueueWriteBuffer(q, g->d_keys, CL_FALSE, 0, bytes, g->keys, 0, NULL, NULL) == CL_SUCCESS &&
           clEnqueueWriteBuffer(q, g->d_values, CL_FALSE, 0, bytes, g->values, 0, NULL, NULL) == CL_SUCCESS &&
           inserts(g) == GP_OK &&
           clEnqueueWriteBuffer(q, g->d_keys, CL_FALSE, bytes / 4, part, g->keys + g->n / 4, 0, NULL, NULL) ==
               CL_SUCCESS &&
           deletes(g) == GP_OK && gp_hash_retrieve(g->b->gp, g->table, &d) == GP_OK &&
           clEnqueueReadBuffer(q, d_left, CL_FALSE, 0, part, left, 0, NULL, NULL) == CL_SUCCESS &&
           clEnqueueReadBuffer(q, d_left, CL_TRUE, bytes, part, left + g->n / 2, 0, NULL, NULL) == CL_SUCCESS;
}

static bool device_run(const ground *g, program *p, unsigned run, uint32_t *left, cl_mem d_left)
{
    double at[4];
    size_t live = 0;
    if (emptied(g) != GP_OK) return false;
    at[0] = bench_now();
    if (inserts(g) != GP_OK) return false;
    at[1] = bench_now();
    if (deletes(g) != GP_OK) return false;
    at[2] = bench_now();
    if (gp_hash_size_read(g->b->gp, g->table, &live) != GP_OK || live != g->n - g->n / 2) return false;
    p->seconds[INSERTS][run] = at[1] - at[0];
    p->seconds[DELETES][run] = at[2] - at[1];
    p->seconds[BOTH][run] = at[2] - at[0];
    if (emptied(g) != GP_OK) return false;
    at[0] = bench_now();
    if (!with_transfers(g, left, d_left)) return false;
    p->seconds[BOTH_AND_TRANSFERS][run] = bench_now() - at[0];
    for (size_t i = 0; i < g->n / 2; i++)
        if (bench_hash_key(left[g->n / 2 + i]) != left[i]) return false;
    return true;
}

static void host_run(const ground *g, const hash_peer *peer, void *table, program *p, unsigned run)
{
    double at[3];
    peer->clear(table);
    if (peer->pooled) pool_arm(g->b->pool);
    at[0] = bench_now();
    peer->insert(table, g->keys, g->values, g->n);
    at[1] = bench_now();
    if (peer->pooled) pool_arm(g->b->pool);
    at[2] = bench_now();
    peer->erase(table, g->keys + g->n / 4, g->n / 2);
    p->seconds[DELETES][run] = bench_now() - at[2];
    p->seconds[INSERTS][run] = at[1] - at[0];
    p->seconds[BOTH][run] = p->seconds[BOTH_AND_TRANSFERS][run] =
        p->seconds[INSERTS][run] + p->seconds[DELETES][run];
}

static void print_program(const ground *g, program *p, unsigned runs)
{
    if (g->b->options.format == BENCH_TABLE) printf("  %-18s", p->name);
    for (int part = 0; part < PARTS; part++) {
        const double seconds = bench_hash_median(p->seconds[part], runs);
        if (g->b->options.format == BENCH_TABLE) printf(" %14.1f", 1e3 * seconds);
        bench_hash_row(g->b, &(bench_hash_result){.variant = p->name,
                                                  .operation = parts[part],
                                                  .keys = "unique",
                                                  .size = 4,
                                                  .capacity = g->capacity,
                                                  .load = .5,
                                                  .n = part == INSERTS   ? g->n
                                                       : part == DELETES ? g->n / 2
                                                                         : g->n + g->n / 2,
                                                  .seconds = seconds,
                                                  .fastest = p->seconds[part][0],
                                                  .published = published_seconds[part] * (double)g->n /
                                                               (double)((size_t)1 << 26)});
    }
    if (g->b->options.format == BENCH_TABLE) puts("");
    fflush(stdout);
}

static void host_programs(const ground *g, program *p, unsigned runs)
{
    for (size_t i = 0; bench_hash_peers[i] && g->b->on_cpu && !g->b->options.no_peers; i++) {
        const hash_peer *peer = bench_hash_peers[i];
        void *table;
        if (!peer->erase || (g->b->options.only && !strstr(peer->name, g->b->options.only))) continue;
        table = peer->open(g->capacity, g->b->pool);
        if (!table) continue;
        p->name = peer->name;
        for (unsigned run = 0; run < runs; run++) host_run(g, peer, table, p, run);
        print_program(g, p, runs);
        peer->close(table);
    }
}

static void whole_program(bench *b, size_t capacity)
{
    static program p;
    const unsigned runs = runs_of(b);
    char inserted[32], erased[32];
    uint32_t *left = NULL;
    cl_mem d_left = NULL;
    ground g;
    bool right = true;
    if (!bench_begin(b, capacity) || !ground_open(b, &g, capacity, capacity / 2)) return;
    left = malloc(g.n * sizeof *left);
    if (!left || gp_buffer_create(b->gp, (2 * g.n + 1) * sizeof *left, NULL, &d_left) != GP_OK) {
        free(left);
        (void)ground_fails(&g, "no memory for what is left");
        return;
    }
    if (b->options.format == BENCH_TABLE)
        printf(
            "\nhash, whole program: %s inserts, then %s deletes, ms; published, 2^26 and 2^25 on a GTX 1060: "
            "210 and 64\n  %-18s %14s %14s %14s %14s\n",
            report_count(g.n, inserted), report_count(g.n / 2, erased), "table", parts[0], parts[1], parts[2],
            parts[3]);
    p.name = "gpuprim:program";
    for (unsigned run = 0; run <= runs && right; run++) /* the first one builds kernels */
        right = device_run(&g, &p, run ? run - 1 : 0, left, d_left);
    if (right) print_program(&g, &p, runs);
    else fprintf(stderr, "gpbench: hash: whole program: %s\n", gp_last_error(b->gp));
    b->failed |= !right;
    clReleaseMemObject(d_left);
    free(left);
    host_programs(&g, &p, runs);
    ground_close(&g);
}

/* Slots that the device has room for: the table, keys and values, and those partitioned. */
static size_t affordable(const bench *b, size_t capacity)
{
    while (capacity > 64 && (24 * (uint64_t)capacity > b->info->global_mem_size ||
                             8 * (uint64_t)capacity + 4096 > b->info->max_alloc_size))
        capacity /= 2;
    return capacity;
}

void bench_hash_published(bench *b)
{
    const size_t wanted = b->options.n ? b->options.n : (size_t)1 << 27;
    size_t capacity = 64;
    while (capacity < wanted) capacity *= 2;
    capacity = affordable(b, capacity);
    bench_hash_fill(b, capacity);
    whole_program(b, capacity);
}
