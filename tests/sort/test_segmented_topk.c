/* test_segmented_topk.c - gp_segmented_topk against the first k of a stable sort of each segment on the host. */
#include "../support/patterns.h"

typedef enum lengths {
    LENGTHS_ROWS,
    LENGTHS_GAPS, /* rows with elements between them */
    LENGTHS_OVERLAP,
    LENGTHS_TINY,  /* 0 to 5 */
    LENGTHS_EMPTY, /* mostly 0 */
    LENGTHS_MIXED, /* a few huge ones among tiny ones */
    LENGTHS_ONE,   /* all in one segment, others empty */
    LENGTHS_BAD,   /* tiny ones; some offsets fall, some are beyond the end */
    LENGTHS_COUNT
} lengths;

typedef struct topk_case {
    gp_type type, index_type;
    lengths lengths;
    size_t count, segments, k;
    key_pattern pattern;
    bool smallest, absolute, wide; /* offsets of 64 bits */
    bool no_keys, no_indices;
    size_t offset;
    gp_type ks_type; /* GP_U32, GP_U64: segments have a k each */
} topk_case;

typedef struct topk_data {
    unsigned char *keys, *offsets, *ks, *keys_out, *indices_out; /* the last two: as expected */
    size_t row_length, row_stride;
} topk_data;

static size_t index_size(const topk_case *c) { return c->index_type == GP_U64 ? 8 : 4; }

/* ------------------------------------------------------------------ input, reference */

static size_t length_of(const topk_case *c, size_t s)
{
    switch (c->lengths) {
    case LENGTHS_EMPTY: return test_random() % 20 ? 0 : 3;
    case LENGTHS_MIXED: return test_random() % 16 ? (test_random() >> 8) % 40 : c->count / 5;
    case LENGTHS_ONE: return s == c->segments / 2 ? c->count : 0;
    default: return (test_random() >> 8) % 6;
    }
}

static unsigned char *make_offsets(const topk_case *c)
{
    const size_t size = c->wide ? 8 : 4;
    unsigned char *offsets = malloc((c->segments + 1) * 8);
    uint64_t at = c->lengths == LENGTHS_ONE ? 0 : test_random() % 3;
    size_t s;
    assert_non_null(offsets);
    for (s = 0; s <= c->segments; s++) {
        uint64_t x = at < c->count ? at : c->count;
        if (c->lengths == LENGTHS_BAD && s % 37 == 5) x /= 2;
        if (c->lengths == LENGTHS_BAD && s % 53 == 7) x = c->count + 1 + s;
        memcpy(offsets + s * size, &x, size);
        at += length_of(c, s);
    }
    return offsets;
}

/* Sets rows that end within the count. */
static void make_rows(const topk_case *c, topk_data *data)
{
    const size_t each = c->count / c->segments;
    data->row_length = c->lengths == LENGTHS_GAPS ? each / 2 + 1 : each;
    data->row_stride = c->lengths == LENGTHS_GAPS ? each : c->lengths == LENGTHS_OVERLAP ? each / 3 + 1 : 0;
}

static size_t ks_size(const topk_case *c) { return c->ks_type == GP_U64 ? 8 : 4; }

/* Numbers of which some are 0, some are above k, or far above. */
static unsigned char *make_ks(const topk_case *c)
{
    unsigned char *ks = malloc(c->segments * ks_size(c) + 1);
    size_t s;
    assert_non_null(ks);
    for (s = 0; s < c->segments; s++) {
        const uint64_t x = test_random() % 4 == 0    ? 0
                           : test_random() % 16 == 0 ? UINT64_MAX
                                                     : (test_random() >> 8) % (c->k + c->k / 4 + 2);
        memcpy(ks + s * ks_size(c), &x, ks_size(c));
    }
    return ks;
}

static size_t k_of(const topk_case *c, const topk_data *data, size_t s)
{
    const uint64_t k = data->ks ? key_load(data->ks, s, ks_size(c)) : c->k;
    return k < c->k ? (size_t)k : c->k;
}

static void expect_segment(const topk_case *c, topk_data *data, size_t s, uint64_t begin, uint64_t end)
{
    const size_t size = key_size(c->type), n = (size_t)(end - begin), k = k_of(c, data, s),
                 most = n < k ? n : k;
    key_entry *e = keys_sorted(c->type, !c->smallest, 0, 0, data->keys + begin * size, n);
    size_t j;
    for (j = 0; j < most; j++) {
        const uint64_t index = e[j].index + (c->absolute ? begin : 0);
        memcpy(data->keys_out + (s * c->k + j) * size, data->keys + (begin + e[j].index) * size, size);
        memcpy(data->indices_out + (s * c->k + j) * index_size(c), &index, index_size(c));
    }
    free(e);
}

static unsigned char *poisoned(size_t size)
{
    unsigned char *bytes = malloc(size + 1);
    assert_non_null(bytes);
    memset(bytes, TEST_POISON, size);
    return bytes;
}

static topk_data make_data(const topk_case *c)
{
    const size_t size = c->wide ? 8 : 4;
    topk_data data = {0};
    size_t s;
    data.keys = keys_make(c->type, c->pattern, c->count);
    if (c->ks_type) data.ks = make_ks(c);
    data.keys_out = poisoned(c->segments * c->k * key_size(c->type));
    data.indices_out = poisoned(c->segments * c->k * index_size(c));
    if (c->lengths <= LENGTHS_OVERLAP) make_rows(c, &data);
    else data.offsets = make_offsets(c);
    for (s = 0; s < c->segments; s++) {
        const size_t stride = data.row_stride ? data.row_stride : data.row_length;
        const uint64_t begin = data.offsets ? key_load(data.offsets, s, size) : s * stride;
        const uint64_t end = data.offsets ? key_load(data.offsets, s + 1, size) : begin + data.row_length;
        if (begin < end && end <= c->count) expect_segment(c, &data, s, begin, end);
    }
    return data;
}

static void free_data(topk_data *data)
{
    free(data->keys);
    free(data->offsets);
    free(data->ks);
    free(data->keys_out);
    free(data->indices_out);
}

/* ------------------------------------------------------------------ check */

static gp_segmented_topk_desc make_desc(gp_context *gp, const topk_case *c, const topk_data *data)
{
    gp_segmented_topk_desc d = {0};
    const size_t results = c->segments * c->k;
    d.count = c->count;
    d.segment_count = c->segments;
    d.k = c->k;
    d.key_type = c->type;
    d.index_type = c->index_type;
    d.smallest = c->smallest;
    d.array_indices = c->absolute;
    d.row_length = data->row_length;
    d.row_stride = data->row_stride;
    d.keys_offset = c->offset;
    d.keys_out_offset = c->offset ? c->offset + 3 : 0;
    d.indices_out_offset = c->offset ? c->offset + 8 : 0;
    d.keys = guarded(gp, d.keys_offset, c->count, key_size(c->type), data->keys);
    if (!c->no_keys) d.keys_out = guarded(gp, d.keys_out_offset, results, key_size(c->type), NULL);
    if (!c->no_indices) d.indices_out = guarded(gp, d.indices_out_offset, results, index_size(c), NULL);
    if (data->ks) {
        d.ks_type = c->ks_type;
        d.ks_offset = 3 * c->offset;
        d.ks = guarded(gp, d.ks_offset, c->segments, ks_size(c), data->ks);
    }
    if (!data->offsets) return d;
    d.offsets_type = c->wide ? GP_U64 : GP_U32;
    d.offsets_offset = 2 * c->offset;
    d.offsets = guarded(gp, d.offsets_offset, c->segments + 1, c->wide ? 8 : 4, data->offsets);
    return d;
}

static void release(const gp_segmented_topk_desc *d)
{
    const cl_mem all[] = {d->keys,        d->offsets,      d->ks,     d->keys_out,
                          d->indices_out, d->count_buffer, d->scratch};
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]) clReleaseMemObject(all[i]);
    }
}

static void compare(gp_context *gp, const char *variant, const topk_case *c, const gp_segmented_topk_desc *d,
                    const topk_data *data)
{
    const size_t results = c->segments * c->k;
    const char *what = NULL, *in = "keys";
    size_t at = 0;
    if (d->keys_out)
        what = guarded_difference(gp, d->keys_out, d->keys_out_offset, results, key_size(c->type),
                                  data->keys_out, &at);
    if (d->indices_out && !what) {
        in = "indices";
        what = guarded_difference(gp, d->indices_out, d->indices_out_offset, results, index_size(c),
                                  data->indices_out, &at);
    }
    if (!what) return;
    fail_msg(
        "%s: type %d, index type %d, %zu keys, %zu segments, lengths %d, k %zu, pattern %d, smallest %d, "
        "absolute %d, offset %zu, ks %d: %s, %s %zu",
        variant, (int)c->type, (int)c->index_type, c->count, c->segments, (int)c->lengths, c->k,
        (int)c->pattern, c->smallest, c->absolute, c->offset, (int)c->ks_type, in, what, at);
}

static void check(gp_context *gp, const char *variant, const topk_case *c)
{
    topk_data data = make_data(c);
    const gp_segmented_topk_desc desc = make_desc(gp, c, &data);
    const gp_result result = gp_segmented_topk(gp, &desc);
    if (result != GP_OK) fail_msg("%s: %s", variant, gp_last_error(gp));
    compare(gp, variant, c, &desc, &data);
    release(&desc);
    free_data(&data);
}

/* ------------------------------------------------------------------ tests */

/* Few and many results, and tiny to huge segments. */
static void check_sizes(gp_context *gp, const char *name, gp_type type, gp_type index_type)
{
    static const size_t ks[] = {1, 2, 10, 64, 65, 512, 1024};
    static const size_t sizes[] = {1, 1000, 20011, 140007};
    static const size_t numbers[] = {1, 7, 100, 1025};
    const size_t all = test_small() ? 3 : 4;
    size_t n, s, k, l, turn = 0;
    for (n = 0; n < all; n++) {
        for (s = 0; s < all; s++) {
            for (k = 0; k < 7; k++) {
                for (l = 0; l < LENGTHS_COUNT; l++) {
                    topk_case c = {type,  index_type, (lengths)l, sizes[n], numbers[s], ks[k], KEYS_RANDOM,
                                   false, false,      false,      false,    false,      0,     GP_TYPE_NONE};
                    if (++turn % (test_small() ? 37 : 3) != 0 || c.count < c.segments) continue;
                    c.pattern = (key_pattern)(turn % KEYS_PATTERNS);
                    c.smallest = turn % 2 != 0;
                    c.absolute = turn / 2 % 2 != 0;
                    c.wide = turn / 4 % 2 != 0;
                    c.no_keys = turn % 5 == 1;
                    c.no_indices = turn % 5 == 2;
                    c.offset = turn % 4 ? 0 : 5;
                    c.ks_type = turn % 7 == 3 ? GP_U32 : turn % 7 == 4 ? GP_U64 : GP_TYPE_NONE;
                    check(gp, name, &c);
                }
            }
        }
    }
}

static void test_every_variant(void **state)
{
    size_t v;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        check_sizes(gp, test_shapes[v].name, GP_U32, GP_U32);
        gp_context_destroy(gp);
    }
}

static void test_types(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t t, p;
    (void)state;
    for (t = 0; t < KEY_TYPES; t++) {
        for (p = 0; p < KEYS_PATTERNS; p++) {
            const topk_case c = {key_types[t],
                                 t % 2 ? GP_U64 : GP_U32,
                                 p % 2 ? LENGTHS_ROWS : LENGTHS_MIXED,
                                 test_small() ? 2003 : 30011,
                                 p % 3 ? 5 : 90,
                                 p % 4 ? 10 : 200,
                                 (key_pattern)p,
                                 (t + p) % 2 != 0,
                                 p % 5 == 0,
                                 false,
                                 false,
                                 false,
                                 p % 3,
                                 p % 4 == 1 ? GP_U32 : GP_TYPE_NONE};
            if (test_small() && (t + p) % 5) continue;
            check(gp, "types", &c);
        }
    }
    gp_context_destroy(gp);
}

/* Segments that several groups share: up to 2^20 + 123 keys. */
static void test_large(void **state)
{
    static const size_t ks[] = {1, 10, 100, 1024};
    const size_t count = test_small() ? 17001 : ((size_t)1 << 20) + 123;
    size_t v, k, p;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (k = 0; k < 4 && gp; k++) {
            for (p = 0; p < KEYS_PATTERNS; p++) {
                topk_case c = {GP_F32, GP_U32, LENGTHS_ROWS, count, 1,     0, KEYS_RANDOM,
                               false,  false,  false,        false, false, 0, GP_TYPE_NONE};
                if ((k + p + v) % (test_small() ? 8 : 3)) continue;
                c.k = ks[k];
                c.pattern = (key_pattern)p;
                c.lengths = p % 2 ? LENGTHS_ROWS : LENGTHS_ONE;
                c.segments = k % 2 ? 1 : 3;
                c.smallest = (k + p) % 2 != 0;
                check(gp, test_shapes[v].name, &c);
                c.ks_type = p % 4 < 2 ? GP_U32 : GP_U64;
                check(gp, test_shapes[v].name, &c);
            }
        }
        if (gp) gp_context_destroy(gp);
    }
}

/* With few values, most keys equal the k-th: those with the lowest indices are found. */
static void test_ties(void **state)
{
    size_t v, i, k;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (k = 1; k <= 1000 && gp; k = 3 * k + 1) {
            enum { ROW = 3001, ROWS = 3 };
            uint8_t keys[ROW * ROWS];
            uint32_t *out;
            gp_segmented_topk_desc d = {0};
            for (i = 0; i < sizeof keys; i++) keys[i] = 7;
            for (i = 0; i < ROWS; i++) keys[i * ROW + ROW - 1] = 9; /* the best comes last */
            d.keys = test_buffer(gp, sizeof keys, keys);
            d.indices_out = test_buffer(gp, ROWS * k * 4, NULL);
            d.key_type = GP_U8;
            d.row_length = ROW;
            d.segment_count = ROWS;
            d.k = k;
            assert_gp(gp, gp_segmented_topk(gp, &d));
            out = test_read(gp, d.indices_out, ROWS * k * 4);
            for (i = 0; i < ROWS * k; i++) assert_int_equal(out[i], i % k ? i % k - 1 : ROW - 1);
            free(out);
            release(&d);
        }
        if (gp) gp_context_destroy(gp);
    }
}

static void test_counts_and_scratch(void **state)
{
    static const uint32_t counts[] = {0, 1, 59, 500};
    size_t i, k, l;
    gp_context *gp = test_open(&test_shapes[0], NULL);
    (void)state;
    for (i = 0; i < 4; i++) {
        for (k = 0; k < 2; k++) {
            for (l = 0; l < 2; l++) {
                topk_case c = {GP_U32,
                               GP_U32,
                               l ? LENGTHS_ROWS : LENGTHS_MIXED,
                               20000,
                               60,
                               0,
                               KEYS_RANDOM,
                               false,
                               false,
                               false,
                               false,
                               false,
                               1,
                               k == l ? GP_U32 : GP_TYPE_NONE};
                const size_t n = counts[i] < 60 ? counts[i] : 60;
                size_t bytes = 0;
                topk_data data;
                gp_segmented_topk_desc d;
                c.k = k ? 700 : 10;
                data = make_data(&c);
                memset(data.keys_out + n * c.k * 4, TEST_POISON, (60 - n) * c.k * 4);
                memset(data.indices_out + n * c.k * 4, TEST_POISON, (60 - n) * c.k * 4);
                d = make_desc(gp, &c, &data);
                d.count_buffer = test_buffer(gp, 4, &counts[i]);
                d.count_type = GP_U32;
                assert_gp(gp, gp_segmented_topk_scratch_size(gp, &d, &bytes));
                d.scratch = test_buffer(gp, bytes, NULL);
                assert_gp(gp, gp_segmented_topk(gp, &d));
                compare(gp, "counts", &c, &d, &data);
                release(&d);
                free_data(&data);
            }
        }
    }
    assert_int_equal(test_profile_of(gp).clamped, 4);
    assert_int_equal(test_profile_of(gp).scratch_bytes, 0);
    assert_int_equal(test_profile_of(gp).bad_offsets, 0);
    gp_context_destroy(gp);
}

/* One launch does rows that a group holds. */
static void test_launches(void **state)
{
    const topk_case c = {GP_F32, GP_U32, LENGTHS_ROWS, 16000, 16,    16, KEYS_RANDOM,
                         false,  false,  false,        false, false, 0,  GP_TYPE_NONE};
    size_t v;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        check(gp, test_shapes[v].name, &c);
        assert_int_equal(test_profile_of(gp).launches, 1);
        gp_context_destroy(gp);
    }
}

static void test_bad_input(void **state)
{
    const topk_case c = {GP_U32, GP_U32, LENGTHS_BAD, 500,   300,   3, KEYS_RANDOM,
                         false,  false,  false,       false, false, 0, GP_TYPE_NONE};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    topk_data data = make_data(&c);
    const gp_segmented_topk_desc good = make_desc(gp, &c, &data);
    gp_segmented_topk_desc d = good;
    size_t bytes;
    (void)state;
    assert_gp(gp, gp_segmented_topk(gp, &d));
    assert_int_equal(test_profile_of(gp).bad_offsets, 1);
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_segmented_topk(gp, &d), result, text)
    REFUSED(d.key_type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "gp_segmented_topk: key_type is not set");
    REFUSED(d.index_type = GP_F32, GP_ERROR_INVALID_TYPE, "index_type = 9");
    REFUSED(d.k = 1025, GP_ERROR_COUNT_LIMIT, "k = 1025, at most 1024");
    REFUSED(d.ks_type = GP_U32, GP_ERROR_INVALID_ARGUMENT, "ks_type = 6 but ks is NULL");
    REFUSED((d.ks = d.offsets, d.ks_type = GP_I32), GP_ERROR_INVALID_TYPE, "ks_type = ");
    REFUSED((d.ks = d.offsets, d.ks_offset = 1000), GP_ERROR_INVALID_BUFFER, "ks has");
    REFUSED((d.ks = d.offsets, d.ks_type = GP_U64), GP_ERROR_INVALID_BUFFER, "ks has");
    REFUSED(d.ks = d.keys_out, GP_ERROR_OVERLAP, "ks is bytes");
    REFUSED(d.offsets_type = GP_F32, GP_ERROR_INVALID_TYPE, "offsets_type = 9");
    REFUSED(d.segment_count = UINT32_MAX, GP_ERROR_COUNT_LIMIT, "segment_count = 4294967295");
    REFUSED(d.keys = NULL, GP_ERROR_INVALID_BUFFER, "keys is NULL");
    REFUSED(d.offsets = NULL, GP_ERROR_INVALID_BUFFER, "offsets is NULL");
    REFUSED(d.keys_out = d.indices_out = NULL, GP_ERROR_INVALID_BUFFER, "at least one output");
    REFUSED(d.count = 600, GP_ERROR_INVALID_BUFFER, "keys has");
    REFUSED(d.segment_count = 400, GP_ERROR_INVALID_BUFFER, "offsets has");
    REFUSED(d.keys_out_offset = 17, GP_ERROR_INVALID_BUFFER, "keys_out has");
    REFUSED(d.keys_out = d.indices_out, GP_ERROR_OVERLAP, "keys_out is");
    REFUSED(d.row_length = 5, GP_ERROR_INVALID_ARGUMENT, "offsets and row_length are given");
    REFUSED(d.row_stride = 5, GP_ERROR_INVALID_ARGUMENT, "row_stride = 5, and row_length is 0");
    REFUSED((d.offsets = NULL, d.row_length = 2), GP_ERROR_INVALID_ARGUMENT,
            "the last row ends at element 600, and count is 500");
    REFUSED((d.offsets = NULL, d.count = 0, d.row_length = 2), GP_ERROR_INVALID_BUFFER, "keys has");
    REFUSED((d.offsets = NULL, d.row_length = SIZE_MAX / 100), GP_ERROR_COUNT_LIMIT, "are too many");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    d = good;
    d.offsets = NULL;
    d.index_type = GP_U64;
    d.k = 1024;
    d.count = 0;
    d.row_length = (size_t)1 << 50;
    d.row_stride = 1;
    d.segment_count = (size_t)1 << 31;
    assert_gp_fails(gp, gp_segmented_topk_scratch_size(gp, &d, &bytes), GP_ERROR_COUNT_LIMIT, "parts");
    d = good;
    d.k = 0;
    assert_gp(gp, gp_segmented_topk(gp, &d));
    d = good;
    d.segment_count = 0;
    assert_gp(gp, gp_segmented_topk(gp, &d));
    assert_gp_fails(NULL, gp_segmented_topk(NULL, &d), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_segmented_topk(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    release(&good);
    free_data(&data);
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    const topk_case c = {GP_F32, GP_U32, LENGTHS_MIXED, 300000, 11,    10, KEYS_RANDOM,
                         false,  false,  false,         false,  false, 0,  GP_TYPE_NONE};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_segmented_topk_desc desc = {0};
    gp_warmup_desc warm = {0};
    uint64_t built;
    (void)state;
    desc.key_type = GP_F32;
    desc.k = 10;
    warm.segmented_topk = &desc;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    assert_int_equal(built, 1);
    check(gp, "warmed", &c);
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_counts_and_scratch),
        cmocka_unit_test(test_launches),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_warmup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
