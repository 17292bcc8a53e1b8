/* calls.c - one call of one primitive, on a small fixed input, as a class of GPU would run it.

   usage: calls WORK DEVICE SUB_GROUP DUMP_FOLDER

   DEVICE is the class that Oclgrind pretends to be, or "own": the device that there is, and no dump. The class "unknown" has no
   sub-groups if SUB_GROUP is 0, else emulated ones.

   Prints {"elements": N, "before": LAUNCHES, "class": CLASS}: the launches that made the input ready, and the number of the
   device's gp_device_class. The program's text goes to
   the folder. */
#define GP_IMPLEMENTATION
#define GPI_SEED 0x9e3779b97f4a7c15u /* of hashes of rows */
#include "../../gpuprim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The scan has a tile for each lane of a sub-group to look back at, and one that looks; reduction and histogram have several
   for each group. Hash tables and segments are alike everywhere: few of them say as much, and sooner. */
enum {
    COUNT = 1 << 14,
    REDUCE_COUNT = 1 << 16,
    SCAN_TILE = 1 << 13, /* NVIDIA's; others' are smaller */
    LANES_MAX = 64,
    TOPK_COUNT = 1 << 17, /* of which the sample is a sixteenth */
    HASH_COUNT = 1 << 12,
    COMBINE_COUNT = 1 << 15,
    SEGMENTED_COUNT = 1 << 13,
    SEGMENT = 64,
    TOPK_ROW = 1000,
    STRING_COUNT = 1 << 12,
    SIDE = 1 << 7, /* of a picture */
    RUN = 4        /* a run's average length */
};

static gp_context *gp;
static gp_context_desc context;

static void check(gp_result result)
{
    if (result == GP_OK) return;
    fprintf(stderr, "calls: %s\n", gp_last_error(gp));
    exit(1);
}

static cl_mem buffer(size_t bytes, const void *data)
{
    cl_mem made;
    check(gp_buffer_create(gp, bytes, data, &made));
    return made;
}

/* Marsaglia's xorshift64: the same words every time. */
static uint32_t random_word(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static uint32_t words[(LANES_MAX + 1) * SCAN_TILE];

static cl_mem random_words(size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) words[i] = random_word();
    return buffer(count * sizeof *words, words);
}

/* first, first + step, ... */
static cl_mem steps(size_t count, uint32_t first, uint32_t step)
{
    size_t i;
    for (i = 0; i < count; i++) words[i] = first + (uint32_t)i * step;
    return buffer(count * sizeof *words, words);
}

/* Words that rise by one now and then. */
static cl_mem runs(size_t count)
{
    uint32_t word = 0;
    size_t i;
    for (i = 0; i < count; i++) words[i] = word += random_word() % RUN == 0;
    return buffer(count * sizeof *words, words);
}

/* A number below 2^bits, k about as often as 1 / (k + 1): Zipf's law. */
static uint32_t zipf(int bits) { return (uint32_t)(exp2(random_word() / 4294967296.0 * bits) - 1); }

static cl_mem zipf_words(size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) words[i] = zipf(32);
    return buffer(count * sizeof *words, words);
}

static cl_mem zipf_bytes(size_t count)
{
    uint8_t *bytes = (uint8_t *)words;
    size_t i;
    for (i = 0; i < count; i++) bytes[i] = (uint8_t)zipf(8);
    return buffer(count, bytes);
}

/* Random words of rising, or falling, size. */
static cl_mem sorted_words(size_t count, bool falling)
{
    const uint32_t step = (uint32_t)(((uint64_t)1 << 32) / count);
    size_t i;
    for (i = 0; i < count; i++) {
        const uint32_t part = (uint32_t)(falling ? count - 1 - i : i);
        words[i] = part * step + random_word() % step;
    }
    return buffer(count * sizeof *words, words);
}

static cl_mem no_words(size_t count) { return buffer(count * sizeof *words, NULL); }

/* ------------------------------------------------------------------ the calls

   Each makes its input ready, tells so by ready(), and makes its call. */

static void ready(size_t elements)
{
    gp_stats stats;
    check(gp_stats_read(gp, &stats));
    printf("{\"elements\": %lu, \"before\": %lu, \"class\": %d}\n", (unsigned long)elements,
           (unsigned long)stats.launches, (int)gp_context_info(gp)->device_class);
}

static void call_reduce(void)
{
    gp_reduce_desc desc = {0};
    desc.in = random_words(REDUCE_COUNT);
    desc.out = buffer(8, NULL);
    desc.count = REDUCE_COUNT;
    desc.type = GP_U32;
    desc.op = GP_SUM;
    ready(REDUCE_COUNT);
    check(gp_reduce(gp, &desc));
}

/* Particles: four words, of which a call looks at one. */
static const gp_record particle = {
    "particle", 16, "typedef struct { float mass; uint id; uint state; uint cell; } particle;"};

static void call_reduce_records(void)
{
    gp_reduce_desc desc = {0};
    desc.in = random_words(4 * COUNT);
    desc.out = buffer(8, NULL);
    desc.count = COUNT;
    desc.record = &particle;
    desc.map = "x.cell";
    desc.out_type = GP_U32;
    desc.op = GP_SUM;
    ready(COUNT);
    check(gp_reduce(gp, &desc));
}

static void call_scan(void)
{
    const bool nvidia = context.tuning.device_class == GP_DEVICE_CLASS_NVIDIA;
    const size_t count = (context.tuning.sub_group_size + 1) * (size_t)(nvidia ? SCAN_TILE : SCAN_TILE / 2);
    gp_scan_desc desc = {0};
    desc.in = random_words(count);
    desc.out = no_words(count);
    desc.count = count;
    desc.type = GP_U32;
    desc.op = GP_SUM;
    ready(count);
    check(gp_scan(gp, &desc));
}

static void call_select(void)
{
    gp_select_desc desc = {0};
    desc.in = random_words(COUNT);
    desc.out = no_words(COUNT);
    desc.count_out = buffer(4, NULL);
    desc.count = COUNT;
    desc.type = GP_U32;
    desc.predicate = "x < 2147483648u";
    ready(COUNT);
    check(gp_select(gp, &desc));
}

static void call_select_records(void)
{
    gp_select_desc desc = {0};
    desc.in = random_words(4 * COUNT);
    desc.out = no_words(4 * COUNT);
    desc.count_out = buffer(4, NULL);
    desc.count = COUNT;
    desc.record = &particle;
    desc.predicate = "x.cell < 2147483648u";
    ready(COUNT);
    check(gp_select(gp, &desc));
}

static void sort(cl_mem keys, bool pairs, gp_strategy strategy)
{
    gp_sort_desc desc = {0};
    desc.keys = keys;
    desc.keys_out = no_words(COUNT);
    if (pairs) {
        desc.values = random_words(COUNT);
        desc.values_out = no_words(COUNT);
        desc.value_size = 4;
    }
    desc.count = COUNT;
    desc.key_type = GP_U32;
    desc.strategy = strategy;
    ready(COUNT);
    check(gp_sort(gp, &desc));
}

static void call_sort(void) { sort(random_words(COUNT), false, GP_STRATEGY_SINGLE_PASS); }
static void call_sort_few(void)
{
    sort(random_words(COUNT), false, GP_STRATEGY_AUTO);
} /* so few are merged */
static void call_sort_pairs(void) { sort(random_words(COUNT), true, GP_STRATEGY_SINGLE_PASS); }
static void call_sort_records(void)
{
    static const gp_sort_column by_mass = {"x.mass", GP_F32, false};
    gp_sort_records_desc desc = {0};
    desc.in = random_words(4 * COUNT);
    desc.out = no_words(4 * COUNT);
    desc.count = COUNT;
    desc.record = &particle;
    desc.columns = &by_mass;
    desc.column_count = 1;
    desc.strategy = GP_STRATEGY_SINGLE_PASS;
    ready(COUNT);
    check(gp_sort_records(gp, &desc));
}
static void call_sort_constant(void) { sort(steps(COUNT, 0x5bd1e995u, 0), false, GP_STRATEGY_SINGLE_PASS); }
static void call_sort_sorted(void) { sort(sorted_words(COUNT, false), false, GP_STRATEGY_SINGLE_PASS); }
static void call_sort_reversed(void) { sort(sorted_words(COUNT, true), false, GP_STRATEGY_SINGLE_PASS); }
static void call_sort_zipf(void) { sort(zipf_words(COUNT), false, GP_STRATEGY_SINGLE_PASS); }

static void histogram(cl_mem in)
{
    gp_histogram_desc desc = {0};
    desc.in = in;
    desc.out = buffer(256 * 4, NULL);
    desc.count = REDUCE_COUNT * sizeof *words;
    desc.type = GP_U8;
    ready(desc.count);
    check(gp_histogram(gp, &desc));
}

static void call_histogram(void) { histogram(random_words(REDUCE_COUNT)); }
static void call_histogram_constant(void) { histogram(steps(REDUCE_COUNT, 0x5a5a5a5au, 0)); }
static void call_histogram_zipf(void) { histogram(zipf_bytes(REDUCE_COUNT * sizeof *words)); }

/* Half of the slots are taken in the end, by keys that are all different. */
static void hash(bool find)
{
    gp_hash_desc desc = {0};
    gp_hash_insert_desc insert = {0};
    gp_hash_find_desc lookup = {0};
    gp_hash table;
    desc.capacity = 2 * HASH_COUNT;
    desc.key_size = desc.value_size = 4;
    check(gp_hash_create(gp, &desc, &table));
    lookup.keys = insert.keys = steps(HASH_COUNT, 0, 2654435761u);
    insert.values = steps(HASH_COUNT, 0, 1);
    lookup.values = no_words(HASH_COUNT);
    lookup.count = insert.count = HASH_COUNT;
    if (!find) ready(HASH_COUNT);
    check(gp_hash_insert(gp, table, &insert));
    if (!find) return;
    ready(HASH_COUNT);
    check(gp_hash_find(gp, table, &lookup));
}

static void call_hash_insert(void) { hash(false); }
static void call_hash_find(void) { hash(true); }

/* A group-by: sums of the values of 64 different keys. */
static void call_hash_combine(void)
{
    gp_hash_desc desc = {0};
    gp_hash_insert_desc insert = {0};
    gp_hash table;
    size_t i;
    desc.capacity = 2 * COMBINE_COUNT;
    desc.key_size = desc.value_size = 4;
    check(gp_hash_create(gp, &desc, &table));
    for (i = 0; i < COMBINE_COUNT; i++) words[i] = random_word() % 64;
    insert.keys = buffer(COMBINE_COUNT * sizeof *words, words);
    insert.values = steps(COMBINE_COUNT, 0, 1);
    insert.count = COMBINE_COUNT;
    insert.op = GP_SUM;
    ready(COMBINE_COUNT);
    check(gp_hash_insert_or_apply(gp, table, &insert));
}

/* A quarter of the symbols are brackets. */
static cl_mem random_symbols(size_t count)
{
    static const char symbols[] = "()aaaaaa";
    uint8_t *text = (uint8_t *)words;
    size_t i;
    for (i = 0; i < count; i++) text[i] = (uint8_t)symbols[random_word() % 8];
    return buffer(count, text);
}

static void call_brackets(void)
{
    gp_brackets_desc desc = {0};
    desc.in = random_symbols(COUNT);
    desc.match = no_words(COUNT);
    desc.count = COUNT;
    desc.type = GP_U8;
    desc.pairs = "()";
    ready(COUNT);
    check(gp_brackets(gp, &desc));
}

static void call_merge(void)
{
    gp_merge_desc desc = {0};
    desc.a_keys = steps(COUNT / 2, 0, 3);
    desc.b_keys = steps(COUNT / 2, 1, 3);
    desc.keys_out = no_words(COUNT);
    desc.a_count = desc.b_count = COUNT / 2;
    desc.key_type = GP_U32;
    ready(COUNT);
    check(gp_merge(gp, &desc));
}

static void call_topk(void)
{
    gp_topk_desc desc = {0};
    desc.keys = random_words(TOPK_COUNT);
    desc.keys_out = buffer(100 * 4, NULL);
    desc.count = TOPK_COUNT;
    desc.k = 100;
    desc.key_type = GP_U32;
    ready(TOPK_COUNT);
    check(gp_topk(gp, &desc));
}

static void call_nth_element(void)
{
    const uint64_t median = TOPK_COUNT / 2;
    gp_nth_element_desc desc = {0};
    desc.keys = random_words(TOPK_COUNT);
    desc.keys_out = buffer(4, NULL);
    desc.count = TOPK_COUNT;
    desc.ranks = &median;
    desc.rank_count = 1;
    desc.key_type = GP_U32;
    ready(TOPK_COUNT);
    check(gp_nth_element(gp, &desc));
}

static void call_segmented_topk(void)
{
    gp_segmented_topk_desc desc = {0};
    desc.keys = random_words(SEGMENTED_COUNT);
    desc.indices_out = no_words(SEGMENTED_COUNT / TOPK_ROW * 16);
    desc.row_length = TOPK_ROW;
    desc.segment_count = SEGMENTED_COUNT / TOPK_ROW;
    desc.k = 16;
    desc.key_type = GP_U32;
    ready(SEGMENTED_COUNT);
    check(gp_segmented_topk(gp, &desc));
}

static void call_segmented_sort(void)
{
    gp_segmented_sort_desc desc = {0};
    desc.keys = random_words(SEGMENTED_COUNT);
    desc.keys_out = no_words(SEGMENTED_COUNT);
    desc.offsets = steps(SEGMENTED_COUNT / SEGMENT + 1, 0, SEGMENT);
    desc.count = SEGMENTED_COUNT;
    desc.offsets_type = desc.key_type = GP_U32;
    desc.segment_count = SEGMENTED_COUNT / SEGMENT;
    ready(SEGMENTED_COUNT);
    check(gp_segmented_sort(gp, &desc));
}

static void call_segmented_reduce(void)
{
    gp_segmented_reduce_desc desc = {0};
    desc.in = random_words(SEGMENTED_COUNT);
    desc.offsets = steps(SEGMENTED_COUNT / SEGMENT + 1, 0, SEGMENT);
    desc.out = buffer(SEGMENTED_COUNT / SEGMENT * 8, NULL);
    desc.count = SEGMENTED_COUNT;
    desc.offsets_type = desc.type = GP_U32;
    desc.segment_count = SEGMENTED_COUNT / SEGMENT;
    desc.op = GP_SUM;
    ready(SEGMENTED_COUNT);
    check(gp_segmented_reduce(gp, &desc));
}

static void call_scan_segments(void)
{
    gp_segmented_scan_desc desc = {0};
    desc.in = random_words(SEGMENTED_COUNT);
    desc.out = no_words(SEGMENTED_COUNT);
    desc.offsets = steps(SEGMENTED_COUNT / SEGMENT + 1, 0, SEGMENT);
    desc.count = SEGMENTED_COUNT;
    desc.offsets_type = desc.type = GP_U32;
    desc.segment_count = SEGMENTED_COUNT / SEGMENT;
    desc.op = GP_SUM;
    ready(SEGMENTED_COUNT);
    check(gp_segmented_scan(gp, &desc));
}

static void call_scan_columns(void)
{
    gp_segmented_scan_desc desc = {0};
    desc.in = random_words(COUNT);
    desc.out = no_words(COUNT);
    desc.row_length = desc.element_stride = desc.segment_count = SIDE;
    desc.type = GP_U32;
    desc.op = GP_SUM;
    ready(COUNT);
    check(gp_segmented_scan(gp, &desc));
}

static void call_columns(void)
{
    gp_segmented_reduce_desc desc = {0};
    desc.in = random_words(COUNT);
    desc.out = buffer(SIDE * 8, NULL);
    desc.row_length = desc.element_stride = desc.segment_count = SIDE;
    desc.type = GP_U32;
    desc.op = GP_SUM;
    ready(COUNT);
    check(gp_segmented_reduce(gp, &desc));
}

/* Each index once, far from its neighbours'. */
static void call_gather(void)
{
    gp_gather_desc desc = {0};
    size_t i;
    desc.in = random_words(COUNT);
    for (i = 0; i < COUNT; i++) words[i] = (uint32_t)(i * 12345u % COUNT);
    desc.indices = buffer(COUNT * sizeof *words, words);
    desc.out = no_words(COUNT);
    desc.element_size = 4;
    desc.limit = desc.count = COUNT;
    ready(COUNT);
    check(gp_gather(gp, &desc));
}

static void call_transpose(void)
{
    gp_transpose_desc desc = {0};
    desc.in = random_words(COUNT);
    desc.out = no_words(COUNT);
    desc.element_size = 4;
    desc.rows = desc.columns = SIDE;
    ready(COUNT);
    check(gp_transpose(gp, &desc));
}

static void call_transform(void)
{
    gp_transform_desc desc = {0};
    desc.in = random_words(COUNT);
    desc.out = no_words(COUNT);
    desc.type = GP_U32;
    desc.map = "x * 3u + 1u";
    desc.count = COUNT;
    ready(COUNT);
    check(gp_transform(gp, &desc));
}

/* ------------------------------------------------------------------ what selects, runs */

static void call_partition(void)
{
    gp_partition_desc desc = {0};
    desc.in = random_words(COUNT);
    desc.out = no_words(COUNT);
    desc.counts_out = buffer(8, NULL);
    desc.count = COUNT;
    desc.type = GP_U32;
    desc.predicate = "x < 2147483648u";
    desc.reversed = true;
    ready(COUNT);
    check(gp_partition(gp, &desc));
}

static void call_unique(void)
{
    gp_unique_desc desc = {0};
    desc.keys = runs(COUNT);
    desc.keys_out = no_words(COUNT);
    desc.count_out = buffer(4, NULL);
    desc.count = COUNT;
    desc.key_type = GP_U32;
    ready(COUNT);
    check(gp_unique(gp, &desc));
}

static void call_run_length_encode(void)
{
    gp_run_length_encode_desc desc = {0};
    desc.in = runs(COUNT);
    desc.out = no_words(COUNT);
    desc.lengths_out = no_words(COUNT);
    desc.count_out = buffer(4, NULL);
    desc.count = COUNT;
    desc.type = GP_U32;
    ready(COUNT);
    check(gp_run_length_encode(gp, &desc));
}

/* Runs of 4 elements on average, a quarter of them empty. */
static void call_run_length_decode(void)
{
    gp_run_length_decode_desc desc = {0};
    const size_t run_count = COUNT / RUN;
    size_t i;
    for (i = 0; i <= run_count; i++) words[i] = (uint32_t)(RUN * (i - (i % 4 == 2)));
    desc.offsets = buffer((run_count + 1) * sizeof *words, words);
    desc.in = random_words(run_count);
    desc.out = no_words(COUNT);
    desc.run_count = run_count;
    desc.count = COUNT;
    desc.offsets_type = desc.type = GP_U32;
    ready(COUNT);
    check(gp_run_length_decode(gp, &desc));
}

static void call_reduce_by_key(void)
{
    gp_reduce_by_key_desc desc = {0};
    desc.keys = runs(COUNT);
    desc.in = random_words(COUNT);
    desc.keys_out = no_words(COUNT);
    desc.out = no_words(COUNT);
    desc.count_out = buffer(4, NULL);
    desc.count = COUNT;
    desc.key_type = desc.type = desc.out_type = GP_U32;
    desc.op = GP_SUM;
    ready(COUNT);
    check(gp_reduce_by_key(gp, &desc));
}

static void call_segmented_scan(void)
{
    gp_scan_desc desc = {0};
    desc.heads = runs(COUNT);
    desc.in = random_words(COUNT);
    desc.out = no_words(COUNT);
    desc.count = COUNT;
    desc.type = desc.heads_type = GP_U32;
    desc.op = GP_SUM;
    desc.segments = GP_SEGMENTS_BY_KEYS;
    ready(COUNT);
    check(gp_scan(gp, &desc));
}

/* ------------------------------------------------------------------ search, strings, nests, pictures */

static void call_search(void)
{
    gp_search_desc desc = {0};
    desc.keys = steps(COUNT, 0, 262147);
    desc.needles = random_words(COUNT);
    desc.out = no_words(COUNT);
    desc.count = desc.needle_count = COUNT;
    desc.key_type = desc.out_type = GP_U32;
    ready(COUNT);
    check(gp_search(gp, &desc));
}

/* 4 to 19 letters each. */
static void call_sort_strings(void)
{
    static uint8_t bytes[STRING_COUNT * 20];
    gp_sort_strings_desc desc = {0};
    size_t i, used = 0;
    for (i = 0; i < STRING_COUNT; i++) {
        const size_t end = used + 4 + random_word() % 16;
        words[i] = (uint32_t)used;
        while (used < end) bytes[used++] = (uint8_t)('a' + random_word() % 26);
    }
    words[STRING_COUNT] = (uint32_t)used;
    desc.bytes = buffer(used, bytes);
    desc.offsets = buffer((STRING_COUNT + 1) * sizeof *words, words);
    desc.out = no_words(STRING_COUNT);
    desc.byte_count = used;
    desc.offsets_type = GP_U32;
    desc.count = STRING_COUNT;
    ready(STRING_COUNT);
    check(gp_sort_strings(gp, &desc));
}

static void call_stack_scan(void)
{
    gp_stack_scan_desc desc = {0};
    desc.values = random_words(SEGMENTED_COUNT);
    desc.in = random_symbols(SEGMENTED_COUNT);
    desc.out = no_words(SEGMENTED_COUNT);
    desc.count = SEGMENTED_COUNT;
    desc.type = GP_U8;
    desc.pairs = "()";
    desc.value_type = GP_U32;
    desc.op = GP_SUM;
    ready(SEGMENTED_COUNT);
    check(gp_stack_scan(gp, &desc));
}

/* Parents of random nests: of four elements one is within its predecessor, and one closes a nest. */
static void call_tree(void)
{
    gp_tree_desc desc = {0};
    uint32_t i, top = UINT32_MAX;
    for (i = 0; i < COUNT; i++) {
        const uint32_t kind = random_word() % 4;
        if (kind == 0 && i > 0) top = i - 1;
        if (kind == 1 && top != UINT32_MAX) top = words[top];
        words[i] = top;
    }
    desc.parent = buffer(COUNT * sizeof *words, words);
    desc.index = no_words(COUNT);
    desc.children = no_words(COUNT);
    desc.end = no_words(COUNT);
    desc.count = COUNT;
    ready(COUNT);
    check(gp_tree(gp, &desc));
}

/* 3 x 3 weights. */
static void call_stencil(void)
{
    static float floats[SIDE * SIDE];
    gp_stencil_desc desc = {0};
    size_t i;
    for (i = 0; i < SIDE * SIDE; i++) floats[i] = (float)(random_word() % 256);
    desc.in = buffer(sizeof floats, floats);
    desc.out = no_words(SIDE * SIDE);
    desc.weights = buffer(9 * sizeof *floats, floats);
    desc.type = GP_F32;
    desc.width = desc.height = SIDE;
    desc.radius_x = desc.radius_y = 1;
    ready(SIDE * SIDE);
    check(gp_stencil(gp, &desc));
}

/* Half as many groups as the first table has slots for, at a load of a half; a sum and a count of each. */
static void call_group_by(void)
{
    gp_key_column column = {0};
    gp_arg value = {0};
    gp_group_result results[2] = {{.op = GP_SUM, .map = "value[i]", .map_type = GP_U32}, {.op = GP_COUNT}};
    gp_group_by_desc desc = {0};
    size_t i;
    for (i = 0; i < COUNT; i++) words[i] = random_word() % 2048;
    column.in = buffer(COUNT * sizeof *words, words);
    column.type = GP_U32;
    desc.columns = &column;
    desc.column_count = 1;
    value.name = "value";
    value.type = GP_U32;
    value.buffer = column.in;
    results[0].out = no_words(2 * COUNT);
    results[1].out = no_words(COUNT);
    desc.rows_out = no_words(COUNT);
    desc.results = results;
    desc.result_count = 2;
    desc.args = &value;
    desc.arg_count = 1;
    desc.count = COUNT;
    ready(COUNT);
    check(gp_group_by(gp, &desc));
}

/* Each left row has two of the right rows, of which there are half as many. */
static void call_join(void)
{
    gp_key_column left = {0}, right = {0};
    gp_join_desc desc = {0};
    size_t i;
    for (i = 0; i < COUNT; i++) words[i] = random_word() % (COUNT / 4);
    left.in = buffer(COUNT * sizeof *words, words);
    for (i = 0; i < COUNT / 2; i++) words[i] = (uint32_t)i % (COUNT / 4);
    right.in = buffer(COUNT / 2 * sizeof *words, words);
    left.type = right.type = GP_U32;
    desc.left = &left;
    desc.right = &right;
    desc.column_count = 1;
    desc.left_count = COUNT;
    desc.right_count = COUNT / 2;
    desc.capacity = 2 * COUNT;
    desc.left_out = no_words(2 * COUNT);
    desc.right_out = no_words(2 * COUNT);
    ready(COUNT);
    check(gp_join(gp, &desc));
}

/* A filter with ten bits for each key, which has half of the keys. */
static void call_bloom(void)
{
    gp_key_column column = {0};
    gp_bloom_desc desc = {0};
    size_t i;
    for (i = 0; i < COUNT; i++) words[i] = random_word();
    column.in = buffer(COUNT * sizeof *words, words);
    column.type = GP_U32;
    desc.columns = &column;
    desc.column_count = 1;
    desc.block_count = COUNT / 26;
    for (i = 0; i < 8 * desc.block_count; i++) words[i] = 0;
    desc.filter = buffer(8 * desc.block_count * sizeof *words, words);
    desc.count = COUNT / 2;
    check(gp_bloom_add(gp, &desc));
    desc.found = no_words(COUNT / 4);
    desc.count = COUNT;
    ready(COUNT);
    check(gp_bloom_contains(gp, &desc));
}

static void call_hyperloglog(void)
{
    gp_key_column column = {0};
    gp_hyperloglog_desc desc = {0};
    size_t i;
    for (i = 0; i < COUNT; i++) words[i] = random_word();
    column.in = buffer(COUNT * sizeof *words, words);
    column.type = GP_U32;
    desc.columns = &column;
    desc.column_count = 1;
    desc.precision = 10;
    for (i = 0; i < 1024; i++) words[i] = 0;
    desc.registers = buffer(1024 * sizeof *words, words);
    desc.count = COUNT;
    ready(COUNT);
    check(gp_hyperloglog_add(gp, &desc));
}

/* ------------------------------------------------------------------ works, classes */

static const struct {
    const char *name;
    void (*call)(void);
} works[] = {{"reduce-u32", call_reduce},
             {"scan-u32", call_scan},
             {"select-u32", call_select},
             {"sort-u32", call_sort},
             {"sort-few-u32", call_sort_few},
             {"sort-pairs-u32", call_sort_pairs},
             {"sort-records", call_sort_records},
             {"reduce-records", call_reduce_records},
             {"select-records", call_select_records},
             {"histogram-u8", call_histogram},
             {"hash-insert", call_hash_insert},
             {"hash-find", call_hash_find},
             {"hash-combine", call_hash_combine},
             {"brackets-u8", call_brackets},
             {"merge-u32", call_merge},
             {"topk-u32", call_topk},
             {"nth-element-u32", call_nth_element},
             {"segmented-topk-u32", call_segmented_topk},
             {"segmented-sort-u32", call_segmented_sort},
             {"segmented-reduce-u32", call_segmented_reduce},
             {"reduce-columns-u32", call_columns},
             {"scan-segments-u32", call_scan_segments},
             {"scan-columns-u32", call_scan_columns},
             {"gather-u32", call_gather},
             {"transpose-u32", call_transpose},
             {"transform-u32", call_transform},
             {"partition-u32", call_partition},
             {"unique-u32", call_unique},
             {"rle-u32", call_run_length_encode},
             {"rle-decode-u32", call_run_length_decode},
             {"reduce-by-key-u32", call_reduce_by_key},
             {"segmented-scan-u32", call_segmented_scan},
             {"group-by-u32", call_group_by},
             {"join-u32", call_join},
             {"bloom-contains-u32", call_bloom},
             {"hyperloglog-u32", call_hyperloglog},
             {"search-u32", call_search},
             {"sort-strings", call_sort_strings},
             {"stack-scan-u8", call_stack_scan},
             {"tree-u32", call_tree},
             {"stencil-f32", call_stencil},
             {"sort-u32-constant", call_sort_constant},
             {"sort-u32-zipf", call_sort_zipf},
             {"sort-u32-sorted", call_sort_sorted},
             {"sort-u32-reversed", call_sort_reversed},
             {"histogram-u8-constant", call_histogram_constant},
             {"histogram-u8-zipf", call_histogram_zipf}};
enum { WORKS = sizeof works / sizeof *works };

static gp_device_class class_of(const char *name)
{
    if (!strcmp(name, "nvidia")) return GP_DEVICE_CLASS_NVIDIA;
    if (!strcmp(name, "amd")) return GP_DEVICE_CLASS_AMD;
    if (!strcmp(name, "intel")) return GP_DEVICE_CLASS_INTEL_GPU;
    if (!strcmp(name, "unknown")) return GP_DEVICE_CLASS_UNKNOWN;
    fprintf(stderr, "calls: no such class: %s\n", name);
    exit(1);
}

int main(int count, char **arguments)
{
    size_t i = 0;
    bool own;
    if (count != 5) {
        fprintf(stderr, "usage: calls WORK DEVICE SUB_GROUP DUMP_FOLDER\n");
        return 1;
    }
    while (i < WORKS && strcmp(works[i].name, arguments[1]) != 0) i++;
    if (i == WORKS) {
        fprintf(stderr, "calls: no such work: %s\n", arguments[1]);
        return 1;
    }
    own = strcmp(arguments[2], "own") == 0;
    context.no_disk_cache = true;
    if (!own) {
        context.device_filter = "Oclgrind";
        context.dump_dir = arguments[4];
        context.tuning.device_class = class_of(arguments[2]);
    }
    context.tuning.sub_group_size = (uint32_t)strtoul(arguments[3], NULL, 10);
    if (context.tuning.sub_group_size && context.tuning.device_class == GP_DEVICE_CLASS_UNKNOWN)
        context.tuning.shape = GP_SHAPE_SUB_GROUP;
    check(gp_context_create(&context, &gp));
    works[i].call();
    check(gp_finish(gp));
    gp_context_destroy(gp);
    return 0;
}
