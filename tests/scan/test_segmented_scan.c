/* test_segmented_scan.c - gp_segmented_scan against a sequential scan of each segment. */
#include "../support/segments.h"

typedef struct segments_case {
    const test_element *element;
    lengths lengths;
    size_t count, segments, offset;
    bool wide, initial; /* offsets of 64 bits */
    bool exclusive, reverse, in_place;
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
    data->row_stride = c->lengths == LENGTHS_GAPS ? each : 0;
}

/* Sets columns. Those that are apart have gaps between them. */
static void make_columns(const segments_case *c, segments_data *data)
{
    data->row_stride = c->lengths == LENGTHS_APART ? 2 : 0;
    data->element_stride = c->lengths == LENGTHS_APART ? 2 * c->segments + 1
                           : c->segments < 2           ? 2
                                                       : c->segments;
    data->row_length = (c->count - (c->segments - 1) * (data->row_stride ? data->row_stride : 1) - 1) /
                           data->element_stride +
                       1;
}

/* Scans one segment of `length` elements, `step` apart. */
static void expect_segment(const segments_case *c, segments_data *data, uint64_t begin, uint64_t length,
                           size_t step)
{
    const test_element *e = c->element;
    unsigned char sum[64], x[64], before[64];
    uint64_t k;
    e->identity(sum);
    if (c->initial) memcpy(sum, data->initial, e->size);
    for (k = 0; k < length; k++) {
        const uint64_t i = begin + (c->reverse ? length - 1 - k : k) * step;
        memcpy(before, sum, e->size);
        e->from(data->in + i * e->in_size, x);
        if (c->reverse) e->combine(x, sum, sum);
        else e->combine(sum, x, sum);
        memcpy(data->expected + i * e->size, c->exclusive ? before : sum, e->size);
    }
}

static void expect(const segments_case *c, segments_data *data)
{
    const test_element *e = c->element;
    const size_t size = c->wide ? 8 : 4, step = data->element_stride ? data->element_stride : 1;
    const size_t stride = data->row_stride ? data->row_stride : step > 1 ? 1 : data->row_length;
    size_t s;
    data->expected = malloc(c->count * e->size + 1);
    assert_non_null(data->expected);
    if (c->in_place) memcpy(data->expected, data->in, c->count * e->size);
    else memset(data->expected, TEST_POISON, c->count * e->size);
    for (s = 0; s < c->segments; s++) {
        const uint64_t begin = data->row_length ? s * stride : key_load(data->offsets, s, size);
        const uint64_t end = data->row_length ? begin + (data->row_length - 1) * step + 1
                                              : key_load(data->offsets, s + 1, size);
        if (begin <= end && end <= c->count)
            expect_segment(c, data, begin, data->row_length ? data->row_length : end - begin, step);
    }
}

static segments_data make_data(const segments_case *c)
{
    segments_data data = {0};
    unsigned char first[64];
    data.in = test_input(c->element, TEST_RANDOM, c->count);
    if (c->lengths >= LENGTHS_ROWS && c->lengths <= LENGTHS_GAPS && c->count >= c->segments)
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

static gp_segmented_scan_desc make_desc(gp_context *gp, const segments_case *c, const segments_data *data)
{
    const test_element *e = c->element;
    gp_segmented_scan_desc d = {0};
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
    d.out_offset = c->in_place ? c->offset : 3 * c->offset;
    d.exclusive = c->exclusive;
    d.reverse = c->reverse;
    d.in = guarded(gp, d.in_offset, c->count, e->in_size, data->in);
    if (data->offsets)
        d.offsets = guarded(gp, d.offsets_offset, c->segments + 1, c->wide ? 8 : 4, data->offsets);
    d.out = c->in_place ? d.in : guarded(gp, d.out_offset, c->count, e->size, NULL);
    return d;
}

static void release(const gp_segmented_scan_desc *d)
{
    const cl_mem all[] = {d->in, d->offsets, d->out == d->in ? NULL : d->out, d->count_buffer, d->scratch};
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]) clReleaseMemObject(all[i]);
    }
}

static void compare(gp_context *gp, const char *variant, const segments_case *c,
                    const gp_segmented_scan_desc *d, const segments_data *data)
{
    size_t at = 0;
    const char *what =
        guarded_difference(gp, d->out, d->out_offset, c->count, c->element->size, data->expected, &at);
    if (!what) return;
    fail_msg("%s, %s: %zu elements, %zu segments, lengths %d, offset %zu, wide %d, initial %d, exclusive %d, "
             "reverse %d, in place %d: %s %zu",
             variant, c->element->name, c->count, c->segments, (int)c->lengths, c->offset, c->wide,
             c->initial, c->exclusive, c->reverse, c->in_place, what, at);
}

static void check(gp_context *gp, const char *variant, const segments_case *c)
{
    segments_data data = make_data(c);
    const gp_segmented_scan_desc desc = make_desc(gp, c, &data);
    const gp_result result = gp_segmented_scan(gp, &desc);
    if (result != GP_OK) fail_msg("%s: %s", variant, gp_last_error(gp));
    compare(gp, variant, c, &desc, &data);
    release(&desc);
    free_data(&data);
}

/* ------------------------------------------------------------------ tests */

static void check_element(gp_context *gp, const char *name, const test_element *element, bool reverse)
{
    static const size_t sizes[] = {0, 1, 1000, 65537, 300007};
    static const size_t numbers[] = {1, 2, 255, 1025, 9973};
    segments_case c = {0};
    size_t n, s, k;
    c.element = element;
    c.reverse = reverse;
    for (n = 0; n < (test_small() ? 3 : 5); n++) {
        for (s = 0; s < (test_small() ? 3 : 5); s++) {
            for (k = 0; k < LENGTHS_DISJOINT_COUNT; k++) {
                c.count = sizes[n];
                c.segments = numbers[s];
                c.lengths = (lengths)k;
                c.offset = (n + s + k) % 3;
                c.wide = k % 2 != 0;
                c.initial = (s + k) % 2 != 0;
                c.exclusive = (n + s + 2 * k) % 3 == 0;
                c.in_place = element->in_size == element->size && (n + k) % 2 == 0;
                if (n < (test_small() ? 0 : 4) || (n + s + k) % 3 == 0) check(gp, name, &c);
            }
        }
    }
}

/* In every shape, strategy and word form. */
static void test_every_variant(void **state)
{
    static const test_element *const elements[] = {&test_u32_sum, &test_affine, &test_u8_sum,
                                                   &test_u32_sum_u64};
    size_t v, k;
    (void)state;
    for (v = 0; v < test_variant_count; v++) {
        gp_context *gp = test_open(&test_variants[v], NULL);
        for (k = 0; k < 4 && gp; k++) {
            if (v == 0 || k == v % 4) check_element(gp, test_variants[v].name, elements[k], (v + k) % 2 != 0);
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
                e,          k % 3 == 2 ? LENGTHS_COLUMNS : k % 2 ? LENGTHS_MIXED : LENGTHS_EVEN,
                n,          k % 3 ? 11 : 700,
                k % 3,      false,
                k % 2 == 0, k % 5 == 0,
                k % 4 == 1, e->in_size == e->size && k % 5 > 2};
            if (e->type == GP_F64 && !gp_context_info(gp)->fp64) continue;
            if (e == &test_sums || (!test_builds_are_cheap(gp) && (k + v) % 12) ||
                (test_small() && (k + v) % 6))
                continue;
            check(gp, test_shapes[v].name, &c);
        }
        if (gp) gp_context_destroy(gp);
    }
}

/* Indices count from the segment's first element, also in reverse and in columns (the second half). */
static void test_arg_and_map(void **state)
{
    const uint32_t in[] = {9, 3, 7, 3, 8, 1, 1, 5}, offsets[] = {0, 3, 3, 8};
    const uint64_t expected[][8] = {
        {0, 1, 1, 0, 0, 2, 2, 2}, /* argmin of segments 9 3 7 and 3 8 1 1 5 */
        {1, 1, 2, 2, 2, 2, 3, 4}, {0, 3, 17, 0, 8, 10, 13, 33}, {17, 17, 14, 33, 33, 25, 23, 20},
        {0, 0, 1, 0, 1, 2, 3, 2}, /* of columns 9 7 8 1 and 3 3 1 5 */
        {3, 2, 3, 2, 3, 2, 3, 3}, {0, 0, 7, 3, 23, 5, 26, 20},  {26, 20, 26, 20, 19, 17, 3, 15}};
    size_t v, k;
    (void)state;
    for (v = 1; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (k = 0; k < 8 && gp; k++) {
            gp_segmented_scan_desc d = {0};
            uint64_t *out;
            d.in = test_buffer(gp, sizeof in, in);
            d.out = test_buffer(gp, 64, NULL);
            if (k < 4) d.offsets = test_buffer(gp, sizeof offsets, offsets);
            if (k < 4) d.segment_count = 3;
            else d.element_stride = d.segment_count = 2;
            if (k < 4) d.count = 8;
            else d.row_length = 4;
            d.offsets_type = d.type = GP_U32;
            d.op = k % 4 > 1 ? GP_SUM : GP_ARGMIN;
            d.map = k % 4 > 1 ? "x * i" : NULL;
            d.out_type = k % 4 > 1 ? GP_U64 : GP_TYPE_NONE;
            d.reverse = k % 2 == 1;
            assert_gp(gp, gp_segmented_scan(gp, &d));
            out = test_read(gp, d.out, 64);
            assert_memory_equal(out, expected[k], 64);
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
    static const test_element *const elements[] = {&test_u32_sum, &test_affine};
    size_t v, k, e;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (k = 0; k < 12 && gp; k++) {
            segments_case c = {0};
            e = k % 2;
            c.element = elements[e];
            c.lengths = LENGTHS_COLUMNS;
            c.count = test_small() ? 20011 : 1000003;
            c.segments = numbers[k / 2];
            c.offset = k % 3;
            c.initial = k % 4 == 1;
            c.exclusive = k % 3 == 1;
            c.reverse = k % 4 > 1;
            c.in_place = c.element->in_size == c.element->size && k % 4 == 3;
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
    const segments_case whole = {
        &test_u32_sum_u64, LENGTHS_COLUMNS, 200000, 40, 1, false, true, false, false, false};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t k, bytes = 0;
    (void)state;
    for (k = 0; k < sizeof counts / sizeof *counts; k++) {
        segments_data data = make_data(&whole);
        gp_segmented_scan_desc desc = make_desc(gp, &whole, &data);
        const size_t n = counts[k] < 40 ? counts[k] : 40;
        size_t i;
        for (i = 0; i < whole.count; i++)
            if (i % 40 >= n) memset(data.expected + i * 8, TEST_POISON, 8);
        desc.count_buffer = test_buffer(gp, 4, &counts[k]);
        desc.count_type = GP_U32;
        assert_gp(gp, gp_segmented_scan_scratch_size(gp, &desc, &bytes));
        if (bytes) desc.scratch = test_buffer(gp, bytes, NULL);
        assert_gp(gp, gp_segmented_scan(gp, &desc));
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
    const segments_case whole = {
        &test_u32_sum_u64, LENGTHS_MIXED, 20000, 700, 1, false, true, false, false, false};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t k, bytes = 0;
    (void)state;
    for (k = 0; k < sizeof counts / sizeof *counts; k++) {
        segments_data data = make_data(&whole);
        gp_segmented_scan_desc desc = make_desc(gp, &whole, &data);
        const size_t end = key_load(data.offsets, counts[k] < 700 ? counts[k] : 700, 4);
        memset(data.expected + end * 8, TEST_POISON, (whole.count - end) * 8);
        desc.count_buffer = test_buffer(gp, 4, &counts[k]);
        desc.count_type = GP_U32;
        assert_gp(gp, gp_segmented_scan_scratch_size(gp, &desc, &bytes));
        desc.scratch = test_buffer(gp, bytes, NULL);
        assert_gp(gp, gp_segmented_scan(gp, &desc));
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
    const segments_case c = {
        &test_u32_sum_u64, LENGTHS_BEYOND, 500, 300, 0, false, false, false, false, false};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    segments_data data = make_data(&c);
    const gp_segmented_scan_desc good = make_desc(gp, &c, &data);
    gp_segmented_scan_desc d = good;
    (void)state;
    assert_gp(gp, gp_segmented_scan(gp, &d));
    assert_int_equal(test_profile_of(gp).bad_offsets, 1);
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_segmented_scan(gp, &d), result, text)
    REFUSED(d.type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "gp_segmented_scan: type is not set");
    REFUSED(d.op = GP_OP_NONE, GP_ERROR_INVALID_OP, "op is not set");
    REFUSED(d.offsets_type = GP_F32, GP_ERROR_INVALID_TYPE, "offsets_type = 9");
    REFUSED(d.segment_count = UINT32_MAX, GP_ERROR_COUNT_LIMIT, "segment_count = 4294967295");
    REFUSED(d.in = NULL, GP_ERROR_INVALID_BUFFER, "in is NULL");
    REFUSED(d.offsets = NULL, GP_ERROR_INVALID_BUFFER, "offsets is NULL");
    REFUSED(d.out = NULL, GP_ERROR_INVALID_BUFFER, "out is NULL");
    REFUSED(d.count = 600, GP_ERROR_INVALID_BUFFER, "in has");
    REFUSED(d.segment_count = 400, GP_ERROR_INVALID_BUFFER, "offsets has");
    REFUSED(d.out_offset = 600, GP_ERROR_INVALID_BUFFER, "out has");
    REFUSED(d.in = d.out, GP_ERROR_OVERLAP, "in is");
    REFUSED(d.offsets = d.out, GP_ERROR_OVERLAP, "offsets is");
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
    REFUSED((d.offsets = NULL, d.row_length = 2, d.row_stride = 1), GP_ERROR_INVALID_ARGUMENT,
            "rows of 2 elements, 1 apart, begin 1 elements apart: they overlap or cross");
    REFUSED((d.offsets = NULL, d.row_length = 2, d.element_stride = 100), GP_ERROR_INVALID_ARGUMENT,
            "rows of 2 elements, 100 apart, begin 1 elements apart: they overlap or cross");
    REFUSED(d.strategy = (gp_strategy)7, GP_ERROR_INVALID_ARGUMENT, "strategy = 7");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    assert_gp_fails(NULL, gp_segmented_scan(NULL, &d), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_segmented_scan(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    release(&good);
    free_data(&data);
    gp_context_destroy(gp);
}

/* Offsets just below 2^64, as negative numbers are, and then good ones. */
static void test_negative_offsets(void **state)
{
    enum { SEGMENTS = 1024, BEFORE = 1000, COUNT = 2000 };
    static uint32_t in[BEFORE + COUNT], expected[COUNT];
    static uint64_t offsets[SEGMENTS + 1];
    size_t v, i, below;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (below = 1; below < SEGMENTS && gp; below = 6 * below + 1) {
            gp_segmented_scan_desc d = {0};
            uint32_t *out;
            for (i = 0; i < BEFORE + COUNT; i++) in[i] = i < BEFORE ? 7 : 1;
            for (i = 0; i <= SEGMENTS; i++) offsets[i] = (uint64_t)i - below;
            memset(expected, TEST_POISON, sizeof expected);
            for (i = 0; i < SEGMENTS - below; i++) expected[i] = 1;
            d.in = test_buffer(gp, sizeof in, in);
            d.in_offset = BEFORE;
            d.count = COUNT;
            d.offsets = test_buffer(gp, sizeof offsets, offsets);
            d.out = test_buffer(gp, sizeof expected, NULL);
            d.segment_count = SEGMENTS;
            d.offsets_type = GP_U64;
            d.type = d.out_type = GP_U32;
            d.op = GP_SUM;
            assert_gp(gp, gp_segmented_scan(gp, &d));
            out = test_read(gp, d.out, sizeof expected);
            assert_memory_equal(out, expected, sizeof expected);
            free(out);
            release(&d);
        }
        if (gp) gp_context_destroy(gp);
    }
}

/* Bad offsets make long segments overlap, more of them than the list has room for. Results of other segments are right. */
static void test_overlapping(void **state)
{
    enum { LONG = 300000, SEGMENTS = 64, COUNT = LONG + 10 };
    static uint32_t in[COUNT], expected[COUNT];
    static uint32_t offsets[SEGMENTS + 1];
    size_t v, i;
    (void)state;
    for (v = 0; v < test_variant_count; v++) {
        gp_context *gp = test_open(&test_variants[v], NULL);
        gp_segmented_scan_desc d = {0};
        uint32_t *out;
        if (!gp) continue;
        for (i = 0; i < COUNT; i++) in[i] = 1;
        for (i = 0; i < COUNT; i++) expected[i] = (uint32_t)(i < LONG ? i + 1 : i - LONG + 1);
        for (i = 0; i < SEGMENTS; i++) offsets[i] = i % 2 ? LONG : 0;
        offsets[SEGMENTS - 2] = LONG; /* the last segment but one is empty */
        offsets[SEGMENTS] = COUNT;
        d.in = test_buffer(gp, sizeof in, in);
        d.count = COUNT;
        d.offsets = test_buffer(gp, sizeof offsets, offsets);
        d.out = test_buffer(gp, sizeof expected, NULL);
        d.segment_count = SEGMENTS;
        d.offsets_type = d.type = GP_U32;
        d.op = GP_SUM;
        assert_gp(gp, gp_segmented_scan(gp, &d));
        out = test_read(gp, d.out, sizeof expected);
        assert_memory_equal(out, expected, sizeof expected);
        free(out);
        release(&d);
        gp_context_destroy(gp);
    }
}

/* Sums of floats of long segments repeat if they are asked to, also in place, and in several passes. */
static void test_deterministic(void **state)
{
    enum { COUNT = 2000003, TURNS = 4 };
    float *in = malloc(COUNT * sizeof *in);
    const uint32_t offsets[] = {0, 5, 700000, 700001, COUNT};
    size_t v, i, n = test_small() ? 20000 : COUNT;
    (void)state;
    assert_non_null(in);
    for (i = 0; i < COUNT; i++) in[i] = (float)(test_random() % 1000000) / 7.0f;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        float *first = NULL;
        for (i = 0; i < TURNS && gp; i++) {
            gp_segmented_scan_desc d = {0};
            float *out;
            d.in = test_buffer(gp, n * 4, in);
            d.out = i % 2 ? d.in : test_buffer(gp, n * 4, NULL);
            d.offsets = test_buffer(gp, sizeof offsets, offsets);
            d.offsets_type = GP_U32;
            d.segment_count = test_small() ? 1 : 4;
            d.count = n;
            d.type = GP_F32;
            d.op = GP_SUM;
            d.deterministic = true;
            assert_gp(gp, gp_segmented_scan(gp, &d));
            out = test_read(gp, d.out, n * 4);
            if (first) assert_memory_equal(out, first, (test_small() ? 5 : n) * 4);
            free(first);
            first = out;
            release(&d);
        }
        free(first);
        if (gp) gp_context_destroy(gp);
    }
    free(in);
}

/* Makes a summed-area table, in place: scans the rows, then the columns. */
static void test_summed_area(void **state)
{
    enum { ROWS = 123, COLUMNS = 457 };
    static uint32_t in[ROWS * COLUMNS], expected[ROWS * COLUMNS];
    size_t v, i;
    (void)state;
    for (i = 0; i < ROWS * COLUMNS; i++) {
        const uint32_t left = i % COLUMNS ? expected[i - 1] : 0,
                       above = i < COLUMNS ? 0 : expected[i - COLUMNS];
        in[i] = test_random() % 256;
        expected[i] = in[i] + left + above - (i % COLUMNS && i >= COLUMNS ? expected[i - COLUMNS - 1] : 0);
    }
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        gp_segmented_scan_desc rows = {0}, columns;
        uint32_t *out;
        if (!gp) continue;
        rows.in = rows.out = test_buffer(gp, sizeof in, in);
        rows.row_length = COLUMNS;
        rows.segment_count = ROWS;
        rows.type = GP_U32;
        rows.op = GP_SUM;
        columns = rows;
        columns.row_length = ROWS;
        columns.segment_count = columns.element_stride = COLUMNS;
        assert_gp(gp, gp_segmented_scan(gp, &rows));
        assert_gp(gp, gp_segmented_scan(gp, &columns));
        out = test_read(gp, rows.out, sizeof in);
        assert_memory_equal(out, expected, sizeof in);
        free(out);
        release(&rows);
        gp_context_destroy(gp);
    }
}

/* Parts that are too many to be counted are refused when the scratch is asked for. */
static void test_too_many_parts(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_segmented_scan_desc d = {0};
    size_t bytes;
    (void)state;
    d.type = GP_U32;
    d.op = GP_SUM;
    d.row_length = (size_t)1 << 31;
    d.segment_count = (size_t)1 << 31;
    assert_gp_fails(gp, gp_segmented_scan_scratch_size(gp, &d, &bytes), GP_ERROR_COUNT_LIMIT, "parts");
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    const segments_case c = {
        &test_u32_sum_u64, LENGTHS_MIXED, 300000, 10, 0, false, false, false, false, false};
    const segments_case columns = {
        &test_u32_sum_u64, LENGTHS_COLUMNS, 90000, 10, 0, false, false, false, false, false};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_segmented_scan_desc desc = {0};
    gp_warmup_desc warm = {0};
    uint64_t built;
    (void)state;
    desc.type = GP_U32;
    desc.out_type = GP_U64;
    desc.op = GP_SUM;
    warm.segmented_scan = &desc;
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
        cmocka_unit_test(test_every_variant),      cmocka_unit_test(test_elements),
        cmocka_unit_test(test_arg_and_map),        cmocka_unit_test(test_large_columns),
        cmocka_unit_test(test_columns_of_a_count), cmocka_unit_test(test_counts_and_scratch),
        cmocka_unit_test(test_bad_input),          cmocka_unit_test(test_warmup),
        cmocka_unit_test(test_negative_offsets),   cmocka_unit_test(test_overlapping),
        cmocka_unit_test(test_deterministic),      cmocka_unit_test(test_summed_area),
        cmocka_unit_test(test_too_many_parts),
    };
    return cmocka_run_group_tests_name("segmented_scan", tests, NULL, NULL);
}
