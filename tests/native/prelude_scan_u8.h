/* Sums of bytes, in vectors of bytes. */
#include "element.h"
#define GPI_SIZE 1
#define GPI_VALUE_0 uchar
#define GPI_RESULT_0 uchar
#define GPI_LANE_0 uchar
#define GPI_INDEX_0 uchar
#define GPI_Y uchar
#define GPI_IN uchar
#define GPI_OUT uchar
