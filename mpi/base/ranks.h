/* ranks.h - gathers values of all ranks, and divides arrays evenly over the ranks. */
#pragma once
#include "api/gpuprim_mpi.h"
#include "base/error.h"

static gp_result gpi_mpi_gather(gp_mpi *all, const char *function, const void *value, size_t size,
                                cl_mem *out);
static gp_result gpi_mpi_even(gp_mpi *all, const char *function, size_t count, gp_mpi_part *part);
