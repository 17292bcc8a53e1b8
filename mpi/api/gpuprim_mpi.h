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
       options in it are the same on all ranks, else the call fails. Expressions, args and `initial` must be the same,
       too, but are not compared.
     - All ranks of the communicator make the same calls in the same order, each with its own `all`: a rank that passes
       NULL for it fails alone, and the others wait for it. A call begins with gp_finish, and returns when
       its result is there.
     - Before MPI_Init, after MPI_Finalize, in a process that was forked after the communicator was joined, and in a callback of
       a call with the same `all`, calls fail at once, on this rank alone, with GP_ERROR_INVALID_ARGUMENT (gp_mpi_create without MPI: GP_ERROR_MPI). They send nothing, so that the other ranks are not
       disturbed.
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
   destroyed after *out. On failure *out is NULL, on all ranks. Collective.

   Errors: GP_ERROR_INVALID_ARGUMENT for MPI_COMM_NULL, of this rank alone, and for an intercommunicator. */
GP_MPI_API gp_result gp_mpi_create(gp_context *gp, MPI_Comm comm, gp_mpi **out);

/* Accepts NULL. Collective; before MPI_Finalize. Does nothing after it, in a forked process and in a callback of a call with `all`. */
GP_MPI_API void gp_mpi_destroy(gp_mpi *all);

/* Where a part lies in the whole: elements [first, first + count) of total. */
typedef struct gp_mpi_part {
    uint64_t first, count, total;
} gp_mpi_part;

/* The even part of an array whose parts have `count` elements now: where gp_mpi_sort leaves them. Parts differ by one
   element at most, and the first ones are the longer ones. Collective. */
GP_MPI_API gp_result gp_mpi_share(gp_mpi *all, size_t count, gp_mpi_part *part);

/* result = initial . in[0] . in[1] ... in[total-1]        . is op or monoid

   Reduces an array across ranks, as gp_reduce_read does. A map's i counts from the part's first element.

   Result: one element of out_type in host memory, on every rank. desc->out stays NULL.
   Order: each part as by gp_reduce, then the parts' results, as elements of out_type: float results repeat bit for bit
     for the same parts on the same devices. All ranks get the same bits. With `compensated` each part's sum is rounded.
   Count 0: a part without elements counts for nothing, and needs neither `in` nor in2; without any the result is `initial`.
   Cost: reads the part once, then sends one element to every rank.
   Limits: no ops, argmin, argmax. */
GP_MPI_API gp_result gp_mpi_reduce(gp_mpi *all, const gp_reduce_desc *desc, void *result);

/* out[i] = initial . in[0] ... in[i]        . is op or monoid; in the whole array; exclusive and reverse as in gp_scan

   Scans an array across ranks: each part's total is reduced, the totals of all ranks are scanned, and the part goes on from
   there.

   Result: as gp_scan's. A map's i counts from the part's first element. With GP_F16 what is before a part is rounded to it.
   Aliasing: as in gp_scan.
   Cost: reads the part twice and writes it once; sends one element to every rank. (Not MPI_Exscan: a monoid is text for
     the device.)
   Limits: no segments, argmin, argmax. */
GP_MPI_API gp_result gp_mpi_scan(gp_mpi *all, const gp_scan_desc *desc);

/* out[b] = how many samples of the whole array are in bin b; with `weights`, the sum of their weights

   Result: the whole array's counts in `out`, on every rank. `bins`, out_type, bounds and edges are the same on all ranks; what is in
     `edges`, and whether there are weights, is not compared.
   Cost: gp_histogram's, then all counts are sent and added up.
   Limits: 2^31 - 1 counts; no `accumulate`. On a rank without elements `weights` may be NULL. */
GP_MPI_API gp_result gp_mpi_histogram(gp_mpi *all, const gp_histogram_desc *desc);

/* Selects elements of an array across ranks, as gp_select does, and divides them evenly.

   Result: the part's elements of the selection in `out`, which has room for gp_mpi_share's count of the parts' counts;
     *part, if not NULL, says where they lie in the whole. indices_out and count_out stay NULL. On a rank without
     elements `flags` may be NULL.
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

/* out[i] = the value of keys[i] among the build keys, or `absent`        found[i] = whether keys[i] is among them

   Joins two arrays across ranks, wherever equal keys are: each key goes by a hash to the rank where both arrays' meet,
   and answers come back. A left join: row i of `keys` stays where it is. For an inner join give `found` to gp_mpi_select.

   Result: a value for each element of `keys` in `out`, a byte in `found`; at least one is required where count is not 0.
   Order: of equal build keys the first in the whole array counts (with `last` the last). The result is always the same.
   Aliasing: outputs may overlap inputs, but not one another.
   Count 0: a part of either array may be empty, on all ranks, too.
   Balance: a rank sends each key that it has once, however many rows have it, so that a key that is everywhere comes to
     its rank once from each. What a rank receives depends on the hash of distinct keys only: with k of them about
     k / ranks, from each rank that has them. No rows are sent.
   Cost: a hash table and a sort of one pass for the distinct keys of each side, and a hash table of the build keys that a
     rank has received; build keys and values are sent once, `keys` there, and their values and a byte back. Memory for the
     distinct keys and values sent and received, 4 bytes for each row, and hash tables of 2 to 4 slots of 8 or 16 bytes for
     each row, one side after the other, and for each build key received.
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
    bool last;          /* of equal build keys the last one counts */
    uint64_t
        seed; /* of the hash functions, the same on all ranks. Results don't depend on it: draw it at random where somebody
                      else chooses the keys */
} gp_mpi_join_desc;

GP_MPI_API gp_result gp_mpi_join(gp_mpi *all, const gp_mpi_join_desc *desc);

/* Matches nested brackets of an array across ranks, as gp_brackets does: pairs may be on two ranks, and any number of
   brackets may be open from one rank to the next.

   Result: match, parent and depth as gp_brackets has them for the whole array, with indices in the whole; *errors, if not
     NULL, is the whole array's, on all ranks (it is wanted on all or on none). Ranks may want different outputs.
     index_type 0: GP_U32 as long as the whole has fewer than 2^32 elements. desc->errors stays NULL. A map's i counts from
     the part's first element.
   Order: the result is always the same.
   Aliasing: outputs overlap nothing.
   Count 0: a part without elements counts for nothing.
   Cost: gp_brackets of the part, and two selections of what is unmatched in it. Five numbers go from each rank to all:
     they tell which ranks' brackets are partners. Then each of these pairs' indices are exchanged, and with `errors`
     their codes. A scan, where brackets are open before the part, and one more reading and writing of each output.
     Memory: 4 bytes for codes and 7 indices for each element of the part at most, however brackets are nested: a rank
     receives no more openers than it has elements, and no more closers than it has openers.
   Limits: 2^31 - 1 elements in a part. */
GP_MPI_API gp_result gp_mpi_brackets(gp_mpi *all, const gp_brackets_desc *desc, gp_brackets_errors *errors);

#ifdef __cplusplus
}
#endif
#endif /* GPUPRIM_MPI_H */
