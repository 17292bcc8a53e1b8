/* test_in_place.c - calls in place whose output is another buffer object for the same elements: a sub-buffer of the input's buffer,
   or the other way round. */
#include "../support/patterns.h"

enum { COUNT = 1000, SKIPPED = 1024 }; /* elements before the sub-buffer; its origin has to be aligned */

typedef struct fixture {
    gp_context *gp;
    uint32_t keys[COUNT], values[COUNT];
    cl_mem whole[2], part[2]; /* of the keys, of the values */
} fixture;

/* Two names of the same elements: out of one buffer, with an offset, and out of the other one. */
typedef struct names {
    cl_mem in, out, values, values_out;
    size_t in_offset, out_offset;
} names;

static names make_names(const fixture *f, int turn)
{
    const names a = {f->whole[0], f->part[0], f->whole[1], f->part[1], SKIPPED, 0};
    const names b = {f->part[0], f->whole[0], f->part[1], f->whole[1], 0, SKIPPED};
    return turn ? a : b;
}

static int setup(void **state)
{
    static fixture f;
    const cl_buffer_region region = {SKIPPED * 4, COUNT * 4};
    cl_int error;
    size_t i;
    f.gp = test_open(&test_variants[0], NULL);
    for (i = 0; i < COUNT; i++) f.keys[i] = test_random() % 500, f.values[i] = (uint32_t)i;
    for (i = 0; i < 2; i++) {
        f.whole[i] = test_buffer(f.gp, (SKIPPED + COUNT) * 4, NULL);
        f.part[i] =
            clCreateSubBuffer(f.whole[i], CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
        assert_int_equal(error, CL_SUCCESS);
    }
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    size_t i;
    for (i = 0; i < 2; i++) {
        clReleaseMemObject(f->part[i]);
        clReleaseMemObject(f->whole[i]);
    }
    gp_context_destroy(f->gp);
    return 0;
}

static void fill(fixture *f)
{
    const cl_command_queue queue = gp_cl_queue(f->gp);
    assert_int_equal(clEnqueueWriteBuffer(queue, f->part[0], CL_TRUE, 0, COUNT * 4, f->keys, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_int_equal(clEnqueueWriteBuffer(queue, f->part[1], CL_TRUE, 0, COUNT * 4, f->values, 0, NULL, NULL),
                     CL_SUCCESS);
}

/* Checks that each row of `row` keys is sorted, and, if `pairs`, that each value is the index that its key had. */
static void check_sorted(fixture *f, size_t row, bool pairs)
{
    uint32_t *keys = test_read(f->gp, f->part[0], COUNT * 4),
             *values = test_read(f->gp, f->part[1], COUNT * 4);
    size_t r, i;
    for (r = 0; r < COUNT; r += row) {
        key_entry *e = keys_sorted(GP_U32, false, 0, 0, (unsigned char *)(f->keys + r), row);
        for (i = 0; i < row; i++) {
            assert_int_equal(keys[r + i], f->keys[r + e[i].index]);
            assert_int_equal(values[r + i], pairs ? r + e[i].index : r + i);
        }
        free(e);
    }
    free(keys);
    free(values);
}

static void test_sorts(void **state)
{
    fixture *f = *state;
    int turn;
    for (turn = 0; turn < 4; turn++) {
        const names n = make_names(f, turn % 2);
        gp_sort_desc sort = {0};
        gp_segmented_sort_desc rows = {0};
        size_t same, other;
        sort.keys = rows.keys = n.in;
        sort.keys_out = rows.keys_out = n.out;
        sort.keys_offset = rows.keys_offset = n.in_offset;
        sort.keys_out_offset = rows.keys_out_offset = n.out_offset;
        sort.key_type = rows.key_type = GP_U32;
        sort.count = rows.count = COUNT;
        rows.row_length = 250;
        rows.segment_count = 4;
        if (turn >= 2) {
            sort.value_size = rows.value_size = 4;
            sort.values = rows.values = n.values;
            sort.values_out = rows.values_out = n.values_out;
            sort.values_offset = rows.values_offset = n.in_offset;
            sort.values_out_offset = rows.values_out_offset = n.out_offset;
        }
        fill(f);
        assert_gp(f->gp, gp_sort(f->gp, &sort));
        check_sorted(f, COUNT, turn >= 2);
        fill(f);
        assert_gp(f->gp, gp_segmented_sort(f->gp, &rows));
        check_sorted(f, 250, turn >= 2);
        /* the scratch is that of a sort in place */
        assert_gp(f->gp, gp_sort_scratch_size(f->gp, &sort, &same));
        sort.keys_out = sort.values_out = NULL;
        assert_gp(f->gp, gp_sort_scratch_size(f->gp, &sort, &other));
        assert_int_equal(same, other);
        sort.keys_out = n.out;
        sort.keys_out_offset = n.out_offset ? n.out_offset - 1 : 1; /* an overlap */
        sort.count = COUNT - 1;
        assert_gp_fails(f->gp, gp_sort(f->gp, &sort), GP_ERROR_OVERLAP, "they overlap");
    }
}

static void test_records(void **state)
{
    const gp_sort_column column = {NULL, GP_U32, false};
    fixture *f = *state;
    int turn;
    for (turn = 0; turn < 2; turn++) {
        const names n = make_names(f, turn);
        gp_sort_records_desc d = {0};
        d.in = n.in;
        d.in_offset = n.in_offset;
        d.out = n.out;
        d.out_offset = n.out_offset;
        d.type = GP_U32;
        d.columns = &column;
        d.column_count = 1;
        d.count = COUNT;
        fill(f);
        assert_gp(f->gp, gp_sort_records(f->gp, &d));
        check_sorted(f, COUNT, false);
    }
}

static void test_find(void **state)
{
    fixture *f = *state;
    gp_hash_desc table_desc = {0};
    gp_hash_insert_desc insert = {0};
    gp_hash table;
    int turn;
    table_desc.key_size = table_desc.value_size = 4;
    table_desc.expected_count = COUNT;
    assert_gp(f->gp, gp_hash_create(f->gp, &table_desc, &table));
    fill(f);
    insert.keys = insert.values = f->part[1]; /* each number is its own value, all are there */
    insert.count = COUNT;
    assert_gp(f->gp, gp_hash_insert(f->gp, table, &insert));
    for (turn = 0; turn < 2; turn++) {
        const names n = make_names(f, turn);
        gp_hash_find_desc find = {0};
        uint32_t *found;
        find.keys = n.in;
        find.keys_offset = n.in_offset;
        find.values = n.out;
        find.values_offset = n.out_offset;
        find.count = COUNT;
        assert_gp(f->gp, gp_hash_find(f->gp, table, &find));
        found = test_read(f->gp, f->part[0], COUNT * 4);
        assert_memory_equal(found, f->keys, sizeof f->keys);
        free(found);
        find.values_offset++;
        find.count--;
        if (n.out_offset == 0) find.values_offset = 0, find.keys_offset++;
        assert_gp_fails(f->gp, gp_hash_find(f->gp, table, &find), GP_ERROR_OVERLAP, "they overlap");
    }
    gp_hash_destroy(f->gp, table);
}

/* Calls on elements. */
static void test_others(void **state)
{
    fixture *f = *state;
    int turn;
    for (turn = 0; turn < 2; turn++) {
        const names n = make_names(f, turn);
        gp_scan_desc scan = {0};
        gp_adjacent_difference_desc difference = {0};
        gp_stencil_desc stencil = {0};
        gp_transform_desc transform = {0};
        uint32_t *out;
        size_t i;
        fill(f);
        scan.in = difference.in = stencil.in = transform.in = n.in;
        scan.in_offset = difference.in_offset = stencil.in_offset = transform.in_offset = n.in_offset;
        scan.out = difference.out = stencil.out = transform.out = n.out;
        scan.out_offset = difference.out_offset = stencil.out_offset = transform.out_offset = n.out_offset;
        scan.type = difference.type = stencil.type = transform.type = GP_U32;
        scan.count = difference.count = stencil.width = transform.count = COUNT;
        scan.op = GP_SUM;
        transform.out_type = GP_U32;
        transform.map = "x + 1";
        stencil.radius_x = 1;
        stencil.map = "at(1, 0)";
        assert_gp(f->gp, gp_scan(f->gp, &scan));
        assert_gp(f->gp, gp_adjacent_difference(f->gp, &difference));
        assert_gp(f->gp, gp_transform(f->gp, &transform));
        assert_gp(f->gp, gp_stencil(f->gp, &stencil));
        out = test_read(f->gp, f->part[0], COUNT * 4);
        for (i = 0; i + 1 < COUNT; i++) assert_int_equal(out[i], f->keys[i + 1] + 1);
        free(out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sorts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_records, setup, teardown),
        cmocka_unit_test_setup_teardown(test_find, setup, teardown),
        cmocka_unit_test_setup_teardown(test_others, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
