/* gpuprim.h - GPU parallel primitives for any OpenCL device, in one C99 header.

   Put this in exactly one C or C++ file, and include the header plainly everywhere else:

       #define GP_IMPLEMENTATION
       #include "gpuprim.h"

   Link with the OpenCL ICD loader (-lOpenCL). A call looks like this:

       gp_context *gp;
       gp_context_desc device = {0};
       if (gp_context_create(&device, &gp) != GP_OK) puts(gp_last_error(NULL));
       gp_scan_desc scan = { .in = a, .out = b, .count = n, .type = GP_U32, .op = GP_SUM };
       if (gp_scan(gp, &scan) != GP_OK) puts(gp_last_error(gp));

   RULES THAT HOLD FOR EVERY CALL
     - Every descriptor starts as all zeros. Zero is each field's documented default; a field that has
       no sensible default (a buffer, an element type) is an error when it is zero.
     - Buffers are cl_mem plus an offset in elements, of any alignment that the element type has. In place
       means the same elements of one buffer, or of its sub-buffers: two buffers on the same host memory
       (CL_MEM_USE_HOST_PTR) overlap, and are refused.
     - Calls are asynchronous: they check, enqueue on the context's queue and return. Only a call that
       is named ..._read, or is documented to block, blocks.
     - `wait`/`wait_count` are events that the call's first command waits for; one that is NULL or has
       failed already is refused. `done`, when not NULL, receives an event that the caller releases; it
       completes when the call's results are ready. It is set to NULL when the call fails.
     - Calls do not flush: clFlush or gp_finish before polling `done` or waiting for it on another queue.
     - Calls that come faster than the device runs them are held back: with 1024 commands of a context in
       flight, a call flushes and waits until half of them have ended. It does not wait for commands that
       do not begin to run, because a user event of yours, say, holds them up.
     - On an out-of-order queue a call orders its own commands, and the context's scratch; use `wait` and
       `done` to order calls.
     - `count` may live on the device: with `count_buffer`, the number of elements is read from there when
       the call runs (count_type: GP_U32, also 0, or GP_U64; at element count_offset), and `count` is its
       upper bound, for which buffers are checked and work is launched. A larger number is clamped to the
       bound and counted in gp_profile.clamped. Without count_buffer, count_type stays 0.
     - A field that means nothing beside the others is an error, rather than ignored in silence; but offsets
       into buffers that are not there are not looked at, nor is a scratch buffer where 0 bytes are needed.
     - Expressions, and a monoid's source, are code that runs in your process: never take one from an
       untrusted source. They have up to 16384 characters. A name in one that stands for nothing there (y
       without a second input), or an assignment to x and the like, does not compile: GP_ERROR_BUILD, and
       gp_last_error has what the compiler says, your own lines first, by field and line: "map:1:5".
     - The first use of a primitive with new types builds a program, also for a count of 0 and for a
       ..._scratch_size. gp_warmup moves that cost, and tells which fields make a new program.
     - A context belongs to one host thread at a time. Different contexts run freely in parallel, and may
       be created in parallel: this library looks for devices in one thread of a process at a time, because
       PoCL fails otherwise. A program whose threads also call OpenCL themselves calls gp_devices once
       before them.
     - A forked child uses none of its parent's contexts, nor destroys them (docs/RELIABILITY.md).
     - Nothing prints (an OpenCL implementation may, when a text of yours does not compile), aborts or leaves
       a half-made object. Failures return a negative gp_result, and
       gp_last_error tells the function, the condition with its values, and the OpenCL error by name.
     - A call that fails after it has begun to enqueue leaves undefined what it would have written, arrays
       worked on in place among it; a hash table's batch may have been done in part. Inputs are left as they
       are, and the context can be used on.

   OPTIONS (define before including)
     GP_IMPLEMENTATION   emit the implementation here
     GP_STATIC           make every function static to this file; goes with GP_IMPLEMENTATION

   Licence: MIT, see the end of this file's implementation part or LICENSE.                           */
#ifndef GPUPRIM_H
#define GPUPRIM_H

#define GP_VERSION_MAJOR 0
#define GP_VERSION_MINOR 1
#define GP_VERSION_PATCH 0

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The library needs 1.2 only. What is included later, <CL/opencl.hpp> say, may need all that the headers
   have; older ones take their own highest version for this one. */
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#ifndef CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif
#if CL_TARGET_OPENCL_VERSION < 120
#error "gpuprim needs CL_TARGET_OPENCL_VERSION 120 or higher"
#endif
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif

#ifdef GP_STATIC
#if defined(__GNUC__)
#define GP_API static __attribute__((unused))
#else
#define GP_API static
#endif
#else
#define GP_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ results */

/* Values are pinned: they never change between versions. X(name, value, text) */
#define GP_RESULTS(X)                                                             \
    X(GP_OK, 0, "success")                                                        \
    X(GP_ERROR_INVALID_ARGUMENT, -1, "an argument is missing or out of range")    \
    X(GP_ERROR_INVALID_BUFFER, -2, "a buffer is missing or too small")            \
    X(GP_ERROR_OVERLAP, -3, "buffers overlap where they must not")                \
    X(GP_ERROR_INVALID_TYPE, -4, "not an element type that this call takes")      \
    X(GP_ERROR_INVALID_OP, -5, "not an operation that this call takes")           \
    X(GP_ERROR_COUNT_LIMIT, -6, "more elements than this call can take")          \
    X(GP_ERROR_UNSUPPORTED, -7, "the device cannot do this")                      \
    X(GP_ERROR_NO_PLATFORM, -8, "no OpenCL platform is installed")                \
    X(GP_ERROR_NO_DEVICE, -9, "no OpenCL device matches")                         \
    X(GP_ERROR_BUILD, -10, "a kernel does not compile")                           \
    X(GP_ERROR_OUT_OF_HOST_MEMORY, -11, "out of host memory")                     \
    X(GP_ERROR_OUT_OF_DEVICE_MEMORY, -12, "more memory than the device can give") \
    X(GP_ERROR_OPENCL, -13, "an OpenCL call failed")                              \
    X(GP_ERROR_LAW, -14, "the operation violates the monoid laws")

typedef enum gp_result {
#define GP_RESULT_ENUM(name, value, text) name = value,
    GP_RESULTS(GP_RESULT_ENUM)
#undef GP_RESULT_ENUM
        GP_RESULT_FORCE_INT = 0x7fffffff
} gp_result;

/* Static text for a result; never NULL. */
GP_API const char *gp_error_string(gp_result result);

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

/* Halves live in memory only, so that every device has them: they are floats when combined, summed and
   mapped, and results are rounded to nearest when stored. f64 needs cl_khr_fp64.

   X(name, value, kernel macro). Bitwise operations take integer types only. For floats, min and max
   ignore NaN (fmin, fmax): NaN never wins, an input of nothing but NaN gives the identity, and which
   of -0 and +0 is returned is unspecified. Argmin and argmax give the index of the extreme element,
   counted from the call's first one; of equal ones the lowest; all ones (-1) when there is no element
   or nothing but NaN. Their out_type is GP_U64 (the default) or GP_U32, and `initial` stays NULL. */
#define GP_OPS(X)                 \
    X(GP_SUM, 1, "GPI_SUM")       \
    X(GP_PROD, 2, "GPI_PROD")     \
    X(GP_MIN, 3, "GPI_MIN")       \
    X(GP_MAX, 4, "GPI_MAX")       \
    X(GP_AND, 5, "GPI_AND")       \
    X(GP_OR, 6, "GPI_OR")         \
    X(GP_XOR, 7, "GPI_XOR")       \
    X(GP_ARGMIN, 8, "GPI_ARGMIN") \
    X(GP_ARGMAX, 9, "GPI_ARGMAX")

typedef enum gp_op {
    GP_OP_NONE = 0,
#define GP_OP_ENUM(name, value, cl) name = value,
    GP_OPS(GP_OP_ENUM)
#undef GP_OP_ENUM
        GP_OP_FORCE_INT = 0x7fffffff
} gp_op;

/* One result of several (gp_reduce with op_count): 8 bytes, the one of its out_type; the rest are zero. */
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

   `source` defines the element type `type` and the function `type combine(type a, type b)`, in which
   a stands before b in input order. Both must be usable after `source` is pasted into a kernel. Refused with
   GP_ERROR_INVALID_ARGUMENT: names that begin with gp_, gpi_, GP_ or GPI_, brackets, comments and literals
   without an end, digraphs and trigraphs, #include (the cache would not see a change in the file), and macros
   named as a word that the library's own text uses. `size` is sizeof(type): 4, 8, 12, ... 64 bytes, the same
   on host and device, and legal as a kernel's argument (no bool, size_t or pointer inside). The combine
   function may be a built-in; the source must not redeclare another one. `identity` points to `size` bytes
   and must be neutral on both sides. `commutative` lets the library combine in any order; without it, input
   order is kept. `exact` says that recombining the same elements in another grouping gives the same bits
   (integers, min/max; not float sums): a group may then publish results for one that is late. The strings and
   the identity are read during the call only. */
typedef struct gp_monoid {
    const char *type;     /* name of the element type, e.g. "affine" */
    const char *source;   /* OpenCL C that defines it and the combine function */
    const char *combine;  /* name of the combine function */
    const void *identity; /* size bytes */
    size_t size;          /* bytes of one element */
    bool commutative;
    bool exact;
} gp_monoid;

/* What gp_check_monoid tries a monoid on. */
typedef struct gp_check_monoid_desc {
    const gp_monoid *monoid;
    const void *samples; /* on the host, sample_count elements as they occur; NULL: words that are small
                            numbers: integers below 1000, or floats within +-2 where not `exact` */
    size_t sample_count; /* at most 2^20 */
    const char *equal; /* OpenCL C expression in x and y, of the element type: are they equal? NULL: the same
                          bits where `exact`; otherwise words that are close as floats */
    float tolerance;   /* ... by how much, times the largest word in sight; 0: 1e-4 */
    uint64_t seed;     /* of the choice; the same seed, the same elements */
} gp_check_monoid_desc;

/* A map, in the `map` field of a desc, is an OpenCL C expression that turns an input element into an
   operand while it is loaded, at no cost in memory traffic: "x * x", "x > 0.5f", "x * y". In it, x is the
   element, y that of the second input where there is one, and i (ulong) the index, counted from the call's
   first element. Its value is converted to out_type; for argmin and argmax to the input's type, so that
   fractions of integers want a float `type` or, with ops, a map_type; for several ops to map_type; for a
   monoid to the monoid's type, and `type` then names the input's. The text is read during the call only.
   This, and every other expression in a desc, is one expression: brackets that do not close within it,
   comments and literals without an end, ';' outside of braces, '#', backslashes outside of literals, digraphs
   and trigraphs, and names that begin with gp_, gpi_, GP_ or GPI_ are refused with GP_ERROR_INVALID_ARGUMENT;
   the rest is the compiler's to judge, with GP_ERROR_BUILD and its log. */

/* ------------------------------------------------------------------ context */

typedef struct gp_context gp_context;

/* How tiles learn what comes before them. */
typedef enum gp_strategy {
    GP_STRATEGY_AUTO = 0,    /* by the device's profile */
    GP_STRATEGY_SINGLE_PASS, /* decoupled look-back: reads the input once */
    GP_STRATEGY_MULTI_PASS,  /* reduce, scan the sums, scan again: no group waits for another */
    GP_STRATEGY_COUNT
} gp_strategy;

/* How a work-group works through its tile. */
typedef enum gp_shape {
    GP_SHAPE_AUTO = 0,
    GP_SHAPE_SERIAL, /* one work-item a group, long tile, vector loop: CPUs */
    GP_SHAPE_LOCAL,  /* many work-items, local memory and barriers: GPUs */
    GP_SHAPE_COUNT
} gp_shape;

/* Form of the words through which groups tell each other of their tiles. */
typedef enum gp_words {
    GP_WORDS_AUTO = 0,
    GP_WORDS_WIDE,   /* 64-bit atomics: 32 payload bits a word */
    GP_WORDS_NARROW, /* 32-bit atomics: 16 payload bits a word */
    GP_WORDS_COUNT
} gp_words;

typedef enum gp_log_level { GP_LOG_ERROR = 0, GP_LOG_WARNING, GP_LOG_INFO } gp_log_level;

#define GP_NAME_MAX 128

/* What the library found out about a device. */
typedef struct gp_device_info {
    cl_platform_id platform;
    cl_device_id device;
    cl_device_type device_type;
    char platform_name[GP_NAME_MAX];
    char name[GP_NAME_MAX];
    char vendor[GP_NAME_MAX];
    char version[GP_NAME_MAX];        /* CL_DEVICE_VERSION */
    char driver_version[GP_NAME_MAX]; /* CL_DRIVER_VERSION */
    cl_uint compute_units;
    size_t max_work_group_size;
    cl_ulong global_mem_size;
    cl_ulong max_alloc_size; /* of one buffer, bytes */
    cl_ulong local_mem_size;
    cl_ulong global_cache_size;
    bool local_mem_dedicated; /* CL_LOCAL, not carved out of global memory */
    bool int64_base_atomics;
    bool int64_extended_atomics;
    bool fp64;
    bool fp16;
    bool subgroups;
    bool atomic_acq_rel;      /* OpenCL 3.0: acquire-release orders */
    bool atomic_scope_device; /* OpenCL 3.0: scope of the whole device */
    bool fair;                /* a started group is known to go on running while another one waits */
    cl_uint loop_limit;       /* iterations after which the device drops out of loops (Mesa's llvmpipe below
                                 version 25); 0: none known */
} gp_device_info;

/* Overrides of a device's profile, for tests and tuning. Zero keeps the profile's value. gp_context_create
   refuses what no kernel can be built with; tiles that are too large for a device are made smaller. */
typedef struct gp_tuning {
    gp_shape shape;
    gp_words words;
    uint32_t work_group_size; /* local shape only; rounded down to a power of two. What works on keys or bins
                                 takes 4 and more */
    uint32_t tile;            /* serial: elements a group, at most 2^20; local: a work-item, at most 128 */
    uint32_t polls;           /* how often a group looks at a late tile before it computes it itself; at most
                                 a quarter of the device's loop_limit, if it has one */
    uint32_t ring_rows;    /* gp_sort, kernels/sort/lookback.cl: rows of the look-back table; a power of two,
                              not less than ring_reach + ring_block; 0: 1024 */
    uint32_t ring_reach;   /* ... how many tiles a look-back goes back; 0: 64 */
    uint32_t ring_block;   /* ... tiles that may end in any order; a power of two; 0: 32 */
    uint32_t sort_portion; /* gp_sort: most keys of one launch of a single pass */
    uint32_t sort_bucket;  /* gp_sort, kernels/sort/buckets.cl: most keys of a bucket; 1: no buckets */
} gp_tuning;

typedef struct gp_context_desc {
    /* Your own objects, all optional. A queue brings its context and device; a context brings its
       first device unless `device` names another. They are retained until destroy. */
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;

    /* Device choice when none is given above. `device_filter` is "gpu", "cpu", "accelerator",
       "P:D" (indices of platform and device) or part of a device's or platform's name or version, in
       either case; NULL means the
       environment variable GPUPRIM_DEVICE, which has the same forms. Of the devices that match, the one
       with the highest score wins; a negative score rejects. Default score: GPU, accelerator, CPU. */
    const char *device_filter;
    int64_t (*score)(const gp_device_info *info, void *user);
    void *score_user;

    /* NULL: silent. It must not call the library with this context. */
    void (*log)(gp_log_level level, const char *text, void *user);
    void *log_user;

    /* A command that fails after its call has returned: told here, on the context's own thread, at the end of
       gp_finish, a blocking read, destroy, or a later call. It may call the library, also with this context
       (which it must not destroy): failures that it causes are told at a later call. NULL: gp_finish
       returns the failure all the same. */
    void (*on_async_error)(gp_result result, const char *text, void *user);
    void *async_error_user;

    /* Of built programs; NULL: the environment variable GPUPRIM_CACHE ("off": no disk cache, or a folder's
       absolute path), else $XDG_CACHE_HOME/gpuprim or ~/.cache/gpuprim, where these are absolute. A folder
       that cannot be written is told to `log`, once. Files that belong to neither this user nor root are not
       loaded. */
    const char *cache_dir;
    bool no_disk_cache;
    /* Bytes that the cache folder may hold; 0: 256 MiB. After a save, the programs that were used longest
       ago (to the second) are removed until the rest fits. Windows: not bounded. */
    size_t cache_limit;
    /* Programs that the context keeps in memory; 0: 128. When one more is built, the one used longest ago is
       released, and loaded from the disk cache when it is needed again. A call keeps all that it needs
       itself. */
    size_t program_limit;
    const char *dump_dir;      /* when set, programs' sources and binaries go there; made if missing */
    const char *build_options; /* appended to the options of every program */
    bool fast_math;            /* -cl-fast-relaxed-math; off: results as IEEE says */
    bool profile;              /* collect gp_kernel_profile times; slows calls down a little */
    gp_context *share;         /* use its cl_context and device, and start with its programs (if built with
                                  the same options): how a second queue on the same buffers is made */
    gp_strategy strategy;      /* for calls that say GP_STRATEGY_AUTO */
    bool check_monoids;        /* the first call with a monoid tries it, as gp_check_monoid does without
                                  samples, and blocks; GP_ERROR_LAW where it violates the laws */
    gp_tuning tuning;
} gp_context_desc;

/* Makes a context: chooses a device, or takes yours, and probes it. Builds nothing yet.
   On failure *out is NULL and gp_last_error(NULL) has the text (kept for each host thread). */
GP_API gp_result gp_context_create(const gp_context_desc *desc, gp_context **out);

/* Waits for the queue, saves built programs, frees everything. NULL is allowed. Programs that are new since
   the last gp_finish take a while to save, on some implementations as long as to build. */
GP_API void gp_context_destroy(gp_context *gp);

/* Text of the last failure in this context. For NULL: of this thread's last failure without one
   (gp_context_create, gp_devices, any call whose gp was NULL). */
GP_API const char *gp_last_error(const gp_context *gp);

/* The context's objects; not retained for the caller. */
GP_API cl_context gp_cl_context(const gp_context *gp);
GP_API cl_device_id gp_cl_device(const gp_context *gp);
GP_API cl_command_queue gp_cl_queue(const gp_context *gp);
GP_API const gp_device_info *gp_context_info(const gp_context *gp);

/* Lists devices as gp_context_create sees them: writes up to `capacity` infos, sets *count to how many
   there are. `infos` may be NULL when capacity is 0. */
GP_API gp_result gp_devices(gp_device_info *infos, size_t capacity, size_t *count);

/* Blocks until everything enqueued so far has finished; saves newly built programs to the disk cache.
   (Without it, a later call does, once they have run: it then takes about as long as one that builds. Not
   with an out-of-order queue.) Returns the first failure of a command since the last gp_finish: a call that
   returned GP_OK can still fail on the device, for example when an event that it waits for has failed. */
GP_API gp_result gp_finish(gp_context *gp);

/* A read-write buffer of `bytes` bytes, filled from `data` unless that is NULL (blocks for the copy).
   Sizes over the device's limit are refused before any driver sees them. Release it with
   clReleaseMemObject. Buffers that you make yourself serve as well. */
GP_API gp_result gp_buffer_create(gp_context *gp, size_t bytes, const void *data, cl_mem *out);

/* ------------------------------------------------------------------ reduce */

/* out[0] = initial . in[0] . in[1] ... in[count-1]        (. is op or monoid; with map: of map(in[i]))

   Order: input order for a monoid that is not commutative; any order otherwise, but always the same
   one for the same count on the same device, so float results repeat bit for bit.
   count 0 gives `initial`. Largest count: 2^31 - 1 tiles, checked.
   Several at once: with `ops` and `op_count` the result is op_count gp_values, one an operation, and the
   input is read once for all of them. out_offset counts such results, `initial` stays NULL, and halves come
   out as floats. Compensated: float sums carry along what rounding takes from them (Neumaier), and are as if
   summed in about twice the precision; no gain where values are infinite or NaN. Without an input (`in` NULL,
   `type` 0) the map is of the index alone, and out_type is needed; with several operations, argmin or argmax
   map_type, which says as what the map's values are compared. Cost: reads the input once; one launch up to
   one tile, two beyond. Aliasing: `out` may be inside `in`. */
typedef struct gp_reduce_desc {
    cl_mem in;        /* NULL and type 0: no input */
    size_t in_offset; /* elements */
    cl_mem out;       /* one result; may be NULL in gp_reduce_read */
    size_t out_offset;
    size_t count;        /* of elements, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;     /* of the input; with a monoid but no map: leave 0 */
    gp_type out_type; /* 0: 64 bits for sums and products of integers, GP_U64 for argmin and argmax, f32
                         for sums and products of halves, else `type`; not narrower than `type` without
                         a map */
    gp_op op;         /* or: */
    const gp_op *ops; /* several, op_count of 1..GP_OPS_MAX, instead of op and out_type; or: */
    const gp_monoid *monoid;  /* instead of out_type and op */
    const gp_type *out_types; /* of each of ops; NULL, or 0 in it: as for out_type */
    size_t op_count;
    bool compensated; /* float sums */
    const char *map;  /* expression in x, y, i; NULL: the element itself */
    gp_type map_type; /* of the map's value: with ops (0: `type`); and without `in` for ops, argmin, argmax */
    cl_mem in2;       /* second input, count elements, for map's y; NULL: none */
    size_t in2_offset;
    gp_type type2;       /* of the second input; 0: `type` */
    const void *initial; /* one element of out_type, read during the call; NULL: the identity */
    cl_mem scratch;      /* of gp_reduce_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_reduce_desc;

GP_API gp_result gp_reduce(gp_context *gp, const gp_reduce_desc *desc);

/* The same, then blocks and copies the result (one element of out_type, or op_count gp_values) to `result`.
 */
GP_API gp_result gp_reduce_read(gp_context *gp, const gp_reduce_desc *desc, void *result);

/* Bytes of scratch that gp_reduce with this desc needs; buffers in it may be NULL. Can be 0. */
GP_API gp_result gp_reduce_scratch_size(gp_context *gp, const gp_reduce_desc *desc, size_t *bytes);

/* ------------------------------------------------------------------ segmented reduce */

/* out[s] = initial . in[offsets[s]] ... in[offsets[s+1] - 1]       (. is op or monoid; with map: of
   map(in[i]))

   Each segment as gp_reduce would; an empty one gives `initial`. Positions, in a map's i and as results of
   argmin and argmax, count from the segment's first element. Order: input order for a monoid that is not
   commutative; else any, but always the same one, so that float results repeat bit for bit for the same
   offsets, counts and device. Bad offsets: a segment whose offsets fall, or pass `count`, is empty; the
   others do not notice. gp_profile.bad_offsets counts the calls that found any. Elements outside all segments
   are not read. segment_count 0 does nothing. Cost: reads the input once, tiny, empty and huge segments
   alike; a clearing command and a launch, and two launches more where a segment may be too large for one
   group's share. Aliasing: `out` overlaps nothing. */
typedef struct gp_segmented_reduce_desc {
    cl_mem in;        /* NULL when count is 0 */
    size_t in_offset; /* elements, as all offsets */
    size_t count;     /* elements of the input */
    cl_mem offsets;   /* segment_count + 1 numbers: positions in the input, counted from in_offset */
    size_t offsets_offset;
    gp_type offsets_type; /* GP_U32 or GP_U64 */
    size_t segment_count; /* or its bound with count_buffer; up to 2^32 - 2 */
    cl_mem count_buffer;  /* of segments; NULL: segment_count is the number */
    size_t count_offset;
    gp_type count_type;
    cl_mem out; /* segment_count results */
    size_t out_offset;
    gp_type type;            /* of the input; with a monoid but no map: leave 0 */
    gp_type out_type;        /* 0: as in gp_reduce_desc */
    gp_op op;                /* or: */
    const gp_monoid *monoid; /* instead of out_type and op */
    const char *map;         /* expression in x and i; NULL: the element itself */
    const void *initial;     /* one element of out_type, read during the call; NULL: the identity */
    cl_mem scratch; /* of gp_segmented_reduce_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_segmented_reduce_desc;

GP_API gp_result gp_segmented_reduce(gp_context *gp, const gp_segmented_reduce_desc *desc);

/* Bytes of scratch that gp_segmented_reduce with this desc needs; buffers in it may be NULL. */
GP_API gp_result gp_segmented_reduce_scratch_size(gp_context *gp, const gp_segmented_reduce_desc *desc,
                                                  size_t *bytes);

/* ------------------------------------------------------------------ check_monoid */

/* Looks for elements that violate the monoid laws: e a = a = a e, (a b) c = a (b c), and a b = b a where
   it is said to be commutative, with the device's arithmetic: on 4096 triples of the samples, and then on as
   many of samples and products of three, so that what combine makes obeys too. The first counter-example is
   GP_ERROR_LAW, and gp_last_error tells the elements. GP_OK means that none was found, not that there is
   none. A monoid of floats that is `exact` (a minimum, say) wants samples: what is made up without are small
   integers, as floats all but zero. Blocks. Builds a program. */
GP_API gp_result gp_check_monoid(gp_context *gp, const gp_check_monoid_desc *desc);

/* ------------------------------------------------------------------ scan */

/* Where segments of a scan begin. */
typedef enum gp_segments {
    GP_SEGMENTS_NONE = 0, /* one segment */
    GP_SEGMENTS_BY_FLAGS, /* at each element whose flag in `heads` is not 0 */
    GP_SEGMENTS_BY_KEYS,  /* at each element whose key in `heads` differs from the one before */
    GP_SEGMENTS_COUNT
} gp_segments;

/* inclusive: out[i] = initial . in[0] ... in[i]      exclusive: out[i] = initial . in[0] ... in[i-1]
   reverse:   out[i] = in[i] ... in[n-1] . initial    exclusive: out[i] = in[i+1] ... in[n-1] . initial

   Segmented: the same within each segment, `initial` included. Segments never end by what the input
   holds, only by `heads`: each one is at least one element long, and the first begins at element 0 whatever
   its flag. Floats are compared as numbers (NaN differs from everything), halves as flags and keys by their
   bits. Argmin and argmax give the lowest of equal ones' indices in reverse too.

   Order: input order always. Integer results are exact and repeat; float sums depend on timing with
   GP_STRATEGY_SINGLE_PASS (differently grouped look-backs) and repeat bit for bit with `deterministic`,
   which takes GP_STRATEGY_MULTI_PASS for them whatever `strategy` says. count 0 does nothing. Largest count:
   2^31 - 1 tiles, checked. Cost: single pass reads and writes once, multi-pass reads twice; one launch up to
   one tile. Aliasing: in place (`in` and `out` the same elements, types of one size), or no overlap at all;
   neither `heads` nor count_buffer's number in `out`. Argmin and argmax take no segments. */
typedef struct gp_scan_desc {
    cl_mem in;
    size_t in_offset; /* elements */
    cl_mem out;       /* count elements of out_type */
    size_t out_offset;
    size_t count;        /* of elements, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;            /* of the input; with a monoid but no map: leave 0 */
    gp_type out_type;        /* of sums and output; 0: `type` (a scan is often in place) */
    gp_op op;                /* or: */
    const gp_monoid *monoid; /* instead of out_type and op */
    const char *map;         /* expression in x and i; NULL: the element itself */
    bool exclusive;
    bool reverse; /* from the last element to the first; a still stands before b in input order */
    gp_segments segments;
    cl_mem heads; /* count flags or keys */
    size_t heads_offset;
    gp_type heads_type;
    bool deterministic;  /* the same bits every time, also for floats and monoids that are not exact */
    const void *initial; /* one element of out_type, read during the call; NULL: the identity */
    gp_strategy strategy;
    cl_mem scratch; /* of gp_scan_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_scan_desc;

GP_API gp_result gp_scan(gp_context *gp, const gp_scan_desc *desc);

/* Bytes of scratch that gp_scan with this desc needs; buffers in it may be NULL. Can be 0. */
GP_API gp_result gp_scan_scratch_size(gp_context *gp, const gp_scan_desc *desc, size_t *bytes);

/* ------------------------------------------------------------------ select, partition */

/* Picks elements, and packs them in their order:

       predicate   in[i] for each i at which the expression in x (the element) and i (ulong, from 0 on) holds
       flags       in[i] for each i at which flags[i] is not 0
       indices     in[indices[i]] for each i in turn; an index of in_count or more is left out

   Exactly one of the three is given. Elements have a `type`, or are records of `element_size` bytes: 1, 2, 4,
   8, 16; in a predicate a record is then uchar, ushort, uint, ulong or uint4 ("x.y > 5", "any(x !=
   (uint4)(0))": what is true of a vector is a vector, which any or all makes one answer of). Halves are
   floats there. Flags are of any type: floats are compared as numbers, halves by their bits. Results:
   elements in `out`, where they were in `indices_out`, how many in the number `count_out`; at
   least one is required. There must be room for `count` elements and indices. A count on the device is what
   the next call takes as its count_buffer; gp_select_read brings it to the host. Stable: yes. The same input
   gives the same result every time, on every device. count 0: only count_out is written. Largest count: 2^31
   - 1 tiles; 2^32 - 1 with indices or counts of GP_U32, checked. Aliasing: what is written may overlap
   nothing. Cost: single pass reads once and writes what is picked; multi-pass reads what decides twice. One
   launch up to one tile. Scratch: 16 bytes a tile. (Look-back: Merrill & Garland 2016.) */
typedef struct gp_select_desc {
    cl_mem in;
    size_t in_offset; /* elements, as all offsets */
    cl_mem out;       /* NULL: not wanted */
    size_t out_offset;
    cl_mem indices_out; /* from 0 on, counted from the call's first element; NULL: not wanted */
    size_t indices_out_offset;
    cl_mem count_out; /* one number; NULL: not wanted */
    size_t count_out_offset;
    gp_type count_out_type; /* GP_U32 (also 0) or GP_U64 */
    size_t count;           /* of elements (of indices), or their bound with count_buffer */
    cl_mem count_buffer;    /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;        /* of elements; or: */
    size_t element_size; /* bytes of a record: 1, 2, 4, 8, 16 */
    const char *predicate;
    cl_mem flags; /* count flags */
    size_t flags_offset;
    gp_type flags_type; /* 0: GP_U8 */
    cl_mem indices;
    size_t indices_offset;
    size_t in_count;    /* with indices: elements of `in` */
    gp_type index_type; /* of indices and indices_out: GP_U32 (also 0) or GP_U64 */
    gp_strategy strategy;
    cl_mem scratch; /* of gp_select_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_select_desc;

GP_API gp_result gp_select(gp_context *gp, const gp_select_desc *desc);

/* The same, then blocks and tells how many were picked. */
GP_API gp_result gp_select_read(gp_context *gp, const gp_select_desc *desc, uint64_t *count);

/* Bytes of scratch that gp_select with this desc needs; buffers in it may be NULL, but those that decide
   (flags, indices) and those that are optional. Can be 0. */
GP_API gp_result gp_select_scratch_size(gp_context *gp, const gp_select_desc *desc, size_t *bytes);

/* Parts elements in two, or with `predicate2` in three, each part in the order of the input:

       out      those for which the predicate holds (whose flag is not 0)
       second   in three: of the others those for which predicate2 holds
       rest     all others

   `rest` NULL: the parts stand in `out` one behind the other; `count` elements then are all that is written.
   Each part may get a buffer of its own instead (in three `second` and `rest` both or neither), with room for
   `count` elements. `reversed`, with two parts in `out`: the rest begins at the output's end and goes
   backwards, as some libraries leave it: at out[count - 1], with count_buffer at out[number - 1].
   counts_out: 2 or 3 numbers, of each part; any of them may be the next call's count_buffer.
   Elements, stability, count 0, limits, aliasing: as for gp_select.
   Cost: with buffers of their own, or reversed, single pass reads and writes once. One behind the other takes
   the total first: multi-pass, which reads twice and writes once, whatever `strategy` says. */
typedef struct gp_partition_desc {
    cl_mem in;
    size_t in_offset; /* elements, as all offsets */
    cl_mem out;
    size_t out_offset;
    cl_mem second; /* three parts only */
    size_t second_offset;
    cl_mem rest;
    size_t rest_offset;
    cl_mem counts_out; /* as many numbers as parts; NULL: not wanted */
    size_t counts_out_offset;
    gp_type counts_out_type; /* GP_U32 (also 0) or GP_U64 */
    size_t count;            /* of elements, or their bound with count_buffer */
    cl_mem count_buffer;     /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;        /* of elements; or: */
    size_t element_size; /* bytes of a record: 1, 2, 4, 8, 16 */
    const char *predicate;
    const char *predicate2; /* NULL: two parts */
    cl_mem flags;           /* instead of predicates: count flags */
    size_t flags_offset;
    gp_type flags_type; /* 0: GP_U8 */
    bool reversed;
    gp_strategy strategy;
    cl_mem scratch; /* of gp_partition_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_partition_desc;

GP_API gp_result gp_partition(gp_context *gp, const gp_partition_desc *desc);

/* The same, then blocks and tells how many each part has: 2 or 3 numbers. */
GP_API gp_result gp_partition_read(gp_context *gp, const gp_partition_desc *desc, uint64_t *counts);

/* Bytes of scratch that gp_partition with this desc needs; buffers in it may be NULL, but flags and rest,
   which decide. Can be 0. */
GP_API gp_result gp_partition_scratch_size(gp_context *gp, const gp_partition_desc *desc, size_t *bytes);

/* ------------------------------------------------------------------ unique, runs */

/* The first of each run of equal keys. A run is as many neighbours as are equal, each to the one before it;
   keys need not be sorted, and those of different runs may be equal.

   Equal: integers and records by value, floats as numbers (-0 equals +0, NaN nothing, halves too); or
   `equal`, an expression in x and y, a key and the one before it: "fabs(x - y) < 1e-3f", "x / 10 == y / 10".
   Records are uchar, ushort, uint, ulong or uint4 in it: "all(x.xy == y.xy)" compares the first 8 bytes
   of 16. gp_unique_by_key moves a value with each key; gp_unique has none. Results: keys, values, the keys'
   indices, how many; at least one is required, with room for `count` elements. Stability, count 0,
   limits, aliasing, cost: as for gp_select. */
typedef struct gp_unique_desc {
    cl_mem keys;
    size_t keys_offset; /* elements, as all offsets */
    cl_mem keys_out;    /* NULL: not wanted */
    size_t keys_out_offset;
    cl_mem values; /* gp_unique_by_key */
    size_t values_offset;
    cl_mem values_out;
    size_t values_out_offset;
    cl_mem indices_out; /* NULL: not wanted */
    size_t indices_out_offset;
    gp_type index_type; /* GP_U32 (also 0) or GP_U64 */
    cl_mem count_out;   /* one number; NULL: not wanted */
    size_t count_out_offset;
    gp_type count_out_type; /* GP_U32 (also 0) or GP_U64 */
    size_t count;           /* of elements, or their bound with count_buffer */
    cl_mem count_buffer;    /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type key_type;  /* or: */
    size_t key_size;   /* bytes of a record: 1, 2, 4, 8, 16 */
    size_t value_size; /* gp_unique_by_key: 1, 2, 4, 8, 16 */
    const char *equal; /* NULL: x == y */
    gp_strategy strategy;
    cl_mem scratch; /* of gp_unique_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_unique_desc;

GP_API gp_result gp_unique(gp_context *gp, const gp_unique_desc *desc);
GP_API gp_result gp_unique_by_key(gp_context *gp, const gp_unique_desc *desc);

/* The same, then block and tell how many there are. */
GP_API gp_result gp_unique_read(gp_context *gp, const gp_unique_desc *desc, uint64_t *count);
GP_API gp_result gp_unique_by_key_read(gp_context *gp, const gp_unique_desc *desc, uint64_t *count);

/* Bytes of scratch that either call with this desc needs; buffers in it may be NULL, but those that are
   optional. Can be 0. */
GP_API gp_result gp_unique_scratch_size(gp_context *gp, const gp_unique_desc *desc, size_t *bytes);

/* Each run's key (its first one), length, and index of its first element. `repeated_only`: runs of one
   element are left out, so that lengths are 2 and more ("non-trivial runs").

   Runs, `equal`, stability, count 0, limits, aliasing, cost: as for gp_unique. At least one result is
   required, with room for `count` elements. Scratch: 16 bytes a tile, twice that with numbers of GP_U64. */
typedef struct gp_run_length_encode_desc {
    cl_mem in;
    size_t in_offset; /* elements, as all offsets */
    cl_mem out;       /* a key a run; NULL: not wanted */
    size_t out_offset;
    cl_mem lengths_out; /* NULL: not wanted */
    size_t lengths_out_offset;
    cl_mem offsets_out; /* where runs begin; NULL: not wanted */
    size_t offsets_out_offset;
    gp_type index_type; /* of lengths and offsets: GP_U32 (also 0) or GP_U64 */
    cl_mem count_out;   /* one number, of runs; NULL: not wanted */
    size_t count_out_offset;
    gp_type count_out_type; /* GP_U32 (also 0) or GP_U64 */
    size_t count;           /* of elements, or their bound with count_buffer */
    cl_mem count_buffer;    /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;        /* of elements; or: */
    size_t element_size; /* bytes of a record: 1, 2, 4, 8, 16 */
    const char *equal;   /* NULL: x == y */
    bool repeated_only;
    gp_strategy strategy;
    cl_mem scratch; /* of gp_run_length_encode_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_run_length_encode_desc;

GP_API gp_result gp_run_length_encode(gp_context *gp, const gp_run_length_encode_desc *desc);

/* The same, then blocks and tells how many runs were written. */
GP_API gp_result gp_run_length_encode_read(gp_context *gp, const gp_run_length_encode_desc *desc,
                                           uint64_t *count);

/* Bytes of scratch that gp_run_length_encode with this desc needs; buffers in it may be NULL, but those that
   are optional. Can be 0. */
GP_API gp_result gp_run_length_encode_scratch_size(gp_context *gp, const gp_run_length_encode_desc *desc,
                                                   size_t *bytes);

/* ------------------------------------------------------------------ reduce by key */

/* keys_out[r] = the first key of run r        out[r] = initial . in[b] ... in[e-1]   (. is op or monoid; with
   map: of map(in[i]))

   Runs are as long as neighbours are equal: b is where run r begins, e where the next one does. Each run as
   gp_segmented_reduce would: order, positions (in a map's i and of argmin and argmax, counted from the run's
   first element) and repeatability are its own, whatever the strategy. `equal` is an OpenCL C expression in x
   and y, neighbouring keys. count 0: the count of runs is 0. Largest count: 2^32 - 2. Cost: reads the keys
   as gp_unique does and the values once; 4 bytes a run go to scratch and back. Aliasing: outputs overlap
   nothing. Scratch: 4 bytes an element, and what both steps take for tiles.
   With equal keys next to each other this groups by key: sort by key first, or see gp_hash_insert_or_apply.
 */
typedef struct gp_reduce_by_key_desc {
    cl_mem keys;
    size_t keys_offset; /* elements, as all offsets */
    cl_mem in;          /* what is reduced, an element a key */
    size_t in_offset;
    cl_mem keys_out; /* a key a run, with room for `count`; NULL: not wanted */
    size_t keys_out_offset;
    cl_mem out; /* a result a run, with room for `count` */
    size_t out_offset;
    cl_mem count_out; /* one number, of runs; NULL: not wanted */
    size_t count_out_offset;
    gp_type count_out_type; /* GP_U32 (also 0) or GP_U64 */
    size_t count;           /* of elements, or their bound with count_buffer */
    cl_mem count_buffer;    /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type key_type;        /* or: */
    size_t key_size;         /* bytes of a record: 1, 2, 4, 8, 16 */
    const char *equal;       /* NULL: x == y */
    gp_type type;            /* of `in`; with a monoid but no map: leave 0 */
    gp_type out_type;        /* 0: as in gp_reduce_desc */
    gp_op op;                /* or: */
    const gp_monoid *monoid; /* instead of out_type and op */
    const char *map;         /* expression in x and i; NULL: the element itself */
    const void *initial;     /* one element of out_type, read during the call; NULL: the identity */
    gp_strategy strategy;    /* of finding the runs */
    cl_mem scratch; /* of gp_reduce_by_key_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_reduce_by_key_desc;

GP_API gp_result gp_reduce_by_key(gp_context *gp, const gp_reduce_by_key_desc *desc);

/* The same, then blocks and tells how many runs there are. */
GP_API gp_result gp_reduce_by_key_read(gp_context *gp, const gp_reduce_by_key_desc *desc, uint64_t *count);

/* Bytes of scratch that gp_reduce_by_key with this desc needs; buffers in it may be NULL, but keys_out. */
GP_API gp_result gp_reduce_by_key_scratch_size(gp_context *gp, const gp_reduce_by_key_desc *desc,
                                               size_t *bytes);

/* ------------------------------------------------------------------ sort */

/* Sorts keys, and moves a value with each, stably: equal keys keep their order.

   Order: integers by value. Floats by a total order: -NaN, -inf, ..., -0, +0, ..., +inf, +NaN; NaNs of one
   sign by their bits. `descending` turns it round; equal keys still keep their order.
   Bits: only bits [begin_bit, end_bit) are looked at, of the key as an unsigned number that is ordered as the
   keys are: the sign bit of signed integers is flipped; of floats the sign bit when it is 0, all bits when
   it is 1. Fewer bits are fewer passes, one for every 8. begin_bit = end_bit > 0 copies.
   Values are moved, never looked at. Records of other sizes: gp_argsort, then gather.
   Aliasing: keys_out NULL or the same elements as keys: in place; the same for values. Else the input is left
   as it is, and nothing may overlap. count_buffer's number apart from all that is written.
   Second buffers: passes go back and forth between the output and keys_tmp (values_tmp), of `count` elements
   each, so that the output is read too. NULL takes them from the scratch. None are needed for one pass out of
   place.
   Cost: single pass (onesweep) reads the keys once for all passes and then reads and writes once each;
   multi-pass (classic) reads twice and writes once. On a CPU's multi-pass, keys (and values) of 8 bytes or
   more and at least 25 bits are moved to 256 buckets first, which are sorted in the caches, unless one bucket
   has more than 1/64 of them. Passes in which all keys agree cost no move. Up to some thousand keys: one
   launch. Scratch besides the second buffers: 5 MiB at most, however many keys (with GP_WORDS_NARROW and
   single pass: 1 KiB a tile). Largest count: what fits in memory; 2^32 - 1 where values of 4 bytes are
   indices. The same keys give the same result every time, on every device. */
typedef struct gp_sort_desc {
    cl_mem keys;
    size_t keys_offset; /* elements, as all offsets */
    cl_mem keys_out;    /* NULL: in place */
    size_t keys_out_offset;
    cl_mem values; /* NULL with value_size 0 */
    size_t values_offset;
    cl_mem values_out; /* NULL: in place */
    size_t values_out_offset;
    cl_mem keys_tmp; /* second buffers; NULL: scratch */
    size_t keys_tmp_offset;
    cl_mem values_tmp;
    size_t values_tmp_offset;
    size_t count;        /* of elements, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type key_type;
    size_t value_size; /* bytes: 0 (keys only), 1, 2, 4, 8, 16 */
    uint32_t begin_bit;
    uint32_t end_bit; /* 0: all bits of the key */
    bool descending;
    gp_strategy strategy;
    cl_mem scratch; /* of gp_sort_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_sort_desc;

GP_API gp_result gp_sort(gp_context *gp, const gp_sort_desc *desc);

/* values_out[i] = where the key that comes i-th was: an index from 0 on, of value_size bytes (4 or 8; 0: 4).
   `values` is NULL. keys_out NULL: the sorted keys are not wanted, and the keys stay as they are. */
GP_API gp_result gp_argsort(gp_context *gp, const gp_sort_desc *desc);

/* Bytes of scratch that gp_sort (gp_argsort) with this desc needs. Of the buffers only this is looked at:
   which are NULL, and whether keys_out and values_out are other ones than keys and values; for gp_argsort
   values_out must be there. Can be 0. */
GP_API gp_result gp_sort_scratch_size(gp_context *gp, const gp_sort_desc *desc, size_t *bytes);
GP_API gp_result gp_argsort_scratch_size(gp_context *gp, const gp_sort_desc *desc, size_t *bytes);

/* ------------------------------------------------------------------ merge */

/* Merges two sorted sequences of keys, a and b, into one, and moves a value with each key.

   Order: the one of gp_sort, `descending` included; both inputs must be in it. Where one is not, the order of
   the output is undefined, and some elements may be there twice and others not at all; nothing is read or
   written outside the inputs and the output, and the call ends.
   Stable: of equal keys those of a come first, and each sequence's own keep their order.
   Values are moved, never looked at: value_size bytes each, 0 for none.
   Aliasing: outputs may overlap nothing; inputs may overlap each other. Each count buffer's number apart from
   the outputs. An input whose count is 0 may be NULL.
   Counts may live on the device, each by itself; the output has as many elements as both together.
   Cost: reads and writes once, one launch, no scratch. Each tile finds its inputs by binary search (Merge
   Path, Odeh, Green, Mwassi, Shmueli & Birk 2012), so that no group waits for another, however the keys lie.
   Largest count: what fits in memory. The same input gives the same result every time, on every device. */
typedef struct gp_merge_desc {
    cl_mem a_keys;
    size_t a_keys_offset; /* elements, as all offsets */
    cl_mem a_values;      /* NULL with value_size 0 */
    size_t a_values_offset;
    size_t a_count;        /* of elements, or their bound with a_count_buffer */
    cl_mem a_count_buffer; /* NULL: a_count is the number */
    size_t a_count_offset;
    gp_type a_count_type;
    cl_mem b_keys; /* the second sequence: the same */
    size_t b_keys_offset;
    cl_mem b_values;
    size_t b_values_offset;
    size_t b_count;
    cl_mem b_count_buffer;
    size_t b_count_offset;
    gp_type b_count_type;
    cl_mem keys_out; /* a_count + b_count elements */
    size_t keys_out_offset;
    cl_mem values_out;
    size_t values_out_offset;
    gp_type key_type;
    size_t value_size; /* bytes: 0 (keys only), 1, 2, 4, 8, 16 */
    bool descending;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_merge_desc;

GP_API gp_result gp_merge(gp_context *gp, const gp_merge_desc *desc);

/* ------------------------------------------------------------------ search */

/* Searches many needles in one sorted sequence of keys.

   lower bound: out[i] = how many keys come before needle i
   upper bound: out[i] = how many keys come before needle i or are equal to it

   Order: the one of gp_sort, `descending` included (then "before" is "larger"); NaNs and zeros are found like
   any key: -0 comes before +0. The keys must be in it; needles in any order, though near ones next to each
   other are found faster. Where keys are not sorted, positions are any in [0, count], and nothing is read
   outside. No keys: every position is 0. No needles: does nothing. Aliasing: `out` may overlap nothing;
   needles and keys may be the same. Both counts may live on the device. Positions are GP_U64 or GP_U32. Cost:
   one launch, no scratch; a needle takes log2(count) steps, of which about the first half in near memory,
   where each group keeps samples of the keys; an item takes several needles' steps side by side. Largest
   count: what fits in memory; 2^32 - 1 keys for positions of 32 bits. */
typedef struct gp_search_desc {
    cl_mem keys; /* sorted; NULL when count is 0 */
    size_t keys_offset;
    size_t count;        /* of keys, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    cl_mem needles;
    size_t needles_offset;
    size_t needle_count;        /* of needles, or their bound with needle_count_buffer */
    cl_mem needle_count_buffer; /* NULL: needle_count is the number */
    size_t needle_count_offset;
    gp_type needle_count_type;
    cl_mem out; /* needle_count positions */
    size_t out_offset;
    gp_type out_type; /* 0: GP_U64 */
    gp_type key_type; /* of keys and needles */
    bool upper;       /* upper bound; else lower */
    bool descending;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_search_desc;

GP_API gp_result gp_search(gp_context *gp, const gp_search_desc *desc);

/* ------------------------------------------------------------------ histogram */

/* out[c * bins + b] = how many samples of channel c are in bin b, or, with weights, the sum of their weights.

   Even bins: lower <= x < upper is cut into `bins` equal parts, b = floor((x - lower) * bins / (upper -
   lower)). Bounds are .i64 for all signed types, .u64 for all unsigned ones, .f64 for floats, so that `upper`
   may be one more than the type holds (256); as the low and high of gp_random. Integers: exact, for any
   bounds. Floats: computed in the sample's type (halves: f32) as (x - lower) * (bins / (upper - lower)),
   rounded each time; what that rounds up to `bins` is in the last bin. Edges: bins + 1 rising numbers of
   `type`; bin b is edges[b] <= x < edges[b+1], found by binary search. Equal ones make an empty bin. Where
   they do not rise, samples go into any bins. Outside, NaN: a sample below the first bin, at or above the end
   of the last one, or NaN, is not counted. Channels: an element is a pixel of 1 to 4 samples, which lie
   together; each channel has `bins` counts of its own, one channel after the other. channels_out counts the
   first ones only (colours without alpha). Weights: integers, one an element, for all its channels. Counts
   and sums are modulo 2^32 or 2^64. Order has no influence: the same result every time, on every device.
   count 0 gives zeros, or leaves `out` as it is (accumulate). Cost: reads the input once. Few bins (local
   memory: 1024 to 4096; CPUs: 4095) and all samples of 8 bits: one launch, counted in tables of each group's
   own. More: atomics, or on CPUs a table for each core in the scratch. Besides, unless `accumulate`, `out` is
   cleared by a command. Largest count: what fits in memory. Aliasing: `out` overlaps nothing. */
typedef struct gp_histogram_desc {
    cl_mem in;
    size_t in_offset;    /* elements, as all offsets */
    size_t count;        /* of elements, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;          /* of samples */
    uint32_t channels;     /* samples of an element; 0: 1; more than 1 with types of 8 bits only */
    uint32_t channels_out; /* of these, counted; 0: all */
    size_t bins;           /* of a channel, at most 2^32 - 2; 0: 256, with types of 8 bits */
    gp_value lower;        /* even bins: .i64 of signed types, .u64 of unsigned ones, .f64 of floats; */
    gp_value upper;        /* ... both 0: the whole range of an integer type */
    cl_mem edges;          /* bins + 1 elements of `type`, instead of lower and upper; NULL: even bins */
    size_t edges_offset;
    cl_mem weights; /* `count` integers; NULL: 1 each */
    size_t weights_offset;
    gp_type weight_type;
    cl_mem out; /* channels_out * bins counts */
    size_t out_offset;
    gp_type out_type; /* GP_U32 or GP_U64; 0: GP_U32 */
    bool accumulate;  /* adds to what `out` holds */
    cl_mem scratch;   /* of gp_histogram_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_histogram_desc;

GP_API gp_result gp_histogram(gp_context *gp, const gp_histogram_desc *desc);

/* Bytes of scratch that gp_histogram with this desc needs. Of the buffers only this is looked at: whether
   `weights` and `edges` are there. Can be 0. */
GP_API gp_result gp_histogram_scratch_size(gp_context *gp, const gp_histogram_desc *desc, size_t *bytes);

/* ------------------------------------------------------------------ top k */

/* The k largest keys (`smallest`: the k smallest), best first, and where they were:

       keys_out[j], indices_out[j]   the key that comes j-th, and its index in keys, from 0 on

   These are the first k of a stable sort, descending unless `smallest`: of equal keys the one with the lowest
   index comes first, also where only some of them are taken.
   Order: as for gp_sort. So the largest floats are NaNs whose sign bit is 0, then +inf; the smallest are NaNs
   whose sign bit is 1, then -inf; -0 is below +0.
   With count_buffer there may be fewer than k keys: then min(k, count) elements are written, and the rest of
   the outputs stays as it is. k = 0 does nothing; k > count is GP_ERROR_INVALID_ARGUMENT.
   Aliasing: nothing may overlap what is written. Either of keys_out and indices_out may be NULL.
   Cost: reads the keys once, and sorts about k + 4 sqrt(k n / 8192) + n / 8192 of them. The threshold below
   which a key is dropped comes from a sample (8192 keys, fewer of few). Where that misleads (inputs made for
   it, one random input in some hundred), the keys are read twice more as a rule, and once a byte of a key and
   once more at most; gp_profile.fallbacks counts it. Equal keys, also all equal, cost nothing extra.
   All keys are sorted (as by gp_argsort) when k > count / 8, or when they are so few that one launch does it.
   No group waits for another; `strategy` is that of the sort.
   Scratch: 3 elements (key and index) for each key that may be left to sort, 16 bytes a tile, and up to 5 MiB
   for the sort.
   Largest count: 2^31 - 1 tiles, 2^32 - 1 with indices of 4 bytes, checked.
   The same keys give the same result every time, on every device. */
typedef struct gp_topk_desc {
    cl_mem keys;
    size_t keys_offset; /* elements, as all offsets */
    cl_mem keys_out;    /* k keys; NULL: not wanted */
    size_t keys_out_offset;
    cl_mem indices_out; /* k indices; NULL: not wanted */
    size_t indices_out_offset;
    size_t count;        /* of keys, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    size_t k;
    gp_type key_type;
    gp_type index_type; /* GP_U32 (also 0) or GP_U64 */
    bool smallest;
    gp_strategy strategy;
    cl_mem scratch; /* of gp_topk_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_topk_desc;

GP_API gp_result gp_topk(gp_context *gp, const gp_topk_desc *desc);

/* Bytes of scratch that gp_topk with this desc needs; buffers in it may be NULL. */
GP_API gp_result gp_topk_scratch_size(gp_context *gp, const gp_topk_desc *desc, size_t *bytes);
/* ------------------------------------------------------------------ segmented sort */

/* Sorts each segment [offsets[s], offsets[s+1]) of an array by itself, stably, in the order of gp_sort: many
   small segments and a few huge ones alike, in the same few launches, without a host round trip.

   Elements outside all segments are left alone: in place they stay, out of place the output is not written
   there. Segments may be empty.
   Offsets stay on the device and are checked there. An offset below an earlier one, or beyond `count`, is
   bad, and taken for the greatest good one before it (0 where there is none): segments between two good
   offsets are sorted as always, nothing outside [0, count) is touched, no two segments overlap, and the
   result is the same every time. gp_segmented_sort_read tells how many offsets are bad, and which is the
   first one; gp_profile.bad_offsets counts the calls that met any. Keys, bits, values, aliasing, second
   buffers: as in gp_sort. The offsets and count_buffer's number may not overlap what is written. count 0 or
   segment_count 0 does nothing. Cost: segments of up to a tile (GPUs: some thousand keys; CPUs: 2^14) are
   read and written once each, by one group, small neighbours together. For larger ones each pass of
   8 bits reads every key twice and writes it once, all segments in the same launches. Scratch besides the
   second buffers: a position a segment, and 1 KiB for each tile's length of `count`; 2 KiB where count >=
   2^32. Largest segment_count: 2^32 - 2. (Count, scan, scatter: Satish, Harris & Garland 2009.) */
typedef struct gp_segmented_sort_desc {
    cl_mem keys;
    size_t keys_offset; /* elements, as all offsets */
    cl_mem keys_out;    /* NULL: in place */
    size_t keys_out_offset;
    cl_mem values; /* NULL with value_size 0 */
    size_t values_offset;
    cl_mem values_out; /* NULL: in place */
    size_t values_out_offset;
    cl_mem keys_tmp; /* second buffers; NULL: scratch */
    size_t keys_tmp_offset;
    cl_mem values_tmp;
    size_t values_tmp_offset;
    size_t count;   /* elements of these arrays */
    cl_mem offsets; /* segment_count + 1 numbers, counted from the arrays' first elements here */
    size_t offsets_offset;
    gp_type offsets_type; /* GP_U32 or GP_U64 */
    size_t segment_count; /* or its bound with count_buffer */
    cl_mem count_buffer;  /* of segments; NULL: segment_count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type key_type;
    size_t value_size; /* bytes: 0 (keys only), 1, 2, 4, 8, 16 */
    uint32_t begin_bit;
    uint32_t end_bit; /* 0: all bits of the key */
    bool descending;
    cl_mem scratch; /* of gp_segmented_sort_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_segmented_sort_desc;

/* What a segmented sort found in its offsets. */
typedef struct gp_segmented_sort_report {
    uint64_t bad_offsets;
    uint64_t first_bad; /* index of an offset; 0 when none is bad */
} gp_segmented_sort_report;

GP_API gp_result gp_segmented_sort(gp_context *gp, const gp_segmented_sort_desc *desc);

/* The same, then blocks and tells of bad offsets. These are no failure: GP_OK. */
GP_API gp_result gp_segmented_sort_read(gp_context *gp, const gp_segmented_sort_desc *desc,
                                        gp_segmented_sort_report *report);

/* Bytes of scratch that gp_segmented_sort with this desc needs. Of the buffers only this is looked at: which
   are NULL, and whether keys_out and values_out are other ones than keys and values. Can be 0. */
GP_API gp_result gp_segmented_sort_scratch_size(gp_context *gp, const gp_segmented_sort_desc *desc,
                                                size_t *bytes);

/* ------------------------------------------------------------------ sort of strings */

/* out[i] = which string comes i-th, stably. String s is bytes[offsets[s]] ... bytes[offsets[s+1] - 1].

   Order: bytes as unsigned numbers, the first difference decides; a string comes before a longer one that it
   begins. Zero bytes are bytes like others, strings may be empty. `descending` turns the order round; equal
   strings still keep theirs.
   Blocks: strings are sorted by seven bytes a round, those that still tie in the next one, and how many these
   are is read after each round. Bytes that all strings of a tie have in common are skipped over: equal
   strings of n bytes take about log2(n / 64) rounds, others no more than the ties they make one after
   another. Bad offsets: a string that ends before it begins, or behind byte_count, counts as empty, nothing
   outside is read, and the call returns GP_ERROR_INVALID_ARGUMENT in the end; gp_last_error tells how many
   there are and which is the first one. `out` then holds the order of what there is. Strings may overlap one
   another, and be in any order in `bytes`. Nothing may overlap `out`. Cost: keys of 8 bytes sorted once for
   all strings, and again for tied ones. Bytes are read once, and again in looking ahead. Scratch: about 90
   bytes a string, and 3 MiB at most. Largest count: 2^32 - 3. count 0 does nothing. */
typedef struct gp_sort_strings_desc {
    cl_mem bytes;
    size_t bytes_offset;
    size_t byte_count; /* of all strings: offsets stay within */
    cl_mem offsets;    /* count + 1 numbers, counted from bytes_offset */
    size_t offsets_offset;
    gp_type offsets_type; /* GP_U32 or GP_U64 */
    cl_mem out;           /* count indices, from 0 on */
    size_t out_offset;
    gp_type index_type;  /* GP_U32 (also 0) or GP_U64 */
    size_t count;        /* of strings, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    bool descending;
    cl_mem scratch; /* of gp_sort_strings_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_sort_strings_desc;

GP_API gp_result gp_sort_strings(gp_context *gp, const gp_sort_strings_desc *desc);

/* Bytes of scratch that gp_sort_strings with this desc needs; buffers in it may be NULL. Can be 0. */
GP_API gp_result gp_sort_strings_scratch_size(gp_context *gp, const gp_sort_strings_desc *desc,
                                              size_t *bytes);
/* ------------------------------------------------------------------ brackets */

/* Matches nested brackets, of any depth and any kinds.

   Each element has a code: +k opens a bracket of kind k, -k closes one, 0 is something else. By the stack of
   open brackets' indices, on which an opener puts its own and from which a closer takes one:
     match[i]    the partner of bracket i; none for what is no bracket
     parent[i]   top of the stack before i: the innermost opener around i; for a closer its opener
     depth[i]    height of the stack before i: how many openers are around i
   Elements that are no brackets have parents and depths too. Indices count from the call's first element;
   "none" has all bits set (UINT32_MAX, UINT64_MAX).

   Codes: of a GP_U8 the class of the symbol: `pairs` lists openers, each with its closer behind it (NULL:
   "()[]{}"; "<>" would be another), or `table` has a code for each of the 256 values, so that several symbols
   can be of one kind. GP_I8 and GP_I32 are codes already. Or `map`: an OpenCL C expression in x and i, for
   any type of integers, whose value, converted to int, is the code; "x == 7 ? 1 : x == 8 ? -1 : 0".

   Whatever the input, outputs are defined. A closer on an empty stack takes nothing, and has no partner and
   no parent. An opener that is never closed has no partner, and is around everything behind it. Kinds do not
   decide who matches: a pair of two kinds is a pair, and a mismatch. `errors` tells of all three.

   Integers only: the result is always the same. count 0: nothing is written but `errors`. Aliasing: none of
   what is written overlaps anything else. Scratch: 4 bytes an element at most, and up to 96 a tile (of some
   thousand elements). Cost: reads the input once and writes `match` once; tiles exchange what is left
   of them, at most every element once. Time does not depend on how deep brackets are nested: an opener in
   another tile is found by a search in a tree of tiles.

   `strategy`: GP_STRATEGY_MULTI_PASS, in which no group waits for another, and which reads the input once
   more for parents and depths, and once more for errors. GP_STRATEGY_SINGLE_PASS makes all outputs in one
   launch by look-back; with local memory it zeroes 2 bytes an element of scratch first, and openers that
   nobody closes take a launch more. Where a device that runs groups of one item is not known to order memory
   between them, and for one tile, it is GP_STRATEGY_MULTI_PASS all the same. Largest count: 2^32 - 1 with
   32-bit indices, else memory. (Levien, The stack monoid, 2020, for the monoid.) */
typedef struct gp_brackets_desc {
    cl_mem in;
    size_t in_offset;    /* elements, as all offsets */
    size_t count;        /* of elements, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;        /* of the input */
    const char *pairs;   /* GP_U8: openers and closers, in turns; read during the call; or: */
    const int8_t *table; /* GP_U8: 256 codes; read during the call; or: */
    const char *map;     /* code of an element */
    cl_mem match;        /* NULL: not wanted; the same for all outputs, of which there is one at least */
    size_t match_offset;
    cl_mem parent;
    size_t parent_offset;
    cl_mem depth;
    size_t depth_offset;
    gp_type index_type; /* of these three: GP_U32, GP_U64; 0: GP_U32 as long as count < 2^32 */
    cl_mem errors;      /* one gp_brackets_errors */
    size_t errors_offset;
    gp_strategy strategy;
    cl_mem scratch; /* of gp_brackets_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_brackets_desc;

/* What is wrong with the input, and how deep it is. Indices are UINT64_MAX where there is none. The last two
   numbers are about the work: how often closers found their openers in another tile, and how often one of
   those had to be searched for because it is in another tile than the one before. */
typedef struct gp_brackets_errors {
    uint64_t unmatched_closers;
    uint64_t first_unmatched_closer;
    uint64_t unmatched_openers;
    uint64_t first_unmatched_opener;
    uint64_t mismatches;     /* pairs of two kinds */
    uint64_t first_mismatch; /* of their closers the first */
    uint64_t max_depth;      /* most openers that are open at a time */
    uint64_t joined;
    uint64_t searches;
} gp_brackets_errors;

GP_API gp_result gp_brackets(gp_context *gp, const gp_brackets_desc *desc);

/* The same, then blocks and copies the errors to *errors. desc->errors may be NULL. */
GP_API gp_result gp_brackets_read(gp_context *gp, const gp_brackets_desc *desc, gp_brackets_errors *errors);

/* Bytes of scratch that gp_brackets with this desc needs; buffers in it may be NULL. Can be 0. */
GP_API gp_result gp_brackets_scratch_size(gp_context *gp, const gp_brackets_desc *desc, size_t *bytes);

/* ------------------------------------------------------------------ stack scan */

/* For each element of a nest of brackets: the product of the values of all openers that are open, outermost
   first. Nested clip rectangles and their intersections; nested transforms; the least of all that encloses.

   By a stack, on which an opener puts its value and from which a closer takes one:
     out[i] = initial . v0 . v1 ... vk      v0 ... vk: on the stack behind element i, lowest first
     exclusive: on the stack before element i
   So an opener's own value counts for itself, and is gone at its closer; with `exclusive` it counts for its
   closer and not for itself, and what counts are the openers that gp_brackets calls parent[i], its parent and
   so on. Elements that are no brackets get the same in both.

   Argmin and argmax give which of the open values is the extreme one: its opener's index, counted from the
   call's first element, of equal ones the lowest; all ones where none is open. out_type is GP_U64 or GP_U32.

   Codes are given as to gp_brackets: type, and pairs, table or map. Values: one for each element, of which
   only openers' are looked at; what comes of others' is thrown away, but the operation may be given them.
   Whatever the input, the output is defined: a closer on an empty stack takes nothing, an opener that is
   never closed counts to the end, kinds do not matter.

   Order: outermost first always, for any monoid. Products are grouped by tiles, the same way every time:
   float results repeat bit for bit on one device, and may differ from those of a stack in rounding. count 0
   does nothing. Aliasing: `out` overlaps nothing; inputs may overlap each other. Scratch: one sum an element,
   three and 32 bytes a tile (twice that for 2^32 elements or more). Cost: reads codes and openers' values
   twice, writes once; openers that tiles leave open are written and read once more. Depth costs at most the
   logarithm of the number of tiles for each tile, and for each closer whose opener is in another tile.
   Largest count: memory.
   (Levien, The stack monoid, 2020, for the monoid.) */
typedef struct gp_stack_scan_desc {
    cl_mem in;           /* what is a bracket */
    size_t in_offset;    /* elements, as all offsets */
    size_t count;        /* of elements, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;        /* of the input; codes as to gp_brackets: */
    const char *pairs;   /* GP_U8: openers and closers, in turns; read during the call; or: */
    const int8_t *table; /* GP_U8: 256 codes; read during the call; or: */
    const char *map;     /* code of an element, in x and i */
    cl_mem values;       /* count elements of value_type, or of the monoid */
    size_t values_offset;
    gp_type value_type;      /* with a monoid but no value_map: leave 0 */
    const char *value_map;   /* expression in x, an element of `values`, and i; NULL: the element itself */
    gp_type out_type;        /* of products and output; 0: value_type */
    gp_op op;                /* or: */
    const gp_monoid *monoid; /* instead of out_type and op */
    bool exclusive;          /* the stack before the element */
    const void *initial;     /* one element of out_type, read during the call; NULL: the identity */
    cl_mem out;              /* count elements of out_type */
    size_t out_offset;
    cl_mem scratch; /* of gp_stack_scan_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_stack_scan_desc;

GP_API gp_result gp_stack_scan(gp_context *gp, const gp_stack_scan_desc *desc);

/* Bytes of scratch that gp_stack_scan with this desc needs; buffers in it may be NULL. Can be 0. */
GP_API gp_result gp_stack_scan_scratch_size(gp_context *gp, const gp_stack_scan_desc *desc, size_t *bytes);

/* ------------------------------------------------------------------ tree */

/* What a consumer of a nest asks next, from each element's parent, in input order:
     index[i]      how many of its siblings (elements with the same parent) stand before element i
     children[i]   how many elements have parent i
     end[i]        where the subtree of i ends: it is elements i ... end[i] - 1
   At least one output is required.

   Parents are as gp_brackets writes them, or those of any tree whose nodes stand in preorder: an element's
   parent stands before it, and its subtree is of neighbours. None has all bits set; elements without a parent
   are siblings. An element whose parent does not stand before it counts as having none. If `parent` is
   not a preorder forest, the results are unspecified and time may grow with the square of a run; nothing is
   read or written outside the buffers, and the call ends.

   Which elements count, in `index` and `children`: all, or with `in` those that are not 0, or for which `map`
   is not 0. Of brackets, "x == '(' || x == '['" would count nests in nests, and "x == ','" commas, so that
   index is the position in a list. The others' index is how many that count stand before them.

   The result is always the same. count 0 does nothing. Aliasing: outputs overlap nothing. Scratch: 2 bytes an
   element, on CPUs and a bit, and 16 to 32 bytes a run (twice that with indices of 64 bits) of 16384 elements
   on CPUs (8192 with indices of 64 bits) and of 16 on GPUs. Cost: reads parents (on CPUs only those in other
   runs again, on GPUs twice), writes each output once; for each run and each parent outside it a search of
   some 2 log2(runs) steps. No group waits for another. Largest count: 2^32 - 1 with 32-bit indices, else
   memory. */
typedef struct gp_tree_desc {
    cl_mem parent; /* count indices */
    size_t parent_offset;
    size_t count;        /* of elements, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type index_type; /* of parent and of the outputs: GP_U32 or GP_U64; 0: GP_U32 */
    cl_mem in;          /* count elements of `type`; NULL with type 0: all elements count */
    size_t in_offset;
    gp_type type;    /* any integer type */
    const char *map; /* expression in x and i; NULL: the element itself */
    cl_mem index;    /* NULL: not wanted; the same for all outputs */
    size_t index_offset;
    cl_mem children;
    size_t children_offset;
    cl_mem end;
    size_t end_offset;
    cl_mem scratch; /* of gp_tree_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_tree_desc;

GP_API gp_result gp_tree(gp_context *gp, const gp_tree_desc *desc);

/* Bytes of scratch that gp_tree with this desc needs; buffers in it may be NULL. Can be 0. */
GP_API gp_result gp_tree_scratch_size(gp_context *gp, const gp_tree_desc *desc, size_t *bytes);

/* ------------------------------------------------------------------ hash table */

/* A hash table on the device: keys of 32 or 64 bits, compared by their bits, each with a value of 0 (a set),
   32 or 64 bits. Open addressing with linear probing, without locks.

   A handle belongs to one context; all zeros is none. A destroyed table's handle is refused. gp_hash_share
   gives a second context, of the same cl_context, a handle for the same table.
   Together or not: insert, insert_or_assign, insert_or_apply, find, contains, erase and for_each may run at
   the same time on one table, from several contexts, and your own kernels with them (gp_device_source).
   Clear, rehash, growing, destroy and share are exclusive: nothing else may use the table meanwhile, in any
   context; retrieve and the statistics want it unchanged, or count what they happen to see.
   Keys: all are legal. Values: all are legal where keys and values have up to 32 bits and the device has
   64-bit atomics, and where keys of 64 bits have values of 32. Elsewhere (values of 64 bits) one value is
   reserved: a key that is given it, or whose value would become it, is refused, counted, and left as it was.
   It is the one that `reserved` names. Where that is NULL it is one derived from `seed` that is hardly in any
   data (a signalling NaN; as an integer a large one), and then a refusal is an error: gp_finish and the next
   blocking call return GP_ERROR_INVALID_ARGUMENT, and say how many keys were refused and by which call (with
   an out-of-order queue only gp_finish, gp_hash_counts_read and gp_hash_size_read do, as other calls wait for
   their own commands only). Tables that need no reserved value do not look at `reserved`. Its memory: while
   the table lives, no other call of its contexts writes into its buffer (GP_ERROR_OVERLAP). Where somebody
   else has overwritten the buffer's header, calls leave the table alone: the functions that read its counts
   or statistics, and those that tell refusals, return GP_ERROR_INVALID_BUFFER. gp_hash_clear makes the table
   anew. Full: an operation looks at each slot once at most. Where no slot is left the key fails, is counted,
   and listed when asked for; keys that are there stay. gp_hash_rehash into more slots, then the listed keys
   again, finishes the batch. On devices with limited loops (loop_limit) a probe ends after 24,000 slots.
   Erased keys keep their slots, for the same key only, until a rehash drops them: so keys are unique. 64-bit
   data needs cl_khr_int64_base_atomics, else GP_ERROR_UNSUPPORTED. Memory: 8 bytes a slot for keys and values
   of up to 32 bits, else 16; one or two slots more than the capacity, and 256 bytes. Speed is best up to a
   load of 1/2, and good up to 0.8; see README. */
typedef struct gp_hash {
    uint64_t id;
} gp_hash;

typedef struct gp_hash_desc {
    size_t key_size;       /* 4 or 8 bytes */
    size_t value_size;     /* 0 (a set), 4 or 8 bytes */
    size_t capacity;       /* slots, rounded up to a power of two, 2^31 at most; or: */
    size_t expected_count; /* keys that there will be: the capacity is at least expected_count / max_load */
    float max_load;        /* in (0, 1]; 0: 0.5 */
    bool grow;            /* an insertion after which more than max_load of the slots might be taken blocks to
                             find out, and rehashes into twice the slots or more. Not with gp_hash_share. */
    uint64_t seed;        /* of the hash function (murmur3's finaliser) */
    const void *reserved; /* value_size bytes: a value that you do not store; NULL: see above */
    cl_mem buffer;        /* gp_hash_buffer_size bytes, yours until destroy or rehash; NULL: its own */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_desc;

/* Makes an empty table. On failure *table is all zeros. */
GP_API gp_result gp_hash_create(gp_context *gp, const gp_hash_desc *desc, gp_hash *table);

/* Bytes of the table's buffer. */
GP_API gp_result gp_hash_buffer_size(gp_context *gp, const gp_hash_desc *desc, size_t *bytes);

/* A handle in `gp` for a table of another context on the same cl_context. The table lives until all its
   handles are destroyed. */
GP_API gp_result gp_hash_share(gp_context *gp, gp_context *from, gp_hash table, gp_hash *out);

/* Lets go of the table; commands that use it still run to their end. gp_context_destroy does it too. */
GP_API gp_result gp_hash_destroy(gp_context *gp, gp_hash table);

/* The table's buffer, for kernels of your own; not retained for the caller. NULL for a handle that is none.
 */
GP_API cl_mem gp_hash_buffer(const gp_context *gp, gp_hash table);

typedef struct gp_hash_clear_desc {
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_clear_desc;

/* Empties the table and zeroes its counts. Exclusive. */
GP_API gp_result gp_hash_clear(gp_context *gp, gp_hash table, const gp_hash_clear_desc *desc);

/* What came of a key, as a byte in `results`. */
typedef enum gp_hash_result {
    GP_HASH_INSERTED = 1,   /* it was absent and is there now */
    GP_HASH_EXISTED = 2,    /* it was there: its value kept, assigned or combined */
    GP_HASH_FAILED = 3,     /* there was no slot for it */
    GP_HASH_REFUSED = 4,    /* its value is, or would have become, the reserved one, if there is one */
    GP_HASH_SUPERSEDED = 5, /* another of the batch's equal keys stood for it (duplicates) */
    GP_HASH_ERASED = 6,
    GP_HASH_ABSENT = 7 /* erase: it was not there */
} gp_hash_result;

/* Which of a batch's equal keys stands for all of them. */
typedef enum gp_hash_duplicates {
    GP_HASH_ANY = 0, /* insert: whichever comes first on the device; assign: whichever comes last */
    GP_HASH_FIRST,   /* the one with the lowest index: the same result every time */
    GP_HASH_LAST,    /* the one with the highest */
    GP_HASH_DUPLICATES_COUNT
} gp_hash_duplicates;

/* Strategy: single pass goes straight to the slots. Multi-pass first partitions the batch by home slot, so
   that a large table is walked through piece by piece; what comes of it is the same. A batch whose results
   are wanted, or with FIRST or LAST, goes straight all the same. Auto partitions for large tables and
   batches, where the device's profile says so. Scratch: none for single pass; multi-pass two partitioned
   arrays and 3 MiB; FIRST and LAST: a table of the batch's indices, 8 or 16 bytes each, 2 to 4 times as many
   slots as keys. Aliasing: inputs may overlap one another; outputs overlap nothing; nothing overlaps the
   table. */
typedef struct gp_hash_insert_desc {
    cl_mem keys; /* count elements of key_size */
    size_t keys_offset;
    cl_mem values; /* count elements of value_size; NULL for sets, and to count with insert_or_apply */
    size_t values_offset;
    size_t count;
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    gp_op op;                      /* insert_or_apply: sum, min, max, and, or, xor */
    gp_type type;                  /* insert_or_apply: of the values; 0: unsigned. Else 0 */
    gp_hash_duplicates duplicates; /* insert, insert_or_assign */
    cl_mem results;                /* count bytes: a gp_hash_result each; NULL: not wanted */
    size_t results_offset;
    /* The keys that failed, in any order, with their values; NULL: not wanted. `count` elements of room.
       Together they are the input of the call that tries again, with failed_count as its count_buffer. */
    cl_mem failed_keys;
    size_t failed_keys_offset;
    cl_mem failed_values;
    size_t failed_values_offset;
    cl_mem failed_count; /* one u32, written by the call; goes with failed_keys */
    size_t failed_count_offset;
    gp_strategy strategy;
    cl_mem scratch; /* of gp_hash_insert_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_insert_desc;

/* For each key: puts it in with its value; one that is there keeps its own. */
GP_API gp_result gp_hash_insert(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc);

/* For each key: puts it in, or replaces its value. */
GP_API gp_result gp_hash_insert_or_assign(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc);

/* For each key: puts it in, or combines: value <- value op new value. Equal keys of a batch combine too, so
   that one call is a group-by. Integers: the same result every time (unless a value meets the reserved one on
   the way); float sums depend on the order. `values` NULL adds 1 for each key. A key that is given the
   reserved value is refused, whatever `op` would make of it. */
GP_API gp_result gp_hash_insert_or_apply(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc);

/* Bytes of scratch that these calls with this desc need; buffers in it may be NULL. Can be 0. */
GP_API gp_result gp_hash_insert_scratch_size(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc,
                                             size_t *bytes);

typedef struct gp_hash_find_desc {
    cl_mem keys;
    size_t keys_offset;
    cl_mem values; /* count elements of value_size: each key's value, or `absent`; NULL: not wanted */
    size_t values_offset;
    cl_mem found; /* count bytes: 1 or 0; NULL: not wanted */
    size_t found_offset;
    const void
        *absent; /* value_size bytes, read during the call; NULL: `reserved` of gp_hash_desc, or all ones */
    size_t count;
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_find_desc;

/* values[i] = the value of keys[i]; found[i] = whether it is there. `values` may be `keys`, element by
   element, where both have one size. */
GP_API gp_result gp_hash_find(gp_context *gp, gp_hash table, const gp_hash_find_desc *desc);

/* The same without values: found[i] only. */
GP_API gp_result gp_hash_contains(gp_context *gp, gp_hash table, const gp_hash_find_desc *desc);

/* Strategy: as for insertion; a batch whose results are wanted goes straight. Scratch: none for single pass;
   multi-pass the partitioned keys and 3 MiB. Aliasing: results overlap nothing; nothing overlaps the table.
 */
typedef struct gp_hash_erase_desc {
    cl_mem keys;
    size_t keys_offset;
    cl_mem results; /* count bytes: GP_HASH_ERASED or GP_HASH_ABSENT; NULL: not wanted */
    size_t results_offset;
    size_t count;
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    gp_strategy strategy;
    cl_mem scratch; /* of gp_hash_erase_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_erase_desc;

/* Takes keys out. Their slots stay taken until a rehash. */
GP_API gp_result gp_hash_erase(gp_context *gp, gp_hash table, const gp_hash_erase_desc *desc);

/* Bytes of scratch that gp_hash_erase with this desc needs; buffers in it may be NULL. Can be 0. */
GP_API gp_result gp_hash_erase_scratch_size(gp_context *gp, gp_hash table, const gp_hash_erase_desc *desc,
                                            size_t *bytes);

/* Every live pair, compacted. `room` elements at most are written; *live_count says how many there are. */
typedef struct gp_hash_retrieve_desc {
    cl_mem keys; /* room elements of key_size */
    size_t keys_offset;
    cl_mem values; /* room elements of value_size; NULL: not wanted */
    size_t values_offset;
    size_t room;
    cl_mem live_count; /* one u32 */
    size_t live_count_offset;
    gp_type
        sort_type; /* of the keys, by which they are sorted (gp_sort), the same every time; 0: in any order */
    bool descending; /* with sort_type */
    cl_mem scratch;  /* of gp_hash_retrieve_scratch_size bytes; NULL: the context's. None without sort_type */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_retrieve_desc;

GP_API gp_result gp_hash_retrieve(gp_context *gp, gp_hash table, const gp_hash_retrieve_desc *desc);
GP_API gp_result gp_hash_retrieve_scratch_size(gp_context *gp, gp_hash table,
                                               const gp_hash_retrieve_desc *desc, size_t *bytes);

/* Expressions in OpenCL C, in which k is the key and v the value of a live pair. */
typedef struct gp_hash_for_each_desc {
    const char *where;  /* pairs for which it is 0 are left alone; NULL: all pairs */
    const char *map;    /* the value becomes this; or: */
    bool erase;         /* the key is erased */
    gp_type key_type;   /* of k; 0: unsigned */
    gp_type value_type; /* of v; 0: unsigned; a set has no v */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_for_each_desc;

/* Changes values, or erases keys, all over the table. Pairs that are mapped count as `existed`, keys that are
   erased as `erased`. Each pair of expressions is a program. Not for deterministic use beside other
   operations: a key that comes or goes meanwhile is seen or not. */
GP_API gp_result gp_hash_for_each(gp_context *gp, gp_hash table, const gp_hash_for_each_desc *desc);

typedef struct gp_hash_rehash_desc {
    size_t capacity;       /* slots, rounded up to a power of two; or: */
    size_t expected_count; /* as in gp_hash_desc, with the table's max_load; both 0: as many slots as now */
    cl_mem buffer;         /* for the new slots, of gp_hash_buffer_size bytes; NULL: its own */
} gp_hash_rehash_desc;

/* Moves all live keys into new slots, more, fewer or as many, and drops dead ones. Counts go on. Blocks;
   exclusive. Fails, and leaves the table as it was, where the live keys would not find their place. */
GP_API gp_result gp_hash_rehash(gp_context *gp, gp_hash table, const gp_hash_rehash_desc *desc);

/* What has happened since the table was made or cleared. Keys, not calls. */
typedef struct gp_hash_counts {
    uint64_t capacity;
    uint64_t live; /* keys that are there */
    uint64_t
        dead; /* slots of keys that are not, until a rehash; up to two fewer (gp_hash_stats.dead is exact) */
    uint64_t inserted, existed, failed, refused, superseded, erased;
} gp_hash_counts;

/* Both block until the queue's commands so far have ended. */
GP_API gp_result gp_hash_counts_read(gp_context *gp, gp_hash table, gp_hash_counts *out);
GP_API gp_result gp_hash_size_read(gp_context *gp, gp_hash table, size_t *live);

enum { GP_HASH_BINS = 32 };

/* Probe depth: how many slots behind its home a key stands. */
typedef struct gp_hash_stats {
    uint64_t capacity, live, dead;
    double load;       /* (live + dead) / capacity */
    double mean_depth; /* of live keys */
    uint64_t max_depth;
    uint64_t depths[GP_HASH_BINS]; /* live keys of depth 0, 1, 2-3, 4-7, 8-15, ... */
} gp_hash_stats;

/* Goes through the whole table. Blocks. */
GP_API gp_result gp_hash_stats_read(gp_context *gp, gp_hash table, gp_hash_stats *out);

/* ------------------------------------------------------------------ parts of the library for your kernels */

typedef enum gp_device_part {
    GP_DEVICE_HASH = 1, /* one hash table: gp_hash_open, gp_hash_find, _insert, _assign, _add, _erase ...
                           (kernels/hash/device.cl tells all) */
    GP_DEVICE_TILE = 2  /* what a work-group does together: reduce, scan, pack, unpack
                           (kernels/group/device.cl) */
} gp_device_part;

/* An operation for the work-groups of your kernels: functions gp_tile_NAME_reduce, gp_tile_NAME_scan and
   gp_tile_NAME_scan_exclusive on values of its type, halves being floats. */
typedef struct gp_tile_op {
    const char *name;        /* 1 to 32 letters, digits and underscores */
    gp_type type;            /* with op; */
    gp_op op;                /* all but argmin and argmax; or: */
    const gp_monoid *monoid; /* in item order always */
} gp_tile_op;

typedef struct gp_device_source_desc {
    gp_device_part part;
    gp_hash table;         /* GP_DEVICE_HASH: which one */
    const gp_tile_op *ops; /* GP_DEVICE_TILE: op_count of them; NULL: pack and unpack only */
    size_t op_count;       /* at most 64 */
    uint32_t
        group; /* ... work-items of the groups that the kernel is launched with, where it is always the same:
                  shorter code, none to speak of for 1, and GP_TILE_GROUP is defined; 0: any number */
} gp_device_source_desc;

/* OpenCL C to be put in front of a kernel's source, which is built with -cl-std=CL1.2.

   Hash: fit for this table; the kernel takes gp_hash_buffer as a __global uint *. Tile: one text a program.

       uint gp_tile_size(), gp_tile_item()                 items of the group, and which one this is
       T gp_tile_NAME_reduce(x, memory)                    x0 . x1 ... xG-1, to every item
       T gp_tile_NAME_scan(x, &total, memory)              x0 . x1 ... xl, to item l; total: of all
       T gp_tile_NAME_scan_exclusive(x, &total, memory)    x0 . x1 ... xl-1; the identity to item 0
       uint gp_tile_pack(n, &total, memory)                where n elements of this item go among the group's
       uint gp_tile_pack_at(n, counter, memory)            the same from *counter on (__global uint), in one
                                                           atomic addition
       uint gp_tile_unpack(n, memory)                      n pieces of each item: how many there are in all
       uint gp_tile_owner(piece, &rank, memory)            whose a piece is; calls may differ from item to
   item

   `memory` is __local, 2 elements of T (of uint) for each item of the group. All functions but size, item and
   owner have barriers: every item of the group calls, or none. The same input gives the same result for the
   same group; only the order of groups in gp_tile_pack_at is any. kernels/group/device.cl, which stands in
   the text, tells the rest. Both parts may stand in front of one kernel.

   Writes up to `capacity` bytes with the final zero; *size is how many there are. `text` may be NULL when
   capacity is 0. */
GP_API gp_result gp_device_source(gp_context *gp, const gp_device_source_desc *desc, char *text,
                                  size_t capacity, size_t *size);

/* ------------------------------------------------------------------ map */

/* out[i] = map(x, y, z, i), where x, y and z are in[i], in2[i] and in3[i]

   The expression's value is converted to out_type as C does. There may be no input at all: then the
   expression is in i alone. A name whose input is not there does not compile. A new expression is a new
   program. Aliasing: `out` may be the same elements as an input of its size (in place); else nothing overlaps
   `out`. Inputs may overlap one another. count_buffer's number apart from `out`. Cost: reads and writes once,
   one launch, no scratch. Elements are computed each for itself: the same result every time. */
typedef struct gp_transform_desc {
    cl_mem in; /* count elements of `type`; NULL and type 0: no input */
    size_t in_offset;
    gp_type type;
    cl_mem in2; /* a second input, for y; NULL: none */
    size_t in2_offset;
    gp_type type2; /* 0: `type` */
    cl_mem in3;    /* a third input, for z, beside a second one; NULL: none */
    size_t in3_offset;
    gp_type type3; /* 0: `type` */
    cl_mem out;    /* count elements of out_type */
    size_t out_offset;
    gp_type out_type;    /* 0: `type` */
    const char *map;     /* expression in x, y, z and i, in OpenCL C */
    size_t count;        /* of elements, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_transform_desc;

GP_API gp_result gp_transform(gp_context *gp, const gp_transform_desc *desc);

/* out[i] = value */
typedef struct gp_fill_desc {
    cl_mem out; /* count elements of element_size bytes */
    size_t out_offset;
    size_t element_size; /* 1, 2, 4, 8 or 16 */
    const void *value;   /* element_size bytes, read during the call; NULL: zeros */
    size_t count;        /* of elements, or their bound with count_buffer */
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_fill_desc;

/* One program for each element_size, whatever the value. */
GP_API gp_result gp_fill(gp_context *gp, const gp_fill_desc *desc);

/* out[i] = start + i * step

   Integers wrap round. Floats: i rounded to the type, one multiplication, one addition: no error adds up.
   Halves are computed as floats, and rounded when stored. */
typedef struct gp_iota_desc {
    cl_mem out; /* count elements of `type` */
    size_t out_offset;
    gp_type type;
    gp_value start; /* of `type`; of f32 where that is f16 */
    gp_value step;  /* all zeros: 1 */
    size_t count;   /* of elements, or their bound with count_buffer */
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_iota_desc;

/* One program for each type, whatever start and step. */
GP_API gp_result gp_iota(gp_context *gp, const gp_iota_desc *desc);

/* out[0] = in[0], out[i] = in[i] - in[i-1]

   With a map: out[i] = map(x, y, i) for i > 0, where x is in[i] and y is in[i-1]. in[0], differences and the
   map's value are converted to out_type as C does; a difference is one of `type` as an operand: types shorter
   than int are ints, halves are floats.
   Aliasing: in place (`out` the same elements as `in`), which takes a copy of the input in scratch; else no
   overlap. count_buffer's number apart from `out`. Cost: reads and writes once, one launch; in place a copy
   more. An inclusive scan undoes it. */
typedef struct gp_adjacent_difference_desc {
    cl_mem in;
    size_t in_offset;
    gp_type type;
    cl_mem out; /* count elements of out_type */
    size_t out_offset;
    gp_type out_type;    /* 0: `type` */
    const char *map;     /* expression in x, y and i; NULL: "x - y" */
    size_t count;        /* of elements, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    cl_mem
        scratch; /* of gp_adjacent_difference_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_adjacent_difference_desc;

GP_API gp_result gp_adjacent_difference(gp_context *gp, const gp_adjacent_difference_desc *desc);

/* Bytes of scratch that this desc needs: 0 unless `out` is `in`. Can be 0. */
GP_API gp_result gp_adjacent_difference_scratch_size(gp_context *gp, const gp_adjacent_difference_desc *desc,
                                                     size_t *bytes);

/* ------------------------------------------------------------------ gather, scatter, unpack */

/* gather: out[i] = in[indices[i]]        scatter: out[indices[i]] = in[i]

   Elements are moved, never looked at: element_size bytes each. An index that is not less than `limit` is
   skipped: a gather leaves that element of `out` as it is, a scatter drops that element of `in`;
   gp_profile.skipped counts them. Where indices of a scatter are equal, any one of their elements stays;
   where they are not, the result is the same every time. Aliasing: `out` overlaps nothing; `in` and `indices`
   may overlap each other. Cost: reads and writes each element once, by lines of memory where indices are near
   one another; one launch, no scratch. */
typedef struct gp_gather_desc {
    cl_mem in; /* gather: `limit` elements; scatter: `count` */
    size_t in_offset;
    cl_mem out; /* gather: `count` elements; scatter: `limit` */
    size_t out_offset;
    cl_mem indices; /* count numbers of index_type */
    size_t indices_offset;
    gp_type index_type;  /* GP_U32 (also 0) or GP_U64 */
    size_t element_size; /* bytes: 1, 2, 4, 8 or 16 */
    size_t limit;        /* elements of what is indexed; 0: every index is skipped */
    size_t count;        /* of indices, or their bound with count_buffer */
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_gather_desc;

GP_API gp_result gp_gather(gp_context *gp, const gp_gather_desc *desc);
GP_API gp_result gp_scatter(gp_context *gp, const gp_gather_desc *desc);

/* out[i] = the next element of `in`, for each i whose flag is set, in order; other elements stay as they are

   Undoes a selection by flags. Where more flags are set than `in` has elements, the last ones are skipped,
   and counted in gp_profile.skipped. Halves as flags are compared by their bits. Aliasing: `out` overlaps
   nothing; inputs may overlap one another. Cost: a scan of the flags into scratch (4 bytes an element, 8 from
   2^32 on), then reads and writes once. */
typedef struct gp_unpack_desc {
    cl_mem in; /* in_count elements */
    size_t in_offset;
    size_t in_count;
    cl_mem flags; /* count flags */
    size_t flags_offset;
    gp_type flags_type; /* 0: GP_U8 */
    cl_mem out;         /* count elements */
    size_t out_offset;
    size_t element_size; /* bytes: 1, 2, 4, 8 or 16 */
    size_t count;        /* of flags, or their bound with count_buffer */
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    cl_mem scratch; /* of gp_unpack_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_unpack_desc;

GP_API gp_result gp_unpack(gp_context *gp, const gp_unpack_desc *desc);

/* Bytes of scratch that gp_unpack with this desc needs; buffers in it may be NULL. Can be 0. */
GP_API gp_result gp_unpack_scratch_size(gp_context *gp, const gp_unpack_desc *desc, size_t *bytes);

/* ------------------------------------------------------------------ stencil */

/* What a neighbour beyond the border is. */
typedef enum gp_border {
    GP_BORDER_CLAMP = 0, /* the nearest element inside */
    GP_BORDER_WRAP,      /* the one at the other end */
    GP_BORDER_CONSTANT,  /* border_value */
    GP_BORDER_COUNT
} gp_border;

/* weights: out(x, y) = sum of weights(dx, dy) * in(x + dx, y + dy) over |dx| <= radius_x, |dy| <= radius_y
   map:     an expression in at(dx, dy), which is in(x + dx, y + dy); x, the element itself; i and j, its
   column and row

   A line (height 0 or 1) or a picture of rows; dx and dy count pixels, and a pixel has `channels` elements,
   each of which meets the same channel of its neighbours. Weights are f32 and lie on the device, row by row
   from (-radius_x, -radius_y) on: a correlation. They are summed in that order, as f32, or as f64 where an
   input or output is; integers are rounded to nearest and saturated. A map's value is converted to out_type
   as C does; dx and dy beyond the radius are taken back to it. A new map is a new program, new weights are
   not. Aliasing: in place (`out` the same elements as `in`, pitches too), which takes a copy of the input in
   scratch; else `out` overlaps nothing, from its first element to its last one. Cost: reads and writes once,
   but for the tiles' rims; one launch. */
typedef struct gp_stencil_desc {
    cl_mem in; /* height rows of width * channels elements */
    size_t in_offset;
    size_t in_pitch; /* elements from one row to the next; 0: width * channels */
    cl_mem out;      /* the same of out_type; what is between rows stays as it is */
    size_t out_offset;
    size_t out_pitch;
    gp_type type;
    gp_type out_type;  /* 0: `type` */
    size_t width;      /* pixels; 0: does nothing */
    size_t height;     /* 0: 1 */
    uint32_t channels; /* 1 to 4; 0: 1 */
    uint32_t radius_x; /* 0 to 8 */
    uint32_t radius_y;
    gp_border border;
    gp_value border_value; /* of `type`; of f32 where that is f16 */
    cl_mem weights;        /* (2 radius_x + 1) * (2 radius_y + 1) floats; or: */
    size_t weights_offset;
    const char *map;
    cl_mem scratch; /* of gp_stencil_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_stencil_desc;

GP_API gp_result gp_stencil(gp_context *gp, const gp_stencil_desc *desc);

/* Bytes of scratch that this desc needs: 0 unless `out` is `in`. */
GP_API gp_result gp_stencil_scratch_size(gp_context *gp, const gp_stencil_desc *desc, size_t *bytes);

/* ------------------------------------------------------------------ random */

typedef enum gp_random_kind {
    GP_RANDOM_BITS = 0, /* integers: all bits random */
    GP_RANDOM_UNIFORM,  /* floats: [0, 1), multiples of 2^-24 (f16: 2^-11, f64: 2^-53) */
    GP_RANDOM_RANGE,    /* integers: [low, high), each value to within 2^-64 of its chance */
    GP_RANDOM_NORMAL,   /* floats: normal, by Box and Muller */
    GP_RANDOM_KIND_COUNT
} gp_random_kind;

/* out[i] = element first_element + i of a stream of random numbers

   The stream is named by `seed` and `stream`, and is the same on every device, in every shape and for however
   many calls it is made: Philox4x32-10 (Salmon, Moraes, Dror & Shaw, SC11) with the seed as its key, and as
   its counter a block's number and the stream. An element takes words of 32 bits from the blocks in a row,
   low words first: two for types of 8 bytes and for ranges, else one; BITS of shorter types are the word's
   low bits. Bounds of a range are .i64 for all signed types, .u64 for all unsigned ones, so that `high` may
   be one more than the type holds (256); as the lower and upper of gp_histogram. Normal numbers come in pairs
   and are the same up to what the device's log, sqrt, sinpi and cospi round. Aliasing: count_buffer's number
   apart from `out`. Cost: one launch, no scratch; writes once. */
typedef struct gp_random_desc {
    cl_mem out; /* count elements of `type` */
    size_t out_offset;
    gp_type type;
    gp_random_kind kind;
    uint64_t seed;
    uint64_t stream;        /* another one: other numbers for the same seed */
    uint64_t first_element; /* so that a call may go on where one ended */
    gp_value low;           /* of a range: .i64 of signed types, .u64 of unsigned ones */
    gp_value high;          /* the same; itself not in the range */
    double mean;            /* normal; finite, as `type` too */
    double deviation;       /* normal: standard deviation, finite, not negative; 0: 1 */
    size_t count;           /* of elements, or their bound with count_buffer */
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_random_desc;

/* One program for each type and kind. */
GP_API gp_result gp_random(gp_context *gp, const gp_random_desc *desc);

/* ------------------------------------------------------------------ warm-up, profile */

/* Builds (or loads) what calls with these descs will need, launches it once on a few internal elements,
   and saves it to the disk cache. Only what names the work is read: types (name type2 for two inputs),
   ops, monoid, map, strategy, reverse, segments, compensated. Its launches count in the profile:
   gp_profile_reset. Blocks. */
typedef struct gp_warmup_desc {
    const gp_reduce_desc *reduce; /* NULL: not wanted */
    const gp_scan_desc *scan;
    const gp_sort_desc *sort;   /* of this also value_size (for gp_argsort the indices'); count: how many keys
                                   are to be expected, 0: few and many */
    const gp_merge_desc *merge; /* of this key_type and value_size */
    const gp_search_desc *search;                     /* of this key_type and out_type */
    const gp_segmented_reduce_desc *segmented_reduce; /* of this type, out_type, op, monoid, map */
    const gp_histogram_desc
        *histogram;           /* of this type, channels, out_type, weight_type, whether there are edges */
    const gp_topk_desc *topk; /* of this key_type, index_type and strategy */
    const gp_segmented_sort_desc *segmented_sort; /* of this also value_size */
    const gp_sort_strings_desc *sort_strings;     /* of this only that it is there */
    const gp_brackets_desc
        *brackets; /* of this also pairs, table, map, index_type, strategy, which outputs are there */
    const gp_stack_scan_desc *stack_scan; /* of this also pairs, table, value_map */
    const gp_tree_desc *tree;             /* of this type, map and index_type */
    const gp_select_desc *select;         /* of these also element_size, predicate, which buffers are there */
    const gp_partition_desc *partition;
    const gp_unique_desc *unique; /* with values: gp_unique_by_key */
    const gp_run_length_encode_desc *run_length_encode;
    const gp_reduce_by_key_desc
        *reduce_by_key; /* of this also key_type or key_size, equal, keys_out or not */
    const gp_hash_desc
        *hash; /* of this only key_size, value_size: batches, clear, rehash, retrieve, statistics */
    const gp_transform_desc *transform;                     /* of this the types and map */
    const gp_fill_desc *fill;                               /* of this element_size */
    const gp_iota_desc *iota;                               /* of this the type */
    const gp_adjacent_difference_desc *adjacent_difference; /* of this the types and map */
    const gp_gather_desc *gather;                           /* of this element_size and index_type */
    const gp_gather_desc *scatter;                          /* the same */
    const gp_unpack_desc *unpack; /* of this element_size and flags_type; count: whether it is over 2^32 */
    const gp_stencil_desc
        *stencil;                 /* of this types, channels, radii, border, map, whether height is over 1 */
    const gp_random_desc *random; /* of this type and kind */
} gp_warmup_desc;

GP_API gp_result gp_warmup(gp_context *gp, const gp_warmup_desc *desc);

/* Counters since the context was made or last reset. */
typedef struct gp_profile {
    uint64_t programs_built;  /* compiled from source */
    uint64_t programs_loaded; /* from the disk cache */
    uint64_t programs_saved;
    uint64_t programs_shared;  /* taken over from `share` */
    uint64_t programs_dropped; /* released to keep `program_limit` */
    uint64_t launches;         /* kernels enqueued */
    uint64_t fallbacks;        /* tiles that a waiting group computed for a late one; selections that a
                                  sample misled (gp_topk) */
    uint64_t abandoned;        /* look-backs that a device cut short, results wrong; always 0 so far */
    uint64_t clamped;          /* calls whose count_buffer held more than `count` */
    uint64_t bad_offsets;      /* calls that found bad offsets of segments or strings */
    uint64_t skipped;          /* elements whose index was out of range (gp_gather, gp_scatter, gp_unpack) */
    uint64_t scratch_bytes;    /* held by the context now */
} gp_profile;

/* Nanoseconds of one kernel by OpenCL event times. All zero unless gp_context_desc.profile. */
typedef struct gp_kernel_profile {
    char name[GP_NAME_MAX];
    uint64_t launches;
    uint64_t total_ns;
    uint64_t min_ns;
    uint64_t max_ns;
} gp_kernel_profile;

/* Both block until the queue is idle. */
GP_API gp_result gp_profile_read(gp_context *gp, gp_profile *out);
/* Writes up to `capacity` entries, one a kernel name; *count is how many there are. */
GP_API gp_result gp_profile_kernels(gp_context *gp, gp_kernel_profile *out, size_t capacity, size_t *count);
GP_API gp_result gp_profile_reset(gp_context *gp);

#ifdef __cplusplus
}
#endif
#endif /* GPUPRIM_H */
