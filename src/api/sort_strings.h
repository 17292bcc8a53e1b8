#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ sort of strings */

/* out[i] = which string comes i-th        string s is bytes[offsets[s]] ... bytes[offsets[s+1] - 1]

   Sorts strings of any lengths. Strings may be empty, may overlap one another, and may lie in any order in
   `bytes`. Zero bytes are like other bytes. The call blocks.

   Result: indices, from 0 on, of index_type.
   Order: bytes as unsigned numbers, and the first difference decides; a string comes before a longer one that
     begins with it. `descending` reverses the order. Stable in both: equal strings keep their input order.
   Aliasing: `out` overlaps nothing.
   Count 0: does nothing.
   Scratch: about 90 bytes per string, plus 3 MiB at most.
   Cost: strings are sorted by seven bytes per round, in each further round only those that still tie; how
     many these are is read after each round. Bytes that all strings of a tie have in common are skipped:
     equal strings of n bytes take about log2(n / 64) rounds, others at most a round for each tie that they
     make one after another. Keys of 8 bytes are sorted once for all strings, and again for tied ones. Bytes
     are read once, and again in looking ahead.
   Limits: 2^32 - 3 strings.
   Errors: a string that ends before it begins, or beyond byte_count, counts as empty, and nothing outside is
     read. The call then returns GP_ERROR_INVALID_ARGUMENT at the end; gp_last_error says how many such
     strings there are, and which is the first one. `out` holds the order all the same. */
typedef struct gp_sort_strings_desc {
    cl_mem bytes;
    size_t bytes_offset;
    size_t byte_count; /* of all strings: no offset is larger */
    cl_mem offsets;    /* count + 1 numbers, counted from bytes_offset */
    size_t offsets_offset;
    gp_type offsets_type; /* GP_U32 or GP_U64 */
    cl_mem out;           /* count indices, from 0 on */
    size_t out_offset;
    gp_type index_type;  /* GP_U32 (also 0) or GP_U64 */
    size_t count;        /* of strings, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    bool descending;
    cl_mem scratch; /* of gp_sort_strings_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_sort_strings_desc;

GP_API gp_result gp_sort_strings(gp_context *gp, const gp_sort_strings_desc *desc);

/* Bytes of scratch that gp_sort_strings with this desc needs. Buffers in it may be NULL. Can be 0. */
GP_API gp_result gp_sort_strings_scratch_size(gp_context *gp, const gp_sort_strings_desc *desc,
                                              size_t *bytes);
