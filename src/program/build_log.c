/* build_log.c - arranges a compiler's messages about the caller's text, the most helpful ones first. */
#include "base/memory.h"
#include "program/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GPI_LOG_LINES_OWN = 40, GPI_LOG_LINES_REST = 8 }; /* most lines of a build log */

/* Returns true if `line` contains `part`. */
static bool gpi_line_has(const char *line, size_t length, const char *part)
{
    const size_t most = strlen(part);
    size_t i;
    for (i = 0; i + most <= length; i++) {
        if (memcmp(line + i, part, most) == 0) return true;
    }
    return false;
}

static bool gpi_line_begins(const char *line, size_t length)
{
    return gpi_line_has(line, length, "error:") || gpi_line_has(line, length, "warning:") ||
           gpi_line_has(line, length, "note:") || gpi_line_has(line, length, " generated");
}

/* Adds at most `most` lines of a build log: messages about kernels/ if `ours`, else all other messages. Returns the
   number of such lines in the log. */
static size_t gpi_text_add_log(gpi_text *text, const char *log, bool ours, size_t most)
{
    bool about_ours = false;
    size_t lines = 0;
    while (*log) {
        const size_t length = strcspn(log, "\n");
        if (gpi_line_begins(log, length)) about_ours = gpi_line_has(log, length, "kernels/");
        if (about_ours == ours && length > 0 && lines++ < most)
            gpi_text_add(text, "%.*s\n", (int)(length < 400 ? length : 400), log);
        log += length + (log[length] == '\n');
    }
    return lines;
}

/* Returns `log` with the messages about the caller's own lines first, then a few messages about kernels/, which are
   usually caused by errors in the caller's lines. Returns NULL if there is no memory. */
static char *gpi_log_arrange(const char *log)
{
    gpi_text text;
    size_t own, rest;
    memset(&text, 0, sizeof text);
    own = gpi_text_add_log(&text, log, false, GPI_LOG_LINES_OWN);
    rest = gpi_text_add_log(&text, log, true, own ? GPI_LOG_LINES_REST : GPI_LOG_LINES_OWN);
    if (own > GPI_LOG_LINES_OWN) gpi_text_add(&text, "(of %zu lines)\n", own);
    if (own && rest > GPI_LOG_LINES_REST)
        gpi_text_add(&text, "(%zu more lines about kernels/*.cl)\n", rest - GPI_LOG_LINES_REST);
    return gpi_text_take(&text);
}

/* Returns whether an expression compares a buffer with a number, which compilers only warn of: the caller has forgotten an index. */
static bool gpi_log_compares_buffer(const char *log)
{
    return strstr(log, "comparison between pointer and integer") != NULL;
}

/* Writes to `out` an explanation if the log shows one of these errors: an array of negative size, with which
   gpi_prelude_user_type and gpi_records_define check sizes; the use of an input (x or y) that the call does not
   have; a buffer in the place of its element. For other errors writes an empty text. */
static void gpi_log_explain(const char *log, char *out, size_t size)
{
    static const char monoid[] = "gpi_monoid_size_", record[] = "gpi_record_size_";
    const char *at = strstr(log, monoid), *record_at = strstr(log, record);
    out[0] = '\0';
    if (at && strstr(log, "_is_not_sizeof_type"))
        (void)snprintf(out, size, "monoid->size = %d is not sizeof(type) on this device: ",
                       atoi(at + sizeof monoid - 1));
    else if (record_at && strstr(log, "_is_not_sizeof_type"))
        (void)snprintf(out, size, "a record's size = %d is not sizeof(cl_type) on this device: ",
                       atoi(record_at + sizeof record - 1));
    else if (strstr(log, "undeclared identifier 'x'"))
        (void)snprintf(out, size, "the map names x, but there is no input (in is NULL): ");
    else if (strstr(log, "undeclared identifier 'y'"))
        (void)snprintf(out, size, "the expression names y, but there is no second input: ");
    else if (gpi_log_compares_buffer(log))
        (void)snprintf(out, size, "an expression compares a buffer, not its element: ");
}
