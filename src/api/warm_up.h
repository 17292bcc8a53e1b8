#pragma once
#include "api/results.h"
#include "api/context.h"
#include "api/reduce.h"
#include "api/segmented_reduce.h"
#include "api/scan.h"
#include "api/select.h"
#include "api/unique.h"
#include "api/reduce_by_key.h"
#include "api/sort.h"
#include "api/merge.h"
#include "api/search.h"
#include "api/histogram.h"
#include "api/topk.h"
#include "api/segmented_sort.h"
#include "api/sort_strings.h"
#include "api/brackets.h"
#include "api/stack_scan.h"
#include "api/tree.h"
#include "api/hash.h"
#include "api/map.h"
#include "api/gather.h"
#include "api/stencil.h"
#include "api/random.h"

/* ------------------------------------------------------------------ warm-up, profile */

/* Builds (or loads) what calls with these descs will need, launches it once on a few internal elements,
   and saves it to the disk cache. Only what names the work is read: types (name type2 for two inputs),
   ops, monoid, map, strategy, reverse, segments, compensated. Its launches count in the profile:
   gp_stats_reset. Blocks. */
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
typedef struct gp_stats {
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
} gp_stats;

/* Nanoseconds of one kernel by OpenCL event times. All zero unless gp_context_desc.profile. */
typedef struct gp_kernel_times {
    char name[GP_NAME_MAX];
    uint64_t launches;
    uint64_t total_ns;
    uint64_t min_ns;
    uint64_t max_ns;
} gp_kernel_times;

/* Both block until the queue is idle. */
GP_API gp_result gp_stats_read(gp_context *gp, gp_stats *out);
/* Writes up to `capacity` entries, one a kernel name; *count is how many there are. */
GP_API gp_result gp_stats_kernels(gp_context *gp, gp_kernel_times *out, size_t capacity, size_t *count);
GP_API gp_result gp_stats_reset(gp_context *gp);
