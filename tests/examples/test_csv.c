/* test_csv.c - examples/16_csv.c against rows that are parsed and added up one after the other. */
#include "example.h"

#include "../../examples/16_csv.c"
#undef main

enum { NAMES = 400 };

typedef struct sum_of_name {
    const char *name;
    size_t length;
    int64_t sum;
} sum_of_name;

/* The field of this column, from 1 on; empty beyond the line's last one. */
static const char *field_of(const char *line, uint32_t column, size_t *length)
{
    for (; column > 1 && *line != '\n'; line++) column -= *line == ',';
    *length = strcspn(line, ",\r\n");
    return line;
}

static sum_of_name *find(sum_of_name *sums, size_t *count, const char *name, size_t length)
{
    size_t k;
    for (k = 0; k < *count; k++)
        if (sums[k].length == length && memcmp(sums[k].name, name, length) == 0) return &sums[k];
    assert_true(*count < NAMES);
    *count += 1;
    sums[k] = (sum_of_name){name, length, 0};
    return &sums[k];
}

/* strtoll would go on to the next line where the field is empty. */
static int64_t number(const char *line, uint32_t column)
{
    size_t length;
    const char *field = field_of(line, column, &length);
    return length > 0 ? strtoll(field, NULL, 10) : 0;
}

/* `text` ends with a newline and a zero. */
static size_t add_up(const char *text, uint32_t key, uint32_t value, sum_of_name *sums)
{
    size_t count = 0, length;
    const char *line, *name;
    bool names = true; /* the line that has them */
    for (line = text; *line; line = strchr(line, '\n') + 1) {
        if (*line == '\n' || *line == '\r') continue;
        name = field_of(line, key, &length);
        if (!names) find(sums, &count, name, length)->sum += number(line, value);
        names = false;
    }
    return count;
}

static int falling(const void *a, const void *b)
{
    const int64_t x = ((const sum_of_name *)a)->sum, y = ((const sum_of_name *)b)->sum;
    return (x < y) - (x > y);
}

/* Of equal sums any may come first. */
static void check(const char *text, uint32_t key, uint32_t value)
{
    static sum_of_name expected[NAMES];
    int64_t sums[LARGEST];
    uint32_t begins[LARGEST];
    const size_t groups = add_up(text, key, value, expected), n = strlen(text);
    size_t k, of_name, length;
    qsort(expected, groups, sizeof *expected, falling);
    assert_int_equal(largest(text, n, key, value, sums, begins), groups < LARGEST ? groups : LARGEST);
    for (k = 0; k < groups && k < LARGEST; k++) {
        const char *name;
        assert_int_equal(sums[k], expected[k].sum);
        assert_true(begins[k] < n && (begins[k] == 0 || text[begins[k] - 1] == '\n'));
        name = field_of(text + begins[k], key, &length);
        of_name = groups;
        assert_int_equal(find(expected, &of_name, name, length)->sum, sums[k]);
        assert_int_equal(of_name, groups);                         /* it was there */
        find(expected, &of_name, name, length)->length = SIZE_MAX; /* and comes once */
    }
}

/* ------------------------------------------------------------------ texts */

static void check_by_hand(void)
{
    static const char *const texts[] = {
        "\n",
        "\n\n\n",
        "a,b,c",
        "a,b,c\n1,x,5\n",
        "a,b,c\n1,x,5",                                 /* no newline at the end */
        "\n\na,b,c\n\n\n1,x,5\n\n2,y,6\n3,x,-8\n\n\n",  /* empty lines, before the names too */
        "a,b,c\r\n1,x,5\r\n\r\n2,x,6\r\n3,y,7\r\n",     /* as DOS has them */
        "a,b,c\n1,,5\n2,,6\n3,x,\n4,x\n5\n6,y,-\n,,\n", /* empty and missing fields */
        "a,b,c\n1,x,9223372036854775807\n2,y,-9223372036854775807\n3,z,12abc\n",
        "a,b,c\n1,x,5,x,y\n2,x y,6,\n3,x,7\n4,xx,8\n5,\xc3\xa9,9\n", /* more columns, longer names */
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        char text[128];
        const size_t n = strlen(texts[k]);
        memcpy(text, texts[k], n + 1);
        if (text[n - 1] != '\n') memcpy(text + n, "\n", 2); /* as read_file does */
        check(text, 2, 3);
        check(text, 1, 3);
        check(text, 3, 1);
    }
}

static void check_random(size_t rows, uint32_t names)
{
    char *text = malloc(rows * 40 + 16), *to = text;
    assert_non_null(text);
    to += sprintf(to, "order,who,cents\n");
    for (size_t i = 0; i < rows; i++) {
        const uint32_t random = test_random() >> 4;
        to += sprintf(to, "%u,n%u,%d\n%s", (unsigned)i, (unsigned)(random % names),
                      (int)(random >> 8) % 100000 - 20000, random % 7 == 0 ? "\n" : "");
    }
    check(text, 2, 3);
    free(text);
}

static void check_texts(void)
{
    static const size_t rows[] = {1, 9, 10, 11, 255, 256, 257, 4097, 30011};
    check_by_hand();
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        if (test_small() && rows[k] > 257) continue;
        check_random(rows[k], 1);
        check_random(rows[k], 9);
        check_random(rows[k], NAMES);
    }
}

/* ------------------------------------------------------------------ tests */

static void test_groups(void **state)
{
    (void)state;
    FOR_EACH_SHAPE(check_texts());
}

static void test_program(void **state)
{
    char name[] = "16_csv", path[] = "examples/orders.csv", *args[] = {name, path, NULL};
    (void)state;
    assert_int_equal(example_main(2, args), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups), cmocka_unit_test(test_program)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
