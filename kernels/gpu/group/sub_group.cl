/* sub_group.cl - exchanges between the items of a sub-group: S consecutive items of the group, S a power of two.

       gpi_sg_lane(), gpi_sg_index()   this item's number in its sub-group; its sub-group's number in the group
       gpi_sg_true_lane()              this item's number in its sub-group, as the device reports it
       gpi_sg_up(x, d, m)              x of the lane that is d below, or this lane's x if there is none
       gpi_sg_down(x, d, m)            x of the lane that is d above, or this lane's x if there is none
       gpi_sg_from(x, lane, m)         x of any lane
       gpi_sg_ballot(b, m)             the lanes whose b is true
       gpi_sg_match(x, bits, m)        the lanes that have this lane's x, a number of `bits` bits
       gpi_sg_sync()                   makes what the sub-group's lanes wrote to local memory visible to all of them
       gpi_sg_vote(b, m)               returns b; emulated: whether b is true for any item of the group
       gpi_sg_pause()                  sleeps briefly between two polls of a waiting loop

   A set of lanes is a gpi_sg_mask, with a bit for each lane: gpi_sg_count, gpi_sg_count_below, gpi_sg_first, gpi_sg_last.

   All items of a sub-group must call these functions. The emulated form exchanges values through m, between barriers,
   so that all items of the group must call it. So a loop whose number of iterations differs between sub-groups is
   written

       bool more = ...;                          false in sub-groups that have nothing to do
       while (gpi_sg_vote(more, m)) ...          if `more` is false, the iteration changes nothing

   and GPI_SG_ALL is 1 if sub-groups that have nothing to do must run the iterations, too. No lane waits in a loop for
   another lane of its sub-group, and no code relies on lanes running in lockstep.

   Forms
       EMULATED   an exchange through local memory, between barriers; S from 8 to 128
       KHRONOS    cl_khr_subgroup_shuffle and cl_khr_subgroup_ballot
       NVIDIA     PTX; S is 32
       AMD        clang's built-ins for AMDGPU; S is 32 or 64

   A form is used on a device only after gp_sub_group_check has found it correct there (group/sub_group_check.cl).
   (PTX ISA 8.5, 9.7.9; OpenCL extensions, 38 and 40; LLVM, AMDGPUUsage.)

   Parameters
       GPI_SUB_GROUP         S
       GPI_SUB_GROUP_FORM    one of the forms
       GPI_SUB_GROUP_SLEEP   NVIDIA: 1 if there is nanosleep, from compute capability 7.0 on
       GPI_WG                items of the group, a multiple of S                                           */
#ifndef GPI_GROUP_SUB_GROUP_CL
#define GPI_GROUP_SUB_GROUP_CL
#include "base/platform.cl"
#include "group/constants.cl"

#if GPI_SUB_GROUP
#if GPI_SUB_GROUP < GPI_SUB_GROUP_MIN || GPI_SUB_GROUP > GPI_SUB_GROUP_MAX || \
    (GPI_SUB_GROUP & (GPI_SUB_GROUP - 1)) || GPI_WG % GPI_SUB_GROUP
#error "GPI_SUB_GROUP must be a power of two from 8 to 128, and GPI_WG a multiple of it"
#endif

/* The memory through which the emulated form exchanges values. */
typedef struct gpi_sg_memory {
#if GPI_SUB_GROUP_FORM == GPI_SUB_GROUP_EMULATED
    uint word[GPI_WG], any;
#else
    uint none;
#endif
} gpi_sg_memory;
typedef __local gpi_sg_memory *gpi_sg_shared;

static uint gpi_sg_lane(void) { return (uint)get_local_id(0) % GPI_SUB_GROUP; }
static uint gpi_sg_index(void) { return (uint)get_local_id(0) / GPI_SUB_GROUP; }

/* ------------------------------------------------------------------ masks */

/* gpi_sg_count         how many lanes the mask has
   gpi_sg_count_below   how many of these lanes are below this one
   gpi_sg_first         the first lane of the mask; S if the mask is empty
   gpi_sg_last          the last lane of the mask, which must not be empty                                   */
#if GPI_SUB_GROUP <= 64
#if GPI_SUB_GROUP <= 32
typedef uint gpi_sg_mask;
#else
typedef ulong gpi_sg_mask;
#endif
/* Returns the mask in which lane `first` + k has bit k of `bits`. */
static gpi_sg_mask gpi_sg_bits(uint bits, uint first) { return (gpi_sg_mask)bits << first; }
static gpi_sg_mask gpi_sg_below(uint lane) { return gpi_sg_bits(1, lane) - 1; }
static uint gpi_sg_count(gpi_sg_mask mask) { return (uint)popcount(mask); }
static uint gpi_sg_first(gpi_sg_mask mask)
{
    return min((uint)popcount(~mask & (mask - 1)), (uint)GPI_SUB_GROUP);
}
static uint gpi_sg_last(gpi_sg_mask mask) { return (uint)(8 * sizeof mask - 1 - clz(mask)); }
#else
typedef ulong2 gpi_sg_mask;
static gpi_sg_mask gpi_sg_bits(uint bits, uint first)
{
    return first < 64 ? (ulong2)((ulong)bits << first, 0) : (ulong2)(0, (ulong)bits << (first - 64));
}
static gpi_sg_mask gpi_sg_below(uint lane)
{
    return lane < 64 ? (ulong2)((1ul << lane) - 1, 0) : (ulong2)(~0ul, (1ul << (lane - 64)) - 1);
}
static uint gpi_sg_count(gpi_sg_mask mask) { return (uint)(popcount(mask.x) + popcount(mask.y)); }
static uint gpi_sg_first(gpi_sg_mask mask)
{
    const ulong2 lower = ~mask & (mask - 1);
    return (uint)(mask.x ? popcount(lower.x) : 64 + popcount(lower.y));
}
static uint gpi_sg_last(gpi_sg_mask mask) { return (uint)(mask.y ? 127 - clz(mask.y) : 63 - clz(mask.x)); }
#endif

static uint gpi_sg_count_below(gpi_sg_mask mask) { return gpi_sg_count(mask & gpi_sg_below(gpi_sg_lane())); }

/* ------------------------------------------------------------------ forms */

#if GPI_SUB_GROUP_FORM == GPI_SUB_GROUP_EMULATED
#ifdef GPI_FAULT_LOCKSTEP /* for the tests of group/sub_group_check.cl */
#define GPI_SG_ALL 0
#else
#define GPI_SG_ALL 1
#endif
static void gpi_sg_pause(void) {}
static uint gpi_sg_true_lane(void) { return gpi_sg_lane(); }

static uint gpi_sg_from(uint x, uint lane, gpi_sg_shared m)
{
    m->word[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE); /* the words are written */
    const uint y = m->word[gpi_sg_index() * GPI_SUB_GROUP + lane];
    barrier(CLK_LOCAL_MEM_FENCE); /* the words are read: the next exchange may overwrite them */
    return y;
}

/* Returns the lanes whose x is `word`. */
static gpi_sg_mask gpi_sg_alike(uint x, uint word, gpi_sg_shared m)
{
    gpi_sg_mask mask = 0;
    m->word[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE); /* the words are written */
    __local const uint *words = m->word + gpi_sg_index() * GPI_SUB_GROUP;
    for (uint k = 0; k < GPI_TURNS(GPI_SUB_GROUP / 8); k++) {
        const int8 eight = (vload8(k, words) == word) & (int8)(1, 2, 4, 8, 16, 32, 64, 128);
        const int4 four = eight.lo | eight.hi;
        const int2 two = four.lo | four.hi;
        mask |= gpi_sg_bits((uint)(two.x | two.y), 8 * k);
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* the words are read: the next exchange may overwrite them */
    return mask;
}

static gpi_sg_mask gpi_sg_ballot(bool b, gpi_sg_shared m) { return gpi_sg_alike(b, 1, m); }

static gpi_sg_mask gpi_sg_match(uint x, uint bits, gpi_sg_shared m)
{
    (void)bits;
    return gpi_sg_alike(x, x, m);
}

static void gpi_sg_sync(void) { barrier(CLK_LOCAL_MEM_FENCE); }

static bool gpi_sg_vote(bool b, gpi_sg_shared m)
{
    if (get_local_id(0) == 0) m->any = 0;
    barrier(CLK_LOCAL_MEM_FENCE); /* no item has voted yet */
#ifdef GPI_FAULT_LOCKSTEP
    b = b && get_local_id(0) == 0;
#endif
    if (b) (void)atomic_or(&m->any, 1u);
    barrier(CLK_LOCAL_MEM_FENCE); /* all have voted */
    const bool any = m->any != 0;
    barrier(CLK_LOCAL_MEM_FENCE); /* the vote is read: the next one may begin */
    return any;
}

#else
#define GPI_SG_ALL 0
static bool gpi_sg_vote(bool b, gpi_sg_shared m)
{
    (void)m;
    return b;
}

#if GPI_SUB_GROUP_FORM == GPI_SUB_GROUP_KHRONOS
static uint gpi_sg_true_lane(void) { return get_sub_group_local_id(); }
static uint gpi_sg_from(uint x, uint lane, gpi_sg_shared m)
{
    (void)m;
    return sub_group_shuffle(x, lane);
}

static gpi_sg_mask gpi_sg_ballot(bool b, gpi_sg_shared m)
{
    const uint4 lanes = sub_group_ballot(b);
    (void)m;
#if GPI_SUB_GROUP <= 32
    return lanes.x;
#elif GPI_SUB_GROUP == 64
    return as_ulong(lanes.xy);
#else
    return as_ulong2(lanes);
#endif
}

static void gpi_sg_sync(void) { sub_group_barrier(CLK_LOCAL_MEM_FENCE); }

#elif GPI_SUB_GROUP_FORM == GPI_SUB_GROUP_NVIDIA
static uint gpi_sg_true_lane(void)
{
    uint lane;
    __asm__("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* Defines a shuffle. A lane whose source is beyond the bound gets its own word. */
#define GPI_SG_SHUFFLE(name, how, bound)                                            \
    static uint name(uint x, uint lane, gpi_sg_shared m)                            \
    {                                                                               \
        uint y;                                                                     \
        (void)m;                                                                    \
        __asm__ volatile("shfl.sync." how ".b32 %0, %1, %2, " bound ", 0xffffffff;" \
                         : "=r"(y)                                                  \
                         : "r"(x), "r"(lane));                                      \
        return y;                                                                   \
    }
GPI_SG_SHUFFLE(gpi_sg_up, "up", "0")
GPI_SG_SHUFFLE(gpi_sg_down, "down", "31")
GPI_SG_SHUFFLE(gpi_sg_from, "idx", "31")

static gpi_sg_mask gpi_sg_ballot(bool b, gpi_sg_shared m)
{
    const uint x = b;
    uint lanes;
    (void)m;
    __asm__ volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
                     : "=r"(lanes)
                     : "r"(x));
    return lanes;
}

static void gpi_sg_sync(void) { __asm__ volatile("bar.warp.sync 0xffffffff;" : : : "memory"); }

/* Returns the lanes that have this lane's x, by a ballot for each bit. (match.any is one instruction, but its time grows with
   the number of different words. CUB uses ballots on every chip, too: NVIDIA/cccl pull request 1372.) */
static gpi_sg_mask gpi_sg_match(uint x, uint bits, gpi_sg_shared m)
{
    uint lanes = ~0u;
    (void)m;
    GPI_UNROLL
    for (uint k = 0; k < bits; k++)
        __asm__ volatile("{ .reg .pred p; .reg .b32 b; and.b32 b, %1, %2; setp.ne.u32 p, b, 0;"
                         " vote.sync.ballot.b32 b, p, 0xffffffff; @!p not.b32 b, b; and.b32 %0, %0, b; }"
                         : "+r"(lanes)
                         : "r"(x), "r"(1u << k));
    return lanes;
}

#elif GPI_SUB_GROUP_FORM == GPI_SUB_GROUP_AMD
static uint gpi_sg_true_lane(void)
{
    const uint low = __builtin_amdgcn_mbcnt_lo(~0u, 0);
    return GPI_SUB_GROUP == 32 ? low : __builtin_amdgcn_mbcnt_hi(~0u, low);
}

static uint gpi_sg_from(uint x, uint lane, gpi_sg_shared m)
{
    (void)m;
    return (uint)__builtin_amdgcn_ds_bpermute((int)(lane * 4), (int)x);
}

static gpi_sg_mask gpi_sg_ballot(bool b, gpi_sg_shared m)
{
    enum { NOT_EQUAL = 33 }; /* LLVM's number of this predicate */
    (void)m;
    return (gpi_sg_mask)__builtin_amdgcn_uicmp((uint)b, 0u, NOT_EQUAL);
}

static void gpi_sg_sync(void)
{
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
}

#else
#error "GPI_SUB_GROUP_FORM must be one of the forms"
#endif

/* Sleeps for some 300 ns, if the device can, between two polls of a waiting loop. (CUB waits 350 ns and more.) */
static void gpi_sg_pause(void)
{
#if GPI_SUB_GROUP_FORM == GPI_SUB_GROUP_NVIDIA && GPI_SUB_GROUP_SLEEP
    __asm__ volatile("nanosleep.u32 350;");
#elif GPI_SUB_GROUP_FORM == GPI_SUB_GROUP_AMD
    __builtin_amdgcn_s_sleep(10); /* sleeps 640 clocks */
#endif
}

#if GPI_SUB_GROUP_FORM != GPI_SUB_GROUP_NVIDIA
/* Returns the lanes that have this lane's x, by a ballot for each bit. */
static gpi_sg_mask gpi_sg_match(uint x, uint bits, gpi_sg_shared m)
{
    gpi_sg_mask mask = gpi_sg_ballot(true, m);
    for (uint k = 0; k < bits; k++) {
        const bool mine = x >> k & 1;
        const gpi_sg_mask same = gpi_sg_ballot(mine, m);
        mask &= mine ? same : ~same;
    }
    return mask;
}
#endif
#endif

#if GPI_SUB_GROUP_FORM != GPI_SUB_GROUP_NVIDIA
/* gpi_sg_up and gpi_sg_down do not use cl_khr_subgroup_shuffle_relative, because not all devices have it, and it does not define
   what lanes without a neighbour get. */
static uint gpi_sg_up(uint x, uint d, gpi_sg_shared m)
{
    const uint l = gpi_sg_lane();
    return gpi_sg_from(x, l < d ? l : l - d, m);
}

static uint gpi_sg_down(uint x, uint d, gpi_sg_shared m)
{
    const uint l = gpi_sg_lane();
    return gpi_sg_from(x, l + d < GPI_SUB_GROUP ? l + d : l, m);
}
#endif
#endif
#endif
