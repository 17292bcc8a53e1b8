#pragma once
#include "api/base.h"

/* ------------------------------------------------------------------ results */

/* X(name, value, text). Values never change between versions. */
#define GP_RESULTS(X)                                                             \
    X(GP_OK, 0, "success")                                                        \
    X(GP_ERROR_INVALID_ARGUMENT, -1, "an argument is missing or out of range")    \
    X(GP_ERROR_INVALID_BUFFER, -2, "a buffer is missing or too small")            \
    X(GP_ERROR_OVERLAP, -3, "buffers overlap where they must not")                \
    X(GP_ERROR_INVALID_TYPE, -4, "not an element type that this call takes")      \
    X(GP_ERROR_INVALID_OP, -5, "not an operation that this call takes")           \
    X(GP_ERROR_COUNT_LIMIT, -6, "more elements than this call can take")          \
    X(GP_ERROR_UNSUPPORTED, -7, "the device cannot do this")                      \
    X(GP_ERROR_NO_PLATFORM, -8, "no OpenCL platform is installed")                \
    X(GP_ERROR_NO_DEVICE, -9, "no OpenCL device matches")                         \
    X(GP_ERROR_BUILD, -10, "a kernel does not compile")                           \
    X(GP_ERROR_OUT_OF_HOST_MEMORY, -11, "out of host memory")                     \
    X(GP_ERROR_OUT_OF_DEVICE_MEMORY, -12, "more memory than the device can give") \
    X(GP_ERROR_OPENCL, -13, "an OpenCL call failed")                              \
    X(GP_ERROR_LAW, -14, "the operation violates the monoid laws")                \
    X(GP_ERROR_WRONG_RESULT, -15, "the device computes a wrong result")           \
    X(GP_ERROR_CANCELED, -16, "canceled by the caller")                           \
    X(GP_ERROR_MPI, -17, "an MPI call failed")

typedef enum gp_result {
#define GP_RESULT_ENUM(name, value, text) name = value,
    GP_RESULTS(GP_RESULT_ENUM)
#undef GP_RESULT_ENUM
        GP_RESULT_FORCE_INT = 0x7fffffff
} gp_result;

/* Returns the fixed text of a result; never NULL. */
GP_API const char *gp_error_string(gp_result result);

/* Returns the name of an OpenCL error, such as CL_OUT_OF_RESOURCES; never NULL. */
GP_API const char *gp_cl_error_string(cl_int error);

/* Returns GP_VERSION of the implementation that is linked: 10000 * major + 100 * minor + patch. */
GP_API int gp_version(void);
