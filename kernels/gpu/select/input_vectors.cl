/* input_vectors.cl - decides which selections keep elements in registers, and loads four elements at a time. */
#ifndef GPI_SELECT_INPUT_VECTORS_CL
#define GPI_SELECT_INPUT_VECTORS_CL
#include "select/input.cl" /* included first, because it replaces element/input.cl */
#include "base/paste.cl"
#include "base/platform.cl"

/* GPI_KEPT 1: each element is read once. Until it is written, it is in its item's registers (select/kept.cl), or, with
   GPI_BY_PIECES, on the stage of its sub-group, which compacts it there (select/pieces.cl). */
#define GPI_KEPT                                                                         \
    (GPI_OUT && GPI_RECORD_PLAIN && !GPI_INDEX_OUT && !GPI_VALUE_SIZE && !GPI_IN_HALF && \
     GPI_PER_ITEM <= 32 &&                                                               \
     (GPI_SELECT_BY == GPI_SELECT_BY_PREDICATE || GPI_SELECT_BY == GPI_SELECT_BY_UNIQUE))

/* GPI_BY_PIECES 1: each sub-group compacts its own piece of the tile (select/compact_pieces.cl). */
#define GPI_BY_PIECES (GPI_KEPT && GPI_SUB_GROUP && GPI_PARTS < 3 && GPI_SELECT_BY == GPI_SELECT_BY_PREDICATE)

#if GPI_KEPT
#if GPI_IN_NUMBER
typedef struct gpi_kept_cell { /* no union: see GPI_WORDS in element/monoid.cl */
    GPI_RECORD record;
} gpi_kept_cell;
#define GPI_KEPT_IN(cell) GPI_PASTE(as_, GPI_IN)((cell).record)
#else
typedef union gpi_kept_cell {
    GPI_IN in;
    GPI_RECORD record;
} gpi_kept_cell;
#define GPI_KEPT_IN(cell) (cell).in
#endif

static gpi_kept_cell gpi_kept_cell_load(gpi_input input, ulong i)
{
    gpi_kept_cell x;
    x.record = input.data[i];
    return x;
}

static gpi_kept_cell gpi_kept_cell_none(void)
{
    gpi_kept_cell x;
    x.record = 0;
    return x;
}

#if GPI_RECORD_SIZE <= 8
#define GPI_QUADS 1

/* Loads elements i ... i + 3 into x. `aligned`: element i is aligned as a vector of four. */
static void gpi_load_quad(gpi_input input, ulong i, const bool aligned, gpi_kept_cell *x)
{
    const GPI_QUAD(GPI_RECORD) quad = GPI_READ_QUAD(GPI_RECORD, input.data + i, aligned);
    x[0].record = quad.s0;
    x[1].record = quad.s1;
    x[2].record = quad.s2;
    x[3].record = quad.s3;
}

/* True if vector loads are aligned at every multiple of four. */
static bool gpi_quads_aligned(gpi_input input) { return GPI_IS_QUAD(GPI_RECORD, input.data); }
#endif
#endif
#ifndef GPI_QUADS
#define GPI_QUADS 0
#endif
#endif
