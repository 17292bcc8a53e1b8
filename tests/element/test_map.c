/* test_map.c - maps fused into the load, second inputs, and the index of an extreme, against plain C. */
#include "../support/support.h"

/* Across several tiles in every variant, with a ragged end. */
#define COUNT (test_small() ? (size_t)3003 : (size_t)150007)

typedef struct inputs {
    float *x, *y;
    uint8_t *bytes;
    cl_mem x_buffer, y_buffer, bytes_buffer;
} inputs;

static inputs make_inputs(gp_context *gp)
{
    inputs in;
    size_t i;
    in.x = malloc(COUNT * sizeof *in.x);
    in.y = malloc(COUNT * sizeof *in.y);
    in.bytes = malloc(COUNT);
    assert_non_null(in.x);
    assert_non_null(in.y);
    assert_non_null(in.bytes);
    for (i = 0; i < COUNT; i++) {
        in.x[i] = (float)(test_random() % 15) - 7.0f; /* small and whole: every grouping is exact */
        in.y[i] = (float)(test_random() % 9) - 4.0f;
        in.bytes[i] = (uint8_t)(test_random() >> 8);
    }
    in.x_buffer = test_buffer(gp, COUNT * sizeof *in.x, in.x);
    in.y_buffer = test_buffer(gp, COUNT * sizeof *in.y, in.y);
    in.bytes_buffer = test_buffer(gp, COUNT, in.bytes);
    return in;
}

static void free_inputs(inputs *in)
{
    clReleaseMemObject(in->x_buffer);
    clReleaseMemObject(in->y_buffer);
    clReleaseMemObject(in->bytes_buffer);
    free(in->x);
    free(in->y);
    free(in->bytes);
}

/* Runs the check in the default variant and, where builds are cheap, in all. */
static void in_variants(void (*check)(gp_context *gp, inputs *in))
{
    size_t v;
    for (v = 0; v < test_variant_count; v++) {
        gp_context *gp = test_open(&test_variants[v], NULL);
        inputs in;
        const bool skip = gp && v > 0 && !test_builds_are_cheap(gp);
        if (gp && !skip) {
            in = make_inputs(gp);
            check(gp, &in);
            free_inputs(&in);
        }
        gp_context_destroy(gp);
    }
}

/* ------------------------------------------------------------------ maps */

static void check_dot_product(gp_context *gp, inputs *in)
{
    gp_reduce_desc desc = {0};
    float dot = -1, expected = 0;
    size_t i;
    desc.in = in->x_buffer;
    desc.in2 = in->y_buffer;
    desc.in_offset = 3;
    desc.in2_offset = 5;
    desc.count = COUNT - 5;
    desc.type = GP_F32;
    desc.op = GP_SUM;
    desc.map = "x * y";
    for (i = 0; i < desc.count; i++) expected += in->x[i + 3] * in->y[i + 5];
    assert_gp(gp, gp_reduce_read(gp, &desc, &dot));
    assert_true(dot == expected);
    /* the second input may be of another type */
    desc.in2 = in->bytes_buffer;
    desc.type2 = GP_U8;
    desc.map = "y & 1 ? x : 0.0f // odd bytes only";
    for (i = 0, expected = 0; i < desc.count; i++) expected += in->bytes[i + 5] & 1 ? in->x[i + 3] : 0;
    assert_gp(gp, gp_reduce_read(gp, &desc, &dot));
    assert_true(dot == expected);
}

/* A float input counted into an integer, and an index in the map. */
static void check_count_if(gp_context *gp, inputs *in)
{
    gp_reduce_desc desc = {0};
    uint64_t counted = 0, expected = 0;
    size_t i;
    desc.in = in->x_buffer;
    desc.count = COUNT;
    desc.type = GP_F32;
    desc.out_type = GP_U64;
    desc.op = GP_SUM;
    desc.map = "x > 2.5f";
    for (i = 0; i < COUNT; i++) expected += in->x[i] > 2.5f;
    assert_gp(gp, gp_reduce_read(gp, &desc, &counted));
    assert_true(counted == expected);
    desc.map = "x < 0\n? i : 0";
    for (i = 0, expected = 0; i < COUNT; i++) expected += in->x[i] < 0 ? i : 0;
    assert_gp(gp, gp_reduce_read(gp, &desc, &counted));
    assert_true(counted == expected);
}

/* Positions of what passes a test: an exclusive scan over a predicate. */
static void check_scan_predicate(gp_context *gp, inputs *in)
{
    gp_scan_desc desc = {0};
    uint32_t *out, before = 0;
    size_t i;
    desc.in = in->bytes_buffer;
    desc.out = test_buffer(gp, COUNT * 4, NULL);
    desc.count = COUNT;
    desc.type = GP_U8;
    desc.out_type = GP_U32;
    desc.op = GP_SUM;
    desc.exclusive = true;
    desc.map = "x == 10 || i % 5 == 0";
    assert_gp(gp, gp_scan(gp, &desc));
    out = test_read(gp, desc.out, COUNT * 4);
    for (i = 0; i < COUNT; i++) {
        if (out[i] != before) fail_msg("out[%zu] = %u, not %u", i, out[i], before);
        before += in->bytes[i] == 10 || i % 5 == 0;
    }
    free(out);
    clReleaseMemObject(desc.out);
}

/* Elements of a monoid made of bytes: the sums and products of maps x -> a x + b, kept in order. */
static void check_monoid_of_bytes(gp_context *gp, inputs *in)
{
    gp_monoid monoid = test_affine_monoid;
    gp_reduce_desc desc = {0};
    char source[1024];
    uint32_t found[2] = {0, 0}, a = 1, b = 0;
    size_t i;
    (void)snprintf(source, sizeof source, "%s%s", test_affine_monoid.source,
                   "static affine affine_of(uint x) { affine f; f.a = x | 1; f.b = x; return f; }");
    monoid.source = source;
    desc.in = in->bytes_buffer;
    desc.count = COUNT;
    desc.type = GP_U8;
    desc.monoid = &monoid;
    desc.map = "affine_of(x)";
    assert_gp(gp, gp_reduce_read(gp, &desc, found));
    for (i = 0; i < COUNT; i++) {
        b = (in->bytes[i] | 1u) * b + in->bytes[i];
        a *= in->bytes[i] | 1u;
    }
    assert_int_equal(found[0], a);
    assert_int_equal(found[1], b);
}

static void test_maps(void **state)
{
    (void)state;
    in_variants(check_dot_product);
    in_variants(check_count_if);
    in_variants(check_scan_predicate);
    in_variants(check_monoid_of_bytes);
}

/* ------------------------------------------------------------------ argmin, argmax */

/* Many ties: the lowest index wins. */
static void check_arg_extremes(gp_context *gp, inputs *in)
{
    gp_reduce_desc desc = {0};
    uint64_t lowest = 1, highest = 1, found = 1;
    uint32_t found32[2] = {1, 0xa5a5a5a5u};
    size_t i;
    in->x[COUNT / 2] = in->x[COUNT - 1] = 100;
    in->x[0] = (float)(1e308 * 10 * 0.0); /* NaN wins nothing, also not by being first */
    clEnqueueWriteBuffer(gp_cl_queue(gp), in->x_buffer, CL_TRUE, 0, COUNT * sizeof *in->x, in->x, 0, NULL,
                         NULL);
    for (i = 1; i < COUNT; i++) {
        if (in->x[i] < in->x[lowest]) lowest = i;
        if (in->x[i] > in->x[highest]) highest = i;
    }
    desc.in = in->x_buffer;
    desc.count = COUNT;
    desc.type = GP_F32;
    desc.op = GP_ARGMIN;
    assert_gp(gp, gp_reduce_read(gp, &desc, &found));
    assert_true(found == lowest);
    desc.op = GP_ARGMAX;
    assert_gp(gp, gp_reduce_read(gp, &desc, &found));
    assert_true(found == highest && highest == COUNT / 2);
    desc.out_type = GP_U32;
    assert_gp(gp, gp_reduce_read(gp, &desc, found32));
    assert_true(found32[0] == highest && found32[1] == 0xa5a5a5a5u);
    desc.in_offset = 1; /* counted from the first element of the call */
    desc.count = COUNT - 1;
    assert_gp(gp, gp_reduce_read(gp, &desc, found32));
    assert_true(found32[0] == highest - 1);
    desc.count = 0;
    assert_gp(gp, gp_reduce_read(gp, &desc, found32));
    assert_true(found32[0] == 0xffffffffu);
}

/* Where the largest byte so far stands. */
static void check_arg_scan(gp_context *gp, inputs *in)
{
    gp_scan_desc desc = {0};
    uint32_t *out;
    size_t i, best = 0;
    desc.in = in->bytes_buffer;
    desc.out = test_buffer(gp, COUNT * 4, NULL);
    desc.count = COUNT;
    desc.type = GP_U8;
    desc.out_type = GP_U32;
    desc.op = GP_ARGMAX;
    assert_gp(gp, gp_scan(gp, &desc));
    out = test_read(gp, desc.out, COUNT * 4);
    for (i = 0; i < COUNT; i++) {
        if (in->bytes[i] > in->bytes[best]) best = i;
        if (out[i] != best) fail_msg("out[%zu] = %u, not %zu", i, out[i], best);
    }
    free(out);
    clReleaseMemObject(desc.out);
}

static void test_arg(void **state)
{
    (void)state;
    in_variants(check_arg_extremes);
    in_variants(check_arg_scan);
}

/* ------------------------------------------------------------------ bad input */

static float larger(float x) { return x > 3 ? x : 3; }
static float halved(float x) { return (float)(((int)x + 3) / 2); }
static float mixed(float x) { return x + (10 - x) * 0.5f; }

/* Functions of OpenCL's that the library's own kernels do not call, and such as they call for other types. */
static void test_functions(void **state)
{
    static const struct {
        const char *map;
        float (*wanted)(float x);
    } cases[] = {
        {"max((short)x, (short)3)", larger}, {"hadd((int)x, 3)", halved}, {"mix (x, 10.0f, 0.5f)", mixed}};
    gp_context *gp = test_open(&test_variants[0], NULL);
    float in[64], *out;
    gp_transform_desc d = {.type = GP_F32, .count = 64};
    size_t i, k;
    (void)state;
    for (i = 0; i < 64; i++) in[i] = (float)i;
    d.in = test_buffer(gp, sizeof in, in);
    d.out = test_buffer(gp, sizeof in, NULL);
    for (k = 0; k < sizeof cases / sizeof *cases; k++) {
        d.map = cases[k].map;
        assert_gp(gp, gp_transform(gp, &d));
        out = test_read(gp, d.out, sizeof in);
        for (i = 0; i < 64; i++)
            if (out[i] != cases[k].wanted(in[i])) fail_msg("%s: %g gives %g", d.map, in[i], out[i]);
        free(out);
    }
    clReleaseMemObject(d.in);
    clReleaseMemObject(d.out);
    gp_context_destroy(gp);
}

static void test_bad_maps(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    inputs in = make_inputs(gp);
    gp_reduce_desc desc = {0};
    uint64_t result = 0;
    (void)state;
    desc.in = in.x_buffer;
    desc.count = COUNT;
    desc.type = GP_F32;
    desc.op = GP_SUM;
    desc.in2 = in.y_buffer;
    assert_gp_fails(gp, gp_reduce_read(gp, &desc, &result), GP_ERROR_INVALID_ARGUMENT, "in2");
    desc.map = "x * nobody";
    assert_gp_fails(gp, gp_reduce_read(gp, &desc, &result), GP_ERROR_BUILD, "nobody");
    desc.map = "x * y";
    desc.in2 = in.bytes_buffer; /* too small for floats */
    assert_gp_fails(gp, gp_reduce_read(gp, &desc, &result), GP_ERROR_INVALID_BUFFER, "in2 has");
    desc.in2 = NULL;
    desc.type2 = GP_F32;
    assert_gp_fails(gp, gp_reduce_read(gp, &desc, &result), GP_ERROR_INVALID_BUFFER, "in2 is NULL");
    desc.type2 = (gp_type)77;
    assert_gp_fails(gp, gp_reduce_read(gp, &desc, &result), GP_ERROR_INVALID_TYPE, "type2 = 77");
    desc.type2 = GP_TYPE_NONE;
    desc.map = NULL;
    desc.op = GP_ARGMIN;
    desc.initial = &result;
    assert_gp_fails(gp, gp_reduce_read(gp, &desc, &result), GP_ERROR_INVALID_ARGUMENT, "initial");
    desc.initial = NULL;
    desc.out_type = GP_F32;
    assert_gp_fails(gp, gp_reduce_read(gp, &desc, &result), GP_ERROR_INVALID_TYPE, "u32 or u64");
    desc.out_type = GP_TYPE_NONE;
    desc.map = "x * x";
    desc.map_type = GP_F64;
    assert_gp_fails(gp, gp_reduce_read(gp, &desc, &result), GP_ERROR_INVALID_ARGUMENT,
                    "here type says as what the map's values are compared");
    desc.map = NULL;
    desc.map_type = GP_TYPE_NONE;
    assert_gp(gp, gp_reduce_read(gp, &desc, &result)); /* the context lives on */
    free_inputs(&in);
    gp_context_destroy(gp);
}

/* Warm-up knows maps and second inputs. */
static void test_warm_map(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    inputs in = make_inputs(gp);
    gp_reduce_desc desc = {0};
    gp_warmup_desc warmup = {0};
    gp_stats before, after;
    float result = 0;
    (void)state;
    desc.type = desc.type2 = GP_F32;
    desc.op = GP_MAX;
    desc.map = "x - y";
    warmup.reduce = &desc;
    assert_gp(gp, gp_warmup(gp, &warmup));
    assert_gp(gp, gp_stats_read(gp, &before));
    desc.in = in.x_buffer;
    desc.in2 = in.y_buffer;
    desc.count = COUNT;
    assert_gp(gp, gp_reduce_read(gp, &desc, &result));
    assert_true(result == 11.0f);
    assert_gp(gp, gp_stats_read(gp, &after));
    assert_int_equal(before.programs_built + before.programs_loaded,
                     after.programs_built + after.programs_loaded);
    free_inputs(&in);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ indices alone */

/* The least and the greatest, as a struct. */
typedef struct limits {
    uint32_t low, high;
} limits;
static const limits no_limits = {UINT32_MAX, 0};
static const gp_monoid limits_monoid = {
    .type = "limits",
    .size = sizeof(limits),
    .source = "typedef struct { uint low, high; } limits;\n"
              "limits limits_of(uint x) { limits a = {x, x}; return a; }\n"
              "limits limits_join(limits a, limits b)\n"
              "{ limits c = {min(a.low, b.low), max(a.high, b.high)}; return c; }",
    .combine = "limits_join",
    .identity = &no_limits,
};

static void check_index_sums(gp_context *gp, size_t n, uint32_t wanted)
{
    gp_reduce_desc d = {.count = n, .map = "i * 3", .out_type = GP_U64, .op = GP_SUM};
    uint64_t sum = 1;
    assert_gp(gp, gp_reduce_read(gp, &d, &sum));
    assert_int_equal(sum, n ? 3 * (uint64_t)n * (n - 1) / 2 : 0);
    d.count_buffer = test_buffer(gp, sizeof wanted, &wanted);
    d.count_type = GP_U32;
    d.out = test_buffer(gp, 3 * sizeof sum, NULL);
    d.out_offset = 2;
    if (wanted > n) wanted = (uint32_t)n;
    assert_gp(gp, gp_reduce_read(gp, &d, &sum));
    assert_int_equal(sum, wanted ? 3 * (uint64_t)wanted * (wanted - 1) / 2 : 0);
    clReleaseMemObject(d.count_buffer);
    clReleaseMemObject(d.out);
}

static void check_index_extremes(gp_context *gp)
{
    static const gp_op ops[] = {GP_SUM, GP_MIN, GP_ARGMAX};
    gp_reduce_desc d = {.count = COUNT, .map = "(int)(i * 37 % 1009) - 500", .map_type = GP_I32};
    uint32_t low = 0;
    uint64_t at = 0;
    limits found = {0};
    gp_value three[3];
    int64_t sum = 0;
    size_t i;
    for (i = 0; i < COUNT; i++) sum += (int64_t)(i * 37 % 1009) - 500;
    d.ops = ops;
    d.op_count = 3;
    assert_gp(gp, gp_reduce_read(gp, &d, three));
    assert_int_equal(three[0].i64, sum);
    assert_int_equal(three[1].i32, -500);
    for (i = 0; i * 37 % 1009 != 1008;) i++;
    assert_int_equal(three[2].u64, i);
    d.ops = NULL;
    d.op_count = 0;
    d.op = GP_ARGMAX;
    assert_gp(gp, gp_reduce_read(gp, &d, &at));
    assert_int_equal(at, i);
    d.op = GP_ARGMIN;
    d.out_type = GP_U32;
    assert_gp(gp, gp_reduce_read(gp, &d, &low));
    assert_int_equal(low, 0);
    d = (gp_reduce_desc){.count = COUNT, .map = "limits_of((uint)i + 5)", .monoid = &limits_monoid};
    assert_gp(gp, gp_reduce_read(gp, &d, &found));
    assert_int_equal(found.low, 5);
    assert_int_equal(found.high, COUNT + 4);
}

static void test_indices(void **state)
{
    size_t v;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) { /* reduce looks back in none of them */
        gp_context *gp = test_open_other(&test_shapes[v]);
        const size_t sizes[] = {0, 1, 17, 5000, COUNT};
        size_t k;
        for (k = 0; gp && k < sizeof sizes / sizeof *sizes; k++) check_index_sums(gp, sizes[k], 700);
        if (gp && (v == 0 || test_builds_are_cheap(gp))) check_index_extremes(gp);
        gp_context_destroy(gp);
    }
}

static void test_bad_indices(void **state)
{
    static const gp_op ops[] = {GP_SUM, GP_MIN};
    gp_context *gp = test_open(&test_variants[0], NULL);
    gp_reduce_desc good = {.count = 100, .map = "i", .out_type = GP_U32, .op = GP_SUM}, d = good;
    gp_warmup_desc warm = {.reduce = &good};
    uint64_t out[2], built;
    (void)state;
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_reduce_read(gp, &d, out), result, text)
    REFUSED(d.map = NULL, GP_ERROR_INVALID_TYPE, "type is not set");
    REFUSED(d.type = GP_U32, GP_ERROR_INVALID_BUFFER, "in is NULL: if the map reads only i, leave type 0");
    REFUSED(d.type2 = GP_U32, GP_ERROR_INVALID_ARGUMENT, "without in and type");
    REFUSED(d.out_type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "out_type is not set");
    REFUSED(d.op = GP_ARGMIN, GP_ERROR_INVALID_TYPE, "map_type is not set");
    REFUSED((d.ops = ops, d.op_count = 2, d.op = (gp_op)0, d.out_type = GP_TYPE_NONE), GP_ERROR_INVALID_TYPE,
            "map_type is not set");
    REFUSED(d.map_type = GP_U32, GP_ERROR_INVALID_ARGUMENT, "here out_type is the map's type");
    REFUSED(d.map = "x + i", GP_ERROR_BUILD, "names x, but there is no input (in is NULL)");
    REFUSED(d.map = "i + y", GP_ERROR_BUILD, "names y, but there is no second input");
#undef REFUSED
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    assert_gp(gp, gp_reduce_read(gp, &good, out));
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maps),        cmocka_unit_test(test_functions), cmocka_unit_test(test_arg),
        cmocka_unit_test(test_bad_maps),    cmocka_unit_test(test_warm_map),  cmocka_unit_test(test_indices),
        cmocka_unit_test(test_bad_indices),
    };
    return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
