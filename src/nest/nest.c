/* nest.c - the parts that brackets, scans of stacks and trees share: codes of symbols, and preludes. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/type.h"
#include "program/program.h"
#include "program/user_text.h"
#include "element/element.h"
#include "nest/nest.h"

#include <string.h>

/* The table by which kernels classify bytes: nest/symbols.cl. */
typedef struct gpi_classes {
    int8_t code[256], sign[256];
    uint8_t listed[GPI_LISTED_MAX];
    uint8_t openers, count, codes, compares;
} gpi_classes;

static gp_result gpi_brackets_pairs(gp_context *gp, gpi_brackets *b, const char *pairs)
{
    const size_t length = strlen(pairs);
    char all[GPI_QUOTE_MAX], one[GPI_QUOTE_MAX];
    size_t i;
    if (length == 0 || length % 2 != 0 || length > 254) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "pairs = %s: must be openers and closers in turns, 1 to 127 pairs",
                        gpi_quote(pairs, length, all));
    }
    for (i = 0; i < length; i++) {
        const int kind = (int)(i / 2) + 1;
        int8_t *code = &b->table[(unsigned char)pairs[i]];
        if (*code != 0) {
            return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "pairs = %s: %s occurs twice",
                            gpi_quote(pairs, length, all), gpi_quote(pairs + i, 1, one));
        }
        *code = (int8_t)(i % 2 == 0 ? kind : -kind);
    }
    return GP_OK;
}

/* Returns true if there may be brackets of more than one kind. Without a table, always returns true. */
static bool gpi_brackets_kinds(const gpi_brackets *b)
{
    int first = 0;
    size_t i;
    if (!b->has_table) return true;
    for (i = 0; i < 256; i++) {
        const int kind = b->table[i] < 0 ? -b->table[i] : b->table[i];
        if (kind != 0 && first == 0) first = kind;
        if (kind != first && kind != 0) return true;
    }
    return false;
}

/* Fills the table for one-byte elements that are codes themselves. */
static void gpi_brackets_identity(gpi_brackets *b)
{
    int i;
    for (i = 0; i < 256; i++) b->table[i] = (int8_t)(i < 128 ? i : i - 256);
}

static gp_result gpi_brackets_codes(gp_context *gp, gpi_brackets *b)
{
    const gp_brackets_desc *d = b->desc;
    const bool codes = d->type == GP_I8 || d->type == GP_I32;
    gp_result result;
    if (!gpi_type_size(d->type)) return gpi_fail_type(gp, "type", d->type);
    if (gpi_is_float(d->type) || (!d->map && !codes && d->type != GP_U8)) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE,
                        "type = %d, must be GP_U8, GP_I8 or GP_I32, or with a map an integer type",
                        (int)d->type);
    }
    if ((d->pairs != NULL) + (d->table != NULL) + (d->map != NULL) > (codes && !d->map ? 0 : 1)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "give only one of pairs, table and map, and with codes only map");
    }
    result = gpi_check_text(gp, "map", d->map);
    if (result == GP_OK) result = gpi_args_check(gp, &b->args);
    if (result != GP_OK) return result;
    b->has_table = !d->map && d->type != GP_I32;
    if (b->has_table && codes) gpi_brackets_identity(b);
    else if (b->has_table && d->table) memcpy(b->table, d->table, sizeof b->table);
    else if (b->has_table) result = gpi_brackets_pairs(gp, b, d->pairs ? d->pairs : "()[]{}");
    b->kinds = gpi_brackets_kinds(b);
    return result;
}

/* Lists the symbols that open, then the symbols that close, if there are few enough symbols. */
static void gpi_classes_list(gpi_classes *c)
{
    size_t i, brackets = 0, codes = 0;
    for (i = 0; i < 256; i++) brackets += c->sign[i] != 0;
    for (i = 0; i < 256; i++) codes += c->code[i] == (i < 128 ? (int)i : (int)i - 256);
    c->codes = codes == 256;
    c->compares = c->codes || brackets <= GPI_LISTED_MAX;
    if (brackets > GPI_LISTED_MAX) return;
    for (i = 0; i < 256; i++)
        if (c->sign[i] > 0) c->listed[c->openers++] = (uint8_t)i;
    c->count = c->openers;
    for (i = 0; i < 256; i++)
        if (c->sign[i] < 0) c->listed[c->count++] = (uint8_t)i;
}

static void gpi_classes_make(gpi_classes *c, const int8_t *table)
{
    size_t i;
    memset(c, 0, sizeof *c);
    for (i = 0; i < 256; i++) {
        c->code[i] = table[i];
        c->sign[i] = (int8_t)((table[i] > 0) - (table[i] < 0));
    }
    gpi_classes_list(c);
}

/* Sets b->classes to the call's table on the device: to that of an earlier call if its symbols are the same, else to a new one,
   which is kept for later calls. A table on the device is never changed. A new table replaces an old one in the list; OpenCL
   keeps the old one until the commands that use it have ended. */
static gp_result gpi_brackets_classes(gp_context *gp, gpi_brackets *b)
{
    gpi_symbols *s = gp->symbols;
    gpi_classes classes;
    cl_int error;
    size_t k;
    b->classes = gp->counters;
    if (!b->has_table) return GP_OK;
    for (k = 0; k < GPI_SYMBOL_TABLES && s->classes; k++, s++) {
        b->classes = s->classes;
        if (memcmp(s->table, b->table, sizeof b->table) == 0) return GP_OK;
    }
    s = &gp->symbols[gp->symbols_next];
    gpi_classes_make(&classes, b->table);
    b->classes = clCreateBuffer(gp->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof classes,
                                &classes, &error);
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, "clCreateBuffer");
    if (s->classes) (void)clReleaseMemObject(s->classes);
    memcpy(s->table, b->table, sizeof b->table);
    s->classes = b->classes;
    gp->symbols_next = (gp->symbols_next + 1) % GPI_SYMBOL_TABLES;
    return GP_OK;
}

static void gpi_symbols_free(gp_context *gp)
{
    size_t k;
    for (k = 0; k < GPI_SYMBOL_TABLES; k++)
        if (gp->symbols[k].classes) (void)clReleaseMemObject(gp->symbols[k].classes);
}

/* Passes the arguments for GPI_SYMBOL_INPUT_PARAMETERS (nest/symbols.cl). */
static void gpi_brackets_arg_input(gpi_call *call, const gpi_brackets *b)
{
    const cl_ulong offset = b->desc->in_offset;
    gpi_call_args(call, &b->args);
    GPI_CALL_ARG(call, b->desc->in);
    GPI_CALL_ARG(call, offset);
    GPI_CALL_ARG(call, b->classes);
    gpi_call_arg_count(call, &b->count);
}

/* Returns GPI_MAP_BY_BYTE of nest/symbols.cl: true in the serial shape, if the map depends on a single byte and not on i. */
static bool gpi_map_is_by_byte(const gp_context *gp, const gpi_plan *plan, gp_type type, const char *map,
                               const gpi_args *args)
{
    return plan->shape == GP_SHAPE_SERIAL && map && gpi_type_size(type) == 1 &&
           !gpi_map_has_positions(gp, map, args);
}

/* Adds the parameters of nest/symbols.cl and nest/tile_summary.cl, except the shape. */
static void gpi_brackets_add_nest(const gp_context *gp, const gpi_plan *plan, const gpi_brackets *b,
                                  gpi_text *text)
{
    gpi_text_add(text, "#define GPI_SYMBOL %s\n#define GPI_TABLE %d\n",
                 b->has_table ? "uchar" : gpi_type_cl(b->desc->type), b->has_table);
    gpi_text_add(text, "#define GPI_INDEX_SIZE %u\n#define GPI_KINDS %d\n#define GPI_MATCH %d\n",
                 (unsigned)b->index_size, b->kinds && b->errors, b->desc->match != NULL);
    gpi_text_add(text, "#define GPI_LOOKBACK %d\n#define GPI_MEASURE %d\n#define GPI_ENCLOSE %d\n", b->back,
                 b->errors != NULL, b->back && (b->desc->parent || b->desc->depth));
    gpi_text_add(text, "#define GPI_MAP_BY_BYTE %d\n",
                 gpi_map_is_by_byte(gp, plan, b->desc->type, b->desc->map, &b->args));
    if (b->has_table) return;
    gpi_text_add(text, "static int gpi_symbol_map(%sconst %s x, const ulong i)\n{\n",
                 gpi_args_parameter(&b->args), gpi_type_cl(b->desc->type));
    gpi_args_name(&b->args, text);
    gpi_text_add(text, "#line 1 \"map\"\n    return (int)(\n#line 1 \"map\"\n%s\n    );\n}\n",
                 b->desc->map ? b->desc->map : "x");
}

/* Adds the shape and sizes for a program without elements. */
static void gpi_brackets_add_shape(const gpi_plan *plan, gpi_text *text)
{
    gpi_text_add(text, "#define GPI_SHAPE_SERIAL %d\n", plan->shape == GP_SHAPE_SERIAL);
    gpi_text_add(text, "#define GPI_WG %u\n#define GPI_PER_ITEM %u\n#define GPI_TILE %u\n", plan->group,
                 plan->per_item, plan->group * plan->per_item);
    gpi_text_add(text, "#define GPI_WIDE 0\n#define GPI_FP64 0\n");
}

static void gpi_brackets_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                                 gpi_text *text)
{
    const gpi_brackets *b = (const gpi_brackets *)description;
    gpi_brackets_add_shape(plan, text);
    gpi_text_sub_group(gp, plan, text);
    gpi_args_define(&b->args, text);
    gpi_brackets_add_nest(gp, plan, b, text);
}
