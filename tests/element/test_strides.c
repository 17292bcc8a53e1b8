/* test_strides.c - records of any stride, of which one field is looked at: packed structs, against plain C. */
#include "../support/support.h"

/* A row: bytes, a key that need not be aligned, bytes. */
typedef struct layout {
    size_t before, key, after; /* bytes; a key of 2 or 4 */
} layout;

static const layout layouts[] = {{1, 2, 0}, {1, 4, 2}, {4, 4, 4}, {3, 4, 13}, {22, 4, 2}, {12, 4, 16}};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

typedef struct data {
    gp_context *gp;
    const layout *l;
    size_t count, size;
    unsigned char *rows;
    cl_mem in, out;
    char source[256];
    gp_record record;
} data;

enum { FIRST = 1 }; /* offset of the rows: whole ones */

static void data_open(data *d, gp_context *gp, const layout *l, size_t count)
{
    const char *key = l->key == 2 ? "ushort" : "uint";
    char after[40] = "";
    size_t i;
    memset(d, 0, sizeof *d);
    d->gp = gp;
    d->l = l;
    d->count = count;
    d->size = l->before + l->key + l->after;
    if (l->after) (void)snprintf(after, sizeof after, " uchar after[%zu];", l->after);
    (void)snprintf(d->source, sizeof d->source,
                   "typedef struct __attribute__((packed)) { uchar before[%zu]; %s key;%s } row;\n"
                   "static row with_key(row r, %s key) { r.key = key; return r; }\n",
                   l->before, key, after, key);
    d->record = (gp_record){.cl_type = "row", .size = d->size, .source = d->source};
    d->rows = malloc((count + FIRST) * d->size);
    assert_non_null(d->rows);
    for (i = 0; i < (count + FIRST) * d->size; i++) d->rows[i] = (unsigned char)test_random();
    d->in = test_buffer(gp, (count + FIRST) * d->size, d->rows);
    d->out = test_buffer(gp, (count + 1) * (d->size < 4 ? 4 : d->size), NULL);
    d->rows += FIRST * d->size;
}

static void data_close(data *d)
{
    clReleaseMemObject(d->in);
    clReleaseMemObject(d->out);
    free(d->rows - FIRST * d->size);
}

static uint32_t key_of(const data *d, size_t i)
{
    uint32_t key = 0;
    memcpy(&key, d->rows + i * d->size + d->l->before, d->l->key);
    return key;
}

/* `out` has these rows, and poison after them. */
static void expect(data *d, const unsigned char *wanted, size_t n)
{
    unsigned char *found = test_read(d->gp, d->out, (n + 1) * d->size);
    size_t i;
    for (i = 0; i < n; i++)
        if (memcmp(found + i * d->size, wanted + i * d->size, d->size) != 0)
            fail_msg("rows of %zu bytes: row %zu of %zu is wrong", d->size, i, n);
    for (i = n * d->size; i < (n + 1) * d->size; i++) assert_int_equal(found[i], TEST_POISON);
    free(found);
}

/* ------------------------------------------------------------------ calls */

static void check_reduce(data *d)
{
    const gp_reduce_desc desc = {.in = d->in,
                                 .in_offset = FIRST,
                                 .count = d->count,
                                 .record = &d->record,
                                 .map = "x.key ^ x.before[0]",
                                 .out_type = GP_U32,
                                 .op = GP_SUM};
    uint32_t found = 77, sum = 0;
    size_t i;
    for (i = 0; i < d->count; i++) sum += key_of(d, i) ^ d->rows[i * d->size];
    assert_gp(d->gp, gp_reduce_read(d->gp, &desc, &found));
    if (found != sum) fail_msg("rows of %zu bytes: the sum of %zu is wrong", d->size, d->count);
}

/* To a number, and to a row. */
static void check_transform(data *d)
{
    gp_transform_desc desc = {.in = d->in,
                              .in_offset = FIRST,
                              .out = d->out,
                              .count = d->count,
                              .record = &d->record,
                              .out_type = GP_U32,
                              .map = "x.key + 1u"};
    unsigned char *wanted = malloc(d->count * d->size + 1);
    uint32_t *found;
    size_t i;
    assert_non_null(wanted);
    assert_gp(d->gp, gp_transform(d->gp, &desc));
    found = test_read(d->gp, d->out, d->count * 4);
    for (i = 0; i < d->count; i++) assert_int_equal(found[i], key_of(d, i) + 1);
    free(found);
    clReleaseMemObject(d->out);
    d->out = desc.out = test_buffer(d->gp, (d->count + 1) * d->size, NULL);
    desc.out_type = GP_TYPE_NONE;
    desc.map = "with_key(x, x.key ^ (uint)i)";
    memcpy(wanted, d->rows, d->count * d->size);
    for (i = 0; i < d->count; i++) {
        const uint32_t key = key_of(d, i) ^ (uint32_t)i;
        memcpy(wanted + i * d->size + d->l->before, &key, d->l->key);
    }
    assert_gp(d->gp, gp_transform(d->gp, &desc));
    expect(d, wanted, d->count);
    free(wanted);
}

/* Those with an even key: flags, positions, rows. */
static void check_select(data *d)
{
    const gp_arg all = {.name = "row_at", .record = &d->record, .buffer = d->in, .offset = FIRST};
    const cl_mem flags = test_buffer(d->gp, d->count, NULL),
                 positions = test_buffer(d->gp, 4 * d->count, NULL), number = test_buffer(d->gp, 4, NULL);
    const gp_transform_desc judge = {.in = d->in,
                                     .in_offset = FIRST,
                                     .record = &d->record,
                                     .out = flags,
                                     .out_type = GP_U8,
                                     .count = d->count,
                                     .map = "x.key % 2 == 0"};
    const gp_select_desc select = {
        .flags = flags, .type = GP_U8, .indices_out = positions, .count_out = number, .count = d->count};
    const gp_transform_desc move = {.in = positions,
                                    .type = GP_U32,
                                    .out = d->out,
                                    .out_record = &d->record,
                                    .count = d->count,
                                    .count_buffer = number,
                                    .map = "row_at[x]",
                                    .args = &all,
                                    .arg_count = 1};
    unsigned char *wanted = malloc(d->count * d->size + 1);
    size_t i, n = 0;
    assert_non_null(wanted);
    for (i = 0; i < d->count; i++)
        if (key_of(d, i) % 2 == 0) memcpy(wanted + n++ * d->size, d->rows + i * d->size, d->size);
    assert_gp(d->gp, gp_transform(d->gp, &judge));
    assert_gp(d->gp, gp_select(d->gp, &select));
    assert_gp(d->gp, gp_transform(d->gp, &move));
    expect(d, wanted, n);
    free(wanted);
    clReleaseMemObject(flags);
    clReleaseMemObject(positions);
    clReleaseMemObject(number);
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void check_sort_records(data *d)
{
    const gp_sort_column by_key = {"x.key", d->l->key == 2 ? GP_U16 : GP_U32, true};
    const gp_sort_records_desc desc = {.in = d->in,
                                       .in_offset = FIRST,
                                       .out = d->out,
                                       .record = &d->record,
                                       .columns = &by_key,
                                       .column_count = 1,
                                       .count = d->count};
    unsigned char *wanted = malloc(d->count * d->size + 1);
    uint64_t *order = malloc((d->count + 1) * sizeof *order);
    size_t i;
    assert_true(wanted && order);
    for (i = 0; i < d->count; i++) order[i] = (uint64_t)~key_of(d, i) << 32 | i;
    qsort(order, d->count, sizeof *order, compare);
    for (i = 0; i < d->count; i++)
        memcpy(wanted + i * d->size, d->rows + (uint32_t)order[i] * d->size, d->size);
    assert_gp(d->gp, gp_sort_records(d->gp, &desc));
    expect(d, wanted, d->count);
    free(order);
    free(wanted);
}

/* ------------------------------------------------------------------ in every shape */

static void in_shapes(void (*check)(data *d))
{
    const size_t sizes[] = {test_small() ? 1031 : 20011, 1, 257};
    size_t v, k, l;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open_other(&test_shapes[v]);
        for (l = 0; gp && l < LAYOUTS; l++) {
            for (k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                data d;
                data_open(&d, gp, &layouts[l], sizes[k]);
                check(&d);
                data_close(&d);
            }
        }
        gp_context_destroy(gp);
    }
}

#define TEST_IN_SHAPES(name)              \
    static void test_##name(void **state) \
    {                                     \
        (void)state;                      \
        in_shapes(check_##name);          \
    }

TEST_IN_SHAPES(reduce)
TEST_IN_SHAPES(transform)
TEST_IN_SHAPES(select)
TEST_IN_SHAPES(sort_records)

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reduce), cmocka_unit_test(test_transform),
                                       cmocka_unit_test(test_select), cmocka_unit_test(test_sort_records)};
    return cmocka_run_group_tests_name("strides", tests, NULL, NULL);
}
