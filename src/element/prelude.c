/* prelude.c - writes the macros and types that the files of kernels/element/ need for an element, and gets programs
   for elements. */
#include "base/memory.h"
#include "base/type.h"
#include "element/element.h"

#include <string.h>

/* ------------------------------------------------------------------ text */

static const char *gpi_integer_cl(size_t size, bool is_signed)
{
    const gp_type types[4] = {GP_I8, GP_I16, GP_I32, GP_I64};
    size_t k = 0;
    while ((size_t)1 << k < size) k++;
    return gpi_type_cl(is_signed ? types[k]
                                 : (gp_type)(types[k] + 1)); /* unsigned types follow signed ones */
}

static bool gpi_is_scan(gpi_primitive primitive)
{
    return primitive == GPI_SCAN || primitive == GPI_SEGMENTED_SCAN || primitive == GPI_SCAN_COLUMNS;
}

/* Returns the number of elements that a vector step handles: 16 in the serial shape, else 1. It is also 1 for the
   caller's monoids, results of groups, scans of stacks, and scans with argmin or argmax. */
static int gpi_element_lanes(const gpi_element *element, gpi_primitive primitive, const gpi_plan *plan)
{
    const bool has = element->field_count > 0 && !element->operation.results && primitive != GPI_STACK_SCAN &&
                     (!gpi_is_scan(primitive) || !gpi_is_arg(element->fields[0].op));
    return has && plan->shape == GP_SHAPE_SERIAL ? 16 : 1;
}

/* Returns the type in which a field's sums are kept within a tile: 32 bits if these suffice, since converting every element to 64
   bits costs more than reading it. */
static gp_type gpi_field_lane(const gpi_field *field, gp_type mapped, gpi_primitive primitive,
                              const gpi_plan *plan)
{
    const bool narrow = field->op == GP_SUM && !gpi_is_float(mapped) && !gpi_is_float(field->value) &&
                        gpi_type_size(mapped) <= 2 && gpi_type_size(field->value) == 8;
    if (gpi_is_scan(primitive) || primitive == GPI_BY_KEY || !narrow || plan->per_item > 16 * 65536)
        return field->value;
    return gpi_is_signed(mapped) ? GP_I32 : GP_U32;
}

static void gpi_identity_words(const gpi_element *element, gpi_text *text)
{
    const size_t words = (element->size + 3) / 4;
    size_t k;
    for (k = 0; k < words; k++) {
        const size_t left = element->base_size > 4 * k ? element->base_size - 4 * k : 0;
        uint32_t word = 0; /* the head is 0 */
        memcpy(&word, element->identity + 4 * k, left < 4 ? left : 4);
        gpi_text_add(text, "%s0x%08xu", k ? ", " : "", (unsigned)word);
    }
}

/* Adds a typedef for the caller's type, because a variable in the kernels may have the name of that type. Also adds a
   check of the type's size. */
static void gpi_prelude_user_type(const gp_monoid *m, const char *user, gpi_text *text)
{
    gpi_text_add(text, "typedef %s %s;\n", m->type, user);
    gpi_text_add(text,
                 "typedef char gpi_monoid_size_%zu_is_not_sizeof_type_%s[sizeof(%s) == %zu ? 1 : -1];\n",
                 m->size, user, user, m->size);
}

/* Adds a function that calls the caller's function with copies: if the caller's function assigns to its parameters,
   Mesa 22.3 changes the arguments. `args`: further arguments of the function; NULL: none. */
static void gpi_prelude_user_combine(const gp_monoid *m, const char *user, const gpi_args *args,
                                     gpi_text *text)
{
    unsigned k;
    gpi_text_add(text, "static %s %s_combine(%s%s gpi_a, %s gpi_b)\n{\n", user, user,
                 args ? gpi_args_parameter(args) : "", user, user);
    gpi_text_add(text, "    %s gpi_x = gpi_a, gpi_y = gpi_b;\n    return %s(gpi_x, gpi_y", user, m->combine);
    for (k = 0; args && k < args->count; k++) gpi_text_add(text, ", gpi_given.a%u", k);
    gpi_text_add(text, ");\n}\n");
}

/* Adds the monoid's source and type. An empty line keeps a backslash at the end of the source from joining lines. */
static void gpi_prelude_monoid(const gp_monoid *m, gpi_text *text)
{
    gpi_text_add(text, "#line 1 \"monoid\"\n%s\n\n", m->source);
    gpi_prelude_user_type(m, "gpi_user", text);
}

/* Adds the monoid's function. The text must already define the arguments, which the function may use. */
static void gpi_prelude_combine(const gpi_operation *o, gpi_text *text)
{
    const bool takes = gpi_combine_takes_args(o);
    if (takes) gpi_text_add(text, "#define GPI_MONOID_ARGS 1\n");
    gpi_prelude_user_combine(o->monoid, "gpi_user", takes ? &o->args : NULL, text);
}

static void gpi_prelude_field(const gpi_field *field, gp_type lane, unsigned k, gpi_text *text)
{
    gpi_text_add(text, "\n#define GPI_OP_%u %s\n#define GPI_VALUE_%u %s\n#define GPI_FLOAT_%u %d\n", k,
                 gpi_group_op_macro(field->op), k, gpi_type_cl(field->value), k, gpi_is_float(field->value));
    gpi_text_add(text, "#define GPI_RESULT_%u %s\n#define GPI_COMPENSATED_%u %d\n", k,
                 gpi_type_cl(gpi_operand(field->out)), k, field->compensated);
    gpi_text_add(text, "#define GPI_LANE_%u %s\n#define GPI_INDEX_%u %s\n", k, gpi_type_cl(lane), k,
                 gpi_integer_cl(gpi_type_size(field->value), false));
}

static void gpi_prelude_fields(const gpi_element *element, gpi_primitive primitive, const gpi_plan *plan,
                               gpi_text *text)
{
    unsigned k;
    gpi_text_add(text, "#define GPI_FIELD_COUNT %u\n#define GPI_FIELDS(GPI_EACH)",
                 (unsigned)element->field_count);
    for (k = 0; k < element->field_count; k++) gpi_text_add(text, " GPI_EACH(%u)", k);
    gpi_text_add(text, "\n");
    for (k = 0; k < element->field_count; k++) {
        const gpi_field *field = &element->fields[k];
        gpi_prelude_field(field, gpi_field_lane(field, element->mapped, primitive, plan), k, text);
    }
}

/* Adds the type of operands, and the map as a function. The expression gets its own lines, so that it may end in a comment.
   Its names are const, here and elsewhere, so that "x = 3" does not compile. */
static void gpi_prelude_map(const gpi_element *element, gpi_text *text)
{
    const gpi_operation *o = &element->operation;
    const char *y = element->mapped ? gpi_type_cl(element->mapped) : "gpi_user";
    gpi_text_add(text, "#define GPI_Y %s\n#define GPI_MAPPED %d\n", y, o->map != NULL);
    if (!o->map) return;
    gpi_text_add(text, "static GPI_Y gpi_map(%s", gpi_args_parameter(&o->args));
    if (!o->indices)
        gpi_text_add(text, "const %s x, ",
                     o->record ? o->record->cl_type : gpi_type_cl(gpi_operand(o->type)));
    if (o->type2) gpi_text_add(text, "const %s y, ", gpi_type_cl(gpi_operand(o->type2)));
    gpi_text_add(text, "const ulong i)\n{\n");
    if (!o->own_map) gpi_args_name(&o->args, text);
    gpi_text_add(text, "#line 1 \"%s\"\n    return (\n#line 1 \"%s\"\n%s\n    );\n}\n", gpi_map_field(o),
                 gpi_map_field(o), o->map);
}

/* Adds a function of row i with the value of a caller's expression, in lines of its own. */
static void gpi_prelude_row(const gpi_args *args, const char *type, const char *function, const char *field,
                            unsigned k, unsigned result, const char *expression, gpi_text *text)
{
    gpi_text_add(text, "static %s %s_%u(%sconst ulong i)\n{\n", type, function, k, gpi_args_parameter(args));
    if (expression) gpi_args_name(args, text);
    else if (args->count) gpi_text_add(text, "    (void)gpi_given;\n");
    gpi_text_add(text,
                 "#line 1 \"results[%u].%s\"\n    return (\n#line 1 \"results[%u].%s\"\n%s\n    )%s;\n}\n",
                 result, field, result, field, expression ? expression : "1",
                 strcmp(type, "bool") == 0 ? " * 1 != 0" : "");
}

/* Adds the maps of results, and the conditions on rows. */
static void gpi_prelude_results(const gpi_element *element, gpi_text *text)
{
    const gpi_operation *o = &element->operation;
    unsigned k;
    if (!o->results) return;
    gpi_text_add(text, "#define GPI_MAPS 1\n");
    for (k = 0; k < element->field_count; k++) {
        const gp_group_result *r = &o->results[k];
        const unsigned result = (unsigned)o->result_first + k;
        gpi_prelude_row(&o->args, r->map ? gpi_type_cl(gpi_operand(r->map_type)) : "uint", "gpi_map", "map",
                        k, result, r->map, text);
        gpi_prelude_row(&o->args, "bool", "gpi_where", "where", k, result, r->where, text);
    }
}

/* Adds the types of inputs and outputs in memory. */
static void gpi_prelude_buffers(const gpi_element *element, gpi_text *text)
{
    const gpi_operation *o = &element->operation;
    const gp_type out = element->field_count == 1 ? element->fields[0].out : GP_TYPE_NONE;
    const char *many = element->field_count == 0 ? "gpi_user" : "ulong"; /* gp_values has ulongs */
    gpi_text_add(text, "#define GPI_IN %s\n#define GPI_IN_HALF %d\n#define GPI_INPUTS %d\n",
                 o->type      ? gpi_type_cl(o->type)
                 : o->record  ? o->record->cl_type
                 : o->indices ? "uint" /* only this type's size matters, for a step's length */
                              : "gpi_user",
                 o->type == GP_F16,
                 o->indices ? 0
                 : o->type2 ? 2
                            : 1);
    if (o->record) {
        gpi_text_add(text, "#define GPI_IN_RECORD 1\n");
        gpi_record_parts(o->record, "IN", text);
    }
    if (o->type2) {
        gpi_text_add(text, "#define GPI_IN2 %s\n#define GPI_IN2_HALF %d\n", gpi_type_cl(o->type2),
                     o->type2 == GP_F16);
    }
    gpi_text_add(text, "#define GPI_OUT %s\n#define GPI_OUT_HALF %d\n", out ? gpi_type_cl(out) : many,
                 out == GP_F16);
}

/* Adds GPI_KEYED: true if local tiles store keys of `key` bytes next to values. That requires at most GPI_MOST elements
   per item, and keys that need no more room than heads, or a plan with room for keys. */
static void gpi_prelude_keyed(const gpi_element *element, const gpi_plan *plan, size_t key, gpi_text *text)
{
    enum { GPI_MOST = 32 }; /* most elements of an item: a word has a bit for each (scan/tile_keyed.cl) */
    const bool fits =
        element->base_size + key <= element->size || element->operation.segments == GPI_SEGMENTS_RUNS;
    gpi_text_add(text, "#define GPI_HEADS_SIZE %u\n#define GPI_BASE_SIZE %u\n#define GPI_KEYED %d\n",
                 (unsigned)key, (unsigned)element->base_size,
                 plan->shape == GP_SHAPE_LOCAL && plan->per_item <= GPI_MOST && fits);
}

/* Adds the type of heads in vector lanes, the size of a result, and the macro that turns results into words to be packed. */
static void gpi_prelude_runs(const gpi_element *element, gpi_text *text)
{
    if (element->field_count == 0) return;
    gpi_text_add(text,
                 "#define GPI_HEAD_LANE %s\n#define GPI_OUT_SIZE %u\n#define GPI_OUT_BITS(v) as_%s16(v)\n",
                 gpi_integer_cl(element->base_size, true), (unsigned)element->out_size,
                 gpi_integer_cl(element->out_size, false));
}

/* Adds the type and kind of heads. Heads of type half are compared by their bits. */
static void gpi_prelude_heads(const gpi_element *element, const gpi_plan *plan, gpi_text *text)
{
    const gpi_operation *o = &element->operation;
    gpi_text_add(text, "#define GPI_REVERSE %d\n#define GPI_SEGMENTED %d\n#define GPI_HEADS %d\n", o->reverse,
                 o->segments != 0, (int)o->segments);
    if (!o->segments) return;
    gpi_text_add(text, "#define GPI_HEAD %s\n",
                 gpi_integer_cl(gpi_head_size(element), o->segments != GPI_SEGMENTS_RUNS));
    if (o->segments == GPI_SEGMENTS_RUNS) {
        gpi_prelude_runs(element, text);
        return;
    }
    gpi_text_add(text, "#define GPI_HEADS_TYPE %s\n",
                 o->heads_type == GP_F16 ? "ushort" : gpi_type_cl(o->heads_type));
    if (o->segments == (int)GP_SEGMENTS_BY_KEYS) gpi_prelude_keyed(element, plan, element->heads_size, text);
}

/* Adds the description of the element that element/op.cl, element/monoid.cl and element/input.cl need. */
static void gpi_element_prelude(const gpi_element *element, gpi_primitive primitive, const gpi_plan *plan,
                                gpi_text *text)
{
    gpi_text_add(text, "#define GPI_SIZE %u\n#define GPI_IDENTITY_WORDS ", (unsigned)element->size);
    gpi_identity_words(element, text);
    gpi_text_add(text, "\n#define GPI_COMMUTATIVE %d\n#define GPI_EXACT %d\n#define GPI_LANES %d\n",
                 element->commutative, element->exact, gpi_element_lanes(element, primitive, plan));
    if (element->field_count == 0) gpi_prelude_monoid(element->operation.monoid, text);
    gpi_prelude_fields(element, primitive, plan, text);
    gpi_args_define(&element->operation.args, text);
    if (element->field_count == 0) gpi_prelude_combine(&element->operation, text);
    gpi_prelude_map(element, text);
    gpi_prelude_results(element, text);
    gpi_prelude_buffers(element, text);
    gpi_prelude_heads(element, plan, text);
}

/* ------------------------------------------------------------------ programs */

/* The description of a program on elements. */
typedef struct gpi_element_of {
    const gpi_element *element;
    gpi_primitive primitive;
} gpi_element_of;

static void gpi_prelude_make(const gp_context *gp, const gpi_plan *plan, const void *description,
                             gpi_text *text)
{
    const gpi_element_of *of = (const gpi_element_of *)description;
    gpi_prelude_plan(gp, plan, text);
    gpi_element_prelude(of->element, of->primitive, plan, text);
}

static gp_result gpi_element_program(gp_context *gp, gpi_primitive primitive, const gpi_element *element,
                                     gpi_plan *plan, gpi_program **out)
{
    const gpi_element_of of = {element, primitive};
    return gpi_program_get(gp, primitive, gpi_prelude_make, &of, plan, out);
}
