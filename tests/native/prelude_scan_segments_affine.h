/* A monoid of the user's in segments by keys, in reverse. */
#include "prelude_affine.h"
#define GPI_SIZE 12
#define GPI_IDENTITY_WORDS 0x00000001u, 0x00000000u, 0x00000000u
#define GPI_REVERSE 1
#define GPI_SEGMENTED 1
#define GPI_HEADS 2
#define GPI_HEAD int
#define GPI_HEADS_TYPE float
