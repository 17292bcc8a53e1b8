/* stress_keys.c - sorting, merging, searching, the largest keys. */
#include "stress.h"

/* Element e[i].index of `from` at i. */
static void arrange(const key_entry *e, size_t n, const unsigned char *from, unsigned char *to, size_t size)
{
    unsigned char *copy = malloc(n * size + 1);
    size_t i;
    if (!copy) abort();
    for (i = 0; i < n; i++) memcpy(copy + i * size, from + e[i].index * size, size);
    memcpy(to, copy, n * size);
    free(copy);
}

typedef struct sort_kind {
    gp_type type;
    size_t value_size;
} sort_kind;

/* One program each, and for long keys a second one. */
static const sort_kind sort_kinds[] = {{GP_U32, 0}, {GP_U32, 4}, {GP_F32, 4}};

static void run_sort(stress *s)
{
    const sort_kind *kind = &sort_kinds[stress_below(s, sizeof sort_kinds / sizeof *sort_kinds)];
    const size_t most = stress_count(s);
    const piece keys = stress_in(s, most, 4);
    const bool in_place = kind->value_size == 0 && stress_chance(s, 2) && stress_in_place(s, &keys);
    const piece values = stress_in(s, most, 4);
    const stress_wanted wanted = stress_want(s, most);
    const piece keys_out = in_place ? keys : stress_out(s, most, 4), values_out = stress_out(s, most, 4);
    gp_sort_desc d = {0};
    key_entry *e;
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, keys, keys);
    if (!in_place) STRESS_PIECE(d, keys_out, keys_out);
    d.key_type = kind->type;
    d.value_size = kind->value_size;
    d.descending = stress_chance(s, 2);
    d.strategy = (gp_strategy)stress_below(s, GP_STRATEGY_COUNT);
    if (stress_chance(s, 4)) {
        d.begin_bit = (uint32_t)stress_below(s, 16);
        d.end_bit = d.begin_bit + 1 + (uint32_t)stress_below(s, 16);
    }
    e = keys_sorted(kind->type, d.descending, d.begin_bit, d.end_bit, keys.mirror, wanted.count);
    if (kind->value_size) {
        STRESS_PIECE(d, values, values);
        STRESS_PIECE(d, values_out, values_out);
        arrange(e, wanted.count, values.mirror, values_out.mirror, 4);
    }
    arrange(e, wanted.count, keys.mirror, keys_out.mirror, 4);
    free(e);
    STRESS_CALL(s, gp_sort, d);
}

static void run_argsort(stress *s)
{
    const size_t most = stress_count(s);
    const piece keys = stress_in(s, most, 4);
    const stress_wanted wanted = stress_want(s, most);
    const piece out = stress_out(s, most, 4);
    gp_sort_desc d = {0};
    key_entry *e;
    size_t i;
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, keys, keys);
    STRESS_PIECE(d, values_out, out);
    d.key_type = GP_U32;
    d.descending = stress_chance(s, 2);
    e = keys_sorted(GP_U32, d.descending, 0, 0, keys.mirror, wanted.count);
    for (i = 0; i < wanted.count; i++) stress_set_u32(&out, i, (uint32_t)e[i].index);
    free(e);
    STRESS_CALL(s, gp_argsort, d);
}

/* Records of three words by two fields, whose order together is that of the keys made here: 64 bits. */
static void run_sort_records(stress *s)
{
    static const gp_record triple = {"triple", 12, "typedef struct { uint a, b, c; } triple;"};
    static const gp_sort_column columns[] = {{"x.c & 3", GP_U8, false}, {"x.a", GP_U32, true}};
    const size_t most = stress_count(s) / 3;
    const piece in = stress_in(s, most, 12);
    const bool in_place = stress_chance(s, 2) && stress_in_place(s, &in);
    const stress_wanted wanted = stress_want(s, most);
    const piece out = in_place ? in : stress_out(s, most, 12), indices_out = stress_out(s, most, 4);
    uint64_t *keys = malloc(wanted.count * sizeof *keys + 1);
    gp_sort_records_desc d = {0};
    key_entry *e;
    size_t i;
    if (!keys) abort();
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, indices_out, indices_out);
    if (!in_place) STRESS_PIECE(d, out, out);
    else if (stress_chance(s, 2)) STRESS_PIECE(d, out, in);
    else d.indices_out = NULL;
    d.record = &triple;
    d.columns = columns;
    d.column_count = 2;
    d.strategy = (gp_strategy)stress_below(s, GP_STRATEGY_COUNT);
    for (i = 0; i < wanted.count; i++)
        keys[i] = (uint64_t)(stress_u32(&in, 3 * i + 2) & 3) << 32 | ~stress_u32(&in, 3 * i);
    e = keys_sorted(GP_U64, false, 0, 0, (const unsigned char *)keys, wanted.count);
    for (i = 0; i < wanted.count && d.indices_out; i++) stress_set_u32(&indices_out, i, (uint32_t)e[i].index);
    arrange(e, wanted.count, in.mirror, out.mirror, 12);
    free(e);
    free(keys);
    STRESS_CALL(s, gp_sort_records, d);
}

static void run_topk(stress *s)
{
    const size_t count = stress_count(s), k = stress_below(s, (count < 500 ? count : 500) + 1);
    const piece keys = stress_in(s, count, 4), keys_out = stress_out(s, k, 4),
                indices_out = stress_out(s, k, 4);
    gp_topk_desc d = {0};
    key_entry *e;
    size_t i;
    STRESS_PIECE(d, keys, keys);
    STRESS_PIECE(d, keys_out, keys_out);
    STRESS_PIECE(d, indices_out, indices_out);
    d.count = count;
    d.k = k;
    d.key_type = GP_U32;
    d.smallest = stress_chance(s, 2);
    e = keys_sorted(GP_U32, !d.smallest, 0, 0, keys.mirror, count);
    for (i = 0; i < k; i++) stress_set_u32(&indices_out, i, (uint32_t)e[i].index);
    for (i = 0; i < k; i++) stress_set_u32(&keys_out, i, stress_u32(&keys, e[i].index));
    free(e);
    STRESS_CALL(s, gp_topk, d);
}

/* Keys in order, in an array and on the device; the call at hand reads them. */
static piece make_sorted(stress *s, size_t count)
{
    const piece keys = stress_out(s, count, 4);
    uint32_t x = stress_random(s) % 1000;
    size_t i;
    for (i = 0; i < count; i++) {
        stress_set_u32(&keys, i, x);
        x += (uint32_t)stress_below(s, 4);
    }
    stress_send(s, &keys, count, 4);
    return keys;
}

static void run_merge(stress *s)
{
    const size_t a = stress_count(s) / 2, b = stress_count(s) / 2;
    const piece a_keys = make_sorted(s, a), b_keys = make_sorted(s, b);
    const piece a_values = stress_in(s, a, 4), b_values = stress_in(s, b, 4);
    const piece keys_out = stress_out(s, a + b, 4), values_out = stress_out(s, a + b, 4);
    gp_merge_desc d = {0};
    size_t i = 0, j = 0;
    STRESS_PIECE(d, a_keys, a_keys);
    STRESS_PIECE(d, b_keys, b_keys);
    STRESS_PIECE(d, a_values, a_values);
    STRESS_PIECE(d, b_values, b_values);
    STRESS_PIECE(d, keys_out, keys_out);
    STRESS_PIECE(d, values_out, values_out);
    d.a_count = a;
    d.b_count = b;
    d.key_type = GP_U32;
    d.value_size = 4;
    while (i < a || j < b) {
        const bool from_a = j == b || (i < a && stress_u32(&a_keys, i) <= stress_u32(&b_keys, j));
        stress_set_u32(&keys_out, i + j, from_a ? stress_u32(&a_keys, i) : stress_u32(&b_keys, j));
        stress_set_u32(&values_out, i + j, from_a ? stress_u32(&a_values, i) : stress_u32(&b_values, j));
        if (from_a) i++;
        else j++;
    }
    STRESS_CALL(s, gp_merge, d);
}

static void run_search(stress *s)
{
    const size_t count = stress_count(s), needles = stress_count(s);
    const piece keys = make_sorted(s, count), sought = stress_in(s, needles, 4),
                out = stress_out(s, needles, 4);
    const bool sought_there = stress_chance(s, 2); /* else needle i is i * 9973 */
    const gp_record pair = {.cl_type = "ushort2", .size = 4};
    gp_search_desc d = {0};
    size_t i;
    STRESS_PIECE(d, keys, keys);
    if (sought_there) STRESS_PIECE(d, needles, sought);
    STRESS_PIECE(d, out, out);
    d.count = count;
    d.needle_count = needles;
    d.key_type = d.out_type = GP_U32;
    d.upper = stress_chance(s, 2);
    if (!sought_there) {
        d.record = &pair;
        d.map = "as_uint(x)";
        d.needle_map = "i * 9973";
    }
    for (i = 0; i < needles; i++) {
        const uint32_t x = sought_there ? stress_u32(&sought, i) : (uint32_t)(i * 9973);
        size_t low = 0, high = count;
        while (low < high) {
            const size_t middle = (low + high) / 2;
            const uint32_t key = stress_u32(&keys, middle);
            if (d.upper ? key <= x : key < x) low = middle + 1;
            else high = middle;
        }
        stress_set_u32(&out, i, (uint32_t)low);
    }
    STRESS_CALL(s, gp_search, d);
}

/* In place: what is outside all segments stays. */
static void run_segmented_sort(stress *s)
{
    const size_t count = stress_count(s), segments = stress_below(s, 400);
    const piece offsets = stress_out(s, segments + 1, 4);
    const piece keys = stress_out(s, count, 4), values = stress_out(s, count, 4);
    gp_segmented_sort_desc d = {0};
    size_t i, at = stress_below(s, count + 1);
    for (i = 0; i <= segments; i++) {
        stress_set_u32(&offsets, i, (uint32_t)at);
        at += stress_below(s, stress_chance(s, 20) ? count - at + 1 : (count - at) / 16 + 1);
    }
    stress_send(s, &offsets, segments + 1, 4);
    STRESS_PIECE(d, offsets, offsets);
    STRESS_PIECE(d, keys, keys);
    STRESS_PIECE(d, values, values);
    d.count = count;
    d.segment_count = segments;
    d.offsets_type = d.key_type = GP_U32;
    d.value_size = 4;
    for (i = 0; i < segments; i++) {
        const size_t begin = stress_u32(&offsets, i), n = stress_u32(&offsets, i + 1) - begin;
        key_entry *e = keys_sorted(GP_U32, false, 0, 0, keys.mirror + 4 * begin, n);
        arrange(e, n, values.mirror + 4 * begin, values.mirror + 4 * begin, 4);
        arrange(e, n, keys.mirror + 4 * begin, keys.mirror + 4 * begin, 4);
        free(e);
    }
    STRESS_CALL(s, gp_segmented_sort, d);
}

/* Rows; the indices count in the row or in the matrix. */
static void run_segmented_argsort(stress *s)
{
    const size_t length = 1 + stress_count(s), rows = stress_below(s, 1 + 100000 / length);
    const bool in_array = stress_chance(s, 2);
    const piece keys = stress_in(s, rows * length, 4), values_out = stress_out(s, rows * length, 4);
    gp_segmented_sort_desc d = {0};
    size_t row, i;
    STRESS_PIECE(d, keys, keys);
    STRESS_PIECE(d, values_out, values_out);
    d.count = rows * length;
    d.segment_count = rows;
    d.row_length = length;
    d.key_type = GP_F32;
    d.descending = stress_chance(s, 2);
    d.array_indices = in_array;
    for (row = 0; row < rows; row++) {
        const size_t begin = row * length;
        key_entry *e = keys_sorted(GP_F32, d.descending, 0, 0, keys.mirror + 4 * begin, length);
        for (i = 0; i < length; i++)
            stress_set_u32(&values_out, begin + i, (uint32_t)(e[i].index + (in_array ? begin : 0)));
        free(e);
    }
    if (rows) STRESS_CALL(s, gp_segmented_argsort, d);
}

static void run_segmented_topk(stress *s)
{
    const size_t count = stress_count(s), segments = stress_below(s, 60), k = 1 + stress_below(s, 200);
    const bool rows = stress_chance(s, 2) && segments && count >= segments;
    const piece offsets = stress_out(s, segments + 1, 4), keys = stress_in(s, count, 4);
    const piece keys_out = stress_out(s, segments * k, 4), indices_out = stress_out(s, segments * k, 4);
    const piece ks = stress_out(s, segments, 4);
    gp_segmented_topk_desc d = {0};
    size_t i, j, at = stress_below(s, count + 1);
    for (i = 0; i <= segments; i++) {
        stress_set_u32(&offsets, i, (uint32_t)(rows ? i * (count / segments) : at));
        at += stress_below(s, stress_chance(s, 20) ? count - at + 1 : (count - at) / 16 + 1);
    }
    stress_send(s, &offsets, segments + 1, 4);
    for (i = 0; i < segments; i++) stress_set_u32(&ks, i, (uint32_t)stress_below(s, k + 9));
    stress_send(s, &ks, segments, 4);
    if (stress_chance(s, 3)) STRESS_PIECE(d, ks, ks);
    if (rows) d.row_length = count / segments;
    else STRESS_PIECE(d, offsets, offsets);
    STRESS_PIECE(d, keys, keys);
    STRESS_PIECE(d, keys_out, keys_out);
    STRESS_PIECE(d, indices_out, indices_out);
    d.count = count;
    d.segment_count = segments;
    d.offsets_type = d.key_type = GP_U32;
    d.k = k;
    d.smallest = stress_chance(s, 2);
    for (i = 0; i < segments; i++) {
        const size_t begin = stress_u32(&offsets, i), n = stress_u32(&offsets, i + 1) - begin;
        key_entry *e = keys_sorted(GP_U32, !d.smallest, 0, 0, keys.mirror + 4 * begin, n);
        for (j = 0; j < k && j < n && (!d.ks || j < stress_u32(&ks, i)); j++) {
            stress_set_u32(&keys_out, i * k + j, stress_u32(&keys, begin + e[j].index));
            stress_set_u32(&indices_out, i * k + j, (uint32_t)e[j].index);
        }
        free(e);
    }
    STRESS_CALL(s, gp_segmented_topk, d);
}

static void run_nth_element(stress *s)
{
    const size_t count = 1 + stress_count(s), number = 1 + stress_below(s, 64);
    const piece keys = stress_in(s, count, 4), keys_out = stress_out(s, number, 4);
    key_entry *e = keys_sorted(GP_U32, false, 0, 0, keys.mirror, count);
    uint64_t ranks[64];
    gp_nth_element_desc d = {0};
    size_t r;
    for (r = 0; r < number; r++) {
        ranks[r] = stress_below(s, count);
        stress_set_u32(&keys_out, r, stress_u32(&keys, e[ranks[r]].index));
    }
    free(e);
    STRESS_PIECE(d, keys, keys);
    STRESS_PIECE(d, keys_out, keys_out);
    d.count = count;
    d.ranks = ranks;
    d.rank_count = number;
    d.key_type = GP_U32;
    STRESS_CALL(s, gp_nth_element, d);
}

const stress_entry stress_keys[] = {{"sort", run_sort},
                                    {"argsort", run_argsort},
                                    {"sort_records", run_sort_records},
                                    {"topk", run_topk},
                                    {"nth_element", run_nth_element},
                                    {"merge", run_merge},
                                    {"search", run_search},
                                    {"segmented_sort", run_segmented_sort},
                                    {"segmented_argsort", run_segmented_argsort},
                                    {"segmented_topk", run_segmented_topk},
                                    {NULL, NULL}};
