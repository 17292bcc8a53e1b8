#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ select, partition */

/* Selects elements, and packs them in their order:

       predicate   in[i] for each i at which the expression in x (the element) and i (ulong, from 0 on) holds
       flags       in[i] for each i at which flags[i] is not 0
       indices     in[indices[i]] for each i in turn; an index of in_count or more is left out

   Exactly one of the three is given. Elements have a `type`, an `element_size` of 1, 2, 4, 8 or 16 bytes, or
   a `record` of any size. In a predicate, elements of element_size bytes are uchar, ushort, uint, ulong or
   uint4, records have the type that `record` names ("x.mass > 5"), and halves are floats. A comparison of
   vectors is a vector, which any or all turns into one answer: "any(x != (uint4)(0))". Flags are of any type:
   floats are compared as numbers, halves by their bits.

   Result: elements in `out`, their positions in `indices_out`, their number in `count_out`; at least one of
     these is required. There must be room for `count` elements and indices. A count on the device can be the
     next call's count_buffer; gp_select_read brings it to the host.
   Order: input order; stable. The same input gives the same result every time, on every device.
   Aliasing: outputs overlap nothing.
   Count 0: only count_out is written.
   Scratch: 16 bytes per tile.
   Cost: a single pass reads once and writes the selected elements. Multi-pass evaluates the predicate twice,
     and reads its input (or flags, or indices) twice. One launch for up to one tile. Selected records of
     other sizes than 1, 2, 4, 8 and 16 bytes are read once more, and each is moved by one work-item.
   Limits: 2^31 - 1 tiles; 2^32 - 1 elements with indices or counts of GP_U32. Checked.
   Source: Merrill & Garland 2016 (look-back); Billeter, Olsson & Assarsson 2009 (compaction by tiles).
   Example: examples/11_compact.c, examples/16_csv.c */
typedef struct gp_select_desc {
    cl_mem in;
    size_t in_offset; /* in elements, as all offsets */
    cl_mem out;       /* NULL: not wanted */
    size_t out_offset;
    cl_mem indices_out; /* positions, counted from the call's first element; NULL: not wanted */
    size_t indices_out_offset;
    cl_mem count_out; /* the number of selected elements; NULL: not wanted */
    size_t count_out_offset;
    gp_type count_out_type; /* GP_U32 (also 0) or GP_U64 */
    size_t count; /* number of elements (with `indices`, of indices); with count_buffer, its upper bound */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;            /* type of elements; set type or element_size */
    size_t element_size;     /* bytes of an element: 1, 2, 4, 8, 16 */
    const gp_record *record; /* instead of both: the type of elements in predicates */
    const char *predicate;   /* set predicate, flags or indices */
    const gp_arg *args;      /* values and buffers that expressions name; NULL: none */
    size_t arg_count;        /* at most GP_ARGS_MAX */
    cl_mem flags;            /* `count` flags */
    size_t flags_offset;
    gp_type flags_type; /* 0: GP_U8 */
    cl_mem indices;     /* `count` indices */
    size_t indices_offset;
    size_t in_count;    /* with `indices`: number of elements of `in` */
    gp_type index_type; /* type of indices and indices_out: GP_U32 (also 0) or GP_U64 */
    gp_strategy strategy;
    cl_mem scratch; /* gp_select_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_select_desc;

GP_API gp_result gp_select(gp_context *gp, const gp_select_desc *desc);

/* Calls gp_select, blocks, and sets *count to the number of selected elements. */
GP_API gp_result gp_select_read(gp_context *gp, const gp_select_desc *desc, uint64_t *count);

/* Sets *bytes to the scratch that gp_select needs with this desc, which can be 0. The buffers of the desc may
   be NULL; flags, indices and outputs may be NULL only if they are NULL in the call. */
GP_API gp_result gp_select_scratch_size(gp_context *gp, const gp_select_desc *desc, size_t *bytes);

/* Splits elements in two parts, or with `predicate2` in three:

       out      those for which the predicate holds (whose flag is not 0)
       second   with `predicate2`: those of the others for which it holds
       rest     all others

   Elements, predicates and flags are as for gp_select.

   Result: with `rest` NULL, the parts one after the other in `out`, `count` elements in all. With `rest`,
     each part in a buffer of its own, with room for `count` elements; three parts then require `second`, too.
     With `reversed`, two parts in `out`, the rest backwards from the output's end: from out[count - 1] on, or
     with count_buffer from out[number - 1] on. counts_out receives 2 or 3 numbers, one per part; any of them
     can be the next call's count_buffer.
   Order: each part is in input order (with `reversed`, the rest backwards); stable. The same input gives the
     same result every time, on every device.
   Aliasing: outputs overlap nothing.
   Count 0: only counts_out is written.
   Scratch: as for gp_select; twice that for three parts with counts of GP_U64, or with more than 2^32 - 1
     elements.
   Cost: with buffers of their own, or reversed, a single pass reads and writes once. For parts one after the
     other, their sizes must be known first: whatever `strategy` says, these calls are multi-pass. They read
     the flags, or the input of predicates, twice, and write once.
   Limits: 2^31 - 1 tiles; 2^32 - 1 elements with counts of GP_U32. Checked.
   Source: as for gp_select. */
typedef struct gp_partition_desc {
    cl_mem in;
    size_t in_offset; /* in elements, as all offsets */
    cl_mem out;
    size_t out_offset;
    cl_mem second; /* the second of three parts, with `rest`; else NULL */
    size_t second_offset;
    cl_mem rest; /* NULL: all parts go to `out` */
    size_t rest_offset;
    cl_mem counts_out; /* one number per part; NULL: not wanted */
    size_t counts_out_offset;
    gp_type counts_out_type; /* GP_U32 (also 0) or GP_U64 */
    size_t count;            /* number of elements; with count_buffer, its upper bound */
    cl_mem count_buffer;     /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;            /* type of elements; set type or element_size */
    size_t element_size;     /* bytes of an element: 1, 2, 4, 8, 16 */
    const gp_record *record; /* instead of both: the type of elements in predicates */
    const char *predicate;
    const char *predicate2; /* NULL: two parts */
    const gp_arg *args;     /* values and buffers that expressions name; NULL: none */
    size_t arg_count;       /* at most GP_ARGS_MAX */
    cl_mem flags;           /* instead of predicates: count flags */
    size_t flags_offset;
    gp_type flags_type; /* 0: GP_U8 */
    bool reversed;      /* writes the rest backwards from the output's end */
    gp_strategy strategy;
    cl_mem scratch; /* gp_partition_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_partition_desc;

GP_API gp_result gp_partition(gp_context *gp, const gp_partition_desc *desc);

/* Calls gp_partition, blocks, and sets counts[] to the number of elements of each part: 2 or 3 numbers. */
GP_API gp_result gp_partition_read(gp_context *gp, const gp_partition_desc *desc, uint64_t *counts);

/* Sets *bytes to the scratch that gp_partition needs with this desc, which can be 0. The buffers of the desc
   may be NULL; flags, second and rest may be NULL only if they are NULL in the call. */
GP_API gp_result gp_partition_scratch_size(gp_context *gp, const gp_partition_desc *desc, size_t *bytes);
