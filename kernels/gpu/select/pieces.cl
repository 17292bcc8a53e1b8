/* pieces.cl - the tile of gp_select and gp_partition by a predicate if groups have sub-groups and only elements are written
   (GPI_BY_PIECES of select/input_vectors.cl): each sub-group compacts its own piece of the tile, before it knows the counts of
   the other sub-groups. With select/kept.cl instead, such a select on sm_90 has 1.9 times the instructions and half the
   resident groups, and such a partition has 1.3 times the instructions (make gpu-cost).

       in       | chunk 0 of lane 0 | chunk 0 of lane 1 | ... | chunk 1 of lane 0 | ...
       piece    | selected, in their order | ... | the others, from the end on |              on the stage

   A scan of the number of selected elements in each chunk yields the positions at which a lane stores the elements of its
   chunks. Several chunks are counted in one word. This file replaces gpi_tile and gpi_tile_open of scan/tile_elements.cl. */
#ifndef GPI_SELECT_PIECES_CL
#define GPI_SELECT_PIECES_CL
#include "select/input_vectors.cl" /* included first, because it replaces element/input.cl */
#include "base/args.cl"
#include "base/platform.cl"
#include "group/sub_group.cl"
#include "element/monoid.cl"
#include "scan/tile.cl"

#if GPI_BY_PIECES
#define GPI_PIECE (GPI_SUB_GROUP * GPI_PER_ITEM) /* elements of a piece */

typedef struct gpi_tile {
    uint selected;   /* number of selected elements in this sub-group's piece */
    GPI_T before;    /* their number in the pieces before it */
    GPI_T aggregate; /* their number in the whole tile */
} gpi_tile;

static __local gpi_kept_cell *gpi_piece_of(gpi_tile_shared shared)
{
    return shared->stage + gpi_sg_index() * GPI_PIECE;
}

/* Returns how many elements of this sub-group's piece are in the input. */
static uint gpi_piece_length(gpi_input input, ulong base)
{
    const uint length = gpi_tile_length(input, base), first = gpi_sg_index() * GPI_PIECE;
    return min(length - min(first, length), (uint)GPI_PIECE);
}

/* Elements of a chunk: as many as an item loads at a time. If elements have 16 bytes, a chunk is one element, unless a word
   would then have too few nibbles for an item's chunks. */
#if GPI_RECORD_SIZE == 16 && GPI_PER_ITEM <= 8
#define GPI_PIECE_CHUNK 1
#else
#define GPI_PIECE_CHUNK GPI_CELL_CHUNK
#endif

/* The index in the piece of this item's element j, and the element's bit in a mask. The bits of chunk c are in nibble c. */
#define GPI_PIECE_PLACE(j)                                                                       \
    ((j) / GPI_PIECE_CHUNK * GPI_PIECE_CHUNK * GPI_SUB_GROUP + gpi_sg_lane() * GPI_PIECE_CHUNK + \
     (j) % GPI_PIECE_CHUNK)
#define GPI_PIECE_BIT(j) (1u << ((j) / GPI_PIECE_CHUNK * 4 + (j) % GPI_PIECE_CHUNK))

/* How many of an item's elements are in registers at a time. A selected element moves down and never overwrites a later element.
   So a few elements are enough, while the others stay on the stage. In a partition, an element that is not selected moves up and
   may overwrite any other element. So all must be in registers. */
#if GPI_PARTS == 1 && GPI_PER_ITEM > 8
#define GPI_PIECE_AT_ONCE 8
#else
#define GPI_PIECE_AT_ONCE GPI_PER_ITEM
#endif
#define GPI_PIECE_STAGED (GPI_PIECE_AT_ONCE < GPI_PER_ITEM)

/* Loads into x those of this item's elements j ... j + n - 1 that are in the input. Returns the bits of the selected
   elements. */
GPI_INLINE_GPU uint gpi_piece_load_some(gpi_input input, ulong at, uint length, uint j, const uint n,
                                        gpi_kept_cell *x)
{
    uint selected = 0;
    GPI_EACH(k, n) {
        const uint i = GPI_PIECE_PLACE(j + k);
        x[k] = i < length ? gpi_kept_cell_load(input, at + i) : gpi_kept_cell_none();
    }
    GPI_EACH(k, n) {
        const uint i = GPI_PIECE_PLACE(j + k);
        if (i < length && gpi_predicate(GPI_ARGS_OF(input) GPI_KEPT_IN(x[k]), at + i))
            selected |= GPI_PIECE_BIT(j + k);
    }
    return selected;
}

/* Loads this item's elements, to the stage (GPI_PIECE_STAGED) or into x, and returns the bits of the selected elements. All
   loads of a whole piece come first, so that they are in flight together. (A piece that is not whole is loaded through the
   stage, which needs fewer registers.) */
GPI_INLINE_GPU uint gpi_piece_load(gpi_input input, ulong base, __local gpi_kept_cell *piece,
                                   gpi_kept_cell *x)
{
    const ulong at = base + gpi_sg_index() * GPI_PIECE;
    const uint length = gpi_piece_length(input, base);
    uint selected = 0;
#if GPI_QUADS && GPI_CELL_CHUNK == 4
    if (length == GPI_PIECE && gpi_quads_aligned(input)) {
        GPI_EACH_CHUNK(j, GPI_PER_ITEM, 4) gpi_load_quad(input, at + GPI_PIECE_PLACE(j), true, x + j);
        GPI_EACH(j, GPI_PER_ITEM)
            if (gpi_predicate(GPI_ARGS_OF(input) GPI_KEPT_IN(x[j]), at + GPI_PIECE_PLACE(j)))
                selected |= GPI_PIECE_BIT(j);
#if GPI_PIECE_STAGED
        GPI_EACH_CHUNK(j, GPI_PER_ITEM, 4) gpi_chunk_put(piece + GPI_PIECE_PLACE(j), x + j);
#endif
        return selected;
    }
#endif
#if GPI_PER_ITEM <= 8
    selected = gpi_piece_load_some(input, at, length, 0, GPI_PER_ITEM, x);
#else
    GPI_ROLLED
    for (uint j = 0; j < GPI_PER_ITEM; j += GPI_PIECE_CHUNK) {
        gpi_kept_cell chunk[GPI_PIECE_CHUNK];
        selected |= gpi_piece_load_some(input, at, length, j, GPI_PIECE_CHUNK, chunk);
        gpi_chunk_put(piece + GPI_PIECE_PLACE(j), chunk);
    }
#if !GPI_PIECE_STAGED
    GPI_EACH_CHUNK(j, GPI_PER_ITEM, GPI_PIECE_CHUNK) gpi_chunk_get(piece + GPI_PIECE_PLACE(j), x + j);
#endif
#endif
    return selected;
}

/* A word counts 32 / GPI_COUNT_BITS of a lane's chunks: chunk c is counted in word c % GPI_COUNT_WORDS. */
#define GPI_COUNT_BITS (GPI_SUB_GROUP <= 32 ? 8 : 16)
#define GPI_COUNT_MASK ((1u << GPI_COUNT_BITS) - 1)
#define GPI_COUNT_WORDS (GPI_COUNT_BITS / 4)
#define GPI_COUNT_OF(words, c) \
    ((words)[(c) % GPI_COUNT_WORDS] >> (c) / GPI_COUNT_WORDS * GPI_COUNT_BITS & GPI_COUNT_MASK)

/* Counts the selected elements of each chunk. Sets `before` to the counts of the lanes before this one, and `all` to the counts
   of all lanes, each by chunk. */
GPI_INLINE_GPU void gpi_piece_count(uint selected, uint *before, uint *all, gpi_sg_shared memory)
{
    const uint pairs = selected - (selected >> 1 & 0x55555555);
    const uint nibbles = (pairs & 0x33333333) + (pairs >> 2 & 0x33333333);
    GPI_EACH(w, GPI_COUNT_WORDS) {
        const uint own = nibbles >> 4 * w & (GPI_COUNT_BITS == 8 ? 0x0f0f0f0f : 0x000f000f);
        uint sum = own;
        GPI_UNROLL
        for (uint d = 1; d < GPI_TURNS(GPI_SUB_GROUP); d *= 2) {
            const uint y = gpi_sg_up(sum, d, memory);
            if (gpi_sg_lane() >= d) sum += y;
        }
        before[w] = sum - own;
        all[w] = gpi_sg_from(sum, GPI_SUB_GROUP - 1, memory);
    }
}

/* Reads the tile, each element once, compacts this sub-group's piece, and sets *tile. */
GPI_INLINE_GPU void gpi_tile_open(gpi_tile *tile, gpi_input input, ulong base, gpi_tile_shared shared)
{
    __local gpi_kept_cell *piece = gpi_piece_of(shared);
    uint before[GPI_COUNT_WORDS], all[GPI_COUNT_WORDS], first = 0;
    gpi_kept_cell own[GPI_PER_ITEM];
    const uint selected = gpi_piece_load(input, base, piece, own);
    gpi_piece_count(selected, before, all, &shared->sub_group);
    GPI_EACH_CHUNK(b, GPI_PER_ITEM, GPI_PIECE_AT_ONCE) {
        gpi_kept_cell *x = own + b;
#if GPI_PIECE_STAGED
        GPI_EACH_CHUNK(j, GPI_PIECE_AT_ONCE, GPI_PIECE_CHUNK)
            gpi_chunk_get(piece + GPI_PIECE_PLACE(b + j), x + j);
#endif
#if GPI_PER_ITEM > 8
        gpi_sg_sync(); /* the elements are read: their cells may be overwritten */
#endif
        GPI_EACH_CHUNK(j, GPI_PIECE_AT_ONCE, GPI_PIECE_CHUNK) {
            const uint c = (b + j) / GPI_PIECE_CHUNK;
            __local gpi_kept_cell *next = piece + first + GPI_COUNT_OF(before, c);
#if GPI_PARTS == 2
            __local gpi_kept_cell *other = piece + GPI_PIECE - 1 - GPI_PIECE_PLACE(b + j) + (next - piece);
#endif
            GPI_EACH(k, GPI_PIECE_CHUNK) {
                if (selected & GPI_PIECE_BIT(b + j + k)) (next++)->record = x[j + k].record;
#if GPI_PARTS == 2
                else (other--)->record = x[j + k].record;
#endif
            }
            first += GPI_COUNT_OF(all, c);
        }
    }
    tile->selected = first;
    tile->before = gpi_items_scan_sub_groups(first, &tile->aggregate, shared->value);
    /* its barriers follow all writes to the stage */
}

static GPI_T gpi_tile_aggregate(const gpi_tile *tile) { return tile->aggregate; }
#endif
#endif
