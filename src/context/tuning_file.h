/* tuning_file.h - the table's rows from a file. */
#pragma once
#include "api/gpuprim.h"

static gp_result gpi_tuning_open(gp_context *gp);
