/* rank_nibbles.cl - sorts tiles (sort/rank_tile.cl) by their digits, stably, in two rounds of four bits, if groups have no
   sub-groups. A tile of onesweep has 16 barriers, compared with 53 in sort/multisplit.cl with emulated sub-groups
   (docs/gpu-cost.md).

   In a round, items count their entries by the value of four bits. The running sum of the counters, by value and then
   by item, is the rank of each item's next entry of the value. An item's counters of values v and v + 8 are the halves
   of a word:

       item      0        1        2   ...
             | 0, 8 |  0, 8  |  0, 8  ...
             | 1, 9 |  1, 9  |  1, 9  ...
                 ...
             | 7, 15|  7, 15 |  7, 15 ...

   So a single running sum over the words covers both halves. The total of the lower halves is then added to the upper halves.
   (Merrill & Grimshaw 2011.)

   Parameters: those of sort/rank_tile.cl. */
#ifndef GPI_SORT_RANK_NIBBLES_CL
#define GPI_SORT_RANK_NIBBLES_CL
#include "base/platform.cl"
#include "group/exchange.cl"
#include "group/striped.cl"
#include "group/sync.cl"
#include "sort/digit.cl"
#include "sort/rank_tile.cl"

/* The cell of word w: an XOR swizzle against bank conflicts. In the upper half of every 64 words, the two halves of
   each eight words are swapped. Four words stay together, because the scan reads four words at a time. */
#define GPI_NIBBLE_CELL(w) ((w) ^ ((w) >> 3 & 4))
/* GPI_NIBBLE_WORD: item l's word for values v and v + 8. GPI_NIBBLE_HALF: item l's counter of value v, a half of that word. */
#if GPI_WG % 64 == 0
#define GPI_NIBBLE_WORD(nibble, v, l) ((nibble).word + GPI_NIBBLE_CELL(l))[(v)*GPI_WG]
#define GPI_NIBBLE_HALF(nibble, v, l) \
    ((nibble).part + 2 * GPI_NIBBLE_CELL(l))[((v)&7) * 2 * GPI_WG + ((v) >> 3 & 1)]
#else
#define GPI_NIBBLE_WORD(nibble, v, l) (nibble).word[GPI_NIBBLE_CELL((v)*GPI_WG + (l))]
#define GPI_NIBBLE_HALF(nibble, v, l) \
    (nibble).part[2 * GPI_NIBBLE_CELL(((v)&7) * GPI_WG + (l)) + ((v) >> 3 & 1)]
#endif

/* Replaces four words of counters by their exclusive running sum, which begins with `sum`. Returns `sum` plus all four. */
static uint gpi_nibble_sum(__local uint4 *four, uint sum)
{
    const uint4 x = *four;
    uint4 before;
    before.x = sum;
    before.y = before.x + x.x;
    before.z = before.y + x.y;
    before.w = before.z + x.z;
    *four = before;
    return before.w + x.w;
}

/* Replaces all counters by their exclusive running sum. Each item handles eight consecutive words. It reads them again after the
   sum over the group instead of keeping them in registers, which the entries need. */
static void gpi_nibble_scan(gpi_move_shared shared)
{
    const uint first = GPI_NIBBLE_CELL(8 * (uint)get_local_id(0)) / 4;
    __local uint4 *lower = shared->nibble.four + first, *upper = shared->nibble.four + (first ^ 1);
    const uint4 sums = *lower + *upper;
    uint total, sum = sums.x + sums.y + sums.z + sums.w;
    sum = gpi_group_before(sum, &total, shared);
    sum = gpi_nibble_sum(lower, sum + (total << 16));
    (void)gpi_nibble_sum(upper, sum);
    gpi_sync(); /* the running sum is complete */
}

/* Writes the items' entries to shared->order, sorted stably by the four bits from bit `shift` on. */
GPI_INLINE void gpi_order_nibble(const uint *entry, uint shift, gpi_move_shared shared)
{
    const uint l = (uint)get_local_id(0);
    GPI_EACH(v, GPI_TURNS(8)) GPI_NIBBLE_WORD(shared->nibble, v, l) = 0;
    GPI_EACH_OWN(j) GPI_NIBBLE_HALF(shared->nibble, entry[j] >> shift, l)++;
    gpi_sync(); /* all items have counted */
    gpi_nibble_scan(shared);
    GPI_EACH_OWN(j) {
        const uint p = GPI_NIBBLE_HALF(shared->nibble, entry[j] >> shift, l)++;
        shared->order[GPI_PADDED(p)] = entry[j];
    }
    gpi_sync(); /* the new order is written */
}

/* Writes the items' entries to shared->order, sorted stably by their digits. `mask` is the mask of a digit. */
GPI_INLINE void gpi_order_digits(uint *entry, uint mask, gpi_move_shared shared)
{
    const uint l = (uint)get_local_id(0);
    gpi_order_nibble(entry, 16, shared);
    if (mask > 15) {
        GPI_EACH_OWN(j) entry[j] = GPI_RANK_BLOCKED(shared->order, l, j);
        gpi_order_nibble(entry, 20, shared);
    }
}

/* Writes to shared->start where each digit begins in the sorted tile. Digit d begins after the keys with smaller upper four bits,
   and after those with the same upper four bits and a smaller digit. After the second round, the last item's counter of value d /
   16 - 1 is the number of keys with smaller upper four bits. */
static void gpi_tile_starts(gpi_move_shared shared)
{
    GPI_EACH_BIN(d)
    {
        uint start = d < 16 ? 0 : GPI_NIBBLE_HALF(shared->nibble, d / 16 - 1, GPI_WG - 1);
        for (uint k = 0; k < GPI_TURNS(15); k++) start += k < d % 16 ? shared->count[d / 16 * 16 + k] : 0;
        shared->start[d] = start;
    }
}

/* Moves elements [begin, end), tile by tile. The next element of digit d moves to shared->next[d], which is then advanced. */
static void gpi_move_range(gpi_move move, ulong begin, ulong end, gpi_digit digit, uint lines,
                           gpi_move_shared shared)
{
    (void)lines;
    for (ulong base = begin; base < end; base += GPI_TILE) {
        const uint length = (uint)min((ulong)GPI_TILE, end - base);
        uint entry[GPI_PER_ITEM];
        gpi_tile_count(move.key + base, length, digit, entry, shared);
        gpi_order_digits(entry, digit.mask, shared);
        gpi_tile_starts(shared);
        GPI_EACH_BIN(d) shared->next[d] -= shared->start[d];
        gpi_sync(); /* `next` is complete */
        gpi_tile_write(move, base, length, shared);
        gpi_sync(); /* all items have used `next`, and the tile is no longer read */
        GPI_EACH_BIN(d) shared->next[d] += shared->start[d] + shared->count[d];
    }
}
#endif
