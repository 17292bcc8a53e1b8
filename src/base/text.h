/* text.h - text that grows. */
#pragma once
#include "base/error.h"

/* Text that grows. `failed` stays true after memory has run out. */
typedef struct gpi_text {
    char *data;
    size_t length, capacity;
    bool failed;
} gpi_text;

/* text.c */
static char *gpi_format(const char *format, ...) GPI_PRINTF(1, 2);
static bool gpi_is_digit(char c);
static void gpi_text_add(gpi_text *text, const char *format, ...) GPI_PRINTF(2, 3);
static void gpi_text_add_line(gpi_text *text, const char *line);
static char *gpi_text_take(gpi_text *text);
