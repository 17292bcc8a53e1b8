/* split.c - finds where to cut a sorted array across ranks, digit by digit of its keys. */
#include "base/buffers.h"
#include "base/error.h"
#include "base/exchange.h"
#include "base/split.h"

#include <string.h>

enum { GPI_MPI_DIGIT = 4, GPI_MPI_CANDIDATES = (1 << GPI_MPI_DIGIT) - 1 };

static gp_result gpi_mpi_split_open(gp_mpi *all, const char *function, gpi_mpi_split *s)
{
    const size_t ranks = (size_t)all->ranks, most = ranks * GPI_MPI_CANDIDATES;
    gp_result result;
    s->key_size = gpi_mpi_size_of(s->key_type);
    if (s->count > INT32_MAX)
        return gpi_mpi_fail(all, GP_ERROR_COUNT_LIMIT, function, "more than 2^31 - 1 elements in a part");
    s->memory =
        (uint64_t *)GPI_MPI_MALLOC((2 * ranks + 4 * most) * sizeof(uint64_t) + gpi_mpi_moves_bytes(all));
    if (!s->memory) return gpi_mpi_fail(all, GP_ERROR_OUT_OF_HOST_MEMORY, function, "no memory");
    s->wanted = s->memory;
    s->at = s->wanted + ranks;
    s->below = s->at + ranks;
    s->equal = s->below + most;
    s->mine = s->equal + most;
    s->sum = s->mine + most;
    gpi_mpi_moves_at(all, &s->moves, (int *)(s->sum + most));
    result = gpi_mpi_buffer(all, most * s->key_size, &s->needles);
    return result == GP_OK ? gpi_mpi_buffer(all, most * sizeof(uint64_t), &s->places) : result;
}

static void gpi_mpi_split_close(gpi_mpi_split *s)
{
    if (s->needles) (void)clReleaseMemObject(s->needles);
    if (s->places) (void)clReleaseMemObject(s->places);
    GPI_MPI_FREE(s->memory);
}

/* Returns the key with this number. Keys are numbered from 0 in the sort's order. */
static uint64_t gpi_mpi_key_of(const gpi_mpi_split *s, uint64_t number)
{
    const uint32_t bits = 8 * (uint32_t)s->key_size;
    const uint64_t ones = ~(uint64_t)0 >> (64 - bits), top = (uint64_t)1 << (bits - 1);
    const gp_type type = s->key_type;
    if (s->descending) number = ~number & ones;
    if (type == GP_F16 || type == GP_F32 || type == GP_F64)
        return number & top ? number ^ top : ~number & ones;
    return type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64 ? number ^ top : number;
}

static void gpi_mpi_key_put(void *keys, size_t size, size_t i, uint64_t key)
{
    const uint16_t two = (uint16_t)key;
    const uint32_t four = (uint32_t)key;
    char *at = (char *)keys + i * size;
    if (size == 1) *(unsigned char *)at = (unsigned char)key;
    if (size == 2) memcpy(at, &two, 2);
    if (size == 4) memcpy(at, &four, 4);
    if (size == 8) memcpy(at, &key, 8);
}

/* Sets places[i] to the number of this rank's keys that come before the key with number numbers[i]. With `upper`,
   also counts the keys that equal this key. */
static gp_result gpi_mpi_count(gp_mpi *all, const char *function, const gpi_mpi_split *s,
                               const uint64_t *numbers, size_t count, bool upper, uint64_t *places)
{
    gp_search_desc search;
    void *needles = NULL;
    gp_result result;
    size_t i;
    memset(&search, 0, sizeof search);
    result = gpi_mpi_map(all, function, s->needles, CL_MAP_WRITE_INVALIDATE_REGION, 0, count * s->key_size,
                         &needles);
    for (i = 0; i < count && result == GP_OK; i++)
        gpi_mpi_key_put(needles, s->key_size, i, gpi_mpi_key_of(s, numbers[i]));
    if (result == GP_OK) result = gpi_mpi_unmap(all, function, s->needles, needles);
    if (result != GP_OK) return result;
    search.keys = s->keys;
    search.count = s->count;
    search.needles = s->needles;
    search.needle_count = count;
    search.out = s->places;
    search.key_type = s->key_type;
    search.descending = s->descending;
    search.upper = upper;
    result = gp_search(all->gp, &search);
    if (result == GP_OK) result = gp_finish(all->gp);
    if (result != GP_OK) return result;
    return gpi_mpi_cl(all, function, "clEnqueueReadBuffer",
                      clEnqueueReadBuffer(gp_cl_queue(all->gp), s->places, CL_TRUE, 0, count * sizeof *places,
                                          places, 0, NULL, NULL));
}

/* Finds the split of each rank except the first: the largest key number that has, on all ranks together, at most as
   many keys before it as there are elements before the rank's part. Determines the number digit by digit, starting with
   the highest digit. One more sum shows whether a rank has failed. */
static gp_result gpi_mpi_split_find(gp_mpi *all, const char *function, gpi_mpi_split *s)
{
    const size_t bounds = (size_t)all->ranks - 1, most = bounds * GPI_MPI_CANDIDATES;
    uint32_t shift = 8 * (uint32_t)s->key_size;
    gp_result result = GP_OK, sent;
    size_t b, d;
    for (b = 0; b < bounds; b++) s->at[b] = 0;
    while (shift > 0 && bounds > 0) {
        shift -= GPI_MPI_DIGIT;
        for (b = 0; b < bounds; b++)
            for (d = 0; d < GPI_MPI_CANDIDATES; d++)
                s->mine[b * GPI_MPI_CANDIDATES + d] = s->at[b] + ((uint64_t)(d + 1) << shift);
        result = gpi_mpi_count(all, function, s, s->mine, most, false, s->below);
        s->below[most] = result != GP_OK;
        sent = gpi_mpi_did(all, function, "MPI_Allreduce",
                           MPI_Allreduce(s->below, s->sum, (int)most + 1, MPI_UINT64_T, MPI_SUM, all->comm));
        if (sent != GP_OK) return sent;
        if (s->sum[most] > 0) return gpi_mpi_agree(all, function, result);
        for (b = 0; b < bounds; b++) {
            for (d = 0; d < GPI_MPI_CANDIDATES && s->sum[b * GPI_MPI_CANDIDATES + d] <= s->wanted[b + 1];)
                d++;
            s->at[b] += (uint64_t)d << shift;
        }
    }
    return result;
}

/* Sets how many elements move to each rank. Of the keys equal to a split, the first ones (in the order of ranks) move
   to the ranks before the split. If equal keys must stay together, none of them moves to those ranks. */
static gp_result gpi_mpi_split_cut(gp_mpi *all, const char *function, gpi_mpi_split *s)
{
    const size_t bounds = (size_t)all->ranks - 1;
    uint64_t begin = 0;
    gp_result result = GP_OK;
    size_t b;
    if (bounds > 0) result = gpi_mpi_count(all, function, s, s->at, bounds, false, s->below);
    if (bounds > 0 && result == GP_OK)
        result = gpi_mpi_count(all, function, s, s->at, bounds, true, s->equal);
    result = gpi_mpi_agree(all, function, result);
    if (result != GP_OK) return result;
    for (b = 0; b < bounds; b++) s->equal[b] -= s->below[b];
    result = gpi_mpi_did(all, function, "MPI_Allreduce",
                         MPI_Allreduce(s->below, s->sum, (int)bounds, MPI_UINT64_T, MPI_SUM, all->comm));
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Exscan",
                             MPI_Exscan(s->equal, s->mine, (int)bounds, MPI_UINT64_T, MPI_SUM, all->comm));
    if (result != GP_OK) return result;
    if (all->rank == 0) memset(s->mine, 0, bounds * sizeof *s->mine); /* MPI_Exscan leaves them undefined */
    for (b = 0; b < bounds; b++) {
        const uint64_t before =
            s->wanted[b + 1] - s->sum[b]; /* all ranks' keys equal to the split that move to earlier ranks */
        uint64_t own = before > s->mine[b] ? before - s->mine[b] : 0;
        if (own > s->equal[b]) own = s->equal[b];
        if (s->whole) own = 0;
        s->moves.sends[b] = (int)(s->below[b] + own - begin);
        begin = s->below[b] + own;
    }
    s->moves.sends[bounds] = (int)(s->count - begin);
    return gpi_mpi_moves_tell(all, function, &s->moves);
}

/* Finds the splits and sets s->moves. `first`: where this rank's part has to begin. */
static gp_result gpi_mpi_split_run(gp_mpi *all, const char *function, gpi_mpi_split *s, uint64_t first)
{
    gp_result result =
        gpi_mpi_did(all, function, "MPI_Allgather",
                    MPI_Allgather(&first, 1, MPI_UINT64_T, s->wanted, 1, MPI_UINT64_T, all->comm));
    if (result == GP_OK) result = gpi_mpi_split_find(all, function, s);
    return result == GP_OK ? gpi_mpi_split_cut(all, function, s) : result;
}
