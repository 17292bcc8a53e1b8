/* call.c - begins and ends calls, and checks what ranks must agree on. */
#include "base/call.h"
#include "base/error.h"
#include "base/handle.h"

#include <stdio.h>
#include <string.h>

/* Begins a call. `given`: a pointer that must not be NULL. Sets *all to NULL if the call must end at once, on this rank alone;
   else the call has to end with gpi_mpi_end. Waits for the caller's commands, since the call reads what they wrote, and an
   out-of-order queue does not keep the order. */
static gp_result gpi_mpi_begin(gp_mpi **all, const char *function, const void *given, const char *name)
{
    const char *refusal = gpi_mpi_refusal(*all);
    char line[64];
    gp_mpi none;
    memset(&none, 0, sizeof none);
    if (refusal) {
        none.gp = *all ? (*all)->gp : NULL;
        *all = NULL;
        return gpi_mpi_fail(&none, GP_ERROR_INVALID_ARGUMENT, function, refusal);
    }
    (*all)->failed = false;
    (*all)->busy = true;
    if (given) return gp_finish((*all)->gp);
    (void)snprintf(line, sizeof line, "%s is NULL", name);
    return gpi_mpi_fail(*all, GP_ERROR_INVALID_ARGUMENT, function, line);
}

static gp_result gpi_mpi_end(gp_mpi *all, gp_result result)
{
    all->busy = false;
    return result;
}

static void gpi_mpi_term(gpi_mpi_terms *terms, const char *name, uint64_t value)
{
    terms->name[terms->count] = name;
    terms->value[terms->count++] = value;
}

/* Adds a term that a rank may leave out. The ranks that give it must agree. */
static void gpi_mpi_term_if(gpi_mpi_terms *terms, const char *name, uint64_t value, bool is_given)
{
    terms->any[terms->count] = !is_given;
    gpi_mpi_term(terms, name, value);
}

/* Adds a term whose value is a hash of bytes (FNV-1a). */
static void gpi_mpi_term_bytes(gpi_mpi_terms *terms, const char *name, const void *bytes, size_t size)
{
    const unsigned char *byte = (const unsigned char *)bytes;
    uint64_t value = 0xcbf29ce484222325u;
    size_t i;
    for (i = 0; i < size; i++) value = (value ^ byte[i]) * 0x100000001b3u;
    gpi_mpi_term(terms, name, value);
}

static gpi_mpi_terms gpi_mpi_terms_of(const char *function)
{
    gpi_mpi_terms terms;
    memset(&terms, 0, sizeof terms);
    gpi_mpi_term_bytes(&terms, "the call", function, strlen(function));
    return terms;
}

/* Fails on all ranks unless all ranks make the same call with the same terms; otherwise they would wait for one
   another. `result`: the result of this rank's own checks. */
static gp_result gpi_mpi_same(gp_mpi *all, const char *function, gp_result result, gpi_mpi_terms *terms)
{
    enum { GPI_MOST = sizeof terms->value / sizeof *terms->value, GPI_SECOND = 2 * GPI_MOST };
    uint64_t own[GPI_SECOND + 1], least[GPI_SECOND + 1];
    char line[128];
    int k;
    for (k = 0; k < GPI_MOST; k++) {
        own[k] = terms->any[k] ? UINT64_MAX : terms->value[k];
        own[GPI_MOST + k] = terms->any[k] ? UINT64_MAX : ~own[k];
    }
    own[GPI_SECOND] = !terms->second;
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Allreduce",
                             MPI_Allreduce(own, least, GPI_SECOND + 1, MPI_UINT64_T, MPI_MIN, all->comm));
    if (result == GP_OK) terms->second = !least[GPI_SECOND];
    for (k = 0; k < terms->count && result == GP_OK; k++) {
        if (least[k] == ~least[GPI_MOST + k]) continue;
        if (least[k] == UINT64_MAX && least[GPI_MOST + k] == UINT64_MAX) continue; /* no rank gave a value */
        all->failed = true; /* all ranks find the same difference */
        (void)snprintf(line, sizeof line, "%s differs between ranks", terms->name[k]);
        result = gpi_mpi_fail(all, GP_ERROR_INVALID_ARGUMENT, function, line);
    }
    return result;
}

/* Fails if `is` is true: the call does not support `field`, which must be zero. */
static gp_result gpi_mpi_refuse(gp_mpi *all, const char *function, bool is, const char *field)
{
    char line[128];
    if (!is) return GP_OK;
    (void)snprintf(line, sizeof line, "%s is not taken across ranks", field);
    return gpi_mpi_fail(all, GP_ERROR_INVALID_ARGUMENT, function, line);
}
