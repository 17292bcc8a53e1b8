/* element.c - checks and describes elements, and the operations and monoids on them. */
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/type.h"
#include "program/user_text.h"
#include "element/element.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ checks: monoids */

static const char *gpi_type_field(const gpi_operation *o) { return o->type_field ? o->type_field : "type"; }
static const char *gpi_map_field(const gpi_operation *o) { return o->map_field ? o->map_field : "map"; }

/* Returns true if the map's value has a type of its own, because inputs are indices or records. */
static bool gpi_is_typed_by_map(const gpi_operation *o) { return o->indices || o->record; }

static bool gpi_combine_takes_args(const gpi_operation *o)
{
    return o->monoid && o->monoid->takes_args && o->args.count > 0;
}

static gp_result gpi_check_monoid(gp_context *gp, const gp_monoid *m)
{
    const char *missing = gpi_is_blank(m->type)      ? "type"
                          : !m->source               ? "source"
                          : gpi_is_blank(m->combine) ? "combine"
                          : !m->identity             ? "identity"
                                                     : NULL;
    if (missing) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "monoid has no %s", missing);
    }
    if (m->size < 4 || m->size > GPI_MONOID_MAX || m->size % 4) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "monoid->size = %zu, must be a multiple of 4 in 4..%d",
                        m->size, GPI_MONOID_MAX);
    }
    return gpi_check_monoid_text(gp, m);
}

static gp_result gpi_element_monoid(gp_context *gp, gpi_element *element)
{
    const gpi_operation *o = &element->operation;
    const gp_result result = gpi_check_monoid(gp, o->monoid);
    if (result != GP_OK) return result;
    if (o->out_type || o->op || o->op_count || o->compensated || (o->type && !o->map)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "with a monoid, out_type, op, op_count and compensated must be 0, and %s too "
                        "unless %s is given "
                        "(here %d, %d, %zu, %d, %d)",
                        gpi_type_field(o), gpi_map_field(o), (int)o->out_type, (int)o->op, o->op_count,
                        o->compensated, (int)o->type);
    }
    if (!o->map) element->in_size = o->monoid->size;
    element->base_size = element->out_size = o->monoid->size;
    element->commutative = o->monoid->commutative;
    element->exact = o->monoid->exact;
    memcpy(element->identity, o->monoid->identity, o->monoid->size);
    memcpy(element->initial, o->initial ? o->initial : o->monoid->identity, o->monoid->size);
    return GP_OK;
}

/* ------------------------------------------------------------------ checks: built-in operations */

/* Fails because `type` is not a gp_type, most often because it was not set. */
static gp_result gpi_fail_type(gp_context *gp, const char *field, gp_type type)
{
    if (!type) return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s is not set", field);
    return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s = %d is not a gp_type", field, (int)type);
}

static gp_result gpi_check_field(gp_context *gp, const gpi_operation *o, const gpi_field *field)
{
    const bool is_float = gpi_is_float(field->out);
    if (!gpi_op_macro(field->op)) {
        if (!field->op) return gpi_fail(gp, GP_ERROR_INVALID_OP, "op is not set");
        if (gpi_group_op_macro(field->op))
            return gpi_fail(gp, GP_ERROR_INVALID_OP, "op = %d: only gp_group_by takes it", (int)field->op);
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "op = %d is not a gp_op", (int)field->op);
    }
    if (!gpi_type_size(field->out)) return gpi_fail_type(gp, "out_type", field->out);
    if (is_float && (field->op == GP_AND || field->op == GP_OR || field->op == GP_XOR)) {
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "op = %d is bitwise, and %s is not an integer type",
                        (int)field->op, gpi_type_cl(field->out));
    }
    if (gpi_is_arg(field->op) && field->out != GP_U32 && field->out != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "argmin and argmax give u32 or u64, not out_type %s",
                        gpi_type_cl(field->out));
    }
    if (gpi_is_arg(field->op) && o->initial) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "initial must be NULL with argmin and argmax");
    }
    return GP_OK;
}

/* Fails if the field's result is narrower than the values that are combined, or is an integer although these values are
   floats. Only a map may narrow values. */
static gp_result gpi_check_width(gp_context *gp, const char *from_field, gp_type from, const gpi_field *field)
{
    if (gpi_is_arg(field->op)) return GP_OK;
    if (gpi_is_float(from) && !gpi_is_float(field->out)) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s %s cannot become out_type %s", from_field,
                        gpi_type_cl(from), gpi_type_cl(field->out));
    }
    if (gpi_type_size(field->out) < gpi_type_size(from)) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "out_type %s is narrower than %s %s",
                        gpi_type_cl(field->out), from_field, gpi_type_cl(from));
    }
    return GP_OK;
}

static gp_result gpi_check_fp64(gp_context *gp, gp_type type)
{
    if (type != GP_F64 || gp->info.fp64) return GP_OK;
    return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "f64 on %s, which has no cl_khr_fp64", gp->info.name);
}

static gp_result gpi_check_type(gp_context *gp, const char *field, gp_type type)
{
    return gpi_type_size(type) ? gpi_check_fp64(gp, type) : gpi_fail_type(gp, field, type);
}

/* Checks a range of integers: low < high, and the type can represent all of [low, high). Negative bounds are extended
   to 64 bits. */
static gp_result gpi_check_bounds(gp_context *gp, const char *low_name, uint64_t low, const char *high_name,
                                  uint64_t high, gp_type type)
{
    const bool is_signed = gpi_is_signed(type);
    const uint64_t all = ~(uint64_t)0 >> (64 - 8 * gpi_type_size(type));
    const uint64_t least = is_signed ? ~(all >> 1) : 0, last = is_signed ? all >> 1 : all;
    const uint64_t sign = is_signed ? (uint64_t)1 << 63 : 0; /* makes signed numbers compare as unsigned */
    if ((low ^ sign) < (high ^ sign) && (low ^ sign) >= (least ^ sign) &&
        ((high - 1) ^ sign) <= (last ^ sign))
        return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                    is_signed ? "%s = %lld and %s = %lld: must be %s < %s, of numbers of %s"
                              : "%s = %llu and %s = %llu: must be %s < %s, of numbers of %s",
                    low_name, (long long)low, high_name, (long long)high, low_name, high_name,
                    gpi_type_cl(type));
}

static gp_result gpi_check_inputs(gp_context *gp, const gpi_operation *o)
{
    const gp_type types[3] = {o->type, o->type2, o->heads_type};
    const bool wanted[3] = {(!o->monoid || o->map) && !gpi_is_typed_by_map(o), o->type2 != 0,
                            o->segments && o->segments != GPI_SEGMENTS_RUNS};
    const char *const names[3] = {gpi_type_field(o), "type2", "heads_type"};
    gp_result result = gpi_check_text(gp, gpi_map_field(o), o->map);
    size_t i;
    if (result == GP_OK) result = gpi_args_check(gp, &o->args);
    if (result != GP_OK) return result;
    if (o->record && (o->type || !o->map)) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE,
                        "record is given, and %s = %d, and %s is %s: "
                        "records take a map, and no type",
                        gpi_type_field(o), (int)o->type, gpi_map_field(o), o->map ? "given" : "NULL");
    }
    if (o->type2 && !o->map) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "in2 is given but map is NULL: only a map reads in2");
    }
    if (!o->op_count && (o->ops || o->out_types)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "ops or out_types is given but op_count is 0");
    }
    for (i = 0; i < 3 && result == GP_OK; i++) {
        result = wanted[i] ? gpi_check_type(gp, names[i], types[i]) : gpi_check_fp64(gp, types[i]);
    }
    return result;
}

/* ------------------------------------------------------------------ built-in operations */

/* Returns the type in which argmin and argmax compare, which has at least 32 bits. */
static gp_type gpi_arg_type(gp_type type)
{
    if (gpi_type_size(type) >= 4) return type;
    return gpi_is_signed(type) ? GP_I32 : GP_U32;
}

static bool gpi_is_moment(gp_op op) { return op == GP_MEAN || op == GP_VARIANCE; }
static bool gpi_is_place(gp_op op) { return op == GP_FIRST || op == GP_LAST; }

static size_t gpi_field_size(const gpi_field *field)
{
    const size_t value = gpi_type_size(field->value);
    if (gpi_is_arg(field->op) || gpi_is_place(field->op)) return value + 8;
    if (gpi_is_moment(field->op)) return field->op == GP_VARIANCE ? 3 * value : 2 * value;
    return field->compensated ? 2 * value : value;
}

/* Makes and checks the field for an operation `op` on values of type `from`. */
static gp_result gpi_field_make(gp_context *gp, const gpi_operation *o, gp_type from, gp_op op, gp_type out,
                                gpi_field *field)
{
    gp_result result;
    field->op = op;
    field->out = out ? out : gpi_sum_type(from, op);
    field->value = gpi_is_arg(op) ? gpi_arg_type(gpi_operand(from)) : gpi_operand(field->out);
    field->compensated = o->compensated && op == GP_SUM && gpi_is_float(field->value);
    result = gpi_check_field(gp, o, field);
    if (result == GP_OK) result = gpi_check_fp64(gp, field->out);
    if (result == GP_OK && (!o->map || o->op_count))
        result = gpi_check_width(gp, gpi_type_field(o), from, field);
    return result;
}

static gp_result gpi_check_ops(gp_context *gp, const gpi_operation *o)
{
    if (o->op || o->out_type || o->initial) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "with op_count, op, out_type and initial must be 0");
    }
    if (!o->ops || o->op_count > GP_OPS_MAX) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "op_count = %zu, must be at most %d, and ops %s",
                        o->op_count, GP_OPS_MAX, o->ops ? "is given" : "is NULL");
    }
    if (o->map_type && (!o->map || !gpi_type_size(o->map_type))) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "map_type = %d: not a gp_type, or map is NULL",
                        (int)o->map_type);
    }
    return gpi_check_fp64(gp, o->map_type);
}

/* Makes an element of several operations. Its fields are laid out as in a C struct. */
static gp_result gpi_element_ops(gp_context *gp, gpi_element *element)
{
    const gpi_operation *o = &element->operation;
    const gp_type from = o->map_type ? o->map_type : o->type;
    gp_result result = gpi_check_ops(gp, o);
    if (result == GP_OK && gpi_is_typed_by_map(o)) result = gpi_check_type(gp, "map_type", from);
    size_t k, align = 1;
    element->mapped = gpi_operand(from);
    for (k = 0; k < o->op_count && result == GP_OK; k++) {
        gpi_field *field = &element->fields[k];
        result = gpi_field_make(gp, o, from, o->ops[k], o->out_types ? o->out_types[k] : GP_TYPE_NONE, field);
        if (result == GP_OK && field->out == GP_F16) field->out = GP_F32; /* gp_value has no halves */
        field->offset = gpi_round_up(element->base_size, gpi_type_size(field->value));
        element->base_size = field->offset + gpi_field_size(field);
        if (gpi_type_size(field->value) > align) align = gpi_type_size(field->value);
    }
    element->field_count = o->op_count;
    element->base_size = gpi_round_up(element->base_size, align);
    element->out_size = sizeof(gp_value) * o->op_count;
    return result;
}

/* ------------------------------------------------------------------ results of groups */

/* Fails if a result's operation, expressions or types cannot be used. */
static gp_result gpi_result_check(gp_context *gp, const gp_group_result *r)
{
    const bool counts = r->op == GP_COUNT;
    gp_result result;
    if (!r->op) return gpi_fail(gp, GP_ERROR_INVALID_OP, "op is not set");
    if (!gpi_group_op_macro(r->op))
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "op = %d is not a gp_op", (int)r->op);
    if (r->out_type && !gpi_type_size(r->out_type)) return gpi_fail_type(gp, "out_type", r->out_type);
    result = gpi_check_text(gp, "map", r->map);
    if (result == GP_OK) result = gpi_check_text(gp, "where", r->where);
    if (result != GP_OK) return result;
    if (counts != !r->map || (counts && r->map_type)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        counts ? "map or map_type is given: GP_COUNT takes neither"
                               : "map is NULL: all operations but GP_COUNT need a map, and map_type");
    }
    if (r->out_type == GP_F16) return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "out_type must not be GP_F16");
    return counts ? GP_OK : gpi_check_type(gp, "map_type", r->map_type);
}

/* Fails if the result's type is not one of those that its operation has. */
static gp_result gpi_result_check_out(gp_context *gp, const gp_group_result *r, const gpi_field *field)
{
    const bool is_float = gpi_is_float(field->out);
    if (r->op == GP_COUNT ? !is_float && gpi_type_size(field->out) >= 4 : !gpi_is_moment(r->op) || is_float)
        return gpi_check_fp64(gp, field->out);
    return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "out_type %s: must be %s", gpi_type_cl(field->out),
                    r->op == GP_COUNT ? "an integer type of 32 or 64 bits" : "GP_F32 or GP_F64");
}

/* Returns the type in which values of a type are summed for a mean or a variance: f64 if the device has it; else f32, or, for means of
   integers of up to 32 bits, an integer type of 64 bits. */
static gp_type gpi_moment_type(const gp_context *gp, gp_type from, gp_op op)
{
    if (gp->info.fp64) return GP_F64;
    if (op == GP_VARIANCE || gpi_is_float(from) || gpi_type_size(from) > 4) return GP_F32;
    return gpi_is_signed(from) ? GP_I64 : GP_U64;
}

/* Makes and checks the field for a result. */
static gp_result gpi_result_field(gp_context *gp, const gpi_operation *o, const gp_group_result *r,
                                  gpi_field *field)
{
    const gp_type from = r->op == GP_COUNT ? GP_U32 : gpi_operand(r->map_type);
    gp_result result = gpi_result_check(gp, r);
    if (result != GP_OK) return result;
    field->op = r->op;
    field->out = r->out_type ? r->out_type : from;
    field->compensated = false;
    if (r->op == GP_COUNT) {
        field->value = field->out;
    } else if (gpi_is_moment(r->op)) {
        if (!r->out_type) field->out = from == GP_F64 ? GP_F64 : GP_F32;
        field->value = gpi_moment_type(gp, from, r->op);
    } else if (gpi_is_place(r->op)) {
        field->value = gpi_arg_type(from);
        result = gpi_check_width(gp, "map_type", from, field);
    } else {
        return gpi_field_make(gp, o, from, r->op, r->out_type, field);
    }
    return result == GP_OK ? gpi_result_check_out(gp, r, field) : result;
}

/* Makes an element of as many of the results as an element may have. Its fields are laid out as in a C struct. */
static gp_result gpi_element_results(gp_context *gp, gpi_element *element)
{
    const gpi_operation *o = &element->operation;
    size_t k, align = 1;
    element->mapped = o->type;
    for (k = 0; k < o->result_count && k < GP_OPS_MAX; k++) {
        gpi_field *field = &element->fields[k];
        const gp_result result = gpi_result_field(gp, o, &o->results[k], field);
        size_t size;
        char prefix[32];
        if (result != GP_OK) {
            (void)snprintf(prefix, sizeof prefix, "results[%u]: ", (unsigned)(o->result_first + k));
            gpi_fail_within(gp, prefix);
            return result;
        }
        size = gpi_type_size(field->value);
        field->offset = gpi_round_up(element->base_size, size);
        if (gpi_round_up(field->offset + gpi_field_size(field), 8) > GPI_ELEMENT_MAX) break;
        element->base_size = field->offset + gpi_field_size(field);
        if (size > align) align = size;
    }
    element->field_count = k;
    element->base_size = gpi_round_up(element->base_size, align);
    return GP_OK;
}

static gp_result gpi_element_op(gp_context *gp, gpi_element *element)
{
    const gpi_operation *o = &element->operation;
    gpi_field *field = &element->fields[0];
    const bool compared = gpi_is_typed_by_map(o) && gpi_is_arg(o->op); /* the map's values are compared */
    const gp_type from = compared ? o->map_type : o->type;
    gp_result result = compared && from ? gpi_check_type(gp, "map_type", from) : GP_OK;
    if (compared && !from) {
        return gpi_fail(
            gp, GP_ERROR_INVALID_TYPE,
            "map_type is not set: argmin and argmax of records, or of indices alone, compare values "
            "of map_type, which only gp_reduce has");
    }
    if (result == GP_OK) result = gpi_field_make(gp, o, from, o->op, o->out_type, field);
    if (result == GP_OK && gpi_is_typed_by_map(o) && !compared)
        result = gpi_check_type(gp, "out_type", o->out_type);
    if (result == GP_OK && o->map_type && !compared) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "map_type is only used with op_count; here %s",
                        gpi_is_arg(o->op) ? "type says as what the map's values are compared"
                                          : "out_type is the map's type");
    }
    element->field_count = 1;
    element->mapped = !o->map || gpi_is_arg(o->op) ? gpi_operand(from) : field->value;
    element->base_size = gpi_field_size(field);
    element->out_size = gpi_type_size(field->out);
    return result;
}

/* Writes a field's identity. An index, if any, has all bits set and follows the value. */
static void gpi_field_identity(const gpi_field *field, unsigned char *out)
{
    gpi_identity_make(field->value, field->op, out);
    if (gpi_is_arg(field->op) || gpi_is_place(field->op)) memset(out + gpi_type_size(field->value), 0xff, 8);
}

/* Writes the caller's `initial`, which has the type of the result, as a value of the field. */
static void gpi_field_initial(const gpi_field *field, const void *initial, unsigned char *out)
{
    uint16_t half;
    float value;
    memcpy(out, initial, gpi_type_size(field->out));
    if (field->out != GP_F16) return;
    memcpy(&half, initial, sizeof half);
    value = gpi_float_of_half(half);
    memcpy(out, &value, sizeof value);
}

static gp_result gpi_element_builtin(gp_context *gp, gpi_element *element)
{
    const gpi_operation *o = &element->operation;
    const gp_result result = o->results    ? gpi_element_results(gp, element)
                             : o->op_count ? gpi_element_ops(gp, element)
                                           : gpi_element_op(gp, element);
    bool compensated = false;
    size_t k;
    if (result != GP_OK) return result;
    if (o->compensated && gp->desc.fast_math) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "compensated sums need a context without fast_math, which may remove them");
    }
    element->commutative = element->exact = true;
    for (k = 0; k < element->field_count; k++) {
        const gpi_field *field = &element->fields[k];
        if (field->compensated) compensated = true;
        if (gpi_is_float(field->value)) element->exact = false; /* min and max may return -0 or +0 */
        gpi_field_identity(field, element->identity + field->offset);
    }
    memcpy(element->initial, element->identity, element->base_size);
    if (o->initial) gpi_field_initial(&element->fields[0], o->initial, element->initial);
    if (o->compensated && !compensated) {
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "compensated needs a sum of floats, and there is none");
    }
    return GP_OK;
}

/* ------------------------------------------------------------------ elements */

/* Returns the size of GPI_HEAD in bytes. A head is as large as the value, to avoid padding, but has at least 4 bytes if
   heads are counted. With a monoid a head has 4 bytes, and the struct is packed, because the alignment of the monoid's
   type is not known. */
static size_t gpi_head_size(const gpi_element *element)
{
    const bool counts = element->operation.segments == GPI_SEGMENTS_RUNS;
    if (!element->operation.segments) return 0;
    return element->field_count == 0 || (counts && element->base_size < 4) ? 4 : element->base_size;
}

static gp_result gpi_element_describe(gp_context *gp, const gpi_operation *operation, gpi_element *element)
{
    gp_result result;
    memset(element, 0, sizeof *element);
    element->operation = *operation;
    element->in_size = operation->record ? operation->record->size : gpi_type_size(operation->type);
    if (operation->map && !operation->own_map)
        element->operation.args.operands = operation->indices ? operation->type2 ? "y i" : "i"
                                           : operation->type2 ? "x y i"
                                                              : "x i";
    gpi_args_add_record(&element->operation.args, "record", operation->record);
    element->operation.args.pasted = operation->monoid ? operation->monoid->source : NULL;
    element->in2_size = gpi_type_size(operation->type2);
    element->heads_size = gpi_type_size(operation->heads_type);
    result = gpi_check_inputs(gp, &element->operation);
    if (result != GP_OK) return result;
    result = operation->monoid ? gpi_element_monoid(gp, element) : gpi_element_builtin(gp, element);
    if (result == GP_OK && operation->segments && gpi_is_arg(operation->op)) {
        result = gpi_fail(gp, GP_ERROR_UNSUPPORTED, "argmin and argmax do not take segments");
    }
    element->size = gpi_head_size(element);
    element->size +=
        operation->segments == GPI_SEGMENTS_RUNS ? gpi_round_up(element->base_size, 4) : element->base_size;
    if (operation->segments) element->commutative = false; /* combining heads is not commutative */
    return result;
}

/* Fails if argmin or argmax returns positions in 32 bits and `count` does not fit. The position with all bits set means
   "none". */
static gp_result gpi_check_positions(gp_context *gp, const gpi_element *element, size_t count)
{
    size_t k;
    for (k = 0; k < element->field_count; k++) {
        if (!gpi_is_arg(element->fields[k].op) || element->fields[k].out != GP_U32) continue;
        if (count >= UINT32_MAX) {
            return gpi_fail(gp, GP_ERROR_COUNT_LIMIT,
                            "count = %zu, does not fit positions of u32: set out_type to GP_U64", count);
        }
    }
    return GP_OK;
}

/* ------------------------------------------------------------------ plans, arguments, warm-up */

/* Returns true if elements can be read four at a time (GPI_QUADS of element/input_vectors.cl). With segments by keys,
   values can be read in this way, but keys cannot. */
static bool gpi_element_has_quads(const gpi_element *element)
{
    const gpi_operation *o = &element->operation;
    return !o->indices && !o->record && (o->map || element->field_count) && o->type != GP_F16 &&
           o->type2 != GP_F16 && !o->reverse && o->segments != (int)GP_SEGMENTS_BY_FLAGS;
}

/* Makes the plan of a call on an element. In the local shape, the tuning rows of SCAN are for elements that are read
   four at a time: half of the tile or all of it stays in registers (scan/tile_chunks.cl). A scan of other elements
   has its whole tile in local memory, as a selection does, and therefore uses the row of SELECT. */
static gp_result gpi_plan_make(gp_context *gp, gpi_primitive primitive, const gpi_element *element,
                               gp_strategy strategy, gpi_plan *plan)
{
    enum { GPI_MOST = 32 }; /* most elements of an item with heads: see gpi_prelude_keyed */
    const gp_result result = gpi_plan_make_sized(gp, primitive, element->size, strategy, plan);
    if (result != GP_OK || primitive != GPI_SCAN || plan->shape != GP_SHAPE_LOCAL) return result;
    if (!gpi_element_has_quads(element)) return gpi_plan_make_select(gp, element->size, strategy, plan);
    if (element->operation.segments && plan->per_item > GPI_MOST && !gp->desc.tuning.tile)
        plan->per_item = GPI_MOST;
    return result;
}

/* Allocates input for a warm-up: zeros, or the monoid's identity, which the caller's function must accept. */
static gp_result gpi_alloc_neutral(gp_context *gp, const gpi_element *element, size_t count, cl_mem *out)
{
    unsigned char *elements;
    gp_result result;
    size_t i;
    if (element->operation.type || element->operation.record)
        return gpi_alloc_zeros(gp, count * element->in_size, out);
    elements = (unsigned char *)GP_MALLOC(count * element->base_size);
    if (!elements) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory");
    for (i = 0; i < count; i++)
        memcpy(elements + i * element->base_size, element->identity, element->base_size);
    result = gp_buffer_create(gp, count * element->base_size, elements, out);
    GP_FREE(elements);
    return result;
}

/* Passes the arguments for GPI_COMBINE_PARAMETERS of element/monoid.cl. */
static void gpi_call_combine_args(gpi_call *call, const gpi_element *element)
{
    if (gpi_combine_takes_args(&element->operation)) gpi_call_args(call, &element->operation.args);
}

/* Passes the initial value as gpi_argument of element/monoid.cl: a single field as it is, else whole words. */
static void gpi_call_arg_initial(gpi_call *call, const gpi_element *element)
{
    const size_t size = element->base_size;
    gpi_call_arg(call, element->field_count == 1 ? size : gpi_round_up(size, 4), element->initial);
}
