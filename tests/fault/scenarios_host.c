/* scenarios_host.c - gpuprim_host.h: arrays in host memory, in four chunks or so. See driver.h. */
#include "driver.h"
#define GPI_HOST_ASKS 0 /* as many calls each time, or nearly */
#define GP_HOST_IMPLEMENTATION
#include "../../gpuprim_host.h"

enum { HOST_N = 4000 };
static uint32_t host_out[HOST_N];

/* Of the call: none, or a second one on the same device. */
static gp_context *const *host_others;
#define HOST_OTHERS(desc) ((desc).others = host_others, (desc).other_count = host_others != NULL)

static void prepare_host(world *w)
{
    (void)w;
    memset(host_out, 0xa5, sizeof host_out);
}

static gp_result run_host_reduce(world *w)
{
    gp_host_reduce_desc d = {0};
    d.in = ramp;
    d.out = w->host;
    d.count = HOST_N;
    d.type = GP_U32;
    d.map = "x + i";
    d.op = GP_SUM;
    d.budget = 14000;
    HOST_OTHERS(d);
    return gp_host_reduce(w->gp, &d);
}

static bool check_host_reduce(world *w)
{
    const uint64_t expected = (uint64_t)HOST_N * (HOST_N - 1);
    return memcmp(w->host, &expected, sizeof expected) == 0;
}

static gp_result run_host_scan(world *w)
{
    gp_host_scan_desc d = {0};
    d.in = mod7;
    d.out = host_out;
    d.count = HOST_N;
    d.type = GP_U32;
    d.op = GP_SUM;
    d.exclusive = true;
    d.budget = 14000;
    HOST_OTHERS(d);
    return gp_host_scan(w->gp, &d);
}

static bool check_host_scan(world *w)
{
    uint32_t sum = 0;
    size_t i;
    (void)w;
    for (i = 0; i < HOST_N; i++) {
        if (host_out[i] != sum) return false;
        sum += mod7[i];
    }
    return true;
}

/* In place, with values; keys of the first half have one high digit, which takes another level. */
static uint32_t host_values[HOST_N];

static uint32_t host_key(uint32_t i) { return i % 2 ? i * 7919u % 65521u : i * 0x9e3779b9u; }

static void prepare_host_sort(world *w)
{
    uint32_t i;
    (void)w;
    for (i = 0; i < HOST_N; i++) {
        host_out[i] = host_key(i);
        host_values[i] = i;
    }
}

static gp_result run_host_sort(world *w)
{
    gp_host_sort_desc d = {0};
    d.keys = d.keys_out = host_out;
    d.values = d.values_out = host_values;
    d.count = HOST_N;
    d.key_type = GP_U32;
    d.value_size = 4;
    d.budget = 40000;
    HOST_OTHERS(d);
    return gp_host_sort(w->gp, &d);
}

/* Every pair is there. */
static bool kept_host_sort(world *w)
{
    static unsigned char seen[HOST_N];
    size_t i;
    (void)w;
    memset(seen, 0, sizeof seen);
    for (i = 0; i < HOST_N; i++) {
        if (host_values[i] >= HOST_N || seen[host_values[i]] || host_out[i] != host_key(host_values[i]))
            return false;
        seen[host_values[i]] = 1;
    }
    return true;
}

static bool check_host_sort(world *w)
{
    size_t i;
    for (i = 1; i < HOST_N; i++) {
        if (host_out[i - 1] > host_out[i]) return false;
    }
    return kept_host_sort(w);
}

static gp_result run_host_argsort(world *w)
{
    gp_host_sort_desc d = {0};
    d.keys = falling;
    d.values_out = host_values;
    d.count = HOST_N;
    d.key_type = GP_U32;
    d.budget = 40000;
    return gp_host_argsort(w->gp, &d);
}

static bool check_host_argsort(world *w)
{
    size_t i;
    (void)w;
    for (i = 0; i < HOST_N; i++) {
        if (host_values[i] != HOST_N - 1 - i) return false;
    }
    return true;
}

static gp_result run_host_select(world *w)
{
    gp_host_select_desc d = {0};
    d.in = mod7;
    d.indices_out = host_out;
    d.selected = &w->number[0];
    d.count = HOST_N;
    d.type = GP_U32;
    d.predicate = "x == 0";
    d.budget = 40000;
    HOST_OTHERS(d);
    return gp_host_select(w->gp, &d);
}

static bool check_host_select(world *w)
{
    uint32_t i;
    for (i = 0; 7 * i < HOST_N; i++) {
        if (host_out[i] != 7 * i) return false;
    }
    return w->number[0] == i;
}

/* Chunks whose results are several chunks again. */
static gp_result run_host_topk(world *w)
{
    gp_host_topk_desc d = {0};
    d.keys = mod7;
    d.indices_out = host_out;
    d.count = HOST_N;
    d.k = 100;
    d.key_type = GP_U32;
    d.smallest = true;
    d.budget = 10000;
    HOST_OTHERS(d);
    return gp_host_topk(w->gp, &d);
}

/* More than the budget has room for: all keys are sorted. */
static gp_result run_host_topk_of_many(world *w)
{
    gp_host_topk_desc d = {0};
    d.keys = mod7;
    d.indices_out = host_out;
    d.count = HOST_N;
    d.k = 500;
    d.key_type = GP_U32;
    d.smallest = true;
    d.budget = 20000;
    HOST_OTHERS(d);
    return gp_host_topk(w->gp, &d);
}

static bool check_host_topk(world *w)
{
    uint32_t i;
    (void)w;
    for (i = 0; i < 100; i++) {
        if (host_out[i] != 7 * i) return false;
    }
    return true;
}

static gp_result run_host_nth_element(world *w)
{
    const uint64_t ranks[3] = {HOST_N / 2, 0, HOST_N - 1};
    gp_host_nth_element_desc d = {0};
    d.keys = falling;
    d.keys_out = host_out;
    d.count = HOST_N;
    d.ranks = ranks;
    d.rank_count = 3;
    d.key_type = GP_U32;
    d.budget = 40000;
    HOST_OTHERS(d);
    return gp_host_nth_element(w->gp, &d);
}

/* The first HOST_N of the falling numbers. */
static bool check_host_nth_element(world *w)
{
    const uint32_t least = falling[HOST_N - 1];
    (void)w;
    return host_out[0] == least + HOST_N / 2 && host_out[1] == least && host_out[2] == falling[0];
}

static gp_result run_host_histogram(world *w)
{
    gp_host_histogram_desc d = {0};
    d.in = mod7;
    d.count = HOST_N;
    d.type = GP_U32;
    d.map = "i % 8";
    d.map_type = GP_U32;
    d.bins = 8;
    d.upper.u64 = 8;
    d.weights = mod7;
    d.weight_type = GP_U32;
    d.out = w->host;
    d.budget = 14000;
    HOST_OTHERS(d);
    return gp_host_histogram(w->gp, &d);
}

static bool check_host_histogram(world *w)
{
    uint32_t sums[8] = {0};
    size_t i;
    for (i = 0; i < HOST_N; i++) sums[i % 8] += mod7[i];
    return memcmp(w->host, sums, sizeof sums) == 0;
}

/* Half of the keys are distinct, half are few, so that groups of chunks are combined before the last chunk. */
static uint32_t host_keys_out[HOST_N];

static void prepare_host_group_by(world *w)
{
    uint32_t i;
    prepare_host(w);
    for (i = 0; i < HOST_N; i++) host_values[i] = i % 2 ? i % 7 : i;
}

static gp_result run_host_group_by(world *w)
{
    gp_host_group_by_desc d = {0};
    d.keys = host_values;
    d.in = ramp;
    d.keys_out = host_keys_out;
    d.out = host_out;
    d.groups = &w->number[0];
    d.count = HOST_N;
    d.key_type = d.type = d.out_type = GP_U32;
    d.op = GP_SUM;
    d.budget = 40000;
    HOST_OTHERS(d);
    return gp_host_group_by(w->gp, &d);
}

static bool check_host_group_by(world *w)
{
    static uint32_t sums[HOST_N];
    uint32_t i, g = 0;
    memset(sums, 0, sizeof sums);
    for (i = 0; i < HOST_N; i++) sums[host_values[i]] += i;
    for (i = 0; i < HOST_N; i++) {
        if (sums[i] && (host_keys_out[g] != i || host_out[g++] != sums[i])) return false;
    }
    return w->number[0] == g;
}

/* A third each opens, closes, does neither. */
static int8_t host_code(uint32_t i) { return (int8_t)((i * 0x9e3779b9u >> 16) % 3 - 1); }

static gp_result run_host_brackets(world *w)
{
    static int8_t codes[HOST_N];
    gp_host_brackets_desc d = {0};
    uint32_t i;
    for (i = 0; i < HOST_N; i++) codes[i] = host_code(i);
    d.in = codes;
    d.count = HOST_N;
    d.type = GP_I8;
    d.match = host_out;
    d.depth = host_values;
    d.errors = (gp_brackets_errors *)w->number;
    d.budget = 200000;
    return gp_host_brackets(w->gp, &d);
}

static bool check_host_brackets(world *w)
{
    static uint32_t stack[HOST_N];
    const gp_brackets_errors *errors = (const gp_brackets_errors *)w->number;
    uint32_t i, height = 0, closers = 0;
    for (i = 0; i < HOST_N; i++) {
        if (host_values[i] != height) return false;
        if (host_code(i) == 0 && host_out[i] != UINT32_MAX) return false;
        if (host_code(i) > 0) stack[height++] = i;
        if (host_code(i) >= 0) continue;
        closers += height == 0;
        if (host_out[i] != (height ? stack[height - 1] : UINT32_MAX)) return false;
        if (height && host_out[stack[--height]] != i) return false;
    }
    for (i = 0; i < height; i++) {
        if (host_out[stack[i]] != UINT32_MAX) return false;
    }
    return errors->unmatched_closers == closers && errors->unmatched_openers == height;
}

/* ------------------------------------------------------------------ two contexts */

static void two_contexts(world *w, gp_context_desc *desc)
{
    must(gp_context_create(desc, &w->other) == GP_OK, gp_last_error(NULL));
}

static gp_result with_other(world *w, gp_result (*run)(world *w))
{
    gp_result result;
    host_others = &w->other;
    result = run(w);
    host_others = NULL;
    return result;
}

static gp_result run_devices_reduce(world *w) { return with_other(w, run_host_reduce); }
static gp_result run_devices_scan(world *w) { return with_other(w, run_host_scan); }
static gp_result run_devices_sort(world *w) { return with_other(w, run_host_sort); }
static gp_result run_devices_select(world *w) { return with_other(w, run_host_select); }
static gp_result run_devices_histogram(world *w) { return with_other(w, run_host_histogram); }
static gp_result run_devices_group_by(world *w) { return with_other(w, run_host_group_by); }

static gp_result run_devices_topk(world *w) { return with_other(w, run_host_topk); }

static gp_result run_devices_nth_element(world *w) { return with_other(w, run_host_nth_element); }

const scenario scenarios_host[] = {
    {"host_devices_nth_element", two_contexts, prepare_host, run_devices_nth_element, check_host_nth_element,
     NULL, false, false},
    {"host_nth_element", NULL, prepare_host, run_host_nth_element, check_host_nth_element, NULL, false,
     false},
    {"host_devices_topk", two_contexts, prepare_host, run_devices_topk, check_host_topk, NULL, false, false},
    {"host_topk", NULL, prepare_host, run_host_topk, check_host_topk, NULL, false, false},
    {"host_topk_of_many", NULL, prepare_host, run_host_topk_of_many, check_host_topk, NULL, false, false},
    {"host_devices_group_by", two_contexts, prepare_host_group_by, run_devices_group_by, check_host_group_by,
     NULL, false, false},
    {"host_devices_reduce", two_contexts, prepare_host, run_devices_reduce, check_host_reduce, NULL, false,
     false},
    {"host_devices_scan", two_contexts, prepare_host, run_devices_scan, check_host_scan, NULL, false, false},
    {"host_devices_sort", two_contexts, prepare_host_sort, run_devices_sort, check_host_sort, kept_host_sort,
     false, false},
    {"host_devices_select", two_contexts, prepare_host, run_devices_select, check_host_select, NULL, false,
     false},
    {"host_devices_histogram", two_contexts, prepare_host, run_devices_histogram, check_host_histogram, NULL,
     false, false},
    {"host_brackets", NULL, prepare_host, run_host_brackets, check_host_brackets, NULL, false, false},
    {"host_group_by", NULL, prepare_host_group_by, run_host_group_by, check_host_group_by, NULL, false,
     false},
    {"host_select", NULL, prepare_host, run_host_select, check_host_select, NULL, false, false},
    {"host_histogram", NULL, prepare_host, run_host_histogram, check_host_histogram, NULL, false, false},
    {"host_sort", NULL, prepare_host_sort, run_host_sort, check_host_sort, kept_host_sort, false, false},
    {"host_argsort", NULL, prepare_host, run_host_argsort, check_host_argsort, NULL, false, false},
    {"host_reduce", NULL, prepare_host, run_host_reduce, check_host_reduce, NULL, false, false},
    {"host_scan", NULL, prepare_host, run_host_scan, check_host_scan, NULL, false, false},
    {0},
};
