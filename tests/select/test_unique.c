/* test_unique.c - gp_unique, gp_unique_by_key and gp_run_length_encode in every variant, against a sequential
   reference; and calls chained over counts that stay on the device. */
#include "../support/packs.h"

/* ------------------------------------------------------------------ runs */

/* Keys of `size` bytes in runs of about `length` elements; 0: one run. */
static unsigned char *make_keys(size_t n, size_t size, size_t length)
{
    unsigned char *keys = calloc(n + 1, size);
    uint64_t key = 250;
    size_t i;
    assert_non_null(keys);
    for (i = 0; i < n; i++) {
        if (length == 1 || (length > 1 && test_random() % length == 0)) key += 1 + test_random() % 2;
        memcpy(keys + i * size, &key, size < 8 ? size : 8);
    }
    return keys;
}

static bool same(const unsigned char *keys, size_t size, size_t i, size_t j)
{
    return memcmp(keys + i * size, keys + j * size, size) == 0;
}

/* Ends of runs: the first element behind each. Returns how many. */
static size_t find_runs(const unsigned char *keys, size_t n, size_t size, size_t *ends)
{
    size_t i, runs = 0;
    for (i = 0; i < n; i++)
        if (i + 1 == n || !same(keys, size, i, i + 1)) ends[runs++] = i + 1;
    return runs;
}

typedef struct runs_case {
    gp_type type;
    size_t size, value_size, length;
    bool repeated_only, offsets_end;
} runs_case;

static void put_number(char *numbers, const pack_form *form, size_t at, uint64_t x)
{
    memcpy(numbers + at * pack_number_size(form), &x, pack_number_size(form));
}

/* What is to come out of either call. */
typedef struct runs_expected {
    unsigned char *keys, *values;
    char *offsets, *lengths;
    size_t count;
} runs_expected;

static runs_expected expect(const runs_case *c, const pack_form *form, const unsigned char *keys,
                            const unsigned char *values)
{
    const size_t n = form->count, v = c->value_size;
    size_t *ends = calloc(n + 1, sizeof *ends), runs, k;
    runs_expected e;
    assert_non_null(ends);
    e.keys = pack_random(n * c->size);
    e.values = pack_random(n * (v + 1));
    e.offsets = pack_random((n + 1) * 8);
    e.lengths = pack_random(n * 8);
    e.count = 0;
    runs = find_runs(keys, n, c->size, ends);
    for (k = 0; k < runs; k++) {
        const size_t begin = k ? ends[k - 1] : 0, at = e.count;
        if (c->repeated_only && ends[k] - begin == 1) continue;
        memcpy(e.keys + at * c->size, keys + begin * c->size, c->size);
        memcpy(e.values + at * v, values + begin * v, v);
        put_number(e.offsets, form, at, begin);
        put_number(e.lengths, form, e.count++, ends[k] - begin);
    }
    put_number(e.offsets, form, e.count, n);
    free(ends);
    return e;
}

static void free_expected(runs_expected *e)
{
    free(e->keys);
    free(e->values);
    free(e->offsets);
    free(e->lengths);
}

static cl_mem own_scratch(gp_context *gp, size_t bytes)
{
    return bytes ? test_buffer(gp, bytes, NULL) : NULL;
}

static void check_unique(gp_context *gp, const runs_case *c, const pack_form *form)
{
    const size_t o = form->offset, number = pack_number_size(form), n = form->count;
    unsigned char *keys = make_keys(n, c->size, c->length), *values = pack_random(n * (c->value_size + 1));
    runs_expected e = expect(c, form, keys, values);
    pack_out keys_out = pack_out_make(gp, o + 1, form->bound, c->size);
    pack_out values_out = pack_out_make(gp, o + 2, form->bound, c->value_size ? c->value_size : 1);
    pack_out indices = pack_out_make(gp, o, form->bound, number);
    pack_out count = pack_out_make(gp, o + 1, 1, number);
    const uint64_t expected = e.count;
    uint64_t told = expected;
    size_t bytes = 0;
    gp_unique_desc d = {0};
    d.keys = pack_in(gp, keys, form, o, c->size);
    if (c->value_size) d.values = pack_in(gp, values, form, o + 3, c->value_size);
    d.keys_offset = o;
    d.values_offset = o + 3;
    d.keys_out = keys_out.buffer;
    d.keys_out_offset = keys_out.offset;
    if (c->value_size) d.values_out = values_out.buffer;
    d.values_out_offset = values_out.offset;
    d.indices_out = indices.buffer;
    d.indices_out_offset = indices.offset;
    d.index_type = d.count_out_type = pack_number_type(form);
    d.count_out = count.buffer;
    d.count_out_offset = count.offset;
    d.count = form->bound;
    d.count_buffer = pack_count(gp, form);
    d.count_offset = PACK_COUNT_OFFSET;
    if (d.count_buffer) d.count_type = form->wide ? GP_U64 : GP_U32;
    d.key_type = c->type;
    d.key_size = c->type ? 0 : c->size;
    d.value_size = c->value_size;
    if (form->own_scratch) assert_gp(gp, gp_unique_scratch_size(gp, &d, &bytes));
    d.scratch = own_scratch(gp, bytes);
    if (c->value_size && form->read) assert_gp(gp, gp_unique_by_key_read(gp, &d, &told));
    else if (c->value_size) assert_gp(gp, gp_unique_by_key(gp, &d));
    else if (form->read) assert_gp(gp, gp_unique_read(gp, &d, &told));
    else assert_gp(gp, gp_unique(gp, &d));
    assert_int_equal(told, expected);
    pack_out_check(gp, &keys_out, "keys", e.keys, e.count);
    pack_out_check(gp, &values_out, "values", e.values, c->value_size ? e.count : 0);
    pack_out_check(gp, &indices, "indices", e.offsets, e.count);
    pack_out_check_numbers(gp, &count, &expected, 1);
    clReleaseMemObject(d.keys);
    if (d.values) clReleaseMemObject(d.values);
    if (d.scratch) clReleaseMemObject(d.scratch);
    if (d.count_buffer) clReleaseMemObject(d.count_buffer);
    free_expected(&e);
    free(keys);
    free(values);
}

static void check_runs(gp_context *gp, const runs_case *c, const pack_form *form)
{
    const size_t o = form->offset, number = pack_number_size(form), n = form->count;
    unsigned char *keys = make_keys(n, c->size, c->length), *values = pack_random(n);
    runs_expected e = expect(c, form, keys, values);
    pack_out out = pack_out_make(gp, o + 1, form->bound, c->size);
    pack_out lengths = pack_out_make(gp, o + 2, form->bound, number);
    pack_out offsets = pack_out_make(gp, o, form->bound + c->offsets_end, number);
    pack_out count = pack_out_make(gp, o + 1, 1, number);
    const uint64_t expected = e.count;
    uint64_t told = expected;
    size_t bytes = 0;
    gp_run_length_encode_desc d = {0};
    d.in = pack_in(gp, keys, form, o, c->size);
    d.in_offset = o;
    d.out = out.buffer;
    d.out_offset = out.offset;
    d.lengths_out = lengths.buffer;
    d.lengths_out_offset = lengths.offset;
    d.offsets_out = offsets.buffer;
    d.offsets_out_offset = offsets.offset;
    d.index_type = d.count_out_type = pack_number_type(form);
    d.count_out = count.buffer;
    d.count_out_offset = count.offset;
    d.count = form->bound;
    d.count_buffer = pack_count(gp, form);
    d.count_offset = PACK_COUNT_OFFSET;
    if (d.count_buffer) d.count_type = form->wide ? GP_U64 : GP_U32;
    d.type = c->type;
    d.element_size = c->type ? 0 : c->size;
    d.repeated_only = c->repeated_only;
    d.offsets_end = c->offsets_end;
    if (form->own_scratch) assert_gp(gp, gp_run_length_encode_scratch_size(gp, &d, &bytes));
    d.scratch = own_scratch(gp, bytes);
    if (form->read) assert_gp(gp, gp_run_length_encode_read(gp, &d, &told));
    else assert_gp(gp, gp_run_length_encode(gp, &d));
    assert_int_equal(told, expected);
    pack_out_check(gp, &out, "keys", e.keys, e.count);
    pack_out_check(gp, &lengths, "lengths", e.lengths, e.count);
    pack_out_check(gp, &offsets, "offsets", e.offsets, e.count + c->offsets_end);
    pack_out_check_numbers(gp, &count, &expected, 1);
    clReleaseMemObject(d.in);
    if (d.scratch) clReleaseMemObject(d.scratch);
    if (d.count_buffer) clReleaseMemObject(d.count_buffer);
    free_expected(&e);
    free(keys);
    free(values);
}

typedef void (*check_function)(gp_context *, const runs_case *, const pack_form *);

/* Counts, lengths of runs, odd offsets, counts on the device: all of one program. */
static void check_all(gp_context *gp, runs_case c, check_function check, bool wide, size_t most)
{
    static const size_t lengths[] = {1, 2, 30, 5000, 0};
    const size_t *counts, n = pack_counts(&counts);
    size_t k;
    for (k = 0; k < n && counts[k] <= most; k++) {
        pack_form form = {0};
        form.count = form.bound = counts[k];
        form.own_scratch = k % 2 == 0;
        form.read = k % 3 == 0;
        form.wide = wide;
        c.length = lengths[k % 5];
        check(gp, &c, &form);
    }
    for (k = 0; k < 5; k++) {
        pack_form form = {0};
        form.count = test_small() ? 3079 : 20011;
        form.bound = form.count + k * k * 700;
        form.offset = k;
        form.wide = wide;
        c.length = lengths[k];
        check(gp, &c, &form);
        form.count = k * 16;
        check(gp, &c, &form);
    }
}

static bool takes_part(const gp_context *gp, size_t variant)
{
    return test_builds_are_cheap(gp) || variant == 0 || variant == 3 || variant == 6;
}

static void test_unique_every_variant(void **state)
{
    const runs_case keys = {GP_U32, 4, 0, 0, false, false}, pairs = {GP_TYPE_NONE, 8, 16, 0, false, false};
    size_t v;
    (void)state;
    for (v = 0; v < test_variant_count; v++) {
        gp_context *gp = test_open(&test_variants[v], NULL);
        if (!gp) continue;
        if (takes_part(gp, v)) check_all(gp, keys, check_unique, false, SIZE_MAX);
        if (test_builds_are_cheap(gp) || v == 0) check_all(gp, pairs, check_unique, v % 2 == 1, SIZE_MAX);
        gp_context_destroy(gp);
    }
}

static void test_runs_every_variant(void **state)
{
    const runs_case all = {GP_U32, 4, 0, 0, false, false}, repeated = {GP_U8, 1, 0, 0, true, false};
    const runs_case segments = {GP_U32, 4, 0, 0, false, true};
    size_t v;
    (void)state;
    for (v = 0; v < test_variant_count; v++) {
        gp_context *gp = test_open(&test_variants[v], NULL);
        if (!gp) continue;
        if (takes_part(gp, v)) check_all(gp, all, check_runs, false, test_most(gp, test_variants[v].shape));
        if (takes_part(gp, v))
            check_all(gp, segments, check_runs, v % 2 == 0, test_most(gp, test_variants[v].shape));
        if (test_builds_are_cheap(gp) || v == 0) check_all(gp, repeated, check_runs, v % 2 == 0, SIZE_MAX);
        assert_int_equal(test_profile_of(gp).abandoned, 0);
        gp_context_destroy(gp);
    }
}

/* Where builds are cheap, every size of keys and values. */
static void test_sizes(void **state)
{
    static const size_t sizes[] = {1, 2, 4, 8, 16};
    gp_context *gp = test_open(&test_variants[0], NULL);
    size_t k;
    (void)state;
    for (k = 0; k < 5 && test_builds_are_cheap(gp); k++) {
        const runs_case c = {GP_TYPE_NONE, sizes[k], sizes[4 - k], 3, k % 2 == 1, k % 4 == 2};
        pack_form form = {0};
        form.count = form.bound = 5003;
        form.wide = k % 2 == 0;
        check_runs(gp, &c, &form);
        if (!c.repeated_only) check_unique(gp, &c, &form);
    }
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ equality */

/* Zeros of both signs are one run, of which the first is kept; NaN equals nothing. Or by an expression. */
static void test_floats_and_equal(void **state)
{
    const float nan = (float)(1e308 * 10 * 0.0);
    const float in[8] = {-0.0f, 0.0f, 1.0f, nan, nan, 1.5f, 1.75f, 3.0f};
    const float unique[7] = {-0.0f, 1.0f, nan, nan, 1.5f, 1.75f, 3.0f},
                near[5] = {-0.0f, nan, nan, 1.5f, 3.0f};
    const uint32_t lengths[5] = {3, 1, 1, 2, 1};
    gp_context *gp = test_open(&test_variants[0], NULL);
    pack_out out = pack_out_make(gp, 0, 8, 4), out2 = pack_out_make(gp, 0, 8, 4);
    pack_out lengths_out = pack_out_make(gp, 0, 8, 4);
    gp_unique_desc d = {0};
    gp_run_length_encode_desc r = {0};
    uint64_t count;
    (void)state;
    d.keys = test_buffer(gp, sizeof in, in);
    d.keys_out = out.buffer;
    d.count = 8;
    d.key_type = GP_F32;
    assert_gp(gp, gp_unique_read(gp, &d, &count));
    assert_int_equal(count, 7);
    pack_out_check(gp, &out, "floats", unique, 7);
    r.in = d.keys;
    r.out = out2.buffer;
    r.lengths_out = lengths_out.buffer;
    r.count = 8;
    r.type = GP_F32;
    r.equal = "fabs(x - y) <= 1.0f";
    assert_gp(gp, gp_run_length_encode_read(gp, &r, &count));
    assert_int_equal(count, 5);
    pack_out_check(gp, &out2, "near floats", near, 5);
    pack_out_check(gp, &lengths_out, "lengths", lengths, 5);
    r.equal = "";
    assert_gp_fails(gp, gp_run_length_encode(gp, &r), GP_ERROR_INVALID_ARGUMENT, "equal is empty");
    d.value_size = 3;
    assert_gp_fails(gp, gp_unique_by_key(gp, &d), GP_ERROR_INVALID_ARGUMENT, "value_size = 3");
    d.value_size = 4;
    assert_gp_fails(gp, gp_unique(gp, &d), GP_ERROR_INVALID_ARGUMENT, "gp_unique takes 0");
    assert_gp_fails(gp, gp_unique_by_key(gp, &d), GP_ERROR_INVALID_BUFFER, "values is NULL");
    d.value_size = 0;
    d.keys_out = d.keys;
    assert_gp_fails(gp, gp_unique(gp, &d), GP_ERROR_OVERLAP, "keys is bytes");
    clReleaseMemObject(d.keys);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ offsets of segments */

/* Runs become segments without a word from the host: offsets with their end, and how many. */
static void test_runs_as_segments(void **state)
{
    const uint32_t keys[7] = {5, 5, 5, 2, 2, 9, 5}, in[7] = {3, 1, 2, 9, 8, 4, 7};
    const uint32_t sorted[7] = {1, 2, 3, 8, 9, 4, 7}, sums[4] = {6, 17, 4, 7};
    gp_context *gp = test_open(&test_variants[0], NULL);
    pack_out out = pack_out_make(gp, 0, 7, 4), totals = pack_out_make(gp, 0, 7, 4);
    cl_mem offsets = test_buffer(gp, 8 * 4, NULL), runs = test_buffer(gp, 4, NULL);
    gp_run_length_encode_desc encode = {0};
    gp_segmented_sort_desc sort = {0};
    gp_segmented_reduce_desc reduce = {0};
    (void)state;
    encode.in = test_buffer(gp, sizeof keys, keys);
    encode.offsets_out = sort.offsets = reduce.offsets = offsets;
    encode.count_out = sort.count_buffer = reduce.count_buffer = runs;
    encode.count = sort.count = sort.segment_count = reduce.count = reduce.segment_count = 7;
    encode.type = sort.key_type = sort.offsets_type = sort.count_type = GP_U32;
    reduce.type = reduce.out_type = reduce.offsets_type = reduce.count_type = GP_U32;
    encode.offsets_end = true;
    sort.keys = reduce.in = test_buffer(gp, sizeof in, in);
    sort.keys_out = out.buffer;
    reduce.out = totals.buffer;
    reduce.op = GP_SUM;
    assert_gp(gp, gp_run_length_encode(gp, &encode));
    assert_gp(gp, gp_segmented_sort(gp, &sort));
    assert_gp(gp, gp_segmented_reduce(gp, &reduce));
    pack_out_check(gp, &out, "sorted", sorted, 7);
    pack_out_check(gp, &totals, "sums", sums, 4);
    assert_int_equal(test_profile_of(gp).bad_offsets, 0);
    clReleaseMemObject(encode.in);
    clReleaseMemObject(sort.keys);
    clReleaseMemObject(offsets);
    clReleaseMemObject(runs);
    gp_context_destroy(gp);
}

static void test_offsets_end_refusals(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    cl_mem in = test_buffer(gp, 8 * 4, NULL), out = test_buffer(gp, 8 * 4, NULL);
    gp_run_length_encode_desc d = {0};
    size_t bytes;
    (void)state;
    d.in = in;
    d.lengths_out = out;
    d.count = 8;
    d.type = GP_U32;
    d.offsets_end = true;
    assert_gp_fails(gp, gp_run_length_encode(gp, &d), GP_ERROR_INVALID_ARGUMENT,
                    "offsets_out, which is NULL");
    assert_gp_fails(gp, gp_run_length_encode_scratch_size(gp, &d, &bytes), GP_ERROR_INVALID_ARGUMENT,
                    "offsets_out, which is NULL");
    d.offsets_out = out;
    d.lengths_out = NULL;
    assert_gp_fails(gp, gp_run_length_encode(gp, &d), GP_ERROR_INVALID_BUFFER,
                    "offsets_out has 32 bytes, too few for offset 0 and 9 elements");
    d.repeated_only = true;
    assert_gp_fails(gp, gp_run_length_encode(gp, &d), GP_ERROR_INVALID_ARGUMENT, "repeated_only");
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ chains */

static int compare_u32(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* select, sort, unique, runs of the rest, scan of lengths: each count feeds the next call, nothing blocks
   until the end. */
static void test_chain(void **state)
{
    enum { KEPT, UNIQUE, RUNS, COUNTS };
    const size_t n = test_small() ? 5000 : 100003;
    gp_context *gp = test_open(&test_variants[0], NULL);
    uint32_t *in = malloc(n * 4), *sums, counts[COUNTS], kept = 0, runs = 0;
    cl_mem a, b = test_buffer(gp, n * 4, NULL), c = test_buffer(gp, n * 4, NULL);
    cl_mem count = test_buffer(gp, sizeof counts, NULL);
    gp_select_desc select = {0};
    gp_sort_desc sort = {0};
    gp_unique_desc unique = {0};
    gp_run_length_encode_desc encode = {0};
    gp_scan_desc scan = {0};
    size_t i;
    uint32_t *got;
    (void)state;
    assert_non_null(in);
    for (i = 0; i < n; i++) in[i] = test_random() % 5000;
    a = test_buffer(gp, n * 4, in);
    select.in = a;
    select.out = b;
    select.count_out = count;
    select.type = GP_U32;
    select.predicate = "x % 3 == 0";
    sort.keys = b;
    sort.key_type = GP_U32;
    unique.keys = b;
    unique.keys_out = c;
    unique.key_type = GP_U32;
    unique.count_out = count;
    unique.count_out_offset = UNIQUE;
    encode.in = b;
    encode.lengths_out = a;
    encode.type = GP_U32;
    encode.count_out = count;
    encode.count_out_offset = RUNS;
    scan.in = a;
    scan.out = b;
    scan.type = GP_U32;
    scan.op = GP_SUM;
    select.count = sort.count = unique.count = encode.count = scan.count = n;
    sort.count_buffer = unique.count_buffer = encode.count_buffer = scan.count_buffer = count;
    sort.count_type = unique.count_type = encode.count_type = scan.count_type = GP_U32;
    scan.count_offset = RUNS;
    assert_gp(gp, gp_select(gp, &select));
    assert_gp(gp, gp_sort(gp, &sort));
    assert_gp(gp, gp_unique(gp, &unique));
    assert_gp(gp, gp_run_length_encode(gp, &encode));
    assert_gp(gp, gp_scan(gp, &scan));
    got = test_read(gp, count, sizeof counts);
    memcpy(counts, got, sizeof counts);
    free(got);
    for (i = 0; i < n; i++)
        if (in[i] % 3 == 0) in[kept++] = in[i];
    qsort(in, kept, 4, compare_u32);
    assert_int_equal(counts[KEPT], kept);
    got = test_read(gp, c, n * 4);
    sums = test_read(gp, b, n * 4);
    for (i = 0; i < kept; i++) {
        if (i + 1 < kept && in[i] == in[i + 1]) continue;
        assert_int_equal(got[runs], in[i]);
        assert_int_equal(sums[runs++], i + 1); /* where the run ends */
    }
    assert_int_equal(counts[UNIQUE], runs);
    assert_int_equal(counts[RUNS], runs);
    assert_int_equal(test_profile_of(gp).clamped, 0);
    free(got);
    free(sums);
    free(in);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(c);
    clReleaseMemObject(count);
    gp_context_destroy(gp);
}

/* After a warm-up nothing is built. */
static void test_warm_up(void **state)
{
    const runs_case c = {GP_U32, 4, 0, 3, false, true};
    gp_context *gp = test_open(&test_variants[0], NULL);
    pack_form form = {0};
    cl_mem any = test_buffer(gp, 4, NULL);
    gp_run_length_encode_desc d = {0};
    gp_warmup_desc warm_up = {0};
    gp_stats before, after;
    (void)state;
    d.type = GP_U32;
    d.out = d.lengths_out = d.offsets_out = any;
    d.offsets_end = true;
    warm_up.run_length_encode = &d;
    assert_gp(gp, gp_warmup(gp, &warm_up));
    before = test_profile_of(gp);
    form.count = form.bound = 5003;
    check_runs(gp, &c, &form);
    after = test_profile_of(gp);
    assert_int_equal(before.programs_built + before.programs_loaded, 1);
    assert_int_equal(after.programs_built + after.programs_loaded, 1);
    clReleaseMemObject(any);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unique_every_variant),
        cmocka_unit_test(test_runs_every_variant),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_floats_and_equal),
        cmocka_unit_test(test_runs_as_segments),
        cmocka_unit_test(test_offsets_end_refusals),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_warm_up),
    };
    return cmocka_run_group_tests_name("unique", tests, NULL, NULL);
}
