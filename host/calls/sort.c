/* sort.c - gp_host_sort, gp_host_argsort: sort each chunk by the highest digit on the device, then the keys with the
   same highest digit by the bits below.

   A digit has 8 bits. Chunks are sorted by the highest digit, and written to tmp:

       chunk 0     000111133   chunk 1   011112222   chunk 2   000133333

   For each digit in turn, its keys are gathered from all chunks, in the order of chunks, so that the sort is stable,
   and sorted by the bits below. Several digits are sorted together if they fit:

       digits 0 and 1   0001111 01111 0001     digit 2   2222     digit 3   33 33333

   If a digit has more keys than fit, its keys are copied to their range of the output, unsorted. When all other digits
   are done, tmp is free, and the large digit is sorted in the same way by the next 8 bits.

   On PoCL chunks are sorted in the caller's memory, without copies (views: base/chunks.h).

   Several contexts share the chunks, then the digits. They sort digits together only up to the size of a chunk. */
#include "base/chunks.h"
#include "base/error.h"
#include "base/run.h"

#include <string.h>

enum { GPI_HOST_DIGITS = 256, GPI_HOST_KEYS = 0, GPI_HOST_VALUES = 1 };

/* A digit with at least this many keys is sorted alone, because its keys then have 8 bits fewer to sort by. */
enum { GPI_HOST_DIGIT_ALONE = 3 << 18 };

/* Digits that are sorted together. */
typedef struct gpi_host_group {
    size_t first, count; /* the group's keys in the output, counted from the level's first key */
    unsigned begin, end; /* digits */
} gpi_host_group;

/* Arrays of keys and values. */
typedef struct gpi_host_pairs {
    char *part[2]; /* [1] is NULL without values */
} gpi_host_pairs;

typedef struct gpi_host_sort {
    const gp_host_sort_desc *desc;
    size_t key_size, value_size;
    bool argsort;
    void *kept[4];     /* memory that the call has allocated */
    gp_sort_desc sort; /* fields that all sorts share */
    gpi_host_pairs tmp;

    /* the current level: chunks are sorted by the level's digit */
    uint32_t low, high; /* bits [low, high) are the digit */
    size_t *starts;     /* where digits begin in tmp: GPI_HOST_DIGITS + 1 per chunk */
    size_t runs, run;   /* number of chunks; number of keys of each chunk except the last */
    gpi_host_group groups[GPI_HOST_DIGITS];
} gpi_host_sort;

/* ------------------------------------------------------------------ digits */

/* Returns an unsigned number for the key. These numbers compare as the keys do. */
static uint64_t gpi_host_ordered(gp_type type, const char *key)
{
    const size_t size = gpi_host_size_of(type);
    const uint64_t ones = ~(uint64_t)0 >> (64 - 8 * size), sign = ones ^ (ones >> 1);
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t bits = 0;
    if (size == 1) memcpy(&u8, key, 1), bits = u8;
    if (size == 2) memcpy(&u16, key, 2), bits = u16;
    if (size == 4) memcpy(&u32, key, 4), bits = u32;
    if (size == 8) memcpy(&bits, key, 8);
    switch (type) {
    case GP_I8:
    case GP_I16:
    case GP_I32:
    case GP_I64: return bits ^ sign;
    case GP_F16:
    case GP_F32:
    case GP_F64: return bits ^ (bits & sign ? ones : sign);
    default: return bits;
    }
}

static unsigned gpi_host_digit(const gpi_host_sort *s, const char *key)
{
    const unsigned mask = (1u << (s->high - s->low)) - 1;
    const unsigned digit = (unsigned)(gpi_host_ordered(s->desc->key_type, key) >> s->low) & mask;
    return s->desc->descending ? mask - digit : digit;
}

/* Finds where each digit begins in a sorted chunk. */
static void gpi_host_find_digits(const gpi_host_sort *s, const char *keys, size_t count, size_t *starts)
{
    size_t at = 0;
    unsigned digit = 0;
    while (at < count) {
        const unsigned found = gpi_host_digit(s, keys + at * s->key_size);
        size_t low = at, high = count; /* the first key of a higher digit is in (low, high] */
        while (high - low > 1) {
            const size_t middle = low + (high - low) / 2;
            if (gpi_host_digit(s, keys + middle * s->key_size) > found) high = middle;
            else low = middle;
        }
        while (digit <= found) starts[digit++] = at;
        at = high;
    }
    while (digit <= GPI_HOST_DIGITS) starts[digit++] = count;
}

static size_t gpi_host_digit_count(const gpi_host_sort *s, unsigned digit)
{
    size_t count = 0, r;
    for (r = 0; r < s->runs; r++) {
        const size_t *starts = s->starts + r * (GPI_HOST_DIGITS + 1) + digit;
        count += starts[1] - starts[0];
    }
    return count;
}

/* Copies the keys and values of digits [begin, end) from all chunks of tmp, in the order of chunks. */
static void gpi_host_gather(const gpi_host_sort *s, unsigned begin, unsigned end, char *keys, char *values)
{
    size_t r;
    for (r = 0; r < s->runs; r++) {
        const size_t *starts = s->starts + r * (GPI_HOST_DIGITS + 1);
        const size_t from = r * s->run + starts[begin], count = starts[end] - starts[begin];
        memcpy(keys, s->tmp.part[0] + from * s->key_size, count * s->key_size);
        keys += count * s->key_size;
        if (!s->value_size) continue;
        memcpy(values, s->tmp.part[1] + from * s->value_size, count * s->value_size);
        values += count * s->value_size;
    }
}

/* ------------------------------------------------------------------ the device's sorts */

/* Handles a chunk that has no bits to sort by: copies it if the result must be in another buffer. */
static gp_result gpi_host_sort_none(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gp_result result = GP_OK;
    int a;
    for (a = 0; a < 2 && result == GP_OK; a++) {
        const cl_mem from = gpi_host_from(c, chunk, a), to = gpi_host_to(c, chunk, a);
        if (from != to) result = gpi_host_copy(c, from, 0, to, 0, chunk->count * c->arrays[a].size);
    }
    return result;
}

/* Sorts a chunk by bits [begin, end): in the slot's buffer, or from one view to the other. */
static gp_result gpi_host_sort_bits(gpi_host_chunks *c, const gpi_host_chunk *chunk, uint32_t begin,
                                    uint32_t end)
{
    const gpi_host_sort *s = (const gpi_host_sort *)c->call;
    gp_sort_desc desc = s->sort;
    size_t scratch;
    gp_result result;
    if (begin == end) return gpi_host_sort_none(c, chunk);
    desc.keys = gpi_host_from(c, chunk, GPI_HOST_KEYS);
    desc.keys_out = gpi_host_to(c, chunk, GPI_HOST_KEYS);
    desc.values = gpi_host_from(c, chunk, GPI_HOST_VALUES);
    desc.values_out = gpi_host_to(c, chunk, GPI_HOST_VALUES);
    desc.count = chunk->count;
    desc.begin_bit = begin;
    desc.end_bit = end;
    result = gp_sort_scratch_size(c->gp, &desc, &scratch);
    if (result != GP_OK) return result;
    desc.scratch = scratch <= c->scratch_bytes ? c->scratch : NULL;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_sort(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

static gp_result gpi_host_sort_scratch(gpi_host_chunks *c, size_t count, size_t *bytes)
{
    const gpi_host_sort *s = (const gpi_host_sort *)c->call;
    const uint32_t begin = s->desc->begin_bit, all = (uint32_t)(8 * s->key_size);
    const uint32_t end = s->desc->end_bit ? s->desc->end_bit : all, bits = end - begin;
    const uint32_t widths[] = {bits, bits > 1 ? bits - 1 : bits, 9, 8};
    gp_sort_desc desc = s->sort;
    gp_result result = GP_OK;
    size_t part = 0, k;
    *bytes = 0;
    desc.begin_bit = begin;
    desc.count = count;
    /* Chunks and groups are sorted by fewer bits, which may need more scratch: keys may be sorted in passes instead of
       merges, or by a single digit, perhaps a wide one. */
    for (k = 0; k < sizeof widths / sizeof *widths && result == GP_OK; k++) {
        desc.end_bit = bits > widths[k] ? begin + widths[k] : end;
        result = gp_sort_scratch_size(c->gp, &desc, &part);
        if (part > *bytes) *bytes = part;
    }
    return result;
}

/* Sets a chunk's values to the indices of its elements. */
static gp_result gpi_host_sort_number(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gp_iota_desc iota;
    gp_result result;
    memset(&iota, 0, sizeof iota);
    iota.out = c->arrays[GPI_HOST_VALUES].buffers[chunk->slot];
    iota.type = c->arrays[GPI_HOST_VALUES].size == 8 ? GP_U64 : GP_U32;
    if (iota.type == GP_U64) iota.start.u64 = chunk->first;
    else iota.start.u32 = (uint32_t)chunk->first;
    iota.count = chunk->count;
    iota.wait = gpi_host_waits(c);
    iota.wait_count = c->wait_count;
    iota.done = &c->done;
    result = gp_iota(c->gp, &iota);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

/* Sorts a chunk by the level's digit. */
static gp_result gpi_host_sort_chunk(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_sort *s = (gpi_host_sort *)c->call;
    gp_result result = GP_OK;
    if (s->argsort && !c->again) result = gpi_host_sort_number(c, chunk);
    if (result != GP_OK) return result;
    return gpi_host_sort_bits(c, chunk, s->low, s->high);
}

/* ------------------------------------------------------------------ groups */

static gpi_host_chunk gpi_host_group_chunk(const gpi_host_chunks *c, size_t turn)
{
    const gpi_host_group *group = &((const gpi_host_sort *)c->call)->groups[turn];
    gpi_host_chunk chunk;
    chunk.index = turn;
    chunk.first = group->first;
    chunk.count = group->count;
    chunk.slot = (int)(turn % GPI_HOST_SLOTS);
    return chunk;
}

static gp_result gpi_host_group_upload(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_sort *s = (gpi_host_sort *)c->call;
    const gpi_host_group *group = &s->groups[chunk->index];
    void *memory[2] = {NULL, NULL};
    gp_result result = GP_OK;
    int a;
    for (a = 0; a < 2 && result == GP_OK; a++) {
        if (c->arrays[a].size)
            result = gpi_host_map(c, c->arrays[a].buffers[chunk->slot], chunk->count * c->arrays[a].size,
                                  &memory[a]);
    }
    if (result == GP_OK) gpi_host_gather(s, group->begin, group->end, (char *)memory[0], (char *)memory[1]);
    for (a = 0; a < 2; a++) {
        const gp_result unmapped =
            memory[a] ? gpi_host_unmap(c, chunk, c->arrays[a].buffers[chunk->slot], memory[a]) : GP_OK;
        if (result == GP_OK) result = unmapped;
    }
    return result;
}

/* Sorts a group by the highest bit in which its digits differ, and all bits below. */
static gp_result gpi_host_group_sort(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_sort *s = (gpi_host_sort *)c->call;
    const gpi_host_group *group = &s->groups[chunk->index];
    uint32_t end = s->low;
    while ((group->begin ^ (group->end - 1)) >> (end - s->low)) end++;
    return gpi_host_sort_bits(c, chunk, s->desc->begin_bit, end);
}

/* Divides the digits into groups. A group is several consecutive digits with at most `together` keys, or one digit with
   at most `most` keys. Larger digits are in no group. Returns the number of groups. */
static size_t gpi_host_make_groups(gpi_host_sort *s, size_t together, size_t most)
{
    gpi_host_group *group = NULL;
    size_t number = 0, first = 0;
    unsigned digit;
    for (digit = 0; digit < GPI_HOST_DIGITS; digit++) {
        const size_t count = gpi_host_digit_count(s, digit);
        if (count > most) group = NULL;
        if (count && count <= most) {
            if (!group || group->count + count > together || count >= GPI_HOST_DIGIT_ALONE) {
                group = &s->groups[number++];
                group->first = first;
                group->count = 0;
                group->begin = digit;
            }
            group->count += count;
            group->end = digit + 1;
            if (count >= GPI_HOST_DIGIT_ALONE) group = NULL;
        }
        first += count;
    }
    return number;
}

/* ------------------------------------------------------------------ levels */

static gpi_host_pairs gpi_host_pairs_at(const gpi_host_sort *s, gpi_host_pairs pairs, size_t at)
{
    pairs.part[0] += at * s->key_size;
    if (pairs.part[1]) pairs.part[1] += at * s->value_size;
    return pairs;
}

static void gpi_host_sort_arrays(gpi_host_chunks *c, const char *const from[2], char *const to[2])
{
    int a;
    for (a = 0; a < 2; a++) {
        c->arrays[a].in = from[a];
        c->arrays[a].out = to[a];
    }
}

/* Sorts each chunk of `from` by the level's digit into tmp, and finds where the digits begin. */
static gp_result gpi_host_split(gpi_host_chunks *c, const char *const from[2], size_t count)
{
    gpi_host_sort *s = (gpi_host_sort *)c->call;
    gp_result result;
    size_t r;
    c->count = count;
    c->number = s->runs = gpi_host_number(c, c->piece);
    c->depth = GPI_HOST_SLOTS;
    s->run = c->piece;
    c->chunk_of = NULL;
    c->upload = NULL;
    c->compute = gpi_host_sort_chunk;
    gpi_host_sort_arrays(c, from, s->tmp.part);
    result = gpi_host_chunks_run(c);
    for (r = 0; r < s->runs && result == GP_OK; r++) {
        const size_t first = r * s->run, n = count - first < s->run ? count - first : s->run;
        gpi_host_find_digits(s, s->tmp.part[0] + first * s->key_size, n,
                             s->starts + r * (GPI_HOST_DIGITS + 1));
    }
    return result;
}

/* Sorts the groups, from tmp to the output. */
static gp_result gpi_host_join(gpi_host_chunks *c, gpi_host_pairs out)
{
    gpi_host_sort *s = (gpi_host_sort *)c->call;
    static const char *const nowhere[2] = {NULL, NULL};
    size_t g;
    c->number = gpi_host_make_groups(s, c->piece, c->chunk);
    for (c->count = 0, g = 0; g < c->number; g++) c->count += s->groups[g].count;
    /* Mapping a buffer waits for all earlier copies. With a third chunk, these would include copies of a chunk being
       computed. */
    c->depth = 2;
    c->chunk_of = gpi_host_group_chunk;
    c->upload = gpi_host_group_upload;
    c->compute = gpi_host_group_sort;
    gpi_host_sort_arrays(c, nowhere, out.part);
    c->again = false;
    return gpi_host_chunks_run(c);
}

/* Copies the keys of digits that are in no group to their range of `out`, lists these digits in `large`, and returns
   their number. */
static size_t gpi_host_place(gpi_host_chunks *c, gpi_host_pairs out, gpi_host_group large[GPI_HOST_DIGITS])
{
    gpi_host_sort *s = (gpi_host_sort *)c->call;
    size_t number = 0, first = 0;
    unsigned digit;
    for (digit = 0; digit < GPI_HOST_DIGITS; digit++) {
        const size_t count = gpi_host_digit_count(s, digit);
        if (count > c->chunk) {
            const gpi_host_pairs at = gpi_host_pairs_at(s, out, first);
            gpi_host_gather(s, digit, digit + 1, at.part[0], at.part[1]);
            large[number].first = first;
            large[number++].count = count;
        }
        first += count;
    }
    return number;
}

/* Restores the arrays after a level has failed in place. All that was overwritten is in tmp. */
static void gpi_host_restore(gpi_host_chunks *c, gpi_host_pairs out, size_t count)
{
    const gpi_host_sort *s = (const gpi_host_sort *)c->call;
    (void)gpi_host_finish(c, GP_ERROR_CANCELED);
    memcpy(out.part[0], s->tmp.part[0], count * s->key_size);
    if (out.part[1]) memcpy(out.part[1], s->tmp.part[1], count * s->value_size);
}

/* Sorts `from` to `out` by bits [begin_bit, high). */
static gp_result gpi_host_sort_level(gpi_host_chunks *c, const char *const from[2], gpi_host_pairs out,
                                     size_t count, uint32_t high)
{
    gpi_host_sort *s = (gpi_host_sort *)c->call;
    const uint32_t begin = s->desc->begin_bit, low = high - begin > 8 ? high - 8 : begin;
    gpi_host_group large[GPI_HOST_DIGITS];
    size_t number, i;
    gp_result result;
    s->low = low;
    s->high = high;
    result = gpi_host_split(c, from, count);
    if (result != GP_OK) return result;
    result = gpi_host_join(c, out);
    if (result != GP_OK) {
        if (from[0] == out.part[0]) gpi_host_restore(c, out, count);
        return result;
    }
    number = gpi_host_place(c, out, large);
    for (i = 0; i < number && result == GP_OK; i++) {
        const gpi_host_pairs at = gpi_host_pairs_at(s, out, large[i].first);
        const char *const again[2] = {at.part[0], at.part[1]};
        c->again = true;
        result = low > begin ? gpi_host_sort_level(c, again, at, large[i].count, low)
                             : gpi_host_tell(c, large[i].count);
    }
    return result;
}

/* ------------------------------------------------------------------ the call */

static gp_result gpi_host_sort_check(gp_context *gp, const char *function, const gpi_host_sort *s)
{
    const gp_host_sort_desc *desc = s->desc;
    const bool no_keys = s->argsort && !desc->keys_out;
    const struct {
        const char *name;
        const void *array;
        size_t size;
    } arrays[] = {{"keys", desc->keys, s->key_size},         {"keys_out", desc->keys_out, s->key_size},
                  {"values", desc->values, s->value_size},   {"values_out", desc->values_out, s->value_size},
                  {"keys_tmp", desc->keys_tmp, s->key_size}, {"values_tmp", desc->values_tmp, s->value_size}};
    size_t i, k;
    gp_result result = gpi_host_check_array(gp, function, "keys", desc->keys, desc->count, s->key_size);
    if (result == GP_OK && !no_keys)
        result = gpi_host_check_array(gp, function, "keys_out", desc->keys_out, desc->count, s->key_size);
    if (result == GP_OK && s->value_size && !s->argsort)
        result = gpi_host_check_array(gp, function, "values", desc->values, desc->count, s->value_size);
    if (result == GP_OK && s->value_size)
        result =
            gpi_host_check_array(gp, function, "values_out", desc->values_out, desc->count, s->value_size);
    for (i = 0; i < 6 && result == GP_OK; i++) {
        if (arrays[i].array && !arrays[i].size)
            return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: %s is set but value_size is 0", function,
                                 arrays[i].name);
        for (k = 0; k < i; k++) {
            const bool in_place = (i == 1 || i == 3) && k == i - 1 && arrays[i].array == arrays[k].array;
            if (!in_place && gpi_host_overlap(arrays[k].array, desc->count * arrays[k].size, arrays[i].array,
                                              desc->count * arrays[i].size))
                return gpi_host_fail(gp, GP_ERROR_OVERLAP, "%s: %s and %s overlap", function, arrays[k].name,
                                     arrays[i].name);
        }
    }
    if (result == GP_OK && (desc->keys == desc->keys_out) != (desc->values == desc->values_out) &&
        s->value_size && !s->argsort && desc->count)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: keys and values are not both in place",
                             function);
    return result;
}

static gp_result gpi_host_sort_types(gp_context *gp, const char *function, gpi_host_sort *s)
{
    const gp_host_sort_desc *desc = s->desc;
    const size_t v = s->value_size;
    const gp_result result = gpi_host_check_type(gp, function, "key_type", desc->key_type);
    if (result != GP_OK) return result;
    if (s->argsort ? v != 4 && v != 8 : v != 0 && v != 1 && v != 2 && v != 4 && v != 8 && v != 16)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: value_size = %zu is not %s", function, v,
                             s->argsort ? "4 or 8" : "0, 1, 2, 4, 8 or 16");
    if (s->argsort && desc->values)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: values is set", function);
    if (s->argsort && v == 4 && desc->count > 0xffffffffu)
        return gpi_host_fail(gp, GP_ERROR_COUNT_LIMIT,
                             "%s: count = %zu is more than indices of 4 bytes can tell", function,
                             desc->count);
    s->key_size = gpi_host_size_of(desc->key_type);
    if (desc->end_bit > 8 * s->key_size ||
        desc->begin_bit > (desc->end_bit ? desc->end_bit : 8 * s->key_size))
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                             "%s: begin_bit = %u, end_bit = %u: not bits of the key in order", function,
                             (unsigned)desc->begin_bit, (unsigned)desc->end_bit);
    s->sort.key_type = desc->key_type;
    s->sort.value_size = v;
    s->sort.descending = desc->descending;
    return GP_OK;
}

/* Sets *at to `given`, or, if that is NULL, to memory that it allocates. */
static gp_result gpi_host_room(gpi_host_chunks *c, void **kept, void *given, size_t bytes, char **at)
{
    *at = (char *)given;
    if (given || !bytes) return GP_OK;
    *kept = GPI_HOST_MALLOC(bytes);
    *at = (char *)*kept;
    if (*at) return GP_OK;
    return gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu bytes beside the arrays",
                         c->function, bytes);
}

static gp_result gpi_host_sort_run(gpi_host_chunks *c, gpi_host_sort *s)
{
    const gp_host_sort_desc *desc = s->desc;
    const uint32_t high = desc->end_bit ? desc->end_bit : (uint32_t)(8 * s->key_size);
    const char *const from[2] = {(const char *)desc->keys, (const char *)desc->values};
    gpi_host_pairs out;
    gp_result result = gpi_host_chunks_open(c);
    out.part[0] = (char *)desc->keys_out;
    out.part[1] = (char *)desc->values_out;
    if (result != GP_OK) return result;
    if (c->number <= 1) {
        s->low = desc->begin_bit;
        s->high = high;
        c->compute = gpi_host_sort_chunk;
        gpi_host_sort_arrays(c, from, out.part);
        return gpi_host_chunks_run(c);
    }
    c->progress_total = 2 * (uint64_t)desc->count;
    result = gpi_host_room(c, &s->kept[0], desc->keys_tmp, desc->count * s->key_size, &s->tmp.part[0]);
    if (result == GP_OK)
        result =
            gpi_host_room(c, &s->kept[1], desc->values_tmp, desc->count * s->value_size, &s->tmp.part[1]);
    if (result == GP_OK)
        result = gpi_host_room(c, &s->kept[2], desc->keys_out, desc->count * s->key_size, &out.part[0]);
    if (result == GP_OK) {
        const size_t bytes = (GPI_HOST_DIGITS + 1) * sizeof *s->starts; /* per chunk */
        char *starts;
        if (c->number > SIZE_MAX / bytes)
            result = gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu chunks",
                                   c->function, c->number);
        if (result == GP_OK) result = gpi_host_room(c, &s->kept[3], NULL, c->number * bytes, &starts);
        s->starts = (size_t *)s->kept[3];
    }
    return result == GP_OK ? gpi_host_sort_level(c, from, out, desc->count, high) : result;
}

static gp_result gpi_host_sort_call(gp_context *gp, const char *function, const gp_host_sort_desc *desc,
                                    bool argsort)
{
    gpi_host_sort s;
    gpi_host_chunks c;
    size_t k;
    gp_result result = gpi_host_check(gp, function, desc);
    if (result != GP_OK) return result;
    memset(&s, 0, sizeof s);
    s.desc = desc;
    s.argsort = argsort;
    s.value_size = argsort && !desc->value_size ? 4 : desc->value_size;
    gpi_host_chunks_set(&c, gp, function, desc->count, desc->budget, desc->progress, desc->progress_user);
    c.scratch_size = gpi_host_sort_scratch;
    c.large = true;
    c.views = true;
    c.call = &s;
    result = gpi_host_chunks_share(&c, desc->others, desc->other_count, NULL, 0);
    if (result == GP_OK) result = gpi_host_sort_types(gp, function, &s);
    if (result == GP_OK) result = gpi_host_sort_check(gp, function, &s);
    c.arrays[0].size = s.key_size;
    c.arrays[1].size = s.value_size;
    if (result == GP_OK) result = gpi_host_sort_run(&c, &s);
    result = gpi_host_chunks_close(&c, result);
    for (k = 0; k < sizeof s.kept / sizeof *s.kept; k++) GPI_HOST_FREE(s.kept[k]);
    return result;
}

GP_HOST_API gp_result gp_host_sort(gp_context *gp, const gp_host_sort_desc *desc)
{
    return gpi_host_sort_call(gp, "gp_host_sort", desc, false);
}

GP_HOST_API gp_result gp_host_argsort(gp_context *gp, const gp_host_sort_desc *desc)
{
    return gpi_host_sort_call(gp, "gp_host_argsort", desc, true);
}
