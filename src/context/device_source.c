/* device_source.c - gp_device_source: returns parts of the library as text for the caller's kernels. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/type.h"
#include "program/program.h"
#include "element/element.h"
#include "hash/hash.h"

#include <stdio.h>
#include <string.h>

enum { GPI_GROUP_NAME_MAX = 32, GPI_GROUP_OPS_MAX = 64, GPI_GROUP_SIZE_MAX = 65536 };

/* ------------------------------------------------------------------ checks */

static bool gpi_is_identifier(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const size_t length = name ? strlen(name) : 0;
    return length > 0 && length <= GPI_GROUP_NAME_MAX && strspn(name, letters) == length;
}

static gp_result gpi_group_check_name(gp_context *gp, const gp_device_source_desc *desc, size_t k)
{
    const char *name = desc->ops[k].name;
    char quoted[GPI_QUOTE_MAX];
    size_t i;
    if (!gpi_is_identifier(name)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "ops[%zu].name is %s, must be 1 to %d letters, digits and underscores", k,
                        name ? gpi_quote(name, strlen(name), quoted) : "NULL", (int)GPI_GROUP_NAME_MAX);
    }
    for (i = 0; i < k; i++) {
        if (strcmp(desc->ops[i].name, name) == 0) {
            return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "ops[%zu] and ops[%zu] are both named %s", i, k,
                            name);
        }
    }
    return GP_OK;
}

/* Makes the element of operation `op`. Error messages name it ops[k]. */
static gp_result gpi_group_element(gp_context *gp, const gp_group_op *op, size_t k, gpi_element *element)
{
    char prefix[32];
    gpi_operation operation;
    gp_result result;
    memset(&operation, 0, sizeof operation);
    operation.type = op->type;
    operation.op = op->op;
    operation.monoid = op->monoid;
    if (!op->monoid) operation.out_type = op->type;
    if (!op->monoid && gpi_is_arg(op->op)) {
        result =
            gpi_fail(gp, GP_ERROR_INVALID_OP, "op = %d: argmin and argmax need a monoid here", (int)op->op);
    } else if (op->monoid && op->monoid->takes_args) {
        result = gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "monoid->takes_args: there are no args here");
    } else {
        result = gpi_element_make(gp, &operation, element);
    }
    (void)snprintf(prefix, sizeof prefix, "ops[%zu].", k);
    if (result != GP_OK) gpi_fail_within(gp, prefix);
    return result;
}

static gp_result gpi_group_check(gp_context *gp, const gp_device_source_desc *desc)
{
    gpi_element element;
    gp_result result = GP_OK;
    size_t k;
    if (!desc->ops != !desc->op_count || desc->op_count > GPI_GROUP_OPS_MAX) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "ops is %s, op_count = %zu, at most %d",
                        desc->ops ? "given" : "NULL", desc->op_count, (int)GPI_GROUP_OPS_MAX);
    }
    if (desc->group > GPI_GROUP_SIZE_MAX) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "group = %u, at most %d", (unsigned)desc->group,
                        (int)GPI_GROUP_SIZE_MAX);
    }
    if (desc->table.id) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "table is only used with GP_DEVICE_HASH");
    }
    for (k = 0; k < desc->op_count && result == GP_OK; k++) {
        result = gpi_group_check_name(gp, desc, k);
        if (result == GP_OK) result = gpi_group_element(gp, &desc->ops[k], k, &element);
    }
    return result;
}

/* ------------------------------------------------------------------ text */

/* Adds the macros and the identity of operation `op` for group/collectives.cl. Their names end in _k. */
static void gpi_group_text_op(const gp_group_op *op, const gpi_element *element, unsigned k, const char *type,
                              gpi_text *text)
{
    const unsigned words = (unsigned)(element->base_size + 3) / 4;
    gpi_text_add(text,
                 "static %s gpi_identity_%u(void)\n{\n    const union {\n        uint word[%u];\n"
                 "        %s value;\n    } identity = {{",
                 type, k, words, type);
    gpi_identity_words(element, text);
    gpi_text_add(text, "}};\n    return identity.value;\n}\n");
    gpi_text_add(text, "#define GPI_GROUP gp_group_%s\n#define GPI_GROUP_T %s\n", op->name, type);
    gpi_text_add(text, "#define GPI_GROUP_IDENTITY gpi_identity_%u()\n", k);
}

static void gpi_group_text_builtin(const gp_group_op *op, const gpi_element *element, unsigned k,
                                   gpi_text *text)
{
    const gpi_field *field = &element->fields[0];
    gpi_prelude_field(field, field->value, k, text);
    gpi_text_add(text, "#define GPI_FIELD %u\n", k);
    gpi_text_add_kernels(text, "element/op.cl");
    gpi_group_text_op(op, element, k, gpi_type_cl(field->value), text);
    gpi_text_add(text, "#define GPI_GROUP_COMBINE(a, b) gpi_field_combine_%u(a, b)\n", k);
    gpi_text_add_kernels(text, "group/collectives.cl");
}

/* Adds the text of a monoid's operation. A source that several operations share is added once. */
static void gpi_group_text_monoid(const gp_device_source_desc *desc, const gpi_element *element, unsigned k,
                                  gpi_text *text)
{
    const gp_group_op *op = &desc->ops[k];
    char user[32];
    unsigned i = 0;
    while (i < k && (!desc->ops[i].monoid || strcmp(desc->ops[i].monoid->source, op->monoid->source) != 0))
        i++;
    (void)snprintf(user, sizeof user, "gpi_user_%u", k);
    if (i == k) gpi_text_add(text, "#line 1 \"monoid\"\n%s\n\n", op->monoid->source);
    gpi_prelude_user_type(op->monoid, user, text);
    gpi_prelude_user_combine(op->monoid, user, NULL, text);
    gpi_group_text_op(op, element, k, user, text);
    gpi_text_add(text, "#define GPI_GROUP_COMBINE(a, b) %s_combine(a, b)\n", user);
    gpi_text_add_kernels(text, "group/collectives.cl");
}

static const char gpi_group_counts[] = "#define GPI_GROUP gpi_counts\n#define GPI_GROUP_T uint\n"
                                       "#define GPI_GROUP_COMBINE(a, b) ((a) + (b))\n"
                                       "#define GPI_GROUP_IDENTITY 0u\n";

/* Adds the macros for the size of a group and for the number of an item in it, which are correct for one to three dimensions. */
static void gpi_group_text_group(const gp_context *gp, uint32_t group, gpi_text *text)
{
    if (gp->info.fp64) gpi_text_add(text, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    if (group) gpi_text_add(text, "#define GP_GROUP_SIZE %u\n#define GPI_GROUP_SIZE %uu\n", group, group);
    else
        gpi_text_add(text, "#define GPI_GROUP_SIZE ((uint)get_local_size(0) * (uint)get_local_size(1) * "
                           "(uint)get_local_size(2))\n");
    gpi_text_add(text, "#define GPI_GROUP_ITEM ((uint)get_local_id(0) + (uint)get_local_size(0) * "
                       "((uint)get_local_id(1) + (uint)get_local_size(1) * (uint)get_local_id(2)))\n");
    gpi_text_add(text, "#define GPI_GROUP_TURNS(n) ((n) * min(get_work_dim(), 1u))\n");
    gpi_text_add(text, "#define GPI_GROUP_ALONE %d\n#define GPI_LANES 1\n%s", group == 1, gpi_group_counts);
    gpi_text_add_kernels(text, "group/device.cl");
}

static gp_result gpi_group_device_text(gp_context *gp, const gp_device_source_desc *desc, gpi_text *text)
{
    gpi_element element;
    gp_result result = gpi_group_check(gp, desc);
    unsigned k;
    if (result != GP_OK) return result;
    gpi_group_text_group(gp, desc->group, text);
    for (k = 0; k < desc->op_count && result == GP_OK; k++) {
        result = gpi_group_element(gp, &desc->ops[k], k, &element);
        if (result != GP_OK) break;
        if (desc->ops[k].monoid) gpi_group_text_monoid(desc, &element, k, text);
        else gpi_group_text_builtin(&desc->ops[k], &element, k, text);
    }
    return result;
}

/* ------------------------------------------------------------------ call */

static gp_result gpi_device_compose(gp_context *gp, const gp_device_source_desc *desc, gpi_text *text)
{
    if (desc->part == GP_DEVICE_GROUP) return gpi_group_device_text(gp, desc, text);
    if (desc->part != GP_DEVICE_HASH) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "part = %d is not a gp_device_part", (int)desc->part);
    }
    if (desc->ops || desc->op_count || desc->group) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "ops, op_count and group are only used with GP_DEVICE_GROUP");
    }
    return gpi_hash_device_text(gp, desc->table, text);
}

GP_API gp_result gp_device_source(gp_context *gp, const gp_device_source_desc *desc, char *out,
                                  size_t capacity, size_t *size)
{
    gpi_text text;
    gp_result result;
    gpi_enter(gp, __func__);
    if (size) *size = 0;
    if (!gp || !desc || !size || (!out && capacity > 0))
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc, text or size is NULL");
    memset(&text, 0, sizeof text);
    result = gpi_device_compose(gp, desc, &text);
    if (result == GP_OK) gpi_text_add(&text, "#line 1 \"user\"\n");
    if (result == GP_OK && text.failed)
        result = gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory for a text");
    if (result == GP_OK) {
        *size = text.length + 1;
        if (capacity > 0) {
            const size_t length = text.length < capacity ? text.length : capacity - 1;
            memcpy(out, text.data, length);
            out[length] = 0;
        }
    }
    GP_FREE(text.data);
    return result;
}
