/* use.h - which calls are refused whatever they ask for: those of a forked process, and those of callbacks. */
#pragma once
#include "api/gpuprim.h"

/* use.c */
static bool gpi_forked(void);
static gp_result gpi_check_use(gp_context *gp, const char *function);
