#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ stack scan */

/* For each element of a nest of brackets: the product of the values of all openers that are open, outermost
   first. Nested clip rectangles and their intersections; nested transforms; the least of all that encloses.

   By a stack, on which an opener puts its value and from which a closer takes one:
     out[i] = initial . v0 . v1 ... vk      v0 ... vk: on the stack behind element i, lowest first
     exclusive: on the stack before element i
   So an opener's own value counts for itself, and is gone at its closer; with `exclusive` it counts for its
   closer and not for itself, and what counts are the openers that gp_brackets calls parent[i], its parent and
   so on. Elements that are no brackets get the same in both.

   Argmin and argmax give which of the open values is the extreme one: its opener's index, counted from the
   call's first element, of equal ones the lowest; all ones where none is open. out_type is GP_U64 or GP_U32.

   Codes are given as to gp_brackets: type, and pairs, table or map. Values: one for each element, of which
   only openers' are looked at; what comes of others' is thrown away, but the operation may be given them.
   Whatever the input, the output is defined: a closer on an empty stack takes nothing, an opener that is
   never closed counts to the end, kinds do not matter.

   Order: outermost first always, for any monoid. Products are grouped by tiles, the same way every time:
   float results repeat bit for bit on one device, and may differ from those of a stack in rounding. count 0
   does nothing. Aliasing: `out` overlaps nothing; inputs may overlap each other. Scratch: one sum an element,
   three and 32 bytes a tile (twice that for 2^32 elements or more). Cost: reads codes and openers' values
   twice, writes once; openers that tiles leave open are written and read once more. Depth costs at most the
   logarithm of the number of tiles for each tile, and for each closer whose opener is in another tile.
   Largest count: memory.
   (Levien, The stack monoid, 2020, for the monoid.) */
typedef struct gp_stack_scan_desc {
    cl_mem in;           /* what is a bracket */
    size_t in_offset;    /* elements, as all offsets */
    size_t count;        /* of elements, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;        /* of the input; codes as to gp_brackets: */
    const char *pairs;   /* GP_U8: openers and closers, in turns; read during the call; or: */
    const int8_t *table; /* GP_U8: 256 codes; read during the call; or: */
    const char *map;     /* code of an element, in x and i */
    cl_mem values;       /* count elements of value_type, or of the monoid */
    size_t values_offset;
    gp_type value_type;      /* with a monoid but no value_map: leave 0 */
    const char *value_map;   /* expression in x, an element of `values`, and i; NULL: the element itself */
    gp_type out_type;        /* of products and output; 0: value_type */
    gp_op op;                /* or: */
    const gp_monoid *monoid; /* instead of out_type and op */
    bool exclusive;          /* the stack before the element */
    const void *initial;     /* one element of out_type, read during the call; NULL: the identity */
    cl_mem out;              /* count elements of out_type */
    size_t out_offset;
    cl_mem scratch; /* of gp_stack_scan_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_stack_scan_desc;

GP_API gp_result gp_stack_scan(gp_context *gp, const gp_stack_scan_desc *desc);

/* Bytes of scratch that gp_stack_scan with this desc needs; buffers in it may be NULL. Can be 0. */
GP_API gp_result gp_stack_scan_scratch_size(gp_context *gp, const gp_stack_scan_desc *desc, size_t *bytes);
