/* Chapter "Waiting and forward progress". */
#include "manual.h"

int main(void)
{
    /* [context] */
    /* No group waits for another, in any call: */
    gp_context_desc device = {.strategy = GP_STRATEGY_MULTI_PASS};
    gp_context *gp;
    if (gp_context_create(&device, &gp) != GP_OK) puts(gp_last_error(NULL)), exit(1);
    /* [/context] */
    cl_mem a = buffer_of(gp, 1000 * sizeof(uint32_t), NULL);
    gp_iota_desc iota = {.out = a, .type = GP_U32, .count = 1000};
    TRY(gp_iota(gp, &iota));
    /* [call] */
    gp_scan_desc scan = {.in = a,
                         .out = a,
                         .count = 1000,
                         .type = GP_U32,
                         .op = GP_SUM,
                         .strategy = GP_STRATEGY_SINGLE_PASS}; /* this one may */
    TRY(gp_scan(gp, &scan));
    /* [/call] */
    /* [stats] */
    gp_stats stats;
    TRY(gp_stats_read(gp, &stats)); /* blocks until the queue is idle */
    printf("%llu late tiles computed by a group that waited\n", (unsigned long long)stats.fallbacks);
    /* [/stats] */
    uint32_t sums[1000];
    read_back(gp, a, sizeof sums, sums);
    EXPECT(sums[999] == 499500);
    printf("fair: %d\n", gp_context_info(gp)->fair);
    clReleaseMemObject(a);
    gp_context_destroy(gp);
    return 0;
}
