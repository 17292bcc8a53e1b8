#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ sort of strings */

/* out[i] = the index of the string that comes i-th        string s is bytes[offsets[s]] ... bytes[offsets[s+1] - 1]

   Sorts strings of any lengths. Strings may be empty, may overlap one another, and may lie in any order in
   `bytes`. Zero bytes are like other bytes. The call blocks.

   Result: indices, from 0 on, of index_type.
   Order: bytes are unsigned numbers, and the first difference decides; a string comes before a longer one
     that begins with it. `descending` reverses the order. Stable, also if `descending`: equal strings keep
     their input order.
   Aliasing: `out` overlaps nothing.
   Count 0: does nothing.
   Scratch: about 90 bytes per string, plus 3 MiB at most.
   Cost: each round sorts by seven more bytes; later rounds sort only strings that are still tied, and the
     host reads their number after each round. Bytes that all strings of a tie have in common are skipped:
     equal strings of n bytes take about log2(n / 64) rounds; other strings take at most one round for each
     level of ties within ties. Keys of 8 bytes are sorted once for all strings, and again for tied ones. Each
     byte is read once, and again when common bytes are looked for.
   Limits: 2^32 - 3 strings.
   Errors: a string that ends before it begins, or beyond byte_count, counts as empty, and nothing outside is
     read. At its end the call then returns GP_ERROR_INVALID_ARGUMENT, and gp_last_error has the number of
     such strings and the index of the first. `out` has the order in this case, too. */
typedef struct gp_sort_strings_desc {
    cl_mem bytes;
    size_t bytes_offset;
    size_t byte_count; /* bytes of all strings: no offset is larger */
    cl_mem offsets;    /* count + 1 numbers, counted from bytes_offset */
    size_t offsets_offset;
    gp_type offsets_type; /* GP_U32 or GP_U64 */
    cl_mem out;           /* `count` indices, from 0 on */
    size_t out_offset;
    gp_type index_type;  /* GP_U32 (also 0) or GP_U64 */
    size_t count;        /* number of strings; with count_buffer, its upper bound */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    bool descending;
    cl_mem scratch; /* gp_sort_strings_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_sort_strings_desc;

GP_API gp_result gp_sort_strings(gp_context *gp, const gp_sort_strings_desc *desc);

/* Sets *bytes to the scratch that gp_sort_strings needs with this desc, which can be 0. The buffers of the
   desc may be NULL. */
GP_API gp_result gp_sort_strings_scratch_size(gp_context *gp, const gp_sort_strings_desc *desc,
                                              size_t *bytes);
