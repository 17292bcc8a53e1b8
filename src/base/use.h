/* use.h - refuses all calls in a forked process, and calls from callbacks. */
#pragma once
#include "api/gpuprim.h"

/* use.c */
static bool gpi_forked(void);
static gp_result gpi_check_use(gp_context *gp);
