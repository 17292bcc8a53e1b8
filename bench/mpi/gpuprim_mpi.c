/* gpuprim_mpi.c - the implementation of gpuprim_mpi.h, with its copies counted. */
#include "counts.h"

#define clEnqueueReadBuffer counted_read
#define clEnqueueWriteBuffer counted_write
#define clEnqueueMapBuffer counted_map
#define clEnqueueUnmapMemObject counted_unmap
#define clWaitForEvents counted_wait
#define GP_MPI_IMPLEMENTATION
#include "../../gpuprim_mpi.h"
