/* warm_up.c - warms up hash tables. */
#include "base/error.h"
#include "hash/hash.h"

#include <string.h>

/* Runs the hash kernels once, on a tiny table of its own. */
static gp_result gpi_hash_warm_up(gp_context *gp, const gp_hash_desc *desc)
{
    gp_hash_desc tiny;
    gp_hash table;
    gp_hash_insert_desc insert;
    gp_hash_find_desc find;
    gp_hash_erase_desc erase;
    gp_hash_retrieve_desc retrieve;
    gp_hash_rehash_desc again;
    gp_hash_stats stats;
    gp_result result;
    memset(&tiny, 0, sizeof tiny);
    memset(&insert, 0, sizeof insert);
    memset(&find, 0, sizeof find);
    memset(&erase, 0, sizeof erase);
    memset(&retrieve, 0, sizeof retrieve);
    memset(&again, 0, sizeof again);
    tiny.key_size = desc->key_size;
    tiny.value_size = desc->value_size;
    tiny.capacity = 64;
    result = gpi_hash_check_sizes(gp, &tiny);
    if (result == GP_OK) result = gp_hash_create(gp, &tiny, &table);
    if (result != GP_OK) return result;
    result = gpi_alloc_zeros(gp, 64, &insert.keys);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, 64, &find.found);
    if (tiny.value_size) insert.values = insert.keys;
    find.keys = erase.keys = insert.keys;
    retrieve.live_count = find.found;
    insert.count = find.count = erase.count = 1;
    if (result == GP_OK) result = gp_hash_insert(gp, table, &insert);
    insert.op = GP_SUM;
    if (result == GP_OK && tiny.value_size) result = gp_hash_insert_or_apply(gp, table, &insert);
    if (result == GP_OK) result = gp_hash_find(gp, table, &find);
    if (result == GP_OK) result = gp_hash_retrieve(gp, table, &retrieve);
    if (result == GP_OK) result = gp_hash_stats_read(gp, table, &stats);
    if (result == GP_OK) result = gp_hash_rehash(gp, table, &again);
    if (result == GP_OK) result = gp_hash_erase(gp, table, &erase);
    if (insert.keys) (void)clReleaseMemObject(insert.keys);
    if (find.found) (void)clReleaseMemObject(find.found);
    (void)gp_hash_destroy(gp, table);
    gpi_enter(gp, "gp_warmup");
    return result;
}
