/* input_vectors.cl - decides for 16 elements at a time which of them are selected. */
#ifndef GPI_SELECT_INPUT_VECTORS_CL
#define GPI_SELECT_INPUT_VECTORS_CL
#include "select/input.cl" /* included first, because it replaces element/input.cl */
#include "base/paste.cl"
#include "base/platform.cl"
#include "vector/lanes.cl"

/* GPI_BY_MASKS is 1 if a tile is kept as masks (select/masks.cl). This needs GPI_PACKS, and plain elements and values of at most
   8 bytes. */
#define GPI_BY_MASKS                                                                             \
    (GPI_PACKS && GPI_PARTS < 3 && GPI_SELECT_BY != GPI_SELECT_BY_INDICES && GPI_RECORD_PLAIN && \
     GPI_RECORD_SIZE <= 8 && GPI_VALUE_SIZE <= 8)

#if GPI_LANES > 1 || GPI_BY_MASKS
#if GPI_PLAIN
#if GPI_IN_HALF
#define GPI_READ_RUN(p) vload_half16(0, p)
#else
#define GPI_READ_RUN(p) vload16(0, p)
#endif
#endif

/* Returns 1 for each of the elements i ... i + 15 that is selected, and 0 for the others. For runs, element i + 16 must exist. */
static uint16 gpi_read_vector(gpi_input input, ulong i)
{
    uint lane[16];
#if GPI_PLAIN && GPI_SELECT_BY == GPI_SELECT_BY_RUNS
    return convert_uint16(GPI_READ_RUN(input.in + i + 1) != GPI_READ_RUN(input.in + i)) & 1u;
#elif GPI_PLAIN
    if (i > 0) return convert_uint16(GPI_READ_RUN(input.in + i) != GPI_READ_RUN(input.in + i - 1)) & 1u;
#endif
#if GPI_SELECT_BY == GPI_SELECT_BY_FLAGS
    return convert_uint16(vload16(0, input.in + i) != (GPI_VECTOR(GPI_IN))(0)) & 1u;
#endif
    if (GPI_SELECT_BY == GPI_SELECT_BY_UNIQUE && i == 0) {
        for (uint k = 0; k < 16; k++) lane[k] = gpi_is_selected(input, k, false);
    } else {
        GPI_AT_ONCE
        for (uint k = 0; k < 16; k++) lane[k] = gpi_is_selected(input, i + k, true);
    }
    return vload16(0, lane);
}
#endif
#endif
