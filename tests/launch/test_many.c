/* test_many.c - very many calls: neither memory nor objects grow, whether or not anybody waits in between,
   and calls that the caller holds up block nobody.

   GPUPRIM_TEST_CALLS   scans in a row, and sorts; `make test-million` sets it */
#include <time.h>

#include "../support/support.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#endif

enum { COUNT = 1000, IN_FLIGHT = 1000, GROWTH_MAX = 4096 /* KiB */ };

static long call_count(const gp_context *gp)
{
    const char *wanted = getenv("GPUPRIM_TEST_CALLS");
    if (wanted && *wanted) return atol(wanted);
    return test_small() ? 100 : test_builds_are_cheap(gp) ? 5000 : 100000;
}

/* KiB of this process in memory; 0 where it cannot be told, or where the allocator keeps what is freed. */
static long resident(void)
{
    long pages = 0;
#if !defined(SANITIZED)
    FILE *file = fopen("/proc/self/statm", "r");
    if (file) {
        if (fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
        fclose(file);
    }
#endif
    return pages * 4;
}

/* References to the caller's buffers, and to the context's objects. */
typedef struct references {
    cl_uint in, out, context, queue;
} references;

static references references_of(gp_context *gp, const gp_scan_desc *scan)
{
    references r = {0, 0, 0, 0};
    assert_gp(gp, gp_finish(gp));
    clGetMemObjectInfo(scan->in, CL_MEM_REFERENCE_COUNT, sizeof r.in, &r.in, NULL);
    clGetMemObjectInfo(scan->out, CL_MEM_REFERENCE_COUNT, sizeof r.out, &r.out, NULL);
    clGetContextInfo(gp_cl_context(gp), CL_CONTEXT_REFERENCE_COUNT, sizeof r.context, &r.context, NULL);
    clGetCommandQueueInfo(gp_cl_queue(gp), CL_QUEUE_REFERENCE_COUNT, sizeof r.queue, &r.queue, NULL);
    return r;
}

static bool any_more(const references *a, const references *b)
{
    return a->in > b->in || a->out > b->out || a->context > b->context || a->queue > b->queue;
}

/* Nothing holds on to more than before. Mesa and PoCL let go of a command a little after its end: a thread of theirs
   does it, which a busy machine may keep waiting. */
static void assert_released(gp_context *gp, const gp_scan_desc *scan, const references *before)
{
    const time_t begin = time(NULL);
    references after = references_of(gp, scan);
    while (any_more(&after, before) && difftime(time(NULL), begin) < 30) after = references_of(gp, scan);
    assert_false(any_more(&after, before));
}

/* `count` scans of COUNT ones; gp_finish after each `every`, if that is not 0. Memory may grow in the first
   tenth only. */
static void scan_many(gp_context *gp, long count, long every)
{
    gp_scan_desc scan = test_ones(gp, COUNT);
    const time_t begin = time(NULL);
    references before;
    long early = 0, late, k;
    assert_gp(gp, gp_scan(gp, &scan));
    before = references_of(gp, &scan);
    for (k = 1; k <= count; k++) {
        assert_gp(gp, gp_scan(gp, &scan));
        if (every && k % every == 0) assert_gp(gp, gp_finish(gp));
        if (k == count / 10) early = resident();
    }
    late = resident();
    print_message(
        "%ld scans of %d, gp_finish after each %ld: %ld KiB after a tenth, %ld at the end, %.0f s\n", count,
        COUNT, every, early, late, difftime(time(NULL), begin));
    assert_true(late - early <= GROWTH_MAX);
    assert_released(gp, &scan, &before);
    assert_scanned(gp, scan.out, COUNT);
    test_release(&scan);
}

static void test_without_waiting(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    (void)state;
    scan_many(gp, call_count(gp), 0);
    gp_context_destroy(gp);
}

static void test_with_finish(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    (void)state;
    scan_many(gp, call_count(gp), 1000);
    gp_context_destroy(gp);
}

/* The same with profiling, whose times are read from every event. */
static void test_with_profile(void **state)
{
    gp_context_desc desc = {0};
    gp_context *gp;
    (void)state;
    desc.profile = true;
    gp = test_open_with(&desc);
    scan_many(gp, call_count(gp) / 10, 0);
    assert_int_equal(test_profile_of(gp).launches, call_count(gp) / 10 + 1);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ sorts */

enum { SORT_MOST = 5000 };

/* The first `count` keys have been sorted stably: in order, each with its index, equal ones by index. */
static void assert_sorted(gp_context *gp, const gp_sort_desc *sort, const uint32_t *keys)
{
    uint32_t *out = test_read(gp, sort->keys_out, sort->count * 4);
    uint32_t *index = test_read(gp, sort->values_out, sort->count * 4);
    size_t i;
    for (i = 0; i < sort->count; i++) {
        assert_true(index[i] < sort->count && keys[index[i]] == out[i]);
        if (i == 0 || out[i - 1] < out[i]) continue;
        assert_true(out[i - 1] == out[i] && index[i - 1] < index[i]);
    }
    free(index);
    free(out);
}

/* Sorts of random sizes, without a wait but to look at each hundredth: a tenth as many as scans, unless told. */
static void test_sorts(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    const long count = getenv("GPUPRIM_TEST_CALLS") ? call_count(gp) : call_count(gp) / 10;
    const time_t begin = time(NULL);
    uint32_t keys[SORT_MOST];
    gp_sort_desc sort = {0};
    long early = 0, k;
    size_t i;
    (void)state;
    for (i = 0; i < SORT_MOST; i++) keys[i] = test_random() & test_random();
    sort.keys = test_buffer(gp, sizeof keys, keys);
    sort.keys_out = test_buffer(gp, sizeof keys, NULL);
    sort.values_out = test_buffer(gp, sizeof keys, NULL);
    sort.key_type = GP_U32;
    sort.count = SORT_MOST;
    assert_gp(gp, gp_argsort(gp, &sort)); /* builds the program, */
    assert_gp(gp, gp_finish(gp));         /* and saves it: megabytes, once */
    for (k = 1; k <= count; k++) {
        sort.count = test_random() % (SORT_MOST + 1);
        assert_gp(gp, gp_argsort(gp, &sort));
        if (k % 100 == 0 && sort.count > 0) assert_sorted(gp, &sort, keys);
        if (k == count / 10) early = resident();
    }
    assert_gp(gp, gp_finish(gp));
    print_message("%ld sorts of up to %d: %ld KiB after a tenth, %ld at the end, %.0f s\n", count, SORT_MOST,
                  early, resident(), difftime(time(NULL), begin));
    /* Fewer calls than may be in flight are still taking memory. */
    if (count >= 10 * IN_FLIGHT) assert_true(resident() - early <= GROWTH_MAX);
    clReleaseMemObject(sort.keys);
    clReleaseMemObject(sort.keys_out);
    clReleaseMemObject(sort.values_out);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ held up by the caller */

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

/* A context on a queue of its own with these properties; NULL where there are none such. */
static gp_context *open_queue(cl_command_queue_properties properties)
{
    gp_context *maker = test_open(&test_variants[0], NULL), *gp;
    gp_context_desc desc = {0};
    cl_int error;
    desc.queue = clCreateCommandQueue(gp_cl_context(maker), gp_cl_device(maker), properties, &error);
    gp = error == CL_SUCCESS ? test_open_with(&desc) : NULL;
    if (error == CL_SUCCESS) clReleaseCommandQueue(desc.queue);
    gp_context_destroy(maker);
    return gp;
}

/* More calls than may be in flight, all behind an event that is set only after the last of them has
   returned: were one to wait, this test would never end. */
static void scan_gated(cl_command_queue_properties properties)
{
    gp_context *gp = open_queue(properties);
    gp_scan_desc scan;
    cl_event gate;
    cl_int error;
    int k;
    if (!gp) return;
    scan = test_ones(gp, COUNT);
    gate = clCreateUserEvent(gp_cl_context(gp), &error);
    assert_int_equal(error, CL_SUCCESS);
    scan.wait = &gate;
    scan.wait_count = 1;
    for (k = 0; k < 5000; k++) {
        /* in order, the first one holds up all */
        if (k == 1 && !properties) scan.wait_count = 0, scan.wait = NULL;
        assert_gp(gp, gp_scan(gp, &scan));
    }
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_gp(gp, gp_finish(gp));
    assert_scanned(gp, scan.out, COUNT);
    clReleaseEvent(gate);
    test_release(&scan);
    gp_context_destroy(gp);
}

static void test_gated_in_order(void **state)
{
    (void)state;
    if (!test_small()) scan_gated(0); /* Oclgrind runs commands in the enqueuing thread */
}

static void test_gated_out_of_order(void **state)
{
    (void)state;
    if (!test_small()) scan_gated(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* One call that is held up does not keep the others from being counted, waited for and let go. */
static void test_one_gated_among_many(void **state)
{
    gp_context *gp = test_small() ? NULL : open_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    gp_scan_desc scan, held;
    cl_event gate, done;
    cl_int error;
    (void)state;
    if (!gp) return;
    held = scan = test_ones(gp, COUNT);
    held.out = test_buffer(gp, COUNT * 4, NULL);
    gate = clCreateUserEvent(gp_cl_context(gp), &error);
    assert_int_equal(error, CL_SUCCESS);
    held.wait = &gate;
    held.wait_count = 1;
    held.done = &done;
    assert_gp(gp, gp_scan(gp, &held));
    {
        const long count = call_count(gp) / 5;
        long early = 0, k;
        for (k = 0; k < count; k++) {
            assert_gp(gp, gp_scan(gp, &scan));
            if (k == count / 4) early = resident();
        }
        assert_true(resident() - early <= GROWTH_MAX);
    }
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    assert_scanned(gp, held.out, COUNT);
    clReleaseEvent(gate);
    clReleaseEvent(done);
    clReleaseMemObject(held.out);
    test_release(&scan);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_waiting),      cmocka_unit_test(test_with_finish),
        cmocka_unit_test(test_with_profile),         cmocka_unit_test(test_sorts),
        cmocka_unit_test(test_gated_in_order),       cmocka_unit_test(test_gated_out_of_order),
        cmocka_unit_test(test_one_gated_among_many),
    };
    return cmocka_run_group_tests_name("many", tests, NULL, NULL);
}
