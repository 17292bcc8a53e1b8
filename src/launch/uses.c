/* uses.c - the table of a call's buffers. Each call adds a row per buffer, and all checks and messages come from the rows. */
#include "base/error.h"
#include "launch/launch.h"

#include <stdio.h>
#include <string.h>

static void gpi_uses_begin(gpi_uses *uses, gp_context *gp, gp_result result)
{
    uses->gp = gp;
    uses->result = result;
    uses->count = 0;
}

static gpi_use *gpi_uses_add(gpi_uses *uses, const char *name, int access)
{
    gpi_use *use = &uses->use[uses->count++];
    memset(use, 0, sizeof *use);
    use->name = name;
    use->access = access;
    return use;
}

/* Adds a buffer of `count` elements of `size` bytes, checks it, and returns its range. */
static gpi_range *gpi_use_buffer(gpi_uses *uses, const char *name, cl_mem buffer, size_t offset, size_t count,
                                 size_t size, int access)
{
    gpi_range *range = &gpi_uses_add(uses, name, access)->range;
    if (uses->result == GP_OK)
        uses->result = gpi_check_buffer(uses->gp, name, buffer, offset, count, size, access, range);
    return range;
}

/* Adds a count, which need not be in a buffer, checks it, and returns its range. */
static gpi_range *gpi_use_count(gpi_uses *uses, const char *name, const gpi_count *count)
{
    gpi_range *range = &gpi_uses_add(uses, name, GPI_READS)->range;
    if (uses->result == GP_OK) uses->result = gpi_check_count(uses->gp, name, count, range);
    return range;
}

static void gpi_uses_fail_overlap(gpi_uses *uses, const gpi_use *a, const gpi_use *b)
{
    uses->result = gpi_fail(
        uses->gp, GP_ERROR_OVERLAP, "%s is bytes [%zu, %zu) and %s [%zu, %zu) of %s: they overlap", a->name,
        a->range.begin, a->range.end, b->name, b->range.begin, b->range.end,
        a->range.root == b->range.root ? "one buffer" : "buffers on one host memory (CL_MEM_USE_HOST_PTR)");
}

/* Fails if a buffer that is written overlaps another one, unless both are the same range and the input allows that. */
static void gpi_uses_apart(gpi_uses *uses)
{
    size_t a, b;
    for (a = 0; a < uses->count; a++) {
        for (b = 0; b < a && uses->result == GP_OK; b++) {
            const gpi_use *x = &uses->use[b], *y = &uses->use[a];
            const bool in_place = x->access == GPI_READS_OR_OUT || y->access == GPI_READS_OR_OUT;
            if (x->access < GPI_WRITES && y->access < GPI_WRITES) continue;
            if (!gpi_overlap(&x->range, &y->range) || (in_place && gpi_same(&x->range, &y->range))) continue;
            gpi_uses_fail_overlap(uses, x, y);
        }
    }
}

/* Checks the caller's scratch, if any: it must be large enough, and not overlap another buffer. */
static gp_result gpi_uses_scratch(gpi_uses *uses, cl_mem scratch, size_t bytes)
{
    const size_t count = uses->count;
    gpi_use input = {"an input or output", GPI_READS, {NULL, NULL, 0, 0}};
    size_t i;
    if (!scratch || bytes == 0) return uses->result;
    (void)gpi_use_buffer(uses, "scratch", scratch, 0, bytes, 1, GPI_BOTH);
    for (i = 0; i < count && uses->result == GP_OK; i++) {
        input.range = uses->use[i].range;
        if (gpi_overlap(&uses->use[count].range, &input.range))
            gpi_uses_fail_overlap(uses, &uses->use[count], &input);
    }
    return uses->result;
}

/* Adds an argument's buffer and checks it. Adds all of the buffer if the argument has no count. */
static gpi_use *gpi_use_arg(gpi_uses *uses, const char *field, const gp_arg *arg)
{
    const size_t size = gpi_arg_size(arg);
    gpi_use *use = &uses->use[uses->count];
    size_t bytes;
    char call[64];
    cl_int error;
    (void)gpi_use_buffer(uses, field, arg->buffer, arg->offset, arg->count, size, GPI_READS);
    if (uses->result != GP_OK || arg->count) return use;
    (void)snprintf(call, sizeof call, "%s: clGetMemObjectInfo", field);
    error = clGetMemObjectInfo(arg->buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    if (error != CL_SUCCESS) uses->result = gpi_fail_cl(uses->gp, error, call);
    else use->range.end += (bytes / size - arg->offset) * size;
    return use;
}

/* Adds the buffers of arguments and checks them. Fails if one overlaps a buffer that the call writes. */
static void gpi_uses_args(gpi_uses *uses, const gpi_args *args)
{
    const size_t count = uses->count;
    char field[32];
    size_t k, i;
    for (k = 0; k < args->count && uses->result == GP_OK; k++) {
        gpi_use *use;
        if (args->list[k].value) continue;
        (void)snprintf(field, sizeof field, "args[%u].buffer", (unsigned)k);
        use = gpi_use_arg(uses, field, &args->list[k]);
        for (i = 0; i < count && uses->result == GP_OK; i++) {
            if (uses->use[i].access >= GPI_WRITES && gpi_overlap(&use->range, &uses->use[i].range))
                gpi_uses_fail_overlap(uses, use, &uses->use[i]);
        }
        use->name = "args"; /* the text of `field` is valid only in this function */
    }
}

/* Makes the last checks of most calls: overlap of written buffers, arguments, scratch. `args` NULL: the call has
   none. */
static gp_result gpi_uses_end(gpi_uses *uses, const gpi_args *args, cl_mem scratch, size_t bytes)
{
    gpi_uses_apart(uses);
    if (args) gpi_uses_args(uses, args);
    return gpi_uses_scratch(uses, scratch, bytes);
}
