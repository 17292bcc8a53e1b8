/* A monoid of the user's, whose function takes arguments: a value, and a buffer. */
#include "element.h"
#define GPI_SIZE 8
#define GPI_IDENTITY_WORDS 0x00000001u, 0x00000000u
#define GPI_COMMUTATIVE 0
#define GPI_LANES 1
typedef struct affine {
    uint a, b;
} affine;
static affine affine_then(affine f, affine g, uint modulus, __global const uint *table)
{
    affine h;
    h.a = f.a * g.a % modulus;
    h.b = (g.a * f.b + g.b) % table[2];
    return h;
}
typedef affine gpi_user;
#define GPI_ARGS 1
#define GPI_MONOID_ARGS 1
typedef struct gpi_args {
    uint a0;
    __global const uint *a1;
} gpi_args;
static gpi_args gpi_args_make(const uint a0, __global const uint *a1)
{
    gpi_args args;
    args.a0 = a0;
    args.a1 = a1;
    return args;
}
#define GPI_ARGS_PARAMETERS const uint gpi_a0, __global const uint *gpi_a1, ulong gpi_at1,
#define GPI_ARGS_VALUE gpi_args_make(gpi_a0, gpi_a1 + gpi_at1)
static gpi_user gpi_user_combine(const gpi_args gpi_given, gpi_user gpi_a, gpi_user gpi_b)
{
    return affine_then(gpi_a, gpi_b, gpi_given.a0, gpi_given.a1);
}
#define GPI_FIELD_COUNT 0
#define GPI_FIELDS(X)
#define GPI_Y gpi_user
#define GPI_IN gpi_user
#define GPI_OUT gpi_user
