/* A program of somebody else's: running sums, checked. */
#include <stdio.h>
#define GP_IMPLEMENTATION
#include "gpuprim.h"

int main(void)
{
    enum { COUNT = 1000 };
    uint32_t data[COUNT], sums[COUNT], sum = 0;
    gp_context_desc device = {0};
    gp_scan_desc scan = {.count = COUNT, .type = GP_U32, .op = GP_SUM};
    gp_context *gp;
    int i, wrong = 0;

    for (i = 0; i < COUNT; i++) data[i] = (uint32_t)i;
    if (gp_context_create(&device, &gp) != GP_OK) return puts(gp_last_error(NULL)), 1;
    if (gp_buffer_create(gp, sizeof data, data, &scan.in) != GP_OK ||
        gp_buffer_create(gp, sizeof sums, NULL, &scan.out) != GP_OK || gp_scan(gp, &scan) != GP_OK) {
        return puts(gp_last_error(gp)), 1;
    }
    if (clEnqueueReadBuffer(gp_cl_queue(gp), scan.out, CL_TRUE, 0, sizeof sums, sums, 0, NULL, NULL))
        return 1;
    for (i = 0; i < COUNT; i++) wrong += sums[i] != (sum += data[i]);
    clReleaseMemObject(scan.in);
    clReleaseMemObject(scan.out);
    gp_context_destroy(gp);
    return wrong != 0;
}
