/* prelude.h - example values of the parameters of hash/, with which a file there compiles alone: a table of packed
   slots (src/hash/table.c), and expressions of gp_hash_for_each (src/hash/for_each.c). */
#include "base/prelude.h"
#ifndef GPI_HASH_PACKED
#define GPI_HASH_PACKED 1
#define GPI_VALUE_WIDTH 0
#endif
#define GPI_EACH_KEY int
#define GPI_EACH_KEY_OF(bits) as_int((uint)(bits))
#define GPI_EACH_VALUE float
#define GPI_EACH_VALUE_OF(bits) as_float((uint)(bits))
#define GPI_EACH_BITS(x) as_uint(x)
#define GPI_EACH_ERASE 0
static bool gpi_each_where(GPI_EACH_KEY k, GPI_EACH_VALUE v) { return k > 3 && v < 2; }
static GPI_EACH_VALUE gpi_each_map(GPI_EACH_KEY k, GPI_EACH_VALUE v) { return k * v; }
