/* compact_items.cl - compacts a tile through the stage: items put the element of rank r into cell r, and then write the cells in
   order, so that neighbouring items write neighbouring elements. If items keep elements (GPI_KEPT), a cell has the element
   itself. If more than the element is written, or if flags or indices decide what is selected, a cell has only the element's
   index in the tile. Then the stage is small even for records of 16 bytes, and the tile is in the cache when it is read again. */
#ifndef GPI_SELECT_COMPACT_ITEMS_CL
#define GPI_SELECT_COMPACT_ITEMS_CL
#include "select/input_vectors.cl" /* included first, because it replaces element/input.cl */
#include "base/platform.cl"
#include "group/striped.cl"
#include "group/sync.cl"
#include "element/monoid.cl"
#include "scan/tile.cl"
#include "select/kept.cl"
#include "select/sink.cl"

/* Returns the stage's entry for this item's element j, which is element i of the tile: the element if GPI_KEPT, otherwise i and,
   for runs, the begin of the run that ends at i. `sum` is the product of all elements of the input before it. */
static GPI_CELL gpi_stage_entry(const gpi_tile *tile, uint j, uint i, GPI_T sum)
{
#if GPI_KEPT
    (void)i;
    (void)sum;
    return tile->kept[j];
#else
    GPI_T entry = sum;
    (void)tile;
    (void)j;
    GPI_SELECTED(entry) = i;
    return entry;
#endif
}

/* Returns the rank of element i among the tile's outputs, or ~0u if the element is not written. The outputs are ordered
   by part: the first, the second, the rest. x is the contribution of element i to the counts, and `before` that of the
   tile's elements before i. */
static uint gpi_rank(GPI_T x, GPI_T before, GPI_T aggregate, uint i)
{
    if (GPI_SELECTED(x)) return (uint)GPI_SELECTED(before);
#if GPI_PARTS == 3
    if (GPI_SECOND(x)) return (uint)(GPI_SELECTED(aggregate) + GPI_SECOND(before));
#endif
#if GPI_PARTS > 1
    return (uint)(GPI_SELECTED(aggregate) + GPI_SECOND(aggregate) + i - GPI_SELECTED(before) -
                  GPI_SECOND(before));
#else
    return ~0u;
#endif
}

/* Writes the tile's output of rank r, whose cell is `entry`. */
static void gpi_put_ranked(gpi_input input, gpi_sink sink, GPI_T prefix, GPI_T aggregate, ulong base,
                           GPI_CELL entry, uint r)
{
#if GPI_KEPT
    const GPI_RECORD x = entry.record;
#else
    const ulong i = base + GPI_SELECTED(entry);
#endif
#if GPI_PARTS == 1 && GPI_KEPT
    sink.out[(GPI_NUMBER)(GPI_SELECTED(prefix) + r)] = x;
#elif GPI_PARTS == 1
    gpi_put(input, sink, (GPI_NUMBER)(GPI_SELECTED(prefix) + r), i, GPI_BEGIN(entry));
#else
    const uint firsts = (uint)GPI_SELECTED(aggregate), seconds = (uint)GPI_SECOND(aggregate);
    const ulong rest = base - GPI_SELECTED(prefix) - GPI_SECOND(prefix);
#if !GPI_KEPT
    const GPI_RECORD x = input.data[i];
#endif
    if (r < firsts) sink.out[GPI_SELECTED(prefix) + r] = x;
    else if (r < firsts + seconds) sink.second[GPI_SECOND(prefix) + (r - firsts)] = x;
    else sink.rest[sink.step * (long)(rest + (r - firsts - seconds))] = x;
#endif
}

GPI_INLINE_GPU void gpi_tile_compact(const gpi_tile *tile, GPI_T prefix, gpi_input input, ulong base,
                                     gpi_sink sink, gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(input, base);
    const GPI_T aggregate = tile->aggregate;
    const uint ranked = GPI_PARTS > 1 ? length : (uint)GPI_SELECTED(aggregate);
    const uint l = (uint)get_local_id(0);
    GPI_T before = tile->before;
    GPI_EACH_OWN(j) {
        const uint i = l * GPI_PER_ITEM + j;
        const GPI_T item = gpi_tile_item(tile, j);
        const uint r = i < length ? gpi_rank(item, before, aggregate, i) : ~0u;
        if (r != ~0u)
            shared->stage[GPI_TILE_PAD(r)] = gpi_stage_entry(tile, j, i, gpi_combine(prefix, before));
        before = gpi_combine(before, item);
    }
    gpi_sync(); /* the stage is filled */
    GPI_EACH_OWN(j) {
        const uint r = j * GPI_WG + l;
        if (r < ranked)
            gpi_put_ranked(input, sink, prefix, aggregate, base, GPI_TILE_STRIPED(shared->stage, l, j), r);
    }
}
#endif
