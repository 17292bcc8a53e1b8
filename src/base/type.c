/* type.c - scalar types and operations on them: their names, sizes and identities. */
#include "base/type.h"

#include <string.h>

static size_t gpi_type_size(gp_type type)
{
    switch (type) {
#define GPI_TYPE_CASE(name, value, cl, bytes) \
    case name: return bytes;
        GP_TYPES(GPI_TYPE_CASE)
#undef GPI_TYPE_CASE
    default: return 0;
    }
}

static const char *gpi_type_cl(gp_type type)
{
    switch (type) {
#define GPI_TYPE_CASE(name, value, cl, bytes) \
    case name: return cl;
        GP_TYPES(GPI_TYPE_CASE)
#undef GPI_TYPE_CASE
    default: return "?";
    }
}

/* Returns the macro of an operation, one of gp_group_by's too. */
static const char *gpi_group_op_macro(gp_op op)
{
    switch (op) {
#define GPI_OP_CASE(name, value, macro) \
    case name: return macro;
        GP_OPS(GPI_OP_CASE)
#undef GPI_OP_CASE
    default: return NULL;
    }
}

static const char *gpi_op_macro(gp_op op) { return op <= GP_ARGMAX ? gpi_group_op_macro(op) : NULL; }

static bool gpi_is_float(gp_type type) { return type == GP_F16 || type == GP_F32 || type == GP_F64; }

static bool gpi_is_signed(gp_type type)
{
    return type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64;
}

/* Returns the type that values of `type` have in an expression. Halves exist only in memory; expressions see them as
   floats. */
static gp_type gpi_operand(gp_type type) { return type == GP_F16 ? GP_F32 : type; }

static bool gpi_is_arg(gp_op op) { return op == GP_ARGMIN || op == GP_ARGMAX; }

/* Returns the type of a reduction's result if the caller names none. Sums and products of integers have 64 bits, and
   sums and products of halves are floats, so that they do not overflow early. */
static gp_type gpi_sum_type(gp_type type, gp_op op)
{
    if (gpi_is_arg(op)) return GP_U64;
    if (op != GP_SUM && op != GP_PROD) return type;
    if (gpi_is_float(type)) return gpi_operand(type);
    return gpi_is_signed(type) ? GP_I64 : GP_U64;
}

static void gpi_identity_float(gp_type type, double value, unsigned char *out)
{
    const float narrow = (float)value;
    if (type == GP_F32) memcpy(out, &narrow, sizeof narrow);
    if (type == GP_F64) memcpy(out, &value, sizeof value);
}

/* Writes the low bytes of a two's complement integer. Devices and hosts of OpenCL are assumed to be little-endian. */
static void gpi_identity_integer(size_t size, uint64_t value, unsigned char *out)
{
    size_t i;
    for (i = 0; i < size; i++) out[i] = (unsigned char)(value >> (8 * i));
}

static void gpi_identity_make(gp_type type, gp_op op, unsigned char *out)
{
    const size_t size = gpi_type_size(type);
    const uint64_t ones = ~(uint64_t)0 >> (64 - 8 * size);
    const uint64_t sign = (uint64_t)1 << (8 * size - 1);
    const bool is_signed = gpi_is_signed(type);
    const double infinity = 1e308 * 10.0;
    switch (op) {
    case GP_PROD:
        if (gpi_is_float(type)) gpi_identity_float(type, 1.0, out);
        else gpi_identity_integer(size, 1, out);
        break;
    case GP_MIN:
    case GP_ARGMIN:
        if (gpi_is_float(type)) gpi_identity_float(type, infinity, out);
        else gpi_identity_integer(size, is_signed ? ones ^ sign : ones, out);
        break;
    case GP_MAX:
    case GP_ARGMAX:
        if (gpi_is_float(type)) gpi_identity_float(type, -infinity, out);
        else gpi_identity_integer(size, is_signed ? sign : 0, out);
        break;
    case GP_AND: gpi_identity_integer(size, ones, out); break;
    default: memset(out, 0, size); break; /* sum, or, xor: 0 */
    }
}

/* Converts a half to a float, exactly. */
static float gpi_float_of_half(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = half >> 10 & 31u;
    const uint32_t fraction = half & 0x3ffu;
    uint32_t bits = sign | (exponent + 112) << 23 | fraction << 13;
    float value;
    if (exponent == 31) bits = sign | 0x7f800000u | fraction << 13;
    memcpy(&value, &bits, sizeof value);
    if (exponent > 0) return value;
    value = (float)fraction / 16777216.0f; /* a subnormal half counts units of 2^-24 */
    return sign ? -value : value;
}
