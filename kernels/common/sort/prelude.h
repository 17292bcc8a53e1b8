/* prelude.h - example values of the parameters of sort/, with which a file there compiles alone: keys and values of 4
   bytes (src/element/key.c), the ring of gp_sort (sort/lookback.cl), and records. */
#include "base/prelude.h"
#define GPI_KEY_SIZE 4
#define GPI_KEY_FLOAT 1
#define GPI_VALUE_SIZE 4
#define GPI_CELL_WIDE 0
#define GPI_ENTRIES 2048
#define GPI_SAMPLED_BINS 1
#define GPI_RING_ROWS 1024u
#define GPI_RING_REACH 64u
#define GPI_RING_BLOCK 32u

/* Records of three floats, sorted by the second one (src/sort/sort_records.c). */
typedef struct gpi_example {
    float a, b, c;
} gpi_example;
#define GPI_INPUTS 1
#define GPI_IN gpi_example
#define GPI_HALF 0
#define GPI_X gpi_example
#define GPI_WORD uint
#define GPI_WORDS 3
#define GPI_RECORD_KEY(args, x, i) GPI_COLUMN_F32((x).b)
