/* large.h - the cases of large.c: inputs and expected results as expressions in i (the element) and n (the count), and
   the calls. */
#ifndef GPUPRIM_TESTS_GPU_LARGE_H
#define GPUPRIM_TESTS_GPU_LARGE_H

typedef struct large {
    gp_context *gp;
    uint64_t n;
    cl_mem in, in2, out;
} large;

/* Sizes in bytes: 1, 4 or 8; 0: there is no such buffer. `in2_count` and `out_count` in elements as expressions in n.
   `expected` NULL: the output is the input, sorted. */
typedef struct large_case {
    const char *name;
    unsigned in_size;
    const char *in;
    unsigned in2_size;
    const char *in2, *in2_count;
    unsigned out_size;
    const char *expected, *out_count;
    gp_result (*run)(const large *l);
} large_case;

/* Of the values 0 ... 249 in turns those that five divides, and the rest after them. */
#define LARGE_FIFTHS "i % 250"
#define LARGE_KEPT "(n + 4) / 5"
#define LARGE_REST "(i - " LARGE_KEPT ")"

#define LARGE_RUN(name, call, desc, ...)                     \
    static gp_result run_##name(const large *l)              \
    {                                                        \
        const desc d = {__VA_ARGS__, .count = (size_t)l->n}; \
        return call(l->gp, &d);                              \
    }

LARGE_RUN(fill, gp_fill, gp_fill_desc, .out = l->out, .element_size = 1, .value = "\7")
LARGE_RUN(iota, gp_iota, gp_iota_desc, .out = l->out, .type = GP_U64)
LARGE_RUN(transform, gp_transform, gp_transform_desc, .in = l->in, .type = GP_U8, .out = l->out,
          .map = "x * 3 + 1")
LARGE_RUN(reduce, gp_reduce, gp_reduce_desc, .in = l->in, .type = GP_U8, .out = l->out, .op = GP_SUM)
LARGE_RUN(scan, gp_scan, gp_scan_desc, .in = l->in, .type = GP_U8, .out = l->out, .op = GP_SUM)
LARGE_RUN(scan_multi_pass, gp_scan, gp_scan_desc, .in = l->in, .type = GP_U8, .out = l->out, .op = GP_SUM,
          .strategy = GP_STRATEGY_MULTI_PASS)
LARGE_RUN(scan_u32, gp_scan, gp_scan_desc, .in = l->in, .type = GP_U32, .out = l->out, .op = GP_SUM)
LARGE_RUN(scan_in_place, gp_scan, gp_scan_desc, .in = l->out, .type = GP_U8, .out = l->out, .op = GP_SUM)
LARGE_RUN(select, gp_select, gp_select_desc, .in = l->in, .type = GP_U8, .out = l->out,
          .predicate = "x % 5 == 0")
LARGE_RUN(select_indices, gp_select, gp_select_desc, .in = l->in, .type = GP_U8, .indices_out = l->out,
          .index_type = GP_U64, .predicate = "x % 5 == 0")
LARGE_RUN(partition, gp_partition, gp_partition_desc, .in = l->in, .type = GP_U8, .out = l->out,
          .predicate = "x % 5 == 0")
LARGE_RUN(unique, gp_unique, gp_unique_desc, .keys = l->in, .key_type = GP_U8, .keys_out = l->out)
LARGE_RUN(rle, gp_run_length_encode, gp_run_length_encode_desc, .in = l->in, .type = GP_U8,
          .offsets_out = l->out, .index_type = GP_U64)
LARGE_RUN(by_key, gp_reduce_by_key, gp_reduce_by_key_desc, .keys = l->in, .key_type = GP_U8, .in = l->in2,
          .type = GP_U8, .out = l->out, .out_type = GP_U32, .op = GP_SUM)
LARGE_RUN(segmented_reduce, gp_segmented_reduce, gp_segmented_reduce_desc, .in = l->in, .type = GP_U8,
          .offsets = l->in2, .offsets_type = GP_U64, .segment_count = 1000, .out = l->out, .op = GP_SUM)
LARGE_RUN(sort, gp_sort, gp_sort_desc, .keys = l->in, .keys_out = l->out, .key_type = GP_U8)
LARGE_RUN(sort_u32, gp_sort, gp_sort_desc, .keys = l->in, .keys_out = l->out, .key_type = GP_U32)
LARGE_RUN(segmented_sort, gp_segmented_sort, gp_segmented_sort_desc, .keys = l->in, .keys_out = l->out,
          .key_type = GP_U8, .offsets = l->in2, .offsets_type = GP_U64, .segment_count = 1)
LARGE_RUN(topk, gp_topk, gp_topk_desc, .keys = l->in, .key_type = GP_U32, .keys_out = l->out, .k = 1000)
LARGE_RUN(search, gp_search, gp_search_desc, .keys = l->in, .key_type = GP_U8, .needles = l->in2,
          .needle_count = 256, .out = l->out)
LARGE_RUN(histogram, gp_histogram, gp_histogram_desc, .in = l->in, .type = GP_U8, .out = l->out,
          .out_type = GP_U64)
LARGE_RUN(difference, gp_adjacent_difference, gp_adjacent_difference_desc, .in = l->in, .type = GP_U8,
          .out = l->out)
LARGE_RUN(gather, gp_gather, gp_gather_desc, .in = l->in, .indices = l->in2, .index_type = GP_U64,
          .element_size = 1, .limit = (size_t)l->n, .out = l->out)
LARGE_RUN(scatter, gp_scatter, gp_gather_desc, .in = l->in, .indices = l->in2, .index_type = GP_U64,
          .element_size = 1, .limit = (size_t)l->n, .out = l->out)
LARGE_RUN(random, gp_random, gp_random_desc, .out = l->out, .type = GP_U8, .kind = GP_RANDOM_RANGE,
          .low = {.u64 = 7}, .high = {.u64 = 8})
LARGE_RUN(brackets, gp_brackets, gp_brackets_desc, .in = l->in, .type = GP_U8, .pairs = "()", .match = l->out,
          .index_type = GP_U64)
LARGE_RUN(tree, gp_tree, gp_tree_desc, .parent = l->in, .index_type = GP_U64, .end = l->out)

static gp_result run_merge(const large *l)
{
    const size_t half = (size_t)(l->n / 2);
    const gp_merge_desc d = {.a_keys = l->in,
                             .a_count = half,
                             .b_keys = l->in,
                             .b_keys_offset = half,
                             .b_count = (size_t)l->n - half,
                             .keys_out = l->out,
                             .key_type = GP_U8};
    return gp_merge(l->gp, &d);
}

static gp_result run_stencil(const large *l)
{
    const gp_stencil_desc d = {
        .in = l->in, .out = l->out, .type = GP_U8, .width = (size_t)l->n, .radius_x = 1, .weights = l->in2};
    return gp_stencil(l->gp, &d);
}

/* How often each of 64 keys is there. */
static gp_result run_hash(const large *l)
{
    const gp_hash_desc table = {.key_size = 4, .value_size = 8, .capacity = 1024};
    const gp_hash_insert_desc count = {.keys = l->in, .count = (size_t)l->n, .op = GP_SUM};
    const gp_hash_find_desc find = {.keys = l->in2, .values = l->out, .count = 64};
    gp_hash hash;
    gp_result result = gp_hash_create(l->gp, &table, &hash);
    if (result != GP_OK) return result;
    result = gp_hash_insert_or_apply(l->gp, hash, &count);
    if (result == GP_OK) result = gp_hash_find(l->gp, hash, &find);
    if (result == GP_OK) result = gp_finish(l->gp);
    gp_hash_destroy(l->gp, hash);
    return result;
}

/* clang-format off */
static const large_case large_cases[] = {
    /* name, input: bytes, expression; second input: bytes, expression, count; output: bytes, expected, count; call */
    {"reduce", 1, "1", 0, "", "", 8, "n", "1", run_reduce},
    {"scan", 1, "1", 0, "", "", 1, "i + 1", "n", run_scan},
    {"scan-multi-pass", 1, "1", 0, "", "", 1, "i + 1", "n", run_scan_multi_pass},
    {"scan-in-place", 0, "", 0, "", "", 1, "i + 1", "n", run_scan_in_place},
    {"scan-u32", 4, "1", 0, "", "", 4, "i + 1", "n", run_scan_u32},
    {"sort", 1, "i * 2654435761ul >> 20", 0, "", "", 1, NULL, "n", run_sort},
    {"sort-u32", 4, "i * 0x9e3779b97f4a7c15ul >> 32", 0, "", "", 4, NULL, "n", run_sort_u32},
    {"select", 1, LARGE_FIFTHS, 0, "", "", 1, "i % 50 * 5", LARGE_KEPT, run_select},
    {"select-indices", 1, LARGE_FIFTHS, 0, "", "", 8, "i * 5", LARGE_KEPT, run_select_indices},
    {"partition", 1, LARGE_FIFTHS, 0, "", "", 1,
     "i < " LARGE_KEPT " ? i % 50 * 5 : (" LARGE_REST " / 4 * 5 + 1 + " LARGE_REST " % 4) % 250", "n", run_partition},
    {"unique", 1, "i / 4", 0, "", "", 1, "i", "(n + 3) / 4", run_unique},
    {"rle", 1, "i / 4", 0, "", "", 8, "i * 4", "(n + 3) / 4", run_rle},
    {"by-key", 1, "i / 4", 1, "1", "n", 4, "min(4ul, n - 4 * i)", "(n + 3) / 4", run_by_key},
    {"segmented-reduce", 1, "1", 8, "i * n / 1000", "1001", 8, "(i + 1) * n / 1000 - i * n / 1000", "1000",
     run_segmented_reduce},
    {"segmented-sort", 1, "i * 2654435761ul >> 20", 8, "i * n", "2", 1, NULL, "n", run_segmented_sort},
    {"topk", 4, "i", 0, "", "", 4, "min(n, 1ul << 32) - 1 - i", "1000", run_topk},
    {"merge", 1, "(i < n / 2 ? i : i - n / 2) * 255 / (n - n / 2)", 0, "", "", 1, NULL, "n", run_merge},
    {"search", 1, "i * 256 / n", 1, "i", "256", 8, "(i * n + 255) / 256", "256", run_search},
    {"histogram", 1, "i", 0, "", "", 8, "n / 256 + (i < n % 256)", "256", run_histogram},
    {"hash", 4, "i % 64", 4, "i", "64", 8, "n / 64 + (i < n % 64)", "64", run_hash},
    {"transform", 1, "i", 0, "", "", 1, "i * 3 + 1", "n", run_transform},
    {"fill", 0, "", 0, "", "", 1, "7", "n", run_fill},
    {"iota", 0, "", 0, "", "", 8, "i", "n", run_iota},
    {"difference", 1, "i * 3", 0, "", "", 1, "i ? 3 : 0", "n", run_difference},
    {"gather", 1, "i", 8, "n - 1 - i", "n", 1, "n - 1 - i", "n", run_gather},
    {"scatter", 1, "i", 8, "n - 1 - i", "n", 1, "n - 1 - i", "n", run_scatter},
    {"random", 0, "", 0, "", "", 1, "7", "n", run_random},
    {"stencil", 1, "i", 4, "i == 1 ? 0x3f800000 : 0", "3", 1, "i", "n", run_stencil},
    {"brackets", 1, "i % 2 ? ')' : '('", 0, "", "", 8, "i == (n - 1) / 2 * 2 && n % 2 ? ~0ul : i ^ 1", "n",
     run_brackets},
    {"tree", 8, "i % 2 ? i - 1 : ~0ul", 0, "", "", 8, "i % 2 ? i + 1 : min(n, i + 2)", "n", run_tree},
};
/* clang-format on */

#endif
