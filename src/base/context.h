/* context.h - defines the struct of a context, which all higher layers use. */
#pragma once
#include "api/gpuprim.h"
#include "base/constants.cl"
#include "base/error.h"

#define GPI_ELEMENT_MAX 128 /* most bytes of an element with up to eight fields */

/* A table of symbols of an earlier call of gp_brackets or gp_stack_scan, kept on the device (nest.c). */
typedef struct gpi_symbols {
    int8_t table[256];
    cl_mem classes; /* NULL: the entry is free */
} gpi_symbols;

enum {
    GPI_KERNEL_PROFILES = 64,
    GPI_HASH_TOLD = GPI_COUNT_FULL - GPI_COUNT_REFUSED + 1, /* number of counters that hash kernels write */
    GPI_ASYNC_TEXT_MAX = 256,
    GPI_SYMBOL_TABLES = 8
};

struct gpi_range;

/* The functions of hash tables that lower layers call. They are set when a table is made (hash/table.c). */
typedef struct gpi_hash_hooks {
    gp_result (*check_apart)(gp_context *gp, const char *field, const struct gpi_range *range);
    cl_int (*read_told)(gp_context *gp, cl_bool blocking);
    gp_result (*tell)(gp_context *gp);
    gp_result (*result)(gp_context *gp);
} gpi_hash_hooks;

struct gp_context {
    const char *function; /* name of the current or last public call; static text */
    gp_context_desc desc; /* its strings have been copied or are no longer used */
    gp_device_info info;
    cl_context context;
    cl_command_queue queue;
    bool out_of_order;
    struct gpi_tuning_row *tuned; /* the tuning file's row per primitive; group 0: no row; NULL: no file */

    char *cache_dir;            /* folder of the disk cache; NULL: there is none */
    bool cache_closed;          /* nothing more is saved to the cache */
    char *dump_dir;             /* folder for dumps; NULL: none */
    char *options;              /* options of every build */
    char *options_sub_groups;   /* options of programs with Khronos' sub-groups; NULL: there are none */
    bool sub_group_pinned;      /* value of GPI_SUB_GROUP_PINNED in kernels (base/platform.cl) */
    cl_uint compute_capability; /* of an NVIDIA device, times ten; 0: not known */
    struct gpi_program *programs;
    struct gpi_import *imports; /* imported binaries */
    uint64_t fetches;           /* number of programs fetched so far */
    uint64_t released;          /* no call in progress uses a program whose `fetched` is at most this */
    uint32_t save_in;           /* calls until new machine code is saved; 0: no new code */

    cl_mem scratch;
    size_t scratch_size;
    struct gpi_retired *retired; /* scratch that commands may still use (launch/scratch.c) */
    size_t retired_count, retired_capacity;
    cl_event scratch_busy; /* event of the last command that uses the scratch, in out-of-order queues */
    cl_mem counters;       /* a buffer of GPI_CONTEXT_COUNTERS uints */
    bool warming_up;       /* gp_warmup is running: kernels are given a count of 0 */
    cl_mem result;         /* a buffer of one element, which replaces an `out` that the caller leaves NULL */

    uint64_t *laws; /* hashes of monoids that have passed the check (gp_context_desc.check_monoids) */
    size_t law_count;

    struct gpi_handle *handles; /* handles of hash tables */
    uint32_t handle_count;
    uint32_t generation;        /* generation of the next handle */
    const gpi_hash_hooks *hash; /* NULL: no table was created yet */
    bool hash_unread; /* hash kernels may have counted events that must be reported (gpi_hash_result) */
    cl_uint hash_told[GPI_HASH_TOLD]; /* the counters of hash kernels, as last read */

    gpi_symbols symbols[GPI_SYMBOL_TABLES];
    uint32_t symbols_next; /* the index of the next table to replace */

    gp_stats stats;
    gp_kernel_times kernels[GPI_KERNEL_PROFILES];
    size_t kernel_count;
    struct gpi_pending *pending;
    size_t pending_count, pending_capacity;
    bool order_lost;        /* a command has failed; PoCL may run the next one before commands in flight */
    size_t pending_stalled; /* number of commands, at the front of `pending`, that count as stalled */
    char async_text[GPI_ASYNC_TEXT_MAX]; /* text of the first failure of an enqueued command; empty: none */
    struct gpi_failure *failures;        /* failures that on_async_error has not received yet */
    size_t failure_count, failure_capacity;
    bool telling;         /* on_async_error is running */
    const char *callback; /* name of the callback that is running (base/use.c); NULL: none */

    char error[GPI_ERROR_MAX];
};
