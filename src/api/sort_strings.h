#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ sort of strings */

/* out[i] = which string comes i-th, stably. String s is bytes[offsets[s]] ... bytes[offsets[s+1] - 1].

   Order: bytes as unsigned numbers, the first difference decides; a string comes before a longer one that it
   begins. Zero bytes are bytes like others, strings may be empty. `descending` turns the order round; equal
   strings still keep theirs.
   Blocks: strings are sorted by seven bytes a round, those that still tie in the next one, and how many these
   are is read after each round. Bytes that all strings of a tie have in common are skipped over: equal
   strings of n bytes take about log2(n / 64) rounds, others no more than the ties they make one after
   another. Bad offsets: a string that ends before it begins, or behind byte_count, counts as empty, nothing
   outside is read, and the call returns GP_ERROR_INVALID_ARGUMENT in the end; gp_last_error tells how many
   there are and which is the first one. `out` then holds the order of what there is. Strings may overlap one
   another, and be in any order in `bytes`. Nothing may overlap `out`. Cost: keys of 8 bytes sorted once for
   all strings, and again for tied ones. Bytes are read once, and again in looking ahead. Scratch: about 90
   bytes a string, and 3 MiB at most. Largest count: 2^32 - 3. count 0 does nothing. */
typedef struct gp_sort_strings_desc {
    cl_mem bytes;
    size_t bytes_offset;
    size_t byte_count; /* of all strings: offsets stay within */
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

/* Bytes of scratch that gp_sort_strings with this desc needs; buffers in it may be NULL. Can be 0. */
GP_API gp_result gp_sort_strings_scratch_size(gp_context *gp, const gp_sort_strings_desc *desc,
                                              size_t *bytes);
