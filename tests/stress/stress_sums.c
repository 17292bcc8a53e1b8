/* stress_sums.c - scans and reductions of all kinds. */
#include "stress.h"

/* ------------------------------------------------------------------ scan */

typedef struct scan_kind {
    const test_element *element;
    bool reverse, segmented;
} scan_kind;

/* One program each. */
static const scan_kind scan_kinds[] = {{&test_u32_sum, false, false},
                                       {&test_u32_max, false, true},
                                       {&test_u32_sum, true, false},
                                       {&test_u64_sum, false, false}};

/* What comes out, from the first element in the scan's order to its last. */
static void scan_mirror(const scan_kind *kind, const gp_scan_desc *d, const piece *in, const piece *out,
                        const piece *heads, size_t n)
{
    const test_element *e = kind->element;
    unsigned char sum[8], x[8];
    size_t k;
    e->identity(sum);
    for (k = 0; k < n; k++) {
        const size_t i = kind->reverse ? n - 1 - k : k;
        if (kind->segmented && heads->mirror[i]) e->identity(sum);
        e->from(in->mirror + i * e->in_size, x);
        if (d->exclusive) memcpy(out->mirror + i * e->size, sum, e->size);
        e->combine(sum, x, sum);
        if (!d->exclusive) memcpy(out->mirror + i * e->size, sum, e->size);
    }
}

static void run_scan(stress *s)
{
    const scan_kind *kind = &scan_kinds[stress_below(s, sizeof scan_kinds / sizeof *scan_kinds)];
    const test_element *e = kind->element;
    const size_t most = stress_count(s);
    const piece in = stress_in(s, most, e->in_size);
    const bool in_place = stress_chance(s, 3) && stress_in_place(s, &in);
    const piece heads = stress_in(s, most, 1), out = in_place ? in : stress_out(s, most, e->size);
    const stress_wanted wanted = stress_want(s, most);
    gp_scan_desc d = {0};
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, out, out);
    d.type = e->type;
    d.out_type = e->out_type;
    d.op = e->op;
    d.reverse = kind->reverse;
    d.exclusive = stress_chance(s, 2);
    d.strategy = (gp_strategy)stress_below(s, GP_STRATEGY_COUNT);
    if (kind->segmented) {
        d.segments = GP_SEGMENTS_BY_FLAGS;
        d.heads_type = GP_U8;
        STRESS_PIECE(d, heads, heads);
    }
    scan_mirror(kind, &d, &in, &out, &heads, wanted.count);
    STRESS_CALL(s, gp_scan, d);
}

/* ------------------------------------------------------------------ reduce */

static const test_element *const reduced[] = {&test_u32_sum_u64, &test_u32_max};

static uint64_t reduce_mirror(const test_element *e, const unsigned char *from, size_t n)
{
    uint64_t sum = 0, x = 0;
    size_t i;
    e->identity(&sum);
    for (i = 0; i < n; i++) {
        e->from(from + i * e->in_size, &x);
        e->combine(&sum, &x, &sum);
    }
    return sum;
}

static void run_reduce(stress *s)
{
    const test_element *e = reduced[stress_below(s, 2)];
    const size_t most = stress_count(s);
    const piece in = stress_in(s, most, 4);
    const stress_wanted wanted = stress_want(s, most);
    const uint64_t sum = reduce_mirror(e, in.mirror, wanted.count);
    gp_reduce_desc d = {0};
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, in, in);
    d.type = e->type;
    d.out_type = e->out_type;
    d.op = e->op;
    if (stress_chance(s, 3)) {
        uint64_t got = 0;
        d.wait = stress_wait_list(s, &d.wait_count);
        stress_called(s, "gp_reduce_read", gp_reduce_read(s->gp, &d, &got));
        stress_expect(s, "the result", got, sum);
    } else {
        const piece out = stress_out(s, 1, e->size);
        STRESS_PIECE(d, out, out);
        memcpy(out.mirror, &sum, e->size);
        STRESS_CALL(s, gp_reduce, d);
    }
}

/* Rising offsets within `count`, now and then a bad one; on the device. */
static piece make_offsets(stress *s, size_t segments, size_t count)
{
    const piece offsets = stress_out(s, segments + 1, 4);
    size_t i, at = 0;
    for (i = 0; i <= segments; i++) {
        stress_set_u32(&offsets, i, (uint32_t)at);
        at += stress_below(s, 2 * (count - at) / (segments + 1 - i) + 2);
        if (at > count) at = count;
    }
    if (stress_chance(s, 8)) {
        const size_t bad = stress_below(s, segments + 1);
        stress_set_u32(&offsets, bad, (uint32_t)stress_below(s, 2 * count + 2));
    }
    stress_send(s, &offsets, segments + 1, 4);
    return offsets;
}

static void run_segmented_reduce(stress *s)
{
    const size_t count = stress_count(s), segments = stress_below(s, stress_chance(s, 2) ? 20 : 3000);
    const piece offsets = make_offsets(s, segments, count), in = stress_in(s, count, 4);
    const piece out = stress_out(s, segments, 4);
    gp_segmented_reduce_desc d = {0};
    size_t i;
    d.count = count;
    d.segment_count = segments;
    d.offsets_type = GP_U32;
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, out, out);
    STRESS_PIECE(d, offsets, offsets);
    d.type = d.out_type = GP_U32;
    d.op = GP_MAX;
    for (i = 0; i < segments; i++) {
        const size_t begin = stress_u32(&offsets, i), end = stress_u32(&offsets, i + 1);
        const bool good = begin <= end && end <= count;
        const uint64_t sum =
            reduce_mirror(&test_u32_max, in.mirror + 4 * (good ? begin : 0), good ? end - begin : 0);
        stress_set_u32(&out, i, (uint32_t)sum);
    }
    STRESS_CALL(s, gp_segmented_reduce, d);
}

/* Columns of all elements, or of every second column. */
static void run_columns(stress *s)
{
    const size_t count = stress_count(s), columns = 1 + stress_below(s, stress_chance(s, 2) ? 20 : 3000);
    const size_t rows = count / columns, apart = 1 + stress_below(s, 2),
                 segments = rows ? (columns - 1) / apart + 1 : 0;
    const piece in = stress_in(s, count, 4), out = stress_out(s, segments, 4);
    gp_segmented_reduce_desc d = {0};
    size_t i, k;
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, out, out);
    d.offsets_type = GP_U32;
    d.row_length = rows;
    d.row_stride = rows ? apart : 0;
    d.element_stride = rows ? columns : 0;
    d.segment_count = segments;
    d.type = d.out_type = GP_U32;
    d.op = GP_SUM;
    for (i = 0; i < segments; i++) {
        uint32_t sum = 0;
        for (k = 0; k < rows; k++) sum += stress_u32(&in, k * columns + i * apart);
        stress_set_u32(&out, i, sum);
    }
    STRESS_CALL(s, gp_segmented_reduce, d);
}

/* Segments by offsets, of which the mirror is right unless bad ones overlap; in and out of place. */
static void run_segmented_scan(stress *s)
{
    const size_t count = stress_count(s), segments = stress_below(s, stress_chance(s, 2) ? 20 : 3000);
    const piece offsets = make_offsets(s, segments, count), in = stress_in(s, count, 4);
    const piece out = stress_out(s, count, 4);
    gp_segmented_scan_desc d = {0};
    size_t i, k;
    d.count = count;
    d.segment_count = segments;
    d.offsets_type = GP_U32;
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, out, out);
    STRESS_PIECE(d, offsets, offsets);
    d.type = GP_U32;
    d.op = GP_SUM;
    d.reverse = stress_chance(s, 3);
    d.exclusive = stress_chance(s, 3);
    d.strategy = stress_chance(s, 2) ? GP_STRATEGY_MULTI_PASS : GP_STRATEGY_AUTO;
    for (i = 0; i + 1 < segments; i++) /* no overlap */
        if (stress_u32(&offsets, i) > stress_u32(&offsets, i + 1)) return;
    for (i = 0; i < segments; i++) {
        const size_t begin = stress_u32(&offsets, i), end = stress_u32(&offsets, i + 1);
        uint32_t sum = 0;
        for (k = begin; k < end && end <= count; k++) {
            const size_t at = d.reverse ? begin + end - 1 - k : k;
            const uint32_t before = sum;
            sum += stress_u32(&in, at);
            stress_set_u32(&out, at, d.exclusive ? before : sum);
        }
    }
    STRESS_CALL(s, gp_segmented_scan, d);
}

/* Columns of all elements, or of every second column. */
static void run_scan_columns(stress *s)
{
    const size_t count = stress_count(s), columns = 1 + stress_below(s, stress_chance(s, 2) ? 20 : 3000);
    const size_t rows = count / columns, apart = 1 + stress_below(s, 2),
                 segments = rows ? (columns - 1) / apart + 1 : 0;
    const piece in = stress_in(s, count, 4), out = stress_out(s, count, 4);
    gp_segmented_scan_desc d = {0};
    size_t i, k;
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, out, out);
    d.offsets_type = GP_U32;
    d.row_length = rows;
    d.row_stride = rows ? apart : 0;
    d.element_stride = rows ? columns : 0;
    d.segment_count = segments;
    d.type = GP_U32;
    d.op = GP_SUM;
    for (i = 0; i < segments; i++) {
        uint32_t sum = 0;
        for (k = 0; k < rows; k++) {
            sum += stress_u32(&in, k * columns + i * apart);
            stress_set_u32(&out, k * columns + i * apart, sum);
        }
    }
    STRESS_CALL(s, gp_segmented_scan, d);
}

static void run_reduce_by_key(stress *s)
{
    const size_t most = stress_count(s);
    const piece keys = stress_in(s, most, 4), in = stress_in(s, most, 4);
    const stress_wanted wanted = stress_want(s, most);
    const piece out = stress_out(s, most, 4), keys_out = stress_out(s, most, 4), total = stress_number(s, 1);
    const gp_record record = {.cl_type = "ushort2", .size = 4};
    gp_reduce_by_key_desc d = {0};
    size_t i, runs = 0;
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, keys, keys);
    STRESS_PIECE(d, out, out);
    STRESS_PIECE(d, keys_out, keys_out);
    STRESS_PIECE(d, count_out, total);
    d.type = d.out_type = GP_U32;
    if (stress_chance(s, 2)) {
        d.key_type = GP_U32;
    } else {
        d.key_record = &record;
        d.equal = "all(x == y)";
    }
    d.op = GP_SUM;
    for (i = 0; i < wanted.count; i++) {
        const uint32_t key = stress_u32(&keys, i), x = stress_u32(&in, i);
        if (i == 0 || key != stress_u32(&keys, i - 1)) {
            stress_set_u32(&keys_out, runs, key);
            stress_set_u32(&out, runs++, x);
        } else {
            stress_set_u32(&out, runs - 1, stress_u32(&out, runs - 1) + x);
        }
    }
    stress_set_u32(&total, 0, (uint32_t)runs);
    STRESS_CALL(s, gp_reduce_by_key, d);
}

const stress_entry stress_sums[] = {{"scan", run_scan},
                                    {"reduce", run_reduce},
                                    {"segmented_reduce", run_segmented_reduce},
                                    {"columns", run_columns},
                                    {"segmented_scan", run_segmented_scan},
                                    {"scan_columns", run_scan_columns},
                                    {"reduce_by_key", run_reduce_by_key},
                                    {NULL, NULL}};
