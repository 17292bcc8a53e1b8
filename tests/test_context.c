/* test_context.c - devices, the caller's own objects, events, warm-up, the program cache, profiles. */
#define _POSIX_C_SOURCE 200809L /* setenv, mkdtemp, opendir */
#include <dirent.h>
#include <unistd.h>

#include "support.h"

/* Several tiles on every device. */
#define COUNT (test_small() ? (size_t)3000 : (size_t)40000)

static gp_context *open_with(const gp_context_desc *desc)
{
    gp_context *gp = NULL;
    assert_gp(NULL, gp_context_create(desc, &gp));
    return gp;
}

static gp_profile profile_of(gp_context *gp)
{
    gp_profile profile;
    assert_gp(gp, gp_profile_read(gp, &profile));
    return profile;
}

/* Enqueues a scan of `count` ones; buffers in the desc, to be released. */
static gp_scan_desc ones(gp_context *gp, size_t count)
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

static void release(gp_scan_desc *desc)
{
    clReleaseMemObject(desc->in);
    clReleaseMemObject(desc->out);
}

/* The output of a scan of ones, also scanned `times` times in all. */
static void assert_scanned(gp_context *gp, cl_mem buffer, size_t count)
{
    uint32_t *out = test_read(gp, buffer, count * 4);
    size_t i;
    for (i = 0; i < count; i++) {
        if (out[i] != i + 1) fail_msg("out[%zu] = %u", i, out[i]);
    }
    free(out);
}

static void scan_ones(gp_context *gp, size_t count)
{
    gp_scan_desc desc = ones(gp, count);
    assert_gp(gp, gp_scan(gp, &desc));
    assert_scanned(gp, desc.out, count);
    release(&desc);
}

/* ------------------------------------------------------------------ devices */

static void test_devices(void **state)
{
    gp_device_info infos[16];
    size_t count = 0, again = 0, i;
    (void)state;
    assert_gp(NULL, gp_devices(NULL, 0, &count));
    assert_true(count > 0);
    assert_gp(NULL, gp_devices(infos, 16, &again));
    assert_int_equal(count, again);
    for (i = 0; i < count && i < 16; i++) {
        assert_true(infos[i].name[0] && infos[i].platform_name[0]);
        assert_true(infos[i].compute_units > 0 && infos[i].max_work_group_size > 0);
        assert_true(infos[i].max_alloc_size > 0 && infos[i].local_mem_size > 0);
    }
}

static int64_t score_by_name(const gp_device_info *info, void *user)
{
    return strcmp(info->name, (const char *)user) == 0 ? 5 : -1;
}

/* By index, by part of a name in any case, and by the caller's score. */
static void test_device_choice(void **state)
{
    gp_device_info infos[16];
    gp_context_desc desc = {0};
    gp_context *gp;
    char part[6];
    size_t count;
    (void)state;
    assert_gp(NULL, gp_devices(infos, 16, &count));
    desc.device_filter = "0:0";
    gp = open_with(&desc);
    gp_context_destroy(gp);
    (void)snprintf(part, sizeof part, "%s", infos[count - 1].name);
    part[0] = (char)(part[0] >= 'a' && part[0] <= 'z' ? part[0] - 'a' + 'A' : part[0]);
    desc.device_filter = part;
    gp = open_with(&desc);
    gp_context_destroy(gp);
    desc.device_filter = "";
    desc.score = score_by_name;
    desc.score_user = infos[count - 1].name;
    gp = open_with(&desc);
    assert_string_equal(gp_context_info(gp)->name, infos[count - 1].name);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ the caller's own objects */

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
static cl_command_queue make_queue(gp_context *gp, cl_command_queue_properties properties)
{
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(gp_cl_context(gp), gp_cl_device(gp), properties, &error);
    return error == CL_SUCCESS ? queue : NULL;
}

/* A queue, and a context with a device: retained, so that the caller may let go at once. */
static void test_own_objects(void **state)
{
    gp_context *first = test_open(&test_variants[0], NULL), *gp;
    gp_context_desc desc = {0};
    (void)state;
    desc.queue = make_queue(first, 0);
    assert_non_null(desc.queue);
    gp = open_with(&desc);
    clReleaseCommandQueue(desc.queue);
    assert_ptr_equal(gp_cl_queue(gp), desc.queue);
    assert_ptr_equal(gp_cl_context(gp), gp_cl_context(first));
    scan_ones(gp, COUNT);
    gp_context_destroy(gp);
    desc.queue = NULL;
    desc.context = gp_cl_context(first);
    gp = open_with(&desc);
    gp_context_destroy(first);
    scan_ones(gp, COUNT);
    gp_context_destroy(gp);
}

/* Four scans in a row on an out-of-order queue, each of the one before: the library keeps the order of its
   own commands, the events that of the calls. */
static void check_chain(gp_context *gp)
{
    gp_scan_desc desc = ones(gp, COUNT);
    const cl_mem a = desc.in, b = desc.out;
    cl_event done[4];
    uint32_t *out, sums[4] = {0, 0, 0, 0};
    size_t i;
    int k;
    for (k = 0; k < 4; k++) {
        desc.in = k % 2 ? b : a;
        desc.out = k % 2 ? a : b;
        desc.wait = k > 0 ? &done[k - 1] : NULL;
        desc.wait_count = k > 0 ? 1 : 0;
        desc.done = &done[k];
        assert_gp(gp, gp_scan(gp, &desc));
        assert_non_null(done[k]);
    }
    assert_int_equal(clWaitForEvents(1, &done[3]), CL_SUCCESS);
    out = test_read(gp, a, COUNT * 4);
    for (i = 0; i < COUNT; i++) {
        sums[0] += 1;
        for (k = 1; k < 4; k++) sums[k] += sums[k - 1];
        if (out[i] != sums[3]) fail_msg("out[%zu] = %u, not %u", i, out[i], sums[3]);
    }
    for (k = 0; k < 4; k++) clReleaseEvent(done[k]);
    free(out);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
}

static void test_events(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL), *loose;
    gp_context_desc desc = {0};
    gp_scan_desc nothing = {0};
    gp_reduce_desc reduce = {0};
    cl_event done;
    uint64_t sum = 0;
    (void)state;
    check_chain(gp);
    /* a call without elements has its event all the same */
    nothing.type = GP_U32;
    nothing.op = GP_SUM;
    nothing.done = &done;
    assert_gp(gp, gp_scan(gp, &nothing));
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done);
    desc.queue = make_queue(gp, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    if (desc.queue) {
        gp_scan_desc input;
        loose = open_with(&desc);
        check_chain(loose);
        input = ones(loose, COUNT);
        reduce.in = input.in;
        reduce.count = COUNT;
        reduce.type = GP_U32;
        reduce.op = GP_SUM;
        assert_gp(loose, gp_reduce_read(loose, &reduce, &sum));
        assert_int_equal(sum, COUNT);
        release(&input);
        clReleaseCommandQueue(desc.queue);
        gp_context_destroy(loose);
    }
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ failures after enqueuing */

static int async_errors;

static void count_async_error(gp_result result, const char *text, void *user)
{
    assert_int_equal(result, GP_ERROR_OPENCL);
    assert_non_null(strstr(text, "failed after it was enqueued"));
    *(int *)user += 1;
}

/* A call waits for an event that fails: the handler hears of it, gp_finish returns it once, and the context
   goes on working. */
static void test_async_error(void **state)
{
    gp_context_desc desc = {0};
    gp_scan_desc scan;
    gp_context *gp;
    cl_int error;
    cl_event failing;
    (void)state;
    if (test_small()) return; /* Oclgrind runs commands whose events have failed */
    async_errors = 0;
    desc.on_async_error = count_async_error;
    desc.async_error_user = &async_errors;
    gp = open_with(&desc);
    failing = clCreateUserEvent(gp_cl_context(gp), &error);
    assert_int_equal(error, CL_SUCCESS);
    scan = ones(gp, COUNT);
    scan.wait = &failing;
    scan.wait_count = 1;
    assert_gp(gp, gp_scan(gp, &scan));
    assert_int_equal(clSetUserEventStatus(failing, -5), CL_SUCCESS);
    assert_gp_fails(gp, gp_finish(gp), GP_ERROR_OPENCL, "gp_scan: ");
    assert_true(async_errors > 0);
    assert_gp(gp, gp_finish(gp));
    scan_ones(gp, COUNT);
    clReleaseEvent(failing);
    release(&scan);
    gp_context_destroy(gp);
}

/* An event that has failed already, or is none, is refused before anything is enqueued. */
static void test_failed_wait(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    gp_scan_desc scan = ones(gp, COUNT);
    cl_int error;
    cl_event failed = clCreateUserEvent(gp_cl_context(gp), &error), none = NULL;
    cl_event done = failed;
    (void)state;
    assert_int_equal(clSetUserEventStatus(failed, -5), CL_SUCCESS);
    scan.wait = &failed;
    scan.wait_count = 1;
    scan.done = &done;
    assert_gp_fails(gp, gp_scan(gp, &scan), GP_ERROR_INVALID_ARGUMENT, "wait[0] has failed");
    assert_null(done);
    scan.wait = &none;
    assert_gp_fails(gp, gp_scan(gp, &scan), GP_ERROR_INVALID_ARGUMENT, "wait[0] is NULL");
    done = failed;
    scan.type = GP_TYPE_NONE;
    assert_gp_fails(gp, gp_scan(gp, &scan), GP_ERROR_INVALID_TYPE, "type");
    assert_null(done);
    clReleaseEvent(failed);
    release(&scan);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ commands that wait for the caller */

/* A blocking read waits for its own call only: the queue may hold commands that wait for the caller. */
static void test_read_beside_gated_command(void **state)
{
    gp_context *maker = test_open(&test_variants[0], NULL), *gp;
    gp_context_desc desc = {0};
    gp_reduce_desc reduce = {0};
    gp_scan_desc input;
    uint64_t sum = 0;
    uint32_t value;
    cl_event gate, gated;
    cl_int error;
    (void)state;
    desc.queue = make_queue(maker, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    if (desc.queue && !test_small()) {
        gp = open_with(&desc);
        input = ones(gp, COUNT);
        gate = clCreateUserEvent(gp_cl_context(gp), &error);
        assert_int_equal(error, CL_SUCCESS);
        assert_int_equal(clEnqueueReadBuffer(desc.queue, input.out, CL_FALSE, 0, 4, &value, 1, &gate, &gated),
                         CL_SUCCESS);
        reduce.in = input.in;
        reduce.count = COUNT;
        reduce.type = GP_U32;
        reduce.op = GP_SUM;
        assert_gp(gp, gp_reduce_read(gp, &reduce, &sum));
        assert_int_equal(sum, COUNT);
        assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
        assert_int_equal(clWaitForEvents(1, &gated), CL_SUCCESS);
        clReleaseEvent(gate);
        clReleaseEvent(gated);
        release(&input);
        gp_context_destroy(gp);
    }
    if (desc.queue) clReleaseCommandQueue(desc.queue);
    gp_context_destroy(maker);
}

/* However many calls wait for the caller, the next one does not block; with profiling neither. */
static void test_many_gated_calls(void **state)
{
    gp_context_desc desc = {0};
    gp_context *gp;
    gp_scan_desc scan;
    cl_event gate;
    cl_int error;
    int k;
    (void)state;
    if (test_small()) return; /* Oclgrind runs commands in the enqueuing thread */
    desc.profile = true;
    gp = open_with(&desc);
    scan = ones(gp, 100);
    gate = clCreateUserEvent(gp_cl_context(gp), &error);
    assert_int_equal(error, CL_SUCCESS);
    scan.wait = &gate;
    scan.wait_count = 1;
    for (k = 0; k < 700; k++) assert_gp(gp, gp_scan(gp, &scan));
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_gp(gp, gp_finish(gp));
    assert_scanned(gp, scan.out, 100);
    clReleaseEvent(gate);
    release(&scan);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ programs */

static char log_text[4096];

static void remember(gp_log_level level, const char *text, void *user)
{
    (void)level;
    (void)user;
    (void)snprintf(log_text + strlen(log_text), sizeof log_text - strlen(log_text), "%s\n", text);
}

static void make_folder(char *folder, size_t size)
{
    (void)snprintf(folder, size, "build/test_cache_XXXXXX");
    if (!mkdtemp(folder)) fail_msg("no folder %s", folder);
}

/* Calls visit on every file of the folder, and removes it if that returns true. */
static int each_file(const char *folder, bool (*visit)(const char *path))
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int files = 0;
    if (!dir) return -1;
    while ((entry = readdir(dir)) != NULL) {
        char path[1024];
        if (entry->d_name[0] == '.') continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        files++;
        if (visit(path)) (void)remove(path);
    }
    closedir(dir);
    return files;
}

static bool keep(const char *path)
{
    (void)path;
    return false;
}

static bool drop(const char *path)
{
    (void)path;
    return true;
}

static void remove_folder(const char *folder)
{
    (void)each_file(folder, drop);
    (void)rmdir(folder);
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
static gp_profile run_with_cache(const char *folder)
{
    gp_context_desc desc = {0};
    gp_context *gp;
    gp_profile profile;
    desc.cache_dir = folder;
    desc.log = remember;
    log_text[0] = '\0';
    gp = open_with(&desc);
    scan_ones(gp, COUNT);
    profile = profile_of(gp);
    gp_context_destroy(gp);
    return profile;
}

/* The second start builds nothing; a damaged, cut or foreign file is dropped and rebuilt. */
static void test_disk_cache(void **state)
{
    static bool (*const spoil[])(const char *) = {damage, truncate_half, replace_by_text};
    char folder[64];
    gp_profile profile;
    size_t k;
    (void)state;
    make_folder(folder, sizeof folder);
    profile = run_with_cache(folder);
    assert_int_equal(profile.programs_built, 1);
    assert_int_equal(profile.programs_saved, 1);
    assert_int_equal(each_file(folder, keep), 1);
    profile = run_with_cache(folder);
    assert_int_equal(profile.programs_built, 0);
    assert_int_equal(profile.programs_loaded, 1);
    assert_int_equal(profile.programs_saved, 0);
    for (k = 0; k < sizeof spoil / sizeof *spoil; k++) {
        assert_int_equal(each_file(folder, spoil[k]), 1);
        profile = run_with_cache(folder);
        assert_int_equal(profile.programs_built, 1);
        assert_non_null(strstr(log_text, "damaged or foreign"));
        assert_int_equal(run_with_cache(folder).programs_built, 0);
    }
    remove_folder(folder);
}

/* No cache wanted: nothing is written. A folder that cannot be written: a warning, and the call works. */
static void test_no_disk_cache(void **state)
{
    char folder[64];
    gp_context_desc desc = {0};
    gp_context *gp;
    gp_profile profile;
    (void)state;
    make_folder(folder, sizeof folder);
    desc.cache_dir = folder;
    desc.no_disk_cache = true;
    gp = open_with(&desc);
    scan_ones(gp, COUNT);
    gp_context_destroy(gp);
    assert_int_equal(each_file(folder, keep), 0);
    remove_folder(folder);
    profile = run_with_cache("/proc/gpuprim");
    assert_int_equal(profile.programs_built, 1);
    assert_int_equal(profile.programs_saved, 0);
    assert_non_null(strstr(log_text, "cannot write /proc/gpuprim"));
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
    gp_profile before, after;
    (void)state;
    make_folder(folder, sizeof folder);
    desc.cache_dir = folder;
    gp = open_with(&desc);
    reduce.type = scan.type = GP_U32;
    reduce.op = scan.op = GP_SUM;
    warmup.reduce = &reduce;
    warmup.scan = &scan;
    assert_gp(gp, gp_warmup(gp, &warmup));
    before = profile_of(gp);
    assert_int_equal(before.programs_built, 2);
    assert_int_equal(before.programs_saved, 2);
    scan_ones(gp, 100);
    scan_ones(gp, COUNT);
    after = profile_of(gp);
    assert_int_equal(after.programs_built, 2);
    assert_int_equal(after.programs_saved, 2);
    gp_context_destroy(gp);
    remove_folder(folder);
}

/* A second queue on the same cl_context starts with the first one's programs. */
static void test_share(void **state)
{
    gp_context *first = test_open(&test_variants[0], NULL), *second;
    gp_context_desc desc = {0};
    gp_profile profile;
    (void)state;
    scan_ones(first, COUNT);
    desc.share = first;
    desc.no_disk_cache = true;
    second = open_with(&desc);
    gp_context_destroy(first);
    assert_ptr_not_equal(gp_cl_queue(second), NULL);
    scan_ones(second, COUNT);
    profile = profile_of(second);
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
        true};
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
    first = open_with(&desc);
    assert_int_equal(reduce_with_macro(first), 13);
    desc.build_options = "-DGPU_K=20";
    desc.share = first;
    second = open_with(&desc);
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
                                 true};
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

/* Sources and binaries of what was built. */
static void test_dump(void **state)
{
    char folder[64];
    gp_context_desc desc = {0};
    gp_context *gp;
    (void)state;
    make_folder(folder, sizeof folder);
    desc.dump_dir = folder;
    desc.no_disk_cache = true;
    gp = open_with(&desc);
    scan_ones(gp, COUNT);
    gp_context_destroy(gp);
    assert_int_equal(each_file(folder, keep), 2);
    remove_folder(folder);
}

/* ------------------------------------------------------------------ profile */

static void test_profile(void **state)
{
    gp_context_desc desc = {0};
    gp_kernel_profile kernels[16];
    gp_context *gp;
    gp_profile profile;
    size_t count = 0, k;
    bool found = false;
    (void)state;
    desc.profile = true;
    desc.strategy = GP_STRATEGY_MULTI_PASS;
    gp = open_with(&desc);
    for (k = 0; k < 600; k++) scan_ones(gp, 100); /* more than are kept in flight */
    assert_gp(gp, gp_profile_kernels(gp, kernels, 16, &count));
    for (k = 0; k < count && k < 16; k++) {
        if (strcmp(kernels[k].name, "gp_scan_downsweep") != 0) continue;
        found = true;
        assert_int_equal(kernels[k].launches, 600);
        assert_true(kernels[k].min_ns <= kernels[k].max_ns && kernels[k].max_ns <= kernels[k].total_ns);
    }
    assert_true(found);
    profile = profile_of(gp);
    assert_int_equal(profile.launches, 600);
    assert_gp(gp, gp_profile_reset(gp));
    assert_gp(gp, gp_profile_kernels(gp, NULL, 0, &count));
    assert_int_equal(count, 0);
    assert_int_equal(profile_of(gp).launches, 0);
    gp_context_destroy(gp);
}

/* Many calls: scratch and programs do not grow. */
static void test_no_growth(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    gp_scan_desc desc = ones(gp, COUNT);
    gp_profile before, after;
    int k;
    (void)state;
    assert_gp(gp, gp_scan(gp, &desc));
    before = profile_of(gp);
    for (k = 0; k < (test_small() ? 3 : 2000); k++) assert_gp(gp, gp_scan(gp, &desc));
    assert_scanned(gp, desc.out, COUNT);
    after = profile_of(gp);
    assert_int_equal(before.scratch_bytes, after.scratch_bytes);
    assert_int_equal(before.programs_built + before.programs_loaded,
                     after.programs_built + after.programs_loaded);
    release(&desc);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_device_choice),
        cmocka_unit_test(test_own_objects),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_async_error),
        cmocka_unit_test(test_failed_wait),
        cmocka_unit_test(test_read_beside_gated_command),
        cmocka_unit_test(test_many_gated_calls),
        cmocka_unit_test(test_share_other_options),
        cmocka_unit_test(test_warmup_trusting_monoid),
        cmocka_unit_test(test_disk_cache),
        cmocka_unit_test(test_no_disk_cache),
        cmocka_unit_test(test_warmup),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_dump),
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_no_growth),
    };
    return cmocka_run_group_tests_name("context", tests, NULL, NULL);
}
