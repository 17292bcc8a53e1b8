#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ segmented scan */

/* inclusive            out[i] = initial . in[b] ... in[i]               . is op or monoid, b <= i < e
   exclusive            out[i] = initial . in[b] ... in[i-1]
   reverse              out[i] = in[i] ... in[e-1] . initial
   reverse, exclusive   out[i] = in[i+1] ... in[e-1] . initial
   b = offsets[s], e = offsets[s+1]; or, with row_length, b = s * row_stride, e = b + row_length

   or, with element_stride, the elements b, b + element_stride, ... of row_length elements

   Scans each segment as gp_scan would, by any gp_op or a monoid: running totals of the rows or the columns of a
   matrix, or of segments given by offsets. With `map`, the elements are map(in[i]). Offsets are on the device. With
   an element_stride the elements of a row are not consecutive: the columns of a matrix that is stored row by row have
   row_length = rows, element_stride = columns, segment_count = columns. A call for the rows and a second one, in
   place, for the columns make a summed-area table.

   If segments are marked by flags or keys, gp_scan with `segments` scans them.

   Result: elements of out_type, each at its element's position: `out` has the layout of `in`. Elements between rows
     and outside all segments are neither read nor written. The index i in a map, and the results of argmin and
     argmax (out_type 0: GP_U64), count from the segment's first element. Argmin and argmax return the lowest
     index of equal elements, also in reverse.
   Order: input order, always. Integer results are exact and repeat. With GP_STRATEGY_SINGLE_PASS the last bits of
     float sums of long segments depend on timing. With `deterministic` they repeat bit for bit.
   Aliasing: in place (`in` and `out` are the same elements, of types of one size), or no overlap. Neither
     `offsets` nor count_buffer's number may lie in `out`. Rows must follow each other, or all begin
     before the first one's second element, as columns do. If they overlap or cross, the call fails.
   Count 0: with segment_count 0 it does nothing.
   Cost: reads the input and writes the output once, for tiny, empty and huge segments alike, without a round trip to
     the host. One launch, and a clearing command before it; one more launch if a segment may be larger than the
     elements that one group handles. With GP_STRATEGY_MULTI_PASS, which a call in place takes on devices that are
     not known to keep every started group running (gp_device_info.fair), such large segments are read twice, by
     three launches. Columns are read twice, by two launches, if there are too few of them to keep the device busy.
   Limits: 2^32 - 2 segments.
   Errors: a segment that ends before it begins, or beyond `count`, counts as empty; other segments are not
     affected. gp_stats.bad_offsets counts the calls that found such a segment. If bad offsets let segments overlap,
     the results of these segments are undefined. */
typedef struct gp_segmented_scan_desc {
    cl_mem in;        /* NULL if there are no elements */
    size_t in_offset; /* in elements, as all offsets */
    cl_mem out;       /* `count` elements of out_type; NULL if there are none */
    size_t out_offset;
    size_t count;   /* elements of the input; with row_length, 0: up to the last row's end */
    cl_mem offsets; /* segment_count + 1 numbers: positions in the input, counted from in_offset */
    size_t offsets_offset;
    gp_type offsets_type; /* GP_U32 or GP_U64 */
    size_t row_length;    /* instead of offsets: elements of each row */
    size_t
        row_stride; /* elements from a row's begin to the next one's; 0: row_length, or 1 if element_stride > 1 */
    size_t element_stride; /* elements from one element of a row to the next one; 0: 1 */
    size_t segment_count;  /* number of segments, or its bound with count_buffer; up to 2^32 - 2 */
    cl_mem count_buffer;   /* the number of segments; NULL: segment_count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type; /* type of the input; 0 with a monoid and no map */
    /* Instead of type. Requires a map, and out_type or a monoid; not with argmin, argmax. */
    const gp_record *record;
    gp_type out_type;        /* type of sums and output; 0: `type`, as in gp_scan_desc */
    gp_op op;                /* set op or monoid */
    const gp_monoid *monoid; /* instead of out_type and op */
    const char *map;         /* expression in x and i; NULL: the element itself */
    const gp_arg *args;      /* values and buffers that expressions name; NULL: none */
    size_t arg_count;        /* at most GP_ARGS_MAX */
    bool exclusive;
    bool reverse; /* from the last element to the first; combine(a, b) still has a before b in input order */
    bool deterministic;  /* the same bits every time, also for floats and monoids that are not exact */
    const void *initial; /* one element of out_type, read during the call; NULL: the identity */
    gp_strategy strategy;
    cl_mem scratch; /* gp_segmented_scan_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_segmented_scan_desc;

GP_API gp_result gp_segmented_scan(gp_context *gp, const gp_segmented_scan_desc *desc);

/* Sets *bytes to the scratch that gp_segmented_scan needs with this desc, which can be 0. The buffers of the desc
   may be NULL. */
GP_API gp_result gp_segmented_scan_scratch_size(gp_context *gp, const gp_segmented_scan_desc *desc,
                                                size_t *bytes);
