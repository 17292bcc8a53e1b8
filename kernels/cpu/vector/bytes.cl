/* bytes.cl - compares GPI_VECTOR_BYTES bytes at a time.

       gpi_bytes_equal(v, x), gpi_bytes_negative(v)   a gpi_hits, which can be combined by bitwise operations
       gpi_hits_bits(hits)                            a number with a bit for each byte
       gpi_bytes_where(v, x, y)                       a vector whose bytes are y if v's byte equals x, else 0 */
#ifndef GPI_VECTOR_BYTES_CL
#define GPI_VECTOR_BYTES_CL
#include "base/platform.cl"
#include "vector/bits.cl"
#include "vector/features.cl"

#if GPI_VECTOR_BYTES == 64
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
#elif GPI_VECTOR_BYTES == 32
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
typedef uchar16 gpi_bytes __attribute__((aligned(1)));
typedef uchar16 gpi_bytes_aligned;
typedef char16 gpi_hits;

static gpi_hits gpi_bytes_equal(gpi_bytes v, uchar x) { return v == (uchar16)(x); }
static gpi_hits gpi_bytes_negative(gpi_bytes v) { return v > (uchar16)(127); }
static uchar16 gpi_bytes_where(gpi_bytes v, uchar x, char y)
{
    return as_uchar16(v == (uchar16)(x)) & (uchar16)((uchar)y);
}

static ulong gpi_hits_bits(gpi_hits hits) { return gpi_sign_bits(hits); }
#endif
#endif
