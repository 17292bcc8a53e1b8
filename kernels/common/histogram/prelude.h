/* prelude.h - example values of the parameters of histogram/, with which a file there compiles alone: floats in bins
   between edges, with weights (src/histogram/histogram.c). */
#include "base/prelude.h"
#define GPI_INPUTS 1
#define GPI_MAPPED 0
#define GPI_IN float
#define GPI_IN_HALF 0
#define GPI_SAMPLE float
#define GPI_OPERAND float
#define GPI_SAMPLE_SIZE 4
#define GPI_SAMPLE_FLOAT 1
#define GPI_SAMPLE_HALF 0
#define GPI_CHANNELS 1
#define GPI_EDGES 1
#define GPI_WEIGHTS 1
#define GPI_WEIGHT short
#define GPI_COUNT_WIDE 0
#define GPI_NEAR_CELLS 4096
