/* test_key_records.c - keys that are records of the caller's, of every size, against a sequential reference: gp_unique,
   gp_unique_by_key, gp_run_length_encode and gp_reduce_by_key; and gp_select of records that no number is as large as. */
#include "../support/packs.h"

/* A record, whose id says which run it belongs to; everything else in it is noise. */
typedef struct kind {
    gp_record record;
    size_t id_at, id_size; /* bytes */
    const char *equal, *predicate;
} kind;

#define SAME_ID "x.id / step == y.id / step // of the same step"
#define ODD_ID "x.id % 2 == 1"

static const kind kinds[] = {
    {{"pair", 8, "typedef struct { uint id, noise; } pair;"}, 0, 4, SAME_ID, ODD_ID},
    {{"row", 12, "typedef struct { uint noise, id, more; } row;"}, 4, 4, SAME_ID, ODD_ID},
    {{"uint4", 16, NULL}, 8, 4, "x.z / step == y.z / step", "x.z % 2 == 1"},
    {{"struct body", 24, "struct body { uint noise[4]; ulong id; };"}, 16, 8, SAME_ID, ODD_ID},
    {{"particle", 32, "typedef struct { float4 position; uint id, noise[3]; } particle;"},
     16,
     4,
     SAME_ID,
     ODD_ID},
    {{"pixel", 3,
      "typedef struct { uchar id[2]; uchar noise[1]; } pixel;\n"
      "static uint id_of(pixel x) { return x.id[0] | (uint)x.id[1] << 8; }"},
     0,
     2,
     "id_of(x) / step == id_of(y) / step",
     "id_of(x) % 2 == 1"},
    {{"vast", 256, "typedef struct { uint noise[63]; uint id; } vast;"}, 252, 4, SAME_ID, ODD_ID},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const uint32_t step = 10;
static const gp_arg step_arg = {.name = "step", .type = GP_U32, .value = &step};

/* ------------------------------------------------------------------ input, reference */

/* Records in runs of about `length` elements, and values beside them. */
typedef struct data {
    const kind *k;
    size_t n, runs;
    unsigned char *keys, *firsts; /* of all runs */
    uint32_t *values, *first_values, *begins, *lengths, *sums;
} data;

static void *room(size_t bytes)
{
    void *memory = calloc(bytes + 1, 1);
    assert_non_null(memory);
    return memory;
}

static data data_make(const kind *k, size_t n, size_t length)
{
    const size_t size = k->record.size;
    uint64_t run = 100;
    data d;
    size_t i;
    d.k = k;
    d.n = n;
    d.runs = 0;
    d.keys = pack_random(n * size);
    d.values = pack_random(n * 4);
    d.firsts = room(n * size);
    d.first_values = room(n * 4);
    d.begins = room(n * 4);
    d.lengths = room(n * 4);
    d.sums = room(n * 4);
    for (i = 0; i < n; i++) {
        const bool begins = i == 0 || (length && test_random() % length == 0);
        uint64_t id;
        run += begins;
        id = run % 5000 * step + test_random() % step;
        memcpy(d.keys + i * size + k->id_at, &id, k->id_size);
        if (begins) {
            memcpy(d.firsts + d.runs * size, d.keys + i * size, size);
            d.first_values[d.runs] = d.values[i];
            d.begins[d.runs++] = (uint32_t)i;
        }
        d.lengths[d.runs - 1]++;
        d.sums[d.runs - 1] += d.values[i];
    }
    return d;
}

static void data_free(data *d)
{
    void *all[] = {d->keys, d->firsts, d->values, d->first_values, d->begins, d->lengths, d->sums};
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* ------------------------------------------------------------------ calls */

static cl_mem own_scratch(gp_context *gp, const pack_form *form, size_t bytes)
{
    return form->own_scratch && bytes ? test_buffer(gp, bytes, NULL) : NULL;
}

static void release(cl_mem a, cl_mem b, cl_mem c, cl_mem e)
{
    const cl_mem all[] = {a, b, c, e};
    size_t i;
    for (i = 0; i < 4; i++)
        if (all[i]) clReleaseMemObject(all[i]);
}

static void check_unique(gp_context *gp, const data *d, const pack_form *form, bool values)
{
    const size_t o = form->offset, size = d->k->record.size;
    pack_out keys_out = pack_out_make(gp, o + 1, form->bound, size);
    pack_out values_out = pack_out_make(gp, o + 2, form->bound, 4);
    pack_out indices = pack_out_make(gp, o, form->bound, 4), count = pack_out_make(gp, o, 1, 4);
    const uint64_t runs = d->runs;
    size_t bytes = 0;
    gp_unique_desc u = {0};
    u.keys = pack_in(gp, d->keys, form, o, size);
    u.keys_offset = o;
    u.keys_out = keys_out.buffer;
    u.keys_out_offset = keys_out.offset;
    if (values) {
        u.values = pack_in(gp, d->values, form, o + 3, 4);
        u.values_offset = o + 3;
        u.values_out = values_out.buffer;
        u.values_out_offset = values_out.offset;
        u.value_size = 4;
        u.indices_out = indices.buffer;
        u.indices_out_offset = indices.offset;
    }
    u.count_out = count.buffer;
    u.count_out_offset = count.offset;
    u.count = form->bound;
    u.count_buffer = pack_count(gp, form);
    u.count_offset = PACK_COUNT_OFFSET;
    u.count_type = form->bound > form->count ? GP_U32 : GP_TYPE_NONE;
    u.record = &d->k->record;
    u.equal = d->k->equal;
    u.args = &step_arg;
    u.arg_count = 1;
    assert_gp(gp, gp_unique_scratch_size(gp, &u, &bytes));
    u.scratch = own_scratch(gp, form, bytes);
    assert_gp(gp, values ? gp_unique_by_key(gp, &u) : gp_unique(gp, &u));
    pack_out_check(gp, &keys_out, d->k->record.cl_type, d->firsts, d->runs);
    pack_out_check(gp, &values_out, "values", d->first_values, values ? d->runs : 0);
    pack_out_check(gp, &indices, "indices", d->begins, values ? d->runs : 0);
    pack_out_check_numbers(gp, &count, &runs, 1);
    release(u.keys, u.values, u.count_buffer, u.scratch);
}

/* `offsets`: they are wanted, and no keys. */
static void check_runs(gp_context *gp, const data *d, const pack_form *form, bool offsets)
{
    const size_t o = form->offset, size = d->k->record.size;
    pack_out out = pack_out_make(gp, o + 1, form->bound, size);
    pack_out lengths = pack_out_make(gp, o + 2, form->bound, 4);
    pack_out begins = pack_out_make(gp, o, form->bound, 4);
    size_t bytes = 0;
    uint64_t count = 0;
    gp_run_length_encode_desc r = {0};
    r.in = pack_in(gp, d->keys, form, o, size);
    r.in_offset = o;
    if (!offsets) r.out = out.buffer;
    r.out_offset = out.offset;
    r.lengths_out = lengths.buffer;
    r.lengths_out_offset = lengths.offset;
    if (offsets) r.offsets_out = begins.buffer;
    r.offsets_out_offset = begins.offset;
    r.count = form->bound;
    r.count_buffer = pack_count(gp, form);
    r.count_offset = PACK_COUNT_OFFSET;
    r.count_type = form->bound > form->count ? GP_U32 : GP_TYPE_NONE;
    r.record = &d->k->record;
    r.equal = d->k->equal;
    r.args = &step_arg;
    r.arg_count = 1;
    assert_gp(gp, gp_run_length_encode_scratch_size(gp, &r, &bytes));
    r.scratch = own_scratch(gp, form, bytes);
    assert_gp(gp, gp_run_length_encode_read(gp, &r, &count));
    assert_int_equal(count, d->runs);
    pack_out_check(gp, &out, d->k->record.cl_type, d->firsts, offsets ? 0 : d->runs);
    pack_out_check(gp, &lengths, "lengths", d->lengths, d->runs);
    pack_out_check(gp, &begins, "offsets", d->begins, offsets ? d->runs : 0);
    release(r.in, r.count_buffer, r.scratch, NULL);
}

/* Sums of values; with `records` of pairs, the values in their second halves. */
static void check_reduce(gp_context *gp, const data *d, const pack_form *form, bool records)
{
    static const gp_record two = {"uint2", 8, NULL};
    const size_t o = form->offset, size = d->k->record.size, in_size = records ? 8 : 4;
    pack_out keys_out = pack_out_make(gp, o + 1, form->bound, size);
    pack_out out = pack_out_make(gp, o + 2, form->bound, 4);
    uint32_t *in = pack_random(d->n * 8);
    size_t i, bytes = 0;
    uint64_t count = 0;
    gp_reduce_by_key_desc r = {0};
    for (i = 0; i < d->n; i++) in[records ? 2 * i + 1 : i] = d->values[i];
    r.keys = pack_in(gp, d->keys, form, o, size);
    r.in = pack_in(gp, in, form, o + 1, in_size);
    r.keys_offset = o;
    r.in_offset = o + 1;
    r.keys_out = keys_out.buffer;
    r.keys_out_offset = keys_out.offset;
    r.out = out.buffer;
    r.out_offset = out.offset;
    r.count = form->bound;
    r.count_buffer = pack_count(gp, form);
    r.count_offset = PACK_COUNT_OFFSET;
    r.count_type = form->bound > form->count ? GP_U32 : GP_TYPE_NONE;
    r.key_record = &d->k->record;
    r.equal = d->k->equal;
    r.args = &step_arg;
    r.arg_count = 1;
    if (records) r.record = &two;
    else r.type = GP_U32;
    r.map = records ? "x.y" : NULL;
    r.op = GP_SUM;
    r.out_type = GP_U32;
    assert_gp(gp, gp_reduce_by_key_scratch_size(gp, &r, &bytes));
    r.scratch = own_scratch(gp, form, bytes);
    assert_gp(gp, gp_reduce_by_key_read(gp, &r, &count));
    assert_int_equal(count, d->runs);
    pack_out_check(gp, &keys_out, d->k->record.cl_type, d->firsts, d->runs);
    pack_out_check(gp, &out, "sums", d->sums, d->runs);
    release(r.keys, r.in, r.count_buffer, r.scratch);
    free(in);
}

/* Records of odd ids, with their positions; or all of them in two parts. */
static void check_select(gp_context *gp, const data *d, const pack_form *form, bool parts)
{
    const size_t o = form->offset, size = d->k->record.size;
    pack_out out = pack_out_make(gp, o + 1, form->bound, size);
    unsigned char *expected = room(d->n * size);
    size_t i, n = 0, rest, bytes = 0;
    uint64_t counts[2] = {0, 0};
    gp_select_desc s = {0};
    gp_partition_desc p = {0};
    for (i = 0; i < d->n; i++)
        if (d->keys[i * size + d->k->id_at] % 2 == 1) memcpy(expected + n++ * size, d->keys + i * size, size);
    rest = n;
    for (i = 0; i < d->n; i++)
        if (d->keys[i * size + d->k->id_at] % 2 == 0)
            memcpy(expected + rest++ * size, d->keys + i * size, size);
    s.in = p.in = pack_in(gp, d->keys, form, o, size);
    s.in_offset = p.in_offset = o;
    s.out = p.out = out.buffer;
    s.out_offset = p.out_offset = out.offset;
    s.count = p.count = form->bound;
    s.count_buffer = p.count_buffer = pack_count(gp, form);
    s.count_offset = p.count_offset = PACK_COUNT_OFFSET;
    s.count_type = p.count_type = form->bound > form->count ? GP_U32 : GP_TYPE_NONE;
    s.record = p.record = &d->k->record;
    s.predicate = p.predicate = d->k->predicate;
    if (parts) assert_gp(gp, gp_partition_scratch_size(gp, &p, &bytes));
    else assert_gp(gp, gp_select_scratch_size(gp, &s, &bytes));
    s.scratch = p.scratch = own_scratch(gp, form, bytes);
    if (parts) assert_gp(gp, gp_partition_read(gp, &p, counts));
    else assert_gp(gp, gp_select_read(gp, &s, counts));
    assert_int_equal(counts[0], n);
    assert_int_equal(counts[1], parts ? d->n - n : 0);
    pack_out_check(gp, &out, d->k->record.cl_type, expected, parts ? d->n : n);
    release(s.in, s.count_buffer, s.scratch, NULL);
    free(expected);
}

/* ------------------------------------------------------------------ in every variant */

enum { UNIQUE, BY_KEY, RUNS, RUN_OFFSETS, SUMS, SUMS_OF_RECORDS, SELECTED, PARTS, CALLS };

static void check_call(gp_context *gp, const data *d, const pack_form *form, int call)
{
    switch (call) {
    case UNIQUE:
    case BY_KEY: check_unique(gp, d, form, call == BY_KEY); break;
    case RUNS:
    case RUN_OFFSETS: check_runs(gp, d, form, call == RUN_OFFSETS); break;
    case SUMS:
    case SUMS_OF_RECORDS: check_reduce(gp, d, form, call == SUMS_OF_RECORDS); break;
    default: check_select(gp, d, form, call == PARTS); break;
    }
}

/* Counts, lengths of runs, offsets, counts on the device: all of one program. */
static void check_sizes(gp_context *gp, const kind *k, int call, size_t most)
{
    static const size_t lengths[] = {1, 2, 30, 0, 700};
    const size_t *counts, n = pack_counts(&counts);
    size_t i;
    for (i = 0; i < n && counts[i] <= most; i += test_small() && i == 1 ? 3 : 1) {
        pack_form form = {0};
        data d = data_make(k, counts[i], lengths[(i + (size_t)call) % 5]);
        form.count = counts[i];
        form.bound = i % 3 == 1 ? counts[i] + 700 : counts[i];
        form.offset = i % 4;
        form.own_scratch = i % 2 == 0;
        check_call(gp, &d, &form, call);
        data_free(&d);
    }
}

/* All kinds and calls in the first variant; in each of the others some, so that all of them meet most variants; and keys that
   a single pass stages. */
static void test_every_variant(void **state)
{
    size_t v, k;
    int call;
    (void)state;
    for (v = 0; v < test_variant_count; v++) {
        gp_context *gp = test_open(&test_variants[v], NULL);
        if (!gp) continue;
        for (k = 0; k < KINDS; k++) {
            for (call = 0; call < CALLS; call++) {
                const bool full = (k + (size_t)call + v) % KINDS == 0;
                const bool staged =
                    k == v % 2 * 2 && (call == RUNS || call == SUMS || call == SUMS_OF_RECORDS);
                if ((v > 0 || test_small()) && !full && !staged) continue;
                check_sizes(gp, &kinds[k], call, full ? 104729 : 5000);
            }
        }
        assert_int_equal(test_profile_of(gp).abandoned, 0);
        gp_context_destroy(gp);
    }
}

/* ------------------------------------------------------------------ warm-up, bad input */

static void test_warm_up(void **state)
{
    const kind *k = &kinds[3];
    size_t v;
    (void)state;
    for (v = 0; v < test_variant_count; v++) {
        gp_context *gp = v == 0 || test_variants[v].strategy == GP_STRATEGY_SINGLE_PASS
                             ? test_open(&test_variants[v], NULL)
                             : NULL;
        data d = data_make(k, 3001, 3);
        const pack_form form = {.count = 3001, .bound = 3001};
        gp_unique_desc u = {.record = &k->record, .equal = k->equal, .args = &step_arg, .arg_count = 1};
        gp_reduce_by_key_desc r = {.key_record = &k->record,
                                   .equal = k->equal,
                                   .args = &step_arg,
                                   .arg_count = 1,
                                   .type = GP_U32,
                                   .out_type = GP_U32,
                                   .op = GP_SUM};
        gp_warmup_desc warm = {.unique = &u, .reduce_by_key = &r};
        gp_stats before, after;
        if (gp) {
            u.keys_out = u.count_out = r.keys_out = test_buffer(gp, 4, NULL); /* that they are there */
            assert_gp(gp, gp_warmup(gp, &warm));
            before = test_profile_of(gp);
            check_unique(gp, &d, &form, false);
            check_reduce(gp, &d, &form, false);
            after = test_profile_of(gp);
            assert_int_equal(before.programs_built + before.programs_loaded,
                             after.programs_built + after.programs_loaded);
            clReleaseMemObject(u.keys_out);
            gp_context_destroy(gp);
        }
        data_free(&d);
    }
}

static void test_bad(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    gp_record wrong = {"uint4", 12, NULL};
    const gp_record good = {"uint4", 16, NULL};
    const cl_mem in = test_buffer(gp, 160, NULL), out = test_buffer(gp, 160, NULL);
    const gp_unique_desc good_u = {
        .keys = in, .keys_out = out, .count = 10, .record = &good, .equal = "x.y == y.y"};
    const gp_run_length_encode_desc good_r = {
        .in = in, .out = out, .count = 10, .record = &good, .equal = "x.y == y.y"};
    const gp_reduce_by_key_desc good_k = {.keys = in,
                                          .in = in,
                                          .out = out,
                                          .count = 10,
                                          .key_record = &good,
                                          .equal = "x.y == y.y",
                                          .type = GP_U32,
                                          .op = GP_SUM,
                                          .out_type = GP_U32};
    gp_unique_desc u = good_u;
    gp_run_length_encode_desc r = good_r;
    gp_reduce_by_key_desc k = good_k;
    (void)state;
    assert_gp(gp, gp_unique(gp, &u));
    assert_gp(gp, gp_run_length_encode(gp, &r));
    assert_gp(gp, gp_reduce_by_key(gp, &k));
#define REFUSED(d, good, call, change, result, text) \
    d = good;                                        \
    change;                                          \
    assert_gp_fails(gp, call(gp, &d), result, text)
#define UNIQUE_(change, result, text) REFUSED(u, good_u, gp_unique, change, result, text)
#define RUNS_(change, result, text) REFUSED(r, good_r, gp_run_length_encode, change, result, text)
#define BY_KEY_(change, result, text) REFUSED(k, good_k, gp_reduce_by_key, change, result, text)
    UNIQUE_(u.key_type = GP_U32, GP_ERROR_INVALID_TYPE,
            "key_type = 6, key_size = 0, and record is given: give one");
    UNIQUE_(u.key_size = 16, GP_ERROR_INVALID_TYPE, "key_size = 16, and record is given");
    UNIQUE_(u.equal = NULL, GP_ERROR_INVALID_ARGUMENT, "equal is NULL: it says which records are equal");
    UNIQUE_(u.equal = "x.y == nobody", GP_ERROR_BUILD, test_place("equal:1"));
    UNIQUE_(u.count = 11, GP_ERROR_INVALID_BUFFER, "keys has 160 bytes");
    UNIQUE_(u.record = &wrong, GP_ERROR_BUILD, "a record's size = 12 is not sizeof(cl_type)");
    RUNS_(r.type = GP_U32, GP_ERROR_INVALID_TYPE, "type = 6, element_size = 0, and record is given");
    RUNS_(r.equal = NULL, GP_ERROR_INVALID_ARGUMENT, "equal is NULL");
    RUNS_(r.record = &wrong, GP_ERROR_BUILD, "a record's size = 12 is not sizeof(cl_type)");
    BY_KEY_(k.key_type = GP_U32, GP_ERROR_INVALID_TYPE,
            "key_type = 6, key_size = 0, and key_record is given");
    BY_KEY_(k.equal = NULL, GP_ERROR_INVALID_ARGUMENT, "equal is NULL");
    BY_KEY_(k.key_record = &wrong, GP_ERROR_BUILD, "a record's size = 12 is not sizeof(cl_type)");
    wrong.size = 0;
    UNIQUE_(u.record = &wrong, GP_ERROR_INVALID_TYPE, "record->size = 0, must be 1 to 256");
    wrong.size = 257;
    RUNS_(r.record = &wrong, GP_ERROR_INVALID_TYPE, "record->size = 257, must be 1 to 256");
    BY_KEY_(k.key_record = &wrong, GP_ERROR_INVALID_TYPE, "key_record->size = 257, must be 1 to 256");
    wrong = (gp_record){NULL, 16, NULL};
    BY_KEY_(k.key_record = &wrong, GP_ERROR_INVALID_ARGUMENT, "key_record->cl_type");
#undef BY_KEY_
#undef RUNS_
#undef UNIQUE_
#undef REFUSED
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant),
        cmocka_unit_test(test_warm_up),
        cmocka_unit_test(test_bad),
    };
    return cmocka_run_group_tests_name("key_records", tests, NULL, NULL);
}
