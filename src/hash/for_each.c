/* for_each.c - gp_hash_for_each: evaluates the caller's expression for every live key. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/type.h"
#include "program/user_text.h"
#include "hash/hash.h"

#include <string.h>

/* Adds the macros for a type and for its conversion from a slot's bits, such as "as_float((uint)(bits))". */
static void gpi_each_define(gpi_text *text, const char *what, gp_type type)
{
    const char *name = gpi_type_cl(type), *bits = gpi_type_size(type) == 8 ? "ulong" : "uint";
    gpi_text_add(text, "#define GPI_EACH_%s %s\n#define GPI_EACH_%s_OF(bits) as_%s((%s)(bits))\n", what, name,
                 what, name, bits);
}

static void gpi_each_function(gpi_text *text, const gpi_args *args, const char *type, const char *name,
                              const char *expression, bool has_value)
{
    gpi_text_add(text, "static %s gpi_each_%s(%sconst GPI_EACH_KEY k, const GPI_EACH_VALUE %s)\n{\n", type,
                 name, gpi_args_parameter(args), has_value ? "v" : "gpi_none");
    gpi_args_name(args, text);
    gpi_text_add(text, "    (void)k;\n    (void)%s;\n", has_value ? "v" : "gpi_none");
    gpi_text_add(text, "    return (%s)(\n#line 1 \"%s\"\n%s\n    );\n}\n", type, name, expression);
}

/* Returns the text of the functions that evaluate the caller's expressions; free it. NULL: no memory. */
static char *gpi_each_prelude(const gp_hash_for_each_desc *desc, const gpi_args *args, gp_type key,
                              gp_type value, bool is_set)
{
    const char *where = desc->where ? desc->where : "1", *map = desc->map ? desc->map : is_set ? "0" : "v";
    gpi_text text;
    memset(&text, 0, sizeof text);
    gpi_each_define(&text, "KEY", key);
    gpi_each_define(&text, "VALUE", value);
    gpi_text_add(&text, "#define GPI_EACH_BITS(x) as_%s(x)\n#define GPI_EACH_ERASE %d\n",
                 gpi_type_size(value) == 8 ? "ulong" : "uint", desc->erase);
    gpi_args_define(args, &text);
    gpi_each_function(&text, args, "bool", "where", where, !is_set);
    gpi_each_function(&text, args, gpi_type_cl(value), "map", map, !is_set);
    return gpi_text_take(&text);
}

/* Checks the arguments. Fails if an argument is in the table's memory: the call changes that memory, so expressions
   must not read it. */
static gp_result gpi_each_check_args(gp_context *gp, const gpi_table *table, const gpi_args *args)
{
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, gpi_args_check(gp, args));
    gpi_uses_add(&uses, "the table", GPI_BOTH)->range = table->range;
    gpi_uses_args(&uses, args);
    return uses.result;
}

static gp_result gpi_each_check(gp_context *gp, const gpi_table *table, const gp_hash_for_each_desc *desc,
                                const gpi_args *args, gp_type *key, gp_type *value)
{
    gp_result result;
    *key = desc->key_type ? desc->key_type : table->key_size == 8 ? GP_U64 : GP_U32;
    *value = desc->value_type ? desc->value_type : table->value_size == 8 ? GP_U64 : GP_U32;
    if ((desc->map != NULL) == desc->erase) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "map is %s and erase is %s: exactly one must be given",
                        desc->map ? "given" : "NULL", desc->erase ? "true" : "false");
    }
    result = gpi_check_text(gp, "map", desc->map);
    if (result == GP_OK) result = gpi_check_text(gp, "where", desc->where);
    if (result == GP_OK) result = gpi_each_check_args(gp, table, args);
    if (result != GP_OK) return result;
    if (table->value_size == 0 && (desc->map || desc->value_type))
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "the table is a set: it has no values to map");
    if (gpi_type_size(*key) != table->key_size ||
        (table->value_size && gpi_type_size(*value) != table->value_size)) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE,
                        "key_type = %d, value_type = %d: the table has keys of %zu and values of %zu bytes",
                        (int)desc->key_type, (int)desc->value_type, table->key_size, table->value_size);
    }
    if ((*key == GP_F64 || *value == GP_F64) && !gp->info.fp64)
        return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "GP_F64 needs cl_khr_fp64: %s", gp->info.name);
    return GP_OK;
}

static gp_result gpi_each_program(gp_context *gp, const gpi_table *table, const gp_hash_for_each_desc *desc,
                                  const gpi_args *args, gpi_plan *plan, gpi_program **program)
{
    gp_type key, value;
    char *more;
    gp_result result = gpi_each_check(gp, table, desc, args, &key, &value);
    if (result != GP_OK) return result;
    more = gpi_each_prelude(desc, args, key, value, table->value_size == 0);
    if (!more) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory for a program");
    result = gpi_hash_program(gp, GPI_HASH_EACH, table, more, plan, program);
    GP_FREE(more);
    return result;
}

GP_API gp_result gp_hash_for_each(gp_context *gp, gp_hash handle, const gp_hash_for_each_desc *desc)
{
    gpi_table *table = gpi_hash_of(gpi_enter(gp, __func__), handle);
    gpi_plan plan;
    gpi_program *program;
    gpi_call call;
    gpi_args args;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    if (!desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "desc is NULL");
    args = gpi_args_make(desc->args, desc->arg_count, table->value_size ? "k v" : "k");
    result = gpi_each_program(gp, table, desc, &args, &plan, &program);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) {
        gpi_call_kernel(&call, program, "gp_hash_each_slot");
        gpi_call_args(&call, &args);
        gpi_hash_arg_table(&call, table);
        result = gpi_hash_launch_slots(&call, table, &plan, true);
    }
    return gpi_call_end(&call, result);
}
