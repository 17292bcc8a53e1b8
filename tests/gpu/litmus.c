/* litmus.c - does this device's memory keep what look-back rests on?

       coherence   a word is whole, and no later load of it is older than an earlier one
       states      words that prove themselves: where all show one flag, all hold its value (scan/lookback.cl)
       lines       a vector load of words takes each word whole (hash/line.cl)
       ring        rows that are used again hold nothing of an earlier tile (sort/lookback.cl)
       passing     what relaxed words do not promise, counted for information

   The words are those of kernels/common/base/platform.cl, whose text the kernels (litmus.h) stand behind. Prints a line of
   JSON for each test; exit status 1 if anything was seen that must not be.

   usage: litmus [--small] */
#define GP_IMPLEMENTATION
#include "../../gpuprim.h"
#include "litmus.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WG = 64, BINS = 256 };

typedef struct litmus {
    gp_context *gp;
    bool wide, small, failed;
    uint32_t ring_rows, ring_reach, ring_block;
    cl_program program;
    cl_mem counters;
} litmus;

static void stop(const char *what, cl_int error)
{
    fprintf(stderr, "litmus: %s (%d)\n", what, (int)error);
    exit(2);
}

static cl_mem make_buffer(const litmus *l, size_t bytes)
{
    cl_int error;
    cl_mem buffer = clCreateBuffer(gp_cl_context(l->gp), CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (error != CL_SUCCESS) stop("no buffer", error);
    return buffer;
}

static void zero(const litmus *l, cl_mem buffer, size_t bytes)
{
    const cl_uint none = 0;
    const cl_int error =
        clEnqueueFillBuffer(gp_cl_queue(l->gp), buffer, &none, sizeof none, 0, bytes, 0, NULL, NULL);
    if (error != CL_SUCCESS) stop("no fill", error);
}

/* ------------------------------------------------------------------ programs */

static char *compose(const litmus *l)
{
    gpi_text text;
    size_t i;
    memset(&text, 0, sizeof text);
    gpi_text_add(&text, "#define GPI_SHAPE_SERIAL 0\n#define GPI_WG %d\n", WG);
    gpi_text_add(&text, "#define GPI_PER_ITEM 1\n#define GPI_TILE %d\n#define GPI_FP64 0\n", WG);
    gpi_text_add(&text, "#define GPI_WIDE %d\n#define GPI_INT64_EXTENDED %d\n", l->wide,
                 gp_context_info(l->gp)->int64_extended_atomics);
    gpi_text_add(&text, "#define GPI_KEY_SIZE 4\n#define GPI_KEY_FLOAT 0\n#define GPI_VALUE_SIZE 0\n");
    gpi_text_add(&text, "#define GPI_RING_ROWS %uu\n#define GPI_RING_REACH %uu\n#define GPI_RING_BLOCK %uu\n",
                 l->ring_rows, l->ring_reach, l->ring_block);
    gpi_text_add_kernels(&text, "sort/lookback.cl");
    for (i = 0; i < sizeof litmus_kernels / sizeof *litmus_kernels; i++)
        gpi_text_add(&text, "%s", litmus_kernels[i]);
    if (text.failed) stop("no memory", 0);
    return text.data;
}

static void build(litmus *l)
{
    static char log[1 << 16];
    char *source = compose(l);
    const char *text = source;
    cl_device_id device = gp_cl_device(l->gp);
    cl_int error;
    l->program = clCreateProgramWithSource(gp_cl_context(l->gp), 1, &text, NULL, &error);
    if (error == CL_SUCCESS) error = clBuildProgram(l->program, 1, &device, "-cl-std=CL1.2", NULL, NULL);
    if (error != CL_SUCCESS) {
        clGetProgramBuildInfo(l->program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fputs(log, stderr);
        stop("the kernels do not build", error);
    }
    free(source);
}

/* ------------------------------------------------------------------ runs */

static void launch(const litmus *l, cl_kernel kernel, size_t groups)
{
    const size_t global = groups * WG, local = WG;
    cl_int error =
        clEnqueueNDRangeKernel(gp_cl_queue(l->gp), kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    if (error == CL_SUCCESS) error = clFinish(gp_cl_queue(l->gp));
    if (error != CL_SUCCESS) stop("a launch failed", error);
}

/* Adds what the counters say to `sums`. */
static void collect(const litmus *l, uint64_t *sums)
{
    cl_uint seen[LITMUS_COUNTERS];
    size_t i;
    if (clEnqueueReadBuffer(gp_cl_queue(l->gp), l->counters, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL))
        stop("no read", 0);
    for (i = 0; i < LITMUS_COUNTERS; i++) sums[i] += seen[i];
    zero(l, l->counters, sizeof seen);
}

static void report(litmus *l, const char *name, const char *detail, const uint64_t *sums)
{
    const uint64_t violations = sums[LITMUS_TORN] + sums[LITMUS_BACK] + sums[LITMUS_WRONG];
    printf("{\"litmus\": \"%s\", \"detail\": \"%s\", \"words\": \"%s\", \"checked\": %" PRIu64, name, detail,
           l->wide ? "wide" : "narrow", sums[LITMUS_CHECKED]);
    printf(", \"torn\": %" PRIu64 ", \"back\": %" PRIu64 ", \"wrong\": %" PRIu64, sums[LITMUS_TORN],
           sums[LITMUS_BACK], sums[LITMUS_WRONG]);
    printf(", \"weak\": %" PRIu64 ", \"gave_up\": %" PRIu64 ", \"violations\": %" PRIu64 "}\n",
           sums[LITMUS_WEAK], sums[LITMUS_GAVE_UP], violations);
    fflush(stdout);
    if (violations) l->failed = true;
}

/* One writer and seven readers a word. Neighbouring words, and words 128 bytes apart. */
static void run_words(litmus *l, const char *name, cl_uint turns, cl_uint stride, size_t words)
{
    const size_t groups = 8 * (size_t)(gp_context_info(l->gp)->compute_units + 1);
    const size_t bytes = words * groups / 8 * WG * stride * (l->wide ? 8 : 4);
    const unsigned repeats = l->small ? 3 : 20;
    char detail[32];
    uint64_t sums[LITMUS_COUNTERS] = {0};
    cl_mem data, ticket;
    cl_int error;
    cl_kernel kernel = clCreateKernel(l->program, name, &error);
    unsigned i;
    if (error == CL_INVALID_KERNEL_NAME) return; /* no line is known to be whole here */
    if (error != CL_SUCCESS) stop(name, error);
    data = make_buffer(l, bytes);
    ticket = make_buffer(l, 4);
    clSetKernelArg(kernel, 0, sizeof data, &data);
    clSetKernelArg(kernel, 1, sizeof ticket, &ticket);
    clSetKernelArg(kernel, 2, sizeof turns, &turns);
    clSetKernelArg(kernel, 3, sizeof stride, &stride);
    clSetKernelArg(kernel, 4, sizeof l->counters, &l->counters);
    for (i = 0; i < repeats; i++) {
        zero(l, data, bytes);
        zero(l, ticket, 4);
        launch(l, kernel, groups);
        collect(l, sums);
    }
    snprintf(detail, sizeof detail, "stride %u", (unsigned)stride);
    report(l, name, detail, sums);
    clReleaseKernel(kernel);
    clReleaseMemObject(data);
    clReleaseMemObject(ticket);
}

static void run_ring(litmus *l)
{
    const size_t tiles = l->small ? 1000 : 1 << 17, rows = l->wide ? l->ring_rows : tiles;
    const size_t bytes = 128 + rows * BINS * (l->wide ? 8 : 4);
    const bool on_cpu = gp_context_info(l->gp)->device_type & CL_DEVICE_TYPE_CPU;
    const cl_uint polls = on_cpu ? 1u << 30 : 1u << 23; /* some seconds */
    char detail[64];
    uint64_t sums[LITMUS_COUNTERS] = {0};
    cl_mem state = make_buffer(l, bytes);
    cl_int error;
    cl_kernel kernel = clCreateKernel(l->program, "ring", &error);
    unsigned i;
    if (error != CL_SUCCESS) stop("ring", error);
    clSetKernelArg(kernel, 0, sizeof state, &state);
    clSetKernelArg(kernel, 1, sizeof polls, &polls);
    clSetKernelArg(kernel, 2, sizeof l->counters, &l->counters);
    for (i = 0; i < (l->small ? 2u : 20u); i++) {
        zero(l, state, bytes);
        launch(l, kernel, tiles);
        collect(l, sums);
    }
    snprintf(detail, sizeof detail, "rows %u, reach %u, block %u", (unsigned)l->ring_rows,
             (unsigned)l->ring_reach, (unsigned)l->ring_block);
    report(l, "ring", detail, sums);
    clReleaseKernel(kernel);
    clReleaseMemObject(state);
}

/* All tests with words of one width and a ring of one size; the narrow table has no ring. */
static void run_all(litmus *l, bool first)
{
    const cl_uint turns = l->small ? 200 : 2000, apart = l->wide ? 16 : 32;
    build(l);
    run_ring(l);
    if (first) {
        run_words(l, "coherence", turns, 1, 1);
        run_words(l, "coherence", turns, apart, 1);
        run_words(l, "states", 64, 2, 64);
        run_words(l, "states", 64, apart, 64);
        run_words(l, "lines", turns, 1, 1);
        run_words(l, "passing", turns, apart, 2);
    }
    clReleaseProgram(l->program);
}

int main(int argc, char **argv)
{
    static const uint32_t rings[][3] = {{1024, 64, 32}, {32, 8, 8}, {4, 1, 2}};
    const gp_context_desc desc = {0};
    litmus l = {.small = argc > 1 && strcmp(argv[1], "--small") == 0};
    size_t i;
    int wide;
    if (gp_context_create(&desc, &l.gp) != GP_OK) return puts(gp_last_error(NULL)), 2;
    l.counters = make_buffer(&l, LITMUS_COUNTERS * sizeof(cl_uint));
    zero(&l, l.counters, LITMUS_COUNTERS * sizeof(cl_uint));
    for (wide = gp_context_info(l.gp)->int64_base_atomics; wide >= 0; wide--) {
        for (i = 0; i < (wide ? sizeof rings / sizeof *rings : 1); i++) {
            l.wide = wide;
            l.ring_rows = rings[i][0];
            l.ring_reach = rings[i][1];
            l.ring_block = rings[i][2];
            run_all(&l, i == 0);
        }
    }
    clReleaseMemObject(l.counters);
    gp_context_destroy(l.gp);
    return l.failed;
}
