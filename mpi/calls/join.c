/* join.c - gp_mpi_join: looks up keys of all ranks in a table whose keys are divided among the ranks. */
#include "base/arrays.h"
#include "base/buffers.h"
#include "base/call.h"
#include "base/error.h"
#include "base/exchange.h"
#include "calls/group_by.h"
#include "calls/select.h"

#include <string.h>

/* The keys of one side of the join that this rank sends. */
typedef struct gpi_mpi_side {
    cl_mem keys, rows; /* distinct keys, each with the index of its first or last element */
    cl_mem order;      /* numbers of these keys, ordered by the ranks to which they move */
    size_t distinct;
    int *memory;
    gpi_mpi_moves moves;
} gpi_mpi_side;

typedef struct gpi_mpi_join {
    const gp_mpi_join_desc *desc;
    gp_type key_type;
    size_t key_size, value_size;
    gpi_mpi_side build, probe;
    gp_hash table;       /* keys of all ranks' build sides, each with its index in keys and values */
    cl_mem keys, values; /* received keys; received values, and one for absent keys */
    cl_mem sent, rows, asked, answers; /* temporary */
    cl_mem places, found, back, back_found;
} gpi_mpi_join;

/* Creates a table that maps each key to its first or last index. No index equals the reserved value. */
static gp_result gpi_mpi_join_insert(gp_mpi *all, const gpi_mpi_join *j, cl_mem keys, size_t keys_offset,
                                     size_t count, gp_hash *table)
{
    static const uint32_t none = UINT32_MAX;
    gp_hash_desc desc;
    gp_hash_insert_desc insert;
    gp_iota_desc iota;
    cl_mem indices = NULL;
    gp_result result;
    memset(&desc, 0, sizeof desc);
    memset(&insert, 0, sizeof insert);
    memset(&iota, 0, sizeof iota);
    desc.key_size = j->key_size;
    desc.value_size = sizeof none;
    desc.expected_count = count ? count : 1;
    desc.reserved = &none;
    desc.seed = j->desc->seed;
    result = gpi_mpi_done(all, gp_hash_create(all->gp, &desc, table));
    if (result != GP_OK || count == 0) return result;
    result = gpi_mpi_buffer(all, count * sizeof none, &indices);
    iota.out = indices;
    iota.type = GP_U32;
    iota.count = count;
    if (result == GP_OK) result = gpi_mpi_done(all, gp_iota(all->gp, &iota));
    insert.keys = keys;
    insert.keys_offset = keys_offset;
    insert.values = indices;
    insert.count = count;
    insert.op = j->desc->last ? GP_MAX : GP_MIN;
    insert.type = GP_U32;
    if (result == GP_OK) result = gpi_mpi_done(all, gp_hash_insert_or_apply(all->gp, *table, &insert));
    gpi_mpi_free(&indices);
    return result;
}

/* Creates *values, where values[i] is the index of keys[i] in the table, or `absent`. Creates *found, too, as gp_hash_find
   writes it, unless `found` is NULL. */
static gp_result gpi_mpi_join_find(gp_mpi *all, gp_hash table, cl_mem keys, size_t keys_offset, size_t count,
                                   uint32_t absent, cl_mem *values, cl_mem *found)
{
    gp_hash_find_desc find;
    gp_result result = gpi_mpi_buffer(all, count * sizeof absent, values);
    if (result == GP_OK && found) result = gpi_mpi_buffer(all, count, found);
    if (result != GP_OK || count == 0) return result;
    memset(&find, 0, sizeof find);
    find.keys = keys;
    find.keys_offset = keys_offset;
    find.values = *values;
    find.found = found ? *found : NULL;
    find.absent = &absent;
    find.count = count;
    return gpi_mpi_done(all, gp_hash_find(all->gp, table, &find));
}

/* Finds this rank's distinct keys, each with the index of its first or last element. */
static gp_result gpi_mpi_join_distinct(gp_mpi *all, const gpi_mpi_join *j, cl_mem keys, size_t keys_offset,
                                       size_t count, gpi_mpi_side *side)
{
    gp_hash_retrieve_desc retrieve;
    gp_hash table;
    cl_mem live = NULL;
    gp_result result;
    table.id = 0;
    result = gpi_mpi_join_insert(all, j, keys, keys_offset, count, &table);
    if (result == GP_OK) result = gp_hash_size_read(all->gp, table, &side->distinct);
    if (result == GP_OK) result = gpi_mpi_buffer(all, side->distinct * j->key_size, &side->keys);
    if (result == GP_OK) result = gpi_mpi_buffer(all, side->distinct * sizeof(uint32_t), &side->rows);
    if (result == GP_OK) result = gpi_mpi_buffer(all, sizeof(uint32_t), &live);
    if (result == GP_OK && side->distinct > 0) {
        memset(&retrieve, 0, sizeof retrieve);
        retrieve.keys = side->keys;
        retrieve.values = side->rows;
        retrieve.room = side->distinct;
        retrieve.live_count = live;
        result = gpi_mpi_done(all, gp_hash_retrieve(all->gp, table, &retrieve));
    }
    gpi_mpi_free(&live);
    if (table.id) (void)gp_hash_destroy(all->gp, table);
    return result;
}

/* Orders keys by the ranks to which a hash assigns them, and finds where each rank's keys end. This hash differs from a
   table's hash, so that the keys in a rank's table do not have similar hashes. */
static gp_result gpi_mpi_join_order(gp_mpi *all, const char *function, const gpi_mpi_join *j,
                                    gpi_mpi_side *side, cl_mem owners, cl_mem ends_out, uint64_t *ends)
{
#define GPI_MPI_KEY "((ulong)x ^ part_seed)"
#define GPI_MPI_MIXED "((" GPI_MPI_KEY " ^ " GPI_MPI_KEY " >> 32) * 0x9e3779b97f4a7c15UL)"
    static const char owner[] =
        "(((" GPI_MPI_MIXED " ^ " GPI_MPI_MIXED " >> 29) * 0xbf58476d1ce4e5b9UL) >> 32) * part_ranks >> 32";
#undef GPI_MPI_MIXED
#undef GPI_MPI_KEY
    const cl_ulong ranks = (cl_ulong)all->ranks;
    const gp_arg args[] = {gpi_mpi_value("part_ranks", GP_U64, &ranks),
                           gpi_mpi_value("part_seed", GP_U64, &j->desc->seed)};
    gp_transform_desc transform;
    gp_iota_desc iota;
    gp_sort_desc sort;
    gp_search_desc search;
    gp_result result;
    memset(&transform, 0, sizeof transform);
    memset(&iota, 0, sizeof iota);
    memset(&sort, 0, sizeof sort);
    memset(&search, 0, sizeof search);
    transform.in = side->keys;
    transform.type = j->key_type;
    transform.out = sort.keys = search.keys = owners;
    transform.out_type = sort.key_type = search.key_type = iota.type = GP_U32;
    transform.map = owner;
    transform.args = args;
    transform.arg_count = 2;
    transform.count = iota.count = sort.count = search.count = side->distinct;
    iota.out = sort.values = side->order;
    sort.value_size = sizeof(uint32_t);
    sort.end_bit = 1;
    while (sort.end_bit < 31 && ranks - 1 >= (cl_ulong)1 << sort.end_bit) sort.end_bit++;
    search.needle_count = (size_t)ranks;
    search.out = ends_out;
    search.upper = true; /* needle r is rank r */
    result = gpi_mpi_done(all, gp_transform(all->gp, &transform));
    if (result == GP_OK) result = gpi_mpi_done(all, gp_iota(all->gp, &iota));
    if (result == GP_OK) result = gpi_mpi_done(all, gp_sort(all->gp, &sort));
    if (result == GP_OK) result = gpi_mpi_done(all, gp_search(all->gp, &search));
    if (result != GP_OK) return result;
    return gpi_mpi_read(all, function, ends_out, 0, (size_t)ranks * sizeof *ends, ends);
}

/* Creates *sent with the keys that this rank sends, sends them, and creates *come with the keys that it receives. */
static gp_result gpi_mpi_join_send(gp_mpi *all, const char *function, const gpi_mpi_join *j,
                                   gpi_mpi_side *side, cl_mem *sent, cl_mem *come)
{
    const size_t ranks = (size_t)all->ranks, count = side->distinct;
    cl_mem owners = NULL, ends_out = NULL;
    uint64_t *ends = (uint64_t *)GPI_MPI_MALLOC(ranks * sizeof *ends);
    gp_result result = GP_OK;
    size_t r;
    side->memory = (int *)GPI_MPI_MALLOC(gpi_mpi_moves_bytes(all));
    if (!ends || !side->memory)
        result = gpi_mpi_fail(all, GP_ERROR_OUT_OF_HOST_MEMORY, function, "no memory");
    else memset(ends, 0, ranks * sizeof *ends);
    if (result == GP_OK) result = gpi_mpi_buffer(all, count * sizeof(uint32_t), &owners);
    if (result == GP_OK) result = gpi_mpi_buffer(all, count * sizeof(uint32_t), &side->order);
    if (result == GP_OK) result = gpi_mpi_buffer(all, ranks * sizeof *ends, &ends_out);
    if (result == GP_OK && count > 0)
        result = gpi_mpi_join_order(all, function, j, side, owners, ends_out, ends);
    if (result == GP_OK)
        result = gpi_mpi_gathered(all, side->keys, 0, count, j->key_size, side->order, GP_U32, count, sent);
    gpi_mpi_free(&owners);
    gpi_mpi_free(&ends_out);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) {
        gpi_mpi_moves_at(all, &side->moves, side->memory);
        for (r = 0; r < ranks; r++) side->moves.sends[r] = (int)(ends[r] - (r ? ends[r - 1] : 0));
        result = gpi_mpi_moves_tell(all, function, &side->moves);
    }
    GPI_MPI_FREE(ends);
    if (result != GP_OK) return result;
    return gpi_mpi_exchanged(all, function, &side->moves, *sent, j->key_size, 0, come);
}

/* Creates a buffer with the build side's values at j->rows. Without values, creates a buffer of indices in the whole
   array, in which this rank's first element has index `first`. */
static gp_result gpi_mpi_join_values(gp_mpi *all, const gpi_mpi_join *j, uint64_t first, cl_mem *out)
{
    const gp_mpi_join_desc *desc = j->desc;
    const size_t count = j->build.distinct;
    const gp_arg arg = gpi_mpi_value("part_first", GP_U64, &first);
    gp_transform_desc transform;
    gp_result result;
    if (desc->value_size > 0)
        return gpi_mpi_gathered(all, desc->build_values, desc->build_values_offset, desc->build_count,
                                desc->value_size, j->rows, GP_U32, count, out);
    result = gpi_mpi_buffer(all, count * sizeof first, out);
    if (result != GP_OK || count == 0) return result;
    memset(&transform, 0, sizeof transform);
    transform.in = j->rows;
    transform.type = GP_U32;
    transform.out = *out;
    transform.out_type = GP_U64;
    transform.map = "x + part_first";
    transform.args = &arg;
    transform.arg_count = 1;
    transform.count = count;
    return gpi_mpi_done(all, gp_transform(all->gp, &transform));
}

/* Sends the build side's keys and values to the ranks that own them, and puts the received keys into a table. */
static gp_result gpi_mpi_join_build(gp_mpi *all, const char *function, gpi_mpi_join *j)
{
    const gp_mpi_join_desc *desc = j->desc;
    unsigned char absent[16];
    gp_mpi_part place;
    cl_mem values = NULL;
    gp_result result = gpi_mpi_place(all, function, desc->build_count, &place);
    memset(absent, 0xff, sizeof absent);
    if (desc->absent) memcpy(absent, desc->absent, j->value_size);
    if (result == GP_OK)
        result = gpi_mpi_join_distinct(all, j, desc->build_keys, desc->build_keys_offset, desc->build_count,
                                       &j->build);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_join_send(all, function, j, &j->build, &j->sent, &j->keys);
    if (result == GP_OK)
        result = gpi_mpi_gathered(all, j->build.rows, 0, j->build.distinct, sizeof(uint32_t), j->build.order,
                                  GP_U32, j->build.distinct, &j->rows);
    if (result == GP_OK) result = gpi_mpi_join_values(all, j, place.first, &values);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK)
        result = gpi_mpi_exchanged(all, function, &j->build.moves, values, j->value_size, 1, &j->values);
    if (result == GP_OK)
        result = gpi_mpi_cl(all, function, "clEnqueueWriteBuffer",
                            clEnqueueWriteBuffer(gp_cl_queue(all->gp), j->values, CL_TRUE,
                                                 j->build.moves.received * j->value_size, j->value_size,
                                                 absent, 0, NULL, NULL));
    if (result == GP_OK) result = gpi_mpi_join_insert(all, j, j->keys, 0, j->build.moves.received, &j->table);
    gpi_mpi_free(&values);
    gpi_mpi_free(&j->keys);
    gpi_mpi_free(&j->sent);
    gpi_mpi_free(&j->rows);
    return gpi_mpi_agree(all, function, result);
}

/* Finds, for each key of the probe side, the index of its answer. */
static gp_result gpi_mpi_join_ask(gp_mpi *all, const char *function, gpi_mpi_join *j)
{
    const gp_mpi_join_desc *desc = j->desc;
    const size_t distinct = j->probe.distinct;
    gp_hash table;
    gp_result result;
    table.id = 0;
    result = gpi_mpi_join_insert(all, j, j->sent, 0, distinct, &table);
    if (result == GP_OK)
        result =
            gpi_mpi_join_find(all, table, desc->keys, desc->keys_offset, desc->count, 0, &j->places, NULL);
    if (table.id) (void)gp_hash_destroy(all->gp, table);
    return gpi_mpi_agree(all, function, result);
}

static gp_result gpi_mpi_join_rows(gp_mpi *all, const gpi_mpi_join *j, cl_mem answers, size_t size,
                                   cl_mem out, size_t out_offset)
{
    gp_gather_desc gather;
    if (!out || j->desc->count == 0) return GP_OK;
    memset(&gather, 0, sizeof gather);
    gather.in = answers;
    gather.out = out;
    gather.out_offset = out_offset;
    gather.indices = j->places;
    gather.element_size = size;
    gather.limit = j->probe.distinct;
    gather.count = j->desc->count;
    return gpi_mpi_done(all, gp_gather(all->gp, &gather));
}

static gp_result gpi_mpi_join_probe(gp_mpi *all, const char *function, gpi_mpi_join *j)
{
    const gp_mpi_join_desc *desc = j->desc;
    const size_t received = j->build.moves.received;
    gpi_mpi_moves back;
    gp_result result = gpi_mpi_join_distinct(all, j, desc->keys, desc->keys_offset, desc->count, &j->probe);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK) result = gpi_mpi_join_send(all, function, j, &j->probe, &j->sent, &j->asked);
    if (result == GP_OK) result = gpi_mpi_join_ask(all, function, j);
    if (result != GP_OK) return result;
    back = gpi_mpi_moves_back(&j->probe.moves);
    result =
        gpi_mpi_join_find(all, j->table, j->asked, 0, back.sent, (uint32_t)received, &j->rows, &j->found);
    if (result == GP_OK)
        result = gpi_mpi_gathered(all, j->values, 0, received + 1, j->value_size, j->rows, GP_U32, back.sent,
                                  &j->answers);
    result = gpi_mpi_agree(all, function, result);
    if (result == GP_OK)
        result = gpi_mpi_exchanged(all, function, &back, j->answers, j->value_size, 0, &j->back);
    if (result == GP_OK) result = gpi_mpi_exchanged(all, function, &back, j->found, 1, 0, &j->back_found);
    if (result == GP_OK)
        result = gpi_mpi_join_rows(all, j, j->back, j->value_size, desc->out, desc->out_offset);
    return result == GP_OK ? gpi_mpi_join_rows(all, j, j->back_found, 1, desc->found, desc->found_offset)
                           : result;
}

/* Fails if `out` and `found` overlap. No other check finds this, because different calls write them. */
static gp_result gpi_mpi_join_apart(gp_mpi *all, const char *function, const gpi_mpi_join *j)
{
    const gp_mpi_join_desc *desc = j->desc;
    gpi_mpi_bytes out, found;
    cl_int error;
    gp_result result;
    if (!desc->out || !desc->found) return GP_OK;
    error = gpi_mpi_bytes_of(desc->out, desc->out_offset, desc->count, j->value_size, &out);
    if (error == CL_SUCCESS)
        error = gpi_mpi_bytes_of(desc->found, desc->found_offset, desc->count, 1, &found);
    result = gpi_mpi_cl(all, function, "clGetMemObjectInfo", error);
    if (result != GP_OK || !gpi_mpi_overlap(&out, &found)) return result;
    return gpi_mpi_fail(all, GP_ERROR_OVERLAP, function, "out and found overlap");
}

static gp_result gpi_mpi_join_check(gp_mpi *all, const char *function, gpi_mpi_join *j)
{
    const gp_mpi_join_desc *desc = j->desc;
    const size_t most = (size_t)1 << 30;
    gp_result result = GP_OK;
    j->key_size = desc->key_size;
    j->key_type = desc->key_size == 8 ? GP_U64 : GP_U32;
    j->value_size = desc->value_size ? desc->value_size : sizeof(uint64_t);
    if (desc->key_size != 4 && desc->key_size != 8)
        return gpi_mpi_fail(all, GP_ERROR_INVALID_ARGUMENT, function, "key_size is not 4 or 8");
    if (!gpi_mpi_moves_alone(j->value_size))
        return gpi_mpi_fail(all, GP_ERROR_INVALID_ARGUMENT, function,
                            "value_size is not 0, 1, 2, 4, 8 or 16");
    if (desc->value_size == 0 && desc->build_values)
        return gpi_mpi_fail(all, GP_ERROR_INVALID_ARGUMENT, function,
                            "build_values is set, but value_size is 0");
    if (desc->count > most || desc->build_count > most)
        return gpi_mpi_fail(all, GP_ERROR_COUNT_LIMIT, function, "more than 2^30 elements in a part");
    if (desc->count > 0 && !desc->out && !desc->found)
        return gpi_mpi_fail(all, GP_ERROR_INVALID_ARGUMENT, function, "out and found are NULL");
    result = gpi_mpi_room(all, function, "build_keys", desc->build_keys, desc->build_keys_offset,
                          desc->build_count, j->key_size);
    if (result == GP_OK && desc->value_size)
        result = gpi_mpi_room(all, function, "build_values", desc->build_values, desc->build_values_offset,
                              desc->build_count, j->value_size);
    if (result == GP_OK)
        result = gpi_mpi_room(all, function, "keys", desc->keys, desc->keys_offset, desc->count, j->key_size);
    if (result == GP_OK && desc->out)
        result = gpi_mpi_room(all, function, "out", desc->out, desc->out_offset, desc->count, j->value_size);
    if (result == GP_OK && desc->found)
        result = gpi_mpi_room(all, function, "found", desc->found, desc->found_offset, desc->count, 1);
    return result == GP_OK ? gpi_mpi_join_apart(all, function, j) : result;
}

static void gpi_mpi_side_free(gpi_mpi_side *side)
{
    gpi_mpi_free(&side->keys);
    gpi_mpi_free(&side->rows);
    gpi_mpi_free(&side->order);
    GPI_MPI_FREE(side->memory);
}

static void gpi_mpi_join_free(gp_mpi *all, gpi_mpi_join *j)
{
    gpi_mpi_side_free(&j->build);
    gpi_mpi_side_free(&j->probe);
    gpi_mpi_free(&j->keys);
    gpi_mpi_free(&j->values);
    gpi_mpi_free(&j->sent);
    gpi_mpi_free(&j->rows);
    gpi_mpi_free(&j->asked);
    gpi_mpi_free(&j->answers);
    gpi_mpi_free(&j->places);
    gpi_mpi_free(&j->found);
    gpi_mpi_free(&j->back);
    gpi_mpi_free(&j->back_found);
    if (j->table.id) (void)gp_hash_destroy(all->gp, j->table);
}

GP_MPI_API gp_result gp_mpi_join(gp_mpi *all, const gp_mpi_join_desc *desc)
{
    static const char function[] = "gp_mpi_join";
    gpi_mpi_terms terms = gpi_mpi_terms_of(function);
    gpi_mpi_join j;
    unsigned char ones[16];
    gp_result result = gpi_mpi_begin(&all, function, desc, "desc");
    if (!all) return result;
    memset(&j, 0, sizeof j);
    memset(ones, 0xff, sizeof ones);
    j.desc = desc;
    if (result == GP_OK) result = gpi_mpi_join_check(all, function, &j);
    if (result == GP_OK) {
        gpi_mpi_term(&terms, "key_size", desc->key_size);
        gpi_mpi_term(&terms, "value_size", desc->value_size);
        gpi_mpi_term(&terms, "last", desc->last);
        gpi_mpi_term(&terms, "seed", desc->seed);
        gpi_mpi_term_bytes(&terms, "absent", desc->absent ? desc->absent : ones, j.value_size);
    }
    result = gpi_mpi_same(all, function, result, &terms);
    if (result == GP_OK) result = gpi_mpi_join_build(all, function, &j);
    if (result == GP_OK) result = gpi_mpi_join_probe(all, function, &j);
    gpi_mpi_join_free(all, &j);
    return gpi_mpi_end(all, gpi_mpi_agree(all, function, result));
}
