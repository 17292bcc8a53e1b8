/* test_async.c - calls that fail after they were enqueued: as each implementation tells of it, and what an
   on_async_error handler may do. */
#include "../support/support.h"

/* Several tiles on every device, and more calls than the list of commands has room for at first. */
enum { COUNT = 40000, CALLS = 100 };

/* ------------------------------------------------------------------ implementations, by their habits */

/* Linked in place of OpenCL's (Makefile). Mesa 25: clFinish fails, too, once for each failure. */
static cl_int finish_returns;

/* Intel's CPU runtime: the event of a command that was skipped says CL_COMPLETE. */
static bool hides_failures;

/* The next read that does not block fails after it was enqueued. */
static bool read_fails;

cl_int __wrap_clFinish(cl_command_queue queue);
cl_int __real_clFinish(cl_command_queue queue);
cl_int __wrap_clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *value, size_t *size_out);
cl_int __real_clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *value, size_t *size_out);

cl_int __wrap_clFinish(cl_command_queue queue)
{
    const cl_int error = __real_clFinish(queue), returned = error ? error : finish_returns;
    finish_returns = CL_SUCCESS;
    return returned;
}

cl_int __wrap_clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *value, size_t *size_out)
{
    const cl_int error = __real_clGetEventInfo(event, what, size, value, size_out);
    if (error == CL_SUCCESS && what == CL_EVENT_COMMAND_EXECUTION_STATUS && hides_failures &&
        *(cl_int *)value < 0)
        *(cl_int *)value = CL_COMPLETE;
    return error;
}

cl_int __wrap_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                  size_t size, void *to, cl_uint wait_count, const cl_event *wait,
                                  cl_event *event);
cl_int __real_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                  size_t size, void *to, cl_uint wait_count, const cl_event *wait,
                                  cl_event *event);

cl_int __wrap_clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                  size_t size, void *to, cl_uint wait_count, const cl_event *wait,
                                  cl_event *event)
{
    cl_context context;
    cl_event failed;
    cl_int error;
    if (blocking || !read_fails)
        return __real_clEnqueueReadBuffer(queue, buffer, blocking, offset, size, to, wait_count, wait, event);
    read_fails = false;
    error = clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof context, &context, NULL);
    if (error != CL_SUCCESS) return error;
    failed = clCreateUserEvent(context, &error);
    if (error != CL_SUCCESS) return error;
    error = clSetUserEventStatus(failed, -5);
    if (event) *event = failed;
    else clReleaseEvent(failed);
    return error;
}

static int without_habits(void **state)
{
    (void)state;
    read_fails = false;
    finish_returns = CL_SUCCESS;
    hides_failures = false;
    return 0;
}

/* ------------------------------------------------------------------ calls that fail */

static cl_event make_gate(gp_context *gp)
{
    cl_int error;
    const cl_event gate = clCreateUserEvent(gp_cl_context(gp), &error);
    assert_int_equal(error, CL_SUCCESS);
    return gate;
}

/* `count` scans that wait for one event, which then fails. */
static void scan_in_vain(gp_context *gp, size_t count)
{
    cl_event gate = make_gate(gp);
    gp_scan_desc scan = test_ones(gp, 100);
    size_t i;
    scan.wait = &gate;
    scan.wait_count = 1;
    for (i = 0; i < count; i++) assert_gp(gp, gp_scan(gp, &scan));
    assert_int_equal(clSetUserEventStatus(gate, -5), CL_SUCCESS);
    clReleaseEvent(gate);
    test_release(&scan);
}

/* ------------------------------------------------------------------ as gp_finish tells */

static void check_told_once(gp_context *gp)
{
    assert_gp_fails(gp, gp_finish(gp), GP_ERROR_OPENCL, "gp_scan: ");
    assert_gp(gp, gp_finish(gp));
    assert_gp(gp, gp_finish(gp));
    test_scan_ones(gp, COUNT);
}

static void test_told_once(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    (void)state;
    scan_in_vain(gp, 1);
    check_told_once(gp);
    scan_in_vain(gp, 1);
    finish_returns = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    check_told_once(gp);
    finish_returns = CL_OUT_OF_RESOURCES; /* without a command that failed */
    assert_gp_fails(gp, gp_finish(gp), GP_ERROR_OUT_OF_DEVICE_MEMORY, "clFinish");
    assert_gp(gp, gp_finish(gp));
    gp_context_destroy(gp);
}

/* A command that was skipped and says CL_COMPLETE has failed: for gp_finish, and for a blocking read. */
static void test_skipped(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    gp_scan_desc input = test_ones(gp, COUNT);
    gp_reduce_desc reduce = {0};
    uint64_t sum = 0;
    (void)state;
    hides_failures = true;
    scan_in_vain(gp, CALLS);
    check_told_once(gp);
    scan_in_vain(gp, 1);
    reduce.in = input.in;
    reduce.count = COUNT;
    reduce.type = GP_U32;
    reduce.op = GP_SUM;
    assert_gp_fails(gp, gp_reduce_read(gp, &reduce, &sum), GP_ERROR_OPENCL, "gp_scan: ");
    assert_gp(gp, gp_reduce_read(gp, &reduce, &sum));
    assert_int_equal(sum, COUNT);
    assert_gp(gp, gp_finish(gp));
    test_release(&input);
    gp_context_destroy(gp);
}

/* A call of several commands: when what it waits for fails, the later ones don't run on what the first ones
   have not written. */
static void test_nothing_runs(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    gp_scan_desc scan = test_ones(gp, COUNT);
    cl_event gate = make_gate(gp);
    unsigned char *out;
    size_t i;
    (void)state;
    scan.strategy = GP_STRATEGY_MULTI_PASS;
    scan.wait = &gate;
    scan.wait_count = 1;
    assert_gp(gp, gp_scan(gp, &scan));
    assert_int_equal(clSetUserEventStatus(gate, -5), CL_SUCCESS);
    assert_gp_fails(gp, gp_finish(gp), GP_ERROR_OPENCL, "gp_scan: ");
    out = test_read(gp, scan.out, 4 * (size_t)COUNT);
    for (i = 0; i < 4 * (size_t)COUNT; i++) {
        if (out[i] != TEST_POISON) fail_msg("byte %zu of the output was written", i);
    }
    clReleaseEvent(gate);
    test_release(&scan);
    free(out);
    gp_context_destroy(gp);
}

/* A call waits, the next one fails by its own event, and the third one takes what the first one makes: after it, where the
   queue is in order. */
static void test_order(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    gp_scan_desc first = test_ones(gp, COUNT), second = first, third = first;
    cl_event go = make_gate(gp), failing = make_gate(gp), done;
    uint32_t *out;
    size_t i;
    (void)state;
    second.out = test_buffer(gp, 4 * (size_t)COUNT, NULL);
    third.in = first.out;
    third.out = test_buffer(gp, 4 * (size_t)COUNT, NULL);
    assert_gp(gp, gp_scan(gp, &second)); /* the program is there */
    assert_gp(gp, gp_finish(gp));
    first.wait = &go;
    second.wait = &failing;
    first.wait_count = second.wait_count = 1;
    third.done = &done;
    assert_gp(gp, gp_scan(gp, &first));
    assert_gp(gp, gp_scan(gp, &second));
    assert_int_equal(clSetUserEventStatus(failing, -5), CL_SUCCESS);
    assert_gp(gp, gp_scan(gp, &third));
    assert_int_equal(clSetUserEventStatus(go, CL_COMPLETE), CL_SUCCESS);
    if (clWaitForEvents(1, &done) == CL_SUCCESS) { /* Mesa 25: it fails, too */
        out = test_read(gp, third.out, 4 * (size_t)COUNT);
        for (i = 0; i < COUNT; i++) assert_int_equal(out[i], (uint32_t)((i + 1) * (i + 2) / 2));
        free(out);
    }
    assert_gp_fails(gp, gp_finish(gp), GP_ERROR_OPENCL, "gp_scan: ");
    clReleaseEvent(go);
    clReleaseEvent(failing);
    clReleaseEvent(done);
    clReleaseMemObject(second.out);
    clReleaseMemObject(third.out);
    test_release(&first);
    gp_context_destroy(gp);
}

/* gp_finish reads what hash tables have to tell without blocking: where that read fails, it says so, and the
   next one tells. */
static void test_failed_read(void **state)
{
    static const uint32_t zeros[64], key = 5;
    gp_context *gp = test_open(&test_variants[0], NULL);
    gp_hash_desc desc = {0};
    gp_hash_insert_desc insert = {0};
    gp_hash table;
    (void)state;
    desc.key_size = desc.value_size = 4;
    desc.capacity = 8;
    assert_gp(gp, gp_hash_create(gp, &desc, &table));
    assert_gp(gp, gp_finish(gp));
    assert_int_equal(clEnqueueWriteBuffer(gp_cl_queue(gp), gp_hash_buffer(gp, table), CL_TRUE, 0,
                                          sizeof zeros, zeros, 0, NULL, NULL),
                     CL_SUCCESS); /* the table's header */
    insert.keys = insert.values = test_buffer(gp, sizeof key, &key);
    insert.count = 1;
    assert_gp(gp, gp_hash_insert(gp, table, &insert));
    read_fails = true;
    assert_gp_fails(gp, gp_finish(gp), GP_ERROR_OPENCL, "gp_finish: ");
    assert_false(read_fails);
    assert_gp_fails(gp, gp_finish(gp), GP_ERROR_INVALID_BUFFER, "header");
    assert_gp(gp, gp_finish(gp));
    clReleaseMemObject(insert.keys);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ handlers */

typedef struct test_handler {
    gp_context *gp;
    size_t heard;      /* failures */
    size_t more;       /* calls that the handler is still to make in vain */
    int depth, finish; /* how often it is running; whether it calls gp_finish */
} test_handler;

/* Calls whatever it can: also what fills, settles and grows the list of commands. */
static void call_again(gp_result result, const char *text, void *user)
{
    test_handler *handler = user;
    assert_int_equal(result, GP_ERROR_OPENCL);
    assert_non_null(strstr(text, "gp_scan: "));
    assert_int_equal(handler->depth, 0);
    handler->depth++;
    handler->heard++;
    if (handler->heard == 1) test_scan_ones(handler->gp, COUNT);
    if (handler->more > 0) {
        handler->more--;
        scan_in_vain(handler->gp, 1);
    }
    if (handler->finish) (void)gp_finish(handler->gp);
    assert_gp_fails(handler->gp, gp_scan(handler->gp, NULL), GP_ERROR_INVALID_ARGUMENT, "desc");
    handler->depth--;
}

static gp_context *open_with_handler(test_handler *handler)
{
    gp_context_desc desc = {0};
    memset(handler, 0, sizeof *handler);
    desc.on_async_error = call_again;
    desc.async_error_user = handler;
    handler->gp = test_open_with(&desc);
    return handler->gp;
}

/* Each failure is heard once, and gp_finish still returns what it has found. */
static void test_handler_calls(void **state)
{
    test_handler handler;
    gp_context *gp = open_with_handler(&handler);
    (void)state;
    scan_in_vain(gp, CALLS);
    handler.finish = 1;
    assert_gp_fails(gp, gp_finish(gp), GP_ERROR_OPENCL, "gp_scan: ");
    assert_true(handler.heard >= CALLS);
    handler.heard = 1;
    assert_gp(gp, gp_finish(gp));
    assert_int_equal(handler.heard, 1);
    test_scan_ones(gp, COUNT);
    gp_context_destroy(gp);
}

/* Calls of the handler's that fail in turn are heard at a later call: one that always fails ends all the
 * same. */
static void test_handler_fails(void **state)
{
    test_handler handler;
    gp_context *gp = open_with_handler(&handler);
    int finish;
    (void)state;
    for (finish = 0; finish < 2; finish++) {
        handler.heard = 0;
        handler.finish = finish;
        handler.more = 3;
        scan_in_vain(gp, 1);
        assert_gp_fails(gp, gp_finish(gp), GP_ERROR_OPENCL, "gp_scan: ");
        if (!finish) assert_gp_fails(gp, gp_finish(gp), GP_ERROR_OPENCL, "gp_scan: ");
        while (handler.more > 0) (void)gp_finish(gp);
        while (gp_finish(gp) != GP_OK) continue;
        assert_true(handler.heard >= 4);
    }
    gp_context_destroy(gp);
}

/* Without gp_finish, later calls tell, and are right themselves; at the end destroy does. */
static void test_heard_later(void **state)
{
    test_handler handler;
    gp_context *gp = open_with_handler(&handler);
    gp_scan_desc scan = test_ones(gp, COUNT);
    int k;
    (void)state;
    scan_in_vain(gp, 1);
    for (k = 0; k < 1000 && handler.heard == 0; k++) {
        assert_gp(gp, gp_scan(gp, &scan));
        clFinish(gp_cl_queue(gp));
    }
    assert_true(handler.heard > 0);
    assert_scanned(gp, scan.out, COUNT);
    scan_in_vain(gp, 1);
    handler.heard = 0;
    test_release(&scan);
    gp_context_destroy(gp);
    assert_true(handler.heard > 0);
}

/* A call of the handler's within gp_context_destroy, and the pool that it takes scratch from. */
typedef struct test_late {
    gp_context *gp;
    gp_sort_desc sort;
    cl_event done;
    int taken; /* buffers of the pool's */
} test_late;

static void sort_late(gp_result result, const char *text, void *user)
{
    test_late *late = user;
    (void)result, (void)text;
    if (late->done) return;
    late->sort.done = &late->done;
    assert_gp(late->gp, gp_sort(late->gp, &late->sort));
}

static bool has_ended(cl_event event)
{
    cl_int status = CL_QUEUED;
    assert_int_equal(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
                     CL_SUCCESS);
    return status == CL_COMPLETE;
}

static cl_mem take_scratch(size_t bytes, void *user)
{
    test_late *late = user;
    late->taken++;
    return clCreateBuffer(gp_cl_context(late->gp), CL_MEM_READ_WRITE, bytes, NULL, NULL);
}

static void return_scratch(cl_mem scratch, void *user)
{
    test_late *late = user;
    late->taken--;
    if (late->done) assert_true(has_ended(late->done));
    clReleaseMemObject(scratch);
}

/* gp_context_destroy waits for what the handler has enqueued within it, too. */
static void test_handler_at_the_end(void **state)
{
    enum { KEYS = 1 << 22 };
    test_late late = {0};
    const gp_context_desc desc = {.on_async_error = sort_late,
                                  .async_error_user = &late,
                                  .scratch_alloc = take_scratch,
                                  .scratch_free = return_scratch,
                                  .scratch_user = &late};
    gp_random_desc random = {.type = GP_U32, .kind = GP_RANDOM_BITS, .count = KEYS};
    (void)state;
    late.gp = test_open_with(&desc);
    late.sort.keys = random.out = test_buffer(late.gp, KEYS * sizeof(uint32_t), NULL);
    late.sort.key_type = GP_U32;
    late.sort.count = KEYS;
    assert_gp(late.gp, gp_sort(late.gp, &late.sort)); /* its programs are built */
    assert_gp(late.gp, gp_random(late.gp, &random));
    assert_gp(late.gp, gp_finish(late.gp));
    scan_in_vain(late.gp, 1);
    gp_context_destroy(late.gp);
    assert_non_null(late.done);
    assert_true(has_ended(late.done));
    assert_int_equal(late.taken, 0);
    clReleaseEvent(late.done);
    clReleaseMemObject(random.out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_told_once, without_habits),
        cmocka_unit_test_setup(test_skipped, without_habits),
        cmocka_unit_test_setup(test_nothing_runs, without_habits),
        cmocka_unit_test_setup(test_order, without_habits),
        cmocka_unit_test_setup(test_failed_read, without_habits),
        cmocka_unit_test_setup(test_handler_calls, without_habits),
        cmocka_unit_test_setup(test_handler_fails, without_habits),
        cmocka_unit_test_setup(test_heard_later, without_habits),
        cmocka_unit_test_setup(test_handler_at_the_end, without_habits),
    };
    if (test_small()) return 0; /* Oclgrind runs commands whose events have failed */
    return cmocka_run_group_tests_name("async", tests, NULL, NULL);
}
