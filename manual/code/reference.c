/* The example of each call in the reference. Buffers have 16 bytes for each of 4096 elements, and hold rising numbers of
   32 bits; n is 1000. */
#include "manual.h"

enum { SIZE = 4096 };

static gp_context *gp;
static const size_t n = 1000;
static cl_mem a, b, keys, values, offsets, out, counts, particles;
static const gp_record particle = {
    .cl_type = "particle",
    .size = 32,
    .source = "typedef struct { float4 position; float mass; uint id; float2 unused; } particle;"};

static void example_reduce(void)
{
    /* [gp_reduce] */
    /* The sum of a * b, as a double, on the host: */
    double dot;
    gp_reduce_desc d = {
        .in = a, .in2 = b, .count = n, .type = GP_F32, .out_type = GP_F64, .op = GP_SUM, .map = "x * y"};
    gp_reduce_read(gp, &d, &dot);
    /* [/gp_reduce] */
}

static void example_segmented_reduce(void)
{
    /* [gp_segmented_reduce] */
    /* The largest float of each of 10 segments: */
    gp_segmented_reduce_desc d = {.in = a,
                                  .count = n,
                                  .offsets = offsets,
                                  .offsets_type = GP_U32,
                                  .segment_count = 10,
                                  .out = out,
                                  .type = GP_F32,
                                  .op = GP_MAX};
    gp_segmented_reduce(gp, &d);
    /* The sums of the columns of a matrix of 10 rows: */
    gp_segmented_reduce_desc columns = {.in = a,
                                        .row_length = 10,
                                        .element_stride = n / 10,
                                        .segment_count = n / 10,
                                        .out = out,
                                        .type = GP_F32,
                                        .op = GP_SUM};
    gp_segmented_reduce(gp, &columns);
    /* [/gp_segmented_reduce] */
}

static void example_segmented_scan(void)
{
    /* [gp_segmented_scan] */
    /* Running sums of each of 10 segments: */
    gp_segmented_scan_desc d = {.in = a,
                                .out = out,
                                .count = n,
                                .offsets = offsets,
                                .offsets_type = GP_U32,
                                .segment_count = 10,
                                .type = GP_F32,
                                .op = GP_SUM};
    gp_segmented_scan(gp, &d);
    /* The summed-area table of an image of 10 rows: running sums of its rows, then, in place, of its columns. */
    gp_segmented_scan_desc rows = {
        .in = a, .out = out, .row_length = n / 10, .segment_count = 10, .type = GP_F32, .op = GP_SUM};
    gp_segmented_scan_desc columns = {.in = out,
                                      .out = out,
                                      .row_length = 10,
                                      .element_stride = n / 10,
                                      .segment_count = n / 10,
                                      .type = GP_F32,
                                      .op = GP_SUM};
    gp_segmented_scan(gp, &rows);
    gp_segmented_scan(gp, &columns);
    /* [/gp_segmented_scan] */
}

static void example_reduce_by_key(void)
{
    /* [gp_reduce_by_key] */
    /* The sum of the values of each run of equal keys; `runs` is how many there are: */
    uint64_t runs;
    gp_reduce_by_key_desc d = {.keys = keys,
                               .in = values,
                               .keys_out = b,
                               .out = out,
                               .count = n,
                               .key_type = GP_U32,
                               .type = GP_U32,
                               .op = GP_SUM};
    gp_reduce_by_key_read(gp, &d, &runs);
    /* [/gp_reduce_by_key] */
}

static void example_scan(void)
{
    /* [gp_scan] */
    /* Where each of n lists begins, from their lengths, in place: */
    gp_scan_desc d = {.in = a, .out = a, .count = n, .type = GP_U32, .op = GP_SUM, .exclusive = true};
    gp_scan(gp, &d);
    /* [/gp_scan] */
}

static void example_select(void)
{
    /* [gp_select] */
    /* The floats above 0.5, packed; `kept` is how many there are: */
    uint64_t kept;
    gp_select_desc d = {.in = a, .out = out, .count = n, .type = GP_F32, .predicate = "x > 0.5f"};
    gp_select_read(gp, &d, &kept);
    /* [/gp_select] */
}

static void example_partition(void)
{
    /* [gp_partition] */
    /* The even numbers, then the odd ones: */
    uint64_t parts[2];
    gp_partition_desc d = {.in = a, .out = out, .count = n, .type = GP_I32, .predicate = "x % 2 == 0"};
    gp_partition_read(gp, &d, parts);
    /* [/gp_partition] */
}

static void example_unique(void)
{
    /* [gp_unique] */
    /* Of sorted keys each one once: */
    uint64_t different;
    gp_unique_desc d = {.keys = keys, .keys_out = out, .count = n, .key_type = GP_U32};
    gp_unique_read(gp, &d, &different);
    /* [/gp_unique] */
}

static void example_run_length_encode(void)
{
    /* [gp_run_length_encode] */
    /* The bytes and lengths of runs: */
    uint64_t runs;
    gp_run_length_encode_desc d = {.in = a, .out = out, .lengths_out = counts, .count = n, .type = GP_U8};
    gp_run_length_encode_read(gp, &d, &runs);
    /* [/gp_run_length_encode] */
}

static void example_group_by(void)
{
    /* [gp_group_by] */
    /* The number of rows and the largest value above 3, for each pair of a float and a byte: */
    const gp_key_column columns[] = {{.in = keys, .type = GP_F32}, {.in = a, .type = GP_U8}};
    const gp_arg value = {.name = "value", .type = GP_F32, .buffer = values};
    const gp_group_result results[] = {
        {.op = GP_COUNT, .out = counts},
        {.op = GP_MAX, .map = "value[i]", .map_type = GP_F32, .where = "value[i] > 3", .out = out},
    };
    gp_group_by_desc d = {.columns = columns,
                          .column_count = 2,
                          .rows_out = b, /* the first row of each group: its key */
                          .results = results,
                          .result_count = 2,
                          .args = &value,
                          .arg_count = 1,
                          .count = n};
    uint64_t groups;
    gp_group_by_read(gp, &d, &groups);
    /* [/gp_group_by] */
}

static void example_join(void)
{
    /* [gp_join] */
    /* Pairs of a row of one table and a row of another with the same number; rows of the first one without a partner, too: */
    const gp_key_column left = {.in = keys, .type = GP_U32}, right = {.in = a, .type = GP_U32};
    gp_join_desc d = {.left = &left,
                      .right = &right,
                      .column_count = 1,
                      .kind = GP_JOIN_LEFT,
                      .left_out = b,
                      .right_out = out,
                      .capacity = 2 * n,
                      .left_count = n,
                      .right_count = 100};
    uint64_t pairs;
    gp_join_read(gp, &d, &pairs);
    /* [/gp_join] */
}

static void example_bloom(void)
{
    /* [gp_bloom] */
    /* Which numbers may be among 100 others; `out` has zeros before: */
    const gp_key_column known = {.in = keys, .type = GP_U32}, asked = {.in = a, .type = GP_U32};
    gp_bloom_desc d = {.filter = out,
                       .block_count = gp_bloom_blocks(100, .01),
                       .columns = &known,
                       .column_count = 1,
                       .count = 100};
    gp_bloom_add(gp, &d);
    d.columns = &asked;
    d.count = n;
    d.found = b; /* a byte for each */
    gp_bloom_contains(gp, &d);
    /* [/gp_bloom] */
}

static void example_hyperloglog(void)
{
    /* [gp_hyperloglog] */
    /* About how many different pairs of a number and a byte there are; `out` has zeros before: */
    const gp_key_column columns[] = {{.in = keys, .type = GP_U32}, {.in = a, .type = GP_U8}};
    gp_hyperloglog_desc d = {
        .registers = out, .precision = 14, .columns = columns, .column_count = 2, .count = n};
    double estimate;
    gp_hyperloglog_add(gp, &d);
    gp_hyperloglog_estimate(gp, &d, &estimate);
    /* [/gp_hyperloglog] */
}

static void example_run_length_decode(void)
{
    /* [gp_run_length_decode] */
    /* Repeats each of 10 floats as often as its segment has elements, and numbers these from 0 on: */
    gp_run_length_decode_desc d = {.in = keys,
                                   .offsets = offsets,
                                   .offsets_type = GP_U32,
                                   .run_count = 10,
                                   .out = out,
                                   .positions_out = counts,
                                   .count = n,
                                   .type = GP_F32};
    gp_run_length_decode(gp, &d);
    /* [/gp_run_length_decode] */
}

static void example_sort(void)
{
    /* [gp_sort] */
    /* Floats, each with a value of 4 bytes, in place: */
    gp_sort_desc d = {.keys = keys, .values = values, .count = n, .key_type = GP_F32, .value_size = 4};
    gp_sort(gp, &d);
    /* [/gp_sort] */
}

static void example_segmented_sort(void)
{
    /* [gp_segmented_sort] */
    /* Each of 10 segments by itself, in place: */
    gp_segmented_sort_desc d = {.keys = keys,
                                .count = n,
                                .offsets = offsets,
                                .offsets_type = GP_U32,
                                .segment_count = 10,
                                .key_type = GP_U32};
    gp_segmented_sort(gp, &d);
    /* The order of each row of a matrix; values_out gets column numbers: */
    gp_segmented_sort_desc order = {.keys = keys,
                                    .count = n,
                                    .row_length = 100,
                                    .segment_count = n / 100,
                                    .key_type = GP_F32,
                                    .values_out = out};
    gp_segmented_argsort(gp, &order);
    /* [/gp_segmented_sort] */
}

static void example_sort_records(void)
{
    /* [gp_sort_records] */
    /* Points by y, rounded down, from the largest one on; those of one row by x: */
    const gp_record point = {.cl_type = "float2", .size = 8};
    const gp_sort_column columns[] = {{"floor(x.y)", GP_F32, true}, {"x.x", GP_F32, false}};
    gp_sort_records_desc d = {
        .in = a, .record = &point, .count = n / 2, .columns = columns, .column_count = 2};
    gp_sort_records(gp, &d);
    /* [/gp_sort_records] */
}

static void example_sort_strings(void)
{
    /* [gp_sort_strings] */
    /* The order of 10 strings, as indices: */
    gp_sort_strings_desc d = {
        .bytes = a, .byte_count = 4 * n, .offsets = offsets, .offsets_type = GP_U32, .out = out, .count = 10};
    gp_sort_strings(gp, &d);
    /* [/gp_sort_strings] */
}

static void example_topk(void)
{
    /* [gp_topk] */
    /* The 10 largest floats, and where they are: */
    gp_topk_desc d = {
        .keys = keys, .keys_out = out, .indices_out = b, .count = n, .k = 10, .key_type = GP_F32};
    gp_topk(gp, &d);
    /* [/gp_topk] */
}

static void example_segmented_topk(void)
{
    /* [gp_segmented_topk] */
    /* The columns of the 3 largest floats in each of 10 rows: */
    gp_segmented_topk_desc d = {.keys = keys,
                                .row_length = n / 10,
                                .segment_count = 10,
                                .indices_out = b,
                                .k = 3,
                                .key_type = GP_F32};
    gp_segmented_topk(gp, &d);
    /* Of row r only counts[r], up to 3; a buffer of 10 numbers: */
    d.ks = counts;
    gp_segmented_topk(gp, &d);
    /* [/gp_segmented_topk] */
}

static void example_nth_element(void)
{
    /* [gp_nth_element] */
    /* The quartiles of floats: the keys that a sort would put at these positions: */
    const uint64_t quarters[3] = {n / 4, n / 2, n / 4 * 3};
    gp_nth_element_desc d = {
        .keys = keys, .count = n, .ranks = quarters, .rank_count = 3, .keys_out = out, .key_type = GP_F32};
    gp_nth_element(gp, &d);
    /* [/gp_nth_element] */
}

static void example_merge(void)
{
    /* [gp_merge] */
    /* One sorted sequence from two: */
    gp_merge_desc d = {
        .a_keys = a, .a_count = n, .b_keys = b, .b_count = n, .keys_out = out, .key_type = GP_U32};
    gp_merge(gp, &d);
    /* [/gp_merge] */
}

static void example_search(void)
{
    /* [gp_search] */
    /* How many of the sorted keys are less than each needle: */
    gp_search_desc d = {.keys = keys,
                        .count = n,
                        .needles = a,
                        .needle_count = n,
                        .out = out,
                        .out_type = GP_U32,
                        .key_type = GP_U32};
    gp_search(gp, &d);
    /* [/gp_search] */
}

static void example_histogram(void)
{
    /* [gp_histogram] */
    /* The 256 counts of bytes: */
    gp_histogram_desc d = {.in = a, .count = n, .type = GP_U8, .out = out};
    gp_histogram(gp, &d);
    /* [/gp_histogram] */
}

static void example_histogram_2(void)
{
    /* [gp_histogram-2] */
    /* How many particles are of each mass, by tenths: */
    gp_histogram_desc m = {.in = particles,
                           .count = n,
                           .record = &particle,
                           .map = "x.mass",
                           .map_type = GP_F32,
                           .bins = 100,
                           .upper = {.f64 = 10},
                           .out = out};
    gp_histogram(gp, &m);
    /* [/gp_histogram-2] */
}

static void example_hash(void)
{
    /* [gp_hash] */
    /* Sums by customer, sorted by customer: */
    const uint32_t customers[4] = {7, 3, 7, 7}, cents[4] = {250, 100, 50, 25};
    uint32_t count, customer[4], total[4];
    gp_hash_desc map = {.key_size = 4, .value_size = 4, .expected_count = 4, .grow = true};
    gp_hash_insert_desc sum = {.count = 4, .op = GP_SUM};
    gp_hash_retrieve_desc out = {.room = 4, .sort_type = GP_U32};
    gp_hash table;
    gp_buffer_create(gp, sizeof customers, customers, &sum.keys); /* release all of these at the end */
    gp_buffer_create(gp, sizeof cents, cents, &sum.values);
    gp_buffer_create(gp, sizeof customer, NULL, &out.keys);
    gp_buffer_create(gp, sizeof total, NULL, &out.values);
    gp_buffer_create(gp, sizeof count, NULL, &out.live_count); /* a cl_mem, as all results are */
    gp_hash_create(gp, &map, &table);
    gp_hash_insert_or_apply(gp, table, &sum); /* group by customer */
    gp_hash_retrieve(gp, table, &out);        /* the groups, sorted by customer */
    cl_command_queue queue = gp_cl_queue(gp);
    clEnqueueReadBuffer(queue, out.live_count, CL_TRUE, 0, sizeof count, &count, 0, NULL, NULL); /* 2 */
    clEnqueueReadBuffer(queue, out.keys, CL_TRUE, 0, 4 * count, customer, 0, NULL, NULL);        /* 3, 7 */
    clEnqueueReadBuffer(queue, out.values, CL_TRUE, 0, 4 * count, total, 0, NULL, NULL); /* 100, 325 */
    /* [/gp_hash] */
    EXPECT(count == 2 && customer[0] == 3 && customer[1] == 7 && total[0] == 100 && total[1] == 325);
    cl_mem made[] = {sum.keys, sum.values, out.keys, out.values, out.live_count};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) clReleaseMemObject(made[i]);
    TRY(gp_hash_destroy(gp, table));
}

static void example_brackets(void)
{
    /* [gp_brackets] */
    /* The partner of each bracket of a text, and what is wrong with it: */
    gp_brackets_errors errors;
    gp_brackets_desc d = {.in = a, .count = n, .type = GP_U8, .match = out};
    gp_brackets_read(gp, &d, &errors);
    /* [/gp_brackets] */
}

static void example_stack_scan(void)
{
    /* [gp_stack_scan] */
    /* The sum of the weights of all brackets that are open: */
    gp_stack_scan_desc d = {
        .in = a, .count = n, .type = GP_U8, .values = values, .value_type = GP_U32, .op = GP_SUM, .out = out};
    gp_stack_scan(gp, &d);
    /* [/gp_stack_scan] */
}

static void example_tree(void)
{
    /* [gp_tree] */
    /* A tree of files: */
    /*                             0: src   1: a.c   2: lib   3: b.c   4: c.c   5: doc */
    const uint32_t parents[6] = {UINT32_MAX, 0, 0, 2, 2, UINT32_MAX};
    gp_tree_desc tree = {.count = 6}; /* children: 2 0 2 0 0 0; index: 0 0 1 0 1 1; end: 5 2 5 4 5 6 */
    gp_buffer_create(gp, sizeof parents, parents, &tree.parent);
    gp_buffer_create(gp, sizeof parents, NULL, &tree.children); /* and the same for index and end */
    gp_tree(gp, &tree);
    /* [/gp_tree] */
    uint32_t children[6];
    read_back(gp, tree.children, sizeof children, children);
    EXPECT(children[0] == 2 && children[1] == 0 && children[2] == 2);
    clReleaseMemObject(tree.parent);
    clReleaseMemObject(tree.children);
}

static void example_transform(void)
{
    /* [gp_transform] */
    /* Of floats: */
    gp_transform_desc d = {.in = a, .in2 = b, .out = out, .type = GP_F32, .map = "2.5f * x + y", .count = n};
    gp_transform(gp, &d);
    /* [/gp_transform] */
}

static void example_fill(void)
{
    /* [gp_fill] */
    /* Ones: */
    const float one = 1;
    gp_fill_desc d = {.out = out, .element_size = sizeof one, .value = &one, .count = n};
    gp_fill(gp, &d);
    /* [/gp_fill] */
}

static void example_iota(void)
{
    /* [gp_iota] */
    /* 0, 1, 2, ...: */
    gp_iota_desc d = {.out = out, .type = GP_U32, .count = n};
    gp_iota(gp, &d);
    /* [/gp_iota] */
}

static void example_adjacent_difference(void)
{
    /* [gp_adjacent_difference] */
    /* Each int less the one before it: */
    gp_adjacent_difference_desc d = {.in = a, .out = out, .type = GP_I32, .count = n};
    gp_adjacent_difference(gp, &d);
    /* [/gp_adjacent_difference] */
}

static void example_random(void)
{
    /* [gp_random] */
    /* Floats from 0 to 1: */
    gp_random_desc d = {.out = out, .type = GP_F32, .kind = GP_RANDOM_UNIFORM, .seed = 42, .count = n};
    gp_random(gp, &d);
    /* [/gp_random] */
}

static void example_gather(void)
{
    /* [gp_gather] */
    /* out[i] = a[b[i]]; an index of n or more is skipped: */
    gp_gather_desc d = {.in = a, .out = out, .indices = b, .element_size = 4, .limit = n, .count = n};
    gp_gather(gp, &d);
    /* [/gp_gather] */
}

static void example_unpack(void)
{
    /* [gp_unpack] */
    /* The elements of a go where the flags in b are set: */
    gp_unpack_desc d = {.in = a, .in_count = n, .flags = b, .out = out, .element_size = 4, .count = n};
    gp_unpack(gp, &d);
    /* [/gp_unpack] */
}

static void example_transpose(void)
{
    /* [gp_transpose] */
    /* The columns of 10 rows of floats, one behind the other: */
    gp_transpose_desc d = {.in = a, .out = out, .rows = 10, .columns = n / 10, .element_size = 4};
    gp_transpose(gp, &d);
    /* [/gp_transpose] */
}

static void example_stencil(void)
{
    /* [gp_stencil] */
    /* A line, smoothed over three elements: */
    gp_stencil_desc d = {.in = a,
                         .out = out,
                         .type = GP_F32,
                         .width = n,
                         .radius_x = 1,
                         .map = "(at(-1, 0) + x + at(1, 0)) / 3"};
    gp_stencil(gp, &d);
    /* [/gp_stencil] */
}

/* [gp_device_source] */
static const char *kernel =
    "__kernel void sums_and_odd(__global const uint *in, __global uint *sums, __global uint *odd,\n"
    "                           volatile __global uint *count, __local uint *memory)\n"
    "{\n"
    "    const uint x = in[get_global_id(0)], sum = gp_group_sum_reduce(x, memory);\n"
    "    const uint at = gp_group_pack_at(x & 1, count, memory); /* one atomic addition per group */\n"
    "    if (x & 1) odd[at] = x;\n"
    "    if (gp_group_item() == 0) sums[get_group_id(0)] = sum;\n"
    "}\n";

static cl_program build(void)
{
    const gp_group_op sum = {.name = "sum", .type = GP_U32, .op = GP_SUM};
    const gp_device_source_desc group = {.part = GP_DEVICE_GROUP, .ops = &sum, .op_count = 1};
    size_t size;
    TRY(gp_device_source(gp, &group, NULL, 0, &size));
    char *text = malloc(size);
    TRY(gp_device_source(gp, &group, text, size, &size));
    const char *sources[2] = {text, kernel};
    cl_program program = clCreateProgramWithSource(gp_cl_context(gp), 2, sources, NULL, NULL);
    TRY_CL(clBuildProgram(program, 0, NULL, "-cl-std=CL1.2", NULL, NULL));
    free(text);
    return program;
}
/* [/gp_device_source] */

static void example_device_source(void) { clReleaseProgram(build()); }

static void example_check_monoid(void)
{
    /* [gp_check_monoid] */
    /* Do sums of numbers from 0 to 1 that stop at 1 obey the laws? */
    const float zero = 0, samples[] = {0, 0.25f, 0.5f, 0.75f, 1};
    const gp_monoid capped = {.type = "float",
                              .source = "float add(float a, float b) { return min(a + b, 1.0f); }",
                              .combine = "add",
                              .identity = &zero,
                              .size = sizeof zero,
                              .commutative = true};
    gp_check_monoid_desc d = {.monoid = &capped, .samples = samples, .sample_count = 5};
    if (gp_check_monoid(gp, &d) == GP_ERROR_LAW) puts(gp_last_error(gp)); /* not so here */
    /* [/gp_check_monoid] */
}

static void example_warmup(void)
{
    /* [gp_warmup] */
    /* The programs of a scan and of a sort, before their first call: */
    gp_scan_desc scan = {.type = GP_U32, .op = GP_SUM};
    gp_sort_desc sort = {.key_type = GP_F32, .value_size = 4};
    gp_warmup_desc d = {.scan = &scan, .sort = &sort};
    gp_warmup(gp, &d);
    /* [/gp_warmup] */
}

static void example_self_test(void)
{
    /* [gp_self_test] */
    /* Are the results of scans right on this device? */
    gp_self_test_desc d = {.filter = "scan"}; /* NULL: those of all calls */
    if (gp_self_test(gp, &d) != GP_OK) puts(gp_last_error(gp));
    /* [/gp_self_test] */
}

static cl_mem rising(uint32_t step)
{
    static uint32_t numbers[4 * SIZE];
    for (uint32_t i = 0; i < 4 * SIZE; i++) numbers[i] = i * step;
    return buffer_of(gp, sizeof numbers, numbers);
}

static void run(const char *name, void (*example)(void))
{
    example();
    if (gp_finish(gp) == GP_OK && *gp_last_error(gp) == '\0') return;
    printf("%s: %s\n", name, gp_last_error(gp));
    exit(1);
}

int main(void)
{
    gp = open_context();
    cl_mem *buffers[] = {&a, &b, &keys, &values, &out, &counts, &particles};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) *buffers[i] = rising(1);
    offsets = rising(50);
    run("gp_reduce", example_reduce);
    run("gp_segmented_reduce", example_segmented_reduce);
    run("gp_segmented_scan", example_segmented_scan);
    run("gp_reduce_by_key", example_reduce_by_key);
    run("gp_scan", example_scan);
    run("gp_select", example_select);
    run("gp_partition", example_partition);
    run("gp_unique", example_unique);
    run("gp_run_length_encode", example_run_length_encode);
    run("gp_run_length_decode", example_run_length_decode);
    run("gp_group_by", example_group_by);
    run("gp_join", example_join);
    run("gp_bloom", example_bloom);
    run("gp_hyperloglog", example_hyperloglog);
    run("gp_sort", example_sort);
    run("gp_segmented_sort", example_segmented_sort);
    run("gp_sort_records", example_sort_records);
    run("gp_sort_strings", example_sort_strings);
    run("gp_topk", example_topk);
    run("gp_segmented_topk", example_segmented_topk);
    run("gp_nth_element", example_nth_element);
    run("gp_merge", example_merge);
    run("gp_search", example_search);
    run("gp_histogram", example_histogram);
    run("gp_histogram_2", example_histogram_2);
    run("gp_hash", example_hash);
    run("gp_brackets", example_brackets);
    run("gp_stack_scan", example_stack_scan);
    run("gp_tree", example_tree);
    run("gp_transform", example_transform);
    run("gp_fill", example_fill);
    run("gp_iota", example_iota);
    run("gp_adjacent_difference", example_adjacent_difference);
    run("gp_random", example_random);
    run("gp_gather", example_gather);
    run("gp_unpack", example_unpack);
    run("gp_transpose", example_transpose);
    run("gp_stencil", example_stencil);
    run("gp_device_source", example_device_source);
    run("gp_check_monoid", example_check_monoid);
    run("gp_warmup", example_warmup);
    run("gp_self_test", example_self_test);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) clReleaseMemObject(*buffers[i]);
    clReleaseMemObject(offsets);
    gp_context_destroy(gp);
    return 0;
}
