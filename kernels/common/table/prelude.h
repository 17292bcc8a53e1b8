/* prelude.h - example values of the parameters of table/, with which a file there compiles alone: a column of floats,
   one of records of 12 bytes, and one of strings (src/table/keys.c); the sum of row numbers (src/table/results.c). */
#include "element/prelude.h"
#undef GPI_FIELD
#define GPI_MAPS 1
#define gpi_map_0(row) (uint)(row)
#define gpi_where_0(row) true
#define GPI_KEY_NUMBERS(use) use(0, uint, 1, float) use(1, uint, 3, bits)
#define GPI_KEY_STRINGS(use) use(2, uint)
