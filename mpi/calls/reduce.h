/* reduce.h - a function of gp_mpi_reduce that other calls use. */
#pragma once
#include "api/gpuprim_mpi.h"

static gp_type gpi_mpi_sum_type(gp_op op, gp_type type);
