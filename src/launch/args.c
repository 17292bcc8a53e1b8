/* args.c - checks the arguments and types that the caller's expressions use, writes their definitions into programs,
   and passes the arguments to kernels (base/args.cl). */
#include "base/error.h"
#include "base/text.h"
#include "base/type.h"
#include "program/user_text.h"
#include "launch/launch.h"

#include <stdio.h>
#include <string.h>

static gpi_args gpi_args_make(const gp_arg *list, size_t count, const char *operands)
{
    gpi_args args;
    memset(&args, 0, sizeof args);
    args.list = list;
    args.count = count;
    args.operands = operands;
    return args;
}

/* Adds `record`, the type of an input or output, to the records of `args`. `field` is its name in the desc. Does nothing if
   `record` is NULL. */
static void gpi_args_add_record(gpi_args *args, const char *field, const gp_record *record)
{
    if (!record) return;
    args->record[args->record_count] = record;
    args->record_field[args->record_count++] = field;
}

/* ------------------------------------------------------------------ check */

/* Returns true if argument k has the name of an operand or of an earlier argument. */
static bool gpi_arg_is_taken(const gpi_args *args, size_t k)
{
    const char *name = args->list[k].name;
    size_t i;
    if (gpi_has_word_anywhere(args->operands, name)) return true;
    for (i = 0; i < k; i++)
        if (strcmp(name, args->list[i].name) == 0) return true;
    return false;
}

static gp_result gpi_arg_check_name(gp_context *gp, const gpi_args *args, size_t k)
{
    const char *name = args->list[k].name;
    char field[32];
    gp_result result;
    (void)snprintf(field, sizeof field, "args[%u].name", (unsigned)k);
    result = gpi_check_name(gp, field, name, "variable", false);
    if (result == GP_OK && gpi_arg_is_taken(args, k))
        result = gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                          "%s = \"%s\": the call's expressions have this name already", field, name);
    return result;
}

static gp_result gpi_record_check(gp_context *gp, const char *field, const gp_record *record)
{
    char part[48];
    gp_result result;
    (void)snprintf(part, sizeof part, "%s->cl_type", field);
    result = gpi_check_name(gp, part, record->cl_type, "type", true);
    (void)snprintf(part, sizeof part, "%s->source", field);
    if (result == GP_OK && record->source) result = gpi_check_source(gp, part, record->source);
    if (result == GP_OK && (record->size == 0 || record->size > GP_RECORD_BYTES)) {
        result = gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s->size = %zu, must be 1 to %d", field, record->size,
                          (int)GP_RECORD_BYTES);
    }
    return result;
}

/* Fails unless exactly one of type and record is given and can be used. */
static gp_result gpi_arg_check_type(gp_context *gp, const gp_arg *arg, unsigned k)
{
    char field[32];
    if ((arg->type != 0) == (arg->record != NULL)) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "args[%u]: type = %d and record is %s: give one of them",
                        k, (int)arg->type, arg->record ? "given" : "NULL");
    }
    if (arg->type && !gpi_type_size(arg->type)) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "args[%u].type = %d is not a gp_type", k, (int)arg->type);
    }
    if (arg->type == GP_F64 && !gp->info.fp64)
        return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "args[%u].type = GP_F64 needs cl_khr_fp64", k);
    if (arg->type == GP_F16 && arg->value) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "args[%u]: a value cannot be GP_F16: make it GP_F32", k);
    }
    if (!arg->record) return GP_OK;
    (void)snprintf(field, sizeof field, "args[%u].record", k);
    return gpi_record_check(gp, field, arg->record);
}

static size_t gpi_arg_size(const gp_arg *arg)
{
    return arg->type ? gpi_type_size(arg->type) : arg->record->size;
}

/* Checks the arguments, except their buffers, which may be missing in a call for the size of scratch. */
static gp_result gpi_args_check(gp_context *gp, const gpi_args *args)
{
    gp_result result = GP_OK;
    size_t k, bytes = 0;
    for (k = 0; k < args->record_count && result == GP_OK; k++)
        result = gpi_record_check(gp, args->record_field[k], args->record[k]);
    if (result != GP_OK) return result;
    if (args->count > GP_ARGS_MAX || (args->list != NULL) != (args->count != 0)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "arg_count = %zu, must be at most %d, and args is %s",
                        args->count, (int)GP_ARGS_MAX, args->list ? "given" : "NULL");
    }
    for (k = 0; k < args->count && result == GP_OK; k++) {
        const gp_arg *arg = &args->list[k];
        result = gpi_arg_check_name(gp, args, k);
        if (result == GP_OK) result = gpi_arg_check_type(gp, arg, (unsigned)k);
        if (result == GP_OK && arg->value && (arg->buffer || arg->offset || arg->count)) {
            result = gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                              "args[%u] has a value, and also a buffer, offset or count", (unsigned)k);
        }
        if (result == GP_OK && arg->value)
            bytes += gpi_arg_size(arg) <= GP_ARGS_BYTES ? gpi_arg_size(arg) : GP_ARGS_BYTES + 1;
    }
    if (result == GP_OK && bytes > GP_ARGS_BYTES)
        result = gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "values of args have more than %d bytes",
                          (int)GP_ARGS_BYTES);
    return result;
}

/* ------------------------------------------------------------------ program */

static const char *gpi_arg_type_cl(const gp_arg *arg)
{
    return arg->type ? gpi_type_cl(arg->type) : arg->record->cl_type;
}

/* Returns the k-th record: first those of inputs and outputs, then those of arguments; NULL: argument k has none. */
static const gp_record *gpi_record_of(const gpi_args *args, size_t k)
{
    return k < args->record_count ? args->record[k] : args->list[k - args->record_count].record;
}

static bool gpi_is_pasted(const gpi_args *args, size_t k)
{
    const char *source = gpi_record_of(args, k)->source;
    size_t i;
    if (!source || (args->pasted && strcmp(args->pasted, source) == 0)) return true;
    for (i = 0; i < k; i++) {
        const gp_record *before = gpi_record_of(args, i);
        if (before && before->source && strcmp(before->source, source) == 0) return true;
    }
    return false;
}

/* Returns true if a map may use i: the map names i, or a macro in the caller's sources or in the build options may do
   so. */
static bool gpi_map_has_positions(const gp_context *gp, const char *map, const gpi_args *args)
{
    size_t k;
    for (k = 0; k < args->record_count + args->count; k++) {
        const gp_record *record = gpi_record_of(args, k);
        if (record && gpi_may_define(record->source, "i")) return true;
    }
    return gpi_has_word_anywhere(map, "i") || gpi_has_word_anywhere(gp->options, "i") ||
           gpi_may_define(args->pasted, "i");
}

/* Adds each record's source once, and for each record a check that its `size` is the size of its type. */
static void gpi_records_define(const gpi_args *args, gpi_text *text)
{
    const size_t count = args->record_count + args->count;
    size_t k;
    for (k = 0; k < count; k++) {
        const gp_record *record = gpi_record_of(args, k);
        if (!record) continue;
        if (!gpi_is_pasted(args, k)) gpi_text_add(text, "#line 1 \"record\"\n%s\n\n", record->source);
        gpi_text_add(text,
                     "typedef char gpi_record_size_%zu_is_not_sizeof_type_%u[sizeof(%s) == %zu ? 1 : -1];\n",
                     record->size, (unsigned)k, record->cl_type, record->size);
    }
}

/* Adds macros for the number and the type of the components of input `input`, if its type is a built-in vector of 2
   or 4 components. */
static void gpi_record_parts(const gp_record *record, const char *input, gpi_text *text)
{
    static const char *const parts[] = {"char", "uchar", "short", "ushort", "int",
                                        "uint", "long",  "ulong", "float",  "double"};
    size_t k;
    for (k = 0; k < sizeof parts / sizeof *parts; k++) {
        const size_t length = strlen(parts[k]);
        const char *number = record->cl_type + length;
        if (strncmp(record->cl_type, parts[k], length) != 0) continue;
        if (strcmp(number, "2") != 0 && strcmp(number, "4") != 0) continue;
        gpi_text_add(text, "#define GPI_PARTS_%s %s\n#define GPI_PART_%s %s\n", input, number, input,
                     parts[k]);
    }
}

/* Adds the definitions that base/args.cl needs. Argument k is member a<k> of gpi_args. */
static void gpi_args_define(const gpi_args *args, gpi_text *text)
{
    unsigned k;
    gpi_records_define(args, text);
    gpi_text_add(text, "#define GPI_ARGS %d\n", args->count > 0);
    if (args->count == 0) return;
    gpi_text_add(text, "typedef struct gpi_args {\n");
    for (k = 0; k < args->count; k++) {
        const gp_arg *arg = &args->list[k];
        gpi_text_add(text, arg->value ? "    %s a%u;\n" : "    __global const %s *a%u;\n",
                     gpi_arg_type_cl(arg), k);
    }
    gpi_text_add(text, "} gpi_args;\nstatic gpi_args gpi_args_make(");
    for (k = 0; k < args->count; k++) {
        const gp_arg *arg = &args->list[k];
        gpi_text_add(text, arg->value ? "%sconst %s a%u" : "%s__global const %s *a%u", k ? ", " : "",
                     gpi_arg_type_cl(arg), k);
    }
    gpi_text_add(text, ")\n{\n    gpi_args args;\n");
    for (k = 0; k < args->count; k++) gpi_text_add(text, "    args.a%u = a%u;\n", k, k);
    gpi_text_add(text, "    return args;\n}\n#define GPI_ARGS_PARAMETERS");
    for (k = 0; k < args->count; k++) {
        const gp_arg *arg = &args->list[k];
        gpi_text_add(text, arg->value ? " const %s gpi_a%u," : " __global const %s *gpi_a%u, ulong gpi_at%u,",
                     gpi_arg_type_cl(arg), k, k);
    }
    gpi_text_add(text, "\n#define GPI_ARGS_VALUE gpi_args_make(");
    for (k = 0; k < args->count; k++)
        gpi_text_add(text, args->list[k].value ? "%sgpi_a%u" : "%sgpi_a%u + gpi_at%u", k ? ", " : "", k, k);
    gpi_text_add(text, ")\n");
}

/* Returns the first parameter of the function that evaluates a caller's expression. */
static const char *gpi_args_parameter(const gpi_args *args)
{
    return args->count ? "const gpi_args gpi_given, " : "";
}

/* Adds the first lines of the body of a function that evaluates a caller's expression. They declare the arguments by their
   names. */
static void gpi_args_name(const gpi_args *args, gpi_text *text)
{
    unsigned k;
    if (args->count) gpi_text_add(text, "#line 1 \"args\"\n");
    for (k = 0; k < args->count; k++) {
        const gp_arg *arg = &args->list[k];
        gpi_text_add(text,
                     arg->value ? "    const %s %s = gpi_given.a%u;"
                                : "    __global const %s *const %s = gpi_given.a%u;",
                     gpi_arg_type_cl(arg), arg->name, k);
        gpi_text_add(text, " (void)%s;\n", arg->name);
    }
}

/* ------------------------------------------------------------------ launch */

/* Passes the arguments for GPI_ARGS_PARAMETERS (base/args.cl). */
static void gpi_call_args(gpi_call *call, const gpi_args *args)
{
    size_t k;
    for (k = 0; k < args->count; k++) {
        const gp_arg *arg = &args->list[k];
        if (arg->value) {
            gpi_call_arg(call, gpi_arg_size(arg), arg->value);
        } else {
            GPI_CALL_ARG(call, arg->buffer);
            gpi_call_arg_ulong(call, arg->offset);
        }
    }
}
