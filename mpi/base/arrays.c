/* arrays.c - gathers and exchanges temporary arrays on the device. */
#include "base/arrays.h"
#include "base/buffers.h"
#include "base/error.h"
#include "base/exchange.h"

#include <string.h>

/* Returns `result`, or, if it is GP_OK, waits for the commands and returns gp_finish's result: in an out-of-order queue the
   next call would not wait for them. */
static gp_result gpi_mpi_done(gp_mpi *all, gp_result result)
{
    return result == GP_OK ? gp_finish(all->gp) : result;
}

static void gpi_mpi_free(cl_mem *buffer)
{
    if (*buffer) (void)clReleaseMemObject(*buffer);
    *buffer = NULL;
}

static gp_result gpi_mpi_read(gp_mpi *all, const char *function, cl_mem buffer, size_t offset, size_t bytes,
                              void *to)
{
    return gpi_mpi_cl(
        all, function, "clEnqueueReadBuffer",
        clEnqueueReadBuffer(gp_cl_queue(all->gp), buffer, CL_TRUE, offset, bytes, to, 0, NULL, NULL));
}

static gp_arg gpi_mpi_value(const char *name, gp_type type, const void *value)
{
    gp_arg arg;
    memset(&arg, 0, sizeof arg);
    arg.name = name;
    arg.type = type;
    arg.value = value;
    return arg;
}

static gp_arg gpi_mpi_array(const char *name, gp_type type, cl_mem buffer, size_t offset)
{
    gp_arg arg;
    memset(&arg, 0, sizeof arg);
    arg.name = name;
    arg.type = type;
    arg.buffer = buffer;
    arg.offset = offset;
    return arg;
}

/* Creates *out with out[i] = in[indices[i]]. `limit`: elements of `in`. */
static gp_result gpi_mpi_gathered(gp_mpi *all, cl_mem in, size_t in_offset, size_t limit, size_t size,
                                  cl_mem indices, gp_type index_type, size_t count, cl_mem *out)
{
    gp_gather_desc gather;
    const gp_result result = gpi_mpi_buffer(all, count * size, out);
    if (result != GP_OK || count == 0) return result;
    memset(&gather, 0, sizeof gather);
    gather.in = in;
    gather.in_offset = in_offset;
    gather.out = *out;
    gather.indices = indices;
    gather.index_type = index_type;
    gather.element_size = size;
    gather.limit = limit;
    gather.count = count;
    return gpi_mpi_done(all, gp_gather(all->gp, &gather));
}

/* Creates *out with the elements received from all ranks, and room for `more` elements. */
static gp_result gpi_mpi_exchanged(gp_mpi *all, const char *function, const gpi_mpi_moves *moves, cl_mem from,
                                   size_t size, size_t more, cl_mem *out)
{
    const gp_result result =
        gpi_mpi_agree(all, function, gpi_mpi_buffer(all, (moves->received + more) * size, out));
    return result == GP_OK ? gpi_mpi_exchange(all, function, moves, from, *out, 0, size) : result;
}

/* Returns the moves that send the received elements back. */
static gpi_mpi_moves gpi_mpi_moves_back(const gpi_mpi_moves *moves)
{
    gpi_mpi_moves back = *moves;
    back.sends = moves->receives;
    back.sends_at = moves->receives_at;
    back.receives = moves->sends;
    back.receives_at = moves->sends_at;
    back.sent = moves->received;
    back.received = moves->sent;
    return back;
}
