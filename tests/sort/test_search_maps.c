/* test_search_maps.c - gp_search with keys and needles that expressions make, against a binary search on the host. */
#include "../support/keys.h"

/* What keys and needles are made of. */
typedef enum search_form {
    FORM_ITSELF,   /* keys of key_type, by maps of x */
    FORM_RECORDS,  /* fields of records: another type for keys than for needles */
    FORM_KEYS,     /* records and plain needles */
    FORM_NEEDLES,  /* plain keys and records */
    FORM_COUNTING, /* plain keys, and needle i is i */
    FORM_COUNTED,  /* records, and needle i is i */
    FORM_ARGS,     /* of i and buffers that are arguments */
    FORMS
} search_form;

typedef struct search_case {
    search_form form;
    gp_type type, out_type;
    size_t count, needle_count;
    bool upper, descending;
    size_t offset;
} search_case;

/* Keys and needles as key_type, and what is expected. */
typedef struct search_data {
    unsigned char *keys, *needles, *expected;
} search_data;

static size_t out_size(const search_case *c) { return c->out_type == GP_U32 ? 4 : 8; }

static bool counts(search_form form) { return form == FORM_COUNTING || form == FORM_COUNTED; }

/* ------------------------------------------------------------------ input, reference */

static void *room(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    assert_non_null(memory);
    return memory;
}

/* Half of a small number. */
static uint64_t half_of(uint64_t i)
{
    unsigned exponent = 0;
    if (i == 0) return 0;
    while (i >> (exponent + 1)) exponent++;
    return (uint64_t)(exponent + 15) << 10 | ((i << 10 >> exponent) & 0x3ff);
}

/* Bits of i as a key. */
static uint64_t key_of(gp_type type, uint64_t i)
{
    const float f = (float)i;
    const double d = (double)i;
    uint64_t bits = 0;
    if (type == GP_F16) return half_of(i);
    if (type == GP_F32) memcpy(&bits, &f, 4);
    else if (type == GP_F64) memcpy(&bits, &d, 8);
    else bits = i;
    return bits;
}

/* Half NaNs do not survive that they are floats for a while. */
static uint64_t make_key(const search_case *c, size_t i)
{
    const uint64_t special = key_special(c->type, i), any = random_64();
    if (counts(c->form)) return key_of(c->type, any % 250);
    if (c->type == GP_F16) return any & 0xbfff;
    return i % 4 == 0 ? special : i % 4 == 1 ? key_of(c->type, any % 20) : any;
}

/* What qsort compares by. */
static const search_case *sorted_by;

static int compare_keys(const void *x, const void *y)
{
    const size_t size = key_size(sorted_by->type);
    const uint64_t a = key_order(sorted_by->type, sorted_by->descending, key_load(x, 0, size));
    const uint64_t b = key_order(sorted_by->type, sorted_by->descending, key_load(y, 0, size));
    return (a > b) - (a < b);
}

static uint64_t position(const search_case *c, const unsigned char *keys, uint64_t needle)
{
    const size_t size = key_size(c->type);
    const uint64_t q = key_order(c->type, c->descending, needle);
    size_t low = 0, high = c->count;
    while (low < high) {
        const size_t i = (low + high) / 2;
        const uint64_t x = key_order(c->type, c->descending, key_load(keys, i, size));
        if (x < q || (c->upper && x == q)) low = i + 1;
        else high = i;
    }
    return low;
}

static search_data make_data(const search_case *c)
{
    const size_t size = key_size(c->type);
    search_data data;
    size_t i;
    data.keys = room(c->count * size);
    data.needles = room(c->needle_count * size);
    data.expected = room(c->needle_count * out_size(c));
    for (i = 0; i < c->count; i++) {
        const uint64_t key = make_key(c, i);
        memcpy(data.keys + i * size, &key, size);
    }
    sorted_by = c;
    qsort(data.keys, c->count, size, compare_keys);
    for (i = 0; i < c->needle_count; i++) {
        const uint64_t key = counts(c->form) ? key_of(c->type, i) : make_key(c, i);
        const uint64_t p = position(c, data.keys, key & (~(uint64_t)0 >> (64 - 8 * size)));
        memcpy(data.needles + i * size, &key, size);
        memcpy(data.expected + i * out_size(c), &p, out_size(c));
    }
    return data;
}

static void free_data(search_data *data)
{
    free(data->keys);
    free(data->needles);
    free(data->expected);
}

/* ------------------------------------------------------------------ desc */

/* Elements of the caller's: noise, then the key, in so many bytes. */
typedef struct element {
    gp_record record;
    char source[200];
    size_t at, size;
} element;

static const char *const cl_types[] = {"",     "char", "uchar", "short", "ushort", "int",
                                       "uint", "long", "ulong", "float", "double", "half"};

static void make_element(element *e, gp_type type, const char *name, unsigned noise)
{
    e->at = noise * key_size(type);
    e->size = e->at + key_size(type);
    (void)snprintf(e->source, sizeof e->source, "typedef struct { %s noise[%u], key; } %s;", cl_types[type],
                   noise, name);
    memset(&e->record, 0, sizeof e->record);
    e->record.cl_type = name;
    e->record.size = e->size;
    e->record.source = e->source;
}

/* Keys, each in such an element, or as they are where there is none. */
static cl_mem make_elements(gp_context *gp, const element *e, const unsigned char *keys, size_t size,
                            size_t offset, size_t count)
{
    const size_t whole = e ? e->size : size;
    unsigned char *all = room(count * whole);
    cl_mem buffer;
    size_t i;
    for (i = 0; i < count * whole; i++) all[i] = (unsigned char)(test_random() >> 9);
    for (i = 0; i < count; i++) memcpy(all + i * whole + (e ? e->at : 0), keys + i * size, size);
    buffer = guarded(gp, offset, count, whole, all);
    free(all);
    return buffer;
}

typedef struct search_call {
    gp_search_desc desc;
    element key, needle;
    gp_arg args[2];
    cl_mem keys, needles;
} search_call;

static void make_call(search_call *s, gp_context *gp, const search_case *c, const search_data *data)
{
    const size_t size = key_size(c->type), o = c->offset;
    const bool key_records = c->form == FORM_RECORDS || c->form == FORM_KEYS || c->form == FORM_COUNTED;
    const bool needle_records = c->form == FORM_RECORDS || c->form == FORM_NEEDLES;
    const bool half = c->type == GP_F16, args = c->form == FORM_ARGS;
    gp_search_desc *d = &s->desc;
    memset(s, 0, sizeof *s);
    make_element(&s->key, c->type, "row", 2);
    make_element(&s->needle, c->type, "wanted", 3);
    s->keys = make_elements(gp, key_records ? &s->key : NULL, data->keys, size, o, c->count);
    s->needles =
        make_elements(gp, needle_records ? &s->needle : NULL, data->needles, size, 2 * o, c->needle_count);
    d->key_type = c->type;
    d->out_type = c->out_type;
    d->upper = c->upper;
    d->descending = c->descending;
    d->count = c->count;
    d->needle_count = c->needle_count;
    d->keys_offset = o;
    d->needles_offset = 2 * o;
    d->out_offset = 3 * o;
    if (!args) d->keys = s->keys;
    if (!args && !counts(c->form)) d->needles = s->needles;
    d->out = guarded(gp, d->out_offset, c->needle_count, out_size(c), NULL);
    if (key_records) {
        d->record = &s->key.record;
        d->map = "x.key // of a record";
    }
    if (needle_records) {
        d->needle_record = &s->needle.record;
        d->needle_map = "x.key";
    }
    if (c->form == FORM_ITSELF) d->map = d->needle_map = "i % 2 == 0 ? x : x";
    if (!args) return;
    s->args[0] = (gp_arg){.name = "sorted", .type = c->type, .buffer = s->keys, .offset = o};
    s->args[1] = (gp_arg){.name = "wanted", .type = c->type, .buffer = s->needles, .offset = 2 * o};
    d->args = s->args;
    d->arg_count = 2;
    d->map = half ? "vload_half(i, sorted)" : "sorted[i]";
    d->needle_map = half ? "vload_half(i, wanted)" : "wanted[i]";
}

static void release(search_call *s)
{
    const cl_mem all[] = {s->keys, s->needles, s->desc.out, s->desc.count_buffer,
                          s->desc.needle_count_buffer};
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) clReleaseMemObject(all[i]);
}

static void compare(gp_context *gp, const char *variant, const search_case *c, const search_call *s,
                    const search_data *data)
{
    size_t at = 0;
    const char *what = guarded_difference(gp, s->desc.out, s->desc.out_offset, c->needle_count, out_size(c),
                                          data->expected, &at);
    if (!what) return;
    fail_msg("%s: form %d, type %d, %zu keys, %zu needles, upper %d, descending %d, offset %zu: %s %zu",
             variant, (int)c->form, (int)c->type, c->count, c->needle_count, c->upper, c->descending,
             c->offset, what, at);
}

static void check(gp_context *gp, const char *variant, const search_case *c)
{
    search_data data = make_data(c);
    search_call call;
    gp_result result;
    make_call(&call, gp, c, &data);
    result = gp_search(gp, &call.desc);
    if (result != GP_OK) fail_msg("%s, form %d: %s", variant, (int)c->form, gp_last_error(gp));
    compare(gp, variant, c, &call, &data);
    release(&call);
    free_data(&data);
}

/* ------------------------------------------------------------------ shapes, types */

/* Of keys, and of needles. */
static const size_t sizes[] = {0, 1, 2, 127, 1023, 1024, 1025, 2049, 16384, 49159, 104729};
static const size_t small_sizes[] = {0, 1, 2, 257, 2049};

static void check_sizes(gp_context *gp, const char *name, search_case c)
{
    const size_t *list = test_small() ? small_sizes : sizes;
    const size_t n = test_small() ? sizeof small_sizes / sizeof *small_sizes : sizeof sizes / sizeof *sizes;
    size_t i;
    for (i = 0; i < n; i++) {
        c.count = list[i];
        c.needle_count = test_small() ? 300 : 5003;
        c.upper = i % 2 != 0;
        c.descending = i % 3 == 0;
        c.offset = i % 4;
        check(gp, name, &c);
        if (test_small() && i != 3) continue;
        c.needle_count = list[i];
        c.count = 3001;
        check(gp, name, &c);
    }
}

static void test_every_shape(void **state)
{
    size_t v, f;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (f = 0; f < FORMS; f++) {
            const search_case c = {(search_form)f, GP_U32, GP_U32, 0, 0, false, false, 0};
            check_sizes(gp, test_shapes[v].name, c);
        }
        gp_context_destroy(gp);
    }
}

/* Each type in some of the forms; halves are no fields. */
static void test_types(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t t, f, way;
    (void)state;
    for (t = 0; t < KEY_TYPES; t++) {
        for (f = 0; f < FORMS; f++) {
            const gp_type type = key_types[t];
            const bool is_field =
                f == FORM_RECORDS || f == FORM_KEYS || f == FORM_NEEDLES || f == FORM_COUNTED;
            if ((type == GP_F64 && !gp_context_info(gp)->fp64) || (type == GP_F16 && is_field)) continue;
            if (!test_builds_are_cheap(gp) && (t + f) % 4 && type != GP_F16) continue;
            for (way = 0; way < 4; way++) {
                const search_case c = {(search_form)f,
                                       type,
                                       t % 2 ? GP_U64 : GP_TYPE_NONE,
                                       test_small() ? 900 : 5003,
                                       test_small() ? 100u : 2000u,
                                       way % 2 != 0,
                                       way / 2 != 0,
                                       way};
                check(gp, "types", &c);
            }
        }
    }
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ expressions */

/* Cells of sorted values: where each begins, with an argument, and functions of a record's source; keys of i alone. */
static void test_cells(void **state)
{
    enum { CELLS = 40, N = 1000 };
    const uint32_t width = 25;
    const gp_arg args[] = {{.name = "width", .type = GP_U32, .value = &width}};
    const gp_record value = {"uint", 4, "static uint cell_of(uint x, uint width) { return x / width; }"};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    uint32_t in[N], i, *out;
    gp_search_desc d = {0};
    (void)state;
    for (i = 0; i < N; i++) in[i] = i; /* cell k begins at 25 k */
    d.keys = test_buffer(gp, sizeof in, in);
    d.count = N;
    d.record = &value;
    d.map = "cell_of(x, width)";
    d.args = args;
    d.arg_count = 1;
    d.key_type = d.out_type = GP_U32;
    d.needle_count = CELLS + 1;
    d.out = test_buffer(gp, 4 * (CELLS + 1), NULL);
    assert_gp(gp, gp_search(gp, &d));
    out = test_read(gp, d.out, 4 * (CELLS + 1));
    for (i = 0; i <= CELLS; i++) assert_int_equal(out[i], 25 * i);
    free(out);
    clReleaseMemObject(d.keys);
    d.keys = NULL;
    d.record = NULL;
    d.map = "i / width";
    d.key_type = GP_I16;
    d.needle_map = "40 - (short)i";
    assert_gp(gp, gp_search(gp, &d));
    out = test_read(gp, d.out, 4 * (CELLS + 1));
    for (i = 0; i <= CELLS; i++) assert_int_equal(out[i], 25 * (CELLS - i));
    free(out);
    clReleaseMemObject(d.out);
    gp_context_destroy(gp);
}

/* Both numbers are on the device. */
static void test_count_on_device(void **state)
{
    static const uint32_t numbers[][2] = {{0, 0}, {0, 70}, {1, 0}, {999, 1}, {300, 4000}, {4000, 5000}};
    size_t k, f;
    gp_context *gp = test_open(&test_shapes[0], NULL);
    (void)state;
    for (k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        for (f = FORM_RECORDS; f < FORMS; f += FORM_COUNTED - FORM_RECORDS) {
            const search_case whole = {(search_form)f, GP_U32, GP_U32, 3500, 3500, false, false, 1};
            search_case c = whole;
            search_data data = make_data(&whole);
            search_call call;
            size_t i;
            make_call(&call, gp, &whole, &data);
            c.needle_count = numbers[k][0] < 3500 ? numbers[k][0] : 3500;
            c.count = numbers[k][1] < 3500 ? numbers[k][1] : 3500;
            for (i = 0; i < c.needle_count; i++) {
                const uint32_t p = (uint32_t)position(&c, data.keys, key_load(data.needles, i, 4));
                memcpy(data.expected + 4 * i, &p, 4);
            }
            call.desc.needle_count_buffer = test_buffer(gp, 4, &numbers[k][0]);
            call.desc.count_buffer = test_buffer(gp, 8, numbers[k]);
            call.desc.count_offset = 1;
            call.desc.needle_count_type = call.desc.count_type = GP_U32;
            assert_gp(gp, gp_search(gp, &call.desc));
            compare(gp, "counts", &c, &call, &data);
            release(&call);
            free_data(&data);
        }
    }
    gp_context_destroy(gp);
}

static void test_bad_input(void **state)
{
    const search_case c = {FORM_RECORDS, GP_U32, GP_U32, 500, 300, false, false, 0};
    const gp_arg step = {.name = "step", .type = GP_U32};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    search_data data = make_data(&c);
    search_call call;
    gp_search_desc good, d;
    gp_record wrong;
    gp_arg arg = step;
    (void)state;
    make_call(&call, gp, &c, &data);
    good = call.desc;
    wrong = call.key.record;
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_search(gp, &d), result, text)
    REFUSED(d.map = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_search: record is given, and map is NULL");
    REFUSED(d.needle_map = NULL, GP_ERROR_INVALID_ARGUMENT, "needle_record is given, and needle_map is NULL");
    REFUSED(d.map = " ", GP_ERROR_INVALID_ARGUMENT, "map is empty");
    REFUSED(d.needle_map = "x.key)", GP_ERROR_INVALID_ARGUMENT, "needle_map");
    REFUSED(d.map = "x.nobody", GP_ERROR_BUILD, test_place("map:1"));
    REFUSED(d.needle_map = "nobody", GP_ERROR_BUILD, test_place("needle_map:1"));
    REFUSED(d.keys = NULL, GP_ERROR_INVALID_BUFFER, "keys is NULL");
    REFUSED(d.needles = NULL, GP_ERROR_INVALID_BUFFER, "needles is NULL");
    REFUSED(d.count = 600, GP_ERROR_INVALID_BUFFER, "keys has");
    REFUSED(d.needle_count = 400, GP_ERROR_INVALID_BUFFER, "needles has");
    REFUSED(d.needles = d.out, GP_ERROR_INVALID_BUFFER, "needles has");
    REFUSED(d.arg_count = 1, GP_ERROR_INVALID_ARGUMENT, "arg_count = 1");
    arg.buffer = good.out;
    REFUSED((d.args = &arg, d.arg_count = 1), GP_ERROR_OVERLAP, "args[0].buffer");
    arg.buffer = NULL;
    REFUSED((d.args = &arg, d.arg_count = 1), GP_ERROR_INVALID_BUFFER, "args[0].buffer is NULL");
    wrong.size = 8;
    REFUSED(d.record = &wrong, GP_ERROR_BUILD, "a record's size = 8 is not sizeof(cl_type)");
    wrong.size = 257;
    REFUSED(d.needle_record = &wrong, GP_ERROR_INVALID_TYPE, "needle_record->size = 257, must be 1 to 256");
#undef REFUSED
    release(&call);
    free_data(&data);
    gp_context_destroy(gp);
}

/* After a warm-up nothing is built. */
static void test_warmup(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t f;
    (void)state;
    for (f = 0; f < FORMS; f++) {
        const search_case c = {(search_form)f, GP_I32, GP_U32, 1000, 200, false, false, 1};
        search_data data = make_data(&c);
        search_call call;
        gp_search_desc desc;
        gp_warmup_desc warm = {0};
        uint64_t built;
        make_call(&call, gp, &c, &data);
        desc = call.desc;
        desc.out = NULL;
        desc.count = desc.needle_count = 0;
        if (counts(c.form)) desc.needle_map = "i";
        warm.search = &desc;
        assert_gp(gp, gp_warmup(gp, &warm));
        built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
        assert_int_equal(built, f + 1);
        assert_gp(gp, gp_search(gp, &call.desc));
        compare(gp, "warmed", &c, &call, &data);
        assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
        release(&call);
        free_data(&data);
    }
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_shape), cmocka_unit_test(test_types),
        cmocka_unit_test(test_cells),       cmocka_unit_test(test_count_on_device),
        cmocka_unit_test(test_bad_input),   cmocka_unit_test(test_warmup),
    };
    return cmocka_run_group_tests_name("search_maps", tests, NULL, NULL);
}
