/* test_run_length_decode.c - gp_run_length_decode against plain loops, and with bad offsets. */
#include "../support/keys.h"

typedef enum lengths {
    LENGTHS_ONES,
    LENGTHS_TINY,  /* 0 to 2 */
    LENGTHS_SHORT, /* 1 to 31 */
    LENGTHS_LONG,  /* 1 to 1999 */
    LENGTHS_ONE,   /* all in one run amid empty ones */
    LENGTHS_HOLES, /* many empty runs between two elements, again and again */
    LENGTHS_COUNT
} lengths;

typedef struct decode_case {
    size_t size, index_size; /* size 0: no keys */
    lengths lengths;
    size_t count;          /* elements that runs have, about */
    bool wide;             /* offsets of 64 bits */
    bool runs, positions;  /* wanted */
    size_t before, behind; /* elements before the first run and after the last one */
    size_t offset;         /* of buffers */
} decode_case;

typedef struct decode_data {
    size_t run_count, count;                                      /* count: room */
    uint64_t *at;                                                 /* offsets */
    unsigned char *in, *offsets, *out, *runs_out, *positions_out; /* the last three: as expected */
} decode_data;

/* ------------------------------------------------------------------ input, reference */

static void *room(size_t bytes)
{
    void *p = malloc(bytes + 16);
    assert_non_null(p);
    return p;
}

static size_t next_length(const decode_case *c, size_t r)
{
    switch (c->lengths) {
    case LENGTHS_ONES: return 1;
    case LENGTHS_TINY: return (test_random() >> 8) % 3;
    case LENGTHS_SHORT: return 1 + (test_random() >> 8) % 31;
    case LENGTHS_LONG: return 1 + (test_random() >> 8) % 1999;
    case LENGTHS_ONE: return r == 100 ? c->count : 0;
    default: return r % 1500 == 1499 ? 1 + (test_random() >> 8) % 99 : r % 7000 > 6990;
    }
}

static void fill_runs(const decode_case *c, decode_data *data)
{
    uint64_t at = c->before;
    size_t most = c->count + 300;
    if (c->lengths == LENGTHS_TINY) most *= 4;
    if (c->lengths == LENGTHS_HOLES) most = c->count * 60 + 3000;
    data->at = room((most + 1) * sizeof *data->at);
    for (data->run_count = 0; at < c->before + c->count; data->run_count++) {
        assert_true(data->run_count < most);
        data->at[data->run_count] = at;
        at += next_length(c, data->run_count);
    }
    if (c->lengths == LENGTHS_ONE)
        while (data->run_count < 200) data->at[data->run_count++] = at;
    data->at[data->run_count] = at;
    data->count = (size_t)at + c->behind;
}

static void expect(const decode_case *c, decode_data *data)
{
    size_t r;
    uint64_t p;
    for (r = 0; r < data->run_count; r++) {
        for (p = data->at[r]; p < data->at[r + 1]; p++) {
            const uint64_t run = r, position = p - data->at[r];
            memcpy(data->out + p * c->size, data->in + r * c->size, c->size);
            memcpy(data->runs_out + p * c->index_size, &run, c->index_size);
            memcpy(data->positions_out + p * c->index_size, &position, c->index_size);
        }
    }
}

static void set_offsets(const decode_case *c, decode_data *data)
{
    size_t r;
    for (r = 0; r <= data->run_count; r++)
        memcpy(data->offsets + r * (c->wide ? 8 : 4), &data->at[r], c->wide ? 8 : 4);
}

static decode_data make_data(const decode_case *c)
{
    decode_data data = {0};
    size_t i;
    fill_runs(c, &data);
    data.in = room(data.run_count * c->size);
    for (i = 0; i < data.run_count * c->size; i++) data.in[i] = (unsigned char)(test_random() >> 9);
    data.offsets = room((data.run_count + 1) * 8);
    data.out = room(data.count * c->size);
    data.runs_out = room(data.count * c->index_size);
    data.positions_out = room(data.count * c->index_size);
    memset(data.out, TEST_POISON, data.count * c->size);
    memset(data.runs_out, TEST_POISON, data.count * c->index_size);
    memset(data.positions_out, TEST_POISON, data.count * c->index_size);
    set_offsets(c, &data);
    return data;
}

static void free_data(decode_data *data)
{
    free(data->at);
    free(data->in);
    free(data->offsets);
    free(data->out);
    free(data->runs_out);
    free(data->positions_out);
}

/* ------------------------------------------------------------------ check */

static gp_run_length_decode_desc make_desc(gp_context *gp, const decode_case *c, const decode_data *data)
{
    gp_run_length_decode_desc d = {0};
    d.run_count = data->run_count;
    d.count = data->count;
    d.element_size = c->size;
    d.index_type = c->index_size == 8 ? GP_U64 : GP_U32;
    d.offsets_type = c->wide ? GP_U64 : GP_U32;
    d.in_offset = c->offset;
    d.offsets_offset = 2 * c->offset;
    d.out_offset = c->offset ? c->offset + 3 : 0;
    d.runs_out_offset = c->offset ? c->offset + 8 : 0;
    d.positions_out_offset = c->offset;
    d.offsets = guarded(gp, d.offsets_offset, data->run_count + 1, c->wide ? 8 : 4, data->offsets);
    if (c->size) d.in = guarded(gp, d.in_offset, data->run_count, c->size, data->in);
    if (c->size) d.out = guarded(gp, d.out_offset, data->count, c->size, NULL);
    if (c->runs) d.runs_out = guarded(gp, d.runs_out_offset, data->count, c->index_size, NULL);
    if (c->positions) d.positions_out = guarded(gp, d.positions_out_offset, data->count, c->index_size, NULL);
    return d;
}

static void release(const gp_run_length_decode_desc *d)
{
    const cl_mem all[] = {d->in, d->offsets, d->out, d->runs_out, d->positions_out, d->count_buffer};
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]) clReleaseMemObject(all[i]);
    }
}

static void compare(gp_context *gp, const char *variant, const decode_case *c,
                    const gp_run_length_decode_desc *d, const decode_data *data)
{
    const char *what = NULL, *in = "keys";
    size_t at = 0;
    if (d->out) what = guarded_difference(gp, d->out, d->out_offset, data->count, c->size, data->out, &at);
    if (d->runs_out && !what) {
        in = "runs";
        what = guarded_difference(gp, d->runs_out, d->runs_out_offset, data->count, c->index_size,
                                  data->runs_out, &at);
    }
    if (d->positions_out && !what) {
        in = "positions";
        what = guarded_difference(gp, d->positions_out, d->positions_out_offset, data->count, c->index_size,
                                  data->positions_out, &at);
    }
    if (!what) return;
    fail_msg("%s: size %zu, index size %zu, lengths %d, %zu runs, %zu elements, wide %d, before %zu, behind "
             "%zu, offset %zu: %s, %s %zu",
             variant, c->size, c->index_size, (int)c->lengths, data->run_count, data->count, c->wide,
             c->before, c->behind, c->offset, in, what, at);
}

static void check(gp_context *gp, const char *variant, const decode_case *c)
{
    decode_data data = make_data(c);
    const gp_run_length_decode_desc desc = make_desc(gp, c, &data);
    const gp_result result = gp_run_length_decode(gp, &desc);
    if (result != GP_OK) fail_msg("%s: %s", variant, gp_last_error(gp));
    expect(c, &data);
    compare(gp, variant, c, &desc, &data);
    release(&desc);
    free_data(&data);
}

/* ------------------------------------------------------------------ tests */

/* Around blocks and tiles. */
static void check_sizes(gp_context *gp, const char *name, decode_case c)
{
    static const size_t sizes[] = {1, 2, 63, 255, 256, 257, 1023, 2047, 2048, 2049, 4096, 20011, 70001};
    const size_t all = test_small() ? 7 : sizeof sizes / sizeof *sizes;
    size_t n;
    int l;
    for (n = 0; n < all; n++) {
        for (l = 0; l < (int)LENGTHS_COUNT; l++) {
            c.count = sizes[n];
            c.lengths = (lengths)l;
            c.before = (n + (size_t)l) % 3 == 1 ? 777 : 0;
            c.behind = (n + (size_t)l) % 4 == 2 ? 999 : 0;
            c.offset = (n + (size_t)l) % 5 == 3 ? 5 : 0;
            check(gp, name, &c);
        }
    }
}

static void test_every_variant(void **state)
{
    static const decode_case cases[] = {
        {.size = 4, .index_size = 4, .runs = true, .positions = true},
        {.size = 1, .index_size = 4},
        {.size = 16, .index_size = 8, .wide = true, .positions = true},
        {.size = 0, .index_size = 4, .runs = true},
    };
    size_t v, k;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (k = 0; k < sizeof cases / sizeof *cases; k++) check_sizes(gp, test_shapes[v].name, cases[k]);
        assert_int_equal(test_profile_of(gp).bad_offsets, 0);
        gp_context_destroy(gp);
    }
}

static void test_types(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 4, 8, 16};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t s, k;
    (void)state;
    for (s = 0; s < 6; s++) {
        for (k = 0; k < 2; k++) { /* few of the combinations, because each is a program */
            decode_case c = {.lengths = LENGTHS_SHORT, .count = 5000, .before = 3, .behind = 5};
            c.size = sizes[s];
            c.index_size = (s + k) & 1 ? 8 : 4;
            c.wide = (s >> 1 & 1) != k;
            c.runs = k || !c.size;
            c.positions = s % 2 == 0;
            c.lengths = (lengths)((s + k) % LENGTHS_COUNT);
            check(gp, "types", &c);
        }
    }
    gp_context_destroy(gp);
}

/* Large enough for stores past the caches, and for many groups. */
static void test_large(void **state)
{
    static const decode_case cases[] = {
        {4, 4, LENGTHS_ONES, 9000017, false, false, false, 0, 0, 0},
        {4, 4, LENGTHS_LONG, 9000017, false, true, false, 0, 0, 1},
        {8, 8, LENGTHS_TINY, 4300000, true, false, true, 1, 1, 0},
    };
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t k;
    (void)state;
    for (k = 0; k < 3 && !test_small(); k++) check(gp, "large", &cases[k]);
    gp_context_destroy(gp);
}

/* Ten million empty runs, then a long one; and the same in the middle. */
static void test_many_empty(void **state)
{
    const size_t empty = test_small() ? 10000 : 10000000, each = 50000, count = 2 * each;
    size_t v, r;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        gp_run_length_decode_desc d = {0};
        uint32_t *offsets, *runs, *positions;
        if (!gp) continue;
        offsets = room((2 * empty + 3) * 4);
        for (r = 0; r <= 2 * empty + 2; r++)
            offsets[r] = (uint32_t)(r <= empty ? 0 : r <= 2 * empty + 1 ? each : count);
        d.offsets = test_buffer(gp, (2 * empty + 3) * 4, offsets);
        d.runs_out = test_buffer(gp, count * 4, NULL);
        d.positions_out = test_buffer(gp, count * 4, NULL);
        d.run_count = 2 * empty + 2;
        d.count = count;
        d.offsets_type = GP_U32;
        assert_gp(gp, gp_run_length_decode(gp, &d));
        runs = test_read(gp, d.runs_out, count * 4);
        positions = test_read(gp, d.positions_out, count * 4);
        for (r = 0; r < count; r++) {
            assert_int_equal(runs[r], r < each ? empty : 2 * empty + 1);
            assert_int_equal(positions[r], r % each);
        }
        assert_int_equal(test_profile_of(gp).launches, 1);
        free(offsets);
        free(runs);
        free(positions);
        release(&d);
        gp_context_destroy(gp);
    }
}

/* What gp_run_length_encode writes. */
static void test_inverse(void **state)
{
    const size_t n = 30011;
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_run_length_encode_desc e = {0};
    gp_run_length_decode_desc d = {0};
    uint32_t *in = room(n * 4);
    size_t i, at = 0;
    void *out;
    (void)state;
    for (i = 0; i < n; i++) in[i] = (uint32_t)(at += test_random() % 4 == 0);
    e.in = test_buffer(gp, n * 4, in);
    e.count = n;
    e.type = d.type = GP_U32;
    e.out = d.in = test_buffer(gp, n * 4, NULL);
    e.offsets_out = d.offsets = test_buffer(gp, (n + 1) * 4, NULL);
    e.count_out = d.count_buffer = test_buffer(gp, 4, NULL);
    e.offsets_end = true;
    assert_gp(gp, gp_run_length_encode(gp, &e));
    d.out = test_buffer(gp, n * 4, NULL);
    d.offsets_type = GP_U32;
    d.run_count = d.count = n;
    assert_gp(gp, gp_run_length_decode(gp, &d));
    out = test_read(gp, d.out, n * 4);
    assert_memory_equal(in, out, n * 4);
    assert_int_equal(test_profile_of(gp).bad_offsets, 0);
    free(out);
    free(in);
    clReleaseMemObject(e.in);
    release(&d);
    gp_context_destroy(gp);
}

static void test_counts(void **state)
{
    static const uint64_t counts[] = {0, 1, 999, 1000, 5000};
    const decode_case c = {4, 4, LENGTHS_SHORT, 20000, false, true, true, 0, 0, 1};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t i;
    (void)state;
    for (i = 0; i < 5; i++) {
        decode_data data = make_data(&c);
        gp_run_length_decode_desc d;
        d = make_desc(gp, &c, &data);
        assert_true(data.run_count > 1000 && data.run_count < 5000);
        d.count_buffer = test_buffer(gp, 8, &counts[i]);
        d.count_type = GP_U64;
        assert_gp(gp, gp_run_length_decode(gp, &d));
        if (counts[i] < data.run_count) data.run_count = (size_t)counts[i];
        expect(&c, &data);
        compare(gp, "counts", &c, &d, &data);
        release(&d);
        free_data(&data);
    }
    assert_int_equal(test_profile_of(gp).clamped, 1);
    assert_int_equal(test_profile_of(gp).bad_offsets, 0);
    gp_context_destroy(gp);
}

/* Makes offsets bad in one of several ways. */
static void spoil(decode_data *data, size_t way)
{
    const size_t n = data->run_count;
    size_t r;
    if (way == 0) data->at[n] = data->count + 1; /* too little room */
    if (way == 1) data->at[n / 2] = 0;
    if (way == 2) data->at[n / 3] = UINT32_MAX;
    if (way == 3)
        for (r = 0; r <= n; r++) data->at[r] = test_random() % (2 * data->count);
    if (way == 4)
        for (r = 0; r <= n; r++) data->at[r] = data->count - r * data->count / n; /* they fall */
    if (way == 5) data->at[0] = data->count + 5;
    if (way == 6)
        for (r = 0; r <= n; r++) data->at[r] = UINT32_MAX;
}

static void test_bad_offsets(void **state)
{
    size_t v, way, l, wide;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        uint64_t calls = 0;
        if (!gp) continue;
        for (way = 0; way < 7; way++) {
            for (l = 0; l < LENGTHS_COUNT; l++) {
                for (wide = 0; wide < 2; wide++) {
                    decode_case c = {4, 4, (lengths)l, 30000, wide != 0, true, true, 9, 3, 2};
                    decode_data data = make_data(&c);
                    gp_run_length_decode_desc d;
                    size_t k;
                    spoil(&data, way);
                    if (wide && way == 2) data.at[data.run_count / 3] = ~(uint64_t)0;
                    set_offsets(&c, &data);
                    for (k = 0; k < 2; k++) { /* the same result twice, and nothing beside it */
                        d = make_desc(gp, &c, &data);
                        assert_gp(gp, gp_run_length_decode(gp, &d));
                        assert_int_equal(test_profile_of(gp).bad_offsets, ++calls);
                        if (k == 0) {
                            free(data.out);
                            free(data.runs_out);
                            free(data.positions_out);
                            clEnqueueReadBuffer(gp_cl_queue(gp), d.out, CL_TRUE, 4 * d.out_offset,
                                                4 * data.count, data.out = room(4 * data.count), 0, NULL,
                                                NULL);
                            clEnqueueReadBuffer(gp_cl_queue(gp), d.runs_out, CL_TRUE, 4 * d.runs_out_offset,
                                                4 * data.count, data.runs_out = room(4 * data.count), 0, NULL,
                                                NULL);
                            clEnqueueReadBuffer(gp_cl_queue(gp), d.positions_out, CL_TRUE,
                                                4 * d.positions_out_offset, 4 * data.count,
                                                data.positions_out = room(4 * data.count), 0, NULL, NULL);
                        }
                        compare(gp, "bad offsets", &c, &d, &data);
                        release(&d);
                    }
                    free_data(&data);
                }
            }
        }
        assert_gp(gp, gp_stats_reset(gp));
        gp_context_destroy(gp);
    }
}

/* A last offset beyond the room: what there is room for is right. */
static void test_too_little_room(void **state)
{
    const decode_case c = {4, 4, LENGTHS_SHORT, 30000, false, true, true, 0, 0, 0};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    decode_data data = make_data(&c);
    gp_run_length_decode_desc d;
    (void)state;
    expect(&c, &data);
    data.count -= 5000;
    d = make_desc(gp, &c, &data);
    assert_gp(gp, gp_run_length_decode(gp, &d));
    compare(gp, "room", &c, &d, &data);
    assert_int_equal(test_profile_of(gp).bad_offsets, 1);
    release(&d);
    free_data(&data);
    gp_context_destroy(gp);
}

static void test_refused(void **state)
{
    const decode_case c = {4, 4, LENGTHS_TINY, 500, false, true, true, 0, 0, 0};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    decode_data data = make_data(&c);
    const gp_run_length_decode_desc good = make_desc(gp, &c, &data);
    gp_run_length_decode_desc d = good;
    (void)state;
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_run_length_decode(gp, &d), result, text)
    REFUSED(d.offsets_type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "gp_run_length_decode: offsets_type = 0");
    REFUSED(d.index_type = GP_F32, GP_ERROR_INVALID_TYPE, "index_type = 9");
    REFUSED(d.type = GP_U32, GP_ERROR_INVALID_TYPE, "give one of them");
    REFUSED(d.element_size = 3, GP_ERROR_INVALID_ARGUMENT, "element_size = 3");
    REFUSED(d.element_size = 0, GP_ERROR_INVALID_TYPE, "give one of them");
    REFUSED(d.run_count = UINT32_MAX, GP_ERROR_COUNT_LIMIT, "run_count = 4294967295");
    REFUSED(d.count = (size_t)UINT32_MAX + 1, GP_ERROR_COUNT_LIMIT, "needs GP_U64 as index_type");
    REFUSED(d.in = NULL, GP_ERROR_INVALID_BUFFER, "in is NULL");
    REFUSED(d.out = NULL, GP_ERROR_INVALID_BUFFER, "out is NULL, and in, type or element_size is given");
    REFUSED(d.offsets = NULL, GP_ERROR_INVALID_BUFFER, "offsets is NULL");
    REFUSED((d.in = d.out = d.runs_out = d.positions_out = NULL, d.element_size = 0), GP_ERROR_INVALID_BUFFER,
            "at least one output");
    REFUSED(d.run_count += 100, GP_ERROR_INVALID_BUFFER, "in has");
    REFUSED(d.offsets_offset = 100, GP_ERROR_INVALID_BUFFER, "offsets has");
    REFUSED(d.count += 100, GP_ERROR_INVALID_BUFFER, "out has");
    REFUSED(d.runs_out = d.positions_out, GP_ERROR_OVERLAP, "runs_out");
    REFUSED((d.offsets = d.out, d.run_count = 10), GP_ERROR_OVERLAP, "out");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    d = good;
    d.count = 0;
    assert_gp(gp, gp_run_length_decode(gp, &d));
    d = good;
    d.run_count = 0;
    assert_gp(gp, gp_run_length_decode(gp, &d));
    compare(gp, "nothing", &c, &good, &data);
    assert_int_equal(test_profile_of(gp).launches, 0);
    assert_gp_fails(NULL, gp_run_length_decode(NULL, &d), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_run_length_decode(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    release(&good);
    free_data(&data);
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    const decode_case c = {4, 4, LENGTHS_SHORT, 5000, false, true, false, 0, 0, 0};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    decode_data data = make_data(&c);
    const gp_run_length_decode_desc desc = make_desc(gp, &c, &data);
    gp_warmup_desc warm = {0};
    uint64_t built;
    (void)state;
    warm.run_length_decode = &desc;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    assert_int_equal(built, 1);
    check(gp, "warmed", &c);
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    release(&desc);
    free_data(&data);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant), cmocka_unit_test(test_types),
        cmocka_unit_test(test_large),         cmocka_unit_test(test_many_empty),
        cmocka_unit_test(test_inverse),       cmocka_unit_test(test_counts),
        cmocka_unit_test(test_bad_offsets),   cmocka_unit_test(test_too_little_room),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_warmup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
