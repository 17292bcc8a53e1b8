/* Runs of uints: sums of uints, and the keys. */
#ifndef GPI_LANES
#define GPI_LANES 1
#endif
#include "element.h"
#define GPI_SIZE 8
#define GPI_IDENTITY_WORDS 0x00000000u, 0x00000000u
#define GPI_COMMUTATIVE 0
#define GPI_SEGMENTED 1
#define GPI_HEADS 3
#define GPI_HEAD uint
#define GPI_HEADS_TYPE uint
#define GPI_HEADS_SIZE 4
#define GPI_BASE_SIZE 4
#define GPI_KEYED (!GPI_SHAPE_SERIAL)
#define GPI_KEYS_OUT 1
#define GPI_ORDERED 0
#define GPI_PLAIN 1
#define GPI_HEAD_LANE int
#define GPI_OUT_SIZE 4
#define GPI_OUT_BITS(v) as_uint16(v)
#ifndef GPI_X
#define GPI_X uint
#define GPI_KEY_OF(x) (x)
#define GPI_KEYS_OF(v) (v)
#endif
static uint gpi_equal(const GPI_X x, const GPI_X y) { return x == y ? 1 : 0; }
