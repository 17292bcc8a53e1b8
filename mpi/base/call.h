/* call.h - begins and ends calls, and checks what ranks must agree on. */
#pragma once
#include "api/gpuprim_mpi.h"
#include "base/error.h"

/* The fields that ranks must agree on, each as a number. The first is the call. */
typedef struct gpi_mpi_terms {
    const char *name[10];
    uint64_t value[10];
    bool any[10]; /* this rank gives no value, and accepts any value of other ranks */
    int count;
    bool second; /* this rank has a second input; after gpi_mpi_same: any rank has one */
} gpi_mpi_terms;

#define GPI_MPI_REFUSE(field)                                                                            \
    do {                                                                                                 \
        if (result == GP_OK) result = gpi_mpi_refuse(all, function, desc->field ? true : false, #field); \
    } while (0)
#define GPI_MPI_REFUSE_COMMON     \
    GPI_MPI_REFUSE(count_buffer); \
    GPI_MPI_REFUSE(scratch);      \
    GPI_MPI_REFUSE(wait_count);   \
    GPI_MPI_REFUSE(done)

static gp_result gpi_mpi_begin(gp_mpi **all, const char *function, const void *given, const char *name);
static gp_result gpi_mpi_end(gp_mpi *all, gp_result result);
static void gpi_mpi_term(gpi_mpi_terms *terms, const char *name, uint64_t value);
static void gpi_mpi_term_if(gpi_mpi_terms *terms, const char *name, uint64_t value, bool is_given);
static void gpi_mpi_term_bytes(gpi_mpi_terms *terms, const char *name, const void *bytes, size_t size);
static gpi_mpi_terms gpi_mpi_terms_of(const char *function);
static gp_result gpi_mpi_refuse(gp_mpi *all, const char *function, bool is, const char *field);
static gp_result gpi_mpi_same(gp_mpi *all, const char *function, gp_result result, gpi_mpi_terms *terms);
