/* test_device_class.c - what the library takes devices for that are not here, by what their drivers say. */
#include "../support/support.h"

#define SUB_GROUP_SIZES_INTEL 0x4108

/* What a driver says, and what follows. */
typedef struct device {
    const char *platform, *name, *vendor, *driver, *extensions;
    size_t sizes[3]; /* of sub-groups */
    gp_device_class device_class;
    bool fair;
    cl_uint sub_group_size;
} device;

#define KHRONOS "cl_khr_subgroup_ballot cl_khr_subgroup_shuffle"
static const device devices[] = {
    {"NVIDIA CUDA",
     "NVIDIA H100 PCIe",
     "NVIDIA Corporation",
     "550.54.15",
     "",
     {0},
     GP_DEVICE_CLASS_NVIDIA,
     true,
     0},
    {"rusticl", "NVF0", "NVIDIA", "26.1.6-1", "", {0}, GP_DEVICE_CLASS_UNKNOWN, false, 0},
    {"Clover", "NVF0", "nouveau", "22.3.6", "", {0}, GP_DEVICE_CLASS_UNKNOWN, false, 0},
    {"AMD Accelerated Parallel Processing",
     "gfx1100",
     "Advanced Micro Devices, Inc.",
     "3602.0",
     "",
     {0},
     GP_DEVICE_CLASS_AMD,
     false,
     0},
    {"rusticl",
     "AMD Radeon RX 7900 XTX (radeonsi, navi31, ACO, DRM 3.54)",
     "AMD",
     "26.1.6-1",
     KHRONOS,
     {64, 32},
     GP_DEVICE_CLASS_AMD,
     false,
     32},
    {"rusticl",
     "AMD Radeon RX Vega (radeonsi, vega10, ACO, DRM 3.54)",
     "AMD",
     "26.1.6-1",
     KHRONOS,
     {64},
     GP_DEVICE_CLASS_AMD,
     false,
     64},
    {"Intel(R) OpenCL Graphics",
     "Intel(R) Arc(TM) A770 Graphics",
     "Intel(R) Corporation",
     "26.27.039122",
     KHRONOS,
     {8, 16, 32},
     GP_DEVICE_CLASS_INTEL_GPU,
     false,
     16},
    {"rusticl",
     "Mesa Intel(R) Arc(tm) A770 Graphics (DG2)",
     "Intel",
     "26.1.6-1",
     KHRONOS,
     {8, 16, 32},
     GP_DEVICE_CLASS_INTEL_GPU,
     false,
     16},
    {"QUALCOMM Snapdragon(TM)",
     "QUALCOMM Adreno(TM) 660",
     "QUALCOMM",
     "E031.38",
     "",
     {0},
     GP_DEVICE_CLASS_ADRENO,
     false,
     0},
    {"rusticl", "FD660", "Qualcomm", "26.1.6-1", "", {0}, GP_DEVICE_CLASS_ADRENO, false, 0},
    {"ARM Platform", "Mali-G710 r0p0", "ARM", "3.0 v1.r38p1", "", {0}, GP_DEVICE_CLASS_MALI, false, 0},
    {"ARM Platform", "Immortalis-G720", "ARM", "3.0 v1.r44p0", "", {0}, GP_DEVICE_CLASS_MALI, false, 0},
    {"rusticl", "Mali-G610 (Panfrost)", "ARM", "26.1.6-1", "", {0}, GP_DEVICE_CLASS_MALI, false, 0},
    {"rusticl", "Apple M1 (G13G A0)", "Apple", "26.1.6-1", KHRONOS, {32}, GP_DEVICE_CLASS_APPLE, false, 32},
    {"rusticl", "V3D 4.2", "Broadcom", "26.1.6-1", "", {0}, GP_DEVICE_CLASS_UNKNOWN, false, 0},
};

/* Linked in place of OpenCL's (Makefile): every device is `pretended`; NULL: it is what it is. */
static const device *pretended;
static char built_with[1 << 10];

cl_int __wrap_clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size, void *value,
                                size_t *size_out);
cl_int __real_clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size, void *value,
                                size_t *size_out);
cl_int __wrap_clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *value,
                              size_t *size_out);
cl_int __real_clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *value,
                              size_t *size_out);
cl_kernel __wrap_clCreateKernel(cl_program program, const char *name, cl_int *error);
cl_kernel __real_clCreateKernel(cl_program program, const char *name, cl_int *error);

static cl_int say(const void *value, size_t bytes, size_t size, void *out, size_t *size_out)
{
    if (size_out) *size_out = bytes;
    if (out && size < bytes) return CL_INVALID_VALUE;
    if (out) memcpy(out, value, bytes);
    return CL_SUCCESS;
}

cl_int __wrap_clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size, void *value,
                                size_t *size_out)
{
    if (!pretended || what != CL_PLATFORM_NAME)
        return __real_clGetPlatformInfo(platform, what, size, value, size_out);
    return say(pretended->platform, strlen(pretended->platform) + 1, size, value, size_out);
}

cl_int __wrap_clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *value,
                              size_t *size_out)
{
    const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
    const char *text = NULL;
    if (!pretended) return __real_clGetDeviceInfo(id, what, size, value, size_out);
    if (what == CL_DEVICE_TYPE) return say(&gpu, sizeof gpu, size, value, size_out);
    if (what == SUB_GROUP_SIZES_INTEL)
        return say(pretended->sizes, sizeof pretended->sizes, size, value, size_out);
    if (what == CL_DEVICE_NAME) text = pretended->name;
    if (what == CL_DEVICE_VENDOR) text = pretended->vendor;
    if (what == CL_DRIVER_VERSION) text = pretended->driver;
    if (what == CL_DEVICE_EXTENSIONS) text = pretended->extensions;
    if (!text) return __real_clGetDeviceInfo(id, what, size, value, size_out);
    return say(text, strlen(text) + 1, size, value, size_out);
}

cl_kernel __wrap_clCreateKernel(cl_program program, const char *name, cl_int *error)
{
    const cl_kernel kernel = __real_clCreateKernel(program, name, error);
    cl_device_id id;
    clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof id, &id, NULL);
    clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_OPTIONS, sizeof built_with, built_with, NULL);
    return kernel;
}

static void test_classes(void **state)
{
    size_t i;
    (void)state;
    for (i = 0; i < sizeof devices / sizeof *devices; i++) {
        gp_device_info info;
        size_t count;
        pretended = &devices[i];
        assert_int_equal(gp_devices(&info, 1, &count), GP_OK);
        pretended = NULL;
        if (info.device_class != devices[i].device_class || info.fair != devices[i].fair ||
            info.sub_group_size != devices[i].sub_group_size) {
            print_error("%s, %s: class %d, fair %d, sub-groups of %u\n", devices[i].platform, devices[i].name,
                        (int)info.device_class, info.fair, (unsigned)info.sub_group_size);
            fail();
        }
    }
}

/* True if a program of this device is built with the option. */
static bool builds_with(const device *it, const char *option)
{
    gp_context_desc desc = {0};
    gp_fill_desc fill = {0};
    const uint32_t one = 1;
    gp_context *gp;
    bool found;
    pretended = it;
    desc.device_filter = it->name; /* not what GPUPRIM_DEVICE says */
    desc.no_disk_cache = true;
    assert_int_equal(gp_context_create(&desc, &gp), GP_OK);
    fill.out = test_buffer(gp, sizeof one, &one);
    fill.value = &one;
    fill.element_size = sizeof one;
    fill.count = 1;
    built_with[0] = '\0';
    assert_int_equal(gp_fill(gp, &fill), GP_OK);
    found = strstr(built_with, option) != NULL;
    clReleaseMemObject(fill.out);
    gp_context_destroy(gp);
    pretended = NULL;
    return found;
}

static bool loses_writes(const char *driver)
{
    const device radeon = {
        "rusticl", "AMD Radeon RX 7900 XTX (radeonsi)", "AMD", driver, "", {0}, GP_DEVICE_CLASS_AMD, false,
        0};
    return builds_with(&radeon, " -DGPI_LOSES_WRITES=1");
}

/* Mesa's pass that loses writes to structs runs for every driver. */
static void test_lost_writes(void **state)
{
    (void)state;
    assert_true(loses_writes("25.0.7-2+deb13u1"));
    assert_true(loses_writes("22.3.6"));
    assert_true(loses_writes("26.0.9"));
    assert_false(loses_writes("26.1.6-1"));
    assert_false(loses_writes("27.0.0"));
}

/* Registers are few on Intel's GPUs; Mesa's compiler for them is another one. */
static void test_intel(void **state)
{
    size_t i;
    (void)state;
    for (i = 0; i < sizeof devices / sizeof *devices; i++) {
        const bool own = strcmp(devices[i].platform, "Intel(R) OpenCL Graphics") == 0;
        device plain = devices[i];
        plain.extensions = "";
        assert_int_equal(builds_with(&plain, " -DGPI_INTEL_GPU=1"), own);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_classes), cmocka_unit_test(test_lost_writes),
                                       cmocka_unit_test(test_intel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
