/* handle.h - the handle that joins contexts of ranks. */
#pragma once
#include "api/gpuprim_mpi.h"
#include "base/error.h"

static const char *gpi_mpi_refusal(const gp_mpi *all);
