/* context.c - a context's life: the caller's objects or our own, the desc checked, counters read. */
#include "internal.h"

/* ------------------------------------------------------------------ create: device, context, queue */

static gp_result gpi_probe_given(gp_context *gp, cl_device_id device)
{
    cl_platform_id platform = NULL;
    cl_int error = clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    if (error == CL_SUCCESS) error = gpi_device_probe(platform, device, &gp->info);
    if (error == CL_SUCCESS) return GP_OK;
    return gpi_fail_cl(NULL, error, "gp_context_create", GPI_PROBE_CALLS);
}

/* The caller's queue brings its context and device. */
static gp_result gpi_adopt_queue(gp_context *gp)
{
    const cl_command_queue queue = gp->desc.queue;
    cl_command_queue_properties properties = 0;
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_int error = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (!error) error = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (!error)
        error = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    if (error) return gpi_fail_cl(NULL, error, "gp_context_create", "clGetCommandQueueInfo");
    if (gp->desc.context && gp->desc.context != context) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT,
                        "gp_context_create: queue belongs to another context");
    }
    if (gp->desc.device && gp->desc.device != device) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT,
                        "gp_context_create: queue belongs to another device");
    }
    if (gp->desc.profile && !(properties & CL_QUEUE_PROFILING_ENABLE)) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT,
                        "gp_context_create: profile needs a queue with CL_QUEUE_PROFILING_ENABLE");
    }
    gp->out_of_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
    gp->context = context;
    gp->queue = queue;
    (void)clRetainContext(context);
    (void)clRetainCommandQueue(queue);
    return gpi_probe_given(gp, device);
}

/* The caller's context, or the one of `share`; the device is the caller's choice or the first. */
static gp_result gpi_adopt_context(gp_context *gp)
{
    const gp_context *share = gp->desc.share;
    cl_device_id devices[64];
    size_t size = 0, i = 0;
    cl_int error;
    gp->context = gp->desc.context ? gp->desc.context : share->context;
    error = clRetainContext(gp->context);
    if (error) {
        gp->context = NULL;
        return gpi_fail_cl(NULL, error, "gp_context_create", "clRetainContext(context)");
    }
    if (!gp->desc.context && !gp->desc.device) return gpi_probe_given(gp, share->info.device);
    error = clGetContextInfo(gp->context, CL_CONTEXT_DEVICES, sizeof devices, devices, &size);
    if (error) return gpi_fail_cl(NULL, error, "gp_context_create", "clGetContextInfo");
    while (gp->desc.device && i < size / sizeof devices[0] && devices[i] != gp->desc.device) i++;
    if (i == size / sizeof devices[0]) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "gp_context_create: device is not in context");
    }
    return gpi_probe_given(gp, devices[i]);
}

static gp_result gpi_make_context(gp_context *gp)
{
    cl_context_properties properties[3];
    cl_int error;
    const gp_result result =
        gp->desc.device ? gpi_probe_given(gp, gp->desc.device) : gpi_device_choose(&gp->desc, &gp->info);
    if (result != GP_OK) return result;
    properties[0] = CL_CONTEXT_PLATFORM;
    properties[1] = (cl_context_properties)gp->info.platform;
    properties[2] = 0;
    gp->context = clCreateContext(properties, 1, &gp->info.device, NULL, NULL, &error);
    return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(NULL, error, "gp_context_create", "clCreateContext");
}

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
/* clCreateCommandQueue: its successor is missing from OpenCL 1.2 platforms. */
static gp_result gpi_make_queue(gp_context *gp)
{
    cl_int error;
    gp->queue = clCreateCommandQueue(gp->context, gp->info.device,
                                     gp->desc.profile ? CL_QUEUE_PROFILING_ENABLE : 0, &error);
    return error == CL_SUCCESS ? GP_OK
                               : gpi_fail_cl(NULL, error, "gp_context_create", "clCreateCommandQueue");
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

static gp_result gpi_open_device(gp_context *gp)
{
    gp_result result;
    if (gp->desc.queue) return gpi_adopt_queue(gp);
    if (gp->desc.context || gp->desc.share) result = gpi_adopt_context(gp);
    else result = gpi_make_context(gp);
    return result == GP_OK ? gpi_make_queue(gp) : result;
}

/* ------------------------------------------------------------------ create: the rest */

static gp_result gpi_check_desc(const gp_context *gp)
{
    if ((unsigned)gp->desc.strategy >= GP_STRATEGY_COUNT) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "gp_context_create: strategy = %d",
                        (int)gp->desc.strategy);
    }
    if (gp->desc.share && gp->desc.share->context != gp->context) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "gp_context_create: share has another cl_context");
    }
    if (gp->desc.share && gp->desc.share->info.device != gp->info.device) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "gp_context_create: share has another device");
    }
    return gpi_check_tuning(&gp->desc.tuning, &gp->info);
}

/* Options of every build. PoCL compiles as OpenCL C 3.0 unless told otherwise. */
static char *gpi_make_options(const gp_context *gp)
{
    const char *more = gp->desc.build_options;
    return gpi_format("-cl-std=CL1.2%s%s%s%s", gpi_device_options(&gp->info),
                      gp->desc.fast_math ? " -cl-fast-relaxed-math" : "", more ? " " : "", more ? more : "");
}

/* Copies the desc's strings, and looks no longer at the caller's. */
static gp_result gpi_copy_strings(gp_context *gp)
{
    gp_context_desc *desc = &gp->desc;
    if (desc->cache_dir && !*desc->cache_dir) desc->cache_dir = NULL;
    if (desc->dump_dir && !*desc->dump_dir) desc->dump_dir = NULL;
    gp->options = gpi_make_options(gp);
    if (desc->dump_dir) gp->dump_dir = gpi_format("%s", desc->dump_dir);
    if (!gp->options || (desc->dump_dir && !gp->dump_dir)) {
        return gpi_fail(NULL, GP_ERROR_OUT_OF_HOST_MEMORY, "gp_context_create: no memory for strings");
    }
    if (!desc->no_disk_cache)
        gpi_cache_open(gp, desc->cache_dir ? gpi_format("%s", desc->cache_dir) : gpi_cache_dir_default(gp));
    if (gp->dump_dir) (void)gpi_make_dirs(gp->dump_dir);
    desc->cache_dir = desc->dump_dir = desc->build_options = desc->device_filter = NULL;
    return GP_OK;
}

static gp_result gpi_make_buffers(gp_context *gp)
{
    cl_uint zero[GPI_COUNTERS];
    cl_int error;
    memset(zero, 0, sizeof zero);
    gp->counters =
        clCreateBuffer(gp->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero, zero, &error);
    if (error == CL_SUCCESS) {
        gp->result = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, GPI_ELEMENT_MAX, NULL, &error);
    }
    return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(NULL, error, "gp_context_create", "clCreateBuffer");
}

static gp_result gpi_context_open(gp_context *gp)
{
    gp_result result = gpi_open_device(gp);
    if (result == GP_OK) result = gpi_check_desc(gp);
    if (result == GP_OK) result = gpi_copy_strings(gp);
    if (result == GP_OK) result = gpi_make_buffers(gp);
    if (result == GP_OK && gp->desc.share) result = gpi_programs_share(gp, gp->desc.share);
    return result;
}

GP_API gp_result gp_context_create(const gp_context_desc *desc, gp_context **out)
{
    gp_context *gp;
    gp_result result;
    if (out) *out = NULL;
    if (!desc || !out) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "gp_context_create: desc or out is NULL");
    }
    gp = (gp_context *)calloc(1, sizeof *gp);
    if (!gp) return gpi_fail(NULL, GP_ERROR_OUT_OF_HOST_MEMORY, "gp_context_create: no memory");
    gp->desc = *desc;
    result = gpi_context_open(gp);
    if (result != GP_OK) {
        gpi_error_leave(gp);
        if (desc->log) desc->log(GP_LOG_ERROR, gp_last_error(NULL), desc->log_user);
        gp_context_destroy(gp);
        return result;
    }
    gpi_log(gp, GP_LOG_INFO, "gpuprim on %s (%s, %s)", gp->info.name, gp->info.platform_name,
            gp->info.driver_version);
    gp->desc.share = NULL; /* it may be destroyed before us */
    *out = gp;
    return GP_OK;
}

GP_API void gp_context_destroy(gp_context *gp)
{
    if (!gp) return;
    if (gp->queue) (void)gp_finish(gp);
    gpi_programs_free(gp);
    gpi_hash_free_all(gp);
    gpi_symbols_free(gp);
    gpi_pending_free(gp);
    if (gp->scratch_busy) (void)clReleaseEvent(gp->scratch_busy);
    if (gp->scratch) (void)clReleaseMemObject(gp->scratch);
    if (gp->counters) (void)clReleaseMemObject(gp->counters);
    if (gp->result) (void)clReleaseMemObject(gp->result);
    if (gp->queue) (void)clReleaseCommandQueue(gp->queue);
    if (gp->context) (void)clReleaseContext(gp->context);
    free(gp->laws);
    free(gp->cache_dir);
    free(gp->dump_dir);
    free(gp->options);
    free(gp);
}

/* ------------------------------------------------------------------ queries */

GP_API cl_context gp_cl_context(const gp_context *gp) { return gp ? gp->context : NULL; }
GP_API cl_device_id gp_cl_device(const gp_context *gp) { return gp ? gp->info.device : NULL; }
GP_API cl_command_queue gp_cl_queue(const gp_context *gp) { return gp ? gp->queue : NULL; }
GP_API const gp_device_info *gp_context_info(const gp_context *gp) { return gp ? &gp->info : NULL; }

/* gp_finish within a call: on_async_error is told later. Where the queue is in order, one wait serves both
   the commands and the counts of the hash tables. */
static gp_result gpi_finish(gp_context *gp)
{
    const cl_int asked = gp->out_of_order ? CL_SUCCESS : gpi_hash_read_told(gp, CL_FALSE);
    const cl_int error = clFinish(gp->queue);
    gp_result result;
    gpi_settle_all(gp);
    if (gp->scratch_busy) (void)clReleaseEvent(gp->scratch_busy);
    gp->scratch_busy = NULL;
    if (error == CL_SUCCESS) gpi_programs_save(gp);
    result = gpi_async_result(gp); /* the reason, where clFinish has failed too */
    if (result != GP_OK) return result;
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, "gp_finish", "clFinish");
    if (asked != CL_SUCCESS) return gpi_fail_cl(gp, asked, "gp_finish", "clEnqueueReadBuffer");
    return gp->out_of_order ? gpi_hash_result(gp) : gpi_hash_tell(gp);
}

GP_API gp_result gp_finish(gp_context *gp)
{
    gp_result result;
    if (!gp) return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "gp_finish: gp is NULL");
    result = gpi_finish(gp);
    gpi_tell_failures(gp);
    return result;
}

GP_API gp_result gp_warmup(gp_context *gp, const gp_warmup_desc *desc)
{
    gp_result result = GP_OK;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_warmup: gp or desc is NULL");
    if (desc->reduce) result = gpi_reduce_warm_up(gp, desc->reduce);
    if (desc->scan && result == GP_OK) result = gpi_scan_warm_up(gp, desc->scan);
    if (desc->sort && result == GP_OK) result = gpi_sort_warm_up(gp, desc->sort);
    if (desc->merge && result == GP_OK) result = gpi_merge_warm_up(gp, desc->merge);
    if (desc->search && result == GP_OK) result = gpi_search_warm_up(gp, desc->search);
    if (desc->topk && result == GP_OK) result = gpi_topk_warm_up(gp, desc->topk);
    if (desc->segmented_reduce && result == GP_OK)
        result = gpi_segmented_reduce_warm_up(gp, desc->segmented_reduce);
    if (desc->histogram && result == GP_OK) result = gpi_histogram_warm_up(gp, desc->histogram);
    if (desc->segmented_sort && result == GP_OK)
        result = gpi_segmented_sort_warm_up(gp, desc->segmented_sort);
    if (desc->sort_strings && result == GP_OK) result = gpi_sort_strings_warm_up(gp, desc->sort_strings);
    if (desc->brackets && result == GP_OK) result = gpi_brackets_warm_up(gp, desc->brackets);
    if (desc->select && result == GP_OK) result = gpi_select_warm_up(gp, desc->select);
    if (desc->partition && result == GP_OK) result = gpi_partition_warm_up(gp, desc->partition);
    if (desc->unique && result == GP_OK) result = gpi_unique_warm_up(gp, desc->unique);
    if (desc->reduce_by_key && result == GP_OK) result = gpi_reduce_by_key_warm_up(gp, desc->reduce_by_key);
    if (desc->run_length_encode && result == GP_OK)
        result = gpi_run_length_encode_warm_up(gp, desc->run_length_encode);
    if (desc->stack_scan && result == GP_OK) result = gpi_stack_scan_warm_up(gp, desc->stack_scan);
    if (desc->tree && result == GP_OK) result = gpi_tree_warm_up(gp, desc->tree);
    if (desc->hash && result == GP_OK) result = gpi_hash_warm_up(gp, desc->hash);
    if (result == GP_OK) result = gpi_map_warm_up(gp, desc);
    if (result == GP_OK) result = gpi_gather_warm_up(gp, desc);
    if (desc->stencil && result == GP_OK) result = gpi_stencil_warm_up(gp, desc->stencil);
    if (desc->random && result == GP_OK) result = gpi_random_warm_up(gp, desc->random);
    return result == GP_OK ? gp_finish(gp) : result;
}

GP_API gp_result gp_profile_read(gp_context *gp, gp_profile *out)
{
    cl_uint counters[GPI_COUNTERS];
    cl_int error;
    gp_result result;
    if (!gp || !out) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_profile_read: gp or out is NULL");
    result = gp_finish(gp);
    if (result != GP_OK) return result;
    error =
        clEnqueueReadBuffer(gp->queue, gp->counters, CL_TRUE, 0, sizeof counters, counters, 0, NULL, NULL);
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, "gp_profile_read", "clEnqueueReadBuffer");
    *out = gp->profile;
    out->fallbacks = counters[0];
    out->abandoned = counters[1];
    out->clamped = counters[2];
    out->bad_offsets = counters[3];
    out->skipped = counters[4];
    return GP_OK;
}

GP_API gp_result gp_profile_kernels(gp_context *gp, gp_kernel_profile *out, size_t capacity, size_t *count)
{
    gp_result result;
    size_t i;
    if (!gp || !count || (!out && capacity > 0)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_profile_kernels: gp, count or out is NULL");
    }
    result = gp_finish(gp);
    *count = gp->kernel_count;
    for (i = 0; i < gp->kernel_count && i < capacity; i++) out[i] = gp->kernels[i];
    return result;
}

GP_API gp_result gp_profile_reset(gp_context *gp)
{
    const cl_uint zero[GPI_COUNTERS] = {0};
    cl_int error;
    gp_result result;
    if (!gp) return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "gp_profile_reset: gp is NULL");
    result = gp_finish(gp);
    if (result != GP_OK) return result;
    error = clEnqueueWriteBuffer(gp->queue, gp->counters, CL_TRUE, 0, sizeof zero, zero, 0, NULL, NULL);
    if (error != CL_SUCCESS) return gpi_fail_cl(gp, error, "gp_profile_reset", "clEnqueueWriteBuffer");
    memset(&gp->profile, 0, sizeof gp->profile);
    gp->profile.scratch_bytes = gp->scratch_size;
    gp->kernel_count = 0;
    return GP_OK;
}
