/* laws.c - gp_check_monoid: looks for elements for which a monoid is none. */
#include "base/error.h"
#include "base/math.h"
#include "program/user_text.h"
#include "element/element.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GPI_LAW_LEFT = 1, /* of scan/monoid_check.cl */
    GPI_LAW_RIGHT = 2,
    GPI_LAW_COMMUTES = 4,
    GPI_LAW_ASSOCIATES = 8,
    GPI_LAW_RESULTS = 6
};

enum {
    GPI_LAWS_TRIPLES = 4096, /* of a round */
    GPI_LAWS_MADE = 64,      /* elements made up; products added for the second round */
    GPI_LAWS_SMALL = 1000,   /* numbers made up are less: whatever they count should not overflow */
    GPI_LAWS_SAMPLES_MAX = 1 << 20,
    GPI_LAWS_TEXT = 24 * (GPI_MONOID_MAX / 4) /* characters of an element */
};

/* A checked call, and its second round's elements. */
typedef struct gpi_laws {
    gp_context *gp;
    const char *function;
    const gp_check_monoid_desc *desc;
    gpi_element element;
    gpi_plan plan;
    gpi_program *program;
    uint64_t random;
    size_t size, count, triples; /* bytes of an element; elements; triples of a round */
    unsigned char *elements;     /* room for `count` and GPI_LAWS_MADE */
    uint32_t *triple;            /* three each */
    unsigned char *results;      /* GPI_LAW_RESULTS elements a triple */
    uint32_t *failed;
} gpi_laws;

/* ------------------------------------------------------------------ elements */

/* splitmix64 */
static uint64_t gpi_laws_random(gpi_laws *laws)
{
    uint64_t z = (laws->random += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The caller's, or words that are small numbers: integers, or floats where the monoid is not exact. The
   identity is among them. */
static void gpi_laws_fill(gpi_laws *laws)
{
    const gp_check_monoid_desc *desc = laws->desc;
    size_t i;
    if (desc->samples) {
        memcpy(laws->elements, desc->samples, laws->count * laws->size);
        return;
    }
    for (i = 0; i < laws->count * laws->size / 4; i++) {
        uint32_t word = (uint32_t)(gpi_laws_random(laws) % GPI_LAWS_SMALL);
        const float value = ((float)word - 0.5f * (float)GPI_LAWS_SMALL) / 256.0f;
        if (!laws->element.exact) memcpy(&word, &value, sizeof word);
        memcpy(laws->elements + 4 * i, &word, sizeof word);
    }
    memcpy(laws->elements, laws->element.identity, laws->size);
}

static void gpi_laws_choose(gpi_laws *laws)
{
    size_t i;
    for (i = 0; i < 3 * laws->triples; i++) laws->triple[i] = (uint32_t)(gpi_laws_random(laws) % laws->count);
}

/* Products of three join the elements: what the operation makes must obey too. */
static void gpi_laws_extend(gpi_laws *laws)
{
    size_t i;
    for (i = 0; i < GPI_LAWS_MADE; i++) {
        const size_t t = (size_t)(gpi_laws_random(laws) % laws->triples);
        const unsigned char *product = laws->results + (t * GPI_LAW_RESULTS + 4) * laws->size;
        memcpy(laws->elements + (laws->count + i) * laws->size, product, laws->size);
    }
    laws->count += GPI_LAWS_MADE;
}

/* ------------------------------------------------------------------ device */

static gp_result gpi_laws_launch(gpi_laws *laws, const cl_mem *buffers)
{
    const cl_uint count = (cl_uint)laws->triples;
    const float tolerance = laws->desc->tolerance > 0 ? laws->desc->tolerance : 1e-4f;
    gpi_call call;
    gp_result result = gpi_call_begin(&call, laws->gp, laws->function, NULL, 0, NULL);
    if (result == GP_OK) {
        gpi_call_kernel(&call, laws->program, "gp_laws_try");
        GPI_CALL_ARG(&call, buffers[0]);
        GPI_CALL_ARG(&call, buffers[1]);
        GPI_CALL_ARG(&call, count);
        GPI_CALL_ARG(&call, tolerance);
        GPI_CALL_ARG(&call, buffers[2]);
        GPI_CALL_ARG(&call, buffers[3]);
        result = gpi_call_launch(&call, &laws->plan, gpi_ceil_div(count, laws->plan.group));
    }
    if (result == GP_OK)
        result =
            gpi_call_read(&call, buffers[2], 0, laws->triples * GPI_LAW_RESULTS * laws->size, laws->results);
    if (result == GP_OK) result = gpi_call_read(&call, buffers[3], 0, laws->triples * 4, laws->failed);
    return gpi_call_end_within(&call, result);
}

static gp_result gpi_laws_round(gpi_laws *laws)
{
    cl_mem buffers[4] = {NULL, NULL, NULL, NULL};
    size_t i;
    gp_result result;
    gpi_laws_choose(laws);
    result = gp_buffer_create(laws->gp, laws->count * laws->size, laws->elements, &buffers[0]);
    if (result == GP_OK) result = gp_buffer_create(laws->gp, laws->triples * 12, laws->triple, &buffers[1]);
    if (result == GP_OK)
        result =
            gpi_alloc(laws->gp, laws->function, laws->triples * GPI_LAW_RESULTS * laws->size, &buffers[2]);
    if (result == GP_OK) result = gpi_alloc(laws->gp, laws->function, laws->triples * 4, &buffers[3]);
    if (result == GP_OK) result = gpi_laws_launch(laws, buffers);
    for (i = 0; i < 4; i++) {
        if (buffers[i]) (void)clReleaseMemObject(buffers[i]);
    }
    return result;
}

/* ------------------------------------------------------------------ verdict */

/* An element as its words: numbers, or floats where the monoid is not exact. */
static const char *gpi_laws_text(const gpi_laws *laws, const unsigned char *element, char *text)
{
    size_t w, used = 0;
    for (w = 0; w < laws->size / 4; w++) {
        uint32_t word;
        float value;
        memcpy(&word, element + 4 * w, sizeof word);
        memcpy(&value, &word, sizeof value);
        used += (size_t)snprintf(text + used, GPI_LAWS_TEXT - used, "%s", w ? ", " : "{");
        used += laws->element.exact
                    ? (size_t)snprintf(text + used, GPI_LAWS_TEXT - used, word < 1u << 24 ? "%u" : "0x%x",
                                       (unsigned)word)
                    : (size_t)snprintf(text + used, GPI_LAWS_TEXT - used, "%.9g", (double)value);
    }
    (void)snprintf(text + used, GPI_LAWS_TEXT - used, "}");
    return text;
}

static gp_result gpi_laws_fail(const gpi_laws *laws, size_t t, uint32_t failed)
{
    const gp_monoid *m = laws->desc->monoid;
    const unsigned char *result = laws->results + t * GPI_LAW_RESULTS * laws->size;
    char text[5][GPI_LAWS_TEXT];
    const char *element[3], *x, *y;
    size_t k, first = failed & GPI_LAW_LEFT         ? 0
                      : failed & GPI_LAW_RIGHT      ? 1
                      : failed & GPI_LAW_ASSOCIATES ? 4
                                                    : 2;
    const char *const origin =
        laws->desc->samples ? "" : " (the library's own choice; give yours as gp_check_monoid_desc.samples)";
    for (k = 0; k < 3; k++)
        element[k] = gpi_laws_text(laws, laws->elements + laws->triple[3 * t + k] * laws->size, text[k]);
    x = gpi_laws_text(laws, result + first * laws->size, text[3]);
    if (first < 2) {
        return gpi_fail(laws->gp, GP_ERROR_LAW,
                        "%s: monoid %s: the identity is not neutral: %s = %s for a = %s%s", laws->function,
                        m->type, first == 0 ? "e a" : "a e", x, element[0], origin);
    }
    y = gpi_laws_text(laws, result + (first + 1) * laws->size, text[4]);
    if (first == 4) {
        return gpi_fail(
            laws->gp, GP_ERROR_LAW,
            "%s: monoid %s: %s is not associative: (a b) c = %s and a (b c) = %s for a = %s, b = %s, "
            "c = %s%s",
            laws->function, m->type, m->combine, x, y, element[0], element[1], element[2], origin);
    }
    return gpi_fail(laws->gp, GP_ERROR_LAW,
                    "%s: monoid %s: %s is not commutative: a b = %s and b a = %s for a = %s, b = %s%s",
                    laws->function, m->type, m->combine, x, y, element[0], element[1], origin);
}

static gp_result gpi_laws_judge(const gpi_laws *laws)
{
    uint32_t of_interest = GPI_LAW_LEFT | GPI_LAW_RIGHT | GPI_LAW_ASSOCIATES;
    size_t t;
    if (laws->desc->monoid->commutative) of_interest |= GPI_LAW_COMMUTES;
    for (t = 0; t < laws->triples; t++) {
        if (laws->failed[t] & of_interest) return gpi_laws_fail(laws, t, laws->failed[t] & of_interest);
    }
    return GP_OK;
}

/* ------------------------------------------------------------------ call */

/* The program of the monoid, with the caller's idea of equal. */
static gp_result gpi_laws_program(gpi_laws *laws)
{
    const char *equal = laws->desc->equal;
    for (;;) {
        gpi_text text;
        char *prelude = gpi_prelude_make(laws->gp, GPI_LAWS, &laws->element, &laws->plan);
        gp_result result;
        memset(&text, 0, sizeof text);
        if (prelude) gpi_text_add(&text, "%s#define GPI_EQUAL %d\n", prelude, equal != NULL);
        if (equal) {
            gpi_text_add(&text,
                         "static bool gpi_user_equal(const gpi_user x, const gpi_user y)\n{\n    return (\n"
                         "#line 1 \"equal\"\n%s\n    );\n}\n",
                         equal);
        }
        if (!prelude || text.failed) {
            free(text.data);
            text.data = NULL;
        }
        free(prelude);
        result = gpi_program_get_text(laws->gp, laws->function, GPI_LAWS, text.data, &laws->program);
        if (result != GP_OK || gpi_plan_fits(&laws->plan, laws->program)) return result;
    }
}

static gp_result gpi_laws_begin(gpi_laws *laws)
{
    const gp_check_monoid_desc *desc = laws->desc;
    gpi_operation operation;
    gp_result result;
    memset(&operation, 0, sizeof operation);
    operation.monoid = desc->monoid;
    if (!desc->monoid)
        return gpi_fail(laws->gp, GP_ERROR_INVALID_ARGUMENT, "%s: monoid is NULL", laws->function);
    if (!desc->samples != !desc->sample_count || desc->sample_count > GPI_LAWS_SAMPLES_MAX) {
        return gpi_fail(laws->gp, GP_ERROR_INVALID_ARGUMENT,
                        "%s: samples is %s, sample_count = %zu, at most %d", laws->function,
                        desc->samples ? "given" : "NULL", desc->sample_count, (int)GPI_LAWS_SAMPLES_MAX);
    }
    result = gpi_check_text(laws->gp, laws->function, "equal", desc->equal);
    if (result != GP_OK) return result;
    if (!(desc->tolerance >= 0)) {
        return gpi_fail(laws->gp, GP_ERROR_INVALID_ARGUMENT, "%s: tolerance = %g, must not be negative",
                        laws->function, (double)desc->tolerance);
    }
    result = gpi_element_make(laws->gp, laws->function, &operation, &laws->element);
    if (result == GP_OK)
        result = gpi_plan_make(laws->gp, laws->function, GPI_REDUCE, &laws->element, GP_STRATEGY_MULTI_PASS,
                               &laws->plan);
    return result == GP_OK ? gpi_laws_program(laws) : result;
}

static gp_result gpi_laws_run(gpi_laws *laws)
{
    gp_result result;
    laws->size = laws->element.base_size;
    laws->random = laws->desc->seed;
    laws->count = laws->desc->samples ? laws->desc->sample_count : (size_t)GPI_LAWS_MADE;
    laws->triples = GPI_LAWS_TRIPLES;
    laws->elements = (unsigned char *)malloc((laws->count + GPI_LAWS_MADE) * laws->size);
    laws->triple = (uint32_t *)malloc(laws->triples * 12);
    laws->results = (unsigned char *)malloc(laws->triples * GPI_LAW_RESULTS * laws->size);
    laws->failed = (uint32_t *)malloc(laws->triples * 4);
    if (!laws->elements || !laws->triple || !laws->results || !laws->failed) {
        return gpi_fail(laws->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for elements", laws->function);
    }
    gpi_laws_fill(laws);
    result = gpi_laws_round(laws);
    if (result == GP_OK) result = gpi_laws_judge(laws);
    if (result != GP_OK) return result;
    gpi_laws_extend(laws);
    result = gpi_laws_round(laws);
    return result == GP_OK ? gpi_laws_judge(laws) : result;
}

static gp_result gpi_laws_check(gp_context *gp, const char *function, const gp_check_monoid_desc *desc)
{
    gpi_laws laws;
    gp_result result;
    memset(&laws, 0, sizeof laws);
    laws.gp = gp;
    laws.function = function;
    laws.desc = desc;
    result = gpi_laws_begin(&laws);
    if (result == GP_OK) result = gpi_laws_run(&laws);
    free(laws.elements);
    free(laws.triple);
    free(laws.results);
    free(laws.failed);
    return result;
}

/* Noted before it is tried, which looks here too; no longer noted where it fails. */
static gp_result gpi_laws_check_new(gp_context *gp, const char *function, const gp_monoid *monoid)
{
    gp_check_monoid_desc desc;
    uint64_t *grown, hash = gpi_hash(GPI_HASH_SEED, monoid->source, strlen(monoid->source) + 1);
    const uint32_t flags = (uint32_t)monoid->commutative * 2 + monoid->exact;
    const uint64_t released = gp->released;
    gp_result result;
    size_t i;
    hash = gpi_hash(hash, monoid->type, strlen(monoid->type) + 1);
    hash = gpi_hash(hash, monoid->combine, strlen(monoid->combine) + 1);
    hash = gpi_hash(hash, monoid->identity, monoid->size);
    hash = gpi_hash(hash, &flags, sizeof flags);
    for (i = 0; i < gp->law_count; i++) {
        if (gp->laws[i] == hash) return GP_OK;
    }
    grown = (uint64_t *)realloc(gp->laws, (gp->law_count + 1) * sizeof *grown);
    if (!grown) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory", function);
    gp->laws = grown;
    gp->laws[gp->law_count++] = hash;
    memset(&desc, 0, sizeof desc);
    desc.monoid = monoid;
    result = gpi_laws_check(gp, function, &desc);
    if (result != GP_OK) gp->law_count--;
    gp->released = released; /* a call within another one, whose programs are still needed */
    return result;
}

/* An element described and checked, and its monoid tried, where the context tries monoids. */
static gp_result gpi_element_make(gp_context *gp, const char *function, const gpi_operation *operation,
                                  gpi_element *element)
{
    const gp_result result = gpi_element_describe(gp, function, operation, element);
    if (result != GP_OK || !operation->monoid || !gp->desc.check_monoids) return result;
    return gpi_laws_check_new(gp, function, operation->monoid);
}

GP_API gp_result gp_check_monoid(gp_context *gp, const gp_check_monoid_desc *desc)
{
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_check_monoid: gp or desc is NULL");
    return gpi_laws_check(gp, "gp_check_monoid", desc);
}
