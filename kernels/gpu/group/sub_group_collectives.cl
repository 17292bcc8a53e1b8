/* sub_group_collectives.cl - implements the functions of group/collectives.cl by shuffles, for groups with sub-groups. Also
   defines shuffles of a T, like those of a word in group/sub_group.cl:

       NAME_up(x, d, memory), NAME_down(x, d, memory)

   A sub-group scans without barriers. Its last lane stores the sub-group's product, and every item combines the
   products of the sub-groups before its own.

         x0       x1  ...  x31           x0     x0.x1      ...  x0...x31    ->  memory[0]
         x32      x33 ...  x63     ->    x32    x32.x33    ...  x32...x63   ->  memory[1]

   A program contains this file once for every operation. Parameters: those of group/collectives.cl, but `memory` has only G elements,
   and
       GPI_GROUP_BITS   BITS, a struct whose member word[] has T's words: BITS_of(x) makes it, BITS_value(bits) returns x.
                        If it is not defined, T is uint or ulong */
#include "base/paste.cl"
#include "base/platform.cl"
#include "group/sub_group.cl"

#define GPI_GROUP_N(name) GPI_PASTE(GPI_GROUP, name)
#ifndef GPI_GROUP_PARAMETER
#define GPI_GROUP_PARAMETER
#define GPI_GROUP_PASSED
#endif

#ifndef GPI_GROUP_SUB_GROUPS
#define GPI_GROUP_SUB_GROUPS (GPI_GROUP_SIZE / GPI_SUB_GROUP)
#endif

#if GPI_SUB_GROUP_FORM == GPI_SUB_GROUP_EMULATED
/* Returns the x of the lane that is `by` above this one; `by` may be negative. */
static GPI_GROUP_T GPI_GROUP_N(_sg_exchange)(GPI_GROUP_T x, int by, __local GPI_GROUP_T *memory)
{
    memory[GPI_GROUP_ITEM] = x;
    barrier(CLK_LOCAL_MEM_FENCE); /* all elements are written */
    const GPI_GROUP_T y = memory[(int)GPI_GROUP_ITEM + by];
    barrier(CLK_LOCAL_MEM_FENCE); /* the elements are read: the next exchange may overwrite them */
    return y;
}

static GPI_GROUP_T GPI_GROUP_N(_up)(GPI_GROUP_T x, uint d, __local GPI_GROUP_T *memory)
{
    return GPI_GROUP_N(_sg_exchange)(x, gpi_sg_lane() < d ? 0 : -(int)d, memory);
}

static GPI_GROUP_T GPI_GROUP_N(_down)(GPI_GROUP_T x, uint d, __local GPI_GROUP_T *memory)
{
    return GPI_GROUP_N(_sg_exchange)(x, gpi_sg_lane() + d < GPI_SUB_GROUP ? (int)d : 0, memory);
}
#elif defined(GPI_GROUP_BITS)
static GPI_GROUP_T GPI_GROUP_N(_sg_exchange)(GPI_GROUP_T x, uint d, const bool up)
{
    GPI_GROUP_BITS bits = GPI_PASTE(GPI_GROUP_BITS, _of)(x);
    GPI_UNROLL
    for (uint k = 0; k < sizeof bits / 4; k++)
        bits.word[k] = up ? gpi_sg_up(bits.word[k], d, 0) : gpi_sg_down(bits.word[k], d, 0);
    return GPI_PASTE(GPI_GROUP_BITS, _value)(bits);
}
#else
/* Returns the x of the lane that is d below if `up`, else of the lane that is d above. x has one or two words. */
static GPI_GROUP_T GPI_GROUP_N(_sg_exchange)(GPI_GROUP_T x, uint d, const bool up)
{
    if (sizeof x == 4) {
        const uint word = (uint)x;
        return (GPI_GROUP_T)(up ? gpi_sg_up(word, d, 0) : gpi_sg_down(word, d, 0));
    }
    const uint low = (uint)x, high = (uint)((ulong)x >> 32);
    return (GPI_GROUP_T)(up ? (ulong)gpi_sg_up(high, d, 0) << 32 | gpi_sg_up(low, d, 0)
                            : (ulong)gpi_sg_down(high, d, 0) << 32 | gpi_sg_down(low, d, 0));
}
#endif

#if GPI_SUB_GROUP_FORM != GPI_SUB_GROUP_EMULATED
static GPI_GROUP_T GPI_GROUP_N(_up)(GPI_GROUP_T x, uint d, __local GPI_GROUP_T *memory)
{
    (void)memory;
    return GPI_GROUP_N(_sg_exchange)(x, d, true);
}

static GPI_GROUP_T GPI_GROUP_N(_down)(GPI_GROUP_T x, uint d, __local GPI_GROUP_T *memory)
{
    (void)memory;
    return GPI_GROUP_N(_sg_exchange)(x, d, false);
}
#endif

static GPI_GROUP_T GPI_GROUP_N(_reduce)(GPI_GROUP_PARAMETER GPI_GROUP_T x, __local GPI_GROUP_T *memory)
{
    GPI_GROUP_T sum = GPI_GROUP_IDENTITY, own = x;
    GPI_UNROLL
    for (uint d = 1; d < GPI_GROUP_TURNS(GPI_SUB_GROUP); d *= 2)
        own = GPI_GROUP_COMBINE(own, GPI_GROUP_N(_down)(own, d, memory)); /* lane 0: product of 2 d lanes */
    if (gpi_sg_lane() == 0) memory[gpi_sg_index()] = own;
    barrier(CLK_LOCAL_MEM_FENCE); /* the sub-groups' products are written */
    for (uint r = 0; r < GPI_GROUP_TURNS(GPI_GROUP_SUB_GROUPS); r++) sum = GPI_GROUP_COMBINE(sum, memory[r]);
    barrier(CLK_LOCAL_MEM_FENCE); /* the products are read: the next call may overwrite them */
    return sum;
}

/* Scans one value per sub-group: `own` of its last lane. Returns the product over the sub-groups before this one, and
   sets *total to the product over all sub-groups. */
static GPI_GROUP_T GPI_GROUP_N(_scan_sub_groups)(GPI_GROUP_PARAMETER GPI_GROUP_T own, GPI_GROUP_T *total,
                                                 __local GPI_GROUP_T *memory)
{
    GPI_GROUP_T sum = GPI_GROUP_IDENTITY, before = GPI_GROUP_IDENTITY;
    if (gpi_sg_lane() == GPI_SUB_GROUP - 1) memory[gpi_sg_index()] = own;
    barrier(CLK_LOCAL_MEM_FENCE); /* the sub-groups' products are written */
    GPI_UNROLL
    for (uint r = 0; r < GPI_GROUP_TURNS(GPI_GROUP_SUB_GROUPS); r++) {
        if (r == gpi_sg_index()) before = sum;
        sum = GPI_GROUP_COMBINE(sum, memory[r]);
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* the products are read: the next call may overwrite them */
    *total = sum;
    return before;
}

static GPI_GROUP_T GPI_GROUP_N(_scan_exclusive)(GPI_GROUP_PARAMETER GPI_GROUP_T x, GPI_GROUP_T *total,
                                                __local GPI_GROUP_T *memory)
{
    const uint l = gpi_sg_lane();
    GPI_GROUP_T own = x;
    GPI_UNROLL
    for (uint d = 1; d < GPI_GROUP_TURNS(GPI_SUB_GROUP); d *= 2) {
        const GPI_GROUP_T y = GPI_GROUP_N(_up)(own, d, memory);
        if (l >= d) own = GPI_GROUP_COMBINE(y, own);
    }
    const GPI_GROUP_T neighbour = GPI_GROUP_N(_up)(own, 1, memory);
    const GPI_GROUP_T before = GPI_GROUP_N(_scan_sub_groups)(GPI_GROUP_PASSED own, total, memory);
    return l > 0 ? GPI_GROUP_COMBINE(before, neighbour) : before;
}

static GPI_GROUP_T GPI_GROUP_N(_scan)(GPI_GROUP_PARAMETER GPI_GROUP_T x, GPI_GROUP_T *total,
                                      __local GPI_GROUP_T *memory)
{
    const GPI_GROUP_T before = GPI_GROUP_N(_scan_exclusive)(GPI_GROUP_PASSED x, total, memory);
    return GPI_GROUP_COMBINE(before, x);
}

#undef GPI_GROUP_N
#undef GPI_GROUP
#undef GPI_GROUP_T
#undef GPI_GROUP_COMBINE
#undef GPI_GROUP_IDENTITY
#undef GPI_GROUP_PARAMETER
#undef GPI_GROUP_PASSED
#undef GPI_GROUP_BITS
