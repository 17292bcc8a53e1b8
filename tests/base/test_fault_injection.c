/* test_fault_injection.c - groups that others wait for misbehave (kernels/common/base/fault_injection.cl): the
   result is exact all the same, and every call ends. What hangs is killed by tools/run_test.sh.

   Waiting: the look-back of scans, selections and brackets, in which a late tile is computed by who waits for
   it, and the ring of the onesweep sort, whose passes are abandoned and redone. */
#include "../support/support.h"

/* How one tile in two misbehaves, and how patient the others are. */
typedef struct fault {
    const char *name, *options, *small_options;
    uint32_t polls;
    bool needs_fallback; /* else it depends on timing */
} fault;

static const fault never = {"never", "-DGPI_FAULT=2", "-DGPI_FAULT=2", 1000, true};
static const fault torn = {"torn", "-DGPI_FAULT=2 -DGPI_FAULT_TORN", "-DGPI_FAULT=2 -DGPI_FAULT_TORN", 1000,
                           true};
static const fault torn_word = {"torn", "-DGPI_FAULT=2 -DGPI_FAULT_TORN", /* maybe a state's only one */
                                "-DGPI_FAULT=2 -DGPI_FAULT_TORN", 1000, false};
static const fault late = {"late", "-DGPI_FAULT=2 -DGPI_FAULT_PAUSE=3000",
                           "-DGPI_FAULT=2 -DGPI_FAULT_PAUSE=100", 100, false};
static const fault waited_for = {"late, and waited for", "-DGPI_FAULT=2 -DGPI_FAULT_PAUSE=3000",
                                 "-DGPI_FAULT=2 -DGPI_FAULT_PAUSE=100", 1u << 22, false};
/* More looks than turns of a loop, where the device drops out of loops. */
static const fault never_waited_for = {"never, and waited for", "-DGPI_FAULT=2", "-DGPI_FAULT=2", 1u << 22,
                                       true};
static const fault late_digits = {"late", "-DGPI_FAULT=2 -DGPI_FAULT_PAUSE=20",
                                  "-DGPI_FAULT=2 -DGPI_FAULT_PAUSE=4", 100, false};

typedef struct fault_variant {
    const char *name;
    gp_shape shape;
    gp_words words;
} fault_variant;

static const fault_variant serial_wide = {"serial, wide", GP_SHAPE_SERIAL, GP_WORDS_WIDE};
static const fault_variant serial_narrow = {"serial, narrow", GP_SHAPE_SERIAL, GP_WORDS_NARROW};
static const fault_variant local_wide = {"local, wide", GP_SHAPE_LOCAL, GP_WORDS_WIDE};
static const fault_variant local_narrow = {"local, narrow", GP_SHAPE_LOCAL, GP_WORDS_NARROW};

/* A context whose groups misbehave; NULL where the device has no such variant. Many small tiles, and a ring
   so small that its gate and its tail are waited for. */
static gp_context *open_faulty(const fault_variant *variant, const fault *how)
{
    gp_context_desc desc = {0};
    gp_context *gp = NULL;
    desc.strategy = GP_STRATEGY_SINGLE_PASS;
    desc.build_options = test_small() ? how->small_options : how->options;
    desc.tuning.shape = variant->shape;
    desc.tuning.words = variant->words;
    desc.tuning.polls = how->polls;
    desc.tuning.ring_rows = 8;
    desc.tuning.ring_reach = 3;
    desc.tuning.ring_block = 2;
    if (variant->shape == GP_SHAPE_SERIAL) desc.tuning.tile = 1024;
    gp = test_open_if(&desc);
    if (!gp) return NULL;
    if (variant->words != GP_WORDS_WIDE || gp_context_info(gp)->int64_base_atomics) return gp;
    gp_context_destroy(gp);
    return NULL;
}

/* ------------------------------------------------------------------ what waits */

typedef struct waiting {
    const char *name;
    size_t size;                                            /* of an element */
    size_t (*make)(void *in, void *expected, size_t count); /* returns how many are expected */
    gp_result (*call)(gp_context *gp, cl_mem in, cl_mem out, size_t count);
    const fault *ways[5];
    bool patient; /* waits without bound in the serial shape: only for what is late */
} waiting;

/* Sums of 64 bits: a state is of several words, in either form. */
static size_t make_scan(void *in_, void *expected_, size_t count)
{
    uint64_t *in = in_, *expected = expected_, sum = 0;
    size_t i;
    for (i = 0; i < count; i++) {
        in[i] = (uint64_t)test_random() << 32 | test_random();
        expected[i] = sum += in[i];
    }
    return count;
}

static gp_result call_scan(gp_context *gp, cl_mem in, cl_mem out, size_t count)
{
    gp_scan_desc desc = {0};
    desc.in = in;
    desc.out = out;
    desc.count = count;
    desc.type = GP_U64;
    desc.op = GP_SUM;
    return gp_scan(gp, &desc);
}

/* Two rows, of many tiles each. */
static size_t make_rows(void *in_, void *expected_, size_t count)
{
    uint64_t *expected = expected_, before;
    size_t i;
    (void)make_scan(in_, expected_, count);
    before = expected[count / 2 - 1];
    for (i = count / 2; i < count; i++) expected[i] -= before;
    return count / 2 * 2;
}

static gp_result call_rows(gp_context *gp, cl_mem in, cl_mem out, size_t count)
{
    gp_segmented_scan_desc desc = {0};
    desc.in = in;
    desc.out = out;
    desc.row_length = count / 2;
    desc.segment_count = 2;
    desc.type = GP_U64;
    desc.op = GP_SUM;
    return gp_segmented_scan(gp, &desc);
}

static size_t make_select(void *in_, void *expected_, size_t count)
{
    uint32_t *in = in_, *expected = expected_;
    size_t i, n = 0;
    for (i = 0; i < count; i++) {
        in[i] = test_random();
        if (in[i] & 1) expected[n++] = in[i];
    }
    return n;
}

static gp_result call_select(gp_context *gp, cl_mem in, cl_mem out, size_t count)
{
    gp_select_desc desc = {0};
    desc.in = in;
    desc.out = out;
    desc.count = count;
    desc.type = GP_U32;
    desc.predicate = "x & 1";
    return gp_select(gp, &desc);
}

/* Keys are what is summed, and change at random. */
static size_t make_by_key(void *in_, void *expected_, size_t count)
{
    uint32_t *in = in_, *expected = expected_;
    size_t i, n = 0;
    for (i = 0; i < count; i++) {
        in[i] = i > 0 && test_random() % 64 ? in[i - 1] : test_random();
        if (i == 0 || in[i] != in[i - 1]) expected[n++] = 0;
        expected[n - 1] += in[i];
    }
    return n;
}

static gp_result call_by_key(gp_context *gp, cl_mem in, cl_mem out, size_t count)
{
    gp_reduce_by_key_desc desc = {0};
    desc.keys = desc.in = in;
    desc.out = out;
    desc.count = count;
    desc.key_type = desc.type = desc.out_type = GP_U32;
    desc.op = GP_SUM;
    return gp_reduce_by_key(gp, &desc);
}

static int compare_keys(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static size_t make_sort(void *in_, void *expected_, size_t count)
{
    uint32_t *in = in_, *expected = expected_;
    size_t i;
    for (i = 0; i < count; i++) in[i] = expected[i] = test_random();
    qsort(expected, count, sizeof *expected, compare_keys);
    return count;
}

static gp_result call_sort(gp_context *gp, cl_mem in, cl_mem out, size_t count)
{
    gp_sort_desc desc = {0};
    desc.keys = in;
    desc.keys_out = out;
    desc.count = count;
    desc.key_type = GP_U32;
    return gp_sort(gp, &desc);
}

/* Codes at random: a nest some hundred deep, over many tiles. */
static size_t make_brackets(void *in_, void *expected_, size_t count)
{
    int32_t *in = in_;
    uint32_t *expected = expected_, *stack = malloc(count * sizeof *stack);
    size_t i, height = 0;
    assert_non_null(stack);
    for (i = 0; i < count; i++) {
        in[i] = (int32_t)(test_random() % 3) - 1;
        expected[i] = UINT32_MAX;
        if (in[i] > 0) stack[height++] = (uint32_t)i;
        if (in[i] >= 0 || height == 0) continue;
        expected[i] = stack[--height];
        expected[stack[height]] = (uint32_t)i;
    }
    free(stack);
    return count;
}

static gp_result call_brackets(gp_context *gp, cl_mem in, cl_mem out, size_t count)
{
    gp_brackets_desc desc = {0};
    desc.in = in;
    desc.match = out;
    desc.count = count;
    desc.type = GP_I32;
    return gp_brackets(gp, &desc);
}

static const waiting scan = {
    "scan", 8, make_scan, call_scan, {&torn, &late, &waited_for, &never, &never_waited_for}, false};
static const waiting rows = {"segmented_scan", 8, make_rows, call_rows, {&torn, &late, &never}, false};
static const waiting select_ = {"select", 4, make_select, call_select, {&torn_word, &late, &never}, false};
static const waiting by_key = {"reduce_by_key", 4, make_by_key, call_by_key, {&torn, &late, &never}, false};
static const waiting sort = {"sort", 4, make_sort, call_sort, {&torn, &late_digits, &never}, false};
static const waiting brackets = {"brackets", 4, make_brackets, call_brackets, {&torn, &late_digits, &never},
                                 true};

/* ------------------------------------------------------------------ check */

static void check_calls(gp_context *gp, const waiting *w, const char *variant, const fault *how, cl_mem in,
                        cl_mem out, size_t count, const void *expected, size_t size)
{
    size_t round, rounds = test_small() ? 1 : 4;
    for (round = 0; round < rounds; round++) {
        void *found;
        assert_gp(gp, w->call(gp, in, out, count));
        found = test_read(gp, out, size);
        if (memcmp(found, expected, size) != 0)
            fail_msg("%s, %s, %s: wrong in round %zu", w->name, variant, how->name, round);
        free(found);
    }
}

static void check(const waiting *w, const fault_variant *variant, const fault *how)
{
    const size_t count = test_small() ? 9001 : 200003;
    gp_context *gp = open_faulty(variant, how);
    gp_stats profile;
    cl_mem in_buffer, out_buffer;
    void *in, *expected;
    bool loops_end;
    size_t n;
    if (!gp) return;
    loops_end =
        gp_context_info(gp)->loop_limit != 0; /* brackets of many tiles are not matched by look-back then */
    if (how == &never_waited_for && !loops_end) {
        gp_context_destroy(gp);
        return;
    }
    in = malloc(count * w->size);
    expected = malloc(count * w->size);
    assert_true(in && expected);
    n = w->make(in, expected, count);
    in_buffer = test_buffer(gp, count * w->size, in);
    out_buffer = test_buffer(gp, count * w->size, NULL);
    check_calls(gp, w, variant->name, how, in_buffer, out_buffer, count, expected, n * w->size);
    profile = test_profile_of(gp);
    assert_int_equal(profile.abandoned, 0);
    if (how->needs_fallback && !(w->patient && loops_end)) assert_true(profile.fallbacks > 0);
    clReleaseMemObject(in_buffer);
    clReleaseMemObject(out_buffer);
    free(in);
    free(expected);
    gp_context_destroy(gp);
}

/* Every program of the local shape costs PoCL seconds. */
static bool builds_are_cheap(void)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    const bool cheap = test_builds_are_cheap(gp);
    gp_context_destroy(gp);
    return cheap;
}

/* In the serial shape, and in the local one where building is cheap. Elsewhere test_scan.c and its like have
   tiles that never publish. */
static void check_all(const waiting *w)
{
    const bool cheap = builds_are_cheap();
    size_t k;
    for (k = 0; k < sizeof w->ways / sizeof *w->ways && w->ways[k]; k++) {
        if (!cheap && (w->ways[k] == &never || w->ways[k] == &never_waited_for)) continue;
        if (!w->patient || w->ways[k] == &late_digits) {
            check(w, &serial_wide, w->ways[k]);
            check(w, &serial_narrow, w->ways[k]);
        }
        if (!cheap) continue;
        check(w, &local_wide, w->ways[k]);
        check(w, &local_narrow, w->ways[k]);
    }
}

static void test_scan(void **state)
{
    (void)state;
    check_all(&scan);
    if (!builds_are_cheap()) check(&scan, &local_narrow, &torn);
}

static void test_rows(void **state)
{
    (void)state;
    check_all(&rows);
}

static void test_select(void **state)
{
    (void)state;
    check_all(&select_);
}

/* In the serial shape it is a selection's look-back that is waited for. */
static void test_by_key(void **state)
{
    (void)state;
    if (builds_are_cheap()) check_all(&by_key);
    check(&by_key, &local_wide, &never);
    check(&by_key, &local_narrow, &torn);
}

static void test_sort(void **state)
{
    (void)state;
    check_all(&sort);
}

static void test_brackets(void **state)
{
    (void)state;
    check_all(&brackets);
    if (!builds_are_cheap()) check(&brackets, &local_narrow, &torn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan),   cmocka_unit_test(test_rows), cmocka_unit_test(test_select),
        cmocka_unit_test(test_by_key), cmocka_unit_test(test_sort), cmocka_unit_test(test_brackets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
