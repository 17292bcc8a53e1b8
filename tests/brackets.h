/* brackets.h - nests of brackets to test with, and what a stack on the host makes of them. */
#ifndef GPUPRIM_TESTS_BRACKETS_H
#define GPUPRIM_TESTS_BRACKETS_H

#include "support.h"

/* Ways to run; the first one is what the device's profile says. */
typedef struct nest_variant {
    const char *name;
    gp_shape shape;
    uint32_t tile, group;
} nest_variant;

enum { NEST_VARIANTS = 5 };
extern const nest_variant nest_variants[NEST_VARIANTS];

/* NULL: the device cannot. */
gp_context *nest_open(size_t variant);

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

#endif
