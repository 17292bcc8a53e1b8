/* buffers.h - checks the room in buffers and their overlap, maps buffers, and copies elements. */
#pragma once
#include "api/gpuprim_mpi.h"
#include "base/error.h"

/* A range of bytes, in the outermost buffer or in the host memory that this buffer uses. */
typedef struct gpi_mpi_bytes {
    cl_mem root;
    uintptr_t host; /* address of that host memory; 0: there is none */
    size_t begin, end;
} gpi_mpi_bytes;

static size_t gpi_mpi_size_of(gp_type type);
static gp_result gpi_mpi_buffer(gp_mpi *all, size_t bytes, cl_mem *out);
static gp_result gpi_mpi_room(gp_mpi *all, const char *function, const char *name, cl_mem buffer,
                              size_t offset, size_t count, size_t size);
static cl_int gpi_mpi_bytes_of(cl_mem buffer, size_t offset, size_t count, size_t size, gpi_mpi_bytes *bytes);
static bool gpi_mpi_overlap(const gpi_mpi_bytes *a, const gpi_mpi_bytes *b);

/* Elements of a buffer, with their name in messages. */
typedef struct gpi_mpi_span {
    const char *name;
    cl_mem buffer;
    size_t offset, count, size;
} gpi_mpi_span;

static gpi_mpi_span gpi_mpi_span_of(const char *name, cl_mem buffer, size_t offset, size_t count,
                                    size_t size);
static gp_result gpi_mpi_span_end(gp_mpi *all, const char *function, gpi_mpi_span *span);
static gp_result gpi_mpi_check_written(gp_mpi *all, const char *function, const gpi_mpi_span *to,
                                       bool also_read);
static gp_result gpi_mpi_check_apart(gp_mpi *all, const char *function, const gpi_mpi_span *a,
                                     const gpi_mpi_span *to, bool in_place);
static gp_result gpi_mpi_check_args_apart(gp_mpi *all, const char *function, const gp_arg *args,
                                          size_t arg_count, const gpi_mpi_span *to);
static gp_result gpi_mpi_map(gp_mpi *all, const char *function, cl_mem buffer, cl_map_flags flags,
                             size_t offset, size_t bytes, void **out);
static gp_result gpi_mpi_unmap(gp_mpi *all, const char *function, cl_mem buffer, void *mapped);
static gp_result gpi_mpi_copy(gp_mpi *all, const char *function, cl_mem from, size_t from_byte, cl_mem to,
                              size_t to_byte, size_t bytes);
