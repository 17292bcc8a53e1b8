/* kernel_large.c - the serial-shape scan as native code on more than 2^32 bytes, in place and in both
   directions.

   OpenCL on a CPU seldom grants a buffer that large; the kernels' 64-bit offsets do not depend on it. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "builtins.h"

enum { TILE = ELEMENT_TILE, THREADS = 2 };
#define COUNT (((uint64_t)1 << 32) + 3 * TILE + 5)
#define TILES ((uint32_t)((COUNT + TILE - 1) / TILE))

/* As scan/scan.cl declares it, for bytes. */
void gp_scan_look_back(const uint8_t *in, uint64_t in_offset, uint64_t bound, const uint32_t *wanted,
                       uint64_t wanted_offset, uint32_t wanted_words, uint8_t *out, uint64_t out_offset,
                       uint8_t initial, uint32_t exclusive, volatile uint32_t *state, uint32_t polls,
                       volatile uint32_t *counters);

static uint8_t *data;
static uint32_t *state, counters[4], next_group;

static void *run_groups(void *unused)
{
    (void)unused;
    while ((group_id = __atomic_fetch_add(&next_group, 1, __ATOMIC_RELAXED)) < TILES) {
        gp_scan_look_back(data, 0, COUNT, NULL, 0, 0, data, 0, 0, 0, state, 0, counters);
    }
    return NULL;
}

/* A scan of ones counts, modulo 256. */
static int wrong(void)
{
    uint64_t i;
    for (i = 0; i < COUNT; i++) {
        const uint64_t position = REVERSE ? COUNT - 1 - i : i;
        if (data[position] == (uint8_t)(i + 1)) continue;
        printf("kernel-large: element %llu is wrong\n", (unsigned long long)position);
        return 1;
    }
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    int i;
    data = mmap(NULL, COUNT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    state = calloc(16 + (size_t)TILES * 8, 1);
    if (data == MAP_FAILED || !state) return puts("kernel-large: no memory");
    memset(data, 1, COUNT);
    for (i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, run_groups, NULL) != 0) abort();
    }
    for (i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    i = wrong();
    printf("kernel-large: %llu elements, %d wrong\n", (unsigned long long)COUNT, i);
    return i;
}
