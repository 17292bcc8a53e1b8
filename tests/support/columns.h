/* columns.h - makes and compares key columns of tables. */
#ifndef GPUPRIM_TESTS_COLUMNS_H
#define GPUPRIM_TESTS_COLUMNS_H

#include "keys.h"

typedef enum ids {
    IDS_RANDOM,
    IDS_SORTED,
    IDS_REVERSED,
    IDS_ZIPF,
    IDS_LAST, /* all equal but for the last row */
    IDS_COUNT
} ids;

/* A column's type. */
typedef struct test_column {
    gp_type type;    /* numbers */
    size_t size;     /* records */
    gp_type offsets; /* strings */
} test_column;

/* The key columns of a table. */
typedef struct test_columns {
    const test_column *columns;
    size_t column_count, count;
    unsigned char *in[GP_KEY_COLUMNS_MAX], *ends[GP_KEY_COLUMNS_MAX];
    size_t bytes[GP_KEY_COLUMNS_MAX]; /* of strings */
} test_columns;

void *columns_room(size_t bytes);

/* Bytes of a number, of a record, or of a character of a string. */
size_t columns_size(const test_column *c);

/* The number from which row i's key is made: one of about `distinct`. */
uint64_t columns_id(ids ids, size_t distinct, size_t count, size_t i);

/* Makes columns in which rows have equal keys if their ids are equal. */
test_columns columns_make(const test_column *columns, size_t column_count, size_t count, const uint64_t *id);
void columns_free(test_columns *t);

/* The order of row i of table a and row j of table b, which has columns of the same types: 0 if their keys are equal. */
int columns_compare(const test_columns *a, size_t i, const test_columns *b, size_t j);

/* Writes the columns to guarded buffers, with offsets if `offset` is not 0. */
void columns_buffers(gp_context *gp, const test_columns *t, size_t offset, gp_key_column *columns);
void columns_release(const gp_key_column *columns, size_t column_count);

#endif
