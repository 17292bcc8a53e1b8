/* kernel_by_key.c - the look-back of reductions by key as native code, its groups run against each other in threads.

   tools/kernel_tsan.sh compiles the serial shape, and groups of one item, whose local memory is its own.
   Sums of floats are expected to the bit: tiles are put together from left to right, whenever they are told of. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtins.h"
#include "threads.h"

#if ORDERED
typedef float element;
#else
typedef uint32_t element;
#endif

enum { TILE = 32, TILES = 3000, COUNT = TILE * TILES - 5, STATE_BYTES = 16 + TILES * 16 };

void barrier_uint(uint32_t flags) __asm__("_Z7barrierj");
void barrier_uint(uint32_t flags) { (void)flags; }

/* The kernel, as select/by_key.cl declares it. */
void gp_by_key_look_back(const element *in, uint64_t in_offset, const uint32_t *keys, uint64_t keys_offset,
                         uint64_t bound, const uint32_t *wanted, uint64_t wanted_offset,
                         uint32_t wanted_words, uint32_t *keys_out, uint64_t keys_out_offset, element *out,
                         uint64_t out_offset, element initial, uint32_t *number, uint64_t number_offset,
                         uint32_t number_words, volatile uint32_t *state, uint32_t polls,
                         volatile uint32_t *counters);

static uint32_t keys[COUNT], keys_out[COUNT], keys_expected[COUNT], number, runs;
static element in[COUNT], out[COUNT], expected[COUNT];
static _Alignas(16) unsigned char state[STATE_BYTES];
static uint32_t counters[4];
static uint32_t polls;

static void group(void)
{
    gp_by_key_look_back(in, 0, keys, 0, COUNT, NULL, 0, 0, keys_out, 0, out, 0, 0, &number, 0, 1,
                        (volatile uint32_t *)state, polls, counters);
}

/* Tile by tile, as groups do. */
static void expect(void)
{
    element before = 0; /* of the last run, in the tiles before */
    int t, i;
    runs = 0;
    for (t = 0; t < TILES; t++) {
        element sum = 0;
        uint32_t heads = 0;
        for (i = t * TILE; i < (t + 1) * TILE && i < COUNT; i++) {
            if (i == 0 || keys[i] != keys[i - 1]) {
                if (runs > 0) expected[runs - 1] = heads > 0 ? sum : before + sum;
                keys_expected[runs++] = keys[i];
                heads++;
                sum = 0;
            }
            sum += in[i];
        }
        before = heads > 0 ? sum : before + sum;
    }
    expected[runs - 1] = before;
}

/* `bound`: looks before a fallback, 0 to wait for ever. */
static int check(uint32_t bound)
{
    memset(out, 0xa5, sizeof out);
    memset(keys_out, 0xa5, sizeof keys_out);
    memset(state, 0, sizeof state);
    polls = bound;
    launch(group, TILES);
    if (number == runs && memcmp(out, expected, runs * sizeof *out) == 0 &&
        memcmp(keys_out, keys_expected, runs * sizeof *keys) == 0)
        return 0;
    printf("kernel-tsan: by key, polls %u: wrong\n", bound);
    return 1;
}

int main(void)
{
    int wrong = 0, round, i;
    for (round = 0; round < 20; round++) {
        /* runs of some elements, and of some hundreds of tiles */
        for (i = 0; i < COUNT; i++) {
            const uint32_t random = (uint32_t)(i + round) * 2654435761u;
            const uint32_t length = i / (COUNT / 4) % 2 ? 10000 : 5;
            keys[i] = i > 0 && (random >> 8) % length ? keys[i - 1] : (i > 0 ? keys[i - 1] : 0x3f800000) + 1;
            in[i] = (element)(random >> 4) / 3;
        }
        expect();
#if !ORDERED
        wrong += check(1);    /* impatient: fallbacks run against late owners */
        wrong += check(1000); /* patient */
#endif
#if !defined(GPI_FAULT) || ORDERED
        wrong += check(0);
#endif
    }
    printf("kernel-tsan: %d wrong, %u fallbacks, %u abandoned\n", wrong, counters[0], counters[1]);
    return wrong || counters[1];
}
