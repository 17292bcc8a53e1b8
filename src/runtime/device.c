/* device.c - lists devices, chooses one, and reads its properties. */
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/use.h"
#include "runtime/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Queries of OpenCL 2.x and 3.0, by value, because older headers do not define them. */
#define GPI_CL_DEVICE_MAX_NUM_SUB_GROUPS 0x105C
#define GPI_CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES 0x1063
#define GPI_CL_DEVICE_WARP_SIZE_NV 0x4003
#define GPI_CL_DEVICE_WAVEFRONT_WIDTH_AMD 0x4043
#define GPI_CL_DEVICE_SUB_GROUP_SIZES_INTEL 0x4108
#define GPI_CL_DEVICE_ATOMIC_ORDER_ACQ_REL (1u << 1)
#define GPI_CL_DEVICE_ATOMIC_SCOPE_DEVICE (1u << 5)

#if defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <pthread.h>
#endif

/* ------------------------------------------------------------------ one at a time */

/* PoCL (3.1 to 7) initialises its devices at their first use. A second thread that queries devices meanwhile crashes or
   gets no devices. So only one thread of the process queries devices at a time. */
#if defined(_WIN32)
static SRWLOCK gpi_discovery = SRWLOCK_INIT;
static void gpi_discovery_begin(void) { AcquireSRWLockExclusive(&gpi_discovery); }
static void gpi_discovery_end(void) { ReleaseSRWLockExclusive(&gpi_discovery); }
#else
static pthread_mutex_t gpi_discovery = PTHREAD_MUTEX_INITIALIZER;
static void gpi_discovery_begin(void) { (void)pthread_mutex_lock(&gpi_discovery); }
static void gpi_discovery_end(void) { (void)pthread_mutex_unlock(&gpi_discovery); }
#endif

/* ------------------------------------------------------------------ probe */

static bool gpi_has_extension(const char *extensions, const char *name)
{
    const size_t length = strlen(name);
    const char *at = extensions;
    while ((at = strstr(at, name)) != NULL) {
        const bool begins = at == extensions || at[-1] == ' ';
        if (begins && (at[length] == ' ' || at[length] == '\0')) return true;
        at += length;
    }
    return false;
}

/* The device whose properties are being read, and the first error of a query. After an error the device is left out,
   because without some of its properties it would seem less capable. */
typedef struct gpi_probe {
    cl_device_id device;
    cl_int error;
} gpi_probe;

static void gpi_probe_get(gpi_probe *probe, cl_device_info what, size_t size, void *value)
{
    const cl_int error = clGetDeviceInfo(probe->device, what, size, value, NULL);
    if (probe->error == CL_SUCCESS) probe->error = error;
}

/* Returns the whole text of a device property, which the caller frees, or NULL on failure. */
static char *gpi_probe_text(gpi_probe *probe, cl_device_info what)
{
    size_t size = 0;
    const cl_int error = clGetDeviceInfo(probe->device, what, 0, NULL, &size);
    char *text = error == CL_SUCCESS ? (char *)GP_CALLOC(size + 1, 1) : NULL;
    if (text) gpi_probe_get(probe, what, size, text);
    else if (probe->error == CL_SUCCESS) probe->error = error ? error : CL_OUT_OF_HOST_MEMORY;
    return text;
}

static void gpi_probe_name(gpi_probe *probe, cl_device_info what, char out[GP_NAME_MAX])
{
    char *text = gpi_probe_text(probe, what);
    (void)snprintf(out, GP_NAME_MAX, "%s", text ? text : "");
    GP_FREE(text);
}

static cl_ulong gpi_probe_ulong(gpi_probe *probe, cl_device_info what)
{
    cl_ulong value = 0;
    gpi_probe_get(probe, what, sizeof value, &value);
    return value;
}

static cl_uint gpi_probe_uint(gpi_probe *probe, cl_device_info what)
{
    cl_uint value = 0;
    gpi_probe_get(probe, what, sizeof value, &value);
    return value;
}

/* Reads a property that older devices do not know. Leaves *value unchanged if the device does not know the property. */
static void gpi_probe_newer(gpi_probe *probe, cl_device_info what, size_t size, void *value)
{
    const cl_int error = clGetDeviceInfo(probe->device, what, size, value, NULL);
    const bool grave = error == CL_OUT_OF_HOST_MEMORY || error == CL_OUT_OF_RESOURCES;
    if (grave && probe->error == CL_SUCCESS) probe->error = error;
}

static bool gpi_contains(const char *text, const char *part) { return strstr(text, part) != NULL; }

/* Returns true for Mesa's software rasterizer, which reports itself as a CPU, but is shaped like a GPU. */
static bool gpi_is_llvmpipe(const gp_device_info *info) { return gpi_contains(info->name, "llvmpipe"); }

static bool gpi_is_pocl(const gp_device_info *info)
{
    return gpi_contains(info->platform_name, "Portable Computing Language");
}

/* Returns true for rusticl, Mesa's own implementation of OpenCL, which serves devices of several vendors. */
static bool gpi_is_rusticl(const gp_device_info *info)
{
    return gpi_contains(info->platform_name, "rusticl");
}
static bool gpi_is_mesa(const gp_device_info *info)
{
    return gpi_is_rusticl(info) || gpi_contains(info->platform_name, "Clover");
}

/* Returns the driver's version as 100 * first number + second number: 2500 for "25.0.7-2+deb13u1". */
static unsigned long gpi_driver_version(const gp_device_info *info)
{
    char *end;
    const unsigned long major =
        strtoul(info->driver_version + strcspn(info->driver_version, "0123456789"), &end, 10);
    return 100 * major + (*end == '.' ? strtoul(end + 1, NULL, 10) : 0);
}

static unsigned long gpi_driver_major(const gp_device_info *info) { return gpi_driver_version(info) / 100; }

/* Returns true for PoCL 7 (7.1; 7.0 was not tried). If clang's passes have split a private array, PoCL 7 treats the array as
   equal in all items of a group. A group of two items may then read values that neither has written (docs/drivers.md). */
static bool gpi_is_pocl_7(const gp_device_info *info)
{
    return gpi_is_pocl(info) && gpi_driver_major(info) >= 7;
}

/* Returns the number of iterations after which the device leaves a loop; 0: no limit. llvmpipe 22.3 has such a limit,
   25.0 does not; no version between them was tried. */
static cl_uint gpi_loop_limit(const gp_device_info *info)
{
    return gpi_is_llvmpipe(info) && gpi_driver_major(info) < 25 ? 65535 : 0;
}

static bool gpi_is_intel_cpu(const gp_device_info *info)
{
    return (info->device_type & CL_DEVICE_TYPE_CPU) != 0 && gpi_contains(info->platform_name, "Intel");
}

/* Returns the build options for a device's compiler. Oclgrind 21.10 fails on an intrinsic that optimized code can
   contain, and finds more errors in unoptimized code anyway. kernels/common/base/platform.cl explains the macros, which
   are for llvmpipe (22.3 and 25.0; versions between were not tried), for Intel's CPU runtime and for Intel's GPUs.
   rusticl's drivers for other devices lose writes to structs in version 25.0, but not in 26.1. */
static const char *gpi_device_options(const gp_device_info *info)
{
    if (gpi_contains(info->platform_name, "Oclgrind")) return " -cl-opt-disable";
    if (gpi_is_intel_cpu(info)) return " -DGPI_INTEL_CPU=1";
    if (info->device_class == GP_DEVICE_CLASS_INTEL_GPU && !gpi_is_mesa(info)) return " -DGPI_INTEL_GPU=1";
    if (gpi_is_rusticl(info) && !gpi_is_llvmpipe(info))
        return gpi_driver_version(info) < 2601 ? " -DGPI_LOSES_WRITES=1" : "";
    if (!gpi_is_llvmpipe(info)) return "";
    return gpi_driver_major(info) > 22 ? " -DGPI_LLVMPIPE=1 -DGPI_LLVMPIPE_25=1" : " -DGPI_LLVMPIPE=1";
}

/* Returns the largest sub-group size up to 32 that kernels can be compiled for. On Intel's GPUs the limit is 16, because with 32
   lanes each lane has half as many registers, and sorts spill (docs/gpu-cost.md). If all sizes are larger, returns the smallest.
   If no size is known, returns 32; built kernels then report their size. */
static cl_uint gpi_probe_sub_group_size(gpi_probe *probe, const gp_device_info *info)
{
    const size_t most = info->device_class == GP_DEVICE_CLASS_INTEL_GPU ? 16 : 32;
    size_t sizes[16], below = 0, above = 0, i;
    memset(sizes, 0, sizeof sizes);
    gpi_probe_newer(probe, GPI_CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes);
    for (i = 0; i < GPI_COUNT_OF(sizes); i++) {
        if (sizes[i] <= most && sizes[i] > below) below = sizes[i];
        if (sizes[i] > most && (above == 0 || sizes[i] < above)) above = sizes[i];
    }
    return below ? (cl_uint)below : above ? (cl_uint)above : 32;
}

/* Sets sub_groups and sub_group_size from the device's extensions. */
static void gpi_probe_sub_groups(gpi_probe *probe, const char *extensions, gp_device_info *info)
{
    cl_uint size = 0;
    if (gpi_has_extension(extensions, "cl_khr_subgroup_shuffle") &&
        gpi_has_extension(extensions, "cl_khr_subgroup_ballot")) {
        info->sub_groups = GP_SUB_GROUPS_KHRONOS;
        size = gpi_probe_sub_group_size(probe, info);
    } else if (gpi_has_extension(extensions, "cl_nv_device_attribute_query")) {
        info->sub_groups = GP_SUB_GROUPS_NVIDIA;
        gpi_probe_newer(probe, GPI_CL_DEVICE_WARP_SIZE_NV, sizeof size, &size);
    } else if (gpi_has_extension(extensions, "cl_amd_device_attribute_query")) {
        info->sub_groups = GP_SUB_GROUPS_AMD;
        gpi_probe_newer(probe, GPI_CL_DEVICE_WAVEFRONT_WIDTH_AMD, sizeof size, &size);
    }
    if (size < 8 || size > 128 || (size & (size - 1))) {
        info->sub_groups = GP_SUB_GROUPS_NONE;
        size = 0;
    }
    info->sub_group_size = size;
}

static void gpi_probe_extensions(gpi_probe *probe, gp_device_info *info)
{
    char *extensions = gpi_probe_text(probe, CL_DEVICE_EXTENSIONS);
    cl_uint sub_groups = 0;
    if (!extensions) return;
    gpi_probe_newer(probe, GPI_CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof sub_groups, &sub_groups);
    info->int64_base_atomics = gpi_has_extension(extensions, "cl_khr_int64_base_atomics");
    info->int64_extended_atomics = gpi_has_extension(extensions, "cl_khr_int64_extended_atomics");
    info->fp64 = gpi_has_extension(extensions, "cl_khr_fp64");
    info->fp16 = gpi_has_extension(extensions, "cl_khr_fp16");
    info->subgroups = gpi_has_extension(extensions, "cl_khr_subgroups") || sub_groups > 0;
    gpi_probe_sub_groups(probe, extensions, info);
    GP_FREE(extensions);
}

static bool gpi_device_has(const gp_device_info *info, const char *extension)
{
    gpi_probe probe = {NULL, CL_SUCCESS};
    char *extensions;
    bool has;
    probe.device = info->device;
    extensions = gpi_probe_text(&probe, CL_DEVICE_EXTENSIONS);
    has = extensions && gpi_has_extension(extensions, extension);
    GP_FREE(extensions);
    return has;
}

/* Returns true for devices on which a started group is known to keep running while another group waits. */
static bool gpi_is_fair(const gp_device_info *info)
{
    const bool cpu = (info->device_type & CL_DEVICE_TYPE_CPU) != 0;
    if (gpi_is_llvmpipe(info)) return false;
    return (cpu && gpi_is_pocl(info)) || gpi_contains(info->platform_name, "Oclgrind") ||
           (gpi_contains(info->vendor, "NVIDIA") && !gpi_is_mesa(info)) ||
           (cpu && gpi_contains(info->vendor, "Intel"));
}

/* Returns the class of a GPU by vendor and name. Mesa uses other names than the vendors do: "AMD", or "Qualcomm" with devices
   such as "FD660". Nouveau, Mesa's driver for NVIDIA's devices, lacks features that the kernels for NVIDIA need. */
static gp_device_class gpi_class_of_gpu(const gp_device_info *info)
{
    if (gpi_contains(info->vendor, "NVIDIA"))
        return gpi_is_mesa(info) ? GP_DEVICE_CLASS_UNKNOWN : GP_DEVICE_CLASS_NVIDIA;
    if (gpi_contains(info->vendor, "Advanced Micro Devices") || gpi_contains(info->vendor, "AMD"))
        return GP_DEVICE_CLASS_AMD;
    if (gpi_contains(info->vendor, "Intel")) return GP_DEVICE_CLASS_INTEL_GPU;
    if (gpi_contains(info->name, "Mali") || gpi_contains(info->name, "Immortalis"))
        return GP_DEVICE_CLASS_MALI;
    if (gpi_contains(info->name, "Adreno") || gpi_contains(info->vendor, "Qualcomm") ||
        gpi_contains(info->vendor, "QUALCOMM")) {
        return GP_DEVICE_CLASS_ADRENO;
    }
    if (gpi_contains(info->vendor, "Apple")) return GP_DEVICE_CLASS_APPLE;
    return GP_DEVICE_CLASS_UNKNOWN;
}

/* Returns the class of a device by platform and vendor, never by the device type alone: llvmpipe reports itself as a CPU. */
static gp_device_class gpi_class_of(const gp_device_info *info)
{
    const bool gpu = (info->device_type & CL_DEVICE_TYPE_GPU) != 0;
    const bool cpu = (info->device_type & CL_DEVICE_TYPE_CPU) != 0;
    if (gpi_is_llvmpipe(info)) return GP_DEVICE_CLASS_LLVMPIPE;
    if (cpu && gpi_is_pocl(info)) return GP_DEVICE_CLASS_POCL;
    if (gpi_is_intel_cpu(info)) return GP_DEVICE_CLASS_INTEL_CPU;
    if (cpu && gpi_contains(info->platform_name, "Apple"))
        return GP_DEVICE_CLASS_INTEL_CPU; /* groups have one item */
    return gpu ? gpi_class_of_gpu(info) : GP_DEVICE_CLASS_UNKNOWN;
}

static cl_int gpi_device_probe(cl_platform_id platform, cl_device_id device, gp_device_info *info)
{
    gpi_probe probe;
    cl_ulong atomics = 0;
    probe.device = device;
    memset(info, 0, sizeof *info);
    info->platform = platform;
    info->device = device;
    probe.error = clGetPlatformInfo(platform, CL_PLATFORM_NAME, GP_NAME_MAX - 1, info->platform_name, NULL);
    gpi_probe_name(&probe, CL_DEVICE_NAME, info->name);
    gpi_probe_name(&probe, CL_DEVICE_VENDOR, info->vendor);
    gpi_probe_name(&probe, CL_DEVICE_VERSION, info->version);
    gpi_probe_name(&probe, CL_DRIVER_VERSION, info->driver_version);
    info->device_type = gpi_probe_ulong(&probe, CL_DEVICE_TYPE);
    info->compute_units = gpi_probe_uint(&probe, CL_DEVICE_MAX_COMPUTE_UNITS);
    gpi_probe_get(&probe, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof info->max_work_group_size,
                  &info->max_work_group_size);
    info->global_mem_size = gpi_probe_ulong(&probe, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_alloc_size = gpi_probe_ulong(&probe, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->local_mem_size = gpi_probe_ulong(&probe, CL_DEVICE_LOCAL_MEM_SIZE);
    info->global_cache_size = gpi_probe_ulong(&probe, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    info->local_mem_dedicated = gpi_probe_uint(&probe, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
    info->device_class = gpi_class_of(info);
    gpi_probe_extensions(&probe, info);
    gpi_probe_newer(&probe, GPI_CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, sizeof atomics, &atomics);
    info->atomic_acq_rel = (atomics & GPI_CL_DEVICE_ATOMIC_ORDER_ACQ_REL) != 0;
    info->atomic_scope_device = (atomics & GPI_CL_DEVICE_ATOMIC_SCOPE_DEVICE) != 0;
    info->fair = gpi_is_fair(info);
    info->loop_limit = gpi_loop_limit(info);
    return probe.error;
}

/* ------------------------------------------------------------------ list */

/* The first failed query, because of which a device or platform was left out. */
typedef struct gpi_left_out {
    const char *call; /* NULL: no device was left out */
    cl_int error;
} gpi_left_out;

static void gpi_leave_out(gpi_left_out *left_out, const char *call, cl_int error)
{
    if (left_out->call || error == CL_SUCCESS || error == CL_DEVICE_NOT_FOUND) return;
    left_out->call = call;
    left_out->error = error;
}

/* Fails with `text`, the reason why there is no device. If a device was left out, appends the query that failed. */
static gp_result gpi_fail_no_device(const gpi_left_out *left_out, const char *text)
{
    const bool no_memory = left_out->error == CL_OUT_OF_HOST_MEMORY;
    if (!left_out->call) return gpi_fail_text(NULL, GP_ERROR_NO_DEVICE, "%s", text);
    return gpi_fail_text(NULL, no_memory ? GP_ERROR_OUT_OF_HOST_MEMORY : GP_ERROR_NO_DEVICE,
                         "%s; left out because %s returned %s (%d)", text, left_out->call,
                         gpi_cl_error_name(left_out->error), (int)left_out->error);
}

/* Appends the platform's devices to the *count devices of *all. Returns false if there is no memory. */
static bool gpi_devices_of(cl_platform_id platform, gp_device_info **all, size_t *count,
                           gpi_left_out *left_out)
{
    cl_device_id devices[GPI_DEVICES_MAX];
    gp_device_info *grown;
    cl_uint n = 0, d;
    const cl_int error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, GPI_DEVICES_MAX, devices, &n);
    gpi_leave_out(left_out, "clGetDeviceIDs", error);
    if (error != CL_SUCCESS || n == 0) return true;
    if (n > GPI_DEVICES_MAX) n = GPI_DEVICES_MAX;
    grown = (gp_device_info *)GP_REALLOC(*all, (*count + n) * sizeof **all);
    if (!grown) return false;
    *all = grown;
    for (d = 0; d < n; d++) {
        const cl_int unknown = gpi_device_probe(platform, devices[d], &grown[*count]);
        gpi_leave_out(left_out, GPI_PROBE_CALLS, unknown);
        if (unknown != CL_SUCCESS) break; /* leaves out later devices, too, whose indices would change */
        ++*count;
    }
    return true;
}

/* Finds all devices of all platforms. The caller holds the lock. */
static gp_result gpi_devices_find(gp_device_info **out, size_t *count, gpi_left_out *left_out)
{
    cl_platform_id platforms[32];
    cl_uint platform_count = 0, p;
    const cl_int error = clGetPlatformIDs(32, platforms, &platform_count);
    *out = NULL;
    *count = 0;
    memset(left_out, 0, sizeof *left_out);
    if (error != CL_SUCCESS || platform_count == 0) {
        return gpi_fail_text(NULL, GP_ERROR_NO_PLATFORM, "clGetPlatformIDs returned %s (%d) and %u platforms",
                             error ? gpi_cl_error_name(error) : "CL_SUCCESS", (int)error, platform_count);
    }
    for (p = 0; p < platform_count && p < GPI_COUNT_OF(platforms); p++) {
        if (gpi_devices_of(platforms[p], out, count, left_out)) continue;
        GP_FREE(*out);
        *out = NULL;
        *count = 0;
        return gpi_fail_text(NULL, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory for the list of devices");
    }
    if (*count > 0) return GP_OK;
    GP_FREE(*out);
    *out = NULL;
    return gpi_fail_no_device(left_out, "no platform that is installed has a device");
}

/* Sets *out to all devices of all platforms, which the caller frees. If there are none, sets *count to 0 and fails. */
static gp_result gpi_devices_all(gp_device_info **out, size_t *count, gpi_left_out *left_out)
{
    gp_result result;
    gpi_discovery_begin();
    result = gpi_devices_find(out, count, left_out);
    gpi_discovery_end();
    return result;
}

GP_API gp_result gp_devices(gp_device_info *infos, size_t capacity, size_t *count)
{
    gp_device_info *all;
    gpi_left_out left_out;
    size_t n, i;
    gp_result result;
    gpi_enter(NULL, __func__);
    if (!count || (!infos && capacity > 0)) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "count is NULL, or infos with a capacity");
    }
    *count = 0;
    result = gpi_check_use(NULL);
    if (result != GP_OK) return result;
    result = gpi_devices_all(&all, &n, &left_out);
    *count = n;
    for (i = 0; i < n && i < capacity; i++) infos[i] = all[i];
    GP_FREE(all);
    return result;
}

/* ------------------------------------------------------------------ choice */

static char gpi_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool gpi_contains_anycase(const char *text, const char *part)
{
    for (;; text++) {
        size_t i = 0;
        while (part[i] && gpi_lower(text[i]) == gpi_lower(part[i])) i++;
        if (!part[i]) return true;
        if (!*text) return false;
    }
}

static bool gpi_same_anycase(const char *a, const char *b)
{
    return strlen(a) == strlen(b) && gpi_contains_anycase(a, b);
}

/* Reads a filter such as "1:0": the positions of platform and device in clGetPlatformIDs and clGetDeviceIDs. */
static bool gpi_filter_indices(const char *filter, unsigned long *platform, unsigned long *device)
{
    char *end;
    if (!gpi_is_digit(filter[0])) return false;
    *platform = strtoul(filter, &end, 10);
    if (end[0] != ':' || !gpi_is_digit(end[1])) return false;
    *device = strtoul(end + 1, &end, 10);
    return *end == '\0';
}

/* Sets *platform to the index of all[i]'s platform (32: not found), and *device to the device's index in that
   platform. */
static void gpi_device_indices(const gp_device_info *all, size_t i, unsigned *platform, size_t *device)
{
    cl_platform_id platforms[32];
    cl_uint count = 0;
    size_t first = i;
    if (clGetPlatformIDs(32, platforms, &count) != CL_SUCCESS) count = 0;
    while (first > 0 && all[first - 1].platform == all[i].platform) first--;
    *device = i - first;
    *platform = 0;
    while (*platform < 32 && (*platform >= count || platforms[*platform] != all[i].platform)) ++*platform;
}

static bool gpi_matches(const gp_device_info *all, size_t i, const char *filter)
{
    unsigned long platform, device;
    unsigned own_platform;
    size_t own_device;
    if (!filter || !*filter) return true;
    if (gpi_same_anycase(filter, "gpu")) return (all[i].device_type & CL_DEVICE_TYPE_GPU) != 0;
    if (gpi_same_anycase(filter, "cpu")) return (all[i].device_type & CL_DEVICE_TYPE_CPU) != 0;
    if (gpi_same_anycase(filter, "accelerator"))
        return (all[i].device_type & CL_DEVICE_TYPE_ACCELERATOR) != 0;
    if (gpi_filter_indices(filter, &platform, &device)) {
        gpi_device_indices(all, i, &own_platform, &own_device);
        return own_platform == platform && own_device == device;
    }
    return gpi_contains_anycase(all[i].name, filter) || gpi_contains_anycase(all[i].platform_name, filter) ||
           gpi_contains_anycase(all[i].version, filter);
}

/* Returns a score that prefers GPUs to accelerators, accelerators to CPUs, and among devices of one type the one with
   more compute units. A software rasterizer and Mesa's retired implementation rank below other devices of their
   type. */
static int64_t gpi_score_default(const gp_device_info *info)
{
    int64_t score = info->compute_units;
    if (info->device_type & CL_DEVICE_TYPE_GPU) score += 300000;
    if (info->device_type & CL_DEVICE_TYPE_ACCELERATOR) score += 200000;
    if (info->device_type & CL_DEVICE_TYPE_CPU) score += 100000;
    if (gpi_is_llvmpipe(info) || gpi_contains(info->platform_name, "Clover")) score -= 50000;
    return score;
}

/* Fails with the reason why no device is chosen, and a list of the devices. */
static gp_result gpi_fail_no_match(const gp_context_desc *desc, const char *filter, const gp_device_info *all,
                                   size_t count, const gpi_left_out *left_out)
{
    char text[800], quoted[GPI_QUOTE_MAX];
    const bool filtered = filter && *filter;
    size_t i, used;
    used = (size_t)snprintf(
        text, sizeof text, "gp_context_create: no device %s%s%s%s%s; there are:", filtered ? "matches " : "",
        !filtered             ? ""
        : desc->device_filter ? "device_filter = "
                              : "GPUPRIM_DEVICE = ",
        filtered ? gpi_quote(filter, strlen(filter), quoted) : "", filtered && desc->score ? " and " : "",
        desc->score ? "has a score of 0 or more" : "");
    for (i = 0; i < count && used < sizeof text; i++) {
        unsigned platform;
        size_t device;
        gpi_device_indices(all, i, &platform, &device);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %u:%zu %s (%s)", i ? "," : "", platform,
                                 device, all[i].name, all[i].platform_name);
    }
    return gpi_fail_no_device(left_out, text);
}

static gp_result gpi_device_choose(const gp_context_desc *desc, gp_device_info *info)
{
    const char *filter = desc->device_filter ? desc->device_filter : getenv("GPUPRIM_DEVICE");
    gp_device_info *all;
    gpi_left_out left_out;
    size_t count, i;
    int64_t best = -1;
    gp_result result = gpi_devices_all(&all, &count, &left_out);
    if (result != GP_OK) return result;
    for (i = 0; i < count; i++) {
        int64_t score;
        if (!gpi_matches(all, i, filter)) continue;
        score = desc->score ? desc->score(&all[i], desc->score_user) : gpi_score_default(&all[i]);
        if (score <= best) continue;
        best = score;
        *info = all[i];
    }
    if (best < 0) result = gpi_fail_no_match(desc, filter, all, count, &left_out);
    GP_FREE(all);
    return result;
}
