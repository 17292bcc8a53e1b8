/* handle.h - decides whether calls with a gp_mpi can begin. */
#pragma once
#include "api/gpuprim_mpi.h"
#include "base/error.h"

static const char *gpi_mpi_refusal(const gp_mpi *all);
