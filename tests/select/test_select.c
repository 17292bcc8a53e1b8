/* test_select.c - gp_select and gp_partition in every variant, against a sequential reference. */
#include "../support/packs.h"

/* ------------------------------------------------------------------ what is picked */

typedef enum by { BY_PREDICATE, BY_FLAGS, BY_INDICES } by;

/* An element's first bytes decide; a second threshold makes three parts. */
typedef struct choice {
    by by;
    gp_type type; /* 0: records */
    size_t size;
    unsigned first, second; /* of 200 */
} choice;

static void expression(const choice *c, unsigned below, char text[128])
{
    snprintf(text, 128, "(uint)%s %% 200u < %uu // ends in a comment", c->size == 16 ? "x.x" : "x", below);
}

static unsigned residue(const choice *c, const unsigned char *element)
{
    uint64_t x = 0;
    memcpy(&x, element, c->size < 4 ? c->size : 4);
    return (unsigned)(x % 200);
}

static uint16_t *make_flags(const choice *c, size_t n)
{
    uint16_t *flags = malloc((n + 1) * sizeof *flags);
    size_t i;
    assert_non_null(flags);
    for (i = 0; i < n; i++)
        flags[i] = test_random() % 200 < c->first ? (uint16_t)(256 << test_random() % 8) : 0;
    return flags;
}

/* Indices, those that are not picked lead nowhere. */
static void *make_list(const choice *c, const pack_form *form)
{
    const size_t size = pack_number_size(form);
    char *list = malloc((form->count + 1) * size);
    size_t i;
    assert_non_null(list);
    for (i = 0; i < form->count; i++) {
        const bool good = test_random() % 200 < c->first;
        const uint64_t index = good ? test_random() % form->count : ~(uint64_t)0 - test_random() % 1000;
        memcpy(list + i * size, &index, size);
    }
    return list;
}

/* ------------------------------------------------------------------ select */

enum { WANT_ELEMENTS = 1, WANT_INDICES = 2 };

/* Elements and indices that are to come out; returns how many. */
static size_t select_reference(const choice *c, const pack_form *form, const unsigned char *in,
                               const uint16_t *flags, const char *list, unsigned char *elements,
                               char *indices)
{
    const size_t number = pack_number_size(form);
    size_t i, n = 0;
    for (i = 0; i < form->count; i++) {
        uint64_t at = i;
        if (c->by == BY_INDICES) at = 0;
        if (c->by == BY_INDICES) memcpy(&at, list + i * number, number);
        if (c->by == BY_PREDICATE && residue(c, in + i * c->size) >= c->first) continue;
        if (c->by == BY_FLAGS && !flags[i]) continue;
        if (c->by == BY_INDICES && at >= form->count) continue;
        memcpy(elements + n * c->size, in + at * c->size, c->size);
        memcpy(indices + n++ * number, &at, number);
    }
    return n;
}

static void select_run(gp_context *gp, gp_select_desc *d, const pack_form *form, size_t expected)
{
    uint64_t count = 0;
    if (form->own_scratch) {
        size_t bytes = 0;
        assert_gp(gp, gp_select_scratch_size(gp, d, &bytes));
        if (bytes) d->scratch = test_buffer(gp, bytes, NULL);
    }
    if (!form->read) {
        assert_gp(gp, gp_select(gp, d));
    } else {
        assert_gp(gp, gp_select_read(gp, d, &count));
        assert_int_equal(count, expected);
    }
    if (d->scratch) clReleaseMemObject(d->scratch);
}

static void check_select(gp_context *gp, const choice *c, const pack_form *form, int wanted)
{
    const size_t n = form->count, o = form->offset, number = pack_number_size(form);
    unsigned char *in = pack_random(n * c->size), *elements = pack_random(n * c->size);
    uint16_t *flags = make_flags(c, n);
    char *list = make_list(c, form), *indices = pack_random(n * number);
    const size_t kept = select_reference(c, form, in, flags, list, elements, indices);
    const uint64_t count = kept;
    pack_out out = pack_out_make(gp, o + 1, form->bound, c->size);
    pack_out index = pack_out_make(gp, 2 * o + 1, form->bound, number);
    pack_out counts = pack_out_make(gp, o, 1, number);
    char text[128];
    gp_select_desc d = {0};
    expression(c, c->first, text);
    d.in = pack_in(gp, in, form, o, c->size);
    d.in_offset = o;
    if (c->by == BY_INDICES) d.in_count = n;
    d.count = form->bound;
    d.count_buffer = pack_count(gp, form);
    d.count_offset = PACK_COUNT_OFFSET;
    if (d.count_buffer) d.count_type = form->wide ? GP_U64 : GP_U32;
    d.type = c->type;
    d.element_size = c->type ? 0 : c->size;
    if (c->by == BY_PREDICATE) d.predicate = text;
    if (c->by == BY_FLAGS) d.flags = pack_in(gp, flags, form, o + 3, 2);
    if (c->by == BY_INDICES) d.indices = pack_in(gp, list, form, o + 3, number);
    d.flags_offset = d.indices_offset = o + 3;
    if (c->by == BY_FLAGS) d.flags_type = GP_U16;
    d.index_type = d.count_out_type = pack_number_type(form);
    if (wanted & WANT_ELEMENTS) d.out = out.buffer;
    if (wanted & WANT_INDICES) d.indices_out = index.buffer;
    d.out_offset = out.offset;
    d.indices_out_offset = index.offset;
    d.count_out = counts.buffer;
    d.count_out_offset = counts.offset;
    select_run(gp, &d, form, kept);
    pack_out_check(gp, &out, "elements", elements, wanted & WANT_ELEMENTS ? kept : 0);
    pack_out_check(gp, &index, "indices", indices, wanted & WANT_INDICES ? kept : 0);
    pack_out_check_numbers(gp, &counts, &count, 1);
    clReleaseMemObject(d.in);
    if (d.flags) clReleaseMemObject(d.flags);
    if (d.indices) clReleaseMemObject(d.indices);
    if (d.count_buffer) clReleaseMemObject(d.count_buffer);
    free(in);
    free(elements);
    free(flags);
    free(list);
    free(indices);
}

static pack_form form_of(size_t count)
{
    pack_form form = {0};
    form.count = form.bound = count;
    return form;
}

static void check_select_counts(gp_context *gp, const choice *c, int wanted)
{
    const size_t *counts;
    const size_t n = pack_counts(&counts);
    size_t k;
    for (k = 0; k < n; k++) {
        pack_form form = form_of(counts[k]);
        form.own_scratch = k % 2 == 0;
        form.read = k % 3 == 0;
        check_select(gp, c, &form, wanted);
    }
}

/* Every selectivity from none to all, odd offsets, counts on the device; `gp` runs one variant. */
static void check_select_forms(gp_context *gp, choice c, int wanted)
{
    static const unsigned shares[] = {0, 2, 100, 198, 200}; /* 0, 1 %, 50 %, 99 %, 1 */
    const size_t n = test_small() ? 3079 : 20011;
    size_t k;
    for (k = 0; k < 5; k++) {
        pack_form form = form_of(n + k);
        if (c.by == BY_PREDICATE && !test_small() && k != 2) continue; /* a program each */
        c.first = shares[k];
        form.offset = k;
        check_select(gp, &c, &form, wanted);
        form.bound = form.count + (k % 2 ? 1 : 9000);
        check_select(gp, &c, &form, wanted);
    }
    c.first = 100;
    for (k = 0; k < 2; k++) { /* no element, or few, of many that there might be */
        pack_form form = form_of(17 * k);
        form.bound = 5000;
        check_select(gp, &c, &form, wanted);
    }
}

static void test_select_every_variant(void **state)
{
    const choice by_predicate = {BY_PREDICATE, GP_U32, 4, 100, 0};
    const choice by_flags = {BY_FLAGS, GP_TYPE_NONE, 8, 100, 0};
    size_t v;
    (void)state;
    for (v = 0; v < test_variant_count; v++) {
        gp_context *gp = v == 1 ? test_open_other(&test_variants[v]) : test_open(&test_variants[v], NULL);
        gp_stats profile;
        if (!gp) continue;
        check_select_counts(gp, &by_predicate, WANT_ELEMENTS | WANT_INDICES);
        if (v % 3 == 0 || test_builds_are_cheap(gp)) check_select_forms(gp, by_flags, WANT_ELEMENTS);
        profile = test_profile_of(gp);
        assert_int_equal(profile.abandoned, 0);
        gp_context_destroy(gp);
    }
}

/* Records of every size and element types, by all three ways; indices and counts of 64 bits. */
static void test_select_elements(void **state)
{
    static const choice all[] = {
        {BY_FLAGS, GP_TYPE_NONE, 16, 100, 0},  {BY_INDICES, GP_U32, 4, 190, 0},
        {BY_PREDICATE, GP_U8, 1, 50, 0},       {BY_PREDICATE, GP_TYPE_NONE, 16, 100, 0},
        {BY_FLAGS, GP_U16, 2, 100, 0},         {BY_INDICES, GP_TYPE_NONE, 16, 100, 0},
        {BY_PREDICATE, GP_TYPE_NONE, 2, 2, 0}, {BY_PREDICATE, GP_U64, 8, 198, 0},
        {BY_FLAGS, GP_TYPE_NONE, 1, 2, 0},     {BY_INDICES, GP_TYPE_NONE, 1, 100, 0},
    };
    enum { ALL = sizeof all / sizeof *all, DEAR = 4 };
    gp_context *gp = test_open(&test_variants[0], NULL);
    const size_t n = test_builds_are_cheap(gp) ? ALL : DEAR;
    size_t k;
    (void)state;
    for (k = 0; k < n; k++) {
        pack_form form = form_of(test_small() ? 3079 : 70001);
        form.offset = 5;
        form.wide = k % 2 == 1;
        form.own_scratch = true;
        check_select(gp, &all[k], &form, k % 3 ? WANT_ELEMENTS | WANT_INDICES : WANT_INDICES);
        form.bound += 4321;
        form.count = 2 * form.count / 3;
        check_select(gp, &all[k], &form, k % 3 ? WANT_ELEMENTS | WANT_INDICES : WANT_INDICES);
    }
    gp_context_destroy(gp);
}

/* Floats and halves as numbers in a predicate, moved bit by bit: NaN does not hold, and -0 stays -0. */
static void test_select_floats(void **state)
{
    const float nan = (float)(1e308 * 10 * 0.0);
    const float in[6] = {1.5f, nan, -0.0f, -3.0f, 0.25f, 0.0f}, kept[4] = {1.5f, -0.0f, 0.25f, 0.0f};
    const uint16_t halves[6] = {0x3e00, 0x7e01, 0x8000, 0xc200, 0x3400, 0x0000};
    const uint16_t kept_halves[4] = {0x3e00, 0x8000, 0x3400, 0x0000};
    gp_context *gp = test_open(&test_variants[0], NULL);
    int half;
    (void)state;
    for (half = 0; half < 2; half++) {
        const size_t size = half ? 2 : 4;
        pack_out out = pack_out_make(gp, 1, 6, size);
        gp_select_desc d = {0};
        uint64_t count;
        d.in = test_buffer(gp, 6 * size, half ? (const void *)halves : in);
        d.out = out.buffer;
        d.out_offset = out.offset;
        d.count = 6;
        d.type = half ? GP_F16 : GP_F32;
        d.predicate = "x >= 0.0f";
        assert_gp(gp, gp_select_read(gp, &d, &count));
        assert_int_equal(count, 4);
        pack_out_check(gp, &out, "floats", half ? (const void *)kept_halves : kept, 4);
        clReleaseMemObject(d.in);
    }
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ partition */

typedef enum form_of_parts { APART, BEHIND, REVERSED } form_of_parts;

/* The parts one behind the other, as they are to come out; ends[k] is where part k ends. */
static void partition_reference(const choice *c, size_t n, const unsigned char *in, const uint16_t *flags,
                                unsigned parts, unsigned char *out, size_t ends[3])
{
    unsigned part;
    size_t i, at = 0;
    for (part = 0; part < 3; part++) {
        for (i = 0; i < n; i++) {
            const unsigned r = residue(c, in + i * c->size);
            unsigned is = r < c->first ? 0 : parts == 3 && r < c->second ? 1 : 2;
            if (c->by == BY_FLAGS) is = flags[i] ? 0 : 2;
            if (is == part) memcpy(out + at++ * c->size, in + i * c->size, c->size);
        }
        ends[part] = at;
    }
}

static void reverse(unsigned char *data, size_t n, size_t size)
{
    unsigned char copy[16];
    size_t i;
    for (i = 0; i < n / 2; i++) {
        memcpy(copy, data + i * size, size);
        memcpy(data + i * size, data + (n - 1 - i) * size, size);
        memcpy(data + (n - 1 - i) * size, copy, size);
    }
}

static void check_partition(gp_context *gp, const choice *c, const pack_form *form, unsigned parts,
                            form_of_parts how)
{
    const size_t n = form->count, o = form->offset, number = pack_number_size(form);
    unsigned char *in = pack_random(n * c->size), *expected = pack_random(n * c->size);
    uint16_t *flags = make_flags(c, n);
    pack_out out = pack_out_make(gp, o + 1, form->bound, c->size);
    pack_out second = pack_out_make(gp, o, form->bound, c->size);
    pack_out rest = pack_out_make(gp, o + 2, form->bound, c->size);
    pack_out counts = pack_out_make(gp, o + 1, parts, number);
    uint64_t sizes[3], told[3] = {0, 0, 0};
    size_t ends[3], bytes = 0;
    char text[128], text2[128];
    gp_partition_desc d = {0};
    partition_reference(c, n, in, flags, parts, expected, ends);
    sizes[0] = ends[0];
    sizes[1] = parts == 3 ? ends[1] - ends[0] : n - ends[0];
    sizes[2] = n - ends[1];
    expression(c, c->first, text);
    expression(c, c->second, text2);
    d.in = pack_in(gp, in, form, o, c->size);
    d.in_offset = o;
    d.count = form->bound;
    d.count_buffer = pack_count(gp, form);
    d.count_offset = PACK_COUNT_OFFSET;
    if (d.count_buffer) d.count_type = form->wide ? GP_U64 : GP_U32;
    d.type = c->type;
    d.element_size = c->type ? 0 : c->size;
    if (c->by == BY_PREDICATE) d.predicate = text;
    if (parts == 3) d.predicate2 = text2;
    if (c->by == BY_FLAGS) d.flags = pack_in(gp, flags, form, o + 3, 2);
    d.flags_offset = o + 3;
    if (c->by == BY_FLAGS) d.flags_type = GP_U16;
    d.out = out.buffer;
    d.out_offset = out.offset;
    if (how == APART) d.rest = rest.buffer;
    if (how == APART && parts == 3) d.second = second.buffer;
    d.second_offset = second.offset;
    d.rest_offset = rest.offset;
    d.reversed = how == REVERSED;
    d.counts_out = counts.buffer;
    d.counts_out_offset = counts.offset;
    d.counts_out_type = pack_number_type(form);
    if (form->own_scratch) assert_gp(gp, gp_partition_scratch_size(gp, &d, &bytes));
    if (bytes) d.scratch = test_buffer(gp, bytes, NULL);
    if (form->read) {
        assert_gp(gp, gp_partition_read(gp, &d, told));
        assert_memory_equal(told, sizes, parts * sizeof *told);
    } else {
        assert_gp(gp, gp_partition(gp, &d));
    }
    if (how == REVERSED) reverse(expected + ends[0] * c->size, n - ends[0], c->size);
    pack_out_check(gp, &out, "first", expected, how == APART ? ends[0] : n);
    pack_out_check(gp, &second, "second", expected + ends[0] * c->size, how == APART ? ends[1] - ends[0] : 0);
    pack_out_check(gp, &rest, "rest", expected + ends[1] * c->size, how == APART ? n - ends[1] : 0);
    pack_out_check_numbers(gp, &counts, sizes, parts);
    clReleaseMemObject(d.in);
    if (d.flags) clReleaseMemObject(d.flags);
    if (d.scratch) clReleaseMemObject(d.scratch);
    if (d.count_buffer) clReleaseMemObject(d.count_buffer);
    free(in);
    free(expected);
    free(flags);
}

/* All ways to lay parts out share one program. */
static void check_partition_counts(gp_context *gp, const choice *c, unsigned parts, size_t most)
{
    const size_t *counts;
    const size_t n = pack_counts(&counts);
    size_t k;
    for (k = 0; k < n && counts[k] <= most; k++) {
        pack_form form = form_of(counts[k]);
        form_of_parts how;
        form.own_scratch = k % 2 == 0;
        form.read = k % 3 == 0;
        form.offset = k % 4;
        for (how = APART; how <= (parts == 3 ? BEHIND : REVERSED); how = (form_of_parts)(how + 1)) {
            form.bound = form.count;
            check_partition(gp, c, &form, parts, how);
            form.bound = form.count + 7000;
            if (k % 4 == 0 && form.count < 20000) check_partition(gp, c, &form, parts, how);
        }
    }
}

static void test_partition_every_variant(void **state)
{
    const choice by_flags = {BY_FLAGS, GP_TYPE_NONE, 4, 100, 0};
    const choice by_predicates = {BY_PREDICATE, GP_U32, 4, 60, 130};
    size_t v;
    (void)state;
    for (v = 0; v < test_variant_count; v++) {
        gp_context *gp = test_open(&test_variants[v], NULL);
        if (!gp) continue;
        if (test_builds_are_cheap(gp) || v == 0 || v == 3 || v >= 5) {
            const size_t most = test_most(gp, test_variants[v].shape);
            check_partition_counts(gp, &by_flags, 2, most);
            check_partition_counts(gp, &by_predicates, 3, most);
        }
        gp_context_destroy(gp);
    }
}

static void test_partition_elements(void **state)
{
    static const choice all[] = {{BY_FLAGS, GP_TYPE_NONE, 16, 2, 0},
                                 {BY_FLAGS, GP_TYPE_NONE, 1, 198, 0},
                                 {BY_FLAGS, GP_U64, 8, 200, 0},
                                 {BY_FLAGS, GP_U16, 2, 0, 0}};
    gp_context *gp = test_open(&test_variants[0], NULL);
    const size_t n = test_builds_are_cheap(gp) ? 4 : 2;
    size_t k;
    (void)state;
    for (k = 0; k < n; k++) {
        pack_form form = form_of(test_small() ? 3079 : 70001);
        form.wide = k % 2 == 0;
        check_partition(gp, &all[k], &form, 2, (form_of_parts)(k % 3));
        check_partition(gp, &all[k], &form, 2, (form_of_parts)((k + 1) % 3));
    }
    gp_context_destroy(gp);
}

/* Sub-groups of one or some elements a work-item: PoCL 3.1 lost the second of two stores in branches, of one element. */
static void test_partition_by_pieces(void **state)
{
    static const uint32_t tiles[] = {1, 2, 4};
    const choice c = {BY_PREDICATE, GP_U32, 4, 60, 0};
    size_t t;
    (void)state;
    for (t = 0; t < sizeof tiles / sizeof *tiles; t++) {
        gp_context_desc desc = {0};
        gp_context *gp;
        desc.tuning.shape = GP_SHAPE_SUB_GROUP;
        desc.tuning.sub_group_size = desc.tuning.work_group_size = 8;
        desc.tuning.tile = tiles[t];
        gp = test_open_if(&desc);
        if (!gp) continue;
        check_partition_counts(gp, &c, 2, test_small() ? 1000 : 5000);
        gp_context_destroy(gp);
    }
}

/* As outputs too long for the caches are written. */
static void test_past_caches(void **state)
{
    const choice c = {BY_FLAGS, GP_TYPE_NONE, 4, 100, 0};
    gp_context *gp = test_open(&test_variants[0], "-DGPI_PAST_CACHES=0");
    size_t k;
    (void)state;
    for (k = 0; k < 4; k++) {
        pack_form form = form_of((test_small() ? 3079 : 70001) + k);
        form.offset = k;
        check_partition(gp, &c, &form, 2, k % 2 ? APART : BEHIND);
    }
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ waiting, bad input */

/* One tile in k never publishes: the fallback counts it, and the result is the same. */
static void test_fault_injection(void **state)
{
    const choice c = {BY_FLAGS, GP_U32, 4, 100, 0};
    static const size_t variants[] = {1, 2, 5};
    size_t k;
    (void)state;
    for (k = 0; k < 3; k++) {
        gp_context *gp = test_open(&test_variants[variants[k]], "-DGPI_FAULT=2");
        pack_form form = form_of(test_small() ? 40 * 1024 + 5 : 300007);
        gp_stats profile;
        if (!gp) continue;
        check_select(gp, &c, &form, WANT_ELEMENTS);
        profile = test_profile_of(gp);
        assert_int_equal(profile.abandoned, 0);
        assert_true(profile.fallbacks > 0);
        gp_context_destroy(gp);
    }
}

static void test_bad_input(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    cl_mem a = test_buffer(gp, 4000, NULL), b = test_buffer(gp, 4000, NULL);
    gp_select_desc s = {0};
    gp_partition_desc p = {0};
    uint64_t count;
    (void)state;
    s.in = a;
    s.out = b;
    s.count = 100;
    assert_gp_fails(gp, gp_select(gp, &s), GP_ERROR_INVALID_TYPE, "size = 0");
    s.type = GP_U32;
    assert_gp_fails(gp, gp_select(gp, &s), GP_ERROR_INVALID_ARGUMENT, "exactly one");
    s.predicate = " ";
    assert_gp_fails(gp, gp_select(gp, &s), GP_ERROR_INVALID_ARGUMENT, "predicate is empty");
    s.predicate = "x x";
    assert_gp_fails(gp, gp_select(gp, &s), GP_ERROR_BUILD, "build log");
    s.predicate = NULL;
    s.flags = b;
    assert_gp_fails(gp, gp_select(gp, &s), GP_ERROR_OVERLAP, "flags");
    s.flags_type = (gp_type)77;
    assert_gp_fails(gp, gp_select(gp, &s), GP_ERROR_INVALID_TYPE, "flags_type = 77");
    s.flags_type = GP_TYPE_NONE;
    s.flags = a;
    s.flags_offset = 3901;
    assert_gp_fails(gp, gp_select(gp, &s), GP_ERROR_INVALID_BUFFER, "flags has 4000 bytes");
    s.flags_offset = 0;
    s.out = a;
    s.out_offset = 50;
    assert_gp_fails(gp, gp_select(gp, &s), GP_ERROR_OVERLAP, "in is bytes");
    s.out = b;
    s.out_offset = 901;
    assert_gp_fails(gp, gp_select(gp, &s), GP_ERROR_INVALID_BUFFER, "out has 4000 bytes");
    s.out_offset = 0;
    s.count_out = b;
    assert_gp_fails(gp, gp_select(gp, &s), GP_ERROR_OVERLAP, "count_out");
    s.count_out_offset = 500;
    s.count_out_type = GP_I32;
    assert_gp_fails(gp, gp_select(gp, &s), GP_ERROR_INVALID_TYPE, "count_out_type");
    s.count_out_type = GP_U32;
    s.indices_out = b;
    s.indices_out_offset = 600;
    s.index_type = GP_F32;
    assert_gp_fails(gp, gp_select(gp, &s), GP_ERROR_INVALID_TYPE, "index_type");
    s.index_type = GP_U32;
    assert_gp_fails(gp, gp_select_read(gp, &s, NULL), GP_ERROR_INVALID_ARGUMENT, "count is NULL");
    s.type = GP_TYPE_NONE;
    s.element_size = 12;
    assert_gp_fails(gp, gp_select(gp, &s), GP_ERROR_INVALID_ARGUMENT, "size = 12");
    p.in = a;
    p.out = b;
    p.count = 100;
    p.type = GP_U32;
    p.flags = a;
    p.second = b;
    assert_gp_fails(gp, gp_partition(gp, &p), GP_ERROR_INVALID_ARGUMENT, "second is given");
    p.second = NULL;
    p.predicate2 = "x > 3";
    assert_gp_fails(gp, gp_partition(gp, &p), GP_ERROR_INVALID_ARGUMENT, "predicate2");
    p.predicate2 = NULL;
    p.rest = b;
    assert_gp_fails(gp, gp_partition(gp, &p), GP_ERROR_OVERLAP, "rest");
    p.reversed = true;
    assert_gp_fails(gp, gp_partition(gp, &p), GP_ERROR_INVALID_ARGUMENT, "reversed");
    assert_gp_fails(NULL, gp_partition_read(NULL, &p, &count), GP_ERROR_INVALID_ARGUMENT,
                    "gp_partition_read");
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    gp_context_destroy(gp);
}

/* A count of the device that says too much is clamped, and told of. */
static void test_clamped(void **state)
{
    const uint32_t too_many = 5000;
    gp_context *gp = test_open(&test_variants[0], NULL);
    uint8_t *ones = malloc(3000);
    gp_select_desc d = {0};
    uint64_t count = 0;
    (void)state;
    assert_non_null(ones);
    memset(ones, 1, 3000);
    d.flags = test_buffer(gp, 3000, ones);
    d.in = test_buffer(gp, 3000, ones);
    d.out = test_buffer(gp, 3000, NULL);
    d.count_buffer = test_buffer(gp, 4, &too_many);
    d.count_type = GP_U32;
    d.count = 3000;
    d.type = GP_U8;
    assert_gp(gp, gp_select_read(gp, &d, &count));
    assert_int_equal(count, 3000);
    assert_int_equal(test_profile_of(gp).clamped, 1);
    clReleaseMemObject(d.in);
    clReleaseMemObject(d.out);
    clReleaseMemObject(d.flags);
    clReleaseMemObject(d.count_buffer);
    free(ones);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_select_every_variant),
        cmocka_unit_test(test_select_elements),
        cmocka_unit_test(test_select_floats),
        cmocka_unit_test(test_partition_every_variant),
        cmocka_unit_test(test_partition_elements),
        cmocka_unit_test(test_partition_by_pieces),
        cmocka_unit_test(test_past_caches),
        cmocka_unit_test(test_fault_injection),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_clamped),
    };
    return cmocka_run_group_tests_name("select", tests, NULL, NULL);
}
