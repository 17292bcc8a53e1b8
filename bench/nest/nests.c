/* nests.c - see nests.h. */
#include "nests.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t random_bits(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

static void fill_walk(char *text, size_t n)
{
    uint32_t state = 12345;
    for (size_t i = 0; i < n; i++) text[i] = random_bits(&state) >> 16 & 1 ? '(' : ')';
}

/* At random, never deeper than 32, never below the ground. */
static void fill_shallow(char *text, size_t n)
{
    uint32_t state = 12345;
    for (size_t i = 0, height = 0; i < n; i++) {
        const bool opens = height == 0 || (height < 32 && random_bits(&state) >> 16 & 1);
        text[i] = opens ? '(' : ')';
        height += opens ? 1 : (size_t)-1;
    }
}

static void fill_deep(char *text, size_t n)
{
    memset(text, '(', n / 2);
    memset(text + n / 2, ')', n - n / 2);
}

/* A quarter of the input deep, then teeth on the ridge. */
static void fill_comb(char *text, size_t n)
{
    const size_t edge = n / 4;
    for (size_t i = 0; i < n; i++) text[i] = i < edge || (i < n - edge && (i - edge) % 2 == 0) ? '(' : ')';
}

/* Up 1, down 1, up 2, down 2, up 4 ... */
static void fill_sawtooth(char *text, size_t n)
{
    for (size_t i = 0, tooth = 1; i<n; tooth = tooth * 2> n / 4 ? 1 : tooth * 2)
        for (size_t k = 0; k < 2 * tooth && i < n; k++) text[i++] = k < tooth ? '(' : ')';
}

static void fill_flat(char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) text[i] = i % 2 ? ')' : '(';
}

/* gpuprim.h over and over. */
static void fill_file(char *text, size_t n)
{
    FILE *file = fopen("gpuprim.h", "rb");
    size_t size = file ? fread(text, 1, n, file) : 0;
    if (file) fclose(file);
    if (size == 0) memset(text, 'x', size = n);
    for (size_t i = size; i < n; i++) text[i] = text[i - size];
}

const nest_input nest_inputs[NEST_INPUTS] = {
    {"random walk", fill_walk, 1}, {"shallow", fill_shallow, 1}, {"real file", fill_file, 3},
    {"deep", fill_deep, 1},        {"comb", fill_comb, 1},       {"sawtooth", fill_sawtooth, 1},
    {"flat", fill_flat, 1},
};

const signed char nest_signs[256] = {['('] = 1, ['['] = 1, ['{'] = 1, [')'] = -1, [']'] = -1, ['}'] = -1};
