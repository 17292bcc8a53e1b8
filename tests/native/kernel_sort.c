/* kernel_sort.c - the serial-shape kernels of gp_sort as native code, their groups run against each other in
   threads: onesweep in a tiny ring and in two portions, abandoned passes redone the classic way or by one group,
   and classic.

   What ThreadSanitizer sees is sort/lookback.cl: gate, look-back, tail, and that nothing else is shared. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtins.h"

#define THREADS 16 /* more than the ring has rows: tiles wait at the gate */
#include "threads.h"

#define KEY uint32_t
#define VALUES 1
#include "sort_kernels.h"

enum {
    TILE = 128,
    PORTION_TILES = 40,
    TILES = 75,
    COUNT = TILE * TILES - 5,
    PORTION = PORTION_TILES * TILE,
    PORTIONS = 2,
    PASSES = 3, /* of 20 bits: the last digit is not whole */
    BITS = 20,
    BLOCKS = 13,
    SPAN = (COUNT + BLOCKS - 1) / BLOCKS,
    ROWS = 8
};

/* Parts of the state, in 32-bit words. */
enum {
    HISTOGRAM = 64,
    BASES = HISTOGRAM + PASSES * BINS * 2,
    TABLE = BASES + PASSES * PORTIONS * BINS * 2,
    ROWS_AT = TABLE + BLOCKS * BINS * 2,
    ROWS_WORDS = PORTION_TILES * BINS * 2,
    WORDS = ROWS_AT + ROWS_WORDS
};

static uint32_t keys[COUNT], values[COUNT], keys_out[COUNT], values_out[COUNT], keys_tmp[COUNT],
    values_tmp[COUNT];
static _Alignas(64) uint32_t state[WORDS];
static uint32_t counters[4], pass, portion, redo, resumes, lines, polls, wide;

#define ARRAYS keys, 0, keys_out, 0, keys_tmp, 0, values, 0, values_out, 0, values_tmp, 0, 0
#define OF_PASS \
    0, DIGIT_BITS *pass, pass == PASSES - 1 ? (1u << (BITS - DIGIT_BITS * (PASSES - 1))) - 1 : BINS - 1

static void histogram_group(void) { gp_sort_histogram(ARRAYS, 0, 0, BITS, PASSES, state, SPAN, HISTOGRAM); }

static void bases_group(void) { gp_sort_bases(state, PASSES, PORTIONS, 0, HISTOGRAM, BASES); }

static void onesweep_group(void)
{
    const uint32_t number = pass * PORTIONS + portion;
    gp_sort_onesweep(ARRAYS, OF_PASS, state, pass, number, (uint64_t)portion * PORTION,
                     (uint64_t)(portion + 1) * PORTION, TILE, lines, BASES + number * BINS * 2,
                     portion + 1 < PORTIONS, ROWS_AT, polls);
}

static void count_group(void) { gp_sort_count(ARRAYS, OF_PASS, state, pass, redo, 0, SPAN, TABLE); }
static void spine_group(void) { gp_sort_spine(state, pass, redo, PLACE_TMP, BLOCKS, TABLE, BASES, counters); }
static void scatter_group(void)
{
    gp_sort_scatter(ARRAYS, OF_PASS, state, pass, redo, SPAN, lines, TABLE, BASES);
}
static void resume_group(void)
{
    gp_sort_resume(ARRAYS, 0, 0, BITS, PASSES, state, PORTIONS, lines, BASES, SPAN, counters);
}
static void copy_group(void) { gp_sort_copy(ARRAYS, state, PASSES, SPAN); }

static void classic_pass(void)
{
    launch(count_group, BLOCKS);
    launch(spine_group, 1);
    launch(scatter_group, BLOCKS);
}

/* gpi_sort_must_clear: portions have at least 2 * ROWS tiles, so that a ring is cleared once. */
static void onesweep_pass(void)
{
    for (portion = 0; portion < PORTIONS; portion++) {
        if (!wide || pass + portion == 0) memset(state + ROWS_AT, 0, ROWS_WORDS * 4);
        launch(onesweep_group, portion == 0 ? PORTION_TILES : TILES - PORTION_TILES);
    }
    redo = 1;
    if (!resumes) classic_pass();
}

static int check(const char *what)
{
    const uint32_t mask = (1u << BITS) - 1;
    uint32_t i;
    for (i = 0; i < COUNT; i++) {
        const uint32_t before = i ? keys_out[i - 1] & mask : 0, key = keys_out[i] & mask;
        const int in_order = i == 0 || before < key || (before == key && values_out[i - 1] < values_out[i]);
        if (in_order && values_out[i] < COUNT && keys[values_out[i]] == keys_out[i]) continue;
        printf("kernel-tsan: %s: element %u is wrong\n", what, i);
        return 1;
    }
    return 0;
}

static int run(const char *what, int onesweep, uint32_t patience)
{
    memset(keys_out, 0xa5, sizeof keys_out);
    memset(values_out, 0xa5, sizeof values_out);
    polls = patience;
    redo = 0;
    gp_sort_begin(state, BASES, PLACE_IN, COUNT, NULL, 0, 0, counters);
    if (onesweep) launch(histogram_group, BLOCKS);
    if (onesweep) launch(bases_group, PASSES);
    for (pass = 0; pass < PASSES; pass++) {
        if (onesweep) onesweep_pass();
        else classic_pass();
    }
    launch(onesweep && resumes ? resume_group : copy_group, BLOCKS);
    return check(what);
}

int main(void)
{
    int wrong = 0, round, i;
    wide = WIDE;
    for (i = 0; i < COUNT; i++) values[i] = (uint32_t)i;
    for (round = 0; round < 6; round++) {
        uint32_t x = (uint32_t)round + 1;
        for (i = 0; i < COUNT; i++) {
            x = x * 1664525u + 1013904223u;
            keys[i] = round % 3 == 2 ? (x >> 24) << 8 : x >> 7 & x >> 3; /* round 2: trivial passes */
        }
        lines = round % 2;
        resumes = round >= 3;
        wrong += run("classic", 0, 0);
        wrong += run("onesweep, impatient", 1, 1 + (uint32_t)round); /* passes are abandoned and redone */
#ifdef GPI_FAULT
        wrong += run("onesweep, faulty", 1, 100);
#else
        wrong += run("onesweep", 1, UINT32_MAX);
        wrong += state[ABANDONED] != 0;
#endif
    }
    printf("kernel-tsan: %d wrong, %u passes redone\n", wrong, counters[0]);
    return wrong != 0;
}
