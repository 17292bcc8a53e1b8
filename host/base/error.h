/* error.h - reports failures for gp_last_error, checks arguments, and returns sizes of types. */
#pragma once
#include "api/gpuprim_host.h"

#include <stdlib.h>

#ifdef GP_MALLOC
#define GPI_HOST_MALLOC(bytes) GP_MALLOC(bytes)
#define GPI_HOST_FREE(memory) GP_FREE(memory)
#else
#define GPI_HOST_MALLOC(bytes) malloc(bytes)
#define GPI_HOST_FREE(memory) free(memory)
#endif

#if defined(__MINGW_PRINTF_FORMAT) /* MinGW: the format of the chosen C library */
#define GPI_HOST_PRINTF(text, first) __attribute__((__format__(__MINGW_PRINTF_FORMAT, text, first)))
#elif defined(__GNUC__)
#define GPI_HOST_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define GPI_HOST_PRINTF(text, first)
#endif

static gp_result gpi_host_fail(gp_context *gp, gp_result result, const char *format, ...)
    GPI_HOST_PRINTF(3, 4);
static gp_result gpi_host_fail_cl(gp_context *gp, const char *function, const char *call, cl_int error);
static gp_result gpi_host_check(gp_context *gp, const char *function, const void *desc);

/* Returns the bytes of an element; 0: `type` is not a gp_type. */
static size_t gpi_host_size_of(gp_type type);
static bool gpi_host_is_float(gp_type type);
/* Returns the type of results that gp_reduce uses if out_type is 0. */
static gp_type gpi_host_sum_type(gp_op op, gp_type type);
static gp_result gpi_host_check_type(gp_context *gp, const char *function, const char *name, gp_type type);

/* Fails unless an array of `count` elements of `size` bytes can be at this address. */
static gp_result gpi_host_check_array(gp_context *gp, const char *function, const char *name,
                                      const void *array, size_t count, size_t size);

/* Returns true if two arrays share bytes. */
static bool gpi_host_overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes);
