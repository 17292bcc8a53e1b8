/* readme.h - what README's examples take for granted: a context, buffers, a record. Put before them by
   manual/stage.py, which makes a function of each. */
#include "gpuprim.h"

#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 4096 };

static gp_context *gp;
static const size_t n = 1000;
static cl_mem a, b, keys, values, offsets, out, counts, particles, pixels, scales;
static const gp_record particle = {
    .cl_type = "particle",
    .size = 32,
    .source = "typedef struct { float4 position; float mass; uint id; float2 unused; } particle;"};

static void check(const char *example, gp_result result)
{
    if (result == GP_OK) result = gp_finish(gp);
    if (result == GP_OK && *gp_last_error(gp) == '\0') return;
    printf("README, %s: %s\n", example, gp_last_error(gp));
    exit(1);
}

/* A buffer of 16 bytes an element, with rising numbers. */
static cl_mem rising(uint32_t step)
{
    static uint32_t numbers[4 * SIZE];
    cl_mem buffer = NULL;
    for (uint32_t i = 0; i < 4 * SIZE; i++) numbers[i] = i * step;
    check("buffers", gp_buffer_create(gp, sizeof numbers, numbers, &buffer));
    return buffer;
}

/* Does a kernel compile after a text of gp_device_source? */
static void build(const gp_device_source_desc *desc, const char *kernel)
{
    const char *texts[2] = {NULL, kernel};
    size_t size;
    cl_int result;
    check("gp_device_source", gp_device_source(gp, desc, NULL, 0, &size));
    char *text = malloc(size);
    check("gp_device_source",
          text ? gp_device_source(gp, desc, text, size, &size) : GP_ERROR_OUT_OF_HOST_MEMORY);
    texts[0] = text;
    cl_program program = clCreateProgramWithSource(gp_cl_context(gp), 2, texts, NULL, &result);
    if (result == CL_SUCCESS) result = clBuildProgram(program, 0, NULL, "-cl-std=CL1.2", NULL, NULL);
    if (result != CL_SUCCESS) printf("README, gp_device_source: OpenCL error %d\n", result), exit(1);
    clReleaseProgram(program);
    free(text);
}

static void prepare(void)
{
    const gp_context_desc device = {0};
    if (gp_context_create(&device, &gp) != GP_OK) puts(gp_last_error(NULL)), exit(1);
    cl_mem *buffers[] = {&a, &b, &keys, &values, &out, &counts, &particles, &pixels, &scales};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) *buffers[i] = rising(1);
    offsets = rising(50);
}

static void end(void)
{
    cl_mem buffers[] = {a, b, keys, values, offsets, out, counts, particles, pixels, scales};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) clReleaseMemObject(buffers[i]);
    gp_context_destroy(gp);
}
