/* map_tile.cl - a group maps a tile of elements. */
#ifndef GPI_MAP_MAP_TILE_CL
#define GPI_MAP_MAP_TILE_CL
#include "base/args.cl"
#include "base/paste.cl"
#include "base/platform.cl"
#include "map/operands.cl"

/* A full tile is mapped in steps. In each step an item reads all its elements before it writes the first one, so that the reads
   are in flight together. Its elements are in chunks of GPI_CHUNK, at a distance that lets neighbouring items access
   neighbouring chunks. */
#if GPI_OUT_RECORD
#define GPI_MAP_STEP_MOST 4
#else
#define GPI_MAP_STEP_MOST 16
#endif
#define GPI_MAP_STEP (GPI_PER_ITEM < GPI_MAP_STEP_MOST ? GPI_PER_ITEM : GPI_MAP_STEP_MOST)

#if GPI_CHUNK == 4
#if GPI_INPUTS > 0
#define GPI_MAP_X(k) x.s##k
#else
#define GPI_MAP_X(k) 0
#endif
#if GPI_INPUTS > 1
#define GPI_MAP_Y(k) y.s##k
#else
#define GPI_MAP_Y(k) 0
#endif
#if GPI_INPUTS > 2
#define GPI_MAP_Z(k) z.s##k
#else
#define GPI_MAP_Z(k) 0
#endif
#define GPI_MAP_SET(k) \
    lane[k] = gpi_map(GPI_ARGS_OF(in) GPI_MAP_X(k), GPI_MAP_Y(k), GPI_MAP_Z(k), i + k, in.a, in.b)

/* Uses of the input arrays (base/arrays.cl): GPI_MAP_LOAD loads an array's elements i .. i + 3, GPI_MAP_ALIGNED tests
   the array's alignment. */
#define GPI_MAP_LOAD(i, type, name) const GPI_QUAD(type) name = GPI_READ_QUAD(type, in.name + (i), true);
#define GPI_MAP_ALIGNED(in, type, name) &&GPI_IS_QUAD(type, (in).name)

/* Computes elements i .. i + 3 of the output. */
GPI_INLINE_GPU void gpi_map_quad(gpi_inputs in, ulong i, GPI_LANE *lane)
{
    GPI_OPERAND_ARRAYS(GPI_MAP_LOAD, i)
    GPI_MAP_SET(0);
    GPI_MAP_SET(1);
    GPI_MAP_SET(2);
    GPI_MAP_SET(3);
}

/* Returns whether vectors of four are aligned at every fourth element of all arrays. */
static bool gpi_map_aligned(gpi_inputs in, __global GPI_OUT *out)
{
    return GPI_IS_QUAD(GPI_OUT, out) GPI_OPERAND_ARRAYS(GPI_MAP_ALIGNED, in);
}

static void gpi_map_quads(gpi_inputs in, __global GPI_OUT *out, ulong begin)
{
    GPI_LANE lane[GPI_MAP_STEP];
    GPI_EACH_CHUNK(k, GPI_MAP_STEP, 4) gpi_map_quad(in, begin + k * GPI_WG, lane + k);
    GPI_EACH_CHUNK(k, GPI_MAP_STEP, 4) {
        *(__global GPI_QUAD(GPI_OUT) *)(out + begin + k * GPI_WG) =
            (GPI_QUAD(GPI_OUT))(lane[k], lane[k + 1], lane[k + 2], lane[k + 3]);
    }
}
#endif

static void gpi_map_step(gpi_inputs in, __global GPI_OUT *out, ulong begin)
{
    GPI_LANE lane[GPI_MAP_STEP];
    GPI_EACH(k, GPI_MAP_STEP) lane[k] = gpi_value_any(in, begin + k * GPI_WG);
    GPI_EACH(k, GPI_MAP_STEP) GPI_MAP_WRITE(out, begin + k * GPI_WG, lane[k]);
}

static void gpi_map_tile(gpi_inputs in, __global GPI_OUT *out, ulong first, ulong end)
{
    const uint l = (uint)GPI_LOCAL_ID;
    if (first + GPI_WG * GPI_PER_ITEM > end) {
        for (ulong i = first + l; i < end; i += GPI_WG) GPI_MAP_WRITE(out, i, gpi_value_any(in, i));
#if GPI_CHUNK == 4
    } else if (gpi_map_aligned(in, out)) {
        for (uint k = 0; k < GPI_PER_ITEM; k += GPI_MAP_STEP)
            gpi_map_quads(in, out, first + k * GPI_WG + 4 * l);
#endif
    } else {
        for (uint k = 0; k < GPI_PER_ITEM; k += GPI_MAP_STEP) gpi_map_step(in, out, first + k * GPI_WG + l);
    }
}
#endif
