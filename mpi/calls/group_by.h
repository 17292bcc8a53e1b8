/* group_by.h - declares the function of group_by.c that other calls use. */
#pragma once
#include "api/gpuprim_mpi.h"

static bool gpi_mpi_moves_alone(size_t size);
