/* prelude.h - example values of the parameters of table/, with which a file there compiles alone: a column of floats,
   one of records of 12 bytes, and one of strings (src/table/keys.c); the sum of row numbers (src/table/results.c); pairs with right
   rows (src/table/join.c). */
#include "element/prelude.h"
#undef GPI_FIELD
#define GPI_MAPS 1
#define gpi_map_0(row) (uint)(row)
#define gpi_where_0(row) true
#define GPI_KEY_NUMBERS(use, t) use(t, 0, uint, 1, float) use(t, 1, uint, 3, bits)
#define GPI_KEY_STRINGS(use, t) use(t, 2, uint)
#undef GPI_ELEMENT
#undef GPI_OFFSET
#define GPI_ELEMENT uint
#define GPI_OFFSET ulong
#define GPI_RUN_INDEX uint
#define GPI_WANTS_KEYS 0
#define GPI_WANTS_RUNS 1
#define GPI_WANTS_POSITIONS 1
