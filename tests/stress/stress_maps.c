/* stress_maps.c - elements one by one: maps, indices, neighbours, counts, random numbers. */
#include "../support/philox.h"
#include "stress.h"

static void run_transform(stress *s)
{
    const size_t most = stress_count(s);
    const piece in = stress_in(s, most, 4), in2 = stress_in(s, most, 4), in3 = stress_in(s, most, 4);
    const stress_wanted wanted = stress_want(s, most);
    const piece out = stress_out(s, most, 4);
    gp_transform_desc d = {0};
    size_t i;
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, in2, in2);
    STRESS_PIECE(d, in3, in3);
    STRESS_PIECE(d, out, out);
    d.type = GP_U32;
    d.map = "x * 3 + y - z + (uint)i // as it is";
    for (i = 0; i < wanted.count; i++)
        stress_set_u32(&out, i,
                       stress_u32(&in, i) * 3 + stress_u32(&in2, i) - stress_u32(&in3, i) + (uint32_t)i);
    STRESS_CALL(s, gp_transform, d);
}

static void run_fill(stress *s)
{
    const size_t most = stress_count(s);
    const stress_wanted wanted = stress_want(s, most);
    const piece out = stress_out(s, most, 4);
    const uint32_t value = stress_random(s);
    gp_fill_desc d = {0};
    size_t i;
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, out, out);
    d.element_size = 4;
    d.value = &value;
    for (i = 0; i < wanted.count; i++) stress_set_u32(&out, i, value);
    STRESS_CALL(s, gp_fill, d);
}

static void run_iota(stress *s)
{
    const size_t most = stress_count(s);
    const stress_wanted wanted = stress_want(s, most);
    const piece out = stress_out(s, most, 4);
    gp_iota_desc d = {0};
    size_t i;
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, out, out);
    d.type = GP_U32;
    d.start.u32 = stress_random(s);
    d.step.u32 = 1 + (uint32_t)stress_below(s, 9);
    for (i = 0; i < wanted.count; i++) stress_set_u32(&out, i, d.start.u32 + (uint32_t)i * d.step.u32);
    STRESS_CALL(s, gp_iota, d);
}

static void run_difference(stress *s)
{
    const size_t most = stress_count(s);
    const piece in = stress_in(s, most, 4);
    const bool in_place = stress_chance(s, 2) && stress_in_place(s, &in);
    const stress_wanted wanted = stress_want(s, most);
    const piece out = in_place ? in : stress_out(s, most, 4);
    gp_adjacent_difference_desc d = {0};
    size_t i;
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, out, out);
    d.type = GP_U32;
    for (i = wanted.count; i > 0; i--)
        stress_set_u32(&out, i - 1, stress_u32(&in, i - 1) - (i > 1 ? stress_u32(&in, i - 2) : 0));
    STRESS_CALL(s, gp_adjacent_difference, d);
}

/* Any indices, of which many may be out of range. */
static void run_gather(stress *s)
{
    const size_t most = stress_count(s), limit = stress_count(s);
    const piece in = stress_in(s, limit, 4), indices = stress_in(s, most, 4);
    const stress_wanted wanted = stress_want(s, most);
    const piece out = stress_out(s, most, 4);
    gp_gather_desc d = {0};
    size_t i;
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, indices, indices);
    STRESS_PIECE(d, out, out);
    d.element_size = 4;
    d.limit = limit;
    for (i = 0; i < wanted.count; i++) {
        const uint32_t k = stress_u32(&indices, i);
        if (k < limit) stress_set_u32(&out, i, stress_u32(&in, k));
    }
    STRESS_CALL(s, gp_gather, d);
}

/* Each index once, so that the result is one. */
static void run_scatter(stress *s)
{
    const size_t count = stress_count(s), limit = count + stress_below(s, STRESS_MOST - count + 1);
    const piece indices = stress_out(s, count, 4), in = stress_in(s, count, 4), out = stress_out(s, limit, 4);
    const size_t turn = stress_below(s, limit), step = limit % 7919 ? 7919 : 1;
    gp_gather_desc d = {0};
    size_t i;
    for (i = 0; i < count; i++) stress_set_u32(&indices, i, (uint32_t)((turn + i * step) % limit));
    stress_send(s, &indices, count, 4);
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, indices, indices);
    STRESS_PIECE(d, out, out);
    d.element_size = 4;
    d.limit = limit;
    d.count = count;
    for (i = 0; i < count; i++) stress_set_u32(&out, stress_u32(&indices, i), stress_u32(&in, i));
    STRESS_CALL(s, gp_scatter, d);
}

static void run_transpose(stress *s)
{
    const size_t columns = 1 + stress_below(s, stress_chance(s, 2) ? 20 : 700),
                 rows = stress_count(s) / columns;
    const piece in = stress_in(s, rows * columns, 4), out = stress_out(s, rows * columns, 4);
    gp_transpose_desc d = {0};
    size_t i;
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, out, out);
    d.element_size = 4;
    d.rows = rows;
    d.columns = columns;
    for (i = 0; i < rows * columns; i++)
        stress_set_u32(&out, i % columns * rows + i / columns, stress_u32(&in, i));
    STRESS_CALL(s, gp_transpose, d);
}

static void run_unpack(stress *s)
{
    const size_t most = stress_count(s), in_count = stress_below(s, most + 1);
    const piece in = stress_in(s, in_count, 4), flags = stress_in(s, most, 1);
    const stress_wanted wanted = stress_want(s, most);
    const piece out = stress_out(s, most, 4);
    gp_unpack_desc d = {0};
    size_t i, next = 0;
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, flags, flags);
    STRESS_PIECE(d, out, out);
    d.in_count = in_count;
    d.element_size = 4;
    for (i = 0; i < wanted.count; i++) {
        if (!flags.mirror[i]) continue;
        if (next < in_count) stress_set_u32(&out, i, stress_u32(&in, next));
        next++;
    }
    STRESS_CALL(s, gp_unpack, d);
}

/* A line, and neighbours on both sides. */
static void run_stencil(stress *s)
{
    const size_t n = stress_count(s);
    const piece in = stress_in(s, n, 4), out = stress_out(s, n, 4);
    gp_stencil_desc d = {0};
    size_t i;
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, out, out);
    d.type = GP_U32;
    d.width = n;
    d.radius_x = 1;
    d.border = GP_BORDER_WRAP;
    d.map = "at(-1, 0) + 2 * x - at(1, 0)";
    for (i = 0; i < n; i++)
        stress_set_u32(&out, i,
                       stress_u32(&in, (i + n - 1) % n) + 2 * stress_u32(&in, i) -
                           stress_u32(&in, (i + 1) % n));
    STRESS_CALL(s, gp_stencil, d);
}

/* Bytes, each value a bin; added to what is there or not. */
static void run_histogram(stress *s)
{
    const size_t most = 4 * stress_count(s);
    const piece in = stress_in(s, most, 1);
    const stress_wanted wanted = stress_want(s, most);
    const piece out = stress_out(s, 256, 4);
    gp_histogram_desc d = {0};
    size_t i;
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, in, in);
    STRESS_PIECE(d, out, out);
    d.type = GP_U8;
    d.accumulate = stress_chance(s, 2);
    if (!d.accumulate) memset(out.mirror, 0, 256 * 4);
    for (i = 0; i < wanted.count; i++) stress_set_u32(&out, in.mirror[i], stress_u32(&out, in.mirror[i]) + 1);
    STRESS_CALL(s, gp_histogram, d);
}

static void run_random(stress *s)
{
    const size_t most = stress_count(s);
    const stress_wanted wanted = stress_want(s, most);
    const piece out = stress_out(s, most, 4);
    gp_random_desc d = {0};
    size_t i;
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, out, out);
    d.type = GP_U32;
    d.seed = stress_random(s);
    d.stream = stress_random(s);
    d.first_element = stress_random(s);
    for (i = 0; i < wanted.count; i++) {
        const uint64_t element = d.first_element + i;
        stress_set_u32(&out, i, philox_word(d.seed, d.stream, element / 4, (unsigned)(element % 4)));
    }
    STRESS_CALL(s, gp_random, d);
}

const stress_entry stress_maps[] = {{"transform", run_transform}, {"fill", run_fill},
                                    {"iota", run_iota},           {"adjacent_difference", run_difference},
                                    {"gather", run_gather},       {"scatter", run_scatter},
                                    {"unpack", run_unpack},       {"transpose", run_transpose},
                                    {"stencil", run_stencil},     {"histogram", run_histogram},
                                    {"random", run_random},       {NULL, NULL}};
