/* collectives.cl - reductions and scans of one value per item of a group, by any associative operation (.):

       NAME_reduce(x, memory)                   x0 . x1 ... xG-1        to every item
       NAME_scan(x, &total, memory)             x0 . x1 ... xl          to item l; total: x0 . x1 ... xG-1
       NAME_scan_exclusive(x, &total, memory)   x0 . x1 ... xl-1        the identity to item 0

   On GPUs, groups without sub-groups use this file: a reduction has 3 barriers here, compared with 12 in
   group/sub_group_collectives.cl with emulated sub-groups (docs/gpu-cost.md).

   Values are combined in item order, for any number G of items. Each function must be called by all items or by none. `memory`
   is free on return: each call ends with a barrier after its last read.

   Values are stored in rows of 32, with an unused element after each row, so that items that scan different rows access
   different banks. Each row is scanned by one item, without barriers. Then each item combines the last values of the rows
   before its own.

         x0    x1    ...  x31           x0     x0.x1    ...  x0...x31
         x32   x33   ...  x63     ->    x32    x32.x33  ...  x32...x63
         x64   ...                      x64    ...

   A program contains this file once for every operation. Parameters
       GPI_GROUP                NAME
       GPI_GROUP_T              type of x
       GPI_GROUP_COMBINE(a, b)  a . b
       GPI_GROUP_IDENTITY       the neutral element
       GPI_GROUP_PARAMETER, GPI_GROUP_PASSED   a first parameter of these functions that GPI_GROUP_COMBINE needs, and the
                                               argument that passes it on, each followed by a comma; empty if not defined
       GPI_GROUP_SIZE           G
       GPI_GROUP_ITEM           l
       GPI_GROUP_TURNS(n)       n, hidden from compilers that must not unroll (docs/drivers.md)
       GPI_GROUP_ALONE          1: G is 1, and memory is not read. (GPI_GROUP_SIZE to GPI_GROUP_ALONE stay defined.)
       memory                   G + G / 32 elements                                                      */
#include "base/paste.cl"

#define GPI_GROUP_N(name) GPI_PASTE(GPI_GROUP, name)
#ifndef GPI_GROUP_PARAMETER
#define GPI_GROUP_PARAMETER
#define GPI_GROUP_PASSED
#endif

#ifndef GPI_GROUP_ROW
#define GPI_GROUP_ROW 32u
#define GPI_GROUP_ROWS ((GPI_GROUP_SIZE + GPI_GROUP_ROW - 1) / GPI_GROUP_ROW)
#define GPI_GROUP_CELL(l) ((l) + (l) / GPI_GROUP_ROW)
/* The index of row r's last value in `memory`. */
#define GPI_GROUP_END(r) GPI_GROUP_CELL(min((r)*GPI_GROUP_ROW + GPI_GROUP_ROW, (uint)GPI_GROUP_SIZE) - 1)
#endif

#if GPI_GROUP_ALONE
static GPI_GROUP_T GPI_GROUP_N(_reduce)(GPI_GROUP_PARAMETER GPI_GROUP_T x, __local GPI_GROUP_T *memory)
{
    (void)memory;
    return x;
}

static GPI_GROUP_T GPI_GROUP_N(_scan)(GPI_GROUP_PARAMETER GPI_GROUP_T x, GPI_GROUP_T *total,
                                      __local GPI_GROUP_T *memory)
{
    (void)memory;
    *total = x;
    return x;
}

static GPI_GROUP_T GPI_GROUP_N(_scan_exclusive)(GPI_GROUP_PARAMETER GPI_GROUP_T x, GPI_GROUP_T *total,
                                                __local GPI_GROUP_T *memory)
{
    (void)memory;
    *total = x;
    return GPI_GROUP_IDENTITY;
}

#else
/* Stores every item's x, in rows, and replaces each row by its inclusive scan. */
static void GPI_GROUP_N(_rows)(GPI_GROUP_PARAMETER GPI_GROUP_T x, __local GPI_GROUP_T *memory)
{
    const uint l = GPI_GROUP_ITEM, first = l * GPI_GROUP_ROW;
    memory[GPI_GROUP_CELL(l)] = x;
    barrier(CLK_LOCAL_MEM_FENCE); /* the rows are complete */
    if (l < GPI_GROUP_ROWS) {
        __local GPI_GROUP_T *row = memory + GPI_GROUP_CELL(first);
        const uint end = GPI_GROUP_SIZE % GPI_GROUP_ROW ? min(GPI_GROUP_ROW, (uint)GPI_GROUP_SIZE - first)
                                                        : GPI_GROUP_TURNS(GPI_GROUP_ROW);
        for (uint i = 1; i < end; i++) row[i] = GPI_GROUP_COMBINE(row[i - 1], row[i]);
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* the rows are scanned */
}

static GPI_GROUP_T GPI_GROUP_N(_reduce)(GPI_GROUP_PARAMETER GPI_GROUP_T x, __local GPI_GROUP_T *memory)
{
    GPI_GROUP_T sum = GPI_GROUP_IDENTITY;
    GPI_GROUP_N(_rows)(GPI_GROUP_PASSED x, memory);
    for (uint r = 0; r < GPI_GROUP_TURNS(GPI_GROUP_ROWS); r++)
        sum = GPI_GROUP_COMBINE(sum, memory[GPI_GROUP_END(r)]);
    barrier(CLK_LOCAL_MEM_FENCE); /* the rows are read: the next call may overwrite them */
    return sum;
}

static GPI_GROUP_T GPI_GROUP_N(_scan_exclusive)(GPI_GROUP_PARAMETER GPI_GROUP_T x, GPI_GROUP_T *total,
                                                __local GPI_GROUP_T *memory)
{
    const uint l = GPI_GROUP_ITEM;
    GPI_GROUP_T sum = GPI_GROUP_IDENTITY, before = GPI_GROUP_IDENTITY;
    GPI_GROUP_N(_rows)(GPI_GROUP_PASSED x, memory);
    for (uint r = 0; r < GPI_GROUP_TURNS(GPI_GROUP_ROWS); r++) {
        if (r == l / GPI_GROUP_ROW) before = sum;
        sum = GPI_GROUP_COMBINE(sum, memory[GPI_GROUP_END(r)]);
    }
    if (l % GPI_GROUP_ROW > 0) before = GPI_GROUP_COMBINE(before, memory[GPI_GROUP_CELL(l) - 1]);
    barrier(CLK_LOCAL_MEM_FENCE); /* the rows are read: the next call may overwrite them */
    *total = sum;
    return before;
}

static GPI_GROUP_T GPI_GROUP_N(_scan)(GPI_GROUP_PARAMETER GPI_GROUP_T x, GPI_GROUP_T *total,
                                      __local GPI_GROUP_T *memory)
{
    const GPI_GROUP_T before = GPI_GROUP_N(_scan_exclusive)(GPI_GROUP_PASSED x, total, memory);
    return GPI_GROUP_COMBINE(before, x);
}
#endif

#undef GPI_GROUP_N
#undef GPI_GROUP
#undef GPI_GROUP_T
#undef GPI_GROUP_COMBINE
#undef GPI_GROUP_IDENTITY
#undef GPI_GROUP_PARAMETER
#undef GPI_GROUP_PASSED
