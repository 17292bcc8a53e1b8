/* case.c - arrays, cases and their variants: making, verifying, timing. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "data.h"
#include "pool.h"
#include "work.h"

enum { ALIGNMENT = 4096, POISON = 0xa5 };

/* Seconds. A variant gets about one slice, or more if it needs more for its fewest rounds. If a run takes
   less than WARMED, an untimed run comes before it, because the result must not depend on the previous
   variant, which leaves other data in the caches, and lets the driver's threads fall asleep. After a
   second of another library, a first sort took 40 ms longer. */
#define SLICE 0.15
#define SLICE_OF_SLOW 0.03
#define WARMED 0.5
enum { ROUNDS_MIN = 5, ROUNDS_MIN_OF_SLOW = 3, ROUNDS_AUTO_MAX = 101, SLOW = 4, HOPELESS = 16 };

/* ------------------------------------------------------------------ arrays */

static size_t round_up(size_t bytes) { return (bytes + 63) / 64 * 64; }

/* Returns zeroed memory, or NULL. Zeroing also touches every page. */
static void *host_memory(size_t bytes)
{
    void *p;
    if (posix_memalign(&p, ALIGNMENT, bytes) != 0) return NULL;
    memset(p, 0, bytes);
    return p;
}

/* Creates the array's buffer. On a CPU the buffer uses the host memory itself, so that all variants find
   the caches in the same state and use the same pages. Must be called after the host memory is filled. */
static bool array_bind(bench_case *c, bench_array *a)
{
    const cl_mem_flags flags = c->b->on_cpu ? CL_MEM_USE_HOST_PTR : a->host ? CL_MEM_COPY_HOST_PTR : 0;
    const cl_uint zero = 0;
    a->mem = clCreateBuffer(c->b->context, CL_MEM_READ_WRITE | flags, a->bytes, a->host, NULL);
    if (a->mem == NULL) return false;
    if (a->host != NULL) return true;
    return clEnqueueFillBuffer(c->b->queue, a->mem, &zero, sizeof zero, 0, a->bytes, 0, NULL, NULL) == 0;
}

static void array_free(bench_array *a)
{
    if (a->mem != NULL) clReleaseMemObject(a->mem);
    free(a->host);
}

/* Returns true if the arrays fit in the device's memory. If they do not, a driver may abort, or the
   system may kill the process. */
static bool fits(const bench_case *c, size_t expected_bytes)
{
    const gp_device_info *info = c->b->info;
    const size_t largest = c->out.bytes > c->in.bytes ? c->out.bytes : c->in.bytes;
    const size_t all = c->in.bytes + c->in2.bytes + c->out.bytes + expected_bytes;
    return largest <= info->max_alloc_size && all <= info->global_mem_size;
}

static bool make_inputs(bench_case *c)
{
    const size_t size = data_size(c->work.type);
    c->in.host = host_memory(c->in.bytes);
    if (c->in.host == NULL) return false;
    data_fill(c->work.type, c->work.op, c->in.host, c->work.n);
    const uint32_t *words = c->in.host;
    for (size_t i = 0; i < c->in.bytes / sizeof *words; i++) c->word_sum += words[i];
    if (!array_bind(c, &c->in)) return false;
    if (c->in2.bytes == 0) return true;
    c->in2.host = host_memory(c->in2.bytes);
    if (c->in2.host == NULL) return false;
    memcpy(c->in2.host, c->in.host, c->work.n * size);
    return array_bind(c, &c->in2);
}

static bool make_outputs(bench_case *c, size_t expected_bytes)
{
    if (c->b->on_cpu) c->out.host = host_memory(c->out.bytes);
    if (c->b->on_cpu && c->out.host == NULL) return false;
    if (!array_bind(c, &c->out)) return false;
    if (expected_bytes > 0) c->expected = host_memory(round_up(expected_bytes));
    return expected_bytes == 0 || c->expected != NULL;
}

/* ------------------------------------------------------------------ cases */

static void describe_work(bench_case *c, const bench_case_desc *desc)
{
    bench *b = c->b;
    c->work = (bench_work){.primitive = desc->primitive,
                           .type = desc->type,
                           .op = desc->op,
                           .n = desc->n,
                           .context = b->context,
                           .device = b->device,
                           .queue = b->queue,
                           .in = c->in.mem,
                           .in2 = c->in2.mem,
                           .out = c->out.mem,
                           .host_in = c->in.host,
                           .host_in2 = c->in2.host,
                           .host_out = c->out.host,
                           .pool = b->pool};
}

bool bench_case_open(bench *b, bench_case *c, const bench_case_desc *desc)
{
    const size_t bytes = round_up(desc->n * data_size(desc->type));
    const size_t parts = round_up(bench_read_parts(b, bytes) * sizeof(cl_uint));
    *c = (bench_case){.b = b, .name = desc->name, .out_type = desc->out_type, .bytes = desc->bytes};
    if (!bench_begin(b, desc->n)) return false;
    c->in.bytes = bytes;
    c->in2.bytes = desc->second_input ? bytes : 0;
    c->out.bytes = round_up(desc->out_bytes) > parts ? round_up(desc->out_bytes) : parts;
    bench_progress(b, "%s %s %zu: input", c->name, data_type_name(desc->type), desc->n);
    describe_work(c, desc);
    c->seconds = malloc(BENCH_VARIANTS_MAX * BENCH_ROUNDS_MAX * sizeof *c->seconds);
    if (c->seconds != NULL && fits(c, desc->expected_bytes) && make_inputs(c) &&
        make_outputs(c, desc->expected_bytes)) {
        describe_work(c, desc); /* now with the buffers */
        clFinish(b->queue);
        return true;
    }
    bench_case_close(c);
    report_failure(b, desc, "not enough memory");
    return false;
}

bool bench_case_input2(bench_case *c, const void *data)
{
    return clEnqueueWriteBuffer(c->b->queue, c->in2.mem, CL_TRUE, 0, c->in2.bytes, data, 0, NULL, NULL) ==
               0 &&
           memcpy(c->in2.host, data, c->in2.bytes) != NULL;
}

void bench_case_upload(bench_case *c, const bench_array *a)
{
    if (!c->b->on_cpu)
        clEnqueueWriteBuffer(c->b->queue, a->mem, CL_TRUE, 0, a->bytes, a->host, 0, NULL, NULL);
}

void bench_case_close(bench_case *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->variants[i].kernel != NULL) clReleaseKernel(c->variants[i].kernel);
    array_free(&c->in);
    array_free(&c->in2);
    array_free(&c->out);
    free(c->expected);
    free(c->seconds);
    *c = (bench_case){0};
}

/* ------------------------------------------------------------------ one run */

static bool poison(bench_case *c, bench_variant *v)
{
    const cl_uint pattern = 0x01010101u * POISON;
    if (v->on_host) {
        memset(c->out.host, POISON, v->out_bytes);
        return true;
    }
    const cl_int e = clEnqueueFillBuffer(c->b->queue, c->out.mem, &pattern, sizeof pattern, 0,
                                         round_up(v->out_bytes), 0, NULL, NULL);
    if (e != CL_SUCCESS) return bench_fail(v, "clEnqueueFillBuffer: %d", (int)e);
    return clFinish(c->b->queue) == CL_SUCCESS;
}

static bool check(bench_case *c, bench_variant *v)
{
    if (v->on_host) return v->check(c, v, c->out.host);
    cl_int e;
    cl_command_queue queue = c->b->queue;
    void *out =
        clEnqueueMapBuffer(queue, c->out.mem, CL_TRUE, CL_MAP_READ, 0, v->out_bytes, 0, NULL, NULL, &e);
    if (out == NULL) return bench_fail(v, "clEnqueueMapBuffer: %d", (int)e);
    const bool right = v->check(c, v, out);
    clEnqueueUnmapMemObject(queue, c->out.mem, out, 0, NULL, NULL);
    return clFinish(queue) == CL_SUCCESS && right;
}

static void rest(void)
{
    const struct timespec millisecond = {0, 1000000};
    nanosleep(&millisecond, NULL);
}

/* Returns the number of fallbacks since the last call. */
static uint64_t new_fallbacks(bench *b)
{
    gp_stats profile;
    if (gp_stats_read(b->gp, &profile) != GP_OK) return 0;
    const uint64_t before = b->fallbacks;
    b->fallbacks = profile.fallbacks;
    return profile.fallbacks - before;
}

/* Returns the seconds of one run; a negative number if the run failed. */
static double run_once(bench_case *c, bench_variant *v)
{
    if (v->pooled) pool_arm(c->b->pool);
    const double start = bench_now();
    const bool done = v->run(c, v);
    const double seconds = bench_now() - start;
    if (v->spins_after) rest();
    if (v->kind == BENCH_GPUPRIM) v->fallbacks += new_fallbacks(c->b);
    if (!done && v->error[0] == 0) bench_fail(v, "failed");
    return done ? seconds : -1;
}

/* ------------------------------------------------------------------ all runs */

static bool usable(const bench_variant *v) { return v->error[0] == 0; }

/* Runs and checks each variant once. This run also builds programs. */
static void verify_all(bench_case *c)
{
    for (size_t i = 0; i < c->count; i++) {
        bench_variant *v = &c->variants[i];
        bench_progress(c->b, "%s %s %zu: checking %s", c->name, data_type_name(c->work.type), c->work.n,
                       v->name);
        if (!usable(v) || !poison(c, v)) continue;
        c->work.checked = true;
        const double seconds = run_once(c, v);
        c->work.checked = false;
        if (seconds >= 0 && !check(c, v) && usable(v)) bench_fail(v, "check failed");
    }
}

/* Estimates each variant's time by one warm run. Returns the shortest time. */
static double estimate_all(bench_case *c)
{
    double fastest = 1e9;
    for (size_t i = 0; i < c->count; i++) {
        bench_variant *v = &c->variants[i];
        if (!usable(v)) continue;
        v->estimate = run_once(c, v);
        if (v->estimate > 0 && v->estimate < fastest) fastest = v->estimate;
    }
    return fastest;
}

/* Returns the number of rounds for a variant. Slow variants need less precision and get fewer rounds,
   very slow ones a single round. */
static unsigned rounds_for(const bench_options *options, double estimate, double fastest)
{
    if (options->repeats > 0) return options->repeats;
    const bool slow = estimate > SLOW * fastest;
    if (estimate > HOPELESS * fastest && estimate > SLICE) return 1;
    const double rounds = (slow ? SLICE_OF_SLOW : SLICE) / (estimate > 1e-9 ? estimate : 1e-9);
    const unsigned fewest = slow ? ROUNDS_MIN_OF_SLOW : ROUNDS_MIN;
    if (rounds > ROUNDS_AUTO_MAX) return ROUNDS_AUTO_MAX;
    return rounds < fewest ? fewest : (unsigned)rounds;
}

static unsigned plan_rounds(bench_case *c, double fastest)
{
    unsigned most = 0;
    for (size_t i = 0; i < c->count; i++) {
        bench_variant *v = &c->variants[i];
        v->rounds = usable(v) ? rounds_for(&c->b->options, v->estimate, fastest) : 0;
        if (v->rounds > most) most = v->rounds;
    }
    return most;
}

/* Returns true if the variant runs in this round. Its rounds are spread evenly over all rounds. */
static bool takes_part(const bench_variant *v, unsigned round, unsigned rounds)
{
    return usable(v) && round * v->rounds / rounds != (round + 1) * v->rounds / rounds;
}

/* Puts the variants in a different order in each round, because the state in which a variant leaves
   caches and threads must not always affect the same other variant. */
static void shuffle(size_t *order, size_t count, unsigned round)
{
    for (size_t i = count; i > 1; i--) {
        const size_t j = (size_t)(data_random_bits((uint64_t)round * BENCH_VARIANTS_MAX + i) % i);
        const size_t last = order[i - 1];
        order[i - 1] = order[j];
        order[j] = last;
    }
}

static void time_all(bench_case *c, unsigned rounds)
{
    size_t order[BENCH_VARIANTS_MAX];
    for (size_t i = 0; i < c->count; i++) order[i] = i;
    for (unsigned round = 0; round < rounds; round++) {
        bench_give_turn(c->b);
        c->b->within = (double)round / rounds;
        bench_progress(c->b, "%s %s %zu: round %u of %u", c->name, data_type_name(c->work.type), c->work.n,
                       round + 1, rounds);
        shuffle(order, c->count, round);
        for (size_t i = 0; i < c->count; i++) {
            bench_variant *v = &c->variants[order[i]];
            if (!takes_part(v, round, rounds)) continue;
            if (v->estimate < WARMED) run_once(c, v);
            const double seconds = run_once(c, v);
            if (seconds >= 0) v->seconds[v->taken++] = seconds;
        }
    }
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summarize(bench_case *c)
{
    const double n = (double)c->work.n;
    for (size_t i = 0; i < c->count; i++) {
        bench_variant *v = &c->variants[i];
        if (!usable(v) || v->taken == 0) continue;
        qsort(v->seconds, v->taken, sizeof *v->seconds, compare_doubles);
        v->median = (v->seconds[(v->taken - 1) / 2] + v->seconds[v->taken / 2]) / 2;
        if (v->kind != BENCH_LIMIT || n / v->median <= c->limit_per_s) continue;
        c->limit_per_s = n / v->median;
        c->limit = v;
    }
}

void bench_case_measure(bench_case *c)
{
    verify_all(c);
    time_all(c, plan_rounds(c, estimate_all(c)));
    summarize(c);
    bench_progress_end(c->b);
}

void bench_case_note_failures(bench_case *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const bench_variant *v = &c->variants[i];
        if (!usable(v) && !v->unsupported && v->kind != BENCH_PEER) c->b->failed = true;
    }
}

void bench_case_run(bench_case *c)
{
    bench_case_measure(c);
    bench_case_note_failures(c);
    report_rows(c);
}
