/* gpuprim_mpi.h - gpuprim's calls on arrays that are divided among the ranks of an MPI communicator, for C99.

   Put this in exactly one C or C++ file, and only include the header everywhere else:

       #define GP_MPI_IMPLEMENTATION
       #include "gpuprim_mpi.h"

   The implementation of gpuprim.h must be in exactly one file, too, which may be the same one. A call looks like this:

       gp_mpi *all;
       gp_scan_desc part = { .in = a, .out = b, .count = own, .type = GP_U32, .op = GP_SUM };
       if (gp_mpi_create(gp, MPI_COMM_WORLD, &all) != GP_OK) puts(gp_last_error(gp));
       if (gp_mpi_scan(all, &part) != GP_OK) puts(gp_last_error(gp));

   RULES THAT HOLD FOR EVERY CALL
     - The whole array consists of the ranks' parts, in the order of ranks. Parts may differ in length, and may be
       empty. A desc is that of the device's call, and describes this rank's part. Types, operations and options in it
       must be the same on all ranks; otherwise the call fails. Expressions, args and `initial` must be the same, too,
       but are not compared.
     - All ranks of the communicator must make the same calls in the same order, each with its own `all`. If a rank
       passes NULL for `all`, the call fails on that rank only, and the other ranks wait for it. A call begins with
       gp_finish, and returns when its result is complete.
     - Calls fail at once, on this rank only, with GP_ERROR_INVALID_ARGUMENT: before MPI_Init, after MPI_Finalize, in a
       process that was forked after the communicator was joined, and in a callback of a call with the same `all`.
       (gp_mpi_create without MPI fails with GP_ERROR_MPI.) Such calls send nothing, so that the other ranks are not
       disturbed.
     - Fields that have no meaning across ranks must be zero: count_buffer, scratch, wait, done, and those that a call's
       comment names.
     - An error on one rank ends the call on all ranks, with the same result, and gp_last_error names the rank and the
       reason. If MPI itself fails, the result is GP_ERROR_MPI. If a rank's process dies, MPI decides what happens
       (mpirun ends the other ranks).
     - MPI cannot access buffers of OpenCL. So all data is sent from and received in host memory: buffers are mapped,
       which copies nothing on CPUs. Outputs must allow this: they must not have CL_MEM_HOST_READ_ONLY or
       CL_MEM_HOST_NO_ACCESS.

   The headings in the comments of calls (Result, Order, ...) are those of gpuprim.h; "part" is this rank's part.

   OPTIONS (define before including)
     GP_MPI_IMPLEMENTATION   emit the implementation here
     GP_STATIC               as in gpuprim.h; both implementations must then be in the same file, and are static

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

/* A context of each rank, joined by a communicator. */
typedef struct gp_mpi gp_mpi;

/* Joins the ranks' contexts. `comm` is duplicated, so that it may be used for anything else. gp remains the caller's,
   and must be destroyed after *out. On failure *out is NULL, on all ranks. Collective.

   Errors: GP_ERROR_INVALID_ARGUMENT for MPI_COMM_NULL, on this rank only, and for an intercommunicator. */
GP_MPI_API gp_result gp_mpi_create(gp_context *gp, MPI_Comm comm, gp_mpi **out);

/* Frees `all`, which may be NULL. Collective; must be called before MPI_Finalize. Does nothing after MPI_Finalize, in a
   forked process, and in a callback of a call with `all`. */
GP_MPI_API void gp_mpi_destroy(gp_mpi *all);

/* The position of a part in the whole array: elements [first, first + count) of `total`. */
typedef struct gp_mpi_part {
    uint64_t first, count, total;
} gp_mpi_part;

/* Sets *part to this rank's part of an array that is divided evenly among the ranks, as gp_mpi_sort does it. `count` is
   the number of elements that this rank has now. Even parts differ by one element at most, and the longer ones come
   first. Collective. */
GP_MPI_API gp_result gp_mpi_share(gp_mpi *all, size_t count, gp_mpi_part *part);

/* result = initial . in[0] . in[1] ... in[total-1]        . is op or monoid

   Reduces an array across ranks, as gp_reduce_read does. A map's i counts from the part's first element.

   Result: one element of out_type in host memory, on every rank. desc->out must be NULL.
   Order: each part is reduced as by gp_reduce, then the parts' results, as elements of out_type, are combined in the
     order of ranks. Float results repeat bit for bit for the same parts on the same devices. All ranks get the same
     bits. With `compensated`, each part's sum is rounded.
   Count 0: a part without elements does not change the result, and needs neither `in` nor in2. If no part has elements,
     the result is `initial`.
   Cost: reads the part once, then sends one element to every rank.
   Limits: `ops`, GP_ARGMIN and GP_ARGMAX are not supported. */
GP_MPI_API gp_result gp_mpi_reduce(gp_mpi *all, const gp_reduce_desc *desc, void *result);

/* out[i] = initial . in[0] ... in[i]        . is op or monoid; in the whole array; exclusive and reverse as in gp_scan

   Scans an array across ranks: each part is reduced, the results of all ranks are scanned, and then each part is
   scanned, beginning with the product before it.

   Result: that of gp_scan. A map's i counts from the part's first element. With GP_F16, the product before a part is
     rounded to half precision.
   Aliasing: as in gp_scan.
   Cost: reads the part twice and writes it once; sends one element to every rank. (MPI_Exscan is not used, because a
     monoid is source text for the device.)
   Limits: segments, GP_ARGMIN and GP_ARGMAX are not supported. */
GP_MPI_API gp_result gp_mpi_scan(gp_mpi *all, const gp_scan_desc *desc);

/* out[b] = how many samples of the whole array are in bin b; with `weights`, the sum of their weights

   Result: the whole array's counts in `out`, on every rank. `bins`, out_type, bounds and edges must be the same on all
     ranks. The contents of `edges`, and whether there are weights, are not compared.
   Cost: gp_histogram's, then all counts are sent and added up.
   Limits: 2^31 - 1 counts; no `accumulate`. On a rank without elements `weights` may be NULL. */
GP_MPI_API gp_result gp_mpi_histogram(gp_mpi *all, const gp_histogram_desc *desc);

/* Selects elements of an array across ranks, as gp_select does, and divides them evenly.

   Result: this rank's even part of the selection in `out`, which must have room for an even part of the whole input
     (gp_mpi_share). *part, if not NULL, is the position of the result in the whole selection. indices_out and count_out
     must be NULL. On a rank without elements `flags` may be NULL.
   Order: that of the whole array; stable. A predicate's i counts from the part's first element.
   Aliasing: as in gp_select.
   Cost: that of gp_select; then each selected element is sent once. Needs memory for a copy of the part on the device.
   Limits: 2^31 - 1 elements in a part; no `indices`. */
GP_MPI_API gp_result gp_mpi_select(gp_mpi *all, const gp_select_desc *desc, gp_mpi_part *part);

/* Sorts an array across ranks, and divides it evenly (gp_mpi_share). The whole array is then in order.

   Result: this rank's part of the sorted array in keys_out and values_out, or in place in `keys` and `values`. The
     arrays must have room for an even part (gp_mpi_share). *part, if not NULL, is the part's position in the whole
     array.
   Order: that of gp_sort, also with `descending`. Stable: equal keys stay in the order of ranks, and within a part in
     its order. Parts are exactly even for any keys, even if all of them are equal.
   Aliasing: as in gp_sort.
   Cost: gp_sort of the part; 2 * bits / 8 rounds, each of which searches 15 keys for each other rank and adds up the
     counts by one MPI_Allreduce; each element is sent once; gp_sort of the received elements. Needs memory for a copy
     of the part on the device.
   Limits: 2^31 - 1 elements in a part, before and after. All bits of a key are compared: begin_bit and end_bit must be
     0. keys_tmp and values_tmp must be NULL.
   Source: Siebert & Wolf 2011 (exact splitting). */
GP_MPI_API gp_result gp_mpi_sort(gp_mpi *all, const gp_sort_desc *desc, gp_mpi_part *part);

/* keys_out[g] = a key        out[g] = initial . all elements of `in` with that key        . is op or monoid

   Groups the elements of an array across ranks by key. Each rank groups its part, sends each group to the rank that has
   the group's key in the result, and combines the groups that it receives.

   Result: this rank's groups, in ascending order of keys over all ranks; each key is on one rank. *part, if not NULL,
     is their position among all groups. All ranks receive about the same number of groups, before groups of equal keys
     are combined. keys_out and `out` must have room for an even part of the whole input (gp_mpi_share), and one group
     more for each other rank. count_out must be NULL.
   Order: the elements of a group are combined in the order of ranks, and within a part in its order. A map's i has no
     meaning. Each rank's result of a group is an element of out_type: with GP_F16 it is rounded (as in gp_mpi_reduce).
   Aliasing: as in gp_reduce_by_key.
   Cost: gp_sort and gp_reduce_by_key of the part, then of the received groups. In between, there are the rounds of
     gp_mpi_sort, and each rank's groups are sent once. Needs memory for two copies of the part on the device.
   Limits: 2^31 - 1 elements in a part. Keys have integer types; key_size, key_record, `equal`, GP_ARGMIN and GP_ARGMAX
     are not supported. Elements of `in` and results have 1, 2, 4, 8 or 16 bytes. */
GP_MPI_API gp_result gp_mpi_group_by(gp_mpi *all, const gp_reduce_by_key_desc *desc, gp_mpi_part *part);

/* out[i] = the value of keys[i] among the build keys, or `absent`        found[i] = whether keys[i] is among them

   Joins two arrays across ranks, whichever ranks have equal keys: each key is sent to a rank that its hash determines,
   the same for both arrays, and values are sent back. This is a left join: row i of `keys` stays on its rank. For an
   inner join, pass `found` to gp_mpi_select.

   Result: a value for each element of `keys` in `out`, a byte in `found`; at least one of these is required if count is
     not 0.
   Order: if build keys are equal, the first one in the whole array is used (with `last`, the last one). The result is
     always the same.
   Aliasing: outputs may overlap inputs, but not one another.
   Count 0: a part of either array may be empty, even on all ranks.
   Balance: a rank sends each of its distinct keys once, however many rows have it. So a key that occurs everywhere is
     received only once from each rank. How many keys a rank receives depends only on the hash of distinct keys: if
     there are k of these, about k / ranks from each rank that has them. No rows are sent.
   Cost: a hash table and a sort of one pass for the distinct keys of each side, and a hash table of the build keys that
     a rank has received. Build keys and values are sent once. `keys` are sent, and a value and a byte for each of them
     are sent back. Needs memory for the distinct keys and values sent and received, 4 bytes for each row, and hash
     tables with 2 to 4 slots of 8 or 16 bytes for each row (for one side at a time) and for each build key received.
   Limits: 2^30 elements in a part of either array, and 2^30 keys that a rank receives. Keys of 8 bytes need
     cl_khr_int64_base_atomics on all devices. */
typedef struct gp_mpi_join_desc {
    cl_mem build_keys; /* build_count keys; NULL when build_count is 0 */
    size_t build_keys_offset;
    cl_mem build_values; /* build_count values; NULL when value_size or build_count is 0 */
    size_t build_values_offset;
    size_t build_count; /* elements of this part of the build keys */
    cl_mem keys;        /* count keys that are looked for; NULL when count is 0 */
    size_t keys_offset;
    size_t count; /* elements of this part of `keys` */
    cl_mem out;   /* count values; NULL: not wanted */
    size_t out_offset;
    cl_mem found; /* count bytes: 1 or 0; NULL: not wanted */
    size_t found_offset;
    size_t key_size; /* 4 or 8 bytes; keys are compared by their bits */
    size_t
        value_size; /* 1, 2, 4, 8 or 16 bytes; 0: values are indices of build keys in the whole array, GP_U64 */
    const void *absent; /* a value, the same on all ranks; read during the call; NULL: all ones */
    bool last;          /* if build keys are equal, the last one is used */
    uint64_t
        seed; /* of the hash functions, the same on all ranks. Results do not depend on it. Choose it at random if others
                      choose the keys */
} gp_mpi_join_desc;

GP_MPI_API gp_result gp_mpi_join(gp_mpi *all, const gp_mpi_join_desc *desc);

/* Matches nested brackets of an array across ranks, as gp_brackets does. The brackets of a pair may be on two ranks,
   and any number of brackets may be open between one rank and the next.

   Result: match, parent and depth are those of gp_brackets for the whole array, with indices in the whole array.
     *errors, if not NULL, is that of the whole array, on all ranks; it must be given on all ranks or on none. Other
     outputs may differ between ranks. index_type 0: GP_U32 as long as the whole array has fewer than 2^32 elements.
     desc->errors must be NULL. A map's i counts from the part's first element.
   Order: the result is always the same.
   Aliasing: outputs overlap nothing.
   Count 0: a part without elements does not change the result.
   Cost: gp_brackets of the part, and two selections of its unmatched brackets. Each rank sends five numbers to all
     ranks, from which they know which ranks' brackets are partners. Then the indices of these brackets are exchanged,
     and with `errors` their codes. If brackets are open before the part, it is scanned. Each output is read and written
     once more. Memory: at most 4 bytes for codes and 7 indices for each element of the part, however brackets are
     nested, because a rank receives no more openers than it has elements, and no more closers than it has openers.
   Limits: 2^31 - 1 elements in a part. */
GP_MPI_API gp_result gp_mpi_brackets(gp_mpi *all, const gp_brackets_desc *desc, gp_brackets_errors *errors);

#ifdef __cplusplus
}
#endif
#endif /* GPUPRIM_MPI_H */

/* From here on this file is generated: tools/amalgamate.sh makes it from mpi/. */
#ifdef GP_MPI_IMPLEMENTATION
#ifndef GPI_MPI_IMPLEMENTATION_ONCE
#define GPI_MPI_IMPLEMENTATION_ONCE

/* ---- Begin file mpi/base/error.h ---- */
/* error.h - makes the texts of failures, and lets ranks agree on one result. */
#include <stdlib.h>

#ifdef GP_MALLOC
#define GPI_MPI_MALLOC(bytes) GP_MALLOC(bytes)
#define GPI_MPI_FREE(memory) GP_FREE(memory)
#else
#define GPI_MPI_MALLOC(bytes) malloc(bytes)
#define GPI_MPI_FREE(memory) free(memory)
#endif

struct gp_mpi {
    gp_context *gp;
    MPI_Comm comm;
    int rank, ranks;
    bool failed;  /* this call has failed, on all ranks */
    bool busy;    /* a call is running */
    long process; /* the process that created the gp_mpi; MPI does not work in a forked process */
};

static gp_result gpi_mpi_fail(gp_mpi *all, gp_result result, const char *function, const char *text);
static gp_result gpi_mpi_did(gp_mpi *all, const char *function, const char *call, int code);
static gp_result gpi_mpi_cl(gp_mpi *all, const char *function, const char *call, cl_int error);
static gp_result gpi_mpi_agree(gp_mpi *all, const char *function, gp_result result);
/* ---- End file mpi/base/error.h ---- */

/* ---- Begin file mpi/base/exchange.h ---- */
/* exchange.h - exchanges elements between ranks. */
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
/* ---- End file mpi/base/exchange.h ---- */

/* ---- Begin file mpi/base/arrays.h ---- */
/* arrays.h - gathers and exchanges temporary arrays on the device. */
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
/* ---- End file mpi/base/arrays.h ---- */

/* ---- Begin file mpi/base/buffers.h ---- */
/* buffers.h - checks the room in buffers and their overlap, maps buffers, and copies elements. */
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
/* ---- End file mpi/base/buffers.h ---- */

/* ---- Begin file mpi/base/arrays.c ---- */
/* arrays.c - gathers and exchanges temporary arrays on the device. */
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
/* ---- End file mpi/base/arrays.c ---- */

/* ---- Begin file mpi/base/buffers.c ---- */
/* buffers.c - checks the room in buffers and their overlap, maps buffers, and copies elements. */
#include <stdio.h>

/* Returns the bytes of an element; 0: `type` is not a gp_type. */
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

/* Fails unless the buffer has room for `count` elements of `size` bytes at `offset`. */
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
    if (!buffer) (void)snprintf(line, sizeof line, "%s is NULL", name);
    else
        (void)snprintf(line, sizeof line,
                       "%s has %zu bytes, too few for offset %zu and %zu elements of %zu bytes", name, bytes,
                       offset, count, size);
    return gpi_mpi_fail(all, GP_ERROR_INVALID_BUFFER, function, line);
}

static cl_int gpi_mpi_bytes_of(cl_mem buffer, size_t offset, size_t count, size_t size, gpi_mpi_bytes *bytes)
{
    cl_mem parent = NULL;
    cl_mem_flags flags = 0;
    size_t origin = 0;
    void *host = NULL;
    cl_int error = clGetMemObjectInfo(buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL);
    if (error == CL_SUCCESS && parent)
        error = clGetMemObjectInfo(buffer, CL_MEM_OFFSET, sizeof origin, &origin, NULL);
    bytes->root = parent ? parent : buffer;
    if (error == CL_SUCCESS)
        error = clGetMemObjectInfo(bytes->root, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    if (error == CL_SUCCESS && (flags & CL_MEM_USE_HOST_PTR))
        error = clGetMemObjectInfo(bytes->root, CL_MEM_HOST_PTR, sizeof host, &host, NULL);
    bytes->host = (uintptr_t)host;
    bytes->begin = origin + offset * size;
    bytes->end = bytes->begin + count * size;
    return error;
}

static bool gpi_mpi_overlap(const gpi_mpi_bytes *a, const gpi_mpi_bytes *b)
{
    if (a->begin == a->end || b->begin == b->end) return false;
    if (a->root == b->root) return a->begin < b->end && b->begin < a->end;
    return a->host && b->host && a->host + a->begin < b->host + b->end &&
           b->host + b->begin < a->host + a->end;
}

static gpi_mpi_span gpi_mpi_span_of(const char *name, cl_mem buffer, size_t offset, size_t count, size_t size)
{
    gpi_mpi_span span;
    span.name = name;
    span.buffer = buffer;
    span.offset = offset;
    span.count = count;
    span.size = size;
    return span;
}

/* Sets span->count so that the span ends where the buffer ends. */
static gp_result gpi_mpi_span_end(gp_mpi *all, const char *function, gpi_mpi_span *span)
{
    size_t bytes = 0;
    const cl_int error = clGetMemObjectInfo(span->buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    if (error == CL_SUCCESS && bytes / span->size > span->offset)
        span->count = bytes / span->size - span->offset;
    return gpi_mpi_cl(all, function, "clGetMemObjectInfo", error);
}

/* Fails unless the elements are in their buffer, which belongs to the context, and kernels may write them. If
   `also_read`, kernels must be allowed to read them, too. */
static gp_result gpi_mpi_check_written(gp_mpi *all, const char *function, const gpi_mpi_span *to,
                                       bool also_read)
{
    const cl_mem_flags refused = CL_MEM_READ_ONLY | (also_read ? CL_MEM_WRITE_ONLY : 0);
    char line[128];
    cl_context context = NULL;
    cl_mem_flags flags = 0;
    cl_int error;
    gp_result result = gpi_mpi_room(all, function, to->name, to->buffer, to->offset, to->count, to->size);
    if (result != GP_OK || to->count == 0) return result;
    error = clGetMemObjectInfo(to->buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (error == CL_SUCCESS) error = clGetMemObjectInfo(to->buffer, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    result = gpi_mpi_cl(all, function, "clGetMemObjectInfo", error);
    if (result != GP_OK || (context == gp_cl_context(all->gp) && !(flags & refused))) return result;
    if (context != gp_cl_context(all->gp))
        (void)snprintf(line, sizeof line, "%s belongs to another cl_context", to->name);
    else
        (void)snprintf(line, sizeof line, "%s was created %s", to->name,
                       flags & CL_MEM_READ_ONLY ? "CL_MEM_READ_ONLY" : "CL_MEM_WRITE_ONLY");
    return gpi_mpi_fail(all, GP_ERROR_INVALID_BUFFER, function, line);
}

/* Fails if the elements of `a` overlap the elements that are written to `to`. `in_place`: both may begin at the same
   byte. */
static gp_result gpi_mpi_check_apart(gp_mpi *all, const char *function, const gpi_mpi_span *a,
                                     const gpi_mpi_span *to, bool in_place)
{
    gpi_mpi_bytes from, written;
    char line[128];
    cl_int error;
    gp_result result;
    if (!a->buffer || !to->buffer || a->count == 0 || to->count == 0) return GP_OK;
    error = gpi_mpi_bytes_of(a->buffer, a->offset, a->count, a->size, &from);
    if (error == CL_SUCCESS) error = gpi_mpi_bytes_of(to->buffer, to->offset, to->count, to->size, &written);
    result = gpi_mpi_cl(all, function, "clGetMemObjectInfo", error);
    if (result != GP_OK || !gpi_mpi_overlap(&from, &written)) return result;
    if (in_place && from.root == written.root && from.begin == written.begin) return GP_OK;
    (void)snprintf(line, sizeof line, "%s and %s overlap", a->name, to->name);
    return gpi_mpi_fail(all, GP_ERROR_OVERLAP, function, line);
}

/* Fails if the elements that are written to `to` overlap those of an argument. */
static gp_result gpi_mpi_check_args_apart(gp_mpi *all, const char *function, const gp_arg *args,
                                          size_t arg_count, const gpi_mpi_span *to)
{
    gp_result result = GP_OK;
    size_t k;
    for (k = 0; k < arg_count && result == GP_OK; k++) {
        const gp_arg *arg = &args[k];
        const size_t size = arg->record ? arg->record->size : gpi_mpi_size_of(arg->type);
        char name[32];
        gpi_mpi_span span;
        if (!arg->buffer || size == 0) continue;
        (void)snprintf(name, sizeof name, "args[%u].buffer", (unsigned)k);
        span = gpi_mpi_span_of(name, arg->buffer, arg->offset, arg->count, size);
        if (!arg->count) result = gpi_mpi_span_end(all, function, &span);
        if (result == GP_OK) result = gpi_mpi_check_apart(all, function, &span, to, false);
    }
    return result;
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

/* Waits for a command that `call` has enqueued, since later commands may not wait for it. Fails if `error` is set. */
static gp_result gpi_mpi_wait(gp_mpi *all, const char *function, const char *call, cl_int error,
                              cl_event event)
{
    if (error != CL_SUCCESS) return gpi_mpi_cl(all, function, call, error);
    error = clWaitForEvents(1, &event);
    (void)clReleaseEvent(event);
    return gpi_mpi_cl(all, function, "clWaitForEvents", error);
}

static gp_result gpi_mpi_unmap(gp_mpi *all, const char *function, cl_mem buffer, void *mapped)
{
    cl_event event = NULL;
    cl_int error;
    if (!mapped) return GP_OK;
    error = clEnqueueUnmapMemObject(gp_cl_queue(all->gp), buffer, mapped, 0, NULL, &event);
    return gpi_mpi_wait(all, function, "clEnqueueUnmapMemObject", error, event);
}

static gp_result gpi_mpi_copy(gp_mpi *all, const char *function, cl_mem from, size_t from_byte, cl_mem to,
                              size_t to_byte, size_t bytes)
{
    cl_event event = NULL;
    cl_int error;
    if (bytes == 0) return GP_OK;
    error = clEnqueueCopyBuffer(gp_cl_queue(all->gp), from, to, from_byte, to_byte, bytes, 0, NULL, &event);
    return gpi_mpi_wait(all, function, "clEnqueueCopyBuffer", error, event);
}
/* ---- End file mpi/base/buffers.c ---- */

/* ---- Begin file mpi/base/call.h ---- */
/* call.h - begins and ends calls, and checks what ranks must agree on. */
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
/* ---- End file mpi/base/call.h ---- */

/* ---- Begin file mpi/base/handle.h ---- */
/* handle.h - decides whether calls with a gp_mpi can begin. */
static const char *gpi_mpi_refusal(const gp_mpi *all);
/* ---- End file mpi/base/handle.h ---- */

/* ---- Begin file mpi/base/call.c ---- */
/* call.c - begins and ends calls, and checks what ranks must agree on. */
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
/* ---- End file mpi/base/call.c ---- */

/* ---- Begin file mpi/base/error.c ---- */
/* error.c - makes the texts of failures, and lets ranks agree on one result. */
/* Bytes of this library's texts, and of the text of a failed call, which may contain a build log. */
enum { GPI_MPI_TEXT = 512, GPI_MPI_LOG = 8192 };

static gp_result gpi_mpi_fail(gp_mpi *all, gp_result result, const char *function, const char *text)
{
    char line[2 * GPI_MPI_TEXT];
    (void)snprintf(line, sizeof line, "%s: %s", function, text);
    return gp_set_error(all->gp, result, line);
}

/* Fails if `code`, which the MPI function `call` has returned, is an error. */
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

/* Returns the same result on all ranks: the failure of the lowest rank that has failed, with its text. Every collective of a call
   comes after such an agreement, so that no rank waits for one that has failed. Once ranks have agreed on a failure, the call
   ends without another agreement. */
static gp_result gpi_mpi_agree(gp_mpi *all, const char *function, gp_result result)
{
    struct {
        int failed, rank;
    } own, first;
    char text[GPI_MPI_LOG] = "", line[GPI_MPI_LOG + 64];
    gp_result sent = result;
    int told = (int)result;
    if (all->failed) return result;
    own.failed = result == GP_OK; /* 0: failed, so that MPI_MINLOC finds it first */
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
/* ---- End file mpi/base/error.c ---- */

/* ---- Begin file mpi/base/exchange.c ---- */
/* exchange.c - exchanges elements between ranks. */
static size_t gpi_mpi_moves_ints(const gp_mpi *all) { return 8 * (size_t)all->ranks; }
static size_t gpi_mpi_moves_bytes(const gp_mpi *all) { return gpi_mpi_moves_ints(all) * sizeof(int); }

static void gpi_mpi_moves_at(const gp_mpi *all, gpi_mpi_moves *moves, int *memory)
{
    moves->sends = memory;
    moves->sends_at = moves->sends + all->ranks;
    moves->receives = moves->sends_at + all->ranks;
    moves->receives_at = moves->receives + all->ranks;
    moves->side = moves->receives_at + all->ranks;
}

/* Completes moves whose sends are set: informs each rank how many elements it receives, and sets all positions. */
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

/* Exchanges elements of `size` bytes. Elements that a rank keeps are copied on the device. Elements for lower ranks are
   before the kept ones, elements for higher ranks after them. Each of these two sides is mapped and exchanged
   separately, and nothing else passes through host memory. */
static gp_result gpi_mpi_exchange(gp_mpi *all, const char *function, const gpi_mpi_moves *moves, cl_mem from,
                                  cl_mem to, size_t to_offset, size_t size)
{
    const int rank = all->rank, kept = moves->sends[rank];
    /* where elements for or from lower ranks end, and where those for or from higher ranks begin */
    const int sent[2] = {moves->sends_at[rank], moves->sends_at[rank] + kept};
    const int received[2] = {moves->receives_at[rank], moves->receives_at[rank] + kept};
    int *const sends = moves->side, *const sends_at = sends + all->ranks;
    int *const receives = sends_at + all->ranks, *const receives_at = receives + all->ranks;
    void *source[2] = {NULL, NULL}, *target[2] = {NULL, NULL};
    MPI_Datatype element = MPI_DATATYPE_NULL;
    gp_result result = gpi_mpi_copy(all, function, from, (size_t)sent[0] * size, to,
                                    (to_offset + (size_t)received[0]) * size, (size_t)kept * size),
              done;
    bool agreed;
    int side, r;
    for (side = 0; side < 2 && result == GP_OK; side++) {
        const size_t first = side ? (size_t)sent[1] : 0, last = side ? moves->sent : (size_t)sent[0];
        const size_t begin = side ? (size_t)received[1] : 0,
                     end = side ? moves->received : (size_t)received[0];
        result =
            gpi_mpi_map(all, function, from, CL_MAP_READ, first * size, (last - first) * size, &source[side]);
        if (result == GP_OK)
            result = gpi_mpi_map(all, function, to, CL_MAP_WRITE_INVALIDATE_REGION,
                                 (to_offset + begin) * size, (end - begin) * size, &target[side]);
    }
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Type_contiguous",
                             MPI_Type_contiguous((int)size, MPI_BYTE, &element));
    if (result == GP_OK) result = gpi_mpi_did(all, function, "MPI_Type_commit", MPI_Type_commit(&element));
    result = gpi_mpi_agree(all, function, result);
    agreed = result == GP_OK;
    for (side = 0; side < 2 && agreed; side++) { /* both, even if the first fails, since other ranks wait */
        for (r = 0; r < all->ranks; r++) {
            const bool to_it = side ? r > rank : r < rank, from_it = side ? r < rank : r > rank;
            sends[r] = to_it ? moves->sends[r] : 0;
            sends_at[r] = to_it ? moves->sends_at[r] - (side ? sent[1] : 0) : 0;
            receives[r] = from_it ? moves->receives[r] : 0;
            receives_at[r] = from_it ? moves->receives_at[r] - (side ? 0 : received[1]) : 0;
        }
        done = gpi_mpi_did(all, function, "MPI_Alltoallv",
                           MPI_Alltoallv(source[side], sends, sends_at, element, target[!side], receives,
                                         receives_at, element, all->comm));
        if (result == GP_OK) result = done;
    }
    if (element != MPI_DATATYPE_NULL) (void)MPI_Type_free(&element);
    for (side = 0; side < 2; side++) {
        done = gpi_mpi_unmap(all, function, from, source[side]);
        if (result == GP_OK) result = done;
        done = gpi_mpi_unmap(all, function, to, target[side]);
        if (result == GP_OK) result = done;
    }
    return gpi_mpi_agree(all, function, result);
}
/* ---- End file mpi/base/exchange.c ---- */

/* ---- Begin file mpi/base/handle.c ---- */
/* handle.c - creates and destroys a gp_mpi, which joins the contexts of ranks. */
#if defined(_WIN32)
#define GPI_MPI_PROCESS() 0
#else
#include <unistd.h>
#define GPI_MPI_PROCESS() ((long)getpid())
#endif

/* Returns the reason why MPI would end a process that calls it now, or NULL. */
static const char *gpi_mpi_absence(void)
{
    int begun = 0, ended = 0;
    (void)MPI_Initialized(&begun);
    (void)MPI_Finalized(&ended);
    if (!begun) return "MPI has not begun: MPI_Init";
    return ended ? "MPI has ended: call it before MPI_Finalize" : NULL;
}

/* Fails in a process that was forked after the library's first use, because MPI would wait for ever in it. */
static gp_result gpi_mpi_check_process(gp_context *gp)
{
    size_t count;
    if (gp && gp_cl_queue(gp)) return GP_OK;
    return gp_devices(NULL, 0, &count) == GP_ERROR_INVALID_ARGUMENT
               ? gp_set_error(
                     gp, GP_ERROR_INVALID_ARGUMENT,
                     "gp_mpi_create: this process was forked, and neither OpenCL nor MPI works here: fork "
                     "before their first use, or exec")
               : GP_OK;
}

GP_MPI_API gp_result gp_mpi_create(gp_context *gp, MPI_Comm comm, gp_mpi **out)
{
    static const char function[] = "gp_mpi_create";
    gp_mpi made, *all;
    gp_result result;
    int between = 0; /* whether `comm` is between two groups of ranks */
    memset(&made, 0, sizeof made);
    made.gp = gp;
    made.process = GPI_MPI_PROCESS();
    if (out) *out = NULL;
    result = gpi_mpi_check_process(gp);
    if (result != GP_OK) return result;
    if (gpi_mpi_absence()) return gpi_mpi_fail(&made, GP_ERROR_MPI, function, gpi_mpi_absence());
    if (comm == MPI_COMM_NULL)
        return gpi_mpi_fail(&made, GP_ERROR_INVALID_ARGUMENT, function, "comm is MPI_COMM_NULL");
    result = gpi_mpi_did(&made, function, "MPI_Comm_test_inter", MPI_Comm_test_inter(comm, &between));
    if (result == GP_OK && between)
        result = gpi_mpi_fail(&made, GP_ERROR_INVALID_ARGUMENT, function, "comm is an intercommunicator");
    if (result != GP_OK) return result;
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

/* Returns the reason why no call with *all can begin on this rank, whatever other ranks do, or NULL. Messages that a
   forked process or a callback sends would be mistaken for messages of the rank's current call. */
static const char *gpi_mpi_refusal(const gp_mpi *all)
{
    if (!all) return "all is NULL";
    if (all->process != GPI_MPI_PROCESS())
        return "this process was forked, and MPI does not work here: fork before MPI_Init, or exec";
    if (gpi_mpi_absence()) return gpi_mpi_absence();
    return all->busy ? "a callback called it with the gp_mpi whose call is still at work" : NULL;
}

GP_MPI_API void gp_mpi_destroy(gp_mpi *all)
{
    if (gpi_mpi_refusal(all)) return;
    (void)MPI_Comm_free(&all->comm);
    GPI_MPI_FREE(all);
}
/* ---- End file mpi/base/handle.c ---- */

/* ---- Begin file mpi/base/ranks.h ---- */
/* ranks.h - gathers values of all ranks, and divides arrays evenly over the ranks. */
static gp_result gpi_mpi_gather(gp_mpi *all, const char *function, const void *value, size_t size,
                                cl_mem *out);
static gp_result gpi_mpi_even(gp_mpi *all, const char *function, size_t count, gp_mpi_part *part);
/* ---- End file mpi/base/ranks.h ---- */

/* ---- Begin file mpi/base/ranks.c ---- */
/* ranks.c - gathers values of all ranks, and divides arrays evenly over the ranks. */
/* Creates a buffer with each rank's value of `size` bytes, in the order of ranks. */
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

/* Divides an array evenly over the ranks, and sets *part to this rank's part. This rank has `count` of the array's
   elements; other ranks may have other numbers. */
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
/* ---- End file mpi/base/ranks.c ---- */

/* ---- Begin file mpi/base/split.h ---- */
/* split.h - finds where to cut a sorted array across ranks, digit by digit of its keys. */
/* Splits that cut the sorted keys of all ranks into even parts. */
typedef struct gpi_mpi_split {
    gp_type key_type;
    size_t key_size, count;
    bool descending;
    bool whole;                           /* equal keys stay together, so parts are only roughly even */
    cl_mem keys;                          /* this rank's sorted keys */
    cl_mem needles, places;               /* keys to be found, and their positions */
    uint64_t *memory;                     /* memory of the arrays below */
    uint64_t *wanted;                     /* where each rank's part has to begin */
    uint64_t *at;                         /* the number of the key at each split, in the order of keys */
    uint64_t *below, *equal, *mine, *sum; /* counts of keys before, or equal to, candidates */
    gpi_mpi_moves moves;
} gpi_mpi_split;

static gp_result gpi_mpi_split_open(gp_mpi *all, const char *function, gpi_mpi_split *s);
static void gpi_mpi_split_close(gpi_mpi_split *s);
static gp_result gpi_mpi_split_run(gp_mpi *all, const char *function, gpi_mpi_split *s, uint64_t first);
/* ---- End file mpi/base/split.h ---- */

/* ---- Begin file mpi/base/split.c ---- */
/* split.c - finds where to cut a sorted array across ranks, digit by digit of its keys. */
enum { GPI_MPI_DIGIT = 4, GPI_MPI_CANDIDATES = (1 << GPI_MPI_DIGIT) - 1 };

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

/* Returns the key with this number. Keys are numbered from 0 in the sort's order. */
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

/* Sets places[i] to the number of this rank's keys that come before the key with number numbers[i]. With `upper`,
   also counts the keys that equal this key. */
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

/* Finds the split of each rank except the first: the largest key number that has, on all ranks together, at most as
   many keys before it as there are elements before the rank's part. Determines the number digit by digit, starting with
   the highest digit. One more sum shows whether a rank has failed. */
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

/* Sets how many elements move to each rank. Of the keys equal to a split, the first ones (in the order of ranks) move
   to the ranks before the split. If equal keys must stay together, none of them moves to those ranks. */
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
    if (all->rank == 0) memset(s->mine, 0, bounds * sizeof *s->mine); /* MPI_Exscan leaves them undefined */
    for (b = 0; b < bounds; b++) {
        const uint64_t before =
            s->wanted[b + 1] - s->sum[b]; /* all ranks' keys equal to the split that move to earlier ranks */
        uint64_t own = before > s->mine[b] ? before - s->mine[b] : 0;
        if (own > s->equal[b]) own = s->equal[b];
        if (s->whole) own = 0;
        s->moves.sends[b] = (int)(s->below[b] + own - begin);
        begin = s->below[b] + own;
    }
    s->moves.sends[bounds] = (int)(s->count - begin);
    return gpi_mpi_moves_tell(all, function, &s->moves);
}

/* Finds the splits and sets s->moves. `first`: where this rank's part has to begin. */
static gp_result gpi_mpi_split_run(gp_mpi *all, const char *function, gpi_mpi_split *s, uint64_t first)
{
    gp_result result =
        gpi_mpi_did(all, function, "MPI_Allgather",
                    MPI_Allgather(&first, 1, MPI_UINT64_T, s->wanted, 1, MPI_UINT64_T, all->comm));
    if (result == GP_OK) result = gpi_mpi_split_find(all, function, s);
    return result == GP_OK ? gpi_mpi_split_cut(all, function, s) : result;
}
/* ---- End file mpi/base/split.c ---- */

/* ---- Begin file mpi/calls/select.h ---- */
/* select.h - declares the function of select.c that other calls use. */
static gp_result gpi_mpi_place(gp_mpi *all, const char *function, uint64_t count, gp_mpi_part *part);
/* ---- End file mpi/calls/select.h ---- */

/* ---- Begin file mpi/calls/brackets.c ---- */
/* brackets.c - gp_mpi_brackets: matches brackets within each part, then across ranks. */
/* The state of a call of gp_mpi_brackets.

   After brackets have been matched within each part, a part has closers without openers, followed by openers without
   closers. From the numbers of both on all ranks, each rank computes which ranks' openers its closers pop:

       rank 0   ( ( ( )        leaves ( (
       rank 1   ) ( (          pops one of rank 0; ( ( ( are open after it
       rank 2   ) ) ) ( (      pops two of rank 1, then one of rank 0

   Openers are sent from the top of the stack down, so that the openers that one rank closes are consecutive, in the
   order of ranks. */
typedef struct gpi_mpi_nest {
    const gp_brackets_desc *desc;
    gp_mpi_part place;
    gp_type index_type, code_type;
    size_t size;            /* bytes of an index */
    gp_brackets_desc local; /* the call on the codes of this part */
    cl_mem codes, own_match, own_depth;
    size_t codes_offset;
    cl_mem closers, openers; /* indices of brackets without a partner in the part; openers top first */
    uint64_t closer_count, opener_count;
    cl_mem passed;         /* for each element: the number of `closers` before it */
    cl_mem stack;          /* the topmost openers before the part, top first: indices in the whole array */
    uint64_t height, lead; /* number of openers that are open before the part, and of those in `stack` */
    uint64_t matched;      /* number of openers in `stack` that this part closes */
    uint64_t closed;       /* number of this part's openers that later parts close */
    bool errors_wanted, match_wanted; /* match_wanted: any rank wants match */
    int *memory;
    gpi_mpi_moves up, back; /* moves of openers to their closers' ranks, and back */
    gp_brackets_errors errors;
} gpi_mpi_nest;

/* The numbers that ranks exchange about their parts. */
typedef struct gpi_mpi_nest_part {
    uint64_t closers, openers, count, match_wanted, left; /* left: the part's openers that are still open */
} gpi_mpi_nest_part;

/* Creates a buffer with a code for each byte, as gp_brackets would use it. The pairs have been checked. */
static gp_result gpi_mpi_nest_table(gp_mpi *all, const gp_brackets_desc *desc, cl_mem *out)
{
    const char *pair = desc->pairs ? desc->pairs : "()[]{}";
    int8_t codes[256];
    int kind = 1;
    memset(codes, 0, sizeof codes);
    for (; pair[0] && pair[1]; pair += 2, kind++) {
        codes[(unsigned char)pair[0]] = (int8_t)kind;
        codes[(unsigned char)pair[1]] = (int8_t)-kind;
    }
    return gp_buffer_create(all->gp, sizeof codes, desc->table ? desc->table : codes, out);
}

/* Sets n->codes to the input, or, if the input does not consist of codes, to a new buffer of codes. */
static gp_result gpi_mpi_nest_codes(gp_mpi *all, gpi_mpi_nest *n)
{
    const gp_brackets_desc *desc = n->desc;
    gp_transform_desc transform;
    gp_arg arg;
    cl_mem table = NULL;
    gp_result result;
    n->code_type = desc->map || desc->type == GP_U8 ? GP_I32 : desc->type;
    if (!desc->map && desc->type != GP_U8) {
        n->codes = desc->in;
        n->codes_offset = desc->in_offset;
        return n->codes ? gpi_mpi_cl(all, "gp_mpi_brackets", "clRetainMemObject", clRetainMemObject(n->codes))
                        : GP_OK;
    }
    result = gpi_mpi_buffer(all, desc->count * sizeof(int32_t), &n->codes);
    if (result == GP_OK && !desc->map) result = gpi_mpi_nest_table(all, desc, &table);
    if (result == GP_OK && desc->count > 0) {
        arg = gpi_mpi_array("part_table", GP_I8, table, 0);
        memset(&transform, 0, sizeof transform);
        transform.in = desc->in;
        transform.in_offset = desc->in_offset;
        transform.type = desc->type;
        transform.out = n->codes;
        transform.out_type = GP_I32;
        transform.map = desc->map ? desc->map : "part_table[x]";
        transform.args = desc->map ? desc->args : &arg;
        transform.arg_count = desc->map ? desc->arg_count : 1;
        transform.count = desc->count;
        result = gpi_mpi_done(all, gp_transform(all->gp, &transform));
    }
    gpi_mpi_free(&table);
    return result;
}

/* Creates a buffer with the indices of the codes that meet `condition`, and sets *count. */
static gp_result gpi_mpi_nest_select(gp_mpi *all, const gpi_mpi_nest *n, const char *condition, cl_mem *out,
                                     uint64_t *count)
{
    const gp_arg arg = gpi_mpi_array("part_match", n->index_type, n->local.match, n->local.match_offset);
    gp_select_desc select;
    const gp_result result = gpi_mpi_buffer(all, n->place.count * n->size, out);
    if (result != GP_OK) return result;
    memset(&select, 0, sizeof select);
    select.in = n->codes;
    select.in_offset = n->codes_offset;
    select.type = n->code_type;
    select.predicate = condition;
    select.args = &arg;
    select.arg_count = 1;
    select.indices_out = *out;
    select.index_type = n->index_type;
    select.count = n->place.count;
    return gp_select_read(all->gp, &select, count);
}

/* Creates n->openers with openers[i] = list[last - i], so that the top one comes first. */
static gp_result gpi_mpi_nest_reverse(gp_mpi *all, gpi_mpi_nest *n, cl_mem list)
{
    const cl_ulong last = n->opener_count - 1;
    gp_transform_desc transform;
    gp_arg args[2];
    gp_result result = gpi_mpi_buffer(all, (size_t)n->opener_count * n->size, &n->openers);
    if (result != GP_OK || n->opener_count == 0) return result;
    args[0] = gpi_mpi_array("part_list", n->index_type, list, 0);
    args[1] = gpi_mpi_value("part_last", GP_U64, &last);
    memset(&transform, 0, sizeof transform);
    transform.out = n->openers;
    transform.out_type = n->index_type;
    transform.map = "part_list[part_last - i]";
    transform.args = args;
    transform.arg_count = 2;
    transform.count = (size_t)n->opener_count;
    return gpi_mpi_done(all, gp_transform(all->gp, &transform));
}

/* Creates n->passed, where passed[i] is the number of closers without an opener before element i. */
static gp_result gpi_mpi_nest_pass(gp_mpi *all, gpi_mpi_nest *n)
{
    const gp_arg arg = gpi_mpi_array("part_match", n->index_type, n->local.match, n->local.match_offset);
    gp_scan_desc scan;
    const gp_result result = gpi_mpi_buffer(all, n->place.count * n->size, &n->passed);
    if (result != GP_OK) return result;
    memset(&scan, 0, sizeof scan);
    scan.in = n->codes;
    scan.in_offset = n->codes_offset;
    scan.type = n->code_type;
    scan.out = n->passed;
    scan.out_type = n->index_type;
    scan.op = GP_SUM;
    scan.map = "x < 0 && !~part_match[i]";
    scan.args = &arg;
    scan.arg_count = 1;
    scan.exclusive = true;
    scan.count = (size_t)n->place.count;
    return gpi_mpi_done(all, gp_scan(all->gp, &scan));
}

/* Checks that outputs do not overlap inputs. gp_brackets cannot check this here, because it may see only codes. */
static gp_result gpi_mpi_nest_apart(gp_mpi *all, const char *function, const gpi_mpi_nest *n)
{
    const gp_brackets_desc *desc = n->desc;
    const size_t count = desc->count;
    const gpi_mpi_span in =
        gpi_mpi_span_of("in", desc->in, desc->in_offset, count, gpi_mpi_size_of(desc->type));
    const gpi_mpi_span written[] = {
        gpi_mpi_span_of("match", desc->match, desc->match_offset, count, n->size),
        gpi_mpi_span_of("parent", desc->parent, desc->parent_offset, count, n->size),
        gpi_mpi_span_of("depth", desc->depth, desc->depth_offset, count, n->size)};
    gp_result result = GP_OK;
    int k;
    for (k = 0; k < 3 && result == GP_OK; k++) {
        result = gpi_mpi_check_apart(all, function, &in, &written[k], false);
        if (result == GP_OK)
            result = gpi_mpi_check_args_apart(all, function, desc->args, desc->arg_count, &written[k]);
    }
    return result;
}

/* Matches the brackets within this part, and lists the brackets without a partner. */
static gp_result gpi_mpi_nest_own(gp_mpi *all, const char *function, gpi_mpi_nest *n)
{
    gp_brackets_desc *local = &n->local;
    const size_t count = (size_t)n->place.count;
    cl_mem list = NULL;
    gp_result result = gpi_mpi_nest_codes(all, n);
    if (result == GP_OK) result = gpi_mpi_nest_apart(all, function, n);
    if (result != GP_OK || count == 0) return result;
    *local = *n->desc;
    local->in = n->codes;
    local->in_offset = n->codes_offset;
    local->type = n->code_type;
    local->index_type = n->index_type;
    local->pairs = local->map = NULL;
    local->table = NULL;
    local->args = NULL;
    local->arg_count = 0;
    if (!local->match) {
        result = gpi_mpi_buffer(all, count * n->size, &n->own_match);
        local->match = n->own_match;
        local->match_offset = 0;
    }
    if (!local->depth && n->errors_wanted && result == GP_OK) {
        result = gpi_mpi_buffer(all, count * n->size, &n->own_depth);
        local->depth = n->own_depth;
        local->depth_offset = 0;
    }
    if (result == GP_OK)
        result = gpi_mpi_done(all, n->errors_wanted ? gp_brackets_read(all->gp, local, &n->errors)
                                                    : gp_brackets(all->gp, local));
    if (result == GP_OK)
        result = gpi_mpi_nest_select(all, n, "x < 0 && !~part_match[i]", &n->closers, &n->closer_count);
    if (result == GP_OK)
        result = gpi_mpi_nest_select(all, n, "x > 0 && !~part_match[i]", &list, &n->opener_count);
    if (result == GP_OK) result = gpi_mpi_nest_reverse(all, n, list);
    gpi_mpi_free(&list);
    return result;
}

/* Pops openers of earlier parts for the closers of part r. If part r has an element after these closers, the next
   opener, which encloses that element, is sent to part r, too. */
static void gpi_mpi_nest_pop(const gp_mpi *all, gpi_mpi_nest *n, gpi_mpi_nest_part *parts, int r)
{
    const uint64_t closers = parts[r].closers;
    uint64_t see = closers < parts[r].count ? closers + 1 : closers, pop = closers, height = 0;
    int q;
    if (r == all->rank)
        for (q = 0; q < r; q++) n->height += parts[q].left;
    for (q = r - 1; q >= 0 && see > 0; q--) {
        const uint64_t seen = parts[q].left < see ? parts[q].left : see;
        const uint64_t popped = parts[q].left < pop ? parts[q].left : pop;
        if (r == all->rank) {
            n->up.receives[q] = (int)seen;
            n->up.receives_at[q] = (int)n->lead;
            n->back.sends[q] = (int)popped;
            n->back.sends_at[q] = (int)n->matched;
            n->lead += seen;
            n->matched += popped;
        }
        if (q == all->rank) {
            n->up.sends[r] = (int)seen;
            n->back.receives[r] = (int)popped;
            n->up.sends_at[r] = n->back.receives_at[r] = (int)n->closed;
            n->closed += popped;
        }
        parts[q].left -= popped;
        see -= seen;
        pop -= popped;
    }
    parts[r].left = parts[r].openers;
    n->errors.unmatched_closers += pop;
    for (q = 0; q <= r; q++) height += parts[q].left;
    if (height > n->errors.max_depth) n->errors.max_depth = height;
}

/* Exchanges the numbers of unmatched brackets, and sets which brackets move to which ranks. */
static gp_result gpi_mpi_nest_resolve(gp_mpi *all, const char *function, gpi_mpi_nest *n)
{
    const size_t ranks = (size_t)all->ranks;
    gpi_mpi_nest_part own, *parts = (gpi_mpi_nest_part *)GPI_MPI_MALLOC(ranks * sizeof *parts);
    gp_result result = GP_OK;
    int r;
    n->memory = (int *)GPI_MPI_MALLOC(2 * gpi_mpi_moves_bytes(all));
    if (!parts || !n->memory) result = gpi_mpi_fail(all, GP_ERROR_OUT_OF_HOST_MEMORY, function, "no memory");
    result = gpi_mpi_agree(all, function, result);
    own.closers = n->closer_count;
    own.openers = n->opener_count;
    own.count = n->place.count;
    own.match_wanted = n->desc->match != NULL;
    own.left = 0;
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Allgather",
                             MPI_Allgather(&own, 5, MPI_UINT64_T, parts, 5, MPI_UINT64_T, all->comm));
    if (result == GP_OK) {
        memset(n->memory, 0, 2 * gpi_mpi_moves_bytes(all));
        gpi_mpi_moves_at(all, &n->up, n->memory);
        gpi_mpi_moves_at(all, &n->back, n->memory + gpi_mpi_moves_ints(all));
        n->errors.unmatched_closers = n->errors.unmatched_openers = n->errors.max_depth = 0;
        for (r = 0; r < all->ranks; r++) {
            n->match_wanted = n->match_wanted || parts[r].match_wanted;
            gpi_mpi_nest_pop(all, n, parts, r);
        }
        for (r = 0; r < all->ranks; r++) n->errors.unmatched_openers += parts[r].left;
        n->up.sent = (size_t)n->opener_count;
        n->up.received = (size_t)n->lead;
        n->back.sent = (size_t)n->matched;
        n->back.received = (size_t)n->closed;
        /* the positions after the openers from lower ranks, and after the closers that are sent back to these
           ranks */
        n->up.receives_at[all->rank] = (int)n->lead;
        n->back.sends_at[all->rank] = (int)n->matched;
    }
    GPI_MPI_FREE(parts);
    return result;
}

/* Converts indices in the part to indices in the whole array. Entries without an index are unchanged. `out` may be
   `in`. */
static gp_result gpi_mpi_nest_shift(gp_mpi *all, const gpi_mpi_nest *n, cl_mem in, cl_mem out, size_t offset,
                                    size_t count)
{
    const gp_arg arg = gpi_mpi_value("part_first", GP_U64, &n->place.first);
    gp_transform_desc transform;
    if (count == 0 || (in == out && n->place.first == 0)) return GP_OK;
    memset(&transform, 0, sizeof transform);
    transform.in = in;
    transform.in_offset = offset;
    transform.out = out;
    transform.out_offset = offset;
    transform.type = n->index_type;
    transform.map = "~x ? x + part_first : x";
    transform.args = &arg;
    transform.arg_count = 1;
    transform.count = count;
    return gpi_mpi_done(all, gp_transform(all->gp, &transform));
}

/* Writes partners in other parts to match: match[at[i]] = from[i] for `count` brackets. */
static gp_result gpi_mpi_nest_scatter(gp_mpi *all, const gpi_mpi_nest *n, cl_mem from, cl_mem at,
                                      uint64_t count)
{
    gp_gather_desc scatter;
    if (count == 0 || !n->desc->match) return GP_OK;
    memset(&scatter, 0, sizeof scatter);
    scatter.in = from;
    scatter.out = n->desc->match;
    scatter.out_offset = n->desc->match_offset;
    scatter.indices = at;
    scatter.index_type = n->index_type;
    scatter.element_size = n->size;
    scatter.limit = (size_t)n->place.count;
    scatter.count = (size_t)count;
    return gpi_mpi_done(all, gp_scatter(all->gp, &scatter));
}

/* Sends brackets to the ranks of their partners, receives those partners, and completes match. */
static gp_result gpi_mpi_nest_partners(gp_mpi *all, const char *function, gpi_mpi_nest *n)
{
    cl_mem sent = NULL, partners = NULL;
    gp_result result = gpi_mpi_buffer(all, n->up.sent * n->size, &sent);
    if (result == GP_OK) result = gpi_mpi_nest_shift(all, n, n->openers, sent, 0, n->up.sent);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_exchanged(all, function, &n->up, sent, n->size, 0, &n->stack);
    gpi_mpi_free(&sent);
    if (result == GP_OK && n->desc->match)
        result = gpi_mpi_nest_shift(all, n, n->desc->match, n->desc->match, n->desc->match_offset,
                                    (size_t)n->place.count);
    if (result == GP_OK) result = gpi_mpi_nest_scatter(all, n, n->stack, n->closers, n->matched);
    if (result == GP_OK) result = gpi_mpi_buffer(all, n->back.sent * n->size, &sent);
    if (result == GP_OK) result = gpi_mpi_nest_shift(all, n, n->closers, sent, 0, n->back.sent);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK && n->match_wanted)
        result = gpi_mpi_exchanged(all, function, &n->back, sent, n->size, 0, &partners);
    if (result == GP_OK) result = gpi_mpi_nest_scatter(all, n, partners, n->openers, n->closed);
    gpi_mpi_free(&sent);
    gpi_mpi_free(&partners);
    return gpi_mpi_agree(all, function, result);
}

/* Completes parents and depths with the openers before the part. */
static gp_result gpi_mpi_nest_around(gp_mpi *all, gpi_mpi_nest *n)
{
    const gp_brackets_desc *local = &n->local;
    gp_transform_desc transform;
    gp_arg args[4];
    gp_result result = GP_OK;
    if (n->place.count == 0) return GP_OK;
    if (n->height == 0)
        return local->parent ? gpi_mpi_nest_shift(all, n, local->parent, local->parent, local->parent_offset,
                                                  (size_t)n->place.count)
                             : GP_OK;
    args[0] = gpi_mpi_value("part_first", GP_U64, &n->place.first);
    args[1] = gpi_mpi_value("part_height", GP_U64, &n->height);
    args[2] = gpi_mpi_value("part_lead", GP_U64, &n->lead);
    args[3] = gpi_mpi_array("part_stack", n->index_type, n->stack, 0);
    memset(&transform, 0, sizeof transform);
    transform.type = n->index_type;
    transform.in2 = n->passed;
    transform.args = args;
    transform.arg_count = 4;
    transform.count = (size_t)n->place.count;
    if (local->depth) {
        transform.in = transform.out = local->depth;
        transform.in_offset = transform.out_offset = local->depth_offset;
        transform.map = "y < part_height ? x + part_height - y : x";
        result = gpi_mpi_done(all, gp_transform(all->gp, &transform));
    }
    if (local->parent && result == GP_OK) {
        transform.in = transform.out = local->parent;
        transform.in_offset = transform.out_offset = local->parent_offset;
        transform.map = "~x ? x + part_first : y < part_lead ? part_stack[y] : x";
        result = gpi_mpi_done(all, gp_transform(all->gp, &transform));
    }
    return result;
}

/* Counts pairs across ranks whose brackets differ in kind, and finds the first such pair. Each pair is counted by its
   closer's rank. */
static gp_result gpi_mpi_nest_mismatches(gp_mpi *all, const char *function, gpi_mpi_nest *n, uint64_t *count,
                                         uint64_t *first)
{
    const size_t size = gpi_mpi_size_of(n->code_type), matched = (size_t)n->matched;
    cl_mem sent = NULL, others = NULL, own = NULL;
    gp_reduce_desc reduce;
    gp_arg args[2];
    gp_result result = gpi_mpi_gathered(all, n->codes, n->codes_offset, (size_t)n->place.count, size,
                                        n->openers, n->index_type, n->up.sent, &sent);
    if (result == GP_OK)
        result = gpi_mpi_gathered(all, n->codes, n->codes_offset, (size_t)n->place.count, size, n->closers,
                                  n->index_type, matched, &own);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_exchanged(all, function, &n->up, sent, size, 0, &others);
    if (result == GP_OK && matched > 0) {
        args[0] = gpi_mpi_array("part_other", n->code_type, others, 0);
        args[1] = gpi_mpi_array("part_closers", n->index_type, n->closers, 0);
        memset(&reduce, 0, sizeof reduce);
        reduce.in = own;
        reduce.count = matched;
        reduce.type = n->code_type;
        reduce.out_type = GP_U64;
        reduce.op = GP_SUM;
        reduce.map = "x + part_other[i] != 0";
        reduce.args = args;
        reduce.arg_count = 2;
        result = gp_reduce_read(all->gp, &reduce, count);
        reduce.op = GP_MIN;
        reduce.map = "x + part_other[i] ? (ulong)part_closers[i] : ~0UL";
        if (result == GP_OK) result = gp_reduce_read(all->gp, &reduce, first);
    }
    gpi_mpi_free(&sent);
    gpi_mpi_free(&others);
    gpi_mpi_free(&own);
    return result;
}

/* Reads list[at], and converts it to an index in the whole array. */
static gp_result gpi_mpi_nest_index(gp_mpi *all, const char *function, const gpi_mpi_nest *n, cl_mem list,
                                    uint64_t at, uint64_t *index)
{
    uint32_t narrow = 0;
    const gp_result result = gpi_mpi_read(all, function, list, (size_t)at * n->size, n->size,
                                          n->size == 4 ? (void *)&narrow : (void *)index);
    if (n->size == 4) *index = narrow;
    *index += n->place.first;
    return result;
}

/* Computes the errors of the whole array from the errors within parts and those between parts. */
static gp_result gpi_mpi_nest_errors(gp_mpi *all, const char *function, gpi_mpi_nest *n)
{
    gp_brackets_errors *e = &n->errors;
    uint64_t count = 0, first = UINT64_MAX, sums[3], least[3];
    unsigned char depth[8] = {0};
    uint32_t narrow;
    gp_reduce_desc reduce;
    int i;
    gp_result result = gpi_mpi_nest_mismatches(all, function, n, &count, &first);
    if (n->place.count == 0) e->mismatches = e->joined = e->searches = 0, e->first_mismatch = UINT64_MAX;
    sums[0] = e->mismatches + count;
    sums[1] = e->joined + n->matched;
    sums[2] = e->searches;
    least[0] = first < e->first_mismatch ? first : e->first_mismatch;
    if (least[0] != UINT64_MAX) least[0] += n->place.first;
    else least[0] = INT64_MAX; /* MPICH 4.0 compares unsigned numbers as if they were signed */
    least[1] = least[2] = INT64_MAX;
    if (result == GP_OK && n->closer_count > n->matched)
        result = gpi_mpi_nest_index(all, function, n, n->closers, n->matched, &least[1]);
    if (result == GP_OK && n->opener_count > n->closed)
        result = gpi_mpi_nest_index(all, function, n, n->openers, n->opener_count - 1, &least[2]);
    if (result == GP_OK && n->place.count > 0) {
        memset(&reduce, 0, sizeof reduce);
        reduce.in = n->local.depth;
        reduce.in_offset = n->local.depth_offset;
        reduce.count = (size_t)n->place.count;
        reduce.type = reduce.out_type = n->index_type;
        reduce.op = GP_MAX;
        result = gp_reduce_read(all->gp, &reduce, depth);
    }
    memcpy(&narrow, depth, sizeof narrow);
    count = narrow;
    if (n->size == 8) memcpy(&count, depth, sizeof count);
    if (count > e->max_depth) e->max_depth = count;
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Allreduce",
                             MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_UINT64_T, MPI_SUM, all->comm));
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Allreduce",
                             MPI_Allreduce(MPI_IN_PLACE, least, 3, MPI_UINT64_T, MPI_MIN, all->comm));
    for (i = 0; i < 3; i++)
        if (least[i] == INT64_MAX) least[i] = UINT64_MAX;
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Allreduce",
                             MPI_Allreduce(MPI_IN_PLACE, &e->max_depth, 1, MPI_UINT64_T, MPI_MAX, all->comm));
    e->mismatches = sums[0];
    e->joined = sums[1];
    e->searches = sums[2];
    e->first_mismatch = least[0];
    e->first_unmatched_closer = least[1];
    e->first_unmatched_opener = least[2];
    return result;
}

/* Checks the desc, including all that gp_brackets checks. */
static gp_result gpi_mpi_nest_check(gp_mpi *all, const char *function, const gp_brackets_desc *desc,
                                    bool errors)
{
    size_t bytes;
    gp_result result = GP_OK;
    GPI_MPI_REFUSE_COMMON;
    GPI_MPI_REFUSE(errors);
    if (result == GP_OK && desc->count > INT32_MAX)
        result = gpi_mpi_fail(all, GP_ERROR_COUNT_LIMIT, function, "more than 2^31 - 1 elements in a part");
    if (result == GP_OK && desc->count > 0 && !desc->match && !desc->parent && !desc->depth && !errors)
        result = gpi_mpi_fail(all, GP_ERROR_INVALID_ARGUMENT, function,
                              "match, parent, depth and errors are NULL");
    return result == GP_OK ? gp_brackets_scratch_size(all->gp, desc, &bytes) : result;
}

/* Adds the terms on which the codes of brackets depend, because codes are compared across ranks. Codes that a map
   computes have more bits than codes of bytes, which depend on `pairs` or `table`. */
static void gpi_mpi_nest_terms(const gp_brackets_desc *desc, bool errors, gpi_mpi_terms *terms)
{
    const char *pairs = desc->pairs ? desc->pairs : "()[]{}";
    gpi_mpi_term(terms, "type", desc->type);
    gpi_mpi_term(terms, "index_type", desc->index_type);
    gpi_mpi_term(terms, "whether errors are asked for", errors);
    gpi_mpi_term(terms, "whether there is a map", desc->map != NULL);
    gpi_mpi_term_bytes(terms, "table", desc->table, desc->table ? 256 : 0);
    gpi_mpi_term_bytes(terms, "pairs", pairs, strlen(pairs));
}

static gp_result gpi_mpi_nest_run(gp_mpi *all, const char *function, gpi_mpi_nest *n)
{
    gp_result result = gpi_mpi_place(all, function, n->desc->count, &n->place);
    const bool wide = n->place.total > UINT32_MAX;
    n->index_type = n->desc->index_type ? n->desc->index_type : wide ? GP_U64 : GP_U32;
    n->size = gpi_mpi_size_of(n->index_type);
    if (result == GP_OK && wide && n->size == 4)
        result = gpi_mpi_fail(all, GP_ERROR_COUNT_LIMIT, function, "indices of the whole do not fit GP_U32");
    if (result == GP_OK) result = gpi_mpi_nest_own(all, function, n);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_nest_resolve(all, function, n);
    if (result == GP_OK && n->height > 0 && n->place.count > 0 && (n->local.parent || n->local.depth))
        result = gpi_mpi_nest_pass(all, n);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_nest_partners(all, function, n);
    if (result == GP_OK) result = gpi_mpi_nest_around(all, n);
    result = gpi_mpi_agree(all, function, result);
    return result == GP_OK && n->errors_wanted ? gpi_mpi_nest_errors(all, function, n) : result;
}

GP_MPI_API gp_result gp_mpi_brackets(gp_mpi *all, const gp_brackets_desc *desc, gp_brackets_errors *errors)
{
    static const char function[] = "gp_mpi_brackets";
    gpi_mpi_terms terms = gpi_mpi_terms_of(function);
    gpi_mpi_nest n;
    gp_result result = gpi_mpi_begin(&all, function, desc, "desc");
    if (!all) return result;
    memset(&n, 0, sizeof n);
    n.desc = desc;
    n.errors_wanted = errors != NULL;
    if (result == GP_OK) result = gpi_mpi_nest_check(all, function, desc, n.errors_wanted);
    if (result == GP_OK) gpi_mpi_nest_terms(desc, n.errors_wanted, &terms);
    result = gpi_mpi_same(all, function, result, &terms);
    if (result == GP_OK) result = gpi_mpi_nest_run(all, function, &n);
    gpi_mpi_free(&n.codes);
    gpi_mpi_free(&n.own_match);
    gpi_mpi_free(&n.own_depth);
    gpi_mpi_free(&n.closers);
    gpi_mpi_free(&n.openers);
    gpi_mpi_free(&n.passed);
    gpi_mpi_free(&n.stack);
    GPI_MPI_FREE(n.memory);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK && errors) *errors = n.errors;
    return gpi_mpi_end(all, result);
}
/* ---- End file mpi/calls/brackets.c ---- */

/* ---- Begin file mpi/calls/group_by.h ---- */
/* group_by.h - declares the function of group_by.c that other calls use. */
static bool gpi_mpi_moves_alone(size_t size);
/* ---- End file mpi/calls/group_by.h ---- */

/* ---- Begin file mpi/calls/reduce.h ---- */
/* reduce.h - declares the function of reduce.c that other calls use. */
static gp_type gpi_mpi_sum_type(gp_op op, gp_type type);
/* ---- End file mpi/calls/reduce.h ---- */

/* ---- Begin file mpi/calls/group_by.c ---- */
/* group_by.c - gp_mpi_group_by: groups elements of all ranks by key, and reduces each group. */
/* Temporary keys and values in three stages: sorted, grouped, received. */
typedef struct gpi_mpi_groups {
    cl_mem keys[3], values[3];
    size_t in_size, out_size;
    gp_type out_type; /* unused with a monoid */
} gpi_mpi_groups;

/* Returns true if gp_sort can move values of `size` bytes. */
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

/* Creates the buffers of a stage for `count` keys with values of `size` bytes. */
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

/* Sorts this rank's elements into the first stage, and reduces them by key into the second stage. */
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

/* Checks that results do not overlap inputs. gp_reduce_by_key cannot check this here, because it sees only copies. */
static gp_result gpi_mpi_group_apart(gp_mpi *all, const char *function, const gp_reduce_by_key_desc *desc,
                                     const gpi_mpi_groups *g, size_t received)
{
    const size_t key_size = gpi_mpi_size_of(desc->key_type);
    const gpi_mpi_span read[] = {
        gpi_mpi_span_of("keys", desc->keys, desc->keys_offset, desc->count, key_size),
        gpi_mpi_span_of("in", desc->in, desc->in_offset, desc->count, g->in_size)};
    const gpi_mpi_span written[] = {
        gpi_mpi_span_of("keys_out", desc->keys_out, desc->keys_out_offset, received, key_size),
        gpi_mpi_span_of("out", desc->out, desc->out_offset, received, g->out_size)};
    gp_result result = GP_OK;
    int i, k;
    for (k = 0; k < 2 && result == GP_OK; k++) {
        for (i = 0; i < 2 && result == GP_OK; i++)
            result = gpi_mpi_check_apart(all, function, &read[i], &written[k], false);
        if (result == GP_OK)
            result = gpi_mpi_check_args_apart(all, function, desc->args, desc->arg_count, &written[k]);
    }
    return result;
}

/* Sorts the received groups of the third stage and reduces them by key, into the caller's buffers. */
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
    if (result == GP_OK) result = gpi_mpi_group_apart(all, function, desc, g, s->moves.received);
    if (result == GP_OK) result = gpi_mpi_group_received(all, desc, g, s->moves.received, &count);
    result = gpi_mpi_agree(all, function, result);
    return result == GP_OK ? gpi_mpi_place(all, function, count, place) : result;
}

GP_MPI_API gp_result gp_mpi_group_by(gp_mpi *all, const gp_reduce_by_key_desc *desc, gp_mpi_part *part)
{
    static const char function[] = "gp_mpi_group_by";
    gpi_mpi_terms terms = gpi_mpi_terms_of(function);
    gpi_mpi_groups groups;
    gpi_mpi_split s;
    gp_mpi_part place;
    gp_result result = gpi_mpi_begin(&all, function, desc, "desc");
    int i;
    if (!all) return result;
    memset(&groups, 0, sizeof groups);
    memset(&s, 0, sizeof s);
    if (result == GP_OK) result = gpi_mpi_group_check(all, function, desc, &groups);
    if (result == GP_OK) {
        gpi_mpi_term(&terms, "key_type", desc->key_type);
        gpi_mpi_term(&terms, "type", desc->type);
        gpi_mpi_term(&terms, "out_type", groups.out_type);
        gpi_mpi_term(&terms, "monoid", groups.out_size);
        gpi_mpi_term(&terms, "op", desc->op);
    }
    result = gpi_mpi_same(all, function, result, &terms);
    if (result == GP_OK) result = gpi_mpi_group_run(all, function, desc, &groups, &s, &place);
    for (i = 0; i < 3; i++) gpi_mpi_group_free(&groups, i);
    gpi_mpi_split_close(&s);
    if (result == GP_OK && part) *part = place;
    return gpi_mpi_end(all, gpi_mpi_agree(all, function, result));
}
/* ---- End file mpi/calls/group_by.c ---- */

/* ---- Begin file mpi/calls/histogram.c ---- */
/* histogram.c - gp_mpi_histogram: counts each part, and adds up the counts of all ranks. */
GP_MPI_API gp_result gp_mpi_histogram(gp_mpi *all, const gp_histogram_desc *desc)
{
    static const char function[] = "gp_mpi_histogram";
    gpi_mpi_terms terms = gpi_mpi_terms_of(function);
    size_t counts = 0, size = 0;
    void *mapped = NULL;
    gp_result result = gpi_mpi_begin(&all, function, desc, "desc"), unmapped;
    if (!all) return result;
    if (result == GP_OK) {
        const uint32_t channels = desc->channels ? desc->channels : 1;
        const uint32_t counted = desc->channels_out ? desc->channels_out : channels;
        const size_t bins = desc->bins ? desc->bins : 256;
        counts = counted * bins;
        size = desc->out_type == GP_U64 ? 8 : 4;
        gpi_mpi_term(&terms, "type", desc->type);
        gpi_mpi_term(&terms, "map_type", desc->map_type ? desc->map_type : desc->type);
        gpi_mpi_term_if(&terms, "weight_type", desc->weight_type, desc->weights || desc->weight_type);
        gpi_mpi_term(&terms, "channels or channels_out", (uint64_t)channels << 32 | counted);
        gpi_mpi_term(&terms, "bins", bins);
        gpi_mpi_term(&terms, "lower", desc->lower.u64);
        gpi_mpi_term(&terms, "upper", desc->upper.u64);
        gpi_mpi_term(&terms, "whether there are edges", desc->edges != NULL);
        gpi_mpi_term(&terms, "out_type", size);
        GPI_MPI_REFUSE(count_buffer);
        GPI_MPI_REFUSE(wait_count);
        GPI_MPI_REFUSE(done);
        GPI_MPI_REFUSE(accumulate);
    }
    if (result == GP_OK && counts > INT32_MAX)
        result = gpi_mpi_fail(all, GP_ERROR_COUNT_LIMIT, function, "more than 2^31 - 1 counts");
    result = gpi_mpi_same(all, function, result, &terms);
    if (result == GP_OK) {
        gp_histogram_desc own = *desc;
        if (!own.count && !own.weights) own.weight_type = (gp_type)0;
        result = gp_histogram(all->gp, &own);
    }
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
    return gpi_mpi_end(all, gpi_mpi_agree(all, function, result == GP_OK ? unmapped : result));
}
/* ---- End file mpi/calls/histogram.c ---- */

/* ---- Begin file mpi/calls/join.c ---- */
/* join.c - gp_mpi_join: looks up keys of all ranks in a table whose keys are divided among the ranks. */
/* The keys of one side of the join that this rank sends. */
typedef struct gpi_mpi_side {
    cl_mem keys, rows; /* distinct keys, each with the index of its first or last element */
    cl_mem order;      /* numbers of these keys, ordered by the ranks to which they move */
    size_t distinct;
    int *memory;
    gpi_mpi_moves moves;
} gpi_mpi_side;

typedef struct gpi_mpi_join {
    const gp_mpi_join_desc *desc;
    gp_type key_type;
    size_t key_size, value_size;
    gpi_mpi_side build, probe;
    gp_hash table;       /* keys of all ranks' build sides, each with its index in keys and values */
    cl_mem keys, values; /* received keys; received values, and one for absent keys */
    cl_mem sent, rows, asked, answers; /* temporary */
    cl_mem places, found, back, back_found;
} gpi_mpi_join;

/* Creates a table that maps each key to its first or last index. No index equals the reserved value. */
static gp_result gpi_mpi_join_insert(gp_mpi *all, const gpi_mpi_join *j, cl_mem keys, size_t keys_offset,
                                     size_t count, gp_hash *table)
{
    static const uint32_t none = UINT32_MAX;
    gp_hash_desc desc;
    gp_hash_insert_desc insert;
    gp_iota_desc iota;
    cl_mem indices = NULL;
    gp_result result;
    memset(&desc, 0, sizeof desc);
    memset(&insert, 0, sizeof insert);
    memset(&iota, 0, sizeof iota);
    desc.key_size = j->key_size;
    desc.value_size = sizeof none;
    desc.expected_count = count ? count : 1;
    desc.reserved = &none;
    desc.seed = j->desc->seed;
    result = gpi_mpi_done(all, gp_hash_create(all->gp, &desc, table));
    if (result != GP_OK || count == 0) return result;
    result = gpi_mpi_buffer(all, count * sizeof none, &indices);
    iota.out = indices;
    iota.type = GP_U32;
    iota.count = count;
    if (result == GP_OK) result = gpi_mpi_done(all, gp_iota(all->gp, &iota));
    insert.keys = keys;
    insert.keys_offset = keys_offset;
    insert.values = indices;
    insert.count = count;
    insert.op = j->desc->last ? GP_MAX : GP_MIN;
    insert.type = GP_U32;
    if (result == GP_OK) result = gpi_mpi_done(all, gp_hash_insert_or_apply(all->gp, *table, &insert));
    gpi_mpi_free(&indices);
    return result;
}

/* Creates *values, where values[i] is the index of keys[i] in the table, or `absent`. Creates *found, too, as gp_hash_find
   writes it, unless `found` is NULL. */
static gp_result gpi_mpi_join_find(gp_mpi *all, gp_hash table, cl_mem keys, size_t keys_offset, size_t count,
                                   uint32_t absent, cl_mem *values, cl_mem *found)
{
    gp_hash_find_desc find;
    gp_result result = gpi_mpi_buffer(all, count * sizeof absent, values);
    if (result == GP_OK && found) result = gpi_mpi_buffer(all, count, found);
    if (result != GP_OK || count == 0) return result;
    memset(&find, 0, sizeof find);
    find.keys = keys;
    find.keys_offset = keys_offset;
    find.values = *values;
    find.found = found ? *found : NULL;
    find.absent = &absent;
    find.count = count;
    return gpi_mpi_done(all, gp_hash_find(all->gp, table, &find));
}

/* Finds this rank's distinct keys, each with the index of its first or last element. */
static gp_result gpi_mpi_join_distinct(gp_mpi *all, const gpi_mpi_join *j, cl_mem keys, size_t keys_offset,
                                       size_t count, gpi_mpi_side *side)
{
    gp_hash_retrieve_desc retrieve;
    gp_hash table;
    cl_mem live = NULL;
    gp_result result;
    table.id = 0;
    result = gpi_mpi_join_insert(all, j, keys, keys_offset, count, &table);
    if (result == GP_OK) result = gp_hash_size_read(all->gp, table, &side->distinct);
    if (result == GP_OK) result = gpi_mpi_buffer(all, side->distinct * j->key_size, &side->keys);
    if (result == GP_OK) result = gpi_mpi_buffer(all, side->distinct * sizeof(uint32_t), &side->rows);
    if (result == GP_OK) result = gpi_mpi_buffer(all, sizeof(uint32_t), &live);
    if (result == GP_OK && side->distinct > 0) {
        memset(&retrieve, 0, sizeof retrieve);
        retrieve.keys = side->keys;
        retrieve.values = side->rows;
        retrieve.room = side->distinct;
        retrieve.live_count = live;
        result = gpi_mpi_done(all, gp_hash_retrieve(all->gp, table, &retrieve));
    }
    gpi_mpi_free(&live);
    if (table.id) (void)gp_hash_destroy(all->gp, table);
    return result;
}

/* Orders keys by the ranks to which a hash assigns them, and finds where each rank's keys end. This hash differs from a
   table's hash, so that the keys in a rank's table do not have similar hashes. */
static gp_result gpi_mpi_join_order(gp_mpi *all, const char *function, const gpi_mpi_join *j,
                                    gpi_mpi_side *side, cl_mem owners, cl_mem ends_out, uint64_t *ends)
{
#define GPI_MPI_KEY "((ulong)x ^ part_seed)"
#define GPI_MPI_MIXED "((" GPI_MPI_KEY " ^ " GPI_MPI_KEY " >> 32) * 0x9e3779b97f4a7c15UL)"
    static const char owner[] =
        "(((" GPI_MPI_MIXED " ^ " GPI_MPI_MIXED " >> 29) * 0xbf58476d1ce4e5b9UL) >> 32) * part_ranks >> 32";
#undef GPI_MPI_MIXED
#undef GPI_MPI_KEY
    const cl_ulong ranks = (cl_ulong)all->ranks;
    const gp_arg args[] = {gpi_mpi_value("part_ranks", GP_U64, &ranks),
                           gpi_mpi_value("part_seed", GP_U64, &j->desc->seed)};
    gp_transform_desc transform;
    gp_iota_desc iota;
    gp_sort_desc sort;
    gp_search_desc search;
    gp_result result;
    memset(&transform, 0, sizeof transform);
    memset(&iota, 0, sizeof iota);
    memset(&sort, 0, sizeof sort);
    memset(&search, 0, sizeof search);
    transform.in = side->keys;
    transform.type = j->key_type;
    transform.out = sort.keys = search.keys = owners;
    transform.out_type = sort.key_type = search.key_type = iota.type = GP_U32;
    transform.map = owner;
    transform.args = args;
    transform.arg_count = 2;
    transform.count = iota.count = sort.count = search.count = side->distinct;
    iota.out = sort.values = side->order;
    sort.value_size = sizeof(uint32_t);
    sort.end_bit = 1;
    while (sort.end_bit < 31 && ranks - 1 >= (cl_ulong)1 << sort.end_bit) sort.end_bit++;
    search.needle_count = (size_t)ranks;
    search.out = ends_out;
    search.upper = true; /* needle r is rank r */
    result = gpi_mpi_done(all, gp_transform(all->gp, &transform));
    if (result == GP_OK) result = gpi_mpi_done(all, gp_iota(all->gp, &iota));
    if (result == GP_OK) result = gpi_mpi_done(all, gp_sort(all->gp, &sort));
    if (result == GP_OK) result = gpi_mpi_done(all, gp_search(all->gp, &search));
    if (result != GP_OK) return result;
    return gpi_mpi_read(all, function, ends_out, 0, (size_t)ranks * sizeof *ends, ends);
}

/* Creates *sent with the keys that this rank sends, sends them, and creates *come with the keys that it receives. */
static gp_result gpi_mpi_join_send(gp_mpi *all, const char *function, const gpi_mpi_join *j,
                                   gpi_mpi_side *side, cl_mem *sent, cl_mem *come)
{
    const size_t ranks = (size_t)all->ranks, count = side->distinct;
    cl_mem owners = NULL, ends_out = NULL;
    uint64_t *ends = (uint64_t *)GPI_MPI_MALLOC(ranks * sizeof *ends);
    gp_result result = GP_OK;
    size_t r;
    side->memory = (int *)GPI_MPI_MALLOC(gpi_mpi_moves_bytes(all));
    if (!ends || !side->memory)
        result = gpi_mpi_fail(all, GP_ERROR_OUT_OF_HOST_MEMORY, function, "no memory");
    else memset(ends, 0, ranks * sizeof *ends);
    if (result == GP_OK) result = gpi_mpi_buffer(all, count * sizeof(uint32_t), &owners);
    if (result == GP_OK) result = gpi_mpi_buffer(all, count * sizeof(uint32_t), &side->order);
    if (result == GP_OK) result = gpi_mpi_buffer(all, ranks * sizeof *ends, &ends_out);
    if (result == GP_OK && count > 0)
        result = gpi_mpi_join_order(all, function, j, side, owners, ends_out, ends);
    if (result == GP_OK)
        result = gpi_mpi_gathered(all, side->keys, 0, count, j->key_size, side->order, GP_U32, count, sent);
    gpi_mpi_free(&owners);
    gpi_mpi_free(&ends_out);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) {
        gpi_mpi_moves_at(all, &side->moves, side->memory);
        for (r = 0; r < ranks; r++) side->moves.sends[r] = (int)(ends[r] - (r ? ends[r - 1] : 0));
        result = gpi_mpi_moves_tell(all, function, &side->moves);
    }
    GPI_MPI_FREE(ends);
    if (result != GP_OK) return result;
    return gpi_mpi_exchanged(all, function, &side->moves, *sent, j->key_size, 0, come);
}

/* Creates a buffer with the build side's values at j->rows. Without values, creates a buffer of indices in the whole
   array, in which this rank's first element has index `first`. */
static gp_result gpi_mpi_join_values(gp_mpi *all, const gpi_mpi_join *j, uint64_t first, cl_mem *out)
{
    const gp_mpi_join_desc *desc = j->desc;
    const size_t count = j->build.distinct;
    const gp_arg arg = gpi_mpi_value("part_first", GP_U64, &first);
    gp_transform_desc transform;
    gp_result result;
    if (desc->value_size > 0)
        return gpi_mpi_gathered(all, desc->build_values, desc->build_values_offset, desc->build_count,
                                desc->value_size, j->rows, GP_U32, count, out);
    result = gpi_mpi_buffer(all, count * sizeof first, out);
    if (result != GP_OK || count == 0) return result;
    memset(&transform, 0, sizeof transform);
    transform.in = j->rows;
    transform.type = GP_U32;
    transform.out = *out;
    transform.out_type = GP_U64;
    transform.map = "x + part_first";
    transform.args = &arg;
    transform.arg_count = 1;
    transform.count = count;
    return gpi_mpi_done(all, gp_transform(all->gp, &transform));
}

/* Sends the build side's keys and values to the ranks that own them, and puts the received keys into a table. */
static gp_result gpi_mpi_join_build(gp_mpi *all, const char *function, gpi_mpi_join *j)
{
    const gp_mpi_join_desc *desc = j->desc;
    unsigned char absent[16];
    gp_mpi_part place;
    cl_mem values = NULL;
    gp_result result = gpi_mpi_place(all, function, desc->build_count, &place);
    memset(absent, 0xff, sizeof absent);
    if (desc->absent) memcpy(absent, desc->absent, j->value_size);
    if (result == GP_OK)
        result = gpi_mpi_join_distinct(all, j, desc->build_keys, desc->build_keys_offset, desc->build_count,
                                       &j->build);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_join_send(all, function, j, &j->build, &j->sent, &j->keys);
    if (result == GP_OK)
        result = gpi_mpi_gathered(all, j->build.rows, 0, j->build.distinct, sizeof(uint32_t), j->build.order,
                                  GP_U32, j->build.distinct, &j->rows);
    if (result == GP_OK) result = gpi_mpi_join_values(all, j, place.first, &values);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK)
        result = gpi_mpi_exchanged(all, function, &j->build.moves, values, j->value_size, 1, &j->values);
    if (result == GP_OK)
        result = gpi_mpi_cl(all, function, "clEnqueueWriteBuffer",
                            clEnqueueWriteBuffer(gp_cl_queue(all->gp), j->values, CL_TRUE,
                                                 j->build.moves.received * j->value_size, j->value_size,
                                                 absent, 0, NULL, NULL));
    if (result == GP_OK) result = gpi_mpi_join_insert(all, j, j->keys, 0, j->build.moves.received, &j->table);
    gpi_mpi_free(&values);
    gpi_mpi_free(&j->keys);
    gpi_mpi_free(&j->sent);
    gpi_mpi_free(&j->rows);
    return gpi_mpi_agree(all, function, result);
}

/* Finds, for each key of the probe side, the index of its answer. */
static gp_result gpi_mpi_join_ask(gp_mpi *all, const char *function, gpi_mpi_join *j)
{
    const gp_mpi_join_desc *desc = j->desc;
    const size_t distinct = j->probe.distinct;
    gp_hash table;
    gp_result result;
    table.id = 0;
    result = gpi_mpi_join_insert(all, j, j->sent, 0, distinct, &table);
    if (result == GP_OK)
        result =
            gpi_mpi_join_find(all, table, desc->keys, desc->keys_offset, desc->count, 0, &j->places, NULL);
    if (table.id) (void)gp_hash_destroy(all->gp, table);
    return gpi_mpi_agree(all, function, result);
}

static gp_result gpi_mpi_join_rows(gp_mpi *all, const gpi_mpi_join *j, cl_mem answers, size_t size,
                                   cl_mem out, size_t out_offset)
{
    gp_gather_desc gather;
    if (!out || j->desc->count == 0) return GP_OK;
    memset(&gather, 0, sizeof gather);
    gather.in = answers;
    gather.out = out;
    gather.out_offset = out_offset;
    gather.indices = j->places;
    gather.element_size = size;
    gather.limit = j->probe.distinct;
    gather.count = j->desc->count;
    return gpi_mpi_done(all, gp_gather(all->gp, &gather));
}

static gp_result gpi_mpi_join_probe(gp_mpi *all, const char *function, gpi_mpi_join *j)
{
    const gp_mpi_join_desc *desc = j->desc;
    const size_t received = j->build.moves.received;
    gpi_mpi_moves back;
    gp_result result = gpi_mpi_join_distinct(all, j, desc->keys, desc->keys_offset, desc->count, &j->probe);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_join_send(all, function, j, &j->probe, &j->sent, &j->asked);
    if (result == GP_OK) result = gpi_mpi_join_ask(all, function, j);
    if (result != GP_OK) return result;
    back = gpi_mpi_moves_back(&j->probe.moves);
    result =
        gpi_mpi_join_find(all, j->table, j->asked, 0, back.sent, (uint32_t)received, &j->rows, &j->found);
    if (result == GP_OK)
        result = gpi_mpi_gathered(all, j->values, 0, received + 1, j->value_size, j->rows, GP_U32, back.sent,
                                  &j->answers);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK)
        result = gpi_mpi_exchanged(all, function, &back, j->answers, j->value_size, 0, &j->back);
    if (result == GP_OK) result = gpi_mpi_exchanged(all, function, &back, j->found, 1, 0, &j->back_found);
    if (result == GP_OK)
        result = gpi_mpi_join_rows(all, j, j->back, j->value_size, desc->out, desc->out_offset);
    return result == GP_OK ? gpi_mpi_join_rows(all, j, j->back_found, 1, desc->found, desc->found_offset)
                           : result;
}

/* Fails if `out` and `found` overlap. No other check finds this, because different calls write them. */
static gp_result gpi_mpi_join_apart(gp_mpi *all, const char *function, const gpi_mpi_join *j)
{
    const gp_mpi_join_desc *desc = j->desc;
    gpi_mpi_bytes out, found;
    cl_int error;
    gp_result result;
    if (!desc->out || !desc->found) return GP_OK;
    error = gpi_mpi_bytes_of(desc->out, desc->out_offset, desc->count, j->value_size, &out);
    if (error == CL_SUCCESS)
        error = gpi_mpi_bytes_of(desc->found, desc->found_offset, desc->count, 1, &found);
    result = gpi_mpi_cl(all, function, "clGetMemObjectInfo", error);
    if (result != GP_OK || !gpi_mpi_overlap(&out, &found)) return result;
    return gpi_mpi_fail(all, GP_ERROR_OVERLAP, function, "out and found overlap");
}

static gp_result gpi_mpi_join_check(gp_mpi *all, const char *function, gpi_mpi_join *j)
{
    const gp_mpi_join_desc *desc = j->desc;
    const size_t most = (size_t)1 << 30;
    gp_result result = GP_OK;
    j->key_size = desc->key_size;
    j->key_type = desc->key_size == 8 ? GP_U64 : GP_U32;
    j->value_size = desc->value_size ? desc->value_size : sizeof(uint64_t);
    if (desc->key_size != 4 && desc->key_size != 8)
        return gpi_mpi_fail(all, GP_ERROR_INVALID_ARGUMENT, function, "key_size is not 4 or 8");
    if (!gpi_mpi_moves_alone(j->value_size))
        return gpi_mpi_fail(all, GP_ERROR_INVALID_ARGUMENT, function,
                            "value_size is not 0, 1, 2, 4, 8 or 16");
    if (desc->value_size == 0 && desc->build_values)
        return gpi_mpi_fail(all, GP_ERROR_INVALID_ARGUMENT, function,
                            "build_values is set, but value_size is 0");
    if (desc->count > most || desc->build_count > most)
        return gpi_mpi_fail(all, GP_ERROR_COUNT_LIMIT, function, "more than 2^30 elements in a part");
    if (desc->count > 0 && !desc->out && !desc->found)
        return gpi_mpi_fail(all, GP_ERROR_INVALID_ARGUMENT, function, "out and found are NULL");
    result = gpi_mpi_room(all, function, "build_keys", desc->build_keys, desc->build_keys_offset,
                          desc->build_count, j->key_size);
    if (result == GP_OK && desc->value_size)
        result = gpi_mpi_room(all, function, "build_values", desc->build_values, desc->build_values_offset,
                              desc->build_count, j->value_size);
    if (result == GP_OK)
        result = gpi_mpi_room(all, function, "keys", desc->keys, desc->keys_offset, desc->count, j->key_size);
    if (result == GP_OK && desc->out)
        result = gpi_mpi_room(all, function, "out", desc->out, desc->out_offset, desc->count, j->value_size);
    if (result == GP_OK && desc->found)
        result = gpi_mpi_room(all, function, "found", desc->found, desc->found_offset, desc->count, 1);
    return result == GP_OK ? gpi_mpi_join_apart(all, function, j) : result;
}

static void gpi_mpi_side_free(gpi_mpi_side *side)
{
    gpi_mpi_free(&side->keys);
    gpi_mpi_free(&side->rows);
    gpi_mpi_free(&side->order);
    GPI_MPI_FREE(side->memory);
}

static void gpi_mpi_join_free(gp_mpi *all, gpi_mpi_join *j)
{
    gpi_mpi_side_free(&j->build);
    gpi_mpi_side_free(&j->probe);
    gpi_mpi_free(&j->keys);
    gpi_mpi_free(&j->values);
    gpi_mpi_free(&j->sent);
    gpi_mpi_free(&j->rows);
    gpi_mpi_free(&j->asked);
    gpi_mpi_free(&j->answers);
    gpi_mpi_free(&j->places);
    gpi_mpi_free(&j->found);
    gpi_mpi_free(&j->back);
    gpi_mpi_free(&j->back_found);
    if (j->table.id) (void)gp_hash_destroy(all->gp, j->table);
}

GP_MPI_API gp_result gp_mpi_join(gp_mpi *all, const gp_mpi_join_desc *desc)
{
    static const char function[] = "gp_mpi_join";
    gpi_mpi_terms terms = gpi_mpi_terms_of(function);
    gpi_mpi_join j;
    unsigned char ones[16];
    gp_result result = gpi_mpi_begin(&all, function, desc, "desc");
    if (!all) return result;
    memset(&j, 0, sizeof j);
    memset(ones, 0xff, sizeof ones);
    j.desc = desc;
    if (result == GP_OK) result = gpi_mpi_join_check(all, function, &j);
    if (result == GP_OK) {
        gpi_mpi_term(&terms, "key_size", desc->key_size);
        gpi_mpi_term(&terms, "value_size", desc->value_size);
        gpi_mpi_term(&terms, "last", desc->last);
        gpi_mpi_term(&terms, "seed", desc->seed);
        gpi_mpi_term_bytes(&terms, "absent", desc->absent ? desc->absent : ones, j.value_size);
    }
    result = gpi_mpi_same(all, function, result, &terms);
    if (result == GP_OK) result = gpi_mpi_join_build(all, function, &j);
    if (result == GP_OK) result = gpi_mpi_join_probe(all, function, &j);
    gpi_mpi_join_free(all, &j);
    return gpi_mpi_end(all, gpi_mpi_agree(all, function, result));
}
/* ---- End file mpi/calls/join.c ---- */

/* ---- Begin file mpi/calls/reduce.c ---- */
/* reduce.c - gp_mpi_reduce: reduces each part, then the results of all ranks. */
/* Returns the type that gp_reduce uses if out_type is 0. */
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
    gpi_mpi_terms terms = gpi_mpi_terms_of(function);
    unsigned char own[64];
    gp_reduce_desc part, parts;
    gp_type type = (gp_type)0;
    size_t size = 0;
    cl_mem gathered = NULL;
    gp_result result = gpi_mpi_begin(&all, function, desc, "desc");
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
        gpi_mpi_term(&terms, "type", desc->type);
        gpi_mpi_term(&terms, "type2", desc->type2 ? desc->type2 : desc->type);
        gpi_mpi_term(&terms, "out_type", type);
        gpi_mpi_term(&terms, "monoid", size);
        gpi_mpi_term(&terms, "op", desc->op);
        gpi_mpi_term(&terms, "compensated", desc->compensated);
        terms.second = desc->in2 || desc->type2;
    }
    result = gpi_mpi_same(all, function, result, &terms);
    if (result == GP_OK) {
        part = *desc;
        part.initial = NULL;
        if (terms.second && !part.type2) part.type2 = part.type; /* so that y has a type even if count is 0 */
        if (size > sizeof own) size = 0;                         /* gp_reduce reports why */
        result = gp_reduce_read(all->gp, &part, own);
    }
    result = gpi_mpi_agree(all, function, result);
    if (result != GP_OK) return gpi_mpi_end(all, result);
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
    if (result != GP_OK)
        return gpi_mpi_end(all, result); /* the broadcast is needed: devices may add up in different orders */
    return gpi_mpi_end(all, gpi_mpi_did(all, function, "MPI_Bcast",
                                        MPI_Bcast(result_out, (int)size, MPI_BYTE, 0, all->comm)));
}
/* ---- End file mpi/calls/reduce.c ---- */

/* ---- Begin file mpi/calls/scan.c ---- */
/* scan.c - gp_mpi_scan: reduces each part, then scans it from the product of all elements before it. */
/* Writes to `before` the product of all elements before this part (in reverse: after it), starting from the initial value. */
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
    gpi_mpi_terms terms = gpi_mpi_terms_of(function);
    unsigned char total[64], before[64];
    gp_reduce_desc sum;
    gp_scan_desc part;
    gp_type type = (gp_type)0;
    size_t size = 0;
    gp_result result = gpi_mpi_begin(&all, function, desc, "desc");
    if (!all) return result;
    if (result == GP_OK) {
        GPI_MPI_REFUSE_COMMON;
        GPI_MPI_REFUSE(segments);
        GPI_MPI_REFUSE(op == GP_ARGMIN);
        GPI_MPI_REFUSE(op == GP_ARGMAX);
        type = desc->out_type ? desc->out_type : desc->type;
        size = desc->monoid ? desc->monoid->size : gpi_mpi_size_of(type);
        gpi_mpi_term(&terms, "type", desc->type);
        gpi_mpi_term(&terms, "out_type", type);
        gpi_mpi_term(&terms, "monoid", size);
        gpi_mpi_term(&terms, "op", desc->op);
        gpi_mpi_term(&terms, "exclusive", desc->exclusive);
        gpi_mpi_term(&terms, "reverse", desc->reverse);
        gpi_mpi_term(&terms, "deterministic", desc->deterministic);
    }
    result = gpi_mpi_same(all, function, result, &terms);
    if (result == GP_OK) {
        if (size > sizeof total) size = 0; /* gp_reduce reports why */
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
    return gpi_mpi_end(all, gpi_mpi_agree(all, function, result));
}
/* ---- End file mpi/calls/scan.c ---- */

/* ---- Begin file mpi/calls/select.c ---- */
/* select.c - gp_mpi_select: selects elements of each part, and divides them evenly over the ranks. */
/* Sets the moves that divide an array evenly over the ranks. At first *part is the part that this rank has now; sets
   *part to its even part. */
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

/* Sets *part to the position of this rank's `count` elements in the whole array. */
static gp_result gpi_mpi_place(gp_mpi *all, const char *function, uint64_t count, gp_mpi_part *part)
{
    gp_result result = gpi_mpi_did(all, function, "MPI_Allreduce",
                                   MPI_Allreduce(&count, &part->total, 1, MPI_UINT64_T, MPI_SUM, all->comm));
    part->first = 0;
    part->count = count;
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Exscan",
                             MPI_Exscan(&count, &part->first, 1, MPI_UINT64_T, MPI_SUM, all->comm));
    if (all->rank == 0) part->first = 0; /* MPI_Exscan leaves it undefined */
    return result;
}

/* Checks the output of the part's `received` elements, of `size` bytes each, as gp_select does. */
static gp_result gpi_mpi_select_check(gp_mpi *all, const char *function, const gp_select_desc *desc,
                                      size_t received, size_t size)
{
    const gp_type flags = desc->flags_type ? desc->flags_type : GP_U8;
    const gpi_mpi_span out = gpi_mpi_span_of("out", desc->out, desc->out_offset, received, size);
    gpi_mpi_span other = gpi_mpi_span_of("in", desc->in, desc->in_offset, desc->count, size);
    gp_result result = gpi_mpi_check_written(all, function, &out, false);
    if (result == GP_OK) result = gpi_mpi_check_apart(all, function, &other, &out, false);
    other = gpi_mpi_span_of("flags", desc->flags, desc->flags_offset, desc->count, gpi_mpi_size_of(flags));
    if (result == GP_OK) result = gpi_mpi_check_apart(all, function, &other, &out, false);
    if (result == GP_OK) result = gpi_mpi_check_args_apart(all, function, desc->args, desc->arg_count, &out);
    return result;
}

GP_MPI_API gp_result gp_mpi_select(gp_mpi *all, const gp_select_desc *desc, gp_mpi_part *part)
{
    static const char function[] = "gp_mpi_select";
    gpi_mpi_terms terms = gpi_mpi_terms_of(function);
    gpi_mpi_moves moves;
    gp_mpi_part place;
    int *memory = NULL;
    cl_mem chosen = NULL;
    size_t size = 0;
    uint64_t count = 0;
    gp_result result = gpi_mpi_begin(&all, function, desc, "desc");
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
        gpi_mpi_term(&terms, "type", desc->type);
        gpi_mpi_term(&terms, "type, record or element_size", size);
        gpi_mpi_term_if(&terms, "flags_type", desc->flags_type ? desc->flags_type : GP_U8,
                        desc->flags || desc->flags_type);
    }
    if (result == GP_OK && desc->count > INT32_MAX)
        result = gpi_mpi_fail(all, GP_ERROR_COUNT_LIMIT, function, "more than 2^31 - 1 elements in a part");
    result = gpi_mpi_same(all, function, result, &terms);
    if (result == GP_OK) {
        memory = (int *)GPI_MPI_MALLOC(gpi_mpi_moves_bytes(all));
        if (!memory) result = gpi_mpi_fail(all, GP_ERROR_OUT_OF_HOST_MEMORY, function, "no memory");
        else result = gpi_mpi_buffer(all, desc->count * size, &chosen);
    }
    if (result == GP_OK && (desc->count || desc->flags || desc->predicate)) {
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
        result = gpi_mpi_select_check(all, function, desc, moves.received, size);
        result = gpi_mpi_agree(all, function, result);
    }
    if (result == GP_OK)
        result = gpi_mpi_exchange(all, function, &moves, chosen, desc->out, desc->out_offset, size);
    if (chosen) (void)clReleaseMemObject(chosen);
    GPI_MPI_FREE(memory);
    if (result == GP_OK && part) *part = place;
    return gpi_mpi_end(all, gpi_mpi_agree(all, function, result));
}
/* ---- End file mpi/calls/select.c ---- */

/* ---- Begin file mpi/calls/share.c ---- */
/* share.c - gp_mpi_share: returns this rank's part of an evenly divided array. */
GP_MPI_API gp_result gp_mpi_share(gp_mpi *all, size_t count, gp_mpi_part *part)
{
    static const char function[] = "gp_mpi_share";
    gpi_mpi_terms terms = gpi_mpi_terms_of(function);
    gp_result result = gpi_mpi_begin(&all, function, part, "part");
    if (!all) return result;
    if (result == GP_OK && count > UINT64_MAX / (uint64_t)all->ranks)
        result =
            gpi_mpi_fail(all, GP_ERROR_COUNT_LIMIT, function, "the counts of all ranks may be over 2^64 - 1");
    result = gpi_mpi_same(all, function, result, &terms);
    return gpi_mpi_end(all, result == GP_OK ? gpi_mpi_even(all, function, count, part) : result);
}
/* ---- End file mpi/calls/share.c ---- */

/* ---- Begin file mpi/calls/sort.c ---- */
/* sort.c - gp_mpi_sort: sorts each part, exchanges keys at exact splits, and sorts what each rank has received. */
/* Checks the arrays to which keys and values are written, as gp_sort does. `received` is the desc of the sort of
   received elements, in place. */
static gp_result gpi_mpi_sort_check(gp_mpi *all, const char *function, const gp_sort_desc *desc,
                                    const gp_sort_desc *received, size_t key_size)
{
    const size_t value_size = desc->value_size, count = value_size ? received->count : 0;
    const gpi_mpi_span keys = gpi_mpi_span_of("keys", desc->keys, desc->keys_offset, desc->count, key_size);
    const gpi_mpi_span values = gpi_mpi_span_of("values", desc->values, desc->values_offset,
                                                value_size ? desc->count : 0, value_size);
    const gpi_mpi_span keys_to = gpi_mpi_span_of(desc->keys_out ? "keys_out" : "keys", received->keys,
                                                 received->keys_offset, received->count, key_size);
    const gpi_mpi_span values_to =
        gpi_mpi_span_of(desc->values_out ? "values_out" : "values", received->values, received->values_offset,
                        count, value_size);
    gp_result result = gpi_mpi_check_written(all, function, &keys_to, true);
    if (result == GP_OK && value_size) result = gpi_mpi_check_written(all, function, &values_to, true);
    if (result == GP_OK) result = gpi_mpi_check_apart(all, function, &keys_to, &values_to, false);
    if (result == GP_OK) result = gpi_mpi_check_apart(all, function, &keys, &keys_to, true);
    if (result == GP_OK) result = gpi_mpi_check_apart(all, function, &values, &values_to, true);
    if (result == GP_OK) result = gpi_mpi_check_apart(all, function, &keys, &values_to, false);
    if (result == GP_OK) result = gpi_mpi_check_apart(all, function, &values, &keys_to, false);
    return result;
}

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
    own.keys_out = own.values_out = NULL; /* sorts received elements in place */
    if (desc->keys_out) {
        own.keys = desc->keys_out;
        own.keys_offset = desc->keys_out_offset;
    }
    if (desc->values_out) {
        own.values = desc->values_out;
        own.values_offset = desc->values_out_offset;
    }
    own.count = s->moves.received;
    if (result == GP_OK)
        result = gpi_mpi_agree(all, function, gpi_mpi_sort_check(all, function, desc, &own, s->key_size));
    if (result == GP_OK)
        result = gpi_mpi_exchange(all, function, &s->moves, s->keys, own.keys, own.keys_offset, s->key_size);
    if (result == GP_OK && desc->value_size)
        result = gpi_mpi_exchange(all, function, &s->moves, sorted_values, own.values, own.values_offset,
                                  desc->value_size);
    if (result == GP_OK) result = gp_sort(all->gp, &own); /* stable: received keys are in rank order */
    return result == GP_OK ? gp_finish(all->gp) : result;
}

GP_MPI_API gp_result gp_mpi_sort(gp_mpi *all, const gp_sort_desc *desc, gp_mpi_part *part)
{
    static const char function[] = "gp_mpi_sort";
    gpi_mpi_terms terms = gpi_mpi_terms_of(function);
    gpi_mpi_split s;
    gp_mpi_part place;
    cl_mem values = NULL;
    gp_result result = gpi_mpi_begin(&all, function, desc, "desc");
    if (!all) return result;
    memset(&s, 0, sizeof s);
    if (result == GP_OK) {
        GPI_MPI_REFUSE_COMMON;
        GPI_MPI_REFUSE(begin_bit);
        GPI_MPI_REFUSE(end_bit);
        GPI_MPI_REFUSE(keys_tmp);
        GPI_MPI_REFUSE(values_tmp);
        gpi_mpi_term(&terms, "key_type", desc->key_type);
        gpi_mpi_term(&terms, "value_size", desc->value_size);
        gpi_mpi_term(&terms, "descending", desc->descending);
        if (result == GP_OK && gpi_mpi_size_of(desc->key_type) == 0)
            result = gpi_mpi_fail(all, GP_ERROR_INVALID_TYPE, function, "key_type is not an element type");
    }
    result = gpi_mpi_same(all, function, result, &terms);
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
    return gpi_mpi_end(all, gpi_mpi_agree(all, function, result));
}
/* ---- End file mpi/calls/sort.c ---- */

/*
MIT License

Copyright (c) 2026 the gpuprim authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/
#endif /* GPI_MPI_IMPLEMENTATION_ONCE */
#endif /* GP_MPI_IMPLEMENTATION */
