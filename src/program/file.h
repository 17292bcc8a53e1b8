/* file.h - reads and writes files, and makes folders. */
#pragma once
#include "api/gpuprim.h"

#define GPI_FILE_ENDS_EARLY SIZE_MAX /* returned as a size: the file is shorter than reported */

/* file.c */
static bool gpi_make_dirs(const char *path);
static unsigned char *gpi_file_read(const char *path, bool own, size_t *size);
static void gpi_file_touch(const char *path);
#if !defined(_WIN32)
static bool gpi_file_begins(const char *path, const char *bytes, size_t size);
#endif
static bool gpi_file_write(const char *path, const void *head, size_t head_size, const void *body,
                           size_t body_size);
static int gpi_mark_set(const char *path, bool *dead);
static void gpi_mark_remove(const char *path, int mark);
