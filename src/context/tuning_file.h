/* tuning_file.h - reads rows of the tuning table from a file. */
#pragma once
#include "api/gpuprim.h"

static gp_result gpi_tuning_open(gp_context *gp);
