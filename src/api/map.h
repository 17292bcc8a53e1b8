#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ map */

/* out[i] = map(x, y, z, i)      x, y and z are in[i], in2[i] and in3[i]

   Evaluates an expression for each element. There may be no input at all: then the expression uses i only.
   An expression that names an input that is not given does not compile.

   Result: elements of out_type. The expression's value is converted to it as C does; if out_type is a record,
     the value must have its type.
   Order: each element is computed independently; the same result every time.
   Aliasing: `out` may be the same elements as an input of its size (in place); otherwise it overlaps nothing.
     Inputs may overlap one another. The number in count_buffer lies outside of `out`.
   Cost: reads and writes once; one launch, no scratch. A program is compiled per expression and its types.
   Example: examples/15_neighbours.cpp, examples/18_json_mask.c */
typedef struct gp_transform_desc {
    cl_mem in; /* `count` elements of `type`; NULL and type 0: no input */
    size_t in_offset;
    gp_type type;
    const gp_record *record; /* instead of type */
    cl_mem in2;              /* a second input, for y; NULL: none */
    size_t in2_offset;
    gp_type type2;            /* type of in2; 0 without record2: that of `in` */
    const gp_record *record2; /* instead of type2 */
    cl_mem in3;               /* a third input, for z; only with a second one; NULL: none */
    size_t in3_offset;
    gp_type type3;            /* type of in3; 0 without record3: that of `in` */
    const gp_record *record3; /* instead of type3 */
    cl_mem out;               /* `count` elements of out_type */
    size_t out_offset;
    gp_type out_type;            /* type of out; 0 without out_record: that of `in` */
    const gp_record *out_record; /* instead of out_type: of the map's value */
    const char *map;             /* expression in x, y, z and i, in OpenCL C */
    const gp_arg *args;          /* values and buffers that expressions name; NULL: none */
    size_t arg_count;            /* at most GP_ARGS_MAX */
    size_t count;                /* number of elements; with count_buffer, its upper bound */
    cl_mem count_buffer;         /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_transform_desc;

GP_API gp_result gp_transform(gp_context *gp, const gp_transform_desc *desc);

/* out[i] = value

   Cost: writes once; one launch, no scratch. A program is compiled per element_size, whatever the value. */
typedef struct gp_fill_desc {
    cl_mem out; /* `count` elements of element_size bytes */
    size_t out_offset;
    size_t element_size; /* 1, 2, 4, 8 or 16 */
    const void *value;   /* element_size bytes, read during the call; NULL: zeros */
    size_t count;        /* number of elements; with count_buffer, its upper bound */
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_fill_desc;

GP_API gp_result gp_fill(gp_context *gp, const gp_fill_desc *desc);

/* out[i] = start + i * step

   Result: elements of `type`. Integers wrap round. Floats: i is rounded to the type, then one multiplication
   and one addition per element, so that no error adds up. Halves are computed as floats, and rounded when
   stored.
   Cost: writes once; one launch, no scratch. A program is compiled per type, whatever start and step. */
typedef struct gp_iota_desc {
    cl_mem out; /* `count` elements of `type` */
    size_t out_offset;
    gp_type type;
    gp_value start; /* of `type`; .f32 for GP_F16 */
    gp_value step;  /* as start; all zeros: 1 */
    size_t count;   /* number of elements; with count_buffer, its upper bound */
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_iota_desc;

GP_API gp_result gp_iota(gp_context *gp, const gp_iota_desc *desc);

/* out[0] = in[0], out[i] = in[i] - in[i-1]

   With a map: out[i] = map(x, y, i) for i > 0, where x is in[i] and y is in[i-1]. An inclusive scan undoes
   the difference.

   Result: elements of out_type. in[0], differences and the map's value are converted to it as C does. A
   difference is taken in the type of the operands: types shorter than int are ints, halves are floats.
   Order: the same result every time.
   Aliasing: in place (`out` the same elements as `in`); otherwise no overlap. The number in count_buffer
   lies outside of `out`.
   Scratch: in place a copy of the input, otherwise none.
   Cost: reads and writes once, one launch; in place one copy more. A program is compiled per expression and
   its types. */
typedef struct gp_adjacent_difference_desc {
    cl_mem in;
    size_t in_offset;
    gp_type type;
    cl_mem out; /* `count` elements of out_type */
    size_t out_offset;
    gp_type out_type;    /* 0: `type` */
    const char *map;     /* expression in x, y and i; NULL: "x - y" */
    const gp_arg *args;  /* values and buffers that expressions name; NULL: none */
    size_t arg_count;    /* at most GP_ARGS_MAX */
    size_t count;        /* number of elements; with count_buffer, its upper bound */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    cl_mem scratch; /* gp_adjacent_difference_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_adjacent_difference_desc;

GP_API gp_result gp_adjacent_difference(gp_context *gp, const gp_adjacent_difference_desc *desc);

/* Sets *bytes to the scratch that gp_adjacent_difference needs with this desc: 0 unless it works in place,
   which includes two buffers that are NULL. */
GP_API gp_result gp_adjacent_difference_scratch_size(gp_context *gp, const gp_adjacent_difference_desc *desc,
                                                     size_t *bytes);
