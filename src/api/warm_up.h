#pragma once
#include "api/results.h"
#include "api/context.h"
#include "api/reduce.h"
#include "api/segmented_reduce.h"
#include "api/segmented_scan.h"
#include "api/scan.h"
#include "api/select.h"
#include "api/unique.h"
#include "api/run_length_decode.h"
#include "api/reduce_by_key.h"
#include "api/sort.h"
#include "api/merge.h"
#include "api/search.h"
#include "api/histogram.h"
#include "api/topk.h"
#include "api/segmented_topk.h"
#include "api/nth_element.h"
#include "api/segmented_sort.h"
#include "api/sort_strings.h"
#include "api/sort_records.h"
#include "api/brackets.h"
#include "api/stack_scan.h"
#include "api/tree.h"
#include "api/hash.h"
#include "api/map.h"
#include "api/gather.h"
#include "api/transpose.h"
#include "api/stencil.h"
#include "api/random.h"
#include "api/group_by.h"
#include "api/join.h"
#include "api/bloom.h"
#include "api/hyperloglog.h"

/* ------------------------------------------------------------------ warm-up, profile */

/* Builds or loads the programs that calls with these descs will need, launches their kernels as for a few
   elements, and saves the programs to the disk cache. Blocks.

   On the device the number of elements is 0, so that no expression is evaluated, and none reads beyond a
   buffer of `args`. The function of a monoid may be called with its identity, and in a context with
   check_monoids as gp_check_monoid does.

   Only fields that select a program are read: types, records (also type2 if there are two inputs), ops,
   monoid, map, args, strategy, reverse, segments, compensated. The comments of the members below name further
   fields that are read ("also"), or all of them ("only"). A NULL desc is left out.

   Cost: its launches count in the statistics: call gp_stats_reset afterwards. */
typedef struct gp_warmup_desc {
    const gp_reduce_desc *reduce; /* NULL: not wanted */
    const gp_scan_desc *scan;
    const gp_sort_desc *sort; /* also value_size (for gp_argsort that of the indices), begin_bit, end_bit, and
                                 count, the number of keys to expect (0: both few and many) */
    const gp_merge_desc *merge; /* only key_type, value_size */
    /* only key_type, out_type, records, map, needle_map, args, and for a map without a record whether the buffer
       is NULL. For searches without needles set needle_map to "i" */
    const gp_search_desc *search;
    /* only type, record, out_type, op, monoid, map, args, and whether element_stride is over 1 */
    const gp_segmented_reduce_desc *segmented_reduce;
    const gp_segmented_scan_desc *segmented_scan;
    /* only type, record, map, map_type, args, channels, out_type, weight_type, and whether edges is NULL */
    const gp_histogram_desc *histogram;
    const gp_topk_desc *topk;                     /* only key_type, index_type, strategy */
    const gp_segmented_topk_desc *segmented_topk; /* only key_type, index_type, k */
    const gp_nth_element_desc *nth_element;       /* only key_type */
    const gp_segmented_sort_desc *segmented_sort; /* also value_size */
    const gp_sort_strings_desc *sort_strings;     /* no field is read */
    /* also columns, index_type, which buffers are NULL, whether `out` is `in`, and count, as for sort */
    const gp_sort_records_desc *sort_records;
    const gp_brackets_desc *brackets;     /* also pairs, table, index_type, and which outputs are NULL */
    const gp_stack_scan_desc *stack_scan; /* also pairs, table, value_map */
    const gp_tree_desc *tree;             /* only type, map, args, index_type */
    const gp_select_desc *select;         /* also element_size, predicate, and which buffers are NULL */
    const gp_partition_desc *partition;   /* as select; also predicate2 */
    const gp_unique_desc *unique;         /* as select, with `equal`; with values, gp_unique_by_key */
    const gp_run_length_encode_desc *run_length_encode; /* as unique; also repeated_only, offsets_end */
    /* only type, element_size, offsets_type, index_type, and which outputs are NULL */
    const gp_run_length_decode_desc *run_length_decode;
    /* also key_type, key_size or key_record, equal, and whether keys_out is NULL */
    const gp_reduce_by_key_desc *reduce_by_key;
    const gp_hash_desc *hash; /* only key_size, value_size: batches, clear, rehash, retrieve, statistics */
    const gp_transform_desc *transform;                     /* only types, records, map, args */
    const gp_fill_desc *fill;                               /* only element_size */
    const gp_iota_desc *iota;                               /* only type */
    const gp_adjacent_difference_desc *adjacent_difference; /* only types, map, args */
    const gp_gather_desc *gather;                           /* only element_size, index_type */
    const gp_gather_desc *scatter;                          /* only element_size, index_type */
    const gp_unpack_desc *unpack;       /* only element_size, flags_type, and whether count is over 2^32 */
    const gp_transpose_desc *transpose; /* only element_size */
    const gp_stencil_desc *stencil;     /* only types, channels, radii, border, map, args, height > 1 */
    const gp_random_desc *random;       /* only type, kind */
    const gp_group_by_desc
        *group_by; /* types of columns, count, as for sort, which outputs are NULL, results and their args */
    const gp_join_desc *join;               /* types of columns, kind, and counts, as for sort */
    const gp_bloom_desc *bloom;             /* only types of columns */
    const gp_hyperloglog_desc *hyperloglog; /* only types of columns */
} gp_warmup_desc;

GP_API gp_result gp_warmup(gp_context *gp, const gp_warmup_desc *desc);

/* Counters since the context was made or last reset. */
typedef struct gp_stats {
    uint64_t programs_built;   /* compiled from source */
    uint64_t programs_loaded;  /* loaded from the disk cache, or imported */
    uint64_t programs_saved;   /* saved to the disk cache, or exported */
    uint64_t programs_shared;  /* copied from `share` */
    uint64_t programs_dropped; /* released to keep `program_limit` */
    uint64_t launches;         /* kernels enqueued */
    uint64_t fallbacks;        /* late tiles that a waiting group computed itself; calls of gp_topk
                                  that a sample misled */
    uint64_t
        abandoned;    /* look-backs and calls of gp_group_by and gp_join that the device cut short, and joins
                                  with another's `table`: results are wrong */
    uint64_t clamped; /* count_buffers that held more than `count`, of calls with elements */
    uint64_t bad_offsets;    /* calls that found bad offsets of segments, runs or strings */
    uint64_t skipped;        /* elements whose index was out of range (gp_gather, gp_scatter, gp_unpack) */
    uint64_t scratch_bytes;  /* bytes of scratch that the context holds now */
    uint64_t scratch_most;   /* most bytes of scratch that one call has needed */
    uint64_t scratch_allocs; /* how often scratch was allocated */
} gp_stats;

/* Nanoseconds of one kernel, by OpenCL event times. There are none without gp_context_desc.profile. */
typedef struct gp_kernel_times {
    char name[GP_NAME_MAX];
    uint64_t launches;
    uint64_t total_ns;
    uint64_t min_ns;
    uint64_t max_ns;
} gp_kernel_times;

/* Calls gp_finish, returns its error if it fails, and otherwise copies the counters. */
GP_API gp_result gp_stats_read(gp_context *gp, gp_stats *out);
/* Writes up to `capacity` entries, one per kernel name; *count is how many there are. Calls gp_finish first,
   and returns its result. */
GP_API gp_result gp_stats_kernels(gp_context *gp, gp_kernel_times *out, size_t capacity, size_t *count);
/* Calls gp_finish, and returns its error if it fails. Otherwise sets all counters except scratch_bytes to
   zero, and removes the kernel times. */
GP_API gp_result gp_stats_reset(gp_context *gp);
