/* bench_tune.c - gpbench tune: other rows of the tuning table for this device, if they are faster.

   For each row, one setting after another is changed, and kept where it is faster at the sizes of `trained`: both contexts
   in turns, on the same buffers, with the same result. In the end each changed row is measured against the table's own at
   the sizes of `held_out`; what is not faster there, or slower at any of them, is dropped. What is left is a file for
   gp_context_desc.tuning_file. */
#include "../harness/bench.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 31, ROUNDS_MIN = 5, SIZES = 3, SETTING_MAX = 64 };

/* A change has to gain so much over sizes, and may lose so much at one. */
static const double gain_least = 1.03, loss_most = 1.03;

static const size_t trained[SIZES] = {1 << 18, 1 << 21, 1 << 24};
static const size_t held_out[SIZES] = {200003, 3 << 19, 3 << 22};

/* Numbers, the same in order, brackets, parents; what calls write. */
typedef struct ground {
    bench *b;
    const char *path; /* of the file; the settings being tried are in path.try */
    char trying[512];
    size_t most;
    cl_mem numbers, sorted, brackets, parents, out;
    double deadline, seconds; /* until when a row may be searched; of a comparison */
    bool late;                /* the row had settings left */
} ground;

/* ------------------------------------------------------------------ work */

static gp_result run_reduce(gp_context *gp, const ground *g, size_t n)
{
    return gp_reduce(
        gp, &(gp_reduce_desc){.in = g->numbers, .out = g->out, .count = n, .type = GP_U32, .op = GP_SUM});
}

static gp_result run_scan(gp_context *gp, const ground *g, size_t n)
{
    return gp_scan(
        gp, &(gp_scan_desc){.in = g->numbers, .out = g->out, .count = n, .type = GP_U32, .op = GP_SUM});
}

static gp_result run_select(gp_context *gp, const ground *g, size_t n)
{
    return gp_select(
        gp,
        &(gp_select_desc){.in = g->numbers, .out = g->out, .count = n, .type = GP_U32, .predicate = "x & 1"});
}

static gp_result run_sort(gp_context *gp, const ground *g, size_t n)
{
    return gp_sort(gp,
                   &(gp_sort_desc){.keys = g->numbers, .keys_out = g->out, .count = n, .key_type = GP_U32});
}

static gp_result run_merge(gp_context *gp, const ground *g, size_t n)
{
    return gp_merge(gp, &(gp_merge_desc){.a_keys = g->sorted,
                                         .a_count = n / 2,
                                         .b_keys = g->sorted,
                                         .b_count = n - n / 2,
                                         .keys_out = g->out,
                                         .key_type = GP_U32});
}

static gp_result run_search(gp_context *gp, const ground *g, size_t n)
{
    return gp_search(gp, &(gp_search_desc){.keys = g->sorted,
                                           .count = n,
                                           .needles = g->numbers,
                                           .needle_count = n,
                                           .out = g->out,
                                           .out_type = GP_U32,
                                           .key_type = GP_U32});
}

static gp_result run_brackets(gp_context *gp, const ground *g, size_t n)
{
    return gp_brackets(gp, &(gp_brackets_desc){
                               .in = g->brackets, .count = n, .type = GP_U8, .pairs = "()", .match = g->out});
}

static gp_result run_tree(gp_context *gp, const ground *g, size_t n)
{
    return gp_tree(gp, &(gp_tree_desc){.parent = g->parents, .count = n, .index = g->out});
}

static gp_result run_histogram(gp_context *gp, const ground *g, size_t n)
{
    return gp_histogram(
        gp, &(gp_histogram_desc){.in = g->numbers, .count = n, .type = GP_U32, .bins = 256, .out = g->out});
}

static gp_result run_map(gp_context *gp, const ground *g, size_t n)
{
    return gp_transform(gp,
                        &(gp_transform_desc){
                            .in = g->numbers, .type = GP_U32, .out = g->out, .map = "x * 3 + 1", .count = n});
}

/* A row of the table, and what stands for its primitives. */
static const struct work {
    const char *row;
    gp_result (*run)(gp_context *gp, const ground *g, size_t n);
} works[] = {
    {"reduce", run_reduce},       {"scan", run_scan},     {"select", run_select},     {"sort", run_sort},
    {"merge", run_merge},         {"search", run_search}, {"brackets", run_brackets}, {"tree", run_tree},
    {"histogram", run_histogram}, {"map", run_map}};

typedef struct work work;

/* ------------------------------------------------------------------ data */

static bool make_data(ground *g)
{
    gp_context *gp = g->b->gp;
    const size_t n = g->most;
    return gp_buffer_create(gp, 4 * n, NULL, &g->numbers) == GP_OK &&
           gp_buffer_create(gp, 4 * n, NULL, &g->sorted) == GP_OK &&
           gp_buffer_create(gp, n, NULL, &g->brackets) == GP_OK &&
           gp_buffer_create(gp, 4 * n, NULL, &g->parents) == GP_OK &&
           gp_buffer_create(gp, 4 * n, NULL, &g->out) == GP_OK &&
           gp_random(gp, &(gp_random_desc){.out = g->numbers, .type = GP_U32, .count = n}) == GP_OK &&
           gp_sort(gp,
                   &(gp_sort_desc){
                       .keys = g->numbers, .keys_out = g->sorted, .count = n, .key_type = GP_U32}) == GP_OK &&
           gp_transform(gp, &(gp_transform_desc){.in = g->numbers,
                                                 .type = GP_U32,
                                                 .out = g->brackets,
                                                 .out_type = GP_U8,
                                                 .map = "x & 1 ? '(' : ')'",
                                                 .count = n}) == GP_OK &&
           gp_brackets(gp, &(gp_brackets_desc){.in = g->brackets,
                                               .count = n,
                                               .type = GP_U8,
                                               .pairs = "()",
                                               .parent = g->parents}) == GP_OK &&
           gp_finish(gp) == GP_OK;
}

static void free_data(ground *g)
{
    cl_mem *const buffers[] = {&g->numbers, &g->sorted, &g->brackets, &g->parents, &g->out};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (*buffers[i] != NULL) clReleaseMemObject(*buffers[i]);
}

/* ------------------------------------------------------------------ settings */

typedef struct setting {
    uint32_t group, bytes, polls; /* 0: the table's */
    gp_strategy strategy;
} setting;

static const char *text_of(const setting *s, char text[SETTING_MAX])
{
    char *at = text;
    *at = 0;
    if (s->group) at += sprintf(at, " group=%u", s->group);
    if (s->bytes) at += sprintf(at, " bytes=%u", s->bytes);
    if (s->strategy)
        at += sprintf(at, " strategy=%s",
                      s->strategy == GP_STRATEGY_SINGLE_PASS ? "single_pass" : "multi_pass");
    if (s->polls) at += sprintf(at, " polls=%u", s->polls);
    return text;
}

static bool is_plain(const setting *s) { return !s->group && !s->bytes && !s->polls && !s->strategy; }

static bool write_file(const ground *g, const char *path, const work *w, const setting *settings,
                       size_t count)
{
    FILE *f = fopen(path, "w");
    char text[SETTING_MAX];
    if (f == NULL) return false;
    fprintf(f, "gpuprim tuning 1\nplatform %s\ndevice %s\n", g->b->info->platform_name, g->b->info->name);
    for (size_t i = 0; i < count; i++)
        if (!is_plain(&settings[i])) fprintf(f, "%s%s\n", w[i].row, text_of(&settings[i], text));
    const bool good = ferror(f) == 0;
    return fclose(f) == 0 && good;
}

/* NULL where the device cannot do it so. */
static gp_context *open_with(const ground *g, const work *w, const setting *s)
{
    gp_context_desc desc = {.context = g->b->context, .device = g->b->device, .tuning = g->b->options.tuning};
    gp_context *gp = NULL;
    if (!is_plain(s)) {
        if (!write_file(g, g->trying, w, s, 1)) return NULL;
        desc.tuning_file = g->trying;
    }
    return gp_context_create(&desc, &gp) == GP_OK ? gp : NULL;
}

/* ------------------------------------------------------------------ comparison */

/* A number that depends on every word and its place. */
static uint64_t digest(const ground *g, size_t n)
{
    uint64_t sum = 0;
    (void)gp_reduce_read(g->b->gp,
                         &(gp_reduce_desc){.in = g->out,
                                           .count = n,
                                           .type = GP_U32,
                                           .op = GP_SUM,
                                           .map = "(ulong)(x ^ (uint)i * 0x9e3779b1u) * 0x85ebca77u",
                                           .map_type = GP_U64},
                         &sum);
    return sum;
}

/* What the call leaves behind in the output, and that its program is built. */
static bool result_of(const ground *g, const work *w, gp_context *gp, size_t n, uint64_t *sum)
{
    const cl_uint poison = 0xa5a5a5a5u;
    clEnqueueFillBuffer(g->b->queue, g->out, &poison, sizeof poison, 0, 4 * n, 0, NULL, NULL);
    clFinish(g->b->queue);
    if (w->run(gp, g, n) != GP_OK || gp_finish(gp) != GP_OK) return false;
    *sum = digest(g, n);
    return true;
}

static double time_of(const ground *g, const work *w, gp_context *gp, size_t n)
{
    const double start = bench_now();
    const bool done = w->run(gp, g, n) == GP_OK && gp_finish(gp) == GP_OK;
    return done ? bench_now() - start : 1e9;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How many times as fast as `a` is `b`? Of rounds, each of both in turns, the median, and what three of four reach. */
typedef struct speed_up {
    double median, most_reach;
} speed_up;

/* Zeros: another result, or none. */
static speed_up compare(const ground *g, const work *w, gp_context *a, gp_context *b, size_t n)
{
    double ratios[ROUNDS_MAX];
    uint64_t of_a, of_b;
    unsigned rounds = 0;
    if (!result_of(g, w, a, n, &of_a) || !result_of(g, w, b, n, &of_b) || of_a != of_b)
        return (speed_up){0, 0};
    const double start = bench_now();
    while (rounds < ROUNDS_MAX && (rounds < ROUNDS_MIN || bench_now() - start < g->seconds)) {
        const bool first = rounds % 2 == 0;
        const double t = time_of(g, w, first ? a : b, n), u = time_of(g, w, first ? b : a, n);
        ratios[rounds++] = first ? t / u : u / t;
    }
    qsort(ratios, rounds, sizeof *ratios, compare_doubles);
    return (speed_up){ratios[rounds / 2], ratios[rounds / 4]};
}

/* The geometric mean over sizes of what most rounds reach; 0 where one of them loses too much. */
static double gain_of(const ground *g, const work *w, gp_context *a, gp_context *b, const size_t sizes[SIZES],
                      double each[SIZES])
{
    double product = 1;
    for (size_t i = 0; i < SIZES; i++) {
        const speed_up s = compare(g, w, a, b, sizes[i] < g->most ? sizes[i] : g->most);
        each[i] = s.median;
        if (s.median < 1 / loss_most) return 0;
        product *= s.most_reach;
    }
    return pow(product, 1.0 / SIZES);
}

/* ------------------------------------------------------------------ search */

/* Takes the setting where it is faster than what there is. */
static bool try_setting(ground *g, const work *w, setting *best, const setting *s)
{
    gp_context *a, *b;
    double each[SIZES], gain = 0;
    char text[SETTING_MAX];
    g->late = bench_now() > g->deadline;
    if (g->late) return false;
    bench_progress(g->b, "tune: %s%s, %.0f s left", w->row, text_of(s, text), g->deadline - bench_now());
    a = open_with(g, w, best);
    b = open_with(g, w, s);
    if (a != NULL && b != NULL) gain = gain_of(g, w, a, b, trained, each);
    gp_context_destroy(a);
    gp_context_destroy(b);
    if (gain < gain_least) return false;
    *best = *s;
    return true;
}

/* The values of one field, each alone. */
static void try_numbers(ground *g, const work *w, setting *best, size_t field, const uint32_t *values,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        setting s = *best;
        *(uint32_t *)((char *)&s + field) = values[i];
        (void)try_setting(g, w, best, &s);
    }
}

/* Group and tile, strategy, patience. What the device's shape does not have makes no context, and costs nothing. */
static void search(ground *g, const work *w, setting *best)
{
    static const uint32_t groups[] = {64, 128, 256, 512},
                          polls[] = {1 << 10, 1 << 14, 1 << 17, 1 << 20, 1 << 23};
    static const uint32_t bytes[] = {16,      32,      64,      128,     1 << 14, 1 << 15,
                                     1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20};
    try_numbers(g, w, best, offsetof(setting, group), groups, sizeof groups / sizeof *groups);
    try_numbers(g, w, best, offsetof(setting, bytes), bytes, sizeof bytes / sizeof *bytes);
    for (int k = GP_STRATEGY_SINGLE_PASS; k <= GP_STRATEGY_MULTI_PASS; k++) {
        setting s = *best;
        s.strategy = (gp_strategy)k;
        (void)try_setting(g, w, best, &s);
    }
    try_numbers(g, w, best, offsetof(setting, polls), polls, sizeof polls / sizeof *polls);
}

/* Drops what is not faster at other sizes, too. */
static void verify(const ground *g, const work *w, setting *best)
{
    const setting plain = {0};
    gp_context *a, *b;
    double each[SIZES] = {0}, gain = 0;
    char text[SETTING_MAX], n[32];
    if (is_plain(best)) {
        printf("  %-10s as it is%s\n", w->row, g->late ? ", as far as there was time" : "");
        return;
    }
    a = open_with(g, w, &plain);
    b = open_with(g, w, best);
    if (a != NULL && b != NULL) gain = gain_of(g, w, a, b, held_out, each);
    gp_context_destroy(a);
    gp_context_destroy(b);
    printf("  %-10s%s:", w->row, text_of(best, text));
    for (size_t i = 0; i < SIZES && each[i] > 0; i++)
        printf(" %.3f at %s", each[i], report_count(held_out[i], n));
    puts(gain < gain_least ? ", dropped" : "");
    if (gain < gain_least) *best = plain;
}

void bench_tune(bench *b)
{
    enum { WORKS = sizeof works / sizeof *works, COMPARISONS = 22 * WORKS };
    const double budget = b->options.seconds > 0 ? b->options.seconds : 300;
    ground g = {.b = b, .path = b->options.out != NULL ? b->options.out : "gpuprim.tuning"};
    setting best[WORKS] = {{0}};
    size_t kept = 0;
    if (b->planning) return; /* it knows how long it takes */
    g.most = b->options.n > 0 ? b->options.n : trained[SIZES - 1];
    g.seconds = budget / (COMPARISONS * SIZES);
    snprintf(g.trying, sizeof g.trying, "%s.try", g.path);
    if (make_data(&g)) {
        const double start = bench_now();
        printf(
            "\ntune: how many times as fast as the table's own row, at sizes that the search did not see\n");
        for (size_t i = 0; i < WORKS; i++) {
            g.deadline = start + budget * (double)(i + 1) / WORKS;
            search(&g, &works[i], &best[i]);
            bench_progress_end(b);
            verify(&g, &works[i], &best[i]);
            kept += !is_plain(&best[i]);
        }
        if (kept == 0) puts("tune: the table fits this device: no file written");
        else if (write_file(&g, g.path, works, best, WORKS))
            printf("tune: %zu rows of the table in %s; use it by GPUPRIM_TUNING=%s or "
                   "gp_context_desc.tuning_file\n",
                   kept, g.path, g.path);
        else b->failed = true, perror(g.path);
    } else {
        b->failed = true;
        fprintf(stderr, "gpbench: tune: %s\n", gp_last_error(b->gp));
    }
    (void)remove(g.trying);
    free_data(&g);
}
