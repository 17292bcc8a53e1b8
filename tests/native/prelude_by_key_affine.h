/* A monoid of the user's, not commutative, of runs of records; their keys are not wanted. */
#include "prelude_affine.h"
#define GPI_SIZE 12
#define GPI_IDENTITY_WORDS 0x00000001u, 0x00000000u, 0x00000000u
#define GPI_SEGMENTED 1
#define GPI_HEADS 3
#define GPI_HEAD uint
#define GPI_HEADS_TYPE uint4
#define GPI_HEADS_SIZE 16
#define GPI_BASE_SIZE 8
#define GPI_KEYED GPI_SHAPE_LOCAL
#define GPI_KEYS_OUT 0
#define GPI_ORDERED 0
#define GPI_X uint4
#define GPI_KEY_OF(x) (x)
static uint gpi_equal(const GPI_X x, const GPI_X y) { return all(x == y) ? 1 : 0; }
