/* test_sort_grid.c - gp_sort against a stable sort on the host: all types, both orders, all windows of bits
   between 0, 1/3, 3/4 and all of the key, all entropies, in whole tiles and less.

   Windows and orders are arguments of the kernels, so that the grid builds few programs: those of
   test_sort.c. */
#include "../support/patterns.h"

/* Values are the indices, as far as they fit: they show whether a sort is stable. */
typedef struct grid_type {
    gp_type type;
    size_t value_size;
    bool dear_too; /* also where builds are dear */
} grid_type;

static const grid_type grid_types[] = {
    {GP_U32, 4, true},  {GP_F32, 0, true},  {GP_U64, 8, true},   {GP_U8, 1, true},
    {GP_I16, 2, true},  {GP_F16, 2, true},  {GP_F64, 16, true},  {GP_I8, 2, false},
    {GP_U16, 4, false}, {GP_I32, 4, false}, {GP_I64, 16, false}, {GP_F32, 4, false},
};
enum { GRID_TYPES = sizeof grid_types / sizeof *grid_types, ENTROPIES = 5 };

/* A sort of the grid, and its input on the device. */
typedef struct grid_case {
    const char *name;
    grid_type type;
    size_t count;
    unsigned words; /* of entropy */
    const unsigned char *keys, *values;
    cl_mem key_buffer, value_buffer;
    uint32_t begin, end;
    bool descending;
} grid_case;

static void compare(const grid_case *c, const char *what, const unsigned char *out, size_t size,
                    const unsigned char *from, const key_entry *e)
{
    size_t i;
    for (i = 0; i < c->count; i++) {
        if (memcmp(out + i * size, from + e[i].index * size, size) == 0) continue;
        fail_msg(
            "%s: type %d, values of %zu, count %zu, %u words, bits %u..%u, descending %d: %s[%zu] is wrong",
            c->name, (int)c->type.type, c->type.value_size, c->count, c->words, c->begin, c->end,
            c->descending, what, i);
    }
    for (i = c->count * size; i < (c->count + GUARD) * size; i++) assert_int_equal(out[i], TEST_POISON);
}

static void check(gp_context *gp, const grid_case *c)
{
    const size_t size = key_size(c->type.type), vs = c->type.value_size;
    key_entry *e = keys_sorted(c->type.type, c->descending, c->begin, c->end, c->keys, c->count);
    unsigned char *out;
    gp_sort_desc d = {0};
    d.keys = c->key_buffer;
    d.keys_out = guarded(gp, 0, c->count, size, NULL);
    d.count = c->count;
    d.key_type = c->type.type;
    d.value_size = vs;
    d.begin_bit = c->begin;
    d.end_bit = c->end;
    d.descending = c->descending;
    if (vs) d.values = c->value_buffer;
    if (vs) d.values_out = guarded(gp, 0, c->count, vs, NULL);
    assert_gp(gp, gp_sort(gp, &d));
    out = test_read(gp, d.keys_out, (c->count + GUARD) * size);
    compare(c, "keys_out", out, size, c->keys, e);
    free(out);
    if (vs) {
        out = test_read(gp, d.values_out, (c->count + GUARD) * vs);
        compare(c, "values_out", out, vs, c->values, e);
        free(out);
        clReleaseMemObject(d.values_out);
    }
    clReleaseMemObject(d.keys_out);
    free(e);
}

/* All windows and orders of one input; under a simulator each window in one order only. */
static void check_windows(gp_context *gp, grid_case c)
{
    const uint32_t width = 8 * (uint32_t)key_size(c.type.type);
    const uint32_t marks[] = {0, width / 3, 3 * width / 4, width};
    size_t b, e, order;
    for (b = 0; b < 4; b++) {
        for (e = b; e < 4; e++) {
            c.begin = marks[b];
            c.end = marks[e];
            if (c.end == 0) continue; /* means all bits, as the last window does */
            for (order = 0; order < 2; order++) {
                if (test_small() && (b + e + c.words) % 2 != order) continue;
                c.descending = order != 0;
                check(gp, &c);
            }
        }
    }
}

/* All entropies of a type at one size. */
static void check_entropies(gp_context *gp, const char *name, grid_type type, size_t count)
{
    grid_case c = {0};
    unsigned char *values = calloc(count * (type.value_size ? type.value_size : 1) + 1, 1);
    size_t i;
    assert_non_null(values);
    for (i = 0; i < count; i++) {
        const size_t fits = type.value_size < sizeof i ? type.value_size : sizeof i;
        memcpy(values + i * type.value_size, &i, fits);
    }
    c.name = name;
    c.type = type;
    c.count = count;
    c.values = values;
    c.value_buffer = test_buffer(gp, count * (type.value_size ? type.value_size : 1), values);
    for (c.words = 0; c.words < ENTROPIES; c.words += test_small() ? 2 : 1) {
        unsigned char *keys = keys_make_and(type.type, c.words, count);
        c.keys = keys;
        c.key_buffer = test_buffer(gp, count * key_size(type.type), keys);
        check_windows(gp, c);
        clReleaseMemObject(c.key_buffer);
        free(keys);
    }
    clReleaseMemObject(c.value_buffer);
    free(values);
}

/* NULL: the device cannot. */
static gp_context *open_with(gp_shape shape, gp_strategy strategy)
{
    gp_context_desc desc = {0};
    desc.strategy = strategy;
    desc.tuning.shape = shape;
    if (shape == GP_SHAPE_SERIAL) desc.tuning.tile = test_small() ? 256 : 1024;
    return test_open_if(&desc);
}

static void check_grid(const char *name, gp_shape shape, gp_strategy strategy, bool whole)
{
    static const size_t sizes[] = {1, 777, 5003}, small_sizes[] = {33, 611};
    const size_t *list = test_small() ? small_sizes : sizes;
    const size_t n = test_small() ? 2 : 3;
    gp_context *gp = open_with(shape, strategy);
    size_t t, i;
    if (!gp) return;
    for (t = 0; t < GRID_TYPES; t++) {
        if (!grid_types[t].dear_too && !test_builds_are_cheap(gp)) continue;
        if (!whole && t > 1) continue;
        if (test_small() && t % 3 != 0) continue;
        for (i = whole ? 0 : n - 1; i < n; i++) check_entropies(gp, name, grid_types[t], list[i]);
    }
    gp_context_destroy(gp);
}

/* Several tiles: of PoCL's own shape with short ones; of the local shape where that is the device's. */
static void test_classic(void **state)
{
    (void)state;
    check_grid("serial, classic", GP_SHAPE_SERIAL, GP_STRATEGY_MULTI_PASS, true);
}

static void test_onesweep(void **state)
{
    (void)state;
    check_grid("serial, onesweep", GP_SHAPE_SERIAL, GP_STRATEGY_SINGLE_PASS, false);
}

static void test_default(void **state)
{
    gp_context *gp = open_with(GP_SHAPE_AUTO, GP_STRATEGY_AUTO);
    const bool cheap = test_builds_are_cheap(gp);
    (void)state;
    gp_context_destroy(gp);
    if (cheap && !test_small()) check_grid("default", GP_SHAPE_AUTO, GP_STRATEGY_AUTO, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classic),
        cmocka_unit_test(test_onesweep),
        cmocka_unit_test(test_default),
    };
    return cmocka_run_group_tests_name("sort_grid", tests, NULL, NULL);
}
