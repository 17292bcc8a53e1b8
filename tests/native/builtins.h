/* builtins.h - the OpenCL built-ins that the serial-shape kernels call, under clang's mangled names. */
#include <stdint.h>

static __thread uint32_t group_id;

size_t get_group_id(uint32_t dimension) __asm__("_Z12get_group_idj");
size_t get_group_id(uint32_t dimension) { return dimension ? 0 : group_id; }

size_t get_local_id(uint32_t dimension) __asm__("_Z12get_local_idj");
size_t get_local_id(uint32_t dimension)
{
    (void)dimension;
    return 0;
}

static uint32_t group_count;
size_t get_num_groups(uint32_t dimension) __asm__("_Z14get_num_groupsj");
size_t get_num_groups(uint32_t dimension) { return dimension ? 1 : group_count; }

uint32_t min_uint(uint32_t a, uint32_t b) __asm__("_Z3minjj");
uint32_t min_uint(uint32_t a, uint32_t b) { return a < b ? a : b; }

uint64_t min_ulong(uint64_t a, uint64_t b) __asm__("_Z3minmm");
uint64_t min_ulong(uint64_t a, uint64_t b) { return a < b ? a : b; }

uint64_t max_ulong(uint64_t a, uint64_t b) __asm__("_Z3maxmm");
uint64_t max_ulong(uint64_t a, uint64_t b) { return a > b ? a : b; }

#define DEFINE_PAIR(type, min_name, max_name)                   \
    type least_##type(type a, type b) __asm__(min_name);        \
    type least_##type(type a, type b) { return a < b ? a : b; } \
    type greatest_##type(type a, type b) __asm__(max_name);     \
    type greatest_##type(type a, type b) { return a > b ? a : b; }

DEFINE_PAIR(int32_t, "_Z3minii", "_Z3maxii")
DEFINE_PAIR(int64_t, "_Z3minll", "_Z3maxll")
DEFINE_PAIR(float, "_Z4fminff", "_Z4fmaxff")

uint32_t max_uint(uint32_t a, uint32_t b) __asm__("_Z3maxjj");
uint32_t max_uint(uint32_t a, uint32_t b) { return a > b ? a : b; }

uint32_t clz_uint(uint32_t x) __asm__("_Z3clzj");
uint32_t clz_uint(uint32_t x) { return x ? (uint32_t)__builtin_clz(x) : 32; }
uint64_t clz_ulong(uint64_t x) __asm__("_Z3clzm");
uint64_t clz_ulong(uint64_t x) { return x ? (uint64_t)__builtin_clzll(x) : 64; }

uint32_t popcount_uint(uint32_t x) __asm__("_Z8popcountj");
uint32_t popcount_uint(uint32_t x) { return (uint32_t)__builtin_popcount(x); }
uint64_t popcount_ulong(uint64_t x) __asm__("_Z8popcountm");
uint64_t popcount_ulong(uint64_t x) { return (uint64_t)__builtin_popcountll(x); }

/* Atomics of OpenCL C 1.2 are relaxed. */
#ifndef RELAXED
#define RELAXED __ATOMIC_RELAXED
#endif

uint32_t inc_uint(volatile uint32_t *p) __asm__("_Z10atomic_incPU8CLglobalVj");
uint32_t inc_uint(volatile uint32_t *p) { return __atomic_fetch_add(p, 1, RELAXED); }

uint32_t add_uint(volatile uint32_t *p, uint32_t x) __asm__("_Z10atomic_addPU8CLglobalVjj");
uint32_t add_uint(volatile uint32_t *p, uint32_t x) { return __atomic_fetch_add(p, x, RELAXED); }

uint32_t atomic_max_uint(volatile uint32_t *p, uint32_t x) __asm__("_Z10atomic_maxPU8CLglobalVjj");
uint32_t atomic_max_uint(volatile uint32_t *p, uint32_t x)
{
    uint32_t old = __atomic_load_n(p, RELAXED);
    while (old < x && !__atomic_compare_exchange_n(p, &old, x, 0, RELAXED, RELAXED)) continue;
    return old;
}

#define DEFINE_ATOMICS(type, or_name, xchg_name, cmpxchg_name)                                \
    type or_##type(volatile type *p, type x) __asm__(or_name);                                \
    type or_##type(volatile type *p, type x) { return __atomic_fetch_or(p, x, RELAXED); }     \
    type xchg_##type(volatile type *p, type x) __asm__(xchg_name);                            \
    type xchg_##type(volatile type *p, type x) { return __atomic_exchange_n(p, x, RELAXED); } \
    type cmpxchg_##type(volatile type *p, type old, type x) __asm__(cmpxchg_name);            \
    type cmpxchg_##type(volatile type *p, type old, type x)                                   \
    {                                                                                         \
        __atomic_compare_exchange_n(p, &old, x, 0, RELAXED, RELAXED);                         \
        return old;                                                                           \
    }

DEFINE_ATOMICS(uint32_t, "_Z9atomic_orPU8CLglobalVjj", "_Z11atomic_xchgPU8CLglobalVjj",
               "_Z14atomic_cmpxchgPU8CLglobalVjjj")
DEFINE_ATOMICS(uint64_t, "_Z7atom_orPU8CLglobalVmm", "_Z9atom_xchgPU8CLglobalVmm",
               "_Z12atom_cmpxchgPU8CLglobalVmmm")
