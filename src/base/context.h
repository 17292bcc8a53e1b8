/* context.h - the struct of a context, for all layers above. */
#pragma once
#include "api/gpuprim.h"
#include "base/constants.cl"
#include "base/error.h"

#define GPI_ELEMENT_MAX 128 /* most bytes of an element, even of one with eight fields */

/* A table of symbols of an earlier call of gp_brackets or gp_stack_scan, kept on the device (nest.c). */
typedef struct gpi_symbols {
    int8_t table[256];
    cl_mem classes; /* NULL: the entry is free */
} gpi_symbols;

enum {
    GPI_KERNEL_PROFILES = 64,
    GPI_HASH_TOLD = GPI_COUNT_FULL - GPI_COUNT_REFUSED + 1, /* counters of hash kernels */
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
    struct gpi_tuning_row *tuned; /* rows of the tuning file by primitive; group 0: no row; NULL: no file */

    char *cache_dir;            /* folder of the disk cache; NULL: there is none */
    bool cache_closed;          /* nothing more is saved to the cache */
    char *dump_dir;             /* folder for dumps; NULL: none */
    char *options;              /* options of every build */
    char *options_sub_groups;   /* options of programs with Khronos' sub-groups; NULL: there are none */
    bool sub_group_pinned;      /* GPI_SUB_GROUP_PINNED of the kernels */
    cl_uint compute_capability; /* NVIDIA's, times ten; 0: not known */
    struct gpi_program *programs;
    struct gpi_import *imports; /* imported binaries */
    uint64_t fetches;           /* number of programs fetched so far */
    uint64_t released;          /* calls in progress do not use programs fetched up to this number */
    uint32_t save_in;           /* calls until new machine code is saved; 0: there is none */

    cl_mem scratch;
    size_t scratch_size;
    struct gpi_retired *retired; /* scratch that commands may still use (launch/scratch.c) */
    size_t retired_count, retired_capacity;
    cl_event scratch_busy; /* out-of-order queues: the last command that uses the scratch */
    cl_mem counters;       /* a buffer of GPI_CONTEXT_COUNTERS uints */
    bool warming_up;       /* gp_warmup is running: kernels are given a count of 0 */
    cl_mem result;         /* a buffer of one element, for gp_reduce_read without a buffer */

    uint64_t *laws; /* hashes of monoids that have been checked (check_monoids) */
    size_t law_count;

    struct gpi_handle *handles; /* handles of hash tables */
    uint32_t handle_count;
    uint32_t generation;        /* generation of the next handle */
    const gpi_hash_hooks *hash; /* NULL: no table was created yet */
    bool hash_unread; /* hash kernels may have counted events that must be reported (gpi_hash_result) */
    cl_uint hash_told[GPI_HASH_TOLD]; /* the hash kernels' counts, as last read */

    gpi_symbols symbols[GPI_SYMBOL_TABLES];
    uint32_t symbols_next; /* the index of the next table to replace */

    gp_stats stats;
    gp_kernel_times kernels[GPI_KERNEL_PROFILES];
    size_t kernel_count;
    struct gpi_pending *pending;
    size_t pending_count, pending_capacity;
    bool order_lost;        /* a command has failed; on PoCL the next one may run before commands in flight */
    size_t pending_stalled; /* number of commands at the front that count as stalled */
    char async_text[GPI_ASYNC_TEXT_MAX]; /* text of the first failure after enqueuing; empty: none */
    struct gpi_failure *failures;        /* failures that on_async_error has not received yet */
    size_t failure_count, failure_capacity;
    bool telling;         /* on_async_error is running */
    const char *callback; /* name of the callback that is running (base/use.c); NULL: none */

    char error[GPI_ERROR_MAX];
};
