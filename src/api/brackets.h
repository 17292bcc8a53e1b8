#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ brackets */

/* Matches nested brackets, of any depth and of any kinds.

   Each element has a code: +k opens a bracket of kind k, -k closes one, 0 is anything else. On a stack, an
   opener pushes its own index and a closer pops one:
     match[i]    the partner of bracket i; none if it has no partner, or if i is no bracket
     parent[i]   the top of the stack before i: the innermost opener around i; for a closer its opener
     depth[i]    the height of the stack before i: how many openers are around i
   Elements that are not brackets have a parent and a depth, too. Indices count from the call's first element;
   "none" has all bits set (UINT32_MAX, UINT64_MAX).

   Codes are given in one of these ways:
     type GP_U8, pairs   lists openers, each followed by its closer; NULL: "()[]{}"; another example: "<>"
     type GP_U8, table   a code for each of the 256 values, so that several symbols can be of one kind
     type GP_I8, GP_I32  the elements are codes
     map                 for any integer type: an OpenCL C expression in x and i, whose value, converted to
                         int, is the code: "x == 7 ? 1 : x == 8 ? -1 : 0". On CPUs, a map of one-byte
                         elements that does not name i is evaluated once per work-group for every
                         value that occurs there, not for each element.

   Result: at least one of match, parent, depth and errors. All are defined for any input. Brackets of
   different kinds match each other, and are then counted as a mismatch.
   Order: the result is always the same.
   Aliasing: outputs overlap nothing.
   Count 0: only errors is written.
   Scratch: 4 bytes per element at most, up to 96 bytes per tile (of some thousand elements), and up to 128
   bytes.
   Cost: GP_STRATEGY_MULTI_PASS reads the input once and writes match once; parent and depth together take one
   more reading of the input, and errors another. Tiles exchange their unmatched brackets, every element at
   most once. No group waits for another. GP_STRATEGY_SINGLE_PASS computes all outputs in one launch, by
   look-back. With local memory it first zeroes 2 bytes of scratch per element, and openers that are never
   closed take one more launch. It becomes GP_STRATEGY_MULTI_PASS if there is one tile, if groups have one
   item and the device is not known to order memory between groups, or if loops could exceed the device's
   loop_limit. Time does not depend on the depth of nesting: an opener in another tile is found by a search in
   a tree of tiles.
   Limits: 2^32 - 1 elements with 32-bit indices, else memory; fewer than 2^29 tiles.
   Errors: a closer on an empty stack pops nothing, and has no partner and no parent. An opener that is never
   closed has no partner, and is around every element after it. `errors` reports both, and mismatches.
   Source: Levien, The stack monoid, 2020, for the monoid.
   Example: examples/05_brackets.c, examples/07_json_tree.c */
typedef struct gp_brackets_desc {
    cl_mem in;
    size_t in_offset;    /* in elements, as all offsets */
    size_t count;        /* number of elements; with count_buffer, its upper bound */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;        /* type of the input */
    const char *pairs;   /* GP_U8: each opener and its closer, in turns; read during the call */
    const int8_t *table; /* GP_U8, instead of pairs: 256 codes; read during the call */
    const char *map;     /* instead of both: the code of an element, an expression in x and i */
    const gp_arg *args;  /* values and buffers that expressions name; NULL: none */
    size_t arg_count;    /* at most GP_ARGS_MAX */
    cl_mem match;        /* NULL: not wanted; the same for all outputs; at least one is required */
    size_t match_offset;
    cl_mem parent;
    size_t parent_offset;
    cl_mem depth;
    size_t depth_offset;
    gp_type index_type; /* type of match, parent and depth: GP_U32, GP_U64; 0: GP_U32 if count < 2^32 */
    cl_mem errors;      /* one gp_brackets_errors; NULL: not wanted */
    size_t errors_offset;
    gp_strategy strategy;
    cl_mem scratch; /* gp_brackets_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_brackets_desc;

/* Counts the errors in the input, and its depth. The index of a first error is UINT64_MAX if there is none.
   joined and searches measure the work. */
typedef struct gp_brackets_errors {
    uint64_t unmatched_closers;
    uint64_t first_unmatched_closer;
    uint64_t unmatched_openers;
    uint64_t first_unmatched_opener;
    uint64_t mismatches;     /* pairs of two kinds */
    uint64_t first_mismatch; /* the closer of the first such pair */
    uint64_t max_depth;      /* most openers that are open at the same time */
    uint64_t joined;         /* closers whose opener is in another tile */
    uint64_t searches;       /* closers of `joined` that needed a search, because their opener is in another
                                tile than the opener found before */
} gp_brackets_errors;

GP_API gp_result gp_brackets(gp_context *gp, const gp_brackets_desc *desc);

/* Calls gp_brackets, blocks, and copies the errors to *errors. desc->errors may be NULL. */
GP_API gp_result gp_brackets_read(gp_context *gp, const gp_brackets_desc *desc, gp_brackets_errors *errors);

/* Sets *bytes to the scratch that gp_brackets needs with this desc, which can be 0. The buffers of the desc
   may be NULL. */
GP_API gp_result gp_brackets_scratch_size(gp_context *gp, const gp_brackets_desc *desc, size_t *bytes);
