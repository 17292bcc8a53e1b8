/* table.h - types and functions that calls on tables of rows share. */
#pragma once
#include "base/text.h"
#include "launch/launch.h"
#include "element/element.h"
#include "scan/scan.h"
#include "table/constants.cl"

/* The key columns of a table, checked. */
typedef struct gpi_keys {
    const gp_key_column *columns;
    size_t count; /* number of columns */
    cl_ulong seed;
} gpi_keys;

enum { GPI_CELLS_MOST = 1 << 17 }; /* most cells of a span of rows */

/* A batch of results of groups, planned. */
typedef struct gpi_results {
    gp_segmented_reduce_desc desc; /* of groups as segments: its input is the rows, sorted by group */
    gpi_operation operation;
    gpi_segmented batch;
    size_t first;       /* the batch's first result */
    bool in_cells;      /* on CPUs. The members below are for this case only */
    cl_uint cells;      /* most groups for each of which a span has a cell, whatever the batch */
    size_t span, spans; /* rows of a span; number of spans */
    size_t range_cells,
        range_groups; /* cells of a work-group that reduces ranges; number of these work-groups */
    size_t cells_bytes;
    size_t state_at, cells_at, places_at, list_at; /* in the scratch, in bytes */
    cl_mem group_of;                               /* group of each row */
    size_t group_of_offset;
} gpi_results;

/* keys.c */
static gp_result gpi_keys_make(gp_context *gp, const gp_key_column *columns, size_t count, gpi_keys *keys);
static void gpi_keys_prelude(const gpi_keys *keys, gpi_text *text);
static void gpi_use_keys(gpi_uses *uses, const gpi_keys *keys, size_t rows);
static void gpi_call_arg_keys(gpi_call *call, const gpi_keys *keys);

/* results.c */
static gp_result gpi_results_plan(gp_context *gp, const gp_group_by_desc *d, size_t first, gpi_results *r);
static gp_result gpi_results_launch(gpi_call *call, const gp_group_by_desc *d, gpi_results *r);
