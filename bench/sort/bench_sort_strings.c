/* bench_sort_strings.c - gpbench strings: random words, words of a text's length that come again and again,
   and paths with long common beginnings. */
#include "../harness/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum strings { RANDOM, WORDS, PATHS, STRINGS } strings;

static const char *const names[STRINGS] = {"strings: random", "strings: words", "strings: paths"};

enum { LONGEST = 64, DISTINCT_WORDS = 20000 };

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* String i into `text`; its length. A word's letters come from its number alone; small numbers are frequent. */
static size_t make_string(strings how, uint64_t *state, char text[LONGEST])
{
    const uint64_t r = next_random(state);
    uint64_t own = how == WORDS ? next_random(state) % (r % DISTINCT_WORDS + 1) : r;
    size_t length = 1 + (how == WORDS ? own * 7 % 11 : r % 20);
    if (how == PATHS) {
        const unsigned a = (unsigned)(r % 8), b = (unsigned)(r / 8 % 32), c = (unsigned)(r / 256 % 5000);
        return (size_t)snprintf(text, LONGEST, "/home/user%u/projects/library/source%u/file%u.c", a, b, c);
    }
    for (size_t i = 0; i < length; i++) text[i] = (char)('a' + next_random(&own) % 26);
    return length;
}

/* n strings; NULL: no memory. */
static uint8_t *make_strings(strings how, uint32_t *offsets, size_t n)
{
    uint8_t *bytes = malloc(n * LONGEST);
    uint64_t state = 1;
    size_t at = 0;
    for (size_t i = 0; i < n && bytes != NULL; i++) {
        char text[LONGEST];
        const size_t length = make_string(how, &state, text);
        memcpy(bytes + at, text, length);
        offsets[i] = (uint32_t)at;
        at += length;
    }
    offsets[n] = (uint32_t)at;
    return bytes;
}

static bool run(bench_case *c, bench_variant *v)
{
    const gp_result r = gp_sort_strings(c->b->gp, &v->with.sort_strings);
    if (r != GP_OK) return bench_fail_gp(c, v, r);
    return clFinish(c->b->queue) == CL_SUCCESS || bench_fail(v, "clFinish failed");
}

/* Before 0, equal 0, behind 0. */
static int compare(const bench_case *c, uint32_t a, uint32_t b)
{
    const uint32_t *offsets = c->work.host_offsets;
    const size_t na = offsets[a + 1] - offsets[a], nb = offsets[b + 1] - offsets[b];
    const int order =
        memcmp(c->work.host_bytes + offsets[a], c->work.host_bytes + offsets[b], na < nb ? na : nb);
    return order ? order : (na > nb) - (na < nb);
}

/* In order, and of equal ones the lower index first: then there is only one such order of all. */
static bool check(bench_case *c, bench_variant *v, const void *out)
{
    const uint32_t *order = out;
    for (size_t i = 0; i < c->work.n; i++) {
        if (order[i] >= c->work.n) return bench_fail(v, "wrong result: out[%zu] is no index", i);
        const int ordered = i == 0 ? -1 : compare(c, order[i - 1], order[i]);
        if (ordered > 0 || (ordered == 0 && order[i - 1] >= order[i]))
            return bench_fail(v, "wrong result: out[%zu]", i);
    }
    return true;
}

static void run_case(bench_case *c, uint32_t *offsets, uint8_t *bytes)
{
    const size_t n = c->work.n;
    cl_mem offsets_buffer = NULL, bytes_buffer = NULL;
    c->work.host_offsets = offsets;
    c->work.host_bytes = bytes;
    gp_buffer_create(c->b->gp, (n + 1) * sizeof *offsets, offsets, &offsets_buffer);
    gp_buffer_create(c->b->gp, offsets[n], bytes, &bytes_buffer);
    if (offsets_buffer != NULL && bytes_buffer != NULL) {
        bench_variant *v = bench_variant_add(c, BENCH_GPUPRIM, "gpuprim");
        v->run = run;
        v->check = check;
        v->out_bytes = n * sizeof(uint32_t);
        v->with.sort_strings = (gp_sort_strings_desc){.bytes = bytes_buffer,
                                                      .byte_count = offsets[n],
                                                      .offsets = offsets_buffer,
                                                      .offsets_type = GP_U32,
                                                      .out = c->work.out,
                                                      .count = n};
        bench_add_peers(c, check, n * sizeof(uint32_t));
        bench_case_run(c);
    }
    if (offsets_buffer != NULL) clReleaseMemObject(offsets_buffer);
    if (bytes_buffer != NULL) clReleaseMemObject(bytes_buffer);
}

void bench_sort_strings(bench *b)
{
    const size_t n = b->options.n > 0 ? b->options.n : (size_t)1 << 20;
    for (int how = 0; how < STRINGS; how++) {
        bench_case c;
        const bench_case_desc desc = {.name = names[how],
                                      .primitive = BENCH_SORT_STRINGS,
                                      .type = GP_U32,
                                      .out_type = GP_U32,
                                      .op = GP_SUM,
                                      .n = n,
                                      .out_bytes = n * sizeof(uint32_t)};
        if (!bench_case_open(b, &c, &desc)) continue;
        uint32_t *offsets = malloc((n + 1) * sizeof *offsets);
        uint8_t *bytes = offsets ? make_strings((strings)how, offsets, n) : NULL;
        if (bytes != NULL) run_case(&c, offsets, bytes);
        free(bytes);
        free(offsets);
        bench_case_close(&c);
    }
}
