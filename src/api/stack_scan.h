#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ stack scan */

/* out[i] = initial . v0 . v1 ... vk      v0 ... vk: the stack after element i, lowest first
     exclusive: the stack before element i

   Computes, for each element of a nest of brackets, the product of the values of all openers that are open,
   outermost first. On a stack, an opener pushes its value and a closer pops one. Examples: nested clip
   rectangles and their intersections; nested transforms; the minimum of all values that enclose an element.

   An opener's own value counts for the opener itself, and no longer for its closer. With `exclusive` it
   counts for the closer and not for the opener: the stack holds the opener that gp_brackets calls parent[i],
   its parent and so on. For elements that are not brackets `exclusive` makes no difference. Codes are given
   as in gp_brackets, by type and pairs, table or map. There is one value per element, and only the values of
   openers count. The operation may also be applied to the other values, but no result depends on these.

   Result: elements of out_type. For argmin and argmax, it is the index of the opener whose value is the
   extreme one, and of equal values the lowest index; all ones if no bracket is open. Indices count from the
   call's first element. out_type is then GP_U64 (the default) or GP_U32. The output is defined for any input.
   Order: outermost first always, so monoids need not commute. Products are grouped by tiles, the same way
   every time: float results repeat bit for bit on one device, and may be rounded otherwise than on a stack.
   Aliasing: `out` overlaps nothing; inputs may overlap each other.
   Count 0: does nothing.
   Scratch: one sum per element; up to four sums and 32 bytes per tile (64 bytes from 2^32 elements on); and
   up to 192 bytes.
   Cost: reads codes and openers' values twice and writes once; openers that tiles leave open are written and
   read once more. Deep nesting adds at most the logarithm of the number of tiles, for each tile and for each
   closer whose opener is in another tile.
   Limits: memory; fewer than 2^29 tiles; 2^32 - 2 elements for argmin and argmax with out_type = GP_U32.
   Errors: a closer on an empty stack pops nothing. An opener that is never closed counts to the end. Kinds do
   not matter.
   Source: Levien, The stack monoid, 2020, for the monoid.
   Example: examples/06_clip_stack.c */
typedef struct gp_stack_scan_desc {
    cl_mem in;           /* the elements that gp_brackets would match */
    size_t in_offset;    /* in elements, as all offsets */
    size_t count;        /* number of elements; with count_buffer, its upper bound */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;        /* type of `in`; codes as in gp_brackets: */
    const char *pairs;   /* GP_U8: each opener and its closer, in turns; read during the call */
    const int8_t *table; /* GP_U8, instead of pairs: 256 codes; read during the call */
    const char *map;     /* instead of both: the code of an element, an expression in x and i */
    cl_mem values;       /* `count` elements of value_type, or of the monoid */
    size_t values_offset;
    gp_type value_type;      /* type of `values`; 0 with a monoid and no value_map */
    const char *value_map;   /* expression in x, an element of `values`, and i; NULL: the element itself */
    const gp_arg *args;      /* values and buffers that expressions name; NULL: none */
    size_t arg_count;        /* at most GP_ARGS_MAX */
    gp_type out_type;        /* type of products and output; 0: value_type */
    gp_op op;                /* set op or monoid */
    const gp_monoid *monoid; /* instead of out_type and op */
    bool exclusive;          /* false: the stack after the element; true: before it */
    const void *initial;     /* one element of out_type, read during the call; NULL: the identity */
    cl_mem out;              /* `count` elements of out_type */
    size_t out_offset;
    cl_mem scratch; /* gp_stack_scan_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_stack_scan_desc;

GP_API gp_result gp_stack_scan(gp_context *gp, const gp_stack_scan_desc *desc);

/* Sets *bytes to the scratch that gp_stack_scan needs with this desc, which can be 0. The buffers of the desc may be NULL. */
GP_API gp_result gp_stack_scan_scratch_size(gp_context *gp, const gp_stack_scan_desc *desc, size_t *bytes);
