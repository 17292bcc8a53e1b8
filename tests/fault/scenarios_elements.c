/* scenarios_elements.c - sums, scans, selections: what goes over elements. See driver.h. */
#include "driver.h"

/* ------------------------------------------------------------------ reduce */

static void prepare_mod7(world *w)
{
    put(w, 0, mod7, sizeof mod7);
    put_out(w, 1, sizeof mod7);
    put_out(w, 2, sizeof mod7);
    put_out(w, 3, 64);
}

static uint64_t sum_mod7(size_t begin, size_t end)
{
    uint64_t sum = 0;
    for (; begin < end; begin++) sum += mod7[begin];
    return sum;
}

static gp_reduce_desc reduce_desc(const world *w)
{
    gp_reduce_desc d = {0};
    d.in = w->buffer[0];
    d.out = w->buffer[3];
    d.count = N;
    d.type = GP_U32;
    d.op = GP_SUM;
    return d;
}

static gp_result run_reduce(world *w)
{
    const gp_reduce_desc d = reduce_desc(w);
    return gp_reduce(w->gp, &d);
}

static gp_result run_reduce_read(world *w)
{
    gp_reduce_desc d = reduce_desc(w);
    d.out = NULL;
    return gp_reduce_read(w->gp, &d, w->host);
}

static bool check_reduce(world *w)
{
    const uint64_t sum = sum_mod7(0, N);
    return holds(w, 3, &sum, sizeof sum);
}

static bool check_reduce_read(world *w)
{
    const uint64_t sum = sum_mod7(0, N);
    return memcmp(w->host, &sum, sizeof sum) == 0;
}

/* Two halves. */
static const uint32_t halves[] = {0, N / 2, N};

static void prepare_segments(world *w)
{
    prepare_mod7(w);
    put(w, 4, halves, sizeof halves);
}

static gp_result run_segmented_reduce(world *w)
{
    gp_segmented_reduce_desc d = {0};
    d.in = w->buffer[0];
    d.count = N;
    d.offsets = w->buffer[4];
    d.offsets_type = GP_U32;
    d.segment_count = 2;
    d.out = w->buffer[3];
    d.type = GP_U32;
    d.op = GP_SUM;
    return gp_segmented_reduce(w->gp, &d);
}

static bool check_segmented_reduce(world *w)
{
    uint64_t sums[2];
    sums[0] = sum_mod7(0, N / 2);
    sums[1] = sum_mod7(N / 2, N);
    return holds(w, 3, sums, sizeof sums);
}

/* Two columns of several parts. */
static gp_result run_columns(world *w)
{
    gp_segmented_reduce_desc d = {0};
    d.in = w->buffer[0];
    d.row_length = N / 2;
    d.element_stride = d.segment_count = 2;
    d.out = w->buffer[3];
    d.type = GP_U32;
    d.op = GP_SUM;
    return gp_segmented_reduce(w->gp, &d);
}

static bool check_columns(world *w)
{
    uint64_t sums[2] = {0, 0};
    size_t i;
    for (i = 0; i < N / 2 * 2; i++) sums[i % 2] += mod7[i];
    return holds(w, 3, sums, sizeof sums);
}

/* Two halves, of several parts each, in one pass or in several. */
static gp_result scan_halves(world *w, gp_strategy strategy)
{
    gp_segmented_scan_desc d = {0};
    d.in = w->buffer[0];
    d.count = N;
    d.offsets = w->buffer[4];
    d.offsets_type = GP_U32;
    d.segment_count = 2;
    d.out = w->buffer[1];
    d.type = GP_U32;
    d.op = GP_SUM;
    d.strategy = strategy;
    return gp_segmented_scan(w->gp, &d);
}

static gp_result run_segmented_scan(world *w) { return scan_halves(w, GP_STRATEGY_AUTO); }
static gp_result run_segmented_scan_multi_pass(world *w) { return scan_halves(w, GP_STRATEGY_MULTI_PASS); }

static bool check_segmented_scan(world *w)
{
    static uint32_t sums[N];
    size_t i;
    for (i = 0; i < N; i++) sums[i] = mod7[i] + (i != 0 && i != N / 2 ? sums[i - 1] : 0);
    return holds(w, 1, sums, sizeof sums);
}

/* Two columns of several parts. */
static gp_result run_scan_columns(world *w)
{
    gp_segmented_scan_desc d = {0};
    d.in = w->buffer[0];
    d.row_length = N / 2;
    d.element_stride = d.segment_count = 2;
    d.out = w->buffer[1];
    d.type = GP_U32;
    d.op = GP_SUM;
    return gp_segmented_scan(w->gp, &d);
}

static bool check_scan_columns(world *w)
{
    static uint32_t sums[N];
    size_t i;
    for (i = 0; i < N / 2 * 2; i++) sums[i] = mod7[i] + (i > 1 ? sums[i - 2] : 0);
    return holds(w, 1, sums, N / 2 * 2 * sizeof *sums);
}

/* Runs of ten keys each. */
static uint32_t tens[N];

static void prepare_tens(world *w)
{
    size_t i;
    for (i = 0; i < N; i++) tens[i] = (uint32_t)(i / 10);
    prepare_mod7(w);
    put(w, 4, tens, sizeof tens);
    put_out(w, 5, 8 * N);
}

static gp_result run_reduce_by_key(world *w)
{
    gp_reduce_by_key_desc d = {0};
    gp_result result;
    d.keys = w->buffer[4];
    d.key_type = GP_U32;
    d.in = w->buffer[0];
    d.type = GP_U32;
    d.op = GP_SUM;
    d.keys_out = w->buffer[1];
    d.out = w->buffer[5];
    d.count = N;
    result = gp_reduce_by_key(w->gp, &d);
    return result == GP_OK ? gp_reduce_by_key_read(w->gp, &d, &w->number[0]) : result;
}

static bool check_reduce_by_key(world *w)
{
    static uint64_t sums[N / 10];
    size_t i;
    for (i = 0; i < N / 10; i++) sums[i] = sum_mod7(10 * i, 10 * i + 10);
    return w->number[0] == N / 10 && holds(w, 5, sums, sizeof sums) && holds(w, 1, ramp, 4 * (N / 10));
}

/* ------------------------------------------------------------------ scan */

static gp_scan_desc scan_desc(const world *w)
{
    gp_scan_desc d = {0};
    d.in = w->buffer[0];
    d.out = w->buffer[1];
    d.count = N;
    d.type = GP_U32;
    d.op = GP_SUM;
    return d;
}

static gp_result run_scan(world *w)
{
    const gp_scan_desc d = scan_desc(w);
    return gp_scan(w->gp, &d);
}

static gp_result run_scan_multi_pass(world *w)
{
    gp_scan_desc d = scan_desc(w);
    d.strategy = GP_STRATEGY_MULTI_PASS;
    return gp_scan(w->gp, &d);
}

/* The number of elements is on the device, the scratch the caller's, the output the input. */
static const uint32_t all_of_them = N;

static void prepare_scan_in_place(world *w)
{
    put_inout(w, 1, mod7, sizeof mod7);
    put(w, 2, &all_of_them, sizeof all_of_them);
    put_out(w, 3, 65536);
}

static gp_result run_scan_in_place(world *w)
{
    gp_scan_desc d = scan_desc(w);
    size_t bytes = 0;
    gp_result result;
    d.in = d.out = w->buffer[1];
    d.count_buffer = w->buffer[2];
    d.count_type = GP_U32;
    d.scratch = w->buffer[3];
    result = gp_scan_scratch_size(w->gp, &d, &bytes);
    return result == GP_OK ? gp_scan(w->gp, &d) : result;
}

static bool check_scan(world *w)
{
    uint32_t sum = 0;
    size_t i;
    for (i = 0; i < N; i++) want[i] = sum += mod7[i];
    return holds(w, 1, want, sizeof want);
}

/* A monoid, tried out and then used. */
static gp_result run_check_monoid(world *w)
{
    static const uint32_t zero = 0;
    gp_monoid m = {0};
    gp_check_monoid_desc check = {0};
    gp_scan_desc d = scan_desc(w);
    gp_result result;
    m.type = "uint";
    m.source = "uint fault_add(uint a, uint b) { return a + b; }";
    m.combine = "fault_add";
    m.identity = &zero;
    m.size = 4;
    m.commutative = m.exact = true;
    check.monoid = &m;
    d.type = GP_TYPE_NONE;
    d.op = GP_OP_NONE;
    d.monoid = &m;
    result = gp_check_monoid(w->gp, &check);
    return result == GP_OK ? gp_scan(w->gp, &d) : result;
}

static void check_monoids(world *w, gp_context_desc *desc)
{
    (void)w;
    desc->check_monoids = true;
}

/* ------------------------------------------------------------------ select, partition, unique, runs */

static size_t pick(bool big, uint32_t *to)
{
    size_t i, n = 0;
    for (i = 0; i < N; i++) {
        if ((mod7[i] > 3) == big) to[n++] = mod7[i];
    }
    return n;
}

static gp_result run_select(world *w)
{
    gp_select_desc d = {0};
    gp_result result;
    d.in = w->buffer[0];
    d.out = w->buffer[1];
    d.count = N;
    d.type = GP_U32;
    d.predicate = "x > 3";
    result = gp_select(w->gp, &d);
    return result == GP_OK ? gp_select_read(w->gp, &d, &w->number[0]) : result;
}

static bool check_select(world *w)
{
    const size_t n = pick(true, want);
    return w->number[0] == n && holds(w, 1, want, 4 * n);
}

static gp_result run_partition(world *w)
{
    gp_partition_desc d = {0};
    gp_result result;
    d.in = w->buffer[0];
    d.out = w->buffer[1];
    d.count = N;
    d.type = GP_U32;
    d.predicate = "x > 3";
    d.counts_out = w->buffer[3];
    result = gp_partition(w->gp, &d);
    return result == GP_OK ? gp_partition_read(w->gp, &d, w->number) : result;
}

static bool check_partition(world *w)
{
    const size_t n = pick(true, want);
    (void)pick(false, want + n);
    return w->number[0] == n && w->number[1] == N - n && holds(w, 1, want, sizeof want);
}

/* Keys by their type, and as records. */
static gp_result run_unique(world *w)
{
    static const gp_record uint_record = {.cl_type = "uint", .size = 4};
    gp_unique_desc d = {0};
    gp_result result;
    d.keys = w->buffer[4];
    d.key_type = GP_U32;
    d.keys_out = w->buffer[1];
    d.count = N;
    result = gp_unique(w->gp, &d);
    d.key_type = GP_TYPE_NONE;
    d.record = &uint_record;
    d.equal = "x == y";
    return result == GP_OK ? gp_unique_read(w->gp, &d, &w->number[0]) : result;
}

static bool check_unique(world *w) { return w->number[0] == N / 10 && holds(w, 1, ramp, 4 * (N / 10)); }

static gp_result run_unique_by_key(world *w)
{
    gp_unique_desc d = {0};
    gp_result result;
    d.keys = w->buffer[4];
    d.key_type = GP_U32;
    d.keys_out = w->buffer[1];
    d.values = w->buffer[0];
    d.values_out = w->buffer[2];
    d.value_size = 4;
    d.count = N;
    result = gp_unique_by_key(w->gp, &d);
    return result == GP_OK ? gp_unique_by_key_read(w->gp, &d, &w->number[0]) : result;
}

static bool check_unique_by_key(world *w)
{
    size_t i;
    for (i = 0; i < N / 10; i++) want[i] = mod7[10 * i];
    return w->number[0] == N / 10 && holds(w, 1, ramp, 4 * (N / 10)) && holds(w, 2, want, 4 * (N / 10));
}

static gp_result run_runs(world *w)
{
    gp_run_length_encode_desc d = {0};
    gp_result result;
    d.in = w->buffer[4];
    d.type = GP_U32;
    d.out = w->buffer[1];
    d.lengths_out = w->buffer[2];
    d.count_out = w->buffer[3];
    d.count = N;
    result = gp_run_length_encode(w->gp, &d);
    return result == GP_OK ? gp_run_length_encode_read(w->gp, &d, &w->number[0]) : result;
}

static bool check_runs(world *w)
{
    const uint32_t runs = N / 10;
    size_t i;
    for (i = 0; i < runs; i++) want[i] = 10;
    return holds(w, 3, &runs, 4) && holds(w, 1, ramp, 4 * runs) && holds(w, 2, want, 4 * runs);
}

/* Runs of ten: the numbers of the runs as keys. */
static void prepare_decode(world *w)
{
    size_t i;
    for (i = 0; i <= N / 10; i++) tens[i] = (uint32_t)(10 * i);
    put(w, 0, ramp, 4 * (N / 10));
    put(w, 1, tens, 4 * (N / 10 + 1));
    put_out(w, 2, 4 * N);
    put_out(w, 3, 4 * N);
}

static gp_result run_decode(world *w)
{
    gp_run_length_decode_desc d = {0};
    d.in = w->buffer[0];
    d.offsets = w->buffer[1];
    d.out = w->buffer[2];
    d.positions_out = w->buffer[3];
    d.type = d.offsets_type = GP_U32;
    d.run_count = N / 10;
    d.count = N;
    return gp_run_length_decode(w->gp, &d);
}

static bool check_decode(world *w)
{
    size_t i;
    for (i = 0; i < N; i++) want[i] = (uint32_t)(i / 10);
    if (!holds(w, 2, want, 4 * N)) return false;
    for (i = 0; i < N; i++) want[i] = (uint32_t)(i % 10);
    return holds(w, 3, want, 4 * N);
}

/* ------------------------------------------------------------------ group by */

static void prepare_groups(world *w)
{
    size_t k;
    put(w, 0, mod7, sizeof mod7);
    for (k = 1; k <= 4; k++) put_out(w, k, 4 * (N + 1));
}

static gp_result run_groups(world *w)
{
    gp_key_column column = {0};
    const gp_group_result count = {.op = GP_COUNT, .out = w->buffer[4]};
    gp_group_by_desc d = {0};
    column.in = w->buffer[0];
    column.type = GP_U32;
    d.columns = &column;
    d.column_count = 1;
    d.groups_out = w->buffer[1];
    d.order_out = w->buffer[2];
    d.offsets_out = w->buffer[3];
    d.count = N;
    d.results = &count;
    d.result_count = 1;
    return gp_group_by_read(w->gp, &d, &w->number[0]);
}

/* The first seven rows have the numbers 0 to 6 in some order. */
static bool check_groups(world *w)
{
    static uint32_t order[N], offsets[8], counts[7];
    size_t group, i, n = 0;
    for (group = 0; group < 7; group++) {
        offsets[group] = (uint32_t)n;
        counts[group] = 0;
        for (i = 0; i < N; i++) {
            if (mod7[i] != mod7[group]) continue;
            want[i] = (uint32_t)group;
            counts[group]++;
            order[n++] = (uint32_t)i;
        }
    }
    offsets[7] = N;
    return w->number[0] == 7 && holds(w, 1, want, 4 * N) && holds(w, 2, order, 4 * N) &&
           holds(w, 3, offsets, 4 * 8) && holds(w, 4, counts, 4 * 7);
}

/* ------------------------------------------------------------------ join */

static gp_result run_join(world *w)
{
    gp_key_column column = {0};
    gp_join_desc d = {0};
    size_t bytes = 0;
    gp_result result;
    column.in = w->buffer[0];
    column.type = GP_U32;
    d.left = d.right = &column;
    d.column_count = 1;
    d.kind = GP_JOIN_FULL;
    d.left_count = 7;
    d.right_count = d.capacity = N;
    d.left_out = w->buffer[1];
    d.right_out = w->buffer[2];
    result = gp_join_table_size(w->gp, &d, &bytes);
    if (result == GP_OK) result = gp_buffer_create(w->gp, bytes, NULL, &d.table);
    if (result == GP_OK) result = gp_join_build(w->gp, &d);
    if (result == GP_OK) result = gp_join_read(w->gp, &d, &w->number[0]);
    if (d.table) clReleaseMemObject(d.table);
    d.table = NULL;
    return result == GP_OK ? gp_join_read(w->gp, &d, &w->number[0]) : result;
}

/* Each row is the partner of the one of the first seven that has its key. */
static bool check_join(world *w)
{
    static uint32_t left[N], right[N];
    size_t row, i, n = 0;
    for (row = 0; row < 7; row++) {
        for (i = 0; i < N; i++) {
            if (mod7[i] != mod7[row]) continue;
            left[n] = (uint32_t)row;
            right[n++] = (uint32_t)i;
        }
    }
    return n == N && w->number[0] == N && holds(w, 1, left, sizeof left) && holds(w, 2, right, sizeof right);
}

/* ------------------------------------------------------------------ sketches */

static void prepare_sketches(world *w)
{
    size_t k;
    put(w, 0, mod7, sizeof mod7);
    for (k = 1; k <= 3; k++) put_out(w, k, 4 * N);
}

static gp_result run_sketches(world *w)
{
    gp_key_column column = {0};
    gp_bloom_desc b = {0};
    gp_hyperloglog_desc h = {0};
    gp_fill_desc zeros = {0};
    double estimate = -1;
    gp_result result;
    column.in = w->buffer[0];
    column.type = GP_U32;
    b.columns = h.columns = &column;
    b.column_count = h.column_count = 1;
    b.count = h.count = N;
    b.filter = w->buffer[1];
    b.block_count = 10;
    h.registers = w->buffer[3];
    h.precision = 6;
    zeros.element_size = 4;
    zeros.count = N;
    zeros.out = b.filter;
    result = gp_fill(w->gp, &zeros);
    zeros.out = h.registers;
    if (result == GP_OK) result = gp_fill(w->gp, &zeros);
    if (result == GP_OK) result = gp_bloom_add(w->gp, &b);
    b.found = w->buffer[2];
    if (result == GP_OK) result = gp_bloom_contains(w->gp, &b);
    if (result == GP_OK) result = gp_hyperloglog_add(w->gp, &h);
    if (result == GP_OK) result = gp_hyperloglog_estimate(w->gp, &h, &estimate);
    w->number[0] = (uint64_t)(estimate + .5);
    return result;
}

static bool check_sketches(world *w)
{
    static unsigned char found[N];
    memset(found, 1, sizeof found);
    return w->number[0] >= 5 && w->number[0] <= 9 && holds(w, 2, found, sizeof found);
}

/* ------------------------------------------------------------------ histogram */

static gp_result run_histogram(world *w)
{
    gp_histogram_desc d = {0};
    d.in = w->buffer[0];
    d.count = N;
    d.type = GP_U32;
    d.bins = 7;
    d.upper.u64 = 7;
    d.out = w->buffer[1];
    return gp_histogram(w->gp, &d);
}

/* So many bins that they are counted in global memory. */
static gp_result run_histogram_far(world *w)
{
    gp_histogram_desc d = {0};
    d.in = w->buffer[0];
    d.count = N;
    d.type = GP_U32;
    d.bins = N;
    d.upper.u64 = N;
    d.out = w->buffer[1];
    return gp_histogram(w->gp, &d);
}

static bool check_histogram(world *w)
{
    size_t i;
    memset(want, 0, sizeof want);
    for (i = 0; i < N; i++) want[mod7[i]]++;
    return holds(w, 1, want, 4 * 7);
}

/* ------------------------------------------------------------------ sizes */

/* The next ..._scratch_size, if all before have told theirs. */
#define SIZE(NAME, ...)                                                                     \
    do {                                                                                    \
        const gp_##NAME##_desc d = {__VA_ARGS__};                                           \
        if (result == GP_OK) result = gp_##NAME##_scratch_size(w->gp, &d, &bytes[known++]); \
    } while (0)

static gp_result run_sizes(world *w)
{
    static const gp_sort_column by_itself = {NULL, GP_U32, false};
    static const gp_key_column key = {.type = GP_U32};
    static const gp_group_result count_rows = {.op = GP_COUNT};
    static const uint64_t zero_rank = 0;
    size_t *bytes = (size_t *)(void *)w->number;
    gp_result result = GP_OK;
    int known = 0;
    SIZE(reduce, .count = N, .type = GP_U32, .op = GP_SUM);
    SIZE(segmented_reduce, .count = N, .offsets_type = GP_U32, .segment_count = 2, .type = GP_U32,
         .op = GP_SUM);
    SIZE(segmented_scan, .count = N, .offsets_type = GP_U32, .segment_count = 2, .type = GP_U32,
         .op = GP_SUM);
    SIZE(reduce_by_key, .count = N, .key_type = GP_U32, .type = GP_U32, .op = GP_SUM);
    SIZE(select, .count = N, .type = GP_U32, .predicate = "x > 3");
    SIZE(partition, .count = N, .type = GP_U32, .predicate = "x > 3");
    SIZE(unique, .count = N, .key_type = GP_U32);
    SIZE(run_length_encode, .count = N, .type = GP_U32);
    SIZE(sort, .count = N, .key_type = GP_U32);
    SIZE(segmented_sort, .count = N, .offsets_type = GP_U32, .segment_count = 2, .key_type = GP_U32);
    SIZE(sort_strings, .count = N, .byte_count = N, .offsets_type = GP_U32);
    SIZE(sort_records, .count = N, .type = GP_U32, .columns = &by_itself, .column_count = 1);
    SIZE(histogram, .count = N, .type = GP_U32, .bins = N, .upper = {.u64 = N});
    SIZE(topk, .count = N, .k = 100, .key_type = GP_U32);
    SIZE(segmented_topk, .row_length = N, .segment_count = 2, .k = 100, .key_type = GP_U32);
    SIZE(nth_element, .count = N, .ranks = &zero_rank, .rank_count = 1, .key_type = GP_U32);
    SIZE(brackets, .count = N, .type = GP_U8);
    SIZE(stack_scan, .count = N, .type = GP_U8, .value_type = GP_U32, .op = GP_SUM);
    SIZE(tree, .count = N);
    SIZE(adjacent_difference, .count = N, .type = GP_U32);
    SIZE(unpack, .count = N, .element_size = 4);
    SIZE(stencil, .width = N, .type = GP_U32, .radius_x = 1, .map = "x");
    SIZE(join, .left_count = N, .right_count = N, .left = &key, .right = &key, .column_count = 1);
    SIZE(group_by, .count = N, .columns = &key, .column_count = 1, .results = &count_rows, .result_count = 1);
    w->host[0] = known == 24;
    return result;
}

static bool check_sizes(world *w) { return w->host[0] == 1; }

const scenario scenarios_elements[] = {
    {"reduce", NULL, prepare_mod7, run_reduce, check_reduce, NULL, false, false},
    {"reduce_read", NULL, prepare_mod7, run_reduce_read, check_reduce_read, NULL, false, false},
    {"columns", NULL, prepare_segments, run_columns, check_columns, NULL, false, false},
    {"segmented_reduce", NULL, prepare_segments, run_segmented_reduce, check_segmented_reduce, NULL, false,
     false},
    {"segmented_scan", NULL, prepare_segments, run_segmented_scan, check_segmented_scan, NULL, false, false},
    {"segmented_scan_multi_pass", NULL, prepare_segments, run_segmented_scan_multi_pass, check_segmented_scan,
     NULL, false, false},
    {"scan_columns", NULL, prepare_segments, run_scan_columns, check_scan_columns, NULL, false, false},
    {"reduce_by_key", NULL, prepare_tens, run_reduce_by_key, check_reduce_by_key, NULL, false, false},
    {"scan", NULL, prepare_mod7, run_scan, check_scan, NULL, false, false},
    {"scan_multi_pass", NULL, prepare_mod7, run_scan_multi_pass, check_scan, NULL, false, false},
    {"scan_in_place", NULL, prepare_scan_in_place, run_scan_in_place, check_scan, NULL, false, false},
    {"check_monoid", check_monoids, prepare_mod7, run_check_monoid, check_scan, NULL, false, false},
    {"select", NULL, prepare_mod7, run_select, check_select, NULL, false, false},
    {"partition", NULL, prepare_mod7, run_partition, check_partition, NULL, false, false},
    {"unique", NULL, prepare_tens, run_unique, check_unique, NULL, false, false},
    {"unique_by_key", NULL, prepare_tens, run_unique_by_key, check_unique_by_key, NULL, false, false},
    {"run_length_encode", NULL, prepare_tens, run_runs, check_runs, NULL, false, false},
    {"run_length_decode", NULL, prepare_decode, run_decode, check_decode, NULL, false, false},
    {"group_by", NULL, prepare_groups, run_groups, check_groups, NULL, false, false},
    {"join", NULL, prepare_groups, run_join, check_join, NULL, false, false},
    {"sketches", NULL, prepare_sketches, run_sketches, check_sketches, NULL, false, false},
    {"histogram", NULL, prepare_mod7, run_histogram, check_histogram, NULL, false, false},
    {"histogram_far", NULL, prepare_mod7, run_histogram_far, check_histogram, NULL, false, false},
    {"scratch_sizes", NULL, NULL, run_sizes, check_sizes, NULL, false, false},
    {0},
};
