/* limits.c - the limits that memory sets: kernels of each shape, and plain C on all cores, which move the
   same bytes. */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "host_loops.h"
#include "pool.h"
#include "stream_cl.h"

enum {
    VECTOR_BYTES = 64,
    LOCAL_SIZE = 256,
    LOCAL_STEPS = 16,       /* steps of an item in a tile */
    ITEMS_PER_UNIT = 2048,  /* items of a strided launch, enough for a GPU's compute unit */
    SERIAL_TILE_MIN = 64,   /* vectors */
    SERIAL_TILE_MAX = 2048, /* 128 KiB: the launch of a group adds little cost */
    GROUPS_PER_UNIT = 8     /* serial: enough that no core is idle at the end */
};

static const float FACTOR = 3; /* the factor of scale and triad */

static const char *const op_names[STREAM_OPS] = {"read", "read2", "copy", "scale", "add", "triad"};

/* ------------------------------------------------------------------ launches */

/* Builds the kernels unless they were built before. After a failure, does not try again. */
static bool build(bench *b)
{
    if (b->stream == NULL && b->error[0] == 0)
        b->stream = bench_build(b, stream_cl, sizeof stream_cl / sizeof stream_cl[0], b->error);
    return b->stream != NULL;
}

bool bench_variant_kernel(bench_case *c, bench_variant *v, const char *name)
{
    cl_int e;
    if (!build(c->b)) return bench_fail(v, "%s", c->b->error);
    v->kernel = clCreateKernel(c->b->stream, name, &e);
    return v->kernel != NULL || bench_fail(v, "clCreateKernel(%s): %d", name, (int)e);
}

static bool finish(bench_case *c, bench_variant *v, cl_int e)
{
    if (e == CL_SUCCESS) e = clFinish(c->b->queue);
    return e == CL_SUCCESS || bench_fail(v, "OpenCL error %d", (int)e);
}

bool bench_run_kernel(bench_case *c, bench_variant *v)
{
    const size_t global = v->with.launch.groups * v->with.launch.group_size;
    return finish(c, v,
                  clEnqueueNDRangeKernel(c->b->queue, v->kernel, 1, NULL, &global, &v->with.launch.group_size,
                                         0, NULL, NULL));
}

static bool run_host(bench_case *c, bench_variant *v)
{
    pool_run(c->b->pool, host_stream_run, &v->with.host);
    return true;
}

static bool run_memcpy(bench_case *c, bench_variant *v)
{
    pool_run(c->b->pool, host_memcpy_run, &v->with.host);
    return true;
}

static bool run_copy_buffer(bench_case *c, bench_variant *v)
{
    return finish(c, v,
                  clEnqueueCopyBuffer(c->b->queue, c->in.mem, c->out.mem, 0, 0, c->in.bytes, 0, NULL, NULL));
}

/* ------------------------------------------------------------------ checks */

/* Checks the sum of the partial sums in `out`. */
static bool check_read(bench_case *c, bench_variant *v, const void *out)
{
    const cl_uint *parts = out;
    cl_uint sum = 0;
    for (size_t i = 0; i < v->out_bytes / sizeof *parts; i++) sum += parts[i];
    return sum == c->word_sum || bench_fail(v, "wrong sum: %u, should be %u", sum, c->word_sum);
}

static bool check_read2(bench_case *c, bench_variant *v, const void *out)
{
    const cl_uint *parts = out, *words = c->in2.host;
    cl_uint sum = 0, expected = c->word_sum;
    for (size_t i = 0; i < v->out_bytes / sizeof *parts; i++) sum += parts[i];
    for (size_t i = 0; i < c->in2.bytes / sizeof *words; i++) expected += words[i];
    return sum == expected || bench_fail(v, "wrong sum: %u, should be %u", sum, expected);
}

static bool check_copy(bench_case *c, bench_variant *v, const void *out)
{
    return memcmp(out, c->in.host, c->in.bytes) == 0 || bench_fail(v, "wrong copy");
}

static float expected_float(stream_op op, float x, float y)
{
    return op == STREAM_SCALE ? FACTOR * x : x + FACTOR * y;
}

static bool check_floats(bench_case *c, bench_variant *v, stream_op op, const float *out)
{
    const float *x = c->in.host, *y = c->in2.host != NULL ? c->in2.host : x;
    for (size_t i = 0; i < c->in.bytes / sizeof *x; i++)
        if (!(out[i] == expected_float(op, x[i], y[i]))) return bench_fail(v, "wrong result at %zu", i);
    return true;
}

static bool check_scale(bench_case *c, bench_variant *v, const void *out)
{
    return check_floats(c, v, STREAM_SCALE, out);
}
static bool check_add(bench_case *c, bench_variant *v, const void *out)
{
    const uint32_t *x = c->in.host, *y = c->in2.host, *sum = out;
    for (size_t i = 0; i < c->in.bytes / sizeof *x; i++)
        if (sum[i] != x[i] + y[i]) return bench_fail(v, "wrong result at %zu", i);
    return true;
}
static bool check_triad(bench_case *c, bench_variant *v, const void *out)
{
    return check_floats(c, v, STREAM_TRIAD, out);
}

static bool (*const checks[STREAM_OPS])(bench_case *, bench_variant *, const void *) = {
    check_read, check_read2, check_copy, check_scale, check_add, check_triad};

/* ------------------------------------------------------------------ forms */

/* How an array is divided among groups. */
typedef struct form {
    const char *kernel; /* the part of its name after the operation */
    bool serial;
    size_t groups;
    size_t tile; /* units of the kernel; 0: strided */
} form;

static size_t groups_of(size_t n, size_t each) { return n / each + (n % each != 0); }

static form serial_form(const bench *b, size_t vectors)
{
    size_t tile = groups_of(vectors, (size_t)GROUPS_PER_UNIT * b->info->compute_units);
    if (tile < SERIAL_TILE_MIN) tile = SERIAL_TILE_MIN;
    if (tile > SERIAL_TILE_MAX) tile = SERIAL_TILE_MAX;
    return (form){.kernel = "serial", .serial = true, .groups = groups_of(vectors, tile), .tile = tile};
}

/* Returns the form of a local launch. On GPUs there are as many items as run at once, and each strides
   through the whole array. CPUs run the items of a group one after another, so a group's tile must fit in
   the cache. */
static form local_form(const bench *b, const char *kernel, size_t units)
{
    const size_t tile = b->on_cpu ? (size_t)LOCAL_SIZE * LOCAL_STEPS : 0;
    const size_t strided = (size_t)b->info->compute_units * ITEMS_PER_UNIT / LOCAL_SIZE;
    return (form){.kernel = kernel, .groups = tile > 0 ? groups_of(units, tile) : strided, .tile = tile};
}

/* Returns the form with one item for each unit, and no loop. */
static form whole_form(const char *kernel, size_t units)
{
    return (form){.kernel = kernel, .groups = groups_of(units, LOCAL_SIZE)};
}

static size_t parts_of(form f) { return f.groups * (f.serial ? 1 : LOCAL_SIZE); }

size_t bench_read_parts(const bench *b, size_t bytes)
{
    const size_t vectors = bytes / VECTOR_BYTES;
    const size_t serial = parts_of(serial_form(b, vectors));
    const size_t local = parts_of(local_form(b, "local", 16 * vectors));
    const size_t most = serial > local ? serial : local;
    return most > b->threads ? most : b->threads;
}

static bool set_arguments(const bench_case *c, bench_variant *v, size_t tile)
{
    const cl_ulong vectors = c->in.bytes / VECTOR_BYTES;
    const cl_uint tile_argument = (cl_uint)tile;
    const cl_mem b = c->in2.mem != NULL ? c->in2.mem : c->in.mem;
    cl_int e = clSetKernelArg(v->kernel, 0, sizeof c->in.mem, &c->in.mem);
    e |= clSetKernelArg(v->kernel, 1, sizeof b, &b);
    e |= clSetKernelArg(v->kernel, 2, sizeof c->out.mem, &c->out.mem);
    e |= clSetKernelArg(v->kernel, 3, sizeof vectors, &vectors);
    e |= clSetKernelArg(v->kernel, 4, sizeof tile_argument, &tile_argument);
    e |= clSetKernelArg(v->kernel, 5, sizeof FACTOR, &FACTOR);
    return e == CL_SUCCESS || bench_fail(v, "clSetKernelArg: %d", (int)e);
}

static void add_kernel(bench_case *c, stream_op op, const char *prefix, const char *name, form f)
{
    char kernel[BENCH_NAME_MAX];
    if (!f.serial && c->b->info->max_work_group_size < LOCAL_SIZE) return;
    bench_variant *v = bench_variant_add(c, BENCH_LIMIT, "%s%s", prefix, name);
    v->shape = f.serial ? "serial" : "local";
    v->strategy = "";
    v->run = bench_run_kernel;
    v->check = checks[op];
    v->out_bytes = op <= STREAM_READ2 ? parts_of(f) * sizeof(cl_uint) : c->in.bytes;
    v->with.launch = (bench_launch){.groups = f.groups, .group_size = f.serial ? 1 : LOCAL_SIZE};
    snprintf(kernel, sizeof kernel, "%s_%s", op_names[op], f.kernel);
    if (bench_variant_kernel(c, v, kernel)) set_arguments(c, v, f.tile);
}

static void add_host(bench_case *c, stream_op op, const char *name, bench_kind kind,
                     bool (*run)(bench_case *, bench_variant *))
{
    bench_variant *v = bench_variant_add(c, kind, "%s", name);
    v->on_host = v->pooled = true;
    v->shape = "host";
    v->strategy = "";
    v->run = run;
    v->check = checks[op];
    v->out_bytes = op <= STREAM_READ2 ? c->b->threads * sizeof(uint32_t) : c->in.bytes;
    v->with.host = (host_stream){.op = op,
                                 .a = c->in.host,
                                 .b = c->in2.host,
                                 .out = c->out.host,
                                 .vectors = c->in.bytes / VECTOR_BYTES,
                                 .s = FACTOR};
}

/* Adds the driver's copy command, which is a memcpy on a CPU. */
static void add_copy_buffer(bench_case *c, const char *name, bench_kind kind)
{
    bench_variant *v = bench_variant_add(c, kind, "%s", name);
    v->shape = v->strategy = "";
    v->run = run_copy_buffer;
    v->check = check_copy;
    v->out_bytes = c->in.bytes;
}

void bench_add_limits(bench_case *c, stream_op op, const char *prefix)
{
    const bench *b = c->b;
    const size_t vectors = c->in.bytes / VECTOR_BYTES;
    char name[BENCH_NAME_MAX];
    add_kernel(c, op, prefix, "serial", serial_form(b, vectors));
    add_kernel(c, op, prefix, "local", local_form(b, "local", 16 * vectors));
    add_kernel(c, op, prefix, "local4", local_form(b, "local4", 4 * vectors));
    if (op > STREAM_READ2) add_kernel(c, op, prefix, "local4-whole", whole_form("local4", 4 * vectors));
    snprintf(name, sizeof name, "%sc-threads", prefix);
    if (b->pool != NULL) add_host(c, op, name, BENCH_LIMIT, run_host);
    snprintf(name, sizeof name, "%scopy-buffer", prefix);
    if (op == STREAM_COPY && !b->on_cpu) add_copy_buffer(c, name, BENCH_LIMIT);
}

void bench_add_memory_copies(bench_case *c)
{
    if (!c->b->on_cpu) return; /* there, copy-buffer is a limit */
    add_copy_buffer(c, "info:copy-buffer", BENCH_INFO);
    if (c->b->pool != NULL) add_host(c, STREAM_COPY, "info:memcpy", BENCH_INFO, run_memcpy);
}
