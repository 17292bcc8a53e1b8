#pragma once

/* ------------------------------------------------------------------ brackets */

/* Matches nested brackets of an array in host memory, of any depth and of any kinds, as gp_brackets does:

     match[i]    the partner of bracket i; none if it has no partner, or if i is no bracket
     parent[i]   the innermost opener around i; for a closer its opener
     depth[i]    the number of openers around i

   Codes, "none" and `errors` are those of gp_brackets. Indices count from the call's first element.

   Result: at least one of match, parent, depth and errors. All are defined for any input.
   Order: the result is always the same.
   Aliasing: outputs overlap nothing.
   Count 0: nothing but errors is written.
   Cost: copies the input to the device and the outputs from it once. Together with each chunk, the device handles
     brackets that earlier chunks have left open, at most as many as the chunk has elements. So deeply nested input
     takes up to twice as long.
   Limits: memory; 2^32 - 1 elements with 32-bit indices. One context only, because each chunk depends on the one
     before. Temporary host memory: for each bracket that is open at the end of a chunk up to 16 bytes (24 while this
     memory grows), and some bytes for each element of a chunk. */
typedef struct gp_host_brackets_desc {
    const void *in;
    size_t count;        /* of elements */
    gp_type type;        /* of the input */
    const char *pairs;   /* GP_U8: each opener, followed by its closer; or: */
    const int8_t *table; /* GP_U8: 256 codes; or: */
    const char *map;     /* code of an element: expression in x and i */
    const gp_arg *args;  /* values and device buffers that the map names; NULL: none */
    size_t arg_count;    /* at most GP_ARGS_MAX, with those that the call adds */
    void *match;         /* count indices, as are parent and depth; NULL: not wanted */
    void *parent;
    void *depth;
    gp_type index_type; /* of match, parent and depth: GP_U32, GP_U64; 0: GP_U32 as long as count < 2^32 */
    gp_brackets_errors *errors; /* NULL: not wanted; joined and searches are the sums of all chunks */
    size_t budget;              /* bytes of device memory; 0: a quarter of the device's */
    gp_host_progress progress;  /* NULL: none; total is count */
    void *progress_user;        /* for progress */
} gp_host_brackets_desc;

GP_HOST_API gp_result gp_host_brackets(gp_context *gp, const gp_host_brackets_desc *desc);
