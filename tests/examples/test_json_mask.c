/* test_json_mask.c - examples/18_json_mask.c against the loop that it has itself, and that loop by hand. */
#include "example.h"

#include "../../examples/18_json_mask.c"
#undef main

static void check(const char *text, size_t n)
{
    char *expected = malloc(n), *masked;
    const cl_mem on_device = test_buffer(gp, n, text);
    size_t i;
    assert_non_null(expected);
    memcpy(expected, text, n);
    mask_slowly(expected, n);
    mask(on_device, n);
    masked = test_read(gp, on_device, n);
    for (i = 0; i < n && masked[i] == expected[i]; i++) {
    }
    if (i < n) fail_msg("of %zu bytes the one at %zu is '%c', not '%c'", n, i, masked[i], expected[i]);
    clReleaseMemObject(on_device);
    free(expected);
    free(masked);
}

/* ------------------------------------------------------------------ texts */

static void check_by_hand(void)
{
    static const char *const texts[][2] = {
        {"\"\"", "\"\""},
        {"\"", "\""},
        {"{\"key\": 12}", "{\"***\": 12}"},
        {"[\"\\\\\\\"\", 5]", "[\"****\", 5]"},       /* "\\\"" */
        {"[\"\\\\\", \"5\"]", "[\"**\", \"*\"]"},     /* "\\", "5" */
        {"[\"\\u00e9\\n\", x]", "[\"********\", x]"}, /* "\u00e9\n" */
        {"[\"never ends, 5]", "[\"**************"},
        {"\\\"no string\\\" \"\xc3\xa9\"", "\\\"no string\\\" \"**\""},
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        const size_t n = strlen(texts[k][0]);
        char slow[64];
        memcpy(slow, texts[k][0], n + 1);
        mask_slowly(slow, n);
        assert_string_equal(slow, texts[k][1]);
        check(texts[k][0], n);
    }
}

/* Runs of backslashes of every length, before a quote and before another byte, in strings and outside; one text, so that
   runs lie at all places of a tile, and across the ends of tiles. */
static void check_runs(size_t longest)
{
    char *text = malloc(longest * longest + 8 * longest + 8);
    size_t n = 0, length, k;
    assert_non_null(text);
    for (length = 0; length <= longest; length++) {
        text[n++] = '"';
        for (k = 0; k < length; k++) text[n++] = '\\';
        text[n++] = '"';
        text[n++] = 'x';
        for (k = 0; k < length; k++) text[n++] = '\\';
        text[n++] = length % 3 ? ',' : '"';
    }
    check(text, n);
    free(text);
}

/* One run in a string, far longer than a tile. */
static void check_long_run(size_t length)
{
    char *text = malloc(length + 4);
    assert_non_null(text);
    memset(text, '\\', length + 4);
    text[0] = text[length + 1] = text[length + 3] = '"';
    text[length + 2] = 'x';
    check(text, length + 4);
    free(text);
}

static void check_random(size_t n)
{
    static const char alphabet[] = "\"\"\\\\\\\\ab,:{}\n";
    char *text = malloc(n);
    size_t i;
    assert_non_null(text);
    for (i = 0; i < n; i++) text[i] = alphabet[(test_random() >> 8) % (sizeof alphabet - 1)];
    check(text, n);
    free(text);
}

/* ------------------------------------------------------------------ tests */

static void check_texts(void)
{
    static const size_t sizes[] = {1, 2, 255, 256, 257, 4095, 4096, 4097, 65536, 100003};
    const size_t most = test_small() ? 5000 : 200000;
    size_t k;
    check_by_hand();
    check_runs(test_small() ? 60 : 300);
    check_long_run(most);
    check_long_run(most + 1);
    for (k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        if (sizes[k] <= most) check_random(sizes[k]);
}

static void test_masks(void **state)
{
    (void)state;
    FOR_EACH_SHAPE(check_texts());
}

static void test_program(void **state)
{
    char name[] = "18_json_mask", path[] = "examples/shapes.json", *args[] = {name, path, NULL};
    (void)state;
    assert_int_equal(example_main(2, args), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_masks), cmocka_unit_test(test_program)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
