/* hash_support.h - functions that tests of hash tables share: variants, columns of 4 or 8 bytes, a model of a
   table. */
#ifndef GPUPRIM_TESTS_HASH_SUPPORT_H
#define GPUPRIM_TESTS_HASH_SUPPORT_H

#include "support.h"

/* A way to run. */
typedef struct hash_variant {
    const char *name;
    gp_shape shape;
    gp_words words;
} hash_variant;

enum { HASH_VARIANTS = 5 };
extern const hash_variant hash_variants[HASH_VARIANTS];

gp_context_desc hash_context_desc(const hash_variant *variant);

/* Creates a context for the variant; NULL: the device does not support it. */
gp_context *hash_open(const hash_variant *variant);

/* Sizes of key and value; `wide` ones need 64-bit atomics. */
typedef struct hash_widths {
    size_t key, value;
} hash_widths;

enum { HASH_WIDTHS = 6 };
extern const hash_widths hash_all_widths[HASH_WIDTHS];
bool hash_can(const gp_context *gp, const hash_variant *variant, hash_widths w);

/* Calls `check` for each variant and width that the device supports. Under a simulator, and if the shape
   takes long to build, uses only one width of each form. */
void hash_each_way(void (*check)(gp_context *gp, const hash_variant *way, hash_widths w));

/* Returns the value of GPUPRIM_TEST_HASH: how often the random tests run, each time with other numbers (make
   test-hash-stress). */
long hash_seeds(void);

/* Returns the number of `size` bytes whose bits are all set. */
uint64_t hash_ones(size_t size);

/* A buffer with n elements of `size` bytes at an offset, between poisoned guards. If the data are NULL, the
   elements are poison, too. */
typedef struct hash_column {
    cl_mem mem;
    size_t size, n, offset;
} hash_column;

hash_column hash_column_make(gp_context *gp, size_t size, size_t n, size_t offset, const uint64_t *data);
/* Returns the elements of the column, which the caller frees. The test fails if a guard was overwritten. */
uint64_t *hash_column_read(gp_context *gp, const hash_column *c);
void hash_column_free(hash_column *c);

/* A model of a table, as plain arrays over the `universe` keys that the table may contain. */
typedef struct hash_model {
    size_t universe;
    uint64_t *key, *value; /* by number */
    bool *live, *taken;
    gp_hash_counts counts;
} hash_model;

hash_model hash_model_make(size_t universe, size_t key_size);
void hash_model_free(hash_model *m);
size_t hash_model_live(const hash_model *m);
/* Counts the result of one key. */
void hash_model_count(hash_model *m, uint64_t result);

/* Asserts that the table agrees with the model in the results of find and retrieve, in counts and in
   statistics. */
void hash_check(gp_context *gp, const char *name, gp_hash table, hash_widths w, const hash_model *m);

gp_hash hash_create(gp_context *gp, hash_widths w, size_t capacity);

/* Returns the number of side slots: 2 if a word has key and value, else 1. */
size_t hash_side_slots(gp_context *gp, hash_widths w);

/* Inserts, assigns or applies, as `how` says, and waits until the call has ended. */
typedef enum hash_how { HASH_INSERT, HASH_ASSIGN, HASH_APPLY } hash_how;
gp_result hash_put(gp_context *gp, gp_hash table, hash_how how, const gp_hash_insert_desc *desc);

/* Runs kernel user(__global uint *memory, uint n, __global uint *out) of `source`, with gp_device_source's
   text before it, for n items in groups of `local`. Returns the n numbers of `out`, which the caller
   frees. */
uint32_t *hash_run_user(gp_context *gp, gp_hash table, const char *source, cl_uint n, size_t local);

/* A context and a table with keys 0 ... n-1 of a model, each with its number as value. */
typedef struct hash_fixture {
    gp_context *gp;
    gp_hash table;
    hash_widths w;
    hash_model m;
    hash_column keys, values;
    size_t n;
} hash_fixture;

/* Creates the fixture. `how` may be NULL; if it has no capacity, the table has room for n keys. */
hash_fixture hash_fixture_make(hash_widths w, size_t n, const gp_hash_desc *how);
void hash_fixture_check(hash_fixture *f, const char *what);
/* Frees the fixture, with its context and table. */
void hash_fixture_free(hash_fixture *f);
/* Returns the desc that inserts all keys of the fixture. */
gp_hash_insert_desc hash_fixture_insert(const hash_fixture *f);

#endif
