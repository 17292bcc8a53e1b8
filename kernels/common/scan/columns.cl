/* columns.cl - segments whose elements are not adjacent: element i of segment s is at s * row_stride + i *
   element_stride. */
#ifndef GPI_SCAN_COLUMNS_CL
#define GPI_SCAN_COLUMNS_CL
#include "base/args.cl"
#include "base/platform.cl"
#include "element/input.cl"
#include "element/monoid.cl"

/* A block of `segments` segments, at most `wide`. `input` begins with the first segment. */
typedef struct gpi_column_block {
    gpi_input input;
    ulong row_stride, element_stride;
    uint wide, segments;
} gpi_column_block;

/* Sets a group's block from the parameters of its kernel, the number of `segments`, and the group's `first` segment. */
#define GPI_COLUMN_BLOCK_SET(block)                         \
    GPI_ARGS_SET((block).input)                             \
    (block).input.in = in + in_offset + first * row_stride; \
    (block).input.count = row_length;                       \
    (block).row_stride = row_stride;                        \
    (block).element_stride = element_stride;                \
    (block).wide = wide;                                    \
    (block).segments = (uint)min((ulong)wide, segments - min(segments, first))

/* Returns element i of segment s. For maps, argmin and argmax, the element's position is i. */
GPI_INLINE GPI_T gpi_column_load(gpi_column_block block, const ulong row_stride, uint s, ulong i)
{
    gpi_input segment = block.input;
    segment.in += gpi_position(segment, i) * (block.element_stride - 1) + s * row_stride;
    return gpi_load(segment, i);
}
#endif
