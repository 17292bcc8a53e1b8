/* counts.c - MPI's collectives and OpenCL's copies, each with its count, its bytes and its time. */
#include "counts.h"

#include <mpi.h>

#include <string.h>

counts counted;

const char *const counted_names[COUNTED_KINDS] = {
#define COUNTED_TEXT(name, text) text,
    COUNTED(COUNTED_TEXT)
#undef COUNTED_TEXT
};

/* ------------------------------------------------------------------ MPI */

static uint64_t bytes_of(uint64_t count, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    return count * (uint64_t)size;
}

/* When the collective itself begins. */
static double begin(MPI_Comm comm)
{
    const double now = PMPI_Wtime();
    if (!counted.apart) return now;
    PMPI_Barrier(comm);
    counted.waiting += PMPI_Wtime() - now;
    return PMPI_Wtime();
}

static int end(int kind, uint64_t bytes, double began, int result)
{
    counted.seconds[kind] += PMPI_Wtime() - began;
    counted.calls[kind]++;
    counted.bytes[kind] += bytes;
    return result;
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const double began = begin(comm);
    return end(COUNTED_ALLREDUCE, bytes_of((uint64_t)count, type), began,
               PMPI_Allreduce(from, to, count, type, op, comm));
}

int MPI_Allgather(const void *from, int count, MPI_Datatype type, void *to, int to_count,
                  MPI_Datatype to_type, MPI_Comm comm)
{
    const double began = begin(comm);
    return end(COUNTED_ALLGATHER, bytes_of((uint64_t)count, type), began,
               PMPI_Allgather(from, count, type, to, to_count, to_type, comm));
}

int MPI_Alltoall(const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type,
                 MPI_Comm comm)
{
    const double began = begin(comm);
    int ranks;
    PMPI_Comm_size(comm, &ranks);
    return end(COUNTED_ALLTOALL, bytes_of((uint64_t)count * (uint64_t)ranks, type), began,
               PMPI_Alltoall(from, count, type, to, to_count, to_type, comm));
}

int MPI_Alltoallv(const void *from, const int *counts_of, const int *at, MPI_Datatype type, void *to,
                  const int *to_counts, const int *to_at, MPI_Datatype to_type, MPI_Comm comm)
{
    const double began = begin(comm);
    uint64_t count = 0;
    int ranks, rank, r;
    PMPI_Comm_size(comm, &ranks);
    PMPI_Comm_rank(comm, &rank);
    for (r = 0; r < ranks; r++) count += (uint64_t)counts_of[r];
    counted.others += bytes_of(count - (uint64_t)counts_of[rank], type);
    return end(COUNTED_ALLTOALLV, bytes_of(count, type), began,
               PMPI_Alltoallv(from, counts_of, at, type, to, to_counts, to_at, to_type, comm));
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    const double began = begin(comm);
    return end(COUNTED_BCAST, bytes_of((uint64_t)count, type), began,
               PMPI_Bcast(buffer, count, type, root, comm));
}

int MPI_Exscan(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const double began = begin(comm);
    return end(COUNTED_EXSCAN, bytes_of((uint64_t)count, type), began,
               PMPI_Exscan(from, to, count, type, op, comm));
}

/* ------------------------------------------------------------------ OpenCL */

/* gpuprim_mpi.h has waited for the device before it maps, reads or writes, so that no computing is in these times. */
cl_int counted_read(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                    void *to, cl_uint wait_count, const cl_event *wait, cl_event *done)
{
    const double began = PMPI_Wtime();
    const cl_int result =
        clEnqueueReadBuffer(queue, buffer, blocking, offset, bytes, to, wait_count, wait, done);
    counted.copying += PMPI_Wtime() - began;
    counted.copied += bytes;
    return result;
}

cl_int counted_write(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                     const void *from, cl_uint wait_count, const cl_event *wait, cl_event *done)
{
    const double began = PMPI_Wtime();
    const cl_int result =
        clEnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, from, wait_count, wait, done);
    counted.copying += PMPI_Wtime() - began;
    counted.copied += bytes;
    return result;
}

void *counted_map(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset,
                  size_t bytes, cl_uint wait_count, const cl_event *wait, cl_event *done, cl_int *error)
{
    const double began = PMPI_Wtime();
    void *const mapped =
        clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, bytes, wait_count, wait, done, error);
    counted.copying += PMPI_Wtime() - began;
    counted.copied += flags == (CL_MAP_READ | CL_MAP_WRITE) ? 2 * bytes : bytes; /* there and back */
    return mapped;
}

cl_int counted_unmap(cl_command_queue queue, cl_mem buffer, void *mapped, cl_uint wait_count,
                     const cl_event *wait, cl_event *done)
{
    const double began = PMPI_Wtime();
    const cl_int result = clEnqueueUnmapMemObject(queue, buffer, mapped, wait_count, wait, done);
    counted.copying += PMPI_Wtime() - began;
    return result;
}

cl_int counted_wait(cl_uint count, const cl_event *events)
{
    const double began = PMPI_Wtime();
    const cl_int result = clWaitForEvents(count, events);
    counted.copying += PMPI_Wtime() - began;
    return result;
}
