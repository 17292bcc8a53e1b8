/* test_tuning_file.c - gp_context_desc.tuning_file: rows taken from it, files refused, the environment's file. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <stdbool.h>
#include <unistd.h>

static bool ends_early; /* files are shorter than their size says, as those of /sys are */

static ssize_t read_or_end(int file, void *to, size_t size) { return ends_early ? 0 : read(file, to, size); }

#define read(file, to, size) read_or_end(file, to, size)
#define GP_STATIC
#define GP_IMPLEMENTATION
#include "../../gpuprim.h"
#undef read

#include "../support/folders.h"
#include "../support/support.h"

static char folder[64], path[128], warning[512];

static void remember(gp_log_level level, const char *text, void *user)
{
    (void)user;
    if (level == GP_LOG_WARNING) (void)snprintf(warning, sizeof warning, "%s", text);
}

static gp_context *open_plain(void)
{
    const gp_context_desc desc = {0};
    return test_open_with(&desc);
}

static void write_file(const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* A file for the device at hand; `format` has %s for its platform and its device. */
static void write_for_here(const char *format)
{
    gp_context *gp = open_plain();
    char text[2048];
    (void)snprintf(text, sizeof text, format, gp_context_info(gp)->platform_name, gp_context_info(gp)->name);
    gp_context_destroy(gp);
    write_file(text);
}

#define HEAD "gpuprim tuning 1\nplatform %s\ndevice %s\n"

static gp_context *open_with_file(void)
{
    gp_context_desc desc = {0};
    desc.tuning_file = path;
    return test_open_with(&desc);
}

static gpi_plan plan_of(gp_context *gp, gpi_primitive primitive)
{
    gpi_plan plan;
    assert_int_equal(gpi_plan_make_sized(gp, primitive, 4, GP_STRATEGY_AUTO, &plan), GP_OK);
    return plan;
}

/* What the file says, what it leaves out, and what another field of the desc says. */
static void test_rows(void **state)
{
    gp_context_desc desc = {0};
    gp_context *gp = open_plain(), *tuned;
    const gpi_plan scan = plan_of(gp, GPI_SCAN), map = plan_of(gp, GPI_MAP);
    gpi_plan plan;
    (void)state;
    write_for_here("# by hand\n\n" HEAD
                   "scan bytes=64 polls=77 # fewer\nscan  strategy=multi_pass\r\nmap polls=5\n");
    tuned = open_with_file();
    plan = plan_of(tuned, GPI_SCAN);
    assert_int_equal(plan.per_item, 16);
    assert_int_equal(plan.polls, 77);
    assert_int_equal(plan.strategy, GP_STRATEGY_MULTI_PASS);
    assert_int_equal(plan.group, scan.group);
    assert_int_equal(plan.shape, scan.shape);
    assert_int_equal(plan_of(tuned, GPI_MAP).per_item, map.per_item);
    assert_int_equal(plan_of(tuned, GPI_MAP).polls, 5);
    assert_int_equal(plan_of(tuned, GPI_TREE).polls, plan_of(gp, GPI_TREE).polls);
    gp_context_destroy(tuned);
    desc.tuning_file = path;
    desc.tuning.polls = 3;
    desc.strategy = GP_STRATEGY_SINGLE_PASS;
    tuned = test_open_with(&desc);
    assert_int_equal(plan_of(tuned, GPI_SCAN).polls, 3);
    assert_int_equal(plan_of(tuned, GPI_SCAN).strategy, GP_STRATEGY_SINGLE_PASS);
    gp_context_destroy(tuned);
    gp_context_destroy(gp);
}

/* Every row of the table can be named, and a result is right with small tiles. */
static void test_every_row(void **state)
{
    char text[2048] = HEAD;
    gp_context *gp;
    int k;
    (void)state;
    for (k = 0; k < GPI_PRIMITIVES; k++) {
        const gpi_primitive rows = gpi_tuned_of[k].rows;
        const gpi_span name = gpi_tuning_name(rows);
        assert_true(name.length > 0);
        if ((int)rows != k) assert_int_equal(gpi_tuning_name((gpi_primitive)k).length, 0);
        else
            (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%.*s bytes=64\n",
                           (int)name.length, name.at);
    }
    write_for_here(text);
    gp = open_with_file();
    assert_int_equal(plan_of(gp, GPI_SCAN).per_item, 16);
    test_scan_ones(gp, 1000);
    gp_context_destroy(gp);
}

/* The text of the failure has the file, the line and the reason. */
static void assert_refused(unsigned line, const char *reason)
{
    const gp_context_desc desc = {.tuning_file = path};
    gp_context *gp = NULL;
    char where[160];
    (void)snprintf(where, sizeof where, "%s, line %u: ", path, line);
    assert_int_equal(gp_context_create(&desc, &gp), GP_ERROR_INVALID_ARGUMENT);
    assert_null(gp);
    if (line) assert_non_null(strstr(gp_last_error(NULL), where));
    assert_non_null(strstr(gp_last_error(NULL), reason));
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *reason;
        unsigned line;
    } rows[] = {
        {"\n", "does not begin with", 1},
        {"gpuprim tuning 2\n", "does not begin with", 1},
        {"gpuprim tuning 1", "platform is expected", 1},
        {"gpuprim tuning 1\ndevice x\n", "platform is expected", 2},
        {"gpuprim tuning 1\nplatform another\n", "another platform", 2},
        {"gpuprim tuning 1\nplatform %s\nscan bytes=64\n", "device is expected", 3},
        {"gpuprim tuning 1\nplatform %s\ndevice %s and more\n", "another device", 3},
        {HEAD "scam bytes=64\n", "no such primitive", 4},
        {HEAD "\n\nscan bytes\n", "no number", 6},
        {HEAD "scan bytes=-1\n", "no number", 4},
        {HEAD "scan bytes=4294967296\n", "no number", 4},
        {HEAD "scan bytes=99999999999999999999999\n", "no number", 4},
        {HEAD "scan bytes=0\n", "not a power of two", 4},
        {HEAD "scan bytes=48\n", "not a power of two", 4},
        {HEAD "scan bytes=2097152\n", "not a power of two", 4},
        {HEAD "scan group=3\n", "group", 4},
        {HEAD "scan group=1073741824\n", "group", 4},
        {HEAD "scan polls=0\n", "polls is 0", 4},
        {HEAD "scan strategy=fast\n", "neither", 4},
        {HEAD "scan shape=local\n", "none of", 4},
        {HEAD "scan bytes=64 =\n", "none of", 4},
        {HEAD "scan bytes=64\nby_key bytes=64\n", "no such primitive", 5},
    };
    size_t k;
    (void)state;
    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        write_for_here(rows[k].text);
        assert_refused(rows[k].line, rows[k].reason);
    }
    ends_early = true;
    assert_refused(0, "cannot read all of tuning_file");
    ends_early = false;
    write_file("");
    assert_refused(0, "cannot read");
    assert_int_equal(remove(path), 0);
    assert_refused(0, "cannot read");
}

/* Any byte of a file changed: it is refused, or it is a good file. */
static void test_every_byte(void **state)
{
    char text[2048], changed[2048];
    size_t i;
    FILE *file;
    (void)state;
    write_for_here(HEAD "scan bytes=64 polls=77\nsort strategy=multi_pass\n");
    file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    for (i = 0; text[i]; i++) {
        gp_context_desc desc = {0};
        gp_context *gp = NULL;
        gp_result result;
        memcpy(changed, text, sizeof text);
        changed[i] = (char)(changed[i] ^ (1 << i % 7));
        if (!changed[i]) continue;
        write_file(changed);
        desc.tuning_file = path;
        result = gp_context_create(&desc, &gp);
        assert_true(result == GP_OK || result == GP_ERROR_INVALID_ARGUMENT);
        gp_context_destroy(gp);
    }
}

/* The environment's file is taken, or told of and left; the desc's comes first. */
static void test_variable(void **state)
{
    gp_context_desc desc = {0};
    gp_context *gp;
    (void)state;
    write_for_here(HEAD "scan polls=77\n");
    assert_int_equal(setenv("GPUPRIM_TUNING", path, 1), 0);
    desc.log = remember;
    warning[0] = '\0';
    gp = test_open_with(&desc);
    assert_int_equal(plan_of(gp, GPI_SCAN).polls, 77);
    assert_string_equal(warning, "");
    gp_context_destroy(gp);
    assert_int_equal(setenv("GPUPRIM_TUNING", "/nowhere", 1), 0);
    gp = test_open_with(&desc);
    assert_non_null(strstr(warning, "cannot read tuning_file /nowhere; ignored"));
    assert_null(gp->tuned);
    gp_context_destroy(gp);
    warning[0] = '\0';
    desc.tuning_file = path;
    gp = test_open_with(&desc);
    assert_string_equal(warning, "");
    assert_int_equal(plan_of(gp, GPI_SCAN).polls, 77);
    gp_context_destroy(gp);
    assert_int_equal(unsetenv("GPUPRIM_TUNING"), 0);
}

/* Of the library's own texts: the one for this device, not another's, and a bad one is told of and left. */
static void test_known(void **state)
{
    const char *texts[] = {"gpuprim tuning 1\nplatform another\ndevice x\nscan polls=5\n", NULL, NULL};
    char here[2048];
    gp_context_desc desc = {0};
    gp_context *gp;
    (void)state;
    desc.log = remember;
    gp = test_open_with(&desc);
    assert_int_equal(gpi_tuning_known(gp, texts), GP_OK);
    assert_null(gp->tuned);
    texts[1] = here;
    (void)snprintf(here, sizeof here, HEAD "scan polls=0\n", gp_context_info(gp)->platform_name,
                   gp_context_info(gp)->name);
    assert_int_equal(gpi_tuning_known(gp, texts), GP_ERROR_INVALID_ARGUMENT);
    assert_null(gp->tuned);
    (void)snprintf(here, sizeof here, HEAD "scan polls=78\n", gp_context_info(gp)->platform_name,
                   gp_context_info(gp)->name);
    assert_int_equal(gpi_tuning_known(gp, texts), GP_OK);
    assert_int_equal(plan_of(gp, GPI_SCAN).polls, 78);
    gp_context_destroy(gp);
}

/* Each text of tunings/ begins as such a text does, and has rows of the table. */
static void test_tunings(void **state)
{
    const char *const *text;
    (void)state;
    for (text = gpi_tunings; *text; text++) {
        gpi_span rest = {*text, strlen(*text)};
        unsigned number = 0;
        assert_true(gpi_span_is(gpi_tuning_next(&rest, &number), GPI_TUNING_HEAD));
        assert_memory_equal(gpi_tuning_next(&rest, &number).at, "platform ", 9);
        assert_memory_equal(gpi_tuning_next(&rest, &number).at, "device ", 7);
        assert_true(rest.length > 0);
        while (rest.length > 0) {
            gpi_span line = gpi_tuning_next(&rest, &number);
            const gpi_span name = gpi_span_cut(&line, ' ');
            gpi_span known;
            int primitive = 0;
            do {
                assert_true(primitive < GPI_PRIMITIVES);
                known = gpi_tuning_name((gpi_primitive)primitive++);
            } while (name.length != known.length || memcmp(name.at, known.at, name.length) != 0);
        }
    }
}

static int set_up(void **state)
{
    (void)state;
    test_make_folder(folder, sizeof folder);
    (void)snprintf(path, sizeof path, "%s/tuning", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    test_remove_folder(folder);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),     cmocka_unit_test(test_every_row),
                                       cmocka_unit_test(test_refused),  cmocka_unit_test(test_every_byte),
                                       cmocka_unit_test(test_variable), cmocka_unit_test(test_known),
                                       cmocka_unit_test(test_tunings)};
    return cmocka_run_group_tests_name("tuning_file", tests, set_up, tear_down);
}
