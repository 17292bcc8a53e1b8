/* sub_groups.h - decides whether a context's kernels may use the device's sub-groups. */
#pragma once
#include "api/gpuprim.h"

/* sub_groups.c */
static gp_result gpi_sub_groups_open(gp_context *gp);
