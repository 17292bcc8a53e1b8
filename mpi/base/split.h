/* split.h - finds where to cut a sorted array across ranks, digit by digit of its keys. */
#pragma once
#include "api/gpuprim_mpi.h"
#include "base/error.h"
#include "base/exchange.h"

/* Splits that cut the sorted keys of all ranks into even parts. */
typedef struct gpi_mpi_split {
    gp_type key_type;
    size_t key_size, count;
    bool descending;
    bool whole;                           /* equal keys stay together, so parts are only roughly even */
    cl_mem keys;                          /* this rank's sorted keys */
    cl_mem needles, places;               /* keys to be found, and their positions */
    uint64_t *memory;                     /* memory of the arrays below */
    uint64_t *wanted;                     /* where each rank's part has to begin */
    uint64_t *at;                         /* the number of the key at each split, in the order of keys */
    uint64_t *below, *equal, *mine, *sum; /* counts of keys before, or equal to, candidates */
    gpi_mpi_moves moves;
} gpi_mpi_split;

static gp_result gpi_mpi_split_open(gp_mpi *all, const char *function, gpi_mpi_split *s);
static void gpi_mpi_split_close(gpi_mpi_split *s);
static gp_result gpi_mpi_split_run(gp_mpi *all, const char *function, gpi_mpi_split *s, uint64_t first);
