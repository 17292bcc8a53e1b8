/* stress.h - random calls on a few device arrays, each of which has its mirror on the host.

   A call is a function from mirrors to mirrors: what it is to write is computed on the host at once, with the
   sequential references of the other tests, and compared some calls later, when other calls have read it. So
   what one call leaves is what others start from, counts on the device included.

       arrays    | a0 | a1 | ... | numbers | numbers |      bytes, read as elements of any type
       mirrors   | m0 | m1 | ... |                   |
       events      the last call that used each: the next one that does waits for it, on whichever queue

   Two contexts share the arrays: one with a queue in order, one with a queue out of order. */
#ifndef GPUPRIM_TESTS_STRESS_H
#define GPUPRIM_TESTS_STRESS_H

#include "../support/brackets.h"
#include "../support/patterns.h"

enum {
    STRESS_BYTES = 1 << 19, /* of an array */
    STRESS_MOST = 60000,    /* elements of a call */
    STRESS_ARRAYS = 10,
    STRESS_NUMBERS = 2, /* arrays of counts: behind the others */
    STRESS_ROOM = 32,   /* counts in one of them */
    STRESS_KEYS = 5000, /* that may be in the hash table */
    STRESS_ALL = STRESS_ARRAYS + STRESS_NUMBERS,
    STRESS_TABLE = STRESS_ALL, /* the hash table, among what calls wait for */
    STRESS_THINGS = STRESS_ALL + 1
};

typedef struct stress_array {
    cl_mem buffer;
    unsigned char *mirror;
    size_t bytes;
} stress_array;

typedef struct stress {
    gp_context *context[2];
    stress_array array[STRESS_ALL];
    cl_event last[STRESS_THINGS];
    gp_hash table[2]; /* one table: a handle of each context */
    uint32_t *live;   /* its pairs: values by key, ... */
    bool *is_live;

    uint64_t random;
    unsigned long long calls, failed;

    /* the call at hand */
    gp_context *gp;
    int which;              /* context */
    unsigned used, written; /* bits of things */
    cl_event wait[STRESS_THINGS], done;
    const char *name;
} stress;

/* Elements of an array, and what they should be. */
typedef struct piece {
    cl_mem buffer;
    size_t offset;
    unsigned char *mirror; /* of the first one */
} piece;

/* ------------------------------------------------------------------ choices */

uint32_t stress_random(stress *s);
/* In [0, n) */
size_t stress_below(stress *s, size_t n);
bool stress_chance(stress *s, size_t one_in);
/* Elements of a call: often few, sometimes around a tile's end. */
size_t stress_count(stress *s);

/* ------------------------------------------------------------------ pieces of a call */

/* count elements of `size` bytes that the call reads; that it writes, apart from all others. */
piece stress_in(stress *s, size_t count, size_t size);
piece stress_out(stress *s, size_t count, size_t size);
/* The input becomes the output too: its other pieces may not be read any longer. False: something else reads
 * it. */
bool stress_in_place(stress *s, const piece *in);
/* A number of an array of counts that the call writes; `room` in a row. */
piece stress_number(stress *s, size_t room);

/* How many elements a call is about: `most`, or fewer where the number is on the device. */
typedef struct stress_wanted {
    size_t bound, count; /* for the desc; what it comes to */
    cl_mem buffer;
    size_t offset;
    gp_type type;
} stress_wanted;
stress_wanted stress_want(stress *s, size_t most);

/* Fills the piece's array from its mirror, and waits for that. */
void stress_send(stress *s, const piece *p, size_t count, size_t size);
/* The call uses the hash table. */
void stress_use_table(stress *s);

#define STRESS_COUNT(d, wanted)             \
    do {                                    \
        (d).count = (wanted).bound;         \
        (d).count_buffer = (wanted).buffer; \
        (d).count_offset = (wanted).offset; \
        (d).count_type = (wanted).type;     \
    } while (0)

/* Names a piece in a desc: d.in and d.in_offset. */
#define STRESS_PIECE(d, field, p) ((d).field = (p).buffer, (d).field##_offset = (p).offset)

/* ------------------------------------------------------------------ calls */

const cl_event *stress_wait_list(stress *s, cl_uint *count);
void stress_called(stress *s, const char *name, gp_result result);
/* What a call that blocks has returned. */
void stress_expect(stress *s, const char *what, uint64_t got, uint64_t expected);

/* Calls function(gp, [table,] &d) behind all that it has to wait for. */
#define STRESS_CALL(s, function, d)                           \
    do {                                                      \
        (d).wait = stress_wait_list(s, &(d).wait_count);      \
        (d).done = &(s)->done;                                \
        stress_called(s, #function, function((s)->gp, &(d))); \
    } while (0)
#define STRESS_CALL_WITH(s, function, x, d)                      \
    do {                                                         \
        (d).wait = stress_wait_list(s, &(d).wait_count);         \
        (d).done = &(s)->done;                                   \
        stress_called(s, #function, function((s)->gp, x, &(d))); \
    } while (0)

/* The next call, of the same operation: pieces so far are done with. */
void stress_next(stress *s);

/* ------------------------------------------------------------------ what there is to call */

typedef void stress_operation(stress *s);
typedef struct stress_entry {
    const char *name;
    stress_operation *run;
} stress_entry;

extern const stress_entry stress_sums[], stress_keys[], stress_packs[], stress_maps[], stress_nests[],
    stress_hashes[]; /* each ends with a name that is NULL */

/* Sets, gets an element of 4 bytes. */
uint32_t stress_u32(const piece *p, size_t i);
void stress_set_u32(const piece *p, size_t i, uint32_t x);

#endif
