/* text.h - adapts the caller's expressions to chunks. */
#pragma once
#include "api/gpuprim_host.h"

/* An expression for chunks, in which i counts from the call's first element. */
typedef struct gpi_host_text {
    char *text; /* to be freed; NULL: there is none */
    bool has_index;
} gpi_host_text;

/* Concatenates `before`, the expression `map` and `after`, and replaces each i in `map` by (i + chunk_first). */
static gp_result gpi_host_text_make(gp_context *gp, const char *function, const char *before, const char *map,
                                    const char *after, gpi_host_text *text);

/* Concatenates `before`, the expression `map` and `after`, and replaces each i in `map` by `index`. */
static gp_result gpi_host_text_index(gp_context *gp, const char *function, const char *before,
                                     const char *map, const char *after, const char *index,
                                     gpi_host_text *text);
static void gpi_host_text_free(gpi_host_text *text);

/* The caller's args, and those that the call adds. */
typedef struct gpi_host_args {
    gp_arg args[GP_ARGS_MAX];
    size_t count;
    cl_ulong first; /* the value of chunk_first */
} gpi_host_args;

static gp_result gpi_host_args_make(gp_context *gp, const char *function, const gp_arg *args, size_t count,
                                    size_t more, gpi_host_args *all);
static gp_arg *gpi_host_args_add(gpi_host_args *all, const char *name, gp_type type, const void *value);
