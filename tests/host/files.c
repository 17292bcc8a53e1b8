/* files.c - gp_host_sort and gp_host_group_by of files that are mapped into memory, temporary ones too, while the process
   may have little memory of its own: what is in files the system can write back and take away at any time.

   files FOLDER [N] [BUDGET]: N keys with values of 32 bits (2^27), BUDGET bytes of device memory (16 MiB). The limit is RLIMIT_DATA: memory that
   is private and written to, the drivers' and the device's included (PoCL), beyond what the process has before. */
#define _DEFAULT_SOURCE
#define GP_IMPLEMENTATION
#define GP_HOST_IMPLEMENTATION
#include "../../gpuprim_host.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static gp_context *gp;
static const char *folder;

static void need(int right, const char *what)
{
    if (right) return;
    fprintf(stderr, "files: %s: %s\n", what, gp_last_error(gp));
    exit(1);
}

/* A temporary file of so many bytes, which is gone with the process. */
static void *file_of(size_t bytes)
{
    char name[4096];
    void *memory = MAP_FAILED;
    int file;
    snprintf(name, sizeof name, "%s/gpuprim.XXXXXX", folder);
    file = mkstemp(name);
    if (file >= 0 && unlink(name) == 0 && posix_fallocate(file, 0, (off_t)bytes) == 0)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    need(memory != MAP_FAILED, "no room for a temporary file");
    close(file);
    return memory;
}

/* Of /proc/self/status, in bytes. */
static size_t status(const char *name)
{
    char line[256];
    size_t kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, name, strlen(name)) == 0) kib = strtoul(line + strlen(name), NULL, 10);
    if (f) fclose(f);
    return kib << 10;
}

static size_t most; /* of private memory that is there */

static int watch(uint64_t done, uint64_t total, void *user)
{
    const size_t now = status("RssAnon:");
    (void)done, (void)total, (void)user;
    if (now > most) most = now;
    return 0;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct arrays {
    uint32_t *keys, *values, *keys_out, *values_out, *keys_tmp;
    uint64_t *sums, *sums_tmp;
    uint64_t groups;
} arrays;

static void run_sort(const arrays *a, size_t n, size_t budget)
{
    const gp_host_sort_desc sort = {.keys = a->keys,
                                    .keys_out = a->keys_out,
                                    .values = a->values,
                                    .values_out = a->values_out,
                                    .keys_tmp = a->keys_tmp,
                                    .values_tmp = a->sums_tmp,
                                    .count = n,
                                    .key_type = GP_U32,
                                    .value_size = 4,
                                    .budget = budget,
                                    .progress = watch};
    need(gp_host_sort(gp, &sort) == GP_OK, "gp_host_sort");
}

static void run_group_by(arrays *a, size_t n, size_t budget)
{
    const gp_host_group_by_desc group_by = {.keys = a->keys,
                                            .in = a->values,
                                            .keys_out = a->keys_out,
                                            .out = a->sums,
                                            .groups = &a->groups,
                                            .keys_tmp = a->keys_tmp,
                                            .values_tmp = a->sums_tmp,
                                            .count = n,
                                            .key_type = GP_U32,
                                            .type = GP_U32,
                                            .op = GP_SUM,
                                            .budget = budget,
                                            .progress = watch};
    need(gp_host_group_by(gp, &group_by) == GP_OK, "gp_host_group_by");
}

/* Every key differs from most others; a value is made of its index. */
static uint32_t key_at(size_t i)
{
    uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(x >> 32);
}

static uint32_t value_of(uint32_t key) { return key * 2654435761u >> 8 | 1; }

static void check_sorted(const arrays *a, size_t n, uint64_t sum)
{
    size_t i;
    for (i = 0; i < n; i++) {
        need((i == 0 || a->keys_out[i - 1] <= a->keys_out[i]) && a->values_out[i] == value_of(a->keys_out[i]),
             "gp_host_sort: wrong order, or another key's value");
        sum -= a->keys_out[i];
    }
    need(sum == 0, "gp_host_sort: other keys than the input's");
}

/* All of a key's values are the same. */
static void check_grouped(const arrays *a, size_t n)
{
    uint64_t rows = 0, g;
    for (g = 0; g < a->groups; g++) {
        const uint64_t value = value_of(a->keys_out[g]);
        need((g == 0 || a->keys_out[g - 1] < a->keys_out[g]) && a->sums[g] % value == 0,
             "gp_host_group_by: wrong groups");
        rows += a->sums[g] / value;
    }
    need(rows == n, "gp_host_group_by: wrong sums");
}

int main(int argc, char **argv)
{
    const size_t n = argc > 2 ? strtoull(argv[2], NULL, 0) : (size_t)1 << 27;
    const size_t budget = argc > 3 ? strtoull(argv[3], NULL, 0) : (size_t)16 << 20, small = 1 << 20;
    const gp_context_desc desc = {0};
    struct rlimit limit;
    arrays a = {0};
    uint64_t sum = 0;
    size_t i, own;
    double began;
    folder = argc > 1 ? argv[1] : ".";
    need(gp_context_create(&desc, &gp) == GP_OK, "gp_context_create");
    a.keys = file_of(n * 4);
    a.values = file_of(n * 4);
    a.keys_out = file_of(n * 4);
    a.values_out = file_of(n * 4);
    a.sums = file_of(n * 8);
    a.keys_tmp = file_of(2 * n * 4);
    a.sums_tmp = file_of(2 * n * 8);
    for (i = 0; i < n; i++) {
        a.keys[i] = key_at(i);
        a.values[i] = value_of(a.keys[i]);
        sum += a.keys[i];
    }
    run_sort(&a, n < small ? n : small, budget / 4); /* builds programs, which takes memory of its own */
    run_group_by(&a, n < small ? n : small, budget / 4);
    own = status("VmData:");
    limit.rlim_cur = limit.rlim_max = own + 2 * budget;
    need(setrlimit(RLIMIT_DATA, &limit) == 0, "setrlimit");
    need(malloc(4 * budget) == NULL, "the limit is not in force"); /* NOLINT: it is not there */
    printf("files: %zu keys and values, %zu MiB, in files of %zu MiB in all; the process has %zu MiB, and "
           "may have %zu\n",
           n, n * 8 >> 20, n * 48 >> 20, own >> 20, (size_t)limit.rlim_cur >> 20);
    most = 0;
    began = seconds();
    run_sort(&a, n, budget);
    printf("files: gp_host_sort: %.2f s, at most %zu MiB of the process's own\n", seconds() - began,
           most >> 20);
    check_sorted(&a, n, sum);
    most = 0;
    began = seconds();
    run_group_by(&a, n, budget);
    printf("files: gp_host_group_by: %.2f s, %zu groups, at most %zu MiB of the process's own\n",
           seconds() - began, (size_t)a.groups, most >> 20);
    check_grouped(&a, n);
    gp_context_destroy(gp);
    puts("files: right");
    return 0;
}
