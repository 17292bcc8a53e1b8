/* kernel_threads.c - the serial-shape kernels as native code, their groups run against each other in threads.

   clang compiles the kernels for this machine with a sanitizer (tools/kernel_tsan.sh); this file supplies
   the few OpenCL built-ins that they use and plays the device: every thread runs groups until none is left.
   What ThreadSanitizer then sees is the look-back protocol itself. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtins.h"
#include "threads.h"

#if ELEMENT_BYTES == 8
typedef uint64_t element;
#else
typedef uint32_t element;
#endif

enum { TILE = ELEMENT_TILE, TILES = 700, COUNT = TILE * TILES - 5, STATE_BYTES = 16 + TILES * 16 };

/* The kernels, as scan/scan.cl and scan/reduce.cl declare them. */
void gp_scan_look_back(const uint32_t *in, uint64_t in_offset, uint64_t bound, const uint32_t *wanted,
                       uint64_t wanted_offset, uint32_t wanted_words, element *out, uint64_t out_offset,
                       element initial, uint32_t exclusive, volatile uint32_t *state, uint32_t polls,
                       volatile uint32_t *counters);
void gp_scan_upsweep(const uint32_t *in, uint64_t in_offset, uint64_t bound, const uint32_t *wanted,
                     uint64_t wanted_offset, uint32_t wanted_words, element *partials);
void gp_scan_spine(element *partials, uint32_t tiles, element initial);
void gp_scan_downsweep(const uint32_t *in, uint64_t in_offset, uint64_t bound, const uint32_t *wanted,
                       uint64_t wanted_offset, uint32_t wanted_words, element *out, uint64_t out_offset,
                       element initial, uint32_t exclusive, const element *partials, uint32_t tiles,
                       volatile uint32_t *counters);

static uint32_t in[COUNT];
static element out[COUNT], partials[TILES];
static _Alignas(16) unsigned char state[STATE_BYTES];
static uint32_t counters[4];
static uint32_t exclusive, polls;

/* ------------------------------------------------------------------ groups */

static void look_back_group(void)
{
    gp_scan_look_back(in, 0, COUNT, NULL, 0, 0, out, 0, 7, exclusive, (volatile uint32_t *)state, polls,
                      counters);
}

static void upsweep_group(void) { gp_scan_upsweep(in, 0, COUNT, NULL, 0, 0, partials); }

static void downsweep_group(void)
{
    gp_scan_downsweep(in, 0, COUNT, NULL, 0, 0, out, 0, 7, exclusive, partials, TILES, counters);
}

/* ------------------------------------------------------------------ the checks */

static int check(const char *what)
{
    element sum = 7;
    int i;
    for (i = 0; i < COUNT; i++) {
        const element expected = exclusive ? sum : sum + in[i];
        sum += in[i];
        if (out[i] == expected) continue;
        printf("kernel-tsan: %s: out[%d] is wrong\n", what, i);
        return 1;
    }
    return 0;
}

/* `bound`: looks before a fallback, 0 to wait for ever. */
static int check_look_back(uint32_t bound)
{
    memset(out, 0xa5, sizeof out);
    memset(state, 0, sizeof state);
    polls = bound;
    launch(look_back_group, TILES);
    return check("look-back");
}

static int check_sweeps(void)
{
    memset(out, 0xa5, sizeof out);
    launch(upsweep_group, TILES);
    gp_scan_spine(partials, TILES, 7);
    launch(downsweep_group, TILES);
    return check("sweeps");
}

int main(void)
{
    int wrong = 0, round, i;
    for (i = 0; i < COUNT; i++) in[i] = (uint32_t)i * 2654435761u;
    for (round = 0; round < 20; round++) {
        exclusive = round % 2;
        wrong += check_sweeps();
        wrong += check_look_back(1);    /* impatient: fallbacks run against late owners */
        wrong += check_look_back(1000); /* patient */
#ifndef GPI_FAULT
        wrong += check_look_back(0);
#endif
    }
    printf("kernel-tsan: %d wrong, %u fallbacks, %u abandoned\n", wrong, counters[0], counters[1]);
    return wrong || counters[1];
}
