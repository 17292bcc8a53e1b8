#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ run-length decoding */

/* for each run r, for each p in [offsets[r], offsets[r+1]):
     out[p] = in[r]        runs_out[p] = r        positions_out[p] = p - offsets[r]

   Writes the key of each run as often as the run has elements: the inverse of gp_run_length_encode with
   `offsets_end`, and what other libraries call repeat. Also finds the run of each element, which assigns work
   to items evenly ("load-balanced search"), and its position in the run (a ragged iota). Runs may be empty.

   Lengths become offsets by a gp_scan: with `exclusive` over run_count + 1 lengths, of which the last one is
   ignored; or without, into offsets[1] and on, with offsets[0] = 0. For example, the row and the rank of each
   element of a sparse matrix, by the offsets of its rows:

       gp_run_length_decode_desc d = {.offsets = row_offsets, .offsets_type = GP_U32, .run_count = rows,
                                      .runs_out = row, .positions_out = rank, .count = elements};

   Result: keys, runs, positions; at least one of them is required, with room for `count` elements. Elements
     before offsets[0] and from offsets[run_count] on are not written.
   Order: input order. The same input gives the same result every time.
   Aliasing: outputs overlap nothing; inputs may overlap one another.
   Count 0: with run_count 0 or count 0 nothing is written.
   Cost: reads offsets twice and keys once, and writes each element once, however long the runs are and
     however many are empty. One launch, no scratch.
   Limits: 2^32 - 2 runs; 2^32 - 1 elements with positions of GP_U32. Checked.
   Errors: if an offset exceeds the one after it, or the last one exceeds `count`, elements get the key, the
     number and the position of any run, the same ones each time on a device. Nothing is written beyond
     `count`. gp_stats.bad_offsets counts the calls that found such offsets. */
typedef struct gp_run_length_decode_desc {
    cl_mem in;        /* a key for each run; NULL without `out` */
    size_t in_offset; /* in elements, as all offsets of buffers */
    cl_mem offsets;   /* run_count + 1 positions, counted from the outputs' own offsets */
    size_t offsets_offset;
    gp_type offsets_type; /* GP_U32 or GP_U64 */
    size_t run_count;     /* number of runs; with count_buffer, its upper bound */
    cl_mem count_buffer;  /* the number of runs; NULL: run_count is the number */
    size_t count_offset;
    gp_type count_type;
    cl_mem out; /* keys; NULL: not wanted */
    size_t out_offset;
    cl_mem runs_out; /* the run of each element; NULL: not wanted */
    size_t runs_out_offset;
    cl_mem positions_out; /* the position of each element in its run; NULL: not wanted */
    size_t positions_out_offset;
    size_t count;        /* elements for which the outputs have room */
    gp_type index_type;  /* type of runs and positions: GP_U32 (also 0) or GP_U64 */
    gp_type type;        /* type of keys; set type or element_size, or neither without `out` */
    size_t element_size; /* bytes of a key: 1, 2, 4, 8, 16 */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_run_length_decode_desc;

GP_API gp_result gp_run_length_decode(gp_context *gp, const gp_run_length_decode_desc *desc);
