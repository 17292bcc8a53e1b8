/* device.cl - group collectives for kernels of your own (gp_device_source, GP_DEVICE_GROUP).

   A work-group has any number G of items, in up to three dimensions. Items are numbered along the first dimension
   first.

       uint gp_group_size()                                    G
       uint gp_group_item()                                    this item's number
     for each of desc.ops, by its name ("sum": gp_group_sum_reduce), for values of its type T:
       T gp_group_NAME_reduce(x, memory)                       x0 . x1 ... xG-1    to every item
       T gp_group_NAME_scan(x, &total, memory)                 x0 . x1 ... xl      to item l
       T gp_group_NAME_scan_exclusive(x, &total, memory)       x0 . x1 ... xl-1    the identity to item 0
     pack: positions for n elements of each item (n may be a bool), in item order
       uint gp_group_pack(n, &total, memory)                   how many elements the items before this one have
       uint gp_group_pack_at(n, counter, memory)               gp_group_pack + the old *counter; adds the total to *counter
     unpack: n pieces of work of each item, distributed evenly over all items
       uint gp_group_unpack(n, memory)                         how many pieces there are
       uint gp_group_owner(piece, &rank, memory)               the item that has `piece`; *rank: which of its pieces it is

   All functions but gp_group_size, gp_group_item and gp_group_owner are collective: they have barriers. So all items of the group
   must call them, equally often, and no item may have returned before. Arguments other than `memory` and `counter` may differ
   from item to item.

   `memory` is __local, and has 2 G elements, of T or, for pack and unpack, of uint. It can be reused after each call. Only
   gp_group_unpack leaves something in it, which gp_group_owner reads. To reuse it after that, your kernel first calls
   barrier(CLK_LOCAL_MEM_FENCE). `total` is __private. The sum of n over the group must be below 2^32.

       const uint at = gp_group_pack(keep, &total, memory);
       if (keep) out[offset + at] = x;      groups in order: `offset` is your own, for example from a gp_scan of the totals

       const uint at = gp_group_pack_at(keep, counter, memory);
       if (keep) out[at] = x;               groups one after the other, in any order

       const uint pieces = gp_group_unpack(n, memory);
       for (uint first = 0; first < pieces; first += gp_group_size()) {
           const uint piece = first + gp_group_item();
           if (piece < pieces) ... gp_group_owner(piece, &rank, memory) ...
       }
       barrier(CLK_LOCAL_MEM_FENCE);                                                                     */
#ifndef GPI_GROUP_DEVICE_CL
#define GPI_GROUP_DEVICE_CL
#include "group/collectives.cl"

static uint gp_group_size(void) { return GPI_GROUP_SIZE; }

static uint gp_group_item(void) { return GPI_GROUP_ITEM; }

static uint gp_group_pack(uint n, uint *total, __local uint *memory)
{
    return gpi_counts_scan_exclusive(n, total, memory);
}

static uint gp_group_pack_at(uint n, volatile __global uint *counter, __local uint *memory)
{
    uint total;
    const uint before = gpi_counts_scan_exclusive(n, &total, memory);
#if GPI_GROUP_ALONE
    return atomic_add(counter, total) + before;
#else
    if (GPI_GROUP_ITEM == 0) memory[0] = atomic_add(counter, total);
    barrier(CLK_LOCAL_MEM_FENCE); /* the group's first position is written */
    const uint base = memory[0];
    barrier(CLK_LOCAL_MEM_FENCE); /* the position is read: the next call may overwrite it */
    return base + before;
#endif
}

/* Returns how many pieces the group has. Sets memory[l] to the number of pieces of items 0 ... l. */
static uint gp_group_unpack(uint n, __local uint *memory)
{
    uint total;
    const uint end = gpi_counts_scan(n, &total, memory);
    memory[GPI_GROUP_ITEM] = end;
#if !GPI_GROUP_ALONE
    barrier(CLK_LOCAL_MEM_FENCE); /* all ends are written, for gp_group_owner */
#endif
    return total;
}

/* Returns the item that has `piece`, or G if there is no such piece. Sets *rank to the number of `piece` among that
   item's pieces. */
static uint gp_group_owner(uint piece, uint *rank, __local const uint *memory)
{
    uint low = 0, high = GPI_GROUP_SIZE;
    while (low < high) {
        const uint middle = (low + high) / 2;
        if (memory[middle] > piece) high = middle;
        else low = middle + 1;
    }
    *rank = low > 0 ? piece - memory[low - 1] : piece;
    return low;
}
#endif
