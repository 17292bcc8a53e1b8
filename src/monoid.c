/* monoid.c - element types, operations and monoids: checks, identities, and the text that tells monoid.cl. */
#include "internal.h"

static size_t gpi_type_size(gp_type type)
{
    switch (type) {
#define GPI_TYPE_CASE(name, value, cl, bytes) \
    case name: return bytes;
        GP_TYPES(GPI_TYPE_CASE)
#undef GPI_TYPE_CASE
    default: return 0;
    }
}

static const char *gpi_type_cl(gp_type type)
{
    switch (type) {
#define GPI_TYPE_CASE(name, value, cl, bytes) \
    case name: return cl;
        GP_TYPES(GPI_TYPE_CASE)
#undef GPI_TYPE_CASE
    default: return "?";
    }
}

static const char *gpi_op_macro(gp_op op)
{
    switch (op) {
#define GPI_OP_CASE(name, value, macro) \
    case name: return macro;
        GP_OPS(GPI_OP_CASE)
#undef GPI_OP_CASE
    default: return NULL;
    }
}

static bool gpi_is_float(gp_type type) { return type == GP_F32 || type == GP_F64; }

static bool gpi_is_signed(gp_type type)
{
    return type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64;
}

static bool gpi_is_arg(gp_op op) { return op == GP_ARGMIN || op == GP_ARGMAX; }

/* The type of a reduction when the caller names none: integer sums do not overflow at 32 bits. */
static gp_type gpi_sum_type(gp_type type, gp_op op)
{
    if (gpi_is_arg(op)) return GP_U64;
    if (gpi_is_float(type) || (op != GP_SUM && op != GP_PROD)) return type;
    return gpi_is_signed(type) ? GP_I64 : GP_U64;
}

/* ------------------------------------------------------------------ identities */

static void gpi_identity_float(gp_type type, double value, unsigned char *out)
{
    const float narrow = (float)value;
    if (type == GP_F32) memcpy(out, &narrow, sizeof narrow);
    if (type == GP_F64) memcpy(out, &value, sizeof value);
}

/* The low bytes of a two's complement integer; devices and hosts of OpenCL are little-endian alike. */
static void gpi_identity_integer(size_t size, uint64_t value, unsigned char *out)
{
    size_t i;
    for (i = 0; i < size; i++) out[i] = (unsigned char)(value >> (8 * i));
}

static void gpi_identity_make(gp_type type, gp_op op, unsigned char *out)
{
    const size_t size = gpi_type_size(type);
    const uint64_t ones = ~(uint64_t)0 >> (64 - 8 * size);
    const uint64_t sign = (uint64_t)1 << (8 * size - 1);
    const bool is_signed = gpi_is_signed(type);
    const double infinity = 1e308 * 10.0;
    switch (op) {
    case GP_PROD:
        if (gpi_is_float(type)) gpi_identity_float(type, 1.0, out);
        else gpi_identity_integer(size, 1, out);
        break;
    case GP_MIN:
    case GP_ARGMIN:
        if (gpi_is_float(type)) gpi_identity_float(type, infinity, out);
        else gpi_identity_integer(size, is_signed ? ones ^ sign : ones, out);
        break;
    case GP_MAX:
    case GP_ARGMAX:
        if (gpi_is_float(type)) gpi_identity_float(type, -infinity, out);
        else gpi_identity_integer(size, is_signed ? sign : 0, out);
        break;
    case GP_AND: gpi_identity_integer(size, ones, out); break;
    default: memset(out, 0, size); break; /* sum, or, xor */
    }
}

/* ------------------------------------------------------------------ checks */

static gp_result gpi_check_monoid(gp_context *gp, const char *function, const gp_monoid *m)
{
    if (!m->type || !m->source || !m->combine || !m->identity) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: monoid has no %s", function,
                        !m->type      ? "type"
                        : !m->source  ? "source"
                        : !m->combine ? "combine"
                                      : "identity");
    }
    if (m->size < 4 || m->size > GPI_ELEMENT_MAX || m->size % 4) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "%s: monoid->size = %zu, must be a multiple of 4 in 4..%d", function, m->size,
                        GPI_ELEMENT_MAX);
    }
    return GP_OK;
}

static gp_result gpi_element_monoid(gp_context *gp, const char *function, gpi_element *element)
{
    const gpi_operation *o = &element->operation;
    const gp_result result = gpi_check_monoid(gp, function, o->monoid);
    if (result != GP_OK) return result;
    if (o->out_type || o->op || (o->type && !o->map)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "%s: with a monoid, out_type and op stay 0, and type too unless there is a map "
                        "(here %d, %d, %d)",
                        function, (int)o->out_type, (int)o->op, (int)o->type);
    }
    if (!o->map) element->in_size = o->monoid->size;
    element->size = element->out_size = o->monoid->size;
    element->commutative = o->monoid->commutative;
    element->exact = o->monoid->exact;
    memcpy(element->identity, o->monoid->identity, o->monoid->size);
    return GP_OK;
}

static gp_result gpi_check_op(gp_context *gp, const char *function, const gpi_operation *o)
{
    if (!gpi_op_macro(o->op)) {
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "%s: op = %d is not a gp_op", function, (int)o->op);
    }
    if (gpi_is_float(o->out_type) && (o->op == GP_AND || o->op == GP_OR || o->op == GP_XOR)) {
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "%s: op = %d is bitwise, and %s is not an integer type",
                        function, (int)o->op, gpi_type_cl(o->out_type));
    }
    if (gpi_is_arg(o->op) && o->initial) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: initial stays NULL with argmin and argmax",
                        function);
    }
    return GP_OK;
}

static gp_result gpi_check_types(gp_context *gp, const char *function, const gpi_operation *o)
{
    const bool monoid = o->monoid != NULL;
    if (!gpi_type_size(o->type) || (!monoid && !gpi_type_size(o->out_type)) ||
        (o->type2 && !gpi_type_size(o->type2))) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: type = %d, out_type = %d, type2 = %d: not a gp_type",
                        function, (int)o->type, (int)o->out_type, (int)o->type2);
    }
    if ((o->type == GP_F64 || o->out_type == GP_F64 || o->type2 == GP_F64) && !gp->info.fp64) {
        return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "%s: f64 on %s, which has no cl_khr_fp64", function,
                        gp->info.name);
    }
    if (gpi_is_arg(o->op) && o->out_type != GP_U32 && o->out_type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: argmin and argmax give u32 or u64, not out_type %s",
                        function, gpi_type_cl(o->out_type));
    }
    if (!monoid && !o->map && !gpi_is_arg(o->op) && gpi_is_float(o->type) && !gpi_is_float(o->out_type)) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: type %s cannot be summed as out_type %s", function,
                        gpi_type_cl(o->type), gpi_type_cl(o->out_type));
    }
    return GP_OK;
}

/* What argmin and argmax compare: the input's type, at least 32 bits wide. */
static gp_type gpi_arg_type(gp_type type)
{
    if (gpi_type_size(type) >= 4) return type;
    return gpi_is_signed(type) ? GP_I32 : GP_U32;
}

/* A value and a 64-bit index of all ones behind it (gpi_arg of monoid.cl). */
static void gpi_element_arg(gpi_element *element)
{
    const gp_type value = gpi_arg_type(element->operation.type);
    const size_t size = gpi_type_size(value);
    gpi_identity_make(value, element->operation.op, element->identity);
    memset(element->identity + size, 0xff, 8);
    element->size = size + 8;
    element->exact = !gpi_is_float(value);
}

static gp_result gpi_element_builtin(gp_context *gp, const char *function, gpi_element *element)
{
    const gpi_operation *o = &element->operation;
    const gp_result result = gpi_check_op(gp, function, o);
    if (result != GP_OK) return result;
    element->size = element->out_size = gpi_type_size(o->out_type);
    element->commutative = true;
    element->exact = !gpi_is_float(o->out_type); /* min and max may return either zero */
    if (gpi_is_arg(o->op)) gpi_element_arg(element);
    else gpi_identity_make(o->out_type, o->op, element->identity);
    return GP_OK;
}

static gp_result gpi_element_make(gp_context *gp, const char *function, const gpi_operation *operation,
                                  gpi_element *element)
{
    gp_result result = GP_OK;
    memset(element, 0, sizeof *element);
    element->operation = *operation;
    element->in_size = gpi_type_size(operation->type);
    element->in2_size = gpi_type_size(operation->type2);
    if (operation->type2 && !operation->map) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: in2 is only used by a map, and there is none",
                        function);
    }
    if (!operation->monoid || operation->map) result = gpi_check_types(gp, function, operation);
    if (result != GP_OK) return result;
    return operation->monoid ? gpi_element_monoid(gp, function, element)
                             : gpi_element_builtin(gp, function, element);
}

static const void *gpi_element_initial(const gpi_element *element)
{
    return element->operation.initial ? element->operation.initial : element->identity;
}

/* ------------------------------------------------------------------ text */

/* Elements of a vector step of the serial shape; one where there is no vector of the type. */
static int gpi_element_lanes(const gpi_element *element, const gpi_plan *plan)
{
    const bool scalar = element->operation.monoid || gpi_is_arg(element->operation.op);
    return scalar || plan->shape != GP_SHAPE_SERIAL ? 1 : 16;
}

static void gpi_identity_words(const gpi_element *element, gpi_text *text)
{
    const size_t words = (element->size + 3) / 4;
    size_t k;
    for (k = 0; k < words; k++) {
        uint32_t word = 0;
        memcpy(&word, element->identity + 4 * k, element->size < 4 ? element->size : 4);
        gpi_text_add(text, "%s0x%08xu", k ? ", " : "", (unsigned)word);
    }
}

/* The caller's text, then our names for what it defines: its own names may be those of variables in the
   kernels. The empty line keeps a last backslash to itself. The function gets copies: where it assigns to its
   parameters, Mesa 22.3 assigns to what was passed. */
static void gpi_prelude_monoid(const gp_monoid *m, gpi_text *text)
{
    gpi_text_add(text, "#line 1 \"monoid\"\n%s\n\n", m->source);
    gpi_text_add(text, "typedef %s gpi_user;\n", m->type);
    gpi_text_add(text,
                 "static gpi_user gpi_user_combine(gpi_user gpi_a, gpi_user gpi_b)\n{\n"
                 "    gpi_user gpi_x = gpi_a, gpi_y = gpi_b;\n    return %s(gpi_x, gpi_y);\n}\n",
                 m->combine);
}

/* What is combined: a monoid of the user, an operation on values, or on values with their index. */
static void gpi_prelude_operation(const gpi_operation *o, gpi_text *text)
{
    const gp_type value = gpi_is_arg(o->op) ? gpi_arg_type(o->type) : o->out_type;
    if (o->monoid) {
        gpi_text_add(text, "#define GPI_CUSTOM 1\n#define GPI_COMBINE(a, b) gpi_user_combine(a, b)\n");
        gpi_text_add(text, "#define GPI_VALUE gpi_user\n#define GPI_T gpi_user\n#define GPI_OUT gpi_user\n");
        return;
    }
    gpi_text_add(text, "#define GPI_CUSTOM 0\n#define GPI_OP %s\n#define GPI_FLOAT %d\n", gpi_op_macro(o->op),
                 gpi_is_float(value));
    gpi_text_add(text, "#define GPI_VALUE %s\n#define GPI_OUT %s\n#define GPI_T %s\n", gpi_type_cl(value),
                 gpi_type_cl(o->out_type), gpi_is_arg(o->op) ? "gpi_arg" : "GPI_OUT");
}

/* The inputs, and the map as a function. The expression has lines of its own, so that it may end in a
   comment. */
static void gpi_prelude_inputs(const gpi_operation *o, gpi_text *text)
{
    const char *in = o->type ? gpi_type_cl(o->type) : "gpi_user";
    gpi_text_add(text, "#define GPI_IN %s\n#define GPI_INPUTS %d\n#define GPI_MAPPED %d\n", in,
                 o->type2 ? 2 : 1, o->map != NULL);
    if (o->type2) gpi_text_add(text, "#define GPI_IN2 %s\n", gpi_type_cl(o->type2));
    if (!o->map) return;
    gpi_text_add(
        text,
        "static GPI_VALUE gpi_map(GPI_IN x, %sulong i)\n{\n    return (\n#line 1 \"map\"\n%s\n    );\n}\n",
        o->type2 ? "GPI_IN2 y, " : "", o->map);
}

/* The description of the element that monoid.cl begins with. */
static void gpi_element_prelude(const gpi_element *element, const gpi_plan *plan, gpi_text *text)
{
    const gpi_operation *o = &element->operation;
    gpi_text_add(text, "#define GPI_SIZE %u\n#define GPI_IDENTITY_WORDS ", (unsigned)element->size);
    gpi_identity_words(element, text);
    gpi_text_add(text, "\n#define GPI_COMMUTATIVE %d\n#define GPI_EXACT %d\n#define GPI_LANES %d\n",
                 element->commutative, element->exact, gpi_element_lanes(element, plan));
    if (o->monoid) gpi_prelude_monoid(o->monoid, text);
    gpi_prelude_operation(o, text);
    gpi_prelude_inputs(o, text);
}
