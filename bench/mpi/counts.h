/* counts.h - what a call of gpuprim_mpi.h asks of MPI, and of OpenCL's copies to and from host memory: counted and timed.

   By MPI's profiling interface: MPI_Allreduce and the others here are counts.c's, and call PMPI_Allreduce and so on. A
   function that gpuprim_mpi.h takes up needs a line in COUNTED and its like in counts.c, else its time counts as the
   device's. OpenCL's functions are replaced where gpuprim_mpi.h is compiled (gpuprim_mpi.c). */
#ifndef BENCH_MPI_COUNTS_H
#define BENCH_MPI_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../gpuprim.h"

#define COUNTED(X)            \
    X(ALLREDUCE, "allreduce") \
    X(ALLGATHER, "allgather") \
    X(ALLTOALL, "alltoall")   \
    X(ALLTOALLV, "alltoallv") \
    X(BCAST, "bcast")         \
    X(EXSCAN, "exscan")

enum {
#define COUNTED_NAME(name, text) COUNTED_##name,
    COUNTED(COUNTED_NAME)
#undef COUNTED_NAME
        COUNTED_KINDS
};

/* Of this rank. */
typedef struct counts {
    uint64_t calls[COUNTED_KINDS];
    uint64_t bytes[COUNTED_KINDS]; /* of the buffers handed over, those that are received into aside */
    uint64_t others;               /* bytes of alltoallv that go to other ranks */
    double seconds[COUNTED_KINDS];
    double waiting; /* for the last rank, before collectives: part of no other time */
    uint64_t copied;
    double copying; /* between device and host memory; mapping too */
    bool apart;     /* a barrier before each collective tells waiting from sending */
} counts;

extern counts counted;
extern const char *const counted_names[COUNTED_KINDS];

cl_int counted_read(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                    void *to, cl_uint wait_count, const cl_event *wait, cl_event *done);
cl_int counted_write(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                     const void *from, cl_uint wait_count, const cl_event *wait, cl_event *done);
void *counted_map(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset,
                  size_t bytes, cl_uint wait_count, const cl_event *wait, cl_event *done, cl_int *error);
cl_int counted_unmap(cl_command_queue queue, cl_mem buffer, void *mapped, cl_uint wait_count,
                     const cl_event *wait, cl_event *done);
cl_int counted_wait(cl_uint count, const cl_event *events);

#endif
