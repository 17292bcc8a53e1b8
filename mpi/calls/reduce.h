/* reduce.h - declares the function of reduce.c that other calls use. */
#pragma once
#include "api/gpuprim_mpi.h"

static gp_type gpi_mpi_sum_type(gp_op op, gp_type type);
