/* self_test_keys.c - cases of gp_self_test that work on keys. The others are in self_test_cases.c. */
#include "context/self_test.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ order */

static int gpi_self_test_compare_words(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts elements [begin, end) of `order`. Each consists of a key of the first input, xored with `flip`, in its high
   half, and the key's index in its low half, which makes the sort stable. */
static void gpi_self_test_sort(gpi_self_test *t, size_t begin, size_t end, uint32_t flip)
{
    size_t i;
    for (i = begin; i < end; i++) t->order[i] = (uint64_t)(t->in[0][i] ^ flip) << 32 | i;
    qsort(t->order + begin, end - begin, sizeof *t->order, gpi_self_test_compare_words);
}

/* Expects the first `count` sorted keys, and for each key the element of the second input at the key's index. */
static void gpi_self_test_expect_sorted(gpi_self_test *t, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++) {
        gpi_self_test_expect(t, 0, (uint32_t)(t->order[i] >> 32));
        gpi_self_test_expect(t, 1, t->in[1][(uint32_t)t->order[i]]);
    }
}

/* ------------------------------------------------------------------ sort, merge, search */

static gp_sort_desc gpi_self_test_sort_desc(const gpi_self_test *t)
{
    gp_sort_desc d;
    memset(&d, 0, sizeof d);
    d.keys = t->in_buffer[0];
    d.keys_out = t->out_buffer[0];
    d.count = t->count;
    d.key_type = GP_U32;
    d.strategy = t->strategy;
    return d;
}

static gp_result gpi_self_test_sort_keys(gpi_self_test *t)
{
    gp_result result = gpi_self_test_upload(t);
    const gp_sort_desc d = gpi_self_test_sort_desc(t);
    gpi_self_test_sort(t, 0, t->count, 0);
    gpi_self_test_expect_sorted(t, t->count);
    t->expected_count[1] = 0;
    return result == GP_OK ? gp_sort(t->gp, &d) : result;
}

/* Sorts the first `count` pairs. Many keys are equal, and their values must keep their order. */
static gp_result gpi_self_test_sort_first(gpi_self_test *t, size_t count)
{
    gp_result result;
    gp_sort_desc d = gpi_self_test_sort_desc(t);
    gpi_self_test_mask(t, 0xc3000f3fu);
    result = gpi_self_test_upload(t);
    gpi_self_test_sort(t, 0, count, 0);
    gpi_self_test_expect_sorted(t, count);
    d.count = count;
    d.values = t->in_buffer[1];
    d.values_out = t->out_buffer[1];
    d.value_size = 4;
    return result == GP_OK ? gp_sort(t->gp, &d) : result;
}

static gp_result gpi_self_test_sort_pairs(gpi_self_test *t) { return gpi_self_test_sort_first(t, t->count); }

/* Sorts few pairs, which fill only a few tiles on a GPU. */
static gp_result gpi_self_test_sort_few(gpi_self_test *t)
{
    return gpi_self_test_sort_first(t, t->count < 7919 ? t->count : 7919);
}

/* Sorts the keys of each segment on the host, and sets all fields of the desc except its output. */
static gp_result gpi_self_test_sort_segments(gpi_self_test *t, gp_segmented_sort_desc *d)
{
    const size_t segments = gpi_self_test_cut(t);
    size_t s;
    for (s = 0; s < segments; s++) gpi_self_test_sort(t, t->in[1][s], t->in[1][s + 1], 0);
    memset(d, 0, sizeof *d);
    d->keys = t->in_buffer[0];
    d->count = t->count;
    d->offsets = t->in_buffer[1];
    d->offsets_type = GP_U32;
    d->segment_count = segments;
    d->key_type = GP_U32;
    return gpi_self_test_upload(t);
}

static gp_result gpi_self_test_segmented_sort(gpi_self_test *t)
{
    gp_segmented_sort_desc d;
    const gp_result result = gpi_self_test_sort_segments(t, &d);
    size_t i;
    for (i = 0; i < t->count; i++) gpi_self_test_expect(t, 0, (uint32_t)(t->order[i] >> 32));
    d.keys_out = t->out_buffer[0];
    return result == GP_OK ? gp_segmented_sort(t->gp, &d) : result;
}

static gp_result gpi_self_test_segmented_argsort(gpi_self_test *t)
{
    gp_segmented_sort_desc d;
    const gp_result result = gpi_self_test_sort_segments(t, &d);
    size_t i, s;
    for (s = 0; s < d.segment_count; s++) {
        for (i = t->in[1][s]; i < t->in[1][s + 1]; i++)
            gpi_self_test_expect(t, 0, (uint32_t)t->order[i] - t->in[1][s]);
    }
    d.values_out = t->out_buffer[0];
    return result == GP_OK ? gp_segmented_argsort(t->gp, &d) : result;
}

/* A record is a string of up to 12 letters, padded with zeros, followed by the string's index, high byte first. Sorting
   records as bytes sorts the strings stably. */
enum { GPI_SELF_TEST_STRING = 12, GPI_SELF_TEST_RECORD = 16 };

static int gpi_self_test_compare_records(const void *a, const void *b)
{
    return memcmp(a, b, GPI_SELF_TEST_RECORD);
}

static void gpi_self_test_write_string(gpi_self_test *t, uint32_t s, uint32_t length)
{
    unsigned char *record = (unsigned char *)t->order + (size_t)s * GPI_SELF_TEST_RECORD;
    unsigned char *bytes = (unsigned char *)t->in[0] + t->in[1][s];
    uint32_t k;
    memset(record, 0, GPI_SELF_TEST_RECORD);
    for (k = 0; k < length; k++) record[k] = bytes[k] = (unsigned char)('a' + bytes[k] % 2);
    for (k = 0; k < 4; k++) record[GPI_SELF_TEST_STRING + k] = (unsigned char)(s >> (24 - 8 * k));
    t->in[1][s + 1] = t->in[1][s] + length;
}

static gp_result gpi_self_test_sort_strings(gpi_self_test *t)
{
    const uint32_t strings = (uint32_t)t->count / 4;
    const unsigned char *record = (const unsigned char *)t->order;
    gp_result result;
    gp_sort_strings_desc d;
    uint32_t s, k;
    t->in[1][0] = 0;
    for (s = 0; s < strings; s++)
        gpi_self_test_write_string(t, s, t->in[1][s + 1] % (GPI_SELF_TEST_STRING + 1));
    result = gpi_self_test_upload(t);
    qsort(t->order, strings, GPI_SELF_TEST_RECORD, gpi_self_test_compare_records);
    for (s = 0; s < strings; s++, record += GPI_SELF_TEST_RECORD) {
        uint32_t index = 0;
        for (k = 0; k < 4; k++) index = index << 8 | record[GPI_SELF_TEST_STRING + k];
        gpi_self_test_expect(t, 0, index);
    }
    memset(&d, 0, sizeof d);
    d.bytes = t->in_buffer[0];
    d.byte_count = t->in[1][strings];
    d.offsets = t->in_buffer[1];
    d.offsets_type = GP_U32;
    d.out = t->out_buffer[0];
    d.count = strings;
    return result == GP_OK ? gp_sort_strings(t->gp, &d) : result;
}

/* Sorts pairs of words of the first input by the low bits of the first word, descending, then by the low bits of the
   second word. Expects the pairs and their indices. */
static void gpi_self_test_sort_pairs_of_words(gpi_self_test *t, size_t count)
{
    const uint32_t *word = t->in[0];
    size_t i;
    for (i = 0; i < count; i++)
        t->order[i] = (uint64_t)((~word[2 * i] & 0xff) << 16 | (word[2 * i + 1] & 0xffff)) << 32 | i;
    qsort(t->order, count, sizeof *t->order, gpi_self_test_compare_words);
    for (i = 0; i < count; i++) {
        const uint32_t from = (uint32_t)t->order[i];
        gpi_self_test_expect(t, 0, word[2 * from]);
        gpi_self_test_expect(t, 0, word[2 * from + 1]);
        gpi_self_test_expect(t, 1, from);
    }
}

static gp_result gpi_self_test_sort_records(gpi_self_test *t)
{
    static const gp_record pair = {"uint2", 8, NULL};
    static const gp_sort_column columns[2] = {{"x.x & 255", GP_U8, true}, {"x.y & 65535", GP_U16, false}};
    const gp_result result = gpi_self_test_upload(t);
    gp_sort_records_desc d;
    memset(&d, 0, sizeof d);
    d.in = t->in_buffer[0];
    d.out = t->out_buffer[0];
    d.indices_out = t->out_buffer[1];
    d.record = &pair;
    d.columns = columns;
    d.column_count = 2;
    d.count = t->count / 2;
    gpi_self_test_sort_pairs_of_words(t, d.count);
    return result == GP_OK ? gp_sort_records(t->gp, &d) : result;
}

static gp_result gpi_self_test_topk(gpi_self_test *t)
{
    gp_result result;
    gp_topk_desc d;
    size_t i;
    gpi_self_test_mask(t, 0xffff);
    result = gpi_self_test_upload(t);
    gpi_self_test_sort(t, 0, t->count, UINT32_MAX);
    memset(&d, 0, sizeof d);
    d.keys = t->in_buffer[0];
    d.keys_out = t->out_buffer[0];
    d.indices_out = t->out_buffer[1];
    d.count = t->count;
    d.k = t->count / 100;
    d.key_type = GP_U32;
    for (i = 0; i < d.k; i++) {
        gpi_self_test_expect(t, 0, ~(uint32_t)(t->order[i] >> 32));
        gpi_self_test_expect(t, 1, (uint32_t)t->order[i]);
    }
    return result == GP_OK ? gp_topk(t->gp, &d) : result;
}

/* Finds the largest keys of three rows: k keys of the first two rows, and k / 2 keys of the last row. Several groups
   share a row if rows are long. The last elements of the input are in no row. */
static gp_result gpi_self_test_segmented_topk(gpi_self_test *t)
{
    gp_result result;
    gp_segmented_topk_desc d;
    const size_t k = t->count / 100 < 50 ? t->count / 100 : 50;
    const uint32_t ks[3] = {(uint32_t)k, UINT32_MAX, (uint32_t)k / 2};
    size_t s, i;
    gpi_self_test_mask(t, 0xffff);
    memcpy(t->in[1], ks, sizeof ks);
    result = gpi_self_test_upload(t);
    memset(&d, 0, sizeof d);
    d.keys = t->in_buffer[0];
    d.keys_out = t->out_buffer[0];
    d.indices_out = t->out_buffer[1];
    d.ks = t->in_buffer[1];
    d.row_length = t->count / 4;
    d.row_stride = t->count / 3;
    d.segment_count = 3;
    d.k = k;
    d.key_type = GP_U32;
    for (s = 0; s < 3; s++) {
        const size_t begin = s * d.row_stride;
        gpi_self_test_sort(t, begin, begin + d.row_length, UINT32_MAX);
        for (i = begin; i < begin + (ks[s] < k ? ks[s] : k); i++) {
            gpi_self_test_expect(t, 0, ~(uint32_t)(t->order[i] >> 32));
            gpi_self_test_expect(t, 1, (uint32_t)t->order[i] - (uint32_t)begin);
        }
    }
    return result == GP_OK ? gp_segmented_topk(t->gp, &d) : result;
}

/* Finds the smallest key, the largest key, and keys between them, in an input with equal keys. */
static gp_result gpi_self_test_nth_element(gpi_self_test *t)
{
    uint64_t ranks[4];
    gp_result result;
    gp_nth_element_desc d;
    size_t r;
    gpi_self_test_mask(t, 0xffff);
    result = gpi_self_test_upload(t);
    memset(&d, 0, sizeof d);
    d.keys = t->in_buffer[0];
    d.keys_out = t->out_buffer[0];
    d.count = t->count;
    d.ranks = ranks;
    d.rank_count = 4;
    d.key_type = GP_U32;
    ranks[0] = t->count / 2;
    ranks[1] = 0;
    ranks[2] = t->count - 1;
    ranks[3] = t->count / 3;
    gpi_self_test_sort(t, 0, t->count, 0);
    for (r = 0; r < d.rank_count; r++) gpi_self_test_expect(t, 0, (uint32_t)(t->order[ranks[r]] >> 32));
    return result == GP_OK ? gp_nth_element(t->gp, &d) : result;
}

/* Merges the two sorted halves of the first input. Many keys are in both halves. */
static gp_result gpi_self_test_merge(gpi_self_test *t)
{
    const size_t half = t->count / 2;
    gp_result result;
    gp_merge_desc d;
    size_t i;
    gpi_self_test_mask(t, 0xfff);
    gpi_self_test_sort(t, 0, half, 0);
    gpi_self_test_sort(t, half, t->count, 0);
    for (i = 0; i < t->count; i++) t->in[0][i] = (uint32_t)(t->order[i] >> 32);
    result = gpi_self_test_upload(t);
    gpi_self_test_sort(t, 0, t->count, 0);
    gpi_self_test_expect_sorted(t, t->count);
    memset(&d, 0, sizeof d);
    d.a_keys = d.b_keys = t->in_buffer[0];
    d.a_values = d.b_values = t->in_buffer[1];
    d.a_count = d.b_keys_offset = d.b_values_offset = half;
    d.b_count = t->count - half;
    d.keys_out = t->out_buffer[0];
    d.values_out = t->out_buffer[1];
    d.key_type = GP_U32;
    d.value_size = 4;
    return result == GP_OK ? gp_merge(t->gp, &d) : result;
}

static gp_result gpi_self_test_search(gpi_self_test *t)
{
    gp_result result;
    gp_search_desc d;
    size_t i;
    gpi_self_test_sort(t, 0, t->count, 0);
    for (i = 0; i < t->count; i++) t->in[0][i] = (uint32_t)(t->order[i] >> 32);
    for (i = 0; i < t->count; i += 2) t->in[1][i] = t->in[0][t->in[1][i] % t->count];
    result = gpi_self_test_upload(t);
    for (i = 0; i < t->count; i++) {
        size_t low = 0, high = t->count;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (t->in[0][middle] < t->in[1][i]) low = middle + 1;
            else high = middle;
        }
        gpi_self_test_expect(t, 0, (uint32_t)low);
    }
    memset(&d, 0, sizeof d);
    d.keys = t->in_buffer[0];
    d.needles = t->in_buffer[1];
    d.count = d.needle_count = t->count;
    d.out = t->out_buffer[0];
    d.out_type = d.key_type = GP_U32;
    return result == GP_OK ? gp_search(t->gp, &d) : result;
}

/* ------------------------------------------------------------------ histogram, hash table */

static gp_result gpi_self_test_histogram(gpi_self_test *t)
{
    gp_result result;
    gp_histogram_desc d;
    size_t i;
    gpi_self_test_mask(t, 0x3ff);
    result = gpi_self_test_upload(t);
    memset(&d, 0, sizeof d);
    d.in = t->in_buffer[0];
    d.count = t->count;
    d.type = GP_U32;
    d.bins = 100;
    d.upper.u64 = 1000;
    d.out = t->out_buffer[0];
    for (i = 0; i < d.bins; i++) gpi_self_test_expect(t, 0, 0);
    for (i = 0; i < t->count; i++)
        if (t->in[0][i] < 1000) t->expected[0][t->in[0][i] / 10]++;
    return result == GP_OK ? gp_histogram(t->gp, &d) : result;
}

/* Inserts, then retrieves, with gp_finish before each: an out-of-order queue would not keep the calls in order. */
static gp_result gpi_self_test_hash_calls(gpi_self_test *t, gp_hash table)
{
    gp_hash_insert_desc insert;
    gp_hash_retrieve_desc retrieve;
    gp_result result = gp_finish(t->gp);
    memset(&insert, 0, sizeof insert);
    insert.keys = t->in_buffer[0];
    insert.count = t->count;
    insert.op = GP_SUM;
    insert.strategy = t->strategy;
    if (result == GP_OK) result = gp_hash_insert_or_apply(t->gp, table, &insert);
    if (result == GP_OK) result = gp_finish(t->gp);
    memset(&retrieve, 0, sizeof retrieve);
    retrieve.keys = t->out_buffer[0];
    retrieve.values = t->out_buffer[1];
    retrieve.live_count = t->out_buffer[2];
    retrieve.room = t->count;
    retrieve.sort_type = GP_U32;
    return result == GP_OK ? gp_hash_retrieve(t->gp, table, &retrieve) : result;
}

/* Counts the occurrences of each key in a hash table. Many keys occur more than once. */
static gp_result gpi_self_test_hash(gpi_self_test *t)
{
    gp_result result;
    gp_hash_desc d;
    gp_hash table;
    size_t i;
    gpi_self_test_mask(t, 0x81010fffu);
    result = gpi_self_test_upload(t);
    gpi_self_test_sort(t, 0, t->count, 0);
    for (i = 0; i < t->count; i++) {
        if (i == 0 || t->order[i] >> 32 != t->order[i - 1] >> 32) {
            gpi_self_test_expect(t, 0, (uint32_t)(t->order[i] >> 32));
            gpi_self_test_expect(t, 1, 0);
        }
        t->expected[1][t->expected_count[1] - 1]++;
    }
    gpi_self_test_expect_count(t, 2, 0);
    memset(&d, 0, sizeof d);
    d.key_size = d.value_size = 4;
    d.expected_count = t->expected_count[0];
    if (result == GP_OK) result = gp_hash_create(t->gp, &d, &table);
    if (result != GP_OK) return result;
    result = gpi_self_test_hash_calls(t, table);
    (void)gp_hash_destroy(t->gp, table);
    return result;
}
