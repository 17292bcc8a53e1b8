/* context.h - what a context holds, for all that is above. Each part is the folder's that is named there. */
#pragma once
#include "api/gpuprim.h"
#include "base/constants.cl"
#include "base/error.h"

#define GPI_ELEMENT_MAX 128 /* bytes of an element, eight fields included */

/* A table of symbols that a call of gp_brackets or gp_stack_scan has brought along, on the device (nest.c). */
typedef struct gpi_symbols {
    int8_t table[256];
    cl_mem classes; /* NULL: free */
} gpi_symbols;

enum {
    GPI_KERNEL_PROFILES = 64,
    GPI_HASH_TOLD = GPI_COUNT_FULL - GPI_COUNT_REFUSED + 1, /* counters that hash kernels raise */
    GPI_ASYNC_TEXT_MAX = 256,
    GPI_SYMBOL_TABLES = 8
};

struct gpi_range;

/* What lower layers ask of hash tables, which are above them: set where a table is made (hash/table.c). */
typedef struct gpi_hash_hooks {
    gp_result (*check_apart)(gp_context *gp, const char *function, const char *field,
                             const struct gpi_range *range);
    cl_int (*read_told)(gp_context *gp, cl_bool blocking);
    gp_result (*tell)(gp_context *gp);
    gp_result (*result)(gp_context *gp);
} gpi_hash_hooks;

struct gp_context {
    gp_context_desc desc; /* its strings are copied or no longer looked at */
    gp_device_info info;
    cl_context context;
    cl_command_queue queue;
    bool out_of_order;
    struct gpi_tuning_row
        *tuned; /* by primitive: the tuning file's rows, of group 0 where it has none; NULL: no file */

    char *cache_dir;            /* NULL: no disk cache */
    bool cache_closed;          /* nothing more is saved there */
    char *dump_dir;             /* NULL: no dump */
    char *options;              /* of every build */
    char *options_sub_groups;   /* of programs with Khronos' sub-groups; NULL: there are none */
    bool sub_group_pinned;      /* GPI_SUB_GROUP_PINNED of the kernels */
    cl_uint compute_capability; /* NVIDIA's, times ten; 0: not known */
    struct gpi_program *programs;
    struct gpi_import *imports; /* binaries that gp_programs_import has brought */
    uint64_t fetches;           /* of programs, so far */
    uint64_t released;          /* programs fetched by then are held by no call in progress */
    uint32_t save_in; /* calls until programs are saved that have new machine code; 0: there is none */

    cl_mem scratch;
    size_t scratch_size;
    struct gpi_retired *retired; /* scratch that commands may still use (launch/scratch.c) */
    size_t retired_count, retired_capacity;
    cl_event scratch_busy; /* out-of-order queues: the last command that uses the scratch */
    cl_mem counters;       /* GPI_CONTEXT_COUNTERS uints */
    bool warming_up;       /* gp_warmup is going on: launches are of no elements */
    cl_mem result;         /* one element, for gp_reduce_read without a buffer */

    uint64_t *laws; /* of monoids that have been tried: check_monoids */
    size_t law_count;

    struct gpi_handle *handles; /* of hash tables */
    uint32_t handle_count;
    uint32_t generation;        /* of the next one */
    const gpi_hash_hooks *hash; /* NULL: there has been no table */
    bool hash_unread;           /* hash kernels may have counted what has to be told (gpi_hash_result) */
    cl_uint hash_told[GPI_HASH_TOLD]; /* what they have counted, as last read */

    gpi_symbols symbols[GPI_SYMBOL_TABLES];
    uint32_t symbols_next; /* the place of the next one */

    gp_stats stats;
    gp_kernel_times kernels[GPI_KERNEL_PROFILES];
    size_t kernel_count;
    struct gpi_pending *pending;
    size_t pending_count, pending_capacity;
    bool order_lost;        /* a command has failed, and PoCL's next one may run before those in flight */
    size_t pending_stalled; /* the first ones, that a call has waited for in vain */
    char async_text[GPI_ASYNC_TEXT_MAX]; /* of the first failure after enqueuing; empty: none */
    struct gpi_failure *failures;        /* that on_async_error is still to be told */
    size_t failure_count, failure_capacity;
    bool telling;         /* on_async_error is being called */
    const char *callback; /* the one that is running in the middle of a call (base/use.c); NULL: none */

    char error[GPI_ERROR_MAX];
};
