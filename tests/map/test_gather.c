/* test_gather.c - gp_gather, gp_scatter and gp_unpack against plain loops. */
#include "../support/keys.h"

static const size_t sizes[] = {0, 1, 2, 127, 128, 129, 255, 1023, 1025, 4096, 4097, 49159, (1 << 20) + 123};
enum { SIZES = sizeof sizes / sizeof *sizes };

typedef enum pattern { PERMUTED, IN_ORDER, ONE_INDEX, SOME_OUT_OF_RANGE, ALL_OUT_OF_RANGE, PATTERNS } pattern;

/* A call to check. */
typedef struct gather_case {
    size_t size, count, limit;
    gp_type index_type;
    pattern pattern;
    bool scatter;
    size_t offset; /* elements; each buffer's is another one */
} gather_case;

static unsigned char *random_bytes(size_t size)
{
    unsigned char *bytes = malloc(size + 1);
    size_t i;
    assert_non_null(bytes);
    for (i = 0; i < size; i++) bytes[i] = (unsigned char)(test_random() >> 11);
    return bytes;
}

/* Index i; a permutation where count is `limit`. */
static uint64_t make_index(const gather_case *c, size_t i)
{
    const uint64_t far = c->index_type == GP_U64 && i % 2 ? (uint64_t)1 << 40 : 0;
    switch (c->pattern) {
    case PERMUTED: return c->limit ? (i * 7919 + 3) % c->limit : 0; /* a prime that divides no limit */
    case ONE_INDEX: return c->limit / 2;
    case SOME_OUT_OF_RANGE: return i % 3 == 1 ? c->limit + far + i % 7 : i;
    case ALL_OUT_OF_RANGE: return c->limit + far + i % 4;
    default: return i;
    }
}

static unsigned char *make_indices(const gather_case *c)
{
    const size_t size = key_size(c->index_type);
    unsigned char *indices = malloc(c->count * size + 1);
    size_t i;
    assert_non_null(indices);
    for (i = 0; i < c->count; i++) {
        const uint64_t x = make_index(c, i);
        memcpy(indices + i * size, &x, size);
    }
    return indices;
}

/* What comes of `out`, poisoned before; how many are skipped. With one index for all, a scatter keeps any:
   all elements are the same then. */
static uint64_t expect(const gather_case *c, const unsigned char *in, const unsigned char *indices,
                       unsigned char *out)
{
    uint64_t skipped = 0;
    size_t i;
    memset(out, TEST_POISON, (c->scatter ? c->limit : c->count) * c->size);
    for (i = 0; i < c->count; i++) {
        const uint64_t at = key_load(indices, i, key_size(c->index_type));
        if (at >= c->limit) skipped++;
        else if (c->scatter) memcpy(out + at * c->size, in + i * c->size, c->size);
        else memcpy(out + i * c->size, in + at * c->size, c->size);
    }
    return skipped;
}

static void check(gp_context *gp, const char *name, const gather_case *c)
{
    const size_t ins = c->scatter ? c->count : c->limit, outs = c->scatter ? c->limit : c->count;
    unsigned char *in = random_bytes(ins * c->size), *indices = make_indices(c);
    unsigned char *expected = malloc(outs * c->size + 1);
    const uint64_t before = test_profile_of(gp).skipped;
    gp_gather_desc d = {0};
    const char *wrong;
    uint64_t skipped;
    size_t at = 0;
    assert_non_null(expected);
    if (c->pattern == ONE_INDEX) memset(in, 7, ins * c->size);
    skipped = expect(c, in, indices, expected);
    d.element_size = c->size;
    d.index_type = c->index_type;
    d.limit = c->limit;
    d.count = c->count;
    d.in_offset = c->offset;
    d.indices_offset = 2 * c->offset;
    d.out_offset = 3 * c->offset;
    d.in = guarded(gp, d.in_offset, ins, c->size, in);
    d.indices = guarded(gp, d.indices_offset, c->count, key_size(c->index_type), indices);
    d.out = guarded(gp, d.out_offset, outs, c->size, NULL);
    assert_gp(gp, c->scatter ? gp_scatter(gp, &d) : gp_gather(gp, &d));
    wrong = guarded_difference(gp, d.out, d.out_offset, outs, c->size, expected, &at);
    if (wrong) {
        fail_msg("%s: scatter %d, %zu elements of %zu bytes, limit %zu, pattern %d: %s %zu", name, c->scatter,
                 c->count, c->size, c->limit, (int)c->pattern, wrong, at);
    }
    assert_int_equal(test_profile_of(gp).skipped - before, skipped);
    clReleaseMemObject(d.in);
    clReleaseMemObject(d.indices);
    clReleaseMemObject(d.out);
    free(in);
    free(indices);
    free(expected);
}

static void test_sizes(void **state)
{
    size_t v, k;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (k = 0; k < SIZES && sizes[k] <= (test_small() ? 1025u : v ? 49159u : SIZE_MAX); k++) {
            gather_case c = {4, sizes[k], sizes[k], GP_U32, PERMUTED, false, k % 3};
            check(gp, test_shapes[v].name, &c);
            c.scatter = true;
            check(gp, test_shapes[v].name, &c);
        }
        gp_context_destroy(gp);
    }
}

/* Patterns; more and fewer elements than indices, and none at all. */
static void test_patterns(void **state)
{
    static const size_t limits[] = {3001, 100, 9973, 0};
    size_t v, k;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (k = 0; k < PATTERNS * 4 * 2; k++) {
            gather_case c = {
                4, test_small() ? 301 : 3001, limits[k / 2 % 4], GP_U32, (pattern)(k / 8), k % 2 != 0, 1};
            if (c.scatter && c.limit == 100 && c.pattern == PERMUTED) continue; /* equal indices */
            check(gp, test_shapes[v].name, &c);
        }
        gp_context_destroy(gp);
    }
}

/* Elements of every size, indices of 64 bits. */
static void test_element_sizes(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t size, k;
    (void)state;
    for (size = 1; size <= 16; size *= 2) {
        for (k = 0; k < 4; k++) {
            const gather_case c = {
                size, 2003, 1009, GP_U64, k < 2 ? SOME_OUT_OF_RANGE : ALL_OUT_OF_RANGE, k % 2 != 0, size};
            check(gp, "sizes", &c);
        }
    }
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ unpack */

enum { NO_FLAG, ALL_FLAGS, HALF_THE_FLAGS, FEW_FLAGS, FLAG_PATTERNS };

static void check_unpack(gp_context *gp, const char *name, size_t size, gp_type flag_type, size_t n,
                         int pattern, size_t missing, bool own_scratch)
{
    const size_t flag_size = key_size(flag_type);
    unsigned char *flags = calloc(n + 1, flag_size), *expected = malloc(n * size + 1),
                  *in = random_bytes(n * size);
    const uint64_t before = test_profile_of(gp).skipped;
    gp_unpack_desc d = {0};
    size_t i, set = 0, taken = 0, bytes = 0, at = 0;
    const char *wrong;
    assert_non_null(flags);
    assert_non_null(expected);
    memset(expected, TEST_POISON, n * size);
    for (i = 0; i < n; i++) {
        const bool flag = pattern == ALL_FLAGS || (pattern == HALF_THE_FLAGS && test_random() & 256) ||
                          (pattern == FEW_FLAGS && test_random() % 100 == 0);
        flags[i * flag_size + flag_size / 2] = flag ? 0x40 : 0; /* any bit */
        set += flag;
    }
    d.in_count = set > missing ? set - missing : 0;
    for (i = 0; i < n; i++) {
        if (!flags[i * flag_size + flag_size / 2]) continue;
        if (taken < d.in_count) memcpy(expected + i * size, in + taken * size, size);
        taken++;
    }
    d.element_size = size;
    d.flags_type = flag_type == GP_U8 ? GP_TYPE_NONE : flag_type;
    d.count = n;
    d.in_offset = 1;
    d.flags_offset = 2;
    d.out_offset = 3;
    d.in = guarded(gp, 1, d.in_count, size, in);
    d.flags = guarded(gp, 2, n, flag_size, flags);
    d.out = guarded(gp, 3, n, size, NULL);
    assert_gp(gp, gp_unpack_scratch_size(gp, &d, &bytes));
    if (own_scratch && bytes) d.scratch = test_buffer(gp, bytes, NULL);
    assert_gp(gp, gp_unpack(gp, &d));
    wrong = guarded_difference(gp, d.out, 3, n, size, expected, &at);
    if (wrong)
        fail_msg("%s: unpack, %zu elements of %zu bytes, flags %d: %s %zu", name, n, size, pattern, wrong,
                 at);
    assert_int_equal(test_profile_of(gp).skipped - before, set - d.in_count);
    clReleaseMemObject(d.in);
    clReleaseMemObject(d.flags);
    clReleaseMemObject(d.out);
    if (d.scratch) clReleaseMemObject(d.scratch);
    free(flags);
    free(expected);
    free(in);
}

static void test_unpack(void **state)
{
    size_t v, k;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (k = 0; k < SIZES && sizes[k] <= (test_small() ? 1025u : v ? 49159u : SIZE_MAX); k++)
            check_unpack(gp, test_shapes[v].name, 4, GP_U8, sizes[k], (int)(k % FLAG_PATTERNS), k % 2 * 5,
                         k % 3 == 0);
        for (k = 0; k < FLAG_PATTERNS && v == 0; k++)
            check_unpack(gp, "flags", 16, GP_U32, 3001, (int)k, 0, true);
        gp_context_destroy(gp);
    }
}

/* ------------------------------------------------------------------ counts, bad input, warm-up */

static void test_count_on_device(void **state)
{
    static const uint32_t counts[] = {0, 1, 500, 2000};
    enum { BOUND = 1000 };
    gp_context *gp = test_open(&test_shapes[0], NULL);
    uint32_t in[BOUND], indices[BOUND], expected[BOUND];
    size_t k, i, at = 0;
    (void)state;
    for (i = 0; i < BOUND; i++) in[i] = test_random(), indices[i] = (uint32_t)(i * 7 % BOUND);
    for (k = 0; k < 4; k++) {
        gp_gather_desc d = {0};
        d.element_size = 4;
        d.limit = d.count = BOUND;
        d.in = test_buffer(gp, sizeof in, in);
        d.indices = test_buffer(gp, sizeof indices, indices);
        d.out = guarded(gp, 0, BOUND, 4, NULL);
        d.count_buffer = test_buffer(gp, sizeof counts, counts);
        d.count_offset = k;
        d.count_type = GP_U32;
        for (i = 0; i < BOUND; i++) expected[i] = i < counts[k] ? in[indices[i]] : 0xa5a5a5a5u;
        assert_gp(gp, gp_gather(gp, &d));
        assert_null(guarded_difference(gp, d.out, 0, BOUND, 4, expected, &at));
        clReleaseMemObject(d.in);
        clReleaseMemObject(d.indices);
        clReleaseMemObject(d.out);
        clReleaseMemObject(d.count_buffer);
    }
    assert_int_equal(test_profile_of(gp).clamped, 1);
    gp_context_destroy(gp);
}

#define REFUSED(call, change, result, text) \
    d = good;                               \
    change;                                 \
    assert_gp_fails(gp, call(gp, &d), result, text)

static void test_bad_input(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    cl_mem a = test_buffer(gp, 4000, NULL), b = test_buffer(gp, 4000, NULL), c = test_buffer(gp, 4000, NULL);
    (void)state;
    {
        gp_gather_desc good = {0}, d;
        good.in = a;
        good.indices = b;
        good.out = c;
        good.element_size = 4;
        good.limit = good.count = 900;
        REFUSED(gp_gather, d.element_size = 3, GP_ERROR_INVALID_ARGUMENT, "gp_gather: element_size = 3");
        REFUSED(gp_scatter, d.element_size = 32, GP_ERROR_INVALID_ARGUMENT, "gp_scatter: element_size = 32");
        REFUSED(gp_gather, d.index_type = GP_I32, GP_ERROR_INVALID_TYPE, "index_type = 5");
        REFUSED(gp_gather, d.in = NULL, GP_ERROR_INVALID_BUFFER, "in is NULL");
        REFUSED(gp_gather, d.indices = NULL, GP_ERROR_INVALID_BUFFER, "indices is NULL");
        REFUSED(gp_gather, d.out = NULL, GP_ERROR_INVALID_BUFFER, "out is NULL");
        REFUSED(gp_gather, d.limit = 1001, GP_ERROR_INVALID_BUFFER, "in has");
        REFUSED(gp_scatter, d.limit = 1001, GP_ERROR_INVALID_BUFFER, "out has");
        REFUSED(gp_gather, d.index_type = GP_U64, GP_ERROR_INVALID_BUFFER, "indices has");
        REFUSED(gp_gather, d.out = a, GP_ERROR_OVERLAP, "in is bytes");
        REFUSED(gp_scatter, d.out = b, GP_ERROR_OVERLAP, "indices is bytes");
        REFUSED(gp_gather, (d.count_buffer = b, d.count_type = GP_I32), GP_ERROR_INVALID_TYPE,
                "count_type = 5");
        REFUSED(gp_gather, d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
        assert_gp_fails(NULL, gp_gather(NULL, &good), GP_ERROR_INVALID_ARGUMENT, "NULL");
        assert_gp_fails(gp, gp_scatter(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "gp_scatter");
    }
    {
        gp_unpack_desc good = {0}, d;
        good.in = a;
        good.flags = b;
        good.out = c;
        good.element_size = 4;
        good.in_count = good.count = 900;
        REFUSED(gp_unpack, d.element_size = 0, GP_ERROR_INVALID_ARGUMENT, "gp_unpack: element_size = 0");
        REFUSED(gp_unpack, d.flags_type = (gp_type)77, GP_ERROR_INVALID_TYPE, "flags_type = 77");
        REFUSED(gp_unpack, d.flags = NULL, GP_ERROR_INVALID_BUFFER, "flags is NULL");
        REFUSED(gp_unpack, d.in_count = 1001, GP_ERROR_INVALID_BUFFER, "in has");
        REFUSED(gp_unpack, d.out = b, GP_ERROR_OVERLAP, "flags is bytes");
        REFUSED(gp_unpack, d.scratch = a, GP_ERROR_OVERLAP, "scratch");
        assert_gp_fails(gp, gp_unpack(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
        assert_gp_fails(gp, gp_unpack_scratch_size(gp, &good, NULL), GP_ERROR_INVALID_ARGUMENT,
                        "bytes is NULL");
    }
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(c);
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    const gather_case c = {4, 300, 300, GP_U32, PERMUTED, false, 1};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_gather_desc gather = {0};
    gp_unpack_desc unpack = {0};
    gp_warmup_desc warm = {0};
    uint64_t built;
    (void)state;
    gather.element_size = unpack.element_size = 4;
    warm.gather = &gather;
    warm.unpack = &unpack;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    assert_int_equal(built, 3); /* gather, the scan of flags, unpack */
    check(gp, "warmed", &c);
    check_unpack(gp, "warmed", 4, GP_U8, 3000, HALF_THE_FLAGS, 0, false);
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),           cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_element_sizes),   cmocka_unit_test(test_unpack),
        cmocka_unit_test(test_count_on_device), cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_warmup),
    };
    return cmocka_run_group_tests_name("gather", tests, NULL, NULL);
}
