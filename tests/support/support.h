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

/* All variants. The first one, "default", uses the device's own settings. */
extern const test_variant test_variants[];
extern const size_t test_variant_count;

/* Variants that differ only in shape. The first one is "default" here, too. */
enum { TEST_SHAPES = 3 };
extern const test_variant test_shapes[TEST_SHAPES];

/* Creates a context for the variant, with `options` added to every build. Returns NULL if the device does not
   support it. */
gp_context *test_open(const test_variant *variant, const char *options);

/* Returns the value of GPUPRIM_TEST_CLASS, the gp_device_class whose tuning rows contexts use; 0: not set. */
gp_device_class test_pretended_class(void);

/* Returns true if contexts may force a shape: in the whole matrix, which GPUPRIM_TEST_FULL requests, unless a
   class is pretended, for which these contexts would differ only in the sizes of tiles. If false,
   test_open_if returns NULL for such contexts, so that the tests run only in the device's own shape and
   strategy. */
bool test_forces_shapes(void);

/* Creates a context. Returns NULL if the device does not support it. If GPUPRIM_TEST_SUB_GROUP is a size, the
   context emulates sub-groups of that size, and the result is NULL for the serial shape. All contexts share
   one cl_context, because PoCL reads its library of built-in functions again for each cl_context, which takes
   longer than most kernels. GPUPRIM_TEST_OPTIONS has the build options if `desc` has none. */
gp_context *test_open_if(const gp_context_desc *desc);

/* Makes the context assume that groups may wait for one another in vain (gp_device_info.fair). */
void test_pretend_unfair(gp_context *gp);

/* Makes the context assume that loops end after many iterations (gp_device_info.loop_limit). */
void test_pretend_limited(gp_context *gp);

/* Returns true if builds are slow and `shape` is serial, as the default shape is: a variant of this shape
   would differ from the default only in the size of tiles. */
bool test_is_like_default(const gp_context *gp, gp_shape shape);

/* Creates a context as test_open does, but also returns NULL if the variant's shape is like the default. */
gp_context *test_open_other(const test_variant *variant);

/* Returns the result of the library's check (gp_sub_group_check) of sub-groups of `size` work-items in groups
   of `group`. */
gp_result test_sub_group_check(gp_context *gp, uint32_t size, uint32_t group);

/* Returns the number of work-items of a sub-group in the context's kernels; 0: no sub-groups. */
uint32_t test_sub_group_of(gp_context *gp);

/* Returns the class of a GPU with this name and vendor. */
gp_device_class test_class_of(const char *name, const char *vendor);
/* Returns the number of elements per item in a selection if the device has this compute capability. */
uint32_t test_per_item_at(gp_context *gp, uint32_t capability);

/* Returns the most elements for which a kernel is not compiled again. PoCL compiles a kernel once more for
   grids of 65536 items, which only the local shape has. There is no limit if builds are fast. */
size_t test_most(const gp_context *gp, gp_shape shape);

/* Returns true under a simulator, for which sizes must be small. */
bool test_small(void);

/* Returns the text that locates an error in a build log: `text`, or a general one for Oclgrind 21.10, which
   ignores #line. */
const char *test_place(const char *text);

/* Returns true if the device is a simulator or a rasterizer, whose builds are fast, so that whole grids can
   run. */
bool test_builds_are_cheap(const gp_context *gp);

/* ------------------------------------------------------------------ elements */

/* An element type with its operation, on the device and on the host. */
typedef struct test_element {
    const char *name;
    gp_type type, out_type;
    gp_op op;
    const gp_monoid *monoid;
    size_t in_size, size;
    void (*from)(const void *in, void *out);                  /* converts an input element to a sum */
    void (*combine)(const void *a, const void *b, void *out); /* combines a, then b; out may be a */
    void (*identity)(void *out);
    void (*make)(uint32_t random, void *in); /* makes an input element from random bits */
} test_element;

extern const test_element test_u32_sum, test_u32_sum_u64, test_u32_min, test_u32_max, test_i32_sum,
    test_i32_sum_i64, test_i32_min, test_i32_max, test_f32_sum, test_f32_min, test_f32_max, test_u64_sum,
    test_u64_min, test_u64_max, test_u8_sum_u64, test_u8_sum, test_i16_max, test_f64_sum, test_u32_xor,
    test_u64_and, test_i32_or, test_u32_prod, test_grid_u16_max;

/* Every type with every operation that the type supports. */
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
    TEST_FEW_BITS, /* the AND of three random words */
    TEST_PATTERNS
} test_pattern;

uint32_t test_random(void);

/* Returns `count` elements, which the caller frees. */
void *test_input(const test_element *element, test_pattern pattern, size_t count);

/* Creates a buffer of `size` bytes with a copy of `data`, or, if `data` is NULL, with poison. */
cl_mem test_buffer(gp_context *gp, size_t size, const void *data);

/* Returns the first `size` bytes of the buffer, which the caller frees. */
void *test_read(gp_context *gp, cl_mem buffer, size_t size);

enum { TEST_POISON = 0xa5 };

#define assert_gp(gp, call)                                                          \
    do {                                                                             \
        const gp_result assert_gp_result = (call);                                   \
        if (assert_gp_result != GP_OK) fail_msg("%s: %s", #call, gp_last_error(gp)); \
    } while (0)

/* Asserts that the call fails with the result `expected`, and that the error text contains `part`. */
#define assert_gp_fails(gp, call, expected, part)                                                            \
    do {                                                                                                     \
        const gp_result assert_gp_result = (call);                                                           \
        if (assert_gp_result != (expected))                                                                  \
            fail_msg("%s: %s, not %s", #call, gp_error_string(assert_gp_result), gp_error_string(expected)); \
        if (!strstr(gp_last_error(gp), part))                                                                \
            fail_msg("%s: \"%s\" has no \"%s\"", #call, gp_last_error(gp), part);                            \
    } while (0)

/* ------------------------------------------------------------------ scans of ones */

/* Creates a context. The test fails if that fails. */
gp_context *test_open_with(const gp_context_desc *desc);

gp_stats test_profile_of(gp_context *gp);

/* Returns the desc of a scan of `count` ones; test_release releases its buffers. */
gp_scan_desc test_ones(gp_context *gp, size_t count);
void test_release(gp_scan_desc *desc);

/* Asserts that the buffer contains 1, 2, 3, ... */
void assert_scanned(gp_context *gp, cl_mem buffer, size_t count);

/* Scans `count` ones, and checks the result. */
void test_scan_ones(gp_context *gp, size_t count);

#endif
