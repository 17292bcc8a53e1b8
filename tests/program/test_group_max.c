/* test_group_max.c - compilers that grant a program's kernels smaller groups than were wanted. */
#include "../support/keys.h"

/* Linked in place of OpenCL's (Makefile): grants `granted` work-items to every kernel; 0: what the device
 * does. */
static size_t granted;
static unsigned asked;

cl_int __wrap_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
                                       size_t size, void *value, size_t *size_out);
cl_int __real_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
                                       size_t size, void *value, size_t *size_out);

cl_int __wrap_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
                                       size_t size, void *value, size_t *size_out)
{
    const cl_int error = __real_clGetKernelWorkGroupInfo(kernel, device, what, size, value, size_out);
    if (error == CL_SUCCESS && what == CL_KERNEL_WORK_GROUP_SIZE && granted && *(size_t *)value > granted)
        *(size_t *)value = granted;
    asked++;
    return error;
}

static gp_context *open_local(void)
{
    gp_context_desc desc = {0};
    desc.tuning.shape = GP_SHAPE_LOCAL;
    return test_open_with(&desc);
}

/* Two halves of 0, 1, 2 ... n - 1, even and odd. */
static gp_merge_desc merge_of(gp_context *gp, uint32_t n)
{
    gp_merge_desc desc = {0};
    uint32_t *keys = malloc(n * sizeof *keys), i;
    assert_non_null(keys);
    desc.key_type = GP_U32;
    desc.a_count = desc.b_count = n / 2;
    for (i = 0; i < n / 2; i++) keys[i] = 2 * i;
    desc.a_keys = test_buffer(gp, 2 * (size_t)n, keys);
    for (i = 0; i < n / 2; i++) keys[i] = 2 * i + 1;
    desc.b_keys = test_buffer(gp, 2 * (size_t)n, keys);
    desc.keys_out = guarded(gp, 0, n, 4, NULL);
    free(keys);
    return desc;
}

static void release_merge(const gp_merge_desc *desc)
{
    clReleaseMemObject(desc->a_keys);
    clReleaseMemObject(desc->b_keys);
    clReleaseMemObject(desc->keys_out);
}

static void assert_merged(gp_context *gp, const gp_merge_desc *desc, uint32_t n)
{
    uint32_t *out = test_read(gp, desc->keys_out, n * sizeof *out), i;
    for (i = 0; i < n; i++) assert_int_equal(out[i], i);
    free(out);
}

/* Groups of as many as are granted, rounded down to a power of two. */
static void test_smaller_groups(void **state)
{
    const uint32_t n = test_small() ? 600 : 20000;
    gp_merge_desc merge;
    gp_context *gp;
    (void)state;
    granted = 9;
    gp = open_local();
    test_scan_ones(gp, n);
    merge = merge_of(gp, n);
    assert_gp(gp, gp_merge(gp, &merge));
    assert_merged(gp, &merge, n);
    release_merge(&merge);
    gp_context_destroy(gp);
}

/* Scans can do with one item a group; merges say that they cannot, not that a build has failed. */
static void test_too_small(void **state)
{
    gp_merge_desc merge;
    gp_context *gp;
    (void)state;
    granted = 1;
    asked = 0;
    gp = open_local();
    test_scan_ones(gp, 600);
    merge = merge_of(gp, 600);
    if (asked > 0)
        assert_gp_fails(gp, gp_merge(gp, &merge), GP_ERROR_UNSUPPORTED, "a group has 1 work-item,");
    granted = 0;
    release_merge(&merge);
    gp_context_destroy(gp);
}

/* So do sorts, which would write out of bounds on PoCL 3.1; groups of 4 are right. */
static void test_small_groups_of_sorts(void **state)
{
    enum { COUNT = 5000 };
    uint32_t keys[COUNT], group, i;
    (void)state;
    for (i = 0; i < COUNT; i++) keys[i] = test_random();
    for (group = 1; group <= 4; group *= 2) {
        gp_context_desc desc = {0};
        gp_sort_desc sort = {0};
        gp_context *gp;
        uint32_t *out;
        desc.strategy = GP_STRATEGY_SINGLE_PASS;
        desc.tuning.shape = GP_SHAPE_LOCAL;
        desc.tuning.work_group_size = group;
        gp = test_open_with(&desc);
        sort.keys = test_buffer(gp, sizeof keys, keys);
        sort.count = COUNT;
        sort.key_type = GP_U32;
        if (group < 4) assert_gp_fails(gp, gp_sort(gp, &sort), GP_ERROR_UNSUPPORTED, "a group has");
        else assert_gp(gp, gp_sort(gp, &sort));
        out = test_read(gp, sort.keys, sizeof keys);
        for (i = 1; i < COUNT && group == 4; i++) assert_true(out[i - 1] <= out[i]);
        free(out);
        clReleaseMemObject(sort.keys);
        gp_context_destroy(gp);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smaller_groups),
        cmocka_unit_test(test_too_small),
        cmocka_unit_test(test_small_groups_of_sorts),
    };
    return cmocka_run_group_tests_name("group_max", tests, NULL, NULL);
}
