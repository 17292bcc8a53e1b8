/* prelude.h - example values of the parameters of nest/, with which a file there compiles alone: symbols are bytes
   whose codes are in a table, indices have 4 bytes (src/nest/brackets.c, src/nest/tree.c), and stack scans add
   uints. */
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
