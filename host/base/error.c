/* error.c - reports failures for gp_last_error, checks arguments, and returns sizes of types. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static gp_result gpi_host_fail(gp_context *gp, gp_result result, const char *format, ...)
{
    char text[8192]; /* as long as gp_last_error's longest text, which it may quote */
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return gp_set_error(gp, result, text);
}

static gp_result gpi_host_fail_cl(gp_context *gp, const char *function, const char *call, cl_int error)
{
    gp_result result = GP_ERROR_OPENCL;
    if (error == CL_OUT_OF_HOST_MEMORY) result = GP_ERROR_OUT_OF_HOST_MEMORY;
    if (error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES ||
        error == CL_INVALID_BUFFER_SIZE)
        result = GP_ERROR_OUT_OF_DEVICE_MEMORY;
    return gpi_host_fail(gp, result, "%s: %s returned %s (%d)", function, call, gp_cl_error_string(error),
                         (int)error);
}

static gp_result gpi_host_check(gp_context *gp, const char *function, const void *desc)
{
    if (!gp) return gpi_host_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "%s: gp is NULL", function);
    if (!desc) return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: desc is NULL", function);
    return GP_OK;
}

static size_t gpi_host_size_of(gp_type type)
{
    switch (type) {
#define GPI_HOST_TYPE_CASE(name, value, cl, bytes) \
    case name: return bytes;
        GP_TYPES(GPI_HOST_TYPE_CASE)
#undef GPI_HOST_TYPE_CASE
    default: return 0;
    }
}

static bool gpi_host_is_float(gp_type type) { return type == GP_F16 || type == GP_F32 || type == GP_F64; }

static gp_type gpi_host_sum_type(gp_op op, gp_type type)
{
    const bool sums = op == GP_SUM || op == GP_PROD;
    if (!sums || type == GP_F32 || type == GP_F64) return type;
    if (type == GP_F16) return GP_F32;
    return type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64 ? GP_I64 : GP_U64;
}

static gp_result gpi_host_check_type(gp_context *gp, const char *function, const char *name, gp_type type)
{
    if (gpi_host_size_of(type)) return GP_OK;
    return gpi_host_fail(gp, GP_ERROR_INVALID_TYPE, "%s: %s = %d is not an element type", function, name,
                         (int)type);
}

static gp_result gpi_host_check_array(gp_context *gp, const char *function, const char *name,
                                      const void *array, size_t count, size_t size)
{
    if (!size)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: elements of %s have 0 bytes", function,
                             name);
    if (count > SIZE_MAX / 2 / size)
        return gpi_host_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: count = %zu is more than memory can hold",
                             function, count);
    if (array || !count) return GP_OK;
    return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", function, name);
}

static bool gpi_host_overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    if (!a || !b || !a_bytes || !b_bytes) return false;
    return x <= y ? y - x < a_bytes : x - y < b_bytes;
}
