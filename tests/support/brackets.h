/* brackets.h - nests of brackets to test with, and what a stack on the host makes of them. */
#ifndef GPUPRIM_TESTS_BRACKETS_H
#define GPUPRIM_TESTS_BRACKETS_H

#include "support.h"

/* Ways to run; the first one is what the device's profile says. */
typedef struct nest_variant {
    const char *name;
    gp_shape shape;
    uint32_t tile, group;
    gp_strategy strategy;
} nest_variant;

/* The first ones; behind them those that look back, where the device does: gp_brackets only. */
enum { NEST_VARIANTS = 5, NEST_ALL_VARIANTS = 9 };
extern const nest_variant nest_variants[NEST_ALL_VARIANTS];

/* NULL: the device cannot. `options`: of all builds. */
gp_context *nest_open(size_t variant);
gp_context *nest_open_with(size_t variant, const char *options);

/* Whether its programs take long to build. */
bool nest_is_dear(const gp_context *gp, size_t variant);

/* A small tile, in whichever shape the device has. */
gp_context *nest_open_small(void);

typedef enum nest_pattern {
    NEST_RANDOM,  /* brackets of one kind, as a random walk */
    NEST_KINDS,   /* all kinds and other symbols at random: most pairs do not agree */
    NEST_TEXT,    /* nested rightly, with much else between */
    NEST_SHALLOW, /* rightly, at most 32 deep */
    NEST_DEEP,    /* n / 2 openers, n / 2 closers */
    NEST_CLOSERS, /* nothing else */
    NEST_OPENERS,
    NEST_COMB,      /* a deep comb: ((((()()()()...)))) */
    NEST_SAWTOOTH,  /* up 1, down 1, up 2, down 2, up 4 ... */
    NEST_MOUNTAINS, /* deep, then shallow, again and again */
    NEST_FLAT,      /* ()()() */
    NEST_RUNS,      /* runs of openers, of closers, of pairs right and wrong, about as long as blocks of 64 */
    NEST_NOTHING,
    NEST_BROKEN, /* text with a symbol in a thousand changed */
    NEST_PATTERNS
} nest_pattern;

/* One of n symbols. */
unsigned char nest_pick(const char *symbols, size_t n);

/* n symbols, of "()[]{}" and others. */
void nest_fill(unsigned char *text, size_t n, nest_pattern p);

/* Their codes, to be freed; `pairs` as in gp_brackets_desc. */
int *nest_codes(const unsigned char *text, size_t n, const char *pairs);

typedef struct nest_reference {
    uint64_t *match, *parent, *depth; /* UINT64_MAX: none */
    gp_brackets_errors errors;        /* joined and searches are 0 */
} nest_reference;

/* What gp_brackets has to give for these codes; to be freed. */
nest_reference *nest_reference_make(const int *code, size_t n);
void nest_reference_free(nest_reference *r);

/* The errors agree in all that does not depend on tiles. */
void assert_errors(const char *name, const gp_brackets_errors *got, const gp_brackets_errors *expected);

/* The buffer holds `expected` between its guards, in elements of `size` bytes. */
void nest_compare(gp_context *gp, const char *what, cl_mem buffer, size_t offset, size_t count, size_t size,
                  const uint64_t *expected);

/* Of n symbols, with all else by default. */
gp_brackets_desc nest_desc(size_t n);

/* Runs the call that `desc` says on `in`, whose elements have these codes, and compares what it is asked for:
   a bit each for match, parent, depth, errors. */
void nest_check(gp_context *gp, const char *name, gp_brackets_desc desc, const void *in, size_t size,
                const int *code, unsigned outputs);
void nest_check_text(gp_context *gp, const char *name, size_t n, nest_pattern p, unsigned outputs);

/* Every pattern, and of the sizes all small ones and a third of the others. */
void nest_check_sizes(gp_context *gp, const char *name, const size_t *sizes, size_t count);

/* The number of elements is on the device, and at most `bound`, to which it is clamped. */
void nest_check_count_on_device(gp_context *gp, size_t bound, uint32_t wanted);

/* Scratch of the caller's is taken when it has the bytes asked for, and refused with one less. */
void nest_check_scratch(gp_context *gp, size_t n, nest_pattern p);

/* How much is asked for: at most one u32 an element, and some for each tile. */
void assert_nest_scratch_size(gp_context *gp, size_t n, size_t tile);

/* Calls in a row without a host sync, of random sizes, each on scratch that the one before has left. */
void nest_check_many(gp_context *gp, size_t rounds);

#endif
