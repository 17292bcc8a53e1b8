/* prelude.h - example values of the parameters of select/, with which a file there compiles alone: selects uints by an
   expression, and writes their indices, too (src/select/compact.c). */
#include "scan/prelude.h"
#undef GPI_OUT
#undef GPI_VALUE_SIZE
#define GPI_NUMBER uint
#define GPI_SELECT_BY 1
#define GPI_PARTS 1
#define GPI_SINGLES 1
#define GPI_PLAIN 0
#define GPI_ALIKE 0
#define GPI_X uint
#define GPI_IN_NUMBER 1
#define GPI_RECORD uint
#define GPI_RECORD_SIZE 4
static uint gpi_predicate(GPI_X x, ulong i) { return x % 3 == 0 ? 1 : 0; }
#define GPI_OUT 1
#define GPI_INDEX_OUT 1
#define GPI_CLOSED 0
#define GPI_LENGTHS 0
#define GPI_PLACE uint
#define GPI_PLACE_SIZE 4
#define GPI_VALUE_SIZE 0
#define GPI_ELEMENT uchar
#define GPI_OFFSET ulong
#define GPI_RUN_INDEX uint
#define GPI_WANTS_KEYS 1
#define GPI_WANTS_RUNS 1
#define GPI_WANTS_POSITIONS 1
