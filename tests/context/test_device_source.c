/* test_device_source.c - group collectives in kernels of one's own, against sequential references: groups of
   many sizes and up to three dimensions, alone and beside a hash table. tests/hash/test_hash_table.c has the
   table. */
#include "../support/support.h"

enum { GROUPS = 3, TOP = 256 };

/* ------------------------------------------------------------------ kernels of one's own */

static const char at[] = "#define WHERE const uint group = (uint)(get_group_id(0) + get_num_groups(0) * \\\n"
                         "    (get_group_id(1) + get_num_groups(1) * get_group_id(2))); \\\n"
                         "    const uint i = group * gp_group_size() + gp_group_item()\n";

static cl_program user_build(gp_context *gp, const gp_device_source_desc *desc, size_t count,
                             const char *kernel)
{
    const char *parts[4];
    char *text[2];
    cl_device_id device = gp_cl_device(gp);
    cl_program program;
    cl_int error;
    size_t k, size;
    for (k = 0; k < count; k++) {
        assert_gp(gp, gp_device_source(gp, &desc[k], NULL, 0, &size));
        text[k] = malloc(size);
        assert_non_null(text[k]);
        assert_gp(gp, gp_device_source(gp, &desc[k], text[k], size, &size));
        assert_int_equal(strlen(text[k]) + 1, size);
        parts[k] = text[k];
    }
    parts[count] = at;
    parts[count + 1] = kernel;
    program = clCreateProgramWithSource(gp_cl_context(gp), (cl_uint)count + 2, parts, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    /* Oclgrind: see docs/drivers.md */
    error = clBuildProgram(program, 1, &device,
                           test_small() ? "-cl-std=CL1.2 -cl-opt-disable" : "-cl-std=CL1.2", NULL, NULL);
    if (error) {
        static char log[8192];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fail_msg("%s", log);
    }
    for (k = 0; k < count; k++) free(text[k]);
    return program;
}

/* A group's shape. */
typedef struct shape {
    size_t local[3];
} shape;

static size_t shape_size(shape s) { return s.local[0] * s.local[1] * s.local[2]; }

static bool shape_fits(gp_context *gp, shape s)
{
    return shape_size(s) <= gp_context_info(gp)->max_work_group_size;
}

/* Sets buffers and `memory` bytes of local memory, each given a number that is not 0, and runs GROUPS groups. */
static void user_run(gp_context *gp, cl_program program, const char *name, shape s, const cl_mem *buffers,
                     cl_uint count, const size_t *memory, cl_uint memories)
{
    size_t global[3] = {s.local[0] * GROUPS, s.local[1], s.local[2]};
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    cl_uint k;
    assert_int_equal(error, CL_SUCCESS);
    for (k = 0; k < count; k++)
        assert_int_equal(clSetKernelArg(kernel, k, sizeof *buffers, &buffers[k]), CL_SUCCESS);
    for (k = 0; k < memories; k++)
        assert_int_equal(clSetKernelArg(kernel, count + k, memory[k], NULL), CL_SUCCESS);
    assert_int_equal(clEnqueueNDRangeKernel(gp_cl_queue(gp), kernel, 3, NULL, global, s.local, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_int_equal(clFinish(gp_cl_queue(gp)), CL_SUCCESS);
    clReleaseKernel(kernel);
}

/* ------------------------------------------------------------------ reduce, scan */

static const char ops_kernel[] =
    "__kernel void ops(__global const uint *x, __global uint *y, __global const affine *f,\n"
    "                  __global affine *g, __local uint *a, __local affine *b)\n"
    "{\n"
    "    WHERE;\n"
    "    uint total;\n"
    "    affine all;\n"
    "    y[4 * i] = gp_group_sum_reduce(x[i], a);\n"
    "    y[4 * i + 1] = gp_group_sum_scan(x[i], &total, a);\n"
    "    y[4 * i + 3] = total;\n"
    "    y[4 * i + 2] = gp_group_sum_scan_exclusive(x[i], &total, a);\n"
    "    y[4 * i + 3] += total;\n"
    "    g[4 * i] = gp_group_affine_reduce(f[i], b);\n"
    "    g[4 * i + 1] = gp_group_after_scan(f[i], &all, b);\n"
    "    g[4 * i + 2] = gp_group_affine_scan_exclusive(f[i], &all, b);\n"
    "    g[4 * i + 3] = all;\n"
    "}\n";

/* Two names for one monoid: its source is there once. */
static const gp_group_op ops[3] = {{"sum", GP_U32, GP_SUM, NULL},
                                   {"affine", GP_TYPE_NONE, GP_OP_NONE, &test_affine_monoid},
                                   {"after", GP_TYPE_NONE, GP_OP_NONE, &test_affine_monoid}};

/* y[4 i]: the group's product, inclusive, exclusive; [3]: the total, or `twice` that. */
static void ops_reference(const test_element *e, const void *x, size_t n, size_t group, bool twice, void *y)
{
    unsigned char sum[64], each[64];
    const unsigned char *in = x;
    unsigned char *out = y;
    size_t i, k;
    for (i = 0; i < n; i++) {
        if (i % group == 0) e->identity(sum);
        memcpy(out + (4 * i + 2) * e->size, sum, e->size);
        e->from(in + i * e->in_size, each);
        e->combine(sum, each, sum);
        memcpy(out + (4 * i + 1) * e->size, sum, e->size);
        for (k = i - i % group; i % group == group - 1 && k <= i; k++) {
            memcpy(out + 4 * k * e->size, sum, e->size);
            memcpy(out + (4 * k + 3) * e->size, sum, e->size);
            if (twice) e->combine(sum, sum, out + (4 * k + 3) * e->size);
        }
    }
}

static void ops_check(gp_context *gp, cl_program program, shape s)
{
    const size_t group = shape_size(s), n = group * GROUPS;
    const size_t memory[2] = {2 * group * 4, 2 * group * 8};
    void *x = test_input(&test_u32_sum, TEST_RANDOM, n), *f = test_input(&test_affine, TEST_RANDOM, n);
    void *y = malloc(n * 16), *g = malloc(n * 32), *r;
    cl_mem buffers[4];
    if (!shape_fits(gp, s)) return;
    assert_true(x && f && y && g);
    buffers[0] = test_buffer(gp, n * 4, x);
    buffers[1] = test_buffer(gp, n * 16, NULL);
    buffers[2] = test_buffer(gp, n * 8, f);
    buffers[3] = test_buffer(gp, n * 32, NULL);
    user_run(gp, program, "ops", s, buffers, 4, memory, 2);
    ops_reference(&test_u32_sum, x, n, group, true, y);
    ops_reference(&test_affine, f, n, group, false, g);
    r = test_read(gp, buffers[1], n * 16);
    assert_memory_equal(r, y, n * 16);
    free(r);
    r = test_read(gp, buffers[3], n * 32);
    assert_memory_equal(r, g, n * 32);
    free(r);
    for (int k = 0; k < 4; k++) clReleaseMemObject(buffers[k]);
    free(x);
    free(f);
    free(y);
    free(g);
}

/* The last ones only where builds are cheap: PoCL compiles a kernel for each. */
static const shape shapes[] = {{{1, 1, 1}}, {{2, 1, 1}},  {{100, 1, 1}}, {{256, 1, 1}},
                               {{5, 4, 3}}, {{32, 1, 1}}, {{64, 1, 1}}};
enum { SHAPES = sizeof shapes / sizeof *shapes, SHAPES_DEAR = 5 };

static size_t shape_count(const gp_context *gp) { return test_builds_are_cheap(gp) ? SHAPES : SHAPES_DEAR; }

static void test_ops(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    const gp_device_source_desc desc = {GP_DEVICE_GROUP, {0}, ops, 3, 0};
    cl_program program = user_build(gp, &desc, 1, ops_kernel);
    size_t k;
    (void)state;
    for (k = 0; k < shape_count(gp); k++) ops_check(gp, program, shapes[k]);
    clReleaseProgram(program);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ types */

typedef struct type_case {
    const char *name, *cl;
    gp_type type, operand;
    size_t size;
} type_case;

static const type_case types[] = {
    {"i8", "char", GP_I8, GP_I8, 1},      {"u8", "uchar", GP_U8, GP_U8, 1},
    {"i16", "short", GP_I16, GP_I16, 2},  {"u16", "ushort", GP_U16, GP_U16, 2},
    {"i32", "int", GP_I32, GP_I32, 4},    {"u32", "uint", GP_U32, GP_U32, 4},
    {"i64", "long", GP_I64, GP_I64, 8},   {"u64", "ulong", GP_U64, GP_U64, 8},
    {"f16", "float", GP_F16, GP_F32, 4},  {"f32", "float", GP_F32, GP_F32, 4},
    {"f64", "double", GP_F64, GP_F64, 8},
};

/* Small whole numbers, so that sums are exact in every type. */
static void type_store(gp_type type, int value, void *out)
{
    const int64_t whole = value;
    const float single = (float)value;
    const double twice = value;
    if (type == GP_F32) memcpy(out, &single, 4);
    else if (type == GP_F64) memcpy(out, &twice, 8);
    else memcpy(out, &whole, 8); /* the low bytes count */
}

static bool type_is_signed(gp_type type)
{
    return type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64 || type == GP_F32 ||
           type == GP_F64;
}

/* Sum, minimum and maximum of each group, and every item's minimum before it. */
static void type_check(gp_context *gp, cl_program program, const type_case *t)
{
    const shape s = {{6, 1, 1}};
    const size_t group = 6, n = 6 * GROUPS, memory = 2 * 6 * 8;
    unsigned char x[8 * 18 + 8] = {0}, want[8];
    int value[18];
    size_t i, k;
    cl_mem buffers[2];
    unsigned char *r;
    for (i = 0; i < n; i++) {
        value[i] = (int)(test_random() % 20) - (type_is_signed(t->operand) ? 10 : 0);
        type_store(t->operand, value[i], x + i * t->size);
    }
    buffers[0] = test_buffer(gp, n * t->size, x);
    buffers[1] = test_buffer(gp, n * 4 * t->size, NULL);
    user_run(gp, program, t->name, s, buffers, 2, &memory, 1);
    r = test_read(gp, buffers[1], n * 4 * t->size);
    for (i = 0; i < n; i++) {
        int sum = 0, least = 100, most = -100, before = 100;
        for (k = i - i % group; k < i - i % group + group; k++) {
            sum += value[k];
            if (value[k] < least) least = value[k];
            if (value[k] > most) most = value[k];
            if (k < i) before = least;
        }
        const int results[4] = {sum, least, most, before};
        for (k = 0; k < (i % group ? 4 : 3); k++) {
            type_store(t->operand, results[k], want);
            if (memcmp(r + (4 * i + k) * t->size, want, t->size) != 0)
                fail_msg("%s, result %zu of item %zu, not %d", t->name, k, i, results[k]);
        }
    }
    free(r);
    clReleaseMemObject(buffers[0]);
    clReleaseMemObject(buffers[1]);
}

/* Each type with three operations. */
static void test_types(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    enum { TYPES = sizeof types / sizeof *types };
    static gp_group_op all[3 * TYPES];
    static char names[3 * TYPES][16], kernels[8192];
    gp_device_source_desc desc = {GP_DEVICE_GROUP, {0}, all, 0, 6};
    cl_program program;
    size_t k, op, length = 0;
    (void)state;
    for (k = 0; k < TYPES; k++) {
        const type_case *t = &types[k];
        static const gp_op codes[3] = {GP_SUM, GP_MIN, GP_MAX};
        if (t->type == GP_F64 && !gp_context_info(gp)->fp64) continue;
        for (op = 0; op < 3; op++) {
            snprintf(names[desc.op_count], 16, "%s_%zu", t->name, op);
            all[desc.op_count].name = names[desc.op_count];
            all[desc.op_count].type = t->type;
            all[desc.op_count++].op = codes[op];
        }
        length +=
            (size_t)snprintf(kernels + length, sizeof kernels - length,
                             "__kernel void %s(__global const %s *x, __global %s *y, __local %s *memory)\n"
                             "{\n    WHERE;\n    %s total;\n    const %s v = x[i];\n"
                             "    y[4 * i] = gp_group_%s_0_reduce(v, memory);\n"
                             "    y[4 * i + 1] = gp_group_%s_1_reduce(v, memory);\n"
                             "    y[4 * i + 2] = gp_group_%s_2_reduce(v, memory);\n"
                             "    y[4 * i + 3] = gp_group_%s_1_scan_exclusive(v, &total, memory);\n}\n",
                             t->name, t->cl, t->cl, t->cl, t->cl, t->cl, t->name, t->name, t->name, t->name);
    }
    program = user_build(gp, &desc, 1, kernels);
    for (k = 0; k < TYPES; k++) {
        if (types[k].type != GP_F64 || gp_context_info(gp)->fp64) type_check(gp, program, &types[k]);
    }
    clReleaseProgram(program);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ pack, unpack */

static const char pack_kernel[] =
    "__kernel void pack(__global const uint *n, volatile __global uint *counter, __global uint *kept,\n"
    "                   __global uint *places, __local uint *memory)\n"
    "{\n"
    "    WHERE;\n"
    "    uint total;\n"
    "    places[2 * i] = gp_group_pack(n[i], &total, memory);\n"
    "    places[2 * i + 1] = total;\n"
    "    const uint first = gp_group_pack_at(n[i], counter, memory);\n"
    "    for (uint k = 0; k < n[i]; k++) kept[first + k] = i * 4096 + k;\n"
    "    const uint more = gp_group_pack_at(n[i] > 0, counter + 1, memory);\n"
    "    if (n[i] > 0) places[2 * (uint)get_global_size(0) * (uint)get_global_size(1) *\n"
    "                         (uint)get_global_size(2) + more] = i;\n"
    "}\n"
    "__kernel void unpack(__global const uint *n, __global const uint *offset, __global uint *owners,\n"
    "                     __global uint *totals, __local uint *memory)\n"
    "{\n"
    "    WHERE;\n"
    "    for (uint round = 0; round < 2; round++) {\n"
    "        const uint pieces = gp_group_unpack(n[i], memory);\n"
    "        uint rank;\n"
    "        for (uint first = 0; first < pieces; first += gp_group_size()) {\n"
    "            const uint piece = first + gp_group_item();\n"
    "            if (piece < pieces) {\n"
    "                const uint owner = gp_group_owner(piece, &rank, memory);\n"
    "                owners[offset[group] + piece] = (group * gp_group_size() + owner) * 4096 + rank;\n"
    "            }\n"
    "        }\n"
    "        totals[2 * i] = pieces;\n"
    "        totals[2 * i + 1] = gp_group_owner(pieces, &rank, memory);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "}\n";

enum { NONE, ONES, FEW, SKEWED, PATTERNS };

static uint32_t pack_count(int pattern, size_t i, size_t group)
{
    switch (pattern) {
    case NONE: return 0;
    case ONES: return 1;
    case FEW: return test_random() % 4 ? 0 : test_random() % 7;
    default: return i % group == group / 2 ? 1000 : 0;
    }
}

/* Groups follow one another in any order, each whole and in its own order. `list` holds what items put there,
   the item's number times `unit`. */
static void assert_packed(const uint32_t *list, const uint32_t *want, const size_t *starts, size_t total,
                          size_t group, uint32_t unit)
{
    bool seen[GROUPS] = {false};
    size_t i = 0;
    while (i < total) {
        const size_t g = list[i] / unit / group;
        assert_true(g < GROUPS && !seen[g] && starts[g + 1] > starts[g] &&
                    i + starts[g + 1] - starts[g] <= total);
        seen[g] = true;
        assert_memory_equal(list + i, want + starts[g], (starts[g + 1] - starts[g]) * 4);
        i += starts[g + 1] - starts[g];
    }
}

typedef struct pack_data {
    size_t group, n, total, some; /* all pieces; items that have any */
    uint32_t count[GROUPS * TOP], before[GROUPS * TOP], item[GROUPS * TOP];
    size_t start[GROUPS + 1], some_start[GROUPS + 1]; /* of groups, among all pieces, among such items */
    uint32_t piece[GROUPS * TOP * 8];                 /* item * 4096 + rank */
} pack_data;

static void pack_make(pack_data *d, size_t group, int pattern)
{
    size_t i, k;
    memset(d, 0, sizeof *d);
    d->group = group;
    d->n = group * GROUPS;
    for (i = 0; i < d->n; i++) {
        d->count[i] = pack_count(pattern, i, group);
        if (i % group == 0) d->start[i / group] = d->total;
        if (i % group == 0) d->some_start[i / group] = d->some;
        d->before[i] = (uint32_t)(d->total - d->start[i / group]);
        for (k = 0; k < d->count[i]; k++) d->piece[d->total++] = (uint32_t)(i * 4096 + k);
        if (d->count[i]) d->item[d->some++] = (uint32_t)i;
    }
    d->start[GROUPS] = d->total;
    d->some_start[GROUPS] = d->some;
}

static void pack_check(gp_context *gp, cl_program program, shape s, const pack_data *d)
{
    const uint32_t zeros[2] = {0, 0};
    const size_t memory = 2 * d->group * 4;
    cl_mem buffers[4];
    uint32_t *r;
    size_t i;
    buffers[0] = test_buffer(gp, d->n * 4, d->count);
    buffers[1] = test_buffer(gp, 8, zeros);
    buffers[2] = test_buffer(gp, (d->total + 1) * 4, NULL);
    buffers[3] = test_buffer(gp, d->n * 12, NULL);
    user_run(gp, program, "pack", s, buffers, 4, &memory, 1);
    r = test_read(gp, buffers[1], 8);
    assert_int_equal(r[0], d->total);
    assert_int_equal(r[1], d->some);
    free(r);
    r = test_read(gp, buffers[2], (d->total + 1) * 4);
    assert_packed(r, d->piece, d->start, d->total, d->group, 4096);
    assert_int_equal(r[d->total], 0xa5a5a5a5u);
    free(r);
    r = test_read(gp, buffers[3], d->n * 12);
    for (i = 0; i < d->n; i++) {
        const size_t g = i / d->group;
        assert_int_equal(r[2 * i], d->before[i]);
        assert_int_equal(r[2 * i + 1], d->start[g + 1] - d->start[g]);
    }
    assert_packed(r + 2 * d->n, d->item, d->some_start, d->some, d->group, 1);
    free(r);
    for (i = 0; i < 4; i++) clReleaseMemObject(buffers[i]);
}

static void unpack_check(gp_context *gp, cl_program program, shape s, const pack_data *d)
{
    const size_t memory = 2 * d->group * 4;
    uint32_t offset[GROUPS], *r;
    cl_mem buffers[4];
    size_t i;
    for (i = 0; i < GROUPS; i++) offset[i] = (uint32_t)d->start[i];
    buffers[0] = test_buffer(gp, d->n * 4, d->count);
    buffers[1] = test_buffer(gp, sizeof offset, offset);
    buffers[2] = test_buffer(gp, (d->total + 1) * 4, NULL);
    buffers[3] = test_buffer(gp, d->n * 8, NULL);
    user_run(gp, program, "unpack", s, buffers, 4, &memory, 1);
    r = test_read(gp, buffers[2], (d->total + 1) * 4);
    assert_memory_equal(r, d->piece, d->total * 4);
    assert_int_equal(r[d->total], 0xa5a5a5a5u);
    free(r);
    r = test_read(gp, buffers[3], d->n * 8);
    for (i = 0; i < d->n; i++) {
        const size_t g = i / d->group;
        assert_int_equal(r[2 * i], d->start[g + 1] - d->start[g]);
        assert_int_equal(r[2 * i + 1], d->group); /* no such piece */
    }
    free(r);
    for (i = 0; i < 4; i++) clReleaseMemObject(buffers[i]);
}

static void packs_check(gp_context *gp, cl_program program, shape s)
{
    static pack_data d;
    int pattern;
    if (!shape_fits(gp, s)) return;
    for (pattern = 0; pattern < PATTERNS; pattern++) {
        pack_make(&d, shape_size(s), pattern);
        pack_check(gp, program, s, &d);
        unpack_check(gp, program, s, &d);
    }
}

static void test_packs(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    const gp_device_source_desc desc = {GP_DEVICE_GROUP, {0}, NULL, 0, 0};
    cl_program program = user_build(gp, &desc, 1, pack_kernel);
    size_t k;
    (void)state;
    for (k = 0; k < shape_count(gp); k++) packs_check(gp, program, shapes[k]);
    clReleaseProgram(program);
    gp_context_destroy(gp);
}

/* Text for groups of one known size, which has no barriers where that is 1. */
static void test_known_group(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    static const uint32_t groups[2] = {1, 100};
    static char kernels[sizeof ops_kernel + sizeof pack_kernel + 100];
    size_t k;
    (void)state;
    for (k = 0; k < 2; k++) {
        const gp_device_source_desc desc = {GP_DEVICE_GROUP, {0}, ops, 3, groups[k]};
        const shape s = {{groups[k], 1, 1}};
        cl_program program;
        snprintf(kernels, sizeof kernels, "#if GP_GROUP_SIZE != %u\n#error\n#endif\n%s%s",
                 (unsigned)groups[k], ops_kernel, pack_kernel);
        program = user_build(gp, &desc, 1, kernels);
        ops_check(gp, program, s);
        packs_check(gp, program, s);
        clReleaseProgram(program);
    }
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ beside a hash table */

static const char both_kernel[] =
    "__kernel void distinct(__global const uint *x, volatile __global uint *counter, __global uint *out,\n"
    "                       __global uint *table, __local uint *memory)\n"
    "{\n"
    "    WHERE;\n"
    "    const bool first = gp_hash_insert(gp_hash_open(table), x[i], 0) == GP_HASH_INSERTED;\n"
    "    const uint to = gp_group_pack_at(first, counter, memory);\n"
    "    if (first) out[to] = x[i];\n"
    "}\n";

static void test_with_hash(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    const gp_hash_desc set = {.key_size = 4, .capacity = 64};
    const shape s = {{32, 1, 1}};
    gp_device_source_desc desc[2] = {{GP_DEVICE_HASH, {0}, NULL, 0, 0}, {GP_DEVICE_GROUP, {0}, ops, 3, 0}};
    const uint32_t zero = 0;
    const size_t memory = 2 * 32 * 4;
    uint32_t x[32 * GROUPS], *r;
    bool seen[10] = {false};
    cl_program program;
    cl_mem buffers[4];
    size_t i;
    (void)state;
    assert_gp(gp, gp_hash_create(gp, &set, &desc[0].table));
    program = user_build(gp, desc, 2, both_kernel);
    for (i = 0; i < 32 * GROUPS; i++) x[i] = (uint32_t)(i * 7 % 10);
    buffers[0] = test_buffer(gp, sizeof x, x);
    buffers[1] = test_buffer(gp, 4, &zero);
    buffers[2] = test_buffer(gp, sizeof x, NULL);
    buffers[3] = gp_hash_buffer(gp, desc[0].table);
    user_run(gp, program, "distinct", s, buffers, 4, &memory, 1);
    r = test_read(gp, buffers[1], 4);
    assert_int_equal(r[0], 10);
    free(r);
    r = test_read(gp, buffers[2], 10 * 4);
    for (i = 0; i < 10; i++) {
        assert_true(r[i] < 10 && !seen[r[i]]);
        seen[r[i]] = true;
    }
    free(r);
    for (i = 0; i < 3; i++) clReleaseMemObject(buffers[i]);
    clReleaseProgram(program);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ bad input */

static void test_bad(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    gp_device_source_desc d = {GP_DEVICE_GROUP, {0}, NULL, 0, 0};
    gp_group_op op[2] = {{"a", GP_U32, GP_SUM, NULL}, {"b", GP_F32, GP_MAX, NULL}};
    gp_monoid monoid = test_affine_monoid;
    char few[10];
    size_t size = 1;
    (void)state;
    d.ops = op;
    d.op_count = 2;
    assert_gp(gp, gp_device_source(gp, &d, few, sizeof few, &size));
    assert_int_equal(strlen(few), sizeof few - 1);
    assert_true(size > sizeof few);
#define REFUSED(change, back, result, text)                                      \
    change;                                                                      \
    assert_gp_fails(gp, gp_device_source(gp, &d, NULL, 0, &size), result, text); \
    assert_int_equal(size, 0);                                                   \
    back
    REFUSED(d.part = 0, d.part = GP_DEVICE_GROUP, GP_ERROR_INVALID_ARGUMENT, "part = 0 is not");
    REFUSED(d.part = (gp_device_part)3, d.part = GP_DEVICE_GROUP, GP_ERROR_INVALID_ARGUMENT, "part = 3");
    REFUSED(d.part = GP_DEVICE_HASH, d.part = GP_DEVICE_GROUP, GP_ERROR_INVALID_ARGUMENT, "only used with");
    REFUSED(d.table.id = 1, d.table.id = 0, GP_ERROR_INVALID_ARGUMENT, "table is only used with");
    REFUSED(d.group = 65537, d.group = 0, GP_ERROR_INVALID_ARGUMENT, "group = 65537");
    REFUSED(d.ops = NULL, d.ops = op, GP_ERROR_INVALID_ARGUMENT, "ops is NULL, op_count = 2");
    REFUSED(d.op_count = 0, d.op_count = 65, GP_ERROR_INVALID_ARGUMENT, "op_count = 0");
    REFUSED(d.op_count = 65, d.op_count = 2, GP_ERROR_INVALID_ARGUMENT, "op_count = 65");
    REFUSED(op[1].name = NULL, op[1].name = "", GP_ERROR_INVALID_ARGUMENT, "ops[1].name is NULL");
    REFUSED(, op[1].name = "a b", GP_ERROR_INVALID_ARGUMENT, "ops[1].name is \"\",");
    REFUSED(, op[1].name = "a", GP_ERROR_INVALID_ARGUMENT, "ops[1].name is \"a b\"");
    REFUSED(, op[1].name = "abcdefghijklmnopqrstuvwxyz_0123456", GP_ERROR_INVALID_ARGUMENT, "both named a");
    REFUSED(, op[1].name = "b", GP_ERROR_INVALID_ARGUMENT, "ops[1].name");
    REFUSED(op[1].op = 99, op[1].op = GP_ARGMIN, GP_ERROR_INVALID_OP, "gp_device_source: ops[1].op = 99");
    REFUSED(, op[1].op = GP_XOR, GP_ERROR_INVALID_OP, "need a monoid");
    REFUSED(, op[1].op = GP_MAX, GP_ERROR_INVALID_OP, "bitwise");
    REFUSED(op[1].type = 0, op[1].type = GP_F32, GP_ERROR_INVALID_TYPE, "ops[1].type is not set");
    op[1].monoid = &monoid;
    REFUSED(, op[1].type = GP_TYPE_NONE, GP_ERROR_INVALID_ARGUMENT, "with a monoid");
    op[1].op = GP_OP_NONE;
    REFUSED(monoid.size = 6, monoid.size = 8, GP_ERROR_INVALID_ARGUMENT, "ops[1].monoid->size = 6");
    REFUSED(monoid.combine = NULL, monoid = test_affine_monoid, GP_ERROR_INVALID_ARGUMENT, "no combine");
    assert_gp(gp, gp_device_source(gp, &d, NULL, 0, &size));
#undef REFUSED
    assert_gp_fails(gp, gp_device_source(gp, &d, NULL, 1, &size), GP_ERROR_INVALID_ARGUMENT, "is NULL");
    assert_gp_fails(gp, gp_device_source(gp, &d, NULL, 0, NULL), GP_ERROR_INVALID_ARGUMENT, "is NULL");
    assert_gp_fails(gp, gp_device_source(gp, NULL, NULL, 0, &size), GP_ERROR_INVALID_ARGUMENT, "is NULL");
    if (!gp_context_info(gp)->fp64) {
        op[0].type = GP_F64;
        assert_gp_fails(gp, gp_device_source(gp, &d, NULL, 0, &size), GP_ERROR_UNSUPPORTED, "f64");
    }
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ops),         cmocka_unit_test(test_types),     cmocka_unit_test(test_packs),
        cmocka_unit_test(test_known_group), cmocka_unit_test(test_with_hash), cmocka_unit_test(test_bad),
    };
    return cmocka_run_group_tests_name("device_source", tests, NULL, NULL);
}
