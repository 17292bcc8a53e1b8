/* test_sort_strings.c - gp_sort_strings against qsort with a comparison that is made stable. */
#include "../support/keys.h"

/* Strings of a test; string s is bytes[offset[s]] ... bytes[offset[s + 1] - 1]. */
typedef struct strings {
    unsigned char *bytes;
    size_t byte_count, capacity;
    uint64_t *offset;
    size_t count, room;
} strings;

/* How they are passed. */
typedef struct way {
    bool descending, wide_offsets, wide_indices;
    size_t shift; /* of all offsets of the buffers */
} way;

/* ------------------------------------------------------------------ input */

static strings none(void)
{
    strings s;
    memset(&s, 0, sizeof s);
    s.offset = calloc(1, sizeof *s.offset);
    assert_non_null(s.offset);
    return s;
}

static void append(strings *s, const void *bytes, size_t length)
{
    if (s->byte_count + length > s->capacity) {
        s->capacity = 2 * (s->byte_count + length);
        s->bytes = realloc(s->bytes, s->capacity);
        assert_non_null(s->bytes);
    }
    if (s->count == s->room) {
        s->room = 2 * s->room + 16;
        s->offset = realloc(s->offset, (s->room + 1) * sizeof *s->offset);
        assert_non_null(s->offset);
    }
    if (length) memcpy(s->bytes + s->byte_count, bytes, length);
    s->byte_count += length;
    s->offset[++s->count] = s->byte_count;
}

static void drop(strings *s)
{
    free(s->bytes);
    free(s->offset);
}

/* `count` strings of up to `longest` bytes, each one of `letters` from `first` on. */
static strings random_strings(size_t count, size_t longest, unsigned first, unsigned letters)
{
    strings s = none();
    unsigned char *text = malloc(longest + 1);
    size_t i, k;
    assert_non_null(text);
    for (i = 0; i < count; i++) {
        const size_t length = (test_random() >> 8) % (longest + 1);
        for (k = 0; k < length; k++) text[k] = (unsigned char)(first + (test_random() >> 10) % letters);
        append(&s, text, length);
    }
    free(text);
    return s;
}

/* All strings of up to five of the letters 0, 1 and 255, in no order. */
static strings all_short(void)
{
    static const unsigned char letters[] = {255, 0, 1};
    strings s = none();
    size_t length, i, k, count = 1;
    for (length = 0; length <= 5; length++, count *= 3) {
        for (i = 0; i < count; i++) {
            unsigned char text[5];
            size_t rest = i;
            for (k = 0; k < length; k++, rest /= 3) text[k] = letters[rest % 3];
            append(&s, text, length);
        }
    }
    return s;
}

/* Of each length up to 40: nothing but zeros, nothing but one letter, and that with another last letter;
 * twice. */
static strings all_lengths(void)
{
    strings s = none();
    unsigned char text[40];
    size_t length, i;
    for (i = 0; i < (test_small() ? 6 : 12); i++) {
        for (length = 0; length <= 40; length += test_small() ? 4 : 1) {
            memset(text, i % 6 == 0 ? 0 : 'a', sizeof text);
            if (i % 6 > 1 && length > 0) text[length - 1] = (unsigned char)"\0\xff\x7f\x80"[i % 6 - 2];
            append(&s, text, length);
        }
    }
    return s;
}

/* `count` times the same `length` bytes, every `odd`-th (0: none) with another last byte. */
static strings equal_strings(size_t count, size_t length, size_t odd)
{
    strings s = none();
    unsigned char *text = malloc(length + 1);
    size_t i;
    assert_non_null(text);
    for (i = 0; i < length; i++) text[i] = (unsigned char)(i * 7 + i / 256);
    for (i = 0; i < count; i++) {
        if (length) text[length - 1] = (unsigned char)(odd && i % odd == 0 ? test_random() >> 24 : 'x');
        append(&s, text, length);
    }
    free(text);
    return s;
}

/* Each string begins the next one. */
static strings staircase(size_t count)
{
    strings s = none();
    unsigned char *text = malloc(count + 1);
    size_t i;
    assert_non_null(text);
    memset(text, 'z', count + 1);
    for (i = 0; i < count; i++) append(&s, text, (i * 7919) % count);
    free(text);
    return s;
}

static bool ends(char c, bool words) { return c == '\n' || (words && c == ' '); }

/* The lines, or words, of a file of this repository; at most `most`. */
static strings text_of(const char *path, bool words, size_t most)
{
    strings s = none();
    FILE *file = fopen(path, "rb");
    size_t size, begin = 0, i;
    char *text;
    if (!file) return s; /* not run from the repository's root */
    fseek(file, 0, SEEK_END);
    size = (size_t)ftell(file);
    rewind(file);
    text = malloc(size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, file), size);
    fclose(file);
    for (i = 0; i < size && s.count < most; i++) {
        if (!ends(text[i], words)) continue;
        append(&s, text + begin, i - begin);
        begin = i + 1;
    }
    free(text);
    return s;
}

/* ------------------------------------------------------------------ reference */

static const strings *compared;
static bool compared_descending;

static int compare_strings(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const size_t nx = (size_t)(compared->offset[x + 1] - compared->offset[x]);
    const size_t ny = (size_t)(compared->offset[y + 1] - compared->offset[y]);
    const size_t n = nx < ny ? nx : ny;
    int order =
        n ? memcmp(compared->bytes + compared->offset[x], compared->bytes + compared->offset[y], n) : 0;
    if (order == 0) order = (nx > ny) - (nx < ny);
    if (compared_descending) order = -order;
    return order ? order : (x > y) - (x < y);
}

static size_t *reference(const strings *s, size_t count, bool descending)
{
    size_t *order = malloc((count + 1) * sizeof *order), i;
    assert_non_null(order);
    for (i = 0; i < count; i++) order[i] = i;
    compared = s;
    compared_descending = descending;
    qsort(order, count, sizeof *order, compare_strings);
    return order;
}

/* ------------------------------------------------------------------ check */

static gp_sort_strings_desc make_desc(gp_context *gp, const strings *s, const way *w)
{
    const size_t entries = s->count + 1, index = w->wide_indices ? 8 : 4;
    uint32_t *narrow = malloc(entries * sizeof *narrow);
    gp_sort_strings_desc d = {0};
    size_t i;
    assert_non_null(narrow);
    for (i = 0; i < entries; i++) narrow[i] = (uint32_t)s->offset[i];
    d.count = s->count;
    d.byte_count = s->byte_count;
    d.bytes_offset = d.offsets_offset = d.out_offset = w->shift;
    d.bytes = guarded(gp, w->shift, s->byte_count, 1, s->bytes);
    d.offsets = w->wide_offsets ? guarded(gp, w->shift, entries, 8, s->offset)
                                : guarded(gp, w->shift, entries, 4, narrow);
    d.offsets_type = w->wide_offsets ? GP_U64 : GP_U32;
    d.out = guarded(gp, w->shift, s->count, index, NULL);
    d.index_type = w->wide_indices ? GP_U64 : GP_TYPE_NONE;
    d.descending = w->descending;
    free(narrow);
    return d;
}

static void release(const gp_sort_strings_desc *d)
{
    clReleaseMemObject(d->bytes);
    clReleaseMemObject(d->offsets);
    clReleaseMemObject(d->out);
    if (d->count_buffer) clReleaseMemObject(d->count_buffer);
    if (d->scratch) clReleaseMemObject(d->scratch);
}

/* `out` holds the first `count` of the order, and poison everywhere else. */
static void check_out(gp_context *gp, const char *name, const gp_sort_strings_desc *d, const size_t *order,
                      size_t count)
{
    const size_t size = d->index_type == GP_U64 ? 8 : 4, all = d->out_offset + d->count + GUARD;
    unsigned char *out = test_read(gp, d->out, all * size);
    size_t i, k;
    for (i = 0; i < all; i++) {
        uint64_t x = 0;
        memcpy(&x, out + i * size, size);
        if (i >= d->out_offset && i < d->out_offset + count) {
            if (x != order[i - d->out_offset])
                fail_msg("%s, %zu strings, descending %d: out[%zu] is %llu, should be %zu", name, count,
                         d->descending, i - d->out_offset, (unsigned long long)x, order[i - d->out_offset]);
            continue;
        }
        for (k = 0; k < size; k++) {
            if (out[i * size + k] != TEST_POISON) fail_msg("%s: out[%zu] was written", name, i);
        }
    }
    free(out);
}

static void check_way(gp_context *gp, const char *name, const strings *s, const way *w)
{
    size_t *order = reference(s, s->count, w->descending);
    const gp_sort_strings_desc desc = make_desc(gp, s, w);
    assert_gp(gp, gp_sort_strings(gp, &desc));
    check_out(gp, name, &desc, order, s->count);
    release(&desc);
    free(order);
}

/* Both orders; under a simulator in turns. Takes the strings. */
static void check(gp_context *gp, const char *name, strings s)
{
    static const way ways[] = {{false, false, false, 0}, {true, true, true, 3}};
    static size_t checks;
    checks++;
    if (!test_small() || checks % 2) check_way(gp, name, &s, &ways[0]);
    if (!test_small() || checks % 2 == 0) check_way(gp, name, &s, &ways[1]);
    drop(&s);
}

/* ------------------------------------------------------------------ variants */

static const gp_shape shapes[] = {GP_SHAPE_AUTO, GP_SHAPE_SERIAL, GP_SHAPE_LOCAL};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* NULL: the device cannot. */
static gp_context *open_shape(gp_shape shape)
{
    gp_context_desc desc = {0};
    desc.tuning.shape = shape;
    if (shape == GP_SHAPE_SERIAL) desc.tuning.tile = 256;
    return test_open_if(&desc);
}

static void test_every_shape(void **state)
{
    size_t k;
    (void)state;
    for (k = 0; k < SHAPES; k++) {
        gp_context *gp = open_shape(shapes[k]);
        if (!gp) continue;
        if (shapes[k] == GP_SHAPE_LOCAL && !test_builds_are_cheap(gp)) {
            gp_context_destroy(gp); /* costs PoCL two minutes */
            continue;
        }
        if (!test_small() || k == 1) check(gp, "all short", all_short());
        if (!test_small() || k == 2) check(gp, "all lengths", all_lengths());
        if (!test_small()) {
            check(gp, "letters", random_strings(20011, 40, 'a', 3));
            check(gp, "zeros", random_strings(20011, 40, 0, 2));
            check(gp, "bytes", random_strings(20011, 20, 0, 256));
            check(gp, "equal", equal_strings(3000, 23, 0));
        }
        gp_context_destroy(gp);
    }
}

static void test_sizes(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 3, 63, 64, 65, 255, 256, 257, 1023, 1025, 16385, 65537};
    gp_context *gp = open_shape(GP_SHAPE_AUTO);
    size_t k;
    (void)state;
    for (k = 0; k < sizeof sizes / sizeof *sizes && sizes[k] <= (test_small() ? 257 : SIZE_MAX);
         k += test_small() ? 3 : 1) {
        check(gp, "two letters", random_strings(sizes[k], 12, 'a', 2));
        if (!test_small()) check(gp, "empty", random_strings(sizes[k], 0, 'a', 1));
        if (!test_small()) check(gp, "bytes", random_strings(sizes[k], 9, 0, 256));
    }
    gp_context_destroy(gp);
}

/* Words and lines of real text. */
static void test_real_text(void **state)
{
    const size_t most = test_small() ? 200 : SIZE_MAX;
    gp_context *gp = open_shape(GP_SHAPE_AUTO);
    (void)state;
    check(gp, "words", text_of("README.md", true, most));
    if (!test_small()) check(gp, "lines", text_of("gpuprim.h", false, most));
    if (!test_small()) check(gp, "many words", text_of("gpuprim.h", true, most));
    gp_context_destroy(gp);
}

/* Long strings that agree for long, or altogether: time must not be a square of anything. */
static void test_long(void **state)
{
    gp_context *gp = open_shape(GP_SHAPE_AUTO);
    (void)state;
    if (test_small()) {
        check(gp, "equal", equal_strings(30, 200, 0));
        check(gp, "one byte", equal_strings(30, 100, 3));
        check(gp, "staircase", staircase(20));
    } else {
        check(gp, "equal", equal_strings(5000, 3001, 0));
        check(gp, "one byte", equal_strings(5000, 1003, 5));
        check(gp, "two huge", equal_strings(2, 3000001, 2));
        check(gp, "staircase", staircase(700));
    }
    gp_context_destroy(gp);
}

/* Strings that overlap, that go backwards in the bytes, and that are no strings at all. */
static void test_bad_offsets(void **state)
{
    const way w = {false, true, false, 2};
    gp_context *gp = open_shape(GP_SHAPE_AUTO);
    strings s = random_strings(test_small() ? 100 : 3001, 30, 'a', 2), empty;
    const uint64_t bad[] = {s.byte_count + 1, ~(uint64_t)0, (uint64_t)1 << 40};
    gp_sort_strings_desc desc;
    size_t *order, i;
    (void)state;
    for (i = 0; i < 3; i++) s.offset[20 + 10 * i] = bad[i];
    desc = make_desc(gp, &s, &w);
    assert_gp_fails(gp, gp_sort_strings(gp, &desc), GP_ERROR_INVALID_ARGUMENT,
                    "6 strings end before they begin or after byte_count");
    assert_non_null(strstr(gp_last_error(gp), "string 19"));
    assert_int_equal(test_profile_of(gp).bad_offsets, 1);
    /* the six count as empty */
    empty = none();
    for (i = 0; i < s.count; i++) {
        const bool good = s.offset[i] <= s.offset[i + 1] && s.offset[i + 1] <= s.byte_count;
        append(&empty, s.bytes + (good ? s.offset[i] : 0),
               good ? (size_t)(s.offset[i + 1] - s.offset[i]) : 0);
    }
    order = reference(&empty, empty.count, false);
    check_out(gp, "bad offsets", &desc, order, s.count);
    release(&desc);
    free(order);
    drop(&s);
    drop(&empty);
    gp_context_destroy(gp);
}

static void test_count_on_device(void **state)
{
    static const uint32_t counts[] = {0, 1, 77, 1000000};
    const way w = {false, false, false, 0};
    gp_context *gp = open_shape(GP_SHAPE_AUTO);
    strings s = random_strings(test_small() ? 90 : 5003, 20, 'a', 2);
    size_t k;
    (void)state;
    for (k = 0; k < sizeof counts / sizeof *counts; k++) {
        const size_t count = counts[k] < s.count ? counts[k] : s.count;
        size_t *order = reference(&s, count, false);
        gp_sort_strings_desc desc = make_desc(gp, &s, &w);
        desc.count_buffer = test_buffer(gp, 4, &counts[k]);
        desc.count_type = GP_U32;
        assert_gp(gp, gp_sort_strings(gp, &desc));
        check_out(gp, "count on device", &desc, order, count);
        release(&desc);
        free(order);
    }
    drop(&s);
    gp_context_destroy(gp);
}

/* Scratch of the caller's, exactly as much as asked for, poisoned, and once as a part of a larger buffer. */
static void test_own_scratch(void **state)
{
    const way w = {true, false, false, 0};
    gp_context *gp = open_shape(GP_SHAPE_AUTO);
    strings s = random_strings(test_small() ? 200 : 40009, 20, 'a', 2);
    size_t *order = reference(&s, s.count, true), bytes;
    gp_sort_strings_desc desc = make_desc(gp, &s, &w);
    cl_mem whole;
    cl_buffer_region region;
    (void)state;
    assert_gp(gp, gp_sort_strings_scratch_size(gp, &desc, &bytes));
    desc.scratch = test_buffer(gp, bytes - 1, NULL);
    assert_gp_fails(gp, gp_sort_strings(gp, &desc), GP_ERROR_INVALID_BUFFER, "scratch");
    clReleaseMemObject(desc.scratch);
    desc.scratch = test_buffer(gp, bytes, NULL);
    assert_gp(gp, gp_sort_strings(gp, &desc));
    check_out(gp, "own scratch", &desc, order, s.count);
    clReleaseMemObject(desc.scratch);
    whole = test_buffer(gp, bytes + 65536, NULL);
    region.origin = 65536;
    region.size = bytes;
    desc.scratch = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
    assert_non_null(desc.scratch);
    assert_gp(gp, gp_sort_strings(gp, &desc));
    check_out(gp, "part of a buffer", &desc, order, s.count);
    assert_int_equal(test_profile_of(gp).scratch_bytes, 0);
    release(&desc);
    clReleaseMemObject(whole);
    free(order);
    drop(&s);
    gp_context_destroy(gp);
}

static void test_bad_input(void **state)
{
    const way w = {false, false, false, 0};
    gp_context *gp = open_shape(GP_SHAPE_AUTO);
    strings s = random_strings(100, 20, 'a', 2);
    const gp_sort_strings_desc good = make_desc(gp, &s, &w);
    gp_sort_strings_desc d = good;
    (void)state;
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_sort_strings(gp, &d), result, text)
    REFUSED(d.offsets_type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "offsets_type = 0");
    REFUSED(d.index_type = GP_U8, GP_ERROR_INVALID_TYPE, "index_type = 2");
    REFUSED(d.count = SIZE_MAX, GP_ERROR_COUNT_LIMIT, "count =");
    REFUSED(d.count = 200, GP_ERROR_INVALID_BUFFER, "offsets has");
    REFUSED(d.byte_count += 17, GP_ERROR_INVALID_BUFFER, "bytes has");
    REFUSED(d.bytes = NULL, GP_ERROR_INVALID_BUFFER, "bytes is NULL");
    REFUSED(d.offsets = NULL, GP_ERROR_INVALID_BUFFER, "offsets is NULL");
    REFUSED(d.out = NULL, GP_ERROR_INVALID_BUFFER, "out is NULL");
    REFUSED(d.out = d.offsets, GP_ERROR_OVERLAP, "offsets and out overlap");
    REFUSED(d.scratch = d.out, GP_ERROR_INVALID_BUFFER, "scratch");
    REFUSED((d.count_buffer = d.out, d.count_type = GP_U32), GP_ERROR_OVERLAP, "count_buffer and out");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    assert_gp_fails(NULL, gp_sort_strings(NULL, &good), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_sort_strings(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    release(&good);
    drop(&s);
    gp_context_destroy(gp);
}

/* Random sizes in a row; with an out-of-order queue, so that a call has to order its own commands. */
static void test_many(void **state)
{
    gp_context *plain = open_shape(GP_SHAPE_AUTO), *gp = NULL;
    gp_context_desc desc = {0};
    size_t i;
    (void)state;
    desc.queue = clCreateCommandQueue(gp_cl_context(plain), gp_cl_device(plain),
                                      CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, NULL);
    if (desc.queue) assert_gp(NULL, gp_context_create(&desc, &gp));
    for (i = 0; i < (test_small() ? 2u : 60u); i++) {
        strings s = random_strings(test_random() % (test_small() ? 100 : 3000), 15, 'a', 2);
        check(gp ? gp : plain, "many", s);
    }
    gp_context_destroy(gp);
    if (desc.queue) clReleaseCommandQueue(desc.queue);
    gp_context_destroy(plain);
}

static void test_warmup(void **state)
{
    gp_context *gp = open_shape(GP_SHAPE_AUTO);
    gp_sort_strings_desc desc = {0};
    gp_warmup_desc warm = {0};
    uint64_t built;
    (void)state;
    warm.sort_strings = &desc;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    check(gp, "warmed", random_strings(test_small() ? 100 : 3000, 20, 'a', 2));
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_shape), cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_real_text),   cmocka_unit_test(test_long),
        cmocka_unit_test(test_bad_offsets), cmocka_unit_test(test_count_on_device),
        cmocka_unit_test(test_own_scratch), cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_many),        cmocka_unit_test(test_warmup),
    };
    return cmocka_run_group_tests_name("sort_strings", tests, NULL, NULL);
}
