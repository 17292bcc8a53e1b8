/* group_by.h - gp_mpi_group_by across ranks. */
#pragma once
#include "api/gpuprim_mpi.h"

static bool gpi_mpi_moves_alone(size_t size);
