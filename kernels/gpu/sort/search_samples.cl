/* search_samples.cl - the number of samples that a group keeps in local memory. */
#ifndef GPI_SORT_SEARCH_SAMPLES_CL
#define GPI_SORT_SEARCH_SAMPLES_CL

#define GPI_SEARCH_SAMPLES GPI_TILE
#ifndef GPI_ABREAST
#define GPI_ABREAST 4
#endif
#endif
