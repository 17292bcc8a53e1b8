/* device.c - which device, and what it can do. */
#include "internal.h"

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

/* The whole text of a device property, to be freed; NULL when there is none. */
static char *gpi_device_text(cl_device_id device, cl_device_info what)
{
    size_t size = 0;
    char *text;
    if (clGetDeviceInfo(device, what, 0, NULL, &size) != CL_SUCCESS || size == 0) return NULL;
    text = (char *)malloc(size + 1);
    if (!text) return NULL;
    text[size] = '\0';
    if (clGetDeviceInfo(device, what, size, text, NULL) == CL_SUCCESS) return text;
    free(text);
    return NULL;
}

static void gpi_device_name(cl_device_id device, cl_device_info what, char out[GP_NAME_MAX])
{
    char *text = gpi_device_text(device, what);
    (void)snprintf(out, GP_NAME_MAX, "%s", text ? text : "");
    free(text);
}

static cl_ulong gpi_device_ulong(cl_device_id device, cl_device_info what)
{
    cl_ulong value = 0;
    return clGetDeviceInfo(device, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

static cl_uint gpi_device_uint(cl_device_id device, cl_device_info what)
{
    cl_uint value = 0;
    return clGetDeviceInfo(device, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

static bool gpi_contains(const char *text, const char *part) { return strstr(text, part) != NULL; }

/* Mesa's software rasterizer: calls itself a CPU, is shaped like a GPU, leaves loops after 65,535 turns. */
static bool gpi_is_llvmpipe(const gp_device_info *info) { return gpi_contains(info->name, "llvmpipe"); }

static void gpi_probe_extensions(cl_device_id device, gp_device_info *info)
{
    char *extensions = gpi_device_text(device, CL_DEVICE_EXTENSIONS);
    if (!extensions) return;
    info->int64_base_atomics = gpi_has_extension(extensions, "cl_khr_int64_base_atomics");
    info->int64_extended_atomics = gpi_has_extension(extensions, "cl_khr_int64_extended_atomics");
    info->fp64 = gpi_has_extension(extensions, "cl_khr_fp64");
    info->fp16 = gpi_has_extension(extensions, "cl_khr_fp16");
    info->subgroups = gpi_has_extension(extensions, "cl_khr_subgroups") ||
                      gpi_device_uint(device, GPI_CL_DEVICE_MAX_NUM_SUB_GROUPS) > 0;
    free(extensions);
}

/* Devices whose started groups are known to go on running while another group waits. */
static bool gpi_is_fair(const gp_device_info *info)
{
    if (gpi_is_llvmpipe(info)) return false;
    return gpi_contains(info->platform_name, "Portable Computing Language") ||
           gpi_contains(info->platform_name, "Oclgrind") || gpi_contains(info->vendor, "NVIDIA") ||
           (gpi_contains(info->vendor, "Intel") && info->device_type == CL_DEVICE_TYPE_CPU);
}

static void gpi_device_probe(cl_platform_id platform, cl_device_id device, gp_device_info *info)
{
    cl_ulong atomics;
    memset(info, 0, sizeof *info);
    info->platform = platform;
    info->device = device;
    (void)clGetPlatformInfo(platform, CL_PLATFORM_NAME, GP_NAME_MAX - 1, info->platform_name, NULL);
    gpi_device_name(device, CL_DEVICE_NAME, info->name);
    gpi_device_name(device, CL_DEVICE_VENDOR, info->vendor);
    gpi_device_name(device, CL_DEVICE_VERSION, info->version);
    gpi_device_name(device, CL_DRIVER_VERSION, info->driver_version);
    info->device_type = gpi_device_ulong(device, CL_DEVICE_TYPE);
    info->compute_units = gpi_device_uint(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    (void)clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof info->max_work_group_size,
                          &info->max_work_group_size, NULL);
    info->global_mem_size = gpi_device_ulong(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_alloc_size = gpi_device_ulong(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->local_mem_size = gpi_device_ulong(device, CL_DEVICE_LOCAL_MEM_SIZE);
    info->global_cache_size = gpi_device_ulong(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    info->local_mem_dedicated = gpi_device_uint(device, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
    gpi_probe_extensions(device, info);
    atomics = gpi_device_ulong(device, GPI_CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES);
    info->atomic_acq_rel = (atomics & GPI_CL_DEVICE_ATOMIC_ORDER_ACQ_REL) != 0;
    info->atomic_scope_device = (atomics & GPI_CL_DEVICE_ATOMIC_SCOPE_DEVICE) != 0;
    info->fair = gpi_is_fair(info);
    info->loop_limit = gpi_is_llvmpipe(info) ? 65535 : 0;
}

/* ------------------------------------------------------------------ list */

/* All devices of all platforms, to be freed; *count is 0 and the result an error when there are none. */
static gp_result gpi_devices_all(gp_device_info **out, size_t *count)
{
    cl_platform_id platforms[32];
    cl_uint platform_count = 0, p;
    const cl_int error = clGetPlatformIDs(32, platforms, &platform_count);
    *out = NULL;
    *count = 0;
    if (error != CL_SUCCESS || platform_count == 0) {
        return gpi_fail(NULL, GP_ERROR_NO_PLATFORM, "clGetPlatformIDs returned %s (%d) and %u platforms",
                        error ? gpi_cl_error_name(error) : "CL_SUCCESS", (int)error, platform_count);
    }
    if (platform_count > 32) platform_count = 32;
    for (p = 0; p < platform_count; p++) {
        cl_device_id devices[64];
        gp_device_info *grown;
        cl_uint n = 0, d;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, devices, &n) != CL_SUCCESS || n == 0)
            continue;
        if (n > 64) n = 64;
        grown = (gp_device_info *)realloc(*out, (*count + n) * sizeof **out);
        if (!grown) {
            free(*out);
            *out = NULL;
            return gpi_fail(NULL, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory for the list of devices");
        }
        *out = grown;
        for (d = 0; d < n; d++) gpi_device_probe(platforms[p], devices[d], &grown[(*count)++]);
    }
    if (*count > 0) return GP_OK;
    return gpi_fail(NULL, GP_ERROR_NO_DEVICE, "%u platforms are installed, none of them has a device",
                    platform_count);
}

GP_API gp_result gp_devices(gp_device_info *infos, size_t capacity, size_t *count)
{
    gp_device_info *all;
    size_t n, i;
    gp_result result;
    if (!count || (!infos && capacity > 0)) {
        return gpi_fail(NULL, GP_ERROR_INVALID_ARGUMENT,
                        "gp_devices: count is NULL, or infos with a capacity");
    }
    result = gpi_devices_all(&all, &n);
    *count = n;
    for (i = 0; i < n && i < capacity; i++) infos[i] = all[i];
    free(all);
    return result;
}

/* ------------------------------------------------------------------ choice */

static bool gpi_is_digit(char c) { return c >= '0' && c <= '9'; }

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

/* "1:0": the position of platform and device in clGetPlatformIDs and clGetDeviceIDs. */
static bool gpi_filter_indices(const char *filter, unsigned long *platform, unsigned long *device)
{
    char *end;
    if (!gpi_is_digit(filter[0])) return false;
    *platform = strtoul(filter, &end, 10);
    if (end[0] != ':' || !gpi_is_digit(end[1])) return false;
    *device = strtoul(end + 1, &end, 10);
    return *end == '\0';
}

/* Position of all[i]'s platform among the platforms, and of the device in its platform. */
static bool gpi_matches_indices(const gp_device_info *all, size_t i, unsigned long platform,
                                unsigned long device)
{
    cl_platform_id platforms[32];
    cl_uint count = 0;
    size_t first = i;
    if (clGetPlatformIDs(32, platforms, &count) != CL_SUCCESS) return false;
    while (first > 0 && all[first - 1].platform == all[i].platform) first--;
    return platform < count && platform < 32 && platforms[platform] == all[i].platform && i - first == device;
}

static bool gpi_matches(const gp_device_info *all, size_t i, const char *filter)
{
    unsigned long platform, device;
    if (!filter || !*filter) return true;
    if (gpi_same_anycase(filter, "gpu")) return (all[i].device_type & CL_DEVICE_TYPE_GPU) != 0;
    if (gpi_same_anycase(filter, "cpu")) return (all[i].device_type & CL_DEVICE_TYPE_CPU) != 0;
    if (gpi_same_anycase(filter, "accelerator"))
        return (all[i].device_type & CL_DEVICE_TYPE_ACCELERATOR) != 0;
    if (gpi_filter_indices(filter, &platform, &device)) return gpi_matches_indices(all, i, platform, device);
    return gpi_contains_anycase(all[i].name, filter) || gpi_contains_anycase(all[i].platform_name, filter) ||
           gpi_contains_anycase(all[i].version, filter);
}

/* GPUs first, then accelerators, then CPUs; among equals the one with more compute units; a software
   rasterizer and Mesa's retired implementation last. */
static int64_t gpi_score_default(const gp_device_info *info)
{
    int64_t score = info->compute_units;
    if (info->device_type & CL_DEVICE_TYPE_GPU) score += 300000;
    if (info->device_type & CL_DEVICE_TYPE_ACCELERATOR) score += 200000;
    if (info->device_type & CL_DEVICE_TYPE_CPU) score += 100000;
    if (gpi_is_llvmpipe(info) || gpi_contains(info->platform_name, "Clover")) score -= 50000;
    return score;
}

static gp_result gpi_device_choose(const gp_context_desc *desc, gp_device_info *info)
{
    const char *filter = desc->device_filter ? desc->device_filter : getenv("GPUPRIM_DEVICE");
    gp_device_info *all;
    size_t count, i;
    int64_t best = -1;
    const gp_result result = gpi_devices_all(&all, &count);
    if (result != GP_OK) return result;
    for (i = 0; i < count; i++) {
        int64_t score;
        if (!gpi_matches(all, i, filter)) continue;
        score = desc->score ? desc->score(&all[i], desc->score_user) : gpi_score_default(&all[i]);
        if (score <= best) continue;
        best = score;
        *info = all[i];
    }
    free(all);
    if (best >= 0) return GP_OK;
    return gpi_fail(NULL, GP_ERROR_NO_DEVICE,
                    "gp_context_create: of %u devices none matches device filter \"%s\"%s", (unsigned)count,
                    filter ? filter : "", desc->score ? " with a score of 0 or more" : "");
}
