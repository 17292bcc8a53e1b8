/* 01_scan.c - running totals of an array, of all of it and by week, on the first device that gpuprim finds.

   cc -std=c99 01_scan.c -lOpenCL */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

static int fail(const gp_context *gp)
{
    fprintf(stderr, "%s\n", gp_last_error(gp));
    return 1;
}

int main(void)
{
    enum { COUNT = 10 };
    const uint32_t sales[COUNT] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
    const uint8_t week[COUNT] = {1, 1, 1, 2, 2, 2, 2, 2, 2, 2};
    uint32_t total[COUNT], total_of_week[COUNT];
    gp_context_desc device = {0};
    gp_scan_desc scan = {0};
    gp_context *gp;
    int i;

    if (gp_context_create(&device, &gp) != GP_OK) return fail(NULL);
    if (gp_buffer_create(gp, sizeof sales, sales, &scan.in) != GP_OK) return fail(gp);
    if (gp_buffer_create(gp, sizeof total, NULL, &scan.out) != GP_OK) return fail(gp);

    scan.count = COUNT;
    scan.type = GP_U32;
    scan.op = GP_SUM;
    if (gp_scan(gp, &scan) != GP_OK) return fail(gp);

    clEnqueueReadBuffer(gp_cl_queue(gp), scan.out, CL_TRUE, 0, sizeof total, total, 0, NULL, NULL);

    scan.segments = GP_SEGMENTS_BY_KEYS; /* a segment for each run of equal keys */
    scan.heads_type = GP_U8;
    if (gp_buffer_create(gp, sizeof week, week, &scan.heads) != GP_OK) return fail(gp);
    if (gp_scan(gp, &scan) != GP_OK) return fail(gp);
    clEnqueueReadBuffer(gp_cl_queue(gp), scan.out, CL_TRUE, 0, sizeof total, total_of_week, 0, NULL, NULL);

    printf("%s\n", gp_context_info(gp)->name);
    for (i = 0; i < COUNT; i++) {
        printf("day %d: %u sold, %u so far, %u of them in week %u\n", i + 1, sales[i], total[i],
               total_of_week[i], week[i]);
    }

    clReleaseMemObject(scan.in);
    clReleaseMemObject(scan.out);
    clReleaseMemObject(scan.heads);
    gp_context_destroy(gp);
    return 0;
}
