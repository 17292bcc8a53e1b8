/* ranked.cl - entries. An entry has order(key) of a key (element/key.cl), and the key's index.

   Entries are compared by order(key), then by index, so that no two are equal, and a sort need not be stable. If both parts have
   32 bits, an entry is one number.

   Parameters: those of element/key.cl. GPI_VALUE_SIZE: 4, 8: bytes of an index. */
#ifndef GPI_SORT_RANKED_CL
#define GPI_SORT_RANKED_CL
#include "base/platform.cl"
#include "element/key.cl"

#if GPI_VALUE_SIZE != 4 && GPI_VALUE_SIZE != 8
#error "GPI_VALUE_SIZE must be 4 or 8: an index"
#endif

#if GPI_KEY_SIZE <= 4 && GPI_VALUE_SIZE == 4
typedef ulong gpi_ranked;
GPI_INLINE gpi_ranked gpi_rank_of(gpi_key_bits order, ulong index) { return (ulong)order << 32 | index; }
GPI_INLINE gpi_key_bits gpi_ranked_order(gpi_ranked x) { return (gpi_key_bits)(x >> 32); }
GPI_INLINE ulong gpi_ranked_index(gpi_ranked x) { return (uint)x; }
GPI_INLINE bool gpi_ranked_before(gpi_ranked a, gpi_ranked b) { return a < b; }
#else
typedef struct gpi_ranked {
    ulong order, index;
} gpi_ranked;
GPI_INLINE gpi_ranked gpi_rank_of(gpi_key_bits order, ulong index)
{
    gpi_ranked x;
    x.order = order;
    x.index = index;
    return x;
}
GPI_INLINE gpi_key_bits gpi_ranked_order(gpi_ranked x) { return (gpi_key_bits)x.order; }
GPI_INLINE ulong gpi_ranked_index(gpi_ranked x) { return x.index; }
GPI_INLINE bool gpi_ranked_before(gpi_ranked a, gpi_ranked b)
{
    return a.order < b.order || (a.order == b.order && a.index < b.index);
}
#endif

/* Returns an entry after all entries of keys. */
GPI_INLINE gpi_ranked gpi_ranked_last(void)
{
    return gpi_rank_of((gpi_key_bits) ~(gpi_key_bits)0, GPI_VALUE_SIZE == 4 ? 0xffffffffu : ~(ulong)0);
}
#endif
