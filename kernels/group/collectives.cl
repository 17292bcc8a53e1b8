/* collectives.cl - what the items of one group make of a value each, by any associative operation (.):

       NAME_reduce(x, memory)                   x0 . x1 ... xG-1        to every item
       NAME_scan(x, &total, memory)             x0 . x1 ... xl          to item l; total: of all items
       NAME_scan_exclusive(x, &total, memory)   x0 . x1 ... xl-1        the identity to item 0

   In item order, for G items, any number. All of them call, or none. `memory` is free on return: each call
   ends with a barrier after its last reading.

       reduce, a tree of neighbours        scan, each step doubles the reach (Hillis & Steele 1986)
         x0  x1  x2  x3  x4                  row 0   x0   x1   x2   x3   x4
         01      23      4                   row 1   x0   01   12   23   34
         03              4                   row 0   x0   01   02   03   14
         04                                  row 1   x0   01   02   03   04

   This file is composed once for every operation. Parameters
       GPI_GROUP                NAME
       GPI_GROUP_T              type of x
       GPI_GROUP_COMBINE(a, b)  a stands before b
       GPI_GROUP_IDENTITY       neutral
       GPI_GROUP_SIZE           G, and
       GPI_GROUP_ITEM           l: these three stay defined
       GPI_GROUP_ALONE          1: G is 1, and memory is not looked at
       memory                   2 G elements; a reduction takes the first G                              */
#include "base/paste.cl"

#define GPI_GROUP_N(name) GPI_PASTE(GPI_GROUP, name)

#if GPI_GROUP_ALONE
static GPI_GROUP_T GPI_GROUP_N(_reduce)(GPI_GROUP_T x, __local GPI_GROUP_T *memory)
{
    (void)memory;
    return x;
}

static GPI_GROUP_T GPI_GROUP_N(_scan)(GPI_GROUP_T x, GPI_GROUP_T *total, __local GPI_GROUP_T *memory)
{
    (void)memory;
    *total = x;
    return x;
}

static GPI_GROUP_T GPI_GROUP_N(_scan_exclusive)(GPI_GROUP_T x, GPI_GROUP_T *total,
                                                __local GPI_GROUP_T *memory)
{
    (void)memory;
    *total = x;
    return GPI_GROUP_IDENTITY;
}

#else
static GPI_GROUP_T GPI_GROUP_N(_reduce)(GPI_GROUP_T x, __local GPI_GROUP_T *memory)
{
    const uint l = GPI_GROUP_ITEM;
    memory[l] = x;
    for (uint d = 1; d < GPI_GROUP_SIZE; d *= 2) {
        const uint i = 2 * d * l;
        barrier(CLK_LOCAL_MEM_FENCE); /* the neighbour's product is written */
        if (i + d < GPI_GROUP_SIZE) memory[i] = GPI_GROUP_COMBINE(memory[i], memory[i + d]);
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* the root is written */
    const GPI_GROUP_T sum = memory[0];
    barrier(CLK_LOCAL_MEM_FENCE); /* the root is read: the next call may overwrite it */
    return sum;
}

/* Leaves every item's product in a row of memory, which it returns, complete. */
static __local GPI_GROUP_T *GPI_GROUP_N(_row)(GPI_GROUP_T x, __local GPI_GROUP_T *memory)
{
    const uint l = GPI_GROUP_ITEM;
    GPI_GROUP_T sum = x; /* Mesa 22.3 writes to the caller's x where a struct is passed */
    uint from = 0;
    memory[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE); /* row 0 is complete */
    for (uint d = 1; d < GPI_GROUP_SIZE; d *= 2) {
        if (l >= d) sum = GPI_GROUP_COMBINE(memory[from + l - d], sum);
        from = GPI_GROUP_SIZE - from;
        memory[from + l] = sum;
        barrier(CLK_LOCAL_MEM_FENCE); /* this step's row is complete; the other one is no longer read */
    }
    return memory + from;
}

static GPI_GROUP_T GPI_GROUP_N(_scan)(GPI_GROUP_T x, GPI_GROUP_T *total, __local GPI_GROUP_T *memory)
{
    __local const GPI_GROUP_T *row = GPI_GROUP_N(_row)(x, memory);
    const GPI_GROUP_T sum = row[GPI_GROUP_ITEM];
    *total = row[GPI_GROUP_SIZE - 1];
    barrier(CLK_LOCAL_MEM_FENCE); /* the row is read: the next call may overwrite it */
    return sum;
}

static GPI_GROUP_T GPI_GROUP_N(_scan_exclusive)(GPI_GROUP_T x, GPI_GROUP_T *total,
                                                __local GPI_GROUP_T *memory)
{
    __local const GPI_GROUP_T *row = GPI_GROUP_N(_row)(x, memory);
    const uint l = GPI_GROUP_ITEM;
    GPI_GROUP_T sum = GPI_GROUP_IDENTITY;
    if (l > 0) sum = row[l - 1];
    *total = row[GPI_GROUP_SIZE - 1];
    barrier(CLK_LOCAL_MEM_FENCE); /* the row is read: the next call may overwrite it */
    return sum;
}
#endif

#undef GPI_GROUP_N
#undef GPI_GROUP
#undef GPI_GROUP_T
#undef GPI_GROUP_COMBINE
#undef GPI_GROUP_IDENTITY
