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

/* The type of sums and products when the caller names none: integers do not overflow at 32 bits. */
static gp_type gpi_sum_type(gp_type type, gp_op op)
{
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
        if (gpi_is_float(type)) gpi_identity_float(type, infinity, out);
        else gpi_identity_integer(size, is_signed ? ones ^ sign : ones, out);
        break;
    case GP_MAX:
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

static gp_result gpi_element_monoid(gp_context *gp, const char *function, gp_type type, gp_type out_type,
                                    gp_op op, const gp_monoid *monoid, gpi_element *element)
{
    const gp_result result = gpi_check_monoid(gp, function, monoid);
    if (result != GP_OK) return result;
    if (type || out_type || op) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "%s: with a monoid, type, out_type and op stay 0 (here %d, %d, %d)", function,
                        (int)type, (int)out_type, (int)op);
    }
    element->monoid = monoid;
    element->in_size = element->size = monoid->size;
    element->commutative = monoid->commutative;
    element->exact = monoid->exact;
    memcpy(element->identity, monoid->identity, monoid->size);
    return GP_OK;
}

static gp_result gpi_check_op(gp_context *gp, const char *function, gp_op op, gp_type type)
{
    if (!gpi_op_macro(op)) {
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "%s: op = %d is not a gp_op", function, (int)op);
    }
    if (gpi_is_float(type) && (op == GP_AND || op == GP_OR || op == GP_XOR)) {
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "%s: op = %d is bitwise, and %s is not an integer type",
                        function, (int)op, gpi_type_cl(type));
    }
    return GP_OK;
}

/* `out_type` is resolved by the caller: never 0 where `type` is not. */
static gp_result gpi_element_make(gp_context *gp, const char *function, gp_type type, gp_type out_type,
                                  gp_op op, const gp_monoid *monoid, gpi_element *element)
{
    gp_result result;
    memset(element, 0, sizeof *element);
    if (monoid) return gpi_element_monoid(gp, function, type, out_type, op, monoid, element);
    if (!gpi_type_size(type) || !gpi_type_size(out_type)) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: type = %d, out_type = %d: not a gp_type", function,
                        (int)type, (int)out_type);
    }
    result = gpi_check_op(gp, function, op, out_type);
    if (result != GP_OK) return result;
    if ((type == GP_F64 || out_type == GP_F64) && !gp->info.fp64) {
        return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "%s: f64 on %s, which has no cl_khr_fp64", function,
                        gp->info.name);
    }
    if (gpi_is_float(type) && !gpi_is_float(out_type)) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: type %s cannot be summed as out_type %s", function,
                        gpi_type_cl(type), gpi_type_cl(out_type));
    }
    element->in_type = type;
    element->type = out_type;
    element->op = op;
    element->in_size = gpi_type_size(type);
    element->size = gpi_type_size(out_type);
    element->commutative = true;
    element->exact = !gpi_is_float(out_type); /* min and max may return either zero */
    gpi_identity_make(out_type, op, element->identity);
    return GP_OK;
}

/* ------------------------------------------------------------------ text */

/* Elements of a vector step of the serial shape; one where there is no vector of the type. */
static int gpi_element_lanes(const gpi_element *element, const gpi_plan *plan)
{
    return element->monoid || plan->shape != GP_SHAPE_SERIAL ? 1 : 16;
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

/* The description of the element that monoid.cl begins with. */
static void gpi_element_prelude(const gpi_element *element, const gpi_plan *plan, gpi_text *text)
{
    const gp_monoid *m = element->monoid;
    if (m) {
        gpi_text_add(text, "#define GPI_IN %s\n#define GPI_T %s\n", m->type, m->type);
        gpi_text_add(text, "#define GPI_FROM(x) (x)\n#define GPI_COMBINE(a, b) %s(a, b)\n", m->combine);
    } else {
        gpi_text_add(text, "#define GPI_IN %s\n#define GPI_T %s\n", gpi_type_cl(element->in_type),
                     gpi_type_cl(element->type));
        gpi_text_add(text, "#define GPI_FROM(x) ((GPI_T)(x))\n#define GPI_OP %s\n",
                     gpi_op_macro(element->op));
        gpi_text_add(text, "#define GPI_FLOAT %d\n", gpi_is_float(element->type));
    }
    gpi_text_add(text, "#define GPI_SIZE %u\n#define GPI_IDENTITY_WORDS ", (unsigned)element->size);
    gpi_identity_words(element, text);
    gpi_text_add(text, "\n#define GPI_COMMUTATIVE %d\n#define GPI_EXACT %d\n#define GPI_LANES %d\n",
                 element->commutative, element->exact, gpi_element_lanes(element, plan));
    if (m) gpi_text_add(text, "#line 1 \"monoid\"\n%s\n", m->source);
}
