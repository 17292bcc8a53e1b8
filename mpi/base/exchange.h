/* exchange.h - exchanges elements between ranks. */
#pragma once
#include "api/gpuprim_mpi.h"
#include "base/error.h"

/* The numbers and positions of elements that move from this rank to each rank, and from each rank to this one, in the
   order of ranks and of elements within a rank. A rank's own position is between those of lower and higher ranks, even
   if the rank sends no elements to itself. */
typedef struct gpi_mpi_moves {
    int *sends, *sends_at, *receives, *receives_at; /* for each rank */
    int *side;                                      /* the four arrays for the side that is being exchanged */
    size_t sent, received; /* numbers of elements that this rank sends and receives */
} gpi_mpi_moves;

static size_t gpi_mpi_moves_ints(const gp_mpi *all);
static size_t gpi_mpi_moves_bytes(const gp_mpi *all);
static void gpi_mpi_moves_at(const gp_mpi *all, gpi_mpi_moves *moves, int *memory);
static gp_result gpi_mpi_moves_tell(gp_mpi *all, const char *function, gpi_mpi_moves *moves);
static gp_result gpi_mpi_exchange(gp_mpi *all, const char *function, const gpi_mpi_moves *moves, cl_mem from,
                                  cl_mem to, size_t to_offset, size_t size);
