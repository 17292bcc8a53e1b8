/* test_chain.c - a whole query on the device: what one call counts, the next one takes, and nothing blocks. */
#include "../support/support.h"

enum { KEPT, GROUPS, FREQUENT, COUNTS };

typedef struct chain {
    size_t n;
    uint32_t *keys, *weights; /* the input */
    cl_mem in, in2, kept, kept2, group, sum, list, out, counts;
    cl_event event[6]; /* the gate, then what each call gives */
} chain;

/* Rows whose key is a multiple of 3, sorted by key, summed up by key; of the sums, those above `most` in a
   row of their own; and the running sum of these. On the host, into `out`; how many. */
static size_t expect(const chain *c, uint64_t most, uint64_t *out)
{
    uint64_t sums[5000] = {0}, sum = 0;
    bool there[5000] = {false};
    size_t i, found = 0;
    for (i = 0; i < c->n; i++) {
        if (c->keys[i] % 3 == 0) sums[c->keys[i]] += c->weights[i];
        if (c->keys[i] % 3 == 0) there[c->keys[i]] = true;
    }
    for (i = 0; i < 5000; i++) {
        if (!there[i] || sums[i] <= most) continue;
        sum += sums[i];
        out[found++] = sum;
    }
    return found;
}

static chain open_chain(gp_context *gp, size_t n)
{
    chain c;
    size_t i;
    memset(&c, 0, sizeof c);
    c.n = n;
    c.keys = malloc(n * 4);
    c.weights = malloc(n * 4);
    assert_true(c.keys && c.weights);
    for (i = 0; i < n; i++) c.keys[i] = test_random() % 5000;
    for (i = 0; i < n; i++) c.weights[i] = test_random() % 1000;
    c.in = test_buffer(gp, n * 4, c.keys);
    c.in2 = test_buffer(gp, n * 4, c.weights);
    c.kept = test_buffer(gp, n * 4, NULL);
    c.kept2 = test_buffer(gp, n * 4, NULL);
    c.group = test_buffer(gp, n * 4, NULL);
    c.sum = test_buffer(gp, n * 8, NULL);
    c.list = test_buffer(gp, n * 8, NULL);
    c.out = test_buffer(gp, n * 8, NULL);
    c.counts = test_buffer(gp, COUNTS * 4, NULL);
    return c;
}

static void close_chain(chain *c)
{
    const cl_mem all[] = {c->in, c->in2, c->kept, c->kept2, c->group, c->sum, c->list, c->out, c->counts};
    size_t k;
    for (k = 0; k < sizeof all / sizeof *all; k++) clReleaseMemObject(all[k]);
    for (k = 0; k < sizeof c->event / sizeof *c->event; k++) {
        if (c->event[k]) clReleaseEvent(c->event[k]);
    }
    free(c->keys);
    free(c->weights);
}

/* ------------------------------------------------------------------ the calls */

#define AFTER(desc, c, k)         \
    (desc).wait = &(c)->event[k]; \
    (desc).wait_count = 1;        \
    (desc).done = &(c)->event[(k) + 1]

/* The indices of the rows, then keys and weights by them. */
static void call_select(gp_context *gp, chain *c)
{
    gp_select_desc d = {0};
    d.in = c->in;
    d.out = c->kept;
    d.indices_out = c->group;
    d.count_out = c->counts;
    d.count_out_offset = KEPT;
    d.count = c->n;
    d.type = GP_U32;
    d.predicate = "x % 3 == 0";
    AFTER(d, c, 0);
    assert_gp(gp, gp_select(gp, &d));
}

static void call_gather(gp_context *gp, chain *c)
{
    gp_gather_desc d = {0};
    d.in = c->in2;
    d.indices = c->group;
    d.index_type = GP_U32;
    d.out = c->kept2;
    d.limit = c->n;
    d.element_size = 4;
    d.count = c->n;
    d.count_buffer = c->counts;
    d.count_offset = KEPT;
    d.count_type = GP_U32;
    AFTER(d, c, 1);
    assert_gp(gp, gp_gather(gp, &d));
}

static void call_sort(gp_context *gp, chain *c)
{
    gp_sort_desc d = {0};
    d.keys = c->kept;
    d.values = c->kept2;
    d.value_size = 4;
    d.key_type = GP_U32;
    d.count = c->n;
    d.count_buffer = c->counts;
    d.count_offset = KEPT;
    d.count_type = GP_U32;
    AFTER(d, c, 2);
    assert_gp(gp, gp_sort(gp, &d));
}

static void call_reduce(gp_context *gp, chain *c)
{
    gp_reduce_by_key_desc d = {0};
    d.keys = c->kept;
    d.in = c->kept2;
    d.keys_out = c->group;
    d.out = c->sum;
    d.count_out = c->counts;
    d.count_out_offset = GROUPS;
    d.key_type = d.type = GP_U32;
    d.op = GP_SUM;
    d.out_type = GP_U64;
    d.count = c->n;
    d.count_buffer = c->counts;
    d.count_offset = KEPT;
    d.count_type = GP_U32;
    AFTER(d, c, 3);
    assert_gp(gp, gp_reduce_by_key(gp, &d));
}

static void call_rest(gp_context *gp, chain *c, uint64_t most)
{
    char predicate[32];
    gp_select_desc s = {0};
    gp_scan_desc d = {0};
    snprintf(predicate, sizeof predicate, "x > %u", (unsigned)most);
    s.in = c->sum;
    s.out = c->list;
    s.count_out = c->counts;
    s.count_out_offset = FREQUENT;
    s.count = d.count = c->n;
    s.count_buffer = d.count_buffer = c->counts;
    s.count_offset = GROUPS;
    s.count_type = d.count_type = GP_U32;
    s.type = d.type = GP_U64;
    s.predicate = predicate;
    AFTER(s, c, 4);
    assert_gp(gp, gp_select(gp, &s));
    d.in = c->list;
    d.out = c->out;
    d.op = GP_SUM;
    d.count_offset = FREQUENT;
    d.wait = &c->event[5];
    d.wait_count = 1;
    assert_gp(gp, gp_scan(gp, &d));
}

/* ------------------------------------------------------------------ tests */

/* With a gate before the first call that is opened when all have been made. */
static void run_chain(gp_context *gp, bool gated)
{
    const size_t n = test_small() ? 3000 : 200003;
    const uint64_t most = n / 8;
    chain c = open_chain(gp, n);
    uint64_t *expected = malloc(5000 * sizeof *expected), *out;
    const size_t found = expect(&c, most, expected);
    uint32_t *counts;
    cl_int error;
    c.event[0] = clCreateUserEvent(gp_cl_context(gp), &error);
    assert_int_equal(error, CL_SUCCESS);
    if (!gated) assert_int_equal(clSetUserEventStatus(c.event[0], CL_COMPLETE), CL_SUCCESS);
    call_select(gp, &c);
    call_gather(gp, &c);
    call_sort(gp, &c);
    call_reduce(gp, &c);
    call_rest(gp, &c, most);
    if (gated) assert_int_equal(clSetUserEventStatus(c.event[0], CL_COMPLETE), CL_SUCCESS);
    assert_gp(gp, gp_finish(gp));
    counts = test_read(gp, c.counts, COUNTS * 4);
    assert_int_equal(counts[FREQUENT], found);
    assert_true(found > 0 && counts[GROUPS] > found);
    out = test_read(gp, c.out, n * 8);
    assert_memory_equal(out, expected, found * 8);
    free(out);
    free(counts);
    free(expected);
    close_chain(&c);
}

static void run_queue(cl_command_queue_properties properties)
{
    gp_context *maker = test_open(&test_variants[0], NULL), *gp;
    gp_context_desc desc = {0};
    cl_int error;
    desc.queue = clCreateCommandQueue(gp_cl_context(maker), gp_cl_device(maker), properties, &error);
    if (error == CL_SUCCESS) {
        gp = test_open_with(&desc);
        run_chain(gp, false); /* builds what it takes */
        if (!test_small()) run_chain(gp, true);
        gp_context_destroy(gp);
        clReleaseCommandQueue(desc.queue);
    }
    gp_context_destroy(maker);
}

static void test_in_order(void **state)
{
    (void)state;
    run_queue(0);
}

static void test_out_of_order(void **state)
{
    (void)state;
    run_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_order),
        cmocka_unit_test(test_out_of_order),
    };
    return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
