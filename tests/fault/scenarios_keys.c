/* scenarios_keys.c - sorts, searches, brackets: what goes by keys or nests. See driver.h. */
#include "driver.h"

/* ------------------------------------------------------------------ sort */

static void prepare_falling(world *w)
{
    put(w, 0, falling, sizeof falling);
    put(w, 1, ramp, sizeof ramp);
    put_out(w, 2, sizeof falling);
    put_out(w, 3, sizeof ramp);
}

static gp_sort_desc sort_desc(const world *w)
{
    gp_sort_desc d = {0};
    d.keys = w->buffer[0];
    d.keys_out = w->buffer[2];
    d.values = w->buffer[1];
    d.values_out = w->buffer[3];
    d.value_size = 4;
    d.count = N;
    d.key_type = GP_U32;
    return d;
}

static gp_result run_sort(world *w)
{
    const gp_sort_desc d = sort_desc(w);
    return gp_sort(w->gp, &d);
}

static gp_result run_sort_single_pass(world *w)
{
    gp_sort_desc d = sort_desc(w);
    d.strategy = GP_STRATEGY_SINGLE_PASS;
    return gp_sort(w->gp, &d);
}

static bool check_sort(world *w)
{
    return holds(w, 2, ramp, sizeof ramp) && holds(w, 3, falling, sizeof falling);
}

/* In the local shape, whose groups have tiles of 2048 keys. */
static void with_tiles(world *w, gp_context_desc *desc)
{
    (void)w;
    desc->tuning.shape = GP_SHAPE_LOCAL;
    desc->tuning.work_group_size = 256;
    desc->tuning.tile = 8;
}

/* By buckets, which only this many long keys take, unless it is tuned so. */
static void with_buckets(world *w, gp_context_desc *desc)
{
    (void)w;
    desc->tuning.sort_bucket = 4096;
}

static uint64_t spread[N], in_order[N];

static void prepare_spread(world *w)
{
    size_t i;
    for (i = 0; i < N; i++) {
        in_order[i] = (uint64_t)i << 47;
        spread[N - 1 - i] = in_order[i];
    }
    put(w, 0, spread, sizeof spread);
    put_out(w, 2, sizeof spread);
}

static gp_result run_sort_buckets(world *w)
{
    gp_sort_desc d = {0};
    d.keys = w->buffer[0];
    d.keys_out = w->buffer[2];
    d.count = N;
    d.key_type = GP_U64;
    return gp_sort(w->gp, &d);
}

static bool check_sort_buckets(world *w) { return holds(w, 2, in_order, sizeof in_order); }

static gp_result run_argsort(world *w)
{
    gp_sort_desc d = {0};
    size_t bytes = 0;
    gp_result result;
    d.keys = w->buffer[0];
    d.values_out = w->buffer[3];
    d.count = N;
    d.key_type = GP_U32;
    result = gp_argsort_scratch_size(w->gp, &d, &bytes);
    return result == GP_OK ? gp_argsort(w->gp, &d) : result;
}

static bool check_argsort(world *w) { return holds(w, 3, falling, sizeof falling); }

static const uint32_t halves[] = {0, N / 2, N};

static void prepare_segments(world *w)
{
    prepare_falling(w);
    put(w, 4, halves, sizeof halves);
}

static gp_result run_segmented_sort(world *w)
{
    gp_segmented_sort_desc d = {0};
    gp_segmented_sort_report report;
    gp_result result;
    d.keys = w->buffer[0];
    d.keys_out = w->buffer[2];
    d.count = N;
    d.offsets = w->buffer[4];
    d.offsets_type = GP_U32;
    d.segment_count = 2;
    d.key_type = GP_U32;
    result = gp_segmented_sort(w->gp, &d);
    return result == GP_OK ? gp_segmented_sort_read(w->gp, &d, &report) : result;
}

static gp_result run_segmented_argsort(world *w)
{
    gp_segmented_sort_desc d = {0};
    size_t bytes = 0;
    gp_result result;
    d.keys = w->buffer[0];
    d.values_out = w->buffer[3];
    d.count = d.row_length = N;
    d.segment_count = 1;
    d.key_type = GP_U32;
    result = gp_segmented_argsort_scratch_size(w->gp, &d, &bytes);
    return result == GP_OK ? gp_segmented_argsort(w->gp, &d) : result;
}

static bool check_segmented_sort(world *w)
{
    size_t i;
    for (i = 0; i < N; i++) want[i] = (uint32_t)(i < N / 2 ? i + N / 2 : i - N / 2);
    return holds(w, 2, want, sizeof want);
}

/* Strings that tie in their first bytes, and some altogether. */
enum { STRINGS = 300, LENGTH = 12 };
static char strings[STRINGS * LENGTH];
static uint32_t string_offsets[STRINGS + 1];

static void prepare_strings(world *w)
{
    size_t i;
    for (i = 0; i < STRINGS; i++) {
        char text[32];
        (void)snprintf(text, sizeof text, "same%08u", (unsigned)(STRINGS - 1 - i) / 2);
        memcpy(strings + i * LENGTH, text, LENGTH);
        string_offsets[i] = (uint32_t)(i * LENGTH);
    }
    string_offsets[STRINGS] = sizeof strings;
    put(w, 0, strings, sizeof strings);
    put(w, 1, string_offsets, sizeof string_offsets);
    put_out(w, 2, 4 * STRINGS);
}

static gp_result run_sort_strings(world *w)
{
    gp_sort_strings_desc d = {0};
    d.bytes = w->buffer[0];
    d.byte_count = sizeof strings;
    d.offsets = w->buffer[1];
    d.offsets_type = GP_U32;
    d.out = w->buffer[2];
    d.count = STRINGS;
    return gp_sort_strings(w->gp, &d);
}

static bool check_sort_strings(world *w)
{
    size_t i;
    for (i = 0; i < STRINGS; i++) want[i] = (uint32_t)(STRINGS - 2 - (i & ~(size_t)1) + (i & 1));
    return holds(w, 2, want, 4 * STRINGS);
}

/* ------------------------------------------------------------------ sort of records */

/* Pairs of the input are records: by both halves of the second word, in keys of their own, then back in place. */
static gp_result run_sort_records(world *w)
{
    static const gp_record pair = {.cl_type = "uint2", .size = 8};
    static const gp_sort_column columns[] = {{"x.y >> 16", GP_U64, false}, {"x.y & 65535", GP_U16, false}};
    gp_sort_records_desc d = {0};
    gp_result result;
    d.in = w->buffer[0];
    d.out = w->buffer[2];
    d.record = &pair;
    d.columns = columns;
    d.column_count = 2;
    d.count = N / 2;
    result = gp_sort_records(w->gp, &d);
    if (result != GP_OK) return result;
    d.in = w->buffer[2];
    return gp_sort_records(w->gp, &d);
}

static bool check_sort_records(world *w)
{
    size_t i;
    for (i = 0; i < N; i++) want[i] = (uint32_t)(i ^ 1);
    return holds(w, 2, want, sizeof want);
}

/* ------------------------------------------------------------------ merge, search, topk */

static gp_result run_merge(world *w)
{
    gp_merge_desc d = {0};
    d.a_keys = w->buffer[1];
    d.a_count = N / 2;
    d.b_keys = w->buffer[1];
    d.b_keys_offset = N / 2;
    d.b_count = N / 2;
    d.keys_out = w->buffer[2];
    d.key_type = GP_U32;
    return gp_merge(w->gp, &d);
}

static bool check_merge(world *w) { return holds(w, 2, ramp, sizeof ramp); }

static gp_result run_search(world *w)
{
    gp_search_desc d = {0};
    d.keys = w->buffer[1];
    d.count = N;
    d.needles = w->buffer[0];
    d.needle_count = N;
    d.out = w->buffer[2];
    d.out_type = GP_U32;
    d.key_type = GP_U32;
    return gp_search(w->gp, &d);
}

static bool check_search(world *w) { return holds(w, 2, falling, sizeof falling); }

/* Even numbers are a field of records, and needles all numbers, which are in no buffer. */
static gp_result run_search_maps(world *w)
{
    static const gp_record pair = {.cl_type = "uint2", .size = 8};
    gp_search_desc d = {0};
    d.keys = w->buffer[1];
    d.count = N / 2;
    d.record = &pair;
    d.map = "x.x";
    d.needle_count = N;
    d.out = w->buffer[2];
    d.out_type = GP_U32;
    d.key_type = GP_U32;
    return gp_search(w->gp, &d);
}

static bool check_search_maps(world *w)
{
    size_t i;
    for (i = 0; i < N; i++) want[i] = (uint32_t)(i + 1) / 2;
    return holds(w, 2, want, sizeof want);
}

static gp_result run_topk(world *w)
{
    gp_topk_desc d = {0};
    d.keys = w->buffer[0];
    d.keys_out = w->buffer[2];
    d.indices_out = w->buffer[3];
    d.count = N;
    d.k = 100;
    d.key_type = GP_U32;
    return gp_topk(w->gp, &d);
}

static bool check_topk(world *w) { return holds(w, 2, falling, 4 * 100) && holds(w, 3, ramp, 4 * 100); }

/* A row that is cut into parts, and has a k of its own. */
static gp_result run_segmented_topk(world *w)
{
    gp_segmented_topk_desc d = {0};
    d.keys = w->buffer[0];
    d.keys_out = w->buffer[2];
    d.indices_out = w->buffer[3];
    d.row_length = N;
    d.segment_count = 1;
    d.k = 100;
    d.ks = w->buffer[1];
    d.ks_offset = 100; /* ramp[100] is 100 */
    d.key_type = GP_U32;
    return gp_segmented_topk(w->gp, &d);
}

static gp_result run_nth_element(world *w)
{
    const uint64_t ranks[3] = {N - 1, N - 2, N - 3};
    gp_nth_element_desc d = {0};
    d.keys = w->buffer[0];
    d.keys_out = w->buffer[2];
    d.count = N;
    d.ranks = ranks;
    d.rank_count = 3;
    d.key_type = GP_U32;
    return gp_nth_element(w->gp, &d);
}

static bool check_nth_element(world *w) { return holds(w, 2, falling, 4 * 3); }

/* ------------------------------------------------------------------ brackets, stack scan, tree */

/* ()()()... between one pair around all. */
static char brackets[N];

static void prepare_brackets(world *w)
{
    size_t i;
    for (i = 0; i < N; i++) brackets[i] = i == 0 || (i % 2 && i < N - 1) ? '(' : ')';
    put(w, 0, brackets, sizeof brackets);
    put(w, 1, ramp, sizeof ramp);
    put_out(w, 2, 4 * N);
    put_out(w, 3, 4 * N);
}

/* There are several. */
static void with_small_tiles(world *w, gp_context_desc *desc)
{
    (void)w;
    desc->tuning.tile = 4096;
}

static gp_result match_brackets(world *w, gp_strategy strategy)
{
    gp_brackets_desc d = {0};
    gp_result result;
    d.strategy = strategy;
    d.in = w->buffer[0];
    d.count = N;
    d.type = GP_U8;
    d.match = w->buffer[2];
    d.depth = w->buffer[3];
    result = gp_brackets(w->gp, &d);
    return result == GP_OK ? gp_brackets_read(w->gp, &d, (gp_brackets_errors *)(void *)w->number) : result;
}

static gp_result run_brackets(world *w) { return match_brackets(w, GP_STRATEGY_MULTI_PASS); }

static gp_result run_brackets_single_pass(world *w) { return match_brackets(w, GP_STRATEGY_SINGLE_PASS); }

static bool check_brackets(world *w)
{
    gp_brackets_errors errors;
    size_t i;
    memcpy(&errors, w->number, sizeof errors);
    for (i = 1; i < N - 1; i++) want[i] = (uint32_t)(i % 2 ? i + 1 : i - 1);
    want[0] = N - 1;
    want[N - 1] = 0;
    return errors.max_depth == 2 && errors.mismatches == 0 && holds(w, 2, want, sizeof want);
}

static gp_result run_stack_scan(world *w)
{
    gp_stack_scan_desc d = {0};
    d.in = w->buffer[0];
    d.count = N;
    d.type = GP_U8;
    d.values = w->buffer[1];
    d.value_type = GP_U32;
    d.op = GP_SUM;
    d.out = w->buffer[2];
    return gp_stack_scan(w->gp, &d);
}

static bool check_stack_scan(world *w)
{
    size_t i;
    for (i = 0; i < N; i++) want[i] = i % 2 && i < N - 1 ? (uint32_t)i : 0;
    return holds(w, 2, want, sizeof want);
}

/* All elements are children of the first. */
static void prepare_tree(world *w)
{
    memset(want, 0, sizeof want);
    want[0] = UINT32_MAX;
    put_inout(w, 0, want, sizeof want);
    put_out(w, 2, 4 * N);
    put_out(w, 3, 4 * N);
}

static gp_result run_tree(world *w)
{
    gp_tree_desc d = {0};
    d.parent = w->buffer[0];
    d.count = N;
    d.index = w->buffer[2];
    d.children = w->buffer[3];
    return gp_tree(w->gp, &d);
}

static bool check_tree(world *w)
{
    size_t i;
    for (i = 0; i < N; i++) want[i] = (uint32_t)(i ? i - 1 : 0);
    if (!holds(w, 2, want, sizeof want)) return false;
    memset(want, 0, sizeof want);
    want[0] = N - 1;
    return holds(w, 3, want, sizeof want);
}

const scenario scenarios_keys[] = {
    {"sort", NULL, prepare_falling, run_sort, check_sort, NULL, false, false},
    {"sort_single_pass", NULL, prepare_falling, run_sort_single_pass, check_sort, NULL, false, false},
    {"sort_local", with_tiles, prepare_falling, run_sort, check_sort, NULL, false, false},
    {"sort_buckets", with_buckets, prepare_spread, run_sort_buckets, check_sort_buckets, NULL, false, false},
    {"argsort", NULL, prepare_falling, run_argsort, check_argsort, NULL, false, false},
    {"segmented_sort", NULL, prepare_segments, run_segmented_sort, check_segmented_sort, NULL, false, false},
    {"segmented_argsort", NULL, prepare_falling, run_segmented_argsort, check_argsort, NULL, false, false},
    {"sort_strings", NULL, prepare_strings, run_sort_strings, check_sort_strings, NULL, false, false},
    {"sort_records", NULL, prepare_falling, run_sort_records, check_sort_records, NULL, false, false},
    {"merge", NULL, prepare_falling, run_merge, check_merge, NULL, false, false},
    {"search", NULL, prepare_falling, run_search, check_search, NULL, false, false},
    {"search_maps", NULL, prepare_falling, run_search_maps, check_search_maps, NULL, false, false},
    {"topk", NULL, prepare_falling, run_topk, check_topk, NULL, false, false},
    {"segmented_topk", NULL, prepare_falling, run_segmented_topk, check_topk, NULL, false, false},
    {"nth_element", NULL, prepare_falling, run_nth_element, check_nth_element, NULL, false, false},
    {"brackets", with_small_tiles, prepare_brackets, run_brackets, check_brackets, NULL, false, false},
    {"brackets_single_pass", with_small_tiles, prepare_brackets, run_brackets_single_pass, check_brackets,
     NULL, false, false},
    {"stack_scan", NULL, prepare_brackets, run_stack_scan, check_stack_scan, NULL, false, false},
    {"tree", NULL, prepare_tree, run_tree, check_tree, NULL, false, false},
    {0},
};
