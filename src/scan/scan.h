/* scan.h - types and functions of reductions and scans. */
#pragma once
#include "runtime/tuning.h"
#include "program/program.h"
#include "launch/launch.h"
#include "element/element.h"
#include "scan/constants.cl"

/* The most tiles that groups look back over, on a device that ends long loops too early. */
enum { GPI_LOOK_BACK_FEW = 1024 };

/* Serial: the fewest elements of a part of a block of columns. */
enum { GPI_COLUMNS_LEAST = 16384 };

/* A checked call of gp_scan, ready to run. */
typedef struct gpi_scan {
    const gp_scan_desc *desc;
    gpi_element element;
    gpi_plan plan;
    gpi_program *program;
    gpi_count count;
    cl_uint tiles; /* number of tiles for the count's bound */
    cl_uint polls; /* 0: groups wait without bound */
} gpi_scan;

/* A checked call of gp_segmented_reduce, ready to run. */
typedef struct gpi_segmented {
    const gp_segmented_reduce_desc *desc;
    gpi_element element;
    gpi_plan plan;
    gpi_program *program;
    gpi_count count;     /* number of segments */
    gpi_offsets offsets; /* where segments begin and end */
    cl_uint small_size;  /* most elements of a small segment */
    cl_uint team;        /* number of items that reduce a small segment */
    size_t block;        /* segments that a group handles */
    gpi_large_list list;
    bool columns;        /* elements are not consecutive; only the members below are used */
    size_t wide, across; /* segments of a block; number of blocks */
    size_t span, parts;  /* elements of a part; parts of a segment */
    size_t scratch;      /* bytes */
} gpi_segmented;

/* A checked call of gp_segmented_scan, ready to run. */
typedef struct gpi_segmented_scan {
    const gp_segmented_scan_desc *desc;
    gpi_element element;
    gpi_plan plan;
    gpi_program *program;
    gpi_count count;     /* number of segments */
    gpi_offsets offsets; /* where segments begin and end */
    cl_uint small_size;  /* most elements of a small segment */
    cl_uint team;        /* number of items that scan a small segment */
    cl_uint polls;       /* 0: groups wait without bound */
    size_t block;        /* segments that a group handles */
    gpi_large_list list;
    bool columns;        /* elements are not consecutive; only the members below are used */
    size_t wide, across; /* segments of a block; number of blocks */
    size_t span, parts;  /* elements of a part; parts of a segment */
    size_t scratch;      /* bytes */
} gpi_segmented_scan;

/* scan.c */
static gp_result gpi_scan_plan(gp_context *gp, const gp_scan_desc *desc, gpi_scan *scan);
static size_t gpi_look_back_bytes(size_t tiles, size_t size);
static size_t gpi_scan_scratch(const gpi_scan *scan);
static void gpi_scan_choose(const gp_context *gp, gpi_scan *scan, bool in_place);
static gp_result gpi_scan_launch(gpi_call *call, gpi_scan *scan);
static gp_result gpi_scan_warm_up(gp_context *gp, const gp_scan_desc *desc);

/* segmented_reduce.c */
static gp_result gpi_segmented_plan(gp_context *gp, const gp_segmented_reduce_desc *d,
                                    const gpi_operation *results, gpi_segmented *s);
static void gpi_segmented_arg_outputs(gpi_call *call, const gpi_segmented *s);
static gp_result gpi_segmented_launch(gpi_call *call, const gpi_segmented *s);
static gp_result gpi_segmented_reduce_warm_up(gp_context *gp, const gp_segmented_reduce_desc *desc);
static cl_uint gpi_segmented_team(const gpi_offsets *offsets, const gpi_plan *plan);

/* segmented_scan.c */
static gp_result gpi_segmented_scan_warm_up(gp_context *gp, const gp_segmented_scan_desc *desc);
