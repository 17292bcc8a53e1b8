/* table.h - types and functions that calls on tables of rows share. */
#pragma once
#include "base/text.h"
#include "launch/launch.h"
#include "table/constants.cl"

/* The key columns of a table, checked. */
typedef struct gpi_keys {
    const gp_key_column *columns;
    size_t count; /* number of columns */
    cl_ulong seed;
} gpi_keys;

/* keys.c */
static gp_result gpi_keys_make(gp_context *gp, const gp_key_column *columns, size_t count, gpi_keys *keys);
static void gpi_keys_prelude(const gpi_keys *keys, gpi_text *text);
static void gpi_use_keys(gpi_uses *uses, const gpi_keys *keys, size_t rows);
static void gpi_call_arg_keys(gpi_call *call, const gpi_keys *keys);
