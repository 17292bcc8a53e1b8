/* kernel_hash.c - the serial-shape kernels of gp_hash as native code: insert, assign, apply, find and erase
   race on one small table, group against group in threads, and what must be true whatever the order is
   checked at the end.

   Keys by their number, in a table just large enough for all of them:

       [0, STEADY)           put in before the race; only found in it
       [STEADY, COUNTED)     counted by apply, straight and combined, and found
       [COUNTED, KEYS)       inserted, assigned and erased, over and over; those of the side slots among them

   FORM: 0 packed, 1 split with 64-bit words, 2 split with 32-bit words. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtins.h"

#define THREADS 8
#include "threads.h"

typedef int64_t longs8 __attribute__((vector_size(64)));
typedef int64_t longs4 __attribute__((vector_size(32)));
typedef int8_t chars8 __attribute__((vector_size(8)));
typedef int8_t chars4 __attribute__((vector_size(4)));
chars8 mask_bytes8(longs8 mask) __asm__("_Z13convert_char8Dv8_l");
chars8 mask_bytes8(longs8 mask) { return __builtin_convertvector(mask, chars8); }
chars4 mask_bytes4(longs4 mask) __asm__("_Z13convert_char4Dv4_l");
chars4 mask_bytes4(longs4 mask) { return __builtin_convertvector(mask, chars4); }

#if FORM == 1
typedef uint64_t word;
enum { WIDTHS = 3, SLOT_WORDS = 4, WIDE_CHANGE = 16 };
#else
typedef uint32_t word;
enum { WIDTHS = 0, SLOT_WORDS = 2, WIDE_CHANGE = 0 };
#endif
#define NONE ((word) ~(word)0)

/* Of hash/table.cl, hash/batch.cl. */
enum { CLAIMED, INSERTED, EXISTED, FAILED, REFUSED, SUPERSEDED, ERASED, ABSENT };
enum { KEEP = 0, ASSIGN = 1, ADD = 2 };
enum {
    HEADER = 64,
    HEADER_COUNTS = 16,
    MAGIC = 0x67706874,
    SOURCE_BUFFER = 0,
    SOURCE_ONE = 1,
    WANTS_RESULTS = 1,
    WANTS_BOTH = 3
};

#define FACTS_PARAMETERS uint64_t, uint64_t, uint64_t, uint64_t
#define PUT_PARAMETERS                                                                                  \
    uint32_t *memory, FACTS_PARAMETERS, const uint32_t *keys, uint64_t keys_at, const uint32_t *values, \
        uint64_t values_at, uint32_t source, uint64_t operand, uint32_t change, uint32_t widths,        \
        uint32_t wants
#define RUN_PARAMETERS                                                                                    \
    uint64_t span, uint64_t bound, const uint32_t *wanted, uint64_t wanted_offset, uint32_t wanted_words, \
        volatile uint32_t *counters
void gp_hash_clear_slots(uint32_t *memory, FACTS_PARAMETERS, const uint32_t *from, uint32_t carry,
                         uint64_t span);
void gp_hash_put_keys(PUT_PARAMETERS, uint32_t *judge, FACTS_PARAMETERS, uint8_t *results,
                      uint64_t results_at, uint32_t *failed_keys, uint64_t failed_keys_at,
                      uint32_t *failed_values, uint64_t failed_values_at, volatile uint32_t *failed_count,
                      uint64_t failed_count_at, RUN_PARAMETERS);
void gp_hash_combine_keys(PUT_PARAMETERS, RUN_PARAMETERS);
void gp_hash_find_keys(uint32_t *memory, FACTS_PARAMETERS, const uint32_t *keys, uint64_t keys_at,
                       uint32_t *values, uint64_t values_at, uint8_t *found, uint64_t found_at,
                       uint64_t absent, uint32_t widths, uint32_t wants, RUN_PARAMETERS);
void gp_hash_erase_keys(uint32_t *memory, FACTS_PARAMETERS, const uint32_t *keys, uint64_t keys_at,
                        uint8_t *results, uint64_t results_at, uint32_t widths, uint32_t wants,
                        RUN_PARAMETERS);

enum {
    CAPACITY = 64,
    STEADY = 12,
    COUNTED = 36,
    SIDE = FORM == 0 ? 2 : 1, /* all ones has a slot of its own, and packed one less has: exactly full */
    KEYS = CAPACITY + SIDE,
    REPEATS = 24, /* of each key in a batch */
    SPAN = 50,
    ROUNDS = 400
};
enum { INSERT, ASSIGN_SOME, COUNT, COMBINE, FIND, ERASE, OPERATIONS };

/* A batch of one operation. */
typedef struct batch {
    size_t n;
    word keys[KEYS * REPEATS], values[KEYS * REPEATS];
    uint8_t results[KEYS * REPEATS];
} batch;

static _Alignas(64) uint32_t memory[HEADER + SLOT_WORDS * (CAPACITY + SIDE)];
static uint32_t counters[12];
static uint64_t facts[4];
#define FACTS facts[0], facts[1], facts[2], facts[3]
static batch batches[OPERATIONS];
static uint32_t seed = 1;

static uint32_t random_number(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

static word key_of(size_t number)
{
    return number >= CAPACITY ? NONE - (word)(number - CAPACITY) : (word)(number * 0x9e3779b97f4a7c15u);
}

static uint64_t count_of(int what)
{
    return (uint64_t)memory[HEADER_COUNTS + 2 * what + 1] << 32 | memory[HEADER_COUNTS + 2 * what];
}

/* ------------------------------------------------------------------ the race */

#define WORDS(array) ((uint32_t *)(array))
#define NO_FAILED \
    WORDS(counters), 0, WORDS(counters), 0, counters, 0 /* as the host hands on what is not there */
#define RUN(b) SPAN, (b)->n, NULL, 0, 0, counters

static void put(batch *b, uint32_t source, uint32_t change, int combined)
{
    const uint32_t how = change > ASSIGN ? change + WIDE_CHANGE : change;
    if (combined)
        gp_hash_combine_keys(memory, FACTS, WORDS(b->keys), 0, WORDS(b->values), 0, source, 1, how, WIDTHS, 0,
                             RUN(b));
    else
        gp_hash_put_keys(memory, FACTS, WORDS(b->keys), 0, WORDS(b->values), 0, source, 1, how, WIDTHS,
                         WANTS_RESULTS, memory, FACTS, b->results, 0, NO_FAILED, RUN(b));
}

/* One group of one of the batches; groups of all of them run side by side. */
static void any_group(void)
{
    const uint32_t g = group_id;
    batch *b = &batches[g % OPERATIONS];
    group_id = g / OPERATIONS;
    switch (g % OPERATIONS) {
    case INSERT: put(b, SOURCE_BUFFER, KEEP, 0); break;
    case ASSIGN_SOME: put(b, SOURCE_BUFFER, ASSIGN, 0); break;
    case COUNT: put(b, SOURCE_ONE, ADD, 0); break;
    case COMBINE: put(b, SOURCE_ONE, ADD, 1); break;
    case FIND:
        gp_hash_find_keys(memory, FACTS, WORDS(b->keys), 0, WORDS(b->values), 0, b->results, 0, 77777, WIDTHS,
                          WANTS_BOTH, RUN(b));
        break;
    default:
        gp_hash_erase_keys(memory, FACTS, WORDS(b->keys), 0, b->results, 0, WIDTHS, WANTS_RESULTS, RUN(b));
        break;
    }
    group_id = g;
}

/* REPEATS times each of the keys [from, to), shuffled. A value tells its key. */
static void batch_fill(batch *b, size_t from, size_t to)
{
    size_t i;
    b->n = (to - from) * REPEATS;
    for (i = 0; i < b->n; i++) {
        const size_t other = random_number() % (i + 1);
        b->keys[i] = b->keys[other];
        b->keys[other] = key_of(from + i % (to - from));
    }
    for (i = 0; i < b->n; i++) b->values[i] = (b->keys[i] >> 1 & 0xffff) * 16 + random_number() % 16;
    memset(b->results, 0, sizeof b->results);
}

static void race(void)
{
    size_t groups = 0, o;
    batch_fill(&batches[INSERT], 0, STEADY);
    facts[0] = CAPACITY - 1 + ((uint64_t)CAPACITY << 32);
    facts[1] = UINT32_MAX + ((uint64_t)MAGIC << 32);
    facts[2] = seed;
    facts[3] = NONE;
    gp_hash_clear_slots(memory, FACTS, memory, 0, KEYS);
    group_id = 0;
    gp_hash_put_keys(memory, FACTS, WORDS(batches[INSERT].keys), 0, WORDS(batches[INSERT].values), 0,
                     SOURCE_BUFFER, 0, KEEP, WIDTHS, 0, memory, FACTS, batches[INSERT].results, 0, NO_FAILED,
                     KEYS * REPEATS, batches[INSERT].n, NULL, 0, 0, counters);
    batch_fill(&batches[INSERT], COUNTED, KEYS);
    batch_fill(&batches[ASSIGN_SOME], COUNTED, KEYS);
    batch_fill(&batches[COUNT], STEADY, COUNTED);
    batch_fill(&batches[COMBINE], STEADY, COUNTED);
    batch_fill(&batches[FIND], 0, KEYS);
    batch_fill(&batches[ERASE], COUNTED, KEYS);
    for (o = 0; o < OPERATIONS; o++) {
        const size_t needed = (batches[o].n + SPAN - 1) / SPAN;
        if (needed > groups) groups = needed;
    }
    launch(any_group, (uint32_t)(groups * OPERATIONS));
}

/* ------------------------------------------------------------------ what must be true */

static int wrong(const char *what, size_t i)
{
    printf("kernel-tsan: hash: %s, %zu\n", what, i);
    return 1;
}

/* The key that has the slot, live or not; NONE: no key has. */
static word slot_key(size_t slot)
{
    const uint32_t *s = memory + HEADER + slot * SLOT_WORDS;
    word key;
#if FORM == 0
    key = s[1] == NONE - 1 ? s[0] : s[1]; /* the high half, or an erased key */
    if (slot >= CAPACITY && key == 0) key = NONE - (word)(slot - CAPACITY);
#else
    memcpy(&key, s, sizeof key);
#endif
    return key;
}

static int slot_live(size_t slot)
{
    const uint32_t *s = memory + HEADER + slot * SLOT_WORDS;
#if FORM == 0
    return s[1] < NONE - 1;
#else
    word value;
    memcpy(&value, (const word *)s + 1, sizeof value);
    return value != NONE;
#endif
}

static word slot_value(size_t slot)
{
    const uint32_t *s = memory + HEADER + slot * SLOT_WORDS;
    word value;
#if FORM == 0
    value = s[0];
#else
    memcpy(&value, (const word *)s + 1, sizeof value);
#endif
    return value;
}

static size_t number_of(word key)
{
    size_t i = 0;
    while (i < KEYS && key_of(i) != key) i++;
    return i;
}

static int is_of(word value, word key) { return value / 16 == (key >> 1 & 0xffff); }

/* Each key stands once at most; the value is one that it may have. */
static int check_slots(size_t *live)
{
    int seen[KEYS] = {0};
    size_t slot, claimed = 0;
    *live = 0;
    for (slot = 0; slot < KEYS; slot++) {
        const word key = slot_key(slot), value = slot_value(slot);
        const size_t number = number_of(key);
        const int is_live = slot_live(slot);
        if (slot < CAPACITY && key == NONE) continue;
        if (number == KEYS) return wrong("a key that nobody put", slot);
        if (slot < CAPACITY && seen[number]++) return wrong("a key twice", number);
        claimed += slot < CAPACITY;
        *live += is_live;
        if (number < STEADY && !is_of(value, key)) return wrong("a steady value", number);
        if (number >= STEADY && number < COUNTED && value != 2 * REPEATS) return wrong("a count", number);
        if (number >= COUNTED && is_live && !is_of(value, key)) return wrong("a value", number);
    }
    return claimed == count_of(CLAIMED) ? 0 : wrong("slots claimed", claimed);
}

static int check_found(void)
{
    const batch *b = &batches[FIND];
    size_t i;
    for (i = 0; i < b->n; i++) {
        const size_t number = number_of(b->keys[i]);
        const word v = b->values[i];
        if (!b->results[i] && (v != 77777 || number < STEADY)) return wrong("not found", number);
        if (!b->results[i]) continue;
        if (number >= STEADY && number < COUNTED ? v == 0 || v > 2 * REPEATS : !is_of(v, b->keys[i]))
            return wrong("found otherwise", number);
    }
    return 0;
}

/* What the results say is what was counted, and what is there. */
static int check_counts(size_t live)
{
    size_t told[8] = {0}, o, i;
    for (o = 0; o < OPERATIONS; o++) {
        if (o == FIND || o == COMBINE) continue;
        for (i = 0; i < batches[o].n; i++) told[batches[o].results[i] & 7]++;
    }
    if (told[0] || told[FAILED] || told[REFUSED] || told[SUPERSEDED]) return wrong("a result", told[0]);
    if (counters[9]) return wrong("no table", counters[9]);
    if (count_of(FAILED) || count_of(REFUSED)) return wrong("failed", count_of(FAILED));
    if (count_of(ERASED) != told[ERASED]) return wrong("erased", told[ERASED]);
    if (count_of(INSERTED) - count_of(ERASED) != live) return wrong("live", live);
    if (count_of(INSERTED) + count_of(EXISTED) !=
        (STEADY + 2 * (COUNTED - STEADY) + 2 * (KEYS - COUNTED)) * REPEATS)
        return wrong("inserted or existed", count_of(INSERTED));
    return 0;
}

int main(void)
{
    int round, bad = 0;
    size_t live = 0;
    for (round = 0; round < ROUNDS && !bad; round++) {
        race();
        bad = check_slots(&live);
        if (!bad) bad = check_found();
        if (!bad) bad = check_counts(live);
    }
    printf("kernel-tsan: hash, %d rounds, %s\n", round, bad ? "wrong" : "right");
    return bad;
}
