/* test_host_devices.c - gpuprim_host.h on several contexts: the results of one, whoever has computed what. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "../support/support.h"

/* Pretends that commands of one context take long: most questions whether they have ended are answered with no. */
static cl_context slow;
static unsigned questions;

static cl_int slow_event_info(cl_event event, cl_event_info name, size_t bytes, void *value, size_t *size)
{
    cl_context context;
    const cl_int error = clGetEventInfo(event, name, bytes, value, size);
    (void)clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof context, &context, NULL);
    if (name == CL_EVENT_COMMAND_EXECUTION_STATUS && context == slow && questions++ % 61 != 60)
        *(cl_int *)value = CL_RUNNING;
    return error;
}
#define clGetEventInfo slow_event_info
#include "host.h"
#undef clGetEventInfo

enum { MOST = (1 << 18) + 1, CONTEXTS = 5 };

/* gp, the same device again, and the other devices that there are. */
static gp_context *contexts[CONTEXTS];
static size_t context_count;

static uint32_t in[MOST], other_in[MOST];
static unsigned char expected[MOST * 8 + 256], more_expected[MOST * 8 + 256];
static uint32_t out[MOST];

/* What a call is given besides. */
typedef struct way {
    size_t count, budget, others;
    gp_context *const *list;
    told progress;
    bool canceled;
} way;

#define SET(desc, way)                           \
    do {                                         \
        (desc).count = (way)->count;             \
        (desc).budget = (way)->budget;           \
        (desc).others = (way)->list;             \
        (desc).other_count = (way)->others;      \
        (desc).progress = tell;                  \
        (desc).progress_user = &(way)->progress; \
    } while (0)

static gp_context *gp(void) { return contexts[0]; }

/* Elements of several chunks where the budget is small. */
static size_t some(void) { return test_small() ? 5003 : 9001; }

/* Writes `to` and `second`; returns the bytes of both that count. */
typedef size_t (*call)(way *way, unsigned form, unsigned char *to, unsigned char *second);

/* ------------------------------------------------------------------ calls */

static void ended(way *w, gp_result result)
{
    w->canceled = result == GP_ERROR_CANCELED && w->progress.cancel_at;
    if (!w->canceled) assert_gp(gp(), result);
}

static size_t reduce(way *w, unsigned form, unsigned char *to, unsigned char *second)
{
    static const uint64_t initial = 77;
    static const uint32_t scale = 3;
    const gp_arg args[] = {{.name = "scale", .type = GP_U32, .value = &scale}};
    gp_host_reduce_desc desc = {.in = in, .out = to, .type = GP_U32, .op = GP_SUM};
    (void)second;
    if (form == 1)
        desc.map = "x * scale + (i ^ y)", desc.in2 = other_in, desc.args = args, desc.arg_count = 1;
    if (form == 1) desc.initial = &initial;
    if (form == 2) desc.op = GP_MAX;
    SET(desc, w);
    ended(w, gp_host_reduce(gp(), &desc));
    if (!w->canceled) assert_int_equal(w->progress.last, w->count);
    return form == 2 ? 4 : 8;
}

/* Affine maps modulo 2^32: associative, not commutative. */
static const uint32_t affine_identity[2] = {1, 0};
static const gp_monoid affine = {.type = "affine",
                                 .size = 8,
                                 .source = "typedef struct { uint a, b; } affine;\n"
                                           "affine then(affine f, affine g)\n"
                                           "{ affine r; r.a = g.a * f.a; r.b = g.a * f.b + g.b; return r; }",
                                 .combine = "then",
                                 .identity = affine_identity,
                                 .exact = true};

static size_t reduce_affine(way *w, unsigned form, unsigned char *to, unsigned char *second)
{
    gp_host_reduce_desc desc = {.in = in, .out = to, .monoid = &affine};
    (void)second;
    (void)form;
    SET(desc, w);
    desc.count /= 2;
    ended(w, gp_host_reduce(gp(), &desc));
    return 8;
}

static size_t histogram(way *w, unsigned form, unsigned char *to, unsigned char *second)
{
    static const uint32_t edges[] = {0, 7, 1000, 1u << 20, 1u << 31};
    gp_host_histogram_desc desc = {
        .in = in, .out = to, .type = GP_U32, .bins = 64, .map = "(x ^ (uint)i) % 64"};
    (void)second;
    desc.upper.u64 = form == 1 ? 0 : 64;
    if (form == 1) desc.map = NULL, desc.edges = edges, desc.bins = 4, desc.out_type = GP_U64;
    if (form == 1) desc.weights = other_in, desc.weight_type = GP_U32;
    desc.accumulate = form == 1;
    SET(desc, w);
    ended(w, gp_host_histogram(gp(), &desc));
    return form == 1 ? 32 : 256;
}

static size_t select_(way *w, unsigned form, unsigned char *to, unsigned char *second)
{
    uint64_t selected = 77;
    gp_host_select_desc desc = {
        .in = in, .out = to, .indices_out = second, .selected = &selected, .type = GP_U32};
    desc.predicate = form == 2 ? "x % 1000 == 0" : "((x ^ (uint)i) & 1) == 0";
    if (form == 1)
        desc.predicate = NULL, desc.flags = other_in, desc.flags_type = GP_U8, desc.index_type = GP_U64;
    SET(desc, w);
    ended(w, gp_host_select(gp(), &desc));
    return (size_t)selected * 4;
}

/* From 1 up to 2. */
static const uint16_t *halves(void)
{
    static uint16_t h[MOST];
    size_t i;
    for (i = 0; i < MOST; i++) h[i] = (uint16_t)(0x3c00u | (in[i] & 0x3ff));
    return h;
}

static size_t scan(way *w, unsigned form, unsigned char *to, unsigned char *second)
{
    static const uint64_t initial = 77;
    gp_host_scan_desc desc = {.in = in, .out = to, .type = GP_U32, .op = GP_SUM};
    (void)second;
    desc.exclusive = form & 1;
    desc.reverse = form & 2;
    if (form & 4) desc.map = "x ^ (uint)i", desc.out_type = GP_U64;
    if (form == 7 || form == 4) desc.initial = &initial;
    if (form == 8) desc.map = "(float)(x & 1023)", desc.out_type = GP_F16, desc.op = GP_MAX;
    if (form > 8) desc.in = halves(), desc.type = GP_F16, desc.op = form == 9 ? GP_MIN : GP_MAX;
    SET(desc, w);
    ended(w, gp_host_scan(gp(), &desc));
    return w->count * (form >= 8 ? 2 : form & 4 ? 8 : 4);
}

static size_t scan_affine(way *w, unsigned form, unsigned char *to, unsigned char *second)
{
    gp_host_scan_desc desc = {.in = in, .out = to, .monoid = &affine};
    (void)second;
    desc.reverse = form & 1;
    desc.exclusive = form & 2;
    if (form == 1) memcpy(to, in, w->count / 2 * 8), desc.in = to;
    SET(desc, w);
    desc.count /= 2;
    ended(w, gp_host_scan(gp(), &desc));
    return desc.count * 8;
}

/* With others the caller's second copies, too. */
static uint32_t keys_tmp[2 * MOST], values_tmp[2 * MOST];

/* Keys of 32 bits; of few values; in place with all of one value. */
static size_t sort(way *w, unsigned form, unsigned char *to, unsigned char *second)
{
    static uint32_t few[MOST];
    gp_host_sort_desc desc = {
        .keys = in, .keys_out = to, .values = other_in, .values_out = second, .key_type = GP_U32};
    size_t i;
    desc.value_size = 4;
    for (i = 0; i < w->count; i++) few[i] = form == 1 ? in[i] % 1000 : 5;
    if (form == 1) desc.keys = few, desc.descending = true;
    if (form == 2) {
        memcpy(to, few, w->count * 4);
        memcpy(second, other_in, w->count * 4);
        desc.keys = to;
        desc.values = second;
    }
    SET(desc, w);
    if (form == 3) desc.values = NULL;
    if (w->others && form < 2) desc.keys_tmp = keys_tmp, desc.values_tmp = values_tmp;
    ended(w, form == 3 ? gp_host_argsort(gp(), &desc) : gp_host_sort(gp(), &desc));
    return w->count * 4;
}

/* A few keys, with equal ones among them; so many that all are sorted. */
static size_t topk(way *w, unsigned form, unsigned char *to, unsigned char *second)
{
    static uint16_t keys[MOST];
    gp_host_topk_desc desc = {.keys = keys, .keys_out = to, .indices_out = second, .key_type = GP_U16};
    size_t i;
    for (i = 0; i < w->count; i++) keys[i] = (uint16_t)(in[i] % 1000);
    SET(desc, w);
    desc.k = form ? w->count - w->count / 8 : w->count < 50 ? w->count : 50;
    desc.smallest = form == 1;
    ended(w, gp_host_topk(gp(), &desc));
    return desc.k * 2;
}

/* One rank; ranks of keys of few values. */
static size_t nth_element(way *w, unsigned form, unsigned char *to, unsigned char *second)
{
    static uint32_t few[MOST];
    uint64_t ranks[5] = {w->count / 2, 0, w->count - 1, w->count / 3, w->count / 3};
    gp_host_nth_element_desc desc = {.keys = form ? few : in, .keys_out = to, .key_type = GP_U32};
    size_t i;
    (void)second;
    for (i = 0; i < w->count; i++) few[i] = in[i] % 3;
    SET(desc, w);
    desc.ranks = ranks;
    desc.rank_count = w->count == 0 ? 0 : form ? 5 : 1;
    ended(w, gp_host_nth_element(gp(), &desc));
    return desc.rank_count * 4;
}

/* Few keys; all differ; maps in the order of the input; results in several turns, because memory is full. */
static size_t group_by(way *w, unsigned form, unsigned char *to, unsigned char *second)
{
    static uint32_t keys[MOST];
    const uint32_t range = form == 0 ? 7 : form == 1 ? UINT32_MAX : form == 2 ? 50 : 2000;
    uint64_t groups = 77;
    gp_host_group_by_desc desc = {.keys = keys, .in = in, .keys_out = second, .out = to, .groups = &groups};
    size_t i;
    for (i = 0; i < w->count; i++) keys[i] = other_in[i] % range;
    desc.key_type = GP_U32;
    if (form == 2) desc.monoid = &affine;
    else desc.type = desc.out_type = GP_U32, desc.op = form == 1 ? GP_MAX : GP_SUM;
    if (form == 0) desc.map = "x & 1023";
    SET(desc, w);
    if (form == 2) desc.count /= 2;
    if (w->others && form < 2) desc.keys_tmp = keys_tmp, desc.values_tmp = values_tmp;
    ended(w, gp_host_group_by(gp(), &desc));
    return (size_t)groups * (form == 2 ? 8 : 4);
}

static const struct {
    const char *name;
    call call;
    unsigned forms;
    bool two; /* outputs */
} calls[] = {{"reduce", reduce, 3, false},
             {"reduce affine", reduce_affine, 1, false},
             {"histogram", histogram, 2, false},
             {"select", select_, 3, true},
             {"scan", scan, 11, false},
             {"scan affine", scan_affine, 4, false},
             {"sort", sort, 4, true},
             {"topk", topk, 2, true},
             {"nth element", nth_element, 2, false},
             {"group by", group_by, 4, true}};

/* ------------------------------------------------------------------ tests */

static void check(size_t c, unsigned form, way *w)
{
    const size_t room = w->count * 8 + 256;
    way one = {.count = w->count};
    void *block, *second_block;
    unsigned char *to = copy_at(NULL, room, 8, &block), *second = copy_at(NULL, room, 8, &second_block);
    size_t bytes;
    memset(expected, TEST_POISON, room);
    bytes = calls[c].call(&one, form, expected, more_expected);
    assert_int_equal(calls[c].call(w, form, to, second), bytes);
    if (w->count) assert_int_equal(w->progress.last, w->progress.total);
    if (memcmp(to, expected, bytes) != 0 ||
        (calls[c].two &&
         memcmp(second, more_expected, calls[c].call == group_by && form == 2 ? bytes / 2 : bytes) != 0))
        fail_msg("%s %u: %zu elements on %zu more contexts, budget %zu", calls[c].name, form, w->count,
                 w->others, w->budget);
    assert_around(block, 8, room);
    assert_around(second_block, 8, room);
    free(block);
    free(second_block);
}

static void check_all(size_t count, size_t budget, gp_context *const *list, size_t others)
{
    size_t c;
    unsigned form;
    for (c = 0; c < sizeof calls / sizeof *calls; c++) {
        for (form = 0; form < calls[c].forms; form++) {
            way w = {.count = count, .budget = budget, .others = others, .list = list};
            check(c, form, &w);
        }
    }
}

/* Each pair of contexts, and all of them. */
static void test_results(void **state)
{
    static const size_t counts[] = {0, 1, 2, 1021, 9001}, budgets[] = {20000, 60000, 0};
    size_t n, b, k;
    (void)state;
    for (n = 0; n < sizeof counts / sizeof *counts && counts[n] <= some(); n++) {
        for (b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            for (k = 1; k < context_count; k++) check_all(counts[n], budgets[b], contexts + k, 1);
            if (context_count > 2) check_all(counts[n], budgets[b], contexts + 1, context_count - 1);
        }
    }
}

/* Each context has a chunk before one has a second. */
static void test_each_takes_part(void **state)
{
    way w = {.count = some(), .budget = 20000, .others = context_count - 1, .list = contexts + 1};
    size_t k;
    (void)state;
    for (k = 0; k < context_count; k++) assert_gp(contexts[k], gp_stats_reset(contexts[k]));
    (void)histogram(&w, 0, expected, more_expected);
    for (k = 0; k < context_count; k++) {
        gp_stats stats;
        assert_gp(contexts[k], gp_stats_read(contexts[k], &stats));
        assert_true(stats.launches > 1); /* one fills the counts */
    }
}

/* Chunks as large as they are without a budget. */
static void test_large(void **state)
{
    (void)state;
    if (!test_small()) check_all(MOST, 0, contexts + 1, context_count - 1);
}

/* Beside a context whose kernels are another kind of device's, without atomics on 64 bits. */
static void test_mixed(void **state)
{
    gp_context_desc desc = {0};
    gp_context *mixed;
    size_t c;
    (void)state;
    desc.share = contexts[0];
    desc.tuning.device_class = GP_DEVICE_CLASS_MALI;
    desc.tuning.words = GP_WORDS_NARROW;
    mixed = test_open_if(&desc);
    if (!mixed) return;
    for (c = 0; c < sizeof calls / sizeof *calls; c++) { /* one form of each: the kernels are built anew */
        way w = {.count = some(), .budget = 40000, .others = 1, .list = &mixed};
        check(c, 0, &w);
    }
    gp_context_destroy(mixed);
}

static void test_uneven(void **state)
{
    size_t k;
    (void)state;
    for (k = 0; k < context_count; k++) {
        slow = gp_cl_context(contexts[k]);
        check_all(some(), 40000, contexts + 1, context_count - 1);
    }
    slow = NULL;
}

/* The same contexts give the same bits. */
static void test_floats(void **state)
{
    gp_host_reduce_desc desc = {.in = in,
                                .out = out,
                                .type = GP_U32,
                                .out_type = GP_F32,
                                .op = GP_SUM,
                                .map = "(float)x",
                                .budget = 20000};
    size_t turn;
    (void)state;
    desc.count = some();
    desc.others = contexts + 1;
    desc.other_count = 1; /* the same device */
    for (turn = 0; turn < 8; turn++) {
        assert_gp(gp(), gp_host_reduce(gp(), &desc));
        if (turn == 0) memcpy(expected, out, 4);
        assert_memory_equal(out, expected, 4);
    }
}

/* At any time. */
static void test_cancel(void **state)
{
    gp_result result = GP_ERROR_CANCELED;
    uint64_t at;
    (void)state;
    for (at = 1; result != GP_OK; at += 2) {
        told progress = {.cancel_at = at};
        gp_host_sort_desc desc = {
            .keys = out, .keys_out = out, .count = some(), .key_type = GP_U32, .budget = 20000};
        uint64_t sum = 0, sum_in = 0;
        size_t i;
        memcpy(out, in, some() * 4);
        desc.others = contexts + 1;
        desc.other_count = context_count - 1;
        desc.progress = tell;
        desc.progress_user = &progress;
        result = gp_host_sort(gp(), &desc);
        assert_true(result == GP_OK || result == GP_ERROR_CANCELED);
        for (i = 0; i < some(); i++) sum += out[i], sum_in += in[i];
        assert_int_equal(sum, sum_in); /* nothing is lost */
    }
    assert_true(at > 5);
}

/* All other calls, at any time. */
static void test_cancel_calls(void **state)
{
    size_t c;
    (void)state;
    for (c = 0; c < sizeof calls / sizeof *calls; c++) {
        bool canceled = true;
        uint64_t at;
        for (at = 1; canceled; at += at < 4 ? 1 : 7) {
            way w = {.count = some(), .budget = 20000, .others = context_count - 1, .list = contexts + 1};
            w.progress.cancel_at = at;
            (void)calls[c].call(&w, 0, expected, more_expected);
            canceled = w.canceled;
            if (canceled) assert_non_null(strstr(gp_last_error(gp()), "progress canceled the call after "));
        }
        assert_true(at > 3);
    }
    check_all(some(), 20000, contexts + 1, context_count - 1); /* nothing is left of them */
}

/* What a progress callback does with the contexts at work. */
static unsigned calls_back, calls_refused;

static int ends_all(uint64_t done, uint64_t total, void *user)
{
    const size_t count = *(const size_t *)user;
    gp_stats stats;
    size_t k;
    (void)done, (void)total;
    for (k = 0; k < count; k++) {
        cl_mem buffer = NULL;
        calls_back++;
        calls_refused += gp_finish(contexts[k]) == GP_ERROR_INVALID_ARGUMENT &&
                         strstr(gp_last_error(contexts[k]), "progress") &&
                         gp_stats_read(contexts[k], &stats) == GP_ERROR_INVALID_ARGUMENT &&
                         gp_buffer_create(contexts[k], 64, NULL, &buffer) == GP_ERROR_INVALID_ARGUMENT;
        gp_context_destroy(contexts[k]);
    }
    return 0;
}

/* Calls with a context at work are refused, and its destruction, too; afterwards it takes calls again. */
static void test_progress_calls(void **state)
{
    size_t others;
    (void)state;
    for (others = 0; others < context_count; others++) {
        size_t used = others + 1;
        uint64_t groups;
        uint32_t sum = 0, expected_sum = 0, i;
        gp_host_reduce_desc reduce = {
            .in = in, .out = &sum, .count = some(), .type = GP_U32, .out_type = GP_U32, .op = GP_SUM};
        gp_host_group_by_desc group = {.keys = other_in,
                                       .in = in,
                                       .keys_out = more_expected,
                                       .out = expected,
                                       .groups = &groups,
                                       .count = some(),
                                       .key_type = GP_U32,
                                       .type = GP_U32,
                                       .out_type = GP_U32,
                                       .op = GP_SUM};
        gp_host_sort_desc sort = {.keys = in, .keys_out = out, .count = some(), .key_type = GP_U32};
        reduce.budget = group.budget = sort.budget = 20000;
        reduce.others = group.others = sort.others = contexts + 1;
        reduce.other_count = group.other_count = sort.other_count = others;
        reduce.progress = group.progress = sort.progress = ends_all;
        reduce.progress_user = group.progress_user = sort.progress_user = &used;
        calls_back = calls_refused = 0;
        assert_gp(gp(), gp_host_reduce(gp(), &reduce));
        for (i = 0; i < some(); i++) expected_sum += in[i];
        assert_int_equal(sum, expected_sum);
        assert_gp(gp(), gp_host_sort(gp(), &sort));
        for (i = 1; i < some(); i++) assert_true(out[i - 1] <= out[i]);
        assert_gp(gp(), gp_host_group_by(gp(), &group));
        assert_true(calls_back > 3);
        assert_int_equal(calls_refused, calls_back);
        assert_gp(gp(), gp_finish(gp()));
    }
}

/* Nine times as fast as the other one. */
static void test_who_takes(void **state)
{
    gpi_host_chunks fast = {.devices = 2, .count = 1000, .piece = 10, .number = 100, .next = 10}, other = {0};
    (void)state;
    fast.rest = &other;
    fast.left = 1000;
    assert_true(gpi_host_takes(&fast, &other));
    other.taken = 1;
    assert_false(gpi_host_takes(&fast, &other)); /* one until its speed is known */
    fast.speed = 90;
    other.speed = 10;
    fast.left = 900;
    assert_true(gpi_host_takes(&fast, &fast));
    assert_true(gpi_host_takes(&fast, &other));
    fast.left = 95; /* which the fast one has done before the other has done a chunk */
    assert_true(gpi_host_takes(&fast, &other));
    fast.left = 85;
    assert_true(gpi_host_takes(&fast, &fast));
    assert_false(gpi_host_takes(&fast, &other));
    fast.left = 10;
    assert_true(gpi_host_takes(&fast, &fast));
    assert_false(gpi_host_takes(&fast, &other));
}

/* One context and several refuse the same sums. */
static void test_narrow(void **state)
{
    static const struct {
        gp_type type, out_type;
        const char *text;
    } pairs[] = {
        {GP_U32, GP_U8, "out_type = "}, {GP_F32, GP_I64, "an integer"}, {GP_U64, GP_U32, "narrower"}};
    size_t k, others;
    (void)state;
    for (k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        for (others = 0; others < 2; others++) {
            gp_host_scan_desc desc = {.in = in, .out = out, .count = 100, .op = GP_SUM};
            desc.type = pairs[k].type;
            desc.out_type = pairs[k].out_type;
            desc.others = contexts + 1;
            desc.other_count = others;
            assert_gp_fails(gp(), gp_host_scan(gp(), &desc), GP_ERROR_INVALID_TYPE, pairs[k].text);
        }
    }
}

static void refused(const gp_host_reduce_desc *desc, gp_result result, const char *text)
{
    assert_int_equal(gp_host_reduce(gp(), desc), result);
    if (!strstr(gp_last_error(gp()), text)) fail_msg("\"%s\" is not in \"%s\"", text, gp_last_error(gp()));
}

static void test_refused(void **state)
{
    gp_context *list[3] = {contexts[1], NULL, NULL};
    gp_arg arg = {.name = "table", .type = GP_U32};
    gp_host_reduce_desc desc = {
        .in = in, .out = out, .count = some(), .type = GP_U32, .op = GP_SUM, .budget = 20000};
    const gp_monoid broken = {.type = "number",
                              .size = 4,
                              .source =
                                  "typedef uint number; number plus(number a, number b) { return a + b; }\n"
                                  "#ifdef BROKEN\n#error broken\n#endif\n",
                              .combine = "plus",
                              .identity = affine_identity + 1,
                              .exact = true};
    const gp_context_desc other = {.share = gp(), .build_options = "-DBROKEN"};
    (void)state;
    desc.other_count = 2;
    refused(&desc, GP_ERROR_INVALID_ARGUMENT, "others is NULL, other_count = 2");
    desc.others = list;
    refused(&desc, GP_ERROR_INVALID_ARGUMENT, "others[1] is NULL");
    list[1] = list[0];
    refused(&desc, GP_ERROR_INVALID_ARGUMENT, "others[1] is others[0]");
    list[1] = gp();
    refused(&desc, GP_ERROR_INVALID_ARGUMENT, "others[1] is gp");
    desc.other_count = 1;
    desc.args = &arg;
    desc.arg_count = 1;
    desc.map = "x + table[0]";
    refused(&desc, GP_ERROR_INVALID_ARGUMENT, "args[0] is a buffer");
    desc.args = NULL;
    desc.arg_count = 0;
    desc.budget = 1;
    refused(&desc, GP_ERROR_INVALID_ARGUMENT, "budget = 1");
    assert_null(strstr(gp_last_error(gp()), "): gp_host_reduce: ")); /* said once */
    desc.budget = 20000;
    desc.map = NULL;
    desc.type = GP_TYPE_NONE;
    desc.op = GP_OP_NONE;
    desc.monoid = &broken;
    assert_gp(gp(), gp_context_create(&other, &list[1]));
    desc.other_count = 2;
    refused(&desc, GP_ERROR_BUILD, "gp_host_reduce: others[1] (");
    gp_context_destroy(list[1]);
}

/* ------------------------------------------------------------------ contexts */

static int setup(void **state)
{
    static gp_device_info devices[16];
    gp_context_desc again = {0};
    size_t count = 0, i;
    (void)state;
    contexts[0] = test_open(&test_variants[0], NULL);
    assert_non_null(contexts[0]);
    again.share = contexts[0];
    contexts[1] = test_open_if(&again); /* of the same class and shape, too */
    context_count = 2;
    assert_gp(NULL, gp_devices(devices, 16, &count));
    for (i = 0; i < count && i < 16 && context_count < CONTEXTS; i++) {
        gp_context_desc desc = {.device = devices[i].device};
        if (devices[i].device == gp_cl_device(contexts[0])) continue;
        if (gp_context_create(&desc, &contexts[context_count]) == GP_OK) context_count++;
    }
    printf("%zu contexts on", context_count);
    for (i = 0; i < context_count; i++) printf(" %s,", gp_context_info(contexts[i])->platform_name);
    printf(" %zu devices\n", count);
    for (i = 0; i < MOST; i++) in[i] = test_random() << 8 ^ test_random(), other_in[i] = test_random();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    while (context_count) gp_context_destroy(contexts[--context_count]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results),        cmocka_unit_test(test_each_takes_part),
        cmocka_unit_test(test_large),          cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_uneven),         cmocka_unit_test(test_floats),
        cmocka_unit_test(test_cancel),         cmocka_unit_test(test_cancel_calls),
        cmocka_unit_test(test_progress_calls), cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_who_takes),
    };
    setenv("POCL_DEVICES", "pthread pthread", 0); /* before OpenCL is used: PoCL has two devices then */
    return cmocka_run_group_tests(tests, setup, teardown);
}
