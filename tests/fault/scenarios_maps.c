/* scenarios_maps.c - what makes elements one by one: maps, gather, scatter, stencils, random numbers. See
 * driver.h. */
#include "driver.h"

static void prepare_mod7(world *w)
{
    put(w, 0, mod7, sizeof mod7);
    put_out(w, 1, sizeof mod7);
}

static gp_result run_transform(world *w)
{
    static const uint32_t step = 1;
    const gp_arg args[2] = {{.name = "step", .type = GP_U32, .value = &step},
                            {.name = "same", .type = GP_U32, .buffer = w->buffer[0], .count = N}};
    gp_transform_desc d = {0};
    d.in = w->buffer[0];
    d.out = w->buffer[1];
    d.type = GP_U32;
    d.map = "x + step + same[i] - x";
    d.args = args;
    d.arg_count = 2;
    d.count = N;
    return gp_transform(w->gp, &d);
}

static bool check_transform(world *w)
{
    size_t i;
    for (i = 0; i < N; i++) want[i] = mod7[i] + 1;
    return holds(w, 1, want, sizeof want);
}

static gp_result run_fill(world *w)
{
    static const uint32_t value = 77;
    gp_fill_desc d = {0};
    d.out = w->buffer[1];
    d.element_size = 4;
    d.value = &value;
    d.count = N;
    return gp_fill(w->gp, &d);
}

static bool check_fill(world *w)
{
    size_t i;
    for (i = 0; i < N; i++) want[i] = 77;
    return holds(w, 1, want, sizeof want);
}

static gp_result run_iota(world *w)
{
    gp_iota_desc d = {0};
    d.out = w->buffer[1];
    d.type = GP_U32;
    d.count = N;
    return gp_iota(w->gp, &d);
}

static bool check_iota(world *w) { return holds(w, 1, ramp, sizeof ramp); }

/* In place, which takes a copy in scratch. */
static void prepare_adjacent(world *w) { put_inout(w, 1, mod7, sizeof mod7); }

static gp_result run_adjacent(world *w)
{
    gp_adjacent_difference_desc d = {0};
    d.in = d.out = w->buffer[1];
    d.type = GP_U32;
    d.count = N;
    return gp_adjacent_difference(w->gp, &d);
}

static bool check_adjacent(world *w)
{
    size_t i;
    want[0] = mod7[0];
    for (i = 1; i < N; i++) want[i] = mod7[i] - mod7[i - 1];
    return holds(w, 1, want, sizeof want);
}

static void prepare_gather(world *w)
{
    put(w, 0, mod7, sizeof mod7);
    put(w, 2, falling, sizeof falling);
    put_out(w, 1, sizeof mod7);
}

static gp_gather_desc gather_desc(const world *w)
{
    gp_gather_desc d = {0};
    d.in = w->buffer[0];
    d.out = w->buffer[1];
    d.indices = w->buffer[2];
    d.element_size = 4;
    d.limit = d.count = N;
    return d;
}

static gp_result run_gather(world *w)
{
    const gp_gather_desc d = gather_desc(w);
    return gp_gather(w->gp, &d);
}

static gp_result run_scatter(world *w)
{
    const gp_gather_desc d = gather_desc(w);
    return gp_scatter(w->gp, &d);
}

static bool check_gather(world *w)
{
    size_t i;
    for (i = 0; i < N; i++) want[i] = mod7[N - 1 - i];
    return holds(w, 1, want, sizeof want);
}

/* One line of elements becomes one column. */
static gp_result run_transpose(world *w)
{
    gp_transpose_desc d = {0};
    d.in = w->buffer[0];
    d.out = w->buffer[1];
    d.element_size = 4;
    d.rows = 1;
    d.columns = N;
    return gp_transpose(w->gp, &d);
}

static bool check_transpose(world *w) { return holds(w, 1, mod7, sizeof mod7); }

static void prepare_unpack(world *w)
{
    put(w, 0, ramp, sizeof ramp);
    put(w, 2, mod7, sizeof mod7);
    put_out(w, 1, sizeof ramp);
}

static gp_result run_unpack(world *w)
{
    gp_unpack_desc d = {0};
    d.in = w->buffer[0];
    d.in_count = N;
    d.flags = w->buffer[2];
    d.flags_type = GP_U32;
    d.out = w->buffer[1];
    d.element_size = 4;
    d.count = N;
    return gp_unpack(w->gp, &d);
}

static bool check_unpack(world *w)
{
    uint32_t next = 0;
    size_t i;
    for (i = 0; i < N; i++) want[i] = mod7[i] ? next++ : 0xa5a5a5a5u;
    return holds(w, 1, want, sizeof want);
}

static gp_result run_stencil(world *w)
{
    gp_stencil_desc d = {0};
    d.in = d.out = w->buffer[1];
    d.type = GP_U32;
    d.width = N;
    d.radius_x = 1;
    d.map = "at(-1, 0) + at(1, 0)";
    return gp_stencil(w->gp, &d);
}

static bool check_stencil(world *w)
{
    size_t i;
    for (i = 0; i < N; i++) want[i] = mod7[i ? i - 1 : 0] + mod7[i < N - 1 ? i + 1 : i];
    return holds(w, 1, want, sizeof want);
}

/* The stream of seed 0 begins with Philox4x32-10's known answer for zeros. */
static gp_result run_random(world *w)
{
    gp_random_desc d = {0};
    d.out = w->buffer[1];
    d.type = GP_U32;
    d.count = N;
    return gp_random(w->gp, &d);
}

static bool check_random(world *w)
{
    static const uint32_t first[] = {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u};
    return holds(w, 1, first, sizeof first);
}

const scenario scenarios_maps[] = {
    {"transform", NULL, prepare_mod7, run_transform, check_transform, NULL, false, false},
    {"fill", NULL, prepare_mod7, run_fill, check_fill, NULL, false, false},
    {"iota", NULL, prepare_mod7, run_iota, check_iota, NULL, false, false},
    {"adjacent_difference", NULL, prepare_adjacent, run_adjacent, check_adjacent, NULL, false, false},
    {"gather", NULL, prepare_gather, run_gather, check_gather, NULL, false, false},
    {"scatter", NULL, prepare_gather, run_scatter, check_gather, NULL, false, false},
    {"unpack", NULL, prepare_unpack, run_unpack, check_unpack, NULL, false, false},
    {"transpose", NULL, prepare_gather, run_transpose, check_transpose, NULL, false, false},
    {"stencil", NULL, prepare_adjacent, run_stencil, check_stencil, NULL, false, false},
    {"random", NULL, prepare_mod7, run_random, check_random, NULL, false, false},
    {0},
};
