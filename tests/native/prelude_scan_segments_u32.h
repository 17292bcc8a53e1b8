/* Segments by keys as wide as the sums. */
#include "prelude_scan_segments.h"
#define GPI_LANES 1
#define GPI_HEADS 2
#define GPI_HEADS_TYPE uint
#define GPI_HEADS_SIZE 4
#define GPI_BASE_SIZE 4
#define GPI_KEYED (!GPI_SHAPE_SERIAL)
