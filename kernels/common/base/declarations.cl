/* declarations.cl - declares the functions of OpenCL that kernels call.

   PoCL makes clang read 900 kB of declarations for each program. For most programs, this takes longer than compiling the program
   itself. If a program of the CPU wing has no calls in the caller's text, the host defines _OPENCL_H_, which leaves out these
   900 kB, and GPI_DECLARES, which includes the declarations below instead (src/program/build.c). If a declaration is missing
   here, the host builds the program with all declarations. `make declarations` compares this file with what programs call. */
#ifndef GPI_BASE_DECLARATIONS_CL
#define GPI_BASE_DECLARATIONS_CL

#ifdef GPI_DECLARES
#define GPI_OF_OPENCL __attribute__((overloadable))
#define GPI_CONST GPI_OF_OPENCL __attribute__((const))
#define GPI_PURE GPI_OF_OPENCL __attribute__((pure))

uint GPI_CONST get_work_dim(void);
size_t GPI_CONST get_global_id(uint);
size_t GPI_CONST get_group_id(uint);
size_t GPI_CONST get_local_id(uint);
size_t GPI_CONST get_local_size(uint);
size_t GPI_CONST get_num_groups(uint);
void GPI_OF_OPENCL __attribute__((convergent)) barrier(cl_mem_fence_flags);

/* ------------------------------------------------------------------ atomic operations */

#define GPI_DECLARE_ATOMIC(name, T)                 \
    T GPI_OF_OPENCL name(volatile __global T *, T); \
    T GPI_OF_OPENCL name(volatile __local T *, T);
#define GPI_DECLARE_CMPXCHG(name, T)                   \
    T GPI_OF_OPENCL name(volatile __global T *, T, T); \
    T GPI_OF_OPENCL name(volatile __local T *, T, T);
GPI_DECLARE_ATOMIC(atomic_add, uint)
GPI_DECLARE_ATOMIC(atomic_min, uint)
GPI_DECLARE_ATOMIC(atomic_max, uint)
GPI_DECLARE_ATOMIC(atomic_or, uint)
GPI_DECLARE_ATOMIC(atomic_xchg, uint)
GPI_DECLARE_CMPXCHG(atomic_cmpxchg, uint)
uint GPI_OF_OPENCL atomic_inc(volatile __global uint *);
uint GPI_OF_OPENCL atomic_inc(volatile __local uint *);
#ifdef cl_khr_int64_base_atomics
GPI_DECLARE_ATOMIC(atom_xchg, ulong)
GPI_DECLARE_CMPXCHG(atom_cmpxchg, ulong)
#endif
#ifdef cl_khr_int64_extended_atomics
GPI_DECLARE_ATOMIC(atom_or, ulong)
#endif

/* ------------------------------------------------------------------ numbers and vectors */

#define GPI_DECLARE_VECTOR(T, V, n)                        \
    V GPI_PURE vload##n(size_t, const __global T *);       \
    V GPI_PURE vload##n(size_t, const __local T *);        \
    V GPI_PURE vload##n(size_t, const __private T *);      \
    V GPI_PURE vload##n(size_t, const __constant T *);     \
    void GPI_OF_OPENCL vstore##n(V, size_t, __global T *); \
    void GPI_OF_OPENCL vstore##n(V, size_t, __local T *);  \
    void GPI_OF_OPENCL vstore##n(V, size_t, __private T *);
#define GPI_DECLARE_CONVERT(T, n)             \
    T##n GPI_CONST convert_##T##n(char##n);   \
    T##n GPI_CONST convert_##T##n(uchar##n);  \
    T##n GPI_CONST convert_##T##n(short##n);  \
    T##n GPI_CONST convert_##T##n(ushort##n); \
    T##n GPI_CONST convert_##T##n(int##n);    \
    T##n GPI_CONST convert_##T##n(uint##n);   \
    T##n GPI_CONST convert_##T##n(long##n);   \
    T##n GPI_CONST convert_##T##n(ulong##n);  \
    T##n GPI_CONST convert_##T##n(float##n);  \
    GPI_DECLARE_CONVERT_DOUBLE(T, n)
#define GPI_DECLARE_LANES(T)         \
    GPI_DECLARE_VECTOR(T, T##4, 4)   \
    GPI_DECLARE_VECTOR(T, T##8, 8)   \
    GPI_DECLARE_VECTOR(T, T##16, 16) \
    GPI_DECLARE_CONVERT(T, 4) GPI_DECLARE_CONVERT(T, 8) GPI_DECLARE_CONVERT(T, 16)

#define GPI_DECLARE_INTEGER(T)  \
    T GPI_CONST min(T, T);      \
    T GPI_CONST max(T, T);      \
    T GPI_CONST clamp(T, T, T); \
    T GPI_CONST clz(T);         \
    T GPI_CONST popcount(T);    \
    T GPI_CONST mul_hi(T, T);
#define GPI_DECLARE_SELECT(V, I, U) \
    V GPI_CONST select(V, V, I);    \
    V GPI_CONST select(V, V, U);
#define GPI_DECLARE_INTEGERS(T, I, U) \
    GPI_DECLARE_LANES(T)              \
    GPI_DECLARE_INTEGER(T)            \
    GPI_DECLARE_INTEGER(T##4)         \
    GPI_DECLARE_INTEGER(T##8)         \
    GPI_DECLARE_INTEGER(T##16) GPI_DECLARE_SELECT(T, I, U) GPI_DECLARE_SELECT(T##16, I##16, U##16)
#define GPI_DECLARE_TEST(T)   \
    int GPI_CONST any(T##4);  \
    int GPI_CONST all(T##4);  \
    int GPI_CONST any(T##16); \
    int GPI_CONST all(T##16);
#define GPI_DECLARE_FLOAT(T, I) \
    T GPI_CONST fmin(T, T);     \
    T GPI_CONST fmax(T, T);     \
    T GPI_CONST fabs(T);        \
    T GPI_CONST sqrt(T);        \
    T GPI_CONST log(T);         \
    T GPI_CONST cospi(T);       \
    T GPI_CONST sinpi(T);       \
    I GPI_CONST isnan(T);       \
    I GPI_CONST isfinite(T);
#define GPI_DECLARE_HALVES(F, n)                                   \
    F GPI_PURE vload_half##n(size_t, const __global half *);       \
    F GPI_PURE vload_half##n(size_t, const __local half *);        \
    F GPI_PURE vload_half##n(size_t, const __private half *);      \
    void GPI_OF_OPENCL vstore_half##n(F, size_t, __global half *); \
    void GPI_OF_OPENCL vstore_half##n(F, size_t, __local half *);  \
    void GPI_OF_OPENCL vstore_half##n(F, size_t, __private half *);

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define GPI_DECLARE_CONVERT_DOUBLE(T, n) T##n GPI_CONST convert_##T##n(double##n);
GPI_DECLARE_LANES(double)
GPI_DECLARE_FLOAT(double, int)
GPI_DECLARE_FLOAT(double16, long16)
GPI_DECLARE_SELECT(double, long, ulong)
GPI_DECLARE_SELECT(double16, long16, ulong16)
#else
#define GPI_DECLARE_CONVERT_DOUBLE(T, n)
#endif
GPI_DECLARE_INTEGERS(char, char, uchar)
GPI_DECLARE_INTEGERS(uchar, char, uchar)
GPI_DECLARE_INTEGERS(short, short, ushort)
GPI_DECLARE_INTEGERS(ushort, short, ushort)
GPI_DECLARE_INTEGERS(int, int, uint)
GPI_DECLARE_INTEGERS(uint, int, uint)
GPI_DECLARE_INTEGERS(long, long, ulong)
GPI_DECLARE_INTEGERS(ulong, long, ulong)
GPI_DECLARE_LANES(float)
GPI_DECLARE_FLOAT(float, int)
GPI_DECLARE_FLOAT(float16, int16)
GPI_DECLARE_SELECT(float, int, uint)
GPI_DECLARE_SELECT(float16, int16, uint16)
GPI_DECLARE_TEST(char)
GPI_DECLARE_TEST(short)
GPI_DECLARE_TEST(int)
GPI_DECLARE_TEST(long)
GPI_DECLARE_HALVES(float, )
GPI_DECLARE_HALVES(float4, 4)
GPI_DECLARE_HALVES(float16, 16)
#endif
#endif
