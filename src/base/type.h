/* type.h - scalar types and operations on them. */
#pragma once
#include "api/gpuprim.h"

/* type.c */
static size_t gpi_type_size(gp_type type);
static const char *gpi_type_cl(gp_type type);
static const char *gpi_op_macro(gp_op op);
static bool gpi_is_float(gp_type type);
static bool gpi_is_signed(gp_type type);
static gp_type gpi_operand(gp_type type);
static bool gpi_is_arg(gp_op op);
static const char *gpi_group_op_macro(gp_op op);
static gp_type gpi_sum_type(gp_type type, gp_op op);
static void gpi_identity_make(gp_type type, gp_op op, unsigned char *out);
static float gpi_float_of_half(uint16_t half);
