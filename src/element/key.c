/* key.c - the parts that primitives on keys share: the order of keys, programs, checks. */
#include "base/error.h"
#include "base/memory.h"
#include "base/type.h"
#include "element/element.h"

#include <string.h>

/* Returns `flip` of element/key.cl, the bits that are inverted in every key. */
static cl_ulong gpi_key_flip(gp_type type, bool descending)
{
    const size_t size = gpi_type_size(type);
    const cl_ulong ones = ~(cl_ulong)0 >> (64 - 8 * size);
    const bool has_sign = gpi_is_signed(type) || gpi_is_float(type);
    const cl_ulong sign = has_sign ? (cl_ulong)1 << (8 * size - 1) : 0;
    return descending ? sign ^ ones : sign;
}

/* The description of a program on keys. */
typedef struct gpi_key_of {
    gp_type type;
    size_t value_size;
    const char *more; /* text at the end of the prelude */
} gpi_key_of;

static void gpi_key_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                            gpi_text *text)
{
    const gpi_key_of *key = (const gpi_key_of *)description;
    const bool local = plan->shape == GP_SHAPE_LOCAL;
    gpi_text_plan(gp, plan, text);
    gpi_text_add(text, "#define GPI_PER_ITEM %u\n#define GPI_TILE %u\n#define GPI_FP64 0\n",
                 local ? plan->per_item : 1, local ? plan->group * plan->per_item : 1);
    gpi_text_add(text, "#define GPI_KEY_SIZE %u\n#define GPI_KEY_FLOAT %d\n#define GPI_VALUE_SIZE %u\n%s",
                 (unsigned)gpi_type_size(key->type), gpi_is_float(key->type), (unsigned)key->value_size,
                 key->more);
}

static gp_result gpi_key_program(gp_context *gp, gpi_primitive primitive, gp_type type, size_t value_size,
                                 const char *more, gpi_plan *plan, gpi_program **out)
{
    const gpi_key_of key = {type, value_size, more};
    return gpi_program_get(gp, primitive, gpi_key_prelude, &key, plan, out);
}

static gp_result gpi_check_key_type(gp_context *gp, gp_type type)
{
    return gpi_type_size(type) ? GP_OK : gpi_fail_type(gp, "key_type", type);
}

static gp_result gpi_check_value_size(gp_context *gp, size_t size)
{
    if (size <= 16 && (size & (size - 1)) == 0) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "value_size = %zu, must be 0, 1, 2, 4, 8 or 16", size);
}
