/* context.c - creates a context, with the caller's OpenCL objects or its own, and destroys it. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/use.h"
#include "runtime/device.h"
#include "runtime/events.h"
#include "runtime/tuning.h"
#include "program/file.h"
#include "program/program.h"
#include "launch/launch.h"
#include "nest/nest.h"
#include "hash/hash.h"
#include "context/sub_groups.h"
#include "context/tuning_file.h"

#include <string.h>

/* ------------------------------------------------------------------ create: device, context, queue */

static gp_result gpi_probe_given(gp_context *gp, cl_device_id device)
{
    cl_platform_id platform = NULL;
    cl_int error = clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    if (error == CL_SUCCESS) error = gpi_device_probe(platform, device, &gp->info);
    if (error == CL_SUCCESS) return GP_OK;
    return gpi_fail_cl(NULL, error, GPI_PROBE_CALLS);
}

/* Makes the context use the caller's queue, and the context and device of this queue. Retains queue and context. Fails if the
   desc names another context or device, or wants a profile and the queue does not measure times. */
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
    if (error) return gpi_fail_cl(NULL, error, "clGetCommandQueueInfo");
    if (gp->desc.context && gp->desc.context != context) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "queue belongs to another context");
    }
    if (gp->desc.device && gp->desc.device != device) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "queue belongs to another device");
    }
    if (gp->desc.profile && !(properties & CL_QUEUE_PROFILING_ENABLE)) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT,
                        "profile needs a queue with CL_QUEUE_PROFILING_ENABLE");
    }
    gp->out_of_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
    gp->context = context;
    gp->queue = queue;
    (void)clRetainContext(context);
    (void)clRetainCommandQueue(queue);
    return gpi_probe_given(gp, device);
}

/* Uses and retains the caller's cl_context, or that of `share`. The device is the desc's, if it names one; else the first
   device of the caller's cl_context, or the device of `share`. */
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
        return gpi_fail_cl(NULL, error, "clRetainContext(context)");
    }
    if (!gp->desc.context && !gp->desc.device) return gpi_probe_given(gp, share->info.device);
    error = clGetContextInfo(gp->context, CL_CONTEXT_DEVICES, sizeof devices, devices, &size);
    if (error) return gpi_fail_cl(NULL, error, "clGetContextInfo");
    while (gp->desc.device && i < size / sizeof devices[0] && devices[i] != gp->desc.device) i++;
    if (i == size / sizeof devices[0]) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "device is not in context");
    }
    return gpi_probe_given(gp, devices[i]);
}

static gp_result gpi_make_context(gp_context *gp)
{
    cl_context_properties properties[3];
    cl_int error;
    const gp_result result =
        gp->desc.device ? gpi_probe_given(gp, gp->desc.device) : gpi_device_choose(&gp->desc, &gp->info);
    gpi_enter(NULL, "gp_context_create"); /* the caller's `score` may have made calls */
    if (result != GP_OK) return result;
    properties[0] = CL_CONTEXT_PLATFORM;
    properties[1] = (cl_context_properties)gp->info.platform;
    properties[2] = 0;
    gp->context = clCreateContext(properties, 1, &gp->info.device, NULL, NULL, &error);
    return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(NULL, error, "clCreateContext");
}

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
/* Creates a queue by clCreateCommandQueue, whose successor is missing from OpenCL 1.2 platforms. */
static gp_result gpi_make_queue(gp_context *gp)
{
    cl_int error;
    gp->queue = clCreateCommandQueue(gp->context, gp->info.device,
                                     gp->desc.profile ? CL_QUEUE_PROFILING_ENABLE : 0, &error);
    return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(NULL, error, "clCreateCommandQueue");
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
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "strategy = %d", (int)gp->desc.strategy);
    }
    if (gp->desc.share && gp->desc.share->context != gp->context) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "share has another cl_context");
    }
    if (gp->desc.share && gp->desc.share->info.device != gp->info.device) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "share has another device");
    }
    if (!gp->desc.scratch_alloc != !gp->desc.scratch_free) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT,
                        "scratch_alloc and scratch_free: give both or neither");
    }
    return gpi_check_tuning(&gp->desc.tuning, &gp->info);
}

/* Returns the options of every build. They name the language, since PoCL's default is OpenCL C 3.0. */
static char *gpi_make_options(const gp_context *gp, const char *language)
{
    const char *more = gp->desc.build_options;
    return gpi_format("-cl-std=%s%s%s%s%s", language, gpi_device_options(&gp->info),
                      gp->desc.fast_math ? " -cl-fast-relaxed-math" : "", more ? " " : "", more ? more : "");
}

/* Returns the language in which programs with Khronos' sub-groups are built. Platforms of version 2 may not have
   OpenCL C 3.0, and those of version 3 may not have OpenCL C 2.0. */
static const char *gpi_newer_language(const gp_device_info *info)
{
    return strncmp(info->version, "OpenCL 2", 8) == 0 ? "CL2.0" : "CL3.0";
}

/* Makes the build options, opens the disk cache, and creates the dump folder. Then drops the desc's pointers to the
   caller's strings, which are not needed any more. */
static gp_result gpi_copy_strings(gp_context *gp)
{
    gp_context_desc *desc = &gp->desc;
    if (desc->cache_dir && !*desc->cache_dir) desc->cache_dir = NULL;
    if (desc->dump_dir && !*desc->dump_dir) desc->dump_dir = NULL;
    gp->options = gpi_make_options(gp, "CL1.2");
    if (gp->info.sub_groups == GP_SUB_GROUPS_KHRONOS)
        gp->options_sub_groups = gpi_make_options(gp, gpi_newer_language(&gp->info));
    if (desc->dump_dir) gp->dump_dir = gpi_format("%s", desc->dump_dir);
    if (!gp->options || (gp->info.sub_groups == GP_SUB_GROUPS_KHRONOS && !gp->options_sub_groups) ||
        (desc->dump_dir && !gp->dump_dir)) {
        return gpi_fail(NULL, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory for strings");
    }
    if (!desc->no_disk_cache)
        gpi_cache_open(gp, desc->cache_dir ? gpi_format("%s", desc->cache_dir) : gpi_cache_dir_default(gp));
    if (gp->dump_dir) (void)gpi_make_dirs(gp->dump_dir);
    desc->cache_dir = desc->dump_dir = desc->build_options = desc->device_filter = desc->tuning_file = NULL;
    return GP_OK;
}

static gp_result gpi_make_buffers(gp_context *gp)
{
    cl_uint zero[GPI_CONTEXT_COUNTERS];
    cl_int error;
    memset(zero, 0, sizeof zero);
    gp->counters =
        clCreateBuffer(gp->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero, zero, &error);
    if (error == CL_SUCCESS) {
        gp->result = clCreateBuffer(gp->context, CL_MEM_READ_WRITE, GPI_ELEMENT_MAX, NULL, &error);
    }
    return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(NULL, error, "clCreateBuffer");
}

static gp_result gpi_context_open(gp_context *gp)
{
    gp_result result = gpi_open_device(gp);
    if (result == GP_OK) result = gpi_check_desc(gp);
    if (result == GP_OK) result = gpi_tuning_open(gp);
    if (result == GP_OK) result = gpi_copy_strings(gp);
    if (result == GP_OK) result = gpi_make_buffers(gp);
    if (result == GP_OK && gp->desc.share) result = gpi_programs_share(gp, gp->desc.share);
    if (result == GP_OK) result = gpi_sub_groups_open(gp);
    return result;
}

GP_API gp_result gp_context_create(const gp_context_desc *desc, gp_context **out)
{
    gp_context *gp;
    gp_result result;
    gpi_enter(NULL, __func__);
    if (out) *out = NULL;
    if (!desc || !out) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "desc or out is NULL");
    }
    result = gpi_check_use(NULL);
    if (result != GP_OK) return result;
    gp = (gp_context *)GP_CALLOC(1, sizeof *gp);
    if (!gp) return gpi_fail(NULL, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory");
    gp->desc = *desc;
    gp->function = __func__;
    result = gpi_context_open(gp);
    if (result != GP_OK) {
        gpi_error_leave(gp);
        if (desc->log) desc->log(GP_LOG_ERROR, gp_last_error(NULL), desc->log_user);
        gp_context_destroy(gp);
        return result;
    }
    gpi_log(gp, GP_LOG_INFO, "gpuprim on %s (%s, %s)", gp->info.name, gp->info.platform_name,
            gp->info.driver_version);
    gp->desc.share = NULL; /* `share` may be destroyed before this context */
    *out = gp;
    return GP_OK;
}

/* Finishes the queue. If on_async_error is set, finishes it again, since that function may have enqueued commands; failures of
   those commands are not reported to it. */
static void gpi_finish_at_last(gp_context *gp)
{
    (void)gp_finish(gp);
    if (!gp->desc.on_async_error) return;
    gp->telling = true;
    (void)gp_finish(gp);
}

GP_API void gp_context_destroy(gp_context *gp)
{
    gpi_enter(gp, __func__);
    if (!gp || gpi_check_use(gp) != GP_OK) return;
    if (gp->telling) {
        (void)gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "on_async_error called it with its own context");
        return;
    }
    if (gp->queue) gpi_finish_at_last(gp);
    gpi_programs_free(gp);
    gpi_imports_free(gp);
    gpi_hash_free_all(gp);
    gpi_symbols_free(gp);
    gpi_pending_free(gp);
    if (gp->scratch_busy) (void)clReleaseEvent(gp->scratch_busy);
    gpi_scratch_close(gp);
    if (gp->counters) (void)clReleaseMemObject(gp->counters);
    if (gp->result) (void)clReleaseMemObject(gp->result);
    if (gp->queue) (void)clReleaseCommandQueue(gp->queue);
    if (gp->context) (void)clReleaseContext(gp->context);
    GP_FREE(gp->tuned);
    GP_FREE(gp->laws);
    GP_FREE(gp->cache_dir);
    GP_FREE(gp->dump_dir);
    GP_FREE(gp->options);
    GP_FREE(gp->options_sub_groups);
    GP_FREE(gp);
}

/* ------------------------------------------------------------------ queries */

/* Returns true if the context's OpenCL objects can be used: false if gp is NULL, and in a forked process. In a forked
   process OpenCL's functions may hang on the parent's objects, but return an error for NULL. */
static bool gpi_has_objects(const gp_context *gp) { return gp && !gpi_forked(); }

GP_API cl_context gp_cl_context(const gp_context *gp) { return gpi_has_objects(gp) ? gp->context : NULL; }
GP_API cl_device_id gp_cl_device(const gp_context *gp)
{
    return gpi_has_objects(gp) ? gp->info.device : NULL;
}
GP_API cl_command_queue gp_cl_queue(const gp_context *gp) { return gpi_has_objects(gp) ? gp->queue : NULL; }
GP_API const gp_device_info *gp_context_info(const gp_context *gp) { return gp ? &gp->info : NULL; }
