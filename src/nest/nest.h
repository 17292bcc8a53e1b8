/* nest.h - types and functions that brackets, scans of stacks and trees share. */
#pragma once
#include "base/text.h"
#include "runtime/tuning.h"
#include "program/program.h"
#include "launch/launch.h"
#include "nest/constants.cl"

/* A checked call of gp_brackets, or the brackets of a gp_stack_scan, ready to run. */
typedef struct gpi_brackets {
    const gp_brackets_desc *desc;
    gpi_args args;     /* arguments that the map names */
    int8_t table[256]; /* codes of bytes, if there is no map */
    bool has_table;
    cl_mem classes; /* the table on the device, or a placeholder if there is no table */
    bool kinds;     /* there may be brackets of several kinds */
    bool back;      /* the call uses look-back: GPI_BRACKETS_BACK */
    size_t index_size;
    gpi_plan plan;
    gpi_program *program;
    gpi_count count;
    cl_uint tiles, leaves;    /* number of tiles for the count's bound; leaves of the tree, a power of two */
    size_t notes_at, tree_at; /* where parts of the scratch begin, in bytes */
    size_t scratch_size;
    cl_mem errors; /* the output for errors; NULL: not wanted */
    size_t errors_offset;
} gpi_brackets;

/* nest.c */
static gp_result gpi_brackets_codes(gp_context *gp, gpi_brackets *b);
static gp_result gpi_brackets_classes(gp_context *gp, gpi_brackets *b);
static void gpi_symbols_free(gp_context *gp);
static void gpi_brackets_arg_input(gpi_call *call, const gpi_brackets *b);
static bool gpi_map_is_by_byte(const gp_context *gp, const gpi_plan *plan, gp_type type, const char *map,
                               const gpi_args *args);
static void gpi_brackets_add_nest(const gp_context *gp, const gpi_plan *plan, const gpi_brackets *b,
                                  gpi_text *text);
static void gpi_brackets_add_shape(const gpi_plan *plan, gpi_text *text);
static void gpi_brackets_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                                 gpi_text *text);

/* brackets.c */
static gp_result gpi_brackets_index(gp_context *gp, gpi_brackets *b);
static gp_result gpi_brackets_divide(gp_context *gp, gpi_brackets *b);
static void gpi_brackets_arg_out(gpi_call *call, cl_mem out, size_t offset);
static size_t gpi_brackets_groups(const gpi_brackets *b);
static cl_uint gpi_brackets_parts(cl_uint leaves);
static void gpi_brackets_init(gpi_brackets *b, const gp_brackets_desc *desc);
