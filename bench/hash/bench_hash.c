/* bench_hash.c - gpbench hash: gp_hash against tables on the host, by load, size, width and sort of keys; and
   the published rows.

   A round empties every table, then times each operation of each table in turn; rates are medians over
   rounds. All answers are compared with what the keys' values are. Keys are found and erased in another order
   than they came in: a map of nodes that were allocated one after another would find them in that order.
   Without --n: 2^17 slots, which caches hold, and 2^23, which they do not; --n is the number of slots. Keys
   are different ones at all loads, and at load .5 also of 64 bits with values of 64, by Zipf's law, and 64
   different ones: the load is then what keys there would be if all were different. With --load: different
   keys of 32 bits at that load only. --csv and --json print a row an operation. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash_published.h"
#include "../peers/hashes.h"

enum { INSERT, FIND_HIT, FIND_MISS, ERASE, COUNT, OPERATIONS, ENTRANTS_MAX = 8, ROUNDS_MAX = 101 };
static const char *const operations[OPERATIONS] = {"insert", "find hit", "find miss", "erase", "count"};

typedef enum kind { UNIQUE, ZIPF, FEW, KINDS } kind;
static const char *const kinds[KINDS] = {"unique", "zipf", "few"};

/* A race: how many slots, how full, keys and values of `size` bytes. */
typedef struct course {
    size_t capacity;
    double load;
    size_t size;
    kind kind;
} course;

/* The same keys for all, on the host and on the device: `keys` come in, `hits` are the same keys shuffled. A
   key's value is its number. */
typedef struct input {
    bench *b;
    course course;
    size_t n;
    uint32_t *counts; /* by number: how often the key is there */
    uint32_t *order;  /* hits[i] is keys[order[i]] */
    void *keys, *values, *hits, *misses, *out;
    cl_mem d_keys, d_values, d_hits, d_misses, d_out;
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

/* A bijection, of 32 bits or of 64: different numbers give different keys. */
static uint64_t key_of(uint64_t i, size_t size)
{
    if (size == 4) return bench_hash_key((uint32_t)i);
    i *= 0x9e3779b97f4a7c15u;
    i ^= i >> 32;
    return i * 0xd6e8feb86659fd93u;
}

static void store(void *a, size_t i, size_t size, uint64_t x)
{
    if (size == 4) ((uint32_t *)a)[i] = (uint32_t)x;
    else ((uint64_t *)a)[i] = x;
}

static uint64_t load(const void *a, size_t i, size_t size)
{
    return size == 4 ? ((const uint32_t *)a)[i] : ((const uint64_t *)a)[i];
}

/* The number of the i-th key. By Zipf's law: the k-th most frequent one is there in proportion to 1 / k. */
static size_t number_of(kind kind, size_t i, size_t n)
{
    const double u = ((uint32_t)key_of(i, 4) + 0.5) / 4294967296.;
    if (kind == UNIQUE) return i;
    if (kind == FEW) return (size_t)(u * 64) % n;
    return (size_t)(pow((double)n + 1, u) - 1) % n;
}

static void input_close(input *in)
{
    const cl_mem all[] = {in->d_keys, in->d_values, in->d_hits, in->d_misses, in->d_out};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) clReleaseMemObject(all[i]);
    free(in->counts);
    free(in->order);
    free(in->keys);
    free(in->values);
    free(in->hits);
    free(in->misses);
    free(in->out);
}

static void input_fill(input *in)
{
    const size_t size = in->course.size;
    for (size_t i = 0; i < in->n; i++) {
        const size_t number = number_of(in->course.kind, i, in->n);
        store(in->keys, i, size, key_of(2 * number, size));
        store(in->misses, i, size, key_of(2 * number + 1, size));
        store(in->values, i, size, number);
        store(in->out, i, size, 0);
        in->counts[number]++;
        in->order[i] = (uint32_t)i;
    }
    for (size_t i = 0; i < in->n; i++) {
        const size_t other = i + bench_hash_key((uint32_t)i) % (in->n - i);
        const uint32_t here = in->order[other];
        in->order[other] = in->order[i];
        in->order[i] = here;
        store(in->hits, i, size, load(in->keys, here, size));
    }
}

static bool input_open(bench *b, input *in, course course)
{
    const size_t n = (size_t)((double)course.capacity * course.load), bytes = (n ? n : 1) * course.size;
    *in = (input){.b = b, .course = course, .n = n ? n : 1};
    in->counts = calloc(in->n, sizeof *in->counts);
    in->order = calloc(in->n, sizeof *in->order);
    in->keys = malloc(bytes);
    in->values = malloc(bytes);
    in->hits = malloc(bytes);
    in->misses = malloc(bytes);
    in->out = malloc(bytes);
    if (!in->counts || !in->order || !in->keys || !in->values || !in->hits || !in->misses || !in->out)
        return false;
    input_fill(in);
    return gp_buffer_create(b->gp, bytes, in->keys, &in->d_keys) == GP_OK &&
           gp_buffer_create(b->gp, bytes, in->values, &in->d_values) == GP_OK &&
           gp_buffer_create(b->gp, bytes, in->hits, &in->d_hits) == GP_OK &&
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
    const gp_hash_desc desc = {
        .key_size = in->course.size, .value_size = in->course.size, .capacity = in->course.capacity};
    if (e->peer)
        return (e->host = e->peer->open(in->course.capacity, in->b->pool)) != NULL ||
               failed(e, in->b, "open");
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
    if (operation == FIND_HIT) e->peer->find(e->host, in->hits, in->out, in->n);
    if (operation == FIND_MISS) e->peer->find(e->host, in->misses, in->out, in->n);
    if (operation == ERASE) e->peer->erase(e->host, in->hits, in->n);
    if (operation == COUNT) e->peer->count(e->host, in->keys, in->n);
}

static gp_result gp_operation(entrant *e, const input *in, int operation)
{
    const gp_hash_insert_desc insert = {
        .keys = in->d_keys, .values = in->d_values, .count = in->n, .strategy = e->strategy};
    const gp_hash_insert_desc count = {
        .keys = in->d_keys, .count = in->n, .op = GP_SUM, .strategy = e->strategy};
    const gp_hash_find_desc find = {
        .keys = operation == FIND_MISS ? in->d_misses : in->d_hits, .values = in->d_out, .count = in->n};
    const gp_hash_erase_desc erase = {.keys = in->d_hits, .count = in->n, .strategy = e->strategy};
    gp_result result = operation == INSERT  ? gp_hash_insert(in->b->gp, e->table, &insert)
                       : operation == COUNT ? gp_hash_insert_or_apply(in->b->gp, e->table, &count)
                       : operation == ERASE ? gp_hash_erase(in->b->gp, e->table, &erase)
                                            : gp_hash_find(in->b->gp, e->table, &find);
    return result == GP_OK ? gp_finish(in->b->gp) : result;
}

/* What a find after it finds is what was put in, or counted, or nothing. */
static bool answers_are_right(entrant *e, const input *in, int operation)
{
    const size_t size = in->course.size;
    const uint64_t none = size == 4 ? UINT32_MAX : UINT64_MAX;
    const bool asks = operation == COUNT || operation == ERASE;
    if (operation == INSERT) return true;
    if (asks && e->peer) peer_operation(e, in, FIND_HIT);
    if (asks && !e->peer && gp_operation(e, in, FIND_HIT) != GP_OK) return failed(e, in->b, "find");
    if (!e->peer)
        clEnqueueReadBuffer(in->b->queue, in->d_out, CL_TRUE, 0, in->n * size, in->out, 0, NULL, NULL);
    for (size_t i = 0; i < in->n; i++) {
        const uint64_t number = load(in->values, in->order[i], size);
        const uint64_t wanted = operation == FIND_HIT ? number
                                : operation == COUNT  ? in->counts[number]
                                                      : none;
        if (load(in->out, i, size) != wanted) return failed(e, in->b, operations[operation]);
    }
    return true;
}

static bool skips(const entrant *e, int operation)
{
    return e->peer && ((operation == ERASE && !e->peer->erase) || (operation == COUNT && !e->peer->count));
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

/* Round 0 is not timed: it builds kernels, touches pages, and checks. Counting begins with an empty table.
   Each round begins with another entrant: whoever comes first after the peers have freed millions of nodes
   pays. */
static void round_of(entrant *all, size_t count, const input *in, unsigned round)
{
    for (int o = 0; o < OPERATIONS; o++) {
        for (size_t i = 0; i < count && (o == INSERT || o == COUNT); i++)
            if (!all[i].error[0]) empty(&all[i], in);
        for (size_t i = 0; i < count; i++) {
            entrant *e = &all[(i + round) % count];
            double seconds = 0;
            if (e->error[0] || skips(e, o)) continue;
            if (!timed(e, in, o, &seconds) || (round == 0 && !answers_are_right(e, in, o))) continue;
            if (round > 0) e->seconds[o][round - 1] = seconds;
        }
    }
}

/* How many times as fast as each peer the library's own choice is. */
static void print_ratios(entrant *all, size_t count, unsigned rounds)
{
    if (all[0].error[0] || count == 0 || !all[count - 1].peer) return;
    printf("  %s over\n", all[0].name);
    for (size_t i = 0; i < count; i++) {
        if (!all[i].peer || all[i].error[0]) continue;
        printf("  %-22s", all[i].name);
        for (int o = 0; o < OPERATIONS; o++) {
            const double own = bench_hash_median(all[0].seconds[o], rounds);
            if (skips(&all[i], o)) printf(" %18s", "-");
            else printf(" %18.2f", bench_hash_median(all[i].seconds[o], rounds) / own);
        }
        puts("");
    }
}

static void print_table(entrant *all, size_t count, const input *in, unsigned rounds)
{
    double first[OPERATIONS] = {0};
    char text[32];
    printf("\nhash u%zu -> u%zu, %s keys, %s slots, load %.2f: M keys/s (times %s)\n  %-22s",
           8 * in->course.size, 8 * in->course.size, kinds[in->course.kind],
           report_count(in->course.capacity, text), in->course.load, hash_peer_c.name, "table");
    for (int o = 0; o < OPERATIONS; o++) printf(" %18s", operations[o]);
    puts("");
    for (size_t i = 0; i < count; i++)
        for (int o = 0; o < OPERATIONS && all[i].peer == &hash_peer_c; o++)
            first[o] = bench_hash_median(all[i].seconds[o], rounds);
    for (size_t i = 0; i < count; i++) {
        printf("  %-22s", all[i].name);
        for (int o = 0; o < OPERATIONS && !all[i].error[0]; o++) {
            const double s = bench_hash_median(all[i].seconds[o], rounds);
            if (skips(&all[i], o)) printf(" %18s", "-");
            else if (first[o] > 0) printf(" %9.1f (%6.2f)", (double)in->n / s * 1e-6, first[o] / s);
            else printf(" %18.1f", (double)in->n / s * 1e-6);
        }
        printf("%s%s\n", all[i].error[0] ? " ERROR: " : "", all[i].error);
    }
    print_ratios(all, count, rounds);
    fflush(stdout);
}

static void print_rows(entrant *all, size_t count, const input *in, unsigned rounds)
{
    for (size_t i = 0; i < count; i++) {
        for (int o = 0; o < OPERATIONS; o++) {
            const bool none = all[i].error[0] || skips(&all[i], o);
            const double s = none ? 0 : bench_hash_median(all[i].seconds[o], rounds);
            bench_hash_row(in->b, &(bench_hash_result){.variant = all[i].name,
                                                       .operation = operations[o],
                                                       .keys = kinds[in->course.kind],
                                                       .size = in->course.size,
                                                       .capacity = in->course.capacity,
                                                       .load = in->course.load,
                                                       .n = in->n,
                                                       .seconds = s,
                                                       .fastest = none ? 0 : all[i].seconds[o][0],
                                                       .failed = all[i].error[0] != 0});
        }
    }
}

static void note_failures(const entrant *all, size_t count, bench *b)
{
    for (size_t i = 0; i < count; i++) b->failed |= all[i].error[0] && !all[i].peer;
}

/* Peers have keys of 32 bits. */
static size_t entrants(const bench *b, entrant *all, course course)
{
    size_t count = 0;
    all[count++] = (entrant){.name = "gpuprim"};
    all[count++] = (entrant){.name = "gpuprim:direct", .strategy = GP_STRATEGY_SINGLE_PASS};
    all[count++] = (entrant){.name = "gpuprim:partitioned", .strategy = GP_STRATEGY_MULTI_PASS};
    if (!b->on_cpu || b->options.no_peers || course.size != 4) return count;
    for (size_t i = 0; bench_hash_peers[i]; i++) {
        if (b->options.only && !strstr(bench_hash_peers[i]->name, b->options.only)) continue;
        all[count++] = (entrant){.name = bench_hash_peers[i]->name, .peer = bench_hash_peers[i]};
    }
    return count;
}

static void race(bench *b, course course)
{
    static entrant all[ENTRANTS_MAX];
    unsigned rounds = b->options.repeats ? b->options.repeats : course.capacity > ((size_t)1 << 20) ? 5 : 21;
    size_t count;
    input in;
    if (!bench_begin(b, course.capacity)) return;
    if (rounds > ROUNDS_MAX) rounds = ROUNDS_MAX;
    memset(all, 0, sizeof all);
    count = entrants(b, all, course);
    if (!input_open(b, &in, course)) {
        fprintf(stderr, "gpbench: hash: no memory for %zu keys: %s\n", in.n, gp_last_error(b->gp));
        b->failed = true;
    } else {
        for (size_t i = 0; i < count; i++) (void)entrant_open(&all[i], &in);
        for (unsigned r = 0; r <= rounds; r++) {
            b->within = (double)r / (rounds + 1);
            bench_progress(b, "hash %zu slots, load %.2f: round %u of %u", course.capacity, course.load, r,
                           rounds);
            round_of(all, count, &in, r);
        }
        bench_progress_end(b);
        if (b->options.format == BENCH_TABLE) print_table(all, count, &in, rounds);
        print_rows(all, count, &in, rounds);
        note_failures(all, count, b);
        for (size_t i = 0; i < count; i++) entrant_close(&all[i], &in);
    }
    input_close(&in);
}

static void races(bench *b, size_t capacity)
{
    static const double loads[] = {.25, .5, .75, .9, .95};
    if (b->options.load > 0) {
        race(b, (course){capacity, b->options.load, 4, UNIQUE});
        return;
    }
    for (size_t l = 0; l < sizeof loads / sizeof *loads; l++)
        race(b, (course){capacity, loads[l], 4, UNIQUE});
    race(b, (course){capacity, .5, 4, ZIPF});
    race(b, (course){capacity, .5, 4, FEW});
    if (b->info->int64_base_atomics) race(b, (course){capacity, .5, 8, UNIQUE});
}

void bench_hash(bench *b)
{
    size_t capacity = 64;
    if (!b->options.n) races(b, (size_t)1 << 17);
    while (capacity < (b->options.n ? b->options.n : (size_t)1 << 23)) capacity *= 2;
    races(b, capacity);
    if (b->options.load <= 0) bench_hash_fill(b, capacity);
}
