/* test_tree.c - gp_tree against plain loops. */
#include "../support/brackets.h"
#include "../support/keys.h"

/* ------------------------------------------------------------------ reference, check */

typedef struct tree_reference {
    uint64_t *index, *children, *end;
} tree_reference;

/* counts: which elements count; NULL: all. */
static tree_reference reference_make(const uint64_t *parent, const unsigned char *counts, size_t n)
{
    tree_reference r;
    uint64_t roots = 0, *open = malloc((n + 1) * sizeof *open);
    size_t i, height = 0;
    r.index = calloc(n + 1, 8);
    r.children = calloc(n + 1, 8);
    r.end = calloc(n + 1, 8);
    assert_true(open && r.index && r.children && r.end);
    for (i = 0; i < n; i++) {
        uint64_t *of = parent[i] < i ? &r.children[parent[i]] : &roots;
        const uint64_t p = parent[i] < i ? parent[i] + 1 : 0;
        r.index[i] = *of;
        *of += counts ? counts[i] != 0 : 1;
        while (height > 0 && open[height - 1] >= p) r.end[open[--height]] = i;
        open[height++] = i;
    }
    while (height > 0) r.end[open[--height]] = n;
    free(open);
    return r;
}

static void narrow(void *out, const uint64_t *in, size_t n, size_t size)
{
    size_t i;
    for (i = 0; i < n; i++) memcpy((char *)out + i * size, &in[i], size);
}

static void compare(gp_context *gp, const char *what, cl_mem out, size_t offset, const uint64_t *expected,
                    size_t n, size_t bound, size_t size)
{
    void *narrowed = malloc((n + 1) * size);
    const char *difference;
    size_t at;
    if (!out) {
        free(narrowed);
        return;
    }
    assert_non_null(narrowed);
    narrow(narrowed, expected, n, size);
    difference = guarded_difference(gp, out, offset, n, size, narrowed, &at);
    if (difference && !(n < bound && strcmp(difference, "behind") == 0))
        fail_msg("%s of %zu: %s %zu", what, n, difference, at);
    free(narrowed);
    clReleaseMemObject(out);
}

/* `outputs`: which ones are wanted, a bit each. n: how many there really are. */
static void check_parents(gp_context *gp, gp_tree_desc desc, const uint64_t *parent,
                          const unsigned char *counts, size_t n, unsigned outputs)
{
    const size_t bound = desc.count, size = desc.index_type == GP_U64 ? 8 : 4;
    tree_reference r = reference_make(parent, counts, n);
    void *narrowed = malloc((bound + 1) * size);
    assert_non_null(narrowed);
    narrow(narrowed, parent, bound, size);
    desc.parent = guarded(gp, desc.parent_offset, bound, size, narrowed);
    if (counts) desc.in = guarded(gp, desc.in_offset, bound, 1, counts);
    if (outputs & 1) desc.index = guarded(gp, desc.index_offset, bound, size, NULL);
    if (outputs & 2) desc.children = guarded(gp, desc.children_offset, bound, size, NULL);
    if (outputs & 4) desc.end = guarded(gp, desc.end_offset, bound, size, NULL);
    assert_gp(gp, gp_tree(gp, &desc));
    compare(gp, "index", desc.index, desc.index_offset, r.index, n, bound, size);
    compare(gp, "children", desc.children, desc.children_offset, r.children, n, bound, size);
    compare(gp, "end", desc.end, desc.end_offset, r.end, n, bound, size);
    clReleaseMemObject(desc.parent);
    if (desc.in) clReleaseMemObject(desc.in);
    free(narrowed);
    free(r.index);
    free(r.children);
    free(r.end);
}

/* Parents as gp_brackets writes them. */
static uint64_t *parents_of(size_t n, nest_pattern p)
{
    unsigned char *text = malloc(n + 1);
    nest_reference *r;
    uint64_t *parent = malloc((n + 1) * sizeof *parent);
    int *code;
    assert_true(text && parent);
    nest_fill(text, n, p);
    code = nest_codes(text, n, "()[]{}");
    r = nest_reference_make(code, n);
    memcpy(parent, r->parent, n * sizeof *parent);
    nest_reference_free(r);
    free(code);
    free(text);
    return parent;
}

static void check(gp_context *gp, size_t n, nest_pattern p)
{
    gp_tree_desc desc = {0};
    uint64_t *parent = parents_of(n, p);
    desc.count = n;
    check_parents(gp, desc, parent, NULL, n, 7);
    free(parent);
}

/* ------------------------------------------------------------------ tests */

static const size_t sizes[] = {0,  1,  2,   3,    4,    5,    7,    16,    17,    31,    32,    33,
                               64, 65, 257, 1025, 2049, 4097, 8191, 16384, 16385, 40009, 104729};
static const size_t small_sizes[] = {0, 1, 5, 33, 257, 700};

static void test_every_variant(void **state)
{
    size_t v, k, p;
    (void)state;
    for (v = 0; v < NEST_VARIANTS; v++) {
        gp_context *gp = nest_open(v);
        const size_t *list = test_small() ? small_sizes : sizes;
        const size_t count = test_small() ? sizeof small_sizes / sizeof *sizes : sizeof sizes / sizeof *sizes;
        if (!gp) continue;
        for (k = 0; k < count; k++) {
            for (p = 0; p < NEST_PATTERNS; p++)
                if (list[k] < 70 || (k + p) % 3 == 0) check(gp, list[k], (nest_pattern)p);
        }
        gp_context_destroy(gp);
    }
}

static void test_large(void **state)
{
    size_t v, p;
    (void)state;
    if (test_small()) return;
    for (v = 0; v < 4; v++) {
        gp_context *gp = nest_open(v);
        if (!gp || v == 2 || (v > 0 && test_builds_are_cheap(gp))) {
            gp_context_destroy(gp);
            continue;
        }
        for (p = 0; p < NEST_PATTERNS; p += v ? 2 : 1) check(gp, (1 << 20) + 123, (nest_pattern)p);
        gp_context_destroy(gp);
    }
}

/* A tree of nodes alone, no brackets: the parent of each is the one before it or one of that one's ancestors. */
static uint64_t *random_tree(size_t n, uint32_t up)
{
    uint64_t *parent = malloc((n + 1) * sizeof *parent);
    size_t i;
    assert_non_null(parent);
    for (i = 0; i < n; i++) {
        uint64_t p = i > 0 ? i - 1 : UINT64_MAX;
        while (p != UINT64_MAX && test_random() >> 8 & up) p = parent[p];
        parent[i] = p;
    }
    return parent;
}

/* Any outputs, odd offsets, wide indices, and elements that do not count. */
static void test_descs(void **state)
{
    static const char *const maps[] = {NULL, "x < 0 ? -3 : x", "x == 0 ? 0 : 100 % x + 1",
                                       "i > 9 ? x : x != 0"};
    const size_t n = test_small() ? 333 : 20011;
    unsigned char *counts = malloc(n);
    size_t v, i;
    (void)state;
    assert_non_null(counts);
    for (v = 0; v < 4; v += 3) {
        gp_context *gp = nest_open(v);
        const bool dear = v == 3 && !test_builds_are_cheap(gp);
        for (i = 0; i < 8; i++) {
            uint64_t *parent = i < 4 ? random_tree(n, i % 2 ? 1 : 3) : parents_of(n, NEST_TEXT);
            gp_tree_desc desc = {0};
            size_t k;
            desc.count = n;
            desc.parent_offset = i;
            desc.index_offset = 2 * i + 1;
            desc.children_offset = 3 * i;
            desc.end_offset = 5 * i;
            desc.in_offset = 7;
            check_parents(gp, desc, parent, NULL, n, i > 0 ? (unsigned)i : 7);
            for (k = 0; k < n; k++)
                counts[k] = test_random() >> 9 & 1 ? 0 : (unsigned char)(test_random() >> 9);
            desc.type = i % 4 == 1 ? GP_I8 : GP_U8;
            desc.map = maps[i % 4];
            if (!dear || i < 4) check_parents(gp, desc, parent, counts, n, 7);
            desc.type = GP_TYPE_NONE;
            desc.map = NULL;
            desc.index_type = GP_U64;
            if (!dear) check_parents(gp, desc, parent, NULL, n, 7);
            free(parent);
        }
        gp_context_destroy(gp);
    }
    free(counts);
}

/* Positions in lists: commas counted by a map. */
static void test_map(void **state)
{
    static const char text[] = "[10,[2,3],{a,b,c},[],[[,],,]],x";
    static const uint32_t expected[] = {0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 2, 0, 0, 1, 1, 2,
                                        2, 2, 3, 0, 3, 4, 0, 0, 1, 0, 1, 2, 4, 0, 1};
    const size_t n = sizeof text - 1;
    gp_context *gp = nest_open(1);
    gp_brackets_desc nest = {0};
    gp_tree_desc tree = {0};
    uint32_t *index;
    size_t i;
    (void)state;
    if (!gp) return;
    nest.in = tree.in = test_buffer(gp, n, text);
    nest.parent = tree.parent = test_buffer(gp, n * 4, NULL);
    tree.index = test_buffer(gp, n * 4, NULL);
    nest.count = tree.count = n;
    nest.type = tree.type = GP_U8;
    tree.map = "x == ',' // commas";
    assert_gp(gp, gp_brackets(gp, &nest));
    assert_gp(gp, gp_tree(gp, &tree));
    index = test_read(gp, tree.index, n * 4);
    for (i = 0; i < n; i++)
        if (index[i] != expected[i]) fail_msg("%s: index[%zu] is %u", text, i, index[i]);
    free(index);
    clReleaseMemObject(tree.in);
    clReleaseMemObject(tree.parent);
    clReleaseMemObject(tree.index);
    gp_context_destroy(gp);
}

/* Parents of no nest: any result, but inside the buffers, and in time. Several items may then write the same
   number of children, which the simulator takes for a mistake. */
static void test_malformed(void **state)
{
    const size_t n = test_small() ? 333 : 20011;
    uint32_t *parent = malloc(n * 4);
    size_t v, i, k;
    (void)state;
    assert_non_null(parent);
    for (v = 0; v < 4; v += 3) {
        gp_context *gp = nest_open(v);
        for (k = 0; k < 4; k++) {
            gp_tree_desc desc = {0};
            unsigned char *out;
            for (i = 0; i < n; i++)
                parent[i] = k == 0 ? (uint32_t)i : test_random() % (k == 1 ? UINT32_MAX : n);
            for (i = 1; i < n && k == 3; i++) parent[i] = test_random() % (uint32_t)i;
            desc.count = n;
            desc.parent = test_buffer(gp, n * 4, parent);
            desc.index = guarded(gp, 0, n, 4, NULL);
            desc.end = guarded(gp, 0, n, 4, NULL);
            if (!test_small()) desc.children = guarded(gp, 0, n, 4, NULL);
            assert_gp(gp, gp_tree(gp, &desc));
            for (i = 0; i < 3; i++) {
                const cl_mem buffers[3] = {desc.index, desc.children, desc.end};
                size_t at;
                if (!buffers[i]) continue;
                out = test_read(gp, buffers[i], (n + GUARD) * 4);
                for (at = n * 4; at < (n + GUARD) * 4; at++) assert_int_equal(out[at], TEST_POISON);
                free(out);
                clReleaseMemObject(buffers[i]);
            }
            clReleaseMemObject(desc.parent);
        }
        gp_context_destroy(gp);
    }
    free(parent);
}

static void test_count_on_device_and_scratch(void **state)
{
    static const uint32_t counts[] = {0, 1, 700, 19999, 30000};
    const size_t bound = test_small() ? 2000 : 20000;
    size_t v, k, bytes;
    (void)state;
    for (v = 0; v < 4; v += 3) {
        gp_context *gp = nest_open(v);
        uint64_t *parent = parents_of(bound, NEST_BROKEN);
        for (k = 0; k < sizeof counts / sizeof *counts; k++) {
            const uint32_t wanted = test_small() ? counts[k] / 10 : counts[k];
            gp_tree_desc desc = {0};
            desc.count = bound;
            desc.count_buffer = test_buffer(gp, 4, &wanted);
            desc.count_type = GP_U32;
            assert_gp(gp, gp_tree_scratch_size(gp, &desc, &bytes));
            desc.scratch = test_buffer(gp, bytes, NULL);
            check_parents(gp, desc, parent, NULL, wanted < bound ? wanted : bound, 7);
            clReleaseMemObject(desc.count_buffer);
            clReleaseMemObject(desc.scratch);
        }
        assert_true(test_profile_of(gp).clamped > 0);
        assert_int_equal(test_profile_of(gp).scratch_bytes, 0);
        free(parent);
        gp_context_destroy(gp);
    }
}

static void test_bad_input(void **state)
{
    gp_context *gp = nest_open(0);
    gp_tree_desc good = {0}, d;
    size_t bytes;
    (void)state;
    good.count = 1000;
    good.parent = test_buffer(gp, 4000, NULL);
    good.index = test_buffer(gp, 4000, NULL);
    good.end = test_buffer(gp, 4000, NULL);
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_tree(gp, &d), result, text)
    REFUSED(d.index_type = GP_I32, GP_ERROR_INVALID_TYPE, "index_type = 5");
    REFUSED(d.count = (size_t)UINT32_MAX + 1, GP_ERROR_COUNT_LIMIT, "GP_U64");
    REFUSED(d.type = GP_F32, GP_ERROR_INVALID_TYPE, "type = 9");
    REFUSED(d.in = d.parent, GP_ERROR_INVALID_TYPE, "type is 0");
    REFUSED(d.map = "x", GP_ERROR_INVALID_TYPE, "type is 0");
    REFUSED((d.type = GP_U8, d.map = " "), GP_ERROR_INVALID_ARGUMENT, "map is empty");
    REFUSED(d.type = GP_U8, GP_ERROR_INVALID_BUFFER, "in is NULL");
    REFUSED(d.parent = NULL, GP_ERROR_INVALID_BUFFER, "parent is NULL");
    REFUSED(d.index_type = GP_U64, GP_ERROR_INVALID_BUFFER, "parent has");
    REFUSED(d.end_offset = 1, GP_ERROR_INVALID_BUFFER, "end has");
    REFUSED(d.end = d.index, GP_ERROR_OVERLAP, "index is bytes");
    REFUSED(d.end = d.parent, GP_ERROR_OVERLAP, "parent is bytes");
    REFUSED((d.count = 100, d.scratch = d.parent), GP_ERROR_OVERLAP, "scratch");
    REFUSED((d.count_buffer = d.parent, d.count_type = GP_F32), GP_ERROR_INVALID_TYPE, "count_type");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    assert_gp_fails(NULL, gp_tree(NULL, &good), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_tree(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_tree_scratch_size(gp, NULL, &bytes), GP_ERROR_INVALID_ARGUMENT, "NULL");
    clReleaseMemObject(good.parent);
    clReleaseMemObject(good.index);
    clReleaseMemObject(good.end);
    gp_context_destroy(gp);
}

/* Random sizes in a row; a warmed-up context builds nothing more. */
static void test_many(void **state)
{
    gp_context *gp = nest_open(0);
    gp_tree_desc desc = {0};
    gp_warmup_desc warm = {0};
    uint64_t built;
    size_t i;
    (void)state;
    warm.tree = &desc;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    for (i = 0; i < (test_small() ? 10u : 300u); i++)
        check(gp, test_random() % (test_small() ? 500 : 5000), (nest_pattern)(i % NEST_PATTERNS));
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant), cmocka_unit_test(test_large),
        cmocka_unit_test(test_descs),         cmocka_unit_test(test_map),
        cmocka_unit_test(test_malformed),     cmocka_unit_test(test_count_on_device_and_scratch),
        cmocka_unit_test(test_bad_input),     cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
