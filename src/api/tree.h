#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ tree */

/* Computes, from the parent of each element of a tree:
     index[i]      how many of its siblings (elements with the same parent) come before element i
     children[i]   how many elements have parent i
     end[i]        where the subtree of i ends: it is elements i ... end[i] - 1

   Elements are in preorder: an element, then the subtree of its first child, and so on. So an element's
   parent comes before it, and the elements of a subtree are neighbours. gp_brackets writes such parents; a
   file system's listing and a scene graph have them, too. Elements that are numbered level by level (breadth
   first) are not in preorder. An element without a parent has all bits set there; such elements are siblings.

   By default all elements count in index and children. With `in`, only elements that are not 0 count; with
   `map`, only those whose value of `map` is not 0. With the parents of gp_brackets every symbol is an
   element: in "(a)" the opener has two children, `a` and the closer, and its subtree ends after the closer.
   With such parents, the map "x == '(' || x == '['" counts nested brackets, and "x == ','" counts commas, so
   that index is the position in a list. An element that does not count has an index as well: the number of
   its siblings before it that count.

   Result: at least one of index, children and end.
   Order: the result is always the same.
   Aliasing: outputs overlap nothing.
   Count 0: does nothing.
   Scratch: on CPUs 2 bytes and one bit per element, and 16 to 32 bytes per run; on GPUs 1 byte per element,
   and 24 to 40 bytes per run (with 64-bit indices 32 to 64, and 40 to 72). A run is 16384 elements on CPUs
   (8192 with 64-bit indices) and 16 on GPUs (8).
   Cost: reads each parent once, and again if it is in another run (on GPUs: outside the tile of 128 runs).
   Writes each output once, on GPUs twice if it depends on other tiles. Each run, and each parent outside its
   child's run, takes a search of some 2 log2(runs) steps, on GPUs within the tile in local memory. No group
   waits for another.
   Limits: 2^32 - 1 elements with 32-bit indices, else memory.
   Errors: an element whose parent does not come before it counts as having none. If `parent` is not a
   preorder forest, the results are unspecified and time may grow with the square of a run; nothing is read or
   written outside the buffers, and the call ends.
   Example: examples/07_json_tree.c */
typedef struct gp_tree_desc {
    cl_mem parent; /* `count` indices; all bits set: no parent */
    size_t parent_offset;
    size_t count;        /* number of elements; with count_buffer, its upper bound */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type index_type; /* type of parent and of the outputs: GP_U32 or GP_U64; 0: GP_U32 */
    cl_mem in;          /* `count` elements of `type`; NULL with type 0: all elements count */
    size_t in_offset;
    gp_type type;       /* any integer type */
    const char *map;    /* expression in x and i; NULL: the element itself */
    const gp_arg *args; /* values and buffers that expressions name; NULL: none */
    size_t arg_count;   /* at most GP_ARGS_MAX */
    cl_mem index;       /* NULL: not wanted; the same for all outputs */
    size_t index_offset;
    cl_mem children;
    size_t children_offset;
    cl_mem end;
    size_t end_offset;
    cl_mem scratch; /* gp_tree_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_tree_desc;

GP_API gp_result gp_tree(gp_context *gp, const gp_tree_desc *desc);

/* Sets *bytes to the scratch that gp_tree needs with this desc, which can be 0. The buffers of the desc may
   be NULL. */
GP_API gp_result gp_tree_scratch_size(gp_context *gp, const gp_tree_desc *desc, size_t *bytes);
