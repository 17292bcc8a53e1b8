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
     - Buffers are cl_mem plus an offset in elements, of any alignment that the element type has.
     - Calls are asynchronous: they check, enqueue on the context's queue and return. Only a call that
       is named ..._read, or is documented to block, blocks.
     - `wait`/`wait_count` are events that the call's first command waits for; one that is NULL or has
       failed already is refused. `done`, when not NULL, receives an event that the caller releases; it
       completes when the call's results are ready. It is set to NULL when the call fails.
     - Calls do not flush: clFlush or gp_finish before polling `done` or waiting for it on another queue.
     - Calls that come faster than the device runs them are held back: with 1024 commands of a context in
       flight, a call flushes and waits until half of them have ended. It does not wait for commands that
       do not begin to run, because a user event of yours, say, holds them up.
     - On an out-of-order queue a call orders its own commands, and the context's scratch; that one call
       comes after another is for `wait` and `done` to say.
     - `count` may live on the device: with `count_buffer`, the number of elements is read from there when
       the call runs (count_type: GP_U32 or GP_U64, at element count_offset), and `count` is its upper
       bound, for which buffers are checked and work is launched. A larger number is clamped to the bound
       and counted in gp_profile.clamped.
     - The first use of a primitive with new types builds a program, also for a count of 0 and for a
       ..._scratch_size. gp_warmup moves that cost, and tells which fields make a new program.
     - A context belongs to one host thread at a time. Different contexts run freely in parallel.
     - Nothing prints (an OpenCL implementation may, when a text of yours does not compile), aborts or leaves
       a half-made object. Failures return a negative gp_result, and
       gp_last_error tells the function, the condition with its values, and the OpenCL error by name.

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

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
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
    X(GP_ERROR_LAW, -14, "a monoid is none")

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
   a stands before b in input order. Both must be usable after `source` is pasted into a kernel; names
   beginning with gp_, gpi_, GP_ or GPI_ are taken. `size` is sizeof(type): 4, 8, 12, ... 64 bytes, the same
   on host and device, and legal as a kernel's argument (no bool, size_t or pointer inside). The combine
   function may be a built-in, and the source must not #include (the cache would not see a change in the
   included file) nor #define names that are not its own. `identity` points to `size` bytes and must be
   neutral on both sides. `commutative` lets the library combine in any order; without it, input order is
   kept. `exact` says that recombining the same elements in another grouping gives the same bits (integers,
   min/max; not float sums): a group may then publish results for one that is late.
   The strings and the identity are read during the call only. */
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
   monoid to the monoid's type, and `type` then names the input's. The text is read during the call only. */

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
    cl_uint loop_limit;       /* iterations after which the device drops out of loops; 0: none known */
} gp_device_info;

/* Overrides of a device's profile, for tests and tuning. Zero keeps the profile's value. */
typedef struct gp_tuning {
    gp_shape shape;
    gp_words words;
    uint32_t work_group_size; /* local shape only; rounded down to a power of two */
    uint32_t tile;            /* serial: elements a group; local: elements a work-item */
    uint32_t polls;           /* how often a group looks at a late tile before it computes it itself */
    uint32_t ring_rows;       /* gp_sort, kernels/ring.cl: rows of the look-back table; a power of two */
    uint32_t ring_reach;      /* ... how many tiles a look-back goes back */
    uint32_t ring_block;      /* ... tiles that may end in any order; a power of two */
    uint32_t sort_portion;    /* gp_sort: most keys of one launch of a single pass */
    uint32_t sort_bucket;     /* gp_sort, kernels/buckets.cl: most keys of a bucket; 1: no buckets */
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

    void (*log)(gp_log_level level, const char *text, void *user); /* NULL: silent */
    void *log_user;

    /* A command that fails after its call has returned: told here, on the context's own thread, from
       gp_finish, a blocking read, destroy, or a later call. It must not call the library with this
       context. NULL: gp_finish returns it all the same. */
    void (*on_async_error)(gp_result result, const char *text, void *user);
    void *async_error_user;

    const char *cache_dir; /* of built programs; NULL: $XDG_CACHE_HOME/gpuprim or ~/.cache/gpuprim */
    bool no_disk_cache;
    /* Bytes that the cache folder may hold; 0: 256 MiB. After a save, the programs that were used longest
       ago (to the second) are removed until the rest fits. Windows: not bounded. */
    size_t cache_limit;
    const char *dump_dir;      /* when set, each built program's source and binary are written there */
    const char *build_options; /* appended to the options of every program */
    bool fast_math;            /* -cl-fast-relaxed-math; off: results as IEEE says */
    bool profile;              /* collect gp_kernel_profile times; slows calls down a little */
    gp_context *share;         /* use its cl_context and device, and start with its programs (if built with
                                  the same options): how a second queue on the same buffers is made */
    gp_strategy strategy;      /* for calls that say GP_STRATEGY_AUTO */
    bool check_monoids;        /* the first call with a monoid tries it, as gp_check_monoid does without
                                  samples, and blocks; GP_ERROR_LAW where it is none */
    gp_tuning tuning;
} gp_context_desc;

/* Makes a context: chooses a device, or takes yours, and probes it. Builds nothing yet.
   On failure *out is NULL and gp_last_error(NULL) has the text (kept for each host thread). */
GP_API gp_result gp_context_create(const gp_context_desc *desc, gp_context **out);

/* Waits for the queue, saves built programs, frees everything. NULL is allowed. */
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
   Returns the first failure of a command since the last gp_finish: a call that returned GP_OK can still
   fail on the device, for example when an event that it waits for has failed. */
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
   summed in about twice the precision; no gain where values are infinite or NaN. Cost: reads the input once;
   one launch up to one tile, two beyond. Aliasing: `out` may be inside `in`. */
typedef struct gp_reduce_desc {
    cl_mem in;
    size_t in_offset; /* elements */
    cl_mem out;       /* one result; may be NULL in gp_reduce_read */
    size_t out_offset;
    size_t count;        /* of elements, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type type;             /* of the input; with a monoid but no map: leave 0 */
    gp_type out_type;         /* 0: 64 bits for sums and products of integers, f32 for those of halves, else
                                 `type`; not narrower than `type` without a map */
    gp_op op;                 /* or: */
    const gp_op *ops;         /* several, op_count of 1..GP_OPS_MAX, instead of op and out_type; or: */
    const gp_monoid *monoid;  /* instead of out_type and op */
    const gp_type *out_types; /* of each of ops; NULL, or 0 in it: as for out_type */
    size_t op_count;
    bool compensated; /* float sums */
    const char *map;  /* expression in x, y, i; NULL: the element itself */
    gp_type map_type; /* with ops: of the map's value; 0: `type` */
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

/* ------------------------------------------------------------------ check_monoid */

/* Looks for elements that show that a monoid is none: e a = a = a e, (a b) c = a (b c), and a b = b a where
   it is said to be commutative, with the device's arithmetic: on 4096 triples of the samples, and then on as
   many of samples and products of three, so that what combine makes obeys too. The first counter-example is
   GP_ERROR_LAW, and gp_last_error tells the elements. GP_OK means that none was found, not that there is
   none. Blocks. Builds a program. */
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
   read and written once each, by one group, small neighbours together. Larger ones take two readings and a
   writing a pass of 8 bits, all segments in the same launches. Scratch besides the second buffers: a position
   a segment, and 1 KiB for each tile's length of `count`; 2 KiB where count >= 2^32. Largest segment_count:
   2^32 - 2. (Count, scan, scatter: Satish, Harris & Garland 2009.) */
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
    size_t index_size;   /* bytes: 4 or 8; 0: 4 */
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
   any integer type, whose value is the code; "x == 7 ? 1 : x == 8 ? -1 : 0".

   Whatever the input, outputs are defined. A closer on an empty stack takes nothing, and has no partner and
   no parent. An opener that is never closed has no partner, and is around everything behind it. Kinds do not
   decide who matches: a pair of two kinds is a pair, and a mismatch. `errors` tells of all three.

   Integers only: the result is always the same. count 0: nothing is written but `errors`. Aliasing: none of
   what is written overlaps anything else. Scratch: 4 bytes an element, and up to 96 a tile (of some thousand
   elements). Cost: one reading of the input and one writing of `match`; with parent or depth one more
   reading; tiles exchange what is left of them, at most every element once. Time does not depend on how deep
   brackets are nested: an opener in another tile is found by a search in a tree of tiles.
   Largest count: 2^32 - 1 with 32-bit indices, else memory.
   (Levien, The stack monoid, 2020, for the monoid.) */
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
    cl_mem match;        /* NULL: not wanted; the same for all outputs */
    size_t match_offset;
    cl_mem parent;
    size_t parent_offset;
    cl_mem depth;
    size_t depth_offset;
    gp_type index_type; /* of these three: GP_U32, GP_U64; 0: GP_U32 as long as count < 2^32 */
    cl_mem errors;      /* one gp_brackets_errors */
    size_t errors_offset;
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

/* ------------------------------------------------------------------ hash table */

/* A hash table on the device: keys of 32 or 64 bits, compared by their bits, each with a value of 0 (a set),
   32 or 64 bits. Open addressing with linear probing, without locks.

   A handle belongs to one context; all zeros is none. A destroyed table's handle is refused. gp_hash_share
   gives a second context, of the same cl_context, a handle for the same table.
   Together or not: insert, insert_or_assign, insert_or_apply, find, contains, erase and for_each may run at
   the same time on one table, from several contexts, and your own kernels with them (gp_device_source).
   Clear, rehash, growing, destroy and share are exclusive: nothing else may use the table meanwhile, in any
   context; retrieve and the statistics want it unchanged, or count what they happen to see.
   Keys: all are legal. Values: one is reserved, all ones unless `reserved` names another; a key whose value
   it is or would become is refused, counted, and left as it was. Full: an operation looks at each slot once
   at most. Where no slot is left the key fails, is counted, and listed when asked for; keys that are there
   stay. gp_hash_rehash into more slots, then the listed keys again, finishes the batch. On devices with
   limited loops (llvmpipe) a probe ends after 24,000 slots. Erased keys keep their slots, for the same key
   only, until a rehash drops them: so no key is ever there twice. 64-bit data needs
   cl_khr_int64_base_atomics, else GP_ERROR_UNSUPPORTED. Memory: 8 bytes a slot for keys and values of up to
   32 bits, else 16; one slot more than the capacity, and 256 bytes. Speed is best up to a load of 1/2, and
   good up to 0.8; see README. */
typedef struct gp_hash {
    uint64_t id;
} gp_hash;

typedef struct gp_hash_desc {
    size_t key_size;       /* 4 or 8 bytes */
    size_t value_size;     /* 0 (a set), 4 or 8 bytes */
    size_t capacity;       /* slots, rounded up to a power of two, 2^31 at most; 0: by expected_count */
    size_t expected_count; /* keys that there will be: capacity is at least expected_count / max_load */
    float max_load;        /* in (0, 1]; 0: 0.5 */
    bool grow;            /* an insertion after which more than max_load of the slots might be taken blocks to
                             find out, and rehashes into twice the slots or more. Not with gp_hash_share. */
    uint64_t seed;        /* of the hash function (murmur3's finaliser) */
    const void *reserved; /* value_size bytes, read during the call; NULL: all ones */
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
    GP_HASH_REFUSED = 4,    /* its value is, or would have become, the reserved one */
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
   that a large table is walked through piece by piece; results are the same. Auto takes it for large tables
   and batches, where the device's profile says so. Scratch: none for single pass; multi-pass two partitioned
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
    gp_type type;                  /* insert_or_apply: of the values; 0: unsigned */
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
   the way); float sums depend on the order. `values` NULL adds 1 for each key. */
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
    const void *absent; /* value_size bytes, read during the call; NULL: the reserved value */
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

typedef struct gp_hash_erase_desc {
    cl_mem keys;
    size_t keys_offset;
    cl_mem results; /* count bytes: GP_HASH_ERASED or GP_HASH_ABSENT; NULL: not wanted */
    size_t results_offset;
    size_t count;
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_erase_desc;

/* Takes keys out. Their slots stay taken until a rehash. */
GP_API gp_result gp_hash_erase(gp_context *gp, gp_hash table, const gp_hash_erase_desc *desc);

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
    bool descending;
    cl_mem scratch; /* of gp_hash_retrieve_scratch_size bytes; NULL: the context's. None without sort_type */
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

/* Changes values, or erases keys, all over the table. Each pair of expressions is a program. Not for
   deterministic use beside other operations: a key that comes or goes meanwhile is seen or not. */
GP_API gp_result gp_hash_for_each(gp_context *gp, gp_hash table, const gp_hash_for_each_desc *desc);

typedef struct gp_hash_rehash_desc {
    size_t capacity;       /* slots, rounded up to a power of two; 0: by expected_count, or as now */
    size_t expected_count; /* as in gp_hash_desc, with the table's max_load */
    cl_mem buffer;         /* for the new slots, of gp_hash_buffer_size bytes; NULL: its own */
} gp_hash_rehash_desc;

/* Moves all live keys into new slots, more, fewer or as many, and drops dead ones. Counts go on. Blocks;
   exclusive. Fails, and leaves the table as it was, where the live keys would not find their place. */
GP_API gp_result gp_hash_rehash(gp_context *gp, gp_hash table, const gp_hash_rehash_desc *desc);

/* What has happened since the table was made or cleared. Keys, not calls. */
typedef struct gp_hash_counts {
    uint64_t capacity;
    uint64_t live; /* keys that are there */
    uint64_t dead; /* slots of keys that are not, until a rehash */
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

/* Parts of the library for kernels of your own. */
typedef enum gp_device_part {
    GP_DEVICE_HASH =
        1 /* kernels/hash_device.cl: gp_hash_open, gp_hash_find, _insert, _assign, _add, _erase ... */
} gp_device_part;

/* OpenCL C to be put in front of a kernel's source, fit for this table. Build it with -cl-std=CL1.2, and
   pass gp_hash_buffer as a __global uint *. Writes up to `capacity` bytes with the final zero; *size is how
   many there are. `text` may be NULL when capacity is 0. */
GP_API gp_result gp_device_source(gp_context *gp, gp_device_part part, gp_hash table, char *text,
                                  size_t capacity, size_t *size);

/* ------------------------------------------------------------------ map */

/* out[i] = map(x, y, z, i), where x, y and z are in[i], in2[i] and in3[i]

   The expression's value is converted to out_type as C does. There may be no input at all: then the
   expression is in i alone. A new expression is a new program. Aliasing: `out` may be the same elements as an
   input of its size (in place); else nothing overlaps `out`. Inputs may overlap one another. count_buffer's
   number apart from `out`. Cost: reads and writes once, one launch, no scratch. Elements are computed each
   for itself: the same result every time. */
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
    gp_type flag_type; /* 0: GP_U8 */
    cl_mem out;        /* count elements */
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
   from
   (-radius_x, -radius_y) on: a correlation. They are summed in that order, as f32, or as f64 where an input
   or output is; integers are rounded to nearest and saturated. A map's value is converted to out_type as C
   does; dx and dy beyond the radius are taken back to it. A new map is a new program, new weights are not.
   Aliasing: in place (`out` the same elements as `in`, pitches too), which takes a copy of the input in
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
   low bits. Normal numbers come in pairs and are the same up to what the device's log, sqrt, sinpi and cospi
   round. Aliasing: count_buffer's number apart from `out`. Cost: one launch, no scratch; writes once. */
typedef struct gp_random_desc {
    cl_mem out; /* count elements of `type` */
    size_t out_offset;
    gp_type type;
    gp_random_kind kind;
    uint64_t seed;
    uint64_t stream;        /* another one: other numbers for the same seed */
    uint64_t first_element; /* so that a call may go on where one ended */
    gp_value low;           /* of a range, of `type` */
    gp_value high;          /* itself not in it */
    double mean;            /* normal */
    double deviation;       /* normal: standard deviation; 0: 1 */
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
    const gp_search_desc *search;                 /* of this key_type and out_type */
    const gp_topk_desc *topk;                     /* of this key_type, index_type and strategy */
    const gp_segmented_sort_desc *segmented_sort; /* of this also value_size */
    const gp_sort_strings_desc *sort_strings;     /* of this only that it is there */
    const gp_brackets_desc
        *brackets; /* of this also pairs, table, map, index_type, which outputs are there */
    const gp_hash_desc
        *hash; /* of this only key_size, value_size: batches, clear, rehash, retrieve, statistics */
    const gp_transform_desc *transform;                     /* of this the types and map */
    const gp_fill_desc *fill;                               /* of this element_size */
    const gp_iota_desc *iota;                               /* of this the type */
    const gp_adjacent_difference_desc *adjacent_difference; /* of this the types and map */
    const gp_gather_desc *gather;                           /* of this element_size and index_type */
    const gp_gather_desc *scatter;                          /* the same */
    const gp_unpack_desc *unpack; /* of this element_size and flag_type; count: whether it is over 2^32 */
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
    uint64_t programs_shared; /* taken over from `share` */
    uint64_t launches;        /* kernels enqueued */
    uint64_t fallbacks;       /* tiles that a waiting group computed for a late one; selections that a
                                 sample misled (gp_topk) */
    uint64_t abandoned;       /* look-backs that a device cut short, results wrong; always 0 so far */
    uint64_t clamped;         /* calls whose count_buffer held more than `count` */
    uint64_t bad_offsets;     /* calls that found bad offsets of segments or strings */
    uint64_t skipped;         /* elements whose index was out of range (gp_gather, gp_scatter, gp_unpack) */
    uint64_t scratch_bytes;   /* held by the context now */
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

/* From here on this file is generated: tools/amalgamate.sh makes it from src/ and kernels/. */
#ifdef GP_IMPLEMENTATION
#ifndef GPI_IMPLEMENTATION_ONCE
#define GPI_IMPLEMENTATION_ONCE

/* ---- Begin file src/internal.h ---- */
/* internal.h - what the implementation files share. Everything here is private: gpi_, GPI_, static.

   The implementation is written in the common subset of C99 and C++11. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


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
#define GPI_ELEMENT_MAX 128       /* bytes of an element, eight fields included */
#define GPI_TILES_MAX 0x7fffffffu /* tiles of one call */
#define GPI_KERNELS_MAX 9         /* kernels of one program */
#define GPI_DEVICES_MAX 64        /* of a platform, of a context */
#define GPI_ERROR_MAX 8192        /* characters of gp_last_error, build log included */
#define GPI_IN_FLIGHT_MAX 1024    /* commands, see events.c */

/* ------------------------------------------------------------------ profile */

typedef enum gpi_primitive {
    GPI_REDUCE,
    GPI_SCAN,
    GPI_SORT,
    GPI_BUCKETS,
    GPI_MERGE,
    GPI_SEARCH,
    GPI_TOPK,
    GPI_SEGMENTED_SORT,
    GPI_SORT_STRINGS,
    GPI_BRACKETS,
    GPI_HASH,
    GPI_HASH_EACH,
    GPI_LAWS,
    GPI_MAP, /* transform, fill, iota, adjacent_difference */
    GPI_RANDOM,
    GPI_GATHER, /* scatter, unpack */
    GPI_STENCIL,
    GPI_PRIMITIVES
} gpi_primitive;

/* How a call is going to run: a row of the profile table, fitted to the element. */
typedef struct gpi_plan {
    gp_shape shape;
    gp_words words;
    gp_strategy strategy;
    uint32_t group; /* work-items of a group */
    uint32_t items; /* elements of an item */
    uint32_t polls; /* see lookback.cl; never 0 here */
} gpi_plan;

/* ------------------------------------------------------------------ elements */

/* The fields of a desc that say what is combined. Zero: not used. */
typedef struct gpi_operation {
    gp_type type, type2, out_type; /* out_type 0: with a monoid or several ops only */
    gp_op op;
    const gp_op *ops; /* several at once, with out_types (or NULL) and map_type */
    const gp_type *out_types;
    size_t op_count;
    gp_type map_type;
    const gp_monoid *monoid;
    const char *map;
    const void *initial;
    bool compensated;
    bool reverse;
    gp_segments segments;
    gp_type heads_type;
} gpi_operation;

/* One built-in operation on values of one type: a field of the element (field.cl). */
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
    size_t group_max;  /* the largest group that all kernels can be launched with */
    uint32_t launched; /* bit k: kernel k has been launched, so that its machine code exists */
    uint32_t saved;    /* bit k: ... and is in the file of the disk cache */
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

/* A hash table, as all contexts that share it see it. The buffer starts with the same facts (hash.cl). */
typedef struct gpi_table {
    uint32_t references; /* handles */
    size_t key_size, value_size;
    bool packed, wide; /* form: packed; split with words of 64 bits; else split with words of 32 */
    uint32_t mask;     /* capacity - 1 */
    uint64_t seed, reserved;
    double max_load;
    bool grow;
    uint64_t taken; /* slots, at most; kept where the table grows */
    cl_mem buffer;
} gpi_table;

/* What a gp_hash leads to. The generation tells it from handles that had the place before. */
typedef struct gpi_handle {
    gpi_table *table; /* NULL: free */
    uint32_t generation;
} gpi_handle;

enum { GPI_KERNEL_PROFILES = 64, GPI_COUNTERS = 5, GPI_ASYNC_TEXT_MAX = 256 };

struct gp_context {
    gp_context_desc desc; /* its strings are copied or no longer looked at */
    gp_device_info info;
    cl_context context;
    cl_command_queue queue;
    bool out_of_order;

    char *cache_dir; /* NULL: no disk cache */
    char *dump_dir;  /* NULL: no dump */
    char *options;   /* of every build */
    gpi_program *programs;

    cl_mem scratch;
    size_t scratch_size;
    cl_event scratch_busy; /* out-of-order queues: the last command that uses the scratch */
    cl_mem counters;       /* GPI_COUNTERS uints, see lookback.cl */
    cl_mem result;         /* one element, for gp_reduce_read without a buffer */

    uint64_t *laws; /* of monoids that have been tried: check_monoids */
    size_t law_count;

    gpi_handle *handles; /* of hash tables */
    uint32_t handle_count;
    uint32_t generation; /* of the next one */

    gp_profile profile;
    gp_kernel_profile kernels[GPI_KERNEL_PROFILES];
    size_t kernel_count;
    gpi_pending *pending;
    size_t pending_count, pending_capacity;
    size_t pending_stalled;              /* the first ones, that a call has waited for in vain */
    char async_text[GPI_ASYNC_TEXT_MAX]; /* of the first failure after enqueuing; empty: none */

    char error[GPI_ERROR_MAX];
};

/* error.c */
static gp_result gpi_fail(gp_context *gp, gp_result result, const char *format, ...) GPI_PRINTF(3, 4);
static gp_result gpi_fail_cl(gp_context *gp, cl_int error, const char *function, const char *call);
static void gpi_log(const gp_context *gp, gp_log_level level, const char *format, ...) GPI_PRINTF(3, 4);
static const char *gpi_cl_error_name(cl_int error);
static char *gpi_format(const char *format, ...) GPI_PRINTF(1, 2);

/* device.c */
static gp_result gpi_device_choose(const gp_context_desc *desc, gp_device_info *info);
static void gpi_device_probe(cl_platform_id platform, cl_device_id device, gp_device_info *info);
static bool gpi_has_extension(const char *extensions, const char *name);
static bool gpi_is_llvmpipe(const gp_device_info *info);

/* profile.c */
static gp_result gpi_plan_make(gp_context *gp, const char *function, gpi_primitive primitive,
                               const gpi_element *element, gp_strategy strategy, gpi_plan *plan);
static gp_result gpi_plan_make_sort(gp_context *gp, const char *function, size_t key_size,
                                    gp_strategy strategy, gpi_plan *plan);
static gp_result gpi_plan_make_keys(gp_context *gp, const char *function, gpi_primitive primitive,
                                    size_t key_size, gpi_plan *plan);
static gp_result gpi_plan_make_brackets(gp_context *gp, const char *function, size_t index_size,
                                        gpi_plan *plan);
static gp_result gpi_plan_make_hash(gp_context *gp, const char *function, gp_strategy strategy,
                                    gpi_plan *plan);
static gp_result gpi_plan_make_map(gp_context *gp, const char *function, size_t size, gpi_plan *plan);
static size_t gpi_plan_tile(const gpi_plan *plan);
static gp_result gpi_plan_tiles(gp_context *gp, const char *function, const gpi_plan *plan, size_t count,
                                cl_uint *tiles);

/* cache.c */
#define GPI_HASH_SEED 0xcbf29ce484222325u
static uint64_t gpi_hash(uint64_t hash, const void *data, size_t size);
static char *gpi_cache_dir_default(void);
static bool gpi_make_dirs(const char *path);
static unsigned char *gpi_cache_load(gp_context *gp, gpi_program *program, size_t *size);
static void gpi_cache_drop(gp_context *gp, const gpi_program *program);
static bool gpi_cache_save(gp_context *gp, gpi_program *program, const unsigned char *binary, size_t size);
static void gpi_dump(gp_context *gp, const gpi_program *program, const char *ending, const void *data,
                     size_t size);

/* program.c */
static void gpi_text_add(gpi_text *text, const char *format, ...) GPI_PRINTF(2, 3);
static char *gpi_prelude_make(const gp_context *gp, gpi_primitive primitive, const gpi_element *element,
                              const gpi_plan *plan);
static gp_result gpi_program_get(gp_context *gp, const char *function, gpi_primitive primitive,
                                 const gpi_element *element, gpi_plan *plan, gpi_program **out);
static gp_result gpi_program_get_text(gp_context *gp, const char *function, gpi_primitive primitive,
                                      char *prelude, size_t fields, gpi_program **out);
/* Writes a plan's and a description's prelude; NULL: no memory. */
typedef char *gpi_prelude_function(const gp_context *gp, const gpi_plan *plan, const void *description);
static gp_result gpi_program_get_fit(gp_context *gp, const char *function, gpi_primitive primitive,
                                     gpi_prelude_function *prelude, const void *description, gpi_plan *plan,
                                     gpi_program **out);
static void gpi_prelude_plan(const gp_context *gp, const gpi_plan *plan, gpi_text *text);
static void gpi_programs_save(gp_context *gp);
static void gpi_programs_free(gp_context *gp);
static gp_result gpi_programs_share(gp_context *gp, const gp_context *from);
static const char *gpi_kernel_name(gpi_primitive primitive, size_t k);

/* monoid.c */
static gp_result gpi_element_make(gp_context *gp, const char *function, const gpi_operation *operation,
                                  gpi_element *element);
static size_t gpi_type_size(gp_type type);
static const char *gpi_type_cl(gp_type type);
static bool gpi_is_blank(const char *text);
static size_t gpi_round_up(size_t x, size_t multiple);
static gp_result gpi_check_positions(gp_context *gp, const char *function, const gpi_element *element,
                                     size_t count);
static gp_result gpi_check_type(gp_context *gp, const char *function, const char *field, gp_type type);
static gp_type gpi_operand(gp_type type);
static bool gpi_is_float(gp_type type);
static bool gpi_is_signed(gp_type type);
static bool gpi_is_arg(gp_op op);
static void gpi_element_prelude(const gpi_element *element, gpi_primitive primitive, const gpi_plan *plan,
                                gpi_text *text);

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

/* A piece of a buffer: bytes [begin, end) of the outermost buffer that holds it. */
typedef struct gpi_range {
    cl_mem root;
    size_t begin, end;
} gpi_range;

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
static void gpi_range_resolve(cl_mem buffer, gpi_range *range);
static bool gpi_same(const gpi_range *a, const gpi_range *b);
static bool gpi_overlap(const gpi_range *a, const gpi_range *b);
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

/* events.c */
static void gpi_watch(gp_context *gp, const char *function, const char *kernel, cl_event event);
static void gpi_settle(gp_context *gp);
static void gpi_settle_all(gp_context *gp);
static void gpi_throttle(gp_context *gp);
static gp_result gpi_async_result(gp_context *gp);
static cl_int gpi_event_status(cl_event event);

/* sort.c: also what the sorts of segments and of strings share */
enum { GPI_SORT_DIGIT_BITS = 8, GPI_SORT_BINS = 256 };
enum { GPI_PLACE_IN = 0, GPI_PLACE_OUT = 1, GPI_PLACE_TMP = 2 }; /* digit.cl */

/* When a classic pass has something to do: digit.cl. */
typedef enum gpi_sort_when {
    GPI_ALWAYS,
    GPI_WHEN_ABANDONED,
    GPI_UNLESS_BUCKETS,
    GPI_WHEN_BUCKETS
} gpi_sort_when;

/* Where the parts of the scratch begin, in bytes (digit.cl). */
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
    gpi_sort_array key[3], value[3]; /* by GPI_PLACE_... of digit.cl */
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

/* brackets.c */
static gp_result gpi_brackets_warm_up(gp_context *gp, const gp_brackets_desc *desc);
/* hash_table.c, hash.c, hash_slots.c */
static gp_result gpi_hash_warm_up(gp_context *gp, const gp_hash_desc *desc);
static void gpi_hash_free_all(gp_context *gp);
static gp_result gpi_hash_make_room(gp_context *gp, const char *function, gpi_table *table, size_t count);

/* map.c, random.c, gather.c, stencil.c */
static gp_result gpi_stencil_warm_up(gp_context *gp, const gp_stencil_desc *desc);
static gp_result gpi_gather_warm_up(gp_context *gp, const gp_warmup_desc *desc);
static gp_result gpi_map_warm_up(gp_context *gp, const gp_warmup_desc *desc);
static gp_result gpi_random_warm_up(gp_context *gp, const gp_random_desc *desc);

#define GPI_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define GPI_CALL_ARG(call, variable) gpi_call_arg(call, sizeof(variable), &(variable))
/* ---- End file src/internal.h ---- */

/* ---- Begin file kernels/platform.cl ---- */
static const char *const gpi_kernel_platform[] = {
    "#line 1 \"kernels/platform.cl\"\n",
    "/* platform.cl - what differs between vendors and devices, and nothing else.\n",
    "\n",
    "   Words that groups exchange while they run. Both sides of every access are atomic operations, relaxed,\n",
    "   because OpenCL C 1.2 has no acquire or release, and several devices have none at all. That suffices:\n",
    "   each word carries its own validity (lookback.cl). A plain or volatile read would be a data race.\n",
    "\n",
    "       wide word    ulong   needs cl_khr_int64_base_atomics\n",
    "       narrow word  uint    OpenCL 1.2 core\n",
    "\n",
    "   Parameters\n",
    "       GPI_WIDE             1: wide words, 0: narrow words\n",
    "       GPI_INT64_EXTENDED   1: cl_khr_int64_extended_atomics, a cheaper atomic read of a wide word\n",
    "       GPI_FP64             1: double is used\n",
    "       GPI_WG               work-items of a group                                                     */\n",
    "#if !defined(GPI_WIDE) || !defined(GPI_WG) || !defined(GPI_FP64)\n",
    "#error \"GPI_WIDE, GPI_WG and GPI_FP64 must be defined\"\n",
    "#endif\n",
    "#if GPI_WG < 1 || (GPI_WG & (GPI_WG - 1))\n",
    "#error \"GPI_WG must be a power of two\"\n",
    "#endif\n",
    "\n",
    "#if GPI_FP64\n",
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
    "#endif\n",
    "#pragma OPENCL FP_CONTRACT OFF\n",
    "\n",
    "#define GPI_KERNEL __kernel __attribute__((reqd_work_group_size(GPI_WG, 1, 1)))\n",
    "\n",
    "#if GPI_WIDE\n",
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n",
    "typedef ulong gpi_word;\n",
    "\n",
    "#if GPI_INT64_EXTENDED\n",
    "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n",
    "static gpi_word gpi_word_read(volatile __global gpi_word *p) { return atom_or(p, 0ul); }\n",
    "#else\n",
    "static gpi_word gpi_word_read(volatile __global gpi_word *p) { return atom_cmpxchg(p, 0ul, 0ul); }\n",
    "#endif\n",
    "static gpi_word gpi_word_cas(volatile __global gpi_word *p, gpi_word old, gpi_word w)\n",
    "{\n",
    "    return atom_cmpxchg(p, old, w);\n",
    "}\n",
    "static void gpi_word_write(volatile __global gpi_word *p, gpi_word w) { (void)atom_xchg(p, w); }\n",
    "static gpi_word gpi_word_swap(volatile __global gpi_word *p, gpi_word w) { return atom_xchg(p, w); }\n",
    "static void gpi_word_replace(volatile __global gpi_word *p, gpi_word old, gpi_word w)\n",
    "{\n",
    "    (void)atom_cmpxchg(p, old, w);\n",
    "}\n",
    "#else\n",
    "typedef uint gpi_word;\n",
    "\n",
    "static gpi_word gpi_word_read(volatile __global gpi_word *p) { return atomic_or(p, 0u); }\n",
    "static gpi_word gpi_word_cas(volatile __global gpi_word *p, gpi_word old, gpi_word w)\n",
    "{\n",
    "    return atomic_cmpxchg(p, old, w);\n",
    "}\n",
    "static void gpi_word_write(volatile __global gpi_word *p, gpi_word w) { (void)atomic_xchg(p, w); }\n",
    "static gpi_word gpi_word_swap(volatile __global gpi_word *p, gpi_word w) { return atomic_xchg(p, w); }\n",
    "static void gpi_word_replace(volatile __global gpi_word *p, gpi_word old, gpi_word w)\n",
    "{\n",
    "    (void)atomic_cmpxchg(p, old, w);\n",
    "}\n",
    "#endif\n",
    "\n",
    "/* A relaxed atomic load: gpi_word_read without the price of an atomic operation, where a load is known to be\n",
    "   one: clang's own built-in on PoCL; PTX, in which ld.volatile is a relaxed load (PTX ISA, memory consistency\n",
    "   model). */\n",
    "#if defined(POCL_DEVICE_ADDRESS_BITS)\n",
    "static gpi_word gpi_word_load(volatile __global gpi_word *p)\n",
    "{\n",
    "    return __atomic_load_n((volatile __private gpi_word *)(size_t)p, __ATOMIC_RELAXED);\n",
    "}\n",
    "#elif defined(cl_nv_pragma_unroll)\n",
    "static gpi_word gpi_word_load(volatile __global gpi_word *p) { return *p; }\n",
    "#else\n",
    "static gpi_word gpi_word_load(volatile __global gpi_word *p) { return gpi_word_read(p); }\n",
    "#endif\n",
    "\n",
    "/* GPI_LINE_WORDS aligned 64-bit words at once, each of them loaded as by gpi_word_load: where the words of a\n",
    "   vector load are known to be whole. 0: not known. On x86 aligned words are, in vectors too; PTX takes a\n",
    "   vector as its elements, of which 32 bytes are what memory hands out at once. */\n",
    "#if GPI_WIDE && defined(POCL_DEVICE_ADDRESS_BITS) && defined(__x86_64__)\n",
    "#define GPI_LINE_WORDS 8\n",
    "typedef ulong8 gpi_line;\n",
    "typedef long8 gpi_line_mask;\n",
    "static gpi_line gpi_line_load(volatile __global gpi_word *p) { return *(volatile __global ulong8 *)p; }\n",
    "#elif GPI_WIDE && defined(cl_nv_pragma_unroll)\n",
    "#define GPI_LINE_WORDS 4\n",
    "typedef ulong4 gpi_line;\n",
    "typedef long4 gpi_line_mask;\n",
    "static gpi_line gpi_line_load(volatile __global gpi_word *p)\n",
    "{\n",
    "    const ulong2 a = ((volatile __global ulong2 *)p)[0], b = ((volatile __global ulong2 *)p)[1];\n",
    "    return (ulong4)(a, b);\n",
    "}\n",
    "#else\n",
    "#define GPI_LINE_WORDS 0\n",
    "#endif\n",
    "\n",
    "/* Hints that the cache line at p will be read, or written, soon. Of all implementations PoCL alone is known\n",
    "   to take them; the built-in prefetch() of OpenCL C does nothing there. */\n",
    "#if defined(POCL_DEVICE_ADDRESS_BITS)\n",
    "#define GPI_PREFETCH_READ(p) __builtin_prefetch((const __private void *)(size_t)(p), 0, 3)\n",
    "#define GPI_PREFETCH_WRITE(p) __builtin_prefetch((const __private void *)(size_t)(p), 1, 2)\n",
    "#else\n",
    "#define GPI_PREFETCH_READ(p) (void)(p)\n",
    "#define GPI_PREFETCH_WRITE(p) (void)(p)\n",
    "#endif\n",
    "\n",
    "/* What to inline, where that was measured. Elsewhere compilers inline everything; Oclgrind 21.10 fails on\n",
    "   what inlining leaves behind (llvm.experimental.noalias.scope.decl). */\n",
    "#if defined(POCL_DEVICE_ADDRESS_BITS)\n",
    "#define GPI_INLINE __attribute__((always_inline)) static\n",
    "#define GPI_NOINLINE __attribute__((noinline)) static\n",
    "#else\n",
    "#define GPI_INLINE static\n",
    "#define GPI_NOINLINE static\n",
    "#endif\n",
    "\n",
    "/* A condition that hardly ever holds. */\n",
    "#if defined(POCL_DEVICE_ADDRESS_BITS)\n",
    "#define GPI_RARELY(x) __builtin_expect(!!(x), 0)\n",
    "#else\n",
    "#define GPI_RARELY(x) (x)\n",
    "#endif\n",
    "\n",
    "/* Loads or stores 16 elements where any one may be; `type` is their vector's, aligned as one element is.\n",
    "   PoCL's own vstore16 writes bytes and shorts one by one. */\n",
    "#if defined(POCL_DEVICE_ADDRESS_BITS)\n",
    "#define GPI_LOAD_VECTOR(type, p) (*(__global const type *)(p))\n",
    "#define GPI_STORE_VECTOR(type, v, p) *(__global type *)(p) = v\n",
    "#else\n",
    "#define GPI_LOAD_VECTOR(type, p) vload16(0, p)\n",
    "#define GPI_STORE_VECTOR(type, v, p) vstore16(v, 0, p)\n",
    "#endif\n",
    "\n",
    "/* Stores a cache line of 16 words, aligned, which nobody will read soon: past the caches where the compiler\n",
    "   is known to take the hint. Measured: docs/PERFORMANCE.md. */\n",
    "#if defined(POCL_DEVICE_ADDRESS_BITS)\n",
    "#define GPI_STREAM_STORE(v, p) __builtin_nontemporal_store(v, p)\n",
    "#else\n",
    "#define GPI_STREAM_STORE(v, p) (*(p) = (v))\n",
    "#endif\n",
};
/* ---- End file kernels/platform.cl ---- */

/* ---- Begin file kernels/count.cl ---- */
static const char *const gpi_kernel_count[] = {
    "#line 1 \"kernels/count.cl\"\n",
    "/* count.cl - how many elements a call is about, and the context's counters. */\n",
    "\n",
    "/* How many elements a call is about: `bound`, known to the host, or what the device finds in `wanted`, a\n",
    "   number of `wanted_words` 32-bit words at index `wanted_offset`; never more than `bound`. Not read when\n",
    "   `wanted_words` is 0. */\n",
    "#define GPI_COUNT_PARAMETERS ulong bound, __global const uint *wanted, ulong wanted_offset, uint wanted_words\n",
    "\n",
    "/* Number i of an array whose numbers have one or two words. */\n",
    "static ulong gpi_number(__global const uint *numbers, ulong i, uint words)\n",
    "{\n",
    "    numbers += i * words;\n",
    "    return words == 1 ? numbers[0] : (ulong)numbers[1] << 32 | numbers[0];\n",
    "}\n",
    "\n",
    "static ulong gpi_count_wanted(ulong bound, __global const uint *wanted, ulong wanted_offset,\n",
    "                              uint wanted_words)\n",
    "{\n",
    "    return wanted_words == 0 ? bound : gpi_number(wanted, wanted_offset, wanted_words);\n",
    "}\n",
    "\n",
    "static ulong gpi_count(ulong bound, __global const uint *wanted, ulong wanted_offset, uint wanted_words)\n",
    "{\n",
    "    return min(bound, gpi_count_wanted(bound, wanted, wanted_offset, wanted_words));\n",
    "}\n",
    "\n",
    "/* Counters of the context, raised only when something unusual happens. */\n",
    "#define GPI_COUNT_FALLBACKS 0 /* tiles computed by a group that waited for another */\n",
    "#define GPI_COUNT_ABANDONED 1 /* look-backs that the device cut short */\n",
    "#define GPI_COUNT_CLAMPED 2   /* calls that wanted more elements than their bound */\n",
    "#define GPI_COUNT_BAD 3       /* calls that found bad offsets */\n",
    "#define GPI_COUNT_SKIPPED 4   /* elements whose index was out of range */\n",
    "\n",
    "/* One group of a call says so when more was wanted than allowed. */\n",
    "#define GPI_COUNT_CHECK(first_group, counters)                                \\\n",
    "    if ((first_group) && get_local_id(0) == 0 &&                              \\\n",
    "        gpi_count_wanted(bound, wanted, wanted_offset, wanted_words) > bound) \\\n",
    "    atomic_inc((counters) + GPI_COUNT_CLAMPED)\n",
    "\n",
    "/* The same for a call with several counts: parameters x_bound, x_wanted ... */\n",
    "#define GPI_COUNT_PARAMETERS_NAMED(x) \\\n",
    "    ulong x##_bound, __global const uint *x##_wanted, ulong x##_wanted_offset, uint x##_wanted_words\n",
    "#define GPI_COUNT_NAMED(x) gpi_count(x##_bound, x##_wanted, x##_wanted_offset, x##_wanted_words)\n",
    "#define GPI_COUNT_CHECK_NAMED(x, first_group, counters)                                           \\\n",
    "    if ((first_group) && get_local_id(0) == 0 &&                                                  \\\n",
    "        gpi_count_wanted(x##_bound, x##_wanted, x##_wanted_offset, x##_wanted_words) > x##_bound) \\\n",
    "    atomic_inc((counters) + GPI_COUNT_CLAMPED)\n",
    "/* Adds to a count of 64 bits, with atomics of 32: the low half's overflow is seen by whoever causes it. */\n",
    "static void gpi_add_wide(volatile __global uint *count, uint x)\n",
    "{\n",
    "    const uint old = atomic_add(count, x);\n",
    "    if (old + x < old) (void)atomic_inc(count + 1);\n",
    "}\n",
};
/* ---- End file kernels/count.cl ---- */

/* ---- Begin file kernels/field.cl ---- */
static const char *const gpi_kernel_field[] = {
    "#line 1 \"kernels/field.cl\"\n",
    "/* field.cl - one built-in operation on values of one type.\n",
    "\n",
    "   This file is composed once for every field n of an element (most have one), with GPI_FIELD n; all names\n",
    "   that it defines end in _n.\n",
    "\n",
    "       gpi_field_n                        what is combined\n",
    "       gpi_field_make_n(y, i)             of input element y at index i\n",
    "       gpi_field_combine_n(a, b)          a stands before b\n",
    "       gpi_field_result_n(a)              what is stored of it\n",
    "\n",
    "   and, where GPI_LANES > 1, on a vector of GPI_LANES elements side by side:\n",
    "\n",
    "       gpi_lanes_n\n",
    "       gpi_lanes_identity_n(e)            e: the field's identity\n",
    "       gpi_lanes_make_n(y, i)             of a vector of input elements, the first at index i of the tile\n",
    "       gpi_lanes_combine_n(a, b)          lane by lane\n",
    "       gpi_lanes_fold_n(a, e, base)       all lanes combined; the tile begins at index `base`\n",
    "\n",
    "   Three kinds of field\n",
    "       plain           the value itself\n",
    "       arg             a value and where it stands: argmin, argmax\n",
    "       compensated     a sum and what rounding took from it (Neumaier 1974, by two-sums: Knuth, TAOCP 2)\n",
    "\n",
    "   Parameters\n",
    "       GPI_OP_n            the operation, one of the codes below\n",
    "       GPI_VALUE_n         type of the value, at least 32 bits wide for arg\n",
    "       GPI_FLOAT_n         1: GPI_VALUE_n is float or double\n",
    "       GPI_RESULT_n        type of what is stored, as an operand\n",
    "       GPI_COMPENSATED_n   1: the compensated kind\n",
    "       GPI_LANE_n          type of a lane of the plain kind: GPI_VALUE_n, or a narrower one that the sums of\n",
    "                           a tile fit into\n",
    "       GPI_INDEX_n         unsigned integer as wide as GPI_VALUE_n: indices of the arg kind within a tile */\n",
    "#ifndef GPI_SUM\n",
    "#define GPI_SUM 1\n",
    "#define GPI_PROD 2\n",
    "#define GPI_MIN 3\n",
    "#define GPI_MAX 4\n",
    "#define GPI_AND 5\n",
    "#define GPI_OR 6\n",
    "#define GPI_XOR 7\n",
    "#define GPI_ARGMIN 8\n",
    "#define GPI_ARGMAX 9\n",
    "\n",
    "#define GPI_PASTE_(a, b) a##b\n",
    "#define GPI_PASTE(a, b) GPI_PASTE_(a, b)\n",
    "#define GPI_N(name) GPI_PASTE(name, GPI_FIELD)\n",
    "/* The vector of GPI_LANES (16) elements of a type, and the conversion to it. */\n",
    "#define GPI_VECTOR(type) GPI_PASTE(type, 16)\n",
    "#define GPI_CONVERT(type, v) GPI_PASTE(convert_, GPI_VECTOR(type))(v)\n",
    "#endif\n",
    "\n",
    "#define GPI_OP GPI_N(GPI_OP_)\n",
    "#define GPI_VALUE GPI_N(GPI_VALUE_)\n",
    "#define GPI_FLOAT GPI_N(GPI_FLOAT_)\n",
    "#define GPI_LANE GPI_N(GPI_LANE_)\n",
    "#define GPI_INDEX GPI_N(GPI_INDEX_)\n",
    "#define GPI_FIELD_T GPI_N(gpi_field_)\n",
    "#define GPI_LANES_T GPI_N(gpi_lanes_)\n",
    "#define GPI_FIELD_COMBINE GPI_N(gpi_field_combine_)\n",
    "\n",
    "#if GPI_OP >= GPI_ARGMIN\n",
    "/* ------------------------------------------------------------------ arg */\n",
    "\n",
    "/* Index ~0: nowhere, as in the identity. It is in two words, so that no byte of the struct is padding. */\n",
    "typedef struct GPI_N(gpi_arg_) {\n",
    "    GPI_VALUE value;\n",
    "    uint low, high;\n",
    "} GPI_FIELD_T;\n",
    "\n",
    "static ulong GPI_N(gpi_arg_index_)(GPI_FIELD_T a) { return (ulong)a.high << 32 | a.low; }\n",
    "\n",
    "static GPI_FIELD_T GPI_N(gpi_field_make_)(GPI_VALUE value, ulong i)\n",
    "{\n",
    "    GPI_FIELD_T a;\n",
    "    a.value = value;\n",
    "    a.low = (uint)i;\n",
    "    a.high = (uint)(i >> 32);\n",
    "    return a;\n",
    "}\n",
    "\n",
    "#if GPI_OP == GPI_ARGMIN\n",
    "#define GPI_BEATS(a, b) ((a) < (b))\n",
    "#else\n",
    "#define GPI_BEATS(a, b) ((a) > (b))\n",
    "#endif\n",
    "\n",
    "/* The better value; of equal ones the one with the lower index. NaN beats nothing, and loses to all. */\n",
    "static GPI_FIELD_T GPI_FIELD_COMBINE(GPI_FIELD_T a, GPI_FIELD_T b)\n",
    "{\n",
    "    const bool tie = a.value == b.value && GPI_N(gpi_arg_index_)(b) < GPI_N(gpi_arg_index_)(a);\n",
    "#if GPI_FLOAT\n",
    "    if (isnan(a.value)) return b;\n",
    "#endif\n",
    "    return GPI_BEATS(b.value, a.value) || tie ? b : a;\n",
    "}\n",
    "\n",
    "static GPI_N(GPI_RESULT_) GPI_N(gpi_field_result_)(GPI_FIELD_T a)\n",
    "{\n",
    "    return (GPI_N(GPI_RESULT_))GPI_N(gpi_arg_index_)(a);\n",
    "}\n",
    "\n",
    "#if GPI_LANES > 1\n",
    "typedef struct GPI_N(gpi_arg_lanes_) {\n",
    "    GPI_VECTOR(GPI_VALUE) value;\n",
    "    GPI_VECTOR(GPI_INDEX) index; /* in the tile; ~0: nowhere */\n",
    "} GPI_LANES_T;\n",
    "\n",
    "static GPI_LANES_T GPI_N(gpi_lanes_identity_)(GPI_FIELD_T e)\n",
    "{\n",
    "    GPI_LANES_T a;\n",
    "    a.value = (GPI_VECTOR(GPI_VALUE))(e.value);\n",
    "    a.index = (GPI_VECTOR(GPI_INDEX))(~(GPI_INDEX)0);\n",
    "    return a;\n",
    "}\n",
    "\n",
    "static GPI_LANES_T GPI_N(gpi_lanes_make_)(GPI_VECTOR(GPI_Y) y, uint i)\n",
    "{\n",
    "    GPI_LANES_T a;\n",
    "    a.value = GPI_CONVERT(GPI_VALUE, y);\n",
    "    a.index = (GPI_VECTOR(GPI_INDEX))(i) +\n",
    "              (GPI_VECTOR(GPI_INDEX))(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);\n",
    "    return a;\n",
    "}\n",
    "\n",
    "/* `a` holds no NaN: all lanes begin with the identity, and NaN beats nothing. */\n",
    "static GPI_LANES_T GPI_N(gpi_lanes_combine_)(GPI_LANES_T a, GPI_LANES_T b)\n",
    "{\n",
    "    GPI_LANES_T c;\n",
    "    c.value =\n",
    "        select(a.value, b.value, GPI_BEATS(b.value, a.value) | ((a.value == b.value) & (b.index < a.index)));\n",
    "    c.index =\n",
    "        select(a.index, b.index, GPI_BEATS(b.value, a.value) | ((a.value == b.value) & (b.index < a.index)));\n",
    "    return c;\n",
    "}\n",
    "\n",
    "static GPI_FIELD_T GPI_N(gpi_lanes_fold_)(GPI_LANES_T a, GPI_FIELD_T e, ulong base)\n",
    "{\n",
    "    GPI_VALUE value[16];\n",
    "    GPI_INDEX index[16];\n",
    "    vstore16(a.value, 0, value);\n",
    "    vstore16(a.index, 0, index);\n",
    "    for (uint k = 0; k < 16; k++) {\n",
    "        const bool nowhere = index[k] == (GPI_INDEX) ~(GPI_INDEX)0;\n",
    "        e = GPI_FIELD_COMBINE(e, GPI_N(gpi_field_make_)(value[k], nowhere ? ~0ul : base + index[k]));\n",
    "    }\n",
    "    return e;\n",
    "}\n",
    "#endif\n",
    "#undef GPI_BEATS\n",
    "\n",
    "#elif GPI_N(GPI_COMPENSATED_)\n",
    "/* ------------------------------------------------------------------ compensated */\n",
    "\n",
    "typedef struct GPI_N(gpi_compensated_) {\n",
    "    GPI_VALUE sum, rest;\n",
    "} GPI_FIELD_T;\n",
    "\n",
    "static GPI_FIELD_T GPI_N(gpi_field_make_)(GPI_VALUE value, ulong i)\n",
    "{\n",
    "    GPI_FIELD_T a;\n",
    "    a.sum = value;\n",
    "    a.rest = 0;\n",
    "    return a;\n",
    "}\n",
    "\n",
    "/* c.sum is the rounded a.sum + b.sum; what rounding took is exact, and goes to the rest. */\n",
    "#define GPI_TWO_SUM(a, b, c, part)   \\\n",
    "    c.sum = a.sum + b.sum;           \\\n",
    "    part = c.sum - a.sum;            \\\n",
    "    c.rest = a.sum - (c.sum - part); \\\n",
    "    c.rest += b.sum - part;          \\\n",
    "    c.rest += a.rest + b.rest\n",
    "\n",
    "static GPI_FIELD_T GPI_FIELD_COMBINE(GPI_FIELD_T a, GPI_FIELD_T b)\n",
    "{\n",
    "    GPI_FIELD_T c;\n",
    "    GPI_VALUE part;\n",
    "    GPI_TWO_SUM(a, b, c, part);\n",
    "    return c;\n",
    "}\n",
    "\n",
    "/* Behind an infinite or NaN sum the rest means nothing. */\n",
    "static GPI_N(GPI_RESULT_) GPI_N(gpi_field_result_)(GPI_FIELD_T a)\n",
    "{\n",
    "    return isfinite(a.sum) ? a.sum + a.rest : a.sum;\n",
    "}\n",
    "\n",
    "#if GPI_LANES > 1\n",
    "typedef struct GPI_N(gpi_compensated_lanes_) {\n",
    "    GPI_VECTOR(GPI_VALUE) sum, rest;\n",
    "} GPI_LANES_T;\n",
    "\n",
    "static GPI_LANES_T GPI_N(gpi_lanes_identity_)(GPI_FIELD_T e)\n",
    "{\n",
    "    GPI_LANES_T a;\n",
    "    a.sum = a.rest = (GPI_VECTOR(GPI_VALUE))(e.sum);\n",
    "    return a;\n",
    "}\n",
    "\n",
    "static GPI_LANES_T GPI_N(gpi_lanes_make_)(GPI_VECTOR(GPI_Y) y, uint i)\n",
    "{\n",
    "    GPI_LANES_T a;\n",
    "    a.sum = GPI_CONVERT(GPI_VALUE, y);\n",
    "    a.rest = (GPI_VECTOR(GPI_VALUE))(0);\n",
    "    return a;\n",
    "}\n",
    "\n",
    "static GPI_LANES_T GPI_N(gpi_lanes_combine_)(GPI_LANES_T a, GPI_LANES_T b)\n",
    "{\n",
    "    GPI_LANES_T c;\n",
    "    GPI_VECTOR(GPI_VALUE) part;\n",
    "    GPI_TWO_SUM(a, b, c, part);\n",
    "    return c;\n",
    "}\n",
    "\n",
    "static GPI_FIELD_T GPI_N(gpi_lanes_fold_)(GPI_LANES_T a, GPI_FIELD_T e, ulong base)\n",
    "{\n",
    "    GPI_VALUE sum[16], rest[16];\n",
    "    vstore16(a.sum, 0, sum);\n",
    "    vstore16(a.rest, 0, rest);\n",
    "    for (uint k = 0; k < 16; k++) {\n",
    "        GPI_FIELD_T lane;\n",
    "        lane.sum = sum[k];\n",
    "        lane.rest = rest[k];\n",
    "        e = GPI_FIELD_COMBINE(e, lane);\n",
    "    }\n",
    "    return e;\n",
    "}\n",
    "#endif\n",
    "#undef GPI_TWO_SUM\n",
    "\n",
    "#else\n",
    "/* ------------------------------------------------------------------ plain */\n",
    "\n",
    "#if GPI_OP == GPI_SUM\n",
    "#define GPI_DO(a, b) ((a) + (b))\n",
    "#elif GPI_OP == GPI_PROD\n",
    "#define GPI_DO(a, b) ((a) * (b))\n",
    "#elif GPI_OP == GPI_MIN && GPI_FLOAT\n",
    "#define GPI_DO(a, b) fmin(a, b)\n",
    "#elif GPI_OP == GPI_MAX && GPI_FLOAT\n",
    "#define GPI_DO(a, b) fmax(a, b)\n",
    "#elif GPI_OP == GPI_MIN\n",
    "#define GPI_DO(a, b) min(a, b)\n",
    "#elif GPI_OP == GPI_MAX\n",
    "#define GPI_DO(a, b) max(a, b)\n",
    "#elif GPI_OP == GPI_AND\n",
    "#define GPI_DO(a, b) ((a) & (b))\n",
    "#elif GPI_OP == GPI_OR\n",
    "#define GPI_DO(a, b) ((a) | (b))\n",
    "#elif GPI_OP == GPI_XOR\n",
    "#define GPI_DO(a, b) ((a) ^ (b))\n",
    "#else\n",
    "#error \"unknown GPI_OP\"\n",
    "#endif\n",
    "\n",
    "typedef GPI_VALUE GPI_FIELD_T;\n",
    "\n",
    "static GPI_FIELD_T GPI_N(gpi_field_make_)(GPI_VALUE value, ulong i) { return value; }\n",
    "\n",
    "static GPI_FIELD_T GPI_FIELD_COMBINE(GPI_FIELD_T a, GPI_FIELD_T b) { return GPI_DO(a, b); }\n",
    "\n",
    "static GPI_N(GPI_RESULT_) GPI_N(gpi_field_result_)(GPI_FIELD_T a) { return (GPI_N(GPI_RESULT_))a; }\n",
    "\n",
    "#if GPI_LANES > 1\n",
    "typedef GPI_VECTOR(GPI_LANE) GPI_LANES_T;\n",
    "\n",
    "static GPI_LANES_T GPI_N(gpi_lanes_identity_)(GPI_FIELD_T e) { return (GPI_LANES_T)((GPI_LANE)e); }\n",
    "\n",
    "static GPI_LANES_T GPI_N(gpi_lanes_make_)(GPI_VECTOR(GPI_Y) y, uint i) { return GPI_CONVERT(GPI_LANE, y); }\n",
    "\n",
    "static GPI_LANES_T GPI_N(gpi_lanes_combine_)(GPI_LANES_T a, GPI_LANES_T b) { return GPI_DO(a, b); }\n",
    "\n",
    "static GPI_FIELD_T GPI_N(gpi_lanes_fold_)(GPI_LANES_T a, GPI_FIELD_T e, ulong base)\n",
    "{\n",
    "    GPI_LANE lane[16];\n",
    "    vstore16(a, 0, lane);\n",
    "    for (uint k = 0; k < 16; k++) e = GPI_FIELD_COMBINE(e, (GPI_VALUE)lane[k]);\n",
    "    return e;\n",
    "}\n",
    "#endif\n",
    "#undef GPI_DO\n",
    "#endif\n",
    "\n",
    "#undef GPI_OP\n",
    "#undef GPI_VALUE\n",
    "#undef GPI_FLOAT\n",
    "#undef GPI_LANE\n",
    "#undef GPI_INDEX\n",
    "#undef GPI_FIELD_T\n",
    "#undef GPI_LANES_T\n",
    "#undef GPI_FIELD_COMBINE\n",
    "#undef GPI_FIELD\n",
};
/* ---- End file kernels/field.cl ---- */

/* ---- Begin file kernels/monoid.cl ---- */
static const char *const gpi_kernel_monoid[] = {
    "#line 1 \"kernels/monoid.cl\"\n",
    "/* monoid.cl - the element that travels between items and groups, and its associative operation.\n",
    "\n",
    "       GPI_T gpi_combine(a, b)       a stands before b in the order of the call\n",
    "       GPI_T gpi_identity()          neutral on both sides\n",
    "\n",
    "   It is one field (field.cl), several side by side, or the user's own type. In a segmented scan it also\n",
    "   knows whether a segment begins in it (Blelloch 1990): what stands before the last head does not count.\n",
    "\n",
    "       GPI_BASE                      without that\n",
    "\n",
    "   The host writes the description ahead:\n",
    "       GPI_FIELD_COUNT, GPI_FIELDS   how many fields, and X(0) X(1) ... of them; 0: the user's type\n",
    "       GPI_SIZE                      sizeof(GPI_T), checked\n",
    "       GPI_IDENTITY_WORDS            the identity, as 32-bit words\n",
    "       GPI_COMMUTATIVE               1: any order of combination will do\n",
    "       GPI_EXACT                     1: any grouping gives the same bits\n",
    "       GPI_REVERSE                   1: the call's order is from the last element to the first\n",
    "       GPI_SEGMENTED                 1: segmented; GPI_HEAD is a signed type that leaves no padding\n",
    "       GPI_LANES                     elements of a vector step, 1 where there are no vectors            */\n",
    "#if GPI_LANES != 1 && GPI_LANES != 16\n",
    "#error \"GPI_LANES must be 1 or 16\"\n",
    "#endif\n",
    "#if GPI_SIZE < 1 || GPI_SIZE > 128\n",
    "#error \"GPI_SIZE must be 1..128\"\n",
    "#endif\n",
    "\n",
    "#if GPI_FIELD_COUNT == 0\n",
    "typedef gpi_user GPI_BASE;\n",
    "#define GPI_BASE_COMBINE(a, b) gpi_user_combine(a, b)\n",
    "#define GPI_BASE_MAKE(y, i) (y)\n",
    "#define GPI_BASE_RESULT(a) (a)\n",
    "\n",
    "#elif GPI_FIELD_COUNT == 1\n",
    "typedef gpi_field_0 GPI_BASE;\n",
    "#define GPI_BASE_COMBINE(a, b) gpi_field_combine_0(a, b)\n",
    "#define GPI_BASE_MAKE(y, i) gpi_field_make_0(y, i)\n",
    "#define GPI_BASE_RESULT(a) gpi_field_result_0(a)\n",
    "#if GPI_LANES > 1\n",
    "typedef gpi_lanes_0 gpi_lanes;\n",
    "static gpi_lanes gpi_lanes_make(GPI_VECTOR(GPI_Y) y, uint i) { return gpi_lanes_make_0(y, i); }\n",
    "static gpi_lanes gpi_lanes_combine(gpi_lanes a, gpi_lanes b) { return gpi_lanes_combine_0(a, b); }\n",
    "static gpi_lanes gpi_lanes_identity(GPI_BASE e) { return gpi_lanes_identity_0(e); }\n",
    "static GPI_BASE gpi_lanes_fold(gpi_lanes a, GPI_BASE e, ulong base) { return gpi_lanes_fold_0(a, e, base); }\n",
    "#endif\n",
    "\n",
    "#else\n",
    "#define GPI_FIELD_MEMBER(n) gpi_field_##n f##n;\n",
    "#define GPI_FIELD_COMBINE(n) c.f##n = gpi_field_combine_##n(a.f##n, b.f##n);\n",
    "#define GPI_FIELD_MAKE(n) a.f##n = gpi_field_make_##n(y, i);\n",
    "typedef struct gpi_fields {\n",
    "    GPI_FIELDS(GPI_FIELD_MEMBER)\n",
    "} GPI_BASE;\n",
    "\n",
    "static GPI_BASE gpi_fields_combine(GPI_BASE a, GPI_BASE b)\n",
    "{\n",
    "    GPI_BASE c;\n",
    "    GPI_FIELDS(GPI_FIELD_COMBINE)\n",
    "    return c;\n",
    "}\n",
    "\n",
    "static GPI_BASE gpi_fields_make(GPI_Y y, ulong i)\n",
    "{\n",
    "    GPI_BASE a;\n",
    "    GPI_FIELDS(GPI_FIELD_MAKE)\n",
    "    return a;\n",
    "}\n",
    "#define GPI_BASE_COMBINE(a, b) gpi_fields_combine(a, b)\n",
    "#define GPI_BASE_MAKE(y, i) gpi_fields_make(y, i)\n",
    "\n",
    "#if GPI_LANES > 1\n",
    "#define GPI_LANES_MEMBER(n) gpi_lanes_##n f##n;\n",
    "#define GPI_LANES_COMBINE(n) c.f##n = gpi_lanes_combine_##n(a.f##n, b.f##n);\n",
    "#define GPI_LANES_MAKE(n) a.f##n = gpi_lanes_make_##n(y, i);\n",
    "#define GPI_LANES_IDENTITY(n) a.f##n = gpi_lanes_identity_##n(e.f##n);\n",
    "#define GPI_LANES_FOLD(n) e.f##n = gpi_lanes_fold_##n(a.f##n, e.f##n, base);\n",
    "typedef struct gpi_lanes {\n",
    "    GPI_FIELDS(GPI_LANES_MEMBER)\n",
    "} gpi_lanes;\n",
    "\n",
    "static gpi_lanes gpi_lanes_combine(gpi_lanes a, gpi_lanes b)\n",
    "{\n",
    "    gpi_lanes c;\n",
    "    GPI_FIELDS(GPI_LANES_COMBINE)\n",
    "    return c;\n",
    "}\n",
    "\n",
    "static gpi_lanes gpi_lanes_make(GPI_VECTOR(GPI_Y) y, uint i)\n",
    "{\n",
    "    gpi_lanes a;\n",
    "    GPI_FIELDS(GPI_LANES_MAKE)\n",
    "    return a;\n",
    "}\n",
    "\n",
    "static gpi_lanes gpi_lanes_identity(GPI_BASE e)\n",
    "{\n",
    "    gpi_lanes a;\n",
    "    GPI_FIELDS(GPI_LANES_IDENTITY)\n",
    "    return a;\n",
    "}\n",
    "\n",
    "static GPI_BASE gpi_lanes_fold(gpi_lanes a, GPI_BASE e, ulong base)\n",
    "{\n",
    "    GPI_FIELDS(GPI_LANES_FOLD)\n",
    "    return e;\n",
    "}\n",
    "#endif\n",
    "#endif\n",
    "\n",
    "/* As a kernel's argument: structs as words, since Mesa 22.3 leaves out the padding at their end. */\n",
    "#if GPI_FIELD_COUNT == 1\n",
    "typedef GPI_BASE gpi_argument;\n",
    "\n",
    "static GPI_BASE gpi_base_of(gpi_argument argument) { return argument; }\n",
    "#else\n",
    "typedef struct gpi_argument {\n",
    "    uint word[(sizeof(GPI_BASE) + 3) / 4];\n",
    "} gpi_argument;\n",
    "\n",
    "static GPI_BASE gpi_base_of(gpi_argument argument)\n",
    "{\n",
    "    union {\n",
    "        gpi_argument argument;\n",
    "        GPI_BASE value;\n",
    "    } bits;\n",
    "    bits.argument = argument;\n",
    "    return bits.value;\n",
    "}\n",
    "#endif\n",
    "\n",
    "/* Here and below no parameter that is a struct is written to: Mesa 22.3 then writes to the caller's too.\n",
    "   In the order of the call, which may be from the last element to the first. */\n",
    "static GPI_BASE gpi_base_combine(GPI_BASE a, GPI_BASE b)\n",
    "{\n",
    "#if GPI_REVERSE\n",
    "    return GPI_BASE_COMBINE(b, a);\n",
    "#else\n",
    "    return GPI_BASE_COMBINE(a, b);\n",
    "#endif\n",
    "}\n",
    "\n",
    "#if GPI_SEGMENTED\n",
    "#if GPI_FIELD_COUNT == 0\n",
    "#define GPI_PACKED __attribute__((packed, aligned(4))) /* the host does not know the user's alignment */\n",
    "#else\n",
    "#define GPI_PACKED\n",
    "#endif\n",
    "typedef struct GPI_PACKED gpi_segment {\n",
    "    GPI_BASE value; /* the product since the last head, or of all */\n",
    "    GPI_HEAD head;  /* not 0: there is a head */\n",
    "} gpi_segment;\n",
    "#define GPI_T gpi_segment\n",
    "\n",
    "static GPI_T gpi_combine(GPI_T a, GPI_T b)\n",
    "{\n",
    "    const GPI_BASE both = gpi_base_combine(a.value, b.value);\n",
    "    GPI_T c;\n",
    "    c.value = b.head ? b.value : both;\n",
    "    c.head = b.head ? b.head : a.head; /* Mesa 22.3 gets a.head | b.head wrong in 8 bits */\n",
    "    return c;\n",
    "}\n",
    "#else\n",
    "#define GPI_T GPI_BASE\n",
    "#define gpi_combine(a, b) gpi_base_combine(a, b)\n",
    "#endif\n",
    "\n",
    "/* The words of an element: how it travels between groups. */\n",
    "#define GPI_WORDS ((GPI_SIZE + 3) / 4)\n",
    "typedef union gpi_bits {\n",
    "    uint word[GPI_WORDS];\n",
    "    GPI_T value;\n",
    "} gpi_bits;\n",
    "\n",
    "/* A negative array size here means: gp_monoid.size is not sizeof(type) on this device. */\n",
    "typedef char gpi_monoid_size_must_be_sizeof_type[sizeof(GPI_T) == GPI_SIZE ? 1 : -1];\n",
    "\n",
    "static GPI_T gpi_identity(void)\n",
    "{\n",
    "    const gpi_bits identity = {{GPI_IDENTITY_WORDS}};\n",
    "    return identity.value;\n",
    "}\n",
};
/* ---- End file kernels/monoid.cl ---- */

/* ---- Begin file kernels/source.cl ---- */
static const char *const gpi_kernel_source[] = {
    "#line 1 \"kernels/source.cl\"\n",
    "/* source.cl - where elements come from: inputs, maps, heads of segments.\n",
    "\n",
    "   Everything above this file counts elements in the order of the call: element i is at position\n",
    "   gpi_position(i), which differs where GPI_REVERSE is 1.\n",
    "\n",
    "   The host writes ahead:\n",
    "       GPI_IN, GPI_IN2          types of one or two inputs in memory; GPI_INPUTS 1 or 2\n",
    "       GPI_IN_HALF, GPI_IN2_HALF   1: that type is half, in memory only: in expressions it is a float\n",
    "       GPI_Y                    type of an input element as an operand, after the map where there is one\n",
    "       GPI_MAPPED               1: gpi_map(x, i) or gpi_map(x, y, i), of the user's expression, gives it\n",
    "       GPI_OUT                  type of results in memory; GPI_OUT_HALF 1: half\n",
    "       GPI_HEADS                0: no segments; 1: they begin where a flag is set; 2: where the key changes\n",
    "       GPI_HEADS_TYPE           type of flags or keys in memory                                         */\n",
    "\n",
    "/* Small enough to be passed by value through every layer. */\n",
    "typedef struct gpi_source {\n",
    "    __global const GPI_IN *in;\n",
    "#if GPI_INPUTS == 2\n",
    "    __global const GPI_IN2 *in2;\n",
    "#endif\n",
    "#if GPI_HEADS\n",
    "    __global const GPI_HEADS_TYPE *heads;\n",
    "#endif\n",
    "    ulong count;\n",
    "} gpi_source;\n",
    "\n",
    "/* Parameters of a kernel that reads a source, and the source made of them. */\n",
    "#if GPI_INPUTS == 2\n",
    "#define GPI_IN2_PARAMETERS __global const GPI_IN2 *in2, ulong in2_offset,\n",
    "#define GPI_IN2_SET(source) (source).in2 = in2 + in2_offset;\n",
    "#else\n",
    "#define GPI_IN2_PARAMETERS\n",
    "#define GPI_IN2_SET(source)\n",
    "#endif\n",
    "#if GPI_HEADS\n",
    "#define GPI_HEADS_PARAMETERS __global const GPI_HEADS_TYPE *heads, ulong heads_offset,\n",
    "#define GPI_HEADS_SET(source) (source).heads = heads + heads_offset;\n",
    "#else\n",
    "#define GPI_HEADS_PARAMETERS\n",
    "#define GPI_HEADS_SET(source)\n",
    "#endif\n",
    "#define GPI_SOURCE_PARAMETERS \\\n",
    "    __global const GPI_IN *in, ulong in_offset, GPI_IN2_PARAMETERS GPI_HEADS_PARAMETERS GPI_COUNT_PARAMETERS\n",
    "#define GPI_SOURCE_SET(source)    \\\n",
    "    (source).in = in + in_offset; \\\n",
    "    GPI_IN2_SET(source)           \\\n",
    "    GPI_HEADS_SET(source)         \\\n",
    "    (source).count = gpi_count(bound, wanted, wanted_offset, wanted_words)\n",
    "\n",
    "static ulong gpi_position(gpi_source source, ulong i) { return GPI_REVERSE ? source.count - 1 - i : i; }\n",
    "\n",
    "#if GPI_IN_HALF\n",
    "#define GPI_READ_IN(p, i) vload_half(i, p)\n",
    "#else\n",
    "#define GPI_READ_IN(p, i) (p)[i]\n",
    "#endif\n",
    "#if GPI_IN2_HALF\n",
    "#define GPI_READ_IN2(p, i) vload_half(i, p)\n",
    "#else\n",
    "#define GPI_READ_IN2(p, i) (p)[i]\n",
    "#endif\n",
    "\n",
    "/* The input element at a position, mapped. */\n",
    "static GPI_Y gpi_read(gpi_source source, ulong position)\n",
    "{\n",
    "#if GPI_MAPPED && GPI_INPUTS == 2\n",
    "    return gpi_map(GPI_READ_IN(source.in, position), GPI_READ_IN2(source.in2, position), position);\n",
    "#elif GPI_MAPPED\n",
    "    return gpi_map(GPI_READ_IN(source.in, position), position);\n",
    "#else\n",
    "    return GPI_READ_IN(source.in, position);\n",
    "#endif\n",
    "}\n",
    "\n",
    "#if GPI_HEADS\n",
    "/* The first element begins a segment in any case. */\n",
    "static GPI_HEAD gpi_is_head(gpi_source source, ulong i)\n",
    "{\n",
    "    const ulong position = gpi_position(source, i);\n",
    "    if (i == 0) return 1;\n",
    "#if GPI_HEADS == 1\n",
    "    return source.heads[position + GPI_REVERSE] != 0;\n",
    "#else\n",
    "    return source.heads[position] != source.heads[position + 2 * GPI_REVERSE - 1];\n",
    "#endif\n",
    "}\n",
    "#endif\n",
    "\n",
    "/* Element i. */\n",
    "static GPI_T gpi_load(gpi_source source, ulong i)\n",
    "{\n",
    "    const ulong position = gpi_position(source, i);\n",
    "#if GPI_HEADS\n",
    "    GPI_T x;\n",
    "    x.value = GPI_BASE_MAKE(gpi_read(source, position), position);\n",
    "    x.head = gpi_is_head(source, i);\n",
    "    return x;\n",
    "#else\n",
    "    return GPI_BASE_MAKE(gpi_read(source, position), position);\n",
    "#endif\n",
    "}\n",
    "\n",
    "#if GPI_OUT_HALF\n",
    "#define GPI_WRITE(out, i, x) vstore_half(x, i, out)\n",
    "#define GPI_WRITE_VECTOR(out, i, v) vstore_half16(v, 0, (out) + (i))\n",
    "#else\n",
    "#define GPI_WRITE(out, i, x) (out)[i] = x\n",
    "#define GPI_WRITE_VECTOR(out, i, v) GPI_STORE_VECTOR(gpi_out_vector, v, (out) + (i))\n",
    "#endif\n",
    "\n",
    "#if GPI_LANES > 1\n",
    "#if !GPI_OUT_HALF\n",
    "typedef GPI_VECTOR(GPI_OUT) gpi_out_vector __attribute__((aligned(sizeof(GPI_OUT))));\n",
    "#endif\n",
    "\n",
    "/* Input elements i .. i + 15, mapped. */\n",
    "static GPI_VECTOR(GPI_Y) gpi_read_vector(gpi_source source, ulong i)\n",
    "{\n",
    "#if GPI_MAPPED\n",
    "    GPI_Y lane[16];\n",
    "    for (uint k = 0; k < 16; k++) lane[k] = gpi_read(source, gpi_position(source, i + k));\n",
    "    return vload16(0, lane);\n",
    "#else\n",
    "    const ulong position = GPI_REVERSE ? source.count - i - 16 : i;\n",
    "#if GPI_IN_HALF\n",
    "    const float16 v = vload_half16(0, source.in + position);\n",
    "#else\n",
    "    const GPI_VECTOR(GPI_IN) v = vload16(0, source.in + position);\n",
    "#endif\n",
    "    return GPI_REVERSE ? v.sfedcba9876543210 : v;\n",
    "#endif\n",
    "}\n",
    "\n",
    "#if GPI_HEADS\n",
    "/* Heads among elements i .. i + 15, all bits set; i > 0. */\n",
    "static GPI_VECTOR(GPI_HEAD) gpi_read_heads(gpi_source source, ulong i)\n",
    "{\n",
    "    __global const GPI_HEADS_TYPE *at = source.heads + (GPI_REVERSE ? source.count - i - 15 : i);\n",
    "#if GPI_HEADS == 1\n",
    "    const GPI_VECTOR(GPI_HEAD) heads =\n",
    "        GPI_CONVERT(GPI_HEAD, vload16(0, at) != (GPI_VECTOR(GPI_HEADS_TYPE))(0));\n",
    "#else\n",
    "    const GPI_VECTOR(GPI_HEAD) heads = GPI_CONVERT(GPI_HEAD, vload16(0, at) != vload16(0, at - 1));\n",
    "#endif\n",
    "    return GPI_REVERSE ? heads.sfedcba9876543210 : heads;\n",
    "}\n",
    "#endif\n",
    "#endif\n",
};
/* ---- End file kernels/source.cl ---- */

/* ---- Begin file kernels/tile.cl ---- */
static const char *const gpi_kernel_tile[] = {
    "#line 1 \"kernels/tile.cl\"\n",
    "/* tile.cl - what a group does with its tile, in each shape.\n",
    "\n",
    "   A tile is GPI_TILE consecutive elements, owned by one group. Every function here is collective: all\n",
    "   items of the group call it, with the same arguments unless said otherwise, and all get the result.\n",
    "\n",
    "       serial   GPI_WG = 1: a long tile and a vector loop. For CPUs.\n",
    "       local    GPI_WG items, GPI_ITEMS elements each, exchanged through local memory. For GPUs.\n",
    "\n",
    "   The local shape's tile of GPI_WG * GPI_ITEMS elements: loads and stores are striped (item l takes\n",
    "   l, l + GPI_WG, ...: neighbours read neighbours), the scan is blocked (item l owns\n",
    "   l * GPI_ITEMS ... + GPI_ITEMS - 1: input order); `stage` turns one into the other.\n",
    "\n",
    "   Parameters\n",
    "       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1\n",
    "       GPI_TILE, GPI_ITEMS                   elements of a tile, of an item\n",
    "       GPI_TILES_ABREAST                     serial: how many groups run at the same time             */\n",
    "#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1\n",
    "#error \"exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1\"\n",
    "#endif\n",
    "#if GPI_TILE != GPI_WG * GPI_ITEMS\n",
    "#error \"GPI_TILE must be GPI_WG * GPI_ITEMS\"\n",
    "#endif\n",
    "#if GPI_SHAPE_SERIAL && GPI_WG != 1\n",
    "#error \"the serial shape has one item a group\"\n",
    "#endif\n",
    "#if GPI_TILE % GPI_LANES\n",
    "#error \"GPI_TILE must be a multiple of GPI_LANES\"\n",
    "#endif\n",
    "\n",
    "/* Elements of the tile that begins at `base`: GPI_TILE, fewer in the last one, none behind it (where the\n",
    "   device's own count is below the bound for which groups were launched). */\n",
    "static uint gpi_tile_length(gpi_source source, ulong base)\n",
    "{\n",
    "    return base < source.count ? (uint)min((ulong)GPI_TILE, source.count - base) : 0;\n",
    "}\n",
    "\n",
    "#if GPI_SHAPE_SERIAL\n",
    "/* ------------------------------------------------------------------ serial */\n",
    "\n",
    "typedef int gpi_shared; /* no memory is shared: there is nobody to share it with */\n",
    "#define GPI_SHARED(name) const gpi_shared name = 0\n",
    "\n",
    "static uint gpi_broadcast(uint x, gpi_shared shared)\n",
    "{\n",
    "    (void)shared;\n",
    "    return x;\n",
    "}\n",
    "\n",
    "static GPI_T gpi_broadcast_element(GPI_T x, gpi_shared shared)\n",
    "{\n",
    "    (void)shared;\n",
    "    return x;\n",
    "}\n",
    "\n",
    "static GPI_T gpi_group_reduce(GPI_T x, gpi_shared shared)\n",
    "{\n",
    "    (void)shared;\n",
    "    return x;\n",
    "}\n",
    "\n",
    "/* The product of x over the items before this one; *total over all. */\n",
    "static GPI_T gpi_group_scan(GPI_T x, GPI_T *total, gpi_shared shared)\n",
    "{\n",
    "    (void)shared;\n",
    "    *total = x;\n",
    "    return gpi_identity();\n",
    "}\n",
    "\n",
    "/* Prefetching pays because the hardware's own stops at every page's end. GPI_AHEAD is how far ahead of the\n",
    "   vector at hand, in bytes; a scan besides calls in what its next tile will need, one tile a running group\n",
    "   ahead. Addresses behind the buffer's end are harmless to hint at. */\n",
    "#define GPI_AHEAD 2048\n",
    "#define GPI_LINE 64\n",
    "\n",
    "#define GPI_PREFETCH_LINES(hint, p, bytes) \\\n",
    "    _Pragma(\"unroll\") for (uint k = 0; k < (bytes); k += GPI_LINE) hint((__global const char *)(p) + k)\n",
    "\n",
    "/* Elements [i, i + elements), not all of them there. */\n",
    "static void gpi_prefetch_read(gpi_source source, ulong i, uint elements)\n",
    "{\n",
    "    const ulong position = GPI_REVERSE ? source.count - i - elements : i;\n",
    "    GPI_PREFETCH_LINES(GPI_PREFETCH_READ, source.in + position, elements * sizeof(GPI_IN));\n",
    "#if GPI_INPUTS == 2\n",
    "    GPI_PREFETCH_LINES(GPI_PREFETCH_READ, source.in2 + position, elements * sizeof(GPI_IN2));\n",
    "#endif\n",
    "#if GPI_HEADS\n",
    "    GPI_PREFETCH_LINES(GPI_PREFETCH_READ, source.heads + position, elements * sizeof(GPI_HEADS_TYPE));\n",
    "#endif\n",
    "}\n",
    "\n",
    "/* Elements that stand alone, one after the other, in chains side by side: each chain waits for its own last\n",
    "   operation only. The tile is that many runs, equal and consecutive; the last one takes the rest too. */\n",
    "#if GPI_LANES > 1 || GPI_SEGMENTED || GPI_SIZE > 16\n",
    "#define GPI_RUNS 1\n",
    "#else\n",
    "#define GPI_RUNS 3\n",
    "#endif\n",
    "\n",
    "/* A cache line's elements, and how long the runs are: whole lines, and less than a share of the tile so that\n",
    "   the runs do not all meet in the same sets of the cache. */\n",
    "#define GPI_LINE_ELEMENTS (sizeof(GPI_IN) < GPI_LINE ? GPI_LINE / sizeof(GPI_IN) : 1)\n",
    "\n",
    "static uint gpi_run_length(uint length)\n",
    "{\n",
    "    const uint each = (length - length / 64) / GPI_RUNS;\n",
    "    return GPI_RUNS == 1 ? length : each - each % GPI_LINE_ELEMENTS;\n",
    "}\n",
    "\n",
    "typedef struct gpi_tile {\n",
    "    GPI_T run[GPI_RUNS]; /* the products of the runs */\n",
    "} gpi_tile;\n",
    "\n",
    "#if GPI_SEGMENTED\n",
    "/* Only what follows the last head counts: from the end back to it. */\n",
    "static GPI_T gpi_reduce_back(gpi_source source, ulong base)\n",
    "{\n",
    "    ulong i = base + gpi_tile_length(source, base);\n",
    "    GPI_T sum = gpi_identity();\n",
    "#if GPI_LANES > 1\n",
    "    gpi_lanes lanes = gpi_lanes_identity(sum.value);\n",
    "    for (; i >= base + 1 + GPI_LANES; i -= GPI_LANES) { /* element 0 is a head whatever its flag says */\n",
    "        if (any(gpi_read_heads(source, i - GPI_LANES))) break;\n",
    "        lanes = gpi_lanes_combine(lanes, gpi_lanes_make(gpi_read_vector(source, i - GPI_LANES), 0));\n",
    "    }\n",
    "    sum.value = gpi_lanes_fold(lanes, sum.value, 0);\n",
    "#endif\n",
    "    while (i > base && !sum.head) sum = gpi_combine(gpi_load(source, --i), sum);\n",
    "    return sum;\n",
    "}\n",
    "\n",
    "static void gpi_tile_open(gpi_tile *tile, gpi_source source, ulong base, gpi_shared shared)\n",
    "{\n",
    "    (void)shared;\n",
    "    tile->run[0] = gpi_reduce_back(source, base);\n",
    "}\n",
    "\n",
    "#elif GPI_LANES > 1\n",
    "#define GPI_ACCUMULATORS (GPI_FIELD_COUNT > 1 ? 2 : 4) /* hide the operation's latency */\n",
    "\n",
    "static void gpi_tile_open(gpi_tile *tile, gpi_source source, ulong base, gpi_shared shared)\n",
    "{\n",
    "    const ulong end = base + gpi_tile_length(source, base);\n",
    "    const uint step = GPI_ACCUMULATORS * GPI_LANES;\n",
    "    gpi_lanes sum[GPI_ACCUMULATORS];\n",
    "    ulong i = base;\n",
    "    GPI_T rest = gpi_identity();\n",
    "    (void)shared;\n",
    "    for (uint k = 0; k < GPI_ACCUMULATORS; k++) sum[k] = gpi_lanes_identity(rest);\n",
    "    for (; i + step <= end; i += step) {\n",
    "        gpi_prefetch_read(source, i + GPI_AHEAD / sizeof(GPI_IN), step);\n",
    "#pragma unroll\n",
    "        for (uint k = 0; k < GPI_ACCUMULATORS; k++) {\n",
    "            const ulong at = i + k * GPI_LANES;\n",
    "            const gpi_lanes x = gpi_lanes_make(gpi_read_vector(source, at), (uint)(at - base));\n",
    "            sum[k] = gpi_lanes_combine(sum[k], x);\n",
    "        }\n",
    "    }\n",
    "#pragma unroll\n",
    "    for (uint k = 1; k < GPI_ACCUMULATORS; k++) sum[0] = gpi_lanes_combine(sum[0], sum[k]);\n",
    "    for (; i < end; i++) rest = gpi_combine(rest, gpi_load(source, i));\n",
    "    tile->run[0] = gpi_combine(gpi_lanes_fold(sum[0], gpi_identity(), base), rest);\n",
    "}\n",
    "\n",
    "#else\n",
    "/* Out of line: inlined, LLVM makes vectors of the chains, and of their products slow 64-bit ones. */\n",
    "GPI_NOINLINE void gpi_tile_open(gpi_tile *tile, gpi_source source, ulong base, gpi_shared shared)\n",
    "{\n",
    "    const uint length = gpi_tile_length(source, base), each = gpi_run_length(length);\n",
    "    uint i = 0;\n",
    "    (void)shared;\n",
    "#pragma unroll\n",
    "    for (uint k = 0; k < GPI_RUNS; k++) tile->run[k] = gpi_identity();\n",
    "    for (; i + GPI_LINE_ELEMENTS <= each; i += GPI_LINE_ELEMENTS) {\n",
    "#pragma unroll\n",
    "        for (uint k = 0; k < GPI_RUNS; k++) {\n",
    "            gpi_prefetch_read(source, base + k * each + i + GPI_AHEAD / sizeof(GPI_IN), GPI_LINE_ELEMENTS);\n",
    "        }\n",
    "        for (uint j = i; j < i + GPI_LINE_ELEMENTS; j++) {\n",
    "#pragma unroll\n",
    "            for (uint k = 0; k < GPI_RUNS; k++) {\n",
    "                tile->run[k] = gpi_combine(tile->run[k], gpi_load(source, base + k * each + j));\n",
    "            }\n",
    "        }\n",
    "    }\n",
    "    for (i += (GPI_RUNS - 1) * each; i < length; i++) {\n",
    "        tile->run[GPI_RUNS - 1] = gpi_combine(tile->run[GPI_RUNS - 1], gpi_load(source, base + i));\n",
    "    }\n",
    "}\n",
    "#endif\n",
    "\n",
    "static GPI_T gpi_tile_aggregate(const gpi_tile *tile)\n",
    "{\n",
    "    GPI_T sum = tile->run[0];\n",
    "#pragma unroll\n",
    "    for (uint k = 1; k < GPI_RUNS; k++) sum = gpi_combine(sum, tile->run[k]);\n",
    "    return sum;\n",
    "}\n",
    "\n",
    "/* The product of the tile's elements. */\n",
    "static GPI_T gpi_tile_reduce(gpi_source source, ulong base, gpi_shared shared)\n",
    "{\n",
    "    gpi_tile tile;\n",
    "    gpi_tile_open(&tile, source, base, shared);\n",
    "    return gpi_tile_aggregate(&tile);\n",
    "}\n",
    "\n",
    "#else\n",
    "/* ------------------------------------------------------------------ local */\n",
    "\n",
    "/* One unused cell after every 32 keeps items that stride by GPI_ITEMS off one another's banks. */\n",
    "#define GPI_PAD(i) ((i) + (i) / 32)\n",
    "\n",
    "typedef struct gpi_local {\n",
    "    GPI_T stage[GPI_PAD(GPI_TILE)];\n",
    "    GPI_T value[2][GPI_WG];\n",
    "    uint word;\n",
    "} gpi_local;\n",
    "\n",
    "typedef __local gpi_local *gpi_shared;\n",
    "#define GPI_SHARED(name)          \\\n",
    "    __local gpi_local name##_mem; \\\n",
    "    const gpi_shared name = &name##_mem\n",
    "\n",
    "typedef struct gpi_tile {\n",
    "    GPI_T item[GPI_ITEMS]; /* this item's own elements */\n",
    "    GPI_T before;          /* product of the items before this one */\n",
    "    GPI_T aggregate;       /* of the whole tile */\n",
    "} gpi_tile;\n",
    "\n",
    "/* Item 0's x. */\n",
    "static uint gpi_broadcast(uint x, gpi_shared shared)\n",
    "{\n",
    "    if (get_local_id(0) == 0) shared->word = x;\n",
    "    barrier(CLK_LOCAL_MEM_FENCE); /* word is written */\n",
    "    x = shared->word;\n",
    "    barrier(CLK_LOCAL_MEM_FENCE); /* word is read: the next broadcast may overwrite it */\n",
    "    return x;\n",
    "}\n",
    "\n",
    "static GPI_T gpi_broadcast_element(GPI_T x, gpi_shared shared)\n",
    "{\n",
    "    if (get_local_id(0) == 0) shared->value[0][0] = x;\n",
    "    barrier(CLK_LOCAL_MEM_FENCE); /* value is written */\n",
    "    x = shared->value[0][0];\n",
    "    barrier(CLK_LOCAL_MEM_FENCE); /* value is read: the next collective may overwrite it */\n",
    "    return x;\n",
    "}\n",
    "\n",
    "/* The product of every item's x, in item order: a tree of neighbours. */\n",
    "static GPI_T gpi_group_reduce(GPI_T x, gpi_shared shared)\n",
    "{\n",
    "    const uint l = (uint)get_local_id(0);\n",
    "    __local GPI_T *value = shared->value[0];\n",
    "    value[l] = x;\n",
    "    for (uint d = 1; d < GPI_WG; d *= 2) {\n",
    "        const uint i = 2 * d * l;\n",
    "        barrier(CLK_LOCAL_MEM_FENCE); /* the neighbour's product is written */\n",
    "        if (i + d < GPI_WG) value[i] = gpi_combine(value[i], value[i + d]);\n",
    "    }\n",
    "    barrier(CLK_LOCAL_MEM_FENCE); /* the root is written */\n",
    "    x = value[0];\n",
    "    barrier(CLK_LOCAL_MEM_FENCE); /* the root is read: the next collective may overwrite it */\n",
    "    return x;\n",
    "}\n",
    "\n",
    "/* The product of x over the items before this one; *total over all. Each step doubles the reach. */\n",
    "static GPI_T gpi_group_scan(GPI_T x, GPI_T *total, gpi_shared shared)\n",
    "{\n",
    "    const uint l = (uint)get_local_id(0);\n",
    "    uint from = 0;\n",
    "    shared->value[0][l] = x;\n",
    "    barrier(CLK_LOCAL_MEM_FENCE); /* row 0 is complete */\n",
    "    for (uint d = 1; d < GPI_WG; d *= 2) {\n",
    "        if (l >= d) x = gpi_combine(shared->value[from][l - d], x);\n",
    "        from = 1 - from;\n",
    "        shared->value[from][l] = x;\n",
    "        barrier(CLK_LOCAL_MEM_FENCE); /* this step's row is complete; the other one is no longer read */\n",
    "    }\n",
    "    *total = shared->value[from][GPI_WG - 1];\n",
    "    x = l > 0 ? shared->value[from][l - 1] : gpi_identity();\n",
    "    barrier(CLK_LOCAL_MEM_FENCE); /* the last row is read: the next collective may overwrite it */\n",
    "    return x;\n",
    "}\n",
    "\n",
    "/* The product of the tile's elements. */\n",
    "static GPI_T gpi_tile_reduce(gpi_source source, ulong base, gpi_shared shared)\n",
    "{\n",
    "    const uint length = gpi_tile_length(source, base);\n",
    "    const uint l = (uint)get_local_id(0);\n",
    "    GPI_T sum = gpi_identity();\n",
    "    for (uint j = 0; j < GPI_ITEMS; j++) {\n",
    "        const uint i = GPI_COMMUTATIVE ? j * GPI_WG + l : l * GPI_ITEMS + j;\n",
    "        if (i < length) sum = gpi_combine(sum, gpi_load(source, base + i));\n",
    "    }\n",
    "    return gpi_group_reduce(sum, shared);\n",
    "}\n",
    "\n",
    "/* Reads the tile, once: every item keeps its own elements and what is before them. */\n",
    "static void gpi_tile_open(gpi_tile *tile, gpi_source source, ulong base, gpi_shared shared)\n",
    "{\n",
    "    const uint length = gpi_tile_length(source, base);\n",
    "    const uint l = (uint)get_local_id(0);\n",
    "    for (uint j = 0; j < GPI_ITEMS; j++) {\n",
    "        const uint i = j * GPI_WG + l;\n",
    "        shared->stage[GPI_PAD(i)] = i < length ? gpi_load(source, base + i) : gpi_identity();\n",
    "    }\n",
    "    barrier(CLK_LOCAL_MEM_FENCE); /* the stage is filled */\n",
    "    GPI_T sum = gpi_identity();\n",
    "    for (uint j = 0; j < GPI_ITEMS; j++) {\n",
    "        tile->item[j] = shared->stage[GPI_PAD(l * GPI_ITEMS + j)];\n",
    "        sum = gpi_combine(sum, tile->item[j]);\n",
    "    }\n",
    "    tile->before = gpi_group_scan(sum, &tile->aggregate, shared); /* its barriers free the stage */\n",
    "}\n",
    "\n",
    "static GPI_T gpi_tile_aggregate(const gpi_tile *tile) { return tile->aggregate; }\n",
    "#endif\n",
};
/* ---- End file kernels/tile.cl ---- */

/* ---- Begin file kernels/tile_scan.cl ---- */
static const char *const gpi_kernel_tile_scan[] = {
    "#line 1 \"kernels/tile_scan.cl\"\n",
    "/* tile_scan.cl - a tile scanned, in each shape of tile.cl.\n",
    "\n",
    "       gpi_tile_open         reads the tile (tile.cl)\n",
    "       gpi_tile_aggregate    its product, to be published\n",
    "       gpi_tile_scan         writes the scan of it, once everything before it is known\n",
    "\n",
    "   In the serial shape vectors of 16 elements are scanned in registers; elements that have no vectors go one\n",
    "   by one, in the chains of tile.cl.                                                                    */\n",
    "\n",
    "/* Where a scan's results go. */\n",
    "typedef struct gpi_sink {\n",
    "    __global GPI_OUT *out;\n",
    "    GPI_BASE initial; /* what stands before each segment; not looked at where there are none */\n",
    "    uint exclusive;\n",
    "} gpi_sink;\n",
    "\n",
    "#define GPI_SINK_PARAMETERS __global GPI_OUT *out, ulong out_offset, gpi_argument initial, uint exclusive\n",
    "#define GPI_SINK_SET(sink)                 \\\n",
    "    (sink).out = out + out_offset;         \\\n",
    "    (sink).initial = gpi_base_of(initial); \\\n",
    "    (sink).exclusive = exclusive\n",
    "\n",
    "/* What an exclusive scan gives for x, with `sum` of all before it. */\n",
    "static GPI_T gpi_before(GPI_T sum, GPI_T x)\n",
    "{\n",
    "#if GPI_SEGMENTED\n",
    "    if (x.head) return gpi_identity();\n",
    "#endif\n",
    "    return sum;\n",
    "}\n",
    "\n",
    "static void gpi_put(gpi_sink sink, ulong position, GPI_T x)\n",
    "{\n",
    "#if GPI_SEGMENTED\n",
    "    GPI_WRITE(sink.out, position, GPI_BASE_RESULT(gpi_base_combine(sink.initial, x.value)));\n",
    "#else\n",
    "    GPI_WRITE(sink.out, position, GPI_BASE_RESULT(x));\n",
    "#endif\n",
    "}\n",
    "\n",
    "#if GPI_SHAPE_SERIAL\n",
    "/* ------------------------------------------------------------------ serial */\n",
    "\n",
    "static void gpi_prefetch_write(gpi_source source, gpi_sink sink, ulong i, uint elements)\n",
    "{\n",
    "    const ulong position = GPI_REVERSE ? source.count - i - elements : i;\n",
    "    GPI_PREFETCH_LINES(GPI_PREFETCH_WRITE, sink.out + position, elements * sizeof(GPI_OUT));\n",
    "}\n",
    "\n",
    "/* What scanning element i on will need: the input one tile a running group ahead, the output soon. */\n",
    "static void gpi_prefetch_scan(gpi_source source, gpi_sink sink, ulong i, uint elements)\n",
    "{\n",
    "    gpi_prefetch_read(source, i + (ulong)GPI_TILES_ABREAST * GPI_TILE, elements);\n",
    "    gpi_prefetch_write(source, sink, i + GPI_AHEAD / sizeof(GPI_OUT), elements);\n",
    "}\n",
    "\n",
    "/* Element i goes out; returns what stands before the next one. */\n",
    "GPI_INLINE GPI_T gpi_scan_one(gpi_source source, gpi_sink sink, ulong i, GPI_T sum, const bool exclusive)\n",
    "{\n",
    "    const GPI_T x = gpi_load(source, i);\n",
    "    const GPI_T next = gpi_combine(sum, x);\n",
    "    gpi_put(sink, gpi_position(source, i), exclusive ? gpi_before(sum, x) : next);\n",
    "    return next;\n",
    "}\n",
    "\n",
    "#if GPI_LANES > 1\n",
    "#define GPI_LAST(v) ((v).sf)\n",
    "\n",
    "/* Vectors that share a cache line: prefetched together. */\n",
    "#define GPI_STEP (GPI_LANES * sizeof(GPI_IN) < GPI_LINE ? GPI_LINE / (GPI_LANES * sizeof(GPI_IN)) : 1)\n",
    "\n",
    "/* GPI_SHIFT_k(T, v, e): element i is v[i-k], or e for i < k. */\n",
    "#define GPI_SHIFT_1(T, v, e) \\\n",
    "    ((T)(e, v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7, v.s8, v.s9, v.sa, v.sb, v.sc, v.sd, v.se))\n",
    "#define GPI_SHIFT_2(T, v, e) \\\n",
    "    ((T)(e, e, v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7, v.s8, v.s9, v.sa, v.sb, v.sc, v.sd))\n",
    "#define GPI_SHIFT_4(T, v, e) \\\n",
    "    ((T)(e, e, e, e, v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7, v.s8, v.s9, v.sa, v.sb))\n",
    "#define GPI_SHIFT_8(T, v, e) ((T)(e, e, e, e, e, e, e, e, v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7))\n",
    "\n",
    "static void gpi_put_vector(gpi_source source, gpi_sink sink, ulong i, gpi_lanes v)\n",
    "{\n",
    "#if GPI_REVERSE\n",
    "    v = v.sfedcba9876543210;\n",
    "#endif\n",
    "    GPI_WRITE_VECTOR(sink.out, GPI_REVERSE ? source.count - i - GPI_LANES : i, v);\n",
    "}\n",
    "#endif\n",
    "\n",
    "#if GPI_LANES > 1 && GPI_SEGMENTED\n",
    "/* One vector from element i on. `heads` spread to the right, lane by lane, over the elements whose segment\n",
    "   begins in this vector; what is carried in reaches the others. */\n",
    "static GPI_T gpi_scan_vector(gpi_source source, gpi_sink sink, ulong i, GPI_T sum, const bool exclusive)\n",
    "{\n",
    "    const GPI_BASE e = gpi_identity().value;\n",
    "    const GPI_VECTOR(GPI_HEAD) heads = gpi_read_heads(source, i);\n",
    "    GPI_VECTOR(GPI_HEAD) begun = heads;\n",
    "    gpi_lanes v = gpi_lanes_make(gpi_read_vector(source, i), 0);\n",
    "    v = select(gpi_lanes_combine(GPI_SHIFT_1(gpi_lanes, v, e), v), v, begun);\n",
    "    begun |= GPI_SHIFT_1(GPI_VECTOR(GPI_HEAD), begun, 0);\n",
    "    v = select(gpi_lanes_combine(GPI_SHIFT_2(gpi_lanes, v, e), v), v, begun);\n",
    "    begun |= GPI_SHIFT_2(GPI_VECTOR(GPI_HEAD), begun, 0);\n",
    "    v = select(gpi_lanes_combine(GPI_SHIFT_4(gpi_lanes, v, e), v), v, begun);\n",
    "    begun |= GPI_SHIFT_4(GPI_VECTOR(GPI_HEAD), begun, 0);\n",
    "    v = select(gpi_lanes_combine(GPI_SHIFT_8(gpi_lanes, v, e), v), v, begun);\n",
    "    begun |= GPI_SHIFT_8(GPI_VECTOR(GPI_HEAD), begun, 0);\n",
    "    const GPI_BASE last = GPI_LAST(v);\n",
    "    v = select(gpi_lanes_combine((gpi_lanes)(sum.value), v), v, begun);\n",
    "    if (exclusive) v = select(GPI_SHIFT_1(gpi_lanes, v, sum.value), (gpi_lanes)(e), heads);\n",
    "    gpi_put_vector(source, sink, i, gpi_lanes_combine((gpi_lanes)(sink.initial), v));\n",
    "    sum.value = GPI_LAST(begun) ? last : gpi_base_combine(sum.value, last);\n",
    "    return sum;\n",
    "}\n",
    "#elif GPI_LANES > 1\n",
    "static GPI_T gpi_scan_vector(gpi_source source, gpi_sink sink, ulong i, GPI_T sum, const bool exclusive)\n",
    "{\n",
    "    const GPI_T e = gpi_identity();\n",
    "    gpi_lanes v = gpi_lanes_make(gpi_read_vector(source, i), 0);\n",
    "    v = gpi_lanes_combine(GPI_SHIFT_1(gpi_lanes, v, e), v);\n",
    "    v = gpi_lanes_combine(GPI_SHIFT_2(gpi_lanes, v, e), v);\n",
    "    v = gpi_lanes_combine(GPI_SHIFT_4(gpi_lanes, v, e), v);\n",
    "    v = gpi_lanes_combine(GPI_SHIFT_8(gpi_lanes, v, e), v);\n",
    "    v = gpi_lanes_combine((gpi_lanes)(sum), v);\n",
    "    gpi_put_vector(source, sink, i, exclusive ? GPI_SHIFT_1(gpi_lanes, v, sum) : v);\n",
    "    return GPI_LAST(v);\n",
    "}\n",
    "#endif\n",
    "\n",
    "/* Called with a constant `exclusive`, so that the test leaves the loops. */\n",
    "GPI_INLINE void gpi_scan_serial(const gpi_tile *tile, gpi_source source, ulong base, GPI_T sum, gpi_sink sink,\n",
    "                                const bool exclusive)\n",
    "{\n",
    "    const ulong end = base + gpi_tile_length(source, base);\n",
    "    ulong i = base;\n",
    "#if GPI_LANES > 1\n",
    "#if GPI_SEGMENTED\n",
    "    if (i == 0 && i < end) sum = gpi_scan_one(source, sink, i++, sum, exclusive); /* has nothing before it */\n",
    "#endif\n",
    "    for (; i + GPI_STEP * GPI_LANES <= end; i += GPI_STEP * GPI_LANES) {\n",
    "        gpi_prefetch_scan(source, sink, i, GPI_STEP * GPI_LANES);\n",
    "#pragma unroll\n",
    "        for (uint k = 0; k < GPI_STEP; k++) {\n",
    "            sum = gpi_scan_vector(source, sink, i + k * GPI_LANES, sum, exclusive);\n",
    "        }\n",
    "    }\n",
    "#elif GPI_RUNS > 1\n",
    "    const ulong each = gpi_run_length((uint)(end - base));\n",
    "    GPI_T run[GPI_RUNS];\n",
    "    run[0] = sum;\n",
    "#pragma unroll\n",
    "    for (uint k = 1; k < GPI_RUNS; k++) run[k] = gpi_combine(run[k - 1], tile->run[k - 1]);\n",
    "    for (; i < base + each; i += GPI_LINE_ELEMENTS) {\n",
    "#pragma unroll\n",
    "        for (uint k = 0; k < GPI_RUNS; k++) gpi_prefetch_scan(source, sink, i + k * each, GPI_LINE_ELEMENTS);\n",
    "        for (ulong j = i; j < i + GPI_LINE_ELEMENTS; j++) {\n",
    "#pragma unroll\n",
    "            for (uint k = 0; k < GPI_RUNS; k++) {\n",
    "                run[k] = gpi_scan_one(source, sink, j + k * each, run[k], exclusive);\n",
    "            }\n",
    "        }\n",
    "    }\n",
    "    sum = run[GPI_RUNS - 1];\n",
    "    i = base + GPI_RUNS * each;\n",
    "#endif\n",
    "    for (; i < end; i++) sum = gpi_scan_one(source, sink, i, sum, exclusive);\n",
    "}\n",
    "\n",
    "/* Scans the tile with everything before it in `prefix`, into the sink. */\n",
    "static void gpi_tile_scan(const gpi_tile *tile, GPI_T prefix, gpi_source source, ulong base, gpi_sink sink,\n",
    "                          gpi_shared shared)\n",
    "{\n",
    "    (void)shared;\n",
    "    if (sink.exclusive) gpi_scan_serial(tile, source, base, prefix, sink, true);\n",
    "    else gpi_scan_serial(tile, source, base, prefix, sink, false);\n",
    "}\n",
    "\n",
    "#else\n",
    "/* ------------------------------------------------------------------ local */\n",
    "\n",
    "/* Scans the tile with everything before it in `prefix`, into the sink. */\n",
    "static void gpi_tile_scan(const gpi_tile *tile, GPI_T prefix, gpi_source source, ulong base, gpi_sink sink,\n",
    "                          gpi_shared shared)\n",
    "{\n",
    "    const uint length = gpi_tile_length(source, base);\n",
    "    const uint l = (uint)get_local_id(0);\n",
    "    GPI_T sum = gpi_combine(prefix, tile->before);\n",
    "    for (uint j = 0; j < GPI_ITEMS; j++) {\n",
    "        const GPI_T next = gpi_combine(sum, tile->item[j]);\n",
    "        shared->stage[GPI_PAD(l * GPI_ITEMS + j)] = sink.exclusive ? gpi_before(sum, tile->item[j]) : next;\n",
    "        sum = next;\n",
    "    }\n",
    "    barrier(CLK_LOCAL_MEM_FENCE); /* the stage is filled */\n",
    "    for (uint j = 0; j < GPI_ITEMS; j++) {\n",
    "        const uint i = j * GPI_WG + l;\n",
    "        if (i < length) gpi_put(sink, gpi_position(source, base + i), shared->stage[GPI_PAD(i)]);\n",
    "    }\n",
    "}\n",
    "#endif\n",
};
/* ---- End file kernels/tile_scan.cl ---- */

/* ---- Begin file kernels/lookback.cl ---- */
static const char *const gpi_kernel_lookback[] = {
    "#line 1 \"kernels/lookback.cl\"\n",
    "/* lookback.cl - decoupled look-back: how a group learns the product of all tiles before its own.\n",
    "\n",
    "       prefix(t) = aggregate(0) . aggregate(1) ... aggregate(t-1)\n",
    "\n",
    "   A group publishes its tile's aggregate, walks back over its predecessors, combining what they\n",
    "   published, until it meets an inclusive prefix, and publishes its own.\n",
    "   (Merrill & Garland 2016; fallback: Smith, Levien & Owens 2025.)\n",
    "\n",
    "   State buffer, zeroed before the launch:\n",
    "\n",
    "       uint ticket, 3 x unused | tile 0: GPI_STATE_WORDS words | tile 1: ... |\n",
    "\n",
    "       wide word     payload 32 bits in the low half, flag in the top two bits\n",
    "       narrow word   payload 16 bits in the low half, flag in the top two bits\n",
    "\n",
    "   An element's payload is spread over its words and each word repeats the flag: a reader believes a\n",
    "   state only when all its words show the same flag, so no order between the words is needed and every\n",
    "   access is a relaxed atomic. Flags only ever rise: empty < aggregate < inclusive.\n",
    "\n",
    "   Waiting. This file is the only one in which a group waits for another.\n",
    "     - Tiles are handed out by ticket: whoever waits, waits for groups that have already started.\n",
    "     - A wait is bounded: after `polls` looks at tiles that are late, the group computes each further\n",
    "       late tile itself, from the input, and goes on (`polls` 0: wait for ever; the host says so only\n",
    "       on devices that are known to let every started group go on running).                           */\n",
    "#define GPI_EMPTY 0u\n",
    "#define GPI_AGGREGATE 1u\n",
    "#define GPI_INCLUSIVE 2u\n",
    "\n",
    "#if GPI_WIDE\n",
    "#define GPI_STATE_WORDS GPI_WORDS\n",
    "#define GPI_FLAG_SHIFT 62\n",
    "#else\n",
    "#define GPI_STATE_WORDS (2 * GPI_WORDS)\n",
    "#define GPI_FLAG_SHIFT 30\n",
    "#endif\n",
    "#define GPI_STATE_HEADER 4 /* uints */\n",
    "\n",
    "typedef volatile __global gpi_word *gpi_state_words;\n",
    "\n",
    "/* The tile of this group. All items call; the order of tickets is the order of tiles. */\n",
    "static uint gpi_take_ticket(volatile __global uint *state, gpi_shared shared)\n",
    "{\n",
    "    uint ticket = 0;\n",
    "    if (get_local_id(0) == 0) ticket = atomic_inc(state);\n",
    "    return gpi_broadcast(ticket, shared);\n",
    "}\n",
    "\n",
    "static gpi_state_words gpi_state_of(volatile __global uint *state, uint tile)\n",
    "{\n",
    "    return (gpi_state_words)(state + GPI_STATE_HEADER) + (ulong)tile * GPI_STATE_WORDS;\n",
    "}\n",
    "\n",
    "/* Word k of a state: the flag and the k-th piece of the payload. */\n",
    "static gpi_word gpi_pack(uint flag, const gpi_bits *bits, uint k)\n",
    "{\n",
    "#if GPI_WIDE\n",
    "    return (gpi_word)flag << GPI_FLAG_SHIFT | bits->word[k];\n",
    "#else\n",
    "    return flag << GPI_FLAG_SHIFT | (bits->word[k / 2] >> 16 * (k % 2) & 0xffffu);\n",
    "#endif\n",
    "}\n",
    "\n",
    "static gpi_bits gpi_bits_of(GPI_T value)\n",
    "{\n",
    "    gpi_bits bits;\n",
    "    bits.word[GPI_WORDS - 1] = 0; /* an element of 1 or 2 bytes leaves part of it alone */\n",
    "    bits.value = value;\n",
    "    return bits;\n",
    "}\n",
    "\n",
    "/* Tests build with GPI_SABOTAGE = k: one tile in k never publishes, as if its group never ran. */\n",
    "static bool gpi_publishes(uint tile)\n",
    "{\n",
    "#ifdef GPI_SABOTAGE\n",
    "    return (tile * 2654435761u >> 16) % GPI_SABOTAGE != 0;\n",
    "#else\n",
    "    (void)tile;\n",
    "    return true;\n",
    "#endif\n",
    "}\n",
    "\n",
    "static void gpi_publish(volatile __global uint *state, uint tile, uint flag, GPI_T value)\n",
    "{\n",
    "    const gpi_bits bits = gpi_bits_of(value);\n",
    "    gpi_state_words words = gpi_state_of(state, tile);\n",
    "    if (!gpi_publishes(tile)) return;\n",
    "    for (uint k = 0; k < GPI_STATE_WORDS; k++) gpi_word_write(words + k, gpi_pack(flag, &bits, k));\n",
    "}\n",
    "\n",
    "/* One look at a tile's state: its flag, and the value if that is not GPI_EMPTY. */\n",
    "static uint gpi_observe(volatile __global uint *state, uint tile, GPI_T *value)\n",
    "{\n",
    "    gpi_state_words words = gpi_state_of(state, tile);\n",
    "    gpi_bits bits = gpi_bits_of(*value);\n",
    "    const gpi_word first = gpi_word_read(words);\n",
    "    const uint flag = (uint)(first >> GPI_FLAG_SHIFT);\n",
    "    bool agree = true;\n",
    "    gpi_word w = first;\n",
    "    for (uint k = 0; k < GPI_STATE_WORDS; k++) {\n",
    "        if (k > 0) w = gpi_word_read(words + k);\n",
    "        agree = agree && (uint)(w >> GPI_FLAG_SHIFT) == flag;\n",
    "#if GPI_WIDE\n",
    "        bits.word[k] = (uint)w;\n",
    "#else\n",
    "        bits.word[k / 2] = k % 2 ? bits.word[k / 2] | w << 16 : w & 0xffffu;\n",
    "#endif\n",
    "    }\n",
    "    if (!agree || flag == GPI_EMPTY) return GPI_EMPTY;\n",
    "    *value = bits.value;\n",
    "    return flag;\n",
    "}\n",
    "\n",
    "/* Publishes another tile's aggregate for it, word by word, where nothing is published yet. Right only\n",
    "   for bit-exact monoids: the owner may be writing the same words at the same time. */\n",
    "static void gpi_post(volatile __global uint *state, uint tile, GPI_T aggregate)\n",
    "{\n",
    "#if GPI_EXACT\n",
    "    const gpi_bits bits = gpi_bits_of(aggregate);\n",
    "    gpi_state_words words = gpi_state_of(state, tile);\n",
    "    for (uint k = 0; k < GPI_STATE_WORDS; k++) {\n",
    "        gpi_word_replace(words + k, (gpi_word)0, gpi_pack(GPI_AGGREGATE, &bits, k));\n",
    "    }\n",
    "#else\n",
    "    (void)state;\n",
    "    (void)tile;\n",
    "    (void)aggregate;\n",
    "#endif\n",
    "}\n",
    "\n",
    "/* Combines the states of the tiles before `next` to the left of *prefix, as far as they are published.\n",
    "   Returns 0 when *prefix is complete, else n > 0: tile n-1 is late. One item calls.\n",
    "   Ends because each turn either goes one tile back or uses up one of *polls; where polls are not\n",
    "   counted, because tile next-1 has been started and is let run (ticket order, fair device). */\n",
    "static uint gpi_walk_back(volatile __global uint *state, uint next, GPI_T *prefix, uint *polls, bool bounded)\n",
    "{\n",
    "    while (next > 0) {\n",
    "        GPI_T seen = *prefix;\n",
    "        const uint flag = gpi_observe(state, next - 1, &seen);\n",
    "        if (flag == GPI_EMPTY) {\n",
    "            if (bounded && *polls == 0) break;\n",
    "            *polls -= 1;\n",
    "            continue;\n",
    "        }\n",
    "        *prefix = gpi_combine(seen, *prefix);\n",
    "        next = flag == GPI_INCLUSIVE ? 0 : next - 1;\n",
    "    }\n",
    "    return next; /* not 0 also when a device dropped out of the loop: never taken for an answer */\n",
    "}\n",
    "\n",
    "/* The product of all tiles before `tile`. All items call; `aggregate` is the tile's own.\n",
    "   Ends because each turn of the loop brings `next` nearer to 0. */\n",
    "static GPI_T gpi_look_back(volatile __global uint *state, uint tile, GPI_T aggregate, gpi_source source,\n",
    "                           uint polls, volatile __global uint *counters, gpi_shared shared)\n",
    "{\n",
    "    const bool leader = get_local_id(0) == 0;\n",
    "    const bool bounded = polls > 0;\n",
    "    GPI_T prefix = gpi_identity();\n",
    "    uint next = tile;\n",
    "\n",
    "    if (leader && tile > 0) gpi_publish(state, tile, GPI_AGGREGATE, aggregate);\n",
    "    while (next > 0) {\n",
    "        if (leader) next = gpi_walk_back(state, next, &prefix, &polls, bounded);\n",
    "        next = gpi_broadcast(next, shared);\n",
    "        if (next == 0) break;\n",
    "        const GPI_T late = gpi_tile_reduce(source, (ulong)(next - 1) * GPI_TILE, shared);\n",
    "        next -= 1;\n",
    "        if (leader) {\n",
    "            prefix = gpi_combine(late, prefix);\n",
    "            gpi_post(state, next, late);\n",
    "            atomic_inc(counters + GPI_COUNT_FALLBACKS);\n",
    "        }\n",
    "    }\n",
    "    if (leader && next == 0) gpi_publish(state, tile, GPI_INCLUSIVE, gpi_combine(prefix, aggregate));\n",
    "    if (leader && next != 0) atomic_inc(counters + GPI_COUNT_ABANDONED);\n",
    "    return gpi_broadcast_element(prefix, shared);\n",
    "}\n",
};
/* ---- End file kernels/lookback.cl ---- */

/* ---- Begin file kernels/reduce.cl ---- */
static const char *const gpi_kernel_reduce[] = {
    "#line 1 \"kernels/reduce.cl\"\n",
    "/* reduce.cl - out = initial . in[0] . in[1] ... in[count-1]\n",
    "\n",
    "       in      |  tile 0   |  tile 1   | ... |  tile t  |        gp_reduce_tiles: a group a tile\n",
    "       partial |     0     |     1     | ... |    t     |        gp_reduce_partials: one group\n",
    "       out     |                  result                |\n",
    "\n",
    "   Partial i always covers tile i and both trees depend on the count alone, so that float results\n",
    "   repeat bit for bit. With a single tile the first launch writes the result. An element of several\n",
    "   fields leaves several results, each in 8 bytes.                                                   */\n",
    "\n",
    "#if GPI_FIELD_COUNT > 1\n",
    "/* Field n's result in the low bytes of a cell of its own. */\n",
    "#define GPI_WRITE_FIELD(n)                             \\\n",
    "    {                                                  \\\n",
    "        union {                                        \\\n",
    "            ulong cell;                                \\\n",
    "            GPI_RESULT_##n value;                      \\\n",
    "        } bits;                                        \\\n",
    "        bits.cell = 0;                                 \\\n",
    "        bits.value = gpi_field_result_##n(total.f##n); \\\n",
    "        out[GPI_FIELD_COUNT * offset + n] = bits.cell; \\\n",
    "    }\n",
    "static void gpi_write_result(__global GPI_OUT *out, ulong offset, GPI_T total) { GPI_FIELDS(GPI_WRITE_FIELD) }\n",
    "#else\n",
    "static void gpi_write_result(__global GPI_OUT *out, ulong offset, GPI_T total)\n",
    "{\n",
    "    GPI_WRITE(out, offset, GPI_BASE_RESULT(total));\n",
    "}\n",
    "#endif\n",
    "\n",
    "/* `result` is 1 when there is one tile: its product, after `initial`, is the result. */\n",
    "GPI_KERNEL void gp_reduce_tiles(GPI_SOURCE_PARAMETERS, __global GPI_T *partials, __global GPI_OUT *out,\n",
    "                                ulong out_offset, gpi_argument initial, uint result,\n",
    "                                volatile __global uint *counters)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_source source;\n",
    "    const uint tile = (uint)get_group_id(0);\n",
    "    GPI_SOURCE_SET(source);\n",
    "    GPI_COUNT_CHECK(tile == 0, counters);\n",
    "    const GPI_T sum = gpi_tile_reduce(source, (ulong)tile * GPI_TILE, shared);\n",
    "    const GPI_T total = gpi_combine(gpi_base_of(initial), sum);\n",
    "    if (get_local_id(0) != 0) return;\n",
    "    if (result) gpi_write_result(out, out_offset, total);\n",
    "    else partials[tile] = sum;\n",
    "}\n",
    "\n",
    "/* One group. Every item takes a run of consecutive partials, so that input order is kept. */\n",
    "GPI_KERNEL void gp_reduce_partials(__global const GPI_T *partials, GPI_COUNT_PARAMETERS,\n",
    "                                   __global GPI_OUT *out, ulong out_offset, gpi_argument initial)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    const ulong count = gpi_count(bound, wanted, wanted_offset, wanted_words);\n",
    "    const uint tiles = (uint)((count + GPI_TILE - 1) / GPI_TILE);\n",
    "    const uint run = (tiles + GPI_WG - 1) / GPI_WG;\n",
    "    const uint begin = min((uint)get_local_id(0) * run, tiles);\n",
    "    const uint end = min(begin + run, tiles);\n",
    "    GPI_T sum = gpi_identity();\n",
    "    for (uint i = begin; i < end; i++) sum = gpi_combine(sum, partials[i]);\n",
    "    sum = gpi_group_reduce(sum, shared);\n",
    "    const GPI_T total = gpi_combine(gpi_base_of(initial), sum);\n",
    "    if (get_local_id(0) == 0) gpi_write_result(out, out_offset, total);\n",
    "}\n",
};
/* ---- End file kernels/reduce.cl ---- */

/* ---- Begin file kernels/laws.cl ---- */
static const char *const gpi_kernel_laws[] = {
    "#line 1 \"kernels/laws.cl\"\n",
    "/* laws.cl - is it a monoid? Each work-item takes three elements a, b, c and tries\n",
    "\n",
    "       e a = a,  a e = a        (a b) c = a (b c)        a b = b a        e the identity\n",
    "\n",
    "   and writes which of them fail, and what came out:  | e a | a e | a b | b a | (a b) c | a (b c) |\n",
    "\n",
    "   Parameters: those of monoid.cl, and\n",
    "       gpi_user_equal(x, y)     the caller's idea of equal, where GPI_EQUAL is 1\n",
    "       GPI_EXACT                else: the same bits; or, without, words that are close as floats      */\n",
    "\n",
    "#define GPI_LAW_LEFT 1u\n",
    "#define GPI_LAW_RIGHT 2u\n",
    "#define GPI_LAW_COMMUTES 4u\n",
    "#define GPI_LAW_ASSOCIATES 8u\n",
    "#define GPI_LAW_RESULTS 6\n",
    "\n",
    "/* Bits as a number, 0 for what is none. */\n",
    "static float gpi_word_value(uint word)\n",
    "{\n",
    "    const float x = as_float(word);\n",
    "    return isfinite(x) ? fabs(x) : 0.0f;\n",
    "}\n",
    "\n",
    "static float gpi_scale_of(GPI_T a)\n",
    "{\n",
    "    gpi_bits bits;\n",
    "    float scale = 0.0f;\n",
    "    bits.value = a;\n",
    "    for (uint w = 0; w < GPI_WORDS; w++) scale = fmax(scale, gpi_word_value(bits.word[w]));\n",
    "    return scale;\n",
    "}\n",
    "\n",
    "static bool gpi_word_same(uint a, uint b, float slack)\n",
    "{\n",
    "#if GPI_EXACT\n",
    "    (void)slack;\n",
    "    return a == b;\n",
    "#else\n",
    "    const float x = as_float(a), y = as_float(b);\n",
    "    return a == b || (isnan(x) && isnan(y)) || fabs(x - y) <= slack;\n",
    "#endif\n",
    "}\n",
    "\n",
    "static bool gpi_same(GPI_T x, GPI_T y, float slack)\n",
    "{\n",
    "#if GPI_EQUAL\n",
    "    return gpi_user_equal(x, y);\n",
    "#else\n",
    "    gpi_bits a, b;\n",
    "    bool same = true;\n",
    "    a.value = x;\n",
    "    b.value = y;\n",
    "    for (uint w = 0; w < GPI_WORDS; w++) same = same && gpi_word_same(a.word[w], b.word[w], slack);\n",
    "    return same;\n",
    "#endif\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_laws_try(__global const GPI_T *elements, __global const uint *triples, uint count,\n",
    "                            float tolerance, __global GPI_T *results, __global uint *failed)\n",
    "{\n",
    "    const uint t = (uint)get_global_id(0);\n",
    "    if (t >= count) return;\n",
    "    const GPI_T e = gpi_identity(), a = elements[triples[3 * t]], b = elements[triples[3 * t + 1]],\n",
    "                c = elements[triples[3 * t + 2]];\n",
    "    const GPI_T ab = gpi_combine(a, b), ba = gpi_combine(b, a), bc = gpi_combine(b, c);\n",
    "    const GPI_T left = gpi_combine(e, a), right = gpi_combine(a, e);\n",
    "    const GPI_T ab_c = gpi_combine(ab, c), a_bc = gpi_combine(a, bc);\n",
    "    const float both = fmax(gpi_scale_of(a), gpi_scale_of(b));\n",
    "    const float three = fmax(fmax(both, gpi_scale_of(c)), fmax(gpi_scale_of(ab), gpi_scale_of(bc)));\n",
    "    const float all = fmax(three, fmax(gpi_scale_of(ab_c), gpi_scale_of(a_bc)));\n",
    "    uint f = 0;\n",
    "    if (!gpi_same(left, a, tolerance * gpi_scale_of(a))) f |= GPI_LAW_LEFT;\n",
    "    if (!gpi_same(right, a, tolerance * gpi_scale_of(a))) f |= GPI_LAW_RIGHT;\n",
    "    if (!gpi_same(ab, ba, tolerance * fmax(both, gpi_scale_of(ab)))) f |= GPI_LAW_COMMUTES;\n",
    "    if (!gpi_same(ab_c, a_bc, tolerance * all)) f |= GPI_LAW_ASSOCIATES;\n",
    "    failed[t] = f;\n",
    "    results += (ulong)t * GPI_LAW_RESULTS;\n",
    "    results[0] = left;\n",
    "    results[1] = right;\n",
    "    results[2] = ab;\n",
    "    results[3] = ba;\n",
    "    results[4] = ab_c;\n",
    "    results[5] = a_bc;\n",
    "}\n",
};
/* ---- End file kernels/laws.cl ---- */

/* ---- Begin file kernels/scan.cl ---- */
static const char *const gpi_kernel_scan[] = {
    "#line 1 \"kernels/scan.cl\"\n",
    "/* scan.cl - inclusive  out[i] = initial . in[0] ... in[i]\n",
    "             exclusive  out[i] = initial . in[0] ... in[i-1]\n",
    "\n",
    "   Single pass (look-back), 2 n elements moved:\n",
    "\n",
    "       in   | tile 0 | tile 1 | ... |      gp_scan_look_back: a group a tile, tiles by ticket\n",
    "       out  | tile 0 | tile 1 | ... |\n",
    "\n",
    "   Multi-pass (reduce, then scan), 3 n elements moved, no group waits for another:\n",
    "\n",
    "       in       | tile 0 | tile 1 | ... |  gp_scan_upsweep: a group a tile\n",
    "       partials |   0    |   1    | ... |  gp_scan_spine: one group, exclusive scan in place\n",
    "       out      | tile 0 | tile 1 | ... |  gp_scan_downsweep: a group a tile\n",
    "\n",
    "   A single tile needs only the downsweep. Segmented, `initial` stands before each segment and the first\n",
    "   element in that order is a head: nothing is carried in.\n",
    "   (Merrill & Garland 2016; Sengupta et al. 2007 for the sweeps.)                                     */\n",
    "\n",
    "/* What stands before the first tile. */\n",
    "static GPI_T gpi_scan_begin(GPI_BASE initial)\n",
    "{\n",
    "#if GPI_SEGMENTED\n",
    "    return gpi_identity(); /* gpi_scan_result puts `initial` before each segment */\n",
    "#else\n",
    "    return initial;\n",
    "#endif\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_scan_look_back(GPI_SOURCE_PARAMETERS, GPI_SINK_PARAMETERS, volatile __global uint *state,\n",
    "                                  uint polls, volatile __global uint *counters)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_tile tile;\n",
    "    gpi_source source;\n",
    "    gpi_sink sink;\n",
    "    GPI_SOURCE_SET(source);\n",
    "    GPI_SINK_SET(sink);\n",
    "    const uint id = gpi_take_ticket(state, shared);\n",
    "    const ulong base = (ulong)id * GPI_TILE;\n",
    "    GPI_COUNT_CHECK(id == 0, counters);\n",
    "    if (base >= source.count) return; /* so do all later tiles: nobody waits for this one */\n",
    "    gpi_tile_open(&tile, source, base, shared);\n",
    "    const GPI_T aggregate = gpi_tile_aggregate(&tile);\n",
    "    const GPI_T prefix = gpi_look_back(state, id, aggregate, source, polls, counters, shared);\n",
    "    gpi_tile_scan(&tile, gpi_combine(gpi_scan_begin(sink.initial), prefix), source, base, sink, shared);\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_scan_upsweep(GPI_SOURCE_PARAMETERS, __global GPI_T *partials)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_source source;\n",
    "    const uint tile = (uint)get_group_id(0);\n",
    "    GPI_SOURCE_SET(source);\n",
    "    const GPI_T sum = gpi_tile_reduce(source, (ulong)tile * GPI_TILE, shared);\n",
    "    if (get_local_id(0) == 0) partials[tile] = sum;\n",
    "}\n",
    "\n",
    "/* partials[t] becomes initial . partials[0] ... partials[t-1] */\n",
    "GPI_KERNEL void gp_scan_spine(__global GPI_T *partials, uint tiles, gpi_argument initial)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    GPI_T carry = gpi_scan_begin(gpi_base_of(initial));\n",
    "    for (uint base = 0; base < tiles; base += GPI_WG) {\n",
    "        const uint i = base + (uint)get_local_id(0);\n",
    "        GPI_T total;\n",
    "        const GPI_T x = i < tiles ? partials[i] : gpi_identity();\n",
    "        const GPI_T before = gpi_group_scan(x, &total, shared);\n",
    "        if (i < tiles) partials[i] = gpi_combine(carry, before);\n",
    "        carry = gpi_combine(carry, total);\n",
    "    }\n",
    "}\n",
    "\n",
    "/* `partials` is not read when there is one tile. */\n",
    "GPI_KERNEL void gp_scan_downsweep(GPI_SOURCE_PARAMETERS, GPI_SINK_PARAMETERS, __global const GPI_T *partials,\n",
    "                                  uint tiles, volatile __global uint *counters)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_tile tile;\n",
    "    gpi_source source;\n",
    "    gpi_sink sink;\n",
    "    const uint id = (uint)get_group_id(0);\n",
    "    const ulong base = (ulong)id * GPI_TILE;\n",
    "    GPI_SOURCE_SET(source);\n",
    "    GPI_SINK_SET(sink);\n",
    "    GPI_COUNT_CHECK(id == 0, counters);\n",
    "    gpi_tile_open(&tile, source, base, shared);\n",
    "    const GPI_T prefix = tiles > 1 ? partials[id] : gpi_scan_begin(sink.initial);\n",
    "    gpi_tile_scan(&tile, prefix, source, base, sink, shared);\n",
    "}\n",
};
/* ---- End file kernels/scan.cl ---- */

/* ---- Begin file kernels/key.cl ---- */
static const char *const gpi_kernel_key[] = {
    "#line 1 \"kernels/key.cl\"\n",
    "/* key.cl - keys and values in memory, and the order of keys.\n",
    "\n",
    "       order(key) = map(key) ^ flip          an unsigned number, as large as the key is wide\n",
    "\n",
    "   Integers: map is the identity, and `flip` has the sign bit of signed ones. Floats (GPI_KEY_FLOAT): all bits\n",
    "   but the sign are turned where the sign is set, and `flip` has the sign bit:\n",
    "   -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN. Descending order turns all bits of `flip`. Different keys\n",
    "   have different numbers. To partition a hash table's batch (gp_hash_insert) the number is mix.cl's hash of\n",
    "   the key, and `flip` the table's seed.\n",
    "\n",
    "   Parameters\n",
    "       GPI_KEY_SIZE     1, 2, 4, 8: bytes of a key\n",
    "       GPI_KEY_FLOAT    1: keys are floats\n",
    "       GPI_KEY_HASH     64, 32: the number is a hash of so many bits; 0: it is not\n",
    "       GPI_VALUE_SIZE   0, 1, 2, 4, 8, 16: bytes of a value                                             */\n",
    "#if GPI_KEY_SIZE == 1\n",
    "typedef uchar gpi_key;\n",
    "#elif GPI_KEY_SIZE == 2\n",
    "typedef ushort gpi_key;\n",
    "#elif GPI_KEY_SIZE == 4\n",
    "typedef uint gpi_key;\n",
    "#elif GPI_KEY_SIZE == 8\n",
    "typedef ulong gpi_key;\n",
    "#else\n",
    "#error \"GPI_KEY_SIZE must be 1, 2, 4 or 8\"\n",
    "#endif\n",
    "\n",
    "#if GPI_VALUE_SIZE == 1\n",
    "typedef uchar gpi_value;\n",
    "#define GPI_VALUE_OF(i) ((gpi_value)(i))\n",
    "#elif GPI_VALUE_SIZE == 2\n",
    "typedef ushort gpi_value;\n",
    "#define GPI_VALUE_OF(i) ((gpi_value)(i))\n",
    "#elif GPI_VALUE_SIZE == 4\n",
    "typedef uint gpi_value;\n",
    "#define GPI_VALUE_OF(i) ((gpi_value)(i))\n",
    "#elif GPI_VALUE_SIZE == 8\n",
    "typedef ulong gpi_value;\n",
    "#define GPI_VALUE_OF(i) ((gpi_value)(i))\n",
    "#elif GPI_VALUE_SIZE == 16\n",
    "typedef uint4 gpi_value;\n",
    "#define GPI_VALUE_OF(i) ((gpi_value)((uint)(i), (uint)((i) >> 32), 0, 0))\n",
    "#elif GPI_VALUE_SIZE != 0\n",
    "#error \"GPI_VALUE_SIZE must be 0, 1, 2, 4, 8 or 16\"\n",
    "#endif\n",
    "\n",
    "#ifndef GPI_KEY_HASH\n",
    "#define GPI_KEY_HASH 0\n",
    "#endif\n",
    "#if GPI_KEY_SIZE == 8 || GPI_KEY_HASH == 64\n",
    "typedef ulong gpi_key_bits;\n",
    "#else\n",
    "typedef uint gpi_key_bits;\n",
    "#endif\n",
    "\n",
    "static gpi_key_bits gpi_key_order(gpi_key key, gpi_key_bits flip)\n",
    "{\n",
    "    gpi_key_bits k = key;\n",
    "#if GPI_KEY_FLOAT\n",
    "    const gpi_key_bits sign = (gpi_key_bits)1 << (8 * GPI_KEY_SIZE - 1);\n",
    "    k ^= ((gpi_key_bits)0 - (k >> (8 * GPI_KEY_SIZE - 1))) & (sign - 1);\n",
    "#endif\n",
    "    k ^= flip;\n",
    "#if GPI_KEY_HASH == 64\n",
    "    k = gpi_mix_64(k);\n",
    "#elif GPI_KEY_HASH == 32\n",
    "    k = gpi_mix_32(k);\n",
    "#endif\n",
    "    return k;\n",
    "}\n",
};
/* ---- End file kernels/key.cl ---- */

/* ---- Begin file kernels/digit.cl ---- */
static const char *const gpi_kernel_digit[] = {
    "#line 1 \"kernels/digit.cl\"\n",
    "/* digit.cl - the digits of keys, and what the kernels of a sort share.\n",
    "\n",
    "       digit(key) = order(key) >> shift & mask        order, and `flip` in it: key.cl\n",
    "\n",
    "   Keys are moved as they are; only their digits see their order.\n",
    "\n",
    "   Keys (and values, which go the same way) are in one of three places: the input, the output, and a second\n",
    "   buffer. Which one a pass reads and which one it writes is decided on the device, so that a pass in which\n",
    "   all keys have the same digit can be left out: pass p reads place `from(p)` and writes `from(p + 1)`;\n",
    "   the two are the same where there is nothing to do.\n",
    "\n",
    "   State buffer, in uints; the host computes where the parts begin:\n",
    "\n",
    "       | count lo, hi | abandoned | buckets | from(0) ... from(8) | from, to of buckets | - |\n",
    "       | ticket, tail of each launch |\n",
    "       | histogram: pass, digit: lo, hi | bases: launch, digit: ulong | table: block, digit: ulong | rows | */\n",
    "#define GPI_BINS 256\n",
    "#define GPI_PASSES_MAX 8\n",
    "\n",
    "/* ------------------------------------------------------------------ digits */\n",
    "\n",
    "/* What a pass sorts by. */\n",
    "typedef struct gpi_digit {\n",
    "    gpi_key_bits flip;\n",
    "    uint shift, mask;\n",
    "} gpi_digit;\n",
    "\n",
    "#define GPI_DIGIT_PARAMETERS ulong flip, uint shift, uint mask\n",
    "#define GPI_DIGIT_SET(digit)             \\\n",
    "    (digit).flip = (gpi_key_bits)(flip); \\\n",
    "    (digit).shift = shift;               \\\n",
    "    (digit).mask = mask\n",
    "\n",
    "static uint gpi_digit_of(gpi_key key, gpi_digit digit)\n",
    "{\n",
    "    return (uint)(gpi_key_order(key, digit.flip) >> digit.shift) & digit.mask;\n",
    "}\n",
    "\n",
    "/* The digit of pass p: eight bits from `begin` on, fewer in the last one. */\n",
    "static gpi_digit gpi_digit_at(uint p, ulong flip, uint begin, uint end)\n",
    "{\n",
    "    gpi_digit digit;\n",
    "    digit.flip = (gpi_key_bits)flip;\n",
    "    digit.shift = begin + 8 * p;\n",
    "    digit.mask = (1u << min(8u, end - digit.shift)) - 1;\n",
    "    return digit;\n",
    "}\n",
    "\n",
    "/* What a whole sort sorts by: bits [begin, end), in passes of eight. */\n",
    "typedef struct gpi_bits {\n",
    "    ulong flip;\n",
    "    uint begin, end, passes;\n",
    "} gpi_bits;\n",
    "\n",
    "#define GPI_BITS_PARAMETERS ulong flip, uint begin_bit, uint end_bit, uint passes\n",
    "#define GPI_BITS_SET(bits)    \\\n",
    "    (bits).flip = flip;       \\\n",
    "    (bits).begin = begin_bit; \\\n",
    "    (bits).end = end_bit;     \\\n",
    "    (bits).passes = passes\n",
    "\n",
    "/* The key's bits of the window, in their order: all passes' digits. */\n",
    "static gpi_key_bits gpi_window_of(gpi_key key, gpi_bits bits)\n",
    "{\n",
    "    const uint width = 8 * sizeof(gpi_key_bits), window = bits.end - bits.begin;\n",
    "    const gpi_key_bits mask = window ? ~(gpi_key_bits)0 >> (width - window) : 0;\n",
    "    return gpi_key_order(key, (gpi_key_bits)bits.flip) >> bits.begin & mask;\n",
    "}\n",
    "\n",
    "static gpi_digit gpi_digit_of_pass(uint p, gpi_bits bits)\n",
    "{\n",
    "    return gpi_digit_at(p, bits.flip, bits.begin, bits.end);\n",
    "}\n",
    "\n",
    "/* Eight bits at the window's end, of a window of eight at least. */\n",
    "static gpi_digit gpi_digit_highest(gpi_bits bits)\n",
    "{\n",
    "    return gpi_digit_at(0, bits.flip, bits.end - 8, bits.end);\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ places */\n",
    "\n",
    "#define GPI_PLACE_IN 0\n",
    "#define GPI_PLACE_OUT 1\n",
    "#define GPI_PLACE_TMP 2\n",
    "\n",
    "typedef struct gpi_places {\n",
    "    __global const gpi_key *key_in;\n",
    "    __global gpi_key *key_out, *key_tmp;\n",
    "#if GPI_VALUE_SIZE\n",
    "    __global const gpi_value *value_in;\n",
    "    __global gpi_value *value_out, *value_tmp;\n",
    "    bool indices; /* the input's values are 0, 1, 2, ...: nothing is read */\n",
    "#endif\n",
    "} gpi_places;\n",
    "\n",
    "#define GPI_PLACES_KEYS                                                                           \\\n",
    "    __global const gpi_key *key_in, ulong key_in_at, __global gpi_key *key_out, ulong key_out_at, \\\n",
    "        __global gpi_key *key_tmp, ulong key_tmp_at\n",
    "#define GPI_PLACES_SET_KEYS(places)          \\\n",
    "    (places).key_in = key_in + key_in_at;    \\\n",
    "    (places).key_out = key_out + key_out_at; \\\n",
    "    (places).key_tmp = key_tmp + key_tmp_at\n",
    "\n",
    "#if GPI_VALUE_SIZE\n",
    "#define GPI_PLACES_PARAMETERS                                                                              \\\n",
    "    GPI_PLACES_KEYS, __global const gpi_value *value_in, ulong value_in_at, __global gpi_value *value_out, \\\n",
    "        ulong value_out_at, __global gpi_value *value_tmp, ulong value_tmp_at, uint indices\n",
    "#define GPI_PLACES_SET(places)                     \\\n",
    "    GPI_PLACES_SET_KEYS(places);                   \\\n",
    "    (places).value_in = value_in + value_in_at;    \\\n",
    "    (places).value_out = value_out + value_out_at; \\\n",
    "    (places).value_tmp = value_tmp + value_tmp_at; \\\n",
    "    (places).indices = indices != 0\n",
    "#else\n",
    "#define GPI_PLACES_PARAMETERS GPI_PLACES_KEYS\n",
    "#define GPI_PLACES_SET(places) GPI_PLACES_SET_KEYS(places)\n",
    "#endif\n",
    "\n",
    "/* What one pass reads and writes. */\n",
    "typedef struct gpi_move {\n",
    "    __global const gpi_key *key;\n",
    "    __global gpi_key *key_to;\n",
    "#if GPI_VALUE_SIZE\n",
    "    __global const gpi_value *value;\n",
    "    __global gpi_value *value_to;\n",
    "    bool indices;\n",
    "#endif\n",
    "} gpi_move;\n",
    "\n",
    "static gpi_move gpi_move_make(gpi_places places, uint from, uint to)\n",
    "{\n",
    "    gpi_move move;\n",
    "    move.key = from == GPI_PLACE_IN ? places.key_in : from == GPI_PLACE_OUT ? places.key_out : places.key_tmp;\n",
    "    move.key_to = to == GPI_PLACE_OUT ? places.key_out : places.key_tmp;\n",
    "#if GPI_VALUE_SIZE\n",
    "    move.value = from == GPI_PLACE_IN    ? places.value_in\n",
    "                 : from == GPI_PLACE_OUT ? places.value_out\n",
    "                                         : places.value_tmp;\n",
    "    move.value_to = to == GPI_PLACE_OUT ? places.value_out : places.value_tmp;\n",
    "    move.indices = places.indices && from == GPI_PLACE_IN;\n",
    "#endif\n",
    "    return move;\n",
    "}\n",
    "\n",
    "#if GPI_VALUE_SIZE\n",
    "static gpi_value gpi_value_at(gpi_move move, ulong i)\n",
    "{\n",
    "    return move.indices ? GPI_VALUE_OF(i) : move.value[i];\n",
    "}\n",
    "#endif\n",
    "\n",
    "/* Element i goes to j. */\n",
    "static void gpi_move_one(gpi_move move, ulong i, ulong j)\n",
    "{\n",
    "    move.key_to[j] = move.key[i];\n",
    "#if GPI_VALUE_SIZE\n",
    "    move.value_to[j] = gpi_value_at(move, i);\n",
    "#endif\n",
    "}\n",
    "\n",
    "/* Where a pass that starts from `from` writes to. `first`: where the first one does. */\n",
    "static uint gpi_place_next(uint from, uint first)\n",
    "{\n",
    "    if (from == GPI_PLACE_IN) return first;\n",
    "    return from == GPI_PLACE_OUT ? GPI_PLACE_TMP : GPI_PLACE_OUT;\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ state */\n",
    "\n",
    "#define GPI_STATE_ABANDONED 2\n",
    "#define GPI_STATE_BUCKETS 3\n",
    "#define GPI_STATE_FROM 4\n",
    "#define GPI_STATE_LAUNCHES 16\n",
    "\n",
    "typedef volatile __global uint *gpi_state;\n",
    "\n",
    "/* Elements of this call; written by gp_sort_begin. */\n",
    "static ulong gpi_state_count(gpi_state state) { return (ulong)state[1] << 32 | state[0]; }\n",
    "\n",
    "static uint gpi_from(gpi_state state, uint pass) { return state[GPI_STATE_FROM + pass]; }\n",
    "\n",
    "static bool gpi_is_abandoned(gpi_state state) { return atomic_or(state + GPI_STATE_ABANDONED, 0u) != 0; }\n",
    "\n",
    "/* A pass has nothing to do: all keys have the same digit. */\n",
    "static bool gpi_is_trivial(gpi_state state, uint pass)\n",
    "{\n",
    "    return gpi_from(state, pass) == gpi_from(state, pass + 1);\n",
    "}\n",
    "\n",
    "/* When a kernel of a classic pass has something to do. */\n",
    "#define GPI_ALWAYS 0u\n",
    "#define GPI_WHEN_ABANDONED 1u /* behind a onesweep pass */\n",
    "#define GPI_UNLESS_BUCKETS 2u /* behind buckets.cl */\n",
    "#define GPI_WHEN_BUCKETS 3u   /* for it, as GPI_PASS_BUCKETS */\n",
    "#define GPI_PASS_BUCKETS (GPI_PASSES_MAX + 1)\n",
    "\n",
    "static bool gpi_is_idle(gpi_state state, uint pass, uint when)\n",
    "{\n",
    "    switch (when) {\n",
    "    case GPI_WHEN_ABANDONED: return gpi_is_trivial(state, pass) || !gpi_is_abandoned(state);\n",
    "    case GPI_UNLESS_BUCKETS: return state[GPI_STATE_BUCKETS] != 0;\n",
    "    case GPI_WHEN_BUCKETS: return state[GPI_STATE_BUCKETS] == 0;\n",
    "    default: return false;\n",
    "    }\n",
    "}\n",
    "\n",
    "static __global ulong *gpi_part(gpi_state state, ulong at) { return (__global ulong *)(state + at); }\n",
};
/* ---- End file kernels/digit.cl ---- */

/* ---- Begin file kernels/ring.cl ---- */
static const char *const gpi_kernel_ring[] = {
    "#line 1 \"kernels/ring.cl\"\n",
    "/* ring.cl - decoupled look-back for 256 digits at once, in a table that does not grow with n.\n",
    "\n",
    "       exclusive(t, d) = how many keys of digit d are in the tiles 0 ... t-1\n",
    "\n",
    "   Each tile has a row of 256 words. A word carries its count, its state and, where rows are used again,\n",
    "   its tile's number, so that it proves itself: every access is a relaxed atomic, in any order.\n",
    "\n",
    "       wide word     flag 2 | tile 30 | count 32      a ring of GPI_RING_ROWS rows, tile t in row t mod rows\n",
    "       narrow word   flag 2 | count 30                a row for every tile, zeroed before each launch\n",
    "\n",
    "   (Merrill & Garland 2016; Adinets & Merrill 2022; the ring: GPUOpen, Onesweep with circular buffers.)\n",
    "\n",
    "   Three rules keep a row from being overwritten while anybody may still read it:\n",
    "     - reach   A look-back goes at most GPI_RING_REACH tiles back; at that distance it takes only an\n",
    "               inclusive word, and waits for one.\n",
    "     - tail    A tile that needs the table no longer counts itself in `tail`, in order between blocks of\n",
    "               GPI_RING_BLOCK tiles and in any order inside one: all tiles below tail & ~(BLOCK - 1) are done.\n",
    "     - gate    Tile t writes its row only when all tiles up to t - ROWS + REACH are done: these are the ones\n",
    "               that could read tile t - ROWS, whose row it is.\n",
    "\n",
    "   Why a wait ends: tiles are handed out by ticket, so that all tiles below one's own have started; gate,\n",
    "   look-back and tail all wait for lower tiles only (the gate because ROWS >= REACH + BLOCK: with fewer a tile\n",
    "   could wait for one of its own block). And whether or not the device lets those go on: each wait is bounded\n",
    "   by `polls`. When it runs out, `abandoned` is set, which ends all other waits too, no group writes any\n",
    "   longer, and the launches enqueued behind do the pass in another way, from its unharmed source.\n",
    "   tests/models/ring.pml checks these rules.\n",
    "\n",
    "   Clearing. Words of an earlier launch would be taken for this one's where their tiles' numbers agree. The\n",
    "   rows are zeroed before a launch, unless the launch before was of the same call and had at least 2 * ROWS\n",
    "   tiles, as this one has: then every row's last tile was at least ROWS, and a tile looks for that number only\n",
    "   after it has gone through the gate, when this launch has already written the row once.\n",
    "\n",
    "   Parameters\n",
    "       GPI_RING_ROWS    wide words: rows, a power of two\n",
    "       GPI_RING_REACH   how far back a look-back goes\n",
    "       GPI_RING_BLOCK   tiles of a block of the tail, a power of two                                   */\n",
    "#if GPI_RING_ROWS & (GPI_RING_ROWS - 1)\n",
    "#error \"GPI_RING_ROWS must be a power of two\"\n",
    "#endif\n",
    "#if GPI_RING_BLOCK < 1 || (GPI_RING_BLOCK & (GPI_RING_BLOCK - 1))\n",
    "#error \"GPI_RING_BLOCK must be a power of two\"\n",
    "#endif\n",
    "#if GPI_RING_REACH < 1\n",
    "#error \"GPI_RING_REACH must be 1 or more\"\n",
    "#endif\n",
    "#if GPI_RING_ROWS < GPI_RING_REACH + GPI_RING_BLOCK\n",
    "#error \"GPI_RING_ROWS must be at least GPI_RING_REACH + GPI_RING_BLOCK, or a tile waits for itself\"\n",
    "#endif\n",
    "\n",
    "#define GPI_EMPTY 0u\n",
    "#define GPI_AGGREGATE 1u\n",
    "#define GPI_INCLUSIVE 2u\n",
    "\n",
    "typedef struct gpi_ring {\n",
    "    gpi_state state;\n",
    "    gpi_state ticket, tail;\n",
    "    volatile __global gpi_word *rows;\n",
    "    uint polls;\n",
    "} gpi_ring;\n",
    "\n",
    "static gpi_ring gpi_ring_make(gpi_state state, uint launch, ulong rows_at, uint polls)\n",
    "{\n",
    "    gpi_ring ring;\n",
    "    ring.state = state;\n",
    "    ring.ticket = state + GPI_STATE_LAUNCHES + 2 * launch;\n",
    "    ring.tail = ring.ticket + 1;\n",
    "    ring.rows = (volatile __global gpi_word *)(state + rows_at);\n",
    "    ring.polls = polls;\n",
    "    return ring;\n",
    "}\n",
    "\n",
    "#if GPI_WIDE\n",
    "static volatile __global gpi_word *gpi_ring_word(gpi_ring ring, uint tile, uint d)\n",
    "{\n",
    "    return ring.rows + (ulong)(tile & (GPI_RING_ROWS - 1)) * GPI_BINS + d;\n",
    "}\n",
    "static gpi_word gpi_ring_pack(uint tile, uint flag, uint count)\n",
    "{\n",
    "    return (gpi_word)(flag << 30 | tile) << 32 | count;\n",
    "}\n",
    "/* The word's state, if it is that tile's. */\n",
    "static uint gpi_ring_flag(gpi_word w, uint tile)\n",
    "{\n",
    "    const uint high = (uint)(w >> 32);\n",
    "    return (high & 0x3fffffffu) == tile ? high >> 30 : GPI_EMPTY;\n",
    "}\n",
    "static uint gpi_ring_count(gpi_word w) { return (uint)w; }\n",
    "#else\n",
    "static volatile __global gpi_word *gpi_ring_word(gpi_ring ring, uint tile, uint d)\n",
    "{\n",
    "    return ring.rows + (ulong)tile * GPI_BINS + d;\n",
    "}\n",
    "static gpi_word gpi_ring_pack(uint tile, uint flag, uint count)\n",
    "{\n",
    "    (void)tile;\n",
    "    return flag << 30 | count;\n",
    "}\n",
    "static uint gpi_ring_flag(gpi_word w, uint tile)\n",
    "{\n",
    "    (void)tile;\n",
    "    return w >> 30;\n",
    "}\n",
    "static uint gpi_ring_count(gpi_word w) { return w & 0x3fffffffu; }\n",
    "#endif\n",
    "\n",
    "/* Tests build with GPI_SABOTAGE = k: one tile in k never publishes, as if its group never ran. */\n",
    "static bool gpi_ring_publishes(uint tile)\n",
    "{\n",
    "#ifdef GPI_SABOTAGE\n",
    "    return (tile * 2654435761u >> 16) % GPI_SABOTAGE != 0;\n",
    "#else\n",
    "    (void)tile;\n",
    "    return true;\n",
    "#endif\n",
    "}\n",
    "\n",
    "/* The first word of a tile's digit: its own count. Of tile 0 that is the inclusive one too. */\n",
    "static void gpi_ring_publish(gpi_ring ring, uint tile, uint d, uint count)\n",
    "{\n",
    "    const uint flag = tile == 0 ? GPI_INCLUSIVE : GPI_AGGREGATE;\n",
    "    if (gpi_ring_publishes(tile))\n",
    "        gpi_word_write(gpi_ring_word(ring, tile, d), gpi_ring_pack(tile, flag, count));\n",
    "}\n",
    "\n",
    "/* The second word, with everything before the tile. What it replaces is looked at, so that the write has\n",
    "   happened before the tile leaves: false when the first word is not there, which must not be. */\n",
    "static bool gpi_ring_conclude(gpi_ring ring, uint tile, uint d, uint count)\n",
    "{\n",
    "    gpi_word old;\n",
    "    if (tile == 0 || !gpi_ring_publishes(tile)) return true;\n",
    "    old = gpi_word_swap(gpi_ring_word(ring, tile, d), gpi_ring_pack(tile, GPI_INCLUSIVE, count));\n",
    "    return gpi_ring_flag(old, tile) == GPI_AGGREGATE;\n",
    "}\n",
    "\n",
    "static void gpi_ring_abandon(gpi_ring ring) { (void)atomic_or(ring.state + GPI_STATE_ABANDONED, 1u); }\n",
    "\n",
    "/* One turn of a wait that has not been answered: true to go on. */\n",
    "static bool gpi_ring_patience(gpi_ring ring, uint *polls)\n",
    "{\n",
    "    if (*polls == 0) return false;\n",
    "    *polls -= 1;\n",
    "    return !gpi_is_abandoned(ring.state);\n",
    "}\n",
    "\n",
    "/* Waits until the tile may write its row. One item calls; false: abandoned.\n",
    "   Ends because the tiles waited for are lower, and after `polls` turns. (ring.pml: `alive`, gate; what it\n",
    "   keeps from happening: `safe`, and the mutation BUG_GATE.) */\n",
    "static bool gpi_ring_gate(gpi_ring ring, uint tile)\n",
    "{\n",
    "#if GPI_WIDE\n",
    "    uint polls = ring.polls;\n",
    "    bool open = tile < GPI_RING_ROWS;\n",
    "    while (!open) {\n",
    "        const uint done = atomic_or(ring.tail, 0u) & ~(uint)(GPI_RING_BLOCK - 1);\n",
    "        open = done + GPI_RING_ROWS > tile + GPI_RING_REACH;\n",
    "        if (!open && !gpi_ring_patience(ring, &polls)) break;\n",
    "    }\n",
    "    return open; /* as it stands, also when a device dropped out of the loop */\n",
    "#else\n",
    "    (void)ring;\n",
    "    (void)tile;\n",
    "    return true;\n",
    "#endif\n",
    "}\n",
    "\n",
    "/* How many keys of digit d come before the tile, to *exclusive. One item a digit; false: abandoned.\n",
    "   Ends because each turn goes one tile back, to REACH at most, or uses up one of the polls; the tile waited\n",
    "   for is a lower one. (ring.pml: `alive`, look back; `right`, and the mutations BUG_REACH and BUG_TAG.) */\n",
    "static bool gpi_ring_look_back(gpi_ring ring, uint tile, uint d, uint *exclusive)\n",
    "{\n",
    "    uint polls = ring.polls, distance = 1, sum = 0;\n",
    "    bool found = tile == 0;\n",
    "    while (!found) {\n",
    "        const gpi_word w = gpi_word_read(gpi_ring_word(ring, tile - distance, d));\n",
    "        const uint flag = gpi_ring_flag(w, tile - distance);\n",
    "        if (flag == GPI_INCLUSIVE || (flag == GPI_AGGREGATE && distance < GPI_RING_REACH)) {\n",
    "            sum += gpi_ring_count(w);\n",
    "            found = flag == GPI_INCLUSIVE;\n",
    "            distance += 1;\n",
    "        } else if (!gpi_ring_patience(ring, &polls)) {\n",
    "            break;\n",
    "        }\n",
    "    }\n",
    "    *exclusive = sum;\n",
    "    return found; /* false also when a device dropped out of the loop: never taken for an answer */\n",
    "}\n",
    "\n",
    "/* The tile needs the table no longer. One item calls, behind a barrier that all reads and writes of the\n",
    "   group have passed; false: abandoned.\n",
    "   Ends because the tiles of earlier blocks are lower, and after `polls` turns. (ring.pml: `alive`, leave;\n",
    "   `safe`, and the mutation BUG_TAIL.) */\n",
    "static bool gpi_ring_leave(gpi_ring ring, uint tile)\n",
    "{\n",
    "#if GPI_WIDE\n",
    "    uint polls = ring.polls;\n",
    "    bool turn = false;\n",
    "    while (!turn) {\n",
    "        turn = atomic_or(ring.tail, 0u) / GPI_RING_BLOCK == tile / GPI_RING_BLOCK;\n",
    "        if (!turn && !gpi_ring_patience(ring, &polls)) break;\n",
    "    }\n",
    "    if (turn) (void)atomic_inc(ring.tail);\n",
    "    return turn;\n",
    "#else\n",
    "    (void)ring;\n",
    "    (void)tile;\n",
    "    return true;\n",
    "#endif\n",
    "}\n",
};
/* ---- End file kernels/ring.cl ---- */

/* ---- Begin file kernels/rank.cl ---- */
static const char *const gpi_kernel_rank[] = {
    "#line 1 \"kernels/rank.cl\"\n",
    "/* rank.cl - what a group does with a range of keys, in each shape: count digits, move keys stably.\n",
    "\n",
    "       serial   one item: loops over the range. Moving writes through lines: a 64-byte line is gathered for\n",
    "                each digit, and written, past the caches, when it is whole.\n",
    "       local    tiles of GPI_TILE keys in local memory, put in the order of their digits (stable) by two\n",
    "                rounds of four bits, then written: neighbours write neighbours.\n",
    "\n",
    "   Every function is collective: all items of the group call it. `next[d]` is where the next key of digit d\n",
    "   goes, kept for the whole range.\n",
    "\n",
    "   Parameters\n",
    "       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1\n",
    "       GPI_WG, GPI_ITEMS, GPI_TILE           local: items of a group, keys of an item, keys of a tile\n",
    "       GPI_AHEAD                             serial: how far ahead to prefetch, in bytes               */\n",
    "#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1\n",
    "#error \"exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1\"\n",
    "#endif\n",
    "#if GPI_SHAPE_SERIAL && GPI_WG != 1\n",
    "#error \"the serial shape has one item a group\"\n",
    "#endif\n",
    "#if GPI_SHAPE_LOCAL && (GPI_TILE != GPI_WG * GPI_ITEMS || GPI_TILE > 32768)\n",
    "#error \"GPI_TILE must be GPI_WG * GPI_ITEMS, and at most 32768\"\n",
    "#endif\n",
    "\n",
    "/* Digits d of this item: for (uint d = first; d < GPI_BINS; d += GPI_WG). */\n",
    "#define GPI_EACH_BIN(d) for (uint d = (uint)get_local_id(0); d < GPI_BINS; d += GPI_WG)\n",
    "\n",
    "#if GPI_SHAPE_SERIAL\n",
    "/* ------------------------------------------------------------------ serial */\n",
    "\n",
    "typedef struct gpi_own {\n",
    "    uint count[GPI_BINS]; /* of a range */\n",
    "    ulong next[GPI_BINS];\n",
    "} gpi_own;\n",
    "typedef gpi_own *gpi_shared;\n",
    "#define GPI_SHARED(name) \\\n",
    "    gpi_own name##_mem;  \\\n",
    "    const gpi_shared name = &name##_mem\n",
    "\n",
    "static uint gpi_broadcast(uint x, gpi_shared shared)\n",
    "{\n",
    "    (void)shared;\n",
    "    return x;\n",
    "}\n",
    "\n",
    "static void gpi_sync(void) {} /* there is nobody else */\n",
    "static void gpi_sync_all(void) {}\n",
    "\n",
    "#ifndef GPI_AHEAD\n",
    "#define GPI_AHEAD 2048\n",
    "#endif\n",
    "#define GPI_STEP 16 /* keys of an unrolled step */\n",
    "\n",
    "/* The digits of [begin, end) into shared->count. Four tables: equal digits in a row do not wait for each\n",
    "   other's store. */\n",
    "static void gpi_count_range(__global const gpi_key *key, ulong begin, ulong end, gpi_digit digit,\n",
    "                            gpi_shared shared)\n",
    "{\n",
    "    uint h[4][GPI_BINS];\n",
    "    ulong i = begin;\n",
    "    for (uint d = 0; d < GPI_BINS; d++) h[0][d] = h[1][d] = h[2][d] = h[3][d] = 0;\n",
    "    for (; i + GPI_STEP <= end; i += GPI_STEP) {\n",
    "        GPI_PREFETCH_READ((__global const char *)(key + i) + GPI_AHEAD);\n",
    "#pragma unroll\n",
    "        for (uint k = 0; k < GPI_STEP; k++) h[k % 4][gpi_digit_of(key[i + k], digit)]++;\n",
    "    }\n",
    "    for (; i < end; i++) h[0][gpi_digit_of(key[i], digit)]++;\n",
    "    for (uint d = 0; d < GPI_BINS; d++) shared->count[d] = h[0][d] + h[1][d] + h[2][d] + h[3][d];\n",
    "}\n",
    "\n",
    "/* Called with a constant where that is frequent, so that the loop over passes is unrolled. */\n",
    "GPI_INLINE void gpi_count_passes(__global const gpi_key *key, ulong begin, ulong end, gpi_bits bits,\n",
    "                                 const uint passes, uint *count)\n",
    "{\n",
    "    for (ulong i = begin; i < end; i++) {\n",
    "        gpi_key_bits k = gpi_window_of(key[i], bits);\n",
    "        for (uint p = 0; p < passes; p++, k >>= 8) count[p * GPI_BINS + (uint)(k & (GPI_BINS - 1))]++;\n",
    "    }\n",
    "}\n",
    "\n",
    "/* The digits of all passes at once, into count[pass][digit] (private). */\n",
    "static void gpi_count_all(__global const gpi_key *key, ulong begin, ulong end, gpi_bits bits, uint *count)\n",
    "{\n",
    "    for (uint c = 0; c < bits.passes * GPI_BINS; c++) count[c] = 0;\n",
    "    if (bits.passes == sizeof(gpi_key)) gpi_count_passes(key, begin, end, bits, sizeof(gpi_key), count);\n",
    "    else gpi_count_passes(key, begin, end, bits, bits.passes, count);\n",
    "}\n",
    "\n",
    "/* Element i, of digit d, to where the next one of its digit goes. */\n",
    "static void gpi_place(gpi_move move, ulong i, uint d, gpi_shared shared)\n",
    "{\n",
    "    const ulong j = shared->next[d];\n",
    "    shared->next[d] = j + 1;\n",
    "    gpi_move_one(move, i, j);\n",
    "}\n",
    "\n",
    "static void gpi_move_direct(gpi_move move, ulong begin, ulong end, gpi_digit digit, gpi_shared shared)\n",
    "{\n",
    "    ulong i = begin;\n",
    "    for (; i + GPI_STEP <= end; i += GPI_STEP) {\n",
    "#pragma unroll\n",
    "        for (uint k = 0; k < GPI_STEP; k++)\n",
    "            gpi_place(move, i + k, gpi_digit_of(move.key[i + k], digit), shared);\n",
    "    }\n",
    "    for (; i < end; i++) gpi_place(move, i, gpi_digit_of(move.key[i], digit), shared);\n",
    "}\n",
    "\n",
    "#define GPI_LINE 64\n",
    "#define GPI_KEY_LINE (GPI_LINE / GPI_KEY_SIZE)\n",
    "#if GPI_VALUE_SIZE\n",
    "#define GPI_VALUE_LINE (GPI_LINE / GPI_VALUE_SIZE)\n",
    "#else\n",
    "#define GPI_VALUE_LINE GPI_KEY_LINE\n",
    "#endif\n",
    "#define GPI_SHORT_LINE (GPI_VALUE_LINE < GPI_KEY_LINE ? GPI_VALUE_LINE : GPI_KEY_LINE)\n",
    "\n",
    "/* A line for each digit. Positions are counted from the line's boundary before the output's first key, so\n",
    "   that position % GPI_KEY_LINE is the place in a line. The output's values may not stand alike in theirs:\n",
    "   then they are gathered all the same, and written one by one. */\n",
    "typedef struct gpi_lines {\n",
    "    union {\n",
    "        uint16 line[GPI_BINS];\n",
    "        gpi_key key[GPI_BINS * GPI_KEY_LINE];\n",
    "    } k;\n",
    "#if GPI_VALUE_SIZE\n",
    "    union {\n",
    "        uint16 line[GPI_BINS];\n",
    "        gpi_value value[GPI_BINS * GPI_VALUE_LINE];\n",
    "    } v;\n",
    "    __global gpi_value *value_to; /* where position 0's value would go */\n",
    "    bool alike;\n",
    "#endif\n",
    "    __global gpi_key *key_to; /* where position 0 would go */\n",
    "    ulong next[GPI_BINS], first[GPI_BINS];\n",
    "} gpi_lines;\n",
    "\n",
    "/* Writes digit d's keys up to position `end`, which ends a line or the range: of the last line, nothing\n",
    "   before the range's own first key. */\n",
    "static void gpi_flush_keys(gpi_lines *lines, uint d, ulong end)\n",
    "{\n",
    "    const ulong begin = (end - 1) / GPI_KEY_LINE * GPI_KEY_LINE;\n",
    "    if (lines->first[d] <= begin && end - begin == GPI_KEY_LINE) {\n",
    "        GPI_STREAM_STORE(lines->k.line[d], (__global uint16 *)(lines->key_to + begin));\n",
    "        return;\n",
    "    }\n",
    "    for (ulong j = max(begin, lines->first[d]); j < end; j++)\n",
    "        lines->key_to[j] = lines->k.key[d * GPI_KEY_LINE + j % GPI_KEY_LINE];\n",
    "}\n",
    "\n",
    "#if GPI_VALUE_SIZE\n",
    "static void gpi_flush_values(gpi_lines *lines, uint d, ulong end)\n",
    "{\n",
    "    const ulong begin = (end - 1) / GPI_VALUE_LINE * GPI_VALUE_LINE;\n",
    "    if (lines->alike && lines->first[d] <= begin && end - begin == GPI_VALUE_LINE) {\n",
    "        GPI_STREAM_STORE(lines->v.line[d], (__global uint16 *)(lines->value_to + begin));\n",
    "        return;\n",
    "    }\n",
    "    for (ulong j = max(begin, lines->first[d]); j < end; j++)\n",
    "        lines->value_to[j] = lines->v.value[d * GPI_VALUE_LINE + j % GPI_VALUE_LINE];\n",
    "}\n",
    "#endif\n",
    "\n",
    "/* Element i, of digit d, into its line, and the line out when it is whole. */\n",
    "static void gpi_put(gpi_lines *lines, gpi_move move, ulong i, uint d)\n",
    "{\n",
    "    const ulong j = lines->next[d];\n",
    "    lines->next[d] = j + 1;\n",
    "    lines->k.key[d * GPI_KEY_LINE + j % GPI_KEY_LINE] = move.key[i];\n",
    "#if GPI_VALUE_SIZE\n",
    "    lines->v.value[d * GPI_VALUE_LINE + j % GPI_VALUE_LINE] = gpi_value_at(move, i);\n",
    "#endif\n",
    "    if (j % GPI_SHORT_LINE != GPI_SHORT_LINE - 1) return;\n",
    "#if GPI_VALUE_SIZE\n",
    "    if (j % GPI_VALUE_LINE == GPI_VALUE_LINE - 1) gpi_flush_values(lines, d, j + 1);\n",
    "#endif\n",
    "    if (j % GPI_KEY_LINE == GPI_KEY_LINE - 1) gpi_flush_keys(lines, d, j + 1);\n",
    "}\n",
    "\n",
    "static void gpi_put_range(gpi_lines *lines, gpi_move move, ulong begin, ulong end, gpi_digit digit)\n",
    "{\n",
    "    ulong i = begin;\n",
    "    for (; i + GPI_STEP <= end; i += GPI_STEP) {\n",
    "        GPI_PREFETCH_READ((__global const char *)(move.key + i) + GPI_AHEAD);\n",
    "#if GPI_VALUE_SIZE\n",
    "        GPI_PREFETCH_READ((__global const char *)(move.value + i) + GPI_AHEAD);\n",
    "#endif\n",
    "#pragma unroll\n",
    "        for (uint k = 0; k < GPI_STEP; k++) gpi_put(lines, move, i + k, gpi_digit_of(move.key[i + k], digit));\n",
    "    }\n",
    "    for (; i < end; i++) gpi_put(lines, move, i, gpi_digit_of(move.key[i], digit));\n",
    "}\n",
    "\n",
    "static void gpi_move_lines(gpi_move move, ulong begin, ulong end, gpi_digit digit, gpi_shared shared)\n",
    "{\n",
    "    gpi_lines lines;\n",
    "    const ulong offset = (ulong)(size_t)move.key_to % GPI_LINE / GPI_KEY_SIZE;\n",
    "    lines.key_to = move.key_to - offset;\n",
    "#if GPI_VALUE_SIZE\n",
    "    lines.value_to = move.value_to - offset;\n",
    "    lines.alike = (ulong)(size_t)lines.value_to % GPI_LINE == 0;\n",
    "#endif\n",
    "    for (uint d = 0; d < GPI_BINS; d++) lines.next[d] = lines.first[d] = shared->next[d] + offset;\n",
    "    gpi_put_range(&lines, move, begin, end, digit);\n",
    "    for (uint d = 0; d < GPI_BINS; d++) {\n",
    "        const ulong rest = lines.next[d] > lines.first[d] ? lines.next[d] : 0;\n",
    "        if (rest % GPI_KEY_LINE) gpi_flush_keys(&lines, d, rest);\n",
    "#if GPI_VALUE_SIZE\n",
    "        if (rest % GPI_VALUE_LINE) gpi_flush_values(&lines, d, rest);\n",
    "#endif\n",
    "    }\n",
    "}\n",
    "\n",
    "/* Moves [begin, end) to where shared->next says. `lines`: by lines, for more than the caches hold. */\n",
    "static void gpi_move_range(gpi_move move, ulong begin, ulong end, gpi_digit digit, bool lines,\n",
    "                           gpi_shared shared)\n",
    "{\n",
    "    if (lines) gpi_move_lines(move, begin, end, digit, shared);\n",
    "    else gpi_move_direct(move, begin, end, digit, shared);\n",
    "}\n",
    "\n",
    "#else\n",
    "/* ------------------------------------------------------------------ local */\n",
    "\n",
    "/* order[i] of a tile: the digit of the key that comes i-th, and where in the tile it is. */\n",
    "#define GPI_ORDER(d, i) ((d) << 16 | (i))\n",
    "#define GPI_ORDER_DIGIT(o) ((o) >> 16)\n",
    "#define GPI_ORDER_INDEX(o) ((o)&0xffffu)\n",
    "\n",
    "typedef struct gpi_local {\n",
    "    gpi_key stage[GPI_TILE];\n",
    "    uint order[GPI_TILE];\n",
    "    ushort nibble[16 * GPI_WG]; /* value, item: how many of the item's keys have it; then, where they go */\n",
    "    uint sum[2][GPI_WG];\n",
    "    uint count[GPI_BINS]; /* of a range, or of a tile */\n",
    "    uint start[GPI_BINS]; /* where a digit begins in the ordered tile */\n",
    "    ulong next[GPI_BINS];\n",
    "    uint word;\n",
    "} gpi_local;\n",
    "typedef __local gpi_local *gpi_shared;\n",
    "#define GPI_SHARED(name)          \\\n",
    "    __local gpi_local name##_mem; \\\n",
    "    const gpi_shared name = &name##_mem\n",
    "\n",
    "static void gpi_sync(void) { barrier(CLK_LOCAL_MEM_FENCE); }\n",
    "static void gpi_sync_all(void) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }\n",
    "\n",
    "/* Item 0's x. */\n",
    "static uint gpi_broadcast(uint x, gpi_shared shared)\n",
    "{\n",
    "    if (get_local_id(0) == 0) shared->word = x;\n",
    "    gpi_sync(); /* word is written */\n",
    "    x = shared->word;\n",
    "    gpi_sync(); /* word is read: the next broadcast may overwrite it */\n",
    "    return x;\n",
    "}\n",
    "\n",
    "/* The sum of x over the items before this one. Each step doubles the reach. */\n",
    "static uint gpi_group_before(uint x, gpi_shared shared)\n",
    "{\n",
    "    const uint l = (uint)get_local_id(0), own = x;\n",
    "    uint from = 0;\n",
    "    shared->sum[0][l] = x;\n",
    "    gpi_sync(); /* row 0 is complete */\n",
    "    for (uint d = 1; d < GPI_WG; d *= 2) {\n",
    "        if (l >= d) x += shared->sum[from][l - d];\n",
    "        from = 1 - from;\n",
    "        shared->sum[from][l] = x;\n",
    "        gpi_sync(); /* this step's row is complete; the other one is no longer read */\n",
    "    }\n",
    "    return x - own;\n",
    "}\n",
    "\n",
    "/* The digits of [begin, end) into shared->count. */\n",
    "static void gpi_count_range(__global const gpi_key *key, ulong begin, ulong end, gpi_digit digit,\n",
    "                            gpi_shared shared)\n",
    "{\n",
    "    GPI_EACH_BIN(d) shared->count[d] = 0;\n",
    "    gpi_sync(); /* the counters are zero */\n",
    "    for (ulong i = begin + get_local_id(0); i < end; i += GPI_WG)\n",
    "        (void)atomic_inc(&shared->count[gpi_digit_of(key[i], digit)]);\n",
    "    gpi_sync(); /* all is counted */\n",
    "}\n",
    "\n",
    "/* Puts shared->order in the order of four bits of the digits, stably: items own consecutive entries, count\n",
    "   them by value, and the counters' running sum says where each goes. */\n",
    "static void gpi_order_nibble(gpi_shared shared, uint shift)\n",
    "{\n",
    "    const uint l = (uint)get_local_id(0);\n",
    "    uint entry[GPI_ITEMS], rank[GPI_ITEMS], sum = 0;\n",
    "    for (uint v = 0; v < 16; v++) shared->nibble[v * GPI_WG + l] = 0;\n",
    "    for (uint j = 0; j < GPI_ITEMS; j++) {\n",
    "        entry[j] = shared->order[l * GPI_ITEMS + j];\n",
    "        rank[j] = shared->nibble[(entry[j] >> shift & 15) * GPI_WG + l]++;\n",
    "    }\n",
    "    gpi_sync(); /* all items have counted, and read their entries */\n",
    "    for (uint k = 0; k < 16; k++) {\n",
    "        const uint x = shared->nibble[l * 16 + k];\n",
    "        shared->nibble[l * 16 + k] = (ushort)sum;\n",
    "        sum += x;\n",
    "    }\n",
    "    sum = gpi_group_before(sum, shared);\n",
    "    for (uint k = 0; k < 16; k++) shared->nibble[l * 16 + k] += (ushort)sum;\n",
    "    gpi_sync(); /* the running sum is complete */\n",
    "    for (uint j = 0; j < GPI_ITEMS; j++)\n",
    "        shared->order[shared->nibble[(entry[j] >> shift & 15) * GPI_WG + l] + rank[j]] = entry[j];\n",
    "    gpi_sync(); /* the new order is written */\n",
    "}\n",
    "\n",
    "/* Puts shared->order in the order of its digits, stably. The one place for a device's own way to rank. */\n",
    "static void gpi_order_digits(gpi_shared shared, uint mask)\n",
    "{\n",
    "    gpi_sync(); /* the entries are written */\n",
    "    gpi_order_nibble(shared, 16);\n",
    "    if (mask > 15) gpi_order_nibble(shared, 20);\n",
    "}\n",
    "\n",
    "/* The tile at `base` into the stage, its digits into `order`; behind its end the highest digit, which a\n",
    "   stable order leaves there. */\n",
    "static void gpi_tile_load(__global const gpi_key *key, ulong base, uint length, gpi_digit digit,\n",
    "                          gpi_shared shared)\n",
    "{\n",
    "    for (uint i = (uint)get_local_id(0); i < GPI_TILE; i += GPI_WG) {\n",
    "        uint d = GPI_BINS - 1;\n",
    "        if (i < length) {\n",
    "            const gpi_key k = key[base + i];\n",
    "            shared->stage[i] = k;\n",
    "            d = gpi_digit_of(k, digit);\n",
    "        }\n",
    "        shared->order[i] = GPI_ORDER(d, i);\n",
    "    }\n",
    "}\n",
    "\n",
    "/* The loaded tile's digits into shared->count. */\n",
    "static void gpi_tile_count(uint length, gpi_shared shared)\n",
    "{\n",
    "    GPI_EACH_BIN(d) shared->count[d] = 0;\n",
    "    gpi_sync(); /* the counters are zero, the entries written */\n",
    "    for (uint i = (uint)get_local_id(0); i < length; i += GPI_WG)\n",
    "        (void)atomic_inc(&shared->count[GPI_ORDER_DIGIT(shared->order[i])]);\n",
    "    gpi_sync(); /* all is counted */\n",
    "}\n",
    "\n",
    "/* Writes the ordered tile to where shared->next says. */\n",
    "static void gpi_tile_write(gpi_move move, ulong base, uint length, gpi_shared shared)\n",
    "{\n",
    "    for (uint p = (uint)get_local_id(0); p < length; p += GPI_WG) {\n",
    "        const uint d = GPI_ORDER_DIGIT(shared->order[p]);\n",
    "        if (p == 0 || GPI_ORDER_DIGIT(shared->order[p - 1]) != d) shared->start[d] = p;\n",
    "    }\n",
    "    gpi_sync(); /* the digits' starts are written, by one item each */\n",
    "    for (uint p = (uint)get_local_id(0); p < length; p += GPI_WG) {\n",
    "        const uint o = shared->order[p], d = GPI_ORDER_DIGIT(o), i = GPI_ORDER_INDEX(o);\n",
    "        const ulong j = shared->next[d] + (p - shared->start[d]);\n",
    "        move.key_to[j] = shared->stage[i];\n",
    "#if GPI_VALUE_SIZE\n",
    "        move.value_to[j] = gpi_value_at(move, base + i);\n",
    "#endif\n",
    "    }\n",
    "}\n",
    "\n",
    "/* Moves next[d] behind what the tile has written of digit d. */\n",
    "static void gpi_tile_advance(uint length, gpi_shared shared)\n",
    "{\n",
    "    gpi_sync(); /* all have used `next` */\n",
    "    for (uint p = (uint)get_local_id(0); p < length; p += GPI_WG) {\n",
    "        const uint d = GPI_ORDER_DIGIT(shared->order[p]);\n",
    "        if (p == length - 1 || GPI_ORDER_DIGIT(shared->order[p + 1]) != d)\n",
    "            shared->next[d] += p + 1 - shared->start[d];\n",
    "    }\n",
    "    gpi_sync(); /* `next` is moved, and the tile is no longer read */\n",
    "}\n",
    "\n",
    "/* Moves [begin, end) to where shared->next says, tile by tile. */\n",
    "static void gpi_move_range(gpi_move move, ulong begin, ulong end, gpi_digit digit, bool lines,\n",
    "                           gpi_shared shared)\n",
    "{\n",
    "    (void)lines;\n",
    "    for (ulong base = begin; base < end; base += GPI_TILE) {\n",
    "        const uint length = (uint)min((ulong)GPI_TILE, end - base);\n",
    "        gpi_tile_load(move.key, base, length, digit, shared);\n",
    "        gpi_order_digits(shared, digit.mask);\n",
    "        gpi_tile_write(move, base, length, shared);\n",
    "        gpi_tile_advance(length, shared);\n",
    "    }\n",
    "}\n",
    "#endif\n",
    "\n",
    "/* ------------------------------------------------------------------ both */\n",
    "\n",
    "/* Turns counts in shared->next into bases: sums of all digits before. True when one digit has all n keys. */\n",
    "static bool gpi_bases_of(gpi_shared shared, ulong n)\n",
    "{\n",
    "    ulong sum = 0;\n",
    "    bool trivial = false;\n",
    "    for (uint d = 0; d < GPI_BINS; d++) {\n",
    "        const ulong x = shared->next[d];\n",
    "        trivial = trivial || x == n;\n",
    "        shared->next[d] = sum;\n",
    "        sum += x;\n",
    "    }\n",
    "    return trivial;\n",
    "}\n",
    "\n",
    "/* table[block][d] becomes the sum of its column above; shared->next[d] the sum of all of it. */\n",
    "static void gpi_columns(__global ulong *table, uint blocks, gpi_shared shared)\n",
    "{\n",
    "    GPI_EACH_BIN(d) shared->next[d] = 0;\n",
    "#if GPI_SHAPE_SERIAL\n",
    "    for (uint b = 0; b < blocks; b++) {\n",
    "        for (uint d = 0; d < GPI_BINS; d++) {\n",
    "            const ulong x = table[(ulong)b * GPI_BINS + d];\n",
    "            table[(ulong)b * GPI_BINS + d] = shared->next[d];\n",
    "            shared->next[d] += x;\n",
    "        }\n",
    "    }\n",
    "#else\n",
    "    GPI_EACH_BIN(d)\n",
    "    {\n",
    "        ulong sum = 0;\n",
    "        for (uint b = 0; b < blocks; b++) {\n",
    "            const ulong x = table[(ulong)b * GPI_BINS + d];\n",
    "            table[(ulong)b * GPI_BINS + d] = sum;\n",
    "            sum += x;\n",
    "        }\n",
    "        shared->next[d] = sum;\n",
    "    }\n",
    "#endif\n",
    "    gpi_sync(); /* the columns' sums are there */\n",
    "}\n",
};
/* ---- End file kernels/rank.cl ---- */

/* ---- Begin file kernels/small.cl ---- */
static const char *const gpi_kernel_small[] = {
    "#line 1 \"kernels/small.cl\"\n",
    "/* small.cl - few keys, sorted by one group from beginning to end.\n",
    "\n",
    "       serial   up to GPI_FEW keys by their ranks:  rank(i) = |{j : k(j) < k(i)  or  k(j) = k(i), j < i}|,\n",
    "                sixteen at a time; more by passes over their digits, from place to place (digit.cl).\n",
    "       local    at most a tile: its order is made in local memory, then keys and values move once.\n",
    "\n",
    "   Sizes are limited by what one group should do alone, in the local shape by the tile (rank.cl).          */\n",
    "\n",
    "#if GPI_SHAPE_SERIAL\n",
    "/* ------------------------------------------------------------------ serial */\n",
    "\n",
    "/* Keys [base, base + n) from place `from` to the output. All digits are counted in one reading. `tmp_first`:\n",
    "   0 when the first pass may write the output, so that the last one can be made to. n > 0. */\n",
    "static void gpi_small_range(gpi_places places, ulong base, ulong n, gpi_bits bits, uint from, uint tmp_first,\n",
    "                            gpi_shared shared)\n",
    "{\n",
    "    uint count[GPI_PASSES_MAX * GPI_BINS];\n",
    "    uint moves = 0;\n",
    "    gpi_move move = gpi_move_make(places, from, GPI_PLACE_OUT);\n",
    "    const gpi_key any = move.key[base];\n",
    "    gpi_count_all(move.key, base, base + n, bits, count);\n",
    "    for (uint p = 0; p < bits.passes; p++)\n",
    "        moves += count[p * GPI_BINS + gpi_digit_of(any, gpi_digit_of_pass(p, bits))] != n;\n",
    "    const uint first = tmp_first || moves % 2 == 0 ? GPI_PLACE_TMP : GPI_PLACE_OUT;\n",
    "    for (uint p = 0; p < bits.passes; p++) {\n",
    "        const gpi_digit digit = gpi_digit_of_pass(p, bits);\n",
    "        const uint to = gpi_place_next(from, first);\n",
    "        ulong sum = base;\n",
    "        if (count[p * GPI_BINS + gpi_digit_of(any, digit)] == n) continue;\n",
    "        for (uint d = 0; d < GPI_BINS; d++) {\n",
    "            shared->next[d] = sum;\n",
    "            sum += count[p * GPI_BINS + d];\n",
    "        }\n",
    "        gpi_move_direct(gpi_move_make(places, from, to), base, base + n, digit, shared);\n",
    "        from = to;\n",
    "    }\n",
    "    move = gpi_move_make(places, from, GPI_PLACE_OUT);\n",
    "    for (ulong i = base; i < base + n && from != GPI_PLACE_OUT; i++) gpi_move_one(move, i, i);\n",
    "}\n",
    "\n",
    "#define GPI_FEW 64\n",
    "\n",
    "#if GPI_KEY_SIZE == 8\n",
    "typedef ulong16 gpi_bits16;\n",
    "typedef long16 gpi_rank16;\n",
    "#else\n",
    "typedef uint16 gpi_bits16;\n",
    "typedef int16 gpi_rank16;\n",
    "#endif\n",
    "#define GPI_IOTA16 ((gpi_rank16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))\n",
    "\n",
    "/* A few keys in their order, cut to the window. */\n",
    "typedef union gpi_few {\n",
    "    gpi_key_bits one[GPI_FEW];\n",
    "    gpi_bits16 sixteen[GPI_FEW / 16];\n",
    "} gpi_few;\n",
    "\n",
    "/* Where keys 16 * b and on go: a comparison is -1 where it holds. */\n",
    "static gpi_rank16 gpi_few_ranks(const gpi_few *few, uint b, uint n)\n",
    "{\n",
    "    const gpi_bits16 own = few->sixteen[b];\n",
    "    const uint begin = 16 * b, end = min(n, begin + 16);\n",
    "    gpi_rank16 rank = 0;\n",
    "    for (uint i = 0; i < begin; i++) rank -= (gpi_bits16)(few->one[i]) <= own;\n",
    "    for (uint i = begin; i < end; i++) {\n",
    "        const gpi_bits16 k = (gpi_bits16)(few->one[i]);\n",
    "        rank -= (k < own) | ((k == own) & (GPI_IOTA16 > (gpi_rank16)(i - begin)));\n",
    "    }\n",
    "    for (uint i = end; i < n; i++) rank -= (gpi_bits16)(few->one[i]) < own;\n",
    "    return rank;\n",
    "}\n",
    "\n",
    "/* Keys [base, base + n), n <= GPI_FEW. All are read before any is written. */\n",
    "static void gpi_small_few(gpi_move move, ulong base, uint n, gpi_bits bits)\n",
    "{\n",
    "    union {\n",
    "        gpi_rank16 sixteen[GPI_FEW / 16];\n",
    "#if GPI_KEY_SIZE == 8\n",
    "        long one[GPI_FEW];\n",
    "#else\n",
    "        int one[GPI_FEW];\n",
    "#endif\n",
    "    } rank;\n",
    "    gpi_few few;\n",
    "    gpi_key key[GPI_FEW];\n",
    "#if GPI_VALUE_SIZE\n",
    "    gpi_value value[GPI_FEW];\n",
    "#endif\n",
    "    few.sixteen[(n - 1) / 16] = 0; /* also what is behind the end */\n",
    "    for (uint i = 0; i < n; i++) {\n",
    "        key[i] = move.key[base + i];\n",
    "        few.one[i] = gpi_window_of(key[i], bits);\n",
    "#if GPI_VALUE_SIZE\n",
    "        value[i] = gpi_value_at(move, base + i);\n",
    "#endif\n",
    "    }\n",
    "    for (uint b = 0; b <= (n - 1) / 16; b++) rank.sixteen[b] = gpi_few_ranks(&few, b, n);\n",
    "    for (uint i = 0; i < n; i++) {\n",
    "        move.key_to[base + (ulong)rank.one[i]] = key[i];\n",
    "#if GPI_VALUE_SIZE\n",
    "        move.value_to[base + (ulong)rank.one[i]] = value[i];\n",
    "#endif\n",
    "    }\n",
    "}\n",
    "\n",
    "#else\n",
    "/* ------------------------------------------------------------------ local */\n",
    "\n",
    "/* The n keys from `base` on into the stage, and shared->order into their order. */\n",
    "static void gpi_small_order(__global const gpi_key *key, ulong base, uint n, gpi_bits bits, gpi_shared shared)\n",
    "{\n",
    "    gpi_tile_load(key, base, n, gpi_digit_of_pass(0, bits), shared);\n",
    "    for (uint p = 0; p < bits.passes; p++) {\n",
    "        const gpi_digit digit = gpi_digit_of_pass(p, bits);\n",
    "        for (uint i = (uint)get_local_id(0); i < GPI_TILE && p > 0; i += GPI_WG) {\n",
    "            const uint k = GPI_ORDER_INDEX(shared->order[i]);\n",
    "            const uint d = k < n ? gpi_digit_of(shared->stage[k], digit) : GPI_BINS - 1;\n",
    "            shared->order[i] = GPI_ORDER(d, k);\n",
    "        }\n",
    "        gpi_order_digits(shared, digit.mask);\n",
    "    }\n",
    "    gpi_sync(); /* the order is written */\n",
    "}\n",
    "\n",
    "/* Moves the n keys and values of the ordered tile, in place if need be. */\n",
    "static void gpi_small_write(gpi_move move, ulong base, uint n, gpi_shared shared)\n",
    "{\n",
    "    const uint l = (uint)get_local_id(0);\n",
    "#if GPI_VALUE_SIZE\n",
    "    gpi_value value[GPI_ITEMS];\n",
    "    for (uint j = 0; j < GPI_ITEMS; j++) {\n",
    "        const uint i = j * GPI_WG + l;\n",
    "        if (i < n) value[j] = gpi_value_at(move, base + GPI_ORDER_INDEX(shared->order[i]));\n",
    "    }\n",
    "    gpi_sync_all(); /* all values are read: in place, they are now overwritten */\n",
    "#endif\n",
    "    for (uint j = 0; j < GPI_ITEMS; j++) {\n",
    "        const uint i = j * GPI_WG + l;\n",
    "        if (i >= n) break;\n",
    "        move.key_to[base + i] = shared->stage[GPI_ORDER_INDEX(shared->order[i])];\n",
    "#if GPI_VALUE_SIZE\n",
    "        move.value_to[base + i] = value[j];\n",
    "#endif\n",
    "    }\n",
    "}\n",
    "#endif\n",
};
/* ---- End file kernels/small.cl ---- */

/* ---- Begin file kernels/sort.cl ---- */
static const char *const gpi_kernel_sort[] = {
    "#line 1 \"kernels/sort.cl\"\n",
    "/* sort.cl - least significant digit first: for each digit of eight bits, from the lowest, a stable\n",
    "             distribution of all keys\n",
    "\n",
    "       to[base(d) + rank(i)] = from[i]       d = digit of key i\n",
    "       base(d)  keys with a lower digit      rank(i)  keys of digit d before i\n",
    "\n",
    "   Onesweep: all digits are counted in one reading, then each pass reads and writes once.\n",
    "\n",
    "       gp_sort_histogram   a group a block of keys: counts of all passes' digits, added up\n",
    "       gp_sort_bases       one group: base of every pass and digit; which passes have nothing to do\n",
    "       gp_sort_onesweep    each pass, a group a tile: count, look back (ring.cl), move\n",
    "\n",
    "   Classic: each pass reads twice and writes once; no group waits for another.\n",
    "\n",
    "       gp_sort_count       a group a block:  table[block][d]\n",
    "       gp_sort_spine       one group: running sums down the table's columns, base of every digit\n",
    "       gp_sort_scatter     a group a block: move\n",
    "\n",
    "   Both begin with gp_sort_begin and end with gp_sort_copy, which does nothing when the last pass wrote the\n",
    "   output. Behind each onesweep pass the classic one is enqueued, to do nothing unless the pass was abandoned.\n",
    "   Few keys: gp_sort_small, one group, one launch.\n",
    "   (Adinets & Merrill, Onesweep, 2022; Satish, Harris & Garland 2009 for the classic form.)             */\n",
    "\n",
    "/* ------------------------------------------------------------------ begin, end */\n",
    "\n",
    "/* One group. Zeroes `zeros` uints of the state, then writes the count and where the keys are. */\n",
    "GPI_KERNEL void gp_sort_begin(gpi_state state, uint zeros, uint from, GPI_COUNT_PARAMETERS,\n",
    "                              volatile __global uint *counters)\n",
    "{\n",
    "    const uint l = (uint)get_local_id(0);\n",
    "    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);\n",
    "    GPI_COUNT_CHECK(true, counters);\n",
    "    for (uint i = l; i < zeros; i += GPI_WG) {\n",
    "        uint x = 0;\n",
    "        if (i == 0) x = (uint)n;\n",
    "        if (i == 1) x = (uint)(n >> 32);\n",
    "        if (i == GPI_STATE_FROM) x = from;\n",
    "        state[i] = x;\n",
    "    }\n",
    "}\n",
    "\n",
    "/* Element-wise to the output, from wherever the last pass has left the result. */\n",
    "GPI_KERNEL void gp_sort_copy(GPI_PLACES_PARAMETERS, gpi_state state, uint passes)\n",
    "{\n",
    "    gpi_places places;\n",
    "    GPI_PLACES_SET(places);\n",
    "    const uint from = gpi_from(state, passes);\n",
    "    const ulong n = gpi_state_count(state);\n",
    "    const gpi_move move = gpi_move_make(places, from, GPI_PLACE_OUT);\n",
    "    if (from == GPI_PLACE_OUT) return;\n",
    "    const ulong span = (n + get_num_groups(0) - 1) / get_num_groups(0);\n",
    "    const ulong begin = min(n, span * get_group_id(0)), end = min(n, begin + span);\n",
    "    for (ulong i = begin + get_local_id(0); i < end; i += GPI_WG) gpi_move_one(move, i, i);\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ classic */\n",
    "\n",
    "/* The block of this group: [*begin, *end). */\n",
    "static void gpi_block(gpi_state state, ulong span, ulong *begin, ulong *end)\n",
    "{\n",
    "    const ulong n = gpi_state_count(state);\n",
    "    *begin = min(n, span * get_group_id(0));\n",
    "    *end = min(n, *begin + span);\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_sort_count(GPI_PLACES_PARAMETERS, GPI_DIGIT_PARAMETERS, gpi_state state, uint pass,\n",
    "                              uint when, ulong span, ulong table_at)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_places places;\n",
    "    gpi_digit digit;\n",
    "    ulong begin, end;\n",
    "    __global ulong *row = gpi_part(state, table_at) + (ulong)get_group_id(0) * GPI_BINS;\n",
    "    GPI_PLACES_SET(places);\n",
    "    GPI_DIGIT_SET(digit);\n",
    "    if (gpi_broadcast(gpi_is_idle(state, pass, when), shared)) return;\n",
    "    const gpi_move move = gpi_move_make(places, gpi_from(state, pass), GPI_PLACE_OUT);\n",
    "    gpi_block(state, span, &begin, &end);\n",
    "    gpi_count_range(move.key, begin, end, digit, shared);\n",
    "    GPI_EACH_BIN(d) row[d] = shared->count[d];\n",
    "}\n",
    "\n",
    "/* One group. table[block][d] becomes the sum of its column above; bases[d] what lower digits take. */\n",
    "GPI_KERNEL void gp_sort_spine(gpi_state state, uint pass, uint when, uint first, uint blocks, ulong table_at,\n",
    "                              ulong bases_at, volatile __global uint *counters)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    __global ulong *bases = gpi_part(state, bases_at);\n",
    "    if (gpi_broadcast(gpi_is_idle(state, pass, when), shared)) return;\n",
    "    gpi_columns(gpi_part(state, table_at), blocks, shared);\n",
    "    if (get_local_id(0) == 0) {\n",
    "        const uint from = gpi_from(state, pass);\n",
    "        const bool trivial = gpi_bases_of(shared, gpi_state_count(state));\n",
    "        if (when == GPI_WHEN_ABANDONED) atomic_inc(counters + GPI_COUNT_FALLBACKS);\n",
    "        else state[GPI_STATE_FROM + pass + 1] = trivial ? from : gpi_place_next(from, first);\n",
    "    }\n",
    "    gpi_sync(); /* sums have become bases */\n",
    "    GPI_EACH_BIN(d) bases[d] = shared->next[d];\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_sort_scatter(GPI_PLACES_PARAMETERS, GPI_DIGIT_PARAMETERS, gpi_state state, uint pass,\n",
    "                                uint when, ulong span, uint lines, ulong table_at, ulong bases_at)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_places places;\n",
    "    gpi_digit digit;\n",
    "    ulong begin, end;\n",
    "    __global const ulong *bases = gpi_part(state, bases_at);\n",
    "    __global const ulong *row = gpi_part(state, table_at) + (ulong)get_group_id(0) * GPI_BINS;\n",
    "    GPI_PLACES_SET(places);\n",
    "    GPI_DIGIT_SET(digit);\n",
    "    if (gpi_is_trivial(state, pass)) return;\n",
    "    if (gpi_broadcast(gpi_is_idle(state, pass, when), shared)) return;\n",
    "    const gpi_move move = gpi_move_make(places, gpi_from(state, pass), gpi_from(state, pass + 1));\n",
    "    gpi_block(state, span, &begin, &end);\n",
    "    GPI_EACH_BIN(d) shared->next[d] = bases[d] + row[d];\n",
    "    gpi_move_range(move, begin, end, digit, lines != 0, shared);\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ onesweep */\n",
    "\n",
    "GPI_KERNEL void gp_sort_histogram(GPI_PLACES_PARAMETERS, ulong flip, uint begin_bit, uint end_bit,\n",
    "                                  uint passes, gpi_state state, ulong span, ulong histogram_at)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_places places;\n",
    "    ulong begin, end;\n",
    "    GPI_PLACES_SET(places);\n",
    "    const gpi_move move = gpi_move_make(places, gpi_from(state, 0), GPI_PLACE_OUT);\n",
    "    gpi_block(state, span, &begin, &end);\n",
    "    for (uint p = 0; p < passes; p++) {\n",
    "        volatile __global uint *histogram = state + histogram_at + (ulong)p * GPI_BINS * 2;\n",
    "        gpi_count_range(move.key, begin, end, gpi_digit_at(p, flip, begin_bit, end_bit), shared);\n",
    "        GPI_EACH_BIN(d)\n",
    "        {\n",
    "            if (shared->count[d]) gpi_add_wide(histogram + 2 * d, shared->count[d]);\n",
    "        }\n",
    "        gpi_sync(); /* the counts are read: the next pass's may overwrite them */\n",
    "    }\n",
    "}\n",
    "\n",
    "/* One group. bases of each pass's first launch; where each pass reads and writes. `tmp_first`: 0 when the\n",
    "   first pass may write the output, so that the last one can be made to. */\n",
    "GPI_KERNEL void gp_sort_bases(gpi_state state, uint passes, uint portions, uint tmp_first, ulong histogram_at,\n",
    "                              ulong bases_at)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    const ulong n = gpi_state_count(state);\n",
    "    uint trivial = 0, moves = 0;\n",
    "    for (uint p = 0; p < passes; p++) {\n",
    "        volatile __global uint *histogram = state + histogram_at + (ulong)p * GPI_BINS * 2;\n",
    "        __global ulong *bases = gpi_part(state, bases_at) + (ulong)p * portions * GPI_BINS;\n",
    "        GPI_EACH_BIN(d)\n",
    "        shared->next[d] = (ulong)histogram[2 * d + 1] << 32 | histogram[2 * d];\n",
    "        gpi_sync(); /* the counts are there */\n",
    "        if (get_local_id(0) == 0 && gpi_bases_of(shared, n)) trivial |= 1u << p;\n",
    "        gpi_sync(); /* counts have become bases */\n",
    "        GPI_EACH_BIN(d) bases[d] = shared->next[d];\n",
    "        gpi_sync(); /* the bases are read: the next pass's may overwrite them */\n",
    "    }\n",
    "    if (get_local_id(0) != 0) return;\n",
    "    for (uint p = 0; p < passes; p++) moves += 1 - (trivial >> p & 1);\n",
    "    uint from = gpi_from(state, 0);\n",
    "    const uint first = tmp_first || moves % 2 == 0 ? GPI_PLACE_TMP : GPI_PLACE_OUT;\n",
    "    for (uint p = 0; p < passes; p++) {\n",
    "        if (!(trivial >> p & 1)) from = gpi_place_next(from, first);\n",
    "        state[GPI_STATE_FROM + p + 1] = from;\n",
    "    }\n",
    "}\n",
    "\n",
    "/* The tile's own counts in shared->count become, in shared->next, where its keys go. False: abandoned. */\n",
    "static bool gpi_onesweep_place(gpi_ring ring, uint tile, bool last, __global const ulong *bases,\n",
    "                               __global ulong *bases_after, gpi_shared shared)\n",
    "{\n",
    "    uint failed = 0;\n",
    "    if (get_local_id(0) == 0) failed = !gpi_ring_gate(ring, tile);\n",
    "    if (failed) gpi_ring_abandon(ring);\n",
    "    if (gpi_broadcast(failed, shared)) return false;\n",
    "    GPI_EACH_BIN(d) gpi_ring_publish(ring, tile, d, shared->count[d]);\n",
    "    GPI_EACH_BIN(d)\n",
    "    {\n",
    "        uint before = 0;\n",
    "        const bool found = !failed && gpi_ring_look_back(ring, tile, d, &before);\n",
    "        const bool told = found && gpi_ring_conclude(ring, tile, d, before + shared->count[d]);\n",
    "        failed |= !told;\n",
    "        shared->next[d] = bases[d] + before;\n",
    "        if (last && bases_after) bases_after[d] = bases[d] + before + shared->count[d];\n",
    "    }\n",
    "    if (failed) gpi_ring_abandon(ring);\n",
    "    gpi_sync_all(); /* all reads and writes of the table are done, and `next` is written */\n",
    "    if (get_local_id(0) == 0) failed = gpi_is_abandoned(ring.state) || !gpi_ring_leave(ring, tile);\n",
    "    if (get_local_id(0) == 0 && failed) gpi_ring_abandon(ring);\n",
    "    return !gpi_broadcast(failed, shared);\n",
    "}\n",
    "\n",
    "/* One launch goes over the keys [portion, portion_end): fewer than a word can count. The last tile leaves the\n",
    "   bases of the next launch in bases_after. */\n",
    "GPI_KERNEL void gp_sort_onesweep(GPI_PLACES_PARAMETERS, GPI_DIGIT_PARAMETERS, gpi_state state, uint pass,\n",
    "                                 uint launch, ulong portion, ulong portion_end, ulong span, uint lines,\n",
    "                                 ulong bases_at, uint more, ulong rows_at, uint polls)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_places places;\n",
    "    gpi_digit digit;\n",
    "    uint tile = 0;\n",
    "    const gpi_ring ring = gpi_ring_make(state, launch, rows_at, polls);\n",
    "    __global ulong *bases = gpi_part(state, bases_at);\n",
    "    GPI_PLACES_SET(places);\n",
    "    GPI_DIGIT_SET(digit);\n",
    "    if (gpi_is_trivial(state, pass)) return;\n",
    "    const ulong stop = min(portion_end, gpi_state_count(state));\n",
    "    const gpi_move move = gpi_move_make(places, gpi_from(state, pass), gpi_from(state, pass + 1));\n",
    "    if (get_local_id(0) == 0) tile = gpi_is_abandoned(state) ? ~0u : atomic_inc(ring.ticket);\n",
    "    tile = gpi_broadcast(tile, shared);\n",
    "    const ulong begin = portion + tile * span, end = min(stop, begin + span);\n",
    "    if (begin >= stop) return; /* so do all later tiles: nobody waits for this one */\n",
    "#if GPI_SHAPE_LOCAL\n",
    "    gpi_tile_load(move.key, begin, (uint)(end - begin), digit, shared);\n",
    "    gpi_tile_count((uint)(end - begin), shared);\n",
    "#else\n",
    "    gpi_count_range(move.key, begin, end, digit, shared);\n",
    "#endif\n",
    "    if (!gpi_onesweep_place(ring, tile, end == stop, bases, more ? bases + GPI_BINS : 0, shared)) return;\n",
    "#if GPI_SHAPE_LOCAL\n",
    "    gpi_order_digits(shared, digit.mask);\n",
    "    gpi_tile_write(move, begin, (uint)(end - begin), shared);\n",
    "#else\n",
    "    gpi_move_range(move, begin, end, digit, lines != 0, shared);\n",
    "#endif\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ small */\n",
    "\n",
    "/* Few keys, one group, one launch. */\n",
    "GPI_KERNEL void gp_sort_small(GPI_PLACES_PARAMETERS, GPI_BITS_PARAMETERS, uint from, uint tmp_first,\n",
    "                              GPI_COUNT_PARAMETERS, volatile __global uint *counters)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_places places;\n",
    "    gpi_bits bits;\n",
    "    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);\n",
    "    GPI_COUNT_CHECK(true, counters);\n",
    "    GPI_PLACES_SET(places);\n",
    "    GPI_BITS_SET(bits);\n",
    "#if GPI_SHAPE_SERIAL\n",
    "    if (n > 0) gpi_small_range(places, 0, n, bits, from, tmp_first, shared);\n",
    "#else\n",
    "    const gpi_move move = gpi_move_make(places, from, GPI_PLACE_OUT);\n",
    "    gpi_small_order(move.key, 0, (uint)n, bits, shared);\n",
    "    gpi_small_write(move, 0, (uint)n, shared);\n",
    "#endif\n",
    "}\n",
};
/* ---- End file kernels/sort.cl ---- */

/* ---- Begin file kernels/buckets.cl ---- */
static const char *const gpi_kernel_buckets[] = {
    "#line 1 \"kernels/buckets.cl\"\n",
    "/* buckets.cl - the highest digit first: many long keys become 256 buckets, which the caches hold.\n",
    "\n",
    "       to[base(d) + rank(i)] = from[i]       d = highest digit of key i, as in sort.cl\n",
    "       then bucket d is sorted by one group: by its next digit if it is large, and what that leaves by its\n",
    "       other digits, lowest first (small.cl)\n",
    "\n",
    "   A key goes to memory and back two or three times, however many digits it has. It takes buckets of which\n",
    "   none is much larger than others, so the device looks first:\n",
    "\n",
    "       gp_buckets_sample   one group: a few keys; is any bucket likely to be too large?\n",
    "       gp_sort_count       a group a block, as in a classic pass (sort.cl)\n",
    "       gp_buckets_spine    one group: bases of the buckets; is any too large?\n",
    "       gp_sort_scatter     a group a block\n",
    "       gp_buckets_sort     a group a bucket\n",
    "\n",
    "   If so, these kernels do nothing, and if not, the passes behind them do nothing. Serial shape only.\n",
    "   (Stehle & Jacobsen, A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs, 2017.)                      */\n",
    "#if !GPI_SHAPE_SERIAL\n",
    "#error \"buckets are for the serial shape\"\n",
    "#endif\n",
    "\n",
    "#define GPI_SAMPLES 1024\n",
    "#define GPI_SAMPLE 8u      /* keys of one */\n",
    "#define GPI_SAMPLE_SLACK 4 /* how far a sample may be off */\n",
    "\n",
    "static ulong gpi_largest(gpi_shared shared)\n",
    "{\n",
    "    ulong largest = 0;\n",
    "    for (uint d = 0; d < GPI_BINS; d++) largest = max(largest, shared->next[d]);\n",
    "    return largest;\n",
    "}\n",
    "\n",
    "/* One group. `most`: keys of the largest bucket there may be. */\n",
    "GPI_KERNEL void gp_buckets_sample(GPI_PLACES_PARAMETERS, GPI_DIGIT_PARAMETERS, gpi_state state, ulong most)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_places places;\n",
    "    gpi_digit digit;\n",
    "    const ulong n = gpi_state_count(state), step = n / GPI_SAMPLES;\n",
    "    GPI_PLACES_SET(places);\n",
    "    GPI_DIGIT_SET(digit);\n",
    "    const gpi_move move = gpi_move_make(places, gpi_from(state, 0), GPI_PLACE_OUT);\n",
    "    GPI_EACH_BIN(d) shared->next[d] = 0;\n",
    "    for (uint s = 0; s < GPI_SAMPLES && step >= GPI_SAMPLE; s++) {\n",
    "        for (uint k = 0; k < GPI_SAMPLE; k++) shared->next[gpi_digit_of(move.key[s * step + k], digit)]++;\n",
    "    }\n",
    "    state[GPI_STATE_FROM + GPI_PASS_BUCKETS] = gpi_from(state, 0);\n",
    "    state[GPI_STATE_BUCKETS] =\n",
    "        gpi_largest(shared) * (n / (GPI_SAMPLES * GPI_SAMPLE)) <= GPI_SAMPLE_SLACK * most;\n",
    "}\n",
    "\n",
    "/* One group. `to`: where the buckets go; `passes` of the whole sort. */\n",
    "GPI_KERNEL void gp_buckets_spine(gpi_state state, uint to, uint passes, uint blocks, ulong table_at,\n",
    "                                 ulong bases_at, ulong most)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    __global ulong *bases = gpi_part(state, bases_at);\n",
    "    if (gpi_is_idle(state, GPI_PASS_BUCKETS, GPI_WHEN_BUCKETS)) return;\n",
    "    gpi_columns(gpi_part(state, table_at), blocks, shared);\n",
    "    if (gpi_largest(shared) > most) {\n",
    "        state[GPI_STATE_BUCKETS] = 0;\n",
    "        return;\n",
    "    }\n",
    "    (void)gpi_bases_of(shared, 0);\n",
    "    GPI_EACH_BIN(d) bases[d] = shared->next[d];\n",
    "    state[GPI_STATE_FROM + GPI_PASS_BUCKETS + 1] = to;\n",
    "    state[GPI_STATE_FROM + passes] = GPI_PLACE_OUT;\n",
    "}\n",
    "\n",
    "/* Keys [base, base + n), n > 0, from place `from` to the output. */\n",
    "static void gpi_bucket_sort(gpi_places places, ulong base, ulong n, gpi_bits bits, uint from,\n",
    "                            gpi_shared shared)\n",
    "{\n",
    "    if (n > GPI_FEW) gpi_small_range(places, base, n, bits, from, 0, shared);\n",
    "    else gpi_small_few(gpi_move_make(places, from, GPI_PLACE_OUT), base, (uint)n, bits);\n",
    "}\n",
    "\n",
    "/* The same for more keys than the caches hold: buckets within the bucket. */\n",
    "static void gpi_bucket_split(gpi_places places, ulong base, ulong n, gpi_bits bits, uint from,\n",
    "                             gpi_shared shared)\n",
    "{\n",
    "    const gpi_digit digit = gpi_digit_highest(bits);\n",
    "    const uint to = gpi_place_next(from, GPI_PLACE_OUT);\n",
    "    const gpi_move move = gpi_move_make(places, from, to);\n",
    "    uint count[GPI_BINS];\n",
    "    ulong sum = base;\n",
    "    gpi_count_range(move.key, base, base + n, digit, shared);\n",
    "    for (uint d = 0; d < GPI_BINS; d++) {\n",
    "        count[d] = shared->count[d];\n",
    "        shared->next[d] = sum;\n",
    "        sum += count[d];\n",
    "    }\n",
    "    gpi_move_range(move, base, base + n, digit, true, shared);\n",
    "    bits.end = digit.shift;\n",
    "    bits.passes--;\n",
    "    for (uint d = 0; d < GPI_BINS; d++) {\n",
    "        if (count[d]) gpi_bucket_sort(places, base, count[d], bits, to, shared);\n",
    "        base += count[d];\n",
    "    }\n",
    "}\n",
    "\n",
    "/* A group a bucket. `bits`: the window without the highest digit. `few`: keys that the caches hold. */\n",
    "GPI_KERNEL void gp_buckets_sort(GPI_PLACES_PARAMETERS, GPI_BITS_PARAMETERS, gpi_state state, ulong bases_at,\n",
    "                                ulong few)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_places places;\n",
    "    gpi_bits bits;\n",
    "    __global const ulong *bases = gpi_part(state, bases_at);\n",
    "    const uint d = (uint)get_group_id(0), from = gpi_from(state, GPI_PASS_BUCKETS + 1);\n",
    "    GPI_PLACES_SET(places);\n",
    "    GPI_BITS_SET(bits);\n",
    "    if (gpi_is_idle(state, GPI_PASS_BUCKETS, GPI_WHEN_BUCKETS)) return;\n",
    "    const ulong base = bases[d], n = (d + 1 < GPI_BINS ? bases[d + 1] : gpi_state_count(state)) - base;\n",
    "    if (n > few) gpi_bucket_split(places, base, n, bits, from, shared);\n",
    "    else if (n > 0) gpi_bucket_sort(places, base, n, bits, from, shared);\n",
    "}\n",
};
/* ---- End file kernels/buckets.cl ---- */

/* ---- Begin file kernels/segmented_sort.cl ---- */
static const char *const gpi_kernel_segmented_sort[] = {
    "#line 1 \"kernels/segmented_sort.cl\"\n",
    "/* segmented_sort.cl - each segment [P[s], P[s+1]) sorted by itself, stably, with\n",
    "\n",
    "       P[s] = max of offsets[t], t <= s, offsets[t] <= count\n",
    "\n",
    "   the offsets where they are good, repaired where they are not: P never falls and never passes the end, so\n",
    "   that segments are inside and apart whatever the offsets say. offsets[s] != P[s] is a bad one, and counted.\n",
    "\n",
    "       gp_segments_bounds    a group a block of offsets: their maximum\n",
    "       gp_segments_list      a group a block of offsets: P, and the large segments into a list\n",
    "       gp_segments_small     a group a window of positions: sorts the small segments that begin there\n",
    "       gp_segments_count     each pass, a group some rows: digits of a row's keys\n",
    "       gp_segments_spine     each pass, a group some large segments: sums down the columns of its rows\n",
    "       gp_segments_scatter   each pass, a group some rows: moves a row's keys\n",
    "       gp_segments_copy      large segments to the output, from wherever the last pass has left them\n",
    "\n",
    "   Large is what one group should not, or cannot, sort alone (small.cl). All large segments go through the\n",
    "   passes together: each is cut into blocks of `span` keys, each block has a row of 256 digits in the table:\n",
    "\n",
    "       keys    |  small ..  |      large 0      |small|       large 1       |\n",
    "       rows                 | 0    | 1    | 2 |       | 3    | 4    | 5  |\n",
    "\n",
    "   In the local shape, neighbouring small segments share a tile: it is put in the order of all digits, and\n",
    "   then, being stable, of the segments' numbers.\n",
    "   (Count, scan, scatter: Satish, Harris & Garland 2009.)\n",
    "\n",
    "   State, in uints: | rows | large segments | bad offsets | first bad one | segments | - |, 16 in all.\n",
    "\n",
    "   Parameters\n",
    "       GPI_CELL_WIDE   1: positions take 64 bits, 0: 32                                                   */\n",
    "#ifndef GPI_CELL_WIDE\n",
    "#error \"GPI_CELL_WIDE must be defined\"\n",
    "#endif\n",
    "#if GPI_CELL_WIDE\n",
    "typedef ulong gpi_cell;\n",
    "#else\n",
    "typedef uint gpi_cell;\n",
    "#endif\n",
    "\n",
    "#define GPI_SEGMENTS_ROWS 0\n",
    "#define GPI_SEGMENTS_LARGE 1\n",
    "#define GPI_SEGMENTS_BAD 2\n",
    "#define GPI_SEGMENTS_FIRST_BAD 3\n",
    "#define GPI_SEGMENTS_COUNT 4\n",
    "#define GPI_SEGMENTS_WORDS 16\n",
    "\n",
    "/* A large segment; the host makes room for 32 bytes. from[p % 2] is the place that pass p reads. */\n",
    "typedef struct gpi_large {\n",
    "    ulong begin, length;\n",
    "    uint row, rows, from[2];\n",
    "} gpi_large;\n",
    "\n",
    "/* What the host has laid out in the state buffer. */\n",
    "typedef struct gpi_segments {\n",
    "    gpi_state state;\n",
    "    __global gpi_cell *maxima; /* of blocks of offsets */\n",
    "    __global gpi_cell *bounds; /* P */\n",
    "    __global gpi_large *large;\n",
    "    __global uint *owner;     /* of a row: its large segment */\n",
    "    __global gpi_cell *table; /* row, digit */\n",
    "} gpi_segments;\n",
    "\n",
    "#define GPI_SEGMENTS_PARAMETERS \\\n",
    "    gpi_state state, ulong maxima_at, ulong bounds_at, ulong large_at, ulong owner_at, ulong table_at\n",
    "#define GPI_SEGMENTS_SET(segments)                                \\\n",
    "    (segments).state = state;                                     \\\n",
    "    (segments).maxima = (__global gpi_cell *)(state + maxima_at); \\\n",
    "    (segments).bounds = (__global gpi_cell *)(state + bounds_at); \\\n",
    "    (segments).large = (__global gpi_large *)(state + large_at);  \\\n",
    "    (segments).owner = (__global uint *)(state + owner_at);       \\\n",
    "    (segments).table = (__global gpi_cell *)(state + table_at)\n",
    "\n",
    "/* ------------------------------------------------------------------ offsets */\n",
    "\n",
    "/* The caller's: numbers of `offset_words` 32-bit words. */\n",
    "#define GPI_OFFSETS_PARAMETERS __global const uint *offsets, ulong offsets_at, uint offset_words, ulong count\n",
    "\n",
    "#if GPI_SHAPE_SERIAL\n",
    "typedef uint gpi_maxima_shared;\n",
    "#define GPI_MAXIMA_SHARED(name) const gpi_maxima_shared name = 0\n",
    "\n",
    "static gpi_cell gpi_max_before(gpi_cell x, gpi_cell *total, gpi_maxima_shared row)\n",
    "{\n",
    "    (void)row;\n",
    "    *total = x;\n",
    "    return 0;\n",
    "}\n",
    "#else\n",
    "typedef __local gpi_cell *gpi_maxima_shared;\n",
    "#define GPI_MAXIMA_SHARED(name)              \\\n",
    "    __local gpi_cell name##_mem[2 * GPI_WG]; \\\n",
    "    const gpi_maxima_shared name = name##_mem\n",
    "\n",
    "/* The maximum of x over the items before this one; *total over all. Each step doubles the reach. */\n",
    "static gpi_cell gpi_max_before(gpi_cell x, gpi_cell *total, gpi_maxima_shared row)\n",
    "{\n",
    "    const uint l = (uint)get_local_id(0);\n",
    "    uint from = 0;\n",
    "    row[l] = x;\n",
    "    gpi_sync(); /* row 0 is complete */\n",
    "    for (uint d = 1; d < GPI_WG; d *= 2) {\n",
    "        if (l >= d) x = max(row[from + l - d], x);\n",
    "        from = GPI_WG - from;\n",
    "        row[from + l] = x;\n",
    "        gpi_sync(); /* this step's row is complete; the other one is no longer read */\n",
    "    }\n",
    "    *total = row[from + GPI_WG - 1];\n",
    "    x = l > 0 ? row[from + l - 1] : 0;\n",
    "    gpi_sync(); /* the last row is read: the next call may overwrite it */\n",
    "    return x;\n",
    "}\n",
    "#endif\n",
    "\n",
    "/* The maximum of the good ones of a block of `span` offsets. The first group clears the state. */\n",
    "GPI_KERNEL void gp_segments_bounds(GPI_SEGMENTS_PARAMETERS, GPI_OFFSETS_PARAMETERS, ulong span,\n",
    "                                   GPI_COUNT_PARAMETERS, volatile __global uint *counters)\n",
    "{\n",
    "    GPI_MAXIMA_SHARED(row);\n",
    "    gpi_segments segments;\n",
    "    gpi_cell most = 0, total;\n",
    "    const uint l = (uint)get_local_id(0), m = (uint)gpi_count(bound, wanted, wanted_offset, wanted_words);\n",
    "    const ulong entries = m ? (ulong)m + 1 : 0, begin = min(entries, span * get_group_id(0)),\n",
    "                end = min(entries, begin + span);\n",
    "    GPI_SEGMENTS_SET(segments);\n",
    "    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);\n",
    "    for (uint i = l; i < GPI_SEGMENTS_WORDS && get_group_id(0) == 0; i += GPI_WG)\n",
    "        state[i] = i == GPI_SEGMENTS_FIRST_BAD ? ~0u : i == GPI_SEGMENTS_COUNT ? m : 0;\n",
    "    for (ulong i = begin + l; i < end; i += GPI_WG) {\n",
    "        const ulong x = gpi_number(offsets, offsets_at + i, offset_words);\n",
    "        if (x <= count) most = max(most, (gpi_cell)x);\n",
    "    }\n",
    "    (void)gpi_max_before(most, &total, row);\n",
    "    if (l == 0) segments.maxima[get_group_id(0)] = total;\n",
    "}\n",
    "\n",
    "/* Enters a segment of `length` keys in rows of `span`. */\n",
    "static void gpi_large_add(gpi_segments segments, ulong begin, ulong length, ulong span, uint from)\n",
    "{\n",
    "    const uint rows = (uint)((length + span - 1) / span);\n",
    "    const uint k = atomic_inc(segments.state + GPI_SEGMENTS_LARGE);\n",
    "    const uint row = atomic_add(segments.state + GPI_SEGMENTS_ROWS, rows);\n",
    "    __global gpi_large *large = segments.large + k;\n",
    "    large->begin = begin;\n",
    "    large->length = length;\n",
    "    large->row = row;\n",
    "    large->rows = rows;\n",
    "    large->from[0] = from;\n",
    "    for (uint r = 0; r < rows; r++) segments.owner[row + r] = k;\n",
    "}\n",
    "\n",
    "static void gpi_bad_add(gpi_state state, uint i, volatile __global uint *counters)\n",
    "{\n",
    "    if (atomic_inc(state + GPI_SEGMENTS_BAD) == 0) (void)atomic_inc(counters + GPI_COUNT_BAD);\n",
    "    (void)atomic_min(state + GPI_SEGMENTS_FIRST_BAD, i);\n",
    "}\n",
    "\n",
    "/* P of a block of `span` offsets, and the segments that end there: those of more than `small` keys are\n",
    "   large. */\n",
    "GPI_KERNEL void gp_segments_list(GPI_SEGMENTS_PARAMETERS, GPI_OFFSETS_PARAMETERS, ulong span, ulong small,\n",
    "                                 ulong row_span, uint from, volatile __global uint *counters)\n",
    "{\n",
    "    GPI_MAXIMA_SHARED(row);\n",
    "    gpi_segments segments;\n",
    "    gpi_cell carry = 0, total;\n",
    "    const uint l = (uint)get_local_id(0), m = state[GPI_SEGMENTS_COUNT];\n",
    "    const ulong entries = m ? (ulong)m + 1 : 0, begin = min(entries, span * get_group_id(0)),\n",
    "                end = min(entries, begin + span);\n",
    "    GPI_SEGMENTS_SET(segments);\n",
    "    for (uint g = l; g < get_group_id(0); g += GPI_WG) carry = max(carry, segments.maxima[g]);\n",
    "    (void)gpi_max_before(carry, &total, row);\n",
    "    carry = total;\n",
    "    for (ulong base = begin; base < end; base += GPI_WG) {\n",
    "        const ulong i = base + l, x = i < end ? gpi_number(offsets, offsets_at + i, offset_words) : 0;\n",
    "        const gpi_cell good = x <= count ? (gpi_cell)x : 0;\n",
    "        const gpi_cell before = max(carry, gpi_max_before(good, &total, row)), own = max(before, good);\n",
    "        carry = max(carry, total);\n",
    "        if (i < end) segments.bounds[i] = own;\n",
    "        if (i < end && x != own) gpi_bad_add(state, (uint)i, counters);\n",
    "        if (i < end && i > 0 && own - before > small)\n",
    "            gpi_large_add(segments, before, own - before, row_span, from);\n",
    "    }\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ small */\n",
    "\n",
    "/* The first i in [begin, end) with P[i] >= x; end when there is none. */\n",
    "static uint gpi_bound_find(__global const gpi_cell *bounds, uint begin, uint end, ulong x)\n",
    "{\n",
    "    while (begin < end) {\n",
    "        const uint middle = begin + (end - begin) / 2;\n",
    "        if (bounds[middle] < x) begin = middle + 1;\n",
    "        else end = middle;\n",
    "    }\n",
    "    return begin;\n",
    "}\n",
    "\n",
    "#if GPI_SHAPE_SERIAL\n",
    "/* The small ones of segments [first, last), one after the other. */\n",
    "static void gpi_segments_sort(gpi_segments segments, gpi_places places, gpi_bits bits, uint small, uint from,\n",
    "                              uint tmp_first, uint first, uint last, gpi_shared shared)\n",
    "{\n",
    "    const gpi_move move = gpi_move_make(places, from, GPI_PLACE_OUT);\n",
    "    for (uint s = first; s < last; s++) {\n",
    "        const ulong base = segments.bounds[s], n = segments.bounds[s + 1] - base;\n",
    "        if (n == 0 || n > small) continue;\n",
    "        if (n <= GPI_FEW) gpi_small_few(move, base, (uint)n, bits);\n",
    "        else gpi_small_range(places, base, n, bits, from, tmp_first, shared);\n",
    "    }\n",
    "}\n",
    "#else\n",
    "/* Puts shared->order of a tile at `base`, ordered by keys, in the order of its segments [first, last):\n",
    "   their numbers are further digits. */\n",
    "static void gpi_tile_order_segments(__global const gpi_cell *bounds, ulong base, uint n, uint first,\n",
    "                                    uint last, gpi_shared shared)\n",
    "{\n",
    "    const uint highest = last - first - 1;\n",
    "    for (uint shift = 0; shift < 32 && highest >> shift; shift += 8) {\n",
    "        for (uint i = (uint)get_local_id(0); i < GPI_TILE; i += GPI_WG) {\n",
    "            const uint k = GPI_ORDER_INDEX(shared->order[i]);\n",
    "            uint d = GPI_BINS - 1;\n",
    "            if (k < n) d = (gpi_bound_find(bounds, first, last, base + k + 1) - 1 - first) >> shift & d;\n",
    "            shared->order[i] = GPI_ORDER(d, k);\n",
    "        }\n",
    "        gpi_order_digits(shared, min(GPI_BINS - 1u, highest >> shift));\n",
    "    }\n",
    "}\n",
    "\n",
    "/* The small ones of segments [first, last), as many together as a tile holds. */\n",
    "static void gpi_segments_sort(gpi_segments segments, gpi_places places, gpi_bits bits, uint small, uint from,\n",
    "                              uint tmp_first, uint first, uint last, gpi_shared shared)\n",
    "{\n",
    "    const gpi_move move = gpi_move_make(places, from, GPI_PLACE_OUT);\n",
    "    (void)tmp_first;\n",
    "    while (first < last) {\n",
    "        const ulong base = segments.bounds[first];\n",
    "        uint next = 0;\n",
    "        if (get_local_id(0) == 0)\n",
    "            next = gpi_bound_find(segments.bounds, first + 1, last + 1, base + small + 1) - 1;\n",
    "        next = gpi_broadcast(next, shared);\n",
    "        const uint n = (uint)(segments.bounds[next] - base);\n",
    "        if (n > 0) {\n",
    "            gpi_small_order(move.key, base, n, bits, shared);\n",
    "            gpi_tile_order_segments(segments.bounds, base, n, first, next, shared);\n",
    "            gpi_small_write(move, base, n, shared);\n",
    "            gpi_sync(); /* the tile is written: the next one may overwrite it */\n",
    "        }\n",
    "        first = next > first ? next : first + 1; /* the same: this one is large */\n",
    "    }\n",
    "}\n",
    "#endif\n",
    "\n",
    "/* The small segments that begin at [window * group, ... + window). Small: up to `small` keys; in the local\n",
    "   shape a tile. */\n",
    "GPI_KERNEL void gp_segments_small(GPI_PLACES_PARAMETERS, GPI_BITS_PARAMETERS, GPI_SEGMENTS_PARAMETERS,\n",
    "                                  ulong window, uint small, uint from, uint tmp_first)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_segments segments;\n",
    "    gpi_places places;\n",
    "    gpi_bits bits;\n",
    "    uint first = 0, last = 0;\n",
    "    const ulong begin = window * get_group_id(0);\n",
    "    const uint m = state[GPI_SEGMENTS_COUNT];\n",
    "    GPI_SEGMENTS_SET(segments);\n",
    "    GPI_PLACES_SET(places);\n",
    "    GPI_BITS_SET(bits);\n",
    "    if (get_local_id(0) == 0) {\n",
    "        first = gpi_bound_find(segments.bounds, 0, m, begin);\n",
    "        last = gpi_bound_find(segments.bounds, first, m, begin + window);\n",
    "    }\n",
    "    first = gpi_broadcast(first, shared);\n",
    "    last = gpi_broadcast(last, shared);\n",
    "    gpi_segments_sort(segments, places, bits, small, from, tmp_first, first, last, shared);\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ large */\n",
    "\n",
    "/* A row's keys: [begin, end) of its segment. */\n",
    "typedef struct gpi_row {\n",
    "    __global gpi_large *large;\n",
    "    ulong begin, end;\n",
    "} gpi_row;\n",
    "\n",
    "static gpi_row gpi_row_find(gpi_segments segments, uint r, ulong span)\n",
    "{\n",
    "    gpi_row row;\n",
    "    row.large = segments.large + segments.owner[r];\n",
    "    row.begin = row.large->begin + span * (r - row.large->row);\n",
    "    row.end = min(row.begin + span, row.large->begin + row.large->length);\n",
    "    return row;\n",
    "}\n",
    "\n",
    "/* Rows of this group: for (uint r = first; r < rows; r += groups). */\n",
    "#define GPI_EACH_ROW(r, state) \\\n",
    "    for (uint r = (uint)get_group_id(0); r < (state)[GPI_SEGMENTS_ROWS]; r += (uint)get_num_groups(0))\n",
    "\n",
    "GPI_KERNEL void gp_segments_count(GPI_PLACES_PARAMETERS, GPI_DIGIT_PARAMETERS, GPI_SEGMENTS_PARAMETERS,\n",
    "                                  uint pass, ulong span)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_segments segments;\n",
    "    gpi_places places;\n",
    "    gpi_digit digit;\n",
    "    GPI_SEGMENTS_SET(segments);\n",
    "    GPI_PLACES_SET(places);\n",
    "    GPI_DIGIT_SET(digit);\n",
    "    GPI_EACH_ROW(r, state)\n",
    "    {\n",
    "        const gpi_row row = gpi_row_find(segments, r, span);\n",
    "        const gpi_move move = gpi_move_make(places, row.large->from[pass % 2], GPI_PLACE_OUT);\n",
    "        gpi_count_range(move.key, row.begin, row.end, digit, shared);\n",
    "        GPI_EACH_BIN(d) segments.table[(ulong)r * GPI_BINS + d] = shared->count[d];\n",
    "        gpi_sync(); /* the counts are read: the next row's may overwrite them */\n",
    "    }\n",
    "}\n",
    "\n",
    "/* Each cell becomes where the row's keys of the digit go, counted from the segment's begin. */\n",
    "GPI_KERNEL void gp_segments_spine(GPI_SEGMENTS_PARAMETERS, uint pass, uint first_place)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_segments segments;\n",
    "    GPI_SEGMENTS_SET(segments);\n",
    "    for (uint k = (uint)get_group_id(0); k < state[GPI_SEGMENTS_LARGE]; k += (uint)get_num_groups(0)) {\n",
    "        __global gpi_large *large = segments.large + k;\n",
    "        __global gpi_cell *table = segments.table + (ulong)large->row * GPI_BINS;\n",
    "        const uint rows = large->rows;\n",
    "        GPI_EACH_BIN(d)\n",
    "        {\n",
    "            ulong sum = 0;\n",
    "            for (uint r = 0; r < rows; r++) sum += table[(ulong)r * GPI_BINS + d];\n",
    "            shared->next[d] = sum;\n",
    "        }\n",
    "        gpi_sync(); /* the columns' sums are there */\n",
    "        if (get_local_id(0) == 0) {\n",
    "            const uint from = large->from[pass % 2];\n",
    "            const bool trivial = gpi_bases_of(shared, large->length);\n",
    "            large->from[1 - pass % 2] = trivial ? from : gpi_place_next(from, first_place);\n",
    "        }\n",
    "        gpi_sync(); /* sums have become bases */\n",
    "        GPI_EACH_BIN(d)\n",
    "        {\n",
    "            ulong sum = shared->next[d];\n",
    "            for (uint r = 0; r < rows; r++) {\n",
    "                const gpi_cell x = table[(ulong)r * GPI_BINS + d];\n",
    "                table[(ulong)r * GPI_BINS + d] = (gpi_cell)sum;\n",
    "                sum += x;\n",
    "            }\n",
    "        }\n",
    "        gpi_sync(); /* the bases are read: the next segment's may overwrite them */\n",
    "    }\n",
    "}\n",
    "\n",
    "/* `lines_from`: keys of a segment from which on it is moved by lines (rank.cl). */\n",
    "GPI_KERNEL void gp_segments_scatter(GPI_PLACES_PARAMETERS, GPI_DIGIT_PARAMETERS, GPI_SEGMENTS_PARAMETERS,\n",
    "                                    uint pass, ulong span, ulong lines_from)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_segments segments;\n",
    "    gpi_places places;\n",
    "    gpi_digit digit;\n",
    "    GPI_SEGMENTS_SET(segments);\n",
    "    GPI_PLACES_SET(places);\n",
    "    GPI_DIGIT_SET(digit);\n",
    "    GPI_EACH_ROW(r, state)\n",
    "    {\n",
    "        const gpi_row row = gpi_row_find(segments, r, span);\n",
    "        const uint from = row.large->from[pass % 2], to = row.large->from[1 - pass % 2];\n",
    "        const bool lines = row.large->length >= lines_from;\n",
    "        if (from != to) {\n",
    "            GPI_EACH_BIN(d) shared->next[d] = row.large->begin + segments.table[(ulong)r * GPI_BINS + d];\n",
    "            gpi_move_range(gpi_move_make(places, from, to), row.begin, row.end, digit, lines, shared);\n",
    "            gpi_sync(); /* all have used `next` */\n",
    "        }\n",
    "    }\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_segments_copy(GPI_PLACES_PARAMETERS, GPI_SEGMENTS_PARAMETERS, uint passes, ulong span)\n",
    "{\n",
    "    gpi_segments segments;\n",
    "    gpi_places places;\n",
    "    GPI_SEGMENTS_SET(segments);\n",
    "    GPI_PLACES_SET(places);\n",
    "    GPI_EACH_ROW(r, state)\n",
    "    {\n",
    "        const gpi_row row = gpi_row_find(segments, r, span);\n",
    "        const uint from = row.large->from[passes % 2];\n",
    "        const gpi_move move = gpi_move_make(places, from, GPI_PLACE_OUT);\n",
    "        for (ulong i = row.begin + get_local_id(0); i < row.end && from != GPI_PLACE_OUT; i += GPI_WG)\n",
    "            gpi_move_one(move, i, i);\n",
    "    }\n",
    "}\n",
};
/* ---- End file kernels/segmented_sort.cl ---- */

/* ---- Begin file kernels/sort_strings.cl ---- */
static const char *const gpi_kernel_sort_strings[] = {
    "#line 1 \"kernels/sort_strings.cl\"\n",
    "/* sort_strings.cl - strings sorted by their prefixes, then those that tie by their next bytes, and so on.\n",
    "\n",
    "       key(i, d) = | byte d | ... | byte d + 6 | min(bytes from d on, 8) |      of string i, 64 bits\n",
    "\n",
    "   Bytes behind the end are zero, and the number tells them from zeros that are there: keys are ordered as the\n",
    "   strings are. Equal keys are equal strings, unless the number is 8: these strings are tied, and go on.\n",
    "\n",
    "       gp_strings_keys_first   key(i, 0) of all strings                     then they are sorted (gp_argsort)\n",
    "       gp_strings_ties         order written; where the tied ones and their groups begin    then a scan of\n",
    "   these gp_strings_compact      the tied ones move together gp_strings_skip         how many further bytes\n",
    "   all strings of a group have in common gp_strings_keys         key(i, d) behind these then each group is\n",
    "   sorted (gp_segmented_sort) and from gp_strings_ties on again, until nothing is tied\n",
    "\n",
    "   A group is looked ahead `cap` bytes at most, twice as far each time that all of these agree, so that many\n",
    "   long equal strings take a round for each doubling, and those that differ soon are not read far.\n",
    "\n",
    "   The tied strings, element by element, in sets of their own for each other round; `room` uints a part:\n",
    "\n",
    "       | index: which string | place: where in the order | owner: its group | offsets: where groups begin |\n",
    "   groups |\n",
    "\n",
    "   State, in uints: | bad | ~first bad | tied | groups | strings | - - - | */\n",
    "\n",
    "#define GPI_STRINGS_BAD 0\n",
    "#define GPI_STRINGS_FIRST_BAD 1\n",
    "#define GPI_STRINGS_TIED 2\n",
    "#define GPI_STRINGS_GROUPS 3\n",
    "#define GPI_STRINGS_COUNT 4\n",
    "\n",
    "#define GPI_PREFIX 7 /* bytes of a key */\n",
    "#define GPI_MORE 8   /* what a key's last byte says of strings that go on */\n",
    "#define GPI_CAP_FIRST 64\n",
    "#define GPI_CAP_MOST \\\n",
    "    65536 /* eight bytes a turn: far from the 65,535 turns after which llvmpipe leaves loops */\n",
    "\n",
    "/* Strings that agree in `depth` bytes, and in `skip` more; skip is at most `cap`. */\n",
    "typedef struct gpi_group {\n",
    "    ulong depth;\n",
    "    uint cap, skip;\n",
    "} gpi_group;\n",
    "\n",
    "typedef struct gpi_set {\n",
    "    __global uint *index, *place, *owner, *offsets;\n",
    "    __global gpi_group *groups;\n",
    "} gpi_set;\n",
    "\n",
    "static gpi_set gpi_set_at(__global uint *set, ulong room)\n",
    "{\n",
    "    gpi_set s;\n",
    "    s.index = set;\n",
    "    s.place = set + room;\n",
    "    s.owner = set + 2 * room;\n",
    "    s.offsets = set + 3 * room;\n",
    "    s.groups = (__global gpi_group *)(set + 4 * room);\n",
    "    return s;\n",
    "}\n",
    "\n",
    "/* What the host has laid out behind the state. */\n",
    "typedef struct gpi_round {\n",
    "    volatile __global uint *state;\n",
    "    __global ulong *keys, *flags;\n",
    "    gpi_set from, to;\n",
    "} gpi_round;\n",
    "\n",
    "#define GPI_ROUND_PARAMETERS \\\n",
    "    __global uint *state, ulong room, ulong keys_at, ulong flags_at, ulong from_at, ulong to_at\n",
    "#define GPI_ROUND_SET(round)                              \\\n",
    "    (round).state = state;                                \\\n",
    "    (round).keys = (__global ulong *)(state + keys_at);   \\\n",
    "    (round).flags = (__global ulong *)(state + flags_at); \\\n",
    "    (round).from = gpi_set_at(state + from_at, room);     \\\n",
    "    (round).to = gpi_set_at(state + to_at, room)\n",
    "\n",
    "/* Elements of this item: for (ulong i = ...), below `end`. */\n",
    "#define GPI_EACH(i, span, end)                               \\\n",
    "    for (ulong i = (span)*get_group_id(0) + get_local_id(0); \\\n",
    "         i < min((ulong)(end), (span) * (get_group_id(0) + 1)); i += GPI_WG)\n",
    "\n",
    "/* ------------------------------------------------------------------ strings */\n",
    "\n",
    "typedef struct gpi_text {\n",
    "    __global const uchar *bytes;\n",
    "    ulong byte_count;\n",
    "    __global const uint *offsets;\n",
    "    ulong offsets_at;\n",
    "    uint offset_words;\n",
    "} gpi_text;\n",
    "\n",
    "#define GPI_TEXT_PARAMETERS                                                                      \\\n",
    "    __global const uchar *bytes, ulong bytes_at, ulong byte_count, __global const uint *offsets, \\\n",
    "        ulong offsets_at, uint offset_words\n",
    "#define GPI_TEXT_SET(text)           \\\n",
    "    (text).bytes = bytes + bytes_at; \\\n",
    "    (text).byte_count = byte_count;  \\\n",
    "    (text).offsets = offsets;        \\\n",
    "    (text).offsets_at = offsets_at;  \\\n",
    "    (text).offset_words = offset_words\n",
    "\n",
    "typedef struct gpi_string {\n",
    "    __global const uchar *at;\n",
    "    ulong length;\n",
    "    uint bad; /* then it counts as empty */\n",
    "} gpi_string;\n",
    "\n",
    "static gpi_string gpi_string_find(gpi_text text, ulong i)\n",
    "{\n",
    "    const ulong begin = gpi_number(text.offsets, text.offsets_at + i, text.offset_words);\n",
    "    const ulong end = gpi_number(text.offsets, text.offsets_at + i + 1, text.offset_words);\n",
    "    gpi_string s;\n",
    "    s.bad = begin > end || end > text.byte_count;\n",
    "    s.at = text.bytes + (s.bad ? 0 : begin);\n",
    "    s.length = s.bad ? 0 : end - begin;\n",
    "    return s;\n",
    "}\n",
    "\n",
    "static ulong gpi_string_key(gpi_string s, ulong depth)\n",
    "{\n",
    "    const ulong left = s.length - depth;\n",
    "    ulong key = min(left, (ulong)GPI_MORE);\n",
    "    for (uint k = 0; k < GPI_PREFIX && k < left; k++) key |= (ulong)s.at[depth + k] << (56 - 8 * k);\n",
    "    return key;\n",
    "}\n",
    "\n",
    "/* Bytes from `depth` on that both have, up to `cap`. */\n",
    "static uint gpi_strings_common(gpi_string a, gpi_string b, ulong depth, uint cap)\n",
    "{\n",
    "    const uint most = (uint)min(min(a.length, b.length) - depth, (ulong)cap);\n",
    "    uint k = 0;\n",
    "    while (k + 8 <= most && as_ulong(vload8(0, a.at + depth + k)) == as_ulong(vload8(0, b.at + depth + k)))\n",
    "        k += 8;\n",
    "    while (k < most && a.at[depth + k] == b.at[depth + k]) k++;\n",
    "    return k;\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ rounds */\n",
    "\n",
    "/* Also counts strings whose offsets are bad. */\n",
    "GPI_KERNEL void gp_strings_keys_first(GPI_ROUND_PARAMETERS, GPI_TEXT_PARAMETERS, ulong span,\n",
    "                                      GPI_COUNT_PARAMETERS, volatile __global uint *counters)\n",
    "{\n",
    "    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);\n",
    "    gpi_round round;\n",
    "    gpi_text text;\n",
    "    GPI_ROUND_SET(round);\n",
    "    GPI_TEXT_SET(text);\n",
    "    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);\n",
    "    if (get_global_id(0) == 0) state[GPI_STRINGS_COUNT] = (uint)n;\n",
    "    GPI_EACH(i, span, n)\n",
    "    {\n",
    "        const gpi_string s = gpi_string_find(text, i);\n",
    "        round.keys[i] = gpi_string_key(s, 0);\n",
    "        if (s.bad && atomic_inc(round.state + GPI_STRINGS_BAD) == 0)\n",
    "            (void)atomic_inc(counters + GPI_COUNT_BAD);\n",
    "        if (s.bad) (void)atomic_max(round.state + GPI_STRINGS_FIRST_BAD, ~(uint)i);\n",
    "    }\n",
    "}\n",
    "\n",
    "/* Whether sorted elements j and j + 1 are of one group, with equal keys that go on. */\n",
    "static bool gpi_strings_tied(gpi_round round, ulong j, uint first)\n",
    "{\n",
    "    const ulong key = round.keys[j];\n",
    "    return key == round.keys[j + 1] && (key & 255) == GPI_MORE &&\n",
    "           (first || round.from.owner[j] == round.from.owner[j + 1]);\n",
    "}\n",
    "\n",
    "/* Writes the order of `many` sorted elements (`first`: of all strings), and flags: tied 1, first of a group\n",
    "   2^32. One flag more, zero, for the scan to leave the sums in. */\n",
    "GPI_KERNEL void gp_strings_ties(GPI_ROUND_PARAMETERS, ulong many, uint first, ulong span, __global uint *out,\n",
    "                                ulong out_at, uint out_words)\n",
    "{\n",
    "    const ulong n = first ? state[GPI_STRINGS_COUNT] : many;\n",
    "    gpi_round round;\n",
    "    GPI_ROUND_SET(round);\n",
    "    GPI_EACH(j, span, many + 1)\n",
    "    {\n",
    "        const bool below = j > 0 && j < n && gpi_strings_tied(round, j - 1, first);\n",
    "        const bool above = j + 1 < n && gpi_strings_tied(round, j, first);\n",
    "        round.flags[j] = (ulong)(above && !below) << 32 | (ulong)(below || above);\n",
    "        if (j < n) {\n",
    "            __global uint *to = out + (out_at + (first ? j : round.from.place[j])) * out_words;\n",
    "            to[0] = round.from.index[j];\n",
    "            if (out_words == 2) to[1] = 0;\n",
    "        }\n",
    "    }\n",
    "}\n",
    "\n",
    "/* A group of the next round that was a part of `old`. */\n",
    "static gpi_group gpi_group_after(gpi_group old)\n",
    "{\n",
    "    gpi_group g;\n",
    "    g.depth = old.depth + old.skip + GPI_PREFIX;\n",
    "    g.cap = old.skip == old.cap ? min(2 * old.cap, (uint)GPI_CAP_MOST) : GPI_CAP_FIRST;\n",
    "    g.skip = g.cap;\n",
    "    return g;\n",
    "}\n",
    "\n",
    "/* The tied ones into the other set. Flags are now sums of those before. */\n",
    "GPI_KERNEL void gp_strings_compact(GPI_ROUND_PARAMETERS, ulong many, uint first, ulong span)\n",
    "{\n",
    "    gpi_round round;\n",
    "    GPI_ROUND_SET(round);\n",
    "    GPI_EACH(j, span, many)\n",
    "    {\n",
    "        const ulong x = round.flags[j], y = round.flags[j + 1];\n",
    "        const uint k = (uint)x, groups = (uint)(y >> 32);\n",
    "        if ((uint)y != k) {\n",
    "            round.to.index[k] = round.from.index[j];\n",
    "            round.to.place[k] = first ? (uint)j : round.from.place[j];\n",
    "            round.to.owner[k] = groups - 1;\n",
    "        }\n",
    "        if (groups != (uint)(x >> 32)) {\n",
    "            gpi_group old = {0, 1, 0}; /* of all strings: nothing was looked ahead */\n",
    "            if (!first) old = round.from.groups[round.from.owner[j]];\n",
    "            round.to.groups[groups - 1] = gpi_group_after(old);\n",
    "            round.to.offsets[groups - 1] = k;\n",
    "        }\n",
    "        if (j + 1 == many) {\n",
    "            round.state[GPI_STRINGS_TIED] = (uint)y;\n",
    "            round.state[GPI_STRINGS_GROUPS] = groups;\n",
    "            round.to.offsets[groups] = (uint)y;\n",
    "        }\n",
    "    }\n",
    "}\n",
    "\n",
    "/* Neighbours in a group are compared: what all have in common is the least of what these have. */\n",
    "GPI_KERNEL void gp_strings_skip(GPI_ROUND_PARAMETERS, GPI_TEXT_PARAMETERS, ulong many, ulong span)\n",
    "{\n",
    "    gpi_round round;\n",
    "    gpi_text text;\n",
    "    GPI_ROUND_SET(round);\n",
    "    GPI_TEXT_SET(text);\n",
    "    GPI_EACH(j, span, many)\n",
    "    {\n",
    "        const uint owner = round.from.owner[j];\n",
    "        if (j > 0 && round.from.owner[j - 1] == owner) {\n",
    "            __global gpi_group *g = round.from.groups + owner;\n",
    "            const uint cap = g->cap;\n",
    "            const uint common = gpi_strings_common(gpi_string_find(text, round.from.index[j - 1]),\n",
    "                                                   gpi_string_find(text, round.from.index[j]), g->depth, cap);\n",
    "            if (common < cap) (void)atomic_min(&g->skip, common);\n",
    "        }\n",
    "    }\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_strings_keys(GPI_ROUND_PARAMETERS, GPI_TEXT_PARAMETERS, ulong many, ulong span)\n",
    "{\n",
    "    gpi_round round;\n",
    "    gpi_text text;\n",
    "    GPI_ROUND_SET(round);\n",
    "    GPI_TEXT_SET(text);\n",
    "    GPI_EACH(j, span, many)\n",
    "    {\n",
    "        const gpi_group g = round.from.groups[round.from.owner[j]];\n",
    "        round.keys[j] = gpi_string_key(gpi_string_find(text, round.from.index[j]), g.depth + g.skip);\n",
    "    }\n",
    "}\n",
};
/* ---- End file kernels/sort_strings.cl ---- */

/* ---- Begin file kernels/merge.cl ---- */
static const char *const gpi_kernel_merge[] = {
    "#line 1 \"kernels/merge.cl\"\n",
    "/* merge.cl - two sorted sequences become one, stably\n",
    "\n",
    "       out = all of a and b, in order; of equal keys those of a first, and each sequence's own in its order\n",
    "\n",
    "   Taking one element after the other is a path through the grid of a by b: down for an element of a, right\n",
    "   for one of b. After d elements it crosses diagonal d, i down and d - i right, and where that is can be\n",
    "   found by halving, without walking the path: a[i] is among the first d elements exactly if it comes before\n",
    "   b[d - 1 - i]. So every group finds its piece of the path by itself, and no group waits for another.\n",
    "\n",
    "           b0 b1 b2 b3\n",
    "       a0  +--+\n",
    "       a1     |              crossing(d) = least i in [max(0, d - |b|), min(d, |a|)]\n",
    "       a2     +--+--+               with i at its end, or not order(a[i]) <= order(b[d - 1 - i])\n",
    "       a3           |\n",
    "\n",
    "   (Odeh, Green, Mwassi, Shmueli & Birk, Merge Path, 2012.)\n",
    "\n",
    "       serial   one item: a tile in GPI_RUNS runs of one length, merged side by side, because a step of one\n",
    "                run waits for the comparison before it. No branch depends on keys.\n",
    "       local    a tile in local memory: items merge GPI_ITEMS elements each, as their places in the tile, then\n",
    "                keys and values go out, neighbours by neighbours.\n",
    "\n",
    "   Where the input is not sorted, a crossing is any number in its range. All indices are kept in range for\n",
    "   any crossings, and all loops end: keys are wrong, nothing else.\n",
    "\n",
    "   Parameters\n",
    "       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1\n",
    "       GPI_WG, GPI_ITEMS, GPI_TILE           local: items of a group, elements of an item, of a tile\n",
    "       GPI_RUNS                              serial: runs of a tile                                     */\n",
    "#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1\n",
    "#error \"exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1\"\n",
    "#endif\n",
    "#if GPI_SHAPE_SERIAL && GPI_WG != 1\n",
    "#error \"the serial shape has one item a group\"\n",
    "#endif\n",
    "#if GPI_SHAPE_LOCAL && (GPI_WG < 4 || GPI_TILE != GPI_WG * GPI_ITEMS || GPI_TILE > 32768)\n",
    "#error \"GPI_WG must be 4 at least, GPI_TILE must be GPI_WG * GPI_ITEMS, and at most 32768\"\n",
    "#endif\n",
    "\n",
    "/* What is merged. */\n",
    "typedef struct gpi_pair {\n",
    "    __global const gpi_key *a, *b;\n",
    "    ulong a_count, b_count;\n",
    "    gpi_key_bits flip;\n",
    "#if GPI_VALUE_SIZE\n",
    "    __global const gpi_value *a_value, *b_value;\n",
    "    __global gpi_value *value_out;\n",
    "#endif\n",
    "    __global gpi_key *out;\n",
    "} gpi_pair;\n",
    "\n",
    "#define GPI_PAIR_KEYS                                                                                    \\\n",
    "    __global const gpi_key *a, ulong a_at, __global const gpi_key *b, ulong b_at, __global gpi_key *out, \\\n",
    "        ulong out_at, ulong flip\n",
    "#define GPI_PAIR_SET_KEYS(pair)          \\\n",
    "    (pair).a = a + a_at;                 \\\n",
    "    (pair).b = b + b_at;                 \\\n",
    "    (pair).out = out + out_at;           \\\n",
    "    (pair).flip = (gpi_key_bits)(flip);  \\\n",
    "    (pair).a_count = GPI_COUNT_NAMED(a); \\\n",
    "    (pair).b_count = GPI_COUNT_NAMED(b)\n",
    "\n",
    "#if GPI_VALUE_SIZE\n",
    "#define GPI_PAIR_PARAMETERS                                                                                \\\n",
    "    GPI_PAIR_KEYS, __global const gpi_value *a_value, ulong a_value_at, __global const gpi_value *b_value, \\\n",
    "        ulong b_value_at, __global gpi_value *value_out, ulong value_out_at\n",
    "#define GPI_PAIR_SET(pair)                 \\\n",
    "    GPI_PAIR_SET_KEYS(pair);               \\\n",
    "    (pair).a_value = a_value + a_value_at; \\\n",
    "    (pair).b_value = b_value + b_value_at; \\\n",
    "    (pair).value_out = value_out + value_out_at\n",
    "#else\n",
    "#define GPI_PAIR_PARAMETERS GPI_PAIR_KEYS\n",
    "#define GPI_PAIR_SET(pair) GPI_PAIR_SET_KEYS(pair)\n",
    "#endif\n",
    "\n",
    "/* Whether x of a comes before y of b. */\n",
    "static bool gpi_is_before(gpi_key x, gpi_key y, gpi_key_bits flip)\n",
    "{\n",
    "    return gpi_key_order(x, flip) <= gpi_key_order(y, flip);\n",
    "}\n",
    "\n",
    "/* The least and the largest crossing of diagonal d. */\n",
    "static ulong gpi_crossing_least(gpi_pair pair, ulong d) { return d > pair.b_count ? d - pair.b_count : 0; }\n",
    "static ulong gpi_crossing_most(gpi_pair pair, ulong d) { return min(d, pair.a_count); }\n",
    "\n",
    "#if GPI_SHAPE_SERIAL\n",
    "/* ------------------------------------------------------------------ serial */\n",
    "\n",
    "#ifndef GPI_RUNS\n",
    "#define GPI_RUNS 8\n",
    "#endif\n",
    "#ifndef GPI_AHEAD\n",
    "#define GPI_AHEAD 1024 /* how far ahead to prefetch, in bytes */\n",
    "#endif\n",
    "#define GPI_STEP 16 /* elements of a run between prefetches */\n",
    "\n",
    "/* Runs side by side. Run r begins at diagonal d[r]; after s steps it has reached i[r] in a. */\n",
    "typedef struct gpi_runs {\n",
    "    ulong d[GPI_RUNS], i[GPI_RUNS];\n",
    "} gpi_runs;\n",
    "\n",
    "/* The crossing of diagonal d, which is in [low, high]. */\n",
    "static ulong gpi_crossing(gpi_pair pair, ulong d, ulong low, ulong high)\n",
    "{\n",
    "    while (low < high) {\n",
    "        const ulong i = low + (high - low) / 2;\n",
    "        if (gpi_is_before(pair.a[i], pair.b[d - 1 - i], pair.flip)) low = i + 1;\n",
    "        else high = i;\n",
    "    }\n",
    "    return low;\n",
    "}\n",
    "\n",
    "/* Runs of `length` elements from diagonal `begin` on. */\n",
    "static void gpi_runs_begin(gpi_pair pair, gpi_runs *runs, ulong begin, ulong length)\n",
    "{\n",
    "    ulong low = 0, high = ~0ul;\n",
    "    for (uint r = 0; r < GPI_RUNS; r++) {\n",
    "        const ulong d = begin + r * length;\n",
    "        low = max(low, gpi_crossing_least(pair, d));\n",
    "        high = min(high, gpi_crossing_most(pair, d));\n",
    "        low = gpi_crossing(pair, d, low, high);\n",
    "        high = low + length;\n",
    "        runs->d[r] = d;\n",
    "        runs->i[r] = low;\n",
    "    }\n",
    "}\n",
    "\n",
    "/* How many steps all runs, at step s, are sure to be short of the ends of a and b. */\n",
    "static ulong gpi_runs_room(gpi_pair pair, const gpi_runs *runs, ulong s)\n",
    "{\n",
    "    ulong room = ~0ul;\n",
    "    for (uint r = 0; r < GPI_RUNS; r++) {\n",
    "        const ulong i = runs->i[r], j = runs->d[r] + s - i;\n",
    "        room = min(room, min(pair.a_count - i, pair.b_count - j));\n",
    "    }\n",
    "    return room;\n",
    "}\n",
    "\n",
    "/* Steps [s, end) of all runs: a whole number of GPI_STEP, all of them short of the ends. */\n",
    "static void gpi_runs_go(gpi_pair pair, gpi_runs *runs, ulong s, ulong end)\n",
    "{\n",
    "    ulong i[GPI_RUNS];\n",
    "    for (uint r = 0; r < GPI_RUNS; r++) i[r] = runs->i[r];\n",
    "    for (; s < end; s += GPI_STEP) {\n",
    "#pragma unroll\n",
    "        for (uint r = 0; r < GPI_RUNS; r++) {\n",
    "            const ulong d = runs->d[r] + s;\n",
    "            GPI_PREFETCH_READ((__global const char *)(pair.a + i[r]) + GPI_AHEAD);\n",
    "            GPI_PREFETCH_READ((__global const char *)(pair.b + (d - i[r])) + GPI_AHEAD);\n",
    "            GPI_PREFETCH_WRITE((__global char *)(pair.out + d) + GPI_AHEAD);\n",
    "#if GPI_VALUE_SIZE\n",
    "            GPI_PREFETCH_READ((__global const char *)(pair.a_value + i[r]) + GPI_AHEAD);\n",
    "            GPI_PREFETCH_READ((__global const char *)(pair.b_value + (d - i[r])) + GPI_AHEAD);\n",
    "            GPI_PREFETCH_WRITE((__global char *)(pair.value_out + d) + GPI_AHEAD);\n",
    "#endif\n",
    "        }\n",
    "        for (ulong t = s; t < s + GPI_STEP; t++) {\n",
    "#pragma unroll\n",
    "            for (uint r = 0; r < GPI_RUNS; r++) {\n",
    "                const ulong d = runs->d[r] + t, j = d - i[r];\n",
    "                const gpi_key x = pair.a[i[r]], y = pair.b[j];\n",
    "                const bool first = gpi_is_before(x, y, pair.flip);\n",
    "                pair.out[d] = first ? x : y;\n",
    "#if GPI_VALUE_SIZE\n",
    "                pair.value_out[d] = *(first ? pair.a_value + i[r] : pair.b_value + j);\n",
    "#endif\n",
    "                i[r] += first;\n",
    "            }\n",
    "        }\n",
    "    }\n",
    "    for (uint r = 0; r < GPI_RUNS; r++) runs->i[r] = i[r];\n",
    "}\n",
    "\n",
    "/* One element, anywhere: d of the output, i of a. Where i is afterwards. Neither a nor b is empty. */\n",
    "static ulong gpi_step(gpi_pair pair, ulong d, ulong i)\n",
    "{\n",
    "    const ulong j = d - i, i_in = min(i, pair.a_count - 1), j_in = min(j, pair.b_count - 1);\n",
    "    const gpi_key x = pair.a[i_in], y = pair.b[j_in];\n",
    "    const bool first = (j > j_in) | ((i == i_in) & gpi_is_before(x, y, pair.flip));\n",
    "    pair.out[d] = first ? x : y;\n",
    "#if GPI_VALUE_SIZE\n",
    "    pair.value_out[d] = *(first ? pair.a_value + i_in : pair.b_value + j_in);\n",
    "#endif\n",
    "    return i + first;\n",
    "}\n",
    "\n",
    "/* GPI_STEP steps of all runs from s on, anywhere. */\n",
    "static void gpi_runs_creep(gpi_pair pair, gpi_runs *runs, ulong s)\n",
    "{\n",
    "    for (ulong t = s; t < s + GPI_STEP; t++) {\n",
    "#pragma unroll\n",
    "        for (uint r = 0; r < GPI_RUNS; r++) runs->i[r] = gpi_step(pair, runs->d[r] + t, runs->i[r]);\n",
    "    }\n",
    "}\n",
    "\n",
    "/* Elements [begin, end) of the output. */\n",
    "static void gpi_merge_tile(gpi_pair pair, ulong begin, ulong end)\n",
    "{\n",
    "    const ulong length = (end - begin) / (GPI_RUNS * GPI_STEP) * GPI_STEP;\n",
    "    gpi_runs runs;\n",
    "    gpi_runs_begin(pair, &runs, begin, length);\n",
    "    for (ulong s = 0; s < length;) {\n",
    "        const ulong room = min(length - s, gpi_runs_room(pair, &runs, s)) / GPI_STEP * GPI_STEP;\n",
    "        if (room) gpi_runs_go(pair, &runs, s, s + room);\n",
    "        else gpi_runs_creep(pair, &runs, s);\n",
    "        s += room ? room : GPI_STEP;\n",
    "    }\n",
    "    ulong i = runs.i[GPI_RUNS - 1];\n",
    "    for (ulong d = begin + GPI_RUNS * length; d < end; d++) i = gpi_step(pair, d, i);\n",
    "}\n",
    "\n",
    "/* One of the two is empty: elements [begin, end) are the other's. */\n",
    "static void gpi_copy_tile(gpi_pair pair, ulong begin, ulong end)\n",
    "{\n",
    "    const bool first = pair.a_count > 0;\n",
    "    for (ulong d = begin; d < end; d++) {\n",
    "        pair.out[d] = first ? pair.a[d] : pair.b[d];\n",
    "#if GPI_VALUE_SIZE\n",
    "        pair.value_out[d] = first ? pair.a_value[d] : pair.b_value[d];\n",
    "#endif\n",
    "    }\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_merge_tiles(GPI_PAIR_PARAMETERS, GPI_COUNT_PARAMETERS_NAMED(a),\n",
    "                               GPI_COUNT_PARAMETERS_NAMED(b), ulong span, volatile __global uint *counters)\n",
    "{\n",
    "    gpi_pair pair;\n",
    "    GPI_PAIR_SET(pair);\n",
    "    const ulong n = pair.a_count + pair.b_count, begin = min(n, span * get_group_id(0));\n",
    "    GPI_COUNT_CHECK_NAMED(a, get_group_id(0) == 0, counters);\n",
    "    GPI_COUNT_CHECK_NAMED(b, get_group_id(0) == 0, counters);\n",
    "    if (pair.a_count > 0 && pair.b_count > 0) gpi_merge_tile(pair, begin, min(n, begin + span));\n",
    "    else gpi_copy_tile(pair, begin, min(n, begin + span));\n",
    "}\n",
    "\n",
    "#else\n",
    "/* ------------------------------------------------------------------ local */\n",
    "\n",
    "/* Where entry i of `order` is: items write theirs GPI_ITEMS apart, and should meet different banks. */\n",
    "#define GPI_PAD(i) ((i) + (i) / 32)\n",
    "#define GPI_HALF (GPI_WG / 2)\n",
    "\n",
    "typedef struct gpi_local {\n",
    "    gpi_key stage[GPI_TILE + 1];     /* the tile's elements of a, then those of b; one more may be read */\n",
    "    ushort order[GPI_PAD(GPI_TILE)]; /* order[d]: where in the stage the element is that comes d-th */\n",
    "    uchar before[GPI_WG];            /* what the items have found at their probes */\n",
    "    uint passed[2][2];               /* by round, even or odd, and diagonal: probes before the crossing */\n",
    "    ulong crossing[2];\n",
    "} gpi_local;\n",
    "\n",
    "static void gpi_sync(void) { barrier(CLK_LOCAL_MEM_FENCE); }\n",
    "\n",
    "/* Elements of a in a tile of `length` between two crossings, which are any when the input is not sorted. */\n",
    "static ulong gpi_share(ulong begin, ulong end, ulong length) { return min(max(begin, end) - begin, length); }\n",
    "\n",
    "/* The crossings of diagonals `begin` and `end` into shared->crossing. Each half of the group looks for one. A\n",
    "   round probes one point an item, at equal distances, and leaves the gap between two of them: a range of\n",
    "   `most` at most becomes one of most / GPI_HALF. */\n",
    "static void gpi_cross(gpi_pair pair, ulong begin, ulong end, __local gpi_local *shared)\n",
    "{\n",
    "    const uint l = (uint)get_local_id(0), side = l / GPI_HALF, p = l % GPI_HALF;\n",
    "    const ulong d = side ? end : begin;\n",
    "    ulong low = gpi_crossing_least(pair, d), high = gpi_crossing_most(pair, d);\n",
    "    uint round = 0;\n",
    "    for (ulong most = min(pair.a_count, pair.b_count); most > 0; most /= GPI_HALF) {\n",
    "        const ulong stride = (high - low) / GPI_HALF + 1, i = low + (p + 1) * stride - 1;\n",
    "        shared->before[l] = i < high && gpi_is_before(pair.a[i], pair.b[d - 1 - i], pair.flip);\n",
    "        if (p == 0) shared->passed[round][side] = 0;\n",
    "        gpi_sync(); /* all have probed, and nothing has passed yet */\n",
    "        /* The last item's probe is beyond `high`. PoCL 3.1 loses the item's own answer, if it is not read\n",
    "         * back. */\n",
    "        if (shared->before[l] && !shared->before[l + 1])\n",
    "            (void)atomic_max(&shared->passed[round][side], p + 1);\n",
    "        gpi_sync(); /* the last probe before the crossing is known; `before` may be overwritten */\n",
    "        low += shared->passed[round][side] * stride;\n",
    "        high = min(high, low + stride - 1);\n",
    "        round = 1 - round; /* this round's word is read until the next round's first barrier */\n",
    "    }\n",
    "    if (p == 0) shared->crossing[side] = low;\n",
    "    gpi_sync(); /* both crossings are there */\n",
    "}\n",
    "\n",
    "/* Merges this item's elements of the staged tile, `length` of them in the tile and `a_length` from a. */\n",
    "static void gpi_merge_item(gpi_key_bits flip, uint a_length, uint length, __local gpi_local *shared)\n",
    "{\n",
    "    const uint d = min((uint)get_local_id(0) * GPI_ITEMS, length), b_length = length - a_length;\n",
    "    uint low = d > b_length ? d - b_length : 0, high = min(d, a_length);\n",
    "    while (low < high) {\n",
    "        const uint i = (low + high) / 2;\n",
    "        if (gpi_is_before(shared->stage[i], shared->stage[a_length + d - 1 - i], flip)) low = i + 1;\n",
    "        else high = i;\n",
    "    }\n",
    "    uint i = low, j = a_length + d - low;\n",
    "    gpi_key x = shared->stage[i], y = shared->stage[j];\n",
    "    for (uint k = d; k < min(d + GPI_ITEMS, length); k++) {\n",
    "        const bool first = j >= length || (i < a_length && gpi_is_before(x, y, flip));\n",
    "        shared->order[GPI_PAD(k)] = (ushort)(first ? i : j);\n",
    "        const gpi_key next = shared->stage[(first ? i : j) + 1];\n",
    "        if (first) i++, x = next;\n",
    "        else j++, y = next;\n",
    "    }\n",
    "}\n",
    "\n",
    "/* A group a tile of the output. */\n",
    "GPI_KERNEL void gp_merge_tiles(GPI_PAIR_PARAMETERS, GPI_COUNT_PARAMETERS_NAMED(a),\n",
    "                               GPI_COUNT_PARAMETERS_NAMED(b), ulong span, volatile __global uint *counters)\n",
    "{\n",
    "    __local gpi_local shared;\n",
    "    gpi_pair pair;\n",
    "    GPI_PAIR_SET(pair);\n",
    "    const ulong n = pair.a_count + pair.b_count, begin = span * get_group_id(0);\n",
    "    GPI_COUNT_CHECK_NAMED(a, get_group_id(0) == 0, counters);\n",
    "    GPI_COUNT_CHECK_NAMED(b, get_group_id(0) == 0, counters);\n",
    "    if (begin >= n) return;\n",
    "    const ulong end = min(n, begin + span);\n",
    "    gpi_cross(pair, begin, end, &shared);\n",
    "    const uint l = (uint)get_local_id(0), length = (uint)(end - begin);\n",
    "    const ulong i = shared.crossing[0], j = begin - i;\n",
    "    const uint a_length = (uint)gpi_share(i, shared.crossing[1], length);\n",
    "    for (uint k = l; k < length; k += GPI_WG)\n",
    "        shared.stage[k] = k < a_length ? pair.a[i + k] : pair.b[j + (k - a_length)];\n",
    "    gpi_sync(); /* the tile is staged */\n",
    "    gpi_merge_item(pair.flip, a_length, length, &shared);\n",
    "    gpi_sync(); /* its order is known */\n",
    "    for (uint k = l; k < length; k += GPI_WG) {\n",
    "        const uint from = shared.order[GPI_PAD(k)];\n",
    "        pair.out[begin + k] = shared.stage[from];\n",
    "#if GPI_VALUE_SIZE\n",
    "        pair.value_out[begin + k] =\n",
    "            from < a_length ? pair.a_value[i + from] : pair.b_value[j + (from - a_length)];\n",
    "#endif\n",
    "    }\n",
    "}\n",
    "#endif\n",
};
/* ---- End file kernels/merge.cl ---- */

/* ---- Begin file kernels/search.cl ---- */
static const char *const gpi_kernel_search[] = {
    "#line 1 \"kernels/search.cl\"\n",
    "/* search.cl - where needles belong in a sorted sequence of keys\n",
    "\n",
    "       lower bound   out[i] = how many keys come before needle i\n",
    "       upper bound   out[i] = how many keys come before needle i or are equal to it\n",
    "\n",
    "   Every stride-th key is a sample, and a group keeps all samples near: the first half of a search's steps\n",
    "   does not touch the keys, whose lines, of which each step would read another one, are far apart.\n",
    "\n",
    "       keys      | . . . s0 | . . . s1 | . . . s2 | . .       n keys, n / stride samples\n",
    "       samples   | s0 s1 s2 |                                 stride = n / wanted + 1\n",
    "\n",
    "   c samples before the needle leave the stride - 1 keys behind sample c - 1. Both searches are the same loop\n",
    "   without branches: with every needle it takes the same steps, so that an item takes them for GPI_ABREAST\n",
    "   needles side by side, and reads do not wait for each other.\n",
    "\n",
    "   \"x <= q\" is \"x < q + 1\", unless q is the largest number that there is, and q + 1 is 0: then all keys are\n",
    "   before it.\n",
    "   Where the keys are not sorted, positions are any in [0, n]; nothing else is touched.\n",
    "\n",
    "   Parameters\n",
    "       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1: samples in private, or in local memory\n",
    "       GPI_WG, GPI_TILE                      items of a group; local: most samples\n",
    "       GPI_ABREAST                           needles that an item searches for side by side\n",
    "       GPI_VALUE_SIZE                        4, 8: bytes of a position                                 */\n",
    "#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1\n",
    "#error \"exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1\"\n",
    "#endif\n",
    "#if GPI_SHAPE_SERIAL && GPI_WG != 1\n",
    "#error \"the serial shape has one item a group\"\n",
    "#endif\n",
    "#if GPI_VALUE_SIZE != 4 && GPI_VALUE_SIZE != 8\n",
    "#error \"GPI_VALUE_SIZE must be 4 or 8: a position\"\n",
    "#endif\n",
    "#if GPI_SHAPE_SERIAL\n",
    "#define GPI_NEAR __private\n",
    "#define GPI_SAMPLES 1024\n",
    "static void gpi_sync(void) {} /* there is nobody else */\n",
    "#ifndef GPI_ABREAST\n",
    "#define GPI_ABREAST 64\n",
    "#endif\n",
    "#else\n",
    "#define GPI_NEAR __local\n",
    "#define GPI_SAMPLES GPI_TILE\n",
    "static void gpi_sync(void) { barrier(CLK_LOCAL_MEM_FENCE); }\n",
    "#ifndef GPI_ABREAST\n",
    "#define GPI_ABREAST 4\n",
    "#endif\n",
    "#endif\n",
    "\n",
    "/* GPI_SAMPLES: the most that a group keeps; src/search.c asks for no more. */\n",
    "\n",
    "/* What is searched, and what is near of it. */\n",
    "typedef struct gpi_haystack {\n",
    "    __global const gpi_key *key;\n",
    "    ulong count, stride;\n",
    "    gpi_key_bits flip;\n",
    "    uint samples;\n",
    "} gpi_haystack;\n",
    "\n",
    "/* Needles side by side: order(needle), or the next number for an upper bound; the positions found. */\n",
    "typedef struct gpi_needles {\n",
    "    gpi_key_bits q[GPI_ABREAST];\n",
    "    ulong at[GPI_ABREAST];\n",
    "} gpi_needles;\n",
    "\n",
    "/* Every item reads its share of the samples. */\n",
    "static gpi_haystack gpi_sample(__global const gpi_key *key, ulong n, gpi_key_bits flip, uint wanted,\n",
    "                               GPI_NEAR gpi_key_bits *sample)\n",
    "{\n",
    "    gpi_haystack hay;\n",
    "    hay.key = key;\n",
    "    hay.count = n;\n",
    "    hay.flip = flip;\n",
    "    hay.stride = n / wanted + 1;\n",
    "    hay.samples = (uint)(n / hay.stride);\n",
    "    for (uint s = (uint)get_local_id(0); s < hay.samples; s += GPI_WG)\n",
    "        sample[s] = gpi_key_order(key[(s + 1) * hay.stride - 1], flip);\n",
    "    gpi_sync(); /* all samples are there */\n",
    "    return hay;\n",
    "}\n",
    "\n",
    "/* Adds to at[] how many of `n` sorted samples are before each needle. */\n",
    "static void gpi_search_samples(GPI_NEAR const gpi_key_bits *sample, uint n, gpi_needles *needles)\n",
    "{\n",
    "    uint at[GPI_ABREAST];\n",
    "    for (uint k = 0; k < GPI_ABREAST; k++) at[k] = 0;\n",
    "    for (; n > 1; n -= n / 2) {\n",
    "#pragma unroll\n",
    "        for (uint k = 0; k < GPI_ABREAST; k++) at[k] += sample[at[k] + n / 2 - 1] < needles->q[k] ? n / 2 : 0;\n",
    "    }\n",
    "    for (uint k = 0; k < GPI_ABREAST; k++) needles->at[k] = n ? at[k] + (sample[at[k]] < needles->q[k]) : 0;\n",
    "}\n",
    "\n",
    "/* The same in `n` keys from at[] on. */\n",
    "static void gpi_search_keys(gpi_haystack hay, ulong n, gpi_needles *needles)\n",
    "{\n",
    "    for (; n > 1; n -= n / 2) {\n",
    "#pragma unroll\n",
    "        for (uint k = 0; k < GPI_ABREAST; k++) {\n",
    "            const ulong middle = needles->at[k] + n / 2;\n",
    "            needles->at[k] =\n",
    "                gpi_key_order(hay.key[middle - 1], hay.flip) < needles->q[k] ? middle : needles->at[k];\n",
    "        }\n",
    "    }\n",
    "    for (uint k = 0; k < GPI_ABREAST && n; k++)\n",
    "        needles->at[k] += gpi_key_order(hay.key[needles->at[k]], hay.flip) < needles->q[k];\n",
    "}\n",
    "\n",
    "/* Positions of the needles. A search in the last gap starts further ahead, to be as long as the others. */\n",
    "static void gpi_search(gpi_haystack hay, GPI_NEAR const gpi_key_bits *sample, gpi_needles *needles)\n",
    "{\n",
    "    const ulong gap = hay.stride - 1;\n",
    "    gpi_search_samples(sample, hay.samples, needles);\n",
    "    for (uint k = 0; k < GPI_ABREAST; k++) needles->at[k] = min(needles->at[k] * hay.stride, hay.count - gap);\n",
    "    gpi_search_keys(hay, gap, needles);\n",
    "}\n",
    "\n",
    "/* A group a range of `span` needles. */\n",
    "GPI_KERNEL void gp_search_needles(__global const gpi_key *key, ulong key_at, __global const gpi_key *needle,\n",
    "                                  ulong needle_at, __global gpi_value *out, ulong out_at, ulong flip,\n",
    "                                  uint upper, uint wanted_samples, ulong span,\n",
    "                                  GPI_COUNT_PARAMETERS_NAMED(key), GPI_COUNT_PARAMETERS_NAMED(needle),\n",
    "                                  volatile __global uint *counters)\n",
    "{\n",
    "    GPI_NEAR gpi_key_bits sample[GPI_SAMPLES];\n",
    "    const ulong n = GPI_COUNT_NAMED(key), needles = GPI_COUNT_NAMED(needle);\n",
    "    const ulong begin = span * get_group_id(0), end = min(needles, begin + span);\n",
    "    GPI_COUNT_CHECK_NAMED(key, get_group_id(0) == 0, counters);\n",
    "    GPI_COUNT_CHECK_NAMED(needle, get_group_id(0) == 0, counters);\n",
    "    if (begin >= needles) return;\n",
    "    const gpi_haystack hay = gpi_sample(key + key_at, n, (gpi_key_bits)flip, wanted_samples, sample);\n",
    "    needle += needle_at;\n",
    "    out += out_at;\n",
    "    for (ulong base = begin + get_local_id(0); base < end; base += GPI_ABREAST * GPI_WG) {\n",
    "        gpi_needles some;\n",
    "        for (uint k = 0; k < GPI_ABREAST; k++) {\n",
    "            const ulong i = min(base + k * GPI_WG, end - 1); /* behind the end: the last one again */\n",
    "            some.q[k] = gpi_key_order(needle[i], hay.flip) + upper;\n",
    "        }\n",
    "        gpi_search(hay, sample, &some);\n",
    "        for (uint k = 0; k < GPI_ABREAST; k++) {\n",
    "            const ulong i = base + k * GPI_WG;\n",
    "            if (i < end) out[i] = (gpi_value)(upper && some.q[k] == 0 ? n : some.at[k]);\n",
    "        }\n",
    "    }\n",
    "}\n",
};
/* ---- End file kernels/search.cl ---- */

/* ---- Begin file kernels/keep.cl ---- */
static const char *const gpi_kernel_keep[] = {
    "#line 1 \"kernels/keep.cl\"\n",
    "/* keep.cl - what a group does with its tile of keys, in each shape: find those below a threshold, and write\n",
    "   them\n",
    "\n",
    "       keep(tile, t) = the elements whose order is below t, in the tile's order, each with its index\n",
    "\n",
    "       serial   two loops over the tile: one compares vectors and notes stretches in which keys pass, the\n",
    "   other goes over these stretches again, which are still in the cache local    a bit for each key that\n",
    "   passes, set by its item; the bits before it say where it goes\n",
    "\n",
    "   Every function is collective: all items of the group call it.\n",
    "\n",
    "   Parameters: those of rank.cl.                                                                        */\n",
    "\n",
    "/* A tile's keys, and what they are compared with. */\n",
    "typedef struct gpi_tile {\n",
    "    __global const gpi_key *key;\n",
    "    uint length;\n",
    "    gpi_key_bits flip, threshold;\n",
    "} gpi_tile;\n",
    "\n",
    "/* What is written of a tile: the element's key and index, from `at` on. */\n",
    "typedef struct gpi_kept {\n",
    "    __global gpi_key *key;\n",
    "    __global gpi_value *index;\n",
    "} gpi_kept;\n",
    "\n",
    "#if GPI_SHAPE_SERIAL\n",
    "/* ------------------------------------------------------------------ serial */\n",
    "\n",
    "#define GPI_STRETCH 256 /* keys that are looked at again when one of them passes: a bit of a ulong */\n",
    "#define GPI_SPAN_MAX (64 * GPI_STRETCH)\n",
    "\n",
    "#if GPI_KEY_SIZE == 1\n",
    "typedef uchar16 gpi_keys;\n",
    "typedef char16 gpi_flags;\n",
    "#define GPI_FLAGS_TO_INT convert_int16\n",
    "#elif GPI_KEY_SIZE == 2\n",
    "typedef ushort16 gpi_keys;\n",
    "typedef short16 gpi_flags;\n",
    "#define GPI_FLAGS_TO_INT convert_int16\n",
    "#elif GPI_KEY_SIZE == 4\n",
    "typedef uint16 gpi_keys;\n",
    "typedef int16 gpi_flags;\n",
    "#define GPI_FLAGS_TO_INT\n",
    "#else\n",
    "typedef ulong16 gpi_keys;\n",
    "typedef long16 gpi_flags;\n",
    "#define GPI_FLAGS_TO_INT convert_int16\n",
    "#endif\n",
    "\n",
    "static gpi_keys gpi_codes_of(gpi_keys k, gpi_key flip)\n",
    "{\n",
    "#if GPI_KEY_FLOAT\n",
    "    const gpi_key sign = (gpi_key)1 << (8 * GPI_KEY_SIZE - 1);\n",
    "    k ^= ((gpi_keys)0 - (k >> (gpi_key)(8 * GPI_KEY_SIZE - 1))) & (gpi_keys)(sign - 1);\n",
    "#endif\n",
    "    return k ^ (gpi_keys)flip;\n",
    "}\n",
    "\n",
    "/* The number of lanes that are -1 rather than 0. */\n",
    "static uint gpi_flags_count(gpi_flags flags)\n",
    "{\n",
    "    const int16 x = GPI_FLAGS_TO_INT(flags);\n",
    "    const int8 a = x.lo + x.hi;\n",
    "    const int4 b = a.lo + a.hi;\n",
    "    const int2 c = b.lo + b.hi;\n",
    "    return (uint) - (c.x + c.y);\n",
    "}\n",
    "\n",
    "/* Keys [begin, end) below and equal to the threshold are added; true when there are any below. */\n",
    "static bool gpi_stretch_count(gpi_tile tile, uint begin, uint end, uint *below, uint *equal)\n",
    "{\n",
    "    const gpi_key flip = (gpi_key)tile.flip, t = (gpi_key)tile.threshold;\n",
    "    const uint before = *below;\n",
    "    gpi_flags less = 0, same = 0;\n",
    "    uint i = begin;\n",
    "    for (; i + 16 <= end; i += 16) {\n",
    "        const gpi_keys c = gpi_codes_of(vload16(0, tile.key + i), flip);\n",
    "        GPI_PREFETCH_READ((__global const char *)(tile.key + i) + GPI_AHEAD);\n",
    "        less += c < (gpi_keys)t;\n",
    "        same += c == (gpi_keys)t;\n",
    "    }\n",
    "    if (any(less | same)) {\n",
    "        *below += gpi_flags_count(less);\n",
    "        *equal += gpi_flags_count(same);\n",
    "    }\n",
    "    for (; i < end; i++) {\n",
    "        const gpi_key_bits c = gpi_key_order(tile.key[i], tile.flip);\n",
    "        *below += c < tile.threshold;\n",
    "        *equal += c == tile.threshold;\n",
    "    }\n",
    "    return *below != before;\n",
    "}\n",
    "\n",
    "/* How many keys are below and equal to the threshold; what finds the former again. */\n",
    "static ulong gpi_tile_survey(gpi_tile tile, uint *below, uint *equal, gpi_shared shared)\n",
    "{\n",
    "    ulong found = 0;\n",
    "    (void)shared;\n",
    "    *below = *equal = 0;\n",
    "    for (uint i = 0; i < tile.length; i += GPI_STRETCH) {\n",
    "        const uint end = min(tile.length, i + GPI_STRETCH);\n",
    "        if (gpi_stretch_count(tile, i, end, below, equal)) found |= (ulong)1 << (i / GPI_STRETCH);\n",
    "    }\n",
    "    return found;\n",
    "}\n",
    "\n",
    "/* Writes the keys below the threshold to `to`, in order. `base`: the tile's first index. */\n",
    "static void gpi_tile_keep(gpi_tile tile, ulong found, gpi_kept to, ulong base, gpi_shared shared)\n",
    "{\n",
    "    uint j = 0;\n",
    "    (void)shared;\n",
    "    for (; found; found &= found - 1) {\n",
    "        const uint begin = (63 - (uint)clz(found & (~found + 1))) * GPI_STRETCH;\n",
    "        const uint end = min(tile.length, begin + GPI_STRETCH);\n",
    "        for (uint i = begin; i < end; i++) {\n",
    "            if (gpi_key_order(tile.key[i], tile.flip) >= tile.threshold) continue;\n",
    "            to.key[j] = tile.key[i];\n",
    "            to.index[j++] = GPI_VALUE_OF(base + i);\n",
    "        }\n",
    "    }\n",
    "}\n",
    "\n",
    "/* The same with the first `most` keys that equal it. */\n",
    "static void gpi_tile_keep_equal(gpi_tile tile, ulong most, gpi_kept to, ulong base, gpi_shared shared)\n",
    "{\n",
    "    ulong j = 0;\n",
    "    (void)shared;\n",
    "    for (uint i = 0; i < tile.length && j < most; i++) {\n",
    "        if (gpi_key_order(tile.key[i], tile.flip) != tile.threshold) continue;\n",
    "        to.key[j] = tile.key[i];\n",
    "        to.index[j++] = GPI_VALUE_OF(base + i);\n",
    "    }\n",
    "}\n",
    "\n",
    "#else\n",
    "/* ------------------------------------------------------------------ local */\n",
    "\n",
    "#define GPI_SPAN_MAX GPI_TILE\n",
    "\n",
    "/* A bit for each of the tile's keys, in shared->order; how many are set before a word, in shared->nibble. */\n",
    "#define GPI_MASKS ((GPI_TILE + 31) / 32)\n",
    "#define GPI_MASKS_EACH ((GPI_MASKS + GPI_WG - 1) / GPI_WG)\n",
    "#if GPI_MASKS > 16 * GPI_WG\n",
    "#error \"GPI_ITEMS must be 512 at most\"\n",
    "#endif\n",
    "\n",
    "/* Marks the keys that equal the threshold (`equals`), or that are below it; counts both kinds. */\n",
    "static void gpi_tile_mark(gpi_tile tile, bool equals, uint *below, uint *equal, gpi_shared shared)\n",
    "{\n",
    "    const uint l = (uint)get_local_id(0);\n",
    "    uint less = 0, same = 0;\n",
    "    for (uint i = l; i < GPI_MASKS; i += GPI_WG) shared->order[i] = 0;\n",
    "    if (l == 0) shared->count[0] = shared->count[1] = 0;\n",
    "    gpi_sync(); /* masks and counters are zero */\n",
    "    for (uint j = 0; j < GPI_ITEMS; j++) {\n",
    "        const uint i = j * GPI_WG + l;\n",
    "        const gpi_key_bits c = i < tile.length ? gpi_key_order(tile.key[i], tile.flip) : 0;\n",
    "        const bool is_less = i < tile.length && c < tile.threshold;\n",
    "        const bool is_same = i < tile.length && c == tile.threshold;\n",
    "        less += is_less;\n",
    "        same += is_same;\n",
    "        if (equals ? is_same : is_less) (void)atomic_or(&shared->order[i / 32], 1u << i % 32);\n",
    "    }\n",
    "    if (less) (void)atomic_add(&shared->count[0], less);\n",
    "    if (same) (void)atomic_add(&shared->count[1], same);\n",
    "    gpi_sync(); /* all is marked and counted */\n",
    "    *below = shared->count[0];\n",
    "    *equal = shared->count[1];\n",
    "}\n",
    "\n",
    "/* shared->nibble[w]: how many keys are marked in the masks before w. */\n",
    "static void gpi_masks_rank(gpi_shared shared)\n",
    "{\n",
    "    const uint first = (uint)get_local_id(0) * GPI_MASKS_EACH;\n",
    "    uint sum = 0;\n",
    "    for (uint w = first; w < first + GPI_MASKS_EACH && w < GPI_MASKS; w++) sum += popcount(shared->order[w]);\n",
    "    sum = gpi_group_before(sum, shared);\n",
    "    for (uint w = first; w < first + GPI_MASKS_EACH && w < GPI_MASKS; w++) {\n",
    "        shared->nibble[w] = (ushort)sum;\n",
    "        sum += popcount(shared->order[w]);\n",
    "    }\n",
    "    gpi_sync(); /* the ranks are written */\n",
    "}\n",
    "\n",
    "/* Writes the first `most` marked keys to `to`, in order. */\n",
    "static void gpi_tile_keep_marked(gpi_tile tile, ulong most, gpi_kept to, ulong base, gpi_shared shared)\n",
    "{\n",
    "    gpi_masks_rank(shared);\n",
    "    for (uint i = (uint)get_local_id(0); i < tile.length; i += GPI_WG) {\n",
    "        const uint mask = shared->order[i / 32], bit = 1u << i % 32;\n",
    "        const uint rank = shared->nibble[i / 32] + popcount(mask & (bit - 1));\n",
    "        if (!(mask & bit) || rank >= most) continue;\n",
    "        to.key[rank] = tile.key[i];\n",
    "        to.index[rank] = GPI_VALUE_OF(base + i);\n",
    "    }\n",
    "}\n",
    "\n",
    "static ulong gpi_tile_survey(gpi_tile tile, uint *below, uint *equal, gpi_shared shared)\n",
    "{\n",
    "    gpi_tile_mark(tile, false, below, equal, shared);\n",
    "    return 0;\n",
    "}\n",
    "\n",
    "static void gpi_tile_keep(gpi_tile tile, ulong found, gpi_kept to, ulong base, gpi_shared shared)\n",
    "{\n",
    "    (void)found;\n",
    "    gpi_tile_keep_marked(tile, GPI_TILE, to, base, shared);\n",
    "}\n",
    "\n",
    "static void gpi_tile_keep_equal(gpi_tile tile, ulong most, gpi_kept to, ulong base, gpi_shared shared)\n",
    "{\n",
    "    uint below, equal;\n",
    "    gpi_tile_mark(tile, true, &below, &equal, shared);\n",
    "    gpi_tile_keep_marked(tile, most, to, base, shared);\n",
    "}\n",
    "#endif\n",
};
/* ---- End file kernels/keep.cl ---- */

/* ---- Begin file kernels/topk.cl ---- */
static const char *const gpi_kernel_topk[] = {
    "#line 1 \"kernels/topk.cl\"\n",
    "/* topk.cl - the k first keys in order, and where they were, without sorting the rest\n",
    "\n",
    "       out = the first k of (order(key[i]), i), sorted      order: key.cl, the lowest comes first\n",
    "\n",
    "   A sample gives a threshold t that about k keys, and a few more, are not above. One reading keeps the keys\n",
    "   below t, of equal ones t only as many as are still needed, the first ones; what is kept is sorted.\n",
    "\n",
    "       gp_topk_sample      one group: the threshold, by the rank that k has among keys picked at random\n",
    "       gp_topk_filter      a group a tile: keys below the threshold go to wherever there is room\n",
    "       gp_topk_histogram   each digit from the highest; only if too few or too many keys passed: digits of the\n",
    "                           keys that agree with the k-th one so far, until those that are left fit; then\n",
    "       gp_topk_filter      once more, with the threshold that this has found\n",
    "       gp_topk_gather      a group a tile: what it kept, to where it belongs; of equal ones what is missing\n",
    "       (sort.cl)           sorts those, stably, of which there are `found`\n",
    "       gp_topk_take        the first k of them\n",
    "\n",
    "   No group waits for another. Whatever the sample was, the result is the same: only the cost differs. Each\n",
    "   histogram's groups choose the digit of the one before for themselves, so that a choice costs no launch.\n",
    "   (Radix selection: Alabi et al. 2012; a threshold from a sample: Floyd & Rivest 1975.)\n",
    "\n",
    "   State, in ulongs; the host computes where the rest of the scratch begins:\n",
    "\n",
    "       | count | k | found | threshold of each round | cursor of each round (uints) | equals (round 0) | - |\n",
    "       | select: after digit 0 ... GPI_KEY_SIZE: prefix, rest, threshold, decided |\n",
    "       | histogram: digit, bin | blocks: round, GPI_TOPK_BLOCK tiles: keys below, equal (uints) |\n",
    "\n",
    "   The directory has for each tile: where its kept keys begin, how many they are, how many equal t.\n",
    "\n",
    "   Parameters: those of rank.cl.                                                                        */\n",
    "#define GPI_TOPK_COUNT 0\n",
    "#define GPI_TOPK_K 1\n",
    "#define GPI_TOPK_FOUND 2\n",
    "#define GPI_TOPK_THRESHOLD 3\n",
    "#define GPI_TOPK_CURSOR 5\n",
    "#define GPI_TOPK_EQUALS 6\n",
    "#define GPI_TOPK_SELECT 8\n",
    "#define GPI_TOPK_HISTOGRAM 48\n",
    "#define GPI_TOPK_BLOCKS (GPI_TOPK_HISTOGRAM + GPI_KEY_SIZE * GPI_BINS)\n",
    "#define GPI_TOPK_BLOCK 128\n",
    "\n",
    "#if GPI_TOPK_SELECT + 4 * (GPI_PASSES_MAX + 1) > GPI_TOPK_HISTOGRAM\n",
    "#error \"the state's parts overlap\"\n",
    "#endif\n",
    "\n",
    "/* What all kernels share. `blocks`: of GPI_TOPK_BLOCK tiles; `room`: how many keys may be kept. */\n",
    "typedef struct gpi_topk {\n",
    "    __global ulong *number;\n",
    "    volatile __global uint *cursor, *equals;\n",
    "    ulong room;\n",
    "    uint blocks;\n",
    "} gpi_topk;\n",
    "\n",
    "#define GPI_TOPK_PARAMETERS __global ulong *scratch, ulong state_at, ulong room, uint blocks\n",
    "#define GPI_TOPK_SET(topk)                                                       \\\n",
    "    (topk).number = scratch + state_at;                                          \\\n",
    "    (topk).cursor = (volatile __global uint *)((topk).number + GPI_TOPK_CURSOR); \\\n",
    "    (topk).equals = (volatile __global uint *)((topk).number + GPI_TOPK_EQUALS); \\\n",
    "    (topk).room = room;                                                          \\\n",
    "    (topk).blocks = blocks\n",
    "\n",
    "/* Keys below and equal to the threshold in a block of tiles. */\n",
    "static volatile __global uint *gpi_topk_block(gpi_topk topk, uint round, uint block)\n",
    "{\n",
    "    return (volatile __global uint *)(topk.number + GPI_TOPK_BLOCKS + (ulong)round * topk.blocks + block);\n",
    "}\n",
    "\n",
    "static volatile __global uint *gpi_topk_bin(gpi_topk topk, uint level, uint d)\n",
    "{\n",
    "    return (volatile __global uint *)(topk.number + GPI_TOPK_HISTOGRAM + level * GPI_BINS + d);\n",
    "}\n",
    "\n",
    "/* The first round's threshold has let too many keys pass, or too few. Known after its filter. */\n",
    "static bool gpi_topk_missed(gpi_topk topk)\n",
    "{\n",
    "    const ulong kept = topk.cursor[0], equals = (ulong)topk.equals[1] << 32 | topk.equals[0];\n",
    "    return kept > topk.room || kept + equals < topk.number[GPI_TOPK_K];\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ selection by digits */\n",
    "\n",
    "/* The digits of the keys in [begin, end) whose higher digits are `prefix`, into shared->count. */\n",
    "static void gpi_count_matching(__global const gpi_key *key, ulong begin, ulong end, gpi_digit digit,\n",
    "                               gpi_key_bits prefix, gpi_shared shared)\n",
    "{\n",
    "    GPI_EACH_BIN(d) shared->count[d] = 0;\n",
    "    gpi_sync(); /* the counters are zero */\n",
    "    for (ulong i = begin + get_local_id(0); i < end; i += GPI_WG) {\n",
    "        const gpi_key_bits high = gpi_key_order(key[i], digit.flip) >> digit.shift;\n",
    "        if (high >> 8 != prefix) continue;\n",
    "#if GPI_SHAPE_SERIAL\n",
    "        shared->count[high & digit.mask]++;\n",
    "#else\n",
    "        (void)atomic_inc(&shared->count[high & digit.mask]);\n",
    "#endif\n",
    "    }\n",
    "    gpi_sync(); /* all is counted */\n",
    "}\n",
    "\n",
    "static gpi_digit gpi_topk_digit(uint level, ulong flip)\n",
    "{\n",
    "    gpi_digit digit;\n",
    "    digit.flip = (gpi_key_bits)flip;\n",
    "    digit.shift = 8 * (GPI_KEY_SIZE - 1 - level);\n",
    "    digit.mask = GPI_BINS - 1;\n",
    "    return digit;\n",
    "}\n",
    "\n",
    "/* The digit of the key that comes rank-th (from 1) among those counted in shared->next. Leaves in next[0] how\n",
    "   many have lower digits, in next[1] how many have this one. */\n",
    "static uint gpi_choose(ulong rank, gpi_shared shared)\n",
    "{\n",
    "    uint chosen = 0;\n",
    "    gpi_sync(); /* the counts are there */\n",
    "    if (get_local_id(0) == 0) {\n",
    "        ulong sum = 0;\n",
    "        while (chosen < GPI_BINS - 1 && sum + shared->next[chosen] < rank) sum += shared->next[chosen++];\n",
    "        shared->next[1] = shared->next[chosen];\n",
    "        shared->next[0] = sum;\n",
    "    }\n",
    "    return gpi_broadcast(chosen, shared);\n",
    "}\n",
    "\n",
    "/* The order that comes rank-th among n keys; one group. */\n",
    "static gpi_key_bits gpi_select(__global const gpi_key *key, uint n, ulong rank, ulong flip, gpi_shared shared)\n",
    "{\n",
    "    gpi_key_bits prefix = 0;\n",
    "    for (uint level = 0; level < GPI_KEY_SIZE; level++) {\n",
    "        gpi_count_matching(key, 0, n, gpi_topk_digit(level, flip), prefix, shared);\n",
    "        GPI_EACH_BIN(d) shared->next[d] = shared->count[d];\n",
    "        prefix = prefix << 8 | gpi_choose(rank, shared);\n",
    "        rank -= shared->next[0];\n",
    "        gpi_sync(); /* next[0] is read: the next level's counts may overwrite it */\n",
    "    }\n",
    "    return prefix;\n",
    "}\n",
    "\n",
    "/* What is known of the k-th key's order: its highest digits; how many of the keys with those come before and\n",
    "   with it; once those keys fit, a threshold. */\n",
    "typedef struct gpi_selected {\n",
    "    ulong prefix, rest, threshold, decided;\n",
    "} gpi_selected;\n",
    "\n",
    "/* The same after `level` digits: from what was known before, and the histogram of the digit. Every group\n",
    "   computes it, the first one writes it down for the kernels behind. */\n",
    "static gpi_selected gpi_topk_selected(gpi_topk topk, uint level, gpi_shared shared)\n",
    "{\n",
    "    __global ulong *known = topk.number + GPI_TOPK_SELECT + 4 * (level > 0 ? level - 1 : 0);\n",
    "    gpi_selected s;\n",
    "    s.prefix = known[0];\n",
    "    s.rest = known[1];\n",
    "    s.threshold = known[2];\n",
    "    s.decided = known[3];\n",
    "    if (level == 0) return s;\n",
    "    if (!s.decided) {\n",
    "        const uint below = 8 * (GPI_KEY_SIZE - level);\n",
    "        GPI_EACH_BIN(d)\n",
    "        {\n",
    "            volatile __global uint *bin = gpi_topk_bin(topk, level - 1, d);\n",
    "            shared->next[d] = (ulong)bin[1] << 32 | bin[0];\n",
    "        }\n",
    "        s.prefix = s.prefix << 8 | gpi_choose(s.rest, shared);\n",
    "        s.rest -= shared->next[0];\n",
    "        s.threshold = s.prefix << below | (((ulong)1 << below) - 1);\n",
    "        s.decided = below == 0 || topk.number[GPI_TOPK_K] - s.rest + shared->next[1] <= topk.room;\n",
    "    }\n",
    "    if (get_group_id(0) == 0 && get_local_id(0) == 0) {\n",
    "        known[4] = s.prefix;\n",
    "        known[5] = s.rest;\n",
    "        known[6] = s.threshold;\n",
    "        known[7] = s.decided;\n",
    "    }\n",
    "    return s;\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ sample */\n",
    "\n",
    "/* A number below n, any. */\n",
    "static ulong gpi_somewhere(uint i, ulong n) { return mul_hi((ulong)gpi_mix_32(i) << 32, n); }\n",
    "\n",
    "/* The rank among s of n keys below which k of the n hardly ever are: with x expected, x + 4 sqrt(x). */\n",
    "static uint gpi_sample_rank(ulong k, ulong n, uint s)\n",
    "{\n",
    "    const float x = (float)(k - 1) * ((float)s / (float)n);\n",
    "    return min(s, 1 + (uint)(x + 4.0f * sqrt(x) + 0.75f));\n",
    "}\n",
    "\n",
    "/* One group. Zeroes `zeros` ulongs of the state and begins it: count, k, first threshold. One key is picked\n",
    "   from each of `samples` equal stretches, anywhere in it, so that no period of the input is met. */\n",
    "GPI_KERNEL void gp_topk_sample(__global const gpi_key *key, ulong key_at, GPI_TOPK_PARAMETERS, ulong flip,\n",
    "                               ulong k, uint zeros, __global gpi_key *sample, ulong sample_at, uint samples,\n",
    "                               GPI_COUNT_PARAMETERS, volatile __global uint *counters)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_topk topk;\n",
    "    GPI_TOPK_SET(topk);\n",
    "    const uint l = (uint)get_local_id(0);\n",
    "    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words), most = min(k, n);\n",
    "    const ulong stretch = max(n / samples, (ulong)1);\n",
    "    const uint s = (uint)min(n, (ulong)samples);\n",
    "    GPI_COUNT_CHECK(true, counters);\n",
    "    key += key_at;\n",
    "    sample += sample_at;\n",
    "    for (uint i = l; i < zeros; i += GPI_WG) {\n",
    "        ulong x = 0;\n",
    "        if (i == GPI_TOPK_COUNT) x = n;\n",
    "        if (i == GPI_TOPK_K || i == GPI_TOPK_SELECT + 1) x = most;\n",
    "        if (i == GPI_TOPK_THRESHOLD) x = ~(ulong)0 >> (64 - 8 * GPI_KEY_SIZE);\n",
    "        topk.number[i] = x;\n",
    "    }\n",
    "    if (n <= room || most == 0) return; /* all keys fit */\n",
    "    for (uint i = l; i < s; i += GPI_WG) sample[i] = key[i * stretch + gpi_somewhere(i, stretch)];\n",
    "    gpi_sync_all(); /* the sample is there, and the first threshold that is now overwritten */\n",
    "    gpi_key_bits t = gpi_select(sample, s, gpi_sample_rank(most, n, s), flip, shared);\n",
    "#ifdef GPI_SABOTAGE /* tests: next to nothing passes where k is odd, next to everything where it is even */\n",
    "    t = k % 2 ? 0 : (gpi_key_bits)(~(ulong)0 >> (64 - 8 * GPI_KEY_SIZE));\n",
    "#endif\n",
    "    if (l == 0) topk.number[GPI_TOPK_THRESHOLD] = t;\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ filter */\n",
    "\n",
    "static gpi_tile gpi_tile_make(__global const gpi_key *key, ulong n, ulong base, uint span, ulong flip,\n",
    "                              ulong threshold)\n",
    "{\n",
    "    gpi_tile tile;\n",
    "    tile.key = key + base;\n",
    "    tile.length = base < n ? (uint)min((ulong)span, n - base) : 0;\n",
    "    tile.flip = (gpi_key_bits)flip;\n",
    "    tile.threshold = (gpi_key_bits)threshold;\n",
    "    return tile;\n",
    "}\n",
    "\n",
    "/* Room for `keys` keys. One item. Once there is none left, the cursor stays where it is, above `room`. */\n",
    "static uint gpi_topk_claim(gpi_topk topk, uint round, uint keys)\n",
    "{\n",
    "    volatile __global uint *cursor = topk.cursor + round;\n",
    "    return atomic_or(cursor, 0u) > topk.room ? ~0u : atomic_add(cursor, keys);\n",
    "}\n",
    "\n",
    "/* Tells what a tile has. One item. */\n",
    "static void gpi_topk_note(gpi_topk topk, uint round, uint number, uint below, uint equal)\n",
    "{\n",
    "    volatile __global uint *block = gpi_topk_block(topk, round, number / GPI_TOPK_BLOCK);\n",
    "    if (below) (void)atomic_add(block, below);\n",
    "    if (equal) (void)atomic_add(block + 1, equal);\n",
    "    if (equal && round == 0) gpi_add_wide(topk.equals, equal);\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_topk_filter(__global const gpi_key *key, ulong key_at, GPI_TOPK_PARAMETERS, ulong flip,\n",
    "                               uint round, uint span, __global uint4 *directory, ulong directory_at,\n",
    "                               __global gpi_key *kept_key, ulong kept_key_at, __global gpi_value *kept_index,\n",
    "                               ulong kept_index_at)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_topk topk;\n",
    "    gpi_kept to;\n",
    "    uint below, equal, start = 0;\n",
    "    const uint number = (uint)get_group_id(0);\n",
    "    const ulong base = (ulong)number * span;\n",
    "    GPI_TOPK_SET(topk);\n",
    "    ulong threshold = topk.number[GPI_TOPK_THRESHOLD];\n",
    "    if (round > 0) {\n",
    "        if (!gpi_topk_missed(topk)) return;\n",
    "        threshold = gpi_topk_selected(topk, GPI_KEY_SIZE, shared).threshold;\n",
    "        if (number == 0 && get_local_id(0) == 0) topk.number[GPI_TOPK_THRESHOLD + 1] = threshold;\n",
    "    }\n",
    "    const gpi_tile tile =\n",
    "        gpi_tile_make(key + key_at, topk.number[GPI_TOPK_COUNT], base, span, flip, threshold);\n",
    "    const ulong found = gpi_tile_survey(tile, &below, &equal, shared);\n",
    "    if (get_local_id(0) == 0) {\n",
    "        gpi_topk_note(topk, round, number, below, equal);\n",
    "        if (below) start = gpi_topk_claim(topk, round, below);\n",
    "        directory[directory_at + number] = (uint4)(start, below, equal, 0);\n",
    "    }\n",
    "    if (below == 0) return;\n",
    "    start = gpi_broadcast(start, shared);\n",
    "    if ((ulong)start + below > room) return; /* the round is missed */\n",
    "    to.key = kept_key + kept_key_at + start;\n",
    "    to.index = kept_index + kept_index_at + start;\n",
    "    gpi_tile_keep(tile, found, to, base, shared);\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_topk_histogram(__global const gpi_key *key, ulong key_at, GPI_TOPK_PARAMETERS, ulong flip,\n",
    "                                  uint level, ulong span, volatile __global uint *counters)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_topk topk;\n",
    "    GPI_TOPK_SET(topk);\n",
    "    if (!gpi_topk_missed(topk)) return;\n",
    "    const gpi_selected s = gpi_topk_selected(topk, level, shared);\n",
    "    if (s.decided) return;\n",
    "    const ulong n = topk.number[GPI_TOPK_COUNT];\n",
    "    const ulong begin = min(n, span * get_group_id(0)), end = min(n, begin + span);\n",
    "    if (level == 0 && get_group_id(0) == 0 && get_local_id(0) == 0)\n",
    "        atomic_inc(counters + GPI_COUNT_FALLBACKS);\n",
    "    gpi_count_matching(key + key_at, begin, end, gpi_topk_digit(level, flip), (gpi_key_bits)s.prefix, shared);\n",
    "    GPI_EACH_BIN(d)\n",
    "    {\n",
    "        if (shared->count[d]) gpi_add_wide(gpi_topk_bin(topk, level, d), shared->count[d]);\n",
    "    }\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ gather, take */\n",
    "\n",
    "/* How many keys below the threshold the tiles before this one have. All items call, and get it. */\n",
    "static uint gpi_topk_before(gpi_topk topk, uint round, uint number, __global const uint4 *directory,\n",
    "                            gpi_shared shared)\n",
    "{\n",
    "    const uint l = (uint)get_local_id(0), block = number / GPI_TOPK_BLOCK;\n",
    "    uint sum = 0;\n",
    "    for (uint b = l; b < block; b += GPI_WG) sum += gpi_topk_block(topk, round, b)[0];\n",
    "    for (uint i = block * GPI_TOPK_BLOCK + l; i < number; i += GPI_WG) sum += directory[i].y;\n",
    "#if GPI_SHAPE_LOCAL\n",
    "    if (l == 0) shared->count[0] = 0;\n",
    "    gpi_sync(); /* the sum is zero */\n",
    "    if (sum) (void)atomic_add(&shared->count[0], sum);\n",
    "    gpi_sync(); /* all have added */\n",
    "    sum = shared->count[0];\n",
    "    gpi_sync(); /* the sum is read: marking may overwrite it */\n",
    "#endif\n",
    "    return sum;\n",
    "}\n",
    "\n",
    "/* How many keys equal to the threshold the tiles before this one have, `enough` at most. One item. */\n",
    "static ulong gpi_topk_equal_before(gpi_topk topk, uint round, uint number, __global const uint4 *directory,\n",
    "                                   ulong enough)\n",
    "{\n",
    "    const uint block = number / GPI_TOPK_BLOCK;\n",
    "    ulong sum = 0;\n",
    "    for (uint b = 0; b < block && sum < enough; b++) sum += gpi_topk_block(topk, round, b)[1];\n",
    "    for (uint i = block * GPI_TOPK_BLOCK; i < number && sum < enough; i++) sum += directory[i].z;\n",
    "    return min(sum, enough);\n",
    "}\n",
    "\n",
    "/* Behind all that are below the threshold: those that equal it and are still missing, in order. */\n",
    "GPI_KERNEL void gp_topk_gather(__global const gpi_key *key, ulong key_at, GPI_TOPK_PARAMETERS, ulong flip,\n",
    "                               uint span, __global const uint4 *directory, ulong directory_at,\n",
    "                               __global const gpi_key *kept_key, ulong kept_key_at,\n",
    "                               __global const gpi_value *kept_index, ulong kept_index_at,\n",
    "                               __global gpi_key *found_key, ulong found_key_at,\n",
    "                               __global gpi_value *found_index, ulong found_index_at)\n",
    "{\n",
    "    GPI_SHARED(shared);\n",
    "    gpi_topk topk;\n",
    "    gpi_kept to;\n",
    "    GPI_TOPK_SET(topk);\n",
    "    const uint number = (uint)get_group_id(0), l = (uint)get_local_id(0);\n",
    "    const uint round = gpi_topk_missed(topk);\n",
    "    const ulong below = topk.cursor[round], most = topk.number[GPI_TOPK_K];\n",
    "    const ulong missing = most > below ? most - below : 0;\n",
    "    const uint4 own = directory[directory_at + number];\n",
    "    if (number == 0 && l == 0) topk.number[GPI_TOPK_FOUND] = below + missing;\n",
    "    to.key = found_key + found_key_at;\n",
    "    to.index = found_index + found_index_at;\n",
    "    directory += directory_at;\n",
    "    if (own.y) {\n",
    "        const ulong at = gpi_topk_before(topk, round, number, directory, shared);\n",
    "        /* A loop that all items go through alike: behind barriers in a branch, PoCL 3.1 takes the first\n",
    "           item's answer to \"l < own.y\" for everybody's. */\n",
    "        for (uint begin = 0; begin < own.y; begin += GPI_WG) {\n",
    "            const uint i = begin + l;\n",
    "            if (i >= own.y) continue;\n",
    "            to.key[at + i] = kept_key[kept_key_at + own.x + i];\n",
    "            to.index[at + i] = kept_index[kept_index_at + own.x + i];\n",
    "        }\n",
    "    }\n",
    "    if (own.z && missing) {\n",
    "        uint before = 0; /* `missing` is below 2^31: k has room */\n",
    "        if (l == 0) before = (uint)gpi_topk_equal_before(topk, round, number, directory, missing);\n",
    "        before = gpi_broadcast(before, shared);\n",
    "        const gpi_tile tile = gpi_tile_make(key + key_at, topk.number[GPI_TOPK_COUNT], (ulong)number * span,\n",
    "                                            span, flip, topk.number[GPI_TOPK_THRESHOLD + round]);\n",
    "        if (before >= missing) return;\n",
    "        to.key += below + before;\n",
    "        to.index += below + before;\n",
    "        gpi_tile_keep_equal(tile, missing - before, to, (ulong)number * span, shared);\n",
    "    }\n",
    "}\n",
    "\n",
    "#define GPI_TOPK_WANTS_KEYS 1\n",
    "#define GPI_TOPK_WANTS_INDICES 2\n",
    "\n",
    "/* Sorted elements to the outputs that are wanted: k, or as many as there are. */\n",
    "GPI_KERNEL void gp_topk_take(__global const gpi_key *key, ulong key_at, __global const gpi_value *index,\n",
    "                             ulong index_at, __global gpi_key *key_out, ulong key_out_at,\n",
    "                             __global gpi_value *index_out, ulong index_out_at, uint wants, ulong k,\n",
    "                             GPI_COUNT_PARAMETERS)\n",
    "{\n",
    "    const ulong n = min(k, gpi_count(bound, wanted, wanted_offset, wanted_words));\n",
    "    const ulong step = (ulong)get_num_groups(0) * GPI_WG;\n",
    "    for (ulong i = (ulong)get_group_id(0) * GPI_WG + get_local_id(0); i < n; i += step) {\n",
    "        if (wants & GPI_TOPK_WANTS_KEYS) key_out[key_out_at + i] = key[key_at + i];\n",
    "        if (wants & GPI_TOPK_WANTS_INDICES) index_out[index_out_at + i] = index[index_at + i];\n",
    "    }\n",
    "}\n",
};
/* ---- End file kernels/topk.cl ---- */

/* ---- Begin file kernels/mix.cl ---- */
static const char *const gpi_kernel_mix[] = {
    "#line 1 \"kernels/mix.cl\"\n",
    "/* mix.cl - murmur3's finalisers: bijections in which every bit of the input moves half of the output's.\n",
    "   (Appleby, MurmurHash3, 2011.) */\n",
    "static uint gpi_mix_32(uint h)\n",
    "{\n",
    "    h ^= h >> 16;\n",
    "    h *= 0x85ebca6bu;\n",
    "    h ^= h >> 13;\n",
    "    h *= 0xc2b2ae35u;\n",
    "    return h ^ h >> 16;\n",
    "}\n",
    "\n",
    "static ulong gpi_mix_64(ulong h)\n",
    "{\n",
    "    h ^= h >> 33;\n",
    "    h *= 0xff51afd7ed558ccdul;\n",
    "    h ^= h >> 33;\n",
    "    h *= 0xc4ceb9fe1a85ec53ul;\n",
    "    return h ^ h >> 33;\n",
    "}\n",
};
/* ---- End file kernels/mix.cl ---- */

/* ---- Begin file kernels/hash.cl ---- */
static const char *const gpi_kernel_hash[] = {
    "#line 1 \"kernels/hash.cl\"\n",
    "/* hash.cl - a hash table with open addressing and linear probing, without locks: what one item does with one\n",
    "   key. This file is also what gp_device_source gives to kernels of your own; only names without gpi_ are for\n",
    "   them.\n",
    "\n",
    "       home(key) = mix(key ^ seed) & mask         a probe visits home, home + 1, ... (mod capacity)\n",
    "\n",
    "   Memory, one buffer:\n",
    "\n",
    "       | header: 64 uints | slot 0 | slot 1 | ... | slot mask | the slot of the key of all ones |\n",
    "\n",
    "   A slot, by form:\n",
    "\n",
    "       packed   one 64-bit word: key in the high half, value in the low half\n",
    "       split    two words of one width, 32 or 64 bits: key, value; narrower data is extended with zeros\n",
    "\n",
    "   A key cell of all ones is empty; the pair whose key has these bits lives in the slot behind the table, so\n",
    "   that every key is legal. One value, the reserved one, means that a key is absent. A slot goes through these\n",
    "   states:\n",
    "\n",
    "       empty -> claimed, absent -> live -> absent -> live ...      (packed: straight from empty to live)\n",
    "\n",
    "   Invariants:\n",
    "     - A key that has been written never moves and is never overwritten. So a probe that meets an empty slot\n",
    "   has seen all keys that began to be inserted before it, and no key can stand in two slots: both writers meet\n",
    "   at the first slot that was empty for either of them, and one of their exchanges fails.\n",
    "     - A value changes only by compare-and-swap from what was seen, so that no update is lost. Packed, key and\n",
    "       value change together; split, a reader between the two exchanges sees an absent key.\n",
    "     - Every access to a slot is atomic (a relaxed load is enough: each word tells all by itself).\n",
    "   A probe ends after `steps` slots, which is the capacity, or less where a device's loops are limited: no key\n",
    "   stands further from its home then, so that a search that gives up there is right too. An exchange fails\n",
    "   only because another item's succeeded; where loops are limited, `turns` bounds those as well.\n",
    "\n",
    "   Parameters\n",
    "       GPI_HASH_PACKED   1: packed form, 64-bit atomics; keys and values of 4 bytes\n",
    "       GPI_WIDE          split form: 1: words of 64 bits, 0: of 32 bits                               */\n",
    "#if !defined(GPI_HASH_PACKED) || (GPI_HASH_PACKED && !GPI_WIDE)\n",
    "#error \"GPI_HASH_PACKED must be 0 or 1, and the packed form needs GPI_WIDE\"\n",
    "#endif\n",
    "\n",
    "#if GPI_WIDE && !GPI_HASH_PACKED\n",
    "typedef ulong gp_hash_key;\n",
    "typedef ulong gp_hash_value;\n",
    "#define GPI_KEY_NONE (~0ul)\n",
    "#else\n",
    "typedef uint gp_hash_key;\n",
    "typedef uint gp_hash_value;\n",
    "#define GPI_KEY_NONE (~0u)\n",
    "#endif\n",
    "\n",
    "/* Header, in uints. Counts are of 64 bits. */\n",
    "#define GPI_HEADER 64\n",
    "#define GPI_HEADER_MASK 0\n",
    "#define GPI_HEADER_STEPS 1\n",
    "#define GPI_HEADER_TURNS 2\n",
    "#define GPI_HEADER_SEED 4\n",
    "#define GPI_HEADER_RESERVED 6\n",
    "#define GPI_HEADER_COUNTS 16\n",
    "\n",
    "/* What came of a key; also the index of its count. The host knows them by the same values. */\n",
    "#define GP_HASH_INSERTED 1   /* it was absent and is there now */\n",
    "#define GP_HASH_EXISTED 2    /* it was there: kept, assigned or combined */\n",
    "#define GP_HASH_FAILED 3     /* no slot was found */\n",
    "#define GP_HASH_REFUSED 4    /* its value is, or would become, the reserved one */\n",
    "#define GP_HASH_SUPERSEDED 5 /* another of the batch's equal keys stands for it */\n",
    "#define GP_HASH_ERASED 6\n",
    "#define GP_HASH_ABSENT 7\n",
    "#define GPI_COUNT_CLAIMED \\\n",
    "    0                    /* slots that have a key, whether live or not; without the slot behind the table */\n",
    "#define GPI_COUNT_LOST 8 /* live keys for which a rehash found no slot */\n",
    "#define GPI_COUNTS 9\n",
    "#define GPI_CLAIMED 16 /* with GP_HASH_INSERTED or others: a slot got its key */\n",
    "\n",
    "/* How a value changes. The host knows them by the same values. */\n",
    "#define GPI_KEEP 0\n",
    "#define GPI_ASSIGN 1\n",
    "#define GPI_ADD 2\n",
    "#define GPI_AND 3\n",
    "#define GPI_OR 4\n",
    "#define GPI_XOR 5\n",
    "#define GPI_MIN_U 6\n",
    "#define GPI_MAX_U 7\n",
    "#define GPI_MIN_I 8\n",
    "#define GPI_MAX_I 9\n",
    "#define GPI_ADD_F 10\n",
    "#define GPI_MIN_F 11\n",
    "#define GPI_MAX_F 12\n",
    "#define GPI_WIDE_VALUE 16 /* added to these: on 64 bits */\n",
    "\n",
    "/* ------------------------------------------------------------------ a table */\n",
    "\n",
    "typedef struct gp_hash_table {\n",
    "    volatile __global gpi_word *slots;\n",
    "    volatile __global uint *counts;\n",
    "    gp_hash_key seed;\n",
    "    gp_hash_value reserved;\n",
    "    uint mask, steps, turns;\n",
    "} gp_hash_table;\n",
    "\n",
    "/* `memory`: the table's buffer. */\n",
    "static gp_hash_table gp_hash_open(__global uint *memory)\n",
    "{\n",
    "    gp_hash_table t;\n",
    "    t.slots = (volatile __global gpi_word *)(memory + GPI_HEADER);\n",
    "    t.counts = memory + GPI_HEADER_COUNTS;\n",
    "    t.mask = memory[GPI_HEADER_MASK];\n",
    "    t.steps = memory[GPI_HEADER_STEPS];\n",
    "    t.turns = memory[GPI_HEADER_TURNS];\n",
    "    const uint low = memory[GPI_HEADER_SEED], high = memory[GPI_HEADER_SEED + 1];\n",
    "    const uint reserved = memory[GPI_HEADER_RESERVED];\n",
    "#if GPI_WIDE && !GPI_HASH_PACKED\n",
    "    t.seed = (ulong)high << 32 | low;\n",
    "    t.reserved = (ulong)memory[GPI_HEADER_RESERVED + 1] << 32 | reserved;\n",
    "#else\n",
    "    t.seed = low ^ high;\n",
    "    t.reserved = reserved;\n",
    "#endif\n",
    "    return t;\n",
    "}\n",
    "\n",
    "/* Where the probe for `key` begins. */\n",
    "GPI_INLINE uint gpi_hash_home(gp_hash_table t, gp_hash_key key)\n",
    "{\n",
    "#if GPI_WIDE && !GPI_HASH_PACKED\n",
    "    const uint home = (uint)gpi_mix_64(key ^ t.seed) & t.mask;\n",
    "#else\n",
    "    const uint home = gpi_mix_32(key ^ t.seed) & t.mask;\n",
    "#endif\n",
    "    return key == GPI_KEY_NONE ? t.mask + 1 : home;\n",
    "}\n",
    "\n",
    "GPI_INLINE void gpi_hash_count(gp_hash_table t, uint what, uint x) { gpi_add_wide(t.counts + 2 * what, x); }\n",
    "\n",
    "/* The group's elements: [*begin, *end) of n. */\n",
    "static void gpi_span(ulong n, ulong span, ulong *begin, ulong *end)\n",
    "{\n",
    "    *begin = min(n, span * get_group_id(0));\n",
    "    *end = min(n, *begin + span);\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ slots */\n",
    "\n",
    "#if GPI_HASH_PACKED\n",
    "#define GPI_SLOT_WORDS 1\n",
    "#define GPI_PAIR(key, value) ((ulong)(key) << 32 | (value))\n",
    "#define GPI_PAIR_KEY(word) ((uint)((word) >> 32))\n",
    "#define GPI_PAIR_VALUE(word) ((uint)(word))\n",
    "#else\n",
    "#define GPI_SLOT_WORDS 2\n",
    "#endif\n",
    "\n",
    "GPI_INLINE volatile __global gpi_word *gpi_slot(gp_hash_table t, uint slot)\n",
    "{\n",
    "    return t.slots + (size_t)slot * GPI_SLOT_WORDS;\n",
    "}\n",
    "\n",
    "/* Key and value in a slot; false when it has no live pair. */\n",
    "GPI_INLINE bool gpi_slot_read(gp_hash_table t, uint slot, gp_hash_key *key, gp_hash_value *value)\n",
    "{\n",
    "#if GPI_HASH_PACKED\n",
    "    const ulong seen = gpi_word_load(gpi_slot(t, slot));\n",
    "    *key = GPI_PAIR_KEY(seen);\n",
    "    *value = GPI_PAIR_VALUE(seen);\n",
    "#else\n",
    "    *key = gpi_word_load(gpi_slot(t, slot));\n",
    "    *value = gpi_word_load(gpi_slot(t, slot) + 1);\n",
    "#endif\n",
    "    return *value != t.reserved && (*key != GPI_KEY_NONE || slot > t.mask);\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ values */\n",
    "\n",
    "static uint gpi_change_32(uint change, uint x, uint v)\n",
    "{\n",
    "    if (change == GPI_ADD) return x + v;\n",
    "    if (change == GPI_AND) return x & v;\n",
    "    if (change == GPI_OR) return x | v;\n",
    "    if (change == GPI_XOR) return x ^ v;\n",
    "    if (change == GPI_MIN_U) return min(x, v);\n",
    "    if (change == GPI_MAX_U) return max(x, v);\n",
    "    if (change == GPI_MIN_I) return as_uint(min(as_int(x), as_int(v)));\n",
    "    if (change == GPI_MAX_I) return as_uint(max(as_int(x), as_int(v)));\n",
    "    if (change == GPI_ADD_F) return as_uint(as_float(x) + as_float(v));\n",
    "    if (change == GPI_MIN_F) return as_uint(fmin(as_float(x), as_float(v)));\n",
    "    if (change == GPI_MAX_F) return as_uint(fmax(as_float(x), as_float(v)));\n",
    "    return v;\n",
    "}\n",
    "\n",
    "#if GPI_WIDE && !GPI_HASH_PACKED\n",
    "static ulong gpi_change_64(uint change, ulong x, ulong v)\n",
    "{\n",
    "    if (change == GPI_ADD) return x + v;\n",
    "    if (change == GPI_AND) return x & v;\n",
    "    if (change == GPI_OR) return x | v;\n",
    "    if (change == GPI_XOR) return x ^ v;\n",
    "    if (change == GPI_MIN_U) return min(x, v);\n",
    "    if (change == GPI_MAX_U) return max(x, v);\n",
    "    if (change == GPI_MIN_I) return as_ulong(min(as_long(x), as_long(v)));\n",
    "    if (change == GPI_MAX_I) return as_ulong(max(as_long(x), as_long(v)));\n",
    "#if GPI_FP64\n",
    "    if (change == GPI_ADD_F) return as_ulong(as_double(x) + as_double(v));\n",
    "    if (change == GPI_MIN_F) return as_ulong(fmin(as_double(x), as_double(v)));\n",
    "    if (change == GPI_MAX_F) return as_ulong(fmax(as_double(x), as_double(v)));\n",
    "#endif\n",
    "    return v;\n",
    "}\n",
    "\n",
    "/* What a live value x becomes. */\n",
    "static gp_hash_value gpi_change(uint change, gp_hash_value x, gp_hash_value v)\n",
    "{\n",
    "    if (change == GPI_ASSIGN) return v;\n",
    "    if (change & GPI_WIDE_VALUE) return gpi_change_64(change - GPI_WIDE_VALUE, x, v);\n",
    "    return gpi_change_32(change, (uint)x, (uint)v);\n",
    "}\n",
    "#else\n",
    "static gp_hash_value gpi_change(uint change, gp_hash_value x, gp_hash_value v)\n",
    "{\n",
    "    return change == GPI_ASSIGN ? v : gpi_change_32(change, x, v);\n",
    "}\n",
    "#endif\n",
    "\n",
    "/* ------------------------------------------------------------------ put */\n",
    "\n",
    "#if GPI_HASH_PACKED\n",
    "/* The key's slot is found or claimed, and its value changed: what came of it. `slot`: gpi_hash_home(t, key).\n",
    " */\n",
    "GPI_INLINE uint gpi_hash_put(gp_hash_table t, uint slot, gp_hash_key key, gp_hash_value value, uint change)\n",
    "{\n",
    "    const ulong empty = GPI_PAIR(GPI_KEY_NONE, t.reserved);\n",
    "    ulong seen = gpi_word_load(gpi_slot(t, slot));\n",
    "    uint step = 0;\n",
    "    if (value == t.reserved) return GP_HASH_REFUSED;\n",
    "    for (uint turn = 0; turn < t.turns; turn++) {\n",
    "        ulong old;\n",
    "        if (seen == empty) {\n",
    "            old = gpi_word_cas(gpi_slot(t, slot), empty, GPI_PAIR(key, value));\n",
    "            if (old == empty) return GP_HASH_INSERTED | (key == GPI_KEY_NONE ? 0 : GPI_CLAIMED);\n",
    "            seen = old; /* filled meanwhile */\n",
    "        } else if (GPI_PAIR_KEY(seen) == key) {\n",
    "            const uint x = GPI_PAIR_VALUE(seen);\n",
    "            const bool absent = x == t.reserved;\n",
    "            if (!absent && change == GPI_KEEP) return GP_HASH_EXISTED;\n",
    "            const uint next = absent ? value : gpi_change(change, x, value);\n",
    "            if (next == x) return GP_HASH_EXISTED;\n",
    "            if (next == t.reserved) return GP_HASH_REFUSED;\n",
    "            old = gpi_word_cas(gpi_slot(t, slot), seen, GPI_PAIR(key, next));\n",
    "            if (old == seen) return absent ? GP_HASH_INSERTED : GP_HASH_EXISTED;\n",
    "            seen = old; /* changed meanwhile */\n",
    "        } else {\n",
    "            if (++step == t.steps) return GP_HASH_FAILED;\n",
    "            slot = (slot + 1) & t.mask;\n",
    "            seen = gpi_word_load(gpi_slot(t, slot));\n",
    "        }\n",
    "    }\n",
    "    return GP_HASH_FAILED;\n",
    "}\n",
    "\n",
    "#else\n",
    "/* The value of a key that has its slot. `claimed` is handed on; `turn`: how many are used up. */\n",
    "GPI_INLINE uint gpi_hash_change(gp_hash_table t, volatile __global gpi_word *cell, gp_hash_value value,\n",
    "                                uint change, uint claimed, uint turn)\n",
    "{\n",
    "    gp_hash_value x = claimed ? t.reserved : gpi_word_load(cell);\n",
    "    for (; turn < t.turns; turn++) {\n",
    "        const bool absent = x == t.reserved;\n",
    "        if (!absent && change == GPI_KEEP) return GP_HASH_EXISTED | claimed;\n",
    "        const gp_hash_value next = absent ? value : gpi_change(change, x, value);\n",
    "        if (next == x) return GP_HASH_EXISTED | claimed;\n",
    "        if (next == t.reserved) return GP_HASH_REFUSED | claimed;\n",
    "        const gp_hash_value old = gpi_word_cas(cell, x, next);\n",
    "        if (old == x) return (absent ? GP_HASH_INSERTED : GP_HASH_EXISTED) | claimed;\n",
    "        x = old; /* changed meanwhile */\n",
    "    }\n",
    "    return GP_HASH_FAILED | claimed;\n",
    "}\n",
    "\n",
    "/* The key's slot is found or claimed, and its value changed: what came of it. `slot`: gpi_hash_home(t, key).\n",
    " */\n",
    "GPI_INLINE uint gpi_hash_put(gp_hash_table t, uint slot, gp_hash_key key, gp_hash_value value, uint change)\n",
    "{\n",
    "    if (value == t.reserved) return GP_HASH_REFUSED;\n",
    "    for (uint step = 0; step < t.steps; step++) {\n",
    "        volatile __global gpi_word *cell = gpi_slot(t, slot);\n",
    "        uint claimed = 0;\n",
    "        gp_hash_key seen = gpi_word_load(cell);\n",
    "        if (seen == GPI_KEY_NONE && key != GPI_KEY_NONE) {\n",
    "            seen = gpi_word_cas(cell, GPI_KEY_NONE, key);\n",
    "            if (seen == GPI_KEY_NONE) {\n",
    "                seen = key;\n",
    "                claimed = GPI_CLAIMED;\n",
    "            }\n",
    "        }\n",
    "        if (seen == key) return gpi_hash_change(t, cell + 1, value, change, claimed, step);\n",
    "        slot = (slot + 1) & t.mask;\n",
    "    }\n",
    "    return GP_HASH_FAILED;\n",
    "}\n",
    "#endif\n",
    "\n",
    "/* ------------------------------------------------------------------ get, erase */\n",
    "\n",
    "#if GPI_HASH_PACKED\n",
    "/* True and its value when the key is there. */\n",
    "GPI_INLINE bool gpi_hash_get(gp_hash_table t, uint slot, gp_hash_key key, gp_hash_value *value)\n",
    "{\n",
    "    const ulong empty = GPI_PAIR(GPI_KEY_NONE, t.reserved);\n",
    "    for (uint step = 0; step < t.steps; step++) {\n",
    "        const ulong seen = gpi_word_load(gpi_slot(t, slot));\n",
    "        if (GPI_PAIR_KEY(seen) == key) {\n",
    "            *value = GPI_PAIR_VALUE(seen);\n",
    "            return *value != t.reserved;\n",
    "        }\n",
    "        if (seen == empty) return false;\n",
    "        slot = (slot + 1) & t.mask;\n",
    "    }\n",
    "    return false;\n",
    "}\n",
    "\n",
    "GPI_INLINE uint gpi_hash_remove(gp_hash_table t, uint slot, gp_hash_key key)\n",
    "{\n",
    "    const ulong empty = GPI_PAIR(GPI_KEY_NONE, t.reserved);\n",
    "    ulong seen = gpi_word_load(gpi_slot(t, slot));\n",
    "    uint step = 0;\n",
    "    for (uint turn = 0; turn < t.turns; turn++) {\n",
    "        if (GPI_PAIR_KEY(seen) == key) {\n",
    "            if (GPI_PAIR_VALUE(seen) == t.reserved) return GP_HASH_ABSENT;\n",
    "            const ulong old = gpi_word_cas(gpi_slot(t, slot), seen, GPI_PAIR(key, t.reserved));\n",
    "            if (old == seen) return GP_HASH_ERASED;\n",
    "            seen = old; /* changed meanwhile */\n",
    "        } else {\n",
    "            if (seen == empty || ++step == t.steps) return GP_HASH_ABSENT;\n",
    "            slot = (slot + 1) & t.mask;\n",
    "            seen = gpi_word_load(gpi_slot(t, slot));\n",
    "        }\n",
    "    }\n",
    "    return GP_HASH_FAILED;\n",
    "}\n",
    "\n",
    "#else\n",
    "/* The value cell of the key; NULL when it has no slot. */\n",
    "GPI_INLINE volatile __global gpi_word *gpi_hash_cell(gp_hash_table t, uint slot, gp_hash_key key)\n",
    "{\n",
    "    for (uint step = 0; step < t.steps; step++) {\n",
    "        volatile __global gpi_word *cell = gpi_slot(t, slot);\n",
    "        const gp_hash_key seen = gpi_word_load(cell);\n",
    "        if (seen == key) return cell + 1;\n",
    "        if (seen == GPI_KEY_NONE) return 0;\n",
    "        slot = (slot + 1) & t.mask;\n",
    "    }\n",
    "    return 0;\n",
    "}\n",
    "\n",
    "/* True and its value when the key is there. */\n",
    "GPI_INLINE bool gpi_hash_get(gp_hash_table t, uint slot, gp_hash_key key, gp_hash_value *value)\n",
    "{\n",
    "    volatile __global gpi_word *cell = gpi_hash_cell(t, slot, key);\n",
    "    if (!cell) return false;\n",
    "    *value = gpi_word_load(cell);\n",
    "    return *value != t.reserved;\n",
    "}\n",
    "\n",
    "GPI_INLINE uint gpi_hash_remove(gp_hash_table t, uint slot, gp_hash_key key)\n",
    "{\n",
    "    volatile __global gpi_word *cell = gpi_hash_cell(t, slot, key);\n",
    "    if (!cell) return GP_HASH_ABSENT;\n",
    "    return gpi_word_swap(cell, t.reserved) == t.reserved ? GP_HASH_ABSENT : GP_HASH_ERASED;\n",
    "}\n",
    "#endif\n",
};
/* ---- End file kernels/hash.cl ---- */

/* ---- Begin file kernels/hash_line.cl ---- */
static const char *const gpi_kernel_hash_line[] = {
    "#line 1 \"kernels/hash_line.cl\"\n",
    "/* hash_line.cl - put, get and remove that look at a line of slots a step (platform.cl: gpi_line), where the\n",
    "   device can load one at once. Everything that hash.cl says of single slots holds: a line's words may be of\n",
    "   different moments, but a key found anywhere is there, a slot seen taken stays taken by its key, and one\n",
    "   seen empty is claimed by exchange.\n",
    "\n",
    "       line      | a  b  key c  -  d  -  - |      hit: the key's slot, wherever it stands\n",
    "                          ^home ^             none: the first empty slot from home on\n",
    "\n",
    "   Slots before the home count in the last line only, when a probe has gone all the way round. */\n",
    "#if GPI_LINE_WORDS\n",
    "#if GPI_HASH_PACKED\n",
    "#define GPI_LINE_SLOTS GPI_LINE_WORDS\n",
    "#else\n",
    "#define GPI_LINE_SLOTS (GPI_LINE_WORDS / 2)\n",
    "#endif\n",
    "\n",
    "/* A mask of lanes and a number for each of them. */\n",
    "#if GPI_LINE_SLOTS == 8\n",
    "typedef ulong8 gpi_lanes;\n",
    "typedef long8 gpi_lanes_mask;\n",
    "#define GPI_SLOTS_BITS as_ulong8\n",
    "#define GPI_SLOTS_NUMBER ((ulong8)(0, 1, 2, 3, 4, 5, 6, 7))\n",
    "#define GPI_SLOTS_FOLD(op, x) \\\n",
    "    op(op(op((x).s0, (x).s1), op((x).s2, (x).s3)), op(op((x).s4, (x).s5), op((x).s6, (x).s7)))\n",
    "#elif GPI_LINE_SLOTS == 4\n",
    "typedef ulong4 gpi_lanes;\n",
    "typedef long4 gpi_lanes_mask;\n",
    "#define GPI_SLOTS_BITS as_ulong4\n",
    "#define GPI_SLOTS_NUMBER ((ulong4)(0, 1, 2, 3))\n",
    "#define GPI_SLOTS_FOLD(op, x) op(op((x).s0, (x).s1), op((x).s2, (x).s3))\n",
    "#else\n",
    "typedef ulong2 gpi_lanes;\n",
    "typedef long2 gpi_lanes_mask;\n",
    "#define GPI_SLOTS_BITS as_ulong2\n",
    "#define GPI_SLOTS_NUMBER ((ulong2)(0, 1))\n",
    "#define GPI_SLOTS_FOLD(op, x) op((x).s0, (x).s1)\n",
    "#endif\n",
    "#define GPI_OR_OF(a, b) ((a) | (b))\n",
    "\n",
    "/* any(), which PoCL 3.1 makes a chain of branches of. */\n",
    "GPI_INLINE bool gpi_lanes_any(gpi_lanes_mask mask)\n",
    "{\n",
    "    const gpi_lanes bits = GPI_SLOTS_BITS(mask);\n",
    "    return GPI_SLOTS_FOLD(GPI_OR_OF, bits) != 0;\n",
    "}\n",
    "\n",
    "/* The bits of the one lane in the mask. */\n",
    "GPI_INLINE ulong gpi_lanes_pick(gpi_lanes x, gpi_lanes_mask mask)\n",
    "{\n",
    "    const gpi_lanes only = x & GPI_SLOTS_BITS(mask);\n",
    "    return GPI_SLOTS_FOLD(GPI_OR_OF, only);\n",
    "}\n",
    "\n",
    "/* The first lane in the mask, which is not empty. */\n",
    "GPI_INLINE uint gpi_lanes_first(gpi_lanes_mask mask)\n",
    "{\n",
    "    const gpi_lanes number = GPI_SLOTS_NUMBER | ~GPI_SLOTS_BITS(mask);\n",
    "    return (uint)GPI_SLOTS_FOLD(min, number);\n",
    "}\n",
    "\n",
    "/* What a line of slots says about a key. */\n",
    "typedef struct gpi_seen {\n",
    "    gpi_lanes word; /* key and value, or the value */\n",
    "    gpi_lanes_mask hit, none;\n",
    "} gpi_seen;\n",
    "\n",
    "/* `from`: the first lane in which an empty slot counts. */\n",
    "GPI_INLINE gpi_seen gpi_line_see(gp_hash_table t, uint line, uint from, gp_hash_key key)\n",
    "{\n",
    "    const gpi_line words = gpi_line_load(gpi_slot(t, line));\n",
    "    gpi_seen seen;\n",
    "#if GPI_HASH_PACKED\n",
    "    seen.word = words;\n",
    "    seen.hit = words >> 32 == (ulong)key;\n",
    "    seen.none = words == GPI_PAIR(GPI_KEY_NONE, t.reserved);\n",
    "#else\n",
    "    seen.word = words.odd;\n",
    "    seen.hit = words.even == key;\n",
    "    seen.none = words.even == GPI_KEY_NONE;\n",
    "#endif\n",
    "    seen.none &= GPI_SLOTS_NUMBER >= (ulong)from;\n",
    "    return seen;\n",
    "}\n",
    "\n",
    "/* Tables of less than a line, and the slot behind the table, are for the single-slot way. */\n",
    "GPI_INLINE bool gpi_has_lines(gp_hash_table t, uint slot)\n",
    "{\n",
    "    return slot <= t.mask && t.mask >= GPI_LINE_SLOTS - 1;\n",
    "}\n",
    "\n",
    "GPI_INLINE bool gpi_line_get(gp_hash_table t, uint slot, gp_hash_key key, gp_hash_value *value)\n",
    "{\n",
    "    uint line = slot & ~(uint)(GPI_LINE_SLOTS - 1), from = slot % GPI_LINE_SLOTS;\n",
    "    if (!gpi_has_lines(t, slot)) return gpi_hash_get(t, slot, key, value);\n",
    "    for (uint step = 0; step <= t.mask / GPI_LINE_SLOTS + 1; step++) {\n",
    "        const gpi_seen seen = gpi_line_see(t, line, from, key);\n",
    "        if (gpi_lanes_any(seen.hit)) {\n",
    "            *value = (gp_hash_value)gpi_lanes_pick(seen.word, seen.hit);\n",
    "            return *value != t.reserved;\n",
    "        }\n",
    "        if (gpi_lanes_any(seen.none)) return false;\n",
    "        line = (line + GPI_LINE_SLOTS) & t.mask;\n",
    "        from = 0;\n",
    "    }\n",
    "    return false;\n",
    "}\n",
    "\n",
    "/* Erasing is single-slot work, once the line has told which slot. */\n",
    "GPI_INLINE uint gpi_line_remove(gp_hash_table t, uint slot, gp_hash_key key)\n",
    "{\n",
    "    uint line = slot & ~(uint)(GPI_LINE_SLOTS - 1), from = slot % GPI_LINE_SLOTS;\n",
    "    if (!gpi_has_lines(t, slot)) return gpi_hash_remove(t, slot, key);\n",
    "    for (uint step = 0; step <= t.mask / GPI_LINE_SLOTS + 1; step++) {\n",
    "        const gpi_seen seen = gpi_line_see(t, line, from, key);\n",
    "        if (gpi_lanes_any(seen.hit)) return gpi_hash_remove(t, line + gpi_lanes_first(seen.hit), key);\n",
    "        if (gpi_lanes_any(seen.none)) return GP_HASH_ABSENT;\n",
    "        line = (line + GPI_LINE_SLOTS) & t.mask;\n",
    "        from = 0;\n",
    "    }\n",
    "    return GP_HASH_ABSENT;\n",
    "}\n",
    "\n",
    "GPI_INLINE uint gpi_line_put(gp_hash_table t, uint slot, gp_hash_key key, gp_hash_value value, uint change)\n",
    "{\n",
    "    uint line = slot & ~(uint)(GPI_LINE_SLOTS - 1), from = slot % GPI_LINE_SLOTS, step = 0;\n",
    "    if (value == t.reserved) return GP_HASH_REFUSED;\n",
    "    while (gpi_has_lines(t, slot)) {\n",
    "        const gpi_seen seen = gpi_line_see(t, line, from, key);\n",
    "        if (gpi_lanes_any(seen.hit))\n",
    "            return gpi_hash_put(t, line + gpi_lanes_first(seen.hit), key, value, change);\n",
    "        if (gpi_lanes_any(seen.none)) {\n",
    "            const uint at = line + gpi_lanes_first(seen.none);\n",
    "#if GPI_HASH_PACKED\n",
    "            const ulong empty = GPI_PAIR(GPI_KEY_NONE, t.reserved);\n",
    "            if (gpi_word_cas(gpi_slot(t, at), empty, GPI_PAIR(key, value)) == empty)\n",
    "                return GP_HASH_INSERTED | GPI_CLAIMED;\n",
    "#else\n",
    "            if (gpi_word_cas(gpi_slot(t, at), GPI_KEY_NONE, key) == GPI_KEY_NONE)\n",
    "                return gpi_hash_change(t, gpi_slot(t, at) + 1, value, change, GPI_CLAIMED, 0);\n",
    "#endif\n",
    "            continue; /* filled meanwhile: the line is looked at again, which has one empty slot less */\n",
    "        }\n",
    "        if (++step > t.mask / GPI_LINE_SLOTS + 1) return GP_HASH_FAILED;\n",
    "        line = (line + GPI_LINE_SLOTS) & t.mask;\n",
    "        from = 0;\n",
    "    }\n",
    "    return gpi_hash_put(t, slot, key, value, change);\n",
    "}\n",
    "#endif /* GPI_LINE_WORDS */\n",
};
/* ---- End file kernels/hash_line.cl ---- */

/* ---- Begin file kernels/hash_device.cl ---- */
static const char *const gpi_kernel_hash_device[] = {
    "#line 1 \"kernels/hash_device.cl\"\n",
    "/* hash_device.cl - a hash table for kernels of your own (gp_device_source). Open the table's buffer, then:\n",
    "\n",
    "       gp_hash_table t = gp_hash_open(memory);            memory: __global uint *\n",
    "       gp_hash_value v;\n",
    "       if (gp_hash_find(t, key, &v)) ...\n",
    "       uint what = gp_hash_insert(t, key, v);             GP_HASH_INSERTED, _EXISTED, _FAILED, _REFUSED\n",
    "       uint what = gp_hash_erase(t, key);                 GP_HASH_ERASED, _ABSENT\n",
    "\n",
    "   All of these are safe against one another and against the library's own operations on the table. A set's\n",
    "   keys are inserted with the value 0. Each call that changes the table also counts, in its header. */\n",
    "\n",
    "static uint gpi_hash_counted(gp_hash_table t, uint what)\n",
    "{\n",
    "    if (what & GPI_CLAIMED) gpi_hash_count(t, GPI_COUNT_CLAIMED, 1);\n",
    "    what &= GPI_CLAIMED - 1;\n",
    "    if (what != GP_HASH_ABSENT) gpi_hash_count(t, what, 1);\n",
    "    return what;\n",
    "}\n",
    "\n",
    "/* True, and the key's value, when it is there. */\n",
    "static bool gp_hash_find(gp_hash_table t, gp_hash_key key, gp_hash_value *value)\n",
    "{\n",
    "    return gpi_hash_get(t, gpi_hash_home(t, key), key, value);\n",
    "}\n",
    "\n",
    "/* Keeps the value of a key that is there. */\n",
    "static uint gp_hash_insert(gp_hash_table t, gp_hash_key key, gp_hash_value value)\n",
    "{\n",
    "    return gpi_hash_counted(t, gpi_hash_put(t, gpi_hash_home(t, key), key, value, GPI_KEEP));\n",
    "}\n",
    "\n",
    "static uint gp_hash_assign(gp_hash_table t, gp_hash_key key, gp_hash_value value)\n",
    "{\n",
    "    return gpi_hash_counted(t, gpi_hash_put(t, gpi_hash_home(t, key), key, value, GPI_ASSIGN));\n",
    "}\n",
    "\n",
    "/* Unsigned, of the table's width; the key's first value where it is absent. */\n",
    "static uint gp_hash_add(gp_hash_table t, gp_hash_key key, gp_hash_value value)\n",
    "{\n",
    "    return gpi_hash_counted(t, gpi_hash_put(t, gpi_hash_home(t, key), key, value, GPI_VALUE_WIDTH | GPI_ADD));\n",
    "}\n",
    "\n",
    "static uint gp_hash_min(gp_hash_table t, gp_hash_key key, gp_hash_value value)\n",
    "{\n",
    "    return gpi_hash_counted(t,\n",
    "                            gpi_hash_put(t, gpi_hash_home(t, key), key, value, GPI_VALUE_WIDTH | GPI_MIN_U));\n",
    "}\n",
    "\n",
    "static uint gp_hash_max(gp_hash_table t, gp_hash_key key, gp_hash_value value)\n",
    "{\n",
    "    return gpi_hash_counted(t,\n",
    "                            gpi_hash_put(t, gpi_hash_home(t, key), key, value, GPI_VALUE_WIDTH | GPI_MAX_U));\n",
    "}\n",
    "\n",
    "static uint gp_hash_erase(gp_hash_table t, gp_hash_key key)\n",
    "{\n",
    "    return gpi_hash_counted(t, gpi_hash_remove(t, gpi_hash_home(t, key), key));\n",
    "}\n",
};
/* ---- End file kernels/hash_device.cl ---- */

/* ---- Begin file kernels/hash_batch.cl ---- */
static const char *const gpi_kernel_hash_batch[] = {
    "#line 1 \"kernels/hash_batch.cl\"\n",
    "/* hash_batch.cl - batches of keys: put (insert, assign, apply), find, erase.\n",
    "\n",
    "   Group g takes the keys [g * span, (g + 1) * span). In the serial shape GPI_BATCH keys at a time: while the\n",
    "   lines of the next two batches' homes are fetched, these keys go one after another to lines that have come.\n",
    "   In the local shape one key an item, neighbours next to each other.\n",
    "\n",
    "       keys 0 ... 7     homes, fetch |              | put, find or erase\n",
    "       keys 8 ... 15                 | homes, fetch |                    | put, find or erase\n",
    "       keys 16 ... 23                               | homes, fetch       |                    | put ...\n",
    "\n",
    "   What came of the keys is counted by the item, added up in the group, and then added to the table's header.\n",
    "\n",
    "   Parameters\n",
    "       GPI_SHAPE_SERIAL   1: one item a group\n",
    "       GPI_BATCH          keys whose lines are fetched together: serial 8, else 1                      */\n",
    "#if GPI_SHAPE_SERIAL && GPI_WG != 1\n",
    "#error \"the serial shape has one item a group\"\n",
    "#endif\n",
    "#if GPI_SHAPE_SERIAL\n",
    "#define GPI_BATCH 8\n",
    "#else\n",
    "#define GPI_BATCH 1\n",
    "#endif\n",
    "\n",
    "#if GPI_LINE_WORDS\n",
    "#define GPI_PUT gpi_line_put\n",
    "#define GPI_GET gpi_line_get\n",
    "#define GPI_REMOVE gpi_line_remove\n",
    "#else\n",
    "#define GPI_PUT gpi_hash_put\n",
    "#define GPI_GET gpi_hash_get\n",
    "#define GPI_REMOVE gpi_hash_remove\n",
    "#endif\n",
    "\n",
    "/* ------------------------------------------------------------------ elements of a batch */\n",
    "\n",
    "/* Widths: which of the caller's arrays have elements of 8 bytes. */\n",
    "#define GPI_WIDE_KEYS 1u\n",
    "#define GPI_WIDE_VALUES 2u\n",
    "\n",
    "GPI_INLINE gp_hash_key gpi_element_read(__global const uint *p, ulong i, bool wide)\n",
    "{\n",
    "#if GPI_WIDE && !GPI_HASH_PACKED\n",
    "    if (wide) return ((__global const ulong *)p)[i];\n",
    "#endif\n",
    "    (void)wide;\n",
    "    return p[i];\n",
    "}\n",
    "\n",
    "GPI_INLINE void gpi_element_write(__global uint *p, ulong i, gp_hash_key x, bool wide)\n",
    "{\n",
    "#if GPI_WIDE && !GPI_HASH_PACKED\n",
    "    if (wide) {\n",
    "        ((__global ulong *)p)[i] = x;\n",
    "        return;\n",
    "    }\n",
    "#endif\n",
    "    (void)wide;\n",
    "    p[i] = (uint)x;\n",
    "}\n",
    "\n",
    "/* How a batch's kernel begins: the table, and the group's keys [begin, end) of those that are wanted. */\n",
    "#define GPI_RUN_PARAMETERS ulong span, GPI_COUNT_PARAMETERS, volatile __global uint *counters\n",
    "#define GPI_RUN_OPEN(is_checked)                                                         \\\n",
    "    const gp_hash_table t = gp_hash_open(memory);                                        \\\n",
    "    const bool wide = (widths & GPI_WIDE_KEYS) != 0;                                     \\\n",
    "    ulong begin, end;                                                                    \\\n",
    "    keys += keys_at << (wide ? 1 : 0);                                                   \\\n",
    "    gpi_span(gpi_count(bound, wanted, wanted_offset, wanted_words), span, &begin, &end); \\\n",
    "    GPI_COUNT_CHECK(get_group_id(0) == 0 && !(is_checked), counters)\n",
    "\n",
    "#define GPI_STEP (GPI_WG * GPI_BATCH)\n",
    "\n",
    "/* Keys, and where their probes begin. */\n",
    "typedef struct gpi_batch {\n",
    "    gp_hash_key key[GPI_BATCH];\n",
    "    uint home[GPI_BATCH];\n",
    "} gpi_batch;\n",
    "\n",
    "/* The batch at hand, and those whose lines are being fetched. */\n",
    "typedef struct gpi_ahead {\n",
    "    gpi_batch now, next, later;\n",
    "} gpi_ahead;\n",
    "\n",
    "/* Keys [base, end), or as many as there is room for. */\n",
    "GPI_INLINE void gpi_batch_read(gp_hash_table t, __global const uint *keys, ulong base, ulong end, bool wide,\n",
    "                               gpi_batch *batch)\n",
    "{\n",
    "    if (base + GPI_BATCH <= end) { /* in vectors */\n",
    "        for (uint k = 0; k < GPI_BATCH; k++) batch->key[k] = gpi_element_read(keys, base + k, wide);\n",
    "        for (uint k = 0; k < GPI_BATCH; k++) batch->home[k] = gpi_hash_home(t, batch->key[k]);\n",
    "    } else {\n",
    "        for (uint k = 0; base + k < end; k++) {\n",
    "            batch->key[k] = gpi_element_read(keys, base + k, wide);\n",
    "            batch->home[k] = gpi_hash_home(t, batch->key[k]);\n",
    "        }\n",
    "    }\n",
    "    for (uint k = 0; k < GPI_BATCH && base + k < end; k++) GPI_PREFETCH_READ(gpi_slot(t, batch->home[k]));\n",
    "}\n",
    "\n",
    "GPI_INLINE void gpi_ahead_open(gp_hash_table t, __global const uint *keys, ulong base, ulong end, bool wide,\n",
    "                               gpi_ahead *ahead)\n",
    "{\n",
    "    gpi_batch_read(t, keys, base, end, wide, &ahead->next);\n",
    "    gpi_batch_read(t, keys, base + GPI_STEP, end, wide, &ahead->later);\n",
    "}\n",
    "\n",
    "/* On to the batch at `base`: how many keys it has. */\n",
    "GPI_INLINE uint gpi_ahead_step(gp_hash_table t, __global const uint *keys, ulong base, ulong end, bool wide,\n",
    "                               gpi_ahead *ahead)\n",
    "{\n",
    "    ahead->now = ahead->next;\n",
    "    ahead->next = ahead->later;\n",
    "    gpi_batch_read(t, keys, base + 2 * GPI_STEP, end, wide, &ahead->later);\n",
    "    return (uint)min((ulong)GPI_BATCH, end - base);\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ counts */\n",
    "\n",
    "#if GPI_SHAPE_SERIAL\n",
    "typedef uint gpi_tally[32];\n",
    "#define GPI_TALLY(name) \\\n",
    "    gpi_tally name;     \\\n",
    "    for (uint k_ = 0; k_ < 32; k_++) name[k_] = 0\n",
    "#define GPI_TALLY_ADD(name, what) name[what]++\n",
    "\n",
    "/* Claimed slots are counted with what came of their keys, 16 places further on. */\n",
    "static void gpi_tally_flush(uint *tally, gp_hash_table t)\n",
    "{\n",
    "    uint claimed = 0;\n",
    "    for (uint k = 1; k < GPI_CLAIMED; k++) {\n",
    "        const uint x = tally[k] + tally[GPI_CLAIMED + k];\n",
    "        claimed += tally[GPI_CLAIMED + k];\n",
    "        if (x && k != GP_HASH_ABSENT) gpi_hash_count(t, k, x);\n",
    "    }\n",
    "    if (claimed) gpi_hash_count(t, GPI_COUNT_CLAIMED, claimed);\n",
    "}\n",
    "#define GPI_TALLY_FLUSH(name, t) gpi_tally_flush(name, t)\n",
    "#else\n",
    "#define GPI_TALLY(name)                                                \\\n",
    "    __local uint name[8];                                              \\\n",
    "    if (get_local_id(0) < 8 && GPI_WG >= 8) name[get_local_id(0)] = 0; \\\n",
    "    if (get_local_id(0) == 0 && GPI_WG < 8) {                          \\\n",
    "        for (uint k_ = 0; k_ < 8; k_++) name[k_] = 0;                  \\\n",
    "    }                                                                  \\\n",
    "    barrier(CLK_LOCAL_MEM_FENCE) /* the counts are zero */\n",
    "#define GPI_TALLY_ADD(name, what) gpi_tally_add(name, what)\n",
    "\n",
    "static void gpi_tally_add(__local uint *tally, uint what)\n",
    "{\n",
    "    if (what & GPI_CLAIMED) (void)atomic_inc(tally);\n",
    "    (void)atomic_inc(tally + (what & 7u));\n",
    "}\n",
    "\n",
    "static void gpi_tally_flush(__local uint *tally, gp_hash_table t)\n",
    "{\n",
    "    barrier(CLK_LOCAL_MEM_FENCE); /* all items have counted */\n",
    "    for (uint k = (uint)get_local_id(0); k < 8; k += GPI_WG) {\n",
    "        if (tally[k] && k != GP_HASH_ABSENT) gpi_hash_count(t, k, tally[k]);\n",
    "    }\n",
    "}\n",
    "#define GPI_TALLY_FLUSH(name, t) gpi_tally_flush(name, t)\n",
    "#endif\n",
    "\n",
    "/* ------------------------------------------------------------------ put */\n",
    "\n",
    "/* Where the values of a batch come from. */\n",
    "#define GPI_SOURCE_BUFFER 0\n",
    "#define GPI_SOURCE_ONE 1   /* the same for all keys */\n",
    "#define GPI_SOURCE_INDEX 2 /* the key's index in the batch */\n",
    "\n",
    "/* What else is wanted of a batch. */\n",
    "#define GPI_WANTS_RESULTS 1u\n",
    "#define GPI_WANTS_FAILED 2u\n",
    "#define GPI_WANTS_FAILED_VALUES 4u\n",
    "#define GPI_IS_JUDGED 8u   /* `judge` is a table of the index that stands for each key */\n",
    "#define GPI_IS_CHECKED 16u /* an earlier launch of the call has looked whether too many keys were wanted */\n",
    "\n",
    "/* Table, batch, and what is done with it. */\n",
    "#define GPI_PUT_PARAMETERS                                                                        \\\n",
    "    __global uint *memory, __global const uint *keys, ulong keys_at, __global const uint *values, \\\n",
    "        ulong values_at, uint source, ulong operand, uint change, uint widths, uint wants\n",
    "\n",
    "typedef struct gpi_failed {\n",
    "    __global uint *keys, *values;\n",
    "    volatile __global uint *count;\n",
    "} gpi_failed;\n",
    "\n",
    "/* Appends a pair that found no slot. */\n",
    "static void gpi_failed_add(gpi_failed failed, gp_hash_key key, gp_hash_value value, uint wants, uint widths)\n",
    "{\n",
    "    const uint at = atomic_inc(failed.count);\n",
    "    gpi_element_write(failed.keys, at, key, (widths & GPI_WIDE_KEYS) != 0);\n",
    "    if (wants & GPI_WANTS_FAILED_VALUES)\n",
    "        gpi_element_write(failed.values, at, value, (widths & GPI_WIDE_VALUES) != 0);\n",
    "}\n",
    "\n",
    "static gp_hash_value gpi_value_of(__global const uint *values, ulong i, uint source, ulong operand,\n",
    "                                  uint widths)\n",
    "{\n",
    "    if (source == GPI_SOURCE_BUFFER) return gpi_element_read(values, i, (widths & GPI_WIDE_VALUES) != 0);\n",
    "    return (gp_hash_value)(source == GPI_SOURCE_INDEX ? i : operand);\n",
    "}\n",
    "\n",
    "/* False when another of the batch's equal keys stands for this one. A key that the judging table had no room\n",
    "   for stands for itself. */\n",
    "static bool gpi_is_chosen(gp_hash_table judge, gp_hash_key key, ulong i)\n",
    "{\n",
    "    gp_hash_value chosen;\n",
    "    return !GPI_GET(judge, gpi_hash_home(judge, key), key, &chosen) || chosen == (gp_hash_value)i;\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_hash_put_keys(GPI_PUT_PARAMETERS, __global uint *judge_memory, __global uchar *results,\n",
    "                                 ulong results_at, __global uint *failed_keys, ulong failed_keys_at,\n",
    "                                 __global uint *failed_values, ulong failed_values_at,\n",
    "                                 volatile __global uint *failed_count, ulong failed_count_at,\n",
    "                                 GPI_RUN_PARAMETERS)\n",
    "{\n",
    "    const gp_hash_table judge = gp_hash_open(judge_memory);\n",
    "    gpi_ahead ahead;\n",
    "    gpi_failed failed;\n",
    "    GPI_RUN_OPEN((wants & GPI_IS_CHECKED) != 0);\n",
    "    failed.keys = failed_keys + (failed_keys_at << (wide ? 1 : 0));\n",
    "    failed.values = failed_values + (failed_values_at << (widths & GPI_WIDE_VALUES ? 1 : 0));\n",
    "    failed.count = failed_count + failed_count_at;\n",
    "    values += values_at << (widths & GPI_WIDE_VALUES ? 1 : 0);\n",
    "    GPI_TALLY(tally);\n",
    "    gpi_ahead_open(t, keys, begin + get_local_id(0), end, wide, &ahead);\n",
    "    for (ulong base = begin + get_local_id(0); base < end; base += GPI_STEP) {\n",
    "        const uint n = gpi_ahead_step(t, keys, base, end, wide, &ahead);\n",
    "        for (uint k = 0; k < n; k++) {\n",
    "            const gp_hash_value value = gpi_value_of(values, base + k, source, operand, widths);\n",
    "            uint what = GP_HASH_SUPERSEDED;\n",
    "            if (!(wants & GPI_IS_JUDGED) || gpi_is_chosen(judge, ahead.now.key[k], base + k))\n",
    "                what = GPI_PUT(t, ahead.now.home[k], ahead.now.key[k], value, change);\n",
    "            GPI_TALLY_ADD(tally, what);\n",
    "            if (wants & GPI_WANTS_RESULTS) results[results_at + base + k] = (uchar)(what & (GPI_CLAIMED - 1));\n",
    "            if ((wants & GPI_WANTS_FAILED) && (what & (GPI_CLAIMED - 1)) == GP_HASH_FAILED)\n",
    "                gpi_failed_add(failed, ahead.now.key[k], value, wants, widths);\n",
    "        }\n",
    "    }\n",
    "    GPI_TALLY_FLUSH(tally, t);\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ find, erase */\n",
    "\n",
    "#define GPI_WANTS_VALUES 1u\n",
    "#define GPI_WANTS_FOUND 2u\n",
    "\n",
    "GPI_KERNEL void gp_hash_find_keys(__global uint *memory, __global const uint *keys, ulong keys_at,\n",
    "                                  __global uint *values, ulong values_at, __global uchar *found,\n",
    "                                  ulong found_at, ulong absent, uint widths, uint wants, GPI_RUN_PARAMETERS)\n",
    "{\n",
    "    gpi_ahead ahead;\n",
    "    GPI_RUN_OPEN(false);\n",
    "    values += values_at << (widths & GPI_WIDE_VALUES ? 1 : 0);\n",
    "    gpi_ahead_open(t, keys, begin + get_local_id(0), end, wide, &ahead);\n",
    "    for (ulong base = begin + get_local_id(0); base < end; base += GPI_STEP) {\n",
    "        const uint n = gpi_ahead_step(t, keys, base, end, wide, &ahead);\n",
    "        for (uint k = 0; k < n; k++) {\n",
    "            gp_hash_value value;\n",
    "            const bool is = GPI_GET(t, ahead.now.home[k], ahead.now.key[k], &value);\n",
    "            if (!is) value = (gp_hash_value)absent;\n",
    "            if (wants & GPI_WANTS_VALUES)\n",
    "                gpi_element_write(values, base + k, value, (widths & GPI_WIDE_VALUES) != 0);\n",
    "            if (wants & GPI_WANTS_FOUND) found[found_at + base + k] = is;\n",
    "        }\n",
    "    }\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_hash_erase_keys(__global uint *memory, __global const uint *keys, ulong keys_at,\n",
    "                                   __global uchar *results, ulong results_at, uint widths, uint wants,\n",
    "                                   GPI_RUN_PARAMETERS)\n",
    "{\n",
    "    gpi_ahead ahead;\n",
    "    GPI_RUN_OPEN(false);\n",
    "    GPI_TALLY(tally);\n",
    "    gpi_ahead_open(t, keys, begin + get_local_id(0), end, wide, &ahead);\n",
    "    for (ulong base = begin + get_local_id(0); base < end; base += GPI_STEP) {\n",
    "        const uint n = gpi_ahead_step(t, keys, base, end, wide, &ahead);\n",
    "        for (uint k = 0; k < n; k++) {\n",
    "            const uint what = GPI_REMOVE(t, ahead.now.home[k], ahead.now.key[k]);\n",
    "            GPI_TALLY_ADD(tally, what);\n",
    "            if (wants & GPI_WANTS_RESULTS) results[results_at + base + k] = (uchar)what;\n",
    "        }\n",
    "    }\n",
    "    GPI_TALLY_FLUSH(tally, t);\n",
    "}\n",
};
/* ---- End file kernels/hash_batch.cl ---- */

/* ---- Begin file kernels/hash_combine.cl ---- */
static const char *const gpi_kernel_hash_combine[] = {
    "#line 1 \"kernels/hash_combine.cl\"\n",
    "/* hash_combine.cl - insert_or_apply, in which a group combines equal keys of its own before it goes to the\n",
    "   table: with few different keys, most of the work stays in the group.\n",
    "\n",
    "       group's keys    a b a a c b ...\n",
    "       cells           | a: v0 op v2 op v3, 3 keys | b: v1 op v5, 2 | c: v4, 1 | ...      by home modulo their\n",
    "   number table           a <- a op (v0 op v2 op v3), ...\n",
    "\n",
    "   serial   a key that finds another one in its cell sends that to the table and takes its place. When fewer\n",
    "   than half of the first keys have found themselves, the group's other keys go straight. local    a cell\n",
    "   belongs to the first key that takes it; keys that find another one go straight.\n",
    "\n",
    "   What came of a combined cell came of all its keys, but that only one can have been inserted. A sum that is\n",
    "   the reserved value never stands in a cell.\n",
    "\n",
    "   Parameters\n",
    "       GPI_CELLS   of a group; a power of two                                                            */\n",
    "#ifndef GPI_CELLS\n",
    "#define GPI_CELLS 256\n",
    "#endif\n",
    "#if GPI_CELLS < 1 || (GPI_CELLS & (GPI_CELLS - 1))\n",
    "#error \"GPI_CELLS must be a power of two\"\n",
    "#endif\n",
    "\n",
    "#if GPI_SHAPE_SERIAL\n",
    "#define GPI_TRIAL 1024 /* keys after which a group decides whether combining pays */\n",
    "\n",
    "typedef struct gpi_cells {\n",
    "    gp_hash_key key[GPI_CELLS];\n",
    "    gp_hash_value value[GPI_CELLS];\n",
    "    uint count[GPI_CELLS]; /* 0: the cell is free */\n",
    "} gpi_cells;\n",
    "\n",
    "/* What came of `count` keys that went as one. */\n",
    "static void gpi_tally_cell(uint *tally, uint what, uint count)\n",
    "{\n",
    "    tally[what]++;\n",
    "    tally[(what & (GPI_CLAIMED - 1)) == GP_HASH_INSERTED ? GP_HASH_EXISTED : what & (GPI_CLAIMED - 1)] +=\n",
    "        count - 1;\n",
    "}\n",
    "\n",
    "static void gpi_cell_flush(gp_hash_table t, gpi_cells *cells, uint cell, uint change, uint *tally)\n",
    "{\n",
    "    const gp_hash_key key = cells->key[cell];\n",
    "    if (cells->count[cell] == 0) return;\n",
    "    gpi_tally_cell(tally, GPI_PUT(t, gpi_hash_home(t, key), key, cells->value[cell], change),\n",
    "                   cells->count[cell]);\n",
    "    cells->count[cell] = 0;\n",
    "}\n",
    "\n",
    "/* True when the key was in its cell already. */\n",
    "static bool gpi_cell_add(gp_hash_table t, gpi_cells *cells, uint home, gp_hash_key key, gp_hash_value value,\n",
    "                         uint change, uint *tally)\n",
    "{\n",
    "    const uint cell = home % GPI_CELLS;\n",
    "    if (value == t.reserved) {\n",
    "        tally[GP_HASH_REFUSED]++;\n",
    "        return false;\n",
    "    }\n",
    "    if (cells->count[cell] && cells->key[cell] == key) {\n",
    "        const gp_hash_value sum = gpi_change(change, cells->value[cell], value);\n",
    "        if (sum != t.reserved) {\n",
    "            cells->value[cell] = sum;\n",
    "            cells->count[cell]++;\n",
    "            return true;\n",
    "        }\n",
    "    }\n",
    "    gpi_cell_flush(t, cells, cell, change, tally);\n",
    "    cells->key[cell] = key;\n",
    "    cells->value[cell] = value;\n",
    "    cells->count[cell] = 1;\n",
    "    return false;\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_hash_combine_keys(GPI_PUT_PARAMETERS, GPI_RUN_PARAMETERS)\n",
    "{\n",
    "    gpi_cells cells;\n",
    "    gpi_ahead ahead;\n",
    "    uint found = 0;\n",
    "    bool combines = true;\n",
    "    GPI_RUN_OPEN((wants & GPI_IS_CHECKED) != 0);\n",
    "    values += values_at << (widths & GPI_WIDE_VALUES ? 1 : 0);\n",
    "    GPI_TALLY(tally);\n",
    "    for (uint c = 0; c < GPI_CELLS; c++) cells.count[c] = 0;\n",
    "    gpi_ahead_open(t, keys, begin, end, wide, &ahead);\n",
    "    for (ulong base = begin; base < end; base += GPI_STEP) {\n",
    "        const uint n = gpi_ahead_step(t, keys, base, end, wide, &ahead);\n",
    "        for (uint k = 0; k < n; k++) {\n",
    "            const gp_hash_value value = gpi_value_of(values, base + k, source, operand, widths);\n",
    "            if (combines)\n",
    "                found += gpi_cell_add(t, &cells, ahead.now.home[k], ahead.now.key[k], value, change, tally);\n",
    "            else GPI_TALLY_ADD(tally, GPI_PUT(t, ahead.now.home[k], ahead.now.key[k], value, change));\n",
    "        }\n",
    "        combines = combines && (base - begin < GPI_TRIAL || 2 * found >= base - begin);\n",
    "    }\n",
    "    for (uint c = 0; c < GPI_CELLS; c++) gpi_cell_flush(t, &cells, c, change, tally);\n",
    "    GPI_TALLY_FLUSH(tally, t);\n",
    "}\n",
    "\n",
    "#else\n",
    "typedef volatile __local gp_hash_key *gpi_local_word; /* keys and values are of one width */\n",
    "\n",
    "/* The word before; both sides of every access are atomic, as in the table. */\n",
    "static gp_hash_key gpi_local_cas(gpi_local_word p, gp_hash_key old, gp_hash_key w)\n",
    "{\n",
    "#if GPI_WIDE && !GPI_HASH_PACKED\n",
    "    return atom_cmpxchg(p, old, w);\n",
    "#else\n",
    "    return atomic_cmpxchg(p, old, w);\n",
    "#endif\n",
    "}\n",
    "\n",
    "typedef struct gpi_cells {\n",
    "    gp_hash_key key[GPI_CELLS]; /* GPI_KEY_NONE: the cell is free */\n",
    "    gp_hash_value value[GPI_CELLS];\n",
    "    uint count[GPI_CELLS];\n",
    "} gpi_cells;\n",
    "\n",
    "/* False when the key has to go straight. */\n",
    "static bool gpi_cell_add(gp_hash_table t, __local gpi_cells *cells, uint home, gp_hash_key key,\n",
    "                         gp_hash_value value, uint change)\n",
    "{\n",
    "    const uint cell = home % GPI_CELLS;\n",
    "    if (value == t.reserved || key == GPI_KEY_NONE) return false;\n",
    "    const gp_hash_key owner = gpi_local_cas(&cells->key[cell], GPI_KEY_NONE, key);\n",
    "    if (owner != GPI_KEY_NONE && owner != key) return false;\n",
    "    gp_hash_value x = t.reserved;\n",
    "    for (;;) { /* ends: an exchange fails only because another item's succeeded */\n",
    "        const gp_hash_value sum = x == t.reserved ? value : gpi_change(change, x, value);\n",
    "        if (sum == t.reserved) return false;\n",
    "        const gp_hash_value old = gpi_local_cas(&cells->value[cell], x, sum);\n",
    "        if (old == x) break;\n",
    "        x = old;\n",
    "    }\n",
    "    (void)atomic_inc((volatile __local uint *)&cells->count[cell]);\n",
    "    return true;\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_hash_combine_keys(GPI_PUT_PARAMETERS, GPI_RUN_PARAMETERS)\n",
    "{\n",
    "    __local gpi_cells cells;\n",
    "    GPI_RUN_OPEN((wants & GPI_IS_CHECKED) != 0);\n",
    "    values += values_at << (widths & GPI_WIDE_VALUES ? 1 : 0);\n",
    "    for (uint c = (uint)get_local_id(0); c < GPI_CELLS; c += GPI_WG) {\n",
    "        cells.key[c] = GPI_KEY_NONE;\n",
    "        cells.value[c] = t.reserved;\n",
    "        cells.count[c] = 0;\n",
    "    }\n",
    "    GPI_TALLY(tally); /* its barrier: the cells are free */\n",
    "    for (ulong i = begin + get_local_id(0); i < end; i += GPI_WG) {\n",
    "        const gp_hash_key key = gpi_element_read(keys, i, wide);\n",
    "        const uint home = gpi_hash_home(t, key);\n",
    "        const gp_hash_value value = gpi_value_of(values, i, source, operand, widths);\n",
    "        if (!gpi_cell_add(t, &cells, home, key, value, change))\n",
    "            GPI_TALLY_ADD(tally, GPI_PUT(t, home, key, value, change));\n",
    "    }\n",
    "    barrier(CLK_LOCAL_MEM_FENCE); /* all keys are in their cells */\n",
    "    for (uint c = (uint)get_local_id(0); c < GPI_CELLS; c += GPI_WG) {\n",
    "        const gp_hash_key key = cells.key[c];\n",
    "        const uint count = cells.count[c];\n",
    "        if (count == 0) continue;\n",
    "        const uint what = GPI_PUT(t, gpi_hash_home(t, key), key, cells.value[c], change);\n",
    "        const uint came = what & (GPI_CLAIMED - 1);\n",
    "        GPI_TALLY_ADD(tally, what);\n",
    "        if (count > 1)\n",
    "            (void)atomic_add(tally + (came == GP_HASH_INSERTED ? GP_HASH_EXISTED : came), count - 1);\n",
    "    }\n",
    "    GPI_TALLY_FLUSH(tally, t);\n",
    "}\n",
    "#endif\n",
};
/* ---- End file kernels/hash_combine.cl ---- */

/* ---- Begin file kernels/hash_slots.cl ---- */
static const char *const gpi_kernel_hash_slots[] = {
    "#line 1 \"kernels/hash_slots.cl\"\n",
    "/* hash_slots.cl - passes over all slots of a table: clear, move into another one (rehash), collect the live\n",
    "   pairs, measure.\n",
    "\n",
    "   Group g takes the slots [g * span, (g + 1) * span) of the capacity + 1 there are. Clearing and moving are\n",
    "   exclusive: nobody else may use the table. */\n",
    "\n",
    "/* Writes the header and empties the slots. `carry`: counts are taken over from `from`; else they are zero. */\n",
    "GPI_KERNEL void gp_hash_clear_slots(__global uint *memory, __global const uint *from, uint carry, uint mask,\n",
    "                                    uint steps, uint turns, ulong seed, ulong reserved, ulong span)\n",
    "{\n",
    "    __global gpi_word *slots = (__global gpi_word *)(memory + GPI_HEADER);\n",
    "    ulong begin, end;\n",
    "    gpi_span((ulong)mask + 2, span, &begin, &end);\n",
    "    if (get_group_id(0) == 0 && get_local_id(0) == 0) {\n",
    "        for (uint i = 0; i < GPI_HEADER; i++) {\n",
    "            const uint count = (i - GPI_HEADER_COUNTS) / 2;\n",
    "            const bool kept = count >= GP_HASH_INSERTED && count <= GP_HASH_ABSENT;\n",
    "            memory[i] = carry && kept ? from[i] : 0;\n",
    "        }\n",
    "        memory[GPI_HEADER_MASK] = mask;\n",
    "        memory[GPI_HEADER_STEPS] = steps;\n",
    "        memory[GPI_HEADER_TURNS] = turns;\n",
    "        memory[GPI_HEADER_SEED] = (uint)seed;\n",
    "        memory[GPI_HEADER_SEED + 1] = (uint)(seed >> 32);\n",
    "        memory[GPI_HEADER_RESERVED] = (uint)reserved;\n",
    "        memory[GPI_HEADER_RESERVED + 1] = (uint)(reserved >> 32);\n",
    "    }\n",
    "    for (ulong i = begin + get_local_id(0); i < end; i += GPI_WG) {\n",
    "#if GPI_HASH_PACKED\n",
    "        slots[i] = GPI_PAIR(GPI_KEY_NONE, reserved);\n",
    "#else\n",
    "        slots[2 * i] = GPI_KEY_NONE;\n",
    "        slots[2 * i + 1] = (gpi_word)reserved;\n",
    "#endif\n",
    "    }\n",
    "}\n",
    "\n",
    "/* Every live pair of the table `from` into the table `memory`. */\n",
    "GPI_KERNEL void gp_hash_move_slots(__global uint *memory, __global uint *from, ulong span)\n",
    "{\n",
    "    const gp_hash_table t = gp_hash_open(memory), old = gp_hash_open(from);\n",
    "    uint claimed = 0, lost = 0;\n",
    "    ulong begin, end;\n",
    "    gpi_span((ulong)old.mask + 2, span, &begin, &end);\n",
    "    for (ulong i = begin + get_local_id(0); i < end; i += GPI_WG) {\n",
    "        gp_hash_key key;\n",
    "        gp_hash_value value;\n",
    "        if (!gpi_slot_read(old, (uint)i, &key, &value)) continue;\n",
    "        const uint what = gpi_hash_put(t, gpi_hash_home(t, key), key, value, GPI_KEEP);\n",
    "        claimed += what / GPI_CLAIMED;\n",
    "        lost += (what & (GPI_CLAIMED - 1)) == GP_HASH_FAILED;\n",
    "    }\n",
    "    if (claimed) gpi_hash_count(t, GPI_COUNT_CLAIMED, claimed);\n",
    "    if (lost) gpi_hash_count(t, GPI_COUNT_LOST, lost);\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ collect */\n",
    "\n",
    "/* Room in the output for this item's `mine` pairs. */\n",
    "#if GPI_SHAPE_SERIAL\n",
    "#define GPI_PLACE(name)\n",
    "#define GPI_PLACE_FOR(name, mine, total) atomic_add(total, mine)\n",
    "#else\n",
    "#define GPI_PLACE(name) __local uint name[2]\n",
    "#define GPI_PLACE_FOR(name, mine, total) gpi_place_for(name, mine, total)\n",
    "\n",
    "/* The group's items share one addition to the total. */\n",
    "static uint gpi_place_for(__local uint *place, uint mine, volatile __global uint *total)\n",
    "{\n",
    "    uint at;\n",
    "    if (get_local_id(0) == 0) place[0] = 0;\n",
    "    barrier(CLK_LOCAL_MEM_FENCE); /* the sum is zero */\n",
    "    at = atomic_add(&place[0], mine);\n",
    "    barrier(CLK_LOCAL_MEM_FENCE); /* all have added */\n",
    "    if (get_local_id(0) == 0) place[1] = atomic_add(total, place[0]);\n",
    "    barrier(CLK_LOCAL_MEM_FENCE); /* the group's place is known */\n",
    "    return place[1] + at;\n",
    "}\n",
    "#endif\n",
    "\n",
    "/* Live pairs to the output, in any order, at most `room`; *total counts all of them. A group reads its slots\n",
    "   twice; a pair that came between the two readings goes beyond the item's place, and is left out, and a place\n",
    "   whose pair went stays as it is: the caller keeps changes away. */\n",
    "GPI_KERNEL void gp_hash_collect_slots(__global uint *memory, __global uint *keys, ulong keys_at,\n",
    "                                      __global uint *values, ulong values_at, volatile __global uint *total,\n",
    "                                      ulong total_at, ulong room, uint widths, uint wants, ulong span)\n",
    "{\n",
    "    const gp_hash_table t = gp_hash_open(memory);\n",
    "    gp_hash_key key;\n",
    "    gp_hash_value value;\n",
    "    ulong begin, end;\n",
    "    uint mine = 0;\n",
    "    GPI_PLACE(place);\n",
    "    gpi_span((ulong)t.mask + 2, span, &begin, &end);\n",
    "    for (ulong i = begin + get_local_id(0); i < end; i += GPI_WG)\n",
    "        mine += gpi_slot_read(t, (uint)i, &key, &value);\n",
    "    uint at = GPI_PLACE_FOR(place, mine, total + total_at);\n",
    "    for (ulong i = begin + get_local_id(0); i < end && mine > 0; i += GPI_WG) {\n",
    "        if (!gpi_slot_read(t, (uint)i, &key, &value)) continue;\n",
    "        if (at < room) gpi_element_write(keys, keys_at + at, key, (widths & GPI_WIDE_KEYS) != 0);\n",
    "        if (at < room && (wants & GPI_WANTS_VALUES))\n",
    "            gpi_element_write(values, values_at + at, value, (widths & GPI_WIDE_VALUES) != 0);\n",
    "        at++;\n",
    "        mine--;\n",
    "    }\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ measure */\n",
    "\n",
    "/* Statistics, in uints: counts of 64 bits, then the maximum. Bin b of the histogram has the probe depths of\n",
    "   bit length b: 0, 1, 2-3, 4-7, ... */\n",
    "#define GPI_STATS_LIVE 0\n",
    "#define GPI_STATS_DEAD 2\n",
    "#define GPI_STATS_DEPTHS 4\n",
    "#define GPI_STATS_MAX 6\n",
    "#define GPI_STATS_BINS 8\n",
    "#define GPI_BINS 32\n",
    "\n",
    "/* (slot - home) & mask of every live key. The key of all ones has no home, and depth 0. */\n",
    "GPI_KERNEL void gp_hash_measure_slots(__global uint *memory, volatile __global uint *stats, ulong span)\n",
    "{\n",
    "    const gp_hash_table t = gp_hash_open(memory);\n",
    "    uint bins[GPI_BINS];\n",
    "    uint live = 0, dead = 0, deepest = 0;\n",
    "    ulong depths = 0, begin, end;\n",
    "    for (uint b = 0; b < GPI_BINS; b++) bins[b] = 0;\n",
    "    gpi_span((ulong)t.mask + 2, span, &begin, &end);\n",
    "    for (ulong i = begin + get_local_id(0); i < end; i += GPI_WG) {\n",
    "        gp_hash_key key;\n",
    "        gp_hash_value value;\n",
    "        const bool is = gpi_slot_read(t, (uint)i, &key, &value);\n",
    "        dead += !is && key != GPI_KEY_NONE;\n",
    "        if (!is) continue;\n",
    "        const uint depth = i > t.mask ? 0 : ((uint)i - gpi_hash_home(t, key)) & t.mask;\n",
    "        live++;\n",
    "        depths += depth;\n",
    "        deepest = max(deepest, depth);\n",
    "        bins[32 - clz(depth)]++;\n",
    "    }\n",
    "    if (live) gpi_add_wide(stats + GPI_STATS_LIVE, live);\n",
    "    if (dead) gpi_add_wide(stats + GPI_STATS_DEAD, dead);\n",
    "    if (depths & 0xffffffffu) gpi_add_wide(stats + GPI_STATS_DEPTHS, (uint)depths);\n",
    "    if (depths >> 32) (void)atomic_add(stats + GPI_STATS_DEPTHS + 1, (uint)(depths >> 32));\n",
    "    if (deepest) (void)atomic_max(stats + GPI_STATS_MAX, deepest);\n",
    "    for (uint b = 0; b < GPI_BINS; b++) {\n",
    "        if (bins[b]) gpi_add_wide(stats + GPI_STATS_BINS + 2 * b, bins[b]);\n",
    "    }\n",
    "}\n",
};
/* ---- End file kernels/hash_slots.cl ---- */

/* ---- Begin file kernels/hash_each.cl ---- */
static const char *const gpi_kernel_hash_each[] = {
    "#line 1 \"kernels/hash_each.cl\"\n",
    "/* hash_each.cl - the caller's expressions on every live pair of a table:\n",
    "\n",
    "       where GPI_WHERE(k, v):   v <- GPI_MAP(k, v), or the key is erased\n",
    "\n",
    "   A value is replaced by compare-and-swap from the one that the expressions saw, and they are asked again\n",
    "   when it has changed meanwhile: safe beside other operations.\n",
    "\n",
    "   Before this file, the prelude has the caller's expressions in functions:\n",
    "       GPI_EACH_KEY, GPI_EACH_VALUE                  types of k and v\n",
    "       int gpi_each_where(k, v), GPI_EACH_VALUE gpi_each_map(k, v)\n",
    "\n",
    "   Parameters\n",
    "       GPI_EACH_KEY_OF(bits), GPI_EACH_VALUE_OF(bits)  k and v from a slot's bits\n",
    "       GPI_EACH_BITS(x)                                a value's bits\n",
    "       GPI_EACH_ERASE                                  1: erase instead of mapping                     */\n",
    "#if !defined(GPI_EACH_KEY) || !defined(GPI_EACH_VALUE) || !defined(GPI_EACH_ERASE)\n",
    "#error \"GPI_EACH_KEY, GPI_EACH_VALUE and GPI_EACH_ERASE must be defined\"\n",
    "#endif\n",
    "\n",
    "/* From `value` to `next`; false when it is no longer there. */\n",
    "static bool gpi_each_replace(gp_hash_table t, uint slot, gp_hash_key key, gp_hash_value value,\n",
    "                             gp_hash_value next)\n",
    "{\n",
    "#if GPI_HASH_PACKED\n",
    "    const ulong old = GPI_PAIR(key, value);\n",
    "    return gpi_word_cas(gpi_slot(t, slot), old, GPI_PAIR(key, next)) == old;\n",
    "#else\n",
    "    (void)key;\n",
    "    return gpi_word_cas(gpi_slot(t, slot) + 1, value, next) == value;\n",
    "#endif\n",
    "}\n",
    "\n",
    "/* What comes of one slot; 0: nothing. */\n",
    "static uint gpi_each_slot(gp_hash_table t, uint slot)\n",
    "{\n",
    "    gp_hash_key key;\n",
    "    gp_hash_value value;\n",
    "    for (uint turn = 0; turn < t.turns && gpi_slot_read(t, slot, &key, &value); turn++) {\n",
    "        const GPI_EACH_KEY k = GPI_EACH_KEY_OF(key);\n",
    "        const GPI_EACH_VALUE v = GPI_EACH_VALUE_OF(value);\n",
    "        if (!gpi_each_where(k, v)) return 0;\n",
    "#if GPI_EACH_ERASE\n",
    "        if (gpi_each_replace(t, slot, key, value, t.reserved)) return GP_HASH_ERASED;\n",
    "#else\n",
    "        const gp_hash_value next = GPI_EACH_BITS(gpi_each_map(k, v));\n",
    "        if (next == t.reserved) return GP_HASH_REFUSED;\n",
    "        if (gpi_each_replace(t, slot, key, value, next)) return GP_HASH_EXISTED;\n",
    "#endif\n",
    "    }\n",
    "    return 0;\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_hash_each_slot(__global uint *memory, ulong span)\n",
    "{\n",
    "    const gp_hash_table t = gp_hash_open(memory);\n",
    "    uint changed = 0, refused = 0;\n",
    "    ulong begin, end;\n",
    "    gpi_span((ulong)t.mask + 2, span, &begin, &end);\n",
    "    for (ulong i = begin + get_local_id(0); i < end; i += GPI_WG) {\n",
    "        const uint what = gpi_each_slot(t, (uint)i);\n",
    "        changed += what == GP_HASH_ERASED || what == GP_HASH_EXISTED;\n",
    "        refused += what == GP_HASH_REFUSED;\n",
    "    }\n",
    "    if (changed) gpi_hash_count(t, GPI_EACH_ERASE ? GP_HASH_ERASED : GP_HASH_EXISTED, changed);\n",
    "    if (refused) gpi_hash_count(t, GP_HASH_REFUSED, refused);\n",
    "}\n",
};
/* ---- End file kernels/hash_each.cl ---- */

/* ---- Begin file kernels/nest.cl ---- */
static const char *const gpi_kernel_nest[] = {
    "#line 1 \"kernels/nest.cl\"\n",
    "/* nest.cl - symbols, what a piece of the input does to the stack of open brackets, and the search in it.\n",
    "\n",
    "   Each symbol has a code: +k opens a bracket of kind k, -k closes one, 0 is something else. When the pairs\n",
    "   inside a piece of the input have cancelled, \")))((\" is left: it takes `pops` openers off the stack and puts\n",
    "   `pushes` of its own on it. Two neighbours make one (the bicyclic monoid):\n",
    "\n",
    "       (p1, s1) . (p2, s2) = (p1 + max(p2 - s1, 0), s2 + max(s1 - p2, 0))\n",
    "\n",
    "   Products are kept in a tree; leaf t is piece t, and node x has the children 2x and 2x + 1:\n",
    "\n",
    "       1                     root                      before(t):  product of all leaves before t\n",
    "       2          3                                    search(t, need):  which leaf holds the opener that is\n",
    "       4    5     6    7     leaves = 4                    `need` below the top of the stack before t\n",
    "\n",
    "   A search goes up to the left: a node that pushes more than `need` has the opener, any other one is passed\n",
    "   with need += pops - pushes. It takes 2 log2(leaves) steps at most, whatever the input: no chain of tiles\n",
    "   can make it longer. Items in a group and tiles in the grid are searched in the same way.\n",
    "   (Levien, The stack monoid, 2020, for the monoid; the tree in place of its back-links is ours.)\n",
    "\n",
    "   Parameters\n",
    "       GPI_SYMBOL       type of an input element\n",
    "       GPI_CODE(x, i)   its code\n",
    "       GPI_SIGN(x, i)   the code's sign\n",
    "       GPI_OPENS(x, i)  serial: all bits where it opens, else none; from a table where there is one\n",
    "       GPI_INDEX_SIZE   4, 8: bytes of an index\n",
    "       GPI_KINDS        1: codes may be of several kinds, and pairs of two are to be counted\n",
    "       GPI_MATCH        1: partners are written\n",
    "       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1 (strands.cl, items.cl)\n",
    "       GPI_TILE         elements of a tile                                                              */\n",
    "#if !defined(GPI_SYMBOL) || !defined(GPI_KINDS) || !defined(GPI_MATCH)\n",
    "#error \"GPI_SYMBOL, GPI_KINDS and GPI_MATCH must be defined\"\n",
    "#endif\n",
    "#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1\n",
    "#error \"exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1\"\n",
    "#endif\n",
    "#if GPI_TILE < 1 || GPI_TILE > 65536\n",
    "#error \"GPI_TILE must be 1 ... 65536\"\n",
    "#endif\n",
    "\n",
    "#if GPI_INDEX_SIZE == 4\n",
    "typedef uint gpi_index;\n",
    "typedef uint16 gpi_aligned_row;\n",
    "typedef uint16 gpi_row __attribute__((aligned(4)));\n",
    "#elif GPI_INDEX_SIZE == 8\n",
    "typedef ulong gpi_index;\n",
    "typedef ulong16 gpi_aligned_row;\n",
    "typedef ulong16 gpi_row __attribute__((aligned(8)));\n",
    "#else\n",
    "#error \"GPI_INDEX_SIZE must be 4 or 8\"\n",
    "#endif\n",
    "\n",
    "#define GPI_NONE (~(gpi_index)0)\n",
    "\n",
    "/* ------------------------------------------------------------------ nodes */\n",
    "\n",
    "typedef struct gpi_node {\n",
    "    gpi_index pops, pushes;\n",
    "} gpi_node;\n",
    "\n",
    "static gpi_node gpi_node_make(gpi_index pops, gpi_index pushes)\n",
    "{\n",
    "    gpi_node node;\n",
    "    node.pops = pops;\n",
    "    node.pushes = pushes;\n",
    "    return node;\n",
    "}\n",
    "\n",
    "static gpi_index gpi_excess(gpi_index a, gpi_index b) { return a > b ? a - b : 0; }\n",
    "\n",
    "static gpi_node gpi_node_product(gpi_node a, gpi_node b)\n",
    "{\n",
    "    return gpi_node_make(a.pops + gpi_excess(b.pops, a.pushes), b.pushes + gpi_excess(a.pushes, b.pops));\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ trees */\n",
    "\n",
    "#define GPI_NOWHERE (~0u)\n",
    "\n",
    "/* An opener: `need` below the top of what leaf `leaf` pushes. Leaf GPI_NOWHERE: it comes before the tree. */\n",
    "typedef struct gpi_place {\n",
    "    uint leaf;\n",
    "    gpi_index need;\n",
    "} gpi_place;\n",
    "\n",
    "/* The functions on a tree, for trees in `space`. Nodes are named by their place in the heap. (No return\n",
    "   inside a loop: Mesa 22.3 lets such an item go on for another turn.) */\n",
    "#define GPI_DEFINE_TREE(name, space)                                                                         \\\n",
    "    static gpi_place gpi_##name##_descend(space const gpi_node *tree, uint leaves, uint x, gpi_index need)   \\\n",
    "    {                                                                                                        \\\n",
    "        gpi_place place;                                                                                     \\\n",
    "        while (x < leaves) {                                                                                 \\\n",
    "            const gpi_index pops = tree[2 * x + 1].pops, pushes = tree[2 * x + 1].pushes;                    \\\n",
    "            const bool right = pushes > need;                                                                \\\n",
    "            x = 2 * x + right;                                                                               \\\n",
    "            if (!right) need += pops - pushes;                                                               \\\n",
    "        }                                                                                                    \\\n",
    "        place.leaf = x - leaves;                                                                             \\\n",
    "        place.need = need;                                                                                   \\\n",
    "        return place;                                                                                        \\\n",
    "    }                                                                                                        \\\n",
    "    static gpi_place gpi_##name##_search(space const gpi_node *tree, uint leaves, uint leaf, gpi_index need) \\\n",
    "    {                                                                                                        \\\n",
    "        gpi_place nowhere;                                                                                   \\\n",
    "        uint x = leaves + leaf;                                                                              \\\n",
    "        bool found = false;                                                                                  \\\n",
    "        while (x > 1 && !found) {                                                                            \\\n",
    "            if (x & 1) {                                                                                     \\\n",
    "                const gpi_index pops = tree[x - 1].pops, pushes = tree[x - 1].pushes;                        \\\n",
    "                found = pushes > need;                                                                       \\\n",
    "                if (!found) need += pops - pushes;                                                           \\\n",
    "            }                                                                                                \\\n",
    "            if (!found) x >>= 1;                                                                             \\\n",
    "        }                                                                                                    \\\n",
    "        if (found) return gpi_##name##_descend(tree, leaves, x - 1, need);                                   \\\n",
    "        nowhere.leaf = GPI_NOWHERE;                                                                          \\\n",
    "        nowhere.need = need;                                                                                 \\\n",
    "        return nowhere;                                                                                      \\\n",
    "    }                                                                                                        \\\n",
    "    static gpi_node gpi_##name##_before(space const gpi_node *tree, uint leaves, uint leaf)                  \\\n",
    "    {                                                                                                        \\\n",
    "        gpi_node all = gpi_node_make(0, 0);                                                                  \\\n",
    "        for (uint x = leaves + leaf; x > 1; x >>= 1) {                                                       \\\n",
    "            if (x & 1) all = gpi_node_product(tree[x - 1], all);                                             \\\n",
    "        }                                                                                                    \\\n",
    "        return all;                                                                                          \\\n",
    "    }\n",
    "\n",
    "GPI_DEFINE_TREE(tiles, __global)\n",
    "\n",
    "/* ------------------------------------------------------------------ tiles, and what is kept of them */\n",
    "\n",
    "/* Scratch, in uints; the host computes where the parts begin:\n",
    "\n",
    "       | cells: one an element | notes: gpi_note a tile | tree: 2 * leaves gpi_node |\n",
    "\n",
    "   A tile's cells hold what is left of it: its openers from the first cell on, lowest in the stack first, and\n",
    "   its closers from the last cell back, first one first. A cell has the low 32 bits of an index. */\n",
    "#define GPI_SCRATCH_PARAMETERS __global uint *scratch, ulong notes_at, ulong tree_at, uint leaves\n",
    "\n",
    "/* What there is to tell of a tile besides its node. */\n",
    "typedef struct gpi_note {\n",
    "    uint mismatches; /* closers whose opener is of another kind */\n",
    "    uint first;      /* ... of them the first, counted from the tile's begin */\n",
    "    uint joined;     /* closers whose opener is in another tile */\n",
    "    uint searches;   /* ... and how often one had to be searched for */\n",
    "    uint rise;       /* how far the stack gets above its height before the tile; where errors are wanted */\n",
    "    uint unused[3];\n",
    "} gpi_note;\n",
    "\n",
    "static gpi_note gpi_note_make(void)\n",
    "{\n",
    "    gpi_note note = {0, ~0u, 0, 0, 0, {0, 0, 0}};\n",
    "    return note;\n",
    "}\n",
    "\n",
    "typedef struct gpi_nest {\n",
    "    __global uint *cells;\n",
    "    __global gpi_note *notes;\n",
    "    __global gpi_node *tree;\n",
    "    uint leaves;\n",
    "    ulong n;\n",
    "} gpi_nest;\n",
    "\n",
    "static gpi_nest gpi_nest_make(__global uint *scratch, ulong notes_at, ulong tree_at, uint leaves, ulong n)\n",
    "{\n",
    "    gpi_nest nest;\n",
    "    nest.cells = scratch;\n",
    "    nest.notes = (__global gpi_note *)(scratch + notes_at);\n",
    "    nest.tree = (__global gpi_node *)(scratch + tree_at);\n",
    "    nest.leaves = leaves;\n",
    "    nest.n = n;\n",
    "    return nest;\n",
    "}\n",
    "\n",
    "static ulong gpi_tile_begin(uint tile) { return (ulong)tile * GPI_TILE; }\n",
    "\n",
    "static uint gpi_tile_length(gpi_nest nest, uint tile)\n",
    "{\n",
    "    return (uint)min((ulong)GPI_TILE, nest.n - min(nest.n, gpi_tile_begin(tile)));\n",
    "}\n",
    "\n",
    "/* The index that a cell of the tile that begins at `begin` stands for. */\n",
    "static gpi_index gpi_cell_index(uint cell, gpi_index begin) { return begin + (cell - (uint)begin); }\n",
    "\n",
    "/* A place's opener. */\n",
    "static gpi_index gpi_opener_at(gpi_nest nest, gpi_place place)\n",
    "{\n",
    "    const gpi_index k = nest.tree[nest.leaves + place.leaf].pushes - 1 - place.need;\n",
    "    const ulong begin = gpi_tile_begin(place.leaf);\n",
    "    return gpi_cell_index(nest.cells[begin + k], (gpi_index)begin);\n",
    "}\n",
    "\n",
    "/* A place whose `need` is beyond what its tile pushes: where that is, before it. */\n",
    "static gpi_place gpi_place_behind(gpi_nest nest, gpi_place place)\n",
    "{\n",
    "    const gpi_node node = nest.tree[nest.leaves + place.leaf];\n",
    "    return gpi_tiles_search(nest.tree, nest.leaves, place.leaf, place.need - node.pushes + node.pops);\n",
    "}\n",
    "\n",
    "/* The place below this one. */\n",
    "static gpi_place gpi_place_below(gpi_nest nest, gpi_place place)\n",
    "{\n",
    "    place.need++;\n",
    "    if (place.need < nest.tree[nest.leaves + place.leaf].pushes) return place;\n",
    "    return gpi_place_behind(nest, place);\n",
    "}\n",
};
/* ---- End file kernels/nest.cl ---- */

/* ---- Begin file kernels/strands.cl ---- */
static const char *const gpi_kernel_strands[] = {
    "#line 1 \"kernels/strands.cl\"\n",
    "/* strands.cl - brackets in the serial shape: what one item does with its tiles.\n",
    "\n",
    "   GPI_STRANDS tiles are gone over abreast, so that the chain push, pop, push ... of one does not wait for\n",
    "   itself. A tile's cells (nest.cl) are its stack. Where brackets are symbols and rare, 64 elements are\n",
    "   classified at a time, and only the brackets among them are stepped through.\n",
    "\n",
    "   Parameters\n",
    "       GPI_SHAPE_SERIAL    1, and GPI_WG 1; otherwise this file is empty\n",
    "       GPI_IS_BRACKET(v)   which of 16 symbols are brackets; may be missing                               */\n",
    "#if GPI_SHAPE_SERIAL\n",
    "#if GPI_WG != 1\n",
    "#error \"the serial shape has one item a group\"\n",
    "#endif\n",
    "\n",
    "static void gpi_sync(void) {} /* there is nobody else */\n",
    "static void gpi_sync_all(void) {}\n",
    "\n",
    "#define GPI_SHARED(type, name) type *const name = 0 /* one item shares nothing */\n",
    "typedef uint gpi_pair_memory, gpi_join_memory;\n",
    "typedef uint *gpi_pair_shared, *gpi_join_shared;\n",
    "\n",
    "#define GPI_STRANDS 4\n",
    "#define GPI_BLOCK 64\n",
    "#define GPI_FEW 24 /* brackets of a block that are still stepped through one by one */\n",
    "\n",
    "/* A tile on its way: what hardly ever changes. Its stack grows from `base` up, its closers without an opener\n",
    "   from the last cell down. What changes with every bracket, the next cell of an opener (`free`), is apart, so\n",
    "   that it can stay in a register. */\n",
    "typedef struct gpi_strand {\n",
    "    __global uint *base, *pending; /* next cell of a closer */\n",
    "    gpi_node node;\n",
    "    gpi_note note;\n",
    "} gpi_strand;\n",
    "\n",
    "static __global uint *gpi_strand_begin(gpi_strand *s, gpi_nest nest, uint tile)\n",
    "{\n",
    "    s->base = nest.cells + gpi_tile_begin(tile);\n",
    "    s->pending = s->base + gpi_tile_length(nest, tile) - 1;\n",
    "    s->node = gpi_node_make(0, 0);\n",
    "    s->note = gpi_note_make();\n",
    "    return s->base;\n",
    "}\n",
    "\n",
    "static void gpi_strand_end(gpi_strand *s, __global uint *free, gpi_nest nest, uint tile)\n",
    "{\n",
    "    s->node.pushes = (gpi_index)(free - s->base);\n",
    "    nest.tree[nest.leaves + tile] = s->node;\n",
    "    nest.notes[tile] = s->note;\n",
    "}\n",
    "\n",
    "GPI_NOINLINE void gpi_strand_pend(gpi_strand *s, gpi_index at)\n",
    "{\n",
    "    s->node.pops++;\n",
    "    *s->pending-- = (uint)at;\n",
    "}\n",
    "\n",
    "GPI_NOINLINE void gpi_strand_mismatch(gpi_strand *s, uint i)\n",
    "{\n",
    "    s->note.mismatches++;\n",
    "    s->note.first = min(s->note.first, i);\n",
    "}\n",
    "\n",
    "/* Element `at`, which is the tile's i-th. Every element is written to the cell above the stack: an opener\n",
    "   stays there. The partner of what is no closer is none, which is more than any index: min() then gives the\n",
    "   element itself, whose own partner is written last. */\n",
    "GPI_INLINE void gpi_step(gpi_strand *s, __global uint **free, __global const GPI_SYMBOL *in,\n",
    "                         __global gpi_index *match, gpi_index at, uint i)\n",
    "{\n",
    "    const long sign = GPI_SIGN(in[at], at), closes = sign >> 63; /* all bits, or none */\n",
    "    __global uint *next = *free + sign;\n",
    "    if (GPI_RARELY(next < s->base)) {\n",
    "        gpi_strand_pend(s, at);\n",
    "#if GPI_MATCH\n",
    "        match[at] = GPI_NONE;\n",
    "#endif\n",
    "        return;\n",
    "    }\n",
    "    **free = (uint)at;\n",
    "    const uint cell = (*free)[closes];\n",
    "    const gpi_index partner = at - (uint)((uint)at - cell) | ~(gpi_index)closes;\n",
    "    const gpi_index first = min(partner, at);\n",
    "    (void)first;\n",
    "#if GPI_MATCH\n",
    "    match[first] = at;\n",
    "    match[at] = partner;\n",
    "#endif\n",
    "#if GPI_KINDS\n",
    "    if (GPI_RARELY((GPI_CODE(in[first], first) + GPI_CODE(in[at], at)) & (int)closes))\n",
    "        gpi_strand_mismatch(s, i);\n",
    "#endif\n",
    "    *free = next;\n",
    "}\n",
    "\n",
    "#ifdef GPI_IS_BRACKET\n",
    "typedef uchar16 gpi_symbols __attribute__((aligned(1)));\n",
    "typedef uint16 gpi_words __attribute__((aligned(4)));\n",
    "\n",
    "/* A bit for each of 64 symbols: is it a bracket? A byte's bit is kept in its own place, and the product's top\n",
    "   byte gathers those of eight. */\n",
    "GPI_INLINE ulong gpi_brackets_of(__global const uchar *in)\n",
    "{\n",
    "    ulong mask = 0;\n",
    "    for (uint q = 0; q < GPI_BLOCK / 16; q++) {\n",
    "        const uchar16 v = GPI_LOAD_VECTOR(gpi_symbols, in + 16 * q);\n",
    "        const ulong2 hit = as_ulong2(GPI_IS_BRACKET(v)) & 0x8040201008040201ul;\n",
    "        const ulong2 bits = hit * 0x0101010101010101ul >> 56;\n",
    "        mask |= (bits.x | bits.y << 8) << 16 * q;\n",
    "    }\n",
    "    return mask;\n",
    "}\n",
    "\n",
    "/* The block of 64 elements from `at` on, few of which are brackets; `i`: counted from the tile's begin. */\n",
    "GPI_INLINE void gpi_step_few(gpi_strand *s, __global uint **free, __global const GPI_SYMBOL *in,\n",
    "                             __global gpi_index *match, gpi_index at, uint i, ulong brackets)\n",
    "{\n",
    "#if GPI_MATCH\n",
    "    __global uint *words = (__global uint *)(match + at);\n",
    "    for (uint q = 0; q < GPI_BLOCK * sizeof(gpi_index) / 64; q++)\n",
    "        GPI_STORE_VECTOR(gpi_words, (uint16)(~0u), words + 16 * q);\n",
    "#endif\n",
    "    for (; brackets; brackets &= brackets - 1) {\n",
    "        const uint j = (uint)popcount(~brackets & (brackets - 1));\n",
    "        gpi_step(s, free, in, match, at + j, i + j);\n",
    "    }\n",
    "}\n",
    "#endif\n",
    "\n",
    "/* Blocks of `count` neighbouring tiles in step, from index `begin` on, as far as whole blocks go. */\n",
    "GPI_INLINE uint gpi_step_blocks(gpi_strand *s, __global uint **free, uint count,\n",
    "                                __global const GPI_SYMBOL *in, __global gpi_index *match, gpi_index begin,\n",
    "                                uint length)\n",
    "{\n",
    "    uint i = 0;\n",
    "    for (; i + GPI_BLOCK <= length; i += GPI_BLOCK) {\n",
    "#ifdef GPI_IS_BRACKET\n",
    "        ulong brackets[GPI_STRANDS];\n",
    "        bool few = true;\n",
    "#pragma unroll\n",
    "        for (uint k = 0; k < count; k++) {\n",
    "            brackets[k] = gpi_brackets_of(in + begin + k * GPI_TILE + i);\n",
    "            few = few && popcount(brackets[k]) <= GPI_FEW;\n",
    "        }\n",
    "        if (few) {\n",
    "#pragma unroll\n",
    "            for (uint k = 0; k < count; k++)\n",
    "                gpi_step_few(&s[k], &free[k], in, match, begin + k * GPI_TILE + i, i, brackets[k]);\n",
    "            continue;\n",
    "        }\n",
    "#endif\n",
    "        for (uint j = i; j < i + GPI_BLOCK; j++) {\n",
    "#pragma unroll\n",
    "            for (uint k = 0; k < count; k++)\n",
    "                gpi_step(&s[k], &free[k], in, match, begin + k * GPI_TILE + j, j);\n",
    "        }\n",
    "    }\n",
    "    return i;\n",
    "}\n",
    "\n",
    "static void gpi_pair_tile(__global const GPI_SYMBOL *in, __global gpi_index *match, gpi_nest nest, uint tile)\n",
    "{\n",
    "    gpi_strand s[1];\n",
    "    __global uint *free[1];\n",
    "    const gpi_index begin = (gpi_index)gpi_tile_begin(tile);\n",
    "    const uint length = gpi_tile_length(nest, tile);\n",
    "    free[0] = gpi_strand_begin(s, nest, tile);\n",
    "    for (uint i = gpi_step_blocks(s, free, 1, in, match, begin, length); i < length; i++)\n",
    "        gpi_step(s, free, in, match, begin + i, i);\n",
    "    gpi_strand_end(s, free[0], nest, tile);\n",
    "}\n",
    "\n",
    "/* The group's GPI_STRANDS tiles: abreast where all are whole. */\n",
    "static void gpi_pair_group(__global const GPI_SYMBOL *in, __global gpi_index *match, gpi_nest nest,\n",
    "                           gpi_pair_shared shared)\n",
    "{\n",
    "    const uint tile = (uint)get_group_id(0) * GPI_STRANDS;\n",
    "    gpi_strand s[GPI_STRANDS];\n",
    "    __global uint *free[GPI_STRANDS];\n",
    "    (void)shared;\n",
    "    if (GPI_TILE % GPI_BLOCK == 0 && gpi_tile_begin(tile + GPI_STRANDS) <= nest.n) {\n",
    "#pragma unroll\n",
    "        for (uint k = 0; k < GPI_STRANDS; k++) free[k] = gpi_strand_begin(&s[k], nest, tile + k);\n",
    "        (void)gpi_step_blocks(s, free, GPI_STRANDS, in, match, (gpi_index)gpi_tile_begin(tile), GPI_TILE);\n",
    "#pragma unroll\n",
    "        for (uint k = 0; k < GPI_STRANDS; k++) gpi_strand_end(&s[k], free[k], nest, tile + k);\n",
    "        return;\n",
    "    }\n",
    "    for (uint k = 0; k < GPI_STRANDS && gpi_tile_begin(tile + k) < nest.n; k++)\n",
    "        gpi_pair_tile(in, match, nest, tile + k);\n",
    "}\n",
    "\n",
    "/* The note of the whole tile, whose one item's this is. */\n",
    "static void gpi_note_add(gpi_nest nest, uint tile, gpi_note note, gpi_join_shared shared)\n",
    "{\n",
    "    (void)shared;\n",
    "    nest.notes[tile].mismatches += note.mismatches;\n",
    "    nest.notes[tile].first = min(nest.notes[tile].first, note.first);\n",
    "    nest.notes[tile].joined = note.joined;\n",
    "    nest.notes[tile].searches = note.searches;\n",
    "}\n",
    "\n",
    "/* How far the stack gets above its height before the tile. */\n",
    "static void gpi_measure_tile(__global const GPI_SYMBOL *in, gpi_nest nest, uint tile, gpi_pair_shared shared)\n",
    "{\n",
    "    const gpi_index begin = (gpi_index)gpi_tile_begin(tile);\n",
    "    const uint length = gpi_tile_length(nest, tile);\n",
    "    const gpi_index before = gpi_tiles_before(nest.tree, nest.leaves, tile).pushes;\n",
    "    const int floor = -(int)min(before, (gpi_index)GPI_TILE);\n",
    "    int height = 0, rise = 0;\n",
    "    (void)shared;\n",
    "    for (uint i = 0; i < length; i++) {\n",
    "        height = max(height + GPI_SIGN(in[begin + i], begin + i), floor);\n",
    "        rise = max(rise, height);\n",
    "    }\n",
    "    nest.notes[tile].rise = (uint)rise;\n",
    "}\n",
    "\n",
    "/* A tile gone over for parents, or for depths. */\n",
    "typedef struct gpi_walk {\n",
    "    gpi_nest nest;\n",
    "    gpi_index begin;\n",
    "    gpi_place place; /* of the highest opener left of those before the tile */\n",
    "} gpi_walk;\n",
    "\n",
    "/* Parent (or depth) of the tile's first element. */\n",
    "static gpi_index gpi_walk_begin(gpi_walk *w, gpi_nest nest, uint tile, bool parents)\n",
    "{\n",
    "    const gpi_index height = gpi_tiles_before(nest.tree, nest.leaves, tile).pushes;\n",
    "    w->nest = nest;\n",
    "    w->begin = (gpi_index)gpi_tile_begin(tile);\n",
    "    w->place.leaf = GPI_NOWHERE;\n",
    "    w->place.need = 0;\n",
    "    if (!parents) return height;\n",
    "    if (height == 0) return GPI_NONE;\n",
    "    w->place = gpi_tiles_search(nest.tree, nest.leaves, tile, 0);\n",
    "    return gpi_opener_at(nest, w->place);\n",
    "}\n",
    "\n",
    "/* Under the highest opener left of those before the tile. */\n",
    "GPI_NOINLINE gpi_index gpi_walk_below(gpi_walk *w)\n",
    "{\n",
    "    w->place = gpi_place_below(w->nest, w->place);\n",
    "    return w->place.leaf == GPI_NOWHERE ? GPI_NONE : gpi_opener_at(w->nest, w->place);\n",
    "}\n",
    "\n",
    "/* What the element behind `at` has, whose own is `now` and has been written. Under an opener of this tile is\n",
    "   its parent, which is written already; `first` is that opener, or for what is no closer the element itself.\n",
    " */\n",
    "GPI_INLINE gpi_index gpi_walk_on(gpi_walk *w, gpi_index now, __global const GPI_SYMBOL *in,\n",
    "                                 __global const gpi_index *parent, gpi_index at, bool parents)\n",
    "{\n",
    "    const long sign = GPI_SIGN(in[at], at);\n",
    "    if (!parents) return now + (gpi_index)sign == GPI_NONE ? 0 : now + (gpi_index)sign;\n",
    "    const gpi_index opens = (gpi_index)(long)GPI_OPENS(in[at], at); /* all bits, or none */\n",
    "    const gpi_index first = sign < 0 ? now : at;\n",
    "    if (GPI_RARELY(first - w->begin >= GPI_TILE)) return now == GPI_NONE ? now : gpi_walk_below(w);\n",
    "    const gpi_index under = parent[first];\n",
    "    return under ^ ((under ^ at) & opens);\n",
    "}\n",
    "\n",
    "#ifdef GPI_IS_BRACKET\n",
    "/* The block of 64 elements from `at` on, few of which are brackets. Writes up to 15 more, which come later.\n",
    " */\n",
    "GPI_INLINE gpi_index gpi_walk_few(gpi_walk *w, gpi_index now, __global const GPI_SYMBOL *in,\n",
    "                                  __global gpi_index *out, gpi_index at, ulong brackets, bool parents)\n",
    "{\n",
    "    uint j = 0;\n",
    "    for (;;) {\n",
    "        const uint end = brackets ? (uint)popcount(~brackets & (brackets - 1)) + 1 : GPI_BLOCK;\n",
    "        for (; j < end; j += 16) GPI_STORE_VECTOR(gpi_row, (gpi_row)(now), out + at + j);\n",
    "        j = end;\n",
    "        if (!brackets) return now;\n",
    "        brackets &= brackets - 1;\n",
    "        now = gpi_walk_on(w, now, in, out, at + end - 1, parents);\n",
    "    }\n",
    "}\n",
    "#endif\n",
    "\n",
    "/* Elements of `count` neighbouring tiles of `length` in step. */\n",
    "GPI_INLINE void gpi_walk_tiles(gpi_walk *w, gpi_index *now, uint count, __global const GPI_SYMBOL *in,\n",
    "                               __global gpi_index *out, uint length, bool parents)\n",
    "{\n",
    "    uint i = 0;\n",
    "    while (i < length) {\n",
    "        uint end = min(i + GPI_BLOCK, length);\n",
    "#ifdef GPI_IS_BRACKET\n",
    "        ulong brackets[GPI_STRANDS];\n",
    "        bool few = i + GPI_BLOCK + 16 <= length;\n",
    "#pragma unroll\n",
    "        for (uint k = 0; k < count; k++) {\n",
    "            brackets[k] = few ? gpi_brackets_of(in + w[k].begin + i) : 0;\n",
    "            few = few && popcount(brackets[k]) <= GPI_FEW;\n",
    "        }\n",
    "        if (few) {\n",
    "#pragma unroll\n",
    "            for (uint k = 0; k < count; k++)\n",
    "                now[k] = gpi_walk_few(&w[k], now[k], in, out, w[k].begin + i, brackets[k], parents);\n",
    "            i = end;\n",
    "        }\n",
    "#endif\n",
    "        for (; i < end; i++) {\n",
    "#pragma unroll\n",
    "            for (uint k = 0; k < count; k++) {\n",
    "                const gpi_index at = w[0].begin + k * GPI_TILE + i;\n",
    "                out[at] = now[k];\n",
    "                now[k] = gpi_walk_on(&w[k], now[k], in, out, at, parents);\n",
    "            }\n",
    "        }\n",
    "    }\n",
    "}\n",
    "\n",
    "GPI_INLINE void gpi_walk_group(__global const GPI_SYMBOL *in, gpi_nest nest, __global gpi_index *out,\n",
    "                               bool parents)\n",
    "{\n",
    "    const uint tile = (uint)get_group_id(0) * GPI_STRANDS;\n",
    "    gpi_walk w[GPI_STRANDS];\n",
    "    gpi_index now[GPI_STRANDS];\n",
    "    if (gpi_tile_begin(tile + GPI_STRANDS) <= nest.n) {\n",
    "#pragma unroll\n",
    "        for (uint k = 0; k < GPI_STRANDS; k++) now[k] = gpi_walk_begin(&w[k], nest, tile + k, parents);\n",
    "        gpi_walk_tiles(w, now, GPI_STRANDS, in, out, GPI_TILE, parents);\n",
    "        return;\n",
    "    }\n",
    "    for (uint k = 0; k < GPI_STRANDS && gpi_tile_begin(tile + k) < nest.n; k++) {\n",
    "        now[0] = gpi_walk_begin(w, nest, tile + k, parents);\n",
    "        gpi_walk_tiles(w, now, 1, in, out, gpi_tile_length(nest, tile + k), parents);\n",
    "    }\n",
    "}\n",
    "\n",
    "static void gpi_enclose_group(__global const GPI_SYMBOL *in, gpi_nest nest, __global gpi_index *parent,\n",
    "                              bool parents, __global gpi_index *depth, bool depths, gpi_pair_shared shared)\n",
    "{\n",
    "    (void)shared;\n",
    "    if (parents) gpi_walk_group(in, nest, parent, true);\n",
    "    if (depths) gpi_walk_group(in, nest, depth, false);\n",
    "}\n",
    "#endif\n",
};
/* ---- End file kernels/strands.cl ---- */

/* ---- Begin file kernels/items.cl ---- */
static const char *const gpi_kernel_items[] = {
    "#line 1 \"kernels/items.cl\"\n",
    "/* items.cl - brackets in the local shape: what the items of a group do with their tile.\n",
    "\n",
    "   An item goes over GPI_ITEMS neighbours with its stack in the bits of a word. What is left of the items is a\n",
    "   tree in local memory (nest.cl), in which closers search for their openers.\n",
    "\n",
    "   Parameters\n",
    "       GPI_SHAPE_LOCAL     1; otherwise this file is empty\n",
    "       GPI_WG, GPI_ITEMS   items of a group, elements of an item (at most 32)                             */\n",
    "#if GPI_SHAPE_LOCAL\n",
    "#if GPI_TILE != GPI_WG * GPI_ITEMS || GPI_ITEMS > 32 || GPI_TILE > 16384\n",
    "#error \"GPI_TILE must be GPI_WG * GPI_ITEMS, at most 16384, and GPI_ITEMS at most 32\"\n",
    "#endif\n",
    "\n",
    "static void gpi_sync(void) { barrier(CLK_LOCAL_MEM_FENCE); }\n",
    "static void gpi_sync_all(void) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }\n",
    "\n",
    "#define GPI_SHARED(type, name) \\\n",
    "    __local type name##_mem;   \\\n",
    "    __local type *const name = &name##_mem\n",
    "\n",
    "GPI_DEFINE_TREE(items, __local)\n",
    "\n",
    "#define GPI_ALONE 0xffffu /* an element without a partner in the tile */\n",
    "\n",
    "/* What the items of a group tell each other. */\n",
    "typedef struct gpi_group {\n",
    "    gpi_node tree[2 * GPI_WG];\n",
    "    gpi_index height[GPI_WG]; /* of the stack before an item */\n",
    "    uint open[GPI_WG];        /* a bit for each opener that an item leaves */\n",
    "    gpi_note note;\n",
    "    char sign[GPI_TILE];\n",
    "} gpi_group;\n",
    "typedef __local gpi_group *gpi_shared;\n",
    "\n",
    "typedef struct gpi_pair_memory {\n",
    "    gpi_group group;\n",
    "    ushort stage[GPI_TILE]; /* partners or parents, on the way out */\n",
    "} gpi_pair_memory;\n",
    "\n",
    "typedef gpi_note gpi_join_memory;\n",
    "typedef __local gpi_pair_memory *gpi_pair_shared;\n",
    "typedef __local gpi_join_memory *gpi_join_shared;\n",
    "\n",
    "/* Signs of the tile's elements: neighbours read neighbours. */\n",
    "static void gpi_load_signs(__global const GPI_SYMBOL *in, ulong begin, uint length, gpi_shared shared)\n",
    "{\n",
    "    for (uint i = (uint)get_local_id(0); i < GPI_TILE; i += GPI_WG)\n",
    "        shared->sign[i] = i < length ? (char)GPI_SIGN(in[begin + i], begin + i) : (char)0;\n",
    "}\n",
    "\n",
    "/* What one item's elements do to the stack; in *open and *close a bit for each one that is left.\n",
    "   Pairs among them go to `partner`, unless that is NULL. */\n",
    "static gpi_node gpi_reduce_item(gpi_shared shared, __local ushort *partner, uint *open, uint *close)\n",
    "{\n",
    "    const uint first = (uint)get_local_id(0) * GPI_ITEMS;\n",
    "    gpi_node node = gpi_node_make(0, 0);\n",
    "    *open = *close = 0;\n",
    "    for (uint j = 0; j < GPI_ITEMS; j++) {\n",
    "        const int sign = shared->sign[first + j];\n",
    "        if (sign > 0) {\n",
    "            *open |= 1u << j;\n",
    "            node.pushes++;\n",
    "        } else if (sign < 0 && *open) {\n",
    "            const uint k = 31 - clz(*open);\n",
    "            *open ^= 1u << k;\n",
    "            node.pushes--;\n",
    "            if (!partner) continue;\n",
    "            partner[first + j] = (ushort)(first + k);\n",
    "            partner[first + k] = (ushort)(first + j);\n",
    "        } else if (sign < 0) {\n",
    "            *close |= 1u << j;\n",
    "            node.pops++;\n",
    "        }\n",
    "    }\n",
    "    return node;\n",
    "}\n",
    "\n",
    "/* The group's tree from the items' nodes. On return all may search it. */\n",
    "static void gpi_grow_tree(gpi_node node, uint open, gpi_shared shared)\n",
    "{\n",
    "    const uint l = (uint)get_local_id(0);\n",
    "    shared->tree[GPI_WG + l] = node;\n",
    "    shared->open[l] = open;\n",
    "    gpi_sync(); /* the items' nodes and openers are there */\n",
    "    for (uint width = GPI_WG / 2; width > 0; width /= 2) {\n",
    "        if (l < width)\n",
    "            shared->tree[width + l] =\n",
    "                gpi_node_product(shared->tree[2 * (width + l)], shared->tree[2 * (width + l) + 1]);\n",
    "        gpi_sync(); /* the nodes of this level are there */\n",
    "    }\n",
    "}\n",
    "\n",
    "/* The opener of an item that is `need` below its top, as a bit of `open`; that bit and those above are taken\n",
    "   off. */\n",
    "static uint gpi_take_bit(uint *open, uint need)\n",
    "{\n",
    "    uint left = *open;\n",
    "    for (uint k = 0; k < need; k++) left ^= 1u << (31 - clz(left));\n",
    "    const uint bit = 31 - clz(left);\n",
    "    *open = left ^ 1u << bit;\n",
    "    return bit;\n",
    "}\n",
    "\n",
    "/* Openers below one another, from the top of the stack before an item on down: in other items of the tile,\n",
    "   then in tiles before it. */\n",
    "typedef struct gpi_cursor {\n",
    "    uint item, open;  /* the openers of this item that have not been seen */\n",
    "    gpi_index before; /* how many have been seen that are in tiles before this one */\n",
    "} gpi_cursor;\n",
    "\n",
    "static gpi_cursor gpi_cursor_make(void)\n",
    "{\n",
    "    gpi_cursor c;\n",
    "    c.item = (uint)get_local_id(0);\n",
    "    c.open = 0;\n",
    "    c.before = 0;\n",
    "    return c;\n",
    "}\n",
    "\n",
    "/* The next opener's place in the tile; GPI_ALONE: it is not in the tile, and *need below the top of the stack\n",
    "   before the tile. */\n",
    "static uint gpi_cursor_down(gpi_cursor *c, gpi_shared shared, gpi_index *need)\n",
    "{\n",
    "    uint skip = 0;\n",
    "    if (c->item != GPI_NOWHERE && c->open == 0) {\n",
    "        const bool self = c->item == get_local_id(0);\n",
    "        const gpi_place found =\n",
    "            gpi_items_search(shared->tree, GPI_WG, c->item, self ? 0 : shared->tree[GPI_WG + c->item].pops);\n",
    "        c->item = found.leaf;\n",
    "        if (found.leaf == GPI_NOWHERE) c->before = found.need;\n",
    "        else c->open = shared->open[found.leaf];\n",
    "        skip = (uint)found.need;\n",
    "    }\n",
    "    *need = c->before;\n",
    "    if (c->item == GPI_NOWHERE) c->before++;\n",
    "    return c->item == GPI_NOWHERE ? GPI_ALONE : c->item * GPI_ITEMS + gpi_take_bit(&c->open, skip);\n",
    "}\n",
    "\n",
    "/* Closers that the item has left find their openers in other items, or go to the tile's cells. */\n",
    "static void gpi_pair_items(uint close, gpi_nest nest, uint tile, __local ushort *partner, gpi_shared shared)\n",
    "{\n",
    "    const uint first = (uint)get_local_id(0) * GPI_ITEMS;\n",
    "    const ulong begin = gpi_tile_begin(tile);\n",
    "    __global uint *last = nest.cells + begin + gpi_tile_length(nest, tile) - 1;\n",
    "    gpi_cursor cursor = gpi_cursor_make();\n",
    "    for (; close; close &= close - 1) {\n",
    "        const uint i = first + popcount(~close & (close - 1));\n",
    "        gpi_index need;\n",
    "        const uint opener = gpi_cursor_down(&cursor, shared, &need);\n",
    "        if (opener == GPI_ALONE) {\n",
    "            *(last - need) = (uint)(begin + i);\n",
    "            continue;\n",
    "        }\n",
    "        partner[i] = (ushort)opener;\n",
    "        partner[opener] = (ushort)i;\n",
    "    }\n",
    "}\n",
    "\n",
    "/* Openers that nothing behind them in the tile closes go to the tile's cells. */\n",
    "static void gpi_keep_openers(gpi_node node, uint open, gpi_nest nest, uint tile, gpi_shared shared)\n",
    "{\n",
    "    const ulong begin = gpi_tile_begin(tile);\n",
    "    gpi_node after = gpi_node_make(0, 0);\n",
    "    for (uint x = GPI_WG + (uint)get_local_id(0); x > 1; x >>= 1) {\n",
    "        if (!(x & 1)) after = gpi_node_product(after, shared->tree[x + 1]);\n",
    "    }\n",
    "    if (after.pops >= node.pushes) return;\n",
    "    const uint left = (uint)(node.pushes - after.pops);\n",
    "    __global uint *cell = nest.cells + begin + shared->tree[1].pushes - after.pushes - left;\n",
    "    for (uint k = 0; k < left; k++, open &= open - 1)\n",
    "        cell[k] = (uint)(begin + get_local_id(0) * GPI_ITEMS + popcount(~open & (open - 1)));\n",
    "}\n",
    "\n",
    "static void gpi_pair_write(__global const GPI_SYMBOL *in, __global gpi_index *match, ulong begin, uint length,\n",
    "                           __local const ushort *partner, gpi_shared shared)\n",
    "{\n",
    "    for (uint i = (uint)get_local_id(0); i < length; i += GPI_WG) {\n",
    "        const uint k = partner[i];\n",
    "        (void)k;\n",
    "#if GPI_MATCH\n",
    "        match[begin + i] = k == GPI_ALONE ? GPI_NONE : (gpi_index)begin + k;\n",
    "#endif\n",
    "#if GPI_KINDS\n",
    "        if (k >= i || GPI_CODE(in[begin + i], begin + i) + GPI_CODE(in[begin + k], begin + k) == 0) continue;\n",
    "        (void)atomic_inc(&shared->note.mismatches);\n",
    "        (void)atomic_min(&shared->note.first, i);\n",
    "#endif\n",
    "    }\n",
    "}\n",
    "\n",
    "static void gpi_note_clear(gpi_shared shared)\n",
    "{\n",
    "    if (get_local_id(0) == 0) shared->note = gpi_note_make();\n",
    "}\n",
    "\n",
    "static void gpi_pair_group(__global const GPI_SYMBOL *in, __global gpi_index *match, gpi_nest nest,\n",
    "                           gpi_pair_shared memory)\n",
    "{\n",
    "    const gpi_shared shared = &memory->group;\n",
    "    __local ushort *partner = memory->stage;\n",
    "    const uint l = (uint)get_local_id(0), tile = (uint)get_group_id(0);\n",
    "    const ulong begin = gpi_tile_begin(tile);\n",
    "    const uint length = gpi_tile_length(nest, tile);\n",
    "    uint open, close;\n",
    "    if (length == 0) return;\n",
    "    gpi_load_signs(in, begin, length, shared);\n",
    "    for (uint i = l; i < GPI_TILE; i += GPI_WG) partner[i] = GPI_ALONE;\n",
    "    gpi_note_clear(shared);\n",
    "    gpi_sync(); /* signs are there, and nobody has a partner */\n",
    "    const gpi_node node = gpi_reduce_item(shared, partner, &open, &close);\n",
    "    gpi_grow_tree(node, open, shared);\n",
    "    gpi_pair_items(close, nest, tile, partner, shared);\n",
    "    gpi_keep_openers(node, open, nest, tile, shared);\n",
    "    gpi_sync(); /* all partners are there */\n",
    "    gpi_pair_write(in, match, begin, length, partner, shared);\n",
    "    gpi_sync(); /* all mismatches are counted */\n",
    "    if (l != 0) return;\n",
    "    nest.tree[nest.leaves + tile] = shared->tree[1];\n",
    "    nest.notes[tile] = shared->note;\n",
    "}\n",
    "\n",
    "/* The note of the whole tile from those of its items. */\n",
    "static void gpi_note_add(gpi_nest nest, uint tile, gpi_note note, gpi_join_shared sum)\n",
    "{\n",
    "    __global gpi_note *total = nest.notes + tile;\n",
    "    if (get_local_id(0) == 0) *sum = *total;\n",
    "    gpi_sync(); /* what the tile has noted so far is there */\n",
    "    if (note.mismatches) (void)atomic_add(&sum->mismatches, note.mismatches);\n",
    "    if (note.mismatches) (void)atomic_min(&sum->first, note.first);\n",
    "    if (note.joined) (void)atomic_add(&sum->joined, note.joined);\n",
    "    if (note.joined) (void)atomic_add(&sum->searches, note.searches);\n",
    "    gpi_sync(); /* everybody has added */\n",
    "    if (get_local_id(0) == 0) *total = *sum;\n",
    "}\n",
    "\n",
    "/* The next opener as it goes to the stage: its place in the tile, or GPI_TILE and how far below the top of\n",
    "   the stack before the tile. */\n",
    "static uint gpi_cursor_stage(gpi_cursor *c, gpi_shared shared)\n",
    "{\n",
    "    gpi_index need;\n",
    "    const uint opener = gpi_cursor_down(c, shared, &need);\n",
    "    return opener == GPI_ALONE ? GPI_TILE + (uint)need : opener;\n",
    "}\n",
    "\n",
    "/* Parents of the item's elements into the stage. Their depths take the place of the signs, counted from that\n",
    "   of the item's first element. The stack's top is in the bits `open` as long as one of the item's own openers\n",
    "   is there. */\n",
    "static void gpi_enclose_item(gpi_nest nest, uint tile, __local ushort *stage, gpi_shared shared)\n",
    "{\n",
    "    const uint l = (uint)get_local_id(0), first = l * GPI_ITEMS;\n",
    "    const gpi_node before = gpi_node_product(gpi_tiles_before(nest.tree, nest.leaves, tile),\n",
    "                                             gpi_items_before(shared->tree, GPI_WG, l));\n",
    "    gpi_cursor cursor = gpi_cursor_make();\n",
    "    gpi_index height = before.pushes;\n",
    "    uint open = 0, outer = height ? gpi_cursor_stage(&cursor, shared) : GPI_ALONE;\n",
    "    shared->height[l] = height;\n",
    "    for (uint j = 0; j < GPI_ITEMS; j++) {\n",
    "        const int sign = shared->sign[first + j];\n",
    "        stage[first + j] = (ushort)(open ? first + (31 - clz(open)) : outer);\n",
    "        shared->sign[first + j] = (char)(height - before.pushes);\n",
    "        if (sign > 0) {\n",
    "            open |= 1u << j;\n",
    "            height++;\n",
    "        } else if (sign < 0 && height > 0) {\n",
    "            height--;\n",
    "            if (open) open ^= 1u << (31 - clz(open));\n",
    "            else outer = height ? gpi_cursor_stage(&cursor, shared) : GPI_ALONE;\n",
    "        }\n",
    "    }\n",
    "}\n",
    "\n",
    "static gpi_index gpi_parent_of(gpi_nest nest, uint tile, uint staged)\n",
    "{\n",
    "    if (staged == GPI_ALONE) return GPI_NONE;\n",
    "    if (staged < GPI_TILE) return (gpi_index)gpi_tile_begin(tile) + staged;\n",
    "    return gpi_opener_at(nest, gpi_tiles_search(nest.tree, nest.leaves, tile, staged - GPI_TILE));\n",
    "}\n",
    "\n",
    "static void gpi_enclose_group(__global const GPI_SYMBOL *in, gpi_nest nest, __global gpi_index *parent,\n",
    "                              bool parents, __global gpi_index *depth, bool depths, gpi_pair_shared memory)\n",
    "{\n",
    "    const gpi_shared shared = &memory->group;\n",
    "    const uint tile = (uint)get_group_id(0);\n",
    "    const ulong begin = gpi_tile_begin(tile);\n",
    "    const uint length = gpi_tile_length(nest, tile);\n",
    "    uint open, close;\n",
    "    if (length == 0) return;\n",
    "    gpi_load_signs(in, begin, length, shared);\n",
    "    gpi_sync(); /* signs are there */\n",
    "    const gpi_node node = gpi_reduce_item(shared, 0, &open, &close);\n",
    "    gpi_grow_tree(node, open, shared);\n",
    "    gpi_enclose_item(nest, tile, memory->stage, shared);\n",
    "    gpi_sync(); /* parents and depths are there */\n",
    "    for (uint i = (uint)get_local_id(0); i < length; i += GPI_WG) {\n",
    "        if (parents) parent[begin + i] = gpi_parent_of(nest, tile, memory->stage[i]);\n",
    "        if (depths) depth[begin + i] = shared->height[i / GPI_ITEMS] + shared->sign[i];\n",
    "    }\n",
    "}\n",
    "\n",
    "/* How far the stack gets above its height before the tile. */\n",
    "static void gpi_measure_tile(__global const GPI_SYMBOL *in, gpi_nest nest, uint tile, gpi_pair_shared memory)\n",
    "{\n",
    "    const gpi_shared shared = &memory->group;\n",
    "    const uint l = (uint)get_local_id(0);\n",
    "    const gpi_node tiles = gpi_tiles_before(nest.tree, nest.leaves, tile);\n",
    "    uint open, close;\n",
    "    gpi_load_signs(in, gpi_tile_begin(tile), gpi_tile_length(nest, tile), shared);\n",
    "    gpi_note_clear(shared);\n",
    "    gpi_sync(); /* signs are there */\n",
    "    const gpi_node node = gpi_reduce_item(shared, 0, &open, &close);\n",
    "    gpi_grow_tree(node, open, shared);\n",
    "    gpi_index height = gpi_node_product(tiles, gpi_items_before(shared->tree, GPI_WG, l)).pushes;\n",
    "    gpi_index highest = tiles.pushes;\n",
    "    for (uint j = 0; j < GPI_ITEMS; j++) {\n",
    "        const int sign = shared->sign[l * GPI_ITEMS + j];\n",
    "        if (sign >= 0 || height > 0) height += sign;\n",
    "        highest = max(highest, height);\n",
    "    }\n",
    "    (void)atomic_max(&shared->note.rise, (uint)(highest - tiles.pushes));\n",
    "    gpi_sync(); /* everybody has measured */\n",
    "    if (l == 0) nest.notes[tile].rise = shared->note.rise;\n",
    "}\n",
    "#endif\n",
};
/* ---- End file kernels/items.cl ---- */

/* ---- Begin file kernels/brackets.cl ---- */
static const char *const gpi_kernel_brackets[] = {
    "#line 1 \"kernels/brackets.cl\"\n",
    "/* brackets.cl - gp_brackets: partners, parents and depths of nested brackets.\n",
    "\n",
    "       stack of indices; an opener pushes its own, a closer pops\n",
    "       match[i]    partner of bracket i, or none\n",
    "       parent[i]   top of the stack before i: the innermost opener around i; for a closer its partner\n",
    "       depth[i]    height of the stack before i: how many openers are around i\n",
    "\n",
    "       pair      a group a tile        pairs inside tiles; what is left goes to the tile's cells and node\n",
    "       tree      a group 4096 leaves   products of neighbours, in two launches\n",
    "       join      a group a tile        the tile's closers find their openers in tiles before it\n",
    "       enclose   a group a tile        parents, depths: reads the input again\n",
    "       measure   a group a tile        greatest depths: reads the input again\n",
    "       report    one group             what is unmatched or of the wrong kind; greatest depth\n",
    "\n",
    "   Partners take one reading of the input, by `pair`; `join` goes over what is left of tiles, which is little\n",
    "   unless brackets are nested as deep as tiles are long. No group waits for another.\n",
    "\n",
    "   Whatever the input, outputs are defined: a closer on an empty stack pops nothing and has no partner; an\n",
    "   opener that is never closed has none, and is around everything behind it; kinds do not matter.         */\n",
    "\n",
    "#define GPI_INPUT_PARAMETERS __global const GPI_SYMBOL *in, ulong in_at, GPI_COUNT_PARAMETERS\n",
    "#define GPI_NEST_SET(nest)                                                  \\\n",
    "    const gpi_nest nest = gpi_nest_make(scratch, notes_at, tree_at, leaves, \\\n",
    "                                        gpi_count(bound, wanted, wanted_offset, wanted_words))\n",
    "\n",
    "static uint gpi_tiles_of(ulong n) { return (uint)((n + GPI_TILE - 1) / GPI_TILE); }\n",
    "\n",
    "/* ------------------------------------------------------------------ pair, tree */\n",
    "\n",
    "GPI_KERNEL void gp_brackets_pair(GPI_INPUT_PARAMETERS, __global gpi_index *match, ulong match_at,\n",
    "                                 GPI_SCRATCH_PARAMETERS, volatile __global uint *counters)\n",
    "{\n",
    "    GPI_NEST_SET(nest);\n",
    "    GPI_SHARED(gpi_pair_memory, shared);\n",
    "    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);\n",
    "    gpi_pair_group(in + in_at, match + match_at, nest, shared);\n",
    "}\n",
    "\n",
    "/* Each group multiplies its share of the nodes [bottom, 2 * bottom) until one is left. Leaves without a\n",
    "   tile push and pop nothing. */\n",
    "GPI_KERNEL void gp_brackets_tree(GPI_COUNT_PARAMETERS, GPI_SCRATCH_PARAMETERS, uint bottom)\n",
    "{\n",
    "    GPI_NEST_SET(nest);\n",
    "    const uint l = (uint)get_local_id(0), g = (uint)get_group_id(0), groups = (uint)get_num_groups(0);\n",
    "    const uint tiles = gpi_tiles_of(nest.n);\n",
    "    uint width = bottom / groups; /* nodes of this group */\n",
    "    for (uint k = g * width + l; bottom == leaves && k < (g + 1) * width; k += GPI_WG)\n",
    "        if (k >= tiles) nest.tree[leaves + k] = gpi_node_make(0, 0);\n",
    "    for (width /= 2; width > 0; width /= 2) {\n",
    "        gpi_sync_all(); /* the children are written */\n",
    "        for (uint k = l; k < width; k += GPI_WG) {\n",
    "            const uint x = (groups + g) * width + k;\n",
    "            nest.tree[x] = gpi_node_product(nest.tree[2 * x], nest.tree[2 * x + 1]);\n",
    "        }\n",
    "    }\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ join, enclose */\n",
    "\n",
    "/* Closer and opener of different tiles. */\n",
    "static void gpi_join_pair(__global const GPI_SYMBOL *in, __global gpi_index *match, gpi_index opener,\n",
    "                          gpi_index closer, ulong begin, gpi_note *note)\n",
    "{\n",
    "#if GPI_MATCH\n",
    "    match[closer] = opener;\n",
    "    match[opener] = closer;\n",
    "#endif\n",
    "#if GPI_KINDS\n",
    "    if (GPI_CODE(in[opener], opener) + GPI_CODE(in[closer], closer) != 0) {\n",
    "        note->mismatches++;\n",
    "        note->first = min(note->first, (uint)(closer - begin));\n",
    "    }\n",
    "#endif\n",
    "    (void)in;\n",
    "    (void)note;\n",
    "}\n",
    "\n",
    "/* Nobody reads partners soon: past the caches where the row is aligned. */\n",
    "static void gpi_row_write(__global gpi_index *out, gpi_row row)\n",
    "{\n",
    "    if ((size_t)out % sizeof(gpi_aligned_row) == 0)\n",
    "        GPI_STREAM_STORE((gpi_aligned_row)(row), (__global gpi_aligned_row *)out);\n",
    "    else GPI_STORE_VECTOR(gpi_row, row, out);\n",
    "}\n",
    "\n",
    "/* As many of the run as come in rows: 16 openers side by side, whose closers are side by side. */\n",
    "static uint gpi_join_rows(__global gpi_index *match, __global const uint *opener, __global const uint *closer,\n",
    "                          gpi_index there, gpi_index begin, uint run)\n",
    "{\n",
    "    uint k = 0;\n",
    "#if GPI_MATCH && !GPI_KINDS\n",
    "    const gpi_row step = (gpi_row)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);\n",
    "    for (bool row = true; row && k + 16 <= run;) {\n",
    "        const gpi_index p = gpi_cell_index(opener[-(long)k], there),\n",
    "                        q = gpi_cell_index(closer[-(long)k], begin);\n",
    "        row = (uint)p - opener[-(long)k - 15] == 15 && closer[-(long)k - 15] - (uint)q == 15;\n",
    "        if (!row) continue;\n",
    "        gpi_row_write(match + q, (gpi_row)(p)-step);\n",
    "        gpi_row_write(match + p - 15, (gpi_row)(q + 15) - step);\n",
    "        k += 16;\n",
    "    }\n",
    "#endif\n",
    "    return k;\n",
    "}\n",
    "\n",
    "/* The tile's closers that found no opener in it: the item's are `first`, first + stride, ... They find theirs\n",
    "   in runs, each in one tile. */\n",
    "static gpi_note gpi_join_tile(__global const GPI_SYMBOL *in, __global gpi_index *match, gpi_nest nest,\n",
    "                              uint tile, uint first, uint stride)\n",
    "{\n",
    "    const ulong begin = gpi_tile_begin(tile);\n",
    "    const gpi_index closers = nest.tree[nest.leaves + tile].pops;\n",
    "    __global const uint *closer = nest.cells + begin + gpi_tile_length(nest, tile) - 1;\n",
    "    gpi_note note = gpi_note_make();\n",
    "    gpi_place place = {tile, 0};\n",
    "    gpi_index j = first;\n",
    "    if (j < closers) place = gpi_tiles_search(nest.tree, nest.leaves, tile, j);\n",
    "    while (j < closers && place.leaf != GPI_NOWHERE) {\n",
    "        const gpi_index pushes = nest.tree[nest.leaves + place.leaf].pushes;\n",
    "        const ulong there = gpi_tile_begin(place.leaf);\n",
    "        __global const uint *opener = nest.cells + there + (pushes - 1 - place.need);\n",
    "        const uint run = (uint)((min(closers - j, pushes - place.need) + stride - 1) / stride);\n",
    "        uint k = 0;\n",
    "        if (GPI_WG == 1)\n",
    "            k = gpi_join_rows(match, opener, closer - j, (gpi_index)there, (gpi_index)begin, run);\n",
    "        for (; k < run; k++)\n",
    "            gpi_join_pair(in, match, gpi_cell_index(opener[-(long)(k * stride)], (gpi_index)there),\n",
    "                          gpi_cell_index(closer[-(long)(j + k * stride)], (gpi_index)begin), begin, &note);\n",
    "        note.searches++;\n",
    "        note.joined += run;\n",
    "        j += run * stride;\n",
    "        place.need += run * stride;\n",
    "        if (j < closers) place = gpi_place_behind(nest, place);\n",
    "    }\n",
    "    return note;\n",
    "}\n",
    "\n",
    "/* Closers that meet openers of other tiles tend to be in the last tiles. Groups come from both ends in turns,\n",
    "   because threads of a CPU take many in a row each. */\n",
    "static uint gpi_join_tile_of(uint group, uint groups)\n",
    "{\n",
    "    return group % 2 ? groups - 1 - group / 2 : group / 2;\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_brackets_join(GPI_INPUT_PARAMETERS, __global gpi_index *match, ulong match_at,\n",
    "                                 GPI_SCRATCH_PARAMETERS)\n",
    "{\n",
    "    GPI_NEST_SET(nest);\n",
    "    const uint tile = gpi_join_tile_of((uint)get_group_id(0), (uint)get_num_groups(0));\n",
    "    GPI_SHARED(gpi_join_memory, shared);\n",
    "    const uint l = (uint)get_local_id(0);\n",
    "    if (tile >= gpi_tiles_of(nest.n) || nest.tree[leaves + tile].pops == 0) return;\n",
    "    gpi_note_add(nest, tile, gpi_join_tile(in + in_at, match + match_at, nest, tile, l, GPI_WG), shared);\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_brackets_enclose(GPI_INPUT_PARAMETERS, __global gpi_index *parent, ulong parent_at,\n",
    "                                    uint parents, __global gpi_index *depth, ulong depth_at, uint depths,\n",
    "                                    GPI_SCRATCH_PARAMETERS)\n",
    "{\n",
    "    GPI_NEST_SET(nest);\n",
    "    GPI_SHARED(gpi_pair_memory, shared);\n",
    "    gpi_enclose_group(in + in_at, nest, parent + parent_at, parents != 0, depth + depth_at, depths != 0,\n",
    "                      shared);\n",
    "}\n",
    "\n",
    "/* ------------------------------------------------------------------ measure, report */\n",
    "\n",
    "GPI_KERNEL void gp_brackets_measure(GPI_INPUT_PARAMETERS, GPI_SCRATCH_PARAMETERS)\n",
    "{\n",
    "    GPI_NEST_SET(nest);\n",
    "    GPI_SHARED(gpi_pair_memory, shared);\n",
    "    const uint tile = (uint)get_group_id(0);\n",
    "    if (tile >= gpi_tiles_of(nest.n)) return;\n",
    "    gpi_measure_tile(in + in_at, nest, tile, shared);\n",
    "}\n",
    "\n",
    "/* gp_brackets_errors, in ulongs */\n",
    "#define GPI_ERRORS_CLOSERS 0\n",
    "#define GPI_ERRORS_FIRST_CLOSER 1\n",
    "#define GPI_ERRORS_OPENERS 2\n",
    "#define GPI_ERRORS_FIRST_OPENER 3\n",
    "#define GPI_ERRORS_MISMATCHES 4\n",
    "#define GPI_ERRORS_FIRST_MISMATCH 5\n",
    "#define GPI_ERRORS_MAX_DEPTH 6\n",
    "#define GPI_ERRORS_JOINED 7\n",
    "#define GPI_ERRORS_SEARCHES 8\n",
    "\n",
    "/* The first closer that finds the stack empty: down the tree, to where more is popped than there is. */\n",
    "static ulong gpi_first_unmatched_closer(gpi_nest nest)\n",
    "{\n",
    "    gpi_index height = 0;\n",
    "    uint x = 1;\n",
    "    if (nest.tree[1].pops == 0) return ~0ul;\n",
    "    while (x < nest.leaves) {\n",
    "        const gpi_node left = nest.tree[2 * x];\n",
    "        x = 2 * x;\n",
    "        if (left.pops > height) continue;\n",
    "        height += left.pushes - left.pops;\n",
    "        x++;\n",
    "    }\n",
    "    const uint tile = x - nest.leaves;\n",
    "    const ulong end = gpi_tile_begin(tile) + gpi_tile_length(nest, tile);\n",
    "    return gpi_cell_index(nest.cells[end - 1 - height], (gpi_index)gpi_tile_begin(tile));\n",
    "}\n",
    "\n",
    "/* The lowest opener of the stack that is left. */\n",
    "static ulong gpi_first_unmatched_opener(gpi_nest nest)\n",
    "{\n",
    "    const gpi_index left = nest.tree[1].pushes;\n",
    "    if (left == 0) return ~0ul;\n",
    "    return gpi_opener_at(nest, gpi_tiles_descend(nest.tree, nest.leaves, 1, left - 1));\n",
    "}\n",
    "\n",
    "/* What is said of tiles first, first + stride, ... */\n",
    "typedef struct gpi_summary {\n",
    "    ulong mismatches, first, joined, searches, depth;\n",
    "} gpi_summary;\n",
    "\n",
    "static gpi_summary gpi_summary_of(gpi_nest nest, uint first, uint stride)\n",
    "{\n",
    "    const uint tiles = gpi_tiles_of(nest.n);\n",
    "    gpi_summary sum = {0, ~0ul, 0, 0, 0};\n",
    "    for (uint t = first; t < tiles; t += stride) {\n",
    "        const gpi_note note = nest.notes[t];\n",
    "        const ulong height = gpi_tiles_before(nest.tree, nest.leaves, t).pushes;\n",
    "        if (note.mismatches) sum.first = min(sum.first, gpi_tile_begin(t) + note.first);\n",
    "        sum.mismatches += note.mismatches;\n",
    "        sum.joined += note.joined;\n",
    "        sum.searches += note.searches;\n",
    "        sum.depth = max(sum.depth, height + note.rise);\n",
    "    }\n",
    "    return sum;\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_brackets_report(GPI_COUNT_PARAMETERS, GPI_SCRATCH_PARAMETERS, __global ulong *errors,\n",
    "                                   ulong errors_at)\n",
    "{\n",
    "    GPI_NEST_SET(nest);\n",
    "    __local gpi_summary sums[GPI_WG];\n",
    "    const uint l = (uint)get_local_id(0);\n",
    "    gpi_summary sum = gpi_summary_of(nest, l, GPI_WG);\n",
    "    sums[l] = sum;\n",
    "    gpi_sync(); /* the sums of all items are there */\n",
    "    if (l != 0) return;\n",
    "    for (uint j = 1; j < GPI_WG; j++) {\n",
    "        sum.mismatches += sums[j].mismatches;\n",
    "        sum.first = min(sum.first, sums[j].first);\n",
    "        sum.joined += sums[j].joined;\n",
    "        sum.searches += sums[j].searches;\n",
    "        sum.depth = max(sum.depth, sums[j].depth);\n",
    "    }\n",
    "    errors += errors_at * 9;\n",
    "    errors[GPI_ERRORS_CLOSERS] = nest.n ? nest.tree[1].pops : 0;\n",
    "    errors[GPI_ERRORS_FIRST_CLOSER] = nest.n ? gpi_first_unmatched_closer(nest) : ~0ul;\n",
    "    errors[GPI_ERRORS_OPENERS] = nest.n ? nest.tree[1].pushes : 0;\n",
    "    errors[GPI_ERRORS_FIRST_OPENER] = nest.n ? gpi_first_unmatched_opener(nest) : ~0ul;\n",
    "    errors[GPI_ERRORS_MISMATCHES] = sum.mismatches;\n",
    "    errors[GPI_ERRORS_FIRST_MISMATCH] = sum.first;\n",
    "    errors[GPI_ERRORS_MAX_DEPTH] = sum.depth;\n",
    "    errors[GPI_ERRORS_JOINED] = sum.joined;\n",
    "    errors[GPI_ERRORS_SEARCHES] = sum.searches;\n",
    "}\n",
};
/* ---- End file kernels/brackets.cl ---- */

/* ---- Begin file kernels/map.cl ---- */
static const char *const gpi_kernel_map[] = {
    "#line 1 \"kernels/map.cl\"\n",
    "/* map.cl - out[i] = f(x[i], y[i], z[i], i)\n",
    "\n",
    "   f is gpi_map, of the user's expression or of the library's own: a fill is f = a, an iota f = a + i b. With\n",
    "   GPI_LAG the second input is one element late, and the first element stays as it is:\n",
    "\n",
    "       x   | x0 | x1 | x2 | x3 |        out   | x0 | f(x1, x0) | f(x2, x1) | f(x3, x2) |\n",
    "\n",
    "   In place, the output is one of the inputs: an item has read all elements that it writes before it writes\n",
    "   the first one of them, and nobody else reads them (a late input is never the output).\n",
    "\n",
    "   Parameters, which the host writes ahead\n",
    "       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1: an item has a span of elements, or every GPI_WG-th of a tile\n",
    "       GPI_WG, GPI_ITEMS                     items of a group; local: elements of an item\n",
    "       GPI_INPUTS                            0 .. 3\n",
    "       GPI_IN_0, GPI_IN_1, GPI_IN_2          types in memory of the inputs that there are; GPI_HALF_0 ... 1:\n",
    "   half GPI_X, GPI_Y, GPI_Z                   types as operands: halves are floats; int where there is no\n",
    "   input GPI_OUT, GPI_OUT_HALF, GPI_LANE       the output's in memory; 1: half; as the value of gpi_map\n",
    "       GPI_VECTOR                            type of 16 elements of the output; not defined: there is none\n",
    "       GPI_LAG                               1: the second input is late\n",
    "       gpi_map(x, y, z, i, a, b)             the function                                              */\n",
    "#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1\n",
    "#error \"exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1\"\n",
    "#endif\n",
    "#if GPI_SHAPE_SERIAL && GPI_WG != 1\n",
    "#error \"the serial shape has one item a group\"\n",
    "#endif\n",
    "#if !defined(GPI_INPUTS) || GPI_INPUTS > 3\n",
    "#error \"GPI_INPUTS must be 0 .. 3\"\n",
    "#endif\n",
    "#if GPI_LAG && GPI_INPUTS != 2\n",
    "#error \"GPI_LAG takes two inputs\"\n",
    "#endif\n",
    "\n",
    "/* What a call reads. */\n",
    "typedef struct gpi_inputs {\n",
    "#if GPI_INPUTS > 0\n",
    "    __global const GPI_IN_0 *x;\n",
    "#endif\n",
    "#if GPI_INPUTS > 1\n",
    "    __global const GPI_IN_1 *y;\n",
    "#endif\n",
    "#if GPI_INPUTS > 2\n",
    "    __global const GPI_IN_2 *z;\n",
    "#endif\n",
    "    ulong a, b; /* constants */\n",
    "} gpi_inputs;\n",
    "\n",
    "#if GPI_INPUTS > 0\n",
    "#define GPI_X_PARAMETERS __global const GPI_IN_0 *x, ulong x_offset,\n",
    "#define GPI_X_SET(in) (in).x = x + x_offset;\n",
    "#else\n",
    "#define GPI_X_PARAMETERS\n",
    "#define GPI_X_SET(in)\n",
    "#endif\n",
    "#if GPI_INPUTS > 1\n",
    "#define GPI_Y_PARAMETERS __global const GPI_IN_1 *y, ulong y_offset,\n",
    "#define GPI_Y_SET(in) (in).y = y + y_offset;\n",
    "#else\n",
    "#define GPI_Y_PARAMETERS\n",
    "#define GPI_Y_SET(in)\n",
    "#endif\n",
    "#if GPI_INPUTS > 2\n",
    "#define GPI_Z_PARAMETERS __global const GPI_IN_2 *z, ulong z_offset,\n",
    "#define GPI_Z_SET(in) (in).z = z + z_offset;\n",
    "#else\n",
    "#define GPI_Z_PARAMETERS\n",
    "#define GPI_Z_SET(in)\n",
    "#endif\n",
    "\n",
    "#if GPI_HALF_0\n",
    "#define GPI_READ_X(p, i) vload_half(i, p)\n",
    "#else\n",
    "#define GPI_READ_X(p, i) (p)[i]\n",
    "#endif\n",
    "#if GPI_HALF_1\n",
    "#define GPI_READ_Y(p, i) vload_half(i, p)\n",
    "#else\n",
    "#define GPI_READ_Y(p, i) (p)[i]\n",
    "#endif\n",
    "#if GPI_HALF_2\n",
    "#define GPI_READ_Z(p, i) vload_half(i, p)\n",
    "#else\n",
    "#define GPI_READ_Z(p, i) (p)[i]\n",
    "#endif\n",
    "#if GPI_OUT_HALF\n",
    "#define GPI_WRITE(p, i, v) vstore_half(v, i, p)\n",
    "#else\n",
    "#define GPI_WRITE(p, i, v) (p)[i] = (v)\n",
    "#endif\n",
    "\n",
    "/* Element i of the output; i > 0 with GPI_LAG. */\n",
    "GPI_INLINE GPI_LANE gpi_value(gpi_inputs in, ulong i)\n",
    "{\n",
    "    GPI_X x = 0;\n",
    "    GPI_Y y = 0;\n",
    "    GPI_Z z = 0;\n",
    "#if GPI_INPUTS > 0\n",
    "    x = GPI_READ_X(in.x, i);\n",
    "#endif\n",
    "#if GPI_INPUTS > 1\n",
    "    y = GPI_READ_Y(in.y, i - GPI_LAG);\n",
    "#endif\n",
    "#if GPI_INPUTS > 2\n",
    "    z = GPI_READ_Z(in.z, i);\n",
    "#endif\n",
    "    return gpi_map(x, y, z, i, in.a, in.b);\n",
    "}\n",
    "\n",
    "/* The same for any i. */\n",
    "GPI_INLINE GPI_LANE gpi_value_any(gpi_inputs in, ulong i)\n",
    "{\n",
    "#if GPI_LAG\n",
    "    if (i == 0) return (GPI_LANE)GPI_READ_X(in.x, 0);\n",
    "#endif\n",
    "    return gpi_value(in, i);\n",
    "}\n",
    "\n",
    "#if defined(GPI_VECTOR) && !GPI_OUT_HALF\n",
    "typedef GPI_VECTOR gpi_out_vector __attribute__((aligned(sizeof(GPI_OUT))));\n",
    "#endif\n",
    "\n",
    "#if GPI_SHAPE_SERIAL\n",
    "/* How far ahead the next elements are asked for, in bytes: the hardware's own prefetching stops at every\n",
    "   page's end. Once a cache line: a vector of small elements is less than one. */\n",
    "#define GPI_AHEAD(p, i, hint) \\\n",
    "    if (sizeof *(p) >= 4 || (i) % 64 < 16) GPI_PREFETCH_##hint((p) + (i) + 2048 / sizeof *(p))\n",
    "\n",
    "static void gpi_prefetch(gpi_inputs in, __global GPI_OUT *out, ulong i)\n",
    "{\n",
    "#if GPI_INPUTS > 0\n",
    "    GPI_AHEAD(in.x, i, READ);\n",
    "#endif\n",
    "#if GPI_INPUTS > 1 && !GPI_LAG\n",
    "    GPI_AHEAD(in.y, i, READ);\n",
    "#endif\n",
    "#if GPI_INPUTS > 2\n",
    "    GPI_AHEAD(in.z, i, READ);\n",
    "#endif\n",
    "    GPI_AHEAD(out, i, WRITE);\n",
    "}\n",
    "\n",
    "/* Elements i .. i + 15, i > 0 with GPI_LAG. */\n",
    "GPI_INLINE void gpi_write_vector(gpi_inputs in, __global GPI_OUT *out, ulong i)\n",
    "{\n",
    "    GPI_LANE lane[16];\n",
    "    gpi_prefetch(in, out, i);\n",
    "    for (uint k = 0; k < 16; k++) lane[k] = gpi_value(in, i + k);\n",
    "#if GPI_OUT_HALF\n",
    "    vstore_half16(vload16(0, lane), 0, out + i);\n",
    "#elif defined(GPI_VECTOR)\n",
    "    GPI_STORE_VECTOR(gpi_out_vector, vload16(0, lane), out + i);\n",
    "#else\n",
    "    for (uint k = 0; k < 16; k++) out[i + k] = lane[k];\n",
    "#endif\n",
    "}\n",
    "\n",
    "GPI_INLINE void gpi_tile(gpi_inputs in, __global GPI_OUT *out, ulong first, ulong end)\n",
    "{\n",
    "    ulong i = first;\n",
    "    if (GPI_LAG && i == 0 && end > 0) {\n",
    "        GPI_WRITE(out, 0, gpi_value_any(in, 0));\n",
    "        i = 1;\n",
    "    }\n",
    "    for (; i + 16 <= end; i += 16) gpi_write_vector(in, out, i);\n",
    "    for (; i < end; i++) GPI_WRITE(out, i, gpi_value(in, i));\n",
    "}\n",
    "#else\n",
    "/* Item l has elements first + l, first + l + GPI_WG, ...: neighbours read and write neighbours. All reads\n",
    "   come first, so that they are under way together. */\n",
    "static void gpi_tile(gpi_inputs in, __global GPI_OUT *out, ulong first, ulong end)\n",
    "{\n",
    "    const ulong begin = first + get_local_id(0);\n",
    "    GPI_LANE lane[GPI_ITEMS];\n",
    "    if (first + GPI_WG * GPI_ITEMS <= end) {\n",
    "        for (uint k = 0; k < GPI_ITEMS; k++) lane[k] = gpi_value_any(in, begin + k * GPI_WG);\n",
    "        for (uint k = 0; k < GPI_ITEMS; k++) GPI_WRITE(out, begin + k * GPI_WG, lane[k]);\n",
    "    } else {\n",
    "        for (ulong i = begin; i < end; i += GPI_WG) GPI_WRITE(out, i, gpi_value_any(in, i));\n",
    "    }\n",
    "}\n",
    "#endif\n",
    "\n",
    "GPI_KERNEL void gp_map_tiles(GPI_X_PARAMETERS GPI_Y_PARAMETERS GPI_Z_PARAMETERS __global GPI_OUT *out,\n",
    "                             ulong out_offset, ulong a, ulong b, ulong span, GPI_COUNT_PARAMETERS,\n",
    "                             volatile __global uint *counters)\n",
    "{\n",
    "    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);\n",
    "    const ulong first = get_group_id(0) * span;\n",
    "    gpi_inputs in;\n",
    "    GPI_X_SET(in)\n",
    "    GPI_Y_SET(in)\n",
    "    GPI_Z_SET(in)\n",
    "    in.a = a;\n",
    "    in.b = b;\n",
    "    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);\n",
    "    if (first < n) gpi_tile(in, out + out_offset, first, min(n, first + span));\n",
    "}\n",
};
/* ---- End file kernels/map.cl ---- */

/* ---- Begin file kernels/random.cl ---- */
static const char *const gpi_kernel_random[] = {
    "#line 1 \"kernels/random.cl\"\n",
    "/* random.cl - random numbers by counter: Philox4x32-10 (Salmon, Moraes, Dror & Shaw, Parallel random numbers:\n",
    "   as easy as 1, 2, 3, SC11)\n",
    "\n",
    "       block b of a stream    philox(counter = (b, stream), key = seed): four words of 32 bits\n",
    "       element e              words GPI_WORDS e .. GPI_WORDS e + GPI_WORDS - 1 of the blocks in a row\n",
    "       out[i]                 is made of element first_element + i\n",
    "\n",
    "       blocks     | w0 w1 w2 w3 | w4 w5 w6 w7 | ...\n",
    "       elements   | e0 e1 e2 e3 | e4 e5 e6 e7 |       GPI_WORDS 1\n",
    "                  | e0    e1    | e2    e3    |       GPI_WORDS 2\n",
    "\n",
    "   What an element is does not depend on where it is computed. Normal numbers come in pairs (Box & Muller\n",
    "   1958), and both of a pair are of one block.\n",
    "\n",
    "   Parameters, which the host writes ahead\n",
    "       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1: an item makes eight blocks at a time, or one\n",
    "       GPI_WG, GPI_ITEMS                     items of a group; local: blocks of an item\n",
    "       GPI_WORDS                             1, 2: words of an element\n",
    "       GPI_KIND                              0: bits, 1: uniform floats, 2: integers of a range, 3: normal\n",
    "       GPI_OUT, GPI_OUT_HALF                 type in memory; 1: half\n",
    "       GPI_LANE                              type as an operand: a half is a float\n",
    "       GPI_FRACTION                          floats: bits of a fraction in [0, 1)\n",
    "       GPI_AS_LANE(bits)                     normal: a number of that type from its bits                 */\n",
    "#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1\n",
    "#error \"exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1\"\n",
    "#endif\n",
    "#if GPI_SHAPE_SERIAL && GPI_WG != 1\n",
    "#error \"the serial shape has one item a group\"\n",
    "#endif\n",
    "#if GPI_WORDS != 1 && GPI_WORDS != 2\n",
    "#error \"GPI_WORDS must be 1 or 2\"\n",
    "#endif\n",
    "#if GPI_KIND > 3\n",
    "#error \"GPI_KIND must be 0 .. 3\"\n",
    "#endif\n",
    "\n",
    "#define GPI_PER_BLOCK (4 / GPI_WORDS) /* elements of a block */\n",
    "\n",
    "/* Blocks side by side, one a lane. */\n",
    "#if GPI_SHAPE_SERIAL\n",
    "#define GPI_BLOCKS 8\n",
    "typedef uint8 gpi_lanes;\n",
    "#define GPI_LANES_MAKE(x) (uint8)(x)\n",
    "#define GPI_LANES_WIDE(x) convert_ulong8(x)\n",
    "#define GPI_LANES_NARROW(x) convert_uint8(x)\n",
    "#define GPI_LANES_STORE(x, p) vstore8(x, 0, p)\n",
    "#define GPI_LANE_NUMBERS (ulong8)(0, 1, 2, 3, 4, 5, 6, 7)\n",
    "typedef ulong8 gpi_wide_lanes;\n",
    "#else\n",
    "#define GPI_BLOCKS 1\n",
    "typedef uint gpi_lanes;\n",
    "#define GPI_LANES_MAKE(x) (x)\n",
    "#define GPI_LANES_WIDE(x) (ulong)(x)\n",
    "#define GPI_LANES_NARROW(x) (uint)(x)\n",
    "#define GPI_LANES_STORE(x, p) *(p) = (x)\n",
    "#define GPI_LANE_NUMBERS 0ul\n",
    "typedef ulong gpi_wide_lanes;\n",
    "#endif\n",
    "\n",
    "/* A counter, or the words that it becomes. */\n",
    "typedef struct gpi_block {\n",
    "    gpi_lanes word[4];\n",
    "} gpi_block;\n",
    "\n",
    "GPI_INLINE gpi_block gpi_philox(gpi_block c, uint key0, uint key1)\n",
    "{\n",
    "    for (uint round = 0; round < 10; round++) {\n",
    "        const gpi_wide_lanes p = GPI_LANES_WIDE(c.word[0]) * 0xd2511f53ul;\n",
    "        const gpi_wide_lanes q = GPI_LANES_WIDE(c.word[2]) * 0xcd9e8d57ul;\n",
    "        c.word[0] = GPI_LANES_NARROW(q >> 32) ^ c.word[1] ^ GPI_LANES_MAKE(key0);\n",
    "        c.word[1] = GPI_LANES_NARROW(q & 0xfffffffful);\n",
    "        c.word[2] = GPI_LANES_NARROW(p >> 32) ^ c.word[3] ^ GPI_LANES_MAKE(key1);\n",
    "        c.word[3] = GPI_LANES_NARROW(p & 0xfffffffful);\n",
    "        key0 += 0x9e3779b9u;\n",
    "        key1 += 0xbb67ae85u;\n",
    "    }\n",
    "    return c;\n",
    "}\n",
    "\n",
    "/* The words of blocks b, b + 1, ... in a row. */\n",
    "GPI_INLINE void gpi_words(ulong b, ulong seed, ulong stream, uint word[4 * GPI_BLOCKS])\n",
    "{\n",
    "    const gpi_wide_lanes at = b + GPI_LANE_NUMBERS;\n",
    "    uint by_place[4][GPI_BLOCKS];\n",
    "    gpi_block c;\n",
    "    c.word[0] = GPI_LANES_NARROW(at & 0xfffffffful);\n",
    "    c.word[1] = GPI_LANES_NARROW(at >> 32);\n",
    "    c.word[2] = GPI_LANES_MAKE((uint)stream);\n",
    "    c.word[3] = GPI_LANES_MAKE((uint)(stream >> 32));\n",
    "    c = gpi_philox(c, (uint)seed, (uint)(seed >> 32));\n",
    "    for (uint k = 0; k < 4; k++) GPI_LANES_STORE(c.word[k], by_place[k]);\n",
    "    for (uint k = 0; k < 4 * GPI_BLOCKS; k++) word[k] = by_place[k % 4][k / 4];\n",
    "}\n",
    "\n",
    "#if GPI_KIND == 1 || GPI_KIND == 3\n",
    "/* Element e as a fraction in [0, 1), which the type holds exactly. */\n",
    "GPI_INLINE GPI_LANE gpi_fraction(const uint *word, uint e)\n",
    "{\n",
    "#if GPI_WORDS == 1\n",
    "    return (GPI_LANE)(word[e] >> (32 - GPI_FRACTION)) * (GPI_LANE)(1.0f / (1 << GPI_FRACTION));\n",
    "#else\n",
    "    const ulong w = (ulong)word[2 * e + 1] << 32 | word[2 * e];\n",
    "    return (GPI_LANE)(w >> (64 - GPI_FRACTION)) / (GPI_LANE)(1ul << GPI_FRACTION);\n",
    "#endif\n",
    "}\n",
    "#else\n",
    "GPI_INLINE ulong gpi_bits(const uint *word, uint e)\n",
    "{\n",
    "#if GPI_WORDS == 1\n",
    "    return word[e];\n",
    "#else\n",
    "    return (ulong)word[2 * e + 1] << 32 | word[2 * e];\n",
    "#endif\n",
    "}\n",
    "#endif\n",
    "\n",
    "/* The elements of the blocks whose words these are. a, b: low and range; mean and deviation, by their bits.\n",
    " */\n",
    "GPI_INLINE void gpi_elements(const uint *word, ulong a, ulong b, GPI_LANE *element)\n",
    "{\n",
    "#if GPI_KIND == 3\n",
    "    /* 1 minus a fraction is never 0, and exact */\n",
    "    for (uint e = 0; e < GPI_BLOCKS * GPI_PER_BLOCK; e += 2) {\n",
    "        const GPI_LANE u = 1 - gpi_fraction(word, e), v = gpi_fraction(word, e + 1);\n",
    "        const GPI_LANE radius = GPI_AS_LANE(b) * sqrt(-2 * log(u));\n",
    "        element[e] = GPI_AS_LANE(a) + radius * cospi(2 * v);\n",
    "        element[e + 1] = GPI_AS_LANE(a) + radius * sinpi(2 * v);\n",
    "    }\n",
    "#else\n",
    "    for (uint e = 0; e < GPI_BLOCKS * GPI_PER_BLOCK; e++) {\n",
    "#if GPI_KIND == 0\n",
    "        element[e] = (GPI_LANE)gpi_bits(word, e);\n",
    "#elif GPI_KIND == 1\n",
    "        element[e] = gpi_fraction(word, e);\n",
    "#else\n",
    "        element[e] = (GPI_LANE)(a + mul_hi(gpi_bits(word, e), b));\n",
    "#endif\n",
    "    }\n",
    "#endif\n",
    "}\n",
    "\n",
    "#if GPI_OUT_HALF\n",
    "#define GPI_WRITE(p, i, v) vstore_half(v, i, p)\n",
    "#else\n",
    "#define GPI_WRITE(p, i, v) (p)[i] = (v)\n",
    "#endif\n",
    "\n",
    "#define GPI_RANDOM_PARAMETERS                                                                        \\\n",
    "    __global GPI_OUT *out, ulong out_offset, ulong seed, ulong stream, ulong first_element, ulong a, \\\n",
    "        ulong b, ulong span, GPI_COUNT_PARAMETERS, volatile __global uint *counters\n",
    "\n",
    "#if GPI_SHAPE_SERIAL\n",
    "/* out[i] for i in [span g, span g + span): eight blocks at a time, from the one in which the first element\n",
    " * is. */\n",
    "GPI_KERNEL void gp_random_tiles(GPI_RANDOM_PARAMETERS)\n",
    "{\n",
    "    const uint chunk = GPI_BLOCKS * GPI_PER_BLOCK;\n",
    "    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);\n",
    "    const ulong begin = get_group_id(0) * span, end = min(n, begin + span);\n",
    "    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);\n",
    "    out += out_offset;\n",
    "    for (ulong i = begin; i < end;) {\n",
    "        const uint skip = (uint)((first_element + i) % GPI_PER_BLOCK);\n",
    "        uint word[4 * GPI_BLOCKS];\n",
    "        GPI_LANE element[GPI_BLOCKS * GPI_PER_BLOCK];\n",
    "        gpi_words((first_element + i) / GPI_PER_BLOCK, seed, stream, word);\n",
    "        gpi_elements(word, a, b, element);\n",
    "        if (skip == 0 && i + chunk <= end) {\n",
    "            for (uint k = 0; k < chunk; k++) GPI_WRITE(out, i + k, element[k]);\n",
    "        } else {\n",
    "            for (uint k = skip; k < chunk && i + k - skip < end; k++)\n",
    "                GPI_WRITE(out, i + k - skip, element[k]);\n",
    "        }\n",
    "        i += chunk - skip;\n",
    "    }\n",
    "}\n",
    "#else\n",
    "/* GPI_WG blocks at a time. Each item makes one; neighbours then write neighbours. */\n",
    "GPI_KERNEL void gp_random_tiles(GPI_RANDOM_PARAMETERS)\n",
    "{\n",
    "    __local GPI_LANE near[GPI_WG * GPI_PER_BLOCK];\n",
    "    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);\n",
    "    const uint skip = (uint)(first_element % GPI_PER_BLOCK), l = (uint)get_local_id(0);\n",
    "    const ulong end = n + skip; /* elements from the first block on; those before `skip` are not wanted */\n",
    "    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);\n",
    "    out += out_offset;\n",
    "    for (uint k = 0; k < GPI_ITEMS; k++) {\n",
    "        const ulong first = (get_group_id(0) * GPI_ITEMS + k) * (GPI_WG * GPI_PER_BLOCK);\n",
    "        uint word[4];\n",
    "        GPI_LANE element[GPI_PER_BLOCK];\n",
    "        gpi_words(first_element / GPI_PER_BLOCK + first / GPI_PER_BLOCK + l, seed, stream, word);\n",
    "        gpi_elements(word, a, b, element);\n",
    "        for (uint e = 0; e < GPI_PER_BLOCK; e++) near[l * GPI_PER_BLOCK + e] = element[e];\n",
    "        barrier(CLK_LOCAL_MEM_FENCE); /* near is whole */\n",
    "        for (uint e = 0; e < GPI_PER_BLOCK; e++) {\n",
    "            const ulong at = first + e * GPI_WG + l;\n",
    "            if (at >= skip && at < end) GPI_WRITE(out, at - skip, near[e * GPI_WG + l]);\n",
    "        }\n",
    "        barrier(CLK_LOCAL_MEM_FENCE); /* near has been read */\n",
    "    }\n",
    "}\n",
    "#endif\n",
};
/* ---- End file kernels/random.cl ---- */

/* ---- Begin file kernels/gather.cl ---- */
static const char *const gpi_kernel_gather[] = {
    "#line 1 \"kernels/gather.cl\"\n",
    "/* gather.cl - elements by index\n",
    "\n",
    "       gather     out[i] = in[index[i]]\n",
    "       scatter    out[index[i]] = in[i]\n",
    "       unpack     out[i] = in[index[i]] where flag i is set; the others stay. index[i]: how many are set\n",
    "   before\n",
    "\n",
    "   `limit` is how many elements the indexed array has. An element whose index is not below it is skipped, and\n",
    "   counted. Where a flag is not set, the index is not looked at.\n",
    "\n",
    "   A batch's lines are asked for before the first of them is used, so that their misses overlap.\n",
    "\n",
    "   Parameters, which the host writes ahead\n",
    "       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1: an item has a span of elements, or every GPI_WG-th of a tile\n",
    "       GPI_WG, GPI_ITEMS                     items of a group; local: elements of an item\n",
    "       GPI_OUT                               an element: 1, 2, 4, 8 or 16 bytes that nobody looks into\n",
    "       GPI_INDEX                             uint or ulong\n",
    "       GPI_FLAG                              type of a flag; not defined: there are none\n",
    "       GPI_SCATTER                           1: the output is what is indexed                            */\n",
    "#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1\n",
    "#error \"exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1\"\n",
    "#endif\n",
    "#if GPI_SHAPE_SERIAL && GPI_WG != 1\n",
    "#error \"the serial shape has one item a group\"\n",
    "#endif\n",
    "#if !defined(GPI_SCATTER)\n",
    "#error \"GPI_SCATTER must be 0 or 1\"\n",
    "#endif\n",
    "\n",
    "#define GPI_BATCH 64 /* elements whose lines are asked for together */\n",
    "\n",
    "/* What a call is about. */\n",
    "typedef struct gpi_moves {\n",
    "    __global const GPI_OUT *in;\n",
    "    __global GPI_OUT *out;\n",
    "    __global const GPI_INDEX *index;\n",
    "#ifdef GPI_FLAG\n",
    "    __global const GPI_FLAG *flag;\n",
    "#endif\n",
    "    ulong limit;\n",
    "} gpi_moves;\n",
    "\n",
    "#ifdef GPI_FLAG\n",
    "#define GPI_FLAG_PARAMETERS __global const GPI_FLAG *flag, ulong flag_offset,\n",
    "#define GPI_FLAG_SET(m) (m).flag = flag + flag_offset;\n",
    "#define GPI_WANTED(m, i) ((m).flag[i] != 0)\n",
    "#else\n",
    "#define GPI_FLAG_PARAMETERS\n",
    "#define GPI_FLAG_SET(m)\n",
    "#define GPI_WANTED(m, i) 1\n",
    "#endif\n",
    "\n",
    "/* Moves element i; 1 where it was skipped for its index. */\n",
    "GPI_INLINE uint gpi_move(gpi_moves m, ulong i)\n",
    "{\n",
    "    ulong at;\n",
    "    if (!GPI_WANTED(m, i)) return 0;\n",
    "    at = m.index[i];\n",
    "    if (at >= m.limit) return 1;\n",
    "#if GPI_SCATTER\n",
    "    m.out[at] = m.in[i];\n",
    "#else\n",
    "    m.out[i] = m.in[at];\n",
    "#endif\n",
    "    return 0;\n",
    "}\n",
    "\n",
    "#if GPI_SHAPE_SERIAL\n",
    "/* An address is made of any index, in range or not; a hint that leads nowhere does no harm. */\n",
    "GPI_INLINE void gpi_ask(gpi_moves m, ulong i)\n",
    "{\n",
    "#ifndef GPI_FLAG\n",
    "#if GPI_SCATTER\n",
    "    GPI_PREFETCH_WRITE(m.out + m.index[i]);\n",
    "#else\n",
    "    GPI_PREFETCH_READ(m.in + m.index[i]);\n",
    "#endif\n",
    "#endif\n",
    "}\n",
    "\n",
    "static uint gpi_tile(gpi_moves m, ulong first, ulong end)\n",
    "{\n",
    "    uint skipped = 0;\n",
    "    ulong i = first;\n",
    "    for (; i + 2 * GPI_BATCH <= end; i += GPI_BATCH) {\n",
    "        for (uint k = 0; k < GPI_BATCH; k++) gpi_ask(m, i + GPI_BATCH + k);\n",
    "        for (uint k = 0; k < GPI_BATCH; k++) skipped += gpi_move(m, i + k);\n",
    "    }\n",
    "    for (; i < end; i++) skipped += gpi_move(m, i);\n",
    "    return skipped;\n",
    "}\n",
    "#else\n",
    "static uint gpi_tile(gpi_moves m, ulong first, ulong end)\n",
    "{\n",
    "    uint skipped = 0;\n",
    "    for (uint k = 0; k < GPI_ITEMS; k++) {\n",
    "        const ulong i = first + k * GPI_WG + get_local_id(0);\n",
    "        if (i < end) skipped += gpi_move(m, i);\n",
    "    }\n",
    "    return skipped;\n",
    "}\n",
    "#endif\n",
    "\n",
    "GPI_KERNEL void gp_gather_tiles(__global const GPI_OUT *in, ulong in_offset, __global GPI_OUT *out,\n",
    "                                ulong out_offset, __global const GPI_INDEX *index, ulong index_offset,\n",
    "                                GPI_FLAG_PARAMETERS ulong limit, ulong span, GPI_COUNT_PARAMETERS,\n",
    "                                volatile __global uint *counters)\n",
    "{\n",
    "    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);\n",
    "    const ulong first = get_group_id(0) * span;\n",
    "    gpi_moves m;\n",
    "    uint skipped;\n",
    "    m.in = in + in_offset;\n",
    "    m.out = out + out_offset;\n",
    "    m.index = index + index_offset;\n",
    "    m.limit = limit;\n",
    "    GPI_FLAG_SET(m)\n",
    "    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);\n",
    "    if (first >= n) return;\n",
    "    skipped = gpi_tile(m, first, min(n, first + span));\n",
    "    if (skipped) (void)atomic_add(counters + GPI_COUNT_SKIPPED, skipped);\n",
    "}\n",
};
/* ---- End file kernels/gather.cl ---- */

/* ---- Begin file kernels/stencil.cl ---- */
static const char *const gpi_kernel_stencil[] = {
    "#line 1 \"kernels/stencil.cl\"\n",
    "/* stencil.cl - each element from its neighbours\n",
    "\n",
    "       weights       out(x, y) = sum over dx, dy of weight(dx, dy) * in(x + dx, y + dy)     |dx| <= RX, |dy|\n",
    "   <= RY expression    out(x, y) = gpi_map(here, x, i, j), in which at(dx, dy) is in(x + dx, y + dy)\n",
    "\n",
    "   A group has a tile of the output, and brings the tile with its rim near once; what lies beyond the borders\n",
    "   is made there and then, so that nothing later has to think of borders.\n",
    "\n",
    "       near   +--------------+\n",
    "              | rim    RY    |      rows of GPI_ROW elements: GPI_TILE_X and the rim on either side,\n",
    "              |  +--------+  |      RX pixels of GPI_CHANNELS elements each\n",
    "              |  |  tile  |RX|\n",
    "              |  +--------+  |\n",
    "              +--------------+\n",
    "\n",
    "   Parameters, which the host writes ahead\n",
    "       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1: the tile is in private, or in local memory\n",
    "       GPI_WG                                items of a group\n",
    "       GPI_NEAR                              __private or __local\n",
    "       GPI_RX, GPI_RY                        radii, 0 .. 8\n",
    "       GPI_CHANNELS                          elements of a pixel\n",
    "       GPI_TILE_X, GPI_TILE_Y                elements and rows of a tile; serial: GPI_TILE_X a multiple of 16\n",
    "       GPI_ROW                               GPI_TILE_X + 2 GPI_RX GPI_CHANNELS\n",
    "       GPI_BORDER                            0: clamp, 1: wrap, 2: constant\n",
    "       GPI_IN, GPI_IN_HALF, GPI_X            input in memory; 1: half; as an operand\n",
    "       GPI_OUT, GPI_OUT_HALF, GPI_LANE       output in memory; 1: half; as an operand\n",
    "       GPI_SUM                               type of weighted sums\n",
    "       GPI_ROUND(sum)                        a sum as GPI_LANE\n",
    "       GPI_WEIGHTS                           1: weights, 0: gpi_map                                       */\n",
    "#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1\n",
    "#error \"exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1\"\n",
    "#endif\n",
    "#if GPI_SHAPE_SERIAL && GPI_WG != 1\n",
    "#error \"the serial shape has one item a group\"\n",
    "#endif\n",
    "#if GPI_RX > 8 || GPI_RY > 8\n",
    "#error \"GPI_RX and GPI_RY must be 0 .. 8\"\n",
    "#endif\n",
    "#if GPI_BORDER > 2\n",
    "#error \"GPI_BORDER must be 0 .. 2\"\n",
    "#endif\n",
    "\n",
    "#define GPI_RIM (GPI_RX * GPI_CHANNELS)\n",
    "#define GPI_ROWS (GPI_TILE_Y + 2 * GPI_RY)\n",
    "#define GPI_LANES (GPI_SHAPE_SERIAL ? 16 : 1) /* elements that an item makes side by side */\n",
    "#define GPI_STEPS (GPI_TILE_X / GPI_LANES)    /* of a row */\n",
    "\n",
    "#if GPI_SHAPE_SERIAL\n",
    "static void gpi_sync(void) {} /* there is nobody else */\n",
    "#else\n",
    "static void gpi_sync(void) { barrier(CLK_LOCAL_MEM_FENCE); }\n",
    "#endif\n",
    "\n",
    "#if GPI_IN_HALF\n",
    "#define GPI_READ(p, i) vload_half(i, p)\n",
    "#else\n",
    "#define GPI_READ(p, i) (p)[i]\n",
    "#endif\n",
    "#if GPI_OUT_HALF\n",
    "#define GPI_WRITE(p, i, v) vstore_half(v, i, p)\n",
    "#else\n",
    "#define GPI_WRITE(p, i, v) (p)[i] = (v)\n",
    "#endif\n",
    "\n",
    "/* The picture, in elements: a row has `width` pixels. */\n",
    "typedef struct gpi_picture {\n",
    "    __global const GPI_IN *in;\n",
    "    long width, height, pitch;\n",
    "    GPI_X beyond; /* constant border */\n",
    "} gpi_picture;\n",
    "\n",
    "/* A position beyond the border, inside. */\n",
    "GPI_INLINE long gpi_inside(long p, long size)\n",
    "{\n",
    "#if GPI_BORDER == 1\n",
    "    const long q = p % size;\n",
    "    return q < 0 ? q + size : q;\n",
    "#else\n",
    "    return clamp(p, 0l, size - 1);\n",
    "#endif\n",
    "}\n",
    "\n",
    "/* The element at e of row y, wherever that is; both may be a radius and a tile beyond the borders. */\n",
    "GPI_INLINE GPI_X gpi_read_any(gpi_picture in, long e, long y)\n",
    "{\n",
    "    const bool inside = e >= 0 && e < in.width * GPI_CHANNELS && y >= 0 && y < in.height;\n",
    "    long pixel = (e + GPI_RIM) / GPI_CHANNELS - GPI_RX, channel; /* never negative before the division */\n",
    "    if (inside) return GPI_READ(in.in, y * in.pitch + e);\n",
    "    if (GPI_BORDER == 2) return in.beyond;\n",
    "    channel = e - pixel * GPI_CHANNELS;\n",
    "    pixel = gpi_inside(pixel, in.width);\n",
    "    return GPI_READ(in.in, gpi_inside(y, in.height) * in.pitch + pixel * GPI_CHANNELS + channel);\n",
    "}\n",
    "\n",
    "/* The tile whose first element is at (e, y), with its rim. */\n",
    "#if GPI_SHAPE_SERIAL\n",
    "static void gpi_stage(gpi_picture in, long e, long y, GPI_NEAR GPI_X *near)\n",
    "{\n",
    "    const long row_end = in.width * GPI_CHANNELS - (e - GPI_RIM);\n",
    "    const long end = min((long)GPI_ROW, max(row_end, 0l));\n",
    "    for (uint r = 0; r < GPI_ROWS; r++) {\n",
    "        const long at = y + r - GPI_RY;\n",
    "        long q = 0;\n",
    "        if (at >= 0 && at < in.height) {\n",
    "            for (; q < GPI_RIM; q++) near[q] = gpi_read_any(in, e - GPI_RIM + q, at);\n",
    "            for (; q < end; q++) near[q] = GPI_READ(in.in, at * in.pitch + (e - GPI_RIM) + q);\n",
    "        }\n",
    "        for (; q < GPI_ROW; q++) near[q] = gpi_read_any(in, e - GPI_RIM + q, at);\n",
    "        near += GPI_ROW;\n",
    "    }\n",
    "}\n",
    "#else\n",
    "static void gpi_stage(gpi_picture in, long e, long y, GPI_NEAR GPI_X *near)\n",
    "{\n",
    "    for (uint k = (uint)get_local_id(0); k < GPI_ROWS * GPI_ROW; k += GPI_WG)\n",
    "        near[k] = gpi_read_any(in, e - GPI_RIM + k % GPI_ROW, y + k / GPI_ROW - GPI_RY);\n",
    "}\n",
    "#endif\n",
    "\n",
    "#if GPI_WEIGHTS\n",
    "#define GPI_WEIGHT_PARAMETERS __global const float *weights, ulong weights_offset,\n",
    "#define GPI_WEIGHT_ARGUMENT , weights + weights_offset\n",
    "#define GPI_WEIGHT_PARAMETER , __global const float *weight\n",
    "#else\n",
    "#define GPI_WEIGHT_PARAMETERS\n",
    "#define GPI_WEIGHT_ARGUMENT\n",
    "#define GPI_WEIGHT_PARAMETER\n",
    "#endif\n",
    "\n",
    "/* GPI_LANES elements side by side; each weight is read once for them. The first one is element e of row y. */\n",
    "GPI_INLINE void gpi_elements(GPI_NEAR const GPI_X *here, ulong e, ulong y, GPI_LANE *out GPI_WEIGHT_PARAMETER)\n",
    "{\n",
    "#if GPI_WEIGHTS\n",
    "    GPI_SUM sum[GPI_LANES];\n",
    "    for (uint k = 0; k < GPI_LANES; k++) sum[k] = 0;\n",
    "    for (int dy = -GPI_RY; dy <= GPI_RY; dy++) {\n",
    "        for (int dx = -GPI_RX; dx <= GPI_RX; dx++) {\n",
    "            GPI_NEAR const GPI_X *from = here + dy * GPI_ROW + dx * GPI_CHANNELS;\n",
    "            const GPI_SUM w = *weight++;\n",
    "            for (uint k = 0; k < GPI_LANES; k++) sum[k] += w * (GPI_SUM)from[k];\n",
    "        }\n",
    "    }\n",
    "    for (uint k = 0; k < GPI_LANES; k++) out[k] = GPI_ROUND(sum[k]);\n",
    "#else\n",
    "    for (uint k = 0; k < GPI_LANES; k++) out[k] = gpi_map(here + k, here[k], (e + k) / GPI_CHANNELS, y);\n",
    "#endif\n",
    "}\n",
    "\n",
    "GPI_KERNEL void gp_stencil_tiles(__global const GPI_IN *in, ulong in_offset, ulong in_pitch,\n",
    "                                 __global GPI_OUT *out, ulong out_offset, ulong out_pitch,\n",
    "                                 GPI_WEIGHT_PARAMETERS ulong width, ulong height, ulong tiles_across,\n",
    "                                 GPI_X beyond)\n",
    "{\n",
    "    GPI_NEAR GPI_X near[GPI_ROWS * GPI_ROW];\n",
    "    const ulong first_x = get_group_id(0) % tiles_across * GPI_TILE_X;\n",
    "    const ulong first_y = get_group_id(0) / tiles_across * GPI_TILE_Y;\n",
    "    const uint across = (uint)min((ulong)GPI_TILE_X, width * GPI_CHANNELS - first_x);\n",
    "    const uint down = (uint)min((ulong)GPI_TILE_Y, height - first_y);\n",
    "    gpi_picture picture;\n",
    "    picture.in = in + in_offset;\n",
    "    picture.width = (long)width;\n",
    "    picture.height = (long)height;\n",
    "    picture.pitch = (long)in_pitch;\n",
    "    picture.beyond = beyond;\n",
    "    gpi_stage(picture, (long)first_x, (long)first_y, near);\n",
    "    gpi_sync(); /* the tile is near */\n",
    "    out += out_offset + first_y * out_pitch + first_x;\n",
    "    for (uint k = (uint)get_local_id(0); k < GPI_STEPS * GPI_TILE_Y; k += GPI_WG) {\n",
    "        const uint column = k % GPI_STEPS * GPI_LANES, row = k / GPI_STEPS;\n",
    "        GPI_LANE lane[GPI_LANES];\n",
    "        if (row >= down || column >= across) continue;\n",
    "        gpi_elements(near + (row + GPI_RY) * GPI_ROW + GPI_RIM + column, first_x + column, first_y + row,\n",
    "                     lane GPI_WEIGHT_ARGUMENT);\n",
    "        for (uint l = 0; l < GPI_LANES && column + l < across; l++)\n",
    "            GPI_WRITE(out, row * out_pitch + column + l, lane[l]);\n",
    "    }\n",
    "}\n",
};
/* ---- End file kernels/stencil.cl ---- */

/* ---- Begin file src/error.c ---- */
/* error.c - results, error texts, the log. */

#if defined(_MSC_VER)
#define GPI_THREAD_LOCAL __declspec(thread)
#elif defined(__cplusplus)
#define GPI_THREAD_LOCAL thread_local
#else
#define GPI_THREAD_LOCAL __thread
#endif

/* Text of the last failure that happened without a context. */
static GPI_THREAD_LOCAL char gpi_orphan_error[1024];

GP_API const char *gp_error_string(gp_result result)
{
    switch (result) {
#define GPI_RESULT_CASE(name, value, text) \
    case name: return #name ": " text;
        GP_RESULTS(GPI_RESULT_CASE)
#undef GPI_RESULT_CASE
    default: return "not a gp_result";
    }
}

GP_API const char *gp_last_error(const gp_context *gp) { return gp ? gp->error : gpi_orphan_error; }

static const char *gpi_result_name(gp_result result)
{
    switch (result) {
#define GPI_RESULT_CASE(name, value, text) \
    case name: return #name;
        GP_RESULTS(GPI_RESULT_CASE)
#undef GPI_RESULT_CASE
    default: return "?";
    }
}

static void gpi_log(const gp_context *gp, gp_log_level level, const char *format, ...)
{
    char text[1024];
    va_list args;
    if (!gp || !gp->desc.log) return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    gp->desc.log(level, text, gp->desc.log_user);
}

/* Records the text of a failure, tells the logger, and returns `result`. */
static gp_result gpi_fail(gp_context *gp, gp_result result, const char *format, ...)
{
    char *text = gp ? gp->error : gpi_orphan_error;
    const size_t size = gp ? sizeof gp->error : sizeof gpi_orphan_error;
    const int head = snprintf(text, size, "%s: ", gpi_result_name(result));
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text + head, size - (size_t)head, format, args);
    va_end(args);
    if (gp && gp->desc.log) gp->desc.log(GP_LOG_ERROR, text, gp->desc.log_user);
    return result;
}

/* The text of printf, to be freed; NULL when out of memory. */
static char *gpi_format(const char *format, ...)
{
    va_list args;
    int length;
    char *text;
    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    text = length < 0 ? NULL : (char *)malloc((size_t)length + 1);
    if (!text) return NULL;
    va_start(args, format);
    (void)vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

#define GPI_CL_ERRORS(X)                            \
    X(CL_DEVICE_NOT_FOUND)                          \
    X(CL_DEVICE_NOT_AVAILABLE)                      \
    X(CL_COMPILER_NOT_AVAILABLE)                    \
    X(CL_MEM_OBJECT_ALLOCATION_FAILURE)             \
    X(CL_OUT_OF_RESOURCES)                          \
    X(CL_OUT_OF_HOST_MEMORY)                        \
    X(CL_PROFILING_INFO_NOT_AVAILABLE)              \
    X(CL_BUILD_PROGRAM_FAILURE)                     \
    X(CL_MAP_FAILURE)                               \
    X(CL_MISALIGNED_SUB_BUFFER_OFFSET)              \
    X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) \
    X(CL_LINK_PROGRAM_FAILURE)                      \
    X(CL_INVALID_VALUE)                             \
    X(CL_INVALID_DEVICE_TYPE)                       \
    X(CL_INVALID_PLATFORM)                          \
    X(CL_INVALID_DEVICE)                            \
    X(CL_INVALID_CONTEXT)                           \
    X(CL_INVALID_QUEUE_PROPERTIES)                  \
    X(CL_INVALID_COMMAND_QUEUE)                     \
    X(CL_INVALID_HOST_PTR)                          \
    X(CL_INVALID_MEM_OBJECT)                        \
    X(CL_INVALID_BINARY)                            \
    X(CL_INVALID_BUILD_OPTIONS)                     \
    X(CL_INVALID_PROGRAM)                           \
    X(CL_INVALID_PROGRAM_EXECUTABLE)                \
    X(CL_INVALID_KERNEL_NAME)                       \
    X(CL_INVALID_KERNEL_DEFINITION)                 \
    X(CL_INVALID_KERNEL)                            \
    X(CL_INVALID_ARG_INDEX)                         \
    X(CL_INVALID_ARG_VALUE)                         \
    X(CL_INVALID_ARG_SIZE)                          \
    X(CL_INVALID_KERNEL_ARGS)                       \
    X(CL_INVALID_WORK_DIMENSION)                    \
    X(CL_INVALID_WORK_GROUP_SIZE)                   \
    X(CL_INVALID_WORK_ITEM_SIZE)                    \
    X(CL_INVALID_GLOBAL_OFFSET)                     \
    X(CL_INVALID_EVENT_WAIT_LIST)                   \
    X(CL_INVALID_EVENT)                             \
    X(CL_INVALID_OPERATION)                         \
    X(CL_INVALID_BUFFER_SIZE)                       \
    X(CL_INVALID_GLOBAL_WORK_SIZE)                  \
    X(CL_INVALID_PROPERTY)

static const char *gpi_cl_error_name(cl_int error)
{
    switch (error) {
#define GPI_CL_ERROR_CASE(name) \
    case name: return #name;
        GPI_CL_ERRORS(GPI_CL_ERROR_CASE)
#undef GPI_CL_ERROR_CASE
    case -1001: return "CL_PLATFORM_NOT_FOUND_KHR";
    default: return "an OpenCL error without a name";
    }
}

/* A failed OpenCL call: memory gets its own results, everything else is GP_ERROR_OPENCL. */
static gp_result gpi_fail_cl(gp_context *gp, cl_int error, const char *function, const char *call)
{
    gp_result result = GP_ERROR_OPENCL;
    if (error == CL_OUT_OF_HOST_MEMORY) result = GP_ERROR_OUT_OF_HOST_MEMORY;
    if (error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES ||
        error == CL_INVALID_BUFFER_SIZE) {
        result = GP_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    return gpi_fail(gp, result, "%s: %s returned %s (%d)", function, call, gpi_cl_error_name(error),
                    (int)error);
}
/* ---- End file src/error.c ---- */

/* ---- Begin file src/device.c ---- */
/* device.c - which device, and what it can do. */

/* ------------------------------------------------------------------ probe */

static bool gpi_has_extension(const char *extensions, const char *name)
{
    const size_t length = strlen(name);
    const char *at = extensions;
    while ((at = strstr(at, name)) != NULL) {
        const bool begins = at == extensions || at[-1] == ' ';
        if (begins && (at[length] == ' ' || at[length] == '\0')) return true;
        at += length;
    }
    return false;
}

/* The whole text of a device property, to be freed; NULL when there is none. */
static char *gpi_device_text(cl_device_id device, cl_device_info what)
{
    size_t size = 0;
    char *text;
    if (clGetDeviceInfo(device, what, 0, NULL, &size) != CL_SUCCESS || size == 0) return NULL;
    text = (char *)malloc(size + 1);
    if (!text) return NULL;
    text[size] = '\0';
    if (clGetDeviceInfo(device, what, size, text, NULL) == CL_SUCCESS) return text;
    free(text);
    return NULL;
}

static void gpi_device_name(cl_device_id device, cl_device_info what, char out[GP_NAME_MAX])
{
    char *text = gpi_device_text(device, what);
    (void)snprintf(out, GP_NAME_MAX, "%s", text ? text : "");
    free(text);
}

static cl_ulong gpi_device_ulong(cl_device_id device, cl_device_info what)
{
    cl_ulong value = 0;
    return clGetDeviceInfo(device, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

static cl_uint gpi_device_uint(cl_device_id device, cl_device_info what)
{
    cl_uint value = 0;
    return clGetDeviceInfo(device, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

static bool gpi_contains(const char *text, const char *part) { return strstr(text, part) != NULL; }

/* Mesa's software rasterizer: calls itself a CPU, is shaped like a GPU, leaves loops after 65,535 turns. */
static bool gpi_is_llvmpipe(const gp_device_info *info) { return gpi_contains(info->name, "llvmpipe"); }

static void gpi_probe_extensions(cl_device_id device, gp_device_info *info)
{
    char *extensions = gpi_device_text(device, CL_DEVICE_EXTENSIONS);
    if (!extensions) return;
    info->int64_base_atomics = gpi_has_extension(extensions, "cl_khr_int64_base_atomics");
    info->int64_extended_atomics = gpi_has_extension(extensions, "cl_khr_int64_extended_atomics");
    info->fp64 = gpi_has_extension(extensions, "cl_khr_fp64");
    info->fp16 = gpi_has_extension(extensions, "cl_khr_fp16");
    info->subgroups = gpi_has_extension(extensions, "cl_khr_subgroups") ||
                      gpi_device_uint(device, GPI_CL_DEVICE_MAX_NUM_SUB_GROUPS) > 0;
    free(extensions);
}

/* Devices whose started groups are known to go on running while another group waits. */
static bool gpi_is_fair(const gp_device_info *info)
{
    if (gpi_is_llvmpipe(info)) return false;
    return gpi_contains(info->platform_name, "Portable Computing Language") ||
           gpi_contains(info->platform_name, "Oclgrind") || gpi_contains(info->vendor, "NVIDIA") ||
           (gpi_contains(info->vendor, "Intel") && info->device_type == CL_DEVICE_TYPE_CPU);
}

static void gpi_device_probe(cl_platform_id platform, cl_device_id device, gp_device_info *info)
{
    cl_ulong atomics;
    memset(info, 0, sizeof *info);
    info->platform = platform;
    info->device = device;
    (void)clGetPlatformInfo(platform, CL_PLATFORM_NAME, GP_NAME_MAX - 1, info->platform_name, NULL);
    gpi_device_name(device, CL_DEVICE_NAME, info->name);
    gpi_device_name(device, CL_DEVICE_VENDOR, info->vendor);
    gpi_device_name(device, CL_DEVICE_VERSION, info->version);
    gpi_device_name(device, CL_DRIVER_VERSION, info->driver_version);
    info->device_type = gpi_device_ulong(device, CL_DEVICE_TYPE);
    info->compute_units = gpi_device_uint(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    (void)clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof info->max_work_group_size,
                          &info->max_work_group_size, NULL);
    info->global_mem_size = gpi_device_ulong(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_alloc_size = gpi_device_ulong(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->local_mem_size = gpi_device_ulong(device, CL_DEVICE_LOCAL_MEM_SIZE);
    info->global_cache_size = gpi_device_ulong(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    info->local_mem_dedicated = gpi_device_uint(device, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
    gpi_probe_extensions(device, info);
    atomics = gpi_device_ulong(device, GPI_CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES);
    info->atomic_acq_rel = (atomics & GPI_CL_DEVICE_ATOMIC_ORDER_ACQ_REL) != 0;
    info->atomic_scope_device = (atomics & GPI_CL_DEVICE_ATOMIC_SCOPE_DEVICE) != 0;
    info->fair = gpi_is_fair(info);
    info->loop_limit = gpi_is_llvmpipe(info) ? 65535 : 0;
}

/* ------------------------------------------------------------------ list */

/* All devices of all platforms, to be freed; *count is 0 and the result an error when there are none. */
static gp_result gpi_devices_all(gp_device_info **out, size_t *count)
{
    cl_platform_id platforms[32];
    cl_uint platform_count = 0, p;
    const cl_int error = clGetPlatformIDs(32, platforms, &platform_count);
    *out = NULL;
    *count = 0;
    if (error != CL_SUCCESS || platform_count == 0) {
        return gpi_fail(NULL, GP_ERROR_NO_PLATFORM, "clGetPlatformIDs returned %s (%d) and %u platforms",
                        error ? gpi_cl_error_name(error) : "CL_SUCCESS", (int)error, platform_count);
    }
    if (platform_count > 32) platform_count = 32;
    for (p = 0; p < platform_count; p++) {
        cl_device_id devices[64];
        gp_device_info *grown;
        cl_uint n = 0, d;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, devices, &n) != CL_SUCCESS || n == 0)
            continue;
        if (n > 64) n = 64;
        grown = (gp_device_info *)realloc(*out, (*count + n) * sizeof **out);
        if (!grown) {
            free(*out);
            *out = NULL;
            return gpi_fail(NULL, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory for the list of devices");
        }
        *out = grown;
        for (d = 0; d < n; d++) gpi_device_probe(platforms[p], devices[d], &grown[(*count)++]);
    }
    if (*count > 0) return GP_OK;
    return gpi_fail(NULL, GP_ERROR_NO_DEVICE, "%u platforms are installed, none of them has a device",
                    platform_count);
}

GP_API gp_result gp_devices(gp_device_info *infos, size_t capacity, size_t *count)
{
    gp_device_info *all;
    size_t n, i;
    gp_result result;
    if (!count || (!infos && capacity > 0)) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT,
                        "gp_devices: count is NULL, or infos with a capacity");
    }
    result = gpi_devices_all(&all, &n);
    *count = n;
    for (i = 0; i < n && i < capacity; i++) infos[i] = all[i];
    free(all);
    return result;
}

/* ------------------------------------------------------------------ choice */

static char gpi_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool gpi_contains_anycase(const char *text, const char *part)
{
    for (;; text++) {
        size_t i = 0;
        while (part[i] && gpi_lower(text[i]) == gpi_lower(part[i])) i++;
        if (!part[i]) return true;
        if (!*text) return false;
    }
}

static bool gpi_same_anycase(const char *a, const char *b)
{
    return strlen(a) == strlen(b) && gpi_contains_anycase(a, b);
}

/* "1:0": the position of platform and device in clGetPlatformIDs and clGetDeviceIDs. */
static bool gpi_filter_indices(const char *filter, unsigned *platform, unsigned *device)
{
    char rest;
    return sscanf(filter, "%u:%u%c", platform, device, &rest) == 2;
}

/* Position of all[i]'s platform among the platforms, and of the device in its platform. */
static bool gpi_matches_indices(const gp_device_info *all, size_t i, unsigned platform, unsigned device)
{
    cl_platform_id platforms[32];
    cl_uint count = 0;
    size_t first = i;
    if (clGetPlatformIDs(32, platforms, &count) != CL_SUCCESS) return false;
    while (first > 0 && all[first - 1].platform == all[i].platform) first--;
    return platform < count && platform < 32 && platforms[platform] == all[i].platform && i - first == device;
}

static bool gpi_matches(const gp_device_info *all, size_t i, const char *filter)
{
    unsigned platform, device;
    if (!filter || !*filter) return true;
    if (gpi_same_anycase(filter, "gpu")) return (all[i].device_type & CL_DEVICE_TYPE_GPU) != 0;
    if (gpi_same_anycase(filter, "cpu")) return (all[i].device_type & CL_DEVICE_TYPE_CPU) != 0;
    if (gpi_same_anycase(filter, "accelerator"))
        return (all[i].device_type & CL_DEVICE_TYPE_ACCELERATOR) != 0;
    if (gpi_filter_indices(filter, &platform, &device)) return gpi_matches_indices(all, i, platform, device);
    return gpi_contains_anycase(all[i].name, filter) || gpi_contains_anycase(all[i].platform_name, filter) ||
           gpi_contains_anycase(all[i].version, filter);
}

/* GPUs first, then accelerators, then CPUs; among equals the one with more compute units; a software
   rasterizer and Mesa's retired implementation last. */
static int64_t gpi_score_default(const gp_device_info *info)
{
    int64_t score = info->compute_units;
    if (info->device_type & CL_DEVICE_TYPE_GPU) score += 300000;
    if (info->device_type & CL_DEVICE_TYPE_ACCELERATOR) score += 200000;
    if (info->device_type & CL_DEVICE_TYPE_CPU) score += 100000;
    if (gpi_is_llvmpipe(info) || gpi_contains(info->platform_name, "Clover")) score -= 50000;
    return score;
}

static gp_result gpi_device_choose(const gp_context_desc *desc, gp_device_info *info)
{
    const char *filter = desc->device_filter ? desc->device_filter : getenv("GPUPRIM_DEVICE");
    gp_device_info *all;
    size_t count, i;
    int64_t best = -1;
    const gp_result result = gpi_devices_all(&all, &count);
    if (result != GP_OK) return result;
    for (i = 0; i < count; i++) {
        int64_t score;
        if (!gpi_matches(all, i, filter)) continue;
        score = desc->score ? desc->score(&all[i], desc->score_user) : gpi_score_default(&all[i]);
        if (score <= best) continue;
        best = score;
        *info = all[i];
    }
    free(all);
    if (best >= 0) return GP_OK;
    return gpi_fail(NULL, GP_ERROR_NO_DEVICE,
                    "gp_context_create: of %u devices none matches device filter \"%s\"%s", (unsigned)count,
                    filter ? filter : "", desc->score ? " with a score of 0 or more" : "");
}
/* ---- End file src/device.c ---- */

/* ---- Begin file src/profile.c ---- */
/* profile.c - how each kind of device runs each primitive: one table, and what fits a row to a call. */

typedef enum gpi_class {
    GPI_CLASS_UNKNOWN, /* nothing is taken for granted */
    GPI_CLASS_POCL,    /* groups on OS threads, one a core */
    GPI_CLASS_INTEL_CPU,
    GPI_CLASS_LLVMPIPE,
    GPI_CLASS_NVIDIA,
    GPI_CLASS_AMD,
    GPI_CLASS_INTEL_GPU
} gpi_class;

typedef struct gpi_profile_row {
    gpi_class device_class;
    gpi_primitive primitive;
    gp_shape shape;
    uint32_t group;      /* work-items of a group */
    uint32_t item_bytes; /* elements of an item, in bytes */
    gp_words words;      /* AUTO: wide where the device has 64-bit atomics */
    gp_strategy strategy;
    uint32_t polls; /* looks at late tiles before computing them: four tile times and more on a device
                       that schedules fairly, few where waiting is pointless */
} gpi_profile_row;

/* Measured: PoCL (docs/PERFORMANCE.md). By documents and by analogy: the rest. */
static const gpi_profile_row gpi_profile_rows[] = {
    /* class, primitive, shape, group, bytes, words, strategy, polls */
    {GPI_CLASS_POCL, GPI_REDUCE, GP_SHAPE_SERIAL, 1, 262144, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_POCL, GPI_SCAN, GP_SHAPE_SERIAL, 1, 131072, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1 << 20},
    {GPI_CLASS_POCL, GPI_SORT, GP_SHAPE_SERIAL, 1, 1 << 20, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1 << 24},
    {GPI_CLASS_INTEL_CPU, GPI_REDUCE, GP_SHAPE_SERIAL, 1, 262144, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_CPU, GPI_SCAN, GP_SHAPE_SERIAL, 1, 65536, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS,
     1 << 20},
    {GPI_CLASS_LLVMPIPE, GPI_REDUCE, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_NARROW, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_LLVMPIPE, GPI_SCAN, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_NARROW, GP_STRATEGY_MULTI_PASS, 200},
    {GPI_CLASS_NVIDIA, GPI_REDUCE, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_NVIDIA, GPI_SCAN, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1 << 14},
    {GPI_CLASS_AMD, GPI_REDUCE, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_AMD, GPI_SCAN, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1 << 14},
    {GPI_CLASS_INTEL_GPU, GPI_REDUCE, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_GPU, GPI_SCAN, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1 << 14},
    {GPI_CLASS_INTEL_CPU, GPI_SORT, GP_SHAPE_SERIAL, 1, 1 << 20, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS,
     1 << 24},
    {GPI_CLASS_LLVMPIPE, GPI_SORT, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_NARROW, GP_STRATEGY_MULTI_PASS, 200},
    {GPI_CLASS_NVIDIA, GPI_SORT, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1 << 20},
    {GPI_CLASS_AMD, GPI_SORT, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1 << 20},
    {GPI_CLASS_INTEL_GPU, GPI_SORT, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1 << 20},
    {GPI_CLASS_UNKNOWN, GPI_SORT, GP_SHAPE_LOCAL, 128, 32, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1 << 12},
    {GPI_CLASS_UNKNOWN, GPI_REDUCE, GP_SHAPE_LOCAL, 128, 32, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_UNKNOWN, GPI_SCAN, GP_SHAPE_LOCAL, 128, 32, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1 << 12},
    {GPI_CLASS_POCL, GPI_MERGE, GP_SHAPE_SERIAL, 1, 1 << 20, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_CPU, GPI_MERGE, GP_SHAPE_SERIAL, 1, 1 << 20, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_LLVMPIPE, GPI_MERGE, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_NARROW, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_NVIDIA, GPI_MERGE, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_AMD, GPI_MERGE, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_GPU, GPI_MERGE, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_UNKNOWN, GPI_MERGE, GP_SHAPE_LOCAL, 128, 32, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_POCL, GPI_SEARCH, GP_SHAPE_SERIAL, 1, 1 << 16, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_CPU, GPI_SEARCH, GP_SHAPE_SERIAL, 1, 1 << 16, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_LLVMPIPE, GPI_SEARCH, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_NARROW, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_NVIDIA, GPI_SEARCH, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_AMD, GPI_SEARCH, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_GPU, GPI_SEARCH, GP_SHAPE_LOCAL, 256, 32, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_UNKNOWN, GPI_SEARCH, GP_SHAPE_LOCAL, 128, 32, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_POCL, GPI_BRACKETS, GP_SHAPE_SERIAL, 1, 131072, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_CPU, GPI_BRACKETS, GP_SHAPE_SERIAL, 1, 131072, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_UNKNOWN, GPI_BRACKETS, GP_SHAPE_LOCAL, 256, 64, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_POCL, GPI_HASH, GP_SHAPE_SERIAL, 1, 65536, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_CPU, GPI_HASH, GP_SHAPE_SERIAL, 1, 65536, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_LLVMPIPE, GPI_HASH, GP_SHAPE_LOCAL, 256, 4, GP_WORDS_NARROW, GP_STRATEGY_SINGLE_PASS, 1},
    {GPI_CLASS_NVIDIA, GPI_HASH, GP_SHAPE_LOCAL, 256, 16, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1},
    {GPI_CLASS_AMD, GPI_HASH, GP_SHAPE_LOCAL, 256, 16, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1},
    {GPI_CLASS_INTEL_GPU, GPI_HASH, GP_SHAPE_LOCAL, 256, 16, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1},
    {GPI_CLASS_UNKNOWN, GPI_HASH, GP_SHAPE_LOCAL, 128, 16, GP_WORDS_AUTO, GP_STRATEGY_SINGLE_PASS, 1},
    {GPI_CLASS_POCL, GPI_MAP, GP_SHAPE_SERIAL, 1, 1 << 20, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_INTEL_CPU, GPI_MAP, GP_SHAPE_SERIAL, 1, 1 << 20, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
    {GPI_CLASS_UNKNOWN, GPI_MAP, GP_SHAPE_LOCAL, 256, 16, GP_WORDS_AUTO, GP_STRATEGY_MULTI_PASS, 1},
};

/* Sizes of a shape that the device's row does not have: forced by tuning. */
static const gpi_profile_row gpi_profile_forced_serial = {
    GPI_CLASS_UNKNOWN, GPI_PRIMITIVES, GP_SHAPE_SERIAL, 1, 65536, GP_WORDS_AUTO, GP_STRATEGY_AUTO, 1};
static const gpi_profile_row gpi_profile_forced_local = {
    GPI_CLASS_UNKNOWN, GPI_PRIMITIVES, GP_SHAPE_LOCAL, 128, 32, GP_WORDS_AUTO, GP_STRATEGY_AUTO, 1};

/* By platform and vendor, never by the device type alone: llvmpipe calls itself a CPU. */
static gpi_class gpi_class_of(const gp_device_info *info)
{
    const bool gpu = (info->device_type & CL_DEVICE_TYPE_GPU) != 0;
    if (gpi_is_llvmpipe(info)) return GPI_CLASS_LLVMPIPE;
    if (strstr(info->platform_name, "Portable Computing Language") && !gpu) return GPI_CLASS_POCL;
    if (strstr(info->platform_name, "Intel") && !gpu) return GPI_CLASS_INTEL_CPU;
    if (strstr(info->vendor, "NVIDIA") && gpu) return GPI_CLASS_NVIDIA;
    if (strstr(info->vendor, "Advanced Micro Devices") && gpu) return GPI_CLASS_AMD;
    if (strstr(info->vendor, "Intel") && gpu) return GPI_CLASS_INTEL_GPU;
    return GPI_CLASS_UNKNOWN;
}

static const gpi_profile_row *gpi_profile_find(gpi_class device_class, gpi_primitive primitive)
{
    const gpi_profile_row *row = gpi_profile_rows;
    while (row->primitive != primitive ||
           (row->device_class != device_class && row->device_class != GPI_CLASS_UNKNOWN)) {
        row++;
    }
    return row; /* every primitive has a row for the unknown device, at the end */
}

static uint32_t gpi_power_of_two_below(uint64_t x)
{
    uint32_t p = 1;
    while (p < 0x40000000u && (uint64_t)p * 2 <= x) p *= 2;
    return p;
}

/* Local memory of a group: the stage with its padding, and two rows for the group's scan (tile.cl). */
static uint64_t gpi_local_bytes(uint64_t group, uint64_t items, uint64_t size)
{
    const uint64_t tile = group * items;
    return (tile + tile / 32 + 2 * group) * size + 64;
}

/* The same for a sort, and more than a merge or a search takes: stage and order of a tile, four bits'
 * counters, the digits' (rank.cl). */
static uint64_t gpi_local_bytes_of_sort(uint64_t group, uint64_t items, uint64_t size)
{
    return group * items * (size + 4) + group * (16 * 2 + 2 * 4) + 256 * 16 + 64;
}

/* The same for brackets; `size` is that of an index. Items' nodes and openers; a partner and a sign an
   element (items.cl). */
static uint64_t gpi_local_bytes_of_brackets(uint64_t group, uint64_t items, uint64_t size)
{
    return group * (2 * 2 * size + size + 4) + group * items * 3 + 64;
}

/* Group and items of the local shape, shrunk until they fit the device. */
static void gpi_plan_fit_local(const gp_device_info *info, size_t size,
                               uint64_t (*local_bytes)(uint64_t, uint64_t, uint64_t), gpi_plan *plan)
{
    if (plan->group > info->max_work_group_size) {
        plan->group = gpi_power_of_two_below(info->max_work_group_size);
    }
    while (local_bytes(plan->group, plan->items, size) > info->local_mem_size) {
        if (plan->items > 1) {
            plan->items /= 2;
        } else if (plan->group > 1) {
            plan->group /= 2;
        } else {
            break; /* the build will say so */
        }
    }
}

static void gpi_plan_shape(const gp_context *gp, const gpi_profile_row *row, size_t size, gpi_plan *plan)
{
    const gp_tuning *tuning = &gp->desc.tuning;
    const gpi_primitive primitive = row->primitive;
    plan->shape = tuning->shape ? tuning->shape : row->shape;
    if (plan->shape != row->shape) {
        row = plan->shape == GP_SHAPE_SERIAL ? &gpi_profile_forced_serial : &gpi_profile_forced_local;
    }
    plan->group = row->group;
    plan->items = row->item_bytes / gpi_power_of_two_below(size);
    if (tuning->tile) plan->items = gpi_power_of_two_below(tuning->tile);
    if (plan->shape == GP_SHAPE_SERIAL) {
        if (plan->items < 16) plan->items = 16; /* a vector */
        return;
    }
    if (plan->items > 16 && !tuning->tile) plan->items = 16; /* registers of an item */
    if (plan->items < 1) plan->items = 1;
    if (tuning->work_group_size) plan->group = gpi_power_of_two_below(tuning->work_group_size);
    gpi_plan_fit_local(&gp->info, size,
                       primitive == GPI_BRACKETS ? gpi_local_bytes_of_brackets
                       : primitive >= GPI_SORT   ? gpi_local_bytes_of_sort
                                                 : gpi_local_bytes,
                       plan);
}

static gp_result gpi_plan_words(gp_context *gp, const char *function, const gpi_profile_row *row,
                                gpi_plan *plan)
{
    const bool has_wide = gp->info.int64_base_atomics;
    plan->words = gp->desc.tuning.words ? gp->desc.tuning.words : row->words;
    if (plan->words == GP_WORDS_AUTO) plan->words = has_wide ? GP_WORDS_WIDE : GP_WORDS_NARROW;
    if (plan->words == GP_WORDS_WIDE && !has_wide) {
        return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "%s: tuning.words = GP_WORDS_WIDE needs 64-bit atomics: %s",
                        function, gp->info.name);
    }
    return GP_OK;
}

/* `size`: of what local memory is to hold, in bytes. */
static gp_result gpi_plan_make_sized(gp_context *gp, const char *function, gpi_primitive primitive,
                                     size_t size, gp_strategy strategy, gpi_plan *plan)
{
    const gpi_profile_row *row = gpi_profile_find(gpi_class_of(&gp->info), primitive);
    if ((unsigned)strategy >= GP_STRATEGY_COUNT) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: strategy = %d is not a gp_strategy", function,
                        (int)strategy);
    }
    plan->strategy = strategy ? strategy : gp->desc.strategy;
    if (plan->strategy == GP_STRATEGY_AUTO) plan->strategy = row->strategy;
    plan->polls = gp->desc.tuning.polls ? gp->desc.tuning.polls : row->polls;
    gpi_plan_shape(gp, row, size, plan);
    return gpi_plan_words(gp, function, row, plan);
}

static gp_result gpi_plan_make(gp_context *gp, const char *function, gpi_primitive primitive,
                               const gpi_element *element, gp_strategy strategy, gpi_plan *plan)
{
    return gpi_plan_make_sized(gp, function, primitive, element->size, strategy, plan);
}

/* A sort's: in the serial shape, `items` is the most keys a group takes. */
static gp_result gpi_plan_make_sort(gp_context *gp, const char *function, size_t key_size,
                                    gp_strategy strategy, gpi_plan *plan)
{
    return gpi_plan_make_sized(gp, function, GPI_SORT, key_size, strategy, plan);
}

/* A merge's or a search's: no group waits for another, and there is one strategy. A local group has four
   items at least, which its search wants. */
static gp_result gpi_plan_make_keys(gp_context *gp, const char *function, gpi_primitive primitive,
                                    size_t key_size, gpi_plan *plan)
{
    const gp_result result =
        gpi_plan_make_sized(gp, function, primitive, key_size, GP_STRATEGY_MULTI_PASS, plan);
    if (result == GP_OK && plan->shape == GP_SHAPE_LOCAL && plan->group < 4) {
        return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "%s: groups of %u work-items, of which it takes 4",
                        function, plan->group);
    }
    return result;
}

/* Tiles of brackets may have any length up to the kernels' limits: tests force tiny ones. */
static gp_result gpi_plan_make_brackets(gp_context *gp, const char *function, size_t index_size,
                                        gpi_plan *plan)
{
    const gp_result result =
        gpi_plan_make_sized(gp, function, GPI_BRACKETS, index_size, GP_STRATEGY_AUTO, plan);
    const uint32_t most = plan->shape == GP_SHAPE_SERIAL ? 65536 : 32, tile = gp->desc.tuning.tile;
    if (result == GP_OK && tile) plan->items = tile < most ? tile : most;
    while (result == GP_OK && plan->shape == GP_SHAPE_LOCAL && plan->group * plan->items > 16384)
        plan->group /= 2;
    if (result == GP_OK && tile && plan->shape == GP_SHAPE_LOCAL)
        gpi_plan_fit_local(&gp->info, index_size, gpi_local_bytes_of_brackets, plan);
    return result;
}

/* A hash table's: in the serial shape, `items` is the keys a group takes. */
static gp_result gpi_plan_make_hash(gp_context *gp, const char *function, gp_strategy strategy,
                                    gpi_plan *plan)
{
    return gpi_plan_make_sized(gp, function, GPI_HASH, 4, strategy, plan);
}

/* Where elements are made one by one, of `size` bytes: no group waits for another, and there is one
   strategy. */
static gp_result gpi_plan_make_map(gp_context *gp, const char *function, size_t size, gpi_plan *plan)
{
    return gpi_plan_make_sized(gp, function, GPI_MAP, size, GP_STRATEGY_MULTI_PASS, plan);
}

static size_t gpi_plan_tile(const gpi_plan *plan) { return (size_t)plan->group * plan->items; }

/* On a device that drops out of long loops, the one group that goes over all tiles' sums is the limit: its
   items take some 32 turns a step. */
static gp_result gpi_plan_tiles(gp_context *gp, const char *function, const gpi_plan *plan, size_t count,
                                cl_uint *tiles)
{
    const size_t tile = gpi_plan_tile(plan);
    const size_t most =
        gp->info.loop_limit ? (size_t)plan->group * (gp->info.loop_limit / 32) : GPI_TILES_MAX;
    const size_t n = count / tile + (count % tile != 0);
    if (n > most) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT,
                        "%s: count = %zu is %zu tiles of %zu elements, more than %zu", function, count, n,
                        tile, most);
    }
    *tiles = (cl_uint)n;
    return GP_OK;
}
/* ---- End file src/profile.c ---- */

/* ---- Begin file src/context.c ---- */
/* context.c - a context's life: the caller's objects or our own, the desc checked, counters read. */

/* ------------------------------------------------------------------ create: device, context, queue */

static gp_result gpi_probe_given(gp_context *gp, cl_device_id device)
{
    cl_platform_id platform = NULL;
    const cl_int error = clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    if (error != CL_SUCCESS) return gpi_fail_cl(NULL, error, "gp_context_create", "clGetDeviceInfo(device)");
    gpi_device_probe(platform, device, &gp->info);
    return GP_OK;
}

/* The caller's queue brings its context and device. */
static gp_result gpi_adopt_queue(gp_context *gp)
{
    const cl_command_queue queue = gp->desc.queue;
    cl_command_queue_properties properties = 0;
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_int error = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (!error) error = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (!error)
        error = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    if (error) return gpi_fail_cl(NULL, error, "gp_context_create", "clGetCommandQueueInfo");
    if (gp->desc.context && gp->desc.context != context) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT,
                        "gp_context_create: queue belongs to another context");
    }
    if (gp->desc.device && gp->desc.device != device) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT,
                        "gp_context_create: queue belongs to another device");
    }
    if (gp->desc.profile && !(properties & CL_QUEUE_PROFILING_ENABLE)) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT,
                        "gp_context_create: profile needs a queue with CL_QUEUE_PROFILING_ENABLE");
    }
    gp->out_of_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
    gp->context = context;
    gp->queue = queue;
    (void)clRetainContext(context);
    (void)clRetainCommandQueue(queue);
    return gpi_probe_given(gp, device);
}

/* The caller's context, or the one of `share`; the device is the caller's choice or the first. */
static gp_result gpi_adopt_context(gp_context *gp)
{
    const gp_context *share = gp->desc.share;
    cl_device_id devices[64];
    size_t size = 0, i = 0;
    cl_int error;
    gp->context = gp->desc.context ? gp->desc.context : share->context;
    error = clRetainContext(gp->context);
    if (error) {
        gp->context = NULL;
        return gpi_fail_cl(NULL, error, "gp_context_create", "clRetainContext(context)");
    }
    if (!gp->desc.context && !gp->desc.device) return gpi_probe_given(gp, share->info.device);
    error = clGetContextInfo(gp->context, CL_CONTEXT_DEVICES, sizeof devices, devices, &size);
    if (error) return gpi_fail_cl(NULL, error, "gp_context_create", "clGetContextInfo");
    while (gp->desc.device && i < size / sizeof devices[0] && devices[i] != gp->desc.device) i++;
    if (i == size / sizeof devices[0]) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "gp_context_create: device is not in context");
    }
    return gpi_probe_given(gp, devices[i]);
}

static gp_result gpi_make_context(gp_context *gp)
{
    cl_context_properties properties[3];
    cl_int error;
    const gp_result result =
        gp->desc.device ? gpi_probe_given(gp, gp->desc.device) : gpi_device_choose(&gp->desc, &gp->info);
    if (result != GP_OK) return result;
    properties[0] = CL_CONTEXT_PLATFORM;
    properties[1] = (cl_context_properties)gp->info.platform;
    properties[2] = 0;
    gp->context = clCreateContext(properties, 1, &gp->info.device, NULL, NULL, &error);
    return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(NULL, error, "gp_context_create", "clCreateContext");
}

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
/* clCreateCommandQueue: its successor is missing from OpenCL 1.2 platforms. */
static gp_result gpi_make_queue(gp_context *gp)
{
    cl_int error;
    gp->queue = clCreateCommandQueue(gp->context, gp->info.device,
                                     gp->desc.profile ? CL_QUEUE_PROFILING_ENABLE : 0, &error);
    return error == CL_SUCCESS ? GP_OK
                               : gpi_fail_cl(NULL, error, "gp_context_create", "clCreateCommandQueue");
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

static gp_result gpi_open_device(gp_context *gp)
{
    gp_result result;
    if (gp->desc.queue) return gpi_adopt_queue(gp);
    if (gp->desc.context || gp->desc.share) result = gpi_adopt_context(gp);
    else result = gpi_make_context(gp);
    return result == GP_OK ? gpi_make_queue(gp) : result;
}

/* ------------------------------------------------------------------ create: the rest */

static gp_result gpi_check_tuning(const gp_tuning *t, const gp_device_info *info)
{
    if ((unsigned)t->shape >= GP_SHAPE_COUNT || (unsigned)t->words >= GP_WORDS_COUNT) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT,
                        "gp_context_create: tuning.shape = %d, tuning.words = %d", (int)t->shape,
                        (int)t->words);
    }
    if (t->shape == GP_SHAPE_SERIAL && info->loop_limit) {
        return gpi_fail(
            NULL, GP_ERROR_UNSUPPORTED,
            "gp_context_create: tuning.shape = GP_SHAPE_SERIAL on %s, which ends loops after %u turns",
            info->name, info->loop_limit);
    }
    return GP_OK;
}

static gp_result gpi_check_desc(const gp_context *gp)
{
    if ((unsigned)gp->desc.strategy >= GP_STRATEGY_COUNT) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "gp_context_create: strategy = %d",
                        (int)gp->desc.strategy);
    }
    if (gp->desc.share && gp->desc.share->context != gp->context) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "gp_context_create: share has another cl_context");
    }
    if (gp->desc.share && gp->desc.share->info.device != gp->info.device) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "gp_context_create: share has another device");
    }
    return gpi_check_tuning(&gp->desc.tuning, &gp->info);
}

/* Options of every build. PoCL compiles as OpenCL C 3.0 unless told otherwise. Oclgrind 21.10 stumbles over
   an intrinsic that optimized code can contain, and checks unoptimized code better anyway. */
static char *gpi_make_options(const gp_context *gp)
{
    const char *more = gp->desc.build_options;
    return gpi_format("-cl-std=CL1.2%s%s%s%s",
                      strstr(gp->info.platform_name, "Oclgrind") ? " -cl-opt-disable" : "",
                      gp->desc.fast_math ? " -cl-fast-relaxed-math" : "", more ? " " : "", more ? more : "");
}

/* Copies the desc's strings, and looks no longer at the caller's. */
static gp_result gpi_copy_strings(gp_context *gp)
{
    gp_context_desc *desc = &gp->desc;
    if (desc->cache_dir && !*desc->cache_dir) desc->cache_dir = NULL;
    if (desc->dump_dir && !*desc->dump_dir) desc->dump_dir = NULL;
    gp->options = gpi_make_options(gp);
    if (desc->dump_dir) gp->dump_dir = gpi_format("%s", desc->dump_dir);
    if (!gp->options || (desc->dump_dir && !gp->dump_dir)) {
        return gpi_fail(NULL, GP_ERROR_OUT_OF_HOST_MEMORY, "gp_context_create: no memory for strings");
    }
    if (!desc->no_disk_cache) {
        gp->cache_dir = desc->cache_dir ? gpi_format("%s", desc->cache_dir) : gpi_cache_dir_default();
    }
    if (gp->cache_dir) (void)gpi_make_dirs(gp->cache_dir);
    if (gp->dump_dir) (void)gpi_make_dirs(gp->dump_dir);
    desc->cache_dir = desc->dump_dir = desc->build_options = desc->device_filter = NULL;
    return GP_OK;
}

static gp_result gpi_make_buffers(gp_context *gp)
{
    cl_uint zero[GPI_COUNTERS];
    cl_int error;
    memset(zero, 0, sizeof zero);
    gp->counters =
        clCreateBuffer(gp->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero, zero, &error);
    if (error == CL_SUCCESS) {
        gp->result = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, GPI_ELEMENT_MAX, NULL, &error);
    }
    return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(NULL, error, "gp_context_create", "clCreateBuffer");
}

static gp_result gpi_context_open(gp_context *gp)
{
    gp_result result = gpi_open_device(gp);
    if (result == GP_OK) result = gpi_check_desc(gp);
    if (result == GP_OK) result = gpi_copy_strings(gp);
    if (result == GP_OK) result = gpi_make_buffers(gp);
    if (result == GP_OK && gp->desc.share) result = gpi_programs_share(gp, gp->desc.share);
    return result;
}

GP_API gp_result gp_context_create(const gp_context_desc *desc, gp_context **out)
{
    gp_context *gp;
    gp_result result;
    if (out) *out = NULL;
    if (!desc || !out) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "gp_context_create: desc or out is NULL");
    }
    gp = (gp_context *)calloc(1, sizeof *gp);
    if (!gp) return gpi_fail(NULL, GP_ERROR_OUT_OF_HOST_MEMORY, "gp_context_create: no memory");
    gp->desc = *desc;
    result = gpi_context_open(gp);
    if (result != GP_OK) {
        if (desc->log) desc->log(GP_LOG_ERROR, gp_last_error(NULL), desc->log_user);
        gp_context_destroy(gp);
        return result;
    }
    gpi_log(gp, GP_LOG_INFO, "gpuprim on %s (%s, %s)", gp->info.name, gp->info.platform_name,
            gp->info.driver_version);
    gp->desc.share = NULL; /* it may be destroyed before us */
    *out = gp;
    return GP_OK;
}

GP_API void gp_context_destroy(gp_context *gp)
{
    if (!gp) return;
    if (gp->queue) (void)gp_finish(gp);
    gpi_programs_free(gp);
    gpi_hash_free_all(gp);
    if (gp->scratch_busy) (void)clReleaseEvent(gp->scratch_busy);
    if (gp->scratch) (void)clReleaseMemObject(gp->scratch);
    if (gp->counters) (void)clReleaseMemObject(gp->counters);
    if (gp->result) (void)clReleaseMemObject(gp->result);
    if (gp->queue) (void)clReleaseCommandQueue(gp->queue);
    if (gp->context) (void)clReleaseContext(gp->context);
    free(gp->pending);
    free(gp->laws);
    free(gp->cache_dir);
    free(gp->dump_dir);
    free(gp->options);
    free(gp);
}

/* ------------------------------------------------------------------ queries */

GP_API cl_context gp_cl_context(const gp_context *gp) { return gp ? gp->context : NULL; }
GP_API cl_device_id gp_cl_device(const gp_context *gp) { return gp ? gp->info.device : NULL; }
GP_API cl_command_queue gp_cl_queue(const gp_context *gp) { return gp ? gp->queue : NULL; }
GP_API const gp_device_info *gp_context_info(const gp_context *gp) { return gp ? &gp->info : NULL; }

GP_API gp_result gp_finish(gp_context *gp)
{
    cl_int error;
    if (!gp) return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "gp_finish: gp is NULL");
    error = clFinish(gp->queue);
    gpi_settle_all(gp);
    if (gp->scratch_busy) (void)clReleaseEvent(gp->scratch_busy);
    gp->scratch_busy = NULL;
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, "gp_finish", "clFinish");
    gpi_programs_save(gp);
    return gpi_async_result(gp);
}

GP_API gp_result gp_warmup(gp_context *gp, const gp_warmup_desc *desc)
{
    gp_result result = GP_OK;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_warmup: gp or desc is NULL");
    if (desc->reduce) result = gpi_reduce_warm_up(gp, desc->reduce);
    if (desc->scan && result == GP_OK) result = gpi_scan_warm_up(gp, desc->scan);
    if (desc->sort && result == GP_OK) result = gpi_sort_warm_up(gp, desc->sort);
    if (desc->merge && result == GP_OK) result = gpi_merge_warm_up(gp, desc->merge);
    if (desc->search && result == GP_OK) result = gpi_search_warm_up(gp, desc->search);
    if (desc->topk && result == GP_OK) result = gpi_topk_warm_up(gp, desc->topk);
    if (desc->segmented_sort && result == GP_OK)
        result = gpi_segmented_sort_warm_up(gp, desc->segmented_sort);
    if (desc->sort_strings && result == GP_OK) result = gpi_sort_strings_warm_up(gp, desc->sort_strings);
    if (desc->brackets && result == GP_OK) result = gpi_brackets_warm_up(gp, desc->brackets);
    if (desc->hash && result == GP_OK) result = gpi_hash_warm_up(gp, desc->hash);
    if (result == GP_OK) result = gpi_map_warm_up(gp, desc);
    if (result == GP_OK) result = gpi_gather_warm_up(gp, desc);
    if (desc->stencil && result == GP_OK) result = gpi_stencil_warm_up(gp, desc->stencil);
    if (desc->random && result == GP_OK) result = gpi_random_warm_up(gp, desc->random);
    return result == GP_OK ? gp_finish(gp) : result;
}

GP_API gp_result gp_profile_read(gp_context *gp, gp_profile *out)
{
    cl_uint counters[GPI_COUNTERS];
    cl_int error;
    gp_result result;
    if (!gp || !out) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_profile_read: gp or out is NULL");
    result = gp_finish(gp);
    if (result != GP_OK) return result;
    error =
        clEnqueueReadBuffer(gp->queue, gp->counters, CL_TRUE, 0, sizeof counters, counters, 0, NULL, NULL);
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, "gp_profile_read", "clEnqueueReadBuffer");
    *out = gp->profile;
    out->fallbacks = counters[0];
    out->abandoned = counters[1];
    out->clamped = counters[2];
    out->bad_offsets = counters[3];
    out->skipped = counters[4];
    return GP_OK;
}

GP_API gp_result gp_profile_kernels(gp_context *gp, gp_kernel_profile *out, size_t capacity, size_t *count)
{
    gp_result result;
    size_t i;
    if (!gp || !count || (!out && capacity > 0)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_profile_kernels: gp, count or out is NULL");
    }
    result = gp_finish(gp);
    *count = gp->kernel_count;
    for (i = 0; i < gp->kernel_count && i < capacity; i++) out[i] = gp->kernels[i];
    return result;
}

GP_API gp_result gp_profile_reset(gp_context *gp)
{
    const cl_uint zero[GPI_COUNTERS] = {0};
    cl_int error;
    gp_result result;
    if (!gp) return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "gp_profile_reset: gp is NULL");
    result = gp_finish(gp);
    if (result != GP_OK) return result;
    error = clEnqueueWriteBuffer(gp->queue, gp->counters, CL_TRUE, 0, sizeof zero, zero, 0, NULL, NULL);
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, "gp_profile_reset", "clEnqueueWriteBuffer");
    memset(&gp->profile, 0, sizeof gp->profile);
    gp->profile.scratch_bytes = gp->scratch_size;
    gp->kernel_count = 0;
    return GP_OK;
}
/* ---- End file src/context.c ---- */

/* ---- Begin file src/cache.c ---- */
/* cache.c - built programs on disk, and the dump folder.

   A file holds one program's binary for one device and driver. Its name is the key; its header repeats
   the key and has a checksum, because a damaged binary can bring a driver down. It is written beside its
   place and renamed, so that a reader sees all of it or nothing. Loading one renews its time; after a save
   the files that were used longest ago go, until the folder keeps its bound. Other processes may do the
   same at any moment: a file that is gone is one to build, or one less to remove. */

#include <time.h>

#if defined(_WIN32)
#include <direct.h>
#include <process.h>
#define GPI_MKDIR(path) _mkdir(path)
#define GPI_PID() ((unsigned)_getpid())
#else /* all of these declare what is used here also in strict C99 */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>
#define GPI_MKDIR(path) mkdir(path, 0777)
#define GPI_PID() ((unsigned)getpid())
#endif

#define GPI_CACHE_MAGIC "GPUPRIM2"
#define GPI_CACHE_LIMIT ((size_t)256 << 20) /* bytes, where the desc names none */
#define GPI_CACHE_STALE 3600                /* seconds after which a temporary file is a dead process's */

typedef struct gpi_cache_header {
    char magic[8];
    gpi_key key;
    uint64_t kernels; /* bit k: kernel k's machine code is inside */
    uint64_t size;    /* of the binary that follows */
    uint64_t checksum;
} gpi_cache_header;

static uint64_t gpi_hash(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;
    size_t i;
    for (i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u; /* FNV-1a */
    return hash;
}

/* Where programs are kept when the caller names no folder; NULL when there is no such place. */
static char *gpi_cache_dir_default(void)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    const char *local = getenv("LOCALAPPDATA");
    if (cache && *cache) return gpi_format("%s/gpuprim", cache);
    if (local && *local) return gpi_format("%s/gpuprim", local);
    if (home && *home) return gpi_format("%s/.cache/gpuprim", home);
    return NULL;
}

/* Makes a folder and those above it. Whether it can be written shows when a file is. */
static bool gpi_make_dirs(const char *path)
{
    char *partial = gpi_format("%s", path);
    char *at;
    if (!partial) return false;
    for (at = partial + 1; *partial && *at; at++) {
        if (*at != '/') continue;
        *at = '\0';
        (void)GPI_MKDIR(partial);
        *at = '/';
    }
    (void)GPI_MKDIR(partial);
    free(partial);
    return true;
}

static char *gpi_cache_path(const gp_context *gp, const gpi_program *program)
{
    return gpi_format("%s/%016llx%016llx.bin", gp->cache_dir, (unsigned long long)program->key.word[0],
                      (unsigned long long)program->key.word[1]);
}

/* ------------------------------------------------------------------ files */

/* All of a file, to be freed; NULL when it cannot be read. */
static unsigned char *gpi_file_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *data = NULL;
    long length;
    if (!file) return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0) {
        data = (unsigned char *)malloc((size_t)length);
        *size = (size_t)length;
        if (data && fread(data, 1, *size, file) != *size) {
            free(data);
            data = NULL;
        }
    }
    (void)fclose(file);
    return data;
}

/* Writes head and body to a new file beside `path` and renames it: whole, or not at all. */
static bool gpi_file_write(const char *path, const void *head, size_t head_size, const void *body,
                           size_t body_size)
{
    char *temporary = gpi_format("%s.%u.%p.tmp", path, GPI_PID(), (const void *)&path);
    FILE *file = temporary ? fopen(temporary, "wb") : NULL;
    bool good = file != NULL;
    if (file) {
        good = fwrite(head, 1, head_size, file) == head_size && fwrite(body, 1, body_size, file) == body_size;
        good = fclose(file) == 0 && good;
#if defined(_WIN32)
        if (good) (void)remove(path); /* rename does not replace there */
#endif
        good = good && rename(temporary, path) == 0;
        if (!good) (void)remove(temporary);
    }
    free(temporary);
    return good;
}

/* ------------------------------------------------------------------ cache: its bound */

#if defined(_WIN32)

static void gpi_file_touch(const char *path) { (void)path; }
static void gpi_cache_trim(const gp_context *gp) { (void)gp; }

#else

static void gpi_file_touch(const char *path) { (void)utime(path, NULL); }

typedef struct gpi_cache_file {
    char *path;
    uint64_t size;
    time_t used; /* whole seconds */
} gpi_cache_file;

typedef struct gpi_cache_files {
    gpi_cache_file *file;
    size_t count, capacity;
    uint64_t bytes;
} gpi_cache_files;

/* What follows the key in the name of a file of ours; NULL: not ours. */
static const char *gpi_cache_ending(const char *name)
{
    return strspn(name, "0123456789abcdef") == 32 && strncmp(name + 32, ".bin", 4) == 0 ? name + 36 : NULL;
}

/* Whoever named it: is it a file of this cache by its contents? */
static bool gpi_cache_has_magic(const char *path)
{
    char magic[8];
    FILE *file = fopen(path, "rb");
    const bool good = file && fread(magic, 1, sizeof magic, file) == sizeof magic &&
                      memcmp(magic, GPI_CACHE_MAGIC, sizeof magic) == 0;
    if (file) (void)fclose(file);
    return good;
}

/* Takes `path`. */
static void gpi_cache_files_add(gpi_cache_files *files, char *path, const struct stat *info)
{
    if (files->count == files->capacity) {
        const size_t capacity = files->capacity ? 2 * files->capacity : 64;
        gpi_cache_file *grown = (gpi_cache_file *)realloc(files->file, capacity * sizeof *grown);
        if (!grown) {
            free(path);
            return;
        }
        files->file = grown;
        files->capacity = capacity;
    }
    files->file[files->count].path = path;
    files->file[files->count].size = (uint64_t)info->st_size;
    files->file[files->count].used = info->st_mtime;
    files->count++;
    files->bytes += (uint64_t)info->st_size;
}

/* Lists a program's file; removes a temporary one that its process has left behind. */
static void gpi_cache_visit(gpi_cache_files *files, const char *folder, const char *name)
{
    const char *ending = gpi_cache_ending(name);
    const size_t length = ending ? strlen(ending) : 0;
    struct stat info;
    char *path = ending ? gpi_format("%s/%s", folder, name) : NULL;
    if (!path || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        free(path);
    } else if (length == 0) {
        gpi_cache_files_add(files, path, &info);
    } else {
        if (length > 4 && strcmp(ending + length - 4, ".tmp") == 0 &&
            difftime(time(NULL), info.st_mtime) > GPI_CACHE_STALE)
            (void)remove(path);
        free(path);
    }
}

static int gpi_cache_older(const void *pa, const void *pb)
{
    const gpi_cache_file *a = (const gpi_cache_file *)pa, *b = (const gpi_cache_file *)pb;
    return (a->used > b->used) - (a->used < b->used);
}

/* Removes the files that were used longest ago until the rest keeps the bound. */
static void gpi_cache_trim(const gp_context *gp)
{
    const uint64_t limit = gp->desc.cache_limit ? gp->desc.cache_limit : GPI_CACHE_LIMIT;
    gpi_cache_files files;
    DIR *folder = opendir(gp->cache_dir);
    const struct dirent *entry;
    size_t i;
    if (!folder) return;
    memset(&files, 0, sizeof files);
    while ((entry = readdir(folder)) != NULL) gpi_cache_visit(&files, gp->cache_dir, entry->d_name);
    (void)closedir(folder);
    if (files.bytes > limit) qsort(files.file, files.count, sizeof *files.file, gpi_cache_older);
    for (i = 0; i < files.count; i++) {
        const gpi_cache_file *file = &files.file[i];
        if (files.bytes > limit) {
            if (gpi_cache_has_magic(file->path)) (void)remove(file->path); /* or another process has */
            files.bytes -= file->size;
        }
        free(file->path);
    }
    free(files.file);
}

#endif

/* ------------------------------------------------------------------ cache */

static bool gpi_cache_valid(const gpi_cache_header *header, const gpi_program *program,
                            const unsigned char *body, size_t body_size)
{
    return memcmp(header->magic, GPI_CACHE_MAGIC, sizeof header->magic) == 0 &&
           memcmp(&header->key, &program->key, sizeof header->key) == 0 && header->size == body_size &&
           header->checksum == gpi_hash(GPI_HASH_SEED, body, body_size);
}

/* The program's binary, to be freed, or NULL: not there, damaged or not ours (dropped then). */
static unsigned char *gpi_cache_load(gp_context *gp, gpi_program *program, size_t *size)
{
    gpi_cache_header header;
    char *path = gp->cache_dir ? gpi_cache_path(gp, program) : NULL;
    unsigned char *data = path ? gpi_file_read(path, size) : NULL;
    bool valid = false;
    if (data && *size > sizeof header) {
        memcpy(&header, data, sizeof header);
        *size -= sizeof header;
        memmove(data, data + sizeof header, *size);
        valid = gpi_cache_valid(&header, program, data, *size);
        program->saved = valid ? (uint32_t)header.kernels : 0;
        if (valid) gpi_file_touch(path);
    }
    if (data && !valid) {
        gpi_log(gp, GP_LOG_WARNING, "cache: %s is damaged or foreign, dropped", path);
        (void)remove(path);
        free(data);
        data = NULL;
    }
    free(path);
    return data;
}

static void gpi_cache_drop(gp_context *gp, const gpi_program *program)
{
    char *path = gp->cache_dir ? gpi_cache_path(gp, program) : NULL;
    if (path) (void)remove(path);
    free(path);
}

/* Failure to save costs a rebuild in the next process, nothing else. */
static bool gpi_cache_save(gp_context *gp, gpi_program *program, const unsigned char *binary, size_t size)
{
    gpi_cache_header header;
    char *path = gpi_cache_path(gp, program);
    bool good;
    memcpy(header.magic, GPI_CACHE_MAGIC, sizeof header.magic);
    header.key = program->key;
    header.kernels = program->launched;
    header.size = size;
    header.checksum = gpi_hash(GPI_HASH_SEED, binary, size);
    good = path && gpi_file_write(path, &header, sizeof header, binary, size);
    if (!good) {
        gpi_log(gp, GP_LOG_WARNING, "cache: cannot write %s; nothing more is saved", path ? path : "?");
        free(gp->cache_dir);
        gp->cache_dir = NULL;
    } else {
        gpi_cache_trim(gp);
    }
    free(path);
    return good;
}

/* Writes a program's source or binary to the dump folder. */
static void gpi_dump(gp_context *gp, const gpi_program *program, const char *ending, const void *data,
                     size_t size)
{
    char *path;
    if (!gp->dump_dir) return;
    path = gpi_format("%s/%016llx%s", gp->dump_dir, (unsigned long long)program->key.word[0], ending);
    if (!path || !gpi_file_write(path, "", 0, data, size)) {
        gpi_log(gp, GP_LOG_WARNING, "dump: cannot write %s", path ? path : "?");
    }
    free(path);
}
/* ---- End file src/cache.c ---- */

/* ---- Begin file src/program.c ---- */
/* program.c - from a description to a built program: compose, look up in memory, on disk, or build. */

/* ------------------------------------------------------------------ text */

static bool gpi_text_reserve(gpi_text *text, size_t more)
{
    size_t capacity = text->capacity ? text->capacity : 1024;
    char *grown;
    while (capacity < text->length + more + 1) capacity *= 2;
    if (text->failed || capacity == text->capacity) return !text->failed;
    grown = (char *)realloc(text->data, capacity);
    if (!grown) {
        text->failed = true;
        return false;
    }
    text->data = grown;
    text->capacity = capacity;
    return true;
}

static void gpi_text_add(gpi_text *text, const char *format, ...)
{
    va_list args;
    int length;
    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || !gpi_text_reserve(text, (size_t)length)) return;
    va_start(args, format);
    (void)vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
    va_end(args);
    text->length += (size_t)length;
}

static void gpi_text_add_lines(gpi_text *text, const char *const *lines, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        const size_t length = strlen(lines[i]);
        if (!gpi_text_reserve(text, length)) return;
        memcpy(text->data + text->length, lines[i], length + 1);
        text->length += length;
    }
}

/* ------------------------------------------------------------------ compose */

static const char *gpi_kernel_name(gpi_primitive primitive, size_t k)
{
    static const char *const names[GPI_PRIMITIVES][GPI_KERNELS_MAX] = {
        {"gp_reduce_tiles", "gp_reduce_partials", NULL},
        {"gp_scan_look_back", "gp_scan_upsweep", "gp_scan_spine", "gp_scan_downsweep", NULL},
        {"gp_sort_small", "gp_sort_begin", "gp_sort_copy", "gp_sort_count", "gp_sort_spine",
         "gp_sort_scatter", "gp_sort_histogram", "gp_sort_bases", "gp_sort_onesweep"},
        {"gp_buckets_sample", "gp_buckets_spine", "gp_buckets_sort", NULL},
        {"gp_merge_tiles", NULL},
        {"gp_search_needles", NULL},
        {"gp_topk_sample", "gp_topk_filter", "gp_topk_histogram", "gp_topk_gather", "gp_topk_take", NULL},
        {"gp_segments_bounds", "gp_segments_list", "gp_segments_small", "gp_segments_count",
         "gp_segments_spine", "gp_segments_scatter", "gp_segments_copy", NULL},
        {"gp_strings_keys_first", "gp_strings_ties", "gp_strings_compact", "gp_strings_skip",
         "gp_strings_keys", NULL},
        {"gp_brackets_pair", "gp_brackets_tree", "gp_brackets_join", "gp_brackets_enclose",
         "gp_brackets_measure", "gp_brackets_report", NULL},
        {"gp_hash_clear_slots", "gp_hash_put_keys", "gp_hash_find_keys", "gp_hash_erase_keys",
         "gp_hash_move_slots", "gp_hash_collect_slots", "gp_hash_measure_slots", "gp_hash_combine_keys",
         NULL},
        {"gp_hash_each_slot", NULL},
        {"gp_laws_try", NULL},
        {"gp_map_tiles", NULL},
        {"gp_random_tiles", NULL},
        {"gp_gather_tiles", NULL},
        {"gp_stencil_tiles", NULL},
    };
    return names[primitive][k];
}

/* Shape and sizes, of a program in which groups exchange no words. Serial spans are arguments. */
static void gpi_prelude_plan(const gp_context *gp, const gpi_plan *plan, gpi_text *text)
{
    const bool local = plan->shape == GP_SHAPE_LOCAL;
    gpi_text_add(text, "#define GPI_SHAPE_SERIAL %d\n#define GPI_SHAPE_LOCAL %d\n", !local, local);
    gpi_text_add(text, "#define GPI_WG %u\n#define GPI_ITEMS %u\n", plan->group, local ? plan->items : 1);
    gpi_text_add(text, "#define GPI_WIDE 0\n#define GPI_INT64_EXTENDED 0\n#define GPI_FP64 %d\n",
                 gp->info.fp64);
}

/* Everything that makes this program differ from others of its primitive. */
static char *gpi_prelude_make(const gp_context *gp, gpi_primitive primitive, const gpi_element *element,
                              const gpi_plan *plan)
{
    gpi_text text;
    memset(&text, 0, sizeof text);
    gpi_text_add(&text, "#define GPI_SHAPE_SERIAL %d\n#define GPI_SHAPE_LOCAL %d\n",
                 plan->shape == GP_SHAPE_SERIAL, plan->shape == GP_SHAPE_LOCAL);
    gpi_text_add(&text, "#define GPI_WG %u\n#define GPI_ITEMS %u\n#define GPI_TILE %u\n", plan->group,
                 plan->items, plan->group * plan->items);
    gpi_text_add(&text, "#define GPI_TILES_ABREAST %u\n", gp->info.compute_units);
    gpi_text_add(&text, "#define GPI_WIDE %d\n#define GPI_INT64_EXTENDED %d\n#define GPI_FP64 %d\n",
                 plan->words == GP_WORDS_WIDE, gp->info.int64_extended_atomics, gp->info.fp64);
    gpi_element_prelude(element, primitive, plan, &text);
    if (!text.failed) return text.data;
    free(text.data);
    return NULL;
}

#define GPI_ADD_KERNEL(text, name) \
    gpi_text_add_lines(text, gpi_kernel_##name, GPI_COUNT_OF(gpi_kernel_##name))

/* The whole source: prelude, layers from the device up, the primitive. */
static char *gpi_source_compose(gpi_primitive primitive, const char *prelude, size_t fields)
{
    gpi_text text;
    unsigned k;
    memset(&text, 0, sizeof text);
    gpi_text_add(&text, "%s", prelude);
    GPI_ADD_KERNEL(&text, platform);
    GPI_ADD_KERNEL(&text, count);
    for (k = 0; k < fields; k++) {
        gpi_text_add(&text, "#define GPI_FIELD %u\n", k);
        GPI_ADD_KERNEL(&text, field);
    }
    if (primitive == GPI_REDUCE || primitive == GPI_SCAN) {
        GPI_ADD_KERNEL(&text, monoid);
        GPI_ADD_KERNEL(&text, source);
        GPI_ADD_KERNEL(&text, tile);
    } else if (primitive == GPI_LAWS) {
        GPI_ADD_KERNEL(&text, monoid);
        GPI_ADD_KERNEL(&text, laws);
    } else if (primitive != GPI_BRACKETS && primitive < GPI_MAP) {
        GPI_ADD_KERNEL(&text, mix);
        if (primitive != GPI_HASH && primitive != GPI_HASH_EACH) GPI_ADD_KERNEL(&text, key);
    }
    switch (primitive) {
    case GPI_REDUCE: GPI_ADD_KERNEL(&text, reduce); break;
    case GPI_SCAN:
        GPI_ADD_KERNEL(&text, tile_scan);
        GPI_ADD_KERNEL(&text, lookback);
        GPI_ADD_KERNEL(&text, scan);
        break;
    case GPI_SORT:
        GPI_ADD_KERNEL(&text, digit);
        GPI_ADD_KERNEL(&text, ring);
        GPI_ADD_KERNEL(&text, rank);
        GPI_ADD_KERNEL(&text, small);
        GPI_ADD_KERNEL(&text, sort);
        break;
    case GPI_BUCKETS:
        GPI_ADD_KERNEL(&text, digit);
        GPI_ADD_KERNEL(&text, rank);
        GPI_ADD_KERNEL(&text, small);
        GPI_ADD_KERNEL(&text, buckets);
        break;
    case GPI_MERGE: GPI_ADD_KERNEL(&text, merge); break;
    case GPI_SEARCH: GPI_ADD_KERNEL(&text, search); break;
    case GPI_TOPK:
        GPI_ADD_KERNEL(&text, digit);
        GPI_ADD_KERNEL(&text, rank);
        GPI_ADD_KERNEL(&text, keep);
        GPI_ADD_KERNEL(&text, topk);
        break;
    case GPI_SEGMENTED_SORT:
        GPI_ADD_KERNEL(&text, digit);
        GPI_ADD_KERNEL(&text, rank);
        GPI_ADD_KERNEL(&text, small);
        GPI_ADD_KERNEL(&text, segmented_sort);
        break;
    case GPI_SORT_STRINGS: GPI_ADD_KERNEL(&text, sort_strings); break;
    case GPI_BRACKETS:
        GPI_ADD_KERNEL(&text, nest);
        GPI_ADD_KERNEL(&text, strands);
        GPI_ADD_KERNEL(&text, items);
        GPI_ADD_KERNEL(&text, brackets);
        break;
    case GPI_HASH:
        GPI_ADD_KERNEL(&text, hash);
        GPI_ADD_KERNEL(&text, hash_line);
        GPI_ADD_KERNEL(&text, hash_batch);
        GPI_ADD_KERNEL(&text, hash_combine);
        GPI_ADD_KERNEL(&text, hash_slots);
        break;
    case GPI_HASH_EACH:
        GPI_ADD_KERNEL(&text, hash);
        GPI_ADD_KERNEL(&text, hash_each);
        break;
    case GPI_MAP: GPI_ADD_KERNEL(&text, map); break;
    case GPI_RANDOM: GPI_ADD_KERNEL(&text, random); break;
    case GPI_GATHER: GPI_ADD_KERNEL(&text, gather); break;
    case GPI_STENCIL: GPI_ADD_KERNEL(&text, stencil); break;
    default: break;
    }
    if (!text.failed) return text.data;
    free(text.data);
    return NULL;
}

/* Two hashes of everything that the binary depends on. */
static gpi_key gpi_key_make(const gp_context *gp, const char *source)
{
    const char *parts[7];
    gpi_key key = {{GPI_HASH_SEED, ~(uint64_t)GPI_HASH_SEED}};
    size_t i, k;
    parts[0] = gp->info.platform_name;
    parts[1] = gp->info.vendor;
    parts[2] = gp->info.name;
    parts[3] = gp->info.version;
    parts[4] = gp->info.driver_version;
    parts[5] = gp->options;
    parts[6] = source;
    for (i = 0; i < GPI_COUNT_OF(parts); i++) {
        for (k = 0; k < 2; k++) key.word[k] = gpi_hash(key.word[k], parts[i], strlen(parts[i]) + 1);
    }
    return key;
}

/* ------------------------------------------------------------------ build */

static gp_result gpi_fail_build(gp_context *gp, cl_program program, const char *function, cl_int error)
{
    size_t size = 0;
    char *log = NULL;
    gp_result result;
    (void)clGetProgramBuildInfo(program, gp->info.device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    log = (char *)calloc(size + 1, 1);
    if (log) (void)clGetProgramBuildInfo(program, gp->info.device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    result = gpi_fail(gp, GP_ERROR_BUILD, "%s: clBuildProgram returned %s (%d), build log:\n%s", function,
                      gpi_cl_error_name(error), (int)error, log ? log : "");
    free(log);
    return result;
}

static gp_result gpi_build_source(gp_context *gp, const char *function, const char *source,
                                  gpi_program *program)
{
    cl_int error;
    program->program = clCreateProgramWithSource(gp->context, 1, &source, NULL, &error);
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, function, "clCreateProgramWithSource");
    error = clBuildProgram(program->program, 1, &gp->info.device, gp->options, NULL, NULL);
    if (error != CL_SUCCESS) return gpi_fail_build(gp, program->program, function, error);
    gp->profile.programs_built++;
    return GP_OK;
}

/* True when the disk cache had it and the driver took it. */
static bool gpi_build_binary(gp_context *gp, gpi_program *program)
{
    size_t size = 0;
    cl_int error = CL_SUCCESS, status = CL_SUCCESS;
    unsigned char *binary = gpi_cache_load(gp, program, &size);
    const unsigned char *const_binary = binary;
    if (!binary) return false;
    program->program =
        clCreateProgramWithBinary(gp->context, 1, &gp->info.device, &size, &const_binary, &status, &error);
    if (error == CL_SUCCESS && status == CL_SUCCESS) {
        error = clBuildProgram(program->program, 1, &gp->info.device, gp->options, NULL, NULL);
    }
    free(binary);
    if (error == CL_SUCCESS && status == CL_SUCCESS) {
        gp->profile.programs_loaded++;
        return true;
    }
    gpi_log(gp, GP_LOG_WARNING, "cache: the driver refuses a saved program, rebuilt");
    if (program->program) (void)clReleaseProgram(program->program);
    program->program = NULL;
    program->saved = 0;
    gpi_cache_drop(gp, program);
    return false;
}

/* Mesa 22.3 says 32 for every kernel on llvmpipe, and runs groups of any size up to the device's. */
static size_t gpi_kernel_group_max(const gp_context *gp, cl_kernel kernel)
{
    size_t size = 0;
    if (gpi_is_llvmpipe(&gp->info)) return gp->info.max_work_group_size;
    if (clGetKernelWorkGroupInfo(kernel, gp->info.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size,
                                 NULL) != CL_SUCCESS) {
        return SIZE_MAX;
    }
    return size > 0 ? size : SIZE_MAX;
}

/* The program's kernels, and the largest group with which every one of them can be launched. */
static gp_result gpi_kernels_create(gp_context *gp, const char *function, gpi_program *program)
{
    size_t k;
    program->group_max = SIZE_MAX;
    for (k = 0; k < GPI_KERNELS_MAX && gpi_kernel_name(program->primitive, k); k++) {
        cl_int error;
        size_t group;
        program->kernel[k] = clCreateKernel(program->program, gpi_kernel_name(program->primitive, k), &error);
        if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, function, "clCreateKernel");
        group = gpi_kernel_group_max(gp, program->kernel[k]);
        if (group < program->group_max) program->group_max = group;
    }
    return GP_OK;
}

/* ------------------------------------------------------------------ in memory */

static void gpi_program_free(gpi_program *program)
{
    size_t k;
    if (!program) return;
    for (k = 0; k < GPI_KERNELS_MAX; k++) {
        if (program->kernel[k]) (void)clReleaseKernel(program->kernel[k]);
    }
    if (program->program) (void)clReleaseProgram(program->program);
    free(program->prelude);
    free(program);
}

static void gpi_programs_free(gp_context *gp)
{
    while (gp->programs) {
        gpi_program *next = gp->programs->next;
        gpi_program_free(gp->programs);
        gp->programs = next;
    }
}

static gpi_program *gpi_program_find(const gp_context *gp, gpi_primitive primitive, const char *prelude,
                                     uint64_t hash)
{
    gpi_program *p = gp->programs;
    while (p && (p->hash != hash || p->primitive != primitive || strcmp(p->prelude, prelude) != 0))
        p = p->next;
    return p;
}

/* Builds or loads a program that is not in memory yet. Takes `prelude`. */
static gp_result gpi_program_make(gp_context *gp, const char *function, gpi_primitive primitive,
                                  char *prelude, uint64_t hash, size_t fields, gpi_program **out)
{
    gpi_program *program = (gpi_program *)calloc(1, sizeof *program);
    char *source = gpi_source_compose(primitive, prelude, fields);
    gp_result result = GP_OK;
    if (!program || !source) {
        free(source);
        free(prelude);
        free(program);
        return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for a program", function);
    }
    program->primitive = primitive;
    program->prelude = prelude;
    program->hash = hash;
    program->key = gpi_key_make(gp, source);
    gpi_dump(gp, program, ".cl", source, strlen(source));
    if (!gpi_build_binary(gp, program)) result = gpi_build_source(gp, function, source, program);
    if (result == GP_OK) result = gpi_kernels_create(gp, function, program);
    free(source);
    if (result != GP_OK) {
        gpi_program_free(program);
        return result;
    }
    program->next = gp->programs;
    gp->programs = program;
    *out = program;
    return GP_OK;
}

/* The program with this prelude, which it takes (NULL: there was no memory for it). */
static gp_result gpi_program_get_text(gp_context *gp, const char *function, gpi_primitive primitive,
                                      char *prelude, size_t fields, gpi_program **out)
{
    uint64_t hash;
    if (!prelude) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for a program", function);
    hash = gpi_hash(GPI_HASH_SEED, prelude, strlen(prelude));
    *out = gpi_program_find(gp, primitive, prelude, hash);
    if (!*out) return gpi_program_make(gp, function, primitive, prelude, hash, fields, out);
    free(prelude);
    return GP_OK;
}

/* The program for a description and plan; as below, the group may shrink. */
static gp_result gpi_program_get_fit(gp_context *gp, const char *function, gpi_primitive primitive,
                                     gpi_prelude_function *prelude, const void *description, gpi_plan *plan,
                                     gpi_program **out)
{
    for (;;) {
        const gp_result result =
            gpi_program_get_text(gp, function, primitive, prelude(gp, plan, description), 0, out);
        if (result != GP_OK) return result;
        if (plan->group == 1 || plan->group <= (*out)->group_max) return GP_OK;
        plan->group /= 2;
    }
}

/* The program for this element and plan. A compiler may grant its kernels smaller groups than the plan
   wants; the plan's group then shrinks, and the program is made again. */
static gp_result gpi_program_get(gp_context *gp, const char *function, gpi_primitive primitive,
                                 const gpi_element *element, gpi_plan *plan, gpi_program **out)
{
    for (;;) {
        char *prelude = gpi_prelude_make(gp, primitive, element, plan);
        const gp_result result =
            gpi_program_get_text(gp, function, primitive, prelude, element->field_count, out);
        if (result != GP_OK) return result;
        if (plan->group == 1 || plan->group <= (*out)->group_max) return GP_OK;
        plan->group /= 2;
    }
}

/* ------------------------------------------------------------------ save, share */

/* Where the context's device stands among the program's: a context of the caller may have several. */
static size_t gpi_program_device(const gp_context *gp, const gpi_program *program, cl_uint *count)
{
    cl_device_id devices[GPI_DEVICES_MAX];
    size_t i = 0;
    *count = 0;
    (void)clGetProgramInfo(program->program, CL_PROGRAM_NUM_DEVICES, sizeof *count, count, NULL);
    if (*count > GPI_DEVICES_MAX ||
        clGetProgramInfo(program->program, CL_PROGRAM_DEVICES, *count * sizeof *devices, devices, NULL)) {
        *count = 0;
    }
    while (i < *count && devices[i] != gp->info.device) i++;
    return i;
}

/* The binary of a built program for the context's device, to be freed. */
static unsigned char *gpi_program_binary(const gp_context *gp, const gpi_program *program, size_t *size)
{
    size_t sizes[GPI_DEVICES_MAX];
    unsigned char *binaries[GPI_DEVICES_MAX];
    cl_uint count, i;
    const size_t own = gpi_program_device(gp, program, &count);
    if (own >= count ||
        clGetProgramInfo(program->program, CL_PROGRAM_BINARY_SIZES, count * sizeof *sizes, sizes, NULL) ||
        sizes[own] == 0) {
        return NULL;
    }
    for (i = 0; i < count; i++) binaries[i] = NULL; /* not wanted */
    binaries[own] = (unsigned char *)malloc(sizes[own]);
    *size = sizes[own];
    if (binaries[own] &&
        clGetProgramInfo(program->program, CL_PROGRAM_BINARIES, count * sizeof *binaries, binaries, NULL)) {
        free(binaries[own]);
        return NULL;
    }
    return binaries[own];
}

/* Saves what has been launched since the last save. Called when the queue is idle: some implementations
   (PoCL) make machine code at a kernel's first launch, and a binary taken before would lack it. */
static void gpi_programs_save(gp_context *gp)
{
    gpi_program *p;
    for (p = gp->programs; p && (gp->cache_dir || gp->dump_dir); p = p->next) {
        unsigned char *binary;
        size_t size;
        if (!(p->launched & ~p->saved)) continue;
        p->launched |= p->saved;
        binary = gpi_program_binary(gp, p, &size);
        if (!binary) {
            gpi_log(gp, GP_LOG_WARNING, "cache: the driver gives no binary");
            continue;
        }
        gpi_dump(gp, p, ".bin", binary, size);
        if (gp->cache_dir && gpi_cache_save(gp, p, binary, size)) gp->profile.programs_saved++;
        p->saved = p->launched;
        free(binary);
    }
}

static gp_result gpi_program_copy(gp_context *gp, const gpi_program *from)
{
    gpi_program *program = (gpi_program *)calloc(1, sizeof *program);
    gp_result result;
    if (program) program->prelude = (char *)malloc(strlen(from->prelude) + 1);
    if (!program || !program->prelude) {
        free(program);
        return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "gp_context_create: no memory to share programs");
    }
    memcpy(program->prelude, from->prelude, strlen(from->prelude) + 1);
    program->primitive = from->primitive;
    program->hash = from->hash;
    program->key = from->key;
    program->launched = from->launched;
    program->saved = from->saved;
    program->program = from->program;
    (void)clRetainProgram(program->program);
    program->next = gp->programs;
    gp->programs = program;
    result = gpi_kernels_create(gp, "gp_context_create", program);
    if (result == GP_OK) gp->profile.programs_shared++;
    return result;
}

/* The other context's programs, with kernels of our own: arguments are set on kernels. Programs that were
   built with other options are other programs. */
static gp_result gpi_programs_share(gp_context *gp, const gp_context *from)
{
    const gpi_program *p;
    gp_result result = GP_OK;
    if (strcmp(gp->options, from->options) != 0) return GP_OK;
    for (p = from->programs; p && result == GP_OK; p = p->next) result = gpi_program_copy(gp, p);
    return result;
}
/* ---- End file src/program.c ---- */

/* ---- Begin file src/events.c ---- */
/* events.c - commands in flight: what became of them, and how long they took.

   Every command leaves its event here until it has ended. Ended ones are settled at gp_finish, at blocking
   reads, and whenever the list has filled up: failures are told to the handler and kept for gp_finish, times
   are added to the profile. All of it on the caller's thread.

   Commands that are enqueued faster than they run would pile up without bound, here and in the driver, so a
   call waits when GPI_IN_FLIGHT_MAX of them are in flight. It must not wait for what only the caller can
   set going: a user event, behind which everything of an in-order queue stands still. No query tells that,
   so only a command that runs is waited for, and one that does not begin to run for a while is taken for
   stalled, together with all that are in flight by then. Stalled commands are not counted. */

#include <time.h>

/* ------------------------------------------------------------------ times */

static gp_kernel_profile *gpi_kernel_profile_of(gp_context *gp, const char *name)
{
    size_t k = 0;
    while (k < gp->kernel_count && strcmp(gp->kernels[k].name, name) != 0) k++;
    if (k == GPI_KERNEL_PROFILES) return NULL;
    if (k == gp->kernel_count) {
        memset(&gp->kernels[k], 0, sizeof gp->kernels[k]);
        (void)snprintf(gp->kernels[k].name, GP_NAME_MAX, "%s", name);
        gp->kernel_count++;
    }
    return &gp->kernels[k];
}

static void gpi_profile_add(gp_kernel_profile *profile, uint64_t ns)
{
    if (profile->launches == 0 || ns < profile->min_ns) profile->min_ns = ns;
    if (ns > profile->max_ns) profile->max_ns = ns;
    profile->total_ns += ns;
    profile->launches++;
}

static void gpi_profile_event(gp_context *gp, const char *kernel, cl_event event)
{
    gp_kernel_profile *profile = gpi_kernel_profile_of(gp, kernel);
    cl_ulong start = 0, end = 0;
    cl_int error = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    if (!error) error = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    if (!error && end >= start && profile) gpi_profile_add(profile, end - start);
}

/* ------------------------------------------------------------------ failures */

/* A command failed after it was enqueued: the first one is kept for gp_finish. */
static void gpi_async_fail(gp_context *gp, const gpi_pending *pending, cl_int status)
{
    char text[GPI_ASYNC_TEXT_MAX];
    (void)snprintf(text, sizeof text, "%s: %s failed after it was enqueued: %s (%d)", pending->function,
                   pending->kernel ? pending->kernel : "a command", gpi_cl_error_name(status), (int)status);
    if (gp->async_text[0] == '\0') memcpy(gp->async_text, text, sizeof text);
    gpi_log(gp, GP_LOG_ERROR, "%s", text);
    if (gp->desc.on_async_error) gp->desc.on_async_error(GP_ERROR_OPENCL, text, gp->desc.async_error_user);
}

/* The first failure since the last time this was asked. */
static gp_result gpi_async_result(gp_context *gp)
{
    char text[GPI_ASYNC_TEXT_MAX];
    if (gp->async_text[0] == '\0') return GP_OK;
    memcpy(text, gp->async_text, sizeof text);
    gp->async_text[0] = '\0';
    return gpi_fail(gp, GP_ERROR_OPENCL, "%s", text);
}

/* ------------------------------------------------------------------ the list */

static cl_int gpi_event_status(cl_event event)
{
    cl_int status = CL_COMPLETE;
    (void)clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return status;
}

/* Settles what has ended, and keeps the rest. */
static void gpi_settle(gp_context *gp)
{
    size_t i, kept = 0, stalled = 0;
    for (i = 0; i < gp->pending_count; i++) {
        const gpi_pending pending = gp->pending[i];
        const cl_int status = gpi_event_status(pending.event);
        if (status > CL_COMPLETE) {
            if (i < gp->pending_stalled) stalled++;
            gp->pending[kept++] = pending;
            continue;
        }
        if (status < 0) gpi_async_fail(gp, &pending, status);
        else if (gp->desc.profile && pending.kernel) gpi_profile_event(gp, pending.kernel, pending.event);
        (void)clReleaseEvent(pending.event);
    }
    gp->pending_count = kept;
    gp->pending_stalled = stalled;
}

/* Settles everything; the queue has been finished. An event's status can lag behind clFinish (Mesa). */
static void gpi_settle_all(gp_context *gp)
{
    size_t i;
    gpi_settle(gp);
    for (i = 0; i < gp->pending_count; i++) (void)clWaitForEvents(1, &gp->pending[i].event);
    gpi_settle(gp);
}

/* Waits until the command has ended; false when it does not begin to run for so long that it may never. */
static bool gpi_wait_if_running(cl_event event)
{
    const clock_t begin = clock(), limit = CLOCKS_PER_SEC / 50;
    for (;;) {
        const cl_int status = gpi_event_status(event);
        const clock_t now = clock();
        if (status <= CL_COMPLETE) return true;
        if (status == CL_RUNNING) {
            (void)clWaitForEvents(1, &event);
            return true;
        }
        if (now == (clock_t)-1 || now - begin > limit) return false;
    }
}

/* Before a call: when too many commands are in flight, waits for the older half of them. */
static void gpi_throttle(gp_context *gp)
{
    size_t i;
    if (gp->pending_count - gp->pending_stalled < GPI_IN_FLIGHT_MAX) return;
    gpi_settle(gp);
    if (gp->pending_count - gp->pending_stalled <= GPI_IN_FLIGHT_MAX / 2) return;
    (void)clFlush(gp->queue);
    for (i = gp->pending_stalled; i < gp->pending_count - GPI_IN_FLIGHT_MAX / 2; i++) {
        if (gpi_wait_if_running(gp->pending[i].event)) continue;
        gp->pending_stalled = gp->pending_count;
        break;
    }
    gpi_settle(gp);
}

/* Room for one more: by settling, or by growing in step with the commands that are really in flight. */
static bool gpi_pending_reserve(gp_context *gp)
{
    const size_t capacity = gp->pending_capacity ? 2 * gp->pending_capacity : 64;
    gpi_pending *grown;
    if (gp->pending_count == gp->pending_capacity) gpi_settle(gp);
    if (gp->pending_capacity > 0 && gp->pending_count <= gp->pending_capacity / 2) return true;
    grown = (gpi_pending *)realloc(gp->pending, capacity * sizeof *grown);
    if (!grown) return gp->pending_count < gp->pending_capacity;
    gp->pending = grown;
    gp->pending_capacity = capacity;
    return true;
}

/* Takes note of a command. Out of memory, it goes unwatched. */
static void gpi_watch(gp_context *gp, const char *function, const char *kernel, cl_event event)
{
    gpi_pending *pending;
    if (gp->pending_count == gp->pending_capacity && !gpi_pending_reserve(gp)) return;
    (void)clRetainEvent(event);
    pending = &gp->pending[gp->pending_count++];
    pending->event = event;
    pending->function = function;
    pending->kernel = kernel;
}
/* ---- End file src/events.c ---- */

/* ---- Begin file src/launch.c ---- */
/* launch.c - buffers checked, scratch handed out, commands chained. */

/* ------------------------------------------------------------------ buffers */

/* The outermost buffer that holds `buffer`, and where in it. */
static void gpi_range_resolve(cl_mem buffer, gpi_range *range)
{
    cl_mem parent = NULL;
    size_t origin = 0;
    range->root = buffer;
    if (clGetMemObjectInfo(buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL) != CL_SUCCESS ||
        !parent || clGetMemObjectInfo(buffer, CL_MEM_OFFSET, sizeof origin, &origin, NULL) != CL_SUCCESS) {
        return;
    }
    range->root = parent;
    range->begin += origin;
    range->end += origin;
}

static gp_result gpi_check_buffer_kind(gp_context *gp, const char *function, const char *field, cl_mem buffer,
                                       int access)
{
    cl_mem_object_type type = 0;
    cl_mem_flags flags = 0;
    cl_context context = NULL;
    cl_int error = clGetMemObjectInfo(buffer, CL_MEM_TYPE, sizeof type, &type, NULL);
    if (error == CL_SUCCESS) error = clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    if (error == CL_SUCCESS)
        error = clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (error != CL_SUCCESS || type != CL_MEM_OBJECT_BUFFER) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER,
                        "%s: %s is not a buffer: clGetMemObjectInfo returned %s (%d)", function, field,
                        error ? gpi_cl_error_name(error) : "another type", (int)error);
    }
    if (context != gp->context) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: %s belongs to another cl_context", function, field);
    }
    if ((access != GPI_READS && (flags & CL_MEM_READ_ONLY)) ||
        (access != GPI_WRITES && (flags & CL_MEM_WRITE_ONLY))) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: %s was created %s", function, field,
                        flags & CL_MEM_READ_ONLY ? "CL_MEM_READ_ONLY" : "CL_MEM_WRITE_ONLY");
    }
    return GP_OK;
}

/* Checks that elements [offset, offset + count) of `size` bytes are inside; tells where they are. */
static gp_result gpi_check_buffer(gp_context *gp, const char *function, const char *field, cl_mem buffer,
                                  size_t offset, size_t count, size_t size, int access, gpi_range *range)
{
    size_t bytes = 0;
    gp_result result;
    if (!buffer) return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: %s is NULL", function, field);
    result = gpi_check_buffer_kind(gp, function, field, buffer, access);
    if (result != GP_OK) return result;
    (void)clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    if (offset > bytes / size || count > bytes / size - offset) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER,
                        "%s: %s has %zu bytes, too few for offset %zu and %zu elements of %zu bytes",
                        function, field, bytes, offset, count, size);
    }
    range->begin = offset * size;
    range->end = (offset + count) * size;
    gpi_range_resolve(buffer, range);
    return GP_OK;
}

static gpi_count gpi_count_make(size_t bound, cl_mem buffer, size_t offset, gp_type type)
{
    gpi_count count;
    count.bound = bound;
    count.buffer = buffer;
    count.offset = offset;
    count.type = type;
    return count;
}

/* A number that lives on the device: of 32 or 64 bits, and inside its buffer. `prefix`: of its fields. */
static gp_result gpi_check_count_named(gp_context *gp, const char *function, const char *prefix,
                                       const gpi_count *count, gpi_range *range)
{
    char field[64];
    memset(range, 0, sizeof *range);
    if (!count->buffer) return GP_OK;
    if (count->type != GP_U32 && count->type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: %scount_type = %d, must be GP_U32 or GP_U64",
                        function, prefix, (int)count->type);
    }
    (void)snprintf(field, sizeof field, "%scount_buffer", prefix);
    return gpi_check_buffer(gp, function, field, count->buffer, count->offset, 1,
                            count->type == GP_U32 ? 4 : 8, GPI_READS, range);
}

static gp_result gpi_check_count(gp_context *gp, const char *function, const gpi_count *count,
                                 gpi_range *range)
{
    return gpi_check_count_named(gp, function, "", count, range);
}

/* Of `count` ranges the first `read` ones are only read. The others may touch nothing else. */
static gp_result gpi_check_apart(gp_context *gp, const char *function, const char *const *names,
                                 const gpi_range *used, size_t read, size_t count)
{
    size_t a, b;
    for (a = read; a < count; a++) {
        for (b = 0; b < a; b++) {
            if (!used[a].root || !gpi_overlap(&used[a], &used[b])) continue;
            return gpi_fail(gp, GP_ERROR_OVERLAP,
                            "%s: %s is bytes [%zu, %zu) and %s [%zu, %zu) of one buffer", function, names[b],
                            used[b].begin, used[b].end, names[a], used[a].begin, used[a].end);
        }
    }
    return GP_OK;
}

static bool gpi_same(const gpi_range *a, const gpi_range *b)
{
    return a->root == b->root && a->begin == b->begin && a->end == b->end;
}

static bool gpi_overlap(const gpi_range *a, const gpi_range *b)
{
    return a->root == b->root && a->begin < b->end && b->begin < a->end;
}

/* The caller's scratch, if any: large enough, and apart from what the call reads and writes. */
static gp_result gpi_check_scratch(gp_context *gp, const char *function, cl_mem scratch, size_t bytes,
                                   const gpi_range *used, size_t used_count)
{
    gpi_range range;
    gp_result result;
    size_t i;
    if (!scratch || bytes == 0) return GP_OK;
    result = gpi_check_buffer(gp, function, "scratch", scratch, 0, bytes, 1, GPI_BOTH, &range);
    for (i = 0; i < used_count && result == GP_OK; i++) {
        if (!gpi_overlap(&range, &used[i])) continue;
        result = gpi_fail(gp, GP_ERROR_OVERLAP,
                          "%s: scratch (bytes [%zu, %zu)) overlaps bytes [%zu, %zu) of the same buffer",
                          function, range.begin, range.end, used[i].begin, used[i].end);
    }
    return result;
}

/* A read-write buffer; sizes that the device cannot give are refused before the driver sees them,
   because one implementation aborts the process. */
static gp_result gpi_alloc(gp_context *gp, const char *function, size_t bytes, cl_mem *out)
{
    cl_int error;
    *out = NULL;
    if (bytes == 0) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: a buffer of 0 bytes", function);
    if (bytes > gp->info.max_alloc_size) {
        return gpi_fail(gp, GP_ERROR_OUT_OF_DEVICE_MEMORY, "%s: %zu bytes, one buffer of %s can have %llu",
                        function, bytes, gp->info.name, (unsigned long long)gp->info.max_alloc_size);
    }
    *out = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(gp, error, function, "clCreateBuffer");
}

GP_API gp_result gp_buffer_create(gp_context *gp, size_t bytes, const void *data, cl_mem *out)
{
    gp_result result;
    cl_int error;
    if (!gp || !out) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_buffer_create: gp or out is NULL");
    result = gpi_alloc(gp, "gp_buffer_create", bytes, out);
    if (result != GP_OK || !data) return result;
    error = clEnqueueWriteBuffer(gp->queue, *out, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
    if (error == CL_SUCCESS) return GP_OK;
    (void)clReleaseMemObject(*out);
    *out = NULL;
    return gpi_fail_cl(gp, error, "gp_buffer_create", "clEnqueueWriteBuffer");
}

static gp_result gpi_alloc_zeros(gp_context *gp, size_t bytes, cl_mem *out)
{
    void *zeros = calloc(bytes, 1);
    const gp_result result = zeros ? gp_buffer_create(gp, bytes, zeros, out)
                                   : gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "gp_warmup: no memory");
    free(zeros);
    return result;
}

/* Input for a warm-up: elements that the caller's own functions can be trusted with. */
static gp_result gpi_alloc_neutral(gp_context *gp, const gpi_element *element, size_t count, cl_mem *out)
{
    unsigned char *elements;
    gp_result result;
    size_t i;
    if (element->operation.type) return gpi_alloc_zeros(gp, count * element->in_size, out);
    elements = (unsigned char *)malloc(count * element->base_size);
    if (!elements) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "gp_warmup: no memory");
    for (i = 0; i < count; i++)
        memcpy(elements + i * element->base_size, element->identity, element->base_size);
    result = gp_buffer_create(gp, count * element->base_size, elements, out);
    free(elements);
    return result;
}

/* ------------------------------------------------------------------ a call's chain of commands */

static gp_result gpi_check_events(gp_context *gp, const char *function, const cl_event *wait, cl_uint count)
{
    cl_uint i;
    if ((wait == NULL) != (count == 0)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: wait is %s and wait_count is %u", function,
                        wait ? "given" : "NULL", count);
    }
    for (i = 0; i < count; i++) {
        cl_context context = gp->context;
        if (!wait[i]) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: wait[%u] is NULL", function, i);
        (void)clGetEventInfo(wait[i], CL_EVENT_CONTEXT, sizeof context, &context, NULL);
        if (context != gp->context) {
            return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: wait[%u] belongs to another cl_context",
                            function, i);
        }
        if (gpi_event_status(wait[i]) < 0) {
            return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: wait[%u] has failed: %s (%d)", function, i,
                            gpi_cl_error_name(gpi_event_status(wait[i])), (int)gpi_event_status(wait[i]));
        }
    }
    return GP_OK;
}

static gp_result gpi_call_begin(gpi_call *call, gp_context *gp, const char *function, const cl_event *wait,
                                cl_uint wait_count, cl_event *done)
{
    memset(call, 0, sizeof *call);
    call->gp = gp;
    call->function = function;
    call->wait = wait;
    call->wait_count = wait_count;
    call->done = done;
    gpi_throttle(gp);
    return gpi_check_events(gp, function, wait, wait_count);
}

/* The first command must also wait for the previous user of the scratch: out-of-order queues only. */
static gp_result gpi_call_merge_busy(gpi_call *call)
{
    const cl_uint n = call->wait_count;
    cl_uint i;
    if (call->gp->scratch_busy && gpi_event_status(call->gp->scratch_busy) < 0) {
        (void)clReleaseEvent(call->gp->scratch_busy); /* it failed: waiting for it would fail this call too */
        call->gp->scratch_busy = NULL;
    }
    if (!call->gp->scratch_busy) return GP_OK;
    call->merged = (cl_event *)malloc((n + 1) * sizeof *call->merged);
    if (!call->merged) {
        return gpi_fail(call->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for a wait list",
                        call->function);
    }
    for (i = 0; i < n; i++) call->merged[i] = call->wait[i];
    call->merged[n] = call->gp->scratch_busy;
    call->wait = call->merged;
    call->wait_count = n + 1;
    return GP_OK;
}

/* `bytes` of scratch in *out: the caller's own buffer when there is one, else the context's, grown.
   A buffer that is replaced lives on until the commands that use it have ended. */
static gp_result gpi_call_scratch(gpi_call *call, cl_mem own, size_t bytes, cl_mem *out)
{
    gp_context *gp = call->gp;
    gp_result result;
    cl_mem grown;
    *out = own;
    if (own) return GP_OK; /* gpi_check_scratch has seen it */
    if (bytes > gp->scratch_size) {
        const size_t minimum = 65536;
        const size_t size = bytes < minimum ? minimum : bytes;
        result = gpi_alloc(gp, call->function, size, &grown);
        if (result != GP_OK) return result;
        if (gp->scratch) (void)clReleaseMemObject(gp->scratch);
        gp->scratch = grown;
        gp->scratch_size = size;
        gp->profile.scratch_bytes = size;
    }
    *out = gp->scratch;
    call->uses_scratch = true;
    return gpi_call_merge_busy(call);
}

/* After a command: it is what the next one waits for, where the queue does not keep order itself. */
static gp_result gpi_call_enqueued(gpi_call *call, cl_int error, const char *what, const char *kernel,
                                   cl_event event)
{
    if (error != CL_SUCCESS) return gpi_fail_cl(call->gp, error, call->function, what);
    gpi_watch(call->gp, call->function, kernel, event);
    if (call->last) (void)clReleaseEvent(call->last);
    call->last = event;
    call->wait = call->gp->out_of_order ? &call->last : NULL;
    call->wait_count = call->wait ? 1 : 0;
    return GP_OK;
}

static gp_result gpi_call_fill(gpi_call *call, cl_mem buffer, size_t offset, size_t bytes)
{
    const cl_uint zero = 0;
    cl_event event;
    const cl_int error = clEnqueueFillBuffer(call->gp->queue, buffer, &zero, sizeof zero, offset, bytes,
                                             call->wait_count, call->wait, &event);
    return gpi_call_enqueued(call, error, "clEnqueueFillBuffer", NULL, event);
}

static gp_result gpi_call_copy(gpi_call *call, cl_mem from, size_t from_offset, cl_mem to, size_t to_offset,
                               size_t bytes)
{
    cl_event event;
    const cl_int error = clEnqueueCopyBuffer(call->gp->queue, from, to, from_offset, to_offset, bytes,
                                             call->wait_count, call->wait, &event);
    return gpi_call_enqueued(call, error, "clEnqueueCopyBuffer", NULL, event);
}

/* Prepares a kernel: its arguments follow in order, then its launch. */
static void gpi_call_kernel(gpi_call *call, gpi_program *program, size_t kernel)
{
    call->program = program;
    call->kernel = kernel;
    call->arg_count = 0;
    call->arg_error = CL_SUCCESS;
}

static void gpi_call_arg(gpi_call *call, size_t size, const void *value)
{
    const cl_int error = clSetKernelArg(call->program->kernel[call->kernel], call->arg_count++, size, value);
    if (call->arg_error == CL_SUCCESS) call->arg_error = error;
}

/* GPI_COUNT_PARAMETERS of count.cl. Where nothing is to be read, some buffer has to stand in. */
static void gpi_call_arg_count(gpi_call *call, const gpi_count *count)
{
    const cl_ulong bound = count->bound, offset = count->offset;
    const cl_mem wanted = count->buffer ? count->buffer : call->gp->counters;
    const cl_uint words = !count->buffer ? 0 : count->type == GP_U32 ? 1 : 2;
    GPI_CALL_ARG(call, bound);
    GPI_CALL_ARG(call, wanted);
    GPI_CALL_ARG(call, offset);
    GPI_CALL_ARG(call, words);
}

/* gpi_argument of monoid.cl: a single field as it is, else whole words. */
static void gpi_call_arg_initial(gpi_call *call, const gpi_element *element)
{
    const size_t size = element->base_size;
    gpi_call_arg(call, element->field_count == 1 ? size : gpi_round_up(size, 4), element->initial);
}

static gp_result gpi_call_launch(gpi_call *call, const gpi_plan *plan, size_t groups)
{
    gp_context *gp = call->gp;
    const size_t local = plan->group, global = groups * plan->group;
    cl_event event;
    cl_int error = call->arg_error;
    gp_result result;
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, call->function, "clSetKernelArg");
    error = clEnqueueNDRangeKernel(gp->queue, call->program->kernel[call->kernel], 1, NULL, &global, &local,
                                   call->wait_count, call->wait, &event);
    result = gpi_call_enqueued(call, error, "clEnqueueNDRangeKernel",
                               gpi_kernel_name(call->program->primitive, call->kernel), event);
    if (result != GP_OK) return result;
    call->program->launched |= 1u << call->kernel;
    gp->profile.launches++;
    return GP_OK;
}

/* Copies a result to the host once the call's commands have ended; waits for these and for nothing else that
   the queue may hold. */
static gp_result gpi_call_read(gpi_call *call, cl_mem buffer, size_t offset, size_t size, void *to)
{
    gp_context *gp = call->gp;
    cl_event event;
    cl_int error = clEnqueueReadBuffer(gp->queue, buffer, CL_FALSE, offset, size, to, call->wait_count,
                                       call->wait, &event);
    gp_result result = gpi_call_enqueued(call, error, "clEnqueueReadBuffer", NULL, event);
    if (result != GP_OK) return result;
    error = clWaitForEvents(1, &call->last);
    gpi_settle(gp);
    result = gpi_async_result(gp); /* the reason, where the wait has failed too */
    if (result != GP_OK || error == CL_SUCCESS) return result;
    return gpi_fail_cl(gp, error, call->function, "clWaitForEvents");
}

/* Hands `done` over, also for a call that had nothing to enqueue, and lets go of the rest. */
static gp_result gpi_call_end(gpi_call *call, gp_result result)
{
    gp_context *gp = call->gp;
    if (result == GP_OK && call->done && !call->last) {
        const cl_int error = clEnqueueMarkerWithWaitList(gp->queue, call->wait_count, call->wait, call->done);
        if (error != CL_SUCCESS)
            result = gpi_fail_cl(gp, error, call->function, "clEnqueueMarkerWithWaitList");
    } else if (result == GP_OK && call->done) {
        (void)clRetainEvent(call->last);
        *call->done = call->last;
    }
    if (call->uses_scratch && gp->out_of_order && call->last) {
        if (gp->scratch_busy) (void)clReleaseEvent(gp->scratch_busy);
        gp->scratch_busy = call->last;
        call->last = NULL;
    }
    if (call->last) (void)clReleaseEvent(call->last);
    free(call->merged);
    return result;
}
/* ---- End file src/launch.c ---- */

/* ---- Begin file src/monoid.c ---- */
/* monoid.c - element types, operations and monoids: checks, identities, and the text that tells monoid.cl. */

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

static bool gpi_is_float(gp_type type) { return type == GP_F16 || type == GP_F32 || type == GP_F64; }

static bool gpi_is_signed(gp_type type)
{
    return type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64;
}

/* What a type is in an expression: halves live in memory only. */
static gp_type gpi_operand(gp_type type) { return type == GP_F16 ? GP_F32 : type; }

static bool gpi_is_arg(gp_op op) { return op == GP_ARGMIN || op == GP_ARGMAX; }

/* The type of a reduction when the caller names none: sums overflow neither at 32 bits nor as halves. */
static gp_type gpi_sum_type(gp_type type, gp_op op)
{
    if (gpi_is_arg(op)) return GP_U64;
    if (op != GP_SUM && op != GP_PROD) return type;
    if (gpi_is_float(type)) return gpi_operand(type);
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
    case GP_ARGMIN:
        if (gpi_is_float(type)) gpi_identity_float(type, infinity, out);
        else gpi_identity_integer(size, is_signed ? ones ^ sign : ones, out);
        break;
    case GP_MAX:
    case GP_ARGMAX:
        if (gpi_is_float(type)) gpi_identity_float(type, -infinity, out);
        else gpi_identity_integer(size, is_signed ? sign : 0, out);
        break;
    case GP_AND: gpi_identity_integer(size, ones, out); break;
    default: memset(out, 0, size); break; /* sum, or, xor */
    }
}

/* A half as a float: exact. */
static float gpi_float_of_half(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = half >> 10 & 31u;
    const uint32_t fraction = half & 0x3ffu;
    uint32_t bits = sign | (exponent + 112) << 23 | fraction << 13;
    float value;
    if (exponent == 31) bits = sign | 0x7f800000u | fraction << 13;
    memcpy(&value, &bits, sizeof value);
    if (exponent > 0) return value;
    value = (float)fraction / 16777216.0f; /* subnormal: units of 2^-24 */
    return sign ? -value : value;
}

/* ------------------------------------------------------------------ checks: monoids */

/* Nothing but blanks. */
static bool gpi_is_blank(const char *text) { return !text || text[strspn(text, " \t\n")] == '\0'; }

static gp_result gpi_check_monoid(gp_context *gp, const char *function, const gp_monoid *m)
{
    const char *missing = gpi_is_blank(m->type)      ? "type"
                          : !m->source               ? "source"
                          : gpi_is_blank(m->combine) ? "combine"
                          : !m->identity             ? "identity"
                                                     : NULL;
    if (missing) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: monoid has no %s", function, missing);
    }
    if (m->size < 4 || m->size > GPI_MONOID_MAX || m->size % 4) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "%s: monoid->size = %zu, must be a multiple of 4 in 4..%d", function, m->size,
                        GPI_MONOID_MAX);
    }
    return GP_OK;
}

static gp_result gpi_element_monoid(gp_context *gp, const char *function, gpi_element *element)
{
    const gpi_operation *o = &element->operation;
    gp_result result = gpi_check_monoid(gp, function, o->monoid);
    if (result == GP_OK && gp->desc.check_monoids) result = gpi_laws_check_new(gp, function, o->monoid);
    if (result != GP_OK) return result;
    if (o->out_type || o->op || o->op_count || o->compensated || (o->type && !o->map)) {
        return gpi_fail(
            gp, GP_ERROR_INVALID_ARGUMENT,
            "%s: with a monoid, out_type, op, op_count and compensated stay 0, and type too unless "
            "there is a map (here %d, %d, %zu, %d, %d)",
            function, (int)o->out_type, (int)o->op, o->op_count, o->compensated, (int)o->type);
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

static gp_result gpi_check_field(gp_context *gp, const char *function, const gpi_operation *o,
                                 const gpi_field *field)
{
    const bool is_float = gpi_is_float(field->out);
    if (!gpi_op_macro(field->op)) {
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "%s: op = %d is not a gp_op", function, (int)field->op);
    }
    if (!gpi_type_size(field->out)) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: out_type = %d is not a gp_type", function,
                        (int)field->out);
    }
    if (is_float && (field->op == GP_AND || field->op == GP_OR || field->op == GP_XOR)) {
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "%s: op = %d is bitwise, and %s is not an integer type",
                        function, (int)field->op, gpi_type_cl(field->out));
    }
    if (gpi_is_arg(field->op) && field->out != GP_U32 && field->out != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: argmin and argmax give u32 or u64, not out_type %s",
                        function, gpi_type_cl(field->out));
    }
    if (gpi_is_arg(field->op) && o->initial) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: initial stays NULL with argmin and argmax",
                        function);
    }
    return GP_OK;
}

/* Without a map that says how, no value may be squeezed into its sum. */
static gp_result gpi_check_width(gp_context *gp, const char *function, gp_type from, const gpi_field *field)
{
    if (gpi_is_arg(field->op)) return GP_OK;
    if (gpi_is_float(from) && !gpi_is_float(field->out)) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: type %s cannot be summed as out_type %s", function,
                        gpi_type_cl(from), gpi_type_cl(field->out));
    }
    if (gpi_type_size(field->out) < gpi_type_size(from)) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: out_type %s is narrower than type %s", function,
                        gpi_type_cl(field->out), gpi_type_cl(from));
    }
    return GP_OK;
}

static gp_result gpi_check_fp64(gp_context *gp, const char *function, gp_type type)
{
    if (type != GP_F64 || gp->info.fp64) return GP_OK;
    return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "%s: f64 on %s, which has no cl_khr_fp64", function,
                    gp->info.name);
}

static gp_result gpi_check_type(gp_context *gp, const char *function, const char *field, gp_type type)
{
    if (gpi_type_size(type)) return gpi_check_fp64(gp, function, type);
    return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: %s = %d is not a gp_type", function, field, (int)type);
}

static gp_result gpi_check_inputs(gp_context *gp, const char *function, const gpi_operation *o)
{
    const gp_type types[3] = {o->type, o->type2, o->heads_type};
    const bool wanted[3] = {!o->monoid || o->map, o->type2 != 0, o->segments != 0};
    gp_result result = GP_OK;
    size_t i;
    if (o->type2 && !o->map) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: in2 is only used by a map, and there is none",
                        function);
    }
    if (o->map && gpi_is_blank(o->map)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: map is empty", function);
    }
    if (!o->op_count && (o->ops || o->out_types)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: there are ops or out_types, and op_count is 0",
                        function);
    }
    for (i = 0; i < 3 && result == GP_OK; i++) {
        static const char *const names[3] = {"type", "type2", "heads_type"};
        result = wanted[i] ? gpi_check_type(gp, function, names[i], types[i])
                           : gpi_check_fp64(gp, function, types[i]);
    }
    return result;
}

/* ------------------------------------------------------------------ built-in operations */

/* What argmin and argmax compare: at least 32 bits wide. */
static gp_type gpi_arg_type(gp_type type)
{
    if (gpi_type_size(type) >= 4) return type;
    return gpi_is_signed(type) ? GP_I32 : GP_U32;
}

static size_t gpi_field_size(const gpi_field *field)
{
    const size_t value = gpi_type_size(field->value);
    return gpi_is_arg(field->op) ? value + 8 : field->compensated ? 2 * value : value;
}

static size_t gpi_round_up(size_t x, size_t multiple) { return (x + multiple - 1) / multiple * multiple; }

/* `from` is the type of what the field is made of. */
static gp_result gpi_field_make(gp_context *gp, const char *function, const gpi_operation *o, gp_type from,
                                gp_op op, gp_type out, gpi_field *field)
{
    gp_result result;
    field->op = op;
    field->out = out ? out : gpi_sum_type(from, op);
    field->value = gpi_is_arg(op) ? gpi_arg_type(gpi_operand(from)) : gpi_operand(field->out);
    field->compensated = o->compensated && op == GP_SUM && gpi_is_float(field->value);
    result = gpi_check_field(gp, function, o, field);
    if (result == GP_OK) result = gpi_check_fp64(gp, function, field->out);
    if (result == GP_OK && (!o->map || o->op_count)) result = gpi_check_width(gp, function, from, field);
    return result;
}

static gp_result gpi_check_ops(gp_context *gp, const char *function, const gpi_operation *o)
{
    if (o->op || o->out_type || o->initial) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: with op_count, op, out_type and initial stay 0",
                        function);
    }
    if (!o->ops || o->op_count > GP_OPS_MAX) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: op_count = %zu, must be at most %d, and ops %s",
                        function, o->op_count, GP_OPS_MAX, o->ops ? "is given" : "is NULL");
    }
    if (o->map_type && (!o->map || !gpi_type_size(o->map_type))) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: map_type = %d: not a gp_type, or there is no map",
                        function, (int)o->map_type);
    }
    return gpi_check_fp64(gp, function, o->map_type);
}

/* Several operations on each element: fields side by side, as a struct in C has them. */
static gp_result gpi_element_ops(gp_context *gp, const char *function, gpi_element *element)
{
    const gpi_operation *o = &element->operation;
    const gp_type from = o->map_type ? o->map_type : o->type;
    gp_result result = gpi_check_ops(gp, function, o);
    size_t k, align = 1;
    element->mapped = gpi_operand(from);
    for (k = 0; k < o->op_count && result == GP_OK; k++) {
        gpi_field *field = &element->fields[k];
        result = gpi_field_make(gp, function, o, from, o->ops[k],
                                o->out_types ? o->out_types[k] : GP_TYPE_NONE, field);
        if (result == GP_OK && field->out == GP_F16) field->out = GP_F32; /* no halves in a gp_value */
        field->offset = gpi_round_up(element->base_size, gpi_type_size(field->value));
        element->base_size = field->offset + gpi_field_size(field);
        if (gpi_type_size(field->value) > align) align = gpi_type_size(field->value);
    }
    element->field_count = o->op_count;
    element->base_size = gpi_round_up(element->base_size, align);
    element->out_size = sizeof(gp_value) * o->op_count;
    return result;
}

static gp_result gpi_element_op(gp_context *gp, const char *function, gpi_element *element)
{
    const gpi_operation *o = &element->operation;
    gpi_field *field = &element->fields[0];
    const gp_result result = gpi_field_make(gp, function, o, o->type, o->op, o->out_type, field);
    if (result == GP_OK && o->map_type) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: map_type goes with op_count; here it is out_type",
                        function);
    }
    element->field_count = 1;
    element->mapped = !o->map || gpi_is_arg(o->op) ? gpi_operand(o->type) : field->value;
    element->base_size = gpi_field_size(field);
    element->out_size = gpi_type_size(field->out);
    return result;
}

/* Behind the value of argmin and argmax: an index of all ones. */
static void gpi_field_identity(const gpi_field *field, unsigned char *out)
{
    gpi_identity_make(field->value, field->op, out);
    if (gpi_is_arg(field->op)) memset(out + gpi_type_size(field->value), 0xff, 8);
}

/* `initial` comes in the type of the result. */
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

static gp_result gpi_element_builtin(gp_context *gp, const char *function, gpi_element *element)
{
    const gpi_operation *o = &element->operation;
    const gp_result result =
        o->op_count ? gpi_element_ops(gp, function, element) : gpi_element_op(gp, function, element);
    bool compensated = false;
    size_t k;
    if (result != GP_OK) return result;
    if (o->compensated && gp->desc.fast_math) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "%s: compensated sums need a context without fast_math, which may remove them",
                        function);
    }
    element->commutative = element->exact = true;
    for (k = 0; k < element->field_count; k++) {
        const gpi_field *field = &element->fields[k];
        if (field->compensated) compensated = true;
        if (gpi_is_float(field->value)) element->exact = false; /* min and max may return either zero */
        gpi_field_identity(field, element->identity + field->offset);
    }
    memcpy(element->initial, element->identity, element->base_size);
    if (o->initial) gpi_field_initial(&element->fields[0], o->initial, element->initial);
    if (o->compensated && !compensated) {
        return gpi_fail(gp, GP_ERROR_INVALID_OP,
                        "%s: compensated goes with sums of floats, and there is none", function);
    }
    return GP_OK;
}

/* ------------------------------------------------------------------ elements */

/* Bytes of GPI_HEAD: none is padding. A monoid's alignment is not known: its segments are packed. */
static size_t gpi_head_size(const gpi_element *element)
{
    if (!element->operation.segments) return 0;
    return element->field_count == 0 ? 4 : element->base_size;
}

static gp_result gpi_element_make(gp_context *gp, const char *function, const gpi_operation *operation,
                                  gpi_element *element)
{
    gp_result result;
    memset(element, 0, sizeof *element);
    element->operation = *operation;
    element->in_size = gpi_type_size(operation->type);
    element->in2_size = gpi_type_size(operation->type2);
    element->heads_size = gpi_type_size(operation->heads_type);
    result = gpi_check_inputs(gp, function, operation);
    if (result != GP_OK) return result;
    result = operation->monoid ? gpi_element_monoid(gp, function, element)
                               : gpi_element_builtin(gp, function, element);
    if (result == GP_OK && operation->segments && gpi_is_arg(operation->op)) {
        result = gpi_fail(gp, GP_ERROR_UNSUPPORTED, "%s: argmin and argmax do not take segments", function);
    }
    element->size = element->base_size + gpi_head_size(element);
    if (operation->segments) element->commutative = false; /* heads are not */
    return result;
}

/* Positions that argmin and argmax give in 32 bits: all ones means nowhere. */
static gp_result gpi_check_positions(gp_context *gp, const char *function, const gpi_element *element,
                                     size_t count)
{
    size_t k;
    for (k = 0; k < element->field_count; k++) {
        if (!gpi_is_arg(element->fields[k].op) || element->fields[k].out != GP_U32) continue;
        if (count >= UINT32_MAX) {
            return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: count = %zu, positions of u32 take out_type u64",
                            function, count);
        }
    }
    return GP_OK;
}

/* ------------------------------------------------------------------ text */

static const char *gpi_integer_cl(size_t size, bool is_signed)
{
    const gp_type types[4] = {GP_I8, GP_I16, GP_I32, GP_I64};
    size_t k = 0;
    while ((size_t)1 << k < size) k++;
    return gpi_type_cl(is_signed ? types[k]
                                 : (gp_type)(types[k] + 1)); /* each signed type, then its unsigned */
}

/* Elements of a vector step of the serial shape; one where there is no vector of the type. Scans have vectors
   of plain values only. */
static int gpi_element_lanes(const gpi_element *element, gpi_primitive primitive, const gpi_plan *plan)
{
    const bool has =
        element->field_count > 0 && (primitive == GPI_REDUCE || !gpi_is_arg(element->fields[0].op));
    return has && plan->shape == GP_SHAPE_SERIAL ? 16 : 1;
}

/* The lanes in which a field's sums are kept within a tile: 32 bits where those suffice, since converting
   every element to 64 costs more than reading it. */
static gp_type gpi_field_lane(const gpi_field *field, gp_type mapped, gpi_primitive primitive,
                              const gpi_plan *plan)
{
    const bool narrow = field->op == GP_SUM && !gpi_is_float(mapped) && !gpi_is_float(field->value) &&
                        gpi_type_size(mapped) <= 2 && gpi_type_size(field->value) == 8;
    if (primitive != GPI_REDUCE || !narrow || plan->items > 16 * 65536) return field->value;
    return gpi_is_signed(mapped) ? GP_I32 : GP_U32;
}

static void gpi_identity_words(const gpi_element *element, gpi_text *text)
{
    const size_t words = (element->size + 3) / 4;
    size_t k;
    for (k = 0; k < words; k++) {
        const size_t left = element->base_size > 4 * k ? element->base_size - 4 * k : 0;
        uint32_t word = 0; /* heads are 0 */
        memcpy(&word, element->identity + 4 * k, left < 4 ? left : 4);
        gpi_text_add(text, "%s0x%08xu", k ? ", " : "", (unsigned)word);
    }
}

/* The caller's text, then our names for what it defines: its own names may be those of variables in the
   kernels. The empty line keeps a last backslash to itself. The function gets copies: where it assigns to its
   parameters, Mesa 22.3 assigns to what was passed. */
static void gpi_prelude_monoid(const gp_monoid *m, gpi_text *text)
{
    gpi_text_add(text, "#line 1 \"monoid\"\n%s\n\n", m->source);
    gpi_text_add(text, "typedef %s gpi_user;\n", m->type);
    gpi_text_add(text,
                 "static gpi_user gpi_user_combine(gpi_user gpi_a, gpi_user gpi_b)\n{\n"
                 "    gpi_user gpi_x = gpi_a, gpi_y = gpi_b;\n    return %s(gpi_x, gpi_y);\n}\n",
                 m->combine);
}

static void gpi_prelude_fields(const gpi_element *element, gpi_primitive primitive, const gpi_plan *plan,
                               gpi_text *text)
{
    unsigned k;
    gpi_text_add(text, "#define GPI_FIELD_COUNT %u\n#define GPI_FIELDS(X)", (unsigned)element->field_count);
    for (k = 0; k < element->field_count; k++) gpi_text_add(text, " X(%u)", k);
    for (k = 0; k < element->field_count; k++) {
        const gpi_field *field = &element->fields[k];
        const gp_type lane = gpi_field_lane(field, element->mapped, primitive, plan);
        gpi_text_add(text, "\n#define GPI_OP_%u %s\n#define GPI_VALUE_%u %s\n#define GPI_FLOAT_%u %d\n", k,
                     gpi_op_macro(field->op), k, gpi_type_cl(field->value), k, gpi_is_float(field->value));
        gpi_text_add(text, "#define GPI_RESULT_%u %s\n#define GPI_COMPENSATED_%u %d\n", k,
                     gpi_type_cl(gpi_operand(field->out)), k, field->compensated);
        gpi_text_add(text, "#define GPI_LANE_%u %s\n#define GPI_INDEX_%u %s", k, gpi_type_cl(lane), k,
                     gpi_integer_cl(gpi_type_size(field->value), false));
    }
    gpi_text_add(text, "\n");
}

/* The input element as an operand, and the map as a function. The expression has lines of its own, so that
   it may end in a comment. */
static void gpi_prelude_map(const gpi_element *element, gpi_text *text)
{
    const gpi_operation *o = &element->operation;
    const char *y = element->mapped ? gpi_type_cl(element->mapped) : "gpi_user";
    gpi_text_add(text, "#define GPI_Y %s\n#define GPI_MAPPED %d\n", y, o->map != NULL);
    if (!o->map) return;
    gpi_text_add(text, "static GPI_Y gpi_map(%s x, ", gpi_type_cl(gpi_operand(o->type)));
    if (o->type2) gpi_text_add(text, "%s y, ", gpi_type_cl(gpi_operand(o->type2)));
    gpi_text_add(text, "ulong i)\n{\n    return (\n#line 1 \"map\"\n%s\n    );\n}\n", o->map);
}

/* What is in memory. */
static void gpi_prelude_buffers(const gpi_element *element, gpi_text *text)
{
    const gpi_operation *o = &element->operation;
    const gp_type out = element->field_count == 1 ? element->fields[0].out : GP_TYPE_NONE;
    const char *many = element->field_count == 0 ? "gpi_user" : "ulong"; /* a gp_value each */
    gpi_text_add(text, "#define GPI_IN %s\n#define GPI_IN_HALF %d\n#define GPI_INPUTS %d\n",
                 o->type ? gpi_type_cl(o->type) : "gpi_user", o->type == GP_F16, o->type2 ? 2 : 1);
    if (o->type2) {
        gpi_text_add(text, "#define GPI_IN2 %s\n#define GPI_IN2_HALF %d\n", gpi_type_cl(o->type2),
                     o->type2 == GP_F16);
    }
    gpi_text_add(text, "#define GPI_OUT %s\n#define GPI_OUT_HALF %d\n", out ? gpi_type_cl(out) : many,
                 out == GP_F16);
}

/* Halves as heads are compared as what their bits are. */
static void gpi_prelude_heads(const gpi_element *element, gpi_text *text)
{
    const gpi_operation *o = &element->operation;
    gpi_text_add(text, "#define GPI_REVERSE %d\n#define GPI_SEGMENTED %d\n#define GPI_HEADS %d\n", o->reverse,
                 o->segments != 0, (int)o->segments);
    if (!o->segments) return;
    gpi_text_add(text, "#define GPI_HEAD %s\n#define GPI_HEADS_TYPE %s\n",
                 gpi_integer_cl(gpi_head_size(element), true),
                 o->heads_type == GP_F16 ? "ushort" : gpi_type_cl(o->heads_type));
}

/* The description of the element that field.cl, monoid.cl and source.cl begin with. */
static void gpi_element_prelude(const gpi_element *element, gpi_primitive primitive, const gpi_plan *plan,
                                gpi_text *text)
{
    gpi_text_add(text, "#define GPI_SIZE %u\n#define GPI_IDENTITY_WORDS ", (unsigned)element->size);
    gpi_identity_words(element, text);
    gpi_text_add(text, "\n#define GPI_COMMUTATIVE %d\n#define GPI_EXACT %d\n#define GPI_LANES %d\n",
                 element->commutative, element->exact, gpi_element_lanes(element, primitive, plan));
    if (element->field_count == 0) gpi_prelude_monoid(element->operation.monoid, text);
    gpi_prelude_fields(element, primitive, plan, text);
    gpi_prelude_map(element, text);
    gpi_prelude_buffers(element, text);
    gpi_prelude_heads(element, text);
}
/* ---- End file src/monoid.c ---- */

/* ---- Begin file src/laws.c ---- */
/* laws.c - gp_check_monoid: looks for elements for which a monoid is none. */

enum { GPI_LAWS_TRY };

enum {
    GPI_LAW_LEFT = 1, /* of laws.cl */
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
        gpi_call_kernel(&call, laws->program, GPI_LAWS_TRY);
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
    return gpi_call_end(&call, result);
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
    for (k = 0; k < 3; k++)
        element[k] = gpi_laws_text(laws, laws->elements + laws->triple[3 * t + k] * laws->size, text[k]);
    x = gpi_laws_text(laws, result + first * laws->size, text[3]);
    if (first < 2) {
        return gpi_fail(laws->gp, GP_ERROR_LAW,
                        "%s: monoid %s: the identity is not neutral: %s = %s for a = %s", laws->function,
                        m->type, first == 0 ? "e a" : "a e", x, element[0]);
    }
    y = gpi_laws_text(laws, result + (first + 1) * laws->size, text[4]);
    if (first == 4) {
        return gpi_fail(
            laws->gp, GP_ERROR_LAW,
            "%s: monoid %s: %s is not associative: (a b) c = %s and a (b c) = %s for a = %s, b = %s, "
            "c = %s",
            laws->function, m->type, m->combine, x, y, element[0], element[1], element[2]);
    }
    return gpi_fail(laws->gp, GP_ERROR_LAW,
                    "%s: monoid %s: %s is not commutative: a b = %s and b a = %s for a = %s, b = %s",
                    laws->function, m->type, m->combine, x, y, element[0], element[1]);
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
                         "static bool gpi_user_equal(gpi_user x, gpi_user y)\n{\n    return (\n"
                         "#line 1 \"equal\"\n%s\n    );\n}\n",
                         equal);
        }
        if (!prelude || text.failed) {
            free(text.data);
            text.data = NULL;
        }
        free(prelude);
        result = gpi_program_get_text(laws->gp, laws->function, GPI_LAWS, text.data, 0, &laws->program);
        if (result != GP_OK) return result;
        if (laws->plan.group == 1 || laws->plan.group <= laws->program->group_max) return GP_OK;
        laws->plan.group /= 2;
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
    if (desc->equal && gpi_is_blank(desc->equal))
        return gpi_fail(laws->gp, GP_ERROR_INVALID_ARGUMENT, "%s: equal is blank", laws->function);
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
    return result;
}

GP_API gp_result gp_check_monoid(gp_context *gp, const gp_check_monoid_desc *desc)
{
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_check_monoid: gp or desc is NULL");
    return gpi_laws_check(gp, "gp_check_monoid", desc);
}
/* ---- End file src/laws.c ---- */

/* ---- Begin file src/reduce.c ---- */
/* reduce.c - gp_reduce: one launch over the tiles, one over their partials. */

enum { GPI_REDUCE_TILES, GPI_REDUCE_PARTIALS };

/* A checked call, ready to run. */
typedef struct gpi_reduce {
    const gp_reduce_desc *desc;
    gpi_element element;
    gpi_plan plan;
    gpi_program *program;
    gpi_count count;
    cl_uint tiles; /* for the bound */
    cl_mem out;
    cl_ulong out_offset;
} gpi_reduce;

static gp_result gpi_reduce_element(gp_context *gp, const char *function, const gp_reduce_desc *desc,
                                    gpi_element *element)
{
    gpi_operation o;
    memset(&o, 0, sizeof o);
    o.type = desc->type;
    o.type2 = desc->in2 && !desc->type2 ? desc->type : desc->type2;
    o.out_type = desc->out_type;
    o.op = desc->op;
    o.ops = desc->ops;
    o.out_types = desc->out_types;
    o.op_count = desc->op_count;
    o.map_type = desc->map_type;
    o.compensated = desc->compensated;
    o.monoid = desc->monoid;
    o.map = desc->map;
    o.initial = desc->initial;
    return gpi_element_make(gp, function, &o, element);
}

/* Everything but the buffers: enough to know the scratch. */
static gp_result gpi_reduce_plan(gp_context *gp, const char *function, const gp_reduce_desc *desc,
                                 gpi_reduce *reduce)
{
    gp_result result;
    reduce->desc = desc;
    reduce->count.bound = desc->count;
    reduce->count.buffer = desc->count_buffer;
    reduce->count.offset = desc->count_offset;
    reduce->count.type = desc->count_type;
    result = gpi_reduce_element(gp, function, desc, &reduce->element);
    if (result != GP_OK) return result;
    result = gpi_plan_make(gp, function, GPI_REDUCE, &reduce->element, GP_STRATEGY_AUTO, &reduce->plan);
    if (result != GP_OK) return result;
    result = gpi_program_get(gp, function, GPI_REDUCE, &reduce->element, &reduce->plan, &reduce->program);
    if (result != GP_OK) return result;
    return gpi_plan_tiles(gp, function, &reduce->plan, desc->count, &reduce->tiles);
}

static size_t gpi_reduce_scratch(const gpi_reduce *reduce)
{
    return reduce->tiles > 1 ? reduce->tiles * reduce->element.size : 0;
}

static gp_result gpi_reduce_check(gp_context *gp, const char *function, gpi_reduce *reduce)
{
    const gp_reduce_desc *desc = reduce->desc;
    const gpi_element *element = &reduce->element;
    enum { IN, IN2, COUNT, OUT, RANGES };
    gpi_range used[RANGES];
    gp_result result = gpi_check_positions(gp, function, element, desc->count);
    memset(used, 0, sizeof used);
    if (result == GP_OK && desc->count > 0) {
        result = gpi_check_buffer(gp, function, "in", desc->in, desc->in_offset, desc->count,
                                  element->in_size, GPI_READS, &used[IN]);
    }
    if (result == GP_OK && desc->count > 0 && element->in2_size) {
        result = gpi_check_buffer(gp, function, "in2", desc->in2, desc->in2_offset, desc->count,
                                  element->in2_size, GPI_READS, &used[IN2]);
    }
    if (result == GP_OK) result = gpi_check_count(gp, function, &reduce->count, &used[COUNT]);
    if (result == GP_OK) {
        result = gpi_check_buffer(gp, function, "out", reduce->out, reduce->out_offset, 1, element->out_size,
                                  GPI_WRITES, &used[OUT]);
    }
    if (result != GP_OK) return result;
    return gpi_check_scratch(gp, function, desc->scratch, gpi_reduce_scratch(reduce), used, RANGES);
}

/* With one tile this writes the result; with none, the same on an empty tile, and no input is touched. */
static gp_result gpi_reduce_tiles(gpi_call *call, gpi_reduce *reduce, cl_mem partials)
{
    const gp_reduce_desc *desc = reduce->desc;
    const bool empty = desc->count == 0;
    const cl_ulong in_offset = empty ? 0 : desc->in_offset, in2_offset = empty ? 0 : desc->in2_offset;
    const cl_mem in = !empty ? desc->in : reduce->out, in2 = !empty ? desc->in2 : reduce->out;
    const cl_uint single = reduce->tiles <= 1;
    gpi_call_kernel(call, reduce->program, GPI_REDUCE_TILES);
    GPI_CALL_ARG(call, in);
    GPI_CALL_ARG(call, in_offset);
    if (reduce->element.in2_size) {
        GPI_CALL_ARG(call, in2);
        GPI_CALL_ARG(call, in2_offset);
    }
    gpi_call_arg_count(call, &reduce->count);
    GPI_CALL_ARG(call, partials);
    GPI_CALL_ARG(call, reduce->out);
    GPI_CALL_ARG(call, reduce->out_offset);
    gpi_call_arg_initial(call, &reduce->element);
    GPI_CALL_ARG(call, single);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &reduce->plan, single ? 1 : reduce->tiles);
}

static gp_result gpi_reduce_partials(gpi_call *call, gpi_reduce *reduce, cl_mem partials)
{
    gpi_call_kernel(call, reduce->program, GPI_REDUCE_PARTIALS);
    GPI_CALL_ARG(call, partials);
    gpi_call_arg_count(call, &reduce->count);
    GPI_CALL_ARG(call, reduce->out);
    GPI_CALL_ARG(call, reduce->out_offset);
    gpi_call_arg_initial(call, &reduce->element);
    return gpi_call_launch(call, &reduce->plan, 1);
}

static gp_result gpi_reduce_launch(gpi_call *call, gpi_reduce *reduce)
{
    cl_mem partials = NULL;
    gp_result result;
    if (reduce->tiles <= 1) return gpi_reduce_tiles(call, reduce, reduce->out);
    result = gpi_call_scratch(call, reduce->desc->scratch, gpi_reduce_scratch(reduce), &partials);
    if (result == GP_OK) result = gpi_reduce_tiles(call, reduce, partials);
    return result == GP_OK ? gpi_reduce_partials(call, reduce, partials) : result;
}

/* `to`: where on the host the result goes; NULL: nowhere, and the call does not block. */
static gp_result gpi_reduce_run(gp_context *gp, const char *function, gpi_reduce *reduce, void *to)
{
    const size_t size = reduce->element.out_size;
    gpi_call call;
    gp_result result = gpi_reduce_check(gp, function, reduce);
    if (result != GP_OK) return result;
    result =
        gpi_call_begin(&call, gp, function, reduce->desc->wait, reduce->desc->wait_count, reduce->desc->done);
    if (result == GP_OK) result = gpi_reduce_launch(&call, reduce);
    if (result == GP_OK && to)
        result = gpi_call_read(&call, reduce->out, reduce->out_offset * size, size, to);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_reduce(gp_context *gp, const gp_reduce_desc *desc)
{
    gpi_reduce reduce;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_reduce: gp or desc is NULL");
    result = gpi_reduce_plan(gp, "gp_reduce", desc, &reduce);
    if (result != GP_OK) return result;
    reduce.out = desc->out;
    reduce.out_offset = desc->out_offset;
    return gpi_reduce_run(gp, "gp_reduce", &reduce, NULL);
}

GP_API gp_result gp_reduce_read(gp_context *gp, const gp_reduce_desc *desc, void *result_out)
{
    gpi_reduce reduce;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc || !result_out) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_reduce_read: gp, desc or result is NULL");
    }
    result = gpi_reduce_plan(gp, "gp_reduce_read", desc, &reduce);
    if (result != GP_OK) return result;
    reduce.out = desc->out ? desc->out : gp->result;
    reduce.out_offset = desc->out ? desc->out_offset : 0;
    return gpi_reduce_run(gp, "gp_reduce_read", &reduce, result_out);
}

GP_API gp_result gp_reduce_scratch_size(gp_context *gp, const gp_reduce_desc *desc, size_t *bytes)
{
    gpi_reduce reduce;
    gp_result result;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_reduce_scratch_size: gp, desc or bytes is NULL");
    }
    result = gpi_reduce_plan(gp, "gp_reduce_scratch_size", desc, &reduce);
    *bytes = result == GP_OK ? gpi_reduce_scratch(&reduce) : 0;
    return result;
}

/* Runs both launches once on a few elements of the context's own. */
static gp_result gpi_reduce_warm_up(gp_context *gp, const gp_reduce_desc *desc)
{
    gp_reduce_desc probe = *desc;
    unsigned char value[GPI_ELEMENT_MAX];
    gpi_reduce reduce;
    gp_result result;
    probe.wait_count = 0;
    probe.wait = NULL;
    probe.done = NULL;
    probe.count = 0;
    probe.count_buffer = NULL;
    probe.initial = NULL;
    probe.out = probe.scratch = NULL;
    probe.in_offset = probe.in2_offset = 0;
    result = gpi_reduce_plan(gp, "gp_warmup", &probe, &reduce);
    if (result != GP_OK) return result;
    probe.count = gpi_plan_tile(&reduce.plan) + 1;
    probe.in = probe.in2 = NULL;
    result = gpi_alloc_neutral(gp, &reduce.element, probe.count, &probe.in);
    if (result == GP_OK && reduce.element.in2_size) {
        probe.type2 = reduce.element.operation.type2;
        result = gpi_alloc_zeros(gp, probe.count * reduce.element.in2_size, &probe.in2);
    }
    if (result == GP_OK) result = gp_reduce_read(gp, &probe, value);
    if (probe.in) (void)clReleaseMemObject(probe.in);
    if (probe.in2) (void)clReleaseMemObject(probe.in2);
    return result;
}
/* ---- End file src/reduce.c ---- */

/* ---- Begin file src/scan.c ---- */
/* scan.c - gp_scan: one look-back launch, or three sweeps; one sweep for one tile. */

enum { GPI_SCAN_LOOK_BACK, GPI_SCAN_UPSWEEP, GPI_SCAN_SPINE, GPI_SCAN_DOWNSWEEP };

enum { GPI_STATE_HEADER_BYTES = 16 }; /* GPI_STATE_HEADER of lookback.cl */

/* A checked call, ready to run. */
typedef struct gpi_scan {
    const gp_scan_desc *desc;
    gpi_element element;
    gpi_plan plan;
    gpi_program *program;
    gpi_count count;
    cl_uint tiles; /* for the bound */
    cl_uint polls; /* 0: wait for ever */
} gpi_scan;

static gp_result gpi_scan_element(gp_context *gp, const char *function, const gp_scan_desc *desc,
                                  gpi_element *element)
{
    gpi_operation o;
    if ((unsigned)desc->segments >= GP_SEGMENTS_COUNT) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: segments = %d is not a gp_segments", function,
                        (int)desc->segments);
    }
    if (!desc->segments && (desc->heads || desc->heads_type)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: there are heads, and segments is 0", function);
    }
    memset(&o, 0, sizeof o);
    o.type = desc->type;
    o.out_type = desc->out_type;
    if (!o.out_type && !desc->monoid) o.out_type = gpi_is_arg(desc->op) ? GP_U64 : desc->type;
    o.op = desc->op;
    o.monoid = desc->monoid;
    o.map = desc->map;
    o.initial = desc->initial;
    o.reverse = desc->reverse;
    o.segments = desc->segments;
    o.heads_type = desc->segments ? desc->heads_type : GP_TYPE_NONE;
    return gpi_element_make(gp, function, &o, element);
}

/* Everything but the buffers: enough to know the scratch. */
static gp_result gpi_scan_plan(gp_context *gp, const char *function, const gp_scan_desc *desc, gpi_scan *scan)
{
    gp_result result;
    scan->desc = desc;
    scan->count.bound = desc->count;
    scan->count.buffer = desc->count_buffer;
    scan->count.offset = desc->count_offset;
    scan->count.type = desc->count_type;
    result = gpi_scan_element(gp, function, desc, &scan->element);
    if (result != GP_OK) return result;
    result = gpi_plan_make(gp, function, GPI_SCAN, &scan->element, desc->strategy, &scan->plan);
    if (result != GP_OK) return result;
    result = gpi_program_get(gp, function, GPI_SCAN, &scan->element, &scan->plan, &scan->program);
    if (result != GP_OK) return result;
    scan->polls = scan->plan.polls;
    return gpi_plan_tiles(gp, function, &scan->plan, desc->count, &scan->tiles);
}

/* Bytes of the state buffer of lookback.cl. */
static size_t gpi_scan_state_bytes(const gpi_scan *scan)
{
    const size_t words = (scan->element.size + 3) / 4;
    return GPI_STATE_HEADER_BYTES + scan->tiles * words * 8; /* a wide word, or two narrow ones */
}

/* What either strategy needs: which one it will be also depends on the buffers. */
static size_t gpi_scan_scratch(const gpi_scan *scan)
{
    const size_t partials = scan->tiles * scan->element.size;
    const size_t state = gpi_scan_state_bytes(scan);
    if (scan->tiles <= 1) return 0;
    return state > partials ? state : partials;
}

/* In place, a fallback would find its input overwritten: wait without bound where the device is known to
   let every started group go on, else take the sweeps. A device that drops out of long loops can look
   back over few tiles only. Look-back groups sums as timing has it: never where the same bits are wanted. */
static void gpi_scan_choose(const gp_context *gp, gpi_scan *scan, bool in_place)
{
    const cl_uint few = 1024;
    if (gp->info.loop_limit && scan->tiles > few) scan->plan.strategy = GP_STRATEGY_MULTI_PASS;
    if (scan->desc->deterministic && !scan->element.exact) scan->plan.strategy = GP_STRATEGY_MULTI_PASS;
    if (!in_place) return;
    if (!gp->info.fair) scan->plan.strategy = GP_STRATEGY_MULTI_PASS;
    scan->polls = 0;
}

static gp_result gpi_scan_check(gp_context *gp, const char *function, gpi_scan *scan)
{
    const gp_scan_desc *desc = scan->desc;
    enum { IN, OUT, COUNT, HEADS, RANGES };
    gpi_range used[RANGES];
    gp_result result = gpi_check_buffer(gp, function, "in", desc->in, desc->in_offset, desc->count,
                                        scan->element.in_size, GPI_READS, &used[IN]);
    memset(&used[HEADS], 0, sizeof used[HEADS]);
    if (result == GP_OK) result = gpi_check_positions(gp, function, &scan->element, desc->count);
    if (result == GP_OK && desc->segments) {
        result = gpi_check_buffer(gp, function, "heads", desc->heads, desc->heads_offset, desc->count,
                                  scan->element.heads_size, GPI_READS, &used[HEADS]);
    }
    if (result != GP_OK) return result;
    result = gpi_check_buffer(gp, function, "out", desc->out, desc->out_offset, desc->count,
                              scan->element.out_size, GPI_WRITES, &used[OUT]);
    if (result != GP_OK) return result;
    result = gpi_check_count(gp, function, &scan->count, &used[COUNT]);
    if (result != GP_OK) return result;
    if (gpi_overlap(&used[COUNT], &used[OUT])) {
        return gpi_fail(gp, GP_ERROR_OVERLAP, "%s: count_buffer lies in out", function);
    }
    if (gpi_overlap(&used[HEADS], &used[OUT])) {
        return gpi_fail(gp, GP_ERROR_OVERLAP, "%s: heads and out overlap", function);
    }
    if (gpi_overlap(&used[IN], &used[OUT]) && !gpi_same(&used[IN], &used[OUT])) {
        return gpi_fail(
            gp, GP_ERROR_OVERLAP,
            "%s: in is bytes [%zu, %zu) and out [%zu, %zu) of one buffer: neither apart nor the same",
            function, used[IN].begin, used[IN].end, used[OUT].begin, used[OUT].end);
    }
    gpi_scan_choose(gp, scan, gpi_same(&used[IN], &used[OUT]));
    return gpi_check_scratch(gp, function, desc->scratch, gpi_scan_scratch(scan), used, RANGES);
}

/* The arguments that the kernels share: the input, and what becomes of it. */
static void gpi_scan_arg_input(gpi_call *call, const gpi_scan *scan)
{
    const cl_ulong offset = scan->desc->in_offset;
    GPI_CALL_ARG(call, scan->desc->in);
    GPI_CALL_ARG(call, offset);
    if (scan->desc->segments) {
        const cl_ulong heads_offset = scan->desc->heads_offset;
        GPI_CALL_ARG(call, scan->desc->heads);
        GPI_CALL_ARG(call, heads_offset);
    }
    gpi_call_arg_count(call, &scan->count);
}

static void gpi_scan_arg_output(gpi_call *call, const gpi_scan *scan)
{
    const cl_ulong offset = scan->desc->out_offset;
    const cl_uint exclusive = scan->desc->exclusive;
    GPI_CALL_ARG(call, scan->desc->out);
    GPI_CALL_ARG(call, offset);
    gpi_call_arg_initial(call, &scan->element);
    GPI_CALL_ARG(call, exclusive);
}

static gp_result gpi_scan_single_pass(gpi_call *call, gpi_scan *scan, cl_mem state)
{
    const gp_result result = gpi_call_fill(call, state, 0, gpi_scan_state_bytes(scan));
    if (result != GP_OK) return result;
    gpi_call_kernel(call, scan->program, GPI_SCAN_LOOK_BACK);
    gpi_scan_arg_input(call, scan);
    gpi_scan_arg_output(call, scan);
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, scan->polls);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &scan->plan, scan->tiles);
}

/* Upsweep and spine leave in `partials` what comes before each tile. */
static gp_result gpi_scan_sums(gpi_call *call, gpi_scan *scan, cl_mem partials)
{
    gp_result result;
    gpi_call_kernel(call, scan->program, GPI_SCAN_UPSWEEP);
    gpi_scan_arg_input(call, scan);
    GPI_CALL_ARG(call, partials);
    result = gpi_call_launch(call, &scan->plan, scan->tiles);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, scan->program, GPI_SCAN_SPINE);
    GPI_CALL_ARG(call, partials);
    GPI_CALL_ARG(call, scan->tiles);
    gpi_call_arg_initial(call, &scan->element);
    return gpi_call_launch(call, &scan->plan, 1);
}

static gp_result gpi_scan_downsweep(gpi_call *call, gpi_scan *scan, cl_mem partials)
{
    gpi_call_kernel(call, scan->program, GPI_SCAN_DOWNSWEEP);
    gpi_scan_arg_input(call, scan);
    gpi_scan_arg_output(call, scan);
    GPI_CALL_ARG(call, partials);
    GPI_CALL_ARG(call, scan->tiles);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &scan->plan, scan->tiles);
}

static gp_result gpi_scan_launch(gpi_call *call, gpi_scan *scan)
{
    cl_mem scratch = NULL;
    gp_result result;
    if (scan->tiles == 0) return GP_OK;
    if (scan->tiles == 1) return gpi_scan_downsweep(call, scan, scan->desc->out);
    result = gpi_call_scratch(call, scan->desc->scratch, gpi_scan_scratch(scan), &scratch);
    if (result != GP_OK) return result;
    if (scan->plan.strategy == GP_STRATEGY_SINGLE_PASS) return gpi_scan_single_pass(call, scan, scratch);
    result = gpi_scan_sums(call, scan, scratch);
    return result == GP_OK ? gpi_scan_downsweep(call, scan, scratch) : result;
}

GP_API gp_result gp_scan(gp_context *gp, const gp_scan_desc *desc)
{
    gpi_scan scan;
    gpi_call call;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_scan: gp or desc is NULL");
    result = gpi_scan_plan(gp, "gp_scan", desc, &scan);
    if (result == GP_OK && desc->count > 0) result = gpi_scan_check(gp, "gp_scan", &scan);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, "gp_scan", desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_scan_launch(&call, &scan);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_scan_scratch_size(gp_context *gp, const gp_scan_desc *desc, size_t *bytes)
{
    gpi_scan scan;
    gp_result result;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_scan_scratch_size: gp, desc or bytes is NULL");
    }
    result = gpi_scan_plan(gp, "gp_scan_scratch_size", desc, &scan);
    *bytes = result == GP_OK ? gpi_scan_scratch(&scan) : 0;
    return result;
}

/* Runs the call's kernels once, on one tile and on several, on elements of the context's own. */
static gp_result gpi_scan_warm_up(gp_context *gp, const gp_scan_desc *desc)
{
    gp_scan_desc probe = *desc;
    gpi_scan scan;
    gp_result result;
    size_t tile;
    probe.wait_count = 0;
    probe.wait = NULL;
    probe.done = NULL;
    probe.count = 0;
    probe.count_buffer = NULL;
    probe.initial = NULL;
    probe.in = probe.out = probe.heads = probe.scratch = NULL;
    probe.in_offset = probe.out_offset = probe.heads_offset = 0;
    result = gpi_scan_plan(gp, "gp_warmup", &probe, &scan);
    if (result != GP_OK) return result;
    tile = gpi_plan_tile(&scan.plan);
    result = gpi_alloc_neutral(gp, &scan.element, tile + 1, &probe.in);
    if (result == GP_OK) result = gpi_alloc(gp, "gp_warmup", (tile + 1) * scan.element.out_size, &probe.out);
    if (result == GP_OK && probe.segments) {
        result = gpi_alloc_zeros(gp, (tile + 1) * scan.element.heads_size, &probe.heads);
    }
    for (probe.count = 1; probe.count <= tile + 1 && result == GP_OK; probe.count += tile) {
        result = gp_scan(gp, &probe);
    }
    if (probe.in) (void)clReleaseMemObject(probe.in);
    if (probe.out) (void)clReleaseMemObject(probe.out);
    if (probe.heads) (void)clReleaseMemObject(probe.heads);
    return result;
}
/* ---- End file src/scan.c ---- */

/* ---- Begin file src/key.c ---- */
/* key.c - what the primitives on keys share: the order of keys, their programs, serial tiles. */

/* `flip` of key.cl: what is turned in every key. */
static cl_ulong gpi_key_flip(gp_type type, bool descending)
{
    const size_t size = gpi_type_size(type);
    const cl_ulong ones = ~(cl_ulong)0 >> (64 - 8 * size);
    const bool has_sign = gpi_is_signed(type) || gpi_is_float(type);
    const cl_ulong sign = has_sign ? (cl_ulong)1 << (8 * size - 1) : 0;
    return descending ? sign ^ ones : sign;
}

/* A program's prelude; `more` ends it. NULL: no memory. */
static char *gpi_key_prelude(const gp_context *gp, gp_type type, size_t value_size, const char *more,
                             const gpi_plan *plan)
{
    const bool local = plan->shape == GP_SHAPE_LOCAL;
    gpi_text text;
    memset(&text, 0, sizeof text);
    gpi_text_add(&text, "#define GPI_SHAPE_SERIAL %d\n#define GPI_SHAPE_LOCAL %d\n", !local, local);
    gpi_text_add(&text, "#define GPI_WG %u\n#define GPI_ITEMS %u\n#define GPI_TILE %u\n", plan->group,
                 local ? plan->items : 1, local ? plan->group * plan->items : 1);
    gpi_text_add(&text, "#define GPI_WIDE %d\n#define GPI_INT64_EXTENDED %d\n#define GPI_FP64 0\n",
                 plan->words == GP_WORDS_WIDE, gp->info.int64_extended_atomics);
    gpi_text_add(&text, "#define GPI_KEY_SIZE %u\n#define GPI_KEY_FLOAT %d\n#define GPI_VALUE_SIZE %u\n%s",
                 (unsigned)gpi_type_size(type), gpi_is_float(type), (unsigned)value_size, more);
    if (!text.failed) return text.data;
    free(text.data);
    return NULL;
}

/* A compiler may grant its kernels smaller groups than the plan wants: then it is made again with those. */
static gp_result gpi_key_program(gp_context *gp, const char *function, gpi_primitive primitive, gp_type type,
                                 size_t value_size, const char *more, gpi_plan *plan, gpi_program **out)
{
    for (;;) {
        const gp_result result = gpi_program_get_text(
            gp, function, primitive, gpi_key_prelude(gp, type, value_size, more, plan), 0, out);
        if (result != GP_OK) return result;
        if (plan->group == 1 || plan->group <= (*out)->group_max) return GP_OK;
        plan->group /= 2;
    }
}

static gp_result gpi_check_key_type(gp_context *gp, const char *function, gp_type type)
{
    if (gpi_type_size(type)) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: key_type = %d is not a gp_type", function, (int)type);
}

static gp_result gpi_check_value_size(gp_context *gp, const char *function, size_t size)
{
    if (size <= 16 && (size & (size - 1)) == 0) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: value_size = %zu, must be 0, 1, 2, 4, 8 or 16",
                    function, size);
}

static size_t gpi_ceil_div(size_t a, size_t b) { return a / b + (a % b != 0); }

/* Elements of a group in the serial shape: as many groups as keep all cores busy to the end, of `least`
   elements at least and plan->items at most, and whole cache lines. */
static size_t gpi_serial_span(const gp_context *gp, const gpi_plan *plan, size_t n, size_t least)
{
    size_t span = n / (4 * (size_t)(gp->info.compute_units ? gp->info.compute_units : 1));
    if (span < least) span = least;
    if (span > plan->items || gp->desc.tuning.tile) span = plan->items;
    return gpi_ceil_div(span, 16) * 16;
}
/* ---- End file src/key.c ---- */

/* ---- Begin file src/sort.c ---- */
/* sort.c - gp_sort, gp_argsort: radix sort, lowest digit first. Which passes are launched, and with what. */

enum {
    GPI_SORT_SMALL,
    GPI_SORT_BEGIN,
    GPI_SORT_COPY,
    GPI_SORT_COUNT,
    GPI_SORT_SPINE,
    GPI_SORT_SCATTER,
    GPI_SORT_HISTOGRAM,
    GPI_SORT_BASES,
    GPI_SORT_ONESWEEP
};

enum {
    GPI_SORT_BLOCKS_MAX = 1024, /* rows of the classic table */
    GPI_SORT_BYTES_MAX = 256,   /* of scratch for a key: sizes must not overflow */
    GPI_SORT_STATE_WORDS = 16,  /* GPI_STATE_LAUNCHES of digit.cl */
    GPI_SORT_ALIGNMENT = 256,
    GPI_SORT_SERIAL_SMALL = 8192,     /* keys that one item sorts faster than several launches */
    GPI_SORT_SERIAL_SPAN_MIN = 16384, /* keys of a group, when there are few */
    GPI_SORT_TILES_PER_BLOCK = 200    /* where loops are limited: a tile takes some 300 turns */
};

/* Bytes that passes write, from which on it pays to write lines past the caches. Measured on PoCL. */
#define GPI_SORT_LINES_BYTES ((size_t)8 << 20)

/* ------------------------------------------------------------------ checks */

static gp_result gpi_sort_check_types(gp_context *gp, const gpi_sort *sort)
{
    const gp_sort_desc *desc = sort->desc;
    const size_t v = sort->value_size;
    gp_result result = gpi_check_key_type(gp, sort->function, desc->key_type);
    if (result == GP_OK) result = gpi_check_value_size(gp, sort->function, v);
    if (result != GP_OK) return result;
    if (desc->count > SIZE_MAX / GPI_SORT_BYTES_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: count = %zu is more than any memory holds",
                        sort->function, desc->count);
    }
    if (sort->indices && v != 4 && v != 8) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: value_size = %zu, an index has 4 or 8 bytes",
                        sort->function, v);
    }
    if (sort->indices && v == 4 && desc->count > UINT32_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: count = %zu does not fit indices of 4 bytes",
                        sort->function, desc->count);
    }
    if (v == 0 && (desc->values || desc->values_out || desc->values_tmp)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: there are values, and value_size is 0",
                        sort->function);
    }
    if (sort->indices && desc->values) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: values is given: indices are made, not read",
                        sort->function);
    }
    if (sort->indices && !desc->values_out) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: values_out is NULL: that is where the indices go",
                        sort->function);
    }
    return GP_OK;
}

static gp_result gpi_sort_check_bits(gp_context *gp, gpi_sort *sort)
{
    const cl_uint width = (cl_uint)(8 * sort->key_size);
    sort->begin_bit = sort->desc->begin_bit;
    sort->end_bit = sort->desc->end_bit ? sort->desc->end_bit : width;
    if (sort->end_bit > width || sort->begin_bit > sort->end_bit) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "%s: begin_bit = %u, end_bit = %u: not a window of a key's %u bits (end_bit 0: %u)",
                        sort->function, sort->begin_bit, sort->desc->end_bit, width, width);
    }
    sort->passes = (sort->end_bit - sort->begin_bit + GPI_SORT_DIGIT_BITS - 1) / GPI_SORT_DIGIT_BITS;
    return GP_OK;
}

/* ------------------------------------------------------------------ plan */

static uint32_t gpi_or_default(uint32_t value, uint32_t fallback) { return value ? value : fallback; }

static gp_result gpi_sort_program(gp_context *gp, gpi_sort *sort)
{
    const gp_tuning *tuning = &gp->desc.tuning;
    char ring[200];
    (void)snprintf(ring, sizeof ring,
                   "#define GPI_RING_ROWS %uu\n#define GPI_RING_REACH %uu\n#define GPI_RING_BLOCK %uu\n",
                   sort->ring_rows, gpi_or_default(tuning->ring_reach, 64),
                   gpi_or_default(tuning->ring_block, 32));
    if (sort->hash) {
        const size_t used = strlen(ring);
        (void)snprintf(ring + used, sizeof ring - used, "#define GPI_KEY_HASH %u\n", sort->hash);
    }
    return gpi_key_program(gp, sort->function, GPI_SORT, sort->desc->key_type, sort->value_size, ring,
                           &sort->plan, &sort->program);
}

static void gpi_sort_spans_serial(const gp_context *gp, gpi_sort *sort)
{
    const size_t n = sort->desc->count;
    sort->tile_span = gpi_serial_span(gp, &sort->plan, n, GPI_SORT_SERIAL_SPAN_MIN);
    sort->block_span = sort->tile_span;
    if (n / sort->block_span >= GPI_SORT_BLOCKS_MAX) sort->block_span = n / (GPI_SORT_BLOCKS_MAX - 1);
}

/* Local: blocks are whole tiles. */
static gp_result gpi_sort_spans_local(gp_context *gp, gpi_sort *sort)
{
    const size_t tiles = gpi_ceil_div(sort->desc->count, gpi_plan_tile(&sort->plan));
    size_t blocks = 16 * (size_t)gp->info.compute_units, each;
    if (blocks < 64) blocks = 64;
    if (gp->info.loop_limit && blocks < gpi_ceil_div(tiles, GPI_SORT_TILES_PER_BLOCK))
        blocks = gpi_ceil_div(tiles, GPI_SORT_TILES_PER_BLOCK);
    if (blocks > GPI_SORT_BLOCKS_MAX) blocks = GPI_SORT_BLOCKS_MAX;
    each = gpi_ceil_div(tiles, blocks);
    if (gp->info.loop_limit && each > GPI_SORT_TILES_PER_BLOCK) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT,
                        "%s: count = %zu is more than %s can sort: its loops are limited", sort->function,
                        sort->desc->count, gp->info.name);
    }
    sort->tile_span = gpi_plan_tile(&sort->plan);
    sort->block_span = (each ? each : 1) * sort->tile_span;
    return GP_OK;
}

/* A launch's keys: fewer than a word can count, in whole tiles. */
static void gpi_sort_portions(const gp_context *gp, gpi_sort *sort)
{
    const uint64_t words = sort->plan.words == GP_WORDS_WIDE ? 0xffffffffu : 0x3fffffffu;
    const uint64_t most = gpi_or_default(gp->desc.tuning.sort_portion, 0);
    const uint64_t keys = most && most < words ? most : words;
    const uint64_t tiles = keys / sort->tile_span ? keys / sort->tile_span : 1;
    sort->portion = (size_t)(tiles * sort->tile_span);
    sort->portions = (cl_uint)gpi_ceil_div(sort->desc->count, sort->portion);
}

static gp_result gpi_sort_spans(gp_context *gp, gpi_sort *sort)
{
    const size_t n = sort->desc->count;
    gp_result result = GP_OK;
    if (sort->plan.shape == GP_SHAPE_SERIAL) {
        const size_t most = sort->plan.items < (size_t)GPI_SORT_SERIAL_SMALL ? sort->plan.items
                                                                             : (size_t)GPI_SORT_SERIAL_SMALL;
        sort->small = n <= most;
        gpi_sort_spans_serial(gp, sort);
    } else {
        sort->small = n <= gpi_plan_tile(&sort->plan);
        result = gpi_sort_spans_local(gp, sort);
    }
    sort->blocks = (cl_uint)gpi_ceil_div(n, sort->block_span);
    gpi_sort_portions(gp, sort);
    return result;
}

/* ------------------------------------------------------------------ scratch */

static size_t gpi_sort_tiles(const gpi_sort *sort, cl_uint portion)
{
    const size_t begin = portion * sort->portion, rest = sort->desc->count - begin;
    return gpi_ceil_div(rest < sort->portion ? rest : sort->portion, sort->tile_span);
}

static size_t gpi_sort_rows_bytes(const gpi_sort *sort)
{
    const bool wide = sort->plan.words == GP_WORDS_WIDE;
    size_t rows = sort->portions ? gpi_sort_tiles(sort, 0) : 0;
    if (wide && rows > sort->ring_rows) rows = sort->ring_rows;
    return rows * GPI_SORT_BINS * (wide ? 8 : 4);
}

/* Appends a part; where it begins. */
static size_t gpi_sort_part(gpi_sort *sort, size_t bytes)
{
    const size_t begin = sort->at.end;
    sort->at.end += gpi_ceil_div(bytes, GPI_SORT_ALIGNMENT) * GPI_SORT_ALIGNMENT;
    return begin;
}

static bool gpi_sort_in_place(const gpi_sort *sort) { return sort->keys_in_place || sort->values_in_place; }

/* A second buffer is needed: unless one pass does it all, or one group in its local memory. */
static bool gpi_sort_needs_tmp(const gpi_sort *sort)
{
    if (sort->small && sort->plan.shape == GP_SHAPE_LOCAL) return false;
    return sort->passes > 1 || (sort->passes == 1 && gpi_sort_in_place(sort));
}

static bool gpi_sort_is_nothing(const gpi_sort *sort)
{
    return sort->desc->count == 0 ||
           (sort->passes == 0 && sort->keys_in_place && (sort->values_in_place || !sort->value_size));
}

static void gpi_sort_lay_out(gpi_sort *sort)
{
    const gp_sort_desc *desc = sort->desc;
    const size_t launches = (size_t)sort->passes * (sort->onesweep ? sort->portions : 1);
    const size_t n = desc->count;
    memset(&sort->at, 0, sizeof sort->at);
    if (gpi_sort_is_nothing(sort)) return;
    if (!sort->small) {
        const size_t histogram = sort->onesweep ? sort->passes * GPI_SORT_BINS * 8 : 0;
        (void)gpi_sort_part(sort, (GPI_SORT_STATE_WORDS + 2 * launches) * 4);
        sort->at.histogram = gpi_sort_part(sort, histogram);
        sort->at.bases = gpi_sort_part(sort, (sort->onesweep ? launches : 1) * GPI_SORT_BINS * 8);
        sort->at.table = gpi_sort_part(sort, sort->blocks * GPI_SORT_BINS * 8);
        sort->at.rows = gpi_sort_part(sort, sort->onesweep ? gpi_sort_rows_bytes(sort) : 0);
    }
    if (sort->keys_unwanted) sort->at.key_out = gpi_sort_part(sort, n * sort->key_size);
    if (!gpi_sort_needs_tmp(sort)) return;
    if (!desc->keys_tmp) sort->at.key_tmp = gpi_sort_part(sort, n * sort->key_size);
    if (!desc->values_tmp) sort->at.value_tmp = gpi_sort_part(sort, n * sort->value_size);
}

/* What is sorted, how, and what is in place. */
static gp_result gpi_sort_describe(gp_context *gp, gpi_sort *sort)
{
    const gp_sort_desc *desc = sort->desc;
    gp_result result = gpi_sort_check_types(gp, sort);
    if (result != GP_OK) return result;
    sort->key_size = gpi_type_size(desc->key_type);
    result = gpi_sort_check_bits(gp, sort);
    if (result == GP_OK)
        result = gpi_plan_make_sort(gp, sort->function, sort->key_size, desc->strategy, &sort->plan);
    sort->count.bound = desc->count;
    sort->count.buffer = desc->count_buffer;
    sort->count.offset = desc->count_offset;
    sort->count.type = desc->count_type;
    sort->flip = sort->hash ? sort->seed : gpi_key_flip(desc->key_type, desc->descending);
    sort->keys_unwanted = sort->indices && !desc->keys_out;
    sort->keys_in_place =
        !sort->keys_unwanted &&
        (!desc->keys_out || (desc->keys_out == desc->keys && desc->keys_out_offset == desc->keys_offset));
    sort->values_in_place = sort->value_size && !sort->indices &&
                            (!desc->values_out || (desc->values_out == desc->values &&
                                                   desc->values_out_offset == desc->values_offset));
    return result;
}

/* Everything but the buffers: enough to know the scratch. */
static gp_result gpi_sort_plan(gp_context *gp, gpi_sort *sort)
{
    gp_result result = gpi_sort_describe(gp, sort);
    if (result != GP_OK) return result;
    sort->ring_rows = gpi_or_default(gp->desc.tuning.ring_rows, 1024);
    sort->onesweep = sort->plan.strategy == GP_STRATEGY_SINGLE_PASS;
    result = gpi_sort_program(gp, sort);
    if (result == GP_OK) result = gpi_sort_spans(gp, sort);
    if (result == GP_OK) result = gpi_buckets_plan(gp, sort);
    if (result == GP_OK) gpi_sort_lay_out(sort);
    return result;
}

/* ------------------------------------------------------------------ buffers */

enum {
    GPI_SORT_KEYS,
    GPI_SORT_KEYS_OUT,
    GPI_SORT_KEYS_TMP,
    GPI_SORT_VALUES,
    GPI_SORT_VALUES_OUT,
    GPI_SORT_VALUES_TMP,
    GPI_SORT_COUNTER,
    GPI_SORT_OFFSETS,
    GPI_SORT_RANGES
};

static const char *const gpi_sort_names[GPI_SORT_RANGES] = {
    "keys", "keys_out", "keys_tmp", "values", "values_out", "values_tmp", "count_buffer", "offsets"};

/* Nothing that is written may touch anything else; in place, output and input are one range, noted once. */
static gp_result gpi_sort_check_apart(gp_context *gp, const gpi_sort *sort, const gpi_range *used)
{
    bool written[GPI_SORT_RANGES];
    size_t a, b;
    for (a = 0; a < GPI_SORT_RANGES; a++) written[a] = a < GPI_SORT_COUNTER;
    written[GPI_SORT_KEYS] = sort->keys_in_place;
    written[GPI_SORT_VALUES] = sort->values_in_place;
    for (a = 0; a < GPI_SORT_RANGES; a++) {
        for (b = 0; b < a; b++) {
            if (!used[a].root || !gpi_overlap(&used[a], &used[b]) || (!written[a] && !written[b])) continue;
            return gpi_fail(gp, GP_ERROR_OVERLAP,
                            "%s: %s is bytes [%zu, %zu) and %s [%zu, %zu) of one buffer", sort->function,
                            gpi_sort_names[b], used[b].begin, used[b].end, gpi_sort_names[a], used[a].begin,
                            used[a].end);
        }
    }
    return GP_OK;
}

/* One of the six arrays, when it is there; `into` learns of it. */
static gp_result gpi_sort_check_array(gp_context *gp, const gpi_sort *sort, int name, cl_mem buffer,
                                      size_t offset, size_t size, int access, gpi_range *used)
{
    return gpi_check_buffer(gp, sort->function, gpi_sort_names[name], buffer, offset, sort->desc->count, size,
                            access, &used[name]);
}

static gp_result gpi_sort_check(gp_context *gp, gpi_sort *sort)
{
    const gp_sort_desc *d = sort->desc;
    const size_t k = sort->key_size, v = sort->value_size;
    const bool tmp = gpi_sort_needs_tmp(sort);
    const int keys = sort->keys_in_place ? GPI_BOTH : GPI_READS;
    const int values = sort->values_in_place ? GPI_BOTH : GPI_READS;
    const int out = tmp ? GPI_BOTH : GPI_WRITES; /* passes go back and forth */
    gpi_range used[GPI_SORT_RANGES];
    gp_result r;
    memset(used, 0, sizeof used);
    r = gpi_sort_check_array(gp, sort, GPI_SORT_KEYS, d->keys, d->keys_offset, k, keys, used);
    if (r == GP_OK && !sort->keys_in_place && !sort->keys_unwanted)
        r = gpi_sort_check_array(gp, sort, GPI_SORT_KEYS_OUT, d->keys_out, d->keys_out_offset, k, out, used);
    if (r == GP_OK && v && !sort->indices)
        r = gpi_sort_check_array(gp, sort, GPI_SORT_VALUES, d->values, d->values_offset, v, values, used);
    if (r == GP_OK && v && !sort->values_in_place)
        r = gpi_sort_check_array(gp, sort, GPI_SORT_VALUES_OUT, d->values_out, d->values_out_offset, v, out,
                                 used);
    if (r == GP_OK && d->keys_tmp && tmp)
        r = gpi_sort_check_array(gp, sort, GPI_SORT_KEYS_TMP, d->keys_tmp, d->keys_tmp_offset, k, GPI_BOTH,
                                 used);
    if (r == GP_OK && v && d->values_tmp && tmp)
        r = gpi_sort_check_array(gp, sort, GPI_SORT_VALUES_TMP, d->values_tmp, d->values_tmp_offset, v,
                                 GPI_BOTH, used);
    if (r == GP_OK) r = gpi_check_count(gp, sort->function, &sort->count, &used[GPI_SORT_COUNTER]);
    if (r == GP_OK && sort->offset_count)
        r = gpi_check_buffer(gp, sort->function, "offsets", sort->offsets.buffer, sort->offsets.offset,
                             sort->offset_count, sort->offset_size, GPI_READS, &used[GPI_SORT_OFFSETS]);
    if (r == GP_OK) r = gpi_sort_check_apart(gp, sort, used);
    if (r != GP_OK) return r;
    return gpi_check_scratch(gp, sort->function, d->scratch, sort->at.end, used, GPI_SORT_RANGES);
}

static void gpi_sort_set(gpi_sort_array *array, cl_mem buffer, size_t offset)
{
    array->buffer = buffer;
    array->offset = offset;
}

/* The three places. A second buffer that is not needed is never looked at: something stands in. */
static void gpi_sort_place(gpi_sort *sort, cl_mem scratch)
{
    const gp_sort_desc *d = sort->desc;
    gpi_sort_array *k = sort->key, *v = sort->value;
    const bool tmp = gpi_sort_needs_tmp(sort);
    gpi_sort_set(&k[0], d->keys, d->keys_offset);
    k[1] = k[0];
    if (sort->keys_unwanted) gpi_sort_set(&k[1], scratch, sort->at.key_out / sort->key_size);
    else if (!sort->keys_in_place) gpi_sort_set(&k[1], d->keys_out, d->keys_out_offset);
    k[2] = k[1];
    if (tmp && d->keys_tmp) gpi_sort_set(&k[2], d->keys_tmp, d->keys_tmp_offset);
    else if (tmp) gpi_sort_set(&k[2], scratch, sort->at.key_tmp / sort->key_size);
    if (!sort->value_size) return;
    if (!sort->values_in_place) gpi_sort_set(&v[1], d->values_out, d->values_out_offset);
    else gpi_sort_set(&v[1], d->values, d->values_offset);
    v[0] = v[2] = v[1];
    if (!sort->indices) gpi_sort_set(&v[0], d->values, d->values_offset);
    if (tmp && d->values_tmp) gpi_sort_set(&v[2], d->values_tmp, d->values_tmp_offset);
    else if (tmp) gpi_sort_set(&v[2], scratch, sort->at.value_tmp / sort->value_size);
}

/* ------------------------------------------------------------------ arguments */

/* GPI_PLACES_PARAMETERS */
static void gpi_sort_arg_places(gpi_call *call, const gpi_sort *sort)
{
    const cl_uint indices = sort->indices;
    int p;
    for (p = 0; p < 3; p++) {
        GPI_CALL_ARG(call, sort->key[p].buffer);
        GPI_CALL_ARG(call, sort->key[p].offset);
    }
    if (!sort->value_size) return;
    for (p = 0; p < 3; p++) {
        GPI_CALL_ARG(call, sort->value[p].buffer);
        GPI_CALL_ARG(call, sort->value[p].offset);
    }
    GPI_CALL_ARG(call, indices);
}

static cl_uint gpi_sort_shift(const gpi_sort *sort, cl_uint pass)
{
    return sort->begin_bit + GPI_SORT_DIGIT_BITS * pass;
}

/* GPI_DIGIT_PARAMETERS */
static void gpi_sort_arg_digit(gpi_call *call, const gpi_sort *sort, cl_uint shift)
{
    const cl_uint left = sort->end_bit - shift, whole = GPI_SORT_DIGIT_BITS;
    const cl_uint mask = (1u << (left < whole ? left : whole)) - 1;
    GPI_CALL_ARG(call, sort->flip);
    GPI_CALL_ARG(call, shift);
    GPI_CALL_ARG(call, mask);
}

static void gpi_sort_arg_bits(gpi_call *call, const gpi_sort *sort)
{
    GPI_CALL_ARG(call, sort->flip);
    GPI_CALL_ARG(call, sort->begin_bit);
    GPI_CALL_ARG(call, sort->end_bit);
    GPI_CALL_ARG(call, sort->passes);
}

/* Bytes as the kernels count them. */
static void gpi_sort_arg_at(gpi_call *call, size_t bytes)
{
    const cl_ulong words = bytes / 4;
    GPI_CALL_ARG(call, words);
}

static void gpi_sort_arg_long(gpi_call *call, size_t x)
{
    const cl_ulong value = x;
    GPI_CALL_ARG(call, value);
}

static void gpi_sort_arg_uint(gpi_call *call, size_t x)
{
    const cl_uint value = (cl_uint)x;
    GPI_CALL_ARG(call, value);
}

/* Where the keys are before the first pass. */
static cl_uint gpi_sort_from(const gpi_sort *sort)
{
    const bool all = sort->keys_in_place && (sort->values_in_place || !sort->value_size);
    return all ? GPI_PLACE_OUT : GPI_PLACE_IN;
}

/* Passes that write more than the caches hold write lines. */
static cl_uint gpi_sort_lines(const gpi_sort *sort)
{
    return sort->desc->count * (sort->key_size + sort->value_size) >= GPI_SORT_LINES_BYTES;
}

/* ------------------------------------------------------------------ launches */

static gp_result gpi_sort_small(gpi_call *call, gpi_sort *sort)
{
    gpi_call_kernel(call, sort->program, GPI_SORT_SMALL);
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_bits(call, sort);
    gpi_sort_arg_uint(call, gpi_sort_from(sort));
    gpi_sort_arg_uint(call, gpi_sort_in_place(sort));
    gpi_call_arg_count(call, &sort->count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &sort->plan, 1);
}

static gp_result gpi_sort_begin(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gpi_call_kernel(call, sort->program, GPI_SORT_BEGIN);
    GPI_CALL_ARG(call, state);
    gpi_sort_arg_uint(call, sort->at.bases / 4); /* state and histogram */
    gpi_sort_arg_uint(call, gpi_sort_from(sort));
    gpi_call_arg_count(call, &sort->count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &sort->plan, 1);
}

static gp_result gpi_sort_copy(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gpi_call_kernel(call, sort->program, GPI_SORT_COPY);
    gpi_sort_arg_places(call, sort);
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, sort->passes);
    return gpi_call_launch(call, &sort->plan, sort->blocks);
}

static gp_result gpi_sort_count(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass, cl_uint shift,
                                cl_uint when)
{
    gpi_call_kernel(call, sort->program, GPI_SORT_COUNT);
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_digit(call, sort, shift);
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, pass);
    GPI_CALL_ARG(call, when);
    gpi_sort_arg_long(call, sort->block_span);
    gpi_sort_arg_at(call, sort->at.table);
    return gpi_call_launch(call, &sort->plan, sort->blocks);
}

static gp_result gpi_sort_spine(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass, cl_uint when)
{
    const bool out_first = sort->passes % 2 && !gpi_sort_in_place(sort);
    gpi_call_kernel(call, sort->program, GPI_SORT_SPINE);
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, pass);
    GPI_CALL_ARG(call, when);
    gpi_sort_arg_uint(call, out_first ? GPI_PLACE_OUT : GPI_PLACE_TMP);
    GPI_CALL_ARG(call, sort->blocks);
    gpi_sort_arg_at(call, sort->at.table);
    gpi_sort_arg_at(call, sort->at.bases);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &sort->plan, 1);
}

static gp_result gpi_sort_scatter(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass, cl_uint shift,
                                  cl_uint when)
{
    gpi_call_kernel(call, sort->program, GPI_SORT_SCATTER);
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_digit(call, sort, shift);
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, pass);
    GPI_CALL_ARG(call, when);
    gpi_sort_arg_long(call, sort->block_span);
    gpi_sort_arg_uint(call, gpi_sort_lines(sort));
    gpi_sort_arg_at(call, sort->at.table);
    gpi_sort_arg_at(call, sort->at.bases);
    return gpi_call_launch(call, &sort->plan, sort->blocks);
}

/* One pass of the classic way. */
static gp_result gpi_sort_classic_pass(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass,
                                       gpi_sort_when when)
{
    const cl_uint shift = gpi_sort_shift(sort, pass);
    gp_result result = gpi_sort_count(call, sort, state, pass, shift, when);
    if (result == GP_OK) result = gpi_sort_spine(call, sort, state, pass, when);
    return result == GP_OK ? gpi_sort_scatter(call, sort, state, pass, shift, when) : result;
}

static gp_result gpi_sort_classic(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gp_result result = sort->buckets ? gpi_buckets_launch(call, sort, state) : GP_OK;
    cl_uint pass;
    for (pass = 0; pass < sort->passes && result == GP_OK; pass++)
        result =
            gpi_sort_classic_pass(call, sort, state, pass, sort->buckets ? GPI_UNLESS_BUCKETS : GPI_ALWAYS);
    return result;
}

/* Counts all digits; bases of each pass, and where it reads and writes. */
static gp_result gpi_sort_histogram(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    gp_result result;
    gpi_call_kernel(call, sort->program, GPI_SORT_HISTOGRAM);
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_bits(call, sort);
    GPI_CALL_ARG(call, state);
    gpi_sort_arg_long(call, sort->block_span);
    gpi_sort_arg_at(call, sort->at.histogram);
    result = gpi_call_launch(call, &sort->plan, sort->blocks);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, sort->program, GPI_SORT_BASES);
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, sort->passes);
    GPI_CALL_ARG(call, sort->portions);
    gpi_sort_arg_uint(call, gpi_sort_in_place(sort));
    gpi_sort_arg_at(call, sort->at.histogram);
    gpi_sort_arg_at(call, sort->at.bases);
    return gpi_call_launch(call, &sort->plan, 1);
}

/* Whether the rows may hold words that a launch could take for its own (ring.cl, "Clearing"). */
static bool gpi_sort_must_clear(const gpi_sort *sort, cl_uint pass, cl_uint portion)
{
    const cl_uint before = portion > 0 ? portion - 1 : sort->portions - 1;
    if (sort->plan.words != GP_WORDS_WIDE || sort->count.buffer) return true;
    return (pass == 0 && portion == 0) || gpi_sort_tiles(sort, before) < 2 * (size_t)sort->ring_rows;
}

static gp_result gpi_sort_onesweep_launch(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint pass,
                                          cl_uint portion)
{
    const cl_uint launch = pass * sort->portions + portion;
    const size_t begin = portion * sort->portion;
    if (gpi_sort_must_clear(sort, pass, portion)) {
        const gp_result result = gpi_call_fill(call, state, sort->at.rows, gpi_sort_rows_bytes(sort));
        if (result != GP_OK) return result;
    }
    gpi_call_kernel(call, sort->program, GPI_SORT_ONESWEEP);
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_digit(call, sort, gpi_sort_shift(sort, pass));
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, pass);
    GPI_CALL_ARG(call, launch);
    gpi_sort_arg_long(call, begin);
    gpi_sort_arg_long(call, begin + sort->portion);
    gpi_sort_arg_long(call, sort->tile_span);
    gpi_sort_arg_uint(call, gpi_sort_lines(sort));
    gpi_sort_arg_at(call, sort->at.bases + (size_t)launch * GPI_SORT_BINS * 8);
    gpi_sort_arg_uint(call, portion + 1 < sort->portions);
    gpi_sort_arg_at(call, sort->at.rows);
    GPI_CALL_ARG(call, sort->plan.polls);
    return gpi_call_launch(call, &sort->plan, gpi_sort_tiles(sort, portion));
}

static gp_result gpi_sort_onesweep(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    cl_uint pass, portion;
    gp_result result = gpi_sort_histogram(call, sort, state);
    for (pass = 0; pass < sort->passes && result == GP_OK; pass++) {
        for (portion = 0; portion < sort->portions && result == GP_OK; portion++)
            result = gpi_sort_onesweep_launch(call, sort, state, pass, portion);
        if (result == GP_OK) result = gpi_sort_classic_pass(call, sort, state, pass, GPI_WHEN_ABANDONED);
    }
    return result;
}

static gp_result gpi_sort_launch(gpi_call *call, gpi_sort *sort)
{
    cl_mem scratch = NULL;
    gp_result result = GP_OK;
    if (gpi_sort_is_nothing(sort)) return GP_OK;
    if (sort->at.end > 0) result = gpi_call_scratch(call, sort->desc->scratch, sort->at.end, &scratch);
    if (result != GP_OK) return result;
    gpi_sort_place(sort, scratch);
    if (sort->small) return gpi_sort_small(call, sort);
    result = gpi_sort_begin(call, sort, scratch);
    if (result == GP_OK) {
        result = sort->onesweep && sort->passes ? gpi_sort_onesweep(call, sort, scratch)
                                                : gpi_sort_classic(call, sort, scratch);
    }
    return result == GP_OK ? gpi_sort_copy(call, sort, scratch) : result;
}

/* ------------------------------------------------------------------ API */

static void gpi_sort_init(gpi_sort *sort, const char *function, const gp_sort_desc *desc, bool indices)
{
    memset(sort, 0, sizeof *sort);
    sort->desc = desc;
    sort->function = function;
    sort->indices = indices;
    sort->value_size = indices && !desc->value_size ? 4 : desc->value_size;
}

static gp_result gpi_sort_call(gp_context *gp, const char *function, const gp_sort_desc *desc, bool indices)
{
    gpi_sort sort;
    gpi_call call;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp or desc is NULL", function);
    gpi_sort_init(&sort, function, desc, indices);
    result = gpi_sort_plan(gp, &sort);
    if (result == GP_OK && desc->count > 0) result = gpi_sort_check(gp, &sort);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_sort_launch(&call, &sort);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_sort(gp_context *gp, const gp_sort_desc *desc)
{
    return gpi_sort_call(gp, "gp_sort", desc, false);
}

GP_API gp_result gp_argsort(gp_context *gp, const gp_sort_desc *desc)
{
    return gpi_sort_call(gp, "gp_argsort", desc, true);
}

static gp_result gpi_sort_size(gp_context *gp, const char *function, const gp_sort_desc *desc, bool indices,
                               size_t *bytes)
{
    gpi_sort sort;
    gp_result result;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp, desc or bytes is NULL", function);
    }
    gpi_sort_init(&sort, function, desc, indices);
    result = gpi_sort_plan(gp, &sort);
    *bytes = result == GP_OK ? sort.at.end : 0;
    return result;
}

GP_API gp_result gp_sort_scratch_size(gp_context *gp, const gp_sort_desc *desc, size_t *bytes)
{
    return gpi_sort_size(gp, "gp_sort_scratch_size", desc, false, bytes);
}

GP_API gp_result gp_argsort_scratch_size(gp_context *gp, const gp_sort_desc *desc, size_t *bytes)
{
    return gpi_sort_size(gp, "gp_argsort_scratch_size", desc, true, bytes);
}

/* Sorts zeros of the context's own: few, and as many as take all kernels of the strategy. */
static gp_result gpi_sort_warm_up(gp_context *gp, const gp_sort_desc *desc)
{
    gp_sort_desc probe;
    gpi_sort sort;
    gp_result result;
    size_t counts[3] = {1, 0, 0}, i; /* one group; passes; buckets */
    memset(&probe, 0, sizeof probe);
    probe.key_type = desc->key_type;
    probe.value_size = desc->value_size;
    probe.strategy = desc->strategy;
    gpi_sort_init(&sort, "gp_warmup", &probe, false);
    result = gpi_sort_plan(gp, &sort);
    if (result != GP_OK) return result;
    counts[1] =
        sort.plan.shape == GP_SHAPE_SERIAL ? GPI_SORT_SERIAL_SMALL + 1 : gpi_plan_tile(&sort.plan) + 1;
    if (sort.plan.shape == GP_SHAPE_SERIAL) counts[2] = gpi_buckets_count_min(&sort);
    result = gpi_alloc_zeros(gp, (counts[1] + counts[2]) * sort.key_size, &probe.keys);
    if (result == GP_OK && probe.value_size)
        result = gpi_alloc_zeros(gp, (counts[1] + counts[2]) * probe.value_size, &probe.values);
    for (i = 0; i < 3 && result == GP_OK; i++) {
        if (desc->count && (desc->count < counts[i] || (i == 0 && desc->count >= counts[1]))) continue;
        probe.count = counts[i];
        result = gp_sort(gp, &probe);
    }
    if (probe.keys) (void)clReleaseMemObject(probe.keys);
    if (probe.values) (void)clReleaseMemObject(probe.values);
    return result;
}
/* ---- End file src/sort.c ---- */

/* ---- Begin file src/buckets.c ---- */
/* buckets.c - a sort of many keys in the serial shape: the highest digit first, then each bucket in the
 * caches. */

enum { GPI_BUCKETS_SAMPLE, GPI_BUCKETS_SPINE, GPI_BUCKETS_SORT };

enum {
    GPI_BUCKETS_PASS = 9,  /* GPI_PASS_BUCKETS of digit.cl */
    GPI_BUCKETS_SHARE = 64 /* no bucket has more than this part of all keys, unless it is small */
};

/* Bytes of keys and values that a group sorts at its best: they and as many behind them, in its core's
   caches. And of a whole sort, where it begins to pay: when passes wait for memory, and there are many.
   Measured on PoCL. */
#define GPI_BUCKET_BYTES ((size_t)320 << 10)
#define GPI_BUCKETS_BYTES_MIN ((size_t)4 << 20)
#define GPI_BUCKETS_ELEMENT_MIN 8
#define GPI_BUCKETS_DIGITS_MIN 4

static size_t gpi_sort_element(const gpi_sort *sort) { return sort->key_size + sort->value_size; }

static size_t gpi_buckets_count_min(const gpi_sort *sort)
{
    return GPI_BUCKETS_BYTES_MIN / gpi_sort_element(sort);
}

/* Keys of a small bucket. */
static size_t gpi_buckets_few(const gp_context *gp, const gpi_sort *sort)
{
    const uint32_t tuned = gp->desc.tuning.sort_bucket;
    return tuned ? tuned : GPI_BUCKET_BYTES / gpi_sort_element(sort);
}

/* Keys of the largest bucket there may be. */
static size_t gpi_buckets_most(const gp_context *gp, const gpi_sort *sort)
{
    const size_t few = gpi_buckets_few(gp, sort), share = sort->desc->count / GPI_BUCKETS_SHARE;
    return few > share ? few : share;
}

/* Whether it is worth a try, as far as the host knows. */
static bool gpi_buckets_suit(const gp_context *gp, const gpi_sort *sort)
{
    const uint32_t tuned = gp->desc.tuning.sort_bucket;
    if (sort->plan.shape != GP_SHAPE_SERIAL || sort->onesweep || sort->small || sort->hash) return false;
    if (sort->end_bit - sort->begin_bit < 2 * GPI_SORT_DIGIT_BITS)
        return false; /* a digit, and one to split by */
    if (tuned) return tuned > 1;
    return sort->passes >= GPI_BUCKETS_DIGITS_MIN && gpi_sort_element(sort) >= GPI_BUCKETS_ELEMENT_MIN &&
           sort->desc->count >= gpi_buckets_count_min(sort);
}

static gp_result gpi_buckets_plan(gp_context *gp, gpi_sort *sort)
{
    if (!gpi_buckets_suit(gp, sort)) return GP_OK;
    return gpi_key_program(gp, sort->function, GPI_BUCKETS, sort->desc->key_type, sort->value_size, "",
                           &sort->plan, &sort->buckets);
}

/* Is it likely to pay? */
static gp_result gpi_buckets_sample(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint shift)
{
    gpi_call_kernel(call, sort->buckets, GPI_BUCKETS_SAMPLE);
    gpi_sort_arg_places(call, sort);
    gpi_sort_arg_digit(call, sort, shift);
    GPI_CALL_ARG(call, state);
    gpi_sort_arg_long(call, gpi_buckets_most(call->gp, sort));
    return gpi_call_launch(call, &sort->plan, 1);
}

static gp_result gpi_buckets_spine(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    /* the buckets' passes end in the output when they are as many as it takes to get there */
    const bool tmp = gpi_sort_in_place(sort) || (sort->passes - 1) % 2;
    gpi_call_kernel(call, sort->buckets, GPI_BUCKETS_SPINE);
    GPI_CALL_ARG(call, state);
    gpi_sort_arg_uint(call, tmp ? GPI_PLACE_TMP : GPI_PLACE_OUT);
    GPI_CALL_ARG(call, sort->passes);
    GPI_CALL_ARG(call, sort->blocks);
    gpi_sort_arg_at(call, sort->at.table);
    gpi_sort_arg_at(call, sort->at.bases);
    gpi_sort_arg_long(call, gpi_buckets_most(call->gp, sort));
    return gpi_call_launch(call, &sort->plan, 1);
}

static gp_result gpi_buckets_sort(gpi_call *call, gpi_sort *sort, cl_mem state, cl_uint end_bit)
{
    gpi_call_kernel(call, sort->buckets, GPI_BUCKETS_SORT);
    gpi_sort_arg_places(call, sort);
    GPI_CALL_ARG(call, sort->flip);
    GPI_CALL_ARG(call, sort->begin_bit);
    GPI_CALL_ARG(call, end_bit);
    gpi_sort_arg_uint(call, sort->passes - 1);
    GPI_CALL_ARG(call, state);
    gpi_sort_arg_at(call, sort->at.bases);
    gpi_sort_arg_long(call, gpi_buckets_few(call->gp, sort));
    return gpi_call_launch(call, &sort->plan, GPI_SORT_BINS);
}

/* Sorts if buckets are small, and does nothing if not. */
static gp_result gpi_buckets_launch(gpi_call *call, gpi_sort *sort, cl_mem state)
{
    const cl_uint shift = sort->end_bit - GPI_SORT_DIGIT_BITS;
    gp_result result = gpi_buckets_sample(call, sort, state, shift);
    if (result == GP_OK)
        result = gpi_sort_count(call, sort, state, GPI_BUCKETS_PASS, shift, GPI_WHEN_BUCKETS);
    if (result == GP_OK) result = gpi_buckets_spine(call, sort, state);
    if (result == GP_OK)
        result = gpi_sort_scatter(call, sort, state, GPI_BUCKETS_PASS, shift, GPI_WHEN_BUCKETS);
    return result == GP_OK ? gpi_buckets_sort(call, sort, state, shift) : result;
}
/* ---- End file src/buckets.c ---- */

/* ---- Begin file src/segmented_sort.c ---- */
/* segmented_sort.c - gp_segmented_sort: offsets checked and large segments listed on the device; the small
   ones sorted by a group each window, the large ones together by classic passes. */

enum {
    GPI_SEGMENTS_BOUNDS,
    GPI_SEGMENTS_LIST,
    GPI_SEGMENTS_SMALL,
    GPI_SEGMENTS_COUNT,
    GPI_SEGMENTS_SPINE,
    GPI_SEGMENTS_SCATTER,
    GPI_SEGMENTS_COPY
};

enum {
    GPI_SEGMENTS_STATE_BYTES = 64, /* GPI_SEGMENTS_WORDS of segmented_sort.cl */
    GPI_SEGMENTS_BAD_AT = 8,       /* bytes: two uints, of which the second is the first one's index */
    GPI_SEGMENTS_LARGE_BYTES = 32, /* gpi_large */
    GPI_SEGMENTS_BLOCKS_MAX = 1024,
    GPI_SEGMENTS_SERIAL_SMALL = 16384, /* keys that one item sorts while others have as much to do */
    GPI_SEGMENTS_WINDOW_TILES = 8      /* local: most tiles of a window */
};

/* Bytes of a segment from which on it pays to write lines past the caches, as in a sort. */
#define GPI_SEGMENTS_LINES_BYTES ((size_t)8 << 20)

/* A checked call, ready to run. */
typedef struct gpi_segments {
    const gp_segmented_sort_desc *desc;
    gp_sort_desc keys; /* the same as a sort of one segment */
    gpi_sort sort;
    size_t small, window; /* keys of a small segment; positions of a group */
    size_t block;         /* offsets of a group */
    cl_uint blocks;
    size_t rows, large; /* at most */
    cl_uint groups;     /* that share the rows */
    size_t maxima_at, bounds_at, large_at, owner_at;
} gpi_segments;

/* ------------------------------------------------------------------ checks, plan */

static void gpi_segments_init(gpi_segments *s, const char *function, const gp_segmented_sort_desc *d)
{
    gp_sort_desc *k = &s->keys;
    memset(s, 0, sizeof *s);
    s->desc = d;
    k->keys = d->keys;
    k->keys_offset = d->keys_offset;
    k->keys_out = d->keys_out;
    k->keys_out_offset = d->keys_out_offset;
    k->values = d->values;
    k->values_offset = d->values_offset;
    k->values_out = d->values_out;
    k->values_out_offset = d->values_out_offset;
    k->keys_tmp = d->keys_tmp;
    k->keys_tmp_offset = d->keys_tmp_offset;
    k->values_tmp = d->values_tmp;
    k->values_tmp_offset = d->values_tmp_offset;
    k->count = d->count;
    k->key_type = d->key_type;
    k->value_size = d->value_size;
    k->begin_bit = d->begin_bit;
    k->end_bit = d->end_bit;
    k->descending = d->descending;
    k->strategy = GP_STRATEGY_MULTI_PASS;
    k->scratch = d->scratch;
    gpi_sort_init(&s->sort, function, k, false);
}

static gp_result gpi_segments_check_offsets(gp_context *gp, gpi_segments *s)
{
    const gp_segmented_sort_desc *d = s->desc;
    if (d->offsets_type != GP_U32 && d->offsets_type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: offsets_type = %d, must be GP_U32 or GP_U64",
                        s->sort.function, (int)d->offsets_type);
    }
    if (d->segment_count >= UINT32_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: segment_count = %zu, at most 2^32 - 2",
                        s->sort.function, d->segment_count);
    }
    s->sort.offsets.buffer = d->offsets;
    s->sort.offsets.offset = d->offsets_offset;
    s->sort.offset_count = d->segment_count + 1;
    s->sort.offset_size = d->offsets_type == GP_U32 ? 4 : 8;
    s->sort.count.bound = d->segment_count;
    s->sort.count.buffer = d->count_buffer;
    s->sort.count.offset = d->count_offset;
    s->sort.count.type = d->count_type;
    return GP_OK;
}

static bool gpi_segments_wide(const gpi_sort *sort) { return sort->desc->count > UINT32_MAX; }

static gp_result gpi_segments_program(gp_context *gp, gpi_sort *sort)
{
    const char *cell = gpi_segments_wide(sort) ? "#define GPI_CELL_WIDE 1\n" : "#define GPI_CELL_WIDE 0\n";
    return gpi_key_program(gp, sort->function, GPI_SEGMENTED_SORT, sort->desc->key_type, sort->value_size,
                           cell, &sort->plan, &sort->program);
}

static bool gpi_segments_is_nothing(const gpi_segments *s)
{
    return s->desc->count == 0 || s->desc->segment_count == 0;
}

static size_t gpi_clamp(size_t x, size_t least, size_t most)
{
    return x < least ? least : x > most ? most : x;
}

/* Work for a few groups a core, and not too little for each. */
static size_t gpi_segments_share(const gp_context *gp, size_t n)
{
    return n / (8 * (size_t)(gp->info.compute_units ? gp->info.compute_units : 1));
}

/* What is small, what a group of each kernel takes. */
static gp_result gpi_segments_spans(gp_context *gp, gpi_segments *s)
{
    gpi_sort *sort = &s->sort;
    const size_t n = s->desc->count, share = gpi_segments_share(gp, n);
    const bool local = sort->plan.shape == GP_SHAPE_LOCAL;
    gp_result result = GP_OK;
    if (local) {
        const size_t tile = gpi_plan_tile(&sort->plan);
        s->small = tile;
        s->window = gpi_clamp(share / tile, 1, GPI_SEGMENTS_WINDOW_TILES) * tile;
        result = gpi_sort_spans_local(gp, sort);
    } else {
        s->small = gpi_clamp(sort->plan.items, 1, GPI_SEGMENTS_SERIAL_SMALL);
        s->window = gpi_clamp(share, s->small < 1024 ? s->small : 1024, s->small);
        gpi_sort_spans_serial(gp, sort);
    }
    sort->small = n <= s->small;
    s->large = n / (s->small + 1);
    s->rows = s->large ? n / sort->block_span + s->large : 0;
    s->groups = (cl_uint)gpi_clamp(16 * (size_t)gp->info.compute_units, 64, GPI_SEGMENTS_BLOCKS_MAX);
    if (s->groups > s->rows || gp->info.loop_limit) s->groups = (cl_uint)s->rows;
    return result;
}

/* Blocks of offsets: some for each core, not too small ones, and not too many to be looked over. */
static void gpi_segments_blocks(const gp_context *gp, gpi_segments *s)
{
    const size_t entries = s->desc->segment_count + 1, least = s->sort.plan.group == 1 ? 4096 : 1024;
    size_t block = gpi_clamp(gpi_segments_share(gp, entries), least, entries < least ? least : entries);
    if (entries / block >= GPI_SEGMENTS_BLOCKS_MAX) block = gpi_ceil_div(entries, GPI_SEGMENTS_BLOCKS_MAX);
    s->block = block;
    s->blocks = (cl_uint)gpi_ceil_div(entries, block);
}

static void gpi_segments_lay_out(gpi_segments *s)
{
    gpi_sort *sort = &s->sort;
    const size_t n = s->desc->count, cell = gpi_segments_wide(sort) ? 8 : 4;
    memset(&sort->at, 0, sizeof sort->at);
    if (gpi_segments_is_nothing(s)) return;
    (void)gpi_sort_part(sort, GPI_SEGMENTS_STATE_BYTES);
    s->maxima_at = gpi_sort_part(sort, s->blocks * cell);
    s->bounds_at = gpi_sort_part(sort, (s->desc->segment_count + 1) * cell);
    s->large_at = gpi_sort_part(sort, s->large * GPI_SEGMENTS_LARGE_BYTES);
    s->owner_at = gpi_sort_part(sort, s->rows * 4);
    sort->at.table = gpi_sort_part(sort, s->rows * 256 * cell);
    if (!gpi_sort_needs_tmp(sort)) return;
    if (!sort->desc->keys_tmp) sort->at.key_tmp = gpi_sort_part(sort, n * sort->key_size);
    if (!sort->desc->values_tmp) sort->at.value_tmp = gpi_sort_part(sort, n * sort->value_size);
}

/* Bytes that are enough for any part of these elements and segments: fewer elements can be cut into more
   rows, but into no more than a block takes least, nor than there may be blocks. */
static size_t gpi_segments_scratch_most(const gpi_segments *s)
{
    gpi_segments most = *s;
    const size_t blocks = s->desc->count / s->small;
    if (gpi_segments_is_nothing(s)) return 0;
    most.blocks = GPI_SEGMENTS_BLOCKS_MAX + 1;
    if (most.large) most.rows = most.large + gpi_clamp(blocks, 1, GPI_SEGMENTS_BLOCKS_MAX + 1);
    gpi_segments_lay_out(&most);
    return most.sort.at.end;
}

/* Everything but the buffers: enough to know the scratch. */
static gp_result gpi_segments_plan(gp_context *gp, gpi_segments *s)
{
    gp_result result = gpi_sort_describe(gp, &s->sort);
    if (result == GP_OK) result = gpi_segments_check_offsets(gp, s);
    if (result == GP_OK) result = gpi_segments_program(gp, &s->sort);
    if (result == GP_OK) result = gpi_segments_spans(gp, s);
    if (result != GP_OK) return result;
    gpi_segments_blocks(gp, s);
    gpi_segments_lay_out(s);
    return GP_OK;
}

/* ------------------------------------------------------------------ launches */

/* GPI_SEGMENTS_PARAMETERS */
static void gpi_segments_arg_state(gpi_call *call, const gpi_segments *s, cl_mem state)
{
    GPI_CALL_ARG(call, state);
    gpi_sort_arg_at(call, s->maxima_at);
    gpi_sort_arg_at(call, s->bounds_at);
    gpi_sort_arg_at(call, s->large_at);
    gpi_sort_arg_at(call, s->owner_at);
    gpi_sort_arg_at(call, s->sort.at.table);
}

/* GPI_OFFSETS_PARAMETERS, and a block's offsets */
static void gpi_segments_arg_offsets(gpi_call *call, const gpi_segments *s)
{
    GPI_CALL_ARG(call, s->sort.offsets.buffer);
    gpi_sort_arg_long(call, s->sort.offsets.offset);
    gpi_sort_arg_uint(call, s->sort.offset_size / 4);
    gpi_sort_arg_long(call, s->desc->count);
    gpi_sort_arg_long(call, s->block);
}

static gp_result gpi_segments_list(gpi_call *call, gpi_segments *s, cl_mem state)
{
    gp_result result;
    gpi_call_kernel(call, s->sort.program, GPI_SEGMENTS_BOUNDS);
    gpi_segments_arg_state(call, s, state);
    gpi_segments_arg_offsets(call, s);
    gpi_call_arg_count(call, &s->sort.count);
    GPI_CALL_ARG(call, call->gp->counters);
    result = gpi_call_launch(call, &s->sort.plan, s->blocks);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, s->sort.program, GPI_SEGMENTS_LIST);
    gpi_segments_arg_state(call, s, state);
    gpi_segments_arg_offsets(call, s);
    gpi_sort_arg_long(call, s->small);
    gpi_sort_arg_long(call, s->sort.block_span);
    gpi_sort_arg_uint(call, gpi_sort_from(&s->sort));
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &s->sort.plan, s->blocks);
}

static gp_result gpi_segments_small(gpi_call *call, gpi_segments *s, cl_mem state)
{
    gpi_call_kernel(call, s->sort.program, GPI_SEGMENTS_SMALL);
    gpi_sort_arg_places(call, &s->sort);
    gpi_sort_arg_bits(call, &s->sort);
    gpi_segments_arg_state(call, s, state);
    gpi_sort_arg_long(call, s->window);
    gpi_sort_arg_uint(call, s->small);
    gpi_sort_arg_uint(call, gpi_sort_from(&s->sort));
    gpi_sort_arg_uint(call, gpi_sort_in_place(&s->sort));
    return gpi_call_launch(call, &s->sort.plan, gpi_ceil_div(s->desc->count, s->window));
}

/* What count and scatter have in common. */
static void gpi_segments_prepare(gpi_call *call, gpi_segments *s, cl_mem state, size_t kernel, cl_uint pass)
{
    gpi_call_kernel(call, s->sort.program, kernel);
    gpi_sort_arg_places(call, &s->sort);
    gpi_sort_arg_digit(call, &s->sort, gpi_sort_shift(&s->sort, pass));
    gpi_segments_arg_state(call, s, state);
    GPI_CALL_ARG(call, pass);
    gpi_sort_arg_long(call, s->sort.block_span);
}

static gp_result gpi_segments_pass(gpi_call *call, gpi_segments *s, cl_mem state, cl_uint pass)
{
    const gpi_sort *sort = &s->sort;
    const bool out_first = sort->passes % 2 && !gpi_sort_in_place(sort);
    const size_t lines_from = GPI_SEGMENTS_LINES_BYTES / (sort->key_size + sort->value_size);
    const size_t spines = s->large < s->groups ? s->large : s->groups;
    gp_result result;
    gpi_segments_prepare(call, s, state, GPI_SEGMENTS_COUNT, pass);
    result = gpi_call_launch(call, &sort->plan, s->groups);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, sort->program, GPI_SEGMENTS_SPINE);
    gpi_segments_arg_state(call, s, state);
    GPI_CALL_ARG(call, pass);
    gpi_sort_arg_uint(call, out_first ? GPI_PLACE_OUT : GPI_PLACE_TMP);
    result = gpi_call_launch(call, &sort->plan, spines);
    if (result != GP_OK) return result;
    gpi_segments_prepare(call, s, state, GPI_SEGMENTS_SCATTER, pass);
    gpi_sort_arg_long(call, lines_from);
    return gpi_call_launch(call, &sort->plan, s->groups);
}

static gp_result gpi_segments_large(gpi_call *call, gpi_segments *s, cl_mem state)
{
    gp_result result = GP_OK;
    cl_uint pass;
    for (pass = 0; pass < s->sort.passes && result == GP_OK; pass++)
        result = gpi_segments_pass(call, s, state, pass);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, s->sort.program, GPI_SEGMENTS_COPY);
    gpi_sort_arg_places(call, &s->sort);
    gpi_segments_arg_state(call, s, state);
    GPI_CALL_ARG(call, s->sort.passes);
    gpi_sort_arg_long(call, s->sort.block_span);
    return gpi_call_launch(call, &s->sort.plan, s->groups);
}

/* Enqueues all of a planned and checked call. *state is where the report is, NULL: there was nothing to do.
 */
static gp_result gpi_segments_launch(gpi_call *call, gpi_segments *s, cl_mem *state)
{
    gp_result result;
    *state = NULL;
    if (gpi_segments_is_nothing(s)) return GP_OK;
    result = gpi_call_scratch(call, s->desc->scratch, s->sort.at.end, state);
    if (result != GP_OK) return result;
    gpi_sort_place(&s->sort, *state);
    result = gpi_segments_list(call, s, *state);
    if (result == GP_OK) result = gpi_segments_small(call, s, *state);
    if (result == GP_OK && s->large > 0) result = gpi_segments_large(call, s, *state);
    return result;
}

/* ------------------------------------------------------------------ API */

static gp_result gpi_segments_report(gpi_call *call, cl_mem state, gp_segmented_sort_report *report)
{
    cl_uint words[2] = {0, 0};
    gp_result result = GP_OK;
    if (state) result = gpi_call_read(call, state, GPI_SEGMENTS_BAD_AT, sizeof words, words);
    report->bad_offsets = words[0];
    report->first_bad = words[0] ? words[1] : 0;
    return result;
}

static gp_result gpi_segments_call(gp_context *gp, const char *function, const gp_segmented_sort_desc *desc,
                                   gp_segmented_sort_report *report)
{
    gpi_segments segments;
    gpi_call call;
    cl_mem state = NULL;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp or desc is NULL", function);
    gpi_segments_init(&segments, function, desc);
    result = gpi_segments_plan(gp, &segments);
    if (result == GP_OK && !gpi_segments_is_nothing(&segments)) result = gpi_sort_check(gp, &segments.sort);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_segments_launch(&call, &segments, &state);
    if (result == GP_OK && report) result = gpi_segments_report(&call, state, report);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_segmented_sort(gp_context *gp, const gp_segmented_sort_desc *desc)
{
    return gpi_segments_call(gp, "gp_segmented_sort", desc, NULL);
}

GP_API gp_result gp_segmented_sort_read(gp_context *gp, const gp_segmented_sort_desc *desc,
                                        gp_segmented_sort_report *report)
{
    if (!report) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_segmented_sort_read: report is NULL");
    return gpi_segments_call(gp, "gp_segmented_sort_read", desc, report);
}

GP_API gp_result gp_segmented_sort_scratch_size(gp_context *gp, const gp_segmented_sort_desc *desc,
                                                size_t *bytes)
{
    const char *function = "gp_segmented_sort_scratch_size";
    gpi_segments segments;
    gp_result result;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp, desc or bytes is NULL", function);
    }
    gpi_segments_init(&segments, function, desc);
    result = gpi_segments_plan(gp, &segments);
    *bytes = result == GP_OK ? segments.sort.at.end : 0;
    return result;
}

/* Sorts zeros of the context's own: a large segment and a small one. */
static gp_result gpi_segmented_sort_warm_up(gp_context *gp, const gp_segmented_sort_desc *desc)
{
    gp_segmented_sort_desc probe;
    gpi_segments segments;
    cl_uint offsets[3] = {0, 0, 0};
    gp_result result;
    memset(&probe, 0, sizeof probe);
    probe.key_type = desc->key_type;
    probe.value_size = desc->value_size;
    probe.offsets_type = GP_U32;
    probe.segment_count = 2;
    gpi_segments_init(&segments, "gp_warmup", &probe);
    result = gpi_segments_plan(gp, &segments);
    if (result != GP_OK) return result;
    offsets[1] = (cl_uint)segments.small + 1;
    offsets[2] = offsets[1] + 100;
    probe.count = offsets[2];
    result = gp_buffer_create(gp, sizeof offsets, offsets, &probe.offsets);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, probe.count * segments.sort.key_size, &probe.keys);
    if (result == GP_OK && probe.value_size)
        result = gpi_alloc_zeros(gp, probe.count * probe.value_size, &probe.values);
    if (result == GP_OK) result = gp_segmented_sort(gp, &probe);
    if (probe.offsets) (void)clReleaseMemObject(probe.offsets);
    if (probe.keys) (void)clReleaseMemObject(probe.keys);
    if (probe.values) (void)clReleaseMemObject(probe.values);
    return result;
}
/* ---- End file src/segmented_sort.c ---- */

/* ---- Begin file src/sort_strings.c ---- */
/* sort_strings.c - gp_sort_strings: keys of seven bytes sorted, ties compacted and sorted further, in rounds
   that the host drives by how many ties are left. */

enum { GPI_STRINGS_KEYS_FIRST, GPI_STRINGS_TIES, GPI_STRINGS_COMPACT, GPI_STRINGS_SKIP, GPI_STRINGS_KEYS };

enum {
    GPI_STRINGS_STATE_BYTES = 64, /* sort_strings.cl */
    GPI_STRINGS_SET_PARTS = 6,    /* of `room` uints */
    GPI_STRINGS_ITEMS = 4,        /* local: elements of an item */
    GPI_STRINGS_SERIAL_LEAST = 256,
    GPI_STRINGS_SERIAL_MOST = 16384,
    GPI_STRINGS_ALIGNMENT = 65536 /* of the nested sorts' scratch: no device asks for more */
};

/* A checked call, ready to run. */
typedef struct gpi_strings {
    const gp_sort_strings_desc *desc;
    const char *function;
    size_t index_size, offset_size;
    gpi_count count;
    gpi_plan plan; /* of this file's kernels */
    gpi_program *program;
    /* the sort of all strings, of ties, and the scan that tells where ties go */
    gp_sort_desc all_desc;
    gpi_sort all;
    gp_segmented_sort_desc ties_desc;
    gpi_segments ties;
    gp_scan_desc scan_desc;
    gpi_scan scan;
    size_t room;                         /* uints of a part of a set */
    size_t keys_at, flags_at, set_at[2]; /* bytes */
    size_t own, nested, scratch;         /* bytes of each part, and together */
    cl_mem parts, nested_scratch;        /* sub-buffers of it */
} gpi_strings;

/* The last word of a round: what the device found. */
typedef struct gpi_strings_state {
    cl_uint bad, first_bad, tied, groups;
} gpi_strings_state;

/* ------------------------------------------------------------------ plan */

static gp_result gpi_strings_check_desc(gp_context *gp, gpi_strings *s)
{
    const gp_sort_strings_desc *d = s->desc;
    if (d->offsets_type != GP_U32 && d->offsets_type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: offsets_type = %d, must be GP_U32 or GP_U64",
                        s->function, (int)d->offsets_type);
    }
    if (d->index_size != 0 && d->index_size != 4 && d->index_size != 8) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: index_size = %zu, must be 4 or 8", s->function,
                        d->index_size);
    }
    if (d->count > UINT32_MAX - 2) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: count = %zu, at most 2^32 - 3", s->function, d->count);
    }
    s->index_size = d->index_size ? d->index_size : 4;
    s->offset_size = d->offsets_type == GP_U32 ? 4 : 8;
    s->count.bound = d->count;
    s->count.buffer = d->count_buffer;
    s->count.offset = d->count_offset;
    s->count.type = d->count_type;
    return GP_OK;
}

static gp_result gpi_strings_plan_all(gp_context *gp, gpi_strings *s)
{
    gp_sort_desc *d = &s->all_desc;
    d->count = s->desc->count;
    d->count_buffer = s->desc->count_buffer;
    d->count_offset = s->desc->count_offset;
    d->count_type = s->desc->count_type;
    d->key_type = GP_U64;
    d->value_size = 4;
    d->descending = s->desc->descending;
    d->keys = s->parts;
    d->keys_out = s->parts ? s->parts : gp->counters; /* when only sizes are asked for: any other than keys */
    d->keys_offset = s->set_at[1] / 8;                /* not in use yet */
    d->keys_out_offset = s->keys_at / 8;
    d->values_out = d->keys_out;
    d->values_out_offset = s->set_at[0] / 4;
    d->scratch = s->nested_scratch;
    gpi_sort_init(&s->all, s->function, d, true);
    return gpi_sort_plan(gp, &s->all);
}

static gp_result gpi_strings_plan_ties(gp_context *gp, gpi_strings *s, size_t tied, size_t groups,
                                       const size_t *set_at)
{
    gp_segmented_sort_desc *d = &s->ties_desc;
    d->count = tied;
    d->segment_count = groups;
    d->offsets_type = GP_U32;
    d->key_type = GP_U64;
    d->value_size = 4;
    d->descending = s->desc->descending;
    d->keys = s->parts;
    d->keys_offset = s->keys_at / 8;
    d->values = s->parts;
    d->values_offset = *set_at / 4;
    d->offsets = s->parts;
    d->offsets_offset = *set_at / 4 + 3 * s->room;
    d->scratch = s->nested_scratch;
    gpi_segments_init(&s->ties, s->function, d);
    return gpi_segments_plan(gp, &s->ties);
}

static gp_result gpi_strings_plan_scan(gp_context *gp, gpi_strings *s, size_t elements)
{
    gp_scan_desc *d = &s->scan_desc;
    d->in = d->out = s->parts;
    d->in_offset = d->out_offset = s->flags_at / 8;
    d->count = elements + 1;
    d->type = GP_U64;
    d->op = GP_SUM;
    d->exclusive = true;
    d->scratch = s->nested_scratch;
    return gpi_scan_plan(gp, s->function, d, &s->scan);
}

/* Appends a part of the scratch; where it begins. */
static size_t gpi_strings_part(gpi_strings *s, size_t bytes)
{
    const size_t begin = s->own;
    s->own += gpi_round_up(bytes, 256);
    return begin;
}

static void gpi_strings_lay_out(gpi_strings *s)
{
    const size_t n = s->desc->count;
    s->room = gpi_round_up(n + 2, 64);
    (void)gpi_strings_part(s, GPI_STRINGS_STATE_BYTES);
    s->keys_at = gpi_strings_part(s, n * 8);
    s->flags_at = gpi_strings_part(s, (n + 1) * 8);
    s->set_at[0] = gpi_strings_part(s, s->room * 4 * GPI_STRINGS_SET_PARTS);
    s->set_at[1] = gpi_strings_part(s, s->room * 4 * GPI_STRINGS_SET_PARTS);
}

static size_t gpi_larger(size_t a, size_t b) { return a > b ? a : b; }

/* Everything but the buffers: enough to know the scratch. Ties are at most all strings, in pairs. */
static gp_result gpi_strings_plan(gp_context *gp, gpi_strings *s)
{
    const size_t n = s->desc->count;
    gp_result result = gpi_strings_check_desc(gp, s);
    if (result != GP_OK) return result;
    gpi_strings_lay_out(s);
    result = gpi_strings_plan_all(gp, s);
    s->plan = s->all.plan;
    if (result == GP_OK)
        result = gpi_key_program(gp, s->function, GPI_SORT_STRINGS, GP_U64, 4, "", &s->plan, &s->program);
    if (result == GP_OK) result = gpi_strings_plan_ties(gp, s, n, n / 2, &s->set_at[0]);
    if (result == GP_OK) result = gpi_strings_plan_scan(gp, s, n);
    if (result != GP_OK || n == 0) return result;
    s->nested = gpi_larger(gpi_segments_scratch_most(&s->ties), gpi_scan_scratch(&s->scan));
    s->nested = gpi_larger(gpi_larger(s->nested, s->all.at.end), GPI_STRINGS_STATE_BYTES); /* never none */
    s->own = gpi_round_up(s->own, GPI_STRINGS_ALIGNMENT);
    s->scratch = s->own + s->nested;
    return GP_OK;
}

/* ------------------------------------------------------------------ buffers */

static gp_result gpi_strings_check(gp_context *gp, const gpi_strings *s)
{
    const gp_sort_strings_desc *d = s->desc;
    enum { BYTES, OFFSETS, OUT, COUNT, RANGES };
    static const char *const names[RANGES] = {"bytes", "offsets", "out", "count_buffer"};
    gpi_range used[RANGES];
    size_t i;
    gp_result r = gpi_check_buffer(gp, s->function, "bytes", d->bytes, d->bytes_offset, d->byte_count, 1,
                                   GPI_READS, &used[BYTES]);
    if (r == GP_OK)
        r = gpi_check_buffer(gp, s->function, "offsets", d->offsets, d->offsets_offset, d->count + 1,
                             s->offset_size, GPI_READS, &used[OFFSETS]);
    if (r == GP_OK)
        r = gpi_check_buffer(gp, s->function, "out", d->out, d->out_offset, d->count, s->index_size,
                             GPI_WRITES, &used[OUT]);
    if (r == GP_OK) r = gpi_check_count(gp, s->function, &s->count, &used[COUNT]);
    for (i = 0; i < RANGES && r == GP_OK; i++) {
        if (i != OUT && gpi_overlap(&used[i], &used[OUT]))
            r = gpi_fail(gp, GP_ERROR_OVERLAP, "%s: %s and out overlap", s->function, names[i]);
    }
    return r == GP_OK ? gpi_check_scratch(gp, s->function, d->scratch, s->scratch, used, RANGES) : r;
}

static gp_result gpi_strings_sub_buffer(gp_context *gp, const gpi_strings *s, cl_mem scratch, size_t begin,
                                        size_t bytes, cl_mem *out)
{
    gpi_range range;
    cl_buffer_region region;
    cl_int error;
    range.begin = begin;
    range.end = begin + bytes;
    gpi_range_resolve(scratch, &range); /* the caller's may be a part itself, and parts have no parts */
    region.origin = range.begin;
    region.size = bytes;
    *out = clCreateSubBuffer(range.root, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(gp, error, s->function, "clCreateSubBuffer");
}

/* The scratch in two: kernels take their buffers from the first byte on. */
static gp_result gpi_strings_open(gpi_call *call, gpi_strings *s)
{
    cl_mem scratch = NULL;
    gp_result result = gpi_call_scratch(call, s->desc->scratch, s->scratch, &scratch);
    if (result == GP_OK) result = gpi_strings_sub_buffer(call->gp, s, scratch, 0, s->own, &s->parts);
    if (result == GP_OK)
        result = gpi_strings_sub_buffer(call->gp, s, scratch, s->own, s->nested, &s->nested_scratch);
    return result == GP_OK ? gpi_strings_plan_all(call->gp, s) : result;
}

static void gpi_strings_close(gpi_strings *s)
{
    if (s->parts) (void)clReleaseMemObject(s->parts);
    if (s->nested_scratch) (void)clReleaseMemObject(s->nested_scratch);
}

/* ------------------------------------------------------------------ launches */

/* Elements of a group: serial, enough groups for all cores; local, few a work-item, fewer where loops are
   limited. */
static size_t gpi_strings_span(const gp_context *gp, const gpi_strings *s, size_t many)
{
    const size_t cores = gp->info.compute_units ? gp->info.compute_units : 1, group = s->plan.group;
    if (group > 1) return gp->info.loop_limit ? group : group * GPI_STRINGS_ITEMS;
    return gpi_clamp(many / (8 * cores), GPI_STRINGS_SERIAL_LEAST, GPI_STRINGS_SERIAL_MOST);
}

/* GPI_ROUND_PARAMETERS; `from`: which of the two sets. */
static void gpi_strings_prepare(gpi_call *call, const gpi_strings *s, size_t kernel, size_t keys_at, int from)
{
    gpi_call_kernel(call, s->program, kernel);
    GPI_CALL_ARG(call, s->parts);
    gpi_sort_arg_long(call, s->room);
    gpi_sort_arg_at(call, keys_at);
    gpi_sort_arg_at(call, s->flags_at);
    gpi_sort_arg_at(call, s->set_at[from]);
    gpi_sort_arg_at(call, s->set_at[1 - from]);
}

/* GPI_TEXT_PARAMETERS */
static void gpi_strings_arg_text(gpi_call *call, const gpi_strings *s)
{
    GPI_CALL_ARG(call, s->desc->bytes);
    gpi_sort_arg_long(call, s->desc->bytes_offset);
    gpi_sort_arg_long(call, s->desc->byte_count);
    GPI_CALL_ARG(call, s->desc->offsets);
    gpi_sort_arg_long(call, s->desc->offsets_offset);
    gpi_sort_arg_uint(call, s->offset_size / 4);
}

static gp_result gpi_strings_launch(gpi_call *call, const gpi_strings *s, size_t elements)
{
    return gpi_call_launch(call, &s->plan, gpi_ceil_div(elements, gpi_strings_span(call->gp, s, elements)));
}

/* All strings by their first bytes. */
static gp_result gpi_strings_sort_all(gpi_call *call, gpi_strings *s)
{
    const size_t n = s->desc->count;
    gp_result result = gpi_call_fill(call, s->parts, 0, GPI_STRINGS_STATE_BYTES);
    if (result != GP_OK) return result;
    gpi_strings_prepare(call, s, GPI_STRINGS_KEYS_FIRST, s->set_at[1], 0);
    gpi_strings_arg_text(call, s);
    gpi_sort_arg_long(call, gpi_strings_span(call->gp, s, n));
    gpi_call_arg_count(call, &s->count);
    GPI_CALL_ARG(call, call->gp->counters);
    result = gpi_strings_launch(call, s, n);
    return result == GP_OK ? gpi_sort_launch(call, &s->all) : result;
}

/* The ties in set `from`, each group by itself, by their next bytes. */
static gp_result gpi_strings_sort_ties(gpi_call *call, gpi_strings *s, const gpi_strings_state *state,
                                       int from)
{
    const size_t many = state->tied, span = gpi_strings_span(call->gp, s, many);
    cl_mem unused;
    size_t kernel;
    gp_result result = GP_OK;
    for (kernel = GPI_STRINGS_SKIP; kernel <= GPI_STRINGS_KEYS && result == GP_OK; kernel++) {
        gpi_strings_prepare(call, s, kernel, s->keys_at, from);
        gpi_strings_arg_text(call, s);
        gpi_sort_arg_long(call, many);
        gpi_sort_arg_long(call, span);
        result = gpi_strings_launch(call, s, many);
    }
    if (result == GP_OK) result = gpi_strings_plan_ties(call->gp, s, many, state->groups, &s->set_at[from]);
    return result == GP_OK ? gpi_segments_launch(call, &s->ties, &unused) : result;
}

/* Writes the order of `many` sorted elements of set `from`, moves what is tied to the other set, and reads
   how much that is. */
static gp_result gpi_strings_find_ties(gpi_call *call, gpi_strings *s, size_t many, bool first, int from,
                                       gpi_strings_state *state)
{
    gp_result result;
    gpi_strings_prepare(call, s, GPI_STRINGS_TIES, s->keys_at, from);
    gpi_sort_arg_long(call, many);
    gpi_sort_arg_uint(call, first);
    gpi_sort_arg_long(call, gpi_strings_span(call->gp, s, many + 1));
    GPI_CALL_ARG(call, s->desc->out);
    gpi_sort_arg_long(call, s->desc->out_offset);
    gpi_sort_arg_uint(call, s->index_size / 4);
    result = gpi_strings_launch(call, s, many + 1);
    if (result == GP_OK) result = gpi_strings_plan_scan(call->gp, s, many);
    if (result != GP_OK) return result;
    gpi_scan_choose(call->gp, &s->scan, true);
    result = gpi_scan_launch(call, &s->scan);
    if (result != GP_OK) return result;
    gpi_strings_prepare(call, s, GPI_STRINGS_COMPACT, s->keys_at, from);
    gpi_sort_arg_long(call, many);
    gpi_sort_arg_uint(call, first);
    gpi_sort_arg_long(call, gpi_strings_span(call->gp, s, many));
    result = gpi_strings_launch(call, s, many);
    return result == GP_OK ? gpi_call_read(call, s->parts, 0, sizeof *state, state) : result;
}

/* Round after round. Each makes a tie's group smaller, or looks further ahead: there is an end. */
static gp_result gpi_strings_rounds(gpi_call *call, gpi_strings *s, gpi_strings_state *state)
{
    int from = 0;
    gp_result result = gpi_strings_sort_all(call, s);
    if (result == GP_OK) result = gpi_strings_find_ties(call, s, s->desc->count, true, from, state);
    while (result == GP_OK && state->tied > 0) {
        from = 1 - from;
        result = gpi_strings_sort_ties(call, s, state, from);
        if (result == GP_OK) result = gpi_strings_find_ties(call, s, state->tied, false, from, state);
    }
    return result;
}

static gp_result gpi_strings_verdict(gp_context *gp, const gpi_strings *s, const gpi_strings_state *state)
{
    if (state->bad == 0) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                    "%s: offsets: %u strings end before they begin or behind byte_count = %zu, the first one "
                    "is string %u",
                    s->function, state->bad, s->desc->byte_count, ~state->first_bad);
}

/* ------------------------------------------------------------------ API */

static void gpi_strings_init(gpi_strings *s, const char *function, const gp_sort_strings_desc *desc)
{
    memset(s, 0, sizeof *s);
    s->desc = desc;
    s->function = function;
}

GP_API gp_result gp_sort_strings(gp_context *gp, const gp_sort_strings_desc *desc)
{
    const char *function = "gp_sort_strings";
    gpi_strings strings;
    gpi_strings_state state = {0, 0, 0, 0};
    gpi_call call;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp or desc is NULL", function);
    gpi_strings_init(&strings, function, desc);
    result = gpi_strings_plan(gp, &strings);
    if (result == GP_OK && desc->count > 0) result = gpi_strings_check(gp, &strings);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK && desc->count > 0) {
        result = gpi_strings_open(&call, &strings);
        if (result == GP_OK) result = gpi_strings_rounds(&call, &strings, &state);
        if (result == GP_OK) result = gpi_strings_verdict(gp, &strings, &state);
        gpi_strings_close(&strings);
    }
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_sort_strings_scratch_size(gp_context *gp, const gp_sort_strings_desc *desc, size_t *bytes)
{
    const char *function = "gp_sort_strings_scratch_size";
    gpi_strings strings;
    gp_result result;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp, desc or bytes is NULL", function);
    }
    gpi_strings_init(&strings, function, desc);
    result = gpi_strings_plan(gp, &strings);
    *bytes = result == GP_OK ? strings.scratch : 0;
    return result;
}

/* Sorts a few strings of the context's own, with ties, after the sorts and the scan that this is made of. */
static gp_result gpi_sort_strings_warm_up(gp_context *gp, const gp_sort_strings_desc *desc)
{
    static const char text[] = "abcdefghijklabcdefghijklabcdefghijk";
    static const cl_uint offsets[] = {0, 12, 24, 35};
    gp_sort_strings_desc probe;
    gp_sort_desc all;
    gp_segmented_sort_desc ties;
    gp_scan_desc scan;
    gp_result result;
    (void)desc;
    memset(&probe, 0, sizeof probe);
    memset(&all, 0, sizeof all);
    memset(&ties, 0, sizeof ties);
    memset(&scan, 0, sizeof scan);
    all.key_type = ties.key_type = GP_U64;
    all.value_size = ties.value_size = 4;
    scan.type = GP_U64;
    scan.op = GP_SUM;
    probe.byte_count = sizeof text - 1;
    probe.offsets_type = GP_U32;
    probe.count = 3;
    result = gpi_sort_warm_up(gp, &all);
    if (result == GP_OK) result = gpi_segmented_sort_warm_up(gp, &ties);
    if (result == GP_OK) result = gpi_scan_warm_up(gp, &scan);
    if (result == GP_OK) result = gp_buffer_create(gp, sizeof text, text, &probe.bytes);
    if (result == GP_OK) result = gp_buffer_create(gp, sizeof offsets, offsets, &probe.offsets);
    if (result == GP_OK) result = gpi_alloc(gp, "gp_warmup", 3 * sizeof(cl_uint), &probe.out);
    if (result == GP_OK) result = gp_sort_strings(gp, &probe);
    if (probe.bytes) (void)clReleaseMemObject(probe.bytes);
    if (probe.offsets) (void)clReleaseMemObject(probe.offsets);
    if (probe.out) (void)clReleaseMemObject(probe.out);
    return result;
}
/* ---- End file src/sort_strings.c ---- */

/* ---- Begin file src/merge.c ---- */
/* merge.c - gp_merge: two sorted sequences into one, in one launch. */

enum { GPI_MERGE_TILES };

enum {
    GPI_MERGE_SERIAL_SPAN_MIN = 16384, /* elements of a group, when there are few */
    GPI_MERGE_RUNS = 8,                /* GPI_RUNS and GPI_STEP of merge.cl */
    GPI_MERGE_STEP = 16,
    GPI_MERGE_PAGE = 4096 /* bytes after which addresses meet in the same set of a first-level cache */
};

/* A checked call, ready to run. */
typedef struct gpi_merge {
    const gp_merge_desc *desc;
    const char *function;
    size_t key_size;
    gpi_plan plan;
    gpi_program *program;
    gpi_count a, b;
} gpi_merge;

enum {
    GPI_MERGE_A_KEYS,
    GPI_MERGE_B_KEYS,
    GPI_MERGE_A_VALUES,
    GPI_MERGE_B_VALUES,
    GPI_MERGE_A_COUNTER,
    GPI_MERGE_B_COUNTER,
    GPI_MERGE_KEYS_OUT, /* from here on written */
    GPI_MERGE_VALUES_OUT,
    GPI_MERGE_RANGES
};

static const char *const gpi_merge_names[GPI_MERGE_RANGES] = {
    "a_keys", "b_keys", "a_values", "b_values", "a_count_buffer", "b_count_buffer", "keys_out", "values_out"};

/* Everything but the buffers. */
static gp_result gpi_merge_plan(gp_context *gp, gpi_merge *merge)
{
    const gp_merge_desc *d = merge->desc;
    gp_result result = gpi_check_key_type(gp, merge->function, d->key_type);
    if (result == GP_OK) result = gpi_check_value_size(gp, merge->function, d->value_size);
    if (result != GP_OK) return result;
    if (!d->value_size && (d->a_values || d->b_values || d->values_out)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: there are values, and value_size is 0",
                        merge->function);
    }
    merge->key_size = gpi_type_size(d->key_type);
    merge->a.bound = d->a_count;
    merge->a.buffer = d->a_count_buffer;
    merge->a.offset = d->a_count_offset;
    merge->a.type = d->a_count_type;
    merge->b.bound = d->b_count;
    merge->b.buffer = d->b_count_buffer;
    merge->b.offset = d->b_count_offset;
    merge->b.type = d->b_count_type;
    result = gpi_plan_make_keys(gp, merge->function, GPI_MERGE, merge->key_size, &merge->plan);
    if (result != GP_OK) return result;
    return gpi_key_program(gp, merge->function, GPI_MERGE, d->key_type, d->value_size, "", &merge->plan,
                           &merge->program);
}

/* ------------------------------------------------------------------ buffers */

/* One of the six arrays; nothing of an empty one is looked at. */
static gp_result gpi_merge_check_array(gp_context *gp, const gpi_merge *merge, int name, cl_mem buffer,
                                       size_t offset, size_t count, size_t size, gpi_range *used)
{
    const int access = name < GPI_MERGE_KEYS_OUT ? GPI_READS : GPI_WRITES;
    if (count == 0 || size == 0) return GP_OK;
    return gpi_check_buffer(gp, merge->function, gpi_merge_names[name], buffer, offset, count, size, access,
                            &used[name]);
}

static gp_result gpi_merge_check(gp_context *gp, const gpi_merge *merge)
{
    const gp_merge_desc *d = merge->desc;
    const size_t k = merge->key_size, v = d->value_size, a = d->a_count, b = d->b_count;
    gpi_range used[GPI_MERGE_RANGES];
    gp_result r;
    memset(used, 0, sizeof used);
    r = gpi_merge_check_array(gp, merge, GPI_MERGE_A_KEYS, d->a_keys, d->a_keys_offset, a, k, used);
    if (r == GP_OK)
        r = gpi_merge_check_array(gp, merge, GPI_MERGE_B_KEYS, d->b_keys, d->b_keys_offset, b, k, used);
    if (r == GP_OK)
        r = gpi_merge_check_array(gp, merge, GPI_MERGE_A_VALUES, d->a_values, d->a_values_offset, a, v, used);
    if (r == GP_OK)
        r = gpi_merge_check_array(gp, merge, GPI_MERGE_B_VALUES, d->b_values, d->b_values_offset, b, v, used);
    if (r == GP_OK) /* both counts fit in memory: their sum does not overflow */
        r = gpi_merge_check_array(gp, merge, GPI_MERGE_KEYS_OUT, d->keys_out, d->keys_out_offset, a + b, k,
                                  used);
    if (r == GP_OK)
        r = gpi_merge_check_array(gp, merge, GPI_MERGE_VALUES_OUT, d->values_out, d->values_out_offset, a + b,
                                  v, used);
    if (r == GP_OK)
        r = gpi_check_count_named(gp, merge->function, "a_", &merge->a, &used[GPI_MERGE_A_COUNTER]);
    if (r == GP_OK)
        r = gpi_check_count_named(gp, merge->function, "b_", &merge->b, &used[GPI_MERGE_B_COUNTER]);
    if (r != GP_OK) return r;
    return gpi_check_apart(gp, merge->function, gpi_merge_names, used, GPI_MERGE_KEYS_OUT, GPI_MERGE_RANGES);
}

/* ------------------------------------------------------------------ launch */

/* An array, or, where it is empty, something that stands in and is not looked at. */
static void gpi_merge_arg_array(gpi_call *call, size_t count, cl_mem buffer, size_t offset, cl_mem instead)
{
    const cl_ulong at = count ? offset : 0;
    const cl_mem some = count ? buffer : instead;
    GPI_CALL_ARG(call, some);
    GPI_CALL_ARG(call, at);
}

/* Elements of a group. Serial: the runs of a tile are written side by side, and must not begin a multiple of
   GPI_MERGE_PAGE apart: the cache would have room for a few of them only. */
static size_t gpi_merge_span(const gp_context *gp, const gpi_merge *merge, size_t n)
{
    const size_t page = GPI_MERGE_PAGE / (GPI_MERGE_STEP * merge->key_size),
                 steps_of_runs = GPI_MERGE_STEP * GPI_MERGE_RUNS;
    size_t span, steps;
    if (merge->plan.shape == GP_SHAPE_LOCAL) return gpi_plan_tile(&merge->plan);
    span = gpi_serial_span(gp, &merge->plan, n, GPI_MERGE_SERIAL_SPAN_MIN);
    steps = span / steps_of_runs;
    return steps < page ? span : (steps / page * page + page / GPI_MERGE_RUNS) * steps_of_runs;
}

static gp_result gpi_merge_launch(gpi_call *call, const gpi_merge *merge)
{
    const gp_merge_desc *d = merge->desc;
    const size_t n = d->a_count + d->b_count;
    const cl_ulong span = gpi_merge_span(call->gp, merge, n);
    const cl_ulong flip = gpi_key_flip(d->key_type, d->descending);
    if (n == 0) return GP_OK;
    gpi_call_kernel(call, merge->program, GPI_MERGE_TILES);
    gpi_merge_arg_array(call, d->a_count, d->a_keys, d->a_keys_offset, d->b_keys);
    gpi_merge_arg_array(call, d->b_count, d->b_keys, d->b_keys_offset, d->a_keys);
    gpi_merge_arg_array(call, n, d->keys_out, d->keys_out_offset, NULL);
    GPI_CALL_ARG(call, flip);
    if (d->value_size) {
        gpi_merge_arg_array(call, d->a_count, d->a_values, d->a_values_offset, d->b_values);
        gpi_merge_arg_array(call, d->b_count, d->b_values, d->b_values_offset, d->a_values);
        gpi_merge_arg_array(call, n, d->values_out, d->values_out_offset, NULL);
    }
    gpi_call_arg_count(call, &merge->a);
    gpi_call_arg_count(call, &merge->b);
    GPI_CALL_ARG(call, span);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &merge->plan, gpi_ceil_div(n, (size_t)span));
}

/* ------------------------------------------------------------------ API */

static gp_result gpi_merge_call(gp_context *gp, const char *function, const gp_merge_desc *desc)
{
    gpi_merge merge;
    gpi_call call;
    gp_result result;
    memset(&merge, 0, sizeof merge);
    merge.desc = desc;
    merge.function = function;
    result = gpi_merge_plan(gp, &merge);
    if (result == GP_OK && (desc->a_count > 0 || desc->b_count > 0)) result = gpi_merge_check(gp, &merge);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_merge_launch(&call, &merge);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_merge(gp_context *gp, const gp_merge_desc *desc)
{
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_merge: gp or desc is NULL");
    return gpi_merge_call(gp, "gp_merge", desc);
}

/* Merges two zeros of the context's own. */
static gp_result gpi_merge_warm_up(gp_context *gp, const gp_merge_desc *desc)
{
    enum { LARGEST = 16 }; /* bytes of a key or a value */
    gp_merge_desc probe;
    cl_mem in = NULL, out = NULL;
    gp_result result;
    memset(&probe, 0, sizeof probe);
    probe.key_type = desc->key_type;
    probe.value_size = desc->value_size;
    probe.a_count = probe.b_count = 1;
    result = gpi_alloc_zeros(gp, LARGEST, &in);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, 4 * LARGEST, &out);
    probe.a_keys = probe.b_keys = in;
    probe.keys_out = out;
    if (probe.value_size) {
        probe.a_values = probe.b_values = in;
        probe.values_out = out;
        probe.values_out_offset = 2 * LARGEST / probe.value_size;
    }
    if (result == GP_OK) result = gpi_merge_call(gp, "gp_warmup", &probe);
    if (in) (void)clReleaseMemObject(in);
    if (out) (void)clReleaseMemObject(out);
    return result;
}
/* ---- End file src/merge.c ---- */

/* ---- Begin file src/search.c ---- */
/* search.c - gp_search: lower or upper bounds of many needles, in one launch. */

enum { GPI_SEARCH_NEEDLES };

enum {
    GPI_SEARCH_SERIAL_SPAN_MIN = 1024, /* needles of a group, when there are few */
    GPI_SEARCH_SERIAL_SAMPLES = 1024,  /* most samples of a group */
    GPI_SEARCH_PER_SAMPLE = 8 /* needles that pay for reading a sample, where one item reads them all */
};

/* A checked call, ready to run. */
typedef struct gpi_search {
    const gp_search_desc *desc;
    const char *function;
    size_t key_size, out_size;
    gpi_plan plan;
    gpi_program *program;
    gpi_count keys, needles;
} gpi_search;

enum {
    GPI_SEARCH_KEYS,
    GPI_SEARCH_NEEDLES_IN,
    GPI_SEARCH_COUNTER,
    GPI_SEARCH_NEEDLE_COUNTER,
    GPI_SEARCH_OUT, /* written */
    GPI_SEARCH_RANGES
};

static const char *const gpi_search_names[GPI_SEARCH_RANGES] = {"keys", "needles", "count_buffer",
                                                                "needle_count_buffer", "out"};

static gp_result gpi_search_check_types(gp_context *gp, gpi_search *search)
{
    const gp_search_desc *d = search->desc;
    const gp_type out = d->out_type ? d->out_type : GP_U64;
    const gp_result result = gpi_check_key_type(gp, search->function, d->key_type);
    if (result != GP_OK) return result;
    if (out != GP_U32 && out != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: out_type = %d, must be GP_U32 or GP_U64",
                        search->function, (int)out);
    }
    if (out == GP_U32 && d->count > UINT32_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: count = %zu does not fit positions of GP_U32",
                        search->function, d->count);
    }
    search->key_size = gpi_type_size(d->key_type);
    search->out_size = gpi_type_size(out);
    return GP_OK;
}

/* Most samples that a group keeps: in the local shape as many as a tile's elements, for which local memory
   was fitted. */
static cl_uint gpi_search_samples(const gpi_plan *plan)
{
    return plan->shape == GP_SHAPE_LOCAL ? (cl_uint)gpi_plan_tile(plan) : (cl_uint)GPI_SEARCH_SERIAL_SAMPLES;
}

/* Everything but the buffers. */
static gp_result gpi_search_plan(gp_context *gp, gpi_search *search)
{
    const gp_search_desc *d = search->desc;
    gp_result result = gpi_search_check_types(gp, search);
    if (result != GP_OK) return result;
    search->keys.bound = d->count;
    search->keys.buffer = d->count_buffer;
    search->keys.offset = d->count_offset;
    search->keys.type = d->count_type;
    search->needles.bound = d->needle_count;
    search->needles.buffer = d->needle_count_buffer;
    search->needles.offset = d->needle_count_offset;
    search->needles.type = d->needle_count_type;
    result = gpi_plan_make_keys(gp, search->function, GPI_SEARCH, search->key_size, &search->plan);
    if (result != GP_OK) return result;
    return gpi_key_program(gp, search->function, GPI_SEARCH, d->key_type, search->out_size, "", &search->plan,
                           &search->program);
}

static gp_result gpi_search_check(gp_context *gp, const gpi_search *search)
{
    const gp_search_desc *d = search->desc;
    const char *const *names = gpi_search_names;
    const char *f = search->function;
    gpi_range used[GPI_SEARCH_RANGES];
    gp_result r = GP_OK;
    memset(used, 0, sizeof used);
    if (d->count > 0)
        r = gpi_check_buffer(gp, f, names[GPI_SEARCH_KEYS], d->keys, d->keys_offset, d->count,
                             search->key_size, GPI_READS, &used[GPI_SEARCH_KEYS]);
    if (r == GP_OK)
        r = gpi_check_buffer(gp, f, names[GPI_SEARCH_NEEDLES_IN], d->needles, d->needles_offset,
                             d->needle_count, search->key_size, GPI_READS, &used[GPI_SEARCH_NEEDLES_IN]);
    if (r == GP_OK)
        r = gpi_check_buffer(gp, f, names[GPI_SEARCH_OUT], d->out, d->out_offset, d->needle_count,
                             search->out_size, GPI_WRITES, &used[GPI_SEARCH_OUT]);
    if (r == GP_OK) r = gpi_check_count(gp, f, &search->keys, &used[GPI_SEARCH_COUNTER]);
    if (r == GP_OK)
        r = gpi_check_count_named(gp, f, "needle_", &search->needles, &used[GPI_SEARCH_NEEDLE_COUNTER]);
    return r == GP_OK ? gpi_check_apart(gp, f, names, used, GPI_SEARCH_OUT, GPI_SEARCH_RANGES) : r;
}

/* A serial group with few needles keeps few samples; a local one reads them all at once. */
static cl_uint gpi_search_wanted(const gpi_search *search, size_t span)
{
    const cl_uint most = gpi_search_samples(&search->plan);
    const size_t paid = span / GPI_SEARCH_PER_SAMPLE;
    if (search->plan.shape == GP_SHAPE_LOCAL || paid >= most) return most;
    return paid ? (cl_uint)paid : 1;
}

static gp_result gpi_search_launch(gpi_call *call, const gpi_search *search)
{
    const gp_search_desc *d = search->desc;
    const bool serial = search->plan.shape == GP_SHAPE_SERIAL;
    const size_t n = d->needle_count;
    const cl_ulong span = serial ? gpi_serial_span(call->gp, &search->plan, n, GPI_SEARCH_SERIAL_SPAN_MIN)
                                 : gpi_plan_tile(&search->plan);
    const cl_ulong keys_at = d->count ? d->keys_offset : 0, needles_at = d->needles_offset;
    const cl_ulong out_at = d->out_offset, flip = gpi_key_flip(d->key_type, d->descending);
    const cl_mem keys = d->count ? d->keys : d->needles; /* of no keys, none is looked at */
    const cl_uint upper = d->upper;
    const cl_uint samples = gpi_search_wanted(search, n < span ? n : (size_t)span);
    if (n == 0) return GP_OK;
    gpi_call_kernel(call, search->program, GPI_SEARCH_NEEDLES);
    GPI_CALL_ARG(call, keys);
    GPI_CALL_ARG(call, keys_at);
    GPI_CALL_ARG(call, d->needles);
    GPI_CALL_ARG(call, needles_at);
    GPI_CALL_ARG(call, d->out);
    GPI_CALL_ARG(call, out_at);
    GPI_CALL_ARG(call, flip);
    GPI_CALL_ARG(call, upper);
    GPI_CALL_ARG(call, samples);
    GPI_CALL_ARG(call, span);
    gpi_call_arg_count(call, &search->keys);
    gpi_call_arg_count(call, &search->needles);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &search->plan, gpi_ceil_div(n, (size_t)span));
}

/* ------------------------------------------------------------------ API */

static gp_result gpi_search_call(gp_context *gp, const char *function, const gp_search_desc *desc)
{
    gpi_search search;
    gpi_call call;
    gp_result result;
    memset(&search, 0, sizeof search);
    search.desc = desc;
    search.function = function;
    result = gpi_search_plan(gp, &search);
    if (result == GP_OK && desc->needle_count > 0) result = gpi_search_check(gp, &search);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_search_launch(&call, &search);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_search(gp_context *gp, const gp_search_desc *desc)
{
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_search: gp or desc is NULL");
    return gpi_search_call(gp, "gp_search", desc);
}

/* Searches zeros of the context's own for a zero. */
static gp_result gpi_search_warm_up(gp_context *gp, const gp_search_desc *desc)
{
    gp_search_desc probe;
    gp_result result;
    memset(&probe, 0, sizeof probe);
    probe.key_type = desc->key_type;
    probe.out_type = desc->out_type;
    probe.count = probe.needle_count = 1;
    result = gpi_alloc_zeros(gp, sizeof(cl_ulong), &probe.keys);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, sizeof(cl_ulong), &probe.out);
    probe.needles = probe.keys;
    if (result == GP_OK) result = gpi_search_call(gp, "gp_warmup", &probe);
    if (probe.keys) (void)clReleaseMemObject(probe.keys);
    if (probe.out) (void)clReleaseMemObject(probe.out);
    return result;
}
/* ---- End file src/search.c ---- */

/* ---- Begin file src/topk.c ---- */
/* topk.c - gp_topk: a threshold from a sample, one reading that filters, and a sort of what is left. */

enum { GPI_TOPK_SAMPLE, GPI_TOPK_FILTER, GPI_TOPK_HISTOGRAM, GPI_TOPK_GATHER, GPI_TOPK_TAKE };

/* The state, as topk.cl lays it out: in ulongs. */
enum { GPI_TOPK_FOUND_AT = 2, GPI_TOPK_BINS_AT = 48, GPI_TOPK_BLOCK_TILES = 128 };

enum {
    GPI_TOPK_SAMPLES = 8192, /* keys that the threshold is taken from, at most */
    GPI_TOPK_SAMPLE_EACH = 8,
    GPI_TOPK_SPAN_SERIAL = 16384, /* keys of a tile: GPI_SPAN_MAX */
    GPI_TOPK_GROUPS_MAX = 1024,   /* of a histogram */
    GPI_TOPK_SHARE_MAX = 8,       /* beyond 1/8 of the keys all are sorted */
    GPI_TOPK_TAKE_EACH = 16       /* elements of an item */
};

/* Keys that may be kept: cursors are 32-bit words. */
#define GPI_TOPK_ROOM_MAX ((size_t)1 << 30)

/* A checked call, ready to run. */
typedef struct gpi_topk {
    const gp_topk_desc *desc;
    const char *function;
    size_t index_size;
    gpi_count count;
    bool whole;        /* all keys are sorted */
    gp_sort_desc left; /* the sort of what is left, or of all keys */
    gpi_sort sort;     /* its scratch begins ours: sort.at.end is where all ends */
    gpi_program *program;
    gpi_plan plan;
    size_t span, tiles, blocks; /* keys of a tile; tiles; blocks of tiles */
    size_t room;                /* keys that may be left */
    size_t samples;
    size_t state, directory, sample, kept_key, kept_index, found_key, found_index; /* parts, in bytes */
} gpi_topk;

/* ------------------------------------------------------------------ checks, plan */

static gp_result gpi_topk_check_desc(gp_context *gp, gpi_topk *topk)
{
    const gp_topk_desc *d = topk->desc;
    if (d->index_type && d->index_type != GP_U32 && d->index_type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: index_type = %d, must be GP_U32 or GP_U64",
                        topk->function, (int)d->index_type);
    }
    topk->index_size = d->index_type == GP_U64 ? 8 : 4;
    if (topk->index_size == 4 && d->count > UINT32_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: count = %zu does not fit indices of 4 bytes",
                        topk->function, d->count);
    }
    if (d->k > d->count) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: k = %zu of count = %zu keys", topk->function,
                        d->k, d->count);
    }
    return GP_OK;
}

/* The sort of `count` keys in the scratch; 0: of all keys, which leaves indices. Buffers are named later. */
static gp_result gpi_topk_plan_sort(gp_context *gp, gpi_topk *topk, size_t count)
{
    const gp_topk_desc *d = topk->desc;
    gp_sort_desc *left = &topk->left;
    memset(left, 0, sizeof *left);
    left->key_type = d->key_type;
    left->value_size = topk->index_size;
    left->descending = !d->smallest;
    left->strategy = d->strategy;
    left->count = count ? count : d->count;
    if (!count) {
        left->count_buffer = d->count_buffer;
        left->count_offset = d->count_offset;
        left->count_type = d->count_type;
        left->values_out = gp->counters; /* stands in for the scratch */
    }
    gpi_sort_init(&topk->sort, topk->function, left, count == 0);
    return gpi_sort_plan(gp, &topk->sort);
}

static float gpi_root(float x)
{
    float root = x > 1 ? x : 1;
    int i;
    for (i = 0; i < 40; i++) root = (root + x / root) / 2;
    return root;
}

/* One key in eight of few keys. */
static size_t gpi_topk_samples(size_t count)
{
    const size_t samples = gpi_ceil_div(count, GPI_TOPK_SAMPLE_EACH);
    return samples < (size_t)GPI_TOPK_SAMPLES ? samples : (size_t)GPI_TOPK_SAMPLES;
}

/* How many keys may be below the threshold: gpi_sample_rank of topk.cl, and what a sample's rank strays by.
 */
static size_t gpi_topk_room(const gpi_topk *topk)
{
    const size_t n = topk->desc->count, k = topk->desc->k;
    const float x = (float)(k - 1) * ((float)topk->samples / (float)n);
    const float rank = 1 + x + 4 * gpi_root(x) + 0.75f;
    const double room = ((double)rank + 4 * (double)gpi_root(rank) + 6) * ((double)n / (double)topk->samples);
    const size_t most = room < (double)n ? (size_t)room + 1 : n;
    return most > k ? most : k;
}

static void gpi_topk_lay_out(gpi_topk *topk)
{
    const size_t key_size = topk->sort.key_size, index_size = topk->index_size;
    if (topk->whole) {
        topk->found_index = gpi_sort_part(&topk->sort, topk->desc->count * index_size);
        topk->found_key = topk->sort.at.key_out;
        return;
    }
    topk->state = gpi_sort_part(
        &topk->sort, (GPI_TOPK_BINS_AT + key_size * GPI_SORT_BINS + 2 * topk->blocks) * sizeof(cl_ulong));
    topk->directory = gpi_sort_part(&topk->sort, topk->tiles * 16);
    topk->sample = gpi_sort_part(&topk->sort, topk->samples * key_size);
    topk->kept_key = gpi_sort_part(&topk->sort, topk->room * key_size);
    topk->kept_index = gpi_sort_part(&topk->sort, topk->room * index_size);
    topk->found_key = gpi_sort_part(&topk->sort, topk->room * key_size);
    topk->found_index = gpi_sort_part(&topk->sort, topk->room * index_size);
}

/* Tiles, and groups of at most GPI_TOPK_BLOCK_TILES of them, for the shape at hand. */
static gp_result gpi_topk_tiles(gp_context *gp, gpi_topk *topk)
{
    const size_t n = topk->desc->count;
    const size_t most =
        topk->plan.items < (size_t)GPI_TOPK_SPAN_SERIAL ? topk->plan.items : (size_t)GPI_TOPK_SPAN_SERIAL;
    topk->span = topk->plan.shape == GP_SHAPE_SERIAL ? most : gpi_plan_tile(&topk->plan);
    topk->tiles = gpi_ceil_div(n, topk->span);
    topk->blocks = gpi_ceil_div(topk->tiles, GPI_TOPK_BLOCK_TILES);
    if (topk->tiles <= GPI_TILES_MAX) return GP_OK;
    return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: count = %zu is %zu tiles of %zu keys, more than %u",
                    topk->function, n, topk->tiles, topk->span, GPI_TILES_MAX);
}

/* Everything but the buffers. */
static gp_result gpi_topk_plan(gp_context *gp, gpi_topk *topk)
{
    const gp_topk_desc *d = topk->desc;
    gp_result result = gpi_check_key_type(gp, topk->function, d->key_type);
    if (result == GP_OK) result = gpi_topk_check_desc(gp, topk);
    if (result == GP_OK) result = gpi_topk_plan_sort(gp, topk, 0);
    if (result != GP_OK) return result;
    topk->plan = topk->sort.plan;
    result = gpi_key_program(gp, topk->function, GPI_TOPK, d->key_type, topk->index_size, "", &topk->plan,
                             &topk->program);
    if (result != GP_OK || d->k == 0) return result;
    topk->samples = gpi_topk_samples(d->count);
    topk->room = gpi_topk_room(topk);
    topk->whole = topk->sort.small || d->k > d->count / GPI_TOPK_SHARE_MAX || topk->room > GPI_TOPK_ROOM_MAX;
    if (!topk->whole) result = gpi_topk_plan_sort(gp, topk, topk->room);
    if (result == GP_OK && !topk->whole) result = gpi_topk_tiles(gp, topk);
    if (result == GP_OK) gpi_topk_lay_out(topk);
    return result;
}

/* ------------------------------------------------------------------ buffers */

enum { GPI_TOPK_KEYS, GPI_TOPK_COUNTER, GPI_TOPK_KEYS_OUT, GPI_TOPK_INDICES_OUT, GPI_TOPK_RANGES };

static const char *const gpi_topk_names[GPI_TOPK_RANGES] = {"keys", "count_buffer", "keys_out",
                                                            "indices_out"};

static gp_result gpi_topk_check(gp_context *gp, const gpi_topk *topk)
{
    const gp_topk_desc *d = topk->desc;
    const char *f = topk->function;
    const size_t size = topk->sort.key_size;
    gpi_range used[GPI_TOPK_RANGES];
    gp_result r;
    memset(used, 0, sizeof used);
    if (!d->keys_out && !d->indices_out) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER,
                        "%s: keys_out and indices_out are NULL: nothing is wanted", f);
    }
    r = gpi_check_buffer(gp, f, "keys", d->keys, d->keys_offset, d->count, size, GPI_READS,
                         &used[GPI_TOPK_KEYS]);
    if (r == GP_OK && d->keys_out)
        r = gpi_check_buffer(gp, f, "keys_out", d->keys_out, d->keys_out_offset, d->k, size, GPI_WRITES,
                             &used[GPI_TOPK_KEYS_OUT]);
    if (r == GP_OK && d->indices_out)
        r = gpi_check_buffer(gp, f, "indices_out", d->indices_out, d->indices_out_offset, d->k,
                             topk->index_size, GPI_WRITES, &used[GPI_TOPK_INDICES_OUT]);
    if (r == GP_OK) r = gpi_check_count(gp, f, &topk->count, &used[GPI_TOPK_COUNTER]);
    if (r == GP_OK) r = gpi_check_apart(gp, f, gpi_topk_names, used, GPI_TOPK_KEYS_OUT, GPI_TOPK_RANGES);
    if (r != GP_OK) return r;
    return gpi_check_scratch(gp, f, d->scratch, topk->sort.at.end, used, GPI_TOPK_RANGES);
}

/* ------------------------------------------------------------------ launches */

static void gpi_topk_arg_array(gpi_call *call, cl_mem buffer, size_t bytes, size_t size)
{
    GPI_CALL_ARG(call, buffer);
    gpi_sort_arg_long(call, bytes / size);
}

/* Every kernel's first arguments: the keys, and GPI_TOPK_PARAMETERS. */
static void gpi_topk_arg_common(gpi_call *call, const gpi_topk *topk, cl_mem scratch)
{
    const gp_topk_desc *d = topk->desc;
    gpi_topk_arg_array(call, d->keys, d->keys_offset, 1);
    gpi_topk_arg_array(call, scratch, topk->state, sizeof(cl_ulong));
    gpi_sort_arg_long(call, topk->room);
    gpi_sort_arg_uint(call, topk->blocks);
    GPI_CALL_ARG(call, topk->sort.flip);
}

static gp_result gpi_topk_sample(gpi_call *call, const gpi_topk *topk, cl_mem scratch)
{
    gpi_call_kernel(call, topk->program, GPI_TOPK_SAMPLE);
    gpi_topk_arg_common(call, topk, scratch);
    gpi_sort_arg_long(call, topk->desc->k);
    gpi_sort_arg_uint(call, GPI_TOPK_BINS_AT + topk->sort.key_size * GPI_SORT_BINS + 2 * topk->blocks);
    gpi_topk_arg_array(call, scratch, topk->sample, topk->sort.key_size);
    gpi_sort_arg_uint(call, topk->samples);
    gpi_call_arg_count(call, &topk->count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &topk->plan, 1);
}

static gp_result gpi_topk_filter(gpi_call *call, const gpi_topk *topk, cl_mem scratch, cl_uint round)
{
    gpi_call_kernel(call, topk->program, GPI_TOPK_FILTER);
    gpi_topk_arg_common(call, topk, scratch);
    GPI_CALL_ARG(call, round);
    gpi_sort_arg_uint(call, topk->span);
    gpi_topk_arg_array(call, scratch, topk->directory, 16);
    gpi_topk_arg_array(call, scratch, topk->kept_key, topk->sort.key_size);
    gpi_topk_arg_array(call, scratch, topk->kept_index, topk->index_size);
    return gpi_call_launch(call, &topk->plan, topk->tiles);
}

/* Does nothing unless the sample has misled: then a selection by digits, and the filter again. */
static gp_result gpi_topk_redo(gpi_call *call, const gpi_topk *topk, cl_mem scratch)
{
    const size_t groups =
        topk->tiles < (size_t)GPI_TOPK_GROUPS_MAX ? topk->tiles : (size_t)GPI_TOPK_GROUPS_MAX;
    const size_t span = gpi_ceil_div(topk->tiles, groups) * topk->span;
    gp_result result = GP_OK;
    cl_uint level;
    for (level = 0; level < topk->sort.key_size && result == GP_OK; level++) {
        gpi_call_kernel(call, topk->program, GPI_TOPK_HISTOGRAM);
        gpi_topk_arg_common(call, topk, scratch);
        GPI_CALL_ARG(call, level);
        gpi_sort_arg_long(call, span);
        GPI_CALL_ARG(call, call->gp->counters);
        result = gpi_call_launch(call, &topk->plan, groups);
    }
    return result == GP_OK ? gpi_topk_filter(call, topk, scratch, 1) : result;
}

static gp_result gpi_topk_gather(gpi_call *call, const gpi_topk *topk, cl_mem scratch)
{
    const size_t key_size = topk->sort.key_size, index_size = topk->index_size;
    gpi_call_kernel(call, topk->program, GPI_TOPK_GATHER);
    gpi_topk_arg_common(call, topk, scratch);
    gpi_sort_arg_uint(call, topk->span);
    gpi_topk_arg_array(call, scratch, topk->directory, 16);
    gpi_topk_arg_array(call, scratch, topk->kept_key, key_size);
    gpi_topk_arg_array(call, scratch, topk->kept_index, index_size);
    gpi_topk_arg_array(call, scratch, topk->found_key, key_size);
    gpi_topk_arg_array(call, scratch, topk->found_index, index_size);
    return gpi_call_launch(call, &topk->plan, topk->tiles);
}

/* The sort that has been planned, now that the scratch is known. */
static gp_result gpi_topk_sort(gpi_call *call, gpi_topk *topk, cl_mem scratch)
{
    gp_sort_desc *left = &topk->left;
    left->scratch = scratch;
    if (topk->whole) {
        left->keys = topk->desc->keys;
        left->keys_offset = topk->desc->keys_offset;
        left->values_out = scratch;
        left->values_out_offset = topk->found_index / topk->index_size;
        return gpi_sort_launch(call, &topk->sort);
    }
    left->keys = left->values = scratch;
    left->keys_offset = topk->found_key / topk->sort.key_size;
    left->values_offset = topk->found_index / topk->index_size;
    topk->sort.count.buffer = scratch;
    topk->sort.count.offset = topk->state / sizeof(cl_ulong) + GPI_TOPK_FOUND_AT;
    topk->sort.count.type = GP_U64;
    return gpi_sort_launch(call, &topk->sort);
}

static gp_result gpi_topk_take(gpi_call *call, const gpi_topk *topk, cl_mem scratch)
{
    const gp_topk_desc *d = topk->desc;
    const size_t groups = gpi_ceil_div(d->k, (size_t)topk->plan.group * GPI_TOPK_TAKE_EACH);
    const cl_uint wants = (d->keys_out ? 1 : 0) | (d->indices_out ? 2 : 0);
    gpi_call_kernel(call, topk->program, GPI_TOPK_TAKE);
    gpi_topk_arg_array(call, scratch, topk->found_key, topk->sort.key_size);
    gpi_topk_arg_array(call, scratch, topk->found_index, topk->index_size);
    gpi_topk_arg_array(call, d->keys_out ? d->keys_out : d->indices_out, d->keys_out_offset, 1);
    gpi_topk_arg_array(call, d->indices_out ? d->indices_out : d->keys_out, d->indices_out_offset, 1);
    GPI_CALL_ARG(call, wants);
    gpi_sort_arg_long(call, d->k);
    gpi_call_arg_count(call, &topk->count);
    return gpi_call_launch(call, &topk->plan,
                           groups < (size_t)GPI_TOPK_GROUPS_MAX ? groups : (size_t)GPI_TOPK_GROUPS_MAX);
}

static gp_result gpi_topk_launch(gpi_call *call, gpi_topk *topk)
{
    cl_mem scratch = NULL;
    gp_result result;
    if (topk->desc->k == 0) return GP_OK;
    result = gpi_call_scratch(call, topk->desc->scratch, topk->sort.at.end, &scratch);
    if (!topk->whole) {
        if (result == GP_OK) result = gpi_topk_sample(call, topk, scratch);
        if (result == GP_OK) result = gpi_topk_filter(call, topk, scratch, 0);
        if (result == GP_OK) result = gpi_topk_redo(call, topk, scratch);
        if (result == GP_OK) result = gpi_topk_gather(call, topk, scratch);
    }
    if (result == GP_OK) result = gpi_topk_sort(call, topk, scratch);
    return result == GP_OK ? gpi_topk_take(call, topk, scratch) : result;
}

/* ------------------------------------------------------------------ API */

static void gpi_topk_init(gpi_topk *topk, const char *function, const gp_topk_desc *desc)
{
    memset(topk, 0, sizeof *topk);
    topk->desc = desc;
    topk->function = function;
    topk->count.bound = desc->count;
    topk->count.buffer = desc->count_buffer;
    topk->count.offset = desc->count_offset;
    topk->count.type = desc->count_type;
}

GP_API gp_result gp_topk(gp_context *gp, const gp_topk_desc *desc)
{
    gpi_topk topk;
    gpi_call call;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_topk: gp or desc is NULL");
    gpi_topk_init(&topk, "gp_topk", desc);
    result = gpi_topk_plan(gp, &topk);
    if (result == GP_OK && desc->k > 0) result = gpi_topk_check(gp, &topk);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, "gp_topk", desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_topk_launch(&call, &topk);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_topk_scratch_size(gp_context *gp, const gp_topk_desc *desc, size_t *bytes)
{
    gpi_topk topk;
    gp_result result;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_topk_scratch_size: gp, desc or bytes is NULL");
    }
    gpi_topk_init(&topk, "gp_topk_scratch_size", desc);
    result = gpi_topk_plan(gp, &topk);
    *bytes = result == GP_OK && desc->k > 0 ? topk.sort.at.end : 0;
    return result;
}

/* The sort of what is left, few or many; then the first of zeros, enough of them that not all are sorted. */
static gp_result gpi_topk_warm_up(gp_context *gp, const gp_topk_desc *desc)
{
    gp_topk_desc probe;
    gp_sort_desc left;
    gp_result result;
    memset(&left, 0, sizeof left);
    left.key_type = desc->key_type;
    left.value_size = desc->index_type == GP_U64 ? 8 : 4;
    left.strategy = desc->strategy;
    result = gpi_sort_warm_up(gp, &left);
    if (result != GP_OK) return result;
    memset(&probe, 0, sizeof probe);
    probe.key_type = desc->key_type;
    probe.index_type = desc->index_type;
    probe.strategy = desc->strategy;
    probe.k = 1;
    probe.count = 65536; /* more than one group sorts in any shape */
    result = gpi_alloc_zeros(gp, probe.count * gpi_type_size(desc->key_type), &probe.keys);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, 8, &probe.indices_out);
    if (result == GP_OK) result = gp_topk(gp, &probe);
    if (probe.keys) (void)clReleaseMemObject(probe.keys);
    if (probe.indices_out) (void)clReleaseMemObject(probe.indices_out);
    return result;
}
/* ---- End file src/topk.c ---- */

/* ---- Begin file src/hash_table.c ---- */
/* hash_table.c - hash tables as objects: handles, memory, programs; create, share, clear, destroy. */

enum {
    GPI_HASH_CLEAR,
    GPI_HASH_PUT,
    GPI_HASH_FIND,
    GPI_HASH_ERASE,
    GPI_HASH_MOVE,
    GPI_HASH_COLLECT,
    GPI_HASH_MEASURE,
    GPI_HASH_COMBINE
};

enum {
    GPI_HASH_HEADER_BYTES = 256, /* GPI_HEADER of hash.cl */
    GPI_HASH_COUNTS_AT = 64,     /* GPI_HEADER_COUNTS, in bytes */
    GPI_HASH_CLAIMED = 0,        /* GPI_COUNT_... */
    GPI_HASH_LOST = 8,
    GPI_HASH_COUNTS = 9,
    GPI_HASH_LIMITED_STEPS = 24000, /* where loops are limited: of a probe, */
    GPI_HASH_LIMITED_TURNS = 30000  /* ... and exchanges and steps of a put */
};

#define GPI_HASH_CAPACITY_MAX ((uint64_t)1 << 31)
#define GPI_HASH_SERIAL_SLOTS ((size_t)65536) /* of a group that goes over a table */

/* ------------------------------------------------------------------ handles */

/* The handle's table, or NULL with an error. */
static gpi_table *gpi_hash_of(gp_context *gp, const char *function, gp_hash handle)
{
    const uint32_t place = (uint32_t)handle.id;
    if (!gp) {
        (void)gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "%s: gp is NULL", function);
        return NULL;
    }
    if (place == 0 || place > gp->handle_count || !gp->handles[place - 1].table ||
        gp->handles[place - 1].generation != (uint32_t)(handle.id >> 32)) {
        (void)gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                       "%s: table = %llx is no table of this context, or was destroyed", function,
                       (unsigned long long)handle.id);
        return NULL;
    }
    return gp->handles[place - 1].table;
}

/* A handle for the table, which it counts as a reference. */
static gp_result gpi_hash_handle_make(gp_context *gp, const char *function, gpi_table *table, gp_hash *out)
{
    uint32_t i = 0;
    while (i < gp->handle_count && gp->handles[i].table) i++;
    if (i == gp->handle_count) {
        gpi_handle *grown = (gpi_handle *)realloc(gp->handles, (i + 1) * sizeof *grown);
        if (!grown) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for a handle", function);
        gp->handles = grown;
        gp->handle_count = i + 1;
    }
    /* Contexts start at different generations, so that a handle of another one is most likely none here. */
    if (gp->generation == 0) gp->generation = (uint32_t)gpi_hash(GPI_HASH_SEED, &gp, sizeof gp) | 1;
    gp->handles[i].table = table;
    gp->handles[i].generation = gp->generation++;
    table->references++;
    out->id = (uint64_t)gp->handles[i].generation << 32 | (i + 1);
    return GP_OK;
}

static void gpi_hash_release(gpi_table *table)
{
    if (table->references > 0 && --table->references > 0) return;
    if (table->buffer) (void)clReleaseMemObject(table->buffer);
    free(table);
}

static void gpi_hash_free_all(gp_context *gp)
{
    uint32_t i;
    for (i = 0; i < gp->handle_count; i++) {
        if (gp->handles[i].table) gpi_hash_release(gp->handles[i].table);
    }
    free(gp->handles);
}

/* ------------------------------------------------------------------ programs */

/* Also for gp_device_source. */
static char *gpi_hash_prelude(const gp_context *gp, const gpi_table *table, const gpi_plan *plan,
                              const char *more)
{
    const bool split_wide = table->wide && !table->packed;
    gpi_text text;
    memset(&text, 0, sizeof text);
    gpi_text_add(&text, "#define GPI_SHAPE_SERIAL %d\n#define GPI_WG %u\n", plan->shape == GP_SHAPE_SERIAL,
                 plan->group);
    gpi_text_add(&text, "#define GPI_WIDE %d\n#define GPI_INT64_EXTENDED %d\n#define GPI_FP64 %d\n",
                 table->wide, gp->info.int64_extended_atomics, split_wide && gp->info.fp64);
    gpi_text_add(&text, "#define GPI_HASH_PACKED %d\n%s", table->packed, more);
    if (!text.failed) return text.data;
    free(text.data);
    return NULL;
}

/* A compiler may grant its kernels smaller groups than the plan wants: then it is made again with those. */
static gp_result gpi_hash_program(gp_context *gp, const char *function, gpi_primitive primitive,
                                  const gpi_table *table, const char *more, gpi_plan *plan,
                                  gpi_program **program)
{
    gp_result result = gpi_plan_make_hash(gp, function, GP_STRATEGY_AUTO, plan);
    while (result == GP_OK) {
        result = gpi_program_get_text(gp, function, primitive, gpi_hash_prelude(gp, table, plan, more), 0,
                                      program);
        if (result != GP_OK || plan->group == 1 || plan->group <= (*program)->group_max) break;
        plan->group /= 2;
    }
    return result;
}

/* ------------------------------------------------------------------ launches over all slots */

static size_t gpi_hash_slots(const gpi_table *table) { return (size_t)table->mask + 2; }

/* Slots of a group: few an item where loops are limited, because each may mean a probe. */
static size_t gpi_hash_slot_span(const gp_context *gp, const gpi_plan *plan)
{
    if (plan->shape == GP_SHAPE_SERIAL) return GPI_HASH_SERIAL_SLOTS;
    return (size_t)plan->group * (gp->info.loop_limit ? 1 : 16);
}

static gp_result gpi_hash_launch_slots(gpi_call *call, const gpi_table *table, const gpi_plan *plan)
{
    const size_t span = gpi_hash_slot_span(call->gp, plan);
    gpi_sort_arg_long(call, span);
    return gpi_call_launch(call, plan, gpi_ceil_div(gpi_hash_slots(table), span));
}

/* Writes the header and empties the slots; `from`, when not NULL, is the table whose counts go on. */
static gp_result gpi_hash_clear_slots(gpi_call *call, const gpi_table *table, const gpi_table *from)
{
    const bool limited = call->gp->info.loop_limit != 0;
    const cl_ulong seed = table->seed, reserved = table->reserved;
    const cl_mem counted = from ? from->buffer : table->buffer;
    const size_t capacity = (size_t)table->mask + 1;
    const size_t most = limited ? (size_t)GPI_HASH_LIMITED_STEPS : capacity;
    const size_t turns = limited ? (size_t)GPI_HASH_LIMITED_TURNS : UINT32_MAX;
    gpi_plan plan;
    gpi_program *program;
    const gp_result result = gpi_hash_program(call->gp, call->function, GPI_HASH, table, "", &plan, &program);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, program, GPI_HASH_CLEAR);
    GPI_CALL_ARG(call, table->buffer);
    GPI_CALL_ARG(call, counted);
    gpi_sort_arg_uint(call, from != NULL);
    GPI_CALL_ARG(call, table->mask);
    gpi_sort_arg_uint(call, most < capacity ? most : capacity);
    gpi_sort_arg_uint(call, turns);
    GPI_CALL_ARG(call, seed);
    GPI_CALL_ARG(call, reserved);
    return gpi_hash_launch_slots(call, table, &plan);
}

/* ------------------------------------------------------------------ create */

static gp_result gpi_hash_check_sizes(gp_context *gp, const char *function, const gp_hash_desc *desc)
{
    const size_t k = desc->key_size, v = desc->value_size;
    if (k != 4 && k != 8)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: key_size = %zu, must be 4 or 8", function, k);
    if (v != 0 && v != 4 && v != 8)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: value_size = %zu, must be 0, 4 or 8", function,
                        v);
    if ((k == 8 || v == 8) && !gp->info.int64_base_atomics) {
        return gpi_fail(gp, GP_ERROR_UNSUPPORTED,
                        "%s: key_size = %zu, value_size = %zu: 64 bits need 64-bit atomics: %s", function, k,
                        v, gp->info.name);
    }
    if (v == 0 && desc->reserved)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: reserved is given, and a set has no values",
                        function);
    return GP_OK;
}

/* The power of two that holds `capacity` slots, or `expected` keys at `max_load`. */
static gp_result gpi_hash_capacity(gp_context *gp, const char *function, uint64_t capacity, uint64_t expected,
                                   double max_load, uint32_t *mask)
{
    uint64_t power = 1;
    double wanted = (double)capacity;
    if (!(max_load > 0 && max_load <= 1)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: max_load = %g, must be in (0, 1]", function,
                        max_load);
    }
    if (capacity == 0) wanted = (double)expected / max_load;
    if (wanted > (double)GPI_HASH_CAPACITY_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT,
                        "%s: capacity = %llu, expected_count = %llu: %.0f slots, more than %llu", function,
                        (unsigned long long)capacity, (unsigned long long)expected, wanted,
                        (unsigned long long)GPI_HASH_CAPACITY_MAX);
    }
    while ((double)power < wanted) power *= 2;
    *mask = (uint32_t)(power - 1);
    return GP_OK;
}

static uint64_t gpi_hash_load_value(const void *from, size_t size)
{
    uint32_t narrow;
    uint64_t wide;
    if (size == 8) {
        memcpy(&wide, from, sizeof wide);
        return wide;
    }
    memcpy(&narrow, from, sizeof narrow);
    return narrow;
}

static uint64_t gpi_hash_reserved(const gp_hash_desc *desc)
{
    if (desc->reserved) return gpi_hash_load_value(desc->reserved, desc->value_size);
    return desc->value_size == 8 ? UINT64_MAX : UINT32_MAX;
}

/* Packed where one word holds key and value, and the device can exchange it. */
static gp_result gpi_hash_form(gp_context *gp, const char *function, gpi_table *table)
{
    const bool narrow = table->key_size == 4 && table->value_size <= 4;
    gpi_plan plan;
    const gp_result result = gpi_plan_make_hash(gp, function, GP_STRATEGY_AUTO, &plan);
    if (result != GP_OK) return result;
    table->packed = narrow && plan.words == GP_WORDS_WIDE;
    table->wide = !narrow || table->packed;
    return GP_OK;
}

/* All but the memory. */
static gp_result gpi_hash_describe(gp_context *gp, const char *function, const gp_hash_desc *desc,
                                   gpi_table *table)
{
    gp_result result = gpi_hash_check_sizes(gp, function, desc);
    memset(table, 0, sizeof *table);
    if (result != GP_OK) return result;
    if (desc->capacity == 0 && desc->expected_count == 0) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: capacity and expected_count are 0", function);
    }
    table->key_size = desc->key_size;
    table->value_size = desc->value_size;
    table->max_load = desc->max_load != 0 ? (double)desc->max_load : 0.5;
    table->grow = desc->grow;
    table->seed = desc->seed;
    table->reserved = gpi_hash_reserved(desc);
    result =
        gpi_hash_capacity(gp, function, desc->capacity, desc->expected_count, table->max_load, &table->mask);
    return result == GP_OK ? gpi_hash_form(gp, function, table) : result;
}

static size_t gpi_hash_bytes(const gpi_table *table)
{
    return GPI_HASH_HEADER_BYTES + gpi_hash_slots(table) * (table->wide && !table->packed ? 16 : 8);
}

/* The table's memory: the caller's, retained, or its own. */
static gp_result gpi_hash_allocate(gp_context *gp, const char *function, cl_mem own, gpi_table *table)
{
    const size_t bytes = gpi_hash_bytes(table);
    gpi_range range;
    gp_result result;
    if (!own) return gpi_alloc(gp, function, bytes, &table->buffer);
    result = gpi_check_buffer(gp, function, "buffer", own, 0, bytes, 1, GPI_WRITES, &range);
    if (result == GP_OK)
        result = gpi_check_buffer(gp, function, "buffer", own, 0, bytes, 1, GPI_READS, &range);
    if (result != GP_OK) return result;
    (void)clRetainMemObject(own);
    table->buffer = own;
    return GP_OK;
}

GP_API gp_result gp_hash_create(gp_context *gp, const gp_hash_desc *desc, gp_hash *out)
{
    static const char function[] = "gp_hash_create";
    gpi_table *table;
    gpi_call call;
    gp_result result;
    if (out) out->id = 0;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc || !out)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp, desc or table is NULL", function);
    table = (gpi_table *)malloc(sizeof *table);
    if (!table) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for a table", function);
    result = gpi_hash_describe(gp, function, desc, table);
    if (result == GP_OK) result = gpi_hash_allocate(gp, function, desc->buffer, table);
    if (result == GP_OK) result = gpi_hash_handle_make(gp, function, table, out);
    if (result != GP_OK) {
        gpi_hash_release(table);
        return result;
    }
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_hash_clear_slots(&call, table, NULL);
    result = gpi_call_end(&call, result);
    if (result != GP_OK) {
        (void)gp_hash_destroy(gp, *out);
        out->id = 0;
    }
    return result;
}

GP_API gp_result gp_hash_buffer_size(gp_context *gp, const gp_hash_desc *desc, size_t *bytes)
{
    gpi_table table;
    gp_result result;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_hash_buffer_size: gp, desc or bytes is NULL");
    }
    result = gpi_hash_describe(gp, "gp_hash_buffer_size", desc, &table);
    *bytes = result == GP_OK ? gpi_hash_bytes(&table) : 0;
    return result;
}

/* ------------------------------------------------------------------ share, destroy, clear */

GP_API gp_result gp_hash_share(gp_context *gp, gp_context *from, gp_hash handle, gp_hash *out)
{
    static const char function[] = "gp_hash_share";
    gpi_table *table;
    if (out) out->id = 0;
    if (!gp || !from || !out)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp, from or out is NULL", function);
    table = gpi_hash_of(from, function, handle);
    if (!table) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "%s: table = %llx is no table of from, or was destroyed", function,
                        (unsigned long long)handle.id);
    }
    if (gp->context != from->context)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: the contexts have different cl_contexts",
                        function);
    if (table->grow)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: a table that grows by itself cannot be shared",
                        function);
    if (table->wide && !gp->info.int64_base_atomics)
        return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "%s: the table needs 64-bit atomics: %s", function,
                        gp->info.name);
    return gpi_hash_handle_make(gp, function, table, out);
}

GP_API gp_result gp_hash_destroy(gp_context *gp, gp_hash handle)
{
    gpi_table *table = gpi_hash_of(gp, "gp_hash_destroy", handle);
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    gp->handles[(uint32_t)handle.id - 1].table = NULL;
    gpi_hash_release(table);
    return GP_OK;
}

GP_API cl_mem gp_hash_buffer(const gp_context *gp, gp_hash handle)
{
    const uint32_t place = (uint32_t)handle.id;
    if (!gp || place == 0 || place > gp->handle_count || !gp->handles[place - 1].table ||
        gp->handles[place - 1].generation != (uint32_t)(handle.id >> 32)) {
        return NULL;
    }
    return gp->handles[place - 1].table->buffer;
}

GP_API gp_result gp_hash_clear(gp_context *gp, gp_hash handle, const gp_hash_clear_desc *desc)
{
    static const char function[] = "gp_hash_clear";
    gpi_table *table = gpi_hash_of(gp, function, handle);
    gpi_call call;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    if (!desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: desc is NULL", function);
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_hash_clear_slots(&call, table, NULL);
    if (result == GP_OK) table->taken = 0;
    return gpi_call_end(&call, result);
}
/* ---- End file src/hash_table.c ---- */

/* ---- Begin file src/hash.c ---- */
/* hash.c - batches of keys: gp_hash_insert and its kin, gp_hash_find, gp_hash_erase. */

/* Of hash.cl and hash_batch.cl. */
enum {
    GPI_CHANGE_KEEP,
    GPI_CHANGE_ASSIGN,
    GPI_CHANGE_APPLY /* and which */,
    GPI_CHANGE_MIN_U = 6,
    GPI_CHANGE_MAX_U = 7,
    GPI_CHANGE_WIDE = 16
};
enum { GPI_SOURCE_BUFFER, GPI_SOURCE_ONE, GPI_SOURCE_INDEX };
enum {
    GPI_WANTS_RESULTS = 1,
    GPI_WANTS_FAILED = 2,
    GPI_WANTS_FAILED_VALUES = 4,
    GPI_IS_JUDGED = 8,
    GPI_IS_CHECKED = 16
};
enum { GPI_WANTS_VALUES = 1, GPI_WANTS_FOUND = 2 };
enum { GPI_WIDE_KEYS = 1, GPI_WIDE_VALUES = 2 };

/* From how many bytes of table on, and keys, it pays to partition a batch first. Measured on PoCL. */
#define GPI_HASH_PARTITION_BYTES ((size_t)16 << 20)
#define GPI_HASH_PARTITION_KEYS ((size_t)1 << 16)

/* A buffer of the call's. */
typedef struct gpi_hash_use {
    const char *name;
    gpi_range range; /* root NULL: not there */
    bool written;
} gpi_hash_use;

enum { GPI_HASH_USES = 8 };

/* A checked batch, ready to run. */
typedef struct gpi_hash_batch {
    const char *function;
    gpi_table *table;
    gpi_plan plan;
    gpi_program *program;
    gpi_count count;
    gpi_hash_use uses[GPI_HASH_USES];
    size_t use_count;
} gpi_hash_batch;

/* ------------------------------------------------------------------ checks */

/* A buffer of `count` elements of `size` bytes; NULL is left out. */
static gp_result gpi_hash_use_buffer(gp_context *gp, gpi_hash_batch *batch, const char *name, cl_mem buffer,
                                     size_t offset, size_t count, size_t size, int access)
{
    gpi_hash_use *use = &batch->uses[batch->use_count];
    if (!buffer) return GP_OK;
    use->name = name;
    use->written = access == GPI_WRITES;
    batch->use_count++;
    return gpi_check_buffer(gp, batch->function, name, buffer, offset, count, size, access, &use->range);
}

/* What is written overlaps nothing, and nothing overlaps the table. */
static gp_result gpi_hash_check_apart(gp_context *gp, const gpi_hash_batch *batch)
{
    size_t a, b;
    for (a = 0; a < batch->use_count; a++) {
        for (b = 0; b < a; b++) {
            const gpi_hash_use *x = &batch->uses[a], *y = &batch->uses[b];
            if (!(x->written || y->written) || !gpi_overlap(&x->range, &y->range)) continue;
            return gpi_fail(gp, GP_ERROR_OVERLAP,
                            "%s: %s is bytes [%zu, %zu) and %s [%zu, %zu) of one buffer", batch->function,
                            y->name, y->range.begin, y->range.end, x->name, x->range.begin, x->range.end);
        }
    }
    return GP_OK;
}

/* The batch's table, program, count and the table's own memory. */
static gp_result gpi_hash_batch_open(gp_context *gp, const char *function, gp_hash handle, size_t count,
                                     cl_mem count_buffer, size_t count_offset, gp_type count_type,
                                     gpi_hash_batch *batch)
{
    gp_result result;
    memset(batch, 0, sizeof *batch);
    batch->function = function;
    batch->table = gpi_hash_of(gp, function, handle);
    if (!batch->table) return GP_ERROR_INVALID_ARGUMENT;
    batch->count.bound = count;
    batch->count.buffer = count_buffer;
    batch->count.offset = count_offset;
    batch->count.type = count_type;
    result = gpi_hash_program(gp, function, GPI_HASH, batch->table, "", &batch->plan, &batch->program);
    if (result == GP_OK)
        result = gpi_hash_use_buffer(gp, batch, "the table", batch->table->buffer, 0,
                                     gpi_hash_bytes(batch->table), 1, GPI_WRITES);
    if (result != GP_OK || !count_buffer) return result;
    batch->uses[batch->use_count].name = "count_buffer";
    return gpi_check_count(gp, function, &batch->count, &batch->uses[batch->use_count++].range);
}

/* ------------------------------------------------------------------ arguments, launch */

static cl_uint gpi_hash_widths(const gpi_table *table)
{
    return (table->key_size == 8 ? GPI_WIDE_KEYS : 0) | (table->value_size == 8 ? GPI_WIDE_VALUES : 0);
}

/* An array and its offset; where there is none, the context's counters stand in. */
static void gpi_hash_arg_array(gpi_call *call, cl_mem buffer, size_t offset)
{
    const cl_ulong at = buffer ? offset : 0;
    const cl_mem array = buffer ? buffer : call->gp->counters;
    GPI_CALL_ARG(call, array);
    GPI_CALL_ARG(call, at);
}

/* Keys of a group. In the serial shape fewer when there are few, so that all cores have some; one an item
   where loops are limited, because each may mean a long probe. */
static size_t gpi_hash_span(const gp_context *gp, const gpi_plan *plan, size_t count)
{
    const size_t cores = gp->info.compute_units ? gp->info.compute_units : 1, least = 1024;
    const size_t share = count / (4 * cores), most = plan->items;
    if (plan->shape == GP_SHAPE_LOCAL) return gp->info.loop_limit ? plan->group : gpi_plan_tile(plan);
    if (gp->desc.tuning.tile || share >= most) return most;
    return share > least ? share : least;
}

/* The last arguments of a batch's kernels, and the launch. */
static gp_result gpi_hash_launch_batch(gpi_call *call, const gpi_hash_batch *batch, const gpi_count *count)
{
    const size_t span = gpi_hash_span(call->gp, &batch->plan, count->bound);
    gpi_sort_arg_long(call, span);
    gpi_call_arg_count(call, count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &batch->plan, gpi_ceil_div(count->bound, span));
}

/* ------------------------------------------------------------------ insert, assign, apply */

/* What is put, and how. */
typedef struct gpi_hash_put {
    const gp_hash_insert_desc *desc;
    cl_uint change, source, wants;
    cl_ulong operand;
    gpi_table judge;  /* FIRST, LAST: the batch's own table of indices */
    bool partitioned; /* by home slot, before anything else; then: */
    gp_sort_desc order_desc;
    gpi_sort order;
    size_t keys_at, values_at; /* where the partitioned batch is, in bytes of the scratch */
    size_t scratch_bytes;
} gpi_hash_put;

/* The device's word for an operation on values of a type: GPI_ADD ... of hash.cl; 0: there is none. */
static cl_uint gpi_hash_change_of(gp_op op, gp_type type)
{
    enum { UNSIGNED, SIGNED, FLOAT };
    static const struct {
        gp_op op;
        cl_uint change[3];
    } rows[] = {{GP_SUM, {2, 2, 10}}, {GP_AND, {3, 3, 0}},  {GP_OR, {4, 4, 0}},
                {GP_XOR, {5, 5, 0}},  {GP_MIN, {6, 8, 11}}, {GP_MAX, {7, 9, 12}}};
    const int kind = gpi_is_float(type) ? FLOAT : gpi_is_signed(type) ? SIGNED : UNSIGNED;
    size_t i;
    for (i = 0; i < GPI_COUNT_OF(rows); i++) {
        if (rows[i].op == op) return rows[i].change[kind];
    }
    return 0;
}

/* Type and operation of insert_or_apply. */
static gp_result gpi_hash_check_apply(gp_context *gp, const gpi_hash_batch *batch, gpi_hash_put *put)
{
    const gp_hash_insert_desc *desc = put->desc;
    const size_t size = batch->table->value_size;
    const gp_type type = desc->type ? desc->type : size == 8 ? GP_U64 : GP_U32;
    if (size == 0)
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "%s: the table is a set: there are no values to combine",
                        batch->function);
    if (gpi_type_size(type) != size) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE,
                        "%s: type = %d is no type of the table's values of %zu bytes", batch->function,
                        (int)desc->type, size);
    }
    if (type == GP_F64 && !gp->info.fp64)
        return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "%s: type = GP_F64 needs cl_khr_fp64: %s", batch->function,
                        gp->info.name);
    put->change = gpi_hash_change_of(desc->op, type);
    if (put->change == 0) {
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "%s: op = %d does not combine values of type %d",
                        batch->function, (int)desc->op, (int)type);
    }
    if (size == 8) put->change |= GPI_CHANGE_WIDE;
    if (desc->values) return GP_OK;
    put->source = GPI_SOURCE_ONE;
    put->operand = type == GP_F32 ? 0x3f800000u : type == GP_F64 ? 0x3ff0000000000000u : 1;
    return GP_OK;
}

static gp_result gpi_hash_check_put(gp_context *gp, const gpi_hash_batch *batch, gpi_hash_put *put,
                                    bool apply)
{
    const gp_hash_insert_desc *desc = put->desc;
    if ((unsigned)desc->duplicates >= GP_HASH_DUPLICATES_COUNT || (apply && desc->duplicates)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: duplicates = %d %s", batch->function,
                        (int)desc->duplicates,
                        apply ? "means nothing where equal keys combine" : "is not a gp_hash_duplicates");
    }
    if ((unsigned)desc->strategy >= GP_STRATEGY_COUNT) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: strategy = %d is not a gp_strategy",
                        batch->function, (int)desc->strategy);
    }
    if (!apply && desc->op) {
        return gpi_fail(gp, GP_ERROR_INVALID_OP, "%s: op = %d is for gp_hash_insert_or_apply",
                        batch->function, (int)desc->op);
    }
    if ((desc->failed_keys == NULL) != (desc->failed_count == NULL) ||
        (desc->failed_values && !desc->failed_keys)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "%s: failed_keys is %s, failed_count %s, failed_values %s: they go together",
                        batch->function, desc->failed_keys ? "given" : "NULL",
                        desc->failed_count ? "given" : "NULL", desc->failed_values ? "given" : "NULL");
    }
    if (batch->table->value_size == 0 && (desc->values || desc->failed_values)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: there are values, and the table is a set",
                        batch->function);
    }
    if (desc->count > UINT32_MAX - 1 && (desc->duplicates || desc->failed_keys)) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT,
                        "%s: count = %zu: duplicates and failed_keys take 2^32 - 2 keys at most",
                        batch->function, desc->count);
    }
    return apply ? gpi_hash_check_apply(gp, batch, put) : GP_OK;
}

/* The table that says which of equal keys stands for all: of keys of the same width, with indices as values.
 */
static gp_result gpi_hash_plan_judge(gp_context *gp, const gpi_hash_batch *batch, gpi_hash_put *put)
{
    gpi_table *judge = &put->judge;
    if (!put->desc->duplicates || put->desc->count == 0) return GP_OK;
    *judge = *batch->table;
    judge->buffer = NULL;
    judge->reserved = judge->wide && !judge->packed ? UINT64_MAX : UINT32_MAX;
    put->wants |= GPI_IS_JUDGED;
    return gpi_hash_capacity(gp, batch->function, 0, put->desc->count, 0.5, &judge->mask);
}

/* The pass of a sort that puts the batch in the order of the home slots' highest digit. */
static void gpi_hash_describe_order(const gpi_hash_batch *batch, gpi_hash_put *put)
{
    const gp_hash_insert_desc *d = put->desc;
    gp_sort_desc *order = &put->order_desc;
    uint32_t bits = 0;
    while (batch->table->mask >> bits) bits++;
    order->keys = d->keys;
    order->keys_offset = d->keys_offset;
    order->keys_out = batch->table->buffer; /* until the scratch is there: something else than the keys */
    order->count = d->count;
    order->count_buffer = d->count_buffer;
    order->count_offset = d->count_offset;
    order->count_type = d->count_type;
    order->key_type = batch->table->key_size == 8 ? GP_U64 : GP_U32;
    order->end_bit = bits;
    order->begin_bit = bits > GPI_SORT_DIGIT_BITS ? bits - GPI_SORT_DIGIT_BITS : 0;
    order->strategy = GP_STRATEGY_MULTI_PASS;
    if (put->source != GPI_SOURCE_BUFFER) return;
    order->value_size = batch->table->value_size;
    order->values = d->values;
    order->values_offset = d->values_offset;
    order->values_out = batch->table->buffer;
}

/* Whether the batch is partitioned, and how. Results and indices belong to the order that it came in. */
static gp_result gpi_hash_plan_order(gp_context *gp, const gpi_hash_batch *batch, gpi_hash_put *put)
{
    const gp_hash_insert_desc *d = put->desc;
    const gp_strategy wanted = d->strategy ? d->strategy : batch->plan.strategy;
    const bool large =
        gpi_hash_bytes(batch->table) >= GPI_HASH_PARTITION_BYTES && d->count >= GPI_HASH_PARTITION_KEYS;
    gp_result result;
    put->partitioned = wanted == GP_STRATEGY_MULTI_PASS && (large || d->strategy) && !d->results &&
                       !d->duplicates && batch->table->mask >= GPI_SORT_BINS && d->count > 0;
    if (!put->partitioned) return GP_OK;
    gpi_hash_describe_order(batch, put);
    gpi_sort_init(&put->order, batch->function, &put->order_desc, false);
    put->order.hash = batch->table->wide && !batch->table->packed ? 64 : 32;
    put->order.seed = put->order.hash == 64 ? batch->table->seed
                                            : (uint32_t)(batch->table->seed ^ batch->table->seed >> 32);
    result = gpi_sort_plan(gp, &put->order);
    put->keys_at = put->order.at.end;
    put->values_at = gpi_round_up(put->keys_at + d->count * batch->table->key_size, GPI_SORT_ALIGNMENT);
    put->scratch_bytes = put->values_at + d->count * put->order_desc.value_size;
    return result;
}

/* Everything but the buffers: enough to know the scratch. */
static gp_result gpi_hash_plan_put(gp_context *gp, const char *function, gp_hash handle,
                                   gpi_hash_batch *batch, gpi_hash_put *put, cl_uint change)
{
    const gp_hash_insert_desc *desc = put->desc;
    const bool apply = change == GPI_CHANGE_APPLY;
    gp_result result = gpi_hash_batch_open(gp, function, handle, desc->count, desc->count_buffer,
                                           desc->count_offset, desc->count_type, batch);
    put->change = change;
    if (result == GP_OK) result = gpi_hash_check_put(gp, batch, put, apply);
    if (result == GP_OK) result = gpi_hash_plan_judge(gp, batch, put);
    if (result != GP_OK) return result;
    if (batch->table->value_size == 0) put->source = GPI_SOURCE_ONE; /* of value 0 */
    if (desc->results) put->wants |= GPI_WANTS_RESULTS;
    if (desc->failed_keys) put->wants |= GPI_WANTS_FAILED;
    if (desc->failed_values) put->wants |= GPI_WANTS_FAILED_VALUES;
    if (put->wants & GPI_IS_JUDGED) put->scratch_bytes = gpi_hash_bytes(&put->judge);
    return gpi_hash_plan_order(gp, batch, put);
}

static gp_result gpi_hash_check_put_buffers(gp_context *gp, gpi_hash_batch *batch, const gpi_hash_put *put)
{
    const gp_hash_insert_desc *d = put->desc;
    const size_t k = batch->table->key_size, v = batch->table->value_size, n = d->count;
    gpi_range used[GPI_HASH_USES];
    size_t i;
    gp_result r = GP_OK;
    if (!d->keys) r = gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: keys is NULL", batch->function);
    if (r == GP_OK && put->source == GPI_SOURCE_BUFFER && !d->values)
        r = gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: values is NULL", batch->function);
    if (r == GP_OK) r = gpi_hash_use_buffer(gp, batch, "keys", d->keys, d->keys_offset, n, k, GPI_READS);
    if (r == GP_OK)
        r = gpi_hash_use_buffer(gp, batch, "values", d->values, d->values_offset, n, v, GPI_READS);
    if (r == GP_OK)
        r = gpi_hash_use_buffer(gp, batch, "results", d->results, d->results_offset, n, 1, GPI_WRITES);
    if (r == GP_OK)
        r = gpi_hash_use_buffer(gp, batch, "failed_keys", d->failed_keys, d->failed_keys_offset, n, k,
                                GPI_WRITES);
    if (r == GP_OK)
        r = gpi_hash_use_buffer(gp, batch, "failed_values", d->failed_values, d->failed_values_offset, n, v,
                                GPI_WRITES);
    if (r == GP_OK)
        r = gpi_hash_use_buffer(gp, batch, "failed_count", d->failed_count, d->failed_count_offset, 1, 4,
                                GPI_WRITES);
    if (r == GP_OK) r = gpi_hash_check_apart(gp, batch);
    if (r != GP_OK) return r;
    for (i = 0; i < batch->use_count; i++) used[i] = batch->uses[i].range;
    return gpi_check_scratch(gp, batch->function, d->scratch, put->scratch_bytes, used, batch->use_count);
}

/* GPI_PUT_PARAMETERS of hash_batch.cl. */
static void gpi_hash_arg_put(gpi_call *call, const gpi_hash_batch *batch, const gpi_hash_put *put,
                             bool judging)
{
    const gp_hash_insert_desc *d = put->desc;
    const cl_mem into = judging ? put->judge.buffer : batch->table->buffer;
    const cl_uint source = judging ? (cl_uint)GPI_SOURCE_INDEX : put->source;
    const cl_uint chosen = d->duplicates == GP_HASH_FIRST ? GPI_CHANGE_MIN_U : GPI_CHANGE_MAX_U;
    const cl_uint wide = batch->table->wide && !batch->table->packed ? GPI_CHANGE_WIDE : 0;
    GPI_CALL_ARG(call, into);
    if (put->partitioned) {
        gpi_hash_arg_array(call, put->order_desc.keys_out, put->order_desc.keys_out_offset);
        gpi_hash_arg_array(call, put->order_desc.values_out, put->order_desc.values_out_offset);
    } else {
        gpi_hash_arg_array(call, d->keys, d->keys_offset);
        gpi_hash_arg_array(call, d->values, d->values_offset);
    }
    GPI_CALL_ARG(call, source);
    GPI_CALL_ARG(call, put->operand);
    gpi_sort_arg_uint(call, judging ? chosen | wide : put->change);
    gpi_sort_arg_uint(call, gpi_hash_widths(batch->table));
    gpi_sort_arg_uint(call, judging ? 0 : put->wants);
}

/* One launch: the batch into the table, or its indices into the judge. */
static gp_result gpi_hash_launch_put(gpi_call *call, const gpi_hash_batch *batch, const gpi_hash_put *put,
                                     bool judging)
{
    const gp_hash_insert_desc *d = put->desc;
    const cl_mem judge = put->wants & GPI_IS_JUDGED ? put->judge.buffer : batch->table->buffer;
    gpi_call_kernel(call, batch->program, GPI_HASH_PUT);
    gpi_hash_arg_put(call, batch, put, judging);
    GPI_CALL_ARG(call, judge);
    gpi_hash_arg_array(call, d->results, d->results_offset);
    gpi_hash_arg_array(call, d->failed_keys, d->failed_keys_offset);
    gpi_hash_arg_array(call, d->failed_values, d->failed_values_offset);
    gpi_hash_arg_array(call, d->failed_count, d->failed_count_offset);
    return gpi_hash_launch_batch(call, batch, &batch->count);
}

/* Equal keys of a group first combine there: where nothing is wanted of each key by itself. */
static bool gpi_hash_combines(const gpi_hash_put *put)
{
    return put->change > GPI_CHANGE_ASSIGN && !(put->wants & (GPI_WANTS_RESULTS | GPI_WANTS_FAILED));
}

static gp_result gpi_hash_launch_combine(gpi_call *call, const gpi_hash_batch *batch, const gpi_hash_put *put)
{
    gpi_call_kernel(call, batch->program, GPI_HASH_COMBINE);
    gpi_hash_arg_put(call, batch, put, false);
    return gpi_hash_launch_batch(call, batch, &batch->count);
}

/* Which index stands for each key. */
static gp_result gpi_hash_judge(gpi_call *call, const gpi_hash_batch *batch, gpi_hash_put *put,
                                cl_mem scratch)
{
    gp_result result;
    put->judge.buffer = scratch;
    result = gpi_hash_clear_slots(call, &put->judge, NULL);
    if (result == GP_OK) result = gpi_hash_launch_put(call, batch, put, true);
    put->wants |= GPI_IS_CHECKED;
    return result;
}

/* The batch in the order of its home slots, into the scratch. */
static gp_result gpi_hash_order(gpi_call *call, gpi_hash_put *put, cl_mem scratch)
{
    gp_sort_desc *order = &put->order_desc;
    order->scratch = scratch;
    order->keys_out = scratch;
    order->keys_out_offset = put->keys_at / put->order.key_size;
    if (order->value_size) {
        order->values_out = scratch;
        order->values_out_offset = put->values_at / order->value_size;
    }
    put->wants |= GPI_IS_CHECKED;
    return gpi_sort_launch(call, &put->order);
}

static gp_result gpi_hash_put_all(gpi_call *call, gpi_hash_batch *batch, gpi_hash_put *put)
{
    const gp_hash_insert_desc *d = put->desc;
    gp_result result = GP_OK;
    cl_mem scratch = NULL;
    if (d->failed_count) result = gpi_call_fill(call, d->failed_count, 4 * d->failed_count_offset, 4);
    if (result != GP_OK || d->count == 0) return result;
    if (put->scratch_bytes > 0) result = gpi_call_scratch(call, d->scratch, put->scratch_bytes, &scratch);
    if (result == GP_OK && (put->wants & GPI_IS_JUDGED)) result = gpi_hash_judge(call, batch, put, scratch);
    if (result == GP_OK && put->partitioned) result = gpi_hash_order(call, put, scratch);
    if (result != GP_OK) return result;
    return gpi_hash_combines(put) ? gpi_hash_launch_combine(call, batch, put)
                                  : gpi_hash_launch_put(call, batch, put, false);
}

static gp_result gpi_hash_insert(gp_context *gp, const char *function, gp_hash handle,
                                 const gp_hash_insert_desc *desc, cl_uint change)
{
    gpi_hash_batch batch;
    gpi_hash_put put;
    gpi_call call;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp or desc is NULL", function);
    memset(&put, 0, sizeof put);
    put.desc = desc;
    result = gpi_hash_plan_put(gp, function, handle, &batch, &put, change);
    if (result == GP_OK && (desc->count > 0 || desc->failed_count))
        result = gpi_hash_check_put_buffers(gp, &batch, &put);
    if (result == GP_OK) result = gpi_hash_make_room(gp, function, batch.table, desc->count);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_hash_put_all(&call, &batch, &put);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_hash_insert(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc)
{
    return gpi_hash_insert(gp, "gp_hash_insert", table, desc, GPI_CHANGE_KEEP);
}

GP_API gp_result gp_hash_insert_or_assign(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc)
{
    return gpi_hash_insert(gp, "gp_hash_insert_or_assign", table, desc, GPI_CHANGE_ASSIGN);
}

GP_API gp_result gp_hash_insert_or_apply(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc)
{
    return gpi_hash_insert(gp, "gp_hash_insert_or_apply", table, desc, GPI_CHANGE_APPLY);
}

GP_API gp_result gp_hash_insert_scratch_size(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc,
                                             size_t *bytes)
{
    gpi_hash_batch batch;
    gpi_hash_put put;
    gp_result result;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "gp_hash_insert_scratch_size: gp, desc or bytes is NULL");
    }
    memset(&put, 0, sizeof put);
    put.desc = desc;
    result = gpi_hash_plan_put(gp, "gp_hash_insert_scratch_size", table, &batch, &put,
                               desc->op ? GPI_CHANGE_APPLY : GPI_CHANGE_KEEP);
    *bytes = result == GP_OK ? put.scratch_bytes : 0;
    return result;
}

/* ------------------------------------------------------------------ find, contains, erase */

static gp_result gpi_hash_check_find(gp_context *gp, gpi_hash_batch *batch, const gp_hash_find_desc *d)
{
    const size_t k = batch->table->key_size, v = batch->table->value_size, n = d->count;
    const bool in_place = d->values == d->keys && d->values_offset == d->keys_offset && k == v;
    gp_result r = GP_OK;
    if (!d->keys) return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: keys is NULL", batch->function);
    if (!d->values && !d->found)
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: values and found are NULL: nothing is wanted",
                        batch->function);
    if (v == 0 && (d->values || d->absent)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: there are values, and the table is a set",
                        batch->function);
    }
    if (!in_place) r = gpi_hash_use_buffer(gp, batch, "keys", d->keys, d->keys_offset, n, k, GPI_READS);
    if (r == GP_OK)
        r = gpi_hash_use_buffer(gp, batch, "values", d->values, d->values_offset, n, v, GPI_WRITES);
    if (r == GP_OK) r = gpi_hash_use_buffer(gp, batch, "found", d->found, d->found_offset, n, 1, GPI_WRITES);
    return r == GP_OK ? gpi_hash_check_apart(gp, batch) : r;
}

static gp_result gpi_hash_launch_find(gpi_call *call, const gpi_hash_batch *batch, const gp_hash_find_desc *d)
{
    const gpi_table *table = batch->table;
    const cl_ulong absent = d->absent ? gpi_hash_load_value(d->absent, table->value_size) : table->reserved;
    gpi_call_kernel(call, batch->program, GPI_HASH_FIND);
    GPI_CALL_ARG(call, table->buffer);
    gpi_hash_arg_array(call, d->keys, d->keys_offset);
    gpi_hash_arg_array(call, d->values, d->values_offset);
    gpi_hash_arg_array(call, d->found, d->found_offset);
    GPI_CALL_ARG(call, absent);
    gpi_sort_arg_uint(call, gpi_hash_widths(table));
    gpi_sort_arg_uint(call, (d->values ? GPI_WANTS_VALUES : 0) | (d->found ? GPI_WANTS_FOUND : 0));
    return gpi_hash_launch_batch(call, batch, &batch->count);
}

static gp_result gpi_hash_find(gp_context *gp, const char *function, gp_hash handle,
                               const gp_hash_find_desc *desc)
{
    gpi_hash_batch batch;
    gpi_call call;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp or desc is NULL", function);
    result = gpi_hash_batch_open(gp, function, handle, desc->count, desc->count_buffer, desc->count_offset,
                                 desc->count_type, &batch);
    if (result == GP_OK && desc->count > 0) result = gpi_hash_check_find(gp, &batch, desc);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK && desc->count > 0) result = gpi_hash_launch_find(&call, &batch, desc);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_hash_find(gp_context *gp, gp_hash table, const gp_hash_find_desc *desc)
{
    return gpi_hash_find(gp, "gp_hash_find", table, desc);
}

GP_API gp_result gp_hash_contains(gp_context *gp, gp_hash table, const gp_hash_find_desc *desc)
{
    if (gp && desc && (desc->values || desc->absent)) {
        if (desc->done) *desc->done = NULL;
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_hash_contains: values or absent is given");
    }
    return gpi_hash_find(gp, "gp_hash_contains", table, desc);
}

static gp_result gpi_hash_check_erase(gp_context *gp, gpi_hash_batch *batch, const gp_hash_erase_desc *d)
{
    gp_result r;
    if (!d->keys) return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: keys is NULL", batch->function);
    r = gpi_hash_use_buffer(gp, batch, "keys", d->keys, d->keys_offset, d->count, batch->table->key_size,
                            GPI_READS);
    if (r == GP_OK)
        r = gpi_hash_use_buffer(gp, batch, "results", d->results, d->results_offset, d->count, 1, GPI_WRITES);
    return r == GP_OK ? gpi_hash_check_apart(gp, batch) : r;
}

static gp_result gpi_hash_launch_erase(gpi_call *call, const gpi_hash_batch *batch,
                                       const gp_hash_erase_desc *d)
{
    gpi_call_kernel(call, batch->program, GPI_HASH_ERASE);
    GPI_CALL_ARG(call, batch->table->buffer);
    gpi_hash_arg_array(call, d->keys, d->keys_offset);
    gpi_hash_arg_array(call, d->results, d->results_offset);
    gpi_sort_arg_uint(call, gpi_hash_widths(batch->table));
    gpi_sort_arg_uint(call, d->results ? GPI_WANTS_RESULTS : 0);
    return gpi_hash_launch_batch(call, batch, &batch->count);
}

GP_API gp_result gp_hash_erase(gp_context *gp, gp_hash handle, const gp_hash_erase_desc *desc)
{
    static const char function[] = "gp_hash_erase";
    gpi_hash_batch batch;
    gpi_call call;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp or desc is NULL", function);
    result = gpi_hash_batch_open(gp, function, handle, desc->count, desc->count_buffer, desc->count_offset,
                                 desc->count_type, &batch);
    if (result == GP_OK && desc->count > 0) result = gpi_hash_check_erase(gp, &batch, desc);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK && desc->count > 0) result = gpi_hash_launch_erase(&call, &batch, desc);
    return gpi_call_end(&call, result);
}
/* ---- End file src/hash.c ---- */

/* ---- Begin file src/hash_slots.c ---- */
/* hash_slots.c - what goes over a whole hash table: retrieve, for_each, rehash, counts, statistics; and its
   source for kernels of the caller's own. */

/* Of hash_slots.cl, in uints. */
enum {
    GPI_STATS_LIVE = 0,
    GPI_STATS_DEAD = 2,
    GPI_STATS_DEPTHS = 4,
    GPI_STATS_MAX = 6,
    GPI_STATS_BINS = 8,
    GPI_STATS_WORDS = GPI_STATS_BINS + 2 * GP_HASH_BINS
};

/* ------------------------------------------------------------------ retrieve */

/* The sort behind a retrieve with sort_type: in place, as many keys as were found. */
static gp_sort_desc gpi_hash_sort_desc(const gpi_table *table, const gp_hash_retrieve_desc *desc)
{
    gp_sort_desc sort;
    memset(&sort, 0, sizeof sort);
    sort.keys = desc->keys;
    sort.keys_offset = desc->keys_offset;
    sort.values = desc->values;
    sort.values_offset = desc->values_offset;
    sort.count = desc->room;
    sort.count_buffer = desc->live_count;
    sort.count_offset = desc->live_count_offset;
    sort.count_type = GP_U32;
    sort.key_type = desc->sort_type;
    sort.value_size = desc->values ? table->value_size : 0;
    sort.descending = desc->descending;
    sort.scratch = desc->scratch;
    return sort;
}

static gp_result gpi_hash_check_retrieve(gp_context *gp, gpi_hash_batch *batch,
                                         const gp_hash_retrieve_desc *d)
{
    const size_t k = batch->table->key_size, v = batch->table->value_size;
    gp_result r;
    if (d->sort_type && gpi_type_size(d->sort_type) != k) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE,
                        "%s: sort_type = %d is no type of the table's keys of %zu bytes", batch->function,
                        (int)d->sort_type, k);
    }
    if (v == 0 && d->values) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: there are values, and the table is a set",
                        batch->function);
    }
    if (!d->live_count)
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: live_count is NULL", batch->function);
    if (!d->keys && d->room > 0)
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "%s: keys is NULL", batch->function);
    r = gpi_hash_use_buffer(gp, batch, "keys", d->keys, d->keys_offset, d->room, k, GPI_WRITES);
    if (r == GP_OK)
        r = gpi_hash_use_buffer(gp, batch, "values", d->values, d->values_offset, d->room, v, GPI_WRITES);
    if (r == GP_OK)
        r = gpi_hash_use_buffer(gp, batch, "live_count", d->live_count, d->live_count_offset, 1, 4,
                                GPI_WRITES);
    return r == GP_OK ? gpi_hash_check_apart(gp, batch) : r;
}

/* Behind the check: where the sort's scratch stands apart from all that. */
static gp_result gpi_hash_plan_retrieve(gp_context *gp, const gpi_hash_batch *batch,
                                        const gp_sort_desc *sort_desc, gpi_sort *sort)
{
    gpi_range used[GPI_HASH_USES];
    size_t i;
    gp_result result;
    gpi_sort_init(sort, batch->function, sort_desc, false);
    if (!sort_desc->key_type) return GP_OK;
    result = gpi_sort_plan(gp, sort);
    if (result != GP_OK) return result;
    for (i = 0; i < batch->use_count; i++) used[i] = batch->uses[i].range;
    return gpi_check_scratch(gp, batch->function, sort_desc->scratch, sort->at.end, used, batch->use_count);
}

static gp_result gpi_hash_collect(gpi_call *call, const gpi_hash_batch *batch, const gp_hash_retrieve_desc *d)
{
    const gp_result result = gpi_call_fill(call, d->live_count, 4 * d->live_count_offset, 4);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, batch->program, GPI_HASH_COLLECT);
    GPI_CALL_ARG(call, batch->table->buffer);
    gpi_hash_arg_array(call, d->keys, d->keys_offset);
    gpi_hash_arg_array(call, d->values, d->values_offset);
    gpi_hash_arg_array(call, d->live_count, d->live_count_offset);
    gpi_sort_arg_long(call, d->room);
    gpi_sort_arg_uint(call, gpi_hash_widths(batch->table));
    gpi_sort_arg_uint(call, d->values ? GPI_WANTS_VALUES : 0);
    return gpi_hash_launch_slots(call, batch->table, &batch->plan);
}

GP_API gp_result gp_hash_retrieve(gp_context *gp, gp_hash table, const gp_hash_retrieve_desc *desc)
{
    static const char function[] = "gp_hash_retrieve";
    gpi_hash_batch batch;
    gp_sort_desc sort_desc;
    gpi_sort sort;
    gpi_call call;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp or desc is NULL", function);
    result = gpi_hash_batch_open(gp, function, table, 0, NULL, 0, GP_TYPE_NONE, &batch);
    if (result == GP_OK) result = gpi_hash_check_retrieve(gp, &batch, desc);
    if (result != GP_OK) return result;
    sort_desc = gpi_hash_sort_desc(batch.table, desc);
    result = gpi_hash_plan_retrieve(gp, &batch, &sort_desc, &sort);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_hash_collect(&call, &batch, desc);
    if (result == GP_OK && desc->sort_type) result = gpi_sort_launch(&call, &sort);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_hash_retrieve_scratch_size(gp_context *gp, gp_hash table,
                                               const gp_hash_retrieve_desc *desc, size_t *bytes)
{
    static const char function[] = "gp_hash_retrieve_scratch_size";
    gpi_hash_batch batch;
    gp_sort_desc sort_desc;
    gpi_sort sort;
    gp_result result;
    if (bytes) *bytes = 0;
    if (!gp || !desc || !bytes)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp, desc or bytes is NULL", function);
    result = gpi_hash_batch_open(gp, function, table, 0, NULL, 0, GP_TYPE_NONE, &batch);
    if (result != GP_OK) return result;
    sort_desc = gpi_hash_sort_desc(batch.table, desc);
    sort_desc.scratch = NULL;
    result = gpi_hash_plan_retrieve(gp, &batch, &sort_desc, &sort);
    if (result == GP_OK) *bytes = sort.at.end;
    return result;
}

/* ------------------------------------------------------------------ for_each */

/* How a type's values come from a slot's bits: "as_float((uint)(bits))". */
static void gpi_each_define(gpi_text *text, const char *what, gp_type type)
{
    const char *name = gpi_type_cl(type), *bits = gpi_type_size(type) == 8 ? "ulong" : "uint";
    gpi_text_add(text, "#define GPI_EACH_%s %s\n#define GPI_EACH_%s_OF(bits) as_%s((%s)(bits))\n", what, name,
                 what, name, bits);
}

static void gpi_each_function(gpi_text *text, const char *type, const char *name, const char *expression,
                              bool has_value)
{
    gpi_text_add(text, "static %s gpi_each_%s(GPI_EACH_KEY k, GPI_EACH_VALUE %s)\n{\n", type, name,
                 has_value ? "v" : "gpi_none");
    gpi_text_add(text, "    (void)k;\n    (void)%s;\n", has_value ? "v" : "gpi_none");
    gpi_text_add(text, "    return (%s)(\n#line 1 \"%s\"\n%s\n    );\n}\n", type, name, expression);
}

/* The caller's expressions as functions; to be freed. */
static char *gpi_each_prelude(const gp_hash_for_each_desc *desc, gp_type key, gp_type value, bool is_set)
{
    const char *where = desc->where ? desc->where : "1", *map = desc->map ? desc->map : is_set ? "0" : "v";
    gpi_text text;
    memset(&text, 0, sizeof text);
    gpi_each_define(&text, "KEY", key);
    gpi_each_define(&text, "VALUE", value);
    gpi_text_add(&text, "#define GPI_EACH_BITS(x) as_%s(x)\n#define GPI_EACH_ERASE %d\n",
                 gpi_type_size(value) == 8 ? "ulong" : "uint", desc->erase);
    gpi_each_function(&text, "bool", "where", where, !is_set);
    gpi_each_function(&text, gpi_type_cl(value), "map", map, !is_set);
    if (!text.failed) return text.data;
    free(text.data);
    return NULL;
}

static gp_result gpi_each_check(gp_context *gp, const char *function, const gpi_table *table,
                                const gp_hash_for_each_desc *desc, gp_type *key, gp_type *value)
{
    *key = desc->key_type ? desc->key_type : table->key_size == 8 ? GP_U64 : GP_U32;
    *value = desc->value_type ? desc->value_type : table->value_size == 8 ? GP_U64 : GP_U32;
    if ((desc->map != NULL) == desc->erase) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: map is %s and erase is %s: either one", function,
                        desc->map ? "given" : "NULL", desc->erase ? "true" : "false");
    }
    if ((desc->map && gpi_is_blank(desc->map)) || (desc->where && gpi_is_blank(desc->where)))
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: map or where is empty", function);
    if (table->value_size == 0 && (desc->map || desc->value_type))
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: the table is a set: it has no values to map",
                        function);
    if (gpi_type_size(*key) != table->key_size ||
        (table->value_size && gpi_type_size(*value) != table->value_size)) {
        return gpi_fail(
            gp, GP_ERROR_INVALID_TYPE,
            "%s: key_type = %d, value_type = %d: the table has keys of %zu and values of %zu bytes", function,
            (int)desc->key_type, (int)desc->value_type, table->key_size, table->value_size);
    }
    if ((*key == GP_F64 || *value == GP_F64) && !gp->info.fp64)
        return gpi_fail(gp, GP_ERROR_UNSUPPORTED, "%s: GP_F64 needs cl_khr_fp64: %s", function,
                        gp->info.name);
    return GP_OK;
}

static gp_result gpi_each_program(gp_context *gp, const char *function, const gpi_table *table,
                                  const gp_hash_for_each_desc *desc, gpi_plan *plan, gpi_program **program)
{
    gp_type key, value;
    char *more;
    gp_result result = gpi_each_check(gp, function, table, desc, &key, &value);
    if (result != GP_OK) return result;
    more = gpi_each_prelude(desc, key, value, table->value_size == 0);
    if (!more) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for a program", function);
    result = gpi_hash_program(gp, function, GPI_HASH_EACH, table, more, plan, program);
    free(more);
    return result;
}

GP_API gp_result gp_hash_for_each(gp_context *gp, gp_hash handle, const gp_hash_for_each_desc *desc)
{
    static const char function[] = "gp_hash_for_each";
    gpi_table *table = gpi_hash_of(gp, function, handle);
    gpi_plan plan;
    gpi_program *program;
    gpi_call call;
    gp_result result;
    if (desc && desc->done) *desc->done = NULL;
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    if (!desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: desc is NULL", function);
    result = gpi_each_program(gp, function, table, desc, &plan, &program);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) {
        gpi_call_kernel(&call, program, 0);
        GPI_CALL_ARG(&call, table->buffer);
        result = gpi_hash_launch_slots(&call, table, &plan);
    }
    return gpi_call_end(&call, result);
}

/* ------------------------------------------------------------------ counts, rehash */

/* The table's counts, by GPI_COUNT_... and gp_hash_result. Blocks. */
static gp_result gpi_hash_read_counts(gp_context *gp, const char *function, cl_mem table,
                                      uint64_t counts[GPI_HASH_COUNTS])
{
    cl_uint words[2 * GPI_HASH_COUNTS];
    gpi_call call;
    gp_result result = gp->out_of_order ? gp_finish(gp) : GP_OK;
    size_t i;
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, NULL, 0, NULL);
    if (result == GP_OK) result = gpi_call_read(&call, table, GPI_HASH_COUNTS_AT, sizeof words, words);
    result = gpi_call_end(&call, result);
    for (i = 0; i < GPI_HASH_COUNTS && result == GP_OK; i++)
        counts[i] = (uint64_t)words[2 * i + 1] << 32 | words[2 * i];
    return result;
}

static uint64_t gpi_hash_live(const uint64_t *counts)
{
    return counts[GP_HASH_INSERTED] - counts[GP_HASH_ERASED];
}

/* Moves the live keys of `from` into `to`, which has its memory. */
static gp_result gpi_hash_move(gp_context *gp, const char *function, const gpi_table *from, gpi_table *to)
{
    uint64_t counts[GPI_HASH_COUNTS];
    gpi_plan plan;
    gpi_program *program;
    gpi_call call;
    gp_result result = gpi_hash_program(gp, function, GPI_HASH, to, "", &plan, &program);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, NULL, 0, NULL);
    if (result == GP_OK) result = gpi_hash_clear_slots(&call, to, from);
    if (result == GP_OK) {
        gpi_call_kernel(&call, program, GPI_HASH_MOVE);
        GPI_CALL_ARG(&call, to->buffer);
        GPI_CALL_ARG(&call, from->buffer);
        result = gpi_hash_launch_slots(&call, from, &plan);
    }
    result = gpi_call_end(&call, result);
    if (result == GP_OK) result = gpi_hash_read_counts(gp, function, to->buffer, counts);
    if (result != GP_OK) return result;
    if (counts[GPI_HASH_LOST] > 0) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: %llu keys would find no place in %llu slots", function,
                        (unsigned long long)counts[GPI_HASH_LOST], (unsigned long long)to->mask + 1);
    }
    to->taken = counts[GPI_HASH_CLAIMED];
    return GP_OK;
}

/* The table gets other slots, in `own` or memory of its own; or stays as it is. */
static gp_result gpi_hash_rehash(gp_context *gp, const char *function, gpi_table *table, uint32_t mask,
                                 cl_mem own)
{
    const cl_mem before = table->buffer;
    gpi_table next = *table;
    gpi_range ranges[2];
    gp_result result;
    next.mask = mask;
    next.buffer = NULL;
    result = gpi_hash_allocate(gp, function, own, &next);
    if (result != GP_OK) return result;
    (void)gpi_check_buffer(gp, function, "table", before, 0, gpi_hash_bytes(table), 1, GPI_READS, &ranges[0]);
    (void)gpi_check_buffer(gp, function, "buffer", next.buffer, 0, gpi_hash_bytes(&next), 1, GPI_READS,
                           &ranges[1]);
    if (gpi_overlap(&ranges[0], &ranges[1])) {
        result = gpi_fail(gp, GP_ERROR_OVERLAP, "%s: buffer overlaps the table's present memory", function);
    }
    if (result == GP_OK) result = gpi_hash_move(gp, function, table, &next);
    (void)clReleaseMemObject(result == GP_OK ? before : next.buffer);
    if (result == GP_OK) {
        next.references = table->references;
        *table = next;
    }
    return result;
}

/* A table that grows gets more slots before `count` keys might take more than it may have: only then is the
   device asked how many are taken. */
static gp_result gpi_hash_make_room(gp_context *gp, const char *function, gpi_table *table, size_t count)
{
    uint64_t counts[GPI_HASH_COUNTS];
    const double most = table->max_load * ((double)table->mask + 1);
    uint32_t mask;
    gp_result result;
    if (!table->grow) return GP_OK;
    if ((double)table->taken + (double)count <= most) {
        table->taken += count;
        return GP_OK;
    }
    result = gpi_hash_read_counts(gp, function, table->buffer, counts);
    if (result != GP_OK) return result;
    table->taken = counts[GPI_HASH_CLAIMED];
    if ((double)table->taken + (double)count > most) {
        const uint64_t wanted = gpi_hash_live(counts) + count;
        result = gpi_hash_capacity(gp, function, 0, wanted, table->max_load, &mask);
        if (result == GP_OK)
            result = gpi_hash_rehash(gp, function, table, mask > table->mask ? mask : table->mask, NULL);
    }
    if (result == GP_OK) table->taken += count;
    return result;
}

GP_API gp_result gp_hash_rehash(gp_context *gp, gp_hash handle, const gp_hash_rehash_desc *desc)
{
    static const char function[] = "gp_hash_rehash";
    gpi_table *table = gpi_hash_of(gp, function, handle);
    uint64_t counts[GPI_HASH_COUNTS];
    uint32_t mask;
    gp_result result = GP_OK;
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    if (!desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: desc is NULL", function);
    mask = table->mask;
    if (desc->capacity || desc->expected_count)
        result =
            gpi_hash_capacity(gp, function, desc->capacity, desc->expected_count, table->max_load, &mask);
    if (result == GP_OK) result = gpi_hash_read_counts(gp, function, table->buffer, counts);
    if (result != GP_OK) return result;
    if (gpi_hash_live(counts) > (uint64_t)mask + 2) { /* one more lives behind the table */
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: capacity = %llu, too few for %llu live keys", function,
                        (unsigned long long)mask + 1, (unsigned long long)gpi_hash_live(counts));
    }
    return gpi_hash_rehash(gp, function, table, mask, desc->buffer);
}

static gp_result gpi_hash_count_all(gp_context *gp, const char *function, gp_hash handle, gp_hash_counts *out)
{
    const gpi_table *table = gpi_hash_of(gp, function, handle);
    uint64_t counts[GPI_HASH_COUNTS];
    gp_result result;
    memset(out, 0, sizeof *out);
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    result = gpi_hash_read_counts(gp, function, table->buffer, counts);
    if (result != GP_OK) return result;
    out->capacity = (uint64_t)table->mask + 1;
    out->live = gpi_hash_live(counts);
    out->inserted = counts[GP_HASH_INSERTED];
    out->existed = counts[GP_HASH_EXISTED];
    out->failed = counts[GP_HASH_FAILED];
    out->refused = counts[GP_HASH_REFUSED];
    out->superseded = counts[GP_HASH_SUPERSEDED];
    out->erased = counts[GP_HASH_ERASED];
    /* The key of all ones takes no slot: where it is live, there is a dead one more than this tells. */
    out->dead = counts[GPI_HASH_CLAIMED] > out->live ? counts[GPI_HASH_CLAIMED] - out->live : 0;
    return GP_OK;
}

GP_API gp_result gp_hash_counts_read(gp_context *gp, gp_hash table, gp_hash_counts *out)
{
    if (!out) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_hash_counts_read: out is NULL");
    return gpi_hash_count_all(gp, "gp_hash_counts_read", table, out);
}

GP_API gp_result gp_hash_size_read(gp_context *gp, gp_hash table, size_t *live)
{
    gp_hash_counts counts;
    gp_result result;
    if (!live) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_hash_size_read: live is NULL");
    result = gpi_hash_count_all(gp, "gp_hash_size_read", table, &counts);
    *live = (size_t)counts.live; /* 0 on failure */
    return result;
}

/* ------------------------------------------------------------------ statistics */

static uint64_t gpi_hash_wide(const cl_uint *words, size_t at)
{
    return (uint64_t)words[at + 1] << 32 | words[at];
}

static gp_result gpi_hash_measure(gpi_call *call, const gpi_table *table, cl_uint words[GPI_STATS_WORDS])
{
    const size_t bytes = GPI_STATS_WORDS * sizeof *words;
    gpi_plan plan;
    gpi_program *program;
    cl_mem stats = NULL;
    gp_result result = gpi_hash_program(call->gp, call->function, GPI_HASH, table, "", &plan, &program);
    if (result == GP_OK) result = gpi_call_scratch(call, NULL, bytes, &stats);
    if (result == GP_OK) result = gpi_call_fill(call, stats, 0, bytes);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, program, GPI_HASH_MEASURE);
    GPI_CALL_ARG(call, table->buffer);
    GPI_CALL_ARG(call, stats);
    result = gpi_hash_launch_slots(call, table, &plan);
    return result == GP_OK ? gpi_call_read(call, stats, 0, bytes, words) : result;
}

GP_API gp_result gp_hash_stats_read(gp_context *gp, gp_hash handle, gp_hash_stats *out)
{
    static const char function[] = "gp_hash_stats_read";
    gpi_table *table = gpi_hash_of(gp, function, handle);
    cl_uint words[GPI_STATS_WORDS];
    gpi_call call;
    gp_result result;
    size_t b;
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    if (!out) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: out is NULL", function);
    if (gp->out_of_order && (result = gp_finish(gp)) != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, NULL, 0, NULL);
    if (result == GP_OK) result = gpi_hash_measure(&call, table, words);
    result = gpi_call_end(&call, result);
    if (result != GP_OK) return result;
    memset(out, 0, sizeof *out);
    out->capacity = (uint64_t)table->mask + 1;
    out->live = gpi_hash_wide(words, GPI_STATS_LIVE);
    out->dead = gpi_hash_wide(words, GPI_STATS_DEAD);
    out->load = (double)(out->live + out->dead) / (double)out->capacity;
    out->max_depth = words[GPI_STATS_MAX];
    if (out->live > 0) out->mean_depth = (double)gpi_hash_wide(words, GPI_STATS_DEPTHS) / (double)out->live;
    for (b = 0; b < GP_HASH_BINS; b++) out->depths[b] = gpi_hash_wide(words, GPI_STATS_BINS + 2 * b);
    return GP_OK;
}

/* ------------------------------------------------------------------ source, warm-up */

/* The layers that a kernel of the caller's needs: as gpi_source_compose does, up to one key. */
static char *gpi_hash_device_text(const gp_context *gp, const gpi_table *table, const gpi_plan *plan)
{
    const bool wide = table->value_size == 8;
    gpi_plan any = *plan;
    gpi_text text;
    char *prelude;
    any.group = 1;
    prelude = gpi_hash_prelude(
        gp, table, &any, wide ? "#define GPI_VALUE_WIDTH GPI_WIDE_VALUE\n" : "#define GPI_VALUE_WIDTH 0\n");
    if (!prelude) return NULL;
    memset(&text, 0, sizeof text);
    gpi_text_add(&text, "%s", prelude);
    free(prelude);
    GPI_ADD_KERNEL(&text, platform);
    GPI_ADD_KERNEL(&text, count);
    GPI_ADD_KERNEL(&text, mix);
    GPI_ADD_KERNEL(&text, hash);
    GPI_ADD_KERNEL(&text, hash_device);
    gpi_text_add(&text, "#line 1 \"user\"\n");
    if (!text.failed) return text.data;
    free(text.data);
    return NULL;
}

GP_API gp_result gp_device_source(gp_context *gp, gp_device_part part, gp_hash handle, char *out,
                                  size_t capacity, size_t *size)
{
    static const char function[] = "gp_device_source";
    gpi_table *table;
    gpi_plan plan;
    char *text;
    gp_result result;
    if (!gp || !size || (!out && capacity > 0))
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp, text or size is NULL", function);
    if (part != GP_DEVICE_HASH)
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: part = %d is not a gp_device_part", function,
                        (int)part);
    table = gpi_hash_of(gp, function, handle);
    if (!table) return GP_ERROR_INVALID_ARGUMENT;
    result = gpi_plan_make_hash(gp, function, GP_STRATEGY_AUTO, &plan);
    if (result != GP_OK) return result;
    text = gpi_hash_device_text(gp, table, &plan);
    if (!text) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for a text", function);
    *size = strlen(text) + 1;
    if (capacity > 0) {
        const size_t length = *size <= capacity ? *size - 1 : capacity - 1;
        memcpy(out, text, length);
        out[length] = 0;
    }
    free(text);
    return GP_OK;
}

/* Every kernel once, on a small table of the context's own. */
static gp_result gpi_hash_warm_up(gp_context *gp, const gp_hash_desc *desc)
{
    gp_hash_desc small;
    gp_hash table;
    gp_hash_insert_desc insert;
    gp_hash_find_desc find;
    gp_hash_erase_desc erase;
    gp_hash_retrieve_desc retrieve;
    gp_hash_rehash_desc again;
    gp_hash_stats stats;
    gp_result result;
    memset(&small, 0, sizeof small);
    memset(&insert, 0, sizeof insert);
    memset(&find, 0, sizeof find);
    memset(&erase, 0, sizeof erase);
    memset(&retrieve, 0, sizeof retrieve);
    memset(&again, 0, sizeof again);
    small.key_size = desc->key_size;
    small.value_size = desc->value_size;
    small.capacity = 64;
    result = gp_hash_create(gp, &small, &table);
    if (result != GP_OK) return result;
    result = gpi_alloc_zeros(gp, 64, &insert.keys);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, 64, &find.found);
    if (small.value_size) insert.values = insert.keys;
    find.keys = erase.keys = insert.keys;
    retrieve.live_count = find.found;
    insert.count = find.count = erase.count = 1;
    if (result == GP_OK) result = gp_hash_insert(gp, table, &insert);
    insert.op = GP_SUM;
    if (result == GP_OK && small.value_size) result = gp_hash_insert_or_apply(gp, table, &insert);
    if (result == GP_OK) result = gp_hash_find(gp, table, &find);
    if (result == GP_OK) result = gp_hash_retrieve(gp, table, &retrieve);
    if (result == GP_OK) result = gp_hash_stats_read(gp, table, &stats);
    if (result == GP_OK) result = gp_hash_rehash(gp, table, &again);
    if (result == GP_OK) result = gp_hash_erase(gp, table, &erase);
    if (insert.keys) (void)clReleaseMemObject(insert.keys);
    if (find.found) (void)clReleaseMemObject(find.found);
    (void)gp_hash_destroy(gp, table);
    return result;
}
/* ---- End file src/hash_slots.c ---- */

/* ---- Begin file src/brackets.c ---- */
/* brackets.c - gp_brackets: codes of symbols, then pairs in tiles, a tree of tiles, pairs across tiles. */

enum {
    GPI_BRACKETS_PAIR,
    GPI_BRACKETS_TREE,
    GPI_BRACKETS_JOIN,
    GPI_BRACKETS_ENCLOSE,
    GPI_BRACKETS_MEASURE,
    GPI_BRACKETS_REPORT
};

enum {
    GPI_BRACKETS_STRANDS = 4,     /* GPI_STRANDS of strands.cl */
    GPI_BRACKETS_NOTE_BYTES = 32, /* gpi_note of nest.cl */
    GPI_BRACKETS_FEW = 12,        /* symbols that are told apart by comparing rather than by a table */
    GPI_BRACKETS_LEAVES = 4096    /* of a group that multiplies nodes */
};

/* A checked call, ready to run. */
typedef struct gpi_brackets {
    const gp_brackets_desc *desc;
    const char *function;
    int8_t table[256]; /* of GP_U8 without a map */
    bool has_table;
    bool kinds; /* pairs can be of two kinds */
    size_t index_size;
    gpi_plan plan;
    gpi_program *program;
    gpi_count count;
    cl_uint tiles, leaves;    /* for the bound; leaves of the tree, a power of two */
    size_t notes_at, tree_at; /* parts of the scratch, in bytes */
    size_t scratch_size;
    cl_mem errors; /* where they go */
    size_t errors_offset;
} gpi_brackets;

/* ------------------------------------------------------------------ codes */

static gp_result gpi_brackets_pairs(gp_context *gp, gpi_brackets *b, const char *pairs)
{
    const size_t length = strlen(pairs);
    size_t i;
    if (length == 0 || length % 2 != 0 || length > 254) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "%s: pairs = \"%s\": openers and closers in turns, 1 to 127 pairs", b->function,
                        pairs);
    }
    for (i = 0; i < length; i++) {
        const int kind = (int)(i / 2) + 1;
        int8_t *code = &b->table[(unsigned char)pairs[i]];
        if (*code != 0) {
            return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: pairs = \"%s\": '%c' is there twice",
                            b->function, pairs, pairs[i]);
        }
        *code = (int8_t)(i % 2 == 0 ? kind : -kind);
    }
    return GP_OK;
}

/* Whether codes go beyond one kind. */
static bool gpi_brackets_kinds(const gpi_brackets *b)
{
    int first = 0;
    size_t i;
    if (!b->has_table) return true;
    for (i = 0; i < 256; i++) {
        const int kind = b->table[i] < 0 ? -b->table[i] : b->table[i];
        if (kind != 0 && first == 0) first = kind;
        if (kind != first && kind != 0) return true;
    }
    return false;
}

static gp_result gpi_brackets_codes(gp_context *gp, gpi_brackets *b)
{
    const gp_brackets_desc *d = b->desc;
    const bool codes = d->type == GP_I8 || d->type == GP_I32;
    gp_result result = GP_OK;
    if (!gpi_type_size(d->type) || gpi_is_float(d->type) || (!d->map && !codes && d->type != GP_U8)) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE,
                        "%s: type = %d, must be GP_U8, GP_I8 or GP_I32, or with a map an integer type",
                        b->function, (int)d->type);
    }
    if ((d->pairs != NULL) + (d->table != NULL) + (d->map != NULL) > (codes && !d->map ? 0 : 1)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "%s: pairs, table and map exclude each other, and only a map goes with codes",
                        b->function);
    }
    if (d->map && gpi_is_blank(d->map))
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: map is empty", b->function);
    b->has_table = !d->map && !codes;
    if (b->has_table && d->table) memcpy(b->table, d->table, sizeof b->table);
    else if (b->has_table) result = gpi_brackets_pairs(gp, b, d->pairs ? d->pairs : "()[]{}");
    b->kinds = gpi_brackets_kinds(b);
    return result;
}

static size_t gpi_brackets_symbols(const gpi_brackets *b)
{
    size_t i, n = 0;
    for (i = 0; i < 256; i++) n += b->table[i] != 0;
    return n;
}

/* What a table in the program says of a code. */
static int gpi_brackets_code(int code) { return code; }
static int gpi_brackets_sign(int code) { return (code > 0) - (code < 0); }
static int gpi_brackets_opens(int code) { return code > 0 ? -1 : 0; }

static void gpi_brackets_add_table(const gpi_brackets *b, gpi_text *text, const char *name,
                                   int (*entry)(int code))
{
    size_t i;
    gpi_text_add(text, "__constant int %s[256] = {", name);
    for (i = 0; i < 256; i++) gpi_text_add(text, "%s%d", i ? "," : "", entry(b->table[i]));
    gpi_text_add(text, "};\n");
}

/* GPI_CODE and GPI_SIGN of a symbol: by table, or where few symbols are brackets by comparing, which suits
   items that run in step. */
static void gpi_brackets_add_symbols(const gpi_brackets *b, gpi_text *text)
{
    const bool few = gpi_brackets_symbols(b) <= GPI_BRACKETS_FEW;
    size_t i;
    if (few && b->plan.shape == GP_SHAPE_LOCAL) {
        gpi_text_add(text, "#define GPI_CODE(x, i) (");
        for (i = 0; i < 256; i++)
            if (b->table[i]) gpi_text_add(text, "(x) == %u ? %d : ", (unsigned)i, b->table[i]);
        gpi_text_add(text, "0)\n#define GPI_SIGN(x, i) clamp(GPI_CODE(x, i), -1, 1)\n");
        return;
    }
    gpi_brackets_add_table(b, text, "gpi_codes", gpi_brackets_code);
    gpi_brackets_add_table(b, text, "gpi_signs", gpi_brackets_sign);
    gpi_brackets_add_table(b, text, "gpi_open_masks", gpi_brackets_opens);
    gpi_text_add(text, "#define GPI_CODE(x, i) gpi_codes[x]\n"
                       "#define GPI_SIGN(x, i) gpi_signs[x]\n"
                       "#define GPI_OPENS(x, i) gpi_open_masks[x]\n");
    if (!few) return;
    gpi_text_add(text, "#define GPI_IS_BRACKET(v) ((v) != (v)");
    for (i = 0; i < 256; i++)
        if (b->table[i]) gpi_text_add(text, " | (v) == (uchar16)(%u)", (unsigned)i);
    gpi_text_add(text, ")\n");
}

static char *gpi_brackets_prelude(const gpi_brackets *b)
{
    const gpi_plan *plan = &b->plan;
    const bool local = plan->shape == GP_SHAPE_LOCAL;
    gpi_text text;
    memset(&text, 0, sizeof text);
    gpi_text_add(&text, "#define GPI_SHAPE_SERIAL %d\n#define GPI_SHAPE_LOCAL %d\n", !local, local);
    gpi_text_add(&text, "#define GPI_WG %u\n#define GPI_ITEMS %u\n#define GPI_TILE %u\n", plan->group,
                 plan->items, plan->group * plan->items);
    gpi_text_add(&text, "#define GPI_WIDE 0\n#define GPI_FP64 0\n#define GPI_SYMBOL %s\n",
                 gpi_type_cl(b->desc->type));
    gpi_text_add(&text, "#define GPI_INDEX_SIZE %u\n#define GPI_KINDS %d\n#define GPI_MATCH %d\n",
                 (unsigned)b->index_size, b->kinds && b->errors, b->desc->match != NULL);
    if (b->has_table) {
        gpi_brackets_add_symbols(b, &text);
    } else if (b->desc->map) {
        gpi_text_add(&text,
                     "static int gpi_code(%s x, ulong i)\n{\n    return (int)(\n#line 1 \"map\"\n%s\n    "
                     ");\n}\n#define GPI_CODE(x, i) gpi_code(x, i)\n",
                     gpi_type_cl(b->desc->type), b->desc->map);
    } else {
        gpi_text_add(&text, "#define GPI_CODE(x, i) ((int)(x))\n");
    }
    if (!b->has_table) {
        gpi_text_add(&text, "#define GPI_SIGN(x, i) clamp(GPI_CODE(x, i), -1, 1)\n"
                            "#define GPI_OPENS(x, i) (-(GPI_CODE(x, i) > 0))\n");
    }
    if (!text.failed) return text.data;
    free(text.data);
    return NULL;
}

/* ------------------------------------------------------------------ plan */

/* A compiler may grant its kernels smaller groups than the plan wants: then it is made again with those. */
static gp_result gpi_brackets_program(gp_context *gp, gpi_brackets *b)
{
    for (;;) {
        const gp_result result =
            gpi_program_get_text(gp, b->function, GPI_BRACKETS, gpi_brackets_prelude(b), 0, &b->program);
        if (result != GP_OK) return result;
        if (b->plan.group == 1 || b->plan.group <= b->program->group_max) return GP_OK;
        b->plan.group /= 2;
    }
}

static gp_result gpi_brackets_index(gp_context *gp, gpi_brackets *b)
{
    const gp_type type = b->desc->index_type;
    const bool wide = (uint64_t)b->desc->count > UINT32_MAX;
    if (type != GP_TYPE_NONE && type != GP_U32 && type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: index_type = %d, must be GP_U32 or GP_U64",
                        b->function, (int)type);
    }
    if (type == GP_U32 && wide) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: count = %zu does not fit indices of 32 bits",
                        b->function, b->desc->count);
    }
    b->index_size = type == GP_U64 || (type == GP_TYPE_NONE && wide) ? 8 : 4;
    return GP_OK;
}

/* Cells, notes, tree: see nest.cl. */
static void gpi_brackets_lay_out(gpi_brackets *b)
{
    b->notes_at = gpi_round_up(b->desc->count * 4, 64);
    b->tree_at = b->notes_at + gpi_round_up((size_t)b->tiles * GPI_BRACKETS_NOTE_BYTES, 64);
    b->scratch_size = b->tiles ? b->tree_at + 2 * (size_t)b->leaves * 2 * b->index_size : 0;
}

/* Everything but the buffers: enough to know the scratch. */
static gp_result gpi_brackets_plan(gp_context *gp, gpi_brackets *b)
{
    const gp_brackets_desc *d = b->desc;
    gp_result result = gpi_brackets_codes(gp, b);
    if (result == GP_OK) result = gpi_brackets_index(gp, b);
    if (result == GP_OK) result = gpi_plan_make_brackets(gp, b->function, b->index_size, &b->plan);
    if (result == GP_OK) result = gpi_brackets_program(gp, b);
    if (result == GP_OK) result = gpi_plan_tiles(gp, b->function, &b->plan, d->count, &b->tiles);
    if (result != GP_OK) return result;
    if (b->tiles > GPI_TILES_MAX / 4) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: count = %zu is %u tiles, more than a tree can hold",
                        b->function, d->count, b->tiles);
    }
    for (b->leaves = 1; b->leaves < b->tiles;) b->leaves *= 2;
    b->count.bound = d->count;
    b->count.buffer = d->count_buffer;
    b->count.offset = d->count_offset;
    b->count.type = d->count_type;
    gpi_brackets_lay_out(b);
    return GP_OK;
}

/* ------------------------------------------------------------------ buffers */

enum {
    GPI_BRACKETS_IN,
    GPI_BRACKETS_COUNT,
    GPI_BRACKETS_MATCH,
    GPI_BRACKETS_PARENT,
    GPI_BRACKETS_DEPTH,
    GPI_BRACKETS_ERRORS,
    GPI_BRACKETS_RANGES
};

static const char *const gpi_brackets_names[GPI_BRACKETS_RANGES] = {"in",     "count_buffer", "match",
                                                                    "parent", "depth",        "errors"};

/* What is written overlaps nothing else. */
static gp_result gpi_brackets_check_apart(gp_context *gp, const gpi_brackets *b, const gpi_range *used)
{
    size_t i, k;
    for (i = GPI_BRACKETS_MATCH; i < GPI_BRACKETS_RANGES; i++) {
        for (k = 0; k < i; k++) {
            if (!used[i].root || !gpi_overlap(&used[i], &used[k])) continue;
            return gpi_fail(gp, GP_ERROR_OVERLAP, "%s: %s and %s overlap", b->function, gpi_brackets_names[k],
                            gpi_brackets_names[i]);
        }
    }
    return GP_OK;
}

/* An output, where it is wanted. */
static gp_result gpi_brackets_check_out(gp_context *gp, const gpi_brackets *b, int name, cl_mem buffer,
                                        size_t offset, size_t count, size_t size, gpi_range *used)
{
    if (!buffer) return GP_OK;
    return gpi_check_buffer(gp, b->function, gpi_brackets_names[name], buffer, offset, count, size,
                            GPI_WRITES, &used[name]);
}

static gp_result gpi_brackets_check(gp_context *gp, const gpi_brackets *b)
{
    const gp_brackets_desc *d = b->desc;
    const size_t n = d->count, size = b->index_size;
    gpi_range used[GPI_BRACKETS_RANGES];
    gp_result r = GP_OK;
    memset(used, 0, sizeof used);
    if (n > 0)
        r = gpi_check_buffer(gp, b->function, "in", d->in, d->in_offset, n, gpi_type_size(d->type), GPI_READS,
                             &used[GPI_BRACKETS_IN]);
    if (r == GP_OK) r = gpi_check_count(gp, b->function, &b->count, &used[GPI_BRACKETS_COUNT]);
    if (r == GP_OK && n > 0)
        r = gpi_brackets_check_out(gp, b, GPI_BRACKETS_MATCH, d->match, d->match_offset, n, size, used);
    if (r == GP_OK && n > 0)
        r = gpi_brackets_check_out(gp, b, GPI_BRACKETS_PARENT, d->parent, d->parent_offset, n, size, used);
    if (r == GP_OK && n > 0)
        r = gpi_brackets_check_out(gp, b, GPI_BRACKETS_DEPTH, d->depth, d->depth_offset, n, size, used);
    if (r == GP_OK)
        r = gpi_brackets_check_out(gp, b, GPI_BRACKETS_ERRORS, b->errors, b->errors_offset, 1,
                                   sizeof(gp_brackets_errors), used);
    if (r == GP_OK) r = gpi_brackets_check_apart(gp, b, used);
    if (r != GP_OK) return r;
    return gpi_check_scratch(gp, b->function, d->scratch, b->scratch_size, used, GPI_BRACKETS_RANGES);
}

/* ------------------------------------------------------------------ launches */

/* GPI_INPUT_PARAMETERS */
static void gpi_brackets_arg_input(gpi_call *call, const gpi_brackets *b)
{
    const cl_ulong offset = b->desc->in_offset;
    GPI_CALL_ARG(call, b->desc->in);
    GPI_CALL_ARG(call, offset);
    gpi_call_arg_count(call, &b->count);
}

/* An output and its offset; something stands in for one that is not wanted. */
static void gpi_brackets_arg_out(gpi_call *call, cl_mem out, size_t offset)
{
    const cl_mem buffer = out ? out : call->gp->counters;
    const cl_ulong at = out ? offset : 0;
    GPI_CALL_ARG(call, buffer);
    GPI_CALL_ARG(call, at);
}

/* GPI_SCRATCH_PARAMETERS */
static void gpi_brackets_arg_scratch(gpi_call *call, const gpi_brackets *b, cl_mem scratch)
{
    const cl_ulong notes = b->notes_at / 4, tree = b->tree_at / 4;
    GPI_CALL_ARG(call, scratch);
    GPI_CALL_ARG(call, notes);
    GPI_CALL_ARG(call, tree);
    GPI_CALL_ARG(call, b->leaves);
}

/* Groups of the kernels that take several tiles abreast. */
static size_t gpi_brackets_groups(const gpi_brackets *b)
{
    const size_t strands = b->plan.shape == GP_SHAPE_SERIAL ? GPI_BRACKETS_STRANDS : 1;
    return (b->tiles + strands - 1) / strands;
}

static gp_result gpi_brackets_pair(gpi_call *call, const gpi_brackets *b, cl_mem scratch)
{
    gpi_call_kernel(call, b->program, GPI_BRACKETS_PAIR);
    gpi_brackets_arg_input(call, b);
    gpi_brackets_arg_out(call, b->desc->match, b->desc->match_offset);
    gpi_brackets_arg_scratch(call, b, scratch);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &b->plan, gpi_brackets_groups(b));
}

/* From `bottom` nodes up, by `groups` groups, to as many nodes. */
static gp_result gpi_brackets_tree(gpi_call *call, const gpi_brackets *b, cl_mem scratch, cl_uint bottom,
                                   cl_uint groups)
{
    gpi_call_kernel(call, b->program, GPI_BRACKETS_TREE);
    gpi_call_arg_count(call, &b->count);
    gpi_brackets_arg_scratch(call, b, scratch);
    GPI_CALL_ARG(call, bottom);
    return gpi_call_launch(call, &b->plan, groups);
}

static gp_result gpi_brackets_join(gpi_call *call, const gpi_brackets *b, cl_mem scratch)
{
    gpi_call_kernel(call, b->program, GPI_BRACKETS_JOIN);
    gpi_brackets_arg_input(call, b);
    gpi_brackets_arg_out(call, b->desc->match, b->desc->match_offset);
    gpi_brackets_arg_scratch(call, b, scratch);
    return gpi_call_launch(call, &b->plan, b->tiles);
}

static gp_result gpi_brackets_enclose(gpi_call *call, const gpi_brackets *b, cl_mem scratch)
{
    const gp_brackets_desc *d = b->desc;
    const cl_uint parents = d->parent != NULL, depths = d->depth != NULL;
    gpi_call_kernel(call, b->program, GPI_BRACKETS_ENCLOSE);
    gpi_brackets_arg_input(call, b);
    gpi_brackets_arg_out(call, d->parent, d->parent_offset);
    GPI_CALL_ARG(call, parents);
    gpi_brackets_arg_out(call, d->depth, d->depth_offset);
    GPI_CALL_ARG(call, depths);
    gpi_brackets_arg_scratch(call, b, scratch);
    return gpi_call_launch(call, &b->plan, gpi_brackets_groups(b));
}

static gp_result gpi_brackets_measure(gpi_call *call, const gpi_brackets *b, cl_mem scratch)
{
    gpi_call_kernel(call, b->program, GPI_BRACKETS_MEASURE);
    gpi_brackets_arg_input(call, b);
    gpi_brackets_arg_scratch(call, b, scratch);
    return gpi_call_launch(call, &b->plan, b->tiles);
}

static gp_result gpi_brackets_report(gpi_call *call, const gpi_brackets *b, cl_mem scratch)
{
    const cl_ulong at = b->errors_offset;
    gpi_call_kernel(call, b->program, GPI_BRACKETS_REPORT);
    gpi_call_arg_count(call, &b->count);
    gpi_brackets_arg_scratch(call, b, scratch);
    GPI_CALL_ARG(call, b->errors);
    GPI_CALL_ARG(call, at);
    return gpi_call_launch(call, &b->plan, 1);
}

static gp_result gpi_brackets_launch(gpi_call *call, const gpi_brackets *b)
{
    const gp_brackets_desc *d = b->desc;
    const bool more = d->parent || d->depth || b->errors;
    const cl_uint leaves = GPI_BRACKETS_LEAVES, parts = b->leaves > leaves ? b->leaves / leaves : 1;
    cl_mem scratch = call->gp->counters; /* stands in, where there is nothing to read */
    gp_result r = GP_OK;
    if (b->tiles == 0) return b->errors ? gpi_brackets_report(call, b, scratch) : GP_OK;
    if (!d->match && !more) return GP_OK;
    r = gpi_call_scratch(call, d->scratch, b->scratch_size, &scratch);
    if (r == GP_OK) r = gpi_brackets_pair(call, b, scratch);
    if (b->tiles == 1 && !more) return r;
    if (r == GP_OK) r = gpi_brackets_tree(call, b, scratch, b->leaves, parts);
    if (r == GP_OK && parts > 1) r = gpi_brackets_tree(call, b, scratch, parts, 1);
    if (r == GP_OK && b->tiles > 1 && (d->match || b->errors)) r = gpi_brackets_join(call, b, scratch);
    if (r == GP_OK && (d->parent || d->depth)) r = gpi_brackets_enclose(call, b, scratch);
    if (r == GP_OK && b->errors) r = gpi_brackets_measure(call, b, scratch);
    if (r == GP_OK && b->errors) r = gpi_brackets_report(call, b, scratch);
    return r;
}

/* ------------------------------------------------------------------ API */

static void gpi_brackets_init(gpi_brackets *b, const char *function, const gp_brackets_desc *desc)
{
    memset(b, 0, sizeof *b);
    b->function = function;
    b->desc = desc;
    b->errors = desc->errors;
    b->errors_offset = desc->errors_offset;
}

static gp_result gpi_brackets_call(gp_context *gp, gpi_brackets *b, gp_brackets_errors *errors)
{
    const gp_brackets_desc *desc = b->desc;
    gpi_call call;
    gp_result result = gpi_brackets_plan(gp, b);
    if (result == GP_OK) result = gpi_brackets_check(gp, b);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, b->function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_brackets_launch(&call, b);
    if (result == GP_OK && errors)
        result = gpi_call_read(&call, b->errors, b->errors_offset * sizeof *errors, sizeof *errors, errors);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_brackets(gp_context *gp, const gp_brackets_desc *desc)
{
    gpi_brackets b;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_brackets: gp or desc is NULL");
    gpi_brackets_init(&b, "gp_brackets", desc);
    return gpi_brackets_call(gp, &b, NULL);
}

GP_API gp_result gp_brackets_read(gp_context *gp, const gp_brackets_desc *desc, gp_brackets_errors *errors)
{
    gpi_brackets b;
    cl_mem own = NULL;
    gp_result result = GP_OK;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc || !errors) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_brackets_read: gp, desc or errors is NULL");
    }
    gpi_brackets_init(&b, "gp_brackets_read", desc);
    if (!b.errors) {
        result = gpi_alloc(gp, b.function, sizeof *errors, &own);
        b.errors = own;
        b.errors_offset = 0;
    }
    if (result == GP_OK) result = gpi_brackets_call(gp, &b, errors);
    if (own) (void)clReleaseMemObject(own);
    return result;
}

GP_API gp_result gp_brackets_scratch_size(gp_context *gp, const gp_brackets_desc *desc, size_t *bytes)
{
    gpi_brackets b;
    gp_result result;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_brackets_scratch_size: gp, desc or bytes is NULL");
    }
    gpi_brackets_init(&b, "gp_brackets_scratch_size", desc);
    result = gpi_brackets_plan(gp, &b);
    *bytes = result == GP_OK ? b.scratch_size : 0;
    return result;
}

/* Runs the call's kernels once on zeros of the context's own, in two tiles. */
static gp_result gpi_brackets_warm_up(gp_context *gp, const gp_brackets_desc *desc)
{
    gp_brackets_desc probe;
    gpi_brackets b;
    gp_result result;
    size_t n;
    cl_mem out = NULL;
    memset(&probe, 0, sizeof probe);
    probe.type = desc->type;
    probe.pairs = desc->pairs;
    probe.table = desc->table;
    probe.map = desc->map;
    probe.match = desc->match;
    probe.errors = desc->errors;
    probe.index_type = desc->index_type;
    gpi_brackets_init(&b, "gp_warmup", &probe);
    result = gpi_brackets_plan(gp, &b);
    if (result != GP_OK) return result;
    n = gpi_plan_tile(&b.plan) + 1;
    probe.count = n;
    result = gpi_alloc_zeros(gp, n * gpi_type_size(probe.type), &probe.in);
    if (result == GP_OK)
        result = gpi_alloc(gp, "gp_warmup", 3 * n * b.index_size + 2 * sizeof(gp_brackets_errors), &out);
    if (desc->match) probe.match = out;
    if (desc->parent) probe.parent = out;
    probe.parent_offset = n;
    if (desc->depth) probe.depth = out;
    probe.depth_offset = 2 * n;
    if (desc->errors) probe.errors = out;
    probe.errors_offset = 3 * n * b.index_size / sizeof(gp_brackets_errors) + 1;
    if (result == GP_OK) result = gp_brackets(gp, &probe);
    if (probe.in) (void)clReleaseMemObject(probe.in);
    if (out) (void)clReleaseMemObject(out);
    return result;
}
/* ---- End file src/brackets.c ---- */

/* ---- Begin file src/map.c ---- */
/* map.c - gp_transform, gp_fill, gp_iota, gp_adjacent_difference: each element made by itself, in one launch.
 */

enum { GPI_MAP_TILES };

enum {
    GPI_MAP_INPUTS_MAX = 3,
    GPI_MAP_SERIAL_SPAN_MIN = 16384 /* elements of a group, when there are few */
};

typedef struct gpi_map_input {
    cl_mem buffer;
    size_t offset;
    gp_type type;
} gpi_map_input;

/* A call, ready to be checked and run. */
typedef struct gpi_map {
    const char *function;
    const char *text; /* the expression */
    gpi_map_input in[GPI_MAP_INPUTS_MAX];
    size_t inputs;
    bool lag; /* the second input is the first one, one element late */
    cl_mem out;
    size_t out_offset, out_size;
    const char *out_cl;   /* type in memory */
    gp_type out_type;     /* 0: bytes that nobody looks into */
    cl_ulong constant[2]; /* a and b of map.cl */
    gpi_count count;
    gpi_plan plan;
    gpi_program *program;
    bool in_place; /* with lag: takes a copy of the input */
} gpi_map;

enum { GPI_MAP_COUNTER = GPI_MAP_INPUTS_MAX, GPI_MAP_OUT, GPI_MAP_RANGES };
static const char *const gpi_map_names[GPI_MAP_RANGES] = {"in", "in2", "in3", "count_buffer", "out"};

/* ------------------------------------------------------------------ program */

/* The expression has lines of its own, so that it may end in a comment. */
static void gpi_map_prelude_function(const gpi_map *map, const char *lane, gpi_text *text)
{
    gpi_text_add(text,
                 "static GPI_LANE gpi_map(GPI_X x, GPI_Y y, GPI_Z z, ulong i, ulong gpi_a, ulong gpi_b)\n"
                 "{\n    (void)x, (void)y, (void)z, (void)i, (void)gpi_a, (void)gpi_b;\n");
    gpi_text_add(text, "    return (%s)(\n#line 1 \"map\"\n%s\n    );\n}\n", lane, map->text);
}

static char *gpi_map_prelude(const gp_context *gp, const gpi_plan *plan, const void *description)
{
    const gpi_map *map = (const gpi_map *)description;
    const char *lane = map->out_type ? gpi_type_cl(gpi_operand(map->out_type)) : map->out_cl;
    gpi_text text;
    unsigned k;
    memset(&text, 0, sizeof text);
    gpi_prelude_plan(gp, plan, &text);
    gpi_text_add(&text, "#define GPI_INPUTS %u\n#define GPI_LAG %d\n", (unsigned)map->inputs, map->lag);
    for (k = 0; k < GPI_MAP_INPUTS_MAX; k++) {
        const gp_type type = k < map->inputs ? map->in[k].type : GP_TYPE_NONE;
        gpi_text_add(&text, "#define GPI_IN_%u %s\n#define GPI_HALF_%u %d\n", k, gpi_type_cl(type), k,
                     type == GP_F16);
        gpi_text_add(&text, "#define GPI_%c %s\n", "XYZ"[k], type ? gpi_type_cl(gpi_operand(type)) : "int");
    }
    gpi_text_add(&text, "#define GPI_OUT %s\n#define GPI_OUT_HALF %d\n#define GPI_LANE %s\n", map->out_cl,
                 map->out_type == GP_F16, lane);
    if (map->out_type) gpi_text_add(&text, "#define GPI_VECTOR %s16\n", lane);
    gpi_map_prelude_function(map, lane, &text);
    if (!text.failed) return text.data;
    free(text.data);
    return NULL;
}

/* Everything but the buffers. */
static gp_result gpi_map_plan(gp_context *gp, gpi_map *map)
{
    size_t k, size = map->out_size;
    gp_result result;
    for (k = 0; k < map->inputs; k++) {
        if (gpi_type_size(map->in[k].type) > size) size = gpi_type_size(map->in[k].type);
    }
    result = gpi_plan_make_map(gp, map->function, size, &map->plan);
    if (result != GP_OK) return result;
    return gpi_program_get_fit(gp, map->function, GPI_MAP, gpi_map_prelude, map, &map->plan, &map->program);
}

/* ------------------------------------------------------------------ buffers */

/* The output may be an input's elements themselves; where the second input is late, only through a copy. */
static gp_result gpi_map_check_apart(gp_context *gp, gpi_map *map, const gpi_range *used)
{
    gpi_range others[GPI_MAP_RANGES];
    size_t k;
    memcpy(others, used, sizeof others);
    for (k = 0; k < map->inputs; k++) {
        if (!gpi_same(&used[k], &used[GPI_MAP_OUT])) continue;
        memset(&others[k], 0, sizeof others[k]);
        if (map->lag) map->in_place = true;
    }
    return gpi_check_apart(gp, map->function, gpi_map_names, others, GPI_MAP_OUT, GPI_MAP_RANGES);
}

static gp_result gpi_map_check(gp_context *gp, gpi_map *map, gpi_range *used)
{
    const size_t n = map->count.bound;
    gp_result result = GP_OK;
    size_t k;
    memset(used, 0, GPI_MAP_RANGES * sizeof *used);
    for (k = 0; k < map->inputs && result == GP_OK; k++) {
        result = gpi_check_buffer(gp, map->function, gpi_map_names[k], map->in[k].buffer, map->in[k].offset,
                                  n, gpi_type_size(map->in[k].type), GPI_READS, &used[k]);
    }
    if (result == GP_OK) result = gpi_check_count(gp, map->function, &map->count, &used[GPI_MAP_COUNTER]);
    if (result == GP_OK) {
        result = gpi_check_buffer(gp, map->function, "out", map->out, map->out_offset, n, map->out_size,
                                  GPI_WRITES, &used[GPI_MAP_OUT]);
    }
    return result == GP_OK ? gpi_map_check_apart(gp, map, used) : result;
}

/* ------------------------------------------------------------------ launch */

static gp_result gpi_map_launch(gpi_call *call, const gpi_map *map)
{
    const size_t n = map->count.bound;
    const bool serial = map->plan.shape == GP_SHAPE_SERIAL;
    const cl_ulong span = serial ? gpi_serial_span(call->gp, &map->plan, n, GPI_MAP_SERIAL_SPAN_MIN)
                                 : gpi_plan_tile(&map->plan);
    const cl_ulong out_at = map->out_offset;
    size_t k;
    if (n == 0) return GP_OK;
    gpi_call_kernel(call, map->program, GPI_MAP_TILES);
    for (k = 0; k < map->inputs; k++) {
        const cl_ulong at = map->in[k].offset;
        GPI_CALL_ARG(call, map->in[k].buffer);
        GPI_CALL_ARG(call, at);
    }
    GPI_CALL_ARG(call, map->out);
    GPI_CALL_ARG(call, out_at);
    GPI_CALL_ARG(call, map->constant[0]);
    GPI_CALL_ARG(call, map->constant[1]);
    GPI_CALL_ARG(call, span);
    gpi_call_arg_count(call, &map->count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &map->plan, gpi_ceil_div(n, (size_t)span));
}

/* A late input of its own, since elements are overwritten before their successors are made. */
static gp_result gpi_map_copy_late(gpi_call *call, gpi_map *map, cl_mem scratch)
{
    const size_t size = gpi_type_size(map->in[0].type), bytes = map->count.bound * size;
    cl_mem copy = NULL;
    gp_result result = gpi_call_scratch(call, scratch, bytes, &copy);
    if (result == GP_OK)
        result = gpi_call_copy(call, map->in[0].buffer, map->in[0].offset * size, copy, 0, bytes);
    map->in[1].buffer = copy;
    map->in[1].offset = 0;
    return result;
}

/* Checks, and enqueues. */
static gp_result gpi_map_run(gp_context *gp, gpi_map *map, cl_mem scratch, const cl_event *wait,
                             cl_uint wait_count, cl_event *done)
{
    gpi_range used[GPI_MAP_RANGES];
    gpi_call call;
    gp_result result = gpi_map_plan(gp, map);
    if (result == GP_OK && map->count.bound > 0) result = gpi_map_check(gp, map, used);
    if (result == GP_OK && map->in_place) {
        result = gpi_check_scratch(gp, map->function, scratch,
                                   map->count.bound * gpi_type_size(map->in[0].type), used, GPI_MAP_RANGES);
    }
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, map->function, wait, wait_count, done);
    if (result == GP_OK && map->in_place) result = gpi_map_copy_late(&call, map, scratch);
    if (result == GP_OK) result = gpi_map_launch(&call, map);
    return gpi_call_end(&call, result);
}

/* ------------------------------------------------------------------ descs */

static void gpi_map_set_out(gpi_map *map, cl_mem buffer, size_t offset, gp_type type)
{
    map->out = buffer;
    map->out_offset = offset;
    map->out_type = type;
    map->out_cl = gpi_type_cl(type);
    map->out_size = gpi_type_size(type);
}

static void gpi_map_add_input(gpi_map *map, cl_mem buffer, size_t offset, gp_type type)
{
    gpi_map_input *in = &map->in[map->inputs++];
    in->buffer = buffer;
    in->offset = offset;
    in->type = type;
}

static gp_result gpi_map_check_types(gp_context *gp, const gpi_map *map)
{
    static const char *const names[GPI_MAP_INPUTS_MAX] = {"type", "type2", "type3"};
    gp_result result = GP_OK;
    size_t k;
    for (k = 0; k < map->inputs && result == GP_OK; k++)
        result = gpi_check_type(gp, map->function, names[k], map->in[k].type);
    return result == GP_OK ? gpi_check_type(gp, map->function, "out_type", map->out_type) : result;
}

static gp_result gpi_map_of_transform(gp_context *gp, const char *function, const gp_transform_desc *d,
                                      gpi_map *map)
{
    const bool third = d->in3 || d->type3, second = d->in2 || d->type2 || third;
    memset(map, 0, sizeof *map);
    map->function = function;
    map->text = d->map;
    if (gpi_is_blank(d->map)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: map is %s", function, d->map ? "empty" : "NULL");
    }
    if (d->in || d->type || second) gpi_map_add_input(map, d->in, d->in_offset, d->type);
    if (second) gpi_map_add_input(map, d->in2, d->in2_offset, d->type2 ? d->type2 : d->type);
    if (third) gpi_map_add_input(map, d->in3, d->in3_offset, d->type3 ? d->type3 : d->type);
    gpi_map_set_out(map, d->out, d->out_offset, d->out_type ? d->out_type : d->type);
    map->count = gpi_count_make(d->count, d->count_buffer, d->count_offset, d->count_type);
    return gpi_map_check_types(gp, map);
}

/* Elements of 16 bytes are two numbers; others are one, as which they are also stored by vectors. */
static gp_result gpi_map_of_fill(gp_context *gp, const char *function, const gp_fill_desc *d, gpi_map *map)
{
    const size_t size = d->element_size;
    memset(map, 0, sizeof *map);
    map->function = function;
    if (size == 0 || size > 16 || (size & (size - 1))) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: element_size = %zu, must be 1, 2, 4, 8 or 16",
                        function, size);
    }
    if (d->value) memcpy(map->constant, d->value, size);
    gpi_map_set_out(map, d->out, d->out_offset,
                    size == 1   ? GP_U8
                    : size == 2 ? GP_U16
                    : size == 4 ? GP_U32
                                : GP_U64);
    map->text = "gpi_a";
    if (size == 16) {
        map->out_type = GP_TYPE_NONE;
        map->out_cl = "ulong2";
        map->out_size = size;
        map->text = "gpi_a, gpi_b";
    }
    map->count = gpi_count_make(d->count, d->count_buffer, d->count_offset, d->count_type);
    return GP_OK;
}

/* `step`, or one where all its bits are zero. */
static gp_value gpi_iota_step(gp_type type, gp_value step)
{
    if (step.u64 != 0) return step;
    if (type == GP_F64) step.f64 = 1.0;
    else if (gpi_is_float(type)) step.f32 = 1.0f;
    else step.u64 = 1;
    return step;
}

static gp_result gpi_map_of_iota(gp_context *gp, const char *function, const gp_iota_desc *d, gpi_map *map)
{
    const gp_value step = gpi_iota_step(d->type, d->step);
    const gp_result result = gpi_check_type(gp, function, "type", d->type);
    memset(map, 0, sizeof *map);
    map->function = function;
    map->constant[0] = d->start.u64;
    map->constant[1] = step.u64;
    map->text = d->type == GP_F64       ? "as_double(gpi_a) + (double)i * as_double(gpi_b)"
                : gpi_is_float(d->type) ? "as_float((uint)gpi_a) + (float)i * as_float((uint)gpi_b)"
                                        : "gpi_a + i * gpi_b";
    gpi_map_set_out(map, d->out, d->out_offset, d->type);
    map->count = gpi_count_make(d->count, d->count_buffer, d->count_offset, d->count_type);
    return result;
}

static gp_result gpi_map_of_difference(gp_context *gp, const char *function,
                                       const gp_adjacent_difference_desc *d, gpi_map *map)
{
    memset(map, 0, sizeof *map);
    map->function = function;
    map->lag = true;
    map->text = d->map ? d->map : "x - y";
    if (gpi_is_blank(map->text)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: map is empty", function);
    }
    gpi_map_add_input(map, d->in, d->in_offset, d->type);
    gpi_map_add_input(map, d->in, d->in_offset, d->type);
    gpi_map_set_out(map, d->out, d->out_offset, d->out_type ? d->out_type : d->type);
    map->count = gpi_count_make(d->count, d->count_buffer, d->count_offset, d->count_type);
    return gpi_map_check_types(gp, map);
}

/* ------------------------------------------------------------------ API */

#define GPI_MAP_BEGIN(gp, desc, function)             \
    if ((desc) && (desc)->done) *(desc)->done = NULL; \
    if (!(gp) || !(desc)) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, function ": gp or desc is NULL")

GP_API gp_result gp_transform(gp_context *gp, const gp_transform_desc *desc)
{
    gpi_map map;
    gp_result result;
    GPI_MAP_BEGIN(gp, desc, "gp_transform");
    result = gpi_map_of_transform(gp, "gp_transform", desc, &map);
    if (result != GP_OK) return result;
    return gpi_map_run(gp, &map, NULL, desc->wait, desc->wait_count, desc->done);
}

GP_API gp_result gp_fill(gp_context *gp, const gp_fill_desc *desc)
{
    gpi_map map;
    gp_result result;
    GPI_MAP_BEGIN(gp, desc, "gp_fill");
    result = gpi_map_of_fill(gp, "gp_fill", desc, &map);
    if (result != GP_OK) return result;
    return gpi_map_run(gp, &map, NULL, desc->wait, desc->wait_count, desc->done);
}

GP_API gp_result gp_iota(gp_context *gp, const gp_iota_desc *desc)
{
    gpi_map map;
    gp_result result;
    GPI_MAP_BEGIN(gp, desc, "gp_iota");
    result = gpi_map_of_iota(gp, "gp_iota", desc, &map);
    if (result != GP_OK) return result;
    return gpi_map_run(gp, &map, NULL, desc->wait, desc->wait_count, desc->done);
}

GP_API gp_result gp_adjacent_difference(gp_context *gp, const gp_adjacent_difference_desc *desc)
{
    gpi_map map;
    gp_result result;
    GPI_MAP_BEGIN(gp, desc, "gp_adjacent_difference");
    result = gpi_map_of_difference(gp, "gp_adjacent_difference", desc, &map);
    if (result != GP_OK) return result;
    return gpi_map_run(gp, &map, desc->scratch, desc->wait, desc->wait_count, desc->done);
}

GP_API gp_result gp_adjacent_difference_scratch_size(gp_context *gp, const gp_adjacent_difference_desc *desc,
                                                     size_t *bytes)
{
    gpi_map map;
    gp_result result;
    if (bytes) *bytes = 0;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "gp_adjacent_difference_scratch_size: gp, desc or bytes is NULL");
    }
    result = gpi_map_of_difference(gp, "gp_adjacent_difference_scratch_size", desc, &map);
    if (result == GP_OK && desc->in == desc->out) *bytes = desc->count * gpi_type_size(desc->type);
    return result;
}

/* ------------------------------------------------------------------ warm-up */

/* Runs it on one zero of the context's own. */
static gp_result gpi_map_warm_up_one(gp_context *gp, gpi_map *map, gp_result result)
{
    enum { LARGEST = 16 }; /* bytes of an element */
    cl_mem in = NULL, out = NULL;
    size_t k;
    if (result == GP_OK) result = gpi_alloc_zeros(gp, LARGEST, &in);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, LARGEST, &out);
    for (k = 0; k < map->inputs; k++) {
        map->in[k].buffer = in;
        map->in[k].offset = 0;
    }
    map->out = out;
    map->out_offset = 0;
    map->count = gpi_count_make(1, NULL, 0, GP_TYPE_NONE);
    if (result == GP_OK) result = gpi_map_run(gp, map, NULL, NULL, 0, NULL);
    if (in) (void)clReleaseMemObject(in);
    if (out) (void)clReleaseMemObject(out);
    return result;
}

static gp_result gpi_map_warm_up(gp_context *gp, const gp_warmup_desc *desc)
{
    const char *f = "gp_warmup";
    gp_result r = GP_OK;
    gpi_map map;
    if (desc->transform) {
        r = gpi_map_of_transform(gp, f, desc->transform, &map);
        r = gpi_map_warm_up_one(gp, &map, r);
    }
    if (desc->fill && r == GP_OK) {
        r = gpi_map_of_fill(gp, f, desc->fill, &map);
        r = gpi_map_warm_up_one(gp, &map, r);
    }
    if (desc->iota && r == GP_OK) {
        r = gpi_map_of_iota(gp, f, desc->iota, &map);
        r = gpi_map_warm_up_one(gp, &map, r);
    }
    if (desc->adjacent_difference && r == GP_OK) {
        r = gpi_map_of_difference(gp, f, desc->adjacent_difference, &map);
        r = gpi_map_warm_up_one(gp, &map, r);
    }
    return r;
}
/* ---- End file src/map.c ---- */

/* ---- Begin file src/random.c ---- */
/* random.c - gp_random: numbers by counter, in one launch. */

enum { GPI_RANDOM_TILES };

enum { GPI_RANDOM_SERIAL_SPAN_MIN = 8192 /* elements of a group, when there are few */ };

/* A checked call, ready to run. */
typedef struct gpi_random {
    const gp_random_desc *desc;
    const char *function;
    unsigned words;       /* of an element: 1, 2 */
    cl_ulong argument[2]; /* low and range; mean and deviation, by their bits */
    gpi_plan plan;
    gpi_program *program;
    gpi_count count;
} gpi_random;

/* ------------------------------------------------------------------ program */

/* Bits of a uniform fraction: as many as every number in [0, 1) of the type has. */
static unsigned gpi_random_fraction(gp_type type, gp_random_kind kind)
{
    return type == GP_F64 ? 53 : type == GP_F16 && kind == GP_RANDOM_UNIFORM ? 11 : 24;
}

static char *gpi_random_prelude(const gp_context *gp, const gpi_plan *plan, const void *description)
{
    const gpi_random *random = (const gpi_random *)description;
    const gp_type type = random->desc->type;
    gpi_text text;
    memset(&text, 0, sizeof text);
    gpi_prelude_plan(gp, plan, &text);
    gpi_text_add(&text, "#define GPI_WORDS %u\n#define GPI_KIND %d\n", random->words,
                 (int)random->desc->kind);
    gpi_text_add(&text, "#define GPI_OUT %s\n#define GPI_OUT_HALF %d\n#define GPI_LANE %s\n",
                 gpi_type_cl(type), type == GP_F16, gpi_type_cl(gpi_operand(type)));
    gpi_text_add(&text, "#define GPI_FRACTION %u\n#define GPI_AS_LANE(x) %s\n",
                 gpi_random_fraction(type, random->desc->kind),
                 type == GP_F64 ? "as_double(x)" : "as_float((uint)(x))");
    if (!text.failed) return text.data;
    free(text.data);
    return NULL;
}

/* ------------------------------------------------------------------ checks */

/* An integer of the type, in 64 bits. */
static uint64_t gpi_random_integer(gp_type type, gp_value value)
{
    switch (type) {
    case GP_I8: return (uint64_t)(int64_t)value.i8;
    case GP_I16: return (uint64_t)(int64_t)value.i16;
    case GP_I32: return (uint64_t)(int64_t)value.i32;
    case GP_U8: return value.u8;
    case GP_U16: return value.u16;
    case GP_U32: return value.u32;
    default: return value.u64;
    }
}

static gp_result gpi_random_range(gp_context *gp, gpi_random *random)
{
    const gp_type type = random->desc->type;
    const uint64_t low = gpi_random_integer(type, random->desc->low);
    const uint64_t high = gpi_random_integer(type, random->desc->high);
    const uint64_t sign = gpi_is_signed(type) ? (uint64_t)1 << 63 : 0;
    if ((low ^ sign) >= (high ^ sign)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        gpi_is_signed(type) ? "%s: low = %lld is not less than high = %lld"
                                            : "%s: low = %llu is not less than high = %llu",
                        random->function, (unsigned long long)low, (unsigned long long)high);
    }
    random->argument[0] = low;
    random->argument[1] = high - low;
    return GP_OK;
}

static void gpi_random_normal(gpi_random *random)
{
    const gp_random_desc *d = random->desc;
    const double numbers[2] = {d->mean, d->deviation == 0 ? 1 : d->deviation};
    size_t k;
    for (k = 0; k < 2; k++) {
        const float narrow = (float)numbers[k];
        random->argument[k] = 0;
        if (d->type == GP_F64) memcpy(&random->argument[k], &numbers[k], sizeof numbers[k]);
        else memcpy(&random->argument[k], &narrow, sizeof narrow);
    }
}

static gp_result gpi_random_describe(gp_context *gp, gpi_random *random)
{
    const gp_random_desc *d = random->desc;
    const bool floats = d->kind == GP_RANDOM_UNIFORM || d->kind == GP_RANDOM_NORMAL;
    const gp_result result = gpi_check_type(gp, random->function, "type", d->type);
    if (result != GP_OK) return result;
    if ((unsigned)d->kind >= GP_RANDOM_KIND_COUNT) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: kind = %d is not a gp_random_kind",
                        random->function, (int)d->kind);
    }
    if (gpi_is_float(d->type) != floats) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: type %s, kind %d is of %s", random->function,
                        gpi_type_cl(d->type), (int)d->kind, floats ? "floats" : "integers");
    }
    if (d->count > UINT64_MAX - d->first_element) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: first_element = %llu and count = %zu are over 2^64",
                        random->function, (unsigned long long)d->first_element, d->count);
    }
    random->words = gpi_type_size(d->type) == 8 || d->kind == GP_RANDOM_RANGE ? 2 : 1;
    if (d->kind == GP_RANDOM_NORMAL) gpi_random_normal(random);
    return d->kind == GP_RANDOM_RANGE ? gpi_random_range(gp, random) : GP_OK;
}

/* Everything but the buffers. Local memory holds the elements of a block for each item. */
static gp_result gpi_random_plan(gp_context *gp, gpi_random *random)
{
    const gp_random_desc *d = random->desc;
    gp_result result = gpi_random_describe(gp, random);
    random->count = gpi_count_make(d->count, d->count_buffer, d->count_offset, d->count_type);
    if (result == GP_OK) result = gpi_plan_make_map(gp, random->function, 16, &random->plan);
    if (result != GP_OK) return result;
    return gpi_program_get_fit(gp, random->function, GPI_RANDOM, gpi_random_prelude, random, &random->plan,
                               &random->program);
}

static gp_result gpi_random_check(gp_context *gp, const gpi_random *random)
{
    static const char *const names[2] = {"count_buffer", "out"};
    const gp_random_desc *d = random->desc;
    gpi_range used[2];
    gp_result result = gpi_check_count(gp, random->function, &random->count, &used[0]);
    if (result != GP_OK) return result;
    result = gpi_check_buffer(gp, random->function, "out", d->out, d->out_offset, d->count,
                              gpi_type_size(d->type), GPI_WRITES, &used[1]);
    return result == GP_OK ? gpi_check_apart(gp, random->function, names, used, 1, 2) : result;
}

/* ------------------------------------------------------------------ launch, API */

static gp_result gpi_random_launch(gpi_call *call, const gpi_random *random)
{
    const gp_random_desc *d = random->desc;
    const size_t per_block = 4 / random->words, n = d->count + d->first_element % per_block;
    const bool serial = random->plan.shape == GP_SHAPE_SERIAL;
    const cl_ulong span = serial ? gpi_serial_span(call->gp, &random->plan, n, GPI_RANDOM_SERIAL_SPAN_MIN)
                                 : gpi_plan_tile(&random->plan) * per_block;
    const cl_ulong out_at = d->out_offset, seed = d->seed, stream = d->stream, first = d->first_element;
    if (d->count == 0) return GP_OK;
    gpi_call_kernel(call, random->program, GPI_RANDOM_TILES);
    GPI_CALL_ARG(call, d->out);
    GPI_CALL_ARG(call, out_at);
    GPI_CALL_ARG(call, seed);
    GPI_CALL_ARG(call, stream);
    GPI_CALL_ARG(call, first);
    GPI_CALL_ARG(call, random->argument[0]);
    GPI_CALL_ARG(call, random->argument[1]);
    GPI_CALL_ARG(call, span);
    gpi_call_arg_count(call, &random->count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &random->plan, gpi_ceil_div(n, (size_t)span));
}

static gp_result gpi_random_call(gp_context *gp, const char *function, const gp_random_desc *desc)
{
    gpi_random random;
    gpi_call call;
    gp_result result;
    memset(&random, 0, sizeof random);
    random.desc = desc;
    random.function = function;
    result = gpi_random_plan(gp, &random);
    if (result == GP_OK && desc->count > 0) result = gpi_random_check(gp, &random);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_random_launch(&call, &random);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_random(gp_context *gp, const gp_random_desc *desc)
{
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_random: gp or desc is NULL");
    return gpi_random_call(gp, "gp_random", desc);
}

/* Makes one number in a buffer of the context's own. */
static gp_result gpi_random_warm_up(gp_context *gp, const gp_random_desc *desc)
{
    gp_random_desc probe;
    gp_result result;
    memset(&probe, 0, sizeof probe);
    probe.type = desc->type;
    probe.kind = desc->kind;
    probe.high.u8 = 1;
    probe.count = 1;
    result = gpi_alloc_zeros(gp, sizeof(cl_ulong), &probe.out);
    if (result == GP_OK) result = gpi_random_call(gp, "gp_warmup", &probe);
    if (probe.out) (void)clReleaseMemObject(probe.out);
    return result;
}
/* ---- End file src/random.c ---- */

/* ---- Begin file src/gather.c ---- */
/* gather.c - gp_gather, gp_scatter, gp_unpack: elements by index. An unpack scans its flags for the indices.
 */

enum { GPI_GATHER_TILES };

enum { GPI_GATHER_SERIAL_SPAN_MIN = 8192 /* elements of a group, when there are few */ };

/* A call, ready to be checked and run. */
typedef struct gpi_gather {
    const char *function;
    size_t element_size;
    cl_mem in, out, index, flag; /* index NULL: of the flags */
    size_t in_offset, out_offset, index_offset, flag_offset;
    size_t in_count, out_count; /* elements that each has */
    gp_type index_type, flag_type;
    bool scatter;
    gpi_count count;
    gpi_plan plan;
    gpi_program *program;
    gp_scan_desc scan_desc; /* unpack: ranks of the flags, behind the scan's own scratch */
    gpi_scan scan;
    size_t ranks_at; /* bytes */
} gpi_gather;

enum {
    GPI_GATHER_IN,
    GPI_GATHER_INDEX,
    GPI_GATHER_FLAG,
    GPI_GATHER_COUNTER,
    GPI_GATHER_OUT,
    GPI_GATHER_RANGES
};
static const char *const gpi_gather_names[GPI_GATHER_RANGES] = {"in", "indices", "flags", "count_buffer",
                                                                "out"};

/* ------------------------------------------------------------------ program */

/* An element whose bytes nobody looks into. */
static const char *gpi_gather_element_cl(size_t size)
{
    return size == 1 ? "uchar" : size == 2 ? "ushort" : size == 4 ? "uint" : size == 8 ? "ulong" : "ulong2";
}

static char *gpi_gather_prelude(const gp_context *gp, const gpi_plan *plan, const void *description)
{
    const gpi_gather *gather = (const gpi_gather *)description;
    gpi_text text;
    memset(&text, 0, sizeof text);
    gpi_prelude_plan(gp, plan, &text);
    gpi_text_add(&text, "#define GPI_OUT %s\n#define GPI_INDEX %s\n#define GPI_SCATTER %d\n",
                 gpi_gather_element_cl(gather->element_size), gpi_type_cl(gather->index_type),
                 gather->scatter);
    if (gather->flag_type) {
        gpi_text_add(&text, "#define GPI_FLAG %s\n",
                     gather->flag_type == GP_F16 ? "ushort" : gpi_type_cl(gather->flag_type));
    }
    if (!text.failed) return text.data;
    free(text.data);
    return NULL;
}

/* The scan whose output says how many flags are set before each. Of all flags up to the bound. */
static gp_result gpi_gather_plan_scan(gp_context *gp, gpi_gather *gather)
{
    gp_scan_desc *d = &gather->scan_desc;
    gp_result result;
    d->in = gather->flag;
    d->in_offset = gather->flag_offset;
    d->type = gather->flag_type;
    d->map = "x != 0";
    d->out_type = gather->index_type;
    d->op = GP_SUM;
    d->exclusive = true;
    d->count = gather->count.bound;
    result = gpi_scan_plan(gp, gather->function, d, &gather->scan);
    if (result != GP_OK) return result;
    gather->ranks_at = gpi_round_up(gpi_scan_scratch(&gather->scan), 64);
    d->out_offset = gather->ranks_at / gpi_type_size(gather->index_type);
    return GP_OK;
}

static size_t gpi_gather_scratch(const gpi_gather *gather)
{
    if (!gather->flag_type || gather->count.bound == 0) return 0;
    return gather->ranks_at + gather->count.bound * gpi_type_size(gather->index_type);
}

/* Everything but the buffers. */
static gp_result gpi_gather_plan(gp_context *gp, gpi_gather *gather)
{
    const size_t size = gather->element_size;
    gp_result result = GP_OK;
    if (size == 0 || size > 16 || (size & (size - 1))) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: element_size = %zu, must be 1, 2, 4, 8 or 16",
                        gather->function, size);
    }
    if (gather->index_type != GP_U32 && gather->index_type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "%s: index_type = %d, must be GP_U32 or GP_U64",
                        gather->function, (int)gather->index_type);
    }
    if (gather->flag_type) {
        result = gpi_check_type(gp, gather->function, "flag_type", gather->flag_type);
        if (result == GP_OK) result = gpi_gather_plan_scan(gp, gather);
    }
    if (result == GP_OK) result = gpi_plan_make_map(gp, gather->function, size, &gather->plan);
    if (result != GP_OK) return result;
    return gpi_program_get_fit(gp, gather->function, GPI_GATHER, gpi_gather_prelude, gather, &gather->plan,
                               &gather->program);
}

/* ------------------------------------------------------------------ buffers */

/* One of the arrays; nothing of an empty one is looked at. */
static gp_result gpi_gather_check_array(gp_context *gp, const gpi_gather *gather, int name, cl_mem buffer,
                                        size_t offset, size_t count, size_t size, gpi_range *used)
{
    if (count == 0) return GP_OK;
    return gpi_check_buffer(gp, gather->function, gpi_gather_names[name], buffer, offset, count, size,
                            name == GPI_GATHER_OUT ? GPI_WRITES : GPI_READS, &used[name]);
}

static gp_result gpi_gather_check(gp_context *gp, const gpi_gather *g, cl_mem scratch)
{
    const size_t n = g->count.bound;
    gpi_range used[GPI_GATHER_RANGES];
    gp_result r;
    memset(used, 0, sizeof used);
    r = gpi_gather_check_array(gp, g, GPI_GATHER_IN, g->in, g->in_offset, g->in_count, g->element_size, used);
    if (r == GP_OK && g->flag_type) {
        r = gpi_gather_check_array(gp, g, GPI_GATHER_FLAG, g->flag, g->flag_offset, n,
                                   gpi_type_size(g->flag_type), used);
    } else if (r == GP_OK) {
        r = gpi_gather_check_array(gp, g, GPI_GATHER_INDEX, g->index, g->index_offset, n,
                                   gpi_type_size(g->index_type), used);
    }
    if (r == GP_OK) r = gpi_check_count(gp, g->function, &g->count, &used[GPI_GATHER_COUNTER]);
    if (r == GP_OK)
        r = gpi_gather_check_array(gp, g, GPI_GATHER_OUT, g->out, g->out_offset, g->out_count,
                                   g->element_size, used);
    if (r == GP_OK)
        r = gpi_check_apart(gp, g->function, gpi_gather_names, used, GPI_GATHER_OUT, GPI_GATHER_RANGES);
    if (r != GP_OK) return r;
    return gpi_check_scratch(gp, g->function, scratch, gpi_gather_scratch(g), used, GPI_GATHER_RANGES);
}

/* ------------------------------------------------------------------ launch */

/* An array, or, where it is empty, something that stands in and is not looked at. */
static void gpi_gather_arg_array(gpi_call *call, size_t count, cl_mem buffer, size_t offset)
{
    const cl_ulong at = count ? offset : 0;
    const cl_mem some = count ? buffer : call->gp->counters;
    GPI_CALL_ARG(call, some);
    GPI_CALL_ARG(call, at);
}

static gp_result gpi_gather_launch(gpi_call *call, const gpi_gather *g)
{
    const size_t n = g->count.bound;
    const bool serial = g->plan.shape == GP_SHAPE_SERIAL;
    const cl_ulong span =
        serial ? gpi_serial_span(call->gp, &g->plan, n, GPI_GATHER_SERIAL_SPAN_MIN) : gpi_plan_tile(&g->plan);
    const cl_ulong limit = g->scatter ? g->out_count : g->in_count;
    gpi_call_kernel(call, g->program, GPI_GATHER_TILES);
    gpi_gather_arg_array(call, g->in_count, g->in, g->in_offset);
    gpi_gather_arg_array(call, g->out_count, g->out, g->out_offset);
    gpi_gather_arg_array(call, n, g->index, g->index_offset);
    if (g->flag_type) gpi_gather_arg_array(call, n, g->flag, g->flag_offset);
    GPI_CALL_ARG(call, limit);
    GPI_CALL_ARG(call, span);
    gpi_call_arg_count(call, &g->count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &g->plan, gpi_ceil_div(n, (size_t)span));
}

/* Scans the flags into the scratch: the indices of the launch that follows. */
static gp_result gpi_gather_rank(gpi_call *call, gpi_gather *gather, cl_mem own)
{
    gp_scan_desc *d = &gather->scan_desc;
    gp_result result = gpi_call_scratch(call, own, gpi_gather_scratch(gather), &d->scratch);
    if (result != GP_OK) return result;
    d->out = gather->index = d->scratch;
    gather->index_offset = d->out_offset;
    gpi_scan_choose(call->gp, &gather->scan, false);
    return gpi_scan_launch(call, &gather->scan);
}

static gp_result gpi_gather_run(gp_context *gp, gpi_gather *gather, cl_mem scratch, const cl_event *wait,
                                cl_uint wait_count, cl_event *done)
{
    const bool some = gather->count.bound > 0;
    gpi_call call;
    gp_result result = gpi_gather_plan(gp, gather);
    if (result == GP_OK && some) result = gpi_gather_check(gp, gather, scratch);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, gather->function, wait, wait_count, done);
    if (result == GP_OK && some && gather->flag_type) result = gpi_gather_rank(&call, gather, scratch);
    if (result == GP_OK && some) result = gpi_gather_launch(&call, gather);
    return gpi_call_end(&call, result);
}

/* ------------------------------------------------------------------ descs */

static void gpi_gather_init(gpi_gather *gather, const char *function, const gp_gather_desc *d, bool scatter)
{
    memset(gather, 0, sizeof *gather);
    gather->function = function;
    gather->element_size = d->element_size;
    gather->scatter = scatter;
    gather->in = d->in;
    gather->in_offset = d->in_offset;
    gather->in_count = scatter ? d->count : d->limit;
    gather->out = d->out;
    gather->out_offset = d->out_offset;
    gather->out_count = scatter ? d->limit : d->count;
    gather->index = d->indices;
    gather->index_offset = d->indices_offset;
    gather->index_type = d->index_type ? d->index_type : GP_U32;
    gather->count = gpi_count_make(d->count, d->count_buffer, d->count_offset, d->count_type);
}

/* Ranks of 32 bits where they suffice. */
static void gpi_gather_init_unpack(gpi_gather *gather, const char *function, const gp_unpack_desc *d)
{
    memset(gather, 0, sizeof *gather);
    gather->function = function;
    gather->element_size = d->element_size;
    gather->in = d->in;
    gather->in_offset = d->in_offset;
    gather->in_count = d->in_count;
    gather->out = d->out;
    gather->out_offset = d->out_offset;
    gather->out_count = d->count;
    gather->flag = d->flags;
    gather->flag_offset = d->flags_offset;
    gather->flag_type = d->flag_type ? d->flag_type : GP_U8;
    gather->index_type = d->count > UINT32_MAX ? GP_U64 : GP_U32;
    gather->count = gpi_count_make(d->count, d->count_buffer, d->count_offset, d->count_type);
}

/* ------------------------------------------------------------------ API */

static gp_result gpi_gather_call(gp_context *gp, const char *function, const gp_gather_desc *desc,
                                 bool scatter)
{
    gpi_gather gather;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: gp or desc is NULL", function);
    gpi_gather_init(&gather, function, desc, scatter);
    return gpi_gather_run(gp, &gather, NULL, desc->wait, desc->wait_count, desc->done);
}

GP_API gp_result gp_gather(gp_context *gp, const gp_gather_desc *desc)
{
    return gpi_gather_call(gp, "gp_gather", desc, false);
}

GP_API gp_result gp_scatter(gp_context *gp, const gp_gather_desc *desc)
{
    return gpi_gather_call(gp, "gp_scatter", desc, true);
}

GP_API gp_result gp_unpack(gp_context *gp, const gp_unpack_desc *desc)
{
    gpi_gather gather;
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_unpack: gp or desc is NULL");
    gpi_gather_init_unpack(&gather, "gp_unpack", desc);
    return gpi_gather_run(gp, &gather, desc->scratch, desc->wait, desc->wait_count, desc->done);
}

GP_API gp_result gp_unpack_scratch_size(gp_context *gp, const gp_unpack_desc *desc, size_t *bytes)
{
    gpi_gather gather;
    gp_result result;
    if (bytes) *bytes = 0;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_unpack_scratch_size: gp, desc or bytes is NULL");
    }
    gpi_gather_init_unpack(&gather, "gp_unpack_scratch_size", desc);
    result = gpi_gather_plan(gp, &gather);
    if (result == GP_OK) *bytes = gpi_gather_scratch(&gather);
    return result;
}

/* ------------------------------------------------------------------ warm-up */

/* Moves a zero of the context's own. */
static gp_result gpi_gather_warm_up_one(gp_context *gp, gpi_gather *gather)
{
    enum { LARGEST = 16 }; /* bytes of an element, an index or a flag */
    cl_mem in = NULL, out = NULL;
    gp_result result = gpi_alloc_zeros(gp, LARGEST, &in);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, LARGEST, &out);
    gather->in = gather->index = gather->flag = in;
    gather->out = out;
    gather->in_offset = gather->out_offset = gather->index_offset = gather->flag_offset = 0;
    gather->in_count = gather->out_count = 1;
    gather->count = gpi_count_make(1, NULL, 0, GP_TYPE_NONE);
    if (result == GP_OK) result = gpi_gather_run(gp, gather, NULL, NULL, 0, NULL);
    if (in) (void)clReleaseMemObject(in);
    if (out) (void)clReleaseMemObject(out);
    return result;
}

static gp_result gpi_gather_warm_up(gp_context *gp, const gp_warmup_desc *desc)
{
    gp_result result = GP_OK;
    gpi_gather gather;
    if (desc->gather) {
        gpi_gather_init(&gather, "gp_warmup", desc->gather, false);
        result = gpi_gather_warm_up_one(gp, &gather);
    }
    if (desc->scatter && result == GP_OK) {
        gpi_gather_init(&gather, "gp_warmup", desc->scatter, true);
        result = gpi_gather_warm_up_one(gp, &gather);
    }
    if (desc->unpack && result == GP_OK) {
        gp_scan_desc scan; /* of several tiles too */
        gpi_gather_init_unpack(&gather, "gp_warmup", desc->unpack);
        memset(&scan, 0, sizeof scan);
        scan.type = gather.flag_type;
        scan.map = "x != 0";
        scan.out_type = gather.index_type;
        scan.op = GP_SUM;
        result = gpi_scan_warm_up(gp, &scan);
        if (result == GP_OK) result = gpi_gather_warm_up_one(gp, &gather);
    }
    return result;
}
/* ---- End file src/gather.c ---- */

/* ---- Begin file src/stencil.c ---- */
/* stencil.c - gp_stencil: each element from its neighbours, by tiles with a rim, in one launch. */

enum { GPI_STENCIL_TILES };

enum {
    GPI_STENCIL_RADIUS_MAX = 8,
    GPI_STENCIL_CHANNELS_MAX = 4,
    GPI_STENCIL_SERIAL_ROW = 256, /* elements of a tile's row; 1-D: */
    GPI_STENCIL_SERIAL_LINE = 4096,
    GPI_STENCIL_LOCAL_ROW = 64,
    GPI_STENCIL_ROWS = 32 /* of a tile */
};

/* A call, ready to be checked and run. */
typedef struct gpi_stencil {
    const gp_stencil_desc *desc;
    const char *function;
    gp_type out_type;
    size_t height, channels, in_pitch, out_pitch; /* no longer 0 */
    size_t in_count, out_count;                   /* elements from the first to the last one */
    size_t weights;                               /* how many; 0: a map */
    unsigned tile_x, tile_y;
    bool in_place; /* takes a copy of the input */
    gpi_plan plan;
    gpi_program *program;
} gpi_stencil;

enum { GPI_STENCIL_IN, GPI_STENCIL_WEIGHTS, GPI_STENCIL_OUT, GPI_STENCIL_RANGES };
static const char *const gpi_stencil_names[GPI_STENCIL_RANGES] = {"in", "weights", "out"};

/* ------------------------------------------------------------------ program */

/* What the expression may name, and the expression, on lines of its own. */
static void gpi_stencil_prelude_map(const gp_stencil_desc *d, gpi_text *text)
{
    gpi_text_add(text,
                 "#define at(dx, dy) gpi_here[clamp((int)(dy), -%u, %u) * GPI_ROW + "
                 "clamp((int)(dx), -%u, %u) * GPI_CHANNELS]\n",
                 d->radius_y, d->radius_y, d->radius_x, d->radius_x);
    gpi_text_add(text, "static GPI_LANE gpi_map(GPI_NEAR const GPI_X *gpi_here, GPI_X x, ulong i, ulong j)\n"
                       "{\n    (void)gpi_here, (void)x, (void)i, (void)j;\n");
    gpi_text_add(text, "    return (GPI_LANE)(\n#line 1 \"map\"\n%s\n    );\n}\n", d->map);
}

static void gpi_stencil_prelude_types(const gpi_stencil *s, gpi_text *text)
{
    const gp_type type = s->desc->type, out = s->out_type;
    const bool wide = type == GP_F64 || out == GP_F64;
    gpi_text_add(text, "#define GPI_IN %s\n#define GPI_IN_HALF %d\n#define GPI_X %s\n", gpi_type_cl(type),
                 type == GP_F16, gpi_type_cl(gpi_operand(type)));
    gpi_text_add(text, "#define GPI_OUT %s\n#define GPI_OUT_HALF %d\n#define GPI_LANE %s\n", gpi_type_cl(out),
                 out == GP_F16, gpi_type_cl(gpi_operand(out)));
    gpi_text_add(text, "#define GPI_SUM %s\n", wide ? "double" : "float");
    if (gpi_is_float(out)) gpi_text_add(text, "#define GPI_ROUND(sum) (GPI_LANE)(sum)\n");
    else gpi_text_add(text, "#define GPI_ROUND(sum) convert_%s_sat_rte(sum)\n", gpi_type_cl(out));
}

static char *gpi_stencil_prelude(const gp_context *gp, const gpi_plan *plan, const void *description)
{
    const gpi_stencil *s = (const gpi_stencil *)description;
    const gp_stencil_desc *d = s->desc;
    gpi_text text;
    memset(&text, 0, sizeof text);
    gpi_prelude_plan(gp, plan, &text);
    gpi_stencil_prelude_types(s, &text);
    gpi_text_add(&text, "#define GPI_RX %u\n#define GPI_RY %u\n#define GPI_CHANNELS %u\n", d->radius_x,
                 d->radius_y, (unsigned)s->channels);
    gpi_text_add(&text, "#define GPI_TILE_X %u\n#define GPI_TILE_Y %u\n#define GPI_ROW %u\n", s->tile_x,
                 s->tile_y, s->tile_x + 2 * d->radius_x * (unsigned)s->channels);
    gpi_text_add(&text, "#define GPI_BORDER %d\n#define GPI_WEIGHTS %d\n#define GPI_NEAR %s\n",
                 (int)d->border, s->weights > 0, plan->shape == GP_SHAPE_LOCAL ? "__local" : "__private");
    if (d->map) gpi_stencil_prelude_map(d, &text);
    if (!text.failed) return text.data;
    free(text.data);
    return NULL;
}

/* ------------------------------------------------------------------ checks */

static gp_result gpi_stencil_check_numbers(gp_context *gp, const gpi_stencil *s)
{
    const gp_stencil_desc *d = s->desc;
    if (d->radius_x > GPI_STENCIL_RADIUS_MAX || d->radius_y > GPI_STENCIL_RADIUS_MAX) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                        "%s: radius_x = %u and radius_y = %u, must be at most %d", s->function, d->radius_x,
                        d->radius_y, GPI_STENCIL_RADIUS_MAX);
    }
    if (d->channels > GPI_STENCIL_CHANNELS_MAX) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: channels = %u, must be at most %d", s->function,
                        d->channels, GPI_STENCIL_CHANNELS_MAX);
    }
    if ((unsigned)d->border >= GP_BORDER_COUNT) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: border = %d is not a gp_border", s->function,
                        (int)d->border);
    }
    if (d->map && (gpi_is_blank(d->map) || d->weights)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: map is empty, or there are weights too",
                        s->function);
    }
    return GP_OK;
}

/* Elements from the first to the last one of a picture; false where they do not fit into a size_t. */
static bool gpi_stencil_extent(size_t row, size_t height, size_t pitch, size_t *count)
{
    *count = 0;
    if (row == 0 || height == 0) return true;
    if (height - 1 > (SIZE_MAX / 16 - row) / pitch) return false;
    *count = (height - 1) * pitch + row;
    return true;
}

static gp_result gpi_stencil_describe(gp_context *gp, gpi_stencil *s)
{
    const gp_stencil_desc *d = s->desc;
    gp_result result = gpi_check_type(gp, s->function, "type", d->type);
    size_t row;
    s->out_type = d->out_type ? d->out_type : d->type;
    if (result == GP_OK) result = gpi_check_type(gp, s->function, "out_type", s->out_type);
    if (result == GP_OK) result = gpi_stencil_check_numbers(gp, s);
    if (result != GP_OK) return result;
    s->height = d->height ? d->height : 1;
    s->channels = d->channels ? d->channels : 1;
    row = d->width > SIZE_MAX / 64 ? SIZE_MAX / 16 : d->width * s->channels;
    s->in_pitch = d->in_pitch ? d->in_pitch : row;
    s->out_pitch = d->out_pitch ? d->out_pitch : row;
    s->weights = d->map ? 0 : (size_t)(2 * d->radius_x + 1) * (2 * d->radius_y + 1);
    if (s->in_pitch < row || s->out_pitch < row) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: a pitch of %zu or %zu is less than a row of %zu",
                        s->function, s->in_pitch, s->out_pitch, row);
    }
    if (!gpi_stencil_extent(row, s->height, s->in_pitch, &s->in_count) ||
        !gpi_stencil_extent(row, s->height, s->out_pitch, &s->out_count)) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: %zu rows of %zu elements", s->function, s->height,
                        row);
    }
    return GP_OK;
}

/* Elements of local memory that a tile takes. */
static size_t gpi_stencil_near(const gpi_stencil *s)
{
    const gp_stencil_desc *d = s->desc;
    return (s->tile_x + 2 * d->radius_x * s->channels) * (s->tile_y + 2 * d->radius_y);
}

/* A tile that fits: of one row where that is all there is. */
static void gpi_stencil_choose_tile(const gp_context *gp, gpi_stencil *s)
{
    const bool serial = s->plan.shape == GP_SHAPE_SERIAL, flat = s->desc->radius_y == 0 && s->height == 1;
    const size_t size = gpi_type_size(gpi_operand(s->desc->type));
    s->tile_y = flat ? 1 : (unsigned)GPI_STENCIL_ROWS;
    if (serial) s->tile_x = flat ? GPI_STENCIL_SERIAL_LINE : GPI_STENCIL_SERIAL_ROW;
    else s->tile_x = flat ? 4 * s->plan.group : (unsigned)GPI_STENCIL_LOCAL_ROW;
    while (!serial && s->tile_y > 1 && gpi_stencil_near(s) * size > gp->info.local_mem_size / 2)
        s->tile_y /= 2;
}

/* Everything but the buffers. */
static gp_result gpi_stencil_plan(gp_context *gp, gpi_stencil *s)
{
    gp_result result = gpi_stencil_describe(gp, s);
    if (result == GP_OK) result = gpi_plan_make_map(gp, s->function, gpi_type_size(s->desc->type), &s->plan);
    if (result != GP_OK) return result;
    gpi_stencil_choose_tile(gp, s);
    return gpi_program_get_fit(gp, s->function, GPI_STENCIL, gpi_stencil_prelude, s, &s->plan, &s->program);
}

static size_t gpi_stencil_scratch(const gpi_stencil *s)
{
    return s->in_place ? s->in_count * gpi_type_size(s->desc->type) : 0;
}

static gp_result gpi_stencil_check(gp_context *gp, gpi_stencil *s)
{
    const gp_stencil_desc *d = s->desc;
    gpi_range used[GPI_STENCIL_RANGES], others[GPI_STENCIL_RANGES];
    gp_result r;
    memset(used, 0, sizeof used);
    r = gpi_check_buffer(gp, s->function, "in", d->in, d->in_offset, s->in_count, gpi_type_size(d->type),
                         GPI_READS, &used[GPI_STENCIL_IN]);
    if (r == GP_OK && s->weights)
        r = gpi_check_buffer(gp, s->function, "weights", d->weights, d->weights_offset, s->weights, 4,
                             GPI_READS, &used[GPI_STENCIL_WEIGHTS]);
    if (r == GP_OK)
        r = gpi_check_buffer(gp, s->function, "out", d->out, d->out_offset, s->out_count,
                             gpi_type_size(s->out_type), GPI_WRITES, &used[GPI_STENCIL_OUT]);
    if (r != GP_OK) return r;
    memcpy(others, used, sizeof others);
    s->in_place = gpi_same(&used[GPI_STENCIL_IN], &used[GPI_STENCIL_OUT]) && s->in_pitch == s->out_pitch;
    if (s->in_place) memset(&others[GPI_STENCIL_IN], 0, sizeof others[GPI_STENCIL_IN]);
    r = gpi_check_apart(gp, s->function, gpi_stencil_names, others, GPI_STENCIL_OUT, GPI_STENCIL_RANGES);
    if (r != GP_OK) return r;
    return gpi_check_scratch(gp, s->function, d->scratch, gpi_stencil_scratch(s), used, GPI_STENCIL_RANGES);
}

/* ------------------------------------------------------------------ launch */

/* The constant border, as an operand: of f32 where the input is of halves. */
static void gpi_stencil_arg_border(gpi_call *call, const gpi_stencil *s)
{
    const gp_value value = s->desc->border_value;
    const float half = value.f32;
    if (s->desc->type == GP_F16) gpi_call_arg(call, sizeof half, &half);
    else gpi_call_arg(call, gpi_type_size(s->desc->type), &value);
}

static gp_result gpi_stencil_launch(gpi_call *call, const gpi_stencil *s, cl_mem in, cl_ulong in_at)
{
    const gp_stencil_desc *d = s->desc;
    const cl_ulong width = d->width, height = s->height, in_pitch = s->in_pitch, out_pitch = s->out_pitch;
    const cl_ulong out_at = d->out_offset, weights_at = d->weights_offset;
    const cl_ulong across = gpi_ceil_div(d->width * s->channels, s->tile_x);
    gpi_call_kernel(call, s->program, GPI_STENCIL_TILES);
    GPI_CALL_ARG(call, in);
    GPI_CALL_ARG(call, in_at);
    GPI_CALL_ARG(call, in_pitch);
    GPI_CALL_ARG(call, d->out);
    GPI_CALL_ARG(call, out_at);
    GPI_CALL_ARG(call, out_pitch);
    if (s->weights) {
        GPI_CALL_ARG(call, d->weights);
        GPI_CALL_ARG(call, weights_at);
    }
    GPI_CALL_ARG(call, width);
    GPI_CALL_ARG(call, height);
    GPI_CALL_ARG(call, across);
    gpi_stencil_arg_border(call, s);
    return gpi_call_launch(call, &s->plan, (size_t)across * gpi_ceil_div(s->height, s->tile_y));
}

/* In place: of a copy, since neighbours are overwritten. */
static gp_result gpi_stencil_launch_in_place(gpi_call *call, const gpi_stencil *s)
{
    const gp_stencil_desc *d = s->desc;
    cl_mem copy = NULL;
    gp_result result = gpi_call_scratch(call, d->scratch, gpi_stencil_scratch(s), &copy);
    if (result == GP_OK)
        result = gpi_call_copy(call, d->in, d->in_offset * gpi_type_size(d->type), copy, 0,
                               gpi_stencil_scratch(s));
    return result == GP_OK ? gpi_stencil_launch(call, s, copy, 0) : result;
}

static gp_result gpi_stencil_call(gp_context *gp, const char *function, const gp_stencil_desc *desc)
{
    gpi_stencil s;
    gpi_call call;
    gp_result result;
    memset(&s, 0, sizeof s);
    s.desc = desc;
    s.function = function;
    result = gpi_stencil_plan(gp, &s);
    if (result == GP_OK && desc->width > 0) result = gpi_stencil_check(gp, &s);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, function, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK && desc->width > 0) {
        result = s.in_place ? gpi_stencil_launch_in_place(&call, &s)
                            : gpi_stencil_launch(&call, &s, desc->in, desc->in_offset);
    }
    return gpi_call_end(&call, result);
}

/* ------------------------------------------------------------------ API */

GP_API gp_result gp_stencil(gp_context *gp, const gp_stencil_desc *desc)
{
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_stencil: gp or desc is NULL");
    return gpi_stencil_call(gp, "gp_stencil", desc);
}

GP_API gp_result gp_stencil_scratch_size(gp_context *gp, const gp_stencil_desc *desc, size_t *bytes)
{
    gpi_stencil s;
    gp_result result;
    if (bytes) *bytes = 0;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_stencil_scratch_size: gp, desc or bytes is NULL");
    }
    memset(&s, 0, sizeof s);
    s.desc = desc;
    s.function = "gp_stencil_scratch_size";
    result = gpi_stencil_describe(gp, &s);
    s.in_place = desc->in == desc->out;
    if (result == GP_OK) *bytes = gpi_stencil_scratch(&s);
    return result;
}

/* One pixel of the context's own, with weights of zero. */
static gp_result gpi_stencil_warm_up(gp_context *gp, const gp_stencil_desc *desc)
{
    enum { LARGEST = 17 * 17 * 4 }; /* bytes of all weights */
    gp_stencil_desc probe = *desc;
    gp_result result = gpi_alloc_zeros(gp, LARGEST, &probe.in);
    probe.out = NULL;
    if (result == GP_OK) result = gpi_alloc_zeros(gp, LARGEST, &probe.out);
    probe.weights = desc->map ? NULL : probe.in;
    probe.in_offset = probe.out_offset = probe.weights_offset = 0;
    probe.in_pitch = probe.out_pitch = 0;
    probe.width = 1;
    probe.height = desc->height > 1 ? 2 : 1;
    probe.scratch = NULL;
    probe.wait = NULL;
    probe.wait_count = 0;
    probe.done = NULL;
    if (result == GP_OK) result = gpi_stencil_call(gp, "gp_warmup", &probe);
    if (probe.in) (void)clReleaseMemObject(probe.in);
    if (probe.out) (void)clReleaseMemObject(probe.out);
    return result;
}
/* ---- End file src/stencil.c ---- */

/*
MIT License

Copyright (c) 2026 the gpuprim authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/
#endif /* GPI_IMPLEMENTATION_ONCE */
#endif /* GP_IMPLEMENTATION */
