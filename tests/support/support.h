/* support.h - what the tests share: contexts in every variant, elements with a sequential reference,
   input patterns, poisoned buffers. */
#ifndef GPUPRIM_TESTS_SUPPORT_H
#define GPUPRIM_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../gpuprim.h"

/* ------------------------------------------------------------------ contexts */

/* A way to run: shape, strategy and word form. */
typedef struct test_variant {
    const char *name;
    gp_shape shape;
    gp_strategy strategy;
    gp_words words;
} test_variant;

/* "default" comes first: what the device's profile says. */
extern const test_variant test_variants[];
extern const size_t test_variant_count;

/* Where a variant is no more than a shape. "default" comes first here, too. */
enum { TEST_SHAPES = 3 };
extern const test_variant test_shapes[TEST_SHAPES];

/* A context for the variant, with `options` added to every build; NULL when the device cannot do it. */
gp_context *test_open(const test_variant *variant, const char *options);

/* GPUPRIM_TEST_CLASS, the number of a gp_device_class: contexts take that class's rows. */
gp_device_class test_pretended_class(void);

/* True if contexts may force a shape: in the whole matrix, which GPUPRIM_TEST_FULL asks for, and on a device of no pretended
   class, for which they would be the same but for sizes of tiles. Otherwise test_open_if returns NULL for them, so that the
   tests run in the shape and the strategy that the device takes by itself. */
bool test_forces_shapes(void);

/* A context; NULL when the device cannot do it. GPUPRIM_TEST_SUB_GROUP, a size: it emulates sub-groups of that
   size, and NULL stands for the serial shape. All of these are on one cl_context, because PoCL reads its
   library of built-in functions anew for each, which takes longer than most kernels. GPUPRIM_TEST_OPTIONS: the
   build options, where `desc` has none. */
gp_context *test_open_if(const gp_context_desc *desc);

/* From here on groups are taken to wait for one another in vain (gp_device_info.fair). */
void test_pretend_unfair(gp_context *gp);

/* From here on loops are taken to end after many turns (gp_device_info.loop_limit). */
void test_pretend_limited(gp_context *gp);

/* True where builds are dear and the shape is the serial one, which the default has, too: a variant of it
   would differ in the size of its tiles. */
bool test_is_like_default(const gp_context *gp, gp_shape shape);

/* As test_open; NULL, too, where the variant's shape is like the default. */
gp_context *test_open_other(const test_variant *variant);

/* What the library's check says of sub-groups of that size in such groups: gp_sub_group_check. */
gp_result test_sub_group_check(gp_context *gp, uint32_t size, uint32_t group);

/* Work-items of a sub-group as the context runs its kernels; 0: it has none. */
uint32_t test_sub_group_of(gp_context *gp);

/* Elements of an item of a selection, if the device had this compute capability. */
/* The class of a GPU with this name and vendor. */
gp_device_class test_class_of(const char *name, const char *vendor);
uint32_t test_per_item_at(gp_context *gp, uint32_t capability);

/* The most elements that a kernel which has been compiled for fewer takes: PoCL compiles it once more for
   grids of 65536 items, which the local shape has where others do not. No limit where builds are cheap. */
size_t test_most(const gp_context *gp, gp_shape shape);

/* True under a simulator: keep sizes small. */
bool test_small(void);

/* Where an error is, as the caller's own text is named; Oclgrind 21.10 knows no #line. */
const char *test_place(const char *text);

/* True when the device is a simulator or a rasterizer: builds are cheap, so that whole grids run. */
bool test_builds_are_cheap(const gp_context *gp);

/* ------------------------------------------------------------------ elements */

/* An element type with its operation, on the device and here. */
typedef struct test_element {
    const char *name;
    gp_type type, out_type;
    gp_op op;
    const gp_monoid *monoid;
    size_t in_size, size;
    void (*from)(const void *in, void *out);                  /* an input element as a sum */
    void (*combine)(const void *a, const void *b, void *out); /* a before b; out may be a */
    void (*identity)(void *out);
    void (*make)(uint32_t random, void *in); /* an input element from random bits */
} test_element;

extern const test_element test_u32_sum, test_u32_sum_u64, test_u32_min, test_u32_max, test_i32_sum,
    test_i32_sum_i64, test_i32_min, test_i32_max, test_f32_sum, test_f32_min, test_f32_max, test_u64_sum,
    test_u64_min, test_u64_max, test_u8_sum_u64, test_u8_sum, test_i16_max, test_f64_sum, test_u32_xor,
    test_u64_and, test_i32_or, test_u32_prod, test_grid_u16_max;

/* Every type with every operation that it has. */
extern const test_element *const test_grid[];
extern const size_t test_grid_count;

/* Custom monoids: test_affine, test_matrix and more. */
#include "monoids.h"

/* ------------------------------------------------------------------ data */

typedef enum test_pattern {
    TEST_RANDOM,
    TEST_EQUAL,
    TEST_SORTED,
    TEST_REVERSED,
    TEST_FEW_BITS, /* entropy-reduced: AND of three random words */
    TEST_PATTERNS
} test_pattern;

uint32_t test_random(void);

/* count elements, to be freed */
void *test_input(const test_element *element, test_pattern pattern, size_t count);

/* A device buffer of `size` bytes, from `data`, or poisoned where that is NULL. */
cl_mem test_buffer(gp_context *gp, size_t size, const void *data);

/* Its contents, to be freed. */
void *test_read(gp_context *gp, cl_mem buffer, size_t size);

enum { TEST_POISON = 0xa5 };

#define assert_gp(gp, call)                                                          \
    do {                                                                             \
        const gp_result assert_gp_result = (call);                                   \
        if (assert_gp_result != GP_OK) fail_msg("%s: %s", #call, gp_last_error(gp)); \
    } while (0)

/* The call fails with this result, and the text has this in it. */
#define assert_gp_fails(gp, call, expected, part)                                                            \
    do {                                                                                                     \
        const gp_result assert_gp_result = (call);                                                           \
        if (assert_gp_result != (expected))                                                                  \
            fail_msg("%s: %s, not %s", #call, gp_error_string(assert_gp_result), gp_error_string(expected)); \
        if (!strstr(gp_last_error(gp), part))                                                                \
            fail_msg("%s: \"%s\" has no \"%s\"", #call, gp_last_error(gp), part);                            \
    } while (0)

/* ------------------------------------------------------------------ scans of ones */

/* A context that must come to be. */
gp_context *test_open_with(const gp_context_desc *desc);

gp_stats test_profile_of(gp_context *gp);

/* A scan of `count` ones, ready to be called; its buffers are to be released. */
gp_scan_desc test_ones(gp_context *gp, size_t count);
void test_release(gp_scan_desc *desc);

/* The buffer holds 1, 2, 3, ... */
void assert_scanned(gp_context *gp, cl_mem buffer, size_t count);

/* All of it: scans `count` ones and checks. */
void test_scan_ones(gp_context *gp, size_t count);

#endif
