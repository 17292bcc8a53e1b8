/* Chapter "Debugging". */
#include "manual.h"

static int failures;

/* [log] */
static void log_line(gp_log_level level, const char *text, void *user)
{
    static const char *const names[] = {"error", "warning", "info"};
    (void)user;
    fprintf(stderr, "gpuprim, %s: %s\n", names[level], text);
}

static void failed_later(gp_result result, const char *text, void *user)
{
    (void)user;
    fprintf(stderr, "gpuprim: a command failed: %s (%s)\n", text, gp_error_string(result));
    failures++;
}
/* [/log] */

static void text(gp_context *gp)
{
    cl_mem a = buffer_of(gp, 4000, NULL);
    /* [text] */
    uint64_t count;
    gp_reduce_desc d = {
        .in = a, .count = 1000, .type = GP_U32, .map = "x > limit", .out_type = GP_U64, .op = GP_SUM};
    if (gp_reduce_read(gp, &d, &count) == GP_ERROR_BUILD) puts(gp_last_error(gp)); /* map:1:5: no `limit` */
    d.map = NULL;
    d.count = 2000;
    if (gp_reduce_read(gp, &d, &count) == GP_ERROR_INVALID_BUFFER) puts(gp_last_error(gp));
    /* [/text] */
    EXPECT(strstr(gp_last_error(gp), "GP_ERROR_INVALID_BUFFER"));
    d.count = 1000;
    TRY(gp_reduce_read(gp, &d, &count)); /* the context goes on working */
    clReleaseMemObject(a);
}

static void later(gp_context *gp)
{
    cl_mem a = buffer_of(gp, 4000, NULL);
    cl_int error;
    cl_event event = clCreateUserEvent(gp_cl_context(gp), &error);
    EXPECT(error == CL_SUCCESS);
    gp_iota_desc d = {.out = a, .type = GP_U32, .count = 1000, .wait = &event, .wait_count = 1};
    TRY(gp_iota(gp, &d));
    clSetUserEventStatus(event, CL_COMPLETE);
    /* [finish] */
    if (gp_finish(gp) != GP_OK) puts(gp_last_error(gp)); /* what failed since the last gp_finish */
    /* [/finish] */
    EXPECT(failures == 0);
    clReleaseEvent(event);
    clReleaseMemObject(a);
}

static void times(gp_context *gp)
{
    cl_mem a = buffer_of(gp, 1 << 22, NULL);
    gp_sort_desc sort = {.keys = a, .count = 1 << 20, .key_type = GP_U32};
    TRY(gp_sort(gp, &sort));
    /* [times] */
    gp_kernel_times kernels[64];
    size_t count;
    TRY(gp_stats_kernels(gp, kernels, 64, &count)); /* with .profile = true in gp_context_desc */
    for (size_t i = 0; i < count && i < 64; i++) {
        printf("%-32s %4llu launches %8.3f ms\n", kernels[i].name, (unsigned long long)kernels[i].launches,
               (double)kernels[i].total_ns / 1e6);
    }
    /* [/times] */
    EXPECT(count > 0);
    clReleaseMemObject(a);
}

int main(void)
{
    /* [context] */
    gp_context_desc device = {.log = log_line, .on_async_error = failed_later, .profile = true};
    gp_context *gp;
    if (gp_context_create(&device, &gp) != GP_OK) puts(gp_last_error(NULL)), exit(1);
    /* [/context] */
    text(gp);
    later(gp);
    times(gp);
    /* [self-test] */
    gp_self_test_desc test = {.filter = "scan"}; /* NULL: all calls */
    if (gp_self_test(gp, &test) != GP_OK) puts(gp_last_error(gp));
    /* [/self-test] */
    TRY(gp_self_test(gp, &test));
    gp_context_destroy(gp);
    return 0;
}
