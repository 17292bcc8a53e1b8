/* bin.cl - defines bins as digits. Keys are moved by their bins. */
#ifndef GPI_SORT_BIN_CL
#define GPI_SORT_BIN_CL
#include "sort/digit.cl"

typedef gpi_digit gpi_bin_map;
#define GPI_BIN_PARAMETERS GPI_DIGIT_PARAMETERS
#define GPI_BIN_SET(bin, state, when) GPI_DIGIT_SET(bin)
#endif
