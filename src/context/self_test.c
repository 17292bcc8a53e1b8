/* self_test.c - gp_self_test: runs the cases and compares their results with the expected ones. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "runtime/tuning.h"
#include "launch/launch.h"
#include "context/self_test.h"

#include <stdio.h>
#include <string.h>

enum {
    GPI_SELF_TEST_COUNT = 200003, /* about fifty tiles on a GPU */
    GPI_SELF_TEST_COUNT_MIN = 1000,
    GPI_SELF_TEST_COUNT_MAX = 1 << 24,
    GPI_SELF_TEST_ARRAYS = GPI_SELF_TEST_INPUTS + GPI_SELF_TEST_OUTPUTS + 1,
    GPI_SELF_TEST_POISON = 0xa5
};

typedef struct gpi_self_test_row {
    const char *name;
    gpi_primitive primitive;
    gp_strategy strategy;
    const char *outputs[GPI_SELF_TEST_OUTPUTS];
    gp_result (*run)(gpi_self_test *t);
} gpi_self_test_row;

static const gpi_self_test_row gpi_self_test_rows[] = {
#define GPI_SELF_TEST_ROW(function, name, primitive, strategy, a, b, c) \
    {name, GPI_##primitive, GP_STRATEGY_##strategy, {a, b, c}, gpi_self_test_##function},
    GPI_SELF_TEST_CASES(GPI_SELF_TEST_ROW)
#undef GPI_SELF_TEST_ROW
};

/* ------------------------------------------------------------------ one case */

static const char *gpi_strategy_name(gp_strategy strategy)
{
    switch (strategy) {
    case GP_STRATEGY_SINGLE_PASS: return ", single pass";
    case GP_STRATEGY_MULTI_PASS: return ", multi-pass";
    default: return "";
    }
}

/* Fails with a text that names the case and the strategy, and ends with the last error's text. Waits for the case's
   commands, so that they end before the next case begins. */
static gp_result gpi_self_test_fail(gp_context *gp, const gpi_self_test_row *row, gp_strategy strategy,
                                    gp_result result)
{
    char text[GPI_ERROR_MAX];
    const char *detail = strstr(gp->error, ": ");
    (void)snprintf(text, sizeof text, "%s", detail ? detail + 2 : gp->error);
    (void)gp_finish(gp);
    return gpi_fail(gp, result, "%s%s: %s", row->name, gpi_strategy_name(strategy), text);
}

/* Fills the inputs with random words, the same for every case, and the outputs with poison. */
static gp_result gpi_self_test_prepare(gpi_self_test *t)
{
    uint32_t random = 2463534242u; /* Marsaglia's xorshift */
    cl_int error = CL_SUCCESS;
    size_t i, k;
    for (k = 0; k < GPI_SELF_TEST_INPUTS; k++) {
        for (i = 0; i < t->count; i++) {
            random ^= random << 13;
            random ^= random >> 17;
            t->in[k][i] = random ^= random << 5;
        }
    }
    memset(t->found, GPI_SELF_TEST_POISON, t->count * 4);
    for (k = 0; k < GPI_SELF_TEST_OUTPUTS && error == CL_SUCCESS; k++) {
        t->expected_count[k] = 0;
        error = clEnqueueWriteBuffer(t->gp->queue, t->out_buffer[k], CL_TRUE, 0, t->count * 4, t->found, 0,
                                     NULL, NULL);
    }
    return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(t->gp, error, "clEnqueueWriteBuffer");
}

static gp_result gpi_self_test_compare(gpi_self_test *t, const gpi_self_test_row *row)
{
    size_t i, k;
    for (k = 0; k < GPI_SELF_TEST_OUTPUTS; k++) {
        const size_t count = t->expected_count[k];
        const cl_int error = count == 0 ? CL_SUCCESS
                                        : clEnqueueReadBuffer(t->gp->queue, t->out_buffer[k], CL_TRUE, 0,
                                                              count * 4, t->found, 0, NULL, NULL);
        if (error != CL_SUCCESS) return gpi_fail_cl(t->gp, error, "clEnqueueReadBuffer");
        for (i = 0; i < count && t->found[i] == t->expected[k][i]; i++) continue;
        if (i == count) continue;
        return gpi_fail_text(t->gp, GP_ERROR_WRONG_RESULT, "%s[%zu] = %u, expected %u", row->outputs[k], i,
                             (unsigned)t->found[i], (unsigned)t->expected[k][i]);
    }
    return GP_OK;
}

static gp_result gpi_self_test_run(gpi_self_test *t, const gpi_self_test_row *row, gp_strategy strategy)
{
    gp_result result = gpi_self_test_prepare(t);
    t->strategy = strategy;
    if (result == GP_OK) result = row->run(t);
    gpi_enter(t->gp, "gp_self_test");
    if (result == GP_OK) result = gp_finish(t->gp);
    if (result == GP_OK) result = gpi_self_test_compare(t, row);
    return result == GP_OK ? result : gpi_self_test_fail(t->gp, row, strategy, result);
}

/* ------------------------------------------------------------------ all cases */

/* Makes the plan of a primitive on elements of four bytes. Planning cannot fail here, because only an invalid
   strategy makes it fail. */
static void gpi_self_test_plan(gp_context *gp, gpi_primitive primitive, gpi_plan *plan)
{
    const bool nest = primitive == GPI_BRACKETS || primitive == GPI_STACK_SCAN || primitive == GPI_TREE;
    (void)(nest ? gpi_plan_make_brackets : gpi_plan_make_sized)(gp, primitive, 4, GP_STRATEGY_AUTO, plan);
}

static void gpi_self_test_report(const gpi_self_test *t, const gp_self_test_desc *desc,
                                 const gpi_self_test_row *row, const gpi_plan *plan, gp_strategy strategy,
                                 gp_result result)
{
    const gp_tuning *own = &t->gp->desc.tuning;
    char error[GPI_ERROR_MAX];
    gp_self_test_case test;
    if (!desc->report) return;
    memset(&test, 0, sizeof test);
    test.name = row->name;
    test.strategy = strategy;
    test.tuning.device_class = own->device_class ? own->device_class : t->gp->info.device_class;
    test.tuning.shape = plan->sub_group ? GP_SHAPE_SUB_GROUP : plan->shape;
    test.tuning.sub_group_size = plan->sub_group;
    test.tuning.words = plan->words;
    test.tuning.work_group_size = plan->group;
    test.tuning.tile = plan->per_item;
    if (strategy == GP_STRATEGY_SINGLE_PASS && row->strategy == GP_STRATEGY_MULTI_PASS)
        test.tuning.polls = plan->polls; /* reported only if groups wait for each other */
    test.result = result;
    memcpy(error, t->gp->error, sizeof error);
    test.text = result == GP_OK ? "" : error;
    t->gp->callback = "report";
    desc->report(&test, desc->report_user);
    t->gp->callback = NULL;
    memcpy(t->gp->error, error, sizeof error);
}

/* Runs a case with the strategy of the device's tuning row, and also with row->strategy if that is another one. */
static void gpi_self_test_row_run(gpi_self_test *t, const gp_self_test_desc *desc,
                                  const gpi_self_test_row *row)
{
    gp_strategy strategies[2] = {GP_STRATEGY_AUTO, row->strategy};
    gpi_plan plan;
    size_t k, count = 1;
    gpi_self_test_plan(t->gp, row->primitive, &plan);
    if (row->strategy) strategies[0] = plan.strategy;
    if (row->strategy && row->strategy != plan.strategy) count = 2;
    for (k = 0; k < count; k++) {
        const gp_result result = gpi_self_test_run(t, row, strategies[k]);
        gpi_self_test_report(t, desc, row, &plan, strategies[k], result);
        if (result != GP_OK && t->failure == GP_OK) {
            t->failure = result;
            memcpy(t->failure_text, t->gp->error, sizeof t->failure_text);
        }
    }
}

static gp_result gpi_self_test_all(gpi_self_test *t, const gp_self_test_desc *desc)
{
    char quote[GPI_QUOTE_MAX];
    size_t k, ran = 0;
    for (k = 0; k < sizeof gpi_self_test_rows / sizeof *gpi_self_test_rows; k++) {
        if (desc->filter && !strstr(gpi_self_test_rows[k].name, desc->filter)) continue;
        gpi_self_test_row_run(t, desc, &gpi_self_test_rows[k]);
        ran++;
    }
    if (ran == 0) {
        return gpi_fail(t->gp, GP_ERROR_INVALID_ARGUMENT, "filter = %s is in no case's name",
                        gpi_quote(desc->filter, strlen(desc->filter), quote));
    }
    if (t->failure != GP_OK) memcpy(t->gp->error, t->failure_text, sizeof t->failure_text);
    return t->failure;
}

/* ------------------------------------------------------------------ call */

/* Allocates one block for all host arrays, and the buffers. `order` comes first, since its elements are the widest. */
static gp_result gpi_self_test_open(gpi_self_test *t)
{
    const size_t bytes = t->count * 4;
    uint32_t *arrays;
    gp_result result = GP_OK;
    size_t k;
    t->order = (uint64_t *)GP_MALLOC((2 + GPI_SELF_TEST_ARRAYS) * bytes);
    if (!t->order) return gpi_fail(t->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory");
    arrays = (uint32_t *)(t->order + t->count);
    for (k = 0; k < GPI_SELF_TEST_INPUTS; k++, arrays += t->count) {
        t->in[k] = arrays;
        if (result == GP_OK) result = gp_buffer_create(t->gp, bytes, NULL, &t->in_buffer[k]);
    }
    for (k = 0; k < GPI_SELF_TEST_OUTPUTS; k++, arrays += t->count) {
        t->expected[k] = arrays;
        if (result == GP_OK) result = gp_buffer_create(t->gp, bytes, NULL, &t->out_buffer[k]);
    }
    t->found = arrays;
    return result;
}

static void gpi_self_test_close(gpi_self_test *t)
{
    gp_context *gp = t->gp;
    size_t k;
    for (k = 0; k < GPI_SELF_TEST_INPUTS; k++)
        if (t->in_buffer[k]) (void)clReleaseMemObject(t->in_buffer[k]);
    for (k = 0; k < GPI_SELF_TEST_OUTPUTS; k++)
        if (t->out_buffer[k]) (void)clReleaseMemObject(t->out_buffer[k]);
    GP_FREE(t->order);
    (void)gpi_scratch_retire(gp); /* the caller's calls may not need such a large scratch */
}

GP_API gp_result gp_self_test(gp_context *gp, const gp_self_test_desc *desc)
{
    gpi_self_test t;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    memset(&t, 0, sizeof t);
    t.gp = gp;
    t.count = desc->count ? desc->count : (size_t)GPI_SELF_TEST_COUNT;
    if (t.count < GPI_SELF_TEST_COUNT_MIN || t.count > GPI_SELF_TEST_COUNT_MAX) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "count = %zu, must be %d to %d", t.count,
                        (int)GPI_SELF_TEST_COUNT_MIN, (int)GPI_SELF_TEST_COUNT_MAX);
    }
    result = gp_finish(gp);
    if (result != GP_OK) return result;
    result = gpi_self_test_open(&t);
    if (result == GP_OK) result = gpi_self_test_all(&t, desc);
    gpi_self_test_close(&t);
    return result;
}
