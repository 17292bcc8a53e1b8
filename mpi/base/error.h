/* error.h - makes the texts of failures, and lets ranks agree on one result. */
#pragma once
#include "api/gpuprim_mpi.h"

#include <stdlib.h>

#ifdef GP_MALLOC
#define GPI_MPI_MALLOC(bytes) GP_MALLOC(bytes)
#define GPI_MPI_FREE(memory) GP_FREE(memory)
#else
#define GPI_MPI_MALLOC(bytes) malloc(bytes)
#define GPI_MPI_FREE(memory) free(memory)
#endif

struct gp_mpi {
    gp_context *gp;
    MPI_Comm comm;
    int rank, ranks;
    bool failed;  /* this call has failed, on all ranks */
    bool busy;    /* a call is running */
    long process; /* the process that created the gp_mpi; MPI does not work in a forked process */
};

static gp_result gpi_mpi_fail(gp_mpi *all, gp_result result, const char *function, const char *text);
static gp_result gpi_mpi_did(gp_mpi *all, const char *function, const char *call, int code);
static gp_result gpi_mpi_cl(gp_mpi *all, const char *function, const char *call, cl_int error);
static gp_result gpi_mpi_agree(gp_mpi *all, const char *function, gp_result result);
