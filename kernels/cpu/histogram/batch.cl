/* batch.cl - the number of samples whose bins are searched side by side. If edges are read, this keeps the reads from waiting for
   each other. If bins are computed, it lets compilers use vectors. */
#ifndef GPI_HISTOGRAM_BATCH_CL
#define GPI_HISTOGRAM_BATCH_CL

#if GPI_EDGES || GPI_SAMPLE_SIZE == 1
#define GPI_HISTOGRAM_BATCH 16
#define GPI_FOR_BATCH(k) _Pragma("unroll") for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++)
#else
#define GPI_HISTOGRAM_BATCH 256
#define GPI_FOR_BATCH(k) for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++)
#endif
#endif
