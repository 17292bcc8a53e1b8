/* error.h - records failures and their texts, and writes to the log. */
#pragma once
#include "api/gpuprim.h"

#include <stdarg.h>
#include <stdio.h>

#if defined(__MINGW_PRINTF_FORMAT) /* MinGW: the printf format of the chosen C library */
#define GPI_PRINTF(text, first) __attribute__((__format__(__MINGW_PRINTF_FORMAT, text, first)))
#elif defined(__GNUC__)
#define GPI_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define GPI_PRINTF(text, first)
#endif

#define GPI_ERROR_MAX 8192 /* most characters of gp_last_error, including a build log */

enum { GPI_QUOTE_MAX = 96 }; /* characters of a quotation in a message */

/* error.c */
static const char *gpi_quote(const char *text, size_t length, char out[GPI_QUOTE_MAX]);
static void gpi_log(gp_context *gp, gp_log_level level, const char *format, ...) GPI_PRINTF(3, 4);
static gp_context *gpi_enter(gp_context *gp, const char *function);
static gp_result gpi_fail_list(gp_context *gp, gp_result result, const char *function, const char *format,
                               va_list args) GPI_PRINTF(4, 0);
static gp_result gpi_fail(gp_context *gp, gp_result result, const char *format, ...) GPI_PRINTF(3, 4);
static gp_result gpi_fail_text(gp_context *gp, gp_result result, const char *format, ...) GPI_PRINTF(3, 4);
static void gpi_fail_within(gp_context *gp, const char *prefix);
static void gpi_error_leave(const gp_context *gp);
static const char *gpi_cl_error_name(cl_int error);
static gp_result gpi_fail_cl(gp_context *gp, cl_int error, const char *call);
