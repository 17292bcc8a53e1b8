/* map.h - warm-ups of maps, gathers, random numbers and stencils. */
#pragma once
#include "api/gpuprim.h"

/* map.c */
static gp_result gpi_map_warm_up(gp_context *gp, const gp_warmup_desc *desc);

/* gather.c */
static gp_result gpi_gather_warm_up(gp_context *gp, const gp_warmup_desc *desc);

/* random.c */
static gp_result gpi_random_warm_up(gp_context *gp, const gp_random_desc *desc);

/* stencil.c */
static gp_result gpi_stencil_warm_up(gp_context *gp, const gp_stencil_desc *desc);
