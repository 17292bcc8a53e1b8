/* test_program.c - what is built and kept: the program cache, warm-up, sharing, dumps, profiles. */
#define _POSIX_C_SOURCE 200809L /* truncate, setenv */
#include <unistd.h>

#include "../support/folders.h"
#include "../support/support.h"

/* Several tiles on every device. */
#define COUNT (test_small() ? (size_t)3000 : (size_t)40000)

/* ------------------------------------------------------------------ programs */

static char log_text[4096];

static void remember(gp_log_level level, const char *text, void *user)
{
    (void)level;
    (void)user;
    (void)snprintf(log_text + strlen(log_text), sizeof log_text - strlen(log_text), "%s\n", text);
}

/* Changes one byte in the middle. */
static bool damage(const char *path)
{
    FILE *file = fopen(path, "r+b");
    int byte;
    assert_non_null(file);
    fseek(file, 500, SEEK_SET);
    byte = fgetc(file);
    fseek(file, 500, SEEK_SET);
    fputc(byte ^ 0x40, file);
    fclose(file);
    return false;
}

static bool truncate_half(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size;
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    fclose(file);
    assert_int_equal(truncate(path, size / 2), 0);
    return false;
}

static bool replace_by_text(const char *path)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("somebody else's file", file);
    fclose(file);
    return false;
}

/* A process's worth: a context, a scan, the counters. */
static gp_stats run_with_cache(const char *folder)
{
    gp_context_desc desc = {0};
    gp_context *gp;
    gp_stats profile;
    desc.cache_dir = folder;
    desc.log = remember;
    log_text[0] = '\0';
    gp = test_open_with(&desc);
    test_scan_ones(gp, COUNT);
    profile = test_profile_of(gp);
    gp_context_destroy(gp);
    return profile;
}

/* The second start builds nothing; a damaged, cut or foreign file is dropped and rebuilt. */
static void test_disk_cache(void **state)
{
    static bool (*const spoil[])(const char *) = {damage, truncate_half, replace_by_text};
    char folder[64];
    gp_stats profile;
    size_t k;
    (void)state;
    test_make_folder(folder, sizeof folder);
    profile = run_with_cache(folder);
    assert_int_equal(profile.programs_built, 1);
    assert_int_equal(profile.programs_saved, 1);
    assert_non_null(strstr(log_text, "building a program of gp_scan"));
    assert_int_equal(test_each_file(folder, NULL, test_keep), 1);
    profile = run_with_cache(folder);
    assert_int_equal(profile.programs_built, 0);
    assert_null(strstr(log_text, "building"));
    assert_int_equal(profile.programs_loaded, 1);
    assert_int_equal(profile.programs_saved, 0);
    for (k = 0; k < sizeof spoil / sizeof *spoil; k++) {
        assert_int_equal(test_each_file(folder, NULL, spoil[k]), 1);
        profile = run_with_cache(folder);
        assert_int_equal(profile.programs_built, 1);
        assert_non_null(strstr(log_text, "damaged or foreign"));
        assert_int_equal(run_with_cache(folder).programs_built, 0);
    }
    test_remove_folder(folder);
}

/* How often the log has it. */
static int told(const char *text)
{
    const char *at = log_text;
    int count = 0;
    for (; (at = strstr(at, text)) != NULL; at++) count++;
    return count;
}

/* No cache wanted: nothing is written. A folder that cannot be written: one warning, before anything is
   built, and the calls work. */
static void test_no_disk_cache(void **state)
{
    char folder[64];
    gp_context_desc desc = {0};
    gp_context *gp;
    gp_stats profile;
    (void)state;
    test_make_folder(folder, sizeof folder);
    desc.cache_dir = folder;
    desc.no_disk_cache = true;
    gp = test_open_with(&desc);
    test_scan_ones(gp, COUNT);
    gp_context_destroy(gp);
    assert_int_equal(test_each_file(folder, NULL, test_keep), 0);
    test_remove_folder(folder);
    profile = run_with_cache("/proc/gpuprim");
    assert_int_equal(profile.programs_built, 1);
    assert_int_equal(profile.programs_saved, 0);
    assert_int_equal(told("cannot write /proc/gpuprim"), 1);
    log_text[0] = '\0';
    desc.cache_dir = "/proc/gpuprim";
    desc.no_disk_cache = false;
    desc.log = remember;
    gp = test_open_with(&desc);
    assert_int_equal(told("cannot write /proc/gpuprim"), 1);
    gp_context_destroy(gp);
    assert_int_equal(told("cannot write"), 1);
}

/* GPUPRIM_CACHE names the folder, or says that there is no disk cache; the desc's own fields come first. */
static void test_cache_variable(void **state)
{
    char folder[64], other[64], place[512];
    (void)state;
    test_make_folder(folder, sizeof folder);
    test_make_folder(other, sizeof other);
    assert_non_null(getcwd(place, sizeof place - sizeof folder - 1));
    (void)snprintf(place + strlen(place), sizeof place - strlen(place), "/%s", folder);
    assert_int_equal(setenv("GPUPRIM_CACHE", place, 1), 0);
    assert_int_equal(run_with_cache(NULL).programs_saved, 1);
    assert_int_equal(test_each_file(folder, ".bin", test_keep), 1);
    assert_int_equal(run_with_cache(NULL).programs_loaded, 1);
    assert_int_equal(setenv("GPUPRIM_CACHE", "off", 1), 0);
    assert_int_equal(run_with_cache(NULL).programs_built, 1);
    assert_int_equal(run_with_cache(NULL).programs_saved, 0);
    assert_int_equal(run_with_cache(other).programs_saved, 1);
    test_remove_folder(folder);
    test_remove_folder(other);
}

/* ------------------------------------------------------------------ the bound on programs in memory */

/* out[i] = 3 * i + k, by a program of its own; nobody waits. */
static void map_with(gp_context *gp, uint32_t k, cl_mem out)
{
    char map[64];
    gp_transform_desc desc = {0};
    (void)snprintf(map, sizeof map, "3u * (uint)i + %uu", k);
    desc.map = map;
    desc.out_type = GP_U32;
    desc.count = 100;
    desc.out = out;
    desc.out_offset = 100 * k;
    assert_gp(gp, gp_transform(gp, &desc));
}

static void assert_mapped(gp_context *gp, cl_mem out, uint32_t programs)
{
    uint32_t *result = test_read(gp, out, programs * 400), k, i;
    for (k = 0; k < programs; k++) {
        for (i = 0; i < 100; i++) assert_int_equal(result[100 * k + i], 3 * i + k);
    }
    free(result);
}

/* Programs used longest ago go, with their commands perhaps still in flight; what is used again stays. */
static void test_program_limit(void **state)
{
    enum { PROGRAMS = 7, LIMIT = 3 };
    gp_context_desc desc = {0};
    gp_context *gp;
    gp_stats profile;
    cl_mem out;
    uint32_t k;
    (void)state;
    desc.program_limit = LIMIT;
    desc.no_disk_cache = true;
    gp = test_open_with(&desc);
    out = test_buffer(gp, PROGRAMS * 400, NULL);
    for (k = 0; k < PROGRAMS; k++) {
        map_with(gp, k, out);
        map_with(gp, 0, out);
    }
    assert_mapped(gp, out, PROGRAMS);
    profile = test_profile_of(gp);
    assert_int_equal(profile.programs_built, PROGRAMS);
    assert_int_equal(profile.programs_dropped, PROGRAMS - LIMIT);
    map_with(gp, PROGRAMS - 1, out);
    map_with(gp, 0, out);
    assert_int_equal(test_profile_of(gp).programs_built, PROGRAMS);
    map_with(gp, 1, out);
    assert_int_equal(test_profile_of(gp).programs_built, PROGRAMS + 1);
    assert_mapped(gp, out, PROGRAMS);
    clReleaseMemObject(out);
    gp_context_destroy(gp);
}

/* What is dropped is saved first: nothing has to be built twice. */
static void test_dropped_are_saved(void **state)
{
    enum { PROGRAMS = 4 };
    char folder[64];
    gp_context_desc desc = {0};
    gp_context *gp;
    gp_stats profile;
    cl_mem out;
    uint32_t k;
    (void)state;
    test_make_folder(folder, sizeof folder);
    desc.program_limit = 1;
    desc.cache_dir = folder;
    gp = test_open_with(&desc);
    out = test_buffer(gp, PROGRAMS * 400, NULL);
    for (k = 0; k < 2 * PROGRAMS; k++) {
        map_with(gp, k % PROGRAMS, out);
        (void)clFinish(gp_cl_queue(gp));
    }
    assert_mapped(gp, out, PROGRAMS);
    profile = test_profile_of(gp);
    assert_int_equal(profile.programs_built, PROGRAMS);
    assert_int_equal(profile.programs_loaded, PROGRAMS);
    assert_int_equal(profile.programs_dropped, 2 * PROGRAMS - 1);
    clReleaseMemObject(out);
    gp_context_destroy(gp);
    test_remove_folder(folder);
}

/* A call that takes several programs has all of them under any bound; so has a context that was made from
   another one, whose programs go meanwhile. */
static void test_limit_within_call(void **state)
{
    static const uint32_t keys[8] = {1, 1, 2, 2, 2, 5, 5, 7}, ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    gp_context_desc desc = {0};
    gp_reduce_by_key_desc by_key = {0};
    gp_context *gp, *other;
    uint64_t runs = 0;
    uint32_t *sums;
    int k;
    (void)state;
    desc.program_limit = 1;
    gp = test_open_with(&desc);
    desc.share = gp;
    by_key.keys = test_buffer(gp, sizeof keys, keys);
    by_key.in = test_buffer(gp, sizeof ones, ones);
    by_key.out = test_buffer(gp, 8 * sizeof(uint64_t), NULL);
    by_key.key_type = by_key.type = by_key.out_type = GP_U32;
    by_key.op = GP_SUM;
    by_key.map = "i < 8 ? x : 0"; /* of the index: two steps, where a CPU does others in one */
    by_key.count = 8;
    other = test_open_with(&desc);
    for (k = 0; k < 4; k++) {
        gp_context *const one = k % 2 ? other : gp;
        assert_gp(one, gp_reduce_by_key_read(one, &by_key, &runs));
        assert_int_equal(runs, 4);
        sums = test_read(one, by_key.out, 16);
        assert_true(sums[0] == 2 && sums[1] == 3 && sums[2] == 2 && sums[3] == 1);
        free(sums);
        test_scan_ones(one, 100);
    }
    assert_true(test_profile_of(gp).programs_dropped >= 4);
    clReleaseMemObject(by_key.keys);
    clReleaseMemObject(by_key.in);
    clReleaseMemObject(by_key.out);
    gp_context_destroy(gp);
    gp_context_destroy(other);
}

/* Warm-up builds and launches everything: the calls after it build nothing and save nothing. */
static void test_warmup(void **state)
{
    char folder[64];
    gp_context_desc desc = {0};
    gp_warmup_desc warmup = {0};
    gp_reduce_desc reduce = {0};
    gp_scan_desc scan = {0};
    gp_context *gp;
    gp_stats before, after;
    (void)state;
    test_make_folder(folder, sizeof folder);
    desc.cache_dir = folder;
    gp = test_open_with(&desc);
    reduce.type = scan.type = GP_U32;
    reduce.op = scan.op = GP_SUM;
    warmup.reduce = &reduce;
    warmup.scan = &scan;
    assert_gp(gp, gp_warmup(gp, &warmup));
    before = test_profile_of(gp);
    assert_int_equal(before.programs_built, 2);
    assert_int_equal(before.programs_saved, 2);
    test_scan_ones(gp, 100);
    test_scan_ones(gp, COUNT);
    after = test_profile_of(gp);
    assert_int_equal(after.programs_built, 2);
    assert_int_equal(after.programs_saved, 2);
    gp_context_destroy(gp);
    test_remove_folder(folder);
}

/* A second queue on the same cl_context starts with the first one's programs. */
static void test_share(void **state)
{
    gp_context *first, *second;
    gp_context_desc desc = {0};
    gp_stats profile;
    (void)state;
    first = test_open_with(&desc); /* as the second: in the device's own shape, whatever the tests' is */
    test_scan_ones(first, COUNT);
    desc.share = first;
    desc.no_disk_cache = true;
    second = test_open_with(&desc);
    gp_context_destroy(first);
    assert_ptr_not_equal(gp_cl_queue(second), NULL);
    test_scan_ones(second, COUNT);
    profile = test_profile_of(second);
    assert_int_equal(profile.programs_built, 0);
    assert_int_equal(profile.programs_shared, 1);
    gp_context_destroy(second);
}

/* A monoid whose function depends on a macro given by build options. */
static uint32_t reduce_with_macro(gp_context *gp)
{
    static const uint32_t zero = 0, data[2] = {1, 2};
    const gp_monoid monoid = {
        "uint",   "static uint plus_k(uint a, uint b) { return a + b + (a && b ? GPU_K : 0); }",
        "plus_k", &zero,
        4,        false,
        true,     false};
    gp_reduce_desc desc = {0};
    uint32_t result = 0;
    desc.in = test_buffer(gp, sizeof data, data);
    desc.count = 2;
    desc.monoid = &monoid;
    assert_gp(gp, gp_reduce_read(gp, &desc, &result));
    clReleaseMemObject(desc.in);
    return result;
}

/* Programs are shared only where the options are the same. */
static void test_share_other_options(void **state)
{
    gp_context_desc desc = {0};
    gp_context *first, *second;
    (void)state;
    desc.build_options = "-DGPU_K=10";
    first = test_open_with(&desc);
    assert_int_equal(reduce_with_macro(first), 13);
    desc.build_options = "-DGPU_K=20";
    desc.share = first;
    second = test_open_with(&desc);
    assert_int_equal(reduce_with_macro(second), 23);
    gp_context_destroy(first);
    gp_context_destroy(second);
}

/* The user's function may trust its elements: warm-up runs it on nothing but identities. The strings in the
   desc are gone by then, and so is `initial`. */
static void test_warmup_trusting_monoid(void **state)
{
    static const uint32_t identity[4] = {0, 1, 2, 3};
    const gp_monoid automaton = {"automaton",
                                 "typedef struct automaton { uint to[4]; } automaton;\n"
                                 "static automaton then(automaton p, automaton q)\n"
                                 "{\n"
                                 "    automaton r;\n"
                                 "    for (uint i = 0; i < 4; i++) r.to[i] = q.to[p.to[i]];\n"
                                 "    return r;\n"
                                 "}\n",
                                 "then",
                                 identity,
                                 sizeof identity,
                                 false,
                                 true,
                                 false};
    gp_context *gp = test_open(&test_variants[0], NULL);
    gp_reduce_desc reduce = {0};
    gp_scan_desc scan = {0};
    gp_warmup_desc warmup = {0};
    (void)state;
    reduce.monoid = scan.monoid = &automaton;
    reduce.initial = scan.initial = (const void *)(uintptr_t)1; /* not read */
    warmup.reduce = &reduce;
    warmup.scan = &scan;
    assert_gp(gp, gp_warmup(gp, &warmup));
    gp_context_destroy(gp);
}

/* What the dump holds: for each program its source, which any OpenCL compiler takes by itself, and the binary
   that came of it, from which a kernel can be made. */
static gp_context *dumped;
static size_t dumped_sources, dumped_binaries;

static unsigned char *file_text(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *text;
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    text = malloc(*size);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, file), *size);
    fclose(file);
    return text;
}

static bool has_kernel(cl_program program, const char *name)
{
    cl_int error;
    const cl_kernel kernel = clCreateKernel(program, name, &error);
    if (error == CL_SUCCESS) clReleaseKernel(kernel);
    return error == CL_SUCCESS;
}

static bool build_dumped(const char *path)
{
    const bool source = strstr(path, ".cl") != NULL;
    const cl_device_id device = gp_cl_device(dumped);
    size_t size;
    unsigned char *text = file_text(path, &size);
    const unsigned char *binary = text;
    const char *characters = (const char *)text;
    cl_int error;
    cl_program program =
        source ? clCreateProgramWithSource(gp_cl_context(dumped), 1, &characters, &size, &error)
               : clCreateProgramWithBinary(gp_cl_context(dumped), 1, &device, &size, &binary, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    /* Oclgrind 21.10 fails on optimized code: docs/drivers.md */
    assert_int_equal(clBuildProgram(program, 1, &device,
                                    test_small() ? "-cl-std=CL1.2 -cl-opt-disable" : "-cl-std=CL1.2", NULL,
                                    NULL),
                     CL_SUCCESS);
    assert_true(has_kernel(program, "gp_scan_downsweep") || has_kernel(program, "gp_reduce_tiles"));
    if (source) dumped_sources++;
    else dumped_binaries++;
    clReleaseProgram(program);
    free(text);
    return false;
}

/* Sources and binaries of what was built: of each program both. */
static void test_dump(void **state)
{
    char folder[64];
    gp_context_desc desc = {0};
    gp_reduce_desc reduce = {0};
    gp_scan_desc scan;
    uint64_t sum = 0;
    (void)state;
    test_make_folder(folder, sizeof folder);
    desc.dump_dir = folder;
    desc.no_disk_cache = true;
    dumped = test_open_with(&desc);
    scan = test_ones(dumped, COUNT);
    assert_gp(dumped, gp_scan(dumped, &scan));
    reduce.in = scan.in;
    reduce.count = COUNT;
    reduce.type = GP_U32;
    reduce.op = GP_SUM;
    assert_gp(dumped, gp_reduce_read(dumped, &reduce, &sum));
    assert_gp(dumped, gp_finish(dumped));
    assert_int_equal(test_each_file(folder, NULL, build_dumped), 4);
    assert_int_equal(dumped_sources, 2);
    assert_int_equal(dumped_binaries, 2);
    test_release(&scan);
    gp_context_destroy(dumped);
    test_remove_folder(folder);
}

/* ------------------------------------------------------------------ device class */

static char group_line[32];

static bool has_group_line(const char *path)
{
    size_t size;
    char *text = (char *)file_text(path, &size);
    assert_true(size > 0);
    text[size - 1] = 0;
    if (!strstr(text, "gp_sub_group_check")) assert_non_null(strstr(text, group_line));
    free(text);
    return false;
}

/* The rows of another class of devices: the groups that they name are built, and compute the same. */
static void test_device_class(void **state)
{
    static const struct {
        gp_device_class device_class;
        unsigned group; /* of a scan, src/runtime/tuning_table.h */
    } classes[] = {
        {GP_DEVICE_CLASS_UNKNOWN, 128}, {GP_DEVICE_CLASS_POCL, 1},     {GP_DEVICE_CLASS_LLVMPIPE, 256},
        {GP_DEVICE_CLASS_NVIDIA, 128},  {GP_DEVICE_CLASS_AMD, 256},    {GP_DEVICE_CLASS_INTEL_GPU, 256},
        {GP_DEVICE_CLASS_MALI, 64},     {GP_DEVICE_CLASS_ADRENO, 128}, {GP_DEVICE_CLASS_APPLE, 256}};
    size_t k;
    (void)state;
    if (getenv("GPUPRIM_TEST_SUB_GROUP")) skip(); /* every class has the same shape */
    for (k = 0; k < sizeof classes / sizeof *classes; k++) {
        char folder[64];
        gp_context_desc desc = {0};
        gp_context *gp;
        test_make_folder(folder, sizeof folder);
        desc.dump_dir = folder;
        desc.no_disk_cache = true;
        desc.tuning.device_class = classes[k].device_class;
        gp = test_open_if(&desc); /* llvmpipe refuses the serial shape */
        if (gp) {
            size_t with;
            test_scan_ones(gp, 30000);
            (void)snprintf(group_line, sizeof group_line, "#define GPI_WG %u\n", classes[k].group);
            with = test_each_file(folder, ".cl", has_group_line);
            assert_true(with == 1 || with == 2); /* and sub-groups' check */
        }
        gp_context_destroy(gp);
        test_remove_folder(folder);
    }
}

/* ------------------------------------------------------------------ profile */

static void test_profile(void **state)
{
    gp_context_desc desc = {0};
    gp_kernel_times kernels[16];
    gp_context *gp;
    gp_stats profile;
    size_t count = 0, k;
    bool found = false;
    (void)state;
    desc.profile = true;
    desc.strategy = GP_STRATEGY_MULTI_PASS;
    gp = test_open_with(&desc);
    for (k = 0; k < 600; k++) test_scan_ones(gp, 100); /* more than are kept in flight */
    assert_gp(gp, gp_stats_kernels(gp, kernels, 16, &count));
    for (k = 0; k < count && k < 16; k++) {
        if (strcmp(kernels[k].name, "gp_scan_downsweep") != 0) continue;
        found = true;
        assert_int_equal(kernels[k].launches, 600);
        assert_true(kernels[k].min_ns <= kernels[k].max_ns && kernels[k].max_ns <= kernels[k].total_ns);
    }
    assert_true(found);
    profile = test_profile_of(gp);
    assert_int_equal(profile.launches, 600);
    assert_gp(gp, gp_stats_reset(gp));
    assert_gp(gp, gp_stats_kernels(gp, NULL, 0, &count));
    assert_int_equal(count, 0);
    assert_int_equal(test_profile_of(gp).launches, 0);
    gp_context_destroy(gp);
}

static gp_kernel_times kernel_profile(gp_context *gp, const char *name)
{
    gp_kernel_times kernels[16];
    size_t count = 0, k = 0;
    assert_gp(gp, gp_stats_kernels(gp, kernels, 16, &count));
    assert_true(count <= 16);
    while (k < count && strcmp(kernels[k].name, name) != 0) k++;
    if (k == count) fail_msg("no kernel %s among %zu", name, count);
    return kernels[k];
}

/* Each kernel of each primitive has an entry of its own, and together they have every launch. */
static void test_profile_by_kernel(void **state)
{
    static const char *const names[] = {"gp_scan_upsweep", "gp_scan_spine", "gp_scan_downsweep",
                                        "gp_reduce_tiles"};
    gp_context_desc desc = {0};
    gp_reduce_desc reduce = {0};
    gp_scan_desc scan;
    gp_context *gp;
    uint64_t sum = 0, launches = 0;
    size_t k;
    (void)state;
    desc.profile = true;
    desc.strategy = GP_STRATEGY_MULTI_PASS;
    gp = test_open_with(&desc);
    scan = test_ones(gp, COUNT);
    for (k = 0; k < 5; k++) assert_gp(gp, gp_scan(gp, &scan));
    reduce.in = scan.in;
    reduce.count = 100;
    reduce.type = GP_U32;
    reduce.op = GP_SUM;
    for (k = 0; k < 5; k++) assert_gp(gp, gp_reduce_read(gp, &reduce, &sum));
    for (k = 0; k < sizeof names / sizeof *names; k++) {
        const gp_kernel_times profile = kernel_profile(gp, names[k]);
        assert_int_equal(profile.launches, 5);
        assert_true(profile.max_ns <= profile.total_ns && profile.total_ns <= 5 * profile.max_ns);
        launches += profile.launches;
    }
    assert_int_equal(test_profile_of(gp).launches, launches);
    test_release(&scan);
    gp_context_destroy(gp);
}

/* Many calls: scratch and programs do not grow. */
static void test_no_growth(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    gp_scan_desc desc = test_ones(gp, COUNT);
    gp_stats before, after;
    int k;
    (void)state;
    assert_gp(gp, gp_scan(gp, &desc));
    before = test_profile_of(gp);
    for (k = 0; k < (test_small() ? 3 : 2000); k++) assert_gp(gp, gp_scan(gp, &desc));
    assert_scanned(gp, desc.out, COUNT);
    after = test_profile_of(gp);
    assert_int_equal(before.scratch_bytes, after.scratch_bytes);
    assert_int_equal(before.programs_built + before.programs_loaded,
                     after.programs_built + after.programs_loaded);
    test_release(&desc);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_share_other_options),
        cmocka_unit_test(test_warmup_trusting_monoid),
        cmocka_unit_test(test_disk_cache),
        cmocka_unit_test(test_no_disk_cache),
        cmocka_unit_test(test_cache_variable),
        cmocka_unit_test(test_program_limit),
        cmocka_unit_test(test_dropped_are_saved),
        cmocka_unit_test(test_limit_within_call),
        cmocka_unit_test(test_warmup),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_dump),
        cmocka_unit_test(test_device_class),
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_profile_by_kernel),
        cmocka_unit_test(test_no_growth),
    };
    (void)setenv("GPUPRIM_SUB_GROUPS", "off", 1); /* the program that tries them would be counted */
    return cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
