/* platform.cl - macros and functions that differ between vendors and devices.

   Groups exchange words while they run. All reads and writes of these are relaxed atomic operations, because OpenCL C 1.2 has no
   acquire or release, and several devices have none at all. That suffices, because each word carries its own validity
   (scan/lookback.cl). A plain read would be a data race. On some devices, a volatile read is not a data race (gpi_word_load).

       wide word    ulong   needs cl_khr_int64_base_atomics
       narrow word  uint    OpenCL 1.2 core

   Parameters
       GPI_WIDE             1: wide words, 0: narrow words
       GPI_INT64_EXTENDED   1: cl_khr_int64_extended_atomics, a cheaper atomic read of a wide word
       GPI_FP64             1: double is used
       GPI_SUB_GROUP        work-items of a sub-group (group/sub_group.cl); 0 or undefined: none
       GPI_SUB_GROUP_PINNED 1: the attribute intel_reqd_sub_group_size asks for sub-groups of this size
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

/* The host defines GPI_LLVMPIPE_25 for Mesa's llvmpipe from version 25.0 on, because the compiler has no macro for it. With
   these versions, a kernel crashes if a function with a loop calls a function with a barrier, so everything is inlined. */
#ifdef GPI_LLVMPIPE_25
#define static static __attribute__((always_inline))
#endif

/* On llvmpipe, and on Mesa's other drivers before 26.1 (GPI_LOSES_WRITES), writes to struct members are lost if a loop
   of known length is unrolled. On llvmpipe, compiling such a loop is also slow (docs/drivers.md). GPI_TURNS(n) equals
   n, but the compiler does not know its value. It is used in loops over elements, and in other loops with many
   iterations in total. */
#if defined(GPI_LLVMPIPE_25) || defined(GPI_LOSES_WRITES)
#define GPI_TURNS(n) ((n)*get_work_dim())
#else
#define GPI_TURNS(n) (n)
#endif

/* GPI_STRUCT_TURNS(n) hides n in the same way from the compiler, in loops over whole structs. Every version of llvmpipe
   needs this. GPI_LOSES_STRUCTS is 1 on devices that need GPI_STRUCT_TURNS. */
#if defined(GPI_LLVMPIPE) || defined(GPI_LOSES_WRITES)
#define GPI_STRUCT_TURNS(n) ((n)*get_work_dim())
#define GPI_LOSES_STRUCTS 1
#else
#define GPI_STRUCT_TURNS(n) (n)
#define GPI_LOSES_STRUCTS 0
#endif

/* GPI_ON_CPU is 1 for PoCL or Intel's runtime on a CPU. There, global memory is the process's memory, and clang's own
   built-ins work on it. (The target macros below exclude PoCL's drivers for other devices. For Intel's runtime the host
   defines GPI_INTEL_CPU.) */
#ifdef GPI_INTEL_CPU
#define GPI_ON_CPU 1
#elif defined(POCL_DEVICE_ADDRESS_BITS) && !defined(__NVPTX__) && !defined(__AMDGCN__) && \
    !defined(__SPIR__) && !defined(__SPIRV__)
#define GPI_ON_CPU 1
#else
#define GPI_ON_CPU 0
#endif

/* clang warns of a function with a vector parameter that is longer than the CPU's vectors (16 words without AVX-512),
   because the function's caller could be compiled for another CPU. PoCL writes the number of a program's warnings to
   stderr, so this warning is switched off. */
#if GPI_ON_CPU
#pragma clang diagnostic ignored "-Wpsabi"
#endif

/* GPI_AT_ONCE precedes a loop that fills an array of 16 elements, if the array is then loaded as a vector. It makes LLVM fill the
   array with one store. Otherwise LLVM fills two halves, and the load waits until both have left the CPU's store buffer.
   GPI_AT_ONCE has no effect on a loop that cannot be vectorized. GPI_APART precedes a loop whose iterations share no memory, so
   that LLVM omits its run-time check. */
#if GPI_ON_CPU
#define GPI_AT_ONCE _Pragma("clang loop vectorize_width(16)")
#define GPI_APART _Pragma("clang loop vectorize(assume_safety)")
#pragma clang diagnostic ignored "-Wpass-failed"
#else
#define GPI_AT_ONCE
#define GPI_APART
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

/* GPI_VOLATILE_RELAXED is 1 if volatile accesses are relaxed atomics. This holds in PTX (PTX ISA, memory consistency model), and
   in LLVM's AMDGPU from version 12 on, whose volatile accesses bypass the caches (AMDGPUUsage, memory model). */
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

/* gpi_word_load and gpi_word_write are a relaxed atomic load and store. On devices whose volatile accesses are relaxed
   atomics, both are volatile accesses, because gpi_word_read and an exchange are slower. On CPUs the load is clang's
   built-in. Stores to different words may become visible in any order, which does no harm, because each word carries
   its own validity. All groups see one item's stores to one word in order. */
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

/* Fences. If a group writes plain memory, calls GPI_RELEASE and writes a word, its writes are visible to a group that loads
   this word and then calls GPI_ACQUIRE. On devices without a known fence, these macros do nothing. (Intel's compiler does
   not vectorize a kernel with clang's fences, and in such a kernel sub-group operations abort: docs/drivers.md.) */
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

/* gpi_line_load loads GPI_LINE_WORDS aligned 64-bit words at once, each as gpi_word_load does. GPI_LINE_WORDS is 0 if the words
   of a vector load may be torn. On x86 aligned words are never torn, not even in vectors. PTX defines a vector access as accesses
   to its elements, and memory returns 32 bytes at once. */
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

/* Hints that the cache line at p will soon be read, or written. On CPUs this is clang's built-in, because OpenCL C's prefetch()
   does nothing on PoCL. On other devices these macros do nothing. */
#if GPI_ON_CPU
#define GPI_PREFETCH_READ(p) __builtin_prefetch((const __private void *)(size_t)(p), 0, 3)
#define GPI_PREFETCH_WRITE(p) __builtin_prefetch((const __private void *)(size_t)(p), 1, 2)
#else
#define GPI_PREFETCH_READ(p) (void)(p)
#define GPI_PREFETCH_WRITE(p) (void)(p)
#endif

/* Pauses before a group polls a word again. Without a pause, a fast CPU would use up its budget of polls too soon. (A pause is 23
   ns on a Zen 5.) */
#if GPI_ON_CPU && defined(__x86_64__)
#define GPI_PAUSE() __builtin_ia32_pause()
#elif GPI_ON_CPU && defined(__aarch64__)
#define GPI_PAUSE() __asm__ volatile("isb")
#else
#define GPI_PAUSE() (void)0
#endif

/* GPI_UNROLL unrolls loops over arrays, so that a GPU's work-item keeps the arrays in registers. It does nothing on CPUs, which
   have too few registers, and on llvmpipe (GPI_TURNS). GPI_EACH(j, n) is such a loop, for j = 0, 1, ... n - 1; GPI_EACH_CHUNK(j,
   n, chunk) is one for j = 0, chunk, 2 chunk, ... below n. For the same reason GPI_INLINE_GPU inlines functions that take the
   address of such an array. GPI_ROLLED is for loops that are seldom run and must not occupy registers. GPI_UNROLL_SOME is for
   loops that load. */
#if !defined(GPI_LLVMPIPE) && !GPI_ON_CPU
#define GPI_UNROLL _Pragma("unroll")
#define GPI_ROLLED _Pragma("unroll 1")
#define GPI_UNROLL_SOME _Pragma("unroll 4")
#else
#define GPI_UNROLL
#define GPI_ROLLED
#define GPI_UNROLL_SOME
#endif
#define GPI_EACH(j, n) GPI_EACH_CHUNK(j, n, 1)
#define GPI_EACH_CHUNK(j, n, chunk) GPI_UNROLL for (uint j = 0; j < (n); j += (chunk))
/* Makes the compiler compute the word x here. Otherwise, NVIDIA's compiler would delay an addition and keep both terms
   in registers, or move additions out of a loop and keep all their results in registers. */
#if defined(cl_nv_pragma_unroll)
#define GPI_SETTLE(x) __asm__ volatile("" : "+r"(x))
#else
#define GPI_SETTLE(x)
#endif
/* On Intel's GPUs a lane (of 16) has 64 words of registers, and values beyond these are spilled. GPI_SPARING keeps a
   loop rolled, if otherwise all of its loads would be in flight at once. GPI_ANEW(x, zero) is x, computed again in each
   iteration of a loop: `zero` is 0, but the compiler assumes that it changes between iterations. So the compiler keeps
   neither x nor values computed from x in registers. */
#ifdef GPI_INTEL_GPU
#define GPI_SPARING _Pragma("unroll 1")
#define GPI_ANEW(x, zero) ((x) + (zero))
#else
#define GPI_SPARING
#define GPI_ANEW(x, zero) (x)
#endif
/* Returns the greater of the ulongs x and y. `lesser` is the lesser of the two. This takes two instructions on NVIDIA's
   chips, and a comparison would take two more. */
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

/* GPI_INLINE inlines a function on devices where this was measured to be faster. On other devices compilers inline everything
   anyway, and Oclgrind 21.10 fails on an intrinsic that results from the attribute (llvm.experimental.noalias.scope.decl).
   PoCL 3.1 compiles a kernel, with everything that is inlined into it, three times, but a GPI_NOINLINE function only once,
   unless this function queries its work-item's id or has a barrier. GPI_NOINLINE only has an effect in groups of one item,
   because in larger groups PoCL miscompiles private arrays that a kernel passes to a function (docs/drivers.md). */
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
/* GPI_LOCAL_ID is the item's number in its group. In a group of one item it does not call get_local_id, because PoCL inlines
   every function that does. On Intel's CPU runtime it calls get_local_id even then, because Intel's compiler crashes on a
   selection without this call (docs/drivers.md). */
#if GPI_WG == 1 && !defined(GPI_INTEL_CPU)
GPI_INLINE size_t gpi_only_item(void) { return 0; }
#define GPI_LOCAL_ID gpi_only_item()
#else
#define GPI_LOCAL_ID get_local_id(0)
#endif

/* Tells the compiler that a condition hardly ever holds. */
#if GPI_ON_CPU
#define GPI_RARELY(x) __builtin_expect(!!(x), 0)
#else
#define GPI_RARELY(x) (x)
#endif

/* Loads or stores 16 elements at p, which is aligned as one element. `type` is a vector of 16 with this alignment.
   (PoCL's own vstore16 writes bytes and shorts one by one.) */
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

/* Stores an aligned cache line of 16 words that is not read again soon. The store bypasses the caches if the compiler
   is known to follow the hint. (Measured: docs/PERFORMANCE.md.) */
#if GPI_ON_CPU
#define GPI_STREAM_STORE(v, p) __builtin_nontemporal_store(v, p)
#else
#define GPI_STREAM_STORE(v, p) (*(p) = (v))
#endif

/* GPI_TURNED reverses a vector of 16, and GPI_UPPER is its upper half. If GPI_LANE_BY_LANE is 1, both macros list all
   lanes. */
#if defined(GPI_LANE_BY_LANE) && GPI_LANE_BY_LANE
#define GPI_TURNED(v)                                                                                        \
    ((__typeof__(v))((v.sf), (v.se), (v.sd), (v.sc), (v.sb), (v.sa), (v.s9), (v.s8), (v.s7), (v.s6), (v.s5), \
                     (v.s4), (v.s3), (v.s2), (v.s1), (v.s0)))
#define GPI_UPPER(v) ((__typeof__(v.lo))((v.s8), (v.s9), (v.sa), (v.sb), (v.sc), (v.sd), (v.se), (v.sf)))
#else
#define GPI_TURNED(v) (v.sfedcba9876543210)
#define GPI_UPPER(v) (v.hi)
#endif

/* Outputs of this many bytes or more are assumed to have left the caches before they are read. */
#ifndef GPI_PAST_CACHES
#define GPI_PAST_CACHES (32u << 20)
#endif
#endif
