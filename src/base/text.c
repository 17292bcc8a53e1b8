/* text.c - text that grows, and text formatted as by printf. */
#include "base/memory.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Returns new text, formatted as by printf; the caller frees it. NULL: no memory, or vsnprintf failed. */
static char *gpi_format(const char *format, ...)
{
    va_list args;
    int length;
    char *text;
    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    text = length < 0 ? NULL : (char *)GP_MALLOC((size_t)length + 1);
    if (!text) return NULL;
    va_start(args, format);
    (void)vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

static bool gpi_is_digit(char c) { return c >= '0' && c <= '9'; }

static bool gpi_text_reserve(gpi_text *text, size_t more)
{
    size_t capacity = text->capacity ? text->capacity : 1024;
    char *grown;
    while (capacity < text->length + more + 1) capacity *= 2;
    if (text->failed || capacity == text->capacity) return !text->failed;
    grown = (char *)GP_REALLOC(text->data, capacity);
    if (!grown) {
        text->failed = true;
        return false;
    }
    text->data = grown;
    text->capacity = capacity;
    return true;
}

static void gpi_text_add(gpi_text *text, const char *format, ...)
{
    va_list args;
    size_t room;
    int length;
    if (!gpi_text_reserve(text, 0)) return;
    room = text->capacity - text->length;
    va_start(args, format);
    length = vsnprintf(text->data + text->length, room, format, args);
    va_end(args);
    if (length < 0) return;
    if ((size_t)length >= room) { /* formats again, with enough room */
        if (!gpi_text_reserve(text, (size_t)length)) return;
        va_start(args, format);
        (void)vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
        va_end(args);
    }
    text->length += (size_t)length;
}

static void gpi_text_add_line(gpi_text *text, const char *line)
{
    const size_t length = strlen(line);
    if (!gpi_text_reserve(text, length + 1)) return;
    memcpy(text->data + text->length, line, length);
    memcpy(text->data + text->length + length, "\n", 2);
    text->length += length + 1;
}

/* Returns the text, which the caller frees; NULL if there was no memory for it. */
static char *gpi_text_take(gpi_text *text)
{
    if (!text->failed) return text->data;
    GP_FREE(text->data);
    return NULL;
}
