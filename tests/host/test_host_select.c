/* test_host_select.c - gp_host_select and gp_host_histogram against plain C, in chunks of many sizes. */
#include "host.h"

static gp_context *gp;

static const size_t budgets[] = {3000, 50000, 0};
static const size_t sizes[] = {0, 1, 127, 128, 1021, 4099, 30011};

/* ------------------------------------------------------------------ select */

enum { MOST = 30011 };
static uint32_t in[MOST], flags[MOST];

static void fill(uint32_t range)
{
    size_t i;
    for (i = 0; i < MOST; i++) {
        in[i] = test_random() >> 3;
        flags[i] = (test_random() >> 5) % 100 < range;
    }
}

/* One in a hundred, half, all, none. */
static void check_select(size_t count, size_t budget, uint32_t range, unsigned form)
{
    const bool by_flags = form & 1, wide = form & 2, no_out = form % 5 == 4, no_indices = form % 5 == 3;
    const size_t index_size = wide ? 8 : 4;
    void *out_block, *index_block;
    uint32_t *out = copy_at(NULL, count * 4, 8, &out_block);
    unsigned char *indices = copy_at(NULL, count * index_size, 8, &index_block);
    gp_host_select_desc desc = {.in = in, .count = count, .type = GP_U32, .budget = budget};
    uint64_t selected = 77, expected = 0;
    gp_arg args[] = {{.name = "range", .type = GP_U32, .value = &range}};
    told progress = {0};
    size_t i;
    fill(range);
    desc.out = no_out ? NULL : out;
    desc.indices_out = no_indices ? NULL : indices;
    desc.index_type = wide ? GP_U64 : GP_TYPE_NONE;
    desc.selected = &selected;
    desc.flags = by_flags ? flags : NULL;
    desc.flags_type = by_flags ? GP_U32 : GP_TYPE_NONE;
    desc.predicate = by_flags ? NULL : "(x ^ (uint)i) % 100 < range";
    desc.args = by_flags ? NULL : args;
    desc.arg_count = by_flags ? 0 : 1;
    desc.progress = tell;
    desc.progress_user = &progress;
    assert_gp(gp, gp_host_select(gp, &desc));
    for (i = 0; i < count; i++) {
        uint64_t index = 0;
        if (by_flags ? !flags[i] : (in[i] ^ (uint32_t)i) % 100 >= range) continue;
        memcpy(&index, indices + expected * index_size, index_size);
        if (!no_indices) assert_int_equal(index, i);
        if (!no_out) assert_int_equal(out[expected], in[i]);
        expected++;
    }
    assert_int_equal(selected, expected);
    assert_int_equal(progress.last, count);
    for (i = (size_t)expected * 4; i < count * 4; i++)
        assert_int_equal(((unsigned char *)out)[i], TEST_POISON);
    assert_around(out_block, 8, count * 4);
    assert_around(index_block, 8, count * index_size);
    free(out_block);
    free(index_block);
}

static void test_select(void **state)
{
    static const uint32_t ranges[] = {1, 50, 100, 0};
    unsigned form = 0;
    size_t s, b, r;
    (void)state;
    for (s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            for (r = 0; r < 4; r++) check_select(sizes[s], budgets[b], ranges[r], form++);
        }
    }
}

typedef struct particle {
    float mass;
    uint32_t id[4];
} particle;

/* Records of 20 bytes, and elements of 16. */
static void test_select_records(void **state)
{
    enum { COUNT = 2003 };
    static particle particles[COUNT], out[COUNT];
    static const gp_record record = {.cl_type = "particle",
                                     .size = sizeof(particle),
                                     .source = "typedef struct { float mass; uint id[4]; } particle;"};
    static uint32_t wide[COUNT][4], wide_out[COUNT][4];
    uint64_t selected = 0;
    size_t i, n = 0;
    gp_host_select_desc desc = {.in = particles,
                                .out = out,
                                .selected = &selected,
                                .count = COUNT,
                                .record = &record,
                                .predicate = "x.mass > 5",
                                .budget = 5000};
    gp_host_select_desc quads = {.in = wide,
                                 .out = wide_out,
                                 .selected = &selected,
                                 .count = COUNT,
                                 .element_size = 16,
                                 .predicate = "x.y > 5",
                                 .budget = 5000};
    (void)state;
    for (i = 0; i < COUNT; i++) {
        particles[i].mass = (float)(test_random() % 11);
        particles[i].id[3] = wide[i][0] = (uint32_t)i;
        wide[i][1] = test_random() % 11;
    }
    assert_gp(gp, gp_host_select(gp, &desc));
    for (i = 0; i < COUNT; i++) {
        if (particles[i].mass > 5) assert_memory_equal(&out[n++], &particles[i], sizeof *out);
    }
    assert_int_equal(selected, n);
    assert_gp(gp, gp_host_select(gp, &quads));
    for (n = 0, i = 0; i < COUNT; i++) {
        if (wide[i][1] > 5) assert_memory_equal(wide_out[n++], wide[i], 16);
    }
    assert_int_equal(selected, n);
}

/* ------------------------------------------------------------------ histogram */

static void test_histogram(void **state)
{
    static const float edges[] = {-1.0f, -0.0f, 0.5f, 0.5f, 7.0f};
    static float x[MOST];
    size_t s, b, i;
    (void)state;
    for (s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            const size_t count = sizes[s];
            uint64_t counts[101] = {0}, expected[100] = {0}, sums[4] = {5, 6, 7, 8}, wanted[4] = {5, 6, 7, 8};
            gp_host_histogram_desc even = {.in = in,
                                           .count = count,
                                           .type = GP_U32,
                                           .bins = 100,
                                           .upper = {.u64 = 100},
                                           .out = counts,
                                           .out_type = GP_U64,
                                           .map = "(x + (uint)i) % 128",
                                           .budget = budgets[b]};
            gp_host_histogram_desc weighed = {.in = x,
                                              .count = count,
                                              .type = GP_F32,
                                              .bins = 4,
                                              .edges = edges,
                                              .weights = flags,
                                              .weight_type = GP_U32,
                                              .out = sums,
                                              .out_type = GP_U64,
                                              .accumulate = true,
                                              .budget = budgets[b]};
            fill(50);
            counts[100] = 99;
            for (i = 0; i < count; i++) {
                const uint32_t bin = (in[i] + (uint32_t)i) % 128;
                x[i] = (float)(test_random() % 1000) / 100.0f - 2.0f;
                if (bin < 100) expected[bin]++;
                if (x[i] >= -1.0f && x[i] < 0.0f) wanted[0] += flags[i];
                if (x[i] >= 0.0f && x[i] < 0.5f) wanted[1] += flags[i];
                if (x[i] >= 0.5f && x[i] < 7.0f) wanted[3] += flags[i];
            }
            assert_gp(gp, gp_host_histogram(gp, &even));
            assert_memory_equal(counts, expected, sizeof expected);
            assert_int_equal(counts[100], 99);
            assert_gp(gp, gp_host_histogram(gp, &weighed));
            assert_memory_equal(sums, wanted, sizeof wanted);
        }
    }
}

/* Pixels: three of four channels; all values of a byte. */
static void test_channels(void **state)
{
    enum { PIXELS = 5003 };
    static uint8_t pixels[PIXELS][4];
    uint32_t counts[3][256], expected[3][256] = {{0}};
    gp_host_histogram_desc desc = {.in = pixels,
                                   .count = PIXELS,
                                   .type = GP_U8,
                                   .channels = 4,
                                   .channels_out = 3,
                                   .out = counts,
                                   .budget = 6000};
    size_t i, k;
    (void)state;
    for (i = 0; i < PIXELS; i++) {
        for (k = 0; k < 4; k++) pixels[i][k] = (uint8_t)(test_random() >> (4 * k));
        for (k = 0; k < 3; k++) expected[k][pixels[i][k]]++;
    }
    assert_gp(gp, gp_host_histogram(gp, &desc));
    assert_memory_equal(counts, expected, sizeof counts);
}

/* ------------------------------------------------------------------ cancel, bad input */

static void test_cancel(void **state)
{
    static uint32_t out[MOST];
    uint64_t n;
    (void)state;
    fill(50);
    for (n = 1;; n++) {
        told progress = {.cancel_at = n};
        gp_host_select_desc desc = {.in = in,
                                    .out = out,
                                    .flags = flags,
                                    .flags_type = GP_U32,
                                    .count = MOST,
                                    .type = GP_U32,
                                    .budget = 100000,
                                    .progress = tell,
                                    .progress_user = &progress};
        const gp_result result = gp_host_select(gp, &desc);
        if (progress.calls < n) {
            assert_int_equal(result, GP_OK);
            break;
        }
        assert_int_equal(result, GP_ERROR_CANCELED);
        assert_non_null(strstr(gp_last_error(gp), "gp_host_select: progress canceled"));
    }
    assert_true(n > 4);
    {
        uint32_t counts[256];
        told progress = {.cancel_at = 2};
        gp_host_histogram_desc desc = {.in = in,
                                       .count = 4 * MOST,
                                       .type = GP_U8,
                                       .out = counts,
                                       .budget = 100000,
                                       .progress = tell,
                                       .progress_user = &progress};
        assert_gp_fails(gp, gp_host_histogram(gp, &desc), GP_ERROR_CANCELED,
                        "gp_host_histogram: progress canceled");
    }
}

#define SELECT_FAILS(change, expected, part)                         \
    do {                                                             \
        gp_host_select_desc d = good;                                \
        change;                                                      \
        assert_gp_fails(gp, gp_host_select(gp, &d), expected, part); \
    } while (0)
#define HISTOGRAM_FAILS(change, expected, part)                         \
    do {                                                                \
        gp_host_histogram_desc d = well;                                \
        change;                                                         \
        assert_gp_fails(gp, gp_host_histogram(gp, &d), expected, part); \
    } while (0)

static void test_refused(void **state)
{
    static uint32_t out[1000];
    uint64_t selected = 3;
    const gp_host_select_desc good = {
        .in = in, .out = out, .selected = &selected, .count = 1000, .type = GP_U32, .predicate = "x > 5"};
    const gp_host_histogram_desc well = {
        .in = in, .count = 1000, .type = GP_U32, .bins = 10, .upper = {.u64 = 10}, .out = out};
    const gp_record empty = {.cl_type = "uint"};
    (void)state;
    SELECT_FAILS((d.type = GP_TYPE_NONE, d.record = &empty), GP_ERROR_INVALID_ARGUMENT,
                 "gp_host_select: elements of in have 0 bytes");
    SELECT_FAILS(d.in = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_host_select: in is NULL");
    SELECT_FAILS(d.predicate = NULL, GP_ERROR_INVALID_ARGUMENT, "set one of predicate and flags");
    SELECT_FAILS(d.flags = flags, GP_ERROR_INVALID_ARGUMENT, "set one of predicate and flags");
    SELECT_FAILS((d.out = NULL, d.selected = NULL), GP_ERROR_INVALID_ARGUMENT,
                 "out, indices_out and selected are NULL");
    SELECT_FAILS(d.type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "type = 0 is not an element type");
    SELECT_FAILS(d.flags_type = (gp_type)77, GP_ERROR_INVALID_TYPE, "flags_type = 77");
    SELECT_FAILS(d.index_type = GP_U16, GP_ERROR_INVALID_TYPE, "index_type = 4 is not GP_U32 or GP_U64");
    SELECT_FAILS(d.element_size = 3, GP_ERROR_INVALID_TYPE, "gp_select");
    SELECT_FAILS(d.out = in + 999, GP_ERROR_OVERLAP, "gp_host_select: in and out overlap");
    SELECT_FAILS(d.indices_out = out, GP_ERROR_OVERLAP, "gp_host_select: out and indices_out overlap");
    SELECT_FAILS(d.budget = 30, GP_ERROR_INVALID_ARGUMENT, "gp_host_select: budget = 30 bytes");
    SELECT_FAILS(d.predicate = "x >", GP_ERROR_INVALID_ARGUMENT, "predicate");
    assert_int_equal(selected, 3);
    HISTOGRAM_FAILS(d.in = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_host_histogram: in is NULL");
    HISTOGRAM_FAILS(d.out = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_host_histogram: out is NULL");
    HISTOGRAM_FAILS(d.out = in, GP_ERROR_OVERLAP, "gp_host_histogram: out overlaps an input");
    HISTOGRAM_FAILS(d.type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "type = 0 is not an element type");
    HISTOGRAM_FAILS(d.bins = 0, GP_ERROR_INVALID_ARGUMENT, "gp_histogram");
    HISTOGRAM_FAILS(d.bins = (size_t)1 << 32, GP_ERROR_INVALID_ARGUMENT,
                    "bins = 4294967296 is more than 2^32 - 2");
    HISTOGRAM_FAILS(d.channels = 5, GP_ERROR_INVALID_ARGUMENT, "channels = 5");
    HISTOGRAM_FAILS(d.channels_out = 2, GP_ERROR_INVALID_ARGUMENT, "channels_out = 2");
    HISTOGRAM_FAILS(d.weights = flags, GP_ERROR_INVALID_TYPE, "weight_type = 0");
    HISTOGRAM_FAILS(d.out_type = GP_F32, GP_ERROR_INVALID_TYPE, "out_type");
    HISTOGRAM_FAILS(d.budget = 50, GP_ERROR_INVALID_ARGUMENT, "gp_host_histogram: budget = 50 bytes");
}

static int open_context(void **state)
{
    (void)state;
    gp = test_open(&test_variants[0], NULL);
    return gp ? 0 : -1;
}

static int close_context(void **state)
{
    (void)state;
    gp_context_destroy(gp);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_select),    cmocka_unit_test(test_select_records),
        cmocka_unit_test(test_histogram), cmocka_unit_test(test_channels),
        cmocka_unit_test(test_cancel),    cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
