/* support.c - see support.h. This file contains the implementation of gpuprim for every test program. */
#define GP_IMPLEMENTATION
#include "support.h"

/* ------------------------------------------------------------------ contexts */

const test_variant test_variants[] = {
    {"default", GP_SHAPE_AUTO, GP_STRATEGY_AUTO, GP_WORDS_AUTO},
    {"serial, single pass, wide", GP_SHAPE_SERIAL, GP_STRATEGY_SINGLE_PASS, GP_WORDS_WIDE},
    {"serial, single pass, narrow", GP_SHAPE_SERIAL, GP_STRATEGY_SINGLE_PASS, GP_WORDS_NARROW},
    {"serial, multi-pass", GP_SHAPE_SERIAL, GP_STRATEGY_MULTI_PASS, GP_WORDS_NARROW},
    {"local, single pass, wide", GP_SHAPE_LOCAL, GP_STRATEGY_SINGLE_PASS, GP_WORDS_WIDE},
    {"local, single pass, narrow", GP_SHAPE_LOCAL, GP_STRATEGY_SINGLE_PASS, GP_WORDS_NARROW},
    {"local, multi-pass", GP_SHAPE_LOCAL, GP_STRATEGY_MULTI_PASS, GP_WORDS_NARROW},
};
const size_t test_variant_count = sizeof test_variants / sizeof test_variants[0];

const test_variant test_shapes[TEST_SHAPES] = {
    {"default", GP_SHAPE_AUTO, GP_STRATEGY_AUTO, GP_WORDS_AUTO},
    {"serial", GP_SHAPE_SERIAL, GP_STRATEGY_AUTO, GP_WORDS_AUTO},
    {"local", GP_SHAPE_LOCAL, GP_STRATEGY_AUTO, GP_WORDS_AUTO},
};

bool test_small(void)
{
    const char *small = getenv("GPUPRIM_TEST_SMALL");
    return small && *small;
}

const char *test_place(const char *text) { return test_small() ? ": error:" : text; }

bool test_builds_are_cheap(const gp_context *gp)
{
    const gp_device_info *info = gp_context_info(gp);
    return test_small() || strstr(info->name, "llvmpipe") != NULL;
}

/* Returns the context for a desc of zeros, which is created once and never released. */
static gp_context *test_first(void)
{
    static gp_context *first;
    const gp_context_desc desc = {0};
    if (!first) first = test_open_with(&desc);
    return first;
}

gp_device_class test_pretended_class(void)
{
    const char *text = getenv("GPUPRIM_TEST_CLASS");
    return text ? (gp_device_class)atoi(text) : GP_DEVICE_CLASS_AUTO;
}

bool test_forces_shapes(void)
{
    const char *full = getenv("GPUPRIM_TEST_FULL");
    return full && *full && !test_pretended_class();
}

/* Returns the value of GPUPRIM_TEST_SUB_GROUP; 0: not set. */
static uint32_t test_sub_group(void)
{
    const char *text = getenv("GPUPRIM_TEST_SUB_GROUP");
    return text ? (uint32_t)atoi(text) : 0;
}

gp_context *test_open_if(const gp_context_desc *desc)
{
    const gp_device_class pretended = test_pretended_class();
    const uint32_t sub_group = test_sub_group();
    gp_context_desc shared = *desc;
    gp_context *gp = NULL;
    gp_result result;
    if (!test_forces_shapes() && desc->tuning.shape) return NULL;
    if (pretended && !desc->tuning.device_class) shared.tuning.device_class = pretended;
    if (sub_group && desc->tuning.shape == GP_SHAPE_SERIAL) return NULL;
    if (sub_group && !desc->tuning.sub_group_size) {
        shared.tuning.shape = GP_SHAPE_SUB_GROUP;
        shared.tuning.sub_group_size = sub_group;
    }
    if (!desc->build_options) shared.build_options = getenv("GPUPRIM_TEST_OPTIONS");
    shared.context = gp_cl_context(test_first());
    shared.device = gp_cl_device(test_first());
    result = gp_context_create(&shared, &gp);
    if (result != GP_OK && result != GP_ERROR_UNSUPPORTED) fail_msg("%s", gp_last_error(NULL));
    if (gp)
        assert_int_equal(gp_stats_reset(gp),
                         GP_OK); /* the check of real sub-groups has counted a program and a launch */
    return gp;
}

void test_pretend_unfair(gp_context *gp) { gp->info.fair = false; }

void test_pretend_limited(gp_context *gp) { gp->info.loop_limit = 1 << 24; }

gp_context *test_open(const test_variant *variant, const char *options)
{
    gp_context_desc desc = {0};
    gp_context *gp;
    desc.strategy = variant->strategy;
    desc.tuning.shape = variant->shape;
    desc.tuning.words = variant->words;
    if (variant->shape == GP_SHAPE_SERIAL) desc.tuning.tile = test_small() ? 1024 : 4096;
    desc.build_options = options;
    if (options) desc.tuning.polls = 1000; /* injected faults: some waits are in vain */
    gp = test_open_if(&desc);
    if (!gp || variant->words != GP_WORDS_WIDE || gp_context_info(gp)->int64_base_atomics) return gp;
    gp_context_destroy(gp);
    return NULL;
}

bool test_is_like_default(const gp_context *gp, gp_shape shape)
{
    gpi_plan plan;
    if (shape != GP_SHAPE_SERIAL || test_builds_are_cheap(gp)) return false;
    assert_int_equal(gpi_plan_make_map(test_first(), 4, &plan), GP_OK);
    return plan.shape == GP_SHAPE_SERIAL;
}

gp_result test_sub_group_check(gp_context *gp, uint32_t size, uint32_t group)
{
    gpi_plan plan = gpi_sub_groups_plan(size, group);
    return gpi_sub_groups_try(gp, &plan);
}

uint32_t test_sub_group_of(gp_context *gp)
{
    gpi_plan plan;
    assert_int_equal(gpi_plan_make_map(gp, 4, &plan), GP_OK);
    return plan.sub_group;
}

gp_device_class test_class_of(const char *name, const char *vendor)
{
    gp_device_info info = {0};
    info.device_type = CL_DEVICE_TYPE_GPU;
    (void)snprintf(info.name, sizeof info.name, "%s", name);
    (void)snprintf(info.vendor, sizeof info.vendor, "%s", vendor);
    return gpi_class_of(&info);
}

uint32_t test_per_item_at(gp_context *gp, uint32_t capability)
{
    gpi_plan plan;
    gp->compute_capability = capability;
    assert_int_equal(gpi_plan_make_select(gp, 4, GP_STRATEGY_AUTO, &plan), GP_OK);
    return plan.per_item;
}

size_t test_most(const gp_context *gp, gp_shape shape)
{
    return shape == GP_SHAPE_LOCAL && !test_builds_are_cheap(gp) ? 200003 : SIZE_MAX;
}

gp_context *test_open_other(const test_variant *variant)
{
    gp_context *gp = test_open(variant, NULL);
    if (!gp || !test_is_like_default(gp, variant->shape)) return gp;
    gp_context_destroy(gp);
    return NULL;
}

/* ------------------------------------------------------------------ elements: built in */

/* Small whole numbers, so that every grouping of a float sum is exact. */
#define AS_INTEGER(r) (r)
#define AS_ODD(r) ((r) | 1u)
#define AS_SMALL(r) ((int)((r) >> 16 & 15) - 7)

#define DEFINE_ELEMENT(id, in_gp, in_c, out_gp, out_c, gp_op_, identity_, expression, value) \
    static void id##_from(const void *in, void *out)                                         \
    {                                                                                        \
        in_c x;                                                                              \
        out_c y;                                                                             \
        memcpy(&x, in, sizeof x);                                                            \
        y = (out_c)x;                                                                        \
        memcpy(out, &y, sizeof y);                                                           \
    }                                                                                        \
    static void id##_combine(const void *pa, const void *pb, void *out)                      \
    {                                                                                        \
        out_c a, b;                                                                          \
        memcpy(&a, pa, sizeof a);                                                            \
        memcpy(&b, pb, sizeof b);                                                            \
        a = (out_c)(expression);                                                             \
        memcpy(out, &a, sizeof a);                                                           \
    }                                                                                        \
    static void id##_identity(void *out)                                                     \
    {                                                                                        \
        const out_c e = (out_c)(identity_);                                                  \
        memcpy(out, &e, sizeof e);                                                           \
    }                                                                                        \
    static void id##_make(uint32_t r, void *in)                                              \
    {                                                                                        \
        const in_c x = (in_c)value(r);                                                       \
        memcpy(in, &x, sizeof x);                                                            \
    }                                                                                        \
    const test_element test_##id = {#id,          in_gp,         out_gp,        gp_op_,      \
                                    NULL,         sizeof(in_c),  sizeof(out_c), id##_from,   \
                                    id##_combine, id##_identity, id##_make};

#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((b) > (a) ? (b) : (a))
#define WIDE(r) ((uint64_t)(r)*0x9e3779b97f4a7c15u)
#define INF (1e308 * 10)

DEFINE_ELEMENT(u32_sum, GP_U32, uint32_t, GP_U32, uint32_t, GP_SUM, 0, a + b, AS_INTEGER)
DEFINE_ELEMENT(u32_sum_u64, GP_U32, uint32_t, GP_U64, uint64_t, GP_SUM, 0, a + b, AS_INTEGER)
DEFINE_ELEMENT(u32_min, GP_U32, uint32_t, GP_U32, uint32_t, GP_MIN, UINT32_MAX, MIN(a, b), AS_INTEGER)
DEFINE_ELEMENT(u32_max, GP_U32, uint32_t, GP_U32, uint32_t, GP_MAX, 0, MAX(a, b), AS_INTEGER)
DEFINE_ELEMENT(i32_sum, GP_I32, int32_t, GP_I32, int32_t, GP_SUM, 0, a + b, AS_SMALL)
DEFINE_ELEMENT(i32_sum_i64, GP_I32, int32_t, GP_I64, int64_t, GP_SUM, 0, a + b, AS_INTEGER)
DEFINE_ELEMENT(i32_min, GP_I32, int32_t, GP_I32, int32_t, GP_MIN, INT32_MAX, MIN(a, b), AS_INTEGER)
DEFINE_ELEMENT(i32_max, GP_I32, int32_t, GP_I32, int32_t, GP_MAX, INT32_MIN, MAX(a, b), AS_INTEGER)
DEFINE_ELEMENT(f32_sum, GP_F32, float, GP_F32, float, GP_SUM, 0, a + b, AS_SMALL)
DEFINE_ELEMENT(f32_min, GP_F32, float, GP_F32, float, GP_MIN, INF, MIN(a, b), AS_INTEGER)
DEFINE_ELEMENT(f32_max, GP_F32, float, GP_F32, float, GP_MAX, -INF, MAX(a, b), AS_INTEGER)
DEFINE_ELEMENT(u64_sum, GP_U64, uint64_t, GP_U64, uint64_t, GP_SUM, 0, a + b, WIDE)
DEFINE_ELEMENT(u64_min, GP_U64, uint64_t, GP_U64, uint64_t, GP_MIN, UINT64_MAX, MIN(a, b), WIDE)
DEFINE_ELEMENT(u64_max, GP_U64, uint64_t, GP_U64, uint64_t, GP_MAX, 0, MAX(a, b), WIDE)
DEFINE_ELEMENT(u8_sum_u64, GP_U8, uint8_t, GP_U64, uint64_t, GP_SUM, 0, a + b, AS_INTEGER)
DEFINE_ELEMENT(u8_sum, GP_U8, uint8_t, GP_U8, uint8_t, GP_SUM, 0, a + b, AS_INTEGER)
DEFINE_ELEMENT(i16_max, GP_I16, int16_t, GP_I16, int16_t, GP_MAX, INT16_MIN, MAX(a, b), AS_INTEGER)
DEFINE_ELEMENT(f64_sum, GP_F64, double, GP_F64, double, GP_SUM, 0, a + b, AS_SMALL)
DEFINE_ELEMENT(u32_xor, GP_U32, uint32_t, GP_U32, uint32_t, GP_XOR, 0, a ^ b, AS_INTEGER)
DEFINE_ELEMENT(u64_and, GP_U64, uint64_t, GP_U64, uint64_t, GP_AND, UINT64_MAX, a &b, WIDE)
DEFINE_ELEMENT(i32_or, GP_I32, int32_t, GP_I32, int32_t, GP_OR, 0, a | b, AS_INTEGER)
DEFINE_ELEMENT(u32_prod, GP_U32, uint32_t, GP_U32, uint32_t, GP_PROD, 1, a *b, AS_ODD)

/* Every type with every operation that the type supports. */
#define AS_SIGN(r) ((r)&64 ? 1 : -1)
#define DEFINE_BITS(id, gp, c, ones, value)                           \
    DEFINE_ELEMENT(id##_and, gp, c, gp, c, GP_AND, ones, a &b, value) \
    DEFINE_ELEMENT(id##_or, gp, c, gp, c, GP_OR, 0, a | b, value)     \
    DEFINE_ELEMENT(id##_xor, gp, c, gp, c, GP_XOR, 0, a ^ b, value)
#define DEFINE_NUMBERS(id, gp, c, low, high, value, sum_value, product_value) \
    DEFINE_ELEMENT(id##_sum, gp, c, gp, c, GP_SUM, 0, a + b, sum_value)       \
    DEFINE_ELEMENT(id##_prod, gp, c, gp, c, GP_PROD, 1, a *b, product_value)  \
    DEFINE_ELEMENT(id##_min, gp, c, gp, c, GP_MIN, high, MIN(a, b), value)    \
    DEFINE_ELEMENT(id##_max, gp, c, gp, c, GP_MAX, low, MAX(a, b), value)
#define DEFINE_SIGNED(id, gp, c, low, high, value)                 \
    DEFINE_NUMBERS(id, gp, c, low, high, value, AS_SMALL, AS_SIGN) \
    DEFINE_BITS(id, gp, c, -1, value)
#define DEFINE_UNSIGNED(id, gp, c, high, value)             \
    DEFINE_NUMBERS(id, gp, c, 0, high, value, value, value) \
    DEFINE_BITS(id, gp, c, high, value)

DEFINE_SIGNED(grid_i8, GP_I8, int8_t, INT8_MIN, INT8_MAX, AS_INTEGER)
DEFINE_SIGNED(grid_i16, GP_I16, int16_t, INT16_MIN, INT16_MAX, AS_INTEGER)
DEFINE_SIGNED(grid_i32, GP_I32, int32_t, INT32_MIN, INT32_MAX, AS_INTEGER)
DEFINE_SIGNED(grid_i64, GP_I64, int64_t, INT64_MIN, INT64_MAX, WIDE)
DEFINE_UNSIGNED(grid_u8, GP_U8, uint8_t, UINT8_MAX, AS_INTEGER)
DEFINE_UNSIGNED(grid_u16, GP_U16, uint16_t, UINT16_MAX, AS_ODD)
DEFINE_UNSIGNED(grid_u32, GP_U32, uint32_t, UINT32_MAX, AS_ODD)
DEFINE_UNSIGNED(grid_u64, GP_U64, uint64_t, UINT64_MAX, WIDE)
DEFINE_NUMBERS(grid_f32, GP_F32, float, -INF, INF, AS_INTEGER, AS_SMALL, AS_SIGN)
DEFINE_NUMBERS(grid_f64, GP_F64, double, -INF, INF, AS_INTEGER, AS_SMALL, AS_SIGN)

#define NUMBERS(id) \
    &test_grid_##id##_sum, &test_grid_##id##_prod, &test_grid_##id##_min, &test_grid_##id##_max
#define INTEGERS(id) NUMBERS(id), &test_grid_##id##_and, &test_grid_##id##_or, &test_grid_##id##_xor

const test_element *const test_grid[] = {
    INTEGERS(i8),  INTEGERS(i16), INTEGERS(i32),     INTEGERS(i64),     INTEGERS(u8), INTEGERS(u16),
    INTEGERS(u32), INTEGERS(u64), &test_u32_sum_u64, &test_i32_sum_i64, NUMBERS(f32), NUMBERS(f64),
};
const size_t test_grid_count = sizeof test_grid / sizeof test_grid[0];

/* ------------------------------------------------------------------ data */

uint32_t test_random(void)
{
    static uint32_t state = 12345;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static uint32_t pattern_word(test_pattern pattern, size_t i, size_t count)
{
    switch (pattern) {
    case TEST_EQUAL: return 0x00050007u;
    case TEST_SORTED: return (uint32_t)i;
    case TEST_REVERSED: return (uint32_t)(count - i);
    case TEST_FEW_BITS: return test_random() & test_random() & test_random();
    default: return test_random();
    }
}

void *test_input(const test_element *element, test_pattern pattern, size_t count)
{
    unsigned char *data = malloc(count * element->in_size + 1);
    size_t i;
    assert_non_null(data);
    for (i = 0; i < count; i++) element->make(pattern_word(pattern, i, count), data + i * element->in_size);
    return data;
}

cl_mem test_buffer(gp_context *gp, size_t size, const void *data)
{
    const size_t bytes = size ? size : 1; /* OpenCL has no empty buffers */
    void *poison = NULL;
    cl_mem buffer;
    if (!data) {
        poison = malloc(bytes);
        assert_non_null(poison);
        memset(poison, TEST_POISON, bytes);
    }
    assert_gp(gp, gp_buffer_create(gp, bytes, data ? data : poison, &buffer));
    free(poison);
    return buffer;
}

void *test_read(gp_context *gp, cl_mem buffer, size_t size)
{
    void *data = malloc(size + 1);
    assert_non_null(data);
    if (size > 0) {
        assert_int_equal(clEnqueueReadBuffer(gp_cl_queue(gp), buffer, CL_TRUE, 0, size, data, 0, NULL, NULL),
                         CL_SUCCESS);
    }
    return data;
}

/* ------------------------------------------------------------------ scans of ones */

gp_context *test_open_with(const gp_context_desc *desc)
{
    gp_context *gp = NULL;
    assert_gp(NULL, gp_context_create(desc, &gp));
    return gp;
}

gp_stats test_profile_of(gp_context *gp)
{
    gp_stats profile;
    assert_gp(gp, gp_stats_read(gp, &profile));
    return profile;
}

gp_scan_desc test_ones(gp_context *gp, size_t count)
{
    uint32_t *data = malloc(count * 4);
    gp_scan_desc desc = {0};
    size_t i;
    assert_non_null(data);
    for (i = 0; i < count; i++) data[i] = 1;
    desc.in = test_buffer(gp, count * 4, data);
    desc.out = test_buffer(gp, count * 4, NULL);
    desc.count = count;
    desc.type = GP_U32;
    desc.op = GP_SUM;
    free(data);
    return desc;
}

void test_release(gp_scan_desc *desc)
{
    clReleaseMemObject(desc->in);
    clReleaseMemObject(desc->out);
}

void assert_scanned(gp_context *gp, cl_mem buffer, size_t count)
{
    uint32_t *out = test_read(gp, buffer, count * 4);
    size_t i;
    for (i = 0; i < count; i++) {
        if (out[i] != i + 1) fail_msg("out[%zu] = %u", i, out[i]);
    }
    free(out);
}

void test_scan_ones(gp_context *gp, size_t count)
{
    gp_scan_desc desc = test_ones(gp, count);
    assert_gp(gp, gp_scan(gp, &desc));
    assert_scanned(gp, desc.out, count);
    test_release(&desc);
}
