#pragma once
#include "api/results.h"

/* ------------------------------------------------------------------ context */

typedef struct gp_context gp_context;

/* How tiles obtain the result of all earlier tiles. */
typedef enum gp_strategy {
    GP_STRATEGY_AUTO = 0,    /* the choice of the tuning table for the device */
    GP_STRATEGY_SINGLE_PASS, /* decoupled look-back: a scan reads the input once, a sort is onesweep */
    GP_STRATEGY_MULTI_PASS, /* no group waits for another: reduce, scan the sums, scan again; a sort counts, then moves */
    GP_STRATEGY_COUNT
} gp_strategy;

/* How a work-group works through its tile. */
typedef enum gp_shape {
    GP_SHAPE_AUTO = 0,
    GP_SHAPE_SERIAL,    /* one work-item per group, long tile, vector loop: CPUs */
    GP_SHAPE_LOCAL,     /* many work-items, local memory and barriers: GPUs */
    GP_SHAPE_SUB_GROUP, /* as GP_SHAPE_LOCAL; in primitives that gain by it, neighbours exchange values
                           without barriers: GPUs whose sub-groups compute right results */
    GP_SHAPE_COUNT
} gp_shape;

/* Width of the words through which groups exchange the state of their tiles. */
typedef enum gp_words {
    GP_WORDS_AUTO = 0,
    GP_WORDS_WIDE,   /* 64-bit atomics: 32 payload bits per word */
    GP_WORDS_NARROW, /* 32-bit atomics: 16 payload bits per word */
    GP_WORDS_COUNT
} gp_words;

typedef enum gp_log_level { GP_LOG_ERROR = 0, GP_LOG_WARNING, GP_LOG_INFO } gp_log_level;

/* Kinds of devices. The tuning table (src/runtime/tuning_table.h) says how each kind runs each primitive. */
typedef enum gp_device_class {
    GP_DEVICE_CLASS_AUTO = 0, /* the class of the device itself; never a class in gp_device_info */
    GP_DEVICE_CLASS_UNKNOWN,  /* none of the classes below: nothing is assumed */
    GP_DEVICE_CLASS_POCL,     /* PoCL on a CPU */
    GP_DEVICE_CLASS_INTEL_CPU,
    GP_DEVICE_CLASS_LLVMPIPE,
    GP_DEVICE_CLASS_NVIDIA,
    GP_DEVICE_CLASS_AMD,
    GP_DEVICE_CLASS_INTEL_GPU,
    GP_DEVICE_CLASS_MALI,   /* Arm's Mali and Immortalis */
    GP_DEVICE_CLASS_ADRENO, /* Qualcomm's */
    GP_DEVICE_CLASS_APPLE,  /* Apple's own GPUs */
    GP_DEVICE_CLASS_COUNT
} gp_device_class;

/* How work-items of one sub-group (warp, wave) reach one another. */
typedef enum gp_sub_groups {
    GP_SUB_GROUPS_NONE = 0, /* they cannot, or in no way that the library knows */
    GP_SUB_GROUPS_EMULATED, /* through local memory, between barriers: for tests */
    GP_SUB_GROUPS_KHRONOS,  /* cl_khr_subgroup_shuffle, cl_khr_subgroup_ballot */
    GP_SUB_GROUPS_NVIDIA,   /* PTX */
    GP_SUB_GROUPS_AMD,      /* built-ins of AMD's compiler */
    GP_SUB_GROUPS_COUNT
} gp_sub_groups;

#define GP_NAME_MAX 128

/* Properties of a device, as the library found them. */
typedef struct gp_device_info {
    cl_platform_id platform;
    cl_device_id device;
    cl_device_type device_type;
    gp_device_class device_class;
    char platform_name[GP_NAME_MAX];
    char name[GP_NAME_MAX];
    char vendor[GP_NAME_MAX];
    char version[GP_NAME_MAX];        /* CL_DEVICE_VERSION */
    char driver_version[GP_NAME_MAX]; /* CL_DRIVER_VERSION */
    cl_uint compute_units;
    size_t max_work_group_size;
    cl_ulong global_mem_size;
    cl_ulong max_alloc_size; /* most bytes of one buffer */
    cl_ulong local_mem_size;
    cl_ulong global_cache_size;
    bool local_mem_dedicated; /* CL_LOCAL, not carved out of global memory */
    bool int64_base_atomics;
    bool int64_extended_atomics;
    bool fp64;
    bool fp16;
    bool subgroups;           /* the device has sub-groups as OpenCL defines them */
    gp_sub_groups sub_groups; /* the form that a context's kernels may use: gp_context_create tests it, and
                                 sets NONE if it computes wrong results or the environment has
                                 GPUPRIM_SUB_GROUPS=off */
    cl_uint sub_group_size;   /* work-items of a sub-group that kernels may use; 0: none */
    bool atomic_acq_rel;      /* OpenCL 3.0: acquire and release order */
    bool atomic_scope_device; /* OpenCL 3.0: atomics in the scope of the whole device */
    bool fair;                /* a group that has started is known to keep running while others wait */
    cl_uint loop_limit;       /* number of iterations after which the device wrongly leaves a loop (Mesa's
                                 llvmpipe below version 25); 0: no such limit is known */
} gp_device_info;

/* Overrides of a device's rows of the tuning table, for tests and tuning. Zero keeps the table's value.
   gp_context_create refuses values with which no kernel can be built; it shrinks tiles that are too large for
   a device. */
typedef struct gp_tuning {
    gp_device_class device_class; /* uses the rows of another class, for tests; vendor-specific instructions
                                     and the guarantees of the device itself stay as they are */
    gp_shape shape;
    gp_words words;
    uint32_t sub_group_size;  /* emulates sub-groups of so many work-items, a power of two from 8 to 128, if
                                 the shape is GP_SHAPE_SUB_GROUP, by default or by `shape` */
    uint32_t work_group_size; /* work-items of a group, in the local shape only; rounded down to a power of
                                 two. Calls on keys or bins need at least 4 */
    uint32_t tile;            /* serial shape: elements per group, at most 2^20; local shape: elements per
                                 work-item, at most 128 */
    uint32_t polls;           /* how often a group looks at a late tile before it computes that tile itself;
                                 at most a quarter of the device's loop_limit, if it has one */
    uint32_t ring_rows;  /* gp_sort (kernels/common/sort/lookback.cl): rows of the look-back table; a power of
                            two, at least ring_reach + ring_block; 0: 1024 */
    uint32_t ring_reach; /* gp_sort: most tiles that a look-back visits; 0: 64 */
    uint32_t ring_block; /* gp_sort: tiles that may end in any order; a power of two; 0: 32 */
    uint32_t sort_portion; /* gp_sort: most keys of one launch of a single pass */
    uint32_t sort_bucket;  /* gp_sort (kernels/cpu/sort/buckets.cl): most keys of a bucket that is not split
                              again; 1: no buckets */
    uint32_t sort_lines;   /* gp_sort, serial shape (kernels/cpu/sort/rank_keys.cl): fewest keys for which a
                              pass writes whole lines past the caches */
} gp_tuning;

/* Describes the context to create. All zeros select the best device, and the default of every field. */
typedef struct gp_context_desc {
    /* Your own objects, all optional. `queue` determines context and device. `context` determines the device:
       its first one, unless `device` names another. Context and queue are retained until
       gp_context_destroy. */
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;

    /* The choice of a device when none is given above. `device_filter` is "gpu", "cpu", "accelerator",
       "P:D" (indices of platform and device), or part of a device's or platform's name or version, in
       upper or lower case. NULL: the environment variable GPUPRIM_DEVICE, which has the same forms. Of
       the devices that match, the one with the highest `score` wins; a negative score rejects a device.
       Without `score`, GPUs come before accelerators, and these before CPUs. `score_user` is passed to
       `score`. */
    const char *device_filter;
    int64_t (*score)(const gp_device_info *info, void *user);
    void *score_user;

    /* Receives messages; NULL: none. GP_LOG_INFO: the device, and, before a program is built, the call that
       needs it ("building a program of gp_sort"). It must not call the library with this context. */
    void (*log)(gp_log_level level, const char *text, void *user);
    void *log_user;

    /* Receives each failure of a command whose call has returned already. It runs on the thread that uses the
       context, at the end of gp_finish, of a blocking read, of gp_context_destroy or of a later call. It may
       call the library, also with this context, but must not destroy the context; failures that it causes are
       reported at a later call. NULL: failures are not reported here. gp_finish returns them in any case. */
    void (*on_async_error)(gp_result result, const char *text, void *user);
    void *async_error_user;

    /* The folder for built programs. NULL: the environment variable GPUPRIM_CACHE (a folder's absolute path,
       or "off" for no disk cache); without it, $XDG_CACHE_HOME/gpuprim or ~/.cache/gpuprim, if these are
       absolute paths. On PoCL the default is no folder, because PoCL has a cache of its own, and compiles a
       program again when its binary is read. A folder that cannot be written is reported to `log`, once.
       Files that belong to neither this user nor root are not loaded. */
    const char *cache_dir;
    bool no_disk_cache; /* true: no programs are loaded from disk or saved there */
    /* Bytes that the cache folder may hold; 0: 256 MiB. After a save, the programs that were used longest
       ago (to the second) are removed until the rest fits. On Windows there is no limit. */
    size_t cache_limit;
    /* Programs that the context keeps in memory; 0: 128. When one more is built, the one that was used
       longest ago is released; when it is needed again, it is loaded from the disk cache or built again. All
       programs of one call are kept until the call returns. */
    size_t program_limit;
    const char *dump_dir;      /* folder for programs' sources and binaries, made if missing; NULL: none */
    const char *build_options; /* appended to the options of every program */
    bool fast_math;            /* builds with -cl-fast-relaxed-math; false: results as IEEE 754 requires */
    bool profile;              /* collects gp_kernel_times, which slows calls down a little */
    gp_context *share;         /* a context whose cl_context and device the new one uses, too: a second queue
                                  on the same buffers. Its programs are used as well, if they were built with
                                  the same options. It may be destroyed first */
    gp_strategy strategy;      /* the strategy of calls with GP_STRATEGY_AUTO */
    /* Tests each monoid as gp_check_monoid does without samples, at the first call with it, and again at the
       first call with other args that it takes. Such a call blocks, and fails with GP_ERROR_LAW if the monoid
       violates the laws. The test makes up elements; with these, too, the monoid must not read beyond a buffer
       of args. */
    bool check_monoids;
    /* Allocate and free scratch: device memory that calls need beyond their buffers, if their desc has no
       `scratch`. A context has one scratch buffer, which grows to the size that the largest call needs.
       `scratch_alloc` returns a buffer of the context's cl_context for reading and writing, apart from all
       buffers of calls, of at least `bytes` (which may be more than the call needs). If it returns NULL, the
       call fails with GP_ERROR_OUT_OF_DEVICE_MEMORY. `scratch_free` receives the buffer when no command uses
       it any longer: during a later call, gp_finish or gp_context_destroy. Both receive scratch_user, run on
       the thread that uses the context, and must not call the library with it. NULL: clCreateBuffer,
       clReleaseMemObject. */
    cl_mem (*scratch_alloc)(size_t bytes, void *user);
    void (*scratch_free)(cl_mem buffer, void *user);
    void *scratch_user;
    /* Most bytes of scratch; a call that needs more, also within gp_warmup, fails with
       GP_ERROR_OUT_OF_DEVICE_MEMORY. 0: no limit. This limit and scratch_alloc are not copied from
       `share`. */
    size_t scratch_limit;
    gp_tuning tuning;

    /* A file with rows of the tuning table for this device (manual/waiting.md): group, bytes, strategy and
       polls of primitives. `tuning` and `strategy` take precedence over it. NULL: the file that the
       environment variable GPUPRIM_TUNING names; without it, the library's own rows for this device
       (tunings/), if any. If the file cannot be read, belongs to neither this user nor root, is damaged, or
       is for another device, gp_context_create fails with GP_ERROR_INVALID_ARGUMENT; if a line is at fault, the
       text names it. If the variable names such a file, the error is reported to `log` and the file is
       ignored. */
    const char *tuning_file;
} gp_context_desc;

/* Makes a context: chooses a device, or uses yours, and reads its properties. If kernels would use the device's
   sub-groups, builds and runs one small program that tests them.

   Errors: on failure *out is NULL, and gp_last_error(NULL) has the text (each host thread has its own).
   Example: examples/01_scan.c */
GP_API gp_result gp_context_create(const gp_context_desc *desc, gp_context **out);

/* Waits for the queue, saves newly built programs, and frees everything. NULL is allowed.

   Cost: saving programs that were built since the last gp_finish can take as long as building them, depending
   on the OpenCL implementation. */
GP_API void gp_context_destroy(gp_context *gp);

/* Returns the text of the last failure in this context. NULL: of this thread's last failure without a context
   (gp_context_create, gp_devices, any call whose gp was NULL). The next failure overwrites the text. */
GP_API const char *gp_last_error(const gp_context *gp);

/* Sets the text of the last failure to the name of `result` and `text`, passes it to `log`, and returns
   `result`. gp NULL: sets this thread's text. For code on top of this library, such as gpuprim_host.h, that
   fails as calls of the library do. */
GP_API gp_result gp_set_error(gp_context *gp, gp_result result, const char *text);

/* Marks the context as in use by a callback: calls with it fail with GP_ERROR_INVALID_ARGUMENT and a text
   that names `callback`, and gp_context_destroy does nothing. NULL ends this, after the callback has
   returned. For code on top of this library, such as gpuprim_host.h, that runs a function of its caller
   between calls. `callback` is not copied. */
GP_API void gp_set_callback(gp_context *gp, const char *callback);

/* Return the context's OpenCL objects, not retained for the caller, and the properties of its device. */
GP_API cl_context gp_cl_context(const gp_context *gp);
GP_API cl_device_id gp_cl_device(const gp_context *gp);
GP_API cl_command_queue gp_cl_queue(const gp_context *gp);
GP_API const gp_device_info *gp_context_info(const gp_context *gp);

/* Lists devices as gp_context_create sees them.

   Result: up to `capacity` infos; *count is how many devices there are. `infos` may be NULL when capacity is
   0. */
GP_API gp_result gp_devices(gp_device_info *infos, size_t capacity, size_t *count);

/* Blocks until everything enqueued so far has finished, and saves newly built programs to the disk cache.

   Cost: saving can take as long as building. Without gp_finish, a later call saves programs after they have
   run; with an out-of-order queue, only gp_finish and gp_context_destroy save programs.
   Errors: the first failure of a command that no call has reported yet. A call that returned GP_OK can still
   fail on the device, for example when an event that it waits for fails. gp_finish also reports keys that hash
   tables have refused or had no slot for (gp_hash). */
GP_API gp_result gp_finish(gp_context *gp);

/* Makes a read-write buffer of `bytes` bytes. If `data` is not NULL, fills the buffer from it, and blocks for
   the copy. Release it with clReleaseMemObject. Buffers that you make yourself serve as well.

   Errors: a size over the device's limit is refused before any driver sees it. */
GP_API gp_result gp_buffer_create(gp_context *gp, size_t bytes, const void *data, cl_mem *out);
