/* error.c - records failures and their texts, and writes to the log. */
#include "base/context.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

#if defined(_MSC_VER)
#define GPI_THREAD_LOCAL __declspec(thread)
#elif defined(__cplusplus)
#define GPI_THREAD_LOCAL thread_local
#else
#define GPI_THREAD_LOCAL __thread
#endif

#define GPI_CL_ERRORS(X)                            \
    X(CL_DEVICE_NOT_FOUND)                          \
    X(CL_DEVICE_NOT_AVAILABLE)                      \
    X(CL_COMPILER_NOT_AVAILABLE)                    \
    X(CL_MEM_OBJECT_ALLOCATION_FAILURE)             \
    X(CL_OUT_OF_RESOURCES)                          \
    X(CL_OUT_OF_HOST_MEMORY)                        \
    X(CL_PROFILING_INFO_NOT_AVAILABLE)              \
    X(CL_BUILD_PROGRAM_FAILURE)                     \
    X(CL_MAP_FAILURE)                               \
    X(CL_MISALIGNED_SUB_BUFFER_OFFSET)              \
    X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) \
    X(CL_LINK_PROGRAM_FAILURE)                      \
    X(CL_INVALID_VALUE)                             \
    X(CL_INVALID_DEVICE_TYPE)                       \
    X(CL_INVALID_PLATFORM)                          \
    X(CL_INVALID_DEVICE)                            \
    X(CL_INVALID_CONTEXT)                           \
    X(CL_INVALID_QUEUE_PROPERTIES)                  \
    X(CL_INVALID_COMMAND_QUEUE)                     \
    X(CL_INVALID_HOST_PTR)                          \
    X(CL_INVALID_MEM_OBJECT)                        \
    X(CL_INVALID_BINARY)                            \
    X(CL_INVALID_BUILD_OPTIONS)                     \
    X(CL_INVALID_PROGRAM)                           \
    X(CL_INVALID_PROGRAM_EXECUTABLE)                \
    X(CL_INVALID_KERNEL_NAME)                       \
    X(CL_INVALID_KERNEL_DEFINITION)                 \
    X(CL_INVALID_KERNEL)                            \
    X(CL_INVALID_ARG_INDEX)                         \
    X(CL_INVALID_ARG_VALUE)                         \
    X(CL_INVALID_ARG_SIZE)                          \
    X(CL_INVALID_KERNEL_ARGS)                       \
    X(CL_INVALID_WORK_DIMENSION)                    \
    X(CL_INVALID_WORK_GROUP_SIZE)                   \
    X(CL_INVALID_WORK_ITEM_SIZE)                    \
    X(CL_INVALID_GLOBAL_OFFSET)                     \
    X(CL_INVALID_EVENT_WAIT_LIST)                   \
    X(CL_INVALID_EVENT)                             \
    X(CL_INVALID_OPERATION)                         \
    X(CL_INVALID_BUFFER_SIZE)                       \
    X(CL_INVALID_GLOBAL_WORK_SIZE)                  \
    X(CL_INVALID_PROPERTY)

/* The text of the last failure without a context. */
static GPI_THREAD_LOCAL char gpi_orphan_error[1024];

/* The name of the last call without a context, or from a callback (gpi_enter). */
static GPI_THREAD_LOCAL const char *gpi_orphan_function;

GP_API int gp_version(void) { return GP_VERSION; }

GP_API const char *gp_error_string(gp_result result)
{
    switch (result) {
#define GPI_RESULT_CASE(name, value, text) \
    case name: return #name ": " text;
        GP_RESULTS(GPI_RESULT_CASE)
#undef GPI_RESULT_CASE
    default: return "not a gp_result";
    }
}

GP_API const char *gp_last_error(const gp_context *gp) { return gp ? gp->error : gpi_orphan_error; }

static const char *gpi_result_name(gp_result result)
{
    switch (result) {
#define GPI_RESULT_CASE(name, value, text) \
    case name: return #name;
        GP_RESULTS(GPI_RESULT_CASE)
#undef GPI_RESULT_CASE
    default: return "?";
    }
}

/* Copies text to `out`, and writes \xNN for each unprintable byte. In a quotation, also escapes quotation marks,
   backslashes, line ends and bytes that are not ASCII. Returns how many bytes of `bytes` fit in `out`. */
static size_t gpi_escape(const char *bytes, size_t length, bool quotation, char *out, size_t size)
{
    size_t i, used = 0;
    for (i = 0; i < length && used + sizeof "\\x00" <= size; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        const bool prints = c >= 0x20 && c < 0x7f, kept = c >= 0x80 || c == '\n' || c == '\t';
        if (quotation && (c == '"' || c == '\\')) out[used++] = '\\';
        if (prints || (kept && !quotation)) out[used++] = (char)c;
        else used += (size_t)snprintf(out + used, size - used, "\\x%02x", (unsigned)c);
    }
    out[used] = '\0';
    return i;
}

/* Writes the caller's text between quotation marks to `out`, for a message, and returns it. Shortens a long text. */
static const char *gpi_quote(const char *text, size_t length, char out[GPI_QUOTE_MAX])
{
    const size_t shown = gpi_escape(text, length, true, out + 1, GPI_QUOTE_MAX - 5);
    out[0] = '"';
    strcat(out, shown < length ? "...\"" : "\"");
    return out;
}

/* Passes the text to the logger. Calls that the logger makes are refused; the refusal is not logged, and does not
   change the last failure's text. */
static void gpi_log_text(gp_context *gp, gp_log_level level, const char *text)
{
    const char *const function = gpi_orphan_function;
    char error[GPI_ERROR_MAX];
    if (gp->callback) return;
    memcpy(error, gp->error, sizeof error);
    gp->callback = "log";
    gp->desc.log(level, text == gp->error ? error : text, gp->desc.log_user);
    gp->callback = NULL;
    gpi_orphan_function = function;
    memcpy(gp->error, error, sizeof error);
}

static void gpi_log(gp_context *gp, gp_log_level level, const char *format, ...)
{
    char raw[1024], text[1024];
    va_list args;
    if (!gp || !gp->desc.log) return;
    va_start(args, format);
    (void)vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    (void)gpi_escape(raw, strlen(raw), false, text, sizeof text);
    gpi_log_text(gp, level, text);
}

/* Records the name of the public call that begins, for texts of failures, and returns gp. Calls without a context, and
   calls from a callback, are recorded for the thread, so that gp keeps the name of the call that runs the callback. */
static gp_context *gpi_enter(gp_context *gp, const char *function)
{
    if (gp && !gp->callback) gp->function = function;
    else gpi_orphan_function = function;
    return gp;
}

static const char *gpi_entered(const gp_context *gp)
{
    return gp && !gp->callback ? gp->function : gpi_orphan_function;
}

/* Records and logs the text of a failure, which begins with the result's name and, unless it is NULL, `function`. */
static gp_result gpi_fail_list(gp_context *gp, gp_result result, const char *function, const char *format,
                               va_list args)
{
    char *text = gp ? gp->error : gpi_orphan_error;
    const size_t size = gp ? sizeof gp->error : sizeof gpi_orphan_error;
    const int head = snprintf(text, size, "%s: %s%s", gpi_result_name(result), function ? function : "",
                              function ? ": " : "");
    char raw[GPI_ERROR_MAX];
    (void)vsnprintf(raw, sizeof raw, format, args);
    (void)gpi_escape(raw, strlen(raw), false, text + head, size - (size_t)head);
    if (gp && gp->desc.log) gpi_log_text(gp, GP_LOG_ERROR, text);
    return result;
}

/* Records the text of a failure of the public call that runs, logs it, and returns `result`. */
static gp_result gpi_fail(gp_context *gp, gp_result result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)gpi_fail_list(gp, result, gpi_entered(gp), format, args);
    va_end(args);
    return result;
}

/* Fails as gpi_fail does, with a text that does not name the public call. */
static gp_result gpi_fail_text(gp_context *gp, gp_result result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)gpi_fail_list(gp, result, NULL, format, args);
    va_end(args);
    return result;
}

/* Inserts `prefix` after the function's name in the last failure's text. */
static void gpi_fail_within(gp_context *gp, const char *prefix)
{
    char *at = strstr(gp->error, gp->function);
    const size_t length = strlen(prefix);
    size_t rest;
    if (at) at += strlen(gp->function) + 2; /* after ": " */
    if (!at || (size_t)(at - gp->error) + length + 1 > sizeof gp->error) return;
    rest = sizeof gp->error - (size_t)(at - gp->error) - length;
    memmove(at + length, at, rest);
    memcpy(at, prefix, length);
    gp->error[sizeof gp->error - 1] = '\0';
}

/* Copies the error text of a context that could not be created, if any, so that gp_last_error(NULL) returns it. */
static void gpi_error_leave(const gp_context *gp)
{
    if (gp->error[0] == '\0') return;
    (void)snprintf(gpi_orphan_error, sizeof gpi_orphan_error, "%.*s", (int)sizeof gpi_orphan_error - 1,
                   gp->error);
}

static const char *gpi_cl_error_name(cl_int error)
{
    switch (error) {
#define GPI_CL_ERROR_CASE(name) \
    case name: return #name;
        GPI_CL_ERRORS(GPI_CL_ERROR_CASE)
#undef GPI_CL_ERROR_CASE
    case -1001: return "CL_PLATFORM_NOT_FOUND_KHR";
    default: return "an OpenCL error without a name";
    }
}

/* Returns the result for an OpenCL error: a specific one for lack of memory, else GP_ERROR_OPENCL. */
static gp_result gpi_result_of(cl_int error)
{
    switch (error) {
    case CL_OUT_OF_HOST_MEMORY: return GP_ERROR_OUT_OF_HOST_MEMORY;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_INVALID_BUFFER_SIZE: return GP_ERROR_OUT_OF_DEVICE_MEMORY;
    default: return GP_ERROR_OPENCL;
    }
}

/* Fails because the OpenCL function `call` returned `error`. */
static gp_result gpi_fail_cl(gp_context *gp, cl_int error, const char *call)
{
    return gpi_fail(gp, gpi_result_of(error), "%s returned %s (%d)", call, gpi_cl_error_name(error),
                    (int)error);
}

GP_API const char *gp_cl_error_string(cl_int error) { return gpi_cl_error_name(error); }

GP_API gp_result gp_set_error(gp_context *gp, gp_result result, const char *text)
{
    return gpi_fail_text(gp, result, "%s", text ? text : "");
}
