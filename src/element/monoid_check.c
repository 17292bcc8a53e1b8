/* monoid_check.c - gp_check_monoid: looks for elements that violate the laws of a monoid. */
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "program/user_text.h"
#include "element/element.h"
#include "scan/constants.cl"

#include <stdio.h>
#include <string.h>

enum {
    GPI_MONOID_CHECK_TRIPLES = 4096, /* triples of a round */
    GPI_MONOID_CHECK_MADE = 64,      /* number of made-up elements, and of products added for round 2 */
    GPI_MONOID_CHECK_NOTED = 1024,   /* most monoids (with their args) that a context records as checked */
    GPI_MONOID_CHECK_SMALL = 1000,   /* upper limit of made-up numbers, so that sums do not overflow */
    GPI_MONOID_CHECK_SAMPLES_MAX = 1 << 20,
    GPI_MONOID_CHECK_TEXT = 24 * (GPI_MONOID_MAX / 4) /* characters of an element's text */
};

/* A checked call of gp_check_monoid, and the elements of its second round. */
typedef struct gpi_monoid_check {
    gp_context *gp;
    const gp_check_monoid_desc *desc;
    gpi_element element;
    gpi_plan plan;
    gpi_program *program;
    uint64_t random;
    size_t size, count, triples; /* bytes of an element; number of elements; triples of a round */
    unsigned char *elements;     /* room for count + GPI_MONOID_CHECK_MADE elements */
    uint32_t *triple;            /* three indices of elements per triple */
    unsigned char *results;      /* GPI_LAW_RESULTS elements per triple */
    uint32_t *failed;
} gpi_monoid_check;

/* ------------------------------------------------------------------ elements */

/* Returns the next random number (splitmix64). */
static uint64_t gpi_monoid_check_random(gpi_monoid_check *check)
{
    uint64_t z = (check->random += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Fills the elements with the caller's samples. Without samples, makes up elements whose words are small numbers: integers,
   or floats if the monoid is not exact. The identity is one of them. */
static void gpi_monoid_check_fill(gpi_monoid_check *check)
{
    const gp_check_monoid_desc *desc = check->desc;
    size_t i;
    if (desc->samples) {
        memcpy(check->elements, desc->samples, check->count * check->size);
        return;
    }
    for (i = 0; i < check->count * check->size / 4; i++) {
        uint32_t word = (uint32_t)(gpi_monoid_check_random(check) % GPI_MONOID_CHECK_SMALL);
        const float value = ((float)word - 0.5f * (float)GPI_MONOID_CHECK_SMALL) / 256.0f;
        if (!check->element.exact) memcpy(&word, &value, sizeof word);
        memcpy(check->elements + 4 * i, &word, sizeof word);
    }
    memcpy(check->elements, check->element.identity, check->size);
}

static void gpi_monoid_check_choose(gpi_monoid_check *check)
{
    size_t i;
    for (i = 0; i < 3 * check->triples; i++)
        check->triple[i] = (uint32_t)(gpi_monoid_check_random(check) % check->count);
}

/* Appends products of three elements to check->elements, since results of the operation must obey the laws, too. */
static void gpi_monoid_check_extend(gpi_monoid_check *check)
{
    size_t i;
    for (i = 0; i < GPI_MONOID_CHECK_MADE; i++) {
        const size_t t = (size_t)(gpi_monoid_check_random(check) % check->triples);
        const unsigned char *product = check->results + (t * GPI_LAW_RESULTS + 4) * check->size;
        memcpy(check->elements + (check->count + i) * check->size, product, check->size);
    }
    check->count += GPI_MONOID_CHECK_MADE;
}

/* ------------------------------------------------------------------ device */

static gp_result gpi_monoid_check_launch(gpi_monoid_check *check, const cl_mem *buffers)
{
    const cl_uint count = (cl_uint)check->triples;
    const float tolerance = check->desc->tolerance > 0 ? check->desc->tolerance : 1e-4f;
    gpi_call call;
    gp_result result = gpi_call_begin(&call, check->gp, NULL, 0, NULL);
    if (result == GP_OK) {
        gpi_call_kernel(&call, check->program, "gp_monoid_check");
        gpi_call_args(&call, &check->element.operation.args);
        GPI_CALL_ARG(&call, buffers[0]);
        GPI_CALL_ARG(&call, buffers[1]);
        GPI_CALL_ARG(&call, count);
        GPI_CALL_ARG(&call, tolerance);
        GPI_CALL_ARG(&call, buffers[2]);
        GPI_CALL_ARG(&call, buffers[3]);
        result = gpi_call_launch(&call, &check->plan, gpi_ceil_div(count, check->plan.group));
    }
    if (result == GP_OK)
        result = gpi_call_read(&call, buffers[2], 0, check->triples * GPI_LAW_RESULTS * check->size,
                               check->results);
    if (result == GP_OK) result = gpi_call_read(&call, buffers[3], 0, check->triples * 4, check->failed);
    return gpi_call_end_within(&call, result);
}

static gp_result gpi_monoid_check_round(gpi_monoid_check *check)
{
    cl_mem buffers[4] = {NULL, NULL, NULL, NULL};
    size_t i;
    gp_result result;
    gpi_monoid_check_choose(check);
    result = gp_buffer_create(check->gp, check->count * check->size, check->elements, &buffers[0]);
    if (result == GP_OK)
        result = gp_buffer_create(check->gp, check->triples * 12, check->triple, &buffers[1]);
    if (result == GP_OK)
        result = gpi_alloc(check->gp, check->triples * GPI_LAW_RESULTS * check->size, &buffers[2]);
    if (result == GP_OK) result = gpi_alloc(check->gp, check->triples * 4, &buffers[3]);
    if (result == GP_OK) result = gpi_monoid_check_launch(check, buffers);
    for (i = 0; i < 4; i++) {
        if (buffers[i]) (void)clReleaseMemObject(buffers[i]);
    }
    return result;
}

/* ------------------------------------------------------------------ verdict */

/* Writes an element's words to `text` and returns it: integers, or floats if the monoid is not exact. */
static const char *gpi_monoid_check_text(const gpi_monoid_check *check, const unsigned char *element,
                                         char *text)
{
    size_t w, used = 0;
    for (w = 0; w < check->size / 4; w++) {
        uint32_t word;
        float value;
        memcpy(&word, element + 4 * w, sizeof word);
        memcpy(&value, &word, sizeof value);
        used += (size_t)snprintf(text + used, GPI_MONOID_CHECK_TEXT - used, "%s", w ? ", " : "{");
        used += check->element.exact
                    ? (size_t)snprintf(text + used, GPI_MONOID_CHECK_TEXT - used,
                                       word < 1u << 24 ? "%u" : "0x%x", (unsigned)word)
                    : (size_t)snprintf(text + used, GPI_MONOID_CHECK_TEXT - used, "%.9g", (double)value);
    }
    (void)snprintf(text + used, GPI_MONOID_CHECK_TEXT - used, "}");
    return text;
}

static gp_result gpi_monoid_check_fail(const gpi_monoid_check *check, size_t t, uint32_t failed)
{
    const gp_monoid *m = check->desc->monoid;
    const unsigned char *result = check->results + t * GPI_LAW_RESULTS * check->size;
    char text[5][GPI_MONOID_CHECK_TEXT];
    const char *element[3], *x, *y;
    size_t k, first = failed & GPI_LAW_LEFT         ? 0
                      : failed & GPI_LAW_RIGHT      ? 1
                      : failed & GPI_LAW_ASSOCIATES ? 4
                                                    : 2;
    const char *const origin =
        check->desc->samples ? "" : " (the library's own choice; give yours as gp_check_monoid_desc.samples)";
    for (k = 0; k < 3; k++)
        element[k] =
            gpi_monoid_check_text(check, check->elements + check->triple[3 * t + k] * check->size, text[k]);
    x = gpi_monoid_check_text(check, result + first * check->size, text[3]);
    if (first < 2) {
        return gpi_fail(check->gp, GP_ERROR_LAW,
                        "monoid %s: the identity is not neutral: %s = %s for a = %s%s", m->type,
                        first == 0 ? "e a" : "a e", x, element[0], origin);
    }
    y = gpi_monoid_check_text(check, result + (first + 1) * check->size, text[4]);
    if (first == 4) {
        return gpi_fail(check->gp, GP_ERROR_LAW,
                        "monoid %s: %s is not associative: (a b) c = %s and a (b c) = %s for a = %s, b = %s, "
                        "c = %s%s",
                        m->type, m->combine, x, y, element[0], element[1], element[2], origin);
    }
    return gpi_fail(check->gp, GP_ERROR_LAW,
                    "monoid %s: %s is not commutative: a b = %s and b a = %s for a = %s, b = %s%s", m->type,
                    m->combine, x, y, element[0], element[1], origin);
}

static gp_result gpi_monoid_check_judge(const gpi_monoid_check *check)
{
    uint32_t of_interest = GPI_LAW_LEFT | GPI_LAW_RIGHT | GPI_LAW_ASSOCIATES;
    size_t t;
    if (check->desc->monoid->commutative) of_interest |= GPI_LAW_COMMUTES;
    for (t = 0; t < check->triples; t++) {
        if (check->failed[t] & of_interest)
            return gpi_monoid_check_fail(check, t, check->failed[t] & of_interest);
    }
    return GP_OK;
}

/* ------------------------------------------------------------------ call */

/* Writes the prelude of the monoid, with the caller's definition of equality. */
static void gpi_monoid_check_prelude(const gp_context *gp, const gpi_plan *plan, const void *description,
                                     gpi_text *text)
{
    const gpi_monoid_check *check = (const gpi_monoid_check *)description;
    const char *equal = check->desc->equal;
    const gpi_args *args = &check->element.operation.args;
    gpi_prelude_plan(gp, plan, text);
    gpi_element_prelude(&check->element, GPI_MONOID_CHECK, plan, text);
    gpi_text_add(text, "#define GPI_EQUAL %d\n", equal != NULL);
    if (!equal) return;
    gpi_text_add(text, "static bool gpi_user_equal(%sconst gpi_user x, const gpi_user y)\n{\n",
                 gpi_args_parameter(args));
    gpi_args_name(args, text);
    gpi_text_add(text, "    return (\n#line 1 \"equal\"\n%s\n    );\n}\n", equal);
}

/* Checks the buffers of the arguments. The check uses no other memory of the caller's. */
static gp_result gpi_monoid_check_args(const gpi_monoid_check *check)
{
    gpi_uses uses;
    gpi_uses_begin(&uses, check->gp, GP_OK);
    gpi_uses_args(&uses, &check->element.operation.args);
    return uses.result;
}

static gp_result gpi_monoid_check_begin(gpi_monoid_check *check)
{
    const gp_check_monoid_desc *desc = check->desc;
    gpi_operation operation;
    gp_result result;
    memset(&operation, 0, sizeof operation);
    operation.monoid = desc->monoid;
    operation.args = gpi_args_make(desc->args, desc->arg_count, desc->equal ? "x y" : "");
    if (!desc->monoid) return gpi_fail(check->gp, GP_ERROR_INVALID_ARGUMENT, "monoid is NULL");
    if (!desc->samples != !desc->sample_count || desc->sample_count > GPI_MONOID_CHECK_SAMPLES_MAX) {
        return gpi_fail(check->gp, GP_ERROR_INVALID_ARGUMENT, "samples is %s, sample_count = %zu, at most %d",
                        desc->samples ? "given" : "NULL", desc->sample_count,
                        (int)GPI_MONOID_CHECK_SAMPLES_MAX);
    }
    result = gpi_check_text(check->gp, "equal", desc->equal);
    if (result != GP_OK) return result;
    if (!(desc->tolerance >= 0)) {
        return gpi_fail(check->gp, GP_ERROR_INVALID_ARGUMENT, "tolerance = %g, must not be negative",
                        (double)desc->tolerance);
    }
    result = gpi_element_make(check->gp, &operation, &check->element);
    if (result == GP_OK) result = gpi_monoid_check_args(check);
    if (result == GP_OK)
        result = gpi_plan_make(check->gp, GPI_REDUCE, &check->element, GP_STRATEGY_MULTI_PASS, &check->plan);
    return result == GP_OK ? gpi_program_get(check->gp, GPI_MONOID_CHECK, gpi_monoid_check_prelude, check,
                                             &check->plan, &check->program)
                           : result;
}

static gp_result gpi_monoid_check_run(gpi_monoid_check *check)
{
    gp_result result;
    check->size = check->element.base_size;
    check->random = check->desc->seed;
    check->count = check->desc->samples ? check->desc->sample_count : (size_t)GPI_MONOID_CHECK_MADE;
    check->triples = GPI_MONOID_CHECK_TRIPLES;
    check->elements = (unsigned char *)GP_MALLOC((check->count + GPI_MONOID_CHECK_MADE) * check->size);
    check->triple = (uint32_t *)GP_MALLOC(check->triples * 12);
    check->results = (unsigned char *)GP_MALLOC(check->triples * GPI_LAW_RESULTS * check->size);
    check->failed = (uint32_t *)GP_MALLOC(check->triples * 4);
    if (!check->elements || !check->triple || !check->results || !check->failed) {
        return gpi_fail(check->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory for elements");
    }
    gpi_monoid_check_fill(check);
    result = gpi_monoid_check_round(check);
    if (result == GP_OK) result = gpi_monoid_check_judge(check);
    if (result != GP_OK) return result;
    gpi_monoid_check_extend(check);
    result = gpi_monoid_check_round(check);
    return result == GP_OK ? gpi_monoid_check_judge(check) : result;
}

static gp_result gpi_monoid_check_call(gp_context *gp, const gp_check_monoid_desc *desc)
{
    gpi_monoid_check check;
    gp_result result;
    memset(&check, 0, sizeof check);
    check.gp = gp;
    check.desc = desc;
    result = gpi_monoid_check_begin(&check);
    if (result == GP_OK) result = gpi_monoid_check_run(&check);
    GP_FREE(check.elements);
    GP_FREE(check.triple);
    GP_FREE(check.results);
    GP_FREE(check.failed);
    return result;
}

/* Adds the arguments to *hash. Returns false if a buffer is missing, which is allowed in a call for the size of
   scratch. */
static bool gpi_monoid_check_hash(const gpi_args *args, uint64_t *hash)
{
    size_t k;
    for (k = 0; k < args->count; k++) {
        const gp_arg *arg = &args->list[k];
        if (arg->value) {
            *hash = gpi_fnv1a(*hash, arg->value, gpi_arg_size(arg));
            continue;
        }
        if (!arg->buffer) return false;
        *hash = gpi_fnv1a(*hash, &arg->buffer, sizeof arg->buffer);
        *hash = gpi_fnv1a(*hash, &arg->offset, sizeof arg->offset);
    }
    return true;
}

/* Checks a monoid unless the context has recorded it as checked. Records the monoid before the check, because the check
   calls this function again, and removes the record if the check fails. */
static gp_result gpi_monoid_check_new(gp_context *gp, const gpi_operation *operation)
{
    const gp_monoid *monoid = operation->monoid;
    gp_check_monoid_desc desc;
    uint64_t *grown, hash = gpi_fnv1a(GPI_FNV1A_SEED, monoid->source, strlen(monoid->source) + 1);
    const uint32_t flags = (uint32_t)monoid->commutative * 2 + monoid->exact;
    const uint64_t released = gp->released;
    gp_result result;
    size_t i;
    hash = gpi_fnv1a(hash, monoid->type, strlen(monoid->type) + 1);
    hash = gpi_fnv1a(hash, monoid->combine, strlen(monoid->combine) + 1);
    hash = gpi_fnv1a(hash, monoid->identity, monoid->size);
    hash = gpi_fnv1a(hash, &flags, sizeof flags);
    if (monoid->takes_args && !gpi_monoid_check_hash(&operation->args, &hash)) return GP_OK;
    for (i = 0; i < gp->law_count; i++) {
        if (gp->laws[i] == hash) return GP_OK;
    }
    if (gp->law_count == GPI_MONOID_CHECK_NOTED) gp->law_count = 0; /* all are checked again */
    grown = (uint64_t *)GP_REALLOC(gp->laws, (gp->law_count + 1) * sizeof *grown);
    if (!grown) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory");
    gp->laws = grown;
    gp->laws[gp->law_count++] = hash;
    memset(&desc, 0, sizeof desc);
    desc.monoid = monoid;
    if (monoid->takes_args) {
        desc.args = operation->args.list;
        desc.arg_count = operation->args.count;
    }
    result = gpi_monoid_check_call(gp, &desc);
    if (result != GP_OK) gp->law_count--;
    gp->released = released; /* this call runs within another one, which still needs its programs */
    return result;
}

/* Describes and checks an element. If the context checks monoids, also tests the laws of a monoid that it has not tested yet. */
static gp_result gpi_element_make(gp_context *gp, const gpi_operation *operation, gpi_element *element)
{
    const gp_result result = gpi_element_describe(gp, operation, element);
    if (result != GP_OK || !operation->monoid || !gp->desc.check_monoids) return result;
    return gpi_monoid_check_new(gp, operation);
}

GP_API gp_result gp_check_monoid(gp_context *gp, const gp_check_monoid_desc *desc)
{
    gpi_enter(gp, __func__);
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    return gpi_monoid_check_call(gp, desc);
}
