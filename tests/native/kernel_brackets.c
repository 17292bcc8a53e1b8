/* kernel_brackets.c - gp_brackets by look-back in the serial shape as native code, its groups run against
   each other in threads, as in kernel_threads.c.

   Cells are plain memory there, which fences order behind the words of a leaf (kernels/common/nest/lookback.cl).
   ThreadSanitizer knows no fences: here every atomic is ordered instead. What it then sees is whether each
   cell is read behind the word that says that it is there. */
#include <stdio.h>
#include <string.h>

#define RELAXED __ATOMIC_SEQ_CST
#include "builtins.h"
#include "threads.h"

#ifndef TILE
#define TILE 32
#endif

enum {
    TILES = 700,
    COUNT = TILE * TILES - 5,
    LEAVES = 1024,
    STRANDS = 4,
    NOTES_AT = COUNT + 5, /* in uints: a cell an element */
    TREE_AT = NOTES_AT + TILES * 8,
    SCRATCH = TREE_AT + 2 * LEAVES * 4
};
#define NONE 0xffffffffu

typedef uint32_t row __attribute__((vector_size(64)));
void store_row(row r, size_t at, uint32_t *out) __asm__("_Z8vstore16Dv16_jmPU8CLglobalj");
void store_row(row r, size_t at, uint32_t *out) { memcpy(out + 16 * at, &r, sizeof r); }

typedef uint8_t bytes __attribute__((vector_size(16)));
bytes load_bytes(size_t at, const uint8_t *in) __asm__("_Z7vload16mPU8CLglobalKh");
bytes load_bytes(size_t at, const uint8_t *in)
{
    bytes v;
    memcpy(&v, in + 16 * at, sizeof v);
    return v;
}
bytes load_private(size_t at, const uint8_t *in) __asm__("_Z7vload16mPU9CLprivateKh");
bytes load_private(size_t at, const uint8_t *in) { return load_bytes(at, in); }

int32_t clamp_int(int32_t x, int32_t low, int32_t high) __asm__("_Z5clampiii");
int32_t clamp_int(int32_t x, int32_t low, int32_t high) { return x < low ? low : x > high ? high : x; }

typedef int8_t heights __attribute__((vector_size(16)));
typedef int32_t ints __attribute__((vector_size(64)));
row load_row(size_t at, const uint32_t *in) __asm__("_Z7vload16mPU8CLglobalKj");
row load_row(size_t at, const uint32_t *in)
{
    row r;
    memcpy(&r, in + 16 * at, sizeof r);
    return r;
}
row load_cells(size_t at, const uint32_t *in) __asm__("_Z7vload16mPU9CLprivateKj");
row load_cells(size_t at, const uint32_t *in) { return load_row(at, in); }
heights load_heights(size_t at, const int8_t *in) __asm__("_Z7vload16mPU9CLprivateKc");
heights load_heights(size_t at, const int8_t *in)
{
    heights h;
    memcpy(&h, in + 16 * at, sizeof h);
    return h;
}
void store_heights(heights h, size_t at, int8_t *out) __asm__("_Z8vstore16Dv16_cmPU9CLprivatec");
void store_heights(heights h, size_t at, int8_t *out) { memcpy(out + 16 * at, &h, sizeof h); }
ints heights_ints(heights h) __asm__("_Z13convert_int16Dv16_c");
ints heights_ints(heights h) { return __builtin_convertvector(h, ints); }
row row_same(row r) __asm__("_Z14convert_uint16Dv16_j");
row row_same(row r) { return r; }
int8_t min_char(int8_t a, int8_t b) __asm__("_Z3mincc");
int8_t min_char(int8_t a, int8_t b) { return a < b ? a : b; }
int8_t max_char(int8_t a, int8_t b) __asm__("_Z3maxcc");
int8_t max_char(int8_t a, int8_t b) { return a > b ? a : b; }

#define DEFINE_LANES(lanes, name, better)                                                             \
    chars##lanes name##lanes(chars##lanes a, chars##lanes b) __asm__("_Z3" #name "Dv" #lanes "_cS_"); \
    chars##lanes name##lanes(chars##lanes a, chars##lanes b)                                          \
    {                                                                                                 \
        for (int i = 0; i < lanes; i++) a[i] = a[i] better b[i] ? a[i] : b[i];                        \
        return a;                                                                                     \
    }
typedef int8_t chars16 __attribute__((vector_size(16)));
typedef int8_t chars8 __attribute__((vector_size(8)));
typedef int8_t chars4 __attribute__((vector_size(4)));
DEFINE_LANES(16, max, >)
DEFINE_LANES(8, max, >)
DEFINE_LANES(4, max, >)
DEFINE_LANES(16, min, <)
DEFINE_LANES(8, min, <)
DEFINE_LANES(4, min, <)

/* gpi_classes of nest/symbols.cl, of '(' and ')'. */
typedef struct classes {
    signed char code[256], sign[256];
    unsigned char listed[12], openers, count, codes, compares;
} classes;
static const classes table = {.code = {['('] = 1, [')'] = -1},
                              .sign = {['('] = 1, [')'] = -1},
                              .listed = {'(', ')'},
                              .openers = 1,
                              .count = 2,
                              .compares = 1};

#define NEST_PARAMETERS                                                                      \
    uint32_t *scratch, uint64_t notes_at, uint64_t tree_at, uint32_t leaves, uint32_t polls, \
        volatile uint32_t *counters
#define INPUT_PARAMETERS                                                                                \
    const unsigned char *in, uint64_t in_at, const classes *of, uint64_t bound, const uint32_t *wanted, \
        uint64_t wanted_at, uint32_t wanted_words

/* The kernels, as nest/brackets_single_pass.cl and nest/cross_tile.cl declare them. */
void gp_brackets_look_back(INPUT_PARAMETERS, uint32_t *match, uint64_t match_at, uint32_t *parent,
                           uint64_t parent_at, uint32_t parents, uint32_t *depth, uint64_t depth_at,
                           uint32_t depths, NEST_PARAMETERS);
void gp_brackets_report(INPUT_PARAMETERS, uint64_t *errors, uint64_t errors_at, NEST_PARAMETERS);

static unsigned char text[COUNT];
static uint32_t match[COUNT], parent[COUNT], depth[COUNT], stack[COUNT];
static uint32_t expected_match[COUNT], expected_parent[COUNT], expected_depth[COUNT];
static _Alignas(64) uint32_t memory[SCRATCH];
static uint64_t errors[16];
static uint32_t counts[4];

static void look_back_group(void)
{
    gp_brackets_look_back(text, 0, &table, COUNT, NULL, 0, 0, match, 0, parent, 0, 1, depth, 0, 1, memory,
                          NOTES_AT, TREE_AT, LEAVES, 0, counts);
}

static void report_group(void)
{
    gp_brackets_report(text, 0, &table, COUNT, NULL, 0, 0, errors, 0, memory, NOTES_AT, TREE_AT, LEAVES, 0,
                       counts);
}

/* With a stack. Returns the greatest depth. */
static uint32_t make_expected(void)
{
    uint32_t height = 0, highest = 0, i;
    for (i = 0; i < COUNT; i++) {
        expected_match[i] = NONE;
        expected_parent[i] = height ? stack[height - 1] : NONE;
        expected_depth[i] = height;
        if (text[i] == '(') {
            stack[height++] = i;
        } else if (text[i] == ')' && height > 0) {
            expected_match[i] = stack[--height];
            expected_match[stack[height]] = i;
        }
        if (height > highest) highest = height;
    }
    return highest;
}

static int differs(const char *what, const uint32_t *found, const uint32_t *expected)
{
    uint32_t i;
    for (i = 0; i < COUNT; i++) {
        if (found[i] == expected[i]) continue;
        printf("kernel-tsan: %s[%u] is %u, not %u\n", what, i, found[i], expected[i]);
        return 1;
    }
    return 0;
}

static int check(void)
{
    const uint32_t highest = make_expected();
    int wrong;
    memset(match, 0xa5, sizeof match);
    memset(parent, 0xa5, sizeof parent);
    memset(depth, 0xa5, sizeof depth);
    memset(memory, 0, sizeof memory);
    launch(look_back_group, (TILES + STRANDS - 1) / STRANDS);
    launch(report_group, 1);
    wrong = differs("match", match, expected_match) + differs("parent", parent, expected_parent) +
            differs("depth", depth, expected_depth);
    if (errors[6] != highest) printf("kernel-tsan: deepest %u, not %u\n", (uint32_t)errors[6], highest);
    return wrong + (errors[6] != highest);
}

/* By rounds: any order, deep, a sawtooth of ever longer teeth, mostly closers, few brackets. */
static unsigned char symbol(uint32_t round, uint32_t i, uint32_t random)
{
    static const char any[] = "()()x", closers[] = "())x)";
    switch (round % 5) {
    case 0: return (unsigned char)any[random % 5];
    case 1: return i < COUNT / 2 ? '(' : ')';
    case 2: return (i / (1 + i / 500)) % 2 ? ')' : '(';
    case 3: return (unsigned char)closers[random % 5];
    default: return random % 32 ? 'x' : (unsigned char)any[random / 32 % 5];
    }
}

int main(void)
{
    uint32_t round, i, seed = 1;
    int wrong = 0;
    for (round = 0; round < 20; round++) {
        for (i = 0; i < COUNT; i++) {
            seed = seed * 1664525u + 1013904223u;
            text[i] = symbol(round, i, seed >> 16);
        }
        wrong += check();
    }
    printf("kernel-tsan: %d wrong\n", wrong);
    return wrong;
}
