/* gpinfo.c - what a bug report needs: devices, what the library knows about one of them, how it runs each
   primitive there, and whether the results are right.

   usage: gpinfo [DEVICE]      (as gp_context_desc.device_filter; else GPUPRIM_DEVICE, else the best one)

   Exit status 0 when the self-test passes.

   cc -std=c99 gpinfo.c -lOpenCL */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <stdio.h>
#include <time.h>

#define GP_IMPLEMENTATION
#include "../gpuprim.h"

enum { DEVICES = 64, MIB = 1 << 20 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ------------------------------------------------------------------ devices */

static const char *type_of(const gp_device_info *info)
{
    return info->device_type & CL_DEVICE_TYPE_GPU           ? "GPU"
           : info->device_type & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator"
           : info->device_type & CL_DEVICE_TYPE_CPU         ? "CPU"
                                                            : "other";
}

static const char *class_of(gp_device_class device_class)
{
    static const char *const names[GP_DEVICE_CLASS_COUNT] = {"auto",     "unknown", "PoCL", "Intel CPU",
                                                             "llvmpipe", "NVIDIA",  "AMD",  "Intel GPU",
                                                             "Mali",     "Adreno",  "Apple"};
    return names[device_class];
}

static void print_devices(void)
{
    static gp_device_info infos[DEVICES];
    size_t count = 0, i;
    if (gp_devices(infos, DEVICES, &count) != GP_OK) puts(gp_last_error(NULL));
    printf("gpuprim %d.%d.%d, devices:\n", GP_VERSION_MAJOR, GP_VERSION_MINOR, GP_VERSION_PATCH);
    for (i = 0; i < count && i < DEVICES; i++)
        printf("  %s: %s (%s)\n", infos[i].platform_name, infos[i].name, type_of(&infos[i]));
}

static void print_flag(const char *name, bool is)
{
    if (is) printf(" %s", name);
}

static void print_info(const gp_device_info *info)
{
    printf("\n%s\n", info->name);
    printf("  platform          %s\n", info->platform_name);
    printf("  vendor            %s\n", info->vendor);
    printf("  version           %s\n", info->version);
    printf("  driver            %s\n", info->driver_version);
    printf("  class             %s, %s\n", type_of(info), class_of(info->device_class));
    printf("  compute units     %u\n", (unsigned)info->compute_units);
    printf("  group size        %zu at most\n", info->max_work_group_size);
    printf("  global memory     %.0f MiB, a buffer %.0f MiB at most, cache %.0f KiB\n",
           (double)info->global_mem_size / MIB, (double)info->max_alloc_size / MIB,
           (double)info->global_cache_size / 1024);
    printf("  local memory      %.0f KiB%s\n", (double)info->local_mem_size / 1024,
           info->local_mem_dedicated ? ", dedicated" : "");
    printf("  has              ");
    print_flag("int64_base_atomics", info->int64_base_atomics);
    print_flag("int64_extended_atomics", info->int64_extended_atomics);
    print_flag("fp64", info->fp64);
    print_flag("fp16", info->fp16);
    print_flag("subgroups", info->subgroups);
    print_flag("atomic_acq_rel", info->atomic_acq_rel);
    print_flag("atomic_scope_device", info->atomic_scope_device);
    print_flag("fair", info->fair);
    if (info->loop_limit) printf("\n  loop limit        %u turns\n", (unsigned)info->loop_limit);
    else puts("\n  loop limit        none");
}

/* ------------------------------------------------------------------ primitives */

typedef struct tally {
    unsigned cases, failed;
} tally;

/* A line as soon as the case has run: where a driver hangs or crashes, the next one is to blame. */
static void print_case(const gp_self_test_case *test, void *user)
{
    static const char *const strategies[GP_STRATEGY_COUNT] = {"-", "single pass", "multi-pass"};
    static const char *const shapes[GP_SHAPE_COUNT] = {"-", "serial", "local", "sub-group"};
    static const char *const words[GP_WORDS_COUNT] = {"-", "wide", "narrow"};
    const gp_tuning *t = &test->tuning;
    tally *tally_ = (tally *)user;
    tally_->cases++;
    tally_->failed += test->result != GP_OK;
    printf("  %-20s %-12s %-9s %5u %8u  %-7s %7u  %s\n", test->name, strategies[test->strategy],
           shapes[t->shape], (unsigned)t->work_group_size, (unsigned)t->tile, words[t->words],
           (unsigned)t->polls, test->result == GP_OK ? "ok" : "FAILED");
    if (test->result != GP_OK) printf("%s\n", test->text);
    fflush(stdout);
}

static bool print_self_test(gp_context *gp)
{
    gp_self_test_desc desc = {0};
    tally all = {0, 0};
    const double begin = now();
    gp_result result;
    double built;
    desc.report = print_case;
    desc.report_user = &all;
    printf("\n  %-20s %-12s %-9s %5s %8s  %-7s %7s  %s\n", "primitive", "strategy", "shape", "group",
           "per item", "words", "polls", "result");
    result = gp_self_test(gp, &desc);
    if (result != GP_OK && all.failed == 0) printf("%s\n", gp_last_error(gp)); /* it did not begin */
    built = now();
    desc.report = NULL;
    desc.report_user = NULL;
    (void)gp_self_test(gp, &desc);
    printf("\nself-test: %u of %u cases passed; %.1f s with programs built or loaded, %.1f s without\n",
           all.cases - all.failed, all.cases, built - begin, now() - built);
    return result == GP_OK;
}

/* Such as that a file which the environment names was refused. */
static void print_warning(gp_log_level level, const char *text, void *user)
{
    (void)user;
    if (level == GP_LOG_WARNING) printf("warning: %s\n", text);
}

int main(int argc, char **argv)
{
    gp_context_desc desc = {0};
    gp_context *gp;
    bool right;
    print_devices();
    desc.device_filter = argc > 1 ? argv[1] : NULL;
    desc.log = print_warning;
    if (gp_context_create(&desc, &gp) != GP_OK) {
        puts(gp_last_error(NULL));
        return 1;
    }
    print_info(gp_context_info(gp));
    right = print_self_test(gp);
    gp_context_destroy(gp);
    return !right;
}
