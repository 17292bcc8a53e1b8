/* exchange.c - exchanges elements between ranks. */
#include "base/buffers.h"
#include "base/error.h"
#include "base/exchange.h"

static size_t gpi_mpi_moves_ints(const gp_mpi *all) { return 8 * (size_t)all->ranks; }
static size_t gpi_mpi_moves_bytes(const gp_mpi *all) { return gpi_mpi_moves_ints(all) * sizeof(int); }

static void gpi_mpi_moves_at(const gp_mpi *all, gpi_mpi_moves *moves, int *memory)
{
    moves->sends = memory;
    moves->sends_at = moves->sends + all->ranks;
    moves->receives = moves->sends_at + all->ranks;
    moves->receives_at = moves->receives + all->ranks;
    moves->side = moves->receives_at + all->ranks;
}

/* Completes moves whose sends are set: informs each rank how many elements it receives, and sets all positions. */
static gp_result gpi_mpi_moves_tell(gp_mpi *all, const char *function, gpi_mpi_moves *moves)
{
    gp_result result =
        gpi_mpi_did(all, function, "MPI_Alltoall",
                    MPI_Alltoall(moves->sends, 1, MPI_INT, moves->receives, 1, MPI_INT, all->comm));
    uint64_t sum = 0;
    int r;
    moves->sent = 0;
    for (r = 0; r < all->ranks && result == GP_OK; r++) {
        moves->sends_at[r] = (int)moves->sent;
        moves->receives_at[r] = (int)sum;
        moves->sent += (size_t)moves->sends[r];
        sum += (uint64_t)moves->receives[r];
        if (sum > INT32_MAX)
            result =
                gpi_mpi_fail(all, GP_ERROR_COUNT_LIMIT, function, "more than 2^31 - 1 elements in a part");
    }
    moves->received = (size_t)sum;
    return gpi_mpi_agree(all, function, result);
}

/* Exchanges elements of `size` bytes. Elements that a rank keeps are copied on the device. Elements for lower ranks are
   before the kept ones, elements for higher ranks after them. Each of these two sides is mapped and exchanged
   separately, and nothing else passes through host memory. */
static gp_result gpi_mpi_exchange(gp_mpi *all, const char *function, const gpi_mpi_moves *moves, cl_mem from,
                                  cl_mem to, size_t to_offset, size_t size)
{
    const int rank = all->rank, kept = moves->sends[rank];
    /* where elements for or from lower ranks end, and where those for or from higher ranks begin */
    const int sent[2] = {moves->sends_at[rank], moves->sends_at[rank] + kept};
    const int received[2] = {moves->receives_at[rank], moves->receives_at[rank] + kept};
    int *const sends = moves->side, *const sends_at = sends + all->ranks;
    int *const receives = sends_at + all->ranks, *const receives_at = receives + all->ranks;
    void *source[2] = {NULL, NULL}, *target[2] = {NULL, NULL};
    MPI_Datatype element = MPI_DATATYPE_NULL;
    gp_result result = gpi_mpi_copy(all, function, from, (size_t)sent[0] * size, to,
                                    (to_offset + (size_t)received[0]) * size, (size_t)kept * size),
              done;
    bool agreed;
    int side, r;
    for (side = 0; side < 2 && result == GP_OK; side++) {
        const size_t first = side ? (size_t)sent[1] : 0, last = side ? moves->sent : (size_t)sent[0];
        const size_t begin = side ? (size_t)received[1] : 0,
                     end = side ? moves->received : (size_t)received[0];
        result =
            gpi_mpi_map(all, function, from, CL_MAP_READ, first * size, (last - first) * size, &source[side]);
        if (result == GP_OK)
            result = gpi_mpi_map(all, function, to, CL_MAP_WRITE_INVALIDATE_REGION,
                                 (to_offset + begin) * size, (end - begin) * size, &target[side]);
    }
    if (result == GP_OK)
        result = gpi_mpi_did(all, function, "MPI_Type_contiguous",
                             MPI_Type_contiguous((int)size, MPI_BYTE, &element));
    if (result == GP_OK) result = gpi_mpi_did(all, function, "MPI_Type_commit", MPI_Type_commit(&element));
    result = gpi_mpi_agree(all, function, result);
    agreed = result == GP_OK;
    for (side = 0; side < 2 && agreed; side++) { /* both, even if the first fails, since other ranks wait */
        for (r = 0; r < all->ranks; r++) {
            const bool to_it = side ? r > rank : r < rank, from_it = side ? r < rank : r > rank;
            sends[r] = to_it ? moves->sends[r] : 0;
            sends_at[r] = to_it ? moves->sends_at[r] - (side ? sent[1] : 0) : 0;
            receives[r] = from_it ? moves->receives[r] : 0;
            receives_at[r] = from_it ? moves->receives_at[r] - (side ? 0 : received[1]) : 0;
        }
        done = gpi_mpi_did(all, function, "MPI_Alltoallv",
                           MPI_Alltoallv(source[side], sends, sends_at, element, target[!side], receives,
                                         receives_at, element, all->comm));
        if (result == GP_OK) result = done;
    }
    if (element != MPI_DATATYPE_NULL) (void)MPI_Type_free(&element);
    for (side = 0; side < 2; side++) {
        done = gpi_mpi_unmap(all, function, from, source[side]);
        if (result == GP_OK) result = done;
        done = gpi_mpi_unmap(all, function, to, target[side]);
        if (result == GP_OK) result = done;
    }
    return gpi_mpi_agree(all, function, result);
}
