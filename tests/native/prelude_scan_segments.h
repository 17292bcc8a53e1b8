/* Segments by flags, in vectors. */
#include "element.h"
#define GPI_SIZE 8
#define GPI_IDENTITY_WORDS 0x00000000u, 0x00000000u
#define GPI_COMMUTATIVE 0
#define GPI_SEGMENTED 1
#define GPI_HEADS 1
#define GPI_HEAD int
#define GPI_HEADS_TYPE uchar
