/* split.h - where an array in order across ranks is cut, found by digits of its keys. */
#pragma once
#include "api/gpuprim_mpi.h"
#include "base/error.h"
#include "base/exchange.h"

/* Sorted keys of all ranks are cut where even parts begin. */
typedef struct gpi_mpi_split {
    gp_type key_type;
    size_t key_size, count;
    bool descending;
    bool whole;                           /* equal keys stay together: parts are even up to that */
    cl_mem keys;                          /* this rank's, sorted */
    cl_mem needles, places;               /* keys that are looked for, and where they are */
    uint64_t *memory;                     /* all that follows: */
    uint64_t *wanted;                     /* where a rank's part begins */
    uint64_t *at;                         /* by its key, as a number in the order of keys */
    uint64_t *below, *equal, *mine, *sum; /* keys that come before candidates, and the like */
    gpi_mpi_moves moves;
} gpi_mpi_split;

static gp_result gpi_mpi_split_open(gp_mpi *all, const char *function, gpi_mpi_split *s);
static void gpi_mpi_split_close(gpi_mpi_split *s);
static gp_result gpi_mpi_split_run(gp_mpi *all, const char *function, gpi_mpi_split *s, uint64_t first);
