/* prelude.h - keys of 4 bytes with values of 4 (src/element/key.c), and the ring of gp_sort. */
#include "base/prelude.h"
#define GPI_KEY_SIZE 4
#define GPI_KEY_FLOAT 1
#define GPI_VALUE_SIZE 4
#define GPI_CELL_WIDE 0
#define GPI_RING_ROWS 1024u
#define GPI_RING_REACH 64u
#define GPI_RING_BLOCK 32u
