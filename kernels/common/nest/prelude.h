/* prelude.h - bytes with classes from a table, indices of 4 bytes (src/nest/brackets.c, src/nest/tree.c), the
   sum of uints. */
#include "scan/prelude.h"
#undef GPI_WIDE
#define GPI_WIDE 0
#define GPI_INDEX_SIZE 4
#define GPI_KINDS 1
#define GPI_MATCH 1
#ifndef GPI_LOOKBACK
#define GPI_LOOKBACK 1
#endif
#define GPI_MEASURE 1
#define GPI_ENCLOSE 1
#define GPI_SYMBOL uchar
#define GPI_TABLE 1
#define GPI_MAP_BY_BYTE 0
#define gpi_counted(x, i) ((x) != 0)
#define GPI_SELECT 1
