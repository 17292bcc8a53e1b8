#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ tree */

/* What a consumer of a nest asks next, from each element's parent, in input order:
     index[i]      how many of its siblings (elements with the same parent) stand before element i
     children[i]   how many elements have parent i
     end[i]        where the subtree of i ends: it is elements i ... end[i] - 1
   At least one output is required.

   Parents are as gp_brackets writes them, or those of any tree whose nodes stand in preorder: an element's
   parent stands before it, and its subtree is of neighbours. None has all bits set; elements without a parent
   are siblings. An element whose parent does not stand before it counts as having none. If `parent` is
   not a preorder forest, the results are unspecified and time may grow with the square of a run; nothing is
   read or written outside the buffers, and the call ends.

   Which elements count, in `index` and `children`: all, or with `in` those that are not 0, or for which `map`
   is not 0. Of brackets, "x == '(' || x == '['" would count nests in nests, and "x == ','" commas, so that
   index is the position in a list. The others' index is how many that count stand before them.

   The result is always the same. count 0 does nothing. Aliasing: outputs overlap nothing. Scratch: 2 bytes an
   element, on CPUs and a bit, and 16 to 32 bytes a run (twice that with indices of 64 bits) of 16384 elements
   on CPUs (8192 with indices of 64 bits) and of 16 on GPUs. Cost: reads parents (on CPUs only those in other
   runs again, on GPUs twice), writes each output once; for each run and each parent outside it a search of
   some 2 log2(runs) steps. No group waits for another. Largest count: 2^32 - 1 with 32-bit indices, else
   memory. */
typedef struct gp_tree_desc {
    cl_mem parent; /* count indices */
    size_t parent_offset;
    size_t count;        /* of elements, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type index_type; /* of parent and of the outputs: GP_U32 or GP_U64; 0: GP_U32 */
    cl_mem in;          /* count elements of `type`; NULL with type 0: all elements count */
    size_t in_offset;
    gp_type type;    /* any integer type */
    const char *map; /* expression in x and i; NULL: the element itself */
    cl_mem index;    /* NULL: not wanted; the same for all outputs */
    size_t index_offset;
    cl_mem children;
    size_t children_offset;
    cl_mem end;
    size_t end_offset;
    cl_mem scratch; /* of gp_tree_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_tree_desc;

GP_API gp_result gp_tree(gp_context *gp, const gp_tree_desc *desc);

/* Bytes of scratch that gp_tree with this desc needs; buffers in it may be NULL. Can be 0. */
GP_API gp_result gp_tree_scratch_size(gp_context *gp, const gp_tree_desc *desc, size_t *bytes);
