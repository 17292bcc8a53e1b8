#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ select, partition */

/* Picks elements, and packs them in their order:

       predicate   in[i] for each i at which the expression in x (the element) and i (ulong, from 0 on) holds
       flags       in[i] for each i at which flags[i] is not 0
       indices     in[indices[i]] for each i in turn; an index of in_count or more is left out

   Exactly one of the three is given. Elements have a `type`, or are records of `element_size` bytes: 1, 2, 4,
   8, 16; in a predicate a record is then uchar, ushort, uint, ulong or uint4 ("x.y > 5", "any(x !=
   (uint4)(0))": what is true of a vector is a vector, which any or all makes one answer of). Halves are
   floats there. Flags are of any type: floats are compared as numbers, halves by their bits. Results:
   elements in `out`, where they were in `indices_out`, how many in the number `count_out`; at
   least one is required. There must be room for `count` elements and indices. A count on the device is what
   the next call takes as its count_buffer; gp_select_read brings it to the host. Stable: yes. The same input
   gives the same result every time, on every device. count 0: only count_out is written. Largest count: 2^31
   - 1 tiles; 2^32 - 1 with indices or counts of GP_U32, checked. Aliasing: what is written may overlap
   nothing. Cost: single pass reads once and writes what is picked; multi-pass reads what decides twice. One
   launch up to one tile. Scratch: 16 bytes a tile. (Look-back: Merrill & Garland 2016.) */
typedef struct gp_select_desc {
    cl_mem in;
    size_t in_offset; /* elements, as all offsets */
    cl_mem out;       /* NULL: not wanted */
    size_t out_offset;
    cl_mem indices_out; /* from 0 on, counted from the call's first element; NULL: not wanted */
    size_t indices_out_offset;
    cl_mem count_out; /* one number; NULL: not wanted */
    size_t count_out_offset;
    gp_type count_out_type; /* GP_U32 (also 0) or GP_U64 */
    size_t count;           /* of elements (of indices), or their bound with count_buffer */
    cl_mem count_buffer;    /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;        /* of elements; or: */
    size_t element_size; /* bytes of a record: 1, 2, 4, 8, 16 */
    const char *predicate;
    cl_mem flags; /* count flags */
    size_t flags_offset;
    gp_type flags_type; /* 0: GP_U8 */
    cl_mem indices;
    size_t indices_offset;
    size_t in_count;    /* with indices: elements of `in` */
    gp_type index_type; /* of indices and indices_out: GP_U32 (also 0) or GP_U64 */
    gp_strategy strategy;
    cl_mem scratch; /* of gp_select_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_select_desc;

GP_API gp_result gp_select(gp_context *gp, const gp_select_desc *desc);

/* The same, then blocks and tells how many were picked. */
GP_API gp_result gp_select_read(gp_context *gp, const gp_select_desc *desc, uint64_t *count);

/* Bytes of scratch that gp_select with this desc needs; buffers in it may be NULL, but those that decide
   (flags, indices) and those that are optional. Can be 0. */
GP_API gp_result gp_select_scratch_size(gp_context *gp, const gp_select_desc *desc, size_t *bytes);

/* Parts elements in two, or with `predicate2` in three, each part in the order of the input:

       out      those for which the predicate holds (whose flag is not 0)
       second   in three: of the others those for which predicate2 holds
       rest     all others

   `rest` NULL: the parts stand in `out` one behind the other; `count` elements then are all that is written.
   Each part may get a buffer of its own instead (in three `second` and `rest` both or neither), with room for
   `count` elements. `reversed`, with two parts in `out`: the rest begins at the output's end and goes
   backwards, as some libraries leave it: at out[count - 1], with count_buffer at out[number - 1].
   counts_out: 2 or 3 numbers, of each part; any of them may be the next call's count_buffer.
   Elements, stability, count 0, limits, aliasing: as for gp_select.
   Cost: with buffers of their own, or reversed, single pass reads and writes once. One behind the other takes
   the total first: multi-pass, which reads twice and writes once, whatever `strategy` says. */
typedef struct gp_partition_desc {
    cl_mem in;
    size_t in_offset; /* elements, as all offsets */
    cl_mem out;
    size_t out_offset;
    cl_mem second; /* three parts only */
    size_t second_offset;
    cl_mem rest;
    size_t rest_offset;
    cl_mem counts_out; /* as many numbers as parts; NULL: not wanted */
    size_t counts_out_offset;
    gp_type counts_out_type; /* GP_U32 (also 0) or GP_U64 */
    size_t count;            /* of elements, or their bound with count_buffer */
    cl_mem count_buffer;     /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;        /* of elements; or: */
    size_t element_size; /* bytes of a record: 1, 2, 4, 8, 16 */
    const char *predicate;
    const char *predicate2; /* NULL: two parts */
    cl_mem flags;           /* instead of predicates: count flags */
    size_t flags_offset;
    gp_type flags_type; /* 0: GP_U8 */
    bool reversed;
    gp_strategy strategy;
    cl_mem scratch; /* of gp_partition_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_partition_desc;

GP_API gp_result gp_partition(gp_context *gp, const gp_partition_desc *desc);

/* The same, then blocks and tells how many each part has: 2 or 3 numbers. */
GP_API gp_result gp_partition_read(gp_context *gp, const gp_partition_desc *desc, uint64_t *counts);

/* Bytes of scratch that gp_partition with this desc needs; buffers in it may be NULL, but flags and rest,
   which decide. Can be 0. */
GP_API gp_result gp_partition_scratch_size(gp_context *gp, const gp_partition_desc *desc, size_t *bytes);
