/* gpuprim_mpi.h - gpuprim's calls on arrays that lie across the ranks of an MPI communicator, for C99.

   Put this in exactly one C or C++ file, and only include the header everywhere else:

       #define GP_MPI_IMPLEMENTATION
       #include "gpuprim_mpi.h"

   One file, this one or another, has gpuprim.h's implementation. A call looks like this:

       gp_mpi *all;
       gp_scan_desc part = { .in = a, .out = b, .count = own, .type = GP_U32, .op = GP_SUM };
       if (gp_mpi_create(gp, MPI_COMM_WORLD, &all) != GP_OK) puts(gp_last_error(gp));
       if (gp_mpi_scan(all, &part) != GP_OK) puts(gp_last_error(gp));

   RULES THAT HOLD FOR EVERY CALL
     - The array is the ranks' parts one after the other, in the order of ranks. Parts may differ in length, and be
       empty. A desc is the device's own, and says what this rank's part is and where it lies; types, operations and
       options in it are the same on all ranks, else the call fails.
     - All ranks of the communicator make the same calls in the same order. A call begins with gp_finish, and returns when
       its result is there.
     - Fields that have no meaning across ranks stay zero: count_buffer, scratch, wait, done, and those that a call names.
     - An error on one rank ends the call on all of them, with the same result, and gp_last_error tells which rank it
       was and why. If MPI itself fails, the result is GP_ERROR_MPI; a rank that dies is MPI's affair (mpirun ends the
       others).
     - Buffers of OpenCL have no addresses that an MPI could take, so what is sent goes through host memory: buffers are
       mapped, which on CPUs copies nothing. Outputs must allow that: no CL_MEM_HOST_READ_ONLY, no CL_MEM_HOST_NO_ACCESS.

   The lines in the comments of calls are gpuprim.h's; "part" is this rank's part.

   OPTIONS (define before including)
     GP_MPI_IMPLEMENTATION   emit the implementation here
     GP_STATIC               as in gpuprim.h: both implementations are in this file then, and static

   Licence: MIT, see LICENSE. */
#ifndef GPUPRIM_MPI_H
#define GPUPRIM_MPI_H

#include "gpuprim.h"

#include <mpi.h>

#ifdef GP_STATIC
#define GP_MPI_API GP_API
#else
#define GP_MPI_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A context of each rank, and a communicator that joins them. */
typedef struct gp_mpi gp_mpi;

/* Joins the ranks' contexts. `comm` is duplicated, and may be used for anything else. gp stays the caller's, and is
   destroyed after *out. On failure *out is NULL, on all ranks. Collective. */
GP_MPI_API gp_result gp_mpi_create(gp_context *gp, MPI_Comm comm, gp_mpi **out);

/* Accepts NULL. Collective; before MPI_Finalize. */
GP_MPI_API void gp_mpi_destroy(gp_mpi *all);

/* Where a part lies in the whole: elements [first, first + count) of total. */
typedef struct gp_mpi_part {
    uint64_t first, count, total;
} gp_mpi_part;

/* The even part of an array whose parts have `count` elements now: where gp_mpi_sort leaves them. Parts differ by one
   element at most, and the first ones are the longer ones. Collective. */
GP_MPI_API gp_result gp_mpi_share(gp_mpi *all, size_t count, gp_mpi_part *part);

/* result = initial . in[0] . in[1] ... in[total-1]        . is op or monoid

   Reduces an array across ranks, as gp_reduce_read does; with `map`, of map(in[i]), where i counts from the part's first
   element.

   Result: one element of out_type in host memory, on every rank. desc->out stays NULL.
   Order: each part as by gp_reduce, then the parts' results, as elements of out_type: float results repeat bit for bit
     for the same parts on the same devices. All ranks get the same bits. With `compensated` each part's sum is rounded.
   Count 0: a part without elements counts for nothing; without any the result is `initial`.
   Cost: reads the part once, then sends one element to every rank.
   Limits: no ops, argmin, argmax. */
GP_MPI_API gp_result gp_mpi_reduce(gp_mpi *all, const gp_reduce_desc *desc, void *result);

/* out[i] = initial . in[0] ... in[i]        . is op or monoid; in the whole array; exclusive and reverse as in gp_scan

   Scans an array across ranks: each part's total is reduced, the totals of all ranks are scanned, and the part goes on from
   there.

   Result, aliasing: those of gp_scan. A map's i counts from the part's first element. With GP_F16 what is before a part
     is rounded to it.
   Cost: reads the part twice and writes it once; sends one element to every rank. (Not MPI_Exscan: a monoid is text for
     the device.)
   Limits: no segments, argmin, argmax. */
GP_MPI_API gp_result gp_mpi_scan(gp_mpi *all, const gp_scan_desc *desc);

/* out[b] = how many samples of the whole array are in bin b; with `weights`, the sum of their weights

   Result: the whole array's counts in `out`, on every rank. `bins`, out_type, bounds and edges are the same on all ranks.
   Cost: gp_histogram's, then all counts are sent and added up.
   Limits: 2^31 - 1 counts; no `accumulate`. */
GP_MPI_API gp_result gp_mpi_histogram(gp_mpi *all, const gp_histogram_desc *desc);

/* Selects elements of an array across ranks, as gp_select does, and divides them evenly.

   Result: the part's elements of the selection in `out`, which has room for gp_mpi_share's count of the parts' counts;
     *part, if not NULL, says where they lie in the whole. indices_out and count_out stay NULL.
   Order: that of the whole array; stable. A predicate's i counts from the part's first element.
   Aliasing: as in gp_select.
   Cost: gp_select's; then each selected element is sent once. Memory for a copy of the part on the device.
   Limits: 2^31 - 1 elements in a part; no `indices`. */
GP_MPI_API gp_result gp_mpi_select(gp_mpi *all, const gp_select_desc *desc, gp_mpi_part *part);

/* Sorts an array across ranks: the ranks' parts one after the other are then in order, and even (gp_mpi_share).

   Result: the part's new elements in keys_out and values_out, or in place in `keys` and `values`, which have room for
     gp_mpi_share's count; *part, if not NULL, says where they lie in the whole.
   Order: as by gp_sort, `descending` included; stable: equal keys stay in the order of ranks, and within a part in its
     order. Exact whatever the keys are: parts are even when all keys are equal, too.
   Aliasing: as in gp_sort.
   Cost: gp_sort; 2 * bits / 8 rounds, in which 15 keys for each other rank are searched, and the counts added up in one
     MPI_Allreduce; each element is sent once; gp_sort of what has come. Memory for a copy of the part on the device.
   Limits: 2^31 - 1 elements in a part, before and after. All bits of a key: begin_bit and end_bit stay 0. keys_tmp and
     values_tmp stay NULL.
   Source: Siebert & Wolf 2011 (exact splitting). */
GP_MPI_API gp_result gp_mpi_sort(gp_mpi *all, const gp_sort_desc *desc, gp_mpi_part *part);

/* keys_out[g] = a key        out[g] = initial . all elements of `in` with that key        . is op or monoid

   Groups elements by key across ranks, wherever they are: each rank groups its part, sends the groups to where they belong,
   and puts together what has come.

   Result: the part's groups, in ascending order of keys over all ranks; each key is on one rank. *part, if not NULL, says
     where they lie among all groups. Ranks receive about as many groups each, before equal keys are put together. keys_out
     and out have room for gp_mpi_share's count and one more for each other rank. count_out stays NULL.
   Order: of the elements of a group: ranks, and within a part its order. A map's i has no meaning. Each rank's result of
     a group is an element of out_type: with GP_F16 it is rounded there (in gp_mpi_reduce, too).
   Aliasing: as in gp_reduce_by_key.
   Cost: gp_sort and gp_reduce_by_key of the part, then of the groups that have come; in between gp_mpi_sort's rounds, and each
     rank's groups are sent once. Memory for two copies of the part on the device.
   Limits: 2^31 - 1 elements in a part. Keys of integer types; no key_size, key_record, equal, argmin, argmax; elements
     of `in` and results of 1, 2, 4, 8 or 16 bytes. */
GP_MPI_API gp_result gp_mpi_group_by(gp_mpi *all, const gp_reduce_by_key_desc *desc, gp_mpi_part *part);

#ifdef __cplusplus
}
#endif

#ifdef GP_MPI_IMPLEMENTATION
#ifndef GPI_MPI_IMPLEMENTATION_ONCE
#define GPI_MPI_IMPLEMENTATION_ONCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef GP_MALLOC
#define GPI_MPI_MALLOC(bytes) GP_MALLOC(bytes)
#define GPI_MPI_FREE(memory) GP_FREE(memory)
#else
#define GPI_MPI_MALLOC(bytes) malloc(bytes)
#define GPI_MPI_FREE(memory) free(memory)
#endif

/* Bytes: of a text of ours, of one that a failed call left, such as a compiler's. */
enum { GPI_MPI_TEXT = 512, GPI_MPI_LOG = 8192 };
enum { GPI_MPI_DIGIT = 4, GPI_MPI_CANDIDATES = (1 << GPI_MPI_DIGIT) - 1 };

struct gp_mpi {
    gp_context *gp;
    MPI_Comm comm;
    int rank, ranks;
    bool failed; /* this call has, on all ranks */
};

/* ------------------------------------------------------------------ errors */

static gp_result gpi_mpi_fail(gp_mpi *all, gp_result result, const char *function, const char *text)
{
    char line[2 * GPI_MPI_TEXT];
    (void)snprintf(line, sizeof line, "%s: %s", function, text);
    return gp_set_error(all->gp, result, line);
}

/* What an MPI function has returned. */
static gp_result gpi_mpi_did(gp_mpi *all, const char *function, const char *call, int code)
{
    char line[GPI_MPI_TEXT], reason[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == MPI_SUCCESS) return GP_OK;
    (void)MPI_Error_string(code, reason, &length);
    (void)snprintf(line, sizeof line, "%s returned %d: %.*s", call, code, 300, reason);
    return gpi_mpi_fail(all, GP_ERROR_MPI, function, line);
}

static gp_result gpi_mpi_cl(gp_mpi *all, const char *function, const char *call, cl_int error)
{
    char line[GPI_MPI_TEXT];
    gp_result result = GP_ERROR_OPENCL;
    if (error == CL_SUCCESS) return GP_OK;
    if (error == CL_OUT_OF_HOST_MEMORY) result = GP_ERROR_OUT_OF_HOST_MEMORY;
    if (error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES)
        result = GP_ERROR_OUT_OF_DEVICE_MEMORY;
    (void)snprintf(line, sizeof line, "%s returned %s (%d)", call, gp_cl_error_string(error), (int)error);
    return gpi_mpi_fail(all, result, function, line);
}

/* The same result on all ranks: the failure of the lowest rank that has one, with its text. Every collective of a call comes
   after one of these, so that a rank that fails keeps nobody waiting. A failure is agreed on once; then the call ends. */
static gp_result gpi_mpi_agree(gp_mpi *all, const char *function, gp_result result)
{
    struct {
        int failed, rank;
    } own, first;
    char text[GPI_MPI_LOG] = "", line[GPI_MPI_LOG + 64];
    gp_result sent = result;
    int told = (int)result;
    if (all->failed) return result;
    own.failed = result == GP_OK; /* 0 comes first */
    own.rank = all->rank;
    sent = gpi_mpi_did(all, function, "MPI_Allreduce",
                       MPI_Allreduce(&own, &first, 1, MPI_2INT, MPI_MINLOC, all->comm));
    if (sent != GP_OK) return result != GP_OK ? result : sent;
    if (first.failed == 1) return GP_OK;
    all->failed = true;
    if (first.rank == all->rank) {
        const char *reason = gp_last_error(all->gp);
        const char *after = strstr(reason, ": "); /* the result's name, which gp_set_error writes again */
        (void)snprintf(text, sizeof text, "%.*s", GPI_MPI_LOG - 1, after ? after + 2 : reason);
    }
    sent = gpi_mpi_did(all, function, "MPI_Bcast", MPI_Bcast(&told, 1, MPI_INT, first.rank, all->comm));
    if (sent == GP_OK)
        sent = gpi_mpi_did(all, function, "MPI_Bcast",
                           MPI_Bcast(text, (int)sizeof text, MPI_CHAR, first.rank, all->comm));
    if (sent != GP_OK) return sent;
    (void)snprintf(line, sizeof line, "rank %d of %d: %s", first.rank, all->ranks, text);
    return gp_set_error(all->gp, (gp_result)told, line);
}

/* ------------------------------------------------------------------ handle */

GP_MPI_API gp_result gp_mpi_create(gp_context *gp, MPI_Comm comm, gp_mpi **out)
{
    static const char function[] = "gp_mpi_create";
    gp_mpi made, *all;
    gp_result result = GP_OK;
    memset(&made, 0, sizeof made);
    made.gp = gp;
    if (out) *out = NULL;
    result = gpi_mpi_did(&made, function, "MPI_Comm_dup", MPI_Comm_dup(comm, &made.comm));
    if (result != GP_OK) return result;
    (void)MPI_Comm_set_errhandler(made.comm, MPI_ERRORS_RETURN);
    (void)MPI_Comm_rank(made.comm, &made.rank);
    (void)MPI_Comm_size(made.comm, &made.ranks);
    all = (gp_mpi *)GPI_MPI_MALLOC(sizeof *all);
    if (!gp || !out)
        result = gpi_mpi_fail(&made, GP_ERROR_INVALID_ARGUMENT, function, gp ? "out is NULL" : "gp is NULL");
    else if (!all) result = gpi_mpi_fail(&made, GP_ERROR_OUT_OF_HOST_MEMORY, function, "no memory");
    result = gpi_mpi_agree(&made, function, result);
    if (result != GP_OK) {
        (void)MPI_Comm_free(&made.comm);
        GPI_MPI_FREE(all);
        return result;
    }
    *all = made;
    *out = all;
    return GP_OK;
}

GP_MPI_API void gp_mpi_destroy(gp_mpi *all)
{
    if (!all) return;
    (void)MPI_Comm_free(&all->comm);
    GPI_MPI_FREE(all);
}

/* ------------------------------------------------------------------ what calls share */

/* How a call begins. `given`: a pointer that must not be NULL. Commands of the caller's on an out-of-order queue have ended,
   too, before the call reads what they wrote. */
static gp_result gpi_mpi_begin(gp_mpi *all, const char *function, const void *given, const char *name)
{
    gp_mpi none;
    char line[64];
    (void)snprintf(line, sizeof line, "%s is NULL", all ? name : "all");
    if (all) all->failed = false;
    if (all && given) return gp_finish(all->gp);
    memset(&none, 0, sizeof none);
    return gpi_mpi_fail(all ? all : &none, GP_ERROR_INVALID_ARGUMENT, function, line);
}

/* What ranks must agree on, as one number. */
static uint64_t gpi_mpi_sign(uint64_t sign, uint64_t x)
{
    return (sign ^ x) * 0x100000001b3u + 0x9e3779b97f4a7c15u;
}

/* Whether all ranks make the same call with the same types and options: else they would wait for one another. `result` is
   what this rank thinks of its arguments. */
static gp_result gpi_mpi_same(gp_mpi *all, const char *function, gp_result result, uint64_t sign)
{
    uint64_t own[2], least[2] = {0, 0};
    const char *at = function;
    while (*at) sign = gpi_mpi_sign(sign, (uint64_t)*at++);
    own[0] = sign;
    own[1] = ~sign;
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Allreduce",
                             MPI_Allreduce(own, least, 2, MPI_UINT64_T, MPI_MIN, all->comm));
    if (result == GP_OK && least[0] != ~least[1]) {
        all->failed = true; /* all ranks see it */
        result = gpi_mpi_fail(all, GP_ERROR_INVALID_ARGUMENT, function,
                              "types or options of the descs, or the calls, differ between ranks");
    }
    return result;
}

/* A field that must stay zero does not. */
static gp_result gpi_mpi_refuse(gp_mpi *all, const char *function, bool is, const char *field)
{
    char line[128];
    if (!is) return GP_OK;
    (void)snprintf(line, sizeof line, "%s is not taken across ranks", field);
    return gpi_mpi_fail(all, GP_ERROR_INVALID_ARGUMENT, function, line);
}

#define GPI_MPI_REFUSE(field)                                                                            \
    do {                                                                                                 \
        if (result == GP_OK) result = gpi_mpi_refuse(all, function, desc->field ? true : false, #field); \
    } while (0)
#define GPI_MPI_REFUSE_COMMON     \
    GPI_MPI_REFUSE(count_buffer); \
    GPI_MPI_REFUSE(scratch);      \
    GPI_MPI_REFUSE(wait_count);   \
    GPI_MPI_REFUSE(done)

/* Bytes of an element; 0: not a type. */
static size_t gpi_mpi_size_of(gp_type type)
{
    switch (type) {
#define GPI_MPI_TYPE_CASE(name, value, cl, bytes) \
    case name: return bytes;
        GP_TYPES(GPI_MPI_TYPE_CASE)
#undef GPI_MPI_TYPE_CASE
    default: return 0;
    }
}

static gp_result gpi_mpi_buffer(gp_mpi *all, size_t bytes, cl_mem *out)
{
    return gp_buffer_create(all->gp, bytes ? bytes : 1, NULL, out);
}

/* Is there room for `count` elements of `size` bytes? */
static gp_result gpi_mpi_room(gp_mpi *all, const char *function, const char *name, cl_mem buffer,
                              size_t offset, size_t count, size_t size)
{
    char line[128];
    size_t bytes = 0;
    gp_result result = GP_OK;
    if (count == 0) return GP_OK;
    if (buffer)
        result = gpi_mpi_cl(all, function, "clGetMemObjectInfo",
                            clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL));
    if (result != GP_OK || (buffer && bytes / size >= count && bytes / size - count >= offset)) return result;
    (void)snprintf(line, sizeof line,
                   "%s has %zu bytes, too few for offset %zu and %zu elements of %zu bytes", name, bytes,
                   offset, count, size);
    return gpi_mpi_fail(all, GP_ERROR_INVALID_BUFFER, function, line);
}

static gp_result gpi_mpi_map(gp_mpi *all, const char *function, cl_mem buffer, cl_map_flags flags,
                             size_t offset, size_t bytes, void **out)
{
    cl_int error;
    *out = NULL;
    if (bytes == 0) return GP_OK;
    *out = clEnqueueMapBuffer(gp_cl_queue(all->gp), buffer, CL_TRUE, flags, offset, bytes, 0, NULL, NULL,
                              &error);
    return gpi_mpi_cl(all, function, "clEnqueueMapBuffer", error);
}

static gp_result gpi_mpi_unmap(gp_mpi *all, const char *function, cl_mem buffer, void *mapped)
{
    cl_event event;
    cl_int error;
    if (!mapped) return GP_OK;
    error = clEnqueueUnmapMemObject(gp_cl_queue(all->gp), buffer, mapped, 0, NULL, &event);
    if (error == CL_SUCCESS) {
        error = clWaitForEvents(1, &event);
        (void)clReleaseEvent(event);
    }
    return gpi_mpi_cl(all, function, "clEnqueueUnmapMemObject", error);
}

/* The ranks' values of `size` bytes, in the order of ranks, in a new buffer. */
static gp_result gpi_mpi_gather(gp_mpi *all, const char *function, const void *value, size_t size,
                                cl_mem *out)
{
    char *values = (char *)GPI_MPI_MALLOC(size * (size_t)all->ranks);
    gp_result result = GP_OK;
    *out = NULL;
    if (!values) result = gpi_mpi_fail(all, GP_ERROR_OUT_OF_HOST_MEMORY, function, "no memory");
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Allgather",
                             MPI_Allgather((void *)(uintptr_t)value, (int)size, MPI_BYTE, values, (int)size,
                                           MPI_BYTE, all->comm));
    if (result == GP_OK) result = gp_buffer_create(all->gp, size * (size_t)all->ranks, values, out);
    GPI_MPI_FREE(values);
    return result;
}

/* The even part of what has `count` elements on each rank. */
static gp_result gpi_mpi_even(gp_mpi *all, const char *function, size_t count, gp_mpi_part *part)
{
    uint64_t own = count, total = 0, each, more, rank = (uint64_t)all->rank;
    const gp_result result = gpi_mpi_did(all, function, "MPI_Allreduce",
                                         MPI_Allreduce(&own, &total, 1, MPI_UINT64_T, MPI_SUM, all->comm));
    each = total / (uint64_t)all->ranks;
    more = total % (uint64_t)all->ranks;
    part->total = total;
    part->count = each + (rank < more);
    part->first = each * rank + (rank < more ? rank : more);
    return result;
}

GP_MPI_API gp_result gp_mpi_share(gp_mpi *all, size_t count, gp_mpi_part *part)
{
    static const char function[] = "gp_mpi_share";
    gp_result result = gpi_mpi_begin(all, function, part, "part");
    if (!all) return result;
    result = gpi_mpi_same(all, function, result, 0);
    return result == GP_OK ? gpi_mpi_even(all, function, count, part) : result;
}

/* ------------------------------------------------------------------ reduce */

/* As gp_reduce's out_type 0. */
static gp_type gpi_mpi_sum_type(gp_op op, gp_type type)
{
    const bool sums = op == GP_SUM || op == GP_PROD;
    if (!sums || type == GP_F32 || type == GP_F64) return type;
    if (type == GP_F16) return GP_F32;
    return type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64 ? GP_I64 : GP_U64;
}

GP_MPI_API gp_result gp_mpi_reduce(gp_mpi *all, const gp_reduce_desc *desc, void *result_out)
{
    static const char function[] = "gp_mpi_reduce";
    unsigned char own[64];
    gp_reduce_desc part, parts;
    gp_type type = (gp_type)0;
    size_t size = 0;
    cl_mem gathered = NULL;
    gp_result result = gpi_mpi_begin(all, function, desc, "desc");
    if (!all) return result;
    memset(&parts, 0, sizeof parts);
    if (result == GP_OK && !result_out)
        result = gpi_mpi_fail(all, GP_ERROR_INVALID_ARGUMENT, function, "result is NULL");
    if (result == GP_OK) {
        GPI_MPI_REFUSE_COMMON;
        GPI_MPI_REFUSE(op_count);
        GPI_MPI_REFUSE(out);
        GPI_MPI_REFUSE(op == GP_ARGMIN);
        GPI_MPI_REFUSE(op == GP_ARGMAX);
        type = desc->out_type ? desc->out_type : gpi_mpi_sum_type(desc->op, desc->type);
        size = desc->monoid ? desc->monoid->size : gpi_mpi_size_of(type);
    }
    result = gpi_mpi_same(all, function, result, gpi_mpi_sign(type, size));
    if (result == GP_OK) {
        part = *desc;
        part.initial = NULL;
        if (size > sizeof own) size = 0; /* gp_reduce says why */
        result = gp_reduce_read(all->gp, &part, own);
    }
    result = gpi_mpi_agree(all, function, result);
    if (result != GP_OK) return result;
    result = gpi_mpi_gather(all, function, own, size, &gathered);
    if (result == GP_OK) {
        parts.in = gathered;
        parts.count = (size_t)all->ranks;
        if (!desc->monoid) parts.type = parts.out_type = type;
        parts.op = desc->op;
        parts.monoid = desc->monoid;
        if (desc->monoid && desc->monoid->takes_args) {
            parts.args = desc->args;
            parts.arg_count = desc->arg_count;
        }
        parts.initial = desc->initial;
        parts.compensated = desc->compensated;
        result = gp_reduce_read(all->gp, &parts, result_out);
    }
    if (gathered) (void)clReleaseMemObject(gathered);
    result = gpi_mpi_agree(all, function, result);
    if (result != GP_OK) return result; /* devices may differ in the order in which they add up */
    return gpi_mpi_did(all, function, "MPI_Bcast", MPI_Bcast(result_out, (int)size, MPI_BYTE, 0, all->comm));
}

/* ------------------------------------------------------------------ scan */

/* What is before this part, or after it in reverse, into `before`: one element. */
static gp_result gpi_mpi_before(gp_mpi *all, const char *function, const gp_scan_desc *desc, gp_type type,
                                const void *total, size_t size, void *before)
{
    gp_scan_desc parts;
    cl_mem totals = NULL;
    gp_result result = gpi_mpi_gather(all, function, total, size, &totals);
    memset(&parts, 0, sizeof parts);
    if (result == GP_OK) {
        parts.in = parts.out = totals;
        parts.count = (size_t)all->ranks;
        if (!desc->monoid) parts.type = parts.out_type = type;
        parts.op = desc->op;
        parts.monoid = desc->monoid;
        if (desc->monoid && desc->monoid->takes_args) {
            parts.args = desc->args;
            parts.arg_count = desc->arg_count;
        }
        parts.initial = desc->initial;
        parts.exclusive = true;
        parts.reverse = desc->reverse;
        parts.deterministic = true;
        result = gp_scan(all->gp, &parts);
    }
    if (result == GP_OK) result = gp_finish(all->gp);
    if (result == GP_OK)
        result = gpi_mpi_cl(all, function, "clEnqueueReadBuffer",
                            clEnqueueReadBuffer(gp_cl_queue(all->gp), totals, CL_TRUE,
                                                size * (size_t)all->rank, size, before, 0, NULL, NULL));
    if (totals) (void)clReleaseMemObject(totals);
    return result;
}

GP_MPI_API gp_result gp_mpi_scan(gp_mpi *all, const gp_scan_desc *desc)
{
    static const char function[] = "gp_mpi_scan";
    unsigned char total[64], before[64];
    gp_reduce_desc sum;
    gp_scan_desc part;
    gp_type type = (gp_type)0;
    size_t size = 0;
    gp_result result = gpi_mpi_begin(all, function, desc, "desc");
    if (!all) return result;
    if (result == GP_OK) {
        GPI_MPI_REFUSE_COMMON;
        GPI_MPI_REFUSE(segments);
        GPI_MPI_REFUSE(op == GP_ARGMIN);
        GPI_MPI_REFUSE(op == GP_ARGMAX);
        type = desc->out_type ? desc->out_type : desc->type;
        size = desc->monoid ? desc->monoid->size : gpi_mpi_size_of(type);
    }
    result = gpi_mpi_same(all, function, result, gpi_mpi_sign(type, size));
    if (result == GP_OK) {
        if (size > sizeof total) size = 0; /* gp_reduce says why */
        memset(&sum, 0, sizeof sum);
        sum.in = desc->in;
        sum.in_offset = desc->in_offset;
        sum.count = desc->count;
        sum.type = desc->type;
        sum.record = desc->record;
        if (!desc->monoid) sum.out_type = type;
        sum.op = desc->op;
        sum.monoid = desc->monoid;
        sum.map = desc->map;
        sum.args = desc->args;
        sum.arg_count = desc->arg_count;
        result = gp_reduce_read(all->gp, &sum, total);
    }
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_before(all, function, desc, type, total, size, before);
    if (result == GP_OK && desc->count > 0) {
        part = *desc;
        part.initial = before;
        result = gp_scan(all->gp, &part);
    }
    if (result == GP_OK) result = gp_finish(all->gp);
    return gpi_mpi_agree(all, function, result);
}

/* ------------------------------------------------------------------ histogram */

GP_MPI_API gp_result gp_mpi_histogram(gp_mpi *all, const gp_histogram_desc *desc)
{
    static const char function[] = "gp_mpi_histogram";
    size_t counts = 0, size = 0;
    void *mapped = NULL;
    gp_result result = gpi_mpi_begin(all, function, desc, "desc"), unmapped;
    if (!all) return result;
    if (result == GP_OK) {
        const size_t channels = desc->channels_out ? desc->channels_out : desc->channels ? desc->channels : 1;
        counts = channels * (desc->bins ? desc->bins : 256);
        size = desc->out_type == GP_U64 ? 8 : 4;
        GPI_MPI_REFUSE(count_buffer);
        GPI_MPI_REFUSE(wait_count);
        GPI_MPI_REFUSE(done);
        GPI_MPI_REFUSE(accumulate);
    }
    if (result == GP_OK && counts > INT32_MAX)
        result = gpi_mpi_fail(all, GP_ERROR_COUNT_LIMIT, function, "more than 2^31 - 1 counts");
    result = gpi_mpi_same(all, function, result, gpi_mpi_sign(counts, size));
    if (result == GP_OK) result = gp_histogram(all->gp, desc);
    if (result == GP_OK) result = gp_finish(all->gp);
    if (result == GP_OK)
        result = gpi_mpi_map(all, function, desc->out, CL_MAP_READ | CL_MAP_WRITE, desc->out_offset * size,
                             counts * size, &mapped);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Allreduce",
                             MPI_Allreduce(MPI_IN_PLACE, mapped, (int)counts,
                                           size == 8 ? MPI_UINT64_T : MPI_UINT32_T, MPI_SUM, all->comm));
    unmapped = mapped ? gpi_mpi_unmap(all, function, desc->out, mapped) : GP_OK;
    return gpi_mpi_agree(all, function, result == GP_OK ? unmapped : result);
}

/* ------------------------------------------------------------------ exchange */

/* Elements that go from every rank to every rank, in the order of ranks, and of elements within a rank. */
typedef struct gpi_mpi_moves {
    int *sends, *sends_at, *receives, *receives_at; /* for each rank */
    size_t sent, received;                          /* by this rank */
} gpi_mpi_moves;

static size_t gpi_mpi_moves_bytes(const gp_mpi *all) { return 4 * (size_t)all->ranks * sizeof(int); }

static void gpi_mpi_moves_at(const gp_mpi *all, gpi_mpi_moves *moves, int *memory)
{
    moves->sends = memory;
    moves->sends_at = moves->sends + all->ranks;
    moves->receives = moves->sends_at + all->ranks;
    moves->receives_at = moves->receives + all->ranks;
}

/* Each rank knows what it sends; here it learns what it gets. */
static gp_result gpi_mpi_moves_tell(gp_mpi *all, const char *function, gpi_mpi_moves *moves)
{
    gp_result result =
        gpi_mpi_did(all, function, "MPI_Alltoall",
                    MPI_Alltoall(moves->sends, 1, MPI_INT, moves->receives, 1, MPI_INT, all->comm));
    uint64_t sum = 0;
    int r;
    moves->sent = 0;
    for (r = 0; r < all->ranks && result == GP_OK; r++) {
        moves->sends_at[r] = (int)moves->sent;
        moves->receives_at[r] = (int)sum;
        moves->sent += (size_t)moves->sends[r];
        sum += (uint64_t)moves->receives[r];
        if (sum > INT32_MAX)
            result =
                gpi_mpi_fail(all, GP_ERROR_COUNT_LIMIT, function, "more than 2^31 - 1 elements in a part");
    }
    moves->received = (size_t)sum;
    return gpi_mpi_agree(all, function, result);
}

/* Elements of `size` bytes. */
static gp_result gpi_mpi_exchange(gp_mpi *all, const char *function, const gpi_mpi_moves *moves, cl_mem from,
                                  cl_mem to, size_t to_offset, size_t size)
{
    void *source = NULL, *target = NULL;
    MPI_Datatype element = MPI_DATATYPE_NULL;
    gp_result result = gpi_mpi_map(all, function, from, CL_MAP_READ, 0, moves->sent * size, &source),
              unmapped;
    if (result == GP_OK)
        result = gpi_mpi_map(all, function, to, CL_MAP_WRITE_INVALIDATE_REGION, to_offset * size,
                             moves->received * size, &target);
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Type_contiguous",
                             MPI_Type_contiguous((int)size, MPI_BYTE, &element));
    if (result == GP_OK) result = gpi_mpi_did(all, function, "MPI_Type_commit", MPI_Type_commit(&element));
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Alltoallv",
                             MPI_Alltoallv(source, moves->sends, moves->sends_at, element, target,
                                           moves->receives, moves->receives_at, element, all->comm));
    if (element != MPI_DATATYPE_NULL) (void)MPI_Type_free(&element);
    unmapped = gpi_mpi_unmap(all, function, from, source);
    if (result == GP_OK) result = unmapped;
    unmapped = gpi_mpi_unmap(all, function, to, target);
    return gpi_mpi_agree(all, function, result == GP_OK ? unmapped : result);
}

/* ------------------------------------------------------------------ select */

/* Elements [0, part->count) of this rank's are [first, first + count) of the whole: to even parts, *part after that. */
static gp_result gpi_mpi_divide(gp_mpi *all, const char *function, gp_mpi_part *part, gpi_mpi_moves *moves)
{
    const uint64_t ranks = (uint64_t)all->ranks, begin = part->first, end = begin + part->count;
    const uint64_t each = part->total / ranks, more = part->total % ranks;
    uint64_t r;
    for (r = 0; r < ranks; r++) {
        const uint64_t first = each * r + (r < more ? r : more), last = first + each + (r < more);
        const uint64_t from = first > begin ? first : begin, to = last < end ? last : end;
        moves->sends[r] = from < to ? (int)(to - from) : 0;
        if (r != (uint64_t)all->rank) continue;
        part->first = first;
        part->count = last - first;
    }
    return gpi_mpi_moves_tell(all, function, moves);
}

/* Where `count` elements of each rank lie in the whole. */
static gp_result gpi_mpi_place(gp_mpi *all, const char *function, uint64_t count, gp_mpi_part *part)
{
    gp_result result = gpi_mpi_did(all, function, "MPI_Allreduce",
                                   MPI_Allreduce(&count, &part->total, 1, MPI_UINT64_T, MPI_SUM, all->comm));
    part->first = 0;
    part->count = count;
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Exscan",
                             MPI_Exscan(&count, &part->first, 1, MPI_UINT64_T, MPI_SUM, all->comm));
    if (all->rank == 0) part->first = 0; /* which MPI_Exscan leaves undefined */
    return result;
}

GP_MPI_API gp_result gp_mpi_select(gp_mpi *all, const gp_select_desc *desc, gp_mpi_part *part)
{
    static const char function[] = "gp_mpi_select";
    gpi_mpi_moves moves;
    gp_mpi_part place;
    int *memory = NULL;
    cl_mem chosen = NULL;
    size_t size = 0;
    uint64_t count = 0;
    gp_result result = gpi_mpi_begin(all, function, desc, "desc");
    if (!all) return result;
    memset(&moves, 0, sizeof moves);
    if (result == GP_OK) {
        GPI_MPI_REFUSE_COMMON;
        GPI_MPI_REFUSE(indices_out);
        GPI_MPI_REFUSE(count_out);
        GPI_MPI_REFUSE(indices);
        size = desc->record ? desc->record->size
               : desc->type ? gpi_mpi_size_of(desc->type)
                            : desc->element_size;
    }
    if (result == GP_OK && desc->count > INT32_MAX)
        result = gpi_mpi_fail(all, GP_ERROR_COUNT_LIMIT, function, "more than 2^31 - 1 elements in a part");
    result = gpi_mpi_same(all, function, result, size);
    if (result == GP_OK) {
        memory = (int *)GPI_MPI_MALLOC(gpi_mpi_moves_bytes(all));
        if (!memory) result = gpi_mpi_fail(all, GP_ERROR_OUT_OF_HOST_MEMORY, function, "no memory");
        else result = gpi_mpi_buffer(all, desc->count * size, &chosen);
    }
    if (result == GP_OK) {
        gp_select_desc own = *desc;
        own.out = chosen;
        own.out_offset = 0;
        result = gp_select_read(all->gp, &own, &count);
    }
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_place(all, function, count, &place);
    if (result == GP_OK) {
        gpi_mpi_moves_at(all, &moves, memory);
        result = gpi_mpi_divide(all, function, &place, &moves);
    }
    if (result == GP_OK) {
        result = gpi_mpi_room(all, function, "out", desc->out, desc->out_offset, moves.received, size);
        result = gpi_mpi_agree(all, function, result);
    }
    if (result == GP_OK)
        result = gpi_mpi_exchange(all, function, &moves, chosen, desc->out, desc->out_offset, size);
    if (chosen) (void)clReleaseMemObject(chosen);
    GPI_MPI_FREE(memory);
    if (result == GP_OK && part) *part = place;
    return gpi_mpi_agree(all, function, result);
}

/* ------------------------------------------------------------------ split */

/* Sorted keys of all ranks are cut where even parts begin. */
typedef struct gpi_mpi_split {
    gp_type key_type;
    size_t key_size, count;
    bool descending;
    bool whole;                           /* equal keys stay together: parts are even up to that */
    cl_mem keys;                          /* this rank's, sorted */
    cl_mem needles, places;               /* keys that are looked for, and where they are */
    uint64_t *memory;                     /* all that follows: */
    uint64_t *wanted;                     /* where a rank's part begins */
    uint64_t *at;                         /* by its key, as a number in the order of keys */
    uint64_t *below, *equal, *mine, *sum; /* keys that come before candidates, and the like */
    gpi_mpi_moves moves;
} gpi_mpi_split;

static gp_result gpi_mpi_split_open(gp_mpi *all, const char *function, gpi_mpi_split *s)
{
    const size_t ranks = (size_t)all->ranks, most = ranks * GPI_MPI_CANDIDATES;
    gp_result result;
    s->key_size = gpi_mpi_size_of(s->key_type);
    if (s->count > INT32_MAX)
        return gpi_mpi_fail(all, GP_ERROR_COUNT_LIMIT, function, "more than 2^31 - 1 elements in a part");
    s->memory =
        (uint64_t *)GPI_MPI_MALLOC((2 * ranks + 4 * most) * sizeof(uint64_t) + gpi_mpi_moves_bytes(all));
    if (!s->memory) return gpi_mpi_fail(all, GP_ERROR_OUT_OF_HOST_MEMORY, function, "no memory");
    s->wanted = s->memory;
    s->at = s->wanted + ranks;
    s->below = s->at + ranks;
    s->equal = s->below + most;
    s->mine = s->equal + most;
    s->sum = s->mine + most;
    gpi_mpi_moves_at(all, &s->moves, (int *)(s->sum + most));
    result = gpi_mpi_buffer(all, most * s->key_size, &s->needles);
    return result == GP_OK ? gpi_mpi_buffer(all, most * sizeof(uint64_t), &s->places) : result;
}

static void gpi_mpi_split_close(gpi_mpi_split *s)
{
    if (s->needles) (void)clReleaseMemObject(s->needles);
    if (s->places) (void)clReleaseMemObject(s->places);
    GPI_MPI_FREE(s->memory);
}

/* Keys in the sort's order are numbers from 0 on: which key has a number. */
static uint64_t gpi_mpi_key_of(const gpi_mpi_split *s, uint64_t number)
{
    const uint32_t bits = 8 * (uint32_t)s->key_size;
    const uint64_t ones = ~(uint64_t)0 >> (64 - bits), top = (uint64_t)1 << (bits - 1);
    const gp_type type = s->key_type;
    if (s->descending) number = ~number & ones;
    if (type == GP_F16 || type == GP_F32 || type == GP_F64)
        return number & top ? number ^ top : ~number & ones;
    return type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64 ? number ^ top : number;
}

static void gpi_mpi_key_put(void *keys, size_t size, size_t i, uint64_t key)
{
    const uint16_t two = (uint16_t)key;
    const uint32_t four = (uint32_t)key;
    char *at = (char *)keys + i * size;
    if (size == 1) *(unsigned char *)at = (unsigned char)key;
    if (size == 2) memcpy(at, &two, 2);
    if (size == 4) memcpy(at, &four, 4);
    if (size == 8) memcpy(at, &key, 8);
}

/* places[i] = how many of this rank's keys come before key number numbers[i]; `upper`: or are equal to it. */
static gp_result gpi_mpi_count(gp_mpi *all, const char *function, const gpi_mpi_split *s,
                               const uint64_t *numbers, size_t count, bool upper, uint64_t *places)
{
    gp_search_desc search;
    void *needles = NULL;
    gp_result result;
    size_t i;
    memset(&search, 0, sizeof search);
    result = gpi_mpi_map(all, function, s->needles, CL_MAP_WRITE_INVALIDATE_REGION, 0, count * s->key_size,
                         &needles);
    for (i = 0; i < count && result == GP_OK; i++)
        gpi_mpi_key_put(needles, s->key_size, i, gpi_mpi_key_of(s, numbers[i]));
    if (result == GP_OK) result = gpi_mpi_unmap(all, function, s->needles, needles);
    if (result != GP_OK) return result;
    search.keys = s->keys;
    search.count = s->count;
    search.needles = s->needles;
    search.needle_count = count;
    search.out = s->places;
    search.key_type = s->key_type;
    search.descending = s->descending;
    search.upper = upper;
    result = gp_search(all->gp, &search);
    if (result == GP_OK) result = gp_finish(all->gp);
    if (result != GP_OK) return result;
    return gpi_mpi_cl(all, function, "clEnqueueReadBuffer",
                      clEnqueueReadBuffer(gp_cl_queue(all->gp), s->places, CL_TRUE, 0, count * sizeof *places,
                                          places, 0, NULL, NULL));
}

/* For each rank but the first the largest key number v with: keys before v, on all ranks, <= what comes before the rank's
   part. Digit by digit, from the highest. One sum more tells whether a rank has failed. */
static gp_result gpi_mpi_split_find(gp_mpi *all, const char *function, gpi_mpi_split *s)
{
    const size_t bounds = (size_t)all->ranks - 1, most = bounds * GPI_MPI_CANDIDATES;
    uint32_t shift = 8 * (uint32_t)s->key_size;
    gp_result result = GP_OK, sent;
    size_t b, d;
    for (b = 0; b < bounds; b++) s->at[b] = 0;
    while (shift > 0 && bounds > 0) {
        shift -= GPI_MPI_DIGIT;
        for (b = 0; b < bounds; b++)
            for (d = 0; d < GPI_MPI_CANDIDATES; d++)
                s->mine[b * GPI_MPI_CANDIDATES + d] = s->at[b] + ((uint64_t)(d + 1) << shift);
        result = gpi_mpi_count(all, function, s, s->mine, most, false, s->below);
        s->below[most] = result != GP_OK;
        sent = gpi_mpi_did(all, function, "MPI_Allreduce",
                           MPI_Allreduce(s->below, s->sum, (int)most + 1, MPI_UINT64_T, MPI_SUM, all->comm));
        if (sent != GP_OK) return sent;
        if (s->sum[most] > 0) return gpi_mpi_agree(all, function, result);
        for (b = 0; b < bounds; b++) {
            for (d = 0; d < GPI_MPI_CANDIDATES && s->sum[b * GPI_MPI_CANDIDATES + d] <= s->wanted[b + 1];)
                d++;
            s->at[b] += (uint64_t)d << shift;
        }
    }
    return result;
}

/* What goes to each rank. Of the keys equal to a split the first ones, in the order of ranks, go to ranks before; or none,
   where equal keys stay together. */
static gp_result gpi_mpi_split_cut(gp_mpi *all, const char *function, gpi_mpi_split *s)
{
    const size_t bounds = (size_t)all->ranks - 1;
    uint64_t begin = 0;
    gp_result result = GP_OK;
    size_t b;
    if (bounds > 0) result = gpi_mpi_count(all, function, s, s->at, bounds, false, s->below);
    if (bounds > 0 && result == GP_OK)
        result = gpi_mpi_count(all, function, s, s->at, bounds, true, s->equal);
    result = gpi_mpi_agree(all, function, result);
    if (result != GP_OK) return result;
    for (b = 0; b < bounds; b++) s->equal[b] -= s->below[b];
    result = gpi_mpi_did(all, function, "MPI_Allreduce",
                         MPI_Allreduce(s->below, s->sum, (int)bounds, MPI_UINT64_T, MPI_SUM, all->comm));
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Exscan",
                             MPI_Exscan(s->equal, s->mine, (int)bounds, MPI_UINT64_T, MPI_SUM, all->comm));
    if (result != GP_OK) return result;
    if (all->rank == 0) memset(s->mine, 0, bounds * sizeof *s->mine); /* which MPI_Exscan leaves undefined */
    for (b = 0; b < bounds; b++) {
        const uint64_t before =
            s->wanted[b + 1] - s->sum[b]; /* equal keys, of all ranks, that go to ranks before */
        uint64_t own = before > s->mine[b] ? before - s->mine[b] : 0;
        if (own > s->equal[b]) own = s->equal[b];
        if (s->whole) own = 0;
        s->moves.sends[b] = (int)(s->below[b] + own - begin);
        begin = s->below[b] + own;
    }
    s->moves.sends[bounds] = (int)(s->count - begin);
    return gpi_mpi_moves_tell(all, function, &s->moves);
}

/* `first`: where this rank's part is to begin. */
static gp_result gpi_mpi_split_run(gp_mpi *all, const char *function, gpi_mpi_split *s, uint64_t first)
{
    gp_result result =
        gpi_mpi_did(all, function, "MPI_Allgather",
                    MPI_Allgather(&first, 1, MPI_UINT64_T, s->wanted, 1, MPI_UINT64_T, all->comm));
    if (result == GP_OK) result = gpi_mpi_split_find(all, function, s);
    return result == GP_OK ? gpi_mpi_split_cut(all, function, s) : result;
}

/* ------------------------------------------------------------------ sort */

static gp_result gpi_mpi_sort_run(gp_mpi *all, const char *function, const gp_sort_desc *desc,
                                  gpi_mpi_split *s, cl_mem sorted_values, uint64_t first)
{
    gp_sort_desc own = *desc;
    gp_result result;
    own.keys_out = s->keys;
    own.values_out = sorted_values;
    own.keys_out_offset = own.values_out_offset = 0;
    result = gp_sort(all->gp, &own);
    if (result == GP_OK) result = gp_finish(all->gp);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_split_run(all, function, s, first);
    own = *desc;
    own.keys_out = own.values_out = NULL; /* in place, where it comes to */
    if (desc->keys_out) {
        own.keys = desc->keys_out;
        own.keys_offset = desc->keys_out_offset;
    }
    if (desc->values_out) {
        own.values = desc->values_out;
        own.values_offset = desc->values_out_offset;
    }
    own.count = s->moves.received;
    if (result == GP_OK) {
        result = gpi_mpi_room(all, function, desc->keys_out ? "keys_out" : "keys", own.keys, own.keys_offset,
                              own.count, s->key_size);
        if (result == GP_OK && desc->value_size)
            result = gpi_mpi_room(all, function, desc->values_out ? "values_out" : "values", own.values,
                                  own.values_offset, own.count, desc->value_size);
        result = gpi_mpi_agree(all, function, result);
    }
    if (result == GP_OK)
        result = gpi_mpi_exchange(all, function, &s->moves, s->keys, own.keys, own.keys_offset, s->key_size);
    if (result == GP_OK && desc->value_size)
        result = gpi_mpi_exchange(all, function, &s->moves, sorted_values, own.values, own.values_offset,
                                  desc->value_size);
    if (result == GP_OK) result = gp_sort(all->gp, &own); /* runs in the order of ranks, and it is stable */
    return result == GP_OK ? gp_finish(all->gp) : result;
}

GP_MPI_API gp_result gp_mpi_sort(gp_mpi *all, const gp_sort_desc *desc, gp_mpi_part *part)
{
    static const char function[] = "gp_mpi_sort";
    gpi_mpi_split s;
    gp_mpi_part place;
    cl_mem values = NULL;
    uint64_t sign = 0;
    gp_result result = gpi_mpi_begin(all, function, desc, "desc");
    if (!all) return result;
    memset(&s, 0, sizeof s);
    if (result == GP_OK) {
        GPI_MPI_REFUSE_COMMON;
        GPI_MPI_REFUSE(begin_bit);
        GPI_MPI_REFUSE(end_bit);
        GPI_MPI_REFUSE(keys_tmp);
        GPI_MPI_REFUSE(values_tmp);
        sign = gpi_mpi_sign(gpi_mpi_sign(desc->key_type, desc->value_size), desc->descending);
        if (result == GP_OK && gpi_mpi_size_of(desc->key_type) == 0)
            result = gpi_mpi_fail(all, GP_ERROR_INVALID_TYPE, function, "key_type is not an element type");
    }
    result = gpi_mpi_same(all, function, result, sign);
    if (result == GP_OK) {
        s.key_type = desc->key_type;
        s.descending = desc->descending;
        s.count = desc->count;
        result = gpi_mpi_split_open(all, function, &s);
    }
    if (result == GP_OK) result = gpi_mpi_buffer(all, desc->count * s.key_size, &s.keys);
    if (result == GP_OK && desc->value_size)
        result = gpi_mpi_buffer(all, desc->count * desc->value_size, &values);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_even(all, function, desc->count, &place);
    if (result == GP_OK) result = gpi_mpi_sort_run(all, function, desc, &s, values, place.first);
    if (s.keys) (void)clReleaseMemObject(s.keys);
    if (values) (void)clReleaseMemObject(values);
    gpi_mpi_split_close(&s);
    if (result == GP_OK && part) *part = place;
    return gpi_mpi_agree(all, function, result);
}

/* ------------------------------------------------------------------ group by */

/* Buffers on the way: sorted, grouped, received. */
typedef struct gpi_mpi_groups {
    cl_mem keys[3], values[3];
    size_t in_size, out_size;
    gp_type out_type; /* with an op */
} gpi_mpi_groups;

/* Whether gp_sort moves values of so many bytes. */
static bool gpi_mpi_moves_alone(size_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

static gp_result gpi_mpi_group_check(gp_mpi *all, const char *function, const gp_reduce_by_key_desc *desc,
                                     gpi_mpi_groups *g)
{
    const gp_type key = desc->key_type;
    gp_result result = GP_OK;
    GPI_MPI_REFUSE_COMMON;
    GPI_MPI_REFUSE(count_out);
    GPI_MPI_REFUSE(key_size);
    GPI_MPI_REFUSE(key_record);
    GPI_MPI_REFUSE(equal);
    GPI_MPI_REFUSE(op == GP_ARGMIN);
    GPI_MPI_REFUSE(op == GP_ARGMAX);
    if (result != GP_OK) return result;
    if (gpi_mpi_size_of(key) == 0 || key == GP_F16 || key == GP_F32 || key == GP_F64)
        return gpi_mpi_fail(all, GP_ERROR_INVALID_TYPE, function, "key_type is not an integer type");
    g->out_type = desc->out_type ? desc->out_type : gpi_mpi_sum_type(desc->op, desc->type);
    g->out_size = desc->monoid ? desc->monoid->size : gpi_mpi_size_of(g->out_type);
    g->in_size = desc->monoid && !desc->map ? desc->monoid->size
                 : desc->record             ? desc->record->size
                                            : gpi_mpi_size_of(desc->type);
    if (gpi_mpi_moves_alone(g->in_size) && gpi_mpi_moves_alone(g->out_size)) return GP_OK;
    return gpi_mpi_fail(all, GP_ERROR_INVALID_TYPE, function,
                        "elements of `in` and results do not both have 1, 2, 4, 8 or 16 bytes");
}

/* Room for `count` keys with values of `size` bytes. */
static gp_result gpi_mpi_group_room(gp_mpi *all, const gp_reduce_by_key_desc *desc, gpi_mpi_groups *g,
                                    int stage, size_t count, size_t size)
{
    const gp_result result = gpi_mpi_buffer(all, count * gpi_mpi_size_of(desc->key_type), &g->keys[stage]);
    return result == GP_OK ? gpi_mpi_buffer(all, count * size, &g->values[stage]) : result;
}

static void gpi_mpi_group_free(gpi_mpi_groups *g, int stage)
{
    if (g->keys[stage]) (void)clReleaseMemObject(g->keys[stage]);
    if (g->values[stage]) (void)clReleaseMemObject(g->values[stage]);
    g->keys[stage] = g->values[stage] = NULL;
}

/* This rank's groups, into the second buffers. */
static gp_result gpi_mpi_group_own(gp_mpi *all, const gp_reduce_by_key_desc *desc, gpi_mpi_groups *g,
                                   uint64_t *count)
{
    gp_reduce_by_key_desc own = *desc;
    gp_sort_desc sort;
    gp_result result = gpi_mpi_group_room(all, desc, g, 0, desc->count, g->in_size);
    if (result == GP_OK) result = gpi_mpi_group_room(all, desc, g, 1, desc->count, g->out_size);
    if (result != GP_OK) return result;
    memset(&sort, 0, sizeof sort);
    sort.keys = desc->keys;
    sort.keys_offset = desc->keys_offset;
    sort.keys_out = g->keys[0];
    sort.values = desc->in;
    sort.values_offset = desc->in_offset;
    sort.values_out = g->values[0];
    sort.count = desc->count;
    sort.key_type = desc->key_type;
    sort.value_size = g->in_size;
    result = gp_sort(all->gp, &sort);
    if (result == GP_OK) result = gp_finish(all->gp);
    if (result != GP_OK) return result;
    own.keys = g->keys[0];
    own.in = g->values[0];
    own.keys_out = g->keys[1];
    own.out = g->values[1];
    own.keys_offset = own.in_offset = own.keys_out_offset = own.out_offset = 0;
    own.initial = NULL;
    result = gp_reduce_by_key_read(all->gp, &own, count);
    gpi_mpi_group_free(g, 0);
    return result;
}

/* What has come, in the third buffers, to the caller's. */
static gp_result gpi_mpi_group_received(gp_mpi *all, const gp_reduce_by_key_desc *desc,
                                        const gpi_mpi_groups *g, size_t received, uint64_t *count)
{
    gp_reduce_by_key_desc own = *desc;
    gp_sort_desc sort;
    gp_result result;
    memset(&sort, 0, sizeof sort);
    sort.keys = g->keys[2];
    sort.values = g->values[2];
    sort.count = received;
    sort.key_type = desc->key_type;
    sort.value_size = g->out_size;
    result = gp_sort(all->gp, &sort);
    if (result == GP_OK) result = gp_finish(all->gp);
    if (result != GP_OK) return result;
    own.keys = g->keys[2];
    own.in = g->values[2];
    own.keys_offset = own.in_offset = 0;
    own.count = received;
    own.type = own.out_type = desc->monoid ? (gp_type)0 : g->out_type;
    own.record = NULL;
    own.map = NULL;
    if (!desc->monoid || !desc->monoid->takes_args) {
        own.args = NULL;
        own.arg_count = 0;
    }
    return gp_reduce_by_key_read(all->gp, &own, count);
}

static gp_result gpi_mpi_group_run(gp_mpi *all, const char *function, const gp_reduce_by_key_desc *desc,
                                   gpi_mpi_groups *g, gpi_mpi_split *s, gp_mpi_part *place)
{
    uint64_t count = 0;
    gp_result result = gpi_mpi_group_own(all, desc, g, &count);
    s->key_type = desc->key_type;
    s->whole = true;
    s->keys = g->keys[1];
    s->count = (size_t)count;
    if (result == GP_OK) result = gpi_mpi_split_open(all, function, s);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_even(all, function, (size_t)count, place);
    if (result == GP_OK) result = gpi_mpi_split_run(all, function, s, place->first);
    if (result != GP_OK) return result;
    result = gpi_mpi_group_room(all, desc, g, 2, s->moves.received, g->out_size);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK)
        result = gpi_mpi_exchange(all, function, &s->moves, g->keys[1], g->keys[2], 0, s->key_size);
    if (result == GP_OK)
        result = gpi_mpi_exchange(all, function, &s->moves, g->values[1], g->values[2], 0, g->out_size);
    if (result == GP_OK) result = gpi_mpi_group_received(all, desc, g, s->moves.received, &count);
    result = gpi_mpi_agree(all, function, result);
    return result == GP_OK ? gpi_mpi_place(all, function, count, place) : result;
}

GP_MPI_API gp_result gp_mpi_group_by(gp_mpi *all, const gp_reduce_by_key_desc *desc, gp_mpi_part *part)
{
    static const char function[] = "gp_mpi_group_by";
    gpi_mpi_groups groups;
    gpi_mpi_split s;
    gp_mpi_part place;
    uint64_t sign = 0;
    gp_result result = gpi_mpi_begin(all, function, desc, "desc");
    int i;
    if (!all) return result;
    memset(&groups, 0, sizeof groups);
    memset(&s, 0, sizeof s);
    if (result == GP_OK) result = gpi_mpi_group_check(all, function, desc, &groups);
    if (result == GP_OK) sign = gpi_mpi_sign(gpi_mpi_sign(desc->key_type, groups.out_size), desc->op);
    result = gpi_mpi_same(all, function, result, sign);
    if (result == GP_OK) result = gpi_mpi_group_run(all, function, desc, &groups, &s, &place);
    for (i = 0; i < 3; i++) gpi_mpi_group_free(&groups, i);
    gpi_mpi_split_close(&s);
    if (result == GP_OK && part) *part = place;
    return gpi_mpi_agree(all, function, result);
}
#endif /* GPI_MPI_IMPLEMENTATION_ONCE */
#endif /* GP_MPI_IMPLEMENTATION */
#endif /* GPUPRIM_MPI_H */
