/* data.c - element types on the host. Integers of all widths are computed with as 64-bit integers, and
   floats as doubles. This is exact: truncation commutes with every integer operation here except min and
   max, whose results are always in the type, and the floats are chosen so that no operation rounds. */
#include "data.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef union value {
    uint64_t u; /* signed integers are sign-extended */
    double f;
} value;

enum { SIGNED, UNSIGNED, FLOATING };

/* X(type, name, class, C type) */
#define TYPES(X)                         \
    X(GP_I8, "i8", SIGNED, int8_t)       \
    X(GP_U8, "u8", UNSIGNED, uint8_t)    \
    X(GP_I16, "i16", SIGNED, int16_t)    \
    X(GP_U16, "u16", UNSIGNED, uint16_t) \
    X(GP_I32, "i32", SIGNED, int32_t)    \
    X(GP_U32, "u32", UNSIGNED, uint32_t) \
    X(GP_I64, "i64", SIGNED, int64_t)    \
    X(GP_U64, "u64", UNSIGNED, uint64_t) \
    X(GP_F32, "f32", FLOATING, float)    \
    X(GP_F64, "f64", FLOATING, double)

static const struct {
    gp_type type;
    const char *name;
    int kind;
    size_t size;
} types[] = {
#define ROW(type, name, kind, c) {type, name, kind, sizeof(c)},
    TYPES(ROW)
#undef ROW
};

static const struct {
    gp_op op;
    const char *name;
} ops[] = {{GP_SUM, "sum"}, {GP_PROD, "prod"}, {GP_MIN, "min"}, {GP_MAX, "max"},
           {GP_AND, "and"}, {GP_OR, "or"},     {GP_XOR, "xor"}};

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* ------------------------------------------------------------------ names, sizes */

const char *data_type_name(gp_type type)
{
    for (size_t i = 0; i < LENGTH(types); i++)
        if (types[i].type == type) return types[i].name;
    return "?";
}

const char *data_op_name(gp_op op)
{
    for (size_t i = 0; i < LENGTH(ops); i++)
        if (ops[i].op == op) return ops[i].name;
    return "?";
}

gp_type data_type_of(const char *name)
{
    for (size_t i = 0; i < LENGTH(types); i++)
        if (strcmp(types[i].name, name) == 0) return types[i].type;
    return GP_TYPE_NONE;
}

gp_op data_op_of(const char *name)
{
    for (size_t i = 0; i < LENGTH(ops); i++)
        if (strcmp(ops[i].name, name) == 0) return ops[i].op;
    return GP_OP_NONE;
}

size_t data_size(gp_type type)
{
    for (size_t i = 0; i < LENGTH(types); i++)
        if (types[i].type == type) return types[i].size;
    return 0;
}

static int kind_of(gp_type type)
{
    for (size_t i = 0; i < LENGTH(types); i++)
        if (types[i].type == type) return types[i].kind;
    return UNSIGNED;
}

bool data_is_float(gp_type type) { return kind_of(type) == FLOATING; }

gp_type data_reduce_type(gp_type type, gp_op op)
{
    if (data_is_float(type) || (op != GP_SUM && op != GP_PROD)) return type;
    return kind_of(type) == SIGNED ? GP_I64 : GP_U64;
}

/* ------------------------------------------------------------------ elements */

static value load(gp_type type, const void *a, size_t i)
{
    value v = {0};
    switch (type) {
#define LOAD_INTEGER(T) v.u = (uint64_t)(int64_t)((const T *)a)[i]
    case GP_I8: LOAD_INTEGER(int8_t); break;
    case GP_U8: LOAD_INTEGER(uint8_t); break;
    case GP_I16: LOAD_INTEGER(int16_t); break;
    case GP_U16: LOAD_INTEGER(uint16_t); break;
    case GP_I32: LOAD_INTEGER(int32_t); break;
    case GP_U32: LOAD_INTEGER(uint32_t); break;
    case GP_I64: LOAD_INTEGER(int64_t); break;
    case GP_U64: v.u = ((const uint64_t *)a)[i]; break;
    case GP_F32: v.f = (double)((const float *)a)[i]; break;
    case GP_F64: v.f = ((const double *)a)[i]; break;
    default: break;
    }
    return v;
}

static void store(gp_type type, void *a, size_t i, value v)
{
    switch (type) {
    case GP_I8:
    case GP_U8: ((uint8_t *)a)[i] = (uint8_t)v.u; break;
    case GP_I16:
    case GP_U16: ((uint16_t *)a)[i] = (uint16_t)v.u; break;
    case GP_I32:
    case GP_U32: ((uint32_t *)a)[i] = (uint32_t)v.u; break;
    case GP_I64:
    case GP_U64: ((uint64_t *)a)[i] = v.u; break;
    case GP_F32: ((float *)a)[i] = (float)v.f; break;
    case GP_F64: ((double *)a)[i] = v.f; break;
    default: break;
    }
}

static double combine_floats(gp_op op, double a, double b)
{
    switch (op) {
    case GP_SUM: return a + b;
    case GP_PROD: return a * b;
    case GP_MIN: return a < b ? a : b;
    case GP_MAX: return a > b ? a : b;
    default: return a;
    }
}

static uint64_t combine_integers(int kind, gp_op op, uint64_t a, uint64_t b)
{
    const bool less = kind == SIGNED ? (int64_t)a < (int64_t)b : a < b;
    switch (op) {
    case GP_SUM: return a + b;
    case GP_PROD: return a * b;
    case GP_MIN: return less ? a : b;
    case GP_MAX: return less ? b : a;
    case GP_AND: return a & b;
    case GP_OR: return a | b;
    case GP_XOR: return a ^ b;
    default: return a;
    }
}

static value combine(int kind, gp_op op, value a, value b)
{
    if (kind == FLOATING) return (value){.f = combine_floats(op, a.f, b.f)};
    return (value){.u = combine_integers(kind, op, a.u, b.u)};
}

static uint64_t integer_identity(gp_type type, gp_op op)
{
    const unsigned bits = 8 * (unsigned)data_size(type);
    const uint64_t ones = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    const bool is_signed = kind_of(type) == SIGNED;
    switch (op) {
    case GP_PROD: return 1;
    case GP_AND: return UINT64_MAX;
    case GP_MIN: return is_signed ? ones >> 1 : ones;
    case GP_MAX: return is_signed ? ~(ones >> 1) : 0;
    default: return 0;
    }
}

static value identity(gp_type type, gp_op op)
{
    if (!data_is_float(type)) return (value){.u = integer_identity(type, op)};
    switch (op) {
    case GP_PROD: return (value){.f = 1};
    case GP_MIN: return (value){.f = HUGE_VAL};
    case GP_MAX: return (value){.f = -HUGE_VAL};
    default: return (value){.f = 0};
    }
}

/* ------------------------------------------------------------------ input and results */

/* The generator is splitmix64. */
uint64_t data_random_bits(uint64_t i)
{
    uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static value random_value(bool is_float, gp_op op, uint64_t i)
{
    const uint64_t bits = data_random_bits(i);
    if (!is_float) return (value){.u = op == GP_PROD ? bits | 1 : bits};
    if (op == GP_PROD) return (value){.f = bits & 1 ? 1 : -1};
    if (op == GP_SUM) return (value){.f = (double)(bits & 15) - 7.5};
    return (value){.f = (double)(bits & 0xffffff) - 0x800000};
}

void data_fill(gp_type type, gp_op op, void *out, size_t n)
{
    const bool is_float = data_is_float(type);
    for (size_t i = 0; i < n; i++) store(type, out, i, random_value(is_float, op, i));
}

void data_identity(gp_type type, gp_op op, void *out) { store(type, out, 0, identity(type, op)); }

void data_reduce(gp_type type, gp_type out_type, gp_op op, const void *in, size_t n, void *out)
{
    const int kind = kind_of(type);
    value sum = identity(out_type, op);
    for (size_t i = 0; i < n; i++) sum = combine(kind, op, sum, load(type, in, i));
    store(out_type, out, 0, sum);
}

void data_scan(gp_type type, gp_op op, const void *in, size_t n, void *out)
{
    const int kind = kind_of(type);
    value sum = identity(type, op);
    for (size_t i = 0; i < n; i++) {
        sum = combine(kind, op, sum, load(type, in, i));
        store(type, out, i, sum);
    }
}

size_t data_difference(gp_type type, const void *a, const void *b, size_t n)
{
    if (memcmp(a, b, n * data_size(type)) == 0) return n;
    const bool is_float = data_is_float(type);
    for (size_t i = 0; i < n; i++) {
        const value x = load(type, a, i), y = load(type, b, i);
        if (is_float ? !(x.f == y.f) : x.u != y.u) return i;
    }
    return n;
}

void data_print(gp_type type, const void *a, size_t i, char *text, size_t size)
{
    const value v = load(type, a, i);
    switch (kind_of(type)) {
    case FLOATING: snprintf(text, size, "%.17g", v.f); break;
    case SIGNED: snprintf(text, size, "%" PRId64, (int64_t)v.u); break;
    default: snprintf(text, size, "%" PRIu64, v.u); break;
    }
}
