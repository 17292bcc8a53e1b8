/* prelude.h - example values of the parameters of table/, with which a file there compiles alone: a column of floats,
   one of records of 12 bytes, and one of strings (src/table/keys.c). */
#include "base/prelude.h"
#define GPI_KEY_NUMBERS(use) use(0, uint, 1, float) use(1, uint, 3, bits)
#define GPI_KEY_STRINGS(use) use(2, uint)
