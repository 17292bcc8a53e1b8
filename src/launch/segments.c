/* segments.c - segments of an array, given by offsets or as rows of equal length: checks them, and passes them to
   kernels (kernels/common/base/segments.cl). */
#include "base/constants.cl"
#include "base/error.h"
#include "base/math.h"
#include "base/type.h"
#include "launch/launch.h"

#include <string.h>

/* Checks rows, and completes their stride and the array's count. */
static gp_result gpi_offsets_check_rows(gp_context *gp, gpi_offsets *o)
{
    const size_t step = o->element_stride ? o->element_stride : 1;
    size_t row, end;
    if (o->buffer) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "offsets and row_length are given: segments are given by one of them");
    }
    if (!o->row_stride) o->row_stride = step > 1 ? 1 : o->row_length;
    if (o->segments == 0) return GP_OK;
    if (o->row_length - 1 > (SIZE_MAX - 1) / step) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "row_length = %zu, %zu elements apart, is too much",
                        o->row_length, step);
    }
    row = (o->row_length - 1) * step + 1;
    if (o->segments - 1 > (SIZE_MAX - row) / o->row_stride) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%zu rows, %zu elements apart, are too many", o->segments,
                        o->row_stride);
    }
    end = (o->segments - 1) * o->row_stride + row;
    if (!o->count) o->count = end;
    if (end <= o->count) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "the last row ends at element %zu, and count is %zu", end,
                    o->count);
}

static gp_result gpi_offsets_check(gp_context *gp, gpi_offsets *o)
{
    if (o->segments >= UINT32_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "segment_count = %zu, at most 2^32 - 2", o->segments);
    }
    if (o->row_length) return gpi_offsets_check_rows(gp, o);
    if (o->row_stride || o->element_stride) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s = %zu, and row_length is 0",
                        o->row_stride ? "row_stride" : "element_stride",
                        o->row_stride ? o->row_stride : o->element_stride);
    }
    if (o->type == GP_U32 || o->type == GP_U64) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "offsets_type = %d, must be GP_U32 or GP_U64", (int)o->type);
}

/* Returns the length of the average segment. */
static size_t gpi_offsets_average(const gpi_offsets *o)
{
    if (o->row_length) return o->row_length;
    return o->segments ? o->count / o->segments : 0;
}

/* Plans the list of large segments, which are those of more than `small_size` elements, and its scratch. A large
   segment is cut into parts of `span` elements, and each part's result has `size` bytes. The list has room for all
   large segments unless offsets let them overlap. */
static gp_result gpi_offsets_list(gp_context *gp, const gpi_offsets *o, size_t small_size, size_t span,
                                  size_t size, gpi_large_list *list)
{
    const size_t rows = o->row_length > small_size ? o->segments : 0,
                 each = gpi_ceil_div(o->row_length, span);
    memset(list, 0, sizeof *list);
    if (o->segments == 0) return GP_OK;
    list->large = o->row_length ? rows : o->count / (small_size + 1);
    if (list->large && !o->row_length) list->parts = gpi_ceil_div(o->count, span) + list->large;
    if (rows) list->parts = each <= UINT32_MAX / rows ? each * rows : SIZE_MAX;
    if (list->parts >= UINT32_MAX || list->parts > SIZE_MAX / 4 / (size + 16)) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%zu segments with %zu elements have too many parts of %zu",
                        o->segments, o->count, span);
    }
    list->partials_at =
        gpi_round_up(4 * (GPI_SEGMENTS_HEADER + list->large * GPI_LARGE_WORDS + list->parts), 64);
    list->bytes = list->partials_at + list->parts * size;
    return GP_OK;
}

/* Adds the buffer of the offsets to the table. Rows have none. */
static void gpi_use_offsets(gpi_uses *uses, const gpi_offsets *o)
{
    if (o->row_length) return;
    (void)gpi_use_buffer(uses, "offsets", o->buffer, o->offset, o->segments + 1, gpi_type_size(o->type),
                         GPI_READS);
}

/* Passes the arguments for GPI_OFFSETS_PARAMETERS (base/segments.cl). */
static void gpi_call_arg_offsets(gpi_call *call, const gpi_offsets *o)
{
    const cl_mem buffer = o->row_length ? call->gp->counters : o->buffer; /* rows have no offsets */
    GPI_CALL_ARG(call, buffer);
    gpi_call_arg_ulong(call, o->row_length ? 0 : o->offset);
    gpi_call_arg_uint(call, o->row_length ? 0 : gpi_type_size(o->type) / 4);
    gpi_call_arg_ulong(call, o->row_length);
    gpi_call_arg_ulong(call, o->row_stride);
    gpi_call_arg_ulong(call, o->count);
}

/* Passes the arguments for GPI_LIST_PARAMETERS (base/segments.cl). */
static void gpi_call_arg_list(gpi_call *call, const gpi_large_list *list, cl_mem scratch)
{
    GPI_CALL_ARG(call, scratch);
    gpi_call_arg_ulong(call, list->partials_at);
    gpi_call_arg_uint(call, list->large);
    gpi_call_arg_uint(call, list->parts);
}
