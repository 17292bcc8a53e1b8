/* scenarios_hash.c - hash tables. See driver.h.

   A batch that fails may have been done in part: so each run starts with a table of its own, and what is to
   be kept is said only where it is promised. */
#include "driver.h"

enum { KEYS = 1000 };

/* ------------------------------------------------------------------ tables */

static void make_table(world *w, size_t value_size, bool grow)
{
    gp_hash_desc d = {0};
    d.key_size = 4;
    d.value_size = value_size;
    d.capacity = grow ? 64 : 4096;
    d.grow = grow;
    must(gp_hash_create(w->gp, &d, &w->table) == GP_OK, gp_last_error(w->gp));
}

static gp_hash_insert_desc insert_desc(const world *w)
{
    gp_hash_insert_desc d = {0};
    d.keys = w->buffer[0];
    d.values = w->buffer[1];
    d.count = KEYS;
    return d;
}

static void put_keys(world *w)
{
    put(w, 0, ramp, 4 * KEYS);
    put(w, 1, mod7, 4 * KEYS);
    put_out(w, 2, 4 * KEYS);
    put_out(w, 3, 4 * KEYS);
    put_out(w, 4, 4);
}

static void prepare_empty(world *w)
{
    put_keys(w);
    make_table(w, 4, false);
}

static void prepare_growing(world *w)
{
    put_keys(w);
    make_table(w, 4, true);
}

static void prepare_full(world *w)
{
    gp_hash_insert_desc d;
    prepare_empty(w);
    d = insert_desc(w);
    must(gp_hash_insert(w->gp, w->table, &d) == GP_OK, gp_last_error(w->gp));
}

/* Is key i there with value values[i], for all of them? */
static bool has(world *w, const uint32_t *values)
{
    gp_hash_find_desc d = {0};
    d.keys = w->buffer[0];
    d.values = w->buffer[3];
    d.count = KEYS;
    must(gp_hash_find(w->gp, w->table, &d) == GP_OK, gp_last_error(w->gp));
    return holds(w, 3, values, 4 * KEYS);
}

static bool has_all(world *w) { return has(w, mod7); }

static bool has_none(world *w)
{
    memset(want, 0xff, 4 * KEYS);
    return has(w, want);
}

/* ------------------------------------------------------------------ create, share, destroy, clear */

static gp_result run_create(world *w)
{
    gp_hash_desc d = {0};
    gp_hash_insert_desc insert = insert_desc(w);
    size_t bytes = 0;
    gp_result result;
    d.key_size = d.value_size = 4;
    d.expected_count = KEYS;
    result = gp_hash_buffer_size(w->gp, &d, &bytes);
    if (result == GP_OK) result = gp_hash_create(w->gp, &d, &w->table);
    return result == GP_OK ? gp_hash_insert(w->gp, w->table, &insert) : result;
}

static void with_other(world *w, gp_context_desc *desc)
{
    must(gp_context_create(desc, &w->other) == GP_OK, gp_last_error(NULL));
    desc->share = w->other;
}

/* A second context's handle; the first one's goes. */
static gp_result run_share(world *w)
{
    gp_hash handle = {0};
    gp_hash_find_desc d = {0};
    gp_result result = gp_hash_share(w->other, w->gp, w->table, &handle);
    d.keys = w->buffer[0];
    d.values = w->buffer[2];
    d.count = KEYS;
    if (result == GP_OK) result = gp_hash_find(w->gp, w->table, &d);
    if (handle.id) (void)gp_hash_destroy(w->other, handle);
    return result;
}

static bool check_found(world *w) { return holds(w, 2, mod7, 4 * KEYS); }

static gp_result run_clear(world *w)
{
    gp_hash_clear_desc d = {0};
    return gp_hash_clear(w->gp, w->table, &d);
}

/* ------------------------------------------------------------------ batches */

static gp_result run_insert(world *w)
{
    gp_hash_insert_desc d = insert_desc(w);
    d.results = w->buffer[2];
    return gp_hash_insert(w->gp, w->table, &d);
}

static gp_result run_insert_first(world *w)
{
    gp_hash_insert_desc d = insert_desc(w);
    size_t bytes = 0;
    gp_result result;
    d.duplicates = GP_HASH_FIRST;
    result = gp_hash_insert_scratch_size(w->gp, w->table, &d, &bytes);
    return result == GP_OK ? gp_hash_insert(w->gp, w->table, &d) : result;
}

static gp_result run_insert_partitioned(world *w)
{
    gp_hash_insert_desc d = insert_desc(w);
    d.strategy = GP_STRATEGY_MULTI_PASS;
    return gp_hash_insert(w->gp, w->table, &d);
}

/* Keys that find no room would be listed. */
static gp_result run_insert_listed(world *w)
{
    gp_hash_insert_desc d = insert_desc(w);
    d.failed_keys = w->buffer[2];
    d.failed_values = w->buffer[3];
    d.failed_count = w->buffer[4];
    return gp_hash_insert(w->gp, w->table, &d);
}

static bool check_listed(world *w)
{
    static const uint32_t none = 0;
    return holds(w, 4, &none, 4) && has_all(w);
}

static gp_result run_assign(world *w)
{
    gp_hash_insert_desc d = insert_desc(w);
    d.values = w->buffer[0];
    return gp_hash_insert_or_assign(w->gp, w->table, &d);
}

static bool check_assign(world *w) { return has(w, ramp); }

static gp_result run_apply(world *w)
{
    gp_hash_insert_desc d = insert_desc(w);
    d.op = GP_SUM;
    return gp_hash_insert_or_apply(w->gp, w->table, &d);
}

static bool check_apply(world *w)
{
    size_t i;
    for (i = 0; i < KEYS; i++) want[i] = 2 * mod7[i];
    return has(w, want);
}

static gp_result run_find(world *w)
{
    gp_hash_find_desc d = {0};
    d.keys = w->buffer[0];
    d.values = w->buffer[2];
    d.count = KEYS;
    return gp_hash_find(w->gp, w->table, &d);
}

static gp_result run_contains(world *w)
{
    gp_hash_find_desc d = {0};
    d.keys = w->buffer[0];
    d.found = w->buffer[2];
    d.count = KEYS;
    return gp_hash_contains(w->gp, w->table, &d);
}

static bool check_contains(world *w)
{
    memset(want, 1, KEYS);
    return holds(w, 2, want, KEYS);
}

static gp_result run_erase(world *w)
{
    gp_hash_erase_desc d = {0};
    d.keys = w->buffer[0];
    d.count = KEYS;
    return gp_hash_erase(w->gp, w->table, &d);
}

static gp_result run_erase_partitioned(world *w)
{
    gp_hash_erase_desc d = {0};
    size_t bytes = 0;
    gp_result result;
    d.keys = w->buffer[0];
    d.count = KEYS;
    d.strategy = GP_STRATEGY_MULTI_PASS;
    result = gp_hash_erase_scratch_size(w->gp, w->table, &d, &bytes);
    return result == GP_OK ? gp_hash_erase(w->gp, w->table, &d) : result;
}

/* ------------------------------------------------------------------ over the whole table */

static gp_result run_retrieve(world *w)
{
    gp_hash_retrieve_desc d = {0};
    size_t bytes = 0;
    gp_result result;
    d.keys = w->buffer[2];
    d.values = w->buffer[3];
    d.room = KEYS;
    d.live_count = w->buffer[4];
    d.sort_type = GP_U32;
    result = gp_hash_retrieve_scratch_size(w->gp, w->table, &d, &bytes);
    return result == GP_OK ? gp_hash_retrieve(w->gp, w->table, &d) : result;
}

static bool check_retrieve(world *w) { return holds(w, 2, ramp, 4 * KEYS) && holds(w, 3, mod7, 4 * KEYS); }

static gp_result run_for_each(world *w)
{
    gp_hash_for_each_desc d = {0};
    d.map = "v * 2";
    return gp_hash_for_each(w->gp, w->table, &d);
}

static gp_result run_rehash(world *w)
{
    gp_hash_rehash_desc d = {0};
    d.capacity = 8192;
    return gp_hash_rehash(w->gp, w->table, &d);
}

static gp_result run_counts(world *w)
{
    gp_hash_counts counts;
    gp_hash_stats stats;
    size_t live = 0;
    gp_result result = gp_hash_counts_read(w->gp, w->table, &counts);
    if (result == GP_OK) result = gp_hash_size_read(w->gp, w->table, &live);
    if (result == GP_OK) result = gp_hash_stats_read(w->gp, w->table, &stats);
    w->host[0] = result == GP_OK && counts.live == KEYS && live == KEYS && stats.live == KEYS;
    return result;
}

static bool check_counts(world *w) { return w->host[0] == 1; }

static gp_result run_source(world *w)
{
    const gp_group_op sum = {"sum", GP_U32, GP_SUM, NULL};
    gp_device_source_desc hash = {GP_DEVICE_HASH, {0}, NULL, 0, 0}, tile = {GP_DEVICE_GROUP, {0}, &sum, 1, 0};
    size_t size = 0, more = 0;
    gp_result result;
    hash.table = w->table;
    result = gp_device_source(w->gp, &hash, NULL, 0, &size);
    if (result == GP_OK) result = gp_device_source(w->gp, &tile, NULL, 0, &more);
    w->host[0] = size > 1000 && more > 1000;
    return result;
}

const scenario scenarios_hash[] = {
    {"hash_create", NULL, put_keys, run_create, has_all, NULL, false, false},
    {"hash_share", with_other, prepare_full, run_share, check_found, has_all, false, false},
    {"hash_clear", NULL, prepare_full, run_clear, has_none, NULL, false, false},
    {"hash_insert", NULL, prepare_empty, run_insert, has_all, NULL, false, false},
    {"hash_insert_first", NULL, prepare_empty, run_insert_first, has_all, NULL, false, false},
    {"hash_insert_partitioned", NULL, prepare_empty, run_insert_partitioned, has_all, NULL, false, false},
    {"hash_insert_listed", NULL, prepare_empty, run_insert_listed, check_listed, NULL, false, false},
    {"hash_insert_growing", NULL, prepare_growing, run_insert, has_all, NULL, false, false},
    {"hash_insert_or_assign", NULL, prepare_full, run_assign, check_assign, NULL, false, false},
    {"hash_insert_or_apply", NULL, prepare_full, run_apply, check_apply, NULL, false, false},
    {"hash_find", NULL, prepare_full, run_find, check_found, has_all, false, false},
    {"hash_contains", NULL, prepare_full, run_contains, check_contains, has_all, false, false},
    {"hash_erase", NULL, prepare_full, run_erase, has_none, NULL, false, false},
    {"hash_erase_partitioned", NULL, prepare_full, run_erase_partitioned, has_none, NULL, false, false},
    {"hash_retrieve", NULL, prepare_full, run_retrieve, check_retrieve, has_all, false, false},
    {"hash_for_each", NULL, prepare_full, run_for_each, check_apply, NULL, false, false},
    {"hash_rehash", NULL, prepare_full, run_rehash, has_all, has_all, false, false},
    {"hash_counts", NULL, prepare_full, run_counts, check_counts, has_all, false, false},
    {"device_source", NULL, prepare_full, run_source, check_counts, has_all, false, false},
    {0},
};
