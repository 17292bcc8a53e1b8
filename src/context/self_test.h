/* self_test.h - the cases of gp_self_test, and their state. */
#pragma once
#include "base/error.h"

enum { GPI_SELF_TEST_INPUTS = 2, GPI_SELF_TEST_OUTPUTS = 3 };

/* The inputs and outputs of a case. All elements are words of 32 bits. */
typedef struct gpi_self_test {
    gp_context *gp;
    size_t count; /* elements of each input; most elements of an output */
    gp_strategy strategy;
    uint32_t *in[GPI_SELF_TEST_INPUTS]; /* random, except where the case changes them */
    uint32_t *expected[GPI_SELF_TEST_OUTPUTS];
    size_t expected_count[GPI_SELF_TEST_OUTPUTS];
    uint32_t *found;
    uint64_t *order; /* `count` words in which a case sorts */
    cl_mem in_buffer[GPI_SELF_TEST_INPUTS], out_buffer[GPI_SELF_TEST_OUTPUTS];
    gp_result failure; /* result of the first failure, whose text is kept */
    char failure_text[GPI_ERROR_MAX];
} gpi_self_test;

/* clang-format off */

/* X(function, name, primitive, strategy, output, output, output)
   primitive: the primitive whose plan is reported. strategy: a strategy to test in addition to that of
   the device's tuning row; AUTO: no other strategy exists, or another case tests it. output: names of the outputs that
   are compared. */
#define GPI_SELF_TEST_CASES(X) \
    X(reduce,           "gp_reduce",           REDUCE,           AUTO,        "out", "", "") \
    X(segmented_reduce, "gp_segmented_reduce", SEGMENTED_REDUCE, AUTO,        "out", "", "") \
    X(columns,          "gp_segmented_reduce (columns)", COLUMNS, AUTO,          "out", "", "") \
    X(segmented_scan,   "gp_segmented_scan",   SEGMENTED_SCAN,   MULTI_PASS,  "out", "", "") \
    X(scan_columns,     "gp_segmented_scan (columns)", SCAN_COLUMNS, AUTO,       "out", "", "") \
    X(scan,             "gp_scan",             SCAN,             MULTI_PASS,  "out", "", "") \
    X(select,           "gp_select",           SELECT,           MULTI_PASS,  "out", "count_out", "") \
    X(partition,        "gp_partition",        SELECT,           MULTI_PASS,  "out", "rest", "counts_out") \
    X(unique,           "gp_unique",           SELECT,           MULTI_PASS,  "keys_out", "indices_out", "count_out") \
    X(reduce_by_key,    "gp_reduce_by_key",    BY_KEY,           MULTI_PASS,  "keys_out", "out", "count_out") \
    X(run_length_decode, "gp_run_length_decode", RUN_LENGTH_DECODE, AUTO,     "out", "runs_out", "positions_out") \
    X(sort_keys,        "gp_sort (keys)",      SORT,             MULTI_PASS,  "keys_out", "", "") \
    X(sort_pairs,       "gp_sort (pairs)",     SORT,             MULTI_PASS,  "keys_out", "values_out", "") \
    X(sort_few,         "gp_sort (few pairs)", SORT,             AUTO,        "keys_out", "values_out", "") \
    X(segmented_sort,   "gp_segmented_sort",   SEGMENTED_SORT,   AUTO,        "keys_out", "", "") \
    X(segmented_argsort, "gp_segmented_argsort", SEGMENTED_SORT, AUTO,       "indices_out", "", "") \
    X(sort_strings,     "gp_sort_strings",     SORT_STRINGS,     AUTO,        "out", "", "") \
    X(sort_records,     "gp_sort_records",     SORT_RECORDS,     AUTO,        "out", "indices_out", "") \
    X(topk,             "gp_topk",             TOPK,             AUTO,        "keys_out", "indices_out", "") \
    X(segmented_topk,   "gp_segmented_topk",   SEGMENTED_TOPK,   AUTO,        "keys_out", "indices_out", "") \
    X(nth_element,      "gp_nth_element",      NTH_ELEMENT,      AUTO,        "keys_out", "", "") \
    X(merge,            "gp_merge",            MERGE,            AUTO,        "keys_out", "values_out", "") \
    X(search,           "gp_search",           SEARCH,           AUTO,        "out", "", "") \
    X(histogram,        "gp_histogram",        HISTOGRAM,        AUTO,        "out", "", "") \
    X(hash,             "gp_hash",             HASH,             SINGLE_PASS, "keys", "values", "live_count") \
    X(brackets,         "gp_brackets",         BRACKETS,         MULTI_PASS,  "match", "parent", "depth") \
    X(stack_scan,       "gp_stack_scan",       STACK_SCAN,       AUTO,        "out", "", "") \
    X(tree,             "gp_tree",             TREE,             AUTO,        "index", "children", "end") \
    X(transform,        "gp_transform",        MAP,              AUTO,        "out", "", "") \
    X(gather,           "gp_gather",           GATHER,           AUTO,        "out", "", "") \
    X(transpose,        "gp_transpose",        TRANSPOSE,        AUTO,        "out", "", "") \
    X(stencil,          "gp_stencil",          STENCIL,          AUTO,        "out", "", "") \
    X(random,           "gp_random",           RANDOM,           AUTO,        "out", "", "") \
    X(group_by,         "gp_group_by",         GROUP_BY,         AUTO,        "groups_out", "rows_out", "order_out") \
    X(group_results,    "gp_group_by (results)", GROUP_RESULTS,  AUTO,        "results[0]", "results[1]", "results[2]") \
    X(join,             "gp_join",             JOIN,             AUTO,        "left_out", "right_out", "") \
    X(bloom,            "gp_bloom_contains",   BLOOM,            AUTO,        "found", "filter", "") \
    X(hyperloglog,      "gp_hyperloglog_add",  HYPERLOGLOG,      AUTO,        "registers", "", "")

/* clang-format on */

/* self_test_cases.c */
static gp_result gpi_self_test_upload(gpi_self_test *t);
static void gpi_self_test_expect(gpi_self_test *t, size_t output, uint32_t value);
static void gpi_self_test_expect_count(gpi_self_test *t, size_t output, size_t counted);
static void gpi_self_test_mask(gpi_self_test *t, uint32_t mask);
static size_t gpi_self_test_cut(gpi_self_test *t);

/* self_test_cases.c, self_test_keys.c */
#define GPI_SELF_TEST_DECLARE(function, name, primitive, strategy, a, b, c) \
    static gp_result gpi_self_test_##function(gpi_self_test *t);
GPI_SELF_TEST_CASES(GPI_SELF_TEST_DECLARE)
#undef GPI_SELF_TEST_DECLARE
