/* harness.c - a session of gpbench: context, clock, progress line, sweep over sizes and types. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "data.h"
#include "pool.h"

/* ------------------------------------------------------------------ turns */

/* Waits until the other gpbench hands the turn over, or has ended, which causes an end of file and a
   broken pipe. */
static void take_turn(const bench *b)
{
    char turn;
    if (b->options.turn_out == 0) return;
    (void)signal(SIGPIPE, SIG_IGN);
    (void)!read(b->options.turn_in, &turn, 1);
}

void bench_give_turn(const bench *b)
{
    const char turn = 0;
    if (b->options.turn_out != 0 && write(b->options.turn_out, &turn, 1) == 1) take_turn(b);
}

/* ------------------------------------------------------------------ session */

/* Opens the pool of threads for host code, which competes only on devices that use the same cores and
   memory as the host. */
static void open_pool(bench *b)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    b->threads = cores > 0 ? (unsigned)cores : 1;
    b->pool = pool_open(b->threads);
    if (b->pool == NULL) fprintf(stderr, "gpbench: no threads: rows of plain C are left out\n");
}

/* Prints a warning of the library, for example that the file of GPUPRIM_TUNING was refused. */
static void print_warning(gp_log_level level, const char *text, void *user)
{
    (void)user;
    if (level == GP_LOG_WARNING) fprintf(stderr, "gpbench: %s\n", text);
}

bool bench_open(bench *b, const bench_options *options)
{
    *b = (bench){.options = *options,
                 .progress = isatty(STDERR_FILENO) == 1,
                 .colours = isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == NULL};
    const gp_context_desc desc = {.device_filter = options->device,
                                  .log = print_warning,
                                  .dump_dir = options->dump,
                                  .strategy = options->strategy,
                                  .tuning = options->tuning};
    if (gp_context_create(&desc, &b->gp) != GP_OK) {
        fprintf(stderr, "gpbench: %s\n", gp_last_error(NULL));
        return false;
    }
    b->info = gp_context_info(b->gp);
    b->context = gp_cl_context(b->gp);
    b->device = gp_cl_device(b->gp);
    b->queue = gp_cl_queue(b->gp);
    b->on_cpu = (b->info->device_type & CL_DEVICE_TYPE_CPU) != 0;
    if (b->on_cpu) open_pool(b);
    take_turn(b);
    return true;
}

void bench_close(bench *b)
{
    pool_close(b->pool);
    if (b->stream != NULL) clReleaseProgram(b->stream);
    gp_context_destroy(b->gp);
}

/* ------------------------------------------------------------------ programs */

static void describe_failure(const bench *b, cl_program program, cl_int error, char text[BENCH_ERROR_MAX])
{
    char log[256] = "";
    if (program != NULL)
        clGetProgramBuildInfo(program, b->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    snprintf(text, BENCH_ERROR_MAX, "the benchmark's kernels do not build (%d): %s", (int)error, log);
}

cl_program bench_build(const bench *b, const char *const *lines, size_t count, char error[BENCH_ERROR_MAX])
{
    cl_int e;
    /* OpenCL's prototype lacks a const. */
    cl_program program =
        clCreateProgramWithSource(b->context, (cl_uint)count, (const char **)lines, NULL, &e);
    if (program != NULL) e = clBuildProgram(program, 1, &b->device, "-cl-std=CL1.2", NULL, NULL);
    if (e == CL_SUCCESS) return program;
    describe_failure(b, program, e, error);
    if (program != NULL) clReleaseProgram(program);
    return NULL;
}

/* ------------------------------------------------------------------ clock, progress line */

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bench_plan(bench *b, void (*run)(bench *b))
{
    if (!b->progress) return;
    b->planning = true;
    run(b);
    b->planning = false;
    b->planned = b->done + b->current;
    b->done = b->current = b->within = 0;
    b->start = bench_now();
}

/* Counts a small case as at least 2^22 elements, because each variant gets its slice of time. */
bool bench_begin(bench *b, size_t n)
{
    b->done += b->current;
    b->current = 1 + (double)n / (1 << 22);
    b->within = 0;
    return !b->planning;
}

/* Prints the remaining time, if the remaining work takes as long per element as the work so far. */
static void print_time_left(const bench *b)
{
    const double done = b->done + b->within * b->current, elapsed = bench_now() - b->start;
    if (done <= 0 || done > b->planned || elapsed < 1) return;
    const double left = elapsed * (b->planned - done) / done;
    if (left < 90) fprintf(stderr, ", about %.0f s left", left);
    else fprintf(stderr, ", about %.0f min left", left / 60);
}

void bench_progress(const bench *b, const char *format, ...)
{
    static double last;
    if (!b->progress || bench_now() - last < 0.1) return;
    last = bench_now();
    va_list arguments;
    va_start(arguments, format);
    fputs("\r\033[K", stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    print_time_left(b);
    fflush(stderr);
}

void bench_progress_end(const bench *b)
{
    if (!b->progress) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}

/* ------------------------------------------------------------------ sweep */

static void sweep_sizes(bench *b, void (*one)(bench *, gp_type, size_t), gp_type type, unsigned from,
                        unsigned to, unsigned step)
{
    for (unsigned bits = from; bits <= to; bits += step) one(b, type, (size_t)1 << bits);
}

void bench_sweep(bench *b, void (*one)(bench *, gp_type, size_t))
{
    static const gp_type others[] = {GP_F32, GP_U64, GP_F64, GP_U8};
    const bench_options *o = &b->options;
    const gp_type first = o->type != GP_TYPE_NONE ? o->type : GP_U32;
    if (o->n > 0) one(b, first, o->n);
    else sweep_sizes(b, one, first, 10, 26, 2);
    if (o->type != GP_TYPE_NONE) return;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (o->op >= GP_AND && data_is_float(others[i])) continue;
        if (o->n > 0) one(b, others[i], o->n);
        else sweep_sizes(b, one, others[i], 12, 24, 6);
    }
}
