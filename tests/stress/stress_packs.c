/* stress_packs.c - selection, partition, runs. */
#include "stress.h"

/* The same texts as in the tests: their programs may be in the cache. */
static const char predicate[] = "x % 3 == 0";

static void run_select(stress *s)
{
    const bool by_flags = stress_chance(s, 2);
    const size_t most = stress_count(s);
    const piece in = stress_in(s, most, 4), flags = stress_in(s, most, 1);
    const stress_wanted wanted = stress_want(s, most);
    const piece out = stress_out(s, most, 4), indices_out = stress_out(s, most, 4),
                total = stress_number(s, 1);
    gp_select_desc d = {0};
    size_t i, n = 0;
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, out, out);
    STRESS_PIECE(d, indices_out, indices_out);
    STRESS_PIECE(d, count_out, total);
    d.type = GP_U32;
    d.strategy = (gp_strategy)stress_below(s, GP_STRATEGY_COUNT);
    if (by_flags) STRESS_PIECE(d, flags, flags);
    else d.predicate = predicate;
    for (i = 0; i < wanted.count; i++) {
        const uint32_t x = stress_u32(&in, i);
        if (!(by_flags ? flags.mirror[i] : x % 3 == 0)) continue;
        stress_set_u32(&out, n, x);
        stress_set_u32(&indices_out, n++, (uint32_t)i);
    }
    stress_set_u32(&total, 0, (uint32_t)n);
    STRESS_CALL(s, gp_select, d);
}

/* Both parts in one output, one behind the other. */
static void run_partition(stress *s)
{
    const size_t most = stress_count(s);
    const piece in = stress_in(s, most, 4);
    const stress_wanted wanted = stress_want(s, most);
    const piece out = stress_out(s, most, 4), counts = stress_number(s, 2);
    gp_partition_desc d = {0};
    size_t i, first = 0, n[2];
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, out, out);
    STRESS_PIECE(d, counts_out, counts);
    d.type = GP_U32;
    d.predicate = predicate;
    for (i = 0; i < wanted.count; i++) first += stress_u32(&in, i) % 3 == 0;
    n[0] = 0;
    n[1] = first;
    for (i = 0; i < wanted.count; i++) {
        const uint32_t x = stress_u32(&in, i);
        stress_set_u32(&out, n[x % 3 != 0]++, x);
    }
    stress_set_u32(&counts, 0, (uint32_t)first);
    stress_set_u32(&counts, 1, (uint32_t)(wanted.count - first));
    STRESS_CALL(s, gp_partition, d);
}

static bool is_first(const piece *keys, size_t i)
{
    return i == 0 || stress_u32(keys, i) != stress_u32(keys, i - 1);
}

static void run_unique(stress *s)
{
    const size_t most = stress_count(s);
    const piece keys = stress_in(s, most, 4);
    const stress_wanted wanted = stress_want(s, most);
    const piece out = stress_out(s, most, 4), total = stress_number(s, 1);
    const gp_record record = {
        .cl_type = "key", .size = 4, .source = "typedef struct { ushort low, high; } key;"};
    gp_unique_desc d = {0};
    size_t i, n = 0;
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, keys, keys);
    STRESS_PIECE(d, keys_out, out);
    STRESS_PIECE(d, count_out, total);
    if (stress_chance(s, 2)) {
        d.key_type = GP_U32;
    } else {
        d.record = &record;
        d.equal = "x.low == y.low && x.high == y.high";
    }
    for (i = 0; i < wanted.count; i++) {
        if (is_first(&keys, i)) stress_set_u32(&out, n++, stress_u32(&keys, i));
    }
    stress_set_u32(&total, 0, (uint32_t)n);
    STRESS_CALL(s, gp_unique, d);
}

static void run_runs(stress *s)
{
    const size_t most = stress_count(s);
    const piece in = stress_in(s, most, 4);
    const stress_wanted wanted = stress_want(s, most);
    const piece out = stress_out(s, most, 4), lengths = stress_out(s, most, 4), total = stress_number(s, 1);
    gp_run_length_encode_desc d = {0};
    size_t i, n = 0;
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, out, out);
    STRESS_PIECE(d, lengths_out, lengths);
    STRESS_PIECE(d, count_out, total);
    d.type = GP_U32;
    for (i = 0; i < wanted.count; i++) {
        if (is_first(&in, i)) {
            stress_set_u32(&out, n, stress_u32(&in, i));
            stress_set_u32(&lengths, n++, 1);
        } else {
            stress_set_u32(&lengths, n - 1, stress_u32(&lengths, n - 1) + 1);
        }
    }
    stress_set_u32(&total, 0, (uint32_t)n);
    STRESS_CALL(s, gp_run_length_encode, d);
}

static void run_decode(stress *s)
{
    const size_t count = stress_count(s), most = 1 + stress_below(s, 5000);
    const piece offsets = stress_out(s, most + 1, 4), in = stress_in(s, most, 4);
    const stress_wanted wanted = stress_want(s, most);
    const piece out = stress_out(s, count, 4), runs = stress_out(s, count, 4),
                positions = stress_out(s, count, 4);
    gp_run_length_decode_desc d = {0};
    size_t r, p, at = stress_below(s, count + 1);
    for (r = 0; r <= most; r++) {
        stress_set_u32(&offsets, r, (uint32_t)at);
        at += stress_below(s, stress_chance(s, 20) ? count - at + 1 : (count - at) / 64 + 1);
    }
    stress_send(s, &offsets, most + 1, 4);
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, offsets, offsets);
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, out, out);
    STRESS_PIECE(d, runs_out, runs);
    STRESS_PIECE(d, positions_out, positions);
    d.run_count = d.count;
    d.count = count;
    d.type = d.offsets_type = GP_U32;
    for (r = 0; r < wanted.count; r++) {
        const size_t begin = stress_u32(&offsets, r), end = stress_u32(&offsets, r + 1);
        for (p = begin; p < end; p++) {
            stress_set_u32(&out, p, stress_u32(&in, r));
            stress_set_u32(&runs, p, (uint32_t)r);
            stress_set_u32(&positions, p, (uint32_t)(p - begin));
        }
    }
    STRESS_CALL(s, gp_run_length_decode, d);
}

/* Groups by the keys' words; the reference looks each of them up in a table with linear probing. */
static void run_group_by(stress *s)
{
    const size_t most = stress_count(s);
    const piece in = stress_in(s, most, 4);
    const stress_wanted wanted = stress_want(s, most);
    const piece groups = stress_out(s, most, 4), rows = stress_out(s, most, 4), number = stress_number(s, 1);
    const piece counts = stress_out(s, most, 4), lasts = stress_out(s, most, 4);
    gp_key_column column = {0};
    gp_group_result results[2] = {{.op = GP_COUNT}, {.op = GP_LAST, .map = "i", .map_type = GP_U32}};
    gp_group_by_desc d = {0};
    size_t size = 4, i;
    uint32_t *slots, n = 0;
    while (size < 2 * most) size *= 2;
    slots = calloc(size, sizeof *slots); /* 1 + the group */
    if (!slots) abort();
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(column, in, in);
    STRESS_PIECE(d, groups_out, groups);
    STRESS_PIECE(d, rows_out, rows);
    STRESS_PIECE(d, count_out, number);
    STRESS_PIECE(results[0], out, counts);
    STRESS_PIECE(results[1], out, lasts);
    column.type = GP_U32;
    d.columns = &column;
    d.column_count = 1;
    d.results = results;
    d.result_count = 2;
    for (i = 0; i < wanted.count; i++) {
        const uint32_t key = stress_u32(&in, i);
        size_t slot = (key * 2654435761u) & (size - 1);
        while (slots[slot] && stress_u32(&in, stress_u32(&rows, slots[slot] - 1)) != key)
            slot = (slot + 1) & (size - 1);
        if (!slots[slot]) {
            stress_set_u32(&rows, n, (uint32_t)i);
            stress_set_u32(&counts, n, 0);
            slots[slot] = ++n;
        }
        stress_set_u32(&counts, slots[slot] - 1, stress_u32(&counts, slots[slot] - 1) + 1);
        stress_set_u32(&lasts, slots[slot] - 1, (uint32_t)i);
        stress_set_u32(&groups, i, slots[slot] - 1);
    }
    stress_set_u32(&number, 0, n);
    free(slots);
    STRESS_CALL(s, gp_group_by, d);
}

/* Joins two tables by words; the reference lists the right rows of each key in a table with linear probing. */
static void run_join(stress *s)
{
    const size_t most = stress_count(s), room = 2 * most;
    const piece in = stress_in(s, most, 4), in2 = stress_in(s, most, 4);
    const stress_wanted wanted = stress_want(s, most);
    const gp_join_kind kind = (gp_join_kind)stress_below(s, GP_JOIN_KIND_COUNT);
    const bool pairs = kind != GP_JOIN_SEMI && kind != GP_JOIN_ANTI;
    const piece left_out = stress_out(s, room, 4), right_out = stress_out(s, room, 4);
    const piece number = stress_out(s, 1, 8);
    gp_key_column left = {0}, right = {0};
    gp_join_desc d = {0};
    uint32_t *slots, *next, *last;
    unsigned char *joined;
    size_t size = 4, i;
    uint64_t n = 0;
    while (size < 2 * most) size *= 2;
    slots = calloc(
        3 * size,
        sizeof *slots); /* 1 + the first row of the key; the next row of each row; the last of each key */
    joined = calloc(most + 1, 1);
    if (!slots || !joined) abort();
    next = slots + size;
    last = next + size;
    STRESS_PIECE(left, in, in);
    STRESS_PIECE(right, in, in2);
    STRESS_PIECE(d, left_out, left_out);
    if (pairs) STRESS_PIECE(d, right_out, right_out);
    STRESS_PIECE(d, count_out, number);
    left.type = right.type = GP_U32;
    d.left = &left;
    d.right = &right;
    d.column_count = 1;
    d.kind = kind;
    d.capacity = room;
    d.left_count = wanted.bound;
    d.left_count_buffer = wanted.buffer;
    d.left_count_offset = wanted.offset;
    d.left_count_type = wanted.type;
    d.right_count = most;
    for (i = 0; i < most; i++) {
        const uint32_t key = stress_u32(&in2, i);
        size_t slot = (key * 2654435761u) & (size - 1);
        while (slots[slot] && stress_u32(&in2, slots[slot] - 1) != key) slot = (slot + 1) & (size - 1);
        if (slots[slot]) next[last[slot]] = (uint32_t)i + 1;
        else slots[slot] = (uint32_t)i + 1;
        last[slot] = (uint32_t)i;
    }
    for (i = 0; i < wanted.count; i++) {
        const uint32_t key = stress_u32(&in, i);
        size_t slot = (key * 2654435761u) & (size - 1);
        uint32_t row;
        while (slots[slot] && stress_u32(&in2, slots[slot] - 1) != key) slot = (slot + 1) & (size - 1);
        row = slots[slot];
        if (!pairs) row = (row != 0) == (kind == GP_JOIN_SEMI) ? 1 : 0;
        else if (!row && kind != GP_JOIN_INNER) row = UINT32_MAX;
        for (; row; row = !pairs || row == UINT32_MAX ? 0 : next[row - 1]) {
            if (pairs && row != UINT32_MAX) joined[row - 1] = 1;
            if (n < room) stress_set_u32(&left_out, (size_t)n, (uint32_t)i);
            if (n < room && pairs) stress_set_u32(&right_out, (size_t)n, row == UINT32_MAX ? row : row - 1);
            n++;
        }
    }
    for (i = 0; i < most && kind == GP_JOIN_FULL; i++) {
        if (joined[i]) continue;
        if (n < room) stress_set_u32(&left_out, (size_t)n, UINT32_MAX);
        if (n < room) stress_set_u32(&right_out, (size_t)n, (uint32_t)i);
        n++;
    }
    stress_set_u32(&number, 0, (uint32_t)n);
    stress_set_u32(&number, 1, (uint32_t)(n >> 32));
    free(slots);
    free(joined);
    STRESS_CALL(s, gp_join, d);
}

const stress_entry stress_packs[] = {{"select", run_select},
                                     {"partition", run_partition},
                                     {"unique", run_unique},
                                     {"run_length_encode", run_runs},
                                     {"run_length_decode", run_decode},
                                     {"group_by", run_group_by},
                                     {"join", run_join},
                                     {NULL, NULL}};
