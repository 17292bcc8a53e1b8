#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ gather, scatter, unpack */

/* gather: out[i] = in[indices[i]]        scatter: out[indices[i]] = in[i]

   Elements are moved, never looked at: element_size bytes each. An index that is not less than `limit` is
   skipped: a gather leaves that element of `out` as it is, a scatter drops that element of `in`;
   gp_stats.skipped counts them. Where indices of a scatter are equal, any one of their elements stays;
   where they are not, the result is the same every time. Aliasing: `out` overlaps nothing; `in` and `indices`
   may overlap each other. Cost: reads and writes each element once, by lines of memory where indices are near
   one another; one launch, no scratch. */
typedef struct gp_gather_desc {
    cl_mem in; /* gather: `limit` elements; scatter: `count` */
    size_t in_offset;
    cl_mem out; /* gather: `count` elements; scatter: `limit` */
    size_t out_offset;
    cl_mem indices; /* count numbers of index_type */
    size_t indices_offset;
    gp_type index_type;  /* GP_U32 (also 0) or GP_U64 */
    size_t element_size; /* bytes: 1, 2, 4, 8 or 16 */
    size_t limit;        /* elements of what is indexed; 0: every index is skipped */
    size_t count;        /* of indices, or their bound with count_buffer */
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_gather_desc;

GP_API gp_result gp_gather(gp_context *gp, const gp_gather_desc *desc);
GP_API gp_result gp_scatter(gp_context *gp, const gp_gather_desc *desc);

/* out[i] = the next element of `in`, for each i whose flag is set, in order; other elements stay as they are

   Undoes a selection by flags. Where more flags are set than `in` has elements, the last ones are skipped,
   and counted in gp_stats.skipped. Halves as flags are compared by their bits. Aliasing: `out` overlaps
   nothing; inputs may overlap one another. Cost: a scan of the flags into scratch (4 bytes an element, 8 from
   2^32 on), then reads and writes once. */
typedef struct gp_unpack_desc {
    cl_mem in; /* in_count elements */
    size_t in_offset;
    size_t in_count; /* elements of `in` */
    cl_mem flags;    /* count flags */
    size_t flags_offset;
    gp_type flags_type; /* 0: GP_U8 */
    cl_mem out;         /* count elements */
    size_t out_offset;
    size_t element_size; /* bytes: 1, 2, 4, 8 or 16 */
    size_t count;        /* of flags, or their bound with count_buffer */
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    cl_mem scratch; /* of gp_unpack_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_unpack_desc;

GP_API gp_result gp_unpack(gp_context *gp, const gp_unpack_desc *desc);

/* Bytes of scratch that gp_unpack with this desc needs; buffers in it may be NULL. Can be 0. */
GP_API gp_result gp_unpack_scratch_size(gp_context *gp, const gp_unpack_desc *desc, size_t *bytes);
