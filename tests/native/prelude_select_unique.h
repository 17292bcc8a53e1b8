/* Heads of runs, where they begin, and the end behind the last. */
#include "select.h"
#define GPI_SELECT_BY 4
#define GPI_PLAIN 1
#define GPI_ALIKE 1
static uint gpi_equal(GPI_X x, GPI_X y) { return x == y ? 1 : 0; }
#define GPI_CLOSED 1
