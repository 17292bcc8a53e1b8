/* test_fork.c - a child that was forked after the library's first use: every call that would reach OpenCL is refused in
   words, and none hangs or crashes. */
#define _POSIX_C_SOURCE 200809L /* fork */
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/support.h"

enum { COUNT = 1000, SECONDS = 60 };

typedef struct parent {
    gp_context *gp;
    cl_mem in, out;
    gp_hash table;
} parent;

/* ------------------------------------------------------------------ calls of the child */

static gp_result creates(parent *p)
{
    const gp_context_desc desc = {0};
    gp_context *gp = p->gp;
    const gp_result result = gp_context_create(&desc, &gp);
    return gp ? GP_OK : result;
}

static gp_result creates_on_queue(parent *p)
{
    gp_context_desc desc = {0};
    gp_context *gp;
    desc.share = p->gp;
    return gp_context_create(&desc, &gp);
}

static gp_result lists(parent *p)
{
    size_t count;
    (void)p;
    return gp_devices(NULL, 0, &count);
}

static gp_result finishes(parent *p) { return gp_finish(p->gp); }

static gp_result makes_buffer(parent *p)
{
    cl_mem buffer;
    return gp_buffer_create(p->gp, 64, NULL, &buffer);
}

static gp_scan_desc scan_of(const parent *p, size_t count)
{
    gp_scan_desc d = {0};
    d.in = p->in;
    d.out = p->out;
    d.count = count;
    d.type = GP_U32;
    d.op = GP_SUM;
    return d;
}

static gp_result scans(parent *p)
{
    const gp_scan_desc d = scan_of(p, COUNT);
    return gp_scan(p->gp, &d);
}

static gp_result scans_nothing(parent *p)
{
    const gp_scan_desc d = scan_of(p, 0);
    return gp_scan(p->gp, &d);
}

static gp_result asks_scratch(parent *p)
{
    const gp_scan_desc d = scan_of(p, COUNT);
    size_t bytes;
    return gp_scan_scratch_size(p->gp, &d, &bytes);
}

static gp_result warms_up(parent *p)
{
    const gp_scan_desc d = scan_of(p, COUNT);
    gp_warmup_desc warmup = {0};
    warmup.scan = &d;
    return gp_warmup(p->gp, &warmup);
}

static gp_result sorts(parent *p)
{
    gp_sort_desc d = {0};
    d.keys = p->in;
    d.keys_out = p->out;
    d.count = COUNT;
    d.key_type = GP_U32;
    return gp_sort(p->gp, &d);
}

static gp_result reduces(parent *p)
{
    gp_reduce_desc d = {0};
    uint64_t sum;
    d.in = p->in;
    d.count = COUNT;
    d.type = GP_U32;
    d.op = GP_SUM;
    return gp_reduce_read(p->gp, &d, &sum);
}

static gp_result fills(parent *p)
{
    const uint32_t one = 1;
    gp_fill_desc d = {0};
    d.out = p->out;
    d.count = COUNT;
    d.element_size = sizeof one;
    d.value = &one;
    return gp_fill(p->gp, &d);
}

static gp_result makes_table(parent *p)
{
    gp_hash_desc d = {0};
    gp_hash table;
    d.capacity = COUNT;
    d.key_size = 4;
    d.value_size = 4;
    return gp_hash_create(p->gp, &d, &table);
}

static gp_result inserts(parent *p)
{
    gp_hash_insert_desc d = {0};
    d.keys = p->in;
    d.values = p->in;
    d.count = COUNT;
    return gp_hash_insert(p->gp, p->table, &d);
}

static gp_result counts(parent *p)
{
    size_t live;
    return gp_hash_size_read(p->gp, p->table, &live);
}

static gp_result clears(parent *p)
{
    const gp_hash_clear_desc d = {0};
    return gp_hash_clear(p->gp, p->table, &d);
}

static gp_result shares(parent *p)
{
    gp_hash table;
    return gp_hash_share(p->gp, p->gp, p->table, &table);
}

static gp_result destroys_table(parent *p) { return gp_hash_destroy(p->gp, p->table); }

static gp_result reads_stats(parent *p)
{
    gp_stats stats;
    return gp_stats_read(p->gp, &stats);
}

static gp_result resets_stats(parent *p) { return gp_stats_reset(p->gp); }

static void write_nothing(const void *bytes, size_t size, void *user) { (void)bytes, (void)size, (void)user; }

static gp_result exports(parent *p) { return gp_programs_export(p->gp, write_nothing, NULL); }
static gp_result imports(parent *p) { return gp_programs_import(p->gp, "none", 4); }

static gp_result tests_itself(parent *p)
{
    const gp_self_test_desc d = {0};
    return gp_self_test(p->gp, &d);
}

/* The last failure's text is the context's own, or that of calls without one. */
static const struct {
    gp_result (*call)(parent *p);
    const char *name;
    bool no_context;
} calls[] = {
    {creates, "gp_context_create", true},
    {creates_on_queue, "gp_context_create", true},
    {lists, "gp_devices", true},
    {finishes, "gp_finish", false},
    {makes_buffer, "gp_buffer_create", false},
    {scans, "gp_scan", false},
    {scans_nothing, "gp_scan", false},
    {asks_scratch, "gp_scan_scratch_size", false},
    {warms_up, "gp_warmup", false},
    {sorts, "gp_sort", false},
    {reduces, "gp_reduce_read", false},
    {fills, "gp_fill", false},
    {makes_table, "gp_hash_create", false},
    {inserts, "gp_hash_insert", false},
    {counts, "gp_hash_size_read", false},
    {clears, "gp_hash_clear", false},
    {shares, "gp_hash_share", false},
    {destroys_table, "gp_hash_destroy", false},
    {reads_stats, "gp_finish", false},
    {resets_stats, "gp_finish", false},
    {exports, "gp_finish", false},
    {imports, "gp_programs_import", false},
    {tests_itself, "gp_finish", false},
};

/* The child's exit status: 0, or which call is not refused as it should be. */
static int child(parent *p)
{
    size_t k;
    for (k = 0; k < sizeof calls / sizeof *calls; k++) {
        const gp_result result = calls[k].call(p);
        const char *text = gp_last_error(calls[k].no_context ? NULL : p->gp);
        if (result == GP_ERROR_INVALID_ARGUMENT && strstr(text, calls[k].name) &&
            strstr(text, "was forked after"))
            continue;
        (void)fprintf(stderr, "%s (%zu): %d, %s\n", calls[k].name, k, (int)result, text);
        return 1;
    }
    if (gp_cl_context(p->gp) || gp_cl_device(p->gp) || gp_cl_queue(p->gp)) return 2;
    if (clFinish(gp_cl_queue(p->gp)) != CL_INVALID_COMMAND_QUEUE) return 3;
    gp_context_destroy(p->gp);
    gp_context_destroy(p->gp); /* nothing was done */
    return 0;
}

/* ------------------------------------------------------------------ tests */

static void run_child(parent *p)
{
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0) {
        (void)alarm(SECONDS); /* a hang ends as SIGALRM */
        _exit(child(p));
    }
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    if (WIFSIGNALED(status)) fail_msg("the child ended by signal %d", WTERMSIG(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_calls(void **state)
{
    parent p = {0};
    gp_hash_desc table = {0};
    gp_scan_desc d;
    uint32_t data[COUNT];
    size_t i;
    (void)state;
    for (i = 0; i < COUNT; i++) data[i] = 1;
    p.gp = test_open(&test_variants[0], NULL);
    assert_gp(p.gp, gp_buffer_create(p.gp, sizeof data, data, &p.in));
    assert_gp(p.gp, gp_buffer_create(p.gp, sizeof data, NULL, &p.out));
    table.capacity = COUNT;
    table.key_size = 4;
    table.value_size = 4;
    assert_gp(p.gp, gp_hash_create(p.gp, &table, &p.table));
    d = scan_of(&p, COUNT);
    assert_gp(p.gp, gp_scan(p.gp, &d)); /* also in flight, perhaps, and its program built */
    run_child(&p);
    assert_gp(p.gp, gp_finish(p.gp));
    run_child(&p);
    assert_gp(p.gp, gp_scan(p.gp, &d)); /* the parent goes on */
    assert_int_equal(
        clEnqueueReadBuffer(gp_cl_queue(p.gp), p.out, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL), 0);
    for (i = 0; i < COUNT; i++) assert_int_equal(data[i], i + 1);
    assert_gp(p.gp, gp_hash_destroy(p.gp, p.table));
    clReleaseMemObject(p.in);
    clReleaseMemObject(p.out);
    gp_context_destroy(p.gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_calls)};
    return cmocka_run_group_tests_name("fork", tests, NULL, NULL);
}
