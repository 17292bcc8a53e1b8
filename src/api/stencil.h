#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ stencil */

/* Elements beyond the border. */
typedef enum gp_border {
    GP_BORDER_CLAMP = 0, /* the nearest element inside */
    GP_BORDER_WRAP,      /* the element at the other end */
    GP_BORDER_CONSTANT,  /* border_value */
    GP_BORDER_COUNT
} gp_border;

/* weights: out(x, y) = sum of weights(dx, dy) * in(x + dx, y + dy) over |dx| <= radius_x, |dy| <= radius_y
   map:     an expression in at(dx, dy), which is in(x + dx, y + dy); x, the element itself; i and j, its
            column and row

   The input is a line (height 0 or 1) or a picture of rows. dx and dy count pixels. A pixel has `channels`
   elements; channels are computed independently. Weights are f32 on the device, row by row, beginning at
   (-radius_x, -radius_y): a correlation.

   Result: elements of out_type. Weighted elements are summed as f32, or as f64 if the input or the output is
   f64; results of integer types are rounded to nearest and saturated. A map's value is converted to out_type
   as C does; dx and dy beyond the radius are clamped to it.
   Order: weights are summed in their order. The same result every time; on other devices floats are the same
   up to rounding.
   Aliasing: in place (`out` the same elements as `in`, pitches too); otherwise `out` overlaps nothing, from
   its first element to its last one.
   Count 0: width 0 does nothing.
   Scratch: in place a copy of the input, otherwise none.
   Cost: one launch; reads once, except for the rims of tiles, and writes once. A program is compiled per
   type pair, radii, channels and border, or per map; weights are run-time arguments.
   Limits: radii up to 8, 1 to 4 channels.
   Example: examples/12_image_blur.c */
typedef struct gp_stencil_desc {
    cl_mem in; /* height rows of width * channels elements */
    size_t in_offset;
    size_t in_pitch; /* elements from one row to the next; 0: width * channels */
    cl_mem out;      /* rows of the same length, of out_type; elements between rows are not written */
    size_t out_offset;
    size_t out_pitch; /* as in_pitch */
    gp_type type;
    gp_type out_type;  /* 0: `type` */
    size_t width;      /* pixels per row; 0: does nothing */
    size_t height;     /* number of rows; 0: 1 */
    uint32_t channels; /* 1 to 4; 0: 1 */
    uint32_t radius_x; /* 0 to 8 */
    uint32_t radius_y; /* 0 to 8 */
    gp_border border;
    gp_value border_value; /* of `type`; .f32 for GP_F16 */
    cl_mem weights;        /* (2 radius_x + 1) * (2 radius_y + 1) floats; or give map */
    size_t weights_offset;
    const char *map;    /* an expression in at(dx, dy), x, i and j; instead of weights */
    const gp_arg *args; /* values and buffers that expressions name; NULL: none */
    size_t arg_count;   /* at most GP_ARGS_MAX */
    cl_mem scratch;     /* gp_stencil_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_stencil_desc;

GP_API gp_result gp_stencil(gp_context *gp, const gp_stencil_desc *desc);

/* Sets *bytes to the scratch that gp_stencil needs with this desc: 0 unless it works in place, which includes
   two buffers that are NULL. */
GP_API gp_result gp_stencil_scratch_size(gp_context *gp, const gp_stencil_desc *desc, size_t *bytes);
