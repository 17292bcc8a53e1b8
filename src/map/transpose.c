/* transpose.c - gp_transpose: moves a matrix by tiles, in one launch. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/text.h"
#include "runtime/tuning.h"
#include "program/program.h"
#include "launch/launch.h"

#include <string.h>

enum {
    GPI_TRANSPOSE_COLUMNS = 256, /* serial: columns of a tile */
    GPI_TRANSPOSE_LINES = 64,    /* serial: most cache lines of an output row in a tile */
    GPI_TRANSPOSE_SIDE = 64      /* local: most rows and columns of a tile */
};

/* A call of gp_transpose, ready to be checked and run. */
typedef struct gpi_transpose {
    const gp_transpose_desc *desc;
    size_t in_stride, out_stride; /* as in the desc, with defaults in place of 0 */
    size_t in_count, out_count;   /* number of elements from the first to the last one */
    gpi_plan plan;
    gpi_program *program;
} gpi_transpose;

/* ------------------------------------------------------------------ describe */

/* Sets *stride to its default if it is 0, and *count to the number of elements from the first to the last one of a matrix. */
static gp_result gpi_transpose_extent(gp_context *gp, const char *name, size_t rows, size_t row,
                                      size_t *stride, size_t *count)
{
    if (*stride == 0) *stride = row;
    if (*stride < row) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s = %zu is less than a row of %zu elements", name,
                        *stride, row);
    }
    if (rows == 0 || row == 0) return GP_OK;
    if (row > SIZE_MAX / 16 || rows - 1 > (SIZE_MAX / 16 - row) / *stride) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%zu rows, %zu elements apart (%s), are too many", rows,
                        *stride, name);
    }
    *count = (rows - 1) * *stride + row;
    return GP_OK;
}

static gp_result gpi_transpose_describe(gp_context *gp, gpi_transpose *t)
{
    const gp_transpose_desc *d = t->desc;
    const size_t size = d->element_size;
    gp_result result;
    if (size == 0 || size > 16 || (size & (size - 1))) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "element_size = %zu, must be 1, 2, 4, 8 or 16", size);
    }
    t->in_stride = d->in_stride;
    t->out_stride = d->out_stride;
    result = gpi_transpose_extent(gp, "in_stride", d->rows, d->columns, &t->in_stride, &t->in_count);
    if (result != GP_OK) return result;
    return gpi_transpose_extent(gp, "out_stride", d->columns, d->rows, &t->out_stride, &t->out_count);
}

/* ------------------------------------------------------------------ program, plan */

/* Returns the columns of a tile. In the local shape a group reads whole rows of the tile. */
static size_t gpi_transpose_side(const gp_context *gp, const gpi_plan *plan, size_t element_size)
{
    size_t side = GPI_TRANSPOSE_SIDE;
    if (plan->shape == GP_SHAPE_SERIAL) return GPI_TRANSPOSE_COLUMNS;
    while (side > plan->group || side * side * element_size > gp->info.local_mem_size / 2 - 1024) side /= 2;
    return side;
}

static void gpi_transpose_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                                  gpi_text *text)
{
    static const char *const types[] = {"uchar", "ushort", "uint", "ulong", "ulong2"};
    static const char *const parts[] = {"uchar16", "ushort8", "uint4", "ulong2", "ulong2"};
    const gpi_transpose *t = (const gpi_transpose *)description;
    size_t k = 0;
    while ((size_t)1 << k < t->desc->element_size) k++;
    gpi_prelude_apart(gp, plan, text);
    gpi_text_add(text, "#define GPI_OUT %s\n#define GPI_PART %s\n#define GPI_SIDE %u\n", types[k], parts[k],
                 (unsigned)gpi_transpose_side(gp, plan, t->desc->element_size));
}

/* Checks and plans a call, except for its buffers. */
static gp_result gpi_transpose_plan(gp_context *gp, gpi_transpose *t)
{
    const size_t size = t->desc->element_size;
    gp_result result = gpi_transpose_describe(gp, t);
    if (result == GP_OK) result = gpi_plan_make_map(gp, size, &t->plan);
    if (result != GP_OK) return result;
    return gpi_program_get(gp, GPI_TRANSPOSE, gpi_transpose_prelude, t, &t->plan, &t->program);
}

/* ------------------------------------------------------------------ check, launch */

static gp_result gpi_transpose_check(gp_context *gp, const gpi_transpose *t)
{
    const gp_transpose_desc *d = t->desc;
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, GP_OK);
    gpi_use_buffer(&uses, "in", d->in, d->in_offset, t->in_count, d->element_size, GPI_READS);
    gpi_use_buffer(&uses, "out", d->out, d->out_offset, t->out_count, d->element_size, GPI_WRITES);
    return gpi_uses_end(&uses, NULL, NULL, 0);
}

/* Returns the rows of a tile. In the serial shape their number is small enough to keep all cores busy to the end, large
   enough that the cache lines that two tiles share cost little, and a multiple of a line's elements. */
static size_t gpi_transpose_span(const gp_context *gp, const gpi_transpose *t, size_t side, size_t across)
{
    const size_t line = 64 / t->desc->element_size;
    const size_t groups = 8 * (size_t)(gp->info.compute_units ? gp->info.compute_units : 1);
    size_t span = gpi_ceil_div(t->desc->rows, gpi_ceil_div(groups, across));
    if (t->plan.shape != GP_SHAPE_SERIAL) return side;
    if (span > GPI_TRANSPOSE_LINES * line) span = GPI_TRANSPOSE_LINES * line;
    if (span < GPI_TRANSPOSE_LINES / 4 * line) span = GPI_TRANSPOSE_LINES / 4 * line;
    return gpi_round_up(span, line);
}

static gp_result gpi_transpose_launch(gpi_call *call, const gpi_transpose *t)
{
    const gp_transpose_desc *d = t->desc;
    const size_t side = gpi_transpose_side(call->gp, &t->plan, d->element_size);
    const size_t across = gpi_ceil_div(d->columns, side),
                 span = gpi_transpose_span(call->gp, t, side, across);
    gpi_call_kernel(call, t->program, "gp_transpose_tiles");
    GPI_CALL_ARG(call, d->in);
    gpi_call_arg_ulong(call, d->in_offset);
    gpi_call_arg_ulong(call, t->in_stride);
    GPI_CALL_ARG(call, d->out);
    gpi_call_arg_ulong(call, d->out_offset);
    gpi_call_arg_ulong(call, t->out_stride);
    gpi_call_arg_ulong(call, d->rows);
    gpi_call_arg_ulong(call, d->columns);
    gpi_call_arg_ulong(call, span);
    gpi_call_arg_ulong(call, across);
    return gpi_call_launch(call, &t->plan, across * gpi_ceil_div(d->rows, span));
}

/* ------------------------------------------------------------------ API, warm-up */

static gp_result gpi_transpose_call(gp_context *gp, const gp_transpose_desc *desc)
{
    const bool some = desc->rows > 0 && desc->columns > 0;
    gpi_transpose t;
    gpi_call call;
    gp_result result;
    memset(&t, 0, sizeof t);
    t.desc = desc;
    result = gpi_transpose_plan(gp, &t);
    if (result == GP_OK && some) result = gpi_transpose_check(gp, &t);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK && some) result = gpi_transpose_launch(&call, &t);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_transpose(gp_context *gp, const gp_transpose_desc *desc)
{
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    return gpi_transpose_call(gp, desc);
}

/* Moves one element, in temporary buffers. */
static gp_result gpi_transpose_warm_up(gp_context *gp, const gp_transpose_desc *desc)
{
    enum { GPI_LARGEST = 16 }; /* most bytes of an element */
    gp_transpose_desc probe;
    gp_result result;
    memset(&probe, 0, sizeof probe);
    probe.element_size = desc->element_size;
    probe.rows = probe.columns = 1;
    result = gpi_alloc_zeros(gp, GPI_LARGEST, &probe.in);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, GPI_LARGEST, &probe.out);
    if (result == GP_OK) result = gpi_transpose_call(gp, &probe);
    if (probe.in) (void)clReleaseMemObject(probe.in);
    if (probe.out) (void)clReleaseMemObject(probe.out);
    return result;
}
