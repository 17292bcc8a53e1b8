/* calls.c - one call of one primitive, on a small fixed input, as a class of GPU would run it.

   usage: calls WORK DEVICE SUB_GROUP DUMP_FOLDER

   Prints {"elements": N, "before": LAUNCHES}: the launches that made the input ready. The program's text goes to
   the folder. */
#define GP_IMPLEMENTATION
#include "../../gpuprim.h"

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
    SEGMENTED_COUNT = 1 << 13,
    SEGMENT = 64
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

static cl_mem no_words(size_t count) { return buffer(count * sizeof *words, NULL); }

/* ------------------------------------------------------------------ the calls

   Each makes its input ready, tells so by ready(), and makes its call. */

static void ready(size_t elements)
{
    gp_stats stats;
    check(gp_stats_read(gp, &stats));
    printf("{\"elements\": %lu, \"before\": %lu}\n", (unsigned long)elements, (unsigned long)stats.launches);
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

static void sort(bool pairs)
{
    gp_sort_desc desc = {0};
    desc.keys = random_words(COUNT);
    desc.keys_out = no_words(COUNT);
    if (pairs) {
        desc.values = random_words(COUNT);
        desc.values_out = no_words(COUNT);
        desc.value_size = 4;
    }
    desc.count = COUNT;
    desc.key_type = GP_U32;
    ready(COUNT);
    check(gp_sort(gp, &desc));
}

static void call_sort(void) { sort(false); }
static void call_sort_pairs(void) { sort(true); }

static void call_histogram(void)
{
    gp_histogram_desc desc = {0};
    desc.in = random_words(REDUCE_COUNT);
    desc.out = buffer(256 * 4, NULL);
    desc.count = REDUCE_COUNT * sizeof *words;
    desc.type = GP_U8;
    ready(desc.count);
    check(gp_histogram(gp, &desc));
}

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

/* A quarter of the symbols are brackets. */
static void call_brackets(void)
{
    static const char symbols[] = "()aaaaaa";
    gp_brackets_desc desc = {0};
    uint8_t *text = (uint8_t *)words;
    size_t i;
    for (i = 0; i < COUNT; i++) text[i] = (uint8_t)symbols[random_word() % 8];
    desc.in = buffer(COUNT, text);
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

/* ------------------------------------------------------------------ works, classes */

static const struct {
    const char *name;
    void (*call)(void);
} works[] = {{"reduce-u32", call_reduce},
             {"scan-u32", call_scan},
             {"select-u32", call_select},
             {"sort-u32", call_sort},
             {"sort-pairs-u32", call_sort_pairs},
             {"histogram-u8", call_histogram},
             {"hash-insert", call_hash_insert},
             {"hash-find", call_hash_find},
             {"brackets-u8", call_brackets},
             {"merge-u32", call_merge},
             {"topk-u32", call_topk},
             {"segmented-sort-u32", call_segmented_sort},
             {"segmented-reduce-u32", call_segmented_reduce},
             {"gather-u32", call_gather},
             {"transform-u32", call_transform}};
enum { WORKS = sizeof works / sizeof *works };

static gp_device_class class_of(const char *name)
{
    if (!strcmp(name, "nvidia")) return GP_DEVICE_CLASS_NVIDIA;
    if (!strcmp(name, "amd")) return GP_DEVICE_CLASS_AMD;
    if (!strcmp(name, "intel")) return GP_DEVICE_CLASS_INTEL_GPU;
    fprintf(stderr, "calls: no such class: %s\n", name);
    exit(1);
}

int main(int count, char **arguments)
{
    size_t i = 0;
    if (count != 5) {
        fprintf(stderr, "usage: calls WORK DEVICE SUB_GROUP DUMP_FOLDER\n");
        return 1;
    }
    while (i < WORKS && strcmp(works[i].name, arguments[1]) != 0) i++;
    if (i == WORKS) {
        fprintf(stderr, "calls: no such work: %s\n", arguments[1]);
        return 1;
    }
    context.device_filter = "Oclgrind";
    context.no_disk_cache = true;
    context.dump_dir = arguments[4];
    context.tuning.device_class = class_of(arguments[2]);
    context.tuning.sub_group_size = (uint32_t)strtoul(arguments[3], NULL, 10);
    check(gp_context_create(&context, &gp));
    works[i].call();
    check(gp_finish(gp));
    gp_context_destroy(gp);
    return 0;
}
