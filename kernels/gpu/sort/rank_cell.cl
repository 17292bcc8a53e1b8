/* rank_cell.cl - the cell of local memory that holds element i of a tile. One cell after every 32 is unused, so that strided,
   blocked and scattered accesses meet fewer bank conflicts. */
#ifndef GPI_SORT_RANK_CELL_CL
#define GPI_SORT_RANK_CELL_CL
#define GPI_RANK_CELL(i) ((i) + (i) / 32)
/* Element i + j * step of an array of cells. If `step` is a multiple of 32, the addresses for all j differ by constants. */
#define GPI_RANK_STEPPED(array, i, step, j) \
    ((array) +                              \
     GPI_RANK_CELL((step) % 32 ? (i) + (j) * (step) : (i)))[(step) % 32 ? 0 : (j)*GPI_RANK_CELL(step)]
#endif
