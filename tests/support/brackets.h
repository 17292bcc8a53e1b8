/* brackets.h - nests of brackets for tests, and reference results, computed by a stack on the host. */
#ifndef GPUPRIM_TESTS_BRACKETS_H
#define GPUPRIM_TESTS_BRACKETS_H

#include "support.h"

/* A way to run. The first variant uses the device's own settings. */
typedef struct nest_variant {
    const char *name;
    gp_shape shape;
    uint32_t tile, group;
    gp_strategy strategy;
} nest_variant;

/* The number of variants for every call; after these, the variants with look-back, for gp_brackets only. */
enum { NEST_VARIANTS = 5, NEST_ALL_VARIANTS = 9 };
extern const nest_variant nest_variants[NEST_ALL_VARIANTS];

/* Create a context; NULL: the device does not support the variant. `options`: added to every build. */
gp_context *nest_open(size_t variant);
gp_context *nest_open_with(size_t variant, const char *options);

/* Returns true if the variant's programs take long to build. */
bool nest_is_dear(const gp_context *gp, size_t variant);

/* Creates a context with small tiles, in the device's own shape. */
gp_context *nest_open_small(void);

typedef enum nest_pattern {
    NEST_RANDOM,  /* brackets of one kind, as a random walk */
    NEST_KINDS,   /* all kinds and other symbols at random: most pairs mismatch */
    NEST_TEXT,    /* correctly nested, with many other symbols between */
    NEST_SHALLOW, /* correctly nested, at most 32 deep */
    NEST_DEEP,    /* n / 2 openers, n / 2 closers */
    NEST_CLOSERS, /* closers only */
    NEST_OPENERS,
    NEST_COMB,      /* a deep comb: ((((()()()()...)))) */
    NEST_SAWTOOTH,  /* up 1, down 1, up 2, down 2, up 4 ... */
    NEST_MOUNTAINS, /* deep, then shallow, again and again */
    NEST_FLAT,      /* ()()() */
    NEST_RUNS,      /* runs of openers, closers, matching and mismatching pairs, of about 64 symbols */
    NEST_NOTHING,
    NEST_BROKEN, /* text in which one symbol in a thousand is changed */
    NEST_PATTERNS
} nest_pattern;

/* Returns one of n symbols at random. */
unsigned char nest_pick(const char *symbols, size_t n);

/* Writes n symbols: "()[]{}" and others. */
void nest_fill(unsigned char *text, size_t n, nest_pattern p);

/* Returns the codes of the symbols, which the caller frees; `pairs` as in gp_brackets_desc. */
int *nest_codes(const unsigned char *text, size_t n, const char *pairs);

typedef struct nest_reference {
    uint64_t *match, *parent, *depth; /* UINT64_MAX: none */
    gp_brackets_errors errors;        /* joined and searches are 0 */
} nest_reference;

/* Returns the correct results of gp_brackets for these codes, to be freed with nest_reference_free. */
nest_reference *nest_reference_make(const int *code, size_t n);
void nest_reference_free(nest_reference *r);

/* Asserts that the errors agree in all fields that do not depend on tiles. */
void assert_errors(const char *name, const gp_brackets_errors *got, const gp_brackets_errors *expected);

/* Asserts that the buffer contains `expected`, in elements of `size` bytes, between intact guards. */
void nest_compare(gp_context *gp, const char *what, cl_mem buffer, size_t offset, size_t count, size_t size,
                  const uint64_t *expected);

/* Returns a desc for n symbols, with defaults for all other fields. */
gp_brackets_desc nest_desc(size_t n);

/* Runs the call that `desc` describes on `in`, whose elements have the codes `code`, and checks the outputs.
   `outputs` has a bit for each of match, parent, depth and errors. */
void nest_check(gp_context *gp, const char *name, gp_brackets_desc desc, const void *in, size_t size,
                const int *code, unsigned outputs);
void nest_check_text(gp_context *gp, const char *name, size_t n, nest_pattern p, unsigned outputs);

/* Checks every pattern with all small sizes and a third of the other sizes. */
void nest_check_sizes(gp_context *gp, const char *name, const size_t *sizes, size_t count);

/* Checks a call whose number of elements, `wanted`, is on the device; the call must limit it to `bound`. */
void nest_check_count_on_device(gp_context *gp, size_t bound, uint32_t wanted);

/* Checks that the caller's scratch is accepted if it has the requested size, and refused if it has one byte
   less. */
void nest_check_scratch(gp_context *gp, size_t n, nest_pattern p);

/* Asserts that the scratch has at most one u32 for each element and a few bytes for each tile. */
void assert_nest_scratch_size(gp_context *gp, size_t n, size_t tile);

/* Checks consecutive calls of random sizes without synchronization, each of which uses the scratch of the
   previous one. */
void nest_check_many(gp_context *gp, size_t rounds);

#endif
