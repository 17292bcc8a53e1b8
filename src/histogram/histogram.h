/* histogram.h */
#pragma once
#include "api/gpuprim.h"

/* histogram.c */
static gp_result gpi_histogram_warm_up(gp_context *gp, const gp_histogram_desc *desc);
