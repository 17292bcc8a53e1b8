/* stencil_map.h - a stencil's expression, as src/map/stencil.c writes it: for tools/lint_kernels.sh. */
#define at(dx, dy) \
    gpi_here[clamp((int)(dy), -GPI_RY, GPI_RY) * GPI_ROW + clamp((int)(dx), -GPI_RX, GPI_RX) * GPI_CHANNELS]
static GPI_LANE gpi_map(GPI_NEAR const GPI_X *gpi_here, GPI_X x, ulong i, ulong j)
{
    return (GPI_LANE)(at(-1, 0) + at(1, 0) - 2 * x + i + j);
}
