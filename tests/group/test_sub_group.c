/* test_sub_group.c - the operations of sub-groups by the library's own check, at every size that is emulated and
   in the device's own; that the check finds what is wrong; which tuning is refused. */
#define _POSIX_C_SOURCE 200809L /* setenv */

#include "../support/support.h"

static gp_context *open_with(gp_shape shape, uint32_t sub_group_size, const char *options)
{
    gp_context_desc desc = {0};
    desc.tuning.shape = shape;
    desc.tuning.sub_group_size = sub_group_size;
    desc.build_options = options;
    return test_open_if(&desc);
}

static char failure[256]; /* of check_of */

/* What the check says of emulated sub-groups. */
static gp_result check_of(uint32_t size, uint32_t group, const char *options)
{
    gp_context *gp = open_with(GP_SHAPE_SUB_GROUP, size, options);
    gp_result result;
    assert_non_null(gp);
    result = test_sub_group_check(gp, size, group);
    (void)snprintf(failure, sizeof failure, "%s", gp_last_error(gp));
    if (result != GP_OK) assert_non_null(strstr(failure, "fail their check"));
    gp_context_destroy(gp);
    return result;
}

static void test_emulated(void **state)
{
    (void)state;
    if (!test_forces_shapes()) skip();
    for (uint32_t size = 8; size <= 128; size *= 2) {
        assert_int_equal(check_of(size, size, NULL), GP_OK);
        assert_int_equal(check_of(size, 256, NULL), GP_OK);
    }
}

static void test_wrong(void **state)
{
    (void)state;
    if (!test_forces_shapes()) skip();
    assert_int_equal(check_of(8, 64, "-DGPI_FAULT_SUB_GROUP"), GP_ERROR_UNSUPPORTED);
    assert_int_equal(check_of(128, 128, "-DGPI_FAULT_SUB_GROUP"), GP_ERROR_UNSUPPORTED);
}

/* Sub-groups whose operations are barriers of the whole group, as PoCL's: what one sub-group of several does alone
   finds them out, and nothing else does. */
static void test_in_step(void **state)
{
    (void)state;
    if (!test_forces_shapes()) skip();
    assert_int_equal(check_of(8, 64, "-DGPI_FAULT_LOCKSTEP"), GP_ERROR_UNSUPPORTED);
    assert_non_null(strstr(failure, "(0x80)"));
    assert_int_equal(check_of(32, 256, "-DGPI_FAULT_LOCKSTEP"), GP_ERROR_UNSUPPORTED);
    assert_int_equal(check_of(128, 256, "-DGPI_FAULT_LOCKSTEP"), GP_ERROR_UNSUPPORTED);
    assert_int_equal(check_of(32, 32, "-DGPI_FAULT_LOCKSTEP"), GP_OK); /* there is one */
}

/* What the device of a context has, before any context tries it. */
static gp_device_info own_of(const gp_context *gp)
{
    gp_device_info infos[16];
    size_t count, i = 0;
    assert_int_equal(gp_devices(infos, 16, &count), GP_OK);
    while (i < count && infos[i].device != gp_cl_device(gp)) i++;
    assert_true(i < count);
    return infos[i];
}

/* The device's own, where it has any: used when they are asked for and right; never unasked on CPUs. */
static void test_own(void **state)
{
    gp_context *plain = open_with(GP_SHAPE_AUTO, 0, NULL), *gp;
    const gp_device_info info = own_of(plain);
    (void)state;
    if (getenv("GPUPRIM_TEST_SUB_GROUP")) { /* every context emulates them */
        gp_context_destroy(plain);
        skip();
    }
    assert_int_equal(info.sub_groups == GP_SUB_GROUPS_NONE, info.sub_group_size == 0);
    if ((info.device_type & CL_DEVICE_TYPE_CPU) && !test_pretended_class())
        assert_int_equal(gp_context_info(plain)->sub_group_size, 0);
    gp = open_with(GP_SHAPE_SUB_GROUP, 0, NULL);
    print_message("sub-groups: form %d, size %u; %s\n", (int)info.sub_groups, (unsigned)info.sub_group_size,
                  gp ? "used" : "not used");
    if (info.sub_groups == GP_SUB_GROUPS_NONE) assert_null(gp);
    if (gp) assert_int_equal(test_sub_group_of(gp), gp_context_info(gp)->sub_group_size);
    gp_context_destroy(gp);
    assert_null(open_with(GP_SHAPE_SUB_GROUP, 0, "-DGPI_FAULT_SUB_GROUP"));
    gp_context_destroy(plain);
}

static void test_refused(void **state)
{
    static const uint32_t sizes[] = {1, 4, 12, 33, 256};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        gp_context_desc desc = {0};
        gp_context *gp;
        desc.tuning.sub_group_size = sizes[i];
        assert_int_equal(gp_context_create(&desc, &gp), GP_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(gp_last_error(NULL), "tuning.sub_group_size"));
    }
}

static void test_off(void **state)
{
    gp_context *gp;
    (void)state;
    if (getenv("GPUPRIM_TEST_SUB_GROUP")) skip();
    assert_int_equal(setenv("GPUPRIM_SUB_GROUPS", "off", 1), 0);
    gp = open_with(GP_SHAPE_SUB_GROUP, 0, NULL);
    assert_int_equal(unsetenv("GPUPRIM_SUB_GROUPS"), 0);
    if (!gp) return; /* the device has none */
    assert_int_equal(gp_context_info(gp)->sub_groups, GP_SUB_GROUPS_NONE);
    assert_int_equal(test_sub_group_of(gp), 0);
    gp_context_destroy(gp);
}

/* A group that is smaller than the sub-groups does without them. */
static void test_small_group(void **state)
{
    gp_context_desc desc = {0};
    gp_context *gp;
    (void)state;
    if (!test_forces_shapes()) skip();
    desc.tuning.shape = GP_SHAPE_SUB_GROUP;
    desc.tuning.sub_group_size = 64;
    desc.tuning.work_group_size = 32;
    gp = test_open_if(&desc);
    assert_non_null(gp);
    assert_int_equal(test_sub_group_of(gp), 0);
    gp_context_destroy(gp);
}

/* Where there is little local memory, an item of a GPU's sub-group has half as many elements. */
static void test_small_memory(void **state)
{
    gp_context_desc desc = {0};
    gp_context *gp;
    (void)state;
    desc.tuning.device_class = GP_DEVICE_CLASS_NVIDIA;
    desc.tuning.sub_group_size = 32;
    desc.tuning.work_group_size = 64; /* whose tiles fit any device */
    gp = test_open_if(&desc);
    assert_non_null(gp);
    assert_int_equal(test_per_item_at(gp, 0), 32); /* not known */
    assert_int_equal(test_per_item_at(gp, 75), 16);
    assert_int_equal(test_per_item_at(gp, 80), 32);
    assert_int_equal(test_per_item_at(gp, 86), 16);
    assert_int_equal(test_per_item_at(gp, 89), 16);
    assert_int_equal(test_per_item_at(gp, 90), 32);
    assert_int_equal(test_per_item_at(gp, 100), 32);
    assert_int_equal(test_per_item_at(gp, 120), 16);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_emulated), cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_in_step),  cmocka_unit_test(test_own),
        cmocka_unit_test(test_off),      cmocka_unit_test(test_small_group),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_small_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
