#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ segmented reduce */

/* out[s] = initial . in[b] ... in[e-1]        . is op or monoid
   b = offsets[s], e = offsets[s+1]; or, with row_length, b = s * row_stride, e = b + row_length

   or, with element_stride, out[s] = initial . in[b] . in[b + element_stride] ... of row_length elements

   Reduces each segment as gp_reduce would, by any gp_op or a monoid. With `map`, the elements are map(in[i]).
   Offsets are on the device. Elements outside all segments are not read. Rows of one length need no offsets;
   with a row_stride below row_length they overlap, as windows that slide over the input do.
   With an element_stride their elements are apart: the columns of a matrix that is stored row by row have
   row_length = rows, element_stride = columns, segment_count = columns.

   Result: one per segment; for an empty segment it is `initial`. The index i in a map, and the results of
     argmin and argmax, count from the segment's first element.
   Order: input order for a monoid that is not commutative; otherwise any order, but always the same one, so
     float results repeat bit for bit for the same offsets, counts and device. If offsets let segments
     overlap, float results may differ from call to call; results of rows that overlap repeat.
   Aliasing: `out` overlaps nothing.
   Count 0: with segment_count 0 it does nothing.
   Cost: reads the input once, for tiny, empty and huge segments alike, without a round trip to the host. A
     clearing command and one launch; two more launches if a segment may be larger than the elements that one
     group handles.
   Limits: 2^32 - 2 segments.
   Errors: a segment that ends before it begins, or beyond `count`, counts as empty; other segments are not
     affected. gp_stats.bad_offsets counts the calls that found such a segment. */
typedef struct gp_segmented_reduce_desc {
    cl_mem in;        /* NULL if there are no elements */
    size_t in_offset; /* in elements, as all offsets */
    size_t count;     /* elements of the input; with row_length, 0: up to the last row's end */
    cl_mem offsets;   /* segment_count + 1 numbers: positions in the input, counted from in_offset */
    size_t offsets_offset;
    gp_type offsets_type; /* GP_U32 or GP_U64; ignored with row_length */
    size_t row_length;    /* instead of offsets: elements of each row */
    size_t
        row_stride; /* elements from a row's begin to the next one's; 0: row_length, or 1 if element_stride > 1 */
    size_t element_stride; /* elements from one element of a row to the next one; 0: 1 */
    size_t segment_count;  /* number of segments, or its bound with count_buffer; up to 2^32 - 2 */
    cl_mem count_buffer;   /* the number of segments; NULL: segment_count is the number */
    size_t count_offset;
    gp_type count_type;
    cl_mem out; /* segment_count results */
    size_t out_offset;
    gp_type type; /* type of the input; 0 with a monoid and no map */
    /* Instead of type. Requires a map, and out_type or a monoid; not with argmin, argmax. */
    const gp_record *record;
    gp_type out_type;        /* 0: as in gp_reduce_desc */
    gp_op op;                /* set op or monoid */
    const gp_monoid *monoid; /* instead of out_type and op */
    const char *map;         /* expression in x and i; NULL: the element itself */
    const gp_arg *args;      /* values and buffers that expressions name; NULL: none */
    size_t arg_count;        /* at most GP_ARGS_MAX */
    const void *initial;     /* one element of out_type, read during the call; NULL: the identity */
    cl_mem scratch; /* gp_segmented_reduce_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_segmented_reduce_desc;

GP_API gp_result gp_segmented_reduce(gp_context *gp, const gp_segmented_reduce_desc *desc);

/* Sets *bytes to the scratch that gp_segmented_reduce needs with this desc. The buffers of the desc may be
   NULL. */
GP_API gp_result gp_segmented_reduce_scratch_size(gp_context *gp, const gp_segmented_reduce_desc *desc,
                                                  size_t *bytes);
