/* test_host_memory.c - host memory from functions of the caller's: all of it is given back, and out of it calls
   fail in words. A program of its own, with its own copy of the library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static size_t live, allocs, left = SIZE_MAX;

static void *count_alloc(void *memory)
{
    allocs++;
    if (memory) live++;
    return memory;
}

static void *my_malloc(size_t bytes) { return left && left-- ? count_alloc(malloc(bytes)) : NULL; }
static void *my_calloc(size_t count, size_t bytes)
{
    return left && left-- ? count_alloc(calloc(count, bytes)) : NULL;
}
static void *my_realloc(void *memory, size_t bytes)
{
    void *grown = left && left-- ? realloc(memory, bytes) : NULL;
    if (grown && !memory) live++;
    allocs++;
    return grown;
}
static void my_free(void *memory)
{
    if (memory) live--;
    free(memory);
}

#define GP_MALLOC(bytes) my_malloc(bytes)
#define GP_CALLOC(count, bytes) my_calloc(count, bytes)
#define GP_REALLOC(memory, bytes) my_realloc(memory, bytes)
#define GP_FREE(memory) my_free(memory)
#define GP_STATIC
#define GP_IMPLEMENTATION
#include "../../gpuprim.h"

/* A context, a scan and a table; the first failure. */
static gp_result run(void)
{
    enum { COUNT = 1000 };
    static uint32_t ones[COUNT];
    const gp_context_desc device = {.no_disk_cache = true};
    const gp_hash_desc make = {.key_size = 4, .expected_count = COUNT};
    gp_scan_desc scan = {.count = COUNT, .type = GP_U32, .op = GP_SUM};
    gp_hash table;
    gp_context *gp;
    gp_result result = gp_context_create(&device, &gp);
    if (result != GP_OK) return result;
    result = gp_buffer_create(gp, sizeof ones, ones, &scan.in);
    if (result == GP_OK) result = gp_buffer_create(gp, sizeof ones, NULL, &scan.out);
    if (result == GP_OK) result = gp_scan(gp, &scan);
    if (result == GP_OK) result = gp_hash_create(gp, &make, &table);
    if (result == GP_OK) result = gp_finish(gp);
    if (result != GP_OK) assert_true(strlen(gp_last_error(gp)) > 10);
    if (scan.in) clReleaseMemObject(scan.in);
    if (scan.out) clReleaseMemObject(scan.out);
    gp_context_destroy(gp);
    return result;
}

static void test_all_given_back(void **state)
{
    (void)state;
    assert_int_equal(run(), GP_OK);
    assert_true(allocs > 5);
    assert_int_equal(live, 0);
}

static void test_out_of_memory(void **state)
{
    const size_t most = allocs;
    size_t k;
    (void)state;
    for (k = 0; k < most; k += 1 + most / 16) {
        gp_result result;
        left = k;
        result = run();
        left = SIZE_MAX;
        if (result != GP_OK) assert_int_equal(result, GP_ERROR_OUT_OF_HOST_MEMORY);
        assert_int_equal(live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_given_back),
                                       cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests_name("host memory", tests, NULL, NULL);
}
