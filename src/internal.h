/* internal.h - what the implementation files share. Everything here is private: gpi_, GPI_, static.

   The implementation is written in the common subset of C99 and C++11. */
#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpuprim_api.h"

#if defined(__GNUC__)
#define GPI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define GPI_PRINTF(text, first)
#endif

/* 2.x and 3.0 queries, by value: the headers in use may be older. */
#define GPI_CL_DEVICE_MAX_NUM_SUB_GROUPS 0x105C
#define GPI_CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES 0x1063
#define GPI_CL_DEVICE_ATOMIC_ORDER_ACQ_REL (1u << 1)
#define GPI_CL_DEVICE_ATOMIC_SCOPE_DEVICE (1u << 5)

#define GPI_MONOID_MAX 64         /* bytes of a user's element */
#define GPI_TEXT_MAX 16384        /* characters of an expression or of a monoid's source, */
#define GPI_NAME_MAX 256          /* of its names: clang takes time by the square of a name's length */
#define GPI_ELEMENT_MAX 128       /* bytes of an element, eight fields included */
#define GPI_TILES_MAX 0x7fffffffu /* tiles of one call */
#define GPI_KERNELS_MAX 9         /* kernels of one program */
#define GPI_DEVICES_MAX 64        /* of a platform, of a context */
#define GPI_ERROR_MAX 8192        /* characters of gp_last_error, build log included */
#define GPI_IN_FLIGHT_MAX 1024    /* commands, see events.c */
#define GPI_PROGRAM_LIMIT 128     /* programs of a context, where the desc names no bound */

/* ------------------------------------------------------------------ profile */

typedef enum gpi_primitive {
    GPI_REDUCE,
    GPI_SCAN,
    GPI_SELECT, /* also partition, unique, run-length encoding */
    GPI_SORT,
    GPI_BUCKETS,
    GPI_MERGE,
    GPI_SEARCH,
    GPI_TOPK,
    GPI_SEGMENTED_SORT,
    GPI_SORT_STRINGS,
    GPI_BRACKETS,
    GPI_BRACKETS_BACK,
    GPI_STACK_SCAN,
    GPI_TREE,
    GPI_HASH,
    GPI_HASH_EACH,
    GPI_HISTOGRAM,
    GPI_SEGMENTED_REDUCE,
    GPI_LAWS,
    GPI_MAP, /* transform, fill, iota, adjacent_difference */
    GPI_RANDOM,
    GPI_GATHER, /* scatter, unpack */
    GPI_STENCIL,
    GPI_PRIMITIVES
} gpi_primitive;

/* What kernels take, and the defaults of tuning (sort_plan.c, sort/lookback.cl). */
enum {
    GPI_TILE_SERIAL_MAX = 1 << 20, /* a bit an element in private memory (select/masks.cl) */
    GPI_TILE_ITEM_MAX = 128,       /* local: elements of an item, in registers */
    GPI_TILE_LOCAL_MAX = 32768,    /* local: positions in a tile have 16 bits (sort/rank.cl, sort/merge.cl) */
    GPI_RING_ROWS = 1024,
    GPI_RING_ROWS_MAX = 1 << 30,
    GPI_RING_REACH = 64,
    GPI_RING_BLOCK = 32
};

/* How a call is going to run: a row of the profile table, fitted to the element. */
typedef struct gpi_plan {
    gp_shape shape;
    gp_words words;
    gp_strategy strategy;
    uint32_t group; /* work-items of a group */
    uint32_t items; /* elements of an item */
    uint32_t polls; /* see scan/lookback.cl; never 0 here */
} gpi_plan;

/* ------------------------------------------------------------------ elements */

/* The fields of a desc that say what is combined. Zero: not used. */
typedef struct gpi_operation {
    const char *type_field, *map_field; /* what the call has type and map as; NULL: by these names */
    gp_type type, type2, out_type;      /* out_type 0: with a monoid or several ops only */
    gp_op op;
    const gp_op *ops; /* several at once, with out_types (or NULL) and map_type */
    const gp_type *out_types;
    size_t op_count;
    gp_type map_type;
    const gp_monoid *monoid;
    const char *map;
    bool indices; /* there is no input: the map takes the index alone */
    const void *initial;
    bool compensated;
    bool reverse;
    gp_segments segments;
    gp_type heads_type;
} gpi_operation;

/* One built-in operation on values of one type: a field of the element (element/op.cl). */
typedef struct gpi_field {
    gp_op op;
    gp_type value, out; /* what is combined; what is stored */
    bool compensated;
    size_t offset; /* in the element */
} gpi_field;

/* The same, checked, and what the kernels need to know of it. */
typedef struct gpi_element {
    gpi_operation operation;
    gpi_field fields[GP_OPS_MAX];
    size_t field_count;                   /* 0: the user's monoid */
    gp_type mapped;                       /* of an input element after the map; 0: the monoid's */
    size_t in_size, in2_size, heads_size; /* of one in memory; in2_size 0: one input */
    size_t size, base_size, out_size;     /* of sums, of sums without heads, of results in memory */
    bool commutative, exact;
    unsigned char identity[GPI_ELEMENT_MAX]; /* base_size bytes */
    unsigned char initial[GPI_ELEMENT_MAX];  /* the caller's, as a sum */
} gpi_element;

/* ------------------------------------------------------------------ programs */

typedef struct gpi_key {
    uint64_t word[2];
} gpi_key;

typedef struct gpi_program {
    struct gpi_program *next;
    gpi_primitive primitive;
    char *prelude; /* with the primitive: what tells one program from another in a context */
    uint64_t hash; /* of the prelude */
    gpi_key key;   /* of everything that the binary depends on */
    cl_program program;
    cl_kernel kernel[GPI_KERNELS_MAX];
    size_t fields;     /* of the element: with primitive and prelude, what the source is made from */
    size_t group_max;  /* the largest group that all kernels can be launched with */
    uint32_t launched; /* bit k: kernel k has been launched, so that its machine code exists */
    uint32_t saved;    /* bit k: ... and is in the file of the disk cache */
    cl_event fresh;    /* the last launch of a kernel that was new; NULL: none was */
    uint64_t fetched;  /* when it was last asked for: gp_context.fetches */
    int mark;          /* of its file, while the driver loads it: cache.c */
    bool frozen;       /* the driver has handed out a binary, or got it, and may not add to it */
} gpi_program;

/* Text that grows; `failed` sticks when memory runs out. */
typedef struct gpi_text {
    char *data;
    size_t length, capacity;
    bool failed;
} gpi_text;

/* ------------------------------------------------------------------ context */

/* A command that may not have ended yet. */
typedef struct gpi_pending {
    cl_event event;
    const char *function; /* of the API, static text */
    const char *kernel;   /* its name, static text; NULL: no kernel */
} gpi_pending;

/* A command that has failed after it was enqueued. */
typedef struct gpi_failure {
    const char *function, *kernel; /* as above */
    cl_int status;
} gpi_failure;

/* A piece of a buffer: bytes [begin, end) of the outermost buffer that holds it. */
typedef struct gpi_range {
    cl_mem root;
    void *host; /* the memory of a buffer with CL_MEM_USE_HOST_PTR; else NULL */
    size_t begin, end;
} gpi_range;

/* A hash table, as all contexts that share it see it. The buffer starts with the same facts (hash/table.cl).
 */
typedef struct gpi_table {
    uint32_t references; /* handles */
    size_t key_size, value_size;
    bool packed, wide; /* form: packed; split with words of 64 bits; else split with words of 32 */
    bool limited;      /* probes end early: the device's loops are limited */
    uint32_t mask;     /* capacity - 1 */
    uint64_t seed;
    uint64_t reserved; /* what the value of an absent key is; not in the packed form */
    bool loud;         /* it may be a value, and the caller has not named it */
    uint64_t absent;   /* what gp_hash_find gives, unless told otherwise */
    double max_load;
    bool grow;
    uint64_t taken;  /* slots, at most; kept where the table grows */
    gpi_range range; /* of the buffer */
    cl_mem buffer;
} gpi_table;

/* A table of symbols that a call of gp_brackets or gp_stack_scan has brought along, on the device (nest.c).
 */
typedef struct gpi_symbols {
    int8_t table[256];
    cl_mem classes; /* NULL: free */
} gpi_symbols;

/* What a gp_hash leads to. The generation tells it from handles that had the place before. */
typedef struct gpi_handle {
    gpi_table *table; /* NULL: free */
    uint32_t generation;
} gpi_handle;

enum {
    GPI_KERNEL_PROFILES = 64,
    GPI_COUNTERS = 10,
    GPI_HASH_TOLD = 5,
    GPI_ASYNC_TEXT_MAX = 256,
    GPI_SETTLED_AT_ONCE = 64
};
enum { GPI_SYMBOL_TABLES = 8 };

struct gp_context {
    gp_context_desc desc; /* its strings are copied or no longer looked at */
    gp_device_info info;
    cl_context context;
    cl_command_queue queue;
    bool out_of_order;

    char *cache_dir;   /* NULL: no disk cache */
    bool cache_closed; /* nothing more is saved there */
    char *dump_dir;    /* NULL: no dump */
    char *options;     /* of every build */
    gpi_program *programs;
    uint64_t fetches;  /* of programs, so far */
    uint64_t released; /* programs fetched by then are held by no call in progress */
    uint32_t save_in;  /* calls until programs are saved that have new machine code; 0: there is none */

    cl_mem scratch;
    size_t scratch_size;
    cl_event scratch_busy; /* out-of-order queues: the last command that uses the scratch */
    cl_mem counters;       /* GPI_COUNTERS uints, see scan/lookback.cl */
    cl_mem result;         /* one element, for gp_reduce_read without a buffer */

    uint64_t *laws; /* of monoids that have been tried: check_monoids */
    size_t law_count;

    gpi_handle *handles; /* of hash tables */
    uint32_t handle_count;
    uint32_t generation; /* of the next one */
    bool hash_unread;    /* hash kernels may have counted what has to be told (gpi_hash_result) */
    cl_uint hash_told[GPI_HASH_TOLD]; /* what they have counted, as last read */

    gpi_symbols symbols[GPI_SYMBOL_TABLES];
    uint32_t symbols_next; /* the place of the next one */

    gp_profile profile;
    gp_kernel_profile kernels[GPI_KERNEL_PROFILES];
    size_t kernel_count;
    gpi_pending *pending;
    size_t pending_count, pending_capacity;
    size_t pending_stalled;              /* the first ones, that a call has waited for in vain */
    char async_text[GPI_ASYNC_TEXT_MAX]; /* of the first failure after enqueuing; empty: none */
    gpi_failure *failures;               /* that on_async_error is still to be told */
    size_t failure_count, failure_capacity;
    bool telling; /* on_async_error is being called */

    char error[GPI_ERROR_MAX];
};

/* error.c */
enum { GPI_QUOTE_MAX = 96 }; /* characters of a quotation in a text */
static const char *gpi_quote(const char *text, size_t length, char out[GPI_QUOTE_MAX]);
static gp_result gpi_fail(gp_context *gp, gp_result result, const char *format, ...) GPI_PRINTF(3, 4);
static void gpi_fail_within(gp_context *gp, const char *function, const char *prefix);
static gp_result gpi_result_of(cl_int error);
static void gpi_error_leave(const gp_context *gp);
static gp_result gpi_fail_cl(gp_context *gp, cl_int error, const char *function, const char *call);
static void gpi_log(const gp_context *gp, gp_log_level level, const char *format, ...) GPI_PRINTF(3, 4);
static const char *gpi_cl_error_name(cl_int error);
static char *gpi_format(const char *format, ...) GPI_PRINTF(1, 2);

/* device.c */
#define GPI_PROBE_CALLS "clGetPlatformInfo or clGetDeviceInfo"
static gp_result gpi_device_choose(const gp_context_desc *desc, gp_device_info *info);
static cl_int gpi_device_probe(cl_platform_id platform, cl_device_id device, gp_device_info *info);
static bool gpi_has_extension(const char *extensions, const char *name);
static bool gpi_is_llvmpipe(const gp_device_info *info);
static const char *gpi_device_options(const gp_device_info *info);
static bool gpi_is_digit(char c);

/* profile.c */
static gp_result gpi_check_tuning(const gp_tuning *t, const gp_device_info *info);
static gp_result gpi_plan_make(gp_context *gp, const char *function, gpi_primitive primitive,
                               const gpi_element *element, gp_strategy strategy, gpi_plan *plan);
static gp_result gpi_plan_make_sort(gp_context *gp, const char *function, size_t key_size,
                                    gp_strategy strategy, gpi_plan *plan);
static gp_result gpi_plan_check_group(gp_context *gp, const char *function, gpi_primitive primitive,
                                      const gpi_plan *plan);
static bool gpi_plan_fits(gpi_plan *plan, const gpi_program *program);
static gp_result gpi_plan_make_keys(gp_context *gp, const char *function, gpi_primitive primitive,
                                    size_t key_size, gpi_plan *plan);
static gp_result gpi_plan_make_brackets(gp_context *gp, const char *function, gpi_primitive primitive,
                                        size_t size, gp_strategy strategy, gpi_plan *plan);
static gp_result gpi_plan_make_hash(gp_context *gp, const char *function, gp_strategy strategy,
                                    gpi_plan *plan);
static gp_result gpi_plan_make_select(gp_context *gp, const char *function, size_t size, gp_strategy strategy,
                                      gpi_plan *plan);
static gp_result gpi_plan_make_map(gp_context *gp, const char *function, size_t size, gpi_plan *plan);
static size_t gpi_plan_tile(const gpi_plan *plan);
static bool gpi_has_fences(const gp_device_info *info);
static gp_result gpi_plan_tiles(gp_context *gp, const char *function, const gpi_plan *plan, size_t count,
                                cl_uint *tiles);

/* cache.c */
#define GPI_HASH_SEED 0xcbf29ce484222325u
static uint64_t gpi_hash(uint64_t hash, const void *data, size_t size);
static char *gpi_cache_dir_default(const gp_context *gp);
static void gpi_cache_open(gp_context *gp, char *folder);
static bool gpi_make_dirs(const char *path);
static unsigned char *gpi_cache_load(gp_context *gp, gpi_program *program, size_t *size);
static void gpi_cache_unmark(const gp_context *gp, gpi_program *program);
static void gpi_cache_drop(gp_context *gp, const gpi_program *program);
static bool gpi_cache_save(gp_context *gp, gpi_program *program, const unsigned char *binary, size_t size);
static void gpi_dump(gp_context *gp, const gpi_program *program, const char *ending, const void *data,
                     size_t size);

/* build_log.c */
static char *gpi_log_arrange(const char *log);
static void gpi_log_explain(const char *log, char *out, size_t size);

/* program.c */
static void gpi_text_add(gpi_text *text, const char *format, ...) GPI_PRINTF(2, 3);
static void gpi_text_add_kernels(gpi_text *text, const char *path);
static void gpi_prelude_apart(const gp_context *gp, const gpi_plan *plan, gpi_text *text);
static void gpi_text_plan(const gp_context *gp, const gpi_plan *plan, gpi_text *text);
static char *gpi_prelude_make(const gp_context *gp, gpi_primitive primitive, const gpi_element *element,
                              const gpi_plan *plan);
static gp_result gpi_program_get(gp_context *gp, const char *function, gpi_primitive primitive,
                                 const gpi_element *element, gpi_plan *plan, gpi_program **out);
static gp_result gpi_program_get_text(gp_context *gp, const char *function, gpi_primitive primitive,
                                      char *prelude, size_t fields, gpi_program **out);
static char *gpi_prelude_make(const gp_context *gp, gpi_primitive primitive, const gpi_element *element,
                              const gpi_plan *plan);
/* Writes a plan's and a description's prelude; NULL: no memory. */
typedef char *gpi_prelude_function(const gp_context *gp, const gpi_plan *plan, const void *description);
static gp_result gpi_program_get_fit(gp_context *gp, const char *function, gpi_primitive primitive,
                                     gpi_prelude_function *prelude, const void *description, gpi_plan *plan,
                                     gpi_program **out);
static void gpi_prelude_plan(const gp_context *gp, const gpi_plan *plan, gpi_text *text);
static void gpi_programs_free(gp_context *gp);
static const char *gpi_kernel_name(gpi_primitive primitive, size_t k);
static char *gpi_source_compose(gpi_primitive primitive, const char *prelude, size_t fields);
static gp_result gpi_kernels_create(gp_context *gp, const char *function, gpi_program *program);

/* program_save.c */
static void gpi_program_launched(gp_context *gp, gpi_program *program, size_t kernel, cl_event event);
static bool gpi_program_has_run(const gp_context *gp, const gpi_program *program);
static void gpi_program_save(gp_context *gp, gpi_program *program);
static void gpi_programs_save(gp_context *gp);
static void gpi_programs_save_run(gp_context *gp);
static gp_result gpi_programs_share(gp_context *gp, const gp_context *from);

/* type.c */
static size_t gpi_type_size(gp_type type);
static const char *gpi_type_cl(gp_type type);
static gp_type gpi_operand(gp_type type);
static bool gpi_is_float(gp_type type);
static bool gpi_is_signed(gp_type type);
static bool gpi_is_arg(gp_op op);

/* monoid.c */
static gp_result gpi_element_make(gp_context *gp, const char *function, const gpi_operation *operation,
                                  gpi_element *element);
static size_t gpi_round_up(size_t x, size_t multiple);
static gp_result gpi_check_positions(gp_context *gp, const char *function, const gpi_element *element,
                                     size_t count);
static gp_result gpi_fail_type(gp_context *gp, const char *function, const char *field, gp_type type);
static gp_result gpi_check_fp64(gp_context *gp, const char *function, gp_type type);
static gp_result gpi_check_type(gp_context *gp, const char *function, const char *field, gp_type type);
static gp_result gpi_check_bounds(gp_context *gp, const char *function, const char *low_name, uint64_t low,
                                  const char *high_name, uint64_t high, gp_type type);
static void gpi_element_prelude(const gpi_element *element, gpi_primitive primitive, const gpi_plan *plan,
                                gpi_text *text);
static void gpi_prelude_user(const gp_monoid *m, const char *user, gpi_text *text);
static void gpi_prelude_field(const gpi_field *field, gp_type lane, unsigned k, gpi_text *text);
static void gpi_identity_words(const gpi_element *element, gpi_text *text);

/* user_text.c */
static bool gpi_is_blank(const char *text);
static gp_result gpi_check_text(gp_context *gp, const char *function, const char *field, const char *text);
static gp_result gpi_check_monoid_text(gp_context *gp, const char *function, const gp_monoid *m);
static gp_result gpi_check_macros(gp_context *gp, const char *function, const char *prelude,
                                  const char *library);

/* laws.c */
static gp_result gpi_laws_check_new(gp_context *gp, const char *function, const gp_monoid *monoid);

/* key.c */
static cl_ulong gpi_key_flip(gp_type type, bool descending);
static gp_result gpi_key_program(gp_context *gp, const char *function, gpi_primitive primitive, gp_type type,
                                 size_t value_size, const char *more, gpi_plan *plan, gpi_program **out);
static gp_result gpi_check_key_type(gp_context *gp, const char *function, gp_type type);
static gp_result gpi_check_value_size(gp_context *gp, const char *function, size_t size);
static size_t gpi_ceil_div(size_t a, size_t b);
static size_t gpi_serial_span(const gp_context *gp, const gpi_plan *plan, size_t n, size_t least);

/* launch.c */

/* One call of the API: a chain of commands, each after the one before. */
typedef struct gpi_call {
    gp_context *gp;
    const char *function;
    const cl_event *wait; /* of the next command */
    cl_uint wait_count;
    cl_event *done;
    cl_event *merged; /* the caller's events and scratch_busy, when both must be waited for */
    cl_event last;    /* of the command enqueued last, where anybody needs it */
    bool uses_scratch;
    gpi_program *program; /* of the kernel being prepared */
    size_t kernel;
    cl_uint arg_count;
    cl_int arg_error; /* of the first argument that could not be set */
} gpi_call;

/* How many elements a call is about. */
typedef struct gpi_count {
    size_t bound;
    cl_mem buffer; /* NULL: the bound is the number */
    size_t offset;
    gp_type type;
} gpi_count;

enum { GPI_READS = 0, GPI_WRITES = 1, GPI_BOTH = 2 };

static gp_result gpi_check_buffer(gp_context *gp, const char *function, const char *field, cl_mem buffer,
                                  size_t offset, size_t count, size_t size, int access, gpi_range *range);
static gpi_count gpi_count_make(size_t bound, cl_mem buffer, size_t offset, gp_type type);
static gp_result gpi_check_count(gp_context *gp, const char *function, const gpi_count *count,
                                 gpi_range *range);
static gp_result gpi_check_count_named(gp_context *gp, const char *function, const char *prefix,
                                       const gpi_count *count, gpi_range *range);
static gp_result gpi_check_apart(gp_context *gp, const char *function, const char *const *names,
                                 const gpi_range *used, size_t read, size_t count);
static cl_int gpi_range_resolve(cl_mem buffer, gpi_range *range);
static bool gpi_same(const gpi_range *a, const gpi_range *b);
static bool gpi_overlap(const gpi_range *a, const gpi_range *b);
static gp_result gpi_fail_overlap(gp_context *gp, const char *function, const char *a_name,
                                  const gpi_range *a, const char *b_name, const gpi_range *b);
static gp_result gpi_check_events(gp_context *gp, const char *function, const cl_event *wait, cl_uint count);
static gp_result gpi_check_scratch(gp_context *gp, const char *function, cl_mem scratch, size_t bytes,
                                   const gpi_range *used, size_t used_count);
static gp_result gpi_alloc(gp_context *gp, const char *function, size_t bytes, cl_mem *out);
static gp_result gpi_alloc_zeros(gp_context *gp, size_t bytes, cl_mem *out);
static gp_result gpi_alloc_neutral(gp_context *gp, const gpi_element *element, size_t count, cl_mem *out);

static gp_result gpi_call_begin(gpi_call *call, gp_context *gp, const char *function, const cl_event *wait,
                                cl_uint wait_count, cl_event *done);
static gp_result gpi_call_scratch(gpi_call *call, cl_mem own, size_t bytes, cl_mem *out);
static gp_result gpi_call_fill(gpi_call *call, cl_mem buffer, size_t offset, size_t bytes);
static gp_result gpi_call_copy(gpi_call *call, cl_mem from, size_t from_offset, cl_mem to, size_t to_offset,
                               size_t bytes);
static void gpi_call_kernel(gpi_call *call, gpi_program *program, size_t kernel);
static void gpi_call_arg(gpi_call *call, size_t size, const void *value);
static void gpi_call_arg_initial(gpi_call *call, const gpi_element *element);
static void gpi_call_arg_count(gpi_call *call, const gpi_count *count);
static gp_result gpi_call_launch(gpi_call *call, const gpi_plan *plan, size_t groups);
static gp_result gpi_call_read(gpi_call *call, cl_mem buffer, size_t offset, size_t size, void *to);
static gp_result gpi_call_end(gpi_call *call, gp_result result);
static gp_result gpi_call_end_within(gpi_call *call, gp_result result);

/* scan.c: what look-backs over tiles take */
enum { GPI_LOOK_BACK_FEW = 1024 }; /* tiles on a device that drops out of long loops */
static size_t gpi_look_back_bytes(size_t tiles, size_t size);

/* compact.c: what gp_select, gp_partition, gp_unique and gp_run_length_encode share */
enum { /* GPI_PICK of select/input.cl */
       GPI_PICK_PREDICATE = 1,
       GPI_PICK_FLAGS,
       GPI_PICK_INDICES,
       GPI_PICK_UNIQUE,
       GPI_PICK_RUNS
};
enum { GPI_WHERE_APART, GPI_WHERE_BEHIND, GPI_WHERE_REVERSED }; /* select/compact.cl */

/* The buffers of a call. */
enum {
    GPI_COMPACT_IN,      /* what is moved */
    GPI_COMPACT_DECIDES, /* flags or indices */
    GPI_COMPACT_VALUES,
    GPI_COMPACT_COUNTER,
    GPI_COMPACT_OUT, /* from here on: written */
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
    size_t offset, count, size; /* elements; bytes of one */
    bool used;                  /* wanted, or needed */
} gpi_compact_array;

/* A call, ready to run. */
typedef struct gpi_compact {
    const char *function;
    int pick, parts, where;
    gp_type type, flags_type, index_type; /* type 0: records */
    size_t size, value_size;              /* of an element, of a value */
    const char *predicate, *predicate2, *equal;
    bool repeated_only;
    bool closed; /* behind the last index stands the count */
    bool wide;   /* counts and positions take 64 bits */
    gpi_compact_array array[GPI_COMPACT_ROLES];
    gpi_count count;
    gp_strategy strategy;
    cl_mem scratch;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
    gpi_plan plan;
    gpi_program *program;
    cl_uint tiles; /* for the bound */
} gpi_compact;

/* What all descs have. */
#define GPI_COMPACT_BEGIN(c, name, desc)          \
    do {                                          \
        memset(c, 0, sizeof *(c));                \
        (c)->function = name;                     \
        (c)->parts = 1;                           \
        (c)->count.bound = (desc)->count;         \
        (c)->count.buffer = (desc)->count_buffer; \
        (c)->count.offset = (desc)->count_offset; \
        (c)->count.type = (desc)->count_type;     \
        (c)->strategy = (desc)->strategy;         \
        (c)->scratch = (desc)->scratch;           \
        (c)->wait = (desc)->wait;                 \
        (c)->wait_count = (desc)->wait_count;     \
        (c)->done = (desc)->done;                 \
    } while (0)

static gp_result gpi_compact_type(gp_context *gp, gpi_compact *c, const char *prefix, gp_type type,
                                  size_t size);
static gp_result gpi_compact_number(gp_context *gp, const gpi_compact *c, const char *field, gp_type *type,
                                    size_t most);
static void gpi_compact_array_set(gpi_compact *c, int role, const char *name, cl_mem buffer, size_t offset,
                                  size_t count, size_t size, bool needed);
static gp_result gpi_compact_plan(gp_context *gp, gpi_compact *c);
static size_t gpi_compact_scratch(const gpi_compact *c);
static gp_result gpi_compact_run(gp_context *gp, gpi_compact *c, uint64_t *to);
static gp_result gpi_compact_warm_up(gp_context *gp, gpi_compact *c);

/* gp_NAME and gp_NAME_read, of gp_DESC_desc */
#define GPI_COMPACT_DEFINE(name, DESC, describe, counts)                                                     \
    static gp_result gpi_##name##_call(gp_context *gp, const char *function, const gp_##DESC##_desc *desc,   \
                                       bool read, uint64_t *to)                                              \
    {                                                                                                        \
        gpi_compact c;                                                                                       \
        gp_result result;                                                                                    \
        if (desc && desc->done) *desc->done = NULL;                                                          \
        if (!gp || !desc || (read && !to))                                                                   \
            return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp, desc or " #counts " is NULL", function); \
        result = describe(gp, function, desc, &c);                                                           \
        return result == GP_OK ? gpi_compact_run(gp, &c, to) : result;                                       \
    }                                                                                                        \
    GP_API gp_result gp_##name(gp_context *gp, const gp_##DESC##_desc *desc)                                 \
    {                                                                                                        \
        return gpi_##name##_call(gp, "gp_" #name, desc, false, NULL);                                        \
    }                                                                                                        \
    GP_API gp_result gp_##name##_read(gp_context *gp, const gp_##DESC##_desc *desc, uint64_t *counts)        \
    {                                                                                                        \
        return gpi_##name##_call(gp, "gp_" #name "_read", desc, true, counts);                               \
    }

/* gp_DESC_scratch_size, gpi_DESC_warm_up */
#define GPI_COMPACT_DEFINE_SIZE(DESC, describe)                                                            \
    GP_API gp_result gp_##DESC##_scratch_size(gp_context *gp, const gp_##DESC##_desc *desc, size_t *bytes) \
    {                                                                                                      \
        gpi_compact c;                                                                                     \
        gp_result result;                                                                                  \
        if (!gp || !desc || !bytes) {                                                                      \
            return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,                                                 \
                            "gp_" #DESC "_scratch_size: gp, desc or bytes is NULL");                       \
        }                                                                                                  \
        result = describe(gp, "gp_" #DESC "_scratch_size", desc, &c);                                      \
        *bytes = result == GP_OK ? gpi_compact_scratch(&c) : 0;                                            \
        return result;                                                                                     \
    }                                                                                                      \
    static gp_result gpi_##DESC##_warm_up(gp_context *gp, const gp_##DESC##_desc *desc)                    \
    {                                                                                                      \
        gpi_compact c;                                                                                     \
        const gp_result result = describe(gp, "gp_warmup", desc, &c);                                      \
        return result == GP_OK ? gpi_compact_warm_up(gp, &c) : result;                                     \
    }

/* context.c */
static gp_result gpi_finish(gp_context *gp);

/* events.c */
static void gpi_watch(gp_context *gp, const char *function, const char *kernel, cl_event event);
static void gpi_settle(gp_context *gp);
static void gpi_settle_all(gp_context *gp);
static void gpi_tell_failures(gp_context *gp);
static void gpi_pending_free(gp_context *gp);
static void gpi_throttle(gp_context *gp);
static gp_result gpi_async_result(gp_context *gp);
static cl_int gpi_event_status(cl_event event);

/* sort_plan.c, sort.c: also what the sorts of segments and of strings share */
enum { GPI_SORT_DIGIT_BITS = 8, GPI_SORT_BINS = 256 };
enum { GPI_PLACE_IN = 0, GPI_PLACE_OUT = 1, GPI_PLACE_TMP = 2 }; /* sort/digit.cl */

/* When a classic pass has something to do: sort/digit.cl. */
typedef enum gpi_sort_when {
    GPI_ALWAYS,
    GPI_WHEN_ABANDONED,
    GPI_UNLESS_BUCKETS,
    GPI_WHEN_BUCKETS
} gpi_sort_when;

/* Where the parts of the scratch begin, in bytes (sort/digit.cl). */
typedef struct gpi_sort_layout {
    size_t histogram, bases, table, rows;
    size_t key_out, key_tmp, value_tmp;
    size_t end;
} gpi_sort_layout;

/* Elements in a buffer. */
typedef struct gpi_sort_array {
    cl_mem buffer;
    cl_ulong offset;
} gpi_sort_array;

/* A checked call, ready to run. */
typedef struct gpi_sort {
    const gp_sort_desc *desc;
    const char *function;
    bool indices;       /* gp_argsort */
    bool keys_in_place; /* and the same for values: these say what may be written when */
    bool values_in_place;
    bool keys_unwanted; /* gp_argsort without keys_out: sorted keys go to the scratch */
    size_t key_size, value_size;
    cl_uint begin_bit, end_bit, passes;
    cl_ulong flip;
    gpi_program *buckets; /* NULL: not tried (buckets.c) */
    cl_uint hash;         /* 32, 64: keys go by that hash of (key ^ seed): a hash table's batch (hash.c) */
    cl_ulong seed;
    gpi_plan plan;
    gpi_program *program;
    gpi_count count;
    bool small, onesweep;
    size_t block_span; /* keys of a group of the classic kernels */
    cl_uint blocks;
    size_t tile_span; /* of a group of the onesweep kernel */
    size_t portion;   /* most keys of one launch of it */
    cl_uint portions;
    cl_uint ring_rows;
    gpi_sort_layout at;
    gpi_sort_array key[3], value[3]; /* by GPI_PLACE_... of sort/digit.cl */
    gpi_sort_array offsets;          /* of segments */
    size_t offset_count;             /* 0: there are no segments */
    size_t offset_size;              /* bytes of one */
} gpi_sort;

static void gpi_sort_init(gpi_sort *sort, const char *function, const gp_sort_desc *desc, bool indices);
static gp_result gpi_sort_describe(gp_context *gp, gpi_sort *sort);
static void gpi_sort_spans_serial(const gp_context *gp, gpi_sort *sort);
static gp_result gpi_sort_spans_local(gp_context *gp, gpi_sort *sort);
static size_t gpi_sort_part(gpi_sort *sort, size_t bytes);
static bool gpi_sort_in_place(const gpi_sort *sort);
static bool gpi_sort_needs_tmp(const gpi_sort *sort);
static gp_result gpi_sort_check(gp_context *gp, gpi_sort *sort);
static void gpi_sort_place(gpi_sort *sort, cl_mem scratch);
static void gpi_sort_arg_places(gpi_call *call, const gpi_sort *sort);
static cl_uint gpi_sort_shift(const gpi_sort *sort, cl_uint pass);
static void gpi_sort_arg_digit(gpi_call *call, const gpi_sort *sort, cl_uint shift);
static void gpi_sort_arg_bits(gpi_call *call, const gpi_sort *sort);
static void gpi_sort_arg_at(gpi_call *call, size_t bytes);
static void gpi_sort_arg_long(gpi_call *call, size_t x);
static void gpi_sort_arg_uint(gpi_call *call, size_t x);
static cl_uint gpi_sort_from(const gpi_sort *sort);
static gp_result gpi_sort_count(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass, cl_uint shift,
                                cl_uint when);
static gp_result gpi_sort_scatter(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass, cl_uint shift,
                                  cl_uint when);

/* buckets.c */
static size_t gpi_buckets_count_min(const gpi_sort *sort);
static gp_result gpi_buckets_plan(gp_context *gp, gpi_sort *sort);
static gp_result gpi_buckets_launch(gpi_call *call, gpi_sort *sort, cl_mem state);

/* reduce.c, scan.c, sort.c, segmented_sort.c, sort_strings.c, merge.c, search.c, topk.c */
static gp_result gpi_reduce_warm_up(gp_context *gp, const gp_reduce_desc *desc);
static gp_result gpi_scan_warm_up(gp_context *gp, const gp_scan_desc *desc);
static gp_result gpi_sort_warm_up(gp_context *gp, const gp_sort_desc *desc);
static gp_result gpi_merge_warm_up(gp_context *gp, const gp_merge_desc *desc);
static gp_result gpi_search_warm_up(gp_context *gp, const gp_search_desc *desc);
static gp_result gpi_topk_warm_up(gp_context *gp, const gp_topk_desc *desc);
static gp_result gpi_segmented_sort_warm_up(gp_context *gp, const gp_segmented_sort_desc *desc);
static gp_result gpi_sort_strings_warm_up(gp_context *gp, const gp_sort_strings_desc *desc);

/* reduce_by_key.c */
static gp_result gpi_reduce_by_key_warm_up(gp_context *gp, const gp_reduce_by_key_desc *desc);
/* segmented_reduce.c */
static gp_result gpi_segmented_reduce_warm_up(gp_context *gp, const gp_segmented_reduce_desc *desc);
/* histogram.c */
static gp_result gpi_histogram_warm_up(gp_context *gp, const gp_histogram_desc *desc);
/* select.c, unique.c */
static gp_result gpi_select_warm_up(gp_context *gp, const gp_select_desc *desc);
static gp_result gpi_partition_warm_up(gp_context *gp, const gp_partition_desc *desc);
static gp_result gpi_unique_warm_up(gp_context *gp, const gp_unique_desc *desc);
static gp_result gpi_run_length_encode_warm_up(gp_context *gp, const gp_run_length_encode_desc *desc);
/* brackets.c, stack_scan.c, tree.c */
static gp_result gpi_brackets_warm_up(gp_context *gp, const gp_brackets_desc *desc);
static gp_result gpi_stack_scan_warm_up(gp_context *gp, const gp_stack_scan_desc *desc);
static gp_result gpi_tree_warm_up(gp_context *gp, const gp_tree_desc *desc);
/* nest.c */
static void gpi_symbols_free(gp_context *gp);
/* hash_table.c, hash.c, hash_slots.c */
static gp_result gpi_hash_warm_up(gp_context *gp, const gp_hash_desc *desc);
static void gpi_hash_free_all(gp_context *gp);
static cl_int gpi_hash_read_told(gp_context *gp, cl_bool blocking);
static gp_result gpi_hash_tell(gp_context *gp);
static gp_result gpi_hash_result(gp_context *gp);
static gp_result gpi_hash_check_apart_from_tables(gp_context *gp, const char *function, const char *field,
                                                  const gpi_range *range);
static gp_result gpi_hash_device_text(gp_context *gp, const char *function, gp_hash handle, gpi_text *text);
static gp_result gpi_hash_make_room(gp_context *gp, const char *function, gpi_table *table, size_t count);

/* map.c, random.c, gather.c, stencil.c */
static gp_result gpi_stencil_warm_up(gp_context *gp, const gp_stencil_desc *desc);
static gp_result gpi_gather_warm_up(gp_context *gp, const gp_warmup_desc *desc);
static gp_result gpi_map_warm_up(gp_context *gp, const gp_warmup_desc *desc);
static gp_result gpi_random_warm_up(gp_context *gp, const gp_random_desc *desc);

#define GPI_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define GPI_CALL_ARG(call, variable) gpi_call_arg(call, sizeof(variable), &(variable))
