#pragma once
#include "api/base.h"

/* ------------------------------------------------------------------ element types, operations */

/* X(name, value, OpenCL C type, bytes) */
#define GP_TYPES(X)            \
    X(GP_I8, 1, "char", 1)     \
    X(GP_U8, 2, "uchar", 1)    \
    X(GP_I16, 3, "short", 2)   \
    X(GP_U16, 4, "ushort", 2)  \
    X(GP_I32, 5, "int", 4)     \
    X(GP_U32, 6, "uint", 4)    \
    X(GP_I64, 7, "long", 8)    \
    X(GP_U64, 8, "ulong", 8)   \
    X(GP_F32, 9, "float", 4)   \
    X(GP_F64, 10, "double", 8) \
    X(GP_F16, 11, "half", 2)

typedef enum gp_type {
    GP_TYPE_NONE = 0, /* no type named: an error, or a documented default */
#define GP_TYPE_ENUM(name, value, cl, bytes) name = value,
    GP_TYPES(GP_TYPE_ENUM)
#undef GP_TYPE_ENUM
        GP_TYPE_FORCE_INT = 0x7fffffff
} gp_type;

/* X(name, value, kernel macro)

   Halves exist in memory only, so that every device has them: values are combined, summed and mapped as
   floats, and results are rounded to nearest when stored. f64 needs cl_khr_fp64.

   Bitwise operations are for integer types only. For floats, min and max ignore NaN (fmin, fmax): NaN is
   never the result, the result of nothing but NaN is the identity, and which of -0 and +0 is returned is
   unspecified.

   Argmin and argmax return the index of the extreme element, and of equal ones the lowest index. Indices
   count from the call's first element, or from the first one of the segment or run that is reduced. Without
   elements, or with nothing but NaN, the index is all ones (-1). Their out_type is GP_U64 (the default) or
   GP_U32, and `initial` stays NULL.

   Count, mean, variance, first and last are operations of gp_group_by alone (gp_group_result). */
#define GP_OPS(X)                      \
    X(GP_SUM, 1, "GPI_SUM")            \
    X(GP_PROD, 2, "GPI_PROD")          \
    X(GP_MIN, 3, "GPI_MIN")            \
    X(GP_MAX, 4, "GPI_MAX")            \
    X(GP_AND, 5, "GPI_AND")            \
    X(GP_OR, 6, "GPI_OR")              \
    X(GP_XOR, 7, "GPI_XOR")            \
    X(GP_ARGMIN, 8, "GPI_ARGMIN")      \
    X(GP_ARGMAX, 9, "GPI_ARGMAX")      \
    X(GP_COUNT, 10, "GPI_SUM")         \
    X(GP_MEAN, 11, "GPI_MEAN")         \
    X(GP_VARIANCE, 12, "GPI_VARIANCE") \
    X(GP_FIRST, 13, "GPI_FIRST_VALUE") \
    X(GP_LAST, 14, "GPI_LAST_VALUE")

typedef enum gp_op {
    GP_OP_NONE = 0,
#define GP_OP_ENUM(name, value, cl) name = value,
    GP_OPS(GP_OP_ENUM)
#undef GP_OP_ENUM
        GP_OP_FORCE_INT = 0x7fffffff
} gp_op;

/* 8 bytes for a value of any type. gp_reduce with op_count writes one for each operation: the member of the
   operation's out_type holds the result, the other bytes are zero. */
typedef union gp_value {
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
} gp_value;

enum { GP_OPS_MAX = 8 };

/* An associative operation of your own, in OpenCL C 1.2.

   `source` defines the element type `type` and the function `type combine(type a, type b)`, in which a comes
   before b in input order. Both must be usable after `source` is pasted into a kernel. The combine function
   may be a built-in; the source must not redeclare another built-in.
   `size` is sizeof(type): 4, 8, 12, ... 64 bytes. The type has the same layout on host and device, and is
   legal as a kernel's argument (no bool, size_t or pointer in it).
   `identity` points to `size` bytes, and must be neutral on both sides.
   `commutative` allows the library to combine in any order; without it, input order is kept.
   `exact` promises that recombining the same elements in another grouping gives the same bits (integers, min
   and max; not float sums). If a group is late, another group may then compute its results again and publish
   them.
   `takes_args`: combine takes the desc's `args` after a and b, in their order: values by their types, buffers
   as pointers (__global const). Thus numbers in combine may change from call to call without a new program:

       float combine(float a, float b, float limit) { return min(a + b, limit); }

   The identity has to be neutral, and combine associative, for all args that are given. `source` defines the
   types of args that are not built in.
   The strings and the identity are read during the call only.

   Errors: GP_ERROR_INVALID_ARGUMENT for a source with names that begin with gp_, gpi_, GP_ or GPI_; brackets,
   comments and literals without an end; digraphs and trigraphs; #include (the cache would not see a change in
   the file); macros that have the name of a word in the library's own text.
   Example: examples/03_custom_monoid.c */
typedef struct gp_monoid {
    const char *type;     /* name of the element type, e.g. "affine" */
    const char *source;   /* OpenCL C that defines the type and the combine function */
    const char *combine;  /* name of the combine function */
    const void *identity; /* size bytes */
    size_t size;          /* bytes of one element */
    bool commutative;
    bool exact;
    bool takes_args; /* combine(a, b, ...) takes the args of the desc; not in a gp_group_op */
} gp_monoid;

/* Expressions. A map, in the `map` field of a desc, is an OpenCL C expression that turns an input element
   into an operand while it is loaded, at no cost in memory traffic: "x * x", "x > 0.5f", "x * y".

   In a map, x is the element, y the element of the second input, if there is one, and i (ulong) the index,
   counted from the call's first element. The map's value is converted to out_type; with several ops to
   map_type; with a monoid to the monoid's type, and `type` is then the input's. For argmin and argmax it is
   converted to the input's type, so fractions of integers require a float `type` or, with ops, a map_type.
   The text is read during the call only.

   Errors: every expression in a desc must be one expression. GP_ERROR_INVALID_ARGUMENT for brackets that do
   not close within it, an end after an operator ("x > "), comments and literals without an end, ';' outside
   of braces, '#', backslashes outside of literals, digraphs and trigraphs, and names that begin with gp_,
   gpi_, GP_ or GPI_. The compiler finds all other errors: GP_ERROR_BUILD, with its log. */

/* A type of OpenCL C that is no gp_type: a vector ("float4"), or a struct of yours, with the text that
   defines it:

       const gp_record particle = {.cl_type = "particle", .size = 32, .source =
           "typedef struct { float4 position; float mass; uint id; float2 unused; } particle;"};
       gp_reduce_desc heaviest = {.in = particles, .count = n, .record = &particle, .map = "x.mass",
                                  .out_type = GP_F32, .op = GP_MAX};

   If a desc has `record` in place of `type`, elements are such records, one after the other, and a map or a
   predicate sees whole records: x.position.z. The type has the same layout on host and device.

   The size of a record is its stride. Members that no expression reads can be padding in a packed struct.
   This describes vertices of 32 bytes with a position at byte 12:

       "typedef struct __attribute__((packed)) { uchar a[12]; float position[3]; uchar b[8]; } vertex;"

   `source` may also define functions that expressions call. A desc can have several sources: those of its
   records and of its monoid. Equal texts among them are pasted once; two different ones must not define the
   same name. (Structs of uchars meet a fault of Mesa: docs/drivers.md.)

   Errors: GP_ERROR_BUILD if `size` is not sizeof(cl_type) on the device; for `source`, those of a monoid's
   source. */
typedef struct gp_record {
    const char *cl_type; /* the name of the type, which may be "struct name" */
    size_t size;         /* sizeof(cl_type), at most GP_RECORD_BYTES */
    const char *source;  /* OpenCL C that defines the type; NULL: it is built in */
} gp_record;

/* Arguments of expressions: values and buffers that the expressions of a desc name. `args` of a desc points
   to arg_count of them:

       const float limit = 0.5f;
       const gp_arg args[] = {{.name = "limit", .type = GP_F32, .value = &limit},
                              {.name = "scale", .type = GP_F32, .buffer = scales}};
       gp_select_desc select = {..., .predicate = "x * scale[i % 8] > limit", .args = args, .arg_count = 2};

   Names, types and expressions select the program; values and buffers do not, so that a call with other
   values builds nothing.

   In expressions a value is a constant of its type, and a buffer is a pointer (__global const) to its element
   `offset`. Expressions must only read the `count` elements from there on; this is not checked. vload_half(n,
   scale) reads an element of GP_F16. Values are read during the call only. A desc without expressions may
   have args.

   An argument without a value is a buffer, which may be NULL in a ..._scratch_size. gp_warmup takes values
   and buffers as a call does.

   Aliasing: the elements of these buffers overlap no output and no scratch. They may be elements of an input
   or of another argument.
   Limits: at most GP_ARGS_MAX arguments, whose values together have at most GP_ARGS_BYTES.
   Errors: GP_ERROR_INVALID_ARGUMENT for a name that is no identifier, that is given twice, that begins with
   gp_, gpi_, GP_ or GPI_, or that is an operand of the call's expressions, such as x or i. GP_ERROR_BUILD for a
   keyword or macro of OpenCL C; names of its functions (min) are allowed.
   Example: examples/14_arguments.c */
typedef struct gp_arg {
    const char *name; /* the name in expressions */
    gp_type type;     /* type of the value or of the elements, or give record; a value cannot be GP_F16 */
    const gp_record *record;
    const void *value; /* on the host; or give buffer */
    cl_mem buffer;
    size_t offset, count; /* elements of the buffer, from `offset` on; count 0: all up to its end */
} gp_arg;

enum { GP_ARGS_MAX = 16, GP_ARGS_BYTES = 256, GP_RECORD_BYTES = 256 };
