/* primitives.h - one row per primitive: its program, its limits for tuning, and the calls that warm it up. */
#pragma once

/* clang-format off */

/* X(primitive, entry file, rows, memory, least, warm-ups)

   entry file: the program's first file, in kernels/. rows: the primitive, itself or another, whose rows of GPI_TUNING
   (runtime/tuning_table.h) it uses. memory: the end of the name of a function in tuning.c, gpi_local_bytes_of_...,
   which returns a group's local memory. least: the fewest work-items of a local group. Primitives on keys or on bins
   need four, because searches do, and because PoCL 3.1 compiles onesweep for groups of two into code that writes out of
   bounds. warm-ups: W(field, DESC) for each field of gp_warmup_desc that belongs to the primitive. The field points to
   a gp_DESC_desc, which is passed to gpi_FIELD_warm_up. gp_warmup warms up the primitives in the order of these
   rows. */
#define GPI_PRIMITIVE_ROWS(X, W) \
    X(REDUCE,           "scan/reduce.cl",           REDUCE,     values,   1, W(reduce, reduce)) \
    X(SCAN,             "scan/scan.cl",             SCAN,       elements, 1, W(scan, scan)) \
    X(SORT,             "sort/sort.cl",             SORT,       keys,     4, W(sort, sort)) \
    X(BUCKETS,          "sort/buckets.cl",          SORT,       keys,     4, ) \
    X(SORT_TILE,        "sort/sort_tile.cl",        SORT_TILE,  keys,     4, ) \
    X(MERGE,            "sort/merge.cl",            MERGE,      merge,    4, W(merge, merge)) \
    X(SEARCH,           "sort/search.cl",           SEARCH,     keys,     4, W(search, search)) \
    X(TOPK,             "sort/topk.cl",             SORT,       keys,     4, W(topk, topk)) \
    X(SEGMENTED_TOPK,   "sort/segmented_topk.cl",   SORT,       keys,     4, W(segmented_topk, segmented_topk)) \
    X(NTH_ELEMENT,      "sort/nth_element.cl",      SORT,       keys,     4, W(nth_element, nth_element)) \
    X(SEGMENTED_REDUCE, "scan/segmented_reduce.cl", REDUCE,     values,   1, W(segmented_reduce, segmented_reduce)) \
    X(COLUMNS,          "scan/reduce_columns.cl",   REDUCE,     values,   1, ) \
    X(SEGMENTED_SCAN,   "scan/segmented_scan.cl",   SCAN,       elements, 1, W(segmented_scan, segmented_scan)) \
    X(SCAN_COLUMNS,     "scan/scan_columns.cl",     REDUCE,     values,   1, ) \
    X(HISTOGRAM,        "histogram/histogram.cl",   HISTOGRAM,  keys,     4, W(histogram, histogram)) \
    X(SEGMENTED_SORT,   "sort/segmented_sort.cl",   SORT,       keys,     4, W(segmented_sort, segmented_sort)) \
    X(SORT_STRINGS,     "sort/sort_strings.cl",     SORT,       keys,     4, W(sort_strings, sort_strings)) \
    X(SORT_RECORDS,     "sort/sort_records.cl",     MAP,        keys,     1, W(sort_records, sort_records)) \
    X(BRACKETS,         "nest/brackets.cl",         BRACKETS,   brackets, 1, W(brackets, brackets)) \
    X(BRACKETS_BACK,    "nest/brackets_single_pass.cl", BRACKETS, brackets, 1, ) \
    X(SELECT,           "select/select.cl",         SELECT,     elements, 1, W(select, select) W(partition, partition) \
                                                     W(unique, unique)) \
    X(BY_KEY,           "select/by_key.cl",         SELECT,     elements, 1, W(reduce_by_key, reduce_by_key) \
                                                     W(run_length_encode, run_length_encode)) \
    X(RUN_LENGTH_DECODE, "select/run_length_decode.cl", SELECT, elements, 1, W(run_length_decode, run_length_decode)) \
    X(STACK_SCAN,       "nest/stack_scan.cl",       STACK_SCAN, stack,    1, W(stack_scan, stack_scan)) \
    X(TREE,             "nest/tree.cl",             TREE,       tree,     1, W(tree, tree)) \
    X(HASH,             "hash/hash.cl",             HASH,       keys,     1, W(hash, hash)) \
    X(HASH_EACH,        "hash/each.cl",             HASH,       keys,     1, ) \
    X(MAP,              "map/map.cl",               MAP,        keys,     1, W(transform, transform) W(fill, fill) \
                                                     W(iota, iota) W(adjacent_difference, adjacent_difference)) \
    X(GATHER,           "map/gather.cl",            MAP,        keys,     1, W(gather, gather) W(scatter, gather) \
                                                     W(unpack, unpack)) \
    X(TRANSPOSE,        "map/transpose.cl",         MAP,        keys,     1, W(transpose, transpose)) \
    X(STENCIL,          "map/stencil.cl",           MAP,        keys,     1, W(stencil, stencil)) \
    X(RANDOM,           "map/random.cl",            MAP,        keys,     1, W(random, random)) \
    X(GROUP_BY,         "table/group_by.cl",        MAP,        keys,     1, W(group_by, group_by)) \
    X(JOIN,             "table/join.cl",            SELECT,     elements, 1, W(join, join)) \
    X(BLOOM,            "table/bloom.cl",           MAP,        keys,     1, W(bloom, bloom)) \
    X(HYPERLOGLOG,      "table/hyperloglog.cl",     MAP,        keys,     1, W(hyperloglog, hyperloglog)) \
    X(GROUP_RESULTS,    "table/group_results.cl",   REDUCE,     values,   1, ) \
    X(MONOID_CHECK,     "scan/monoid_check.cl",     REDUCE,     elements, 1, ) \
    X(SUB_GROUP_CHECK,  "group/sub_group_check.cl", REDUCE,     values,   1, )

/* clang-format on */

#define GPI_LEFT_OUT(field, DESC) /* a W that drops the warm-ups */
