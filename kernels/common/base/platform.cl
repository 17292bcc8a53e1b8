/* platform.cl - what differs between vendors and devices, and nothing else.

   Words that groups exchange while they run. Both sides of every access are atomic operations, relaxed,
   because OpenCL C 1.2 has no acquire or release, and several devices have none at all. That suffices:
   each word carries its own validity (scan/lookback.cl). A plain read would be a data race; where a volatile
   one is not: gpi_word_load.

       wide word    ulong   needs cl_khr_int64_base_atomics
       narrow word  uint    OpenCL 1.2 core

   Parameters
       GPI_WIDE             1: wide words, 0: narrow words
       GPI_INT64_EXTENDED   1: cl_khr_int64_extended_atomics, a cheaper atomic read of a wide word
       GPI_FP64             1: double is used
       GPI_SUB_GROUP        work-items of a sub-group (group/sub_group.cl); 0 or undefined: none
       GPI_SUB_GROUP_PINNED 1: the attribute intel_reqd_sub_group_size makes it so
       GPI_WG               work-items of a group                                                     */
#ifndef GPI_BASE_PLATFORM_CL
#define GPI_BASE_PLATFORM_CL
#include "base/declarations.cl"

#if !defined(GPI_WIDE) || !defined(GPI_WG) || !defined(GPI_FP64)
#error "GPI_WIDE, GPI_WG and GPI_FP64 must be defined"
#endif
#if GPI_WG < 1 || (GPI_WG & (GPI_WG - 1))
#error "GPI_WG must be a power of two"
#endif

#if GPI_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#pragma OPENCL FP_CONTRACT OFF

/* Mesa's llvmpipe from version 25.0 on: the host says so, no macro of the compiler's does. Kernels crash there in which a
   function with a loop calls one with a barrier, so everything is inlined. */
#ifdef GPI_LLVMPIPE_25
#define static static __attribute__((always_inline))
#endif

/* llvmpipe, and Mesa's other drivers before 26.1 (GPI_LOSES_WRITES): where a loop of known length is unrolled, members of
   structs lose what was written to them, and on llvmpipe compiling takes long (docs/drivers.md). GPI_TURNS(n) is n, which
   the compiler does not know, for loops on elements and wherever many known turns come together. */
#if defined(GPI_LLVMPIPE_25) || defined(GPI_LOSES_WRITES)
#define GPI_TURNS(n) ((n)*get_work_dim())
#else
#define GPI_TURNS(n) (n)
#endif

/* llvmpipe of any version, too: the same for loops on whole structs. */
#if defined(GPI_LLVMPIPE) || defined(GPI_LOSES_WRITES)
#define GPI_STRUCT_TURNS(n) ((n)*get_work_dim())
#else
#define GPI_STRUCT_TURNS(n) (n)
#endif

/* PoCL or Intel's runtime on a CPU: global memory is the process's, and clang's own built-ins work on it. (PoCL has drivers
   for other devices, too, which are programmed by way of these targets. Of Intel's runtime the host says so.) */
#ifdef GPI_INTEL_CPU
#define GPI_ON_CPU 1
#elif defined(POCL_DEVICE_ADDRESS_BITS) && !defined(__NVPTX__) && !defined(__AMDGCN__) && \
    !defined(__SPIR__) && !defined(__SPIRV__)
#define GPI_ON_CPU 1
#else
#define GPI_ON_CPU 0
#endif

/* A function that takes a vector longer than the CPU's own (16 words without AVX-512) gets a warning, since its caller could
   be compiled for another CPU; and PoCL writes to stderr how many warnings a program got. */
#if GPI_ON_CPU
#pragma clang diagnostic ignored "-Wpsabi"
#endif

/* Before a loop that fills an array of 16 for a vector of it: at once. Otherwise LLVM fills halves, and loading the whole has
   to wait until both have left the CPU's store buffer. Where a loop does not allow it, it stays as it is. */
#if GPI_ON_CPU
#define GPI_AT_ONCE _Pragma("clang loop vectorize_width(16)")
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define GPI_AT_ONCE
#endif

#ifndef GPI_SUB_GROUP
#define GPI_SUB_GROUP 0
#endif
#if GPI_SUB_GROUP && GPI_SUB_GROUP_PINNED
#define GPI_KERNEL \
    __kernel __attribute__((reqd_work_group_size(GPI_WG, 1, 1), intel_reqd_sub_group_size(GPI_SUB_GROUP)))
#else
#define GPI_KERNEL __kernel __attribute__((reqd_work_group_size(GPI_WG, 1, 1)))
#endif

/* 1: volatile accesses are relaxed atomic ones. In PTX they are (PTX ISA, memory consistency model), and LLVM's AMDGPU has
   them pass the caches since its version 12 (AMDGPUUsage, memory model). */
#if defined(cl_nv_pragma_unroll) || (defined(__AMDGCN__) && __clang_major__ >= 12)
#define GPI_VOLATILE_RELAXED 1
#else
#define GPI_VOLATILE_RELAXED 0
#endif

#if GPI_WIDE
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
typedef ulong gpi_word;

#if GPI_INT64_EXTENDED
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
static gpi_word gpi_word_read(volatile __global gpi_word *p) { return atom_or(p, 0ul); }
#else
static gpi_word gpi_word_read(volatile __global gpi_word *p) { return atom_cmpxchg(p, 0ul, 0ul); }
#endif
static gpi_word gpi_word_cas(volatile __global gpi_word *p, gpi_word old, gpi_word w)
{
    return atom_cmpxchg(p, old, w);
}
static gpi_word gpi_word_swap(volatile __global gpi_word *p, gpi_word w) { return atom_xchg(p, w); }
#if !GPI_VOLATILE_RELAXED
static void gpi_word_write(volatile __global gpi_word *p, gpi_word w) { (void)atom_xchg(p, w); }
#endif
static void gpi_word_replace(volatile __global gpi_word *p, gpi_word old, gpi_word w)
{
    (void)atom_cmpxchg(p, old, w);
}
#else
typedef uint gpi_word;

static gpi_word gpi_word_read(volatile __global gpi_word *p) { return atomic_or(p, 0u); }
static gpi_word gpi_word_cas(volatile __global gpi_word *p, gpi_word old, gpi_word w)
{
    return atomic_cmpxchg(p, old, w);
}
static gpi_word gpi_word_swap(volatile __global gpi_word *p, gpi_word w) { return atomic_xchg(p, w); }
#if !GPI_VOLATILE_RELAXED
static void gpi_word_write(volatile __global gpi_word *p, gpi_word w) { (void)atomic_xchg(p, w); }
#endif
static void gpi_word_replace(volatile __global gpi_word *p, gpi_word old, gpi_word w)
{
    (void)atomic_cmpxchg(p, old, w);
}
#endif

/* gpi_word_load and gpi_word_write are a relaxed atomic load and store. They are cheaper than gpi_word_read and an exchange where plain
   volatile accesses are known to be relaxed atomics; on PoCL the load is clang's built-in. A store suffices if the old value is not
   needed. Stores to different words may land in any order, because each word carries its own validity; one item's stores to one
   word are seen in order by all. */
#if GPI_ON_CPU
static gpi_word gpi_word_load(volatile __global gpi_word *p)
{
    return __atomic_load_n((volatile __private gpi_word *)(size_t)p, __ATOMIC_RELAXED);
}
#elif GPI_VOLATILE_RELAXED
static gpi_word gpi_word_load(volatile __global gpi_word *p) { return *p; }
static void gpi_word_write(volatile __global gpi_word *p, gpi_word w) { *p = w; }
#else
static gpi_word gpi_word_load(volatile __global gpi_word *p) { return gpi_word_read(p); }
#endif

/* Plain memory written before GPI_RELEASE and a word's write is there after a load of that word and
   GPI_ACQUIRE, in another group: where such fences are known, clang's on PoCL. Elsewhere they are nothing. (Intel's
   compiler leaves a kernel with clang's scalar, where operations of sub-groups abort: docs/drivers.md.) */
#ifdef GPI_INTEL_CPU
#define GPI_RELEASE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#define GPI_ACQUIRE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#elif GPI_ON_CPU
#define GPI_RELEASE() __atomic_thread_fence(__ATOMIC_RELEASE)
#define GPI_ACQUIRE() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#else
#define GPI_RELEASE() (void)0
#define GPI_ACQUIRE() (void)0
#endif

/* GPI_LINE_WORDS aligned 64-bit words at once, each of them loaded as by gpi_word_load: where the words of a
   vector load are known to be whole. 0: not known. On x86 aligned words are, in vectors too; PTX takes a
   vector as its elements, and memory hands out 32 bytes at once. */
#if GPI_WIDE && GPI_ON_CPU && defined(__x86_64__)
#define GPI_LINE_WORDS 8
typedef ulong8 gpi_line;
static gpi_line gpi_line_load(volatile __global gpi_word *p) { return *(volatile __global ulong8 *)p; }
#elif GPI_WIDE && defined(cl_nv_pragma_unroll)
#define GPI_LINE_WORDS 4
typedef ulong4 gpi_line;
static gpi_line gpi_line_load(volatile __global gpi_word *p)
{
    const ulong2 a = ((volatile __global ulong2 *)p)[0], b = ((volatile __global ulong2 *)p)[1];
    return (ulong4)(a, b);
}
#else
#define GPI_LINE_WORDS 0
#endif

/* Hints that the cache line at p will be read, or written, soon. Only PoCL is known to take them, where
   the built-in prefetch() of OpenCL C does nothing. */
#if GPI_ON_CPU
#define GPI_PREFETCH_READ(p) __builtin_prefetch((const __private void *)(size_t)(p), 0, 3)
#define GPI_PREFETCH_WRITE(p) __builtin_prefetch((const __private void *)(size_t)(p), 1, 2)
#else
#define GPI_PREFETCH_READ(p) (void)(p)
#define GPI_PREFETCH_WRITE(p) (void)(p)
#endif

/* Before another look at what a group waits for: without it, the faster a CPU looks, the sooner its budget of looks is used
   up. (23 ns on a Zen 5.) */
#if GPI_ON_CPU && defined(__x86_64__)
#define GPI_PAUSE() __builtin_ia32_pause()
#elif GPI_ON_CPU && defined(__aarch64__)
#define GPI_PAUSE() __asm__ volatile("isb")
#else
#define GPI_PAUSE() (void)0
#endif

/* What a work-item keeps in registers of a GPU: loops over it, of which all turns are written out, and functions
   that take its address. Not on CPUs, which have too few, and not where it goes wrong (GPI_TURNS). GPI_ROLLED: loops
   off the beaten track, which must not take registers from it; GPI_UNROLL_SOME: those that load. */
#if !defined(GPI_LLVMPIPE) && !GPI_ON_CPU
#define GPI_UNROLL _Pragma("unroll")
#define GPI_ROLLED _Pragma("unroll 1")
#define GPI_UNROLL_SOME _Pragma("unroll 4")
#else
#define GPI_UNROLL
#define GPI_ROLLED
#define GPI_UNROLL_SOME
#endif
/* The word x is worked out here: NVIDIA's compiler puts additions off and keeps both terms in registers, or moves them out of
   loops and keeps all of their results. */
#if defined(cl_nv_pragma_unroll)
#define GPI_SETTLE(x) __asm__ volatile("" : "+r"(x))
#else
#define GPI_SETTLE(x)
#endif
/* Intel's GPUs: one of 16 lanes has 64 words of registers, and what is more is spilled. GPI_SPARING: before a loop whose loads
   would all be under way at once if its turns were written out. GPI_ANEW(x, zero): x, within a loop; `zero` is 0, differs from
   turn to turn as far as the compiler knows, and so has x, and all that follows from it, worked out in each turn instead of
   kept. */
#ifdef GPI_INTEL_GPU
#define GPI_SPARING _Pragma("unroll 1")
#define GPI_ANEW(x, zero) ((x) + (zero))
#else
#define GPI_SPARING
#define GPI_ANEW(x, zero) (x)
#endif
/* The greater of two ulongs, of which `lesser` is the lesser: on NVIDIA's chips two instructions, and a comparison is two
   more. */
#if defined(cl_nv_pragma_unroll) || defined(__NVPTX__)
#define GPI_GREATER(x, y, lesser) ((x) ^ (y) ^ (lesser))
#else
#define GPI_GREATER(x, y, lesser) max(x, y)
#endif
#if defined(cl_nv_pragma_unroll) || defined(__NVPTX__)
#define GPI_INLINE_GPU __attribute__((always_inline)) static
#else
#define GPI_INLINE_GPU static
#endif

/* What to inline, where that was measured. Elsewhere compilers inline everything; Oclgrind 21.10 fails on
   what inlining leaves (llvm.experimental.noalias.scope.decl). PoCL 3.1 compiles a kernel with all that is inlined into
   it three times, a GPI_NOINLINE function once, unless it asks for its work-item or has a barrier. Functions stay so only where
   an item is alone: in larger groups PoCL gets private arrays wrong that a kernel hands to them (docs/drivers.md). */
#if GPI_ON_CPU
#define GPI_INLINE __attribute__((always_inline)) static
#else
#define GPI_INLINE GPI_INLINE_GPU
#endif
#if GPI_ON_CPU && GPI_WG == 1
#define GPI_NOINLINE __attribute__((noinline)) static
#else
#define GPI_NOINLINE static
#endif
/* Names the item's number in its group. An item that is alone does not ask for it, because PoCL inlines what does; on Intel's CPU
   runtime it does: that compiler crashes over a selection that does not (docs/drivers.md). */
#if GPI_WG == 1 && !defined(GPI_INTEL_CPU)
GPI_INLINE size_t gpi_only_item(void) { return 0; }
#define GPI_LOCAL_ID gpi_only_item()
#else
#define GPI_LOCAL_ID get_local_id(0)
#endif

/* A condition that hardly ever holds. */
#if GPI_ON_CPU
#define GPI_RARELY(x) __builtin_expect(!!(x), 0)
#else
#define GPI_RARELY(x) (x)
#endif

/* Loads or stores 16 elements where any one may be; `type` is their vector's, aligned as one element is.
   PoCL's own vstore16 writes bytes and shorts one by one. */
#if GPI_ON_CPU
#define GPI_LOAD_VECTOR(type, p) (*(__global const type *)(p))
#define GPI_LOAD_PRIVATE(type, p) (*(__private const type *)(p))
#define GPI_STORE_VECTOR(type, v, p) *(__global type *)(p) = v
#define GPI_STORE_PRIVATE(type, v, p) *(__private type *)(p) = v
#else
#define GPI_LOAD_VECTOR(type, p) vload16(0, p)
#define GPI_LOAD_PRIVATE(type, p) vload16(0, p)
#define GPI_STORE_VECTOR(type, v, p) vstore16(v, 0, p)
#define GPI_STORE_PRIVATE(type, v, p) vstore16(v, 0, p)
#endif

/* Stores a cache line of 16 words, aligned, which nobody will read soon: past the caches where the compiler
   is known to take the hint. Measured: docs/PERFORMANCE.md. */
#if GPI_ON_CPU
#define GPI_STREAM_STORE(v, p) __builtin_nontemporal_store(v, p)
#else
#define GPI_STREAM_STORE(v, p) (*(p) = (v))
#endif

/* A vector of 16 turned round, and its upper half. GPI_LANE_BY_LANE 1: each lane is named, each time. */
#if defined(GPI_LANE_BY_LANE) && GPI_LANE_BY_LANE
#define GPI_TURNED(v)                                                                                        \
    ((__typeof__(v))((v.sf), (v.se), (v.sd), (v.sc), (v.sb), (v.sa), (v.s9), (v.s8), (v.s7), (v.s6), (v.s5), \
                     (v.s4), (v.s3), (v.s2), (v.s1), (v.s0)))
#define GPI_UPPER(v) ((__typeof__(v.lo))((v.s8), (v.s9), (v.sa), (v.sb), (v.sc), (v.sd), (v.se), (v.sf)))
#else
#define GPI_TURNED(v) (v.sfedcba9876543210)
#define GPI_UPPER(v) (v.hi)
#endif

/* Bytes of an output from which on its lines will have left the caches before anybody reads them. */
#ifndef GPI_PAST_CACHES
#define GPI_PAST_CACHES (32u << 20)
#endif

/* Stores those of 16 elements whose bit in `mask` is set together, from `to` on, in private memory; up to 16 elements from
   `to` on are overwritten. GPI_PACKS 1: the compiler is known to have AVX-512's instructions for it. */
#if GPI_ON_CPU && defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && \
    defined(__AVX512VL__) && defined(__BMI2__)
#define GPI_PACKS 1

/* Bit k: lane k, which is 0 or 1. */
static uint gpi_mask_of(uint16 lanes) { return __builtin_ia32_cvtd2mask512(as_int16(lanes << 31)); }

static uint16 gpi_pack_lanes(uint16 v, uint mask)
{
    return as_uint16(__builtin_ia32_compresssi512_mask(as_int16(v), (int16)(0), (ushort)mask));
}

/* Lane k: lane source[k] of a, or from 16 on of b. */
static uint16 gpi_pick_lanes(uint16 a, uint16 b, uint16 source)
{
    return as_uint16(__builtin_ia32_vpermi2vard512(as_int16(a), as_int16(source), as_int16(b)));
}

typedef char gpi_signed_bytes __attribute__((ext_vector_type(64)));
#define GPI_BYTES_UP(v, n) \
    __builtin_astype(__builtin_ia32_pslldqi512_byteshift(__builtin_astype(v, long8), n), gpi_signed_bytes)

/* For each of 64 bits how many bits of `plus` are set below it, less those of `minus`. */
static void gpi_bit_sums(ulong plus, ulong minus, __private char *sums)
{
    typedef char vector __attribute__((ext_vector_type(64), aligned(1)));
    gpi_signed_bytes sum = __builtin_ia32_cvtmask2b512(minus) - __builtin_ia32_cvtmask2b512(plus);
    ulong8 before = (ulong8)(0); /* of 16 bytes each: the sum of those before them */
    for (uint k = 16; k < 64; k += 16) {
        const ulong below = (1ul << k) - 1;
        const uint steps = (uint)popcount(plus & below) - (uint)popcount(minus & below);
        before[k / 8] = before[k / 8 + 1] = (steps & 255) * 0x0101010101010101ul;
    }
    sum = GPI_BYTES_UP(sum, 1);
    sum += GPI_BYTES_UP(sum, 1);
    sum += GPI_BYTES_UP(sum, 2);
    sum += GPI_BYTES_UP(sum, 4);
    sum += GPI_BYTES_UP(sum, 8);
    *(__private vector *)sums = sum + __builtin_astype(before, gpi_signed_bytes);
}

/* Of these bits those whose bit in `mask` is set, side by side from the lowest on. */
static ulong gpi_pack_bits(ulong bits, ulong mask) { return __builtin_ia32_pext_di(bits, mask); }

static void gpi_pack_near_1(__private uchar *to, uchar16 v, uint mask)
{
    typedef uchar16 vector __attribute__((aligned(1)));
    *(__private vector *)to = convert_uchar16(gpi_pack_lanes(convert_uint16(v), mask));
}

static void gpi_pack_near_2(__private uchar *to, ushort16 v, uint mask)
{
    typedef ushort16 vector __attribute__((aligned(2)));
    *(__private vector *)to = convert_ushort16(gpi_pack_lanes(convert_uint16(v), mask));
}

static void gpi_pack_near_4(__private uchar *to, uint16 v, uint mask)
{
    typedef uint16 vector __attribute__((aligned(4)));
    *(__private vector *)to = gpi_pack_lanes(v, mask);
}

static void gpi_pack_near_8(__private uchar *to, ulong16 v, uint mask)
{
    typedef long8 vector __attribute__((aligned(8)));
    const uint low = mask & 255u;
    *(__private vector *)to = __builtin_ia32_compressdi512_mask(as_long8(v.lo), (long8)(0), (uchar)low);
    *(__private vector *)(to + 8 * popcount(low)) =
        __builtin_ia32_compressdi512_mask(as_long8(v.hi), (long8)(0), (uchar)(mask >> 8));
}
#else
#define GPI_PACKS 0
#endif

/* Bytes, GPI_COMPARED of which are compared at a time; what is equal is told by gpi_hits, which can be
   combined bit by bit and made a number with a bit for each byte. gpi_bytes_where: y where v is x, else 0. */
#if GPI_PACKS
#define GPI_COMPARED 64
typedef uchar gpi_bytes __attribute__((ext_vector_type(64), aligned(1)));
typedef uchar gpi_bytes_aligned __attribute__((ext_vector_type(64)));
typedef ulong gpi_hits;

static gpi_hits gpi_bytes_equal(gpi_bytes v, uchar x)
{
    return __builtin_ia32_cvtb2mask512(v == (gpi_bytes_aligned)(x));
}

static gpi_hits gpi_bytes_negative(gpi_bytes v)
{
    return __builtin_ia32_cvtb2mask512(v > (gpi_bytes_aligned)(127));
}

static gpi_bytes_aligned gpi_bytes_where(gpi_bytes v, uchar x, char y)
{
    return v == (gpi_bytes_aligned)(x) ? (gpi_bytes_aligned)((uchar)y) : (gpi_bytes_aligned)(0);
}

static ulong gpi_hits_bits(gpi_hits hits) { return hits; }
#elif GPI_ON_CPU && defined(__AVX2__)
#define GPI_COMPARED 32
typedef uchar gpi_bytes __attribute__((ext_vector_type(32), aligned(1)));
typedef uchar gpi_bytes_aligned __attribute__((ext_vector_type(32)));
typedef char gpi_hits __attribute__((ext_vector_type(32)));

static gpi_hits gpi_bytes_equal(gpi_bytes v, uchar x) { return v == (gpi_bytes_aligned)(x); }
static gpi_hits gpi_bytes_negative(gpi_bytes v) { return v > (gpi_bytes_aligned)(127); }
static gpi_bytes_aligned gpi_bytes_where(gpi_bytes v, uchar x, char y)
{
    return __builtin_astype(v == (gpi_bytes_aligned)(x), gpi_bytes_aligned) & (gpi_bytes_aligned)((uchar)y);
}

static ulong gpi_hits_bits(gpi_hits hits) { return (uint)__builtin_ia32_pmovmskb256(hits); }
#else
#define GPI_COMPARED 16
typedef uchar16 gpi_bytes __attribute__((aligned(1)));
typedef uchar16 gpi_bytes_aligned;
typedef char16 gpi_hits;

static gpi_hits gpi_bytes_equal(gpi_bytes v, uchar x) { return v == (uchar16)(x); }
static gpi_hits gpi_bytes_negative(gpi_bytes v) { return v > (uchar16)(127); }
static uchar16 gpi_bytes_where(gpi_bytes v, uchar x, char y)
{
    return as_uchar16(v == (uchar16)(x)) & (uchar16)((uchar)y);
}

/* Each byte keeps a bit in its own place, and the product's top byte gathers those of eight. */
static ulong gpi_hits_bits(gpi_hits hits)
{
    const ulong2 bits = (as_ulong2(hits) & 0x8040201008040201ul) * 0x0101010101010101ul >> 56;
    return bits.x | bits.y << 8;
}
#endif
#endif
