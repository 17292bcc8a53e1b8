#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ transpose */

/* out[c * out_stride + r] = in[r * in_stride + c]        r < rows, c < columns

   Transposes a matrix that is stored row by row: `out` has `columns` rows of `rows` elements. With strides,
   the input, the output or both are parts of larger matrices.

   Result: elements of element_size bytes, which are moved and not interpreted. Elements of `out` between its
   rows keep their values.
   Order: the same result every time.
   Aliasing: `out` overlaps nothing.
   Count 0: with no rows or no columns it does nothing.
   Cost: reads and writes each element once, by whole lines of memory; rows or columns of fewer than 16 bytes
     take longer. One launch, no scratch. */
typedef struct gp_transpose_desc {
    cl_mem in;
    size_t in_offset; /* in elements, as out_offset */
    size_t in_stride; /* elements from a row's begin to the next one's; 0: columns */
    cl_mem out;
    size_t out_offset;
    size_t out_stride; /* the same of the output; 0: rows */
    size_t rows;       /* of the input */
    size_t columns;
    size_t element_size; /* bytes: 1, 2, 4, 8 or 16 */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_transpose_desc;

GP_API gp_result gp_transpose(gp_context *gp, const gp_transpose_desc *desc);
