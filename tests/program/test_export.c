/* test_export.c - programs as bytes: what one context writes another takes instead of building; damaged bytes are refused. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#define GP_STATIC
#define GP_IMPLEMENTATION
#include "../../gpuprim.h"

#include "../support/folders.h"
#include "../support/support.h"

typedef struct bytes {
    unsigned char *at;
    size_t size;
} bytes;

static void append(const void *piece, size_t size, void *user)
{
    bytes *all = (bytes *)user;
    all->at = (unsigned char *)realloc(all->at, all->size + size + 1);
    assert_non_null(all->at);
    memcpy(all->at + all->size, piece, size);
    all->size += size;
}

/* No folder, so that only imports help. */
static gp_context *open_alone(void)
{
    gp_context_desc desc = {0};
    desc.no_disk_cache = true;
    return test_open_with(&desc);
}

static bytes export_of(gp_context *gp)
{
    bytes all = {NULL, 0};
    assert_gp(gp, gp_programs_export(gp, append, &all));
    return all;
}

/* A scan's and a selection's programs. */
static bytes export_two(void)
{
    gp_context *gp = open_alone();
    bytes all;
    test_scan_ones(gp, 1000);
    test_scan_ones(gp, 100000);
    all = export_of(gp);
    gp_context_destroy(gp);
    return all;
}

static gp_stats stats_of(gp_context *gp)
{
    gp_stats stats;
    assert_gp(gp, gp_stats_read(gp, &stats));
    return stats;
}

static void test_round_trip(void **state)
{
    bytes first = export_two(), second;
    gp_context *gp = open_alone();
    (void)state;
    assert_gp(gp, gp_programs_import(gp, first.at, first.size));
    assert_gp(gp, gp_programs_import(gp, first.at, first.size)); /* again: no harm */
    memset(first.at, 0, first.size);                             /* they are copied */
    test_scan_ones(gp, 1000);
    test_scan_ones(gp, 100000);
    assert_int_equal(stats_of(gp).programs_built, 0);
    assert_true(stats_of(gp).programs_loaded > 0);
    second = export_of(gp); /* what was loaded can be written, too */
    assert_int_equal(stats_of(gp).programs_saved, stats_of(gp).programs_loaded);
    gp_context_destroy(gp);
    gp = open_alone();
    assert_gp(gp, gp_programs_import(gp, second.at, second.size));
    test_scan_ones(gp, 100000);
    assert_int_equal(stats_of(gp).programs_built, 0);
    gp_context_destroy(gp);
    free(first.at);
    free(second.at);
}

/* A context without programs writes what another takes. */
static void test_empty(void **state)
{
    gp_context *gp = open_alone();
    bytes all = {NULL, 0};
    (void)state;
    if (!gp->programs) { /* trying sub-groups may have built some */
        all = export_of(gp);
        assert_int_equal(all.size, sizeof GPI_EXPORT_MAGIC - 1);
        assert_gp(gp, gp_programs_import(gp, all.at, all.size));
        assert_null(gp->imports);
    }
    assert_int_equal(gp_programs_export(NULL, append, &all), GP_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gp_programs_export(gp, NULL, &all), GP_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gp_programs_import(gp, NULL, 8), GP_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gp_programs_import(NULL, GPI_EXPORT_MAGIC, 8), GP_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gp_programs_import(gp, GPI_EXPORT_MAGIC, 7), GP_ERROR_INVALID_ARGUMENT);
    assert_gp_fails(gp, gp_programs_import(gp, "GPUPACK1", 8), GP_ERROR_INVALID_ARGUMENT,
                    "not what gp_programs_export of this version writes");
    gp_context_destroy(gp);
    free(all.at);
}

/* Two programs of our own making, small enough to damage every bit. */
static bytes pack_small(const gpi_program *a, const gpi_program *b)
{
    static const unsigned char body[30] = {1, 2, 3};
    const gpi_cache_header of_a = gpi_cache_header_make(a, 1, body, sizeof body);
    const gpi_cache_header of_b = gpi_cache_header_make(b, 3, body, 7);
    bytes all = {NULL, 0};
    append(GPI_EXPORT_MAGIC, 8, &all);
    append(&of_a, sizeof of_a, &all);
    append(body, sizeof body, &all);
    append(&of_b, sizeof of_b, &all);
    append(body, 7, &all);
    return all;
}

static void test_damaged(void **state)
{
    gp_context *gp = open_alone();
    gpi_program a, b;
    bytes all;
    size_t i, size = 0;
    (void)state;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    a.key.word[0] = 1;
    b.key.word[0] = 2;
    all = pack_small(&a, &b);
    for (i = 0; i < 8 * all.size; i++) {
        const size_t at = i / 8;
        all.at[at] ^= (unsigned char)(1u << i % 8);
        assert_int_equal(gp_programs_import(gp, all.at, all.size), GP_ERROR_INVALID_ARGUMENT);
        assert_null(gp->imports);
        all.at[at] ^= (unsigned char)(1u << i % 8);
    }
    for (i = 0; i < all.size; i++) {
        const bool whole = i == 8 || i == 8 + sizeof(gpi_cache_header) + 30;
        assert_int_equal(gp_programs_import(gp, all.at, i), whole ? GP_OK : GP_ERROR_INVALID_ARGUMENT);
    }
    assert_gp(gp, gp_programs_import(gp, all.at, all.size));
    assert_non_null(gpi_import_find(gp, &a, &size));
    assert_int_equal(size, 30);
    assert_non_null(gpi_import_find(gp, &b, &size));
    assert_int_equal(size, 7);
    assert_int_equal(b.saved, 3);
    gp_context_destroy(gp);
    free(all.at);
}

/* A binary with the right key that is none: the driver refuses it, the program is built, the bytes are gone. */
static void test_refused(void **state)
{
    static const unsigned char junk[64] = {'j', 'u', 'n', 'k'};
    bytes all = export_two(), bad = {NULL, 0};
    gp_context *gp = open_alone();
    size_t at = 8;
    (void)state;
    append(GPI_EXPORT_MAGIC, 8, &bad);
    while (at < all.size) {
        gpi_program program;
        gpi_cache_header header;
        memcpy(&header, all.at + at, sizeof header);
        memset(&program, 0, sizeof program);
        program.key = header.key;
        at += sizeof header + (size_t)header.size;
        header = gpi_cache_header_make(&program, 1, junk, sizeof junk);
        append(&header, sizeof header, &bad);
        append(junk, sizeof junk, &bad);
    }
    assert_gp(gp, gp_programs_import(gp, bad.at, bad.size));
    test_quiet_begin();
    test_scan_ones(gp, 100000);
    (void)test_quiet_end();
    assert_true(stats_of(gp).programs_built > 0);
    assert_int_equal(stats_of(gp).programs_loaded, 0);
    gp_context_destroy(gp);
    free(all.at);
    free(bad.at);
}

static void test_version(void **state)
{
    (void)state;
    assert_int_equal(gp_version(), GP_VERSION);
    assert_int_equal(GP_VERSION / 10000, GP_VERSION_MAJOR);
    assert_int_equal(GP_VERSION % 100, GP_VERSION_PATCH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_empty),
                                       cmocka_unit_test(test_damaged), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_version)};
    (void)setenv("GPUPRIM_SUB_GROUPS", "off", 1); /* the program that tries them would be counted */
    return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
