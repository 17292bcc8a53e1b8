#include <stdio.h>
#define GP_IMPLEMENTATION /* in exactly one C or C++ file */
#include "gpuprim.h"

int main(void)
{
    const uint32_t sales[5] = {3, 1, 4, 1, 5};
    uint32_t total[5];
    gp_context_desc device = {0};
    gp_scan_desc scan = {.count = 5, .type = GP_U32, .op = GP_SUM};
    gp_context *gp;

    if (gp_context_create(&device, &gp) != GP_OK) return puts(gp_last_error(NULL));
    gp_buffer_create(gp, sizeof sales, sales, &scan.in);
    gp_buffer_create(gp, sizeof total, NULL, &scan.out);
    if (gp_scan(gp, &scan) != GP_OK) puts(gp_last_error(gp));
    clEnqueueReadBuffer(gp_cl_queue(gp), scan.out, CL_TRUE, 0, sizeof total, total, 0, NULL, NULL);
    for (int i = 0; i < 5; i++) printf("%u\n", total[i]); /* 3 4 8 9 14 */
    clReleaseMemObject(scan.in);
    clReleaseMemObject(scan.out);
    gp_context_destroy(gp);
}
