/* stream.cl - writes packed elements: collects them in private memory, `near`, and stores whole, aligned cache lines.

       near    | earlier  | packed ... | room |        first, count: in bytes
       line    ^ aligned: the address to which near[0] is written

   Bytes before `first` belong to the earlier tile. So the first line, and the rest at the end, are stored byte by byte. For
   long outputs, lines are stored past the caches, which then need not read a line before it is written. */
#ifndef GPI_SELECT_STREAM_CL
#define GPI_SELECT_STREAM_CL
#include "select/input_vectors.cl" /* included first, because it replaces element/input.cl */
#include "select/masks.cl"
#include "base/paste.cl"
#include "base/platform.cl"
#include "vector/lanes.cl"
#include "scan/tile.cl"

#if GPI_BY_MASKS
#define GPI_NEAR_BYTES (8 * (GPI_MASKS_BLOCK + 16) + GPI_TILE_LINE)

typedef uint16 gpi_line_vector __attribute__((aligned(GPI_TILE_LINE)));
#define GPI_NEAR_LINE(s, at) (*(__private const gpi_line_vector *)((s).near + (at)))

typedef struct gpi_stream {
    __global uchar *line;
    __private uchar *near; /* GPI_NEAR_BYTES bytes, aligned to a line */
    uint first, count;
    bool past; /* lines are stored past the caches */
} gpi_stream;

GPI_INLINE gpi_stream gpi_stream_open(__global void *to, __private uchar *near, bool past)
{
    gpi_stream s;
    s.first = s.count = (uint)((size_t)to % GPI_TILE_LINE);
    s.line = (__global uchar *)to - s.first;
    s.near = near;
    s.past = past;
    return s;
}

/* Stores the lines of `near` that are whole. Must be called after each block, because `near` has no room for two blocks. */
GPI_INLINE gpi_stream gpi_stream_flush(gpi_stream stream)
{
    gpi_stream s = stream;
    uint at = 0;
    if (s.first > 0 && s.count >= GPI_TILE_LINE) {
        for (uint k = s.first; k < GPI_TILE_LINE; k++) s.line[k] = s.near[k];
        s.first = 0;
        at = GPI_TILE_LINE;
    }
    /* Two loops: if both stores were in one loop, compilers would merge them, and lose the hint. */
    for (; s.past && at + GPI_TILE_LINE <= s.count; at += GPI_TILE_LINE)
        GPI_STREAM_STORE(GPI_NEAR_LINE(s, at), (__global gpi_line_vector *)(s.line + at));
    for (; at + GPI_TILE_LINE <= s.count; at += GPI_TILE_LINE) {
        GPI_PREFETCH_WRITE(s.line + at + GPI_TILE_AHEAD);
        *(__global gpi_line_vector *)(s.line + at) = GPI_NEAR_LINE(s, at);
    }
    *(__private gpi_line_vector *)s.near = GPI_NEAR_LINE(s, at);
    s.line += at;
    s.count -= at;
    return s;
}

GPI_INLINE void gpi_stream_close(gpi_stream s)
{
    for (uint k = s.first; k < s.count; k++) s.line[k] = s.near[k];
}

/* Appends to the stream s the elements whose bits in `mask` are set. v is a vector of 16 elements of `size` bytes. */
#define GPI_STREAM_PACK_(size, s, v, mask)                                \
    do {                                                                  \
        GPI_PASTE(gpi_pack_near_, size)((s)->near + (s)->count, v, mask); \
        (s)->count += (size)*popcount(mask);                              \
    } while (0)
#define GPI_STREAM_PACK(size, s, v, mask) GPI_STREAM_PACK_(size, s, v, mask)
#endif
#endif
