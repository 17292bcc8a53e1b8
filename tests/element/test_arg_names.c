/* test_arg_names.c - the names of arguments: each call takes all but those that its own expressions define. */
#include "../support/support.h"

enum { NAMES = 8, COUNT = 16 };
static const char *const names[NAMES] = {"x", "y", "z", "i", "j", "k", "v", "at"};

typedef struct data {
    gp_context *gp;
    cl_mem in, in2, out, out2;
    gp_hash table, set;
    const char *text; /* the expression */
    const gp_arg *args;
    size_t arg_count;
} data;

#define GIVEN .args = d->args, .arg_count = d->arg_count
#define INPUT .in = d->in, .type = GP_I32, .count = COUNT

static gp_result call_reduce(data *d)
{
    const gp_reduce_desc desc = {INPUT, .out = d->out, .op = GP_SUM, .map = d->text, GIVEN};
    return gp_reduce(d->gp, &desc);
}

static gp_result call_reduce_plain(data *d)
{
    const gp_reduce_desc desc = {INPUT, .out = d->out, .op = GP_SUM, GIVEN};
    return gp_reduce(d->gp, &desc);
}

static gp_result call_reduce_two(data *d)
{
    const gp_reduce_desc desc = {INPUT, .in2 = d->in2, .out = d->out, .op = GP_SUM, .map = d->text, GIVEN};
    return gp_reduce(d->gp, &desc);
}

static gp_result call_reduce_indices(data *d)
{
    const gp_reduce_desc desc = {
        .count = COUNT, .out = d->out, .out_type = GP_I32, .op = GP_SUM, .map = d->text, GIVEN};
    return gp_reduce(d->gp, &desc);
}

static gp_result call_segmented_reduce(data *d)
{
    const gp_segmented_reduce_desc desc = {
        INPUT,         .offsets = d->in2, .offsets_type = GP_U32, .segment_count = COUNT - 1,
        .out = d->out, .op = GP_SUM,      .map = d->text,         GIVEN};
    return gp_segmented_reduce(d->gp, &desc);
}

static gp_result call_scan(data *d)
{
    const gp_scan_desc desc = {INPUT, .out = d->out, .op = GP_SUM, .map = d->text, GIVEN};
    return gp_scan(d->gp, &desc);
}

static gp_result call_select(data *d)
{
    const gp_select_desc desc = {INPUT, .out = d->out, .predicate = d->text, GIVEN};
    return gp_select(d->gp, &desc);
}

static gp_result call_select_flags(data *d)
{
    const gp_select_desc desc = {INPUT, .out = d->out, .flags = d->in2, GIVEN};
    return gp_select(d->gp, &desc);
}

static gp_result call_partition(data *d)
{
    const gp_partition_desc desc = {INPUT, .out = d->out, .predicate = d->text, GIVEN};
    return gp_partition(d->gp, &desc);
}

static gp_result call_unique(data *d)
{
    const gp_unique_desc desc = {
        .keys = d->in, .keys_out = d->out, .key_type = GP_I32, .count = COUNT, .equal = d->text, GIVEN};
    return gp_unique(d->gp, &desc);
}

static gp_result call_unique_plain(data *d)
{
    const gp_unique_desc desc = {
        .keys = d->in, .keys_out = d->out, .key_type = GP_I32, .count = COUNT, GIVEN};
    return gp_unique(d->gp, &desc);
}

static gp_result call_encode(data *d)
{
    const gp_run_length_encode_desc desc = {INPUT, .lengths_out = d->out, .equal = d->text, GIVEN};
    return gp_run_length_encode(d->gp, &desc);
}

static gp_result call_by_key(data *d)
{
    const gp_reduce_by_key_desc desc = {
        INPUT, .keys = d->in2, .key_type = GP_I32, .out = d->out, .op = GP_SUM, .map = d->text, GIVEN};
    return gp_reduce_by_key(d->gp, &desc);
}

static gp_result call_transform(data *d)
{
    const gp_transform_desc desc = {.count = COUNT, .out = d->out, .out_type = GP_I32, .map = d->text, GIVEN};
    return gp_transform(d->gp, &desc);
}

static gp_result call_transform_one(data *d)
{
    const gp_transform_desc desc = {INPUT, .out = d->out, .map = d->text, GIVEN};
    return gp_transform(d->gp, &desc);
}

static gp_result call_transform_two(data *d)
{
    const gp_transform_desc desc = {INPUT, .in2 = d->in2, .out = d->out, .map = d->text, GIVEN};
    return gp_transform(d->gp, &desc);
}

static gp_result call_transform_three(data *d)
{
    const gp_transform_desc desc = {INPUT,         .in2 = d->in2,  .in3 = d->in2,
                                    .out = d->out, .map = d->text, GIVEN};
    return gp_transform(d->gp, &desc);
}

static gp_result call_difference(data *d)
{
    const gp_adjacent_difference_desc desc = {INPUT, .out = d->out, .map = d->text, GIVEN};
    return gp_adjacent_difference(d->gp, &desc);
}

static gp_result call_stencil(data *d)
{
    const gp_stencil_desc desc = {
        .in = d->in, .type = GP_I32, .width = COUNT, .radius_x = 1, .out = d->out, .map = d->text, GIVEN};
    return gp_stencil(d->gp, &desc);
}

static gp_result call_histogram(data *d)
{
    const gp_histogram_desc desc = {
        INPUT, .out = d->out, .bins = 4, .lower.i64 = 0, .upper.i64 = COUNT, .map = d->text, GIVEN};
    return gp_histogram(d->gp, &desc);
}

static gp_result call_sort_records(data *d)
{
    const gp_sort_column column = {.map = d->text, .type = GP_I32};
    const gp_sort_records_desc desc = {INPUT, .out = d->out, .columns = &column, .column_count = 1, GIVEN};
    return gp_sort_records(d->gp, &desc);
}

static gp_result call_search(data *d)
{
    const gp_search_desc desc = {.keys = d->in,
                                 .key_type = GP_I32,
                                 .count = COUNT,
                                 .needles = d->in2,
                                 .needle_count = COUNT,
                                 .out = d->out2,
                                 .map = d->text,
                                 GIVEN};
    return gp_search(d->gp, &desc);
}

static gp_result call_search_indices(data *d)
{
    const gp_search_desc desc = {.keys = d->in,
                                 .key_type = GP_I32,
                                 .count = COUNT,
                                 .needle_count = COUNT,
                                 .out = d->out2,
                                 .needle_map = d->text,
                                 GIVEN};
    return gp_search(d->gp, &desc);
}

static gp_result call_brackets(data *d)
{
    const gp_brackets_desc desc = {INPUT, .match = d->out, .map = d->text, GIVEN};
    return gp_brackets(d->gp, &desc);
}

static gp_result call_stack_scan(data *d)
{
    const gp_stack_scan_desc desc = {.in = d->in,
                                     .count = COUNT,
                                     .type = GP_U8,
                                     .values = d->in2,
                                     .value_type = GP_I32,
                                     .value_map = d->text,
                                     .out = d->out,
                                     .op = GP_SUM,
                                     GIVEN};
    return gp_stack_scan(d->gp, &desc);
}

static gp_result call_tree(data *d)
{
    const gp_tree_desc desc = {
        .parent = d->in2, .in = d->in, .type = GP_I32, .count = COUNT, .end = d->out, .map = d->text, GIVEN};
    return gp_tree(d->gp, &desc);
}

static gp_result call_each(data *d)
{
    const gp_hash_for_each_desc desc = {.map = d->text, .key_type = GP_I32, .value_type = GP_I32, GIVEN};
    return gp_hash_for_each(d->gp, d->table, &desc);
}

static gp_result call_each_of_set(data *d)
{
    const gp_hash_for_each_desc desc = {.where = d->text, .erase = true, .key_type = GP_I32, GIVEN};
    return gp_hash_for_each(d->gp, d->set, &desc);
}

static const struct {
    const char *name;
    gp_result (*call)(data *d);
    const char *own, *text; /* the names that its expressions define; an expression in them */
} calls[] = {{"gp_reduce", call_reduce, "x i", "x + (int)i"},
             {"gp_reduce, no map", call_reduce_plain, "", "0"},
             {"gp_reduce, in2", call_reduce_two, "x y i", "x + y + (int)i"},
             {"gp_reduce, no input", call_reduce_indices, "i", "(int)i"},
             {"gp_segmented_reduce", call_segmented_reduce, "x i", "x + (int)i"},
             {"gp_scan", call_scan, "x i", "x + (int)i"},
             {"gp_select", call_select, "x i", "x + (int)i"},
             {"gp_select, flags", call_select_flags, "", "0"},
             {"gp_partition", call_partition, "x i", "x + (int)i"},
             {"gp_unique", call_unique, "x y", "x + y"},
             {"gp_unique, no equal", call_unique_plain, "x y", "0"},
             {"gp_run_length_encode", call_encode, "x y", "x + y"},
             {"gp_reduce_by_key", call_by_key, "x y i", "x + (int)i"},
             {"gp_transform, no input", call_transform, "i", "(int)i"},
             {"gp_transform", call_transform_one, "x i", "x + (int)i"},
             {"gp_transform, in2", call_transform_two, "x y i", "x + y + (int)i"},
             {"gp_transform, in3", call_transform_three, "x y z i", "x + y + z + (int)i"},
             {"gp_adjacent_difference", call_difference, "x y i", "x + y + (int)i"},
             {"gp_stencil", call_stencil, "x i j at", "x + at(1, 0) + (int)i + (int)j"},
             {"gp_histogram", call_histogram, "x i", "x + (int)i"},
             {"gp_sort_records", call_sort_records, "x i", "x + (int)i"},
             {"gp_search", call_search, "x i", "x + (int)i"},
             {"gp_search, no needles", call_search_indices, "i", "(int)i"},
             {"gp_brackets", call_brackets, "x i", "x + (int)i"},
             {"gp_stack_scan", call_stack_scan, "x i", "x + (int)i"},
             {"gp_tree", call_tree, "x i", "x + (int)i"},
             {"gp_hash_for_each", call_each, "k v", "k + v"},
             {"gp_hash_for_each, set", call_each_of_set, "k", "k"}};

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    const char *at;
    for (at = words; (at = strstr(at, word)) != NULL; at++)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

static void data_open(data *d, gp_context *gp)
{
    const gp_hash_desc table = {.key_size = 4, .value_size = 4, .capacity = 16},
                       set = {.key_size = 4, .capacity = 16};
    int32_t in[COUNT], in2[COUNT];
    size_t i;
    for (i = 0; i < COUNT; i++) {
        in[i] = (int32_t)i;
        in2[i] = i ? (int32_t)i - 1 : 0;
    }
    memset(d, 0, sizeof *d);
    d->gp = gp;
    d->in = test_buffer(gp, sizeof in, in);
    d->in2 = test_buffer(gp, sizeof in2, in2);
    d->out = test_buffer(gp, 8 * COUNT, NULL);
    d->out2 = test_buffer(gp, 8 * COUNT, NULL);
    assert_gp(gp, gp_hash_create(gp, &table, &d->table));
    assert_gp(gp, gp_hash_create(gp, &set, &d->set));
}

static void data_close(data *d)
{
    assert_gp(d->gp, gp_hash_destroy(d->gp, d->table));
    assert_gp(d->gp, gp_hash_destroy(d->gp, d->set));
    clReleaseMemObject(d->in);
    clReleaseMemObject(d->in2);
    clReleaseMemObject(d->out);
    clReleaseMemObject(d->out2);
}

/* All names that are free, in one expression; then each of the others by itself. */
static void check_call(data *d, size_t c)
{
    const int32_t zero = 0;
    gp_arg args[NAMES];
    char text[256];
    size_t k, used = (size_t)snprintf(text, sizeof text, "%s", calls[c].text);
    d->args = args;
    d->text = text;
    d->arg_count = 0;
    for (k = 0; k < NAMES; k++) {
        if (has_word(calls[c].own, names[k])) continue;
        args[d->arg_count++] = (gp_arg){.name = names[k], .type = GP_I32, .value = &zero};
        used += (size_t)snprintf(text + used, sizeof text - used, " + %s", names[k]);
    }
    if (calls[c].call(d) != GP_OK) fail_msg("%s: %s", calls[c].name, gp_last_error(d->gp));
    d->arg_count = 1;
    d->text = calls[c].text;
    for (k = 0; k < NAMES; k++) {
        if (!has_word(calls[c].own, names[k])) continue;
        args[0].name = names[k];
        assert_gp_fails(d->gp, calls[c].call(d), GP_ERROR_INVALID_ARGUMENT,
                        "expressions have this name already");
    }
}

static void test_names(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    data d;
    size_t c;
    (void)state;
    data_open(&d, gp);
    for (c = 0; c < sizeof calls / sizeof *calls; c++) check_call(&d, c);
    data_close(&d);
    gp_context_destroy(gp);
}

/* Its value is the argument's. */
static void test_values(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    const int32_t seven = 7, one = 1, in[2] = {3, 5};
    const gp_arg args[] = {{.name = "y", .type = GP_I32, .value = &seven},
                           {.name = "k", .type = GP_I32, .value = &one}};
    const gp_reduce_desc desc = {.in = test_buffer(gp, sizeof in, in),
                                 .type = GP_I32,
                                 .count = 2,
                                 .op = GP_SUM,
                                 .map = "x * y + k",
                                 .args = args,
                                 .arg_count = 2};
    int64_t sum = 0;
    (void)state;
    assert_gp(gp, gp_reduce_read(gp, &desc, &sum));
    assert_int_equal(sum, 8 * 7 + 2);
    clReleaseMemObject(desc.in);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
