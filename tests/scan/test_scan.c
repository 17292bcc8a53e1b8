/* test_scan.c - gp_scan against a sequential scan. */
#include <math.h>
#include "../support/support.h"

/* A scan to check: `element` over `count` inputs of `pattern`. */
typedef struct scan_case {
    const test_element *element;
    test_pattern pattern;
    size_t count;
    size_t in_offset, out_offset;
    bool exclusive, initial, in_place, reverse;
    gp_segments segments;
    gp_type heads_type;
    uint32_t run; /* mean length of a segment; 0: nothing but the first head */
} scan_case;

enum {
    GUARD = 16,
    HEADS_OFFSET = 5
}; /* elements behind the output that must stay poisoned; before the heads */

/* ------------------------------------------------------------------ heads */

static size_t heads_size(gp_type type)
{
    return type == GP_U8 ? 1 : type == GP_U64 || type == GP_F64 ? 8 : 4;
}

/* Writes a head as its type; floats and integers of these small values. */
static void write_head(gp_type type, uint32_t value, unsigned char *out)
{
    const float f = (float)value;
    const double d = value;
    const uint64_t wide = (uint64_t)value << 33; /* in the high half only */
    if (type == GP_F32) memcpy(out, &f, 4);
    else if (type == GP_F64) memcpy(out, &d, 8);
    else if (type == GP_U64) memcpy(out, &wide, 8);
    else if (type == GP_U8) *out = (unsigned char)(value % 251);
    else memcpy(out, &value, 4);
}

/* Flags or keys for `count` elements, and in is_head[i] what they mean. Flag 0 is set at random: a head it is
   all the same. */
static unsigned char *make_heads(const scan_case *c, bool *is_head)
{
    const size_t size = heads_size(c->heads_type);
    unsigned char *heads = malloc((HEADS_OFFSET + c->count) * size + 1);
    uint32_t key = 7;
    size_t i;
    assert_non_null(heads);
    memset(heads, TEST_POISON, HEADS_OFFSET * size);
    for (i = 0; i < c->count; i++) {
        const bool head = c->run > 0 && (test_random() >> 8) % c->run == 0;
        if (head) key++;
        write_head(c->heads_type,
                   c->segments == GP_SEGMENTS_BY_KEYS ? key
                   : head                             ? 1 + i % 100
                                                      : 0,
                   heads + (HEADS_OFFSET + i) * size);
        is_head[i] = head || i == 0;
    }
    return heads;
}

/* ------------------------------------------------------------------ reference */

/* expected[i], as bytes; in reverse from the last element on, in which order segments begin where the next
   one begins in the other. */
static unsigned char *reference(const scan_case *c, const unsigned char *in, const bool *is_head,
                                const void *initial)
{
    const test_element *e = c->element;
    unsigned char *expected = malloc(c->count * e->size + 1);
    unsigned char sum[64], x[64];
    size_t k;
    assert_non_null(expected);
    for (k = 0; k < c->count; k++) {
        const size_t i = c->reverse ? c->count - 1 - k : k;
        if (k == 0 || (c->segments && is_head[c->reverse ? i + 1 : i])) {
            e->identity(sum);
            if (initial) memcpy(sum, initial, e->size);
        }
        if (c->exclusive) memcpy(expected + i * e->size, sum, e->size);
        e->from(in + i * e->in_size, x);
        if (c->reverse) e->combine(x, sum, sum);
        else e->combine(sum, x, sum);
        if (!c->exclusive) memcpy(expected + i * e->size, sum, e->size);
    }
    return expected;
}

static void compare(const test_variant *variant, const scan_case *c, const unsigned char *expected,
                    const unsigned char *out)
{
    const size_t size = c->element->size;
    size_t i;
    for (i = 0; i < c->count; i++) {
        if (memcmp(expected + i * size, out + (c->out_offset + i) * size, size) != 0) {
            fail_msg("%s, %s, pattern %d, count %zu, offsets %zu %zu, exclusive %d, initial %d, in place %d, "
                     "reverse %d, segments %d by %d of %u: out[%zu] is wrong",
                     c->element->name, variant->name, (int)c->pattern, c->count, c->in_offset, c->out_offset,
                     c->exclusive, c->initial, c->in_place, c->reverse, (int)c->segments, (int)c->heads_type,
                     c->run, i);
        }
    }
    for (i = 0; i < c->out_offset * size && !c->in_place; i++) assert_int_equal(out[i], TEST_POISON);
    for (i = 0; i < GUARD * size && !c->in_place; i++) {
        assert_int_equal(out[(c->out_offset + c->count) * size + i], TEST_POISON);
    }
}

static gp_scan_desc desc_of(const scan_case *c)
{
    gp_scan_desc desc = {0};
    desc.in_offset = c->in_offset;
    desc.out_offset = c->out_offset;
    desc.count = c->count;
    desc.type = c->element->type;
    desc.out_type = c->element->out_type;
    desc.op = c->element->op;
    desc.monoid = c->element->monoid;
    desc.exclusive = c->exclusive;
    desc.reverse = c->reverse;
    desc.segments = c->segments;
    desc.heads_type = c->heads_type;
    return desc;
}

static void check(gp_context *gp, const test_variant *variant, const scan_case *c)
{
    const test_element *e = c->element;
    const size_t out_size = (c->out_offset + c->count + GUARD) * e->size;
    unsigned char initial[64], first[64];
    unsigned char *in = test_input(e, c->pattern, c->in_offset + c->count + GUARD);
    bool *is_head = calloc(c->count + 1, sizeof *is_head);
    unsigned char *heads = c->segments ? make_heads(c, is_head) : NULL;
    unsigned char *expected, *out;
    cl_mem in_buffer = test_buffer(gp, (c->in_offset + c->count + GUARD) * e->in_size, in);
    gp_scan_desc desc = desc_of(c);
    e->make(0x12345677u, first);
    e->from(first, initial);
    desc.in = in_buffer;
    desc.out = c->in_place ? in_buffer : test_buffer(gp, out_size, NULL);
    desc.initial = c->initial ? initial : NULL;
    if (heads) desc.heads = test_buffer(gp, (HEADS_OFFSET + c->count) * heads_size(c->heads_type), heads);
    if (heads) desc.heads_offset = HEADS_OFFSET;
    assert_gp(gp, gp_scan(gp, &desc));
    out = test_read(gp, desc.out, out_size);
    expected = reference(c, in + c->in_offset * e->in_size, is_head, desc.initial);
    compare(variant, c, expected, out);
    free(expected);
    free(out);
    free(in);
    free(heads);
    free(is_head);
    clReleaseMemObject(in_buffer);
    if (heads) clReleaseMemObject(desc.heads);
    if (!c->in_place) clReleaseMemObject(desc.out);
}

/* Around every tile size in use, several tiles, a prime, and a large odd one. */
static const size_t sizes[] = {0,    1,    1023, 1024,  1025,  2047,  2048,  2049,   4095,
                               4096, 4097, 4098, 16383, 16384, 16385, 49159, 104729, (1 << 20) + 123};
static const size_t small_sizes[] = {0, 1, 1023, 1024, 1026, 3079, 4099};

static void check_sizes(gp_context *gp, const test_variant *variant, scan_case c)
{
    const size_t *list = test_small() ? small_sizes : sizes;
    const size_t n = test_small() ? sizeof small_sizes / sizeof *small_sizes : sizeof sizes / sizeof *sizes;
    const bool first = c.element == &test_u32_sum && !c.segments && !c.reverse;
    const size_t most = first ? SIZE_MAX : test_most(gp, variant->shape);
    size_t i;
    for (i = 0; i < n && list[i] <= most; i++) {
        c.count = list[i];
        check(gp, variant, &c);
    }
}

static scan_case plain_case(const test_element *element)
{
    scan_case c;
    memset(&c, 0, sizeof c);
    c.element = element;
    return c;
}

/* One element: sizes, exclusive, initial, in place, patterns, offsets. */
static void check_plain(gp_context *gp, const test_variant *variant, const test_element *element)
{
    scan_case c = plain_case(element);
    size_t k;
    gp_stats profile;
    check_sizes(gp, variant, c);
    c.exclusive = true;
    check_sizes(gp, variant, c);
    c.initial = true;
    c.count = 5003;
    check(gp, variant, &c);
    c.exclusive = false;
    check(gp, variant, &c);
    if (element->in_size == element->size) {
        c.in_place = true;
        check(gp, variant, &c);
        c.in_offset = c.out_offset = 3;
        check(gp, variant, &c);
        c.in_offset = c.out_offset = 0;
        c.in_place = false;
    }
    for (k = 0; k < TEST_PATTERNS; k++) {
        c.pattern = (test_pattern)k;
        check(gp, variant, &c);
    }
    c.pattern = TEST_RANDOM;
    for (k = 0; k < 16; k += test_small() ? 5 : 1) {
        c.in_offset = k;
        c.out_offset = (5 * k + 3) % 16;
        check(gp, variant, &c);
    }
    assert_gp(gp, gp_stats_read(gp, &profile));
    assert_int_equal(profile.abandoned, 0);
}

static void check_variant(const test_variant *variant, const test_element *element)
{
    gp_context *gp = test_open(variant, NULL);
    if (!gp) return; /* the device cannot */
    check_plain(gp, variant, element);
    gp_context_destroy(gp);
}

static void test_every_variant_u32(void **state)
{
    size_t v;
    (void)state;
    for (v = 0; v < test_variant_count; v++) check_variant(&test_variants[v], &test_u32_sum);
}

static void test_every_variant_affine(void **state)
{
    size_t v;
    (void)state;
    for (v = 0; v < test_variant_count; v++) check_variant(&test_variants[v], &test_affine);
}

static void test_matrix_16_bytes(void **state)
{
    (void)state;
    check_variant(&test_variants[0], &test_matrix);
    check_variant(&test_variants[2], &test_matrix); /* serial, narrow: eight words a state */
}

/* More elements an item than stay in registers (kernels/gpu/scan/tile_chunks.cl), of 4, 8 and 1 bytes. */
static void test_many_an_item(void **state)
{
    static const test_variant variant = {"64 an item", GP_SHAPE_SUB_GROUP, GP_STRATEGY_AUTO, GP_WORDS_AUTO};
    static const test_element *const elements[] = {&test_u32_sum, &test_u64_sum, &test_u8_sum, &test_affine,
                                                   &test_f32_min};
    gp_context_desc desc = {0};
    gp_context *gp;
    size_t i;
    (void)state;
    desc.tuning.shape = variant.shape;
    desc.tuning.sub_group_size = 8;
    desc.tuning.work_group_size = 32;
    desc.tuning.tile = 64;
    gp = test_open_if(&desc);
    if (!gp) return; /* the device cannot */
    for (i = 0; i < sizeof elements / sizeof *elements; i++) check_plain(gp, &variant, elements[i]);
    gp_context_destroy(gp);
}

/* In the serial shape they are scanned 64 at a time, where the CPU has AVX-512. */
static void test_bytes(void **state)
{
    (void)state;
    check_variant(&test_variants[0], &test_u8_sum);
}

/* Types and operations on the device's default variant: all where builds are cheap, else a diagonal. */
static void test_types_and_ops(void **state)
{
    static const test_element *const diagonal[] = {&test_u32_min, &test_i32_max,     &test_f32_sum,
                                                   &test_f32_min, &test_u32_sum_u64, &test_u64_sum,
                                                   &test_u8_sum};
    const test_variant *variant = &test_variants[0];
    gp_context *gp = test_open(variant, NULL);
    const bool all = test_builds_are_cheap(gp);
    const size_t n = all ? test_grid_count : sizeof diagonal / sizeof *diagonal;
    size_t i;
    (void)state;
    for (i = 0; i < n; i++) {
        scan_case c = plain_case(all ? test_grid[i] : diagonal[i]);
        c.in_offset = 1;
        c.initial = true;
        if (c.element->type == GP_F64 && !gp_context_info(gp)->fp64) continue;
        c.count = 3079;
        if (test_small()) check(gp, variant, &c); /* sizes have been gone through above */
        else check_sizes(gp, variant, c);
    }
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ segments, reverse */

/* All there is of one program: sizes, exclusive, initial, in place, and segments from one element to all. */
static void check_order(gp_context *gp, const test_variant *variant, scan_case c)
{
    static const uint32_t runs[] = {0, 1, 2, 20, 5000};
    size_t k;
    c.run = 30;
    if (!test_small()) check_sizes(gp, variant, c);
    c.exclusive = c.initial = true;
    c.count = test_small() ? 3079 : 104729;
    for (k = 0; k < (c.segments ? sizeof runs / sizeof *runs : 1); k++) {
        c.run = runs[k];
        check(gp, variant, &c);
    }
    c.in_offset = 3;
    c.out_offset = 7;
    check(gp, variant, &c);
    c.exclusive = false;
    check(gp, variant, &c);
    c.out_offset = 3;
    c.in_place = c.element->in_size == c.element->size;
    check(gp, variant, &c);
}

/* What is worth a program of its own: element, segments, type of heads, reverse. */
static const scan_case orders[] = {
    {&test_u32_sum, TEST_RANDOM, 0, 0, 0, false, false, false, true, GP_SEGMENTS_NONE, GP_TYPE_NONE, 0},
    {&test_affine, TEST_RANDOM, 0, 0, 0, false, false, false, true, GP_SEGMENTS_NONE, GP_TYPE_NONE, 0},
    {&test_u32_sum, TEST_RANDOM, 0, 0, 0, false, false, false, false, GP_SEGMENTS_BY_FLAGS, GP_U8, 0},
    {&test_u32_sum, TEST_RANDOM, 0, 0, 0, false, false, false, true, GP_SEGMENTS_BY_KEYS, GP_U32, 0},
    {&test_affine, TEST_RANDOM, 0, 0, 0, false, false, false, true, GP_SEGMENTS_BY_FLAGS, GP_U8, 0},
    {&test_f32_sum, TEST_RANDOM, 0, 0, 0, false, false, false, false, GP_SEGMENTS_BY_KEYS, GP_U64, 0},
    {&test_u8_sum, TEST_RANDOM, 0, 0, 0, false, false, false, true, GP_SEGMENTS_BY_FLAGS, GP_U32, 0},
    {&test_u64_max, TEST_RANDOM, 0, 0, 0, false, false, false, false, GP_SEGMENTS_BY_KEYS, GP_F32, 0},
    /* only where builds are cheap */
    {&test_i16_max, TEST_RANDOM, 0, 0, 0, false, false, false, true, GP_SEGMENTS_BY_KEYS, GP_U8, 0},
    {&test_matrix, TEST_RANDOM, 0, 0, 0, false, false, false, false, GP_SEGMENTS_BY_FLAGS, GP_U32, 0},
    {&test_u32_min, TEST_RANDOM, 0, 0, 0, false, false, false, true, GP_SEGMENTS_BY_FLAGS, GP_U64, 0},
    {&test_u64_sum, TEST_RANDOM, 0, 0, 0, false, false, false, true, GP_SEGMENTS_NONE, GP_TYPE_NONE, 0},
    {&test_f32_min, TEST_RANDOM, 0, 0, 0, false, false, false, true, GP_SEGMENTS_NONE, GP_TYPE_NONE, 0},
};
enum {
    ORDERS = sizeof orders / sizeof *orders,
    ORDERS_DEAR = 8,
    VARIANT_ORDERS = 5,
    VARIANT_ORDERS_DEAR = 3
};

/* The device's default runs them all, but for the last few where builds are dear; other variants the first,
   or none where the variant is like the default. */
static void test_segments_and_reverse(void **state)
{
    size_t v, k;
    (void)state;
    for (v = 0; v < test_variant_count; v++) {
        gp_context *gp = v == 1 ? test_open_other(&test_variants[v]) : test_open(&test_variants[v], NULL);
        size_t n;
        if (!gp) continue;
        if (test_builds_are_cheap(gp)) n = v > 0 ? VARIANT_ORDERS : ORDERS;
        else n = v > 0 ? VARIANT_ORDERS_DEAR : ORDERS_DEAR;
        for (k = 0; k < n; k++) check_order(gp, &test_variants[v], orders[k]);
        gp_context_destroy(gp);
    }
}

/* ------------------------------------------------------------------ waiting, repeating */

/* One tile in k never publishes: the fallback computes it, and the result is exact all the same. */
static void check_faults(const test_variant *variant, const test_element *element, const char *options,
                         bool segments)
{
    gp_context *gp = test_open(variant, options);
    const size_t count = test_small() ? 40 * 1024 + 5 : 600000;
    scan_case c = plain_case(element);
    gp_stats profile;
    int round;
    if (!gp) return;
    c.count = count;
    c.exclusive = c.initial = true;
    if (segments) c.segments = GP_SEGMENTS_BY_FLAGS;
    if (segments) c.heads_type = GP_U32;
    c.run = 3000;
    for (round = 0; round < (test_small() ? 1 : 5); round++) check(gp, variant, &c);
    assert_gp(gp, gp_stats_read(gp, &profile));
    assert_int_equal(profile.abandoned, 0);
    if (strstr(options, "=2")) assert_true(profile.fallbacks > 0);
    gp_context_destroy(gp);
}

static void test_fault_injection(void **state)
{
    static const char *const shares[] = {"-DGPI_FAULT=2", "-DGPI_FAULT=16", "-DGPI_FAULT=512"};
    size_t v, s;
    (void)state;
    for (s = 0; s < 3; s++) {
        check_faults(&test_variants[1], &test_u32_sum, shares[s], false); /* serial, wide */
        check_faults(&test_variants[2], &test_u32_sum, shares[s], false); /* serial, narrow */
    }
    for (v = 4; v <= 5; v++) check_faults(&test_variants[v], &test_u32_sum, shares[0], false); /* local */
    check_faults(&test_variants[1], &test_f32_sum, shares[0],
                 false); /* not exact: nothing is posted for others */
    check_faults(&test_variants[1], &test_affine, shares[0], false);
    check_faults(&test_variants[2], &test_u32_sum, shares[0], true);
}

/* Deterministic float sums repeat bit for bit, also when they round and a single pass is asked for. */
static void test_float_deterministic(void **state)
{
    const size_t count = test_small() ? 5000 : 300001;
    gp_context *gp = test_open(&test_variants[0], NULL);
    float *in = malloc(count * sizeof *in);
    void *first = NULL;
    cl_mem in_buffer, out_buffer;
    gp_scan_desc desc = {0};
    size_t i;
    gp_stats profile;
    int round;
    (void)state;
    assert_non_null(in);
    for (i = 0; i < count; i++) in[i] = (float)test_random() / 3.0f;
    in_buffer = test_buffer(gp, count * sizeof *in, in);
    out_buffer = test_buffer(gp, count * sizeof *in, NULL);
    desc.in = in_buffer;
    desc.out = out_buffer;
    desc.count = count;
    desc.type = GP_F32;
    desc.op = GP_SUM;
    desc.strategy = GP_STRATEGY_SINGLE_PASS;
    desc.deterministic = true;
    for (round = 0; round < 4; round++) {
        void *out;
        assert_gp(gp, gp_scan(gp, &desc));
        out = test_read(gp, out_buffer, count * sizeof *in);
        if (first) assert_memory_equal(first, out, count * sizeof *in);
        else first = out;
        if (first != out) free(out);
    }
    assert_gp(gp, gp_stats_read(gp, &profile));
    assert_int_equal(profile.launches, 4 * 3); /* three sweeps a call: no look-back */
    free(first);
    free(in);
    clReleaseMemObject(in_buffer);
    clReleaseMemObject(out_buffer);
    gp_context_destroy(gp);
}

/* NaN never wins a minimum or maximum; -0 and +0 are one value. */
static void test_nan_and_zeros(void **state)
{
    const float nan = (float)(1e308 * 10 * 0.0);
    const float in[8] = {nan, 2.0f, nan, -0.0f, 0.0f, -1.0f, nan, 3.0f};
    const float lows[8] = {1e38f * 10, 2.0f, 2.0f, 0.0f, 0.0f, -1.0f, -1.0f, -1.0f};
    const float highs[8] = {-1e38f * 10, 2.0f, 2.0f, 2.0f, 2.0f, 2.0f, 2.0f, 3.0f};
    gp_context *gp = test_open(&test_variants[0], NULL);
    cl_mem in_buffer = test_buffer(gp, sizeof in, in), out_buffer = test_buffer(gp, sizeof in, NULL);
    gp_scan_desc desc = {0};
    int max, i;
    (void)state;
    desc.in = in_buffer;
    desc.out = out_buffer;
    desc.count = 8;
    desc.type = GP_F32;
    for (max = 0; max < 2; max++) {
        const float *expected = max ? highs : lows;
        float *out;
        desc.op = max ? GP_MAX : GP_MIN;
        assert_gp(gp, gp_scan(gp, &desc));
        out = test_read(gp, out_buffer, sizeof in);
        for (i = 0; i < 8; i++) assert_true(out[i] == expected[i]);
        free(out);
    }
    clReleaseMemObject(in_buffer);
    clReleaseMemObject(out_buffer);
    gp_context_destroy(gp);
}

/* The same in segments, whose heads may be NaN: nothing is carried of them into vectors. */
static void test_nan_in_segments(void **state)
{
    enum { COUNT = 2000 };
    const float nan = (float)(1e308 * 10 * 0.0), infinite = 1e38f * 10;
    float in[COUNT];
    uint8_t flags[COUNT];
    gp_context *gp = test_open(&test_variants[0], NULL);
    cl_mem in_buffer, heads, out_buffer = test_buffer(gp, sizeof in, NULL);
    gp_scan_desc desc = {0};
    int form;
    size_t i;
    (void)state;
    for (i = 0; i < COUNT; i++) {
        in[i] = i % 37 == 35 ? (float)i : nan;
        flags[i] = i % 74 == 60;
    }
    in_buffer = test_buffer(gp, sizeof in, in);
    heads = test_buffer(gp, sizeof flags, flags);
    desc.in = in_buffer;
    desc.out = out_buffer;
    desc.count = COUNT;
    desc.type = GP_F32;
    desc.segments = GP_SEGMENTS_BY_FLAGS;
    desc.heads = heads;
    desc.heads_type = GP_U8;
    for (form = 0; form < 8; form++) {
        const bool max = (form & 4) != 0;
        const float none = max ? -infinite : infinite;
        float sum = none, *out;
        desc.op = max ? GP_MAX : GP_MIN;
        desc.exclusive = form & 1;
        desc.reverse = (form & 2) != 0;
        assert_gp(gp, gp_scan(gp, &desc));
        out = test_read(gp, out_buffer, sizeof in);
        for (i = 0; i < COUNT; i++) {
            const size_t at = desc.reverse ? COUNT - 1 - i : i;
            float before;
            if (desc.reverse ? at + 1 < COUNT && flags[at + 1] : flags[at]) sum = none;
            before = sum;
            sum = max ? fmaxf(sum, in[at]) : fminf(sum, in[at]);
            if (out[at] != (desc.exclusive ? before : sum)) fail_msg("form %d: out[%zu]", form, at);
        }
        free(out);
    }
    clReleaseMemObject(in_buffer);
    clReleaseMemObject(heads);
    clReleaseMemObject(out_buffer);
    gp_context_destroy(gp);
}

/* Calls chained without a host sync, on the caller's scratch: exactly as large as asked for, or too small. */
static void test_own_scratch(void **state)
{
    const size_t count = test_small() ? 5000 : 200000;
    const test_element *e = &test_u32_sum;
    gp_context *gp = test_open(&test_variants[0], NULL);
    uint32_t *in = test_input(e, TEST_RANDOM, count), *out;
    cl_mem a = test_buffer(gp, count * 4, in), b = test_buffer(gp, count * 4, NULL), scratch;
    gp_scan_desc desc = {0};
    size_t bytes = 0, i;
    uint32_t once = 0, twice = 0;
    (void)state;
    desc.in = a;
    desc.out = b;
    desc.count = count;
    desc.type = GP_U32;
    desc.op = GP_SUM;
    assert_gp(gp, gp_scan_scratch_size(gp, &desc, &bytes));
    assert_true(bytes > 0);
    scratch = test_buffer(gp, bytes, NULL); /* poisoned: nothing may be assumed of it */
    desc.scratch = scratch;
    assert_gp(gp, gp_scan(gp, &desc));
    desc.in = b;
    desc.out = a;
    assert_gp(gp, gp_scan(gp, &desc));
    out = test_read(gp, a, count * 4);
    for (i = 0; i < count; i++) {
        once += in[i];
        twice += once;
        if (out[i] != twice) fail_msg("out[%zu]", i);
    }
    clReleaseMemObject(scratch);
    scratch = test_buffer(gp, bytes - 1, NULL);
    desc.scratch = scratch;
    assert_gp_fails(gp, gp_scan(gp, &desc), GP_ERROR_INVALID_BUFFER, "scratch");
    clReleaseMemObject(scratch);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    free(in);
    free(out);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant_u32),    cmocka_unit_test(test_every_variant_affine),
        cmocka_unit_test(test_matrix_16_bytes),      cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_many_an_item),         cmocka_unit_test(test_types_and_ops),
        cmocka_unit_test(test_segments_and_reverse), cmocka_unit_test(test_fault_injection),
        cmocka_unit_test(test_float_deterministic),  cmocka_unit_test(test_nan_and_zeros),
        cmocka_unit_test(test_nan_in_segments),      cmocka_unit_test(test_own_scratch),
    };
    return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
