/* test_scratch.c - scratch from a pool of the caller's: given back when nothing uses it, and not before; its
   limit; statistics. */
#include "../support/support.h"

enum { POOL_MAX = 64, SMALL = 5000, LARGE = 200000 };

typedef struct pool {
    cl_context context;
    cl_mem whole; /* buffers are parts of it; NULL: buffers of their own */
    size_t at;
    cl_mem_flags flags;
    size_t short_by; /* bytes */
    bool dry;
    cl_mem out[POOL_MAX]; /* handed out */
    size_t allocs, frees, strangers;
} pool;

static cl_mem pool_alloc(size_t bytes, void *user)
{
    pool *p = user;
    cl_mem buffer;
    size_t k = 0;
    if (p->dry) return NULL;
    if (p->whole) {
        const cl_buffer_region region = {p->at, bytes - p->short_by};
        buffer = clCreateSubBuffer(p->whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
        p->at += (bytes + 4095) / 4096 * 4096;
    } else {
        buffer = clCreateBuffer(p->context, p->flags, bytes - p->short_by, NULL, NULL);
    }
    assert_non_null(buffer);
    while (p->out[k]) k++;
    p->out[k] = buffer;
    p->allocs++;
    return buffer;
}

static void pool_free(cl_mem buffer, void *user)
{
    pool *p = user;
    size_t k = 0;
    while (k < POOL_MAX && p->out[k] != buffer) k++;
    if (k == POOL_MAX) p->strangers++;
    else p->out[k] = NULL;
    p->frees++;
    clReleaseMemObject(buffer);
}

static pool pool_make(void)
{
    gp_context *any = test_open(&test_variants[0], NULL); /* on the cl_context that all have */
    pool p = {0};
    p.context = gp_cl_context(any);
    p.flags = CL_MEM_READ_WRITE;
    gp_context_destroy(any);
    return p;
}

static gp_context *open_with_pool(pool *p, size_t limit)
{
    gp_context_desc desc = {.scratch_alloc = pool_alloc, .scratch_free = pool_free, .scratch_user = p};
    desc.scratch_limit = limit;
    desc.tuning.tile = 16; /* many tiles: scratch is needed */
    desc.tuning.shape = GP_SHAPE_SERIAL;
    return test_open_if(&desc);
}

static size_t scratch_of(gp_context *gp, size_t count)
{
    gp_scan_desc desc = test_ones(gp, count);
    size_t bytes = 0;
    assert_gp(gp, gp_scan_scratch_size(gp, &desc, &bytes));
    test_release(&desc);
    return bytes;
}

/* ------------------------------------------------------------------ pool */

static void test_pool(void **state)
{
    pool p = pool_make();
    gp_context *gp = open_with_pool(&p, 0);
    gp_stats stats;
    (void)state;
    if (!gp) skip();
    test_scan_ones(gp, SMALL);
    test_scan_ones(gp, SMALL);
    assert_int_equal(p.allocs, 1);
    assert_int_equal(p.frees, 0);
    test_scan_ones(gp, LARGE); /* grows */
    assert_gp(gp, gp_finish(gp));
    assert_int_equal(p.allocs, 2);
    assert_int_equal(p.frees, 1);
    assert_gp(gp, gp_stats_read(gp, &stats));
    assert_int_equal(stats.scratch_allocs, 2);
    assert_int_equal(stats.scratch_most, scratch_of(gp, LARGE));
    assert_true(stats.scratch_bytes >= stats.scratch_most);
    gp_context_destroy(gp);
    assert_int_equal(p.frees, 2);
    assert_int_equal(p.strangers, 0);
}

/* A call waits for what only its caller can set going: its scratch is not given back while it does. */
static void test_in_use(void **state)
{
    pool p = pool_make();
    gp_context *gp = open_with_pool(&p, 0);
    gp_scan_desc small, large;
    cl_event go;
    size_t k;
    (void)state;
    if (!gp) skip();
    small = test_ones(gp, SMALL);
    large = test_ones(gp, LARGE);
    test_scan_ones(gp, SMALL); /* the program is there */
    go = clCreateUserEvent(gp_cl_context(gp), NULL);
    small.wait = &go;
    small.wait_count = 1;
    assert_gp(gp, gp_scan(gp, &small));
    assert_gp(gp, gp_scan(gp, &large));
    for (k = 0; k < 3; k++) assert_gp(gp, gp_scan(gp, &large));
    assert_int_equal(p.allocs, 2);
    assert_int_equal(p.frees, 0);
    assert_int_equal(clSetUserEventStatus(go, CL_COMPLETE), CL_SUCCESS);
    assert_gp(gp, gp_finish(gp));
    assert_int_equal(p.frees, 1);
    assert_scanned(gp, small.out, SMALL);
    assert_scanned(gp, large.out, LARGE);
    clReleaseEvent(go);
    test_release(&small);
    test_release(&large);
    gp_context_destroy(gp);
    assert_int_equal(p.frees, 2);
}

static cl_event make_event(gp_context *gp)
{
    cl_int error;
    const cl_event event = clCreateUserEvent(gp_cl_context(gp), &error);
    assert_int_equal(error, CL_SUCCESS);
    return event;
}

/* A call waits with the scratch. The next one waits for it and for an event, and fails with that at once: the first one
   keeps the scratch, though the last call that was given it has ended. */
static void check_failed_next(pool *p, gp_context *gp)
{
    gp_scan_desc first = test_ones(gp, LARGE), second = first, third = test_ones(gp, LARGE);
    cl_event go = make_event(gp), failing = make_event(gp), done;
    cl_int status = CL_QUEUED;
    size_t allocs;
    assert_gp(gp, gp_scan(gp, &first)); /* the program is there */
    assert_gp(gp, gp_finish(gp));
    allocs = p->allocs;
    second.out = test_buffer(gp, LARGE * 4, NULL);
    first.wait = third.wait = &go;
    second.wait = &failing;
    first.wait_count = second.wait_count = third.wait_count = 1;
    second.done = &done;
    assert_gp(gp, gp_scan(gp, &first));
    assert_gp(gp, gp_scan(gp, &second));
    assert_int_equal(clSetUserEventStatus(failing, -5), CL_SUCCESS);
    clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    if (status < 0) { /* some implementations have it wait for the first one */
        assert_gp(gp, gp_scan(gp, &third));
        assert_gp(gp, gp_scan(gp, &third));
        assert_int_equal(p->allocs, allocs + 1);
        assert_int_equal(p->frees, allocs - 1);
    }
    assert_int_equal(clSetUserEventStatus(go, CL_COMPLETE), CL_SUCCESS);
    clFinish(gp_cl_queue(gp));
    if (status < 0) {
        assert_scanned(gp, first.out, LARGE);
        assert_scanned(gp, third.out, LARGE);
    }
    assert_gp_fails(gp, gp_finish(gp), GP_ERROR_OPENCL, "gp_scan: ");
    clReleaseEvent(go);
    clReleaseEvent(failing);
    clReleaseEvent(done);
    clReleaseMemObject(second.out);
    test_release(&first);
    test_release(&third);
}

static void test_failed_next(void **state)
{
    pool p = pool_make();
    gp_context_desc desc = {.scratch_alloc = pool_alloc, .scratch_free = pool_free, .scratch_user = &p};
    gp_context *maker = test_open(&test_variants[0], NULL), *gp;
    cl_int error;
    (void)state;
    desc.queue = clCreateCommandQueue(gp_cl_context(maker), gp_cl_device(maker),
                                      CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    /* Oclgrind runs what has failed; Intel's CPU runtime crashes or hangs */
    gp = error == CL_SUCCESS && !test_small() && !strstr(gp_context_info(maker)->platform_name, "Intel")
             ? test_open_if(&desc)
             : NULL;
    if (gp) {
        check_failed_next(&p, gp);
        gp_context_destroy(gp);
        assert_int_equal(p.allocs, p.frees);
        assert_int_equal(p.strangers, 0);
    }
    if (error == CL_SUCCESS) clReleaseCommandQueue(desc.queue);
    gp_context_destroy(maker);
}

/* Parts of one buffer, also for the call that makes parts of its scratch itself. */
static void test_parts(void **state)
{
    static const char text[] = "pearappleplumfigappleorange";
    const uint32_t offsets[] = {0, 4, 9, 13, 16, 21, 27}, wanted[] = {1, 4, 3, 5, 0, 2};
    pool p = pool_make();
    gp_context *gp;
    gp_sort_strings_desc sort = {.count = 6, .offsets_type = GP_U32};
    uint32_t *found;
    (void)state;
    gp = open_with_pool(&p, 0);
    if (!gp) skip();
    p.whole = clCreateBuffer(p.context, CL_MEM_READ_WRITE, 1 << 24, NULL, NULL);
    sort.bytes = test_buffer(gp, sizeof text, text);
    sort.byte_count = sizeof text - 1;
    sort.offsets = test_buffer(gp, sizeof offsets, offsets);
    sort.out = test_buffer(gp, sizeof wanted, NULL);
    assert_gp(gp, gp_sort_strings(gp, &sort));
    found = test_read(gp, sort.out, sizeof wanted);
    assert_memory_equal(found, wanted, sizeof wanted);
    free(found);
    test_scan_ones(gp, SMALL);
    clReleaseMemObject(sort.bytes);
    clReleaseMemObject(sort.offsets);
    clReleaseMemObject(sort.out);
    gp_context_destroy(gp);
    assert_int_equal(p.allocs, p.frees);
    assert_int_equal(p.strangers, 0);
    clReleaseMemObject(p.whole);
}

/* ------------------------------------------------------------------ failures */

static void test_bad_pools(void **state)
{
    pool p = pool_make();
    gp_context_desc half = {.scratch_alloc = pool_alloc, .scratch_user = &p};
    gp_context *gp = open_with_pool(&p, 0), *none;
    gp_scan_desc scan;
    (void)state;
    if (!gp) skip();
    assert_int_equal(gp_context_create(&half, &none), GP_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(gp_last_error(NULL), "scratch_alloc and scratch_free: give both or neither"));
    scan = test_ones(gp, SMALL);
    p.dry = true;
    assert_gp_fails(gp, gp_scan(gp, &scan), GP_ERROR_OUT_OF_DEVICE_MEMORY, "gp_scan: scratch_alloc has no");
    p.dry = false;
    p.short_by = 4;
    assert_gp_fails(gp, gp_scan(gp, &scan), GP_ERROR_INVALID_BUFFER, "what scratch_alloc gave has");
    p.short_by = 0;
    p.flags = CL_MEM_READ_ONLY;
    assert_gp_fails(gp, gp_scan(gp, &scan), GP_ERROR_INVALID_BUFFER, "was created CL_MEM_READ_ONLY");
    p.flags = CL_MEM_READ_WRITE;
    assert_int_equal(p.allocs, p.frees);
    assert_gp(gp, gp_scan(gp, &scan));
    assert_scanned(gp, scan.out, SMALL);
    /* what there is stays, when no more is to be had */
    p.dry = true;
    test_release(&scan);
    scan = test_ones(gp, LARGE);
    assert_gp_fails(gp, gp_scan(gp, &scan), GP_ERROR_OUT_OF_DEVICE_MEMORY, "scratch_alloc has no");
    test_release(&scan);
    test_scan_ones(gp, SMALL);
    gp_context_destroy(gp);
    assert_int_equal(p.allocs, p.frees);
    assert_int_equal(p.strangers, 0);
}

static void test_limit(void **state)
{
    pool p = pool_make();
    gp_context *gp = open_with_pool(&p, 0);
    gp_context_desc desc = {.tuning = {.shape = GP_SHAPE_SERIAL, .tile = 16}};
    gp_stats stats;
    size_t needed;
    (void)state;
    if (!gp) skip();
    needed = scratch_of(gp, SMALL);
    gp_context_destroy(gp);
    desc.scratch_limit = needed;
    gp = test_open_if(&desc);
    test_scan_ones(gp, SMALL);
    assert_gp(gp, gp_stats_read(gp, &stats));
    assert_int_equal(stats.scratch_bytes, needed); /* not rounded up beyond it */
    gp_context_destroy(gp);
    desc.scratch_limit = needed - 1;
    gp = test_open_if(&desc);
    {
        gp_scan_desc scan = test_ones(gp, SMALL);
        char text[64];
        (void)snprintf(text, sizeof text, "%zu bytes of scratch, and scratch_limit is %zu", needed,
                       needed - 1);
        assert_gp_fails(gp, gp_scan(gp, &scan), GP_ERROR_OUT_OF_DEVICE_MEMORY, text);
        scan.scratch = test_buffer(gp, needed, NULL); /* the caller's own does not count */
        assert_gp(gp, gp_scan(gp, &scan));
        assert_scanned(gp, scan.out, SMALL);
        clReleaseMemObject(scan.scratch);
        test_release(&scan);
    }
    test_scan_ones(gp, 10);
    gp_context_destroy(gp);
}

/* The self-test leaves no scratch behind, in a pool either. */
static void test_self(void **state)
{
    pool p = pool_make();
    gp_context *gp = open_with_pool(&p, 0);
    const gp_self_test_desc desc = {.filter = "scan", .count = 5000};
    (void)state;
    if (!gp) skip();
    assert_gp(gp, gp_self_test(gp, &desc));
    assert_gp(gp, gp_finish(gp));
    assert_int_equal(p.allocs, p.frees);
    gp_context_destroy(gp);
    assert_int_equal(p.allocs, p.frees);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool),  cmocka_unit_test(test_in_use),    cmocka_unit_test(test_failed_next),
        cmocka_unit_test(test_parts), cmocka_unit_test(test_bad_pools), cmocka_unit_test(test_limit),
        cmocka_unit_test(test_self),
    };
    return cmocka_run_group_tests_name("scratch", tests, NULL, NULL);
}
