/* arrays.h - gathers and exchanges temporary arrays on the device. */
#pragma once
#include "api/gpuprim_mpi.h"
#include "base/error.h"
#include "base/exchange.h"

static gp_result gpi_mpi_done(gp_mpi *all, gp_result result);
static void gpi_mpi_free(cl_mem *buffer);
static gp_result gpi_mpi_read(gp_mpi *all, const char *function, cl_mem buffer, size_t offset, size_t bytes,
                              void *to);
static gp_arg gpi_mpi_value(const char *name, gp_type type, const void *value);
static gp_arg gpi_mpi_array(const char *name, gp_type type, cl_mem buffer, size_t offset);
static gp_result gpi_mpi_gathered(gp_mpi *all, cl_mem in, size_t in_offset, size_t limit, size_t size,
                                  cl_mem indices, gp_type index_type, size_t count, cl_mem *out);
static gp_result gpi_mpi_exchanged(gp_mpi *all, const char *function, const gpi_mpi_moves *moves, cl_mem from,
                                   size_t size, size_t more, cl_mem *out);
static gpi_mpi_moves gpi_mpi_moves_back(const gpi_mpi_moves *moves);
