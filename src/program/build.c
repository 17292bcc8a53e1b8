/* build.c - builds a program from a binary that was imported or cached, or from its source, and creates its kernels. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "runtime/device.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

/* Returns the program's build log, which the caller frees; NULL: no memory. */
static char *gpi_build_log(const gp_context *gp, cl_program program)
{
    size_t size = 0;
    char *log;
    (void)clGetProgramBuildInfo(program, gp->info.device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    log = (char *)GP_CALLOC(size + 1, 1);
    if (log) (void)clGetProgramBuildInfo(program, gp->info.device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    return log;
}

static gp_result gpi_fail_build(gp_context *gp, cl_program program, cl_int error)
{
    char *log = gpi_build_log(gp, program), *arranged = log ? gpi_log_arrange(log) : NULL, why[80];
    gp_result result;
    gpi_log_explain(log ? log : "", why, sizeof why);
    result = gpi_fail(gp, error == CL_OUT_OF_HOST_MEMORY ? GP_ERROR_OUT_OF_HOST_MEMORY : GP_ERROR_BUILD,
                      "%sclBuildProgram returned %s (%d), build log:\n%s", why, gpi_cl_error_name(error),
                      (int)error, arranged ? arranged : "");
    GP_FREE(arranged);
    GP_FREE(log);
    return result;
}

/* Returns whether the compiler has warned of an expression that compares a buffer with a number. */
static bool gpi_built_wrongly(const gp_context *gp, cl_program program)
{
    char *log = gpi_build_log(gp, program);
    const bool wrong = log && gpi_log_compares_buffer(log);
    GP_FREE(log);
    return wrong;
}

/* Returns the build options. Those of programs with Khronos' sub-groups name a newer language: shuffles and
   ballots need OpenCL C 2.0. */
static const char *gpi_program_options(const gp_context *gp, const gpi_program *program)
{
    static const char form[] = "#define GPI_SUB_GROUP_FORM ";
    const char *at = strstr(program->prelude, form);
    const bool khronos = at && atoi(at + sizeof form - 1) == GPI_SUB_GROUP_KHRONOS;
    return khronos && gp->options_sub_groups ? gp->options_sub_groups : gp->options;
}

/* Returns true if a bracket after `word` may begin a call: false for keywords, and for the library's own names. */
static bool gpi_word_calls(const char *word, size_t length)
{
    static const char *const words[] = {"return", "if", "for", "while", "switch", "sizeof"};
    size_t k;
    if (strncmp(word, "gpi_", 4) == 0 || strncmp(word, "GPI_", 4) == 0) return false;
    for (k = 0; k < sizeof words / sizeof *words; k++)
        if (strlen(words[k]) == length && strncmp(word, words[k], length) == 0) return false;
    return length > 0;
}

/* Returns true if the prelude, with the caller's text, may call anything: a word before a bracket may name a function
   or a macro. A comment or a backslash may hide a bracket, and counts as a bracket. */
static bool gpi_text_calls(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t length;
    for (; *text; text += length ? length : 1) {
        const char *after;
        length = strspn(text, letters);
        after = text + length + strspn(text + length, " \t\r\n\v\f");
        if (*after != '(' && *after != '\\' && (*after != '/' || (after[1] != '*' && after[1] != '/')))
            continue;
        if (gpi_word_calls(text, length)) return true;
    }
    return false;
}

/* Returns true if kernels of `primitive` run slower unless clang's passes run on them twice: without the second run
   merges take 1.06 times as long, trees up to 1.4 times (docs/PERFORMANCE.md). */
static bool gpi_wants_passes(gpi_primitive primitive)
{
    return primitive == GPI_MERGE || primitive == GPI_TREE;
}

/* Returns options with which PoCL builds a program faster; NULL: there are none. Most programs are built without
   clang's passes, because a kernel's first launch runs them anyway, and without lifetime markers. Without the passes,
   such markers leave "unreachable" in helpers, which PoCL 7 then links wrongly (docs/drivers.md). Programs with
   groups of several items are built in this way on PoCL 7 only, because PoCL 7 miscompiles the result of the passes
   (gpi_is_pocl_7). Other versions keep the passes, because PoCL's treatment of barriers is tested on optimized code.
   In the serial shape, if the caller's text calls nothing, base/declarations.cl replaces the header of declarations.
   Tabs separate clang's options, since PoCL splits options at blanks, but clang at any white space. */
static char *gpi_quick_options(const gp_context *gp, const gpi_program *program)
{
    const bool serial = strcmp(gpi_wing_of(program->prelude), "cpu") == 0;
    const bool calls = gpi_text_calls(program->prelude);
    const bool passes = serial && gpi_wants_passes(program->primitive);
    if (!gpi_is_pocl(&gp->info) || (calls && passes) || (!serial && !gpi_is_pocl_7(&gp->info))) {
        return NULL;
    }
    return gpi_format("%s%s%s", gpi_program_options(gp, program),
                      calls || !serial ? "" : " -D_OPENCL_H_ -DGPI_DECLARES",
                      passes ? "" : " -DGPI_QUICK\t-disable-llvm-passes\t-disable-lifetime-markers");
}

/* Returns the program built with the quick options, or NULL if there are no such options or the build failed. In that
   case the caller builds with the usual options, and reports any error. */
static cl_program gpi_build_quickly(const gp_context *gp, const char *source, const gpi_program *program)
{
    char *options = gpi_quick_options(gp, program);
    cl_program built;
    cl_int error;
    if (!options) return NULL;
    built = clCreateProgramWithSource(gp->context, 1, &source, NULL, &error);
    if (error == CL_SUCCESS) {
        error = clBuildProgram(built, 1, &gp->info.device, options, NULL, NULL);
        if (error == CL_SUCCESS && gpi_built_wrongly(gp, built)) error = CL_BUILD_PROGRAM_FAILURE;
        if (error != CL_SUCCESS) (void)clReleaseProgram(built);
    }
    GP_FREE(options);
    return error == CL_SUCCESS ? built : NULL;
}

static gp_result gpi_build_source(gp_context *gp, const char *source, gpi_program *program)
{
    cl_int error;
    gpi_log(gp, GP_LOG_INFO, "building a program of %s", gp->function);
    program->program = gpi_build_quickly(gp, source, program);
    if (program->program) {
        gp->stats.programs_built++;
        return GP_OK;
    }
    program->program = clCreateProgramWithSource(gp->context, 1, &source, NULL, &error);
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, "clCreateProgramWithSource");
    error =
        clBuildProgram(program->program, 1, &gp->info.device, gpi_program_options(gp, program), NULL, NULL);
    if (error != CL_SUCCESS || gpi_built_wrongly(gp, program->program))
        return gpi_fail_build(gp, program->program, error);
    gp->stats.programs_built++;
    return GP_OK;
}

/* Removes a binary that the driver has refused from the program, and from the imports or the cache. */
static void gpi_binary_refuse(gp_context *gp, gpi_program *program)
{
    size_t k;
    gpi_log(gp, GP_LOG_WARNING, "cache: the driver refuses a saved program, rebuilt");
    for (k = 0; k < GPI_KERNELS_MAX; k++) {
        if (program->kernel[k]) (void)clReleaseKernel(program->kernel[k]);
        program->kernel[k] = NULL;
    }
    if (program->program) (void)clReleaseProgram(program->program);
    program->program = NULL;
    program->saved = 0;
    if (!gpi_import_drop(gp, &program->key)) gpi_cache_drop(gp, program);
}

/* Builds the program from `binary`. Returns false if the driver refuses it. */
static bool gpi_binary_load(const gp_context *gp, gpi_program *program, const unsigned char *binary,
                            size_t size)
{
    cl_int error = CL_SUCCESS, status = CL_SUCCESS;
    program->program =
        clCreateProgramWithBinary(gp->context, 1, &gp->info.device, &size, &binary, &status, &error);
    if (error != CL_SUCCESS || status != CL_SUCCESS) return false;
    return clBuildProgram(program->program, 1, &gp->info.device, gpi_program_options(gp, program), NULL,
                          NULL) == CL_SUCCESS;
}

/* Builds the program from an imported or cached binary. Returns false if there is none, or if the driver refuses it. */
static bool gpi_build_binary(gp_context *gp, gpi_program *program)
{
    size_t size = 0;
    const unsigned char *imported = gpi_import_find(gp, program, &size);
    unsigned char *saved = imported ? NULL : gpi_cache_load(gp, program, &size);
    bool good;
    if (!imported && !saved) return false;
    good = gpi_binary_load(gp, program, imported ? imported : saved, size);
    if (saved) gpi_cache_unmark(gp, program);
    GP_FREE(saved);
    if (!good) gpi_binary_refuse(gp, program);
    return good;
}

/* Returns the largest group that `kernel` can be launched with. Mesa 22.3 reports 32 for every kernel on llvmpipe, but runs
   groups of any size up to the device's. */
static size_t gpi_kernel_group_max(const gp_context *gp, cl_kernel kernel)
{
    size_t size = 0;
    if (gpi_is_llvmpipe(&gp->info)) return gp->info.max_work_group_size;
    if (clGetKernelWorkGroupInfo(kernel, gp->info.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size,
                                 NULL) != CL_SUCCESS) {
        return SIZE_MAX;
    }
    return size > 0 ? size : SIZE_MAX;
}

/* The type of clGetKernelSubGroupInfoKHR, which loaders of OpenCL 1.2 do not export. */
typedef cl_int(CL_API_CALL *gpi_sub_group_query)(cl_kernel, cl_device_id, cl_uint, size_t, const void *,
                                                 size_t, void *, size_t *);
#define GPI_CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE 0x2033

/* Returns the number of work-items in a sub-group of `kernel`; 0: the driver does not report it. */
static size_t gpi_kernel_sub_group(const gp_context *gp, cl_kernel kernel)
{
    void *address = clGetExtensionFunctionAddressForPlatform(gp->info.platform, "clGetKernelSubGroupInfoKHR");
    size_t group[3] = {0, 0, 0}, size = 0;
    gpi_sub_group_query query;
    memcpy(&query, &address, sizeof query);
    if (!query ||
        clGetKernelWorkGroupInfo(kernel, gp->info.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group,
                                 group, NULL) != CL_SUCCESS ||
        query(kernel, gp->info.device, GPI_CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof group, group,
              sizeof size, &size, NULL) != CL_SUCCESS) {
        return 0;
    }
    return size;
}

/* Creates the program's kernels. Sets group_max to the largest group that all of them can be launched with, and sub_group
   to the size of their sub-groups, if the driver reports it, or to 1 if their sizes differ. */
static cl_int gpi_kernels_make(const gp_context *gp, gpi_program *program)
{
    const bool sub_groups = gpi_program_options(gp, program) == gp->options_sub_groups;
    size_t k;
    program->group_max = SIZE_MAX;
    program->sub_group = 0;
    for (k = 0; program->names[k]; k++) {
        cl_int error;
        size_t group, sub_group;
        program->kernel[k] = clCreateKernel(program->program, program->names[k], &error);
        if (error != CL_SUCCESS) return error;
        group = gpi_kernel_group_max(gp, program->kernel[k]);
        if (group < program->group_max) program->group_max = group;
        if (!sub_groups) continue;
        sub_group = gpi_kernel_sub_group(gp, program->kernel[k]);
        program->sub_group = k > 0 && sub_group != program->sub_group ? 1 : sub_group; /* 1: sizes differ */
    }
    return CL_SUCCESS;
}

static gp_result gpi_kernels_create(gp_context *gp, gpi_program *program)
{
    const cl_int error = gpi_kernels_make(gp, program);
    return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(gp, error, "clCreateKernel");
}

/* Builds the program from a binary, or else from `source`. Mesa accepts a damaged binary, and then finds no kernels in it. */
static gp_result gpi_program_build(gp_context *gp, const char *source, gpi_program *program)
{
    gp_result result;
    if (gpi_build_binary(gp, program)) {
        const cl_int error = gpi_kernels_make(gp, program);
        if (error != CL_INVALID_PROGRAM_EXECUTABLE && error != CL_INVALID_KERNEL_NAME) {
            gp->stats.programs_loaded++;
            program->frozen = true;
            return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(gp, error, "clCreateKernel");
        }
        gpi_binary_refuse(gp, program);
    }
    result = gpi_build_source(gp, source, program);
    return result == GP_OK ? gpi_kernels_create(gp, program) : result;
}
