#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ gather, scatter, unpack */

/* gather: out[i] = in[indices[i]]        scatter: out[indices[i]] = in[i]

   Result: elements of element_size bytes, which are moved and not interpreted. Elements of `out` to which
   nothing is moved keep their values.
   Order: the same result every time, except for equal indices of a scatter: any one of their elements is
   written.
   Aliasing: `out` overlaps nothing; `in` and `indices` may overlap each other.
   Cost: reads and writes each element once; elements with close indices share lines of memory. One launch, no
   scratch.
   Errors: an index that is not less than `limit` is skipped and counted in gp_stats.skipped: a gather does
   not write that element of `out`, a scatter drops that element of `in`. */
typedef struct gp_gather_desc {
    cl_mem in; /* gather: `limit` elements; scatter: `count` */
    size_t in_offset;
    cl_mem out; /* gather: `count` elements; scatter: `limit` */
    size_t out_offset;
    cl_mem indices; /* `count` numbers of index_type */
    size_t indices_offset;
    gp_type index_type;  /* GP_U32 (also 0) or GP_U64 */
    size_t element_size; /* bytes: 1, 2, 4, 8 or 16 */
    size_t limit;        /* elements of the array that is indexed; 0: every index is skipped */
    size_t count;        /* number of indices; with count_buffer, its upper bound */
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_gather_desc;

GP_API gp_result gp_gather(gp_context *gp, const gp_gather_desc *desc);
GP_API gp_result gp_scatter(gp_context *gp, const gp_gather_desc *desc);

/* out[i] = the next element of `in`, in order, for each i whose flag is set

   Undoes a selection by flags. A flag is set if it is not 0; halves as flags are compared by their bits.

   Result: elements of element_size bytes, as in gp_gather. Elements of `out` without a flag keep their
   values.
   Order: the same result every time.
   Aliasing: `out` overlaps nothing; inputs may overlap one another.
   Scratch: 4 bytes per element (8 from 2^32 on), for a scan of the flags.
   Cost: a scan of the flags, then reads and writes once.
   Errors: if more flags are set than `in` has elements, the last flags are skipped, and counted in
   gp_stats.skipped. */
typedef struct gp_unpack_desc {
    cl_mem in; /* in_count elements */
    size_t in_offset;
    size_t in_count; /* elements of `in` */
    cl_mem flags;    /* `count` flags */
    size_t flags_offset;
    gp_type flags_type; /* 0: GP_U8 */
    cl_mem out;         /* `count` elements */
    size_t out_offset;
    size_t element_size; /* bytes: 1, 2, 4, 8 or 16 */
    size_t count;        /* number of flags; with count_buffer, its upper bound */
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    cl_mem scratch; /* gp_unpack_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_unpack_desc;

GP_API gp_result gp_unpack(gp_context *gp, const gp_unpack_desc *desc);

/* Sets *bytes to the scratch that gp_unpack needs with this desc, which can be 0. The buffers of the desc may
   be NULL. */
GP_API gp_result gp_unpack_scratch_size(gp_context *gp, const gp_unpack_desc *desc, size_t *bytes);
