/* hash_support.c - see hash_support.h. */
#include "hash_support.h"

const hash_variant hash_variants[HASH_VARIANTS] = {
    {"default", GP_SHAPE_AUTO, GP_WORDS_AUTO},           {"serial, packed", GP_SHAPE_SERIAL, GP_WORDS_WIDE},
    {"serial, split", GP_SHAPE_SERIAL, GP_WORDS_NARROW}, {"local, packed", GP_SHAPE_LOCAL, GP_WORDS_WIDE},
    {"local, split", GP_SHAPE_LOCAL, GP_WORDS_NARROW},
};

const hash_widths hash_all_widths[HASH_WIDTHS] = {{4, 4}, {4, 0}, {8, 8}, {8, 4}, {4, 8}, {8, 0}};

gp_context_desc hash_context_desc(const hash_variant *variant)
{
    gp_context_desc desc = {0};
    desc.tuning.shape = variant->shape;
    desc.tuning.words = variant->words;
    if (variant->shape == GP_SHAPE_SERIAL) desc.tuning.tile = 1024;
    return desc;
}

/* Creates a context, except for the serial shape on Mesa, which miscompiles loops with an atomic operation in
   groups of one item. */
gp_context *hash_open(const hash_variant *variant)
{
    const gp_context_desc desc = hash_context_desc(variant);
    gp_context *gp;
    gp = test_open_if(&desc);
    if (!gp) return NULL;
    if ((variant->words == GP_WORDS_WIDE && !gp_context_info(gp)->int64_base_atomics) ||
        (variant->shape == GP_SHAPE_SERIAL && strstr(gp_context_info(gp)->name, "llvmpipe"))) {
        gp_context_destroy(gp);
        return NULL;
    }
    return gp;
}

/* Returns true if the device supports the widths. Narrow words are used only in tables with keys and values
   of 4 bytes. */
bool hash_can(const gp_context *gp, const hash_variant *variant, hash_widths w)
{
    const bool wide = w.key == 8 || w.value == 8;
    return !wide || (gp_context_info(gp)->int64_base_atomics && variant->words != GP_WORDS_NARROW);
}

void hash_each_way(void (*check)(gp_context *gp, const hash_variant *way, hash_widths w))
{
    size_t v, i;
    for (v = 0; v < HASH_VARIANTS; v++) {
        gp_context *gp = hash_open(&hash_variants[v]);
        for (i = 0; gp && i < HASH_WIDTHS; i++) {
            const hash_widths w = hash_all_widths[i];
            const bool sample = (w.key == 4 && w.value == 4) || (v == 0 && w.key == 8 && w.value == 8);
            const bool few = test_small() || test_is_like_default(gp, hash_variants[v].shape);
            if (!hash_can(gp, &hash_variants[v], w) || (few && !sample)) continue;
            check(gp, &hash_variants[v], w);
        }
        gp_context_destroy(gp);
    }
}

long hash_seeds(void)
{
    const char *wanted = getenv("GPUPRIM_TEST_HASH");
    const long n = wanted ? strtol(wanted, NULL, 10) : 1;
    return n > 0 ? n : 1;
}

uint64_t hash_ones(size_t size) { return size == 8 ? UINT64_MAX : UINT32_MAX; }

/* ------------------------------------------------------------------ columns */

enum { GUARD = 8 };

hash_column hash_column_make(gp_context *gp, size_t size, size_t n, size_t offset, const uint64_t *data)
{
    hash_column c = {NULL, size, n, offset};
    const size_t bytes = (offset + n + GUARD) * size;
    unsigned char *all = malloc(bytes + 1);
    size_t i;
    if (size == 0) {
        free(all);
        return c;
    }
    assert_non_null(all);
    memset(all, TEST_POISON, bytes);
    for (i = 0; i < n && data; i++) memcpy(all + (offset + i) * size, &data[i], size); /* little-endian */
    c.mem = test_buffer(gp, bytes, all);
    free(all);
    return c;
}

uint64_t *hash_column_read(gp_context *gp, const hash_column *c)
{
    const size_t bytes = (c->offset + c->n + GUARD) * c->size, end = (c->offset + c->n) * c->size;
    unsigned char *all = test_read(gp, c->mem, bytes);
    uint64_t *out = calloc(c->n + 1, sizeof *out);
    size_t i;
    assert_non_null(out);
    for (i = 0; i < c->n; i++) memcpy(&out[i], all + (c->offset + i) * c->size, c->size);
    for (i = 0; i < bytes; i++) {
        if ((i < c->offset * c->size || i >= end) && all[i] != TEST_POISON) fail_msg("guard byte %zu", i);
    }
    free(all);
    return out;
}

void hash_column_free(hash_column *c)
{
    if (c->mem) clReleaseMemObject(c->mem);
    c->mem = NULL;
}

/* ------------------------------------------------------------------ model */

/* Makes a model. Its first keys are the extremes, beginning with the one whose bits are all set; the others
   are distinct and spread over all numbers. */
hash_model hash_model_make(size_t universe, size_t key_size)
{
    hash_model m = {0};
    size_t i;
    m.universe = universe;
    m.key = malloc(universe * sizeof *m.key);
    m.value = calloc(universe, sizeof *m.value);
    m.live = calloc(universe, sizeof *m.live);
    m.taken = calloc(universe, sizeof *m.taken);
    assert_true(m.key && m.value && m.live && m.taken);
    for (i = 0; i < universe; i++) {
        m.key[i] = (uint64_t)i * 0x9e3779b97f4a7c15u; /* bijections */
        if (key_size == 4) m.key[i] = (uint32_t)i * 0x9e3779b1u;
    }
    m.key[0] = hash_ones(key_size);
    if (universe > 1) m.key[1] = hash_ones(key_size) - 1;
    if (universe > 2) m.key[2] = 0;
    return m;
}

void hash_model_free(hash_model *m)
{
    free(m->key);
    free(m->value);
    free(m->live);
    free(m->taken);
}

size_t hash_model_live(const hash_model *m)
{
    size_t i, n = 0;
    for (i = 0; i < m->universe; i++) n += m->live[i];
    return n;
}

void hash_model_count(hash_model *m, uint64_t result)
{
    m->counts.inserted += result == GP_HASH_INSERTED;
    m->counts.existed += result == GP_HASH_EXISTED;
    m->counts.refused += result == GP_HASH_REFUSED;
    m->counts.superseded += result == GP_HASH_SUPERSEDED;
    m->counts.erased += result == GP_HASH_ERASED;
}

/* ------------------------------------------------------------------ checks */

static void check_find(gp_context *gp, const char *name, gp_hash table, hash_widths w, const hash_model *m)
{
    const uint64_t absent = 0x1234567;
    hash_column keys = hash_column_make(gp, w.key, m->universe, 1, m->key);
    hash_column values = hash_column_make(gp, w.value, m->universe, 3, NULL);
    hash_column found = hash_column_make(gp, 1, m->universe, 5, NULL);
    gp_hash_find_desc desc = {0};
    uint64_t *v, *f;
    size_t i;
    desc.keys = keys.mem;
    desc.keys_offset = keys.offset;
    desc.values = values.mem;
    desc.values_offset = values.mem ? values.offset : 0;
    desc.found = found.mem;
    desc.found_offset = found.offset;
    desc.count = m->universe;
    if (w.value) desc.absent = &absent;
    assert_gp(gp, w.value ? gp_hash_find(gp, table, &desc) : gp_hash_contains(gp, table, &desc));
    f = hash_column_read(gp, &found);
    v = w.value ? hash_column_read(gp, &values) : NULL;
    for (i = 0; i < m->universe; i++) {
        if (f[i] != m->live[i])
            fail_msg("%s, %zu/%zu: key %zu (%llx): found %d", name, w.key, w.value, i,
                     (unsigned long long)m->key[i], (int)f[i]);
        if (v && v[i] != (m->live[i] ? m->value[i] & hash_ones(w.value) : absent))
            fail_msg("%s, %zu/%zu: key %zu: value %llx, expected %llx", name, w.key, w.value, i,
                     (unsigned long long)v[i], (unsigned long long)m->value[i]);
    }
    free(v);
    free(f);
    hash_column_free(&keys);
    hash_column_free(&values);
    hash_column_free(&found);
}

static int compare_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Checks that retrieve returns each live key once. The keys are sorted by the device or on the host. */
static void check_retrieve(gp_context *gp, const char *name, gp_hash table, hash_widths w,
                           const hash_model *m, bool sorted)
{
    const size_t live = hash_model_live(m);
    hash_column keys = hash_column_make(gp, w.key, live + 3, 2, NULL);
    hash_column count = hash_column_make(gp, 4, 1, 1, NULL);
    gp_hash_retrieve_desc desc = {0};
    uint64_t *k, *n, *expected = malloc((live + 1) * sizeof *expected);
    size_t i, j = 0;
    assert_non_null(expected);
    desc.keys = keys.mem;
    desc.keys_offset = keys.offset;
    desc.room = keys.n;
    desc.live_count = count.mem;
    desc.live_count_offset = count.offset;
    if (sorted) desc.sort_type = w.key == 8 ? GP_U64 : GP_U32;
    assert_gp(gp, gp_hash_retrieve(gp, table, &desc));
    n = hash_column_read(gp, &count);
    k = hash_column_read(gp, &keys);
    if (n[0] != live)
        fail_msg("%s, %zu/%zu: %d keys retrieved, not %zu", name, w.key, w.value, (int)n[0], live);
    for (i = 0; i < m->universe; i++) {
        if (m->live[i]) expected[j++] = m->key[i];
    }
    qsort(expected, live, sizeof *expected, compare_u64);
    if (!sorted) qsort(k, live, sizeof *k, compare_u64);
    assert_memory_equal(k, expected, live * sizeof *k);
    free(expected);
    free(k);
    free(n);
    hash_column_free(&keys);
    hash_column_free(&count);
}

static void check_counts(gp_context *gp, const char *name, gp_hash table, const hash_model *m)
{
    gp_hash_counts c;
    gp_hash_stats s;
    uint64_t in_bins = 0;
    size_t i, live = hash_model_live(m);
    assert_gp(gp, gp_hash_counts_read(gp, table, &c));
    assert_gp(gp, gp_hash_stats_read(gp, table, &s));
    if (c.live != live || s.live != live)
        fail_msg("%s: %llu live by count, %llu by statistics, not %zu", name, (unsigned long long)c.live,
                 (unsigned long long)s.live, live);
    for (i = 0; i < GP_HASH_BINS; i++) in_bins += s.depths[i];
    assert_int_equal(in_bins, live);
    assert_true(s.mean_depth <= (double)s.max_depth);
    assert_true(s.live + s.dead <= s.capacity + 2); /* side slots */
#define SAME(field)                                                                 \
    if (c.field != m->counts.field)                                                 \
    fail_msg("%s: " #field " is %llu, not %llu", name, (unsigned long long)c.field, \
             (unsigned long long)m->counts.field)
    SAME(inserted);
    SAME(existed);
    SAME(failed);
    SAME(refused);
    SAME(superseded);
    SAME(erased);
#undef SAME
}

void hash_check(gp_context *gp, const char *name, gp_hash table, hash_widths w, const hash_model *m)
{
    check_find(gp, name, table, w, m);
    check_retrieve(gp, name, table, w, m, false);
    if (test_builds_are_cheap(gp) || (w.key == 4 && !strstr(name, "local"))) /* a sort builds slowly */
        check_retrieve(gp, name, table, w, m, true);
    check_counts(gp, name, table, m);
}

gp_hash hash_create(gp_context *gp, hash_widths w, size_t capacity)
{
    gp_hash_desc desc = {0};
    gp_hash table;
    desc.key_size = w.key;
    desc.value_size = w.value;
    desc.capacity = capacity;
    assert_gp(gp, gp_hash_create(gp, &desc, &table));
    return table;
}

size_t hash_side_slots(gp_context *gp, hash_widths w)
{
    gp_hash_desc desc = {0};
    size_t bytes;
    desc.key_size = w.key;
    desc.value_size = w.value;
    desc.capacity = 1;
    assert_gp(gp, gp_hash_buffer_size(gp, &desc, &bytes));
    return bytes == 256 + 3 * 8 ? 2 : 1;
}

gp_result hash_put(gp_context *gp, gp_hash table, hash_how how, const gp_hash_insert_desc *desc)
{
    if (how == HASH_INSERT) return gp_hash_insert(gp, table, desc);
    if (how == HASH_ASSIGN) return gp_hash_insert_or_assign(gp, table, desc);
    return gp_hash_insert_or_apply(gp, table, desc);
}

/* ------------------------------------------------------------------ kernels of one's own */

static cl_program user_build(gp_context *gp, gp_hash table, const char *source)
{
    const gp_device_source_desc desc = {.part = GP_DEVICE_HASH, .table = table};
    size_t size = 0;
    const char *texts[2] = {NULL, source};
    char *text;
    cl_device_id device = gp_cl_device(gp);
    cl_program program;
    cl_int error;
    assert_gp(gp, gp_device_source(gp, &desc, NULL, 0, &size));
    texts[0] = text = malloc(size);
    assert_non_null(text);
    assert_gp(gp, gp_device_source(gp, &desc, text, size, &size));
    assert_int_equal(strlen(text) + 1, size);
    program = clCreateProgramWithSource(gp_cl_context(gp), 2, texts, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    /* Oclgrind: see docs/drivers.md */
    assert_int_equal(clBuildProgram(program, 1, &device,
                                    test_small() ? "-cl-std=CL1.2 -cl-opt-disable" : "-cl-std=CL1.2", NULL,
                                    NULL),
                     CL_SUCCESS);
    free(text);
    return program;
}

uint32_t *hash_run_user(gp_context *gp, gp_hash table, const char *source, cl_uint n, size_t local)
{
    const size_t global = n;
    cl_program program = user_build(gp, table, source);
    cl_kernel kernel = clCreateKernel(program, "user", NULL);
    cl_mem buffer = gp_hash_buffer(gp, table), out = test_buffer(gp, n * 4, NULL);
    uint32_t *result;
    assert_non_null(kernel);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, sizeof n, &n);
    clSetKernelArg(kernel, 2, sizeof out, &out);
    assert_int_equal(clEnqueueNDRangeKernel(gp_cl_queue(gp), kernel, 1, NULL, &global, &local, 0, NULL, NULL),
                     CL_SUCCESS);
    result = test_read(gp, out, n * 4);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(out);
    return result;
}

/* ------------------------------------------------------------------ fixture */

hash_fixture hash_fixture_make(hash_widths w, size_t n, const gp_hash_desc *how)
{
    hash_fixture f;
    gp_hash_desc desc = {0};
    gp_hash_insert_desc insert = {0};
    size_t i;
    f.gp = hash_open(&hash_variants[0]);
    f.w = w;
    f.n = n;
    f.m = hash_model_make(n, w.key);
    for (i = 0; i < n; i++) {
        f.m.value[i] = w.value ? i : 0;
        f.m.live[i] = true;
    }
    if (how) desc = *how;
    desc.key_size = w.key;
    desc.value_size = w.value;
    if (!desc.capacity) desc.expected_count = n;
    assert_gp(f.gp, gp_hash_create(f.gp, &desc, &f.table));
    f.keys = hash_column_make(f.gp, w.key, n, 0, f.m.key);
    f.values = hash_column_make(f.gp, w.value, n, 0, f.m.value);
    insert.keys = f.keys.mem;
    insert.values = f.values.mem;
    insert.count = n;
    assert_gp(f.gp, gp_hash_insert(f.gp, f.table, &insert));
    f.m.counts.inserted = n;
    return f;
}

void hash_fixture_check(hash_fixture *f, const char *what) { hash_check(f->gp, what, f->table, f->w, &f->m); }

void hash_fixture_free(hash_fixture *f)
{
    hash_column_free(&f->keys);
    hash_column_free(&f->values);
    hash_model_free(&f->m);
    gp_context_destroy(f->gp); /* and the table with it */
}

gp_hash_insert_desc hash_fixture_insert(const hash_fixture *f)
{
    gp_hash_insert_desc d = {0};
    d.keys = f->keys.mem;
    d.values = f->values.mem;
    d.count = f->n;
    return d;
}
