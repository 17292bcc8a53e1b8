/* decode_tile.cl - one item decodes a span of positions, in blocks: it writes a block to private memory, and copies it from there.

   Each run is written as whole vectors. The next run overwrites what these vectors write beyond the run's end. */
#ifndef GPI_SELECT_DECODE_TILE_CL
#define GPI_SELECT_DECODE_TILE_CL
#include "base/platform.cl"
#include "select/decoded.cl"

#define GPI_DECODE_BLOCK 2048 /* positions of a block */
#define GPI_DECODE_RUNS 64    /* after this many empty runs in a row, the next run is found by a search */
#define GPI_DECODE_LINE 64    /* bytes of a line */
/* Elements of a vector. */
#if GPI_WANTS_RUNS + GPI_WANTS_POSITIONS
#define GPI_DECODE_STEP (32 / sizeof(GPI_RUN_INDEX))
#else
#define GPI_DECODE_STEP (32 / sizeof(GPI_ELEMENT))
#endif

typedef uint16 gpi_decode_line __attribute__((aligned(GPI_DECODE_LINE)));
typedef uint16 gpi_decode_any __attribute__((aligned(1)));
typedef uchar gpi_decode_memory; /* not used */

/* Copies a block of `bytes`, by aligned lines. `past`: the lines are stored past the caches. */
GPI_INLINE void gpi_decode_copy(__global uchar *to, __private const uchar *from, uint bytes, bool past)
{
    const uint head = min(bytes, (uint)(-(size_t)to % GPI_DECODE_LINE));
    uint i = head;
    for (uint k = 0; k < head; k++) to[k] = from[k];
    /* Two loops: if both stores were in one loop, compilers would merge them, and lose the hint. */
    for (; past && i + GPI_DECODE_LINE <= bytes; i += GPI_DECODE_LINE) {
        const gpi_decode_line line = *(__private const gpi_decode_any *)(from + i);
        GPI_STREAM_STORE(line, (__global gpi_decode_line *)(to + i));
    }
    for (; i + GPI_DECODE_LINE <= bytes; i += GPI_DECODE_LINE)
        *(__global gpi_decode_line *)(to + i) = *(__private const gpi_decode_any *)(from + i);
    for (; i < bytes; i++) to[i] = from[i];
}

#define GPI_DECODE_NEAR(type, name, x, more) \
    type name[GPI_DECODE_BLOCK + 2 * GPI_DECODE_STEP] __attribute__((aligned(GPI_DECODE_LINE)));
#define GPI_DECODE_RUN(type, name, x, more) const type name##_x = (type)(x);
/* GPI_DECODE_FIRST stores one vector of x, GPI_DECODE_NEXT two. gpi_decode_span later adds `more`. */
#define GPI_DECODE_FIRST(type, name, x, more) \
    _Pragma("unroll") for (uint k = 0; k < GPI_DECODE_STEP; k++) near->name[at + k] = name##_x;
#define GPI_DECODE_NEXT(type, name, x, more) \
    _Pragma("unroll") for (uint k = 0; k < 2 * GPI_DECODE_STEP; k++) near->name[p + k] = name##_x;
#define GPI_DECODE_COPY(type, name, x, more)                                                \
    gpi_decode_copy((__global uchar *)(d.name + first), (__private const uchar *)near.name, \
                    (uint)((next - first) * sizeof(type)), d.count * sizeof(type) >= GPI_PAST_CACHES);

typedef struct gpi_decode_near {
    GPI_DECODED(GPI_DECODE_NEAR)
} gpi_decode_near;

/* Decodes the `size` positions from `first` on. Position `first` is in run r. Returns the run of the last position. */
GPI_INLINE ulong gpi_decode_block(gpi_decoded d, ulong r, ulong first, uint size,
                                  __private gpi_decode_near *near)
{
    ulong at = 0, before = 0;
    for (ulong check = r + GPI_DECODE_RUNS;;) {
        /* If offsets fall below `first`, the difference wraps, and the run is the block's last one. */
        const ulong next = min((GPI_OFFSET)(d.offsets[r + 1] - (GPI_OFFSET)first), (GPI_OFFSET)size);
        GPI_DECODED(GPI_DECODE_RUN)
        GPI_DECODED(GPI_DECODE_FIRST)
#pragma clang loop vectorize(disable) unroll(disable)
        for (ulong p = at + GPI_DECODE_STEP; p < next; p += 2 * GPI_DECODE_STEP) {
            GPI_DECODED(GPI_DECODE_NEXT)
        }
        if (next == size) return r;
        at = next;
        r++;
        if (r < check) continue;
        if (at == before) r = gpi_run_find(d, r, d.runs, first + at);
        before = at;
        check = r + GPI_DECODE_RUNS;
    }
}

GPI_NOINLINE void gpi_decode_span(gpi_decoded d, ulong first, ulong end)
{
    gpi_decode_near near;
    ulong r = gpi_run_find(d, 0, d.runs, first), next;
    for (; first < end; first = next) {
        next = min(end, first - first % GPI_DECODE_BLOCK + GPI_DECODE_BLOCK);
        r = gpi_decode_block(d, r, first, (uint)(next - first), &near);
#if GPI_WANTS_POSITIONS
        for (uint i = 0; i < (uint)(next - first); i++) near.position[i] += i;
#endif
        GPI_DECODED(GPI_DECODE_COPY)
    }
}

static void gpi_decode_tile(gpi_decoded d, ulong first, ulong end, __private gpi_decode_memory *shared)
{
    (void)shared;
    gpi_decode_span(d, first, end);
}
#endif
