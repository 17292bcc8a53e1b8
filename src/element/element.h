/* element.h - describes elements, operations, monoids and keys. */
#pragma once
#include "base/context.h"
#include "base/text.h"
#include "runtime/tuning.h"
#include "program/program.h"
#include "launch/launch.h"

#define GPI_MONOID_MAX 64 /* bytes of a user's element */

/* A value of gp_segments for internal use: segments are runs of keys that are equal by the caller's expression, and
   runs are counted (GPI_HEADS of element/input.cl). The primitive describes the keys itself. */
#define GPI_SEGMENTS_RUNS ((int)GP_SEGMENTS_COUNT)

/* The fields of a desc that define the operands and the operation. Zero: not used. */
typedef struct gpi_operation {
    const char *type_field, *map_field; /* the desc's names for type and map; NULL: "type", "map" */
    gp_type type, type2, out_type;      /* out_type 0: there is a monoid, or there are several ops */
    gp_op op;
    const gp_op *ops; /* several operations at once, with out_types (or NULL) and map_type */
    const gp_type *out_types;
    size_t op_count;
    gp_type map_type;
    const gp_monoid *monoid;
    const char *map;
    const gp_record *record; /* the type of the input, instead of `type` */
    gpi_args args;           /* arguments of the map, and of the monoid's function if it takes them */
    bool own_map;            /* the map is the library's, and uses no arguments */
    bool indices;            /* there is no input; the map uses only the index */
    const void *initial;
    const gp_group_result *results; /* instead: result_count results of rows, whose numbers are the input */
    size_t result_count, result_first; /* how many of the desc's results precede these */
    bool compensated;
    bool reverse;
    int segments; /* value of gp_segments, or GPI_SEGMENTS_RUNS */
    gp_type heads_type;
} gpi_operation;

/* One built-in operation on values of one type: a field of the element (element/op.cl). */
typedef struct gpi_field {
    gp_op op;
    gp_type value, out; /* type in which values are combined; type in which results are stored */
    bool compensated;
    size_t offset; /* position in the element, in bytes */
} gpi_field;

/* A checked operation, and the sizes and values that the kernels need. */
typedef struct gpi_element {
    gpi_operation operation;
    gpi_field fields[GP_OPS_MAX];
    size_t field_count;                   /* number of fields; 0: the user's monoid */
    gp_type mapped;                       /* type of the map's value; 0: the monoid's type */
    size_t in_size, in2_size, heads_size; /* bytes of an element of each input; in2_size 0: no second input */
    size_t size, base_size, out_size;     /* bytes of a sum, a sum without its head, a result in memory */
    bool commutative, exact;
    unsigned char identity[GPI_ELEMENT_MAX]; /* the identity, of base_size bytes */
    unsigned char initial[GPI_ELEMENT_MAX];  /* the caller's initial value, as a sum */
} gpi_element;

/* element.c */
static gp_result gpi_plan_make(gp_context *gp, gpi_primitive primitive, const gpi_element *element,
                               gp_strategy strategy, gpi_plan *plan);
static gp_result gpi_alloc_neutral(gp_context *gp, const gpi_element *element, size_t count, cl_mem *out);
static void gpi_call_arg_initial(gpi_call *call, const gpi_element *element);
static void gpi_call_combine_args(gpi_call *call, const gpi_element *element);
static const char *gpi_map_field(const gpi_operation *o);
static bool gpi_combine_takes_args(const gpi_operation *o);
static gp_result gpi_fail_type(gp_context *gp, const char *field, gp_type type);
static gp_result gpi_check_type(gp_context *gp, const char *field, gp_type type);
static gp_result gpi_check_bounds(gp_context *gp, const char *low_name, uint64_t low, const char *high_name,
                                  uint64_t high, gp_type type);
static size_t gpi_head_size(const gpi_element *element);
static gp_result gpi_element_describe(gp_context *gp, const gpi_operation *operation, gpi_element *element);
static gp_result gpi_check_positions(gp_context *gp, const gpi_element *element, size_t count);

/* prelude.c */
static void gpi_identity_words(const gpi_element *element, gpi_text *text);
static void gpi_prelude_user_type(const gp_monoid *m, const char *user, gpi_text *text);
static void gpi_prelude_user_combine(const gp_monoid *m, const char *user, const gpi_args *args,
                                     gpi_text *text);
static void gpi_prelude_keyed(const gpi_element *element, const gpi_plan *plan, size_t key, gpi_text *text);
static void gpi_element_prelude(const gpi_element *element, gpi_primitive primitive, const gpi_plan *plan,
                                gpi_text *text);
static void gpi_prelude_field(const gpi_field *field, gp_type lane, unsigned k, gpi_text *text);
static gp_result gpi_element_program(gp_context *gp, gpi_primitive primitive, const gpi_element *element,
                                     gpi_plan *plan, gpi_program **out);

/* monoid_check.c */
static gp_result gpi_element_make(gp_context *gp, const gpi_operation *operation, gpi_element *element);

/* key.c */
static cl_ulong gpi_key_flip(gp_type type, bool descending);
static gp_result gpi_key_program(gp_context *gp, gpi_primitive primitive, gp_type type, size_t value_size,
                                 const char *more, gpi_plan *plan, gpi_program **out);
static gp_result gpi_check_key_type(gp_context *gp, gp_type type);
static gp_result gpi_check_value_size(gp_context *gp, size_t size);
