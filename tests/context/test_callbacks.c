/* test_callbacks.c - functions of the caller's that call the library in the middle of a call of theirs: refused in words,
   and the outer call ends as if they had not. */
#include "../support/support.h"

enum { COUNT = 5000, TEXT = 256 };

/* What a callback does and sees. */
typedef struct caller {
    gp_context *gp;
    cl_mem in, out;
    unsigned calls, refused;
    char text[TEXT]; /* of its last refused call */
    char told[TEXT]; /* what it was told last */
    cl_mem scratch;
} caller;

static gp_scan_desc scan_of(const caller *c, const char *map)
{
    gp_scan_desc d = {0};
    d.in = c->in;
    d.out = c->out;
    d.count = COUNT;
    d.type = GP_U32;
    d.op = GP_SUM;
    d.map = map;
    return d;
}

/* Calls of all kinds with the context at work; the last one would end it. */
static void calls_back(caller *c)
{
    const gp_scan_desc d = scan_of(c, "x + 7"); /* a program that is not built yet */
    gp_warmup_desc warmup = {0};
    gp_stats stats;
    cl_mem buffer;
    if (!c->gp) return;
    warmup.scan = &d;
    c->calls++;
    c->refused += gp_scan(c->gp, &d) == GP_ERROR_INVALID_ARGUMENT &&
                  gp_warmup(c->gp, &warmup) == GP_ERROR_INVALID_ARGUMENT &&
                  gp_finish(c->gp) == GP_ERROR_INVALID_ARGUMENT &&
                  gp_stats_read(c->gp, &stats) == GP_ERROR_INVALID_ARGUMENT &&
                  gp_programs_import(c->gp, "none", 4) == GP_ERROR_INVALID_ARGUMENT &&
                  gp_buffer_create(c->gp, 64, NULL, &buffer) == GP_ERROR_INVALID_ARGUMENT;
    (void)snprintf(c->text, sizeof c->text, "%s", gp_last_error(c->gp));
    gp_context_destroy(c->gp);
}

static void logs(gp_log_level level, const char *text, void *user)
{
    caller *c = user;
    (void)level;
    calls_back(c);
    (void)snprintf(c->told, sizeof c->told, "%s", text);
}

static void writes(const void *bytes, size_t size, void *user)
{
    (void)bytes, (void)size;
    calls_back(user);
}

static void reports(const gp_self_test_case *test, void *user)
{
    (void)test;
    calls_back(user);
}

static cl_mem allocates(size_t bytes, void *user)
{
    caller *c = user;
    calls_back(c);
    return c->scratch = clCreateBuffer(gp_cl_context(c->gp), CL_MEM_READ_WRITE, bytes, NULL, NULL);
}

static void frees(cl_mem buffer, void *user)
{
    calls_back(user);
    clReleaseMemObject(buffer);
}

static gp_context *open(caller *c, gp_context_desc desc)
{
    uint32_t data[COUNT];
    size_t i;
    for (i = 0; i < COUNT; i++) data[i] = 1;
    c->gp = NULL;
    c->gp = test_open_with(&desc);
    c->in = test_buffer(c->gp, sizeof data, data);
    c->out = test_buffer(c->gp, sizeof data, NULL);
    c->calls = c->refused = 0;
    return c->gp;
}

static void close(caller *c)
{
    gp_context *gp = c->gp;
    clReleaseMemObject(c->in);
    clReleaseMemObject(c->out);
    gp_context_destroy(gp);
}

static void assert_refused(const caller *c, const char *name)
{
    assert_true(c->calls > 0);
    assert_int_equal(c->refused, c->calls);
    if (!strstr(c->text, name)) fail_msg("\"%s\" does not name %s", c->text, name);
}

/* ------------------------------------------------------------------ tests */

/* A failure is logged once, and its text is what it was. */
static void test_log(void **state)
{
    caller c = {0};
    gp_context_desc desc = {0};
    gp_scan_desc d;
    (void)state;
    desc.log = logs;
    desc.log_user = &c;
    (void)open(&c, desc);
    d = scan_of(&c, NULL);
    d.type = (gp_type)99;
    assert_gp_fails(c.gp, gp_scan(c.gp, &d), GP_ERROR_INVALID_TYPE, "gp_scan");
    assert_int_equal(c.calls, 1);
    assert_refused(&c, "log");
    assert_string_equal(c.told, gp_last_error(c.gp));
    d = scan_of(&c, "x + unknown_name"); /* while a program is built */
    assert_gp_fails(c.gp, gp_scan(c.gp, &d), GP_ERROR_BUILD, "unknown_name");
    assert_non_null(strstr(gp_last_error(c.gp), ": gp_scan: "));
    assert_refused(&c, "log");
    assert_gp_fails(c.gp, gp_set_error(c.gp, GP_ERROR_LAW, "a text"), GP_ERROR_LAW, "a text");
    d = scan_of(&c, NULL);
    assert_gp(c.gp, gp_scan(c.gp, &d));
    assert_scanned(c.gp, c.out, COUNT);
    close(&c);
}

static void test_write(void **state)
{
    caller c = {0};
    gp_context_desc desc = {0};
    gp_scan_desc d;
    (void)state;
    desc.program_limit = 1; /* another program would take the place of the one that is written */
    (void)open(&c, desc);
    d = scan_of(&c, NULL);
    assert_gp(c.gp, gp_scan(c.gp, &d));
    assert_gp(c.gp, gp_programs_export(c.gp, writes, &c));
    assert_refused(&c, "write");
    assert_gp(c.gp, gp_scan(c.gp, &d));
    assert_scanned(c.gp, c.out, COUNT);
    close(&c);
}

static void test_report(void **state)
{
    caller c = {0};
    const gp_context_desc desc = {0};
    gp_self_test_desc d = {0};
    (void)state;
    (void)open(&c, desc);
    d.filter = "scan";
    d.count = 1000;
    d.report = reports;
    d.report_user = &c;
    assert_gp(c.gp, gp_self_test(c.gp, &d));
    assert_refused(&c, "report");
    close(&c);
}

static void test_scratch(void **state)
{
    caller c = {0};
    gp_context_desc desc = {0};
    gp_sort_desc d = {0};
    (void)state;
    desc.scratch_alloc = allocates;
    desc.scratch_free = frees;
    desc.scratch_user = &c;
    (void)open(&c, desc);
    d.keys = c.in;
    d.keys_out = c.out;
    d.count = COUNT;
    d.key_type = GP_U32;
    assert_gp(c.gp, gp_sort(c.gp, &d));
    assert_refused(&c, "scratch_alloc");
    close(&c);
    assert_refused(&c, "scratch_free");
}

/* Code that stands on the library says when a callback of its own runs. */
static void test_set(void **state)
{
    caller c = {0};
    const gp_context_desc desc = {0};
    gp_scan_desc d;
    (void)state;
    (void)open(&c, desc);
    gp_set_callback(c.gp, "ours");
    calls_back(&c);
    gp_set_callback(c.gp, NULL);
    assert_refused(&c, "ours called it");
    d = scan_of(&c, NULL);
    assert_gp(c.gp, gp_scan(c.gp, &d));
    assert_scanned(c.gp, c.out, COUNT);
    gp_set_callback(NULL, "ours");
    close(&c);
}

static int64_t scores(const gp_device_info *info, void *user)
{
    size_t *calls = user;
    (void)info;
    ++*calls;
    (void)gp_devices(NULL, 0, calls + 1);
    (void)gp_finish(NULL);
    return 1;
}

/* A failure after a callback that has made other calls without a context still names the call that failed. */
static void test_score(void **state)
{
    size_t calls[2] = {0, 0};
    gp_context_desc desc = {0};
    gp_context *gp;
    (void)state;
    desc.score = scores;
    desc.score_user = calls;
    desc.strategy = GP_STRATEGY_COUNT;
    assert_int_equal(gp_context_create(&desc, &gp), GP_ERROR_INVALID_ARGUMENT);
    assert_true(calls[0] > 0);
    assert_non_null(strstr(gp_last_error(NULL), ": gp_context_create: strategy"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log),     cmocka_unit_test(test_write), cmocka_unit_test(test_report),
        cmocka_unit_test(test_scratch), cmocka_unit_test(test_set),   cmocka_unit_test(test_score),
    };
    return cmocka_run_group_tests_name("callbacks", tests, NULL, NULL);
}
