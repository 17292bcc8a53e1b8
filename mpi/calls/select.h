/* select.h - declares the function of select.c that other calls use. */
#pragma once
#include "api/gpuprim_mpi.h"
#include "base/error.h"

static gp_result gpi_mpi_place(gp_mpi *all, const char *function, uint64_t count, gp_mpi_part *part);
