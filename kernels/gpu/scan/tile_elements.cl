/* tile_elements.cl - the tile of a scan, unless another file defines it (scan/tile.cl): GPI_WG items with GPI_PER_ITEM elements
   each. Also defines what all such files share: the stage and its padding, chunks, gpi_tile_reduce, and GPI_BY_CHUNKS, which
   chooses between the files.

   The scan is blocked: item l owns the GPI_PER_ITEM elements from l * GPI_PER_ITEM on, in input order. Loads and stores
   are striped within each team's piece of the tile (group/team.cl), so that neighbouring items access neighbouring
   elements. They are converted from one order to the other on the stage, an array in local memory.

       piece    | chunk 0 of lane 0 | chunk 0 of lane 1 | ... | chunk 1 of lane 0 | ...       striped
       piece    |       lane 0's own elements       |       lane 1's own elements      | ...   blocked

   Each team uses only its own part of the stage, so that teams need not wait for one another here. If GPI_BY_CHUNKS is 1,
   scan/tile_chunks.cl defines gpi_tile and gpi_tile_open instead. */
#ifndef GPI_SCAN_TILE_ELEMENTS_CL
#define GPI_SCAN_TILE_ELEMENTS_CL
#include "base/paste.cl"
#include "base/platform.cl"
#include "group/striped.cl"
#include "group/sub_group.cl"
#include "group/sync.cl"
#include "group/team.cl"
#include "element/monoid.cl"
#include "scan/items.cl"
#include "scan/tile_input.cl"

/* Describe a cell of the stage: its type, its size, how element i is loaded as a cell, and the cell for an element past the
   input's end. */
#if GPI_KEPT
#define GPI_CELL gpi_kept_cell /* of select/input_vectors.cl */
#define GPI_CELL_SIZE GPI_RECORD_SIZE
#define GPI_CELL_LOAD(input, i) gpi_kept_cell_load(input, i)
#define GPI_CELL_NONE gpi_kept_cell_none()
#elif GPI_KEYED
#define GPI_CELL GPI_BASE /* keys have a stage of their own */
#define GPI_CELL_SIZE GPI_BASE_SIZE
#define GPI_CELL_LOAD(input, i) gpi_value_load(input, i)
#define GPI_CELL_NONE gpi_identity().value
#else
#define GPI_CELL GPI_T
#define GPI_CELL_SIZE GPI_SIZE
#define GPI_CELL_LOAD(input, i) gpi_load(input, i)
#define GPI_CELL_NONE gpi_identity()
#endif

/* Returns the index in the tile at which this item's first chunk of n elements begins. */
static uint gpi_tile_first(const uint n)
{
    return gpi_team_index() * (GPI_TEAM * GPI_PER_ITEM) + gpi_team_lane() * n;
}

/* GPI_CELL_PLAIN 1: a cell is a number, or a struct with one number if elements are kept. */
#if GPI_KEPT
#define GPI_CELL_PLAIN GPI_IN_NUMBER
#else
#define GPI_CELL_PLAIN (GPI_BASE_NUMBER && (GPI_KEYED || !GPI_SEGMENTED))
#endif

/* Cells are moved in chunks of four, as vectors of 16 bytes if four cells fill whole vectors. Some drivers lose writes
   to structs in loops of four iterations (GPI_STRUCT_TURNS). With these drivers, cells are moved one by one unless they
   are numbers. */
#if GPI_PER_ITEM >= 4 && (GPI_CELL_PLAIN || !GPI_LOSES_STRUCTS)
#define GPI_CELL_CHUNK 4
#else
#define GPI_CELL_CHUNK 1
#endif
#define GPI_CELL_VECTORS (GPI_CELL_CHUNK == 4 && GPI_CELL_SIZE % 4 == 0)

/* GPI_BY_CHUNKS 1: the tile is implemented in scan/tile_chunks.cl. */
#if GPI_CELL_CHUNK == 4 && GPI_QUADS && !GPI_KEPT && !GPI_KEYED && !defined(GPI_SELECT_BY)
#define GPI_BY_CHUNKS 1
#else
#define GPI_BY_CHUNKS 0
#endif

/* GPI_TILE_PAD(i) is the cell of element i. It avoids bank conflicts between items, whose elements begin GPI_PER_ITEM apart:
   after each row of GPI_TILE_ROW cells, one cell is unused, or, if cells are moved as vectors, as many as keep vectors aligned.
   If larger cells are moved as vectors, rows are shorter. All sizes are powers of two, so that

       GPI_TILE_PAD(a + b) = GPI_TILE_PAD(a) + GPI_TILE_PAD(b)        b < 2^k, a multiple of 2^k           */
#if GPI_CELL_VECTORS && GPI_CELL_SIZE % 16 == 0
#define GPI_TILE_ROW 8
#elif GPI_CELL_VECTORS && GPI_CELL_SIZE == 8
#define GPI_TILE_ROW 16
#else
#define GPI_TILE_ROW 32
#endif
#define GPI_TILE_PAD(i) ((i) + (i) / GPI_TILE_ROW * (GPI_CELL_VECTORS ? GPI_TILE_ROW / 8 : 1))
/* Names the stage's cell of element j * GPI_WG + l of the tile. */
#define GPI_TILE_STRIPED(stage, l, j) ((stage) + GPI_TILE_PAD(l))[GPI_TILE_PAD((j)*GPI_WG)]

#if GPI_KEYED
/* The stage of keys (scan/tile_keyed.cl). If GPI_KEY_QUADS, chunks of four keys are moved as vectors, and the
   padding keeps them aligned. */
#define GPI_KEY_QUADS (GPI_CELL_CHUNK == 4 && GPI_HEADS_SIZE <= 8)
#define GPI_KEY_PAD(i) ((i) + (i) / 32 * (GPI_KEY_QUADS ? 4 : 1))
#if GPI_KEY_QUADS
typedef GPI_QUAD(GPI_HEADS_TYPE) gpi_key_quad;
#endif
#endif

#if GPI_BY_CHUNKS
/* An item keeps as many of its elements in registers as fill 32 registers, but at least a quarter of its elements. So the other
   elements and the chunks' products need no more local memory than a whole tile would. If all elements are in registers, the
   stage has one row of chunks, for results that cannot be written straight from registers. */
#define GPI_HELD_FIT (GPI_SIZE <= 4 ? 32 : GPI_SIZE > 32 ? 4 : 128 / GPI_SIZE / 4 * 4)
#define GPI_HELD_WANTED (GPI_HELD_FIT > GPI_PER_ITEM / 4 ? GPI_HELD_FIT : GPI_PER_ITEM / 4)
#define GPI_HELD (GPI_HELD_WANTED < GPI_PER_ITEM ? GPI_HELD_WANTED : GPI_PER_ITEM)
#define GPI_STAGED (GPI_PER_ITEM - GPI_HELD)
#define GPI_TILE_STAGE (GPI_WG * (GPI_STAGED ? GPI_STAGED : 4))
#else
#define GPI_TILE_STAGE GPI_TILE
#endif

typedef struct gpi_tile_memory {
#if GPI_BY_CHUNKS
    GPI_CELL product[GPI_TILE_PAD(GPI_TILE / 4)] __attribute__((aligned(16)));
#endif
#if GPI_CELL_VECTORS
    GPI_CELL stage[GPI_TILE_PAD(GPI_TILE_STAGE)] __attribute__((aligned(16)));
#else
    GPI_CELL stage[GPI_TILE_PAD(GPI_TILE_STAGE)];
#endif
#if GPI_KEYED && GPI_KEY_QUADS
    GPI_HEADS_TYPE key[GPI_KEY_PAD(GPI_TILE)] __attribute__((aligned(4 * GPI_HEADS_SIZE)));
#elif GPI_KEYED
    GPI_HEADS_TYPE key[GPI_KEY_PAD(GPI_TILE)];
#endif
    GPI_T value[GPI_ITEMS_CELLS];
#if GPI_SUB_GROUP
    gpi_sg_memory sub_group;
#endif
    uint word;
} gpi_tile_memory;
typedef __local gpi_tile_memory *gpi_tile_shared;

/* GPI_CELL_NUMBER 1: vectors of cells are built from the numbers GPI_CELL_OF(cell), of type GPI_CELL_TYPE, instead of through a
   union (element/monoid.cl has the reason). */
#define GPI_CELL_NUMBER (GPI_CELL_VECTORS && GPI_CELL_PLAIN && GPI_CELL_SIZE <= 8)
#if GPI_KEPT
#define GPI_CELL_TYPE GPI_RECORD
#define GPI_CELL_OF(cell) (cell).record
#else
#define GPI_CELL_TYPE GPI_VALUE_0
#define GPI_CELL_OF(cell) (cell)
#endif
#if GPI_CELL_NUMBER && GPI_CELL_SIZE == 4
typedef GPI_QUAD(GPI_CELL_TYPE) gpi_cell_quad;
#elif GPI_CELL_NUMBER
typedef GPI_PASTE(GPI_CELL_TYPE, 2) gpi_cell_pair;
#elif GPI_CELL_VECTORS
typedef union gpi_cell_chunk {
    GPI_CELL cell[4];
    uint4 vector[GPI_CELL_SIZE / 4];
} gpi_cell_chunk;
#endif

#if !GPI_KEPT && !GPI_KEYED && !GPI_BY_CHUNKS
/* GPI_OWN_KEPT 1: an item's own elements are in registers while the group looks back. In a scan it is 0, and elements stay on the
   stage, so that more groups run at a time. Drivers that lose structs are an exception (docs/drivers.md). */
#if defined(GPI_SELECT_BY) || GPI_LOSES_STRUCTS
#define GPI_OWN_KEPT 1
#else
#define GPI_OWN_KEPT 0
#endif

typedef struct gpi_tile {
#if GPI_OWN_KEPT
    GPI_T item[GPI_PER_ITEM]; /* this item's own elements */
#endif
    GPI_T before;    /* product of the items before this one */
    GPI_T aggregate; /* product of the whole tile */
} gpi_tile;
#endif

/* Returns item 0's x to all items. No other collective may follow before the next barrier. */
static GPI_T gpi_broadcast_element(GPI_T x, gpi_tile_shared shared)
{
    if (get_local_id(0) == 0) shared->value[0] = x;
    gpi_sync(); /* value is written */
    return shared->value[0];
}

/* Returns the product of every item's x, in item order (group/collectives.cl). */
static GPI_T gpi_group_reduce(GPI_COMBINE_PARAMETER GPI_T x, gpi_tile_shared shared)
{
    return gpi_items_reduce(GPI_COMBINE_PASSED x, shared->value);
}

/* Returns the product of x over the items before this one, and sets *total to the product over all items. */
static GPI_T gpi_group_scan(GPI_COMBINE_PARAMETER GPI_T x, GPI_T *total, gpi_tile_shared shared)
{
    return gpi_items_scan_exclusive(GPI_COMBINE_PASSED x, total, shared->value);
}

/* Returns the product of the tile's elements. */
static GPI_T gpi_tile_reduce(gpi_input input, ulong base, gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(input, base);
    const uint l = (uint)get_local_id(0);
    GPI_T sum = gpi_identity();
#if GPI_KEYED
    GPI_ROLLED
#else
    GPI_UNROLL_SOME
#endif
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
        const uint i = GPI_COMMUTATIVE ? j * GPI_WG + l : l * GPI_PER_ITEM + j;
        if (i < length) sum = gpi_combine(GPI_COMBINE_OF(input) sum, gpi_load(input, base + i));
    }
    return gpi_group_reduce(GPI_COMBINE_OF(input) sum, shared);
}

/* gpi_chunk_put writes a chunk of cells to the stage, and gpi_chunk_get reads one. */
GPI_INLINE_GPU void gpi_chunk_put(__local GPI_CELL *at, const GPI_CELL *x)
{
#if GPI_CELL_NUMBER && GPI_CELL_SIZE == 4
    *(__local gpi_cell_quad *)at =
        (gpi_cell_quad)(GPI_CELL_OF(x[0]), GPI_CELL_OF(x[1]), GPI_CELL_OF(x[2]), GPI_CELL_OF(x[3]));
#elif GPI_CELL_NUMBER
    ((__local gpi_cell_pair *)at)[0] = (gpi_cell_pair)(GPI_CELL_OF(x[0]), GPI_CELL_OF(x[1]));
    ((__local gpi_cell_pair *)at)[1] = (gpi_cell_pair)(GPI_CELL_OF(x[2]), GPI_CELL_OF(x[3]));
#elif GPI_CELL_VECTORS
    gpi_cell_chunk chunk;
    GPI_EACH(k, GPI_CELL_CHUNK) chunk.cell[k] = x[k];
    GPI_EACH(k, GPI_CELL_SIZE / 4) ((__local uint4 *)at)[k] = chunk.vector[k];
#else
    GPI_EACH(k, GPI_CELL_CHUNK) at[k] = x[k];
#endif
}

GPI_INLINE_GPU void gpi_chunk_get(__local const GPI_CELL *at, GPI_CELL *x)
{
#if GPI_CELL_NUMBER && GPI_CELL_SIZE == 4
    const gpi_cell_quad quad = *(__local const gpi_cell_quad *)at;
    GPI_CELL_OF(x[0]) = quad.s0;
    GPI_CELL_OF(x[1]) = quad.s1;
    GPI_CELL_OF(x[2]) = quad.s2;
    GPI_CELL_OF(x[3]) = quad.s3;
#elif GPI_CELL_NUMBER
    const gpi_cell_pair low = ((__local const gpi_cell_pair *)at)[0],
                        high = ((__local const gpi_cell_pair *)at)[1];
    GPI_CELL_OF(x[0]) = low.x;
    GPI_CELL_OF(x[1]) = low.y;
    GPI_CELL_OF(x[2]) = high.x;
    GPI_CELL_OF(x[3]) = high.y;
#elif GPI_CELL_VECTORS
    gpi_cell_chunk chunk;
    GPI_EACH(k, GPI_CELL_SIZE / 4) chunk.vector[k] = ((__local const uint4 *)at)[k];
    GPI_EACH(k, GPI_CELL_CHUNK) x[k] = chunk.cell[k];
#else
    GPI_EACH(k, GPI_CELL_CHUNK) x[k] = at[k];
#endif
}

/* Returns the first of this item's own cells on the stage. */
static __local GPI_CELL *gpi_own_cells(gpi_tile_shared shared)
{
    return shared->stage + GPI_TILE_PAD((uint)get_local_id(0) * GPI_PER_ITEM);
}

#if GPI_QUADS && GPI_CELL_CHUNK == 4
/* Loads a whole tile to the stage, four elements at a time. */
GPI_INLINE_GPU void gpi_stage_load_quads(gpi_input input, ulong base, gpi_tile_shared shared)
{
    const uint first = gpi_tile_first(4);
    __local GPI_CELL *at = shared->stage + GPI_TILE_PAD(first);
    if (gpi_quads_aligned(input)) {
        GPI_CELL x[GPI_PER_ITEM];
        GPI_EACH_CHUNK(j, GPI_PER_ITEM, 4) gpi_load_quad(input, base + first + j * GPI_TEAM, true, x + j);
        GPI_EACH_CHUNK(j, GPI_PER_ITEM, 4) gpi_chunk_put(at + GPI_TILE_PAD(j * GPI_TEAM), x + j);
    } else {
        GPI_ROLLED
        for (uint j = 0; j < GPI_PER_ITEM; j += 4) {
            GPI_CELL x[4];
            gpi_load_quad(input, base + first + j * GPI_TEAM, false, x);
            gpi_chunk_put(at + GPI_TILE_PAD(j * GPI_TEAM), x);
        }
    }
}
#endif

/* Loads the tile to the stage, with GPI_CELL_NONE for each element past the input's end. In a full tile, all loads come before
   the first store, so that they are in flight together. (Loads of unaligned vectors are an exception.) */
GPI_INLINE_GPU void gpi_stage_load(gpi_input input, ulong base, gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(input, base);
    const uint first = gpi_tile_first(1);
    __local GPI_CELL *at = shared->stage + GPI_TILE_PAD(first);
    if (length < GPI_TILE) {
        GPI_ROLLED
        for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
            const uint i = first + j * GPI_TEAM;
            at[GPI_TILE_PAD(j * GPI_TEAM)] = i < length ? GPI_CELL_LOAD(input, base + i) : GPI_CELL_NONE;
        }
    } else {
#if GPI_QUADS && GPI_CELL_CHUNK == 4
        gpi_stage_load_quads(input, base, shared);
#else
        GPI_CELL x[GPI_PER_ITEM];
        GPI_EACH_OWN(j) x[j] = GPI_CELL_LOAD(input, base + first + j * GPI_TEAM);
        GPI_EACH_OWN(j) at[GPI_TILE_PAD(j * GPI_TEAM)] = x[j];
#endif
    }
}

#if !GPI_KEPT && !GPI_KEYED && !GPI_BY_CHUNKS /* otherwise another file defines gpi_tile_open */
/* Reads the tile to the stage, each element once, and sets *tile. */
GPI_INLINE_GPU void gpi_tile_open(gpi_tile *tile, gpi_input input, ulong base, gpi_tile_shared shared)
{
    __local const GPI_CELL *at = gpi_own_cells(shared);
    GPI_T sum = gpi_identity();
    gpi_stage_load(input, base, shared);
    gpi_team_sync(); /* the stage is filled */
    GPI_EACH_CHUNK(j, GPI_TURNS(GPI_PER_ITEM), GPI_CELL_CHUNK) {
#if GPI_OWN_KEPT
        GPI_T *x = tile->item + j;
#else
        GPI_T x[GPI_CELL_CHUNK];
#endif
        gpi_chunk_get(at + GPI_TILE_PAD(j), x);
        GPI_EACH(k, GPI_CELL_CHUNK) sum = gpi_combine(GPI_COMBINE_OF(input) sum, x[k]);
    }
    tile->before =
        gpi_group_scan(GPI_COMBINE_OF(input) sum, &tile->aggregate, shared); /* its barriers free the stage */
}

#ifdef GPI_SELECT_BY
static GPI_T gpi_tile_item(const gpi_tile *tile, uint j) { return tile->item[j]; }
#endif

static GPI_T gpi_tile_aggregate(const gpi_tile *tile) { return tile->aggregate; }
#endif
#endif
