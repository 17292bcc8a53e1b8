#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ brackets */

/* Matches nested brackets, of any depth and any kinds.

   Each element has a code: +k opens a bracket of kind k, -k closes one, 0 is something else. By the stack of
   open brackets' indices, on which an opener puts its own and from which a closer takes one:
     match[i]    the partner of bracket i; none for what is no bracket
     parent[i]   top of the stack before i: the innermost opener around i; for a closer its opener
     depth[i]    height of the stack before i: how many openers are around i
   Elements that are no brackets have parents and depths too. Indices count from the call's first element;
   "none" has all bits set (UINT32_MAX, UINT64_MAX).

   Codes: of a GP_U8 the class of the symbol: `pairs` lists openers, each with its closer behind it (NULL:
   "()[]{}"; "<>" would be another), or `table` has a code for each of the 256 values, so that several symbols
   can be of one kind. GP_I8 and GP_I32 are codes already. Or `map`: an OpenCL C expression in x and i, for
   any type of integers, whose value, converted to int, is the code; "x == 7 ? 1 : x == 8 ? -1 : 0".

   Whatever the input, outputs are defined. A closer on an empty stack takes nothing, and has no partner and
   no parent. An opener that is never closed has no partner, and is around everything behind it. Kinds do not
   decide who matches: a pair of two kinds is a pair, and a mismatch. `errors` tells of all three.

   Integers only: the result is always the same. count 0: nothing is written but `errors`. Aliasing: none of
   what is written overlaps anything else. Scratch: 4 bytes an element at most, and up to 96 a tile (of some
   thousand elements). Cost: reads the input once and writes `match` once; tiles exchange what is left
   of them, at most every element once. Time does not depend on how deep brackets are nested: an opener in
   another tile is found by a search in a tree of tiles.

   `strategy`: GP_STRATEGY_MULTI_PASS, in which no group waits for another, and which reads the input once
   more for parents and depths, and once more for errors. GP_STRATEGY_SINGLE_PASS makes all outputs in one
   launch by look-back; with local memory it zeroes 2 bytes an element of scratch first, and openers that
   nobody closes take a launch more. Where a device that runs groups of one item is not known to order memory
   between them, and for one tile, it is GP_STRATEGY_MULTI_PASS all the same. Largest count: 2^32 - 1 with
   32-bit indices, else memory. (Levien, The stack monoid, 2020, for the monoid.) */
typedef struct gp_brackets_desc {
    cl_mem in;
    size_t in_offset;    /* elements, as all offsets */
    size_t count;        /* of elements, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;        /* of the input */
    const char *pairs;   /* GP_U8: openers and closers, in turns; read during the call; or: */
    const int8_t *table; /* GP_U8: 256 codes; read during the call; or: */
    const char *map;     /* code of an element */
    cl_mem match;        /* NULL: not wanted; the same for all outputs, of which there is one at least */
    size_t match_offset;
    cl_mem parent;
    size_t parent_offset;
    cl_mem depth;
    size_t depth_offset;
    gp_type index_type; /* of these three: GP_U32, GP_U64; 0: GP_U32 as long as count < 2^32 */
    cl_mem errors;      /* one gp_brackets_errors */
    size_t errors_offset;
    gp_strategy strategy;
    cl_mem scratch; /* of gp_brackets_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_brackets_desc;

/* What is wrong with the input, and how deep it is. Indices are UINT64_MAX where there is none. The last two
   numbers are about the work: how often closers found their openers in another tile, and how often one of
   those had to be searched for because it is in another tile than the one before. */
typedef struct gp_brackets_errors {
    uint64_t unmatched_closers;
    uint64_t first_unmatched_closer;
    uint64_t unmatched_openers;
    uint64_t first_unmatched_opener;
    uint64_t mismatches;     /* pairs of two kinds */
    uint64_t first_mismatch; /* of their closers the first */
    uint64_t max_depth;      /* most openers that are open at a time */
    uint64_t joined;
    uint64_t searches;
} gp_brackets_errors;

GP_API gp_result gp_brackets(gp_context *gp, const gp_brackets_desc *desc);

/* The same, then blocks and copies the errors to *errors. desc->errors may be NULL. */
GP_API gp_result gp_brackets_read(gp_context *gp, const gp_brackets_desc *desc, gp_brackets_errors *errors);

/* Bytes of scratch that gp_brackets with this desc needs; buffers in it may be NULL. Can be 0. */
GP_API gp_result gp_brackets_scratch_size(gp_context *gp, const gp_brackets_desc *desc, size_t *bytes);
