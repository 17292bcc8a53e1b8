/* test_segmented_sort.c - gp_segmented_sort and gp_segmented_argsort against a stable sort of each segment on the host. */
#include "../support/patterns.h"

/* How long the segments are; `unit` is what one group takes, about. */
typedef enum lengths {
    LENGTHS_TINY,  /* 0 ... 20 */
    LENGTHS_SMALL, /* 0 ... 200 */
    LENGTHS_EQUAL, /* 1000 */
    LENGTHS_ONE,   /* all */
    LENGTHS_EDGES, /* around a unit, two units */
    LENGTHS_MIXED, /* few huge, many tiny, runs of empty ones */
    LENGTHS_EMPTY, /* nearly all empty */
    LENGTHS_COUNT
} lengths;

/* What becomes of values. */
typedef enum order { ORDER_NONE, ORDER_IN_ARRAY, ORDER_IN_SEGMENT } order; /* ORDER_NONE: not an argsort */

typedef struct segment_case {
    gp_type type;
    size_t value_size;
    size_t count;
    lengths lengths;
    size_t unit;
    key_pattern pattern;
    uint32_t begin_bit, end_bit;
    bool descending, in_place, own_tmp, wide, gaps;
    size_t offset;
    bool rows; /* no offsets: all segments have one length */
    order order;
    bool no_keys; /* of an argsort: keys_out is NULL */
} segment_case;

/* Offsets as numbers, with room for one more. */
typedef struct segments {
    uint64_t *offset;
    size_t count;
} segments;

/* ------------------------------------------------------------------ input */

static size_t next_length(const segment_case *c, size_t s)
{
    const uint32_t r = test_random() >> 8;
    const size_t edges[] = {c->unit - 1, c->unit,         c->unit + 1, 1,   2 * c->unit, 0,  64,
                            65,          2 * c->unit + 1, 63,          127, 128,         129};
    switch (c->lengths) {
    case LENGTHS_TINY: return r % 21;
    case LENGTHS_SMALL: return r % 201;
    case LENGTHS_EQUAL: return 1000;
    case LENGTHS_EDGES: return edges[s % (sizeof edges / sizeof *edges)];
    case LENGTHS_MIXED: return s % 50 == 7 ? 3 * c->unit + r % c->unit : s % 11 < 3 ? 0 : r % 40;
    case LENGTHS_EMPTY: return s % 1000 == 500 ? 5 : 0;
    default: return c->count;
    }
}

/* Value i: its index, as far as it fits. */
static unsigned char *make_values(const segment_case *c)
{
    unsigned char *values = malloc(c->count * c->value_size + 1);
    size_t i;
    assert_non_null(values);
    for (i = 0; i < c->count; i++) {
        const uint64_t x[2] = {i, ~(uint64_t)i};
        memcpy(values + i * c->value_size, x, c->value_size);
    }
    return values;
}

/* Replaces values by indices, as gp_segmented_argsort does. */
static void make_indices(const segment_case *c, const segments *s, unsigned char *values)
{
    size_t i, k;
    for (i = 0; i < s->count; i++) {
        const uint64_t origin = c->order == ORDER_IN_SEGMENT ? s->offset[i] : 0;
        for (k = (size_t)s->offset[i]; k < s->offset[i + 1]; k++) {
            const uint64_t index = k - origin;
            memcpy(values + k * c->value_size, &index, c->value_size);
        }
    }
}

/* Segments that fill the array, or leave some elements at either end. */
static segments make_segments(const segment_case *c)
{
    const size_t gap = c->gaps ? c->count / 7 : 0, end = c->count - gap;
    const size_t most = c->lengths == LENGTHS_EMPTY ? 20000 : c->count + 2;
    segments s;
    uint64_t at = gap;
    s.offset = malloc((most + 2) * sizeof *s.offset);
    s.count = 0;
    assert_non_null(s.offset);
    s.offset[0] = at;
    while (s.count < most && (at < end || s.count == 0)) {
        const size_t length = next_length(c, s.count);
        at = length < end - at ? at + length : end;
        s.offset[++s.count] = at;
    }
    return s;
}

static cl_mem offsets_buffer(gp_context *gp, const segment_case *c, const segments *s)
{
    const size_t entries = s->count + 1;
    uint32_t *narrow = malloc(entries * sizeof *narrow);
    cl_mem buffer;
    size_t i;
    assert_non_null(narrow);
    for (i = 0; i < entries; i++) narrow[i] = (uint32_t)s->offset[i];
    buffer =
        c->wide ? guarded(gp, c->offset, entries, 8, s->offset) : guarded(gp, c->offset, entries, 4, narrow);
    free(narrow);
    return buffer;
}

/* ------------------------------------------------------------------ reference */

/* Repairs offsets as promised; how many were bad, and the first one. */
static gp_segmented_sort_report repair(segments *s, size_t count)
{
    gp_segmented_sort_report report = {0, 0};
    uint64_t most = 0;
    size_t i;
    for (i = 0; i <= s->count; i++) {
        if (s->offset[i] >= most && s->offset[i] <= count) {
            most = s->offset[i];
            continue;
        }
        if (report.bad_offsets++ == 0) report.first_bad = i;
        s->offset[i] = most;
    }
    return report;
}

/* What comes to stand at each place: the index of an element, or SIZE_MAX: not written. */
static size_t *reference(const segment_case *c, const segments *s, const unsigned char *keys)
{
    const size_t size = key_size(c->type);
    size_t *from = malloc((c->count + 1) * sizeof *from), i, k;
    assert_non_null(from);
    for (i = 0; i < c->count; i++) from[i] = c->in_place ? i : SIZE_MAX;
    for (i = 0; i < s->count; i++) {
        const size_t begin = (size_t)s->offset[i], n = (size_t)(s->offset[i + 1] - s->offset[i]);
        key_entry *e;
        if (n == 0) continue;
        e = keys_sorted(c->type, c->descending, c->begin_bit, c->end_bit, keys + begin * size, n);
        for (k = 0; k < n; k++) from[begin + k] = begin + e[k].index;
        free(e);
    }
    return from;
}

/* ------------------------------------------------------------------ check */

static void fail_case(const char *name, const segment_case *c, const char *what, size_t i)
{
    fail_msg("%s: type %d, values of %zu, count %zu, lengths %d, unit %zu, pattern %d, bits %u..%u, "
             "descending %d, in place %d, own tmp %d, wide %d, gaps %d, offset %zu: %s[%zu] is wrong",
             name, (int)c->type, c->value_size, c->count, (int)c->lengths, c->unit, (int)c->pattern,
             c->begin_bit, c->end_bit, c->descending, c->in_place, c->own_tmp, c->wide, c->gaps, c->offset,
             what, i);
}

static bool is_poison(const unsigned char *p, size_t size)
{
    while (size > 0 && *p == TEST_POISON) p++, size--;
    return size == 0;
}

/* The buffer holds element from[i] of `data` at offset + i, and guards around; without `from`, data. */
static void compare(gp_context *gp, const char *name, const segment_case *c, const char *what, cl_mem buffer,
                    size_t offset, size_t size, const size_t *from, const unsigned char *data)
{
    unsigned char *out = test_read(gp, buffer, (offset + c->count + GUARD) * size);
    unsigned char *own = out + offset * size;
    size_t i;
    for (i = 0; i < c->count; i++) {
        const size_t k = from ? from[i] : i;
        if (k == SIZE_MAX ? !is_poison(own + i * size, size)
                          : memcmp(own + i * size, data + k * size, size) != 0) {
            fail_case(name, c, what, i);
        }
    }
    if (!is_poison(out, offset * size)) fail_case(name, c, "guard before", 0);
    if (!is_poison(own + c->count * size, GUARD * size)) fail_case(name, c, "guard behind", 0);
    free(out);
}

static void check_buffers(gp_context *gp, const char *name, const segment_case *c,
                          const gp_segmented_sort_desc *d, const size_t *from, const unsigned char *keys,
                          const unsigned char *values)
{
    const size_t size = key_size(c->type), v = c->value_size;
    if (d->keys_out) compare(gp, name, c, "keys_out", d->keys_out, d->keys_out_offset, size, from, keys);
    compare(gp, name, c, "keys", d->keys, d->keys_offset, size, c->in_place ? from : NULL, keys);
    if (d->values_out)
        compare(gp, name, c, "values_out", d->values_out, d->values_out_offset, v, from, values);
    if (d->values)
        compare(gp, name, c, "values", d->values, d->values_offset, v, c->in_place ? from : NULL, values);
}

static void release(const gp_segmented_sort_desc *d)
{
    const cl_mem all[] = {d->keys,       d->keys_out,   d->keys_tmp, d->values,
                          d->values_out, d->values_tmp, d->offsets,  d->count_buffer};
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]) clReleaseMemObject(all[i]);
    }
}

static gp_segmented_sort_desc make_desc(gp_context *gp, const segment_case *c, const segments *s,
                                        const unsigned char *keys, const unsigned char *values)
{
    const size_t n = c->count, size = key_size(c->type), vs = c->value_size;
    gp_segmented_sort_desc d = {0};
    d.count = n;
    d.key_type = c->type;
    d.value_size = vs;
    d.begin_bit = c->begin_bit;
    d.end_bit = c->end_bit;
    d.descending = c->descending;
    d.keys_offset = d.values_offset = d.offsets_offset = c->offset;
    d.keys_out_offset = d.values_out_offset = c->offset ? c->offset + 3 : 0;
    d.keys_tmp_offset = d.values_tmp_offset = c->offset;
    d.keys = guarded(gp, d.keys_offset, n, size, keys);
    if (!c->in_place && !c->no_keys) d.keys_out = guarded(gp, d.keys_out_offset, n, size, NULL);
    if (c->own_tmp) d.keys_tmp = guarded(gp, d.keys_tmp_offset, n, size, NULL);
    if (vs && !c->order) d.values = guarded(gp, d.values_offset, n, vs, values);
    d.array_indices = c->order == ORDER_IN_ARRAY;
    if (c->order && c->in_place) {
        d.keys_out = d.keys;
        d.keys_out_offset = d.keys_offset;
        assert_int_equal(clRetainMemObject(d.keys), CL_SUCCESS); /* release() releases both */
    }
    if (vs && (!c->in_place || c->order)) d.values_out = guarded(gp, d.values_out_offset, n, vs, NULL);
    if (vs && c->own_tmp) d.values_tmp = guarded(gp, d.values_tmp_offset, n, vs, NULL);
    if (c->rows) d.row_length = s->offset[1];
    else d.offsets = offsets_buffer(gp, c, s);
    d.offsets_type = c->wide ? GP_U64 : GP_U32;
    d.segment_count = s->count;
    return d;
}

/* Sorts by these segments, which are repaired on the way. Takes them. */
static void check_segments(gp_context *gp, const char *name, const segment_case *c, segments s)
{
    unsigned char *keys = keys_make(c->type, c->pattern, c->count);
    unsigned char *values = make_values(c);
    const gp_segmented_sort_desc desc = make_desc(gp, c, &s, keys, values);
    const gp_segmented_sort_report expected = repair(&s, c->count);
    size_t *from = reference(c, &s, keys);
    gp_segmented_sort_report report = {99, 99};
    if (c->order) {
        make_indices(c, &s, values);
        assert_gp(gp, gp_segmented_argsort(gp, &desc));
    } else if (expected.bad_offsets || test_random() % 4 == 0) {
        assert_gp(gp, gp_segmented_sort_read(gp, &desc, &report));
        if (c->count) assert_int_equal(report.bad_offsets, expected.bad_offsets);
        if (c->count) assert_int_equal(report.first_bad, expected.first_bad);
    } else {
        assert_gp(gp, gp_segmented_sort(gp, &desc));
    }
    check_buffers(gp, name, c, &desc, from, keys, values);
    release(&desc);
    free(from);
    free(values);
    free(keys);
    free(s.offset);
}

static void check(gp_context *gp, const char *name, const segment_case *c)
{
    check_segments(gp, name, c, make_segments(c));
}

/* ------------------------------------------------------------------ variants */

typedef struct variant {
    const char *name;
    gp_shape shape;
    uint32_t tile;
} variant;

static const variant variants[] = {
    {"default", GP_SHAPE_AUTO, 0},
    {"serial, small groups", GP_SHAPE_SERIAL, 256},
    {"local", GP_SHAPE_LOCAL, 0},
};
enum { VARIANTS = sizeof variants / sizeof *variants, LOCAL = 2 };

/* NULL: the device cannot. */
static gp_context *open_variant(const variant *v)
{
    gp_context_desc desc = {0};
    desc.tuning.shape = v->shape;
    desc.tuning.tile = v->tile;
    return test_open_if(&desc);
}

/* The local shape costs PoCL many seconds a program. */
static bool is_dear(const gp_context *gp, const variant *v)
{
    return v->shape == GP_SHAPE_LOCAL && !test_builds_are_cheap(gp);
}

/* What one group sorts, about: lengths are chosen around it. */
static size_t unit_of(gp_context *gp, const variant *v)
{
    const bool local = v->shape == GP_SHAPE_LOCAL ||
                       (v->shape == GP_SHAPE_AUTO && !strstr(gp_context_info(gp)->name, "pthread"));
    if (v->tile) return v->tile;
    return local ? 1024 : 16384;
}

/* Lengths, keys, places, orders, windows. */
static void check_ways(gp_context *gp, const char *name, segment_case c)
{
    static const uint32_t windows[][2] = {{0, 11}, {3, 19}, {24, 0}, {7, 7}, {8, 16}, {0, 1}};
    const uint32_t width = 8 * (uint32_t)key_size(c.type);
    size_t k;
    for (k = 0; k < LENGTHS_COUNT; k++) {
        c.lengths = (lengths)k;
        c.gaps = k % 2 != 0;
        c.wide = k % 3 == 0;
        c.pattern = (key_pattern)(k % KEYS_PATTERNS);
        c.descending = k % 2 == 0;
        check(gp, name, &c);
        c.in_place = true;
        check(gp, name, &c);
        c.in_place = false;
    }
    c.lengths = LENGTHS_MIXED;
    c.pattern = KEYS_RANDOM;
    c.offset = 5;
    c.own_tmp = true;
    check(gp, name, &c);
    c.in_place = true;
    check(gp, name, &c);
    c.own_tmp = false;
    c.offset = 0;
    for (k = 0; k < sizeof windows / sizeof *windows; k += test_small() ? 3 : 1) {
        if (windows[k][0] >= width || windows[k][1] > width) continue;
        c.begin_bit = windows[k][0];
        c.end_bit = windows[k][1];
        c.in_place = k % 2 != 0;
        c.descending = k % 3 == 0;
        c.lengths = k % 2 ? LENGTHS_MIXED : LENGTHS_SMALL;
        check(gp, name, &c);
    }
}

static const segment_case plain = {
    .type = GP_U32, .value_size = 4, .lengths = LENGTHS_MIXED, .unit = 1024, .pattern = KEYS_RANDOM};

static void check_variant(gp_context *gp, const variant *v)
{
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 255, 257, 1023, 1025, 4099};
    segment_case c = plain;
    size_t i;
    c.unit = unit_of(gp, v);
    c.count = test_small() ? 3001 : is_dear(gp, v) ? 20011 : 6 * c.unit + 5003;
    if (is_dear(gp, v) || (test_small() && v != &variants[1])) {
        for (i = 0; i < LENGTHS_COUNT; i += test_small() ? 5 : 1) {
            c.lengths = (lengths)i;
            c.in_place = i % 2 != 0;
            check(gp, v->name, &c);
        }
        return;
    }
    check_ways(gp, v->name, c);
    for (i = 0; i < sizeof sizes / sizeof *sizes; i += test_small() ? 4 : 1) {
        c.count = sizes[i];
        c.lengths = (lengths)(i % LENGTHS_COUNT);
        check(gp, v->name, &c);
    }
}

static void test_every_variant(void **state)
{
    size_t v;
    (void)state;
    for (v = 0; v < VARIANTS; v++) {
        gp_context *gp = open_variant(&variants[v]);
        if (!gp) continue;
        check_variant(gp, &variants[v]);
        gp_context_destroy(gp);
    }
}

/* Types and value sizes on the device's default: a diagonal. Under a simulator each second type. */
static void test_types(void **state)
{
    static const gp_type types[] = {GP_U8,  GP_I8,  GP_U16, GP_I16, GP_U32, GP_I32,
                                    GP_U64, GP_I64, GP_F32, GP_F64, GP_F16};
    /* types of one size share programs, but for floats */
    static const size_t value_sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 0, 16, 2};
    gp_context *gp = open_variant(&variants[0]);
    size_t t, k;
    (void)state;
    for (t = 0; t < sizeof types / sizeof *types; t += test_small() ? 2 : 1) {
        segment_case c = plain;
        c.type = types[t];
        c.value_size = value_sizes[t];
        c.unit = test_small() ? 100 : unit_of(gp, &variants[0]);
        c.count = test_small() ? 1001 : 4 * c.unit + 3001;
        for (k = 0; k < 4; k++) {
            if (test_small() && k % 4 != t / 2 % 4) continue;
            c.pattern = k % 2 ? KEYS_SPECIAL : KEYS_RANDOM;
            c.lengths = k < 2 ? LENGTHS_MIXED : LENGTHS_SMALL;
            c.in_place = k == 1;
            c.descending = k == 2;
            check(gp, "types", &c);
        }
    }
    gp_context_destroy(gp);
}

/* Large arrays: one huge segment that is moved by lines, and many of every length. */
static void test_large(void **state)
{
    gp_context *gp;
    segment_case c = plain;
    (void)state;
    if (test_small()) return;
    gp = open_variant(&variants[0]);
    c.count = test_builds_are_cheap(gp) ? 200003 : (1 << 20) + 123; /* llvmpipe is slow */
    c.unit = unit_of(gp, &variants[0]);
    for (c.lengths = 0; c.lengths < LENGTHS_EMPTY; c.lengths = (lengths)(c.lengths + 1)) {
        c.in_place = c.lengths % 2 != 0;
        check(gp, "large", &c);
    }
    gp_context_destroy(gp);
}

/* Spoils some offsets: beyond the end, below an earlier one, or anything at all. */
static void spoil(segments *s, int how, size_t count)
{
    size_t i;
    for (i = 0; i <= s->count; i++) {
        const uint32_t r = test_random() >> 8;
        if (how == 0 && i == s->count / 2) s->offset[i] = count + 1;
        if (how == 1 && i == s->count / 2) s->offset[i] = 0;
        if (how == 2 && r % 5 == 0) s->offset[i] = random_64() >> (r % 40);
        if (how == 3) s->offset[i] = r % (2 * count);
        if (how == 4 && i == 0) s->offset[i] = ~(uint64_t)0;
        if (how == 5) s->offset[i] = ~(uint64_t)i;
        if (how == 6 && i == 0) s->offset[i] = count;
    }
}

static void test_bad_offsets(void **state)
{
    size_t v;
    int how;
    (void)state;
    for (v = 0; v < VARIANTS; v++) {
        gp_context *gp = open_variant(&variants[v]);
        segment_case c = plain;
        if (!gp) continue;
        if (is_dear(gp, &variants[v])) {
            gp_context_destroy(gp);
            continue;
        }
        c.unit = test_small() ? 100 : unit_of(gp, &variants[v]);
        c.count = test_small() ? 1501 : 5 * c.unit + 7;
        c.wide = true;
        for (how = 0; how < 7; how += test_small() ? 3 : 1) {
            segments s;
            c.in_place = how % 2 != 0;
            c.lengths = how % 3 ? LENGTHS_MIXED : LENGTHS_TINY;
            s = make_segments(&c);
            spoil(&s, how, c.count);
            check_segments(gp, variants[v].name, &c, s);
        }
        assert_int_equal(test_profile_of(gp).bad_offsets, test_small() ? 3 : 7);
        gp_context_destroy(gp);
    }
}

/* The number of segments is on the device: less than the bound, and more, which is clamped. */
static void test_count_on_device(void **state)
{
    static const uint32_t counts[] = {0, 1, 7, 1000000};
    gp_context *gp = open_variant(&variants[0]);
    segment_case c = plain;
    size_t k;
    (void)state;
    c.count = test_small() ? 1501 : 50021;
    c.lengths = LENGTHS_SMALL;
    for (k = 0; k < sizeof counts / sizeof *counts; k++) {
        unsigned char *keys = keys_make(c.type, c.pattern, c.count);
        unsigned char *values = make_values(&c);
        segments s = make_segments(&c);
        gp_segmented_sort_desc desc = make_desc(gp, &c, &s, keys, values);
        size_t *from;
        desc.count_buffer = test_buffer(gp, 4, &counts[k]);
        desc.count_type = GP_U32;
        if (counts[k] < s.count) s.count = counts[k];
        from = reference(&c, &s, keys);
        assert_gp(gp, gp_segmented_sort(gp, &desc));
        check_buffers(gp, "count on device", &c, &desc, from, keys, values);
        release(&desc);
        free(from);
        free(s.offset);
        free(values);
        free(keys);
    }
    assert_int_equal(test_profile_of(gp).clamped, 1);
    gp_context_destroy(gp);
}

/* Scratch of the caller's: exactly as much as asked for, poisoned; one byte less is refused. */
static void test_own_scratch(void **state)
{
    size_t v;
    (void)state;
    for (v = 0; v < LOCAL; v++) {
        gp_context *gp = open_variant(&variants[v]);
        segment_case c = plain;
        unsigned char *keys, *values;
        gp_segmented_sort_desc desc;
        size_t bytes, *from;
        segments s;
        if (!gp) continue;
        c.unit = test_small() ? 200 : unit_of(gp, &variants[v]);
        c.count = test_small() ? 3079 : 4 * c.unit;
        c.in_place = v != 0;
        keys = keys_make(c.type, c.pattern, c.count);
        values = make_values(&c);
        s = make_segments(&c);
        from = reference(&c, &s, keys);
        desc = make_desc(gp, &c, &s, keys, values);
        assert_gp(gp, gp_segmented_sort_scratch_size(gp, &desc, &bytes));
        desc.scratch = test_buffer(gp, bytes - 1, NULL);
        assert_gp_fails(gp, gp_segmented_sort(gp, &desc), GP_ERROR_INVALID_BUFFER, "scratch");
        clReleaseMemObject(desc.scratch);
        desc.scratch = test_buffer(gp, bytes, NULL);
        assert_gp(gp, gp_segmented_sort(gp, &desc));
        check_buffers(gp, variants[v].name, &c, &desc, from, keys, values);
        assert_int_equal(test_profile_of(gp).scratch_bytes, 0);
        clReleaseMemObject(desc.scratch);
        release(&desc);
        free(from);
        free(s.offset);
        free(values);
        free(keys);
        gp_context_destroy(gp);
    }
}

static void test_bad_input(void **state)
{
    gp_context *gp = open_variant(&variants[0]);
    segment_case c = plain;
    unsigned char *keys, *values;
    gp_segmented_sort_desc good, d;
    gp_segmented_sort_report report = {1, 1};
    segments s;
    (void)state;
    c.count = 1000;
    c.unit = 100;
    c.gaps = true;
    keys = keys_make(c.type, c.pattern, c.count);
    values = make_values(&c);
    s = make_segments(&c);
    good = make_desc(gp, &c, &s, keys, values);
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_segmented_sort(gp, &d), result, text)
    REFUSED(d.key_type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "key_type is not set");
    REFUSED(d.value_size = 3, GP_ERROR_INVALID_ARGUMENT, "value_size = 3");
    REFUSED(d.end_bit = 33, GP_ERROR_INVALID_ARGUMENT, "end_bit = 33");
    REFUSED(d.offsets_type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "offsets_type = 0");
    REFUSED(d.offsets_type = GP_I32, GP_ERROR_INVALID_TYPE, "offsets_type = 5");
    REFUSED((d.offsets = NULL, d.row_length = 3, d.count = 0), GP_ERROR_INVALID_ARGUMENT,
            "count is 0, and there are");
    REFUSED(d.row_length = 3, GP_ERROR_INVALID_ARGUMENT, "offsets and row_length");
    REFUSED(d.offsets = NULL, GP_ERROR_INVALID_BUFFER, "offsets is NULL");
    REFUSED(d.segment_count += 100, GP_ERROR_INVALID_BUFFER, "offsets has");
    REFUSED(d.segment_count = UINT32_MAX, GP_ERROR_COUNT_LIMIT, "segment_count = 4294967295");
    REFUSED(d.offsets = d.keys_out, GP_ERROR_OVERLAP, "offsets");
    REFUSED(d.keys = NULL, GP_ERROR_INVALID_BUFFER, "keys is NULL");
    REFUSED(d.values = NULL, GP_ERROR_INVALID_BUFFER, "values is NULL");
    REFUSED(d.count = 1017, GP_ERROR_INVALID_BUFFER, "keys has");
    REFUSED((d.keys_out = d.keys, d.keys_out_offset = 1), GP_ERROR_OVERLAP, "keys_out");
    REFUSED(d.values_out = d.keys_out, GP_ERROR_OVERLAP, "values_out");
    REFUSED((d.count_buffer = d.keys, d.count_type = GP_F32), GP_ERROR_INVALID_TYPE, "count_type");
    REFUSED((d.count_buffer = d.keys_out, d.count_type = GP_U32), GP_ERROR_OVERLAP, "count_buffer");
    REFUSED(d.scratch = d.offsets, GP_ERROR_INVALID_BUFFER, "scratch");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    assert_gp_fails(gp, gp_segmented_sort_read(gp, &good, NULL), GP_ERROR_INVALID_ARGUMENT, "report");
    assert_gp_fails(NULL, gp_segmented_sort(NULL, &good), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_segmented_sort(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    d = good;
    d.segment_count = 0;
    assert_gp(gp, gp_segmented_sort_read(gp, &d, &report));
    assert_int_equal(report.bad_offsets, 0);
    release(&good);
    free(s.offset);
    free(values);
    free(keys);
    gp_context_destroy(gp);
}

/* Random sizes and segments in a row, in one context. */
static void test_many(void **state)
{
    const size_t rounds = test_small() ? 5 : 200;
    gp_context *gp = open_variant(&variants[1]);
    size_t i;
    if (!gp) gp = open_variant(&variants[0]);
    (void)state;
    for (i = 0; i < rounds; i++) {
        segment_case c = plain;
        c.count = test_random() % (test_small() ? 1000 : 8000);
        c.unit = 256;
        c.lengths = (lengths)(i % LENGTHS_COUNT);
        c.in_place = i % 2 != 0;
        c.gaps = i % 3 == 0;
        check(gp, "many", &c);
    }
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    gp_context *gp = open_variant(&variants[0]);
    gp_segmented_sort_desc desc = {0};
    gp_warmup_desc warm = {0};
    segment_case c = plain;
    uint64_t built;
    (void)state;
    desc.key_type = GP_U32;
    desc.value_size = 4;
    warm.segmented_sort = &desc;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    c.count = 5000;
    c.unit = 1000;
    check(gp, "warmed", &c);
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    gp_context_destroy(gp);
}

/* Rows: small ones, and such as several groups share. */
static void test_rows(void **state)
{
    static const size_t counts[] = {1000, 30000, 1, 90001};
    size_t v, k;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (k = 0; k < 4 && gp; k++) {
            segment_case c = {0};
            c.type = GP_I32;
            c.value_size = k % 2 ? 4 : 0;
            c.count = test_small() && k == 3 ? 9001 : counts[k];
            c.lengths = k < 2 ? LENGTHS_EQUAL : LENGTHS_ONE;
            c.unit = 1;
            c.pattern = KEYS_RANDOM;
            c.descending = k == 1;
            c.in_place = k == 3;
            c.offset = k;
            c.rows = true;
            check_segments(gp, test_shapes[v].name, &c, make_segments(&c));
        }
        if (gp) gp_context_destroy(gp);
    }
}

/* Rows that one group sorts take no launches for large segments, because the host knows that there are none. */
static void test_launches(void **state)
{
    size_t v;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        segment_case c = plain;
        if (!gp) continue;
        c.count = 30000;
        c.lengths = LENGTHS_EQUAL;
        c.rows = true;
        check(gp, test_shapes[v].name, &c);
        assert_int_equal(test_profile_of(gp).launches, 3);
        gp_context_destroy(gp);
    }
}

/* Indices of the segments or of the array, of 4 and 8 bytes, with and without sorted keys. */
static void test_argsort(void **state)
{
    static const gp_type types[] = {GP_F32, GP_U64, GP_U8, GP_I16};
    size_t v, k;
    (void)state;
    for (v = 0; v < VARIANTS; v++) {
        gp_context *gp = open_variant(&variants[v]);
        for (k = 0; k < 2 * LENGTHS_COUNT && gp; k += test_small() ? 3 : 1) {
            segment_case c = plain;
            c.unit = test_small() ? 100 : unit_of(gp, &variants[v]);
            c.count = test_small() ? 1501 : is_dear(gp, &variants[v]) ? 20011 : 6 * c.unit + 5003;
            c.type = types[is_dear(gp, &variants[v]) ? k % 2 : k % 4];
            c.value_size = c.type == GP_U64 ? 8 : 4;
            c.lengths = (lengths)(k % LENGTHS_COUNT);
            c.order = k % 3 == 1 ? ORDER_IN_ARRAY : ORDER_IN_SEGMENT;
            c.pattern = (key_pattern)(k % KEYS_PATTERNS);
            c.end_bit = k % 5 == 4 ? 8 : 0; /* keys that entries do not contain */
            c.descending = k % 4 == 3;
            c.no_keys = k % 3 == 2;
            c.gaps = k % 2 == 0;
            c.in_place = !c.no_keys && !c.gaps && c.lengths != LENGTHS_EMPTY; /* all is in segments */
            c.own_tmp = k % 4 == 2;
            c.offset = k % 7;
            check(gp, variants[v].name, &c);
        }
        if (gp) gp_context_destroy(gp);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant),   cmocka_unit_test(test_types),
        cmocka_unit_test(test_large),           cmocka_unit_test(test_bad_offsets),
        cmocka_unit_test(test_count_on_device), cmocka_unit_test(test_own_scratch),
        cmocka_unit_test(test_bad_input),       cmocka_unit_test(test_many),
        cmocka_unit_test(test_warmup),          cmocka_unit_test(test_rows),
        cmocka_unit_test(test_launches),        cmocka_unit_test(test_argsort),
    };
    return cmocka_run_group_tests_name("segmented_sort", tests, NULL, NULL);
}
