/* bench_brackets.c - gpbench brackets: partners of brackets, by shape of the nest; sizes of tiles. */
#define _POSIX_C_SOURCE 200809L
#include "../harness/bench.h"
#include "nests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ expected result */

static bool make_expected(bench_case *c)
{
    const unsigned char *text = c->in.host;
    uint32_t *match = c->expected, *stack = malloc(c->work.n * sizeof *stack);
    size_t height = 0;
    for (size_t i = 0; i < c->work.n && stack; i++) {
        const int sign = nest_signs[text[i]];
        match[i] = UINT32_MAX;
        if (sign > 0) stack[height++] = (uint32_t)i;
        if (sign >= 0 || height == 0) continue;
        match[i] = stack[--height];
        match[match[i]] = (uint32_t)i;
    }
    free(stack);
    return stack != NULL;
}

/* ------------------------------------------------------------------ variants */

static bool run(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_brackets(c->b->gp, &v->with.brackets);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return gp_finish(c->b->gp) == GP_OK || bench_fail(v, "gp_finish failed");
}

static bool check(bench_case *c, bench_variant *v, const void *out)
{
    return bench_check_elements(c, v, out, c->work.n);
}

static bool check_nothing(bench_case *c, bench_variant *v, const void *out)
{
    (void)c;
    (void)v;
    (void)out;
    return true;
}

enum { MATCH = 1, PARENT = 2, DEPTH = 4, ALL = 8 };

/* Buffers besides the case's. */
typedef struct nest_buffers {
    cl_mem parent, depth, errors;
    cl_mem codes; /* of the input, a byte each */
} nest_buffers;

/* NULL: no memory. */
static cl_mem make_codes(bench_case *c)
{
    const unsigned char *text = c->in.host;
    signed char *codes = malloc(c->work.n);
    cl_mem buffer = NULL;
    for (size_t i = 0; i < c->work.n && codes; i++) codes[i] = nest_signs[text[i]];
    if (codes) (void)gp_buffer_create(c->b->gp, c->work.n, codes, &buffer);
    free(codes);
    return buffer;
}

static void open_buffers(bench_case *c, nest_buffers *more)
{
    memset(more, 0, sizeof *more);
    (void)gp_buffer_create(c->b->gp, c->work.n * 4, NULL, &more->parent);
    (void)gp_buffer_create(c->b->gp, c->work.n * 4, NULL, &more->depth);
    (void)gp_buffer_create(c->b->gp, sizeof(gp_brackets_errors), NULL, &more->errors);
    more->codes = make_codes(c);
}

static void close_buffers(nest_buffers *more)
{
    const cl_mem all[] = {more->parent, more->depth, more->errors, more->codes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) clReleaseMemObject(all[i]);
}

/* `output`: which one goes to the case's; the checks know partners only. */
static bench_variant *add(bench_case *c, const char *name, int output, gp_strategy strategy,
                          const nest_buffers *more)
{
    bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "%s", name);
    gp_brackets_desc *d = &v->with.brackets;
    v->run = run;
    v->check = output == MATCH || output == ALL ? check : check_nothing;
    v->out_bytes = c->work.n * 4;
    memset(d, 0, sizeof *d);
    d->in = c->work.in;
    d->count = c->work.n;
    d->type = GP_U8;
    d->strategy = strategy;
    v->strategy = strategy == GP_STRATEGY_SINGLE_PASS ? "single-pass" : strategy ? "multi-pass" : "auto";
    if (output == MATCH || output == ALL) d->match = c->work.out;
    if (output == PARENT) d->parent = c->work.out;
    if (output == DEPTH) d->depth = c->work.out;
    if (output == ALL) d->parent = more->parent;
    if (output == ALL) d->depth = more->depth;
    if (output == ALL) d->errors = more->errors;
    return v;
}

static bool run_stack_scan(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_stack_scan(c->b->gp, &v->with.stack_scan);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return gp_finish(c->b->gp) == GP_OK || bench_fail(v, "gp_finish failed");
}

/* Ones along the nest, before each element: what has to come out is the depth. */
static bool check_depths(bench_case *c, bench_variant *v, const void *out)
{
    const unsigned char *text = c->in.host;
    const uint32_t *depth = out;
    uint32_t height = 0;
    for (size_t i = 0; i < c->work.n; i++) {
        if (depth[i] != height) return bench_fail(v, "depth of %zu is %u, not %u", i, depth[i], height);
        if (nest_signs[text[i]] > 0) height++;
        if (nest_signs[text[i]] < 0 && height > 0) height--;
    }
    return true;
}

static void add_stack_scan(bench_case *c)
{
    bench_variant *v = bench_variant_add(c, BENCH_INFO, "gpuprim:stack-scan");
    gp_stack_scan_desc *d = &v->with.stack_scan;
    v->run = run_stack_scan;
    v->check = check_depths;
    v->out_bytes = c->work.n * 4;
    memset(d, 0, sizeof *d);
    d->in = d->values = c->work.in;
    d->count = c->work.n;
    d->type = d->value_type = GP_U8;
    d->out_type = GP_U32;
    d->value_map = "1";
    d->op = GP_SUM;
    d->exclusive = true;
    d->out = c->work.out;
}

/* How much tiles have to do with one another. */
static void report_links(bench_case *c, const gp_brackets_desc *desc)
{
    gp_brackets_desc back = *desc;
    gp_brackets_errors e, looked;
    if (c->b->options.format != BENCH_TABLE) return;
    back.strategy = GP_STRATEGY_SINGLE_PASS;
    if (gp_brackets_read(c->b->gp, desc, &e) != GP_OK) return;
    if (gp_brackets_read(c->b->gp, &back, &looked) != GP_OK) return;
    printf("    deepest %llu; unmatched %llu; joined across tiles %llu, by %llu searches (look-back %llu)\n",
           (unsigned long long)e.max_depth, (unsigned long long)(e.unmatched_closers + e.unmatched_openers),
           (unsigned long long)e.joined, (unsigned long long)e.searches, (unsigned long long)looked.searches);
}

/* ------------------------------------------------------------------ tiles */

static double nanoseconds_of(gp_context *gp, const char *name, unsigned runs)
{
    gp_kernel_times k[16];
    size_t count = 0;
    double sum = 0;
    if (gp_stats_kernels(gp, k, 16, &count) != GP_OK) return 0;
    for (size_t i = 0; i < count; i++)
        if (!name || strcmp(k[i].name, name) == 0) sum += (double)k[i].total_ns / runs;
    return sum;
}

/* One row of the sweep: device times of all kernels, and of those that work inside tiles. */
static void tile_row(bench_case *c, const gp_brackets_desc *desc, gp_tuning tuning)
{
    enum { RUNS = 5 };
    bench *b = c->b;
    const gp_context_desc with = {
        .context = b->context, .device = b->device, .profile = true, .tuning = tuning};
    gp_context *gp;
    bool good = true;
    if (gp_context_create(&with, &gp) != GP_OK) return;
    good = gp_brackets(gp, desc) == GP_OK && gp_stats_reset(gp) == GP_OK;
    for (int k = 0; k < RUNS && good; k++) good = gp_brackets(gp, desc) == GP_OK && gp_finish(gp) == GP_OK;
    if (good) {
        const double whole = nanoseconds_of(gp, NULL, RUNS),
                     part = nanoseconds_of(gp, "gp_brackets_pair", RUNS);
        const uint32_t tile = tuning.tile * (tuning.work_group_size ? tuning.work_group_size : 1);
        if (b->options.format == BENCH_TABLE)
            printf("    tile %7u   whole %8.3f ms   inside tiles %8.3f ms (%.2f)\n", tile, whole * 1e-6,
                   part * 1e-6, part / whole);
        report_json(
            b,
            "{\"primitive\": \"%s, tiles\", \"variant\": \"gpuprim\", \"kind\": \"gpuprim\", \"n\": %zu, "
            "\"tile\": %u, \"median_s\": %g, \"inside_s\": %g, \"error\": \"\"}\n",
            c->name, c->work.n, tile, whole * 1e-9, part * 1e-9);
    } else if (b->options.format == BENCH_TABLE) {
        printf("    tile %u: %s\n", tuning.tile, gp_last_error(gp));
    }
    gp_context_destroy(gp);
}

/* Time against the size of a tile: of a group where groups have local memory. */
static void sweep_tiles(bench_case *c, const gp_brackets_desc *desc)
{
    static const uint32_t serial[] = {1024, 2048, 4096, 8192, 16384, 32768, 65536};
    static const uint32_t groups[] = {32, 64, 128, 256, 512, 1024};
    gp_tuning tuning = c->b->options.tuning;
    const bool local = tuning.shape == GP_SHAPE_LOCAL || (!tuning.shape && !c->b->on_cpu);
    if (tuning.tile) return;
    for (size_t i = 0; i < sizeof serial / sizeof *serial && !local; i++) {
        tuning.tile = serial[i];
        tile_row(c, desc, tuning);
    }
    for (size_t i = 0; i < sizeof groups / sizeof *groups && local; i++) {
        tuning.work_group_size = groups[i];
        tuning.tile = 16;
        tile_row(c, desc, tuning);
    }
}

/* ------------------------------------------------------------------ cases */

static void one(bench *b, const nest_input *input, size_t n, bool sweep)
{
    bench_case c;
    char name[64];
    const bench_case_desc desc = {.name = name,
                                  .primitive = BENCH_BRACKETS,
                                  .type = GP_U8,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .n = n,
                                  .out_bytes = 4 * n,
                                  .expected_bytes = 4 * n,
                                  .bytes = 5.0 * (double)n};
    snprintf(name, sizeof name, "brackets, %s", input->name);
    if (!bench_case_open(b, &c, &desc)) return;
    input->fill(c.in.host, n);
    if (!b->on_cpu) clEnqueueWriteBuffer(b->queue, c.in.mem, CL_TRUE, 0, n, c.in.host, 0, NULL, NULL);
    c.work.signs = nest_signs;
    if (make_expected(&c)) {
        nest_buffers more;
        open_buffers(&c, &more);
        bench_variant *kinds = add(&c, "gpuprim", MATCH, GP_STRATEGY_AUTO, &more);
        bench_variant *one_kind = add(&c, "gpuprim:one-kind", MATCH, GP_STRATEGY_AUTO, &more);
        one_kind->with.brackets.pairs = "()";
        if (input->kinds > 1) c.count--; /* it has three kinds */
        bench_variant *codes = add(&c, "gpuprim:codes", MATCH, GP_STRATEGY_AUTO, &more);
        codes->with.brackets.type = GP_I8;
        codes->with.brackets.in = more.codes;
        add(&c, "gpuprim:map", MATCH, GP_STRATEGY_AUTO, &more)->with.brackets.map =
            "x == '(' || x == '[' || x == '{' ? 1 : x == ')' || x == ']' || x == '}' ? -1 : 0";
        add(&c, "gpuprim:single-pass", MATCH, GP_STRATEGY_SINGLE_PASS, &more);
        add(&c, "gpuprim:parent", PARENT, GP_STRATEGY_AUTO, &more);
        add(&c, "gpuprim:depth", DEPTH, GP_STRATEGY_AUTO, &more);
        add(&c, "gpuprim:all:multi-pass", ALL, GP_STRATEGY_MULTI_PASS, &more);
        add(&c, "gpuprim:all:single-pass", ALL, GP_STRATEGY_SINGLE_PASS, &more);
        add_stack_scan(&c);
        bench_add_peers(&c, check, 4 * n);
        bench_case_run(&c);
        report_links(&c, &kinds->with.brackets);
        if (sweep) sweep_tiles(&c, &kinds->with.brackets);
        close_buffers(&more);
    }
    bench_case_close(&c);
}

void bench_brackets(bench *b)
{
    const size_t n = b->options.n ? b->options.n : (size_t)1 << 24;
    for (size_t i = 0; i < NEST_INPUTS; i++) one(b, &nest_inputs[i], n, i == 0);
    bench_tree(b);
}
