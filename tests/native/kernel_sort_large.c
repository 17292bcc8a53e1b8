/* kernel_sort_large.c - the serial-shape sort as native code on more than 2^32 bytes: onesweep, whose second
   launch goes on where the first one's words end, and classic.

   The input is one block of memory mapped many times, so that only the output takes 4 GiB. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "builtins.h"

#define THREADS 2
#include "threads.h"

#define KEY uint8_t
#define VALUES 0
#include "sort_kernels.h"

enum { TILE = 1 << 20, BLOCK_BYTES = 1 << 26, BLOCKS = 1000, RING_ROWS = 1024 };
#define COUNT (((uint64_t)1 << 32) + 3 * TILE + 5)
#define PORTION ((uint64_t)(0xffffffffu / TILE) * TILE) /* gpi_sort_portions */
#define PORTIONS 2
#define SPAN (COUNT / BLOCKS + 1)

/* Parts of the state, in 32-bit words. */
enum {
    HISTOGRAM = 64,
    BASES = HISTOGRAM + BINS * 2,
    TABLE = BASES + PORTIONS * BINS * 2,
    ROWS_AT = TABLE + BLOCKS * BINS * 2,
    WORDS = ROWS_AT + RING_ROWS * BINS * 2
};

static uint8_t *in, *out;
static _Alignas(64) uint32_t state[WORDS];
static uint32_t counters[4], portion;
static uint64_t expected[BINS];

#define ARRAYS in, 0, out, 0, out, 0
#define OF_PASS 0, 0, BINS - 1

static void histogram_group(void) { gp_sort_histogram(ARRAYS, 0, 0, 8, 1, state, SPAN, HISTOGRAM); }

static void bases_group(void) { gp_sort_bases(state, 1, PORTIONS, 0, HISTOGRAM, BASES); }

static void onesweep_group(void)
{
    gp_sort_onesweep(ARRAYS, OF_PASS, state, 0, portion, portion * PORTION, (portion + 1) * PORTION, TILE, 1,
                     BASES + portion * BINS * 2, portion + 1 < PORTIONS, ROWS_AT, UINT32_MAX);
}

static void count_group(void) { gp_sort_count(ARRAYS, OF_PASS, state, 0, 0, 0, SPAN, TABLE); }
static void scatter_group(void) { gp_sort_scatter(ARRAYS, OF_PASS, state, 0, 0, SPAN, 1, TABLE, BASES); }

static void onesweep(void)
{
    launch(histogram_group, BLOCKS);
    launch(bases_group, 1);
    for (portion = 0; portion < PORTIONS; portion++) {
        const uint64_t rest = COUNT - portion * PORTION, keys = rest < PORTION ? rest : PORTION;
        memset(state + ROWS_AT, 0, RING_ROWS * BINS * 8);
        launch(onesweep_group, (uint32_t)((keys + TILE - 1) / TILE));
    }
}

static void classic(void)
{
    launch(count_group, BLOCKS);
    gp_sort_spine(state, 0, 0, PLACE_OUT, BLOCKS, TABLE, BASES, counters);
    launch(scatter_group, BLOCKS);
}

/* Every byte value as often as there are such keys, in order. */
static int wrong(const char *what)
{
    uint64_t i = 0, end = 0;
    uint32_t d;
    for (d = 0; d < BINS; d++) {
        for (end += expected[d]; i < end; i++) {
            if (out[i] == d) continue;
            printf("kernel-large: %s: element %llu is wrong\n", what, (unsigned long long)i);
            return 1;
        }
    }
    return 0;
}

static int check(const char *what, void (*sort)(void))
{
    int result;
    memset(out, 0xa5, COUNT);
    gp_sort_begin(state, BASES, PLACE_IN, COUNT, NULL, 0, 0, counters);
    sort();
    result = wrong(what) || state[ABANDONED];
    printf("kernel-large: sort, %s: %llu keys, %d wrong\n", what, (unsigned long long)COUNT, result);
    return result;
}

/* COUNT bytes that repeat a block of random ones, half of them low; and how many of each there are. */
static int make_input(void)
{
    const int file = memfd_create("block", 0);
    const uint64_t bytes = (COUNT + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    uint64_t i, x = 1;
    if (file < 0 || ftruncate(file, BLOCK_BYTES) != 0) return 0;
    in = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (in == MAP_FAILED) return 0;
    for (i = 0; i < bytes; i += BLOCK_BYTES) {
        if (mmap(in + i, BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
            return 0;
    }
    for (i = 0; i < BLOCK_BYTES; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        in[i] = (uint8_t)(x >> 63 ? x >> 40 : x >> 40 & x >> 50);
        expected[in[i]] += i < COUNT % BLOCK_BYTES ? COUNT / BLOCK_BYTES + 1 : COUNT / BLOCK_BYTES;
    }
    return 1;
}

int main(void)
{
    out = mmap(NULL, COUNT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (out == MAP_FAILED || !make_input()) return puts("kernel-large: no memory");
    return check("onesweep", onesweep) + check("classic", classic);
}
