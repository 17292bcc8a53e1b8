/* test_args.c - arguments of expressions, against plain C: in every call that takes an expression, values and
   buffers; other values build nothing. */
#include "../support/support.h"

/* Across several tiles in every variant, with a ragged end. */
#define COUNT (test_small() ? (size_t)3003 : (size_t)150007)
enum { SCALES = 8, FIRST = 3 }; /* the table's first element in its buffer */

static const int32_t numbers[2][SCALES] = {{2, -1, 3, 1, 0, -2, 5, 1}, {1, 1, -4, 2, 7, 0, -1, 3}};

typedef struct data {
    gp_context *gp;
    size_t count;
    int32_t *x; /* small, with runs */
    cl_mem in, out, out2, table[2];
    int32_t limit;
    const int32_t *scale; /* the elements of table that the call is given */
    gp_arg args[2];
} data;

static void data_open(data *d, gp_context *gp, size_t count)
{
    size_t i;
    memset(d, 0, sizeof *d);
    d->gp = gp;
    d->count = count;
    d->x = malloc((count + 1) * sizeof *d->x);
    assert_non_null(d->x);
    for (i = 0; i <= count; i++) d->x[i] = (int32_t)(i / 3 * 7 % 23) - 11;
    d->in = test_buffer(gp, (count + 1) * 4, d->x);
    d->out = test_buffer(gp, (count + 1) * 4, NULL);
    d->out2 = test_buffer(gp, (count + 1) * 4, NULL);
    for (i = 0; i < 2; i++) {
        int32_t padded[FIRST + SCALES] = {99, 99, 99};
        memcpy(padded + FIRST, numbers[i], sizeof numbers[i]);
        d->table[i] = test_buffer(gp, sizeof padded, padded);
    }
    d->args[0] = (gp_arg){.name = "limit", .type = GP_I32, .value = &d->limit};
    d->args[1] = (gp_arg){.name = "scale", .type = GP_I32, .offset = FIRST, .count = SCALES};
}

static void data_close(data *d)
{
    clReleaseMemObject(d->in);
    clReleaseMemObject(d->out);
    clReleaseMemObject(d->out2);
    clReleaseMemObject(d->table[0]);
    clReleaseMemObject(d->table[1]);
    free(d->x);
}

/* The args of a call's first or second time. */
static void data_set(data *d, int time)
{
    d->limit = time ? -2 : 4;
    d->scale = numbers[time];
    d->args[1].buffer = d->table[time];
}

static void poison(data *d, cl_mem buffer)
{
    const uint32_t pattern = 0xa5a5a5a5u;
    assert_int_equal(
        clEnqueueFillBuffer(gp_cl_queue(d->gp), buffer, &pattern, 4, 0, (d->count + 1) * 4, 0, NULL, NULL),
        CL_SUCCESS);
}

/* The first `count` elements are these, and the rest is poisoned. */
static void expect(data *d, cl_mem buffer, const int32_t *wanted, size_t count)
{
    int32_t *found = test_read(d->gp, buffer, (d->count + 1) * 4);
    size_t i;
    for (i = 0; i < count; i++)
        if (found[i] != wanted[i])
            fail_msg("element %zu of %zu is %d, not %d", i, count, found[i], wanted[i]);
    for (; i <= d->count; i++)
        if (found[i] != (int32_t)0xa5a5a5a5u) fail_msg("element %zu after %zu is written", i, count);
    free(found);
    poison(d, buffer);
}

static int32_t mapped(const data *d, size_t i)
{
    return d->x[i] > d->limit ? d->x[i] * d->scale[i % SCALES] : 1;
}
#define MAP "x > limit ? x * scale[i % 8] : 1"
#define ARGS .args = d->args, .arg_count = 2

/* ------------------------------------------------------------------ calls */

static void check_reduce(data *d, int32_t *wanted)
{
    const gp_reduce_desc desc = {
        .in = d->in, .count = d->count, .type = GP_I32, .out_type = GP_I32, .op = GP_SUM, .map = MAP, ARGS};
    int32_t found = 77, sum = 0;
    size_t i;
    (void)wanted;
    for (i = 0; i < d->count; i++) sum += mapped(d, i);
    assert_gp(d->gp, gp_reduce_read(d->gp, &desc, &found));
    assert_int_equal(found, sum);
}

static void check_scan(data *d, int32_t *wanted)
{
    const gp_scan_desc desc = {
        .in = d->in, .out = d->out, .count = d->count, .type = GP_I32, .op = GP_SUM, .map = MAP, ARGS};
    int32_t sum = 0;
    size_t i;
    for (i = 0; i < d->count; i++) wanted[i] = sum += mapped(d, i);
    assert_gp(d->gp, gp_scan(d->gp, &desc));
    expect(d, d->out, wanted, d->count);
}

static void check_select(data *d, int32_t *wanted)
{
    const gp_select_desc desc = {.in = d->in,
                                 .out = d->out,
                                 .count = d->count,
                                 .type = GP_I32,
                                 .predicate = "x * scale[i % 8] > limit",
                                 ARGS};
    uint64_t found = 77;
    size_t i, n = 0;
    for (i = 0; i < d->count; i++)
        if (d->x[i] * d->scale[i % SCALES] > d->limit) wanted[n++] = d->x[i];
    assert_gp(d->gp, gp_select_read(d->gp, &desc, &found));
    assert_int_equal(found, n);
    expect(d, d->out, wanted, n);
}

static void check_partition(data *d, int32_t *wanted)
{
    gp_partition_desc desc = {.in = d->in,
                              .out = d->out,
                              .second = d->out2,
                              .count = d->count,
                              .type = GP_I32,
                              .predicate = "x < limit",
                              .predicate2 = "x < scale[0] + 5",
                              ARGS};
    uint64_t found[3];
    size_t i, n;
    desc.rest = test_buffer(d->gp, (d->count + 1) * 4, NULL);
    assert_gp(d->gp, gp_partition_read(d->gp, &desc, found));
    for (i = n = 0; i < d->count; i++)
        if (d->x[i] < d->limit) wanted[n++] = d->x[i];
    assert_int_equal(found[0], n);
    expect(d, d->out, wanted, n);
    for (i = n = 0; i < d->count; i++)
        if (d->x[i] >= d->limit && d->x[i] < d->scale[0] + 5) wanted[n++] = d->x[i];
    assert_int_equal(found[1], n);
    expect(d, d->out2, wanted, n);
    for (i = n = 0; i < d->count; i++)
        if (d->x[i] >= d->limit && d->x[i] >= d->scale[0] + 5) wanted[n++] = d->x[i];
    assert_int_equal(found[2], n);
    expect(d, desc.rest, wanted, n);
    clReleaseMemObject(desc.rest);
}

/* Neighbours that differ by no more than the args say. */
#define EQUAL "abs(x - y) <= abs(limit) + scale[3]"
static bool alike(const data *d, size_t i)
{
    return abs(d->x[i] - d->x[i - 1]) <= abs(d->limit) + d->scale[3];
}

static void check_unique(data *d, int32_t *wanted)
{
    const gp_unique_desc desc = {
        .keys = d->in, .keys_out = d->out, .count = d->count, .key_type = GP_I32, .equal = EQUAL, ARGS};
    uint64_t found = 77;
    size_t i, n = 0;
    for (i = 0; i < d->count; i++)
        if (i == 0 || !alike(d, i)) wanted[n++] = d->x[i];
    assert_gp(d->gp, gp_unique_read(d->gp, &desc, &found));
    assert_int_equal(found, n);
    expect(d, d->out, wanted, n);
}

static void check_encode(data *d, int32_t *wanted)
{
    const gp_run_length_encode_desc desc = {
        .in = d->in, .lengths_out = d->out, .count = d->count, .type = GP_I32, .equal = EQUAL, ARGS};
    uint64_t found = 77;
    size_t i, n = 0;
    for (i = 0; i < d->count; i++) {
        if (i == 0 || !alike(d, i)) wanted[n++] = 0;
        wanted[n - 1]++;
    }
    assert_gp(d->gp, gp_run_length_encode_read(d->gp, &desc, &found));
    assert_int_equal(found, n);
    expect(d, d->out, wanted, n);
}

/* A map's i counts from the run's first element. */
static void check_reduce_by_key(data *d, int32_t *wanted)
{
    const gp_reduce_by_key_desc desc = {.keys = d->in,
                                        .in = d->in,
                                        .out = d->out,
                                        .count = d->count,
                                        .key_type = GP_I32,
                                        .type = GP_I32,
                                        .out_type = GP_I32,
                                        .op = GP_SUM,
                                        .equal = EQUAL,
                                        .map = MAP,
                                        ARGS};
    uint64_t found = 77;
    size_t i, begin = 0, n = 0;
    for (i = 0; i < d->count; i++) {
        if (i == 0 || !alike(d, i)) {
            begin = i;
            wanted[n++] = 0;
        }
        wanted[n - 1] += d->x[i] > d->limit ? d->x[i] * d->scale[(i - begin) % SCALES] : 1;
    }
    assert_gp(d->gp, gp_reduce_by_key_read(d->gp, &desc, &found));
    assert_int_equal(found, n);
    expect(d, d->out, wanted, n);
}

/* A map without i, which a single pass can do. */
static void check_by_key_anywhere(data *d, int32_t *wanted)
{
    const gp_reduce_by_key_desc desc = {.keys = d->in,
                                        .in = d->in,
                                        .out = d->out,
                                        .count = d->count,
                                        .key_type = GP_I32,
                                        .type = GP_I32,
                                        .out_type = GP_I32,
                                        .op = GP_SUM,
                                        .equal = EQUAL,
                                        .map = "x * scale[2] + limit",
                                        ARGS};
    uint64_t found = 77;
    size_t k, n = 0;
    for (k = 0; k < d->count; k++) {
        if (k == 0 || !alike(d, k)) wanted[n++] = 0;
        wanted[n - 1] += d->x[k] * d->scale[2] + d->limit;
    }
    assert_gp(d->gp, gp_reduce_by_key_read(d->gp, &desc, &found));
    assert_int_equal(found, n);
    expect(d, d->out, wanted, n);
}

/* A large segment, and the rest in a small one. */
static void check_segmented_reduce(data *d, int32_t *wanted)
{
    const uint32_t offsets[3] = {0, (uint32_t)(d->count - d->count / 50), (uint32_t)d->count};
    gp_segmented_reduce_desc desc = {.in = d->in,
                                     .out = d->out,
                                     .count = d->count,
                                     .segment_count = 2,
                                     .offsets_type = GP_U32,
                                     .type = GP_I32,
                                     .out_type = GP_I32,
                                     .op = GP_SUM,
                                     .map = MAP,
                                     ARGS};
    size_t i, s;
    if (d->count < 2) return;
    desc.offsets = test_buffer(d->gp, sizeof offsets, offsets);
    for (s = 0; s < 2; s++) {
        wanted[s] = 0;
        for (i = offsets[s]; i < offsets[s + 1]; i++)
            wanted[s] += d->x[i] > d->limit ? d->x[i] * d->scale[(i - offsets[s]) % SCALES] : 1;
    }
    assert_gp(d->gp, gp_segmented_reduce(d->gp, &desc));
    expect(d, d->out, wanted, 2);
    clReleaseMemObject(desc.offsets);
}

static void check_transform(data *d, int32_t *wanted)
{
    const gp_transform_desc desc = {
        .in = d->in, .out = d->out, .count = d->count, .type = GP_I32, .map = MAP, ARGS};
    size_t i;
    for (i = 0; i < d->count; i++) wanted[i] = mapped(d, i);
    assert_gp(d->gp, gp_transform(d->gp, &desc));
    expect(d, d->out, wanted, d->count);
}

static void check_difference(data *d, int32_t *wanted)
{
    const gp_adjacent_difference_desc desc = {.in = d->in,
                                              .out = d->out,
                                              .count = d->count,
                                              .type = GP_I32,
                                              .map = "x * limit - y * scale[i % 8]",
                                              ARGS};
    size_t i;
    for (i = 0; i < d->count; i++)
        wanted[i] = i ? d->x[i] * d->limit - d->x[i - 1] * d->scale[i % SCALES] : d->x[0];
    assert_gp(d->gp, gp_adjacent_difference(d->gp, &desc));
    expect(d, d->out, wanted, d->count);
}

static void check_stencil(data *d, int32_t *wanted)
{
    const gp_stencil_desc desc = {.in = d->in,
                                  .out = d->out,
                                  .width = d->count,
                                  .radius_x = 1,
                                  .border = GP_BORDER_CLAMP,
                                  .type = GP_I32,
                                  .map = "at(-1, 0) * scale[i % 8] + x * limit",
                                  ARGS};
    size_t i;
    for (i = 0; i < d->count; i++)
        wanted[i] = d->x[i ? i - 1 : 0] * d->scale[i % SCALES] + d->x[i] * d->limit;
    assert_gp(d->gp, gp_stencil(d->gp, &desc));
    expect(d, d->out, wanted, d->count);
}

/* Each element's parent is the one before it. */
static void check_tree(data *d, int32_t *wanted)
{
    gp_tree_desc desc = {.in = d->in,
                         .children = d->out,
                         .count = d->count,
                         .type = GP_I32,
                         .map = "x < limit || x == scale[1]",
                         ARGS};
    size_t i;
    for (i = 0; i < d->count; i++) wanted[i] = (int32_t)i - 1;
    desc.parent = test_buffer(d->gp, d->count * 4 + 4, wanted);
    for (i = 0; i < d->count; i++)
        wanted[i] = i + 1 < d->count && (d->x[i + 1] < d->limit || d->x[i + 1] == d->scale[1]);
    assert_gp(d->gp, gp_tree(d->gp, &desc));
    expect(d, d->out, wanted, d->count);
    clReleaseMemObject(desc.parent);
}

/* Openers are above the limit, closers below -3, but what the table says. */
#define CODE "x > (int)abs(limit) ? 1 : x < -3 && scale[i % 8] > 0 ? -1 : 0"
static int code(const data *d, size_t i)
{
    return d->x[i] > abs(d->limit) ? 1 : d->x[i] < -3 && d->scale[i % SCALES] > 0 ? -1 : 0;
}

static void check_brackets(data *d, int32_t *wanted)
{
    const gp_brackets_desc desc = {
        .in = d->in, .match = d->out, .count = d->count, .type = GP_I32, .map = CODE, ARGS};
    int32_t *stack = malloc((d->count + 1) * sizeof *stack);
    size_t i, depth = 0;
    assert_non_null(stack);
    for (i = 0; i < d->count; i++) {
        wanted[i] = -1;
        if (code(d, i) > 0) {
            stack[depth++] = (int32_t)i;
        } else if (code(d, i) < 0 && depth > 0) {
            wanted[i] = stack[--depth];
            wanted[wanted[i]] = (int32_t)i;
        }
    }
    assert_gp(d->gp, gp_brackets(d->gp, &desc));
    expect(d, d->out, wanted, d->count);
    free(stack);
}

static void check_stack_scan(data *d, int32_t *wanted)
{
    const gp_stack_scan_desc desc = {.in = d->in,
                                     .values = d->in,
                                     .out = d->out,
                                     .count = d->count,
                                     .type = GP_I32,
                                     .map = CODE,
                                     .value_type = GP_I32,
                                     .value_map = MAP,
                                     .op = GP_SUM,
                                     ARGS};
    int32_t *stack = malloc((d->count + 2) * sizeof *stack);
    size_t i, depth = 0;
    assert_non_null(stack);
    stack[0] = 0;
    for (i = 0; i < d->count; i++) {
        if (code(d, i) > 0) {
            stack[depth + 1] = stack[depth] + mapped(d, i);
            depth++;
        } else if (code(d, i) < 0 && depth > 0) {
            depth--;
        }
        wanted[i] = stack[depth];
    }
    assert_gp(d->gp, gp_stack_scan(d->gp, &desc));
    expect(d, d->out, wanted, d->count);
    free(stack);
}

static void check_hash(data *d, int32_t *wanted)
{
    enum { KEYS = 500 };
    const gp_hash_desc make = {.key_size = 4, .value_size = 4, .expected_count = KEYS};
    const gp_hash_for_each_desc each = {.where = "k % 3 == 0 || v > limit",
                                        .map = "v * scale[k % 8] + limit",
                                        .key_type = GP_U32,
                                        .value_type = GP_I32,
                                        ARGS};
    uint32_t keys[KEYS];
    int32_t values[KEYS], *found;
    gp_hash table;
    gp_hash_insert_desc insert = {.count = KEYS};
    gp_hash_find_desc find = {.count = KEYS, .values = d->out};
    size_t i;
    (void)wanted;
    if (d->count < KEYS) return;
    for (i = 0; i < KEYS; i++) {
        keys[i] = (uint32_t)i * 5 + 1;
        values[i] = (int32_t)(i % 19) - 9;
    }
    insert.keys = find.keys = test_buffer(d->gp, sizeof keys, keys);
    insert.values = test_buffer(d->gp, sizeof values, values);
    assert_gp(d->gp, gp_hash_create(d->gp, &make, &table));
    assert_gp(d->gp, gp_hash_insert(d->gp, table, &insert));
    assert_gp(d->gp, gp_hash_for_each(d->gp, table, &each));
    assert_gp(d->gp, gp_hash_find(d->gp, table, &find));
    found = test_read(d->gp, d->out, sizeof values);
    for (i = 0; i < KEYS; i++) {
        const bool taken = keys[i] % 3 == 0 || values[i] > d->limit;
        assert_int_equal(found[i], taken ? values[i] * d->scale[keys[i] % SCALES] + d->limit : values[i]);
    }
    free(found);
    poison(d, d->out);
    assert_gp(d->gp, gp_hash_destroy(d->gp, table));
    clReleaseMemObject(find.keys);
    clReleaseMemObject(insert.values);
}

/* ------------------------------------------------------------------ in every variant */

typedef void check(data *d, int32_t *wanted);

static uint64_t programs_of(gp_context *gp)
{
    const gp_stats stats = test_profile_of(gp);
    return stats.programs_built + stats.programs_loaded;
}

/* With two sets of args, of which the second one makes no program. */
static void check_sizes(gp_context *gp, check *run)
{
    const size_t sizes[] = {COUNT, 0, 1, 17, 1023, 1024, 1025, 4099};
    uint64_t programs = 0;
    size_t k;
    for (k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int32_t *wanted = malloc((sizes[k] + 1) * sizeof *wanted);
        data d;
        assert_non_null(wanted);
        data_open(&d, gp, sizes[k]);
        data_set(&d, 0);
        run(&d, wanted);
        if (k == 0) programs = programs_of(gp);
        data_set(&d, 1);
        run(&d, wanted);
        if (k == 0) assert_int_equal(programs_of(gp), programs);
        data_close(&d);
        free(wanted);
    }
}

static void in_variants(const test_variant *variants, size_t count, check *run)
{
    size_t v;
    for (v = 0; v < count; v++) {
        gp_context *gp = test_open_other(&variants[v]);
        if (gp) check_sizes(gp, run);
        gp_context_destroy(gp);
    }
}

#define TEST_IN_VARIANTS(name)                                        \
    static void test_##name(void **state)                             \
    {                                                                 \
        (void)state;                                                  \
        in_variants(test_variants, test_variant_count, check_##name); \
    }
#define TEST_IN_SHAPES(name)                                 \
    static void test_##name(void **state)                    \
    {                                                        \
        (void)state;                                         \
        in_variants(test_shapes, TEST_SHAPES, check_##name); \
    }

TEST_IN_SHAPES(reduce)
TEST_IN_VARIANTS(scan)
TEST_IN_VARIANTS(select)
TEST_IN_SHAPES(partition)
TEST_IN_SHAPES(unique)
TEST_IN_SHAPES(encode)
TEST_IN_VARIANTS(reduce_by_key)
TEST_IN_SHAPES(by_key_anywhere)
TEST_IN_SHAPES(segmented_reduce)
TEST_IN_SHAPES(transform)
TEST_IN_SHAPES(difference)
TEST_IN_SHAPES(stencil)
TEST_IN_SHAPES(tree)
TEST_IN_VARIANTS(brackets)
TEST_IN_SHAPES(stack_scan)
TEST_IN_SHAPES(hash)

/* ------------------------------------------------------------------ no expression

   Calls to d->out, given args that nothing names, or none. */

#define GIVEN .args = given ? d->args : NULL, .arg_count = given ? 2 : 0

static gp_result plain_reduce(data *d, bool given)
{
    const gp_reduce_desc desc = {.in = d->in,
                                 .out = d->out,
                                 .count = d->count,
                                 .type = GP_I32,
                                 .out_type = GP_I32,
                                 .op = GP_SUM,
                                 GIVEN};
    return gp_reduce(d->gp, &desc);
}

static gp_result plain_segmented_reduce(data *d, bool given)
{
    const gp_segmented_reduce_desc desc = {.in = d->in,
                                           .out = d->out,
                                           .count = d->count,
                                           .segment_count = 1,
                                           .offsets = d->table[1], /* 2, 7 */
                                           .offsets_offset = FIRST + 3,
                                           .offsets_type = GP_U32,
                                           .type = GP_I32,
                                           .out_type = GP_I32,
                                           .op = GP_SUM,
                                           GIVEN};
    return gp_segmented_reduce(d->gp, &desc);
}

static gp_result plain_reduce_by_key(data *d, bool given)
{
    const gp_reduce_by_key_desc desc = {.keys = d->in,
                                        .in = d->in,
                                        .out = d->out,
                                        .count = d->count,
                                        .key_type = GP_I32,
                                        .type = GP_I32,
                                        .out_type = GP_I32,
                                        .op = GP_SUM,
                                        GIVEN};
    return gp_reduce_by_key(d->gp, &desc);
}

static gp_result plain_scan(data *d, bool given)
{
    const gp_scan_desc desc = {
        .in = d->in, .out = d->out, .count = d->count, .type = GP_I32, .op = GP_SUM, GIVEN};
    return gp_scan(d->gp, &desc);
}

static gp_result plain_select(data *d, bool given)
{
    const gp_select_desc desc = {
        .in = d->in, .out = d->out, .flags = d->in, .count = d->count, .type = GP_I32, GIVEN};
    return gp_select(d->gp, &desc);
}

static gp_result plain_partition(data *d, bool given)
{
    const gp_partition_desc desc = {
        .in = d->in, .out = d->out, .flags = d->in, .count = d->count, .type = GP_I32, GIVEN};
    return gp_partition(d->gp, &desc);
}

static gp_result plain_unique(data *d, bool given)
{
    const gp_unique_desc desc = {
        .keys = d->in, .keys_out = d->out, .count = d->count, .key_type = GP_I32, GIVEN};
    return gp_unique(d->gp, &desc);
}

static gp_result plain_encode(data *d, bool given)
{
    const gp_run_length_encode_desc desc = {
        .in = d->in, .lengths_out = d->out, .count = d->count, .type = GP_I32, GIVEN};
    return gp_run_length_encode(d->gp, &desc);
}

static gp_result plain_sort_records(data *d, bool given)
{
    const gp_sort_column by_itself = {.type = GP_I32};
    const gp_sort_records_desc desc = {.in = d->in,
                                       .out = d->out,
                                       .count = d->count,
                                       .type = GP_I32,
                                       .columns = &by_itself,
                                       .column_count = 1,
                                       GIVEN};
    return gp_sort_records(d->gp, &desc);
}

static gp_result plain_difference(data *d, bool given)
{
    const gp_adjacent_difference_desc desc = {
        .in = d->in, .out = d->out, .count = d->count, .type = GP_I32, GIVEN};
    return gp_adjacent_difference(d->gp, &desc);
}

static gp_result plain_stencil(data *d, bool given)
{
    const gp_stencil_desc desc = {
        .in = d->in, .out = d->out, .width = d->count, .weights = d->table[1], .type = GP_I32, GIVEN};
    return gp_stencil(d->gp, &desc);
}

/* No element has a parent: bits of -1, or of those that come later. */
static gp_result plain_tree(data *d, bool given)
{
    const gp_tree_desc desc = {.parent = d->out2, .index = d->out, .count = d->count, GIVEN};
    return gp_tree(d->gp, &desc);
}

static gp_result plain_brackets(data *d, bool given)
{
    const gp_brackets_desc desc = {
        .in = d->in, .depth = d->out, .count = d->count, .type = GP_U8, .pairs = "\x01\x02", GIVEN};
    return gp_brackets(d->gp, &desc);
}

static gp_result plain_stack_scan(data *d, bool given)
{
    const gp_stack_scan_desc desc = {.in = d->in,
                                     .values = d->in,
                                     .out = d->out,
                                     .count = d->count,
                                     .type = GP_U8,
                                     .pairs = "\x01\x02",
                                     .value_type = GP_I32,
                                     .op = GP_SUM,
                                     GIVEN};
    return gp_stack_scan(d->gp, &desc);
}

/* Of every call that does without one. */
static const struct {
    const char *name;
    gp_result (*call)(data *d, bool given);
} plain_calls[] = {{"gp_reduce", plain_reduce},
                   {"gp_segmented_reduce", plain_segmented_reduce},
                   {"gp_reduce_by_key", plain_reduce_by_key},
                   {"gp_scan", plain_scan},
                   {"gp_select", plain_select},
                   {"gp_partition", plain_partition},
                   {"gp_unique", plain_unique},
                   {"gp_run_length_encode", plain_encode},
                   {"gp_sort_records", plain_sort_records},
                   {"gp_adjacent_difference", plain_difference},
                   {"gp_stencil", plain_stencil},
                   {"gp_tree", plain_tree},
                   {"gp_brackets", plain_brackets},
                   {"gp_stack_scan", plain_stack_scan}};

/* The same results as without args. */
static void check_no_expression(data *d)
{
    size_t c;
    for (c = 0; c < sizeof plain_calls / sizeof *plain_calls; c++) {
        int32_t *without, *with;
        assert_gp(d->gp, plain_calls[c].call(d, false));
        without = test_read(d->gp, d->out, (d->count + 1) * 4);
        poison(d, d->out);
        assert_gp(d->gp, plain_calls[c].call(d, true));
        with = test_read(d->gp, d->out, (d->count + 1) * 4);
        if (memcmp(without, with, (d->count + 1) * 4) != 0) fail_msg("%s", plain_calls[c].name);
        if (with[0] == (int32_t)0xa5a5a5a5u) fail_msg("%s writes nothing", plain_calls[c].name);
        free(without);
        free(with);
        poison(d, d->out);
    }
}

static void test_no_expression(void **state)
{
    size_t v;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open_other(&test_shapes[v]);
        data d;
        if (!gp) continue;
        data_open(&d, gp, 5003);
        data_set(&d, 0);
        check_no_expression(&d);
        data_close(&d);
        gp_context_destroy(gp);
    }
}

/* ------------------------------------------------------------------ types */

static const gp_record float4 = {.cl_type = "float4", .size = 16}, float2 = {.cl_type = "float2", .size = 8};

/* A value of each type, and a vector, arrive as they are; many of them, in any order of sizes. */
static void test_types(void **state)
{
    const int8_t a = -100;
    const uint8_t b = 200;
    const int16_t c = -30000;
    const uint16_t e = 60000;
    const int32_t f = -2000000000;
    const uint32_t g = 4000000000u;
    const int64_t h = -4000000000000;
    const uint64_t l = 18000000000000000000u;
    const float m = 0.375f, n[4] = {1, 2, 4, 8};
    const double o = 1.0 / 3;
    const gp_arg args[] = {
        {.name = "a", .type = GP_I8, .value = &a},  {.name = "h", .type = GP_I64, .value = &h},
        {.name = "b", .type = GP_U8, .value = &b},  {.name = "n", .record = &float4, .value = n},
        {.name = "c", .type = GP_I16, .value = &c}, {.name = "l", .type = GP_U64, .value = &l},
        {.name = "e", .type = GP_U16, .value = &e}, {.name = "f", .type = GP_I32, .value = &f},
        {.name = "g", .type = GP_U32, .value = &g}, {.name = "m", .type = GP_F32, .value = &m},
        {.name = "o", .type = GP_F64, .value = &o}, /* last: not on every device */
    };
    size_t v;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open_other(&test_shapes[v]);
        gp_transform_desc t = {.count = 11, .out_type = GP_U64, .args = args, .arg_count = 10};
        uint64_t *found;
        if (!gp) continue;
        t.out = test_buffer(gp, 11 * 8, NULL);
        t.map =
            "i == 0 ? (ulong)(long)a : i == 1 ? (ulong)b : i == 2 ? (ulong)(long)c : i == 3 ? (ulong)e : "
            "i == 4 ? (ulong)(long)f : i == 5 ? (ulong)g : i == 6 ? (ulong)h : i == 7 ? l : "
            "i == 8 ? (ulong)(m * 1000) : i == 9 ? (ulong)(n.x + n.y * 10 + n.z * 100 + n.w * 1000) : 0ul";
        if (gp_context_info(gp)->fp64) t.arg_count = 11;
        assert_gp(gp, gp_transform(gp, &t));
        found = test_read(gp, t.out, 11 * 8);
        assert_int_equal(found[0], (uint64_t)(int64_t)a);
        assert_int_equal(found[1], b);
        assert_int_equal(found[2], (uint64_t)(int64_t)c);
        assert_int_equal(found[3], e);
        assert_int_equal(found[4], (uint64_t)(int64_t)f);
        assert_int_equal(found[5], g);
        assert_int_equal(found[6], (uint64_t)h);
        assert_true(found[7] == l);
        assert_int_equal(found[8], 375);
        assert_int_equal(found[9], 8421);
        free(found);
        if (gp_context_info(gp)->fp64) {
            double *third;
            t.out_type = GP_F64;
            t.map = "o";
            assert_gp(gp, gp_transform(gp, &t));
            third = test_read(gp, t.out, 8);
            assert_true(*third == o);
            free(third);
        }
        clReleaseMemObject(t.out);
        gp_context_destroy(gp);
    }
}

/* Buffers of halves and of vectors; an input may be one. */
static void test_buffers(void **state)
{
    const uint16_t halves[4] = {0x3c00, 0x4000, 0x3800, 0xc400}; /* 1, 2, .5, -4 */
    const float pairs[2][2] = {{1, 10}, {2, 20}}, x[4] = {1, 2, 3, 4};
    size_t v;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open_other(&test_shapes[v]);
        gp_arg args[3] = {{.name = "h", .type = GP_F16},
                          {.name = "pair", .record = &float2},
                          {.name = "all", .type = GP_F32}};
        gp_transform_desc t = {.count = 4, .type = GP_F32, .args = args, .arg_count = 3};
        float *found;
        if (!gp) continue;
        args[0].buffer = test_buffer(gp, sizeof halves, halves);
        args[1].buffer = test_buffer(gp, sizeof pairs, pairs);
        args[2].buffer = t.in = test_buffer(gp, sizeof x, x);
        t.out = test_buffer(gp, sizeof x, NULL);
        t.map = "vload_half(i, h) + pair[i % 2].y + all[3 - i] * x";
        assert_gp(gp, gp_transform(gp, &t));
        found = test_read(gp, t.out, sizeof x);
        assert_true(found[0] == 15 && found[1] == 28 && found[2] == 16.5f && found[3] == 20);
        free(found);
        (void)clReleaseMemObject(t.out);
        (void)clReleaseMemObject(args[0].buffer);
        (void)clReleaseMemObject(args[1].buffer);
        (void)clReleaseMemObject(t.in);
        gp_context_destroy(gp);
    }
}

/* ------------------------------------------------------------------ warm-up */

/* A call's desc is a warm-up's, too: what it makes is what the call takes. */
static void test_warm(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    data here, *d = &here;
    gp_transform_desc t = {.type = GP_I32, .map = MAP};
    gp_select_desc s = {.type = GP_I32, .predicate = MAP};
    gp_scan_desc c = {.type = GP_I32, .op = GP_SUM, .map = MAP};
    gp_segmented_reduce_desc r = {.type = GP_I32, .op = GP_SUM, .map = MAP};
    gp_stencil_desc n = {.type = GP_I32, .radius_x = 1, .map = "at(1, 0) * limit"};
    gp_tree_desc e = {.type = GP_I32, .map = "x < limit"};
    gp_brackets_desc b = {.type = GP_I32, .map = CODE};
    const gp_warmup_desc warm = {.transform = &t,
                                 .select = &s,
                                 .scan = &c,
                                 .segmented_reduce = &r,
                                 .stencil = &n,
                                 .tree = &e,
                                 .brackets = &b};
    const uint32_t offsets[2] = {0, 5000};
    uint64_t programs;
    (void)state;
    data_open(d, gp, 5000);
    data_set(d, 0);
    t.args = s.args = c.args = r.args = n.args = e.args = b.args = d->args;
    t.arg_count = s.arg_count = c.arg_count = r.arg_count = n.arg_count = e.arg_count = b.arg_count = 2;
    s.out = b.match = d->out;
    assert_gp(gp, gp_warmup(gp, &warm));
    programs = programs_of(gp);
    data_set(d, 1);
    t.in = s.in = c.in = r.in = n.in = e.in = e.parent = b.in = d->in;
    t.out = c.out = r.out = n.out = e.end = d->out;
    t.count = s.count = c.count = r.count = n.width = e.count = b.count = d->count;
    r.offsets = test_buffer(gp, sizeof offsets, offsets);
    r.offsets_type = GP_U32;
    r.segment_count = 1;
    assert_gp(gp, gp_transform(gp, &t));
    assert_gp(gp, gp_select(gp, &s));
    assert_gp(gp, gp_scan(gp, &c));
    assert_gp(gp, gp_segmented_reduce(gp, &r));
    assert_gp(gp, gp_stencil(gp, &n));
    assert_gp(gp, gp_tree(gp, &e));
    assert_gp(gp, gp_brackets(gp, &b));
    assert_int_equal(programs_of(gp), programs);
    clReleaseMemObject(r.offsets);
    data_close(d);
    gp_context_destroy(gp);
}

/* Buffers that suffice for the caller's data, and would not for made-up elements: Oclgrind reports reads beyond. */
#define SHORT "table[i] + table[x - 5]"
#define SHORT_PAIR "table[i] + table[x + y - 5]"

#define SHORT_ARGS .args = table, .arg_count = 1

static void warm_sums(gp_context *gp, const gp_arg *table)
{
    static const gp_monoid sum = {.type = "int",
                                  .source = "int add(int a, int b) { return a + b; }",
                                  .combine = "add",
                                  .identity = numbers,
                                  .size = 4};
    static const gp_op ops[] = {GP_SUM, GP_MAX};
    const gp_reduce_desc reduce = {.type = GP_I32, .op = GP_SUM, .map = SHORT, SHORT_ARGS},
                         indices = {.out_type = GP_I32, .op = GP_SUM, .map = "table[i]", SHORT_ARGS},
                         several = {.type = GP_I32,
                                    .ops = ops,
                                    .op_count = 2,
                                    .map = SHORT,
                                    .map_type = GP_I32,
                                    SHORT_ARGS},
                         two = {.type = GP_I32, .type2 = GP_I32, .op = GP_MAX, .map = SHORT_PAIR, SHORT_ARGS};
    const gp_scan_desc scan = {.type = GP_I32, .op = GP_SUM, .map = SHORT, SHORT_ARGS},
                       segments = {.type = GP_I32,
                                   .monoid = &sum,
                                   .map = SHORT,
                                   .segments = GP_SEGMENTS_BY_FLAGS,
                                   .heads_type = GP_U8,
                                   SHORT_ARGS};
    const gp_segmented_reduce_desc segmented = {.type = GP_I32, .op = GP_SUM, .map = SHORT, SHORT_ARGS};
    const gp_warmup_desc warmups[] = {{.reduce = &reduce, .scan = &scan, .segmented_reduce = &segmented},
                                      {.reduce = &indices, .scan = &segments},
                                      {.reduce = &several},
                                      {.reduce = &two}};
    size_t k;
    for (k = 0; k < sizeof warmups / sizeof *warmups; k++) assert_gp(gp, gp_warmup(gp, &warmups[k]));
}

static void warm_keys_and_nests(gp_context *gp, const gp_arg *table)
{
    const cl_mem some = table->buffer; /* is there: nothing is read */
    const gp_histogram_desc histogram = {
        .type = GP_I32, .map = SHORT, .map_type = GP_I32, .out_type = GP_U32, SHORT_ARGS};
    const gp_search_desc search = {.key_type = GP_I32,
                                   .out_type = GP_U32,
                                   .map = "table[i] + table[i + 1]",
                                   .needle_map = "table[i] + table[i + 1]",
                                   SHORT_ARGS};
    const gp_record record = {.cl_type = "int", .size = 4};
    const gp_sort_column column = {.map = "table[x - 5]", .type = GP_I32};
    const gp_sort_records_desc records = {
        .record = &record, .columns = &column, .column_count = 1, .in = some, .out = some, SHORT_ARGS};
    const gp_brackets_desc brackets = {.type = GP_I32, .map = SHORT, .match = some, SHORT_ARGS};
    const gp_stack_scan_desc stack = {
        .type = GP_I32, .map = SHORT, .value_type = GP_I32, .value_map = SHORT, .op = GP_SUM, SHORT_ARGS};
    const gp_tree_desc tree = {.type = GP_I32, .map = SHORT, SHORT_ARGS};
    const gp_warmup_desc warmup = {.histogram = &histogram,
                                   .search = &search,
                                   .sort_records = &records,
                                   .brackets = &brackets,
                                   .stack_scan = &stack,
                                   .tree = &tree};
    assert_gp(gp, gp_warmup(gp, &warmup));
}

static void warm_packs_and_maps(gp_context *gp, const gp_arg *table)
{
    const cl_mem some = table->buffer; /* as above */
    const gp_select_desc select = {.type = GP_I32, .predicate = SHORT, .out = some, SHORT_ARGS};
    const gp_partition_desc partition = {.type = GP_I32,
                                         .predicate = SHORT,
                                         .predicate2 = SHORT,
                                         .out = some,
                                         .second = some,
                                         .rest = some,
                                         SHORT_ARGS};
    const gp_unique_desc unique = {
        .key_type = GP_I32, .equal = "table[x + y - 5]", .keys_out = some, SHORT_ARGS};
    const gp_run_length_encode_desc encode = {
        .type = GP_I32, .equal = "table[x + y - 5]", .lengths_out = some, SHORT_ARGS};
    const gp_reduce_by_key_desc by_key = {.key_type = GP_I32,
                                          .type = GP_I32,
                                          .op = GP_SUM,
                                          .equal = "table[x + y - 5]",
                                          .map = "table[x - 5]",
                                          SHORT_ARGS},
                                by_place = {.key_type = GP_I32,
                                            .type = GP_I32,
                                            .op = GP_SUM,
                                            .equal = "table[x + y - 5]",
                                            .map = SHORT,
                                            SHORT_ARGS};
    const gp_transform_desc transform = {.type = GP_I32, .map = SHORT, SHORT_ARGS};
    const gp_adjacent_difference_desc difference = {.type = GP_I32, .map = SHORT_PAIR, SHORT_ARGS};
    const gp_stencil_desc line = {.type = GP_I32, .radius_x = 1, .map = SHORT, SHORT_ARGS},
                          picture = {.type = GP_I32, .radius_y = 1, .height = 2, .map = SHORT, SHORT_ARGS};
    const gp_warmup_desc first = {.select = &select,
                                  .partition = &partition,
                                  .unique = &unique,
                                  .run_length_encode = &encode,
                                  .reduce_by_key = &by_key,
                                  .transform = &transform,
                                  .adjacent_difference = &difference,
                                  .stencil = &line},
                         second = {.reduce_by_key = &by_place, .stencil = &picture};
    assert_gp(gp, gp_warmup(gp, &first));
    assert_gp(gp, gp_warmup(gp, &second));
}

static void test_warm_short(void **state)
{
    const int32_t seven = 7;
    int32_t found[2];
    size_t k;
    (void)state;
    for (k = 0; k < (test_small() ? (size_t)TEST_SHAPES : 1); k++) { /* others would notice nothing */
        gp_context *gp = test_open_other(&test_shapes[k]);
        gp_arg table = {.name = "table", .type = GP_I32};
        gp_reduce_desc after = {.op = GP_SUM, .map = "table[i]", .out_type = GP_I32, .count = 1};
        if (!gp) continue;
        table.buffer = test_buffer(gp, 4, &seven);
        warm_sums(gp, &table);
        warm_keys_and_nests(gp, &table);
        warm_packs_and_maps(gp, &table);
        after.args = &table;
        after.arg_count = 1;
        assert_gp(gp, gp_reduce_read(gp, &after, found)); /* of a call, elements count again */
        assert_int_equal(found[0], 7);
        clReleaseMemObject(table.buffer);
        gp_context_destroy(gp);
    }
}

/* ------------------------------------------------------------------ bad args */

static void test_bad(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    const int32_t five = 5;
    gp_record r;
    const gp_arg as_record = {.name = "limit", .record = &r, .value = &five};
    const gp_record three = {
        .cl_type = "three", .size = 12, .source = "typedef struct { int of[3]; } three;"};
    gp_arg a[2], good = {.name = "limit", .type = GP_I32, .value = &five};
    cl_mem buffer = test_buffer(gp, 4000, NULL), out = test_buffer(gp, 4000, NULL);
    gp_transform_desc t = {.in = buffer,
                           .out = out,
                           .count = 1000,
                           .type = GP_I32,
                           .map = "x + limit",
                           .args = a,
                           .arg_count = 1};
    (void)state;
#define REFUSED(change, result, text)                            \
    do {                                                         \
        a[0] = good;                                             \
        a[1] = good;                                             \
        a[1].name = "other";                                     \
        change;                                                  \
        assert_gp_fails(gp, gp_transform(gp, &t), result, text); \
    } while (0)
#define BAD(change, text) REFUSED(change, GP_ERROR_INVALID_ARGUMENT, text)
    BAD(a[0].name = NULL, "args[0].name is empty");
    BAD(a[0].name = " ", "args[0].name is empty");
    BAD(a[0].name = "two words", "args[0].name = \"two words\" is not a variable name");
    BAD(a[0].name = "1st", "is not a variable name");
    BAD(a[0].name = "a; b", "';'");
    BAD(a[0].name = "a)", "')'");
    BAD(a[0].name = "gpi_a", "gpi_a: names");
    BAD(a[0].name = "x", "args[0].name = \"x\": the call's expressions have this name already");
    BAD((a[1].name = "limit", t.arg_count = 2), "args[1].name = \"limit\": the call's expressions have");
    t.arg_count = 1;
    REFUSED(a[0].name = "if", GP_ERROR_BUILD, test_place("args:1"));
    REFUSED(a[0].type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "args[0]: type = 0 and record is NULL");
    REFUSED(a[0].type = (gp_type)99, GP_ERROR_INVALID_TYPE, "args[0].type = 99 is not a gp_type");
    REFUSED(a[0].record = &float4, GP_ERROR_INVALID_TYPE, "give one of them");
    r = (gp_record){.cl_type = "int2", .size = 4};
    REFUSED(a[0] = as_record, GP_ERROR_BUILD, "a record's size = 4 is not sizeof(cl_type)");
    r = (gp_record){.cl_type = "int *", .size = 4};
    BAD(a[0] = as_record, "args[0].record->cl_type = \"int *\" is not a type name");
    r = (gp_record){.cl_type = "int"};
    REFUSED(a[0] = as_record, GP_ERROR_INVALID_TYPE, "args[0].record->size = 0, must be 1 to 256");
    r = (gp_record){.size = 4};
    BAD(a[0] = as_record, "args[0].record->cl_type is empty");
    r = (gp_record){.cl_type = "mine", .size = 4, .source = "typedef int mine; /*"};
    BAD(a[0] = as_record, "args[0].record->source, line 1: a comment is never closed");
    REFUSED(a[0].type = GP_F16, GP_ERROR_INVALID_TYPE, "a value cannot be GP_F16");
    BAD(a[0].buffer = buffer, "args[0] has a value, and also a buffer");
    BAD(a[0].offset = 1, "args[0] has a value");
    REFUSED(a[0].value = NULL, GP_ERROR_INVALID_BUFFER, "args[0].buffer is NULL");
    REFUSED((a[0].value = NULL, a[0].buffer = buffer, a[0].offset = 1001), GP_ERROR_INVALID_BUFFER,
            "args[0].buffer has 4000 bytes");
    REFUSED((a[0].value = NULL, a[0].buffer = buffer, a[0].count = 1001), GP_ERROR_INVALID_BUFFER,
            "args[0].buffer has 4000 bytes");
    REFUSED((a[0].value = NULL, a[0].buffer = out), GP_ERROR_OVERLAP,
            "args[0].buffer is bytes [0, 4000) and out");
#undef BAD
#undef REFUSED
    a[0] = good;
    assert_gp(gp, gp_transform(gp, &t)); /* the context lives on */
    a[0] = (gp_arg){.name = "limit", .type = GP_I32, .buffer = out, .offset = 500, .count = 500};
    t.map = "x + limit[i]";
    t.count = 500; /* apart, in one buffer */
    assert_gp(gp, gp_transform(gp, &t));
    a[0] = (gp_arg){.name = "limit", .record = &three, .buffer = out, .offset = 333};
    t.count = 1000; /* none of 333 records in 4000 bytes is left, and they end at byte 3996 */
    t.map = "x";
    assert_gp(gp, gp_transform(gp, &t));
    clReleaseMemObject(buffer);
    clReleaseMemObject(out);
    gp_context_destroy(gp);
}

/* Too many, too many bytes, a number without a list. */
static void test_limits(void **state)
{
    static const char *const names[GP_ARGS_MAX] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                                   "l", "m", "n", "o", "p", "q", "r", "s"};
    const gp_record ulong4 = {.cl_type = "ulong4", .size = 32};
    const uint64_t large[4] = {0};
    const int32_t one = 1;
    gp_context *gp = test_open(&test_variants[0], NULL);
    gp_arg a[GP_ARGS_MAX + 1];
    cl_mem out = test_buffer(gp, 4, NULL);
    gp_transform_desc t = {.out = out, .out_type = GP_I32, .count = 1, .map = "a + s", .args = a};
    int32_t *found;
    size_t k;
    (void)state;
    for (k = 0; k < GP_ARGS_MAX; k++) a[k] = (gp_arg){.name = names[k], .record = &ulong4, .value = large};
    t.arg_count = 9;
    assert_gp_fails(gp, gp_transform(gp, &t), GP_ERROR_INVALID_ARGUMENT,
                    "values of args have more than 256 bytes");
    for (k = 0; k <= GP_ARGS_MAX; k++)
        a[k] = (gp_arg){.name = names[k % GP_ARGS_MAX], .type = GP_I32, .value = &one};
    t.arg_count = GP_ARGS_MAX + 1;
    assert_gp_fails(gp, gp_transform(gp, &t), GP_ERROR_INVALID_ARGUMENT,
                    "arg_count = 17, must be at most 16");
    t.arg_count = 0;
    assert_gp_fails(gp, gp_transform(gp, &t), GP_ERROR_INVALID_ARGUMENT, "arg_count = 0");
    t.args = NULL;
    t.arg_count = 1;
    assert_gp_fails(gp, gp_transform(gp, &t), GP_ERROR_INVALID_ARGUMENT, "args is NULL");
    t.args = a;
    t.arg_count = GP_ARGS_MAX; /* as many as there may be */
    assert_gp(gp, gp_transform(gp, &t));
    found = test_read(gp, out, 4);
    assert_int_equal(*found, 2);
    free(found);
    for (k = 0; k < 8; k++) a[k] = (gp_arg){.name = names[k], .record = &ulong4, .value = large};
    t.arg_count = 8; /* as many bytes */
    t.map = "(int)a.x";
    assert_gp(gp, gp_transform(gp, &t));
    clReleaseMemObject(out);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_select),
        cmocka_unit_test(test_partition),
        cmocka_unit_test(test_unique),
        cmocka_unit_test(test_encode),
        cmocka_unit_test(test_reduce_by_key),
        cmocka_unit_test(test_by_key_anywhere),
        cmocka_unit_test(test_segmented_reduce),
        cmocka_unit_test(test_transform),
        cmocka_unit_test(test_difference),
        cmocka_unit_test(test_stencil),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_brackets),
        cmocka_unit_test(test_stack_scan),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_no_expression),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_warm),
        cmocka_unit_test(test_warm_short),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests_name("args", tests, NULL, NULL);
}
