/* first_calls.c - what the first call of each primitive takes in a process whose caches are empty, and where that time goes.

   usage: first_calls [NAME...]        calls whose names contain one of these; none: all
          FIRST_CALLS_KERNELS=1 first_calls NAME...          a line for each first launch of a kernel, too

   The device is GPUPRIM_DEVICE's. The context is a plain one. Its disk cache, where it has one, and the driver's own are
   for the caller to empty: `make first-calls` does. Times are in milliseconds: of the call and what it waits for, of clBuildProgram, and of launches, each of
   which is waited for. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

static cl_int timed_build(cl_program program, cl_uint devices, const cl_device_id *device,
                          const char *options, void(CL_CALLBACK *notify)(cl_program, void *), void *user);
static cl_int timed_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                           const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait,
                           cl_event *event);

#define GP_IMPLEMENTATION
#define clBuildProgram timed_build
#define clEnqueueNDRangeKernel timed_launch
#include "../gpuprim.h"
#undef clBuildProgram
#undef clEnqueueNDRangeKernel

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 1 << 18, SEGMENT = 256, STRINGS = 1 << 14, HASHED = 1 << 14, SIDE = 512 };

static gp_context *gp;
static double built, launched;
static int programs, launches;
static bool kernels_too, cpu_time;

static double now(void)
{
    struct timespec t;
    clock_gettime(cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static cl_int timed_build(cl_program program, cl_uint devices, const cl_device_id *device,
                          const char *options, void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
    const double begin = now();
    const cl_int error = clBuildProgram(program, devices, device, options, notify, user);
    built += now() - begin;
    programs++;
    return error;
}

static cl_int timed_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                           const size_t *global, const size_t *local, cl_uint waits, const cl_event *wait,
                           cl_event *event)
{
    const double begin = now();
    const cl_int error =
        clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, wait, event);
    double took;
    char name[64] = "";
    (void)clFinish(queue);
    took = now() - begin;
    launched += took;
    launches++;
    (void)clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    if (kernels_too) printf("    %-36s local %4zu %9.1f\n", name, local ? *local : 0, took);
    return error;
}

static void check(gp_result result)
{
    if (result == GP_OK) return;
    fprintf(stderr, "first_calls: %s\n", gp_last_error(gp));
    exit(1);
}

/* ------------------------------------------------------------------ buffers, of words */

static uint32_t word[COUNT + 1];
static cl_mem in, in2, sorted, runs, steps, offsets, parents, text, out, out2, out3, number;

static cl_mem buffer(const uint32_t *data)
{
    cl_mem made;
    check(gp_buffer_create(gp, sizeof word, data, &made));
    return made;
}

/* Marsaglia's xorshift32. */
static uint32_t random_word(void)
{
    static uint32_t x = 2463534242u;
    x ^= x << 13;
    x ^= x >> 17;
    return x ^= x << 5;
}

static void make_buffers(void)
{
    size_t i;
    for (i = 0; i <= COUNT; i++) word[i] = random_word();
    in = buffer(word);
    in2 = buffer(word);
    for (i = 0; i <= COUNT; i++) word[i] = (uint32_t)i;
    sorted = steps = buffer(word);
    for (i = 0; i <= COUNT; i++) word[i] = (uint32_t)i / 5;
    runs = buffer(word);
    for (i = 0; i <= COUNT; i++) word[i] = (uint32_t)i * SEGMENT;
    offsets = buffer(word);
    for (i = 0; i <= COUNT; i++) word[i] = i % 8 ? (uint32_t)(i - i % 8 / 2 - 1) : UINT32_MAX;
    parents = buffer(word);
    for (i = 0; i < sizeof word; i++) ((char *)word)[i] = "()ab[]c"[random_word() % 7];
    text = buffer(word);
    out = buffer(NULL);
    out2 = buffer(NULL);
    out3 = buffer(NULL);
    number = buffer(NULL);
}

/* ------------------------------------------------------------------ calls */

#define CALL(name, desc_type, function, ...)  \
    static void call_##name(void)             \
    {                                         \
        const desc_type desc = {__VA_ARGS__}; \
        check(function(gp, &desc));           \
    }

CALL(reduce, gp_reduce_desc, gp_reduce, .in = in, .out = out, .count = COUNT, .type = GP_U32, .op = GP_SUM)
CALL(dot, gp_reduce_desc, gp_reduce, .in = in, .in2 = in2, .out = out, .count = COUNT, .type = GP_F32,
     .type2 = GP_F32, .map = "x * y", .op = GP_SUM)
CALL(argmax, gp_reduce_desc, gp_reduce, .in = in, .out = out, .count = COUNT, .type = GP_F32, .op = GP_ARGMAX)
CALL(segmented_reduce, gp_segmented_reduce_desc, gp_segmented_reduce, .in = in, .out = out, .count = COUNT,
     .offsets = offsets, .offsets_type = GP_U32, .segment_count = COUNT / SEGMENT, .type = GP_U32,
     .op = GP_SUM)
CALL(columns, gp_segmented_reduce_desc, gp_segmented_reduce, .in = in, .out = out,
     .row_length = COUNT / SEGMENT, .element_stride = SEGMENT, .segment_count = SEGMENT, .type = GP_U32,
     .op = GP_SUM)
CALL(scan_segments, gp_segmented_scan_desc, gp_segmented_scan, .in = in, .out = out, .count = COUNT,
     .offsets = offsets, .offsets_type = GP_U32, .segment_count = COUNT / SEGMENT, .type = GP_U32,
     .op = GP_SUM)
CALL(scan_columns, gp_segmented_scan_desc, gp_segmented_scan, .in = in, .out = out,
     .row_length = COUNT / SEGMENT, .element_stride = SEGMENT, .segment_count = SEGMENT, .type = GP_U32,
     .op = GP_SUM)
CALL(reduce_by_key, gp_reduce_by_key_desc, gp_reduce_by_key, .keys = runs, .in = in, .keys_out = out,
     .out = out2, .count_out = number, .count = COUNT, .key_type = GP_U32, .type = GP_U32, .out_type = GP_U32,
     .op = GP_SUM)
CALL(scan, gp_scan_desc, gp_scan, .in = in, .out = out, .count = COUNT, .type = GP_U32, .op = GP_SUM)
CALL(segmented_scan, gp_scan_desc, gp_scan, .in = in, .heads = runs, .heads_type = GP_U32,
     .segments = GP_SEGMENTS_BY_KEYS, .out = out, .count = COUNT, .type = GP_U32, .op = GP_SUM)
CALL(select, gp_select_desc, gp_select, .in = in, .out = out, .count_out = number, .count = COUNT,
     .type = GP_U32, .predicate = "x < 2147483648u")
CALL(partition, gp_partition_desc, gp_partition, .in = in, .out = out, .rest = out2, .counts_out = number,
     .count = COUNT, .type = GP_U32, .predicate = "x < 2147483648u")
CALL(unique, gp_unique_desc, gp_unique, .keys = runs, .keys_out = out, .count_out = number, .count = COUNT,
     .key_type = GP_U32)
CALL(run_length_encode, gp_run_length_encode_desc, gp_run_length_encode, .in = runs, .out = out,
     .lengths_out = out2, .count_out = number, .count = COUNT, .type = GP_U32)
CALL(run_length_decode, gp_run_length_decode_desc, gp_run_length_decode, .in = in, .offsets = offsets,
     .offsets_type = GP_U32, .run_count = COUNT / SEGMENT, .out = out, .count = COUNT, .type = GP_U32)
CALL(group_by, gp_group_by_desc, gp_group_by, .columns = &(gp_key_column){.in = in, .type = GP_U32},
     .column_count = 1, .groups_out = out, .rows_out = out2, .count_out = number, .count = COUNT)
CALL(group_results, gp_group_by_desc, gp_group_by, .columns = &(gp_key_column){.in = in, .type = GP_U32},
     .column_count = 1, .rows_out = out2, .count_out = number, .count = COUNT, .arg_count = 1,
     .args = &(gp_arg){.name = "value", .type = GP_U32, .buffer = in2},
     .results = &(gp_group_result){.op = GP_SUM,
                                   .map = "value[i]",
                                   .map_type = GP_U32,
                                   .out_type = GP_U32,
                                   .out = out3},
     .result_count = 1)
CALL(join, gp_join_desc, gp_join, .left = &(gp_key_column){.in = in, .type = GP_U32},
     .right = &(gp_key_column){.in = in2, .type = GP_U32}, .column_count = 1, .left_out = out,
     .right_out = out2, .capacity = COUNT, .left_count = COUNT, .right_count = COUNT)
CALL(bloom_add, gp_bloom_desc, gp_bloom_add, .columns = &(gp_key_column){.in = in, .type = GP_U32},
     .column_count = 1, .filter = out, .block_count = COUNT / 8, .count = COUNT)
CALL(bloom_contains, gp_bloom_desc, gp_bloom_contains, .columns = &(gp_key_column){.in = in, .type = GP_U32},
     .column_count = 1, .filter = in2, .block_count = COUNT / 8, .found = out, .count = COUNT)
CALL(hyperloglog, gp_hyperloglog_desc, gp_hyperloglog_add,
     .columns = &(gp_key_column){.in = in, .type = GP_U32}, .column_count = 1, .registers = out,
     .precision = 10, .count = COUNT)
CALL(sort, gp_sort_desc, gp_sort, .keys = in, .keys_out = out, .count = COUNT, .key_type = GP_U32)
CALL(sort_pairs, gp_sort_desc, gp_sort, .keys = in, .keys_out = out, .values = in2, .values_out = out2,
     .value_size = 4, .count = COUNT, .key_type = GP_U32)
CALL(argsort, gp_sort_desc, gp_argsort, .keys = in, .values_out = out, .count = COUNT, .key_type = GP_F32)
CALL(segmented_argsort, gp_segmented_sort_desc, gp_segmented_argsort, .keys = in, .values_out = out,
     .count = COUNT, .row_length = COUNT / 10, .segment_count = 10, .key_type = GP_F32)
CALL(segmented_sort, gp_segmented_sort_desc, gp_segmented_sort, .keys = in, .keys_out = out,
     .offsets = offsets, .offsets_type = GP_U32, .segment_count = COUNT / SEGMENT, .count = COUNT,
     .key_type = GP_U32)
CALL(sort_strings, gp_sort_strings_desc, gp_sort_strings, .bytes = text, .byte_count = sizeof word,
     .offsets = steps, .offsets_type = GP_U32, .out = out, .count = STRINGS)
static const gp_record quad = {"uint4", 16, NULL};
static const gp_sort_column columns[] = {{"x.z & 255", GP_U8, false}, {"x.y", GP_U32, true}};
CALL(sort_records, gp_sort_records_desc, gp_sort_records, .in = in, .out = out, .record = &quad,
     .columns = columns, .column_count = 2, .count = COUNT / 4)
CALL(topk, gp_topk_desc, gp_topk, .keys = in, .keys_out = out, .indices_out = out2, .k = 100, .count = COUNT,
     .key_type = GP_U32)
CALL(segmented_topk, gp_segmented_topk_desc, gp_segmented_topk, .keys = in, .indices_out = out2, .k = 10,
     .row_length = COUNT / 8, .segment_count = 8, .key_type = GP_U32)
static const uint64_t middle = COUNT / 2;
CALL(nth_element, gp_nth_element_desc, gp_nth_element, .keys = in, .keys_out = out, .ranks = &middle,
     .rank_count = 1, .count = COUNT, .key_type = GP_U32)
CALL(merge, gp_merge_desc, gp_merge, .a_keys = sorted, .b_keys = runs, .a_count = COUNT / 2,
     .b_count = COUNT / 2, .keys_out = out, .key_type = GP_U32)
CALL(search, gp_search_desc, gp_search, .keys = sorted, .needles = in, .count = COUNT, .needle_count = COUNT,
     .out = out, .key_type = GP_U32, .out_type = GP_U32)
CALL(histogram, gp_histogram_desc, gp_histogram, .in = text, .out = out, .count = COUNT, .type = GP_U8)
CALL(transform, gp_transform_desc, gp_transform, .in = in, .out = out, .count = COUNT, .type = GP_U32,
     .map = "x * 3u + 1u")
CALL(fill, gp_fill_desc, gp_fill, .out = out, .count = COUNT, .element_size = 4, .value = word)
CALL(iota, gp_iota_desc, gp_iota, .out = out, .count = COUNT, .type = GP_U32)
CALL(adjacent_difference, gp_adjacent_difference_desc, gp_adjacent_difference, .in = in, .out = out,
     .count = COUNT, .type = GP_U32)
CALL(gather, gp_gather_desc, gp_gather, .in = in, .indices = steps, .out = out, .element_size = 4,
     .limit = COUNT, .count = COUNT)
CALL(scatter, gp_gather_desc, gp_scatter, .in = in, .indices = steps, .out = out, .element_size = 4,
     .limit = COUNT, .count = COUNT)
CALL(transpose, gp_transpose_desc, gp_transpose, .in = in, .out = out, .element_size = 4, .rows = SIDE,
     .columns = SIDE)
CALL(random, gp_random_desc, gp_random, .out = out, .count = COUNT, .type = GP_U32)
CALL(stencil, gp_stencil_desc, gp_stencil, .in = in, .out = out, .weights = in2, .type = GP_F32,
     .width = SIDE, .height = SIDE, .radius_x = 1, .radius_y = 1)
CALL(brackets, gp_brackets_desc, gp_brackets, .in = text, .match = out, .parent = out2, .depth = out3,
     .count = COUNT, .type = GP_U8, .pairs = "()[]")
CALL(stack_scan, gp_stack_scan_desc, gp_stack_scan, .in = text, .values = in, .out = out, .count = COUNT,
     .type = GP_U8, .pairs = "()[]", .value_type = GP_U32, .op = GP_SUM)
CALL(tree, gp_tree_desc, gp_tree, .parent = parents, .index = out, .children = out2, .end = out3,
     .count = COUNT)

static void call_hash(void)
{
    const gp_hash_desc desc = {.expected_count = HASHED, .key_size = 4, .value_size = 4};
    const gp_hash_insert_desc insert = {.keys = steps, .values = in, .count = HASHED};
    const gp_hash_find_desc find = {.keys = steps, .values = out, .count = HASHED};
    gp_hash table;
    check(gp_hash_create(gp, &desc, &table));
    check(gp_hash_insert(gp, table, &insert));
    check(gp_hash_find(gp, table, &find));
    check(gp_hash_destroy(gp, table));
}

#define ROW(name)          \
    {                      \
#name, call_##name \
    }
static const struct {
    const char *name;
    void (*call)(void);
} calls[] = {ROW(reduce),
             ROW(dot),
             ROW(argmax),
             ROW(segmented_reduce),
             ROW(columns),
             ROW(scan_segments),
             ROW(scan_columns),
             ROW(reduce_by_key),
             ROW(scan),
             ROW(segmented_scan),
             ROW(select),
             ROW(partition),
             ROW(unique),
             ROW(run_length_encode),
             ROW(run_length_decode),
             ROW(group_by),
             ROW(group_results),
             ROW(join),
             ROW(bloom_add),
             ROW(bloom_contains),
             ROW(hyperloglog),
             ROW(sort),
             ROW(sort_pairs),
             ROW(argsort),
             ROW(segmented_sort),
             ROW(segmented_argsort),
             ROW(sort_strings),
             ROW(sort_records),
             ROW(topk),
             ROW(segmented_topk),
             ROW(nth_element),
             ROW(merge),
             ROW(search),
             ROW(histogram),
             ROW(hash),
             ROW(brackets),
             ROW(stack_scan),
             ROW(tree),
             ROW(transform),
             ROW(fill),
             ROW(iota),
             ROW(adjacent_difference),
             ROW(gather),
             ROW(transpose),
             ROW(scatter),
             ROW(random),
             ROW(stencil)};

static bool is_wanted(const char *name, int count, char **names)
{
    int k;
    for (k = 1; k < count; k++)
        if (strstr(name, names[k])) return true;
    return count < 2;
}

/* The least of some more calls. */
static double time_again(void (*call)(void))
{
    double least = 1e9;
    int k;
    for (k = 0; k < 9; k++) {
        const double begin = now();
        double took;
        call();
        check(gp_finish(gp));
        took = now() - begin;
        if (took < least) least = took;
    }
    return least;
}

int main(int count, char **names)
{
    const gp_context_desc desc = {.build_options = getenv("FIRST_CALLS_OPTIONS")};
    double all = 0, all_built = 0, all_launched = 0;
    size_t k;
    kernels_too = getenv("FIRST_CALLS_KERNELS") != NULL;
    cpu_time = getenv("FIRST_CALLS_CPU") != NULL;
    check(gp_context_create(&desc, &gp));
    make_buffers();
    printf("first_calls: on %s\n%-24s%9s%9s%9s%9s%9s\n", gp_context_info(gp)->name, "", "ms", "build",
           "launches", "programs", "launches");
    for (k = 0; k < sizeof calls / sizeof *calls; k++) {
        double took;
        if (!is_wanted(calls[k].name, count, names)) continue;
        built = launched = 0;
        programs = launches = 0;
        took = now();
        calls[k].call();
        check(gp_finish(gp));
        took = now() - took;
        printf("%-24s%9.0f%9.0f%9.0f%9d%9d", calls[k].name, took, built, launched, programs, launches);
        all += took;
        all_built += built;
        all_launched += launched;
        printf("%9.2f\n", time_again(calls[k].call));
    }
    printf("%-24s%9.0f%9.0f%9.0f\n", "all", all, all_built, all_launched);
    gp_context_destroy(gp);
    return 0;
}
