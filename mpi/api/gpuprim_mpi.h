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
