/* rank_cell.cl - where an element of a tile lies in local memory: one cell after every 32 is unused, which keeps strided,
   blocked and scattered accesses off one another's banks. */
#ifndef GPI_SORT_RANK_CELL_CL
#define GPI_SORT_RANK_CELL_CL
#define GPI_RANK_CELL(i) ((i) + (i) / 32)
/* Element i + j * step of an array of cells: one address for all j, where `step` allows. */
#define GPI_RANK_STEPPED(array, i, step, j) \
    ((array) +                              \
     GPI_RANK_CELL((step) % 32 ? (i) + (j) * (step) : (i)))[(step) % 32 ? 0 : (j)*GPI_RANK_CELL(step)]
#endif
