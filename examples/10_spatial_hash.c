/* 10_spatial_hash.c - neighbours of points in space: a hash table from grid cells to counts, filled by the
   library and looked up by a kernel of our own, which asks for the 27 cells around each point.

   cc -std=c99 10_spatial_hash.c -lOpenCL */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

enum { POINTS = 20000, GRID = 1024 };
static gp_context *gp;
#define TRY(call) \
    if ((call) != GP_OK) return fprintf(stderr, "%s: %s\n", #call, gp_last_error(gp)), 1
#define TRY_CL(call) \
    if ((call) != CL_SUCCESS) return fprintf(stderr, "%s: failed\n", #call), 1

/* Ten bits a coordinate. */
static uint32_t cell_of(const uint32_t *p) { return p[0] << 20 | p[1] << 10 | p[2]; }

static const char kernel_source[] =
    "__kernel void neighbours(__global uint *memory, __global const uint *cells, __global uint *out)\n"
    "{\n"
    "    const uint i = (uint)get_global_id(0), cell = cells[i];\n"
    "    const gp_hash_table t = gp_hash_open(memory);\n"
    "    uint sum = 0;\n"
    "    for (int k = 0; k < 27; k++) {\n"
    "        const int x = (int)(cell >> 20) + k / 9 - 1, y = (int)(cell >> 10 & 1023) + k / 3 % 3 - 1;\n"
    "        const int z = (int)(cell & 1023) + k % 3 - 1;\n"
    "        gp_hash_value count;\n"
    "        if (min(min(x, y), z) < 0 || max(max(x, y), z) > 1023) continue;\n"
    "        if (gp_hash_find(t, (uint)x << 20 | (uint)y << 10 | (uint)z, &count)) sum += count;\n"
    "    }\n"
    "    out[i] = sum - 1; /* without itself */\n"
    "}\n";

int main(void)
{
    static char source[1 << 17];
    static uint32_t cell[POINTS], at[POINTS][3], near[POINTS];
    const char *parts[2] = {source, kernel_source};
    const size_t global = POINTS;
    uint32_t random = 1, total = 0, expected = 0;
    gp_context_desc device = {0};
    gp_hash_desc grid = {.key_size = 4, .value_size = 4, .expected_count = POINTS};
    gp_hash_insert_desc points = {.count = POINTS, .op = GP_SUM}; /* no values: each counts 1 */
    gp_device_source_desc of = {.part = GP_DEVICE_HASH};
    gp_hash table;
    cl_program program;
    cl_kernel kernel;
    cl_mem memory, out;
    size_t size, i, k;
    int axis;

    for (i = 0; i < POINTS; i++) { /* clustered: sums of two random steps around the middle */
        for (axis = 0; axis < 3; axis++) {
            random = random * 1664525u + 1013904223u;
            at[i][axis] = GRID / 2 - 32 + (random >> 27) + (random >> 22 & 31);
        }
        cell[i] = cell_of(at[i]);
    }
    TRY(gp_context_create(&device, &gp));
    TRY(gp_hash_create(gp, &grid, &table));
    TRY(gp_buffer_create(gp, sizeof cell, cell, &points.keys));
    TRY(gp_buffer_create(gp, sizeof near, NULL, &out));
    TRY(gp_hash_insert_or_apply(gp, table, &points));

    of.table = table;
    TRY(gp_device_source(gp, &of, source, sizeof source, &size));
    program = clCreateProgramWithSource(gp_cl_context(gp), 2, parts, NULL, NULL);
    TRY_CL(clBuildProgram(program, 0, NULL, "-cl-std=CL1.2", NULL, NULL));
    kernel = clCreateKernel(program, "neighbours", NULL);
    memory = gp_hash_buffer(gp, table);
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    clSetKernelArg(kernel, 1, sizeof points.keys, &points.keys);
    clSetKernelArg(kernel, 2, sizeof out, &out);
    TRY_CL(clEnqueueNDRangeKernel(gp_cl_queue(gp), kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    clEnqueueReadBuffer(gp_cl_queue(gp), out, CL_TRUE, 0, sizeof near, near, 0, NULL, NULL);

    for (i = 0; i < 200; i++) { /* some of them, the slow way */
        total += near[i];
        for (k = 0; k < POINTS; k++) {
            int close = k != i;
            for (axis = 0; axis < 3; axis++)
                close &= at[k][axis] + 1 >= at[i][axis] && at[i][axis] + 1 >= at[k][axis];
            expected += (uint32_t)close;
        }
    }
    printf("%s\n200 points have %u neighbours, %s\n", gp_context_info(gp)->name, total,
           total == expected ? "as counted one by one" : "WRONG");
    gp_context_destroy(gp); /* and the table; the process's end takes the rest */
    return total != expected;
}
