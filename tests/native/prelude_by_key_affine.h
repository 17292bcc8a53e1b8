/* A monoid of the user's, not commutative, of runs of records; their keys are not wanted. It takes arguments. */
#include "prelude_affine_args.h"
#define GPI_SIZE 12
#define GPI_IDENTITY_WORDS 0x00000001u, 0x00000000u, 0x00000000u
#define GPI_SEGMENTED 1
#define GPI_HEADS 3
#define GPI_HEAD uint
#define GPI_HEADS_TYPE uint4
#define GPI_HEADS_SIZE 16
#define GPI_BASE_SIZE 8
#define GPI_KEYED (!GPI_SHAPE_SERIAL)
#define GPI_KEYS_OUT 0
#define GPI_ORDERED 0
#define GPI_X uint4
#define GPI_KEY_OF(x) (x)
static uint gpi_equal(const gpi_args args, const GPI_X x, const GPI_X y)
{
    return all(x == y) || x.s0 == args.a0 ? 1 : 0;
}
