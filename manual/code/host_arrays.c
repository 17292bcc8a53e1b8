/* The code of host-arrays.md. */
#define _POSIX_C_SOURCE 200809L
#define GP_HOST_IMPLEMENTATION
#include "gpuprim_host.h"
#include "manual.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* [scan] */
static int tell(uint64_t done, uint64_t total, void *user)
{
    (void)user;
    return printf("%3.0f %%\n", 100.0 * (double)done / (double)total) < 0; /* 0: go on */
}

static void running_totals(gp_context *gp, const uint32_t *numbers, uint64_t *totals, size_t n)
{
    gp_host_scan_desc scan = {.in = numbers,
                              .out = totals,
                              .count = n,
                              .type = GP_U32,
                              .out_type = GP_U64,
                              .op = GP_SUM,
                              .budget = 64 << 20,
                              .progress = tell};
    TRY(gp_host_scan(gp, &scan));
}
/* [/scan] */

/* [group-by] */
static uint64_t totals_by_customer(gp_context *gp, const uint32_t *customers, const float *prices,
                                   size_t rows, uint32_t *customer, float *total, size_t room)
{
    uint64_t groups = 0;
    gp_host_group_by_desc group_by = {.keys = customers,
                                      .in = prices,
                                      .keys_out = customer, /* in ascending order */
                                      .out = total,
                                      .room = room,
                                      .groups = &groups,
                                      .count = rows,
                                      .key_type = GP_U32,
                                      .type = GP_F32,
                                      .op = GP_SUM};
    TRY(gp_host_group_by(gp, &group_by));
    return groups;
}
/* [/group-by] */

/* [files] */
/* A temporary file as memory, which is gone when it is unmapped; NULL: there is no room for it. POSIX. */
static void *temporary(const char *folder, size_t bytes)
{
    char name[1024];
    void *memory = MAP_FAILED;
    snprintf(name, sizeof name, "%s/sort.XXXXXX", folder);
    int file = mkstemp(name);
    if (file < 0) return NULL;
    unlink(name);
    if (posix_fallocate(file, 0, (off_t)bytes) == 0)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return memory == MAP_FAILED ? NULL : memory;
}

static void sort_large(gp_context *gp, uint64_t *keys, size_t n)
{
    gp_host_sort_desc sort = {.keys = keys,
                              .keys_out = keys,
                              .keys_tmp = temporary("/var/tmp", n * sizeof *keys),
                              .count = n,
                              .key_type = GP_U64};
    if (!sort.keys_tmp) puts("no room in /var/tmp"), exit(1);
    TRY(gp_host_sort(gp, &sort));
    munmap(sort.keys_tmp, n * sizeof *keys);
}
/* [/files] */

/* [devices] */
static size_t open_all(gp_context *contexts[8])
{
    gp_device_info devices[8];
    size_t found = 0, opened = 0;
    if (gp_devices(devices, 8, &found) != GP_OK) return 0;
    for (size_t i = 0; i < found && i < 8; i++) {
        const gp_context_desc desc = {.device = devices[i].device};
        if (gp_context_create(&desc, &contexts[opened]) == GP_OK) opened++;
    }
    return opened;
}

static void sort_on_all(gp_context *const *contexts, size_t n_contexts, uint32_t *keys, size_t n)
{
    gp_context *gp = contexts[0];
    gp_host_sort_desc sort = {.keys = keys,
                              .keys_out = keys,
                              .count = n,
                              .key_type = GP_U32,
                              .others = contexts + 1,
                              .other_count = n_contexts - 1};
    TRY(gp_host_sort(gp, &sort));
}
/* [/devices] */

int main(void)
{
    enum { N = 1000000 };
    static uint32_t numbers[N];
    static uint64_t totals[N];
    static uint32_t customers[N], customer[1000];
    static float prices[N], total[1000];
    const gp_context_desc device = {0};
    gp_context *gp, *contexts[8];
    uint64_t sum = 0;
    size_t opened;
    if (gp_context_create(&device, &gp) != GP_OK) return puts(gp_last_error(NULL)), 1;
    for (size_t i = 0; i < N; i++) numbers[i] = (uint32_t)i * 2654435761u;
    running_totals(gp, numbers, totals, N);
    for (size_t i = 0; i < N; i++) {
        sum += numbers[i];
        if (totals[i] != sum) return puts("wrong"), 1;
    }
    for (size_t i = 0; i < N; i++) {
        customers[i] = (uint32_t)i % 1000;
        prices[i] = 0.5f;
    }
    if (totals_by_customer(gp, customers, prices, N, customer, total, 1000) != 1000) return puts("wrong"), 1;
    for (size_t g = 0; g < 1000; g++) {
        if (customer[g] != g || total[g] != 500.0f) return puts("wrong"), 1;
    }
    for (size_t i = 0; i < N; i++) totals[i] *= 0x9e3779b97f4a7c15u;
    sort_large(gp, totals, N);
    for (size_t i = 1; i < N; i++) {
        if (totals[i - 1] > totals[i]) return puts("wrong"), 1;
    }
    opened = open_all(contexts);
    if (!opened) return puts("no device"), 1;
    sort_on_all(contexts, opened, numbers, N);
    while (opened) gp_context_destroy(contexts[--opened]);
    for (size_t i = 1; i < N; i++) {
        if (numbers[i - 1] > numbers[i]) return puts("wrong"), 1;
    }
    gp_context_destroy(gp);
    return 0;
}
