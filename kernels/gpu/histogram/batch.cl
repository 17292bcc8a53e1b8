/* batch.cl - the number of samples whose bins are searched side by side, so that reads of edges do not wait for each other. */
#ifndef GPI_HISTOGRAM_BATCH_CL
#define GPI_HISTOGRAM_BATCH_CL

#define GPI_HISTOGRAM_BATCH 4
#define GPI_FOR_BATCH(k) _Pragma("unroll") for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++)
#endif
