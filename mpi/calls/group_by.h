/* group_by.h - a function of gp_mpi_group_by that other calls use. */
#pragma once
#include "api/gpuprim_mpi.h"

static bool gpi_mpi_moves_alone(size_t size);
