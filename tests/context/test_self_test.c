/* test_self_test.c - gp_self_test passes where the device is right, says what is wrong where it is not,
   and leaves nothing behind. */
#include "../support/support.h"

typedef struct heard {
    size_t cases, failed, single, multi;
    char last[512];
} heard;

static void hear(const gp_self_test_case *test, void *user)
{
    heard *h = user;
    h->cases++;
    h->failed += test->result != GP_OK;
    h->single += test->strategy == GP_STRATEGY_SINGLE_PASS;
    h->multi += test->strategy == GP_STRATEGY_MULTI_PASS;
    assert_int_equal(test->result == GP_OK, test->text[0] == '\0');
    assert_true(strncmp(test->name, "gp_", 3) == 0);
    assert_true(test->tuning.device_class && test->tuning.shape && test->tuning.words);
    assert_true(test->tuning.work_group_size > 0 && test->tuning.tile > 0);
    (void)snprintf(h->last, sizeof h->last, "%s", test->text);
}

static gp_self_test_desc desc_of(const char *filter, heard *h)
{
    gp_self_test_desc desc = {0};
    memset(h, 0, sizeof *h);
    desc.filter = filter;
    desc.count = test_small() ? 1500 : 0;
    desc.report = hear;
    desc.report_user = h;
    return desc;
}

/* ------------------------------------------------------------------ a driver at fault */

typedef enum driver_fault { DRIVER_IS_GOOD, DROPS_LAST_GROUP, REFUSES_LAUNCHES } driver_fault;

static driver_fault driver;

enum { SEVERAL_GROUPS = 40000 }; /* elements, for which every device launches several groups */

cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                     const size_t *offset, const size_t *global, const size_t *local,
                                     cl_uint wait_count, const cl_event *wait, cl_event *event);
cl_int __real_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                     const size_t *offset, const size_t *global, const size_t *local,
                                     cl_uint wait_count, const cl_event *wait, cl_event *event);

/* Linked in place of OpenCL's (Makefile). */
cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                     const size_t *offset, const size_t *global, const size_t *local,
                                     cl_uint wait_count, const cl_event *wait, cl_event *event)
{
    size_t size = global[0];
    if (driver == REFUSES_LAUNCHES) return CL_OUT_OF_RESOURCES;
    assert_true(dimensions == 1 && local);
    if (driver == DROPS_LAST_GROUP && size > local[0]) size -= local[0];
    return __real_clEnqueueNDRangeKernel(queue, kernel, 1, offset, &size, local, wait_count, wait, event);
}

/* ------------------------------------------------------------------ right */

static void test_passes(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    heard h;
    const gp_self_test_desc desc = desc_of(NULL, &h);
    (void)state;
    assert_gp(gp, gp_self_test(gp, &desc));
    assert_int_equal(h.failed, 0);
    assert_true(h.cases >= 23 && h.single > 0 && h.multi > 0);
    assert_int_equal(test_profile_of(gp).scratch_bytes, 0);
    test_scan_ones(gp, 40000);
    gp_context_destroy(gp);
}

/* Few elements, and a number that is no multiple of anything. */
static void test_counts(void **state)
{
    static const size_t counts[] = {1000, 1001, 4099};
    gp_context *gp = test_open(&test_variants[0], NULL);
    heard h;
    gp_self_test_desc desc = desc_of("gp_s", &h);
    size_t k;
    (void)state;
    for (k = 0; k < sizeof counts / sizeof *counts; k++) {
        desc.count = counts[k];
        assert_gp(gp, gp_self_test(gp, &desc));
    }
    gp_context_destroy(gp);
}

/* The context's strategy is the one that is tested; what single pass falls back to is tested too. */
static void test_strategies(void **state)
{
    gp_context_desc multi = {0};
    gp_context *gp;
    heard h;
    const gp_self_test_desc desc = desc_of("gp_scan", &h);
    (void)state;
    multi.strategy = GP_STRATEGY_MULTI_PASS;
    gp = test_open_if(&multi);
    assert_gp(gp, gp_self_test(gp, &desc));
    assert_true(h.cases == 1 && h.multi == 1);
    gp_context_destroy(gp);
    multi.strategy = GP_STRATEGY_SINGLE_PASS;
    gp = test_open_if(&multi);
    assert_gp(gp, gp_self_test(gp, &desc));
    assert_true(h.cases == 3 && h.multi == 2 && h.single == 1);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ wrong */

/* Poison is left where the last group would have written. */
static void test_wrong(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    heard h;
    gp_self_test_desc desc = desc_of("gp_transform", &h);
    (void)state;
    desc.count = SEVERAL_GROUPS;
    driver = DROPS_LAST_GROUP;
    assert_gp_fails(gp, gp_self_test(gp, &desc), GP_ERROR_WRONG_RESULT, "gp_self_test: gp_transform: out[");
    driver = DRIVER_IS_GOOD;
    assert_non_null(strstr(gp_last_error(gp), "] = 2779096485, expected "));
    assert_string_equal(h.last, gp_last_error(gp));
    assert_true(h.cases == 1 && h.failed == 1);
    assert_int_equal(test_profile_of(gp).scratch_bytes, 0);
    assert_gp(gp, gp_self_test(gp, &desc));
    gp_context_destroy(gp);
}

/* The first failure is the result; the other cases run all the same. */
static void test_several(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    heard h;
    gp_self_test_desc desc = desc_of(
        "er", &h); /* gp_merge, gp_gather, and gp_hyperloglog_add, which may not need its last group */
    (void)state;
    desc.count = SEVERAL_GROUPS;
    driver = DROPS_LAST_GROUP;
    assert_gp_fails(gp, gp_self_test(gp, &desc), GP_ERROR_WRONG_RESULT, "gp_self_test: gp_merge: keys_out[");
    driver = DRIVER_IS_GOOD;
    assert_true(h.cases == 3 && h.failed >= 2);
    gp_context_destroy(gp);
}

static void test_opencl_fails(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    heard h;
    gp_self_test_desc desc = desc_of("gp_transform", &h);
    (void)state;
    desc.count = SEVERAL_GROUPS;
    driver = REFUSES_LAUNCHES;
    assert_gp_fails(gp, gp_self_test(gp, &desc), GP_ERROR_OUT_OF_DEVICE_MEMORY,
                    "gp_self_test: gp_transform: gp_transform: clEnqueueNDRangeKernel");
    driver = DRIVER_IS_GOOD;
    assert_gp(gp, gp_self_test(gp, &desc));
    gp_context_destroy(gp);
}

/* A call's own failure, after the case's name and strategy. */
static void test_no_build(void **state)
{
    gp_context_desc broken = {0};
    gp_context *gp;
    heard h;
    gp_self_test_desc desc = desc_of("gp_scan", &h);
    (void)state;
    broken.build_options = "-Dget_group_id=)";
    broken.strategy = GP_STRATEGY_SINGLE_PASS;
    gp = test_open_with(&broken);
    assert_gp_fails(gp, gp_self_test(gp, &desc), GP_ERROR_BUILD,
                    "gp_self_test: gp_scan, single pass: gp_scan: ");
    assert_true(h.cases == 2 && h.failed == 2);
    assert_non_null(strstr(h.last, "gp_self_test: gp_scan, multi-pass: gp_scan: "));
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ refused */

static void test_refused(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    heard h;
    gp_self_test_desc desc = desc_of("gp_scam", &h);
    (void)state;
    assert_gp_fails(gp, gp_self_test(gp, &desc), GP_ERROR_INVALID_ARGUMENT, "filter = \"gp_scam\"");
    assert_gp_fails(gp, gp_self_test(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "desc is NULL");
    assert_gp_fails(NULL, gp_self_test(NULL, &desc), GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    desc.filter = NULL;
    desc.count = 999;
    assert_gp_fails(gp, gp_self_test(gp, &desc), GP_ERROR_INVALID_ARGUMENT,
                    "count = 999, must be 1000 to 16777216");
    desc.count = SIZE_MAX;
    assert_gp_fails(gp, gp_self_test(gp, &desc), GP_ERROR_INVALID_ARGUMENT, "must be 1000 to 16777216");
    assert_int_equal(h.cases, 0);
    gp_context_destroy(gp);
}

/* What failed before belongs to the caller, and is no result of the test. */
static void test_failed_before(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    heard h;
    const gp_self_test_desc desc = desc_of("gp_random", &h);
    gp_scan_desc scan = test_ones(gp, 40000);
    cl_event gate = clCreateUserEvent(gp_cl_context(gp), NULL);
    (void)state;
    scan.wait = &gate;
    scan.wait_count = 1;
    assert_gp(gp, gp_scan(gp, &scan));
    clSetUserEventStatus(gate, -5);
    assert_gp_fails(gp, gp_self_test(gp, &desc), GP_ERROR_OPENCL, "gp_scan");
    assert_int_equal(h.cases, 0);
    assert_gp(gp, gp_self_test(gp, &desc));
    clReleaseEvent(gate);
    test_release(&scan);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passes),   cmocka_unit_test(test_counts),  cmocka_unit_test(test_strategies),
        cmocka_unit_test(test_wrong),    cmocka_unit_test(test_several), cmocka_unit_test(test_opencl_fails),
        cmocka_unit_test(test_no_build), cmocka_unit_test(test_refused), cmocka_unit_test(test_failed_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
