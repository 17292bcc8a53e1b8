/* test_context.c - devices, the caller's own objects, events, failures after enqueuing. */
#include <time.h>

#include "../support/support.h"

/* Several tiles on every device. */
#define COUNT (test_small() ? (size_t)3000 : (size_t)40000)

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
        assert_true(infos[i].device_class > GP_DEVICE_CLASS_AUTO);
        assert_true(infos[i].device_class < GP_DEVICE_CLASS_COUNT);
        assert_true(infos[i].compute_units > 0 && infos[i].max_work_group_size > 0);
        assert_true(infos[i].max_alloc_size > 0 && infos[i].local_mem_size > 0);
    }
}

static void test_classes(void **state)
{
    (void)state;
    assert_int_equal(test_class_of("NVIDIA H200", "NVIDIA Corporation"), GP_DEVICE_CLASS_NVIDIA);
    assert_int_equal(test_class_of("gfx1100", "Advanced Micro Devices, Inc."), GP_DEVICE_CLASS_AMD);
    assert_int_equal(test_class_of("AMD Radeon RX 580 (radeonsi, polaris10)", "AMD"), GP_DEVICE_CLASS_AMD);
    assert_int_equal(test_class_of("Intel(R) Arc(TM) A770 Graphics", "Intel(R) Corporation"),
                     GP_DEVICE_CLASS_INTEL_GPU);
    assert_int_equal(test_class_of("Mali-G78 r0p1", "ARM"), GP_DEVICE_CLASS_MALI);
    assert_int_equal(test_class_of("Mali-G610 (Panfrost)", "Mesa"), GP_DEVICE_CLASS_MALI);
    assert_int_equal(test_class_of("QUALCOMM Adreno(TM) 740", "QUALCOMM"), GP_DEVICE_CLASS_ADRENO);
    assert_int_equal(test_class_of("Apple M2", "Apple"), GP_DEVICE_CLASS_APPLE);
    assert_int_equal(test_class_of("PowerVR Rogue GE8320", "Imagination Technologies"),
                     GP_DEVICE_CLASS_UNKNOWN);
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
    gp = test_open_with(&desc);
    gp_context_destroy(gp);
    (void)snprintf(part, sizeof part, "%s", infos[count - 1].name);
    part[0] = (char)(part[0] >= 'a' && part[0] <= 'z' ? part[0] - 'a' + 'A' : part[0]);
    desc.device_filter = part;
    gp = test_open_with(&desc);
    gp_context_destroy(gp);
    desc.device_filter = "";
    desc.score = score_by_name;
    desc.score_user = infos[count - 1].name;
    gp = test_open_with(&desc);
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

/* Whether commands of an out-of-order queue pass one that waits for the caller. Mesa 25.0 makes such queues,
   and runs them in order. */
static bool passes_gated(gp_context *gp, cl_command_queue queue, cl_mem buffer)
{
    const time_t begin = time(NULL);
    cl_uint word[2];
    cl_event gate, gated, free_one;
    cl_int error, status = CL_QUEUED;
    gate = clCreateUserEvent(gp_cl_context(gp), &error);
    assert_int_equal(error, CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 4, &word[0], 1, &gate, &gated),
                     CL_SUCCESS);
    assert_int_equal(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 4, &word[1], 0, NULL, &free_one),
                     CL_SUCCESS);
    assert_int_equal(clFlush(queue), CL_SUCCESS);
    while (status != CL_COMPLETE && difftime(time(NULL), begin) < 3)
        clGetEventInfo(free_one, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clFinish(queue), CL_SUCCESS);
    clReleaseEvent(gate);
    clReleaseEvent(gated);
    clReleaseEvent(free_one);
    return status == CL_COMPLETE;
}

/* A queue, and a context with a device: retained, so that the caller may let go at once. */
static void test_own_objects(void **state)
{
    gp_context *first = test_open(&test_variants[0], NULL), *gp;
    gp_context_desc desc = {0};
    (void)state;
    desc.queue = make_queue(first, 0);
    assert_non_null(desc.queue);
    gp = test_open_with(&desc);
    clReleaseCommandQueue(desc.queue);
    assert_ptr_equal(gp_cl_queue(gp), desc.queue);
    assert_ptr_equal(gp_cl_context(gp), gp_cl_context(first));
    test_scan_ones(gp, COUNT);
    gp_context_destroy(gp);
    desc.queue = NULL;
    desc.context = gp_cl_context(first);
    gp = test_open_with(&desc);
    gp_context_destroy(first);
    test_scan_ones(gp, COUNT);
    gp_context_destroy(gp);
}

/* Four scans in a row on an out-of-order queue, each of the one before: the library keeps the order of its
   own commands, the events that of the calls. */
static void check_chain(gp_context *gp)
{
    gp_scan_desc desc = test_ones(gp, COUNT);
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
        loose = test_open_with(&desc);
        check_chain(loose);
        input = test_ones(loose, COUNT);
        reduce.in = input.in;
        reduce.count = COUNT;
        reduce.type = GP_U32;
        reduce.op = GP_SUM;
        assert_gp(loose, gp_reduce_read(loose, &reduce, &sum));
        assert_int_equal(sum, COUNT);
        test_release(&input);
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

/* Mesa 25.0 fails all that comes on a queue after a command has failed. */
static bool takes_commands(gp_context *gp)
{
    cl_event marker;
    cl_int error;
    assert_int_equal(clEnqueueMarkerWithWaitList(gp_cl_queue(gp), 0, NULL, &marker), CL_SUCCESS);
    error = clWaitForEvents(1, &marker);
    clReleaseEvent(marker);
    return error == CL_SUCCESS;
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
    gp = test_open_with(&desc);
    failing = clCreateUserEvent(gp_cl_context(gp), &error);
    assert_int_equal(error, CL_SUCCESS);
    scan = test_ones(gp, COUNT);
    scan.wait = &failing;
    scan.wait_count = 1;
    assert_gp(gp, gp_scan(gp, &scan));
    assert_int_equal(clSetUserEventStatus(failing, -5), CL_SUCCESS);
    assert_gp_fails(gp, gp_finish(gp), GP_ERROR_OPENCL, "gp_scan: ");
    assert_true(async_errors > 0);
    assert_gp(gp, gp_finish(gp));
    if (takes_commands(gp)) test_scan_ones(gp, COUNT);
    clReleaseEvent(failing);
    test_release(&scan);
    gp_context_destroy(gp);
}

/* An event that has failed already, or is none, is refused before anything is enqueued. */
static void test_failed_wait(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    gp_scan_desc scan = test_ones(gp, COUNT);
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
    scan.done = &none; /* its event would be lost */
    assert_gp_fails(gp, gp_scan(gp, &scan), GP_ERROR_INVALID_ARGUMENT, "done is wait[0] itself");
    scan.done = &done;
    done = failed;
    scan.type = GP_TYPE_NONE;
    assert_gp_fails(gp, gp_scan(gp, &scan), GP_ERROR_INVALID_TYPE, "type");
    assert_null(done);
    clReleaseEvent(failed);
    test_release(&scan);
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
    input = test_ones(maker, COUNT);
    if (desc.queue && !test_small() && passes_gated(maker, desc.queue, input.in)) {
        gp = test_open_with(&desc);
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
        gp_context_destroy(gp);
    }
    test_release(&input);
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
    gp = test_open_with(&desc);
    scan = test_ones(gp, 100);
    gate = clCreateUserEvent(gp_cl_context(gp), &error);
    assert_int_equal(error, CL_SUCCESS);
    scan.wait = &gate;
    scan.wait_count = 1;
    for (k = 0; k < 700; k++) assert_gp(gp, gp_scan(gp, &scan));
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_gp(gp, gp_finish(gp));
    assert_scanned(gp, scan.out, 100);
    clReleaseEvent(gate);
    test_release(&scan);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ what is known of devices */

static const char turns_source[] = "__kernel void turns(__global uint *out, uint step)\n"
                                   "{\n"
                                   "    uint k = 0;\n"
                                   "    while (k < 100000) k += step;\n"
                                   "    out[0] = k;\n"
                                   "}\n";

/* loop_limit says whether the device leaves loops early. */
static void test_loop_limit(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    const cl_device_id device = gp_cl_device(gp);
    const char *source = turns_source;
    const size_t one = 1;
    const cl_uint step = 1;
    gp_scan_desc memory = test_ones(gp, COUNT);
    uint32_t *turns;
    cl_int error;
    cl_program program = clCreateProgramWithSource(gp_cl_context(gp), 1, &source, NULL, &error);
    cl_kernel kernel;
    (void)state;
    assert_int_equal(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL), CL_SUCCESS);
    kernel = clCreateKernel(program, "turns", &error);
    assert_int_equal(error, CL_SUCCESS);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof memory.out, &memory.out), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(kernel, 1, sizeof step, &step), CL_SUCCESS);
    assert_int_equal(clEnqueueNDRangeKernel(gp_cl_queue(gp), kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
                     CL_SUCCESS);
    turns = test_read(gp, memory.out, 4);
    if (gp_context_info(gp)->loop_limit)
        assert_true(*turns >= 1 && *turns <= gp_context_info(gp)->loop_limit);
    else assert_int_equal(*turns, 100000);
    free(turns);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    test_release(&memory);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_device_choice),
        cmocka_unit_test(test_loop_limit),
        cmocka_unit_test(test_own_objects),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_async_error),
        cmocka_unit_test(test_failed_wait),
        cmocka_unit_test(test_read_beside_gated_command),
        cmocka_unit_test(test_many_gated_calls),
    };
    return cmocka_run_group_tests_name("context", tests, NULL, NULL);
}
