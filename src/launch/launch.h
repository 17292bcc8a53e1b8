/* launch.h - checks buffers, and runs calls as chains of commands. */
#pragma once
#include "base/text.h"
#include "runtime/tuning.h"
#include "program/program.h"

/* A range of a buffer: bytes [begin, end) of the outermost buffer that contains it. */
typedef struct gpi_range {
    cl_mem root;
    void *host; /* the memory of a buffer with CL_MEM_USE_HOST_PTR; else NULL */
    size_t begin, end;
} gpi_range;

enum {
    GPI_READS,
    GPI_READS_OR_OUT, /* read; an output may be the same range */
    GPI_WRITES,
    GPI_BOTH,
    /* the buffers of gp_group_by: columns, the count, outputs; arguments, and scratch */
    GPI_USES_MAX = 2 * GP_KEY_COLUMNS_MAX + 6 + GP_GROUP_RESULTS_MAX + GP_ARGS_MAX + 1
};

/* A row in the table of a call's buffers. */
typedef struct gpi_use {
    const char *name; /* name of the field in the desc */
    int access;
    gpi_range range; /* root NULL: there is no buffer */
} gpi_use;

/* The table of a call's buffers, from which all checks and messages come. After a failure nothing more is checked. */
typedef struct gpi_uses {
    gp_context *gp;
    gp_result result;
    size_t count;
    gpi_use use[GPI_USES_MAX];
} gpi_uses;

/* One call of the API: a chain of commands, each of which waits for the previous one. */
typedef struct gpi_call {
    gp_context *gp;
    const cl_event *wait; /* events that the next command waits for */
    cl_uint wait_count;
    cl_event *done;
    cl_event *merged; /* list of the caller's events and scratch_busy, if the call must wait for both */
    cl_event last;    /* the event of the last enqueued command; NULL: none */
    bool uses_scratch;
    gpi_program *program; /* the program of the kernel being prepared */
    size_t kernel;
    cl_uint arg_count;
    cl_int arg_error; /* the first error in setting an argument */
} gpi_call;

/* The number of elements of a call. */
typedef struct gpi_count {
    size_t bound;
    cl_mem buffer; /* NULL: the number is `bound` */
    size_t offset;
    gp_type type;
} gpi_count;

/* The segments of an array: segments given by offsets, or rows of equal length. */
typedef struct gpi_offsets {
    cl_mem buffer; /* segments + 1 offsets */
    size_t offset;
    gp_type type;
    size_t row_length, row_stride; /* row_length 0: segments are given by offsets */
    size_t element_stride;         /* distance between a row's elements; 0 or 1: consecutive */
    size_t segments;               /* number of segments, or its bound */
    size_t count;                  /* elements of the array */
} gpi_offsets;

/* The list of large segments, and the scratch that holds it. */
typedef struct gpi_large_list {
    size_t large, parts; /* most large segments; most parts of all large segments */
    size_t partials_at;  /* where the parts' results begin, in bytes */
    size_t bytes;
} gpi_large_list;

enum { GPI_RECORDS_MAX = 4 }; /* most record types: those of three inputs and an output */

/* The arguments that a call's expressions may name, and the caller's types of its inputs and outputs. */
typedef struct gpi_args {
    const gp_arg *list;
    size_t count;
    const gp_record *record[GPI_RECORDS_MAX];
    const char *record_field[GPI_RECORDS_MAX];
    size_t record_count;
    const char *operands; /* names of the expressions' operands: "x i" */
    const char *pasted;   /* a monoid's source, which comes before the records' sources; NULL: none */
} gpi_args;

#define GPI_CALL_ARG(call, variable) gpi_call_arg(call, sizeof(variable), &(variable))

/* buffer.c */
static cl_int gpi_range_resolve(cl_mem buffer, gpi_range *range);
static gp_result gpi_check_buffer(gp_context *gp, const char *field, cl_mem buffer, size_t offset,
                                  size_t count, size_t size, int access, gpi_range *range);
static gpi_count gpi_count_make(size_t bound, cl_mem buffer, size_t offset, gp_type type);
static gp_result gpi_check_count(gp_context *gp, const char *name, const gpi_count *count, gpi_range *range);
static bool gpi_same(const gpi_range *a, const gpi_range *b);
static gp_result gpi_is_in_place(gp_context *gp, const char *field, cl_mem in, size_t in_offset, cl_mem out,
                                 size_t out_offset, size_t size, bool *in_place);
static bool gpi_overlap(const gpi_range *a, const gpi_range *b);
static gp_result gpi_alloc(gp_context *gp, size_t bytes, cl_mem *out);
static gp_result gpi_alloc_zeros(gp_context *gp, size_t bytes, cl_mem *out);

/* scratch.c */
static gp_result gpi_scratch_grow(gp_context *gp, size_t bytes);
static cl_int gpi_scratch_retire(gp_context *gp);
static void gpi_scratch_settle(gp_context *gp, bool all);
static void gpi_scratch_close(gp_context *gp);

/* call.c */
static gp_result gpi_call_begin(gpi_call *call, gp_context *gp, const cl_event *wait, cl_uint wait_count,
                                cl_event *done);
static gp_result gpi_call_scratch(gpi_call *call, cl_mem own, size_t bytes, cl_mem *out);
static gp_result gpi_call_fill(gpi_call *call, cl_mem buffer, size_t offset, size_t bytes);
static gp_result gpi_call_copy(gpi_call *call, cl_mem from, size_t from_offset, cl_mem to, size_t to_offset,
                               size_t bytes);
static void gpi_call_kernel(gpi_call *call, gpi_program *program, const char *name);
static void gpi_call_arg(gpi_call *call, size_t size, const void *value);
static void gpi_call_arg_ulong(gpi_call *call, size_t x);
static void gpi_call_arg_array(gpi_call *call, cl_mem buffer, size_t offset);
static void gpi_call_arg_uint(gpi_call *call, size_t x);
static void gpi_call_arg_count(gpi_call *call, const gpi_count *count);
static gp_result gpi_call_launch(gpi_call *call, const gpi_plan *plan, size_t groups);
static gp_result gpi_call_read(gpi_call *call, cl_mem buffer, size_t offset, size_t size, void *to);
static gp_result gpi_call_end_within(gpi_call *call, gp_result result);
static gp_result gpi_call_end(gpi_call *call, gp_result result);

/* args.c */
static gpi_args gpi_args_make(const gp_arg *list, size_t count, const char *operands);
static void gpi_args_add_record(gpi_args *args, const char *field, const gp_record *record);
static gp_result gpi_args_check(gp_context *gp, const gpi_args *args);
static size_t gpi_arg_size(const gp_arg *arg);
static void gpi_record_parts(const gp_record *record, const char *input, gpi_text *text);
static bool gpi_map_has_positions(const gp_context *gp, const char *map, const gpi_args *args);
static void gpi_args_define(const gpi_args *args, gpi_text *text);
static const char *gpi_args_parameter(const gpi_args *args);
static void gpi_args_name(const gpi_args *args, gpi_text *text);
static void gpi_call_args(gpi_call *call, const gpi_args *args);

/* uses.c */
static void gpi_uses_begin(gpi_uses *uses, gp_context *gp, gp_result result);
static gpi_use *gpi_uses_add(gpi_uses *uses, const char *name, int access);
static gpi_range *gpi_use_buffer(gpi_uses *uses, const char *name, cl_mem buffer, size_t offset, size_t count,
                                 size_t size, int access);
static gpi_range *gpi_use_count(gpi_uses *uses, const char *name, const gpi_count *count);
static void gpi_uses_apart(gpi_uses *uses);
static void gpi_uses_args(gpi_uses *uses, const gpi_args *args);
static gp_result gpi_uses_scratch(gpi_uses *uses, cl_mem scratch, size_t bytes);
static gp_result gpi_uses_end(gpi_uses *uses, const gpi_args *args, cl_mem scratch, size_t bytes);

/* segments.c */
static gp_result gpi_offsets_check(gp_context *gp, gpi_offsets *o);
static size_t gpi_offsets_average(const gpi_offsets *o);
static gp_result gpi_offsets_list(gp_context *gp, const gpi_offsets *o, size_t small_size, size_t span,
                                  size_t size, gpi_large_list *list);
static void gpi_use_offsets(gpi_uses *uses, const gpi_offsets *o);
static void gpi_call_arg_offsets(gpi_call *call, const gpi_offsets *o);
static void gpi_call_arg_list(gpi_call *call, const gpi_large_list *list, cl_mem scratch);

/* finish.c */
static gp_result gpi_finish(gp_context *gp);
