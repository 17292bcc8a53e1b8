/* search_samples.cl - the number of samples that a group keeps in private memory. */
#ifndef GPI_SORT_SEARCH_SAMPLES_CL
#define GPI_SORT_SEARCH_SAMPLES_CL
#include "sort/constants.cl"

#define GPI_SEARCH_SAMPLES GPI_SEARCH_SAMPLES_SERIAL /* the most that a group keeps */
#ifndef GPI_ABREAST
#define GPI_ABREAST 64
#endif
#endif
