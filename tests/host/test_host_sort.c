/* test_host_sort.c - gp_host_sort and gp_host_argsort against plain C: stable, whatever the keys are, in chunks of many sizes. */
#include "host.h"

static gp_context *gp;

static const size_t budgets[] = {5000, 40000, 0};

typedef enum keys {
    KEYS_RANDOM,
    KEYS_EQUAL,
    KEYS_SORTED,
    KEYS_REVERSED,
    KEYS_FEW,     /* distinct values */
    KEYS_SKEWED,  /* nine of ten have the same high bits */
    KEYS_SPECIAL, /* -1, +-0, NaNs, infinities, extremes */
    KEYS_COUNT
} keys;

typedef struct sort_case {
    gp_type type;
    size_t value_size, count, budget;
    keys keys;
    uint32_t begin_bit, end_bit;
    bool descending, in_place, argsort, no_keys, tmp;
    size_t odd; /* bytes that arrays are off from where elements of their size belong */
} sort_case;

static size_t size_of(gp_type type)
{
    switch (type) {
#define SIZE_CASE(name, value, cl, bytes) \
    case name: return bytes;
        GP_TYPES(SIZE_CASE)
    default: return 0;
    }
}

static bool is_float(gp_type type) { return type == GP_F16 || type == GP_F32 || type == GP_F64; }

static bool is_signed(gp_type type)
{
    return type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64;
}

static uint64_t special(gp_type type, uint32_t random)
{
    static const uint64_t f16[] = {0x0000, 0x8000, 0x7c00, 0xfc00, 0x7e01, 0xfe02, 0x3c00, 0xbc00};
    static const uint64_t f32[] = {0,           0x80000000u, 0x7f800000u, 0xff800000u,
                                   0x7fc00001u, 0xffc00002u, 0x3f800000u, 0xbf800000u};
    static const uint64_t f64[] = {0,
                                   (uint64_t)1 << 63,
                                   (uint64_t)0x7ff00000u << 32,
                                   (uint64_t)0xfff00000u << 32,
                                   ((uint64_t)0x7ff80000u << 32) + 1,
                                   ((uint64_t)0xfff80000u << 32) + 2,
                                   (uint64_t)0x3ff00000u << 32,
                                   (uint64_t)0xbff00000u << 32};
    static const uint64_t whole[] = {0,       1,          ~(uint64_t)0, 0x7fu, 0x80u, (uint64_t)1 << 63,
                                     0x8000u, 0x80000000u};
    const unsigned k = random >> 7 & 7;
    return type == GP_F16 ? f16[k] : type == GP_F32 ? f32[k] : type == GP_F64 ? f64[k] : whole[k];
}

static uint64_t make_key(const sort_case *c, size_t i)
{
    const uint64_t random = (uint64_t)test_random() << 32 | test_random();
    const unsigned bits = (unsigned)(8 * size_of(c->type));
    switch (c->keys) {
    case KEYS_EQUAL: return 0x9e3779b97f4a7c15u;
    case KEYS_SORTED: return i * (bits > 31 ? 977 : 1);
    case KEYS_REVERSED: return (c->count - i) * (bits > 31 ? 977 : 1);
    case KEYS_FEW: return random % 5 * 0x3333333333333333u;
    case KEYS_SKEWED: return random % 10 ? (random >> (64 - bits / 2)) : random;
    case KEYS_SPECIAL: return special(c->type, (uint32_t)random);
    default: return random;
    }
}

/* As README says: an unsigned number that is ordered as keys are. */
static uint64_t ordered(const sort_case *c, const unsigned char *key)
{
    const unsigned bits = (unsigned)(8 * size_of(c->type)), end = c->end_bit ? c->end_bit : bits;
    const uint64_t top = (uint64_t)1 << (bits - 1);
    uint64_t x = 0;
    memcpy(&x, key, bits / 8); /* little endian */
    if (is_signed(c->type) || (is_float(c->type) && !(x & top))) x ^= top;
    else if (is_float(c->type)) x = ~x;
    if (end < 64) x &= ((uint64_t)1 << end) - 1;
    return c->begin_bit >= 64 ? 0 : x >> c->begin_bit;
}

typedef struct entry {
    uint64_t key;
    size_t index;
} entry;

static bool descending;

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->key != y->key) return (x->key < y->key) != descending ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static entry *expected_order(const sort_case *c, const unsigned char *in)
{
    entry *order = malloc((c->count + 1) * sizeof *order);
    size_t i;
    assert_non_null(order);
    for (i = 0; i < c->count; i++) {
        order[i].key = ordered(c, in + i * size_of(c->type));
        order[i].index = i;
    }
    descending = c->descending;
    qsort(order, c->count, sizeof *order, compare);
    return order;
}

static void check_result(const sort_case *c, const unsigned char *in, const unsigned char *values,
                         const void *keys_out, const void *values_out)
{
    const size_t k = size_of(c->type), v = c->value_size;
    entry *order = expected_order(c, in);
    size_t i;
    for (i = 0; i < c->count; i++) {
        const size_t from = order[i].index;
        bool good = !keys_out || memcmp((const char *)keys_out + i * k, in + from * k, k) == 0;
        if (c->argsort) {
            uint64_t index = 0;
            memcpy(&index, (const char *)values_out + i * v, v);
            good = good && index == from;
        } else if (v) {
            good = good && memcmp((const char *)values_out + i * v, values + from * v, v) == 0;
        }
        if (!good)
            fail_msg("type %d, values of %zu, count %zu, budget %zu, keys %d, bits %u to %u, descending %d, "
                     "in place %d, argsort %d: [%zu] is wrong",
                     (int)c->type, v, c->count, c->budget, (int)c->keys, c->begin_bit, c->end_bit,
                     c->descending, c->in_place, c->argsort, i);
    }
    free(order);
}

static unsigned char *random_bytes(size_t bytes)
{
    unsigned char *memory = malloc(bytes + 4);
    size_t i;
    assert_non_null(memory);
    for (i = 0; i < bytes; i += 4) {
        const uint32_t word = test_random();
        memcpy(memory + i, &word, 4);
    }
    return memory;
}

static void check(const sort_case *c)
{
    const size_t k = size_of(c->type), v = c->value_size, offset = 16 * (1 + c->count % 3) + c->odd;
    unsigned char *in = malloc(c->count * k + 1), *values = random_bytes(c->count * v);
    void *blocks[6] = {NULL};
    told progress = {0};
    gp_host_sort_desc desc = {0};
    size_t i;
    assert_non_null(in);
    for (i = 0; i < c->count; i++) {
        const uint64_t key = make_key(c, i);
        memcpy(in + i * k, &key, k);
    }
    desc.keys = copy_at(in, c->count * k, offset, &blocks[0]);
    desc.keys_out = c->in_place  ? (void *)(uintptr_t)desc.keys
                    : c->no_keys ? NULL
                                 : copy_at(NULL, c->count * k, offset, &blocks[1]);
    if (v && !c->argsort) desc.values = copy_at(values, c->count * v, offset, &blocks[2]);
    if (v)
        desc.values_out = c->in_place && !c->argsort ? (void *)(uintptr_t)desc.values
                                                     : copy_at(NULL, c->count * v, offset, &blocks[3]);
    if (c->tmp) desc.keys_tmp = copy_at(NULL, c->count * k, offset, &blocks[4]);
    if (c->tmp && v) desc.values_tmp = copy_at(NULL, c->count * v, offset, &blocks[5]);
    desc.count = c->count;
    desc.key_type = c->type;
    desc.value_size = v;
    desc.begin_bit = c->begin_bit;
    desc.end_bit = c->end_bit;
    desc.descending = c->descending;
    desc.budget = c->budget;
    desc.progress = tell;
    desc.progress_user = &progress;
    assert_gp(gp, c->argsort ? gp_host_argsort(gp, &desc) : gp_host_sort(gp, &desc));
    check_result(c, in, values, desc.keys_out, desc.values_out);
    if (!c->in_place) assert_memory_equal(desc.keys, in, c->count * k);
    if (!c->in_place && desc.values) assert_memory_equal(desc.values, values, c->count * v);
    if (c->count)
        assert_true(progress.last == progress.total &&
                    (progress.total == c->count || progress.total == 2 * c->count));
    for (i = 0; i < 6; i++) {
        if (blocks[i]) assert_around(blocks[i], offset, c->count * (i == 0 || i == 1 || i == 4 ? k : v));
        free(blocks[i]);
    }
    free(in);
    free(values);
}

/* ------------------------------------------------------------------ tests */

static const size_t sizes[] = {0, 1, 127, 1021, 4099};

static void test_keys(void **state)
{
    size_t b, s;
    int k;
    (void)state;
    for (k = 0; k < KEYS_COUNT; k++) {
        for (b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            for (s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                sort_case c = {.type = GP_U32, .count = sizes[s], .budget = budgets[b], .keys = (keys)k};
                c.in_place = (k + s + b) % 2;
                c.value_size = (s + b) % 3 ? 0 : 4;
                c.descending = (k + s) % 3 == 0;
                c.tmp = s % 2;
                check(&c);
            }
        }
    }
}

static void test_types(void **state)
{
    static const size_t value_sizes[] = {0, 1, 2, 4, 8, 16};
    static const gp_type types[] = {
#define TYPE_NAME(name, value, cl, bytes) name,
        GP_TYPES(TYPE_NAME)};
    size_t t;
    int k;
    (void)state;
    for (t = 0; t < sizeof types / sizeof *types; t++) {
        for (k = 0; k < KEYS_COUNT; k++) {
            sort_case c = {.type = types[t],
                           .count = 3001,
                           .budget = 30000,
                           .keys = (keys)k,
                           .value_size = value_sizes[(t + (size_t)k) % 6]};
            c.descending = k % 2;
            c.in_place = k % 3 == 0;
            check(&c);
        }
    }
}

static void test_bits(void **state)
{
    static const uint32_t bits[][2] = {{0, 1}, {3, 17}, {24, 32}, {5, 13}, {31, 32}, {7, 7}, {0, 9}};
    size_t b;
    (void)state;
    for (b = 0; b < sizeof bits / sizeof *bits; b++) {
        sort_case c = {.type = GP_I32,
                       .count = 3001,
                       .budget = 30000,
                       .begin_bit = bits[b][0],
                       .end_bit = bits[b][1],
                       .value_size = 4};
        check(&c);
        c.descending = true;
        c.keys = KEYS_SKEWED;
        check(&c);
    }
}

static void test_argsort(void **state)
{
    size_t b;
    int k;
    (void)state;
    for (b = 0; b < sizeof budgets / sizeof *budgets; b++) {
        for (k = 0; k < KEYS_COUNT; k++) {
            sort_case c = {.type = k % 2 ? GP_F32 : GP_I64,
                           .count = 3001,
                           .budget = budgets[b] + 5000,
                           .keys = (keys)k,
                           .argsort = true};
            c.value_size = k % 3 ? 4 : 8;
            c.no_keys = k % 4 == 1;
            c.in_place = k % 4 == 2;
            check(&c);
        }
    }
}

/* Sizes around those of chunks, and of large digits. */
static void test_boundaries(void **state)
{
    static uint32_t in[40000], out[40000];
    told progress = {0};
    gp_host_sort_desc desc = {.keys = in,
                              .keys_out = out,
                              .count = 40000,
                              .key_type = GP_U32,
                              .budget = 50000,
                              .progress = tell,
                              .progress_user = &progress};
    size_t chunk, k;
    (void)state;
    assert_gp(gp, gp_host_sort(gp, &desc));
    chunk = progress.first;
    assert_true(chunk > 100 && chunk < 5000);
    for (k = 1; k < 6; k++) {
        sort_case c = {.type = GP_U32,
                       .count = k * chunk - 1,
                       .budget = 50000,
                       .keys = k % 2 ? KEYS_FEW : KEYS_SKEWED,
                       .value_size = 0};
        check(&c);
        c.count++;
        check(&c);
        c.count++;
        check(&c);
    }
}

static void test_large(void **state)
{
    sort_case c = {.type = GP_U32, .count = ((size_t)1 << 20) + 123, .budget = 1000000, .value_size = 4};
    (void)state;
    check(&c);
    c.keys = KEYS_SKEWED;
    c.budget = 1 << 20;
    c.in_place = true;
    check(&c);
    c.keys = KEYS_EQUAL;
    check(&c);
}

/* Arrays at odd addresses: with elements that are aligned to their size, and no further; and that are not even that, on which
   a device cannot work as they are. */
static void test_odd(void **state)
{
    size_t odd;
    (void)state;
    for (odd = 1; odd <= 8; odd *= 2) {
        sort_case c = {
            .type = GP_U32, .count = 3001, .budget = 30000, .value_size = 4, .tmp = true, .odd = odd};
        check(&c);
        c.value_size = 16;
        check(&c);
        c.keys = KEYS_SKEWED;
        c.in_place = true;
        check(&c);
        c.argsort = true;
        c.value_size = 8;
        c.in_place = odd == 1;
        check(&c);
    }
}

/* A context that allows no scratch of its own: all that a sort needs is within the budget. */
static void test_scratch(void **state)
{
    static const size_t sizes[] = {0, 1, 4, 8};
    const gp_context_desc none = {.scratch_limit = 1};
    const gp_context_desc nvidia = {.scratch_limit = 1, .tuning = {.device_class = GP_DEVICE_CLASS_NVIDIA}};
    gp_context *const usual = gp;
    sort_case few = {.type = GP_U32, .count = test_small() ? 20000 : 400000, .budget = 700000};
    size_t k;
    (void)state;
    gp = test_open_with(&none);
    for (k = 0; k < 2 * sizeof sizes / sizeof *sizes; k++) {
        sort_case c = {
            .type = GP_U32, .count = test_small() ? 20000 : 400000, .budget = k % 2 ? 2660851 : 700000};
        c.value_size = sizes[k / 2];
        check(&c);
    }
    gp_context_destroy(gp);
    /* Few whole keys are merged, which takes less than passes over some of their bits. */
    gp = test_open_with(&nvidia);
    check(&few);
    gp_context_destroy(gp);
    gp = usual;
}

/* Whatever the moment, what is sorted in place is there, in some order. */
static void test_cancel(void **state)
{
    enum { COUNT = 5000 };
    static uint32_t keys_in[COUNT], values_in[COUNT];
    static unsigned char seen[COUNT];
    uint64_t n;
    size_t i;
    int skewed;
    (void)state;
    for (skewed = 0; skewed < 2; skewed++) {
        for (n = 1;; n++) {
            told progress = {.cancel_at = n};
            gp_host_sort_desc desc = {.keys = keys_in,
                                      .keys_out = keys_in,
                                      .values = values_in,
                                      .values_out = values_in,
                                      .count = COUNT,
                                      .key_type = GP_U32,
                                      .value_size = 4,
                                      .budget = 40000,
                                      .progress = tell,
                                      .progress_user = &progress};
            gp_result result;
            for (i = 0; i < COUNT; i++) {
                values_in[i] = (uint32_t)i;
                keys_in[i] = skewed ? (uint32_t)i * 7919 % 5003 : (uint32_t)i * 0x9e3779b9u;
            }
            result = gp_host_sort(gp, &desc);
            memset(seen, 0, sizeof seen);
            for (i = 0; i < COUNT; i++) {
                const uint32_t v = values_in[i];
                assert_true(v < COUNT && !seen[v]);
                seen[v] = 1;
                assert_int_equal(keys_in[i], skewed ? v * 7919 % 5003 : v * 0x9e3779b9u);
            }
            if (progress.calls < n) {
                assert_int_equal(result, GP_OK);
                break;
            }
            assert_int_equal(result, GP_ERROR_CANCELED);
            assert_non_null(strstr(gp_last_error(gp), "gp_host_sort: progress canceled the call after "));
        }
        assert_true(n > 10);
    }
}

#define FAILS(change, expected, part)                              \
    do {                                                           \
        gp_host_sort_desc d = good;                                \
        change;                                                    \
        assert_gp_fails(gp, gp_host_sort(gp, &d), expected, part); \
    } while (0)

static void test_refused(void **state)
{
    static uint32_t in[1000], out[1000], values[1000], values_out[1000];
    const gp_host_sort_desc good = {.keys = in,
                                    .keys_out = out,
                                    .values = values,
                                    .values_out = values_out,
                                    .count = 1000,
                                    .key_type = GP_U32,
                                    .value_size = 4};
    gp_host_sort_desc order = {.keys = in, .values_out = values_out, .count = 1000, .key_type = GP_U32};
    (void)state;
    FAILS(d.keys = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_host_sort: keys is NULL");
    FAILS(d.keys_out = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_host_sort: keys_out is NULL");
    FAILS(d.values = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_host_sort: values is NULL");
    FAILS(d.values_out = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_host_sort: values_out is NULL");
    FAILS(d.value_size = 0, GP_ERROR_INVALID_ARGUMENT, "values is set but value_size is 0");
    FAILS(d.value_size = 3, GP_ERROR_INVALID_ARGUMENT, "value_size = 3 is not 0, 1, 2, 4, 8 or 16");
    FAILS(d.keys_out = in + 1, GP_ERROR_OVERLAP, "gp_host_sort: keys and keys_out overlap");
    FAILS(d.values_out = in, GP_ERROR_OVERLAP, "gp_host_sort: keys and values_out overlap");
    FAILS(d.keys_tmp = values, GP_ERROR_OVERLAP, "gp_host_sort: values and keys_tmp overlap");
    FAILS(d.keys_out = in, GP_ERROR_INVALID_ARGUMENT, "keys and values are not both in place");
    FAILS(d.key_type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "key_type = 0 is not an element type");
    FAILS(d.end_bit = 33, GP_ERROR_INVALID_ARGUMENT, "begin_bit = 0, end_bit = 33");
    FAILS((d.begin_bit = 9, d.end_bit = 8), GP_ERROR_INVALID_ARGUMENT, "begin_bit = 9, end_bit = 8");
    FAILS(d.budget = 7, GP_ERROR_INVALID_ARGUMENT, "budget = 7 bytes is not enough");
    FAILS(d.count = SIZE_MAX / 8, GP_ERROR_OVERLAP, "overlap");
    FAILS(d.count = SIZE_MAX, GP_ERROR_COUNT_LIMIT, "is more than memory can hold");
    order.value_size = 2;
    assert_gp_fails(gp, gp_host_argsort(gp, &order), GP_ERROR_INVALID_ARGUMENT,
                    "gp_host_argsort: value_size = 2 is not 4 or 8");
    order.value_size = 0;
    order.values = values;
    assert_gp_fails(gp, gp_host_argsort(gp, &order), GP_ERROR_INVALID_ARGUMENT,
                    "gp_host_argsort: values is set");
    order.values = NULL;
    order.count = (size_t)1 << 32;
    assert_gp_fails(gp, gp_host_argsort(gp, &order), GP_ERROR_COUNT_LIMIT, "indices of 4 bytes");
    assert_int_equal(gp_host_sort(NULL, &good), GP_ERROR_INVALID_ARGUMENT);
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
        cmocka_unit_test(test_keys),    cmocka_unit_test(test_types),      cmocka_unit_test(test_bits),
        cmocka_unit_test(test_argsort), cmocka_unit_test(test_boundaries), cmocka_unit_test(test_large),
        cmocka_unit_test(test_odd),     cmocka_unit_test(test_scratch),    cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
