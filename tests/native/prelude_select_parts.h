/* Elements of 32 bits in two parts. */
#include "select.h"
#define GPI_PARTS 2
#define GPI_INDEX_OUT 0
