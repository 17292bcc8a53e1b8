/* select.h - types and functions that selection, unique, run-length encoding and reduction by key share. */
#pragma once
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "runtime/tuning.h"
#include "program/program.h"
#include "launch/launch.h"
#include "element/element.h"
#include "select/constants.cl"

/* The buffers of a call that compact.c runs: gp_select, gp_partition, gp_unique or gp_run_length_encode. */
enum {
    GPI_COMPACT_IN,      /* the elements that are moved */
    GPI_COMPACT_DECIDES, /* the flags or indices that select elements */
    GPI_COMPACT_VALUES,
    GPI_COMPACT_COUNTER,
    GPI_COMPACT_OUT, /* the call writes this array and all later ones */
    GPI_COMPACT_INDEX_OUT,
    GPI_COMPACT_VALUES_OUT,
    GPI_COMPACT_LENGTHS,
    GPI_COMPACT_SECOND,
    GPI_COMPACT_REST,
    GPI_COMPACT_COUNTS,
    GPI_COMPACT_ROLES
};

typedef struct gpi_compact_array {
    const char *name;
    cl_mem buffer;
    size_t offset, count, size; /* offset and count in elements; size: bytes of an element */
    bool used;                  /* the caller wants the array, or the call needs it */
} gpi_compact_array;

/* gp_reduce_by_key in a single pass (select/by_key.cl), ready to run. */
typedef struct gpi_by_key_pass {
    gpi_element element;
    gpi_plan plan;
    gpi_program *program; /* NULL: the call does not run in a single pass */
    cl_uint tiles;        /* number of tiles for the count's bound */
    gpi_count count;
    size_t key_size;
    bool ones; /* adds up ones, so that keys are the only input */
} gpi_by_key_pass;

/* A call of gp_select, gp_partition, gp_unique or gp_run_length_encode, ready to run. */
typedef struct gpi_compact {
    int select_by, parts, where;
    gp_type type, flags_type, index_type; /* type 0: elements are untyped, or of type `record` */
    const gp_record *record;
    size_t size, value_size; /* bytes of an element; bytes of a value */
    const char *predicate, *predicate2, *equal;
    gpi_args args; /* arguments that predicate, predicate2 and equal may name */
    bool repeated_only;
    bool closed; /* the number of elements is written after the last index */
    bool wide;   /* counts and positions have 64 bits */
    gpi_compact_array array[GPI_COMPACT_ROLES];
    gpi_count count;
    gp_strategy strategy;
    cl_mem scratch;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
    gpi_plan plan;
    gpi_program *program;
    cl_uint tiles;                /* number of tiles for the count's bound */
    gp_reduce_by_key_desc by_key; /* run-length encoding as a sum of ones, if pass.program is not NULL */
    gpi_by_key_pass pass;
} gpi_compact;

/* Initializes *c from the fields that all descs have. */
#define GPI_COMPACT_BEGIN(c, desc)                                      \
    do {                                                                \
        memset(c, 0, sizeof *(c));                                      \
        (c)->parts = 1;                                                 \
        (c)->args = gpi_args_make((desc)->args, (desc)->arg_count, ""); \
        (c)->count.bound = (desc)->count;                               \
        (c)->count.buffer = (desc)->count_buffer;                       \
        (c)->count.offset = (desc)->count_offset;                       \
        (c)->count.type = (desc)->count_type;                           \
        (c)->strategy = (desc)->strategy;                               \
        (c)->scratch = (desc)->scratch;                                 \
        (c)->wait = (desc)->wait;                                       \
        (c)->wait_count = (desc)->wait_count;                           \
        (c)->done = (desc)->done;                                       \
    } while (0)

/* Defines gp_NAME and gp_NAME_read, which take a gp_DESC_desc. */
#define GPI_COMPACT_DEFINE(name, DESC, describe, counts)                                              \
    static gp_result gpi_##name##_call(gp_context *gp, const gp_##DESC##_desc *desc, bool read,       \
                                       uint64_t *to)                                                  \
    {                                                                                                 \
        gpi_compact c;                                                                                \
        gp_result result;                                                                             \
        if (desc && desc->done) *desc->done = NULL;                                                   \
        if (!gp || !desc || (read && !to))                                                            \
            return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or " #counts " is NULL");        \
        result = describe(gp, desc, &c);                                                              \
        return result == GP_OK ? gpi_compact_run(gp, &c, to) : result;                                \
    }                                                                                                 \
    GP_API gp_result gp_##name(gp_context *gp, const gp_##DESC##_desc *desc)                          \
    {                                                                                                 \
        return gpi_##name##_call(gpi_enter(gp, __func__), desc, false, NULL);                         \
    }                                                                                                 \
    GP_API gp_result gp_##name##_read(gp_context *gp, const gp_##DESC##_desc *desc, uint64_t *counts) \
    {                                                                                                 \
        return gpi_##name##_call(gpi_enter(gp, __func__), desc, true, counts);                        \
    }

/* Defines gp_DESC_scratch_size and gpi_DESC_warm_up. */
#define GPI_COMPACT_DEFINE_SIZE(DESC, describe)                                                            \
    GP_API gp_result gp_##DESC##_scratch_size(gp_context *gp, const gp_##DESC##_desc *desc, size_t *bytes) \
    {                                                                                                      \
        gpi_compact c;                                                                                     \
        gp_result result;                                                                                  \
        gpi_enter(gp, __func__);                                                                           \
        if (!gp || !desc || !bytes) {                                                                      \
            return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");                   \
        }                                                                                                  \
        result = describe(gp, desc, &c);                                                                   \
        *bytes = result == GP_OK ? gpi_compact_scratch(&c) : 0;                                            \
        return result;                                                                                     \
    }                                                                                                      \
    static gp_result gpi_##DESC##_warm_up(gp_context *gp, const gp_##DESC##_desc *desc)                    \
    {                                                                                                      \
        gpi_compact c;                                                                                     \
        const gp_result result = describe(gp, desc, &c);                                                   \
        return result == GP_OK ? gpi_compact_warm_up(gp, &c) : result;                                     \
    }

/* condition.c */
static const char *gpi_compact_record(size_t size);
static bool gpi_compact_is_plain(size_t size);
static const char *gpi_compact_moved(size_t size);
static void gpi_compact_prelude_moved(size_t size, gpi_text *text);
static void gpi_compact_prelude_function(const gpi_compact *c, const char *name, const char *parameters,
                                         const char *field, const char *expression, gpi_text *text);

/* compact.c */
static gp_result gpi_compact_type(gp_context *gp, gpi_compact *c, const char *prefix, gp_type type,
                                  size_t size);
static gp_result gpi_compact_type_or_record(gp_context *gp, gpi_compact *c, const char *prefix, gp_type type,
                                            size_t size, const char *field, const gp_record *record);
static gp_result gpi_compact_number(gp_context *gp, const char *field, gp_type *type, size_t most);
static void gpi_compact_array_set(gpi_compact *c, int role, const char *name, cl_mem buffer, size_t offset,
                                  size_t count, size_t size, bool needed);
static gp_result gpi_compact_plan(gp_context *gp, gpi_compact *c);
static size_t gpi_compact_scratch(const gpi_compact *c);
static gp_result gpi_compact_launch(gpi_call *call, gpi_compact *c);
static gp_result gpi_compact_run(gp_context *gp, gpi_compact *c, uint64_t *to);
static gp_result gpi_compact_warm_up(gp_context *gp, gpi_compact *c);

/* unique.c */
static gp_result gpi_unique_equal(gp_context *gp, gpi_compact *c, const char *equal);

/* by_key_pass.c */
static gp_result gpi_by_key_pass_plan(gp_context *gp, const gp_reduce_by_key_desc *d, const gpi_compact *keys,
                                      bool ones, gpi_by_key_pass *p);
static size_t gpi_by_key_pass_scratch(const gpi_by_key_pass *p);
static gp_result gpi_by_key_pass_launch(gpi_call *call, const gp_reduce_by_key_desc *d,
                                        const gpi_by_key_pass *p, cl_mem state, cl_mem number,
                                        cl_ulong number_offset, cl_uint number_words);
static gp_result gpi_by_key_pass_warm_up(gp_context *gp, const gp_reduce_by_key_desc *desc,
                                         const gpi_by_key_pass *p);
