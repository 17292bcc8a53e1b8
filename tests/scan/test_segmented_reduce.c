/* test_segmented_reduce.c - gp_segmented_reduce against a sequential reduction of each segment. */
#include "../support/segments.h"

typedef struct segments_case {
    const test_element *element;
    lengths lengths;
    size_t count, segments, offset;
    bool wide, initial; /* offsets of 64 bits */
} segments_case;

typedef struct segments_data {
    unsigned char *in, *offsets, *expected, initial[64];
    size_t row_length, row_stride, element_stride; /* row_length 0: there are offsets */
} segments_data;

/* ------------------------------------------------------------------ input, reference */

/* Sets rows that end within the count. */
static void make_rows(const segments_case *c, segments_data *data)
{
    const size_t each = c->count / c->segments;
    data->row_length = c->lengths == LENGTHS_GAPS ? each / 2 + 1 : each;
    data->row_stride = c->lengths == LENGTHS_GAPS ? each : c->lengths == LENGTHS_OVERLAP ? each / 3 + 1 : 0;
}

/* Sets columns, which may overlap. */
static void make_columns(const segments_case *c, segments_data *data)
{
    const size_t step = c->segments < 2 ? 2 : c->segments, more = c->lengths == LENGTHS_APART ? 3 : 1;
    data->element_stride = step + more - 1;
    data->row_stride = c->lengths == LENGTHS_APART ? 2 : 0;
    data->row_length =
        c->count > 2 * c->segments ? (c->count - 2 * c->segments) / data->element_stride + 1 : 1;
}

static void expect(const segments_case *c, segments_data *data)
{
    const test_element *e = c->element;
    const size_t size = c->wide ? 8 : 4;
    size_t s;
    uint64_t i;
    data->expected = malloc(c->segments * e->size + 1);
    assert_non_null(data->expected);
    for (s = 0; s < c->segments; s++) {
        const size_t step = data->element_stride ? data->element_stride : 1;
        const size_t stride = data->row_stride ? data->row_stride : step > 1 ? 1 : data->row_length;
        const uint64_t begin = data->row_length ? s * stride : key_load(data->offsets, s, size);
        const uint64_t end = data->row_length ? begin + (data->row_length - 1) * step + 1
                                              : key_load(data->offsets, s + 1, size);
        unsigned char x[64], *out = data->expected + s * e->size;
        e->identity(out);
        if (c->initial) memcpy(out, data->initial, e->size);
        for (i = begin; i < end && end <= c->count; i += step) {
            e->from(data->in + i * e->in_size, x);
            e->combine(out, x, out);
        }
    }
}

static segments_data make_data(const segments_case *c)
{
    segments_data data = {0};
    unsigned char first[64];
    data.in = test_input(c->element, TEST_RANDOM, c->count);
    if ((c->lengths == LENGTHS_ROWS || c->lengths == LENGTHS_GAPS || c->lengths == LENGTHS_OVERLAP) &&
        c->count >= c->segments)
        make_rows(c, &data);
    else if (c->lengths >= LENGTHS_COLUMNS && c->lengths <= LENGTHS_APART && c->count >= 2 * c->segments)
        make_columns(c, &data);
    else data.offsets = segments_offsets(c->lengths, c->count, c->segments, c->wide);
    c->element->make(0x12345677u, first);
    c->element->from(first, data.initial);
    expect(c, &data);
    return data;
}

static void free_data(segments_data *data)
{
    free(data->in);
    free(data->offsets);
    free(data->expected);
}

/* ------------------------------------------------------------------ check */

static gp_segmented_reduce_desc make_desc(gp_context *gp, const segments_case *c, const segments_data *data)
{
    const test_element *e = c->element;
    gp_segmented_reduce_desc d = {0};
    d.type = e->type;
    d.out_type = e->out_type;
    d.op = e->op;
    d.monoid = e->monoid;
    d.count = c->count;
    d.segment_count = c->segments;
    d.offsets_type = c->wide ? GP_U64 : GP_U32;
    d.row_length = data->row_length;
    d.row_stride = data->row_stride;
    d.element_stride = data->element_stride;
    d.initial = c->initial ? data->initial : NULL;
    d.in_offset = c->offset;
    d.offsets_offset = 2 * c->offset;
    d.out_offset = 3 * c->offset;
    d.in = guarded(gp, d.in_offset, c->count, e->in_size, data->in);
    if (data->offsets)
        d.offsets = guarded(gp, d.offsets_offset, c->segments + 1, c->wide ? 8 : 4, data->offsets);
    d.out = guarded(gp, d.out_offset, c->segments, e->size, NULL);
    return d;
}

static void release(const gp_segmented_reduce_desc *d)
{
    const cl_mem all[] = {d->in, d->offsets, d->out, d->count_buffer, d->scratch};
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]) clReleaseMemObject(all[i]);
    }
}

static void compare(gp_context *gp, const char *variant, const segments_case *c,
                    const gp_segmented_reduce_desc *d, const segments_data *data)
{
    size_t at = 0;
    const char *what =
        guarded_difference(gp, d->out, d->out_offset, c->segments, c->element->size, data->expected, &at);
    if (!what) return;
    fail_msg("%s, %s: %zu elements, %zu segments, lengths %d, offset %zu, wide %d, initial %d: %s %zu",
             variant, c->element->name, c->count, c->segments, (int)c->lengths, c->offset, c->wide,
             c->initial, what, at);
}

static void check(gp_context *gp, const char *variant, const segments_case *c)
{
    segments_data data = make_data(c);
    const gp_segmented_reduce_desc desc = make_desc(gp, c, &data);
    const gp_result result = gp_segmented_reduce(gp, &desc);
    if (result != GP_OK) fail_msg("%s: %s", variant, gp_last_error(gp));
    compare(gp, variant, c, &desc, &data);
    release(&desc);
    free_data(&data);
}

/* ------------------------------------------------------------------ tests */

static void check_element(gp_context *gp, const char *name, const test_element *element)
{
    static const size_t sizes[] = {0, 1, 1000, 65537, 300007};
    static const size_t numbers[] = {1, 2, 255, 1025, 9973};
    segments_case c = {element, LENGTHS_TINY, 0, 0, 0, false, false};
    size_t n, s, k;
    for (n = 0; n < (test_small() ? 3 : 5); n++) {
        for (s = 0; s < (test_small() ? 3 : 5); s++) {
            for (k = 0; k < LENGTHS_COUNT; k++) {
                c.count = sizes[n];
                c.segments = numbers[s];
                c.lengths = (lengths)k;
                c.offset = (n + s + k) % 3;
                c.wide = k % 2 != 0;
                c.initial = (s + k) % 2 != 0;
                if (n < (test_small() ? 0 : 4) || (n + s + k) % 3 == 0) check(gp, name, &c);
            }
        }
    }
}

static void test_every_variant(void **state)
{
    static const test_element *const elements[] = {&test_u32_sum_u64, &test_affine, &test_u8_sum};
    size_t v, k;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (k = 0; k < 3 && gp; k++) {
            if (v > 0 || k == 0) check_element(gp, test_shapes[v].name, elements[k]);
        }
        if (gp) gp_context_destroy(gp);
    }
}

/* Monoids, and types with operations: all where builds are cheap, else some in each shape. */
static void test_elements(void **state)
{
    size_t v, k;
    (void)state;
    for (v = 1; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (k = 0; k < test_monoid_count + test_grid_count && gp; k++) {
            const test_element *e =
                k < test_monoid_count ? test_monoids[k] : test_grid[k - test_monoid_count];
            const size_t n = test_small() ? 500 : 20011;
            const segments_case c = {
                e,         k % 3 == 2 ? LENGTHS_COLUMNS : k % 2 ? LENGTHS_MIXED : LENGTHS_EVEN,
                n,         k % 3 ? 11 : 700,
                k % 3,     false,
                k % 2 == 0};
            if (e->type == GP_F64 && !gp_context_info(gp)->fp64) continue;
            if (e == &test_sums || (!test_builds_are_cheap(gp) && (k + v) % 12) ||
                (test_small() && (k + v) % 6))
                continue;
            check(gp, test_shapes[v].name, &c);
        }
        if (gp) gp_context_destroy(gp);
    }
}

/* Indices count from the segment's first element. */
static void test_arg_and_map(void **state)
{
    const uint32_t in[] = {9, 3, 7, 3, 8, 1, 1, 5}, offsets[] = {0, 3, 3, 8};
    const uint64_t least[] = {1, ~(uint64_t)0, 2}, sums[] = {0 * 9 + 3 + 2 * 7, 0, 8 + 2 + 3 + 4 * 5};
    size_t v, k;
    (void)state;
    for (v = 1; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (k = 0; k < 2 && gp; k++) {
            gp_segmented_reduce_desc d = {0};
            uint64_t *out;
            d.in = test_buffer(gp, sizeof in, in);
            d.offsets = test_buffer(gp, sizeof offsets, offsets);
            d.out = test_buffer(gp, 24, NULL);
            d.count = 8;
            d.segment_count = 3;
            d.offsets_type = d.type = GP_U32;
            d.op = k ? GP_SUM : GP_ARGMIN;
            d.map = k ? "x * i" : NULL;
            d.out_type = k ? GP_U64 : GP_TYPE_NONE;
            assert_gp(gp, gp_segmented_reduce(gp, &d));
            out = test_read(gp, d.out, 24);
            assert_memory_equal(out, k ? sums : least, 24);
            free(out);
            release(&d);
        }
        if (gp) gp_context_destroy(gp);
    }
}

/* Columns of six rows and three columns. */
static void test_arg_and_map_of_columns(void **state)
{
    const uint32_t in[] = {9, 3, 7, 3, 8, 1, 1, 5, 6, 2, 3, 1, 4, 3, 9, 1, 4, 2};
    const uint64_t least[] = {2, 0, 1}, greatest[] = {0, 1, 4};
    const uint64_t sums[] = {3 + 2 + 6 + 16 + 5, 8 + 10 + 9 + 12 + 20, 1 + 12 + 3 + 36 + 10};
    size_t v, k;
    (void)state;
    for (v = 1; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (k = 0; k < 3 && gp; k++) {
            gp_segmented_reduce_desc d = {0};
            uint64_t *out;
            d.in = test_buffer(gp, sizeof in, in);
            d.out = test_buffer(gp, 24, NULL);
            d.row_length = 6;
            d.element_stride = d.segment_count = 3;
            d.type = GP_U32;
            d.op = k == 0 ? GP_SUM : k == 1 ? GP_ARGMIN : GP_ARGMAX;
            d.map = k ? NULL : "x * i";
            d.out_type = k ? GP_TYPE_NONE : GP_U64;
            assert_gp(gp, gp_segmented_reduce(gp, &d));
            out = test_read(gp, d.out, 24);
            if (k == 1) assert_memory_equal(out, least, 24);
            else assert_memory_equal(out, k ? greatest : sums, 24);
            free(out);
            release(&d);
        }
        if (gp) gp_context_destroy(gp);
    }
}

/* Few columns of many elements, which are cut into parts; and many columns. */
static void test_large_columns(void **state)
{
    static const size_t numbers[] = {2, 3, 33, 300, 5000, 300001};
    static const test_element *const elements[] = {&test_u32_sum_u64, &test_affine};
    size_t v, k, e;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (k = 0; k < 12 && gp; k++) {
            segments_case c = {NULL,  LENGTHS_COLUMNS, test_small() ? 20011 : 1000003, numbers[k / 2], k % 3,
                               false, k % 4 == 1};
            e = k % 2;
            c.element = elements[e];
            if (v > 1 && k % 3 != v % 3) continue;
            if (k % 5 == 4) c.lengths = LENGTHS_APART;
            if (c.count >= 2 * c.segments) check(gp, test_shapes[v].name, &c);
        }
        if (gp) gp_context_destroy(gp);
    }
}

static void test_columns_of_a_count(void **state)
{
    static const uint32_t counts[] = {0, 1, 39, 5000};
    const segments_case whole = {&test_u32_sum_u64, LENGTHS_COLUMNS, 200000, 40, 1, false, true};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t k, bytes = 0;
    (void)state;
    for (k = 0; k < sizeof counts / sizeof *counts; k++) {
        segments_data data = make_data(&whole);
        gp_segmented_reduce_desc desc = make_desc(gp, &whole, &data);
        const size_t n = counts[k] < 40 ? counts[k] : 40;
        memset(data.expected + n * 8, TEST_POISON, (40 - n) * 8);
        desc.count_buffer = test_buffer(gp, 4, &counts[k]);
        desc.count_type = GP_U32;
        assert_gp(gp, gp_segmented_reduce_scratch_size(gp, &desc, &bytes));
        if (bytes) desc.scratch = test_buffer(gp, bytes, NULL);
        assert_gp(gp, gp_segmented_reduce(gp, &desc));
        compare(gp, "columns of a count", &whole, &desc, &data);
        release(&desc);
        free_data(&data);
    }
    assert_int_equal(test_profile_of(gp).clamped, 1);
    assert_int_equal(test_profile_of(gp).scratch_bytes, 0);
    gp_context_destroy(gp);
}

static void test_counts_and_scratch(void **state)
{
    static const uint32_t counts[] = {0, 1, 699, 5000};
    const segments_case whole = {&test_u32_sum_u64, LENGTHS_MIXED, 20000, 700, 1, false, true};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t k, bytes = 0;
    (void)state;
    for (k = 0; k < sizeof counts / sizeof *counts; k++) {
        segments_data data = make_data(&whole);
        gp_segmented_reduce_desc desc = make_desc(gp, &whole, &data);
        const size_t n = counts[k] < 700 ? counts[k] : 700;
        memset(data.expected + n * 8, TEST_POISON, (700 - n) * 8);
        desc.count_buffer = test_buffer(gp, 4, &counts[k]);
        desc.count_type = GP_U32;
        assert_gp(gp, gp_segmented_reduce_scratch_size(gp, &desc, &bytes));
        desc.scratch = test_buffer(gp, bytes, NULL);
        assert_gp(gp, gp_segmented_reduce(gp, &desc));
        compare(gp, "counts", &whole, &desc, &data);
        release(&desc);
        free_data(&data);
    }
    assert_int_equal(test_profile_of(gp).clamped, 1);
    assert_int_equal(test_profile_of(gp).scratch_bytes, 0);
    assert_int_equal(test_profile_of(gp).bad_offsets, 0);
    gp_context_destroy(gp);
}

static void test_bad_input(void **state)
{
    const segments_case c = {&test_u32_sum_u64, LENGTHS_BAD, 500, 300, 0, false, false};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    segments_data data = make_data(&c);
    const gp_segmented_reduce_desc good = make_desc(gp, &c, &data);
    gp_segmented_reduce_desc d = good;
    (void)state;
    assert_gp(gp, gp_segmented_reduce(gp, &d));
    assert_int_equal(test_profile_of(gp).bad_offsets, 1);
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_segmented_reduce(gp, &d), result, text)
    REFUSED(d.type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "gp_segmented_reduce: type is not set");
    REFUSED(d.op = GP_OP_NONE, GP_ERROR_INVALID_OP, "op is not set");
    REFUSED(d.offsets_type = GP_F32, GP_ERROR_INVALID_TYPE, "offsets_type = 9");
    REFUSED(d.segment_count = UINT32_MAX, GP_ERROR_COUNT_LIMIT, "segment_count = 4294967295");
    REFUSED(d.in = NULL, GP_ERROR_INVALID_BUFFER, "in is NULL");
    REFUSED(d.offsets = NULL, GP_ERROR_INVALID_BUFFER, "offsets is NULL");
    REFUSED(d.out = NULL, GP_ERROR_INVALID_BUFFER, "out is NULL");
    REFUSED(d.count = 600, GP_ERROR_INVALID_BUFFER, "in has");
    REFUSED(d.segment_count = 400, GP_ERROR_INVALID_BUFFER, "offsets has");
    REFUSED(d.out_offset = 17, GP_ERROR_INVALID_BUFFER, "out has");
    REFUSED((d.in = d.out, d.count = 10), GP_ERROR_OVERLAP, "in is");
    REFUSED((d.count_buffer = d.in, d.count_type = GP_F32), GP_ERROR_INVALID_TYPE, "count_type = 9");
    REFUSED(d.row_length = 5, GP_ERROR_INVALID_ARGUMENT, "offsets and row_length are given");
    REFUSED(d.row_stride = 5, GP_ERROR_INVALID_ARGUMENT, "row_stride = 5, and row_length is 0");
    REFUSED(d.element_stride = 5, GP_ERROR_INVALID_ARGUMENT, "element_stride = 5, and row_length is 0");
    REFUSED((d.offsets = NULL, d.row_length = 3, d.element_stride = 200), GP_ERROR_INVALID_ARGUMENT,
            "the last row ends at element 700, and count is 500");
    REFUSED((d.offsets = NULL, d.row_length = SIZE_MAX / 2, d.element_stride = 3), GP_ERROR_COUNT_LIMIT,
            "3 elements apart, is too much");
    REFUSED((d.offsets = NULL, d.row_length = 2), GP_ERROR_INVALID_ARGUMENT,
            "the last row ends at element 600, and count is 500");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    assert_gp_fails(NULL, gp_segmented_reduce(NULL, &d), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_segmented_reduce(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    release(&good);
    free_data(&data);
    gp_context_destroy(gp);
}

/* Offsets just below 2^64, as negative numbers are, and then good ones. */
static void test_negative_offsets(void **state)
{
    enum { SEGMENTS = 1024, BEFORE = 1000, COUNT = 2000 };
    static uint32_t in[BEFORE + COUNT], expected[SEGMENTS];
    static uint64_t offsets[SEGMENTS + 1];
    size_t v, i, below;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (below = 1; below < SEGMENTS && gp; below = 6 * below + 1) {
            gp_segmented_reduce_desc d = {0};
            uint32_t *out;
            for (i = 0; i < BEFORE + COUNT; i++) in[i] = i < BEFORE ? 7 : 1;
            for (i = 0; i <= SEGMENTS; i++) offsets[i] = (uint64_t)i - below;
            for (i = 0; i < SEGMENTS; i++) expected[i] = i < below ? 0 : 1;
            d.in = test_buffer(gp, sizeof in, in);
            d.in_offset = BEFORE;
            d.count = COUNT;
            d.offsets = test_buffer(gp, sizeof offsets, offsets);
            d.out = test_buffer(gp, sizeof expected, NULL);
            d.segment_count = SEGMENTS;
            d.offsets_type = GP_U64;
            d.type = d.out_type = GP_U32;
            d.op = GP_SUM;
            assert_gp(gp, gp_segmented_reduce(gp, &d));
            out = test_read(gp, d.out, sizeof expected);
            assert_memory_equal(out, expected, sizeof expected);
            free(out);
            release(&d);
        }
        if (gp) gp_context_destroy(gp);
    }
}

/* Windows overlap, and their sums are the same each time. */
static void test_windows_repeat(void **state)
{
    enum { LENGTH = 1000, WINDOWS = 1500, TURNS = 6 };
    static float in[LENGTH + WINDOWS];
    size_t v, i;
    (void)state;
    for (i = 0; i < LENGTH + WINDOWS; i++) in[i] = (float)(test_random() % 1000000);
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        float *first = NULL;
        for (i = 0; i < TURNS && gp; i++) {
            gp_segmented_reduce_desc d = {0};
            float *out;
            d.in = test_buffer(gp, sizeof in, in);
            d.out = test_buffer(gp, WINDOWS * 4, NULL);
            d.row_length = LENGTH;
            d.row_stride = 1;
            d.segment_count = test_small() ? 200 : WINDOWS;
            d.type = GP_F32;
            d.op = GP_SUM;
            assert_gp(gp, gp_segmented_reduce(gp, &d));
            out = test_read(gp, d.out, WINDOWS * 4);
            if (first) assert_memory_equal(out, first, d.segment_count * 4);
            free(first);
            first = out;
            release(&d);
        }
        free(first);
        if (gp) gp_context_destroy(gp);
    }
}

/* Parts that are too many to be counted are refused when the scratch is asked for. */
static void test_too_many_parts(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_segmented_reduce_desc d = {0};
    size_t bytes;
    (void)state;
    d.type = GP_U32;
    d.op = GP_SUM;
    d.row_length = (size_t)1 << 40;
    d.row_stride = 1;
    d.segment_count = (size_t)1 << 31;
    assert_gp_fails(gp, gp_segmented_reduce_scratch_size(gp, &d, &bytes), GP_ERROR_COUNT_LIMIT, "parts");
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    const segments_case c = {&test_u32_sum_u64, LENGTHS_MIXED, 9000, 100, 0, false, false};
    const segments_case columns = {&test_u32_sum_u64, LENGTHS_COLUMNS, 90000, 10, 0, false, false};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_segmented_reduce_desc desc = {0};
    gp_warmup_desc warm = {0};
    uint64_t built;
    (void)state;
    desc.type = GP_U32;
    desc.out_type = GP_U64;
    desc.op = GP_SUM;
    warm.segmented_reduce = &desc;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    assert_int_equal(built, 1);
    check(gp, "warmed", &c);
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    desc.element_stride = 7;
    assert_gp(gp, gp_warmup(gp, &warm));
    check(gp, "warmed", &columns);
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built + 1);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_arg_and_map),
        cmocka_unit_test(test_arg_and_map_of_columns),
        cmocka_unit_test(test_large_columns),
        cmocka_unit_test(test_columns_of_a_count),
        cmocka_unit_test(test_counts_and_scratch),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_warmup),
        cmocka_unit_test(test_negative_offsets),
        cmocka_unit_test(test_windows_repeat),
        cmocka_unit_test(test_too_many_parts),
    };
    return cmocka_run_group_tests_name("segmented_reduce", tests, NULL, NULL);
}
