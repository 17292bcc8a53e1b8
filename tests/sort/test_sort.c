/* test_sort.c - gp_sort and gp_argsort against a stable sort on the host. */
#include "../support/patterns.h"

#include <math.h>

/* A sort to check. */
typedef struct sort_case {
    gp_type type;
    size_t value_size;
    size_t count;
    key_pattern pattern;
    uint32_t begin_bit, end_bit;
    bool descending, in_place, own_tmp, argsort;
    size_t offset; /* of input and output, elements; the two differ */
} sort_case;

static key_entry *reference(const sort_case *c, const unsigned char *keys)
{
    return keys_sorted(c->type, c->descending, c->begin_bit, c->end_bit, keys, c->count);
}

static unsigned char *make_keys(const sort_case *c) { return keys_make(c->type, c->pattern, c->count); }

/* Value i: its index, as far as it fits. */
static void make_value(const sort_case *c, size_t i, unsigned char *out)
{
    const uint64_t x[2] = {i, ~(uint64_t)i};
    memcpy(out, x, c->value_size);
}

static unsigned char *make_values(const sort_case *c)
{
    unsigned char *values = malloc(c->count * c->value_size + 1);
    size_t i;
    assert_non_null(values);
    for (i = 0; i < c->count; i++) make_value(c, i, values + i * c->value_size);
    return values;
}

/* ------------------------------------------------------------------ check */

static void fail_case(const char *variant, const sort_case *c, const char *what, size_t i)
{
    fail_msg("%s: type %d, values of %zu, count %zu, pattern %d, bits %u..%u, descending %d, in place %d, "
             "own tmp %d, "
             "argsort %d, offset %zu: %s[%zu] is wrong",
             variant, (int)c->type, c->value_size, c->count, (int)c->pattern, c->begin_bit, c->end_bit,
             c->descending, c->in_place, c->own_tmp, c->argsort, c->offset, what, i);
}

/* The buffer holds element e[i].index of `from` at offset + i, and guards around. */
static void compare(gp_context *gp, const char *variant, const sort_case *c, const char *what, cl_mem buffer,
                    size_t offset, size_t size, const key_entry *e, const unsigned char *from)
{
    unsigned char *out = test_read(gp, buffer, (offset + c->count + GUARD) * size);
    size_t i;
    for (i = 0; i < c->count; i++) {
        if (memcmp(out + (offset + i) * size, from + e[i].index * size, size) != 0)
            fail_case(variant, c, what, i);
    }
    for (i = 0; i < offset * size; i++) {
        if (out[i] != TEST_POISON) fail_case(variant, c, "guard before", i);
    }
    for (i = (offset + c->count) * size; i < (offset + c->count + GUARD) * size; i++) {
        if (out[i] != TEST_POISON) fail_case(variant, c, "guard behind", i);
    }
    free(out);
}

static void check_buffers(gp_context *gp, const char *variant, const sort_case *c, gp_sort_desc *desc,
                          const key_entry *e, const unsigned char *keys, const unsigned char *values)
{
    const size_t size = key_size(c->type);
    size_t i;
    key_entry *same = malloc((c->count + 1) * sizeof *same);
    assert_non_null(same);
    for (i = 0; i < c->count; i++) same[i].index = i;
    if (desc->keys_out)
        compare(gp, variant, c, "keys_out", desc->keys_out, desc->keys_out_offset, size, e, keys);
    compare(gp, variant, c, "keys", desc->keys, desc->keys_offset, size, c->in_place ? e : same, keys);
    if (desc->values_out)
        compare(gp, variant, c, "values_out", desc->values_out, desc->values_out_offset, c->value_size, e,
                values);
    if (desc->values)
        compare(gp, variant, c, "values", desc->values, desc->values_offset, c->value_size,
                c->in_place ? e : same, values);
    free(same);
}

static void release(const gp_sort_desc *d)
{
    const cl_mem all[] = {d->keys, d->keys_out, d->keys_tmp, d->values, d->values_out, d->values_tmp};
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]) clReleaseMemObject(all[i]);
    }
}

static gp_sort_desc make_desc(gp_context *gp, const sort_case *c, const unsigned char *keys,
                              const unsigned char *values)
{
    const size_t n = c->count, size = key_size(c->type), vs = c->value_size;
    gp_sort_desc d = {0};
    d.count = n;
    d.key_type = c->type;
    d.value_size = vs;
    d.begin_bit = c->begin_bit;
    d.end_bit = c->end_bit;
    d.descending = c->descending;
    d.keys_offset = d.values_offset = c->offset;
    d.keys_out_offset = d.values_out_offset = c->offset ? c->offset + 3 : 0;
    d.keys_tmp_offset = d.values_tmp_offset = c->offset;
    d.keys = guarded(gp, d.keys_offset, n, size, keys);
    if (!c->in_place && !c->argsort) d.keys_out = guarded(gp, d.keys_out_offset, n, size, NULL);
    if (c->own_tmp) d.keys_tmp = guarded(gp, d.keys_tmp_offset, n, size, NULL);
    if (vs && !c->argsort) d.values = guarded(gp, d.values_offset, n, vs, values);
    if (vs && !c->in_place) d.values_out = guarded(gp, d.values_out_offset, n, vs, NULL);
    if (vs && c->own_tmp) d.values_tmp = guarded(gp, d.values_tmp_offset, n, vs, NULL);
    return d;
}

static void check_keys(gp_context *gp, const char *variant, const sort_case *c, const unsigned char *keys)
{
    unsigned char *values = make_values(c);
    key_entry *e = reference(c, keys);
    gp_sort_desc desc = make_desc(gp, c, keys, values);
    const gp_result result = c->argsort ? gp_argsort(gp, &desc) : gp_sort(gp, &desc);
    if (result != GP_OK) fail_msg("%s: %s", variant, gp_last_error(gp));
    check_buffers(gp, variant, c, &desc, e, keys, values);
    release(&desc);
    free(e);
    free(values);
}

static void check(gp_context *gp, const char *variant, const sort_case *c)
{
    unsigned char *keys = make_keys(c);
    check_keys(gp, variant, c, keys);
    free(keys);
}

/* ------------------------------------------------------------------ variants */

/* A way to sort. Tiny rings make small inputs go round them often. */
typedef struct sort_variant {
    const char *name;
    gp_shape shape;
    gp_strategy strategy;
    gp_words words;
    uint32_t rows, reach, block;
    uint32_t portion, bucket, lines;
} sort_variant;

static const sort_variant variants[] = {
    {"default", GP_SHAPE_AUTO, GP_STRATEGY_AUTO, GP_WORDS_AUTO, 0, 0, 0, 0, 0, 0},
    {"serial, classic", GP_SHAPE_SERIAL, GP_STRATEGY_MULTI_PASS, GP_WORDS_AUTO, 0, 0, 0, 0, 1, 0},
    {"serial, onesweep", GP_SHAPE_SERIAL, GP_STRATEGY_SINGLE_PASS, GP_WORDS_WIDE, 0, 0, 0, 0, 0, 0},
    {"serial, onesweep, tiny ring", GP_SHAPE_SERIAL, GP_STRATEGY_SINGLE_PASS, GP_WORDS_WIDE, 8, 2, 2, 0, 0,
     0},
    {"serial, onesweep, chained", GP_SHAPE_SERIAL, GP_STRATEGY_SINGLE_PASS, GP_WORDS_WIDE, 2, 1, 1, 0, 0, 0},
    {"serial, onesweep, narrow", GP_SHAPE_SERIAL, GP_STRATEGY_SINGLE_PASS, GP_WORDS_NARROW, 0, 0, 0, 0, 0, 0},
    {"serial, onesweep, portions", GP_SHAPE_SERIAL, GP_STRATEGY_SINGLE_PASS, GP_WORDS_WIDE, 8, 2, 2, 60000, 0,
     0},
    {"local, classic", GP_SHAPE_LOCAL, GP_STRATEGY_MULTI_PASS, GP_WORDS_AUTO, 0, 0, 0, 0, 0, 0},
    {"local, onesweep", GP_SHAPE_LOCAL, GP_STRATEGY_SINGLE_PASS, GP_WORDS_WIDE, 0, 0, 0, 0, 0, 0},
    {"local, onesweep, tiny ring", GP_SHAPE_LOCAL, GP_STRATEGY_SINGLE_PASS, GP_WORDS_WIDE, 8, 2, 2, 0, 0, 0},
    {"local, onesweep, narrow", GP_SHAPE_LOCAL, GP_STRATEGY_SINGLE_PASS, GP_WORDS_NARROW, 0, 0, 0, 0, 0, 0},
    {"serial, buckets", GP_SHAPE_SERIAL, GP_STRATEGY_MULTI_PASS, GP_WORDS_AUTO, 0, 0, 0, 0, 100000, 0},
    {"serial, buckets split", GP_SHAPE_SERIAL, GP_STRATEGY_MULTI_PASS, GP_WORDS_AUTO, 0, 0, 0, 0, 70, 0},
    {"serial, shares", GP_SHAPE_SERIAL, GP_STRATEGY_AUTO, GP_WORDS_AUTO, 0, 0, 0, 0, 0, 0},
    {"serial, lines", GP_SHAPE_SERIAL, GP_STRATEGY_MULTI_PASS, GP_WORDS_AUTO, 0, 0, 0, 0, 1, 1},
};
enum { VARIANTS = sizeof variants / sizeof *variants, TINY = 3, TINY_LOCAL = 9 };

static gp_context_desc desc_of(const sort_variant *v)
{
    gp_context_desc desc = {0};
    desc.strategy = v->strategy;
    desc.tuning.shape = v->shape;
    desc.tuning.words = v->words;
    desc.tuning.ring_rows = v->rows;
    desc.tuning.ring_reach = v->reach;
    desc.tuning.ring_block = v->block;
    desc.tuning.sort_portion = v->portion;
    desc.tuning.sort_bucket = v->bucket;
    desc.tuning.sort_lines = v->lines;
    if (v->shape == GP_SHAPE_SERIAL) desc.tuning.tile = test_small() ? 256 : 1024;
    if (v->shape == GP_SHAPE_SERIAL && v->strategy == GP_STRATEGY_AUTO)
        desc.tuning.tile *= 4; /* up to eight tiles are sorted by shares */
    return desc;
}

/* NULL: the device cannot. */
static gp_context *open_variant(const sort_variant *v, const char *options)
{
    gp_context_desc desc = desc_of(v);
    gp_context *gp = NULL;
    desc.build_options = options;
    if (options) desc.tuning.polls = 1000; /* faulty: waits in vain */
    gp = test_open_if(&desc);
    if (!gp) return NULL;
    if (v->words == GP_WORDS_WIDE && !gp_context_info(gp)->int64_base_atomics) {
        gp_context_destroy(gp);
        return NULL;
    }
    return gp;
}

/* The local shape costs PoCL 15 seconds a program. */
static bool is_dear(const gp_context *gp, const sort_variant *v)
{
    return v->shape == GP_SHAPE_LOCAL && !test_builds_are_cheap(gp);
}

static const size_t sizes[] = {0,    1,    2,    255,   1023,  1024,   1025,           2047,
                               2049, 4096, 8193, 16385, 49159, 104729, (1 << 20) + 123};
static const size_t small_sizes[] = {0, 1, 257, 2049};

static void check_sizes(gp_context *gp, const char *name, sort_case c, size_t most)
{
    const size_t *list = test_small() ? small_sizes : sizes;
    const size_t n = test_small() ? sizeof small_sizes / sizeof *small_sizes : sizeof sizes / sizeof *sizes;
    size_t i;
    for (i = 0; i < n && list[i] <= most; i++) {
        c.count = list[i];
        check(gp, name, &c);
    }
}

/* Patterns, places, orders, windows, at one size that takes several tiles. */
static void check_ways(gp_context *gp, const char *name, sort_case c)
{
    static const uint32_t windows[][2] = {{0, 11}, {3, 19},  {10, 24}, {24, 0},
                                          {7, 7},  {10, 10}, {8, 16},  {0, 1}};
    const uint32_t width = 8 * (uint32_t)key_size(c.type);
    size_t k;
    for (k = 0; k < KEYS_PATTERNS; k += test_small() ? 3 : 1) {
        c.pattern = (key_pattern)k;
        c.descending = k % 2 != 0;
        check(gp, name, &c);
        c.in_place = true;
        check(gp, name, &c);
        c.in_place = false;
    }
    c.pattern = KEYS_RANDOM;
    c.offset = 5;
    c.own_tmp = true;
    check(gp, name, &c);
    c.in_place = true;
    check(gp, name, &c);
    c.in_place = c.own_tmp = false;
    c.offset = 0;
    for (k = 0; k < sizeof windows / sizeof *windows; k += test_small() ? 3 : 1) {
        if (windows[k][0] >= width || windows[k][1] > width) continue;
        c.begin_bit = windows[k][0];
        c.end_bit = windows[k][1];
        c.in_place = k % 2 != 0;
        c.descending = k % 3 == 0;
        check(gp, name, &c);
    }
}

static void check_variant(const sort_variant *v, sort_case c)
{
    gp_context *gp = open_variant(v, NULL);
    if (!gp) return;
    if (is_dear(gp, v)) {
        c.count = 30011;
        if (v == &variants[TINY_LOCAL]) check(gp, v->name, &c);
    } else if (test_small() && v != &variants[0] && v != &variants[TINY]) {
        c.count = 2049; /* interpreted: one case */
        check(gp, v->name, &c);
    } else {
        check_sizes(gp, v->name, c, v == variants ? SIZE_MAX : 200000);
        c.count = test_small() ? 2049 : 20011;
        check_ways(gp, v->name, c);
    }
    assert_int_equal(test_profile_of(gp).abandoned, 0);
    gp_context_destroy(gp);
}

static void test_every_variant(void **state)
{
    const sort_case c = {GP_U32, 4, 0, KEYS_RANDOM, 0, 0, false, false, false, false, 0};
    size_t v;
    (void)state;
    for (v = 0; v < VARIANTS; v++) check_variant(&variants[v], c);
}

/* Types and value sizes on the device's default: all where builds are cheap, else a diagonal. */
static void test_types(void **state)
{
    static const size_t value_sizes[] = {0, 1, 2, 4, 8, 16};
    gp_context *gp = open_variant(&variants[0], NULL);
    const bool all = test_builds_are_cheap(gp) && !test_small();
    size_t t, v;
    (void)state;
    for (t = 0; t < KEY_TYPES; t++) {
        for (v = 0; v < 6; v++) {
            /* types of one size share programs, but for f16: 7 of them */
            static const size_t diagonal[] = {1, 1, 2, 2, 0, 3, 4, 4, 0, 5, 2};
            sort_case c = {key_types[t], value_sizes[v], 0, KEYS_RANDOM, 0, 0, false, false, false, false, 0};
            if (!all && v != diagonal[t]) continue;
            check_sizes(gp, "types", c, test_small() ? 2049 : all ? 8193 : 104729);
            c.count = test_small() ? 2049 : all ? 5003 : 20011;
            if (!test_small() || t % 4 == 0) check_ways(gp, "types", c);
        }
    }
    gp_context_destroy(gp);
}

static void test_argsort(void **state)
{
    size_t v;
    (void)state;
    for (v = 0; v < VARIANTS; v += test_small() ? 3 : 1) {
        gp_context *gp = open_variant(&variants[v], NULL);
        sort_case c = {GP_U32, 4, 0, KEYS_AND, 0, 0, false, false, false, true, 0};
        if (gp && !is_dear(gp, &variants[v])) check_sizes(gp, variants[v].name, c, 50000);
        if (gp) gp_context_destroy(gp);
    }
}

/* In the local shape: one launch for keys that fit a tile, several for more. */
static void check_tiles(gp_context *gp, gp_type type, size_t value_size, size_t tile)
{
    const size_t counts[] = {1, tile - 1, tile, tile + 1, 2 * tile + 1, 5 * tile + 7};
    size_t k;
    for (k = 0; k < sizeof counts / sizeof *counts; k++) {
        sort_case c = {type, value_size, counts[k], KEYS_AND, 0, 0, false, false, false, false, k % 3};
        const uint64_t before = test_profile_of(gp).launches;
        c.descending = k % 2 != 0;
        c.in_place = k % 4 > 1;
        c.own_tmp = k % 3 > 0;
        check(gp, "tiles", &c);
        assert_true((test_profile_of(gp).launches - before == 1) == (counts[k] <= tile));
    }
}

static void test_tiles(void **state)
{
    static const gp_type types[] = {GP_U32, GP_I16, GP_F64, GP_U8};
    gp_context_desc desc = {0};
    gp_context *gp;
    size_t t;
    (void)state;
    desc.tuning.shape = GP_SHAPE_LOCAL;
    desc.tuning.work_group_size = 16;
    desc.tuning.tile = 2;
    gp = test_open_if(&desc);
    if (!gp) return;
    for (t = 0; t < (test_builds_are_cheap(gp) ? 4 : 1); t++)
        check_tiles(gp, types[t], t == 3 ? 0 : 4 << t % 3, 32);
    gp_context_destroy(gp);
}

/* Keys in order but for two neighbours, in the middle and where blocks meet; in order of some of their bits; of all. */
static void check_nearly(gp_context *gp, const char *name, sort_case c)
{
    const size_t places[] = {1, 1023, 1024, 1025, c.count / 1024 * 1024, c.count - 1};
    uint32_t *keys = malloc(c.count * sizeof *keys);
    size_t i, k;
    assert_non_null(keys);
    for (k = 0; k < 6; k++) {
        for (i = 0; i < c.count; i++) keys[i] = (uint32_t)i * 7;
        keys[places[k]] -= 8; /* below the one before it */
        c.in_place = k % 2;
        check_keys(gp, name, &c, (const unsigned char *)keys);
    }
    for (k = 0; k < 4; k++) {
        for (i = 0; i < c.count; i++) keys[i] = (uint32_t)(i % 5 + (i / 3 << 8) + (k < 2 ? 0 : i << 28));
        c.begin_bit = k % 2 ? 0 : 8; /* out of order; in it */
        c.end_bit = k < 2 ? 0 : 28;
        c.in_place = k < 2;
        check_keys(gp, name, &c, (const unsigned char *)keys);
    }
    free(keys);
}

static void test_nearly_in_order(void **state)
{
    const sort_case c = {GP_U32, 4, test_small() ? 2049 : 20011, KEYS_RANDOM, 0, 0, false, false, false,
                         false,  0};
    size_t v;
    (void)state;
    for (v = 0; v < VARIANTS; v += test_small() ? 3 : 1) {
        gp_context *gp = open_variant(&variants[v], NULL);
        if (gp && !is_dear(gp, &variants[v])) check_nearly(gp, variants[v].name, c);
        if (gp) gp_context_destroy(gp);
    }
}

/* Two digits of `width` bits from `top` down that say the same, and bits below them in descending order: digits look
   spread, but keys that are alike in both are too many for insertion (sort/single_tile.cl). */
static void check_echo(gp_context *gp, size_t count, unsigned top, unsigned width)
{
    sort_case c = {GP_U32, 4, count, KEYS_RANDOM, 0, 0, false, false, false, false, 0};
    uint32_t *keys = malloc(count * sizeof *keys);
    size_t i;
    assert_non_null(keys);
    for (i = 0; i < count; i++) {
        const uint32_t digit = (uint32_t)i % (1u << width),
                       above = top < 32 ? (uint32_t)(i >> width) << top : 0;
        const uint32_t below = (uint32_t)((count - i) >> (top < 32 ? width + 8 : width));
        keys[i] = above | digit << (top - width) | digit << (top - 2 * width) | below;
    }
    for (i = 0; i < 2; i++) {
        c.in_place = i > 0;
        check_keys(gp, "echo", &c, (const unsigned char *)keys);
    }
    free(keys);
}

/* Many keys in order, and in the order of their highest digit alone. */
static void check_in_buckets(gp_context *gp, bool all)
{
    sort_case c = {GP_U32, 4, 1 << 18, KEYS_RANDOM, 0, 0, false, false, false, false, 0};
    uint32_t *keys = malloc(c.count * sizeof *keys);
    size_t i;
    assert_non_null(keys);
    for (i = 0; i < c.count; i++) keys[i] = (uint32_t)i << 14 ^ (all ? 0 : (uint32_t)i * 0x9e3779b1u >> 8);
    for (i = 0; i < 2; i++) {
        c.in_place = i > 0;
        check_keys(gp, "in buckets", &c, (const unsigned char *)keys);
    }
    free(keys);
}

/* Two buckets of 2^17 keys each: one key more than are sorted by two digits and insertion. */
static void check_full_buckets(void)
{
    const sort_case c = {GP_U64, 8, 1 << 18, KEYS_RANDOM, 0, 0, false, false, false, false, 0};
    const sort_variant v = {.name = "full buckets",
                            .shape = GP_SHAPE_SERIAL,
                            .strategy = GP_STRATEGY_MULTI_PASS,
                            .bucket = 1 << 17};
    gp_context *gp = open_variant(&v, NULL);
    uint64_t *keys;
    size_t i;
    if (!gp) return;
    keys = malloc(c.count * sizeof *keys);
    assert_non_null(keys);
    for (i = 0; i < c.count; i++)
        keys[i] = (uint64_t)(i & 1) << 63 | (uint64_t)test_random() << 24 | (test_random() & 0xffffff);
    check_keys(gp, "full buckets", &c, (const unsigned char *)keys);
    free(keys);
    gp_context_destroy(gp);
}

static void test_spread(void **state)
{
    gp_context *gp;
    (void)state;
    if (test_small()) return;
    check_full_buckets();
    gp = open_variant(&variants[0], NULL);
    check_echo(gp, 8192, 32, 10);   /* one tile */
    check_echo(gp, 100000, 32, 11); /* shares */
    check_echo(gp, 1 << 18, 24, 8); /* buckets */
    check_in_buckets(gp, true);
    check_in_buckets(gp, false);
    gp_context_destroy(gp);
}

/* What a sample shows of many keys (sort/buckets.cl). */
typedef enum spread {
    SPREAD_UNIFORM,  /* floats in [0, 1) */
    SPREAD_BELL,     /* floats around 0, and one in three is 0 */
    SPREAD_ZIPF,     /* x as often as 1 / x */
    SPREAD_DISTINCT, /* 300 values, 1001 apart */
    SPREAD_OUTLIER,  /* small ones, but for a few that the sample misses */
    SPREAD_CLUSTERS, /* two, too narrow to be told apart by bins */
    SPREAD_EDGES,    /* both ends of the range, and the middle */
    SPREAD_FEW,      /* 256 values: a float's 0 is far from its 1 */
    SPREAD_MISSING,  /* a narrow part, and the values at the ends of the range */
    SPREAD_TWO,      /* two values */
    SPREADS
} spread;

static uint64_t spread_key(spread spread, gp_type type, size_t i)
{
    const double u = (test_random() >> 8) / 16777216.0;
    double x = u;
    float f;
    uint32_t bits;
    uint64_t whole = (uint64_t)test_random() << 32 | test_random();
    switch (spread) {
    case SPREAD_UNIFORM: break;
    case SPREAD_BELL: x = test_random() % 3 ? u + (test_random() >> 8) / 8388608.0 - 1.5 : 0; break;
    case SPREAD_ZIPF: return (uint64_t)pow(1e6, u);
    case SPREAD_DISTINCT: return test_random() % 300 * 1001;
    case SPREAD_OUTLIER: return i % 4099 == 77 ? whole : test_random() % 100000;
    case SPREAD_CLUSTERS: return (i % 2 ? (uint64_t)1 << (key_size(type) * 8 - 1) : 0) + test_random() % 4096;
    case SPREAD_FEW: x = test_random() % 256; break;
    case SPREAD_MISSING: return test_random() % 3 ? 1000000 + whole % 5000 : (uint64_t)0 - test_random() % 2;
    case SPREAD_TWO: return test_random() % 2 ? 5 : ~(uint64_t)5;
    default: return i % 3 == 0 ? whole % 1000 : i % 3 == 1 ? ~(whole % 1000) : whole;
    }
    if (type != GP_F32) return (uint64_t)(x * 1e9);
    f = (float)x;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static void check_spread(gp_context *gp, const char *name, spread spread, gp_type type, size_t count)
{
    sort_case c = {type, 4, count, KEYS_RANDOM, 0, 0, false, false, false, false, 0};
    const size_t size = key_size(type);
    unsigned char *keys = malloc(count * size);
    size_t i;
    assert_non_null(keys);
    for (i = 0; i < count; i++) {
        const uint64_t x = spread_key(spread, type, i);
        memcpy(keys + i * size, &x, size); /* little-endian, as devices are */
    }
    c.in_place = spread % 2 != 0;
    c.descending = spread % 3 == 0;
    check_keys(gp, name, &c, keys);
    if (spread % 2) c.begin_bit = 3, c.end_bit = (uint32_t)(8 * size) - 5;
    check_keys(gp, name, &c, keys);
    free(keys);
}

static void test_spreads(void **state)
{
    static const size_t counts[] = {1023, 1024, (1 << 17) + 1, (1 << 18) + 123};
    static const sort_variant *const ways[] = {&variants[0], &variants[11], &variants[12]};
    static const gp_type types[] = {GP_U32, GP_F32, GP_U64};
    size_t w, k, t, n;
    (void)state;
    for (w = 0; w < sizeof ways / sizeof *ways; w++) {
        gp_context *gp = open_variant(ways[w], NULL);
        if (!gp) continue;
        for (n = 0; n < (test_small() ? 2 : sizeof counts / sizeof *counts); n++)
            for (t = 0; t < 3; t++)
                for (k = 0; k < SPREADS; k++) check_spread(gp, ways[w]->name, (spread)k, types[t], counts[n]);
        gp_context_destroy(gp);
    }
}

/* Windows of which two digits above the buckets' are all there is, or nearly, at every size that has such digits. */
static void test_windows(void **state)
{
    static const size_t counts[] = {1021, 8192, 50021, 1 << 17, (1 << 18) + 5};
    gp_context *gp;
    size_t n;
    uint32_t width;
    (void)state;
    gp = open_variant(&variants[0], NULL);
    for (n = 0; n < (test_small() ? 1 : sizeof counts / sizeof *counts); n++) {
        for (width = 16; width <= 31; width += test_small() ? 5 : 1) {
            sort_case c = {GP_U32, 4, counts[n], KEYS_RANDOM, 0, 0, false, false, false, false, 0};
            c.begin_bit = width % 3 * (32 - width) / 2;
            c.end_bit = c.begin_bit + width;
            c.descending = width % 2 != 0;
            c.in_place = width % 4 == 1;
            if (width % 5 == 0) c.pattern = KEYS_AND;
            check(gp, "windows", &c);
        }
    }
    gp_context_destroy(gp);
}

/* More than the caches are taken for, so that lines are written, or fetched but for keys in reversed order; every alignment
   of keys and values. */
static void test_lines(void **state)
{
    gp_context *gp;
    sort_case c = {GP_U32, 4, (1 << 20) + 123, KEYS_RANDOM, 0, 0, false, false, true, false, 0};
    size_t k;
    (void)state;
    if (test_small()) return;
    gp = open_variant(&variants[0], NULL);
    for (k = 0; k < 4; k++) {
        if (k == 3) c.type = GP_U64, c.value_size = 8; /* lines of 8 */
        c.offset = 7 * k;
        c.pattern = k == 1 ? KEYS_AND : k == 2 ? KEYS_REVERSED : KEYS_RANDOM;
        check(gp, "lines", &c);
    }
    gp_context_destroy(gp);
}

/* Keys and values do not stand alike in their lines. */
static void test_lines_apart(void **state)
{
    const sort_case c = {GP_U32, 4, (1 << 20) + 123, KEYS_RANDOM, 0, 0, false, false, false, false, 0};
    gp_context *gp;
    unsigned char *keys, *values;
    gp_sort_desc desc;
    key_entry *e;
    (void)state;
    if (test_small()) return;
    gp = open_variant(&variants[0], NULL);
    keys = make_keys(&c);
    values = make_values(&c);
    e = reference(&c, keys);
    desc = make_desc(gp, &c, keys, values);
    clReleaseMemObject(desc.values_out);
    desc.values_out_offset = 5;
    desc.values_out = guarded(gp, 5, c.count, 4, NULL);
    assert_gp(gp, gp_sort(gp, &desc));
    check_buffers(gp, "lines apart", &c, &desc, e, keys, values);
    release(&desc);
    free(e);
    free(values);
    free(keys);
    gp_context_destroy(gp);
}

/* One tile in k never publishes: the pass is abandoned, redone the classic way, and the result is right. */
static void test_fault_injection(void **state)
{
    static const size_t chosen[] = {2, 3, 5, 6, 8, 10};
    size_t v;
    (void)state;
    for (v = 0; v < sizeof chosen / sizeof *chosen; v++) {
        const sort_variant *variant = &variants[chosen[v]];
        gp_context *gp = open_variant(variant, "-DGPI_FAULT=4");
        const sort_case c = {
            GP_U32, 4, test_small() ? 5003 : 100003, KEYS_RANDOM, 0, 0, false, v % 2 != 0, false, false, 0};
        if (!gp) continue;
        if (!is_dear(gp, variant)) {
            check(gp, variant->name, &c);
            assert_true(test_profile_of(gp).fallbacks > 0);
        }
        gp_context_destroy(gp);
    }
}

/* Next to no patience: passes are abandoned at any time, at any wait. */
static void test_impatient(void **state)
{
    static const size_t chosen[] = {3, 4, 5};
    size_t v, round;
    (void)state;
    for (v = 0; v < sizeof chosen / sizeof *chosen; v++) {
        gp_context_desc desc = desc_of(&variants[chosen[v]]);
        sort_case c = {GP_U32, 4, test_small() ? 5003 : 100003, KEYS_RANDOM, 0, 0, false, false, false,
                       false,  0};
        gp_context *gp;
        desc.tuning.polls = 1;
        gp = test_open_if(&desc);
        if (!gp) continue;
        for (round = 0; round < 4; round++) {
            c.in_place = round % 2 != 0;
            check(gp, "impatient", &c);
        }
        gp_context_destroy(gp);
    }
}

/* The number of keys is on the device: less than the bound, and more, which is clamped. */
static void test_count_on_device(void **state)
{
    static const uint32_t counts[] = {0, 1, 700, 19999, 30000};
    const size_t bound = test_small() ? 2000 : 20000;
    size_t v, k, i;
    (void)state;
    for (v = 0; v < 4; v++) {
        gp_context *gp = open_variant(&variants[v], NULL);
        if (!gp) continue;
        for (k = 0; k < sizeof counts / sizeof *counts; k++) {
            const uint32_t wanted = test_small() ? counts[k] / 10 : counts[k];
            sort_case c = {GP_U32, 4, wanted < bound ? wanted : bound, KEYS_RANDOM, 0, 0, false, false, false,
                           false,  0};
            sort_case whole = c;
            unsigned char *keys, *values, *out;
            gp_sort_desc desc;
            key_entry *e;
            whole.count = bound;
            keys = make_keys(&whole);
            values = make_values(&whole);
            e = reference(&c, keys);
            desc = make_desc(gp, &whole, keys, values);
            desc.count_buffer = test_buffer(gp, 4, &wanted);
            desc.count_type = GP_U32;
            assert_gp(gp, gp_sort(gp, &desc));
            out = test_read(gp, desc.keys_out, bound * 4);
            for (i = 0; i < c.count; i++) assert_memory_equal(out + 4 * i, keys + 4 * e[i].index, 4);
            for (i = 4 * c.count; i < 4 * bound; i++) assert_int_equal(out[i], TEST_POISON);
            clReleaseMemObject(desc.count_buffer);
            release(&desc);
            free(out);
            free(e);
            free(values);
            free(keys);
        }
        assert_true(test_profile_of(gp).clamped > 0);
        gp_context_destroy(gp);
    }
}

/* Scratch of the caller's: exactly as much as asked for, poisoned; one byte less is refused. */
static void test_own_scratch(void **state)
{
    size_t v;
    (void)state;
    for (v = 0; v < 4; v++) {
        gp_context *gp = open_variant(&variants[v], NULL);
        const sort_case c = {
            GP_U32, 4, test_small() ? 3079 : 49159, KEYS_RANDOM, 0, 0, false, v % 2 != 0, false, false, 0};
        unsigned char *keys, *values;
        gp_sort_desc desc;
        size_t bytes;
        key_entry *e;
        if (!gp) continue;
        keys = make_keys(&c);
        values = make_values(&c);
        e = reference(&c, keys);
        desc = make_desc(gp, &c, keys, values);
        assert_gp(gp, gp_sort_scratch_size(gp, &desc, &bytes));
        assert_true(bytes > 8 * c.count);
        desc.scratch = test_buffer(gp, bytes - 1, NULL);
        assert_gp_fails(gp, gp_sort(gp, &desc), GP_ERROR_INVALID_BUFFER, "scratch");
        clReleaseMemObject(desc.scratch);
        desc.scratch = test_buffer(gp, bytes, NULL);
        assert_gp(gp, gp_sort(gp, &desc));
        check_buffers(gp, variants[v].name, &c, &desc, e, keys, values);
        assert_int_equal(test_profile_of(gp).scratch_bytes, 0);
        clReleaseMemObject(desc.scratch);
        release(&desc);
        free(e);
        free(values);
        free(keys);
        gp_context_destroy(gp);
    }
}

/* Scratch besides the second buffers does not grow with the number of keys: a single pass has a ring only with
   wide words, which the device's class may not take by itself. */
static void test_scratch_is_constant(void **state)
{
    gp_strategy s;
    (void)state;
    for (s = GP_STRATEGY_SINGLE_PASS; s <= GP_STRATEGY_MULTI_PASS; s = (gp_strategy)(s + 1)) {
        sort_variant v = variants[0];
        gp_sort_desc desc = {0};
        gp_context *gp;
        size_t n;
        if (s == GP_STRATEGY_SINGLE_PASS) v.words = GP_WORDS_WIDE;
        gp = open_variant(&v, NULL);
        if (!gp) continue;
        desc.key_type = GP_U32;
        desc.strategy = s;
        for (n = 1 << 20; n <= 1 << 27; n *= 2) {
            size_t bytes;
            desc.count = n;
            assert_gp(gp, gp_sort_scratch_size(gp, &desc, &bytes));
            if (bytes - 4 * n > 5 << 20)
                fail_msg("%zu keys: %zu bytes besides the second buffer", n, bytes - 4 * n);
        }
        gp_context_destroy(gp);
    }
}

/* What is read must be readable, also where it is written first; sizes do not overflow; events belong to the
   context. */
static void check_refused_access(gp_context *gp, const gp_sort_desc *good)
{
    const gp_context_desc desc = {0};
    gp_context *other = test_open_with(&desc); /* another cl_context */
    cl_int error;
    cl_event event = clCreateUserEvent(gp_cl_context(other), &error);
    cl_mem write_only = clCreateBuffer(gp_cl_context(gp), CL_MEM_WRITE_ONLY, 1 << 16, NULL, &error);
    gp_sort_desc d = *good;
    size_t bytes;
    d.keys = write_only;
    d.keys_out = NULL;
    assert_gp_fails(gp, gp_sort(gp, &d), GP_ERROR_INVALID_BUFFER, "keys was created CL_MEM_WRITE_ONLY");
    d = *good;
    d.values = write_only;
    d.values_out = NULL;
    assert_gp_fails(gp, gp_sort(gp, &d), GP_ERROR_INVALID_BUFFER, "values was created CL_MEM_WRITE_ONLY");
    d = *good;
    d.wait = &event;
    d.wait_count = 1;
    assert_gp_fails(gp, gp_sort(gp, &d), GP_ERROR_INVALID_ARGUMENT, "wait[0] belongs to another cl_context");
    d = *good;
    d.count = SIZE_MAX;
    assert_gp_fails(gp, gp_sort_scratch_size(gp, &d, &bytes), GP_ERROR_COUNT_LIMIT, "more than any memory");
    clReleaseEvent(event);
    clReleaseMemObject(write_only);
    gp_context_destroy(other);
}

static void test_bad_input(void **state)
{
    gp_context *gp = open_variant(&variants[0], NULL);
    const sort_case c = {GP_U32, 4, 5000, KEYS_RANDOM, 0, 0, false, false, false, false, 0};
    unsigned char *keys = make_keys(&c), *values = make_values(&c);
    const gp_sort_desc good = make_desc(gp, &c, keys, values);
    gp_sort_desc d = good;
    (void)state;
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_sort(gp, &d), result, text)
    REFUSED(d.key_type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "key_type is not set");
    REFUSED(d.key_type = (gp_type)99, GP_ERROR_INVALID_TYPE, "key_type = 99");
    REFUSED(d.value_size = 3, GP_ERROR_INVALID_ARGUMENT, "value_size = 3");
    REFUSED(d.value_size = 32, GP_ERROR_INVALID_ARGUMENT, "value_size = 32");
    REFUSED(d.value_size = 0, GP_ERROR_INVALID_ARGUMENT, "value_size is 0");
    REFUSED(d.end_bit = 33, GP_ERROR_INVALID_ARGUMENT, "end_bit = 33");
    REFUSED(d.begin_bit = 33, GP_ERROR_INVALID_ARGUMENT, "begin_bit = 33");
    REFUSED((d.begin_bit = 9, d.end_bit = 8), GP_ERROR_INVALID_ARGUMENT, "begin_bit = 9, end_bit = 8");
    REFUSED(d.strategy = (gp_strategy)7, GP_ERROR_INVALID_ARGUMENT, "strategy = 7");
    REFUSED(d.keys = NULL, GP_ERROR_INVALID_BUFFER, "keys is NULL");
    REFUSED(d.values = NULL, GP_ERROR_INVALID_BUFFER, "values is NULL");
    REFUSED(d.count = 6000, GP_ERROR_INVALID_BUFFER, "keys has");
    REFUSED(d.keys_out_offset = 17, GP_ERROR_INVALID_BUFFER, "keys_out has");
    REFUSED((d.keys_out = d.keys, d.keys_out_offset = 1), GP_ERROR_OVERLAP, "keys_out");
    REFUSED(d.values_out = d.keys_out, GP_ERROR_OVERLAP, "values_out");
    REFUSED(d.keys_tmp = d.keys, GP_ERROR_OVERLAP, "keys_tmp");
    REFUSED((d.keys_out = NULL, d.values = d.keys), GP_ERROR_OVERLAP, "values");
    REFUSED(d.scratch = d.keys, GP_ERROR_INVALID_BUFFER, "scratch");
    REFUSED((d.count_buffer = d.keys, d.count_type = GP_F32), GP_ERROR_INVALID_TYPE, "count_type");
    REFUSED((d.count_buffer = d.keys_out, d.count_type = GP_U32), GP_ERROR_OVERLAP, "count_buffer");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    d = good;
    assert_gp_fails(gp, gp_argsort(gp, &d), GP_ERROR_INVALID_ARGUMENT, "indices are generated");
    d.values = NULL;
    d.value_size = 2;
    assert_gp_fails(gp, gp_argsort(gp, &d), GP_ERROR_INVALID_ARGUMENT, "an index has 4 or 8 bytes");
    d.value_size = 4;
    d.values_out = NULL;
    assert_gp_fails(gp, gp_argsort(gp, &d), GP_ERROR_INVALID_BUFFER, "values_out is NULL");
    check_refused_access(gp, &good);
    assert_gp_fails(NULL, gp_sort(NULL, &d), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_sort(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    release(&good);
    free(keys);
    free(values);
    gp_context_destroy(gp);
}

/* Many sorts in a row without a host sync, of random sizes, in one context: one buffer back and forth. */
static void test_many(void **state)
{
    const size_t most = 5000, rounds = test_small() ? 20 : 2000;
    gp_context *gp = open_variant(&variants[0], NULL);
    sort_case c = {GP_U32, 4, most, KEYS_RANDOM, 0, 0, false, false, false, false, 0};
    unsigned char *keys = make_keys(&c), *values = make_values(&c);
    gp_sort_desc desc = make_desc(gp, &c, keys, values);
    size_t i;
    (void)state;
    for (i = 0; i < rounds; i++) {
        desc.count = test_random() % (most + 1);
        assert_gp(gp, gp_sort(gp, &desc));
        if (i % 100 == 99) assert_gp(gp, gp_finish(gp));
    }
    desc.count = most;
    assert_gp(gp, gp_sort(gp, &desc));
    {
        key_entry *e = reference(&c, keys);
        check_buffers(gp, "many", &c, &desc, e, keys, values);
        free(e);
    }
    release(&desc);
    free(keys);
    free(values);
    gp_context_destroy(gp);
}

/* After gp_warmup a sort of any size builds nothing. */
static void check_warmup(gp_context *gp)
{
    static const size_t counts[] = {1000, 3079, 20011, 49159, 200003};
    sort_case c = {GP_F32, 0, 0, KEYS_SPECIAL, 0, 0, true, false, false, false, 0};
    gp_sort_desc desc = {0};
    gp_warmup_desc warm = {0};
    uint64_t built;
    size_t k;
    if (!gp) return;
    desc.key_type = GP_F32;
    warm.sort = &desc;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    for (k = 0; k < sizeof counts / sizeof *counts && counts[k] <= (test_small() ? 3079 : SIZE_MAX); k++) {
        c.count = counts[k];
        check(gp, "warmed", &c);
    }
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    const gp_context_desc usual = desc_of(&variants[0]);
    gp_context_desc small_tile = {0};
    (void)state;
    check_warmup(test_open_with(&usual));
    small_tile.tuning.shape = GP_SHAPE_SERIAL;
    small_tile.tuning.tile = 1024;
    check_warmup(test_open_if(&small_tile));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant),   cmocka_unit_test(test_types),
        cmocka_unit_test(test_argsort),         cmocka_unit_test(test_lines),
        cmocka_unit_test(test_lines_apart),     cmocka_unit_test(test_fault_injection),
        cmocka_unit_test(test_impatient),       cmocka_unit_test(test_count_on_device),
        cmocka_unit_test(test_own_scratch),     cmocka_unit_test(test_scratch_is_constant),
        cmocka_unit_test(test_nearly_in_order), cmocka_unit_test(test_spread),
        cmocka_unit_test(test_spreads),         cmocka_unit_test(test_windows),
        cmocka_unit_test(test_bad_input),       cmocka_unit_test(test_many),
        cmocka_unit_test(test_warmup),          cmocka_unit_test(test_tiles),
    };
    return cmocka_run_group_tests_name("sort", tests, NULL, NULL);
}
