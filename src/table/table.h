/* table.h - types and functions that calls on tables of rows share. */
#pragma once
#include "base/text.h"
#include "runtime/tuning.h"
#include "program/program.h"
#include "launch/launch.h"
#include "element/element.h"
#include "scan/scan.h"
#include "sort/sort.h"
#include "table/constants.cl"

/* The key columns of a table, checked. */
typedef struct gpi_keys {
    const gp_key_column *columns;
    size_t count; /* number of columns */
    cl_ulong seed;
    char in_name[GP_KEY_COLUMNS_MAX][24], offsets_name[GP_KEY_COLUMNS_MAX][24]; /* of the columns' buffers */
} gpi_keys;

/* A hash table: its slots are [base, base + size) of all slots. */
typedef struct gpi_rows_table {
    cl_uint base, size, probes;
} gpi_rows_table;

/* The rows of a table by key: hash tables of different sizes, the first of which that is large enough is used. */
typedef struct gpi_rows {
    gpi_keys keys;
    gpi_count count;
    gpi_plan plan;
    gpi_program *program;
    gpi_rows_table table[GPI_ROWS_TABLES];
    cl_uint tables, slot_count, row_mask;
    cl_uint number;            /* of the call: other calls have other numbers */
    size_t state_at, slots_at; /* in the scratch, in bytes */
} gpi_rows;

/* How rows are listed range by range. */
typedef struct gpi_ranges {
    size_t rows, span, spans;  /* rows of a span; number of spans */
    size_t cells, groups;      /* most numbers of a range; work-groups that handle ranges */
    size_t places_at, list_at; /* in the scratch, in bytes */
} gpi_ranges;

enum { GPI_CELLS_MOST = 1 << 17 }; /* most cells of a span of rows */

/* A batch of results of groups, planned. */
typedef struct gpi_results {
    gp_segmented_reduce_desc desc; /* of groups as segments: its input is the rows, sorted by group */
    gpi_operation operation;
    gpi_segmented batch;
    size_t first;  /* the batch's first result */
    bool in_cells; /* on CPUs. The members below are for this case only */
    cl_uint cells; /* most groups for each of which a span has a cell, whatever the batch */
    gpi_ranges ranges;
    size_t cells_bytes;
    size_t state_at, cells_at; /* in the scratch, in bytes */
    cl_mem group_of;           /* group of each row */
    size_t group_of_offset;
} gpi_results;

/* keys.c */
static gp_result gpi_keys_make(gp_context *gp, const char *table, const gp_key_column *columns, size_t count,
                               gpi_keys *keys);
static cl_ulong gpi_keys_mix_seed(uint64_t z);
static void gpi_keys_prelude(const gpi_keys *keys, gpi_text *text);
static void gpi_use_keys(gpi_uses *uses, const gpi_keys *keys, size_t rows);
static void gpi_call_arg_keys(gpi_call *call, const gpi_keys *keys);
static void gpi_keys_warm_up(const gpi_keys *keys, cl_mem in, gp_key_column *columns);

/* rows.c */
static gp_result gpi_rows_check_count(gp_context *gp, const char *name, size_t count);
static gp_result gpi_rows_plan(gp_context *gp, gpi_rows *r);
static gp_result gpi_rows_plan_sort(gp_context *gp, size_t count, gp_sort_desc *s, gpi_sort *sort);
static size_t gpi_rows_part(size_t *end, bool wanted, size_t bytes);
static size_t gpi_rows_arg_span(gpi_call *call, const gpi_plan *plan, size_t rows);
static void gpi_rows_arg_longest(gpi_call *call, const gpi_plan *plan);
static gp_result gpi_rows_put(gpi_call *call, const gpi_rows *r, cl_mem slot_of, size_t slot_of_offset,
                              cl_mem scratch);
static gp_result gpi_rows_fail_long(gp_context *gp);
static gp_result gpi_rows_read(gpi_call *call, const gpi_rows *r, cl_mem scratch, cl_uint *state);

/* ranges.c */
static void gpi_ranges_plan(const gp_context *gp, const gpi_plan *plan, size_t rows, gpi_ranges *r);
static void gpi_ranges_lay_out(gpi_ranges *r, size_t *end);
static gp_result gpi_ranges_list(gpi_call *call, gpi_program *program, const gpi_plan *plan,
                                 const gpi_ranges *r, cl_mem of, size_t of_offset, cl_mem state,
                                 size_t state_at, cl_mem scratch);
static void gpi_ranges_arg(gpi_call *call, const gpi_ranges *r, cl_mem scratch);

/* results.c */
static gp_result gpi_results_plan(gp_context *gp, const gp_group_by_desc *d, size_t first, gpi_results *r);
static gp_result gpi_results_launch(gpi_call *call, const gp_group_by_desc *d, gpi_results *r);
