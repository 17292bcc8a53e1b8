/* build.c - builds programs on the first OpenCL device that there is, with that device's own compiler.

   usage: build --describe                the device as device.c reads it: lines of a key and its value
          build PROGRAM.cl...             with the options in PROGRAM.op; prints a line a program and a line a kernel

       program PATH ok SECONDS            of the CPU; or: program PATH failed SECONDS, and the build log
       kernel NAME GROUP MOST LANES LOCAL PRIVATE

   GROUP is the kernel's own group, MOST the largest that the compiler allows, LANES those of its sub-groups, LOCAL and
   PRIVATE bytes of memory; 0 where the driver does not say. What the driver writes to stderr follows a line "program PATH". */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WARP_SIZE_NV 0x4003
#define WAVEFRONT_WIDTH_AMD 0x4043
#define SUB_GROUP_SIZES_INTEL 0x4108

enum { TEXT = 1 << 14, KERNELS = 64, PLATFORMS = 16, SIZES = 16 };

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;

static int find_device(void)
{
    cl_platform_id platforms[PLATFORMS];
    cl_uint count = 0, devices = 0, i;
    if (clGetPlatformIDs(PLATFORMS, platforms, &count) != CL_SUCCESS) count = 0;
    for (i = 0; i < count && i < PLATFORMS; i++) {
        platform = platforms[i];
        if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, &devices) == CL_SUCCESS && devices > 0)
            return 1;
    }
    fprintf(stderr, "build: no device\n");
    return 0;
}

/* ------------------------------------------------------------------ description */

static void describe_text(const char *key, cl_device_info what)
{
    char value[TEXT] = "";
    clGetDeviceInfo(device, what, sizeof value, value, NULL);
    printf("%s %s\n", key, value);
}

static void describe_number(const char *key, cl_device_info what)
{
    cl_ulong value = 0; /* a smaller number is its lower half */
    if (clGetDeviceInfo(device, what, sizeof value, &value, NULL) == CL_SUCCESS)
        printf("%s %llu\n", key, (unsigned long long)value);
}

static void describe_sizes(void)
{
    size_t sizes[SIZES], size = 0, i;
    if (clGetDeviceInfo(device, SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &size) != CL_SUCCESS || size == 0)
        return;
    printf("sub_group_sizes");
    for (i = 0; i < size / sizeof *sizes; i++) printf(" %zu", sizes[i]);
    printf("\n");
}

static void describe(void)
{
    char name[TEXT] = "";
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    printf("platform_name %s\n", name);
    clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof name, name, NULL);
    printf("platform_version %s\n", name);
    describe_text("name", CL_DEVICE_NAME);
    describe_text("vendor", CL_DEVICE_VENDOR);
    describe_text("version", CL_DEVICE_VERSION);
    describe_text("driver_version", CL_DRIVER_VERSION);
    describe_text("extensions", CL_DEVICE_EXTENSIONS);
    describe_number("type", CL_DEVICE_TYPE);
    describe_number("compute_units", CL_DEVICE_MAX_COMPUTE_UNITS);
    describe_number("max_work_group_size", CL_DEVICE_MAX_WORK_GROUP_SIZE);
    describe_number("global_mem_size", CL_DEVICE_GLOBAL_MEM_SIZE);
    describe_number("max_alloc_size", CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    describe_number("local_mem_size", CL_DEVICE_LOCAL_MEM_SIZE);
    describe_number("global_cache_size", CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    describe_number("local_mem_type", CL_DEVICE_LOCAL_MEM_TYPE);
    describe_number("mem_base_addr_align", CL_DEVICE_MEM_BASE_ADDR_ALIGN);
    describe_number("max_num_sub_groups", CL_DEVICE_MAX_NUM_SUB_GROUPS);
    describe_number("atomic_memory_capabilities", CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES);
    describe_number("warp_size_nv", WARP_SIZE_NV);
    describe_number("wavefront_width_amd", WAVEFRONT_WIDTH_AMD);
    describe_sizes();
}

/* ------------------------------------------------------------------ programs */

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size;
    if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 ||
        !(text = calloc((size_t)size + 1, 1))) {
        fprintf(stderr, "build: cannot read %s\n", path);
        exit(1);
    }
    rewind(file);
    if (fread(text, 1, (size_t)size, file) != (size_t)size) exit(1);
    fclose(file);
    return text;
}

/* Returns the seconds of the CPU that this process has taken, with all its threads. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print_log(cl_program program)
{
    static char log[1 << 16];
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    printf("%.2000s\n", log);
}

static void print_kernel(cl_kernel kernel)
{
    char name[256] = "";
    size_t group[3] = {0, 0, 0}, most = 0, lanes = 0;
    cl_ulong local = 0, private = 0;
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group, group, NULL);
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
    clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private, &private, NULL);
    clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof group, group,
                            sizeof lanes, &lanes, NULL);
    printf("kernel %s %zu %zu %zu %llu %llu\n", name, group[0], most, lanes, (unsigned long long)local,
           (unsigned long long)private);
}

static int build(const char *path)
{
    char *source = read_file(path), *options_path = strdup(path), *options;
    cl_kernel kernels[KERNELS];
    cl_uint count = 0, k;
    cl_program program;
    cl_int error;
    double begin;
    memcpy(strrchr(options_path, '.'), ".op", 3);
    options = read_file(options_path);
    fprintf(stderr, "program %s\n", path);
    begin = now();
    program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &error);
    if (error == CL_SUCCESS) error = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (error == CL_SUCCESS) error = clCreateKernelsInProgram(program, KERNELS, kernels, &count);
    printf("program %s %s %.2f\n", path, error == CL_SUCCESS ? "ok" : "failed", now() - begin);
    if (error != CL_SUCCESS) print_log(program);
    for (k = 0; k < count; k++) {
        print_kernel(kernels[k]);
        clReleaseKernel(kernels[k]);
    }
    clReleaseProgram(program);
    fflush(stdout);
    free(source);
    free(options);
    free(options_path);
    return error != CL_SUCCESS;
}

int main(int count, char **arguments)
{
    int i, failed = 0;
    cl_int error;
    if (count < 2) {
        fprintf(stderr, "usage: build --describe | PROGRAM.cl...\n");
        return 1;
    }
    if (!find_device()) return 1;
    if (strcmp(arguments[1], "--describe") == 0) {
        describe();
        return 0;
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    if (error != CL_SUCCESS) return 1;
    for (i = 1; i < count; i++) failed += build(arguments[i]);
    return failed > 0;
}
